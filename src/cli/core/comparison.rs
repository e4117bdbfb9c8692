//! What commands that compare two systems share.

use std::path::Path;

use hyades_formats::Lts;

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
        self.note(format_args!("{} is not written: {why}", destination.name()));
    }
}
