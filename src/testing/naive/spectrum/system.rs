//! A small LTS as boolean matrices: for each label and state, the set of targets.

use hyades_formats::{LabelId, Lts, StateId};

/// A set of states (or of labels), one bit each.
pub(super) type Set = u128;

/// A relation on the states: `row[p]` holds all q that p is related to.
pub(super) type Relation = Vec<Set>;

/// The most states and the most labels that a [`System`] can have.
const MOST: usize = Set::BITS as usize;

/// The numbers in a set, in order.
pub(super) fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            first
        })
    })
}

pub(super) fn has(set: Set, member: usize) -> bool {
    set >> member & 1 == 1
}

pub(super) fn single(member: usize) -> Set {
    1 << member
}

/// The columns of a relation as rows.
pub(super) fn inverse(relation: &Relation) -> Relation {
    let column = |q: usize| (0..relation.len()).filter(move |&p| has(relation[p], q));
    let set = |q| column(q).fold(0, |set, p| set | single(p));
    (0..relation.len()).map(set).collect()
}

/// The steps of an LTS and what follows from them. Label 0 is hidden; the others are
/// the visible labels that occur.
pub(super) struct System {
    /// s --a-> t, for each label, state s and target t.
    pub(super) step: Vec<Relation>,
    /// Whether this label is in the set of labels that sharp bisimilarity takes as
    /// strong; never the hidden one.
    pub(super) strong: Vec<bool>,
    /// s ==> t, that is, any number of hidden steps (none, too).
    pub(super) reach: Relation,
    /// s ==> --a-> t, for the hidden label s ==> t.
    pub(super) delayed: Vec<Relation>,
    /// s ==> --a-> ==> t, for the hidden label s ==> t.
    pub(super) weak: Vec<Relation>,
    /// The labels of the steps of a state.
    pub(super) menu: Vec<Set>,
    /// The states that some hidden steps, one or more, lead back to.
    pub(super) on_cycle: Set,
}

impl System {
    /// The part of an LTS that these states reach, and the new numbers of these
    /// states. The order of states is kept.
    ///
    /// # Panics
    /// With more than 128 states or 127 visible labels in that part.
    pub(super) fn reached(
        lts: &Lts,
        roots: &[StateId],
        strong: &dyn Fn(LabelId) -> bool,
    ) -> (Self, Vec<usize>) {
        let mut reached = vec![false; lts.states()];
        let mut open: Vec<StateId> = roots.to_vec();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut reached[state.index()], true) {
                open.extend(lts.outgoing(state).map(|(_, target)| target));
            }
        }
        let states: Vec<usize> = (0..lts.states()).filter(|&s| reached[s]).collect();
        let mut labels = vec![LabelId::HIDDEN];
        let transitions = lts.iter().filter(|(s, ..)| reached[s.index()]);
        labels.extend(transitions.map(|(_, label, _)| label));
        labels.sort_unstable();
        labels.dedup();
        assert!(
            states.len() <= MOST && labels.len() <= MOST,
            "the oracle is for small systems: {} states, {} labels",
            states.len(),
            labels.len()
        );
        let number = |state: StateId| states.partition_point(|&s| s < state.index());
        let mut step = vec![vec![0; states.len()]; labels.len()];
        for (k, &state) in states.iter().enumerate() {
            for (label, target) in lts.outgoing(StateId::from_index(state)) {
                let label = labels.partition_point(|&l| l < label);
                step[label][k] |= single(number(target));
            }
        }
        let strong = |&label: &LabelId| !label.is_hidden() && strong(label);
        let strong = labels.iter().map(strong).collect();
        let roots = roots.iter().map(|&root| number(root)).collect();
        (Self::of(step, strong), roots)
    }

    /// The system with these steps.
    pub(super) fn of(step: Vec<Relation>, strong: Vec<bool>) -> Self {
        let n = step[0].len();
        let mut reach: Relation = (0..n).map(single).collect();
        loop {
            let longer: Relation = reach.iter().map(|&r| r | image(&step[0], r)).collect();
            if longer == reach {
                break;
            }
            reach = longer;
        }
        let mut delayed: Vec<Relation> = step.iter().map(|s| compose(&reach, s)).collect();
        delayed[0] = reach.clone();
        let weak = delayed.iter().map(|d| compose(d, &reach)).collect();
        let menu = (0..n).map(|s| {
            let offered = (0..step.len()).filter(|&a| step[a][s] != 0);
            offered.fold(0, |set, a| set | single(a))
        });
        let menu = menu.collect();
        let back = (0..n).filter(|&s| has(image(&reach, step[0][s]), s));
        let on_cycle = back.fold(0, |set, s| set | single(s));
        Self {
            step,
            strong,
            reach,
            delayed,
            weak,
            menu,
            on_cycle,
        }
    }

    /// The system whose steps are those that end visibly, s ==> --a-> t, as far as
    /// this state reaches; and the number of this state in it.
    pub(super) fn of_visible_steps(&self, root: usize) -> (Self, usize) {
        let mut reached = single(root);
        loop {
            let next = self.delayed[1..].iter();
            let more = next.fold(reached, |set, row| set | image(row, reached));
            if more == reached {
                break;
            }
            reached = more;
        }
        let states: Vec<usize> = members(reached).collect();
        let renumbered = |set: Set| {
            let kept = (0..states.len()).filter(|&k| has(set, states[k]));
            kept.fold(0, |set, k| set | single(k))
        };
        let mut step = vec![vec![0; states.len()]];
        for row in &self.delayed[1..] {
            step.push(states.iter().map(|&s| renumbered(row[s])).collect());
        }
        let root = states.partition_point(|&s| s < root);
        (Self::of(step, self.strong.clone()), root)
    }

    pub(super) fn states(&self) -> usize {
        self.reach.len()
    }

    pub(super) fn labels(&self) -> usize {
        self.step.len()
    }

    pub(super) fn is_stable(&self, state: usize) -> bool {
        self.step[0][state] == 0
    }

    /// All pairs of states.
    pub(super) fn all_pairs(&self) -> Relation {
        let all = (0..self.states()).fold(0, |set, s| set | single(s));
        vec![all; self.states()]
    }

    /// The states that start an infinite hidden path of states that are all related
    /// to the first: for each p the greatest set within `row[p]` whose members have a
    /// hidden step into the set.
    pub(super) fn divergent(&self, related: &Relation) -> Set {
        let goes_on = |p: usize| {
            let mut inside = related[p];
            loop {
                let stay = members(inside).filter(|&s| self.step[0][s] & inside != 0);
                let less = stay.fold(0, |set, s| set | single(s));
                if less == inside {
                    return has(inside, p);
                }
                inside = less;
            }
        };
        let starts = (0..self.states()).filter(|&p| goes_on(p));
        starts.fold(0, |set, p| set | single(p))
    }
}

/// All that the members of a set are related to.
pub(super) fn image(relation: &Relation, set: Set) -> Set {
    members(set).fold(0, |image, s| image | relation[s])
}

/// One relation after the other.
fn compose(first: &Relation, second: &Relation) -> Relation {
    first.iter().map(|&row| image(second, row)).collect()
}
