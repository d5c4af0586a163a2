//! Three robots keep abreast of each other: one message a step has the commands of all and brings back all readings.

use coopsim::{Client, Error, Param};
use std::time::Duration;

const RESET: u64 = 14;
const LAYOUT: u64 = 10;
const STEP: u64 = 11;
const CLAIM: u64 = 13;
const RELEASE: u64 = 15;
const POSE: u64 = 10;
const ROBOTS: [&str; 3] = ["robot1", "robot2", "robot3"];
const STEPS: usize = 60;

fn main() -> Result<(), Error> {
    let mut sim = Client::connect("", Duration::from_secs(5))?;
    let robots = ROBOTS.map(Param::from);
    sim.ask("/sim/world", RESET, &[], &[])?;
    let lengths = sim.ask("/sim/step", LAYOUT, &[], &[])?.data;
    sim.ask("/sim/step", CLAIM, &robots, &[])?;
    let named = [&[Param::from(0)], &robots[..]].concat();
    let mut readings = Vec::new();
    for step in 0..STEPS {
        let turn = if step % 80 < 40 { 0.25 } else { -0.25 };
        readings = sim.ask("/sim/step", STEP, &named, &[0.25, turn, 0.3125, turn, 0.375, turn])?.data;
    }
    println!("{} readings a step, {} of each robot", readings.len(), lengths[1]);
    for name in ROBOTS {
        let pose = sim.ask(&format!("/{name}/odometry"), POSE, &[], &[])?.data;
        println!("{name}: x {:.3} m, y {:.3} m", pose[0], pose[1]);
    }
    sim.ask("/sim/step", RELEASE, &[], &[])?;
    Ok(())
}
