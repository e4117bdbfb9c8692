//! Arbitrary bytes as a system file, which never panic; what is read can be written
//! and read back the same, explored and made smaller, and the steps done again.

use hyades::channels::{
    Beyond, KnownContents, Origin, Reach, Reducer, Rule, RuleLimits, Semantics, Strategy, System,
    SystemFile, SystemModel, analyse,
};
use hyades::explore::Limits;
use hyades::formats::{Format, ReadOptions, Source, read_lts};

fn read(text: &str) -> Option<System> {
    let file = SystemFile::from_text(text).ok()?;
    let mut behaviours = Vec::new();
    for (component, origin) in file.origins().enumerate() {
        let Origin::Text(text) = origin else {
            return None;
        };
        for (line, column) in [(1, 1), (1, 9), (3, 2), (1000, 1000)] {
            file.place_of(component, Some((line, column)));
        }
        let source = Source::from_bytes("aut", text.into(), Some(Format::Aut)).ok()?;
        behaviours.push(read_lts(source, &ReadOptions::default(), &mut |_| {}).ok()?);
    }
    file.system(&behaviours).ok()
}

/// Checks one input.
pub fn check(bytes: &[u8]) {
    let Some(mut system) = str::from_utf8(bytes).ok().and_then(read) else {
        return;
    };
    let states = system.machines().iter().map(|machine| machine.states());
    if states.sum::<usize>() > 1000 {
        return;
    }
    let text = system.to_text();
    let again = read(&text).expect("what is written is a system");
    assert_eq!(again.machines(), system.machines());
    assert_eq!(again.to_text(), text);
    let limits = Limits {
        max_states: Some(1000),
        ..Limits::default()
    };
    for beyond in [Beyond::Stop, Beyond::Expand] {
        let semantics = Semantics {
            beyond,
            ..Semantics::default()
        };
        if let Ok(model) = SystemModel::new(&system, semantics) {
            let _ = analyse(&model, limits, None, None);
        }
    }
    for id in system.components() {
        if system.machine(id).transition_count() < 50 {
            let mut again = system.clone();
            let mut reducer = Reducer::new(&mut system, id);
            let rule_limits = RuleLimits {
                longest_label: 4,
                ..RuleLimits::default()
            };
            reducer.exhaust(&Rule::ALL, &rule_limits, Strategy::Algorithm2);
            let reach = Reach {
                semantics: Semantics::default(),
                limits,
            };
            let mut known = KnownContents::default();
            for action in reducer.into_done() {
                let line = again.log_line(&action);
                assert_eq!(again.log_action(&line).as_ref(), Ok(&action));
                let done = again.perform_knowing(&action, &reach, &mut known);
                done.expect("it was possible");
            }
            assert_eq!(again.machines(), system.machines());
        }
    }
}
