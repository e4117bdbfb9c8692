//! Exploration by several workers against that by one process: outputs byte for byte, answers
//! and figures.

use std::borrow::Cow;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use hyades_channels::{Semantics, System, SystemModel};
use hyades_explore::{
    Answer, AutSink, Emit, Erased, ExploreOptions, Limit, Limits, LtsSink, Model, ModelError,
    Outcome, Questions, Relabelled, Searched, SequencePattern, TauStar, words,
};
use hyades_formats::aut::{Spool, StreamWriter};
use hyades_formats::{Format, LabelTable, Lts, Source, StateId, WriteOptions, label, seq};
use hyades_generate::family;
use hyades_lts::relabel::Rules;
use hyades_network::por::{ReducedModel, Reduction};
use hyades_network::symmetry::{Strategy, SymmetricModel, Symmetry, Types};
use hyades_network::{Memory, Network, NetworkModel};
use hyades_plugin::Plugin;
use hyades_testing::{ROOT, Random, Shape, check, from_aut, random_lts};

use super::{Explored, Figures, KeepRows, Options, explore};
use crate::part::Part;
use crate::worker::Worker;
use crate::{Error, threads};

/// What is asked in a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    Nothing,
    /// And all is explored.
    All,
    /// The search ends once it is known whether there are deadlocks.
    Deadlock,
    /// And once labels of some kinds are found.
    Labels,
}

const ALL_ASKED: [Asked; 4] = [Asked::Nothing, Asked::All, Asked::Deadlock, Asked::Labels];

impl Asked {
    fn search<'a>(self) -> ExploreOptions<'a> {
        let questions = match self {
            Asked::Nothing => Questions::default(),
            Asked::Deadlock => Questions {
                deadlock: true,
                ..Questions::default()
            },
            Asked::All | Asked::Labels => Questions {
                deadlock: self == Asked::All,
                livelock: false,
                find: vec![
                    Box::new(|label, _| label.is_hidden()),
                    Box::new(|_, text| text.len() % 3 == 1),
                    Box::new(|_, text| text.ends_with(b"1") || text.ends_with(b"b")),
                ],
            },
        };
        ExploreOptions {
            questions,
            stop_when_answered: matches!(self, Asked::Deadlock | Asked::Labels),
            ..ExploreOptions::default()
        }
    }
}

/// What is told of an exploration, but for what may differ.
#[derive(Clone, PartialEq, Debug)]
struct Told {
    outcome: Outcome,
    states: u64,
    explored: u64,
    transitions: u64,
    depth: u32,
    answers: Vec<Answer>,
    /// If all has been explored.
    labels: Vec<Vec<u8>>,
    aut: Option<String>,
}

impl Told {
    fn new(found: &hyades_explore::Exploration<'_>, aut: Option<String>) -> Self {
        let complete = found.outcome == Outcome::Complete;
        let labels = found.labels.visible().filter(|_| complete);
        Self {
            outcome: found.outcome,
            states: found.states,
            explored: found.explored,
            transitions: found.transitions,
            depth: found.depth,
            answers: found.deadlock.iter().chain(&found.find).cloned().collect(),
            labels: labels.map(|(_, text)| text.to_vec()).collect(),
            aut: aut.filter(|_| complete),
        }
    }
}

fn text(spool: Spool) -> String {
    let mut bytes = Vec::new();
    spool.write_to(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// By one process.
fn alone(model: Erased<'_>, asked: Asked) -> Result<Told, String> {
    let mut spool = Spool::new(std::env::temp_dir());
    let options = WriteOptions::default();
    let ignored = &mut |_| ();
    let mut sink = AutSink::new(StreamWriter::spooling(&mut spool, &options), ignored);
    let found = hyades_explore::explore(&model, asked.search(), &mut sink);
    let found = found.map_err(|error| error.to_string())?;
    let writer = sink.into_writer().unwrap();
    writer.finish(StateId::new(0), found.states).unwrap();
    Ok(Told::new(&found, Some(text(spool))))
}

/// All rows of what a worker has explored, written by the last one.
fn written(worker: &mut dyn Worker, found: &mut Explored<'_>) -> Result<Option<String>, Error> {
    let Some(rows) = &mut found.rows else {
        return Ok(None);
    };
    let last = worker.peers() - 1;
    let mut spool = Spool::new(std::env::temp_dir());
    let options = WriteOptions::default();
    let ignored = &mut |_| ();
    let mut sink = AutSink::new(StreamWriter::spooling(&mut spool, &options), ignored);
    assert_eq!(rows.used_labels().len(), found.exploration.labels.len());
    let used = rows.used_labels().iter().filter(|used| **used).count();
    let taken = rows.deliver_to(worker, last, &found.exploration.labels, &mut sink)?;
    assert!(taken);
    let writer = sink.into_writer().unwrap();
    if worker.index() != last {
        assert_eq!(writer.transitions(), 0);
        return Ok(None);
    }
    assert_eq!(writer.labels(), used as u64);
    writer
        .finish(StateId::new(0), found.exploration.states)
        .unwrap();
    Ok(Some(text(spool)))
}

/// Ways to explore, of which results are independent.
fn any_options(random: &mut Random) -> Options {
    let one_of =
        |values: &[usize], random: &mut Random| values[random.between(0, values.len() - 1)];
    Options {
        ranges: None,
        seed: random.bits(),
        cache: one_of(&[0, 100, 1 << 20], random),
        rows: Some(KeepRows {
            directory: std::env::temp_dir(),
            memory: one_of(&[0, 200, 1 << 20], random),
            window: one_of(&[0, 2, 5, 18], random) as u32,
        }),
        shift: random.chance(80).then(|| random.between(0, 6) as u32),
        // A few owners and many states of the same hash, or as it should be.
        mask: [u64::MAX, 3 << 62 | 7, 0][one_of(&[0, 0, 0, 1, 1, 2], random)],
    }
}

/// Calls a function with a model that is made for it.
type With<'a> = dyn Fn(&mut dyn FnMut(Erased<'_>)) + Sync + 'a;

/// See [`With`].
fn with<M: Model>(make: impl Fn() -> M + Sync) -> impl Fn(&mut dyn FnMut(Erased<'_>)) + Sync {
    move |explore| explore(make().erased())
}

/// The model by any number of workers, of which each makes it for itself.
fn by_workers(
    peers: usize,
    chunk: usize,
    options: &Options,
    asked: Asked,
    with: &With<'_>,
) -> Result<(Told, u64, Vec<Figures>), String> {
    let results = threads::run(peers, chunk, |worker| {
        let mut result = None;
        with(&mut |model| {
            let found = explore(worker, model, asked.search(), options);
            result = Some(found.and_then(|mut found| {
                let aut = written(worker, &mut found)?;
                let told = Told::new(&found.exploration, aut);
                Ok((told, found.deadlocks, found.figures))
            }));
        });
        result.unwrap()
    });
    let mut figures = Vec::new();
    let mut all: Vec<(Told, u64)> = Vec::new();
    for result in results {
        match result {
            Ok((told, deadlocks, own)) => {
                figures.push(own);
                all.push((told, deadlocks));
            }
            Err(error) => {
                assert!(all.is_empty(), "some have found something");
                return Err(error.to_string());
            }
        }
    }
    // All of them tell the same, but that one has written.
    let (mut told, deadlocks) = all.pop().unwrap();
    let aut = told.aut.take();
    for other in all {
        assert_eq!((&told, deadlocks), (&other.0, other.1));
    }
    told.aut = aut;
    Ok((told, deadlocks, figures))
}

/// Whether a model, made anew by each, is the same for any number of workers.
fn same<M: Model>(make: impl Fn() -> M + Sync, random: &mut Random) -> Result<(), String> {
    same_by_all(&with(make), random)
}

fn same_by_all(with: &With<'_>, random: &mut Random) -> Result<(), String> {
    for asked in ALL_ASKED {
        let mut expected = None;
        with(&mut |model| expected = Some(alone(model, asked)));
        let expected = expected.unwrap();
        let peers = random.between(1, 4);
        let chunk = [1, 64, 1 << 20][random.between(0, 2)];
        let options = any_options(random);
        let found = by_workers(peers, chunk, &options, asked, with);
        let found = found.map(|(told, _, figures)| {
            if told.outcome == Outcome::Complete {
                let states: u64 = figures.iter().map(|f| f.states).sum();
                let transitions: u64 = figures.iter().map(|f| f.transitions).sum();
                assert_eq!((states, transitions), (told.states, told.transitions));
            }
            told
        });
        if found != expected {
            return Err(format!(
                "{asked:?} by {peers} workers, chunks of {chunk}, {options:?}:\n{found:#?}\nbut \
                 {expected:#?}"
            ));
        }
    }
    Ok(())
}

#[track_caller]
fn check_model<M: Model>(make: impl Fn() -> M + Sync, rounds: u64) {
    for seed in 0..rounds {
        if let Err(error) = same(&make, &mut Random::new(seed)) {
            panic!("seed {seed}: {error}");
        }
    }
}

/// An LTS whose states have as many bits as one likes, and of whose labels every other one is
/// not known beforehand.
#[derive(Clone)]
struct Wide {
    lts: Lts,
    bits: usize,
    known: LabelTable,
    /// From this state on, numbers that are divisible by the second have an error.
    bad: Option<(u32, u32)>,
    /// The error is a limit.
    limit: bool,
    /// States with such numbers are not deadlocks.
    truncated: u32,
}

impl Wide {
    fn new(lts: Lts, random: &mut Random) -> Self {
        let least = 64 - (lts.states() as u64).leading_zeros() as usize;
        let mut known = LabelTable::new();
        for (label, text) in lts.table().visible() {
            if label.get() % 2 == 0 {
                known.intern(text).unwrap();
            }
        }
        Self {
            lts,
            bits: [least, least + 1, 40, 64, 65, 128, 150, 300][random.between(0, 7)],
            known,
            bad: None,
            limit: false,
            truncated: 3,
        }
    }

    fn pack(&self, state: StateId, packed: &mut Vec<u64>) {
        packed.clear();
        packed.resize(words(self.bits), u64::from(state.get()) * 0x0101_0101);
        packed[0] = u64::from(state.get()).wrapping_mul(0x1_0000_0001);
        let last = self.bits - 64 * (packed.len() - 1);
        *packed.last_mut().unwrap() &= u64::MAX >> (64 - last);
    }

    fn number(&self, packed: &[u64]) -> u32 {
        packed[0] as u32
    }
}

impl Model for Wide {
    type Scratch = Vec<u64>;

    fn scratch(&self) -> Vec<u64> {
        Vec::new()
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.known)
    }

    fn bits(&self) -> usize {
        self.bits
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        let mut packed = Vec::new();
        self.pack(self.lts.initial(), &mut packed);
        state.copy_from_slice(&packed);
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Vec<u64>,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let number = self.number(state);
        if let Some((from, divisor)) = self.bad
            && number >= from
            && number.is_multiple_of(divisor)
        {
            let text = format!("state {number} is bad");
            return Err(match self.limit {
                true => ModelError::limit(Limit::Channels, text),
                false => ModelError::new(text),
            });
        }
        for (label, target) in self.lts.outgoing(StateId::new(number)) {
            let text = self.lts.table().text(label);
            let label = match label.is_hidden() {
                true => label,
                false => emit.label(text),
            };
            self.pack(target, scratch);
            emit.transition(label, scratch);
        }
        Ok(())
    }

    fn is_truncated(&self, state: &[u64]) -> bool {
        self.number(state).is_multiple_of(self.truncated)
    }
}

#[test]
fn random_systems_as_models_whose_states_are_numbers() {
    check(12, 60, |lts, random| same(|| lts.clone(), random));
}

#[test]
fn states_of_any_size_and_labels_that_come_late() {
    check(12, 60, |lts, random| {
        let wide = Wide::new(lts.clone(), random);
        same(|| wide.clone(), random)
    });
}

/// The order of the transitions of a state does not depend on which labels have been met
/// before, at this worker or another.
#[test]
fn labels_that_come_late_through_changes_on_the_fly() {
    check(6, 50, |lts, random| {
        let wide = Wide::new(lts.clone(), random);
        let gates = lts.table().visible().map(|(_, text)| label::gate(text));
        let hidden: Arc<[_]> = [Rules::of_gates(gates.skip(1).step_by(5)).unwrap()].into();
        let relabelled =
            || Relabelled::new(wide.clone(), Arc::clone(&hidden), &[b"i".to_vec()]).unwrap();
        same(relabelled, random)?;
        same(|| TauStar::new(wide.clone()), random)?;
        same(|| TauStar::new(relabelled()), random)
    });
}

#[test]
fn the_error_of_the_least_state_is_told() {
    for limit in [false, true] {
        check(10, 40, |lts, random| {
            let mut wide = Wide::new(lts.clone(), random);
            let last = random.between(0, lts.states()) as u32;
            wide.bad = Some((last, random.between(1, 4) as u32));
            wide.limit = limit;
            if !limit {
                return same(|| wide.clone(), random);
            }
            // How much has been found beside what the row with the error has is told.
            let expected = alone(wide.erased(), Asked::All)?;
            let options = any_options(random);
            let make = || wide.clone();
            let (found, ..) =
                by_workers(random.between(1, 4), 64, &options, Asked::All, &with(&make))?;
            match (found.outcome, found.explored, &found.answers)
                == (expected.outcome, expected.explored, &expected.answers)
            {
                true => Ok(()),
                false => Err(format!("{found:#?}\nbut {expected:#?}")),
            }
        });
    }
}

/// States with many transitions are computed all at once.
#[test]
fn rows_that_are_larger_than_all_that_is_computed_at_a_time() {
    let mut text = String::from("des (0, 70000, 40001)\n");
    for k in 0..40_000 {
        text += &format!("(0, A{}, {})\n", k % 7, 1 + k * 7919 % 40_000);
    }
    for k in 0..30_000 {
        text += &format!("({}, B, {})\n", 1 + k, (k + 5) / 6);
    }
    let lts = from_aut(&text);
    check_model(|| lts.clone(), 1);
    let wide = Wide::new(lts.clone(), &mut Random::new(7));
    check_model(|| wide.clone(), 1);
}

/// Each worker has its share of the states, and no more is in its tables.
#[test]
fn the_table_of_a_worker_is_its_share() {
    let states = 40_000;
    let lts = random_lts(Shape::Tree, states, &mut Random::new(3));
    let wide = Wide::new(lts, &mut Random::new(4));
    let make = || wide.clone();
    let mut one = 0;
    for peers in 1..=4 {
        let options = Options::default();
        let (told, _, figures) =
            by_workers(peers, 1 << 16, &options, Asked::Nothing, &with(&make)).unwrap();
        let share = told.states as f64 / peers as f64;
        for own in &figures {
            assert!((own.states as f64 - share).abs() < share / 10.0, "{own:?}");
        }
        let entries: u64 = figures.iter().map(|own| own.states).sum();
        assert_eq!(entries, told.states);
        let largest = figures.iter().map(|own| own.states).max().unwrap();
        match peers {
            1 => one = largest,
            _ => assert!(largest as f64 * peers as f64 <= one as f64 * 1.1),
        }
    }
}

/// What has been answered is not asked again, as far as there is room to remember it.
#[test]
fn workers_remember_answers() {
    let lts = random_lts(Shape::Uniform, 3000, &mut Random::new(5));
    let sent = |cache: usize, rows: bool| {
        let options = Options {
            cache,
            rows: rows.then(|| KeepRows::new(std::env::temp_dir())),
            shift: Some(5),
            ..Options::default()
        };
        let make = || lts.clone();
        let (_, _, figures) = by_workers(3, 64, &options, Asked::Nothing, &with(&make)).unwrap();
        let sum = |count: fn(&Figures) -> u64| figures.iter().map(count).sum::<u64>();
        (sum(|own| own.sent), sum(|own| own.cached))
    };
    for rows in [false, true] {
        let (asked, none) = sent(0, rows);
        let (fewer, some) = sent(1 << 22, rows);
        assert_eq!(none, 0);
        assert!(some > 0 && fewer < asked, "{fewer} of {asked}, {some}");
    }
}

#[test]
fn a_limit_of_states_is_one_of_all_workers() {
    let lts = random_lts(Shape::Tree, 3000, &mut Random::new(5));
    let search = |max_states| ExploreOptions {
        limits: Limits {
            max_states,
            max_memory: None,
        },
        ..Asked::All.search()
    };
    let all = hyades_explore::explore(&lts, search(None), &mut ()).unwrap();
    for most in [100, 300, 2000, all.states - 1, all.states, 2 * all.states] {
        let alone = hyades_explore::explore(&lts, search(Some(most)), &mut ()).unwrap();
        let complete = alone.outcome == Outcome::Complete;
        assert_eq!(complete, most >= all.states);
        for peers in [1, 3] {
            let results = threads::run(peers, 64, |worker| {
                let options = Options {
                    rows: Some(KeepRows::new(std::env::temp_dir())),
                    shift: Some(4),
                    ..Options::default()
                };
                let found = explore(worker, lts.erased(), search(Some(most)), &options)?;
                assert_eq!(found.rows.is_some(), complete);
                assert!(found.figures.states <= most + 64);
                Ok(Told::new(&found.exploration, None))
            });
            let told: Vec<Told> = results.into_iter().map(Result::unwrap).collect();
            assert!(told.iter().all(|other| *other == told[0]));
            assert_eq!(told[0].outcome, alone.outcome, "{peers} workers, {most}");
        }
    }
}

#[test]
fn a_worker_that_may_take_no_more_memory_ends_the_search() {
    let lts = random_lts(Shape::Tree, 3000, &mut Random::new(5));
    for peers in 1..4 {
        let results = threads::run(peers, 64, |worker| {
            let search = ExploreOptions {
                limits: Limits {
                    max_states: None,
                    max_memory: Some(20_000),
                },
                ..Asked::All.search()
            };
            let options = Options {
                cache: 1000,
                shift: Some(2),
                rows: Some(KeepRows::new(std::env::temp_dir())),
                ..Options::default()
            };
            let found = explore(worker, lts.erased(), search, &options)?;
            assert!(found.rows.is_none());
            Ok(found.exploration.outcome)
        });
        for outcome in results {
            assert_eq!(outcome.unwrap(), Outcome::LimitReached(Limit::Memory));
        }
    }
}

#[test]
fn who_is_told_of_the_progress_may_end_the_search() {
    let lts = random_lts(Shape::Tree, 100_000, &mut Random::new(5));
    let results = threads::run(2, 1 << 16, |worker| {
        let is_first = worker.index() == 0;
        let mut calls = 0;
        let mut report = |now: &hyades_explore::Progress| {
            assert!(now.explored + now.transitions >= super::PROGRESS_EVERY);
            calls += 1;
            std::ops::ControlFlow::Break(())
        };
        let search = ExploreOptions {
            progress: is_first.then_some(&mut report),
            ..ExploreOptions::default()
        };
        let options = Options {
            shift: Some(8),
            ..Options::default()
        };
        let found = explore(worker, lts.erased(), search, &options)?;
        Ok((found.exploration.outcome, found.exploration.explored, calls))
    });
    let results: Vec<_> = results.into_iter().map(Result::unwrap).collect();
    assert_eq!((results[0].2, results[1].2), (1, 0));
    for (outcome, explored, _) in results {
        assert_eq!(outcome, Outcome::Stopped);
        assert!(explored < lts.states() as u64);
    }
}

/// The parts of all workers are the state space, with the same labels.
#[test]
fn parts_are_the_state_space() {
    check(6, 50, |lts, random| {
        let wide = Wide::new(lts.clone(), random);
        let mut sink = LtsSink::new();
        let found = hyades_explore::explore(&wide, ExploreOptions::default(), &mut sink).unwrap();
        let reached = sink.finish(found.labels.into_owned()).unwrap();
        let texts = |table: &LabelTable| -> Vec<Vec<u8>> {
            table.visible().map(|(_, text)| text.to_vec()).collect()
        };
        let expected: Vec<_> = reached
            .iter()
            .map(|(s, l, t)| (u64::from(s.get()), l.get(), u64::from(t.get())))
            .collect();
        let options = any_options(random);
        let parts = threads::run(random.between(1, 4), 64, |worker| {
            let model = wide.clone();
            let found = explore(worker, model.erased(), ExploreOptions::default(), &options)?;
            let labels = found.exploration.labels.into_owned();
            found
                .rows
                .unwrap()
                .into_input(worker, labels)?
                .into_part(worker)
        });
        let parts: Vec<Part> = parts.into_iter().map(Result::unwrap).collect();
        let mut all = Vec::new();
        for part in &parts {
            let own = part.ranges.of(part.index);
            assert_eq!(texts(&part.table), texts(reached.table()));
            assert_eq!(part.states() as u64, own.end - own.start);
            for (state, source) in own.enumerate() {
                let (labels, targets) = part.row(state);
                for (&label, &target) in labels.iter().zip(targets) {
                    all.push((source, label, part.global(target)));
                }
            }
        }
        match all == expected {
            true => Ok(()),
            false => Err(format!("{all:?}\nbut {expected:?}")),
        }
    });
}

/// The network of a folder, and what is known of its symmetry.
fn network(folder: &str) -> Network {
    let path = Path::new(ROOT).join("testdata/networks").join(folder);
    let text = std::fs::read(path.join("net.exp")).unwrap();
    let mut files = Memory::default();
    for entry in std::fs::read_dir(&path).unwrap() {
        let entry = entry.unwrap();
        files.add(entry.file_name(), std::fs::read(entry.path()).unwrap());
    }
    let options = hyades_network::Options::default();
    hyades_network::from_text("net.exp", text, &options, &files, &mut |_| ()).unwrap()
}

const FOLDERS: [&str; 4] = ["database_4", "peterson_3", "phils_3", "liststack_2_2_2"];

#[test]
fn networks() {
    for folder in FOLDERS {
        let network = network(folder);
        check_model(|| NetworkModel::new(network.clone()), 3);
    }
}

/// Which transitions remain depends on the state alone, and so does the representative.
#[test]
fn reduced_networks() {
    for folder in FOLDERS {
        let network = network(folder);
        for reduction in Reduction::ALL {
            let make = || ReducedModel::new(NetworkModel::new(network.clone()), reduction);
            check_model(make, 2);
        }
        let path = Path::new(ROOT).join("testdata/networks").join(folder);
        let types = std::fs::read_to_string(path.join("net.sym")).unwrap();
        let types = Types::parse(&types).unwrap();
        let symmetry: Arc<Symmetry<'_>> = Symmetry::new(&network, &types).unwrap();
        for strategy in Strategy::ALL {
            check_model(|| SymmetricModel::new(&symmetry, strategy), 2);
        }
    }
}

#[test]
fn networks_of_random_automata() {
    let operators = ["|||", "|[A]|", "|[A, L1]|", "||"];
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut files = Memory::default();
        let mut text = String::new();
        for k in 0..random.between(1, 4) {
            let shape = Shape::ALL[random.between(0, Shape::ALL.len() - 1)];
            let size = random.between(1, 9);
            let lts = random_lts(shape, size, &mut random);
            files.add(format!("c{k}.aut"), hyades_testing::aut(&lts));
            if k > 0 {
                text += operators[random.between(0, operators.len() - 1)];
            }
            text += &format!(" \"c{k}.aut\" ");
        }
        let options = hyades_network::Options::default();
        let read = hyades_network::from_text("random.exp", text, &options, &files, &mut |_| ());
        let network = read.unwrap();
        let small = ExploreOptions {
            limits: Limits {
                max_states: Some(5000),
                max_memory: None,
            },
            ..ExploreOptions::default()
        };
        let model = NetworkModel::new(network.clone());
        let found = hyades_explore::explore(&model, small, &mut ()).unwrap();
        if found.outcome != Outcome::Complete {
            continue;
        }
        let result = same(|| NetworkModel::new(network.clone()), &mut random);
        result.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

#[test]
fn networks_that_are_changed_on_the_fly() {
    let network = network("peterson_3");
    check_model(|| TauStar::new(NetworkModel::new(network.clone())), 3);
    let model = NetworkModel::new(network.clone());
    let labels = model.labels();
    let gates = labels
        .visible()
        .map(|(_, text)| label::gate(text))
        .step_by(2);
    let rules: Arc<[_]> = [Rules::of_gates(gates).unwrap()].into();
    let relabelled = || {
        let model = NetworkModel::new(network.clone());
        Relabelled::new(model, Arc::clone(&rules), &[b"i".to_vec()]).unwrap()
    };
    check_model(relabelled, 3);
    let (_, text) = labels.visible().last().unwrap();
    let mut found = 0;
    for end in [&b"<deadlock>"[..], text] {
        let text = [b"<any>*\n<any>\n", end, b"\n"].concat();
        let source = Source::from_bytes("p", text, Some(Format::Seq)).unwrap();
        let pattern = seq::read_pattern(source, 1, &mut |_| ()).unwrap();
        let pattern = SequencePattern::new(&pattern).unwrap();
        let make = || Searched::new(NetworkModel::new(network.clone()), &pattern);
        check_model(make, 3);
        let told = alone(make().erased(), Asked::Deadlock).unwrap();
        found += usize::from(matches!(told.answers[0], Answer::Yes(_)));
    }
    assert_eq!(found, 1, "there is no deadlock, but that label");
}

#[test]
fn systems_of_random_machines() {
    let channels = family("channels").unwrap();
    for seed in 0..60 {
        let named = [
            ("seed", seed),
            ("states", 2 + seed % 6),
            ("capacity", seed % 4),
        ];
        let values = channels.values(&[], &named).unwrap();
        let system: System = channels.system(&values).unwrap().unwrap();
        let make = || {
            let model = SystemModel::owning(system.clone(), Semantics::default()).unwrap();
            model.by_events().unwrap()
        };
        let result = same(make, &mut Random::new(seed));
        result.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

/// A channel that is overfilled at one worker is known to all: nothing is said to be
/// impossible then.
#[test]
fn systems_of_files() {
    for name in ["inres.toml", "x25_v1.toml"] {
        let path = Path::new(ROOT).join("testdata/channels").join(name);
        let file = hyades_channels::SystemFile::from_text(&std::fs::read_to_string(path).unwrap());
        let file = file.unwrap();
        let behaviours: Vec<Lts> = file
            .origins()
            .map(|origin| match origin {
                hyades_channels::Origin::Text(text) => from_aut(text),
                hyades_channels::Origin::File(name) => {
                    let path = Path::new(ROOT).join("testdata/channels").join(name);
                    from_aut(&std::fs::read_to_string(path).unwrap())
                }
            })
            .collect();
        let system = file.system(&behaviours).unwrap();
        for channel_bound in [None, Some(1)] {
            let make = || {
                let semantics = Semantics {
                    channel_bound,
                    ..Semantics::default()
                };
                let model = SystemModel::owning(system.clone(), semantics).unwrap();
                model.by_events().unwrap()
            };
            let told = alone(make().erased(), Asked::All).unwrap();
            let limited = Outcome::LimitReached(Limit::Channels);
            match told.outcome == limited {
                false => check_model(make, 4),
                true => {
                    let options = Options::default();
                    let found = by_workers(3, 64, &options, Asked::All, &with(&make))
                        .unwrap()
                        .0;
                    assert_eq!(found.outcome, limited);
                }
            }
        }
    }
}

/// The plugin of the C example, compiled.
#[test]
fn plugins() {
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("hanoi.so");
    let root = Path::new(ROOT);
    let built = Command::new(std::env::var_os("CC").unwrap_or("cc".into()))
        .args(["-std=c11", "-O2", "-shared", "-fPIC", "-I"])
        .arg(root.join("include"))
        .arg(root.join("examples/c/hanoi.c"))
        .arg("-o")
        .arg(&object)
        .output()
        .expect("a C compiler, as for the dependencies");
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    for disks in ["1", "4", "6"] {
        let open = || Plugin::open(&object, Some(disks.as_ref())).unwrap();
        check_model(open, 4);
        check_model(|| open().by_orbits().unwrap(), 2);
    }
}

#[test]
fn real_systems() {
    for folder in ["testdata/bcg", "testdata/check", "testdata"] {
        for entry in std::fs::read_dir(Path::new(ROOT).join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "aut") {
                continue;
            }
            let lts = Lts::read(&path).unwrap();
            let result = same(|| lts.clone(), &mut Random::new(1));
            result.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }
}

#[test]
fn livelocks_are_refused() {
    let lts = from_aut("des (0, 1, 1)\n(0, i, 0)\n");
    let results = threads::run(2, 64, |worker| {
        let search = ExploreOptions {
            questions: Questions {
                livelock: true,
                ..Questions::default()
            },
            ..ExploreOptions::default()
        };
        explore(worker, lts.erased(), search, &Options::default()).map(|_| ())
    });
    for result in results {
        let text = result.unwrap_err().to_string();
        assert!(text.starts_with("cycles of hidden transitions"), "{text}");
    }
}
