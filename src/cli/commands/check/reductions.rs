//! What makes the input smaller before formulas are decided, and for which of them.

use hyades_check::syntax::Property;
use hyades_check::{Dependence, first_about_labels, first_action};
use hyades_equivalence::Relation;
use hyades_network::por::Reduction;
use hyades_network::symmetry::SymmetricModel;

use super::formulas::Formula;
use hyades_cli_core::{Failure, Session, minimizing_relation};

/// How the input is reduced.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Reductions")]
pub struct ReductionOptions {
    /// The equivalence, by its name in CADP or mCRL2; `hyades help relations` lists all
    /// [default: strong; none in check]
    #[arg(
        short = 'e',
        long = "equivalence",
        value_name = "RELATION",
        value_parser = minimizing_relation(),
        hide_possible_values = true
    )]
    equivalence: Option<Relation>,

    /// Explore only some of the interleavings of a network, such that these
    /// remain: deadlocks (deadlock), these and sequences of visible labels
    /// (weaktrace), or everything up to branching bisimilarity with divergence
    /// (branching)
    #[arg(long, value_name = "KIND", help_heading = "Networks")]
    por: Option<Reduction>,
}

impl ReductionOptions {
    /// The relation that INPUT is minimised by.
    pub fn relation(&self) -> Option<Relation> {
        self.equivalence
    }

    /// The reduction of networks.
    pub fn por(&self) -> Option<Reduction> {
        self.por
    }

    /// The options, as the user may have written them.
    fn text(&self) -> String {
        let relation = self.equivalence.map(|relation| format!("-e {relation}"));
        let por = self.por.map(|reduction| format!("--por {reduction}"));
        let both: Vec<String> = relation.into_iter().chain(por).collect();
        both.join(" ")
    }

    /// Whether each formula is decided on what is reduced, which is told. `cuts` says
    /// that transitions are removed afterwards, which makes other deadlocks.
    pub fn decide(&self, session: &Session, formulas: &[Formula], cuts: bool) -> Vec<bool> {
        if self.equivalence.is_none() && self.por.is_none() {
            return vec![false; formulas.len()];
        }
        let decided = formulas.iter().map(|formula| {
            let keeps = self.keeps(&formula.property, cuts);
            let text = self.text();
            let name = &formula.name;
            match keeps {
                true => session.detail(format!("{name}: decided with {text}, which keeps it")),
                false => session.note(format!(
                    "{name}: not known to be the same with {text}: decided without it"
                )),
            }
            keeps
        });
        decided.collect()
    }

    fn keeps(&self, property: &Property, cuts: bool) -> bool {
        let own = Dependence::of(property);
        let by_relation = self
            .equivalence
            .is_none_or(|relation| own.is_kept_by(relation));
        // Hiding and renaming afterwards keep what is the same; removing transitions makes
        // deadlocks of states that are none.
        let by_reduction = self.por.is_none_or(|reduction| match reduction {
            Reduction::Deadlock => own.deadlock && !cuts,
            Reduction::WeakTrace => own.weak_traces || own.deadlock && !cuts,
            Reduction::Branching => own.is_kept_by(Relation::DivBranching),
        });
        by_relation && by_reduction
    }
}

/// Whether each formula is decided up to symmetry: whether it tells no labels apart that
/// the symmetry exchanges; a note tells which are not, and why.
pub fn kept_by_symmetry(
    session: &Session,
    model: &SymmetricModel<'_>,
    formulas: &[Formula],
) -> Vec<bool> {
    let kept = formulas.iter().map(|formula| {
        let name = &formula.name;
        let why = told_apart(model, &formula.property);
        match &why {
            Some(why) => session.note(format!("{name}: {why}: decided without --symmetry")),
            None => session.detail(format!("{name}: decided with --symmetry, which keeps it")),
        }
        why.is_none()
    });
    kept.collect()
}

/// Refuses formulas about labels, which the symmetry that a plugin says may exchange.
///
/// # Errors
/// If there is one.
pub fn check_unlabelled(formulas: &[Formula]) -> Result<(), Failure> {
    for Formula { name, property, .. } in formulas {
        let about = first_about_labels(property);
        let about = about.map_err(|error| Failure::error(format!("{name}: {error}")))?;
        if let Some(action) = about {
            return Err(Failure::error(format!(
                "{name}: `{action}` is about labels, which --symmetry model may exchange; if it \
                 leaves all labels alone, check what `reach --symmetry model -o FILE` writes"
            )));
        }
    }
    Ok(())
}

/// What a formula tells apart that the symmetry exchanges.
fn told_apart(model: &SymmetricModel<'_>, property: &Property) -> Option<String> {
    let symmetry = model.symmetry();
    if symmetry.types().types().is_empty() {
        return None;
    }
    let table = symmetry.network().labels();
    let checked = first_action(property, |is_match| {
        symmetry.tells_apart(is_match).map_or(Ok(()), Err)
    });
    Some(match checked {
        Ok(()) => return None,
        Err((text, None)) => format!("`{text}` is about values, which --symmetry exchanges"),
        Err((text, Some(labels))) => {
            let [one, other] = labels.map(|label| table.text(label).escape_ascii());
            format!(
                "`{text}` tells labels apart that the symmetry exchanges (of {one} and {other}, \
                 it matches one only)"
            )
        }
    })
}
