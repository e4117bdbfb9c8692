//! The frame of a BCG file: version, comment, and where the sections are.

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

use super::bits::{Bits, Ended};
use super::report::{Refused, Report};
use crate::diagnostic::counted;

/// A version of the format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// 1.0: offsets of 32 bits, strings of a fixed size.
    V1_0,
    /// 1.2: offsets of 64 bits, naturals and raw texts.
    V1_2,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Version::V1_0 => "1.0",
            Version::V1_2 => "1.2",
        })
    }
}

/// The number of sections.
pub const SECTIONS: usize = 10;

/// What the sections hold, by their numbers.
pub const SECTION_NAMES: [&str; SECTIONS] = [
    "C texts",
    "types",
    "functions",
    "records",
    "unknown",
    "symbols",
    "edges",
    "labels",
    "states",
    "unknown",
];

pub(super) const C_TEXTS: usize = 0;
pub(super) const TYPES: usize = 1;
pub(super) const FUNCTIONS: usize = 2;
pub(super) const RECORDS: usize = 3;
pub(super) const UNKNOWN_4: usize = 4;
pub(super) const SYMBOLS: usize = 5;
pub(super) const EDGES: usize = 6;
pub(super) const LABELS: usize = 7;
pub(super) const STATES: usize = 8;
pub(super) const UNKNOWN_9: usize = 9;

/// The order in which the sections of a new file lie.
pub(super) const ORDER: [usize; SECTIONS] = [4, 6, 7, 5, 2, 3, 0, 1, 8, 9];

/// The first byte of a section.
fn format_number(section: usize) -> u8 {
    if section == EDGES { 2 } else { 1 }
}

/// The frame of a file.
pub(super) struct Layout<'a> {
    bytes: &'a [u8],
    pub version: Version,
    pub comment: &'a [u8],
    /// All of them within the file.
    pub sections: [Range<usize>; SECTIONS],
}

impl<'a> Layout<'a> {
    /// Reads the frame of a file.
    pub fn parse(bytes: &'a [u8], report: &mut Report) -> Result<Self, Refused> {
        let Some(&[major, minor, last]) = bytes.get(..3) else {
            return Err(report.refuse("bcg-header", || {
                format!("a file of {} is no BCG file", counted(bytes.len(), "byte"))
            }));
        };
        if major != 1 || last != 0 {
            return Err(report.refuse("bcg-header", || {
                format!(
                    "a BCG file begins with the bytes 01 00 00 or 01 02 00, \
                     this one with `{major:02x} {minor:02x} {last:02x}`"
                )
            }));
        }
        let version = match minor {
            0 => Version::V1_0,
            _ => Version::V1_2,
        };
        if minor != 0 && minor != 2 {
            report.doubt("bcg-version", || {
                format!("version 1.{minor}; known are 1.0 and 1.2")
            })?;
        }
        let size = match version {
            Version::V1_0 => 4,
            Version::V1_2 => 8,
        };
        let mut offsets = [0; 2 * SECTIONS];
        for (k, offset) in offsets.iter_mut().enumerate() {
            let from = 3 + k * size;
            let Some(field) = bytes.get(from..from + size) else {
                return Err(report.refuse("bcg-truncated", || {
                    format!("the file ends at byte {} within its header", bytes.len())
                }));
            };
            *offset = field
                .iter()
                .fold(0u64, |number, &byte| number << 8 | u64::from(byte));
        }
        let header = 3 + 2 * SECTIONS * size;
        let Some(comment) = memchr::memchr(0, &bytes[header..]) else {
            return Err(report.refuse("bcg-truncated", || {
                format!("the file ends at byte {} within its comment", bytes.len())
            }));
        };
        let comment = &bytes[header..header + comment];
        let mut sections = [const { 0..0 }; SECTIONS];
        for (number, section) in sections.iter_mut().enumerate() {
            let (start, end) = (offsets[2 * number], offsets[2 * number + 1]);
            if start > end || end > bytes.len() as u64 {
                return Err(report.refuse("bcg-truncated", || {
                    format!(
                        "section {number} ({}) is said to go from byte {start} to {end}, \
                         but the file has {} bytes; is it truncated?",
                        SECTION_NAMES[number],
                        bytes.len()
                    )
                }));
            }
            *section = start as usize..end as usize;
        }
        let layout = Self {
            bytes,
            version,
            comment,
            sections,
        };
        layout.check(header + comment.len() + 1, report)?;
        Ok(layout)
    }

    /// The sections follow the comment, in any order, without gap up to the end
    /// of the file.
    fn check(&self, first: usize, report: &mut Report) -> Result<(), Refused> {
        let mut order: Vec<&Range<usize>> = self.sections.iter().collect();
        order.sort_by_key(|section| (section.start, section.end));
        let mut at = first;
        for section in order {
            if section.start != at {
                return report.doubt("bcg-layout", || {
                    format!(
                        "after byte {at} a section is expected to begin, but the next one \
                         begins at byte {}",
                        section.start
                    )
                });
            }
            at = section.end;
        }
        if at != self.bytes.len() {
            return report.doubt("bcg-layout", || {
                format!(
                    "the last section ends at byte {at}, but the file has {} bytes",
                    self.bytes.len()
                )
            });
        }
        Ok(())
    }

    /// A section, its first byte checked and left out.
    pub fn section(&self, number: usize, report: &mut Report) -> Result<Section<'a>, Refused> {
        let range = self.sections[number].clone();
        let mut section = Section {
            number,
            end: range.end,
            bits: Bits::new(&self.bytes[range]),
        };
        let format = section.bits.take(8);
        let format = report.within(&section, format)?;
        if format != u64::from(format_number(number)) {
            report.doubt("bcg-section", || {
                format!(
                    "{} has format {format}; known is {}",
                    section.name(),
                    format_number(number)
                )
            })?;
        }
        Ok(section)
    }
}

/// A section that is being read.
pub(super) struct Section<'a> {
    number: usize,
    end: usize,
    pub bits: Bits<'a>,
}

#[cfg(test)]
impl<'a> Section<'a> {
    /// A section of edges on its own.
    pub fn of(bytes: &'a [u8]) -> Self {
        Self {
            number: EDGES,
            end: bytes.len(),
            bits: Bits::new(&bytes[1..]),
        }
    }
}

impl Section<'_> {
    /// What it is called in messages.
    pub fn name(&self) -> String {
        format!("section {} ({})", self.number, SECTION_NAMES[self.number])
    }

    /// Where it ends in the file.
    pub fn end(&self) -> usize {
        self.end
    }

    /// The byte of the file that is read next.
    pub fn at(&self) -> usize {
        self.end - self.bits.left().div_ceil(8)
    }

    /// Reads bytes of unknown meaning, which are known with one value only.
    pub fn expect(&mut self, bytes: &[u8], report: &mut Report) -> Result<(), Refused> {
        for &expected in bytes {
            let at = self.at();
            let byte = self.bits.take(8);
            let byte = report.within(self, byte)?;
            if byte != u64::from(expected) {
                report.doubt("bcg-unknown", || {
                    format!(
                        "{} has {byte:02x} at byte {at}, of unknown meaning; \
                         known is {expected:02x}",
                        self.name()
                    )
                })?;
            }
        }
        Ok(())
    }

    /// Complains if there is something left but zero bits up to a whole byte.
    pub fn finish(&mut self, report: &mut Report) -> Result<(), Refused> {
        let at = self.at();
        let padding = self.bits.align();
        if padding && self.bits.left() == 0 {
            return Ok(());
        }
        report.doubt("bcg-unknown", || {
            format!(
                "{} has more content from byte {at} on than is known",
                self.name()
            )
        })
    }
}

/// Reads something that a section holds, without an end of its own.
pub(super) fn read<'a, T>(
    section: &mut Section<'a>,
    report: &mut Report,
    read: impl FnOnce(&mut Bits<'a>) -> Result<T, Ended>,
) -> Result<T, Refused> {
    let item = read(&mut section.bits);
    report.within(section, item)
}

/// Writes a file of version 1.2, its sections in the given order.
pub(super) fn write(
    output: &mut dyn Write,
    comment: &[u8],
    sections: &[Vec<u8>; SECTIONS],
    order: [usize; SECTIONS],
) -> io::Result<()> {
    let mut offsets = [0; 2 * SECTIONS];
    let mut at = 3 + 16 * SECTIONS + comment.len() + 1;
    for number in order {
        offsets[2 * number] = at;
        at += sections[number].len();
        offsets[2 * number + 1] = at;
    }
    let mut header = vec![1, 2, 0];
    for offset in offsets {
        header.extend_from_slice(&(offset as u64).to_be_bytes());
    }
    header.extend_from_slice(comment);
    header.push(0);
    output.write_all(&header)?;
    order
        .into_iter()
        .try_for_each(|number| output.write_all(&sections[number]))
}

impl Report<'_> {
    /// What was read from a section, unless the section ended before.
    pub fn within<T>(&mut self, section: &Section, result: Result<T, Ended>) -> Result<T, Refused> {
        result.map_err(|Ended| {
            self.refuse("bcg-truncated", || {
                format!(
                    "{} ends at byte {} in the middle of an item",
                    section.name(),
                    section.end()
                )
            })
        })
    }
}
