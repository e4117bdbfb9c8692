//! Models as plugins within this process, against the models themselves.

use std::borrow::Cow;

use hyades_explore::{
    Answer, ExploreOptions, Goal, Limit, Limits, LtsSink, Outcome, Questions, explore, reach, words,
};
use hyades_formats::{LabelId, LabelTable, Lts, StateId};
use hyades_lts::Numbering;
use hyades_testing::{any_lts, same};
use proptest::prelude::*;

use super::export::{self, Exported};
use super::*;

/// The model through the table of a plugin.
fn through(model: impl Exported) -> Plugin {
    let table = export::table(model).expect("labels without a byte 0");
    // SAFETY: it is a table.
    Plugin::new(unsafe { Table::new(table) }.expect("a table that is in order"))
}

impl Exported for Lts {}

/// An LTS whose states take as many bits as one likes, and whose labels are not
/// known beforehand.
#[derive(Clone)]
struct Padded {
    lts: Lts,
    bits: usize,
}

impl Padded {
    /// The state's number, spread over all its bits.
    fn pack(&self, state: StateId) -> Vec<u64> {
        let mut packed = vec![u64::from(state.get()); words(self.bits)];
        let last = self.bits - 64 * (packed.len() - 1);
        // A small last word has no room for it.
        let spread = |number: u64| last.checked_sub(8).map_or(0, |shift| number << shift);
        let place = packed.last_mut().unwrap();
        *place = spread(*place);
        packed
    }
}

impl Model for Padded {
    type Scratch = Vec<u64>;

    fn scratch(&self) -> Vec<u64> {
        Vec::new()
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Owned(LabelTable::new())
    }

    fn bits(&self) -> usize {
        self.bits
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        state.copy_from_slice(&self.pack(self.lts.initial()));
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Vec<u64>,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let number = (0..self.lts.states() as u32)
            .map(StateId::new)
            .find(|&s| self.pack(s) == state)
            .ok_or_else(|| ModelError::new("no such state"))?;
        for (label, target) in self.lts.outgoing(number) {
            let label = match label.is_hidden() {
                true => LabelId::HIDDEN,
                false => emit.label(self.lts.table().text(label)),
            };
            *scratch = self.pack(target);
            emit.transition(label, scratch);
        }
        Ok(())
    }
}

impl Exported for Padded {}

fn reached(model: impl Model, numbering: Numbering) -> Lts {
    let reached = reach(
        model,
        ExploreOptions::default(),
        Goal::Lts(numbering),
        |_| (),
    );
    reached.unwrap().0.unwrap()
}

proptest! {
    #[test]
    fn an_lts_through_a_plugin_is_the_lts(lts in any_lts()) {
        for numbering in [Numbering::BreadthFirst, Numbering::Ascending, Numbering::Kept] {
            let expected = reached(lts.clone(), numbering);
            for plugin in [through(lts.clone()), through(lts.clone()).checked()] {
                prop_assert_eq!(plugin.numbers(), Some(lts.states() as u32));
                prop_assert!(same(&reached(plugin.clone(), numbering), &expected));
                prop_assert!(plugin.finish().is_ok());
            }
        }
    }

    #[test]
    fn states_of_any_size_and_new_labels(lts in any_lts(), bits in 8usize..200) {
        let model = Padded { lts, bits };
        let expected = reached(model.clone(), Numbering::BreadthFirst);
        let plugin = through(model);
        prop_assert_eq!(plugin.bits(), bits.next_multiple_of(8));
        prop_assert!(same(&reached(plugin.clone(), Numbering::BreadthFirst), &expected));
        prop_assert!(same(&reached(plugin.checked(), Numbering::BreadthFirst), &expected));
    }

    #[test]
    fn answers_are_those_of_the_lts(lts in any_lts()) {
        let ask = || ExploreOptions {
            questions: Questions {
                deadlock: true,
                livelock: true,
                find: vec![Box::new(|_, text| text == b"a"), Box::new(|l, _| l.is_hidden())],
            },
            ..ExploreOptions::default()
        };
        let expected = explore(&lts, ask(), &mut ()).unwrap();
        let plugin = through(lts.clone());
        let found = explore(&plugin, ask(), &mut ()).unwrap();
        prop_assert_eq!(&found.deadlock, &expected.deadlock);
        prop_assert_eq!(&found.livelock, &expected.livelock);
        prop_assert_eq!(&found.find, &expected.find);
    }
}

/// Three counters below 3 that go round; exchanging them is a symmetry.
struct Counters;

impl Model for Counters {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Owned(LabelTable::new())
    }

    fn bits(&self) -> usize {
        6
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
        let up = emit.label(b"UP");
        for k in 0..3 {
            let count = state[0] >> (2 * k) & 3;
            let rest = state[0] & !(3 << (2 * k));
            emit.transition(up, &[rest | ((count + 1) % 3) << (2 * k)]);
        }
        Ok(())
    }
}

impl Exported for Counters {
    const SYMMETRIC: bool = true;

    fn representative(&self, (): &mut (), state: &mut [u64]) -> Result<(), ModelError> {
        let mut counts = [0, 1, 2].map(|k| state[0] >> (2 * k) & 3);
        counts.sort_unstable();
        state[0] = counts[0] | counts[1] << 2 | counts[2] << 4;
        Ok(())
    }
}

#[test]
fn representatives_alone_are_explored() {
    let states = |plugin: Plugin| {
        let mut sink = LtsSink::new();
        explore(&plugin, ExploreOptions::default(), &mut sink)
            .unwrap()
            .states
    };
    assert_eq!(states(through(Counters)), 27);
    // Multisets of three of three values.
    assert_eq!(states(through(Counters).by_orbits().unwrap()), 10);
    assert_eq!(states(through(Counters).by_orbits().unwrap().checked()), 10);
    assert!(through(one_state()).by_orbits().is_err());
}

fn one_state() -> Lts {
    let builder = hyades_formats::LtsBuilder::new(1);
    builder.build(StateId::new(0)).unwrap()
}

/// Does one thing wrong.
struct Wrong(&'static str);

impl Model for Wrong {
    type Scratch = ();

    fn scratch(&self) {
        assert!(self.0 != "scratch", "no memory today");
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        let mut table = LabelTable::new();
        if self.0 == "label" {
            table.intern(b"A\0B").unwrap();
        }
        Cow::Owned(table)
    }

    fn bits(&self) -> usize {
        20
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        match self.0 {
            "initial" => state[0] = 1 << 20,
            "initial-fails" => return Err(ModelError::new("x".repeat(5000))),
            _ => {}
        }
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        _: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        match self.0 {
            "panic" => panic!("at {}", "the disco"),
            "bits" => emit.transition(LabelId::HIDDEN, &[1 << 20]),
            "words" => emit.transition(LabelId::HIDDEN, &[0, 0]),
            "new-label" => drop(emit.label(b"A\0")),
            "range" => emit.transition(LabelId::new(1), &[0]),
            _ => {}
        }
        Ok(())
    }
}

impl Exported for Wrong {}

#[test]
fn mistakes_of_exported_models_are_errors() {
    // Those that panic say so on standard error too.
    for (what, said) in [
        (
            "initial",
            "initial fails: what the model gives is no state of 20 bits",
        ),
        ("initial-fails", "initial fails: xxxxx"),
        ("panic", "successors fails: the model panics: at the disco"),
        (
            "bits",
            "successors fails: what the model gives is no state of 20 bits",
        ),
        (
            "words",
            "successors fails: what the model gives is no state of 20 bits",
        ),
        (
            "new-label",
            "successors fails: a label of a plugin has no byte 0: `A\\x00`",
        ),
        (
            "range",
            "successors: a transition has label 1, but the table has 1 label, and",
        ),
        (
            "scratch",
            "create_scratch fails: the model panics: no memory today",
        ),
    ] {
        let error = explore(&through(Wrong(what)), ExploreOptions::default(), &mut ()).unwrap_err();
        assert!(error.to_string().starts_with(said), "{what}: {error}");
    }
    let error = export::table(Wrong("label")).unwrap_err().to_string();
    assert_eq!(error, "a label of a plugin has no byte 0: `A\\x00B`");
    assert!(
        explore(
            &through(Wrong("nothing")),
            ExploreOptions::default(),
            &mut ()
        )
        .is_ok()
    );
}

/// A state with endless transitions, for as long as they are wanted.
struct Endless;

impl Model for Endless {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        let mut table = LabelTable::new();
        table.intern(b"next").unwrap();
        Cow::Owned(table)
    }

    fn bits(&self) -> usize {
        64
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        state[0] = 0;
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        _: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let mut number = 0;
        while !emit.is_done() {
            number += 1;
            emit.transition(LabelId::new(1), &[number]);
        }
        Ok(())
    }
}

impl Exported for Endless {}

#[test]
fn plugins_are_told_when_there_are_enough_targets() {
    let search = ExploreOptions {
        limits: Limits {
            max_states: Some(10),
            max_memory: None,
        },
        ..ExploreOptions::default()
    };
    let mut sink = LtsSink::new();
    let plugin = through(Endless);
    let found = explore(&plugin, search, &mut sink).unwrap();
    assert_eq!(found.outcome, Outcome::LimitReached(Limit::States));
    assert_eq!(found.states, 10);
}

/// Counts up to 3: there it is cut off, or a limit is reached.
#[derive(Clone, Copy)]
struct Bounded(Option<Limit>);

impl Model for Bounded {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Owned(LabelTable::new())
    }

    fn bits(&self) -> usize {
        3
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
        match self.0 {
            _ if state[0] < 3 => {
                let up = emit.label(b"UP");
                emit.transition(up, &[state[0] + 1]);
            }
            Some(limit) => return Err(ModelError::limit(limit, "no further than 3")),
            None => {}
        }
        Ok(())
    }

    fn is_truncated(&self, state: &[u64]) -> bool {
        assert!(state[0] < 4);
        state[0] == 3 && self.0.is_none()
    }

    fn was_truncated(&self) -> bool {
        self.0.is_none()
    }

    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        let label = label.map(<[u8]>::escape_ascii);
        let label = label.map_or(String::new(), |label| label.to_string());
        // The second needs more room than there is at first.
        let long = "\u{e4}".repeat(source[0] as usize * 1000);
        vec![label + "!", format!("{source:?} {target:?} {long}")]
    }
}

impl Exported for Bounded {}

#[test]
fn limits_what_is_cut_off_and_words_are_those_of_the_model() {
    let limits = [
        Limit::States,
        Limit::Hidden,
        Limit::Channels,
        Limit::Memory,
        Limit::Model,
    ];
    for limit in limits.map(Some).into_iter().chain([None]) {
        let model = Bounded(limit);
        let ask = || ExploreOptions {
            questions: Questions {
                deadlock: true,
                livelock: true,
                find: vec![Box::new(|_, text| text == b"DOWN")],
            },
            ..ExploreOptions::default()
        };
        let expected = explore(&model, ask(), &mut ()).unwrap();
        let plugin = through(model);
        let found = explore(&plugin, ask(), &mut ()).unwrap();
        assert_eq!(found.outcome, expected.outcome);
        assert_eq!(found.told, expected.told);
        let told = limit.map(|_| "no further than 3".to_owned());
        assert_eq!(found.told, told);
        assert_eq!(
            (found.states, found.explored, found.transitions),
            (expected.states, expected.explored, expected.transitions)
        );
        assert_eq!(found.deadlock, Some(Answer::Unknown));
        assert_eq!(found.deadlock, expected.deadlock);
        assert_eq!(found.livelock, expected.livelock);
        assert_eq!(found.find, expected.find);
        assert_eq!(plugin.was_truncated(), model.was_truncated());
        for state in 0..4 {
            assert_eq!(plugin.is_truncated(&[state]), model.is_truncated(&[state]));
            for label in [None, Some(&b"UP"[..])] {
                let told = plugin.explain(&[state], label, &[3]);
                assert_eq!(told, model.explain(&[state], label, &[3]));
            }
        }
        // After a panic nothing is claimed.
        assert!(plugin.is_truncated(&[4]));
    }
}

/// A plugin that was built for the first version has nothing behind `close`.
#[test]
fn tables_of_the_first_version_are_shorter() {
    let table = export::table(Bounded(Some(Limit::Model))).unwrap();
    // SAFETY: it is a table.
    let mut first = unsafe { *table };
    first.version = abi::FIRST_VERSION;
    // SAFETY: it is a table, of which the rest is not looked at.
    let old = Plugin::new(unsafe { Table::new(&first) }.unwrap());
    assert!(!old.is_truncated(&[3]) && !old.was_truncated());
    assert!(old.explain(&[0], None, &[1]).is_empty());
    let error = explore(&old, ExploreOptions::default(), &mut ()).unwrap_err();
    assert_eq!(error.to_string(), "successors fails: no further than 3");
}

#[test]
fn opening_passes_the_argument_on() {
    let open = |argument: Option<&std::ffi::CStr>| {
        let mut reason = Reason::new();
        let pointer = argument.map_or(std::ptr::null(), |a| a.as_ptr());
        let make = |text: Option<&str>| match text {
            Some("lts") => Ok(one_state()),
            Some("panic") => panic!("no"),
            other => Err(ModelError::new(format!("{other:?}"))),
        };
        // SAFETY: text and reason live.
        let table = unsafe { export::open(pointer, &mut reason, make) };
        match table.is_null() {
            true => Err(reason.show()),
            // SAFETY: it is a table.
            false => Ok(Plugin::new(unsafe { Table::new(table) }.unwrap())),
        }
    };
    assert!(open(Some(c"lts")).is_ok());
    let failure = |argument| open(argument).err().unwrap();
    assert_eq!(failure(None), "None");
    assert_eq!(failure(Some(c"")), "Some(\"\")");
    assert_eq!(failure(Some(c"panic")), "the model panics: no");
    assert_eq!(failure(Some(c"\xff")), "the argument is no UTF-8");
}
