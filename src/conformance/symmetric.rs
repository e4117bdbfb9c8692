//! Suites for symmetric specifications.

use std::collections::VecDeque;
use std::fmt;

use hyades_formats::StateId;

use super::claim::Claim;
use super::cover::Cover;
use super::identifiers::{Word, covering};
use super::layered::Layered;
use super::machine::{InputId, Machine, NONE};
use super::partition::Partition;
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
/// It is complete for implementations that are symmetric as the specification is,
/// in which the image of the kernel has at most m1 = n + `extra` states, which are
/// separated by words of which at most the last `outside` (m2) inputs leave it.
///
/// # Errors
/// If the kernel is no part of the specification.
pub fn symmetric_suite(
    specification: &Machine,
    partition: &Partition,
    kernel: &Machine,
    extra: usize,
    outside: usize,
) -> Result<(Layered, Claim), NoKernel> {
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
    let claim = Claim::Kernel {
        states: (different.len() + extra) as u64,
        outside: outside as u64,
    };
    Ok((suite, claim))
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
