//! The rules against the definitions: what section 3.8 promises, on random systems.

use std::collections::BTreeSet;

use hyades_formats::StateId;
use hyades_testing::Random;
use rayon::prelude::*;

use super::super::*;
use super::naive::{self, Known};
use super::random::{Recipe, applications};

/// Whether link channels are overfilled, beyond which nothing is known.
fn is_over(system: &System, known: &Known) -> bool {
    known
        .overflowing
        .iter()
        .any(|c| system.channel(*c).is_link())
}

/// Properties 1 to 7.
fn check(before: &System, id: ComponentId, application: &Application, old: &Known) {
    let mut after = before.clone();
    let change = Reducer::new(&mut after, id)
        .apply(application.clone())
        .unwrap();
    let new = naive::explore(&after, Beyond::Stop, 16, Some(id));
    let shown = || {
        format!(
            "{application:?} on {}\n{}",
            before.component_name(id),
            before.to_text()
        )
    };
    assert_eq!(is_over(before, old), is_over(before, &new), "{}", shown());
    if old.is_cut || new.is_cut || is_over(before, old) {
        return;
    }
    assert_eq!(old.dead, new.dead, "{}", shown());
    assert_eq!(old.overflowing, new.overflowing, "{}", shown());
    let of_others = |known: &Known| -> BTreeSet<_> {
        known
            .executed
            .iter()
            .filter(|(other, _)| *other != id)
            .cloned()
            .collect()
    };
    assert_eq!(of_others(old), of_others(&new), "{}", shown());
    let states = |known: &Known| -> BTreeSet<_> {
        let states = known.states.iter().map(|(states, _)| {
            let mut others = states.clone();
            others.remove(id.index());
            others
        });
        states
            .flat_map(|others| others.into_iter().enumerate())
            .collect()
    };
    assert_eq!(states(old), states(&new), "{}", shown());
    let machine = after.machine(id);
    let mut targets: BTreeSet<&Transition> = change.removed.iter().collect();
    if let Application::Theta4(state, _) = application {
        for t in before
            .machine(id)
            .outgoing(*state)
            .filter(|t| machine.contains(t))
        {
            let is_new = new.executed.contains(&(id, t.clone()));
            // Property 6.
            assert!(
                !is_new || old.executed.contains(&(id, t.clone())),
                "{}",
                shown()
            );
        }
    }
    let leaving: Vec<Transition> = match application {
        Application::Theta4(state, _) => before.machine(id).outgoing(*state).collect(),
        _ => Vec::new(),
    };
    targets.extend(&leaving);
    for t in before
        .machine(id)
        .transitions()
        .filter(|t| !targets.contains(t))
    {
        let of = |known: &Known| known.executed.contains(&(id, t.clone()));
        // A new transition may be the same as one that was there.
        if !change.added.contains(&t) {
            assert_eq!(of(old), of(&new), "{t:?} {}", shown());
        }
    }
    match application {
        Application::Theta1(state) | Application::Theta3(state) | Application::Theta4(state, _) => {
            // Property 5: a new transition stands for the walks that it was made of.
            for made in &change.added {
                let was_there = before.machine(id).contains(made);
                let walks = old.pairs.iter().any(|(t, u)| {
                    t.target == *state && change.removed.contains(t) && t.then(u) == *made
                });
                let is_executed = new.executed.contains(&(id, made.clone()));
                assert!(was_there || walks == is_executed, "{made:?} {}", shown());
            }
        }
        Application::Theta6(old_version, ..) => {
            // Property 7.
            let new_version = &change.added[0];
            if !before.machine(id).contains(new_version) {
                let was = old.executed.contains(&(id, old_version.clone()));
                let is = new.executed.contains(&(id, new_version.clone()));
                assert_eq!(was, is, "{}", shown());
            }
        }
        Application::Theta2(_) | Application::Theta5(_) => {}
    }
}

/// A machine with by-passes, so that Θ2 and Θ5 have something to do: some walks get a
/// transition beside them.
fn with_by_passes(system: &mut System, random: &mut Random) {
    for id in system.components() {
        let machine = system.machine(id).clone();
        for first in machine.transitions() {
            for second in machine.outgoing(first.target) {
                if random.chance(15) {
                    system.machine_mut(id).insert(first.then(&second));
                }
            }
        }
    }
}

#[test]
fn what_rules_promise() {
    let applied: Vec<[usize; 6]> = (0..400).into_par_iter().map(check_all).collect();
    // All of them were tried many times.
    for rule in Rule::ALL {
        let times: usize = applied.iter().map(|applied| applied[rule as usize]).sum();
        assert!(times > 80, "{rule} {times}");
    }
}

/// Checks all applications in a random system; how many of each rule there are.
fn check_all(seed: u64) -> [usize; 6] {
    let random = &mut Random::new(seed);
    let mut system = Recipe::closed(2 + seed as usize % 2).system(random);
    with_by_passes(&mut system, random);
    for id in system.components() {
        system.machine_mut(id).trim();
    }
    let mut applied = [0; 6];
    for id in system.components() {
        let contents = system.contents(id).unwrap();
        let old = naive::explore(&system, Beyond::Stop, 16, Some(id));
        if old.is_cut {
            continue;
        }
        for application in applications(system.machine(id), random) {
            if application.change(system.machine(id), &contents).is_ok() {
                applied[application.rule() as usize] += 1;
                check(&system, id, &application, &old);
            }
        }
    }
    applied
}

/// Chains of applications, as strategies make them, and compositions, on which private
/// channels have much to do.
#[test]
fn what_strategies_promise() {
    let mut random = Random::new(5);
    let reach = Reach {
        semantics: Semantics::default(),
        limits: hyades_explore::Limits {
            max_states: Some(5_000),
            ..Default::default()
        },
    };
    let mut changed = 0;
    let mut composed = 0;
    for round in 0..80 {
        let mut system = Recipe::closed(2 + round % 2).system(&mut random);
        with_by_passes(&mut system, &mut random);
        if round % 4 == 0 {
            let action = Action::Compose(system.components().take(2).collect(), "AB".into());
            let before = system.clone();
            let Ok(made) = system.perform(&action, &reach) else {
                continue;
            };
            let made = made.unwrap();
            let verified = verify(
                &before,
                &system,
                Correspondence::Composed(&made),
                &BTreeSet::new(),
                &reach,
            );
            assert!(verified.unwrap().holds(), "{}", before.to_text());
            composed += 1;
        }
        let strategy = [Strategy::Algorithm2, Strategy::RuleByRule][round / 2 % 2];
        let before = system.clone();
        let mut actions = Vec::new();
        for id in system.components() {
            let mut reducer = Reducer::new(&mut system, id);
            let limits = RuleLimits {
                longest_label: 6,
                theta3_may_grow: round % 3 == 0,
                theta4_survivors: (round % 3 > 0).then_some(1),
            };
            if reducer.machine().transition_count() > 200 {
                continue;
            }
            reducer.exhaust(&Rule::ALL, &limits, strategy);
            actions.extend(reducer.into_done());
        }
        let unrolled = actions.iter().filter_map(|action| match action {
            Action::Rule(id, Application::Theta4(state, _)) => Some((*id, *state)),
            _ => None,
        });
        let unrolled: BTreeSet<_> = unrolled.collect();
        changed += usize::from(!actions.is_empty());
        let verified = verify(&before, &system, Correspondence::Same, &unrolled, &reach).unwrap();
        assert!(verified.holds(), "{verified:?}\n{}", before.to_text());

        // The log does the same again.
        let mut again = before.clone();
        for action in &actions {
            let line = again.log_line(action);
            let action = again.log_action(&line).unwrap();
            again.perform(&action, &reach).unwrap();
        }
        assert_eq!(again.machines(), system.machines());

        for id in system.components() {
            let representatives = system.representatives(id);
            let before = system.clone();
            system.machine_mut(id).merge(&representatives);
            let merged = Correspondence::Merged(id, &representatives);
            let verified = verify(&before, &system, merged, &BTreeSet::new(), &reach).unwrap();
            assert!(verified.holds(), "{verified:?}\n{}", before.to_text());
            // Nothing more is to be merged.
            let reachable = system.machine(id).reachable();
            for (state, other) in system.representatives(id).iter().enumerate() {
                assert!(!reachable[state] || other.index() == state);
            }
        }
    }
    assert!(changed > 40 && composed >= 3, "{changed} {composed}");
}

/// Algorithm 2 leaves nothing that could be applied.
#[test]
fn nothing_is_left() {
    let mut random = Random::new(6);
    for round in 0..300 {
        let mut system = Recipe::closed(2).system(&mut random);
        with_by_passes(&mut system, &mut random);
        let rules: &[Rule] = match round % 3 {
            0 => &[Rule::Theta2, Rule::Theta1],
            1 => &[Rule::Theta2, Rule::Theta1, Rule::Theta3, Rule::Theta4],
            _ => &Rule::ALL,
        };
        let limits = RuleLimits {
            longest_label: 6,
            ..RuleLimits::default()
        };
        for id in system.components() {
            let mut reducer = Reducer::new(&mut system, id);
            reducer.exhaust(rules, &limits, Strategy::Algorithm2);
            let before = reducer.machine().clone();
            reducer.exhaust(rules, &limits, Strategy::RuleByRule);
            assert_eq!(&before, reducer.machine());
        }
    }
}

/// Θ3, whether it may be applied or not.
fn without_state(system: &System, id: ComponentId, state: StateId) -> System {
    let machine = system.machine(id);
    let leaving: Vec<Transition> = machine.outgoing(state).collect();
    let entering: Vec<Transition> = machine.incoming(state).collect();
    let made = entering
        .iter()
        .flat_map(|t| leaving.iter().map(|u| t.then(u)));
    let added = made.collect();
    let removed = [&entering[..], &leaving[..]].concat();
    let mut after = system.clone();
    after.machine_mut(id).apply(&Change { removed, added });
    after.machine_mut(id).trim();
    after
}

/// Θ3 at stable states: the checks above would notice.
#[test]
fn stable_states_matter() {
    let mut different = 0;
    for seed in 0..500 {
        let random = &mut Random::new(seed);
        let mut system = Recipe::closed(2).system(random);
        for id in system.components() {
            system.machine_mut(id).trim();
        }
        let old = naive::explore(&system, Beyond::Stop, 16, None);
        if old.is_cut || is_over(&system, &old) {
            continue;
        }
        for id in system.components() {
            let contents = system.contents(id).unwrap();
            for state in (0..system.machine(id).states()).map(StateId::from_index) {
                let change = Application::Theta3(state).change(system.machine(id), &contents);
                if change == Err(Refusal::Stable) {
                    let after = without_state(&system, id, state);
                    let new = naive::explore(&after, Beyond::Stop, 16, None);
                    different += usize::from(old.dead != new.dead);
                }
            }
        }
    }
    assert!(different > 10, "{different}");
}

/// Θ3 where the initiative passes to the other component: it may go on with what it
/// was told, but is told too late.
#[test]
fn initiatives_matter() {
    let text = "\
format = \"csm-system-1\"
[[component]]
name = \"P\"
aut = '''
des (0, 3, 3)
(0, \"-x\", 1)
(1, \"+y\", 0)
(1, \"-x\", 2)
'''
[[component]]
name = \"Q\"
aut = '''
des (0, 3, 4)
(0, \"+x\", 1)
(1, \"-y\", 2)
(2, \"+x\", 3)
'''
[[channel]]
name = \"PQ\"
from = \"P\"
to = \"Q\"
capacity = 3
messages = [\"x\"]
[[channel]]
name = \"QP\"
from = \"Q\"
to = \"P\"
capacity = 3
messages = [\"y\"]
";
    let system = super::x25::read_text(text);
    let id = ComponentId::new(0);
    let contents = system.contents(id).unwrap();
    let state = StateId::new(1);
    let refused = Application::Theta3(state).change(system.machine(id), &contents);
    assert!(matches!(refused, Err(Refusal::Initiative(..))));
    let old = naive::explore(&system, Beyond::Stop, 16, None);
    let after = without_state(&system, id, state);
    let new = naive::explore(&after, Beyond::Stop, 16, None);
    assert_ne!(old.dead, new.dead);
}

/// A component of which Algorithm 2 would leave something undone if it only opened the
/// targets of the state that it visits.
#[test]
fn targets_of_visited_states_are_visited() {
    let channel = |from: usize, name: &str, message: &str| Channel {
        name: name.into(),
        from: Some(ComponentId::new(from)),
        to: Some(ComponentId::new(1 - from)),
        capacity: Some(3),
        messages: vec![message.into()],
    };
    let channels: std::sync::Arc<[Channel]> =
        [channel(0, "out", "x"), channel(1, "in", "y")].into();
    let machine = |k: usize, states| {
        let id = ComponentId::new(k);
        Machine::new(id, channels.clone(), StateId::new(0), states)
    };
    let mut first = machine(0, 6);
    let edges = [
        (0, '-', 5),
        (1, '-', 3),
        (2, '-', 4),
        (3, '+', 1),
        (3, '+', 4),
        (4, '+', 3),
        (4, '-', 2),
        (5, '+', 2),
        (5, '-', 3),
    ];
    for (source, sign, target) in edges {
        let (direction, channel) = match sign {
            '-' => (Direction::Transmission, 0),
            _ => (Direction::Reception, 1),
        };
        let event = Event {
            direction,
            channel: ChannelId::new(channel),
            message: MessageId::new(0),
        };
        let [source, target] = [source, target].map(StateId::new);
        first.insert(Transition::new(source, [event], target));
    }
    let component = |name: &str, machine| Component {
        name: name.into(),
        machine,
    };
    let components = vec![component("P", first), component("Q", machine(1, 1))];
    let mut system = System::new(String::new(), components, channels.clone());
    for rules in [&Rule::ALL[..2], &Rule::ALL[..4]] {
        let mut reducer = Reducer::new(&mut system, ComponentId::new(0));
        reducer.exhaust(rules, &RuleLimits::default(), Strategy::Algorithm2);
        let before = reducer.machine().clone();
        reducer.exhaust(rules, &RuleLimits::default(), Strategy::RuleByRule);
        assert_eq!(&before, reducer.machine());
    }
}
