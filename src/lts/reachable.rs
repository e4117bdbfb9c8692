//! The reachable part of an LTS.

use hyades_base::parallel::{self, even_ranges};
use hyades_formats::{LabelId, Lts, LtsParts, Offsets, OffsetsRef, StateId};

/// The number of a state that has none.
const NONE: u32 = u32::MAX;

/// How the states of the reachable part are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbering {
    /// In the order of a breadth-first search that takes transitions in the
    /// order of their rows: the initial state is 0, and numbers ascend with the
    /// distance from it. Explored models are numbered so too.
    #[default]
    BreadthFirst,
    /// In the order of their old numbers, without gaps.
    Ascending,
    /// By their old numbers. Unreachable states remain, without transitions, so
    /// that numbers can be compared with those of other files.
    Kept,
}

/// The part of `lts` that is reachable from its initial state. Rows keep their
/// order; duplicate transitions, unused labels and state labels remain.
///
/// O(states + transitions). An LTS that is wholly reachable and numbered as
/// asked is recognised in one sequential pass in most cases, and given back as
/// it is. Otherwise: 8 bytes a state beyond the LTS, which is rewritten in
/// place; for [`Numbering::BreadthFirst`], if states move, 4 bytes a reachable
/// transition more.
pub fn reachable(lts: Lts, numbering: Numbering) -> Lts {
    // Most files are numbered like this, and then nothing is unreachable.
    if is_breadth_first(&lts) {
        return lts;
    }
    if numbering == Numbering::BreadthFirst {
        return breadth_first(lts);
    }
    let seen = reachable_states(&lts);
    if seen.count == lts.states() {
        return lts;
    }
    restricted(lts, &seen, numbering)
}

/// The LTS with the transitions of only these states, which those lead to and
/// the initial state is one of; `numbering` is not breadth-first. O(states +
/// transitions), in place.
///
/// # Panics
/// If the set is one of another number of states. By [`Numbering::Ascending`], which has no
/// numbers for other states, if these lead to one or the initial state is not one of them.
pub fn restricted(mut lts: Lts, seen: &StateSet, numbering: Numbering) -> Lts {
    let known = lts.take_state_labels();
    let LtsParts {
        mut initial,
        offsets,
        mut labels,
        mut targets,
        table,
    } = lts.into_parts();
    let n = offsets.rows();
    assert_eq!(n, seen.states, "a set of the states of the LTS");
    let is_kept = |s: usize| seen.contains(s) || numbering == Numbering::Kept;
    let kept = (0..n).filter(|&s| is_kept(s)).count();
    // Modulo 2^32: no row is longer than it was.
    let mut moved: Vec<u32> = Vec::with_capacity(kept + 1);
    moved.push(0);
    // Rows only move down, so that they can be moved one after the other.
    let mut end = 0;
    for s in 0..n {
        if seen.contains(s) {
            let row = offsets.row(s);
            let length = row.len();
            labels.copy_within(row.clone(), end);
            targets.copy_within(row, end);
            end += length;
        }
        if is_kept(s) {
            moved.push(end as u32);
        }
    }
    let moved = Offsets::from_wrapping(moved, end).expect("rows that an LTS had");
    drop(offsets);
    labels.truncate(end);
    targets.truncate(end);
    if numbering == Numbering::Ascending {
        let ranks = seen.ranks();
        let rank = |state: StateId| {
            let rank = ranks[state.index()];
            assert_ne!(rank, NONE, "state {state} has to be in the set, too");
            StateId::new(rank)
        };
        parallel::for_each_mut(&mut targets, 1 << 14, |_, target| *target = rank(*target));
        initial = rank(initial);
    }
    labels.shrink_to_fit();
    targets.shrink_to_fit();
    let restricted = Lts::from_parts(LtsParts {
        initial,
        offsets: moved,
        labels,
        targets,
        table,
    });
    match known {
        Some(known) if numbering == Numbering::Kept => restricted.with_state_labels(known),
        Some(known) => {
            let kept = (0..n).filter(|&s| seen.contains(s)).map(Some);
            restricted.with_state_labels(known.select(kept))
        }
        None => restricted,
    }
}

/// The same LTS with state `s` called `number[s]`, among `states` states: those
/// that are nobody's number have no transitions. Rows keep their order.
/// O(states + transitions), and as much memory as the result.
///
/// # Panics
/// If not every state has a number of its own below `states`.
pub fn renumbered(lts: Lts, number: &[u32], states: usize) -> Lts {
    assert_eq!(number.len(), lts.states(), "a number for each state");
    let mut degrees = vec![0u32; states];
    let mut taken = StateSet::new(states);
    for (s, &new) in number.iter().enumerate() {
        let is_new = taken.insert(new as usize);
        assert!(is_new, "{new} is the number of state {s} and of another");
        // No row is longer ([`Lts::MAX_DEGREE`]).
        degrees[new as usize] = lts.offsets().degree(s) as u32;
    }
    let offsets = Offsets::from_lengths(degrees.into_iter().map(|degree| degree as usize));
    let mut labels = vec![LabelId::HIDDEN; lts.transitions()];
    let mut targets = vec![StateId::new(0); lts.transitions()];
    for (s, &new) in number.iter().enumerate() {
        let row = lts.offsets().row(s);
        let place = offsets.row(new as usize).start;
        labels[place..place + row.len()].copy_from_slice(&lts.labels()[row.clone()]);
        for (place, t) in targets[place..].iter_mut().zip(&lts.targets()[row]) {
            *place = StateId::new(number[t.index()]);
        }
    }
    Lts::from_parts(LtsParts {
        initial: StateId::new(number[lts.initial().index()]),
        offsets,
        labels,
        targets,
        table: lts.into_parts().table,
    })
}

/// A set of states as a bit vector.
#[derive(Clone, Debug)]
pub struct StateSet {
    words: Vec<u64>,
    states: usize,
    /// How many states are in it.
    pub count: usize,
}

impl StateSet {
    /// None of so many states.
    pub fn new(states: usize) -> Self {
        Self {
            words: vec![0; states.div_ceil(64)],
            states,
            count: 0,
        }
    }

    /// All of so many states.
    fn all(states: usize) -> Self {
        let mut words = vec![u64::MAX; states.div_ceil(64)];
        if let Some(last) = words.last_mut() {
            *last >>= (64 - states % 64) % 64;
        }
        Self {
            words,
            states,
            count: states,
        }
    }

    /// Whether a state is in the set.
    #[inline]
    pub fn contains(&self, state: usize) -> bool {
        self.words[state / 64] >> (state % 64) & 1 != 0
    }

    /// Adds a state; whether it is new.
    ///
    /// # Panics
    /// If there are not so many states.
    #[inline]
    pub fn insert(&mut self, state: usize) -> bool {
        let states = self.states;
        assert!(state < states, "state {state} in a set of {states} states");
        let word = &mut self.words[state / 64];
        let bit = 1 << (state % 64);
        // A branch: optimised by rustc 1.95, the addition of a comparison's result to the
        // count may be lost where a caller branches on it, too.
        if *word & bit != 0 {
            return false;
        }
        *word |= bit;
        self.count += 1;
        true
    }

    /// The states in the set, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.states).filter(|&state| self.contains(state))
    }

    /// For every state in the set, how many lower states are; [`NONE`] for the others.
    fn ranks(&self) -> Vec<u32> {
        let mut next = 0;
        let rank = |s| {
            let is_in = self.contains(s);
            let rank = if is_in { next } else { NONE };
            next += u32::from(is_in);
            rank
        };
        (0..self.states).map(rank).collect()
    }
}

/// For every state, whether it can be reached from the initial one. O(states +
/// transitions).
pub fn reached(lts: &Lts) -> Vec<bool> {
    let seen = reachable_states(lts);
    (0..lts.states()).map(|s| seen.contains(s)).collect()
}

/// The states reachable from the initial state. O(states + transitions), and
/// one bit a state, and 4 bytes for every state waiting.
///
/// The order of visits does not matter here, so states are visited in ascending
/// order as far as possible: memory is then read from front to back. Where every state is
/// led to from a lower one, as in what was explored breadth first, nothing is visited, and
/// all threads look at the transitions.
pub fn reachable_states(lts: &Lts) -> StateSet {
    if lts.initial().get() == 0 && ascends(lts) {
        return StateSet::all(lts.states());
    }
    reachable_by(lts, lts.initial(), |_| true)
}

/// Whether a transition from a lower state leads to every state but 0. O(states +
/// transitions), and a bit a state for each thread.
fn ascends(lts: &Lts) -> bool {
    /// States and transitions for a thread, at least.
    const LEAST: usize = if cfg!(test) { 2 } else { 1 << 14 };
    let (n, offsets, targets) = (lts.states(), lts.offsets(), lts.targets());
    if lts.transitions() + 1 < n {
        return false;
    }
    let size = n + lts.transitions();
    let parts = even_ranges(offsets, size.div_ceil(parallel::threads_for(size, LEAST)));
    let sets = parallel::map_each(&parts, |states| {
        let mut led_to = vec![0u64; n.div_ceil(64)];
        for s in states.clone() {
            for t in &targets[offsets.row(s)] {
                // Which lead up nobody can foretell: no branches.
                led_to[t.index() / 64] |= u64::from(t.index() > s) << (t.index() % 64);
            }
        }
        led_to
    });
    let led_to = |k: usize| sets.iter().fold(0, |word, set| word | set[k]).count_ones() as usize;
    1 + (0..n.div_ceil(64)).map(led_to).sum::<usize>() == n
}

/// As [`reachable_states`], those reachable from `start` by transitions with labels that are
/// followed.
pub fn reachable_by(lts: &Lts, start: StateId, follows: impl Fn(LabelId) -> bool) -> StateSet {
    let n = lts.states();
    let (offsets, labels, targets) = (lts.offsets(), lts.labels(), lts.targets());
    let mut seen = StateSet::new(n);
    seen.insert(start.index());
    // Seen states below `front` that have not been visited.
    let mut behind: Vec<u32> = Vec::new();
    let mut front = start.index();
    loop {
        let s = match behind.pop() {
            Some(s) => s as usize,
            None => {
                // The next state to visit at or beyond the front.
                while front < n && !seen.contains(front) {
                    front += 1;
                }
                if front == n || seen.count == n {
                    return seen;
                }
                front += 1;
                front - 1
            }
        };
        let row = offsets.row(s);
        for (&l, t) in labels[row.clone()].iter().zip(&targets[row]) {
            if follows(l) && seen.insert(t.index()) && t.index() < front {
                behind.push(t.get());
            }
        }
    }
}

/// Whether a breadth-first search meets the states in the order of their
/// numbers, and all of them: every state is first met while a lower one is
/// visited, after all states lower than itself.
fn is_breadth_first(lts: &Lts) -> bool {
    if lts.initial().get() != 0 {
        return false;
    }
    let mut known = 1u32;
    let offsets = lts.offsets();
    for s in 0..lts.states() {
        if s as u32 >= known {
            return false;
        }
        for t in &lts.targets()[offsets.row(s)] {
            if t.get() >= known {
                if t.get() > known {
                    return false;
                }
                known += 1;
            }
        }
    }
    known as usize == lts.states()
}

fn breadth_first(mut lts: Lts) -> Lts {
    let known = lts.take_state_labels();
    let LtsParts {
        initial,
        offsets,
        labels,
        mut targets,
        table,
    } = lts.into_parts();
    let n = offsets.rows();
    let row = |s: u32| offsets.row(s as usize);
    let mut number = vec![NONE; n];
    let mut order: Vec<u32> = Vec::with_capacity(n);
    number[initial.index()] = 0;
    order.push(initial.get());
    let mut next = 0;
    while next < order.len() {
        // Each reachable row is visited once, so its targets can be replaced
        // by their new numbers there and then.
        for t in &mut targets[row(order[next])] {
            let place = &mut number[t.index()];
            if *place == NONE {
                *place = order.len() as u32;
                order.push(t.get());
            }
            *t = StateId::new(*place);
        }
        next += 1;
    }
    drop(number);

    let new_offsets = Offsets::from_lengths(order.iter().map(|&s| row(s).len()));
    // One column after the other, so that only one exists twice.
    let new_labels = gather(
        &labels,
        offsets.view(),
        &order,
        &new_offsets,
        LabelId::HIDDEN,
    );
    drop(labels);
    let new_targets = gather(
        &targets,
        offsets.view(),
        &order,
        &new_offsets,
        StateId::new(0),
    );
    let renumbered = Lts::from_parts(LtsParts {
        initial: StateId::new(0),
        offsets: new_offsets,
        labels: new_labels,
        targets: new_targets,
        table,
    });
    match known {
        Some(known) => {
            let order = order.iter().map(|&s| Some(s as usize));
            renumbered.with_state_labels(known.select(order))
        }
        None => renumbered,
    }
}

/// The rows of `column`, which start at `offsets`, in another order, in which
/// they start at `new_offsets`. In parallel.
fn gather<T: Copy + Send + Sync>(
    column: &[T],
    offsets: OffsetsRef<'_>,
    order: &[u32],
    new_offsets: &Offsets,
    filler: T,
) -> Vec<T> {
    const CHUNK: usize = 1 << 14;
    let mut gathered = vec![filler; new_offsets.end()];
    let mut rest = gathered.as_mut_slice();
    let mut chunks = Vec::with_capacity(order.len().div_ceil(CHUNK));
    for (k, states) in order.chunks(CHUNK).enumerate() {
        let from = k * CHUNK;
        let new_offsets = new_offsets.view();
        let length = new_offsets.get(from + states.len()) - new_offsets.get(from);
        let chunk;
        (chunk, rest) = rest.split_at_mut(length);
        chunks.push((states, chunk));
    }
    parallel::for_each_mut(&mut chunks, 1, |_, (states, chunk)| {
        let mut end = 0;
        for &s in *states {
            let row = &column[offsets.row(s as usize)];
            chunk[end..][..row.len()].copy_from_slice(row);
            end += row.len();
        }
    });
    gathered
}

#[cfg(test)]
mod tests {
    use hyades_formats::{LtsBuilder, Parameter, StateLabels};
    use hyades_testing::{any_lts, same};
    use proptest::prelude::*;

    use super::*;

    /// Reachable states by a fixed point.
    fn naive(lts: &Lts) -> Vec<bool> {
        let mut seen = vec![false; lts.states()];
        seen[lts.initial().index()] = true;
        for _ in 0..lts.states() {
            for (s, _, t) in lts.iter() {
                seen[t.index()] |= seen[s.index()];
            }
        }
        seen
    }

    proptest! {
        #[test]
        fn state_labels_follow_their_states(lts in any_lts()) {
            let all = lts.states() as u32;
            let mut known = StateLabels::new(vec![Parameter {
                values: (0..all).map(|s| s.to_string().into_bytes()).collect(),
                ..Parameter::default()
            }]);
            (0..all).for_each(|s| known.push([&[s][..]]));
            let seen = naive(&lts);
            let mut expected: Vec<_> = lts.iter().filter(|step| seen[step.0.index()]).collect();
            expected.sort();
            for numbering in [Numbering::BreadthFirst, Numbering::Ascending, Numbering::Kept] {
                let lts = lts.clone().with_state_labels(known.clone());
                let part = reachable(lts, numbering);
                let known = part.state_labels().expect("labels of states");
                let old = |s: StateId| {
                    StateId::new(known.vectors(s.index()).next().expect("one vector a state")[0])
                };
                let mut steps: Vec<_> = part.iter().map(|(s, l, t)| (old(s), l, old(t))).collect();
                steps.sort();
                prop_assert_eq!(&steps, &expected);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn keeps_what_is_reachable(lts in any_lts()) {
            let seen = naive(&lts);
            let set = reachable_states(&lts);
            prop_assert_eq!(set.count, seen.iter().filter(|&&seen| seen).count());
            prop_assert!((0..lts.states()).all(|s| set.contains(s) == seen[s]));

            // With numbers kept, nothing but unreachable rows is missing.
            let mut builder = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
            for (s, l, t) in lts.iter().filter(|step| seen[step.0.index()]) {
                builder.add(s, l, t);
            }
            let expected = builder.build(lts.initial()).unwrap();
            prop_assert!(same(&reachable(lts.clone(), Numbering::Kept), &expected));

            // In ascending order, numbers are ranks.
            let rank = |s: StateId| {
                StateId::from_index(seen[..s.index()].iter().filter(|&&seen| seen).count())
            };
            let mut builder = LtsBuilder::with_table(set.count as u64, lts.table().clone());
            for (s, l, t) in expected.iter() {
                builder.add(rank(s), l, rank(t));
            }
            let ascending = builder.build(rank(lts.initial())).unwrap();
            prop_assert!(same(&reachable(lts.clone(), Numbering::Ascending), &ascending));

            // Breadth-first numbering forgets the old numbers, and is its own.
            let first = reachable(lts, Numbering::BreadthFirst);
            prop_assert!(is_breadth_first(&first));
            prop_assert!(same(&first, &reachable(ascending, Numbering::BreadthFirst)));
            prop_assert!(same(&first, &reachable(first.clone(), Numbering::BreadthFirst)));
        }
    }

    /// Whatever the number of states is: a tree, of which one branch may lead up instead of
    /// down.
    #[test]
    fn states_that_ascend_are_all_reachable() {
        for n in [1, 2, 63, 64, 65, 128, 300] {
            for cut in [0, n / 2, n - 1] {
                let mut builder = LtsBuilder::new(n.into());
                let a = builder.table_mut().intern(b"a").unwrap();
                for s in 1..n {
                    let (source, target) = match s == cut {
                        true => (s, s / 2),
                        false => (s / 2, s),
                    };
                    builder.add(StateId::new(source), a, StateId::new(target));
                }
                let lts = builder.build(StateId::new(0)).unwrap();
                assert_eq!(ascends(&lts), cut == 0);
                let (seen, expected) = (reachable_states(&lts), naive(&lts));
                assert_eq!(seen.count, expected.iter().filter(|&&seen| seen).count());
                let contained: Vec<bool> = (0..n as usize).map(|s| seen.contains(s)).collect();
                assert_eq!(contained, expected);
                assert_eq!(seen.iter().count(), seen.count);
            }
        }
    }

    /// 0 leads to 1, and 1 to 2.
    fn chain() -> Lts {
        let mut builder = LtsBuilder::new(3);
        for s in 0..2 {
            builder.add_text(s, b"a", s + 1).unwrap();
        }
        builder.build(StateId::new(0)).unwrap()
    }

    #[test]
    #[should_panic = "state 1 has to be in the set, too"]
    fn a_set_that_is_left_is_refused() {
        let mut seen = StateSet::new(3);
        [0, 2].into_iter().for_each(|s| _ = seen.insert(s));
        restricted(chain(), &seen, Numbering::Ascending);
    }

    #[test]
    #[should_panic = "state 0 has to be in the set, too"]
    fn a_set_without_the_initial_state_is_refused() {
        let mut seen = StateSet::new(3);
        seen.insert(2);
        restricted(chain(), &seen, Numbering::Ascending);
    }

    /// Then targets have numbers all the same.
    #[test]
    fn a_set_may_be_left_where_numbers_are_kept() {
        let mut seen = StateSet::new(3);
        [0, 2].into_iter().for_each(|s| _ = seen.insert(s));
        let kept = restricted(chain(), &seen, Numbering::Kept);
        assert!(kept.iter().map(|(s, _, t)| (s.get(), t.get())).eq([(0, 1)]));
    }

    #[test]
    #[should_panic = "state 10 in a set of 3 states"]
    fn a_state_that_is_not_there_is_in_no_set() {
        StateSet::new(3).insert(10);
    }

    #[test]
    #[should_panic = "a number for each state"]
    fn each_state_needs_a_number() {
        renumbered(chain(), &[0, 1], 3);
    }

    #[test]
    #[should_panic = "1 is the number of state 2 and of another"]
    fn each_state_needs_a_number_of_its_own() {
        renumbered(chain(), &[0, 1, 1], 3);
    }

    /// More states than a chunk of the parallel part, in reverse order.
    #[test]
    fn many_states_are_renumbered_in_order() {
        let n = 40_000u32;
        let mut builder = LtsBuilder::new(n.into());
        let a = builder.table_mut().intern(b"a").unwrap();
        for s in 1..n {
            builder.add(StateId::new(s), a, StateId::new(s - 1));
            builder.add(StateId::new(s), LabelId::HIDDEN, StateId::new(n - 1));
        }
        let lts = builder.build(StateId::new(n - 1)).unwrap();
        let part = reachable(lts, Numbering::BreadthFirst);
        let expected = (0..n - 1).flat_map(|s| {
            [(s, a, s + 1), (s, LabelId::HIDDEN, 0)]
                .map(|(s, l, t)| (StateId::new(s), l, StateId::new(t)))
        });
        assert!(part.iter().eq(expected));
    }
}
