//! The generic transformation: changes of small machines, by hand.

use std::collections::BTreeSet;
use std::sync::Arc;

use hyades_formats::StateId;

use super::super::theta::{
    Answer, Applicability, Constraint, Options, PartialRegion, Region, Theorem, ThetaError,
    Witness, check, prove,
};
use super::super::*;
use super::progress::CHAIN;
use super::x25::read;

/// A component P, given as `0 -a 1; 1 +c 0`, and Q, which does nothing. P transmits a
/// and e on one channel to Q and b on another one, receives c and d from Q, and has a
/// private channel with m and room for one.
fn system(behaviour: &str) -> System {
    let [p, q] = [0, 1].map(|k| Some(ComponentId::new(k)));
    let channels = [
        ("A", p, q, None, "a e"),
        ("B", p, q, None, "b"),
        ("C", q, p, None, "c"),
        ("D", q, p, None, "d"),
        ("M", p, p, Some(1), "m"),
    ];
    let channels = channels.map(|(name, from, to, capacity, messages)| Channel {
        name: name.into(),
        from,
        to,
        capacity,
        messages: messages.split(' ').map(String::from).collect(),
    });
    let channels: Arc<[Channel]> = channels.into();
    let [p, q] = ["P", "Q"].map(|name| Component {
        name: name.into(),
        machine: Machine::new(
            ComponentId::new(usize::from(name == "Q")),
            Arc::clone(&channels),
            StateId::new(0),
            6,
        ),
    });
    let mut system = System::new(String::new(), vec![p, q], channels);
    let id = ComponentId::new(0);
    for transition in transitions(&system, behaviour) {
        system.machine_mut(id).insert(transition);
    }
    system
}

fn transitions(system: &System, text: &str) -> Vec<Transition> {
    let vocabulary = system.vocabulary(ComponentId::new(0));
    let transition = |text: &str| {
        let (source, rest) = text.trim().split_once(' ').unwrap();
        let (label, target) = rest.rsplit_once(' ').unwrap();
        let [source, target] = [source, target].map(|s| StateId::new(s.parse().unwrap()));
        Transition::new(source, vocabulary.parse(label).unwrap(), target)
    };
    text.split(';').map(transition).collect()
}

fn machine(behaviour: &str) -> Machine {
    system(behaviour).machine(ComponentId::new(0)).clone()
}

fn states(numbers: &[u32]) -> BTreeSet<StateId> {
    numbers.iter().copied().map(StateId::new).collect()
}

fn verdict(old: &str, new: &str) -> Applicability {
    let unknown = PartialRegion::default();
    let [old, new] = [machine(old), machine(new)];
    prove(&old, &new, [&unknown, &unknown], Options::default()).unwrap()
}

/// The theorems that do not apply.
fn unproven(old: &str, new: &str) -> Vec<usize> {
    let verdict = verdict(old, new);
    let unproven = Theorem::ALL.into_iter().filter(|&t| !verdict.proves(t));
    unproven.map(Theorem::number).collect()
}

const NONE: [usize; 0] = [];

#[test]
fn nothing_changes() {
    assert_eq!(unproven("0 -a 1; 1 +c 0", "0 -a 1; 1 +c 0"), NONE);
}

/// Θ3 and Θ4, and what they must not do.
#[test]
fn states_are_passed() {
    let passes = |old, new| assert_eq!(unproven(old, new), NONE, "{old} | {new}");
    passes("0 +c 1; 1 -a 0; 1 -b 2", "0 +c -a 0; 0 +c -b 2");
    passes("0 -b 1; 1 -a 0; 2 +d 1", "0 -b -a 0");
    passes("0 +c 1; 1 -a 0; 1 +d 0", "0 +c -a 0; 0 +c +d 0");
    // State 1 remains.
    passes("0 +c 1; 0 +d 1; 1 -a 0", "0 +c -a 0; 0 +d 1; 1 -a 0");
    passes(
        "0 +c 1; 1 -a 1; 1 -b 0",
        "0 +c -a 1; 0 +c -b 0; 1 -a 1; 1 -b 0",
    );
    // There P may have to wait for Q.
    let fails = |old, new| assert!(unproven(old, new).contains(&1), "{old} | {new}");
    fails("0 -a 1; 1 +c 0", "0 -a +c 0");
    fails("0 -a 1; 0 -b 1; 1 +c 0", "0 -a +c 0; 0 -b 1; 1 +c 0");
    // What Q has to receive first.
    fails(
        "0 +d 2; 2 -a 1; 1 +c 0; 1 -b 0",
        "0 +d 2; 2 -a +c 0; 2 -a -b 0",
    );
    fails(
        "0 +d 2; 2 -a 1; 2 -b 1; 1 +c 0; 1 -b 0",
        "0 +d 2; 2 -a +c 0; 2 -a -b 0; 2 -b 1; 1 +c 0; 1 -b 0",
    );
    // Two loops are made one.
    fails(
        "0 +c 1; 1 -b 1; 1 -e 0",
        "0 +c -b 1; 0 +c -e 0; 1 -b -b 1; 1 -b -e 0",
    );
    // Where P never waits, nothing is dead. That the new machine can always go on to
    // transmit instead of receiving is not seen.
    assert_eq!(
        unproven("0 -a 1; 1 +c 0; 1 -b 0", "0 -a +c 0; 0 -a -b 0"),
        [2, 4]
    );
}

/// Θ2, Θ5 and Θ6, and what they must not do.
#[test]
fn transitions_are_passed_by() {
    let passes = |old, new| assert_eq!(unproven(old, new), NONE, "{old} | {new}");
    passes("0 +c -a 2; 0 +c 1; 1 -a 2", "0 +c 1; 1 -a 2");
    // Others cannot see in which order P sends and then receives.
    passes("0 -a +c 2; 0 +c 1; 1 -a 2", "0 +c 1; 1 -a 2");
    // The other channel is behind, which nobody can tell.
    passes("0 -a -b 2; 0 -b 1; 1 -a 2", "0 -b 1; 1 -a 2");
    passes("0 -a 1; 0 -m +m -a 1", "0 -a 1");
    passes("0 -a -m +m 1", "0 -a 1");
    let is = |old, new, theorems: &[usize]| assert_eq!(unproven(old, new), theorems);
    // Two in M are one too many.
    is("0 -a 1; 0 -m -m +m +m -a 1", "0 -a 1", &[3]);
    is("0 -a -m -m +m +m 1", "0 -a 1", &[3]);
    // Nothing may be done in state 0 then.
    is("0 -m +m 0; 0 +c 1", "0 +c 1", &[1]);
    passes("0 -m +m 0; 0 +c 1; 0 -b 1", "0 +c 1; 0 -b 1");
    // A reception and a later transmission: M holds two for a moment.
    is("0 -m 1; 1 +m -m +m -m -a 1", "0 -m 1; 1 -m +m -a 1", &[3]);
}

/// Walks of any number that have to be followed, with one that is behind.
#[test]
fn cycles() {
    let old = "0 +d 1; 1 -a 1; 1 +c 1; 1 -e 0";
    let new = "0 +d -a 1; 0 +d +c 1; 0 +d -e 0; 1 -a 1; 1 +c 1; 1 -e 0";
    assert!(verdict(old, new).is_proof());
    // Now b is to be sent before c is received.
    let old = "0 +d -b 1; 1 -a 1; 1 +c 1; 1 -e 0";
    let new = "0 +d -b -a 1; 0 +d -b +c 1; 0 +d -b -e 0; 1 -a 1; 1 +c 1; 1 -e 0";
    let all = PartialRegion {
        transitions: Some(machine(old).transitions().collect()),
        ..PartialRegion::default()
    };
    let unknown = PartialRegion::default();
    let options = Options::default();
    let verdict = prove(&machine(old), &machine(new), [&all, &unknown], options).unwrap();
    let walk = Witness::Walk(transitions(&system(old), "0 +d -b 1; 1 +c 1; 1 -e 0"));
    assert_eq!(
        *verdict.answer(Constraint::SimulatedByNew),
        Answer::Fails(walk)
    );
}

/// The new machine has to be told how often it goes round.
#[test]
fn unlimited_lag_is_not_found() {
    let old = "0 +d 1; 1 -a -b 1; 1 -e 0";
    let new = "0 +d 2; 2 -a 2; 2 -b 3; 3 -b 3; 3 -e 0; 2 -e 0";
    let verdict = verdict(old, new);
    let most = Options::default().transitions;
    let simulated = verdict.answer(Constraint::SimulatedByNew);
    assert_eq!(*simulated, Answer::Unknown { transitions: most });
    // Once a and no b.
    let walk = Witness::Walk(transitions(&system(new), "0 +d 2; 2 -a 2; 2 -e 0"));
    assert_eq!(
        *verdict.answer(Constraint::SimulatedByOld),
        Answer::Fails(walk)
    );
}

#[test]
fn what_a_region_is() {
    let old = machine("0 -a 1; 1 -b 2; 2 +c 0");
    let region = Region {
        states: states(&[0, 1]),
        transitions: transitions(&system("0 -a 1"), "0 -a 1")
            .into_iter()
            .collect(),
        entries: states(&[0, 1]),
        exits: states(&[0, 1]),
    };
    let answers = |regions: [Region; 2], new: &Machine| {
        let verdict = check(&old, new, regions, Options::default()).unwrap();
        let failing = verdict
            .answers()
            .filter_map(|(constraint, answer)| match answer {
                Answer::Fails(witness) => Some((constraint.name(), witness.clone())),
                _ => None,
            });
        failing.collect::<Vec<_>>()
    };
    let with = |change: &dyn Fn(&mut Region)| {
        let mut regions = [region.clone(), region.clone()];
        regions.iter_mut().for_each(change);
        answers(regions, &old)
    };
    let both = |witness: Witness| vec![("old region", witness.clone()), ("new region", witness)];
    let state = |number| Witness::State(StateId::new(number));
    assert_eq!(with(&|_| {}), []);
    // State 1 can be entered from within only, and state 0 never waits.
    assert_eq!(with(&|r| r.entries = states(&[0])), []);
    assert_eq!(with(&|r| r.exits = states(&[1])), []);
    assert_eq!(with(&|r| r.entries = states(&[1])), both(state(0)));
    assert_eq!(with(&|r| r.exits = states(&[0])), both(state(1)));
    assert_eq!(with(&|r| r.entries = states(&[0, 3])), both(state(3)));
    assert_eq!(with(&|r| *r = Region::default()), both(Witness::NoState));
    let stray = transitions(&system("0 -a 1"), "1 -b 2").remove(0);
    let flaws = with(&|r| r.transitions.extend([stray.clone()]));
    assert_eq!(flaws, both(Witness::Transition(stray.clone())));

    // Versions that do not fit together.
    let two = |change: &dyn Fn(&mut Region)| {
        let mut regions = [region.clone(), region.clone()];
        change(&mut regions[1]);
        answers(regions, &old)
    };
    assert_eq!(two(&|r| r.entries = states(&[0])), [("1(d)", state(1))]);
    assert_eq!(two(&|r| r.exits = states(&[1])), [("1(e)", state(0))]);
    let outer = two(&|r| r.states.extend([StateId::new(2)]));
    // State 2 is entered, and left, by transitions that are not of the region.
    assert_eq!(outer, [("new region", state(2)), ("1(b)", state(2))]);
    let mut new = old.clone();
    new.remove(&stray);
    let failing = answers([region.clone(), region.clone()], &new);
    assert_eq!(failing, [("1(c)", Witness::Transition(stray))]);
    let mut initial = Machine::new(old.id(), Arc::clone(old.channels()), StateId::new(1), 6);
    for transition in old.transitions() {
        initial.insert(transition);
    }
    let failing = answers([region.clone(), region.clone()], &initial);
    assert_eq!(failing, [("1(a)", state(1))]);
}

#[test]
fn what_cannot_be_compared() {
    let error = |old: &Machine, new: &Machine| {
        let unknown = PartialRegion::default();
        prove(old, new, [&unknown, &unknown], Options::default()).unwrap_err()
    };
    let old = machine("0 -m 1; 1 +m 0");
    let other = system("0 -a 1").machine(ComponentId::new(1)).clone();
    assert_eq!(error(&old, &other), ThetaError::OtherComponent);
    let bad = machine("0 -m 0");
    assert!(matches!(error(&bad, &old), ThetaError::OldContents(_)));
    assert!(matches!(error(&old, &bad), ThetaError::NewContents(_)));
    let same = error(&old, &machine("0 -a 1; 1 +c 0"));
    assert_eq!(same, ThetaError::State(StateId::new(1)));
    assert!(same.to_string().contains("state 1"));
}

#[test]
fn explanations() {
    let system = system("0 -a 1; 0 -m -m +m +m -a 1; 1 +c 0");
    let old = system.machine(ComponentId::new(0));
    let verdict = verdict("0 -a 1; 0 -m -m +m +m -a 1; 1 +c 0", "0 -a +c 0");
    let text = |constraint| verdict.explain(&system, old.id(), constraint);
    assert_eq!(text(Constraint::Initial), "holds");
    let found: Vec<String> = Constraint::ALL.into_iter().map(text).collect();
    assert!(found.contains(&"fails: P 1".to_owned()), "{found:?}");
    let overflowing = "fails: (0, \"-m -m +m +m -a\", 1) overfills M";
    assert_eq!(text(Constraint::OverfilledByNew), overflowing);
}

/// Figures 1 to 9: each application within the chain.
#[test]
fn x25() {
    let mut system = read("x25_v1.toml");
    let mut proofs = 0;
    let unknown = PartialRegion::default();
    for (component, application) in CHAIN {
        let id = ComponentId::new(component);
        let mut apply = |application: Application, system: &mut System| -> bool {
            let old = system.machine(id).clone();
            let contents = system.contents(id).unwrap();
            let Ok(change) = application.change(&old, &contents) else {
                return false;
            };
            system.machine_mut(id).apply(&change);
            let new = system.machine(id);
            let verdict = prove(&old, new, [&unknown, &unknown], Options::default()).unwrap();
            assert!(verdict.is_proof(), "{application:?}");
            proofs += 1;
            true
        };
        let first = application(system.machine(id));
        assert!(apply(first, &mut system));
        while system
            .machine(id)
            .clone()
            .transitions()
            .any(|t| apply(Application::Theta2(t), &mut system))
        {}
    }
    assert_eq!(proofs, 17);
    // All of the chain at once.
    let first = read("x25_v1.toml");
    for id in system.components() {
        let [old, new] = [&first, &system].map(|system| system.machine(id));
        let verdict = prove(old, new, [&unknown, &unknown], Options::default()).unwrap();
        assert!(verdict.is_proof());
    }
}
