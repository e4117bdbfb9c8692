//! The LTS that a game is played on, and sets of its states.

use hyades_base::ascending::is_subset;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use hyades_base::interned::Interned;
use hyades_formats::{LabelId, Lts, StateId};

/// The number of the empty set.
pub(super) const EMPTY: u32 = 0;

/// Steps of the classes of an LTS, ascending by label and target, without duplicates.
#[derive(Debug)]
pub(super) struct Graph {
    offsets: Vec<u32>,
    steps: Vec<(u32, u32)>,
    /// The labels that each state has steps of, as the number of a set of them.
    menu: Vec<u32>,
    menus: Interned<u32>,
}

/// The label of hidden steps.
pub(super) const HIDDEN: u32 = LabelId::HIDDEN.get();

impl Graph {
    /// O(m log m) for m transitions.
    pub(super) fn new(lts: &Lts) -> Self {
        let states = (0..lts.states()).map(StateId::from_index);
        Self::from_rows(states.map(|s| lts.outgoing(s).map(|(a, t)| (a.get(), t.get()))))
    }

    /// The graph with these labels and targets of steps for each state.
    pub(super) fn from_rows<R>(rows: impl Iterator<Item = R>) -> Self
    where
        R: Iterator<Item = (u32, u32)>,
    {
        let mut graph = Self {
            offsets: vec![0],
            steps: Vec::new(),
            menu: Vec::new(),
            menus: Interned::default(),
        };
        let (mut row, mut labels) = (Vec::new(), Vec::new());
        for steps in rows {
            row.clear();
            row.extend(steps);
            row.sort_unstable();
            row.dedup();
            graph.steps.extend_from_slice(&row);
            graph.offsets.push(graph.steps.len() as u32);
            labels.clear();
            labels.extend(row.iter().map(|step| step.0));
            labels.dedup();
            graph.menu.push(graph.menus.intern(&labels).0);
        }
        graph
    }

    pub(super) fn states(&self) -> usize {
        self.menu.len()
    }

    /// The numbers of the steps of a state.
    pub(super) fn row(&self, state: u32) -> std::ops::Range<usize> {
        self.offsets[state as usize] as usize..self.offsets[state as usize + 1] as usize
    }

    /// The label and the target of a step.
    pub(super) fn step(&self, number: usize) -> (u32, u32) {
        self.steps[number]
    }

    /// Labels and targets of the steps of a state.
    pub(super) fn steps(&self, state: u32) -> &[(u32, u32)] {
        &self.steps[self.row(state)]
    }

    /// Labels and targets of the steps of a state with this label.
    pub(super) fn steps_with(&self, state: u32, label: u32) -> &[(u32, u32)] {
        let steps = self.steps(state);
        let start = steps.partition_point(|step| step.0 < label);
        let len = steps[start..].partition_point(|step| step.0 == label);
        &steps[start..start + len]
    }

    /// Whether a state has no hidden step.
    pub(super) fn is_stable(&self, state: u32) -> bool {
        // Hidden steps come first.
        let first = self.steps(state).first();
        first.is_none_or(|&(label, _)| label != HIDDEN)
    }

    /// The set of labels that a state has steps of; equal for equal sets.
    pub(super) fn menu(&self, state: u32) -> u32 {
        self.menu[state as usize]
    }

    /// The different sets of labels that states have steps of, each ascending.
    pub(super) fn menus(&self) -> &Interned<u32> {
        &self.menus
    }
}

/// Sets of states, interned, and what is computed of them, once for each.
pub(super) struct Sets<'g> {
    pub(super) graph: &'g Graph,
    sets: Interned<u32>,
    posts: HashMap<(u32, u32), u32, RandomState>,
    closures: HashMap<u32, u32, RandomState>,
    stables: HashMap<u32, u32, RandomState>,
    generated: HashMap<u32, bool, RandomState>,
    cuts: HashMap<(u32, u32, Cut), u32, RandomState>,
    /// Marks of states for closures, by the number of the closure that set them.
    seen: Vec<u32>,
    closing: u32,
}

/// A condition on the labels that a state has steps of, compared with those of another
/// one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Cut {
    /// No others than that one.
    Fewer,
    /// All of that one.
    More,
    /// The same.
    Equal,
}

impl Cut {
    pub(super) const ALL: [Cut; 3] = [Cut::Fewer, Cut::More, Cut::Equal];
}

impl<'g> Sets<'g> {
    pub(super) fn new(graph: &'g Graph) -> Self {
        let mut sets = Interned::default();
        sets.intern(&[]);
        Self {
            graph,
            sets,
            posts: HashMap::default(),
            closures: HashMap::default(),
            stables: HashMap::default(),
            generated: HashMap::default(),
            cuts: HashMap::default(),
            seen: vec![0; graph.states()],
            closing: 0,
        }
    }

    /// The states of a set, ascending.
    pub(super) fn get(&self, set: u32) -> &[u32] {
        self.sets.get(set)
    }

    pub(super) fn contains(&self, set: u32, state: u32) -> bool {
        self.get(set).binary_search(&state).is_ok()
    }

    /// The number of a set, given in any order, perhaps with duplicates.
    pub(super) fn intern(&mut self, mut states: Vec<u32>) -> u32 {
        states.sort_unstable();
        states.dedup();
        self.sets.intern(&states).0
    }

    pub(super) fn singleton(&mut self, state: u32) -> u32 {
        self.sets.intern(&[state]).0
    }

    /// The states that steps with a label lead to from a set.
    pub(super) fn post(&mut self, set: u32, label: u32) -> u32 {
        if let Some(&known) = self.posts.get(&(set, label)) {
            return known;
        }
        let graph = self.graph;
        let steps = |&q: &u32| graph.steps_with(q, label).iter().map(|step| step.1);
        let targets = self.get(set).iter().flat_map(steps).collect();
        let post = self.intern(targets);
        self.posts.insert((set, label), post);
        post
    }

    /// The states that hidden steps lead to from a set, its own ones among them.
    pub(super) fn closure(&mut self, set: u32) -> u32 {
        if let Some(&known) = self.closures.get(&set) {
            return known;
        }
        self.closing += 1;
        let mut open = self.sets.get(set).to_vec();
        for &q in &open {
            self.seen[q as usize] = self.closing;
        }
        let mut next = 0;
        while let Some(&q) = open.get(next) {
            next += 1;
            for &(_, t) in self.graph.steps_with(q, HIDDEN) {
                if std::mem::replace(&mut self.seen[t as usize], self.closing) != self.closing {
                    open.push(t);
                }
            }
        }
        let closure = self.intern(open);
        self.closures.insert(set, closure);
        self.closures.insert(closure, closure);
        closure
    }

    /// The stable states of a set.
    pub(super) fn stable(&mut self, set: u32) -> u32 {
        if let Some(&known) = self.stables.get(&set) {
            return known;
        }
        let is_stable = |q: &u32| self.graph.is_stable(*q);
        let states = self.get(set).iter().copied().filter(is_stable).collect();
        let stable = self.intern(states);
        self.stables.insert(set, stable);
        stable
    }

    /// Whether a set is the closure of one of its states.
    pub(super) fn is_generated(&mut self, set: u32) -> bool {
        if let Some(&known) = self.generated.get(&set) {
            return known;
        }
        let len = self.get(set).len();
        let mut is_generated = false;
        for k in 0..len {
            let single = self.singleton(self.get(set)[k]);
            if self.closure(single) == set {
                is_generated = true;
                break;
            }
        }
        self.generated.insert(set, is_generated);
        is_generated
    }

    /// The states of a set whose menu compares with this one in this way.
    pub(super) fn cut(&mut self, set: u32, menu: u32, cut: Cut) -> u32 {
        if let Some(&known) = self.cuts.get(&(set, menu, cut)) {
            return known;
        }
        let graph = self.graph;
        let this = graph.menus().get(menu);
        let fits = |q: &u32| {
            let other = graph.menus().get(graph.menu(*q));
            match cut {
                Cut::Fewer => is_subset(other, this),
                Cut::More => is_subset(this, other),
                Cut::Equal => graph.menu(*q) == menu,
            }
        };
        let states = self.get(set).iter().copied().filter(fits).collect();
        let kept = self.intern(states);
        self.cuts.insert((set, menu, cut), kept);
        kept
    }

    /// The states of a set that another one does not have.
    pub(super) fn without(&mut self, set: u32, others: u32) -> u32 {
        if others == EMPTY {
            return set;
        }
        let others = self.get(others);
        let is_left = |q: &u32| others.binary_search(q).is_err();
        let states = self.get(set).iter().copied().filter(is_left).collect();
        self.intern(states)
    }

    pub(super) fn union(&mut self, one: u32, other: u32) -> u32 {
        if one == other || other == EMPTY {
            return one;
        }
        let states = [self.get(one), self.get(other)].concat();
        self.intern(states)
    }

    pub(super) fn is_subset(&self, one: u32, other: u32) -> bool {
        one == other || is_subset(self.get(one), self.get(other))
    }
}
