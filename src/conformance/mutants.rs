//! Machines with one fault, and which of them a suite finds.

use std::collections::HashSet;

use hyades_formats::{StateId, TooLarge, named};
use rayon::prelude::*;

use super::cover::Cover;
use super::identifiers::Word;
use super::machine::{InputId, Machine, NONE, OutputId};
use super::shortest::difference;
use super::suite_file::spelled;
use super::tree::{NodeId, TestTree};

/// What is wrong with a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    /// A transition has another output.
    Output,
    /// A transition leads to another state.
    Transfer,
    /// A transition is not there: the machine stays where it is and gives an output
    /// that the specification does not have.
    Missing,
    /// A transition leads to a state more, which does as the state does that the
    /// transition should lead to, but for the output or the target of one
    /// transition.
    ExtraState,
}

named! {
    FaultKind:
    Output = "output",
    Transfer = "transfer",
    Missing = "missing",
    ExtraState = "extra-state",
}

/// A complete machine with one fault. Where the specification has no transition, the
/// mutant stays where it is and gives an output that the specification does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// What is wrong.
    pub kind: FaultKind,
    /// The transition that is wrong, or that leads to the state more.
    pub transition: (StateId, InputId),
    /// Its output and target, by number; the state more has the number after the
    /// last, and so has the output that the specification does not have.
    step: (u32, u32),
    /// Of the state more: the input, output and target that are wrong.
    extra: Option<(u32, u32, u32)>,
}

impl Mutant {
    /// How a mutant differs from its specification, for people.
    pub fn describe(&self, machine: &Machine) -> String {
        let output = |output: u32| match output as usize == machine.outputs() {
            true => "no output".into(),
            false => {
                let text = machine.output_text(OutputId::new(output));
                format!("output {}", spelled(text))
            }
        };
        let state = |state: u32| match state as usize == machine.states() {
            true => "the extra state".into(),
            false => format!("state {}", machine.shown_name(StateId::new(state))),
        };
        let (source, input) = self.transition;
        let name = machine.shown_name(source);
        let input = spelled(machine.input_text(input));
        let transition = format!(
            "state {name} with input {input}: {} to {}",
            output(self.step.0),
            state(self.step.1)
        );
        match self.extra {
            None => transition,
            Some((input, out, target)) => format!(
                "{transition}, which with input {} gives {} to {}",
                spelled(machine.input_text(InputId::new(input))),
                output(out),
                state(target)
            ),
        }
    }

    /// The state whose behaviour the state more has, but for one transition.
    fn model(&self, machine: &Machine) -> u32 {
        machine.target(self.transition.0.get(), self.transition.1.get())
    }

    /// Output and target of a transition, by number.
    fn step(&self, machine: &Machine, state: u32, input: u32) -> (u32, u32) {
        let of = |model| match machine.target(model, input) {
            NONE => (machine.outputs() as u32, state),
            target => (machine.answer(model, input), target),
        };
        if state as usize == machine.states() {
            return match self.extra {
                Some((wrong, output, target)) if wrong == input => (output, target),
                _ => of(self.model(machine)),
            };
        }
        match (StateId::new(state), InputId::new(input)) == self.transition {
            true => self.step,
            false => of(state),
        }
    }

    /// The mutant as a machine.
    ///
    /// # Errors
    /// If there are too many outputs.
    pub fn machine(&self, machine: &Machine) -> Result<Machine, TooLarge> {
        let inputs = machine.input_table().clone();
        let mut outputs = machine.output_table().clone();
        let mut none = b"no output".to_vec();
        while outputs.find(&none).is_some() {
            none.push(b'\'');
        }
        outputs.intern(&none)?;
        let states = machine.states() + usize::from(self.extra.is_some());
        let mut mutant = Machine::new(inputs, outputs, states)
            .starting_in(machine.initial())
            .with_initial_output(machine.initial_output());
        for state in mutant.state_ids() {
            for input in mutant.input_ids() {
                let (output, target) = self.step(machine, state.get(), input.get());
                mutant.set(state, input, OutputId::new(output), StateId::new(target));
            }
        }
        Ok(mutant)
    }

    /// A shortest word of the specification to which the mutant gives another answer, the
    /// first in the order of inputs; `None` if there is none, so that it is equivalent to a
    /// specification that is complete. O(states · states) pairs, but only those behind the wrong
    /// transition: before that the two are the same.
    fn difference(&self, machine: &Machine, cover: &Cover) -> Option<Word> {
        let steps = |(right, wrong): (u32, u32), input| {
            let step = (machine.answer(right, input), machine.target(right, input));
            // In one state both are where they were before.
            (step.1 != NONE && right != wrong).then(|| [step, self.step(machine, wrong, input)])
        };
        let (state, input) = self.transition;
        let right = machine.target(state.get(), input.get());
        let mut word = cover.word(state);
        word.push(input);
        if machine.answer(state.get(), input.get()) == self.step.0 {
            word.extend(difference(machine.inputs(), (right, self.step.1), steps)?);
        }
        Some(word)
    }
}

/// All mutants of a machine with a fault of this kind in a transition that can be
/// reached, in the order of states, inputs, outputs, targets. With n states, p inputs
/// and q outputs there are np(q - 1), np(n - 1), np, and np·p(q - 1 + n) if the machine
/// is complete, of which some are equivalent to it.
pub fn mutants(machine: &Machine, kind: FaultKind) -> impl Iterator<Item = Mutant> + '_ {
    let (states, outputs) = (machine.states() as u32, machine.outputs() as u32);
    let mut reachable = machine.breadth_first();
    reachable.sort_unstable();
    let inputs_of = move |state: u32| {
        let inputs = machine.input_ids();
        inputs.filter(move |input| machine.target(state, input.get()) != NONE)
    };
    let transitions = reachable
        .into_iter()
        .flat_map(move |state| inputs_of(state.get()).map(move |input| (state, input)));
    transitions.flat_map(move |transition| {
        let (state, input) = (transition.0.get(), transition.1.get());
        let right = (machine.answer(state, input), machine.target(state, input));
        let other_outputs = move |right: u32| (0..outputs).filter(move |&o| o != right);
        let other_targets = move |right: u32| (0..states).filter(move |&t| t != right);
        let plain = move |step| Mutant {
            kind,
            transition,
            step,
            extra: None,
        };
        let all: Box<dyn Iterator<Item = Mutant> + '_> = match kind {
            FaultKind::Output => {
                Box::new(other_outputs(right.0).map(move |output| plain((output, right.1))))
            }
            FaultKind::Transfer => {
                Box::new(other_targets(right.1).map(move |target| plain((right.0, target))))
            }
            FaultKind::Missing => Box::new(std::iter::once(plain((outputs, state)))),
            FaultKind::ExtraState => Box::new(inputs_of(right.1).flat_map(move |wrong| {
                let wrong = wrong.get();
                let (output, target) = (
                    machine.answer(right.1, wrong),
                    machine.target(right.1, wrong),
                );
                let with_output = other_outputs(output).map(move |o| (wrong, o, target));
                // A loop may lead back to the state more.
                let targets = other_targets(target).chain(std::iter::once(states));
                let with_target = targets.map(move |t| (wrong, output, t));
                with_output.chain(with_target).map(move |extra| Mutant {
                    extra: Some(extra),
                    ..plain((right.0, states))
                })
            })),
        };
        all
    })
}

/// What becomes of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MutantVerdict {
    /// Some test finds it.
    Killed,
    /// It does as the specification does, as far as that has transitions.
    Equivalent,
    /// No test finds it, but this word, one of the shortest, would.
    Survives(Word),
}

/// A suite, by the transitions that its tests take.
#[derive(Debug)]
pub struct Killer<'a> {
    machine: &'a Machine,
    tree: &'a TestTree,
    /// For each state and input the nodes from which tests take it.
    offsets: Vec<u32>,
    nodes: Vec<NodeId>,
}

impl<'a> Killer<'a> {
    /// A suite for a machine. O(nodes + states · inputs).
    pub fn new(machine: &'a Machine, tree: &'a TestTree) -> Self {
        let inputs = machine.inputs();
        let place = |node| {
            let (before, input) = tree.parent(node)?;
            Some((tree.state(before).index() * inputs + input.index(), before))
        };
        let mut offsets = vec![0u32; machine.states() * inputs + 1];
        for (place, _) in tree.nodes().filter_map(place) {
            offsets[place + 1] += 1;
        }
        for k in 1..offsets.len() {
            offsets[k] += offsets[k - 1];
        }
        let mut next = offsets.clone();
        let mut nodes = vec![NodeId::ROOT; tree.len() - 1];
        for (place, before) in tree.nodes().filter_map(place) {
            nodes[next[place] as usize] = before;
            next[place] += 1;
        }
        Self {
            machine,
            tree,
            offsets,
            nodes,
        }
    }

    /// Whether some test answers otherwise with a mutant. O(nodes) at worst; only
    /// looked at is what comes after the wrong transition.
    pub fn kills(&self, mutant: &Mutant) -> bool {
        let (state, input) = mutant.transition;
        let place = state.index() * self.machine.inputs() + input.index();
        let range = self.offsets[place] as usize..self.offsets[place + 1] as usize;
        // Nodes at which the specification is in the state of the wrong transition
        // and the mutant is not. They are met before they are looked at, since
        // parents come before children.
        let mut elsewhere = HashSet::default();
        self.nodes[range].iter().any(|&node| {
            !elsewhere.contains(&node) && self.kills_from(mutant, node, &mut elsewhere)
        })
    }

    /// Whether a test does that has the mutant in the right state at a node.
    fn kills_from(
        &self,
        mutant: &Mutant,
        node: NodeId,
        elsewhere: &mut HashSet<NodeId, foldhash::fast::RandomState>,
    ) -> bool {
        let (source, wrong) = mutant.transition;
        let Some(first) = self.tree.child(node, wrong) else {
            return false;
        };
        let (output, target) = mutant.step(self.machine, source.get(), wrong.get());
        if output != self.machine.answer(source.get(), wrong.get()) {
            return true;
        }
        let mut stack = vec![(first, target)];
        while let Some((node, state)) = stack.pop() {
            let right = self.tree.state(node).get();
            // From here on other visits of the wrong transition decide.
            if right == state {
                continue;
            }
            if right == source.get() {
                elsewhere.insert(node);
            }
            for (input, child) in self.tree.children(node) {
                let (output, target) = mutant.step(self.machine, state, input.get());
                if output != self.machine.answer(right, input.get()) {
                    return true;
                }
                stack.push((child, target));
            }
        }
        false
    }

    /// What becomes of mutants, in their order.
    pub fn fates(&self, mutants: &[Mutant]) -> Vec<MutantVerdict> {
        let cover = Cover::new(self.machine);
        let fate = |mutant: &Mutant| match self.kills(mutant) {
            true => MutantVerdict::Killed,
            false => match mutant.difference(self.machine, &cover) {
                None => MutantVerdict::Equivalent,
                Some(word) => MutantVerdict::Survives(word),
            },
        };
        mutants.par_iter().map(fate).collect()
    }
}
