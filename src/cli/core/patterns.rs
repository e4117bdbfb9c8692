//! Reading patterns on behalf of a command.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyades_formats::aut::place_of;
use hyades_formats::diagnostic::printable_path;
use hyades_formats::dot::ReadDot;
use hyades_formats::{self as formats, Diagnostic, Format, Lts, Position, Severity};
use hyades_symmetry::KernelError;
use hyades_symmetry::pattern::{BadEdge, Order, Pattern, PatternError, PatternFile};

use super::files::trace_in_comments;
use super::options::DialectOption;
use super::output::Destination;
use super::session::Session;
use super::status::Failure;
use super::texts::{read_again, read_named_text, read_short_file, utf8};

/// Which pattern a specification is seen by.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Pattern")]
pub struct PatternOption {
    /// The pattern: a TOML file that names the template, says which copies of it
    /// there are, and how labels are ordered
    #[arg(long, value_name = "FILE")]
    pattern: Option<PathBuf>,
}

impl PatternOption {
    /// Reads the pattern, the template it names and the order, which may be in another
    /// file than it says: phase `read`.
    ///
    /// # Errors
    /// If there is none, if a file cannot be read or has errors, which go to
    /// standard error, or if the output would replace one.
    pub fn get(
        &self,
        session: &mut Session,
        order: Option<&Path>,
        dialect: &DialectOption,
        destination: &Destination,
    ) -> Result<Pattern, Failure> {
        match &self.pattern {
            Some(path) => session.read_pattern(path, order, dialect, destination),
            None => Err(Failure::error("no pattern: give --pattern FILE")),
        }
    }
}

/// Which pattern a specification is seen by, and in which order labels are followed.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Pattern")]
pub struct PatternOptions {
    #[command(flatten)]
    pattern: PatternOption,

    /// Order labels as FILE lists them, one a line, the smallest first, instead
    /// of as the pattern says
    #[arg(long, value_name = "FILE", requires = "pattern")]
    order: Option<PathBuf>,
}

impl PatternOptions {
    /// Reads the pattern, the template it names and the order: phase `read`.
    ///
    /// # Errors
    /// As [`PatternOption::get`].
    pub fn get(
        &self,
        session: &mut Session,
        dialect: &DialectOption,
        destination: &Destination,
    ) -> Result<Pattern, Failure> {
        let order = self.order.as_deref();
        self.pattern.get(session, order, dialect, destination)
    }

    /// Whether an order is in a file that the pattern names, rather than the user.
    pub fn names_order(&self) -> bool {
        self.order.is_none()
    }
}

impl Session {
    /// Reads a pattern, the template it names and the order, which may be in another
    /// file than it says: phase `read`. Of the options about machines, the one that
    /// ignores outputs holds for the template.
    ///
    /// # Errors
    /// As [`PatternOption::get`].
    pub fn read_pattern(
        &mut self,
        path: &Path,
        order: Option<&Path>,
        dialect: &DialectOption,
        destination: &Destination,
    ) -> Result<Pattern, Failure> {
        let session = self;
        let names_order = order.is_none();
        let (name, text) = read_short_file("patterns and orders", path)?;
        let text = utf8(&name, &text, "TOML")?;
        let told = |error| told_of(session, &name, error);
        let file = PatternFile::from_text(text).map_err(told)?;
        let beside = |other: &str| path.parent().unwrap_or(Path::new("")).join(other);
        let order = match (order, file.order_file()) {
            (Some(order), _) => Some(order.to_owned()),
            (None, order) => order.map(beside),
        };
        let template = beside(file.template());
        let mut files = vec![path, &template];
        files.extend(order.as_deref());
        destination.check_spares(files.iter().copied())?;
        session.check_outputs(&files, &[destination])?;
        let order = match &order {
            Some(path) => {
                let (name, text) = match names_order {
                    true => read_named_text(path)?,
                    false => read_short_file("patterns and orders", path)?,
                };
                let order = Order::from_text(&text, file.syntax());
                Some(order.map_err(|error| {
                    let mut diagnostic = diagnostic(&name, error);
                    if names_order {
                        diagnostic = diagnostic.discreet("labels, each once");
                    }
                    session.report(&diagnostic);
                    Failure::Reported
                })?)
            }
            None => None,
        };
        let options = formats::ReadOptions {
            dot: ReadDot {
                outputs: dialect.mealy().outputs_of_template(),
                ..ReadDot::default()
            },
            ..formats::ReadOptions::default()
        };
        let (machine, format) =
            session
                .read_named(&template, &options)
                .map_err(|failure| match failure {
                    Failure::Error(text) => {
                        Failure::error(format!("{text}: {name} names it as the template"))
                    }
                    failure => failure,
                })?;
        let mut pattern = file.pattern(&machine).map_err(|error| match &error.edge {
            Some(edge) => told_of_template(session, &template, format, edge, &error.text),
            None => told_of(session, &name, error),
        })?;
        if let Some(order) = order {
            pattern.order = order;
        }
        Ok(pattern)
    }
}

/// What is to be said where there is no kernel.
pub fn no_kernel(lts: &Lts, error: KernelError) -> Failure {
    match error {
        KernelError::Uncovered { state, trace } => {
            let texts = trace_in_comments(&trace, lts.table());
            Failure::error(format!(
                "no copy of the template takes the last label of this trace, which leaves state \
                 {state}; expected a pattern that covers the specification:\n{}",
                String::from_utf8_lossy(&texts).trim_end()
            ))
        }
        KernelError::TooLarge(error) => error.into(),
        KernelError::Stopped => unreachable!("nothing stops it"),
    }
}

/// Tells an error in a template, or what is to be one, with the line if that can
/// be told.
pub fn told_of_template(
    session: &Session,
    path: &Path,
    format: Format,
    edge: &BadEdge,
    text: &str,
) -> Failure {
    let place = match format {
        Format::Aut => place_of(&read_again(path), edge.source, &edge.label, edge.target),
        _ => None,
    };
    let error = PatternError {
        place,
        ..PatternError::new(text)
    };
    told_of(session, &printable_path(path).into(), error)
}

/// Tells an error in a file.
fn told_of(session: &Session, name: &Arc<str>, error: PatternError) -> Failure {
    session.report(&diagnostic(name, error));
    Failure::Reported
}

fn diagnostic(name: &Arc<str>, error: PatternError) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code: "pattern",
        file: Some(Arc::clone(name)),
        position: error.place.map(|(line, column)| Position {
            line: line as u64,
            column: column as u64,
        }),
        text: error.text,
    }
}
