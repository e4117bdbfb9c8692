//! Strategies against those that look at everything again after each step.

use hyades_explore::Limits;
use hyades_formats::StateId;
use hyades_testing::Random;

use super::super::*;
use super::naive_strategy::NaiveReducer;
use super::random::Recipe;
use super::x25::read_text;

/// Rules in a random order, some left out.
fn some_rules(random: &mut Random) -> Vec<Rule> {
    let mut all = Rule::ALL.to_vec();
    if random.chance(50) {
        all.truncate(4);
    }
    let mut rules = Vec::new();
    while !all.is_empty() {
        let rule = all.remove(random.between(0, all.len() - 1));
        if random.chance(75) {
            rules.push(rule);
        }
    }
    rules
}

fn some_limits(random: &mut Random) -> RuleLimits {
    RuleLimits {
        theta3_may_grow: random.chance(30),
        theta4_survivors: match random.chance(20) {
            true => None,
            false => Some(random.between(0, 2)),
        },
        longest_label: random.between(2, 6),
    }
}

#[test]
fn strategies_do_the_same_as_naive_ones() {
    let mut steps = [0; 2];
    for seed in 0..SEEDS {
        let mut random = Random::new(seed);
        let recipe = Recipe {
            states: random.between(3, 24),
            events: random.between(1, 3),
            ..Recipe::closed(2)
        };
        let mut system = recipe.system(&mut random);
        let id = ComponentId::new(0);
        let rules = some_rules(&mut random);
        let limits = some_limits(&mut random);
        let strategy = match random.chance(60) {
            true => Strategy::Algorithm2,
            false => Strategy::RuleByRule,
        };
        let before = system.to_text();
        let mut again = system.clone();
        let mut naive = NaiveReducer {
            machine: system.machine(id).clone(),
            contents: &system.contents(id).unwrap(),
            rules: &rules,
            limits: &limits,
            done: Vec::new(),
            lengths: Default::default(),
        };
        if !naive.machine.trim().is_empty() {
            naive.done.push(Action::Trim(id));
        }
        naive.exhaust(strategy);
        let mut reducer = Reducer::new(&mut system, id);
        reducer.exhaust(&rules, &limits, strategy);
        assert_eq!(
            reducer.done(),
            naive.done,
            "seed {seed}, {strategy} {rules:?} {limits:?}\n{before}"
        );
        assert_eq!(reducer.machine(), &naive.machine);
        // Nothing that cannot be reached has remained.
        assert_eq!(reducer.trim(), []);
        // The steps do the same one by one.
        let mut known = KnownContents::default();
        let reach = Reach {
            semantics: Semantics::default(),
            limits: Limits::default(),
        };
        for action in &naive.done {
            let done = again.perform_knowing(action, &reach, &mut known);
            done.unwrap();
        }
        assert_eq!(again.machine(id), &naive.machine);
        steps[usize::from(strategy == Strategy::RuleByRule)] += naive.done.len();
    }
    assert!(steps.into_iter().all(|steps| steps > 1000), "{steps:?}");
}

const SEEDS: u64 = 2000;

/// Applications that a log may have are followed by what cannot be reached any more.
#[test]
fn single_steps_leave_nothing_unreachable() {
    let mut applied = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let mut system = Recipe::closed(2).system(&mut random);
        let id = ComponentId::new(0);
        let mut reducer = Reducer::new(&mut system, id);
        for _ in 0..8 {
            let machine = reducer.machine();
            let state = StateId::from_index(random.between(0, machine.states() - 1));
            let some = machine.incoming(state);
            let some: Vec<Transition> = some.filter(|_| random.chance(60)).collect();
            let application = match random.between(0, 3) {
                0 => Application::Theta1(state),
                1 => Application::Theta3(state),
                2 => Application::theta4_of_all(machine, state),
                _ => Application::Theta4(state, some),
            };
            if reducer.apply(application).is_ok() {
                applied += 1;
                assert_eq!(reducer.machine().unreachable(), []);
            }
        }
    }
    assert!(applied > 200, "{applied}");
}

/// Θ4 goes round a cycle, and Θ6 deletes from the label what was added by that.
#[test]
fn cycles_that_leave_nothing_in_a_label_are_gone_round_finitely_often() {
    let system = |behaviour: &str, capacity: &str| {
        read_text(&format!(
            "format = \"csm-system-1\"\n[[component]]\nname = \"P\"\naut = '''\n{behaviour}'''\n\
             [[channel]]\nname = \"env\"\nfrom = \"P\"\nmessages = [\"x\"]\n\
             [[channel]]\nname = \"PP\"\nfrom = \"P\"\nto = \"P\"\n{capacity}\
             messages = [\"c\", \"d\"]\n"
        ))
    };
    let systems = [
        system(
            "des (0, 3, 3)\n(0, \"-x\", 1)\n(1, \"-c\", 2)\n(2, \"+c\", 1)\n",
            "",
        ),
        system(
            "des (0, 10, 5)\n(1, \"-c\", 4)\n(4, \"-d\", 3)\n(2, \"+c\", 0)\n(0, \"-c -d\", 3)\n\
             (1, \"-c +c -c\", 2)\n(4, \"+c\", 1)\n(2, \"-d\", 3)\n(2, \"+c -c\", 2)\n\
             (0, \"-c\", 2)\n(2, \"+c\", 1)\n",
            "capacity = 1\n",
        ),
        system(
            "des (0, 8, 4)\n(0, \"-c\", 1)\n(1, \"+c\", 3)\n(1, \"+c -d -c\", 2)\n\
             (2, \"+d\", 1)\n(2, \"+d +c -c\", 1)\n(3, \"-c\", 1)\n(3, \"-d +d -c\", 1)\n\
             (3, \"-d -c\", 2)\n",
            "capacity = 1\n",
        ),
    ];
    let mut unrolled = 0;
    for system in systems {
        for rules in [
            "theta6,theta4",
            "theta4,theta6,theta2,theta1,theta3",
            "theta6,theta5,theta2,theta1,theta3,theta4",
        ] {
            let rules: Vec<Rule> = rules.split(',').map(|rule| rule.parse().unwrap()).collect();
            for theta4_survivors in [Some(1), Some(2), None] {
                for &strategy in &Strategy::ALL {
                    let limits = RuleLimits {
                        theta4_survivors,
                        longest_label: 8,
                        ..RuleLimits::default()
                    };
                    let mut system = system.clone();
                    let mut reducer = Reducer::new(&mut system, ComponentId::new(0));
                    reducer.exhaust(&rules, &limits, strategy);
                    let is_theta4 = |action: &&Action| {
                        matches!(action, Action::Rule(_, Application::Theta4(..)))
                    };
                    unrolled += reducer.done().iter().filter(is_theta4).count();
                }
            }
        }
    }
    assert!(unrolled > 50, "{unrolled}");
}
