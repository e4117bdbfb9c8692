//! Outputs are those of one machine.

use hyades_equivalence::{Relation, minimize as on_one_machine};
use hyades_formats::aut::StreamWriter;
use hyades_formats::{Format, Lts, StateId, WriteOptions, write_lts};
use hyades_testing::check;

use crate::fixture;
use crate::meter::Meter;
use crate::minimize::{Minimal, minimize};
use crate::options::Options;
use crate::output::each_row;
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
