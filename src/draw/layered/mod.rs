//! Layouts in layers: the method of Sugiyama, Tagawa and Toda (1981) with the coordinates of
//! Brandes and Köpf (2001).
//!
//! Edges that lead upwards are turned round for the time of the layout. Each edge becomes a
//! chain with an item in each layer that it crosses; one of these items is its text, so that
//! nothing lies on it. Between two layers of nodes there is one for texts, and there are more
//! where texts would take too much room beside one another.
//!
//! Of the libraries that were tried, one took more than a minute for 300 nodes with 900 edges,
//! and others know neither the ways of edges nor room for texts.

mod narrow;
mod order;
mod place;
mod rank;
mod route;

use crate::graph::{Arc, Graph, LOOP_WIDTH, Placement, Size, TEXT_GAP};

/// What stands in a layer.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Item {
    layer: usize,
    /// How far it reaches to the left and to the right of where its edges pass.
    left: f64,
    right: f64,
    height: f64,
    /// Whether it is a node, and not a part of an edge.
    is_node: bool,
}

/// Nodes and parts of edges in layers. The first items are the nodes.
#[derive(Clone, Debug, Default)]
struct Layers {
    items: Vec<Item>,
    /// The items of each layer, from left to right.
    rows: Vec<Vec<usize>>,
    /// The neighbours of each item in the layer above and in the layer below.
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    /// The items of each edge from top to bottom, its ends included; empty for loops.
    chains: Vec<Vec<usize>>,
    /// The item with the text of each edge, if there is one.
    texts: Vec<Option<usize>>,
}

/// Too many items would be needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMany;

/// How many items there may be.
const MOST_ITEMS: usize = 400_000;

/// Places a graph in layers, the root at the top. About O(s log s) for s places where edges
/// and layers meet; the same every time.
///
/// # Errors
/// If s is more than some hundred thousands.
pub fn layered(graph: &Graph) -> Result<Placement, TooMany> {
    let ranks = rank::ranks(graph);
    let mut layers = layers(graph, &ranks)?;
    order::order(&mut layers);
    let xs = narrow::columns(&layers, place::columns(&layers));
    Ok(route::placement(graph, &layers, &xs))
}

fn layers(graph: &Graph, ranks: &[usize]) -> Result<Layers, TooMany> {
    let loops = loop_sizes(graph);
    let gaps = text_gaps(graph, ranks);
    let starts = starts(graph, &gaps, ranks);
    let mut layers = Layers::default();
    for (node, size) in graph.nodes.iter().enumerate() {
        let Size { width, height } = loops[node];
        layers.items.push(Item {
            layer: starts[ranks[node]],
            left: size.width / 2.0,
            right: size.width / 2.0 + width,
            height: size.height.max(height),
            is_node: true,
        });
    }
    let last = starts.last().copied().unwrap_or(0);
    // How wide the layers of texts have become.
    let mut widths = vec![0.0; last + 1];
    for (arc, gap) in graph.edges.iter().zip(gaps) {
        let [top, bottom] = ends(arc, ranks);
        if top == bottom {
            layers.chains.push(Vec::new());
            layers.texts.push(None);
            continue;
        }
        let (first, end) = (starts[ranks[top]] + 1, starts[ranks[bottom]]);
        let text_layer = gap.and_then(|gap| {
            let those = starts[gap] + 1..starts[gap + 1];
            those.min_by(|&a, &b| f64::total_cmp(&widths[a], &widths[b]))
        });
        let mut chain = vec![top];
        let mut text = None;
        for (layer, width) in widths.iter_mut().enumerate().take(end).skip(first) {
            let mut item = Item {
                layer,
                left: 4.0,
                right: 4.0,
                height: 0.0,
                is_node: false,
            };
            if text_layer == Some(layer) {
                item.right = TEXT_GAP + arc.text.width;
                item.height = arc.text.height;
                *width += arc.text.width + 2.0 * place::GAP;
                text = Some(layers.items.len());
            }
            chain.push(layers.items.len());
            layers.items.push(item);
        }
        if layers.items.len() > MOST_ITEMS {
            return Err(TooMany);
        }
        chain.push(bottom);
        layers.chains.push(chain);
        layers.texts.push(text);
    }
    let items = layers.items.len();
    (layers.above, layers.below) = (vec![Vec::new(); items], vec![Vec::new(); items]);
    for chain in &layers.chains {
        for pair in chain.windows(2) {
            layers.below[pair[0]].push(pair[1]);
            layers.above[pair[1]].push(pair[0]);
        }
    }
    layers.rows = vec![Vec::new(); last + 1];
    Ok(layers)
}

/// The ends of an edge, the upper one first.
fn ends(arc: &Arc, ranks: &[usize]) -> [usize; 2] {
    let mut ends = [arc.source, arc.target];
    ends.sort_by_key(|&end| ranks[end]);
    ends
}

/// The rank below which the text of each edge stands, if it has one: where there is most
/// room.
fn text_gaps(graph: &Graph, ranks: &[usize]) -> Vec<Option<usize>> {
    let mut widths = vec![0.0; ranks.iter().max().map_or(0, |rank| *rank)];
    let gap = |arc: &Arc| {
        let [top, bottom] = ends(arc, ranks);
        if arc.text.width <= 0.0 {
            return None;
        }
        let those = ranks[top]..ranks[bottom];
        let gap = those.min_by(|&a, &b| f64::total_cmp(&widths[a], &widths[b]))?;
        widths[gap] += arc.text.width + 2.0 * place::GAP;
        Some(gap)
    };
    graph.edges.iter().map(gap).collect()
}

/// So wide texts may be beside one another, on the whole, before they get another layer.
const WIDE_TEXTS: f64 = 1_400.0;
/// How many layers of texts there are at most between two ranks.
const MOST_TEXT_LAYERS: usize = 5;

/// The layer of the nodes of each rank. Between two of them there are those of texts.
fn starts(graph: &Graph, gaps: &[Option<usize>], ranks: &[usize]) -> Vec<usize> {
    let mut widths = vec![0.0; ranks.iter().max().map_or(0, |rank| *rank)];
    for (arc, gap) in graph.edges.iter().zip(gaps) {
        if let Some(gap) = gap {
            widths[*gap] += arc.text.width + 2.0 * place::GAP;
        }
    }
    let mut starts = vec![0];
    let mut at = 0;
    for width in widths {
        at += 1 + ((width / WIDE_TEXTS) as usize + 1).min(MOST_TEXT_LAYERS);
        starts.push(at);
    }
    starts
}

/// How much room loops take to the right of each node.
fn loop_sizes(graph: &Graph) -> Vec<Size> {
    let mut sizes = vec![Size::default(); graph.nodes.len()];
    for arc in graph.edges.iter().filter(|arc| arc.source == arc.target) {
        sizes[arc.source] = Size {
            width: LOOP_WIDTH + TEXT_GAP + arc.text.width,
            height: arc.text.height,
        };
    }
    sizes
}
