//! Measures how long it takes to certify, to decide and to reduce test suites.
//! `--help` tells how to run it.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hyades::conformance::check::{
    Completeness, FaultDomain, Limits, Reducing, certificate, decide, reduce,
};
use hyades::conformance::{
    Cover, InputId, Layered, Machine, NodeId, OutputId, StatePartition, TestTree, WordSets,
    characterization_set,
};
use hyades_formats::{LabelTable, StateId};

const HELP: &str = "\
Measures how long it takes to certify, to decide and to reduce test suites.

Usage: cargo bench --bench conformance

The specifications are random machines of two outputs, all of whose states are
reachable and not equivalent; the suites those of the W-method, whole and without
some tests. The median of five machines counts. The report, in Markdown, goes to
standard output.
";

/// Machines that are measured for a figure.
const MACHINES: u64 = 5;

/// What is measured: states, inputs, extra states, and tests that are left out.
const CASES: [(usize, usize, usize, usize); 6] = [
    (50, 5, 0, 0),
    (50, 5, 1, 0),
    (50, 5, 1, 3),
    (50, 5, 2, 3),
    (100, 5, 1, 0),
    (100, 10, 1, 3),
];

/// Reductions: states, inputs and extra states.
const REDUCTIONS: [(usize, usize, usize); 3] = [(10, 2, 1), (20, 3, 1), (30, 5, 0)];

fn main() -> ExitCode {
    // Cargo gives `--bench`.
    if std::env::args()
        .skip(1)
        .any(|argument| argument != "--bench")
    {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    println!("| states | inputs | extra | left out | nodes | certificate | decision | complete |");
    println!("|-------:|-------:|------:|---------:|------:|------------:|---------:|---------:|");
    for (states, inputs, extra, left_out) in CASES {
        let mut times = [Vec::new(), Vec::new()];
        let (mut nodes, mut complete) = (0, 0);
        for seed in 0..MACHINES {
            let mut random = Random(seed);
            let machine = random.machine(states, inputs);
            let tree = random.suite(&machine, extra, left_out);
            let domain = FaultDomain::States(states + extra);
            let limits = Limits::default();
            nodes = tree.len();
            let start = Instant::now();
            let certified = certificate(&machine, &tree, &domain, &limits);
            times[0].push(start.elapsed());
            let start = Instant::now();
            let verdict = decide(&machine, &tree, &domain, &limits);
            times[1].push(start.elapsed());
            let certified = certified.expect("a specification").is_some();
            let verdict = verdict.expect("a specification");
            assert!(!certified || verdict.is_complete());
            assert!(left_out > 0 || certified);
            assert!(!matches!(verdict, Completeness::Unknown(_)), "not decided");
            complete += u32::from(verdict.is_complete());
        }
        let [certify, decide] = times.map(median);
        println!(
            "| {states} | {inputs} | {extra} | {left_out} | {nodes} | {certify:.1?} | {decide:.1?} \
             | {complete} of {MACHINES} |"
        );
    }
    println!();
    println!("| states | inputs | extra | tests | tests after reduction | time |");
    println!("|-------:|-------:|------:|------:|----------------------:|-----:|");
    for (states, inputs, extra) in REDUCTIONS {
        let (mut times, mut tests) = (Vec::new(), (0, 0));
        for seed in 0..MACHINES {
            let mut random = Random(seed);
            let machine = random.machine(states, inputs);
            let tree = random.suite(&machine, extra, 0);
            let domain = FaultDomain::States(states + extra);
            let start = Instant::now();
            let reduced = reduce(&machine, &tree, &domain, &Reducing::default());
            times.push(start.elapsed());
            let reduced = reduced.expect("a specification");
            assert!(reduced.verdict.is_complete());
            tests = (
                tests.0 + tree.size().tests,
                tests.1 + reduced.tree.size().tests,
            );
        }
        let (before, after) = (tests.0 / MACHINES, tests.1 / MACHINES);
        let time = median(times);
        println!("| {states} | {inputs} | {extra} | {before} | {after} | {time:.1?} |");
    }
    ExitCode::SUCCESS
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// SplitMix64 (Steele, Lea & Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % count as u64) as usize
    }

    /// A machine of two outputs that is minimal and connected.
    fn machine(&mut self, states: usize, inputs: usize) -> Machine {
        loop {
            let tables = [("i", inputs), ("o", 2)].map(|(prefix, count)| {
                let mut table = LabelTable::new();
                for k in 0..count {
                    let text = format!("{prefix}{k}");
                    table.intern(text.as_bytes()).expect("few labels");
                }
                table
            });
            let [inputs, outputs] = tables;
            let mut machine = Machine::new(inputs, outputs, states);
            for state in machine.state_ids() {
                for input in machine.input_ids() {
                    let output = OutputId::new(self.below(2) as u32);
                    let target = StateId::from_index(self.below(states));
                    machine.set(state, input, output, target);
                }
            }
            let minimal = machine.minimized();
            if minimal.states() == states {
                return minimal;
            }
        }
    }

    /// The W-method's suite without some tests.
    fn suite(&mut self, machine: &Machine, extra: usize, left_out: usize) -> TestTree {
        let mut sets = WordSets::default();
        let words = characterization_set(machine, &StatePartition::new(machine));
        let layers = vec![vec![sets.of(&words); machine.states()]; extra + 2];
        let suite = Layered::new(Cover::new(machine), sets, layers);
        let mut tests: Vec<Vec<InputId>> = Vec::new();
        let _ = suite.each_test(machine, |test| {
            tests.push(test.to_vec());
            ControlFlow::<()>::Continue(())
        });
        for _ in 0..left_out {
            let place = self.below(tests.len());
            tests.remove(place);
        }
        let mut tree = TestTree::new(machine);
        for test in tests {
            tree.insert(machine, NodeId::ROOT, &test);
        }
        tree
    }
}
