//! Reading a partitioned LTS into memory.

use std::sync::Arc;

use hyades_base::parallel;

use super::block::Block;
use super::layout::wrong;
use super::parts::{Parts, Sums, too_large};
use crate::diagnostic::Sink;
use crate::error::ReadError;
use crate::lts::{LabelId, LabelTable, Lts, LtsParts, StateId, TooLarge};
use crate::options::ReadOptions;
use crate::source::{Content, Source};
use hyades_base::fill;

/// So many blocks are read at a time for each thread.
const BLOCKS: usize = 2;

/// Reads a partitioned LTS. Every byte of it is checked.
///
/// Label 0 is hidden; labels that `options.hidden` names are hidden, too. Other options
/// have no effect. Blocks of all parts are read in parallel. O(bytes); 8 bytes a
/// transition and 4 a state, and two blocks of a few MiB for each thread.
///
/// # Errors
/// If a file is missing or damaged, or if there is more than an [`Lts`] can hold.
pub fn read(source: Source, options: &ReadOptions, _: &mut Sink<'_>) -> Result<Lts, ReadError> {
    let (name, progress) = (Arc::clone(&source.name), source.progress());
    let Content::Folder(folder) = &source.content else {
        return Err(wrong(
            &name,
            "a partitioned LTS is a directory: name that, not a file",
        ));
    };
    let parts = Parts::open(folder)?;
    progress.announce(parts.manifest().bytes());
    parts.check_limits(&name)?;
    let (table, map) = parts.labels_read(options)?;
    progress.consume(parts.manifest().labels.bytes);
    let (states, transitions) = (parts.states() as usize, parts.transitions() as usize);
    let mut columns = Columns::default();
    fill::reserve(&mut columns.offsets, states + 1);
    fill::reserve(&mut columns.labels, transitions);
    fill::reserve(&mut columns.targets, transitions);
    columns.offsets.push(0);
    let mut sums = Sums::new(&parts);
    let mut blocks: Vec<Block> = Vec::new();
    let many = BLOCKS * parallel::threads();
    for first in (0..parts.block_count()).step_by(many) {
        blocks.resize_with(many.min(parts.block_count() - first), Block::default);
        let read = parallel_read(&parts, first, &mut blocks)?;
        let summed = rayon::join(
            || blocks.iter().try_for_each(|block| sums.add(block)),
            || columns.append(&blocks, &map),
        );
        summed.0?;
        progress.consume(read);
    }
    sums.finish()?;
    let offsets = Lts::offsets_from_wrapping(columns.offsets, columns.targets.len())
        .map_err(|error| too_large(&name, error))?;
    // Sizes agree with the manifest's, and every number has been looked at.
    Ok(Lts::from_trusted_parts(LtsParts {
        initial: StateId::new(parts.initial() as u32),
        offsets,
        labels: columns.labels,
        targets: columns.targets,
        table,
    }))
}

/// Reads consecutive blocks; how many bytes they have.
fn parallel_read(parts: &Parts, first: usize, blocks: &mut [Block]) -> Result<u64, ReadError> {
    let mut slots: Vec<_> = blocks.iter_mut().map(|block| (block, Ok(()))).collect();
    parallel::for_each_mut(&mut slots, 1, |k, (block, read)| {
        *read = parts.read_block(first + k, block);
    });
    let mut bytes = 0;
    for (block, read) in slots {
        read?;
        bytes += block.stored.len() as u64;
    }
    Ok(bytes)
}

impl Parts {
    /// The labels, and what number each has in an LTS that is read under these options.
    ///
    /// # Errors
    /// As [`Parts::labels`].
    pub fn labels_read(
        &self,
        options: &ReadOptions,
    ) -> Result<(LabelTable, Vec<LabelId>), ReadError> {
        let table = self.labels()?;
        let is_hidden = |text: &[u8]| options.hidden.iter().any(|hidden| hidden == text);
        let visible = table.visible().map(|(label, text)| match is_hidden(text) {
            true => LabelId::HIDDEN,
            false => label,
        });
        let map = std::iter::once(LabelId::HIDDEN).chain(visible).collect();
        Ok((table, map))
    }

    /// Refuses more than an LTS can hold.
    ///
    /// # Errors
    /// If there is more.
    pub fn check_limits(&self, name: &str) -> Result<(), ReadError> {
        for (what, count, limit) in [
            ("states", self.states(), StateId::MAX_COUNT),
            ("transitions", self.transitions(), Lts::MAX_TRANSITIONS),
            ("labels", self.manifest().labels.count, LabelId::MAX_COUNT),
        ] {
            if count > limit {
                return Err(too_large(name, TooLarge { what, limit }));
            }
        }
        Ok(())
    }
}

/// The columns of the blocks so far.
#[derive(Default)]
struct Columns {
    /// Modulo 2^32.
    offsets: Vec<u32>,
    labels: Vec<LabelId>,
    targets: Vec<StateId>,
}

impl Columns {
    fn append(&mut self, blocks: &[Block], map: &[LabelId]) {
        let transitions: Vec<usize> = blocks.iter().map(Block::transitions).collect();
        let states: Vec<usize> = blocks.iter().map(Block::states).collect();
        let mut starts = Vec::with_capacity(blocks.len());
        let mut start = self.targets.len();
        for count in &transitions {
            starts.push(start);
            start += count;
        }
        fill::append(&mut self.offsets, &states, |k| {
            let mut end = starts[k] as u32;
            blocks[k].degrees().iter().map(move |&degree| {
                end = end.wrapping_add(degree as u32);
                end
            })
        });
        fill::append(&mut self.labels, &transitions, |k| {
            blocks[k].labels().map(|label| map[label as usize])
        });
        fill::append(&mut self.targets, &transitions, |k| {
            blocks[k]
                .targets()
                .map(|target| StateId::new(target as u32))
        });
    }
}
