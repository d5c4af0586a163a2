//! Reads the distances around a robot, and changes how far it sees.

use coopsim::{Client, Error, Param};
use std::time::Duration;

const RESET: u64 = 14;
const RANGES: u64 = 10;
const GET_PARAMETER: u64 = 2;
const SET_PARAMETER: u64 = 3;

fn main() -> Result<(), Error> {
    let mut sim = Client::connect("", Duration::from_secs(5))?;
    sim.ask("/sim/world", RESET, &[], &[])?;
    let ranges = sim.ask("/robot1/sonars", RANGES, &[], &[])?.data;
    let words: Vec<String> = ranges.iter().map(|distance| format!("{distance:.3}")).collect();
    println!("ranges {}", words.join(" "));
    let reach = sim.ask("/robot1/sonars", GET_PARAMETER, &["reach".into()], &[])?.params.remove(0);
    let changed = sim.ask("/robot1/sonars", SET_PARAMETER, &["reach".into(), 2.0.into()], &[])?.params.remove(0);
    if let (Param::Float(was), Param::Float(is)) = (&reach, changed) {
        println!("reach was {was:.1} m, is {is:.1} m");
    }
    sim.ask("/robot1/sonars", SET_PARAMETER, &["reach".into(), reach], &[])?;
    Ok(())
}
