//! A train on a circle of stations, in two styles.
//!
//! Both are of J. M. T. Romijn and J. G. Springintveld, *Exploiting Symmetry in
//! Protocol Testing*, CWI report SEN-R9918, appendix B.

mod mealy;
mod plain;

use hyades_explore::Limits;
use hyades_formats::{LabelId, LabelTable, Lts};

use super::{GenerateError, explored};

pub use mealy::MealyTrain;
pub use plain::Train;

/// How many stations there may be: with more there are more transitions than an
/// [`Lts`] can have.
pub(super) const MOST_STATIONS: u32 = 11;

/// A side of the train, and a direction that it goes in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

use Side::{Left, Right};

impl Side {
    fn opposite(self) -> Self {
        match self {
            Left => Right,
            Right => Left,
        }
    }
}

/// A direction or none, in two bits.
fn direction_bits(direction: Option<Side>) -> u64 {
    match direction {
        None => 0,
        Some(Left) => 1,
        Some(Right) => 2,
    }
}

/// What [`direction_bits`] has packed, further bits aside.
fn direction(bits: u64) -> Option<Side> {
    match bits & 0b11 {
        0 => None,
        1 => Some(Left),
        _ => Some(Right),
    }
}

/// The circle: left of station 1 is station 0, left of station 0 is the last.
struct Circle {
    stations: u32,
}

impl Circle {
    fn new(stations: u32) -> Self {
        assert!(
            (3..=MOST_STATIONS).contains(&stations),
            "3 to {MOST_STATIONS} stations"
        );
        Self { stations }
    }

    /// All stations, in the order of the appendix.
    fn all(&self) -> std::ops::Range<u32> {
        0..self.stations
    }

    /// The next station on this side.
    fn next(&self, station: u32, side: Side) -> u32 {
        let step = match side {
            Left => self.stations - 1,
            Right => 1,
        };
        (station + step) % self.stations
    }

    /// Whether `s` lies on this side of `t`. It lies to the left if the way from
    /// it to the right leads to `t` in 1 to ⌊n/2⌋ steps, as the appendix
    /// tabulates for 8 stations; and to the right if `t` lies to the left of it.
    /// So the station opposite, if there is one, lies on both sides.
    fn lies(&self, s: u32, side: Side, t: u32) -> bool {
        let steps = match side {
            Left => t + self.stations - s,
            Right => s + self.stations - t,
        };
        (1..=self.stations / 2).contains(&(steps % self.stations))
    }

    /// Where a train that has no direction goes for station `s` from `at`: to
    /// the left if it lies on both sides.
    fn towards(&self, s: u32, at: u32) -> Option<Side> {
        [Left, Right]
            .into_iter()
            .find(|&side| self.lies(s, side, at))
    }

    /// How many bits the number of a station takes.
    fn station_bits(&self) -> u32 {
        u32::BITS - (self.stations - 1).leading_zeros()
    }

    /// How many bits the requests take.
    fn request_bits(&self) -> u32 {
        2 * self.stations
    }
}

/// A train is called by somebody at a station, or sent there by somebody on it.
const KINDS: [&str; 2] = ["CALL", "SEND"];

/// The bit of a request of this kind, an index of [`KINDS`].
fn request(kind: usize, station: u32) -> u64 {
    1 << (2 * station + kind as u32)
}

/// The bits of all requests for a station.
fn requests(station: u32) -> u64 {
    0b11 << (2 * station)
}

/// Something for each side and station.
struct BySide<T>([Vec<T>; 2]);

impl<T: Copy> BySide<T> {
    fn new(circle: &Circle, mut make: impl FnMut(Side, u32) -> T) -> Self {
        Self([Left, Right].map(|side| circle.all().map(|s| make(side, s)).collect()))
    }

    fn get(&self, side: Side, station: u32) -> T {
        self.0[side as usize][station as usize]
    }
}

/// The number of a label, new or not.
fn intern(labels: &mut LabelTable, text: String) -> LabelId {
    let label = labels.intern(text.as_bytes());
    label.expect("a few stations have few labels")
}

/// The family of trains.
pub(super) fn train(values: &[u64], limits: Limits) -> Result<Lts, GenerateError> {
    explored(&Train::new(values[0] as u32), limits)
}

/// The family of trains in the style of Mealy machines.
pub(super) fn train_mealy(values: &[u64], limits: Limits) -> Result<Lts, GenerateError> {
    explored(&MealyTrain::new(values[0] as u32), limits)
}
