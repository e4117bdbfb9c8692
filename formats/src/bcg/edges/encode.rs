//! Writing the edge section, with the parameters of version 1.2.
//!
//! An edge is coded by the register whose prediction is nearest. As long as the
//! age rules may differ, only registers are taken that hold the same under all
//! of them, so that the file reads alike whatever the reader's rule is. If
//! there is none, the section is written anew with a start that keeps the rules
//! together (see [`start`](super::start)).

use super::super::bits::{BitWriter, long_vint, vint};
#[cfg(target_arch = "x86_64")]
use super::has_modern_processor;
use super::order::{BATCH, Edge, Gatherer, Numbering, Ordered};
use super::registers::{Ages, Machine, RULES, Registers};
use super::{Parameters, start};
use crate::lts::LabelId;

/// The registers of version 1.2.
pub(super) const REGISTERS: usize = 16;

/// Whatever the writer does, readers with different age rules would read the
/// section differently.
#[derive(Debug)]
pub(in super::super) struct Ambiguous;

/// The edge section, and the labels by their numbers.
///
/// O(states + transitions · registers).
pub(in super::super) fn encode(mut ordered: Ordered) -> Result<(Vec<u8>, Vec<LabelId>), Ambiguous> {
    let mut numbering = Numbering::new(ordered.lts);
    if let Some(section) = Encoder::new(&mut ordered, &[]).run(&mut numbering) {
        return Ok((section, numbering.labels));
    }
    // states that have been found are found again
    let mut first = Vec::new();
    Gatherer::new(&mut ordered).fill(&mut first, &mut numbering);
    let bases = start::find(&first).ok_or(Ambiguous)?;
    match Encoder::new(&mut ordered, &bases).run(&mut numbering) {
        Some(section) => Ok((section, numbering.labels)),
        None => Err(Ambiguous),
    }
}

/// How a target is expressed by way of a register.
#[derive(Clone, Copy)]
pub(super) struct Form {
    code: u64,
    len: u32,
    /// The number of a long form, or 0.
    further: u64,
}

impl Form {
    /// The form for a distance from the predicted target.
    #[inline]
    pub fn of(distance: i64) -> Self {
        let (code, len, further) = match distance {
            0 => (0, 1, 0),
            1..=3 => (0b1000 | distance as u64, 4, 0),
            -3..=-1 => (0b1000 | (3 - distance) as u64, 4, 0),
            4.. => (0b1000, 4, distance - 3),
            _ => (0b1111, 4, -distance - 3),
        };
        Self {
            code,
            len,
            further: further as u64,
        }
    }

    pub fn is_long(self) -> bool {
        self.further > 0
    }

    /// How many bits it takes, the number of a long form included.
    pub fn bits(self) -> u32 {
        match self.is_long() {
            true => self.len + vint(self.further).1,
            false => self.len,
        }
    }
}

/// The distance of a target from what a register predicts.
#[inline]
pub(super) fn distance(content: u32, target: u32) -> i64 {
    i64::from(target) - i64::from(content) - 1
}

/// Registers of which the rules are of one mind from here on.
struct Settled {
    contents: [u32; REGISTERS],
    ages: Ages<REGISTERS>,
}

impl Settled {
    fn new(registers: &Registers) -> Self {
        Self {
            contents: registers.contents[..].try_into().expect("16 registers"),
            ages: Ages::new(registers),
        }
    }

    /// The register whose prediction is nearest, the lowest of several.
    #[inline(always)]
    fn nearest(&self, target: u32) -> usize {
        let mut nearest = u64::MAX;
        for (register, &content) in self.contents.iter().enumerate() {
            let key = distance(content, target).unsigned_abs() << 4 | register as u64;
            nearest = nearest.min(key);
        }
        nearest as usize % REGISTERS
    }

    /// As [`Self::nearest`], if all numbers are below [`NARROW`].
    #[inline(always)]
    fn nearest_narrow(&self, target: u32) -> usize {
        let mut nearest = i32::MAX;
        for (register, &content) in self.contents.iter().enumerate() {
            let distance = target as i32 - content as i32 - 1;
            nearest = nearest.min(distance.abs() << 4 | register as i32);
        }
        nearest as usize % REGISTERS
    }

    /// The register may get the target, or another one.
    #[inline]
    fn receive(&mut self, register: usize, is_long: bool, target: u32) {
        let receiver = match is_long {
            true => self.ages.replace(),
            false => {
                self.ages.touch(register);
                register
            }
        };
        self.contents[receiver] = target;
    }
}

/// Distances below this and a register fit into 31 bits.
const NARROW: usize = 1 << 27;

struct Encoder<'o, 'a> {
    states: usize,
    gatherer: Gatherer<'o, 'a>,
    /// The registers to code the first edges by.
    bases: &'o [u8],
    out: BitWriter,
    source: u32,
    explicit: bool,
    done: u32,
}

impl<'o, 'a> Encoder<'o, 'a> {
    fn new(ordered: &'o mut Ordered<'a>, bases: &'o [u8]) -> Self {
        let mut out = BitWriter::after(vec![2]);
        let (code, len) = long_vint(ordered.lts.transitions() as u64);
        out.push(code, len);
        let Parameters {
            register_bits,
            short_bits,
            medium_bits,
        } = Parameters::V1_2;
        for parameter in [register_bits, short_bits, medium_bits] {
            out.push(parameter.into(), 8);
        }
        Self {
            states: ordered.states(),
            gatherer: Gatherer::new(ordered),
            bases,
            out,
            source: u32::MAX,
            explicit: false,
            done: 0,
        }
    }

    /// Nothing if the rules come to differ on all registers.
    fn run(mut self, numbering: &mut Numbering) -> Option<Vec<u8>> {
        let mut batch = Vec::with_capacity(BATCH);
        let mut machine = Machine::new(Parameters::V1_2, &RULES);
        let mut settled: Option<Settled> = None;
        loop {
            self.gatherer.fill(&mut batch, numbering);
            if batch.is_empty() {
                break;
            }
            let mut rest = batch.as_slice();
            while settled.is_none() {
                let Some((edge, others)) = rest.split_first() else {
                    break;
                };
                rest = others;
                self.careful(edge, &mut machine)?;
                settled = machine
                    .agreed()
                    .filter(|registers| registers.is_settled())
                    .map(|registers| Settled::new(registers));
            }
            if let Some(settled) = &mut settled {
                self.settled(rest, settled);
            }
        }
        self.pass(self.states as u32);
        self.out.push(0b10, 2);
        Some(self.out.finish())
    }

    /// Writes an edge while the rules may differ.
    fn careful(&mut self, edge: &Edge, machine: &mut Machine) -> Option<()> {
        let register = match self.bases.get(self.done as usize) {
            Some(&base) => base.into(),
            None => {
                let known = |register: usize| {
                    let content = machine.content(register)?;
                    Some((distance(content, edge.target).unsigned_abs(), register))
                };
                (0..REGISTERS).filter_map(known).min()?.1
            }
        };
        let form = Form::of(distance(machine.content(register)?, edge.target));
        self.write(edge, register, form);
        match form.is_long() {
            true => machine.far(edge.target, self.done),
            false => machine.near(register, edge.target, self.done),
        }
        self.done += 1;
        Some(())
    }

    /// Writes edges when the rules are of one mind.
    fn settled(&mut self, edges: &[Edge], settled: &mut Settled) {
        #[cfg(target_arch = "x86_64")]
        if has_modern_processor() {
            // SAFETY: the processor has what the function needs.
            return unsafe { self.settled_modern(edges, settled) };
        }
        self.settled_anywhere(edges, settled);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
    fn settled_modern(&mut self, edges: &[Edge], settled: &mut Settled) {
        self.settled_anywhere(edges, settled);
    }

    #[inline(always)]
    fn settled_anywhere(&mut self, edges: &[Edge], settled: &mut Settled) {
        let is_narrow = self.states < NARROW;
        for edge in edges {
            let register = match is_narrow {
                true => settled.nearest_narrow(edge.target),
                false => settled.nearest(edge.target),
            };
            let form = Form::of(distance(settled.contents[register], edge.target));
            self.write(edge, register, form);
            settled.receive(register, form.is_long(), edge.target);
        }
    }

    #[inline(always)]
    fn write(&mut self, edge: &Edge, register: usize, form: Form) {
        let (mut code, mut len) = (0, 0);
        if edge.source != self.source {
            self.pass(edge.source);
            self.source = edge.source;
            self.explicit = edge.label != 0;
            (code, len) = if self.explicit { (0b110, 3) } else { (0b10, 2) };
        } else if !self.explicit && edge.label != 0 {
            self.explicit = true;
            (code, len) = (0b111, 3);
        }
        // a zero, the register, and the form
        code = (code << 5 | register as u64) << form.len | form.code;
        len += 5 + form.len;
        self.out.push(code, len);
        if form.is_long() {
            self.out.vint(form.further);
        }
        if self.explicit {
            self.out.vint(edge.label.into());
        }
    }

    /// Passes the states between the current source and the next.
    fn pass(&mut self, next: u32) {
        for _ in 1..next.wrapping_sub(self.source) {
            self.out.push(0b10, 2);
        }
    }
}
