//! Machines in which two words of access lead to one state.

use crate::machine::NONE;

use super::quotient::Quotient;
use super::refutation::Draft;

/// What goes on from a class: input, answer and a node.
type Row = Vec<(u32, u32, u32)>;

/// The bytes that a machine with a state for each node takes, roughly.
pub(super) fn bytes(nodes: usize, inputs: usize) -> u64 {
    nodes as u64 * (inputs as u64 * 40 + 64)
}

/// The nodes of a quotient, where nodes of different states may be merged.
struct Merged<'q, 'a> {
    quotient: &'q mut Quotient<'a>,
    leader: Vec<u32>,
    rows: Vec<Row>,
}

impl<'q, 'a> Merged<'q, 'a> {
    fn new(quotient: &'q mut Quotient<'a>) -> Self {
        let nodes = quotient.nodes() as u32;
        quotient.steps += u64::from(nodes);
        let row = |node: u32| {
            let state = quotient.state(node);
            let edges = quotient.row(node).map(|place| quotient.edge(place));
            let answer = |input| quotient.machine.answer(state, input);
            edges
                .map(|edge| (edge.input, answer(edge.input), edge.node))
                .collect()
        };
        let rows = (0..nodes).map(row).collect();
        Self {
            quotient,
            leader: (0..nodes).collect(),
            rows,
        }
    }

    fn find(&self, node: u32) -> u32 {
        let mut at = node;
        while self.leader[at as usize] != at {
            at = self.leader[at as usize];
        }
        at
    }

    /// Merges two nodes and what follows; tells whether that contradicts nothing.
    fn merge(&mut self, a: u32, b: u32) -> bool {
        let mut work = vec![(a, b)];
        while let Some((a, b)) = work.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            self.quotient.steps += 1;
            let (kept, gone) = match self.rows[a as usize].len() >= self.rows[b as usize].len() {
                true => (a, b),
                false => (b, a),
            };
            self.leader[gone as usize] = kept;
            for (input, answer, node) in std::mem::take(&mut self.rows[gone as usize]) {
                let row = &mut self.rows[kept as usize];
                match row.binary_search_by_key(&input, |edge| edge.0) {
                    Ok(place) if row[place].1 != answer => return false,
                    Ok(place) => work.push((row[place].2, node)),
                    Err(place) => row.insert(place, (input, answer, node)),
                }
            }
        }
        true
    }

    fn draft(&self, is_other: bool) -> Draft {
        let inputs = self.quotient.machine.inputs();
        let nodes = 0..self.leader.len() as u32;
        let leaders: Vec<u32> = nodes
            .filter(|&node| self.leader[node as usize] == node)
            .collect();
        let mut numbers = vec![NONE; self.leader.len()];
        for (number, &node) in leaders.iter().enumerate() {
            numbers[node as usize] = number as u32;
        }
        let mut draft = Draft {
            targets: vec![NONE; leaders.len() * inputs],
            answers: vec![NONE; leaders.len() * inputs],
            holds: leaders
                .iter()
                .map(|&node| self.quotient.state(node))
                .collect(),
            initial: numbers[self.find(0) as usize],
            is_other,
        };
        for (number, &node) in leaders.iter().enumerate() {
            for &(input, answer, child) in &self.rows[node as usize] {
                let at = number * inputs + input as usize;
                draft.targets[at] = numbers[self.find(child) as usize];
                draft.answers[at] = answer;
            }
        }
        draft
    }
}

/// A machine that passes in which two nodes of different states are one state, if
/// there is one. The quotient has not been merged.
pub(super) fn collide(quotient: &mut Quotient<'_>, a: u32, b: u32) -> Option<Draft> {
    let mut merged = Merged::new(quotient);
    merged.merge(a, b).then(|| merged.draft(true))
}

/// The tree as a machine in which an input that does not go on from a node leads
/// back to the root.
pub(super) fn without(quotient: &mut Quotient<'_>, node: u32, input: u32) -> Draft {
    let merged = Merged::new(quotient);
    let inputs = merged.quotient.machine.inputs();
    let mut draft = merged.draft(false);
    draft.targets[node as usize * inputs + input as usize] = draft.initial;
    draft
}
