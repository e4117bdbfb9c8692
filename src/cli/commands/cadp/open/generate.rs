//! `generator` and `reductor`: the state space, and smaller ones.

use std::ffi::OsString;
use std::path::Path;

use hyades_equivalence::reduction::{Reduction, reduce};
use hyades_equivalence::{Criterion, Kept, Minimized, Relation};
use hyades_formats::Lts;

use super::super::{Arguments, Kind, Tool, bcg_output, unsupported};
use super::{Changes, Spec};
use crate::minimize::classes::write_classes;
use crate::minimize::minimize_in_pool;
use hyades_cli_core::{Destination, Failure, LtsOutput, Session, Unit, show_lts};

pub const GENERATOR: Tool = Tool {
    name: "generator",
    usage: "[OPTIONS] [-monitor] [-parse|-unparse] \
            [-hide [-total|-partial|-gate] FILE | -rename [-total|-single|-multiple|-gate] FILE]… \
            RESULT[.bcg]",
    kind: Kind::Explores(generator),
};

pub const REDUCTOR: Tool = Tool {
    name: "reductor",
    usage: "[OPTIONS] [-strong|-taudivergence|-taucompression|-tauconfluence|-taustar|-safety\
            |-trace|-weaktrace] [-partial | -total [-class FILE]] [-monitor] [-parse|-unparse] \
            [-hide [-total|-partial|-gate] FILE | -rename [-total|-single|-multiple|-gate] FILE]… \
            RESULT[.bcg]",
    kind: Kind::Explores(reductor),
};

/// What both have.
#[derive(Default)]
struct Common {
    changes: Changes,
    unparse: bool,
}

impl Common {
    fn takes(
        &mut self,
        arguments: &mut Arguments,
        session: &Session,
        option: &str,
    ) -> Result<bool, Failure> {
        match option {
            "-parse" | "-unparse" => self.unparse = option == "-unparse",
            "-monitor" | "-stat" => {
                session.detail(format_args!(
                    "{option} has no effect: -v tells the progress"
                ));
            }
            "-rate" | "-prob" => return Err(unsupported(option)),
            _ => {
                return Ok(self.changes.takes(arguments, session, option)?
                    || arguments.common(session, option, true)?);
            }
        }
        Ok(true)
    }

    fn output(
        &self,
        session: &Session,
        spec: &Spec,
        name: &OsString,
    ) -> Result<LtsOutput, Failure> {
        let mut output = bcg_output(name)?;
        output.options.bcg.parse_labels = !self.unparse;
        session.check_outputs(&[&spec.path], &[&output.destination])?;
        Ok(output)
    }
}

fn generator(mut arguments: Arguments, spec: &Spec, session: &mut Session) -> Result<(), Failure> {
    let mut common = Common::default();
    while let Some(option) = arguments.option() {
        if !common.takes(&mut arguments, session, &option)? {
            return Err(arguments.unknown(&option));
        }
    }
    let files = arguments.operands(1, 1)?;
    let output = common.output(session, spec, &files[0])?;
    let lts = spec.lts(session)?;
    let lts = common.changes.apply(session, lts)?;
    session.write(&output, &lts)
}

/// What `reductor` does.
#[derive(Clone, Copy)]
enum Reduces {
    /// Nothing: the state space.
    Nothing,
    /// By what hidden transitions tell.
    Hidden(Reduction),
    /// By a relation, whatever else is asked.
    By(Relation),
}

fn reductor(mut arguments: Arguments, spec: &Spec, session: &mut Session) -> Result<(), Failure> {
    let mut common = Common::default();
    let mut how = Reduces::Hidden(Reduction::TauStar);
    let mut is_total = false;
    let mut classes = None;
    while let Some(option) = arguments.option() {
        match &option[..] {
            "-strong" => how = Reduces::Nothing,
            "-taudivergence" => how = Reduces::Hidden(Reduction::TauDivergence),
            "-taucompression" => how = Reduces::Hidden(Reduction::TauCompression),
            "-tauconfluence" => how = Reduces::Hidden(Reduction::TauConfluence),
            "-taustar" => how = Reduces::Hidden(Reduction::TauStar),
            "-safety" => how = Reduces::By(Relation::Safety),
            "-trace" => how = Reduces::By(Relation::Trace),
            "-weaktrace" => how = Reduces::By(Relation::WeakTrace),
            "-branching" | "-observational" => {
                return Err(Failure::error(format!(
                    "reductor has no {option}: generate the state space, and bcg_min {option}"
                )));
            }
            "-partial" => is_total = false,
            "-total" => is_total = true,
            "-class" => {
                let file = arguments.value(&option, "a file name")?;
                classes = Some(Destination::new(Path::new(&file))?);
            }
            _ if common.takes(&mut arguments, session, &option)? => {}
            _ => return Err(arguments.unknown(&option)),
        }
    }
    if is_total && matches!(how, Reduces::By(Relation::Trace | Relation::WeakTrace)) {
        return Err(arguments.wrong("-total does not go with -trace and -weaktrace"));
    }
    if classes.is_some() && !is_total {
        return Err(arguments.wrong("-class is for -total"));
    }
    let files = arguments.operands(1, 1)?;
    let output = common.output(session, spec, &files[0])?;
    let kept = match how {
        Reduces::Nothing => Relation::Strong,
        Reduces::Hidden(Reduction::TauStar) => Relation::TauStarA,
        Reduces::Hidden(Reduction::TauDivergence) => Relation::DivBranching,
        Reduces::Hidden(Reduction::TauCompression | Reduction::TauConfluence) => {
            Relation::Branching
        }
        Reduces::By(relation) => relation,
    };
    spec.tell_reduced(session, kept, "the result");
    let lts = spec.lts(session)?;
    let lts = match how {
        Reduces::Nothing => lts,
        Reduces::Hidden(reduction) => session.phase("reduce", |phase| {
            phase.progress(format_args!("reducing, {reduction}"), Unit::None, None);
            reduce(lts, reduction).map_err(|e| Failure::error(format!("{reduction}: {e}")))
        })?,
        Reduces::By(relation) => minimal(session, lts, relation)?.lts,
    };
    let lts = match is_total {
        true => {
            let minimal = minimal(session, lts, Relation::Strong)?;
            if let Some(classes) = &classes {
                write_classes(session, classes, &minimal)?;
            }
            minimal.lts
        }
        false => lts,
    };
    // Unlike in `reduce`, labels change afterwards.
    let lts = common.changes.apply(session, lts)?;
    session.write(&output, &lts)
}

fn minimal(session: &mut Session, lts: Lts, relation: Relation) -> Result<Minimized, Failure> {
    session.phase("minimize", |phase| {
        let what = format!("minimizing, {relation}");
        let mut bar = phase.progress(&what, Unit::None, None).refined(what);
        let criterion = Criterion::from(relation);
        let minimal = minimize_in_pool(lts, criterion, Kept::Reachable, &mut bar)
            .map_err(|e| Failure::error(e.to_string()))?;
        phase.summary(|| show_lts(&minimal.lts));
        Ok(minimal)
    })
}
