//! Checkpoints in a directory.

use std::cell::Cell;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hyades_equivalence::{Relation, minimize as on_one_machine};
use hyades_formats::{Lts, LtsBuilder, StateId};
use hyades_testing::{Random, aut, check, from_aut};

use super::joined;
use crate::checkpoint::{About, Checkpoints, resume, with_sum};
use crate::meter::Meter;
use crate::minimize::{Minimized, minimize};
use crate::options::{Observer, Options, Round};
use crate::part::Part;
use crate::ranges::{Layout, Ranges};
use crate::saved::Snapshot;
use crate::worker::Worker;
use crate::{Error, fixture};

/// Makes a checkpoint of each round.
struct Kept(Checkpoints);

impl Observer for Kept {
    fn round(&mut self, _: &Round) {
        self.0.seal().unwrap();
    }

    fn is_due(&mut self) -> bool {
        self.0.is_due()
    }

    fn save(&mut self, snapshot: &Snapshot<'_>) -> Result<(), Error> {
        self.0.save(snapshot)
    }
}

fn about() -> About {
    About {
        relation: "strong".into(),
        lts: "this one".into(),
    }
}

/// Nothing is refined by one worker alone, so that there are many rounds.
fn options() -> Options {
    Options::new(0)
}

fn checkpoints(directory: &Path, run: u64, index: usize, ranges: &Ranges) -> Checkpoints {
    let layout = layout(ranges);
    Checkpoints::new(directory, run, index, about(), layout, Duration::ZERO).unwrap()
}

fn layout(ranges: &Ranges) -> Layout {
    Layout::new(vec![ranges.clone()])
}

/// Where it does not matter who has what.
fn any() -> Ranges {
    Ranges::even(0, 3)
}

/// Minimizes with checkpoints.
fn save(lts: &Lts, random: &mut Random, directory: &Path, run: u64) -> Vec<Minimized> {
    fixture::on_parts(lts, random, |worker, part| {
        let kept = checkpoints(directory, run, worker.index(), &part.ranges);
        let mut kept = Kept(kept);
        let worker = &mut Meter::new(worker);
        let part = part.clone();
        minimize(worker, part, Relation::Strong, &options(), None, &mut kept)
    })
}

/// Goes on from a checkpoint.
fn go_on(worker: &mut dyn Worker, part: &Part, directory: &Path) -> Result<Minimized, Error> {
    let saved = resume(worker, directory, &about(), part, &layout(&part.ranges))?;
    let worker = &mut Meter::new(worker);
    minimize(
        worker,
        part.clone(),
        Relation::Strong,
        &options(),
        Some(saved),
        &mut (),
    )
}

/// What each worker comes to that loads the last checkpoint.
fn loaded(lts: &Lts, random: &mut Random, directory: &Path) -> Vec<Result<(), Error>> {
    fixture::on_parts(lts, random, |worker, part| {
        Ok(resume(worker, directory, &about(), part, &layout(&part.ranges)).map(drop))
    })
}

/// The checkpoints that are whole.
fn whole(directory: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(directory)
        .unwrap()
        .map(|it| it.unwrap().path());
    all.filter(|path| path.join("manifest.json").exists())
        .collect()
}

#[test]
fn any_number_of_workers_goes_on() {
    let resumed = Cell::new(0);
    check(10, 60, |lts, random| {
        let expected = aut(&on_one_machine(lts.clone(), Relation::Strong).unwrap().lts);
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        fs::write(directory.join("other"), "").unwrap();
        // What may be of another run, which goes on meanwhile.
        let theirs = "round-00000001-0000000000000001-0000000000000077";
        fs::create_dir(directory.join(theirs)).unwrap();
        for run in 0..2 {
            // What a run before has left is replaced.
            assert_eq!(aut(&joined(&save(lts, random, directory, run))), expected);
            let whole = whole(directory);
            assert!(whole.len() <= 1, "{whole:?}");
            if whole.is_empty() {
                return Ok(());
            }
            resumed.set(resumed.get() + 1);
            let again =
                fixture::on_parts(lts, random, |worker, part| go_on(worker, part, directory));
            if aut(&joined(&again)) != expected {
                return Err("another result".into());
            }
        }
        // What a run of the same has left that was killed.
        let own = &whole(directory)[0];
        let (name, _) = own.to_str().unwrap().rsplit_once('-').unwrap();
        fs::create_dir(format!("{name}-0000000000000099")).unwrap();
        (0..3).for_each(|index| checkpoints(directory, 0, index, &any()).finish().unwrap());
        let left = fs::read_dir(directory)
            .unwrap()
            .map(|it| it.unwrap().file_name());
        let mut left: Vec<_> = left.collect();
        left.sort();
        assert_eq!(left, ["other", theirs]);
        Ok(())
    });
    assert!(resumed.get() > 50, "{}", resumed.get());
}

#[test]
fn a_checkpoint_of_the_same_comes_first() {
    let lts = large();
    let mut random = Random::new(2);
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    save(&lts, &mut random, directory, 7);
    let [own] = &whole(directory)[..] else {
        panic!("one checkpoint is whole");
    };
    // One of something else, of a later round.
    let theirs = directory.join("round-00000099-0000000000000001-0000000000000008");
    fs::create_dir(&theirs).unwrap();
    let text = fs::read_to_string(own.join("manifest.json")).unwrap();
    let text = text.replacen("this one", "that one", 1);
    fs::write(theirs.join("manifest.json"), with_sum(&text)).unwrap();
    let loaded = loaded(&lts, &mut random, directory);
    assert!(loaded.iter().all(Result::is_ok));
    (0..3).for_each(|index| checkpoints(directory, 9, index, &any()).finish().unwrap());
    assert_eq!(whole(directory), [theirs]);
}

#[test]
fn hashes_tell_systems_apart() {
    let text = "des (0, 4, 4)\n(0, a, 1)\n(0, b, 2)\n(1, i, 3)\n(2, a, 3)\n";
    let hash = |text: &str, seed: u64| {
        let lts = from_aut(text);
        let all = fixture::on_parts(&lts, &mut Random::new(seed), |worker, part| {
            part.hash_of_all(worker, &[part.initial], &layout(&part.ranges))
        });
        assert!(all.iter().all(|one| *one == all[0]));
        all[0]
    };
    let own = hash(text, 0);
    assert!((1..20).all(|seed| hash(text, seed) == own));
    // The rows in another order, so that labels have other numbers.
    let turned = "des (0, 4, 4)\n(0, b, 2)\n(0, a, 1)\n(1, i, 3)\n(2, a, 3)\n";
    assert_eq!(hash(turned, 0), own);
    for (from, to) in [
        ("(0, 4, 4)", "(1, 4, 4)"),
        ("(0, 4, 4)", "(0, 4, 5)"),
        ("(0, a, 1)", "(0, i, 1)"),
        ("(1, i, 3)", "(1, \"\", 3)"),
        ("(2, a, 3)", "(2, a, 2)"),
        ("(2, a, 3)", "(2, b, 3)"),
    ] {
        assert_ne!(hash(&text.replace(from, to), 0), own, "{to}");
    }
}

/// More than one block of states.
fn large() -> Lts {
    let states = 150_000u32;
    let mut builder = LtsBuilder::new(states.into());
    for state in 0..states {
        let target = |k: u64| ((u64::from(state) * k + 1) % u64::from(states)) as u32;
        let labels = [
            ["a", "b", "c"][state as usize % 3],
            ["a", "b"][state as usize % 2],
        ];
        for (label, k) in labels.into_iter().zip([7, 1]) {
            builder
                .add_text(state, label.as_bytes(), target(k))
                .unwrap();
        }
    }
    builder.build(StateId::new(0)).unwrap()
}

#[test]
fn what_is_damaged_is_refused() {
    let lts = large();
    let mut random = Random::new(1);
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let minimal = aut(&joined(&save(&lts, &mut random, directory, 7)));
    let [folder] = &whole(directory)[..] else {
        panic!("one checkpoint is whole");
    };
    let all = loaded(&lts, &mut random, directory);
    assert!(all.iter().all(Result::is_ok));
    let again = fixture::on_parts(&lts, &mut random, |worker, part| {
        go_on(worker, part, directory)
    });
    assert_eq!(aut(&joined(&again)), minimal);
    let refused = |random: &mut Random, kind: ErrorKind, part: &str| {
        let results = loaded(&lts, random, directory);
        let error = results
            .into_iter()
            .find_map(Result::err)
            .expect("it is refused");
        match &error {
            Error::Io { error, .. } => assert_eq!(error.kind(), kind, "{error}"),
            other => panic!("{other}"),
        }
        assert!(error.to_string().contains(part), "{error}");
    };
    let part = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let part = part.filter(|path| path.to_str().unwrap().contains("part-"));
    let part = part
        .max_by_key(|path| path.metadata().unwrap().len())
        .unwrap();
    let bytes = fs::read(&part).unwrap();
    for (at, text) in [
        (3, "its head"),
        (13, "its head"),
        (20, "its head"),
        (40, "the block at 32 is damaged"),
        (bytes.len() - 1, "is damaged"),
    ] {
        let mut other = bytes.clone();
        other[at] ^= 4;
        fs::write(&part, other).unwrap();
        refused(&mut random, ErrorKind::InvalidData, text);
    }
    fs::write(&part, &bytes[..bytes.len() - 1]).unwrap();
    refused(&mut random, ErrorKind::InvalidData, "bytes, found");
    let anew = format!(
        "delete {} and leave out --resume to begin anew",
        folder.display()
    );
    refused(&mut random, ErrorKind::InvalidData, &anew);
    fs::remove_file(&part).unwrap();
    refused(&mut random, ErrorKind::NotFound, "part-");
    fs::create_dir(&part).unwrap();
    refused(&mut random, ErrorKind::InvalidData, "not a file");
    fs::remove_dir(&part).unwrap();
    fs::write(&part, &bytes).unwrap();
    let manifest = folder.join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    for (from, to, message) in [
        ("strong", "branching", "it is of -e branching, not strong"),
        ("this one", "that one", "it is of another LTS"),
        (
            "hyades-checkpoint",
            "hyades",
            "expected hyades-checkpoint, version 4",
        ),
        ("\"about\"", "\"of\"", "no manifest of a checkpoint"),
        (
            "\"first\": 0,",
            "\"first\": 1,",
            "do not follow one another",
        ),
    ] {
        let changed = text.replacen(from, to, 1);
        let changed = match from {
            "\"about\"" => changed,
            _ => with_sum(&changed),
        };
        fs::write(&manifest, changed).unwrap();
        refused(&mut random, ErrorKind::InvalidData, message);
    }
    fs::write(&manifest, text.replacen("strong", "branching", 1)).unwrap();
    refused(
        &mut random,
        ErrorKind::InvalidData,
        "its sum is another one",
    );
    fs::remove_file(&manifest).unwrap();
    refused(
        &mut random,
        ErrorKind::NotFound,
        "no checkpoint that is whole",
    );
}

/// It is told that there is another one, and goes on from that once the damaged one is gone.
#[test]
fn beside_what_is_damaged_another_one_may_be_whole() {
    let lts = large();
    let mut random = Random::new(1);
    let directory = tempfile::tempdir().unwrap();
    let (own, other) = (directory.path().join("own"), directory.path().join("other"));
    let folder_of = |run: u64, directory: &Path| {
        save(&lts, &mut Random::new(1), directory, run);
        whole(directory).pop().expect("one checkpoint is whole")
    };
    let (folder, moved) = (folder_of(7, &own), folder_of(8, &other));
    let beside = own.join(moved.file_name().unwrap());
    fs::rename(moved, &beside).unwrap();
    fs::write(folder.join("manifest.json"), "{}").unwrap();
    let loaded_from = |random: &mut Random| loaded(&lts, random, &own).into_iter();
    let error = loaded_from(&mut random).find_map(Result::err);
    let error = error.expect("it is refused").to_string();
    let (folder_name, beside) = (folder.display(), beside.display());
    let advice = format!("once {folder_name} is deleted, --resume goes on from {beside}");
    assert!(error.contains(&advice), "{error}");
    fs::remove_dir_all(&folder).unwrap();
    assert!(loaded_from(&mut random).all(|it| it.is_ok()));
}

/// Parts that are whole, but those of another round or another run.
#[test]
fn parts_of_other_checkpoints_are_refused() {
    let lts = large();
    let mut random = Random::new(1);
    let directory = tempfile::tempdir().unwrap();
    let (own, other) = (directory.path().join("own"), directory.path().join("other"));
    let folder_of = |run: u64, directory: &Path| {
        save(&lts, &mut Random::new(1), directory, run);
        whole(directory).pop().expect("one checkpoint is whole")
    };
    let folder = folder_of(7, &own);
    let mut refused = |message: &str| {
        let loaded = loaded(&lts, &mut random, &own);
        let error = loaded.into_iter().find_map(Result::err);
        let error = error.expect("it is refused").to_string();
        assert!(error.contains(message), "{error}");
    };
    let part = "part-00000";
    let kept = fs::read(folder.join(part)).unwrap();
    fs::copy(folder_of(8, &other).join(part), folder.join(part)).unwrap();
    refused("it is of another checkpoint");
    fs::write(folder.join(part), kept).unwrap();
    let name = folder.file_name().unwrap().to_str().unwrap();
    let (round, rest) = name["round-".len()..].split_once('-').unwrap();
    let round: u64 = round.parse().unwrap();
    let next = own.join(format!("round-{:08}-{rest}", round + 1));
    fs::rename(&folder, &next).unwrap();
    refused("it is of round");
    let text = fs::read_to_string(next.join("manifest.json")).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    // The second number of the header is the round.
    assert_eq!(manifest["header"][8], round);
    manifest["header"][8] = (round + 1).into();
    let text = with_sum(&manifest.to_string());
    fs::write(next.join("manifest.json"), text).unwrap();
    refused("it is of another checkpoint");
}

#[test]
fn one_run_of_the_same_writes_to_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let new =
        |index| Checkpoints::new(directory, 3, index, about(), layout(&any()), Duration::ZERO);
    let first = new(0).unwrap();
    let refused = new(0).expect_err("there is another one");
    assert!(refused.to_string().contains("another run"), "{refused}");
    assert!(new(1).is_ok());
    // Others may.
    let other = About {
        relation: "branching".into(),
        ..about()
    };
    assert!(Checkpoints::new(directory, 4, 0, other, layout(&any()), Duration::ZERO).is_ok());
    drop(first);
    // What is left of a run that was killed has no room to take.
    let left = |directory: &Path| fs::read_dir(directory).unwrap().count();
    let mine = new(0).unwrap();
    let name = fs::read_dir(directory).unwrap().next().unwrap().unwrap();
    let name = name.file_name().into_string().unwrap();
    let system = name.strip_prefix("lock-").unwrap();
    drop(mine);
    fs::create_dir(directory.join(format!("round-00000004-{system}-0000000000000005"))).unwrap();
    fs::write(directory.join(&name), "0000000000000005\n").unwrap();
    assert_eq!(left(directory), 2);
    new(0).unwrap().finish().unwrap();
    assert_eq!(left(directory), 0);
}

#[test]
fn a_directory_that_is_not_shared_is_refused() {
    let directories: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let results = crate::threads::run(3, 64, |worker| {
        let index = worker.index();
        // The last one has another file system.
        let directory = directories[index / 2].path();
        let own = Checkpoints::new(directory, 3, index, about(), layout(&any()), Duration::ZERO)?;
        let checked = own.check_shared(worker).map_err(|error| error.to_string());
        // The lock is held until all have looked.
        crate::worker::gather(worker, &[])?;
        drop(own);
        Ok::<_, Error>(checked)
    });
    let results: Vec<_> = results.into_iter().map(Result::unwrap).collect();
    assert!(results[0].is_ok() && results[1].is_ok());
    let error = results[2].as_ref().unwrap_err();
    assert!(
        error.contains("file system that all processes share"),
        "{error}"
    );
}

#[test]
fn a_checkpoint_is_not_whole_without_all_of_its_parts() {
    /// Loses the last part of each.
    struct Losing<'d>(Checkpoints, &'d Path, Option<String>);
    impl Observer for Losing<'_> {
        fn round(&mut self, _: &Round) {
            for entry in fs::read_dir(self.1).unwrap() {
                let _ = fs::remove_file(entry.unwrap().path().join("part-00000"));
            }
            if let Err(error) = self.0.seal() {
                self.2.get_or_insert(error.to_string());
            }
        }

        fn is_due(&mut self) -> bool {
            self.0.is_due()
        }

        fn save(&mut self, snapshot: &Snapshot<'_>) -> Result<(), Error> {
            self.0.save(snapshot)
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let said = fixture::on_parts(&large(), &mut Random::new(3), |worker, part| {
        let own = checkpoints(directory, 3, worker.index(), &part.ranges);
        let mut losing = Losing(own, directory, None);
        let worker = &mut Meter::new(worker);
        let part = part.clone();
        minimize(
            worker,
            part,
            Relation::Strong,
            &options(),
            None,
            &mut losing,
        )?;
        Ok(losing.2)
    });
    let first = said[0].as_ref().expect("it is noticed");
    assert!(first.contains("part-00000"), "{first}");
    assert!(whole(directory).is_empty());
}

#[test]
fn those_of_others_are_not_looked_at() {
    let lts = large();
    let mut random = Random::new(4);
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    save(&lts, &mut random, directory, 7);
    let theirs = directory.join("round-00000099-0000000000000001-0000000000000008");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("manifest.json"), "{").unwrap();
    assert!(
        loaded(&lts, &mut random, directory)
            .iter()
            .all(Result::is_ok)
    );
}

#[test]
fn workers_with_different_checkpoints_do_not_go_on() {
    let lts = large();
    let directories = [7, 8].map(|run| {
        let directory = tempfile::tempdir().unwrap();
        save(&lts, &mut Random::new(5), directory.path(), run);
        directory
    });
    let mut random = Random::new(5);
    while random.clone().between(1, 4) < 2 {
        random.bits();
    }
    let all = fixture::on_parts(&lts, &mut random, |worker, part| {
        let own = directories[worker.index().min(1)].path();
        Ok(resume(worker, own, &about(), part, &layout(&part.ranges)).map(drop))
    });
    for one in all {
        let error = one.unwrap_err().to_string();
        assert!(error.contains("different checkpoints"), "{error}");
    }
}
