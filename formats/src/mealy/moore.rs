//! Moore machines and finite automata as LTSs.
//!
//! A Moore machine gives an output in each state. As an LTS, a transition has the
//! label `input/output`, with the output of the state that it leads to; that of
//! the initial state is the label `/output`, without an input, of the only
//! transition of a state before it. So machines with different outputs are LTSs
//! with different labels, the initial output included.
//!
//! A finite automaton accepts in some of its states. As an LTS, these have a
//! self-loop with a label that occurs nowhere else.

use std::fmt;

use super::labels::{MealyError, MealySyntax};
use crate::diagnostic::excerpt;
use crate::lts::{LabelId, Lts, LtsBuilder, StateId, TooLarge};

/// How a Moore machine begins that is an LTS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// The initial state of the LTS, which is none of the machine.
    pub state: StateId,
    /// The initial state of the machine.
    pub initial: StateId,
    /// Its output.
    pub output: Vec<u8>,
}

impl Start {
    /// How the Moore machine begins that an LTS is: its initial state has one
    /// transition, with an [initial output](MealySyntax::initial_output), and
    /// none leads to it. `None` if that is not so. O(transitions).
    pub fn of(lts: &Lts, syntax: &MealySyntax) -> Option<Self> {
        let state = lts.initial();
        let mut row = lts.outgoing(state);
        let (Some((label, initial)), None) = (row.next(), row.next()) else {
            return None;
        };
        if label.is_hidden() || lts.targets().contains(&state) {
            return None;
        }
        let output = syntax.initial_output(lts.table().text(label))?.to_vec();
        Some(Self {
            state,
            initial,
            output,
        })
    }
}

/// What keeps an LTS from being a finite automaton whose accepting states have a
/// self-loop with a label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AcceptorError {
    /// The label is on a transition between two states.
    NoLoop(StateId, StateId),
    /// A transition is hidden, which has no place in a machine.
    Hidden(StateId),
    /// An input that no label of a machine can have.
    Input(Vec<u8>, MealyError),
    /// There is more than an LTS can hold.
    TooLarge(TooLarge),
}

impl fmt::Display for AcceptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLoop(source, target) => write!(
                f,
                "the label of accepting states leads from state {source} to state {target}: \
                 expected self-loops; name another with --accepting"
            ),
            Self::Hidden(state) => write!(f, "state {state} has a hidden transition"),
            Self::Input(input, error) => write!(f, "input {}: {error}", excerpt(input)),
            Self::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AcceptorError {}

impl From<TooLarge> for AcceptorError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

/// Which states have a self-loop with the label that stands for acceptance; none
/// if there is no such label. O(transitions).
///
/// # Errors
/// If the label occurs elsewhere.
pub fn accepting_states(lts: &Lts, accepting: &[u8]) -> Result<Vec<bool>, AcceptorError> {
    let mut accepts = vec![false; lts.states()];
    let Some(accepting) = lts.table().find(accepting) else {
        return Ok(accepts);
    };
    for (source, label, target) in lts.iter() {
        if label == accepting {
            if source != target {
                return Err(AcceptorError::NoLoop(source, target));
            }
            accepts[source.index()] = true;
        }
    }
    Ok(accepts)
}

/// The output of an accepting state, and that of others, where a finite automaton
/// is a Moore machine.
pub const VERDICTS: [&str; 2] = ["accept", "reject"];

/// The [verdict](VERDICTS) on a state.
pub(crate) fn verdict(accepts: bool) -> &'static [u8] {
    VERDICTS[usize::from(!accepts)].as_bytes()
}

/// The Moore machine that gives the [verdicts](VERDICTS) of an automaton whose
/// accepting states have a self-loop with this label: an LTS as [`Start`] tells
/// it, state `k` of the automaton having number `k + 1`. O(transitions).
///
/// # Errors
/// If the LTS is no such automaton, or an input cannot be one of a machine.
pub fn acceptor_as_moore(
    lts: &Lts,
    accepting: &[u8],
    syntax: &MealySyntax,
) -> Result<Lts, AcceptorError> {
    let accepts = accepting_states(lts, accepting)?;
    let next = |state: StateId| StateId::from_index(state.index() + 1);
    let loops = lts.table().find(accepting);
    let syntax = syntax.in_memory();
    let mut built = LtsBuilder::new(lts.states() as u64 + 1);
    let input_error = |input: &[u8]| {
        let input = input.to_vec();
        |error| AcceptorError::Input(input, error)
    };
    let first = syntax
        .join_initial(verdict(accepts[lts.initial().index()]))
        .map_err(input_error(b""))?;
    let first = built.table_mut().intern(&first)?;
    built.add(StateId::new(0), first, next(lts.initial()));
    // the labels of inputs, by verdict
    let mut known: Vec<[Option<LabelId>; 2]> = vec![[None; 2]; lts.table().len()];
    for (source, label, target) in lts.iter() {
        if Some(label) == loops {
            continue;
        }
        if label.is_hidden() {
            return Err(AcceptorError::Hidden(source));
        }
        let accepted = accepts[target.index()];
        let known = &mut known[label.index()][usize::from(accepted)];
        let joined = match *known {
            Some(joined) => joined,
            None => {
                let input = lts.table().text(label);
                let joined = syntax.join(input, verdict(accepted));
                let joined = joined.map_err(input_error(input))?;
                *known.insert(built.table_mut().intern(&joined)?)
            }
        };
        built.add(next(source), joined, next(target));
    }
    Ok(built.build(StateId::new(0))?)
}
