//! Against minimization in memory.

use std::cell::Cell;
use std::num::NonZeroU32;

use hyades_equivalence::Relation;
use hyades_formats::options::{Codec, WriteColumns};
use hyades_formats::plts::{self, Directory, Parts};
use hyades_formats::{
    LabelId, Lts, LtsBuilder, ReadOptions, StateId, WriteOptions, aut, write_lts,
};
use hyades_testing::{Random, check, shuffled};

use super::*;

/// What there is of an LTS: its initial state, and each transition.
fn text(lts: &Lts) -> String {
    let mut text = Vec::new();
    let options = WriteOptions::default();
    write_lts(
        lts,
        hyades_formats::Format::Aut,
        &mut text,
        &options,
        &mut |_| (),
    )
    .unwrap();
    String::from_utf8(text).unwrap()
}

/// Memory for the columns and little more.
fn tight(states: usize, more: u64) -> Options {
    Options::new(refinement::columns(states as u64) + (16 << 10) + more)
}

fn external(
    source: Source<'_>,
    relation: Relation,
    options: &Options,
) -> Result<(Minimized, Vec<Round>), Error> {
    let folder = tempfile::tempdir().unwrap();
    let scratch = TemporaryFolder::new(folder.path()).unwrap();
    let mut rounds = Vec::new();
    let minimal = minimize_in(source, relation, &scratch, options, &mut rounds)?;
    // Files go as soon as they are needed no more.
    let left = std::fs::read_dir(scratch.path()).unwrap().count();
    assert_eq!(left, 0);
    Ok((minimal, rounds))
}

fn minimize_in(
    source: Source<'_>,
    relation: Relation,
    scratch: &dyn Scratch,
    options: &Options,
    rounds: &mut Vec<Round>,
) -> Result<Minimized, Error> {
    let disk = Disk::new(scratch);
    let input = Input::new(&disk, source, None, options)?;
    super::minimize(input, relation, options, &mut |round| rounds.push(*round))
}

/// Compares with what is found in memory.
fn agrees(lts: &Lts, source: Source<'_>, options: &Options) -> Result<Vec<Round>, String> {
    agrees_by(Relation::Strong, lts, source, options)
}

fn agrees_by(
    relation: Relation,
    lts: &Lts,
    source: Source<'_>,
    options: &Options,
) -> Result<Vec<Round>, String> {
    let expected = hyades_equivalence::minimize(lts.clone(), relation).unwrap();
    // The minimal LTS has to fit, however little memory there is for the rest.
    let mut options = options.clone();
    let size = 32 * expected.lts.states() + 18 * expected.lts.transitions();
    options.memory = options
        .memory
        .max(refinement::columns(lts.states() as u64) + size as u64);
    let (found, rounds) =
        external(source, relation, &options).map_err(|error| error.to_string())?;
    if text(&found.lts) != text(&expected.lts) {
        return Err(format!(
            "{}\ninstead of\n{}",
            text(&found.lts),
            text(&expected.lts)
        ));
    }
    match (
        found.class == expected.class,
        found.states == expected.states,
    ) {
        (true, true) => Ok(rounds),
        _ => Err(format!("{:?} instead of {:?}", found.class, expected.class)),
    }
}

#[test]
fn random_systems_become_what_they_become_in_memory() {
    let with_rounds = Cell::new(0);
    check(30, 40, |lts, random| {
        let lts = match random.chance(30) {
            true => shuffled(lts, random),
            false => lts.clone(),
        };
        for streams_only in [true, false] {
            let options = Options {
                streams_only,
                ..tight(lts.states(), 0)
            };
            let rounds = agrees(&lts, passed(&lts), &options)?;
            with_rounds.set(with_rounds.get() + usize::from(rounds.len() > 2));
        }
        Ok(())
    });
    assert!(with_rounds.get() > 50, "{}", with_rounds.get());
}

/// A system of several thousand states, so that little memory is too little.
fn large(random: &mut Random, states: u32, degree: usize, copies: u32, labels: u32) -> Lts {
    let mut builder = LtsBuilder::new(states.into());
    for label in 0..labels {
        builder
            .table_mut()
            .intern(format!("A !{label}").as_bytes())
            .unwrap();
    }
    let classes = states / copies;
    // Copies of a random system: a class for each of its states at the most.
    for class in 0..classes {
        // From the initial state, at least, something is reached.
        let least = if class + 1 == classes { degree } else { 0 };
        for _ in 0..random.between(least, 2 * degree) {
            let label = LabelId::new(random.between(0, labels as usize) as u32);
            let target = random.between(0, classes as usize - 1) as u32;
            for copy in 0..copies {
                let other = random.between(0, copies as usize - 1) as u32;
                builder.add(
                    StateId::new(class + copy * classes),
                    label,
                    StateId::new(target + other * classes),
                );
            }
        }
    }
    builder.build(StateId::new(states - 1)).unwrap()
}

#[test]
fn rows_that_do_not_fit_are_streamed() {
    let mut random = Random::new(5);
    let mut copied = 0;
    for (states, degree, copies, labels) in [
        (5000, 3, 1, 2),
        (6000, 4, 3, 1),
        (4000, 2, 2, 40),
        (3000, 9, 1, 1),
    ] {
        let lts = large(&mut random, states, degree, copies, labels);
        for streams_only in [true, false] {
            let options = Options {
                streams_only,
                ..tight(states as usize, 8 << 10)
            };
            let rounds = agrees(&lts, passed(&lts), &options).unwrap();
            let read: Vec<u64> = rounds
                .windows(2)
                .map(|w| w[1].bytes_read - w[0].bytes_read)
                .collect();
            let (least, most) = (read.iter().min(), read.iter().max());
            copied += usize::from(
                least
                    .zip(most)
                    .is_some_and(|(least, most)| 2 * least < *most),
            );
        }
    }
    assert!(copied > 2, "{copied}");
}

#[test]
fn collisions_are_found_and_undone() {
    let mut random = Random::new(8);
    for copies in [1, 3] {
        let lts = large(&mut random, 1200, 3, copies, 2);
        for bits in [0, 1, 3, 8] {
            let options = Options {
                streams_only: true,
                mask: ((1 << bits) - 1) << 63,
                ..tight(1200, 4 << 10)
            };
            let rounds = agrees(&lts, passed(&lts), &options).unwrap();
            let full = Options {
                mask: u128::MAX,
                ..options
            };
            let without = agrees(&lts, passed(&lts), &full).unwrap();
            assert!(
                rounds.len() > without.len() || bits > 1,
                "{bits}: {}",
                rounds.len()
            );
        }
    }
}

#[test]
fn transitions_in_any_order_are_sorted() {
    let mut random = Random::new(3);
    let lts = large(&mut random, 3000, 4, 3, 3);
    let mut all: Vec<[u32; 3]> = lts
        .iter()
        .map(|(s, l, t)| [s.get(), l.get(), t.get()])
        .collect();
    for begins_sorted in [0, 1000, all.len() - 1] {
        for k in (begins_sorted + 1..all.len()).rev() {
            all.swap(k, random.between(begins_sorted, k));
        }
        let table = lts.table().clone();
        let source = Source::Passed(Box::new(|receiver| {
            for part in all.chunks(777) {
                receiver.take(part).unwrap();
            }
            Ok(Passed {
                states: 3000,
                initial: lts.initial(),
                table,
            })
        }));
        agrees(&lts, source, &tight(3000, 8 << 10)).unwrap();
        all = lts
            .iter()
            .map(|(s, l, t)| [s.get(), l.get(), t.get()])
            .collect();
    }
}

#[test]
fn rows_up_to_a_state_far_away_wait_for_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let scratch = TemporaryFolder::new(folder.path()).unwrap();
    let size = || -> u64 {
        let rows = std::fs::read_dir(scratch.path()).unwrap();
        let rows = rows.map(|entry| std::fs::read_dir(entry.unwrap().path()).unwrap());
        rows.flatten()
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum()
    };
    let source = Source::Passed(Box::new(|receiver| {
        for far in [1, 1 << 22, 1 << 25] {
            let before = size();
            receiver.take(&[[far, 0, 0], [far, 0, far]]).unwrap();
            // Of 2^22 states they are written.
            assert_eq!(size() > before + (1 << 20), far == 1 << 22, "{far}");
        }
        Err(ReadError::Format {
            file: "it".into(),
            text: "so many states are refused".into(),
        })
    }));
    let disk = Disk::new(&scratch);
    let Err(error) = Input::new(&disk, source, None, &Options::new(1 << 16)) else {
        panic!("it is read");
    };
    assert_eq!(error.to_string(), "it: so many states are refused");
}

#[test]
fn awkward_shapes() {
    let mut shapes = Vec::new();
    let n = 3000u32;
    let build = |steps: &dyn Fn(u32) -> Vec<(u32, u32)>, labels: u32, initial: u32| {
        let mut builder = LtsBuilder::new(n.into());
        for label in 0..labels {
            builder
                .table_mut()
                .intern(format!("{label}").as_bytes())
                .unwrap();
        }
        for s in 0..n {
            for (label, target) in steps(s) {
                builder.add(StateId::new(s), LabelId::new(label), StateId::new(target));
            }
        }
        builder.build(StateId::new(initial)).unwrap()
    };
    shapes.push(("no transitions", build(&|_| vec![], 0, n - 1)));
    shapes.push((
        "all equal",
        build(&|s| vec![(1, (s + 1) % n), (1, (s * 7) % n)], 1, 0),
    ));
    shapes.push((
        "a hub",
        build(
            &|s| match s {
                5 => (0..n).map(|t| (t % 3, t)).collect(),
                _ => vec![(s % 3, 5)],
            },
            2,
            5,
        ),
    ));
    shapes.push((
        "all labels differ",
        build(&|s| vec![(s, (s + 1) % n)], n, 0),
    ));
    shapes.push((
        "a chain",
        build(&|s| if s + 1 < n { vec![(1, s + 1)] } else { vec![] }, 1, 0),
    ));
    shapes.push((
        "a chain downwards, with a part that is not reached",
        build(
            &|s| {
                if s > 0 {
                    vec![(1, s - 1), (1, s - 1)]
                } else {
                    vec![]
                }
            },
            1,
            1700,
        ),
    ));
    shapes.push((
        "a ring with a mark",
        build(&|s| vec![(1 + u32::from(s == 77), (s + 1) % n)], 2, n - 1),
    ));
    for (what, lts) in shapes {
        // In memory, as there are as many rounds as states in a chain.
        let rounds = agrees(&lts, passed(&lts), &Options::new(1 << 20));
        rounds.unwrap_or_else(|error| panic!("{what}: {error}"));
        if !what.contains("chain") && !what.contains("ring") {
            // The engine in memory may take over once few states share their blocks.
            for streams_only in [true, false] {
                let options = Options {
                    streams_only,
                    ..tight(n as usize, 0)
                };
                let rounds = agrees(&lts, passed(&lts), &options);
                rounds.unwrap_or_else(|error| panic!("{what}: {error}"));
            }
        }
    }
}

#[test]
fn a_partitioned_lts_is_read_where_it_is() {
    let mut random = Random::new(12);
    let lts = large(&mut random, 3000, 3, 2, 5);
    let folder = tempfile::tempdir().unwrap();
    let mut files = Directory(folder.path().to_owned());
    let options = WriteOptions {
        parts: NonZeroU32::new(3),
        ..WriteOptions::default()
    };
    plts::write(&lts, &mut files, &options, &mut |_| ()).unwrap();
    for hidden in [vec![], vec![b"A !2".to_vec()]] {
        let options = ReadOptions {
            hidden,
            ..ReadOptions::default()
        };
        let source = || Parts::open(folder.path()).unwrap();
        let path = hyades_formats::Source::open(folder.path(), None).unwrap();
        let lts = hyades_formats::read_lts(path, &options, &mut |_| ()).unwrap();
        for streams_only in [true, false] {
            let memory = Options {
                streams_only,
                ..tight(3000, 300 << 10)
            };
            agrees(&lts, Source::Parts(Box::new(source()), &options), &memory).unwrap();
        }
    }
}

#[test]
fn an_exchanged_part_is_told() {
    // Of the same shape: only the targets differ.
    let cycle = |step: u32| {
        let mut builder = LtsBuilder::new(3001);
        for s in 0..3001 {
            let target = (s + step) % 3001;
            builder.add_text(s, b"A", target).unwrap();
        }
        builder.build(StateId::new(0)).unwrap()
    };
    let write = |lts: &Lts| {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Directory(folder.path().to_owned());
        let options = WriteOptions {
            columns: WriteColumns {
                codec: Some(Codec::None),
                ..WriteColumns::default()
            },
            parts: NonZeroU32::new(3),
            ..WriteOptions::default()
        };
        plts::write(lts, &mut files, &options, &mut |_| ()).unwrap();
        folder
    };
    let (one, other) = (write(&cycle(1)), write(&cycle(2)));
    let read = ReadOptions::default();
    for part in ["part-00000", "part-00001", "part-00002"] {
        let path = one.path().join(part);
        let own = std::fs::read(&path).unwrap();
        std::fs::copy(other.path().join(part), &path).unwrap();
        let parts = || Source::Parts(Box::new(Parts::open(one.path()).unwrap()), &read);
        for relation in [Relation::Strong, Relation::Branching] {
            for memory in [tight(3001, 100 << 10).memory, 1 << 30] {
                let Err(error) = external(parts(), relation, &Options::new(memory)) else {
                    panic!("{part}, {relation}, {memory}: no error");
                };
                let told = error.to_string();
                assert!(
                    told.contains(&format!("{part}: the XXH3 of the file is")),
                    "{told}"
                );
            }
        }
        std::fs::write(&path, own).unwrap();
        external(parts(), Relation::Strong, &Options::new(1 << 30)).unwrap();
    }
}

#[test]
fn blocks_of_an_input_take_memory() {
    let mut random = Random::new(14);
    let lts = large(&mut random, 40_000, 4, 1, 3);
    let folder = tempfile::tempdir().unwrap();
    let mut files = Directory(folder.path().to_owned());
    plts::write(&lts, &mut files, &WriteOptions::default(), &mut |_| ()).unwrap();
    let read = ReadOptions::default();
    let parts = || Parts::open(folder.path()).unwrap();
    let blocks = parts().largest_blocks();
    // One block of all.
    let transitions = lts.transitions() as u64;
    assert_eq!((blocks.states, blocks.transitions), (40_000, transitions));
    assert!(blocks.memory >= parts().manifest().parts[0].bytes);
    let held = blocks.memory + 8 * transitions + 12 * 40_000;
    let little = tight(40_000, held / 2);
    let source = || Source::Parts(Box::new(parts()), &read);
    let Err(Error::Memory { needed, .. }) = external(source(), Relation::Strong, &little) else {
        panic!("half of a block was enough");
    };
    assert!(needed > little.memory + held / 2, "{needed}");
    // That much is enough for what it is about.
    match external(source(), Relation::Strong, &Options::new(needed)) {
        Ok(_) => {}
        Err(Error::Memory { what, .. }) => assert!(what.contains("minimal LTS"), "{what}"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn too_little_memory_is_told() {
    let mut random = Random::new(12);
    let lts = large(&mut random, 3000, 3, 1, 5);
    for memory in [1, 4096, 14_000, 40_000] {
        match external(passed(&lts), Relation::Strong, &Options::new(memory)) {
            Err(Error::Memory { needed, .. }) => assert!(needed > memory),
            Err(error) => panic!("{memory}: {error}"),
            Ok(_) => panic!("{memory} bytes were enough"),
        }
    }
    let unread = Source::Passed(Box::new(|_| panic!("it is read")));
    let scratch = TemporaryFolder::new(&std::env::temp_dir()).unwrap();
    let disk = Disk::new(&scratch);
    let nothing = Input::new(&disk, unread, None, &Options::new(0));
    assert!(matches!(nothing, Err(Error::Memory { .. })));
}

/// A directory in which files of some kind are others than were written, or cannot be written.
struct Faulty<'a> {
    inner: TemporaryFolder,
    /// What names begin with.
    which: &'a str,
    /// What is found in them; nothing if the disk is full.
    found: Option<&'a [u8]>,
}

impl Scratch for Faulty<'_> {
    fn path(&self) -> &std::path::Path {
        self.inner.path()
    }

    fn create_folder(&self, name: &str) -> io::Result<()> {
        self.inner.create_folder(name)
    }

    fn create(&self, name: &str) -> io::Result<std::fs::File> {
        let file = self.inner.create(name)?;
        if !name.starts_with(self.which) {
            return Ok(file);
        }
        let Some(found) = self.found else {
            return std::fs::OpenOptions::new().write(true).open("/dev/full");
        };
        // Others read the file of this name, who writes has another one.
        let other = self.inner.create(&format!("{name}.other"))?;
        io::Write::write_all(&mut &file, found)?;
        Ok(other)
    }

    fn remove(&self, name: &str) {
        self.inner.remove(name);
    }
}

#[test]
fn damaged_files_and_full_disks_are_told() {
    let mut random = Random::new(4);
    let lts = large(&mut random, 3000, 4, 1, 3);
    let all: Vec<[u32; 3]> = lts
        .iter()
        .map(|(s, l, t)| [s.get(), l.get(), t.get()])
        .collect();
    for which in ["rows", "run", "keys"] {
        for found in [Some(&[7; 100][..]), Some(&[]), None] {
            let folder = tempfile::tempdir().unwrap();
            let scratch = Faulty {
                inner: TemporaryFolder::new(folder.path()).unwrap(),
                which,
                found,
            };
            let source = Source::Passed(Box::new(|receiver| {
                let failed = |error| ReadError::Io {
                    file: "input".into(),
                    error,
                };
                for part in all.rchunks(500) {
                    receiver.take(part).map_err(failed)?;
                }
                Ok(Passed {
                    states: 3000,
                    initial: StateId::new(0),
                    table: lts.table().clone(),
                })
            }));
            let options = Options {
                streams_only: true,
                ..tight(3000, 0)
            };
            let minimized = minimize_in(
                source,
                Relation::Strong,
                &scratch,
                &options,
                &mut Vec::new(),
            );
            let Err(error) = minimized else {
                panic!("{which}, {found:?}: no error");
            };
            let told = error.to_string();
            let expected = match found {
                None => "No space left",
                Some([]) => "damaged: it has been shortened",
                Some(_) => "damaged",
            };
            assert!(
                told.contains(expected) || found.is_some() && which == "rows",
                "{which}: {told}"
            );
            assert!(!told.contains("input"), "{told}");
        }
    }
}

/// Enough for branching bisimilarity, without room for rows to be streamed.
fn roomy(lts: &Lts, streams_only: bool) -> Options {
    let memory = (64 << 10) + 100 * lts.states() + 60 * lts.transitions();
    Options {
        streams_only,
        ..Options::new(memory as u64)
    }
}

#[test]
fn random_systems_with_hidden_transitions() {
    let with_rounds = Cell::new(0);
    check(10, 30, |lts, random| {
        let lts = match random.chance(30) {
            true => shuffled(lts, random),
            false => lts.clone(),
        };
        for relation in [Relation::Branching, Relation::DivBranching] {
            let reached = hyades_lts::reachable(lts.clone(), hyades_lts::Numbering::Ascending);
            let classes = match relation {
                Relation::Branching => hyades_testing::naive::branching(&reached),
                _ => hyades_testing::naive::divbranching(&reached),
            };
            let count = classes.iter().max().map_or(0, |&last| last as usize + 1);
            for bits in [128, 128, 3] {
                let options = Options {
                    mask: u128::MAX.checked_shr(128 - bits).unwrap_or(u128::MAX) << 31,
                    ..roomy(&lts, true)
                };
                let options = match bits {
                    3 => options,
                    _ => roomy(&lts, random.chance(50)),
                };
                let rounds = agrees_by(relation, &lts, passed(&lts), &options)?;
                with_rounds.set(with_rounds.get() + usize::from(rounds.len() > 2));
                let (found, _) = external(passed(&lts), relation, &options)
                    .map_err(|error| error.to_string())?;
                if found.lts.states() != count {
                    return Err(format!("{} classes by definition", count));
                }
            }
        }
        Ok(())
    });
    assert!(with_rounds.get() > 40, "{}", with_rounds.get());
}

/// Copies of a random system of which hidden transitions mostly lead down.
fn silent(random: &mut Random, states: u32, copies: u32, upwards: usize) -> Lts {
    let mut builder = LtsBuilder::new(states.into());
    for label in 0..3 {
        let text = format!("A !{label}");
        builder.table_mut().intern(text.as_bytes()).unwrap();
    }
    let classes = states / copies;
    for class in 0..classes {
        for _ in 0..random.between(1, 5) {
            let hidden = random.chance(45);
            let label = if hidden {
                0
            } else {
                random.between(1, 3) as u32
            };
            let highest = match hidden && class > 0 && !random.chance(upwards) {
                true => class - 1,
                false => classes - 1,
            };
            let target = random.between(0, highest as usize) as u32;
            for copy in 0..copies {
                let other = random.between(0, copies as usize - 1) as u32;
                builder.add(
                    StateId::new(class + copy * classes),
                    LabelId::new(label),
                    StateId::new(target + other * classes),
                );
            }
        }
    }
    builder.build(StateId::new(states - 1)).unwrap()
}

#[test]
fn large_systems_with_hidden_transitions() {
    let mut random = Random::new(21);
    let mut most = 0;
    for (states, copies, upwards) in [(3000, 1, 0), (3000, 3, 1), (2000, 2, 5), (1500, 1, 100)] {
        let lts = silent(&mut random, states, copies, upwards);
        for relation in [Relation::Branching, Relation::DivBranching] {
            for streams_only in [true, false] {
                let options = roomy(&lts, streams_only);
                let rounds = agrees_by(relation, &lts, passed(&lts), &options).unwrap();
                most = most.max(rounds.len());
            }
        }
    }
    assert!(most > 4, "{most}");
}

/// The classes of states without infinite paths are found at once.
#[test]
fn long_paths_take_a_round() {
    let states = 1600u32;
    let mut random = Random::new(5);
    let mut path = LtsBuilder::new(states.into());
    let mut forest = LtsBuilder::new(states.into());
    let mut lasso = LtsBuilder::new(states.into());
    let mut back = LtsBuilder::new(states.into());
    for state in 0..states - 1 {
        path.add_text(state, b"a", state + 1).unwrap();
        for _ in 0..random.between(0, 2) {
            let target = random.between(state as usize + 1, states as usize - 1) as u32;
            forest.add_text(state, b"a", target).unwrap();
        }
        forest.add_text(state, b"b", state + 1).unwrap();
        lasso.add_text(state, b"a", state + 1).unwrap();
        back.add_text(state + 1, b"a", state).unwrap();
    }
    // Three quarters lead to a loop, and the rest does not.
    let looped = states as usize / 4 * 3 + 1;
    lasso.add_text(states / 4 * 3, b"b", 0).unwrap();
    let [path, forest, lasso] =
        [path, forest, lasso].map(|builder| builder.build(StateId::new(0)).unwrap());
    let back = back.build(StateId::new(states - 1)).unwrap();
    let turned = shuffled(&path, &mut random);
    let options = Options {
        streams_only: true,
        ..Options::new(1 << 20)
    };
    for (lts, most) in [(path, 1), (back, 1), (forest, 1), (lasso, looped)] {
        let rounds = agrees(&lts, passed(&lts), &options).unwrap();
        assert!(rounds.len() <= most, "{}", rounds.len());
        assert!(rounds[0].live <= looped as u64, "{:?}", rounds[0]);
        // With as much memory as the result takes; what is left may be finished in it.
        let little = Options::new(0);
        let rounds = agrees(&lts, passed(&lts), &little).unwrap();
        assert!(rounds[0].live <= looped as u64, "{:?}", rounds[0]);
    }
    // In no order it is not worth it.
    let rounds = agrees(&turned, passed(&turned), &options).unwrap();
    assert!(rounds[0].live >= looped as u64, "{:?}", rounds[0]);
}

#[test]
fn too_little_memory_for_hidden_transitions_is_told() {
    let mut random = Random::new(2);
    let lts = silent(&mut random, 3000, 1, 2);
    let mut told = std::collections::BTreeSet::new();
    for memory in (0..80).map(|k| 5000 * k) {
        match external(passed(&lts), Relation::Branching, &Options::new(memory)) {
            Err(Error::Memory { what, needed }) => {
                assert!(needed > memory / 8, "{what}: {needed} with {memory}");
                told.insert(what);
            }
            Err(error) => panic!("{memory}: {error}"),
            Ok((found, _)) => {
                let expected = hyades_equivalence::minimize(lts.clone(), Relation::Branching);
                assert_eq!(text(&found.lts), text(&expected.unwrap().lts));
            }
        }
    }
    assert!(told.len() >= 2, "{told:?}");
    let error = external(passed(&lts), Relation::Trace, &Options::new(1 << 20));
    assert!(matches!(error, Err(Error::Relation(Relation::Trace))));
}

/// What there is of a minimal LTS on disk, as of one in memory.
fn text_of(found: &OnDisk<'_>) -> String {
    let initial = StateId::new(0);
    let mut text = Vec::new();
    let options = WriteOptions::default();
    let states = found.states();
    let sizes = (initial, found.transitions(), states);
    let labels = (found.labels(), found.table());
    let mut writer =
        aut::StreamWriter::announcing_labels(&mut text, &options, sizes, labels, &mut |_| ())
            .unwrap();
    let told = found.each(|rows| {
        writer.rows(&[rows], found.table(), &mut |_| ()).unwrap();
        Ok::<_, Error>(())
    });
    told.unwrap();
    writer.finish(initial, states).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn a_minimal_lts_that_does_not_fit_stays_on_disk() {
    let mut random = Random::new(31);
    let mut on_disk = 0;
    let systems = [
        large(&mut random, 4000, 3, 1, 2),
        large(&mut random, 4000, 3, 2, 12),
        silent(&mut random, 3000, 1, 0),
        silent(&mut random, 3000, 2, 2),
    ];
    for lts in systems {
        for relation in [
            Relation::Strong,
            Relation::Branching,
            Relation::DivBranching,
        ] {
            let expected = hyades_equivalence::minimize(lts.clone(), relation).unwrap();
            let states = lts.states() as u64;
            let tight = refinement::columns(states) + 18 * states + (24 << 10);
            let options = match relation {
                Relation::Strong => Options::new(tight),
                _ => Options {
                    stays: true,
                    ..roomy(&lts, random.chance(50))
                },
            };
            let folder = tempfile::tempdir().unwrap();
            let scratch = TemporaryFolder::new(folder.path()).unwrap();
            let disk = Disk::new(&scratch);
            let input = Input::new(&disk, passed(&lts), None, &options).unwrap();
            let found = minimize_to_disk(input, relation, &options, &mut |_| ()).unwrap();
            let (found, class, considered) = match found {
                Minimal::InMemory(found) => (text(&found.lts), found.class, found.states),
                Minimal::OnDisk(found) => {
                    on_disk += 1;
                    let used = expected.lts.used_labels();
                    let used = (0..).zip(used).filter_map(|(l, used)| used.then_some(l));
                    assert!(found.labels().iter().map(|l| l.get()).eq(used));
                    (text_of(&found), found.class.clone(), found.considered)
                }
            };
            assert!(found == text(&expected.lts), "{relation}");
            assert!(class == expected.class && considered == expected.states);
        }
    }
    assert!(on_disk > 8, "{on_disk}");
}
