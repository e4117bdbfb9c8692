//! The train whose steps have a label each.

use std::borrow::Cow;

use hyades_explore::{Emit, Model, ModelError};
use hyades_formats::{LabelId, LabelTable};

use super::{BySide, Circle, KINDS, Side, direction, direction_bits, intern, request, requests};

/// A train on a circle of stations `0 .. n`: CWI report SEN-R9918, appendix B,
/// the first model.
///
/// At any time the train may be called to a station by somebody there, or be
/// sent there by somebody on board; a train without a direction then takes that
/// of the station. It opens its door if the station where it stands is
/// requested, which settles these requests; otherwise it moves in its direction,
/// if it has one, with its door closed. Having moved, it turns round if there is
/// no reason to go on and there is one to turn; it never loses its direction.
///
/// A reason to go on to a side is a request for the **first** station on that
/// side, counted from station 0: no other is looked at. So the definitions of
/// `isleftreq` and `isrightreq` say as they are printed. Which stations lie to
/// the left and which to the right, the appendix tabulates for 8 stations: those
/// that are 1 to ⌊n/2⌋ steps away, so that the one opposite lies on both sides; a
/// train without a direction goes left to it.
///
/// Labels are `REQUEST(CALL,s)`, `REQUEST(SEND,s)`, `OPENDOOR(s)`,
/// `CLOSEDOOR(s)`, and `MOVELEFT(s)` and `MOVERIGHT(s)` with the station where
/// the train arrives.
///
/// A state, from its lowest bit, is the set of requests (2 bits a station),
/// whether the door is open (1 bit), the direction (2 bits), and the station
/// where the train is.
pub struct Train {
    circle: Circle,
    /// The requests that are a reason to go on to a side.
    reasons: BySide<u64>,
    labels: LabelTable,
    /// For each kind of request and each station.
    request: [Vec<LabelId>; 2],
    open_door: Vec<LabelId>,
    close_door: Vec<LabelId>,
    /// Arriving at a station, going to this side.
    arrive: BySide<LabelId>,
}

hyades_base::opaque!(Train);

/// A state in parts.
#[derive(Clone, Copy)]
struct State {
    at: u32,
    open: bool,
    direction: Option<Side>,
    requested: u64,
}

impl Train {
    /// A train on a circle of `n` stations, at station 0.
    ///
    /// # Panics
    /// Unless `n` is 3 to 11.
    pub fn new(n: u32) -> Self {
        let circle = Circle::new(n);
        let mut labels = LabelTable::new();
        let mut of_all = |name: &str| {
            let texts = circle.all().map(|s| format!("{name}{s})"));
            texts.map(|text| intern(&mut labels, text)).collect()
        };
        Self {
            request: KINDS.map(|kind| of_all(&format!("REQUEST({kind},"))),
            open_door: of_all("OPENDOOR("),
            close_door: of_all("CLOSEDOOR("),
            arrive: BySide::new(&circle, |side, s| {
                let name = match side {
                    Side::Left => "MOVELEFT",
                    Side::Right => "MOVERIGHT",
                };
                intern(&mut labels, format!("{name}({s})"))
            }),
            reasons: BySide::new(&circle, |side, at| {
                let first = circle.all().find(|&s| circle.lies(s, side, at));
                first.map_or(0, requests)
            }),
            circle,
            labels,
        }
    }

    fn unpack(&self, state: u64) -> State {
        let requests = self.circle.request_bits();
        let rest = state >> requests;
        State {
            at: (rest >> 3) as u32,
            open: rest & 1 == 1,
            direction: direction(rest >> 1),
            requested: state & ((1 << requests) - 1),
        }
    }

    fn pack(&self, state: State) -> [u64; 1] {
        let (at, open) = (u64::from(state.at), u64::from(state.open));
        let rest = at << 3 | direction_bits(state.direction) << 1 | open;
        [rest << self.circle.request_bits() | state.requested]
    }
}

impl Model for Train {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.labels)
    }

    fn bits(&self) -> usize {
        (self.circle.request_bits() + 3 + self.circle.station_bits()) as usize
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
        // All zeros: at station 0, door closed, no direction, no requests.
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let now = self.unpack(state[0]);
        let mut step = |label, next| emit.transition(label, &self.pack(next));

        for (kind, labels) in self.request.iter().enumerate() {
            for (s, &label) in self.circle.all().zip(labels) {
                let mut next = now;
                // At an open door there is nothing to ask for.
                if !(now.open && s == now.at) {
                    next.requested |= request(kind, s);
                }
                next.direction = now.direction.or(self.circle.towards(s, now.at));
                step(label, next);
            }
        }

        let is_requested = now.requested & requests(now.at) != 0;
        if now.open {
            let next = State { open: false, ..now };
            step(self.close_door[now.at as usize], next);
        } else if is_requested {
            let next = State {
                open: true,
                requested: now.requested & !requests(now.at),
                ..now
            };
            step(self.open_door[now.at as usize], next);
        } else if let Some(side) = now.direction {
            let at = self.circle.next(now.at, side);
            let reason = |side| now.requested & self.reasons.get(side, at) != 0;
            let turns = !reason(side) && reason(side.opposite());
            let direction = Some(if turns { side.opposite() } else { side });
            let next = State {
                at,
                direction,
                ..now
            };
            step(self.arrive.get(side, at), next);
        }
        Ok(())
    }
}
