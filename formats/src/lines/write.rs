//! Writing transitions, one a line.
//!
//! Blocks of lines are formatted in parallel while the blocks before them are
//! written, in order. Memory does not grow with the LTS.

use std::io::{self, Write};
use std::ops::Range;

use hyades_base::parallel;

use super::format::{Lines, Pieces, Start};
use crate::consecutive::Rows;
use crate::lts::{LabelId, Lts};
use crate::pipeline::pipeline;

/// About so many bytes are formatted by one thread at a time.
pub(crate) const BLOCK_BYTES: usize = 1 << 18;
/// So many transitions are formatted at a time where labels are short.
pub(crate) const BLOCK: usize = 1 << 13;

/// Writes the transitions of an LTS, in its own order; `pieces` are those of all
/// labels that occur.
///
/// The bytes do not depend on the number of threads, which is that of the
/// current rayon pool. The output sees large writes and need not be buffered.
///
/// O(bytes) time.
///
/// # Errors
/// If the output refuses.
pub(crate) fn write_transitions(
    lts: &Lts,
    pieces: &Pieces,
    output: &mut dyn Write,
) -> io::Result<()> {
    write_rows(&[Rows::of(lts)], pieces, output)
}

/// As [`write_transitions`], for transitions that are in several places.
///
/// # Errors
/// If the output refuses.
pub(crate) fn write_rows(
    parts: &[Rows<'_>],
    pieces: &Pieces,
    output: &mut dyn Write,
) -> io::Result<()> {
    let most = block_size(parts.iter().map(|rows| rows.labels.len()).sum());
    let (mut part, mut next) = (0, 0);
    let blocks = std::iter::from_fn(|| {
        while let Some(rows) = parts.get(part) {
            let start = next;
            next = block_end(rows.labels, start, most, pieces);
            if start < next {
                return Some((rows, start..next));
            }
            (part, next) = (part + 1, 0);
        }
        None
    });
    pipeline(output, blocks, &|(rows, block), lines| {
        format_rows(rows, block.clone(), pieces, lines)
    })
}

/// So many transitions are a block at the most: such that the blocks which are
/// in memory at a time are small against the columns.
fn block_size(transitions: usize) -> usize {
    let least = BLOCK / 8;
    let fair = transitions / (64 * parallel::threads_for(transitions, least));
    fair.clamp(least, BLOCK)
}

/// Where the block of `most` transitions or fewer ends that begins at `start`.
fn block_end(labels: &[LabelId], start: usize, most: usize, pieces: &Pieces) -> usize {
    let end = (start + most).min(labels.len());
    if pieces.longest() <= 8 * BLOCK_BYTES / BLOCK {
        return end;
    }
    let mut bytes = 0;
    let labels = &labels[start..end];
    let len = labels.iter().position(|l| {
        bytes += pieces.line_len(l.get());
        bytes >= BLOCK_BYTES
    });
    start + len.map_or(labels.len(), |k| k + 1)
}

/// Formats a range of the transitions.
pub(crate) fn format_rows(
    rows: &Rows<'_>,
    block: Range<usize>,
    pieces: &Pieces,
    lines: &mut Lines,
) {
    // the first row that goes on at the block
    let mut row = rows.ends.partition_point(|end| end <= block.start);
    let mut at = block.start;
    while at < block.end {
        let end = match row < rows.ends.len() {
            true => rows.ends.get(row).min(block.end),
            false => block.end,
        };
        if at < end {
            let start = Start::new(rows.first.get() + row as u32, pieces.style());
            let labels = &rows.labels[at..end];
            for (label, target) in labels.iter().zip(&rows.targets[at..end]) {
                lines.push(&start, label.get(), target.get(), pieces);
            }
            at = end;
        }
        row += 1;
    }
}
