//! Writing text in blocks that are formatted in parallel.

use std::io::{self, Write};
use std::ops::Range;

use crate::lts::{LabelId, Lts, StateId};
use crate::pipeline::pipeline;

/// So many states or transitions are formatted at a time.
const BLOCK: usize = 1 << 13;

/// A renumbering of states: the initial state and state 0 change places, or
/// none does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    with: u32,
}

impl Exchange {
    /// Exchanges the initial state with state 0, unless `keep_initial`.
    pub fn new(lts: &Lts, keep_initial: bool) -> Self {
        Self {
            with: match keep_initial {
                true => 0,
                false => lts.initial().get(),
            },
        }
    }

    /// Exchanges the initial state with state 0 if no transition mentions it, unless
    /// `keep_initial`.
    pub fn if_unmentioned(lts: &Lts, keep_initial: bool) -> Self {
        let initial = lts.initial();
        let is_mentioned = !lts.row(initial).is_empty() || lts.targets().contains(&initial);
        Self::new(lts, keep_initial || is_mentioned)
    }

    /// The new number of a state, or the old one of a new number.
    #[inline]
    pub fn of(self, state: StateId) -> StateId {
        match state.get() {
            0 => StateId::new(self.with),
            number if number == self.with => StateId::new(0),
            _ => state,
        }
    }
}

/// How many states there are above the last one that a transition mentions, new
/// numbers counted: who goes by transitions does not know of them. State 0 exists
/// always.
pub(crate) fn lost_states(lts: &Lts, exchange: Exchange) -> usize {
    let is_source = |state: usize| !lts.row(exchange.of(StateId::from_index(state))).is_empty();
    let source = (0..lts.states()).rev().find(|&state| is_source(state));
    let targets = lts.targets().iter();
    let target = targets.map(|&target| exchange.of(target).index()).max();
    let last = source.max(target).unwrap_or(0);
    lts.states() - 1 - last
}

/// Writes what `line` appends for each number of a state.
///
/// # Errors
/// If the output refuses.
pub(crate) fn write_states(
    states: usize,
    output: &mut dyn Write,
    line: impl Fn(StateId, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    let blocks = (0..states).step_by(BLOCK);
    pipeline(output, blocks, &|&start, text: &mut Vec<u8>| {
        for state in start..states.min(start + BLOCK) {
            line(StateId::from_index(state), text);
        }
    })
}

/// Writes what `line` appends for each transition, given by new numbers of
/// states, and in their order.
///
/// # Errors
/// If the output refuses.
pub(crate) fn write_transitions(
    lts: &Lts,
    exchange: Exchange,
    output: &mut dyn Write,
    line: impl Fn(StateId, LabelId, StateId, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    // pieces of rows: the source, and where they are in the columns
    let pieces = (0..lts.states()).flat_map(|state| {
        let state = StateId::from_index(state);
        let row = lts.row(exchange.of(state));
        let starts = row.clone().step_by(BLOCK);
        starts.map(move |start| (state, start..row.end.min(start + BLOCK)))
    });
    let blocks = Blocks {
        pieces: pieces.peekable(),
    };
    pipeline(output, blocks, &|pieces, text: &mut Vec<u8>| {
        for (state, range) in pieces {
            for k in range.clone() {
                line(*state, lts.labels()[k], exchange.of(lts.targets()[k]), text);
            }
        }
    })
}

type Piece = (StateId, Range<usize>);

/// Gathers pieces of rows to about the size of a block.
struct Blocks<I: Iterator<Item = Piece>> {
    pieces: std::iter::Peekable<I>,
}

impl<I: Iterator<Item = Piece>> Iterator for Blocks<I> {
    type Item = Vec<Piece>;

    fn next(&mut self) -> Option<Vec<Piece>> {
        let mut block = Vec::new();
        let mut transitions = 0;
        while let Some((_, range)) = self.pieces.peek() {
            transitions += range.len();
            if transitions > BLOCK && !block.is_empty() {
                break;
            }
            block.extend(self.pieces.next());
        }
        (!block.is_empty()).then_some(block)
    }
}

/// Appends a number in decimal digits.
#[inline]
pub(crate) fn push_number(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Texts by number, in one piece of memory.
pub(crate) struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    pub fn new() -> Self {
        Self {
            bytes: Vec::new(),
            ends: vec![0],
        }
    }

    /// Adds the next text, which `append` appends.
    pub fn push(&mut self, append: impl FnOnce(&mut Vec<u8>)) {
        append(&mut self.bytes);
        self.ends.push(self.bytes.len());
    }

    /// The text with this number.
    #[inline]
    pub fn get(&self, number: usize) -> &[u8] {
        &self.bytes[self.ends[number]..self.ends[number + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lts::LtsBuilder;

    #[test]
    fn numbers() {
        for number in [0, 1, 9, 10, 99, 100, 4_294_967_295, u64::MAX] {
            let mut text = b"x".to_vec();
            push_number(number, &mut text);
            assert_eq!(text, format!("x{number}").as_bytes());
        }
    }

    #[test]
    fn rows_of_all_lengths_in_their_order() {
        let lens = [0, 1, BLOCK - 1, 2, 0, 3 * BLOCK + 1, BLOCK, 7, 0];
        let mut lts = LtsBuilder::new(lens.len() as u64);
        for (state, &len) in lens.iter().enumerate() {
            for k in 0..len {
                let target = StateId::from_index(k % lens.len());
                lts.add(StateId::from_index(state), LabelId::HIDDEN, target);
            }
        }
        let lts = lts.build(StateId::new(5)).unwrap();
        for keep in [false, true] {
            let exchange = Exchange::new(&lts, keep);
            let mut expected = Vec::new();
            for state in (0..lens.len()).map(StateId::from_index) {
                for (_, target) in lts.outgoing(exchange.of(state)) {
                    let line = format!("{state} {}\n", exchange.of(target));
                    expected.extend_from_slice(line.as_bytes());
                }
            }
            let mut written = Vec::new();
            write_transitions(&lts, exchange, &mut written, |s, _, t, text| {
                text.extend_from_slice(format!("{s} {t}\n").as_bytes());
            })
            .unwrap();
            assert!(written == expected);
        }
    }

    #[test]
    fn all_states_in_their_order() {
        let mut written = Vec::new();
        let states = 9 * BLOCK + 3;
        write_states(states, &mut written, |s, text| {
            push_number(s.get().into(), text);
            text.push(b'\n');
        })
        .unwrap();
        let expected: String = (0..states).map(|s| format!("{s}\n")).collect();
        assert!(written == expected.as_bytes());
    }
}
