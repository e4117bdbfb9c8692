//! What a call of `successors` hands over: the callbacks that a plugin gets, and
//! where they put transitions.
//!
//! A plugin may call back when it should not: after its function has returned,
//! on another thread, with a number made up. So the number of a call is no
//! pointer. Each thread knows the one call that is under way on it, if there is
//! one, and a number that is another is a mistake to be told, not memory to be
//! looked at.

use std::cell::Cell;
use std::collections::HashSet;
use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::fast::RandomState;
use hyades_formats::diagnostic::counted;

use super::abi::{Call, EmitTable, MAX_LABEL_SIZE, NO_LABEL};
use super::place::{from_machine, words};
use super::table::Labels;

/// The transitions of one state as a plugin hands them over.
pub(super) struct Row {
    call: Call,
    size: usize,
    /// See [`hyades_explore::Model::numbers`].
    numbers: Option<u32>,
    /// How many labels are known beforehand.
    known: u32,
    /// The labels of the transitions.
    labels: Vec<u32>,
    /// Their targets, one after the other.
    targets: Vec<u64>,
    /// The number of the first label that this call introduces. It grows from
    /// call to call, so that a number of an earlier call is noticed.
    first: u32,
    /// The texts that this call introduces, one after the other, and where each
    /// of them ends.
    texts: Vec<u8>,
    ends: Vec<usize>,
    /// See [`hyades_explore::Emit::most_targets`].
    most: usize,
    /// With so many transitions, it is time to count their targets.
    count_at: usize,
    /// Whether there are more targets than matter.
    is_enough: bool,
    /// The first mistake of this call.
    mistake: Option<String>,
    /// What labels are looked up in; see [`Row::ask`].
    table: *const Labels,
}

/// A label as it is compared between rows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Label<'r> {
    /// The place in the plugin's table.
    Known(u32),
    /// The text of a label introduced on the fly.
    New(&'r [u8]),
}

// SAFETY: `table` is set only while `Row::ask` runs, which is on one thread.
unsafe impl Send for Row {}

impl Row {
    /// An empty row for states of so many bytes; `calls` is the number that its
    /// calls begin with.
    pub(super) fn new(size: usize, numbers: Option<u32>, known: u32, calls: Call) -> Self {
        Self {
            call: calls,
            size,
            numbers,
            known,
            labels: Vec::new(),
            targets: Vec::new(),
            first: known,
            texts: Vec::new(),
            ends: Vec::new(),
            most: usize::MAX,
            count_at: usize::MAX,
            is_enough: false,
            mistake: None,
            table: ptr::null(),
        }
    }

    /// Empties the row, and fills it with what `work` hands over to the
    /// callbacks with the number that it gets, until there are more targets than
    /// `most`.
    ///
    /// # Errors
    /// If something was handed over that cannot be.
    pub(super) fn ask<T>(
        &mut self,
        table: &Labels,
        most: usize,
        work: impl FnOnce(Call) -> T,
    ) -> Result<T, String> {
        self.labels.clear();
        self.targets.clear();
        // Should the numbers ever come to their end, they begin anew.
        let next = self.first.checked_add(self.ends.len() as u32);
        self.first = next.filter(|&n| n < 1 << 31).unwrap_or(self.known);
        self.texts.clear();
        self.ends.clear();
        self.most = most;
        self.count_at = most.saturating_add(1).max(COUNT_FROM);
        self.is_enough = false;
        self.mistake = None;
        // The lower half counts calls, the upper half tells the plugin and the
        // row.
        self.call = (self.call & !CALLS) | ((self.call + 1) & CALLS);
        self.table = table;
        let call = self.call;
        let done = {
            let _active = Active(CURRENT.replace(self));
            work(call)
        };
        self.table = ptr::null();
        match self.mistake.take() {
            Some(mistake) => Err(mistake),
            None => Ok(done),
        }
    }

    /// The texts of the labels that were introduced; numbers begin with
    /// [`Row::first_new`].
    pub(super) fn new_labels(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len()).map(|k| self.text(k))
    }

    /// The number of the first label that was introduced. Numbers below are
    /// those of the plugin's table.
    pub(super) fn first_new(&self) -> u32 {
        self.first
    }

    /// Labels, by their numbers, and targets of the transitions.
    pub(super) fn transitions(&self) -> impl Iterator<Item = (u32, &[u64])> {
        let targets = self.targets.chunks_exact(words(self.size));
        self.labels.iter().copied().zip(targets)
    }

    /// The transitions in a form that can be compared with that of other rows.
    pub(super) fn comparable(&self) -> impl Iterator<Item = (Label<'_>, &[u64])> {
        self.transitions().map(|(label, target)| {
            let label = match label < self.known {
                true => Label::Known(label),
                false => Label::New(self.text((label - self.first) as usize)),
            };
            (label, target)
        })
    }

    fn text(&self, k: usize) -> &[u8] {
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        &self.texts[start..self.ends[k]]
    }

    /// Remembers the first mistake.
    fn wrong(&mut self, mistake: impl FnOnce() -> String) {
        if self.mistake.is_none() {
            self.mistake = Some(mistake());
        }
    }

    /// # Safety
    /// `text` is null or ends with a byte 0 within the process's memory.
    unsafe fn label(&mut self, text: *const c_char) -> u32 {
        if self.mistake.is_some() {
            return NO_LABEL;
        }
        // SAFETY: as this function.
        let text = match unsafe { label_text(text) } {
            Ok(text) => text,
            Err(why) => {
                self.wrong(|| format!("a label introduced on the fly {why}"));
                return NO_LABEL;
            }
        };
        // SAFETY: `ask` has set it to labels that it borrows, and is not done:
        // this row is the current one of this thread.
        if let Some(known) = unsafe { &*self.table }.find(text) {
            return known;
        }
        let number = self.first + self.ends.len() as u32;
        if number >= u32::MAX - 1 {
            self.wrong(|| "too many labels are introduced on the fly".into());
            return NO_LABEL;
        }
        self.texts.extend_from_slice(text);
        self.ends.push(self.texts.len());
        number
    }

    /// # Safety
    /// `target` is null or can be read for `size` bytes.
    unsafe fn transition(&mut self, label: u32, target: *const c_void, size: usize) -> i32 {
        if self.mistake.is_some() || self.is_enough {
            return 1;
        }
        let introduced = self.first..self.first + self.ends.len() as u32;
        if label >= self.known && !introduced.contains(&label) {
            self.wrong_label(label, introduced.len());
            return 1;
        }
        if size != self.size {
            let expected = self.size;
            self.wrong(|| {
                format!(
                    "the target of a transition has {}, but a state has {expected}",
                    counted(size, "byte")
                )
            });
            return 1;
        }
        if target.is_null() {
            self.wrong(|| "the target of a transition is a null pointer".into());
            return 1;
        }
        let start = self.targets.len();
        self.targets.resize(start + words(size), 0);
        let place = &mut self.targets[start..];
        // SAFETY: the caller vouches for the source; the place has at least
        // `size` bytes, and is ours, so that they do not overlap.
        unsafe { ptr::copy_nonoverlapping(target.cast(), place.as_mut_ptr().cast::<u8>(), size) };
        from_machine(place, self.numbers.is_some());
        let number = place[0];
        if let Some(bound) = self.numbers
            && number >= u64::from(bound)
        {
            self.wrong(|| {
                format!("the target of a transition is number {number}, but there are {bound} only")
            });
            return 1;
        }
        self.labels.push(label);
        if self.labels.len() >= self.count_at {
            self.count_targets();
        }
        i32::from(self.is_enough)
    }

    /// Finds out whether there are enough targets; if not, the next time is when
    /// there are twice as many transitions.
    #[cold]
    fn count_targets(&mut self) {
        let targets = self.targets.chunks_exact(words(self.size));
        let different: HashSet<&[u64], RandomState> = targets.collect();
        self.is_enough = different.len() > self.most;
        self.count_at = self.labels.len().saturating_mul(2);
    }

    #[cold]
    fn wrong_label(&mut self, label: u32, introduced: usize) {
        let known = self.known;
        self.wrong(|| {
            if label == NO_LABEL {
                return "a transition has no label (HYADES_NO_LABEL)".into();
            }
            format!(
                "a transition has label {label}, but the table has {}, and {introduced} {} \
                 introduced in this call",
                counted(known, "label"),
                if introduced == 1 { "was" } else { "were" }
            )
        });
    }
}

/// # Errors
/// What is wrong with the text.
///
/// # Safety
/// `text` is null or ends with a byte 0, for as long as the result is used.
pub(super) unsafe fn label_text<'a>(text: *const c_char) -> Result<&'a [u8], String> {
    if text.is_null() {
        return Err("is a null pointer".into());
    }
    // SAFETY: not null, and looked at up to a byte 0 only.
    let length = unsafe { libc::strnlen(text, MAX_LABEL_SIZE + 1) };
    if length > MAX_LABEL_SIZE {
        return Err(format!(
            "has more than {MAX_LABEL_SIZE} bytes, or no byte 0 at its end"
        ));
    }
    // SAFETY: these bytes have just been looked at.
    Ok(unsafe { std::slice::from_raw_parts(text.cast(), length) })
}

/// Of fewer transitions the targets are not counted.
const COUNT_FROM: usize = 1 << 12;

/// The bits of a number of a call that count calls.
pub(super) const CALLS: Call = u32::MAX as Call;

thread_local! {
    /// The row that is being filled on this thread.
    static CURRENT: Cell<*mut Row> = const { Cell::new(ptr::null_mut()) };
}

/// Restores what was current before when a call is over.
struct Active(*mut Row);

impl Drop for Active {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// The callbacks, for every plugin and call.
pub(super) static EMIT: EmitTable = EmitTable { label, transition };

// Nothing below panics: what is indexed has been checked, and if there is no
// memory the process ends (or aborts, as a panic in a function of C would).

unsafe extern "C" fn label(call: Call, text: *const c_char) -> u32 {
    match current(call) {
        // SAFETY: the plugin vouches for the text.
        Some(row) => unsafe { row.label(text) },
        None => NO_LABEL,
    }
}

unsafe extern "C" fn transition(call: Call, label: u32, target: *const c_void, size: usize) -> i32 {
    match current(call) {
        // SAFETY: the plugin vouches for the target.
        Some(row) => unsafe { row.transition(label, target, size) },
        None => 1,
    }
}

/// The row that this call fills, if it is under way on this thread.
#[inline]
fn current<'a>(call: Call) -> Option<&'a mut Row> {
    // SAFETY: `Row::ask` has put it there, lends the row to nobody else until
    // it takes it away again, and this reference is gone when the callback
    // returns.
    let row = unsafe { CURRENT.get().as_mut() };
    match row {
        Some(row) if row.call == call => Some(row),
        row => {
            stray(call, row);
            None
        }
    }
}

/// Calls from nowhere, by the plugin whose number they had.
static STRAYS: Mutex<Vec<u16>> = Mutex::new(Vec::new());
static ANY_STRAY: AtomicBool = AtomicBool::new(false);

#[cold]
fn stray(call: Call, row: Option<&mut Row>) {
    match row {
        // Whoever it is, runs within this call.
        Some(row) => row.wrong(stray_text),
        None => {
            let mut strays = STRAYS.lock().unwrap_or_else(|e| e.into_inner());
            let plugin = (call >> 48) as u16;
            if !strays.contains(&plugin) {
                strays.push(plugin);
            }
            ANY_STRAY.store(true, Ordering::Relaxed);
        }
    }
}

fn stray_text() -> String {
    "a callback was called for a call of successors that is over, or is not under way on this \
     thread"
        .into()
}

/// # Errors
/// If this plugin has called back from nowhere. That is forgotten then.
#[inline]
pub(super) fn check_strays(plugin: u16) -> Result<(), String> {
    match ANY_STRAY.load(Ordering::Relaxed) {
        true => take_stray(plugin),
        false => Ok(()),
    }
}

#[cold]
fn take_stray(plugin: u16) -> Result<(), String> {
    let mut strays = STRAYS.lock().unwrap_or_else(|e| e.into_inner());
    let before = strays.len();
    strays.retain(|&p| p != plugin);
    match strays.len() < before {
        true => Err(stray_text()),
        false => Ok(()),
    }
}
