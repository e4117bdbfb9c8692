//! How many bytes workers send each other, and what for.

use crate::Error;
use crate::worker::{Receive, Send, Worker};

/// What bytes are sent for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Transitions and labels, while the input is read.
    Input,
    /// States that can be reached, and those without infinite paths.
    Search,
    /// Keys of signatures, and what their owners answer.
    Keys,
    /// Numbers of states at those who have them as ghosts.
    Ghosts,
    /// The exact check at the end, and names of blocks.
    Check,
    /// What is gathered by one worker, and what it answers.
    Rest,
    /// The minimal LTS.
    Quotient,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 7] = [
        Kind::Input,
        Kind::Search,
        Kind::Keys,
        Kind::Ghosts,
        Kind::Check,
        Kind::Rest,
        Kind::Quotient,
    ];

    /// The name of a kind in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Input => "input",
            Kind::Search => "search",
            Kind::Keys => "keys",
            Kind::Ghosts => "ghosts",
            Kind::Check => "check",
            Kind::Rest => "rest",
            Kind::Quotient => "quotient",
        }
    }
}

/// A worker whose packets are counted.
pub struct Meter<'w> {
    worker: &'w mut dyn Worker,
    kind: Kind,
    sent: [u64; Kind::ALL.len()],
    supersteps: u64,
}

hyades_base::opaque!(Meter<'_>);

impl<'w> Meter<'w> {
    /// Nothing has been counted yet.
    pub fn new(worker: &'w mut dyn Worker) -> Self {
        Self {
            worker,
            kind: Kind::Input,
            sent: [0; Kind::ALL.len()],
            supersteps: 0,
        }
    }

    /// What follows is of this kind.
    pub fn of(&mut self, kind: Kind) -> &mut Self {
        self.kind = kind;
        self
    }

    /// How many bytes of a kind this worker has sent to others.
    pub const fn sent(&self, kind: Kind) -> u64 {
        self.sent[kind as usize]
    }

    /// How many bytes this worker has sent to others.
    pub fn all_sent(&self) -> u64 {
        self.sent.iter().sum()
    }

    /// How many supersteps there have been.
    pub const fn supersteps(&self) -> u64 {
        self.supersteps
    }
}

impl Worker for Meter<'_> {
    fn index(&self) -> usize {
        self.worker.index()
    }

    fn peers(&self) -> usize {
        self.worker.peers()
    }

    fn chunk(&self) -> usize {
        self.worker.chunk()
    }

    fn superstep(
        &mut self,
        send: &mut dyn FnMut(&mut Send<'_>) -> Result<(), Error>,
        receive: &mut Receive<'_>,
    ) -> Result<(), Error> {
        let (own, sent) = (self.worker.index(), &mut self.sent[self.kind as usize]);
        self.supersteps += 1;
        self.worker.superstep(
            &mut |packets| {
                send(&mut |to, packet| {
                    if to != own {
                        *sent += packet.len() as u64;
                    }
                    packets(to, packet)
                })
            },
            receive,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Meter};
    use crate::threads;
    use crate::worker::{Worker, gather};

    #[test]
    fn bytes_to_others_are_counted_by_kind() {
        let results = threads::run(3, 64, |worker| {
            let own = vec![7; 100 * worker.index()];
            let mut meter = Meter::new(worker);
            gather(meter.of(Kind::Keys), &own)?;
            gather(meter.of(Kind::Rest), &[1; 9])?;
            gather(meter.of(Kind::Keys), &[])?;
            assert_eq!(meter.all_sent(), meter.sent(Kind::Keys) + 18);
            Ok((
                meter.sent(Kind::Keys),
                meter.sent(Kind::Rest),
                meter.supersteps(),
            ))
        });
        let results: Vec<_> = results.into_iter().map(Result::unwrap).collect();
        assert_eq!(results, [(0, 18, 3), (200, 18, 3), (400, 18, 3)]);
    }
}
