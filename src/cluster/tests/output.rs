//! Outputs are those of one machine.

use hyades_equivalence::{Relation, minimize as on_one_machine};
use hyades_formats::aut::StreamWriter;
use hyades_formats::{Format, Lts, StateId, WriteOptions, write_lts};
use hyades_testing::{Random, check};

use crate::classes::NO_CLASS;
use crate::column::Column;
use crate::fixture;
use crate::meter::Meter;
use crate::minimize::{Minimal, minimize};
use crate::options::Options;
use crate::output::{Window, each_class, each_row};
use crate::threads;
use crate::worker::Worker;

fn aut(lts: &Lts) -> Vec<u8> {
    let mut bytes = Vec::new();
    let write = WriteOptions::default();
    write_lts(lts, Format::Aut, &mut bytes, &write, &mut |_| ()).unwrap();
    bytes
}

#[test]
fn rows_at_one_worker_are_those_of_one_machine() {
    check(6, 40, |lts, random| {
        let expected = on_one_machine(lts.clone(), Relation::Strong).unwrap().lts;
        let options = Options {
            whole: 0,
            ..Options::new(1 << 20)
        };
        let all = fixture::on_parts(lts, random, |worker, part| {
            let worker = &mut Meter::new(worker);
            let relation = Relation::Strong;
            let found = minimize(worker, part.clone(), relation, &options, None, &mut ())?;
            let Minimal::Parts(parts) = &found.lts else {
                panic!("it has no room");
            };
            let mut text = Vec::new();
            let write = WriteOptions::default();
            let (transitions, states) = (found.transitions, found.states);
            let initial = StateId::new(0);
            let mut writer = (worker.index() == 0).then(|| {
                StreamWriter::announcing(&mut text, &write, initial, transitions, states).unwrap()
            });
            each_row(worker, parts, |rows| {
                let writer = writer.as_mut().expect("worker 0 is told");
                writer.rows(&[rows], &parts.table, &mut |_| ()).unwrap();
                Ok(())
            })?;
            if let Some(writer) = writer {
                writer.finish(initial, states).unwrap();
            }
            Ok(text)
        });
        match all[0] == aut(&expected) {
            true => Ok(()),
            false => Err(format!("rows:\n{}", String::from_utf8_lossy(&all[0]))),
        }
    });
}

#[test]
fn each_class_has_its_members() {
    let mut random = Random::new(23);
    for round in 0..200 {
        let peers = random.between(1, 4);
        let states = random.between(0, 300) as u64;
        let classes = random.between(1, 40) as u64;
        let of: Vec<u64> = (0..states)
            .map(|state| match random.between(0, 9) {
                0 => NO_CLASS,
                1..=4 => classes / 2,
                _ => state * 7 % classes,
            })
            .collect();
        let ranges = fixture::ranges(states, peers, &mut random);
        let window = match round % 4 {
            0 => Window::default(),
            _ => Window {
                classes: random.between(1, 50) as u64,
                members: random.between(0, 60) as u64,
            },
        };
        let all = threads::run(peers, 64, |worker| {
            let own = ranges.of(worker.index());
            let mut class = Column::new((own.end - own.start) as usize);
            for (place, state) in own.clone().enumerate() {
                class.set(place, of[state as usize]);
            }
            let mut told: Vec<(u64, u64)> = Vec::new();
            each_class(worker, own.start, &class, classes, window, |class, some| {
                assert!(!some.is_empty());
                told.extend(some.iter().map(|&state| (class, state)));
                Ok(())
            })?;
            Ok(told)
        });
        let mut expected: Vec<(u64, u64)> = of.iter().copied().zip(0..).collect();
        expected.retain(|&(class, _)| class != NO_CLASS);
        expected.sort_unstable();
        for (index, told) in all.into_iter().enumerate() {
            let expected = if index == 0 { &expected[..] } else { &[] };
            assert_eq!(told.unwrap(), expected, "{peers} workers, {window:?}");
        }
    }
}
