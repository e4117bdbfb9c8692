//! What formulas are decided on: the input, with other labels, and reduced.

use std::borrow::Cow;

use hyades_check::Verdict;
use hyades_check::domains::Given as Domains;
use hyades_equivalence::{Relation, minimize};
use hyades_explore::{Erased, ExploreOptions, Goal, Model, ModelError, Outcome, Relabelled};
use hyades_formats::{LabelTable, Lts};
use hyades_lts::Numbering;
use hyades_network::NetworkModel;

use super::Check;
use super::formulas::Formula;
use super::reductions::{check_unlabelled, kept_by_symmetry};
use hyades_cli_core::{AnyModel, Failure, FilterOptions, Given, Relabelling, Session, Unit};

/// What is checked.
pub(super) enum Subject<'m> {
    Lts(Cow<'m, Lts>),
    /// With its labels changed.
    Model {
        model: Erased<'m>,
        /// Whether transitions are quickly computed: who knows what code from elsewhere does?
        is_quick: bool,
    },
    /// Not all of it is known, and this is why.
    Open(Verdict),
}

impl Subject<'_> {
    /// The labels that are known beforehand, if all are: those of a file or a network.
    pub fn labels(&self) -> Cow<'_, LabelTable> {
        match self {
            Subject::Lts(lts) => Cow::Borrowed(lts.table()),
            Subject::Model { model, .. } => model.labels(),
            Subject::Open(_) => Cow::Owned(LabelTable::new()),
        }
    }
}

/// The input, as it is and as it is reduced.
pub(super) struct Inputs {
    pub whole: AnyModel,
    /// With fewer interleavings, or up to symmetry.
    pub reduced: Option<AnyModel>,
    /// How labels are changed.
    pub relabelling: Relabelling,
    /// Which formulas are decided on what is reduced.
    pub is_reduced: Vec<bool>,
    /// Why there is no verdict on a formula, as the values of its variables are not known.
    pub open: Vec<Option<Verdict>>,
}

impl Inputs {
    pub fn finish(&self) -> Result<(), ModelError> {
        self.whole.finish()?;
        self.reduced.iter().try_for_each(AnyModel::finish)
    }
}

impl Check {
    /// The input, how its labels are changed, and what is reduced for which formulas.
    pub(super) fn read_inputs(
        &self,
        session: &mut Session,
        filter: &FilterOptions,
        name: &str,
        formulas: &mut [Formula],
        domains: &Domains,
    ) -> Result<Inputs, Failure> {
        let symmetry = self.model.symmetry();
        symmetry.check_inputs(&[&filter.input.input])?;
        let given = session.read_model(filter, &self.model)?;
        self.systems.check(&given, name)?;
        symmetry.check(&given, name)?;
        let relabelling = self.relabel.of_model(session, filter, Some(&given))?;
        if symmetry.is_of_plugin() {
            check_unlabelled(formulas)?;
        }
        if symmetry.is_of_network() {
            return self.symmetric(session, given, &relabelling, name, formulas, domains);
        }
        let reduction = self.reductions.por();
        let reduced = match (&given, reduction) {
            (Given::Network(network), Some(_)) => {
                Some(AnyModel::of_network((**network).clone(), reduction))
            }
            (_, Some(_)) => {
                return Err(Failure::error(format!(
                    "--por is for networks (.exp), and {name} is none"
                )));
            }
            (_, None) => None,
        };
        let is_reduced = match self.matched_labels {
            true => vec![false; formulas.len()],
            false => self
                .reductions
                .decide(session, formulas, self.relabel.cuts()),
        };
        let whole = self.systems.model(given)?.unreduced();
        let open = self.give_values(session, &whole, &relabelling, name, formulas, domains)?;
        Ok(Inputs {
            whole,
            reduced,
            relabelling,
            is_reduced,
            open,
        })
    }

    /// A network up to symmetry, and as it is for the formulas that tell labels apart that
    /// the symmetry exchanges.
    fn symmetric(
        &self,
        session: &mut Session,
        given: Given,
        relabelling: &Relabelling,
        name: &str,
        formulas: &mut [Formula],
        domains: &Domains,
    ) -> Result<Inputs, Failure> {
        let Given::Network(network) = given else {
            unreachable!("symmetries of other models have been refused");
        };
        if self.reductions.por().is_some() || self.reductions.relation().is_some() {
            return Err(Failure::error(
                "-e or --por and --symmetry cannot be had at once: take one of them",
            ));
        }
        let network = relabelling.network(*network)?;
        let model = self.model.symmetry().model(session, network)?;
        let explored = model.erased();
        let open =
            self.look_for_values(session, explored, Some(&model), name, formulas, domains)?;
        let is_reduced = match self.matched_labels {
            true => vec![false; formulas.len()],
            false => kept_by_symmetry(session, &model, formulas),
        };
        let network = NetworkModel::new(model.symmetry().network().clone());
        Ok(Inputs {
            whole: AnyModel::Network(Box::new(network)),
            reduced: Some(AnyModel::Symmetric(Box::new(model))),
            relabelling: Relabelling::none(),
            is_reduced,
            open,
        })
    }

    /// What is checked of a model: with other labels, minimised by a relation.
    pub(super) fn subject<'m>(
        &self,
        session: &mut Session,
        model: &'m AnyModel,
        inputs: &Inputs,
        relation: Option<Relation>,
        own: &'m mut Option<Relabelled<Erased<'m>>>,
        name: &str,
    ) -> Result<Subject<'m>, Failure> {
        let lts = match model {
            AnyModel::Lts(lts) if inputs.relabelling.is_none() => Cow::Borrowed(lts),
            model => {
                let relabelled = relabelled(model.erased(), &inputs.relabelling, name)?;
                let relabelled = own.insert(relabelled);
                if !matches!(model, AnyModel::Lts(_)) && relation.is_none() {
                    return Ok(Subject::Model {
                        model: relabelled.erased(),
                        is_quick: !matches!(model, AnyModel::Plugin(_)),
                    });
                }
                match self.state_space(session, relabelled.erased(), name)? {
                    Ok(lts) => Cow::Owned(lts),
                    Err(open) => return Ok(Subject::Open(open)),
                }
            }
        };
        let Some(relation) = relation else {
            return Ok(Subject::Lts(lts));
        };
        session.phase("minimize", |_| {
            let minimized = minimize(lts.into_owned(), relation);
            let minimized = minimized.map_err(|e| Failure::error(e.to_string()))?;
            Ok(Subject::Lts(Cow::Owned(minimized.lts)))
        })
    }

    /// The whole state space of a model, or why there is none.
    fn state_space(
        &self,
        session: &mut Session,
        model: Erased<'_>,
        name: &str,
    ) -> Result<Result<Lts, Verdict>, Failure> {
        session.phase("explore", |phase| {
            let bar = phase.progress("exploring", Unit::States, None);
            let mut report = bar.explored();
            let options = ExploreOptions {
                limits: self.explore_limits(),
                progress: Some(&mut report),
                ..ExploreOptions::default()
            };
            let goal = Goal::Lts(Numbering::BreadthFirst);
            let reached = hyades_explore::reach(model, options, goal, |found| found.outcome);
            let (lts, outcome) = reached.map_err(|e| Failure::error(format!("{name}: {e}")))?;
            Ok(match (lts, outcome) {
                (Some(lts), _) if !model.was_truncated() => Ok(lts),
                (_, Some(Outcome::LimitReached(limit))) => Err(Verdict::Limit(limit)),
                (None, Some(Outcome::Stopped)) => Err(Verdict::Interrupted),
                (_, Some(_) | None) => Err(Verdict::Truncated),
            })
        })
    }
}

/// The model with its labels changed.
pub(super) fn relabelled<'m>(
    model: Erased<'m>,
    relabelling: &Relabelling,
    name: &str,
) -> Result<Relabelled<Erased<'m>>, Failure> {
    let relabelled = relabelling.model(model);
    relabelled.map_err(|e| Failure::error(format!("{name}: {e}")))
}
