//! `prio`: labels that give way to others.

use hyades_lts::relabel::{Action, Matching, Rules};

use super::super::event::EventId;
use super::super::lex::{Place, SyntaxError};
use super::super::syntax::Set;
use super::par::CASE_HINT;
use super::relabel::{concerns, push, scope};
use super::{Behaviour, Compiler, Result};

/// The labels of a behaviour and its hidden action, which comes last, by number.
type Item = usize;

/// Between two neighbours of a chain: the items that are higher, and those that
/// are lower.
struct Step {
    higher: Vec<Item>,
    lower: Vec<Item>,
}

impl Compiler<'_, '_> {
    /// A label is prevented where one that is higher is possible *in the
    /// operand*, whatever operators around it do with either.
    pub(super) fn prio(
        &mut self,
        matching: Matching,
        chains: &[Vec<Set>],
        place: Place,
        operand: Behaviour,
    ) -> Result<Behaviour> {
        let mut steps = Vec::new();
        for chain in chains {
            let mut sets = chain.iter();
            let mut higher = match sets.next() {
                Some(set) => self.items(matching, set, &operand)?,
                None => continue,
            };
            for set in sets {
                let lower = self.items(matching, set, &operand)?;
                steps.push(Step {
                    higher,
                    lower: lower.clone(),
                });
                higher = lower;
            }
        }
        let guards = self.guards(&steps, place, &operand)?;
        let Behaviour {
            mut visible,
            mut hidden,
        } = operand;
        let (of_hidden, of_visible) = guards.split_last().expect("the hidden action is an item");
        for ((_, event), guard) in visible.iter_mut().zip(of_visible) {
            if let Some(guard) = *guard {
                *event = self.events.unless(*event, guard);
            }
        }
        if let Some(guard) = *of_hidden {
            for event in &mut hidden {
                *event = self.events.unless(*event, guard);
            }
        }
        Ok(Behaviour { visible, hidden })
    }

    /// The labels that a set describes. The hidden action is none of those that
    /// patterns match, and so in every complement.
    fn items(&mut self, matching: Matching, set: &Set, operand: &Behaviour) -> Result<Vec<Item>> {
        let mut rules = Rules::new(Action::Hide, matching, scope(set.all_but));
        for pattern in &set.patterns {
            push(&mut rules, pattern, None)?;
        }
        let labels = &self.labels;
        let texts = operand.visible.iter().map(|&(label, _)| labels.text(label));
        let mut items: Vec<Item> = texts
            .clone()
            .enumerate()
            .filter(|(_, text)| rules.concern(text))
            .map(|(item, _)| item)
            .collect();
        if set.all_but && !operand.hidden.is_empty() {
            items.push(operand.visible.len());
        }
        if self.options.check {
            let mut missing = Vec::new();
            for pattern in &set.patterns {
                if !concerns(&pattern.text, matching, texts.clone()) {
                    let written = pattern.written.as_deref();
                    let would = written.is_some_and(|text| concerns(text, matching, texts.clone()));
                    missing.push((pattern, would));
                }
            }
            for (pattern, would) in missing {
                let hint = if would { CASE_HINT } else { "" };
                self.warn("exp-prio-unused", pattern.place, |quote| {
                    format!("prio {}: no label matches{hint}", quote(&pattern.text))
                });
            }
        }
        Ok(items)
    }

    /// For each item, what prevents it: that an item is enabled which is higher
    /// by one step or more.
    ///
    /// Items and steps are sorted topologically (Kahn 1962), so that the events
    /// that prevent a step's lower items are built once for all of them.
    fn guards(
        &mut self,
        steps: &[Step],
        place: Place,
        operand: &Behaviour,
    ) -> Result<Vec<Option<EventId>>> {
        let items = operand.visible.len() + 1;
        let own = |compiler: &mut Self, item: Item| match operand.visible.get(item) {
            Some(&(_, event)) => event,
            None => compiler.events.any(operand.hidden.clone()),
        };
        // For each item, the steps in which it is higher; and how many steps are
        // yet to be dealt with in which it is lower.
        let mut above: Vec<Vec<usize>> = vec![Vec::new(); items];
        let mut waits: Vec<usize> = vec![0; items];
        for (number, step) in steps.iter().enumerate() {
            for &item in &step.higher {
                above[item].push(number);
            }
            if !step.higher.is_empty() {
                step.lower.iter().for_each(|&item| waits[item] += 1);
            }
        }
        let mut missing: Vec<usize> = steps.iter().map(|step| step.higher.len()).collect();
        let mut preventing: Vec<Vec<EventId>> = vec![Vec::new(); items];
        let mut guards = vec![None; items];
        let mut ready: Vec<Item> = (0..items).filter(|&item| waits[item] == 0).collect();
        let mut done = 0;
        while let Some(item) = ready.pop() {
            done += 1;
            let preventing_it = std::mem::take(&mut preventing[item]);
            if !preventing_it.is_empty() {
                guards[item] = Some(self.events.any(preventing_it));
            }
            for &number in &above[item] {
                missing[number] -= 1;
                if missing[number] > 0 {
                    continue;
                }
                let step = &steps[number];
                let mut causes = Vec::new();
                for &higher in &step.higher {
                    causes.push(own(self, higher));
                    causes.extend(guards[higher]);
                }
                let cause = self.events.any(causes);
                for &lower in &step.lower {
                    preventing[lower].push(cause);
                    waits[lower] -= 1;
                    if waits[lower] == 0 {
                        ready.push(lower);
                    }
                }
            }
        }
        if done < items {
            // Going up from an item that waits, one comes to a cycle.
            let (mut item, mut seen) = (0, vec![false; items]);
            while waits[item] == 0 {
                item += 1;
            }
            while !seen[item] {
                seen[item] = true;
                let step = steps.iter().find(|step| {
                    step.lower.contains(&item) && step.higher.iter().any(|&h| waits[h] > 0)
                });
                let higher = step.and_then(|s| s.higher.iter().find(|&&h| waits[h] > 0));
                item = *higher.expect("an item that waits is below one that waits");
            }
            let error = SyntaxError::quoting(place, "exp-prio", |quote| {
                let name = match operand.visible.get(item) {
                    Some(&(label, _)) => quote(self.labels.text(label)),
                    None => "the hidden action".into(),
                };
                format!("{name} would have priority over itself")
            });
            return Err(error.into());
        }
        Ok(guards)
    }
}
