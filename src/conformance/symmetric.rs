//! Suites for symmetric specifications.

use std::collections::{HashMap, VecDeque};
use std::fmt;

use hyades_formats::{Lts, LtsBuilder, StateId, TooLarge};
use hyades_lts::tokens::TokenSyntax;

use super::cover::Cover;
use super::guarantee::Guarantee;
use super::identifiers::{Word, covering};
use super::layered::Layered;
use super::machine::{InputId, Machine, NONE, OutputId};
use super::partition::StatePartition;
use super::text::legible;
use super::words::WordSets;

/// Why a machine is no kernel of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoKernel {
    /// The state of the machine, as its LTS numbers it.
    pub state: StateId,
    /// The input, from that state, that the specification answers otherwise or
    /// does not have.
    pub input: Box<[u8]>,
}

impl fmt::Display for NoKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "state {} of the kernel has a transition with input `{}` that the specification does \
             not have there; expected a part of the specification",
            self.state,
            legible(&self.input)
        )
    }
}

impl std::error::Error for NoKernel {}

/// The suite of Romijn & Springintveld (Exploiting Symmetry in Protocol Testing,
/// CWI report SEN-R9918, section 5) for a complete specification and its kernel:
/// `P · I^(≤ extra) · I^(≤ outside) · W` with `P` the transition cover of the
/// kernel, by words of the kernel, and `W` words that separate states of the
/// kernel that are not equivalent in the specification; and how many classes of
/// equivalent states the kernel has, n.
///
/// If the premises of Theorem 5.8 hold (`Report::missing_premise` of the layer of kernels)
/// it is complete for implementations that
/// are closed under the relation of which the kernel is one, in which the image of the
/// kernel has at most m1 = n + `extra` classes of equivalent states, which are
/// separated by words of which at most the last `outside` (m2) inputs leave it.
///
/// Holds `extra` + `outside` + 2 layers of a number a state.
///
/// # Errors
/// If the kernel is no part of the specification.
///
/// # Panics
/// If so many layers cannot be counted.
pub fn symmetric_suite(
    specification: &Machine,
    partition: &StatePartition,
    kernel: &Machine,
    extra: usize,
    outside: usize,
) -> Result<(Layered, Guarantee), NoKernel> {
    let image = Image::new(specification, kernel)?;
    // One state of each class.
    let mut classes = vec![NONE; partition.len()];
    let mut different = Vec::new();
    for &state in &image.states {
        let class = &mut classes[partition.class(state) as usize];
        if *class == NONE {
            *class = state.get();
            different.push(state);
        }
    }
    let mut words: Vec<Word> = Vec::new();
    for (k, &a) in different.iter().enumerate() {
        for &b in &different[..k] {
            words.extend(partition.separator(specification, a, b));
        }
    }
    words.sort_unstable();
    words.dedup();
    let mut sets = WordSets::default();
    let separating = sets.of(covering(specification, &different, words));
    let layers = vec![vec![separating; specification.states()]; extra + outside + 2];
    let cover = Cover::of_tree(image.parents, image.states);
    let suite = Layered::new(cover, sets, layers).starting_with(image.first);
    let claim = Guarantee::Kernel {
        classes: (different.len() + extra) as u64,
        outside: outside as u64,
    };
    Ok((suite, claim))
}

/// A machine as an LTS whose labels are inputs and outputs, as patterns see it.
#[derive(Debug)]
pub struct Labelled {
    /// The LTS, its states numbered as the machine's.
    pub lts: Lts,
    pairs: HashMap<Box<[u8]>, (InputId, OutputId)>,
}

/// Why a machine has no labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelledError {
    /// Two pairs of input and output would have this label.
    Ambiguous(Box<[u8]>),
    /// There are too many.
    TooLarge(TooLarge),
}

impl fmt::Display for LabelledError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabelledError::Ambiguous(label) => write!(
                f,
                "the label `{}` would stand for two pairs of input and output",
                legible(label)
            ),
            LabelledError::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LabelledError {}

impl From<TooLarge> for LabelledError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

impl Labelled {
    /// The LTS of a machine, with `/` between input and output, or a blank if tokens
    /// may have a `/`.
    ///
    /// # Errors
    /// If two pairs would have the same label, or there are too many.
    pub fn new(machine: &Machine, syntax: &TokenSyntax) -> Result<Self, LabelledError> {
        let between = if syntax.is_token(b"/") { b' ' } else { b'/' };
        let mut builder = LtsBuilder::new(machine.states() as u64);
        let mut pairs = HashMap::new();
        for state in machine.state_ids() {
            for input in machine.input_ids() {
                let Some((output, target)) = machine.step(state, input) else {
                    continue;
                };
                let texts = [machine.input_text(input), machine.output_text(output)];
                let text = texts.join(&between);
                let label = builder.table_mut().intern(&text)?;
                let text: Box<[u8]> = text.into();
                let pair = *pairs.entry(text.clone()).or_insert((input, output));
                if pair != (input, output) {
                    return Err(LabelledError::Ambiguous(text));
                }
                builder.add(state, label, target);
            }
        }
        let lts = builder.build(machine.initial())?;
        Ok(Self { lts, pairs })
    }

    /// The LTS, with all labels of another one as loops of a state that is not reached: so
    /// that these are actions, too.
    ///
    /// # Errors
    /// If there are too many labels.
    pub fn with_labels_of(&self, other: &Lts) -> Result<Lts, TooLarge> {
        let beyond = StateId::from_index(self.lts.states());
        let table = self.lts.table().clone();
        let mut builder = LtsBuilder::with_table(self.lts.states() as u64 + 1, table);
        for (source, label, target) in self.lts.iter() {
            builder.add(source, label, target);
        }
        for (_, text) in other.table().visible() {
            let label = builder.table_mut().intern(text)?;
            builder.add(beyond, label, beyond);
        }
        builder.build(self.lts.initial())
    }

    /// The machine that a part of the LTS is, where `machine` is that of the whole.
    pub fn part(&self, machine: &Machine, part: &Lts) -> Machine {
        let tables = (machine.input_table(), machine.output_table());
        let mut made = Machine::new(tables.0.clone(), tables.1.clone(), part.states());
        for (source, label, target) in part.iter() {
            let (input, output) = self.pairs[part.table().text(label)];
            made.set(source, input, output, target);
        }
        made.starting_in(part.initial())
    }
}

/// Where a kernel lies in its specification.
struct Image {
    /// The specification's states, breadth first through the kernel.
    states: Vec<StateId>,
    /// For states of the specification the one before and the input.
    parents: Vec<(u32, u32)>,
    /// For states and inputs of the specification whether the kernel has them.
    first: Vec<bool>,
}

impl Image {
    fn new(specification: &Machine, kernel: &Machine) -> Result<Self, NoKernel> {
        let inputs = specification.inputs();
        let mut image = Self {
            states: vec![specification.initial()],
            parents: vec![(NONE, NONE); specification.states()],
            first: vec![false; specification.states() * inputs],
        };
        let mut found = vec![false; specification.states()];
        found[specification.initial().index()] = true;
        let mut queue = VecDeque::from([(kernel.initial(), specification.initial())]);
        let of_kernel: Vec<Option<InputId>> = kernel
            .input_ids()
            .map(|input| specification.find_input(kernel.input_text(input)))
            .collect();
        while let Some((inside, state)) = queue.pop_front() {
            for input in kernel.input_ids() {
                let Some((output, next_inside)) = kernel.step(inside, input) else {
                    continue;
                };
                let wanted = kernel.output_text(output);
                let step = of_kernel[input.index()].and_then(|input| {
                    let (output, target) = specification.step(state, input)?;
                    (specification.output_text(output) == wanted).then_some((input, target))
                });
                let Some((input, target)) = step else {
                    return Err(NoKernel {
                        state: kernel.name(inside),
                        input: kernel.input_text(input).into(),
                    });
                };
                image.first[state.index() * inputs + input.index()] = true;
                if !std::mem::replace(&mut found[target.index()], true) {
                    image.parents[target.index()] = (state.get(), input.get());
                    image.states.push(target);
                    queue.push_back((next_inside, target));
                }
            }
        }
        Ok(image)
    }
}
