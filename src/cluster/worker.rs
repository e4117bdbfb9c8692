//! Workers that go on in supersteps: each sends packets, then all of them wait until what was
//! sent has arrived (Valiant, A bridging model for parallel computation, 1990).

use crate::Error;
use crate::wire::{self, Cursor};

/// Passes a packet on, to the worker of this number.
pub type Send<'a> = dyn FnMut(usize, Vec<u8>) -> Result<(), Error> + 'a;

/// Is told the sender and the bytes of a packet.
pub type Receive<'a> = dyn FnMut(usize, &[u8]) -> Result<(), Error> + 'a;

/// One of the workers of a run. All of them call the same supersteps in the same order.
pub trait Worker {
    /// The number of this worker, less than [`peers`](Self::peers).
    fn index(&self) -> usize;

    /// How many workers there are.
    fn peers(&self) -> usize;

    /// The bytes of a packet, about.
    fn chunk(&self) -> usize;

    /// One superstep. `send` is called once and passes packets on, also to this worker itself;
    /// `receive` is told the sender and the bytes of each packet that was sent to this worker in
    /// this superstep, meanwhile or afterwards. Packets of one sender arrive in their order;
    /// those of several are mixed in any way. Returns when all have arrived.
    ///
    /// # Errors
    /// If another worker is lost, and those of `send` and `receive`.
    fn superstep(
        &mut self,
        send: &mut dyn FnMut(&mut Send<'_>) -> Result<(), Error>,
        receive: &mut Receive<'_>,
    ) -> Result<(), Error>;
}

/// Collects records for each worker, and sends them in packets.
pub struct Outbox<'a, 's> {
    send: &'a mut Send<'s>,
    chunk: usize,
    packets: Vec<Vec<u8>>,
}

hyades_base::opaque!(Outbox<'_, '_>);

impl<'a, 's> Outbox<'a, 's> {
    /// Packets for so many workers, of about so many bytes each.
    pub fn new(send: &'a mut Send<'s>, peers: usize, chunk: usize) -> Self {
        Self {
            send,
            chunk,
            packets: vec![Vec::new(); peers],
        }
    }

    /// Adds a record, which lies within one packet.
    ///
    /// # Errors
    /// If another worker is lost.
    #[inline]
    pub fn record(&mut self, to: usize, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), Error> {
        let packet = &mut self.packets[to];
        write(packet);
        match packet.len() >= self.chunk {
            true => (self.send)(to, std::mem::take(packet)),
            false => Ok(()),
        }
    }

    /// Sends what is left.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn finish(mut self) -> Result<(), Error> {
        for (to, packet) in self.packets.drain(..).enumerate() {
            if !packet.is_empty() {
                (self.send)(to, packet)?;
            }
        }
        Ok(())
    }
}

/// A superstep in which records are put into an [`Outbox`]; `receive` has to read all records
/// of a packet.
///
/// # Errors
/// If another worker is lost, and those of `send` and `receive`.
pub fn exchange(
    worker: &mut dyn Worker,
    mut send: impl FnMut(&mut Outbox<'_, '_>) -> Result<(), Error>,
    mut receive: impl FnMut(usize, &mut Cursor<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (peers, chunk) = (worker.peers(), worker.chunk());
    worker.superstep(
        &mut |packets| {
            let mut outbox = Outbox::new(packets, peers, chunk);
            send(&mut outbox)?;
            outbox.finish()
        },
        &mut |from, packet| receive(from, &mut Cursor::new(packet)),
    )
}

/// Numbers that are sent in pieces of so many, so that no packet has to hold all of them.
const PIECE: usize = 1 << 12;

impl Outbox<'_, '_> {
    /// Adds any count of numbers, and behind them a record; see [`Long`].
    ///
    /// # Errors
    /// If another worker is lost.
    pub(crate) fn long(
        &mut self,
        to: usize,
        numbers: &[u64],
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Error> {
        let last = numbers.len().saturating_sub(1) / PIECE * PIECE;
        let mut piece = |numbers: &[u64], is_last: bool, write: &mut dyn FnMut(&mut Vec<u8>)| {
            self.record(to, |packet| {
                packet.push(u8::from(is_last));
                wire::put_u32(packet, numbers.len() as u32);
                numbers.iter().for_each(|&n| wire::put_u64(packet, n));
                write(packet);
            })
        };
        for numbers in numbers[..last].chunks(PIECE) {
            piece(numbers, false, &mut |_| ())?;
        }
        let mut write = Some(write);
        piece(&numbers[last..], true, &mut |packet| {
            if let Some(write) = write.take() {
                write(packet);
            }
        })
    }
}

/// What has come of the [numbers](Outbox::long) of each sender.
#[derive(Debug)]
pub(crate) struct Long(Vec<(Vec<u64>, bool)>);

impl Long {
    /// Of so many senders.
    pub fn new(peers: usize) -> Self {
        Self(vec![(Vec::new(), false); peers])
    }

    /// Reads what comes next of a sender: the numbers, if they are all there; the record behind
    /// them is to be read then.
    ///
    /// # Errors
    /// If the packet ends before.
    pub fn read(&mut self, from: usize, records: &mut Cursor<'_>) -> Result<Option<&[u64]>, Error> {
        let (numbers, is_complete) = &mut self.0[from];
        if *is_complete {
            numbers.clear();
        }
        *is_complete = records.u8()? != 0;
        for _ in 0..records.u32()? {
            numbers.push(records.u64()?);
        }
        Ok(is_complete.then_some(numbers))
    }
}

/// What each worker has to say, in the order of their numbers, told to all.
///
/// # Errors
/// If another worker is lost.
pub fn gather(worker: &mut dyn Worker, own: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let (peers, chunk) = (worker.peers(), worker.chunk().max(1));
    let mut all = vec![Vec::new(); peers];
    worker.superstep(
        &mut |send| {
            for to in 0..peers {
                for part in own.chunks(chunk) {
                    send(to, part.to_vec())?;
                }
            }
            Ok(())
        },
        &mut |from, packet| {
            all[from].extend_from_slice(packet);
            Ok(())
        },
    )?;
    Ok(all)
}

/// What other workers know of states: `asked` are those of each worker, which `known` answers for
/// there. The answers in the same order. Two supersteps, 5 bytes for a question and for an answer.
///
/// # Errors
/// If another worker is lost, and those of `known`.
pub fn ask(
    worker: &mut dyn Worker,
    asked: &[Vec<u64>],
    mut known: impl FnMut(u64) -> Result<u64, Error>,
) -> Result<Vec<Vec<u64>>, Error> {
    let peers = worker.peers();
    let send_all = |numbers: &[Vec<u64>], outbox: &mut Outbox<'_, '_>| {
        for (to, numbers) in numbers.iter().enumerate() {
            for &number in numbers {
                outbox.record(to, |packet| wire::put_state(packet, number))?;
            }
        }
        Ok(())
    };
    let mut own = vec![Vec::new(); peers];
    exchange(
        worker,
        |outbox| send_all(asked, outbox),
        |from, records| {
            while !records.is_empty() {
                own[from].push(known(records.state()?)?);
            }
            Ok(())
        },
    )?;
    let mut answers = vec![Vec::new(); peers];
    exchange(
        worker,
        |outbox| send_all(&own, outbox),
        |from, records| {
            while !records.is_empty() {
                answers[from].push(records.state()?);
            }
            Ok(())
        },
    )?;
    match (0..peers).all(|of| answers[of].len() == asked[of].len()) {
        true => Ok(answers),
        false => Err(Error::Packet),
    }
}

/// Answers what other workers have asked, sender by sender in their order: `put` writes an
/// answer, and `take` reads that to something which this worker has `asked` another one. One
/// superstep.
///
/// # Errors
/// If another worker is lost, or answers more or less than it was asked, and those of `take`.
pub(crate) fn answer<A, T: Copy>(
    worker: &mut dyn Worker,
    answers: &[Vec<A>],
    put: impl Fn(&mut Vec<u8>, &A),
    asked: &[Vec<T>],
    mut take: impl FnMut(T, &mut Cursor<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut answered = vec![0; asked.len()];
    exchange(
        worker,
        |outbox| {
            for (to, answers) in answers.iter().enumerate() {
                for answer in answers {
                    outbox.record(to, |packet| put(packet, answer))?;
                }
            }
            Ok(())
        },
        |from, records| {
            while !records.is_empty() {
                let one = *asked[from].get(answered[from]).ok_or(Error::Packet)?;
                take(one, records)?;
                answered[from] += 1;
            }
            Ok(())
        },
    )?;
    match asked.iter().map(Vec::len).eq(answered) {
        true => Ok(()),
        false => Err(Error::Packet),
    }
}

/// The sums over all workers of what each of them has, place by place.
///
/// # Errors
/// If another worker is lost.
pub fn sums<const N: usize>(worker: &mut dyn Worker, own: [u64; N]) -> Result<[u64; N], Error> {
    let bytes: Vec<u8> = own.iter().flat_map(|n| n.to_le_bytes()).collect();
    let mut sums = [0; N];
    for one in gather(worker, &bytes)? {
        let mut cursor = Cursor::new(&one);
        for sum in &mut sums {
            *sum += cursor.u64()?;
        }
    }
    Ok(sums)
}

/// The sum over all workers of what each of them has.
///
/// # Errors
/// If another worker is lost.
pub fn sum(worker: &mut dyn Worker, own: u64) -> Result<u64, Error> {
    Ok(sums(worker, [own])?[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads;

    #[test]
    fn long_records_come_as_they_were_sent() {
        let sizes = [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 0, 5];
        let numbers = |sender: usize, k: usize| (0..sizes[k]).map(move |n| (n * sender) as u64);
        for chunk in [1, 100, 1 << 20] {
            let results = threads::run(3, chunk, |worker| {
                let (me, mut long, mut next) = (worker.index(), Long::new(3), [0; 3]);
                exchange(
                    worker,
                    |outbox| {
                        for k in 0..sizes.len() {
                            let numbers: Vec<u64> = numbers(me, k).collect();
                            for to in 0..3 {
                                outbox.long(to, &numbers, |packet| packet.push(k as u8))?;
                            }
                        }
                        Ok(())
                    },
                    |from, records| {
                        while !records.is_empty() {
                            if let Some(read) = long.read(from, records)? {
                                let k = usize::from(records.u8()?);
                                assert_eq!(k, next[from]);
                                assert!(read.iter().copied().eq(numbers(from, k)));
                                next[from] += 1;
                            }
                        }
                        Ok(())
                    },
                )?;
                Ok(next)
            });
            for result in results {
                assert_eq!(result.unwrap(), [sizes.len(); 3]);
            }
        }
    }

    #[test]
    fn as_much_is_answered_as_was_asked() {
        let numbers = |of: u32, count| (0..count).map(|k| 10 * of + k).collect::<Vec<u32>>();
        for (count, is_right) in [(2, true), (1, false), (3, false)] {
            let results = threads::run(3, 1, |worker| {
                let me = worker.index() as u32;
                let asked: Vec<_> = (0..3).map(|of| numbers(of, 2)).collect();
                let count = |to| if (me, to) == (1, 2) { count } else { 2 };
                let answers: Vec<_> = (0..3).map(|to| numbers(me, count(to))).collect();
                answer(
                    worker,
                    &answers,
                    |packet, &number| wire::put_u32(packet, number),
                    &asked,
                    |one, records| {
                        assert_eq!(records.u32()?, one);
                        Ok(())
                    },
                )
            });
            assert_eq!(matches!(results[2], Err(Error::Packet)), !is_right);
            assert_eq!(results.iter().all(Result::is_ok), is_right);
        }
    }
}
