//! How the labels of nodes tell outputs of states.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use memchr::{memchr, memmem};

use super::graph::{Attributes, Graph, number_of};
use super::initial::Roles;

/// How an output stands behind the name of its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// `q|out` or `{ q | out }`, fields of a record.
    Record,
    /// In the cells of a table behind the first one, which hold no blanks in HTML.
    Cells,
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
const WAYS: [Way; 6] = [
    Way::Record,
    Way::Cells,
    Way::Lines,
    Way::Slash,
    Way::Bar,
    Way::Tight,
];

/// What a node looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    /// A text in a shape.
    Text,
    /// A record.
    Record,
    /// A table.
    Table,
}

impl Look {
    fn of(attributes: &Attributes) -> Self {
        match () {
            () if attributes.is(Attributes::RECORD) => Look::Record,
            () if attributes.is(Attributes::TABLE) => Look::Table,
            () => Look::Text,
        }
    }
}

/// What the label of a node tells.
pub(super) struct Told<'a> {
    pub name: &'a [u8],
    pub output: Cow<'a, [u8]>,
    pub way: Way,
    /// Whether it can hardly be anything but a name and an output: the first part is
    /// what the node is called, or both are fields of a record.
    pub is_clear: bool,
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
            Way::Cells => b" ",
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

/// A label split each way that a node of this look may have.
fn splits(label: &[u8], look: Look) -> impl Iterator<Item = (Way, &[u8], Cow<'_, [u8]>)> {
    let ways = WAYS.into_iter().filter(move |way| match way {
        Way::Cells => look == Look::Table,
        Way::Record | Way::Lines | Way::Slash | Way::Bar | Way::Tight => true,
    });
    ways.filter_map(move |way| {
        let (name, output) = way.split(label)?;
        Some((way, name, output))
    })
}

/// Whether labels of nodes of this look have fields.
fn has_fields(label: &[u8], look: Look) -> bool {
    look == Look::Record || braced(label).is_some()
}

/// The name of a state and its output in the label of a node with this name. A way
/// by which the first part is what the node is called goes before others.
fn told<'a>(label: &'a [u8], name: &[u8], look: Look) -> Option<Told<'a>> {
    let is_name = |part: &[u8]| {
        !part.is_empty() && (part == name || part == number_of(name) || part == b"\\N")
    };
    let is_usual = |way: Way| way != Way::Record || has_fields(label, look);
    let mut named = splits(label, look).filter(|(_, first, _)| is_name(first));
    let mut usual = splits(label, look).filter(|(way, ..)| is_usual(*way));
    let (way, name, output) = named.next().or_else(|| usual.next())?;
    Some(Told {
        is_clear: is_name(name) || way == Way::Record && look == Look::Record,
        name,
        output,
        way,
    })
}

/// Whether a label of a circle with this name can hardly be anything but the name
/// and an output.
pub(super) fn tells_output(label: &[u8], name: &[u8]) -> bool {
    told(label, name, Look::Text).is_some_and(|told| told.is_clear)
}

/// The output that a label of a node with this name tells in a Moore machine.
pub(super) fn told_again<'a>(label: &'a [u8], name: &[u8], look: Look) -> Option<Cow<'a, [u8]>> {
    told(label, name, look).map(|told| told.output)
}

/// Whether the first part of a label may be the name of a state: no variable with a
/// value.
pub(super) fn is_name_like(part: &[u8]) -> bool {
    !part.is_empty() && !part.contains(&b'=')
}

/// The ways in which a label may be a name and an output.
fn ways(label: &[u8], look: Look) -> [bool; WAYS.len()] {
    let mut ways = [false; WAYS.len()];
    for (way, name, _) in splits(label, look) {
        ways[way as usize] = is_name_like(name);
    }
    ways
}

/// The ways in which all of these labels may be names and outputs.
fn common_ways<'a>(labels: impl Iterator<Item = (Cow<'a, [u8]>, Look)>) -> [bool; WAYS.len()] {
    let mut common = [true; WAYS.len()];
    for (label, look) in labels {
        let here = ways(&label, look);
        common
            .iter_mut()
            .zip(here)
            .for_each(|(all, one)| *all &= one);
        if common == [false; WAYS.len()] {
            break;
        }
    }
    common
}

/// Whether these labels of circles may all be names and outputs in one way.
pub(super) fn are_alike(labels: impl Iterator<Item = Vec<u8>>) -> bool {
    common_ways(labels.map(|label| (label.into(), Look::Text))).contains(&true)
}

/// The ways in which the labels of all states may be names and outputs.
fn ways_of_states(graph: &Graph, roles: &Roles) -> [bool; WAYS.len()] {
    common_ways(roles.states().map(|node| {
        let look = Look::of(&graph.nodes[node as usize].attributes);
        (own_label(graph, node).unwrap_or_default().into(), look)
    }))
}

/// Whether the labels of all states may be names and outputs in one way.
pub(super) fn may_have_outputs(graph: &Graph, roles: &Roles) -> bool {
    ways_of_states(graph, roles).contains(&true)
}

/// The same, where names are all different.
pub(super) fn are_names_and_outputs(graph: &Graph, roles: &Roles) -> bool {
    let common = ways_of_states(graph, roles);
    let mut ways = WAYS.into_iter().filter(|way| common[*way as usize]);
    ways.any(|way| {
        let mut names = HashSet::new();
        let labels = roles.states().filter_map(|node| own_label(graph, node));
        let mut parts = labels.filter_map(|label| way.split(label));
        parts.all(|(name, _)| names.insert(name))
    })
}

/// A label of a node that is neither its name nor the number in it for sure.
fn own_label(graph: &Graph, node: u32) -> Option<&[u8]> {
    match graph.nodes[node as usize].attributes.shown() {
        0 | Attributes::NAME | Attributes::NUMBER => None,
        _ => graph.shown(node),
    }
}

/// The name and the output in the label of a node; none if there is no output.
pub(super) fn of_node(graph: &Graph, node: u32) -> Option<Told<'_>> {
    let attributes = &graph.nodes[node as usize].attributes;
    let label = own_label(graph, node)?;
    told(label, graph.names.text(node), Look::of(attributes))
}

/// Where the outputs of a Moore machine's states are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// In the attribute `output`.
    Attribute,
    /// In the label, behind the name.
    Behind,
    /// In `xlabel`, beside the label.
    Beside,
    /// In the label, without a name.
    Alone,
}

impl Place {
    /// Where the outputs are if the graph is a Moore machine.
    pub fn of(graph: &Graph, roles: &Roles) -> Self {
        let attributes = || {
            let attributes = |node: u32| &graph.nodes[node as usize].attributes;
            roles.states().map(attributes)
        };
        if attributes().any(|attributes| attributes.output != 0) {
            return Place::Attribute;
        }
        let count = roles.states().count();
        let told = || roles.states().filter_map(|node| of_node(graph, node));
        let split = told().count();
        let is_in_labels = split == count && attributes().any(|attributes| attributes.label != 0);
        if is_in_labels || told().any(|told| told.is_clear) {
            return Place::Behind;
        }
        if attributes().all(|attributes| attributes.xlabel != 0) {
            return Place::Beside;
        }
        // who writes some names and outputs has forgotten others
        match split == 0 && are_all_labelled(graph, roles) {
            true => Place::Alone,
            false => Place::Behind,
        }
    }

    /// The output of a state, if it has one.
    pub fn output(self, graph: &Graph, node: u32) -> Option<Cow<'_, [u8]>> {
        match self {
            Place::Behind => of_node(graph, node).map(|told| told.output),
            Place::Alone => graph.shown(node).map(Cow::Borrowed),
            Place::Attribute | Place::Beside => {
                let text = self.text(&graph.nodes[node as usize].attributes);
                (text > 0).then(|| Cow::Borrowed(graph.text(text, node)))
            }
        }
    }

    /// The text that the output of a node is in.
    pub fn text(self, attributes: &Attributes) -> u32 {
        match self {
            Place::Behind | Place::Alone => attributes.shown(),
            Place::Attribute => attributes.output,
            Place::Beside => attributes.xlabel,
        }
    }

    /// The name of a state without its output.
    pub fn name(self, graph: &Graph, node: u32) -> &[u8] {
        let id = graph.names.text(node);
        let name = match self {
            Place::Behind => of_node(graph, node).map(|told| told.name),
            Place::Attribute => graph.shown(node),
            Place::Beside => match graph.nodes[node as usize].attributes.label {
                0 => None,
                label => Some(graph.text(label, node)),
            },
            Place::Alone => None,
        };
        let is_there = |name: &&[u8]| !name.is_empty() && *name != b"\\N";
        name.filter(is_there).unwrap_or(id)
    }
}

/// Whether all states have labels, some of which are others than the names and
/// numbers of their nodes.
fn are_all_labelled(graph: &Graph, roles: &Roles) -> bool {
    if !roles.states().any(|node| own_label(graph, node).is_some()) {
        return false;
    }
    let mut is_other = false;
    let all = roles.states().all(|node| {
        let name = graph.names.text(node);
        graph.shown(node).is_some_and(|label| {
            is_other |= label != name && label != number_of(name) && label != b"\\N";
            true
        })
    });
    all && is_other
}

/// Two states with the same label, where all have one.
pub(super) fn shared_label(graph: &Graph, roles: &Roles) -> Option<[u32; 2]> {
    if !are_all_labelled(graph, roles) {
        return None;
    }
    let mut known = HashMap::new();
    roles
        .states()
        .find_map(|node| Some([known.insert(graph.shown(node), node)?, node]))
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
            let look = match is_record {
                true => Look::Record,
                false => Look::Text,
            };
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            let told = told(label.as_bytes(), name.as_bytes(), look);
            let parts = told.map(|told| (text(told.name), text(&told.output)));
            let expected = expected.map(|(a, b)| (a.to_owned(), b.to_owned()));
            assert_eq!(parts, expected, "{label:?}");
        }
    }
}
