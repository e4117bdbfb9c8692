//! All sequences that a pattern matches.

use std::collections::{BTreeMap, HashMap, VecDeque};

use hyades_base::grouped::Grouped;
use hyades_explore::{Enabled, Erased, ExploreError, Model, Searched};
use hyades_formats::{LabelId, LabelTable, Offsets, StateId, TooLarge};
use hyades_lts::{first_on_cycle, hidden_components};

/// Why there is no list of all sequences.
pub enum NoList {
    /// There are infinitely many.
    Endless,
    /// The model failed.
    Failed(ExploreError),
}

impl<E: Into<ExploreError>> From<E> for NoList {
    fn from(error: E) -> Self {
        NoList::Failed(error.into())
    }
}

/// States as far as they are wanted, from the initial one, 0.
struct Graph {
    rows: Vec<Vec<(LabelId, u32)>>,
    /// Where sequences end.
    ends: Vec<bool>,
}

/// The sequences of labels that lead to ends, each once, the shortest first, and of one
/// length by the numbers of labels; those of at most `depth` labels.
///
/// O(states and transitions up to that depth, and the steps of all sequences times the
/// states that one of them leads to).
///
/// # Errors
/// If there are infinitely many and no depth, or the model fails.
pub fn all_to_ends(
    searched: &Searched<'_, Erased<'_>>,
    depth: Option<u64>,
) -> Result<(Vec<Vec<LabelId>>, LabelTable), NoList> {
    let (graph, table) = explored(searched, depth)?;
    let distances = graph.distances();
    let depth = match depth {
        Some(depth) => depth,
        None if graph.has_cycle(&distances) => return Err(NoList::Endless),
        None => u64::MAX,
    };
    let mut found = Vec::new();
    let mut level: Vec<(Vec<LabelId>, Vec<u32>)> = vec![(Vec::new(), vec![0])];
    let mut length = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        for (word, states) in level {
            let is_end = states.iter().any(|&state| graph.ends[state as usize]);
            let mut after: BTreeMap<LabelId, Vec<u32>> = BTreeMap::new();
            for &state in &states {
                for &(label, target) in &graph.rows[state as usize] {
                    let is_near = distances[target as usize].is_some_and(|d| d < depth - length);
                    if length < depth && is_near {
                        after.entry(label).or_default().push(target);
                    }
                }
            }
            for (label, mut targets) in after {
                targets.sort_unstable();
                targets.dedup();
                let mut longer = word.clone();
                longer.push(label);
                next.push((longer, targets));
            }
            if is_end {
                found.push(word);
            }
        }
        level = next;
        length += 1;
    }
    Ok((found, table))
}

/// The states up to a depth.
fn explored(
    searched: &Searched<'_, Erased<'_>>,
    depth: Option<u64>,
) -> Result<(Graph, LabelTable), ExploreError> {
    let model = searched.erased();
    let initial: Box<[u64]> = model.initial_state()?.into();
    let mut row = Enabled::new(model);
    let mut scratch = model.scratch();
    let mut numbers: HashMap<Box<[u64]>, u32> = HashMap::from([(initial.clone(), 0)]);
    let mut queue = VecDeque::from([(initial, 0)]);
    let (mut rows, mut ends) = (Vec::new(), Vec::new());
    while let Some((state, far)) = queue.pop_front() {
        row.fill(model, &mut scratch, &state)?;
        ends.push(searched.is_end(&state));
        let mut own = Vec::new();
        for (label, target) in row.transitions.drain(..) {
            let next = numbers.len() as u32;
            let number = match numbers.get(&target) {
                Some(&number) => number,
                None if depth.is_some_and(|depth| far >= depth) => continue,
                None if next == u32::MAX => {
                    return Err(TooLarge {
                        what: "states",
                        limit: u64::from(u32::MAX),
                    }
                    .into());
                }
                None => {
                    numbers.insert(target.clone(), next);
                    queue.push_back((target, far + 1));
                    next
                }
            };
            own.push((label, number));
        }
        rows.push(own);
    }
    Ok((Graph { rows, ends }, row.table))
}

impl Graph {
    /// How far it is from each state to an end, if there is a way.
    fn distances(&self) -> Vec<Option<u64>> {
        let sources = self.rows.iter().zip(0..);
        let steps = sources.flat_map(|(row, source)| row.iter().map(move |step| (step.1, source)));
        let before = Grouped::new(self.rows.len(), steps);
        let mut distances = vec![None; self.rows.len()];
        let ends = (0..self.rows.len()).filter(|&state| self.ends[state]);
        let mut queue: VecDeque<u32> = ends.map(|state| state as u32).collect();
        for &end in &queue {
            distances[end as usize] = Some(0);
        }
        while let Some(state) = queue.pop_front() {
            let next = distances[state as usize].map(|distance| distance + 1);
            for &source in before.of(state) {
                if distances[source as usize].is_none() {
                    distances[source as usize] = next;
                    queue.push_back(source);
                }
            }
        }
        distances
    }

    /// Whether there is a cycle from which an end can be reached.
    fn has_cycle(&self, distances: &[Option<u64>]) -> bool {
        let is_useful = |state: u32| distances[state as usize].is_some();
        let mut offsets = Offsets::with_capacity(self.rows.len());
        let mut targets = Vec::new();
        // What leads from a useful state to a useful one: a cycle is of these or has no end.
        for (row, state) in self.rows.iter().zip(0..) {
            let after = row.iter().map(|&(_, target)| target);
            let after = after.filter(|&target| is_useful(state) && is_useful(target));
            targets.extend(after.map(StateId::new));
            offsets.push(targets.len());
        }
        let components = hidden_components(&offsets, &targets);
        first_on_cycle(&components, &offsets, &targets, |_| true).is_some()
    }
}
