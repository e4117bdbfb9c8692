//! The registers, and which of them is the oldest.

use super::parameters::Parameters;

/// What the registers hold, and how old they are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Registers {
    pub contents: Vec<u32>,
    /// The number of the last edge whose target each got, 0 at first: one that
    /// only edge 0 used is as old as one that was never used.
    pub ages: Vec<u32>,
}

impl Registers {
    /// All registers hold 0.
    pub fn new(parameters: Parameters) -> Self {
        Self {
            contents: vec![0; parameters.registers()],
            ages: vec![0; parameters.registers()],
        }
    }

    /// The register that a long form replaces: the one of the least age, the
    /// lowest of several.
    pub fn oldest(&self) -> usize {
        let ages = self.ages.iter().enumerate();
        let oldest = ages.min_by_key(|&(_, &age)| age);
        oldest.expect("there are registers").0
    }

    /// Gives a register a target, by edge number `edge`.
    pub fn put(&mut self, register: usize, target: u32, edge: u32) {
        self.contents[register] = target;
        self.ages[register] = edge;
    }
}

/// Registers from the oldest, in the lowest digit, to the youngest: a
/// permutation in hexadecimal digits, which costs a few operations without
/// branches to keep in order. To be kept in order from edge 1 on, as edge 0
/// makes no register younger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ages<const REGISTERS: usize>(u64);

impl<const REGISTERS: usize> Ages<REGISTERS> {
    const TOP: u32 = 4 * (REGISTERS as u32 - 1);

    /// The order of registers of these ages.
    pub fn new(ages: &[u32; REGISTERS]) -> Self {
        let mut order: [usize; REGISTERS] = std::array::from_fn(|register| register);
        order.sort_by_key(|&register| ages[register]);
        let digits = order.iter().rev();
        Self(digits.fold(0, |digits, &register| digits << 4 | register as u64))
    }

    /// The oldest register.
    pub fn oldest(self) -> usize {
        (self.0 & 15) as usize
    }

    /// The oldest register, which becomes the youngest.
    #[inline(always)]
    pub fn replace(&mut self) -> usize {
        let oldest = self.0 & 15;
        self.0 = self.0 >> 4 | oldest << Self::TOP;
        oldest as usize
    }

    /// Makes a register the youngest.
    #[inline(always)]
    pub fn touch(&mut self, register: usize) {
        const ONES: u64 = 0x1111_1111_1111_1111;
        // Its digit alone becomes zero; the lowest zero is found exactly.
        let others = self.0 ^ (ONES * register as u64);
        let zero = others.wrapping_sub(ONES) & !others & ONES << 3;
        let digit = zero.trailing_zeros() & !3;
        let younger = self.0 >> digit >> 4 << digit;
        let older = self.0 & ((1 << digit) - 1);
        self.0 = older | younger | (register as u64) << Self::TOP;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check_ages<const REGISTERS: usize>(forms: &[(bool, usize)]) -> Result<(), TestCaseError> {
        let order = |registers: &Registers| {
            Ages::<REGISTERS>::new(registers.ages[..].try_into().expect("the number"))
        };
        let parameters = Parameters {
            register_bits: REGISTERS.trailing_zeros() as u8,
            ..Parameters::V1_2
        };
        let mut registers = Registers::new(parameters);
        let mut ages = order(&registers);
        for (edge, &(far, register)) in (0..).zip(forms) {
            let register = register % REGISTERS;
            let oldest = registers.oldest();
            prop_assert_eq!(ages.oldest(), oldest);
            let receiver = if far { oldest } else { register };
            registers.put(receiver, 0, edge);
            match (edge, far) {
                (0, _) => {}
                (_, true) => prop_assert_eq!(ages.replace(), oldest),
                (_, false) => ages.touch(register),
            }
            prop_assert_eq!(ages, order(&registers));
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn digits_are_in_the_order_of_age(
            forms in prop::collection::vec((any::<bool>(), 0usize..16), 0..100),
        ) {
            check_ages::<16>(&forms)?;
            check_ages::<8>(&forms)?;
            check_ages::<4>(&forms)?;
        }
    }

    /// The registers that long forms replace in a row after edges by the
    /// registers given, `None` for a long form.
    fn replaced(edges: &[Option<usize>], count: usize) -> Vec<usize> {
        let mut registers = Registers::new(Parameters::V1_2);
        let mut last = Vec::new();
        for (edge, form) in (0..).zip(edges.iter().copied().chain(vec![None; count])) {
            let receiver = form.unwrap_or_else(|| registers.oldest());
            registers.put(receiver, 0, edge);
            last.push(receiver);
        }
        last.split_off(edges.len())
    }

    #[test]
    fn edge_0_makes_no_register_younger() {
        assert_eq!(replaced(&[], 3), [0, 0, 1]);
        assert_eq!(replaced(&[Some(3)], 3), [0, 1, 2]);
        assert_eq!(replaced(&[Some(0), Some(0)], 3), [1, 2, 3]);
        assert_eq!(replaced(&[Some(0), Some(2), Some(1)], 4), [0, 3, 4, 5]);
        // all others in use, from the first on
        let all: Vec<_> = (1..16).rev().map(Some).collect();
        assert_eq!(replaced(&all, 4), [0, 15, 14, 13]);
    }
}
