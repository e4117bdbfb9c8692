//! Starting programs that do not outlive this process, whatever ends it.

use std::io;
use std::os::fd::{IntoRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

/// What the watcher runs. It reads `+ GROUP` and `- GROUP`, and when there is nothing
/// to read any more, because this process has ended, kills those that are left.
const WATCHER: &str = "trap '' HUP INT QUIT TERM
all=' '
while read -r sign group; do
    case $sign in
    +) all=\"$all$group \" ;;
    -) all=\"${all%%\" $group \"*} ${all#*\" $group \"}\" ;;
    esac
done
for group in $all; do kill -s KILL -- \"-$group\"; done";

/// Where the watcher listens, from when it is needed first until this process ends.
static LISTENS: AtomicI32 = AtomicI32::new(-1);

/// Prepares a command for [`spawn`], once: its program is the leader of a process group
/// of its own, which is killed when this process ends, also by a signal that cannot be
/// handled.
pub(super) fn dies_with_us(command: &mut Command) {
    command.process_group(0);
    // Before the program is there, so that nothing ends us in between.
    let tell = || tell(b'+', std::process::id());
    // SAFETY: between fork and exec it makes system calls only, and allocates nothing.
    unsafe { command.pre_exec(tell) };
}

/// Starts a program, and with the first one the process that watches over all of them
/// for as long as this one lasts.
///
/// # Errors
/// If one of them cannot be started.
pub(super) fn spawn(command: &mut Command) -> io::Result<Child> {
    watch()?;
    command.spawn()
}

/// Says that a group is about to be waited for, so that its number may become that of
/// another. That the watcher, which somebody may have killed, is not there is no reason
/// to fail.
pub(super) fn forget(group: u32) {
    let _ = tell(b'-', group);
}

/// Starts the watcher if there is none.
fn watch() -> io::Result<()> {
    static STARTING: Mutex<()> = Mutex::new(());
    let _one = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if LISTENS.load(Ordering::Acquire) >= 0 {
        return Ok(());
    }
    let (stream, other) = UnixStream::pair()?;
    Command::new("/bin/sh")
        .args(["-c", WATCHER])
        .stdin(OwnedFd::from(other))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .current_dir("/")
        .process_group(0)
        .spawn()?;
    LISTENS.store(stream.into_raw_fd(), Ordering::Release);
    Ok(())
}

/// Sends a line to the watcher. Allocates nothing.
fn tell(sign: u8, group: u32) -> io::Result<()> {
    let mut line = [b' '; 13];
    line[0] = sign;
    line[12] = b'\n';
    let mut rest = group;
    let mut at = 12;
    while rest > 0 {
        at -= 1;
        line[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    #[cfg(target_vendor = "apple")]
    let flags = 0;
    #[cfg(not(target_vendor = "apple"))]
    let flags = libc::MSG_NOSIGNAL;
    let listens = LISTENS.load(Ordering::Acquire);
    // SAFETY: the bytes are there, and so many; what is no socket is an error.
    let sent = unsafe { libc::send(listens, line.as_ptr().cast(), line.len(), flags) };
    match sent {
        13 => Ok(()),
        -1 => Err(io::Error::last_os_error()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}
