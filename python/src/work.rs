//! Long work: without Python's lock, ended by Ctrl-C, and no panic gets out.
//!
//! The library's loops run in Rayon's global pool, whose threads are those of the process that
//! has first used it. A process that has been forked from one that had loaded the package may
//! have the pool without its threads, and would wait for them for ever: work of such a
//! process is done in a pool of its own.
//!
//! Texts may be nested as deeply as the commands take them, for which a main thread has room.
//! Other threads of Python may have a hundredth of its stack (`threading.stack_size`): their
//! work is done in threads with enough.

use std::fmt::Display;
use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::Fault;

/// How often it is looked at whether the user wants an end.
const PAUSE: Duration = Duration::from_millis(50);

/// The stack that work has, but in the main thread.
const STACK: usize = 16 << 20;

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
        let flow = self.ask();
        *next = Instant::now() + PAUSE;
        flow
    }

    /// Asks Python at once. It tells signals only to its main thread: others go by what that
    /// has been told.
    fn ask(&self) -> ControlFlow<()> {
        let asked = Python::attach(|py| py.check_signals());
        let mut ended = self.ended.lock().expect("nobody panics with it");
        if let Err(error) = asked {
            *ended = Some(error);
        }
        match *ended {
            None => ControlFlow::Continue(()),
            Some(_) => ControlFlow::Break(()),
        }
    }

    /// The same for work that tells how far it is, and asks for nothing: it is unwound.
    pub fn unwind(&self) {
        if self.flow().is_break() {
            resume_unwind(Box::new(Ended));
        }
    }
}

/// The process that has loaded the package, which has the global pool.
static FIRST: OnceLock<u32> = OnceLock::new();

/// To be called when the package is loaded.
pub fn loaded() {
    FIRST.get_or_init(process::id);
}

fn no_threads(error: impl Display) -> PyErr {
    PyRuntimeError::new_err(format!("cannot start the threads of work: {error}"))
}

/// A pool, and the process that has its threads.
struct Own {
    process: u32,
    pool: ThreadPool,
}

/// The pool of this process, or of one that it was forked from; null where none was needed.
/// No lock is taken: a child might have been forked while another thread held it.
static OWN: AtomicPtr<Own> = AtomicPtr::new(ptr::null_mut());

/// The pool that work is to be done in, if it is not the global one.
///
/// # Errors
/// If its threads cannot be started.
fn own_pool() -> PyResult<Option<&'static ThreadPool>> {
    let process = process::id();
    if *FIRST.get_or_init(process::id) == process {
        return Ok(None);
    }
    let known = OWN.load(Ordering::Acquire);
    // SAFETY: what has been put there is leaked, and never changed.
    if let Some(own) = unsafe { known.as_ref() }
        && own.process == process
    {
        return Ok(Some(&own.pool));
    }
    let pool = ThreadPoolBuilder::new()
        .stack_size(STACK)
        .build()
        .map_err(no_threads)?;
    // Leaked, as that of the parent is: its threads are not there to be ended.
    let own = Box::into_raw(Box::new(Own { process, pool }));
    match OWN.compare_exchange(known, own, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: leaked just now.
        Ok(_) => Ok(Some(unsafe { &(*own).pool })),
        Err(others) => {
            // SAFETY: nobody else has seen this one; the other one is leaked, and that of this
            // process, in which another thread has been faster.
            unsafe {
                drop(Box::from_raw(own));
                Ok(Some(&(*others).pool))
            }
        }
    }
}

/// Does work in a pool, while this thread, which signals are told to, asks for them.
fn done_in<T: Send>(
    pool: &ThreadPool,
    watch: &Watch,
    work: impl FnOnce() -> thread::Result<T> + Send,
) -> thread::Result<T> {
    pool.in_place_scope(|scope| {
        let (tell, told) = sync_channel(1);
        scope.spawn(move |_| {
            // Somebody waits for it.
            let _ = tell.send(work());
        });
        loop {
            match told.recv_timeout(PAUSE) {
                Ok(done) => return done,
                // What has been asked for is looked at by the work.
                Err(RecvTimeoutError::Timeout) => {
                    let _ = watch.ask();
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Box::new("work has ended without a result"));
                }
            }
        }
    })
}

/// Does work in a thread of its own. Whoever waits for it is told no signals.
fn done_aside<T: Send>(
    work: impl FnOnce() -> thread::Result<T> + Send,
) -> io::Result<thread::Result<T>> {
    thread::scope(|scope| {
        let own = thread::Builder::new().stack_size(STACK);
        let thread = own.spawn_scoped(scope, work)?;
        Ok(thread.join().and_then(|done| done))
    })
}

/// Whether this is the main thread.
fn is_main(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    main.eq(threading.call_method0("get_ident")?)
}

/// Does long work with Python's lock given back.
///
/// # Errors
/// Those of the work; that the user has interrupted it; that it panicked; or that there are
/// no threads.
pub fn work<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Watch) -> Result<T, Fault> + Send,
) -> PyResult<T> {
    let pool = own_pool()?;
    let is_main = is_main(py)?;
    let watch = Watch::new();
    let done = py.detach(|| {
        let work = || catch_unwind(AssertUnwindSafe(|| work(&watch)));
        match pool {
            None if is_main => Ok(work()),
            None => done_aside(work),
            Some(pool) => Ok(done_in(pool, &watch, work)),
        }
    });
    let done = done.map_err(no_threads)?;
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
