//! Models that are changed on the fly, against what changes whole systems.

use std::collections::{BTreeMap, BTreeSet};

use hyades_formats::{LabelId, Lts, StateId};
use hyades_lts::relabel::{Action, Matching, RelabelStep, Rules, Scope, relabel};
use hyades_testing::{Random, check};

use super::{Answer, ExploreOptions, LtsSink, Model, Questions, Relabelled, TauStar, explore};

/// Transitions between states by their numbers in the model, and reachable.
type Edges = BTreeSet<(u32, Option<String>, u32)>;

fn name(label: LabelId, text: &[u8]) -> Option<String> {
    (!label.is_hidden()).then(|| String::from_utf8(text.to_vec()).expect("ASCII"))
}

/// All that can be reached from a state in these edges.
fn reachable(edges: &Edges, initial: u32) -> Edges {
    let mut seen = BTreeSet::from([initial]);
    loop {
        let before = seen.len();
        for (source, _, target) in edges {
            if seen.contains(source) {
                seen.insert(*target);
            }
        }
        if seen.len() == before {
            return edges
                .iter()
                .filter(|e| seen.contains(&e.0))
                .cloned()
                .collect();
        }
    }
}

fn edges(lts: &Lts) -> Edges {
    let one =
        |(s, l, t): (StateId, LabelId, StateId)| (s.get(), name(l, lts.table().text(l)), t.get());
    lts.iter().map(one).collect()
}

/// What exploring gives, by the model's own numbers.
fn explored(model: &impl Model) -> Edges {
    let mut found = Edges::new();
    let mut initial = [0];
    model.initial(&mut initial).expect("an initial state");
    let mut seen = BTreeSet::from([initial[0]]);
    let mut open = vec![initial[0]];
    struct Collect<'a>(Vec<(LabelId, u64)>, &'a mut BTreeMap<Vec<u8>, u32>, u32);
    impl super::Emit for Collect<'_> {
        fn label(&mut self, text: &[u8]) -> LabelId {
            let next = self.2 + self.1.len() as u32;
            LabelId::new(*self.1.entry(text.to_vec()).or_insert(next))
        }
        fn transition(&mut self, label: LabelId, target: &[u64]) {
            self.0.push((label, target[0]));
        }
    }
    let mut new = BTreeMap::new();
    let mut scratch = model.scratch();
    while let Some(state) = open.pop() {
        let labels = model.labels();
        let mut row = Collect(Vec::new(), &mut new, labels.len() as u32);
        model
            .successors(&mut scratch, &[state], &mut row)
            .expect("successors");
        for (label, target) in row.0 {
            let text = match label.index() < labels.len() {
                true => labels.text(label).to_vec(),
                false => {
                    let mut own = new.iter().filter(|(_, k)| **k == label.get());
                    own.next().expect("a label that was introduced").0.clone()
                }
            };
            let edge = (state as u32, name(label, &text), target as u32);
            assert!(found.insert(edge), "a transition twice");
            if seen.insert(target) {
                open.push(target);
            }
        }
    }
    found
}

/// An LTS that introduces all of its labels while it is explored.
struct Lazy<'a>(&'a Lts);

impl Model for Lazy<'_> {
    type Scratch = ();
    fn scratch(&self) {}
    fn labels(&self) -> std::borrow::Cow<'_, hyades_formats::LabelTable> {
        std::borrow::Cow::Owned(hyades_formats::LabelTable::new())
    }

    fn bits(&self) -> usize {
        Model::bits(self.0)
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), super::ModelError> {
        Model::initial(self.0, state)
    }

    fn successors<E: super::Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), super::ModelError> {
        for (label, target) in self.0.outgoing(StateId::new(state[0] as u32)) {
            let label = match label.is_hidden() {
                true => label,
                false => emit.label(self.0.table().text(label)),
            };
            emit.transition(label, &[u64::from(target.get())]);
        }
        Ok(())
    }
}

fn rules(random: &mut Random) -> Vec<Rules> {
    let mut sink = |d| panic!("{d}");
    let mut of = |action, lines: &[&str]| {
        let lines = lines.iter().map(|line| line.as_bytes());
        Rules::from_lines(action, Matching::Total, Scope::Matching, lines, &mut sink)
            .expect("good rules")
    };
    let all = [
        of(Action::Hide, &["a", "c"]),
        of(Action::Cut, &["[bd]"]),
        of(Action::Rename, &["a -> b", "b -> a"]),
        of(Action::Rename, &["c -> i", ". -> x"]),
    ];
    all.into_iter().filter(|_| random.chance(50)).collect()
}

#[test]
fn relabelled_models_are_relabelled_systems() {
    check(4, 30, |lts, random| {
        let seed = random.bits();
        let own = || rules(&mut Random::new(seed));
        let steps: Vec<RelabelStep> = own()
            .into_iter()
            .map(|r| RelabelStep::Rules(r, None))
            .collect();
        let hidden = |text: &[u8]| text == b"i";
        let whole = relabel(lts.clone(), &steps, &hidden, None).expect("few labels");
        let expected = reachable(&edges(&whole.lts), lts.initial().get());
        let known = explored(&Relabelled::new(lts, own(), &[b"i".to_vec()]).expect("few labels"));
        let lazy =
            explored(&Relabelled::new(Lazy(lts), own(), &[b"i".to_vec()]).expect("few labels"));
        match known == expected && lazy == expected {
            true => Ok(()),
            false => Err(format!("{known:?}\n{lazy:?}\n{expected:?}")),
        }
    });
}

#[test]
fn tau_star_joins_hidden_ways_with_what_follows() {
    check(4, 30, |lts, _| {
        let all = edges(lts);
        // Pairs of states that hidden transitions join, by repeated squaring.
        let mut ways: BTreeSet<(u32, u32)> = (0..lts.states() as u32).map(|s| (s, s)).collect();
        ways.extend(all.iter().filter(|e| e.1.is_none()).map(|e| (e.0, e.2)));
        loop {
            let joined: Vec<_> = ways
                .iter()
                .flat_map(|&(a, b)| {
                    ways.range((b, 0)..=(b, u32::MAX))
                        .map(move |&(_, c)| (a, c))
                })
                .collect();
            let before = ways.len();
            ways.extend(joined);
            if ways.len() == before {
                break;
            }
        }
        let visible = all.iter().filter(|e| e.1.is_some());
        let direct: Edges = visible
            .flat_map(|(s, label, t)| {
                let to = ways.iter().filter(move |(_, b)| b == s);
                to.map(move |&(a, _)| (a, label.clone(), *t))
            })
            .collect();
        let expected = reachable(&direct, lts.initial().get());
        // Explored anew; with all that is known; with the part that has room.
        for (few, bytes) in [(usize::MAX, 0), (0, usize::MAX), (3, 900), (0, 2000)] {
            let found = explored(&TauStar::with_limits(lts, few, bytes));
            let lazy = explored(&TauStar::with_limits(Lazy(lts), few, bytes));
            if found != expected || lazy != expected {
                return Err(format!("{few} {bytes}: {found:?}\n{lazy:?}\n{expected:?}"));
            }
        }
        Ok(())
    });
}

/// A grid of hidden steps, right and down and perhaps round, with a step `a` from
/// each state below the diagonal to its mirror image.
struct Grid {
    width: u64,
    round: bool,
    labels: hyades_formats::LabelTable,
    /// States on the diagonal from here on have no successors, but errors.
    broken: u64,
    asked: std::sync::atomic::AtomicU64,
}

impl Grid {
    fn new(width: u64, round: bool) -> Self {
        let mut labels = hyades_formats::LabelTable::new();
        labels.intern(b"a").expect("one label");
        Self {
            width,
            round,
            labels,
            broken: width,
            asked: 0.into(),
        }
    }

    /// How often successors were asked for while it was explored, and what was
    /// found.
    fn explored(self, bytes: usize, threads: usize) -> (u64, Lts) {
        let model = TauStar::with_limits(&self, 32, bytes);
        let mut sink = LtsSink::new();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("a few threads");
        let found = pool.install(|| explore(&model, ExploreOptions::default(), &mut sink));
        let labels = found.expect("no error").labels.into_owned();
        let lts = sink.finish(labels).expect("few transitions");
        (self.asked.into_inner(), lts)
    }
}

impl Model for Grid {
    type Scratch = ();
    fn scratch(&self) {}
    fn labels(&self) -> std::borrow::Cow<'_, hyades_formats::LabelTable> {
        std::borrow::Cow::Borrowed(&self.labels)
    }

    fn bits(&self) -> usize {
        32
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), super::ModelError> {
        Ok(())
    }

    fn successors<E: super::Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), super::ModelError> {
        let order = std::sync::atomic::Ordering::Relaxed;
        self.asked.fetch_add(1, order);
        let (x, y) = (state[0] & 0xffff, state[0] >> 16);
        if x == y && x >= self.broken {
            return Err(super::ModelError::new(format!("broken at {x}")));
        }
        for (x, y) in [(x + 1, y), (x, y + 1)] {
            let wrapped = (x % self.width) | ((y % self.width) << 16);
            if self.round || wrapped == x | y << 16 {
                emit.transition(LabelId::HIDDEN, &[wrapped]);
            }
        }
        if x < y {
            emit.transition(LabelId::new(1), &[y | x << 16]);
        }
        Ok(())
    }
}

#[test]
fn what_hidden_transitions_reach_is_explored_once() {
    for round in [false, true] {
        let (anew, expected) = Grid::new(12, round).explored(0, 1);
        assert_eq!(expected.states(), 1 + 12 * 11 / 2);
        for threads in [1, 4] {
            let (once, found) = Grid::new(12, round).explored(usize::MAX, threads);
            assert_eq!(edges(&found), edges(&expected));
            assert!(found.iter().eq(expected.iter()), "another order");
            // At most 33 for each to see that it is many, and each state once.
            assert!(once <= 144 + 33 * 67, "{once}");
            assert!(!round || anew >= 144 * 67, "{anew}");
            // With room for a part of them.
            let (_, found) = Grid::new(12, round).explored(8000, threads);
            assert!(found.iter().eq(expected.iter()), "another order");
        }
    }
}

#[test]
fn errors_are_those_of_the_first_state_in_order() {
    for bytes in [0, 5000, usize::MAX] {
        let mut grid = Grid::new(20, false);
        grid.broken = 5;
        let model = TauStar::with_limits(&grid, 32, bytes);
        let told = explore(&model, ExploreOptions::default(), &mut ());
        assert_eq!(told.unwrap_err().to_string(), "broken at 19", "{bytes}");
    }
}

/// Both at the same time, through the explorer, with every thread its memory.
#[test]
fn changed_models_are_explored_like_others() {
    check(2, 60, |lts, random| {
        let seed = random.bits();
        let own = || rules(&mut Random::new(seed));
        let relabelled = Relabelled::new(Lazy(lts), own(), &[b"i".to_vec()]).expect("few labels");
        let model = TauStar::new(relabelled);
        let expected = explored(&model);
        let mut sink = LtsSink::new();
        let search = ExploreOptions {
            questions: Questions {
                deadlock: true,
                ..Questions::default()
            },
            ..ExploreOptions::default()
        };
        let found = explore(&model, search, &mut sink).map_err(|e| e.to_string())?;
        let stuck = matches!(found.deadlock, Some(Answer::Yes(_)));
        let reached = sink
            .finish(found.labels.into_owned())
            .map_err(|e| e.to_string())?;
        let same =
            reached.transitions() == expected.len() && edges(&reached).len() == expected.len();
        let deadlock =
            (0..reached.states()).any(|s| reached.row(StateId::from_index(s)).is_empty());
        match same && stuck == deadlock {
            true => Ok(()),
            false => Err(format!("{} {}", reached.transitions(), expected.len())),
        }
    });
}
