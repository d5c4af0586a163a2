//! A client of coopsim: plain TCP and msgpack.
//!
//! ```no_run
//! use coopsim::{Client, DifferentialDrive, Sonars};
//! # fn main() -> Result<(), coopsim::Error> {
//! let mut sim = Client::connect("", std::time::Duration::from_secs(5))?;
//! let ranges = Sonars::new("/robot1/sonars").ranges(&mut sim)?.ranges;
//! DifferentialDrive::new("/robot1/motors").set_velocity(&mut sim, 0.3, 0.1)?;
//! sim.ask("/robot1/motors", 10, &[], &[0.3, 0.1])?; // the same by numbers
//! # Ok(()) }
//! ```

pub mod error_codes;
mod events;
#[cfg(feature = "tls")]
mod keys;
mod message;
#[rustfmt::skip] // generated
mod modules;
pub mod stepping;
mod stream;
#[cfg(feature = "tokio")]
pub mod tokio;
pub mod values;
pub use events::{events_of, state_of, Event, State};
#[cfg(feature = "tls")]
pub use keys::Keys;
pub use message::{decode, encode, Message, Param, VERSION};
pub use modules::*;

use std::collections::{HashMap, VecDeque};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};
#[cfg(not(feature = "tls"))]
use stream::Keys;
use stream::Stream;

const LARGEST: usize = 1 << 20;
const MOST_STATES: usize = 64;
const PING: u64 = 0;
const ELSEWHERE: u64 = 207;
const WRONG_RUN: u64 = 208;

/// What goes wrong between this program and the simulation.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The server refuses; the number says why (protocol, section 11), the params what a program needs.
    Refused { number: u64, text: String, params: Vec<Param> },
    /// No reply came in time.
    Silent,
    /// There is no connection; connect anew.
    Lost(String),
    /// The server sent something that is no message.
    Malformed(String),
}

impl Error {
    fn no_message(problem: impl std::fmt::Display) -> Self {
        Error::Malformed(problem.to_string())
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Error::Refused { number, text, .. } => write!(out, "error {number}: {text}"),
            Error::Silent => write!(out, "no reply in time: is the simulation paused, or waiting for another robot?"),
            Error::Lost(why) => write!(out, "the simulation is gone, or was never there: {why}"),
            Error::Malformed(why) => write!(out, "the server sent no message: {why}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(problem: std::io::Error) -> Self {
        match problem.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Error::Silent,
            _ => Error::Lost(problem.to_string()),
        }
    }
}

/// A connection: messages, each behind its length.
struct Link {
    socket: Stream,
    inbox: Vec<u8>, // of which the first `taken` bytes were read
    taken: usize,
    part: Box<[u8]>,
    patience: Duration, // of one read
    write_patience: Duration,
}

impl Link {
    fn connect(address: &str, timeout: Duration, keys: Option<&Keys>) -> Result<Self, Error> {
        let place = address.trim_start_matches("tcp://").trim_start_matches("tls://").to_socket_addrs()?.next();
        let place = place.ok_or_else(|| Error::Lost(format!("{address} is no host:port")))?;
        let socket = TcpStream::connect_timeout(&place, timeout).map_err(|problem| Error::Lost(problem.to_string()))?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(timeout))?;
        socket.set_write_timeout(Some(timeout))?;
        Ok(Link {
            socket: Stream::new(socket, keys)?,
            inbox: Vec::new(),
            taken: 0,
            part: vec![0; 1 << 16].into(),
            patience: timeout,
            write_patience: timeout,
        })
    }

    /// Send one message; half of one that did not go in time would make nonsense of all that follow.
    fn send(&mut self, raw: &[u8], deadline: Instant) -> Result<(), Error> {
        let mut framed = Vec::with_capacity(4 + raw.len());
        framed.extend_from_slice(&(raw.len() as u32).to_be_bytes());
        framed.extend_from_slice(raw);
        self.write(&framed, deadline).map_err(|problem| {
            let _ = self.socket.socket().shutdown(std::net::Shutdown::Both);
            Error::Lost(format!("nothing could be sent: {problem}"))
        })
    }

    fn write(&mut self, mut rest: &[u8], deadline: Instant) -> std::io::Result<()> {
        while !rest.is_empty() {
            let left = left_until(deadline);
            if left > self.write_patience || left < self.write_patience.mul_f64(0.9) {
                self.write_patience = left;
                self.socket.socket().set_write_timeout(Some(left))?;
            }
            match self.socket.write(rest) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => rest = &rest[count..],
                Err(problem) if problem.kind() == ErrorKind::Interrupted => continue,
                Err(problem) => return Err(problem),
            }
        }
        Ok(())
    }

    /// Return the next message; what came of one before the deadline is kept for later.
    fn receive(&mut self, deadline: Instant) -> Result<&[u8], Error> {
        self.inbox.drain(..std::mem::take(&mut self.taken));
        loop {
            if let Some(length) = self.inbox.first_chunk::<4>() {
                let length = u32::from_be_bytes(*length) as usize;
                if length > LARGEST {
                    let _ = self.socket.socket().shutdown(std::net::Shutdown::Both);
                    return Err(Error::Malformed(format!("a length of {length} bytes")));
                }
                if self.inbox.len() >= 4 + length {
                    self.taken = 4 + length;
                    return Ok(&self.inbox[4..self.taken]);
                }
            }
            self.wait_until(deadline)?;
            match self.socket.read(&mut self.part)? {
                0 => return Err(Error::Lost("the connection was closed".to_string())),
                count => self.inbox.extend_from_slice(&self.part[..count]),
            }
        }
    }

    /// Let the next read end at a deadline, or a tenth later: to say so to the socket costs as much as to read.
    fn wait_until(&mut self, deadline: Instant) -> Result<(), Error> {
        let left = left_until(deadline);
        if left > self.patience || left < self.patience.mul_f64(0.9) {
            self.patience = left;
            self.socket.socket().set_read_timeout(Some(left))?;
        }
        Ok(())
    }
}

/// Return what is left until a deadline; sockets take no time-out of nothing.
fn left_until(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now()).max(Duration::from_micros(1))
}

/// A client of one run.
pub struct Client {
    /// Number of the run; another one refuses what is meant for this one.
    pub run: u64,
    address: String,
    keys: Option<Keys>,
    link: Option<Link>,
    elsewhere: HashMap<String, Link>,
    timeout: Duration,
    number: u64,
    states: VecDeque<Message>,
    #[cfg(feature = "tokio")]
    script: Option<Script>,
}

/// The other side of a client without a connection: it notes what is asked, and hands out a reply if it has one.
#[cfg(feature = "tokio")]
struct Script {
    asked: Option<Message>,
    reply: Option<Message>,
}

/// Return where a client connects to: host:port, "" = what COOPSIM_TCP says, or 127.0.0.1:5571.
fn usual_address(address: &str) -> String {
    if !address.is_empty() {
        return address.to_string();
    }
    std::env::var("COOPSIM_TCP").unwrap_or_else(|_| "127.0.0.1:5571".to_string())
}

impl Client {
    /// Connect to host:port; "" stands for COOPSIM_TCP, or else 127.0.0.1:5571.
    pub fn connect(address: &str, timeout: Duration) -> Result<Self, Error> {
        Client::open(address, timeout, None)
    }

    /// Connect by TLS to a server with keys.
    #[cfg(feature = "tls")]
    pub fn connect_with_keys(address: &str, timeout: Duration, keys: Keys) -> Result<Self, Error> {
        Client::open(address, timeout, Some(keys))
    }

    fn open(address: &str, timeout: Duration, keys: Option<Keys>) -> Result<Self, Error> {
        let address = usual_address(address);
        let link = Link::connect(&address, timeout, keys.as_ref())?;
        let mut client = Client { address, keys, link: Some(link), ..Client::without_link(timeout) };
        client.run = client.run_there()?;
        Ok(client)
    }

    fn without_link(timeout: Duration) -> Self {
        Client {
            run: 0,
            address: String::new(),
            keys: None,
            link: None,
            elsewhere: HashMap::new(),
            timeout,
            number: 0,
            states: VecDeque::new(),
            #[cfg(feature = "tokio")]
            script: None,
        }
    }

    /// Return a client that notes what is asked, or hands out a reply.
    #[cfg(feature = "tokio")]
    fn scripted(reply: Option<Message>) -> Self {
        Client { script: Some(Script { asked: None, reply }), ..Client::without_link(Duration::ZERO) }
    }

    /// Return what was asked of a client with a script.
    #[cfg(feature = "tokio")]
    fn asked(self) -> Option<Message> {
        self.script?.asked
    }

    fn link(&mut self) -> Result<&mut Link, Error> {
        self.link.as_mut().ok_or_else(no_link)
    }

    /// End the connection; what is asked from now on finds it gone.
    fn hang_up(&self) {
        if let Some(link) = &self.link {
            let _ = link.socket.socket().shutdown(std::net::Shutdown::Both);
        }
    }

    /// Ask for the number of the run that is there.
    fn run_there(&mut self) -> Result<u64, Error> {
        match self.ask("/sim/clock", PING, &[], &[])?.params.get(1) {
            Some(Param::Int(run)) => Ok(*run as u64),
            _ => Ok(0),
        }
    }

    /// Connect anew, to the same run; `Refused` with 208 when another one is there, which a new client may drive.
    pub fn reconnect(&mut self) -> Result<(), Error> {
        let run = self.run;
        self.hang_up();
        self.elsewhere.clear();
        self.states.clear();
        self.link = Some(Link::connect(&self.address, self.timeout, self.keys.as_ref())?);
        self.run = 0;
        let there = self.run_there();
        self.run = run;
        let there = there?;
        if there == run {
            return Ok(());
        }
        self.hang_up();
        let text = format!("another run is at {}", self.address);
        Err(Error::Refused { number: WRONG_RUN, text, params: vec![Param::Int(there.into())] })
    }

    /// Ask with a time-out of its own, for writing and for the reply.
    pub fn ask_within(
        &mut self,
        timeout: Duration,
        target: &str,
        command: u64,
        params: &[Param],
        data: &[f64],
    ) -> Result<Message, Error> {
        let usual = std::mem::replace(&mut self.timeout, timeout);
        let reply = self.ask(target, command, params, data);
        self.timeout = usual;
        reply
    }

    /// Send a request and return its reply.
    pub fn ask(&mut self, target: &str, command: u64, params: &[Param], data: &[f64]) -> Result<Message, Error> {
        let (params, data) = (params.to_vec(), data.to_vec());
        let mut request =
            Message { target: target.to_string(), command, params, data, run: self.run, ..Default::default() };
        #[cfg(feature = "tokio")]
        if let Some(script) = &mut self.script {
            script.asked = Some(request);
            return script.reply.take().ok_or(Error::Silent);
        }
        let mut reply =
            if self.elsewhere.contains_key(target) { None } else { Some(self.exchange(&mut request, false)?) };
        if let Some(Message { error: ELSEWHERE, params, .. }) = &reply {
            if let Some(Param::Text(address)) = params.get(1) {
                let host = self.link()?.socket.socket().peer_addr()?.ip().to_string();
                let keys = self.keys.as_ref().filter(|_| address.starts_with("tls://"));
                let there = Link::connect(&address.replace("0.0.0.0", &host), self.timeout, keys)?;
                self.elsewhere.insert(target.to_string(), there);
                reply = None;
            }
        }
        request.run = 0; // is of the simulation, not of what is served elsewhere
        checked(reply.map_or_else(|| self.ask_elsewhere(&mut request), Ok)?)
    }

    /// Send several requests to the simulation, then wait for all replies, as a STEP in parts needs it.
    pub fn ask_all(&mut self, mut requests: Vec<Message>) -> Result<Vec<Message>, Error> {
        let deadline = Instant::now() + self.timeout;
        let first = self.number + 1;
        for request in &mut requests {
            self.number += 1;
            (request.id, request.run) = (self.number, self.run);
            let raw = encode(request);
            self.link()?.send(&raw, deadline)?;
        }
        let mut replies = std::collections::BTreeMap::new();
        while replies.len() < requests.len() {
            let message = read(self.link()?.receive(deadline)?)?;
            match self.sort(message) {
                Some(reply) if reply.id >= first => drop(replies.insert(reply.id, reply)),
                _ => continue, // what came too late for an earlier request
            }
        }
        replies.into_values().map(checked).collect()
    }

    /// Ask the server that a module has of its own; where that is gone, the next request asks where it is now.
    fn ask_elsewhere(&mut self, request: &mut Message) -> Result<Message, Error> {
        let reply = self.exchange(request, true);
        if matches!(reply, Err(ref problem) if !matches!(problem, Error::Silent)) {
            self.elsewhere.remove(&request.target);
        }
        reply
    }

    /// Wait for the next state of a topic that was subscribed to: `ask("/sim/info", 11, &[topic.into()], &[])`.
    pub fn state(&mut self) -> Result<Message, Error> {
        let deadline = Instant::now() + self.timeout;
        loop {
            if let Some(state) = self.states.pop_front() {
                return Ok(state);
            }
            let message = read(self.link()?.receive(deadline)?)?;
            self.sort(message);
        }
    }

    fn exchange(&mut self, request: &mut Message, is_elsewhere: bool) -> Result<Message, Error> {
        self.number += 1;
        request.id = self.number;
        let raw = encode(request);
        let deadline = Instant::now() + self.timeout;
        self.link_to(&request.target, is_elsewhere)?.send(&raw, deadline)?;
        loop {
            let message = read(self.link_to(&request.target, is_elsewhere)?.receive(deadline)?)?;
            match self.sort(message) {
                Some(reply) if reply.id == self.number => return Ok(reply),
                _ => continue, // what came too late for an earlier request
            }
        }
    }

    fn link_to(&mut self, target: &str, is_elsewhere: bool) -> Result<&mut Link, Error> {
        match self.elsewhere.get_mut(target).filter(|_| is_elsewhere) {
            Some(link) => Ok(link),
            None => self.link.as_mut().ok_or_else(no_link),
        }
    }

    /// Return a reply, keep a state.
    fn sort(&mut self, message: Option<Message>) -> Option<Message> {
        let message = message?;
        if message.id > 0 {
            return Some(message);
        }
        self.states.push_back(message);
        if self.states.len() > MOST_STATES {
            self.states.pop_front();
        }
        None
    }
}

/// Return a reply, or the refusal that it is.
fn checked(reply: Message) -> Result<Message, Error> {
    match reply.error {
        0 => Ok(reply),
        number => Err(Error::Refused { number, text: reply.text, params: reply.params }),
    }
}

fn no_link() -> Error {
    Error::Lost("there is no connection".to_string())
}

/// Return a message; an empty one is a probe.
fn read(raw: &[u8]) -> Result<Option<Message>, Error> {
    if raw.is_empty() {
        return Ok(None);
    }
    decode(raw).map(Some)
}
