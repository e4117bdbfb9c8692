//! Files that are mapped into memory, and where they lie.
//!
//! If another program shortens such a file, looking at a byte that is no more ends
//! the process by `SIGBUS`, without a word. A handler of that signal can ask
//! [`file_at`] whether that is what happened, and to which file.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::ptr;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use memmap2::Mmap;
#[cfg(unix)]
use memmap2::UncheckedAdvice;

/// Where a mapped file lies.
struct Place {
    /// The address of its first byte; [`FREE`] or [`TAKEN`] if there is none. The
    /// last field to be written and the first one to be cleared.
    start: AtomicUsize,
    length: AtomicUsize,
    name: AtomicPtr<u8>,
    name_length: AtomicUsize,
}

/// No file. No page begins at this address or the next one.
const FREE: usize = 0;
/// A file that is about to be entered or removed.
const TAKEN: usize = 1;

/// So many files can be mapped at a time; others are read as streams. A fixed table,
/// as a signal handler may look at any moment.
static PLACES: [Place; 256] = [const {
    Place {
        start: AtomicUsize::new(FREE),
        length: AtomicUsize::new(0),
        name: AtomicPtr::new(ptr::null_mut()),
        name_length: AtomicUsize::new(0),
    }
}; 256];

/// A file that is mapped, and known to [`file_at`] as long as this lives.
pub(crate) struct Mapped {
    place: &'static Place,
    /// Lives as long as the entry, which points to it.
    _name: Arc<str>,
    map: Mmap,
}

impl Mapped {
    /// Maps a file, from this position on, that messages call `name`.
    ///
    /// # Errors
    /// If the file system cannot map, or too many files are mapped.
    pub fn new(file: &File, start: u64, name: &Arc<str>) -> io::Result<Self> {
        let take = |place: &&Place| {
            let taken =
                place
                    .start
                    .compare_exchange(FREE, TAKEN, Ordering::AcqRel, Ordering::Relaxed);
            taken.is_ok()
        };
        let place = PLACES
            .iter()
            .find(take)
            .ok_or_else(|| io::Error::other("too many mapped files"))?;
        // SAFETY: the mapping is private and read-only. Another process may
        // still change the file; what then holds is documented at `Source`.
        // All parsing of mapped bytes goes through bounds-checked slices.
        let map = match unsafe { memmap2::MmapOptions::new().offset(start).map(file) } {
            Ok(map) => map,
            Err(error) => {
                place.start.store(FREE, Ordering::Release);
                return Err(error);
            }
        };
        place.length.store(map.len(), Ordering::Relaxed);
        place
            .name
            .store(name.as_ptr().cast_mut(), Ordering::Relaxed);
        place.name_length.store(name.len(), Ordering::Relaxed);
        // Nobody has looked at a byte of it yet.
        place.start.store(map.as_ptr().addr(), Ordering::Release);
        Ok(Self {
            place,
            _name: Arc::clone(name),
            map,
        })
    }

    /// Lets the system take back the memory of a part.
    pub fn release(&self, from: usize, to: usize) {
        #[cfg(unix)]
        if from < to {
            // SAFETY: pages that are dropped are read from the file again when
            // somebody looks at them; nothing was ever written to them.
            let advised = unsafe {
                self.map
                    .unchecked_advise_range(UncheckedAdvice::DontNeed, from, to - from)
            };
            // It is but advice.
            let _ = advised;
        }
        #[cfg(not(unix))]
        let _ = (from, to);
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // Before the memory is given back, where another file may lie next.
        self.place.start.store(FREE, Ordering::Release);
    }
}

/// Tells whether a mapped file lies at this address, and gives its name, as messages
/// show it, to `tell`. To be called by the handler of a fault at this address, in the
/// thread that met it: atomics only.
pub fn file_at<T>(address: usize, tell: impl FnOnce(&str) -> T) -> Option<T> {
    PLACES
        .iter()
        .find_map(|place| {
            let start = place.start.load(Ordering::Acquire);
            let length = place.length.load(Ordering::Relaxed);
            let name = place.name.load(Ordering::Relaxed);
            let name_length = place.name_length.load(Ordering::Relaxed);
            let is_within =
                start > TAKEN && (start..start.saturating_add(length)).contains(&address);
            // Another thread may have exchanged it meanwhile.
            (is_within && place.start.load(Ordering::Acquire) == start)
                .then_some((name, name_length))
        })
        .map(|(name, length)| {
            // SAFETY: whoever looked at this address has borrowed the `Mapped` that lies
            // there, which holds the name, a UTF-8 text; so it lives until the handler
            // returns, and its entry is as it was made.
            let name = unsafe { str::from_utf8_unchecked(slice::from_raw_parts(name, length)) };
            tell(name)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn name_at(address: usize) -> Option<String> {
        file_at(address, str::to_owned)
    }

    #[test]
    fn files_are_known_while_they_are_mapped() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[b'x'; 10_000]).unwrap();
        let first = Mapped::new(&file, 0, &"first".into()).unwrap();
        let second = Mapped::new(&file, 10, &"second".into()).unwrap();
        for (map, name) in [(&first, "first"), (&second, "second")] {
            let range = map.as_ptr_range();
            assert_eq!(name_at(range.start.addr()).as_deref(), Some(name));
            assert_eq!(name_at(range.end.addr() - 1).as_deref(), Some(name));
        }
        assert_eq!((first.len(), second.len()), (10_000, 9990));
        let here = 0u8;
        assert_eq!(name_at(ptr::from_ref(&here).addr()), None);
        assert_eq!((name_at(FREE), name_at(TAKEN)), (None, None));
        let before = first.as_ptr().addr();
        drop(first);
        assert_ne!(name_at(before).as_deref(), Some("first"));
    }
}
