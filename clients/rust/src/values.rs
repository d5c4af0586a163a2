//! Values of a reply by type and place; what is missing, or of another type, is no message.

use crate::{Error, Message, Param};
use std::ops::Range;

/// Where some values stand: from `start` (below 0 = counted from the end) `count` of them, or all but `end` values if
/// that is 0; of these it is one of some equal parts.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub start: isize,
    pub count: usize,
    pub end: usize,
    pub part: usize,
    pub parts: usize,
}

impl Run {
    fn span(self, length: usize) -> Result<Range<usize>, Error> {
        let wrong = || Error::Malformed(format!("a reply of {length} values"));
        let first =
            if self.start < 0 { length.checked_add_signed(self.start) } else { Some(self.start.unsigned_abs()) };
        let first = first.ok_or_else(wrong)?;
        let rest = length.checked_sub(first).ok_or_else(wrong)?;
        let all = if self.count > 0 { self.count } else { rest.checked_sub(self.end).ok_or_else(wrong)? };
        if all > rest || self.parts == 0 || all % self.parts != 0 {
            return Err(wrong());
        }
        let share = all / self.parts;
        Ok(first + self.part * share..first + (self.part + 1) * share)
    }
}

fn at(place: isize) -> Run {
    Run { start: place, count: 1, end: 0, part: 0, parts: 1 }
}

fn other(value: &Param, meant: &str) -> Error {
    Error::Malformed(format!("{value} where {meant} is meant"))
}

/// Return a run of data.
pub fn numbers(reply: &Message, run: Run) -> Result<Vec<f64>, Error> {
    Ok(reply.data[run.span(reply.data.len())?].to_vec())
}

/// Return one of the data.
pub fn number_at(reply: &Message, place: isize) -> Result<f64, Error> {
    Ok(reply.data[at(place).span(reply.data.len())?.start])
}

/// Return a run of params.
pub fn values(reply: &Message, run: Run) -> Result<Vec<Param>, Error> {
    Ok(reply.params[run.span(reply.params.len())?].to_vec())
}

/// Return a param.
pub fn value_at(reply: &Message, place: isize) -> Result<Param, Error> {
    Ok(reply.params[at(place).span(reply.params.len())?.start].clone())
}

/// Return a run of params that are texts.
pub fn texts(reply: &Message, run: Run) -> Result<Vec<String>, Error> {
    values(reply, run)?.into_iter().map(text).collect()
}

/// Return a param that is a text.
pub fn text_at(reply: &Message, place: isize) -> Result<String, Error> {
    text(value_at(reply, place)?)
}

fn text(value: Param) -> Result<String, Error> {
    match value {
        Param::Text(text) => Ok(text),
        _ => Err(other(&value, "a text")),
    }
}

/// Return a param that is a number.
pub fn float_at(reply: &Message, place: isize) -> Result<f64, Error> {
    match value_at(reply, place)? {
        Param::Float(value) => Ok(value),
        Param::Int(value) => Ok(value as f64),
        value => Err(other(&value, "a number")),
    }
}

/// Return a param that is an integer.
pub fn whole_at(reply: &Message, place: isize) -> Result<i64, Error> {
    let value = value_at(reply, place)?;
    match value {
        Param::Int(whole) => i64::try_from(whole).map_err(|_| other(&value, "an integer of 64 bits")),
        _ => Err(other(&value, "an integer")),
    }
}

/// Return some values as params.
pub fn flat<T: Clone>(values: &[T]) -> Vec<Param>
where
    Param: From<T>,
{
    values.iter().cloned().map(Param::from).collect()
}
