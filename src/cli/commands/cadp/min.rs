//! `bcg_min`: minimizes.

use std::path::Path;

use hyades_equivalence::lump::{Lumping, lump};
use hyades_equivalence::{Criterion, Kept};

use super::{Arguments, Chosen, Kind, Tool, files, read_for, unsupported};
use crate::minimize::classes::write_classes;
use crate::minimize::{lumping_relation, minimize_in_pool};
use hyades_cli_core::{Destination, Failure, Session, Unit, show_lts};

pub const TOOL: Tool = Tool {
    name: "bcg_min",
    usage: "[OPTIONS] [-strong|-branching|-divbranching|-observational \
            |-sharp [-total|-partial|-gate] FILE|-divsharp …] \
            [-normal|-prob|-rate [-self]] [-epsilon E] [-class FILE] \
            INPUT[.bcg] [OUTPUT[.bcg]]",
    kind: Kind::Files(run),
};

fn run(mut arguments: Arguments, session: &mut Session) -> Result<(), Failure> {
    let mut chosen = Chosen::default();
    let mut lumping = Lumping::default();
    let mut classes = None;
    while let Some(option) = arguments.option() {
        if chosen.takes(&mut arguments, session, &option)? {
            continue;
        }
        if option == "-rate" {
            lumping.rates = true;
        } else if option == "-prob" {
            lumping.probabilities = true;
        } else if option == "-self" {
            lumping.keep_self = true;
        } else if option == "-epsilon" {
            lumping.epsilon = Some(arguments.epsilon()?);
        } else if option == "-format" {
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
        let relation = chosen.relation;
        let what = format!("minimizing, {relation}");
        let mut bar = phase.progress(&what, Unit::None, None).refined(what);
        let is_strong = |text: &[u8]| chosen.is_strong(text);
        let criterion = Criterion {
            is_strong: &is_strong,
            ..Criterion::from(relation)
        };
        let minimal = match lumping.rates || lumping.probabilities {
            true => {
                lump(lts, lumping_relation(relation)?, &lumping, &mut bar)
                    .map_err(|e| Failure::error(e.to_string()))?
                    .minimal
            }
            false => minimize_in_pool(lts, criterion, Kept::Reachable, &mut bar)
                .map_err(|e| Failure::error(e.to_string()))?,
        };
        phase.summary(|| show_lts(&minimal.lts));
        Ok(minimal)
    })?;
    session.write(&output, &minimal.lts)?;
    match &classes {
        Some(classes) => write_classes(session, classes, &minimal),
        None => Ok(()),
    }
}
