//! Writing the transitions that are found to AUT.

use std::ops::ControlFlow;

use hyades_formats::aut::StreamWriter;
use hyades_formats::{self as formats, LabelTable, Rows, WriteError};

use super::sink::Sink;

/// Writes transitions as they are found; they are not kept.
///
/// Lines are formatted by all threads.
pub struct AutSink<'w, 's, 'd> {
    writer: StreamWriter<'w>,
    diagnostics: &'s mut formats::Sink<'d>,
    failure: Option<WriteError>,
}

hyades_base::opaque!(AutSink<'_, '_, '_>);

impl<'w, 's, 'd> AutSink<'w, 's, 'd> {
    /// Writes by `writer`; what there is to say about labels goes to
    /// `diagnostics`.
    pub fn new(writer: StreamWriter<'w>, diagnostics: &'s mut formats::Sink<'d>) -> Self {
        Self {
            writer,
            diagnostics,
            failure: None,
        }
    }

    /// The writer, to be [finished](StreamWriter::finish).
    ///
    /// # Errors
    /// If it has failed, which has ended the exploration.
    pub fn into_writer(self) -> Result<StreamWriter<'w>, WriteError> {
        match self.failure {
            None => Ok(self.writer),
            Some(failure) => Err(failure),
        }
    }
}

impl Sink for AutSink<'_, '_, '_> {
    fn take(&mut self, rows: &[Rows<'_>], labels: &LabelTable) -> ControlFlow<()> {
        match self.writer.rows(rows, labels, self.diagnostics) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                self.failure = Some(failure);
                ControlFlow::Break(())
            }
        }
    }
}
