//! The registers, and which of them is the oldest.

use super::Parameters;

/// How old registers are that were used early or never.
///
/// Let edges be numbered from 0. The rules fit all known files; they differ in
/// the age of a register `k` that was never used, and in which of several
/// registers of one age is taken. They agree as soon as all registers have been
/// used, see [`Registers::is_settled`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Never used: as old as if used by edge 0; the first of equals.
    A,
    /// Never used: as old as if used by edge `k − 1`; the last of equals.
    B,
    /// Never used: older than all others; the first of equals.
    C,
}

/// All rules, the most natural first.
pub(super) const RULES: [Rule; 3] = [Rule::A, Rule::B, Rule::C];

/// What the registers hold under one rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Registers {
    pub contents: Vec<u32>,
    /// One more than the edge by which each was used last; 0 if never used.
    pub used: Vec<u32>,
}

impl Registers {
    pub fn new(count: usize) -> Self {
        Self {
            contents: vec![0; count],
            used: vec![0; count],
        }
    }

    /// The register that a long form replaces.
    pub fn oldest(&self, rule: Rule) -> usize {
        let ages = self.used.iter().enumerate();
        let oldest = match rule {
            Rule::A => ages.min_by_key(|&(_, &used)| used.max(1)),
            Rule::B => ages.rev().min_by_key(|&(k, &used)| match used {
                0 => k as u32,
                _ => used,
            }),
            Rule::C => ages.min_by_key(|&(_, &used)| used),
        };
        oldest.expect("there are registers").0
    }

    /// Gives a register a target, by edge number `edge`.
    pub fn put(&mut self, register: usize, target: u32, edge: u32) {
        self.contents[register] = target;
        self.used[register] = edge + 1;
    }

    /// Whether the rules agree on all that is to come: there are registers in
    /// use, and those that were never used are older under every rule.
    pub fn is_settled(&self) -> bool {
        match self.used.iter().rposition(|&used| used == 0) {
            None => true,
            Some(last) => {
                let mut others = self.used.iter().filter(|&&used| used > 0).peekable();
                others.peek().is_some() && others.all(|&used| used as usize > last.max(1))
            }
        }
    }

    /// The registers from the oldest to the youngest, once they are settled.
    pub fn by_age(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.used.len()).collect();
        order.sort_by_key(|&register| self.used[register]);
        order
    }
}

/// The registers under several rules, side by side only while they differ.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    rules: &'static [Rule],
    /// One set for all rules, or one for each.
    sets: Vec<Registers>,
}

impl Machine {
    /// All registers hold 0.
    pub fn new(parameters: Parameters, rules: &'static [Rule]) -> Self {
        Self {
            rules,
            sets: vec![Registers::new(parameters.registers())],
        }
    }

    /// The content of a register, if it is the same under all rules.
    pub fn content(&self, register: usize) -> Option<u32> {
        let content = self.sets[0].contents[register];
        self.sets[1..]
            .iter()
            .all(|set| set.contents[register] == content)
            .then_some(content)
    }

    /// The registers, if they are the same under all rules.
    pub fn agreed(&mut self) -> Option<&mut Registers> {
        match self.sets.as_mut_slice() {
            [set] => Some(set),
            _ => None,
        }
    }

    /// A short or medium form by way of a register, in edge number `edge`.
    pub fn near(&mut self, register: usize, target: u32, edge: u32) {
        for set in &mut self.sets {
            set.put(register, target, edge);
        }
    }

    /// A long form in edge number `edge`.
    pub fn far(&mut self, target: u32, edge: u32) {
        if let [set] = self.sets.as_mut_slice() {
            let oldest = set.oldest(self.rules[0]);
            if self.rules.iter().all(|&rule| set.oldest(rule) == oldest) {
                return set.put(oldest, target, edge);
            }
            self.sets = vec![set.clone(); self.rules.len()];
        }
        for (set, &rule) in self.sets.iter_mut().zip(self.rules) {
            let oldest = set.oldest(rule);
            set.put(oldest, target, edge);
        }
        if self.sets.iter().all(|set| *set == self.sets[0]) {
            self.sets.truncate(1);
        }
    }
}

/// Settled registers from the oldest, in the lowest digit, to the youngest: a
/// permutation in hexadecimal digits, which costs a few operations without
/// branches to keep in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ages<const REGISTERS: usize>(u64);

impl<const REGISTERS: usize> Ages<REGISTERS> {
    const TOP: u32 = 4 * (REGISTERS as u32 - 1);

    pub fn new(registers: &Registers) -> Self {
        let order = registers.by_age();
        assert_eq!(order.len(), REGISTERS);
        let digits = order.iter().rev();
        Self(digits.fold(0, |digits, &register| digits << 4 | register as u64))
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
        let mut registers = Registers::new(REGISTERS);
        let mut edge = 0;
        for k in 0..REGISTERS {
            registers.put((5 * k + 3) % REGISTERS, 0, edge);
            edge += 1;
        }
        assert!(registers.is_settled());
        let mut ages = Ages::<REGISTERS>::new(&registers);
        for &(far, register) in forms {
            let register = register % REGISTERS;
            if far {
                let oldest = registers.oldest(Rule::A);
                prop_assert_eq!(registers.oldest(Rule::B), oldest);
                prop_assert_eq!(registers.oldest(Rule::C), oldest);
                prop_assert_eq!(ages.replace(), oldest);
                registers.put(oldest, 0, edge);
            } else {
                registers.put(register, 0, edge);
                ages.touch(register);
            }
            edge += 1;
            prop_assert_eq!(ages, Ages::new(&registers));
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn digits_are_in_the_order_of_age(
            forms in prop::collection::vec((any::<bool>(), 0usize..16), 0..100),
        ) {
            check_ages::<16>(&forms)?;
            check_ages::<4>(&forms)?;
        }

        #[test]
        fn settled_registers_are_of_one_mind(
            early in prop::collection::vec((any::<bool>(), 0usize..16), 0..60),
            late in prop::collection::vec((any::<bool>(), 0usize..16), 60),
        ) {
            let mut machine = Machine::new(Parameters::V1_2, &RULES);
            let (mut settled, mut edge) = (false, 0);
            for (far, register) in early.into_iter().chain(late) {
                match far {
                    true => machine.far(edge + 7, edge),
                    false => machine.near(register, edge + 7, edge),
                }
                edge += 1;
                prop_assert!(!settled || machine.agreed().is_some());
                settled |= machine.agreed().is_some_and(|set| set.is_settled());
            }
        }
    }

    /// After edges by the registers given, `None` for a long form.
    fn after(edges: &[Option<usize>]) -> Machine {
        let mut machine = Machine::new(Parameters::V1_2, &RULES);
        for (edge, form) in edges.iter().enumerate() {
            match form {
                Some(register) => machine.near(*register, 100, edge as u32),
                None => machine.far(100 + edge as u32, edge as u32),
            }
        }
        machine
    }

    #[test]
    fn the_rules_differ_where_they_should() {
        // used by edge 0 only: never used to rule A
        let mut machine = after(&[Some(0)]);
        let set = machine.agreed().unwrap();
        assert_eq!(RULES.map(|rule| set.oldest(rule)), [0, 1, 1]);
        assert!(!set.is_settled());
        let mut machine = after(&[Some(0), Some(0)]);
        let set = machine.agreed().unwrap();
        assert_eq!(RULES.map(|rule| set.oldest(rule)), [1, 1, 1]);
        // 2 and 3 are as old as if used by edges 1 and 2
        let mut machine = after(&[Some(0), Some(0), Some(1), Some(0), Some(0)]);
        let set = machine.agreed().unwrap();
        assert_eq!(RULES.map(|rule| set.oldest(rule)), [2, 2, 2]);
        set.put(2, 0, 5);
        assert_eq!(RULES.map(|rule| set.oldest(rule)), [3, 3, 3]);
        set.put(3, 0, 6);
        assert_eq!(RULES.map(|rule| set.oldest(rule)), [4, 1, 4]);
        let split = after(&[Some(0), None]);
        assert_eq!(split.sets.len(), 3);
        assert_eq!((split.content(0), split.content(1)), (None, None));
        assert_eq!(split.content(2), Some(0));
        assert!(!Registers::new(16).is_settled());
        let chain = after(&[Some(0); 17]).agreed().unwrap().is_settled();
        assert!(chain);
    }
}
