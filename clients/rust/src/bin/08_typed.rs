//! Drives three robots by names: commands, readings, parameters and refusals as this language has them.

use coopsim::error_codes::NO_SUCH_NAME;
use coopsim::{Client, Error, Odometry, Sonars, Stepper, World};
use std::time::Duration;

const ROBOTS: [&str; 3] = ["robot1", "robot2", "robot3"];

fn main() -> Result<(), Error> {
    let mut sim = Client::connect("", Duration::from_secs(5))?;
    World::default().reset(&mut sim, "all", -1)?;
    let mut stepper = Stepper::new(&mut sim, &ROBOTS)?;
    for step in 1..=40 {
        for (index, robot) in ROBOTS.iter().enumerate() {
            stepper.set_differential_drive(robot, 0.1 * (index + 1) as f64, 0.05)?;
        }
        let seen = stepper.step(&mut sim)?;
        if step == 40 {
            for robot in ROBOTS {
                let nearest = seen.sonars(robot)?.ranges.into_iter().fold(f64::INFINITY, f64::min);
                println!("{robot}: nearest {nearest:.3} m, speed {:.3} m/s", seen.differential_drive(robot)?.v);
            }
        }
    }
    stepper.close(&mut sim)?;
    let pose = Odometry::new("/robot3/odometry").pose(&mut sim)?;
    println!("robot3 is at x {:.3} m, y {:.3} m", pose.x, pose.y);
    let sonars = Sonars::new("/robot1/sonars");
    let reach = sonars.get_reach(&mut sim)?;
    println!("reach was {reach:.1} m, is {:.1} m", sonars.set_reach(&mut sim, 2.0)?);
    sonars.set_reach(&mut sim, reach)?;
    match Sonars::new("/robotX/sonars").ranges(&mut sim) {
        Err(Error::Refused { number, .. }) => println!("refused: no such name {}", number == NO_SUCH_NAME),
        other => drop(other?),
    }
    Ok(())
}
