//! Random systems of awkward shapes, for tests.
//!
//! [`check`] runs a property on systems of every [`Shape`]; what fails is made
//! smaller by leaving out transitions, and shown as AUT with the seed that
//! makes it again.

pub mod naive;
mod pairs;

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hyades_formats::{
    Diagnostic, LabelId, LabelTable, Lts, LtsBuilder, ReadOptions, Severity, Source, StateId,
};
use proptest::prelude::*;

pub use pairs::{random_pair, union};

/// The folder with `testdata`.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A small deterministic generator of random numbers (SplitMix64, Steele, Lea &
/// Flood 2014), so that a seed makes the same system everywhere.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `low ..= high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + (self.bits() % (high - low + 1) as u64) as usize
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.between(1, 100) <= percent
    }
}

/// How a random system looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// States and no transitions.
    Empty,
    /// One state with loops.
    OneState,
    /// Any transitions between any states.
    Uniform,
    /// The same with one visible label and few transitions.
    OneLabel,
    /// Each state has one transition for each label.
    Deterministic,
    /// Layers of hidden steps, 5 to 20 deep, with few visible ones.
    SilentDag,
    /// Hidden cycles, joined by hidden steps, within hidden cycles.
    SilentComponents,
    /// A long path; some steps are hidden.
    Chain,
    /// A path of hidden steps with visible ones on the side.
    SilentChain,
    /// Two paths with steps across.
    Ladder,
    /// Many steps out of, and into, one state.
    Star,
    /// A tree; leaves differ by chance.
    Tree,
    /// A small part that is reachable and a large one that is not.
    Unreachable,
    /// All transitions several times.
    Duplicates,
    /// A small system with several copies of each state, so that they must be
    /// found strongly bisimilar.
    Copies,
    /// The same, where copies of a state are joined by hidden steps and a copy
    /// may leave its own steps to those behind it: they must be found
    /// (divergence-preserving) branching bisimilar.
    Stutter,
    /// The same with cycles of such hidden steps: only branching bisimilar.
    DivergentStutter,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 17] = [
        Shape::Empty,
        Shape::OneState,
        Shape::Uniform,
        Shape::OneLabel,
        Shape::Deterministic,
        Shape::SilentDag,
        Shape::SilentComponents,
        Shape::Chain,
        Shape::SilentChain,
        Shape::Ladder,
        Shape::Star,
        Shape::Tree,
        Shape::Unreachable,
        Shape::Duplicates,
        Shape::Copies,
        Shape::Stutter,
        Shape::DivergentStutter,
    ];
}

/// A list of transitions under construction; label 0 is hidden.
#[derive(Clone, Debug)]
struct Sketch {
    states: u32,
    initial: u32,
    transitions: Vec<(u32, u32, u32)>,
    table: LabelTable,
}

impl Sketch {
    fn new(states: usize) -> Self {
        // Labels exist whether they are used or not.
        let mut table = LabelTable::new();
        for label in b'a'..b'a' + LABELS as u8 {
            table.intern(&[label]).expect("few labels");
        }
        Self {
            states: states as u32,
            initial: 0,
            transitions: Vec::new(),
            table,
        }
    }

    fn add(&mut self, source: usize, label: usize, target: usize) {
        self.transitions
            .push((source as u32, label as u32, target as u32));
    }

    fn any_state(&self, random: &mut Random) -> usize {
        random.between(0, self.states as usize - 1)
    }

    fn build(&self) -> Lts {
        let mut builder = LtsBuilder::with_table(self.states.into(), self.table.clone());
        for &(s, l, t) in &self.transitions {
            builder.add(StateId::new(s), LabelId::new(l), StateId::new(t));
        }
        builder.build(StateId::new(self.initial)).expect("small")
    }

    fn of(lts: &Lts) -> Self {
        Self {
            states: lts.states() as u32,
            initial: lts.initial().get(),
            transitions: lts
                .iter()
                .map(|(s, l, t)| (s.get(), l.get(), t.get()))
                .collect(),
            table: lts.table().clone(),
        }
    }
}

/// The number of visible labels that the systems have at the most; the texts
/// are `a` to `e`.
const LABELS: usize = 5;

/// A random system of this shape, with about `size` states (at least 1; some
/// shapes have a multiple).
pub fn random_lts(shape: Shape, size: usize, random: &mut Random) -> Lts {
    let size = size.max(1);
    sketch(shape, size, random).build()
}

fn sketch(shape: Shape, size: usize, random: &mut Random) -> Sketch {
    match shape {
        Shape::Empty => Sketch::new(size),
        Shape::OneState => {
            let mut s = Sketch::new(1);
            for _ in 0..random.between(0, 4) {
                s.add(0, random.between(0, 2), 0);
            }
            s
        }
        Shape::Uniform => {
            let labels = random.between(1, LABELS);
            let hidden = random.between(0, 80);
            uniform(size, labels, hidden, 3 * size, random)
        }
        Shape::OneLabel => {
            let mut s = uniform(size, 1, 0, 2 * size, random);
            let transitions = &mut s.transitions;
            transitions.iter_mut().for_each(|t| t.1 = 1);
            s
        }
        Shape::Deterministic => {
            let mut s = Sketch::new(size);
            for source in 0..size {
                for label in 0..=random.between(1, 2) {
                    s.add(source, label, s.any_state(random));
                }
            }
            s
        }
        Shape::SilentDag => {
            let depth = random.between(5, 20);
            let width = (size / depth).max(1);
            let mut s = Sketch::new((depth + 1) * width);
            for layer in 0..depth {
                for column in 0..width {
                    let from = layer * width + column;
                    for _ in 0..random.between(1, 2) {
                        let layer = random.between(layer + 1, depth.min(layer + 3));
                        s.add(from, 0, layer * width + random.between(0, width - 1));
                    }
                    if random.chance(25) {
                        s.add(from, random.between(1, 2), s.any_state(random));
                    }
                }
            }
            s
        }
        Shape::SilentComponents => {
            let mut s = Sketch::new(size);
            // Cycles over ranges of states; later ranges may hold earlier ones.
            for _ in 0..random.between(1, 4) {
                let from = s.any_state(random);
                let to = random.between(from, size - 1);
                for state in from..to {
                    s.add(state, 0, state + 1);
                }
                if random.chance(80) {
                    s.add(to, 0, from);
                }
            }
            for _ in 0..random.between(0, size) {
                let label = random.between(0, 2);
                s.add(s.any_state(random), label, s.any_state(random));
            }
            s
        }
        Shape::Chain => {
            let mut s = Sketch::new(size);
            let hidden = [0, 30][random.between(0, 1)];
            for state in 1..size {
                s.add(state - 1, usize::from(!random.chance(hidden)), state);
            }
            s
        }
        Shape::SilentChain => {
            let mut s = Sketch::new(size + 1);
            for state in 0..size {
                if state > 0 {
                    s.add(state - 1, 0, state);
                }
                if state + 1 == size || random.chance(30) {
                    s.add(state, random.between(1, 2), size);
                }
            }
            s
        }
        Shape::Ladder => {
            let rungs = size.div_ceil(2);
            let mut s = Sketch::new(2 * rungs);
            let across = random.between(0, 2);
            for rung in 0..rungs {
                for side in 0..2 {
                    if rung > 0 {
                        s.add(2 * rung - 2 + side, rung % 2, 2 * rung + side);
                    }
                }
                if random.chance(70) {
                    s.add(2 * rung, across, 2 * rung + 1);
                }
            }
            s
        }
        Shape::Star => {
            let mut s = Sketch::new(size + 1);
            for leaf in 1..=size {
                s.add(0, random.between(0, 2), leaf);
                if random.chance(40) {
                    s.add(leaf, random.between(0, 2), 0);
                }
                if random.chance(20) {
                    s.add(leaf, random.between(1, 2), s.any_state(random));
                }
            }
            s
        }
        Shape::Tree => {
            let mut s = Sketch::new(size);
            for state in 1..size {
                s.add((state - 1) / 2, 1 + state % 2, state);
                if random.chance(10) {
                    s.add(state, random.between(0, 3), state);
                }
            }
            s
        }
        Shape::Unreachable => {
            let mut s = uniform(size + 2, 2, 30, 2 * size, random);
            let reachable = random.between(1, 2);
            for t in &mut s.transitions {
                if (t.0 as usize) < reachable {
                    t.2 %= reachable as u32;
                }
            }
            s
        }
        Shape::Duplicates => {
            let mut s = uniform(size, 2, 30, 2 * size, random);
            let again = s.transitions.clone();
            s.transitions.extend(again.iter().rev());
            s.transitions.extend(again.iter().step_by(2));
            s
        }
        Shape::Copies | Shape::Stutter | Shape::DivergentStutter => {
            let labels = random.between(1, 2);
            let small = uniform(size.div_ceil(4), labels, 40, size / 2, random);
            unfold(&small, shape, 4, random).0
        }
    }
}

fn uniform(size: usize, labels: usize, hidden: usize, most: usize, random: &mut Random) -> Sketch {
    let mut s = Sketch::new(size);
    for _ in 0..random.between(0, most) {
        let label = if random.chance(hidden) {
            0
        } else {
            random.between(1, labels)
        };
        s.add(s.any_state(random), label, s.any_state(random));
    }
    s
}

/// Up to `most` copies of each state; also says which each is a copy of.
fn unfold(small: &Sketch, shape: Shape, most: usize, random: &mut Random) -> (Sketch, Vec<u32>) {
    let copies: Vec<usize> = (0..small.states).map(|_| random.between(1, most)).collect();
    let mut first = vec![0];
    for c in &copies {
        first.push(first[first.len() - 1] + c);
    }
    let mut s = Sketch {
        states: first[copies.len()] as u32,
        transitions: Vec::new(),
        ..small.clone()
    };
    s.initial = first[small.initial as usize] as u32;
    let a_copy = |state: u32, random: &mut Random| {
        first[state as usize] + random.between(0, copies[state as usize] - 1)
    };
    for (state, &copies) in copies.iter().enumerate() {
        for copy in 0..copies {
            let this = first[state] + copy;
            // A copy that is silently followed by a later one may leave steps
            // to it; the last copy has them all.
            let mut leaves = 0;
            if shape != Shape::Copies && copy + 1 < copies && random.chance(60) {
                s.add(this, 0, first[state] + random.between(copy + 1, copies - 1));
                leaves = 50;
            }
            if shape == Shape::DivergentStutter && random.chance(30) {
                s.add(this, 0, first[state] + random.between(0, copies - 1));
            }
            for &(source, label, target) in &small.transitions {
                if source as usize == state && !random.chance(leaves) {
                    for _ in 0..random.between(1, 2) {
                        s.add(this, label as usize, a_copy(target, random));
                    }
                }
            }
        }
    }
    let origin = (0..small.states).zip(&copies);
    let origin = origin.flat_map(|(state, &copies)| std::iter::repeat_n(state, copies));
    (s, origin.collect())
}

/// A system with up to `most` copies of each state, which are bisimilar to it in
/// the sense of the shape: [`Shape::Copies`] (strongly), [`Shape::Stutter`]
/// (divergence-preserving branching) or [`Shape::DivergentStutter`]
/// (branching). With the state that each is a copy of.
pub fn unfolded(lts: &Lts, shape: Shape, most: usize, random: &mut Random) -> (Lts, Vec<u32>) {
    let (sketch, origin) = unfold(&Sketch::of(lts), shape, most, random);
    (sketch.build(), origin)
}

/// The same system but for one transition, which is added, left out, or
/// changed in its label or target. May be equivalent by chance.
pub fn mutated(lts: &Lts, random: &mut Random) -> Lts {
    let mut s = Sketch::of(lts);
    let any = random.between(0, s.table.len() - 1);
    let state = s.any_state(random) as u32;
    if s.transitions.is_empty() || random.chance(25) {
        let source = s.any_state(random);
        s.add(source, any, state as usize);
        return s.build();
    }
    let k = random.between(0, s.transitions.len() - 1);
    match random.between(0, 2) {
        0 => drop(s.transitions.swap_remove(k)),
        1 => s.transitions[k].1 = any as u32,
        _ => s.transitions[k].2 = state,
    }
    s.build()
}

/// The same system with its states and transitions in another order.
pub fn shuffled(lts: &Lts, random: &mut Random) -> Lts {
    let mut s = Sketch::of(lts);
    let mut name: Vec<u32> = (0..s.states).collect();
    for k in (1..name.len()).rev() {
        name.swap(k, random.between(0, k));
    }
    for k in (1..s.transitions.len()).rev() {
        s.transitions.swap(k, random.between(0, k));
    }
    for t in &mut s.transitions {
        *t = (name[t.0 as usize], t.1, name[t.2 as usize]);
    }
    s.initial = name[s.initial as usize];
    s.build()
}

/// The system as AUT, for messages.
pub fn aut(lts: &Lts) -> String {
    let mut text = format!(
        "des ({}, {}, {})\n",
        lts.initial(),
        lts.transitions(),
        lts.states()
    );
    for (s, l, t) in lts.iter() {
        let label = if l.is_hidden() {
            "i".into()
        } else {
            format!("{:?}", String::from_utf8_lossy(lts.table().text(l)))
        };
        writeln!(text, "({s}, {label}, {t})").expect("writing to a string");
    }
    text
}

/// Runs a property on `count` random systems of every shape, with up to `size`
/// states or a small multiple, together with random numbers for its own use.
///
/// # Panics
/// If the property fails (returns an error or panics) for some system: with a
/// smaller one that still fails.
pub fn check(count: u64, size: usize, property: impl Fn(&Lts, &mut Random) -> Result<(), String>) {
    check_each(count, size, &property);
}

/// What a random system is to have; see [`check`].
type Property<'a> = dyn Fn(&Lts, &mut Random) -> Result<(), String> + 'a;

/// As [`check`], compiled once.
fn check_each(count: u64, size: usize, property: &Property<'_>) {
    for shape in Shape::ALL {
        for seed in 0..count {
            let mut random = Random::new(seed);
            let size = random.between(1, size);
            let lts = random_lts(shape, size, &mut random);
            let run = |lts: &Lts| -> Result<(), String> {
                catch_unwind(AssertUnwindSafe(|| property(lts, &mut random.clone())))
                    .unwrap_or_else(|panic| {
                        let text = panic
                            .downcast_ref::<String>()
                            .map(String::as_str)
                            .or_else(|| panic.downcast_ref().copied());
                        Err(format!("panicked: {}", text.unwrap_or_default()))
                    })
            };
            if let Err(error) = run(&lts) {
                let (lts, error) = shrink(lts, error, &run);
                panic!("{shape:?}, seed {seed}: {error}\n{}", aut(&lts));
            }
        }
    }
}

/// Leaves out transitions, then states at the end, as long as it still fails.
fn shrink(lts: Lts, error: String, run: &dyn Fn(&Lts) -> Result<(), String>) -> (Lts, String) {
    let mut best = (Sketch::of(&lts), error);
    loop {
        let mut smaller = None;
        for k in 0..best.0.transitions.len() {
            let mut less = best.0.clone();
            less.transitions.remove(k);
            if let Err(error) = run(&less.build()) {
                smaller = Some((less, error));
                break;
            }
        }
        let s = &best.0;
        let last = s.states - 1;
        let used = s.transitions.iter().any(|t| t.0 == last || t.2 == last);
        if smaller.is_none() && last > 0 && !used && s.initial != last {
            let mut less = s.clone();
            less.states -= 1;
            if let Err(error) = run(&less.build()) {
                smaller = Some((less, error));
            }
        }
        match smaller {
            Some(smaller) => best = smaller,
            None => return (best.0.build(), best.1),
        }
    }
}

/// LTSs of awkward shapes: sparse and dense, many self-loops and duplicates,
/// hidden cycles, unreachable states, any initial state. Systems of up to 9 states and 3 visible labels, any transitions between any states.
pub fn any_lts() -> impl Strategy<Value = Lts> {
    (1u32..10, 0u32..4)
        .prop_flat_map(|(n, labels)| {
            (
                Just(n),
                Just(labels),
                0..n,
                prop::collection::vec((0..n, 0..=labels, 0..n), 0..(3 * n as usize)),
            )
        })
        .prop_map(|(n, labels, initial, transitions)| {
            let mut builder = LtsBuilder::new(n.into());
            for text in ["a", "b", "i"].iter().take(labels as usize) {
                builder.table_mut().intern(text.as_bytes()).unwrap();
            }
            for (s, l, t) in transitions {
                builder.add(StateId::new(s), LabelId::new(l), StateId::new(t));
            }
            builder.build(StateId::new(initial)).unwrap()
        })
}

/// Whether two systems have the same rows, in the same order, under the same numbers.
pub fn same(a: &Lts, b: &Lts) -> bool {
    a.initial() == b.initial()
        && a.offsets() == b.offsets()
        && a.labels() == b.labels()
        && a.targets() == b.targets()
        && a.table().visible().eq(b.table().visible())
}

/// The system that this AUT text describes.
///
/// # Panics
/// If the text is wrong or doubtful.
pub fn from_aut(text: &str) -> Lts {
    let source = Source::from_bytes("test.aut", text.into(), None).unwrap();
    let options = ReadOptions::default();
    let mut report = |d: Diagnostic| match d.severity {
        Severity::Note => {}
        Severity::Warning | Severity::Error => panic!("{d}"),
    };
    hyades_formats::read_lts(source, &options, &mut report).unwrap()
}

/// The system with these transitions, hidden ones with the label `i`; the states are
/// those that occur, at least state 0.
pub fn lts(transitions: &[(u32, &str, u32)]) -> Lts {
    let last = transitions.iter().map(|t| t.0.max(t.2)).max();
    let mut text = format!(
        "des (0, {}, {})\n",
        transitions.len(),
        last.unwrap_or(0) + 1
    );
    for (source, label, target) in transitions {
        let label = match *label {
            "i" => label.to_string(),
            _ => format!("{label:?}"),
        };
        text += &format!("({source}, {label}, {target})\n");
    }
    from_aut(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_the_same_system() {
        for shape in Shape::ALL {
            let [a, b] = [(); 2].map(|()| aut(&random_lts(shape, 12, &mut Random::new(7))));
            assert_eq!(a, b, "{shape:?}");
        }
    }

    #[test]
    fn failures_are_made_small() {
        let failure = catch_unwind(|| {
            check(20, 12, |lts, _| {
                let loops = lts.iter().filter(|(s, _, t)| s == t).count();
                if loops < 2 {
                    Ok(())
                } else {
                    Err(format!("{loops} loops"))
                }
            });
        });
        let text = *failure.unwrap_err().downcast::<String>().unwrap();
        assert!(text.contains("2 loops\ndes (0, 2, 1)\n"), "{text}");
    }
}
