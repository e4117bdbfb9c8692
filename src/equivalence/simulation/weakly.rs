//! Branching and coupled simulation by all pairs of nodes.
//!
//! The greatest relation is found from above: for each node the set of those that it is below
//! as far as is known, from which go those that cannot answer. Where hidden steps lead from
//! each node to many, an answer is one of very many pairs, and looking for it backwards from
//! all that will do takes less than looking at them one by one
//! ([`decide`](super::game::decide)).

use std::collections::VecDeque;

use hyades_formats::LabelId;

use super::bits::{self, Row};
use super::graph::runs;
use crate::Rows;

/// Nodes at the most: their pairs take a bit each, twice.
const NODES: usize = 1 << 12;

/// What backward searches may take in the end, in transitions; a few seconds.
const WORK: usize = 1 << 31;

/// Which simulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A step s –a→ s' is answered by t ⇒ u –a→ t' with s below u and s' below t'; a hidden
    /// one also by nothing, if s' is below t.
    Branching,
    /// A step is answered by t ⇒a⇒ t' (t ⇒ t'), with s' below t'; and there is a t ⇒ u that
    /// is below s.
    Coupled,
}

/// Whether the first node is below the second, and the second below the first; nothing if
/// there are too many nodes or if it takes too long. O(m²) for each time that a set of the
/// least changes, for m transitions, and a quarter of a byte for each pair of nodes.
pub(super) fn compare(rows: Rows<'_>, kind: Kind, p: u32, q: u32) -> Option<(bool, bool)> {
    if rows.states() > NODES {
        return None;
    }
    let above = Relation::new(rows, kind).greatest()?;
    let is_below = |p: u32, q: u32| bits::contains(&above[p as usize], q as usize);
    Some((is_below(p, q), is_below(q, p)))
}

struct Relation<'a> {
    rows: Rows<'a>,
    kind: Kind,
    /// The sources of all transitions, by target, with the labels.
    sources: Vec<Vec<(LabelId, u32)>>,
    /// For each node those that it is below, as far as is known.
    above: Vec<Row>,
    /// For each node those that are below it.
    below: Vec<Row>,
    /// Nodes to be looked at again.
    open: VecDeque<u32>,
    is_open: Row,
    work: usize,
}

impl<'a> Relation<'a> {
    fn new(rows: Rows<'a>, kind: Kind) -> Self {
        let n = rows.states();
        let mut sources = vec![Vec::new(); n];
        for s in 0..n as u32 {
            let (labels, targets) = rows.row(s);
            for (&label, t) in labels.iter().zip(targets) {
                sources[t.index()].push((label, s));
            }
        }
        let all = bits::collect(n, 0..n);
        Self {
            rows,
            kind,
            sources,
            above: vec![all.clone(); n],
            below: vec![all.clone(); n],
            open: (0..n as u32).collect(),
            is_open: all,
            work: 0,
        }
    }

    /// Nothing if it takes too long.
    fn greatest(mut self) -> Option<Vec<Row>> {
        while let Some(p) = self.open.pop_front() {
            self.is_open[p as usize / 64] &= !(1 << (p % 64));
            self.look_at(p);
            if self.work > WORK {
                return None;
            }
        }
        Some(self.above)
    }

    /// Takes away from those above a node the ones that cannot answer.
    fn look_at(&mut self, p: u32) {
        let mut left = self.above[p as usize].clone();
        for (label, targets) in runs(self.rows, p) {
            for &next in targets {
                let answering = self.answering(&left, label, next.get());
                keep(&mut left, &answering);
            }
        }
        if self.kind == Kind::Coupled {
            let mut coupled = self.below[p as usize].clone();
            self.before_hidden(&mut coupled);
            keep(&mut left, &coupled);
        }
        let known = std::mem::replace(&mut self.above[p as usize], left);
        let mut lost = Vec::new();
        bits::for_each_without(&known, &self.above[p as usize], |q| lost.push(q));
        if lost.is_empty() {
            return;
        }
        for &q in &lost {
            self.below[q][p as usize / 64] &= !(1 << (p % 64));
        }
        if self.kind == Kind::Coupled {
            lost.iter().for_each(|&q| self.again(q as u32));
        }
        self.again(p);
        for k in 0..self.sources[p as usize].len() {
            self.again(self.sources[p as usize][k].1);
        }
    }

    fn again(&mut self, p: u32) {
        if !bits::contains(&self.is_open, p as usize) {
            bits::insert(&mut self.is_open, p as usize);
            self.open.push_back(p);
        }
    }

    /// The nodes that answer a step of one that is below these.
    fn answering(&mut self, above: &Row, label: LabelId, next: u32) -> Row {
        let will_do = &self.above[next as usize];
        match self.kind {
            Kind::Coupled => {
                let mut found = will_do.clone();
                self.before_hidden(&mut found);
                if !label.is_hidden() {
                    found = self.before(label, &found);
                    self.before_hidden(&mut found);
                }
                found
            }
            Kind::Branching => {
                let mut found = self.before(label, will_do);
                keep(&mut found, above);
                self.before_hidden(&mut found);
                if label.is_hidden() {
                    let will_do = &self.above[next as usize];
                    found.iter_mut().zip(will_do).for_each(|(x, y)| *x |= y);
                }
                found
            }
        }
    }

    /// The nodes with a step into a set.
    fn before(&self, label: LabelId, set: &Row) -> Row {
        let sources = bits::members(set).flat_map(|t| &self.sources[t]);
        let with_label = sources.filter(|step| step.0 == label);
        bits::collect(self.rows.states(), with_label.map(|step| step.1 as usize))
    }

    /// Adds the nodes from which hidden steps lead into a set.
    fn before_hidden(&mut self, set: &mut Row) {
        let mut open: Vec<usize> = bits::members(set).collect();
        self.work += self.rows.targets.len();
        while let Some(t) = open.pop() {
            for &(label, s) in &self.sources[t] {
                if label.is_hidden() && !bits::contains(set, s as usize) {
                    bits::insert(set, s as usize);
                    open.push(s as usize);
                }
            }
        }
    }
}

/// Leaves what is in both.
fn keep(set: &mut Row, other: &Row) {
    set.iter_mut().zip(other).for_each(|(x, y)| *x &= y);
}
