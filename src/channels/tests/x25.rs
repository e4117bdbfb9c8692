//! The X.25 call establishment/clear protocol (Kapus-Kolar 2010, section 3).

use hyades_explore::Limits;
use hyades_formats::{Lts, ReadOptions, Source, StateId};

use super::super::*;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/channels/");

/// The system of a file in testdata.
pub(super) fn read(name: &str) -> System {
    read_text(&std::fs::read_to_string(format!("{FOLDER}{name}")).unwrap())
}

/// The system of a system file with this text.
pub(in super::super) fn read_text(text: &str) -> System {
    let file = SystemFile::from_text(text).unwrap();
    let behaviour = |origin| {
        let source = match origin {
            Origin::File(name) => Source::open(format!("{FOLDER}{name}").as_ref(), None),
            Origin::Text(text) => Source::from_bytes("aut", text.into(), None),
        };
        let options = ReadOptions::default();
        hyades_formats::read_lts(source.unwrap(), &options, &mut |d| panic!("{d}")).unwrap()
    };
    let behaviours: Vec<Lts> = file.origins().map(behaviour).collect();
    file.system(&behaviours).unwrap()
}

fn sizes(system: &System) -> (u64, u64) {
    let model = SystemModel::new(system, Semantics::default()).unwrap();
    let found = analyse(&model, Limits::default(), None, None).unwrap();
    assert!(found.is_complete());
    assert!(found.dead.is_empty() && found.overflowing.is_empty());
    assert!(found.executed.iter().all(|&executed| executed));
    (found.states, found.transitions)
}

#[test]
fn version_one() {
    assert_eq!(sizes(&read("x25_v1.toml")), (111, 241));
}

fn reduce(system: &mut System, component: &str, application: impl Fn(&Machine) -> Application) {
    let id = system.component(component).unwrap();
    let mut reducer = Reducer::new(system, id);
    let application = application(reducer.machine());
    reducer.apply(application).unwrap();
}

fn exhaust(system: &mut System, rules: &[Rule], strategy: Strategy) {
    for id in system.components() {
        Reducer::new(system, id).exhaust(rules, &RuleLimits::default(), strategy);
    }
}

fn state(number: u32) -> StateId {
    StateId::new(number - 1)
}

/// Figures 1 to 9, with the states of the paper, which are one more than those of the
/// files.
#[test]
fn the_chain_of_versions() {
    let mut system = read("x25_v1.toml");
    let only_theta2 = |system: &mut System| exhaust(system, &[Rule::Theta2], Strategy::RuleByRule);
    reduce(&mut system, "M", |_| Application::Theta1(state(7)));
    reduce(&mut system, "N", |_| Application::Theta1(state(6)));
    assert_eq!(sizes(&system), (104, 229));
    reduce(&mut system, "M", |_| Application::Theta3(state(3)));
    reduce(&mut system, "N", |_| Application::Theta3(state(2)));
    // The paper has 222 transitions here; but the next step removes two that are
    // executed twice each, and leads to the 219 that it has then.
    assert_eq!(sizes(&system), (100, 223));
    only_theta2(&mut system);
    assert_eq!(sizes(&system), (100, 219));
    reduce(&mut system, "M", |_| Application::Theta3(state(4)));
    reduce(&mut system, "N", |_| Application::Theta3(state(4)));
    assert_eq!(sizes(&system), (91, 201));
    only_theta2(&mut system);
    assert_eq!(sizes(&system), (91, 193));
    reduce(&mut system, "M", |m| {
        Application::theta4_of_all(m, state(5))
    });
    reduce(&mut system, "N", |m| {
        Application::theta4_of_all(m, state(5))
    });
    assert_eq!(sizes(&system), (90, 194));
    only_theta2(&mut system);
    assert_eq!(sizes(&system), (90, 188));
    reduce(&mut system, "M", |m| {
        Application::theta4_of_all(m, state(1))
    });
    reduce(&mut system, "N", |m| {
        Application::theta4_of_all(m, state(1))
    });
    assert_eq!(sizes(&system), (83, 204));
}

#[test]
fn strategies() {
    for strategy in [Strategy::RuleByRule, Strategy::Algorithm2] {
        let mut system = read("x25_v1.toml");
        exhaust(&mut system, &[Rule::Theta2, Rule::Theta1], strategy);
        assert_eq!(sizes(&system), (104, 229));
        let rules = [Rule::Theta2, Rule::Theta1, Rule::Theta3, Rule::Theta4];
        exhaust(&mut system, &rules, strategy);
        assert_eq!(sizes(&system), (90, 188));
    }
}
