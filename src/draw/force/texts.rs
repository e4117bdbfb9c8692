//! Where the texts of edges go: beside their lines, and not on one another.

use crate::graph::{At, Graph, Size, TEXT_GAP, Way};

/// Boxes that take room, found by cells of a grid.
struct Taken {
    cells: std::collections::HashMap<(i64, i64), Vec<[f64; 4]>>,
}

const CELL: f64 = 60.0;

impl Taken {
    fn cells_of([left, top, right, bottom]: [f64; 4]) -> impl Iterator<Item = (i64, i64)> {
        let cell = |x: f64| (x / CELL).floor() as i64;
        let columns = cell(left)..=cell(right);
        columns.flat_map(move |x| (cell(top)..=cell(bottom)).map(move |y| (x, y)))
    }

    fn is_free(&self, area: [f64; 4]) -> bool {
        let mut others = Self::cells_of(area)
            .filter_map(|cell| self.cells.get(&cell))
            .flatten();
        !others.any(|other| {
            area[0] < other[2] && other[0] < area[2] && area[1] < other[3] && other[1] < area[3]
        })
    }

    fn add(&mut self, area: [f64; 4]) {
        for cell in Self::cells_of(area) {
            self.cells.entry(cell).or_default().push(area);
        }
    }
}

fn area(middle: At, size: Size) -> [f64; 4] {
    let (a, b) = (size.width / 2.0, size.height / 2.0);
    [middle.x - a, middle.y - b, middle.x + a, middle.y + b]
}

/// Places texts near the middles of their edges; where there is no room at all, the text
/// is left out.
pub fn place(graph: &Graph, at: &[At], ways: &mut [Way]) {
    let mut taken = Taken {
        cells: std::collections::HashMap::new(),
    };
    for (at, &size) in at.iter().zip(&graph.nodes) {
        taken.add(area(*at, size));
    }
    for (arc, way) in graph.edges.iter().zip(ways.iter_mut()) {
        if arc.text.width == 0.0 {
            way.text_at = None;
            continue;
        }
        let candidates = match way.text_at {
            Some(beside) => around(beside, at[arc.source], graph.nodes[arc.source], arc.text),
            None => candidates(way, arc.text),
        };
        let free = candidates
            .into_iter()
            .find(|&at| taken.is_free(area(at, arc.text)));
        way.text_at = free;
        if let Some(at) = free {
            taken.add(area(at, arc.text));
        }
    }
}

/// Places of the text of a loop: beside it, higher and lower, and around the node.
fn around(beside: At, node: At, size: Size, text: Size) -> Vec<At> {
    // No farther, or it would seem to be of another node.
    let mut all: Vec<At> = [0.0, 0.5, -0.5]
        .map(|part| At::new(beside.x, beside.y + part * text.height))
        .to_vec();
    let (wide, high) = (
        f64::midpoint(size.width, text.width) + TEXT_GAP,
        f64::midpoint(size.height, text.height) + TEXT_GAP,
    );
    all.extend([
        At::new(node.x, node.y - high),
        At::new(node.x, node.y + high),
        At::new(node.x - wide, node.y),
    ]);
    all
}

/// Places at the line, from the middle to the ends, and beside it.
fn candidates(way: &Way, text: Size) -> Vec<At> {
    let mut all = Vec::new();
    for side in [0.0, 0.8, -0.8, 1.6, -1.6, 2.4, -2.4] {
        for part in [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8] {
            let (on, along) = on_path(&way.path, part);
            let far = At::default().distance(along).max(1e-9);
            let room = (along.y / far * text.width / 2.0).abs()
                + (along.x / far * text.height / 2.0).abs();
            all.push(At::new(
                on.x + along.y / far * room * side,
                on.y - along.x / far * room * side,
            ));
        }
    }
    all
}

/// The point a part of the way, and the direction there.
fn on_path(path: &[At], t: f64) -> (At, At) {
    match *path {
        [a, b] => (a.towards(b, t), At::new(b.x - a.x, b.y - a.y)),
        [a, b, c, d, ..] => {
            let (ab, bc, cd) = (a.towards(b, t), b.towards(c, t), c.towards(d, t));
            let (abc, bcd) = (ab.towards(bc, t), bc.towards(cd, t));
            (abc.towards(bcd, t), At::new(bcd.x - abc.x, bcd.y - abc.y))
        }
        _ => (At::default(), At::default()),
    }
}
