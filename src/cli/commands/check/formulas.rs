//! The formulas of `check`: where they are from.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use hyades_check::mcl::{self, Libraries};
use hyades_check::syntax::{Property, SyntaxError, Warning};
use hyades_formats::diagnostic::{Diagnostic, Position, Severity, printable_path};

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
}

impl Formula {
    /// Its text without macros; a property with its name.
    pub fn without_macros(&self) -> String {
        let Self {
            name,
            comment,
            expanded,
            ..
        } = self;
        match self.is_property {
            true => {
                let quoted = |line: &String| {
                    format!(" \"{}\"", line.replace('\\', "\\\\").replace('"', "\\\""))
                };
                let comment: String = comment.iter().map(quoted).collect();
                format!("property {name}{comment} is\n    {expanded}\nend property\n")
            }
            false => format!("{expanded}\n"),
        }
    }
}

/// Libraries beside the file that includes them, then in the working directory; those
/// that were found.
#[derive(Default)]
struct Files(Vec<String>);

impl Libraries for Files {
    fn find(&mut self, name: &str, from: &str) -> Result<Option<(String, Vec<u8>)>, String> {
        let beside = Path::new(from).parent().map(|folder| folder.join(name));
        for path in beside.into_iter().chain([PathBuf::from(name)]) {
            if path.is_file() {
                let text = std::fs::read(&path).map_err(|e| e.to_string())?;
                let name = path.to_string_lossy().into_owned();
                if !self.0.contains(&name) {
                    self.0.push(name);
                }
                let full = std::fs::canonicalize(&path).unwrap_or(path);
                return Ok(Some((full.to_string_lossy().into_owned(), text)));
            }
        }
        Ok(None)
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
        let mut included = Files::default();
        for path in files.iter().chain(&self.formula) {
            let (_, text) = read_text(path)?;
            let stem = path
                .file_stem()
                .map_or("-".into(), |stem| stem.to_string_lossy());
            let file = path.to_string_lossy().into_owned();
            formulas.extend(self.parse(session, &text, &file, &stem, &mut included)?);
        }
        for (k, text) in self.f.iter().enumerate() {
            let name = format!("formula {}", k + 1);
            formulas.extend(self.parse(session, text.as_bytes(), "-f", &name, &mut included)?);
        }
        tell_apart(&mut formulas);
        match formulas.is_empty() {
            true => Err(Failure::error(
                "no formula: give a file that ends in .mcl, or -f FORMULA",
            )),
            false => Ok((formulas, included.0)),
        }
    }

    fn parse(
        &self,
        session: &Session,
        text: &[u8],
        file: &str,
        name: &str,
        libraries: &mut Files,
    ) -> Result<Vec<Formula>, Failure> {
        let ending = Path::new(file).extension().and_then(|e| e.to_str());
        match ending {
            Some("mcf") => {
                return Err(Failure::error(format!(
                    "{file}: modal formulas of mCRL2 (.mcf) are not supported yet: write it in MCL"
                )));
            }
            Some("xtl") => {
                return Err(Failure::error(format!(
                    "{file}: xtl is not supported; write MCL"
                )));
            }
            _ => {}
        }
        let mut whole = Vec::new();
        let includes = text.windows(7).any(|word| word == b"library");
        if !self.library.is_empty() && !includes {
            // On the line of the formula, so that places stay.
            let names: Vec<String> = self.library.iter().map(|n| format!("\"{n}\"")).collect();
            whole.extend(format!("library {} end_library ", names.join(", ")).into_bytes());
        }
        whole.extend_from_slice(text);
        let parsed = mcl::parse_all(&whole, file, libraries).map_err(|e| syntax(&e))?;
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
            }
        });
        Ok(formulas.collect())
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
    let SyntaxError {
        file,
        place,
        message,
    } = error;
    let file = printable_path(Path::new(file));
    Failure::error(format!("{file}:{place}: {message}"))
}

pub fn warn(session: &Session, file: &str, warning: &Warning) {
    session.report(&Diagnostic {
        severity: Severity::Warning,
        code: warning.code,
        file: Some(file.into()),
        position: Some(Position::new(
            warning.place.line.into(),
            warning.place.column.into(),
        )),
        text: warning.message.clone(),
    });
}
