//! What a graph shows of outputs and acceptance without being asked.

use super::graph::{Attributes, Graph};
use super::initial::Roles;
use super::told::{
    Place, Told, Way, are_names_and_outputs, is_name_like, may_have_outputs, of_node, shared_label,
};
use crate::lts::LabelId;
use crate::mealy::MealySyntax;

/// What a graph shows.
pub(super) struct Shows {
    /// A node with an output.
    pub output: Option<u32>,
    /// A node that is accepting.
    pub accepting: Option<u32>,
    /// Whether all labels of edges are pairs of input and output.
    pub pairs: bool,
    /// What may be outputs, or notes just as well; none in a Mealy machine.
    pub doubt: Option<Doubt>,
}

/// What may be outputs.
pub(super) enum Doubt {
    /// All states have an `xlabel`.
    Beside,
    /// The labels of all states may be names and outputs, but names are not all
    /// different, or all outputs are equal.
    Parts,
    /// These have the same label.
    Shared([u32; 2]),
}

impl Doubt {
    fn of(graph: &Graph, roles: &Roles) -> Option<Self> {
        if may_have_outputs(graph, roles) {
            return Some(Doubt::Parts);
        }
        match Place::of(graph, roles) {
            Place::Beside => Some(Doubt::Beside),
            Place::Attribute | Place::Behind | Place::Alone => {
                shared_label(graph, roles).map(Doubt::Shared)
            }
        }
    }
}

impl Shows {
    pub fn of(graph: &Graph, roles: &Roles) -> Self {
        let accepts = acceptance(graph, roles);
        // nodes that can hardly tell anything but a name and an output; nodes whose
        // label can be one, in one line
        let (mut clear, mut in_line) = (0, 0);
        let mut first = None;
        for node in roles.states() {
            let is_attribute = graph.nodes[node as usize].attributes.output != 0;
            let told = of_node(graph, node);
            let is = |is: &dyn Fn(&Told<'_>) -> bool| told.as_ref().is_some_and(is);
            let is_clear = is_attribute || is(&|told| told.is_clear);
            let is_slash = is(&|told| told.way == Way::Slash && is_name_like(told.name));
            let is_line = is_attribute || !is(&|told| told.way == Way::Lines);
            clear += usize::from(is_clear);
            in_line += usize::from(is_clear && is_line || is_slash);
            if is_clear {
                first.get_or_insert(node);
            }
        }
        let count = roles.states().count();
        let all_alike = in_line == count || are_names_and_outputs(graph, roles);
        let is_likely = clear > 0 || all_alike;
        let doubt = match is_likely {
            true => None,
            false => Doubt::of(graph, roles),
        };
        let is_asked = is_likely || doubt.is_some() || accepts.contains(&true);
        let pairs = is_asked && pairs(graph, roles) == Pairs::All;
        // some nodes of Mealy machines may have notes
        let all = all_alike || clear == count;
        let shows = if pairs { all } else { is_likely };
        Self {
            output: shows
                .then(|| first.or_else(|| roles.states().next()))
                .flatten(),
            accepting: roles.states().find(|&node| accepts[node as usize]),
            pairs,
            doubt: doubt.filter(|_| !pairs),
        }
    }
}

/// How many labels of edges between states are pairs of input and output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pairs {
    /// All, of some edges.
    All,
    /// Some, or there are no edges.
    Some,
    /// None, of some edges.
    None,
}

/// How many labels of edges are pairs.
pub(super) fn pairs(graph: &Graph, roles: &Roles) -> Pairs {
    let syntax = MealySyntax::default();
    let mut is_pair: Vec<Option<bool>> = vec![None; graph.texts.len()];
    let is_state = |node: u32| roles.is_state[node as usize];
    let (mut some, mut others) = (false, false);
    for edge in &graph.edges {
        if !is_state(edge.source) || !is_state(edge.target) {
            continue;
        }
        let is_pair = edge.label != 0
            && *is_pair[edge.label as usize].get_or_insert_with(|| {
                let text = graph.texts.text(LabelId::new(edge.label));
                syntax.split(text).is_ok()
            });
        some |= is_pair;
        others |= !is_pair;
        if some && others {
            break;
        }
    }
    match (some, others) {
        (true, false) => Pairs::All,
        (false, true) => Pairs::None,
        (true, true) | (false, false) => Pairs::Some,
    }
}

/// Which nodes are accepting states: those with a double outline or several
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
