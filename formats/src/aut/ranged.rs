//! AUT files that several readers share.

use std::sync::Arc;

use super::read::Aut;
use crate::chunks::Chunks;
use crate::diagnostic::{Log, Sink};
use crate::error::{Failure, ReadError};
use crate::format::Format;
use crate::lines::{self, Opened};
use crate::lts::{LabelTable, StateId};
use crate::options::ReadOptions;
use crate::receiver::{Passing, Receiver};
use crate::source::{Progress, Source, Whole};

/// An AUT file of which several readers, in as many processes, read the lines of a range of
/// bytes each. What they find is put together as if one had read all.
///
/// ```
/// use hyades_formats::aut::{Ranged, RangeSummary};
/// use hyades_formats::{ReadOptions, Receiver, Source};
///
/// struct Count(usize);
/// impl Receiver for Count {
///     fn take(&mut self, transitions: &[[u32; 3]]) -> std::io::Result<()> {
///         self.0 += transitions.len();
///         Ok(())
///     }
/// }
///
/// let text = b"des (0, 3, 2)\n(0, A, 1)\n(0, B, 1)\n(1, i, 0)\n".to_vec();
/// let options = ReadOptions::default();
/// let source = Source::from_bytes("three", text, None)?;
/// let file = Ranged::open(source, &options, &mut |_| ())?;
/// let mut count = Count(0);
/// let mut summaries = Vec::new();
/// for k in 0..2 {
///     let (summary, _) = file.read(k, 2, &options, &mut count)?;
///     summaries.push(RangeSummary::from_bytes(&summary.to_bytes()).unwrap());
/// }
/// let whole = file.finish(summaries, &options, &mut |_| ())?;
/// assert_eq!((whole.states, count.0), (2, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ranged {
    name: Arc<str>,
    content: Whole,
    opened: Opened,
    progress: Arc<Progress>,
}

hyades_base::opaque!(Ranged);

/// What is odd about a range of an AUT file, and how much there is of it.
#[derive(Default)]
pub struct RangeSummary(lines::Summary);

hyades_base::opaque!(RangeSummary);

impl RangeSummary {
    /// As bytes for another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes()
    }

    /// From bytes of another process; nothing if these are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        lines::Summary::from_bytes(bytes).map(Self)
    }

    /// Whether the file ends in this range by a byte 0x04, whatever follows.
    pub fn ended(&self) -> bool {
        self.0.ended
    }
}

/// What a whole file tells besides transitions and labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WholeFile {
    /// The number of states.
    pub states: u64,
    /// The initial one.
    pub initial: StateId,
}

impl Ranged {
    /// Opens a file and reads its header. Oddities are told in the end, by
    /// [`Ranged::finish`]; if reading cannot go on, at once.
    ///
    /// # Errors
    /// If it is no AUT, no regular file, or compressed, so that no reader can begin in the
    /// middle; or if its header has errors.
    pub fn open(
        source: Source,
        options: &ReadOptions,
        sink: &mut Sink<'_>,
    ) -> Result<Self, ReadError> {
        let name = Arc::clone(&source.name);
        let progress = source.progress();
        if source.format() != Format::Aut {
            return Err(ReadError::Format {
                text: format!("format {}, not AUT", source.format()),
                file: name,
            });
        }
        let content = source.into_at_hand(
            "a pipe or a compressed file, in the middle of which nobody can begin to read",
        )?;
        let chunks = Chunks::of_text(&content, options.chunk, &progress);
        let syntax = Aut::new(options);
        match lines::open(&syntax, chunks, content.len(), options, Log::new()) {
            Ok(opened) => Ok(Self {
                name,
                content,
                opened,
                progress: Arc::default(),
            }),
            Err((failure, mut log)) => {
                Err(match log.finish_reading::<()>(&name, Err(failure), sink) {
                    Err(error) => error,
                    // It is given a failure.
                    Ok(()) => Failure::Refused.about(name, 0),
                })
            }
        }
    }

    /// How far this reader has come.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// How many transitions the header announces, if it does.
    pub fn transitions(&self) -> Option<u64> {
        self.opened.announced.transitions
    }

    /// Passes the transitions on of the `k`-th of so many ranges, in the order of the file.
    /// Labels are numbered in the order of their first appearance in the range.
    ///
    /// # Errors
    /// If there is too much, and those of the receiver. What is wrong in the file is told by
    /// [`Ranged::finish`] only.
    ///
    /// # Panics
    /// If there is no such range.
    pub fn read(
        &self,
        k: usize,
        of: usize,
        options: &ReadOptions,
        receiver: &mut dyn Receiver,
    ) -> Result<(RangeSummary, LabelTable), ReadError> {
        assert!(k < of);
        let range = lines::range_of(&self.content, self.opened.body, k, of);
        let size = lines::chunk_size(options, range.len());
        let chunks = match &self.content {
            Whole::Mapped(map) => Chunks::of_map_range(map, range, size, &self.progress),
            Whole::Bytes(bytes) => Chunks::of_text(&bytes[range], size, &self.progress),
        };
        let mut passing = Passing::new(receiver);
        let syntax = Aut::new(options);
        let read = lines::read_range(
            &syntax,
            chunks,
            &self.opened,
            options,
            &self.progress,
            &mut passing,
        );
        match read {
            Ok((summary, table)) => Ok((RangeSummary(summary), table)),
            Err(failure) => Err(failure.about(Arc::clone(&self.name), 0)),
        }
    }

    /// What the file tells, from the summaries of all ranges in their order. Ranges after one
    /// that has [ended](RangeSummary::ended) do not count.
    ///
    /// # Errors
    /// If there are errors in any range, or numbers do not agree with the header.
    pub fn finish(
        self,
        summaries: Vec<RangeSummary>,
        options: &ReadOptions,
        sink: &mut Sink<'_>,
    ) -> Result<WholeFile, ReadError> {
        let Self {
            name,
            content,
            opened,
            ..
        } = self;
        let (body, of) = (opened.body, summaries.len());
        let text = |k: usize| &content[lines::range_of(&content, body, k, of)];
        let summaries = summaries.into_iter().map(|summary| summary.0).collect();
        let mut log = Log::new();
        let syntax = Aut::new(options);
        let told = lines::finish_ranges(&syntax, opened, summaries, text, options, &mut log);
        let told = log.finish_reading(&name, told, sink)?;
        Ok(WholeFile {
            states: told.states,
            initial: told.initial,
        })
    }
}
