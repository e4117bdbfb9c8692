//! A scene as SVG.

use std::borrow::Cow;
use std::fmt::Write as _;

use hyades_formats::diagnostic::counted;

use crate::scene::{Edge, Kind, Layout, Marks, Node, Point, Scene, Shape, StandsFor, class_fill};
use crate::text::{LETTERS, LINE, escaped, wrapped};

/// How many classes the legend names.
const NAMED_CLASSES: usize = 12;
const INK: &str = "#333333";
const DEADLOCK: [&str; 2] = ["#f6d6d2", "#8f1f14"];
const HIGHLIGHTED: &str = "#c2500a";
const DIFFERS: &str = "#7a2b9e";
const HIDDEN: &str = "#6b6b6b";
/// From how many edges on one sees through them.
const CROWDED: usize = 1_500;
/// How far within the outline of an accepting state there is another one.
const INNER: f32 = 3.0;

/// How high a line of the legend is.
const ROW: f32 = 16.0;

/// The picture of a scene, with a line of text below it for each thing that is told: the
/// same bytes every time.
pub fn svg(scene: &Scene) -> String {
    let told = told(scene);
    let width = scene.width.max(told_width(&told)).ceil();
    let below = scene.height + told.len() as f32 * ROW;
    let classes = class_legend(scene, Point { x: width, y: below });
    let height = (below + classes.rows as f32 * ROW + 8.0).ceil();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, \
         monospace\" font-size=\"{LETTERS}\">\n<title>{}</title>\n",
        escaped(&scene.title)
    );
    let is_crowded = is_crowded(scene);
    svg += &arrows(scene, is_crowded);
    let _ = writeln!(
        svg,
        "<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>"
    );
    // Where there are many, one sees through them; what is marked lies above.
    let is_marked = |edge: &&Edge| edge.differs || edge.highlighted;
    if is_crowded {
        svg += "<g stroke-opacity=\"0.35\">\n";
    }
    for edge in scene.edges.iter().filter(|edge| !is_marked(edge)) {
        draw_edge(&mut svg, scene, edge);
    }
    if is_crowded {
        svg += "</g>\n";
    }
    for edge in scene.edges.iter().filter(is_marked) {
        draw_edge(&mut svg, scene, edge);
    }
    for (place, node) in scene.nodes.iter().enumerate() {
        draw_node(&mut svg, scene, place, node);
    }
    // Texts of edges lie above all lines.
    for edge in &scene.edges {
        draw_text(&mut svg, scene, edge);
    }
    for (line, (text, ink)) in told.iter().enumerate() {
        let y = scene.height + line as f32 * ROW + 8.0;
        let _ = writeln!(
            svg,
            "<text x=\"12\" y=\"{y}\" fill=\"{ink}\">{}</text>",
            escaped(text)
        );
    }
    svg += &classes.svg;
    svg += "</svg>\n";
    svg
}

/// Whether edges cover so much that one has to see through them.
fn is_crowded(scene: &Scene) -> bool {
    let length = |edge: &Edge| match (edge.path.first(), edge.path.last()) {
        (Some(a), Some(b)) => (a.x - b.x).hypot(a.y - b.y),
        _ => 0.0,
    };
    let covered: f32 = scene.edges.iter().map(length).sum();
    scene.edges.len() > CROWDED && covered > 0.05 * scene.width * scene.height
}

/// Marks of arrows: smaller ones among dots, and as faint as their edges.
fn arrows(scene: &Scene, is_faint: bool) -> String {
    let is_dotted = scene.nodes.iter().any(|node| node.shape == Shape::Dot);
    let size = if is_dotted { 5 } else { 8 };
    let faint = match is_faint {
        true => " fill-opacity=\"0.35\"",
        false => "",
    };
    let mut svg = "<defs>\n".to_owned();
    let kinds = [
        ("a", INK, size, faint),
        ("b", HIGHLIGHTED, size + 1, ""),
        ("c", DIFFERS, size + 1, ""),
        ("h", HIDDEN, size, faint),
    ];
    for (name, fill, size, faint) in kinds {
        let _ = writeln!(
            svg,
            "<marker id=\"{name}\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" \
             markerWidth=\"{size}\" markerHeight=\"{size}\" markerUnits=\"userSpaceOnUse\" \
             orient=\"auto\"><path d=\"M0 1L8 4L0 7z\" fill=\"{fill}\"{faint}/></marker>"
        );
    }
    svg + "</defs>\n"
}

/// What stands below the picture, and in which colour.
fn told(scene: &Scene) -> Vec<(String, &'static str)> {
    let mut told = Vec::new();
    if !scene.title.is_empty() {
        let (things, others) = match scene.kind {
            Kind::Lts | Kind::Mealy | Kind::Moore | Kind::Clusters => ("state", "transition"),
            Kind::Network => ("component", "gate"),
        };
        let text = format!(
            "{}: {}, {}",
            scene.title,
            counted(scene.states, things),
            counted(scene.transitions, others)
        );
        told.push((text, INK));
    }
    told.extend(scene.told.iter().map(|text| (text.clone(), INK)));
    told.extend(legend(scene).map(|(text, ink)| (text.to_owned(), ink)));
    told
}

/// What the marks mean that occur.
fn legend(scene: &Scene) -> impl Iterator<Item = (&'static str, &'static str)> {
    let nodes = |has: fn(&Marks) -> bool| scene.nodes.iter().any(|node| has(&node.marks));
    let edges = |has: fn(&Edge) -> bool| scene.edges.iter().any(has);
    let is_group = |node: &Node| matches!(node.stands_for, StandsFor::Cluster(_));
    let deadlocks = match scene.nodes.iter().any(is_group) {
        true => "red: deadlocks, or groups with some",
        false => "red squares: deadlocks",
    };
    let is_black = |node: &Node| node.marks.initial && colors(node).0 == INK;
    let initial = match scene.nodes.iter().any(is_group) {
        true => "arrow from nowhere: the group of the initial state",
        false if scene.nodes.iter().any(is_black) => "black: the initial state",
        false => "arrow from nowhere: the initial state",
    };
    let lines = [
        (
            nodes(|m| m.initial) && scene.kind != Kind::Network,
            initial,
            INK,
        ),
        (
            nodes(|m| m.accepting),
            "double circles: accepting states",
            INK,
        ),
        (nodes(|m| m.deadlock), deadlocks, DEADLOCK[1]),
        (
            edges(|e| e.hidden) && scene.kind != Kind::Network,
            "dashed: hidden steps",
            HIDDEN,
        ),
        (nodes(|m| m.hidden), "dashed: hidden", HIDDEN),
        (
            nodes(|m| m.highlighted) || edges(|e| e.highlighted),
            "orange: on a trace or in the evidence",
            HIGHLIGHTED,
        ),
        (
            nodes(|m| m.differs) || edges(|e| e.differs),
            "purple: the difference",
            DIFFERS,
        ),
    ];
    let occur = lines.into_iter().filter(|(occurs, ..)| *occurs);
    occur.map(|(_, text, ink)| (text, ink))
}

/// What colour each class has.
#[derive(Default)]
struct ClassLegend {
    svg: String,
    rows: usize,
}

/// The legend of classes, from the height `corner.y` on, in lines as long as `corner.x`.
fn class_legend(scene: &Scene, corner: Point) -> ClassLegend {
    let mut legend = ClassLegend::default();
    let many = scene.classes.len();
    let shown = (0..).zip(&scene.classes).take(NAMED_CLASSES);
    let mut entries: Vec<(String, Option<&str>)> = shown
        .map(|(number, class)| {
            let text = format!("class {}: {}", class.name, counted(class.size, "state"));
            (text, Some(class_fill(number)))
        })
        .collect();
    if many > NAMED_CLASSES {
        entries.push((format!("and {} more", many - NAMED_CLASSES), None));
    }
    let mut x = f32::INFINITY;
    for (text, fill) in &entries {
        let wide = crate::text::size(std::iter::once(text.as_str())).width as f32 + 32.0;
        if x + wide > corner.x {
            x = 12.0;
            legend.rows += 1;
        }
        let y = corner.y + (legend.rows as f32 - 1.0) * ROW + 8.0;
        if let Some(fill) = fill {
            let top = y - 9.0;
            let _ = writeln!(
                legend.svg,
                "<rect x=\"{x}\" y=\"{top}\" width=\"10\" height=\"10\" fill=\"{fill}\" stroke=\"{INK}\"/>"
            );
        }
        let _ = writeln!(
            legend.svg,
            "<text x=\"{}\" y=\"{y}\" fill=\"{INK}\">{}</text>",
            x + 15.0,
            escaped(text)
        );
        x = tenth(x + wide);
    }
    legend
}

fn told_width(told: &[(String, &str)]) -> f32 {
    let size = crate::text::size(told.iter().map(|(text, _)| text.as_str()));
    size.width as f32 + 24.0
}

fn draw_edge(svg: &mut String, scene: &Scene, edge: &Edge) {
    let (ink, mark, width) = match (edge.differs, edge.highlighted, edge.hidden) {
        (true, _, _) => (DIFFERS, "c", 2.0),
        (false, true, _) => (HIGHLIGHTED, "b", 2.0),
        (false, false, true) => (HIDDEN, "h", 1.0),
        (false, false, false) => (INK, "a", 1.0),
    };
    svg.push_str("<path d=\"");
    path(svg, &edge.path);
    let _ = write!(svg, "\" fill=\"none\" stroke=\"{ink}\"");
    if width != 1.0 {
        let _ = write!(svg, " stroke-width=\"{width}\"");
    }
    if edge.hidden {
        svg.push_str(" stroke-dasharray=\"4 3\"");
    }
    if edge.plain {
        svg.push_str(" stroke-opacity=\"0.6\"");
    } else {
        let _ = write!(svg, " marker-end=\"url(#{mark})\"");
    }
    let title = edge_title(scene, edge);
    if title.is_empty() {
        svg.push_str("/>\n");
    } else {
        let _ = writeln!(svg, "><title>{}</title></path>", escaped(&title));
    }
}

/// What a browser shows over an edge whose labels are not all written in full.
fn edge_title(scene: &Scene, edge: &Edge) -> String {
    let is_written = edge.text_at.is_some() || edge.labels.is_empty();
    match is_written && edge.lines.is_empty() {
        true => String::new(),
        false => all_labels(scene, edge),
    }
}

/// The labels of an edge in full, also those that are not written.
pub(crate) fn all_labels(scene: &Scene, edge: &Edge) -> String {
    let labels = edge.labels.iter().chain(&edge.further);
    let texts = labels.map(|&label| &scene.labels[label as usize].text[..]);
    let mut all = texts.collect::<Vec<_>>().join(", ");
    let more = edge.more as usize - edge.further.len();
    if more > 0 {
        let _ = write!(all, ", … ({more} more)");
    }
    all
}

fn path(svg: &mut String, path: &[Point]) {
    let Some(start) = path.first() else { return };
    let _ = write!(svg, "M{} {}", start.x, start.y);
    if let [_, end] = path {
        let _ = write!(svg, "L{} {}", end.x, end.y);
        return;
    }
    for piece in path[1..].chunks(3) {
        let mut command = 'C';
        for point in piece {
            let _ = write!(svg, "{command}{} {}", point.x, point.y);
            command = ' ';
        }
    }
}

fn draw_node(svg: &mut String, scene: &Scene, place: usize, node: &Node) {
    let (fill, ink, width) = colors(node);
    let Point { x, y } = node.at;
    if node.marks.initial && scene.kind != Kind::Network {
        let (top, bottom) = (y - node.height / 2.0 - 20.0, y - node.height / 2.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {top:.1}L{x:.1} {bottom:.1}\" stroke=\"{INK}\" \
             stroke-width=\"1.5\" marker-end=\"url(#a)\"/>"
        );
    }
    let tag = outline(svg, node, 0.0);
    let _ = write!(svg, " fill=\"{fill}\" stroke=\"{ink}\"");
    if width != 1.0 {
        let _ = write!(svg, " stroke-width=\"{width}\"");
    }
    if node.marks.hidden {
        svg.push_str(" stroke-dasharray=\"4 3\"");
    }
    let title = node_title(scene, place, node);
    let _ = match title.is_empty() {
        true => writeln!(svg, "/>"),
        false => writeln!(svg, "><title>{}</title></{tag}>", escaped(&title)),
    };
    if node.marks.accepting {
        outline(svg, node, INNER);
        let _ = writeln!(svg, " fill=\"none\" stroke=\"{ink}\"/>");
    }
    let first = y - (node.lines.len() as f32 - 1.0) * LINE as f32 / 2.0 + 3.8;
    // On the colour of a class, what is marked would be hard to read.
    let ink = match node.class {
        Some(_) => INK,
        None => ink,
    };
    for (line, text) in node.lines.iter().enumerate() {
        let y = tenth(first + line as f32 * LINE as f32);
        let (x, anchor) = match node.shape {
            Shape::Dot => (tenth(x + node.width / 2.0 + 3.0), "start"),
            Shape::Ellipse | Shape::Box => (x, "middle"),
        };
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{ink}\">{}</text>",
            escaped(text)
        );
    }
}

/// Begins the outline of a node, or one so far within it, and gives the name of the element.
fn outline(svg: &mut String, node: &Node, within: f32) -> &'static str {
    let Point { x, y } = node.at;
    let (a, b) = (
        tenth(node.width / 2.0 - within),
        tenth(node.height / 2.0 - within),
    );
    let mut rect = |corners: &str| {
        let (left, top) = (tenth(x - a), tenth(y - b));
        let (wide, high) = (tenth(2.0 * a), tenth(2.0 * b));
        let _ = write!(
            svg,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\"{corners}"
        );
        "rect"
    };
    match node.shape {
        Shape::Dot if node.marks.deadlock => rect(""),
        Shape::Ellipse if node.width != node.height => {
            let _ = write!(svg, "<ellipse cx=\"{x}\" cy=\"{y}\" rx=\"{a}\" ry=\"{b}\"");
            "ellipse"
        }
        Shape::Ellipse | Shape::Dot => {
            let _ = write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{a}\"");
            "circle"
        }
        Shape::Box => rect(" rx=\"4\""),
    }
}

fn colors(node: &Node) -> (Cow<'static, str>, &'static str, f32) {
    let Marks {
        initial,
        deadlock,
        accepting: _,
        highlighted,
        differs,
        hidden,
    } = node.marks;
    let mut fill = match node.class {
        Some(class) => class_fill(class).into(),
        None => "white".into(),
    };
    let (mut ink, mut width) = (if hidden { HIDDEN } else { INK }, 1.0);
    if deadlock {
        ink = DEADLOCK[1];
        if node.class.is_none() {
            fill = DEADLOCK[0].into();
        }
        width = 2.0;
    }
    if initial {
        width = 2.0;
        // A large dot with nothing in it: all other ones are small and light.
        if node.shape == Shape::Dot && node.class.is_none() && !deadlock {
            fill = INK.into();
        }
    }
    if highlighted {
        (ink, width) = (HIGHLIGHTED, 2.5);
    }
    if differs {
        (ink, width) = (DIFFERS, 2.5);
    }
    (fill, ink, width)
}

/// What a browser shows over a node that cannot say it all.
fn node_title(scene: &Scene, _place: usize, node: &Node) -> String {
    let class = node.class.map(|class| &scene.classes[class as usize]);
    let class = class.map_or(String::new(), |class| format!(", class {}", class.name));
    match &node.stands_for {
        StandsFor::State(state) => {
            let number = state.to_string();
            let name = match node.full.is_empty() {
                true => node.lines.join("\n"),
                false => node.full.join("\n"),
            };
            match (name == number || name.is_empty(), class.is_empty()) {
                (true, true) if !node.lines.is_empty() => String::new(),
                (true, _) => format!("state {state}{class}"),
                (false, _) => format!("state {state}: {name}{class}"),
            }
        }
        StandsFor::Component(_) | StandsFor::Gate(_) => node.full.join(", "),
        StandsFor::Cluster(cluster) => {
            let states = counted(cluster.size, "state");
            let mut title = format!("{states}, the first {}", cluster.least);
            if let Some(rank) = cluster.rank {
                let _ = write!(title, ", rank {rank}");
            }
            if cluster.deadlocks > 0 {
                let _ = write!(title, ", {}", counted(cluster.deadlocks, "deadlock"));
            }
            let inner = counted(cluster.inner, "transition");
            let _ = write!(title, ", {inner} inside{class}");
            title
        }
    }
}

/// The lines that are written at an edge, or would be.
pub fn lines_of(scene: &Scene, edge: &Edge) -> Vec<String> {
    if !edge.lines.is_empty() {
        return edge.lines.clone();
    }
    let labels = edge.labels.iter();
    let texts = labels.map(|&label| &scene.labels[label as usize].text);
    let mut lines: Vec<String> = texts.flat_map(|text| wrapped(text)).collect();
    if edge.more > 0 {
        lines.push(format!("+{} more", edge.more));
    }
    lines
}

fn draw_text(svg: &mut String, scene: &Scene, edge: &Edge) {
    let Some(Point { x, y }) = edge.text_at else {
        return;
    };
    let plain = match edge.hidden {
        true => HIDDEN,
        false => "#1f3f77",
    };
    let marked = match edge.differs {
        true => DIFFERS,
        false => HIGHLIGHTED,
    };
    let lines = lines_of(scene, edge);
    let first = y - (lines.len() as f32 - 1.0) * LINE as f32 / 2.0 + 3.8;
    // Several lines begin at one place, so that it is seen where a label goes on.
    let (x, anchor) = match lines.len() {
        0 | 1 => (x, "middle"),
        _ => {
            let size = crate::text::size(lines.iter().map(String::as_str));
            (tenth(x - size.width as f32 / 2.0), "start")
        }
    };
    // Here it may lie on its own line.
    if scene.layout == Layout::Force {
        let size = crate::text::size(lines.iter().map(String::as_str));
        let (wide, high) = (size.width as f32, size.height as f32);
        let Point { x, y } = edge.text_at.unwrap_or_default();
        let (left, top) = (tenth(x - wide / 2.0), tenth(y - high / 2.0));
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\" fill=\"white\" \
             fill-opacity=\"0.8\"/>"
        );
    }
    for (line, text) in lines.iter().enumerate() {
        let y = tenth(first + line as f32 * LINE as f32);
        let ink = match line < edge.marked_lines as usize {
            true => marked,
            false => plain,
        };
        // Spaces at the ends of labels, and several in a row, are theirs.
        let space = match text.contains("  ") || text.trim() != text {
            true => " xml:space=\"preserve\"",
            false => "",
        };
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{ink}\" stroke=\"white\" \
             stroke-width=\"2.5\" paint-order=\"stroke\"{space}>{}</text>",
            escaped(text)
        );
    }
}

fn tenth(value: f32) -> f32 {
    (value * 10.0).round() / 10.0
}
