//! Wanders without a collision: in lockstep each reading is of the step that the last command made.

use coopsim::{Client, Error};
use std::time::Duration;

const RESET: u64 = 14;
const RELEASE: u64 = 15;
const RANGES: u64 = 10;
const SET_VELOCITY: u64 = 10;
const POSE: u64 = 10;
const STEPS: usize = 90;

fn main() -> Result<(), Error> {
    let mut sim = Client::connect("", Duration::from_secs(5))?;
    sim.ask("/sim/world", RESET, &[], &[])?;
    for step in 1..=STEPS {
        let ranges = sim.ask("/robot1/sonars", RANGES, &[], &[])?.data;
        sim.ask("/robot1/motors", SET_VELOCITY, &[], &decide(&ranges))?;
        if step % 30 == 0 {
            let pose = sim.ask("/robot1/odometry", POSE, &[], &[])?.data;
            println!("step {step}: x {:.3} m, y {:.3} m", pose[0], pose[1]);
        }
    }
    sim.ask("/sim/step", RELEASE, &[], &[])?;
    Ok(())
}

/// Return v and w: forward, turning to the side with more room.
fn decide(ranges: &[f64]) -> [f64; 2] {
    let least = |part: &[f64]| part.iter().copied().fold(f64::INFINITY, f64::min);
    let middle = ranges.len() / 2;
    let (right, left) = (least(&ranges[..=middle]), least(&ranges[middle..]));
    if least(&ranges[middle - 1..=middle + 1]) < 0.6 {
        return [0.0, if left >= right { 0.8 } else { -0.8 }];
    }
    [0.4, 0.4 * (left - right) / (left + right + 0.1)]
}
