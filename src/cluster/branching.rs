//! Branching and divergence-preserving branching bisimilarity by several workers.

use hyades_base::bits::Bits;

use crate::bottoms::Checked;
use crate::classes::Classes;
use crate::components::{HIDDEN, Nodes};
use crate::contraction::Contracted;
use crate::inductive::{Effort, Refinement};
use crate::meter::{Kind, Meter};
use crate::options::{Observer, Options};
use crate::part::{GlobalRows, Part};
use crate::reachable::reachable;
use crate::saved::Saved;
use crate::strong::{REACHED, element, step};
use crate::worker::{Long, Worker, exchange};
use crate::{Error, wire};

/// The classes of the states of a part.
pub(crate) struct Found {
    /// The part, whose rows are those of nodes.
    pub part: Part,
    pub classes: Classes,
    /// The rows of the classes of this worker.
    pub rows: GlobalRows,
    /// How many own states can be reached.
    pub reached: u64,
    pub rounds: u64,
    /// How often hashes have turned out to be equal though the signatures are not.
    pub attempts: u64,
    pub effort: Effort,
}

/// The classes of what can be reached from some states, by branching bisimilarity, which
/// may preserve divergence. Gives the part back if none of the transitions that can be
/// reached is hidden: then strong bisimilarity is the same.
///
/// # Errors
/// If another worker is lost, or there is no room.
// There is one at a time.
#[allow(clippy::result_large_err)]
pub(crate) fn classified(
    worker: &mut Meter<'_>,
    part: Part,
    roots: &[u64],
    divergence: bool,
    options: &Options,
    saved: Option<&Saved>,
    observer: &mut dyn Observer,
) -> Result<Result<Found, Part>, Error> {
    if saved.is_some_and(|saved| !saved.is_full()) {
        return Err(Error::Packet);
    }
    let search = worker.of(Kind::Search);
    let mut reached = Bits::new(part.states());
    match saved {
        Some(saved) => (0..part.states() as u32)
            .filter(|&state| saved.flags[state as usize] & REACHED != 0)
            .for_each(|state| _ = reached.insert(state)),
        None => {
            let seen = reachable(search, &part, roots)?;
            (0..part.states() as u32)
                .filter(|&state| seen.contains(state as usize))
                .for_each(|state| _ = reached.insert(state));
        }
    }
    let Some(nodes) = Nodes::find(search, &part, &reached, divergence, options)? else {
        return Ok(Err(part));
    };
    let contracted = Contracted::new(search, part, reached, nodes, divergence)?;
    let mut refinement = Refinement::new(worker, &contracted, saved, options)?;
    let Checked { names, bottoms } = refinement.run(worker, observer)?;
    let Refinement {
        block,
        rounds,
        attempt: attempts,
        effort,
        ..
    } = refinement;
    let Contracted {
        part,
        reached,
        nodes,
        names: nodes_here,
        divergence,
        ..
    } = contracted;
    let is_node = |state| nodes_here.contains(state);
    let mut classes = Classes::new(worker, &part, block, is_node, &names)?;
    drop(names);
    let worker = worker.of(Kind::Check);
    let rows = rows(worker, &part, &classes, divergence, &bottoms)?;
    nodes.spread(worker, &part, &reached, &mut classes.class)?;
    Ok(Ok(Found {
        part,
        classes,
        rows,
        reached: reached.count(),
        rounds,
        attempts,
        effort,
    }))
}

/// The rows of the classes of this worker, with classes as targets. `bottoms` are the own
/// states whose rows are those of classes with several members, and the first members of
/// these; a state that is alone in its class has its own row.
fn rows(
    worker: &mut dyn Worker,
    part: &Part,
    classes: &Classes,
    divergence: Option<u32>,
    bottoms: &[(u64, u32)],
) -> Result<GlobalRows, Error> {
    let own = part.ranges.of(part.index);
    let class_of = |place: u32| classes.class.get(place as usize);
    // One row may be most of what a worker has: its transitions are elements, of 8 bytes.
    let row_of = |state: u32, row: &mut Vec<u64>| {
        let own = class_of(state);
        let (labels, targets) = part.row(state as usize);
        row.clear();
        let steps = labels.iter().zip(targets);
        row.extend(steps.filter_map(|(&label, &target)| {
            let step = (label, class_of(target));
            match step {
                (label, _) if Some(label) == divergence => Some(element(HIDDEN, own)),
                step if step == (HIDDEN, own) => None,
                (label, class) => Some(element(label, class)),
            }
        }));
        row.sort_unstable();
        row.dedup();
    };
    let mut row = Vec::new();
    // The own first members with rows of others: those of own states; and rows that have been
    // told, with the ends of these.
    let mut of: Vec<(u32, RowOf)> = Vec::new();
    let (mut told, mut ends): (Vec<u64>, Vec<usize>) = (Vec::new(), vec![0]);
    let is_here = |bottom: &(u64, u32)| own.contains(&bottom.0);
    let (here, there): (Vec<_>, Vec<_>) = bottoms.iter().copied().partition(is_here);
    for (name, state) in here {
        of.push(((name - own.start) as u32, RowOf::Own(state)));
    }
    let mut long = Long::new(worker.peers());
    exchange(
        worker,
        |outbox| {
            there.iter().try_for_each(|&(name, state)| {
                row_of(state, &mut row);
                let to = part.ranges.owner(name);
                outbox.long(to, &row, |packet| wire::put_state(packet, name))
            })
        },
        |from, records| {
            while !records.is_empty() {
                if let Some(row) = long.read(from, records)? {
                    let name = records.state()?;
                    if !own.contains(&name) {
                        return Err(Error::Packet);
                    }
                    of.push(((name - own.start) as u32, RowOf::Told(ends.len() - 1)));
                    told.extend_from_slice(row);
                    ends.push(told.len());
                }
            }
            Ok(())
        },
    )?;
    drop(long);
    of.sort_unstable_by_key(|of| of.0);
    let mut rows = GlobalRows::with_capacity(classes.first.len(), told.len());
    let mut next = of.iter().peekable();
    for &state in &classes.first {
        let of = next.next_if(|next| next.0 == state);
        let row: &[u64] = match of.map_or(RowOf::Own(state), |&(_, of)| of) {
            RowOf::Told(place) => &told[ends[place]..ends[place + 1]],
            RowOf::Own(of) => {
                row_of(of, &mut row);
                &row
            }
        };
        rows.push(row.iter().map(|&element| step(element)));
    }
    match next.peek() {
        None => Ok(rows),
        Some(_) => Err(Error::Packet),
    }
}

/// Whose row is that of a class.
#[derive(Clone, Copy)]
enum RowOf {
    /// That of an own state.
    Own(u32),
    /// That of a state of another worker: its place among those that have been told.
    Told(usize),
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use hyades_equivalence::{Relation, minimize};
    use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
    use hyades_testing::{Random, aut, check, naive, shuffled};

    use super::classified;
    use crate::classes::NO_CLASS;
    use crate::fixture;
    use crate::inductive::Effort;
    use crate::meter::{Kind, Meter};
    use crate::options::{Observer, Options, Phase, Round};
    use crate::quotient::ClassRows;

    /// How much there was to do, of all workers.
    #[derive(Default)]
    struct Worked {
        rounds: Cell<u64>,
        waves: Cell<u64>,
        repeated: Cell<u64>,
        questions: Cell<u64>,
        sparse: Cell<u64>,
    }

    /// Counts sparse rounds.
    struct Sparse(u64);

    impl Observer for Sparse {
        fn round(&mut self, round: &Round) {
            self.0 += u64::from(round.phase == Phase::Sparse);
        }
    }

    impl Worked {
        fn add(&self, rounds: u64, sparse: u64, effort: Effort) {
            let add = |cell: &Cell<u64>, more| cell.set(cell.get() + more);
            add(&self.rounds, rounds);
            add(&self.sparse, sparse);
            add(&self.waves, effort.waves);
            add(&self.repeated, effort.repeated);
            add(&self.questions, effort.questions);
        }
    }

    /// Compares what workers find with what one machine does.
    fn agrees(
        lts: &Lts,
        relation: Relation,
        options: &Options,
        random: &mut Random,
        worked: &Worked,
    ) -> Result<(), String> {
        let divergence = relation == Relation::DivBranching;
        let all = fixture::on_parts(lts, random, |worker, part| {
            let worker = &mut Meter::new(worker);
            let roots = [part.initial];
            let own = part.states();
            let part = part.clone();
            let mut sparse = Sparse(0);
            let found = classified(worker, part, &roots, divergence, options, None, &mut sparse)?;
            let Ok(found) = found else { return Ok(None) };
            let initial = found.classes.of(worker, &found.part, found.part.initial)?;
            let rows = ClassRows {
                ranges: found.classes.ranges,
                initial,
                table: found.part.table,
                rows: found.rows,
            };
            let whole = rows.whole(worker.of(Kind::Quotient))?;
            let class: Vec<u64> = (0..own).map(|s| found.classes.class.get(s)).collect();
            Ok(Some((
                whole,
                class,
                found.reached,
                (found.rounds, sparse.0),
                found.effort,
            )))
        });
        let expected = minimize(lts.clone(), relation).unwrap();
        let peers = all.len();
        let Some(all) = all.into_iter().collect::<Option<Vec<_>>>() else {
            // Without hidden transitions there is nothing to do.
            let is_reached = |state: StateId| expected.class[state.index()] != u32::MAX;
            return match lts.iter().any(|(s, l, _)| l.is_hidden() && is_reached(s)) {
                true => Err("hidden transitions are overlooked".into()),
                false => Ok(()),
            };
        };
        let reached = all.iter().map(|one| one.2).sum::<u64>();
        let (mut minimal, mut class) = (None, Vec::new());
        for (whole, own, _, (rounds, sparse), effort) in all {
            worked.add(rounds, sparse, effort);
            minimal = minimal.or(whole);
            class.extend(own);
        }
        let (minimal, number) = minimal.expect("worker 0 has it");
        let (found, wanted) = (aut(&minimal), aut(&expected.lts));
        if found != wanted {
            return Err(format!("{peers} workers: {found}\ninstead of\n{wanted}"));
        }
        let class = class.iter().map(|&class| match class {
            NO_CLASS => u32::MAX,
            class => number[class as usize],
        });
        let class: Vec<u32> = class.collect();
        match class == expected.class && reached == expected.states as u64 {
            true => Ok(()),
            false => Err(format!("{class:?} instead of {:?}", expected.class)),
        }
    }

    const RELATIONS: [Relation; 2] = [Relation::Branching, Relation::DivBranching];

    fn options(random: &mut Random) -> Options {
        Options {
            rest: [0, 0, 500, u64::MAX][random.between(0, 3)],
            small: [0, u64::MAX][random.between(0, 1)],
            ..Options::new(0)
        }
    }

    #[test]
    fn random_systems_become_what_they_become_in_memory() {
        let worked = Worked::default();
        check(60, 40, |lts, random| {
            let lts = match random.chance(30) {
                true => shuffled(lts, random),
                false => lts.clone(),
            };
            RELATIONS
                .into_iter()
                .try_for_each(|relation| agrees(&lts, relation, &options(random), random, &worked))
        });
        let Worked {
            waves,
            questions,
            sparse,
            ..
        } = worked;
        assert!(
            waves.get() > 1000 && questions.get() > 100 && sparse.get() > 30,
            "{waves:?} {questions:?} {sparse:?}"
        );
    }

    #[test]
    fn classes_are_as_many_as_by_definition() {
        check(20, 25, |lts, random| {
            let reached = hyades_lts::reachable(lts.clone(), hyades_lts::Numbering::Ascending);
            for relation in RELATIONS {
                let classes = match relation {
                    Relation::Branching => naive::branching(&reached),
                    _ => naive::divbranching(&reached),
                };
                let minimal = minimize(lts.clone(), relation).unwrap();
                let count = classes.iter().max().map_or(0, |&last| last as usize + 1);
                if minimal.lts.states() != count {
                    return Err(format!("{count} classes by definition"));
                }
                agrees(lts, relation, &options(random), random, &Worked::default())?;
            }
            Ok(())
        });
    }

    #[test]
    fn collisions_are_found_and_undone() {
        let (full, masked) = (Worked::default(), Worked::default());
        check(30, 20, |lts, random| {
            RELATIONS.into_iter().try_for_each(|relation| {
                let options = Options {
                    rest: 0,
                    ..Options::new(0)
                };
                agrees(lts, relation, &options, &mut random.clone(), &full)?;
                let options = Options {
                    mask: [0b111 << 20, 0b110 << 30][random.between(0, 1)],
                    ..options
                };
                agrees(lts, relation, &options, random, &masked)
            })
        });
        let more = masked.rounds.get() - full.rounds.get();
        assert!(
            more > 50 && masked.repeated.get() > 10,
            "{more} {:?}",
            masked.repeated
        );
    }

    fn built(states: u32, initial: u32, steps: impl Iterator<Item = [u32; 3]>) -> Lts {
        let mut builder = LtsBuilder::new(states.into());
        for label in [b"a", b"b"] {
            builder.table_mut().intern(label).unwrap();
        }
        for [source, label, target] in steps {
            builder.add(
                StateId::new(source),
                LabelId::new(label),
                StateId::new(target),
            );
        }
        builder.build(StateId::new(initial)).unwrap()
    }

    /// How often one worker has refined the rest.
    struct Rests(u64);

    impl Observer for Rests {
        fn round(&mut self, round: &Round) {
            self.0 += u64::from(round.phase == Phase::Rest);
        }
    }

    /// The final blocks that live states lead to are states of the rest, too.
    #[test]
    fn the_rest_has_room_with_its_final_blocks() {
        let many = 400;
        let mut builder = LtsBuilder::new(u64::from(many) + 12);
        // Two states with long rows, and a path that takes some rounds.
        builder.add(StateId::new(0), LabelId::HIDDEN, StateId::new(1));
        for target in [2, 3] {
            builder.add_text(0, b"a", target).unwrap();
        }
        for source in 3..11 {
            builder.add_text(source, b"a", source + 1).unwrap();
        }
        for leaf in 12..many + 12 {
            builder.add_text(1, b"a", leaf).unwrap();
            builder.add_text(2, b"a", leaf).unwrap();
            let own = format!("own {leaf}");
            builder.add_text(leaf, own.as_bytes(), 0).unwrap();
        }
        let lts = builder.build(StateId::new(0)).unwrap();
        let mut random = Random::new(3);
        for (rest, is_gathered) in [(50_000, false), (1 << 20, true)] {
            let options = Options {
                rest,
                ..Options::new(0)
            };
            let all = fixture::on_parts(&lts, &mut random, |worker, part| {
                let (roots, part) = ([part.initial], part.clone());
                let (worker, mut rests) = (&mut Meter::new(worker), Rests(0));
                _ = classified(worker, part, &roots, true, &options, None, &mut rests)?;
                Ok(rests.0)
            });
            assert!(
                all.iter().all(|&rests| (rests > 0) == is_gathered),
                "{all:?}"
            );
            agrees(
                &lts,
                Relation::Branching,
                &options,
                &mut random,
                &Worked::default(),
            )
            .unwrap();
        }
    }

    #[test]
    fn families_of_hidden_paths() {
        let n = 300;
        let families = [
            // A hidden ring with one visible step, and with one at each third state.
            built(
                n,
                0,
                (0..n).map(|s| [s, 0, (s + 1) % n]).chain([[77, 1, 0]]),
            ),
            built(
                n,
                5,
                (0..n).flat_map(|s| [[s, 0, (s * 7 + 1) % n], [s, 1 + s % 2, s / 3]]),
            ),
            // Hidden chains, up and down, with visible steps on the way.
            built(n, 0, (1..n).map(|s| [s - 1, 0, s]).chain([[n - 1, 1, 0]])),
            built(
                n,
                n - 1,
                (1..n).map(|s| [s, 0, s - 1]).chain([[0, 1, n - 1]]),
            ),
            built(
                n,
                0,
                (1..n).flat_map(|s| [[s - 1, 0, s], [s, 1 + s % 2, s - 1]]),
            ),
            built(
                n,
                0,
                (1..n).flat_map(|s| [[s - 1, 0, s], [s - 1, 1, n - 1]]),
            ),
            // A hidden star, there and back.
            built(
                n,
                0,
                (1..n).flat_map(|s| [[0, 0, s], [s, s % 3, 0], [s, 1, s]]),
            ),
            // A ladder of two hidden paths with visible rungs.
            built(
                n,
                0,
                (2..n).flat_map(|s| [[s - 2, 0, s], [s, 1 + s % 2, s ^ 1]]),
            ),
            // Two copies of a ring of which every other step is hidden, with one mark: many
            // rounds, in which few blocks split.
            built(
                n,
                0,
                (0..n)
                    .flat_map(|s| {
                        let (place, next) = (s % 150, (s + 1) % 150);
                        [[s, place % 2, next], [s, place % 2, 150 + next]]
                    })
                    .chain([[77, 2, 0], [227, 2, 0]]),
            ),
            // A hidden tree, with visible leaves.
            built(
                n,
                0,
                (1..n)
                    .map(|s| [(s - 1) / 2, 0, s])
                    .chain((150..n).map(|s| [s, 1 + s % 2, 0])),
            ),
        ];
        let mut random = Random::new(9);
        let worked = Worked::default();
        for (number, lts) in families.iter().enumerate() {
            for relation in RELATIONS {
                for _ in 0..6 {
                    let options = options(&mut random);
                    let result = agrees(lts, relation, &options, &mut random, &worked);
                    result.unwrap_or_else(|error| panic!("{number}, {relation}: {error}"));
                }
            }
        }
        assert!(worked.sparse.get() > 100, "{:?}", worked.sparse);
    }
}
