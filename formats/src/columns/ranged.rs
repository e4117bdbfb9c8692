//! Parquet files that several readers share.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::collector::Collector;
use super::parquet;
use crate::diagnostic::{Log, SentLog, Sink};
use crate::error::{Failure, ReadError};
use crate::format::Format;
use crate::lts::{LabelTable, StateId};
use crate::options::ReadOptions;
use crate::receiver::{Passing, Receiver};
use crate::rows::TransitionColumns;
use crate::source::{Progress, Source, Whole};

/// A Parquet file of which several readers, in as many processes, read some row groups each.
/// What they find is put together as if one had read all.
pub struct Ranged {
    name: Arc<str>,
    file: Arc<Whole>,
    progress: Arc<Progress>,
}

hyades_base::opaque!(Ranged);

/// What is odd about some row groups, and how much there is of them.
#[derive(Debug)]
pub struct GroupsSummary {
    rows: u64,
    states: u64,
    hidden: bool,
    log: Log,
}

#[derive(Serialize, Deserialize)]
struct SentSummary {
    rows: u64,
    states: u64,
    hidden: bool,
    log: SentLog,
}

impl GroupsSummary {
    /// As bytes for another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        let sent = SentSummary {
            rows: self.rows,
            states: self.states,
            hidden: self.hidden,
            log: SentLog::from(&self.log),
        };
        // Numbers and texts; writing to memory does not fail.
        serde_json::to_vec(&sent).unwrap_or_default()
    }

    /// From bytes of another process; nothing if these are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let sent: SentSummary = serde_json::from_slice(bytes).ok()?;
        Some(Self {
            rows: sent.rows,
            states: sent.states,
            hidden: sent.hidden,
            log: sent.log.into(),
        })
    }
}

impl Ranged {
    /// Opens a file.
    ///
    /// # Errors
    /// If it is no Parquet, or no plain file.
    pub fn open(source: Source) -> Result<Self, ReadError> {
        let name = Arc::clone(&source.name);
        let progress = source.progress();
        if source.format() != Format::Parquet {
            return Err(ReadError::Format {
                text: format!("format {}, not Parquet", source.format()),
                file: name,
            });
        }
        let file =
            source.into_at_hand("a pipe or a compressed file, which processes cannot share")?;
        Ok(Self {
            name,
            file: Arc::new(file),
            progress,
        })
    }

    /// Passes the transitions on of the `k`-th of so many shares of the row groups, in the
    /// order of the file. Labels are numbered in the order of their first appearance there.
    ///
    /// # Errors
    /// If there is too much, and those of the receiver. What is wrong in the file is told by
    /// [`Ranged::finish`] only.
    ///
    /// # Panics
    /// If there is no such share.
    pub fn read(
        &self,
        k: usize,
        of: usize,
        options: &ReadOptions,
        receiver: &mut dyn Receiver,
    ) -> Result<(GroupsSummary, LabelTable), ReadError> {
        assert!(k < of);
        let mut passing = Passing::new(receiver);
        let mut log = Log::new();
        let mut collector = Collector::new(options, Format::Parquet, &mut passing, &mut log);
        let file = Arc::clone(&self.file);
        let read = parquet::read(file, Some(&self.progress), &mut collector, (k, of));
        let (rows, states) = (collector.rows, collector.states);
        let names = std::mem::take(&mut collector.names);
        match read {
            Ok(()) => {}
            // It is told in the end.
            Err(Failure::Refused) if log.errors() > 0 => {}
            Err(failure) => return Err(failure.about(Arc::clone(&self.name), 0)),
        }
        let hidden = names.hidden;
        let summary = GroupsSummary {
            rows,
            states,
            hidden,
            log,
        };
        Ok((summary, names.table))
    }

    /// What the table tells, from the summaries of all shares in their order, and all their
    /// labels: the number of states and the initial one.
    ///
    /// # Errors
    /// If there are errors in any share, or numbers do not agree with the metadata.
    pub fn finish(
        self,
        summaries: Vec<GroupsSummary>,
        table: &LabelTable,
        options: &ReadOptions,
        sink: &mut Sink<'_>,
    ) -> Result<(u64, StateId), ReadError> {
        let mut log = Log::new();
        let mut nothing = TransitionColumns::default();
        let (mut rows, mut states, mut hidden) = (0, 0, false);
        let of_first = summaries.first().map(GroupsSummary::to_bytes);
        for (k, summary) in summaries.into_iter().enumerate() {
            // What is wrong with the metadata, all say.
            let is_said = k > 0 && summary.rows == 0 && Some(summary.to_bytes()) == of_first;
            if !is_said {
                log.append(summary.log, 0);
            }
            rows += summary.rows;
            states = states.max(summary.states);
            hidden |= summary.hidden;
        }
        let outcome = match log.errors() {
            0 => {
                let mut collector =
                    Collector::new(options, Format::Parquet, &mut nothing, &mut log);
                parquet::announce(&self.file, &mut collector).and_then(|()| {
                    collector.names.table = table.clone();
                    collector.names.hidden = hidden;
                    (collector.rows, collector.states) = (rows, states);
                    collector.finish()
                })
            }
            _ => Err(Failure::Refused),
        };
        let told = log.finish_reading(&self.name, outcome, sink)?;
        Ok((told.states, told.initial))
    }
}
