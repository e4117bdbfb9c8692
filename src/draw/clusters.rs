//! Groups of states by rank: a picture of the whole of a large system.
//!
//! The rank of a state is its distance from the initial state. Two states of a rank are in
//! one group if they are connected through states of this and higher ranks, directions left
//! aside; the groups form a tree, since what is connected above is connected below
//! (F. van Ham, H. van de Wetering and J. J. van Wijk, Interactive visualization of state
//! transition systems, 2002).

use hyades_formats::{Lts, StateId};

use crate::graph::{At, Size};
use crate::lts::{Drawing, either, finish, labels, marks, tell_unreachable};
use crate::scene::{Cluster, Edge, Kind, Layout, Marks, Node, Point, Scene, Shape, StandsFor};
use crate::text;

/// How many groups are drawn at most, and how many ranks.
const MOST_NODES: usize = 1_500;
const MOST_RANKS: u32 = 150;
/// How many groups are drawn at most in a layer.
const MOST_IN_LAYER: u32 = 60;
/// Around the whole, between layers and between neighbours.
const MARGIN: f64 = 30.0;
const LAYER_GAP: f64 = 14.0;
const GAP: f64 = 6.0;

/// The tree of groups of an LTS.
pub(crate) struct Tree {
    /// The group of each state. A group has a higher number than those that it is above.
    pub of: Vec<u32>,
    /// The rank of each group, in steps.
    pub rank: Vec<u32>,
    /// The group below which each hangs; itself, for a root.
    pub parent: Vec<u32>,
    /// How many ranks count as one.
    pub step: u32,
}

/// The scene of an LTS as a tree of discs. O((states + transitions) α).
pub(crate) fn scene(drawing: &Drawing) -> Scene {
    let lts = drawing.lts;
    let tree = tree(lts);
    let facts = facts(drawing, &tree);
    let drawn = Drawn::of(&tree, &facts);
    let mut scene = Scene {
        title: drawing.title.to_owned(),
        kind: Kind::Clusters,
        layout: Layout::Clusters,
        states: lts.states() as u64,
        transitions: lts.transitions() as u64,
        labels: labels(drawing),
        ..Scene::default()
    };
    scene.told = told(&tree, &drawn, scene.states);
    if !drawing.classes.is_empty() {
        let text = "the colour of a group is that of the class that most of its states are in";
        scene.told.push(text.to_owned());
    }
    scene.nodes = drawn
        .groups
        .iter()
        .map(|&group| node(&facts, &drawn, group))
        .collect();
    scene.edges = edges(&tree, &drawn, &facts);
    place(&mut scene, &tree, &drawn);
    let of: Vec<u32> = tree
        .of
        .iter()
        .map(|&group| drawn.place[group as usize])
        .collect();
    tell_unreachable(&mut scene, lts);
    finish(&mut scene, drawing, &of);
    scene
}

fn told(tree: &Tree, drawn: &Drawn, states: u64) -> Vec<String> {
    let groups = tree.parent.len();
    let ranks = tree.rank.iter().max().map_or(0, |rank| rank + 1);
    let mut told = vec![format!(
        "{states} states in {groups} groups by rank: the states at one distance from the initial \
         one that are connected by transitions among states at that distance or farther"
    )];
    if tree.step > 1 {
        told.push(format!("{ranks} layers, each of {} ranks", tree.step));
    }
    if drawn.groups.len() < groups {
        told.push(format!(
            "the {} groups with most states below them are drawn; a box stands for \
             those below it, too, that are not drawn",
            drawn.groups.len()
        ));
    }
    told
}

/// The distance of each state from the initial one; states that cannot be reached count
/// from the first of them.
fn distances(lts: &Lts) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let states = lts.states();
    let mut distances = vec![UNKNOWN; states];
    let mut queue: Vec<StateId> = Vec::with_capacity(states);
    for start in std::iter::once(lts.initial()).chain((0..states as u32).map(StateId::new)) {
        if distances[start.index()] != UNKNOWN {
            continue;
        }
        let mut next = queue.len();
        distances[start.index()] = 0;
        queue.push(start);
        while let Some(&state) = queue.get(next) {
            next += 1;
            for &target in &lts.targets()[lts.row(state)] {
                if distances[target.index()] == UNKNOWN {
                    distances[target.index()] = distances[state.index()] + 1;
                    queue.push(target);
                }
            }
        }
    }
    distances
}

/// Finds the groups, from the highest rank down: the states of a rank and the edges to
/// higher ones join the sets that they touch, and each set that has states of the rank is
/// a group, below which the groups of the sets that it was made of hang.
pub(crate) fn tree(lts: &Lts) -> Tree {
    let states = lts.states();
    let mut ranks = distances(lts);
    let last = ranks.iter().copied().max().unwrap_or(0);
    let step = (last / MOST_RANKS) + 1;
    ranks.iter_mut().for_each(|rank| *rank /= step);
    let last = (last / step) as usize;
    let (starts, by_rank) = placed(last, (0..states as u32).map(|s| (ranks[s as usize], s)));
    // An edge counts at the lower rank of its ends; those of rank or higher targets are
    // found in the row of the source.
    let back = || {
        let sources = (0..states as u32).flat_map(|s| {
            let targets = &lts.targets()[lts.row(StateId::new(s))];
            targets.iter().map(move |t| (s, t.get()))
        });
        let ranks = &ranks;
        sources.filter(move |&(s, t)| ranks[t as usize] < ranks[s as usize])
    };
    let (back_starts, back) = placed(last, back().map(|(s, t)| (ranks[t as usize], (s, t))));
    let mut sets = Sets::new(states);
    // The groups of the last rank that was done, below which nothing hangs yet; by set.
    const NONE: u32 = u32::MAX;
    let mut group_of_set = vec![NONE; states];
    let mut open: Vec<u32> = Vec::new();
    let mut members: Vec<u32> = Vec::new();
    let mut tree = Tree {
        of: vec![NONE; states],
        rank: Vec::new(),
        parent: Vec::new(),
        step,
    };
    for rank in (0..=last).rev() {
        let here = &by_rank[starts[rank]..starts[rank + 1]];
        for &state in here {
            for target in &lts.targets()[lts.row(StateId::new(state))] {
                if ranks[target.index()] as usize >= rank {
                    sets.join(state, target.get());
                }
            }
        }
        for &(source, target) in &back[back_starts[rank]..back_starts[rank + 1]] {
            sets.join(source, target);
        }
        let first = tree.parent.len() as u32;
        for &state in here {
            let set = sets.find(state) as usize;
            // What is written there from higher ranks is no group of this one.
            if group_of_set[set] == NONE || group_of_set[set] < first {
                group_of_set[set] = tree.parent.len() as u32;
                tree.parent.push(group_of_set[set]);
                tree.rank.push(rank as u32);
                members.push(state);
            }
            tree.of[state as usize] = group_of_set[set];
        }
        // The groups of the rank above hang below those of their sets; others stay open.
        open.retain(|&above| {
            let set = sets.find(members[above as usize]) as usize;
            let below = group_of_set[set];
            let is_found = below != NONE && below >= first;
            if is_found {
                tree.parent[above as usize] = below;
            }
            !is_found
        });
        open.extend(first..tree.parent.len() as u32);
    }
    tree
}

/// Things sorted by rank: where each rank starts, and the things.
fn placed<T: Copy + Default>(
    last: usize,
    things: impl Iterator<Item = (u32, T)> + Clone,
) -> (Vec<usize>, Vec<T>) {
    let mut starts = vec![0; last + 2];
    for (rank, _) in things.clone() {
        starts[rank as usize + 1] += 1;
    }
    for rank in 0..=last {
        starts[rank + 1] += starts[rank];
    }
    let mut next = starts.clone();
    let mut all = vec![T::default(); starts[last + 1]];
    for (rank, thing) in things {
        all[next[rank as usize]] = thing;
        next[rank as usize] += 1;
    }
    (starts, all)
}

/// Disjoint sets, joined.
struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    fn new(count: usize) -> Self {
        Self {
            parent: (0..count as u32).collect(),
        }
    }

    fn find(&mut self, mut member: u32) -> u32 {
        while self.parent[member as usize] != member {
            let next = self.parent[member as usize];
            self.parent[member as usize] = self.parent[next as usize];
            member = next;
        }
        member
    }

    /// The smaller number stands for both, so that the result depends on nothing else.
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high as usize] = low;
    }
}

/// What is so of each group.
struct Facts {
    groups: Vec<Cluster>,
    marks: Vec<Marks>,
    /// How many transitions lead to each group from the one below which it hangs.
    into: Vec<u64>,
    /// How many states are in each group and those above it, and whether one of these is
    /// marked.
    all: Vec<u64>,
    all_marks: Vec<Marks>,
    /// The class that most states of each group are in.
    class: Vec<Option<u32>>,
}

fn facts(drawing: &Drawing, tree: &Tree) -> Facts {
    let lts = drawing.lts;
    let count = tree.parent.len();
    let mut groups = vec![Cluster::default(); count];
    let mut all_marks = vec![Marks::default(); count];
    let mut into = vec![0; count];
    for state in 0..lts.states() {
        let number = tree.of[state] as usize;
        let group = &mut groups[number];
        if group.size == 0 {
            group.least = state as u32;
            group.rank = Some(tree.rank[number] * tree.step);
        }
        group.size += 1;
        let marks = marks(drawing, state);
        group.deadlocks += u64::from(marks.deadlock);
        all_marks[number] = either(all_marks[number], marks);
        for target in &lts.targets()[lts.row(StateId::new(state as u32))] {
            let target = tree.of[target.index()] as usize;
            groups[number].inner += u64::from(target == number);
            let is_above = target != number && tree.parent[target] as usize == number;
            into[target] += u64::from(is_above);
        }
    }
    let marks = all_marks.clone();
    let mut all: Vec<u64> = groups.iter().map(|group| group.size).collect();
    for number in 0..count {
        let below = tree.parent[number] as usize;
        if below != number {
            all[below] += all[number];
            all_marks[below] = either(all_marks[below], all_marks[number]);
        }
    }
    Facts {
        groups,
        marks,
        into,
        all,
        all_marks,
        class: main_classes(drawing, tree),
    }
}

/// The class that most states of each group are in; of several, the one with the smallest
/// number. States without a class do not count.
fn main_classes(drawing: &Drawing, tree: &Tree) -> Vec<Option<u32>> {
    let mut main = vec![None; tree.parent.len()];
    let all = tree.of.iter().zip(drawing.classes);
    let known = all.filter(|&(_, &class)| class != Drawing::NO_CLASS);
    let mut pairs: Vec<(u32, u32)> = known.map(|(&group, &class)| (group, class)).collect();
    pairs.sort_unstable();
    let mut most = vec![0; tree.parent.len()];
    for same in pairs.chunk_by(|a, b| a == b) {
        let (group, class) = same[0];
        if same.len() > most[group as usize] {
            (most[group as usize], main[group as usize]) = (same.len(), Some(class));
        }
    }
    main
}

/// The groups that are drawn.
struct Drawn {
    /// Their numbers, from the roots upwards.
    groups: Vec<u32>,
    /// The node by which each group is drawn: its own, or the one below it.
    place: Vec<u32>,
    /// Whether each node stands for all that is above it too.
    is_whole: Vec<bool>,
    /// The drawn groups that hang below each node, as nodes, the largest in the middle.
    above: Vec<Vec<u32>>,
    /// How many states are in trees of which nothing is drawn: the first node counts them.
    rest: u64,
}

impl Drawn {
    /// Those with most states above them.
    fn of(tree: &Tree, facts: &Facts) -> Self {
        let count = tree.parent.len();
        let mut sorted: Vec<u32> = (0..count as u32).collect();
        let is_marked = |group: u32| {
            let marks = facts.all_marks[group as usize];
            marks.initial || marks.highlighted || marks.differs
        };
        // A group comes after what it hangs below: that has more states, and a lower rank.
        sorted.sort_by_key(|&group| {
            let at = group as usize;
            (
                !is_marked(group),
                u64::MAX - facts.all[at],
                tree.rank[at],
                group,
            )
        });
        // As many of a layer as can be told apart.
        let mut in_layer = vec![0; tree.rank.iter().max().map_or(0, |&last| last as usize + 1)];
        let mut is_drawn = vec![false; count];
        let mut groups = sorted;
        groups.retain(|&group| {
            let at = group as usize;
            let below = tree.parent[at] as usize;
            let layer = &mut in_layer[tree.rank[at] as usize];
            is_drawn[at] = *layer < MOST_IN_LAYER && (below == at || is_drawn[below]);
            *layer += u32::from(is_drawn[at]);
            is_drawn[at]
        });
        groups.truncate(MOST_NODES);
        groups.sort_by_key(|&group| std::cmp::Reverse(group));
        const NONE: u32 = u32::MAX;
        let mut place = vec![NONE; count];
        for (node, &group) in groups.iter().enumerate() {
            place[group as usize] = node as u32;
        }
        let mut above = vec![Vec::new(); groups.len()];
        let mut is_whole = vec![false; groups.len()];
        let mut rest = 0;
        for group in (0..count).rev() {
            let below = tree.parent[group] as usize;
            if place[group] == NONE {
                // Roots beyond the limit have no node below: the first one takes them.
                place[group] = if below == group { 0 } else { place[below] };
                rest += if below == group { facts.all[group] } else { 0 };
                is_whole[place[group] as usize] = true;
            } else if below != group {
                above[place[below] as usize].push(place[group]);
            }
        }
        let mut heights = vec![0; groups.len()];
        for node in (0..groups.len()).rev() {
            let above = above[node].iter().map(|&a| heights[a as usize] + 1);
            heights[node] = above.max().unwrap_or(0);
        }
        for list in &mut above {
            let size = |node: u32| facts.all[groups[node as usize] as usize];
            let largest = list.iter().copied().max_by_key(|&node| (size(node), node));
            // The largest comes last, and before it those that leave most room beside what is
            // above it.
            list.sort_by_key(|&node| {
                let height = std::cmp::Reverse(heights[node as usize]);
                (Some(node) == largest, height, size(node), node)
            });
            // The first ones to both sides, in turn.
            let (mut left, mut right) = (Vec::new(), Vec::new());
            for (number, &node) in list.iter().enumerate() {
                if number % 2 == 0 {
                    left.push(node)
                } else {
                    right.push(node)
                }
            }
            left.extend(right.into_iter().rev());
            *list = left;
        }
        Self {
            groups,
            place,
            is_whole,
            above,
            rest,
        }
    }
}

fn node(facts: &Facts, drawn: &Drawn, group: u32) -> Node {
    let number = group as usize;
    let node = drawn.place[number] as usize;
    let mut cluster = facts.groups[number].clone();
    let is_whole = drawn.is_whole[node];
    if is_whole {
        let shown = drawn.above[node]
            .iter()
            .map(|&a| facts.all[drawn.groups[a as usize] as usize]);
        cluster.below = facts.all[number] - cluster.size - shown.sum::<u64>();
        cluster.below += if node == 0 { drawn.rest } else { 0 };
        cluster.size += cluster.below;
    }
    // An area in proportion to the states, within limits.
    let size = (4.0
        + 3.0
            * (cluster.size as f64)
                .sqrt()
                .min(4.0 + (cluster.size as f64).ln() * 2.2))
    .min(90.0);
    let mut lines = vec![cluster.size.to_string()];
    let room = text::size(lines.iter().map(String::as_str));
    if room.width + 6.0 > size {
        lines.clear();
    }
    let size = (size * 10.0).round() as f32 / 10.0;
    Node {
        stands_for: StandsFor::Cluster(cluster),
        at: Point::default(),
        width: size,
        height: size,
        shape: if is_whole { Shape::Box } else { Shape::Ellipse },
        lines,
        marks: if is_whole {
            whole_marks(facts, drawn, number)
        } else {
            facts.marks[number]
        },
        full: Vec::new(),
        class: facts.class[number],
    }
}

/// The marks of a group and of all that is above it and not drawn.
fn whole_marks(facts: &Facts, drawn: &Drawn, group: usize) -> Marks {
    let node = drawn.place[group];
    match drawn.above[node as usize].is_empty() {
        true => facts.all_marks[group],
        // What is above and drawn has its own marks.
        false => facts.marks[group],
    }
}

fn edges(tree: &Tree, drawn: &Drawn, facts: &Facts) -> Vec<Edge> {
    let mut edges = Vec::with_capacity(drawn.groups.len());
    for (node, &group) in drawn.groups.iter().enumerate() {
        let below = tree.parent[group as usize];
        if below != group {
            let marks = facts.all_marks[group as usize];
            edges.push(Edge {
                source: drawn.place[below as usize],
                target: node as u32,
                transitions: facts.into[group as usize],
                highlighted: marks.highlighted,
                differs: marks.differs,
                plain: true,
                ..Edge::default()
            });
        }
    }
    edges
}

/// Layers from top to bottom by rank; each node stands in the middle above its tree.
fn place(scene: &mut Scene, tree: &Tree, drawn: &Drawn) {
    let count = drawn.groups.len();
    let size = |node: usize| f64::from(scene.nodes[node].width);
    let rank = |node: usize| tree.rank[drawn.groups[node] as usize] as usize;
    let mut heights = vec![0.0; (0..count).map(rank).max().map_or(0, |last| last + 1)];
    for node in 0..count {
        heights[rank(node)] = f64::max(heights[rank(node)], size(node));
    }
    let mut tops = Vec::with_capacity(heights.len());
    let mut y = MARGIN;
    for height in &heights {
        tops.push(y + height / 2.0);
        y += height + LAYER_GAP;
    }
    let ranks: Vec<usize> = (0..count).map(rank).collect();
    let sizes: Vec<f64> = (0..count).map(size).collect();
    let (xs, x) = columns(&ranks, &sizes, &drawn.above);
    let at: Vec<At> = (0..count)
        .map(|node| At::new(xs[node] + MARGIN, tops[rank(node)]))
        .collect();
    for (node, at) in scene.nodes.iter_mut().zip(&at) {
        node.at = at.rounded();
    }
    let end = Size {
        width: x + 2.0 * MARGIN,
        height: y + MARGIN,
    };
    for edge in &mut scene.edges {
        let ends = [edge.source as usize, edge.target as usize];
        let [from, to] = ends.map(|node| at[node]);
        let half = |node: usize| f64::from(scene.nodes[node].height) / 2.0;
        let start = At::new(from.x, from.y + half(ends[0]));
        let end = At::new(to.x, to.y - half(ends[1]));
        let bend = (end.y - start.y) / 2.0;
        let way = [
            start,
            At::new(start.x, start.y + bend),
            At::new(end.x, end.y - bend),
            end,
        ];
        edge.path = way.iter().map(|at| at.rounded()).collect();
    }
    (scene.width, scene.height) = (end.width as f32, end.height as f32);
}

/// Where the trees above a node reach in each layer, from that of the node on, to the left and
/// to the right of it; to nowhere in layers without a node.
struct Outline {
    first: usize,
    sides: Vec<(f64, f64)>,
}

impl Outline {
    /// How far the node of `right` has to be from that of `self`, so that they do not meet.
    fn distance(&self, right: &Self) -> f64 {
        let start = self.first.max(right.first);
        let end = (self.first + self.sides.len()).min(right.first + right.sides.len());
        let gaps = (start..end)
            .map(|layer| self.sides[layer - self.first].1 - right.sides[layer - right.first].0);
        gaps.fold(f64::NEG_INFINITY, f64::max) + GAP
    }

    /// Takes in what another one covers, from a place on that is `shift` to the right.
    fn add(&mut self, other: &Self, shift: f64) {
        let end = (other.first + other.sides.len()).saturating_sub(self.first);
        let nowhere = (f64::INFINITY, f64::NEG_INFINITY);
        self.sides.resize(self.sides.len().max(end), nowhere);
        for (k, &(left, right)) in other.sides.iter().enumerate() {
            let side = &mut self.sides[other.first + k - self.first];
            *side = (side.0.min(left + shift), side.1.max(right + shift));
        }
    }
}

/// The middles of the nodes, from the left, and the width of all: trees stand as near to one
/// another as their outlines let them, each node in the middle of those above it
/// (E. Reingold and J. Tilford, Tidier drawings of trees, 1981). Nodes have higher numbers
/// than those below them. O(nodes · layers).
fn columns(ranks: &[usize], sizes: &[f64], above: &[Vec<u32>]) -> (Vec<f64>, f64) {
    let count = ranks.len();
    let mut outlines: Vec<Option<Outline>> = (0..count).map(|_| None).collect();
    // From the node below; roots stay in the outline of all.
    let mut shifts = vec![0.0; count];
    let mut is_root = vec![true; count];
    for node in (0..count).rev() {
        let half = sizes[node] / 2.0;
        let mut outline = Outline {
            first: ranks[node],
            sides: vec![(-half, half)],
        };
        let list = &above[node];
        let trees = beside(&mut outlines, list);
        let middle = list
            .first()
            .zip(list.last())
            .map_or(0.0, |(&first, &last)| {
                f64::midpoint(
                    trees.places[0] - sizes[first as usize] / 2.0,
                    trees.places[list.len() - 1] + sizes[last as usize] / 2.0,
                )
            });
        for (&tree, place) in list.iter().zip(&trees.places) {
            shifts[tree as usize] = place - middle;
            is_root[tree as usize] = false;
        }
        if let Some(all) = &trees.outline {
            outline.add(all, -middle);
        }
        outlines[node] = Some(outline);
    }
    let roots: Vec<u32> = (0..count as u32).filter(|&n| is_root[n as usize]).collect();
    let trees = beside(&mut outlines, &roots);
    for (&root, place) in roots.iter().zip(&trees.places) {
        shifts[root as usize] = *place;
    }
    let sides = trees.outline.map_or(Vec::new(), |outline| outline.sides);
    let left = sides
        .iter()
        .map(|side| side.0)
        .fold(f64::INFINITY, f64::min);
    let right = sides
        .iter()
        .map(|side| side.1)
        .fold(f64::NEG_INFINITY, f64::max);
    let mut xs = vec![0.0; count];
    for node in 0..count {
        if is_root[node] {
            xs[node] = shifts[node] - left;
        }
        for &tree in &above[node] {
            xs[tree as usize] = xs[node] + shifts[tree as usize];
        }
    }
    (xs, (right - left).max(0.0))
}

/// Trees side by side: the place of each, and the outline of all, both from the first on.
struct Beside {
    places: Vec<f64>,
    outline: Option<Outline>,
}

/// Takes the outlines of trees and puts them beside one another.
fn beside(outlines: &mut [Option<Outline>], trees: &[u32]) -> Beside {
    let mut places = Vec::with_capacity(trees.len());
    let mut all: Option<Outline> = None;
    for &tree in trees {
        let Some(outline) = outlines[tree as usize].take() else {
            continue;
        };
        let place = match &mut all {
            None => 0.0,
            Some(all) => {
                let place = all.distance(&outline);
                all.add(&outline, place);
                place
            }
        };
        if all.is_none() {
            all = Some(outline);
        }
        places.push(place);
    }
    Beside {
        places,
        outline: all,
    }
}
