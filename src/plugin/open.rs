//! Loading shared objects.

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io::{self, Read};
use std::mem::ManuallyDrop;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

use hyades_explore::ModelError;
use hyades_formats::Compression;
use hyades_formats::diagnostic::printable_path;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::abi::{Open, Reason};
use super::ended::{self, Call};
use super::table::Table;

/// The function that a plugin exports.
const OPEN: &str = "hyades_model_open";

/// Whether a file is to be taken for a plugin: by the ending `.so` of its name
/// alone. Its content does not count, as who opens data does not want to run code.
pub fn is_plugin(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("so"))
}

/// Why a file is not to be handed to the system: it is no regular file, on which the
/// system may wait or read without end; it is packed; or it is a shared object that
/// lacks bytes of its segments, which the system would load, and end the process when
/// it touches them. What is no such object of this machine's kind is not looked at; the
/// system knows how to refuse it.
///
/// # Errors
/// If the file cannot be read.
fn reason_not_to_load(path: &Path) -> io::Result<Option<String>> {
    // Before it is opened, as opening a pipe may wait.
    let meta = path.metadata()?;
    if meta.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !meta.is_file() {
        return Ok(Some("it is no regular file".into()));
    }
    let file = File::open(path)?;
    let mut head = Vec::new();
    (&file).take(HEADER).read_to_end(&mut head)?;
    let compression = Compression::from_content(&head);
    if compression != Compression::None {
        return Ok(Some(format!("it is {compression} data: unpack it first")));
    }
    let is_whole = has_segments(&file, &head, file.metadata()?.len())?;
    Ok((!is_whole).then(|| "the file is cut off".into()))
}

/// So many bytes of a file are looked at before others: those of an ELF header.
const HEADER: u64 = 64;

/// Whether a file of this size, which begins so, is no shared object for this machine,
/// or has all bytes of its segments. Looked at is nothing but their table.
///
/// # Errors
/// If the file cannot be read.
fn has_segments(file: &File, head: &[u8], size: u64) -> io::Result<bool> {
    // Where the ELF header tells place and size of the table of segments, and
    // where an entry tells those of its segment; numbers are words.
    #[cfg(target_pointer_width = "64")]
    const PLACES: (usize, usize, usize, usize) = (0x20, 0x36, 0x08, 0x20);
    #[cfg(target_pointer_width = "32")]
    const PLACES: (usize, usize, usize, usize) = (0x1C, 0x2A, 0x04, 0x10);
    // The bytes of an entry.
    const ENTRY: usize = PLACES.3 + 3 * size_of::<usize>();
    const LOAD: [u8; 4] = 1u32.to_ne_bytes();
    let class = (size_of::<usize>() / 4) as u8;
    let order = if cfg!(target_endian = "little") { 1 } else { 2 };
    let (table_at, sizes_at, segment_at, length_at) = PLACES;

    if !head.starts_with(&[0x7f, b'E', b'L', b'F', class, order]) {
        return Ok(true);
    }
    let word = |bytes: &[u8], at: usize| {
        let bytes = bytes.get(at..at + size_of::<usize>())?;
        Some(usize::from_ne_bytes(bytes.try_into().ok()?) as u64)
    };
    let half = |at: usize| {
        let bytes = head.get(at..at + 2)?;
        Some(u64::from(u16::from_ne_bytes(bytes.try_into().ok()?)))
    };
    let (Some(table), Some(length), Some(count)) =
        (word(head, table_at), half(sizes_at), half(sizes_at + 2))
    else {
        return Ok(false);
    };
    let mut entry = [0; ENTRY];
    for k in 0..count {
        let at = table.checked_add(k * length);
        let Some(at) = at.filter(|at| at.checked_add(ENTRY as u64).is_some_and(|end| end <= size))
        else {
            return Ok(false);
        };
        file.read_exact_at(&mut entry, at)?;
        let end = word(&entry, segment_at).zip(word(&entry, length_at));
        let end = end.and_then(|(start, length)| start.checked_add(length));
        if entry.starts_with(&LOAD) && end.is_none_or(|end| end > size) {
            return Ok(false);
        }
    }
    Ok(true)
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
    let reason = reason_not_to_load(&file).unwrap_or_else(|error| Some(error.to_string()));
    if let Some(reason) = reason {
        return Err(ModelError::new(format!("cannot be loaded: {reason}")));
    }
    if cfg!(target_feature = "crt-static") {
        return Err(ModelError::new(
            "cannot be loaded: this is a static program, which loads no shared objects; a \
             program that is linked dynamically does (cargo install, or the Debian package)",
        ));
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
