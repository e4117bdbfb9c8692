//! `projector`: what an interface lets a system do.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hyades_lts::relabel::{Action, Matching, Rules};
use hyades_network::SemiComposition;

use super::super::{Arguments, Kind, Tool, bcg_input, bcg_output, labels, read};
use super::{Spec, limits};
use hyades_cli_core::{Failure, Session, Unit, read_text, show_lts};

pub const PROJECTOR: Tool = Tool {
    name: "projector",
    usage: "[OPTIONS] [-sync [-total|-partial|-gate] FILE] [-userinterface] [-monitor] \
            [-parse|-unparse] INTERFACE[.bcg] RESULT[.bcg]",
    kind: Kind::Explores(projector),
};

fn projector(mut arguments: Arguments, spec: &Spec, session: &mut Session) -> Result<(), Failure> {
    let mut shared: Option<Rules> = None;
    let (mut is_guess, mut unparse) = (false, false);
    while let Some(option) = arguments.option() {
        match &option[..] {
            "-userinterface" => is_guess = true,
            "-parse" | "-unparse" => unparse = option == "-unparse",
            "-monitor" | "-stat" => session.detail(format_args!("{option} has no effect")),
            "-sync" => {
                let matching = arguments.accept(&labels::MODES).unwrap_or_default();
                if !Action::Hide.modes().contains(&matching) {
                    return Err(arguments.wrong(format!("{option} does not go with -{matching}")));
                }
                let file = arguments.value(&option, "a file that names labels")?;
                shared = Some(read_sync(session, matching, &file)?);
            }
            _ if arguments.common(session, &option, true)? => {}
            _ => return Err(arguments.unknown(&option)),
        }
    }
    let files = arguments.operands(2, 2)?;
    let interface = bcg_input(&files[0]);
    let mut output = bcg_output(&files[1])?;
    output.options.bcg.parse_labels = !unparse;
    session.check_outputs(&[&spec.path, &interface], &[&output.destination])?;
    let model = spec.model(session)?;
    let interface = read(session, &interface, None)?;
    let lts = session.phase("project", |phase| {
        phase.progress("searching", Unit::None, None);
        let table = interface.table();
        let mut used = HashSet::new();
        used.extend(interface.labels().iter().map(|&label| table.text(label)));
        let composition = SemiComposition {
            interface: &interface,
            is_guess,
            limits: limits(),
        };
        let found = composition.of(&model.erased(), &mut |text| match &shared {
            Some(rules) => rules.concern(text),
            None => used.contains(text),
        });
        let lts = found.map_err(|e| spec.failed(&e))?;
        model.finish().map_err(|e| spec.failed(&e))?;
        phase.summary(|| show_lts(&lts));
        Ok(lts)
    })?;
    session.write(&output, &lts)
}

/// A file of labels to synchronise on: as one of labels to hide, but for its first word.
fn read_sync(session: &Session, matching: Matching, name: &OsStr) -> Result<Rules, Failure> {
    let mut path = PathBuf::from(name);
    let mut full = name.to_owned();
    full.push(".sync");
    if !path.exists() && Path::new(&full).exists() {
        path = full.into();
    }
    let (shown, mut text) = read_text(&path)?;
    let start = text.len() - text.trim_ascii_start().len();
    match text.get_mut(start..start + 4) {
        // Both words have the same length, so that columns stay.
        Some(word) if *word == *b"sync" || *word == *b"Sync" => word.copy_from_slice(b"hide"),
        _ => {
            return Err(Failure::error(format!(
                "{shown}:1:1: expected `sync` or `sync all but` in the first line"
            )));
        }
    }
    let rules = Rules::read(&shown, &text, Action::Hide, matching, &mut |d| {
        session.report(&d)
    });
    rules.map_err(|_| Failure::Reported)
}
