//! Workers that are threads of this process: for tests, and to try a run without sockets.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::worker::Worker;
use crate::{Error, worker};

/// What one worker sends to another.
enum Message {
    /// A packet of a superstep.
    Packet(u64, Vec<u8>),
    /// The sender has sent all of this superstep.
    End(u64),
    /// The sender has ended.
    Gone,
}

/// A worker among threads.
pub struct Thread {
    index: usize,
    chunk: usize,
    step: u64,
    to: Vec<Sender<(usize, Message)>>,
    from: Receiver<(usize, Message)>,
    /// Packets and ends of the next superstep.
    early: Vec<(usize, Message)>,
}

hyades_base::opaque!(Thread);

/// Runs so many workers, each by `work`, with packets of about so many bytes; what each of them
/// has found, in their order. If a worker fails, all others are told.
///
/// # Panics
/// If a worker panics.
pub fn run<T: std::marker::Send>(
    peers: usize,
    chunk: usize,
    work: impl Fn(&mut Thread) -> Result<T, Error> + Sync,
) -> Vec<Result<T, Error>> {
    let results: Vec<_> = (0..peers).map(|_| Mutex::new(None)).collect();
    run_each(peers, chunk, &|thread| {
        let result = work(thread);
        *results[thread.index].lock().expect("nobody panics here") = Some(result);
    });
    let results = results.into_iter().map(Mutex::into_inner);
    let results = results.map(|result| result.ok().flatten());
    results
        .map(|result| result.expect("each has ended"))
        .collect()
}

/// As [`run`], for work that keeps what it has found: compiled once.
fn run_each(peers: usize, chunk: usize, work: &(dyn Fn(&mut Thread) + Sync)) {
    let (to, from): (Vec<_>, Vec<_>) = (0..peers).map(|_| channel()).unzip();
    std::thread::scope(|scope| {
        let handles: Vec<_> = from
            .into_iter()
            .enumerate()
            .map(|(index, from)| {
                let to = to.clone();
                scope.spawn(move || {
                    let mut thread = Thread {
                        index,
                        chunk,
                        step: 0,
                        to,
                        from,
                        early: Vec::new(),
                    };
                    work(&mut thread);
                })
            })
            .collect();
        drop(to);
        for handle in handles {
            if let Err(panic) = handle.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

impl Drop for Thread {
    fn drop(&mut self) {
        for (to, sender) in self.to.iter().enumerate() {
            if to != self.index {
                // Who has ended already need not know.
                let _ = sender.send((self.index, Message::Gone));
            }
        }
    }
}

impl Worker for Thread {
    fn index(&self) -> usize {
        self.index
    }

    fn peers(&self) -> usize {
        self.to.len()
    }

    fn chunk(&self) -> usize {
        self.chunk
    }

    fn superstep(
        &mut self,
        send: &mut dyn FnMut(&mut worker::Send<'_>) -> Result<(), Error>,
        receive: &mut worker::Receive<'_>,
    ) -> Result<(), Error> {
        let Self {
            index,
            step,
            to,
            from,
            early,
            ..
        } = self;
        let (index, now) = (*index, *step);
        let gone = |process| Error::Lost {
            process,
            cause: "it has ended".into(),
        };
        let has_ended: Vec<Cell<bool>> = vec![Cell::new(false); to.len()];
        let mut later = Vec::new();
        let mut take = |from: usize, message| match message {
            Message::Packet(at, packet) if at == now => receive(from, &packet),
            Message::End(at) if at == now => {
                has_ended[from].set(true);
                Ok(())
            }
            Message::Gone if !has_ended[from].get() => Err(gone(from)),
            other => {
                later.push((from, other));
                Ok(())
            }
        };
        for (from, message) in early.drain(..) {
            take(from, message)?;
        }
        send(&mut |target, packet| {
            if target == index {
                return take(index, Message::Packet(now, packet));
            }
            let sent = to[target].send((index, Message::Packet(now, packet)));
            sent.map_err(|_| gone(target))?;
            while let Ok((from, message)) = from.try_recv() {
                take(from, message)?;
            }
            Ok(())
        })?;
        for target in (0..to.len()).filter(|&target| target != index) {
            let sent = to[target].send((index, Message::End(now)));
            sent.map_err(|_| gone(target))?;
        }
        // A worker has a sender to itself, so that receiving fails in no case.
        let is_awaited = |other: usize| other != index && !has_ended[other].get();
        while (0..to.len()).any(is_awaited) {
            let (from, message) = from.recv().map_err(|_| gone(index))?;
            take(from, message)?;
        }
        *early = later;
        *step += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::worker::{Worker, gather, sum};
    use crate::{Error, fixture};

    #[test]
    fn each_record_arrives_in_its_superstep_and_in_the_order_of_its_sender() {
        for (peers, chunk) in [(1, 1), (2, 64), (4, 1), (3, 1 << 20)] {
            let results = run(peers, chunk, |worker| {
                let (me, peers) = (worker.index(), worker.peers());
                fixture::send_numbers(worker, |sender, step| (sender + step) % 7)?;
                let all = gather(worker, &[me as u8; 3])?;
                assert_eq!(all[peers - 1], [peers as u8 - 1; 3]);
                sum(worker, 1)
            });
            assert!(
                results
                    .iter()
                    .all(|r| matches!(r, Ok(n) if *n == peers as u64))
            );
        }
    }

    #[test]
    fn who_fails_fails_all() {
        let results = run(3, 64, |worker| {
            if worker.index() == 1 {
                return Err(Error::Packet);
            }
            (0..10).try_for_each(|_| sum(worker, 1).map(|_| ()))
        });
        assert!(matches!(results[1], Err(Error::Packet)));
        for other in [0, 2] {
            assert!(matches!(results[other], Err(Error::Lost { .. })));
        }
    }
}
