//! The dataflow that carries packets: one for the whole run, in which a superstep is a range of
//! times. A packet's time is the number of the superstep (the upper 32 bits) and of a piece of
//! what its sender sends in it (the lower ones).

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::net::TcpStream;
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::{
    CommsGuard, initialize_networking_from_sockets,
};
use timely::communication::allocator::{Allocator, ProcessBuilder};
use timely::communication::initialize::Hooks;
use timely::container::NoopBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Capability, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::scheduling::Activator;
use timely::worker::Worker as Dataflows;

use super::life::Life;
use super::not_started;
use super::packet::{Nothing, Packet, ToItsWorker};
use crate::Error;
use crate::worker::Receive;

/// Who waits looks this often whether the run has failed.
const LOOK: Duration = Duration::from_millis(100);

/// What has arrived, with what keeps the sender from going on: it knows that the packet is used
/// when this is dropped.
type Arrived = (Capability<u64>, Packet);

/// The dataflow of a worker.
pub(super) struct Flow {
    index: usize,
    chunk: usize,
    window: u64,
    life: Arc<Life>,
    dataflows: Dataflows,
    input: InputHandle<u64, NoopBuilder<Packet>>,
    probe: ProbeHandle<u64>,
    activator: Activator,
    arrived: Rc<RefCell<VecDeque<Arrived>>>,
    /// What has arrived of the next superstep.
    early: VecDeque<Arrived>,
    threads: CommsGuard,
    step: u64,
    /// The largest time of this superstep that has been seen.
    latest: u64,
    /// How many bytes have been sent in the present piece.
    sent: usize,
}

impl Flow {
    /// Makes the dataflow, over these sockets to the other processes.
    pub(super) fn new(
        index: usize,
        sockets: Vec<Option<TcpStream>>,
        (chunk, window): (usize, u32),
        life: Arc<Life>,
    ) -> Result<Self, Error> {
        hush();
        let hooks = Hooks::default();
        let inner = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
        let made = initialize_networking_from_sockets(inner, sockets, index, 1, hooks);
        let threads_fail = |error| not_started("the threads of sockets do not start", &error);
        let (builders, threads) = made.map_err(threads_fail)?;
        let builder = builders.into_iter().next();
        let builder = builder.ok_or_else(|| Error::Start {
            cause: "no worker was made".into(),
        })?;
        let allocator = Allocator::Tcp(builder.build());
        let config = WorkerConfig::default();
        let mut dataflows = Dataflows::new(config, allocator, Some(Instant::now()));
        let mut input = InputHandle::new_with_builder();
        let arrived: Rc<RefCell<VecDeque<Arrived>>> = Rc::default();
        let keep = Rc::clone(&arrived);
        let (probe, activator) = dataflows.dataflow(|scope| {
            let mut activator = None;
            let packets = input.to_stream(scope);
            let pact = DistributorPact(|_| ToItsWorker);
            let done =
                packets.unary::<NoopBuilder<Nothing>, _, _, _>(pact, "packets", |_, info| {
                    activator = Some(scope.activator_for(info.address));
                    move |input, _| {
                        input.for_each(|time, packet| {
                            // Times that were made by an input are never without an element.
                            if let Some(time) = time.retain_least(0) {
                                keep.borrow_mut().push_back((time, std::mem::take(packet)));
                            }
                        });
                    }
                });
            let (probe, _) = done.probe();
            (probe, activator)
        });
        Ok(Self {
            index,
            chunk,
            window: u64::from(window.max(1)),
            life,
            dataflows,
            input,
            probe,
            activator: activator.expect("made with the operator"),
            arrived,
            early: VecDeque::new(),
            threads,
            step: 0,
            latest: 0,
            sent: 0,
        })
    }

    /// Does what timely does in panics if another process is gone.
    fn tried<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Result<T, Error> {
        quietly(|| work(self)).ok_or_else(|| broken(&self.life))
    }

    /// Goes on a little, and waits if there is nothing to do.
    fn go_on(&mut self, wait: Duration) -> Result<(), Error> {
        self.tried(|flow| flow.dataflows.step_or_park(Some(wait)))?;
        self.life.check()
    }

    /// Tells what has arrived of this superstep.
    fn deliver(&mut self, receive: &mut Receive<'_>) -> Result<(), Error> {
        let mut told = false;
        loop {
            let next = self.arrived.borrow_mut().pop_front();
            let Some((time, packet)) = next else {
                break;
            };
            if *time >> 32 != self.step {
                self.early.push_back((time, packet));
                continue;
            }
            self.latest = self.latest.max(*time);
            if packet.from >= self.dataflows.peers() || packet.from == self.index {
                return Err(Error::Packet);
            }
            receive(packet.from, packet.bytes())?;
            told = true;
        }
        if told {
            self.activator.activate();
        }
        Ok(())
    }

    /// Begins a superstep.
    pub(super) fn begin(&mut self, receive: &mut Receive<'_>) -> Result<(), Error> {
        self.life.check()?;
        self.latest = self.step << 32;
        self.sent = 0;
        let early = std::mem::take(&mut self.early);
        // What arrived since comes behind: packets of a sender stay in their order.
        let mut arrived = self.arrived.borrow_mut();
        let since = std::mem::replace(&mut *arrived, early);
        arrived.extend(since);
        drop(arrived);
        self.deliver(receive)
    }

    /// Sends a packet to another worker, and waits as long as too much is on its way.
    pub(super) fn put(
        &mut self,
        to: usize,
        packet: Vec<u8>,
        receive: &mut Receive<'_>,
    ) -> Result<(), Error> {
        self.sent += packet.len();
        let mut packet = Packet::new(self.index, to, packet);
        self.tried(|flow| flow.input.send_batch(&mut packet))?;
        if self.sent < self.chunk {
            return Ok(());
        }
        self.sent = 0;
        // Who has less to send catches up with the others' times, and holds up nobody.
        let now = (*self.input.time() + 1).max(self.latest);
        self.tried(|flow| flow.input.advance_to(now))?;
        self.go_on(Duration::ZERO)?;
        self.deliver(receive)?;
        let oldest = now.saturating_sub(self.window).max(self.step << 32);
        while self.probe.less_than(&oldest) {
            self.go_on(LOOK)?;
            self.deliver(receive)?;
        }
        Ok(())
    }

    /// Ends a superstep: returns when all have sent what they had, and all has been told.
    pub(super) fn end(&mut self, receive: &mut Receive<'_>) -> Result<(), Error> {
        let end = (self.step + 1) << 32;
        self.tried(|flow| flow.input.advance_to(end))?;
        while self.probe.less_than(&end) {
            self.go_on(LOOK)?;
            self.deliver(receive)?;
        }
        self.step += 1;
        Ok(())
    }

    /// Ends the dataflow, after which no process needs this one.
    pub(super) fn finish(self) -> Result<(), Error> {
        let Self {
            life,
            mut dataflows,
            input,
            threads,
            early,
            arrived,
            ..
        } = self;
        let running = &life;
        let ended = quietly(move || {
            // These would keep the dataflow from its end.
            drop((early, arrived));
            drop(input);
            while dataflows.has_dataflows() {
                dataflows.step_or_park(Some(LOOK));
                if running.check().is_err() {
                    // To take it apart would wait for the others.
                    std::mem::forget(dataflows);
                    return;
                }
            }
        });
        if ended.is_none() {
            std::mem::forget(threads);
            return Err(broken(&life));
        }
        if let Err(error) = life.check().and_then(|()| life.leave()) {
            std::mem::forget(threads);
            return Err(error);
        }
        // All have all: if one of these threads has met the end of another process, that is
        // none too early.
        let _ = quietly(move || drop(threads));
        life.close();
        Ok(())
    }
}

/// Runs what timely does in panics if another process is gone; none if it panics.
fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    let before = IS_TIMELYS.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    IS_TIMELYS.set(before);
    result.ok()
}

thread_local! {
    /// Whether a panic in this thread is timely's way to say that another process is gone.
    static IS_TIMELYS: Cell<bool> = const { Cell::new(false) };
}

/// What the last panic of timely's own threads said, and in which.
static LAST: Mutex<Option<(String, String)>> = Mutex::new(None);

/// Timely's threads panic if a connection breaks: from now on they do so silently, as the cause
/// is told otherwise.
fn hush() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let this = thread::current();
            let name = this.name().unwrap_or_default();
            let is_sockets = name.starts_with("timely:");
            if !is_sockets && !IS_TIMELYS.get() {
                return others(info);
            }
            if is_sockets {
                let payload = info.payload();
                let text = payload
                    .downcast_ref::<String>()
                    .cloned()
                    .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).into()));
                let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
                last.get_or_insert_with(|| (name.to_owned(), text.unwrap_or_default()));
            }
        }));
    });
}

/// What has made timely panic.
fn broken(life: &Life) -> Error {
    match last_panic() {
        Some((process, cause)) => life.broken(process, &cause),
        // The connections are whole, but not what has come by one of them.
        None => Error::Packet,
    }
}

/// The process at the other end of the connection that broke first, and what was said of it.
fn last_panic() -> Option<(usize, String)> {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let (thread, text) = last.as_ref()?;
    let number = thread.rsplit_once('-')?.1.parse().ok()?;
    let cause = match text.strip_prefix("timely communication error: ") {
        Some(text) => format!("its connection for packets broke: {text}"),
        // It has stumbled over what has come.
        None => "it has sent what no process of a run sends".into(),
    };
    Some((number, cause))
}
