//! What commands that compare two systems share.

use std::path::Path;

use hyades_formats::{self as formats, LabelTable, Lts, LtsParts, Source, StateId};

use super::answer::AnswerOptions;
use super::options::{DialectOption, LtsOutput, ReadOptions, WriteOptions};
use super::output::Destination;
use super::session::{RunOptions, Session};
use super::status::Failure;

/// How two systems are read, and how the answer and its witness are written.
#[derive(clap::Args, Clone, Debug)]
pub struct ComparisonOptions {
    /// The form of the answer.
    #[command(flatten)]
    pub answer: AnswerOptions,
    /// Where the witness goes.
    #[command(flatten)]
    pub write: WriteOptions,
    /// How both are read.
    #[command(flatten)]
    pub read: ReadOptions,
    /// Whose habits all files follow.
    #[command(flatten)]
    pub dialect: DialectOption,
    /// How the command runs.
    #[command(flatten)]
    pub run: RunOptions,
}

impl ComparisonOptions {
    /// Refuses to read both of two systems, which the user calls so, from standard
    /// input; announces two inputs, and tells which options have no effect.
    ///
    /// # Errors
    /// If both are standard input.
    pub fn begin(
        &self,
        session: &mut Session,
        inputs: [&Path; 2],
        names: &str,
    ) -> Result<(), Failure> {
        if inputs.iter().all(|input| *input == Path::new("-")) {
            return Err(Failure::error(format!(
                "only one of {names} can be standard input"
            )));
        }
        self.answer.tell_unused(session);
        session.expect_two_inputs();
        Ok(())
    }

    /// Where the witness goes, if anywhere, looked at before the work begins.
    ///
    /// # Errors
    /// As [`WriteOptions::witness`] and [`Session::check_outputs`].
    pub fn witness(
        &self,
        session: &Session,
        inputs: [&Path; 2],
    ) -> Result<Option<LtsOutput>, Failure> {
        let output = self.write.witness(session, &self.dialect)?;
        let destination = output.as_ref().map(|output| &output.destination);
        self.check_witness(session, inputs, destination)?;
        Ok(output)
    }

    /// Refuses a witness, and statistics, that would replace an input or one another.
    ///
    /// # Errors
    /// If they would.
    pub fn check_witness(
        &self,
        session: &Session,
        inputs: [&Path; 2],
        destination: Option<&Destination>,
    ) -> Result<(), Failure> {
        let answer = Destination::stdout();
        let outputs: Vec<_> = std::iter::once(&answer).chain(destination).collect();
        session.check_outputs(&inputs, &outputs)
    }
}

impl Session {
    /// Reads a witness as [`Session::write_witness`] has written it, by a command with the
    /// same options: hidden is what reads so in its format. What `--hidden` names is
    /// hidden, too, unless it `is_visible` in the system. With the states where a
    /// sequence ends with `<deadlock>`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_witness(
        &mut self,
        path: &Path,
        read: &ReadOptions,
        write: &WriteOptions,
        dialect: &DialectOption,
        is_visible: impl Fn(&[u8]) -> bool,
    ) -> Result<(Lts, Vec<StateId>), Failure> {
        let options = read.of_witness(dialect);
        let mut hidden = read.get(dialect).hidden;
        hidden.retain(|text| !is_visible(text));
        let (mut spelt, mut deadlocks) = (None, Vec::new());
        let by_format = |source: Source, options: &_, sink: &mut formats::Sink<'_>| {
            spelt = dialect.written_hidden(source.format());
            hidden.extend(spelt.map(|text| text.as_bytes().to_vec()));
            let options = formats::ReadOptions {
                hidden,
                ..formats::ReadOptions::clone(options)
            };
            let (lts, ends) = formats::read_with_ends(source, &options, sink)?;
            let ends = ends.into_iter().filter(|end| end.deadlock);
            deadlocks = ends.map(|end| end.state).collect();
            Ok(lts)
        };
        let (lts, _) = self.read_by(path, write.format(), &options, by_format)?;
        let lts = match (write.visible_i(), spelt) {
            (Some(name), Some(spelt)) if is_visible(spelt.as_bytes()) => {
                renamed(lts, &name, spelt.as_bytes())
            }
            _ => lts,
        };
        Ok((lts, deadlocks))
    }

    /// Writes a witness, if there is one; tells otherwise that nothing is written.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_witness(
        &mut self,
        output: &LtsOutput,
        witness: Option<&Lts>,
    ) -> Result<(), Failure> {
        match witness {
            Some(lts) => self.write(output, lts),
            None => {
                self.tell_not_written(&output.destination, "there is no witness");
                Ok(())
            }
        }
    }

    /// Tells that an output is not written, and why.
    pub fn tell_not_written(&self, destination: &Destination, why: &str) {
        self.note(not_written(destination, why));
    }

    /// The same whatever the verbosity, where the status does not tell it.
    pub fn warn_not_written(&self, destination: &Destination, why: &str) {
        self.say(not_written(destination, why));
    }
}

fn not_written(destination: &Destination, why: &str) -> String {
    format!("{} is not written: {why}", destination.name())
}

/// With another text for a visible label, which no other one has.
fn renamed(lts: Lts, from: &[u8], to: &[u8]) -> Lts {
    let old = lts.table().clone();
    let mut table = LabelTable::new();
    for (_, text) in old.visible() {
        let text = if text == from { to } else { text };
        // There are as many labels as before.
        let _ = table.intern(text);
    }
    Lts::from_parts(LtsParts {
        table,
        ..lts.into_parts()
    })
}
