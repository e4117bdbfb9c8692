//! Test cases and complete test graphs, and how they are written as an LTS.

use hyades_formats::{LabelId, LabelTable, Lts, LtsBuilder, StateId, TooLarge};

use super::interface::{Event, Lock, Locks};

/// What a tester says of the implementation, but for Fail, which is what it says of all
/// that comes and is not in the test.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// The purpose is reached, and the specification is where it began.
    Pass,
    /// The purpose is reached, and the specification may be elsewhere.
    Reached,
    /// What has come is allowed, and the purpose cannot be reached any more.
    Inconclusive,
}

impl Verdict {
    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "PASS",
            Verdict::Reached => "(PASS)",
            Verdict::Inconclusive => "INCONCLUSIVE",
        }
    }
}

/// A transition of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TestStep {
    /// What happens, as the specification sees it: its inputs are what the tester does.
    pub event: Event,
    /// For quiescence, why the specification may be quiescent there.
    pub locks: Locks,
    /// Where it leads to.
    pub target: u32,
    /// What is known then.
    pub verdict: Option<Verdict>,
}

/// A test case or a complete test graph: rooted in state 0, each of whose states can be
/// reached and has at most one transition for each event.
#[derive(Clone, Debug)]
pub struct TestGraph {
    pub(super) rows: Vec<Vec<TestStep>>,
    pub(super) actions: LabelTable,
}

/// How tests are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spelling {
    /// Quiescence is `DEADLOCK`, `OUTPUTLOCK` or `LIVELOCK`, in several transitions if
    /// it may be several of these, instead of `LOCK`.
    pub tells_locks: bool,
}

impl Spelling {
    /// Quiescence, whatever the reason.
    const LOCK: &'static str = "LOCK";

    /// What quiescence is written as, which should be no action.
    pub fn quiescence(&self) -> Vec<&'static str> {
        match self.tells_locks {
            true => Lock::ALL.map(Lock::name).to_vec(),
            false => vec![Self::LOCK],
        }
    }
}

impl TestGraph {
    /// The number of states.
    pub fn states(&self) -> usize {
        self.rows.len()
    }

    /// The transitions of a state, in the order of their events. One without any ends
    /// the test.
    pub fn row(&self, state: u32) -> &[TestStep] {
        &self.rows[state as usize]
    }

    /// The texts of the actions.
    pub fn actions(&self) -> &LabelTable {
        &self.actions
    }

    /// The test as an LTS with the same states: labels are those of the specification,
    /// with `; OUTPUT` behind what the tester does and `; INPUT` behind what it
    /// observes, and then the verdict, if there is one. O(transitions).
    ///
    /// # Errors
    /// If it has more transitions or labels than an LTS can hold.
    pub fn to_lts(&self, spelling: &Spelling) -> Result<Lts, TooLarge> {
        let mut builder = LtsBuilder::new(self.states() as u64);
        for (source, row) in (0..).zip(&self.rows) {
            for step in row {
                self.each_text(step, spelling, |text| {
                    builder.add_text(source, text, step.target)
                })?;
            }
        }
        builder.build(StateId::new(0))
    }

    /// Hands over the texts that a step is written as.
    fn each_text(
        &self,
        step: &TestStep,
        spelling: &Spelling,
        mut to: impl FnMut(&[u8]) -> Result<(), TooLarge>,
    ) -> Result<(), TooLarge> {
        let side = match step.event.is_observed() {
            true => "INPUT",
            false => "OUTPUT",
        };
        let behind = match step.verdict {
            Some(verdict) => format!("; {side} {}", verdict.name()),
            None => format!("; {side}"),
        };
        let mut whole = |text: &[u8]| to(&[text, behind.as_bytes()].concat());
        let text = |action: LabelId| self.actions.text(action);
        match step.event {
            Event::Input(action) | Event::Output(action) => whole(text(action)),
            Event::Quiescence if spelling.tells_locks => {
                let mut locks = Lock::ALL
                    .into_iter()
                    .filter(|&lock| step.locks.contains(lock));
                locks.try_for_each(|lock| whole(lock.name().as_bytes()))
            }
            Event::Quiescence => whole(Spelling::LOCK.as_bytes()),
        }
    }
}
