//! Time and traffic, to be looked at: `cargo test -p hyades-cluster --release figures --
//! --ignored --nocapture`.

use std::time::Instant;

use hyades_equivalence::{Relation, minimize as on_one_machine};
use hyades_formats::{LabelId, Lts, LtsParts, Offsets, StateId};
use hyades_testing::{Random, aut};

use crate::fixture;
use crate::meter::{Kind, Meter};
use crate::minimize::minimize;
use crate::options::{Observer, Options, Round};
use crate::part::Part;
use crate::ranges::Ranges;
use crate::tests::joined;
use crate::threads;
use crate::worker::Worker;

/// Any steps between any states.
fn random(states: usize, degree: usize) -> Lts {
    let mut random = Random::new(1);
    let mut table = hyades_formats::LabelTable::new();
    let labels = [&b"a"[..], b"b", b"c", b"d"].map(|text| table.intern(text).unwrap());
    let count = states * degree;
    Lts::from_parts(LtsParts {
        initial: StateId::new(0),
        offsets: Offsets::from_lengths((0..states).map(|_| degree)),
        labels: (0..count).map(|_| labels[random.between(0, 3)]).collect(),
        targets: (0..count)
            .map(|_| StateId::from_index(random.between(0, states - 1)))
            .collect(),
        table,
    })
}

/// Steps to the right and upwards.
fn grid(width: usize) -> Lts {
    let mut table = hyades_formats::LabelTable::new();
    let (right, up) = (table.intern(b"R").unwrap(), table.intern(b"U").unwrap());
    let mut lengths = Vec::new();
    let (mut labels, mut targets): (Vec<LabelId>, Vec<StateId>) = (Vec::new(), Vec::new());
    for state in 0..width * width {
        let before = labels.len();
        if (state + 1) % width > 0 {
            labels.push(right);
            targets.push(StateId::from_index(state + 1));
        }
        if state + width < width * width {
            labels.push(up);
            targets.push(StateId::from_index(state + width));
        }
        lengths.push(labels.len() - before);
    }
    Lts::from_parts(LtsParts {
        initial: StateId::new(0),
        offsets: Offsets::from_lengths(lengths),
        labels,
        targets,
        table,
    })
}

/// Steps around, one of which differs.
fn ring(states: usize) -> Lts {
    let mut table = hyades_formats::LabelTable::new();
    let (usual, mark) = (table.intern(b"A").unwrap(), table.intern(b"B").unwrap());
    let mut labels = vec![usual; states];
    labels[states / 2] = mark;
    Lts::from_parts(LtsParts {
        initial: StateId::new(0),
        offsets: Offsets::from_lengths((0..states).map(|_| 1)),
        labels,
        targets: (0..states)
            .map(|k| StateId::from_index((k + 1) % states))
            .collect(),
        table,
    })
}

/// Each state several times: `times` copies with steps to any copy.
fn copies(lts: &Lts, times: usize) -> Lts {
    let mut random = Random::new(2);
    let states = lts.states();
    let copy = |state: StateId, k: usize| StateId::from_index(state.index() * times + k);
    let mut lengths = Vec::new();
    let (mut labels, mut targets) = (Vec::new(), Vec::new());
    for state in 0..states * times {
        let from = StateId::from_index(state / times);
        lengths.push(lts.row(from).len());
        for (label, target) in lts.outgoing(from) {
            labels.push(label);
            targets.push(copy(target, random.between(0, times - 1)));
        }
    }
    Lts::from_parts(LtsParts {
        initial: copy(lts.initial(), 0),
        offsets: Offsets::from_lengths(lengths),
        labels,
        targets,
        table: lts.table().clone(),
    })
}

struct Told(Vec<Round>);

impl Observer for Told {
    fn round(&mut self, round: &Round) {
        self.0.push(*round);
    }
}

#[test]
#[ignore = "it takes a minute and shows figures"]
fn figures() {
    let all = [
        ("random", random(1_000_000, 5)),
        ("copies", copies(&random(100_000, 5), 10)),
        ("grid", grid(1000)),
        ("ring", ring(300_000)),
    ];
    for (name, lts) in all {
        let start = Instant::now();
        let expected = on_one_machine(lts.clone(), Relation::Strong).unwrap().lts;
        println!("{name}: one machine {:?}", start.elapsed());
        for peers in [1, 2, 4] {
            let ranges = Ranges::even(lts.states() as u64, peers);
            let options = Options::new(1 << 32);
            let start = Instant::now();
            let results = threads::run(peers, 1 << 20, |worker| {
                let rows = fixture::rows(&lts, &ranges, worker.index());
                let initial = u64::from(lts.initial().get());
                let table = lts.table().clone();
                let part = Part::new(worker, ranges.clone(), initial, table, rows)?;
                let begun = Instant::now();
                let mut meter = Meter::new(worker);
                let mut told = Told(Vec::new());
                let relation = Relation::Strong;
                let found = minimize(&mut meter, part, relation, &options, None, &mut told)?;
                let sent = Kind::ALL.map(|kind| (kind.name(), meter.sent(kind)));
                Ok((found, told.0, sent, begun.elapsed()))
            });
            let time = start.elapsed();
            let all: Vec<_> = results.into_iter().map(Result::unwrap).collect();
            let (_, rounds, sent, begun) = &all[0];
            println!("  {peers} workers: {time:?}, {begun:?} of them refinement");
            println!("    sent {sent:?}");
            for round in rounds.iter().take(4).chain(rounds.last()) {
                println!("    {round:?}");
            }
            let found: Vec<_> = all.into_iter().map(|one| one.0).collect();
            assert!(aut(&joined(&found)) == aut(&expected));
        }
    }
}
