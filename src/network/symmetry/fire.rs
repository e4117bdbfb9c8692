//! What rules do to states of small components.

use std::collections::HashMap;

use hyades_formats::{LabelId, Lts, StateId};

use super::parts::Parts;

/// The transitions of a component in groups of equal source and label.
struct Table {
    /// For each state, where its groups start; and one more.
    rows: Vec<u32>,
    /// Label, and where the targets start; and one more.
    groups: Vec<(u32, u32)>,
    targets: Vec<u32>,
    /// For each state and label, one more than its group, or 0; empty if there are
    /// too many of both.
    direct: Vec<u32>,
    labels: usize,
}

/// The most entries that a direct index may have.
const MOST_DIRECT: usize = 1 << 22;

impl Table {
    /// The table of an LTS in which transitions of a state with the same label are
    /// neighbours, as minimal ones have them.
    fn new(lts: &Lts) -> Self {
        let mut table = Self {
            rows: Vec::with_capacity(lts.states() + 1),
            groups: Vec::new(),
            targets: lts.targets().iter().map(|t| t.get()).collect(),
            direct: Vec::new(),
            labels: lts.table().len(),
        };
        for state in (0..lts.states() as u32).map(StateId::new) {
            table.rows.push(table.groups.len() as u32);
            let row = lts.row(state);
            for at in row.clone() {
                let label = lts.labels()[at];
                if at == row.start || lts.labels()[at - 1] != label {
                    table.groups.push((label.get(), at as u32));
                }
            }
        }
        table.rows.push(table.groups.len() as u32);
        let size = lts.states().saturating_mul(table.labels);
        if size <= MOST_DIRECT {
            table.direct = vec![0; size];
            for state in 0..lts.states() {
                for group in table.row(state as u32) {
                    let label = table.groups[group].0 as usize;
                    table.direct[state * table.labels + label] = group as u32 + 1;
                }
            }
        }
        table.groups.push((0, table.targets.len() as u32));
        table
    }

    #[inline]
    fn row(&self, state: u32) -> std::ops::Range<usize> {
        self.rows[state as usize] as usize..self.rows[state as usize + 1] as usize
    }

    #[inline]
    fn targets(&self, group: usize) -> &[u32] {
        &self.targets[self.groups[group].1 as usize..self.groups[group + 1].1 as usize]
    }

    /// The group of a state's transitions with a label.
    #[inline]
    fn group(&self, state: u32, label: u32) -> Option<usize> {
        if !self.direct.is_empty() {
            let group = self.direct[state as usize * self.labels + label as usize];
            return (group as usize).checked_sub(1);
        }
        let mut row = self.row(state);
        row.find(|&group| self.groups[group].0 == label)
    }
}

/// The rules of a network, by a component of each.
pub(super) struct Rules {
    tables: Vec<Table>,
    /// The table of each component.
    table_of: Vec<u32>,
    /// For each component the groups of its table that have rules.
    index: Vec<Index>,
    /// Rules, and their other components: a range of `parts`.
    listed: Vec<(u32, u32, u32)>,
    /// Components and labels of their tables.
    parts: Vec<(u32, u32)>,
}

/// The groups of a component that have rules, by state.
#[derive(Default)]
struct Index {
    /// For each state, where its entries start; and one more.
    rows: Vec<u32>,
    /// A group, and its rules: a range of all that are listed.
    entries: Vec<(u32, u32, u32)>,
}

/// A rule by one of its components: that one's label, the rule's number, and the
/// other components with their labels.
type Keyed = (u32, u32, Vec<(u32, u32)>);

/// Memory for a walk over what rules do.
#[derive(Default)]
pub(super) struct Walk {
    /// The components that move, and their targets.
    moves: Vec<(u32, u32)>,
    groups: Vec<usize>,
    turns: Vec<usize>,
}

impl Rules {
    pub fn new(parts: &Parts) -> Self {
        let tables: Vec<Table> = parts
            .leaves
            .iter()
            .map(|leaf| Table::new(&leaf.lts))
            .collect();
        let labels = parts.leaves.iter().map(|leaf| {
            let numbers = leaf.number.iter().enumerate();
            let numbers = numbers.filter_map(|(k, n)| n.map(|n| (n, k as u32)));
            numbers.collect::<HashMap<u32, u32>>()
        });
        let labels: Vec<HashMap<u32, u32>> = labels.collect();
        // In how many states of a thousand a component has a label.
        let frequencies: Vec<Vec<u64>> =
            parts.leaves.iter().zip(&tables).map(frequencies).collect();
        let count = parts.count();
        let mut own: Vec<Vec<Keyed>> = vec![Vec::new(); count];
        for (number, rule) in (0..).zip(&parts.rules) {
            let local = |&(c, label): &(u32, u32)| {
                (c, labels[parts.components[c as usize] as usize][&label])
            };
            let mut others: Vec<(u32, u32)> = rule.parts.iter().map(local).collect();
            let rarity = |&(_, &(c, label)): &(usize, &(u32, u32))| {
                frequencies[parts.components[c as usize] as usize][label as usize]
            };
            let key = others.iter().enumerate().min_by_key(rarity);
            let key = key.expect("a rule has parts").0;
            let (component, label) = others.remove(key);
            own[component as usize].push((label, number, others));
        }
        let mut rules = Self {
            table_of: parts.components[..count].to_vec(),
            index: Vec::with_capacity(count),
            listed: Vec::new(),
            parts: Vec::new(),
            tables,
        };
        for (component, mut own) in own.into_iter().enumerate() {
            own.sort_by_key(|&(label, number, _)| (label, number));
            let labels = parts.leaf(component).lts.table().len();
            let mut of_label = vec![(0, 0); labels];
            for (label, number, others) in own {
                let at = rules.listed.len() as u32;
                let range: &mut (u32, u32) = &mut of_label[label as usize];
                if range.1 == 0 {
                    range.0 = at;
                }
                range.1 = at + 1;
                let from = rules.parts.len() as u32;
                rules.parts.extend(others);
                rules.listed.push((number, from, rules.parts.len() as u32));
            }
            let table = &rules.tables[rules.table_of[component] as usize];
            let mut index = Index::default();
            for state in 0..parts.leaf(component).lts.states() as u32 {
                index.rows.push(index.entries.len() as u32);
                for group in table.row(state) {
                    let (from, to) = of_label[table.groups[group].0 as usize];
                    if from < to {
                        index.entries.push((group as u32, from, to));
                    }
                }
            }
            index.rows.push(index.entries.len() as u32);
            rules.index.push(index);
        }
        rules
    }

    /// Calls `take` for each way in which a rule can apply to these states of
    /// components: the rule, and the components that move with their targets.
    #[inline]
    pub fn each(&self, states: &[u32], walk: &mut Walk, mut take: impl FnMut(u32, &[(u32, u32)])) {
        for ((component, index), &state) in (0u32..).zip(&self.index).zip(states) {
            let (from, to) = (index.rows[state as usize], index.rows[state as usize + 1]);
            for &(group, from, to) in &index.entries[from as usize..to as usize] {
                for &(rule, first, end) in &self.listed[from as usize..to as usize] {
                    let others = &self.parts[first as usize..end as usize];
                    walk.groups.clear();
                    walk.groups.push(group as usize);
                    for &(other, label) in others {
                        let table = &self.tables[self.table_of[other as usize] as usize];
                        match table.group(states[other as usize], label) {
                            Some(group) => walk.groups.push(group),
                            None => break,
                        }
                    }
                    if walk.groups.len() == others.len() + 1 {
                        self.combinations(component, others, walk, |moves| take(rule, moves));
                    }
                }
            }
        }
    }

    /// All combinations of targets, as an odometer turns.
    #[inline]
    fn combinations(
        &self,
        component: u32,
        others: &[(u32, u32)],
        walk: &mut Walk,
        mut take: impl FnMut(&[(u32, u32)]),
    ) {
        let Walk {
            moves,
            groups,
            turns,
        } = walk;
        let components = std::iter::once(component).chain(others.iter().map(|other| other.0));
        let targets =
            |at: usize, c: u32| self.tables[self.table_of[c as usize] as usize].targets(groups[at]);
        moves.clear();
        moves.extend(components.enumerate().map(|(at, c)| (c, targets(at, c)[0])));
        turns.clear();
        turns.resize(moves.len(), 0);
        loop {
            take(moves);
            let next = (0..moves.len()).rev().find(|&at| {
                let own = targets(at, moves[at].0);
                turns[at] = if turns[at] + 1 == own.len() {
                    0
                } else {
                    turns[at] + 1
                };
                moves[at].1 = own[turns[at]];
                turns[at] > 0
            });
            if next.is_none() {
                return;
            }
        }
    }
}

fn frequencies((leaf, table): (&super::parts::Leaf, &Table)) -> Vec<u64> {
    let mut count = vec![0u64; leaf.lts.table().len()];
    let last = table.groups.len() - 1;
    for &(label, _) in &table.groups[..last] {
        count[LabelId::new(label).index()] += 1;
    }
    let states = leaf.lts.states() as u64;
    count.iter().map(|n| (n << 32) / states).collect()
}
