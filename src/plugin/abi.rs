//! `include/hyades_model.h` in Rust, name by name. What it all means is told
//! there.

use std::ffi::{c_char, c_void};

use hyades_formats::diagnostic::printable;

/// `HYADES_MODEL_VERSION`.
pub const VERSION: u32 = 1;
/// `HYADES_NO_LABEL`.
pub const NO_LABEL: u32 = u32::MAX;
/// `HYADES_ONE_THREAD`.
pub const ONE_THREAD: u32 = 1;
/// `HYADES_MAX_STATE_SIZE`.
pub const MAX_STATE_SIZE: usize = 1 << 20;
/// `HYADES_MAX_LABEL_SIZE`.
pub const MAX_LABEL_SIZE: usize = 1 << 20;
/// The size of a [`Reason`].
pub const REASON_SIZE: usize = 1024;

/// `hyades_error`.
#[repr(C)]
pub struct Reason {
    /// Ends at the first byte 0 or at its end.
    pub text: [u8; REASON_SIZE],
}

/// `hyades_call`.
pub type Call = u64;

/// `hyades_emit`.
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
/// `hyades_model_open`.
pub type Open = unsafe extern "C" fn(*const c_char, *mut Reason) -> *const ModelTable;

/// `hyades_model`.
#[repr(C)]
#[derive(Clone, Copy)]
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
