//! The data of a page: what [`Scene::json`] says, in about a fifth of the bytes.
//!
//! Most nodes differ from one another in their place and their number only, most edges in
//! their ends, labels and ways. What is left of each is its look, and stands once in a table
//! of JSON; the differences stand in one text of numbers. `data.js` makes objects of both
//! again that are those of [`Scene::json`].

use std::collections::HashMap;

use serde::Serialize;

use crate::scene::{Edge, Node, Point, Rows, Scene, StandsFor, Step, Trace};

/// The data as JSON, on one line: the same bytes every time.
pub(super) fn json(scene: &Scene) -> String {
    let Scene {
        title,
        kind,
        layout,
        told,
        states,
        transitions,
        width,
        height,
        labels,
        nodes,
        edges,
        classes,
        traces,
        rows,
    } = scene;
    let data = Data {
        rest: Scene {
            title: title.clone(),
            kind: *kind,
            layout: *layout,
            told: told.clone(),
            states: *states,
            transitions: *transitions,
            width: *width,
            height: *height,
            labels: labels.clone(),
            nodes: Vec::new(),
            edges: Vec::new(),
            classes: classes.clone(),
            traces: traces.iter().map(without_steps).collect(),
            rows: None,
        },
        packed: Packed {
            nodes: of_nodes(nodes),
            edges: of_edges(edges, nodes),
            steps: of_steps(traces),
            rows: rows.as_ref().map(of_rows),
        },
    };
    serde_json::to_string(&data).expect("fields have names, and numbers are finite")
}

#[derive(Serialize)]
struct Data {
    #[serde(flatten)]
    rest: Scene,
    packed: Packed,
}

#[derive(Serialize)]
struct Packed {
    nodes: Items<Node>,
    edges: Items<Edge>,
    /// How many each trace has, and what they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Items<Step>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Numbers>,
}

/// Nodes, edges or steps: how they look, and in `numbers` for each the place of its look, and what
/// is different.
#[derive(Serialize)]
struct Items<T> {
    looks: Vec<T>,
    numbers: Numbers,
}

/// Looks, each once.
struct Looks<T> {
    all: Vec<T>,
    places: HashMap<String, usize>,
}

impl<T: Serialize> Looks<T> {
    fn new() -> Self {
        Self {
            all: Vec::new(),
            places: HashMap::new(),
        }
    }

    fn place(&mut self, look: T) -> usize {
        let text = serde_json::to_string(&look).expect("fields have names");
        *self.places.entry(text).or_insert_with(|| {
            self.all.push(look);
            self.all.len() - 1
        })
    }
}

fn of_nodes(nodes: &[Node]) -> Items<Node> {
    let mut looks = Looks::new();
    let mut numbers = Numbers::default();
    let mut before = 0;
    for node in nodes {
        let state = match node.stands_for {
            StandsFor::State(state) => Some(i64::from(state)),
            StandsFor::Cluster(_) | StandsFor::Component(_) | StandsFor::Gate(_) => None,
        };
        let mut look = node.clone();
        look.at = Point::default();
        if state.is_some() {
            look.stands_for = StandsFor::State(0);
        }
        numbers.push_count(looks.place(look));
        if let Some(state) = state {
            numbers.push_difference(state, &mut before);
        }
        numbers.push_point(node.at, Point::default());
    }
    Items {
        looks: looks.all,
        numbers,
    }
}

fn of_edges(edges: &[Edge], nodes: &[Node]) -> Items<Edge> {
    let mut looks = Looks::new();
    let mut numbers = Numbers::default();
    let (mut source, mut target) = (0, 0);
    for edge in edges {
        let look = Edge {
            source: 0,
            target: 0,
            labels: Vec::new(),
            further: Vec::new(),
            path: Vec::new(),
            text_at: edge.text_at.map(|_| Point::default()),
            ..edge.clone()
        };
        numbers.push_count(looks.place(look));
        numbers.push_difference(i64::from(edge.source), &mut source);
        numbers.push_difference(i64::from(edge.target), &mut target);
        numbers.push_list(&edge.labels);
        // Ends are near to the middles of their nodes, and all else is near to what stands
        // before it.
        let middle = |node: u32| nodes[node as usize].at;
        let mut near = middle(edge.source);
        numbers.push_count(edge.path.len());
        for (place, &point) in edge.path.iter().enumerate() {
            let is_last = place + 1 == edge.path.len();
            let from = if is_last { middle(edge.target) } else { near };
            numbers.push_point(point, from);
            near = point;
        }
        if let Some(at) = edge.text_at {
            numbers.push_point(at, middle(edge.source));
        }
    }
    Items {
        looks: looks.all,
        numbers,
    }
}

fn without_steps(trace: &Trace) -> Trace {
    Trace {
        name: trace.name.clone(),
        steps: Vec::new(),
        ..*trace
    }
}

fn of_steps(traces: &[Trace]) -> Option<Items<Step>> {
    if traces.is_empty() {
        return None;
    }
    let mut looks = Looks::new();
    let mut numbers = Numbers::default();
    for trace in traces {
        numbers.push_count(trace.steps.len());
        for step in &trace.steps {
            let look = Step {
                states: Vec::new(),
                ..step.clone()
            };
            numbers.push_count(looks.place(look));
            numbers.push_list(&step.states);
        }
    }
    Some(Items {
        looks: looks.all,
        numbers,
    })
}

fn of_rows(rows: &Rows) -> Numbers {
    let Rows {
        initial,
        offsets,
        labels,
        targets,
        nodes,
        classes,
    } = rows;
    let mut numbers = Numbers::default();
    numbers.push(i64::from(*initial));
    for column in [offsets, labels, targets, nodes, classes] {
        numbers.push_list(column);
    }
    numbers
}

/// Whole numbers in a text, one after the other, as source maps have them (Base64 VLQ):
/// digits of five bits, the lowest first, with 32 added to all but the last; the lowest bit
/// of the number is its sign. A letter for numbers from -15 to 15, two up to 511.
#[derive(Default, Serialize)]
struct Numbers(String);

/// The letters of the digits.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Numbers {
    fn push(&mut self, number: i64) {
        let mut rest = number.unsigned_abs() << 1 | u64::from(number < 0);
        loop {
            let digit = (rest % 32) as usize;
            rest /= 32;
            let more = if rest > 0 { 32 } else { 0 };
            self.0.push(char::from(DIGITS[digit + more]));
            if rest == 0 {
                return;
            }
        }
    }

    fn push_count(&mut self, count: usize) {
        self.push(count as i64);
    }

    /// How much larger it is than the one before.
    fn push_difference(&mut self, number: i64, before: &mut i64) {
        self.push(number - *before);
        *before = number;
    }

    /// How many there are, and then the differences.
    fn push_list(&mut self, list: &[u32]) {
        self.push_count(list.len());
        let mut before = 0;
        for &number in list {
            self.push_difference(i64::from(number), &mut before);
        }
    }

    /// How far it is from another one, in tenths.
    fn push_point(&mut self, point: Point, from: Point) {
        let tenths = |value: f32| (f64::from(value) * 10.0).round() as i64;
        self.push(tenths(point.x) - tenths(from.x));
        self.push(tenths(point.y) - tenths(from.y));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use hyades_formats::seq::Sequence;
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::scene::Layout;
    use crate::tests::systems;
    use crate::{Diagram, Drawing, Joint, Part, Shown, draw};

    /// The numbers of a text.
    fn numbers(text: &Value) -> impl Iterator<Item = i64> {
        let text = text.as_str().unwrap().to_owned();
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = &text[at..];
            let digit = |c: char| DIGITS.iter().position(|&d| char::from(d) == c).unwrap();
            let end = rest.find(|c| digit(c) < 32)?;
            at += end + 1;
            let digits = rest[..=end].chars().rev().map(digit);
            let whole = digits.fold(0, |whole, digit| whole * 32 + digit as i64 % 32);
            Some(if whole % 2 == 1 {
                -(whole / 2)
            } else {
                whole / 2
            })
        })
    }

    fn list(numbers: &mut impl Iterator<Item = i64>) -> Vec<i64> {
        let length = numbers.next().unwrap();
        let mut number = 0;
        let each = (0..length).map(|_| {
            number += numbers.next().unwrap();
            number
        });
        each.collect()
    }

    /// A point in tenths.
    fn point(numbers: &mut impl Iterator<Item = i64>, [x, y]: [i64; 2]) -> [i64; 2] {
        [x + numbers.next().unwrap(), y + numbers.next().unwrap()]
    }

    fn whole([x, y]: [i64; 2]) -> Value {
        json!([x as f64 / 10.0, y as f64 / 10.0])
    }

    /// What `data.js` makes of the data: the scene as [`Scene::json`] has it.
    pub(in crate::html) fn unpacked(data: Value) -> Value {
        let Value::Object(mut scene) = data else {
            panic!("found {data}")
        };
        let packed = scene.remove("packed").unwrap();
        let look = |of: &str, place: i64| -> Map<String, Value> {
            packed[of]["looks"][place as usize]
                .as_object()
                .unwrap()
                .clone()
        };
        let (mut nodes, mut middles, mut state) = (Vec::new(), Vec::new(), 0);
        let mut read = numbers(&packed["nodes"]["numbers"]);
        while let Some(place) = read.next() {
            let mut node = look("nodes", place);
            if node.contains_key("state") {
                state += read.next().unwrap();
                node.insert("state".into(), json!(state));
            }
            let at = point(&mut read, [0, 0]);
            node.insert("at".into(), whole(at));
            middles.push(at);
            nodes.push(Value::Object(node));
        }
        let (mut edges, mut source, mut target) = (Vec::new(), 0, 0);
        let mut read = numbers(&packed["edges"]["numbers"]);
        while let Some(place) = read.next() {
            let mut edge = look("edges", place);
            source += read.next().unwrap();
            target += read.next().unwrap();
            edge.insert("source".into(), json!(source));
            edge.insert("target".into(), json!(target));
            let labels = list(&mut read);
            if !labels.is_empty() {
                edge.insert("labels".into(), json!(labels));
            }
            let (start, end) = (middles[source as usize], middles[target as usize]);
            let length = read.next().unwrap();
            let mut near = start;
            let path = (1..=length).map(|place| {
                near = point(&mut read, if place == length { end } else { near });
                whole(near)
            });
            edge.insert("path".into(), path.collect());
            if edge.contains_key("text_at") {
                edge.insert("text_at".into(), whole(point(&mut read, start)));
            }
            edges.push(Value::Object(edge));
        }
        scene.insert("nodes".into(), json!(nodes));
        scene.insert("edges".into(), json!(edges));
        if let Some(steps) = packed.get("steps") {
            let mut read = numbers(&steps["numbers"]);
            for trace in scene["traces"].as_array_mut().unwrap() {
                let length = read.next().unwrap();
                let steps = (0..length).map(|_| {
                    let mut step = look("steps", read.next().unwrap());
                    step.insert("states".into(), json!(list(&mut read)));
                    Value::Object(step)
                });
                trace["steps"] = steps.collect();
            }
            assert_eq!(read.next(), None);
        }
        if let Some(rows) = packed.get("rows") {
            let mut read = numbers(rows);
            let initial = read.next().unwrap();
            let mut columns: Map<String, Value> = Map::new();
            columns.insert("initial".into(), json!(initial));
            for name in ["offsets", "labels", "targets", "nodes", "classes"] {
                let column = list(&mut read);
                if name != "classes" || !column.is_empty() {
                    columns.insert(name.into(), json!(column));
                }
            }
            assert_eq!(read.next(), None);
            scene.insert("rows".into(), Value::Object(columns));
        }
        Value::Object(scene)
    }

    fn is_unchanged(scene: &Scene) -> Result<(), TestCaseError> {
        let read: Value = serde_json::from_str(&json(scene)).unwrap();
        let plain: Value = serde_json::from_str(&scene.json()).unwrap();
        prop_assert_eq!(unpacked(read), plain);
        Ok(())
    }

    #[test]
    fn numbers_are_those_of_source_maps() {
        let all = [
            0,
            1,
            -1,
            15,
            -15,
            16,
            -16,
            511,
            512,
            i64::from(u32::MAX),
            -123_456,
        ];
        let mut text = Numbers::default();
        all.into_iter().for_each(|number| text.push(number));
        assert!(text.0.starts_with("ACDefgBhB+f"), "{}", text.0);
        let read: Vec<i64> = numbers(&Value::String(text.0)).collect();
        assert_eq!(read, all);
    }

    #[test]
    fn networks_are_unchanged() {
        let joint = |components: &[u32], hidden| Joint {
            components: components.to_vec(),
            hidden,
            gates: vec!["PUT".into(), "GET".into()],
        };
        let diagram = Diagram {
            title: "net.exp".into(),
            components: vec![vec!["a".into(), "3 states".into()], vec!["b".into()]],
            joints: vec![joint(&[0, 1], false), joint(&[1], true)],
            told: vec!["not all of it".into()],
        };
        is_unchanged(&diagram.scene()).unwrap();
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn systems_are_unchanged(
            lts in systems(40),
            layout in prop::sample::select(vec![Layout::Layered, Layout::Force, Layout::Clusters]),
            named: bool,
            classes in prop::option::of(prop::collection::vec(0..4_u32, 40)),
            fold: bool,
            given in prop::collection::vec(systems(8), 0..3),
        ) {
            let states: Vec<String> = (0..lts.states()).map(|state| format!("S\n{state}")).collect();
            // One class of these is none.
            let none = |class: u32| if class == 3 { Drawing::NO_CLASS } else { class };
            let classes = classes.unwrap_or_default().into_iter().map(none);
            let classes: Vec<u32> = classes.take(lts.states()).collect();
            let mut parts = vec![Part::of(&lts, Shown { lts: &lts, name: "all", differs: fold, sequences: &[] })];
            for other in &given {
                let sequence = |deadlock| Sequence { labels: other.labels().to_vec(), deadlock };
                let several = [sequence(false), sequence(true), Sequence::default()];
                let sequences = if fold { &several[..] } else { &[] };
                let shown = Shown { lts: other, name: "other", differs: named, sequences };
                parts.push(Part::of(&lts, shown));
            }
            let mut drawing = Drawing::new(&lts, "t");
            drawing.layout = Some(layout);
            drawing.states = if named { &states } else { &[] };
            drawing.classes = &classes;
            drawing.fold = fold;
            drawing.parts = &parts;
            is_unchanged(&draw(&drawing).unwrap())?;
        }

    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]

        /// Dots, without texts.
        #[test]
        fn larger_ones_too(lts in systems(1_000)) {
            is_unchanged(&draw(&Drawing::new(&lts, "t")).unwrap())?;
        }
    }
}
