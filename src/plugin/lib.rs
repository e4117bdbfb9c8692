//! Models that are loaded while the program runs: shared objects written in C,
//! or in any language that can speak it, to the contract of
//! `include/hyades_model.h`.
//!
//! [`Plugin::open`] loads one, and the result is a [`Model`] like any other. A
//! model in Rust becomes a plugin by [`export`].
//!
//! A plugin is native code in the same process. Its mistakes become errors as
//! far as they can be noticed: everything it hands over is checked before it is
//! used, and nothing of Rust's is in its hands but copies. Nobody can save the
//! process from a plugin that crashes.
//!
//! ```
//! use std::path::Path;
//!
//! use hyades_explore::{ModelError, ExploreOptions, explore};
//! use hyades_plugin::Plugin;
//!
//! /// How many states the model in a shared object has.
//! fn states(path: &Path) -> Result<u64, Box<dyn std::error::Error>> {
//!     let model = Plugin::open(path, None)?.checked();
//!     Ok(explore(&model, ExploreOptions::default(), &mut ())?.states)
//! }
//!
//! let error = states(Path::new("Cargo.toml")).expect_err("this is no shared object");
//! assert!(error.is::<ModelError>());
//! ```

mod abi;
mod ended;
pub mod export;
mod open;
mod place;
mod row;
mod table;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::{CString, OsStr, c_void};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use hyades_explore::{Emit, Erased, Model, ModelError};
use hyades_formats::{LabelId, LabelTable};

use abi::{MAX_EXPLANATION_SIZE, Reason, Representative, limit_of};
use place::{Place, words};
use row::{EMIT, Label, Row, check_strays};
use table::Table;

pub use open::is_plugin;

/// A model from a shared object. Clones are the same model.
#[derive(Clone)]
pub struct Plugin {
    table: Arc<Table>,
    /// The function that gives representatives, if only these are explored.
    orbits: Option<Representative>,
    checked: bool,
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin").finish_non_exhaustive()
    }
}

impl Plugin {
    /// Loads a shared object and opens the model that `argument` names; what an
    /// argument means is the plugin's affair. The shared object stays loaded
    /// until the process ends.
    ///
    /// This runs code from the file, with all rights of the process, as starting
    /// a program does: open only files that you trust.
    ///
    /// # Errors
    /// If the file cannot be loaded, is no plugin, or has no such model.
    pub fn open(path: &Path, argument: Option<&OsStr>) -> Result<Self, ModelError> {
        open::open(path, argument).map(Self::new)
    }

    fn new(table: Table) -> Self {
        Self {
            table: Arc::new(table),
            orbits: None,
            checked: false,
        }
    }

    /// The same model with the representatives of its states only.
    ///
    /// # Errors
    /// If the plugin does not tell representatives.
    pub fn by_orbits(self) -> Result<Self, ModelError> {
        match self.table.representative {
            None => Err(ModelError::new(
                "it has no symmetry: its function representative is null",
            )),
            orbits => Ok(Self { orbits, ..self }),
        }
    }

    /// The same model with everything asked twice, on different scratch memory:
    /// a function that gives different answers for the same state is an error,
    /// and so is a representative that is not its own representative, or has
    /// more or fewer transitions, or hidden ones, than the state it stands for.
    pub fn checked(self) -> Self {
        let checked = true;
        Self { checked, ..self }
    }

    /// To be called when the model is not needed any more.
    ///
    /// # Errors
    /// If the plugin has done something wrong since it was asked last: called
    /// back when nothing was asked.
    pub fn finish(&self) -> Result<(), ModelError> {
        check_strays(self.table.id).map_err(ModelError::new)
    }

    fn room(&self) -> Room {
        let Table { size, numbers, .. } = *self.table;
        Room {
            memory: self.table.create_scratch(),
            table: Arc::clone(&self.table),
            place: Place::new(size, numbers.is_some()),
            answer: Place::new(size, numbers.is_some()),
            reason: Reason::new(),
        }
    }

    /// A state for the model to look at.
    fn shown(&self, state: &[u64]) -> Place {
        let Table { size, numbers, .. } = *self.table;
        let mut place = Place::new(size, numbers.is_some());
        place.set(state);
        place
    }

    fn row(&self) -> Row {
        let Table { size, numbers, .. } = *self.table;
        let labels = self.table.labels.ids.len() as u32;
        Row::new(size, numbers, labels, self.table.calls_of_row())
    }
}

impl Model for Plugin {
    type Scratch = PluginScratch;

    fn scratch(&self) -> PluginScratch {
        let second = || Second {
            room: self.room(),
            row: self.row(),
        };
        PluginScratch {
            row: self.row(),
            new_labels: Vec::new(),
            asking: Asking {
                room: self.room(),
                second: self.checked.then(second),
            },
            image: vec![0; words(self.table.size)],
        }
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.table.labels.table)
    }

    fn bits(&self) -> usize {
        8 * self.table.size
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        let mut room = self.room();
        room.initial(state)?;
        if self.checked {
            let mut other = vec![0; state.len()];
            self.room().initial(&mut other)?;
            if other != state {
                return Err(ModelError::new(
                    "initial gives another state when it is asked again",
                ));
            }
        }
        if let Some(function) = self.orbits {
            let mut asking = self.scratch().asking;
            let found = state.to_vec();
            asking.representative(function, &found, state)?;
        }
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut PluginScratch,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let PluginScratch {
            row,
            new_labels,
            asking,
            image,
        } = scratch;
        // Several targets may have one representative.
        let most = match self.orbits {
            None => emit.most_targets(),
            Some(_) => usize::MAX,
        };
        asking.successors(state, row, most)?;
        new_labels.clear();
        new_labels.extend(row.new_labels().map(|text| emit.label(text)));
        let known = &self.table.labels.ids;
        for (label, target) in row.transitions() {
            let label = match known.get(label as usize) {
                Some(&known) => known,
                None => new_labels[(label - row.first_new()) as usize],
            };
            match self.orbits {
                None => emit.transition(label, target),
                Some(function) => {
                    asking.representative(function, target, image)?;
                    emit.transition(label, image);
                }
            }
        }
        Ok(())
    }

    fn is_truncated(&self, state: &[u64]) -> bool {
        let Some(function) = self.table.is_truncated else {
            return false;
        };
        let state = self.shown(state);
        let _turn = self.table.turn();
        // SAFETY: the function is the model's; the state lives until it returns.
        unsafe { function(self.table.object, state.pointer()) != 0 }
    }

    fn was_truncated(&self) -> bool {
        let Some(function) = self.table.was_truncated else {
            return false;
        };
        let _turn = self.table.turn();
        // SAFETY: the function is the model's.
        unsafe { function(self.table.object) != 0 }
    }

    fn numbers(&self) -> Option<u32> {
        self.table.numbers
    }

    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        // A plugin has no labels with a byte 0.
        let (Some(function), Ok(label)) = (self.table.explain, label.map(CString::new).transpose())
        else {
            return Vec::new();
        };
        let label = label
            .as_ref()
            .map_or(std::ptr::null(), |text| text.as_ptr());
        let (source, target) = (self.shown(source), self.shown(target));
        let mut text = vec![0u8; 1 << 10];
        loop {
            let length = {
                let _turn = self.table.turn();
                let place = text.as_mut_ptr().cast();
                let (from, to) = (source.pointer(), target.pointer());
                // SAFETY: the function is the model's; states, label and text live until it
                // returns.
                unsafe { function(self.table.object, from, label, to, place, text.len()) }
            };
            if length > MAX_EXPLANATION_SIZE {
                return Vec::new();
            }
            if length >= text.len() {
                text.resize(length + 1, 0);
                continue;
            }
            let lines = text[..length].split(|&byte| byte == b'\n');
            let lines = lines.filter(|line| !line.is_empty());
            return lines
                .map(|line| String::from_utf8_lossy(line).into_owned())
                .collect();
        }
    }

    fn erased(&self) -> Erased<'_> {
        Erased::new(self)
    }
}

/// What one thread needs to ask a plugin.
pub struct PluginScratch {
    row: Row,
    /// The labels that are new in the row.
    new_labels: Vec<LabelId>,
    asking: Asking,
    /// A representative.
    image: Vec<u64>,
}

impl fmt::Debug for PluginScratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginScratch").finish_non_exhaustive()
    }
}

/// Asks once or twice.
struct Asking {
    room: Room,
    /// For asking twice.
    second: Option<Second>,
}

/// For the second answer.
struct Second {
    room: Room,
    row: Row,
}

/// Memory for calls of a plugin, its own and ours.
struct Room {
    table: Arc<Table>,
    /// The plugin's, unless it has none left.
    memory: Result<*mut c_void, String>,
    /// The state that is asked about.
    place: Place,
    /// The state that it answers with.
    answer: Place,
    reason: Reason,
}

// SAFETY: the header has it that scratch memory may go from thread to thread.
unsafe impl Send for Room {}

impl Drop for Room {
    fn drop(&mut self) {
        if let Ok(memory) = self.memory {
            self.table.destroy_scratch(memory);
        }
    }
}

impl Room {
    /// Puts the transitions of `state` into `row`.
    fn successors(&mut self, state: &[u64], row: &mut Row, most: usize) -> Result<(), ModelError> {
        let memory = self.memory()?;
        self.place.set(state);
        self.reason.text[0] = 0;
        let given = self.place.pointer();
        let (table, reason) = (&self.table, &mut self.reason);
        let asked = row.ask(&table.labels, most, |call| {
            let _turn = table.turn();
            // SAFETY: the function is the model's; state, callbacks and reason
            // live until it returns.
            unsafe { (table.successors)(table.object, memory, given, &EMIT, call, reason) }
        });
        let status = asked.map_err(|why| ModelError::new(format!("successors: {why}")))?;
        self.end("successors", status, Some(state))
    }

    /// Puts the representative of `state` into `image`.
    fn representative(
        &mut self,
        function: Representative,
        state: &[u64],
        image: &mut [u64],
    ) -> Result<(), ModelError> {
        let memory = self.memory()?;
        self.place.set(state);
        self.answer.clear();
        self.reason.text[0] = 0;
        let (from, to) = (self.place.pointer(), self.answer.pointer_mut());
        let table = &self.table;
        let status = {
            let _turn = table.turn();
            // SAFETY: the function is the model's; both states and the reason
            // live until it returns.
            unsafe { function(table.object, memory, from, to, &mut self.reason) }
        };
        self.end("representative", status, Some(state))?;
        self.answer(image, "representative")
    }

    /// Puts the initial state into `state`.
    fn initial(&mut self, state: &mut [u64]) -> Result<(), ModelError> {
        self.answer.clear();
        self.reason.text[0] = 0;
        let to = self.answer.pointer_mut();
        let table = &self.table;
        let status = {
            let _turn = table.turn();
            // SAFETY: the function is the model's; state and reason live until
            // it returns.
            unsafe { (table.initial)(table.object, to, &mut self.reason) }
        };
        self.end("initial", status, None)?;
        self.answer(state, "initial")
    }

    fn memory(&self) -> Result<*mut c_void, ModelError> {
        self.memory.clone().map_err(ModelError::new)
    }

    /// What there is to say after a call of a function about `state`.
    fn end(&self, function: &str, status: i32, state: Option<&[u64]>) -> Result<(), ModelError> {
        if status != 0 {
            let reason = self.reason.show();
            let limit = limit_of(status).filter(|_| self.table.has_limits);
            return Err(match limit {
                Some(limit) => ModelError::limit(limit, reason),
                None => ModelError::new(format!("{function} fails: {reason}")),
            });
        }
        if state.is_some_and(|state| !self.place.still_has(state)) {
            return Err(ModelError::new(format!(
                "{function} writes on the state that it is asked about"
            )));
        }
        let strays = check_strays(self.table.id);
        strays.map_err(|why| ModelError::new(format!("successors: {why}")))
    }

    fn answer(&self, state: &mut [u64], function: &str) -> Result<(), ModelError> {
        let got = self.answer.get(state);
        got.map_err(|why| ModelError::new(format!("{function} {why}")))?;
        match self.table.numbers {
            Some(bound) if state[0] >= u64::from(bound) => Err(ModelError::new(format!(
                "{function} gives number {}, but there are {bound} only",
                state[0]
            ))),
            _ => Ok(()),
        }
    }
}

/// What two calls give that should give the same.
fn not_a_function(function: &str) -> ModelError {
    ModelError::new(format!(
        "{function} is no function of the state: asked twice, it gives different answers"
    ))
}

impl Asking {
    /// Puts the transitions of `state` into `row`.
    fn successors(&mut self, state: &[u64], row: &mut Row, most: usize) -> Result<(), ModelError> {
        self.room.successors(state, row, most)?;
        let Some(second) = &mut self.second else {
            return Ok(());
        };
        second.room.successors(state, &mut second.row, most)?;
        match row.comparable().eq(second.row.comparable()) {
            true => Ok(()),
            false => Err(not_a_function("successors")),
        }
    }

    /// Puts the representative of `state` into `image`.
    fn representative(
        &mut self,
        function: Representative,
        state: &[u64],
        image: &mut [u64],
    ) -> Result<(), ModelError> {
        self.room.representative(function, state, image)?;
        match &mut self.second {
            Some(second) => second.check(function, state, image),
            None => Ok(()),
        }
    }
}

impl Second {
    /// # Errors
    /// If `image` cannot be the representative of `state`.
    fn check(
        &mut self,
        function: Representative,
        state: &[u64],
        image: &[u64],
    ) -> Result<(), ModelError> {
        let mut other = vec![0; image.len()];
        self.room.representative(function, state, &mut other)?;
        if other != image {
            return Err(not_a_function("representative"));
        }
        self.room.representative(function, image, &mut other)?;
        if other != image {
            return Err(ModelError::new(
                "representative is not idempotent: a representative is not its own representative",
            ));
        }
        let (of_state, of_image) = (self.counts(state)?, self.counts(image)?);
        if of_state != of_image {
            let show = |(all, hidden)| format!("{all} different transitions, {hidden} hidden,");
            return Err(ModelError::new(format!(
                "representative is no automorphism: a state has {} and its representative {}",
                show(of_state),
                show(of_image).trim_end_matches(','),
            )));
        }
        Ok(())
    }

    /// How many different transitions a state has, and how many hidden ones.
    fn counts(&mut self, state: &[u64]) -> Result<(usize, usize), ModelError> {
        self.room.successors(state, &mut self.row, usize::MAX)?;
        let different: BTreeSet<_> = self.row.comparable().collect();
        let ids = &self.room.table.labels.ids;
        let hidden =
            |label: &Label| matches!(label, Label::Known(k) if ids[*k as usize].is_hidden());
        let hidden = different.iter().filter(|(label, _)| hidden(label)).count();
        Ok((different.len(), hidden))
    }
}
