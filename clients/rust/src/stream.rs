//! A socket, with or without TLS.

use std::io::{Read, Result, Write};
use std::net::TcpStream;

use crate::Error;
#[cfg(feature = "tls")]
use crate::Keys;

/// No keys: without the feature `tls` there are none.
#[cfg(not(feature = "tls"))]
#[derive(Clone)]
pub(crate) enum Keys {}

pub(crate) enum Stream {
    Plain(TcpStream),
    #[cfg(feature = "tls")]
    Secured(Box<crate::keys::Secured>),
}

impl Stream {
    pub(crate) fn new(socket: TcpStream, keys: Option<&Keys>) -> std::result::Result<Self, Error> {
        match keys {
            None => Ok(Stream::Plain(socket)),
            #[cfg(feature = "tls")]
            Some(keys) => Ok(Stream::Secured(Box::new(keys.over(socket)?))),
            #[cfg(not(feature = "tls"))]
            Some(keys) => match *keys {},
        }
    }

    pub(crate) fn socket(&self) -> &TcpStream {
        match self {
            Stream::Plain(socket) => socket,
            #[cfg(feature = "tls")]
            Stream::Secured(session) => &session.sock,
        }
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        match self {
            Stream::Plain(socket) => socket.read(into),
            #[cfg(feature = "tls")]
            Stream::Secured(session) => session.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, from: &[u8]) -> Result<usize> {
        match self {
            Stream::Plain(socket) => socket.write(from),
            #[cfg(feature = "tls")]
            Stream::Secured(session) => session.write(from),
        }
    }

    fn flush(&mut self) -> Result<()> {
        match self {
            Stream::Plain(socket) => socket.flush(),
            #[cfg(feature = "tls")]
            Stream::Secured(session) => session.flush(),
        }
    }
}
