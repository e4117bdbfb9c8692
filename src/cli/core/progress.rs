//! Progress on standard error, if that is a terminal.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hyades_equivalence::Round;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What a bar counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Nothing: it only shows that there is life.
    None,
    /// Bytes read or written.
    Bytes,
    /// States found.
    States,
}

/// So long a phase takes before there is a bar: nobody wants one to flash.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often a bar is drawn.
const EVERY: Duration = Duration::from_millis(100);

/// The progress of one phase; cheap to call when nothing is shown.
#[derive(Clone)]
pub struct Progress {
    shown: Option<Arc<Shown>>,
}

/// Brings a bar up to date.
type Look = Box<dyn Fn(&ProgressBar) + Send>;

/// A bar, and the thread that draws it.
struct Shown {
    bar: ProgressBar,
    look: Arc<Mutex<Option<Look>>>,
    /// Ends the thread when it is dropped.
    drawing: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl Shown {
    /// Takes the bar off the screen, for good.
    fn end(&self) {
        let mut drawing = self.drawing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((sender, thread)) = drawing.take() {
            drop(sender);
            // What a panic of drawing leaves behind is cleared below.
            let _ = thread.join();
            self.bar.finish_and_clear();
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.end();
    }
}

impl Progress {
    /// Shows nothing.
    pub fn hidden() -> Self {
        Self { shown: None }
    }

    /// A bar on standard error, drawn after half a second and then ten times a
    /// second. Without a total it is a counter.
    pub fn shown(what: impl Into<Cow<'static, str>>, unit: Unit, total: Option<u64>) -> Self {
        let template = match (unit, total.is_some()) {
            (Unit::None, _) => "{spinner} {msg}, {elapsed}",
            (Unit::Bytes, true) => {
                "{spinner} {msg} [{bar:30}] {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left"
            }
            (Unit::Bytes, false) => "{spinner} {msg}, {bytes}, {bytes_per_sec}, {elapsed}",
            (Unit::States, true) => "{spinner} {msg} [{bar:30}] {human_pos}/{human_len} states",
            (Unit::States, false) => "{spinner} {msg}, {human_pos} states, {elapsed}",
        };
        let style = ProgressStyle::with_template(template)
            .expect("the templates above are well formed")
            .progress_chars("=> ");
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        bar.set_style(style);
        bar.set_message(what);
        let look = Arc::new(Mutex::new(None::<Look>));
        let (sender, over) = channel::<()>();
        let (drawn, looked) = (bar.clone(), Arc::clone(&look));
        let draw = move || {
            let is_over = |wait| over.recv_timeout(wait) != Err(RecvTimeoutError::Timeout);
            if is_over(PATIENCE) {
                return;
            }
            drawn.set_draw_target(ProgressDrawTarget::stderr());
            loop {
                if let Some(look) = &*looked.lock().unwrap_or_else(PoisonError::into_inner) {
                    look(&drawn);
                }
                drawn.tick();
                if is_over(EVERY) {
                    return;
                }
            }
        };
        match thread::Builder::new().spawn(draw) {
            Ok(thread) => Self {
                shown: Some(Arc::new(Shown {
                    bar,
                    look,
                    drawing: Mutex::new(Some((sender, thread))),
                })),
            },
            // Without a thread there is no bar.
            Err(_) => Self::hidden(),
        }
    }

    fn look_by(&self, look: impl Fn(&ProgressBar) + Send + 'static) {
        if let Some(shown) = &self.shown {
            let mut place = shown.look.lock().unwrap_or_else(PoisonError::into_inner);
            *place = Some(Box::new(look));
        }
    }

    /// Asks `position` again and again how far it is, from another thread,
    /// until the phase is over. It is not asked if nothing is shown.
    pub fn watch(&mut self, position: impl Fn() -> u64 + Send + 'static) {
        self.look_by(move |bar| bar.set_position(position()));
    }

    /// How far it is.
    pub fn set(&self, position: u64) {
        if let Some(shown) = &self.shown {
            shown.bar.set_position(position);
        }
    }

    /// What tells the bar how many states have been explored, for a search.
    pub fn explored(&self) -> impl FnMut(&hyades_explore::Progress) -> ControlFlow<()> + use<> {
        let bar = self.clone();
        move |now| {
            bar.set(now.explored);
            ControlFlow::Continue(())
        }
    }

    /// What tells the bar, which is about `what`, of the rounds of a refinement and
    /// the classes that it has found.
    pub fn refined(&self, what: String) -> impl FnMut(&Round) + use<> {
        let now = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let seen = Arc::clone(&now);
        self.look_by(move |bar| {
            let [round, classes] = &*seen;
            let (round, classes) = (round.load(Relaxed), classes.load(Relaxed));
            if round > 0 {
                bar.set_message(format!("{what}: round {round}, {classes} classes"));
            }
        });
        move |round| {
            now[0].store(round.number, Relaxed);
            now[1].store(round.classes as u64, Relaxed);
        }
    }

    /// `step` more.
    pub fn add(&self, step: u64) {
        if let Some(shown) = &self.shown {
            shown.bar.inc(step);
        }
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        if let Some(shown) = &self.shown {
            shown.end();
        }
    }
}
