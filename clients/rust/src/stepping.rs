//! Steps of many robots in one message: what it takes and gives, by robot, module and name.

use crate::error_codes::STALE_LAYOUT;
use crate::values::{flat, text_at};
use crate::{Client, Error, Message, Param};
use serde_json::Value;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

const STEP: &str = "/sim/step";
const LAYOUT: u64 = 10;
const DO: u64 = 11;
const CLAIM: u64 = 13;
const RELEASE: u64 = 15;
const PART: u64 = 18;
const PAGE: usize = 1000;
/// Of one message: shorter than 1 MiB with names of 128 letters.
const MOST_ROBOTS: usize = 2000;
const MOST_VALUES: usize = 65536;

/// Where the values of a module stand, by name.
type Spans = Vec<(String, Range<usize>)>;
/// Those of each module of a robot: few, so that they are found sooner than hashed.
type Columns = Vec<(String, Spans)>;

/// The rows of some robots in a message, and where each value of a row stands: by robot, module and name.
#[derive(Clone, Debug, Default)]
struct Rows {
    length: usize,
    starts: Vec<usize>,
    robots: HashMap<String, Columns>,
}

impl Rows {
    fn add(&mut self, robot: &str, kind: &Value, side: &str) -> Option<()> {
        let mut modules = Columns::new();
        self.starts.push(self.length);
        for column in kind[side].as_array()? {
            let first = self.length + column[3].as_u64()? as usize;
            let span = first..first + column[4].as_u64()? as usize;
            let (module, name) = (column[0].as_str()?, column[1].as_str()?);
            if modules.last().is_none_or(|(last, _)| last != module) {
                modules.push((module.to_string(), Spans::new()));
            }
            modules.last_mut()?.1.push((name.to_string(), span));
        }
        self.length += kind[format!("{side}_length")].as_u64()? as usize;
        let is_inside = modules.iter().flat_map(|(_, spans)| spans).all(|(_, span)| span.end <= self.length);
        self.robots.insert(robot.to_string(), modules);
        is_inside.then_some(())
    }

    /// Return where the row of a robot begins; behind the last one is the end.
    fn start(&self, robot: usize) -> usize {
        self.starts.get(robot).copied().unwrap_or(self.length)
    }

    fn span(&self, robot: &str, module: &str, name: &str) -> Result<Range<usize>, Error> {
        let mut spans = self.robots.get(robot).into_iter().flatten().filter(|(called, _)| called == module);
        let span = spans.find_map(|(_, spans)| spans.iter().find(|(called, _)| called == name));
        span.map(|(_, span)| span.clone())
            .ok_or_else(|| Error::Malformed(format!("{robot} has no {module}.{name} in a step")))
    }
}

/// What a step gave.
#[derive(Clone, Debug)]
pub struct RawReadings {
    pub tick: u64,
    pub data: Vec<f64>,
    /// Robots that had no command for too long.
    pub stopped: Vec<Param>,
    rows: Rc<Rows>,
}

impl RawReadings {
    /// Return a run of values.
    pub fn numbers(&self, robot: &str, module: &str, name: &str) -> Result<&[f64], Error> {
        Ok(&self.data[self.rows.span(robot, module, name)?])
    }

    /// Return a value.
    pub fn number(&self, robot: &str, module: &str, name: &str) -> Result<f64, Error> {
        let first = self.numbers(robot, module, name)?.first().copied();
        first.ok_or_else(|| Error::Malformed(format!("{robot}'s {module}.{name} has no value")))
    }
}

/// Steps robots; the last command of one holds until there is another.
#[derive(Clone, Debug)]
pub struct RawStepper {
    /// Names, in the order of their commands.
    pub robots: Vec<String>,
    generation: i64,
    takes: Rows,
    gives: Rc<Rows>,
    commands: Vec<f64>,
    /// Robots that fit one message together, and the params of it.
    groups: Vec<(Range<usize>, Vec<Param>)>,
}

impl RawStepper {
    /// Claim robots, or all where none is named, and learn what a step of them takes and gives.
    pub fn new(sim: &mut Client, robots: &[&str]) -> Result<Self, Error> {
        let robots = robots.iter().map(|name| name.to_string()).collect();
        let (takes, gives, commands, groups) = (Rows::default(), Rc::default(), Vec::new(), Vec::new());
        let mut stepper = RawStepper { robots, generation: 0, takes, gives, commands, groups };
        stepper.learn(sim)?;
        for (_, params) in &stepper.groups {
            sim.ask(STEP, CLAIM, &params[1..], &[])?;
        }
        Ok(stepper)
    }

    /// Put robots together that fit one message.
    fn group(&mut self) {
        let (mut groups, mut first) = (Vec::new(), 0);
        for last in 0..=self.robots.len() {
            let size = |rows: &Rows| rows.start(last + 1) - rows.start(first);
            let fits = last - first < MOST_ROBOTS && size(&self.takes).max(size(&self.gives)) <= MOST_VALUES;
            if last < self.robots.len() && fits {
                continue;
            }
            let names = self.robots[first..last].iter().map(|name| Param::from(name.as_str()));
            groups.push((first..last, std::iter::once(Param::from(self.generation)).chain(names).collect()));
            first = last;
        }
        self.groups = groups;
    }

    /// Ask what a step takes and gives; commands begin with 0.
    fn learn(&mut self, sim: &mut Client) -> Result<(), Error> {
        let (mut kinds, mut names) = (HashMap::new(), Vec::new());
        let mut count = PAGE;
        while count == PAGE {
            let reply = sim.ask(STEP, LAYOUT, &flat(&[names.len() as i64, PAGE as i64]), &[])?;
            let page: Value = serde_json::from_str(&text_at(&reply, 0)?).map_err(Error::no_message)?;
            let robots = page["robots"].as_array().map_or(&[][..], Vec::as_slice);
            for robot in robots {
                let name = robot[0].as_str().unwrap_or_default().to_string();
                kinds.insert(name.clone(), page["types"][robot[1].as_str().unwrap_or_default()].clone());
                names.push(name);
            }
            self.generation = page["generation"].as_i64().unwrap_or_default();
            count = robots.len();
        }
        if self.robots.is_empty() {
            self.robots = names;
        }
        let (mut takes, mut gives) = (Rows::default(), Rows::default());
        for robot in &self.robots {
            let kind = kinds.get(robot).unwrap_or(&Value::Null);
            let added = takes.add(robot, kind, "takes").and_then(|()| gives.add(robot, kind, "gives"));
            added.ok_or_else(|| Error::Malformed(format!("no robot {robot} is in the layout of a step")))?;
        }
        (self.takes, self.gives) = (takes, gives.into());
        self.commands = vec![0.0; self.takes.length];
        self.group();
        Ok(())
    }

    /// Set a value, or a run of values, of the next command of a robot.
    pub fn put(&mut self, robot: &str, module: &str, name: &str, values: &[f64]) -> Result<(), Error> {
        let places = &mut self.commands[self.takes.span(robot, module, name)?];
        if places.len() != values.len() {
            let (wanted, count) = (places.len(), values.len());
            return Err(Error::Malformed(format!("{robot}'s {module}.{name} takes {wanted} values, got {count}")));
        }
        places.copy_from_slice(values);
        Ok(())
    }

    /// Do a step; when the scene has changed, robots begin anew with commands of 0.
    pub fn raw_step(&mut self, sim: &mut Client) -> Result<RawReadings, Error> {
        let mut reply = self.ask(sim);
        if let Err(Error::Refused { number: STALE_LAYOUT, .. }) = reply {
            self.learn(sim)?;
            reply = self.ask(sim);
        }
        let mut reply = reply?;
        if reply.data.len() != self.gives.length || reply.params.is_empty() {
            return Err(Error::Malformed(format!("{} readings instead of {}", reply.data.len(), self.gives.length)));
        }
        let stopped = reply.params.split_off(1);
        Ok(RawReadings { tick: reply.tick, data: reply.data, stopped, rows: Rc::clone(&self.gives) })
    }

    /// Robots that fit no message together are stepped in parts, by one tick for all.
    fn ask(&self, sim: &mut Client) -> Result<Message, Error> {
        if let [(_, params)] = &self.groups[..] {
            return sim.ask(STEP, DO, params, &self.commands);
        }
        let mut requests: Vec<_> = self.groups.iter().map(|(robots, params)| self.part(robots, params)).collect();
        if let Some(last) = requests.last_mut() {
            last.command = DO;
        }
        let mut joined = Message { params: vec![Param::from(self.generation)], ..Default::default() };
        for reply in sim.ask_all(requests)? {
            joined.tick = reply.tick;
            joined.params.extend(reply.params.into_iter().skip(1));
            joined.data.extend(reply.data);
        }
        Ok(joined)
    }

    fn part(&self, robots: &Range<usize>, params: &[Param]) -> Message {
        let commands = &self.commands[self.takes.start(robots.start)..self.takes.start(robots.end)];
        let (params, data) = (params.to_vec(), commands.to_vec());
        Message { target: STEP.to_string(), command: PART, params, data, ..Default::default() }
    }

    /// Give the robots back.
    pub fn close(&self, sim: &mut Client) -> Result<(), Error> {
        self.groups.iter().try_for_each(|(_, params)| sim.ask(STEP, RELEASE, &params[1..], &[]).map(drop))
    }
}
