//! Semi-compositions become components: what they are is computed when a network is read.

use std::path::PathBuf;
use std::sync::Arc;

use hyades_explore::{ExploreError, ExploreOptions, Limit, LtsSink, ModelError, Outcome, explore};
use hyades_formats::label::gate;
use hyades_formats::{Lts, Severity, Sink};
use hyades_lts::reachable_states;

use super::compile::{Stop, refuse_special};
use super::components::{Component, ComponentFile};
use super::files::Files;
use super::lex::{Place, SyntaxError};
use super::messages::{Messages, Told};
use super::semi_composition::{SemiComposition, joint_name};
use super::syntax::{Label, Node, NodeId, NodeKind, Syntax};
use super::{Network, NetworkModel, Options, Parts};

/// A network without semi-compositions.
pub(super) struct Resolved {
    pub syntax: Syntax,
    pub files: Vec<Arc<ComponentFile>>,
    pub components: Vec<Component>,
    /// The rule files that operands needed.
    pub rule_files: Vec<PathBuf>,
}

/// Computes the semi-compositions of a network, inner ones first. Operands that are
/// networks are explored: an interface as a whole, a behaviour as far as its interface
/// lets it.
pub(super) fn resolve(
    syntax: &Syntax,
    files: Vec<Arc<ComponentFile>>,
    components: Vec<Component>,
    options: &Options,
    place: &dyn Files,
    messages: &mut Messages,
    sink: &mut Sink<'_>,
) -> Result<Resolved, Stop> {
    let is_semi = |node: &Node| matches!(node.kind, NodeKind::SemiComposition { .. });
    let mut resolver = Resolver {
        resolved: Resolved {
            syntax: Syntax {
                nodes: Vec::new(),
                ..syntax.clone()
            },
            files,
            components: Vec::new(),
            rule_files: Vec::new(),
        },
        starts: Vec::new(),
        options,
        place,
        messages,
        sink,
    };
    if !syntax.nodes.iter().any(is_semi) {
        return Ok(Resolved {
            syntax: syntax.clone(),
            components,
            ..resolver.resolved
        });
    }
    let mut components = components.into_iter();
    // Where each behaviour stands now; of operands that are used up nobody asks.
    let mut now: Vec<NodeId> = Vec::with_capacity(syntax.nodes.len());
    for node in &syntax.nodes {
        let mut node = node.clone();
        for operand in operands(&mut node.kind) {
            *operand = now[*operand as usize];
        }
        if let NodeKind::Component(_) = node.kind {
            let component = components.next();
            let component = component.expect("one for each node that is a component");
            resolver.resolved.components.push(component);
        }
        resolver.add(node)?;
        now.push(resolver.resolved.syntax.nodes.len() as NodeId - 1);
    }
    Ok(resolver.finish())
}

/// The operands of a behaviour.
fn operands(kind: &mut NodeKind) -> Vec<&mut NodeId> {
    match kind {
        NodeKind::Component(_) => Vec::new(),
        NodeKind::Par { operands, .. } => operands.iter_mut().map(|(_, o)| o).collect(),
        NodeKind::Vectors { operands, .. } => operands.iter_mut().collect(),
        NodeKind::Ccs(operands)
        | NodeKind::Mcrl(operands)
        | NodeKind::Alphabets { operands, .. }
        | NodeKind::SemiComposition { operands, .. } => operands.iter_mut().collect(),
        NodeKind::Relabel { operand, .. } | NodeKind::Prio { operand, .. } => vec![operand],
    }
}

struct Resolver<'a, 's> {
    resolved: Resolved,
    /// For each behaviour the first one and the first component that it consists of:
    /// they are neighbours.
    starts: Vec<(usize, usize)>,
    options: &'a Options,
    place: &'a dyn Files,
    messages: &'a mut Messages,
    sink: &'a mut Sink<'s>,
}

/// An operand of a semi-composition.
enum Operand {
    Component(Arc<ComponentFile>),
    Network(Box<Network>),
}

impl Resolver<'_, '_> {
    /// A behaviour whose operands are there already.
    fn add(&mut self, mut node: Node) -> Result<(), Stop> {
        if let NodeKind::SemiComposition {
            gates,
            is_guess,
            operands,
        } = node.kind
        {
            let [behaviour, interface] = operands;
            let name =
                self.compose(node.place, gates.as_deref(), is_guess, behaviour, interface)?;
            node.kind = NodeKind::Component(name);
        }
        let all = operands(&mut node.kind);
        let first = all
            .into_iter()
            .map(|&mut operand| self.starts[operand as usize]);
        let here = (
            self.resolved.syntax.nodes.len(),
            // A component is there before its node.
            self.resolved.components.len() - 1,
        );
        let start = first.min().unwrap_or(here);
        self.starts.push(start);
        self.resolved.syntax.nodes.push(node);
        Ok(())
    }

    /// Replaces two operands, the last ones, by what they become; its name.
    fn compose(
        &mut self,
        place: Place,
        gates: Option<&[Label]>,
        is_guess: bool,
        behaviour: NodeId,
        interface: NodeId,
    ) -> Result<Vec<u8>, Stop> {
        let parameters = self.resolved.syntax.parameters.clone();
        for gate in gates.unwrap_or_default() {
            refuse_special(&parameters, gate)?;
        }
        let (right, right_files, right_name) = self.take(interface)?;
        let (left, left_files, left_name) = self.take(behaviour)?;
        let wrong = |error| stop(place, error);
        let explored;
        let interface = match right {
            Operand::Component(ref file) => &file.lts,
            Operand::Network(network) => {
                explored = self.explored(*network).map_err(wrong)?;
                &explored
            }
        };
        if let Some(gates) = gates {
            self.check(gates, &left, interface);
        }
        let named =
            |text: &[u8]| gates.is_none_or(|gates| gates.iter().any(|g| g.text == gate(text)));
        let theirs = interface.table();
        let mut used = vec![false; theirs.len()];
        let reached = reachable_states(interface);
        for (_, label, _) in interface
            .iter()
            .filter(|step| reached.contains(step.0.index()))
        {
            used[label.index()] = true;
        }
        let occurs = |text: &[u8]| theirs.find(text).is_some_and(|label| used[label.index()]);
        let mut synchronises = |text: &[u8]| {
            parameters.is_termination(text)
                || match gates {
                    Some(_) => named(text),
                    None => occurs(text),
                }
        };
        let composition = SemiComposition {
            interface,
            is_guess,
            limits: self.options.limits,
        };
        let lts = match left {
            Operand::Component(file) => composition.of(&file.lts, &mut synchronises),
            Operand::Network(network) => {
                composition.of(&NetworkModel::new(*network), &mut synchronises)
            }
        };
        let written = [&written(&left_files)[..], b" -|| ", &written(&right_files)].concat();
        let mut paths = left_files
            .iter()
            .chain(&right_files)
            .flat_map(|f| f.paths().cloned());
        let first = paths.next().unwrap_or_default();
        let mut file = ComponentFile::new(&written, first, lts.map_err(wrong)?);
        file.other_paths = paths.collect();
        file.tells_hidden = true;
        file.is_computed = true;
        self.resolved.files.push(Arc::new(file));
        self.resolved.components.push(Component {
            file: self.resolved.files.len() - 1,
            name: format!("{left_name}-||{right_name}"),
        });
        Ok(written)
    }

    /// Takes the last operand away: what it is, its files, and what it is called.
    #[allow(clippy::type_complexity)] // three results, each of a plain type
    fn take(&mut self, root: NodeId) -> Result<(Operand, Vec<Arc<ComponentFile>>, String), Stop> {
        let (node, component) = self.starts[root as usize];
        let mut nodes = self.resolved.syntax.nodes.split_off(node);
        self.starts.truncate(node);
        let components = self.resolved.components.split_off(component);
        let mut files: Vec<Arc<ComponentFile>> = Vec::new();
        let mut numbers: Vec<usize> = Vec::new();
        let mut own = Vec::new();
        for component in &components {
            let known = numbers.iter().position(|&n| n == component.file);
            let file = known.unwrap_or_else(|| {
                numbers.push(component.file);
                files.push(Arc::clone(&self.resolved.files[component.file]));
                files.len() - 1
            });
            own.push(Component {
                file,
                name: component.name.clone(),
            });
        }
        let names: Vec<&str> = components.iter().map(|c| &*c.name).collect();
        let name = joint_name(&names);
        if let [
            Node {
                kind: NodeKind::Component(_),
                ..
            },
        ] = nodes[..]
        {
            return Ok((Operand::Component(Arc::clone(&files[0])), files, name));
        }
        for kind in nodes.iter_mut().map(|node| &mut node.kind) {
            for operand in operands(kind) {
                *operand -= node as NodeId;
            }
        }
        let syntax = Syntax {
            nodes,
            ..self.resolved.syntax.clone()
        };
        let parts = Parts {
            syntax: &syntax,
            options: self.options,
            place: self.place,
        };
        let text = Arc::clone(&syntax.texts[0].name);
        let network = parts.network(
            text,
            files.clone(),
            own,
            Vec::new(),
            self.messages,
            self.sink,
        )?;
        for file in network.rule_files() {
            if !self.resolved.rule_files.contains(file) {
                self.resolved.rule_files.push(file.clone());
            }
        }
        Ok((Operand::Network(Box::new(network)), files, name))
    }

    /// The state space of an interface.
    fn explored(&self, network: Network) -> Result<Lts, ExploreError> {
        let options = ExploreOptions {
            limits: self.options.limits,
            ..ExploreOptions::default()
        };
        let mut sink = LtsSink::new();
        let model = NetworkModel::new(network);
        let found = explore(&model, options, &mut sink)?;
        if found.outcome != Outcome::Complete {
            let text = format!(
                "its interface has more than {} states (--max-states, --max-memory)",
                found.states
            );
            return Err(ModelError::limit(Limit::States, text).into());
        }
        Ok(sink.finish(found.labels.into_owned())?)
    }

    /// Warns of gates that do nothing, or block.
    fn check(&mut self, gates: &[Label], behaviour: &Operand, interface: &Lts) {
        if !self.options.check {
            return;
        }
        let has = |lts: &hyades_formats::LabelTable, label: &Label| {
            lts.visible().any(|(_, text)| gate(text) == label.text)
        };
        for label in gates {
            let own = match behaviour {
                Operand::Component(file) => has(file.lts.table(), label),
                Operand::Network(network) => has(network.labels(), label),
            };
            let text = match (own, has(interface.table(), label)) {
                (true, true) => continue,
                (false, _) => "is no label of the behaviour, which it does not restrict",
                (true, false) => "is cut from the behaviour: the interface never does it",
            };
            self.messages
                .add(Severity::Warning, "exp-alphabet", label.place, || {
                    Told::quoting(|quote| format!("{} {text}", quote(&label.text)))
                });
        }
    }

    /// The network, without files that are used up.
    fn finish(self) -> Resolved {
        let mut resolved = self.resolved;
        let mut number: Vec<Option<usize>> = vec![None; resolved.files.len()];
        let mut files = Vec::new();
        for component in &mut resolved.components {
            let own = *number[component.file].get_or_insert_with(|| {
                files.push(Arc::clone(&resolved.files[component.file]));
                files.len() - 1
            });
            component.file = own;
        }
        resolved.files = files;
        resolved
    }
}

/// What several files are called together.
fn written(files: &[Arc<ComponentFile>]) -> Vec<u8> {
    let names: Vec<&[u8]> = files.iter().map(|file| &file.written[..]).collect();
    match names[..] {
        [one] => one.to_vec(),
        _ => [b"(", &names.join(&b", "[..])[..], b")"].concat(),
    }
}

/// What ends reading when an operand cannot be explored.
fn stop(place: Place, error: ExploreError) -> Stop {
    match error {
        ExploreError::TooLarge(error) => Stop::TooLarge(error),
        ExploreError::Model(error) if error.reached().is_some() => {
            Stop::Limit(format!("a semi-composition: {error}"))
        }
        ExploreError::Model(error) => {
            // Why may be told with labels.
            let what = "this semi-composition cannot be computed";
            let told = Told::hiding(format!("{what}: {error}"), what);
            Stop::Wrong(SyntaxError::new(place, "exp-semi-composition", told))
        }
    }
}
