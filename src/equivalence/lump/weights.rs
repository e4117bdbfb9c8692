//! What labels of an LTS weigh, and sums of that by classes.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use hyades_base::interned::Interned;
use hyades_formats::{LabelId, Lts, StateId};

use super::decimal::{Amount, Decimal, Number};
use super::label::{self, Kind, Weighted};
use super::{LumpError, Lumping};

/// The labels of an LTS that have a meaning, by [`LabelId`]; all others have none.
pub(super) struct Labels {
    pub(super) of: Vec<Option<Weight>>,
    /// What is summed together: a kind and a label, `None` if it is the number alone.
    pub(super) keys: Vec<(Kind, Option<Vec<u8>>)>,
    /// How many digits numbers have behind the point and before it, at the most.
    places: u32,
    whole_digits: u32,
}

/// What a label weighs.
pub(super) struct Weight {
    /// What it is summed with.
    pub(super) key: u32,
    number: Decimal,
}

impl Labels {
    /// Reads the labels of an LTS that occur. O(m + size of the labels).
    ///
    /// # Errors
    /// If a number does not suit its kind.
    pub(super) fn new(lts: &Lts, lumping: &Lumping) -> Result<Self, LumpError> {
        let mut found = Self {
            of: Vec::new(),
            keys: Vec::new(),
            places: 0,
            whole_digits: 1,
        };
        let mut numbers: HashMap<(Kind, Option<Vec<u8>>), u32, FixedState> = HashMap::default();
        for (k, is_used) in lts.used_labels().into_iter().enumerate() {
            let id = LabelId::new(k as u32);
            let weighted = match is_used && !id.is_hidden() {
                true => label::parse(lts.table().text(id)).filter(|w| lumping.reads(w.kind)),
                false => None,
            };
            let Some(Weighted {
                label,
                kind,
                number,
            }) = weighted
            else {
                found.of.push(None);
                continue;
            };
            let number = suitable(kind, number, lts.table().text(id))?;
            let key = (kind, label.map(<[u8]>::to_vec));
            let key = *numbers.entry(key).or_insert_with_key(|key| {
                found.keys.push(key.clone());
                found.keys.len() as u32 - 1
            });
            found.places = found.places.max(number.places());
            found.whole_digits = found.whole_digits.max(number.whole_digits());
            found.of.push(Some(Weight { key, number }));
        }
        Ok(found)
    }

    /// Whether no label has a meaning.
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// How many digits all sums over up to `steps` transitions need, and how many of them
    /// stand behind the point, where numbers are compared with this one.
    pub(super) fn digits(&self, steps: usize, epsilon: Option<&Decimal>) -> (u32, u32) {
        let places = epsilon.map_or(0, Decimal::places).max(self.places);
        let whole = epsilon
            .map_or(1, Decimal::whole_digits)
            .max(self.whole_digits);
        // Thrice the sum must fit, and one more for good measure.
        (places + whole + steps.max(1).ilog10() + 2, places)
    }
}

/// The number, if it is one for the kind.
pub(super) fn suitable(kind: Kind, number: Number, text: &[u8]) -> Result<Decimal, LumpError> {
    let label = || String::from_utf8_lossy(text).into_owned();
    let number = match number {
        Number::Positive(number) => number,
        Number::NotPositive => return Err(LumpError::NotPositive { label: label() }),
        Number::OutOfRange => return Err(LumpError::OutOfRange { label: label() }),
    };
    let is_above_one = match kind {
        Kind::Rate => false,
        Kind::Probability => {
            let places = number.places();
            number.whole_digits() > 1 || Amount::<64>::new(&number, places) > Amount::one(places)
        }
    };
    match is_above_one {
        true => Err(LumpError::AboveOne { label: label() }),
        false => Ok(number),
    }
}

/// The weighted transitions of an LTS.
pub(super) struct Weights<'a, const N: usize> {
    lts: &'a Lts,
    labels: &'a Labels,
    /// What each label weighs; zero if it does not.
    amounts: Vec<Amount<N>>,
    places: u32,
    epsilon: Option<Amount<N>>,
    keep_self: bool,
    /// The states whose rates do not count.
    urgent: Vec<bool>,
}

/// A sum of weights: what is summed, and the class that it leads to.
#[derive(Clone, Copy)]
pub(super) struct Sum<const N: usize> {
    pub(super) key: u32,
    pub(super) class: u32,
    pub(super) amount: Amount<N>,
}

impl<'a, const N: usize> Weights<'a, N> {
    /// The weights of an LTS whose sums fit. Rates do not count in states that have a hidden
    /// step if `hidden_first`.
    pub(super) fn new(
        lts: &'a Lts,
        labels: &'a Labels,
        places: u32,
        epsilon: Option<&Decimal>,
        keep_self: bool,
        hidden_first: bool,
    ) -> Self {
        let amount = |w: &Option<Weight>| match w {
            Some(weight) => Amount::new(&weight.number, places),
            None => Amount::ZERO,
        };
        let hidden = |s| {
            lts.outgoing(StateId::from_index(s))
                .any(|(l, _)| l.is_hidden())
        };
        Self {
            lts,
            labels,
            amounts: labels.of.iter().map(amount).collect(),
            places,
            epsilon: epsilon.map(|epsilon| Amount::new(epsilon, places)),
            keep_self,
            urgent: (0..lts.states())
                .map(|s| hidden_first && hidden(s))
                .collect(),
        }
    }

    /// How many transitions with a rate do not count because of a hidden step of the same
    /// state.
    pub(super) fn preempted(&self) -> u64 {
        let transitions = self.lts.iter();
        let preempted =
            transitions.filter(|&(s, l, _)| self.weight_of(l).is_some_and(|w| self.is_late(s, w)));
        preempted.count() as u64
    }

    /// How many others do not count because they lead back to where they start.
    pub(super) fn self_loops(&self) -> u64 {
        let transitions = self.lts.iter();
        let loops = transitions.filter(|&(s, l, t)| {
            self.weight_of(l)
                .is_some_and(|w| s == t && self.is_lost_within(w.key) && !self.is_late(s, w))
        });
        loops.count() as u64
    }

    fn weight_of(&self, label: LabelId) -> Option<&Weight> {
        self.labels.of[label.index()].as_ref()
    }

    /// Whether a state has a hidden step that goes before this weight.
    fn is_late(&self, state: StateId, weight: &Weight) -> bool {
        self.urgent[state.index()] && self.kind(weight) == Kind::Rate
    }

    /// # Errors
    /// If the probabilities of a state are more than one together, by more than epsilon.
    pub(super) fn check_probabilities(&self) -> Result<(), LumpError> {
        let mut most = Amount::one(self.places);
        if let Some(epsilon) = self.epsilon {
            most = most.plus(epsilon);
        }
        for s in (0..self.lts.states()).map(StateId::from_index) {
            let mut sum = Amount::ZERO;
            for (l, _) in self.lts.outgoing(s) {
                if let Some(weight) = &self.labels.of[l.index()]
                    && self.kind(weight) == Kind::Probability
                {
                    sum = sum.plus(self.amounts[l.index()]);
                }
            }
            if sum > most {
                return Err(LumpError::SumAboveOne {
                    state: s,
                    sum: sum.to_text(self.places),
                });
            }
        }
        Ok(())
    }

    fn kind(&self, weight: &Weight) -> Kind {
        self.labels.keys[weight.key as usize].0
    }

    /// Whether steps back to where they start are of no matter: an unobserved delay after
    /// which nothing has changed.
    pub(super) fn is_lost_within(&self, key: u32) -> bool {
        let (kind, label) = &self.labels.keys[key as usize];
        match kind {
            Kind::Rate => !self.keep_self && label.is_none(),
            Kind::Probability => false,
        }
    }

    /// Whether a transition has a weight.
    pub(super) fn is_weighted(&self, label: LabelId) -> bool {
        self.labels.of[label.index()].is_some()
    }

    /// The sums of a state that count, in the order of what is summed and the class.
    pub(super) fn sums(&self, state: u32, class: &[u32], sums: &mut Vec<Sum<N>>) {
        sums.clear();
        for (l, t) in self.lts.outgoing(StateId::new(state)) {
            let Some(weight) = &self.labels.of[l.index()] else {
                continue;
            };
            let is_lost = t.get() == state && self.is_lost_within(weight.key);
            if !is_lost && !self.is_late(StateId::new(state), weight) {
                sums.push(Sum {
                    key: weight.key,
                    class: class[t.index()],
                    amount: self.amounts[l.index()],
                });
            }
        }
        sums.sort_unstable_by_key(|sum| (sum.key, sum.class));
        sums.dedup_by(|next, sum| {
            let same = (next.key, next.class) == (sum.key, sum.class);
            if same {
                sum.amount = sum.amount.plus(next.amount);
            }
            same
        });
    }

    /// The text of a label for a sum.
    pub(super) fn text(&self, sum: &Sum<N>) -> Vec<u8> {
        let (kind, label) = &self.labels.keys[sum.key as usize];
        label::text(label.as_deref(), *kind, &sum.amount.to_text(self.places))
    }
}

/// Numbers for what a state does by weighted transitions.
pub(super) struct Functions<'a, const N: usize> {
    weights: &'a Weights<'a, N>,
    /// The number of each amount that occurred, or of the multiple of epsilon next to it;
    /// zero has 0.
    amounts: HashMap<Amount<N>, u32, FixedState>,
    rounded: HashMap<Amount<N>, u32, FixedState>,
    functions: Interned<u64>,
    sums: Vec<Sum<N>>,
    sequence: Vec<u64>,
}

impl<'a, const N: usize> Functions<'a, N> {
    pub(super) fn new(weights: &'a Weights<'a, N>) -> Self {
        Self {
            weights,
            amounts: HashMap::default(),
            rounded: HashMap::from_iter([(Amount::ZERO, 0)]),
            functions: Interned::default(),
            sums: Vec::new(),
            sequence: Vec::new(),
        }
    }

    /// The number of what a state does: equal if and only if all sums are, as far as they are
    /// told apart. Nothing if there are none, or none that can be told from zero.
    pub(super) fn number(&mut self, state: u32, class: &[u32]) -> Option<u32> {
        let mut sums = std::mem::take(&mut self.sums);
        self.weights.sums(state, class, &mut sums);
        self.sequence.clear();
        for sum in &sums {
            let amount = self.amount(sum.amount);
            if amount > 0 {
                self.sequence
                    .push(u64::from(sum.key) << 32 | u64::from(sum.class));
                self.sequence.push(u64::from(amount));
            }
        }
        self.sums = sums;
        (!self.sequence.is_empty()).then(|| self.functions.intern(&self.sequence).0)
    }

    /// The sums of a state, without those that cannot be told from zero.
    pub(super) fn sums(&mut self, state: u32, class: &[u32]) -> Vec<Sum<N>> {
        let mut sums = Vec::new();
        self.weights.sums(state, class, &mut sums);
        sums.retain(|sum| self.amount(sum.amount) > 0);
        sums
    }

    fn amount(&mut self, amount: Amount<N>) -> u32 {
        if let Some(&number) = self.amounts.get(&amount) {
            return number;
        }
        let rounded = match self.weights.epsilon {
            Some(epsilon) => amount.rounded(epsilon),
            None => amount,
        };
        let next = self.rounded.len() as u32;
        let number = *self.rounded.entry(rounded).or_insert(next);
        self.amounts.insert(amount, number);
        number
    }
}
