//! Processes of one run as threads of this one, over loopback.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::hello::{Hello, LENGTH, Socket};
use super::{Failure, Fingerprint, Options, Process};
use crate::worker::{Worker, gather, sum};
use crate::{Error, fixture};

/// So many listeners, and their addresses.
fn places(count: usize) -> (Vec<TcpListener>, Vec<String>) {
    let bound = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
    let listeners: Vec<TcpListener> = bound.collect();
    let addresses = listeners.iter().map(|l| l.local_addr().unwrap());
    let addresses = addresses.map(|address| address.to_string()).collect();
    (listeners, addresses)
}

fn options(index: usize, listener: TcpListener, addresses: &[String]) -> Options {
    Options {
        addresses: addresses.to_vec(),
        index,
        listener: Some(listener),
        run: 7,
        fingerprint: Some(Fingerprint::default()),
        start_within: Duration::from_secs(20),
        lost_after: Duration::from_secs(5),
        chunk: 1 << 10,
        window: 4,
        on_failure: Box::new(|_| ()),
        tell: Arc::new(|_| ()),
    }
}

/// Lets so many processes do this, with options that are changed before.
fn run<T: Send>(
    count: usize,
    change: impl Fn(&mut Options) + Sync,
    work: impl Fn(Process) -> Result<T, Error> + Sync,
) -> Vec<Result<T, Error>> {
    let (listeners, addresses) = places(count);
    let (change, work, addresses) = (&change, &work, &addresses);
    thread::scope(|scope| {
        let started: Vec<_> = (0..)
            .zip(listeners)
            .map(|(index, listener)| {
                scope.spawn(move || {
                    let mut options = options(index, listener, addresses);
                    change(&mut options);
                    work(Process::join(options)?)
                })
            })
            .collect();
        started.into_iter().map(|it| it.join().unwrap()).collect()
    })
}

#[test]
fn each_record_arrives_in_its_superstep_and_in_the_order_of_its_sender() {
    for (count, chunk, window) in [(1, 1, 1), (2, 64, 1), (2, 1, 3), (4, 8, 1), (3, 1 << 20, 8)] {
        let change = |options: &mut Options| (options.chunk, options.window) = (chunk, window);
        let results = run(count, change, |mut process| {
            let (me, peers) = (process.index(), process.peers());
            fixture::send_numbers(&mut process, |sender, step| {
                (sender + 1) * (sender + step) % 23
            })?;
            let all = gather(&mut process, &[me as u8; 300])?;
            for (from, said) in all.iter().enumerate() {
                assert_eq!(*said, [from as u8; 300]);
            }
            let found = sum(&mut process, 1)?;
            let traffic = process.traffic();
            assert_eq!(traffic.sent == 0, peers == 1, "{traffic:?}");
            assert_eq!(traffic.supersteps, 52);
            process.finish()?;
            Ok(found)
        });
        for result in results {
            assert_eq!(result.unwrap(), count as u64);
        }
    }
}

/// A packet may be larger than what timely reads at once.
#[test]
fn packets_of_any_size_arrive() {
    let results = run(
        2,
        |_| (),
        |mut process| {
            let peers = process.peers();
            for size in [1, 1 << 10, (1 << 20) - 8, (1 << 20) + 1, 5 << 20] {
                let mut met = 0;
                process.superstep(
                    &mut |send| (0..peers).try_for_each(|to| send(to, vec![7; size])),
                    &mut |_, packet| {
                        assert_eq!(packet.len(), size);
                        assert!(packet.iter().all(|&byte| byte == 7));
                        met += 1;
                        Ok(())
                    },
                )?;
                assert_eq!(met, peers);
            }
            process.finish()
        },
    );
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

/// Who fails says why, and all know it, whether they wait or not.
#[test]
fn a_failure_is_told_to_all() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let change = |options: &mut Options| {
        let told = Arc::clone(&told);
        options.on_failure = Box::new(move |failure: &Failure| {
            told.lock().unwrap().push(failure.clone());
        });
    };
    let results = run(3, change, |mut process| {
        if process.index() == 1 {
            sum(&mut process, 1)?;
            process.last_words().tell(2, "line 3: nothing there");
            return Err(Error::Packet);
        }
        (0..10).try_for_each(|_| sum(&mut process, 1).map(drop))
    });
    assert!(matches!(results[1], Err(Error::Packet)));
    for other in [0, 2] {
        match &results[other] {
            Err(Error::Failed {
                process: 1,
                status: 2,
                cause,
            }) => assert_eq!(cause, "line 3: nothing there"),
            result => panic!("{result:?}"),
        }
    }
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[0], told[1]);
}

/// The sockets of a process that says nothing by itself.
fn mute(index: u32, to: &str, change: impl Fn(&mut Hello)) -> Vec<TcpStream> {
    let open = |socket| {
        let mut stream = TcpStream::connect(to).unwrap();
        let mut hello = Hello {
            run: 7,
            index,
            to: 0,
            processes: 2,
            socket,
            fingerprint: Some(Fingerprint::default()),
        };
        change(&mut hello);
        hello.write(&mut stream).unwrap();
        stream
    };
    [Socket::Data, Socket::Life].map(open).into()
}

/// Process 0 of two, while something else stands for process 1.
fn alone<T>(
    change: impl Fn(&mut Options),
    other: impl FnOnce(String) -> T + Send + 'static,
    work: impl Fn(Process) -> Result<(), Error>,
) -> (Result<(), Error>, T)
where
    T: Send + 'static,
{
    let (mut listeners, addresses) = places(2);
    let address = addresses[0].clone();
    let other = thread::spawn(move || other(address));
    let mut options = options(0, listeners.remove(0), &addresses);
    change(&mut options);
    let result = Process::join(options).and_then(work);
    (result, other.join().unwrap())
}

#[test]
fn a_silent_process_is_lost() {
    let started = Instant::now();
    let (result, _sockets) = alone(
        |options| options.lost_after = Duration::from_millis(1500),
        |address| mute(1, &address, |_| ()),
        |mut process| sum(&mut process, 1).map(drop),
    );
    match result {
        Err(Error::Lost { process: 1, cause }) => {
            assert!(cause.contains("no sign of life for 1.5 s"), "{cause}")
        }
        result => panic!("{result:?}"),
    }
    assert!(started.elapsed() >= Duration::from_millis(1500));
}

#[test]
fn a_process_that_is_gone_is_lost() {
    for breaks_data in [false, true] {
        let started = Instant::now();
        let (result, _rest) = alone(
            |_| (),
            move |address| {
                let mut sockets = mute(1, &address, |_| ());
                // The answer: it is in.
                sockets[1].read_exact(&mut [0; LENGTH + 1]).unwrap();
                sockets[0].read_exact(&mut [0; LENGTH + 1]).unwrap();
                drop(sockets.remove(if breaks_data { 0 } else { 1 }));
                sockets
            },
            |mut process| sum(&mut process, 1).map(drop),
        );
        match result {
            Err(Error::Lost { process: 1, cause }) => {
                assert!(cause.contains("connection"), "{cause}");
            }
            result => panic!("{result:?}"),
        }
        assert!(started.elapsed() < Duration::from_secs(3));
    }
}

#[test]
fn a_process_that_does_not_start_is_named() {
    let (result, ()) = alone(
        |options| options.start_within = Duration::from_millis(300),
        |_| (),
        |_| Ok(()),
    );
    match result {
        Err(Error::Start { cause }) => assert!(
            cause.starts_with("1 of 2 processes has not come within 0.3 s: process 1 (127.0.0.1:"),
            "{cause}"
        ),
        result => panic!("{result:?}"),
    }
    // The other way round: the one that connects finds nobody.
    let (mut listeners, addresses) = places(2);
    let own = listeners.pop().unwrap();
    drop(listeners);
    let mut options = options(1, own, &addresses);
    options.start_within = Duration::from_millis(300);
    match Process::join(options).map(drop) {
        Err(Error::Start { cause }) => {
            assert!(cause.contains("process 0 (127.0.0.1:"), "{cause}");
            assert!(cause.contains("refused"), "{cause}");
        }
        result => panic!("{result:?}"),
    }
}

/// One that has failed is heard of by those that still wait for others.
#[test]
fn a_failure_is_heard_while_others_are_awaited() {
    for kills in [false, true] {
        let started = Instant::now();
        let (mut listeners, addresses) = places(3);
        let own = options(0, listeners.remove(0), &addresses);
        let to = addresses[0].clone();
        let other = thread::spawn(move || {
            let mut sockets = mute(1, &to, |hello| hello.processes = 3);
            for socket in &mut sockets {
                socket.read_exact(&mut [0; LENGTH + 1]).unwrap();
            }
            if kills {
                return Vec::new();
            }
            // Signs of life, and then that process 2 has failed.
            let said = b"\0\0\x02\x02\0\0\0\x05\x03\0\0\0why";
            sockets[1].write_all(said).unwrap();
            sockets
        });
        let result = Process::join(own).map(drop);
        match result {
            Err(Error::Failed {
                process: 2,
                status: 5,
                cause,
            }) if !kills => assert_eq!(cause, "why"),
            Err(Error::Lost { process: 1, .. }) if kills => {}
            result => panic!("{result:?}"),
        }
        drop(other.join().unwrap());
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}

/// Whatever else connects is refused, and the run goes on.
#[test]
fn strays_are_refused() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let (listeners, addresses) = places(2);
    let [first, second]: [TcpListener; 2] = listeners.try_into().unwrap();
    let mut zero = options(0, first, &addresses);
    let telling = Arc::clone(&told);
    zero.tell = Arc::new(move |text: &str| telling.lock().unwrap().push(text.to_owned()));
    let work = |options: Options| -> Result<u64, Error> {
        let mut process = Process::join(options)?;
        let found = sum(&mut process, 1)?;
        process.finish()?;
        Ok(found)
    };
    let awaiting = thread::spawn(move || work(zero));
    let to = &addresses[0];
    // Silent ones, to the end of the test.
    let silent: Vec<TcpStream> = (0..3).map(|_| TcpStream::connect(to).unwrap()).collect();
    let mut junk = TcpStream::connect(to).unwrap();
    junk.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    drop(TcpStream::connect(to).unwrap());
    // One of another version learns which one this is, and nothing else.
    let mut other_version = TcpStream::connect(to).unwrap();
    let mut hello = [0; LENGTH];
    hello[..8].copy_from_slice(b"HYADCLUS");
    hello[8] = 1;
    other_version.write_all(&hello).unwrap();
    let mut told_version = Vec::new();
    other_version.read_to_end(&mut told_version).unwrap();
    assert_eq!(
        (told_version.len(), &told_version[..8]),
        (LENGTH, &hello[..8])
    );
    assert!(told_version[8] > 1 && told_version[12..20] == [0; 8]);
    let answered = |mut sockets: Vec<TcpStream>| {
        let mut answer = [0; LENGTH + 1];
        sockets[0].read_exact(&mut answer).unwrap();
        answer
    };
    let other_run = answered(mute(1, to, |hello| hello.run = 8));
    assert_eq!(other_run[LENGTH], 1);
    // What only processes of the run know is not told.
    assert_eq!(other_run[12..20], [0; 8]);
    for _ in 0..5 {
        assert_eq!(answered(mute(0, to, |_| ()))[LENGTH], 3);
    }
    assert_eq!(answered(mute(9, to, |_| ()))[LENGTH], 3);
    let one = options(1, second, &addresses);
    assert_eq!(work(one).unwrap(), 2);
    assert_eq!(awaiting.join().unwrap().unwrap(), 2);
    let told = told.lock().unwrap();
    for text in [
        "none of a run of Hyades",
        "another run",
        "version 1",
        "is process 0",
        "is process 9",
    ] {
        // However often it tries.
        let times = told.iter().filter(|said| said.contains(text)).count();
        assert_eq!(times, 1, "{text}: {told:?}");
    }
    drop(silent);
}

#[test]
fn unequal_processes_name_both() {
    let (listeners, addresses) = places(2);
    let addresses = &addresses;
    let results: Vec<Result<(), Error>> = thread::scope(|scope| {
        let started: Vec<_> = (0..)
            .zip(listeners)
            .map(|(index, listener)| {
                scope.spawn(move || {
                    let mut options = options(index, listener, addresses);
                    options.fingerprint = Some(Fingerprint {
                        arguments: index as u64,
                        ..Fingerprint::default()
                    });
                    // Nobody waits for the others to come.
                    options.start_within = Duration::from_secs(10_000);
                    Process::join(options).map(drop)
                })
            })
            .collect();
        started.into_iter().map(|it| it.join().unwrap()).collect()
    });
    for result in results {
        match result {
            Err(
                Error::Failed {
                    cause, status: 2, ..
                }
                | Error::Unequal { cause },
            ) => {
                // By the addresses that all have been given, whoever has called whom.
                let name = |k: usize| format!("{k} ({})", addresses[k]);
                let named = |a, b| format!("processes {} and {} differ", name(a), name(b));
                assert!(
                    cause.contains(&named(0, 1)) || cause.contains(&named(1, 0)),
                    "{cause}"
                );
                assert!(cause.contains("differ in their arguments"), "{cause}");
            }
            result => panic!("{result:?}"),
        }
    }
}

/// What is on its way to a slow receiver is bounded, and not by the number of chunks that the
/// receiver sends itself.
#[test]
fn a_slow_receiver_has_little_before_it() {
    let (chunk, window, chunks) = (1 << 16, 4, 200);
    let (sent, received, most) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let change = |options: &mut Options| (options.chunk, options.window) = (chunk, window);
    let results = run(2, change, |mut process| {
        let me = process.index();
        process.superstep(
            &mut |send| {
                for _ in 0..if me == 0 { chunks } else { 0 } {
                    send(1, vec![0; chunk])?;
                    let now = sent.fetch_add(chunk as u64, Ordering::SeqCst) + chunk as u64;
                    let waiting = now - received.load(Ordering::SeqCst).min(now);
                    most.fetch_max(waiting, Ordering::SeqCst);
                }
                Ok(())
            },
            &mut |_, packet| {
                thread::sleep(Duration::from_micros(500));
                received.fetch_add(packet.len() as u64, Ordering::SeqCst);
                Ok(())
            },
        )?;
        process.finish()
    });
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(received.load(Ordering::SeqCst), (chunk * chunks) as u64);
    let most = most.load(Ordering::SeqCst);
    assert!(most <= (chunk * (window as usize + 1)) as u64, "{most}");
}

/// A process whose addresses are in another order finds another one than it looks for: that
/// is named, by all.
#[test]
fn addresses_in_another_order_end_all() {
    let change = |options: &mut Options| {
        if options.index == 2 {
            options.addresses.swap(0, 1);
        }
        options.start_within = Duration::from_secs(10_000);
    };
    for result in run(3, change, |_| Ok(())) {
        match result {
            Err(
                Error::Failed {
                    cause, status: 2, ..
                }
                | Error::Unequal { cause },
            ) => {
                let named = [(0, 1), (1, 0)].map(|(found, sought)| {
                    cause.contains(&format!("process {found} answers"))
                        && cause.contains(&format!("the address of process {sought} "))
                });
                assert!(named.contains(&true), "{cause}");
                assert!(cause.contains("in the host file of process 2"), "{cause}");
            }
            result => panic!("{result:?}"),
        }
    }
}

/// What sends back all that it gets, with what would be a welcome behind, is no process.
#[test]
fn an_echo_is_no_process() {
    let (mut listeners, addresses) = places(2);
    let own = listeners.pop().unwrap();
    let echo = listeners.pop().unwrap();
    thread::spawn(move || {
        for stream in echo.incoming() {
            let mut stream = stream.unwrap();
            let mut hello = [0; LENGTH];
            // Who has given up reads no more.
            let _ = stream.read_exact(&mut hello);
            let _ = stream.write_all(&hello).and(stream.write_all(&[0]));
        }
    });
    let mut options = options(1, own, &addresses);
    options.start_within = Duration::from_millis(500);
    match Process::join(options).map(drop) {
        Err(Error::Start { cause }) => {
            assert!(cause.contains("it is none of a run of Hyades"), "{cause}");
        }
        result => panic!("{result:?}"),
    }
}

/// Who fails before it knows what has to be equal comes to tell why.
#[test]
fn a_failure_before_is_told_to_all() {
    let change = |options: &mut Options| {
        let failing = options.index == 1;
        options.fingerprint = (!failing).then(Fingerprint::default);
    };
    let results = run(3, change, |mut process| match process.index() {
        1 => {
            process.last_words().tell(2, "no such file");
            Ok(0)
        }
        _ => sum(&mut process, 1),
    });
    for other in [0, 2] {
        match &results[other] {
            Err(Error::Failed {
                process: 1,
                status: 2,
                cause,
            }) => assert_eq!(cause, "no such file"),
            result => panic!("{result:?}"),
        }
    }
}

/// What comes over the connection for packets may be anything.
#[test]
fn what_is_no_packet_is_told_without_a_panic() {
    // A message of timely for the worker of another process; and one that is none.
    let header = |numbers: [u64; 6]| numbers.map(u64::to_be_bytes).concat();
    for sent in [header([0, 0, 5, 6, 8, 0]), vec![0xff; 48], vec![0xa5; 4096]] {
        let (result, _sockets) = alone(
            |options| options.lost_after = Duration::from_secs(2),
            move |address| {
                let mut sockets = mute(1, &address, |_| ());
                for socket in &mut sockets {
                    socket.read_exact(&mut [0; LENGTH + 1]).unwrap();
                }
                sockets[0].write_all(&sent).unwrap();
                sockets
            },
            |mut process| sum(&mut process, 1).map(drop),
        );
        let error = result.unwrap_err().to_string();
        // If connections have broken in other tests of this process, that is told.
        let is_plain = error.contains("no process of a run sends")
            || error.contains("no sign of life")
            || error.contains("is damaged")
            || error.contains("broke: reading data");
        assert!(is_plain, "{error}");
        assert!(
            !error.contains("index") && !error.contains("panic"),
            "{error}"
        );
    }
}
