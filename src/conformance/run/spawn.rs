//! Starting programs that do not outlive this process, whatever ends it.

use std::io;
use std::process::{Child, Command};

/// Prepares a command for [`spawn`]: its program is killed when this process ends,
/// also by a signal that cannot be handled. On Linux only; elsewhere programs are
/// [killed](super::kill_programs) by who is able to.
pub(super) fn dies_with_us(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;

        use nix::errno::Errno;
        use nix::sys::prctl::set_pdeathsig;
        use nix::sys::signal::Signal;
        use nix::unistd::{getpid, getppid};

        let us = getpid();
        let ask = move || {
            set_pdeathsig(Signal::SIGKILL)?;
            // If it has ended before it was asked for, nobody would send the signal.
            match getppid() == us {
                true => Ok(()),
                false => Err(Errno::ESRCH.into()),
            }
        };
        // SAFETY: between fork and exec it makes system calls only, and allocates
        // nothing.
        unsafe { command.pre_exec(ask) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// Starts a program.
///
/// The signal that [`dies_with_us`] asks for comes when the *thread* ends that has
/// started the program. So that a program may be used in other threads than that, all
/// are started in one thread, which lasts as long as the process.
///
/// # Errors
/// If it cannot be started, or that thread cannot.
#[cfg(target_os = "linux")]
pub(super) fn spawn(command: Command) -> (Command, io::Result<Child>) {
    use std::sync::mpsc::{Sender, channel};
    use std::sync::{Mutex, PoisonError};
    use std::thread;

    type Started = (Command, io::Result<Child>);
    type Job = (Command, Sender<Started>);
    static STARTER: Mutex<Option<Sender<Job>>> = Mutex::new(None);

    let (answer, started) = channel();
    {
        let mut starter = STARTER.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = match &mut *starter {
            Some(sender) => sender,
            none => {
                let (sender, jobs) = channel::<Job>();
                let work = move || {
                    for (mut command, answer) in jobs {
                        let child = command.spawn();
                        // Whoever asked waits for it.
                        let _ = answer.send((command, child));
                    }
                };
                match thread::Builder::new().name("starter".into()).spawn(work) {
                    Ok(_) => none.insert(sender),
                    Err(error) => return (command, Err(error)),
                }
            }
        };
        // The thread waits for as long as there is a sender, which is for ever.
        let _ = sender.send((command, answer));
    }
    started
        .recv()
        .expect("the thread answers each job, and does not end")
}

/// Starts a program.
///
/// # Errors
/// If it cannot be started.
#[cfg(not(target_os = "linux"))]
pub(super) fn spawn(mut command: Command) -> (Command, io::Result<Child>) {
    let child = command.spawn();
    (command, child)
}
