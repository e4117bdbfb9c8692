//! Noticing that a plugin ends the process, which would look like success.

use std::cell::Cell;
use std::sync::Once;

thread_local! {
    /// How many functions of plugins this thread is in.
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// To be held while a function of a plugin is called.
pub(super) struct Call(());

impl Call {
    #[inline]
    pub(super) fn begin() -> Self {
        CALLS.set(CALLS.get() + 1);
        Self(())
    }
}

impl Drop for Call {
    #[inline]
    fn drop(&mut self) {
        CALLS.set(CALLS.get() - 1);
    }
}

/// From now on, a plugin that calls `exit` while it is called ends the process
/// with a message and status 2, whatever it wanted.
pub(super) fn watch() {
    static ONCE: Once = Once::new();
    // SAFETY: the function is there as long as the process; should there be no
    // room for it, a plugin that ends the process is not noticed.
    ONCE.call_once(|| unsafe {
        libc::atexit(at_exit);
    });
}

/// Is called by the thread that ends the process.
extern "C" fn at_exit() {
    const TEXT: &str = "error: the model plugin has called exit, which ends the process; \
                        a model tells an error by its status\n";
    if CALLS.try_with(Cell::get).is_ok_and(|calls| calls > 0) {
        // SAFETY: the bytes are those of a constant.
        unsafe {
            libc::write(2, TEXT.as_ptr().cast(), TEXT.len());
            libc::_exit(2);
        }
    }
}
