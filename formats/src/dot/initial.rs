//! Which nodes are states, and which of these is the initial one.

use super::graph::{Attributes, Edge, Graph};
use super::places::Places;
use crate::diagnostic::{Log, Severity, excerpt};
use crate::lts::LabelId;
use crate::options::{ReadOptions, StateOutputs};

/// What the nodes of a graph are.
pub(super) struct Roles {
    /// Nodes that mark the initial state, and are none themselves.
    pub is_mark: Vec<bool>,
    /// Nodes that are states.
    pub is_state: Vec<bool>,
    /// The initial states: one, or several if that is allowed.
    pub initial: Vec<u32>,
    /// Whether two peripheries are mCRL2's way to draw the initial state, not
    /// acceptance.
    pub of_mcrl2: bool,
}

impl Roles {
    /// The nodes that are states.
    pub fn states(&self) -> impl Iterator<Item = u32> {
        let states = self.is_state.iter().enumerate();
        states.filter_map(|(node, &is_state)| is_state.then_some(node as u32))
    }
}

/// Tells states from marks, and finds the initial states by the first rule that
/// applies: the option; the target of a mark's edge; a node that is drawn as
/// initial; a usual name; the first node.
///
/// O(nodes + edges). None if there are errors, which are in the log.
pub(super) fn roles(
    graph: &Graph,
    options: &ReadOptions,
    places: &Places<'_>,
    log: &mut Log,
) -> Option<Roles> {
    // a machine has no hidden transitions, which would lead to all of them
    let is_machine = options.mealy.is_some() || options.dot.outputs == StateOutputs::Moore;
    let may_be_several = options.dot.multi_init && !is_machine;
    let options = &options.dot;
    let is_automaton = matches!(options.outputs, StateOutputs::Accepting(_));
    let is_mark = marks(graph);
    let is_state: Vec<bool> = is_mark
        .iter()
        .zip(&graph.nodes)
        .map(|(&is_mark, node)| !is_mark && (options.automaton.is_none() || node.chosen))
        .collect();
    let start = Some(places.position(0));
    if !is_state.contains(&true) {
        log.add(Severity::Error, "dot-empty", start, || {
            match &options.automaton {
                Some(name) => no_automaton(graph, name),
                None => "no node that is a state: an LTS has at least one".into(),
            }
        });
        return None;
    }
    let finder = Finder {
        graph,
        is_mark: &is_mark,
        is_state: &is_state,
    };
    let of_mcrl2 = !is_automaton && finder.is_of_mcrl2();
    let (initial, rule) = match &options.init {
        Some(name) => match finder.named(name) {
            Some(node) => (vec![node], "it was asked for"),
            None => {
                log.add(Severity::Error, "dot-no-init", start, || {
                    format!("no node {} among the states", excerpt(name))
                });
                return None;
            }
        },
        None => finder.find(of_mcrl2, log)?,
    };
    if options.automaton.is_none()
        && let Some(names) = finder.several_automata(&initial)
    {
        log.add(Severity::Error, "dot-several-automata", start, || {
            format!("several automata: choose one of {names} with --automaton")
        });
        return None;
    }
    let name = |node: u32| excerpt(finder.name(node));
    if initial.len() > 1 && !may_be_several {
        // Where the second one is marked, if an edge does that.
        let edges = graph.edges.iter();
        let mark = edges.enumerate().find_map(|(number, edge)| {
            let marks = is_mark[edge.source as usize] && edge.target == initial[1];
            marks.then(|| graph.places.get(number)).flatten()
        });
        let at = mark.map_or(start, |at| Some(places.position(at)));
        log.add(Severity::Error, "dot-several-initial", at, || {
            let names: Vec<_> = initial.iter().take(5).map(|&node| name(node)).collect();
            format!(
                "{} initial states ({}): name one with --init, or, for an LTS, take all with --multi-init",
                initial.len(),
                names.join(", ")
            )
        });
        return None;
    }
    log.add(Severity::Note, "dot-initial", None, || {
        let names: Vec<_> = initial.iter().map(|&node| name(node)).collect();
        format!("initial state {}: {rule}", names.join(", "))
    });
    Some(Roles {
        is_mark,
        is_state,
        initial,
        of_mcrl2,
    })
}

/// The nodes that only mark initial states: by their names, or as nobody sees them and a single
/// edge without a label is all they have.
fn marks(graph: &Graph) -> Vec<bool> {
    let mut has_incoming = vec![false; graph.nodes.len()];
    // How many edges leave a node, up to 2, where 2 also stands for a label.
    let mut outgoing = vec![0u8; graph.nodes.len()];
    for edge in &graph.edges {
        has_incoming[edge.target as usize] = true;
        let is_labelled = edge.label != 0 && !graph.text(edge.label, edge.source).is_empty();
        let outgoing = &mut outgoing[edge.source as usize];
        *outgoing = (*outgoing + 1 + u8::from(is_labelled)).min(2);
    }
    let edges = has_incoming.into_iter().zip(outgoing);
    let nodes = graph.nodes.iter().zip(graph.names.all());
    nodes
        .zip(edges)
        .zip(0..)
        .map(|(((node, name), (has_incoming, outgoing)), number)| {
            if outgoing == 1 && !has_incoming && is_unseen(graph, number) {
                return true;
            }
            let starts = |prefix: &str| name.starts_with(prefix.as_bytes());
            if starts("__start") && name.len() > 7 && name[7..].iter().all(u8::is_ascii_digit) {
                return true;
            }
            let is_named = starts("__start") || starts("__init");
            let is_named = is_named || matches!(name, b"start" | b"init" | b"");
            let unseen = Attributes::SHAPELESS | Attributes::INVISIBLE;
            is_named && node.attributes.is(unseen) && !has_incoming
        })
        .collect()
}

/// Whether nothing is drawn of a node, or no more than a point.
fn is_unseen(graph: &Graph, node: u32) -> bool {
    let attributes = &graph.nodes[node as usize].attributes;
    let shown = match attributes.label {
        0 => graph.names.text(node),
        label => graph.text(label, node),
    };
    attributes.is(Attributes::INVISIBLE | Attributes::POINT)
        || attributes.is(Attributes::SHAPELESS) && shown.trim_ascii().is_empty()
}

fn no_automaton(graph: &Graph, name: &[u8]) -> String {
    let names: Vec<_> = graph.subgraphs.visible().map(|(_, n)| excerpt(n)).collect();
    if names.is_empty() {
        return format!("no subgraph {} with states, nor any other", excerpt(name));
    }
    let shown = names[..names.len().min(10)].join(", ");
    format!(
        "no subgraph {} with states: subgraphs are {shown}",
        excerpt(name)
    )
}

struct Finder<'a> {
    graph: &'a Graph,
    is_mark: &'a [bool],
    is_state: &'a [bool],
}

impl Finder<'_> {
    fn name(&self, node: u32) -> &[u8] {
        self.graph.names.text(node)
    }

    /// The state of this name.
    fn named(&self, name: &[u8]) -> Option<u32> {
        let node = self.graph.names.find(name)?;
        self.is_state[node as usize].then_some(node)
    }

    fn states(&self) -> impl Iterator<Item = u32> {
        let states = self.is_state.iter().enumerate();
        states.filter_map(|(k, &is_state)| is_state.then_some(k as u32))
    }

    /// The initial states without an option, and the rule that gives them.
    fn find(&self, of_mcrl2: bool, log: &mut Log) -> Option<(Vec<u32>, &'static str)> {
        if let Some(found) = self.marked(log) {
            return Some((found, "an edge from a node that is no state leads there"));
        }
        if let Some(found) = self.drawn(of_mcrl2) {
            return Some(found);
        }
        for name in ["s0", "S0", "q0", "0"] {
            if let Some(node) = self.named(name.as_bytes()) {
                self.doubt(node, log);
                return Some((vec![node], "it has a usual name"));
            }
        }
        let first = self.states().next()?;
        log.add(Severity::Warning, "dot-initial", None, || {
            format!(
                "nothing tells the initial state: taking the first node, {} (or name one with --init)",
                excerpt(self.name(first))
            )
        });
        Some((vec![first], "it comes first"))
    }

    /// Warns of an initial state that only its name tells where the first node is another one to
    /// which no edge leads, but where one begins: that may be meant.
    fn doubt(&self, node: u32, log: &mut Log) {
        let Some(first) = self.states().next().filter(|&first| first != node) else {
            return;
        };
        let others = |edge: &&Edge| edge.source != edge.target;
        let mut edges = self.graph.edges.iter().filter(others);
        if edges.clone().any(|edge| edge.target == first) || !edges.any(|edge| edge.source == first)
        {
            return;
        }
        log.add(Severity::Warning, "dot-initial", None, || {
            let [node, first] = [node, first].map(|node| excerpt(self.name(node)));
            format!(
                "only its name tells that {node} is the initial state, and {first} comes first, to \
                 which no edge leads: say with --init which one is meant"
            )
        });
    }

    /// The targets of the edges of marks.
    fn marked(&self, log: &mut Log) -> Option<Vec<u32>> {
        let mut found = Vec::new();
        let mut is_found = vec![false; self.is_state.len()];
        for edge in &self.graph.edges {
            let target = edge.target as usize;
            if self.is_mark[edge.source as usize] && self.is_state[target] && !is_found[target] {
                is_found[target] = true;
                found.push(edge.target);
            }
        }
        if !found.is_empty() {
            return Some(found);
        }
        if let Some(mark) = self.is_mark.iter().position(|&is_mark| is_mark) {
            log.add(Severity::Warning, "dot-initial", None, || {
                format!(
                    "node {} marks no initial state: no edge leads from it to a state",
                    excerpt(self.name(mark as u32))
                )
            });
        }
        None
    }

    /// The nodes that are drawn as initial states.
    fn drawn(&self, of_mcrl2: bool) -> Option<(Vec<u32>, &'static str)> {
        let with = |flag| -> Vec<u32> { self.with(flag).collect() };
        let initial = with(Attributes::INITIAL);
        if !initial.is_empty() {
            return Some((initial, "it has the attribute `initial`"));
        }
        if of_mcrl2 {
            let twice = with(Attributes::TWICE);
            return Some((twice, "it has two peripheries, as mCRL2 draws it"));
        }
        match with(Attributes::RED)[..] {
            [red] => Some((vec![red], "it alone is red")),
            _ => None,
        }
    }

    /// The states with a flag.
    fn with(&self, flag: u16) -> impl Iterator<Item = u32> {
        let is_set = move |&node: &u32| self.graph.nodes[node as usize].attributes.is(flag);
        self.states().filter(is_set)
    }

    /// Whether just one state has two peripheries, which are mCRL2's way to draw the
    /// initial one: the graph begins as mCRL2 begins one, states are called `S0`, `S1`,
    /// … or, if they have labels, `s0`, `s1`, …, and nothing else tells the initial
    /// state, or acceptance.
    fn is_of_mcrl2(&self) -> bool {
        let has = |flag: u16| self.with(flag).next().is_some();
        self.graph.centred
            && self.with(Attributes::TWICE).take(2).count() == 1
            && !self.is_mark.contains(&true)
            && !has(Attributes::ACCEPTING)
            && !has(Attributes::INITIAL)
            && [b'S', b's'].iter().any(|&letter| {
                self.states()
                    .all(|node| is_numbered(self.name(node), letter))
            })
    }

    /// The names of the subgraphs of states that are in different ones.
    fn several_automata(&self, initial: &[u32]) -> Option<String> {
        let subgraph = |&node: &u32| self.graph.nodes[node as usize].subgraph;
        let mut subgraphs: Vec<u32> = initial.iter().map(subgraph).collect();
        subgraphs.sort_unstable();
        subgraphs.dedup();
        if subgraphs.len() < 2 || subgraphs.contains(&0) {
            return None;
        }
        let name = |&k: &u32| excerpt(self.graph.subgraphs.text(LabelId::new(k)));
        let names: Vec<_> = subgraphs.iter().take(10).map(name).collect();
        Some(names.join(", "))
    }
}

/// Whether a name is this letter and a number, as mCRL2 names states.
fn is_numbered(name: &[u8], letter: u8) -> bool {
    let digits = name.strip_prefix(&[letter]).unwrap_or_default();
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}
