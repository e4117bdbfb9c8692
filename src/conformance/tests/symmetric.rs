//! Suites by kernels of specifications for which the premises hold: copies of a small
//! machine side by side, of which each label names one.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use hyades_formats::{LabelTable, LtsBuilder, StateId};
use hyades_symmetry::check::{CheckLimits, ConditionVerdict, Subject, check, closed};
use hyades_symmetry::pattern::{Pattern, PatternFile};
use hyades_symmetry::{Instances, KernelNumbers, kernel};

use super::*;

const COPIES: usize = 2;
const OUTPUTS: usize = 2;

/// A machine with one input `x`: for each state the output and the next.
#[derive(Clone, Debug)]
struct Template(Vec<(usize, usize)>);

impl Template {
    fn all(states: usize) -> Vec<Self> {
        let choices = states * OUTPUTS;
        let codes = 0..choices.pow(states as u32);
        let of_code = |code: usize| {
            let rows = (0..states).map(|s| code / choices.pow(s as u32) % choices);
            Self(rows.map(|c| (c % OUTPUTS, c / OUTPUTS)).collect())
        };
        codes.map(of_code).collect()
    }

    fn pattern(&self) -> Pattern {
        let mut lts = LtsBuilder::new(self.0.len() as u64);
        for (state, (output, target)) in self.0.iter().enumerate() {
            let text = format!("{} !x !u !o{output}", state + 1);
            lts.add_text(state as u32, text.as_bytes(), *target as u32)
                .unwrap();
        }
        let lts = lts.build(StateId::new(0)).unwrap();
        let text = "template = \"t.aut\"\n[[transformations]]\n\
                    injections = { from = [\"u\"], into = [\"u0\", \"u1\"] }\n";
        PatternFile::from_text(text).unwrap().pattern(&lts).unwrap()
    }

    /// All copies side by side.
    fn product(&self) -> Machine {
        let size = self.0.len();
        let mut machine = blank(size.pow(COPIES as u32));
        for state in machine.state_ids() {
            for input in machine.input_ids() {
                let weight = size.pow(input.get());
                let local = state.index() / weight % size;
                let (output, target) = self.0[local];
                let next = state.index() - local * weight + target * weight;
                let output = OutputId::new(output as u32);
                machine.set(state, input, output, StateId::from_index(next));
            }
        }
        machine.reachable_part()
    }

    /// Whether a machine is closed under the relation of the pattern, by following all
    /// symmetric traces side by side: of those with the same edges of the template the
    /// machine has all or none.
    fn closes(&self, machine: &Machine) -> bool {
        let start = (
            machine.initial(),
            [0; COPIES],
            machine.initial(),
            [0; COPIES],
        );
        let mut seen = BTreeSet::from([start]);
        let mut open = vec![start];
        while let Some((p, v, q, w)) = open.pop() {
            for a in machine.input_ids() {
                let (output, p2) = machine.step(p, a).unwrap();
                let edge = v[a.index()];
                if output.index() != self.0[edge].0 {
                    continue;
                }
                for b in machine.input_ids().filter(|b| w[b.index()] == edge) {
                    let (output, q2) = machine.step(q, b).unwrap();
                    if output.index() != self.0[edge].0 {
                        return false;
                    }
                    let (mut v2, mut w2) = (v, w);
                    v2[a.index()] = self.0[edge].1;
                    w2[b.index()] = self.0[edge].1;
                    if seen.insert((p2, v2, q2, w2)) {
                        open.push((p2, v2, q2, w2));
                    }
                }
            }
        }
        true
    }
}

fn blank(states: usize) -> Machine {
    let mut inputs = LabelTable::new();
    for copy in 0..COPIES {
        inputs.intern(format!("x !u{copy}").as_bytes()).unwrap();
    }
    Machine::new(inputs, table("o", OUTPUTS), states)
}

/// The states of an implementation that the inputs of the kernel's traces lead to.
fn image(machine: &Machine, kernel: &Machine) -> BTreeSet<StateId> {
    let start = (kernel.initial(), machine.initial());
    let mut seen = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some((k, s)) = open.pop() {
        for input in machine.input_ids() {
            if let Some((_, next)) = kernel.step(k, input) {
                let target = machine.step(s, input).unwrap().1;
                if seen.insert((next, target)) {
                    open.push((next, target));
                }
            }
        }
    }
    seen.into_iter().map(|(_, s)| s).collect()
}

/// Definition 5.5: what differs in the image is told apart by a word that stays in it up
/// to its last `outside` inputs.
fn is_self_contained(machine: &Machine, image: &BTreeSet<StateId>, outside: usize) -> bool {
    let partition = StatePartition::new(machine);
    let classes: BTreeSet<u32> = image.iter().map(|&s| partition.class(s)).collect();
    let last = words(machine, outside);
    let answers = |s, word: &[InputId]| machine.run(s, word).unwrap().0;
    image.iter().all(|&a| {
        image.iter().all(|&b| {
            if partition.class(a) == partition.class(b) {
                return true;
            }
            let mut seen = BTreeSet::from([(a, b)]);
            let mut open = VecDeque::from([(a, b, 0)]);
            while let Some((s, t, length)) = open.pop_front() {
                if last.iter().any(|word| answers(s, word) != answers(t, word)) {
                    return true;
                }
                for input in machine.input_ids() {
                    let ((one, s), (other, t)) = (
                        machine.step(s, input).unwrap(),
                        machine.step(t, input).unwrap(),
                    );
                    if length == classes.len() || !image.contains(&s) || !image.contains(&t) {
                        continue;
                    }
                    if one != other {
                        return true;
                    }
                    if seen.insert((s, t)) {
                        open.push_back((s, t, length + 1));
                    }
                }
            }
            false
        })
    })
}

/// All machines of three states, and random ones of four: whatever passes and is not
/// equivalent is not closed, or its image is larger than was allowed or less
/// self-contained. And there are such machines, so that none of this is idle.
#[test]
fn no_closed_machine_survives() {
    let mut random = Random::new(7);
    let (mut survivors, mut not_closed, mut claims) = (0, 0, 0);
    for template in Template::all(2) {
        let whole = template.product();
        let machine = whole.minimized();
        let pattern = template.pattern();
        let labelled = Labelled::new(&whole, &pattern.syntax).unwrap();
        let copies = Instances::new(&pattern, &labelled.lts).unwrap();
        let ranks = pattern.order.ranks(&labelled.lts, &pattern.syntax);
        let go_on = &mut |_: &_| ControlFlow::Continue(());
        let numbers = KernelNumbers::Found;
        let made = kernel(&labelled.lts, &copies, &ranks, numbers, go_on).unwrap();
        let subject = Subject {
            specification: &labelled.lts,
            copies: &copies,
            kernel: Some(&made),
            other: None,
        };
        let report = check(&subject, &CheckLimits::default(), go_on, &mut |_| {}).unwrap();
        assert_eq!(report.missing_premise(), None, "{template:?}");
        assert!(template.closes(&whole));
        let kernel = labelled.part(&whole, &made.lts);
        let partition = StatePartition::new(&machine);
        for (extra, outside) in [(0, 0), (0, 1), (1, 0)] {
            let (suite, claim) =
                symmetric_suite(&machine, &partition, &kernel, extra, outside).unwrap();
            let Guarantee::Kernel { classes: most, .. } = claim else {
                panic!("{claim}");
            };
            claims += 1;
            let tests = suite.tree(&machine);
            let tests: Vec<(Word, Vec<OutputId>)> = tests
                .nodes()
                .filter(|&node| tests.is_leaf(node))
                .map(|node| {
                    let word = tests.word(node);
                    let expected = machine.run(machine.initial(), &word).unwrap().0;
                    (word, expected)
                })
                .collect();
            let mut judge = |implementation: &Machine| {
                let run = |word: &[InputId]| {
                    implementation
                        .run(implementation.initial(), word)
                        .unwrap()
                        .0
                };
                if tests.iter().any(|(word, expected)| run(word) != *expected)
                    || equivalent(implementation, &machine)
                {
                    return;
                }
                survivors += 1;
                let is_closed = template.closes(implementation);
                if survivors % 16 == 0 {
                    let labels = Labelled::new(implementation, &pattern.syntax).unwrap();
                    let lts = labels.with_labels_of(&labelled.lts).unwrap();
                    let copies = Instances::new(&pattern, &lts).unwrap();
                    let decided = closed(&lts, &copies, &CheckLimits::default(), &mut |_| {
                        ControlFlow::Continue(())
                    })
                    .unwrap();
                    assert_eq!(
                        decided == ConditionVerdict::Holds,
                        is_closed,
                        "{template:?}"
                    );
                }
                if !is_closed {
                    not_closed += 1;
                    return;
                }
                let image = image(implementation, &kernel);
                let partition = StatePartition::new(implementation);
                let classes: BTreeSet<u32> = image.iter().map(|&s| partition.class(s)).collect();
                assert!(
                    classes.len() as u64 > most
                        || !is_self_contained(implementation, &image, outside),
                    "{template:?}, {extra} extra, {outside} outside"
                );
            };
            let mut three = blank(3);
            for code in 0..6usize.pow(6) {
                let mut rest = code;
                fill(&mut three, |choices| {
                    let choice = rest % choices;
                    rest /= choices;
                    choice
                });
                judge(&three);
            }
            let mut four = blank(4);
            for _ in 0..2000 {
                fill(&mut four, |choices| random.between(0, choices - 1));
                judge(&four);
            }
            // Of the same kind as the specification.
            for other in Template::all(2).iter().chain(&Template::all(3)) {
                judge(&other.product());
            }
        }
    }
    assert!(
        claims == 48 && survivors > not_closed && not_closed > 0,
        "{survivors}, {not_closed}"
    );
}

/// Chooses all transitions.
fn fill(machine: &mut Machine, mut pick: impl FnMut(usize) -> usize) {
    let choices = machine.states() * OUTPUTS;
    for state in machine.state_ids() {
        for input in machine.input_ids() {
            let choice = pick(choices);
            let output = OutputId::new((choice % OUTPUTS) as u32);
            machine.set(state, input, output, StateId::from_index(choice / OUTPUTS));
        }
    }
}

/// A kernel of one state without transitions is no kernel.
#[test]
fn an_empty_kernel_is_not_adequate() {
    let template = Template(vec![(0, 0)]);
    let pattern = template.pattern();
    let mut machine = blank(1);
    let state = machine.initial();
    for input in machine.input_ids() {
        machine.set(state, input, OutputId::new(0), state);
    }
    let labelled = Labelled::new(&machine, &pattern.syntax).unwrap();
    let copies = Instances::new(&pattern, &labelled.lts).unwrap();
    let go_on = &mut |_: &_| ControlFlow::Continue(());
    let ranks = pattern.order.ranks(&labelled.lts, &pattern.syntax);
    let made = kernel(&labelled.lts, &copies, &ranks, KernelNumbers::Found, go_on).unwrap();
    let empty = LtsBuilder::new(1).build(StateId::new(0)).unwrap();
    let mut missing = |other| {
        let subject = Subject {
            specification: &labelled.lts,
            copies: &copies,
            kernel: Some(&made),
            other,
        };
        let report = check(&subject, &CheckLimits::default(), go_on, &mut |_| {}).unwrap();
        report
            .missing_premise()
            .map(|(condition, _)| condition.name())
    };
    assert_eq!(missing(None), None);
    assert_eq!(missing(Some(&empty)), Some("adequate"));
}
