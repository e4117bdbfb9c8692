//! States by what they answer to words.

use std::ops::Range;

use hyades_base::interned::Interned;

use super::super::machine::{Machine, NONE};
use super::state_set::{all, insert, remove};

/// So many numbers are taken for the sets of all words of a length at most: 8 MiB.
const LARGE: usize = 1 << 20;

/// The successor tree of all states (A. Gill: Introduction to the Theory of Finite-State
/// Machines, 1962), with a node for each word *and* answer to it: the states that answer the
/// word so, in groups that the word leads to one state. Nodes are added once they are asked
/// for.
///
/// O(inputs · states of the node) for all that follows a node.
pub(super) struct SuccessorTree<'a> {
    machine: &'a Machine,
    nodes: Vec<Node>,
    /// The groups of all nodes, node by node, ordered by their first members.
    groups: Vec<Group>,
    /// The states of all groups, in their order.
    members: Vec<u32>,
    /// For a node that has been asked, and each input, where `next` tells what follows, or
    /// [`NONE`].
    inputs: Vec<u32>,
    /// For a node and an input, and each group of the node, the group that it goes to, or
    /// [`NONE`] where there is no transition.
    next: Vec<u32>,
    sets: Interned<u64>,
    /// The set of all states.
    all: Vec<u64>,
    /// Scratch: what is known of each answer, the groups of a node by their answers and where
    /// those with one answer end, where a group is that leads to a state, and a set.
    answers: Vec<Answer>,
    order: Vec<u32>,
    ends: Vec<u32>,
    group_of: Vec<u32>,
    set: Vec<u64>,
}

/// States that have answered alike.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// How many they are.
    pub(super) states: u32,
    /// How many others have answered alike until they had no transition.
    pub(super) stuck: u32,
    /// The set of all others but those.
    pub(super) separated: u32,
    /// Its groups.
    start: u32,
    end: u32,
    /// Where `inputs` tells of it, [`NONE`] if it has not been asked; and for how many of them
    /// it is not known what follows.
    inputs: u32,
    unknown: u32,
}

/// Of the states of a node those that are in one state now.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub(super) node: u32,
    pub(super) at: u32,
    /// How many they are, and where they end among the members.
    pub(super) size: u32,
    end: u32,
}

/// How many groups have an answer, until the first of them is met; and then where the next
/// one goes.
#[derive(Clone, Copy, Default)]
struct Answer {
    left: u32,
    place: u32,
}

impl Group {
    /// Where its members are.
    fn range(self) -> Range<usize> {
        (self.end - self.size) as usize..self.end as usize
    }
}

/// The empty set alone, and its number.
fn no_sets(machine: &Machine) -> (Interned<u64>, u32) {
    let mut sets = Interned::default();
    let (empty, _) = sets.intern(&vec![0; machine.states().div_ceil(64)]);
    (sets, empty)
}

impl<'a> SuccessorTree<'a> {
    /// The tree of the empty word: each state is a group, whose number it is.
    pub(super) fn new(machine: &'a Machine) -> Self {
        let states = machine.states() as u32;
        let answers = (0..states).flat_map(|state| machine.answers_of(state));
        let answers = answers.filter(|&&answer| answer != NONE).max();
        let answers = answers.map_or(0, |&last| last as usize + 1);
        let (sets, nobody) = no_sets(machine);
        let set = vec![0; machine.states().div_ceil(64)];
        let group = |at| Group {
            node: 0,
            at,
            size: 1,
            end: at + 1,
        };
        Self {
            machine,
            nodes: vec![Node {
                states,
                stuck: 0,
                separated: nobody,
                start: 0,
                end: states,
                inputs: NONE,
                unknown: machine.inputs() as u32,
            }],
            groups: (0..states).map(group).collect(),
            members: (0..states).collect(),
            inputs: Vec::new(),
            next: Vec::new(),
            sets,
            all: all(machine.states()),
            answers: vec![Answer::default(); answers],
            order: Vec::new(),
            ends: Vec::new(),
            group_of: vec![NONE; machine.states()],
            set,
        }
    }

    /// The tree of all words of at most this length, or of fewer inputs where these are more
    /// than the states or take much memory.
    pub(super) fn of_length(machine: &'a Machine, most: usize) -> Self {
        let mut own = Self::new(machine);
        let (mut words, mut start) = (1, 0);
        for length in 0..most {
            words *= machine.inputs();
            let sets = words.saturating_mul(machine.states() * machine.states().div_ceil(64));
            if length > 0 && words > machine.states() || sets > LARGE {
                break;
            }
            let end = own.nodes.len();
            for node in start..end {
                for input in 0..machine.inputs() as u32 {
                    own.extend(node as u32, input);
                }
            }
            start = end;
        }
        own
    }

    /// Forgets all but the empty word.
    pub(super) fn clear(&mut self) {
        self.nodes.truncate(1);
        self.nodes[0].inputs = NONE;
        self.nodes[0].unknown = self.machine.inputs() as u32;
        self.groups.truncate(self.machine.states());
        self.members.truncate(self.machine.states());
        self.inputs.clear();
        self.next.clear();
        (self.sets, _) = no_sets(self.machine);
    }

    /// The states that a word, as far as it is in the tree, separates from one that has it.
    pub(super) fn separated_by(&self, state: u32, word: &[u32]) -> &[u64] {
        let mut group = state;
        for &input in word {
            match self.known_next(group, input) {
                Some(next) => group = next,
                None => break,
            }
        }
        self.set(self.node(group).separated)
    }

    /// A set of states.
    pub(super) fn set(&self, set: u32) -> &[u64] {
        self.sets.get(set)
    }

    pub(super) fn group(&self, group: u32) -> Group {
        self.groups[group as usize]
    }

    /// The node of a group.
    pub(super) fn node(&self, group: u32) -> Node {
        self.nodes[self.group(group).node as usize]
    }

    /// The groups of the node of a group.
    pub(super) fn groups_beside(&self, group: u32) -> &[Group] {
        let node = self.node(group);
        &self.groups[node.start as usize..node.end as usize]
    }

    /// Whether it is known what follows the node of a group for all inputs.
    pub(super) fn knows_all(&self, group: u32) -> bool {
        self.node(group).unknown == 0
    }

    /// The group that a group goes to, or [`NONE`]; `None` if it is not known.
    pub(super) fn known_next(&self, group: u32, input: u32) -> Option<u32> {
        let node = self.node(group);
        let inputs = (node.inputs != NONE).then(|| node.inputs + input)?;
        let next = self.inputs[inputs as usize];
        (next != NONE).then(|| self.next[(next + group - node.start) as usize])
    }

    /// The group that a group goes to, or [`NONE`].
    pub(super) fn next(&mut self, group: u32, input: u32) -> u32 {
        self.extend(self.group(group).node, input);
        let next = self.known_next(group, input);
        next.expect("it has been added")
    }

    /// Whether the groups of two nodes are the same, but for one each.
    pub(super) fn is_same_beside(&self, a: u32, b: u32) -> bool {
        let others = |group: u32| {
            let node = self.node(group);
            (node.start..node.end).filter(move |&other| other != group)
        };
        let (of_a, of_b) = (self.node(a), self.node(b));
        let is_same = |(a, b): (u32, u32)| {
            let (of_a, of_b) = (self.group(a), self.group(b));
            of_a.at == of_b.at && self.members(of_a) == self.members(of_b)
        };
        self.group(a).node == self.group(b).node
            || of_a.end - of_a.start == of_b.end - of_b.start
                && others(a).zip(others(b)).all(is_same)
    }

    fn members(&self, group: Group) -> &[u32] {
        &self.members[group.range()]
    }

    /// How many numbers the tree consists of, or so.
    pub(super) fn size(&self) -> usize {
        let columns = [&self.members, &self.inputs, &self.next];
        let numbers: usize = columns.iter().map(|column| column.len()).sum();
        8 * self.nodes.len() + 4 * self.groups.len() + numbers + self.sets.bytes() / 4
    }

    /// Adds what follows a node for an input, unless it is there.
    fn extend(&mut self, node: u32, input: u32) {
        let own = &mut self.nodes[node as usize];
        if own.inputs == NONE {
            own.inputs = self.inputs.len() as u32;
            self.inputs
                .resize(self.inputs.len() + self.machine.inputs(), NONE);
        }
        let next = &mut self.inputs[(own.inputs + input) as usize];
        if *next != NONE {
            return;
        }
        *next = self.next.len() as u32;
        own.unknown -= 1;
        let groups = (own.end - own.start) as usize;
        let first = self.next.len();
        self.next.resize(first + groups, NONE);
        self.follow(node, input, first);
    }

    /// Adds what follows a node for an input, and tells of it from this place on.
    fn follow(&mut self, node: u32, input: u32, next: usize) {
        let before = self.nodes[node as usize];
        let groups = before.start..before.end;
        let answer = |own: &Self, group: u32| {
            let answer = own.machine.answer(own.group(group).at, input);
            (answer != NONE).then_some(answer as usize)
        };
        for group in groups.clone() {
            if let Some(answer) = answer(self, group) {
                self.answers[answer].left += 1;
            }
        }
        let (mut place, mut stuck) = (0, before.stuck);
        self.order.clear();
        self.order.resize(groups.len(), NONE);
        self.ends.clear();
        for group in groups {
            let Some(answer) = answer(self, group) else {
                stuck += self.group(group).size;
                continue;
            };
            let answer = &mut self.answers[answer];
            if answer.left > 0 {
                answer.place = place;
                place += answer.left;
                answer.left = 0;
                self.ends.push(place);
            }
            self.order[answer.place as usize] = group;
            answer.place += 1;
        }
        let mut first = 0;
        for k in 0..self.ends.len() {
            let end = self.ends[k];
            self.add(before, stuck, first as usize..end as usize, input, next);
            first = end;
        }
    }

    /// Adds the node of some groups, which are those in this part of `order`.
    fn add(&mut self, before: Node, stuck: u32, part: Range<usize>, input: u32, next: usize) {
        let (node, start) = (self.nodes.len() as u32, self.groups.len());
        for &from in &self.order[part.clone()] {
            let group = self.groups[from as usize];
            let at = self.machine.target(group.at, input);
            let to = &mut self.group_of[at as usize];
            if *to == NONE {
                *to = self.groups.len() as u32;
                self.groups.push(Group {
                    node,
                    at,
                    size: 0,
                    end: 0,
                });
            }
            self.groups[*to as usize].size += group.size;
            self.next[next + (from - before.start) as usize] = *to;
        }
        let mut end = self.members.len() as u32;
        for group in &mut self.groups[start..] {
            self.group_of[group.at as usize] = NONE;
            // Where its next member goes.
            group.end = end;
            end += group.size;
        }
        let first_member = self.members.len();
        self.members.resize(end as usize, NONE);
        let all = self.order.len() == part.len();
        let merged = part.len() > self.groups.len() - start;
        for &from in &self.order[part] {
            let group = self.groups[from as usize];
            let to = self.next[next + (from - before.start) as usize];
            let end = &mut self.groups[to as usize].end;
            // Most are of one member.
            for member in group.range() {
                self.members[*end as usize] = self.members[member];
                *end += 1;
            }
        }
        if merged {
            // In one order, however they came together.
            for &group in self.groups[start..].iter().filter(|group| group.size > 1) {
                self.members[group.range()].sort_unstable();
            }
        }
        let states = end - first_member as u32;
        let separated = match all {
            true => before.separated,
            false => self.separated(before, first_member, stuck),
        };
        self.nodes.push(Node {
            states,
            stuck,
            separated,
            start: start as u32,
            end: self.groups.len() as u32,
            inputs: NONE,
            unknown: self.machine.inputs() as u32,
        });
    }

    /// The set of what is separated from a new node, by where its members begin.
    fn separated(&mut self, before: Node, first_member: usize, stuck: u32) -> u32 {
        let members = &self.members[first_member..];
        if stuck == 0 {
            self.set.copy_from_slice(&self.all);
        } else {
            // What is stuck has been separated from no member of the node before.
            self.set.copy_from_slice(self.sets.get(before.separated));
            let going = self.ends.last().map_or(0, |&end| end as usize);
            for &group in &self.order[..going] {
                let group = self.groups[group as usize];
                let members = self.members[group.range()].iter();
                members.for_each(|&member| insert(&mut self.set, member));
            }
        }
        members
            .iter()
            .for_each(|&member| remove(&mut self.set, member));
        self.sets.intern(&self.set).0
    }
}
