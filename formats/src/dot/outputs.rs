//! What nodes tell of states besides their names: outputs of Moore machines, and
//! acceptance. An LTS has no place for either, so that the user says what
//! becomes of them.

use super::graph::{Attributes, Graph};
use super::initial::Roles;
use super::places::Places;
use super::signs::{Doubt, Pairs, Shows, acceptance, pairs};
use super::told::Place;
use crate::diagnostic::{Log, Position, Severity, excerpt};
use crate::error::Failure;
use crate::lts::{LabelId, LabelTable, TooLarge};
use crate::mealy::{ReadMealy, verdict};
use crate::options::{ReadOptions, StateOutputs};

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
    /// Where they are.
    place: Place,
    /// The number of each node's output among the texts.
    of: Vec<u32>,
    texts: LabelTable,
}

impl Outputs {
    /// The number of a state's output.
    pub fn number(&self, node: u32) -> u32 {
        self.of[node as usize]
    }

    /// The name of a state without its output.
    pub fn name<'a>(&self, graph: &'a Graph, node: u32) -> &'a [u8] {
        self.place.name(graph, node)
    }

    /// The output with this number.
    pub fn text(&self, number: u32) -> &[u8] {
        self.texts.text(LabelId::new(number))
    }
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
            teller.warn_of_doubt(&shows, log);
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
        StateOutputs::Accepting(label) => {
            if Shows::of(graph, roles).output.is_some() {
                log.add(Severity::Warning, "dot-outputs", None, || {
                    "outputs of states, which nodes seem to tell, are not told from others: \
                     --moore reads them"
                        .into()
                });
            }
            Ok(Kind::Accepting(label))
        }
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
                (None, None, _) => {
                    teller.warn_of_doubt(&shows, log);
                    let any = ReadMealy::default();
                    teller.refuse_no_pairs(options.mealy.as_ref().unwrap_or(&any), log)?;
                    Ok(Kind::Lts)
                }
                (None, Some(_), true) => {
                    teller.warn_of_acceptance(log);
                    Ok(Kind::Lts)
                }
                (Some(_), None, false) => {
                    note(log, "a Moore machine: nodes tell outputs");
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
                    let at = teller.place(output, Place::of(graph, roles));
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
    /// Where the text stands first in which a node's output is.
    fn place(&self, node: u32, place: Place) -> Option<Position> {
        self.position(place.text(&self.graph.nodes[node as usize].attributes))
    }

    /// Where a text stands first.
    fn position(&self, text: u32) -> Option<Position> {
        let at = self.graph.first.get(text as usize)?;
        (text > 0).then(|| self.places.position(*at))
    }

    fn refuse(&self, shows: &Shows, log: &mut Log) {
        if let Some(node) = shows.output {
            let place = Place::of(self.graph, self.roles);
            log.add(Severity::Error, "dot-outputs", self.place(node, place), || {
                let attributes = &self.graph.nodes[node as usize].attributes;
                let (what, text) = match (place, attributes.output) {
                    (Place::Attribute, 1..) => ("attribute `output`", attributes.output),
                    _ => ("label", attributes.shown()),
                };
                format!(
                    "node {} has the {what} {}, which tells an output, as Moore machines have it: \
                     read a Moore machine with --moore, or an LTS without outputs with \
                     --ignore-outputs",
                    excerpt(self.graph.names.text(node)),
                    excerpt(self.graph.text(text, node))
                )
            });
        }
        if let Some(node) = shows.accepting {
            log.add(Severity::Error, "dot-accepting", None, || {
                format!(
                    "node {} has {}, as accepting states of finite automata have it: read a \
                     finite automaton with --dfa, where accepting states get a self-loop, or an LTS \
                     without acceptance with --ignore-outputs (and --init NODE if that is what it \
                     marks)",
                    excerpt(self.graph.names.text(node)),
                    match self.graph.nodes[node as usize].attributes.is(Attributes::ACCEPTING) {
                        true => "a double outline",
                        false => "several peripheries",
                    }
                )
            });
        }
    }

    /// Warns of what counts as notes and may be outputs.
    fn warn_of_doubt(&self, shows: &Shows, log: &mut Log) {
        let Some(doubt) = &shows.doubt else {
            return;
        };
        let name = |node: u32| excerpt(self.graph.names.text(node));
        let place = match doubt {
            Doubt::Beside | Doubt::Parts => None,
            Doubt::Shared([_, node]) => self.place(*node, Place::Alone),
        };
        log.add(Severity::Warning, "dot-outputs", place, || {
            let what = match doubt {
                Doubt::Beside => "all nodes have an `xlabel`, which counts as a note".to_owned(),
                Doubt::Parts => {
                    "labels of all nodes have several parts, which count as notes".to_owned()
                }
                Doubt::Shared([one, other]) => format!(
                    "nodes {} and {} have the same label {}, which counts as a note",
                    name(*one),
                    name(*other),
                    excerpt(self.graph.shown(*one).unwrap_or_default())
                ),
            };
            format!(
                "{what}: read outputs of a Moore machine with --moore, or say that they are notes \
                 with --ignore-outputs"
            )
        });
    }

    /// Says how to go on where a machine is wanted, and no label of an edge is a pair.
    fn refuse_no_pairs(&self, mealy: &ReadMealy, log: &mut Log) -> Result<(), Failure> {
        if pairs(self.graph, self.roles) != Pairs::None {
            return Ok(());
        }
        let edge = self.graph.edges.iter().find(|edge| {
            let is_state = |node: u32| self.roles.is_state[node as usize];
            edge.label != 0 && is_state(edge.source) && is_state(edge.target)
        });
        let Some(edge) = edge else {
            // which is told of edges without labels
            return Ok(());
        };
        let at = self.position(edge.label);
        log.add(Severity::Error, "mealy-label", at, || {
            let label = excerpt(self.graph.texts.text(LabelId::new(edge.label)));
            let or = ", or --moore for a Moore machine, or --dfa for a finite automaton";
            mealy.refuse(&label, or)
        });
        Err(Failure::Refused)
    }

    fn warn_of_acceptance(&self, log: &mut Log) {
        if acceptance(self.graph, self.roles).contains(&true) {
            log.add(Severity::Warning, "dot-accepting", None, || {
                "accepting states (double circles) are not told from others".into()
            });
        }
    }

    /// Warns if what counts as the output of each state begins with its name.
    fn warn_of_names(&self, place: Place, log: &mut Log) {
        let begins_with_name = |node: u32| {
            let rest = place
                .output(self.graph, node)?
                .strip_prefix(self.graph.names.text(node))?
                .first()
                .copied()?;
            Some(!rest.is_ascii_alphanumeric())
        };
        let mut states = self.roles.states();
        if states.all(|node| begins_with_name(node) == Some(true)) {
            log.add(Severity::Warning, "dot-outputs", None, || {
                "labels of nodes count as outputs with the names of the nodes that they begin \
                 with: write `NAME / OUTPUT`, `NAME|OUTPUT`, or the output in a second line"
                    .into()
            });
        }
    }

    /// The outputs in the labels of the nodes.
    fn outputs(&self, log: &mut Log) -> Result<Outputs, Failure> {
        let mut outputs = self.none();
        self.warn_of_names(outputs.place, log);
        let mut is_empty = false;
        for node in self.roles.states() {
            match outputs.place.output(self.graph, node) {
                Some(output) => {
                    if output.is_empty() && !std::mem::replace(&mut is_empty, true) {
                        log.add(
                            Severity::Warning,
                            "mealy-empty-output",
                            self.place(node, outputs.place),
                            || {
                                format!(
                                    "node {} has an empty output",
                                    excerpt(self.graph.names.text(node))
                                )
                            },
                        );
                    }
                    outputs.of[node as usize] = outputs.texts.intern(&output)?.get();
                }
                None => log.add(Severity::Error, "dot-no-output", self.place(node, outputs.place), || {
                    format!(
                        "node {} tells no output: expected a label `NAME / OUTPUT`, `NAME|OUTPUT`, \
                         or with the output in a second line; or in all nodes the output alone as \
                         the label, as `xlabel` or as the attribute `output`",
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
            place: Place::of(self.graph, self.roles),
            of: vec![0; self.graph.nodes.len()],
            texts: LabelTable::new(),
        }
    }
}
