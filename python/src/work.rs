//! Long work: without Python's lock, ended by Ctrl-C, and no panic gets out.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::Fault;

/// How often it is looked at whether the user wants an end.
const PAUSE: Duration = Duration::from_millis(50);

/// Asks Python whether to go on, but not too often.
pub struct Watch {
    next: Mutex<Instant>,
    ended: Mutex<Option<PyErr>>,
}

/// What unwinds work that cannot be ended otherwise.
struct Ended;

impl Watch {
    fn new() -> Self {
        Self {
            next: Mutex::new(Instant::now() + PAUSE),
            ended: Mutex::new(None),
        }
    }

    /// Whether the work is to go on.
    pub fn flow(&self) -> ControlFlow<()> {
        let Ok(mut next) = self.next.try_lock() else {
            // Another thread is asking.
            return ControlFlow::Continue(());
        };
        if Instant::now() < *next {
            return ControlFlow::Continue(());
        }
        let asked = Python::attach(|py| py.check_signals());
        *next = Instant::now() + PAUSE;
        match asked {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                *self.ended.lock().expect("nobody panics with it") = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// The same for work that tells how far it is, and asks for nothing: it is unwound.
    pub fn unwind(&self) {
        if self.flow().is_break() {
            resume_unwind(Box::new(Ended));
        }
    }
}

/// Does long work with Python's lock given back.
///
/// # Errors
/// Those of the work; that the user has interrupted it; or that it panicked.
pub fn work<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Watch) -> Result<T, Fault> + Send,
) -> PyResult<T> {
    let watch = Watch::new();
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(|| work(&watch))));
    if let Some(error) = watch.ended.into_inner().ok().flatten() {
        return Err(error);
    }
    match done {
        Ok(done) => done.map_err(PyErr::from),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied());
            Err(PyRuntimeError::new_err(format!(
                "internal error of hyades, which is a bug: {}",
                text.unwrap_or("no message")
            )))
        }
    }
}
