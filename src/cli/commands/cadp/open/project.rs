//! `projector`: what an interface lets a system do.

use std::collections::HashSet;

use hyades_lts::relabel::Rules;
use hyades_network::SemiComposition;

use super::super::{Arguments, Kind, Tool, bcg_input, bcg_output, labels, read};
use super::{Spec, limits};
use hyades_cli_core::{Failure, Session, Unit, show_lts};

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
                let (about, words) = ("that names labels", ["sync", "Sync"]);
                let listed =
                    labels::listed_behind(&option, &mut arguments, session, about, "sync", &words);
                shared = Some(listed?.1);
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
