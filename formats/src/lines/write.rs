//! Writing transitions, one a line.
//!
//! Blocks of lines are formatted in parallel while the blocks before them are
//! written, in order. Memory does not grow with the LTS.

use std::io::{self, Write};
use std::ops::Range;

use super::format::{Lines, Pieces, Start};
use super::pipeline::pipeline;
use crate::lts::Lts;

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
    let most = block_size(lts.transitions());
    let mut next = 0;
    let blocks = std::iter::from_fn(|| {
        let start = next;
        next = block_end(lts, start, most, pieces);
        (start < next).then_some(start..next)
    });
    pipeline(output, blocks, &|block, lines| {
        format_block(lts, block, pieces, lines)
    })
}

/// So many transitions are a block at the most: such that the blocks which are
/// in memory at a time are small against the columns.
fn block_size(transitions: usize) -> usize {
    let fair = transitions / (64 * rayon::current_num_threads());
    fair.clamp(BLOCK / 8, BLOCK)
}

/// Where the block of `most` transitions or fewer ends that begins at `start`.
fn block_end(lts: &Lts, start: usize, most: usize, pieces: &Pieces) -> usize {
    let end = (start + most).min(lts.transitions());
    if pieces.longest() <= 8 * BLOCK_BYTES / BLOCK {
        return end;
    }
    let mut bytes = 0;
    let labels = &lts.labels()[start..end];
    let len = labels.iter().position(|l| {
        bytes += pieces.line_len(l.get());
        bytes >= BLOCK_BYTES
    });
    start + len.map_or(labels.len(), |k| k + 1)
}

/// Formats a range of the transitions.
fn format_block(lts: &Lts, block: &Range<usize>, pieces: &Pieces, lines: &mut Lines) {
    let offsets = lts.offsets();
    // the last state whose row begins at or before the block
    let mut state = offsets.partition_point(|&o| o as usize <= block.start) - 1;
    let mut at = block.start;
    while at < block.end {
        let end = (offsets[state + 1] as usize).min(block.end);
        if at < end {
            let start = Start::new(state as u32, pieces.style());
            let labels = &lts.labels()[at..end];
            for (label, target) in labels.iter().zip(&lts.targets()[at..end]) {
                lines.push(&start, label.get(), target.get(), pieces);
            }
            at = end;
        }
        state += 1;
    }
}
