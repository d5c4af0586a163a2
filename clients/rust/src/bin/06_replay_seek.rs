//! Shows moments of a recording (`coopsim replay FILE`), which nobody can drive.

use coopsim::{Client, Error};
use std::time::Duration;

const PAUSE: u64 = 13;
const SEEK: u64 = 14;
const POSE: u64 = 10;
const SET_VELOCITY: u64 = 10;

fn main() -> Result<(), Error> {
    let mut sim = Client::connect("", Duration::from_secs(5))?;
    sim.ask("/sim/playback", PAUSE, &[], &[])?;
    for moment in [1.0, 2.0, 0.5] {
        let shown = sim.ask("/sim/playback", SEEK, &[], &[moment])?.data;
        let pose = sim.ask("/robot1/odometry", POSE, &[], &[])?.data;
        println!("{:.2} s: x {:.3} m, y {:.3} m", shown[0], pose[0], pose[1]);
    }
    if let Err(Error::Refused { number, .. }) = sim.ask("/robot1/motors", SET_VELOCITY, &[], &[0.3, 0.0]) {
        println!("refused with {number}");
    }
    Ok(())
}
