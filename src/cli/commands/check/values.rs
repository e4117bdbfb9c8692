//! The values of quantified variables in formulas of mCRL2, which labels give that occur.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use hyades_check::Verdict;
use hyades_check::domains::{Given, Occurrence};
use hyades_explore::{Erased, Exploration, ExploreOptions, Model, Outcome, Sink, explore};
use hyades_formats::{LabelId, LabelTable, Lts, LtsBuilder, Rows, StateId, TooLarge};
use hyades_lts::reachable_states;
use hyades_network::symmetry::SymmetricModel;

use super::Check;
use super::formulas::Formula;
use super::inputs::relabelled;
use hyades_cli_core::{AnyModel, Failure, Relabelling, Session, Unit};

impl Check {
    /// Gives quantified variables their values, from labels that occur in a model; for each
    /// formula, why it has no verdict if these are not known.
    pub(super) fn give_values(
        &self,
        session: &mut Session,
        model: &AnyModel,
        relabelling: &Relabelling,
        name: &str,
        formulas: &mut [Formula],
        given: &Given,
    ) -> Result<Vec<Option<Verdict>>, Failure> {
        let open = vec![None; formulas.len()];
        if !formulas.iter().any(Formula::needs_labels) {
            return Ok(open);
        }
        let labels = match model {
            // It tells labels on the way.
            AnyModel::Plugin(_) => None,
            AnyModel::Lts(lts) => {
                let occurring = occurring(lts).map_err(|e| Failure::error(e.to_string()))?;
                let relabelled = relabelled(occurring.erased(), relabelling, name)?;
                Some(relabelled.labels().into_owned())
            }
            model @ (AnyModel::Network(_)
            | AnyModel::Reduced(_)
            | AnyModel::Symmetric(_)
            | AnyModel::System(_)) => {
                let relabelled = relabelled(model.erased(), relabelling, name)?;
                return self.look_for_values(
                    session,
                    relabelled.erased(),
                    None,
                    name,
                    formulas,
                    given,
                );
            }
        };
        for formula in formulas {
            formula.give_domains(session, labels.as_ref(), given)?;
        }
        Ok(open)
    }

    /// The same of a network or system of machines, whose labels need not occur all, or of a
    /// network up to symmetry. It is explored if values depend on which do, until all
    /// values have been found.
    pub(super) fn look_for_values(
        &self,
        session: &mut Session,
        model: Erased<'_>,
        symmetric: Option<&SymmetricModel<'_>>,
        name: &str,
        formulas: &mut [Formula],
        given: &Given,
    ) -> Result<Vec<Option<Verdict>>, Failure> {
        let all = model.labels().into_owned();
        let mut wanted = Wanted::new(all.len());
        for (k, formula) in formulas.iter().enumerate() {
            for (label, values) in formula.occurrences(&all, given) {
                let of_label = wanted.by_label.entry(label).or_default();
                of_label.extend(values.into_iter().map(|value| (k, value)));
            }
        }
        wanted.left = wanted.by_label.values().flatten().cloned().collect();
        let mut found = Ok(());
        if !wanted.left.is_empty() {
            // What permutations make of a label is known in the end.
            wanted.ends_early = symmetric.is_none();
            found = self.explore_for_values(session, model, name, &mut wanted)?;
        }
        if let Some(symmetric) = symmetric {
            wanted.close(symmetric, &all);
        }
        let occurring = wanted
            .table(&all)
            .map_err(|e| Failure::error(e.to_string()))?;
        let mut open = Vec::with_capacity(formulas.len());
        for (k, formula) in formulas.iter_mut().enumerate() {
            let has_left = wanted.left.iter().any(|(formula, _)| *formula == k);
            let labels = if has_left { &occurring } else { &all };
            let verdict = found.err().filter(|_| has_left);
            if verdict.is_none() {
                formula.give_domains(session, Some(labels), given)?;
            }
            open.push(verdict);
        }
        Ok(open)
    }

    fn explore_for_values(
        &self,
        session: &mut Session,
        model: Erased<'_>,
        name: &str,
        wanted: &mut Wanted,
    ) -> Result<Result<(), Verdict>, Failure> {
        session.phase("explore", |phase| {
            let bar = phase.progress("looking for values", Unit::States, None);
            let mut report = bar.explored();
            let options = ExploreOptions {
                limits: self.explore_limits(),
                progress: Some(&mut report),
                ..ExploreOptions::default()
            };
            let explored = explore(&model, options, wanted);
            let Exploration { outcome, .. } =
                explored.map_err(|e| Failure::error(format!("{name}: {e}")))?;
            Ok(match outcome {
                Outcome::Complete if model.was_truncated() => Err(Verdict::Truncated),
                Outcome::Complete => Ok(()),
                Outcome::LimitReached(limit) => Err(Verdict::Limit(limit)),
                Outcome::Stopped if wanted.is_done() => Ok(()),
                Outcome::Stopped | Outcome::Answered => Err(Verdict::Interrupted),
            })
        })
    }
}

/// An LTS of one state, with the labels that occur where an LTS can be.
fn occurring(lts: &Lts) -> Result<Lts, TooLarge> {
    let seen = reachable_states(lts);
    let mut is_used = vec![false; lts.table().len()];
    for state in (0..lts.states()).filter(|state| seen.contains(*state)) {
        for label in &lts.labels()[lts.row(StateId::from_index(state))] {
            is_used[label.index()] = true;
        }
    }
    let mut labels = LtsBuilder::new(1);
    for (label, text) in lts.table().visible() {
        if is_used[label.index()] {
            labels.add_text(0, text, 0)?;
        }
    }
    labels.build(StateId::new(0))
}

/// Which labels have occurred, and which values of which formulas have not.
struct Wanted {
    seen: Vec<bool>,
    by_label: HashMap<LabelId, Vec<(usize, Occurrence)>>,
    left: HashSet<(usize, Occurrence)>,
    /// Whether nothing matters once all values have been found.
    ends_early: bool,
}

impl Wanted {
    fn new(labels: usize) -> Self {
        Self {
            seen: vec![false; labels],
            by_label: HashMap::new(),
            left: HashSet::new(),
            ends_early: false,
        }
    }

    fn is_done(&self) -> bool {
        self.ends_early && self.left.is_empty()
    }

    fn see(&mut self, label: LabelId) {
        // There are no others: the labels of networks and systems are known beforehand.
        let Some(seen) = self.seen.get_mut(label.index()) else {
            return;
        };
        if !std::mem::replace(seen, true) {
            for value in self.by_label.remove(&label).into_iter().flatten() {
                self.left.remove(&value);
            }
        }
    }

    /// Takes what permutations make of labels that have occurred to have occurred.
    fn close(&mut self, symmetric: &SymmetricModel<'_>, all: &LabelTable) {
        let symmetry = symmetric.symmetry();
        let own = symmetry.network().labels();
        let mut seen = vec![false; own.len()];
        for (_, text) in all.visible().filter(|(label, _)| self.seen[label.index()]) {
            if let Some(own) = own.find(text) {
                seen[own.index()] = true;
            }
        }
        symmetry.close(&mut seen);
        for (label, text) in all.visible() {
            if own.find(text).is_some_and(|own| seen[own.index()]) {
                self.see(label);
            }
        }
    }

    /// The labels that have occurred.
    fn table(&self, all: &LabelTable) -> Result<LabelTable, TooLarge> {
        let mut table = LabelTable::new();
        for (label, text) in all.visible() {
            if self.seen[label.index()] {
                table.intern(text)?;
            }
        }
        Ok(table)
    }
}

impl Sink for Wanted {
    fn take(&mut self, rows: &[Rows<'_>], _: &LabelTable) -> ControlFlow<()> {
        for label in rows.iter().flat_map(|rows| rows.labels) {
            self.see(*label);
        }
        match self.is_done() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}
