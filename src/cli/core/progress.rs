//! Progress on standard error, if that is a terminal.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

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

/// How often a bar is drawn.
const EVERY: Duration = Duration::from_millis(100);

/// The progress of one phase; cheap to call when nothing is shown.
#[derive(Clone)]
pub struct Progress {
    bar: Option<ProgressBar>,
    /// Dropped with the last clone, which ends the thread that watches.
    watcher: Option<Arc<Sender<()>>>,
}

impl Progress {
    /// Shows nothing.
    pub fn hidden() -> Self {
        Self {
            bar: None,
            watcher: None,
        }
    }

    /// A bar on standard error, drawn at once and then ten times a second.
    /// Without a total it is a counter.
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
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
        bar.set_style(style);
        bar.set_message(what);
        bar.tick();
        bar.enable_steady_tick(EVERY);
        Self {
            bar: Some(bar),
            watcher: None,
        }
    }

    /// Asks `position` again and again how far it is, from another thread,
    /// until the phase is over. It is not asked if nothing is shown.
    pub fn watch(&mut self, position: impl Fn() -> u64 + Send + 'static) {
        let Some(bar) = self.bar.clone() else {
            return;
        };
        let (sender, over) = channel::<()>();
        let watching = thread::Builder::new().spawn(move || {
            while over.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                bar.set_position(position());
            }
        });
        // Without a thread the bar stands still.
        if watching.is_ok() {
            self.watcher = Some(Arc::new(sender));
        }
    }

    /// How far it is.
    pub fn set(&self, position: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(position);
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

    /// `step` more.
    pub fn add(&self, step: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(step);
        }
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
