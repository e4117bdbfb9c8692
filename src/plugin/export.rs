//! The other side: a [`Model`] written in Rust as a plugin, without a line of
//! unsafe code.
//!
//! A crate of the type `cdylib` says [`export_model!`](crate::export_model) once;
//! what it builds to is what [`Plugin::open`](super::Plugin::open) opens, and has the same
//! answers as the model:
//!
//! ```
//! # use std::borrow::Cow;
//! # use hyades_explore::{Emit, Model, ModelError};
//! # use hyades_formats::LabelTable;
//! use hyades_plugin::export_model;
//! use hyades_plugin::export::Exported;
//!
//! /// Counts down from a number, and stops.
//! struct Countdown(u64);
//!
//! impl Model for Countdown {
//!     // ...
//! #     type Scratch = ();
//! #     fn scratch(&self) {}
//! #     fn labels(&self) -> Cow<'_, LabelTable> { Cow::Owned(LabelTable::new()) }
//! #     fn bits(&self) -> usize { 64 }
//! #     fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
//! #         state[0] = self.0;
//! #         Ok(())
//! #     }
//! #     fn successors<E: Emit + ?Sized>(
//! #         &self, (): &mut (), state: &[u64], emit: &mut E
//! #     ) -> Result<(), ModelError> {
//! #         if state[0] > 0 {
//! #             let tick = emit.label(b"TICK");
//! #             emit.transition(tick, &[state[0] - 1]);
//! #         }
//! #         Ok(())
//! #     }
//! }
//!
//! impl Exported for Countdown {}
//!
//! fn open(argument: Option<&str>) -> Result<Countdown, ModelError> {
//!     let from = argument.unwrap_or("10").parse();
//!     from.map(Countdown).map_err(|_| ModelError::new("the argument is a number"))
//! }
//!
//! export_model!(open);
//! ```

use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use hyades_explore::{Emit, Model, ModelError, check_sizes, words};
use hyades_formats::LabelId;
use hyades_formats::diagnostic::counted;

use super::abi::{Call, EmitTable, NO_LABEL, REASON_SIZE, VERSION, limit_status};
use super::place::{from_machine, to_machine};

pub use super::abi::{ModelTable, Reason};

/// A model that can be a plugin.
pub trait Exported: Model + 'static {
    /// Whether there is a symmetry, so that
    /// [`representative`](Exported::representative) means something.
    const SYMMETRIC: bool = false;

    /// Replaces a state by the representative of its orbit. What this promises
    /// is told in `include/hyades_model.h`, at `representative`.
    ///
    /// # Errors
    /// If the state has no well-defined representative.
    fn representative(
        &self,
        scratch: &mut Self::Scratch,
        state: &mut [u64],
    ) -> Result<(), ModelError> {
        let _ = (scratch, state);
        Ok(())
    }
}

/// Makes a crate of the type `cdylib` a model plugin: exports the function
/// `hyades_model_open`. The argument is a function that opens the model:
/// `fn(Option<&str>) -> Result<impl Exported, ModelError>`, where the text is
/// that of `--model-argument`. See [`plugin::export`](crate::export).
///
/// A panic within the model is an error of the model.
#[macro_export]
macro_rules! export_model {
    ($open:path) => {
        /// Opens the model; see `hyades_model.h`.
        ///
        /// # Safety
        /// The first argument is null or a text that ends with a byte 0, the
        /// second a place for an error.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn hyades_model_open(
            argument: *const ::std::ffi::c_char,
            error: *mut $crate::export::Reason,
        ) -> *const $crate::export::ModelTable {
            // SAFETY: the caller's promises are those that are asked for.
            unsafe { $crate::export::open(argument, error, $open) }
        }
    };
}

/// A model and its table, from [`table`] until it is closed.
struct Export<M> {
    model: M,
    bits: usize,
    size: usize,
    /// Where the table points to.
    _labels: Vec<*const c_char>,
    _texts: Vec<CString>,
    table: ModelTable,
}

/// What one thread needs.
struct Memory<S> {
    scratch: S,
    state: Vec<u64>,
    /// A text with its byte 0.
    text: Vec<u8>,
}

/// Opens a model for who called `hyades_model_open`.
///
/// # Safety
/// `argument` is null or a text that ends with a byte 0; `error` is a place for
/// an error.
#[doc(hidden)]
pub unsafe fn open<M: Exported>(
    argument: *const c_char,
    error: *mut Reason,
    open: impl FnOnce(Option<&str>) -> Result<M, ModelError>,
) -> *const ModelTable {
    let mut opened = ptr::null();
    let work = || {
        let argument = match argument.is_null() {
            true => None,
            // SAFETY: as this function.
            false => Some(unsafe { CStr::from_ptr(argument) }),
        };
        let argument = argument
            .map(CStr::to_str)
            .transpose()
            .map_err(|_| ModelError::new("the argument is no UTF-8"))?;
        opened = table(open(argument)?)?;
        Ok(())
    };
    // SAFETY: as this function.
    unsafe { guarded(error, work) };
    opened
}

/// The table of a model. It lives until it is closed.
///
/// # Errors
/// If a label cannot be told in C.
pub(super) fn table<M: Exported>(model: M) -> Result<*const ModelTable, ModelError> {
    check_sizes(model.bits(), model.numbers())?;
    let numbers = model.numbers();
    let bits = model.bits();
    let mut texts = Vec::new();
    for (_, text) in model.labels().visible() {
        let text = CString::new(text).map_err(|_| no_byte_0(text))?;
        texts.push(text);
    }
    // The hidden action has no text.
    let pointers = texts.iter().map(|text| text.as_ptr());
    let labels: Vec<_> = std::iter::once(ptr::null()).chain(pointers).collect();
    let size = match numbers {
        Some(_) => size_of::<u32>(),
        None => bits.div_ceil(8).max(1),
    };
    let table = ModelTable {
        version: VERSION,
        flags: 0,
        hidden_label: 0,
        label_count: labels.len() as u32,
        labels: labels.as_ptr(),
        state_size: size,
        numbers: numbers.unwrap_or(0),
        reserved: 0,
        object: ptr::null_mut(),
        initial: Some(initial::<M>),
        successors: Some(successors::<M>),
        representative: M::SYMMETRIC.then_some(representative::<M>),
        create_scratch: Some(create_scratch::<M>),
        destroy_scratch: Some(destroy_scratch::<M>),
        close: Some(close::<M>),
        is_truncated: Some(is_truncated::<M>),
        was_truncated: Some(was_truncated::<M>),
        explain: Some(explain::<M>),
    };
    let export = Box::into_raw(Box::new(Export {
        model,
        bits,
        size,
        _labels: labels,
        _texts: texts,
        table,
    }));
    // SAFETY: it has just been made, and nobody else has it.
    unsafe {
        (*export).table.object = export.cast();
        Ok(&raw const (*export).table)
    }
}

fn no_byte_0(text: &[u8]) -> ModelError {
    let text = text.escape_ascii();
    ModelError::new(format!("a label of a plugin has no byte 0: `{text}`"))
}

impl<M: Exported> Export<M> {
    fn has_numbers(&self) -> bool {
        self.table.numbers != 0
    }

    /// Whether words are a state, as far as the other side could not tell.
    fn is_state(&self, state: &[u64]) -> bool {
        let words = words(self.bits);
        let last = self.bits - 64 * (words - 1);
        state.len() == words && (last == 64 || state[words - 1] >> last == 0)
    }

    /// # Errors
    /// If the words are no state.
    ///
    /// # Safety
    /// `place` has the bytes of a state.
    unsafe fn put(&self, state: &mut [u64], place: *mut c_void) -> Result<(), ModelError> {
        if !self.is_state(state) {
            return Err(self.no_state());
        }
        to_machine(state, self.has_numbers());
        // SAFETY: the words of a state have at least as many bytes as `size`.
        unsafe { ptr::copy_nonoverlapping(state.as_ptr().cast(), place.cast::<u8>(), self.size) };
        Ok(())
    }

    /// # Safety
    /// `place` has the bytes of a state.
    unsafe fn get(&self, state: &mut [u64], place: *const c_void) {
        state.fill(0);
        // SAFETY: as above.
        unsafe {
            ptr::copy_nonoverlapping(place.cast(), state.as_mut_ptr().cast::<u8>(), self.size);
        }
        from_machine(state, self.has_numbers());
    }

    fn no_state(&self) -> ModelError {
        let bits = self.bits;
        ModelError::new(format!(
            "what the model gives is no state of {}",
            counted(bits, "bit")
        ))
    }
}

/// Does the work. 0, or else the number of a limit or 1, and the reason in its place:
/// panics do not leave this.
///
/// # Safety
/// `reason` is null or a place for a reason.
unsafe fn guarded(reason: *mut Reason, work: impl FnOnce() -> Result<(), ModelError>) -> i32 {
    let (status, text) = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return 0,
        Ok(Err(error)) => (error.reached().map_or(1, limit_status), error.to_string()),
        Err(panic) => (1, format!("the model panics: {}", payload(&*panic))),
    };
    // SAFETY: as this function.
    if let Some(reason) = unsafe { reason.as_mut() } {
        let length = text.len().min(REASON_SIZE - 1);
        reason.text[..length].copy_from_slice(&text.as_bytes()[..length]);
        reason.text[length] = 0;
    }
    status
}

fn payload(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no reason is known")
}

// SAFETY of what follows: the host calls with what it got from this table and
// with what the header promises: `object` is the `Export` until it is closed,
// scratch memory is `Memory` of its model and with one thread at a time.

unsafe extern "C" fn initial<M: Exported>(
    object: *mut c_void,
    state: *mut c_void,
    reason: *mut Reason,
) -> i32 {
    let work = || {
        // SAFETY: see above.
        let export = unsafe { &*object.cast::<Export<M>>() };
        let mut words = vec![0; words(export.bits)];
        export.model.initial(&mut words)?;
        // SAFETY: see above.
        unsafe { export.put(&mut words, state) }
    };
    // SAFETY: see above.
    unsafe { guarded(reason, work) }
}

unsafe extern "C" fn successors<M: Exported>(
    object: *mut c_void,
    memory: *mut c_void,
    state: *const c_void,
    emit: *const EmitTable,
    call: Call,
    reason: *mut Reason,
) -> i32 {
    let work = || {
        // SAFETY: see above.
        let export = unsafe { &*object.cast::<Export<M>>() };
        // SAFETY: see above.
        let memory = unsafe { &mut *memory.cast::<Memory<M::Scratch>>() };
        // SAFETY: see above.
        unsafe { export.get(&mut memory.state, state) };
        let mut host = Host {
            export,
            // SAFETY: see above.
            emit: unsafe { &*emit },
            call,
            text: &mut memory.text,
            error: None,
            is_done: false,
        };
        let model = &export.model;
        model.successors(&mut memory.scratch, &memory.state, &mut host)?;
        host.error.map_or(Ok(()), Err)
    };
    // SAFETY: see above.
    unsafe { guarded(reason, work) }
}

/// What the host wants to have transitions by.
struct Host<'a, M> {
    export: &'a Export<M>,
    emit: &'a EmitTable,
    call: Call,
    text: &'a mut Vec<u8>,
    error: Option<ModelError>,
    /// Whether the host has said that there is no point in going on.
    is_done: bool,
}

impl<M: Exported> Emit for Host<'_, M> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        if text.contains(&0) {
            self.error.get_or_insert_with(|| no_byte_0(text));
            return LabelId::HIDDEN;
        }
        self.text.clear();
        self.text.extend_from_slice(text);
        self.text.push(0);
        // SAFETY: the text has a byte 0, and the call is under way.
        let label = unsafe { (self.emit.label)(self.call, self.text.as_ptr().cast()) };
        // The host knows what is wrong with it then.
        LabelId::new(if label == NO_LABEL { 0 } else { label })
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        let (export, emit, call) = (self.export, self.emit, self.call);
        if !export.is_state(target) {
            self.error.get_or_insert_with(|| export.no_state());
            return;
        }
        let give = |target: &[u64]| {
            let target = target.as_ptr().cast();
            // SAFETY: the words of a state have at least as many bytes as
            // `size`, and the call is under way.
            unsafe { (emit.transition)(call, label.get(), target, export.size) != 0 }
        };
        self.is_done |= if cfg!(target_endian = "little") {
            give(target)
        } else {
            let mut target = target.to_vec();
            to_machine(&mut target, export.has_numbers());
            give(&target)
        };
    }

    fn is_done(&self) -> bool {
        self.is_done
    }
}

unsafe extern "C" fn representative<M: Exported>(
    object: *mut c_void,
    memory: *mut c_void,
    state: *const c_void,
    representative: *mut c_void,
    reason: *mut Reason,
) -> i32 {
    let work = || {
        // SAFETY: see above.
        let export = unsafe { &*object.cast::<Export<M>>() };
        // SAFETY: see above.
        let Memory {
            scratch,
            state: words,
            ..
        } = unsafe { &mut *memory.cast::<Memory<M::Scratch>>() };
        // SAFETY: see above.
        unsafe { export.get(words, state) };
        export.model.representative(scratch, words)?;
        // SAFETY: see above.
        unsafe { export.put(words, representative) }
    };
    // SAFETY: see above.
    unsafe { guarded(reason, work) }
}

/// After a panic nothing is known of the state.
unsafe extern "C" fn is_truncated<M: Exported>(object: *mut c_void, state: *const c_void) -> i32 {
    let mut is = true;
    let work = || {
        // SAFETY: see above.
        let export = unsafe { &*object.cast::<Export<M>>() };
        let mut words = vec![0; words(export.bits)];
        // SAFETY: see above.
        unsafe { export.get(&mut words, state) };
        is = export.model.is_truncated(&words);
        Ok(())
    };
    // SAFETY: null is allowed.
    unsafe { guarded(ptr::null_mut(), work) };
    i32::from(is)
}

/// As [`is_truncated`].
unsafe extern "C" fn was_truncated<M: Exported>(object: *mut c_void) -> i32 {
    let mut was = true;
    let work = || {
        // SAFETY: see above.
        was = unsafe { &*object.cast::<Export<M>>() }
            .model
            .was_truncated();
        Ok(())
    };
    // SAFETY: null is allowed.
    unsafe { guarded(ptr::null_mut(), work) };
    i32::from(was)
}

/// After a panic there is nothing to say.
unsafe extern "C" fn explain<M: Exported>(
    object: *mut c_void,
    source: *const c_void,
    label: *const c_char,
    target: *const c_void,
    place: *mut c_char,
    size: usize,
) -> usize {
    let mut length = 0;
    let work = || {
        // SAFETY: see above.
        let export = unsafe { &*object.cast::<Export<M>>() };
        let [mut from, mut to] = [(); 2].map(|()| vec![0; words(export.bits)]);
        // SAFETY: see above.
        unsafe {
            export.get(&mut from, source);
            export.get(&mut to, target);
        }
        let label = match label.is_null() {
            true => None,
            // SAFETY: a text that ends with a byte 0.
            false => Some(unsafe { CStr::from_ptr(label) }.to_bytes()),
        };
        let text = export.model.explain(&from, label, &to).join("\n");
        length = text.len();
        if length < size {
            // SAFETY: there is room for `size` bytes.
            unsafe { ptr::copy_nonoverlapping(text.as_ptr(), place.cast(), length) };
        }
        Ok(())
    };
    // SAFETY: null is allowed.
    unsafe { guarded(ptr::null_mut(), work) };
    length
}

unsafe extern "C" fn create_scratch<M: Exported>(
    object: *mut c_void,
    reason: *mut Reason,
) -> *mut c_void {
    let mut created = ptr::null_mut();
    let work = || {
        // SAFETY: see above.
        let export = unsafe { &*object.cast::<Export<M>>() };
        let memory = Memory {
            scratch: export.model.scratch(),
            state: vec![0; words(export.bits)],
            text: Vec::new(),
        };
        created = Box::into_raw(Box::new(memory)).cast();
        Ok(())
    };
    // SAFETY: see above.
    unsafe { guarded(reason, work) };
    created
}

unsafe extern "C" fn destroy_scratch<M: Exported>(_: *mut c_void, memory: *mut c_void) {
    let work = || {
        // SAFETY: from `create_scratch`, and destroyed once.
        drop(unsafe { Box::from_raw(memory.cast::<Memory<M::Scratch>>()) });
        Ok(())
    };
    // SAFETY: null is allowed.
    unsafe { guarded(ptr::null_mut(), work) };
}

unsafe extern "C" fn close<M: Exported>(object: *mut c_void) {
    let work = || {
        // SAFETY: from `table`, and closed once.
        drop(unsafe { Box::from_raw(object.cast::<Export<M>>()) });
        Ok(())
    };
    // SAFETY: null is allowed.
    unsafe { guarded(ptr::null_mut(), work) };
}
