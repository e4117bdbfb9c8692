//! Peterson's algorithm for two processes: a model in Rust that is explored by a
//! program of its own.
//!
//! ```text
//! cargo run --example peterson            # is there mutual exclusion?
//! cargo run --example peterson -- broken  # and if a step is forgotten?
//! ```
//!
//! Each process announces its interest, leaves the other the turn, and waits
//! until the other is not interested or has given the turn back. The broken
//! variant does not give the turn away.

use std::borrow::Cow;

use hyades::explore::{Answer, Emit, ExploreOptions, Model, ModelError, Questions, explore};
use hyades::formats::LabelTable;

struct Peterson {
    broken: bool,
}

/// Where a process is.
const IDLE: u64 = 0;
const INTERESTED: u64 = 1;
const WAITING: u64 = 2;
const CRITICAL: u64 = 3;

/// A state: 2 bits for where each process is, 1 for whose turn it is.
impl Model for Peterson {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        // They are introduced when they appear.
        Cow::Owned(LabelTable::new())
    }

    fn bits(&self) -> usize {
        5
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
        // All zeros: both are idle.
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let turn = state[0] >> 4;
        let at = [state[0] & 3, state[0] >> 2 & 3];
        for me in 0..2 {
            let other = 1 - me;
            let mut step = |text: &str, place: u64, turn: u64| {
                let mut at = at;
                at[me] = place;
                let label = emit.label(format!("{text} !{me}").as_bytes());
                emit.transition(label, &[at[0] | at[1] << 2 | turn << 4]);
            };
            match at[me] {
                IDLE => step("INTERESTED", INTERESTED, turn),
                INTERESTED if self.broken => step("WAIT", WAITING, turn),
                INTERESTED => step("WAIT", WAITING, other as u64),
                WAITING if at[other] == IDLE || turn == me as u64 => step("ENTER", CRITICAL, turn),
                WAITING => {}
                _ => step("LEAVE", IDLE, turn),
            }
        }
        if at == [CRITICAL; 2] {
            let both = emit.label(b"BOTH");
            emit.transition(both, state);
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let broken = std::env::args().nth(1).as_deref() == Some("broken");
    let search = ExploreOptions {
        questions: Questions {
            deadlock: true,
            find: vec![Box::new(|_, text| text == b"BOTH")],
            ..Questions::default()
        },
        ..ExploreOptions::default()
    };
    let model = Peterson { broken };
    let found = explore(&model, search, &mut ())?;
    println!("{} states, {} transitions", found.states, found.transitions);
    println!("deadlock: {}", found.deadlock != Some(Answer::No));
    match &found.find[0] {
        Answer::Yes(trace) => {
            println!("both are in their critical sections after");
            for &label in &trace.labels {
                println!("  {}", found.labels.text(label).escape_ascii());
            }
        }
        _ => println!("at most one is in its critical section"),
    }
    Ok(())
}
