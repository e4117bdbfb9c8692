//! `bcg_min`: minimizes.

use std::path::Path;

use hyades_equivalence::{Kept, Relation, minimize_observed};

use super::{Arguments, Tool, files, is_markovian, read_for, relation, unsupported};
use crate::minimize::classes::write_classes;
use hyades_cli_core::{Destination, Failure, Session, Unit, show_lts};

pub const TOOL: Tool = Tool {
    name: "bcg_min",
    usage: "[OPTIONS] [-strong|-branching|-divbranching] [-normal] [-class FILE] \
            INPUT[.bcg] [OUTPUT[.bcg]]",
    run,
};

fn run(mut arguments: Arguments, session: &mut Session) -> Result<(), Failure> {
    let mut chosen = Relation::Strong;
    let mut classes = None;
    while let Some(option) = arguments.option() {
        if let Some(relation) = relation(&option) {
            chosen = relation?;
        } else if is_markovian(&option) {
            return Err(unsupported(&option));
        } else if option == "-class" {
            let file = arguments.value(&option, "a file name")?;
            classes = Some(Destination::new(Path::new(&file))?);
        } else if option != "-normal" && !arguments.common(session, &option, true)? {
            return Err(arguments.unknown(&option));
        }
    }
    let (input, mut output) = files(&arguments.operands(1, 2)?)?;
    let all: Vec<_> = std::iter::once(&output.destination)
        .chain(&classes)
        .collect();
    session.check_outputs(&[&input], &all)?;
    output.options.bcg.parse_labels = true;
    let lts = read_for(&mut output, session, &input, None)?;
    // Labels stay as they are in BCG, and become what `bcg_io` makes of them if
    // they come from another format.
    output.options.bcg.parse_labels = output.options.bcg.fields.is_none();
    let minimal = session.phase("minimize", |phase| {
        let what = format!("minimizing, {chosen}");
        let mut bar = phase.progress(&what, Unit::None, None).refined(what);
        let minimal = minimize_observed(lts, chosen, Kept::Reachable, &mut bar)
            .map_err(|e| Failure::error(e.to_string()))?;
        phase.summary(|| show_lts(&minimal.lts));
        Ok(minimal)
    })?;
    session.write(&output, &minimal.lts)?;
    match &classes {
        Some(classes) => write_classes(session, classes, &minimal),
        None => Ok(()),
    }
}
