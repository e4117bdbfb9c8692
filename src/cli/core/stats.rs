//! Figures of one run: what `-v` tells and `--stats` writes.

use std::fmt;
use std::time::Duration;

use hyades_formats::diagnostic::counted;
use hyades_formats::{Lts, WrittenSize};
use serde::Serialize;
use serde_json::{Map, Value};

use super::memory;

/// The figures of one run, in the form of the JSON object that `--stats`
/// writes.
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    /// The command's name.
    pub command: &'static str,
    /// The version of the package.
    pub version: &'static str,
    /// The exit status: 0, 1 or 3.
    pub status: i32,
    /// What was read, in that order.
    pub inputs: Vec<FileStats>,
    /// What was written, in that order.
    pub outputs: Vec<FileStats>,
    /// What was done, in that order.
    pub phases: Vec<PhaseStats>,
    /// Figures that only some commands have.
    #[serde(flatten)]
    pub details: Map<String, Value>,
    /// Wall time from the start of the process to the writing of this.
    pub seconds: f64,
    /// Processor time, user and system, of all threads.
    pub cpu_seconds: f64,
    /// The most memory that was resident at a time, in bytes, mapped input
    /// included; absent where the system does not tell.
    pub peak_memory: Option<u64>,
    /// Threads that the work could use.
    pub threads: usize,
}

/// The keys that all runs have. A figure of a command with such a name would stand
/// beside it, where readers take one of the two.
pub(super) const KEYS: [&str; 10] = [
    "command",
    "version",
    "status",
    "inputs",
    "outputs",
    "phases",
    "seconds",
    "cpu_seconds",
    "peak_memory",
    "threads",
];

/// A file read or written.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FileStats {
    /// As the user called it; `-` for a standard stream.
    pub path: String,
    /// Its format.
    pub format: String,
    /// Its size as it lies on disk, that is, compressed if it is.
    pub bytes: u64,
    /// How many states; absent if it is no LTS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    /// How many transitions, duplicates counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transitions: Option<u64>,
    /// How many labels occur on transitions, the hidden one included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<u64>,
}

/// A phase of the work.
#[derive(Clone, Debug, Serialize)]
pub struct PhaseStats {
    /// `read`, `write`, or what the command does in between.
    pub name: &'static str,
    /// Its wall time.
    pub seconds: f64,
}

/// The most memory that this process has had resident, in bytes, if the system
/// tells.
pub fn peak_memory() -> Option<u64> {
    // Linux. What `getrusage` says there includes the parent before `exec`.
    if let Some(bytes) = memory::of_status("VmHWM") {
        return Some(bytes);
    }
    let usage = usage()?;
    let unit = if cfg!(target_vendor = "apple") {
        1
    } else {
        1024
    };
    u64::try_from(usage.max_rss()).ok().map(|m| m * unit)
}

/// The processor time that this process has used.
pub fn cpu_time() -> Duration {
    let time = |t: nix::sys::time::TimeVal| {
        Duration::new(t.tv_sec().max(0) as u64, 0)
            + Duration::from_micros(t.tv_usec().max(0) as u64)
    };
    usage().map_or(Duration::ZERO, |u| {
        time(u.user_time()) + time(u.system_time())
    })
}

fn usage() -> Option<nix::sys::resource::Usage> {
    use nix::sys::resource::{UsageWho, getrusage};
    getrusage(UsageWho::RUSAGE_SELF).ok()
}

/// How large an LTS is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// How many states.
    pub states: u64,
    /// How many transitions.
    pub transitions: u64,
    /// How many labels occur, the hidden one included.
    pub labels: u64,
}

impl Size {
    pub(super) fn of(lts: &Lts) -> Self {
        Self {
            states: lts.states() as u64,
            transitions: lts.transitions() as u64,
            labels: lts.count_labels() as u64,
        }
    }

    /// Of what has been written of an LTS. O(transitions + labels) at worst.
    pub(super) fn written(size: WrittenSize, lts: &Lts) -> Self {
        Self {
            states: size.states,
            transitions: size.transitions,
            labels: size.count_labels(lts),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            states,
            transitions,
            labels,
        } = self;
        write!(
            f,
            "{}, {}, {}",
            counted(states, "state"),
            counted(transitions, "transition"),
            counted(labels, "label")
        )
    }
}

/// States, transitions and labels that occur in words, for `-v`.
pub fn show_lts(lts: &Lts) -> String {
    Size::of(lts).to_string()
}

impl FileStats {
    pub(super) fn with(self, size: Size) -> Self {
        Self {
            states: Some(size.states),
            transitions: Some(size.transitions),
            labels: Some(size.labels),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_that_all_runs_have_are_known() {
        let stats = Stats {
            command: "",
            version: "",
            status: 0,
            inputs: Vec::new(),
            outputs: Vec::new(),
            phases: Vec::new(),
            details: Map::new(),
            seconds: 0.0,
            cpu_seconds: 0.0,
            peak_memory: None,
            threads: 1,
        };
        let object = serde_json::to_value(stats).unwrap();
        let keys = object.as_object().unwrap().keys();
        assert!(keys.eq(KEYS.iter()));
    }

    #[test]
    fn the_system_tells_memory_and_time() {
        assert!(peak_memory().is_some_and(|m| m > 100_000));
        let before = cpu_time();
        let mut x = 1u64;
        while cpu_time() == before {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        assert!(cpu_time() > before);
    }
}
