//! A network as a [`Model`].

mod inspect;
use hyades_explore::pack;
mod program;
mod repeats;
mod table;

use std::borrow::Cow;
use std::ops::ControlFlow;

use hyades_explore::{Emit, Erased, Model, ModelError, ROOM, Row};
use hyades_formats::{LabelId, LabelTable};

use super::Network;
use super::event::EventId;
use super::rules::Rule;
use pack::{Field, Narrow, Packed, Wide, fields};
pub(super) use program::Values;
use program::{Context, Program};
pub(super) use table::Table;

/// A network that is ready to be explored.
///
/// States are tuples of component states as bit fields in the order of the text,
/// as few bits each as its number of states allows. Transitions that rules give
/// several times come once.
///
/// In each state, rules are found by the transitions of one of their components,
/// the one whose label is enabled least often; then the others are looked up.
pub struct NetworkModel {
    network: Network,
    tables: Vec<Table>,
    /// The table of each component.
    table_of: Vec<u32>,
    fields: Vec<Field>,
    bits: usize,
    index: Vec<Index>,
    rules: Vec<Compact>,
    /// What other components contribute to rules.
    parts: Vec<(u32, LabelId)>,
    /// Guards in the program.
    guards: Vec<EventId>,
    program: Program,
    /// Events of the program that are evaluated in each state, and what comes of
    /// them.
    rest: Vec<(Outcome, EventId)>,
    /// Bytes for transitions that are kept back.
    room: usize,
}

hyades_base::opaque!(NetworkModel);

/// For each label of a component, the rules that it is the key to.
struct Index {
    /// For each label, where its entries in `alone` and `rules` start; and one
    /// more.
    starts: Vec<(u32, u32)>,
    /// Labels of the whole, of rules without other components and guards.
    alone: Vec<Outcome>,
    /// Numbers of other rules.
    rules: Vec<u32>,
}

/// The label of a rule, and whether its transitions may come several times.
#[derive(Clone, Copy)]
struct Outcome {
    label: LabelId,
    repeats: bool,
}

/// A rule: ranges of `parts` and `guards`.
struct Compact {
    outcome: Outcome,
    parts: (u32, u32),
    guards: (u32, u32),
}

/// Memory to compute successors in.
pub struct Scratch {
    states: Vec<u32>,
    states_of_rest: Vec<u32>,
    wide: Wide,
    values: Values,
    /// Transitions that may come several times.
    row: Row,
    /// For each other component of a rule, which of its targets is up.
    turns: Vec<usize>,
    /// The target of what shows that a guessed interface is wrong.
    wrong: Option<Vec<u64>>,
}

hyades_base::opaque!(Scratch);

impl NetworkModel {
    /// A model of the network.
    pub fn new(network: Network) -> Self {
        Self::with_bits(network, 0)
    }

    /// A model whose states have at least so many bits; for tests.
    pub(super) fn with_bits(network: Network, least: usize) -> Self {
        let tables: Vec<Table> = network.files().iter().map(|f| Table::new(&f.lts)).collect();
        let components = network.components();
        let table_of: Vec<u32> = components.iter().map(|c| c.file as u32).collect();
        let fields = fields_of(&network);
        let bits = pack::bits(&fields).max(least);
        let rest = &network.rules().rest;
        let guards = network.rules().rules.iter().flat_map(|rule| &rule.guards);
        let roots: Vec<EventId> = guards.copied().chain(rest.iter().map(|r| r.1)).collect();
        let program = Program::new(network.events(), &roots);
        let evaluated = |&(label, event): &(LabelId, EventId)| {
            let outcome = Outcome {
                label,
                repeats: true,
            };
            (outcome, program.number(event))
        };
        let mut model = Self {
            rest: rest.iter().map(evaluated).collect(),
            tables,
            table_of,
            fields,
            bits,
            index: Vec::new(),
            rules: Vec::new(),
            parts: Vec::new(),
            guards: Vec::new(),
            program,
            network,
            room: ROOM,
        };
        model.build_index();
        model
    }

    /// The same with less memory for the transitions of a state; for tests.
    #[cfg(test)]
    pub(super) fn with_room(self, room: usize) -> Self {
        Self { room, ..self }
    }

    /// The bits of a state of a model of this network.
    pub fn bits_for(network: &Network) -> usize {
        pack::bits(&fields_of(network))
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The states of the components in a packed state.
    ///
    /// # Panics
    /// If it is no packed state of this model.
    pub fn component_states(&self, packed: &[u64]) -> Vec<u32> {
        let fields = self.fields.iter();
        fields.map(|&field| pack::get_in(packed, field)).collect()
    }

    fn table(&self, component: u32) -> &Table {
        &self.tables[self.table_of[component as usize] as usize]
    }

    fn build_index(&mut self) {
        // For each component, its own labels with rules without and with others.
        let count = self.table_of.len();
        let mut alone: Vec<Vec<(LabelId, Outcome)>> = vec![Vec::new(); count];
        let mut rules: Vec<Vec<(LabelId, u32)>> = vec![Vec::new(); count];
        let set = std::mem::take(&mut self.network.rules);
        for group in set.rules.chunk_by(|a, b| a.label == b.label) {
            let others = set.rest.iter().any(|&(label, _)| label == group[0].label);
            let members: Vec<&Rule> = group.iter().collect();
            let outcome = Outcome {
                label: group[0].label,
                repeats: others
                    || Some(group[0].label) == self.network.wrong
                    || repeats::may_repeat(&members, &|k| self.table(k)),
            };
            for rule in group {
                let rarity = |&&(component, label): &&(u32, LabelId)| {
                    let table = self.table(component);
                    let states = self.network.file_of(component as usize).lts.states() as u64;
                    (u64::from(table.enabled[label.index()]) << 32) / states
                };
                let key = *rule
                    .parts
                    .iter()
                    .min_by_key(rarity)
                    .expect("a rule has parts");
                let own = key.0 as usize;
                if rule.parts.len() == 1 && rule.guards.is_empty() {
                    alone[own].push((key.1, outcome));
                    continue;
                }
                let parts = self.parts.len() as u32;
                let guards = self.guards.len() as u32;
                self.parts
                    .extend(rule.parts.iter().filter(|&&part| part != key));
                let numbers = rule.guards.iter().map(|&guard| self.program.number(guard));
                self.guards.extend(numbers);
                rules[own].push((key.1, self.rules.len() as u32));
                self.rules.push(Compact {
                    outcome,
                    parts: (parts, self.parts.len() as u32),
                    guards: (guards, self.guards.len() as u32),
                });
            }
        }
        self.network.rules = set;
        for (k, (mut alone, mut rules)) in alone.into_iter().zip(rules).enumerate() {
            // Stable, so that labels stay in their order.
            alone.sort_by_key(|&(label, _)| label);
            rules.sort_by_key(|&(label, _)| label);
            let labels = self.network.file_of(k).lts.table().len() as u32;
            let starts = (0..=labels).map(|label| {
                let before = |l: LabelId| l.get() < label;
                let alone = alone.partition_point(|&(l, _)| before(l)) as u32;
                (alone, rules.partition_point(|&(l, _)| before(l)) as u32)
            });
            self.index.push(Index {
                starts: starts.collect(),
                alone: alone.into_iter().map(|(_, outcome)| outcome).collect(),
                rules: rules.into_iter().map(|(_, rule)| rule).collect(),
            });
        }
    }

    /// The successors of a state, which is restored in the end.
    fn step<P: Packed, E: Emit + ?Sized>(
        &self,
        state: &mut P,
        scratch: &mut Scratch,
        emit: &mut E,
    ) -> Result<(), ModelError> {
        scratch.states.clear();
        scratch
            .states
            .extend(self.fields.iter().map(|&f| state.get(f)));
        scratch.values.forget();
        scratch.row.start(emit.most_targets());
        self.pass(state, scratch, emit)?;
        if let Some(target) = scratch.wrong.take() {
            return Err(self.wrong_interface(state.words(), &target));
        }
        scratch.row.check()?;
        while scratch.row.emit_distinct(emit) {
            self.pass(state, scratch, &mut Again)?;
        }
        Ok(())
    }

    /// Goes through the successors of a state: emits those that come once, and
    /// keeps the others.
    fn pass<P: Packed, E: Emit + ?Sized>(
        &self,
        state: &mut P,
        scratch: &mut Scratch,
        emit: &mut E,
    ) -> Result<(), ModelError> {
        for (k, index) in self.index.iter().enumerate() {
            let (own, field) = (scratch.states[k], self.fields[k]);
            for (label, targets) in self.tables[self.table_of[k] as usize].of(own) {
                let start = index.starts[label.index()];
                let end = index.starts[label.index() + 1];
                for outcome in &index.alone[start.0 as usize..end.0 as usize] {
                    for target in targets {
                        state.flip(field, own ^ target);
                        self.hand_over(*outcome, state, scratch, emit);
                        state.flip(field, own ^ target);
                    }
                }
                for &rule in &index.rules[start.1 as usize..end.1 as usize] {
                    let rule = &self.rules[rule as usize];
                    if self.is_possible(rule, scratch) {
                        let parts = &self.parts[rule.parts.0 as usize..rule.parts.1 as usize];
                        for target in targets {
                            state.flip(field, own ^ target);
                            self.combinations(rule.outcome, parts, state, scratch, emit);
                            state.flip(field, own ^ target);
                        }
                    }
                }
            }
        }
        self.evaluate_rest(state, scratch, emit)
    }

    #[inline]
    fn hand_over<P: Packed, E: Emit + ?Sized>(
        &self,
        outcome: Outcome,
        state: &P,
        scratch: &mut Scratch,
        emit: &mut E,
    ) {
        if outcome.repeats && Some(outcome.label) == self.network.wrong {
            scratch.wrong.get_or_insert_with(|| state.words().to_vec());
        } else if outcome.repeats {
            scratch.row.push(outcome.label, state.words());
        } else {
            emit.transition(outcome.label, state.words());
        }
    }

    /// What a state ends the exploration with from which a transition leads to the
    /// target that shows that a guessed interface is wrong.
    #[cold]
    fn wrong_interface(&self, state: &[u64], target: &[u64]) -> ModelError {
        let [source, target] = [state, target].map(|state| self.component_states(state));
        let steps = self
            .network
            .wrong
            .map(|label| self.network.explain(&source, label, &target));
        self.network.wrong_interface(&steps.unwrap_or_default())
    }

    fn context<'a>(&'a self, states: &'a [u32]) -> Context<'a> {
        Context {
            states,
            tables: &self.tables,
            table_of: &self.table_of,
        }
    }

    /// Whether the other components of a rule can do their part, and no guard is
    /// enabled.
    #[inline]
    fn is_possible(&self, rule: &Compact, scratch: &mut Scratch) -> bool {
        let parts = &self.parts[rule.parts.0 as usize..rule.parts.1 as usize];
        let able = parts.iter().all(|&(component, label)| {
            let state = scratch.states[component as usize];
            !self.table(component).targets(state, label).is_empty()
        });
        let guards = &self.guards[rule.guards.0 as usize..rule.guards.1 as usize];
        able && guards.iter().all(|&guard| {
            let context = self.context(&scratch.states);
            !self
                .program
                .is_enabled(guard, &mut scratch.values, &context)
        })
    }

    /// All combinations of the targets of components that move by these labels.
    #[inline]
    fn combinations<P: Packed, E: Emit + ?Sized>(
        &self,
        outcome: Outcome,
        parts: &[(u32, LabelId)],
        state: &mut P,
        scratch: &mut Scratch,
        emit: &mut E,
    ) {
        if let &[(component, label)] = parts {
            let own = scratch.states[component as usize];
            let field = self.fields[component as usize];
            for target in self.table(component).targets(own, label) {
                state.flip(field, own ^ target);
                self.hand_over(outcome, state, scratch, emit);
                state.flip(field, own ^ target);
            }
            return;
        }
        // As an odometer turns: the last component first.
        let mut turns = std::mem::take(&mut scratch.turns);
        turns.clear();
        turns.resize(parts.len(), 0);
        for &(component, label) in parts {
            let own = scratch.states[component as usize];
            let first = self.table(component).targets(own, label)[0];
            state.flip(self.fields[component as usize], own ^ first);
        }
        'combinations: loop {
            self.hand_over(outcome, state, scratch, emit);
            for (&(component, label), turn) in parts.iter().zip(&mut turns).rev() {
                let own = scratch.states[component as usize];
                let field = self.fields[component as usize];
                let targets = self.table(component).targets(own, label);
                let before = targets[*turn];
                *turn += 1;
                if let Some(next) = targets.get(*turn) {
                    state.flip(field, before ^ next);
                    if scratch.row.is_enough() || emit.is_done() {
                        break 'combinations;
                    }
                    continue 'combinations;
                }
                *turn = 0;
                state.flip(field, before ^ targets[0]);
            }
            break;
        }
        for (&(component, label), &turn) in parts.iter().zip(&turns) {
            let own = scratch.states[component as usize];
            let last = self.table(component).targets(own, label)[turn];
            state.flip(self.fields[component as usize], own ^ last);
        }
        scratch.turns = turns;
    }

    /// What is left of events that did not become rules.
    fn evaluate_rest<P: Packed, E: Emit + ?Sized>(
        &self,
        state: &mut P,
        scratch: &mut Scratch,
        emit: &mut E,
    ) -> Result<(), ModelError> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let mut values = std::mem::take(&mut scratch.values);
        let mut states = std::mem::take(&mut scratch.states_of_rest);
        states.clone_from(&scratch.states);
        let context = self.context(&states);
        for &(outcome, event) in &self.rest {
            if !scratch.row.wants(outcome.label) {
                continue;
            }
            let mut end = ControlFlow::Continue(());
            self.program
                .each_way(event, &mut values, &context, |parts| {
                    self.combinations(outcome, parts, state, scratch, emit);
                    if scratch.row.is_enough() || emit.is_done() {
                        end = ControlFlow::Break(());
                    }
                    end
                })?;
            if end.is_break() {
                break;
            }
        }
        scratch.values = values;
        scratch.states_of_rest = states;
        Ok(())
    }
}

fn fields_of(network: &Network) -> Vec<Field> {
    let states = |k: usize| network.file_of(k).lts.states();
    fields((0..network.components().len()).map(states))
}

/// Takes what has been emitted before.
struct Again;

impl Emit for Again {
    fn label(&mut self, _: &[u8]) -> LabelId {
        unreachable!("all labels are known beforehand")
    }

    fn transition(&mut self, _: LabelId, _: &[u64]) {}
}

impl Model for NetworkModel {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch {
            states: Vec::new(),
            states_of_rest: Vec::new(),
            wide: Wide::default(),
            values: Values::default(),
            row: Row::in_parts(self.room),
            turns: Vec::new(),
            wrong: None,
        }
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(self.network.labels())
    }

    fn bits(&self) -> usize {
        self.bits
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        for (k, &field) in self.fields.iter().enumerate() {
            let initial = self.network.file_of(k).lts.initial();
            pack::flip_in(state, field, initial.get());
        }
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        if let [word] = state {
            let mut narrow = Narrow::default();
            narrow.load(std::slice::from_ref(word));
            return self.step(&mut narrow, scratch, emit);
        }
        let mut wide = std::mem::take(&mut scratch.wide);
        wide.load(state);
        let result = self.step(&mut wide, scratch, emit);
        scratch.wide = wide;
        result
    }

    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        let label = match label {
            None => Some(LabelId::HIDDEN),
            Some(text) => self.network.labels().find(text),
        };
        let [source, target] = [source, target].map(|state| self.component_states(state));
        let steps = label.map(|label| self.network.explain(&source, label, &target));
        let steps = steps.iter().flatten();
        steps.map(|step| self.network.show_step(step)).collect()
    }

    /// The states of the components.
    fn state_text(&self, state: &[u64]) -> Option<String> {
        let states = self.component_states(state);
        let states: Vec<String> = states.iter().map(u32::to_string).collect();
        Some(format!("({})", states.join(", ")))
    }

    fn erased(&self) -> Erased<'_> {
        Erased::new(self)
    }
}
