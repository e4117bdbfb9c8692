//! Watching the system calls of a command, and sending signals between them.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// A system call of a thread, which stands still meanwhile.
pub struct Call {
    pub thread: Pid,
    pub number: i64,
    pub arguments: [u64; 6],
    /// At the end of the call: what it returns, or an error below 0.
    pub result: Option<i64>,
}

impl Call {
    /// The text that an argument points to, as far as it is short.
    pub fn text(&self, argument: usize) -> String {
        let memory = File::open(format!("/proc/{}/mem", self.thread)).unwrap();
        let mut bytes = vec![0; 1024];
        let read = memory
            .read_at(&mut bytes, self.arguments[argument])
            .unwrap();
        let end = bytes[..read].iter().position(|&byte| byte == 0).unwrap();
        String::from_utf8(bytes[..end].to_vec()).unwrap()
    }

    /// The name of a call that creates, renames or removes a file.
    pub fn change(&self) -> Option<&'static str> {
        match self.number {
            libc::SYS_openat => {
                let created = libc::O_CREAT | libc::O_EXCL;
                (self.arguments[2] as i32 & created == created).then_some("create")
            }
            libc::SYS_mkdirat => Some("mkdir"),
            libc::SYS_symlinkat => Some("symlink"),
            libc::SYS_renameat | libc::SYS_renameat2 => Some("rename"),
            libc::SYS_unlinkat => Some("remove"),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_mkdir => Some("mkdir"),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_symlink => Some("symlink"),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_rename => Some("rename"),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_unlink | libc::SYS_rmdir => Some("remove"),
            _ => None,
        }
    }
}

/// A command whose system calls are watched.
pub struct Tracer {
    main: Pid,
    threads: BTreeSet<Pid>,
    held: Option<Pid>,
}

impl Tracer {
    /// The threads of the command besides its first one.
    pub fn others(&self) -> Vec<Pid> {
        let others = self.threads.iter().filter(|&&thread| thread != self.main);
        others.copied().collect()
    }

    /// Sends a signal to a thread of the command.
    pub fn send(&self, thread: Pid, signal: Signal) {
        // SAFETY: a call with numbers only.
        let sent = unsafe {
            libc::syscall(
                libc::SYS_tgkill,
                self.main.as_raw(),
                thread.as_raw(),
                signal as i32,
            )
        };
        assert_eq!(sent, 0);
    }

    /// Lets the thread that is at a call wait, until [`Tracer::release`].
    pub fn hold(&mut self, thread: Pid) {
        self.held = Some(thread);
    }

    /// Lets the thread that is held go on.
    pub fn release(&mut self) {
        if let Some(thread) = self.held.take() {
            go_on(thread, None);
        }
    }
}

/// Whoever has been killed meanwhile does not go on.
fn go_on(thread: Pid, signal: Option<Signal>) {
    let _ = ptrace::syscall(thread, signal);
}

/// Runs a command, whose standard streams lead nowhere, to its end, and shows each
/// system call to `seen` at its beginning and at its end.
pub fn trace(mut command: Command, mut seen: impl FnMut(&mut Tracer, &Call)) -> WaitStatus {
    // SAFETY: a system call, which is allowed between fork and exec.
    unsafe { command.pre_exec(|| Ok(ptrace::traceme()?)) };
    // It is waited for below, with its threads.
    #[allow(clippy::zombie_processes)]
    let child = command.spawn().unwrap();
    let main = Pid::from_raw(child.id() as i32);
    let mut tracer = Tracer {
        main,
        threads: [main].into(),
        held: None,
    };
    let mut calls: std::collections::BTreeMap<Pid, (i64, [u64; 6])> = Default::default();
    assert!(matches!(
        waitpid(main, None).unwrap(),
        WaitStatus::Stopped(_, Signal::SIGTRAP)
    ));
    let options = ptrace::Options::PTRACE_O_TRACESYSGOOD
        | ptrace::Options::PTRACE_O_TRACECLONE
        | ptrace::Options::PTRACE_O_EXITKILL;
    ptrace::setoptions(main, options).unwrap();
    go_on(main, None);
    // Children of this thread only: other tests wait for theirs.
    let flags = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
    loop {
        match waitpid(None, Some(flags)).unwrap() {
            WaitStatus::PtraceSyscall(thread) => {
                let Ok(info) = ptrace::syscall_info(thread) else {
                    continue;
                };
                // SAFETY: `op` tells which part of the union is filled.
                let call = unsafe {
                    match info.op {
                        libc::PTRACE_SYSCALL_INFO_ENTRY => {
                            let entry = info.u.entry;
                            calls.insert(thread, (entry.nr as i64, entry.args));
                            Some(Call {
                                thread,
                                number: entry.nr as i64,
                                arguments: entry.args,
                                result: None,
                            })
                        }
                        libc::PTRACE_SYSCALL_INFO_EXIT => {
                            let result = info.u.exit.sval;
                            calls.remove(&thread).map(|(number, arguments)| Call {
                                thread,
                                number,
                                arguments,
                                result: Some(result),
                            })
                        }
                        _ => None,
                    }
                };
                if let Some(call) = call {
                    seen(&mut tracer, &call);
                }
                if tracer.held != Some(thread) {
                    go_on(thread, None);
                }
            }
            WaitStatus::PtraceEvent(thread, ..) => go_on(thread, None),
            // A new thread begins so.
            WaitStatus::Stopped(thread, _) if tracer.threads.insert(thread) => {
                go_on(thread, None);
            }
            WaitStatus::Stopped(thread, signal) => go_on(thread, Some(signal)),
            status @ (WaitStatus::Exited(thread, _) | WaitStatus::Signaled(thread, ..)) => {
                tracer.threads.remove(&thread);
                if thread == main {
                    return status;
                }
            }
            _ => {}
        }
    }
}
