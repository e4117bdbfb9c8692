//! The train whose labels are requests with their answers.

use std::borrow::Cow;

use hyades_explore::{Emit, Model, ModelError};
use hyades_formats::{LabelId, LabelTable};

use super::{BySide, Circle, KINDS, Side, direction, direction_bits, intern, request, requests};

/// A train on a circle of stations `0 .. n`, in the style of a Mealy machine:
/// CWI report SEN-R9918, appendix B, the second model.
///
/// Every label is an input, to wait or a request for a station, and what the
/// train does at once. While it has nothing to do, a request sets it in motion
/// or opens its door; while it has, a request is noted, and the train goes on
/// when nothing is asked (`WAIT`). No input enables two labels, but not every
/// input always enables one: when the door has just been closed and the train
/// is about to go somewhere, a request for the station where it stands is
/// refused.
///
/// It differs from [`Train`](super::Train) in more than its labels. A reason to
/// go on to a side is a request for **any** station on that side, as the
/// definitions of `isleftreq` and `isrightreq` say in this model; which station
/// lies on which side is as there. The train loses its direction when there is
/// no reason left. From closing its door until its next move it is *closing*: it
/// does not depart at a request.
///
/// Labels are `WAIT(a)`, `REQUEST(CALL,s,a)` and `REQUEST(SEND,s,a)`; the answer
/// `a` is `NO_OUTPUT`, `OPENDOOR(t)`, `CLOSEDOOR(t)`, `DOORCLOSED(t)`,
/// `MOVELEFT(t)` or `MOVERIGHT(t)`, where `t` is the station where the train is
/// then.
///
/// A state, from its lowest bit, is the set of requests (2 bits a station),
/// whether the door is open and whether it is closing (1 bit each), the
/// direction (2 bits), and the station where the train is.
pub struct MealyTrain {
    circle: Circle,
    /// The requests that are a reason to go on to a side.
    reasons: BySide<u64>,
    labels: LabelTable,
    wait: Waiting,
    request: [Vec<Requesting>; 2],
}

hyades_base::opaque!(MealyTrain);

/// The labels of waiting, for all stations where the train may be.
struct Waiting {
    idle: LabelId,
    open_door: Vec<LabelId>,
    close_door: Vec<LabelId>,
    door_closed: Vec<LabelId>,
    /// By where the train arrives and which side it goes to.
    arrive: BySide<LabelId>,
}

/// The labels of a request for a station.
struct Requesting {
    noted: LabelId,
    /// For all stations where the train may be: opening the door if it is this
    /// one, else setting off.
    answered: Vec<LabelId>,
}

/// A state in parts.
#[derive(Clone, Copy)]
struct State {
    at: u32,
    open: bool,
    closing: bool,
    direction: Option<Side>,
    requested: u64,
}

impl State {
    /// Whether somebody wants the train where it is.
    fn is_requested(&self) -> bool {
        self.requested & requests(self.at) != 0
    }

    /// Whether there is nothing to do.
    fn is_idle(&self) -> bool {
        !self.open && self.direction.is_none() && !self.is_requested()
    }
}

/// The answer of going to a side and arriving at station `s`.
fn arrival(side: Side, s: u32) -> String {
    match side {
        Side::Left => format!("MOVELEFT({s})"),
        Side::Right => format!("MOVERIGHT({s})"),
    }
}

impl MealyTrain {
    /// A train on a circle of `n` stations, at station 0.
    ///
    /// # Panics
    /// Unless `n` is 3 to 11.
    pub fn new(n: u32) -> Self {
        let circle = Circle::new(n);
        let mut labels = LabelTable::new();
        let mut wait = |answer: String| intern(&mut labels, format!("WAIT({answer})"));
        let wait = Waiting {
            idle: wait("NO_OUTPUT".into()),
            open_door: circle
                .all()
                .map(|s| wait(format!("OPENDOOR({s})")))
                .collect(),
            close_door: circle
                .all()
                .map(|s| wait(format!("CLOSEDOOR({s})")))
                .collect(),
            door_closed: circle
                .all()
                .map(|s| wait(format!("DOORCLOSED({s})")))
                .collect(),
            arrive: BySide::new(&circle, |side, s| wait(arrival(side, s))),
        };
        let mut requesting = |kind: &str, s: u32| {
            let mut label =
                |answer: String| intern(&mut labels, format!("REQUEST({kind},{s},{answer})"));
            let answer = |at| match circle.towards(s, at) {
                None => format!("OPENDOOR({at})"),
                Some(side) => arrival(side, circle.next(at, side)),
            };
            Requesting {
                noted: label("NO_OUTPUT".into()),
                answered: circle.all().map(|at| label(answer(at))).collect(),
            }
        };
        Self {
            wait,
            request: KINDS.map(|kind| circle.all().map(|s| requesting(kind, s)).collect()),
            reasons: BySide::new(&circle, |side, at| {
                let on_side = circle.all().filter(|&s| circle.lies(s, side, at));
                on_side.map(requests).sum()
            }),
            circle,
            labels,
        }
    }

    fn unpack(&self, state: u64) -> State {
        let requests = self.circle.request_bits();
        let rest = state >> requests;
        State {
            at: (rest >> 4) as u32,
            open: rest & 1 == 1,
            closing: rest >> 1 & 1 == 1,
            direction: direction(rest >> 2),
            requested: state & ((1 << requests) - 1),
        }
    }

    fn pack(&self, state: State) -> [u64; 1] {
        let (at, direction) = (u64::from(state.at), direction_bits(state.direction));
        let door = u64::from(state.closing) << 1 | u64::from(state.open);
        let rest = at << 4 | direction << 2 | door;
        [rest << self.circle.request_bits() | state.requested]
    }

    /// What a request leads to, if it is not refused.
    fn requested(&self, now: State, kind: usize, s: u32) -> Option<(LabelId, State)> {
        let labels = &self.request[kind][s as usize];
        let towards = self.circle.towards(s, now.at);
        let mut next = State {
            requested: now.requested | request(kind, s),
            ..now
        };
        let is_noted = match (now.open, now.closing) {
            (true, _) => true,
            (false, true) => s != now.at,
            (false, false) => !now.is_idle(),
        };
        if is_noted {
            if now.open && s == now.at {
                // There is nothing to ask for.
                next.requested = now.requested;
            }
            next.direction = now.direction.or(towards);
            return Some((labels.noted, next));
        }
        if !now.is_idle() {
            return None;
        }
        next.closing = false;
        match towards {
            None => {
                next.open = true;
                next.requested = now.requested;
            }
            Some(side) => {
                next.at = self.circle.next(now.at, side);
                next.direction = (s != next.at).then_some(side);
            }
        }
        Some((labels.answered[now.at as usize], next))
    }

    /// What the train does if nothing is requested.
    fn waited(&self, now: State) -> (LabelId, State) {
        let labels = &self.wait;
        let here = now.at as usize;
        if now.open {
            let next = State {
                open: false,
                closing: true,
                ..now
            };
            return (labels.close_door[here], next);
        }
        let next = State {
            closing: false,
            ..now
        };
        if now.is_requested() {
            let next = State {
                open: true,
                requested: now.requested & !requests(now.at),
                ..next
            };
            return (labels.open_door[here], next);
        }
        match now.direction {
            None if now.closing => (labels.door_closed[here], next),
            None => (labels.idle, now),
            Some(side) => {
                let at = self.circle.next(now.at, side);
                let sides = [side, side.opposite()];
                let is_reason = |&side: &Side| now.requested & self.reasons.get(side, at) != 0;
                let direction = sides.into_iter().find(is_reason);
                let next = State {
                    at,
                    direction,
                    ..next
                };
                (labels.arrive.get(side, at), next)
            }
        }
    }
}

impl Model for MealyTrain {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.labels)
    }

    fn bits(&self) -> usize {
        (self.circle.request_bits() + 4 + self.circle.station_bits()) as usize
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
        // All zeros: at station 0, door closed for long, no direction, no
        // requests.
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let now = self.unpack(state[0]);
        for kind in 0..KINDS.len() {
            for s in self.circle.all() {
                if let Some((label, next)) = self.requested(now, kind, s) {
                    emit.transition(label, &self.pack(next));
                }
            }
        }
        let (label, next) = self.waited(now);
        emit.transition(label, &self.pack(next));
        Ok(())
    }
}
