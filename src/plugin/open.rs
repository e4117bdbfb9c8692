//! Loading shared objects.

use std::ffi::{CString, OsStr};
use std::io;
use std::mem::ManuallyDrop;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hyades_formats::diagnostic::printable_path;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::abi::{Open, Reason};
use super::ended::{self, Call};
use super::table::Table;
use crate::explore::ModelError;

/// The function that a plugin exports.
const OPEN: &str = "hyades_model_open";

/// Whether a file is to be taken for a plugin: by the ending `.so` of its name
/// alone. Its content does not count, as who opens data does not want to run code.
pub fn is_plugin(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("so"))
}

/// Whether a shared object lacks bytes of its segments: the system would load
/// it, and end the process when it touches them. What is no such object of this
/// machine's kind is not looked at; the system knows how to refuse it.
///
/// # Errors
/// If the file cannot be read.
fn is_cut_off(path: &Path) -> io::Result<bool> {
    // Where the ELF header tells place and size of the table of segments, and
    // where an entry tells those of its segment; numbers are words.
    #[cfg(target_pointer_width = "64")]
    const PLACES: (usize, usize, usize, usize) = (0x20, 0x36, 0x08, 0x20);
    #[cfg(target_pointer_width = "32")]
    const PLACES: (usize, usize, usize, usize) = (0x1C, 0x2A, 0x04, 0x10);
    const LOAD: [u8; 4] = 1u32.to_ne_bytes();
    let class = (size_of::<usize>() / 4) as u8;
    let order = if cfg!(target_endian = "little") { 1 } else { 2 };
    let (table_at, sizes_at, segment_at, length_at) = PLACES;

    let bytes = std::fs::read(path)?;
    let word = |at: usize| {
        let bytes = bytes.get(at..at.checked_add(size_of::<usize>())?)?;
        Some(usize::from_ne_bytes(bytes.try_into().ok()?))
    };
    let half = |at: usize| {
        let bytes = bytes.get(at..at + 2)?;
        Some(usize::from(u16::from_ne_bytes(bytes.try_into().ok()?)))
    };
    if !bytes.starts_with(&[0x7f, b'E', b'L', b'F', class, order]) {
        return Ok(false);
    }
    let whole = || {
        let (table, size, count) = (word(table_at)?, half(sizes_at)?, half(sizes_at + 2)?);
        for k in 0..count {
            let entry = table.checked_add(k * size)?;
            let kind = bytes.get(entry..entry.checked_add(4)?)?;
            let end = word(entry + segment_at)?.checked_add(word(entry + length_at)?)?;
            if kind == LOAD && end > bytes.len() {
                return None;
            }
        }
        Some(())
    };
    Ok(whole().is_none())
}

/// # Errors
/// If the file is no plugin, or has no such model.
pub(super) fn open(path: &Path, argument: Option<&OsStr>) -> Result<Table, ModelError> {
    let argument = argument
        .map(|argument| CString::new(argument.as_bytes()))
        .transpose()
        .map_err(|_| ModelError::new("the argument of a model has no byte 0"))?;
    // A name without a slash would be looked for elsewhere.
    let file = match path.is_absolute() {
        true => path.to_owned(),
        false => Path::new(".").join(path),
    };
    if is_cut_off(&file).unwrap_or(false) {
        return Err(ModelError::new("cannot be loaded: the file is cut off"));
    }
    ended::watch();
    let call = Call::begin();
    // SAFETY: what the file does when it is loaded is what the user asked for,
    // as with any program that is started.
    let library = unsafe { Library::open(Some(&file), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| {
        let text = e.to_string();
        // The system begins with the file's name, which the caller tells.
        let name = format!("{}: ", printable_path(file));
        let why = text.strip_prefix(&name).unwrap_or(&text);
        ModelError::new(format!("cannot be loaded: {why}"))
    })?;
    // The table, its functions and threads that the plugin may have started are
    // in there.
    let library = ManuallyDrop::new(library);
    // SAFETY: the symbol is a function of this type, by the header.
    let open = unsafe { library.get::<Option<Open>>(OPEN.as_bytes()) };
    let Some(open) = open.ok().and_then(|symbol| *symbol) else {
        return Err(ModelError::new(format!(
            "no model: it does not export {OPEN} (see hyades_model.h)"
        )));
    };
    let mut reason = Reason::new();
    let pointer = argument.as_ref().map_or(std::ptr::null(), |a| a.as_ptr());
    // SAFETY: text and reason live until it returns.
    let model = unsafe { open(pointer, &mut reason) };
    drop(call);
    if model.is_null() {
        let reason = reason.show();
        return Err(ModelError::new(format!("{OPEN} fails: {reason}")));
    }
    // SAFETY: the table is as the header has it.
    unsafe { Table::new(model) }.map_err(|why| ModelError::new(format!("no model: {why}")))
}
