//! What is so of every picture, on random systems.

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use proptest::prelude::*;

use crate::scene::{Edge, Layout, Node, Point, Scene, Shape, StandsFor};
use crate::svg::lines_of;
use crate::{Diagram, Drawing, Joint, draw, text};

const LABELS: [&str; 4] = ["a", "GET !1", "RECV !DATA !PACKET (7, TRUE) !ACK", "i"];

/// Systems with all shapes of the smallest, and some larger ones.
pub(crate) fn systems(most: u32) -> impl Strategy<Value = Lts> {
    (1..most, 0..3 * most).prop_flat_map(|(states, transitions)| {
        let transition = (0..states, 0..LABELS.len(), 0..states);
        let all = proptest::collection::vec(transition, 0..=transitions as usize);
        (all, 0..states).prop_map(move |(all, initial)| {
            let mut builder = LtsBuilder::new(u64::from(states));
            for (source, label, target) in all {
                let label = match LABELS[label] {
                    "i" => LabelId::HIDDEN,
                    text => builder.table_mut().intern(text.as_bytes()).expect("few"),
                };
                builder.add(StateId::new(source), label, StateId::new(target));
            }
            builder.build(StateId::new(initial)).expect("few")
        })
    })
}

fn scene(lts: &Lts, layout: Layout) -> Scene {
    let mut drawing = Drawing::new(lts, "t");
    drawing.layout = Some(layout);
    draw(&drawing).expect("small enough")
}

/// What states may be called: nothing, a letter, several lines, far more than there is room
/// for.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec![0..2_usize, 1..30, 50..120])
        .prop_flat_map(|length| prop::collection::vec("[a-z ,=é日|]", length))
        .prop_map(|letters| letters.concat())
}

/// Networks of some components, of which any do something together.
fn diagrams() -> impl Strategy<Value = Diagram> {
    let components = prop::collection::vec(prop::collection::vec(name(), 1..4), 1..12);
    components.prop_flat_map(|components| {
        let those = prop::collection::btree_set(0..components.len() as u32, 1..4);
        let joint = (those, prop::collection::vec(name(), 1..10), any::<bool>());
        let joint = joint.prop_map(|(components, gates, hidden)| Joint {
            components: components.into_iter().collect(),
            hidden,
            gates,
        });
        let joints = prop::collection::vec(joint, 0..16);
        joints.prop_map(move |joints| Diagram {
            title: "t".to_owned(),
            components: components.clone(),
            joints,
            told: Vec::new(),
        })
    })
}

/// Left, top, right, bottom.
type Area = [f32; 4];

fn area(at: Point, width: f32, height: f32) -> Area {
    let (a, b) = (width / 2.0, height / 2.0);
    [at.x - a, at.y - b, at.x + a, at.y + b]
}

fn area_of(node: &Node) -> Area {
    area(node.at, node.width, node.height)
}

fn text_area(scene: &Scene, edge: &Edge) -> Option<Area> {
    let lines = lines_of(scene, edge);
    let size = text::size(lines.iter().map(String::as_str));
    let at = edge.text_at?;
    Some(area(at, size.width as f32, size.height as f32))
}

/// Whether two areas have more in common than rounding makes.
fn overlap(a: Area, b: Area) -> bool {
    const ROUNDING: f32 = 0.25;
    let common = |low: usize| a[low + 2].min(b[low + 2]) - a[low].max(b[low]);
    common(0) > ROUNDING && common(1) > ROUNDING
}

fn is_within(scene: &Scene, area: Area) -> bool {
    area[0] >= -0.1
        && area[1] >= -0.1
        && area[2] <= scene.width + 0.1
        && area[3] <= scene.height + 0.1
}

/// How far a point is from the border of a node, in parts of its size: 1 is on it.
fn border(node: &Node, at: Point) -> f32 {
    let x = (at.x - node.at.x).abs() / (node.width / 2.0);
    let y = (at.y - node.at.y).abs() / (node.height / 2.0);
    match node.shape {
        Shape::Box => x.max(y),
        Shape::Ellipse | Shape::Dot => x.hypot(y),
    }
}

/// Nodes are apart, edges begin and end at their nodes, and nothing lies outside.
fn is_tidy(scene: &Scene) -> Result<(), TestCaseError> {
    for (k, node) in scene.nodes.iter().enumerate() {
        prop_assert!(is_within(scene, area_of(node)), "node {k}");
        for (other, of) in scene.nodes[..k].iter().enumerate() {
            prop_assert!(
                !overlap(area_of(node), area_of(of)),
                "nodes {k} and {other}"
            );
        }
    }
    for (k, edge) in scene.edges.iter().enumerate() {
        let [first, .., last] = edge.path[..] else {
            return Err(TestCaseError::fail(format!("edge {k} has no way")));
        };
        for (end, node) in [(first, edge.source), (last, edge.target)] {
            let far = border(&scene.nodes[node as usize], end);
            prop_assert!((far - 1.0).abs() < 0.05, "edge {k} ends at {far}");
        }
        for at in points(&edge.path) {
            prop_assert!(is_within(scene, area(at, 0.0, 0.0)), "edge {k} at {at:?}");
        }
        let Some(text) = text_area(scene, edge) else {
            continue;
        };
        prop_assert!(is_within(scene, text), "text of edge {k}");
        for (node, of) in scene.nodes.iter().enumerate() {
            prop_assert!(!overlap(text, area_of(of)), "text {k} on node {node}");
        }
        for (other, of) in scene.edges[..k].iter().enumerate() {
            let of = text_area(scene, of);
            prop_assert!(of.is_none_or(|of| !overlap(text, of)), "texts {k}, {other}");
        }
    }
    Ok(())
}

/// Points along a way: of a straight line its ends, of each Bézier piece some.
fn points(path: &[Point]) -> Vec<Point> {
    if let [_, _] = path {
        return path.to_vec();
    }
    let piece = |ends: &[Point], part: f32| {
        let rest = 1.0 - part;
        let shares = [
            rest * rest * rest,
            3.0 * rest * rest * part,
            3.0 * rest * part * part,
            part * part * part,
        ];
        let sum = |of: fn(&Point) -> f32| ends.iter().map(of).zip(shares).map(|(a, b)| a * b).sum();
        Point {
            x: sum(|at| at.x),
            y: sum(|at| at.y),
        }
    };
    let pieces = (0..path.len() - 1)
        .step_by(3)
        .map(|start| &path[start..start + 4]);
    let all = pieces.flat_map(|ends| (0..=16).map(move |step| piece(ends, step as f32 / 16.0)));
    all.collect()
}

/// Every state is one node, and every transition is counted by the edge of its ends.
fn is_complete(scene: &Scene, lts: &Lts) -> Result<(), TestCaseError> {
    let states = scene.nodes.iter().map(|node| match node.stands_for {
        StandsFor::State(state) => state,
        _ => u32::MAX,
    });
    let mut states: Vec<u32> = states.collect();
    states.sort_unstable();
    prop_assert_eq!(states, (0..lts.states() as u32).collect::<Vec<_>>());
    let mut between = std::collections::BTreeMap::new();
    for (source, _, target) in lts.iter() {
        *between.entry((source.get(), target.get())).or_insert(0) += 1;
    }
    let state = |node: u32| match scene.nodes[node as usize].stands_for {
        StandsFor::State(state) => state,
        _ => u32::MAX,
    };
    let edges = scene.edges.iter();
    let edges = edges.map(|edge| ((state(edge.source), state(edge.target)), edge.transitions));
    let count = scene.edges.len();
    let edges: std::collections::BTreeMap<_, _> = edges.collect();
    prop_assert_eq!(edges.len(), count);
    prop_assert_eq!(edges, between);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn layers_are_tidy(lts in systems(40)) {
        let scene = scene(&lts, Layout::Layered);
        is_tidy(&scene)?;
        is_complete(&scene, &lts)?;
    }

    /// No layer is much narrower than the picture, and its items are apart.
    #[test]
    fn dense_layers_are_narrow(lts in systems(60)) {
        let scene = scene(&lts, Layout::Layered);
        let rows = scene.edges.iter().filter_map(|edge| Some((edge.text_at?, edge)));
        let mut widths = std::collections::BTreeMap::new();
        for (at, edge) in rows {
            let area = text_area(&scene, edge).expect("has a text");
            *widths.entry((at.y * 10.0) as i64).or_insert(0.0) += area[2] - area[0] + 40.0;
        }
        let texts = widths.values().copied().fold(0.0, f32::max);
        let nodes: f32 = scene.nodes.iter().map(|node| node.width + 80.0).sum();
        let edges = 24.0 * scene.edges.len() as f32;
        prop_assert!(scene.width <= 1.6 * (texts + nodes + edges) + 200.0);
    }

    #[test]
    fn forces_are_tidy(lts in systems(40)) {
        let scene = scene(&lts, Layout::Force);
        is_tidy(&scene)?;
        is_complete(&scene, &lts)?;
    }

    /// Nodes are as wide as what is written in them.
    #[test]
    fn named_states_are_tidy(
        lts in systems(30),
        names in prop::collection::vec(name(), 30),
        layout in prop::sample::select(vec![Layout::Layered, Layout::Force]),
    ) {
        let mut drawing = Drawing::new(&lts, "t");
        drawing.layout = Some(layout);
        drawing.states = &names[..lts.states()];
        let scene = draw(&drawing).expect("small enough");
        is_tidy(&scene)?;
        is_complete(&scene, &lts)?;
    }

    /// Each class is one node with its states, and edges are between these.
    #[test]
    fn folded_classes_are_tidy(
        lts in systems(60),
        classes in prop::collection::vec(0..12_u32, 60),
        layout in prop::sample::select(vec![Layout::Layered, Layout::Force]),
    ) {
        let classes = &classes[..lts.states()];
        let mut drawing = Drawing::new(&lts, "t");
        (drawing.layout, drawing.classes, drawing.fold) = (Some(layout), classes, true);
        let scene = draw(&drawing).expect("small enough");
        is_tidy(&scene)?;
        // States without an entry are in no class.
        let fewer = &classes[..lts.states() / 2];
        let none = vec![Drawing::NO_CLASS; lts.states() - fewer.len()];
        let padded = [fewer, &none].concat();
        let [fewer, padded] = [fewer, &padded].map(|classes| {
            draw(&Drawing { classes, ..drawing }).expect("small enough")
        });
        if !fewer.classes.is_empty() {
            prop_assert_eq!(fewer, padded);
        }
        let sizes = scene.nodes.iter().map(|node| match &node.stands_for {
            StandsFor::Cluster(cluster) => cluster.size,
            _ => 0,
        });
        let mut expected = std::collections::BTreeMap::new();
        for class in classes {
            *expected.entry(class).or_insert(0) += 1;
        }
        prop_assert_eq!(sizes.collect::<Vec<u64>>(), expected.into_values().collect::<Vec<_>>());
        let pairs = lts.iter().map(|(a, _, b)| (classes[a.index()], classes[b.index()]));
        let pairs: std::collections::BTreeSet<_> = pairs.collect();
        prop_assert_eq!(scene.edges.len(), pairs.len());
    }

    #[test]
    fn networks_are_tidy(diagram in diagrams()) {
        let scene = diagram.scene();
        is_tidy(&scene)?;
        let parts = diagram.joints.iter().map(|joint| joint.components.len());
        prop_assert_eq!(scene.nodes.len(), diagram.components.len() + diagram.joints.len());
        prop_assert_eq!(scene.edges.len(), parts.sum::<usize>());
    }

    #[test]
    fn groups_are_tidy_and_count_all_states(lts in systems(300)) {
        let scene = scene(&lts, Layout::Clusters);
        is_tidy(&scene)?;
        let sizes = scene.nodes.iter().map(|node| match &node.stands_for {
            StandsFor::Cluster(cluster) => cluster.size,
            _ => 0,
        });
        prop_assert_eq!(sizes.sum::<u64>(), lts.states() as u64);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// As large as they can be with texts in them.
    #[test]
    fn large_pictures_are_tidy(
        lts in systems(300),
        layout in prop::sample::select(vec![Layout::Layered, Layout::Force]),
    ) {
        is_tidy(&scene(&lts, layout))?;
    }

    /// The same input gives the same picture, in every format.
    #[test]
    fn pictures_are_the_same_again(
        lts in systems(400),
        layout in prop::option::of(prop::sample::select(vec![
            Layout::Layered,
            Layout::Force,
            Layout::Clusters,
        ])),
    ) {
        let mut drawing = Drawing::new(&lts, "t");
        drawing.layout = layout;
        let [first, again] = [(); 2].map(|()| draw(&drawing).expect("small enough"));
        prop_assert_eq!(&first, &again);
        for format in [crate::svg, crate::dot, crate::html, Scene::json] {
            prop_assert_eq!(format(&first), format(&again));
        }
    }
}

/// All states lead to all others, with texts that would stand in one row.
#[test]
fn pictures_of_dense_systems_have_no_extreme_shape() {
    let mut builder = LtsBuilder::new(64);
    for k in 0..600u32 {
        let label = format!("LABEL !{k}");
        let (source, target) = (k % 21, 1 + (k * 37 + k / 21) % 63);
        builder
            .add_text(source, label.as_bytes(), target)
            .expect("few");
    }
    let lts = builder.build(StateId::new(0)).expect("few");
    let scene = scene(&lts, Layout::Layered);
    is_tidy(&scene).expect("tidy");
    let ratio = scene.width / scene.height;
    assert!(
        (0.2..5.0).contains(&ratio),
        "{} x {}",
        scene.width,
        scene.height
    );
}

#[test]
fn many_edges_of_few_nodes_are_told_as_the_reason_for_forces() {
    let complete = |states: u32| {
        let mut builder = LtsBuilder::new(u64::from(states));
        for source in 0..states {
            for target in 0..states {
                builder.add_text(source, b"a", target).expect("few");
            }
        }
        builder.build(StateId::new(0)).expect("few")
    };
    let drawn = |lts: &Lts| draw(&Drawing::new(lts, "t")).expect("small enough");
    let sparse = drawn(&complete(34));
    assert_eq!((sparse.layout, sparse.told.len()), (Layout::Layered, 0));
    let dense = drawn(&complete(35));
    assert_eq!(dense.layout, Layout::Force);
    assert_eq!(dense.told[0], "more than 1200 edges: placed by forces");
    // Who has asked for forces knows; what has no room is told in either case.
    assert_eq!(scene(&complete(35), Layout::Force).told, dense.told[1..]);
}

#[test]
fn one_is_singular() {
    let mut builder = LtsBuilder::new(1);
    builder.add_text(0, b"a", 0).expect("few");
    let lts = builder.build(StateId::new(0)).expect("few");
    let svg = crate::svg(&scene(&lts, Layout::Layered));
    assert!(svg.contains("t: 1 state, 1 transition<"));
    let svg = crate::svg(&scene(&lts, Layout::Clusters));
    assert!(svg.contains("1 state, the first 0") && svg.contains("1 transition inside"));
}

#[test]
fn deadlocks_are_squares_and_acceptance_is_a_second_line() {
    let mut builder = LtsBuilder::new(3);
    builder.add_text(0, b"a", 1).expect("few");
    builder.add_text(0, b"b", 2).expect("few");
    let lts = builder.build(StateId::new(0)).expect("few");
    let plain = draw(&Drawing::new(&lts, "t")).expect("small enough");
    let svg = crate::svg(&plain);
    assert_eq!(svg.matches("<rect x=").count(), 2);
    assert!(svg.contains("red squares: deadlocks") && !svg.contains("accepting"));
    assert!(svg.contains(">arrow from nowhere: the initial state<"));
    assert_eq!(svg.matches("<circle").count(), 1);
    let mut drawing = Drawing::new(&lts, "t");
    drawing.kind = crate::scene::Kind::Moore;
    drawing.accepting = &[false, true, true];
    let automaton = draw(&drawing).expect("small enough");
    let svg = crate::svg(&automaton);
    assert_eq!(svg.matches("<rect x=").count(), 0);
    assert_eq!(svg.matches("<circle").count(), 5);
    assert!(svg.contains("double circles: accepting states") && !svg.contains("deadlocks"));
    assert_eq!(crate::dot(&automaton).matches("peripheries=2").count(), 2);
    assert!(!crate::dot(&plain).contains("peripheries"));
    // Among dots too, deadlocks are squares.
    let mut many = plain.clone();
    for node in &mut many.nodes {
        (node.shape, node.lines) = (Shape::Dot, Vec::new());
    }
    let svg = crate::svg(&many);
    assert_eq!(svg.matches("<rect x=").count(), 2);
    assert!(svg.contains(">black: the initial state<"));
}

/// The contrast of two colours, `#rrggbb`, by WCAG 2.
fn contrast(a: &str, b: &str) -> f64 {
    let part = |fill: &str, k: usize| {
        let value = u8::from_str_radix(&fill[k..k + 2], 16).expect("digits");
        let value = f64::from(value) / 255.0;
        match value <= 0.040_45 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        }
    };
    let light =
        |fill: &str| 0.2126 * part(fill, 1) + 0.7152 * part(fill, 3) + 0.0722 * part(fill, 5);
    let (a, b) = (light(a), light(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// All that is written stands out from the ground, and so do edges.
#[test]
fn texts_and_edges_can_be_seen() {
    let mut builder = LtsBuilder::new(3);
    builder.add_text(0, b"a", 1).expect("few");
    builder.add(StateId::new(0), LabelId::HIDDEN, StateId::new(2));
    let lts = builder.build(StateId::new(0)).expect("few");
    let color = |line: &str, name: &str| {
        let (_, rest) = line.split_once(name)?;
        rest.get(..7).map(str::to_owned)
    };
    let svg = crate::svg(&scene(&lts, Layout::Layered));
    let texts = svg.lines().filter(|line| line.starts_with("<text"));
    let inks: Vec<String> = texts.filter_map(|line| color(line, "fill=\"")).collect();
    assert!(inks.len() >= 7, "{svg}");
    for ink in inks {
        assert!(contrast(&ink, "#ffffff") >= 4.5, "{ink}");
    }
    let (light, dark) = crate::html::STYLE
        .split_once("prefers-color-scheme: dark")
        .expect("two schemes");
    for scheme in [light, dark] {
        let of = |name: &str| color(scheme, &format!("--{name}: ")).expect("a colour");
        for (name, least) in [("edge", 3.0), ("hidden", 3.0), ("text", 4.5), ("dim", 4.5)] {
            assert!(contrast(&of(name), &of("ground")) >= least, "{name}");
        }
    }
}

/// No two of the first are alike, and text can be read on each.
#[test]
fn colours_of_classes() {
    use crate::scene::{CLASS_FILLS, CLASS_FILLS_ON_DARK, class_fill};
    assert!(
        CLASS_FILLS
            .iter()
            .all(|fill| contrast(fill, "#000000") > 7.0)
    );
    assert!(
        CLASS_FILLS_ON_DARK
            .iter()
            .all(|fill| contrast(fill, "#ffffff") > 4.5)
    );
    for class in 0..100 {
        let fill = class_fill(class);
        assert!((1..24).all(|k| class_fill(class + k) != fill), "{class}");
    }
}
