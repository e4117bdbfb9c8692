//! Reading the sections that describe the labels: types, functions, records and
//! symbols.

use super::bits::Bits;
use super::layout::{self, Layout, Section, Version, read};
use super::report::{Refused, Report};
use super::tables::Kind;
use crate::diagnostic::excerpt;

/// A type of fields as a file has it.
pub(super) struct Type<'a> {
    pub name: &'a [u8],
    /// Its kind, if it is known.
    pub kind: Option<Kind>,
    pub bits: u64,
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
    pub version: Version,
    pub types: Vec<Type<'a>>,
    /// The names of the gates by their numbers, where there is one.
    pub gates: Vec<Option<&'a [u8]>>,
    pub records: Vec<Record>,
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
    pub fn gate_names(&self) -> impl Iterator<Item = &'a [u8]> {
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
