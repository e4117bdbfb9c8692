//! The sources of all transitions, which rows do not spell out.

use std::io;
use std::ops::Range;

use hyades::formats::Lts;
use memmap2::MmapMut;
use rayon::prelude::*;

/// Into so many parts transitions are cut.
const PARTS: usize = 64;
/// Rows of up to so many transitions are short.
const SHORT: usize = 8;

/// The source of each transition, in the order of the columns. In memory of its own mapping
/// with pages as large as the system has: touching it first is most of the work.
pub struct Sources {
    /// None if there are no transitions.
    memory: Option<MmapMut>,
    len: usize,
}

impl Sources {
    /// Those of an LTS. O(states + transitions), by all threads.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn of(lts: &Lts) -> io::Result<Self> {
        let len = lts.transitions();
        if len == 0 {
            return Ok(Self { memory: None, len });
        }
        let mut memory = MmapMut::map_anon(len * size_of::<u32>())?;
        // If there are no such pages, others do.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        // SAFETY: a page begins where a number may, the mapping has room for so many, and is
        // all zeros.
        let all = unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), len) };
        fill(lts, all);
        Ok(Self {
            memory: Some(memory),
            len,
        })
    }

    /// The sources.
    pub fn get(&self) -> &[u32] {
        match &self.memory {
            // SAFETY: as above; they have been written.
            Some(memory) => unsafe { std::slice::from_raw_parts(memory.as_ptr().cast(), self.len) },
            None => &[],
        }
    }
}

fn fill(lts: &Lts, all: &mut [u32]) {
    let offsets = lts.offsets();
    // The first state whose row begins in this part or behind.
    let cut = |part: usize| {
        let place = all.len() / PARTS * part;
        let starts = offsets.slice(0..lts.states());
        starts.partition_point(|start| start < place)
    };
    let mut cuts: Vec<usize> = (0..PARTS).map(cut).collect();
    cuts.push(lts.states());
    let mut parts: Vec<(Range<usize>, &mut [u32])> = Vec::with_capacity(PARTS);
    let mut rest = all;
    for states in cuts.windows(2) {
        let len = offsets.get(states[1]) - offsets.get(states[0]);
        let (part, behind) = rest.split_at_mut(len);
        parts.push((states[0]..states[1], part));
        rest = behind;
    }
    parts.into_par_iter().for_each(|(states, part)| {
        let mut at = 0;
        for state in states {
            let len = offsets.degree(state);
            // Rows are short as a rule: what is written behind one is overwritten by the next,
            // and that is sooner done than to count.
            match part[at..].first_chunk_mut::<SHORT>() {
                Some(room) if len <= SHORT => *room = [state as u32; SHORT],
                Some(_) | None => part[at..at + len].fill(state as u32),
            }
            at += len;
        }
    });
}
