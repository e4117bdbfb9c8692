//! From a [`Syntax`] and its components to events.
//!
//! Each behaviour becomes, for every visible label, the event that is a
//! transition with that label, and a list of events that are hidden transitions.
//! Operators act on this map; what components do together grows as a graph of
//! [events](super::event::Event), whose size depends on that of the text and the
//! alphabets, not on the number of combinations.

mod communicate;
mod par;
mod prio;
mod relabel;
mod vectors;

use std::path::PathBuf;
use std::sync::Arc;

use hyades_formats::{LabelId, LabelTable, Severity, Sink, TooLarge};

use super::Options;
use super::components::{Component, ComponentFile, common_labels};
use super::event::{EventId, Events};
use super::files::Files;
use super::language::Parameters;
use super::lex::{Place, SyntaxError};
use super::messages::{Messages, Quote, Told};
use super::syntax::{Label, NodeId, NodeKind, Syntax};

/// What a behaviour can do.
#[derive(Clone, Debug, Default)]
pub(super) struct Behaviour {
    /// The event of each visible label, sorted by label.
    pub visible: Vec<(LabelId, EventId)>,
    /// The events that are hidden transitions.
    pub hidden: Vec<EventId>,
}

impl Behaviour {
    /// The event of a label.
    fn find(&self, label: LabelId) -> Option<EventId> {
        let at = self.visible.binary_search_by_key(&label, |&(l, _)| l);
        at.ok().map(|at| self.visible[at].1)
    }
}

/// What compiling ends with.
pub(super) struct Compiled {
    pub labels: LabelTable,
    pub events: Events,
    pub whole: Behaviour,
    /// The rule files, in the order of the text.
    pub rule_files: Vec<PathBuf>,
}

/// Why there is no result.
pub(super) enum Stop {
    /// Something is wrong in the text.
    Wrong(SyntaxError),
    /// Something is wrong with a file, which has been told.
    Told,
    /// There are too many labels.
    TooLarge(TooLarge),
    /// A limit is reached.
    Limit(String),
}

impl From<SyntaxError> for Stop {
    fn from(error: SyntaxError) -> Self {
        Stop::Wrong(error)
    }
}

impl From<TooLarge> for Stop {
    fn from(error: TooLarge) -> Self {
        Stop::TooLarge(error)
    }
}

/// Compiles a network.
pub(super) fn compile(
    syntax: &Syntax,
    files: &[Arc<ComponentFile>],
    components: &[Component],
    options: &Options,
    place: &dyn Files,
    messages: &mut Messages,
    sink: &mut Sink<'_>,
) -> Result<Compiled> {
    let (labels, alphabets) = common_labels(files)?;
    let mut compiler = Compiler {
        parameters: &syntax.parameters,
        options,
        files: place,
        labels,
        events: Events::default(),
        rule_files: Vec::new(),
        messages,
        sink,
    };
    let mut done: Vec<Option<Behaviour>> = Vec::with_capacity(syntax.nodes.len());
    let mut number = 0;
    for node in &syntax.nodes {
        let place = node.place;
        let mut take = |operand: NodeId| {
            let operand = done[operand as usize].take();
            operand.expect("each behaviour but the last is an operand once")
        };
        let behaviour = match &node.kind {
            NodeKind::Component(_) => {
                let file = components[number].file;
                number += 1;
                let has_hidden = files[file].has_hidden;
                compiler.component(number as u32 - 1, &alphabets[file], has_hidden)
            }
            NodeKind::Par {
                mode,
                global,
                operands,
            } => {
                let taken = operands.iter().map(|&(_, operand)| take(operand)).collect();
                let locals: Vec<_> = operands.iter().map(|(local, _)| &local[..]).collect();
                compiler.par(*mode, global, &locals, taken)?
            }
            NodeKind::Vectors {
                mode,
                vectors,
                operands,
            } => {
                let taken = operands.iter().map(|&operand| take(operand)).collect();
                compiler.vectors(*mode, vectors, taken)?
            }
            NodeKind::Ccs(operands) => compiler.ccs(operands.map(&mut take))?,
            NodeKind::Mcrl(operands) => {
                compiler.mcrl(&syntax.communications, operands.map(&mut take))?
            }
            NodeKind::Alphabets {
                alphabets,
                operands,
            } => compiler.alphabets(alphabets, operands.map(&mut take))?,
            NodeKind::SemiComposition { .. } => {
                unreachable!("it has been replaced by the component that it is")
            }
            NodeKind::Relabel {
                relabelling,
                operand,
            } => compiler.relabel(relabelling, place, take(*operand))?,
            NodeKind::Prio {
                matching,
                chains,
                operand,
            } => compiler.prio(*matching, chains, place, take(*operand))?,
        };
        done.push(Some(behaviour));
    }
    let whole = done.pop().flatten();
    Ok(Compiled {
        whole: whole.expect("a network has a behaviour"),
        labels: compiler.labels,
        events: compiler.events,
        rule_files: compiler.rule_files,
    })
}

struct Compiler<'a, 's> {
    parameters: &'a Parameters,
    options: &'a Options,
    files: &'a dyn Files,
    labels: LabelTable,
    events: Events,
    rule_files: Vec<PathBuf>,
    messages: &'a mut Messages,
    sink: &'a mut Sink<'s>,
}

type Result<T> = std::result::Result<T, Stop>;

impl Compiler<'_, '_> {
    fn component(
        &mut self,
        component: u32,
        alphabet: &[(LabelId, LabelId)],
        has_hidden: bool,
    ) -> Behaviour {
        let mut leaf = |label| self.events.leaf(component, label);
        let visible = alphabet.iter().map(|&(l, own)| (l, leaf(own))).collect();
        let hidden = match has_hidden {
            true => vec![leaf(LabelId::HIDDEN)],
            false => Vec::new(),
        };
        Behaviour {
            visible: gathered(&mut self.events, visible),
            hidden,
        }
    }

    /// A warning, unless checks are off, which quotes the text through what it is given.
    fn warn(&mut self, code: &'static str, place: Place, text: impl Fn(&Quote<'_>) -> String) {
        if self.options.check {
            self.messages
                .add(Severity::Warning, code, place, || Told::quoting(text));
        }
    }

    /// Refuses a name that synchronisation cannot be about.
    fn refuse_special(&self, label: &Label) -> std::result::Result<(), SyntaxError> {
        refuse_special(self.parameters, label)
    }
}

/// Refuses a name that synchronisation cannot be about.
pub(super) fn refuse_special(
    parameters: &Parameters,
    label: &Label,
) -> std::result::Result<(), SyntaxError> {
    let what = if parameters.is_hidden(&label.text) {
        "the hidden action never synchronises"
    } else if parameters.is_termination(&label.text) {
        "all operands synchronise on termination anyway"
    } else {
        return Ok(());
    };
    Err(SyntaxError::quoting(
        label.place,
        "exp-interface",
        |quote| format!("{} in an interface: {what}", quote(&label.text)),
    ))
}

/// Events of labels, in any order and maybe several of a label, as a map.
fn gathered(events: &mut Events, mut found: Vec<(LabelId, EventId)>) -> Vec<(LabelId, EventId)> {
    found.sort_unstable();
    let groups = found.chunk_by(|a, b| a.0 == b.0);
    groups
        .map(|group| {
            let alternatives = group.iter().map(|&(_, event)| event).collect();
            (group[0].0, events.any(alternatives))
        })
        .collect()
}
