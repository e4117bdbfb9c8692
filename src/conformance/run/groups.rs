//! The groups of processes that were started here and not yet ended.

use std::sync::atomic::{AtomicI32, Ordering};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Numbers of groups, 0 for none. So many are watched over at a time.
static GROUPS: [AtomicI32; 64] = [const { AtomicI32::new(0) }; 64];

/// A group in the list, until it is dropped. Without a place if there is none left.
pub(super) struct Watched(Option<&'static AtomicI32>);

impl Watched {
    /// Adds a group.
    pub fn new(group: i32) -> Self {
        let take = |place: &&AtomicI32| {
            let taken = place.compare_exchange(0, group, Ordering::AcqRel, Ordering::Relaxed);
            taken.is_ok()
        };
        Self(GROUPS.iter().find(take))
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(place) = self.0 {
            place.store(0, Ordering::Release);
        }
    }
}

/// Kills all programs under test, with what they have started: for who is about to
/// end the process, also in a signal handler (atomics and `killpg` only).
///
/// They are in process groups of their own, so that none of them is left over when
/// it is ended; signals from the terminal do not reach them.
pub fn kill_programs() {
    for place in &GROUPS {
        let group = place.swap(0, Ordering::AcqRel);
        if group != 0 {
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
    }
}
