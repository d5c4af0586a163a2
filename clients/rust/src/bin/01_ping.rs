//! Asks what is there, and for something that is not.

use coopsim::{Client, Error};
use std::time::Duration;

const LIST: u64 = 10;

fn main() -> Result<(), Error> {
    let mut sim = Client::connect("", Duration::from_secs(5))?;
    println!("/robot1/motors is a {}", sim.ask("/robot1/motors", 0, &[], &[])?.params[0]);
    for name in sim.ask("/sim/names", LIST, &["/robot1/".into()], &[])?.params {
        println!("{name}");
    }
    if let Err(Error::Refused { number, .. }) = sim.ask("/robotX/motors", 0, &[], &[]) {
        println!("refused with {number}");
    }
    Ok(())
}
