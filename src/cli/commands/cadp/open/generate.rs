//! `generator`, `reductor` and `scrutator`: the state space, and smaller ones.

use std::ffi::OsString;
use std::path::Path;

use hyades_equivalence::prune::{Pruning, prune};
use hyades_equivalence::reduction::{Reduction, reduce};
use hyades_equivalence::{Criterion, Kept, Minimized, Relation};
use hyades_formats::{LabelId, Lts};
use hyades_lts::relabel::{Action, Rules};

use super::super::{Arguments, Kind, Tool, bcg_output, labels, unsupported};
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

pub const SCRUTATOR: Tool = Tool {
    name: "scrutator",
    usage: "[OPTIONS] [-nodeadlock | -potential [-total|-partial|-gate] FILE \
            | -inevitable [-total|-partial|-gate] FILE] \
            [-strong|-taudivergence|-taucompression|-tauconfluence|-taustar|-safety\
            |-trace|-weaktrace] [-monitor] [-parse|-unparse] \
            [-hide [-total|-partial|-gate] FILE | -rename [-total|-single|-multiple|-gate] FILE]… \
            RESULT[.bcg]",
    kind: Kind::Explores(scrutator),
};

/// What all have.
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

/// How a state space becomes smaller.
#[derive(Clone, Copy)]
enum Reduces {
    /// Not at all.
    Nothing,
    /// By what hidden transitions tell.
    Hidden(Reduction),
    /// By a relation, whatever else is asked.
    By(Relation),
}

impl Reduces {
    /// What an option names.
    fn named(option: &str) -> Option<Self> {
        Some(match option {
            "-strong" => Reduces::Nothing,
            "-taudivergence" => Reduces::Hidden(Reduction::TauDivergence),
            "-taucompression" => Reduces::Hidden(Reduction::TauCompression),
            "-tauconfluence" => Reduces::Hidden(Reduction::TauConfluence),
            "-taustar" => Reduces::Hidden(Reduction::TauStar),
            "-safety" => Reduces::By(Relation::Safety),
            "-trace" => Reduces::By(Relation::Trace),
            "-weaktrace" => Reduces::By(Relation::WeakTrace),
            _ => return None,
        })
    }

    /// By what relation the result is equivalent.
    fn kept(self) -> Relation {
        match self {
            Reduces::Nothing => Relation::Strong,
            Reduces::Hidden(Reduction::TauStar) => Relation::TauStarA,
            Reduces::Hidden(Reduction::TauDivergence) => Relation::DivBranching,
            Reduces::Hidden(Reduction::TauCompression | Reduction::TauConfluence) => {
                Relation::Branching
            }
            Reduces::By(relation) => relation,
        }
    }

    fn of(self, session: &mut Session, lts: Lts) -> Result<Lts, Failure> {
        match self {
            Reduces::Nothing => Ok(lts),
            Reduces::Hidden(reduction) => session.phase("reduce", |phase| {
                phase.progress(format_args!("reducing, {reduction}"), Unit::None, None);
                reduce(lts, reduction).map_err(|e| Failure::error(format!("{reduction}: {e}")))
            }),
            Reduces::By(relation) => Ok(minimal(session, lts, relation)?.lts),
        }
    }
}

fn reductor(mut arguments: Arguments, spec: &Spec, session: &mut Session) -> Result<(), Failure> {
    let mut common = Common::default();
    let mut how = Reduces::Hidden(Reduction::TauStar);
    let mut is_total = false;
    let mut classes = None;
    while let Some(option) = arguments.option() {
        if let Some(named) = Reduces::named(&option) {
            how = named;
            continue;
        }
        match &option[..] {
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
    spec.tell_reduced(session, how.kept(), "the result");
    let lts = spec.lts(session)?;
    let lts = how.of(session, lts)?;
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

fn scrutator(mut arguments: Arguments, spec: &Spec, session: &mut Session) -> Result<(), Failure> {
    let mut common = Common::default();
    let mut how = Reduces::Nothing;
    let mut chosen: Option<(Pruning, Option<Rules>)> = None;
    while let Some(option) = arguments.option() {
        if let Some(named) = Reduces::named(&option) {
            how = named;
            continue;
        }
        let pruning = match &option[..] {
            "-nodeadlock" => Pruning::NoDeadlock,
            "-potential" => Pruning::Potential,
            "-inevitable" => Pruning::Inevitable,
            _ if common.takes(&mut arguments, session, &option)? => continue,
            _ => return Err(arguments.unknown(&option)),
        };
        let actions = match pruning {
            Pruning::NoDeadlock => None,
            Pruning::Potential | Pruning::Inevitable => {
                let (rules, _) = labels::rules_behind(
                    &option,
                    &mut arguments,
                    session,
                    Action::Hide,
                    "that names labels",
                )?;
                Some(rules)
            }
        };
        if chosen
            .as_ref()
            .is_some_and(|(before, _)| *before != pruning)
        {
            return Err(
                arguments.wrong("-nodeadlock, -potential and -inevitable exclude each other")
            );
        }
        chosen = Some((pruning, actions));
    }
    let (pruning, actions) = chosen.unwrap_or((Pruning::NoDeadlock, None));
    let files = arguments.operands(1, 1)?;
    let output = common.output(session, spec, &files[0])?;
    spec.tell_reduced(session, how.kept(), "the result");
    let lts = spec.lts(session)?;
    let lts = common.changes.apply(session, lts)?;
    let lts = session.phase("prune", |phase| {
        phase.progress("pruning", Unit::None, None);
        let table = lts.table();
        let mut is_action = vec![false; table.len()];
        for (label, text) in table.visible() {
            is_action[label.index()] = actions.as_ref().is_some_and(|rules| rules.concern(text));
        }
        let pruned = prune(lts, pruning, &|label: LabelId| is_action[label.index()]);
        phase.summary(|| show_lts(&pruned));
        Ok(pruned)
    })?;
    let lts = how.of(session, lts)?;
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
