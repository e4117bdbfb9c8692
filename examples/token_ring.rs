//! A token goes round in a ring of processes: a model plugin in Rust, with a
//! symmetry.
//!
//! ```text
//! cargo build --release --example token_ring
//! reach target/release/examples/libtoken_ring.so --model-argument 8 --symmetry model
//! ```
//!
//! The argument is the number of processes, 3 if there is none. A process WANTs
//! the token, ENTERs its critical section when it has the token, and LEAVEs it.
//! A token that its holder does not want is passed on, which is hidden.
//!
//! With n processes there are 3 n 2^(n-1) states. Turning the ring is a symmetry:
//! of the states that can be turned into one another it is enough to look at the
//! one in which process 0 has the token, which leaves 3 2^(n-1). That labels do
//! not tell which process it is makes the result bisimilar to the whole.

use std::borrow::Cow;

use hyades::explore::{Emit, Model, ModelError};
use hyades::export_model;
use hyades::formats::{LabelId, LabelTable};
use hyades::plugin::export::Exported;

export_model!(open);

/// A state, from its lowest bit: who wants the token (a bit for each process),
/// whether the holder is in its critical section (1 bit), who the holder is (5
/// bits).
struct TokenRing {
    processes: u32,
    labels: LabelTable,
}

const WANT: LabelId = LabelId::new(1);
const ENTER: LabelId = LabelId::new(2);
const LEAVE: LabelId = LabelId::new(3);

fn open(argument: Option<&str>) -> Result<TokenRing, ModelError> {
    let processes = argument.unwrap_or("3").parse();
    let Some(processes) = processes.ok().filter(|n| (1..=32).contains(n)) else {
        return Err(ModelError::new("the number of processes is 1 to 32"));
    };
    let mut labels = LabelTable::new();
    for text in ["WANT", "ENTER", "LEAVE"] {
        labels
            .intern(text.as_bytes())
            .map_err(|e| ModelError::new(e.to_string()))?;
    }
    Ok(TokenRing { processes, labels })
}

/// A state in parts.
#[derive(Clone, Copy)]
struct State {
    wanting: u64,
    critical: bool,
    holder: u32,
}

impl TokenRing {
    fn unpack(&self, state: u64) -> State {
        State {
            wanting: state & ((1 << self.processes) - 1),
            critical: state >> self.processes & 1 == 1,
            holder: (state >> (self.processes + 1)) as u32,
        }
    }

    fn pack(&self, state: State) -> u64 {
        let upper = u64::from(state.holder) << 1 | u64::from(state.critical);
        state.wanting | upper << self.processes
    }
}

impl Model for TokenRing {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.labels)
    }

    fn bits(&self) -> usize {
        self.processes as usize + 6
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
        // All zeros: process 0 has the token, and nobody wants it.
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let state = self.unpack(state[0]);
        let State {
            wanting,
            critical,
            holder,
        } = state;
        let mut step = |label, target| emit.transition(label, &[self.pack(target)]);
        for process in 0..self.processes {
            if wanting >> process & 1 == 0 {
                let wanting = wanting | 1 << process;
                step(WANT, State { wanting, ..state });
            }
        }
        if critical {
            let left = State {
                wanting: wanting & !(1 << holder),
                critical: false,
                holder,
            };
            step(LEAVE, left);
        } else if wanting >> holder & 1 == 1 {
            let critical = true;
            step(ENTER, State { critical, ..state });
        } else {
            let holder = (holder + 1) % self.processes;
            step(LabelId::HIDDEN, State { holder, ..state });
        }
        Ok(())
    }
}

impl Exported for TokenRing {
    const SYMMETRIC: bool = true;

    /// The ring turned until process 0 has the token.
    fn representative(&self, (): &mut (), state: &mut [u64]) -> Result<(), ModelError> {
        let before = self.unpack(state[0]);
        let (low, high) = (before.holder, self.processes - before.holder);
        let all = (1 << self.processes) - 1;
        let turned = State {
            wanting: (before.wanting >> low | before.wanting << high) & all,
            holder: 0,
            ..before
        };
        state[0] = self.pack(turned);
        Ok(())
    }
}
