//! Sees every state of a robot without asking for it.

use coopsim::{state_of, Client, Error};
use std::time::Duration;

const RESET: u64 = 14;
const SUBSCRIBE: u64 = 11;
const CLAIM: u64 = 13;
const STEP: u64 = 11;
const RELEASE: u64 = 15;

fn main() -> Result<(), Error> {
    let mut sim = Client::connect("", Duration::from_secs(5))?;
    sim.ask("/sim/world", RESET, &[], &[])?;
    sim.ask("/sim/step", CLAIM, &["robot1".into()], &[])?;
    sim.ask("/sim/info", SUBSCRIBE, &["/robot1".into()], &[])?;
    for number in 1..=50 {
        let tick = sim.ask("/sim/step", STEP, &[0.into(), "robot1".into()], &[0.4, 0.1])?.tick;
        let mut state = state_of(&sim.state()?)?;
        while state.tick < tick {
            state = state_of(&sim.state()?)?;
        }
        if number % 10 == 0 {
            let (x, y) = (state.poses[0][0], state.poses[0][1]);
            println!("step {number}: {} is at x {x:.3} m, y {y:.3} m", state.names[0]);
        }
    }
    sim.ask("/sim/step", RELEASE, &[], &[])?;
    Ok(())
}
