//! Writing the edge section, with the parameters of version 1.2.
//!
//! An edge is coded by the register whose prediction is nearest.

use super::super::bits::{BitWriter, long_vint};
use super::order::{BATCH, Edge, Gatherer, Numbering, Ordered};
use super::parameters::Parameters;
#[cfg(target_arch = "x86_64")]
use super::parameters::has_modern_processor;
use super::registers::Ages;
use crate::lts::LabelId;

/// The registers of version 1.2.
const REGISTERS: usize = 16;

/// The edge section, and the labels by their numbers.
///
/// O(states + transitions · registers).
pub(in super::super) fn encode(mut ordered: Ordered) -> (Vec<u8>, Vec<LabelId>) {
    let mut numbering = Numbering::new(ordered.lts);
    let section = Encoder::new(&mut ordered).run(&mut numbering);
    (section, numbering.labels)
}

/// How a target is expressed by way of a register.
#[derive(Clone, Copy)]
struct Form {
    code: u64,
    len: u32,
    /// The number of a long form, or 0.
    further: u64,
}

impl Form {
    /// The form for a distance from the predicted target.
    #[inline]
    fn of(distance: i64) -> Self {
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

    fn is_long(self) -> bool {
        self.further > 0
    }
}

/// The distance of a target from what a register predicts.
#[inline]
fn distance(content: u32, target: u32) -> i64 {
    i64::from(target) - i64::from(content) - 1
}

/// The registers of version 1.2, and their order by age.
struct Registers {
    contents: [u32; REGISTERS],
    ages: Ages<REGISTERS>,
}

impl Registers {
    fn new() -> Self {
        let contents = [0; REGISTERS];
        Self {
            contents,
            ages: Ages::new(&contents),
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
    out: BitWriter,
    source: u32,
    explicit: bool,
}

impl<'o, 'a> Encoder<'o, 'a> {
    fn new(ordered: &'o mut Ordered<'a>) -> Self {
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
            out,
            source: u32::MAX,
            explicit: false,
        }
    }

    fn run(mut self, numbering: &mut Numbering) -> Vec<u8> {
        let mut batch = Vec::with_capacity(BATCH);
        let mut registers = Registers::new();
        self.gatherer.fill(&mut batch, numbering);
        let mut rest = batch.as_slice();
        if let Some((edge, others)) = rest.split_first() {
            self.first(edge, &mut registers);
            rest = others;
        }
        while !batch.is_empty() {
            self.edges(rest, &mut registers);
            self.gatherer.fill(&mut batch, numbering);
            rest = &batch;
        }
        self.pass(self.states as u32);
        self.out.push(0b10, 2);
        self.out.finish()
    }

    /// Writes the first edge, which makes no register younger.
    fn first(&mut self, edge: &Edge, registers: &mut Registers) {
        let register = registers.nearest(edge.target);
        let form = Form::of(distance(registers.contents[register], edge.target));
        self.write(edge, register, form);
        let receiver = match form.is_long() {
            true => registers.ages.oldest(),
            false => register,
        };
        registers.contents[receiver] = edge.target;
    }

    /// Writes edges, the first of the file not among them.
    fn edges(&mut self, edges: &[Edge], registers: &mut Registers) {
        #[cfg(target_arch = "x86_64")]
        if has_modern_processor() {
            // SAFETY: the processor has what the function needs.
            return unsafe { self.edges_modern(edges, registers) };
        }
        self.edges_anywhere(edges, registers);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
    fn edges_modern(&mut self, edges: &[Edge], registers: &mut Registers) {
        self.edges_anywhere(edges, registers);
    }

    #[inline(always)]
    fn edges_anywhere(&mut self, edges: &[Edge], registers: &mut Registers) {
        let is_narrow = self.states < NARROW;
        for edge in edges {
            let register = match is_narrow {
                true => registers.nearest_narrow(edge.target),
                false => registers.nearest(edge.target),
            };
            let form = Form::of(distance(registers.contents[register], edge.target));
            self.write(edge, register, form);
            registers.receive(register, form.is_long(), edge.target);
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
