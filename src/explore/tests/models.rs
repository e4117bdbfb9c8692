//! Models of all kinds, good and bad.

use hyades_formats::{Format, Source, seq};

use super::*;

/// Counts up to a bound, in states of this many bits: odd words hold the
/// number, even ones its complement; labels are made on the fly.
struct Counter {
    most: u64,
    bits: usize,
}

impl Counter {
    fn pack(&self, number: u64, state: &mut [u64]) {
        for (k, word) in state.iter_mut().enumerate() {
            *word = if k % 2 == 0 { number } else { !number };
        }
        let last = self.bits - 64 * (state.len() - 1);
        state[words(self.bits) - 1] &= u64::MAX >> (64 - last);
    }
}

impl Model for Counter {
    type Scratch = Vec<u64>;

    fn scratch(&self) -> Vec<u64> {
        vec![0; words(self.bits)]
    }

    fn labels(&self) -> std::borrow::Cow<'_, LabelTable> {
        let mut table = LabelTable::new();
        table.intern(b"reset").unwrap();
        std::borrow::Cow::Owned(table)
    }

    fn bits(&self) -> usize {
        self.bits
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        self.pack(0, state);
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Vec<u64>,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let number = state[0] & 0xffff;
        if number > self.most {
            return Err(ModelError::new("counted too far"));
        }
        let label = emit.label(format!("to {}", (number + 1) % 3).as_bytes());
        self.pack(number + 1, scratch);
        emit.transition(label, scratch);
        let reset = emit.label(b"reset");
        self.pack(0, scratch);
        emit.transition(reset, scratch);
        Ok(())
    }
}

#[test]
fn states_of_any_length_and_labels_made_on_the_fly() {
    for bits in [16, 17, 63, 64, 65, 127, 128, 129, 160, 1000] {
        let search = ExploreOptions {
            limits: Limits {
                max_states: Some(100),
                max_memory: None,
            },
            ..ExploreOptions::default()
        };
        let mut seen = HashMap::new();
        let mut sink = Stream(|s: StateId, l: LabelId, t: StateId| {
            *seen.entry(l.get()).or_insert(0) += 1;
            if l.get() == 1 {
                assert_eq!(t.get(), 0);
            } else {
                assert_eq!((l.get(), t.get()), (2 + s.get() % 3, s.get() + 1));
            }
            ControlFlow::Continue(())
        });
        let counter = Counter { most: 1000, bits };
        let found = explore(&counter, search, &mut sink).unwrap();
        assert_eq!(found.outcome, Outcome::LimitReached(Limit::States));
        assert_eq!(
            (found.states, found.transitions, found.depth),
            (100, 198, 99)
        );
        let texts: Vec<&[u8]> = found.labels.visible().map(|(_, text)| text).collect();
        assert_eq!(texts, [b"reset".as_slice(), b"to 1", b"to 2", b"to 0"]);
        assert_eq!(seen, HashMap::from([(1, 99), (2, 33), (3, 33), (4, 33)]));
    }
}

/// One state, and a transition that should not be, before one that may.
struct Bad {
    bits: usize,
    numbers: Option<u32>,
    initial: u64,
    label: u32,
    target: Vec<u64>,
}

impl Model for Bad {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> std::borrow::Cow<'_, LabelTable> {
        std::borrow::Cow::Owned(LabelTable::new())
    }

    fn bits(&self) -> usize {
        self.bits
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        state[0] = self.initial;
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        _: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        emit.transition(LabelId::new(self.label), &self.target);
        emit.transition(LabelId::HIDDEN, &vec![0; words(self.bits)]);
        Ok(())
    }

    fn numbers(&self) -> Option<u32> {
        self.numbers
    }
}

#[test]
fn what_is_no_state_and_no_label_is_an_error() {
    let bad = |bits, initial, label, target: &[u64], numbers| Bad {
        bits,
        numbers,
        initial,
        label,
        target: target.to_vec(),
    };
    for (model, text) in [
        (
            bad(7, 0, 0, &[128], None),
            "a state has bits beyond the first 7",
        ),
        (
            bad(7, 128, 0, &[127], None),
            "initial state: a state has bits beyond the first 7",
        ),
        (
            bad(64, 0, 0, &[], None),
            "a state has 0 words, but 64 bits make 1 word",
        ),
        (
            bad(70, 0, 0, &[1, 2, 0], None),
            "a state has 3 words, but 70 bits make 2 words",
        ),
        (
            bad(0, 0, 0, &[1], None),
            "a state has bits beyond the first 0",
        ),
        (
            bad(7, 0, 1, &[0], None),
            "a transition has label 1, but the last label is 0",
        ),
        (
            bad(32, 0, 0, &[5], Some(5)),
            "a state is number 5, but there are 5 only",
        ),
    ] {
        let told = |model: Erased<'_>| {
            let found = explore(&model, ExploreOptions::default(), &mut ());
            found.unwrap_err().to_string()
        };
        assert_eq!(told(model.erased()), text);
        let once = asked(model.erased()).unwrap_err().to_string();
        assert_eq!(once, text);
        // Explored anew, or kept.
        for few in [usize::MAX, 0] {
            let visible = TauStar::with_limits(&model, few, usize::MAX);
            assert_eq!(told(visible.erased()), text, "{few}");
        }
        let relabelled = Relabelled::new(&model, [], &[]).unwrap();
        assert_eq!(told(relabelled.erased()), text);
        let pattern = anything();
        for searched in [
            Searched::new(&model, &pattern),
            Searched::all(&model, &pattern),
        ] {
            assert_eq!(told(searched.erased()), text);
        }
    }
    for model in [
        bad(7, 0, 0, &[127], None),
        bad(64, 0, 0, &[u64::MAX], None),
        bad(70, 0, 0, &[u64::MAX, 63], None),
        bad(32, 0, 0, &[4], Some(5)),
    ] {
        let found = explore(&model, ExploreOptions::default(), &mut ()).unwrap();
        assert_eq!((found.states, found.transitions), (2, 4));
        assert_eq!(asked(model.erased()), Ok(2));
    }
    let nothing = bad(0, 0, 0, &[0], None);
    let one = explore(&nothing, ExploreOptions::default(), &mut ()).unwrap();
    assert_eq!((one.states, one.transitions), (1, 2));
}

/// How many transitions the initial state of a model has, for who asks it without exploring
/// it.
fn asked(model: Erased<'_>) -> Result<usize, ModelError> {
    struct Count(usize);
    impl Emit for Count {
        fn label(&mut self, _: &[u8]) -> LabelId {
            LabelId::HIDDEN
        }
        fn transition(&mut self, _: LabelId, _: &[u64]) {
            self.0 += 1;
        }
    }
    let state = model.initial_state()?;
    let mut count = Count(0);
    model.successors(&mut model.scratch(), &state, &mut count)?;
    Ok(count.0)
}

/// Two transitions, whatever their labels are.
fn anything() -> SequencePattern {
    let text = b"<any>\n<any>\n".to_vec();
    let source = Source::from_bytes("p", text, Some(Format::Seq)).unwrap();
    let pattern = seq::read_pattern(source, 1, &mut |d| panic!("{d}")).unwrap();
    SequencePattern::new(&pattern).unwrap()
}

#[test]
fn states_that_cannot_be_stored_are_an_error() {
    let model = |bits, numbers| Bad {
        bits,
        numbers,
        initial: 0,
        label: 0,
        target: vec![0; 2],
    };
    for (bits, numbers, text) in [
        (
            usize::MAX,
            None,
            format!(
                "a state has {} bits, but at most 1073741824 can be stored",
                usize::MAX
            ),
        ),
        (
            MAX_BITS + 1,
            None,
            "a state has 1073741825 bits, but at most 1073741824 can be stored".into(),
        ),
        (
            32,
            Some(0),
            "states are numbers below 0, so that there is no initial state".into(),
        ),
        (65, Some(5), "states are numbers, but have 65 bits".into()),
    ] {
        let model = model(bits, numbers);
        let found = explore(&model, ExploreOptions::default(), &mut ());
        assert_eq!(found.unwrap_err().to_string(), text);
        let search = ExploreOptions::default();
        let found = explore_states(&model, search, &mut ()).map(|_| ());
        assert_eq!(found.unwrap_err().to_string(), text);
        let goal = Goal::Lts(Numbering::BreadthFirst);
        let reached = reach(&model, ExploreOptions::default(), goal, |_| ()).map(|_| ());
        assert_eq!(reached.unwrap_err().to_string(), text);
        let hidden = TauStar::new(&model);
        let found = explore(&hidden, ExploreOptions::default(), &mut ());
        assert_eq!(found.unwrap_err().to_string(), text);
        assert_eq!(asked(model.erased()).unwrap_err().to_string(), text);
        let relabelled = Relabelled::new(&model, [], &[]).unwrap();
        assert_eq!(asked(relabelled.erased()).unwrap_err().to_string(), text);
        let pattern = anything();
        let searched = Searched::new(&model, &pattern);
        let found = explore(&searched, ExploreOptions::default(), &mut ());
        assert!(found.is_err() || bits <= MAX_BITS, "{text}");
    }
}

/// Counts round, in states of this many bits.
struct Round {
    states: u64,
    bits: usize,
}

impl Model for Round {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> std::borrow::Cow<'_, LabelTable> {
        std::borrow::Cow::Owned(LabelTable::new())
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
        let mut next = state.to_vec();
        next[0] = (state[0] + 1) % self.states;
        emit.transition(LabelId::HIDDEN, &next);
        Ok(())
    }
}

/// What is set aside in advance is a few states, and what is told of memory is what was held.
#[test]
fn a_few_large_states_take_little_memory() {
    let large = Round {
        states: 33,
        bits: 1 << 23,
    };
    let explored = |most: u64| {
        let search = ExploreOptions {
            limits: Limits {
                max_states: None,
                max_memory: Some(most << 20),
            },
            ..ExploreOptions::default()
        };
        explore(&large, search, &mut ()).unwrap()
    };
    let found = explored(160);
    assert_eq!((found.outcome, found.states), (Outcome::Complete, 33));
    assert!((33..64).contains(&(found.memory >> 20)), "{}", found.memory);
    let found = explored(60);
    assert_eq!(found.outcome, Outcome::LimitReached(Limit::Memory));
    assert!(
        found.states > 1 && found.memory >> 20 < 60,
        "{}",
        found.memory
    );
    // As large as what is set aside for several otherwise.
    let huge = Round {
        states: 3,
        bits: 1 << 27,
    };
    let found = explore(&huge, ExploreOptions::default(), &mut ()).unwrap();
    assert!(found.memory >> 20 < 128, "{}", found.memory);
}

#[test]
fn parts_of_work_are_smaller_where_states_are_large() {
    for words in (0..25).map(|k| 1 << k) {
        let Sizes {
            shift,
            chunks,
            least,
            flush,
        } = Sizes::of(words);
        let places = chunks << shift;
        let state = 8 * words;
        if words <= 512 {
            let usual = 14 - words.ilog2().min(4);
            assert_eq!((shift, chunks, least, flush), (usual, 32, 2000, 4096));
        }
        assert!(places * state <= (128 << 20).max(state), "{words}");
        assert!(2 * flush * state <= (32 << 20).max(2 * state), "{words}");
        assert!(places >= least || chunks == 1, "{words}");
    }
}

#[test]
fn a_model_that_fails_ends_it() {
    let error = explore(
        &Counter { most: 5, bits: 16 },
        ExploreOptions::default(),
        &mut (),
    )
    .unwrap_err();
    assert_eq!(
        error,
        ExploreError::Model(ModelError::new("counted too far"))
    );
}

#[test]
fn the_sink_and_the_progress_callback_can_stop() {
    let mut left = 10;
    let mut sink = Stream(|_, _, _| {
        left -= 1;
        if left == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    let found = explore(
        &Counter {
            most: 1000,
            bits: 16,
        },
        ExploreOptions::default(),
        &mut sink,
    )
    .unwrap();
    // What has been handed over together counts.
    assert_eq!(found.outcome, Outcome::Stopped);
    assert!(found.transitions >= 10);
    assert_eq!(left, 0);

    let chain = Numbered {
        states: 1_000_000,
        initial: 0,
        labels: LabelTable::new(),
        successors: |s: u32, put: &mut dyn FnMut(LabelId, u32)| {
            put(LabelId::HIDDEN, (s + 1) % 1_000_000);
        },
    };
    let mut calls = Vec::new();
    let mut progress = |now: &Progress| {
        calls.push(*now);
        if calls.len() == 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let search = ExploreOptions {
        progress: Some(&mut progress),
        ..ExploreOptions::default()
    };
    let found = explore(&chain, search, &mut ()).unwrap();
    assert_eq!(found.outcome, Outcome::Stopped);
    assert_eq!(calls.len(), 3);
    assert!(calls.is_sorted_by_key(|now| now.explored));
    assert_eq!(calls[2].explored, found.transitions);
}

#[test]
fn long_cycles_are_found_without_recursion() {
    let n = 300_000;
    let chain = Numbered {
        states: n,
        initial: 0,
        labels: LabelTable::new(),
        successors: |s: u32, put: &mut dyn FnMut(LabelId, u32)| {
            put(LabelId::HIDDEN, (s + 1) % n);
        },
    };
    let found = explore(&chain, everything(), &mut ()).unwrap();
    let Some(Answer::Yes(trace)) = found.livelock else {
        panic!("there is a cycle")
    };
    assert_eq!((trace.labels.len(), trace.cycle), (n as usize, Some(0)));
    assert_eq!(found.deadlock, Some(Answer::No));
}
