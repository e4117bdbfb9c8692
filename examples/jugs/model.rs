//! Two jugs, a tap and a drain: what can be measured?

use std::borrow::Cow;

use hyades::explore::{Emit, Model, ModelError};
use hyades::formats::LabelTable;

/// Jugs of so many litres, and the litres that are wanted.
pub struct Jugs {
    pub sizes: [u8; 2],
    pub goal: u8,
}

/// A state is the litres in each jug, 8 bits for one.
fn pack(litres: [u8; 2]) -> u64 {
    u64::from(u16::from_le_bytes(litres))
}

fn unpack(state: u64) -> [u8; 2] {
    (state as u16).to_le_bytes()
}

impl Model for Jugs {
    /// No memory is needed to compute successors in.
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        // None beforehand: they are introduced when they appear.
        Cow::Owned(LabelTable::new())
    }

    fn bits(&self) -> usize {
        16
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        state[0] = pack([0, 0]);
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let now = unpack(state[0]);
        let mut step = |text: String, target| {
            let label = emit.label(text.as_bytes());
            emit.transition(label, &[pack(target)]);
        };
        for (jug, other) in [(0, 1), (1, 0)] {
            let size = self.sizes[jug];
            let with = |litres| {
                let mut target = now;
                target[jug] = litres;
                target
            };
            if now[jug] < size {
                step(format!("FILL !{size}"), with(size));
            }
            let poured = now[jug].min(self.sizes[other] - now[other]);
            if poured > 0 {
                let mut target = with(now[jug] - poured);
                target[other] += poured;
                step(format!("POUR !{size}"), target);
            }
            if now[jug] > 0 {
                step(format!("EMPTY !{size}"), with(0));
            }
        }
        if now.contains(&self.goal) {
            step(format!("MEASURED !{}", self.goal), now);
        }
        Ok(())
    }
}
