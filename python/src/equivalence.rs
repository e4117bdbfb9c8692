//! Quotients, comparison, spectra.

use std::sync::Arc;

use hyades::equivalence::compare::{Options, Pair, Side, Verdict, Witness};
use hyades::equivalence::inclusion::Limit;
use hyades::equivalence::{Kept, Minimized, Relation, minimize_observed, spectrum};
use hyades::formats::TooLarge;
use pyo3::prelude::*;

use crate::columns::{Column, Data};
use crate::errors::{Fault, value};
use crate::lts::PyLts;
use crate::source::{Reading, lts_of};
use crate::texts;
use crate::verdicts::PyVerdict;
use crate::work::work;

fn relation(name: &str) -> PyResult<Relation> {
    Ok(name.parse().map_err(value)?)
}

/// The quotient, and the class of each state.
#[pyfunction]
#[pyo3(signature = (lts, relation = "strong"))]
pub fn _minimize(lts: &Bound<'_, PyAny>, relation: &str) -> PyResult<(PyLts, Column)> {
    let relation = self::relation(relation)?;
    let given = lts_of(lts, &Reading::default())?;
    let Minimized { lts, class, .. } = work(lts.py(), |watch| {
        // It is taken apart, unless a user has it too.
        let own = Arc::try_unwrap(given).unwrap_or_else(|shared| (*shared).clone());
        Ok(minimize_observed(
            own,
            relation,
            Kept::Reachable,
            &mut |_| watch.unwind(),
        )?)
    })?;
    Ok((lts.into(), Column(Data::Own(Arc::new(class)))))
}

/// Whether two systems are related.
#[pyfunction]
#[pyo3(signature = (first, second, relation = "strong", *, preorder = false, max_pairs = None))]
pub fn equiv(
    first: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
    relation: &str,
    preorder: bool,
    max_pairs: Option<usize>,
) -> PyResult<PyVerdict> {
    let relation = self::relation(relation)?;
    let reading = Reading::default();
    let (one, other) = (lts_of(first, &reading)?, lts_of(second, &reading)?);
    let options = options(max_pairs);
    work(first.py(), |watch| {
        let pair = Pair::new((*one).clone(), (*other).clone())?;
        let observer = &mut |_: &_| watch.unwind();
        let verdict = match preorder {
            false => pair.compare(relation, &options, observer),
            true => pair.order(relation, &options, observer).below,
        };
        told(relation.name(), &verdict)
    })
}

fn options(max_pairs: Option<usize>) -> Options {
    let default = Options::default();
    Options {
        limit: Limit {
            pairs: max_pairs.unwrap_or(default.limit.pairs),
            ..default.limit
        },
        ..default
    }
}

/// A verdict with its reason.
fn told(name: &str, verdict: &Verdict) -> Result<PyVerdict, Fault> {
    let mut told = PyVerdict {
        name: name.into(),
        ..PyVerdict::default()
    };
    match verdict {
        Verdict::Holds => told.holds = Some(true),
        Verdict::Unknown => told.reason = Some("a limit was reached".into()),
        Verdict::Fails(None) => told.holds = Some(false),
        Verdict::Fails(Some(witness)) => {
            told.holds = Some(false);
            explain(&mut told, witness)?;
        }
    }
    Ok(told)
}

fn explain(told: &mut PyVerdict, witness: &Witness) -> Result<(), TooLarge> {
    let [has, lacks] = match witness.holds_in() {
        Side::First => ["first", "second"],
        Side::Second => ["second", "first"],
    };
    let words = witness.summary()?;
    told.reason = Some(format!("of the {has}, not of the {lacks}: {words}"));
    told.formula = Some(witness.formula()?.1.to_string());
    told.evidence = Some(Arc::new(witness.to_lts()?));
    told.trace = match witness {
        Witness::Trace(trace) => Some(texts::shown(&trace.labels, &trace.table)),
        Witness::Observation(seen) => {
            let labels: Vec<_> = seen.reason.labels().collect();
            Some(texts::shown(&labels, &seen.table))
        }
        Witness::Formula(_) => None,
    };
    Ok(())
}

/// Which of all relations hold: the name, whether the first is below the second, and
/// whether the second is below the first.
#[pyfunction]
#[pyo3(signature = (first, second, *, max_pairs = None))]
pub fn _spectrum(
    first: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
    max_pairs: Option<usize>,
) -> PyResult<Vec<(String, bool, PyVerdict, PyVerdict)>> {
    let reading = Reading::default();
    let (one, other) = (lts_of(first, &reading)?, lts_of(second, &reading)?);
    let options = options(max_pairs);
    work(first.py(), |watch| {
        let pair = Pair::new((*one).clone(), (*other).clone())?;
        let observer = &mut |_: &_| watch.unwind();
        let entries = spectrum::spectrum(&pair, None, &options, observer, &mut |_| watch.unwind());
        let entries = entries.into_iter().map(|entry| {
            let name = entry.relation.name();
            let [below, above] = [&entry.order.below, &entry.order.above];
            let preorder = entry.relation.is_preorder();
            Ok((
                name.into(),
                preorder,
                told(name, below)?,
                told(name, above)?,
            ))
        });
        entries.collect()
    })
}

/// The names of all relations, the finest first.
#[pyfunction]
pub fn relations() -> Vec<&'static str> {
    Relation::ALL
        .iter()
        .map(|relation| relation.name())
        .collect()
}
