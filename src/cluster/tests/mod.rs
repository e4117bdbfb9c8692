//! Results are those of one machine.

use hyades_equivalence::{Relation, minimize as on_one_machine};
use hyades_formats::{LabelId, Lts, LtsParts, Offsets, StateId};
use hyades_testing::{Random, aut, check, shuffled};

use crate::fixture;
use crate::meter::Meter;
use crate::minimize::{Minimal, Minimized, minimize};
use crate::options::Options;
use crate::quotient::Parts;

/// One LTS from what the workers have of it.
fn joined(all: &[Minimized]) -> Lts {
    let parts = |one: &Minimized| match &one.lts {
        Minimal::Whole(_) => None,
        Minimal::Parts(Parts { rows, table, .. }) => Some((rows.clone(), table.clone())),
    };
    if let Minimal::Whole(lts) = &all[0].lts {
        let nobody_else = |one: &Minimized| matches!(one.lts, Minimal::Whole(None));
        assert!(all[1..].iter().all(nobody_else));
        return lts.clone().expect("worker 0 has it");
    }
    let all: Vec<_> = all
        .iter()
        .map(|one| parts(one).expect("parts at all"))
        .collect();
    let mut rows = all[0].0.clone();
    all[1..].iter().for_each(|one| rows.append(&one.0));
    let lengths = rows.offsets.windows(2).map(|w| (w[1] - w[0]) as usize);
    Lts::from_parts(LtsParts {
        initial: StateId::new(0),
        offsets: Offsets::from_lengths(lengths),
        labels: rows
            .labels
            .iter()
            .map(|&label| LabelId::new(label))
            .collect(),
        targets: rows
            .targets
            .iter()
            .map(|&t| StateId::new(t as u32))
            .collect(),
        table: all[0].1.clone(),
    })
}

fn options(random: &mut Random) -> Options {
    Options {
        rest: [0, 500, u64::MAX][random.between(0, 2)],
        whole: [0, u64::MAX][random.between(0, 1)],
        mask: [u64::MAX, 7, 1 << 20][random.between(0, 2)],
    }
}

#[test]
fn strong_quotients_are_those_of_one_machine() {
    check(30, 40, |lts, random| {
        let lts = match random.between(0, 2) {
            0 => shuffled(lts, random),
            _ => lts.clone(),
        };
        let options = options(random);
        let expected = on_one_machine(lts.clone(), Relation::Strong).unwrap();
        let all = fixture::on_parts(&lts, random, |worker, part| {
            let worker = &mut Meter::new(worker);
            minimize(
                worker,
                part.clone(),
                Relation::Strong,
                &options,
                None,
                &mut (),
            )
        });
        let found = joined(&all);
        if aut(&found) != aut(&expected.lts) {
            return Err(format!(
                "{} workers, {options:?}:\n{}\ninstead of\n{}",
                all.len(),
                aut(&found),
                aut(&expected.lts)
            ));
        }
        assert_eq!(all[0].reached, expected.states as u64);
        assert_eq!(all[0].states, expected.lts.states() as u64);
        assert_eq!(all[0].transitions, expected.lts.transitions() as u64);
        Ok(())
    });
}
