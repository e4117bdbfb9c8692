//! Which layer a node stands in.

use crate::graph::Graph;

/// The rank of each node: different for the ends of each edge that is no loop, 0 for the
/// topmost ones. Edges between strongly connected components lead downwards; within a
/// component those do that lead away from the root. O(nodes + edges), some rounds.
pub fn ranks(graph: &Graph) -> Vec<usize> {
    let nodes = graph.nodes.len();
    let ways = ways(graph);
    let (distances, found) = distances(graph, &ways);
    let components = components(&ways);
    // The arcs, all in one direction, without a cycle.
    let key = |node: usize| (components[node], distances[node], found[node]);
    let mut down: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    let mut up: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for arc in &graph.edges {
        let (mut source, mut target) = (arc.source, arc.target);
        if source == target {
            continue;
        }
        if key(source) > key(target) {
            (source, target) = (target, source);
        }
        down[source].push(target);
        up[target].push(source);
    }
    let mut order: Vec<usize> = (0..nodes).collect();
    order.sort_by_key(|&node| key(node));
    let mut ranks = vec![0; nodes];
    for &node in &order {
        let above = up[node].iter().map(|&other| ranks[other] + 1);
        ranks[node] = above.max().unwrap_or(0);
    }
    // Each node moves to the side where it has more edges, as far as they let it.
    for _ in 0..8 {
        let before = ranks.clone();
        for &node in order.iter().rev() {
            if node != graph.root && down[node].len() > up[node].len() {
                let below = down[node].iter().map(|&other| ranks[other] - 1).min();
                ranks[node] = below.unwrap_or(ranks[node]);
            }
        }
        for &node in &order {
            if up[node].len() > down[node].len() {
                let above = up[node].iter().map(|&other| ranks[other] + 1).max();
                ranks[node] = above.unwrap_or(ranks[node]);
            }
        }
        if ranks == before {
            break;
        }
    }
    let least = ranks.iter().copied().min().unwrap_or(0);
    ranks.iter().map(|rank| rank - least).collect()
}

fn ways(graph: &Graph) -> Vec<Vec<usize>> {
    let mut ways = vec![Vec::new(); graph.nodes.len()];
    for arc in &graph.edges {
        ways[arc.source].push(arc.target);
    }
    ways
}

/// How far each node is from the root, or from the first node that nothing before leads to;
/// and in which order they are found.
fn distances(graph: &Graph, ways: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    const UNKNOWN: usize = usize::MAX;
    let nodes = graph.nodes.len();
    let (mut distances, mut found) = (vec![UNKNOWN; nodes], vec![0; nodes]);
    let mut queue: Vec<usize> = Vec::with_capacity(nodes);
    let starts = (graph.root..nodes).chain(0..graph.root.min(nodes));
    for start in starts {
        if distances[start] != UNKNOWN {
            continue;
        }
        let mut next = queue.len();
        distances[start] = 0;
        queue.push(start);
        while let Some(&node) = queue.get(next) {
            found[node] = next;
            next += 1;
            for &target in &ways[node] {
                if distances[target] == UNKNOWN {
                    distances[target] = distances[node] + 1;
                    queue.push(target);
                }
            }
        }
    }
    (distances, found)
}

/// The strongly connected component of each node, numbered so that edges lead to the same or
/// to higher ones (Tarjan's algorithm, without recursion).
fn components(ways: &[Vec<usize>]) -> Vec<usize> {
    const UNKNOWN: usize = usize::MAX;
    let nodes = ways.len();
    let (mut index, mut low) = (vec![UNKNOWN; nodes], vec![0; nodes]);
    let mut component = vec![UNKNOWN; nodes];
    let (mut stack, mut calls) = (Vec::new(), Vec::new());
    let (mut next, mut components) = (0, 0);
    for start in 0..nodes {
        if index[start] != UNKNOWN {
            continue;
        }
        calls.push((start, 0));
        while let Some(&mut (node, ref mut way)) = calls.last_mut() {
            if *way == 0 && index[node] == UNKNOWN {
                (index[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
            }
            if let Some(&target) = ways[node].get(*way) {
                *way += 1;
                if index[target] == UNKNOWN {
                    calls.push((target, 0));
                } else if component[target] == UNKNOWN {
                    low[node] = low[node].min(index[target]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(caller, _)) = calls.last() {
                low[caller] = low[caller].min(low[node]);
            }
            if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    component[member] = components;
                    if member == node {
                        break;
                    }
                }
                components += 1;
            }
        }
    }
    component.iter().map(|c| components - 1 - c).collect()
}
