//! Messages and their bytes.

use crate::Error;
use rmp::{decode, encode, Marker};

/// Version of the protocol.
pub const VERSION: u64 = 1;
const FIELDS: u32 = 9;

/// A parameter: names, counts and text.
#[derive(Clone, Debug, PartialEq)]
pub enum Param {
    /// An integer below zero, or any other one.
    Int(i128),
    /// A float64.
    Float(f64),
    /// A text.
    Text(String),
}

impl From<&str> for Param {
    fn from(text: &str) -> Self {
        Param::Text(text.to_string())
    }
}

impl From<f64> for Param {
    fn from(value: f64) -> Self {
        Param::Float(value)
    }
}

impl From<i64> for Param {
    fn from(value: i64) -> Self {
        Param::Int(value.into())
    }
}

impl From<i32> for Param {
    fn from(value: i32) -> Self {
        Param::Int(value.into())
    }
}

impl std::fmt::Display for Param {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Param::Int(value) => value.fmt(out),
            Param::Float(value) => value.fmt(out),
            Param::Text(value) => value.fmt(out),
        }
    }
}

/// A request or a reply, its fields in the order of the protocol.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    pub id: u64,
    pub target: String,
    pub tick: u64,
    pub error: u64,
    pub text: String,
    pub command: u64,
    pub params: Vec<Param>,
    pub data: Vec<f64>,
    /// Of requests: the run that is meant, 0 = whichever is there.
    pub run: u64,
}

/// Return the bytes of a message.
pub fn encode(message: &Message) -> Vec<u8> {
    try_encode(message).expect("a Vec takes whatever comes")
}

fn try_encode(m: &Message) -> Result<Vec<u8>, encode::ValueWriteError> {
    let mut out = Vec::new();
    encode::write_array_len(&mut out, FIELDS + u32::from(m.run > 0))?;
    encode::write_uint(&mut out, VERSION)?;
    encode::write_uint(&mut out, m.id)?;
    encode::write_str(&mut out, &m.target)?;
    encode::write_uint(&mut out, m.tick)?;
    encode::write_uint(&mut out, m.error)?;
    encode::write_str(&mut out, &m.text)?;
    encode::write_uint(&mut out, m.command)?;
    encode::write_array_len(&mut out, m.params.len() as u32)?;
    for param in &m.params {
        match param {
            Param::Int(value) if *value < 0 => encode::write_sint(&mut out, *value as i64).map(drop)?,
            Param::Int(value) => encode::write_uint(&mut out, *value as u64).map(drop)?,
            Param::Float(value) => encode::write_f64(&mut out, *value)?,
            Param::Text(value) => encode::write_str(&mut out, value)?,
        }
    }
    // a bin, which the server reads and answers twenty times as fast as an array
    encode::write_bin_len(&mut out, 8 * m.data.len() as u32)?;
    for value in &m.data {
        out.extend_from_slice(&value.to_le_bytes());
    }
    if m.run > 0 {
        encode::write_uint(&mut out, m.run)?;
    }
    Ok(out)
}

/// Return the message of some bytes; later fields are passed over.
pub fn decode(mut raw: &[u8]) -> Result<Message, Error> {
    let raw = &mut raw;
    let malformed = |what: &str| Error::Malformed(what.to_string());
    if array_len(raw)? < FIELDS {
        return Err(malformed("fewer than nine fields"));
    }
    if uint(raw)? != VERSION {
        return Err(malformed("another version"));
    }
    let mut m =
        Message { id: uint(raw)?, target: text(raw)?, tick: uint(raw)?, error: uint(raw)?, ..Default::default() };
    m.text = text(raw)?;
    m.command = uint(raw)?;
    for _ in 0..array_len(raw)? {
        m.params.push(param(raw)?);
    }
    m.data = data(raw)?;
    Ok(m)
}

fn array_len(raw: &mut &[u8]) -> Result<u32, Error> {
    decode::read_array_len(raw).map_err(Error::no_message)
}

fn uint(raw: &mut &[u8]) -> Result<u64, Error> {
    decode::read_int(raw).map_err(Error::no_message)
}

fn text(raw: &mut &[u8]) -> Result<String, Error> {
    let length = decode::read_str_len(raw).map_err(Error::no_message)? as usize;
    String::from_utf8(bytes(raw, length)?.to_vec()).map_err(Error::no_message)
}

fn bytes<'a>(raw: &mut &'a [u8], length: usize) -> Result<&'a [u8], Error> {
    if raw.len() < length {
        return Err(Error::Malformed("cut short".to_string()));
    }
    let (first, rest) = raw.split_at(length);
    *raw = rest;
    Ok(first)
}

fn marker(raw: &[u8]) -> Result<Marker, Error> {
    raw.first().map(|&byte| Marker::from_u8(byte)).ok_or_else(|| Error::Malformed("cut short".to_string()))
}

fn param(raw: &mut &[u8]) -> Result<Param, Error> {
    Ok(match marker(raw)? {
        Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => Param::Text(text(raw)?),
        Marker::F32 | Marker::F64 => Param::Float(number(raw)?),
        Marker::U64 => Param::Int(uint(raw)?.into()),
        _ => Param::Int(decode::read_int::<i64, _>(raw).map_err(Error::no_message)?.into()),
    })
}

fn number(raw: &mut &[u8]) -> Result<f64, Error> {
    Ok(match marker(raw)? {
        Marker::F64 => decode::read_f64(raw).map_err(Error::no_message)?,
        Marker::F32 => decode::read_f32(raw).map_err(Error::no_message)?.into(),
        Marker::U64 => uint(raw)? as f64,
        _ => decode::read_int::<i64, _>(raw).map_err(Error::no_message)? as f64,
    })
}

fn data(raw: &mut &[u8]) -> Result<Vec<f64>, Error> {
    if let Marker::Bin8 | Marker::Bin16 | Marker::Bin32 = marker(raw)? {
        let length = decode::read_bin_len(raw).map_err(Error::no_message)? as usize;
        if length & 7 != 0 {
            return Err(Error::Malformed(format!("data of {length} bytes")));
        }
        let values = bytes(raw, length)?.chunks_exact(8);
        return Ok(values.map(|eight| f64::from_le_bytes(eight.try_into().expect("eight bytes"))).collect());
    }
    (0..array_len(raw)?).map(|_| number(raw)).collect()
}
