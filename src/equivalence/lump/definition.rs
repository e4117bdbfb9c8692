//! Lumping by the definition: partitions are refined by sums of whole numbers until nothing
//! changes.

use std::collections::{BTreeMap, BTreeSet};

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_testing::Random;

use super::LumpingRelation;
use super::label::Kind;
use crate::{Minimized, Partition, naive};

pub(super) fn label_text(lts: &Lts, label: LabelId) -> String {
    match label.is_hidden() {
        true => "i".to_owned(),
        false => String::from_utf8_lossy(lts.table().text(label)).into_owned(),
    }
}

/// Transitions between classes, with the texts of labels.
type Steps = BTreeSet<(u32, String, u32)>;

/// What a label means, in thousandths.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Meaning {
    kind: Kind,
    label: Option<String>,
    thousandths: u64,
}

/// What a state does by weighted transitions: sums by kind, label and class.
type Function = BTreeMap<(Kind, Option<String>, u32), u64>;

/// The definition.
pub(super) struct Definition<'a> {
    pub(super) lts: &'a Lts,
    pub(super) meanings: &'a [Option<Meaning>],
    pub(super) relation: LumpingRelation,
    pub(super) keep_self: bool,
}

impl Definition<'_> {
    fn is_inert(&self, s: StateId, (a, t): (LabelId, StateId), class: &[u32]) -> bool {
        self.relation != LumpingRelation::Strong
            && a.is_hidden()
            && class[s.index()] == class[t.index()]
    }

    fn function(&self, s: StateId, class: &[u32]) -> Function {
        let is_unstable = self.lts.outgoing(s).any(|(a, _)| a.is_hidden());
        let is_late = is_unstable && self.relation != LumpingRelation::Strong;
        let mut function = Function::new();
        for (a, t) in self.lts.outgoing(s) {
            let Some(meaning) = &self.meanings[a.index()] else {
                continue;
            };
            let target = class[t.index()];
            let is_rate = meaning.kind == Kind::Rate;
            let is_lost = is_rate && meaning.label.is_none() && s == t;
            if !(is_rate && is_late) && (self.keep_self || !is_lost) {
                let key = (meaning.kind, meaning.label.clone(), target);
                *function.entry(key).or_default() += meaning.thousandths;
            }
        }
        function
    }

    /// The states that inert steps lead to.
    fn inert_closure(&self, s: StateId, class: &[u32]) -> Vec<StateId> {
        let mut found = vec![s];
        let mut next = 0;
        while next < found.len() {
            let here = found[next];
            for step in self.lts.outgoing(here) {
                if self.is_inert(here, step, class) && !found.contains(&step.1) {
                    found.push(step.1);
                }
            }
            next += 1;
        }
        found
    }

    fn partition(&self) -> Partition {
        let n = self.lts.states();
        let mut partition = Partition::new(vec![0; n]);
        loop {
            let class = partition.classes();
            let divergent = naive::divergent_states(self.lts, &partition);
            let sees_divergence = self.relation == LumpingRelation::DivBranching;
            let key = |s: usize| {
                let mut steps = BTreeSet::new();
                let mut functions = BTreeSet::new();
                for t in self.inert_closure(StateId::from_index(s), class) {
                    functions.insert(self.function(t, class));
                    for (a, u) in self.lts.outgoing(t) {
                        let is_ordinary = self.meanings[a.index()].is_none();
                        if is_ordinary && !self.is_inert(t, (a, u), class) {
                            steps.insert((a, class[u.index()]));
                        }
                    }
                }
                functions.remove(&Function::new());
                (class[s], steps, functions, sees_divergence && divergent[s])
            };
            let keys: Vec<_> = (0..n).map(key).collect();
            let number = |s: usize| (0..s).find(|&t| keys[t] == keys[s]);
            let mut next: Vec<u32> = Vec::new();
            let mut count = 0;
            for s in 0..n {
                next.push(match number(s) {
                    Some(t) => next[t],
                    None => {
                        count += 1;
                        count - 1
                    }
                });
            }
            if count as usize == partition.count() {
                return partition;
            }
            partition = Partition::new(next);
        }
    }

    /// The transitions between the classes of reachable states; nothing if states of a class
    /// differ in what they do.
    fn quotient(&self, class: &[u32]) -> Option<Steps> {
        let divergent = naive::divergent_states(self.lts, &Partition::new(class.to_vec()));
        let reachable = hyades_lts::reached(self.lts);
        let mut steps = BTreeSet::new();
        let mut functions: BTreeMap<u32, Function> = BTreeMap::new();
        for s in (0..class.len()).map(StateId::from_index) {
            if !reachable[s.index()] {
                continue;
            }
            let own = class[s.index()];
            for (a, t) in self.lts.outgoing(s) {
                if self.meanings[a.index()].is_none() && !self.is_inert(s, (a, t), class) {
                    steps.insert((own, label_text(self.lts, a), class[t.index()]));
                }
            }
            if self.relation == LumpingRelation::DivBranching && divergent[s.index()] {
                steps.insert((own, "i".to_owned(), own));
            }
            let function = self.function(s, class);
            let first = || function.clone();
            if !function.is_empty() && *functions.entry(own).or_insert_with(first) != function {
                return None;
            }
        }
        for (own, function) in functions {
            for ((kind, label, target), thousandths) in function {
                let number = thousandths as f64 / 1000.0;
                let word = kind.word();
                let text = match label {
                    Some(label) => format!("{label}; {word} {number}"),
                    None => format!("{word} {number}"),
                };
                steps.insert((own, text, target));
            }
        }
        Some(steps)
    }

    /// The class of each state and the transitions between classes that can be reached,
    /// lumped until no delay remains within a class; the states that differ within a class if
    /// there are such.
    pub(super) fn lumped(&self) -> Option<(Vec<u32>, Steps)> {
        let mut class = self.partition().into_classes();
        let mut steps = self.quotient(&class)?;
        // What only rates led to that do not count is not reached any more.
        let mut found = BTreeSet::from([class[self.lts.initial().index()]]);
        loop {
            let targets = steps.iter().filter(|step| found.contains(&step.0));
            let more: BTreeSet<u32> = targets.map(|step| step.2).chain(found.clone()).collect();
            if more == found {
                break;
            }
            found = more;
        }
        steps.retain(|step| found.contains(&step.0));
        let is_left_out = |class: &&mut u32| !found.contains(*class);
        let left_out = class.iter_mut().filter(is_left_out);
        left_out.for_each(|class| *class = Minimized::NO_CLASS);
        let is_lost = |(s, text, t): &(u32, String, u32)| s == t && text.starts_with("rate ");
        if self.keep_self || !steps.iter().any(is_lost) {
            return Some((class, steps));
        }
        steps.retain(|step| !is_lost(step));
        let states = *found.last().expect("the initial class") + 1;
        let mut b = LtsBuilder::new(u64::from(states));
        let mut meanings = vec![None];
        for (s, text, t) in &steps {
            if text == "i" {
                b.add(StateId::new(*s), LabelId::HIDDEN, StateId::new(*t));
                continue;
            }
            b.add_text(*s, text.as_bytes(), *t).unwrap();
            if b.table_mut().len() > meanings.len() {
                meanings.push(meaning(text));
            }
        }
        let initial = StateId::new(class[self.lts.initial().index()]);
        let lts = &b.build(initial).unwrap();
        let meanings = &meanings;
        let next = Definition {
            lts,
            meanings,
            ..*self
        };
        let (next, steps) = next.lumped()?;
        let next = |&c: &u32| match c {
            Minimized::NO_CLASS => c,
            _ => next[c as usize],
        };
        Some((class.iter().map(next).collect(), steps))
    }
}

/// What a label of a quotient means.
fn meaning(text: &str) -> Option<Meaning> {
    let (label, rest) = match text.split_once("; ") {
        Some((label, rest)) => (Some(label.to_owned()), rest),
        None => (None, text),
    };
    let (word, number) = rest.split_once(' ')?;
    let kinds = [Kind::Rate, Kind::Probability];
    let kind = kinds.into_iter().find(|kind| kind.word() == word)?;
    let number: f64 = number.parse().unwrap();
    Some(Meaning {
        kind,
        label,
        thousandths: (number * 1000.0).round() as u64,
    })
}

/// Labels with numbers for some of the labels of a random system; probabilities are small
/// enough for any sum.
pub(super) fn weighted(lts: &Lts, random: &mut Random) -> (Lts, Vec<Option<Meaning>>) {
    let mut b = LtsBuilder::new(lts.states() as u64);
    let mut label = vec![LabelId::HIDDEN];
    let mut meanings = vec![None];
    for k in 1..lts.table().len() {
        let old = String::from_utf8_lossy(lts.table().text(LabelId::new(k as u32))).into_owned();
        let kind = [Kind::Rate, Kind::Probability][random.between(0, 1)];
        let name = [None, Some("go".to_owned())][random.between(0, 1)].clone();
        let (number, thousandths) =
            [("1", 1000), ("2.00", 2000), ("3e0", 3000), (".5", 500)][random.between(0, 3)];
        let (number, thousandths) = match kind {
            Kind::Rate => (number.to_owned(), thousandths),
            // A thousandth of that.
            Kind::Probability => (format!("{}e-3", thousandths / 100), thousandths / 100),
        };
        let word = kind.word();
        let text = match (&name, random.chance(25)) {
            (_, true) => old.clone(),
            (None, false) => format!("{word} {number}"),
            (Some(name), false) => format!("{name} ; {word}  {number}"),
        };
        let id = b.table_mut().intern(text.as_bytes()).unwrap();
        label.push(id);
        if id.index() == meanings.len() {
            meanings.push((text != old).then_some(Meaning {
                kind,
                label: name,
                thousandths,
            }));
        }
    }
    for (s, l, t) in lts.iter() {
        b.add(s, label[l.index()], t);
    }
    (b.build(lts.initial()).unwrap(), meanings)
}
