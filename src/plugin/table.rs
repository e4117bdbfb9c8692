//! The table that a plugin gives, once it has been found to be in order.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, MutexGuard};

use hyades_formats::diagnostic::{counted, there_are};
use hyades_formats::{LabelId, LabelTable};

use super::abi::{
    Close, CreateScratch, DestroyScratch, Explain, FIRST_SIZE, FIRST_VERSION, Initial, IsTruncated,
    MAX_STATE_SIZE, ModelTable, NO_LABEL, ONE_THREAD, Reason, Representative, Successors, VERSION,
    WasTruncated,
};
use super::ended::Call;
use super::row::{check_strays, label_text};

/// The labels that a plugin has beforehand.
pub(super) struct Labels {
    /// Without the hidden one.
    pub(super) table: LabelTable,
    /// The labels by their places in the plugin's table.
    pub(super) ids: Vec<LabelId>,
    /// Place and text of the hidden label, which need not have one.
    hidden: Option<(u32, Option<Vec<u8>>)>,
}

impl Labels {
    /// The place of the label with this text in the plugin's table.
    pub(super) fn find(&self, text: &[u8]) -> Option<u32> {
        if let Some((place, Some(hidden))) = &self.hidden
            && hidden == text
        {
            return Some(*place);
        }
        // Visible labels are numbered from 1 in the order of their places, from
        // which the hidden one is missing.
        let place = self.table.find(text)?.get() - 1;
        Some(match self.hidden {
            Some((hidden, _)) if place >= hidden => place + 1,
            _ => place,
        })
    }

    /// # Errors
    /// If a label cannot be, or if there are two with the same text.
    ///
    /// # Safety
    /// As for [`Table::new`].
    unsafe fn new(model: &ModelTable) -> Result<Self, String> {
        let count = model.label_count;
        let mut labels = Self {
            table: LabelTable::new(),
            ids: Vec::new(),
            hidden: None,
        };
        if count > 0 && model.labels.is_null() {
            return Err(format!(
                "it has {}, but its field labels is null",
                counted(count, "label")
            ));
        }
        if model.hidden_label != NO_LABEL && model.hidden_label >= count {
            return Err(format!(
                "its hidden_label is {}, but {} (HYADES_NO_LABEL if none is hidden)",
                model.hidden_label,
                there_are(count, "label")
            ));
        }
        for k in 0..count {
            // SAFETY: there are `count` pointers, each null or a text.
            let text = unsafe { *model.labels.add(k as usize) };
            if k == model.hidden_label && text.is_null() {
                labels.ids.push(LabelId::HIDDEN);
                labels.hidden = Some((k, None));
                continue;
            }
            // SAFETY: as above.
            let text = unsafe { label_text(text) }.map_err(|why| format!("label {k} {why}"))?;
            if let Some(other) = labels.find(text) {
                let text = text.escape_ascii();
                return Err(format!("labels {other} and {k} are both `{text}`"));
            }
            labels.ids.push(if k == model.hidden_label {
                labels.hidden = Some((k, Some(text.to_vec())));
                LabelId::HIDDEN
            } else {
                labels.table.intern(text).map_err(|e| e.to_string())?
            });
        }
        Ok(labels)
    }
}

/// A model of a plugin, open until it is dropped.
pub(super) struct Table {
    /// What tells its calls from those of other plugins.
    pub(super) id: u16,
    pub(super) labels: Labels,
    /// Bytes of a state.
    pub(super) size: usize,
    /// See [`hyades_explore::Model::numbers`].
    pub(super) numbers: Option<u32>,
    pub(super) object: *mut c_void,
    pub(super) initial: Initial,
    pub(super) successors: Successors,
    pub(super) representative: Option<Representative>,
    pub(super) is_truncated: Option<IsTruncated>,
    pub(super) was_truncated: Option<WasTruncated>,
    pub(super) explain: Option<Explain>,
    /// Whether there are statuses that tell of a limit.
    pub(super) has_limits: bool,
    scratch: Option<(CreateScratch, DestroyScratch)>,
    close: Option<Close>,
    /// Taken by who calls a model that one thread only may call at a time.
    turn: Option<Mutex<()>>,
    rows: AtomicU16,
}

// SAFETY: the header has it that the functions are called by several threads at
// once; where they must not, `turn` sees to it. `object` is given to them only.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

static PLUGINS: AtomicU16 = AtomicU16::new(1);

impl Table {
    /// Takes over a model.
    ///
    /// # Errors
    /// If the table is not in order; the model is not closed then, as nothing
    /// of such a table is to be trusted.
    ///
    /// # Safety
    /// `model` is null, or a table as `include/hyades_model.h` has it, as far as
    /// that cannot be checked: what is no null pointer points to what the header
    /// says.
    pub(super) unsafe fn new(model: *const ModelTable) -> Result<Self, String> {
        if model.is_null() {
            return Err("there is no table of the model".into());
        }
        // SAFETY: not null. A table of another version may be shorter, so this
        // field is looked at alone.
        let version = unsafe { (&raw const (*model).version).read() };
        let size = match version {
            VERSION => size_of::<ModelTable>(),
            FIRST_VERSION => FIRST_SIZE,
            _ => {
                return Err(format!(
                    "it is made for version {version} of hyades_model.h, but this is version \
                     {VERSION}"
                ));
            }
        };
        // Functions that the version has not are null.
        let mut table = MaybeUninit::<ModelTable>::zeroed();
        // SAFETY: not null, and a table of this version has so many bytes; zeros are null
        // pointers, no functions and numbers.
        let table = unsafe {
            std::ptr::copy_nonoverlapping(model.cast::<u8>(), table.as_mut_ptr().cast(), size);
            table.assume_init()
        };
        let model = &table;
        if model.flags & !ONE_THREAD != 0 {
            return Err(format!("its flags {:#x} have no meaning", model.flags));
        }
        if model.reserved != 0 {
            return Err("its field reserved is not 0".into());
        }
        let size = model.state_size;
        if size == 0 || size > MAX_STATE_SIZE {
            return Err(format!(
                "its state_size is {size}; a state has 1 to {MAX_STATE_SIZE} bytes"
            ));
        }
        if model.numbers != 0 && size != size_of::<u32>() {
            return Err(format!(
                "its states are numbers of 4 bytes (field numbers), but its state_size is {size}"
            ));
        }
        let missing = |name| format!("its function {name} is null");
        let scratch = match (model.create_scratch, model.destroy_scratch) {
            (Some(create), Some(destroy)) => Some((create, destroy)),
            (None, None) => None,
            (Some(_), None) => return Err(missing("destroy_scratch")),
            (None, Some(_)) => return Err(missing("create_scratch")),
        };
        if model.is_truncated.is_some() && model.was_truncated.is_none() {
            return Err(missing("was_truncated") + ", and is_truncated is not");
        }
        let one_thread = model.flags & ONE_THREAD != 0;
        Ok(Self {
            id: PLUGINS.fetch_add(1, Ordering::Relaxed),
            initial: model.initial.ok_or_else(|| missing("initial"))?,
            successors: model.successors.ok_or_else(|| missing("successors"))?,
            // SAFETY: as this function.
            labels: unsafe { Labels::new(model)? },
            size,
            numbers: (model.numbers > 0).then_some(model.numbers),
            object: model.object,
            representative: model.representative,
            is_truncated: model.is_truncated,
            was_truncated: model.was_truncated,
            explain: model.explain,
            has_limits: version > FIRST_VERSION,
            scratch,
            close: model.close,
            turn: one_thread.then(Mutex::default),
            rows: AtomicU16::new(0),
        })
    }

    /// To be held while the model is called.
    #[inline]
    pub(super) fn turn(&self) -> (Option<MutexGuard<'_, ()>>, Call) {
        let turn = self.turn.as_ref();
        let turn = turn.map(|turn| turn.lock().unwrap_or_else(|e| e.into_inner()));
        (turn, Call::begin())
    }

    /// What tells the calls of a row from those of other rows.
    pub(super) fn calls_of_row(&self) -> u64 {
        let row = self.rows.fetch_add(1, Ordering::Relaxed);
        (u64::from(self.id) << 48) | (u64::from(row) << 32)
    }

    /// Memory for the model to write on.
    ///
    /// # Errors
    /// If the model has none.
    pub(super) fn create_scratch(&self) -> Result<*mut c_void, String> {
        let Some((create, _)) = self.scratch else {
            return Ok(std::ptr::null_mut());
        };
        let mut reason = Reason::new();
        let _turn = self.turn();
        // SAFETY: the function is the model's, `reason` lives.
        let memory = unsafe { create(self.object, &mut reason) };
        match memory.is_null() {
            true => Err(format!("create_scratch fails: {}", reason.show())),
            false => Ok(memory),
        }
    }

    /// Ends what [`Table::create_scratch`] has given; to be called once.
    pub(super) fn destroy_scratch(&self, memory: *mut c_void) {
        if let Some((_, destroy)) = self.scratch {
            let _turn = self.turn();
            // SAFETY: the function is the model's, and so is the memory, which
            // nobody uses any more.
            unsafe { destroy(self.object, memory) }
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // Should the number ever come again, it begins without mistakes.
        let _ = check_strays(self.id);
        if let Some(close) = self.close {
            let _call = Call::begin();
            // SAFETY: the function is the model's; nobody calls it any more.
            unsafe { close(self.object) }
        }
    }
}
