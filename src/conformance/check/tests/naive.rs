//! The naive twin: all machines, one after the other.

use super::*;

/// All words of a length, in order.
pub(super) fn all_words(inputs: usize, length: usize) -> Vec<Word> {
    (0..length).fold(vec![Vec::new()], |words: Vec<Word>, _| {
        let longer = words.iter().flat_map(|word| {
            (0..inputs as u32).map(|input| [&word[..], &[InputId::new(input)]].concat())
        });
        longer.collect()
    })
}

/// Whether a complete machine belongs to a fault domain, by definition.
pub(super) fn is_in_domain(machine: &Machine, domain: &FaultDomain) -> bool {
    match domain {
        FaultDomain::States(most) => machine.breadth_first().len() <= *most,
        FaultDomain::Reached { access, extra } => {
            let partition = StatePartition::new(machine);
            let reached = |word: &Word| machine.run(machine.initial(), word).unwrap().1;
            let mut classes: Vec<u32> = access
                .iter()
                .map(|word| partition.class(reached(word)))
                .collect();
            classes.sort_unstable();
            classes.dedup();
            if classes.len() < access.len() {
                return true;
            }
            let mut states: Vec<StateId> = access.iter().map(reached).collect();
            for _ in 0..*extra {
                for place in 0..states.len() {
                    for &target in machine.targets_of(states[place].get()) {
                        let target = StateId::new(target);
                        if !states.contains(&target) {
                            states.push(target);
                        }
                    }
                }
            }
            let all = machine.breadth_first();
            all.iter().all(|state| states.contains(state))
        }
    }
}

/// All machines of at most so many states that pass a suite, built on demand:
/// each transition is chosen when a test first needs it, and what no test needs at
/// the end. No seeds, no domains; new states in order alone.
pub(super) struct Machines<'a> {
    pub(super) machine: &'a Machine,
    pub(super) tests: &'a [Word],
    pub(super) domain: &'a FaultDomain,
    pub(super) most: usize,
}

impl Machines<'_> {
    /// One in the domain that is not equivalent to the specification.
    pub(super) fn find(&self) -> Option<Machine> {
        let outputs = self.machine.outputs().max(2);
        let inputs = self.machine.inputs();
        if self.most == 0 {
            return None;
        }
        let empty = Machine::new(table("i", inputs), table("o", outputs), self.most);
        self.test(&empty, 1, 0, 0, StateId::new(0))
    }

    /// From a letter of a test on, where the machine is in some state.
    fn test(
        &self,
        built: &Machine,
        used: usize,
        test: usize,
        letter: usize,
        at: StateId,
    ) -> Option<Machine> {
        let (mut test, mut letter, mut at) = (test, letter, at);
        loop {
            let Some(word) = self.tests.get(test) else {
                return self.complete(built, used);
            };
            let Some(&input) = word.get(letter) else {
                (test, letter, at) = (test + 1, 0, StateId::new(0));
                continue;
            };
            let before = self.machine.run(self.machine.initial(), &word[..letter]);
            let (expected, _) = self.machine.step(before.unwrap().1, input).unwrap();
            match built.step(at, input) {
                Some((output, _)) if output != expected => return None,
                Some((_, target)) => (letter, at) = (letter + 1, target),
                None => {
                    return (0..self.most.min(used + 1)).find_map(|target| {
                        let target = StateId::from_index(target);
                        let mut built = built.clone();
                        built.set(at, input, expected, target);
                        let used = used.max(target.index() + 1);
                        self.test(&built, used, test, letter + 1, target)
                    });
                }
            }
        }
    }

    /// Chooses what is open in the states that are reached.
    fn complete(&self, built: &Machine, used: usize) -> Option<Machine> {
        for state in (0..used).map(StateId::from_index) {
            for input in built.input_ids() {
                if built.step(state, input).is_some() {
                    continue;
                }
                let outputs = (0..built.outputs() as u32).map(OutputId::new);
                return outputs.into_iter().find_map(|output| {
                    (0..self.most.min(used + 1)).find_map(|target| {
                        let mut built = built.clone();
                        built.set(state, input, output, StateId::from_index(target));
                        self.complete(&built, used.max(target + 1))
                    })
                });
            }
        }
        let rows = (0..used).map(|state| {
            let row = built.input_ids().map(|input| {
                let (output, target) = built.step(StateId::from_index(state), input).unwrap();
                (output.get(), target.get())
            });
            row.collect::<Vec<_>>()
        });
        let rows: Vec<Vec<(u32, u32)>> = rows.collect();
        let rows: Vec<&[(u32, u32)]> = rows.iter().map(Vec::as_slice).collect();
        let whole = machine_of(built.inputs(), built.outputs(), &rows);
        let differs = !are_equivalent(self.machine, &whole);
        (differs && is_in_domain(&whole, self.domain)).then_some(whole)
    }
}

/// Whether two complete machines are equivalent: outputs have the same numbers.
fn are_equivalent(one: &Machine, other: &Machine) -> bool {
    let mut pairs = vec![(one.initial(), other.initial())];
    let mut at = 0;
    while let Some(&(left, right)) = pairs.get(at) {
        at += 1;
        for input in one.input_ids() {
            let (of_left, next_left) = one.step(left, input).unwrap();
            let (of_right, next_right) = other.step(right, input).unwrap();
            if of_left != of_right {
                return false;
            }
            if !pairs.contains(&(next_left, next_right)) {
                pairs.push((next_left, next_right));
            }
        }
    }
    true
}

/// The search that builds machines on demand against a plain enumeration of all
/// tables.
#[test]
fn machines_on_demand_are_all_machines() {
    let mut random = Random::new(1);
    for _ in 0..150 {
        let spec = crate::tests::machine(&mut random, 2, 2, 2).minimized();
        let tests = random_tests(&mut random, 2, 5, 4);
        let domain = FaultDomain::States(2);
        let machines = Machines {
            machine: &spec,
            tests: &tests,
            domain: &domain,
            most: 2,
        };
        let is_bad = (0..4u32.pow(4)).any(|code| {
            let entry = |k: u32| (code >> (2 * k) & 1, code >> (2 * k + 1) & 1);
            let rows = [[entry(0), entry(1)], [entry(2), entry(3)]];
            let other = machine_of(2, 2, &[&rows[0], &rows[1]]);
            let answers =
                |machine: &Machine, test: &Word| machine.run(machine.initial(), test).unwrap().0;
            let passes = |test: &Word| answers(&spec, test) == answers(&other, test);
            tests.iter().all(passes) && !are_equivalent(&spec, &other)
        });
        assert_eq!(machines.find().is_some(), is_bad, "{tests:?}");
    }
}
