//! Leader election in a ring.

use std::borrow::Cow;

use hyades_explore::{Emit, Limits, Model, ModelError};
use hyades_formats::{LabelId, LabelTable, Lts};

use super::{GenerateError, explored};

/// How many stations there may be: a ring of five has billions of states.
pub(super) const MOST_STATIONS: u32 = 4;

/// Stations `0 .. n` in a ring who elect a leader: J. M. T. Romijn and J. G.
/// Springintveld, *Exploiting Symmetry in Protocol Testing*, CWI report
/// SEN-R9918, appendix C, which has the text for 3 stations; for another number
/// there are as many addresses, and nothing else changes. The protocol is of
/// H. Garavel and L. Mounier, *Specification and verification of various
/// distributed leader election algorithms for unidirectional ring networks*,
/// Science of Computer Programming 29, 1997.
///
/// A station in the election claims the leadership, passes on the claims of
/// others, and has the privilege if it receives the token, or its own claim of
/// this round. The privileged station may open and close once; then it sends the
/// token, and the next round begins for it. Stations may crash, whereupon they
/// only pass on what they receive. A link takes a token or a claim, and keeps it
/// for the next station or loses it.
///
/// Two readings decide about the state space:
///
/// - **Communications are those that are printed**: `REC_CLAIM` is `STAT_REC_CLAIM`
///   of a station together with `LINK_REC_CLAIM` of the link with the same
///   address, and so on for `SND_CLAIM`, `REC_TOKEN` and `SND_TOKEN`. So a station
///   may receive any claim, and at the same time its link takes it, as long as
///   the link is empty; the station can pass on only what its link has taken,
///   and never gets to send a claim of its own.
///   Tokens do go round: the station before a link takes the token out of it.
/// - **States are terms**: a station that has received a claim is in a state of
///   its own for each claim, even if it can do nothing with it but what it
///   could before.
///
/// That a link may lose what it takes makes the system nondeterministic.
///
/// Labels are `REC_CLAIM(s,c,T)` and `SND_CLAIM(s,c,T)`, where station s, or the
/// one before it, receives and sends the claim of station c of the round T or F;
/// `REC_TOKEN(s)`, `SND_TOKEN(s)`, `CRASH(s)`, `OPEN(s)` and `CLOSE(s)`.
///
/// A state has, for each station from the lowest bits, its number as made by
/// `Station::pack`, and then the number of its link. With 3 stations these are
/// 5 and 3 bits.
#[derive(Debug)]
pub struct Ring {
    stations: u32,
    station_bits: u32,
    link_bits: u32,
    labels: LabelTable,
}

/// A claim of the leadership: twice the station that claims it, plus 1 if it is
/// of the round T.
type Guarantee = u32;

/// What a station is about to do.
#[derive(Clone, Copy)]
enum Station {
    Election {
        round: bool,
    },
    /// Having received a claim.
    Claimed {
        round: bool,
        claim: Guarantee,
    },
    Privilege {
        round: bool,
    },
    Opened {
        round: bool,
    },
    Closed {
        round: bool,
    },
    Failed,
    /// Having received the token.
    FailedToken,
    /// Having received a claim.
    FailedClaimed {
        claim: Guarantee,
    },
}

/// What goes from station to station.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Message {
    Token,
    Guarantee(Guarantee),
}

use Message::Token;

/// What a station does. It sends to the next one.
#[derive(Clone, Copy)]
enum Action {
    Crash,
    Open,
    Close,
    Receive(Message),
    Send(Message),
}

/// The claim of this station.
fn claim(station: u32, round: bool) -> Guarantee {
    2 * station + u32::from(round)
}

impl Station {
    /// Numbers below `10 + 6 n`.
    fn pack(self, stations: u32) -> u32 {
        match self {
            Self::Election { round } => u32::from(round),
            Self::Privilege { round } => 2 + u32::from(round),
            Self::Opened { round } => 4 + u32::from(round),
            Self::Closed { round } => 6 + u32::from(round),
            Self::Failed => 8,
            Self::FailedToken => 9,
            Self::FailedClaimed { claim } => 10 + claim,
            Self::Claimed { round, claim } => 10 + 2 * stations * (1 + u32::from(round)) + claim,
        }
    }

    fn unpack(number: u32, stations: u32) -> Self {
        let round = number & 1 == 1;
        match number {
            0..2 => Self::Election { round },
            2..4 => Self::Privilege { round },
            4..6 => Self::Opened { round },
            6..8 => Self::Closed { round },
            8 => Self::Failed,
            9 => Self::FailedToken,
            _ => {
                let claim = (number - 10) % (2 * stations);
                match (number - 10) / (2 * stations) {
                    0 => Self::FailedClaimed { claim },
                    k => Self::Claimed {
                        round: k == 2,
                        claim,
                    },
                }
            }
        }
    }

    /// A state in which station `me` can do the same: having received its own
    /// claim, it is where that leads without a further step.
    fn behaviour(self, me: u32) -> Self {
        match self {
            Self::Claimed { round, claim } if claim / 2 == me => {
                if claim == self::claim(me, round) {
                    Self::Privilege { round }
                } else {
                    Self::Election { round }
                }
            }
            Self::FailedClaimed { claim } if claim / 2 == me => Self::Failed,
            other => other,
        }
    }

    /// Calls `act` with all that station `me` can do, and where that leads.
    fn actions(self, me: u32, stations: u32, mut act: impl FnMut(Action, Self)) {
        match self.behaviour(me) {
            Self::Election { round } => {
                act(Action::Crash, Self::Failed);
                act(
                    Action::Send(Message::Guarantee(claim(me, round))),
                    Self::Election { round },
                );
                act(Action::Receive(Token), Self::Privilege { round });
                for claim in 0..2 * stations {
                    act(
                        Action::Receive(Message::Guarantee(claim)),
                        Self::Claimed { round, claim },
                    );
                }
            }
            Self::Claimed { round, claim } => {
                act(Action::Crash, Self::Failed);
                act(
                    Action::Send(Message::Guarantee(claim)),
                    Self::Election { round },
                );
            }
            Self::Privilege { round } => {
                act(Action::Crash, Self::Failed);
                act(Action::Open, Self::Opened { round });
                act(Action::Send(Token), Self::Election { round: !round });
            }
            Self::Opened { round } => {
                act(Action::Crash, Self::Failed);
                act(Action::Close, Self::Closed { round });
            }
            Self::Closed { round } => {
                act(Action::Crash, Self::Failed);
                act(Action::Send(Token), Self::Election { round: !round });
            }
            Self::Failed => {
                act(Action::Receive(Token), Self::FailedToken);
                for claim in 0..2 * stations {
                    act(
                        Action::Receive(Message::Guarantee(claim)),
                        Self::FailedClaimed { claim },
                    );
                }
            }
            Self::FailedToken => act(Action::Send(Token), Self::Failed),
            Self::FailedClaimed { claim } => {
                act(Action::Send(Message::Guarantee(claim)), Self::Failed)
            }
        }
    }
}

/// What is in a link as a number below `2 + 2 n`.
fn pack_link(held: Option<Message>) -> u32 {
    match held {
        None => 0,
        Some(Token) => 1,
        Some(Message::Guarantee(claim)) => 2 + claim,
    }
}

fn unpack_link(number: u32) -> Option<Message> {
    match number {
        0 => None,
        1 => Some(Token),
        _ => Some(Message::Guarantee(number - 2)),
    }
}

/// How many bits the numbers below this one take.
fn bits_below(count: u32) -> u32 {
    u32::BITS - (count - 1).leading_zeros()
}

impl Ring {
    /// A ring of `n` stations, all in the election of round T, and empty links.
    ///
    /// # Panics
    /// Unless `n` is 2 to 4.
    pub fn new(n: u32) -> Self {
        assert!(
            (2..=MOST_STATIONS).contains(&n),
            "2 to {MOST_STATIONS} stations"
        );
        let mut labels = LabelTable::new();
        for s in 0..n {
            // In the order of `label`.
            let mut texts = ["CRASH", "OPEN", "CLOSE", "REC_TOKEN", "SND_TOKEN"]
                .map(|name| format!("{name}({s})"))
                .to_vec();
            for name in ["REC_CLAIM", "SND_CLAIM"] {
                for claim in 0..2 * n {
                    let round = if claim & 1 == 1 { 'T' } else { 'F' };
                    texts.push(format!("{name}({s},{},{round})", claim / 2));
                }
            }
            for text in texts {
                labels
                    .intern(text.as_bytes())
                    .expect("four stations have few labels");
            }
        }
        Self {
            stations: n,
            station_bits: bits_below(10 + 6 * n),
            link_bits: bits_below(2 + 2 * n),
            labels,
        }
    }

    /// The label of an action; `s` is the station that acts, or to which it
    /// sends.
    fn label(&self, s: u32, action: Action) -> LabelId {
        let claims = 2 * self.stations;
        let k = match action {
            Action::Crash => 0,
            Action::Open => 1,
            Action::Close => 2,
            Action::Receive(Token) => 3,
            Action::Send(Token) => 4,
            Action::Receive(Message::Guarantee(claim)) => 5 + claim,
            Action::Send(Message::Guarantee(claim)) => 5 + claims + claim,
        };
        LabelId::new(1 + s * (5 + 2 * claims) + k)
    }

    /// Where the bits of a station begin, and those of its link.
    fn places(&self, s: u32) -> (u32, u32) {
        let station = s * (self.station_bits + self.link_bits);
        (station, station + self.station_bits)
    }

    fn station(&self, state: u64, s: u32) -> Station {
        let number = state >> self.places(s).0 & ((1 << self.station_bits) - 1);
        Station::unpack(number as u32, self.stations)
    }

    fn with_station(&self, state: u64, s: u32, station: Station) -> u64 {
        let (place, mask) = (self.places(s).0, (1 << self.station_bits) - 1);
        state & !(mask << place) | u64::from(station.pack(self.stations)) << place
    }

    fn link(&self, state: u64, s: u32) -> Option<Message> {
        let number = state >> self.places(s).1 & ((1 << self.link_bits) - 1);
        unpack_link(number as u32)
    }

    fn with_link(&self, state: u64, s: u32, held: Option<Message>) -> u64 {
        let (place, mask) = (self.places(s).1, (1 << self.link_bits) - 1);
        state & !(mask << place) | u64::from(pack_link(held)) << place
    }
}

impl Model for Ring {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.labels)
    }

    fn bits(&self) -> usize {
        (self.stations * (self.station_bits + self.link_bits)) as usize
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        for s in 0..self.stations {
            state[0] = self.with_station(state[0], s, Station::Election { round: true });
        }
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let state = state[0];
        for me in 0..self.stations {
            let next = (me + 1) % self.stations;
            let station = self.station(state, me);
            station.actions(me, self.stations, |action, then| {
                let moved = self.with_station(state, me, then);
                let mut step = |named, state| {
                    emit.transition(self.label(named, action), &[state]);
                };
                match action {
                    Action::Crash | Action::Open | Action::Close => step(me, moved),
                    Action::Receive(message) if self.link(state, me).is_none() => {
                        step(me, self.with_link(moved, me, Some(message)));
                        // It is lost.
                        step(me, moved);
                    }
                    Action::Send(message) => {
                        let link = match message {
                            Token => next,
                            Message::Guarantee(_) => me,
                        };
                        if self.link(state, link) == Some(message) {
                            step(next, self.with_link(moved, link, None));
                        }
                    }
                    Action::Receive(_) => {}
                }
            });
        }
        Ok(())
    }
}

/// The family of rings.
pub(super) fn ring(values: &[u64], limits: Limits) -> Result<Lts, GenerateError> {
    explored(&Ring::new(values[0] as u32), limits)
}
