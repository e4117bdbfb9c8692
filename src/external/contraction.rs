//! The contraction of hidden cycles, with their transitions in memory, if they fit, and all
//! others on disk.

use hyades_base::bits::{Bits, Ranked};
use hyades_equivalence::hidden_nodes;
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, Offsets, Passed, Receiver, StateId};

use crate::budget::Budget;
use crate::input::{Duplicates, Input, spooled};
use crate::refinement::{NONE, columns};
use crate::store::{Rows, Store};
use crate::{Error, Options, components};

/// An LTS whose nodes stand for sets of branching bisimilar states. Hidden transitions
/// lead to smaller numbers.
pub(crate) struct Contracted<'a> {
    pub rows: Store<'a>,
    /// The labels, and one for self-loops that stand for divergence.
    pub table: LabelTable,
    /// The label of divergence, if that is told.
    pub divergence: Option<u32>,
    /// The node of each state; [`NONE`] of those that cannot be reached.
    pub node: Vec<u32>,
    /// Nodes with incoming hidden transitions.
    pub awaited: Bits,
}

/// States that have hidden transitions, or are led to by one, and how many of these there are.
struct Touched {
    states: Bits,
    steps: u64,
}

/// The hidden transitions of such states.
struct Hidden {
    /// These states; the first ones of the LTS.
    states: Ranked,
    /// Their hidden transitions; visible ones are but one loop, if there are some.
    lts: Lts,
}

/// Hidden transitions of some states, and which of these have visible ones besides.
#[derive(Default)]
struct Steps {
    steps: Vec<(u32, u32)>,
    visible: Vec<u32>,
}

impl Steps {
    fn of(rows: &Rows, reached: &Bits) -> Self {
        let mut steps = Self::default();
        for (state, labels, targets) in rows.iter() {
            if !reached.contains(state) {
                continue;
            }
            let before = steps.steps.len();
            let row = labels.iter().zip(targets);
            let hidden = row.filter(|&(&label, _)| label == LabelId::HIDDEN.get());
            steps
                .steps
                .extend(hidden.map(|(_, &target)| (state, target)));
            if steps.steps.len() - before < targets.len() {
                steps.visible.push(state);
            }
        }
        steps
    }
}

/// Tells those of the states that can be reached, in their order. A pass.
fn each_steps(
    input: &Input<'_>,
    reached: &Bits,
    collect: impl FnMut(Steps) -> Result<(), Error>,
) -> Result<(), Error> {
    let wanted = |states| reached.meets(states);
    input
        .rows
        .pass(wanted, |rows| Steps::of(&rows, reached), collect)
}

impl Touched {
    /// Looks for them. A pass.
    fn read(input: &Input<'_>, reached: &Bits) -> Result<Self, Error> {
        let mut touched = Self {
            states: Bits::new(input.states() as usize),
            steps: 0,
        };
        each_steps(input, reached, |steps| {
            touched.steps += steps.steps.len() as u64;
            for (source, target) in steps.steps {
                touched.states.insert(source);
                touched.states.insert(target);
            }
            Ok(())
        })?;
        Ok(touched)
    }

    /// Bytes of memory for what [`Hidden`] is made of: offsets, numbers, a loop, and what the
    /// search keeps on the way.
    fn needed(&self) -> u64 {
        32 * self.states.count() + 8 * self.steps
    }

    /// The hidden transitions in a file. A pass.
    fn spooled<'a>(
        &self,
        input: &Input<'a>,
        reached: &Bits,
        budget: Budget,
    ) -> Result<components::Steps<'a>, Error> {
        let mut writer = components::StepsWriter::new(input.disk, budget)?;
        each_steps(input, reached, |steps| {
            let mut steps = steps.steps.into_iter();
            steps.try_for_each(|(source, target)| writer.push(source, target))
        })?;
        writer.finish()
    }
}

impl Hidden {
    /// Reads them. A pass.
    fn read(input: &Input<'_>, reached: &Bits, touched: Touched) -> Result<Self, Error> {
        let count = touched.steps;
        let touched = Ranked::new(touched.states);
        let mut lengths = vec![0u32; touched.bits().count() as usize];
        let (mut labels, mut targets) = (Vec::new(), Vec::new());
        labels.reserve_exact(count as usize + lengths.len());
        targets.reserve_exact(count as usize + lengths.len());
        each_steps(input, reached, |part| {
            let mut visible = part.visible.into_iter().peekable();
            let mut steps = part.steps.into_iter().peekable();
            // Both ascend.
            while let Some(state) = least(steps.peek().map(|s| s.0), visible.peek().copied()) {
                let has_visible = visible.next_if_eq(&state).is_some();
                if !touched.bits().contains(state) {
                    continue;
                }
                let source = touched.rank(state);
                let mut push = |label, target| {
                    labels.push(label);
                    targets.push(StateId::new(target));
                    lengths[source as usize] += 1;
                };
                while let Some((_, target)) = steps.next_if(|step| step.0 == state) {
                    push(LabelId::HIDDEN, touched.rank(target));
                }
                if has_visible {
                    push(LabelId::new(1), source);
                }
            }
            Ok(())
        })?;
        let mut table = LabelTable::new();
        table.intern(b"visible").expect("one label has room");
        let lts = Lts::from_parts(LtsParts {
            initial: StateId::new(0),
            offsets: Offsets::from_lengths(lengths.into_iter().map(|length| length as usize)),
            labels,
            targets,
            table,
        });
        Ok(Self {
            states: touched,
            lts,
        })
    }
}

fn least(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The nodes of states.
struct Nodes {
    node: Vec<u32>,
    /// Which of the first ones diverge.
    diverges: Vec<bool>,
    count: u32,
}

impl Nodes {
    /// Nothing if there are no hidden transitions. These are in memory if there is room for
    /// them.
    fn new(
        input: &Input<'_>,
        reached: &Bits,
        divergence: bool,
        options: &Options,
    ) -> Result<Option<Self>, Error> {
        let budget = Budget::new(options.memory);
        let states = input.states();
        let touched = Touched::read(input, reached)?;
        if touched.steps == 0 {
            return Ok(None);
        }
        let is_small = budget.fits(columns(states) + touched.needed());
        if is_small && !options.streams_only {
            let Hidden {
                states: touched,
                lts,
            } = Hidden::read(input, reached, touched)?;
            let (of_touched, diverges) = hidden_nodes(&lts, divergence);
            drop(lts);
            let mut node = vec![NONE; states as usize];
            for (state, of) in touched.bits().iter().zip(of_touched) {
                node[state as usize] = of;
            }
            return Ok(Some(Self::with(node, diverges, touched.bits(), reached)));
        }
        let what = "the cycles of hidden transitions";
        budget.check(what, components::needed(states))?;
        let steps = touched.spooled(input, reached, budget)?;
        let touched = touched.states;
        let streams_only = options.streams_only;
        let (node, diverges) =
            components::nodes(&steps, &touched, states as usize, budget, streams_only)?;
        Ok(Some(Self::with(node, diverges, &touched, reached)))
    }

    /// With the nodes of states that have hidden transitions, in or out: all others are nodes
    /// by themselves, behind these.
    fn with(mut node: Vec<u32>, diverges: Vec<bool>, touched: &Bits, reached: &Bits) -> Self {
        let mut count = diverges.len() as u32;
        for (state, node) in (0..).zip(&mut node) {
            if !reached.contains(state) {
                *node = NONE;
            } else if !touched.contains(state) {
                *node = count;
                count += 1;
            }
        }
        Self {
            node,
            diverges,
            count,
        }
    }
}

/// A label that is none of these.
fn with_new_label(mut table: LabelTable) -> (LabelTable, u32) {
    let known = table.len();
    let mut text = b"divergence".to_vec();
    loop {
        let label = table
            .intern(&text)
            .expect("there are fewer labels than numbers");
        if table.len() > known {
            return (table, label.get());
        }
        text.push(b'\'');
    }
}

impl<'a> Contracted<'a> {
    /// Contracts an input, whose temporary files go; gives it back if there is no hidden
    /// transition. With `divergence`, what diverges has a self-loop with a label of its
    /// own.
    pub fn new(
        input: Input<'a>,
        reached: &Bits,
        divergence: bool,
        options: &Options,
    ) -> Result<Result<Self, Input<'a>>, Error> {
        let disk = input.disk;
        let Some(nodes) = Nodes::new(&input, reached, divergence, options)? else {
            return Ok(Err(input));
        };
        let Nodes {
            node,
            diverges,
            count,
        } = nodes;
        let (table, divergence) = match divergence {
            true => {
                let (table, label) = with_new_label(input.table.clone());
                (table, Some(label))
            }
            false => (input.table.clone(), None),
        };
        let mut awaited = Bits::new(count as usize);
        let passed = Passed {
            states: count.into(),
            initial: StateId::new(node[input.initial as usize]),
            table,
        };
        // Beside the nodes of states.
        let budget = Budget::new(options.memory).less(columns(input.states()));
        let found = spooled(disk, budget, Duplicates::Removed, |receiver| {
            let diverging = (0..).zip(&diverges).filter(|&(_, &diverges)| diverges);
            let diverging = divergence.map(|label| diverging.map(move |(v, _)| [v, label, v]));
            for part in diverging
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .chunks(1 << 14)
            {
                receiver
                    .take(part)
                    .map_err(|error| disk.failed("", error))?;
            }
            pass(&input, reached, &node, &mut awaited, receiver)?;
            Ok(passed)
        })?;
        Ok(Ok(Self {
            rows: found.rows,
            table: found.table,
            divergence,
            node,
            awaited,
        }))
    }
}

/// Passes the transitions between nodes on.
fn pass(
    input: &Input<'_>,
    reached: &Bits,
    node: &[u32],
    awaited: &mut Bits,
    receiver: &mut dyn Receiver,
) -> Result<(), Error> {
    input.rows.pass(
        |states| reached.meets(states),
        |rows| {
            let mut steps: Vec<[u32; 3]> = Vec::new();
            for (state, labels, targets) in rows.iter() {
                if !reached.contains(state) {
                    continue;
                }
                let source = node[state as usize];
                let start = steps.len();
                let row = labels.iter().zip(targets);
                let row = row.map(|(&label, &target)| [source, label, node[target as usize]]);
                let is_inert =
                    |step: &[u32; 3]| step[1] == LabelId::HIDDEN.get() && step[2] == source;
                steps.extend(row.filter(|step| !is_inert(step)));
                steps[start..].sort_unstable();
            }
            steps.dedup();
            steps
        },
        |steps| {
            for &[_, label, target] in &steps {
                if label == LabelId::HIDDEN.get() {
                    awaited.insert(target);
                }
            }
            let taken = receiver.take(&steps);
            taken.map_err(|error| input.disk.failed("", error))
        },
    )
}
