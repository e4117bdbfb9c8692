//! Memory, and many threads, where there are many states.

use super::*;

/// Components that go round independently of each other, eight places each.
struct Rings {
    components: usize,
    bits: usize,
    table: LabelTable,
}

impl Rings {
    fn new(components: usize, bits: usize) -> Self {
        let mut table = LabelTable::new();
        table.intern(b"step").unwrap();
        Self {
            components,
            bits,
            table,
        }
    }
}

impl Model for Rings {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.table)
    }

    fn bits(&self) -> usize {
        self.bits
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let mut target = state.to_vec();
        for k in 0..self.components {
            let at = state[0] >> (3 * k) & 7;
            target[0] = state[0] ^ (at ^ (at + 1) & 7) << (3 * k);
            emit.transition(LabelId::new(1), &target);
        }
        Ok(())
    }
}

#[test]
fn no_state_takes_more_than_its_bits_and_the_index() {
    for (bits, threads) in [(18, 1), (18, 2), (64, 2), (100, 1), (160, 2)] {
        let model = Rings::new(6, bits);
        let manner = Manner {
            threads,
            sizes: Sizes {
                shift: 8,
                chunks: 4,
                least: 100,
                flush: 64,
            },
            block: 9,
            mask: u64::MAX,
            bits,
            known: 1,
        };
        // The index has just grown, or is about to.
        let mut most = 4000;
        while most < 300_000 {
            let search = || ExploreOptions {
                limits: Limits {
                    max_states: Some(most),
                    max_memory: None,
                },
                ..ExploreOptions::default()
            };
            let found = explored(&model, &manner, search, &mut ()).unwrap();
            assert_eq!(found.states, most.min(1 << 18));
            // A small index has been doubled.
            let of_index = if most < 15_000 { 12 } else { 8 };
            let a_state = bits.div_ceil(8) as u64 + of_index;
            // What does not grow: chunks, and room for what a batch may find.
            let constant = 400_000;
            assert!(
                found.memory <= found.states * a_state + constant,
                "{} bytes for {} states of {bits} bits",
                found.memory,
                found.states
            );
            // The account is no less than what must be there.
            assert!(found.memory > found.states * (bits.div_ceil(8) as u64 + 5));
            most += most / 2;
        }
    }
}

#[test]
fn many_threads_find_what_one_finds() {
    let model = Rings::new(5, 15);
    let run = |threads| {
        let mut sink = Everything::default();
        let found = pool(threads).install(|| {
            let search = ExploreOptions {
                questions: questions(),
                ..ExploreOptions::default()
            };
            explore(&model, search, &mut sink).unwrap()
        });
        (
            found.states,
            found.memory,
            found.depth,
            found.find.clone(),
            sink.transitions,
        )
    };
    let one = run(1);
    assert_eq!((one.0, one.4.len()), (1 << 15, 5 << 15));
    for threads in [2, 7] {
        assert!(run(threads) == one);
    }
}
