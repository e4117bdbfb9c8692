//! A process that this one stands for: it is waited for, gets the signals that this one gets,
//! and this one ends as it does.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, raise};
use nix::unistd::Pid;

use super::{cleanup, run};

/// The process; 0 if there is none.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// The signals that are passed on.
fn passed_on() -> SigSet {
    [
        Signal::SIGHUP,
        Signal::SIGINT,
        Signal::SIGQUIT,
        Signal::SIGTERM,
        Signal::SIGUSR1,
        Signal::SIGUSR2,
    ]
    .into_iter()
    .collect()
}

/// Runs a process to its end, with the signals that are meant to end this one or to tell it
/// something: what it does about them is its affair. It ends, too, if this one is killed. Afterwards such signals wait
/// until the next one, or [`end_as`].
///
/// # Errors
/// If it does not start.
pub fn run_attended(command: &mut Command) -> io::Result<ExitStatus> {
    let signals = passed_on();
    // Before it starts, so that none gets lost.
    let before = signals.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let own = move || {
        #[cfg(target_os = "linux")]
        let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGTERM);
        Ok(before.thread_set_mask()?)
    };
    // SAFETY: system calls only, which a process may make between fork and exec.
    unsafe { command.pre_exec(own) };
    let mut child = command.spawn()?;
    CHILD.store(child.id().cast_signed(), Ordering::SeqCst);
    static LISTENS: Once = Once::new();
    LISTENS.call_once(|| {
        // Without this thread signals wait for the end.
        let _ = thread::Builder::new().spawn(move || pass_on(&signals));
    });
    let ended = child.wait();
    CHILD.store(0, Ordering::SeqCst);
    ended
}

fn pass_on(signals: &SigSet) {
    while let Ok(signal) = signals.wait() {
        match CHILD.load(Ordering::SeqCst) {
            0 => {}
            // It may have ended meanwhile.
            child => drop(kill(Pid::from_raw(child), signal)),
        }
    }
}

/// Ends this process as another one has ended: by the same signal, if it was one.
pub fn end_as(ended: ExitStatus) -> ! {
    let code = match (ended.code(), ended.signal()) {
        (Some(code), _) => code,
        (None, Some(libc::SIGPIPE)) => cleanup::die_of_broken_pipe(),
        (None, signal) => {
            let signal = signal.unwrap_or_default();
            cleanup::remove_all();
            let _ = passed_on().thread_swap_mask(SigmaskHow::SIG_UNBLOCK);
            let _ = Signal::try_from(signal).map(raise);
            128 + signal
        }
    };
    run::exit(code)
}
