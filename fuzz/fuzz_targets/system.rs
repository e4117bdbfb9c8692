//! Arbitrary bytes as a system file, which never panic; what is read can be written
//! and read back the same, explored and made smaller.

#![no_main]

use hyades::channels::{
    Origin, Reducer, Rule, RuleLimits, Semantics, Strategy, System, SystemFile, SystemModel, survey,
};
use hyades::explore::Limits;
use hyades::formats::{Format, ReadOptions, Source, read_lts};
use libfuzzer_sys::fuzz_target;

fn read(text: &str) -> Option<System> {
    let file = SystemFile::from_text(text).ok()?;
    let mut behaviours = Vec::new();
    for origin in file.origins() {
        let Origin::Text(text) = origin else {
            return None;
        };
        let source = Source::from_bytes("aut", text.into(), Some(Format::Aut)).ok()?;
        behaviours.push(read_lts(source, &ReadOptions::default(), &mut |_| {}).ok()?);
    }
    file.system(&behaviours).ok()
}

fuzz_target!(|bytes: &[u8]| {
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
    if let Ok(model) = SystemModel::new(&system, Semantics::default()) {
        let _ = survey(&model, limits, None, None);
    }
    for id in system.components() {
        if system.machine(id).transition_count() < 50 {
            let mut reducer = Reducer::new(&mut system, id);
            let limits = RuleLimits {
                longest_label: 4,
                ..RuleLimits::default()
            };
            reducer.exhaust(&Rule::ALL, &limits, Strategy::Algorithm2);
        }
    }
});
