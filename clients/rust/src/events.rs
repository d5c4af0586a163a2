//! Events and states: messages with id 0, which come once somebody subscribed.

use crate::values::{number_at, text_at, whole_at};
use crate::{Error, Message};
use std::collections::HashMap;

const PARAMS_OF_EVENT: usize = 5;
const FIRST_NAME: usize = 8;
const POSE: usize = 7;

/// What a program, or the simulation, published.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// Of this connection; one that is left out is an event that was lost.
    pub number: i64,
    pub topic: String,
    pub source: String,
    pub text: String,
    pub tick: i64,
    pub data: Vec<f64>,
}

/// A state of the stream.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct State {
    pub topic: String,
    pub tick: u64,
    pub time: f64,
    pub run: i64,
    pub generation: i64,
    pub revision: i64,
    pub mode: String,
    pub is_paused: bool,
    pub has_ended: bool,
    /// Of bodies.
    pub names: Vec<String>,
    /// x y z and a quaternion w x y z of each body.
    pub poses: Vec<[f64; POSE]>,
    /// By robot.
    pub readings: HashMap<String, Vec<f64>>,
}

/// Return the events of a message that `Client::state` brought from `/sim/events`.
pub fn events_of(message: &Message) -> Result<Vec<Event>, Error> {
    let (mut number, mut rest) = (whole_at(message, 0)?, message.data.as_slice());
    let mut events = Vec::new();
    for place in (1..message.params.len()).step_by(PARAMS_OF_EVENT) {
        let place = place as isize;
        let data = split(&mut rest, whole_at(message, place + 4)?)?.to_vec();
        let (topic, source, text) =
            (text_at(message, place)?, text_at(message, place + 1)?, text_at(message, place + 2)?);
        events.push(Event { number, topic, source, text, tick: whole_at(message, place + 3)?, data });
        number = number.wrapping_add(1);
    }
    Ok(events)
}

/// Take so many values off the beginning of a run.
fn split<'a>(rest: &mut &'a [f64], count: i64) -> Result<&'a [f64], Error> {
    let wrong = || Error::Malformed(format!("{count} values where {} are left", rest.len()));
    let count = usize::try_from(count).map_err(|_| wrong())?;
    let (first, behind) = rest.split_at_checked(count).ok_or_else(wrong)?;
    *rest = behind;
    Ok(first)
}

/// Return the state that a message tells which `Client::state` brought.
pub fn state_of(message: &Message) -> Result<State, Error> {
    let (bodies, robots) = (count_at(message, 6)?, count_at(message, 7)?);
    let first_robot = FIRST_NAME + bodies;
    if message.params.len() != first_robot + 2 * robots {
        let count = message.params.len();
        return Err(Error::Malformed(format!("a state with {count} params for {bodies} bodies and {robots} robots")));
    }
    let time = number_at(message, 0)?;
    let mut rest = &message.data[1..];
    let (mut names, mut poses, mut readings) = (Vec::new(), Vec::new(), HashMap::new());
    for place in FIRST_NAME..first_robot {
        names.push(text_at(message, place as isize)?);
        let mut pose = [0.0; POSE];
        pose.copy_from_slice(split(&mut rest, POSE as i64)?);
        poses.push(pose);
    }
    for place in first_robot..first_robot + robots {
        let values = split(&mut rest, whole_at(message, (place + robots) as isize)?)?;
        readings.insert(text_at(message, place as isize)?, values.to_vec());
    }
    Ok(State {
        topic: message.target.clone(),
        tick: message.tick,
        time,
        run: whole_at(message, 0)?,
        generation: whole_at(message, 1)?,
        revision: whole_at(message, 2)?,
        mode: text_at(message, 3)?,
        is_paused: whole_at(message, 4)? == 1,
        has_ended: whole_at(message, 5)? == 1,
        names,
        poses,
        readings,
    })
}

/// Return how many bodies or robots a state has: as many as have room in a message.
fn count_at(message: &Message, place: isize) -> Result<usize, Error> {
    let count = whole_at(message, place)?;
    let count = usize::try_from(count).ok().filter(|count| *count <= message.params.len());
    count.ok_or_else(|| Error::Malformed("a state with more names than params".to_string()))
}
