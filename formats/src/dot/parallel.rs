//! Simple edges of large files, read by all threads.
//!
//! Where a simple edge is in its place, the next line begins a statement of the
//! graph itself again. So all parts of a file may be read at once as if only
//! simple edges came before them, and what comes of a part counts if that turns
//! out to be so.

use hyades_base::parallel;
use memchr::memchr;

use super::graph::{Edge, Graph};
use super::names::Names;
use super::simple::{self, Limits};
use crate::lines::Recent;
use crate::lts::{LabelTable, TooLarge};

/// What a part of a file holds.
struct Part {
    /// Labels below the number of those known are final; further ones mean, in
    /// order, those of `new`.
    edges: Vec<Edge>,
    new: LabelTable,
    /// Where each of the new labels stands first.
    first: Vec<usize>,
    /// The end of the last line that was read.
    end: usize,
    /// Whether that was the last one of the part.
    complete: bool,
}

/// So many parts for each thread are read at a time.
const PARTS: usize = 4;

/// Reads simple edges between known nodes from `at` on, where a statement of the
/// graph itself may begin, but not within a line. Gives where other things
/// begin, or where the file is not cut into parts any more; and whether it was
/// the former.
///
/// # Errors
/// If there are too many labels.
pub(super) fn edges(
    file: &[u8],
    mut at: usize,
    graph: &mut Graph,
    limits: &Limits,
) -> Result<(usize, bool), TooLarge> {
    let most = PARTS * parallel::threads();
    loop {
        let mut ranges = Vec::with_capacity(most);
        let mut from = at;
        while ranges.len() < most && limits.is_worth_it(file.len() - from) {
            let Some(len) = memchr(b'\n', &file[from + limits.part..]) else {
                break;
            };
            let to = from + limits.part + len;
            ranges.push((from, to));
            from = to;
        }
        if ranges.is_empty() {
            return Ok((at, false));
        }
        let parts = parallel::map_each(&ranges, |&range| part(file, range, graph, limits));
        let known = graph.texts.len() as u32;
        for part in parts {
            append(graph, &part, known)?;
            at = part.end;
            if !part.complete {
                return Ok((at, true));
            }
        }
    }
}

/// Reads the lines that begin after `from`, and before the line break `to`.
fn part(file: &[u8], (from, to): (usize, usize), graph: &Graph, limits: &Limits) -> Part {
    let letter = graph.names.letter();
    let number = |name: &simple::Name| {
        let numbered = name.numbered?;
        (Some(numbered.letter) == letter).then_some(numbered.number)
    };
    let known = graph.texts.len() as u32;
    let mut recent = Recent::new(to - from, 0);
    let mut part = Part {
        edges: Vec::with_capacity((to - from) / 32),
        new: graph.texts.new_alike(),
        first: Vec::new(),
        end: from,
        complete: false,
    };
    // where the lines of the edges end
    let mut ends = Vec::with_capacity((to - from) / 32);
    loop {
        let at = simple::skip(file, part.end);
        if at >= to {
            part.complete = true;
            break;
        }
        let near = limits.near(file, at);
        let Some(line) = simple::edge(near, at) else {
            break;
        };
        let (Some(source), Some(target)) = (number(&line.source), number(&line.target)) else {
            break;
        };
        let slot = recent.slot(near, line.label);
        let label = match slot.and_then(|slot| recent.get(near, line.label, true, slot)) {
            Some(label) => label,
            None => {
                let text = &near[line.label.0..line.label.1];
                let Some(label) = part.label(text, line.label.0 - 1, graph, known, limits) else {
                    break;
                };
                if let Some(slot) = slot {
                    recent.put(text, true, slot, label);
                }
                label
            }
        };
        part.edges.push(Edge {
            source,
            target,
            label,
        });
        part.end = line.end;
        ends.push(line.end);
    }
    // All together, so that waiting for memory overlaps. Labels after an unknown
    // node stay: they are going to be met again.
    let recalled = recall_all(&graph.names, &mut part.edges);
    if recalled < part.edges.len() {
        part.edges.truncate(recalled);
        part.complete = false;
        part.end = recalled.checked_sub(1).map_or(from, |last| ends[last]);
    } else if part.complete {
        part.end = to;
    }
    part
}

/// Replaces numbers that come after the letter of names by the nodes of these names,
/// at both ends of edges; ends at the first edge with one that is not remembered, and
/// tells how many come before.
fn recall_all(names: &Names, edges: &mut [Edge]) -> usize {
    for (k, edge) in edges.iter_mut().enumerate() {
        let ends = (names.numbered(edge.source), names.numbered(edge.target));
        let (Some(source), Some(target)) = ends else {
            return k;
        };
        (edge.source, edge.target) = (source, target);
    }
    edges.len()
}

impl Part {
    /// The number of a label that stands at `at`, if it is a usual one.
    fn label(
        &mut self,
        text: &[u8],
        at: usize,
        graph: &Graph,
        known: u32,
        limits: &Limits,
    ) -> Option<u32> {
        if !simple::is_usual(text, limits.entities) {
            return None;
        }
        let key = graph.texts.key(text);
        if let Some(label) = graph.texts.find_key(&key, text) {
            return Some(label.get());
        }
        let label = self.new.intern_key(&key, text).ok()?.get();
        if self.first.len() < label as usize {
            self.first.push(at);
        }
        // if there are too many, it is told when they are put together
        (known - 1).checked_add(label)
    }
}

/// Adds the edges of a part for which so many labels were known.
fn append(graph: &mut Graph, part: &Part, known: u32) -> Result<(), TooLarge> {
    let map = graph.texts.intern_all(&part.new)?;
    for (&label, &at) in map.iter().zip(&part.first) {
        if label as usize == graph.first.len() {
            graph.first.push(at);
        }
    }
    graph.edges.extend(part.edges.iter().map(|edge| Edge {
        label: match edge.label.checked_sub(known) {
            None => edge.label,
            Some(new) => map[new as usize],
        },
        ..*edge
    }));
    Ok(())
}
