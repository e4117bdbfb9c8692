//! What one state shows along a trace and another one does not.

use hyades_formats::{LabelId, LabelTable, Lts, LtsBuilder, StateId, TooLarge};

use crate::formula::{Formula, FormulaBuilder, NodeId};

/// An observation that can be made of one state and not of another one: why the first is
/// not below the second in a linear-time preorder.
///
/// A trace, what is seen on the way if the preorder has eyes for that, and what is seen
/// at its end. There is no reason with a shorter trace. Labels are those of the LTS that
/// was searched, and in all sets ascend in the order of the bytes of their texts.
///
/// The kinds are those of R. J. van Glabbeek, *The linear time – branching time
/// spectrum I*, Handbook of Process Algebra, 2001.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// Whether hidden steps may be taken anywhere and are left out of all traces. If not,
    /// they are steps as all others.
    pub skips_hidden: bool,
    /// The trace.
    pub steps: Vec<Step>,
    /// What is seen behind it.
    pub end: End,
}

/// A step of the trace of a [`Reason`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What is seen before it.
    pub seen: Seen,
    /// Its label.
    pub label: LabelId,
}

/// What is seen of a state on the way, before it is left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// Nothing that matters.
    Nothing,
    /// That it has no step with one of these labels; in failure traces. The set is
    /// minimal: none can be left out.
    Refusal(Vec<LabelId>),
    /// The labels of its steps; in ready traces.
    Menu(Menu),
}

/// Which labels the steps of a state have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Menu {
    /// All labels of its steps.
    pub offered: Vec<LabelId>,
    /// Of the other labels some: those of which it matters that it has none, as few as
    /// are needed.
    pub refused: Vec<LabelId>,
}

/// What is seen behind the trace of a [`Reason`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// Nothing: the other state has no such trace (of states of which that is seen which
    /// is seen on the way).
    Trace,
    /// A deadlock. The other state has the trace, but always has a step then, with one of
    /// these labels; none of them can be left out.
    Deadlock(Vec<LabelId>),
    /// A state without steps with these labels. The other state always has one then; no
    /// label can be left out. If hidden steps are skipped, the state has no hidden step
    /// either, which is the reason if there is no label.
    Refusal(Vec<LabelId>),
    /// A state without steps with some labels, and with a step with another label. The
    /// other state has none of these or lacks the step.
    Revival {
        /// The labels without steps; none can be left out.
        refusal: Vec<LabelId>,
        /// The label of the step.
        label: LabelId,
    },
    /// A state whose steps have just these labels.
    Ready(Menu),
    /// A state from which hidden steps can go on for ever. The other state cannot do so
    /// after the trace, nor after a part with which it begins.
    Divergence,
    /// A state that has no trace of some, and all of others. What the other state leads to
    /// always has one of the first, or lacks one of the others. No trace can be left out.
    Futures {
        /// Traces that it has not.
        lacks: Vec<Vec<LabelId>>,
        /// Traces that it has.
        has: Vec<Vec<LabelId>>,
    },
}

/// The LTS that is a path of steps with these labels.
///
/// # Errors
/// If it is longer than an LTS can be.
pub(crate) fn path(
    labels: impl Iterator<Item = LabelId>,
    table: &LabelTable,
) -> Result<Lts, TooLarge> {
    let mut builder = LtsBuilder::with_table(1, table.clone());
    for (source, label) in (0..).zip(labels) {
        builder.add(StateId::new(source), label, StateId::new(source + 1));
    }
    builder.build(StateId::new(0))
}

impl Reason {
    /// The labels of the trace.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = LabelId> + '_ {
        self.steps.iter().map(|step| step.label)
    }

    /// The trace as an LTS that is a path, with one hidden step at its end if that diverges.
    ///
    /// # Errors
    /// If it is longer than an LTS can be.
    pub fn to_path(&self, table: &LabelTable) -> Result<Lts, TooLarge> {
        let around = matches!(self.end, End::Divergence).then_some(LabelId::HIDDEN);
        path(self.labels().chain(around), table)
    }

    /// What is seen as an LTS: the trace from state 0 on, and from the state where it is seen,
    /// steps that are offered, and a visible step `refused LABEL` for each that is refused (for
    /// each trace, of futures). A divergence is a hidden loop.
    ///
    /// # Errors
    /// If it is larger than an LTS can be.
    pub fn to_lts(&self, table: &LabelTable) -> Result<Lts, TooLarge> {
        let mut shown = Shown {
            builder: LtsBuilder::with_table(1, table.clone()),
            table,
            next: self.steps.len() as u32 + 1,
        };
        for (source, step) in (0..).map(StateId::new).zip(&self.steps) {
            shown
                .builder
                .add(source, step.label, StateId::new(source.get() + 1));
            match &step.seen {
                Seen::Nothing => {}
                Seen::Refusal(labels) => shown.refused(source, labels)?,
                Seen::Menu(menu) => shown.menu(source, menu)?,
            }
        }
        let last = StateId::from_index(self.steps.len());
        match &self.end {
            End::Trace | End::Deadlock(_) => {}
            End::Refusal(labels) => {
                if self.skips_hidden {
                    shown.refused(last, &[LabelId::HIDDEN])?;
                }
                shown.refused(last, labels)?;
            }
            End::Revival { refusal, label } => {
                shown.offered(last, &[*label]);
                shown.refused(last, refusal)?;
            }
            End::Ready(menu) => shown.menu(last, menu)?,
            End::Divergence => shown.builder.add(last, LabelId::HIDDEN, last),
            End::Futures { lacks, has } => {
                for trace in lacks {
                    shown.refused_trace(last, trace)?;
                }
                has.iter().for_each(|trace| shown.offered(last, trace));
            }
        }
        shown.builder.build(StateId::new(0))
    }

    /// A formula that holds in the state that shows this and does not hold in the other
    /// one; labels are of this table, which is that of the LTS searched. O(size).
    ///
    /// If hidden steps are steps as all others, it is one of Hennessy–Milner logic.
    ///
    /// # Errors
    /// None in practice: only for more labels than a table can hold.
    pub fn formula(&self, table: &LabelTable) -> Result<Formula, TooLarge> {
        let mut writer = Writer {
            builder: FormulaBuilder::new(),
            table,
            is_weak: self.skips_hidden,
        };
        let mut formula = writer.end(&self.end)?;
        let after_hidden = match self.end {
            End::Refusal(_) | End::Futures { .. } => self.skips_hidden && self.steps.is_empty(),
            End::Trace
            | End::Deadlock(_)
            | End::Revival { .. }
            | End::Ready(_)
            | End::Divergence => false,
        };
        if after_hidden {
            formula = writer.builder.weak_diamond(LabelId::HIDDEN, formula);
        }
        for Step { seen, label } in self.steps.iter().rev() {
            formula = writer.diamond(*label, formula)?;
            let mut all = match seen {
                Seen::Nothing => Vec::new(),
                Seen::Refusal(refused) => writer.refuses(refused)?,
                Seen::Menu(menu) => writer.menu(menu)?,
            };
            all.push(formula);
            formula = writer.builder.and(all);
        }
        Ok(writer.builder.build(formula))
    }
}

/// Makes LTSs of reasons.
struct Shown<'t> {
    builder: LtsBuilder,
    table: &'t LabelTable,
    /// The next state.
    next: u32,
}

impl Shown<'_> {
    fn step(&mut self, from: StateId, label: LabelId) -> StateId {
        let target = StateId::new(self.next);
        self.next += 1;
        self.builder.add(from, label, target);
        target
    }

    /// These steps, one after the other.
    fn offered(&mut self, from: StateId, trace: &[LabelId]) {
        trace
            .iter()
            .fold(from, |from, &label| self.step(from, label));
    }

    fn refused_trace(&mut self, from: StateId, trace: &[LabelId]) -> Result<(), TooLarge> {
        let mut text = b"refused".to_vec();
        for &label in trace {
            text.push(b' ');
            text.extend_from_slice(match label.is_hidden() {
                true => b"i",
                false => self.table.text(label),
            });
        }
        let label = self.builder.table_mut().intern(&text)?;
        self.step(from, label);
        Ok(())
    }

    /// Each of these labels.
    fn refused(&mut self, from: StateId, labels: &[LabelId]) -> Result<(), TooLarge> {
        let mut labels = labels.iter();
        labels.try_for_each(|&label| self.refused_trace(from, &[label]))
    }

    fn menu(&mut self, from: StateId, menu: &Menu) -> Result<(), TooLarge> {
        for &label in &menu.offered {
            self.offered(from, &[label]);
        }
        self.refused(from, &menu.refused)
    }
}

/// Makes formulas of reasons.
struct Writer<'t> {
    builder: FormulaBuilder,
    table: &'t LabelTable,
    is_weak: bool,
}

impl Writer<'_> {
    /// The label of the formula for one of the LTS.
    fn label(&mut self, label: LabelId) -> Result<LabelId, TooLarge> {
        match label.is_hidden() {
            true => Ok(label),
            false => self.builder.label(self.table.text(label)),
        }
    }

    fn diamond(&mut self, label: LabelId, formula: NodeId) -> Result<NodeId, TooLarge> {
        let label = self.label(label)?;
        Ok(match self.is_weak {
            true => self.builder.weak_diamond(label, formula),
            false => self.builder.diamond(label, formula),
        })
    }

    /// There are no steps with these labels.
    fn refuses(&mut self, labels: &[LabelId]) -> Result<Vec<NodeId>, TooLarge> {
        let never = self.builder.or([]);
        let mut all = Vec::with_capacity(labels.len() + 1);
        for &label in labels {
            let label = self.label(label)?;
            all.push(self.builder.boxed(label, never));
        }
        Ok(all)
    }

    fn menu(&mut self, menu: &Menu) -> Result<Vec<NodeId>, TooLarge> {
        let always = self.builder.and([]);
        let mut all = Vec::new();
        for &label in &menu.offered {
            let label = self.label(label)?;
            all.push(self.builder.diamond(label, always));
        }
        all.extend(self.refuses(&menu.refused)?);
        Ok(all)
    }

    /// A trace is there.
    fn has(&mut self, trace: &[LabelId]) -> Result<NodeId, TooLarge> {
        let mut formula = self.builder.and([]);
        for &label in trace.iter().rev() {
            formula = self.diamond(label, formula)?;
        }
        Ok(formula)
    }

    /// A trace is not there.
    fn lacks(&mut self, trace: &[LabelId]) -> Result<NodeId, TooLarge> {
        let mut formula = self.builder.or([]);
        for &label in trace.iter().rev() {
            let label = self.label(label)?;
            formula = match self.is_weak {
                true => self.builder.weak_box(label, formula),
                false => self.builder.boxed(label, formula),
            };
        }
        Ok(formula)
    }

    fn end(&mut self, end: &End) -> Result<NodeId, TooLarge> {
        let all = match end {
            End::Trace => Vec::new(),
            End::Deadlock(labels) => self.refuses(labels)?,
            End::Refusal(labels) => {
                let mut all = match self.is_weak {
                    true => self.refuses(&[LabelId::HIDDEN])?,
                    false => Vec::new(),
                };
                all.extend(self.refuses(labels)?);
                all
            }
            End::Revival { refusal, label } => {
                let mut all = self.refuses(refusal)?;
                let always = self.builder.and([]);
                let label = self.label(*label)?;
                all.push(self.builder.diamond(label, always));
                all
            }
            End::Ready(menu) => self.menu(menu)?,
            End::Divergence => {
                let always = self.builder.and([]);
                vec![self.builder.divergence(always)]
            }
            End::Futures { lacks, has } => {
                let mut all = Vec::with_capacity(lacks.len() + has.len());
                for trace in lacks {
                    all.push(self.lacks(trace)?);
                }
                for trace in has {
                    all.push(self.has(trace)?);
                }
                all
            }
        };
        Ok(self.builder.and(all))
    }
}
