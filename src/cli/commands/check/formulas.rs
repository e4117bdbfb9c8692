//! The formulas of `check`: where they are from.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use hyades_check::decide::DecideError;
use hyades_check::domains::{self, Given, Occurrence, Remark};
use hyades_check::mcf;
use hyades_check::mcl::{self, Before, LibraryFiles};
use hyades_check::syntax::{Language, Place, Property, SyntaxError, Value, VariableId, Warning};
use hyades_check::{CheckError, core_form, needs_version_4};
use hyades_formats::diagnostic::{Diagnostic, Position, Severity, printable_path};
use hyades_formats::{LabelId, LabelTable};

use hyades_cli_core::{Failure, Session, read_text};

/// Formulas, and what they are read with.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Formulas")]
pub struct FormulaOptions {
    /// A formula; repeatable
    #[arg(short, value_name = "FORMULA", allow_hyphen_values = true)]
    f: Vec<String>,

    /// A file with a formula, whatever its name ends in; repeatable
    #[arg(long, value_name = "FILE")]
    formula: Vec<PathBuf>,

    /// Include this library of macros before each formula that includes none; repeatable
    #[arg(short = 'L', long, value_name = "NAME")]
    library: Vec<String>,

    /// The language of formulas in -f and in files that do not end in .mcl or .mcf
    #[arg(long, value_name = "LANGUAGE", default_value = "mcl")]
    syntax: Syntax,

    /// The values of a sort that variables of .mcf are quantified over, in place of those
    /// in labels; repeatable
    #[arg(long, value_name = "SORT=V,…")]
    values: Vec<String>,

    /// Tell what this evaluator of CADP does not read: evaluator and evaluator3 read
    /// version 3 of MCL
    #[arg(long, value_name = "NAME", hide = true)]
    evaluator: Option<String>,
}

/// Values of `--syntax`.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Syntax {
    /// CADP's model checking language
    Mcl,
    /// mCRL2's modal formulas
    Mcf,
}

/// A formula that was read.
pub struct Formula {
    /// That of the property, the stem of its file, or `formula N`.
    pub name: String,
    /// What its author says of it, a line each.
    pub comment: Vec<String>,
    /// Its file, for messages.
    pub file: String,
    pub property: Property,
    /// Whether the name is its own.
    is_property: bool,
    /// Its text without macros.
    pub expanded: String,
    /// The places of its variables, if it is one of mCRL2.
    places: Vec<Place>,
    /// The values of its own sorts.
    sorts: Vec<(Box<str>, Vec<Value>)>,
}

impl Formula {
    /// Whether it is one of mCRL2, whose values are those of labels.
    pub fn needs_labels(&self) -> bool {
        self.property.language == Language::Mcf
    }

    /// The values of sorts that are given, or that the formula itself gives.
    fn known(&self, given: &Given) -> Given {
        let own = self.sorts.iter();
        let mut all: Given = own.map(|(n, v)| (n.to_string(), v.clone())).collect();
        all.extend(given.clone());
        all
    }

    /// The values that labels would give variables, where it matters which there are.
    pub fn occurrences(
        &self,
        labels: &LabelTable,
        given: &Given,
    ) -> Vec<(LabelId, Vec<Occurrence>)> {
        match self.property.language {
            Language::Mcl => Vec::new(),
            Language::Mcf => domains::occurrences(&self.property, labels, &self.known(given)),
        }
    }

    /// Gives quantified variables of mCRL2 their values: from `given`, from the formula
    /// itself, or from labels, if all are known.
    ///
    /// # Errors
    /// If labels are needed and not known, or there are too many values.
    pub fn give_domains(
        &mut self,
        session: &Session,
        labels: Option<&LabelTable>,
        given: &Given,
    ) -> Result<(), Failure> {
        if self.property.language != Language::Mcf {
            return Ok(());
        }
        let all = self.known(given);
        let place = |id: VariableId| self.places.get(id.0 as usize).copied().unwrap_or_default();
        let remarks = domains::replace(&mut self.property, labels, &all).map_err(|e| {
            syntax(&SyntaxError {
                file: self.file.clone(),
                place: place(e.variable),
                message: e.message,
            })
        })?;
        if let Some(labels) = labels {
            let unused = domains::unused(&self.property, labels).map_err(|e| {
                syntax(&SyntaxError {
                    file: self.file.clone(),
                    place: e.place,
                    message: e.message,
                })
            })?;
            for warning in unused {
                warn(session, &self.file, &warning);
            }
        }
        for remark in remarks {
            let (Remark::Empty(id) | Remark::Approximate(id)) = remark;
            let variable = &self.property.variables[id.0 as usize];
            let name = &variable.name;
            let (severity, code, text) = match remark {
                Remark::Empty(_) => (
                    Severity::Warning,
                    "mcf-domain-empty",
                    format!(
                        "no label has a value where {name} or another variable of its sort \
                         stands: `forall` holds, and `exists` does not; give values by `check \
                         --values SORT=V,…`"
                    ),
                ),
                Remark::Approximate(_) => (
                    Severity::Note,
                    "mcf-domain-approximate",
                    format!(
                        "{name} is computed with, and runs only a little beyond the numbers in \
                         labels and in the formula: give all that matter by `check --values \
                         SORT=V,…`"
                    ),
                ),
            };
            report(session, &self.file, severity, code, place(id), text);
        }
        Ok(())
    }
}

impl Formula {
    /// That it has no verdict, as an expression has no value, or the model of this name
    /// failed.
    pub fn failed(&self, error: &DecideError, model: &str) -> String {
        let file = printable_path(&self.file);
        match error {
            DecideError::Check(CheckError::Evaluation(error))
                if error.place != Place::default() =>
            {
                format!("{file}:{error} (of {model})")
            }
            DecideError::Formula(_) | DecideError::Check(_) | DecideError::TooLarge(_) => {
                format!("{file}: {error} (of {model})")
            }
        }
    }

    /// Its text without macros; a property with its name.
    pub fn without_macros(&self) -> String {
        self.named(&self.expanded)
    }

    /// Its core form as text; a property with its name.
    ///
    /// # Errors
    /// If that is too large, or nested too deep.
    pub fn in_core_form(&self) -> Result<String, Failure> {
        let core = core_form(&self.property).map_err(|error| {
            let file = printable_path(&self.file);
            Failure::error(format!("{file}: {}: {error}", self.name))
        })?;
        Ok(self.named(&match core.language {
            Language::Mcl => core.text(),
            Language::Mcf => mcf::whole(&core, &self.sorts),
        }))
    }

    /// A text of the formula, with the name of a property.
    fn named(&self, text: &str) -> String {
        let Self { name, comment, .. } = self;
        match self.is_property {
            true => {
                let quoted = |line: &String| {
                    format!(" \"{}\"", line.replace('\\', "\\\\").replace('"', "\\\""))
                };
                let comment: String = comment.iter().map(quoted).collect();
                format!("property {name}{comment} is\n    {text}\nend property\n")
            }
            false => format!("{text}\n"),
        }
    }
}

impl FormulaOptions {
    /// The files that are named as formulas.
    pub fn files(&self) -> &[PathBuf] {
        &self.formula
    }

    /// Reads and checks all formulas; they, and the files that they include.
    ///
    /// # Errors
    /// If there is none, or one is malformed.
    pub fn read(
        &self,
        session: &Session,
        files: &[PathBuf],
    ) -> Result<(Vec<Formula>, Vec<String>), Failure> {
        let mut formulas = Vec::new();
        let mut included = LibraryFiles::default();
        for path in files.iter().chain(&self.formula) {
            let (_, text) = read_text(path)?;
            let stem = path.file_stem().map_or("-".into(), printable_path);
            let file = path.to_string_lossy().into_owned();
            formulas.extend(self.parse(session, &text, &file, &stem, &mut included)?);
        }
        for (k, text) in self.f.iter().enumerate() {
            let name = format!("formula {}", k + 1);
            let parsed = self.parse(session, text.as_bytes(), "-f", &name, &mut included);
            formulas.extend(parsed.map_err(|failure| named_file(text, failure))?);
        }
        tell_apart(&mut formulas);
        let evaluator = self.evaluator.as_deref().unwrap_or(session.name());
        tell_version(session, &formulas, evaluator);
        match formulas.is_empty() {
            true => Err(Failure::error(
                "no formula: give a file that ends in .mcl or .mcf, or -f FORMULA",
            )),
            false => Ok((formulas, included.0)),
        }
    }

    /// What `--values` gives.
    ///
    /// # Errors
    /// If a value is malformed.
    pub fn domains(&self, session: &Session, formulas: &[Formula]) -> Result<Given, Failure> {
        let mut given = Given::new();
        for text in &self.values {
            let fails = |why: &str| Failure::error(format!("--values {text}: {why}"));
            let (sort, values) = text
                .split_once('=')
                .ok_or_else(|| fails("expected the name of a sort, `=` and values"))?;
            let sort = sort.trim();
            let values = domains::values_of(sort, values.as_bytes()).map_err(|e| fails(&e))?;
            let is_used = |f: &Formula| domains::sorts(&f.property).iter().any(|s| s == sort);
            if !formulas.iter().any(is_used) {
                session.report(&Diagnostic {
                    severity: Severity::Warning,
                    code: "check-unused-values",
                    file: None,
                    position: None,
                    text: format!(
                        "--values {text}: no formula of mCRL2 has a quantified variable of this \
                         sort"
                    ),
                });
            }
            given.entry(sort.to_owned()).or_default().extend(values);
        }
        Ok(given)
    }

    fn parse(
        &self,
        session: &Session,
        text: &[u8],
        file: &str,
        name: &str,
        libraries: &mut LibraryFiles,
    ) -> Result<Vec<Formula>, Failure> {
        let ending = Path::new(file).extension().and_then(|e| e.to_str());
        match ending {
            Some("mcf") => return self.parse_mcf(session, text, file, name),
            Some("mcl") => {}
            Some("xtl") => {
                return Err(Failure::error(format!(
                    "{file}: xtl is not supported; write MCL"
                )));
            }
            _ if self.syntax == Syntax::Mcf => return self.parse_mcf(session, text, file, name),
            _ => {}
        }
        let before = Before {
            libraries: &self.library,
            option: "-L",
        };
        let parsed = mcl::parse_all_after(text, file, before, libraries);
        let parsed = parsed.map_err(|e| syntax(&e))?;
        let formulas = parsed.into_iter().map(|parsed| {
            for warning in &parsed.warnings {
                warn(session, file, warning);
            }
            Formula {
                is_property: parsed.name.is_some(),
                name: parsed.name.unwrap_or_else(|| name.to_owned()),
                comment: parsed.comment,
                file: file.to_owned(),
                property: parsed.property,
                expanded: parsed.expanded,
                places: Vec::new(),
                sorts: Vec::new(),
            }
        });
        Ok(formulas.collect())
    }

    fn parse_mcf(
        &self,
        session: &Session,
        text: &[u8],
        file: &str,
        name: &str,
    ) -> Result<Vec<Formula>, Failure> {
        let parsed = mcf::parse(text, file).map_err(|e| syntax(&e))?;
        for warning in &parsed.warnings {
            warn(session, file, warning);
        }
        Ok(vec![Formula {
            is_property: false,
            name: name.to_owned(),
            comment: Vec::new(),
            file: file.to_owned(),
            property: parsed.property,
            expanded: parsed.expanded,
            places: parsed.places,
            sorts: parsed.sorts,
        }])
    }
}

/// Warns once of a formula that an evaluator of version 3 would refuse.
fn tell_version(session: &Session, formulas: &[Formula], evaluator: &str) {
    if !matches!(evaluator, "evaluator" | "evaluator3") {
        return;
    }
    let needs = |f: &Formula| needs_version_4(&f.property).map(|what| (f.file.clone(), what));
    if let Some((file, what)) = formulas.iter().find_map(needs) {
        session.report(&Diagnostic {
            severity: Severity::Warning,
            code: "check-version-4",
            file: Some(printable_path(file).into()),
            position: None,
            text: format!(
                "{what} is of version 4 of MCL, which {evaluator} of CADP does not read; \
                 evaluator4 does"
            ),
        });
    }
}

/// What is wrong with the text of `-f`: it may be the name of a file.
fn named_file(text: &str, failure: Failure) -> Failure {
    let ending = Path::new(text).extension().and_then(|e| e.to_str());
    let is_told = matches!(ending, Some("mcl" | "mcf"));
    let option = if is_told { "" } else { "--formula " };
    match failure {
        Failure::Error(message) if is_told || Path::new(text).is_file() => Failure::error(format!(
            "{message}; -f takes the text of a formula: for that in a file write `check \
             {option}{} INPUT`",
            printable_path(text)
        )),
        failure => failure,
    }
}

/// Formulas with one name are called by their files, too.
fn tell_apart(formulas: &mut [Formula]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for formula in &*formulas {
        *counts.entry(formula.name.clone()).or_default() += 1;
    }
    for formula in formulas {
        if counts[&formula.name] > 1 {
            let file = printable_path(Path::new(&formula.file));
            formula.name = format!("{file}: {}", formula.name);
        }
    }
}

fn syntax(error: &SyntaxError) -> Failure {
    let shown = SyntaxError {
        file: printable_path(Path::new(&error.file)),
        ..error.clone()
    };
    Failure::error(shown.to_string())
}

pub fn warn(session: &Session, file: &str, warning: &Warning) {
    let Warning {
        code,
        place,
        message,
    } = warning;
    report(
        session,
        file,
        Severity::Warning,
        code,
        *place,
        message.clone(),
    );
}

fn report(
    session: &Session,
    file: &str,
    severity: Severity,
    code: &'static str,
    place: Place,
    text: String,
) {
    let diagnostic = Diagnostic {
        severity,
        code,
        file: Some(printable_path(file).into()),
        position: Some(Position::new(place.line.into(), place.column.into())),
        text,
    };
    match severity {
        // What verdicts may depend on is no detail.
        Severity::Note => session.note(diagnostic),
        Severity::Warning | Severity::Error => session.report(&diagnostic),
    }
}
