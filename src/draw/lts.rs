//! From an LTS to a scene.

use std::fmt;

use hyades_formats::diagnostic::{counted, printable_string};
use hyades_formats::{LabelId, Lts, StateId};
use hyades_lts::reached;

use crate::clusters;
use crate::force::force;
use crate::graph::{Arc, At, Graph, Placement, Size};
use crate::layered::layered;
use crate::part::Part;
use crate::pieces;
use crate::scene::{
    Class, Cluster, Edge, Kind, Label, Layout, Marks, Node, Point, Rows, Scene, Shape, StandsFor,
    Trace,
};
use crate::svg::lines_of;
use crate::text;

/// Up to how many states and edges layers are taken where nothing else was asked for.
const MOST_LAYERED: (usize, usize) = (300, 1_200);
/// The same for forces.
const MOST_FORCE: (usize, usize) = (5_000, 30_000);
/// How many labels are written at an edge.
const MOST_LINES: usize = 5;
/// Up to how many transitions all are given, for stepping.
const MOST_ROWS: usize = 60_000;

/// What is drawn, and how.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// The system. Of a machine, its labels are what is written at edges.
    pub lts: &'a Lts,
    /// Its name.
    pub title: &'a str,
    /// An LTS or a machine.
    pub kind: Kind,
    /// How the hidden action reads.
    pub hidden: &'a str,
    /// The layout, or the one that suits the size.
    pub layout: Option<Layout>,
    /// What is written in each state, [`names`](crate::names) as a rule; no entry for its
    /// number.
    pub states: &'a [String],
    /// Whether each state accepts; no entry for those that do not.
    pub accepting: &'a [bool],
    /// The class of each state; [`Drawing::NO_CLASS`] or no entry for those that are in none.
    pub classes: &'a [u32],
    /// Whether each class becomes one node.
    pub fold: bool,
    /// Parts that are marked.
    pub parts: &'a [Part],
}

impl<'a> Drawing<'a> {
    /// A state that is in no class.
    pub const NO_CLASS: u32 = u32::MAX;

    /// An LTS of this name, in the layout that suits its size, with nothing marked.
    pub const fn new(lts: &'a Lts, title: &'a str) -> Self {
        Self {
            lts,
            title,
            kind: Kind::Lts,
            hidden: "i",
            layout: None,
            states: &[],
            accepting: &[],
            classes: &[],
            fold: false,
            parts: &[],
        }
    }

    /// The class of a state, if it is in one.
    fn class(&self, state: usize) -> Option<u32> {
        let class = self.classes.get(state).copied();
        class.filter(|&class| class != Self::NO_CLASS)
    }
}

/// Why there is no picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawError {
    /// Edges are too many and too long for layers.
    TooManyForLayers {
        /// Whether nodes are few enough for forces.
        fits_forces: bool,
    },
    /// Nodes or edges are too many for forces.
    TooManyForForce,
}

impl fmt::Display for DrawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DrawError::TooManyForLayers { .. } => {
                f.write_str("too many states and edges for layers")
            }
            DrawError::TooManyForForce => {
                write!(f, "more than {FORCE_LIMIT} states are too many for forces")
            }
        }
    }
}

impl std::error::Error for DrawError {}

/// Draws an LTS or a machine. Layers and forces take about O(n log n) for n nodes and
/// edges, groups by rank O(states + transitions); the same for every number of threads.
///
/// # Errors
/// If the layout that was asked for cannot cope with the size.
pub fn scene(drawing: &Drawing) -> Result<Scene, DrawError> {
    let lts = drawing.lts;
    let groups = match drawing.fold && !drawing.classes.is_empty() {
        true => Groups::of_classes(drawing),
        false => Groups::of_states(lts.states()),
    };
    let wanted = drawing.layout;
    let is_small = groups.count <= MOST_FORCE.0;
    let by_rank = || {
        let mut scene = clusters::scene(drawing);
        if groups.is_folded {
            scene
                .told
                .push("groups by rank: classes are not folded".to_owned());
        }
        scene
    };
    if wanted == Some(Layout::Clusters) || wanted.is_none() && !is_small {
        return Ok(by_rank());
    }
    if !is_small && groups.count > FORCE_LIMIT {
        return Err(match wanted {
            Some(Layout::Layered) => DrawError::TooManyForLayers { fits_forces: false },
            Some(Layout::Force | Layout::Clusters) | None => DrawError::TooManyForForce,
        });
    }
    let mut edges = edges(drawing, &groups);
    let (nodes, arcs) = (groups.count, edges.len());
    let layout = match wanted {
        Some(layout) => layout,
        None if nodes <= MOST_LAYERED.0 && arcs <= MOST_LAYERED.1 => Layout::Layered,
        None if arcs <= MOST_FORCE.1 => Layout::Force,
        None => return Ok(by_rank()),
    };
    let mut scene = Scene {
        title: drawing.title.to_owned(),
        kind: drawing.kind,
        layout,
        states: lts.states() as u64,
        transitions: lts.transitions() as u64,
        labels: labels(drawing),
        ..Scene::default()
    };
    // Where there is room for it, there is text.
    let is_detailed = layout == Layout::Layered || nodes <= MOST_LAYERED.0;
    scene.nodes = self::nodes(drawing, &groups, is_detailed);
    if groups.is_folded {
        scene.kind = Kind::Clusters;
        let none = (0..lts.states()).filter(|&state| drawing.class(state).is_none());
        let none = none.count();
        let mut told = format!("each node is a class of states: {}", nodes - none);
        if none > 0 {
            told += &format!(", and {} of none", counted(none, "state"));
        }
        scene.told.push(told);
    }
    scene.edges = std::mem::take(&mut edges);
    if is_detailed {
        break_lines(&mut scene);
    }
    let graph = graph(
        &scene,
        groups.of[lts.initial().index()] as usize,
        is_detailed,
    );
    let placement = match layout {
        Layout::Layered => pieces::placed(&graph, layered).map_err(|_| match wanted {
            Some(_) => DrawError::TooManyForLayers { fits_forces: true },
            None => DrawError::TooManyForForce,
        }),
        Layout::Force | Layout::Clusters => pieces::placed(&graph, |piece| Ok(force(piece))),
    }?;
    place(&mut scene, &placement);
    if !is_detailed {
        scene.told.push(format!(
            "more than {} nodes: placed by forces, labels in tooltips only",
            MOST_LAYERED.0
        ));
    } else if layout == Layout::Force && wanted.is_none() {
        scene.told.push(format!(
            "more than {} edges: placed by forces",
            MOST_LAYERED.1
        ));
    }
    if is_detailed {
        let has_no_room = |edge: &&Edge| !edge.labels.is_empty() && edge.text_at.is_none();
        let count = scene.edges.iter().filter(has_no_room).count();
        if count > 0 {
            let edges = counted(count, "edge");
            let text = format!("the labels of {edges} have no room, and stand in tooltips only");
            scene.told.push(text);
        }
    }
    if !is_detailed || groups.is_folded {
        tell_unreachable(&mut scene, lts);
    }
    finish(&mut scene, drawing, &groups.of);
    Ok(scene)
}

/// Up to how many nodes forces are taken if they are asked for.
pub(crate) const FORCE_LIMIT: usize = 50_000;

/// Which node each state is drawn by.
struct Groups {
    of: Vec<u32>,
    count: usize,
    is_folded: bool,
}

impl Groups {
    fn of_states(states: usize) -> Self {
        Self {
            of: (0..states as u32).collect(),
            count: states,
            is_folded: false,
        }
    }

    /// A node a class, in the order of their numbers, and one for each other state.
    fn of_classes(drawing: &Drawing) -> Self {
        let classes = (0..drawing.lts.states()).map(|state| drawing.class(state));
        let mut used: Vec<u32> = classes.clone().flatten().collect();
        used.sort_unstable();
        used.dedup();
        let mut count = used.len();
        let of = classes.map(|class| {
            let place = class.and_then(|class| used.binary_search(&class).ok());
            let place = place.unwrap_or_else(|| {
                count += 1;
                count - 1
            });
            place as u32
        });
        let of = of.collect();
        Self {
            of,
            count,
            is_folded: true,
        }
    }
}

/// The texts of the labels, by their numbers.
pub(crate) fn labels(drawing: &Drawing) -> Vec<Label> {
    let hidden = Label {
        text: drawing.hidden.to_owned(),
        hidden: true,
        bytes: None,
    };
    let visible = drawing.lts.table().visible().map(|(_, bytes)| {
        let text = label_text(bytes);
        Label {
            bytes: (text.as_bytes() != bytes).then(|| bytes.to_vec()),
            text,
            hidden: false,
        }
    });
    std::iter::once(hidden).chain(visible).collect()
}

/// A visible label as it is shown; the empty one as it stands in files.
pub(crate) fn label_text(bytes: &[u8]) -> String {
    match bytes.is_empty() {
        true => "\"\"".to_owned(),
        false => printable_string(bytes),
    }
}

/// A transition between nodes; those in a marked part come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Between {
    source: u32,
    target: u32,
    mark: u8,
    label: LabelId,
}

const DIFFERS: u8 = 0;
const HIGHLIGHTED: u8 = 1;
const UNMARKED: u8 = 2;

fn edges(drawing: &Drawing, groups: &Groups) -> Vec<Edge> {
    let lts = drawing.lts;
    let mut all = Vec::with_capacity(lts.transitions());
    for (place, (source, label, target)) in lts.iter().enumerate() {
        let marks = drawing.parts.iter().filter(|part| part.transitions[place]);
        let marks = marks.map(|part| if part.differs { DIFFERS } else { HIGHLIGHTED });
        all.push(Between {
            source: groups.of[source.index()],
            target: groups.of[target.index()],
            mark: marks.min().unwrap_or(UNMARKED),
            label,
        });
    }
    all.sort_unstable();
    let same = |a: &Between, b: &Between| (a.source, a.target) == (b.source, b.target);
    let edges = all.chunk_by(same).map(|between| {
        let mut labels: Vec<u32> = Vec::new();
        let mut seen: Vec<u32> = between.iter().map(|b| b.label.get()).collect();
        seen.sort_unstable();
        seen.dedup();
        for label in between.iter().map(|b| b.label.get()) {
            // One more line than there is room for would say no more than the label.
            if labels.len() == MOST_LINES && seen.len() > MOST_LINES {
                break;
            }
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        // They come first.
        let marked = between.iter().filter(|b| b.mark != UNMARKED);
        let marked: Vec<u32> = marked.map(|b| b.label.get()).collect();
        let marked_lines = labels.iter().filter(|l| marked.contains(l)).count() as u32;
        let others = seen.iter().copied().filter(|label| !labels.contains(label));
        Edge {
            source: between[0].source,
            target: between[0].target,
            more: (seen.len() - labels.len()) as u32,
            further: others.take(Edge::MOST_FURTHER).collect(),
            labels,
            marked_lines,
            transitions: between.len() as u64,
            hidden: between.iter().all(|b| b.label == LabelId::HIDDEN),
            highlighted: between.iter().any(|b| b.mark == HIGHLIGHTED),
            differs: between.iter().any(|b| b.mark == DIFFERS),
            ..Edge::default()
        }
    });
    edges.collect()
}

/// Gives the edges their lines, where these are not just the labels.
fn break_lines(scene: &mut Scene) {
    let mut edges = std::mem::take(&mut scene.edges);
    for edge in &mut edges {
        let lines = lines_of(scene, edge);
        // Of the labels, which may take more lines.
        let marked = edge.labels.iter().take(edge.marked_lines as usize);
        let marked = marked.map(|&label| text::wrapped(&scene.labels[label as usize].text).len());
        edge.marked_lines = marked.sum::<usize>() as u32;
        if edge.more > 0 || lines.len() != edge.labels.len() {
            edge.lines = lines;
        }
    }
    scene.edges = edges;
}

/// The marks of a state.
pub(crate) fn marks(drawing: &Drawing, state: usize) -> Marks {
    let lts = drawing.lts;
    let is_in = |differs: bool| {
        let mut parts = drawing.parts.iter().filter(|part| part.differs == differs);
        parts.any(|part| part.states[state])
    };
    Marks {
        initial: lts.initial().index() == state,
        deadlock: drawing.kind == Kind::Lts && lts.row(StateId::new(state as u32)).is_empty(),
        accepting: drawing.accepting.get(state) == Some(&true),
        highlighted: is_in(false),
        differs: is_in(true),
        hidden: false,
    }
}

/// What is so of one of two.
pub(crate) fn either(a: Marks, b: Marks) -> Marks {
    Marks {
        initial: a.initial || b.initial,
        deadlock: a.deadlock || b.deadlock,
        accepting: a.accepting || b.accepting,
        highlighted: a.highlighted || b.highlighted,
        differs: a.differs || b.differs,
        hidden: a.hidden || b.hidden,
    }
}

fn nodes(drawing: &Drawing, groups: &Groups, is_detailed: bool) -> Vec<Node> {
    let states = drawing.lts.states();
    if !groups.is_folded {
        let nodes = (0..states).map(|state| {
            let name = drawing.states.get(state);
            let text = name.cloned().unwrap_or_else(|| state.to_string());
            let lines = text::wrapped(&text);
            let mut node = node(StandsFor::State(state as u32), lines, is_detailed);
            if name.is_some() && node.lines[..] != [text.as_str()] {
                node.full = vec![text];
            }
            node.marks = marks(drawing, state);
            node.class = drawing.class(state);
            shape(&mut node);
            node
        });
        return nodes.collect();
    }
    let mut clusters = vec![Cluster::default(); groups.count];
    let mut all = vec![Marks::default(); groups.count];
    let mut classes = vec![None; groups.count];
    for state in 0..states {
        let node = groups.of[state] as usize;
        let marks = marks(drawing, state);
        let cluster = &mut clusters[node];
        if cluster.size == 0 {
            cluster.least = state as u32;
        }
        cluster.size += 1;
        cluster.deadlocks += u64::from(marks.deadlock);
        let inner = drawing.lts.outgoing(StateId::new(state as u32));
        let inner = inner.filter(|(_, target)| groups.of[target.index()] as usize == node);
        cluster.inner += inner.count() as u64;
        all[node] = either(all[node], marks);
        classes[node] = drawing.class(state);
    }
    let nodes = clusters.into_iter().zip(all).zip(classes);
    let nodes = nodes.map(|((cluster, marks), class)| {
        let name = match class {
            Some(class) => format!("class {class}"),
            None => cluster.least.to_string(),
        };
        let size = counted(cluster.size, "state");
        let mut node = node(StandsFor::Cluster(cluster), vec![name, size], is_detailed);
        (node.marks, node.class) = (marks, class);
        node
    });
    nodes.collect()
}

/// Deadlocks are squares. Among dots, the initial state is a large one.
fn shape(node: &mut Node) {
    match node.shape {
        Shape::Ellipse if node.marks.deadlock => {
            node.shape = Shape::Box;
            let width = text::size(node.lines.iter().map(String::as_str)).width as f32;
            node.width = ((width + 10.0) * 10.0).round() / 10.0;
            node.width = node.width.max(node.height);
        }
        Shape::Dot if node.marks.initial => (node.width, node.height) = (15.0, 15.0),
        Shape::Ellipse | Shape::Dot | Shape::Box => {}
    }
}

/// A node of the size that its lines take.
fn node(stands_for: StandsFor, lines: Vec<String>, is_detailed: bool) -> Node {
    let mut node = Node {
        stands_for,
        at: Point::default(),
        width: 7.0,
        height: 7.0,
        shape: Shape::Dot,
        lines: Vec::new(),
        full: Vec::new(),
        marks: Marks::default(),
        class: None,
    };
    if is_detailed {
        let Size { width, height } = text::size(lines.iter().map(String::as_str));
        let round = |size: f64| (size * 10.0).round() as f32 / 10.0;
        node.height = round((height + 13.0).max(26.0));
        // The corners of the text are to lie in the ellipse.
        node.width = round((width * 1.15 + 10.0).max(f64::from(node.height)));
        node.shape = Shape::Ellipse;
        node.lines = lines;
    }
    node
}

/// What a layout has to know.
pub(crate) fn graph(scene: &Scene, root: usize, with_texts: bool) -> Graph {
    let size = |node: &Node| Size {
        width: f64::from(node.width),
        height: f64::from(node.height),
    };
    let arcs = scene.edges.iter().map(|edge| {
        let text = match with_texts {
            true => text::size(lines_of(scene, edge).iter().map(String::as_str)),
            false => Size::default(),
        };
        Arc {
            source: edge.source as usize,
            target: edge.target as usize,
            text,
        }
    });
    Graph {
        nodes: scene.nodes.iter().map(size).collect(),
        edges: arcs.collect(),
        root,
        boxes: scene
            .nodes
            .iter()
            .map(|node| node.shape == Shape::Box)
            .collect(),
    }
}

/// Puts everything in its place.
pub(crate) fn place(scene: &mut Scene, placement: &Placement) {
    for (node, at) in scene.nodes.iter_mut().zip(&placement.nodes) {
        node.at = at.rounded();
    }
    for (edge, way) in scene.edges.iter_mut().zip(&placement.edges) {
        edge.path = way.path.iter().map(|at| at.rounded()).collect();
        edge.text_at = way.text_at.map(At::rounded);
    }
    let size = At::new(placement.size.width, placement.size.height).rounded();
    (scene.width, scene.height) = (size.x, size.y);
}

/// Adds what is for stepping and for reading, and leaves out labels that nothing has.
pub(crate) fn finish(scene: &mut Scene, drawing: &Drawing, node_of: &[u32]) {
    let lts = drawing.lts;
    scene.classes = classes(drawing.classes);
    let place = |class: u32| {
        let of = |c: &Class| c.name.parse::<u32>().expect("a number");
        scene
            .classes
            .binary_search_by_key(&class, of)
            .ok()
            .map(|place| place as u32)
    };
    for node in &mut scene.nodes {
        node.class = node.class.and_then(place);
    }
    let each = drawing.parts.iter().flat_map(|part| &part.traces);
    let mut traces: Vec<Trace> = each.cloned().collect();
    for step in traces.iter_mut().flat_map(|trace| &mut trace.steps) {
        if step.label == Some(LabelId::HIDDEN.get()) {
            step.text = drawing.hidden.to_owned();
        }
    }
    if lts.transitions() + lts.states() <= MOST_ROWS {
        scene.rows = Some(Rows {
            initial: lts.initial().get(),
            // There are few.
            offsets: lts.offsets().iter().map(|offset| offset as u32).collect(),
            labels: lts.labels().iter().map(|label| label.get()).collect(),
            targets: lts.targets().iter().map(|target| target.get()).collect(),
            nodes: node_of.to_vec(),
            classes: match drawing.classes.is_empty() {
                true => Vec::new(),
                false => (0..lts.states())
                    .map(|state| drawing.class(state).and_then(place).unwrap_or(u32::MAX))
                    .collect(),
            },
        });
    }
    scene.traces = traces;
    keep_used_labels(scene);
    if scene.rows.is_none() {
        keep_shown_classes(scene);
    }
}

/// Tells how many states cannot be reached, where that is not seen, if there are some.
/// O(states + transitions).
pub(crate) fn tell_unreachable(scene: &mut Scene, lts: &Lts) {
    let missed = reached(lts).into_iter().filter(|is_reached| !is_reached);
    let missed = missed.count();
    if missed > 0 {
        let states = counted(missed, "state");
        let text = format!("{states} cannot be reached from the initial one");
        scene.told.push(text);
    }
}

/// Of a system of which states are not told one by one, classes that no node shows are left
/// out: there may be as many as states.
fn keep_shown_classes(scene: &mut Scene) {
    let all = scene.classes.len();
    let mut shown: Vec<u32> = scene.nodes.iter().filter_map(|node| node.class).collect();
    shown.sort_unstable();
    shown.dedup();
    if shown.len() == all {
        return;
    }
    for node in &mut scene.nodes {
        let place = node
            .class
            .and_then(|class| shown.binary_search(&class).ok());
        node.class = place.map(|place| place as u32);
    }
    let classes = std::mem::take(&mut scene.classes);
    scene.classes = shown.iter().map(|&c| classes[c as usize].clone()).collect();
    let of = scene.classes.len();
    scene.told.push(format!("of {all} classes, {of} are shown"));
}

fn classes(of: &[u32]) -> Vec<Class> {
    let mut all: Vec<u32> = of
        .iter()
        .copied()
        .filter(|&c| c != Drawing::NO_CLASS)
        .collect();
    all.sort_unstable();
    let classes = all.chunk_by(|a, b| a == b).map(|class| Class {
        name: class[0].to_string(),
        size: class.len() as u64,
    });
    classes.collect()
}

fn keep_used_labels(scene: &mut Scene) {
    const UNUSED: u32 = u32::MAX;
    let mut new = vec![UNUSED; scene.labels.len()];
    let mut kept = Vec::new();
    let rows = scene.rows.iter_mut().flat_map(|rows| &mut rows.labels);
    let edges = scene
        .edges
        .iter_mut()
        .flat_map(|edge| edge.labels.iter_mut().chain(&mut edge.further));
    let steps = scene.traces.iter_mut().flat_map(|trace| &mut trace.steps);
    let steps = steps.filter_map(|step| step.label.as_mut());
    for label in edges.chain(rows).chain(steps) {
        let old = *label as usize;
        if new[old] == UNUSED {
            new[old] = kept.len() as u32;
            kept.push(scene.labels[old].clone());
        }
        *label = new[old];
    }
    scene.labels = kept;
}
