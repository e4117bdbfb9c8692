//! Workers that are processes, on one host or several: a dataflow of timely carries their
//! packets over sockets of our own, and each process gives signs of life.
//!
//! Timely (McSherry et al., Naiad: a timely dataflow system, SOSP 2013) is used for what it
//! knows best, when all that was sent has arrived; what happens between the supersteps is plain
//! Rust. What it does not do is done here: the processes find one another within a time, refuse
//! what is not of the run, notice a process that is gone or silent, and tell why.
//!
//! A process of a run that has failed is to end: threads that wait for others stay.

mod connect;
mod flow;
mod hello;
mod life;
mod packet;

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::Error;
use crate::worker::{Receive, Send, Worker};
use flow::Flow;
use hello::{Hello, Socket};
use life::Life;

pub use hello::Fingerprint;
pub use life::{BEAT, Failure};

/// What a process needs to know of its run.
pub struct Options {
    /// The addresses of all processes, `HOST:PORT`, in the order of their numbers.
    pub addresses: Vec<String>,
    /// The number of this one.
    pub index: usize,
    /// Where it listens; at its address if there is none.
    pub listener: Option<TcpListener>,
    /// What only processes of this run know.
    pub run: u64,
    /// What has to be equal at all of them; none if this one fails, and comes only to
    /// [tell](LastWords::tell) why.
    pub fingerprint: Option<Fingerprint>,
    /// All have to be there after so much time.
    pub start_within: Duration,
    /// A process that gives no sign of life for so long is lost: a few times [`BEAT`] at least.
    pub lost_after: Duration,
    /// The bytes of a packet, about.
    pub chunk: usize,
    /// So many chunks of this process may be on their way at once.
    pub window: u32,
    /// Is told what has ended the run, in any thread, before a superstep fails of it. It may
    /// end the process.
    pub on_failure: Box<dyn Fn(&Failure) + std::marker::Send + Sync>,
    /// Is told of connections that were refused, in any thread.
    pub tell: Arc<dyn Fn(&str) + std::marker::Send + Sync>,
}

hyades_base::opaque!(Options: addresses, index);

impl Options {
    /// Bytes of a packet that suit most runs.
    pub const CHUNK: usize = 1 << 18;

    /// Chunks on their way that suit most runs: 4 MiB a sender at one receiver.
    pub const WINDOW: u32 = 16;

    /// What is said first to a process.
    fn hello(&self, to: usize) -> Hello {
        Hello {
            run: self.run,
            index: self.index as u32,
            to: to as u32,
            processes: self.addresses.len() as u32,
            socket: Socket::Data,
            fingerprint: self.fingerprint,
        }
    }
}

/// What a worker has sent to others and heard of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// Supersteps.
    pub supersteps: u64,
    /// Packets sent.
    pub packets: u64,
    /// Bytes of packets sent.
    pub sent: u64,
    /// Bytes of packets received.
    pub received: u64,
    /// Nanoseconds in which it waited for others, or for packets.
    pub waited: u64,
}

/// A worker that is this process.
///
/// Dropped before [`finish`](Self::finish), it leaves the others to find that it is gone, unless
/// they were [told](LastWords::tell).
pub struct Process {
    index: usize,
    peers: usize,
    chunk: usize,
    /// None if there is no other process.
    run: Option<Run>,
    traffic: Traffic,
}

hyades_base::opaque!(Process);

struct Run {
    flow: Flow,
    life: Arc<Life>,
}

/// Tells other processes why this one ends; may outlive the worker.
#[derive(Clone)]
pub struct LastWords(Option<Arc<Life>>);

hyades_base::opaque!(LastWords);

impl LastWords {
    /// Tells all others that this process fails, with the exit status that it ends with. Only
    /// the first cause that is told counts.
    pub fn tell(&self, status: u8, cause: &str) {
        if let Some(life) = &self.0 {
            life.tell(status, cause);
        }
    }

    /// Tells all others that this process ends with status 3, as it has not enough memory.
    /// Allocates nothing and takes no lock, so that it works in an allocator.
    pub fn tell_out_of_memory(&self) {
        if let Some(life) = &self.0 {
            life.tell_out_of_memory();
        }
    }
}

impl Process {
    /// Comes together with the other processes of the run. To be called in the thread that is
    /// to work.
    ///
    /// # Errors
    /// [`Error::Start`] if not all come in time, or one of them is unequal.
    ///
    /// # Panics
    /// If there is no address with the number of this process.
    pub fn join(mut options: Options) -> Result<Self, Error> {
        let (index, peers) = (options.index, options.addresses.len());
        assert!(index < peers, "process {index} of {peers}");
        let run = match peers {
            1 => None,
            _ => {
                let pairs = connect::meet(&mut options)?;
                let (data, life): (Vec<_>, Vec<_>) = pairs
                    .into_iter()
                    .map(|pair| match pair {
                        Some(pair) => (Some(pair.data), Some(pair.life)),
                        None => (None, None),
                    })
                    .unzip();
                let life = Life::start(index, life, options.lost_after, options.on_failure)?;
                let limits = (options.chunk, options.window);
                let flow = Flow::new(index, data, limits, Arc::clone(&life));
                let flow = flow.inspect_err(|error| life.tell(3, &error.to_string()))?;
                Some(Run { flow, life })
            }
        };
        Ok(Self {
            index,
            peers,
            chunk: options.chunk,
            run,
            traffic: Traffic::default(),
        })
    }

    /// What tells the others if this process fails.
    pub fn last_words(&self) -> LastWords {
        LastWords(self.run.as_ref().map(|run| Arc::clone(&run.life)))
    }

    /// What has been sent and received so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Waits until all processes are done, and ends the run well.
    ///
    /// # Errors
    /// If another process is lost or fails before all have said that they are done.
    pub fn finish(mut self) -> Result<(), Error> {
        match self.run.take() {
            None => Ok(()),
            Some(run) => run.flow.finish(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(Run { flow, life }) = self.run.take() {
            // To take it apart waits for the others, or panics if one is gone.
            std::mem::forget(flow);
            if thread::panicking() {
                life.tell(2, "it has met an internal error");
            }
        }
    }
}

impl Worker for Process {
    fn index(&self) -> usize {
        self.index
    }

    fn peers(&self) -> usize {
        self.peers
    }

    fn chunk(&self) -> usize {
        self.chunk
    }

    fn superstep(
        &mut self,
        send: &mut dyn FnMut(&mut Send<'_>) -> Result<(), Error>,
        receive: &mut Receive<'_>,
    ) -> Result<(), Error> {
        let (me, traffic) = (self.index, &mut self.traffic);
        traffic.supersteps += 1;
        let Some(Run { flow, .. }) = &mut self.run else {
            return send(&mut |_, packet| receive(me, &packet));
        };
        let mut received = 0;
        let mut receive = |from: usize, packet: &[u8]| {
            received += if from == me { 0 } else { packet.len() as u64 };
            receive(from, packet).map_err(|error| match error {
                Error::Packet => Error::Unequal {
                    cause: format!(
                        "process {from} has sent what no process of a run sends: the network or \
                         the memory of a host may have changed it"
                    ),
                },
                error => error,
            })
        };
        flow.begin(&mut receive)?;
        send(&mut |to, packet| match to == me {
            true => receive(me, &packet),
            false => {
                traffic.packets += 1;
                traffic.sent += packet.len() as u64;
                flow.put(to, packet, &mut receive)
            }
        })?;
        let sent = Instant::now();
        flow.end(&mut receive)?;
        traffic.waited += sent.elapsed().as_nanos() as u64;
        traffic.received += received;
        Ok(())
    }
}

/// That threads or processes do not start, and what may be the matter.
pub fn not_started(what: &str, error: &io::Error) -> Error {
    let cause = match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => format!(
            "{what}: too little memory is left, or more threads than are allowed (ulimit -v, \
             ulimit -u)"
        ),
        _ => format!("{what}: {error}"),
    };
    Error::Start { cause }
}

/// Starts a thread that waits most of the time.
fn spawn(name: &str, work: impl FnOnce() + std::marker::Send + 'static) -> Result<(), Error> {
    let builder = thread::Builder::new().name(name.into());
    let started = builder.stack_size(1 << 18).spawn(work);
    started
        .map(drop)
        .map_err(|error| not_started("a thread does not start", &error))
}

#[cfg(test)]
mod tests;
