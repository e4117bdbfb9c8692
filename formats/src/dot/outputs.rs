//! What nodes tell of states besides their names: outputs of Moore machines, and
//! acceptance. An LTS has no place for either, so that the user says what
//! becomes of them.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::graph::{Attributes, Graph, number_of};
use super::initial::Roles;
use super::read::Places;
use crate::diagnostic::{Log, Severity, excerpt};
use crate::error::Failure;
use crate::lts::{LabelId, LabelTable, TooLarge};
use crate::mealy::{MealySyntax, verdict};
use crate::options::ReadOptions;

/// What becomes of the outputs of Moore machines, in the labels of nodes, and of
/// acceptance, which double circles tell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum StateOutputs {
    /// That a file tells either is an error, as states that differ would be taken
    /// for equal. For Mealy machines, whose outputs are others, as
    /// [`Ignored`](Self::Ignored).
    #[default]
    Refused,
    /// They are notes: labels of nodes are state labels, and accepting states are
    /// states like others.
    Ignored,
    /// The file holds a Moore machine: see [`Start`](crate::mealy::Start).
    Moore,
    /// The file holds a finite automaton: accepting states get a self-loop with
    /// this label, which occurs nowhere else. Nothing is hidden unless the user
    /// names it.
    Accepting(Vec<u8>),
    /// For who needs a machine: a Mealy machine if all labels are pairs, else a
    /// Moore machine if the file tells outputs, or one with
    /// [verdicts](crate::mealy::VERDICTS) for outputs if it tells acceptance.
    Shown,
}

/// What a file is read as.
pub(super) enum Kind<'a> {
    /// States have nothing but transitions.
    Lts,
    /// Some states are accepting, which a self-loop with this label tells.
    Accepting(&'a [u8]),
    /// States have outputs.
    Moore(Outputs),
}

/// The outputs of states.
pub(super) struct Outputs {
    /// The number of each node's output among the texts.
    of: Vec<u32>,
    texts: LabelTable,
}

impl Outputs {
    /// The number of a state's output.
    pub fn number(&self, node: u32) -> u32 {
        self.of[node as usize]
    }

    /// The output with this number.
    pub fn text(&self, number: u32) -> &[u8] {
        self.texts.text(LabelId::new(number))
    }
}

/// How an output stands behind the name of its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// `q|out` or `{ q | out }`, fields of a record.
    Record,
    /// In a line of its own.
    Lines,
    /// `q / out`.
    Slash,
    /// `q|out` in another shape.
    Bar,
    /// `q/out`.
    Tight,
}

/// In the order in which they are tried.
const WAYS: [Way; 5] = [Way::Record, Way::Lines, Way::Slash, Way::Bar, Way::Tight];

/// What the label of a node tells.
struct Told<'a> {
    name: &'a [u8],
    output: Cow<'a, [u8]>,
    way: Way,
    /// Whether the first part is what the node is called.
    is_named: bool,
}

impl Way {
    /// The two parts of a label.
    fn split(self, label: &[u8]) -> Option<(&[u8], Cow<'_, [u8]>)> {
        let mut label = label;
        while let Some(rest) = label.strip_suffix(b"\n") {
            label = rest;
        }
        if self == Way::Lines {
            let end = memchr(b'\n', label)?;
            let lines = label[end + 1..].split(|&b| b == b'\n');
            let lines: Vec<&[u8]> = lines.map(<[u8]>::trim_ascii).collect();
            return Some((label[..end].trim_ascii(), Cow::Owned(lines.join(&b' '))));
        }
        if label.contains(&b'\n') {
            return None;
        }
        let separator: &[u8] = match self {
            Way::Slash => b" / ",
            Way::Tight => b"/",
            Way::Record | Way::Bar | Way::Lines => b"|",
        };
        if self == Way::Record {
            label = braced(label).unwrap_or(label);
        }
        let at = memmem::find(label, separator)?;
        let output = label[at + separator.len()..].trim_ascii();
        Some((label[..at].trim_ascii(), Cow::Borrowed(output)))
    }
}

/// What stands between braces around all of a label.
fn braced(label: &[u8]) -> Option<&[u8]> {
    label.trim_ascii().strip_prefix(b"{")?.strip_suffix(b"}")
}

/// The name of a state and its output in the label of a node with this name. A way
/// by which the first part is what the node is called goes before others.
fn told<'a>(label: &'a [u8], name: &[u8], is_record: bool) -> Option<Told<'a>> {
    let is_name = |part: &[u8]| {
        !part.is_empty() && (part == name || part == number_of(name) || part == b"\\N")
    };
    let all = |way: Way| {
        let (first, output) = way.split(label)?;
        Some(Told {
            is_named: is_name(first),
            name: first,
            output,
            way,
        })
    };
    let named = WAYS.into_iter().filter_map(all).find(|told| told.is_named);
    let is_usual = |way: &Way| *way != Way::Record || is_record || braced(label).is_some();
    named.or_else(|| WAYS.into_iter().filter(is_usual).find_map(all))
}

/// Whether a label of a circle with this name can hardly be anything but the name
/// and an output.
pub(super) fn tells_output(label: &[u8], name: &[u8]) -> bool {
    told(label, name, false).is_some_and(|told| told.is_named)
}

/// The output that a label of a node with this name tells in a Moore machine.
pub(super) fn told_again<'a>(
    label: &'a [u8],
    name: &[u8],
    is_record: bool,
) -> Option<Cow<'a, [u8]>> {
    told(label, name, is_record).map(|told| told.output)
}

/// The name and the output in the label of a node; none if there is no output.
fn of_node(graph: &Graph, node: u32) -> Option<Told<'_>> {
    let attributes = &graph.nodes[node as usize].attributes;
    match attributes.shown() {
        0 | Attributes::NAME | Attributes::NUMBER => None,
        _ => told(
            graph.shown(node)?,
            graph.names.text(node),
            attributes.is(Attributes::RECORD),
        ),
    }
}

/// The name of a state without its output, for a Moore machine.
pub(super) fn name_of(graph: &Graph, node: u32) -> &[u8] {
    match of_node(graph, node) {
        Some(told) if !told.name.is_empty() && told.name != b"\\N" => told.name,
        _ => graph.names.text(node),
    }
}

/// What a file tells without being asked: a node with an output, and one that is
/// accepting.
struct Shows {
    output: Option<u32>,
    accepting: Option<u32>,
    /// Whether all labels of edges are pairs of input and output.
    pairs: bool,
}

impl Shows {
    fn of(graph: &Graph, roles: &Roles) -> Self {
        let accepts = acceptance(graph, roles);
        let states = || (0..graph.nodes.len() as u32).filter(|&node| roles.is_state[node as usize]);
        // nodes whose label can hardly be anything but a name and an output; nodes
        // whose label can be one, in one line
        let (mut clear, mut in_line) = (0, 0);
        let mut first = None;
        for node in states() {
            let Some(told) = of_node(graph, node) else {
                continue;
            };
            let is_record = graph.nodes[node as usize].attributes.is(Attributes::RECORD);
            let is_clear = told.is_named || told.way == Way::Record && is_record;
            clear += usize::from(is_clear);
            if is_clear && told.way != Way::Lines || told.way == Way::Slash {
                in_line += 1;
            }
            if is_clear {
                first.get_or_insert(node);
            }
        }
        let count = states().count();
        let all_in_line = in_line == count;
        let is_likely = clear > 0 || all_in_line;
        let is_asked = is_likely || accepts.iter().any(|&accepts| accepts);
        let pairs = is_asked && all_pairs(graph, roles);
        // some nodes of Mealy machines may have notes
        let all = all_in_line || clear == count;
        let shows = if pairs { all } else { is_likely };
        Self {
            output: shows.then(|| first.or_else(|| states().next())).flatten(),
            accepting: states().find(|&node| accepts[node as usize]),
            pairs,
        }
    }
}

/// Whether there are edges between states, and their labels are pairs.
fn all_pairs(graph: &Graph, roles: &Roles) -> bool {
    let syntax = MealySyntax::default();
    let mut is_pair: Vec<Option<bool>> = vec![None; graph.texts.len()];
    let is_state = |node: u32| roles.is_state[node as usize];
    let mut edges = graph.edges.iter();
    let mut between = edges
        .by_ref()
        .filter(|e| is_state(e.source) && is_state(e.target));
    let mut some = false;
    let all = between.all(|edge| {
        some = true;
        edge.label != 0
            && *is_pair[edge.label as usize].get_or_insert_with(|| {
                let text = graph.texts.text(LabelId::new(edge.label));
                syntax.split(text).is_ok()
            })
    });
    some && all
}

/// Which nodes are accepting states: those with a double circle or two
/// peripheries, unless that is how mCRL2 draws the initial state.
pub(super) fn acceptance(graph: &Graph, roles: &Roles) -> Vec<bool> {
    let flags = match roles.of_mcrl2 {
        true => Attributes::ACCEPTING,
        false => Attributes::ACCEPTING | Attributes::TWICE,
    };
    let nodes = graph.nodes.iter().zip(&roles.is_state);
    nodes
        .map(|(node, &is_state)| is_state && node.attributes.is(flags))
        .collect()
}

/// What the file is to be read as, by what the user says and the file tells.
///
/// # Errors
/// If it tells what nothing is said about, or does not tell what is asked for:
/// then the log has errors.
pub(super) fn kind<'a>(
    graph: &Graph,
    roles: &Roles,
    options: &'a ReadOptions,
    places: &Places<'_>,
    log: &mut Log,
) -> Result<Kind<'a>, Failure> {
    let teller = Teller {
        graph,
        roles,
        places,
    };
    match &options.dot.outputs {
        StateOutputs::Refused if options.mealy.is_none() => {
            let shows = Shows::of(graph, roles);
            teller.refuse(&shows, log);
            match (shows.output, shows.accepting) {
                (None, None) => Ok(Kind::Lts),
                _ => Err(Failure::Refused),
            }
        }
        StateOutputs::Ignored => Ok(Kind::Lts),
        StateOutputs::Refused => {
            teller.warn_of_acceptance(log);
            Ok(Kind::Lts)
        }
        StateOutputs::Accepting(label) => Ok(Kind::Accepting(label)),
        StateOutputs::Moore => {
            teller.warn_of_acceptance(log);
            Ok(Kind::Moore(teller.outputs(log)?))
        }
        StateOutputs::Shown => {
            let shows = Shows::of(graph, roles);
            let note = |log: &mut Log, text: &str| {
                log.add(Severity::Note, "dot-outputs", None, || text.into());
            };
            match (shows.output, shows.accepting, shows.pairs) {
                (None, None, _) => Ok(Kind::Lts),
                (None, Some(_), true) => {
                    teller.warn_of_acceptance(log);
                    Ok(Kind::Lts)
                }
                (Some(_), None, false) => {
                    note(log, "a Moore machine: labels of nodes tell outputs");
                    Ok(Kind::Moore(teller.outputs(log)?))
                }
                (None, Some(_), false) => {
                    note(
                        log,
                        "a finite automaton: states answer `accept` or `reject`",
                    );
                    Ok(Kind::Moore(teller.verdicts()?))
                }
                (Some(output), ..) => {
                    let at = teller.place(output);
                    log.add(Severity::Error, "dot-outputs", at, || {
                        format!(
                            "node {} seems to tell an output, and {}: say which counts, with \
                             --moore, --dfa or --mealy",
                            excerpt(graph.names.text(output)),
                            match shows.accepting {
                                Some(_) => "other nodes are accepting",
                                None => "so do the labels of edges",
                            }
                        )
                    });
                    Err(Failure::Refused)
                }
            }
        }
    }
}

struct Teller<'a> {
    graph: &'a Graph,
    roles: &'a Roles,
    places: &'a Places<'a>,
}

impl Teller<'_> {
    /// Where the text of a node's label stands first.
    fn place(&self, node: u32) -> Option<crate::diagnostic::Position> {
        let label = self.graph.nodes[node as usize].attributes.shown();
        let at = self.graph.first.get(label as usize)?;
        (label > 0).then(|| self.places.position(*at))
    }

    fn refuse(&self, shows: &Shows, log: &mut Log) {
        if let Some(node) = shows.output {
            log.add(Severity::Error, "dot-outputs", self.place(node), || {
                format!(
                    "node {} has the label {}, which tells an output, as Moore machines have it: \
                     read a Moore machine with --moore, or an LTS without outputs with \
                     --ignore-outputs",
                    excerpt(self.graph.names.text(node)),
                    excerpt(self.graph.shown(node).unwrap_or_default())
                )
            });
        }
        if let Some(node) = shows.accepting {
            log.add(Severity::Error, "dot-accepting", None, || {
                format!(
                    "node {} has a double circle, as accepting states of finite automata have it: \
                     read a finite automaton with --dfa, where accepting states get a self-loop, or \
                     an LTS without acceptance with --ignore-outputs",
                    excerpt(self.graph.names.text(node))
                )
            });
        }
    }

    fn warn_of_acceptance(&self, log: &mut Log) {
        if acceptance(self.graph, self.roles).contains(&true) {
            log.add(Severity::Warning, "dot-accepting", None, || {
                "accepting states (double circles) are not told from others".into()
            });
        }
    }

    /// The outputs in the labels of the nodes.
    fn outputs(&self, log: &mut Log) -> Result<Outputs, Failure> {
        let mut outputs = self.none();
        let mut is_empty = false;
        for node in 0..self.graph.nodes.len() as u32 {
            if !self.roles.is_state[node as usize] {
                continue;
            }
            match of_node(self.graph, node) {
                Some(told) => {
                    if told.output.is_empty() && !std::mem::replace(&mut is_empty, true) {
                        log.add(
                            Severity::Warning,
                            "mealy-empty-output",
                            self.place(node),
                            || {
                                format!(
                                    "node {} has an empty output",
                                    excerpt(self.graph.names.text(node))
                                )
                            },
                        );
                    }
                    outputs.of[node as usize] = outputs.texts.intern(&told.output)?.get();
                }
                None => log.add(Severity::Error, "dot-no-output", self.place(node), || {
                    format!(
                        "node {} tells no output: expected a label `NAME / OUTPUT`, `NAME|OUTPUT`, \
                         or with the output in a second line",
                        excerpt(self.graph.names.text(node))
                    )
                }),
            }
        }
        match log.errors() {
            0 => Ok(outputs),
            _ => Err(Failure::Refused),
        }
    }

    /// Whether states are accepting, for outputs.
    fn verdicts(&self) -> Result<Outputs, TooLarge> {
        let mut outputs = self.none();
        let accepts = acceptance(self.graph, self.roles);
        for (number, accepts) in outputs.of.iter_mut().zip(accepts) {
            *number = outputs.texts.intern(verdict(accepts))?.get();
        }
        Ok(outputs)
    }

    fn none(&self) -> Outputs {
        Outputs {
            of: vec![0; self.graph.nodes.len()],
            texts: LabelTable::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_in_labels_of_nodes() {
        for (label, name, is_record, expected) in [
            ("s0\nA", "s0", false, Some(("s0", "A"))),
            ("s0\nA\nB\n", "s0", false, Some(("s0", "A B"))),
            ("0 / A", "s0", false, Some(("0", "A"))),
            ("0 / ", "s0", false, Some(("0", ""))),
            ("0 / a|b", "s0", false, Some(("0", "a|b"))),
            ("0 / a / b", "s0", false, Some(("0", "a / b"))),
            ("s0|1", "s0", true, Some(("s0", "1"))),
            ("s0|a / b", "s0", true, Some(("s0", "a / b"))),
            ("s0|a|b", "s0", true, Some(("s0", "a|b"))),
            ("{ A | 0 }", "A", true, Some(("A", "0"))),
            ("{A|{0}}", "A", false, Some(("A", "{0}"))),
            ("idle|x / y", "s0", true, Some(("idle", "x / y"))),
            ("idle|x / y", "s0", false, Some(("idle|x", "y"))),
            ("idle / x|y", "s0", false, Some(("idle", "x|y"))),
            ("idle\nx / y", "s0", false, Some(("idle", "x / y"))),
            ("0/A", "s0", false, Some(("0", "A"))),
            ("\\N|A", "s0", true, Some(("\\N", "A"))),
            ("s0", "s0", false, None),
            ("", "s0", false, None),
            ("s0\n", "s0", false, None),
            ("idle", "s0", true, None),
        ] {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            let told = told(label.as_bytes(), name.as_bytes(), is_record);
            let parts = told.map(|told| (text(told.name), text(&told.output)));
            let expected = expected.map(|(a, b)| (a.to_owned(), b.to_owned()));
            assert_eq!(parts, expected, "{label:?}");
        }
    }
}
