//! Values that may be exchanged while all states stay as they are.
//!
//! Any permutation of a class of such values is a symmetry, and any symmetry maps the
//! class to such a class; nothing has to be searched for.

use super::alphabet::System;

/// The transitions of a system by their labels.
pub(super) struct Swaps<'a> {
    system: &'a System,
    /// Where the edges of each label start; and one more.
    starts: Vec<usize>,
    /// Sources and targets, ascending for each label.
    edges: Vec<(u32, u32)>,
}

impl<'a> Swaps<'a> {
    /// O(transitions); 8 bytes for each.
    pub fn new(system: &'a System) -> Self {
        let mut starts = vec![0; system.alphabet.len() + 1];
        for &label in &system.labels {
            starts[label as usize + 1] += 1;
        }
        for label in 1..starts.len() {
            starts[label] += starts[label - 1];
        }
        let mut next = starts.clone();
        let mut edges = vec![(0, 0); system.labels.len()];
        for source in 0..system.states() as u32 {
            for k in system.row(source) {
                let at = &mut next[system.labels[k] as usize];
                edges[*at] = (source, system.targets[k]);
                *at += 1;
            }
        }
        Self {
            system,
            starts,
            edges,
        }
    }

    /// Whether the exchange of these values is a symmetry that keeps each state.
    /// O(transitions with one of them).
    pub fn keep_states(&self, v: u32, w: u32) -> bool {
        let alphabet = &self.system.alphabet;
        let exchanged = |x: u32| match x {
            _ if x == v => w,
            _ if x == w => v,
            _ => x,
        };
        let mut key = Vec::new();
        let mut labels = [v, w].into_iter().flat_map(|x| alphabet.labels_of(x));
        labels.all(|&label| {
            let image = alphabet.mapped(label, exchanged, &mut key);
            image.is_some_and(|image| self.edges(label) == self.edges(image))
        })
    }

    /// Whether each permutation of these is a symmetry that keeps each state.
    pub fn keep_all(&self, values: &[u32]) -> bool {
        values
            .windows(2)
            .all(|pair| self.keep_states(pair[0], pair[1]))
    }

    fn edges(&self, label: u32) -> &[(u32, u32)] {
        &self.edges[self.starts[label as usize]..self.starts[label as usize + 1]]
    }
}
