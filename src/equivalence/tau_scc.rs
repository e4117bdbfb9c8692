//! What hidden transitions alone say about branching bisimilarity: states on a
//! hidden cycle are equivalent, and a state that can do nothing but one hidden
//! step is equivalent to where that leads.

use hyades_base::grouped::Grouped;
use hyades_base::parallel::{self, even_ranges};
use hyades_formats::{LabelId, Lts, Offsets, StateId};
use hyades_lts::{CORE_PART, LEAST_WITH_CORE, StateSet, component_core};

use super::rows::{Rows, TASK, TransitionColumns, finish_row};

/// An LTS without hidden cycles, whose nodes stand for sets of branching
/// bisimilar states.
pub(crate) struct TauContraction {
    /// The node of each state.
    pub(crate) node: Vec<u32>,
    /// Rows of transitions by node, without duplicates, ascending by label and
    /// target: the hidden ones come first. Hidden transitions lead to nodes of
    /// smaller numbers.
    columns: TransitionColumns,
    /// The label of the self-loops that stand for divergence.
    pub(super) divergence: LabelId,
}

impl TauContraction {
    /// Contracts an LTS. With `divergence`, a node that has a hidden cycle gets
    /// a self-loop with a label of its own, and states are taken together by
    /// divergence-preserving branching bisimilarity only.
    ///
    /// O(m + n), but for sorting each row; without recursion (Tarjan 1972, with
    /// one number a state as in Pearce 2016).
    pub(crate) fn new(lts: &Lts, divergence: bool) -> Self {
        let (node, diverges) = nodes(lts, divergence);
        let label = LabelId::new(lts.table().len() as u32);
        Self::with_nodes(lts.into(), node, &diverges, label)
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        self.columns.rows()
    }

    /// The node of each state, and the rows.
    pub(crate) fn into_parts(self) -> (Vec<u32>, TransitionColumns) {
        (self.node, self.columns)
    }

    /// Contracts an LTS to these nodes, numbered so that hidden transitions from one
    /// to another lead to smaller numbers. Each that `diverges` gets a self-loop
    /// with the label `divergence`, which is greater than all others.
    ///
    /// O(m + n), but for sorting each row; in parallel. 16 bytes a transition of
    /// the result and 16 a state at the peak.
    pub(crate) fn with_nodes(
        rows: Rows<'_>,
        node: Vec<u32>,
        diverges: &[bool],
        divergence: LabelId,
    ) -> Self {
        let count = diverges.len();
        // The states of each node, and an upper bound to its degree.
        let members = Grouped::new(count, node.iter().copied().zip(0..));
        let bounds = Offsets::from_lengths((0..count as u32).map(|v| {
            let states = members.of(v).iter();
            states.map(|&s| rows.degree(s)).sum()
        }));
        let parts: Vec<(Vec<u64>, Vec<u32>)> =
            parallel::map_each(&even_ranges(&bounds, TASK), |task| {
                let mut entries: Vec<u64> = Vec::new();
                let mut lengths = Vec::with_capacity(task.len());
                for v in task.clone() {
                    let start = entries.len();
                    for &s in members.of(v as u32) {
                        let (labels, targets) = rows.row(s);
                        for (&l, &t) in labels.iter().zip(targets) {
                            let target = node[t.index()];
                            if !l.is_hidden() || target as usize != v {
                                entries.push(u64::from(l.get()) << 32 | u64::from(target));
                            }
                        }
                    }
                    if diverges[v] {
                        entries.push(u64::from(divergence.get()) << 32 | v as u64);
                    }
                    finish_row(&mut entries, start);
                    lengths.push((entries.len() - start) as u32);
                }
                (entries, lengths)
            });
        drop((members, bounds));
        Self {
            node,
            columns: TransitionColumns::new(parts),
            divergence,
        }
    }
}

/// Where the transitions lead that leave a component, in 4 bytes: a node, if all are hidden
/// and lead to that one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Exit(u32);

impl Exit {
    /// There are none so far.
    const NONE: Self = Self(u32::MAX);
    /// To several nodes, or some are visible.
    const MANY: Self = Self(u32::MAX - 1);

    fn and(&mut self, other: Self) {
        if *self == Self::NONE {
            *self = other;
        } else if *self != other && other != Self::NONE {
            *self = Self::MANY;
        }
    }

    /// The only node.
    fn node(self) -> Option<u32> {
        (self != Self::NONE && self != Self::MANY).then_some(self.0)
    }
}

/// A state on the way of the depth-first search.
struct Visit {
    state: u32,
    /// How many of its targets have not been looked at since they were unseen.
    left: u32,
    /// The greatest index that hidden transitions lead up to.
    low: u32,
    exit: Exit,
}

impl Visit {
    /// A hidden transition leads to a state that has been seen: a node if its number is below
    /// `nodes`, or one of the same component.
    fn meets(&mut self, number: u32, nodes: usize) {
        match (number as usize) < nodes {
            // There are fewer nodes than 2^32 - 2, as there are states.
            true => self.exit.and(Exit(number)),
            false => self.low = self.low.max(number),
        }
    }
}

/// The node of each state, and for each node whether it diverges (never, unless
/// `divergence` is to be told).
///
/// The row of a state is looked at once, when it is met: targets that are unseen then are
/// kept, 4 bytes each. States of which it is known that they are of one component are met
/// together.
pub(super) fn nodes(lts: &Lts, divergence: bool) -> (Vec<u32>, Vec<bool>) {
    let core = component_core(lts, LabelId::is_hidden, LEAST, PART);
    nodes_around(core, lts, divergence)
}

fn nodes_around(core: Option<StateSet>, lts: &Lts, divergence: bool) -> (Vec<u32>, Vec<bool>) {
    /// Numbers from here on are indices of the search, from the top down;
    /// smaller ones are nodes. The two ranges cannot meet: each index in use
    /// stands for a state that has no node.
    const UNSEEN: u32 = u32::MAX;
    let n = lts.states();
    let (offsets, labels, targets) = (lts.offsets(), lts.labels(), lts.targets());
    let mut number = vec![UNSEEN; n];
    let mut diverges: Vec<bool> = Vec::new();
    // Indices of the search descend from UNSEEN − 1; an index that is greater
    // is earlier.
    let mut index = UNSEEN - 1;
    let mut path: Vec<Visit> = Vec::new();
    // Targets of the states on the path that were unseen.
    let mut unseen: Vec<u32> = Vec::new();
    // States that are done, but whose component is not.
    let mut waiting: Vec<u32> = Vec::new();
    // Whether a state has a hidden cycle that the search has met nobody else on.
    let is_on_cycle = |state: u32| {
        let is_loop = |(l, t): (LabelId, StateId)| l.is_hidden() && t.get() == state;
        let core = core.as_ref();
        core.is_some_and(|core| core.contains(state as usize))
            || lts.outgoing(StateId::new(state)).any(is_loop)
    };
    for start in 0..n as u32 {
        if number[start as usize] != UNSEEN {
            continue;
        }
        let mut next = Some(start);
        loop {
            if let Some(state) = next.take() {
                let own = index;
                index -= 1;
                let mut visit = Visit {
                    state,
                    left: 0,
                    low: own,
                    exit: Exit::NONE,
                };
                for_each_with(&core, state, |s| number[s] = own);
                for_each_with(&core, state, |s| {
                    // The first one is followed first.
                    for e in offsets.row(s).rev() {
                        if !labels[e].is_hidden() {
                            visit.exit = Exit::MANY;
                            continue;
                        }
                        let target = targets[e];
                        match number[target.index()] {
                            UNSEEN => {
                                unseen.push(target.get());
                                visit.left += 1;
                            }
                            seen => visit.meets(seen, diverges.len()),
                        }
                    }
                });
                // It is still unseen.
                if visit.left > 0 {
                    visit.left -= 1;
                    next = unseen.pop();
                }
                path.push(visit);
                if next.is_some() {
                    continue;
                }
            }
            let Some(top) = path.last_mut() else {
                break;
            };
            if top.left > 0 {
                top.left -= 1;
                let target = unseen.pop().expect("so many have been pushed");
                match number[target as usize] {
                    UNSEEN => next = Some(target),
                    seen => top.meets(seen, diverges.len()),
                }
                continue;
            }
            let done = path.pop().expect("it was on top");
            let own = number[done.state as usize];
            if done.low > own {
                waiting.push(done.state);
                let above = path.last_mut().expect("it leads to one above");
                above.low = above.low.max(done.low);
                above.exit.and(done.exit);
                continue;
            }
            // All that was found later and still waits is of one component.
            let mut others = waiting.len();
            while others > 0 && number[waiting[others - 1] as usize] < own {
                others -= 1;
            }
            let cycle = divergence && (others < waiting.len() || is_on_cycle(done.state));
            let node = match done.exit.node() {
                // It is as what its only step leads to.
                Some(node) if !cycle || diverges[node as usize] => node,
                Some(_) | None => {
                    diverges.push(cycle);
                    diverges.len() as u32 - 1
                }
            };
            for_each_with(&core, done.state, |s| number[s] = node);
            for &state in &waiting[others..] {
                for_each_with(&core, state, |s| number[s] = node);
            }
            waiting.truncate(others);
            index = own;
            if let Some(above) = path.last_mut() {
                above.exit.and(Exit(node));
            }
        }
    }
    (number, diverges)
}

/// A state, or all of the core if it is of that.
#[inline(always)]
fn for_each_with(core: &Option<StateSet>, state: u32, mut each: impl FnMut(usize)) {
    match core {
        Some(core) if core.contains(state as usize) => core.iter().for_each(each),
        Some(_) | None => each(state as usize),
    }
}

/// Small systems have cores in tests.
const LEAST: usize = if cfg!(test) { 8 } else { LEAST_WITH_CORE };
const PART: usize = if cfg!(test) { 16 } else { CORE_PART };

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::HashMap;

    use hyades_lts::tau_components;
    use hyades_testing::check;

    use super::*;

    /// By the definition, component after component: the class of each state, and whether
    /// each class diverges.
    fn expected(lts: &Lts, divergence: bool) -> (Vec<u32>, Vec<bool>) {
        let components = tau_components(lts);
        let of = |state: StateId| components.of[state.index()];
        let (mut class, mut diverges) = (Vec::new(), Vec::new());
        for component in 0..components.count {
            let all: Vec<_> = lts.iter().filter(|(s, _, _)| of(*s) == component).collect();
            let is_cyclic =
                |&(_, l, t): &(StateId, LabelId, StateId)| l.is_hidden() && of(t) == component;
            let cycle = divergence && all.iter().any(is_cyclic);
            let mut exits: Vec<u32> = all
                .iter()
                .filter(|step| !is_cyclic(step))
                .map(|&(_, l, t)| match l.is_hidden() {
                    true => class[of(t) as usize],
                    false => u32::MAX,
                })
                .collect();
            exits.sort_unstable();
            exits.dedup();
            match exits[..] {
                [only] if only != u32::MAX && (!cycle || diverges[only as usize]) => {
                    class.push(only)
                }
                _ => {
                    class.push(diverges.len() as u32);
                    diverges.push(cycle);
                }
            }
        }
        let of_states = components.of.iter().map(|&c| class[c as usize]);
        (of_states.collect(), diverges)
    }

    #[test]
    fn nodes_are_those_of_the_definition_whatever_the_core() {
        let cores = Cell::new(0);
        check(60, 60, |lts, random| {
            let components = tau_components(lts);
            let mut some = StateSet::new(lts.states());
            let component = components.of[random.between(0, lts.states() - 1)];
            for (state, &of) in components.of.iter().enumerate() {
                if of == component && random.chance(70) {
                    some.insert(state);
                }
            }
            let found = component_core(lts, LabelId::is_hidden, LEAST, PART);
            if let Some(core) = &found {
                cores.set(cores.get() + 1);
                let mut of = core.iter().map(|s| components.of[s]);
                let first = of.next();
                if first.is_none() || of.any(|other| Some(other) != first) {
                    return Err("the core is not of one component".into());
                }
            }
            for divergence in [false, true] {
                let (class, diverges) = expected(lts, divergence);
                let some = Some(some.clone()).filter(|some| some.count > 1);
                for core in [None, found.clone(), some] {
                    let (node, of_nodes) = nodes_around(core, lts, divergence);
                    let mut same = HashMap::new();
                    let is_same = node.len() == class.len()
                        && of_nodes.len() == diverges.len()
                        && node.iter().zip(&class).all(|(&node, &class)| {
                            *same.entry(node).or_insert(class) == class
                                && of_nodes[node as usize] == diverges[class as usize]
                        });
                    if !is_same {
                        return Err(format!("{node:?} {of_nodes:?}, not {class:?} {diverges:?}"));
                    }
                    let descends = |(s, l, t): (StateId, LabelId, StateId)| {
                        !l.is_hidden() || node[t.index()] <= node[s.index()]
                    };
                    if !lts.iter().all(descends) {
                        return Err(format!("{node:?}: a hidden step leads up"));
                    }
                }
            }
            Ok(())
        });
        assert!(cores.get() > 20, "{}", cores.get());
    }
}
