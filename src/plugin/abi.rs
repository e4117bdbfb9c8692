//! `include/hyades_model.h` in Rust, name by name. What it all means is told
//! there.

use std::ffi::{c_char, c_void};
use std::mem::offset_of;

use hyades_explore::Limit;
use hyades_formats::diagnostic::printable;

/// `HYADES_MODEL_VERSION`.
pub const VERSION: u32 = 2;
/// The first version, whose table ends with [`ModelTable::close`].
pub const FIRST_VERSION: u32 = 1;
/// `HYADES_LIMIT`.
pub const LIMIT: i32 = 0x10000;
/// `HYADES_NO_LABEL`.
pub const NO_LABEL: u32 = u32::MAX;
/// `HYADES_ONE_THREAD`.
pub const ONE_THREAD: u32 = 1;
/// `HYADES_MAX_STATE_SIZE`.
pub const MAX_STATE_SIZE: usize = 1 << 20;
/// `HYADES_MAX_LABEL_SIZE`.
pub const MAX_LABEL_SIZE: usize = 1 << 20;
/// `HYADES_MAX_EXPLANATION_SIZE`.
pub const MAX_EXPLANATION_SIZE: usize = 1 << 20;
/// The size of a [`Reason`].
pub const REASON_SIZE: usize = 1024;

/// `hyades_error`.
#[derive(Debug)]
#[repr(C)]
pub struct Reason {
    /// Ends at the first byte 0 or at its end.
    pub text: [u8; REASON_SIZE],
}

/// `hyades_call`.
pub type Call = u64;

/// `hyades_emit`.
#[derive(Debug)]
#[repr(C)]
#[allow(missing_docs)]
pub struct EmitTable {
    pub label: unsafe extern "C" fn(Call, *const c_char) -> u32,
    pub transition: unsafe extern "C" fn(Call, u32, *const c_void, usize) -> i32,
}

/// `hyades_model.initial`.
pub type Initial = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut Reason) -> i32;
/// `hyades_model.successors`.
pub type Successors = unsafe extern "C" fn(
    *mut c_void,
    *mut c_void,
    *const c_void,
    *const EmitTable,
    Call,
    *mut Reason,
) -> i32;
/// `hyades_model.representative`.
pub type Representative =
    unsafe extern "C" fn(*mut c_void, *mut c_void, *const c_void, *mut c_void, *mut Reason) -> i32;
/// `hyades_model.create_scratch`.
pub type CreateScratch = unsafe extern "C" fn(*mut c_void, *mut Reason) -> *mut c_void;
/// `hyades_model.destroy_scratch`.
pub type DestroyScratch = unsafe extern "C" fn(*mut c_void, *mut c_void);
/// `hyades_model.close`.
pub type Close = unsafe extern "C" fn(*mut c_void);
/// `hyades_model.is_truncated`.
pub type IsTruncated = unsafe extern "C" fn(*mut c_void, *const c_void) -> i32;
/// `hyades_model.was_truncated`.
pub type WasTruncated = unsafe extern "C" fn(*mut c_void) -> i32;
/// `hyades_model.explain`.
pub type Explain = unsafe extern "C" fn(
    *mut c_void,
    *const c_void,
    *const c_char,
    *const c_void,
    *mut c_char,
    usize,
) -> usize;
/// `hyades_model_open`.
pub type Open = unsafe extern "C" fn(*const c_char, *mut Reason) -> *const ModelTable;

/// `hyades_model`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct ModelTable {
    pub version: u32,
    pub flags: u32,
    pub hidden_label: u32,
    pub label_count: u32,
    pub labels: *const *const c_char,
    pub state_size: usize,
    pub numbers: u32,
    pub reserved: u32,
    pub object: *mut c_void,
    pub initial: Option<Initial>,
    pub successors: Option<Successors>,
    pub representative: Option<Representative>,
    pub create_scratch: Option<CreateScratch>,
    pub destroy_scratch: Option<DestroyScratch>,
    pub close: Option<Close>,
    // From version 2 on.
    pub is_truncated: Option<IsTruncated>,
    pub was_truncated: Option<WasTruncated>,
    pub explain: Option<Explain>,
}

/// How many bytes a table of [`FIRST_VERSION`] has.
pub const FIRST_SIZE: usize = offset_of!(ModelTable, is_truncated);

/// What a function returns because of this limit. Those of models in Rust have numbers behind
/// that of a model's own limit.
pub(super) fn limit_status(limit: Limit) -> i32 {
    LIMIT
        + match limit {
            Limit::Model => 0,
            Limit::States => 1,
            Limit::Hidden => 2,
            Limit::Channels => 3,
            Limit::Memory => 4,
        }
}

/// The reverse of [`limit_status`].
pub(super) fn limit_of(status: i32) -> Option<Limit> {
    let limits = [
        Limit::Model,
        Limit::States,
        Limit::Hidden,
        Limit::Channels,
        Limit::Memory,
    ];
    limits.into_iter().find(|&l| limit_status(l) == status)
}

impl Reason {
    /// No reason.
    pub(super) fn new() -> Self {
        Self {
            text: [0; REASON_SIZE],
        }
    }

    /// The text for the user: what is no text or would move the cursor is
    /// escaped.
    pub(super) fn show(&self) -> String {
        let end = self.text.iter().position(|&b| b == 0);
        let text = self.text[..end.unwrap_or(REASON_SIZE)].trim_ascii();
        match text.is_empty() {
            true => "it gives no reason".into(),
            false => String::from_utf8_lossy(&printable(text)).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &[u8]) -> String {
        let mut reason = Reason::new();
        reason.text[..text.len()].copy_from_slice(text);
        reason.show()
    }

    #[test]
    fn reasons_of_all_kinds() {
        assert_eq!(shown(b"no disk 3\0 4"), "no disk 3");
        assert_eq!(shown(b""), "it gives no reason");
        assert_eq!(shown(b" \n\0"), "it gives no reason");
        assert_eq!(shown(b"a\x1b[2Jb\n"), "a\\x1B[2Jb");
        assert_eq!(shown(b"\xff"), "\\xFF");
        assert_eq!(shown(&[b'x'; REASON_SIZE]).len(), REASON_SIZE);
    }
}
