//! The border to the decoders, which belong to others: what panics there is an
//! error of the file that is read.

use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread will be caught by [`guarded`].
pub(super) fn is_guarded() -> bool {
    GUARDED.get()
}

/// What `work` returns; its error, or its panic, in words. The work must not
/// wait for other tasks of a thread pool, which might run within it.
pub(super) fn guarded<T, E: Display>(work: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    let outer = GUARDED.replace(true);
    // What the work leaves behind after a panic is dropped with the file.
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(error.to_string()),
        Err(panic) => {
            let text = panic
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            Err(text.unwrap_or("malformed").to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_panics_are_told() {
        assert_eq!(guarded(|| Ok::<_, String>(is_guarded())), Ok(true));
        assert!(!is_guarded());
        assert_eq!(guarded(|| Err::<(), _>("e")), Err("e".into()));
        let panics = guarded(|| -> Result<(), String> { panic!("at {}", 7) });
        assert_eq!(panics, Err("at 7".into()));
        assert!(!is_guarded());
    }
}
