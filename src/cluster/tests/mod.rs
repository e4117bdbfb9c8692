//! Results are those of one machine.

mod checkpoint;
mod output;
mod read;

use std::cell::Cell;
use std::sync::Mutex;

use hyades_equivalence::{Relation, minimize as on_one_machine};
use hyades_formats::{LabelId, Lts, LtsParts, Offsets, StateId};
use hyades_testing::{Random, aut, check, shuffled};
use hyades_testing::{random_pair, union};

use crate::Error;
use crate::classes::{NO_CLASS, composed};
use crate::equiv::{equivalent, side_by_side};
use crate::fixture;
use crate::meter::Meter;
use crate::minimize::{Minimal, Minimized, minimize};
use crate::options::{Observer, Options, Phase, Round};
use crate::quotient::Parts;
use crate::read::Input;
use crate::saved::{Header, Saved, Snapshot};
use crate::threads;
use crate::worker::Worker;

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
        patience: [0, 3][random.between(0, 1)],
        whole: [0, u64::MAX][random.between(0, 1)],
        small: [0, u64::MAX][random.between(0, 1)],
        mask: [u64::MAX, 7, 1 << 20][random.between(0, 2)],
        classes: false,
    }
}

const RELATIONS: [Relation; 3] = [
    Relation::Strong,
    Relation::Branching,
    Relation::DivBranching,
];

/// The same without collisions: for relations by which equal hashes are undone in rounds.
fn without_collisions(options: Options) -> Options {
    Options {
        mask: u64::MAX,
        ..options
    }
}

#[test]
fn branching_quotients_are_those_of_one_machine() {
    check(30, 40, |lts, random| {
        let lts = match random.between(0, 2) {
            0 => shuffled(lts, random),
            _ => lts.clone(),
        };
        for relation in [Relation::Branching, Relation::DivBranching] {
            let options = without_collisions(options(random));
            let expected = on_one_machine(lts.clone(), relation).unwrap();
            let all = fixture::on_parts(&lts, random, |worker, part| {
                let worker = &mut Meter::new(worker);
                minimize(worker, part.clone(), relation, &options, None, &mut ())
            });
            let found = joined(&all);
            if aut(&found) != aut(&expected.lts) {
                return Err(format!(
                    "{} workers, {options:?}: {}",
                    all.len(),
                    aut(&found)
                ));
            }
            assert_eq!(all[0].reached, expected.states as u64);
            assert_eq!(all[0].states, expected.lts.states() as u64);
            assert_eq!(all[0].transitions, expected.lts.transitions() as u64);
        }
        Ok(())
    });
}

#[test]
fn strong_quotients_are_those_of_one_machine() {
    let attempts = Cell::new(0);
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
        attempts.set(attempts.get() + all[0].attempts);
        assert_eq!(all[0].reached, expected.states as u64);
        assert_eq!(all[0].states, expected.lts.states() as u64);
        assert_eq!(all[0].transitions, expected.lts.transitions() as u64);
        Ok(())
    });
    assert!(
        attempts.get() > 50,
        "{} times sums were equal",
        attempts.get()
    );
}

/// Classes are those of one machine, and all kinds of rounds take place.
#[test]
fn classes_are_those_of_one_machine() {
    let phases = Mutex::new([0; 3]);
    struct Count<'a>(&'a Mutex<[u32; 3]>, u64);
    impl Observer for Count<'_> {
        fn round(&mut self, round: &Round) {
            assert_eq!(round.number, self.1 + 1, "rounds are counted");
            assert!(round.blocks > 0);
            self.1 = round.number;
            self.0.lock().unwrap()[round.phase as usize] += 1;
        }
    }
    check(40, 60, |lts, random| {
        let relation = RELATIONS[random.between(0, 2)];
        let options = Options {
            classes: true,
            ..options(random)
        };
        let options = match relation {
            Relation::Strong => options,
            _ => without_collisions(options),
        };
        let expected = on_one_machine(lts.clone(), relation).unwrap();
        let all = fixture::on_parts(lts, random, |worker, part| {
            let worker = &mut Meter::new(worker);
            let mut count = Count(&phases, 0);
            minimize(worker, part.clone(), relation, &options, None, &mut count)
        });
        let found: Vec<u64> = all
            .iter()
            .flat_map(|one| {
                let class = one.class.as_ref().expect("it is asked for");
                (0..class.len()).map(|state| class.get(state))
            })
            .collect();
        let expected: Vec<u64> = expected
            .class
            .iter()
            .map(|&class| match class {
                hyades_equivalence::Minimized::NO_CLASS => NO_CLASS,
                class => class.into(),
            })
            .collect();
        match found == expected {
            true => Ok(()),
            false => Err(format!("{options:?}: {found:?} instead of {expected:?}")),
        }
    });
    let [dense, sparse, rest] = phases.into_inner().unwrap();
    assert!(
        dense > 500 && sparse > 100 && rest > 20,
        "{dense} {sparse} {rest}"
    );
    assert_eq!(
        [
            Phase::Dense as usize,
            Phase::Sparse as usize,
            Phase::Rest as usize
        ],
        [0, 1, 2]
    );
}

#[test]
fn a_minimal_lts_is_minimized_once_more() {
    let whole = Mutex::new([0; 2]);
    check(25, 50, |lts, random| {
        let relations = [0, 1].map(|_| RELATIONS[random.between(0, 2)]);
        let options = without_collisions(Options {
            classes: true,
            ..options(random)
        });
        let before = on_one_machine(lts.clone(), relations[0]).unwrap();
        let after = on_one_machine(before.lts, relations[1]).unwrap();
        let all = fixture::on_parts(lts, random, |worker, part| {
            let worker = &mut Meter::new(worker);
            let (table, ranges) = (part.table.clone(), part.ranges.clone());
            let part = part.clone();
            let first = minimize(worker, part, relations[0], &options, None, &mut ())?;
            whole.lock().unwrap()[usize::from(matches!(first.lts, Minimal::Whole(_)))] += 1;
            let part = first.lts.into_part(worker, table)?;
            let between = part.ranges.clone();
            assert_eq!(part.ranges.states(), first.states);
            let mut next = minimize(worker, part, relations[1], &options, None, &mut ())?;
            let (class, of) = (first.class.unwrap(), next.class.take().unwrap());
            assert_eq!(ranges.of(worker.index()).count(), class.len());
            next.class = Some(composed(worker, class, between, &of)?);
            Ok(next)
        });
        let found = joined(&all);
        if aut(&found) != aut(&after.lts) {
            return Err(format!("{relations:?}, {options:?}:\n{}", aut(&found)));
        }
        let class = all.iter().flat_map(|one| {
            let class = one.class.as_ref().unwrap();
            (0..class.len()).map(|state| class.get(state))
        });
        let expected = before.class.iter().map(|&class| match class {
            hyades_equivalence::Minimized::NO_CLASS => NO_CLASS,
            class => after.class[class as usize].into(),
        });
        match class.eq(expected) {
            true => Ok(()),
            false => Err(format!("{relations:?}, {options:?}: other classes")),
        }
    });
    assert!(whole.into_inner().unwrap().iter().all(|&count| count > 100));
}

/// What was saved in each round.
type Rounds = Vec<(Header, Vec<u8>)>;

/// Saves the state of each round.
#[derive(Default)]
struct Saving(Rounds);

impl Observer for Saving {
    fn is_due(&mut self) -> bool {
        true
    }

    fn save(&mut self, snapshot: &Snapshot<'_>) -> Result<(), Error> {
        let mut bytes = Vec::new();
        let states = snapshot.states();
        snapshot.each(0..states, |some| {
            bytes.extend_from_slice(some);
            Ok::<_, Error>(())
        })?;
        assert_eq!(bytes.len(), states * Snapshot::BYTES);
        let header = Header::from_bytes(&snapshot.header.to_bytes())?;
        assert_eq!(header, *snapshot.header);
        self.0.push((header, bytes));
        Ok(())
    }
}

#[test]
fn other_workers_go_on_from_any_round() {
    let resumed = Cell::new(0);
    check(25, 50, |lts, random| {
        let relation = RELATIONS[random.between(0, 2)];
        let options = match relation {
            Relation::Strong => options(random),
            _ => without_collisions(options(random)),
        };
        let expected = aut(&on_one_machine(lts.clone(), relation).unwrap().lts);
        let all = fixture::on_parts(lts, random, |worker, part| {
            let worker = &mut Meter::new(worker);
            let mut saving = Saving::default();
            minimize(worker, part.clone(), relation, &options, None, &mut saving)?;
            Ok(saving.0)
        });
        for round in 0..all[0].len() {
            let header = all[0][round].0;
            let bytes: Vec<u8> = all.iter().flat_map(|one| one[round].1.clone()).collect();
            resumed.set(resumed.get() + 1);
            let again = fixture::on_parts(lts, random, |worker, part| {
                let own = part.ranges.of(part.index);
                let mut saved = Saved::new(header, part)?;
                let place = |state: u64| state as usize * Snapshot::BYTES;
                let own = &bytes[place(own.start)..place(own.end)];
                for some in own.chunks(7 * Snapshot::BYTES) {
                    saved.take(some)?;
                }
                assert!(saved.is_full() && saved.take(&[0; Snapshot::BYTES]).is_err());
                let worker = &mut Meter::new(worker);
                minimize(
                    worker,
                    part.clone(),
                    relation,
                    &options,
                    Some(saved),
                    &mut (),
                )
            });
            if aut(&joined(&again)) != expected {
                return Err(format!("another result from round {}", round + 1));
            }
        }
        Ok(())
    });
    assert!(resumed.get() > 200, "{} rounds", resumed.get());
}

#[test]
fn what_is_equivalent_is_equivalent_on_one_machine() {
    let mut random = Random::new(20);
    let mut seen = [0, 0];
    for _ in 0..800 {
        let (first, second) = random_pair(&mut random);
        let (joint, one, other) = union(&first, &second);
        let relation = RELATIONS[random.between(0, 2)];
        let classes = hyades_equivalence::partition(&joint, relation).unwrap();
        let expected = classes.class(one) == classes.class(other);
        seen[usize::from(expected)] += 1;
        let options = match relation {
            Relation::Strong => options(&mut random),
            _ => without_collisions(options(&mut random)),
        };
        let peers = random.between(1, 4);
        let input = |lts: &Lts, ranges: &crate::ranges::Ranges, index| Input {
            ranges: ranges.clone(),
            initial: lts.initial().get().into(),
            table: lts.table().clone(),
            rows: fixture::rows(lts, ranges, index),
        };
        let of_first = fixture::ranges(first.states() as u64, peers, &mut random);
        let of_second = fixture::ranges(second.states() as u64, peers, &mut random);
        let all = threads::run(peers, 64, |worker| {
            let index = worker.index();
            let (first, second) = (
                input(&first, &of_first, index),
                input(&second, &of_second, index),
            );
            let worker = &mut Meter::new(worker);
            let both = side_by_side(worker, first, second)?;
            equivalent(worker, both, relation, &options, None, &mut ())
        });
        for (index, one) in all.into_iter().enumerate() {
            let compared = one.unwrap();
            assert_eq!(compared.holds, expected);
            let is_told = index == 0 && !expected && options.whole > 0;
            assert_eq!(compared.minimal.is_some(), is_told);
            let Some((one, other)) = compared.minimal else {
                continue;
            };
            for (minimal, lts) in [(one, &first), (other, &second)] {
                let small = on_one_machine(lts.clone(), relation).unwrap().lts;
                assert_eq!(minimal.states(), small.states());
                let same = hyades_equivalence::compare(minimal, small, relation);
                assert!(same.unwrap().holds());
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}
