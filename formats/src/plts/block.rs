//! Blocks of rows: how they are coded.

use std::io;
use std::ops::Range;

use super::layout::{BLOCK_HEAD, Limits, number, push_leb128, take_leb128};
use crate::diagnostic::there_are;
use crate::options::Codec;
use crate::sink::{no_memory, of_memory};

/// The level of Zstandard: blocks are to be read again and again.
const LEVEL: i32 = 1;

/// How many bytes the numbers of states and labels have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Widths {
    pub state: usize,
    pub label: usize,
}

/// What is known of a block before it is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Expected {
    pub first: u64,
    pub states: u64,
    pub transitions: u64,
    /// Where it is in the file of its part.
    pub offset: u64,
    /// Its bytes there, the head included.
    pub bytes: u64,
}

/// The rows of consecutive states. Its memory is used again for the next block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub(super) first: u64,
    /// The number of transitions of each state.
    degrees: Vec<u64>,
    /// As it is stored.
    pub(super) stored: Vec<u8>,
    /// The body, if it is not stored as it is.
    body: Vec<u8>,
    /// Whether the body is that of `stored`.
    is_plain: bool,
    labels: Range<usize>,
    targets: Range<usize>,
    widths: Option<Widths>,
}

impl Block {
    /// The first state.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// How many bytes it has in its file.
    pub fn stored_bytes(&self) -> usize {
        self.stored.len()
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.degrees.len()
    }

    /// How many transitions they have.
    pub fn transitions(&self) -> usize {
        self.widths.map_or(0, |w| self.labels.len() / w.label)
    }

    /// The number of transitions of each state, in their order.
    pub fn degrees(&self) -> &[u64] {
        &self.degrees
    }

    /// The numbers of the labels of all transitions, row after row: 0 is the hidden one.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        let width = self.widths.map_or(1, |w| w.label);
        self.numbers(&self.labels, width).map(|label| label as u32)
    }

    /// The targets of all transitions, row after row.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        let width = self.widths.map_or(1, |w| w.state);
        self.numbers(&self.targets, width)
    }

    /// The numbers of a part of the body.
    fn numbers(&self, place: &Range<usize>, width: usize) -> Numbers<'_> {
        let bytes = &self.content()[place.clone()];
        Numbers { bytes, width }
    }

    /// Fills columns with the labels and the targets of all transitions, row after row, as
    /// numbers of 32 bits, which they have to fit.
    pub fn fill(&self, labels: &mut Vec<u32>, targets: &mut Vec<u32>) {
        labels.clear();
        labels.extend(self.labels());
        targets.clear();
        targets.extend(self.targets().map(|target| target as u32));
    }

    /// All transitions as (source, label, target), row after row.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u32, u64)> + '_ {
        let sources = (self.first..).zip(&self.degrees);
        let sources = sources.flat_map(|(state, &degree)| (0..degree).map(move |_| state));
        let rest = self.labels().zip(self.targets());
        sources
            .zip(rest)
            .map(|(source, (label, target))| (source, label, target))
    }

    fn content(&self) -> &[u8] {
        match self.is_plain {
            true => &self.stored[BLOCK_HEAD.min(self.stored.len())..],
            false => &self.body,
        }
    }

    /// Decodes what is stored; the place where it is wrong, from its beginning, and how.
    ///
    /// # Errors
    /// If so, or if there is not enough memory.
    pub(super) fn decode(
        &mut self,
        expected: &Expected,
        widths: Widths,
        (states, labels): (u64, u64),
        is_sorted: bool,
    ) -> Result<(), Wrong> {
        self.first = expected.first;
        self.widths = Some(widths);
        self.check_head(expected, widths)?;
        let transitions = expected.transitions as usize;
        self.degrees.clear();
        let mut degrees = std::mem::take(&mut self.degrees);
        let mut rest = self.content();
        let mut sum = 0u64;
        for state in 0..expected.states {
            let degree = take_leb128(&mut rest).ok_or_else(|| {
                let state = expected.first + state;
                body_wrong(format!(
                    "the number of transitions of state {state} is none"
                ))
            })?;
            sum = sum.saturating_add(degree);
            degrees.push(degree);
        }
        if sum != expected.transitions {
            return Err(body_wrong(format!(
                "its states have {sum} transitions: expected {transitions}"
            )));
        }
        let needed = transitions.checked_mul(widths.label + widths.state);
        if needed != Some(rest.len()) {
            return Err(body_wrong(format!(
                "{} bytes of labels and targets: expected {transitions} times {}",
                rest.len(),
                widths.label + widths.state
            )));
        }
        let start = self.content().len() - rest.len();
        self.labels = start..start + transitions * widths.label;
        self.targets = self.labels.end..self.labels.end + transitions * widths.state;
        self.degrees = degrees;
        self.check_numbers(states, labels)?;
        match is_sorted {
            true => self.check_order(),
            false => Ok(()),
        }
    }

    /// Checks the head of the block and the sum of its body, and unpacks that.
    fn check_head(&mut self, expected: &Expected, widths: Widths) -> Result<(), Wrong> {
        let Expected {
            states,
            transitions,
            bytes,
            ..
        } = *expected;
        let head = &self.stored[..BLOCK_HEAD];
        let length = bytes - BLOCK_HEAD as u64;
        for (what, at, found, expected) in [
            ("states", 0, number(&head[..4]), states),
            ("transitions", 4, number(&head[4..12]), transitions),
            ("bytes in its body", 16, number(&head[16..24]), length),
        ] {
            if found != expected {
                let text = format!("the block has {found} {what}: expected {expected}");
                return Err(Wrong::at(at, text));
            }
        }
        if head[12] > 1 || head[13..16] != [0; 3] {
            let found = head[12..16].escape_ascii();
            return Err(Wrong::at(
                12,
                format!("the codec is {found}: expected 0 (none) or 1 (zstd), and three zeros"),
            ));
        }
        self.is_plain = head[12] == 0;
        let body = &self.stored[BLOCK_HEAD..];
        let (told, found) = (number(&head[24..28]) as u32, crc32c::crc32c(body));
        if told != found {
            return Err(Wrong::at(
                24,
                format!("the CRC-32C is {told:08x}, but that of the block is {found:08x}"),
            ));
        }
        match self.is_plain {
            true => Ok(()),
            false => self.unpack(states, transitions, widths),
        }
    }

    fn unpack(&mut self, states: u64, transitions: u64, widths: Widths) -> Result<(), Wrong> {
        let packed = &self.stored[BLOCK_HEAD..];
        let columns = transitions.saturating_mul((widths.label + widths.state) as u64);
        // a degree takes 10 bytes at the most
        let possible = columns.saturating_add(states)..=columns.saturating_add(10 * states);
        let size = zstd::zstd_safe::get_frame_content_size(packed);
        let size = match size {
            Ok(Some(size)) if possible.contains(&size) => size as usize,
            _ => {
                return Err(body_wrong(format!(
                    "it does not say that it unpacks to {} to {} bytes",
                    possible.start(),
                    possible.end()
                )));
            }
        };
        self.body.clear();
        if self.body.try_reserve_exact(size).is_err() {
            return Err(Wrong::Memory);
        }
        let Some(mut context) = zstd::zstd_safe::DCtx::try_create() else {
            return Err(Wrong::Memory);
        };
        // The room of a vector counts, not its length.
        match context.decompress(&mut self.body, packed) {
            Ok(unpacked) if unpacked == size => Ok(()),
            Ok(unpacked) => Err(body_wrong(format!(
                "it unpacks to {unpacked} bytes: expected {size}"
            ))),
            Err(code) => {
                let text = zstd::zstd_safe::get_error_name(code);
                let error = of_memory(io::Error::other(text));
                match error.kind() {
                    io::ErrorKind::OutOfMemory => Err(Wrong::Memory),
                    _ => Err(body_wrong(format!("it does not unpack: {error}"))),
                }
            }
        }
    }

    fn check_numbers(&self, states: u64, labels: u64) -> Result<(), Wrong> {
        // Of nothing, it is the number of something that there is.
        let label = self.labels().fold(0, u32::max);
        if u64::from(label) >= labels {
            return Err(body_wrong(format!(
                "it has label {label}, but {}",
                there_are(labels, "label")
            )));
        }
        let target = match self.widths {
            // Four of 32 bits are compared at a time.
            Some(widths) if widths.state <= 4 => {
                let narrow = self.targets().map(|target| target as u32);
                narrow.fold(0, u32::max).into()
            }
            _ => self.targets().fold(0, u64::max),
        };
        if target >= states {
            return Err(body_wrong(format!(
                "it has target {target}, but {}",
                there_are(states, "state")
            )));
        }
        Ok(())
    }

    fn check_order(&self) -> Result<(), Wrong> {
        match self.iter().is_sorted() {
            true => Ok(()),
            false => Err(body_wrong(
                "its transitions are not sorted by label and target, as the manifest says".into(),
            )),
        }
    }
}

/// Calls what has a loop for each width of numbers.
macro_rules! by_width {
    ($width:expr, $of:ident $(<$type:ident>)? ($($argument:expr),*)) => {
        match $width {
            1 => $of::<1 $(, $type)?>($($argument),*),
            2 => $of::<2 $(, $type)?>($($argument),*),
            4 => $of::<4 $(, $type)?>($($argument),*),
            5 => $of::<5 $(, $type)?>($($argument),*),
            _ => $of::<8 $(, $type)?>($($argument),*),
        }
    };
}

/// Little-endian numbers of one width, one after another. Who goes through all of them has a
/// loop for that width.
#[derive(Clone)]
struct Numbers<'a> {
    bytes: &'a [u8],
    width: usize,
}

impl Iterator for Numbers<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        #[inline(always)]
        fn take<const WIDTH: usize>(bytes: &mut &[u8]) -> Option<u64> {
            let (first, rest) = bytes.split_first_chunk::<WIDTH>()?;
            *bytes = rest;
            Some(number(first))
        }
        by_width!(self.width, take(&mut self.bytes))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.bytes.len() / self.width;
        (count, Some(count))
    }

    #[inline]
    fn fold<A, F: FnMut(A, u64) -> A>(self, start: A, add: F) -> A {
        #[inline]
        fn of<const WIDTH: usize, A>(
            bytes: &[u8],
            start: A,
            mut add: impl FnMut(A, u64) -> A,
        ) -> A {
            let numbers = bytes.as_chunks::<WIDTH>().0.iter();
            numbers.fold(start, |sum, bytes| add(sum, number(bytes)))
        }
        by_width!(self.width, of<A>(self.bytes, start, add))
    }
}

impl ExactSizeIterator for Numbers<'_> {}

/// What is wrong with a block.
#[derive(Debug)]
pub(super) enum Wrong {
    /// So many bytes behind its beginning.
    At(u64, String),
    /// There is no memory for it.
    Memory,
}

impl Wrong {
    fn at(place: u64, text: String) -> Self {
        Wrong::At(place, text)
    }
}

fn body_wrong(text: String) -> Wrong {
    Wrong::At(BLOCK_HEAD as u64, format!("the body of the block: {text}"))
}

/// A block that is being filled.
#[derive(Default)]
pub(super) struct Raw {
    pub first: u64,
    pub states: u32,
    pub transitions: u64,
    degrees: Vec<u8>,
    labels: Vec<u8>,
    targets: Vec<u8>,
}

impl Raw {
    /// Whether a row of so many transitions has room besides what is there.
    pub fn has_room(&self, transitions: u64, limits: &Limits) -> bool {
        let sum = self.transitions.saturating_add(transitions);
        self.states == 0 || (self.states < limits.states && sum <= limits.transitions)
    }

    /// Adds the row of the next state.
    pub fn push(&mut self, row: &[(u32, u64)], widths: Widths) {
        self.states += 1;
        self.transitions += row.len() as u64;
        push_leb128(row.len() as u64, &mut self.degrees);
        let labels = row.iter().map(|step| step.0.into());
        push_numbers(&mut self.labels, widths.label, labels);
        let targets = row.iter().map(|step| step.1);
        push_numbers(&mut self.targets, widths.state, targets);
    }

    /// The block as it is stored.
    ///
    /// # Errors
    /// If the compressor lacks memory.
    pub fn encode(mut self, codec: Codec) -> io::Result<Vec<u8>> {
        let mut body = self.degrees;
        body.append(&mut self.labels);
        body.append(&mut self.targets);
        let (number, body) = match codec {
            Codec::Zstd => (1, packed(&body)?),
            Codec::None | Codec::Lz4 => (0, body),
        };
        let mut stored = Vec::with_capacity(BLOCK_HEAD + body.len());
        stored.extend_from_slice(&self.states.to_le_bytes());
        stored.extend_from_slice(&self.transitions.to_le_bytes());
        stored.extend_from_slice(&[number, 0, 0, 0]);
        stored.extend_from_slice(&(body.len() as u64).to_le_bytes());
        stored.extend_from_slice(&crc32c::crc32c(&body).to_le_bytes());
        stored.extend_from_slice(&body);
        Ok(stored)
    }
}

/// Appends numbers, little-endian, of one width.
#[inline]
fn push_numbers(out: &mut Vec<u8>, width: usize, numbers: impl ExactSizeIterator<Item = u64>) {
    #[inline]
    fn of<const WIDTH: usize>(out: &mut Vec<u8>, numbers: impl Iterator<Item = u64>) {
        for number in numbers {
            out.extend_from_slice(&number.to_le_bytes()[..WIDTH]);
        }
    }
    out.reserve(width * numbers.len());
    by_width!(width, of(out, numbers));
}

fn packed(body: &[u8]) -> io::Result<Vec<u8>> {
    use zstd::zstd_safe::{CCtx, CParameter, compress_bound, get_error_name};
    // Those of `zstd::bulk` panic where there is no memory for them.
    let mut context = CCtx::try_create().ok_or_else(no_memory)?;
    let mut packed = Vec::new();
    let room = packed.try_reserve_exact(compress_bound(body.len()));
    room.map_err(|_| no_memory())?;
    let compressed = context
        .set_parameter(CParameter::CompressionLevel(LEVEL))
        .and_then(|_| context.compress2(&mut packed, body));
    compressed.map_err(|code| of_memory(io::Error::other(get_error_name(code))))?;
    Ok(packed)
}
