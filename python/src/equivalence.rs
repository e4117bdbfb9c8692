//! Quotients, comparison, spectra.

use std::sync::Arc;

use hyades::check::hml;
use hyades::equivalence::compare::{Options, Pair, Side, Verdict, Witness};
use hyades::equivalence::formula::{Formula, FormulaError};
use hyades::equivalence::inclusion::Limit;
use hyades::equivalence::{
    Criterion, IsStrong, Kept, Minimized, Relation, minimize_observed, spectrum,
};
use hyades::formats::{Position, TooLarge};
use hyades::lts::relabel::{Action, Matching, Rules};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{Column, Data};
use crate::errors::{Fault, value};
use crate::lts::{PyLts, patterns};
use crate::numbers::{self, Number};
use crate::source::{Reading, lts_of};
use crate::texts;
use crate::verdicts::PyVerdict;
use crate::work::work;

fn relation(name: &str) -> PyResult<Relation> {
    Ok(name.parse().map_err(value)?)
}

/// Rules that match the labels that a user says are strong.
fn strong_labels(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Rules>> {
    let of = |given| patterns(Action::Hide, given, Matching::Total.name(), false);
    given.map(of).transpose()
}

/// The rules that a relation asks for.
///
/// # Errors
/// If it asks for strong labels and there are none, or the other way round.
fn strong_for(relation: Relation, given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Rules>> {
    let rules = strong_labels(given)?;
    match (relation.has_strong_labels(), rules.is_some()) {
        (true, true) | (false, false) => Ok(rules),
        (true, false) => {
            let without = match relation.without_divergence() {
                Some(_) => Relation::DivBranching,
                None => Relation::Branching,
            };
            Err(PyValueError::new_err(format!(
                "{relation} depends on which labels are strong: name them by strong_labels \
                 (without any it is {without})"
            )))
        }
        (false, true) => Err(PyValueError::new_err(format!(
            "strong_labels is for the relations sharp and divsharp, found {relation}"
        ))),
    }
}

/// Whether these rules make a label strong.
fn is_strong(rules: Option<&Rules>) -> impl Fn(&[u8]) -> bool + Sync {
    move |text| rules.is_some_and(|rules| rules.concern(text))
}

/// A relation with what it depends on.
fn criterion<'a>(relation: Relation, is_strong: &'a IsStrong<'a>) -> Criterion<'a> {
    Criterion {
        is_strong,
        ..relation.into()
    }
}

/// The quotient, and the class of each state, which is refused where there are no `classes`.
#[pyfunction]
#[pyo3(signature = (lts, relation = "strong", strong_labels = None, classes = false))]
pub fn _minimize(
    lts: &Bound<'_, PyAny>,
    relation: &str,
    strong_labels: Option<&Bound<'_, PyAny>>,
    classes: bool,
) -> PyResult<(PyLts, Column)> {
    let relation = self::relation(relation)?;
    if classes && relation.quotient_is_deterministic() {
        return Err(PyValueError::new_err(format!(
            "there are no classes of states by {relation}: states of the quotient stand for sets \
             that may overlap"
        )));
    }
    let strong = strong_for(relation, strong_labels)?;
    let given = lts_of(lts, &Reading::default())?;
    let Minimized { lts, class, .. } = work(lts.py(), |watch| {
        // It is taken apart, unless a user has it too.
        let own = Arc::try_unwrap(given).unwrap_or_else(|shared| (*shared).clone());
        Ok(minimize_observed(
            own,
            criterion(relation, &is_strong(strong.as_ref())),
            Kept::Reachable,
            &mut |_| watch.unwind(),
        )?)
    })?;
    Ok((lts.into(), Column(Data::Own(Arc::new(class)))))
}

/// Whether two systems are equivalent; with `preorder`, whether the first is below the
/// second. `strong_labels` are patterns, as `LTS.hide` has them, of the labels that are
/// strong, on which the relations `sharp` and `divsharp` depend.
#[pyfunction]
#[pyo3(signature = (
    first, second, relation = "strong", *, preorder = false, max_pairs = None,
    strong_labels = None
))]
pub fn equiv(
    first: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
    relation: &str,
    preorder: bool,
    max_pairs: Option<Number>,
    strong_labels: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyVerdict> {
    let relation = self::relation(relation)?;
    let strong = strong_for(relation, strong_labels)?;
    let reading = Reading::default();
    let (one, other) = (lts_of(first, &reading)?, lts_of(second, &reading)?);
    let options = options(max_pairs)?;
    work(first.py(), |watch| {
        let pair = Pair::new((*one).clone(), (*other).clone())?;
        let observer = &mut |_: &_| watch.unwind();
        let is_strong = is_strong(strong.as_ref());
        let criterion = criterion(relation, &is_strong);
        let verdict = match preorder {
            false => pair.compare(criterion, &options, observer),
            true => pair.order(criterion, &options, observer).below,
        };
        told(relation.name(), &verdict)
    })
}

fn options(max_pairs: Option<Number>) -> PyResult<Options> {
    let default = Options::default();
    let pairs = numbers::given(max_pairs, "max_pairs")?;
    // There is no room for more.
    let pairs = pairs.map(|pairs| usize::try_from(pairs).unwrap_or(usize::MAX));
    Ok(Options {
        limit: Limit {
            pairs: pairs.unwrap_or(default.limit.pairs),
            ..default.limit
        },
        ..default
    })
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
    told.reason = Some(format!("of the {has}, not of the {lacks}: {words}").into());
    told.formula = Some(texts::formula(&witness.formula()?.1.to_string()));
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

/// Whether a formula as `Verdict.formula` has them holds in the initial state of a system.
/// Those of weak relations speak of hidden steps (`<<"a">>f`, `[["a"]]f`, `<f U "a">g`, `div f`),
/// which `check` does not know.
#[pyfunction]
pub fn evaluate(formula: &Bound<'_, PyAny>, lts: &Bound<'_, PyAny>) -> PyResult<bool> {
    let text = texts::formula_of(&texts::bytes(formula)?);
    let lts = lts_of(lts, &Reading::default())?;
    work(formula.py(), |_| {
        let formula: Formula = text.parse().map_err(|error: FormulaError| Fault::Text {
            file: "<formula>".into(),
            position: Some(Position::new(error.line as u64, error.column as u64)),
            code: "formula",
            text: error.message,
        })?;
        hml::holds(&formula, &lts, lts.initial(), usize::MAX)
            .ok_or_else(|| Fault::Limit("the formula is too large for this LTS".into()))
    })
}

/// Which of all relations hold: the name, whether the first is below the second, and
/// whether the second is below the first. Sharp relations are among them if there are
/// strong labels.
#[pyfunction]
#[pyo3(signature = (first, second, *, max_pairs = None, strong_labels = None))]
pub fn _spectrum(
    first: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
    max_pairs: Option<Number>,
    strong_labels: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<(String, bool, PyVerdict, PyVerdict)>> {
    let reading = Reading::default();
    let (one, other) = (lts_of(first, &reading)?, lts_of(second, &reading)?);
    let options = options(max_pairs)?;
    let strong = self::strong_labels(strong_labels)?;
    work(first.py(), |watch| {
        let pair = Pair::new((*one).clone(), (*other).clone())?;
        let observer = &mut |_: &_| watch.unwind();
        let is_strong = is_strong(strong.as_ref());
        let strong = strong.as_ref().map(|_| &is_strong as &IsStrong<'_>);
        let so_far = &mut |_: &[_]| watch.unwind();
        let entries = spectrum::spectrum(&pair, strong, &options, observer, so_far);
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

/// The names of all relations, the finest first; `sharp` and `divsharp` ask for
/// `strong_labels`.
#[pyfunction]
pub fn relations() -> Vec<&'static str> {
    Relation::ALL
        .iter()
        .map(|relation| relation.name())
        .collect()
}
