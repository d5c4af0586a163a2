//! A client for programs on tokio, behind the feature `tokio`: any number of requests at a time, each ended by dropping it.
//!
//! ```no_run
//! use coopsim::{tokio::Client, DifferentialDrive, Sonars};
//! # async fn drive() -> Result<(), coopsim::Error> {
//! let sim = Client::connect("", std::time::Duration::from_secs(5)).await?;
//! let sonars = Sonars::new("/robot1/sonars");
//! let ranges = sim.call(|sim| sonars.ranges(sim)).await?.ranges; // any method of a module
//! let drive = DifferentialDrive::new("/robot1/motors");
//! tokio::try_join!(sim.call(|sim| drive.set_velocity(sim, ranges[0], 0.1)), sim.call(|sim| sonars.get_reach(sim)))?;
//! # Ok(()) }
//! ```

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot, Mutex as AsyncMutex, Notify};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::{decode, encode, usual_address, Error, Message, Param, ELSEWHERE, LARGEST, MOST_STATES, PING};

/// Requests that wait to be written; who asks more waits.
const OUTBOX: usize = 64;

/// A client of one run; clones share its connection.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    patience: Duration,
}

struct Shared {
    run: u64,
    link: Link,
    elsewhere: AsyncMutex<HashMap<String, Arc<Link>>>,
}

impl Client {
    /// Connect to host:port; "" stands for COOPSIM_TCP, or else 127.0.0.1:5571.
    pub async fn connect(address: &str, patience: Duration) -> Result<Self, Error> {
        let link = Link::connect(&usual_address(address), patience).await?;
        let ping = Message { target: "/sim/clock".to_string(), command: PING, ..Default::default() };
        let run = match link.exchange(ping, patience).await?.params.get(1) {
            Some(Param::Int(run)) => *run as u64,
            _ => 0,
        };
        Ok(Client { shared: Arc::new(Shared { run, link, elsewhere: AsyncMutex::default() }), patience })
    }

    /// Number of the run; another one refuses what is meant for this one.
    pub fn run(&self) -> u64 {
        self.shared.run
    }

    /// Return this client with another time-out.
    pub fn within(&self, patience: Duration) -> Self {
        Client { shared: self.shared.clone(), patience }
    }

    /// Call a method of a module: `sim.call(|sim| sonars.ranges(sim))`. The closure makes one request.
    pub async fn call<T>(&self, method: impl Fn(&mut crate::Client) -> Result<T, Error>) -> Result<T, Error> {
        // first it says what it asks, then it reads the reply
        let mut script = crate::Client::scripted(None);
        let outcome = method(&mut script);
        let Some(request) = script.asked() else { return outcome };
        let reply = self.ask(&request.target, request.command, &request.params, &request.data).await?;
        method(&mut crate::Client::scripted(Some(reply)))
    }

    /// Send a request and return its reply. Dropped, it is over; a reply that comes later goes by.
    pub async fn ask(&self, target: &str, command: u64, params: &[Param], data: &[f64]) -> Result<Message, Error> {
        let (params, data) = (params.to_vec(), data.to_vec());
        let mut request = Message { target: target.to_string(), command, params, data, ..Default::default() };
        let there = self.shared.elsewhere.lock().await.get(target).cloned();
        let there = match there {
            Some(link) => link,
            None => {
                request.run = self.shared.run;
                let reply = self.shared.link.exchange(request.clone(), self.patience).await?;
                let address = match (reply.error, reply.params.get(1)) {
                    (ELSEWHERE, Some(Param::Text(address))) => address.replace("0.0.0.0", &self.shared.link.host),
                    _ => return checked(reply),
                };
                let link = Arc::new(Link::connect(&address, self.patience).await?);
                self.shared.elsewhere.lock().await.insert(target.to_string(), link.clone());
                link
            }
        };
        request.run = 0; // is of the simulation, not of what is served elsewhere
        let reply = there.exchange(request, self.patience).await;
        if matches!(reply, Err(ref problem) if !matches!(problem, Error::Silent)) {
            // where that is gone, the next request asks where it is now
            self.shared.elsewhere.lock().await.remove(target);
        }
        checked(reply?)
    }

    /// Wait for the next state of a topic that was subscribed to: `ask("/sim/info", 11, &[topic.into()], &[])`.
    pub async fn state(&self) -> Result<Message, Error> {
        timeout(self.patience, self.shared.link.state()).await.map_err(|_| Error::Silent)?
    }
}

fn checked(reply: Message) -> Result<Message, Error> {
    match reply.error {
        0 => Ok(reply),
        number => Err(Error::Refused { number, text: reply.text, params: reply.params }),
    }
}

/// What the tasks of a connection and those who ask share.
#[derive(Default)]
struct Inbox {
    waiting: HashMap<u64, oneshot::Sender<Message>>,
    states: VecDeque<Message>,
    problem: Option<String>, // why the connection is over
    is_malformed: bool,
}

impl Inbox {
    fn end(&self) -> Option<Error> {
        let why = self.problem.clone()?;
        Some(if self.is_malformed { Error::Malformed(why) } else { Error::Lost(why) })
    }
}

#[derive(Default)]
struct Desk {
    inbox: Mutex<Inbox>,
    news: Notify,
}

impl Desk {
    /// A task that panicked while it held the lock has left nothing half done.
    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, problem: Error) {
        let mut inbox = self.inbox();
        if inbox.problem.is_none() {
            inbox.is_malformed = matches!(problem, Error::Malformed(_));
            inbox.problem = Some(match problem {
                Error::Lost(why) | Error::Malformed(why) => why,
                other => other.to_string(),
            });
        }
        inbox.waiting.clear(); // who waits for one of them learns of it
        self.news.notify_waiters();
    }
}

/// A connection, with a task that reads and one that writes.
struct Link {
    host: String,
    number: AtomicU64,
    outbox: mpsc::Sender<Vec<u8>>,
    desk: Arc<Desk>,
    tasks: [JoinHandle<()>; 2],
}

impl Drop for Link {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Link {
    async fn connect(address: &str, patience: Duration) -> Result<Self, Error> {
        let place = address.trim_start_matches("tcp://");
        if place.starts_with("tls://") {
            return Err(Error::Lost(format!("{address} has keys, which the client that blocks knows")));
        }
        let lost = |problem: std::io::Error| Error::Lost(problem.to_string());
        let socket = timeout(patience, TcpStream::connect(place)).await.map_err(|_| Error::Silent)?.map_err(lost)?;
        socket.set_nodelay(true)?;
        let host = socket.peer_addr()?.ip().to_string();
        let (reading, writing) = socket.into_split();
        let (outbox, to_write) = mpsc::channel(OUTBOX);
        let desk = Arc::new(Desk::default());
        let tasks = [tokio::spawn(read(reading, desk.clone())), tokio::spawn(write(writing, to_write, desk.clone()))];
        Ok(Link { host, number: AtomicU64::new(0), outbox, desk, tasks })
    }

    async fn exchange(&self, mut request: Message, patience: Duration) -> Result<Message, Error> {
        request.id = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        let (told, reply) = oneshot::channel();
        {
            let mut inbox = self.desk.inbox();
            if let Some(problem) = inbox.end() {
                return Err(problem);
            }
            inbox.waiting.insert(request.id, told);
        }
        let waiter = Waiter { desk: &self.desk, id: request.id };
        let outcome = timeout(patience, async {
            self.outbox.send(encode(&request)).await.ok();
            reply.await
        })
        .await;
        drop(waiter);
        match outcome {
            Ok(Ok(message)) => Ok(message),
            Ok(Err(_)) => Err(self.desk.inbox().end().unwrap_or(Error::Silent)),
            Err(_) => Err(Error::Silent),
        }
    }

    async fn state(&self) -> Result<Message, Error> {
        loop {
            let news = self.desk.news.notified();
            {
                let mut inbox = self.desk.inbox();
                if let Some(state) = inbox.states.pop_front() {
                    return Ok(state);
                }
                if let Some(problem) = inbox.end() {
                    return Err(problem);
                }
            }
            news.await;
        }
    }
}

/// Leaves the list of those who wait, however a request ends.
struct Waiter<'a> {
    desk: &'a Desk,
    id: u64,
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.desk.inbox().waiting.remove(&self.id);
    }
}

async fn write(mut socket: OwnedWriteHalf, mut outbox: mpsc::Receiver<Vec<u8>>, desk: Arc<Desk>) {
    while let Some(raw) = outbox.recv().await {
        let mut framed = Vec::with_capacity(4 + raw.len());
        framed.extend_from_slice(&(raw.len() as u32).to_be_bytes());
        framed.extend_from_slice(&raw);
        if let Err(problem) = socket.write_all(&framed).await {
            return desk.fail(Error::Lost(format!("nothing could be sent: {problem}")));
        }
    }
}

async fn read(mut socket: OwnedReadHalf, desk: Arc<Desk>) {
    loop {
        match next(&mut socket).await {
            Ok(None) => continue,
            Ok(Some(message)) if message.id == 0 => {
                let mut inbox = desk.inbox();
                if inbox.states.len() == MOST_STATES {
                    inbox.states.pop_front();
                }
                inbox.states.push_back(message);
                desk.news.notify_waiters();
            }
            Ok(Some(message)) => {
                let waiter = desk.inbox().waiting.remove(&message.id);
                if let Some(told) = waiter {
                    told.send(message).ok(); // who has left meanwhile wants it no more
                }
            }
            Err(problem) => return desk.fail(problem),
        }
    }
}

/// Return the next message; an empty one is a probe.
async fn next(socket: &mut OwnedReadHalf) -> Result<Option<Message>, Error> {
    let closed = |problem: std::io::Error| Error::Lost(format!("the connection was closed: {problem}"));
    let length = socket.read_u32().await.map_err(closed)? as usize;
    if length > LARGEST {
        return Err(Error::Malformed(format!("a length of {length} bytes")));
    }
    let mut raw = vec![0; length];
    socket.read_exact(&mut raw).await.map_err(closed)?;
    if raw.is_empty() {
        return Ok(None);
    }
    decode(&raw).map(Some)
}
