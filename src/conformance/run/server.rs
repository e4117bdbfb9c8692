//! Servers under test, at a socket.

use std::fmt;
use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use super::SystemError;
use super::lines::Lines;
use super::protocol::Protocol;
use super::remote::{Remote, Transport};

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `HOST:PORT`.
    Tcp(String),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => f.write_str(address),
            Address::Unix(path) => path.display().fmt(f),
        }
    }
}

/// A server that is connected to, as often as need be.
#[derive(Debug)]
pub struct Server {
    address: Address,
}

impl Server {
    /// The server that listens there.
    pub fn new(address: Address) -> Self {
        Self { address }
    }

    /// The system under test that speaks this protocol.
    pub fn speaking(self, protocol: Protocol) -> Remote<Self> {
        Remote::new(self, protocol)
    }

    fn connect(&self, protocol: &Protocol) -> io::Result<Lines> {
        let (from, to): (OwnedFd, OwnedFd) = match &self.address {
            Address::Tcp(address) => {
                let stream = tcp(address, protocol)?;
                // Each line is waited for.
                stream.set_nodelay(true)?;
                (stream.try_clone()?.into(), stream.into())
            }
            Address::Unix(path) => {
                let stream = UnixStream::connect(path)?;
                (stream.try_clone()?.into(), stream.into())
            }
        };
        Lines::new(from, to, protocol.max_line)
    }
}

/// Tries the addresses of a name one after the other.
fn tcp(address: &str, protocol: &Protocol) -> io::Result<TcpStream> {
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in address.to_socket_addrs()? {
        let stream = match protocol.start_timeout {
            Some(time) => TcpStream::connect_timeout(&address, time),
            None => TcpStream::connect(address),
        };
        match stream {
            Ok(stream) => return Ok(stream),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

impl Transport for Server {
    fn open(&mut self, protocol: &Protocol) -> Result<Lines, SystemError> {
        self.connect(protocol).map_err(|error| SystemError::Start {
            what: format!("a connection to {}", self.address),
            error,
        })
    }

    // A connection is closed when its `Lines` are dropped.
    fn close(&mut self) {}

    fn abandon(&mut self) {}

    fn ended(&mut self, _has_answered: bool) -> SystemError {
        SystemError::Ended(format!("{} has closed the connection", self.address))
    }
}
