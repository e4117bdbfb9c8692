//! Moore machines and finite automata in DOT, in the shapes of those who write them,
//! against their definitions: what they answer.

#[allow(dead_code)]
use hyades_testing as testing;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyades::conformance::{
    DeriveOptions, InputId, Machine, Method, Pairing, derive, derive_moore, moore_states,
};
use hyades::equivalence::compare::compare;
use hyades::equivalence::{Relation, minimize, strong_quotient};
use hyades::formats::dot::{MooreForm, ReadDot, StateOutputs, WriteDot, WriteOutputs};
use hyades::formats::mealy::{InitialOutput, ReadMealy};
use hyades::formats::{
    Format, Lts, ReadError, ReadOptions, Source, WriteOptions, read_lts, write_lts,
};
use hyades::refinement::{RefineOptions, RefinementVerdict, Semantics, Specification, refine};
use testing::Random;

/// A complete deterministic Moore machine; state 0 is the initial one.
#[derive(Clone, Debug, PartialEq)]
struct Moore {
    /// For each state the state that follows each input.
    next: Vec<Vec<usize>>,
    /// The output of each state, a number in [`OUTPUTS`].
    output: Vec<usize>,
    /// The number in [`INPUTS`] of the first input, which the others follow.
    first: usize,
}

const INPUTS: [&str; 4] = ["a", "i", "GET /x", "tau"];
/// How many shapes machines are written in.
const SHAPES: usize = 8;
const OUTPUTS: [&str; 6] = ["A", "B", "x / y", "p|q", "{0}", "0"];

impl Moore {
    fn random(random: &mut Random) -> Self {
        let states = random.between(1, 6);
        let inputs = random.between(1, INPUTS.len());
        let outputs = random.between(1, OUTPUTS.len());
        // few targets make states alike that differ in their outputs
        let targets = random.between(1, states);
        let row = |random: &mut Random| {
            (0..inputs)
                .map(|_| random.between(0, targets - 1))
                .collect()
        };
        Self {
            next: (0..states).map(|_| row(random)).collect(),
            output: (0..states)
                .map(|_| random.between(0, outputs - 1))
                .collect(),
            first: random.between(0, INPUTS.len() - 1),
        }
    }

    /// The text of an input.
    fn input(&self, number: usize) -> &'static str {
        INPUTS[(self.first + number) % INPUTS.len()]
    }

    /// Whether all inputs look like pairs of input and output.
    fn has_pairs_only(&self) -> bool {
        (0..self.inputs()).all(|input| self.input(input).contains('/'))
    }

    fn inputs(&self) -> usize {
        self.next[0].len()
    }

    /// The same machine with a state twice, to which some transitions lead.
    fn split(&self, random: &mut Random) -> Self {
        let mut split = self.clone();
        let (state, copy) = (random.between(0, self.next.len() - 1), self.next.len());
        split.next.push(self.next[state].clone());
        split.output.push(self.output[state]);
        for target in split.next.iter_mut().flatten() {
            if *target == state && random.chance(50) {
                *target = copy;
            }
        }
        split
    }

    /// All machines with another output of a state, or another target of a
    /// transition.
    fn mutants(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for state in 0..self.next.len() {
            for output in (0..OUTPUTS.len()).filter(|&o| o != self.output[state]) {
                let mut mutant = self.clone();
                mutant.output[state] = output;
                all.push(mutant);
            }
            for input in 0..self.inputs() {
                for target in 0..self.next.len() {
                    let mut mutant = self.clone();
                    mutant.next[state][input] = target;
                    all.push(mutant);
                }
            }
        }
        all
    }

    /// Whether two machines give the same outputs, by the pairs of their states.
    fn equals(&self, other: &Self) -> bool {
        let mut seen = BTreeSet::from([(0, 0)]);
        let mut queue = VecDeque::from([(0, 0)]);
        while let Some((one, two)) = queue.pop_front() {
            if self.output[one] != other.output[two] {
                return false;
            }
            for input in 0..self.inputs() {
                let pair = (self.next[one][input], other.next[two][input]);
                if seen.insert(pair) {
                    queue.push_back(pair);
                }
            }
        }
        true
    }

    /// The least machine that answers alike, by refining a partition.
    fn least(&self) -> Self {
        let mut class = self.output.clone();
        loop {
            let mut numbers = BTreeMap::new();
            let mut new = Vec::new();
            for state in 0..class.len() {
                let next: Vec<usize> = self.next[state].iter().map(|&t| class[t]).collect();
                let count = numbers.len();
                new.push(*numbers.entry((class[state], next)).or_insert(count));
            }
            let stable = new.iter().collect::<BTreeSet<_>>().len()
                == class.iter().collect::<BTreeSet<_>>().len();
            class = new;
            if stable {
                break;
            }
        }
        let mut found: Vec<usize> = vec![0];
        let mut number = BTreeMap::from([(class[0], 0)]);
        let mut least = Self {
            next: Vec::new(),
            output: Vec::new(),
            first: self.first,
        };
        let mut at = 0;
        while let Some(&state) = found.get(at) {
            at += 1;
            least.output.push(self.output[state]);
            let row = self.next[state].iter().map(|&target| {
                *number.entry(class[target]).or_insert_with(|| {
                    found.push(target);
                    found.len() - 1
                })
            });
            let row = row.collect();
            least.next.push(row);
        }
        least
    }

    /// The output after each word of a test, that of the empty one first.
    fn answers(&self, word: &[usize]) -> Vec<usize> {
        let mut state = 0;
        let mut answers = vec![self.output[0]];
        for &input in word {
            state = self.next[state][input];
            answers.push(self.output[state]);
        }
        answers
    }

    /// As its users write it, the name of a state being `name`.
    fn written(
        &self,
        name: impl Fn(usize) -> String,
        node: impl Fn(usize, &str) -> String,
    ) -> String {
        let mut text = String::from("digraph m {\n");
        for state in 0..self.next.len() {
            let output = OUTPUTS[self.output[state]];
            text += &format!("{} [{}];\n", name(state), node(state, output));
        }
        for (state, row) in self.next.iter().enumerate() {
            for (input, &target) in row.iter().enumerate() {
                let (from, to) = (name(state), name(target));
                text += &format!("{from} -> {to} [label=\"{}\"];\n", self.input(input));
            }
        }
        let initial = name(0);
        text + &format!(
            "__start0 [label=\"\", shape=none];\n__start0 -> {initial} [label=\"\"];\n}}\n"
        )
    }

    fn shapes(&self) -> Vec<String> {
        let numbered = |letter: &'static str| move |state: usize| format!("{letter}{state}");
        let names = ["q", "idle", "busy", "X", "Y", "Z", "W"];
        let named = move |state: usize| names[state].to_owned();
        vec![
            // AALpy
            self.written(numbered("s"), |s, o| {
                format!("label=\"s{s}|{o}\", shape=record, style=rounded")
            }),
            // automatalib and LearnLib
            self.written(numbered("s"), |s, o| {
                format!("shape=\"circle\" label=\"{s} / {o}\"")
            }),
            // AutomataWiki
            self.written(named, |s, o| {
                let name = names[s];
                format!("shape=\"record\", style=\"rounded\", label=\"{{ {name} | {o} }}\"")
            }),
            // by hand
            self.written(numbered("s"), |s, o| format!("label=\"s{s}\\n{o}\"")),
            self.written(named, |s, o| format!("label=<{}<br/>{o}>", names[s])),
            self.written(numbered("s"), |s, o| {
                format!("label=\"{}\", output=\"{o}\"", names[s])
            }),
            self.written(numbered("s"), |s, o| {
                format!("label=\"{}\\n{o}\"", names[s])
            }),
            self.written(numbered("s"), |_, o| format!("xlabel=\"{o}\"")),
        ]
    }

    /// A finite automaton, which accepts where the output is an even number.
    fn acceptors(&self) -> Vec<String> {
        let name = |state: usize| format!("s{state}");
        let accepts = |state: usize| self.output[state].is_multiple_of(2);
        let written = |yes: &'static str, no: &'static str| {
            self.written(name, move |s, _| match accepts(s) {
                true => format!("label=s{s}{yes}"),
                false => format!("label=s{s}{no}"),
            })
        };
        vec![
            // AALpy
            written(", shape=doublecircle", ""),
            // automatalib and LearnLib
            written(" shape=\"doublecircle\"", " shape=\"circle\""),
            // by hand
            written(", peripheries=2", ", peripheries=1"),
        ]
    }

    fn as_acceptor(&self) -> Self {
        Self {
            next: self.next.clone(),
            output: self.output.iter().map(|output| output % 2).collect(),
            first: self.first,
        }
    }
}

fn read(text: &str, options: &ReadOptions) -> Result<Lts, ReadError> {
    let source = Source::from_bytes("f", text.as_bytes().to_vec(), Some(Format::Dot)).unwrap();
    read_lts(source, options, &mut |_| ())
}

fn options(outputs: StateOutputs) -> ReadOptions {
    let initial = match outputs {
        StateOutputs::Moore => InitialOutput::Needed,
        _ => InitialOutput::Possible,
    };
    let mealy = ReadMealy {
        initial,
        ..ReadMealy::default()
    };
    ReadOptions {
        mealy: (!matches!(outputs, StateOutputs::Accepting(_))).then_some(mealy),
        dot: ReadDot {
            outputs,
            ..ReadDot::default()
        },
        ..ReadOptions::default()
    }
}

fn moore() -> ReadOptions {
    options(StateOutputs::Moore)
}

fn acceptor() -> ReadOptions {
    options(StateOutputs::Accepting(b"yes".to_vec()))
}

fn copy(lts: &Lts) -> Lts {
    Lts::from_parts(lts.clone().into_parts())
}

/// Whether two systems are related by all relations that are looked at, the
/// refinement by traces both ways among them; they agree.
#[track_caller]
fn is_related(one: &Lts, other: &Lts, why: &str) -> bool {
    let strong = compare(copy(one), copy(other), Relation::Strong).unwrap();
    let strong = strong.holds();
    for relation in [
        Relation::Strong,
        Relation::DivBranching,
        Relation::Branching,
    ] {
        let verdict = compare(copy(one), copy(other), relation).unwrap();
        assert_eq!(verdict.holds(), strong, "{relation:?}\n{why}");
    }
    let refines = |spec: &Lts, model: &Lts| {
        let spec = Specification::new(spec, Semantics::Traces, None).unwrap();
        refine(&spec, model, RefineOptions::default())
            .unwrap()
            .verdict
            == RefinementVerdict::Holds
    };
    assert_eq!(refines(one, other) && refines(other, one), strong, "{why}");
    strong
}

/// Machines to compare with one: equivalent ones, and others.
fn others(machine: &Moore, random: &mut Random) -> Vec<Moore> {
    let mutants = machine.mutants();
    let mutant = mutants[random.between(0, mutants.len() - 1)].clone();
    let split = machine.split(random);
    let initial = {
        let mut other = machine.clone();
        other.output[0] = (other.output[0] + 1) % OUTPUTS.len();
        other
    };
    vec![
        split.split(random),
        machine.least(),
        mutant.split(random),
        mutant,
        initial,
    ]
}

#[test]
fn equal_are_moore_machines_with_equal_outputs() {
    let (mut equal, mut different) = (0, 0);
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let machine = Moore::random(&mut random);
        let text = machine.shapes()[seed as usize % SHAPES].clone();
        let lts = read(&text, &moore()).unwrap();
        for other in others(&machine, &mut random) {
            if other.next.len() > 7 {
                continue;
            }
            let second = other.shapes()[random.between(0, SHAPES - 1)].clone();
            let expected = machine.equals(&other);
            *(if expected { &mut equal } else { &mut different }) += 1;
            let found = is_related(
                &lts,
                &read(&second, &moore()).unwrap(),
                &(text.clone() + &second),
            );
            assert_eq!(found, expected, "{seed}\n{text}{second}");
        }
        // nobody gets a verdict who says nothing
        for (k, text) in machine.shapes().iter().enumerate() {
            let mut told = Vec::new();
            let source = Source::from_bytes("f", text.as_bytes().to_vec(), Some(Format::Dot));
            let read = read_lts(source.unwrap(), &ReadOptions::default(), &mut |d| {
                told.push(d.to_string());
            });
            let is_told = told.iter().any(|t| t.ends_with("[dot-outputs]"));
            match k {
                0..6 => assert!(matches!(read, Err(ReadError::Refused { .. })), "{text}"),
                _ => assert!(machine.has_pairs_only() || is_told, "{text}"),
            }
        }
    }
    assert!(equal > 200 && different > 200, "{equal} {different}");
}

#[test]
fn equal_are_automata_with_equal_languages() {
    let (mut equal, mut different) = (0, 0);
    for seed in 0..150 {
        let mut random = Random::new(seed + 1000);
        let machine = Moore::random(&mut random);
        let text = machine.acceptors()[seed as usize % 3].clone();
        let lts = read(&text, &acceptor()).unwrap();
        for other in others(&machine, &mut random) {
            let second = other.acceptors()[random.between(0, 2)].clone();
            let expected = machine.as_acceptor().equals(&other.as_acceptor());
            *(if expected { &mut equal } else { &mut different }) += 1;
            let found = is_related(
                &lts,
                &read(&second, &acceptor()).unwrap(),
                &(text.clone() + &second),
            );
            assert_eq!(found, expected, "{seed}\n{text}{second}");
        }
        let some = machine.output.iter().any(|output| output.is_multiple_of(2));
        let said_nothing = read(&text, &ReadOptions::default());
        assert_eq!(said_nothing.is_err(), some, "{text}");
    }
    assert!(equal > 200 && different > 200, "{equal} {different}");
}

fn written(lts: &Lts, outputs: WriteOutputs) -> String {
    let options = WriteOptions {
        dot: WriteDot { outputs },
        ..WriteOptions::default()
    };
    let mut out = Vec::new();
    let mut told = |d| panic!("{d}");
    write_lts(lts, Format::Dot, &mut out, &options, &mut told).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn what_is_written_is_the_least_machine_and_read_back() {
    for seed in 0..200 {
        let mut random = Random::new(seed + 2000);
        let machine = Moore::random(&mut random);
        let text = &machine.shapes()[seed as usize % SHAPES];
        let lts = read(text, &moore()).unwrap();
        let least = machine.least().next.len();
        for relation in [
            Relation::Strong,
            Relation::DivBranching,
            Relation::Branching,
        ] {
            let small = minimize(copy(&lts), relation).unwrap().lts;
            for form in [MooreForm::Slash, MooreForm::Record, MooreForm::Lines] {
                let again = written(&small, WriteOutputs::Moore(form));
                let nodes = again
                    .lines()
                    .filter(|l| l.contains("shape=") && !l.contains("__"));
                assert_eq!(nodes.count(), least, "{seed}\n{text}{again}");
                let back = read(&again, &moore()).unwrap();
                assert!(is_related(&lts, &back, &again), "{seed}\n{text}{again}");
                // the same shape again
                assert_eq!(written(&back, WriteOutputs::Moore(form)), again);
            }
        }
        let text = &machine.acceptors()[seed as usize % 3];
        let lts = read(text, &acceptor()).unwrap();
        let least = machine.as_acceptor().least().next.len();
        let small = strong_quotient(copy(&lts)).lts;
        assert_eq!(small.states(), least);
        let again = written(&small, WriteOutputs::Accepting(b"yes".to_vec()));
        let back = read(&again, &acceptor());
        let accepts = again.contains("doublecircle");
        assert_eq!(accepts, machine.as_acceptor().least().output.contains(&0));
        assert!(
            is_related(&lts, &back.unwrap(), &again),
            "{seed}\n{text}{again}"
        );
    }
}

/// The words of a suite.
fn suite(spec: &Moore, machine: &Machine, method: Method, with_moore: bool) -> Vec<Vec<usize>> {
    let options = DeriveOptions::default();
    let derivation = match with_moore {
        true => derive_moore(machine, method, &options),
        false => derive(machine, method, &options),
    };
    let mut tests = Vec::new();
    let name = |input: &InputId| {
        let text = machine.input_text(*input);
        let mut inputs = 0..spec.inputs();
        inputs.find(|&i| spec.input(i).as_bytes() == text).unwrap()
    };
    let _ = derivation.unwrap().suite.each_test(machine, |test| {
        tests.push(test.iter().map(name).collect());
        std::ops::ControlFlow::<()>::Continue(())
    });
    tests
}

#[test]
fn suites_find_all_moore_machines_with_one_fault() {
    use Method::{H, Hsi, HsiSt, Spy, Spyh, W, Wp};
    let mut missed_without = 0;
    let mut of_automata = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed + 3000);
        let machine = Moore::random(&mut random).least();
        let automaton = machine.as_acceptor().least();
        let of_moore = (
            &machine,
            machine.shapes()[seed as usize % SHAPES].clone(),
            moore(),
        );
        let shown = options(StateOutputs::Shown);
        let of_dfa = (
            &automaton,
            automaton.acceptors()[seed as usize % 3].clone(),
            shown,
        );
        for (k, (spec, text, options)) in [of_moore, of_dfa].into_iter().enumerate() {
            if k == 1 && (!spec.output.contains(&0) || spec.has_pairs_only()) {
                // nothing tells that it is an automaton, or it seems to be a Mealy machine
                continue;
            }
            let lts = read(&text, &options).unwrap();
            let read = Machine::from_lts(&lts, &Pairing::default()).unwrap();
            assert_eq!(read.states(), spec.next.len());
            let read = read.minimized();
            assert_eq!(
                moore_states(&read).unwrap(),
                Some(spec.next.len()),
                "{text}"
            );
            let faulty = spec.mutants().into_iter().filter(|mutant| {
                let known = k == 0 || mutant.output.iter().all(|&output| output < 2);
                // what the claim supposes
                let same_initial = mutant.output[0] == spec.output[0];
                known && same_initial && !mutant.equals(spec)
            });
            let faulty: Vec<Moore> = faulty.collect();
            of_automata += k * faulty.len();
            for method in [W, Wp, Hsi, HsiSt, H, Spy, Spyh] {
                let finds = |tests: &[Vec<usize>], mutant: &Moore| {
                    tests.iter().any(|t| spec.answers(t) != mutant.answers(t))
                };
                let tests = suite(spec, &read, method, true);
                for mutant in &faulty {
                    assert!(finds(&tests, mutant), "{method:?} {mutant:?}\n{text}");
                }
                let tests = suite(spec, &read, method, false);
                missed_without += faulty.iter().filter(|m| !finds(&tests, m)).count();
            }
        }
    }
    // as Mealy machines they have fewer states, for which less is enough
    assert!(
        missed_without > 0 && of_automata > 300,
        "{missed_without} {of_automata}"
    );
}

/// A Moore machine with another initial output may pass all tests and answer a longer
/// word wrongly: claims suppose the same one.
#[test]
fn claims_for_moore_machines_suppose_the_initial_output() {
    let of = |output: [usize; 3], next: [usize; 3]| Moore {
        output: output.to_vec(),
        next: next.map(|target| vec![target]).to_vec(),
        first: 0,
    };
    let spec = of([0, 1, 0], [2, 1, 1]);
    let other = of([1, 0, 1], [1, 2, 0]);
    let lts = read(&spec.shapes()[0], &moore()).unwrap();
    let machine = Machine::from_lts(&lts, &Pairing::default()).unwrap();
    let machine = machine.minimized();
    let options = DeriveOptions::default();
    let derivation = derive_moore(&machine, Method::Wp, &options).unwrap();
    assert_eq!(
        derivation.claim.to_string(),
        "complete for implementations of at most 2 states, and for Moore machines of at most 3 \
         with the same initial output"
    );
    for test in suite(&spec, &machine, Method::Wp, true) {
        let answers = spec.answers(&test);
        assert_eq!(answers[1..], other.answers(&test)[1..], "{test:?}");
    }
    assert_ne!(spec.answers(&[0; 4])[1..], other.answers(&[0; 4])[1..]);
    assert_ne!(spec.output[0], other.output[0]);
}
