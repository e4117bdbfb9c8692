//! Which pairs of classes a formula must tell apart, and by what.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use foldhash::fast::RandomState;
use hyades_formats::{LabelId, StateId};

use super::observations::{Form, Observation, System};
use super::{Root, Work};
use crate::levels::Levels;

/// Two classes that a formula tells apart: those of `x` and `y` in the round in
/// which they part. The formula is constant in them.
pub(super) struct Pair {
    /// The first positions of the classes; `x` is the smaller one.
    pub(super) x: u32,
    pub(super) y: u32,
    /// The round in which they part.
    pub(super) level: u32,
    pub(super) choice: Choice,
}

/// An observation of one of two classes that the other has not.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// Whether it is `x` that has it.
    pub(super) by_x: bool,
    pub(super) form: Form,
    /// What holds where the step leads: a range of [`Search::operands`].
    pub(super) after: Range<usize>,
    /// What holds on the way: likewise.
    pub(super) held: Range<usize>,
}

/// A formula for a pair: for holding in x and not in y, or (`swapped`) the
/// other way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Operand {
    pub(super) pair: u32,
    pub(super) swapped: bool,
}

/// The outermost operator.
pub(super) enum Top {
    Pair(Operand),
    /// A first step of one of the two states, for a rooted relation.
    Step {
        root: Root,
        /// Whether it is the first state that has it.
        by_first: bool,
        label: LabelId,
        after: Range<usize>,
    },
}

/// How many observations are kept for when they are asked for again.
const KEPT: usize = 1 << 22;

/// The pairs for one formula.
pub(super) struct Search {
    pub(super) pairs: Vec<Pair>,
    pub(super) operands: Vec<Operand>,
    pub(super) top: Top,
}

/// An observation that tells a pair apart.
struct Candidate {
    /// An estimate of the size of the formula that comes of it.
    cost: u64,
    by_x: bool,
    observation: Observation,
}

impl Search {
    /// All pairs that are needed to tell apart two states, which have parted.
    pub(super) fn run(
        system: &System<'_>,
        levels: &Levels,
        p: StateId,
        q: StateId,
        work: &mut Work,
    ) -> Option<Self> {
        let mut searcher = Searcher {
            system,
            levels,
            work,
            pairs: Vec::new(),
            operands: Vec::new(),
            index: HashMap::default(),
            known: HashMap::default(),
            kept: 0,
        };
        let top = match system.kind.root() {
            None => Top::Pair(searcher.operand(levels.position(p), levels.position(q))),
            Some(root) => searcher.root(root, p, q)?,
        };
        let mut next = 0;
        while next < searcher.pairs.len() {
            searcher.choose(next)?;
            next += 1;
        }
        Some(Self {
            pairs: searcher.pairs,
            operands: searcher.operands,
            top,
        })
    }
}

struct Searcher<'a> {
    system: &'a System<'a>,
    levels: &'a Levels,
    work: &'a mut Work,
    pairs: Vec<Pair>,
    operands: Vec<Operand>,
    /// The pair for two classes, named by their first positions.
    index: HashMap<(u32, u32), u32, RandomState>,
    /// The observations of the state at a position, as of a round.
    known: HashMap<(u32, u32), Rc<[Observation]>, RandomState>,
    /// How many observations that are.
    kept: usize,
}

impl Searcher<'_> {
    /// What holds in the class of `x`, and not in that of `y`, in the round in
    /// which they part.
    fn operand(&mut self, x: u32, y: u32) -> Operand {
        let level = self.levels.level(x, y);
        let class = |x| self.levels.class(x, level).0;
        let (first, second) = (class(x), class(y));
        let swapped = second < first;
        let (x, y) = (first.min(second), first.max(second));
        let pair = *self.index.entry((x, y)).or_insert_with(|| {
            self.pairs.push(Pair {
                x,
                y,
                level,
                choice: Choice {
                    by_x: true,
                    form: Form::Stable,
                    after: 0..0,
                    held: 0..0,
                },
            });
            self.pairs.len() as u32 - 1
        });
        Operand { pair, swapped }
    }

    /// What holds in one class and in none of some others.
    fn operands(&mut self, class: u32, others: impl Iterator<Item = u32>) -> Range<usize> {
        let mut found: Vec<Operand> = others.map(|other| self.operand(class, other)).collect();
        found.sort_unstable();
        found.dedup();
        let start = self.operands.len();
        self.operands.extend(found);
        start..self.operands.len()
    }

    /// The observations of the class of `x`, as of the round before `level`.
    fn observations(&mut self, x: u32, level: u32) -> Option<Rc<[Observation]>> {
        if let Some(known) = self.known.get(&(x, level)) {
            return Some(known.clone());
        }
        let levels = self.levels;
        let class = |s: u32| levels.class(levels.position(StateId::new(s)), level - 1).0;
        let state = levels.order()[x as usize].get();
        let found = self.system.observations(state, class, self.work)?;
        let found: Rc<[Observation]> = found.into();
        self.kept += found.len();
        if self.kept > KEPT {
            self.known.clear();
            self.kept = found.len();
        }
        self.known.insert((x, level), found.clone());
        Some(found)
    }

    /// Chooses the observation for a pair and finds its operands.
    fn choose(&mut self, number: usize) -> Option<()> {
        let Pair { x, y, level, .. } = self.pairs[number];
        let own = self.levels.class(x, level - 1).0;
        let of_x = self.observations(x, level)?;
        let of_y = self.observations(y, level)?;
        self.work.spend(of_x.len() + of_y.len())?;
        let mut best: Option<Candidate> = None;
        for (by_x, mover, other) in [(true, &of_x, &of_y), (false, &of_y, &of_x)] {
            for &observation in mover.iter() {
                if other.binary_search(&observation).is_ok() {
                    continue;
                }
                let cost = self.cost(observation, own, other);
                if best.as_ref().is_none_or(|best| cost < best.cost) {
                    best = Some(Candidate {
                        cost,
                        by_x,
                        observation,
                    });
                }
            }
        }
        let Candidate {
            by_x, observation, ..
        } = best.expect("states that part in this round differ in an observation");
        let other = if by_x { of_y } else { of_x };
        let (form, class) = Form::decode(observation);
        let after = match form {
            Form::AtOnce(_) | Form::AnyWay(_) | Form::Within(_) => {
                let answers = other[form.range(&other)].iter().map(|&o| o as u32);
                // Where the step need not be made.
                let stay = (form == Form::Within(LabelId::HIDDEN)).then_some(own);
                self.operands(class, answers.chain(stay))
            }
            Form::Stable | Form::Divergence | Form::DivergenceWithin => 0..0,
        };
        let leaving = other[self.leaving(form, &other)].iter().map(|&o| o as u32);
        let held = self.operands(own, leaving.filter(|&c| c != own));
        self.work.spend(after.len() + held.len())?;
        self.pairs[number].choice = Choice {
            by_x,
            form,
            after,
            held,
        };
        Some(())
    }

    /// Where the classes are, among the observations of a state, that hidden
    /// steps from its own class can enter, if these must be excluded.
    fn leaving(&self, form: Form, other: &[Observation]) -> Range<usize> {
        match form {
            Form::Within(_) | Form::Stable | Form::DivergenceWithin => {
                // Where a step may have hidden ones behind it, those that leave
                // the class are not told from those by any way.
                let hidden = match self.system.semantics.closed {
                    true => Form::AnyWay(LabelId::HIDDEN),
                    false => Form::Within(LabelId::HIDDEN),
                };
                hidden.range(other)
            }
            Form::AtOnce(_) | Form::AnyWay(_) | Form::Divergence => 0..0,
        }
    }

    /// An estimate of the size of the formula: the number of operands times the
    /// greatest depth.
    fn cost(&self, observation: Observation, own: u32, other: &[Observation]) -> u64 {
        let (form, class) = Form::decode(observation);
        let after = match form {
            Form::AtOnce(_) | Form::AnyWay(_) | Form::Within(_) => {
                let stay = match form == Form::Within(LabelId::HIDDEN) {
                    true => u64::from(self.levels.level(class, own)),
                    false => 0,
                };
                self.cost_of(class, &other[form.range(other)]) + stay
            }
            Form::Stable | Form::Divergence | Form::DivergenceWithin => 0,
        };
        after + self.cost_of(own, &other[self.leaving(form, other)])
    }

    /// The same for excluding some classes, which ascend.
    fn cost_of(&self, class: u32, others: &[Observation]) -> u64 {
        // The nearest positions are the last to part.
        let place = others.partition_point(|&o| (o as u32) < class);
        let after = place + usize::from(others.get(place).is_some_and(|&o| o as u32 == class));
        let near = [place.checked_sub(1), Some(after)].into_iter().flatten();
        let deepest = near
            .filter_map(|k| others.get(k))
            .map(|&o| self.levels.level(class, o as u32))
            .max();
        others.len() as u64 * u64::from(deepest.unwrap_or(0))
    }

    /// The first step that tells two states apart, with the least depth behind
    /// it.
    fn root(&mut self, root: Root, p: StateId, q: StateId) -> Option<Top> {
        let levels = self.levels;
        struct First {
            cost: (u32, usize),
            by_first: bool,
            label: LabelId,
            target: u32,
            answers: Vec<u32>,
        }
        let mut best: Option<First> = None;
        for (by_first, mover, other) in [(true, p, q), (false, q, p)] {
            for (label, target) in self.system.lts.outgoing(mover) {
                let target = levels.position(target);
                let answers = self.system.root_answers(root, other, label, self.work)?;
                let position = |s: u32| levels.position(StateId::new(s));
                let answers: Vec<u32> = answers.into_iter().map(position).collect();
                let deepest = answers.iter().map(|&t| levels.level(target, t)).max();
                let cost = (deepest.unwrap_or(0), answers.len());
                if cost.0 < u32::MAX && best.as_ref().is_none_or(|best| cost < best.cost) {
                    best = Some(First {
                        cost,
                        by_first,
                        label,
                        target,
                        answers,
                    });
                }
            }
        }
        let First {
            by_first,
            label,
            target,
            answers,
            ..
        } = best.expect("the rounds end when some first step has no answer");
        Some(Top::Step {
            root,
            by_first,
            label,
            after: self.operands(target, answers.into_iter()),
        })
    }
}
