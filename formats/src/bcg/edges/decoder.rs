//! The edges of a section, one after the other.

use super::super::bits::Bits;
use super::super::layout::{Section, read};
use super::super::report::{Refused, Report};
use super::MAX_EDGES;
use super::parameters::Parameters;
use super::registers::Registers;
use crate::diagnostic::{counted, there_are};
use crate::lts::{LabelId, StateId};

/// Transitions in rows by source, as an [`Lts`](crate::Lts) has them.
pub(in super::super) struct EdgeColumns {
    pub offsets: Vec<u32>,
    pub labels: Vec<LabelId>,
    pub targets: Vec<StateId>,
}

/// An edge section of which the beginning is read.
pub(in super::super) struct Edges<'a> {
    section: Section<'a>,
    pub parameters: Parameters,
    pub(super) count: u32,
}

impl<'a> Edges<'a> {
    /// Reads the beginning of the section.
    pub fn parse(
        mut section: Section<'a>,
        count_bits: u32,
        report: &mut Report,
    ) -> Result<Self, Refused> {
        // the number has a form of fixed width, whatever its size
        let start = section.bits.at();
        let number = read(&mut section, report, Bits::vint)?;
        if section.bits.at() - start != count_bits as usize {
            let width = section.bits.at() - start;
            report.doubt("bcg-unknown", || {
                format!(
                    "the number of edges takes {}; known are {count_bits}",
                    counted(width, "bit")
                )
            })?;
        }
        let mut byte = || read(&mut section, report, |bits| bits.take(8));
        let parameters = Parameters::new(byte()? as u8, byte()? as u8, byte()? as u8);
        if !parameters.are_possible() {
            return Err(report.refuse("bcg-parameters", || {
                format!(
                    "edges with the parameters {parameters}; possible are 1 to 8, 1 to 8, and 2 to 8"
                )
            }));
        }
        if number > MAX_EDGES {
            return Err(report.refuse("bcg-edges", || {
                format!("{number} edges: BCG files of at most {MAX_EDGES} edges are known")
            }));
        }
        // a zero, the register and the shortest form of a target
        let least = 1 + u64::from(parameters.register_bits) + u64::from(parameters.short_bits);
        if number * least > section.bits.left() as u64 {
            return Err(report.refuse("bcg-edges", || {
                format!(
                    "{number} edges do not fit in the {} of {}",
                    counted(section.bits.left() / 8, "byte"),
                    section.name()
                )
            }));
        }
        Ok(Self {
            section,
            parameters,
            count: number as u32,
        })
    }

    /// Complains if more states are announced than the section has room for.
    pub fn check_states(&self, states: u64, report: &mut Report) -> Result<(), Refused> {
        // each state is passed by two bits at least
        if 2 * states > self.section.bits.left() as u64 {
            return Err(report.refuse("bcg-states", || {
                format!(
                    "{states} states do not fit in the {} of {}",
                    counted(self.section.bits.left() / 8, "byte"),
                    self.section.name()
                )
            }));
        }
        Ok(())
    }
}

/// Reads edges one after the other.
pub(super) struct Decoder<'a> {
    pub(super) edges: &'a Edges<'a>,
    pub(super) bits: Bits<'a>,
    pub(super) states: u32,
    pub(super) ids: &'a [LabelId],
    pub(super) registers: Registers,
    /// The current source; the number before 0 at first.
    pub(super) source: u32,
    /// Whether edges of the current source have label numbers.
    pub(super) explicit: bool,
    /// Edges read so far.
    pub(super) done: u32,
    /// The offsets up to the one after the current source are set.
    pub(super) columns: EdgeColumns,
}

/// The source before the first.
const NO_SOURCE: u32 = u32::MAX;

impl<'a> Decoder<'a> {
    pub(super) fn new(edges: &'a Edges<'a>, states: u32, ids: &'a [LabelId]) -> Self {
        let count = edges.count as usize;
        Self {
            edges,
            bits: edges.section.bits.clone(),
            states,
            ids,
            registers: Registers::new(edges.parameters),
            source: NO_SOURCE,
            explicit: false,
            done: 0,
            columns: EdgeColumns {
                offsets: vec![0; states as usize + 1],
                labels: vec![LabelId::HIDDEN; count],
                targets: vec![StateId::default(); count],
            },
        }
    }

    /// Takes bits that must be there.
    fn take(&mut self, count: u8, report: &mut Report) -> Result<u64, Refused> {
        let bits = self.bits.take(count.into());
        report.within(&self.edges.section, bits)
    }

    fn vint(&mut self, report: &mut Report) -> Result<u64, Refused> {
        let number = self.bits.vint();
        report.within(&self.edges.section, number)
    }

    /// The place of the next bit.
    fn place(&self) -> String {
        let first = self.edges.section.end() - self.bits.left().div_ceil(8);
        format!("edge {} at byte {first}", self.done)
    }

    fn next_source(&mut self, report: &mut Report) -> Result<(), Refused> {
        self.source = self.source.wrapping_add(1);
        if self.source >= self.states {
            let place = self.place();
            return Err(report.refuse("bcg-edges", || {
                format!(
                    "{place} is said to leave state {}, but {}",
                    self.source,
                    there_are(self.states, "state")
                )
            }));
        }
        self.columns.offsets[self.source as usize + 1] = self.done;
        Ok(())
    }

    /// Reads one edge.
    pub(super) fn step(&mut self, report: &mut Report) -> Result<(), Refused> {
        while self.take(1, report)? == 1 {
            if self.take(1, report)? == 0 {
                self.next_source(report)?;
                self.explicit = false;
            } else {
                if self.take(1, report)? == 0 {
                    self.next_source(report)?;
                }
                self.explicit = true;
            }
        }
        if self.source == NO_SOURCE {
            let place = self.place();
            return Err(report.refuse("bcg-edges", || format!("{place} comes before any state")));
        }
        let register = self.take(self.edges.parameters.register_bits, report)? as usize;
        let (distance, is_long) = self.distance(report)?;
        let number = match self.explicit {
            true => self.vint(report)?,
            false => 0,
        };
        let Some(&label) = self.ids.get(number as usize) else {
            let place = self.place();
            return Err(report.refuse("bcg-edges", || {
                format!(
                    "{place} has label {number}, but {}",
                    there_are(self.ids.len(), "label")
                )
            }));
        };
        let (edge, source) = (self.done, self.source);
        let target = i64::from(self.registers.contents[register]) + 1 + distance;
        let states = self.states;
        if !(0..i64::from(states)).contains(&target) {
            return Err(report.refuse("bcg-state", || {
                format!(
                    "edge {edge}, from state {source}, goes to state {target}, but {}",
                    there_are(states, "state")
                )
            }));
        }
        let target = target as u32;
        let receiver = match is_long {
            true => self.registers.oldest(),
            false => register,
        };
        self.registers.put(receiver, target, edge);
        self.columns.labels[edge as usize] = label;
        self.columns.targets[edge as usize] = StateId::new(target);
        self.done += 1;
        self.columns.offsets[source as usize + 1] = self.done;
        Ok(())
    }

    /// Reads the form of a target: how far it is from the predicted one, and
    /// whether the form is a long one.
    fn distance(&mut self, report: &mut Report) -> Result<(i64, bool), Refused> {
        let parameters = self.edges.parameters;
        let code = self.take(parameters.short_bits, report)? as i64;
        if code + 1 < 1 << parameters.short_bits {
            return Ok((code - parameters.short_reach(), false));
        }
        let code = self.take(parameters.medium_bits, report)? as i64;
        let half = parameters.half();
        let forward = code < half;
        if code != 0 && code != 2 * half - 1 {
            let distance = parameters.short_reach() + if forward { code } else { code - half + 1 };
            return Ok((if forward { distance } else { -distance }, false));
        }
        let further = self.vint(report)?;
        if further == 0 {
            let place = self.place();
            report.doubt("bcg-edges", || {
                format!("{place} has a long form where a medium one would do")
            })?;
        }
        let distance = parameters.medium_reach() + further as i64;
        Ok((if forward { distance } else { -distance }, true))
    }

    /// Reads what comes after the last edge.
    pub(super) fn trailer(&mut self, report: &mut Report) -> Result<(), Refused> {
        let mut known = true;
        while self.source.wrapping_add(1) < self.states {
            known &= self.take(2, report)? == 0b10;
            self.next_source(report)?;
        }
        known &= self.take(2, report)? == 0b10;
        known &= self.bits.align() && self.bits.left() == 0;
        if !known {
            report.doubt("bcg-edges", || {
                "after the last edge something else comes than the end of the states".into()
            })?;
        }
        Ok(())
    }
}
