//! Temporal logic.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyades::check::domains::{self, Given, Remark};
use hyades::check::evidence::{End, Way};
use hyades::check::mcl::{self, LibraryFiles};
use hyades::check::syntax::{Language, Place, Property, SyntaxError, Warning};
use hyades::check::{
    CheckOptions, Checked, Evidence, Verdict, check_lts, check_model, mcf, unused_actions,
};
use hyades::explore::{Limits, Model};
use hyades::formats::{Diagnostic, LabelTable, LtsBuilder, Position, Severity, StateId};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors::{self, Fault};
use crate::numbers::{self, Number};
use crate::source::{self, Reading, Subject, Unread};
use crate::texts;
use crate::verdicts::PyVerdict;
use crate::work::{Watch, work};

/// A formula that was read.
struct Formula {
    name: String,
    file: String,
    property: Property,
    warnings: Vec<Warning>,
    places: Vec<Place>,
    /// The values of sorts that the text itself gives.
    sorts: Given,
}

/// The text of formulas, and what it is called.
struct Text {
    file: String,
    name: String,
    origin: Origin,
    language: Language,
}

/// Where a text is.
enum Origin {
    Given(Vec<u8>),
    File(PathBuf),
}

impl Text {
    /// A text, or a file that ends in `.mcl` or `.mcf`, or is no `str`.
    fn of(given: &Bound<'_, PyAny>, syntax: Option<&str>) -> PyResult<Self> {
        let said = match syntax {
            None => None,
            Some("mcl") => Some(Language::Mcl),
            Some("mcf") => Some(Language::Mcf),
            Some(other) => {
                return Err(PyValueError::new_err(format!(
                    "unknown syntax `{other}`: expected mcl or mcf"
                )));
            }
        };
        let text = match given.is_instance_of::<PyString>() {
            true => Some(texts::bytes(given)?),
            false => None,
        };
        let is_file = |text: &Vec<u8>| {
            let shown = String::from_utf8_lossy(text);
            let ending = Path::new(&*shown).extension().and_then(|e| e.to_str());
            matches!(ending, Some("mcl" | "mcf")) && !shown.contains('\n')
        };
        if let Some(bytes) = text.filter(|text| !is_file(text)) {
            return Ok(Self {
                file: "<formula>".into(),
                name: "formula".into(),
                origin: Origin::Given(bytes),
                language: said.unwrap_or(Language::Mcl),
            });
        }
        let path = source::path(given)?;
        let is_mcf = path.extension().is_some_and(|ending| ending == "mcf");
        let by_ending = if is_mcf { Language::Mcf } else { Language::Mcl };
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into());
        Ok(Self {
            file: path.to_string_lossy().into_owned(),
            name: stem.unwrap_or_else(|| "formula".into()),
            origin: Origin::File(path),
            language: said.unwrap_or(by_ending),
        })
    }

    fn parse(self) -> Result<Vec<Formula>, Fault> {
        let Self {
            file,
            name,
            origin,
            language,
        } = self;
        let bytes = match origin {
            Origin::Given(bytes) => bytes,
            Origin::File(path) => {
                std::fs::read(&path).map_err(|error| Fault::System(path, error))?
            }
        };
        Ok(match language {
            Language::Mcf => {
                let parsed = mcf::parse(&bytes, &file)?;
                vec![Formula {
                    name,
                    file,
                    property: parsed.property,
                    warnings: parsed.warnings,
                    places: parsed.places,
                    sorts: {
                        let sorts = parsed.sorts.into_iter();
                        sorts.map(|(name, values)| (name.into(), values)).collect()
                    },
                }]
            }
            Language::Mcl => {
                let parsed = mcl::parse_all(&bytes, &file, &mut LibraryFiles::default())?;
                let each = parsed.into_iter().map(|parsed| Formula {
                    name: parsed.name.unwrap_or_else(|| name.clone()),
                    file: file.clone(),
                    property: parsed.property,
                    warnings: parsed.warnings,
                    places: Vec::new(),
                    sorts: Given::new(),
                });
                each.collect()
            }
        })
    }
}

impl Formula {
    /// Gives quantified variables of mCRL2 their values, and tells of labels that there
    /// are not.
    fn prepare(
        &mut self,
        labels: Option<&LabelTable>,
        given: &Given,
        watch: &Watch,
    ) -> Result<(), Fault> {
        let wrong = |file: &String, place, message| SyntaxError {
            file: file.clone(),
            place,
            message,
        };
        if self.property.language == Language::Mcf {
            let place = |id: hyades::check::syntax::VariableId| {
                self.places.get(id.0 as usize).copied().unwrap_or_default()
            };
            let mut all = self.sorts.clone();
            all.extend(given.clone());
            let remarks = domains::replace(&mut self.property, labels, &all)
                .map_err(|e| wrong(&self.file, place(e.variable), e.message))?;
            for remark in remarks {
                let Remark::Empty(id) = remark else {
                    continue;
                };
                let variable = &self.property.variables[id.0 as usize];
                self.warnings.push(Warning {
                    code: "mcf-domain-empty",
                    place: place(id),
                    message: format!(
                        "no label has a value where {} or another variable of its sort stands: \
                         `forall` holds, and `exists` does not; give values",
                        variable.name
                    ),
                });
            }
            if let Some(labels) = labels {
                let unused = domains::unused(&self.property, labels);
                let unused = unused.map_err(|e| wrong(&self.file, e.place, e.message))?;
                self.warnings.extend(unused);
            }
        }
        if let Some(labels) = labels {
            let unused = unused_actions(&self.property, labels, &mut || watch.unwind());
            self.warnings.extend(unused);
        }
        Ok(())
    }

    fn told(&self) -> Vec<Diagnostic> {
        let one = |warning: &Warning| Diagnostic {
            severity: Severity::Warning,
            code: warning.code,
            file: Some(self.file.as_str().into()),
            position: Some(Position::new(
                warning.place.line.into(),
                warning.place.column.into(),
            )),
            text: warning.message.clone(),
        };
        self.warnings.iter().map(one).collect()
    }
}

/// Verdicts on all formulas of a text or a file, in MCL or (`syntax="mcf"`, or a file
/// `.mcf`) in mCRL2's language. `values` are those of sorts of mCRL2's formulas.
#[pyfunction]
#[pyo3(signature = (
    formula, model, *, syntax = None, values = None, evidence = true, max_states = None,
    max_memory = None, max_instances = None, argument = None
))]
#[allow(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn check_all(
    formula: &Bound<'_, PyAny>,
    model: &Bound<'_, PyAny>,
    syntax: Option<&str>,
    values: Option<&Bound<'_, PyDict>>,
    evidence: bool,
    max_states: Option<Number>,
    max_memory: Option<Number>,
    max_instances: Option<Number>,
    argument: Option<&str>,
) -> PyResult<Vec<PyVerdict>> {
    let py = model.py();
    let max_states = numbers::given(max_states, "max_states")?;
    let max_memory = numbers::given(max_memory, "max_memory")?;
    let max_instances = numbers::given(max_instances, "max_instances")?;
    let text = Text::of(formula, syntax)?;
    let values: Vec<(String, Vec<String>)> = {
        let values = values.into_iter().flatten();
        let one = |(sort, texts): (Bound<'_, _>, Bound<'_, _>)| {
            PyResult::Ok((sort.extract()?, texts.extract()?))
        };
        values.map(one).collect::<PyResult<_>>()?
    };
    let model = Unread::of(model)?;
    let limits = Limits {
        max_states,
        max_memory,
    };
    let mut told = Vec::new();
    // All that is nested as formulas are is made and dropped there, where there is room for it.
    let verdicts = work(py, |watch| {
        let (mut formulas, values) = (text.parse()?, given(&values)?);
        let (subject, found) = model.read(&Reading::default(), argument, watch)?;
        told.extend(found);
        let asked = Asked {
            subject,
            evidence,
            limits,
            max_instances: max_instances.or(Some(10_000_000)),
        };
        asked.prepare(&mut formulas, &values, watch, &mut told)?;
        let verdicts = formulas.iter().map(|formula| asked.decide(formula, watch));
        verdicts.collect()
    });
    errors::warn(py, &told)?;
    verdicts
}

/// The values of sorts that a user gives.
fn given(values: &[(String, Vec<String>)]) -> Result<Given, Fault> {
    let one = |(sort, texts): &(String, Vec<String>)| {
        let values = domains::values_of(sort, texts.join(",").as_bytes());
        let values = values.map_err(|why| Fault::Value(format!("values of {sort}: {why}")))?;
        Ok((sort.clone(), values))
    };
    values.iter().map(one).collect()
}

/// What is asked of formulas.
struct Asked {
    subject: Subject,
    evidence: bool,
    limits: Limits,
    max_instances: Option<u64>,
}

impl Asked {
    /// Prepares all formulas; what there is to warn of is told.
    fn prepare(
        &self,
        formulas: &mut [Formula],
        given: &Given,
        watch: &Watch,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), Fault> {
        let erased = self.subject.erased();
        let labels = match &self.subject {
            // It tells labels on the way.
            Subject::Plugin(_) => None,
            Subject::Lts(_) | Subject::Network(_) | Subject::System(_) => Some(erased.labels()),
        };
        for formula in formulas {
            formula.prepare(labels.as_deref(), given, watch)?;
            told.extend(formula.told());
        }
        Ok(())
    }

    fn decide(&self, formula: &Formula, watch: &Watch) -> Result<PyVerdict, Fault> {
        let mut progress = |_: usize, _: usize| watch.flow();
        let options = CheckOptions {
            limits: self.limits,
            evidence: self.evidence,
            parts: self.evidence,
            residues: self.evidence,
            max_instances: self.max_instances,
            looks_ahead: !matches!(self.subject, Subject::Plugin(_)),
            progress: Some(&mut progress),
        };
        let checked = match &self.subject {
            Subject::Lts(lts) => check_lts(&formula.property, lts, options)?,
            subject => check_model(&formula.property, subject.erased(), options)?,
        };
        self.subject.finish()?;
        let mut told = PyVerdict {
            name: formula.name.clone().into(),
            holds: match checked.verdict {
                Verdict::True => Some(true),
                Verdict::False => Some(false),
                Verdict::Limit(_)
                | Verdict::Instances
                | Verdict::Truncated
                | Verdict::Interrupted => None,
            },
            states: checked.states as u64,
            ..PyVerdict::default()
        };
        if told.holds.is_none() {
            told.reason = Some(match checked.verdict {
                Verdict::Truncated => "states behind an overfilled channel are left out".into(),
                _ => format!("a limit was reached after {} states", checked.states).into(),
            });
        }
        if let Some(error) = &checked.unshown {
            told.reason = Some(format!("the evidence is not known: {error}").into());
        }
        explain(&mut told, checked)?;
        Ok(told)
    }
}

fn explain(told: &mut PyVerdict, checked: Checked) -> Result<(), Fault> {
    let Checked {
        evidence,
        whole,
        labels,
        ..
    } = checked;
    let way = match evidence {
        None => return Ok(()),
        Some(Evidence::Part(part)) => {
            told.evidence = Some(Arc::new(part.lts));
            told.reason = Some("a part of the state space shows it".into());
            return Ok(());
        }
        Some(Evidence::Way(way)) => way,
    };
    let Way { steps, notes, end } = way;
    let trace: Vec<_> = steps.iter().map(|step| step.label).collect();
    told.trace = Some(texts::shown(&trace, &labels));
    let mut builder = LtsBuilder::with_table(1, labels);
    let last = steps.len();
    for (k, step) in steps.iter().enumerate() {
        let target = match end {
            End::Cycle(start) if k + 1 == last => start,
            End::Cycle(_) | End::Whole | End::Decided { .. } => k + 1,
        };
        let (source, target) = (StateId::from_index(k), StateId::from_index(target));
        builder.add(source, step.label, target);
    }
    let chain = builder.build(StateId::new(0))?;
    told.evidence = Some(Arc::new(whole.unwrap_or(chain)));
    let word = |holds: bool| if holds { "holds" } else { "does not hold" };
    let mut reason: Vec<String> = notes
        .iter()
        .map(|note| {
            let (after, formula) = (note.after, &note.formula);
            format!("after {after} steps {formula} {}", word(note.holds))
        })
        .collect();
    match end {
        End::Whole => {}
        End::Decided { formula, holds, .. } => {
            reason.push(format!("in the last state {formula} {}", word(holds)));
        }
        End::Cycle(start) => {
            told.cycle = Some(start);
            reason.push(format!("from step {start} on it goes round and round"));
        }
    }
    told.reason = (!reason.is_empty()).then(|| reason.join("; ").into());
    Ok(())
}
