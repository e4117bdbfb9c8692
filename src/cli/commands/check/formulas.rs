//! The formulas of `check`: where they are from.

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
    /// The stem of its file, or `formula N`.
    pub name: String,
    /// Its file, for messages.
    pub file: String,
    pub property: Property,
    /// Its text without macros.
    pub expanded: String,
}

/// Libraries beside the file that includes them, then in the working directory.
struct Files;

impl Libraries for Files {
    fn find(&mut self, name: &str, from: &str) -> Result<Option<(String, Vec<u8>)>, String> {
        let beside = Path::new(from).parent().map(|folder| folder.join(name));
        for path in beside.into_iter().chain([PathBuf::from(name)]) {
            if path.is_file() {
                let text = std::fs::read(&path).map_err(|e| e.to_string())?;
                let full = std::fs::canonicalize(&path).unwrap_or(path);
                return Ok(Some((full.to_string_lossy().into_owned(), text)));
            }
        }
        Ok(None)
    }
}

impl FormulaOptions {
    /// Reads and checks all formulas.
    ///
    /// # Errors
    /// If there is none, or one is malformed.
    pub fn read(&self, session: &Session, files: &[PathBuf]) -> Result<Vec<Formula>, Failure> {
        let mut formulas = Vec::new();
        for path in files.iter().chain(&self.formula) {
            let (_, text) = read_text(path)?;
            let stem = path
                .file_stem()
                .map_or("-".into(), |stem| stem.to_string_lossy());
            let file = path.to_string_lossy().into_owned();
            formulas.push(self.parse(session, &text, &file, stem.into_owned())?);
        }
        for (k, text) in self.f.iter().enumerate() {
            let name = format!("formula {}", k + 1);
            formulas.push(self.parse(session, text.as_bytes(), "-f", name)?);
        }
        match formulas.is_empty() {
            true => Err(Failure::error(
                "no formula: give a file that ends in .mcl, or -f FORMULA",
            )),
            false => Ok(formulas),
        }
    }

    fn parse(
        &self,
        session: &Session,
        text: &[u8],
        file: &str,
        name: String,
    ) -> Result<Formula, Failure> {
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
        let parsed = mcl::parse(&whole, file, &mut Files).map_err(|e| syntax(&e))?;
        for warning in &parsed.warnings {
            warn(session, file, warning);
        }
        Ok(Formula {
            name,
            file: file.to_owned(),
            property: parsed.property,
            expanded: parsed.expanded,
        })
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
