//! Reading the sections that describe the labels.

use super::bits::{Bits, Ended};
use super::layout::{self, Layout, Section, Version, read};
use super::report::{Refused, Report};
use super::tables::Kind;
use crate::diagnostic::excerpt;
use crate::lts::{LabelId, LabelTable};
use crate::options::{Dialect, ReadOptions};

/// A type of fields as a file has it.
struct Type<'a> {
    name: &'a [u8],
    /// Its kind, if it is known.
    kind: Option<Kind>,
    bits: u64,
}

/// A function as a file has it.
struct Function<'a> {
    name: &'a [u8],
    /// Whether it is a constant whose type is the gates.
    is_gate: bool,
}

/// A shape of labels: the types of its fields.
pub(super) type Record = Vec<usize>;

/// What describes the labels.
pub(super) struct Description<'a> {
    version: Version,
    types: Vec<Type<'a>>,
    /// The names of the gates by their numbers, where there is one.
    gates: Vec<Option<&'a [u8]>>,
    records: Vec<Record>,
}

impl<'a> Description<'a> {
    /// Reads types, functions, records and symbols.
    pub fn parse(layout: &Layout<'a>, report: &mut Report) -> Result<Self, Refused> {
        let types = types(
            layout.section(layout::TYPES, report)?,
            layout.version,
            report,
        )?;
        let functions = functions(layout.section(layout::FUNCTIONS, report)?, &types, report)?;
        let mut description = Self {
            version: layout.version,
            types,
            gates: vec![None; functions.len()],
            records: Vec::new(),
        };
        description.parse_symbols(layout.section(layout::SYMBOLS, report)?, &functions, report)?;
        description.parse_records(layout.section(layout::RECORDS, report)?, report)?;
        Ok(description)
    }

    /// The names of the gates, by their numbers.
    pub fn gates(&self) -> impl Iterator<Item = &'a [u8]> {
        self.gates.iter().copied().flatten()
    }

    /// The names of the types of a record.
    pub fn kinds(&self, record: usize) -> Vec<String> {
        let name = |&number: &usize| match self.types[number].kind {
            Some(kind) => kind.name().into(),
            None => excerpt(self.types[number].name),
        };
        self.records[record].iter().map(name).collect()
    }

    /// Whether a record has no field.
    pub fn is_empty(&self, record: u64) -> bool {
        usize::try_from(record)
            .ok()
            .and_then(|record| self.records.get(record))
            .is_some_and(Vec::is_empty)
    }

    fn parse_symbols(
        &mut self,
        mut section: Section<'a>,
        functions: &[Function<'a>],
        report: &mut Report,
    ) -> Result<(), Refused> {
        let section = &mut section;
        section.expect(&[0], report)?;
        let count = read(section, report, Bits::vint)?;
        // the root: two texts between zeros
        section.expect(&[0], report)?;
        read(section, report, Bits::text)?;
        read(section, report, Bits::text)?;
        section.expect(&[0, 0], report)?;
        for _ in 1..count {
            self.parse_symbol(section, functions, report)?;
        }
        section.finish(report)
    }

    fn parse_symbol(
        &mut self,
        section: &mut Section<'a>,
        functions: &[Function<'a>],
        report: &mut Report,
    ) -> Result<(), Refused> {
        section.expect(&[1], report)?;
        let name = read(section, report, Bits::text)?;
        match self.version {
            Version::V1_2 => section.expect(&[0; 5], report)?,
            // the comment may say something, and so may what is around it
            Version::V1_0 => {
                read(section, report, |bits| bits.take(24))?;
                read(section, report, Bits::text)?;
                read(section, report, |bits| bits.take(8))?;
            }
        }
        let tag = read(section, report, |bits| bits.take(8))?;
        let number = read(section, report, Bits::vint)?;
        match tag {
            1 => return Ok(()),
            2 => {}
            _ => {
                return Err(report.refuse("bcg-symbol", || {
                    format!(
                        "symbol {} is of kind {tag:02x}; known are 01 and 02",
                        excerpt(name)
                    )
                }));
            }
        }
        let function = usize::try_from(number)
            .ok()
            .and_then(|number| functions.get(number));
        let gate = function
            .filter(|function| function.is_gate)
            .and_then(|function| gate_number(function.name));
        match gate.and_then(|gate| self.gates.get_mut(gate)) {
            Some(place @ None) => {
                *place = Some(name);
                Ok(())
            }
            Some(Some(other)) => {
                let other = excerpt(other);
                Err(report.refuse("bcg-symbol", || {
                    format!("gates {other} and {} have one number", excerpt(name))
                }))
            }
            None => Err(report.refuse("bcg-symbol", || {
                format!(
                    "symbol {} is function {number}, which is no constant of a gate",
                    excerpt(name)
                )
            })),
        }
    }

    fn parse_records(
        &mut self,
        mut section: Section<'a>,
        report: &mut Report,
    ) -> Result<(), Refused> {
        let section = &mut section;
        let count = read(section, report, Bits::vint)?;
        for number in 0..count {
            let fields = read(section, report, Bits::vint)?;
            let mut record = Record::new();
            let mut bits = 0u64;
            for _ in 0..fields {
                section.expect(&[0], report)?;
                let kind = read(section, report, Bits::vint)?;
                section.expect(&[0], report)?;
                let Some(field) = self.types.get(kind as usize) else {
                    let types = self.types.len();
                    return Err(report.refuse("bcg-record", || {
                        format!("record {number} has a field of type {kind}; there are {types}")
                    }));
                };
                bits = bits.saturating_add(field.bits);
                record.push(kind as usize);
            }
            let padding = match self.version {
                Version::V1_0 => (8 - bits % 8) as u8 % 8,
                Version::V1_2 => 0,
            };
            section.expect(&[padding], report)?;
            self.records.push(record);
        }
        section.finish(report)
    }
}

/// The number in the name of a gate's constant.
fn gate_number(name: &[u8]) -> Option<usize> {
    let digits = name.strip_prefix(b"BCG_GATE_").unwrap_or(name);
    let digits = std::str::from_utf8(digits).ok()?;
    let number: usize = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}

fn types<'a>(
    mut section: Section<'a>,
    version: Version,
    report: &mut Report,
) -> Result<Vec<Type<'a>>, Refused> {
    let section = &mut section;
    let count = read(section, report, Bits::vint)?;
    let mut types = Vec::new();
    for _ in 0..count {
        let symbol = read(section, report, Bits::vint)?;
        read(section, report, Bits::vint)?;
        let bits = read(section, report, Bits::vint)?;
        match version {
            Version::V1_2 => section.expect(&[0xff], report)?,
            Version::V1_0 => drop(read(section, report, |bits| bits.take(8))?),
        }
        let name = read(section, report, Bits::text)?;
        for _ in 0..6 {
            read(section, report, Bits::text)?;
        }
        // a type with a symbol is one of the file's own: the gates
        let kind = match symbol {
            0 => Kind::from_c_name(name),
            _ => Some(Kind::Gate),
        };
        types.push(Type { name, kind, bits });
    }
    section.finish(report)?;
    Ok(types)
}

fn functions<'a>(
    mut section: Section<'a>,
    types: &[Type],
    report: &mut Report,
) -> Result<Vec<Function<'a>>, Refused> {
    let count = read(&mut section, report, Bits::vint)?;
    let mut functions = Vec::new();
    for _ in 0..count {
        let function = read(&mut section, report, |bits| {
            let (_symbol, _identifier) = (bits.vint()?, bits.vint()?);
            let name = bits.text()?;
            let arity = bits.vint()?;
            for _ in 0..arity {
                bits.vint()?;
            }
            let result = types.get(bits.vint()? as usize);
            let is_gate = result.is_some_and(|result| result.kind == Some(Kind::Gate));
            Ok(Function {
                name,
                is_gate: is_gate && arity == 0,
            })
        })?;
        functions.push(function);
    }
    for _ in 0..2 * functions.len() {
        read(&mut section, report, |bits| bits.take(1))?;
    }
    section.finish(report)?;
    Ok(functions)
}

/// The labels of a file.
pub(super) struct Labels {
    pub table: LabelTable,
    /// The labels by their numbers in the file.
    pub ids: Vec<LabelId>,
    /// How many labels there are of each record.
    pub uses: Vec<u64>,
}

/// Which labels are hidden.
struct Hidden<'a> {
    /// Those with these texts, whatever the file says.
    texts: &'a [Vec<u8>],
    /// And those with this text, unless `texts` say what is hidden.
    dialect: Option<&'static str>,
}

impl Hidden<'_> {
    fn is_hidden(&self, text: &[u8], visible: bool) -> bool {
        match self.texts {
            [] => !visible || self.dialect.is_some_and(|name| name.as_bytes() == text),
            texts => texts.iter().any(|hidden| hidden == text),
        }
    }
}

/// For each byte of the section of labels, texts of labels take so many bytes
/// at the most: a short gate number may stand for a long name.
const MOST_TEXT: usize = 128;

impl Labels {
    /// Reads the labels.
    pub fn parse(
        mut section: Section,
        description: &Description,
        options: &ReadOptions,
        report: &mut Report,
    ) -> Result<Self, Refused> {
        let hidden = Hidden {
            texts: &options.tau,
            dialect: match options.dialect {
                None | Some(Dialect::Cadp) => None,
                Some(dialect @ Dialect::Mcrl2) => Some(dialect.hidden()),
            },
        };
        let most = (section.bits.left() / 8) * MOST_TEXT + (1 << 16);
        let count = read(&mut section, report, Bits::vint)?;
        let mut uses = vec![0; description.records.len()];
        // The texts come before what tells which are visible.
        let mut texts = Vec::new();
        let mut ends = Vec::new();
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
            description.check_shape(number, record as usize, report)?;
            uses[record as usize] += 1;
            for (k, &kind) in fields.iter().enumerate() {
                if k > 0 {
                    texts.extend_from_slice(b" !");
                }
                description.field(&mut section, kind, &mut texts, report)?;
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
    fn check_shape(&self, number: u64, record: usize, report: &mut Report) -> Result<(), Refused> {
        let is = |field: &usize, kind| self.types[*field].kind == Some(kind);
        let known = match self.records[record].as_slice() {
            [first, rest @ ..] if is(first, Kind::Gate) => !rest.iter().any(|f| is(f, Kind::Gate)),
            [only] => is(only, Kind::Raw),
            _ => false,
        };
        if known {
            return Ok(());
        }
        report.doubt("bcg-label", || {
            format!(
                "label {number} has the fields ({}); known are labels that begin with their \
                 only gate, and a raw text alone",
                self.kinds(record).join(", ")
            )
        })
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
                    "a label has a field of type {}, of {bits} bits",
                    excerpt(name)
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
                text.extend_from_slice(integer.to_string().as_bytes());
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
