//! The dining philosophers.

use std::borrow::Cow;

use hyades_explore::{Emit, Limits, Model, ModelError};
use hyades_formats::{LabelId, LabelTable, Lts};

use super::{GenerateError, explored};

/// Philosophers `0 .. n` at a round table, each between fork `p` on the left and
/// fork `p + 1` (of the last one, 0) on the right. Each takes the left fork, then
/// the right, puts down the left, then the right, and starts again. Labels are
/// `TAKE !p !f` and `PUT !p !f`.
///
/// A state is what each philosopher does next, in two bits.
#[derive(Debug)]
pub struct Dining {
    philosophers: usize,
    labels: LabelTable,
}

/// What a philosopher does next.
mod next {
    pub const TAKE_LEFT: u8 = 0;
    pub const TAKE_RIGHT: u8 = 1;
    pub const PUT_LEFT: u8 = 2;
    pub const PUT_RIGHT: u8 = 3;
}

impl Dining {
    /// `n` philosophers, 2 to 2^30 - 1.
    ///
    /// # Panics
    /// If there are fewer, who would not have two forks, or more, who would have too
    /// many labels.
    pub fn new(n: usize) -> Self {
        assert!(n >= 2, "one philosopher has one fork only");
        let mut labels = LabelTable::new();
        for p in 0..n {
            let right = (p + 1) % n;
            // In the order of what a philosopher does.
            for text in [
                format!("TAKE !{p} !{p}"),
                format!("TAKE !{p} !{right}"),
                format!("PUT !{p} !{p}"),
                format!("PUT !{p} !{right}"),
            ] {
                labels
                    .intern(text.as_bytes())
                    .expect("a table of forks fits in a table of labels");
            }
        }
        Self {
            philosophers: n,
            labels,
        }
    }
}

fn get(state: &[u64], p: usize) -> u8 {
    (state[p / 32] >> (p % 32 * 2) & 3) as u8
}

fn set(state: &mut [u64], p: usize, value: u8) {
    let shift = p % 32 * 2;
    state[p / 32] = state[p / 32] & !(3 << shift) | u64::from(value) << shift;
}

impl Model for Dining {
    /// The target under construction.
    type Scratch = Vec<u64>;

    fn scratch(&self) -> Vec<u64> {
        Vec::new()
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.labels)
    }

    fn bits(&self) -> usize {
        2 * self.philosophers
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
        // All zeros: everybody is about to take the left fork.
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Vec<u64>,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let n = self.philosophers;
        scratch.clear();
        scratch.extend_from_slice(state);
        for p in 0..n {
            let now = get(state, p);
            let left = get(state, if p == 0 { n - 1 } else { p - 1 });
            let right = get(state, if p + 1 == n { 0 } else { p + 1 });
            let free = match now {
                // The fork on the left is the left neighbour's right one.
                next::TAKE_LEFT => left != next::PUT_LEFT && left != next::PUT_RIGHT,
                // The fork on the right is the right neighbour's left one.
                next::TAKE_RIGHT => right != next::TAKE_RIGHT && right != next::PUT_LEFT,
                _ => true,
            };
            if free {
                set(scratch, p, (now + 1) % 4);
                let label = LabelId::new(1 + 4 * p as u32 + u32::from(now));
                emit.transition(label, scratch);
                set(scratch, p, now);
            }
        }
        Ok(())
    }
}

pub(super) fn dining(values: &[u64], limits: Limits) -> Result<Lts, GenerateError> {
    explored(&Dining::new(values[0] as usize), limits)
}
