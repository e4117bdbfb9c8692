//! The copies of a template, beside a specification.

use std::collections::HashMap;
use std::fmt;

use hyades_explore::pack::{self, Field, fields, flip_in, get_in};
use hyades_formats::{LabelId, Lts};

use super::pattern::Pattern;
use super::template::tokens_of;

/// The copies of a pattern's template as they follow the labels of a
/// specification. Every copy that can take a label does (report SEN-R9918,
/// Definition 6.2).
#[derive(Debug)]
pub struct Instances {
    /// For each label, where its steps end; they begin where those before end.
    ends: Vec<u32>,
    /// Which copy a label is which action of.
    steps: Vec<Step>,
    /// How many states the template has.
    states: usize,
    /// The edge for each action and state, state by state; [`NO_EDGE`] for none.
    edges: Vec<u32>,
    /// Where edges lead.
    targets: Vec<u32>,
    /// The numbers of edges in the template.
    numbers: Vec<u64>,
    initial: Vec<u32>,
    /// The state of the specification, then those of the copies.
    fields: Vec<Field>,
    bits: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Step {
    copy: u32,
    action: u32,
}

const NO_EDGE: u32 = u32::MAX;

/// What a label does to the copies: which edges they take.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    /// The copies that take an edge, ascending, and the edges, as indices of
    /// [`Template::edges`](super::template::Template::edges).
    pub edges: Vec<(u32, u32)>,
}

/// Why the copies of a template are none of deterministic machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstancesError(String);

impl fmt::Display for InstancesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InstancesError {}

impl Instances {
    /// The copies of a pattern beside a specification. O(labels + copies ·
    /// actions) hash table accesses.
    ///
    /// # Errors
    /// If a transformation makes two of the template's actions the same.
    pub fn new(pattern: &Pattern, specification: &Lts) -> Result<Self, InstancesError> {
        let template = &pattern.template;
        let mut labels: HashMap<_, Vec<u32>> = HashMap::new();
        for id in 0..specification.table().len() as u32 {
            let tokens = tokens_of(specification, LabelId::new(id), &pattern.syntax);
            labels.entry(tokens).or_default().push(id);
        }
        let mut steps = Vec::new();
        for (copy, made) in pattern.copies.iter().enumerate() {
            let images = template
                .renamed(&made.transformation)
                .map_err(InstancesError)?;
            for (action, image) in images.iter().enumerate() {
                let step = Step {
                    copy: copy as u32,
                    action: action as u32,
                };
                let labels = labels.get(image).into_iter().flatten();
                steps.extend(labels.map(|&label| (label, step)));
            }
        }
        steps.sort_unstable();
        let mut ends = vec![0; specification.table().len()];
        for (end, (label, _)) in (1..).zip(&steps) {
            ends[*label as usize] = end;
        }
        for label in 1..ends.len() {
            ends[label] = ends[label].max(ends[label - 1]);
        }
        let states = template.states() as usize;
        let mut edges = vec![NO_EDGE; states * template.actions().len()];
        for (k, edge) in (0..).zip(template.edges()) {
            edges[edge.action as usize * states + edge.source as usize] = k;
        }
        let sizes = std::iter::once(specification.states());
        let fields = fields(sizes.chain(pattern.copies.iter().map(|_| states)));
        Ok(Self {
            ends,
            steps: steps.into_iter().map(|(_, step)| step).collect(),
            states,
            edges,
            targets: template.edges().iter().map(|edge| edge.target).collect(),
            numbers: template.edges().iter().map(|edge| edge.number).collect(),
            initial: pattern.copies.iter().map(|copy| copy.initial).collect(),
            bits: pack::bits(&fields),
            fields,
        })
    }

    /// How many copies there are.
    pub fn len(&self) -> usize {
        self.initial.len()
    }

    /// Whether there are no copies.
    pub fn is_empty(&self) -> bool {
        self.initial.is_empty()
    }

    /// How many bits a node has: a state of the specification and one of each
    /// copy.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The number in the template file of the edge with this index.
    pub fn number(&self, edge: u32) -> u64 {
        self.numbers[edge as usize]
    }

    /// Writes the node where the specification is in `state` and the copies
    /// where they start; `node` has been all zeros.
    pub fn start(&self, state: u32, node: &mut [u64]) {
        flip_in(node, self.fields[0], state);
        for (field, &initial) in self.fields[1..].iter().zip(&self.initial) {
            flip_in(node, *field, initial);
        }
    }

    /// The specification's state in a node.
    #[inline]
    pub fn state(&self, node: &[u64]) -> u32 {
        get_in(node, self.fields[0])
    }

    /// The states of the copies in a node.
    pub fn vector<'a>(&'a self, node: &'a [u64]) -> impl Iterator<Item = u32> + 'a {
        self.fields[1..]
            .iter()
            .map(move |&field| get_in(node, field))
    }

    /// What a label does to the copies of a node, enabled or not.
    #[inline]
    pub fn take(&self, node: &[u64], label: LabelId, taken: &mut Taken) {
        taken.edges.clear();
        let label = label.index();
        let start = if label == 0 { 0 } else { self.ends[label - 1] };
        for step in &self.steps[start as usize..self.ends[label] as usize] {
            let state = get_in(node, self.fields[1 + step.copy as usize]);
            let edge = self.edges[step.action as usize * self.states + state as usize];
            if edge != NO_EDGE {
                taken.edges.push((step.copy, edge));
            }
        }
    }

    /// Moves the copies of a node as `taken` from it says, and the specification
    /// from `source` to `target`.
    #[inline]
    pub fn move_on(&self, node: &mut [u64], source: u32, target: u32, taken: &[(u32, u32)]) {
        flip_in(node, self.fields[0], source ^ target);
        for &(copy, edge) in taken {
            let field = self.fields[1 + copy as usize];
            let from = get_in(node, field);
            flip_in(node, field, from ^ self.targets[edge as usize]);
        }
    }
}
