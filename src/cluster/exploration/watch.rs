//! What a worker notices about its rows.

use hyades_explore::pieces::Piece;
use hyades_explore::{Erased, LabelPredicate, Model, Questions};
use hyades_formats::LabelTable;

use super::NO_ROW;
use super::labels::FirstUses;
use super::level::Level;
use crate::column::Column;

/// Looks at all rows of a worker in the order of their sources.
pub(super) struct Watch<'q> {
    asks_deadlock: bool,
    pub predicates: Vec<LabelPredicate<'q>>,
    /// For each question the number of the first row that answers it: the one for deadlocks,
    /// if that is asked, then the predicates.
    pub found: Vec<u64>,
    pub uses: FirstUses,
    before: Counts,
    /// The number of transitions of each state of this level, in their order.
    degrees: Vec<u32>,
    /// The deadlocks of this level.
    deadlocks: Vec<u64>,
}

/// How much there is in rows.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub rows: u64,
    pub transitions: u64,
    pub deadlocks: u64,
}

impl<'q> Watch<'q> {
    /// Looks for answers to these questions; livelocks are not looked for.
    pub fn new(questions: Questions<'q>) -> Self {
        let Questions {
            deadlock,
            livelock: _,
            find,
        } = questions;
        Self {
            asks_deadlock: deadlock,
            found: vec![NO_ROW; usize::from(deadlock) + find.len()],
            predicates: find,
            uses: FirstUses::default(),
            before: Counts::default(),
            degrees: Vec::new(),
            deadlocks: Vec::new(),
        }
    }

    /// Whether deadlocks are asked for.
    pub fn asks_deadlock(&self) -> bool {
        self.asks_deadlock
    }

    /// Looks at rows of these sources; `labels` are those of this worker.
    pub fn look(
        &mut self,
        pieces: &[Piece<'_>],
        sources: &[u32],
        numbers: &Column,
        labels: &LabelTable,
        model: &Erased<'_>,
    ) {
        self.uses.prepare(labels.len());
        let mut sources = sources.iter();
        for piece in pieces {
            let mut begin = 0;
            let ends = piece.ends().iter().enumerate();
            for ((row, &end), &source) in ends.zip(sources.by_ref()) {
                let source = numbers.get(source as usize);
                if begin == end && !model.is_truncated(piece.source(row)) {
                    self.deadlocks.push(source);
                    if self.asks_deadlock {
                        self.found[0] = source.min(self.found[0]);
                    }
                }
                let used = &piece.labels()[begin as usize..end as usize];
                for (place, &label) in (0..).zip(used) {
                    if self.uses.note(label, source, place) {
                        let found = &mut self.found[usize::from(self.asks_deadlock)..];
                        for (predicate, found) in self.predicates.iter().zip(found) {
                            if *found == NO_ROW && predicate(label, labels.text(label)) {
                                *found = source;
                            }
                        }
                    }
                }
                self.degrees.push(end - begin);
                begin = end;
            }
        }
    }

    /// The next rows are those of another level.
    pub fn end_level(&mut self) {
        let counts = Counts {
            rows: self.degrees.len() as u64,
            transitions: self.degrees.iter().map(|&degree| u64::from(degree)).sum(),
            deadlocks: self.deadlocks.len() as u64,
        };
        self.before = self.before.plus(counts);
        self.degrees.clear();
        self.deadlocks.clear();
    }

    /// What there is in the rows of this worker up to this level whose sources are below `end`.
    pub fn counts(&self, level: &Level, numbers: &Column, end: u64) -> Counts {
        let own = level.own.iter().zip(&self.degrees);
        let counted = own.take_while(|&(&own, _)| numbers.get(own as usize) < end);
        let (rows, transitions) = counted.fold((0, 0), |(rows, transitions), (_, &degree)| {
            (rows + 1, transitions + u64::from(degree))
        });
        self.before.plus(Counts {
            rows,
            transitions,
            deadlocks: self
                .deadlocks
                .iter()
                .filter(|&&source| source < end)
                .count() as u64,
        })
    }
}

impl Counts {
    fn plus(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            transitions: self.transitions + other.transitions,
            deadlocks: self.deadlocks + other.deadlocks,
        }
    }
}
