//! Writing AUT.
//!
//! Blocks of lines are formatted in parallel while the blocks before them are
//! written, in order. Memory does not grow with the LTS, except for canonical
//! form with a huge row, which is sorted as a whole.

use std::io::{self, Write};
use std::ops::Range;

use hyades_base::parallel;
use rayon::prelude::*;

use super::spell::Speller;
use crate::blocks::Exchange;
use crate::canonical::ranked;
use crate::diagnostic::{Log, Sink};
use crate::error::WriteError;
use crate::lines::{BLOCK, BLOCK_BYTES, Lines, Pieces, Start, Style, write_transitions};
use crate::lts::{Lts, StateId};
use crate::options::WriteOptions;
use crate::pipeline::pipeline;
use crate::written::WrittenSize;

/// A row of more transitions is sorted by all threads together.
const HUGE_ROW: usize = 1 << 18;

/// `(SOURCE, LABEL, TARGET)`
pub(super) const STYLE: Style = Style {
    open: b"(",
    before_label: b", ",
    after_label: b", ",
    close: *b")\n",
};

/// Writes an LTS in AUT: in its own order, or in canonical form.
///
/// The bytes do not depend on the number of threads, which is that of the
/// current rayon pool. The output sees large writes and need not be buffered.
///
/// O(bytes) time, and for canonical form twice sorting each row.
///
/// # Errors
/// If the output refuses, or a label that occurs cannot be written under these
/// options; in the latter case nothing has been written.
pub fn write(
    lts: &Lts,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<WrittenSize, WriteError> {
    let pieces = spell(lts, options, sink)?;
    if options.canonical {
        return Canonical::new(lts, &pieces, options).write(output);
    }
    let size = WrittenSize::of(lts);
    write_header(output, lts.initial(), size.transitions, size.states)?;
    write_transitions(lts, &pieces, output)?;
    Ok(size)
}

/// Writes the header line, at once: the output need not have a buffer.
pub(super) fn write_header(
    output: &mut dyn Write,
    initial: StateId,
    transitions: u64,
    states: u64,
) -> io::Result<()> {
    output.write_all(format!("des ({initial}, {transitions}, {states})\n").as_bytes())
}

/// The spelling of every label that occurs.
fn spell(lts: &Lts, options: &WriteOptions, sink: &mut Sink<'_>) -> Result<Pieces, WriteError> {
    let table = lts.table();
    let mut speller = Speller::new(options);
    // Labels that do not occur must not stand in the way; usually none would.
    let odd = table.visible().any(|(_, text)| speller.is_odd(text));
    let used = odd.then(|| lts.used_labels());
    let is_used = |k: usize| used.as_ref().is_none_or(|used| used[k]);
    let mut log = Log::new();
    let mut pieces = Pieces::new(STYLE);
    let mut text = Vec::new();
    speller.hidden(&mut text);
    pieces.push(&text);
    for (label, visible) in table.visible() {
        text.clear();
        if is_used(label.index()) {
            let known = |text: &[u8]| table.find(text).is_some_and(|l| is_used(l.index()));
            speller.visible(visible, known, &mut log, &mut text);
        }
        pieces.push(&text);
    }
    pieces.check_lines("aut-line-length", &mut log);
    log.finish_writing(sink)?;
    Ok(pieces)
}

/// The canonical form of an LTS: rows in the order of the sources, within them
/// transitions by label bytes and target, each once.
struct Canonical<'a> {
    lts: &'a Lts,
    pieces: &'a Pieces,
    /// The place of each label in the order of the labels' bytes; labels that
    /// are written alike share one.
    ranks: Vec<u32>,
    /// A label for each rank.
    labels: Vec<u32>,
    /// New numbers of states.
    exchange: Exchange,
}

impl<'a> Canonical<'a> {
    fn new(lts: &'a Lts, pieces: &'a Pieces, options: &WriteOptions) -> Self {
        let unquoted = |k: u32| {
            let text = pieces.label(k);
            text.strip_prefix(b"\"")
                .and_then(|t| t.strip_suffix(b"\""))
                .unwrap_or(text)
        };
        let (ranks, labels) = ranked(pieces.len(), 0..pieces.len() as u32, unquoted);
        Self {
            lts,
            pieces,
            ranks,
            labels,
            exchange: Exchange::new(lts, options.keep_initial),
        }
    }

    fn write(&self, output: &mut dyn Write) -> Result<WrittenSize, WriteError> {
        let states = self.lts.states();
        let transitions = self.count();
        let initial = self.exchange.of(self.lts.initial());
        write_header(output, initial, transitions, states as u64)?;
        let mut from = 0;
        while from < states {
            let huge = (from..states).find(|&s| self.len(s) > HUGE_ROW);
            let to = huge.unwrap_or(states);
            pipeline(output, self.blocks(from..to), &|block, lines| {
                let mut row = Vec::new();
                for state in block.clone() {
                    self.sorted_row(state, &mut row);
                    self.format(state, &row, lines);
                }
            })?;
            if let Some(state) = huge {
                let mut row = Vec::new();
                self.sorted_row(state, &mut row);
                let longest = (self.pieces.longest() + 24).max(BLOCK_BYTES / BLOCK);
                let pieces = row.chunks((BLOCK_BYTES * 8 / longest).clamp(1, BLOCK));
                pipeline(output, pieces, &|piece, lines| {
                    self.format(state, piece, lines)
                })?;
            }
            from = to + 1;
        }
        Ok(WrittenSize {
            transitions,
            ..WrittenSize::of(self.lts)
        })
    }

    /// The number of different transitions.
    fn count(&self) -> u64 {
        let mut total = 0;
        let mut from = 0;
        let states = self.lts.states();
        while from < states {
            let huge = (from..states).find(|&s| self.len(s) > HUGE_ROW);
            let to = huge.unwrap_or(states);
            let blocks: Vec<_> = self.blocks(from..to).collect();
            let counts = parallel::map_each(&blocks, |block| {
                let mut row = Vec::new();
                let rows = block.clone().map(|state| {
                    self.sorted_row(state, &mut row);
                    row.len() as u64
                });
                rows.sum::<u64>()
            });
            total += counts.iter().sum::<u64>();
            if let Some(state) = huge {
                let mut row = Vec::new();
                self.sorted_row(state, &mut row);
                total += row.len() as u64;
            }
            from = to + 1;
        }
        total
    }

    /// The number of outgoing transitions of a state, by its number in the
    /// output.
    fn len(&self, state: usize) -> usize {
        let state = self.exchange.of(StateId::from_index(state));
        self.lts.row(state).len()
    }

    /// Cuts a range of states, none with a huge row, into blocks.
    fn blocks(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut next = range.start;
        std::iter::from_fn(move || {
            let start = next;
            let (mut transitions, mut bytes) = (0, 0);
            // states without transitions take time too
            let most = range.end.min(start + BLOCK);
            while next < most && transitions < BLOCK && bytes < BLOCK_BYTES {
                let row = self.lts.row(self.exchange.of(StateId::from_index(next)));
                transitions += row.len();
                if self.pieces.longest() > BLOCK_BYTES / BLOCK * 8 {
                    let labels = &self.lts.labels()[row];
                    let lines = labels.iter().map(|l| self.pieces.line_len(l.get()));
                    bytes += lines.sum::<usize>();
                }
                next += 1;
            }
            (start < next).then_some(start..next)
        })
    }

    /// The different transitions of a state, given by its number in the
    /// output: rank of the label and target in one number, in order.
    fn sorted_row(&self, state: usize, row: &mut Vec<u64>) {
        row.clear();
        let outgoing = self
            .lts
            .outgoing(self.exchange.of(StateId::from_index(state)));
        row.extend(outgoing.map(|(label, target)| {
            let rank = self.ranks[label.index()];
            u64::from(rank) << 32 | u64::from(self.exchange.of(target).get())
        }));
        if row.len() > HUGE_ROW {
            row.par_sort_unstable();
        } else {
            row.sort_unstable();
        }
        row.dedup();
    }

    /// Formats some of the transitions that [`Self::sorted_row`] gives.
    fn format(&self, state: usize, row: &[u64], lines: &mut Lines) {
        let start = Start::new(state as u32, &STYLE);
        for &key in row {
            let label = self.labels[(key >> 32) as usize];
            lines.push(&start, label, key as u32, self.pieces);
        }
    }
}
