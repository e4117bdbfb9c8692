//! The sockets between the processes of a run: two for each pair of them, one for packets and
//! one for signs of life. The process with the larger number connects.

use std::collections::HashSet;
use std::io::{self, Read};
use std::iter;
use std::net::{
    IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs,
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hyades_formats::diagnostic::excerpt;

use super::hello::{Answer, Hello, LENGTH, NoHello, Socket};
use super::life::{self, Failure};
use super::{Options, spawn};
use crate::Error;

/// Who connects has so much time to say who he is.
const PATIENCE: Duration = Duration::from_secs(5);

/// After so much time it is tried again to reach a process that is not there yet.
const PAUSE: Duration = Duration::from_millis(20);

/// Those that have come are listened to this often.
const LISTEN: Duration = Duration::from_millis(100);

/// Who ends because of an unequal process awaits the others so long, to tell them.
const FAREWELL: Duration = Duration::from_secs(2);

/// So many refusals are told at the most, each once for each address.
const TOLD: usize = 100;

/// So many connections at once may leave us waiting for what they are, beyond those of the run.
const STRAYS: usize = 64;

/// The sockets to another process.
pub(super) struct Pair {
    pub data: TcpStream,
    pub life: TcpStream,
}

/// What happens while processes come together.
enum Event {
    /// A socket to this process is there.
    Came(usize, Socket, TcpStream),
    /// This process cannot be of the run.
    Unequal(usize, String),
    /// This process has not been reached so far.
    NotYet(usize, NotYet),
}

/// Comes together with the other processes: the sockets to each of them, in their order, and
/// none to this process itself.
pub(super) fn meet(options: &mut Options) -> Result<Vec<Option<Pair>>, Error> {
    let count = options.addresses.len();
    let deadline = Instant::now() + options.start_within;
    let (events, happened) = channel();
    let is_over = Arc::new(AtomicBool::new(false));
    // Set when this is left, so that all threads end soon.
    let _over = SetOnDrop(Arc::clone(&is_over));
    begin(options, deadline, events, &is_over)?;
    let mut meeting = Meeting {
        options,
        deadline,
        happened: &happened,
        sockets: (0..count).map(|_| [None, None]).collect(),
        causes: vec![None; count],
    };
    while meeting.any_missing(&[]) {
        if let Err(failed) = meeting.next() {
            return Err(meeting.fail(failed));
        }
    }
    Ok(meeting.pairs())
}

/// Starts the threads that let those in who connect to this process, and those that connect to
/// others. They tell what happens until it is over.
fn begin(
    options: &mut Options,
    deadline: Instant,
    events: Sender<Event>,
    is_over: &Arc<AtomicBool>,
) -> Result<(), Error> {
    let count = options.addresses.len();
    if options.index + 1 < count {
        let listener = match options.listener.take() {
            Some(listener) => listener,
            None => listen(options)?,
        };
        let welcome = Door {
            own: options.hello(options.index),
            addresses: options.addresses.clone(),
            events: events.clone(),
            tell: Arc::clone(&options.tell),
            waiting: Arc::new(AtomicUsize::new(0)),
            has_come: Arc::new(Mutex::new(vec![[false; 2]; count])),
            refused: Arc::default(),
        };
        let is_over = Arc::clone(is_over);
        spawn("cluster:accept", move || {
            accept(&listener, &welcome, &is_over)
        })?;
    }
    for other in 0..options.index {
        let call = Call {
            own: options.hello(other),
            addresses: options.addresses.clone(),
            other,
            deadline,
            is_over: Arc::clone(is_over),
        };
        let events = events.clone();
        spawn("cluster:connect", move || call.run(&events))?;
    }
    Ok(())
}

/// What is there of the processes while they come together.
struct Meeting<'m> {
    options: &'m Options,
    /// When all have to be there.
    deadline: Instant,
    happened: &'m Receiver<Event>,
    /// The sockets to each process.
    sockets: Vec<[Option<TcpStream>; 2]>,
    /// Why each has not been reached so far.
    causes: Vec<Option<NotYet>>,
}

/// Why nothing comes of a run.
enum Failed {
    /// What this process has found.
    Here(Error),
    /// That this one and another are unequal.
    Unequal(usize, String),
    /// What another one has said.
    There(Failure),
}

impl Meeting<'_> {
    /// Whether a socket to another process is not there yet.
    fn is_missing(&self, other: usize) -> bool {
        other != self.options.index && self.sockets[other].iter().any(Option::is_none)
    }

    /// Whether one is not there yet to any but these.
    fn any_missing(&self, but: &[usize]) -> bool {
        (0..self.sockets.len()).any(|other| self.is_missing(other) && !but.contains(&other))
    }

    /// Awaits what happens next.
    ///
    /// # Errors
    /// If nothing comes of the run.
    fn next(&mut self) -> Result<(), Failed> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match self.happened.recv_timeout(left.min(LISTEN)) {
            Ok(Event::Came(other, socket, stream)) => {
                self.sockets[other][socket as usize].get_or_insert(stream);
                Ok(())
            }
            Ok(Event::NotYet(other, cause)) => {
                // What was answered says more than that there was no answer later.
                let is_kept = matches!(self.causes[other], Some(NotYet::Answered(_)))
                    && matches!(cause, NotYet::Unreachable(_));
                if !is_kept {
                    self.causes[other] = Some(cause);
                }
                Ok(())
            }
            Ok(Event::Unequal(other, cause)) => Err(Failed::Unequal(other, cause)),
            Err(RecvTimeoutError::Timeout) if left > LISTEN => match self.overheard() {
                Some(failure) => Err(Failed::There(failure)),
                None => Ok(()),
            },
            // Threads that connect end at the deadline.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let cause = self.not_come();
                Err(Failed::Here(Error::Start { cause }))
            }
        }
    }

    /// What one has said who has failed. Others may have all sockets: they await signs of life,
    /// and may have failed meanwhile.
    fn overheard(&mut self) -> Option<Failure> {
        let life = (0..).zip(&mut self.sockets);
        let mut life = life.filter_map(|(other, [_, life])| Some((other, life.as_mut()?)));
        life.find_map(|(other, life)| {
            life::give_sign(life);
            life::overheard(other, life)
        })
    }

    /// Tells those who have come why nothing comes of the run.
    fn fail(&mut self, failed: Failed) -> Error {
        let process = self.options.index;
        let here = |status, error: &Error| Failure {
            process,
            status: Some(status),
            cause: error.to_string(),
        };
        match failed {
            Failed::Here(error) => {
                self.tell(&here(3, &error));
                error
            }
            Failed::Unequal(unequal, cause) => {
                let error = Error::Unequal { cause };
                let told = here(2, &error);
                self.tell(&told);
                self.tell_late(unequal, &told);
                error
            }
            Failed::There(failure) => {
                self.tell(&failure);
                failure.into()
            }
        }
    }

    fn tell(&mut self, failure: &Failure) {
        let reached = self.sockets.iter_mut();
        life::tell_early(reached.filter_map(|[_, life]| life.as_mut()), failure);
    }

    /// Awaits those who have not come yet, but for unequal ones, of which this is the first, to
    /// tell them.
    fn tell_late(&mut self, unequal: usize, told: &Failure) {
        let mut unequal = vec![unequal];
        let end = self.deadline.min(Instant::now() + FAREWELL);
        while self.any_missing(&unequal) {
            let left = end.saturating_duration_since(Instant::now());
            match self.happened.recv_timeout(left) {
                Ok(Event::Came(other, socket, stream)) => {
                    let stream = self.sockets[other][socket as usize].insert(stream);
                    if socket == Socket::Life {
                        life::tell_early(iter::once(stream), told);
                    }
                }
                Ok(Event::Unequal(other, _)) => unequal.push(other),
                Ok(Event::NotYet(..)) => {}
                Err(_) => break,
            }
        }
    }

    /// That processes have not come until the deadline, and what is known of it.
    fn not_come(&self) -> String {
        let options = self.options;
        let missing = (0..self.sockets.len()).filter(|&other| self.is_missing(other));
        let missing: Vec<usize> = missing.collect();
        let shown: Vec<String> = missing
            .iter()
            .take(8)
            .map(|&other| {
                let address = &options.addresses[other];
                match &self.causes[other] {
                    Some(NotYet::Answered(cause) | NotYet::Unreachable(cause)) => {
                        format!("process {other} ({address}): {cause}")
                    }
                    None => format!("process {other} ({address})"),
                }
            })
            .collect();
        let more = match missing.len() - shown.len() {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let verb = if missing.len() == 1 { "has" } else { "have" };
        format!(
            "{} of {} processes {verb} not come within {} s: {}{more}",
            missing.len(),
            options.addresses.len(),
            options.start_within.as_secs_f64(),
            shown.join("; ")
        )
    }

    /// The sockets to each process that has both.
    fn pairs(self) -> Vec<Option<Pair>> {
        let pair = |[data, life]: [Option<TcpStream>; 2]| {
            Some(Pair {
                data: data?,
                life: life?,
            })
        };
        self.sockets.into_iter().map(pair).collect()
    }
}

struct SetOnDrop(Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Listens at the address of this process; at all of this host, if others cannot come there.
fn listen(options: &Options) -> Result<TcpListener, Error> {
    let address = &options.addresses[options.index];
    let bound = match local_port(&options.addresses, options.index) {
        None => TcpListener::bind(address),
        Some(port) => {
            let of = |ip: IpAddr| SocketAddr::from((ip, port));
            let all = [Ipv6Addr::UNSPECIFIED.into(), Ipv4Addr::UNSPECIFIED.into()].map(of);
            let bound = TcpListener::bind(&all[..]);
            if bound.is_ok() {
                (options.tell)(&format!(
                    "{address} is an address that only this host reaches (see /etc/hosts): process \
                     {} listens at all addresses",
                    options.index
                ));
            }
            bound
        }
    };
    bound.map_err(|error| Error::Start {
        cause: format!(
            "process {} cannot listen at its address {}: {error}",
            options.index,
            excerpt(address.as_bytes())
        ),
    })
}

/// The port of a process whose address only its own host reaches, as the name of a host often
/// stands for 127.0.1.1 there, while those of others are not such.
fn local_port(addresses: &[String], index: usize) -> Option<u16> {
    let is_local = |address: &str| {
        let mut all = address.to_socket_addrs().ok()?.peekable();
        all.peek()?;
        Some(all.all(|address| address.ip().is_loopback()))
    };
    let own = &addresses[index];
    let mut others = addresses.iter().filter(|&address| address != own);
    // One that is not known here is none of this host.
    let is_alone = is_local(own)? && others.any(|other| is_local(other) != Some(true));
    let port = own.rsplit_once(':')?.1.parse().ok()?;
    is_alone.then_some(port)
}

/// Who lets others in.
#[derive(Clone)]
struct Door {
    own: Hello,
    addresses: Vec<String>,
    events: Sender<Event>,
    tell: Arc<dyn Fn(&str) + Send + Sync>,
    /// How many connections have not said yet what they are.
    waiting: Arc<AtomicUsize>,
    /// Which sockets are there.
    has_come: Arc<Mutex<Vec<[bool; 2]>>>,
    /// Which addresses have been refused for what: they may try again and again.
    refused: Arc<Mutex<HashSet<(IpAddr, String)>>>,
}

/// Takes connections until all have come.
fn accept(listener: &TcpListener, door: &Door, is_over: &AtomicBool) {
    if listener.set_nonblocking(true).is_err() {
        return;
    }
    while !is_over.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((stream, from)) => {
                let most = STRAYS + 2 * door.addresses.len();
                if door.waiting.fetch_add(1, Ordering::Relaxed) >= most {
                    door.waiting.fetch_sub(1, Ordering::Relaxed);
                    continue;
                }
                let guest = door.clone();
                // Who is silent does not keep others waiting.
                let started = spawn("cluster:accept", move || {
                    guest.open(stream, from);
                    guest.waiting.fetch_sub(1, Ordering::Relaxed);
                });
                if started.is_err() {
                    door.waiting.fetch_sub(1, Ordering::Relaxed);
                }
            }
            // Nobody is there, or no descriptor is left for the moment.
            Err(_) => thread::sleep(PAUSE / 4),
        }
    }
}

impl Door {
    /// Lets in who is of this run.
    fn open(&self, mut stream: TcpStream, from: SocketAddr) {
        let refuse = |why: &dyn std::fmt::Display| self.refuse(from, why.to_string());
        if prepare(&stream).is_err() {
            return;
        }
        let hello = match Hello::read(&mut stream) {
            Ok(hello) => hello,
            Err(error) => {
                if let NoHello::Version(_) = error {
                    self.tell_version(&mut stream);
                }
                return refuse(&error);
            }
        };
        let differences = self.own.differences(&hello);
        let index = hello.index as usize;
        let is_awaited = (self.own.index as usize + 1..self.addresses.len()).contains(&index);
        let is_meant = hello.to == self.own.index;
        let answer = match () {
            () if hello.run != self.own.run => Answer::OtherRun,
            () if !differences.is_empty() => Answer::Unequal,
            () if !is_meant || !is_awaited => Answer::NotAwaited,
            () if self.mark(index, hello.socket, true) => Answer::NotAwaited,
            () => Answer::Welcome,
        };
        // What is unequal is found by the other one too, who has to know the run for that.
        let own = Hello {
            to: hello.index,
            ..self.own
        };
        let own = match answer {
            Answer::OtherRun => Hello {
                run: 0,
                fingerprint: None,
                ..own
            },
            Answer::Welcome | Answer::Unequal | Answer::NotAwaited => own,
        };
        let told = own
            .write(&mut stream)
            .and_then(|()| answer.write(&mut stream));
        match answer {
            Answer::Welcome => {
                let awaits = |()| stream.set_read_timeout(None).map(|()| stream);
                match told.and_then(awaits) {
                    // If nobody waits any more, it has failed already.
                    Ok(stream) => drop(self.events.send(Event::Came(index, hello.socket, stream))),
                    Err(error) => {
                        self.mark(index, hello.socket, false);
                        refuse(&error)
                    }
                }
            }
            Answer::OtherRun => refuse(&"it is of another run"),
            // It ends, as the next one does.
            Answer::NotAwaited if !is_meant && is_awaited => {
                let own = self.own.index as usize;
                let cause = elsewhere(own, &self.addresses[own], hello.to, index);
                let _ = self.events.send(Event::Unequal(index, cause));
            }
            Answer::NotAwaited => refuse(&format!(
                "it is process {index}, which is here already, or does not connect to process {}",
                self.own.index
            )),
            // It ends, so that the run cannot begin.
            Answer::Unequal => {
                let cause = self.unequal(&hello, from);
                let _ = self.events.send(Event::Unequal(index, cause));
            }
        }
    }

    /// Says to a process of another version which one this is, and nothing else of the run.
    fn tell_version(&self, stream: &mut TcpStream) {
        let own = Hello {
            run: 0,
            fingerprint: None,
            ..self.own
        };
        if own.write(stream).is_ok() && stream.shutdown(Shutdown::Write).is_ok() {
            // What is unread when it is closed would take back what has been said.
            let _ = stream.read(&mut [0; LENGTH]);
        }
    }

    /// Tells that a connection is refused, unless the same has been told of its address.
    fn refuse(&self, from: SocketAddr, why: String) {
        let text = format!("refused a connection from {from}: {why}");
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() < TOLD && refused.insert((from.ip(), why)) {
            (self.tell)(&text);
        }
    }

    /// Notes whether a socket is there, and tells whether it was.
    fn mark(&self, index: usize, socket: Socket, is_there: bool) -> bool {
        let mut has_come = self.has_come.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut has_come[index][socket as usize], is_there)
    }

    fn unequal(&self, other: &Hello, from: SocketAddr) -> String {
        let (own, index) = (self.own.index as usize, other.index as usize);
        // Where it comes from is a port that the system has picked.
        let address = self.addresses.get(index).cloned();
        unequal(
            (own, &self.addresses[own]),
            (index, &address.unwrap_or_else(|| from.to_string())),
            &self.own.differences(other),
        )
    }
}

fn unequal(a: (usize, &str), b: (usize, &str), differences: &[&str]) -> String {
    format!(
        "processes {} ({}) and {} ({}) differ in their {}: start all with the same",
        a.0,
        a.1,
        b.0,
        b.1,
        differences.join(", ")
    )
}

/// That a process is not the one which another one looks for at an address.
fn elsewhere(found: usize, address: &str, sought: u32, by: usize) -> String {
    format!(
        "process {found} answers at the address of process {sought} ({address}) in the host file \
         of process {by}: give all processes the same host file (-h)"
    )
}

/// Sets what all sockets have.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))
}

/// Reaches another process.
struct Call {
    own: Hello,
    addresses: Vec<String>,
    other: usize,
    deadline: Instant,
    is_over: Arc<AtomicBool>,
}

impl Call {
    fn run(&self, events: &Sender<Event>) {
        for socket in [Socket::Data, Socket::Life] {
            loop {
                if self.is_over.load(Ordering::Relaxed) || Instant::now() >= self.deadline {
                    return;
                }
                let (event, is_last) = match self.connect(socket) {
                    Ok(stream) => (Event::Came(self.other, socket, stream), true),
                    Err(Refusal::Unequal(cause)) => (Event::Unequal(self.other, cause), true),
                    Err(Refusal::NotYet(cause)) => (Event::NotYet(self.other, cause), false),
                };
                if events.send(event).is_err() {
                    return;
                }
                if is_last {
                    break;
                }
                thread::sleep(PAUSE);
            }
        }
    }

    fn connect(&self, socket: Socket) -> Result<TcpStream, Refusal> {
        let address = &self.addresses[self.other];
        let mut stream = reach(address, self.deadline)?;
        prepare(&stream)?;
        let own = Hello { socket, ..self.own };
        own.write(&mut stream)?;
        let other = Hello::read(&mut stream)?;
        let answer = Answer::read(&mut stream)?;
        // What sends back all that it gets is no process.
        if other.to != own.index {
            return Err(NoHello::Stray.into());
        }
        if other.run == own.run && other.index != own.to {
            let (found, me) = (other.index as usize, own.index as usize);
            return Err(Refusal::Unequal(elsewhere(found, address, own.to, me)));
        }
        match answer {
            Answer::Welcome if other.run != own.run => Err(NoHello::Stray.into()),
            Answer::Welcome => {
                stream.set_read_timeout(None)?;
                Ok(stream)
            }
            // It may be about to end.
            Answer::OtherRun => Err(Refusal::NotYet(NotYet::Answered(
                "a process of another run has this address: one with another --run-id or, without, \
                 with another host file (-h), or one in which a name is spelled otherwise"
                    .into(),
            ))),
            Answer::NotAwaited => Err(Refusal::Unequal(format!(
                "process {} ({address}) has a process {} already, or does not await it",
                other.index, own.index
            ))),
            Answer::Unequal => {
                let me = own.index as usize;
                Err(Refusal::Unequal(unequal(
                    (me, &self.addresses[me]),
                    (other.index as usize, address),
                    &own.differences(&other),
                )))
            }
        }
    }
}

/// Why another process was not reached.
enum Refusal {
    /// It may be later.
    NotYet(NotYet),
    /// It will not be.
    Unequal(String),
}

/// Why another process was not reached yet.
#[derive(Clone)]
enum NotYet {
    /// Something else answers at its address.
    Answered(String),
    /// Nothing does.
    Unreachable(String),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Refusal::NotYet(NotYet::Unreachable(error.to_string()))
    }
}

impl From<NoHello> for Refusal {
    fn from(error: NoHello) -> Self {
        let cause = error.to_string();
        Refusal::NotYet(match error {
            NoHello::Io(_) => NotYet::Unreachable(cause),
            NoHello::Stray | NoHello::Version(_) => NotYet::Answered(cause),
        })
    }
}

/// Connects to an address, any of those that its name has.
fn reach(address: &str, deadline: Instant) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in address.to_socket_addrs()? {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = left.clamp(Duration::from_millis(1), PATIENCE);
        match TcpStream::connect_timeout(&address, left) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use super::{Options, listen, local_port};

    #[test]
    fn names_that_only_their_host_knows_are_no_addresses_for_others() {
        let port = |addresses: &[&str], index| {
            let addresses: Vec<String> = addresses.iter().map(|&text| text.into()).collect();
            local_port(&addresses, index)
        };
        // 192.0.2.0/24 is nobody's.
        let mixed = ["localhost:4001", "192.0.2.1:4002", "127.0.1.1:4003"];
        assert_eq!(port(&mixed, 0), Some(4001));
        assert_eq!(port(&mixed, 1), None);
        assert_eq!(port(&mixed, 2), Some(4003));
        let local = ["localhost:4001", "127.0.0.1:4002", "[::1]:4003"];
        assert_eq!([0, 1, 2].map(|index| port(&local, index)), [None; 3]);
        assert_eq!(port(&["localhost:1", "no.such.host.invalid:2"], 0), Some(1));
        assert_eq!(port(&["0.0.0.0:4001", "192.0.2.1:4002"], 0), None);
    }

    #[test]
    fn who_has_such_a_name_listens_at_all_addresses() {
        let free = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let told = Arc::new(Mutex::new(Vec::new()));
        for (other, is_everywhere) in [("127.0.0.1:1", false), ("192.0.2.1:1", true)] {
            let told = Arc::clone(&told);
            let options = Options {
                addresses: vec![format!("localhost:{port}"), other.into()],
                index: 0,
                listener: None,
                run: 7,
                fingerprint: None,
                start_within: Duration::ZERO,
                lost_after: Duration::ZERO,
                chunk: 1,
                window: 1,
                on_failure: Box::new(|_| ()),
                tell: Arc::new(move |text| told.lock().unwrap().push(text.to_owned())),
            };
            let listener = listen(&options).unwrap();
            let ip = listener.local_addr().unwrap().ip();
            assert_eq!(ip.is_unspecified(), is_everywhere, "{ip}");
        }
        let told = told.lock().unwrap();
        assert!(
            told.len() == 1 && told[0].contains("all addresses"),
            "{told:?}"
        );
    }
}
