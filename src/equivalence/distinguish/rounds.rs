//! Refinement in synchronous rounds.

use hyades_base::grouped::Grouped;
use hyades_base::interned::Interned;
use hyades_formats::{LabelId, StateId};
use hyades_lts::{Components, hidden_components};

use super::Work;
use super::observations::{Form, Observation, System, grouped};
use crate::levels::Levels;

/// The partition of a round, and in which round its classes parted.
pub(super) struct Rounds {
    round: u32,
    /// The classes are intervals of this order; a class has the number of its
    /// first position.
    order: Vec<u32>,
    class: Vec<u32>,
    /// The round in which a boundary before each position appeared, or
    /// `u32::MAX`.
    boundary: Vec<u32>,
    /// The classes of more than one state: positions `start .. end`.
    divisible: Vec<(u32, u32)>,
}

impl Rounds {
    /// Round 0: one class.
    pub(super) fn new(states: usize) -> Self {
        Self {
            round: 0,
            order: (0..states as u32).collect(),
            class: vec![0; states],
            boundary: vec![u32::MAX; states],
            divisible: vec![(0, states as u32)],
        }
    }

    /// How many rounds there have been.
    pub(super) fn count(&self) -> u32 {
        self.round
    }

    /// The class of a state.
    pub(super) fn class(&self, state: u32) -> u32 {
        self.class[state as usize]
    }

    /// One more round; whether any states parted. Stops (`None`) when there is
    /// no work left.
    pub(super) fn advance(&mut self, system: &System<'_>, work: &mut Work) -> Option<bool> {
        let signatures = Signatures::new(system, &self.class, work)?;
        self.round += 1;
        let mut divisible = Vec::new();
        let mut changed = false;
        for (start, end) in std::mem::take(&mut self.divisible) {
            let states = &mut self.order[start as usize..end as usize];
            states.sort_by_cached_key(|&s| signatures.of(s));
            let mut first = start;
            for part in states.chunk_by(|&s, &t| signatures.of(s) == signatures.of(t)) {
                let next = first + part.len() as u32;
                if first > start {
                    changed = true;
                    self.boundary[first as usize] = self.round;
                    part.iter().for_each(|&s| self.class[s as usize] = first);
                }
                if part.len() > 1 {
                    divisible.push((first, next));
                }
                first = next;
            }
        }
        self.divisible = divisible;
        Some(changed)
    }

    /// In which round states parted, up to this one.
    pub(super) fn levels(self) -> Levels {
        let mut position = vec![0; self.order.len()];
        for (k, &s) in (0..).zip(&self.order) {
            position[s as usize] = k;
        }
        Levels::new(&self.order, position, &self.boundary)
    }
}

/// How many bytes the sets of one kind may take.
const MEMORY: usize = 1 << 28;

/// A set for each component of a graph of hidden steps.
struct Sets {
    /// The number of the set, by component.
    of: Vec<u32>,
    pool: Interned<u64>,
}

impl Sets {
    /// What each state has of its own, and all that hidden steps give it:
    /// `hidden` leads along those that count.
    fn new<'t, T: Iterator<Item = StateId> + 't>(
        components: &Components,
        members: &Grouped<u32>,
        hidden: impl Fn(u32) -> T,
        mut own: impl FnMut(u32, &mut Vec<u64>),
        work: &mut Work,
    ) -> Option<Self> {
        let mut sets = Self {
            of: Vec::with_capacity(components.count as usize),
            pool: Interned::default(),
        };
        let (mut elements, mut inherited) = (Vec::new(), Vec::new());
        // Hidden steps lead to components of lower numbers.
        for c in 0..components.count {
            elements.clear();
            inherited.clear();
            for &s in members.of(c) {
                own(s, &mut elements);
                let below = hidden(s).map(|t| components.of[t.index()]);
                inherited.extend(below.filter(|&d| d != c).map(|d| sets.of[d as usize]));
            }
            inherited.sort_unstable();
            inherited.dedup();
            work.spend(1 + members.of(c).len() + inherited.len())?;
            let set = match (&inherited[..], elements.is_empty()) {
                (&[one], true) => one,
                _ => {
                    for &set in &inherited {
                        elements.extend(sets.pool.get(set));
                    }
                    work.spend(elements.len())?;
                    elements.sort_unstable();
                    elements.dedup();
                    sets.pool.intern(&elements).0
                }
            };
            if sets.pool.bytes() > MEMORY {
                return None;
            }
            sets.of.push(set);
        }
        Some(sets)
    }
}

/// The observations of all states; equal sets have equal numbers.
struct Signatures<'a> {
    system: &'a System<'a>,
    /// By any way, by component of hidden steps.
    any_way: Vec<u32>,
    /// By hidden steps within the class: components of these, and sets for
    /// them.
    within: Option<(Components, Vec<u32>)>,
    /// By steps that count only as the first.
    at_once: Option<Vec<u32>>,
}

impl<'a> Signatures<'a> {
    fn new(system: &'a System<'a>, class: &[u32], work: &mut Work) -> Option<Self> {
        let semantics = system.semantics;
        let hidden = |s: u32| system.hidden(s).iter().copied();
        let (components, members) = (&system.components, &system.members);
        // The classes that hidden steps lead to.
        let reached = match semantics.closed {
            true => {
                let own = |s: u32, set: &mut Vec<u64>| set.push(class[s as usize].into());
                Some(Sets::new(components, members, hidden, own, work)?)
            }
            false => None,
        };
        let behind = |s: u32, form: fn(LabelId) -> Form, set: &mut Vec<Observation>| {
            let steps = system.visible(s).filter(|&(first, ..)| !first);
            for (_, label, target) in steps {
                match &reached {
                    None => set.push(form(label).of(class[target as usize])),
                    Some(reached) => {
                        let after = reached.of[components.of[target as usize] as usize];
                        let after = reached.pool.get(after).iter();
                        set.extend(after.map(|&c| form(label).of(c as u32)));
                    }
                }
            }
        };
        let any_way = |s: u32, set: &mut Vec<Observation>| {
            if semantics.hidden {
                set.push(Form::AnyWay(LabelId::HIDDEN).of(class[s as usize]));
            }
            behind(s, Form::AnyWay, set);
            if semantics.divergence && system.diverges[components.of[s as usize] as usize] {
                set.push(Form::Divergence.of(0));
            }
        };
        let any_way = Sets::new(components, members, hidden, any_way, work)?.of;
        let within = match semantics.looks_within() {
            true => Some(within(system, class, behind, work)?),
            false => None,
        };
        let at_once = match semantics.at_once.contains(&true) {
            true => Some(at_once(system, class, work)?),
            false => None,
        };
        Some(Self {
            system,
            any_way,
            within,
            at_once,
        })
    }

    /// Equal for states with the same observations.
    fn of(&self, state: u32) -> [u32; 3] {
        let state = state as usize;
        let component = self.system.components.of[state];
        let within = self.within.as_ref();
        [
            self.any_way[component as usize],
            within.map_or(0, |(components, sets)| sets[components.of[state] as usize]),
            self.at_once.as_ref().map_or(0, |sets| sets[state]),
        ]
    }
}

/// The observations by hidden steps within the class.
fn within(
    system: &System<'_>,
    class: &[u32],
    behind: impl Fn(u32, fn(LabelId) -> Form, &mut Vec<Observation>),
    work: &mut Work,
) -> Option<(Components, Vec<u32>)> {
    let semantics = system.semantics;
    let same = |s: u32, t: &StateId| class[t.index()] == class[s as usize];
    let mut offsets = Vec::with_capacity(class.len() + 1);
    let mut targets = Vec::new();
    offsets.push(0);
    for s in 0..class.len() as u32 {
        targets.extend(system.hidden(s).iter().filter(|t| same(s, t)));
        offsets.push(targets.len() as u32);
    }
    let components = hidden_components(&offsets, &targets);
    let members = grouped(&components);
    let row = |s: u32| {
        let row = offsets[s as usize] as usize..offsets[s as usize + 1] as usize;
        targets[row].iter().copied()
    };
    let own = |s: u32, set: &mut Vec<Observation>| {
        if semantics.within {
            behind(s, Form::Within, set);
            if !semantics.closed {
                let leaving = system.hidden(s).iter().filter(|t| !same(s, t));
                let form = Form::Within(LabelId::HIDDEN);
                set.extend(leaving.map(|t| form.of(class[t.index()])));
            }
        }
        if semantics.stability && system.hidden(s).is_empty() {
            set.push(Form::Stable.of(0));
        }
        let on_cycle =
            || members.of(components.of[s as usize]).len() > 1 || row(s).any(|t| t.get() == s);
        if semantics.divergence && on_cycle() {
            set.push(Form::DivergenceWithin.of(0));
        }
    };
    let sets = Sets::new(&components, &members, row, own, work)?.of;
    Some((components, sets))
}

/// The steps that count only as the first, by state.
fn at_once(system: &System<'_>, class: &[u32], work: &mut Work) -> Option<Vec<u32>> {
    let mut pool = Interned::default();
    let mut set: Vec<Observation> = Vec::new();
    let sets = (0..class.len() as u32).map(|s| {
        set.clear();
        let first = system.visible(s).filter(|&(first, ..)| first);
        set.extend(first.map(|(_, label, t)| Form::AtOnce(label).of(class[t as usize])));
        set.sort_unstable();
        set.dedup();
        work.spend(1 + set.len())?;
        Some(pool.intern(&set).0)
    });
    sets.collect()
}
