//! All sequences that a pattern matches.

use std::collections::{BTreeMap, HashMap, VecDeque};

use hyades_explore::{Emit, Erased, ExploreError, Model, words};
use hyades_formats::{LabelId, LabelTable, TooLarge};

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

/// The labels of a state's transitions, and its targets.
struct Row {
    table: LabelTable,
    transitions: Vec<(LabelId, Box<[u64]>)>,
    error: Option<TooLarge>,
}

impl Emit for Row {
    fn label(&mut self, text: &[u8]) -> LabelId {
        self.table.intern(text).unwrap_or_else(|error| {
            self.error.get_or_insert(error);
            LabelId::HIDDEN
        })
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        self.transitions.push((label, target.into()));
    }
}

/// States as far as they are wanted, from the initial one, 0.
struct Graph {
    rows: Vec<Vec<(LabelId, u32)>>,
    /// Where sequences end.
    ends: Vec<bool>,
}

/// The sequences of labels that lead to states without transitions, each once, the
/// shortest first, and of one length by the numbers of labels; those of at most `depth`
/// labels. States that the model does not go on from do not count.
///
/// O(states and transitions up to that depth, and the steps of all sequences times the
/// states that one of them leads to).
///
/// # Errors
/// If there are infinitely many and no depth, or the model fails.
pub fn all_to_deadlocks(
    model: Erased<'_>,
    depth: Option<u64>,
) -> Result<(Vec<Vec<LabelId>>, LabelTable), NoList> {
    let (graph, table) = explored(model, depth)?;
    let distances = graph.distances();
    let depth = match depth {
        Some(depth) => depth,
        None if graph.has_circle(&distances) => return Err(NoList::Endless),
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
fn explored(model: Erased<'_>, depth: Option<u64>) -> Result<(Graph, LabelTable), ExploreError> {
    let mut initial = vec![0; words(model.bits())];
    model.initial(&mut initial)?;
    let mut row = Row {
        table: model.labels().into_owned(),
        transitions: Vec::new(),
        error: None,
    };
    let mut scratch = model.scratch();
    let initial: Box<[u64]> = initial.into();
    let mut numbers: HashMap<Box<[u64]>, u32> = HashMap::from([(initial.clone(), 0)]);
    let mut queue = VecDeque::from([(initial, 0)]);
    let (mut rows, mut ends) = (Vec::new(), Vec::new());
    while let Some((state, far)) = queue.pop_front() {
        row.transitions.clear();
        model.successors(&mut scratch, &state, &mut row)?;
        if let Some(error) = row.error.take() {
            return Err(error.into());
        }
        ends.push(row.transitions.is_empty() && !model.is_truncated(&state));
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
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.rows.len()];
        for (source, row) in self.rows.iter().enumerate() {
            for (_, target) in row {
                before[*target as usize].push(source as u32);
            }
        }
        let mut distances = vec![None; self.rows.len()];
        let ends = (0..self.rows.len()).filter(|&state| self.ends[state]);
        let mut queue: VecDeque<u32> = ends.map(|state| state as u32).collect();
        for &end in &queue {
            distances[end as usize] = Some(0);
        }
        while let Some(state) = queue.pop_front() {
            let next = distances[state as usize].map(|distance| distance + 1);
            for &source in &before[state as usize] {
                if distances[source as usize].is_none() {
                    distances[source as usize] = next;
                    queue.push_back(source);
                }
            }
        }
        distances
    }

    /// Whether one can go in a circle, and to an end afterwards.
    fn has_circle(&self, distances: &[Option<u64>]) -> bool {
        let is_useful = |state: u32| distances[state as usize].is_some();
        let mut entries = vec![0u32; self.rows.len()];
        for row in &self.rows {
            for (_, target) in row {
                entries[*target as usize] += 1;
            }
        }
        // All can be reached: what is never free of entries is in or behind a circle.
        let mut free: Vec<u32> = (0..self.rows.len() as u32)
            .filter(|&state| entries[state as usize] == 0)
            .collect();
        let mut is_free = vec![false; self.rows.len()];
        while let Some(state) = free.pop() {
            is_free[state as usize] = true;
            for (_, target) in &self.rows[state as usize] {
                entries[*target as usize] -= 1;
                if entries[*target as usize] == 0 {
                    free.push(*target);
                }
            }
        }
        (0..self.rows.len() as u32).any(|state| !is_free[state as usize] && is_useful(state))
    }
}
