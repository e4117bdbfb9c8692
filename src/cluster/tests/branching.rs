//! Time, traffic and memory by branching bisimilarity, to be looked at: `cargo test -p
//! hyades-cluster --release branching::figures -- --ignored --nocapture`.

use hyades_equivalence::{Relation, minimize as on_one_machine};
use hyades_formats::{LabelId, LabelTable, Lts, LtsBuilder, StateId};
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

struct Told(Vec<Round>);

impl Observer for Told {
    fn round(&mut self, round: &Round) {
        self.0.push(*round);
    }
}

/// A system of steps that are drawn one by one: source, label and target.
fn drawn(states: u32, steps: usize, mut step: impl FnMut(&mut Random) -> [u32; 3]) -> Lts {
    let mut table = LabelTable::new();
    for label in [b"a", b"b", b"c"] {
        table.intern(label).unwrap();
    }
    let mut random = Random::new(1);
    let mut builder = LtsBuilder::with_table(states.into(), table);
    for _ in 0..steps {
        let [source, label, target] = step(&mut random);
        builder.add(
            StateId::new(source),
            LabelId::new(label),
            StateId::new(target),
        );
    }
    builder.build(StateId::new(0)).unwrap()
}

/// A visible label in so many of 100 cases fewer than the hidden one.
fn label(random: &mut Random, hidden: usize) -> u32 {
    match random.chance(hidden) {
        true => 0,
        false => random.between(1, 3) as u32,
    }
}

/// The seconds that the threads of this process have run so far.
fn seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks
        .map(|ticks| ticks.parse::<f64>().unwrap())
        .sum::<f64>()
        / 100.0
}

#[test]
#[ignore = "it takes a minute and shows figures"]
fn figures() {
    let any = |random: &mut Random, states: u32| random.between(0, states as usize - 1) as u32;
    let n = 200_000;
    let all = [
        (
            "random, 30 % hidden",
            drawn(n, 1_000_000, |r| [any(r, n), label(r, 30), any(r, n)]),
        ),
        (
            "copies, hidden steps mostly down",
            drawn(n, 1_000_000, |r| {
                let hidden = label(r, 60);
                let source = any(r, n);
                let target = match hidden {
                    0 => source - source.min(1 + any(r, 50)),
                    _ => any(r, 1000) * 200,
                };
                [source, hidden, target]
            }),
        ),
        (
            "near, half hidden",
            drawn(n, 1_000_000, |r| {
                let (source, label) = (any(r, n), label(r, 50));
                let target =
                    (source + any(r, 100)).saturating_sub(if label == 0 { 10 } else { 50 });
                [source, label, target.min(n - 1)]
            }),
        ),
        (
            "a hidden chain",
            drawn(n, n as usize, {
                let mut next = 0;
                move |_| {
                    next += 1;
                    [next - 1, u32::from(next == n), next % n]
                }
            }),
        ),
    ];
    let wanted = std::env::var("FAMILY").unwrap_or_default();
    for (name, lts) in all.into_iter().filter(|one| one.0.contains(&wanted)) {
        for relation in [Relation::Branching, Relation::DivBranching] {
            let begun = seconds();
            let expected = on_one_machine(lts.clone(), relation).unwrap().lts;
            let states = expected.states();
            println!(
                "{name}, {relation}: {:.2} s, {states} states",
                seconds() - begun
            );
            for (peers, rest) in [(1, 0), (1, 1 << 28), (2, 0), (4, 0)] {
                let ranges = Ranges::even(lts.states() as u64, peers);
                let options = Options {
                    rest,
                    ..Options::new(1 << 32)
                };
                let results = threads::run(peers, 1 << 20, |worker| {
                    let rows = fixture::rows(&lts, &ranges, worker.index());
                    let initial = u64::from(lts.initial().get());
                    let table = lts.table().clone();
                    let part = Part::new(worker, ranges.clone(), initial, table, rows)?;
                    crate::worker::sum(worker, 0)?;
                    let begun = seconds();
                    let mut meter = Meter::new(worker);
                    let mut told = Told(Vec::new());
                    let found = minimize(&mut meter, part, relation, &options, None, &mut told)?;
                    let sent = Kind::ALL.map(|kind| (kind.name(), meter.sent(kind)));
                    Ok((found, told.0, sent, begun))
                });
                let all: Vec<_> = results.into_iter().map(Result::unwrap).collect();
                let (_, rounds, sent, begun) = &all[0];
                let time = seconds() - begun;
                println!(
                    "  {peers} workers, rest {rest}: {time:.2} s, {} rounds",
                    rounds.len()
                );
                println!("    sent {sent:?}");
                let lives: Vec<u64> = rounds.iter().map(|round| round.live).take(9).collect();
                let last = rounds.last().map(|round| (round.blocks, round.supersteps));
                println!("    live {lives:?}, in the end {last:?}");
                let found: Vec<_> = all.into_iter().map(|one| one.0).collect();
                assert!(aut(&joined(&found)) == aut(&expected));
            }
        }
    }
}
