//! Drives a robot in an arc, one request after the other.

use coopsim::{Client, Error};
use std::time::Duration;

const RESET: u64 = 14;
const RELEASE: u64 = 15;
const SET_VELOCITY: u64 = 10;
const STOP: u64 = 12;
const POSE: u64 = 10;

fn main() -> Result<(), Error> {
    let mut sim = Client::connect("", Duration::from_secs(5))?;
    sim.ask("/sim/world", RESET, &[], &[])?;
    let mut pose = Vec::new();
    for _ in 0..100 {
        sim.ask("/robot1/motors", SET_VELOCITY, &[], &[0.4, 0.2])?;
        pose = sim.ask("/robot1/odometry", POSE, &[], &[])?.data;
    }
    sim.ask("/robot1/motors", STOP, &[], &[])?;
    println!("robot1 drove to x {:.3} m, y {:.3} m, heading {:.3} rad", pose[0], pose[1], pose[2]);
    sim.ask("/sim/step", RELEASE, &[], &[])?;
    Ok(())
}
