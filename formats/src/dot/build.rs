//! From a graph to an LTS.

use std::collections::HashMap;
use std::rc::Rc;

use super::graph::{Graph, number_of};
use super::initial::Roles;
use super::outputs::{Kind, Outputs};
use super::places::Places;
use super::signs::acceptance;
use crate::diagnostic::{Log, Severity, excerpt};
use crate::error::Failure;
use crate::lts::{LabelId, LabelTable, Lts, StateId, TooLarge};
use crate::mealy::{InitialOutput, MealySyntax, Origin, ReadMealy, machine};
use crate::options::ReadOptions;
use crate::rows::Collector;
use crate::state_labels::{Parameter, StateLabels};

/// The LTS of the nodes that are states, or the machine that `kind` and `options`
/// ask for. If there are errors in the log, it is of no use.
///
/// # Errors
/// If there is more than an LTS can hold.
pub(super) fn build(
    graph: Graph,
    roles: &Roles,
    kind: &Kind<'_>,
    options: &ReadOptions,
    places: &Places<'_>,
    log: &mut Log,
) -> Result<Lts, Failure> {
    tell_what_is_left_out(&graph, roles, log);
    let outputs = match kind {
        Kind::Moore(outputs) => Some(outputs),
        Kind::Lts | Kind::Accepting(_) => None,
    };
    let syntax = options.mealy.as_ref().map(|mealy| mealy.syntax.clone());
    let syntax = syntax.unwrap_or_default();
    let states = States::new(roles, outputs.is_some());
    let mut table = LabelTable::new();
    let mut transitions = Collector::default();
    transitions.reserve(graph.edges.len());
    // the source of each transition, and the edge it is
    let mut edges: Vec<(StateId, usize)> = Vec::new();
    match outputs {
        None if roles.initial.len() > 1 => {
            for &node in &roles.initial {
                transitions.add(0, LabelId::HIDDEN, states.numbers[node as usize])?;
            }
        }
        None => {}
        Some(outputs) => {
            for &node in &roles.initial {
                let output = outputs.text(outputs.number(node));
                let Ok(label) = syntax.join_initial(output) else {
                    log.add(Severity::Error, "mealy-label", None, || {
                        format!("initial output {}: no label tells it", excerpt(output))
                    });
                    continue;
                };
                let label = table.intern(&label)?;
                transitions.add(0, label, states.numbers[node as usize])?;
                edges.push((StateId::new(0), NO_EDGE));
            }
        }
    }
    let mut labels = Labels::new(&graph, kind, options);
    let mut pairs = outputs.map(|outputs| Pairs::new(outputs, &syntax));
    for (k, edge) in graph.edges.iter().enumerate() {
        let source = states.numbers[edge.source as usize];
        let target = states.numbers[edge.target as usize];
        if source == NO_STATE || target == NO_STATE {
            continue;
        }
        if edge.label == 0 {
            let at = graph.places.get(k).map(|at| places.position(at));
            log.add(Severity::Error, "dot-no-label", at, || {
                "edge without label".into()
            });
            continue;
        }
        if let Some(pairs) = &mut pairs {
            let key = (edge.label, pairs.outputs.number(edge.target));
            let found = match pairs.known.get(&key) {
                Some(found) => Rc::clone(found),
                None => {
                    let input = labels.text(edge.label, places, log);
                    pairs.make(key, input, &mut table, places, log)?
                }
            };
            for &label in found.iter() {
                transitions.add(source, label, target)?;
                edges.push((StateId::new(source), k));
            }
            continue;
        }
        let label = labels.of(edge.label, &mut table, places, log)?;
        transitions.add(source, label, target)?;
        if options.mealy.is_some() {
            edges.push((StateId::new(source), k));
        }
    }
    if let Kind::Accepting(label) = kind {
        accept(
            &graph,
            roles,
            label,
            &states,
            &mut table,
            &mut transitions,
            log,
        )?;
    }
    labels.hint(options, places, log);
    let mut lts = transitions.finish(states.nodes.len() as u64, StateId::new(0), table)?;
    if graph.strict {
        tell_parallel(&lts, log);
    }
    if let Some(known) = state_labels(&graph, &states, outputs)? {
        lts = lts.with_state_labels(known);
    }
    let mealy = match (&options.mealy, outputs) {
        (mealy, Some(_)) => ReadMealy {
            // labels are as they are in memory
            syntax: syntax.in_memory(),
            io_steps: mealy.as_ref().is_some_and(|mealy| mealy.io_steps),
            initial: InitialOutput::Needed,
            is_part: mealy.as_ref().is_some_and(|mealy| mealy.is_part),
            otherwise: "",
        },
        (Some(mealy), None) => mealy.clone(),
        (None, None) => return Ok(lts),
    };
    if log.errors() > 0 {
        return Ok(lts);
    }
    // rows keep the order of the file
    edges.sort_by_key(|&(source, _)| source);
    let origin = Origin {
        position: &|k| Some(places.position(graph.places.get(edges[k].1)?)),
        state: &|state| match states.nodes[state.index()] {
            Some(node) => excerpt(graph.names.text(node)),
            None => state.to_string(),
        },
        choice: options.dot.stochastic,
    };
    Ok(machine(&lts, &mealy, &origin, log)?)
}

/// Gives accepting states a self-loop with a label, which must not occur elsewhere.
fn accept(
    graph: &Graph,
    roles: &Roles,
    label: &[u8],
    states: &States,
    table: &mut LabelTable,
    transitions: &mut Collector,
    log: &mut Log,
) -> Result<(), TooLarge> {
    if table.find(label).is_some() {
        log.add(Severity::Error, "dot-accepting", None, || {
            format!(
                "edges have the label {}, which is to stand for acceptance: name another with \
                 --accepting",
                excerpt(label)
            )
        });
        return Ok(());
    }
    let label = table.intern(label)?;
    for (node, accepts) in acceptance(graph, roles).into_iter().enumerate() {
        if accepts {
            let state = states.numbers[node];
            transitions.add(state, label, state)?;
        }
    }
    Ok(())
}

/// The labels of transitions of a Moore machine.
struct Pairs<'a> {
    outputs: &'a Outputs,
    /// How labels are joined, and inputs told apart that stand in one label.
    syntax: &'a MealySyntax,
    /// The labels of each input, as text, with each output.
    known: HashMap<(u32, u32), Rc<[LabelId]>>,
}

impl<'a> Pairs<'a> {
    fn new(outputs: &'a Outputs, syntax: &'a MealySyntax) -> Self {
        Self {
            outputs,
            syntax,
            known: HashMap::new(),
        }
    }

    /// The labels for edges with this text and output; the text reads `input`, and
    /// stands at `at` first.
    fn make(
        &mut self,
        key: (u32, u32),
        (input, at): (&[u8], usize),
        table: &mut LabelTable,
        places: &Places<'_>,
        log: &mut Log,
    ) -> Result<Rc<[LabelId]>, TooLarge> {
        let output = self.outputs.text(key.1);
        let mut labels = Vec::new();
        for input in self.syntax.inputs(input) {
            match self.syntax.join(input, output) {
                Ok(label) => labels.push(table.intern(&label)?),
                Err(error) => {
                    let at = Some(places.position(at));
                    log.add(Severity::Error, "mealy-label", at, || {
                        format!(
                            "input {} with output {}: {error}",
                            excerpt(input),
                            excerpt(output)
                        )
                    });
                }
            }
        }
        let labels: Rc<[LabelId]> = labels.into();
        self.known.insert(key, Rc::clone(&labels));
        Ok(labels)
    }
}

/// Warns of what a graph says and an LTS cannot.
fn tell_what_is_left_out(graph: &Graph, roles: &Roles, log: &mut Log) {
    if graph.modal {
        log.add(Severity::Warning, "dot-modality", None, || {
            "modalities of edges are left out: what may happen counts like what must".into()
        });
    }
    let into_mark = graph
        .edges
        .iter()
        .find(|edge| roles.is_state[edge.source as usize] && roles.is_mark[edge.target as usize]);
    if let Some(edge) = into_mark {
        log.add(Severity::Warning, "dot-mark", None, || {
            format!(
                "edges to node {}, which marks initial states and is none itself, are left out",
                excerpt(graph.names.text(edge.target))
            )
        });
    }
}

/// The edge of a transition that comes from none.
const NO_EDGE: usize = usize::MAX;

/// The number of a node that is no state.
const NO_STATE: u32 = u32::MAX;

/// The numbers of states.
struct States {
    /// The node of each state; none for one that leads to several initial ones, or
    /// tells the initial output.
    nodes: Vec<Option<u32>>,
    /// The state of each node, or [`NO_STATE`].
    numbers: Vec<u32>,
}

impl States {
    /// With a state before the initial one, or without.
    fn new(roles: &Roles, with_start: bool) -> Self {
        let mut nodes = Vec::new();
        let single = match roles.initial[..] {
            [initial] => Some(initial),
            _ => None,
        };
        if with_start {
            nodes.push(None);
        }
        if !with_start || single.is_some() {
            nodes.push(single);
        }
        let states = (0..roles.is_state.len() as u32)
            .filter(|&node| roles.is_state[node as usize] && Some(node) != single);
        nodes.extend(states.map(Some));
        let mut numbers = vec![NO_STATE; roles.is_state.len()];
        for (number, node) in nodes.iter().enumerate() {
            if let Some(node) = node {
                numbers[*node as usize] = number as u32;
            }
        }
        Self { nodes, numbers }
    }
}

/// The labels of transitions.
struct Labels<'a> {
    graph: &'a Graph,
    /// The labels that are hidden.
    hidden: Vec<Vec<u8>>,
    stochastic: bool,
    /// The label of each text that has occurred.
    known: Vec<Option<LabelId>>,
    /// Whether all labels end in probabilities, some of them fractions.
    probable: bool,
    fraction: Option<u32>,
    tau: Option<u32>,
}

impl<'a> Labels<'a> {
    fn new(graph: &'a Graph, kind: &Kind<'_>, options: &ReadOptions) -> Self {
        let is_named = !options.hidden.is_empty() || options.dialect.is_some();
        Self {
            graph,
            hidden: match (kind, &options.mealy) {
                // pairs of input and output are not hidden
                (Kind::Moore(_), _) | (_, Some(_)) => Vec::new(),
                // nor are the letters of an automaton
                (Kind::Accepting(_), None) if !is_named => Vec::new(),
                (Kind::Accepting(_) | Kind::Lts, None) => options.hidden("i"),
            },
            stochastic: options.dot.stochastic,
            known: vec![None; graph.texts.len()],
            probable: true,
            fraction: None,
            tau: None,
        }
    }

    fn of(
        &mut self,
        text: u32,
        table: &mut LabelTable,
        places: &Places<'_>,
        log: &mut Log,
    ) -> Result<LabelId, TooLarge> {
        if let Some(label) = self.known[text as usize] {
            return Ok(label);
        }
        let (label, _) = self.text(text, places, log);
        if label == b"tau" {
            self.tau.get_or_insert(text);
        }
        let label = match self.hidden.iter().any(|hidden| hidden == label) {
            true => LabelId::HIDDEN,
            false => table.intern(label)?,
        };
        self.known[text as usize] = Some(label);
        Ok(label)
    }

    /// What counts of a text, and where it stands first in the file.
    fn text(&mut self, text: u32, places: &Places<'_>, log: &mut Log) -> (&'a [u8], usize) {
        let graph = self.graph;
        let first = graph.first[text as usize];
        let mut label = graph.texts.text(LabelId::new(text));
        match split_probability(label) {
            Some((rest, probability)) => {
                if 0.0 < probability && probability < 1.0 {
                    self.fraction.get_or_insert(text);
                }
                if self.stochastic {
                    label = rest;
                }
            }
            None => {
                self.probable = false;
                if self.stochastic {
                    let at = places.position(first);
                    log.add(Severity::Error, "dot-probability", Some(at), || {
                        format!("label {} does not end in `:PROBABILITY`", excerpt(label))
                    });
                }
            }
        }
        (label, first)
    }

    /// Warns where another option is likely to be meant.
    fn hint(&self, options: &ReadOptions, places: &Places<'_>, log: &mut Log) {
        let position = |text: u32| Some(places.position(self.graph.first[text as usize]));
        if let (true, false, Some(text)) = (self.probable, self.stochastic, self.fraction) {
            log.add(Severity::Warning, "dot-probability", position(text), || {
                "probabilities count as parts of labels; --stochastic leaves them out".into()
            });
        }
        let is_default =
            options.hidden.is_empty() && options.dialect.is_none() && options.stays_visible(b"tau");
        if let (true, None, Some(text)) = (is_default, &options.mealy, self.tau) {
            log.add(Severity::Warning, "dot-tau-hint", position(text), || {
                "label `tau` counts as visible; to hide it, use --tau tau".into()
            });
        }
    }
}

/// The probability at the end of a label, after a colon, and what comes before.
fn split_probability(label: &[u8]) -> Option<(&[u8], f64)> {
    let colon = memchr::memrchr(b':', label)?;
    let digits = label[colon + 1..].trim_ascii();
    let is_number = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'-' | b'+');
    if !digits.iter().all(is_number) {
        return None;
    }
    let number: f64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (0.0..=1.0)
        .contains(&number)
        .then(|| (label[..colon].trim_ascii_end(), number))
}

/// Warns if a strict graph has edges that GraphViz would take for one, but that
/// have different labels.
fn tell_parallel(lts: &Lts, log: &mut Log) {
    let mut row = Vec::new();
    for state in (0..lts.states()).map(StateId::from_index) {
        row.clear();
        row.extend(lts.outgoing(state).map(|(label, target)| (target, label)));
        row.sort_unstable();
        row.dedup();
        if row.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            log.add(Severity::Warning, "dot-strict", None, || {
                "a strict graph has parallel edges with different labels: all are kept".into()
            });
            return;
        }
    }
}

/// What nodes are called, as the only parameter of the states, unless it tells
/// no more than the numbers of the states. Outputs are no parts of it.
fn state_labels(
    graph: &Graph,
    states: &States,
    outputs: Option<&Outputs>,
) -> Result<Option<StateLabels>, TooLarge> {
    let shown = |node: u32| match outputs {
        Some(outputs) => outputs.name(graph, node),
        None => graph.shown(node).unwrap_or(graph.names.text(node)),
    };
    // As in `s0`, `s1` and so on, if they stand in this order. The state that tells the initial
    // output is none of the machine.
    let start = usize::from(outputs.is_some() && states.nodes.first() == Some(&None));
    let is_mere_number = |(state, node): (usize, &Option<u32>)| {
        node.is_none_or(|node| {
            let name = graph.names.text(node);
            let (shown, digits) = (shown(node), number_of(name));
            let number = std::str::from_utf8(digits)
                .ok()
                .and_then(|d| d.parse().ok());
            let is_plain =
                digits == b"0" || digits.first().is_some_and(|&d| d != b'0' && d != b'+');
            number.is_some_and(|number: usize| number + start == state)
                && is_plain
                && (shown == name || shown == digits)
        })
    };
    if states.nodes.iter().enumerate().all(is_mere_number) {
        return Ok(None);
    }
    let mut values = LabelTable::new();
    let mut numbers = Vec::with_capacity(states.nodes.len());
    for node in &states.nodes {
        numbers.push(match *node {
            Some(node) => Some(values.intern(shown(node))?.get() - 1),
            None => None,
        });
    }
    let mut labels = StateLabels::new(vec![Parameter {
        name: b"label".to_vec(),
        sort: Vec::new(),
        values: values.visible().map(|(_, text)| text.to_vec()).collect(),
    }]);
    for number in &numbers {
        labels.push(number.as_ref().map(std::slice::from_ref));
    }
    Ok(Some(labels))
}
