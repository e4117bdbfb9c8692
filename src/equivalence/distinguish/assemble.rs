//! The formula for pairs of classes.

use hyades_formats::LabelId;

use super::observations::{Form, System};
use super::search::{Choice, Operand, Pair, Search, Top};
use super::{AnyWay, Root};
use crate::formula::sets::{Budget, Set, Steps};
use crate::formula::{Formula, FormulaBuilder, NodeId};
use crate::levels::Levels;

/// Up to how much work formulas are made shorter by evaluating them.
pub(super) const THOROUGH: u64 = 1 << 28;

/// The formula that the search has found, made shorter by evaluating it up to so much work.
/// Pairs only use pairs of lower levels.
pub(super) fn assemble(
    system: &System<'_>,
    levels: &Levels,
    search: &Search,
    thorough: u64,
) -> Formula {
    let mut assembler = Assembler {
        system,
        search,
        builder: FormulaBuilder::new(),
        nodes: vec![None; search.pairs.len()],
    };
    let mut order: Vec<usize> = (0..search.pairs.len()).collect();
    order.sort_by_key(|&p| search.pairs[p].level);
    let mut meanings = Meanings::new(system, levels, search, thorough);
    for p in order {
        let pair = &search.pairs[p];
        let of = |range: &std::ops::Range<usize>| search.operands[range.clone()].to_vec();
        let (mut after, mut held) = (of(&pair.choice.after), of(&pair.choice.held));
        if let Some(known) = &mut meanings {
            // Without meanings nothing is left out any more.
            if known.settle(p, pair, &mut after, &mut held).is_none() {
                meanings = None;
            }
        }
        let node = assembler.observation(&pair.choice, &after, &held);
        assembler.nodes[p] = Some(node);
    }
    let root = assembler.top();
    assembler.builder.build(root)
}

struct Assembler<'a> {
    system: &'a System<'a>,
    search: &'a Search,
    builder: FormulaBuilder,
    /// For each pair that it is made for, what holds in the class that has the
    /// observation.
    nodes: Vec<Option<NodeId>>,
}

impl Assembler<'_> {
    fn all(&mut self, operands: &[Operand]) -> NodeId {
        let mut nodes = Vec::with_capacity(operands.len());
        for operand in operands {
            let node = self.nodes[operand.pair as usize].expect("made in an earlier round");
            let choice = &self.search.pairs[operand.pair as usize].choice;
            nodes.push(match operand.holds_with(choice) {
                true => node,
                false => self.builder.not(node),
            });
        }
        self.builder.and(nodes)
    }

    fn label(&mut self, label: LabelId) -> LabelId {
        match label.is_hidden() {
            true => LabelId::HIDDEN,
            false => {
                let text = self.system.lts.table().text(label);
                let own = self.builder.label(text);
                own.expect("no more labels than the system has")
            }
        }
    }

    /// Says that there is an observation.
    fn observation(&mut self, choice: &Choice, after: &[Operand], held: &[Operand]) -> NodeId {
        let hidden = LabelId::HIDDEN;
        let after = self.all(after);
        let free = held.is_empty();
        let held = self.all(held);
        match choice.form {
            Form::AtOnce(label) => {
                let label = self.label(label);
                self.builder.diamond(label, after)
            }
            Form::AnyWay(label) => {
                let own = self.label(label);
                match self.system.kind.by_any_way(label) {
                    AnyWay::Weak => self.builder.weak_diamond(own, after),
                    AnyWay::Delay => {
                        let step = self.builder.diamond(own, after);
                        self.builder.weak_diamond(hidden, step)
                    }
                    AnyWay::Until => {
                        let anything = self.builder.and([]);
                        self.builder.until(anything, own, after)
                    }
                }
            }
            Form::Within(label) if label.is_hidden() && free => {
                self.builder.weak_diamond(hidden, after)
            }
            Form::Within(label) => {
                let own = self.label(label);
                let after = match self.system.semantics.closed {
                    true => self.builder.weak_diamond(hidden, after),
                    false => after,
                };
                self.builder.until(held, own, after)
            }
            Form::Stable => {
                let anything = self.builder.and([]);
                let unstable = self.builder.diamond(hidden, anything);
                let stable = self.builder.not(unstable);
                if free {
                    return self.builder.weak_diamond(hidden, stable);
                }
                let both = self.builder.and([held, stable]);
                self.builder.until(held, hidden, both)
            }
            Form::Divergence | Form::DivergenceWithin => self.builder.divergence(held),
        }
    }

    fn top(&mut self) -> NodeId {
        match &self.search.top {
            Top::Pair(operand) => self.all(&[*operand]),
            Top::Step {
                root,
                by_first,
                label,
                after,
            } => {
                let own = self.label(*label);
                let after = self.all(&self.search.operands[after.clone()]);
                let step = match root {
                    Root::Strong => self.builder.diamond(own, after),
                    Root::Weak if label.is_hidden() => {
                        let after = self.builder.weak_diamond(own, after);
                        self.builder.diamond(own, after)
                    }
                    Root::Weak => self.builder.weak_diamond(own, after),
                };
                match by_first {
                    true => step,
                    false => self.builder.not(step),
                }
            }
        }
    }
}

impl Operand {
    /// Whether it holds where the class does that has the observation.
    fn holds_with(self, choice: &Choice) -> bool {
        choice.by_x != self.swapped
    }
}

/// Where the formulas of the pairs hold.
struct Meanings<'a> {
    system: &'a System<'a>,
    levels: &'a Levels,
    search: &'a Search,
    steps: Steps,
    stable: Set,
    budget: Budget,
    /// For each pair that has a formula already.
    of_pair: Vec<Option<Set>>,
    /// About how many operators the formula has.
    size: Vec<u64>,
}

impl<'a> Meanings<'a> {
    /// `None` if that would take too much time.
    fn new(
        system: &'a System<'a>,
        levels: &'a Levels,
        search: &'a Search,
        thorough: u64,
    ) -> Option<Self> {
        let states = system.lts.states();
        let work = (states as u64).div_ceil(64) * search.pairs.len() as u64;
        let mut budget = Budget::new(thorough.checked_sub(work)?);
        budget.spend(states + system.lts.transitions())?;
        let mut stable = Set::empty(states);
        for s in 0..states as u32 {
            if system.hidden(s).is_empty() {
                stable.insert(s);
            }
        }
        Some(Self {
            system,
            levels,
            search,
            steps: Steps::of(system.lts),
            stable,
            budget,
            of_pair: vec![None; search.pairs.len()],
            size: vec![0; search.pairs.len()],
        })
    }

    /// Keeps only as many operands as are needed and finds where the formula
    /// holds then. `None` if there is no time for that; what is left is enough even so.
    fn settle(
        &mut self,
        number: usize,
        pair: &Pair,
        after: &mut Vec<Operand>,
        held: &mut Vec<Operand>,
    ) -> Option<()> {
        let mut meaning = self.observation(&pair.choice, after, held)?;
        debug_assert!(self.tells_apart(pair, &meaning));
        // The largest go first, if they can.
        for operands in [true, false] {
            let mut order = if operands {
                after.clone()
            } else {
                held.clone()
            };
            order.sort_by_key(|o| std::cmp::Reverse((self.size[o.pair as usize], *o)));
            for operand in order {
                let list = if operands { &mut *after } else { &mut *held };
                let place = list.iter().position(|o| *o == operand);
                let place = place.expect("an operand is left out once");
                list.remove(place);
                let without = self.observation(&pair.choice, after, held);
                match without {
                    // It holds where it held, and perhaps in more states.
                    Some(without) if self.tells_apart(pair, &without) => meaning = without,
                    kept => {
                        let list = if operands { &mut *after } else { &mut *held };
                        list.insert(place, operand);
                        kept?;
                    }
                }
            }
        }
        self.of_pair[number] = Some(meaning);
        let operands = after.iter().chain(&*held);
        let sizes = operands.map(|o| self.size[o.pair as usize]);
        self.size[number] = sizes.fold(1, u64::saturating_add);
        Some(())
    }

    /// Whether the formula holds in the class that has the observation and
    /// nowhere in the other.
    fn tells_apart(&self, pair: &Pair, meaning: &Set) -> bool {
        [(pair.x, pair.choice.by_x), (pair.y, !pair.choice.by_x)]
            .into_iter()
            .all(|(x, expected)| {
                let (start, end) = self.levels.class(x, pair.level);
                let states = &self.levels.order()[start as usize..end as usize];
                states.iter().all(|s| meaning.has(s.get()) == expected)
            })
    }

    fn all(&mut self, operands: &[Operand]) -> Option<Set> {
        let states = self.system.lts.states();
        let mut all = Set::empty(states).complement();
        self.budget.spend(states / 64 * operands.len() + 1)?;
        for operand in operands {
            let set = self.of_pair[operand.pair as usize].as_ref();
            let set = set.expect("made in an earlier round");
            match operand.holds_with(&self.search.pairs[operand.pair as usize].choice) {
                true => all.intersect(set),
                false => all.subtract(set),
            }
        }
        Some(all)
    }

    /// Where the observation is made.
    fn observation(&mut self, choice: &Choice, after: &[Operand], held: &[Operand]) -> Option<Set> {
        let mut after = self.all(after)?;
        let held = self.all(held)?;
        let (steps, budget) = (&self.steps, &mut self.budget);
        Some(match choice.form {
            Form::AtOnce(label) => steps.before(label, &after, budget)?,
            Form::AnyWay(label) => match self.system.kind.by_any_way(label) {
                AnyWay::Weak => steps.weakly_before(label, after, budget)?,
                AnyWay::Delay | AnyWay::Until => {
                    let mut set = steps.before(label, &after, budget)?;
                    steps.close(&mut set, None, budget)?;
                    set
                }
            },
            Form::Within(label) => {
                if self.system.semantics.closed {
                    steps.close(&mut after, None, budget)?;
                }
                steps.until(&held, label, &after, budget)?
            }
            Form::Stable => {
                let mut set = held.clone();
                set.intersect(&self.stable);
                steps.close(&mut set, Some(&held), budget)?;
                set
            }
            Form::Divergence | Form::DivergenceWithin => steps.diverging(held, budget)?,
        })
    }
}
