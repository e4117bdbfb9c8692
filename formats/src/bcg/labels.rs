//! Reading the section of the labels.

use super::bits::{Bits, Ended};
use super::description::{Description, Type};
use super::layout::{Section, Version, read};
use super::report::{Refused, Report};
use super::tables::Kind;
use super::values::MOST_TEXT;
use crate::diagnostic::{counted, excerpt};
use crate::lts::{LabelId, LabelTable};
use crate::options::{Dialect, LabelFields, ReadOptions};

/// The labels of a file.
pub(super) struct Labels {
    pub table: LabelTable,
    /// The labels by their numbers in the file.
    pub ids: Vec<LabelId>,
    /// How many labels there are of each record.
    pub uses: Vec<u64>,
}

/// What is hidden in a dialect beside what the file tells.
pub(super) fn hidden_besides(dialect: Option<Dialect>) -> Option<&'static [u8]> {
    match dialect {
        None | Some(Dialect::Cadp) => None,
        Some(dialect @ Dialect::Mcrl2) => Some(dialect.hidden().as_bytes()),
    }
}

/// Which labels are hidden.
struct Hidden<'a> {
    /// Those with these texts, whatever the file says.
    texts: &'a [Vec<u8>],
    /// And those with this text, unless `texts` say what is hidden.
    besides: Option<&'static [u8]>,
}

impl Hidden<'_> {
    fn is_hidden(&self, text: &[u8], visible: bool) -> bool {
        match self.texts {
            [] => !visible || self.besides == Some(text),
            texts => texts.iter().any(|hidden| hidden == text),
        }
    }
}

impl Labels {
    /// Reads the labels, and notes their fields if somebody wants to know.
    pub fn parse(
        mut section: Section,
        description: &Description,
        options: &ReadOptions,
        mut noted: Option<&mut LabelFields>,
        report: &mut Report,
    ) -> Result<Self, Refused> {
        let hidden = Hidden {
            texts: &options.hidden,
            besides: hidden_besides(options.dialect),
        };
        let most = (section.bits.left() / 8) * MOST_TEXT + (1 << 16);
        let count = read(&mut section, report, Bits::vint)?;
        let mut uses = vec![0; description.records.len()];
        // The texts come before what tells which are visible.
        let mut texts = Vec::new();
        let mut ends = Vec::new();
        let mut parts = Vec::new();
        for number in 0..count {
            let at = section.at();
            let record = read(&mut section, report, Bits::vint)?;
            let Some(fields) = description.records.get(record as usize) else {
                return Err(report.refuse("bcg-label", || {
                    format!(
                        "label {number} at byte {at} is of record {record}; there are {}",
                        description.records.len()
                    )
                }));
            };
            let is_known = description.check_shape(number, record as usize, report)?;
            uses[record as usize] += 1;
            let start = texts.len();
            parts.clear();
            for (k, &field) in fields.iter().enumerate() {
                if k > 0 {
                    texts.extend_from_slice(b" !");
                }
                let from = texts.len();
                description.field(&mut section, field, &mut texts, report)?;
                if noted.is_some() {
                    let kind = description.types[field].kind;
                    parts.extend(kind.map(|kind| (kind, texts.len() - from)));
                }
                if texts.len() > most {
                    return Err(report.refuse("bcg-label", || {
                        format!(
                            "the labels up to number {number} have {} bytes of text, much more \
                             than their part of the file",
                            texts.len()
                        )
                    }));
                }
            }
            if !section.bits.align() {
                report.doubt("bcg-unknown", || {
                    format!("label {number} at byte {at} is not filled up with zeros")
                })?;
            }
            if let Some(noted) = noted.as_deref_mut().filter(|_| is_known) {
                noted.add(&texts[start..], &parts);
            }
            ends.push(texts.len());
        }
        let mut shown = Vec::with_capacity(ends.len());
        let mut start = 0;
        for (number, &end) in ends.iter().enumerate() {
            let visible = read(&mut section, report, |bits| bits.take(1))? == 1;
            let text = &texts[start..end];
            start = end;
            check_visible(number, text, visible, report)?;
            if !hidden.is_hidden(text, visible) {
                shown.push((number, text));
            }
        }
        section.finish(report)?;
        let mut table = LabelTable::new();
        table.reserve(shown.len(), texts.len());
        let numbers = match table.intern_each(shown.len(), |k| shown[k].1) {
            Ok(numbers) => numbers,
            Err(error) => return Err(report.refuse("bcg-label", || error.to_string())),
        };
        let mut ids = vec![LabelId::HIDDEN; ends.len()];
        for ((number, _), label) in shown.into_iter().zip(numbers) {
            ids[number] = LabelId::new(label);
        }
        Ok(Self { table, ids, uses })
    }
}

/// Label 0 alone is hidden, and reads `i`.
fn check_visible(
    number: usize,
    text: &[u8],
    visible: bool,
    report: &mut Report,
) -> Result<(), Refused> {
    if number > 0 && visible {
        if text == b"i" {
            report.warn("bcg-hidden", || {
                format!("label {number} reads `i`, but is visible")
            });
        }
        return Ok(());
    }
    if number == 0 && (text != b"i" || visible) {
        return report.doubt("bcg-hidden", || {
            format!(
                "label 0 reads {} and is {}; known is `i`, hidden",
                excerpt(text),
                if visible { "visible" } else { "hidden" }
            )
        });
    }
    match number {
        0 => Ok(()),
        _ => report.doubt("bcg-hidden", || {
            format!(
                "label {number}, which reads {}, is hidden; known is that of label 0 only",
                excerpt(text)
            )
        }),
    }
}

impl Description<'_> {
    /// Known are a gate with values of any other types, and a raw text alone.
    /// Whether this is such a label.
    fn check_shape(
        &self,
        number: u64,
        record: usize,
        report: &mut Report,
    ) -> Result<bool, Refused> {
        let is = |field: &usize, kind| self.types[*field].kind == Some(kind);
        let known = match self.records[record].as_slice() {
            [first, rest @ ..] if is(first, Kind::Gate) => !rest.iter().any(|f| is(f, Kind::Gate)),
            [only] => is(only, Kind::Raw),
            _ => false,
        };
        if known {
            return Ok(true);
        }
        report.doubt("bcg-label", || {
            format!(
                "label {number} has the fields ({}); known are labels that begin with their \
                 only gate, and a raw text alone",
                self.kinds(record).join(", ")
            )
        })?;
        Ok(false)
    }

    /// Appends the text of a field.
    fn field(
        &self,
        section: &mut Section,
        number: usize,
        text: &mut Vec<u8>,
        report: &mut Report,
    ) -> Result<(), Refused> {
        let Type { name, kind, bits } = self.types[number];
        let known = match kind {
            Some(Kind::Gate) => (1..=32).contains(&bits),
            _ => kind.and_then(Kind::bits).is_none_or(|known| bits == known),
        };
        if !known {
            return Err(report.refuse("bcg-type", || {
                format!(
                    "a label has a field of type {}, of {}",
                    excerpt(name),
                    counted(bits, "bit")
                )
            }));
        }
        let mut take = |count| read(section, report, |bits| bits.take(count));
        match kind {
            Some(Kind::Gate) => {
                let gate = take(bits as u32)?;
                let Some(&Some(name)) = self.gates.get(gate as usize) else {
                    return Err(report.refuse("bcg-label", || {
                        format!("a label has gate {gate}, which has no name")
                    }));
                };
                text.extend_from_slice(name);
            }
            Some(Kind::Boolean) => text.extend_from_slice(match take(1)? {
                0 => b"FALSE",
                _ => b"TRUE",
            }),
            Some(Kind::Natural) => text.extend_from_slice(take(32)?.to_string().as_bytes()),
            Some(Kind::Integer) => {
                let integer = take(32)? as u32 as i32;
                text.extend_from_slice(format!("{integer:+}").as_bytes());
            }
            Some(Kind::Real) => {
                let real = f64::from_bits(take(32)? << 32 | take(32)?);
                text.extend_from_slice(format!("{real:?}").as_bytes());
            }
            Some(Kind::Character) => text.push(take(8)? as u8),
            Some(Kind::String) if self.version == Version::V1_0 => {
                read(section, report, |section| fixed_text(section, bits, text))?;
            }
            Some(Kind::String | Kind::Raw) if self.version == Version::V1_2 => {
                read(section, report, |section| section.text_into(text))?;
            }
            _ => {
                return Err(report.refuse("bcg-type", || {
                    format!("a label has a field of the unknown type {}", excerpt(name))
                }));
            }
        }
        Ok(())
    }
}

/// Appends a text that takes `size` bits, whatever its length.
fn fixed_text(bits: &mut Bits, size: u64, text: &mut Vec<u8>) -> Result<(), Ended> {
    if size > bits.left() as u64 {
        return Err(Ended);
    }
    let end = bits.at() + size as usize;
    while bits.at() + 8 <= end {
        match bits.take(8)? {
            0 => break,
            byte => text.push(byte as u8),
        }
    }
    bits.seek(end);
    Ok(())
}
