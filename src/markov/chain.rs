//! The Markov chain of an LTS, without its vanishing states.

use std::collections::BTreeMap;

use hyades_base::grouped::Grouped;
use hyades_equivalence::lump::{self, Kind};
use hyades_formats::{LabelId, Lts, Offsets, StateId};
use hyades_lts::hidden_components;

use crate::{ChainError, Sparse};

/// A continuous-time Markov chain over the tangible states of an LTS that can be reached.
#[derive(Clone, Debug)]
pub struct Chain {
    states: Vec<StateId>,
    initial: Vec<(u32, f64)>,
    rates: Sparse,
    exits: Vec<f64>,
    labels: Vec<Vec<u8>>,
    frequencies: Sparse,
    vanishing: usize,
    preempted: u64,
    normalized: u64,
}

impl Chain {
    /// The chain of an LTS: see the [crate].
    ///
    /// The probabilities of a state are divided by their sum. Of transitions that are led to
    /// vanishing states, the rates are spread over the tangible states where these end. States
    /// that lead to one another without time passing are eliminated one after the other, without
    /// subtractions.
    ///
    /// O(states + transitions) where no state is vanishing. Each vanishing state has a row with
    /// the tangible states and labels that it leads to, so that time and memory may be the
    /// product of their numbers, and k³ at the most for k vanishing states that can all reach each
    /// other: k log k where these are in a line.
    ///
    /// # Errors
    /// See [`ChainError`].
    pub fn new(lts: &Lts) -> Result<Self, ChainError> {
        let read = Labels::read(lts);
        let kinds = Kinds::new(lts, &read)?;
        let mut chain = Self {
            states: Vec::new(),
            initial: Vec::new(),
            rates: Sparse::with_capacity(kinds.states.len()),
            exits: Vec::with_capacity(kinds.states.len()),
            labels: read.names.clone(),
            frequencies: Sparse::with_capacity(kinds.states.len()),
            vanishing: kinds.vanishing.len(),
            preempted: kinds.preempted,
            normalized: 0,
        };
        let ways = Ways::new(lts, &read, &kinds, &mut chain.normalized)?;
        let states = kinds.states.len();
        for (own, &state) in kinds.states.iter().enumerate() {
            let mut row = BTreeMap::new();
            for (label, target) in steps(lts, state) {
                // All others have been refused.
                if let Meaning::Weight(Kind::Rate, name, rate) = read.of[label.index()] {
                    ways.add(&mut row, rate, name, target);
                }
            }
            let split = row.split_off(&states);
            // Products may be too small for numbers.
            let rates = row.into_iter().filter(|&(c, rate)| c != own && rate > 0.0);
            let rates: Vec<(u32, f64)> = rates.map(|(c, rate)| (c as u32, rate)).collect();
            let exit: f64 = rates.iter().map(|&(_, rate)| rate).sum();
            let often: f64 = split.values().sum();
            if !(exit + often).is_finite() {
                return Err(ChainError::Infinite { state });
            }
            chain.rates.push(rates);
            chain.exits.push(exit);
            let split = split
                .into_iter()
                .map(|(c, rate)| ((c - states) as u32, rate));
            chain.frequencies.push(split);
        }
        let mut start = BTreeMap::new();
        ways.add(&mut start, 1.0, None, lts.initial());
        let tangible = start.range(..states);
        chain.initial = tangible.map(|(&column, &p)| (column as u32, p)).collect();
        chain.states = kinds.states;
        Ok(chain)
    }

    /// The tangible states that can be reached, ascending, by their numbers in the LTS. All
    /// other numbers of states are places in this list.
    pub fn states(&self) -> &[StateId] {
        &self.states
    }

    /// Where it starts, with probabilities: one state, or those where a vanishing initial state
    /// ends.
    pub fn initial(&self) -> &[(u32, f64)] {
        &self.initial
    }

    /// The rates from each state to each other.
    pub fn rates(&self) -> &Sparse {
        &self.rates
    }

    /// The sum of the rates of each state to others.
    pub fn exits(&self) -> &[f64] {
        &self.exits
    }

    /// The labels that stand before rates and probabilities, in ascending order.
    pub fn labels(&self) -> &[Vec<u8>] {
        &self.labels
    }

    /// How many vanishing states were eliminated.
    pub fn vanishing(&self) -> usize {
        self.vanishing
    }

    /// How many rates were left out because their states are vanishing.
    pub fn preempted(&self) -> u64 {
        self.preempted
    }

    /// How many vanishing states have probabilities whose sum is not 1, rounding aside.
    pub fn normalized(&self) -> u64 {
        self.normalized
    }

    /// How often transitions with each of the [`labels`](Chain::labels) occur in a unit of time,
    /// if the states have these probabilities. O(states · labels) at the most.
    pub fn throughputs(&self, probabilities: &[f64]) -> Vec<f64> {
        let mut found = vec![0.0; self.labels.len()];
        for (state, probability) in probabilities.iter().enumerate() {
            for (label, rate) in self.frequencies.row(state) {
                found[label as usize] += probability * rate;
            }
        }
        found
    }
}

/// The transitions of a state.
fn steps(lts: &Lts, state: StateId) -> impl Iterator<Item = (LabelId, StateId)> + Clone {
    let row = lts.row(state);
    let labels = lts.labels()[row.clone()].iter().copied();
    labels.zip(lts.targets()[row].iter().copied())
}

/// What a label means.
#[derive(Clone, Copy)]
enum Meaning {
    /// No time.
    Hidden,
    /// Its kind, the number of its name, if it has one, and its rate or probability.
    Weight(Kind, Option<u32>, f64),
    /// Nothing.
    Ordinary,
    /// It has a number that is none for its kind.
    Wrong,
}

impl Meaning {
    fn takes_time(self) -> bool {
        match self {
            Meaning::Weight(kind, ..) => kind == Kind::Rate,
            Meaning::Hidden | Meaning::Ordinary | Meaning::Wrong => false,
        }
    }
}

/// What the labels of an LTS mean.
struct Labels {
    of: Vec<Meaning>,
    /// What stands before numbers, ascending.
    names: Vec<Vec<u8>>,
}

impl Labels {
    /// O(transitions + size of the labels · log(labels)).
    fn read(lts: &Lts) -> Self {
        let used = lts.used_labels();
        let labels = (0..).map(LabelId::new).zip(&used);
        let read = labels.map(|(label, &is_used)| match is_used && !label.is_hidden() {
            true => lump::weight(lts.table().text(label)),
            false => Ok(None),
        });
        let read: Vec<_> = read.collect();
        let weighted = read
            .iter()
            .filter_map(|label| label.as_ref().ok()?.as_ref());
        let mut names: Vec<&[u8]> = weighted.filter_map(|weighted| weighted.label).collect();
        names.sort_unstable();
        names.dedup();
        let of = read.iter().enumerate().map(|(k, label)| match label {
            Ok(Some(weighted)) => {
                let name = weighted.label;
                let name = name.and_then(|name| names.binary_search(&name).ok());
                let name = name.map(|name| name as u32);
                Meaning::Weight(weighted.kind, name, weighted.number)
            }
            Ok(None) if k == LabelId::HIDDEN.index() => Meaning::Hidden,
            Ok(None) => Meaning::Ordinary,
            Err(_) => Meaning::Wrong,
        });
        Self {
            of: of.collect(),
            names: names.iter().map(|name| name.to_vec()).collect(),
        }
    }
}

/// No state of this kind.
const NONE: u32 = u32::MAX;

/// Which states can be reached, and which of them are vanishing.
struct Kinds {
    /// The tangible states, ascending.
    states: Vec<StateId>,
    /// The vanishing states, ascending.
    vanishing: Vec<StateId>,
    /// The place of each state in its list.
    place: Vec<u32>,
    is_vanishing: Vec<bool>,
    preempted: u64,
}

impl Kinds {
    fn new(lts: &Lts, labels: &Labels) -> Result<Self, ChainError> {
        let n = lts.states();
        let mut kinds = Self {
            states: Vec::new(),
            vanishing: Vec::new(),
            place: vec![NONE; n],
            is_vanishing: vec![false; n],
            preempted: 0,
        };
        let mut seen = vec![false; n];
        seen[lts.initial().index()] = true;
        let mut open = vec![lts.initial()];
        while let Some(state) = open.pop() {
            let meanings = steps(lts, state).map(|(label, _)| labels.of[label.index()]);
            let is_vanishing = meanings.clone().any(|meaning| !meaning.takes_time());
            kinds.is_vanishing[state.index()] = is_vanishing;
            for (label, target) in steps(lts, state) {
                if is_vanishing && labels.of[label.index()].takes_time() {
                    kinds.preempted += 1;
                } else if !std::mem::replace(&mut seen[target.index()], true) {
                    open.push(target);
                }
            }
        }
        for state in (0..n).filter(|&state| seen[state]).map(StateId::from_index) {
            kinds.check(lts, labels, state)?;
            let list = match kinds.is_vanishing[state.index()] {
                true => &mut kinds.vanishing,
                false => &mut kinds.states,
            };
            kinds.place[state.index()] = list.len() as u32;
            list.push(state);
        }
        Ok(kinds)
    }

    /// Refuses what has no meaning.
    fn check(&self, lts: &Lts, labels: &Labels, state: StateId) -> Result<(), ChainError> {
        let mut way = None;
        for (label, target) in steps(lts, state) {
            let next = match labels.of[label.index()] {
                Meaning::Ordinary => {
                    let text = lts.table().text(label);
                    let label = String::from_utf8_lossy(text).into_owned();
                    return Err(ChainError::Ordinary { state, label });
                }
                Meaning::Wrong => match lump::weight(lts.table().text(label)) {
                    Err(error) => return Err(error.into()),
                    Ok(_) => unreachable!("it has been an error before"),
                },
                Meaning::Hidden => Some(target),
                Meaning::Weight(Kind::Probability, ..) => None,
                Meaning::Weight(Kind::Rate, ..) => continue,
            };
            if way.is_some_and(|way| way != next) {
                return Err(ChainError::Nondeterministic { state });
            }
            way = Some(next);
        }
        Ok(())
    }
}

/// What vanishing states lead to: tangible states with their probabilities, and behind them
/// labels with how often they are expected to occur on the way.
type Row = Vec<(usize, f64)>;

struct Ways<'a> {
    kinds: &'a Kinds,
    /// The row of each vanishing state.
    of: Vec<Row>,
}

impl<'a> Ways<'a> {
    fn new(
        lts: &Lts,
        labels: &Labels,
        kinds: &'a Kinds,
        normalized: &mut u64,
    ) -> Result<Self, ChainError> {
        let count = kinds.vanishing.len();
        let mut offsets = Offsets::with_capacity(count);
        let mut targets = Vec::new();
        for &state in &kinds.vanishing {
            for (label, target) in steps(lts, state) {
                let takes_time = labels.of[label.index()].takes_time();
                if !takes_time && kinds.is_vanishing[target.index()] {
                    targets.push(StateId::new(kinds.place[target.index()]));
                }
            }
            offsets.push(targets.len());
        }
        let components = hidden_components(&offsets, &targets);
        let members = components.of.iter().copied().zip(0u32..);
        let members = Grouped::new(components.count as usize, members);
        let mut ways = Self {
            kinds,
            of: vec![Row::new(); count],
        };
        // A step leads to a lower component.
        for component in 0..components.count {
            let members = members.of(component);
            let mut rows: Vec<BTreeMap<usize, f64>> = Vec::new();
            for &member in members {
                let state = kinds.vanishing[member as usize];
                let weight = |label: LabelId| match labels.of[label.index()] {
                    Meaning::Weight(Kind::Probability, name, p) => Some((name, p)),
                    Meaning::Hidden => Some((None, 1.0)),
                    Meaning::Weight(Kind::Rate, ..) | Meaning::Ordinary | Meaning::Wrong => None,
                };
                let moves = steps(lts, state).filter_map(|(l, t)| Some((weight(l)?, t)));
                let sum: f64 = moves.clone().map(|((_, p), _)| p).sum();
                // Hidden ones all lead to the same state.
                let is_hidden = steps(lts, state).any(|(label, _)| label.is_hidden());
                *normalized += u64::from(!is_hidden && (sum - 1.0).abs() > 1e-9);
                let mut row = BTreeMap::new();
                for ((name, p), target) in moves {
                    let place = kinds.place[target.index()];
                    let is_inside = kinds.is_vanishing[target.index()]
                        && components.of[place as usize] == component;
                    match is_inside {
                        true => {
                            ways.add_name(&mut row, p / sum, name);
                            add(&mut row, inside(place), p / sum);
                        }
                        false => ways.add(&mut row, p / sum, name, target),
                    }
                }
                rows.push(row);
            }
            ways.eliminate(members, rows)?;
        }
        Ok(ways)
    }

    fn add_name(&self, row: &mut BTreeMap<usize, f64>, weight: f64, name: Option<u32>) {
        if let Some(name) = name {
            add(row, self.kinds.states.len() + name as usize, weight);
        }
    }

    /// Adds to a row what a transition leads to.
    fn add(&self, row: &mut BTreeMap<usize, f64>, weight: f64, name: Option<u32>, target: StateId) {
        self.add_name(row, weight, name);
        let place = self.kinds.place[target.index()] as usize;
        match self.kinds.is_vanishing[target.index()] {
            true => {
                for &(column, value) in &self.of[place] {
                    add(row, column, weight * value);
                }
            }
            false => add(row, place, weight),
        }
    }

    /// Solves the rows of a component, one state after the other; of the rows behind it, each one
    /// changes only those that lead to it. The members ascend.
    fn eliminate(
        &mut self,
        members: &[u32],
        mut rows: Vec<BTreeMap<usize, f64>>,
    ) -> Result<(), ChainError> {
        let states = self.kinds.states.len();
        let first_inside = inside(0);
        let number = |column: usize| {
            let found = members.binary_search(&((column - first_inside) as u32));
            found.expect("columns inside are of members")
        };
        // For each state the later rows that lead to it.
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); members.len()];
        for (from, row) in rows.iter().enumerate() {
            let inside = row.range(first_inside..).map(|(&column, _)| number(column));
            inside
                .filter(|&to| to < from)
                .for_each(|to| before[to].push(from));
        }
        for k in 0..members.len() {
            let own = inside(members[k]);
            let mut row = std::mem::take(&mut rows[k]);
            if row.remove(&own).is_some() {
                // What is left is what a visit without coming back at once does.
                let tangible = row.range(..states).map(|(_, p)| p);
                let inside = row.range(first_inside..).map(|(_, p)| p);
                let leaves: f64 = tangible.chain(inside).sum();
                if leaves > 0.0 {
                    row.values_mut().for_each(|value| *value /= leaves);
                }
            }
            if row.range(..states).next().is_none() && row.range(first_inside..).next().is_none() {
                let state = self.kinds.vanishing[members[k] as usize];
                return Err(ChainError::Timeless { state });
            }
            for from in std::mem::take(&mut before[k]) {
                let later = &mut rows[from];
                let Some(p) = later.remove(&own) else {
                    continue;
                };
                for (&column, value) in &row {
                    let is_new = !later.contains_key(&column);
                    add(later, column, p * value);
                    if is_new && column >= first_inside {
                        let to = number(column);
                        if to < from {
                            before[to].push(from);
                        }
                    }
                }
            }
            rows[k] = row;
        }
        for (&member, mut row) in members.iter().zip(rows).rev() {
            // Those were eliminated later, so that their rows are known.
            for (column, p) in row.split_off(&first_inside) {
                for &(column, value) in &self.of[column - first_inside] {
                    add(&mut row, column, p * value);
                }
            }
            self.of[member as usize] = row.into_iter().collect();
        }
        Ok(())
    }
}

/// The column of a vanishing state whose row is not known yet; higher than all others.
const fn inside(place: u32) -> usize {
    place as usize + (1 << 40)
}

fn add(row: &mut BTreeMap<usize, f64>, column: usize, value: f64) {
    *row.entry(column).or_insert(0.0) += value;
}
