//! Outputs that appear whole or not at all.
//!
//! A regular file is written under a temporary name beside its place and then
//! renamed, so that an output may be the input of the same command, a reader
//! sees the old file or the new one, and nothing is left behind by a failure.
//! What was written is on the disk before it gets its name, unless one asks not to
//! wait for that: neither does a crash of the system leave a part under the name.
//! Symbolic links are followed: what they point to is replaced, they stay.
//! A file that exists keeps its permissions and, if we may, its owner; a new
//! one gets those of the umask. What is no regular file (`/dev/null`, a FIFO) is
//! written directly, and what is open already (`/dev/stderr`, `/dev/fd/3`) from
//! where it stands, as a shell does.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, FromRawFd, IntoRawFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use hyades_formats::diagnostic::printable_path;
use hyades_formats::follow_links;
use nix::unistd::{AccessFlags, access};

use super::cleanup::Unfinished;
use super::standard;
use super::status::Failure;

/// Where an output goes: looked at, but not touched yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// As the user calls it; `standard output` has no path.
    path: Option<PathBuf>,
    target: Target,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Stdout,
    /// Open already. Opening it once more would cut off what a regular file
    /// holds.
    Descriptor(RawFd),
    /// Opened and written as it is.
    Direct(PathBuf),
    /// Replaced by renaming; symbolic links are resolved.
    Replaced(PathBuf),
}

impl Destination {
    /// Standard output.
    pub fn stdout() -> Self {
        Self {
            path: None,
            target: Target::Stdout,
        }
    }

    /// Removes the file that an earlier run has left there, if there is one.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(&self) -> Result<(), Failure> {
        let Target::Replaced(place) = &self.target else {
            return Ok(());
        };
        match fs::remove_file(place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Failure::writing(&self.name(), &error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The output that a user calls `path`: `-` and `/dev/stdout` are standard
    /// output.
    ///
    /// # Errors
    /// If nothing can be written there; said now rather than after the work.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") || path == Path::new("/dev/stdout") {
            return Ok(Self::stdout());
        }
        let refuse = |reason: &str| {
            Failure::error(format!("cannot write {}: {reason}", printable_path(path)))
        };
        if path.as_os_str().is_empty() {
            return Err(refuse("empty name"));
        }
        let target = resolve(path).map_err(|e| Failure::writing(&with_target(path), &e))?;
        if let Target::Descriptor(descriptor) = target {
            duplicate(descriptor).map_err(|e| Failure::writing(&printable_path(path), &e))?;
        }
        if let Target::Replaced(place) = &target {
            if place.exists() && access(place, AccessFlags::W_OK).is_err() {
                return Err(refuse("Permission denied"));
            }
            let beside = AccessFlags::W_OK | AccessFlags::X_OK;
            if let Err(errno) = access(directory(place), beside) {
                return Err(refuse(&format!(
                    "{} (an output is made beside its place, then renamed)",
                    errno.desc()
                )));
            }
        }
        Ok(Self {
            path: Some(path.to_owned()),
            target,
        })
    }

    /// A directory that the user calls `path` and that is at `place`, which is looked at
    /// and written by who makes this.
    pub fn of_folder(path: &Path, place: &Path) -> Self {
        Self {
            path: Some(path.to_owned()),
            target: Target::Replaced(place.to_owned()),
        }
    }

    /// The path that the user gave, if it is not standard output. Its ending
    /// may tell the format.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Where there is room for a file that is as large as the output: beside it,
    /// or where temporary files are.
    pub fn room(&self) -> PathBuf {
        match &self.target {
            Target::Replaced(place) => directory(place).to_owned(),
            Target::Stdout | Target::Descriptor(_) | Target::Direct(_) => std::env::temp_dir(),
        }
    }

    /// How messages call it.
    pub fn name(&self) -> String {
        match &self.path {
            Some(path) => printable_path(path),
            None => "standard output".into(),
        }
    }

    /// Whether it appears as a whole, by renaming, so that nothing is to be seen of
    /// what does not come to its end.
    pub fn is_replaced(&self) -> bool {
        matches!(self.target, Target::Replaced(_))
    }

    /// Whether it is standard output.
    pub fn is_stdout(&self) -> bool {
        self.target == Target::Stdout
    }

    /// Whether a person would see what is written.
    pub fn is_terminal(&self) -> bool {
        match &self.target {
            Target::Stdout => io::stdout().is_terminal(),
            Target::Descriptor(descriptor) => {
                duplicate(*descriptor).is_ok_and(|file| file.is_terminal())
            }
            // Only a device is opened for a look: a FIFO's reader would take
            // that for the whole output.
            Target::Direct(path) => {
                fs::metadata(path).is_ok_and(|m| m.file_type().is_char_device())
                    && OpenOptions::new()
                        .write(true)
                        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
                        .open(path)
                        .is_ok_and(|file| file.is_terminal())
            }
            Target::Replaced(_) => false,
        }
    }

    /// Whether both would be written over one another. Two may share
    /// `/dev/null` or standard error.
    pub fn collides(&self, other: &Destination) -> bool {
        let sharable = matches!(self.target, Target::Direct(_) | Target::Descriptor(_));
        self.target == other.target && !sharable
    }

    /// Whether `input` (`-` is standard input) is the file that would be
    /// replaced.
    pub fn replaces(&self, input: &Path) -> bool {
        let Target::Replaced(place) = &self.target else {
            return false;
        };
        let input = if input == Path::new("-") {
            let stdin = io::stdin().as_fd().try_clone_to_owned();
            stdin.and_then(|fd| File::from(fd).metadata())
        } else {
            fs::metadata(input)
        };
        is_same_file(&input, &fs::metadata(place))
    }

    /// Whether `input` is a folder, as a partitioned LTS is, and the file would be one in it.
    pub fn is_part_of(&self, input: &Path) -> bool {
        let Target::Replaced(place) = &self.target else {
            return false;
        };
        let Some(folder) = place.parent().filter(|_| input.is_dir()) else {
            return false;
        };
        is_same_file(&fs::metadata(input), &fs::metadata(folder))
    }

    /// Whether it is a file in this folder, or the folder itself.
    pub fn is_within(&self, folder: &Path) -> bool {
        matches!(&self.target, Target::Replaced(place) if place.starts_with(folder))
    }

    /// Refuses to replace a file that is read besides INPUT.
    ///
    /// # Errors
    /// If one of them would be replaced.
    pub fn check_spares<'a>(
        &self,
        files: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), Failure> {
        let mut files = files.into_iter();
        match files.find(|file| self.replaces(file) || self.is_part_of(file)) {
            None => Ok(()),
            Some(file) => Err(would_replace(&self.name(), file)),
        }
    }

    /// Starts writing.
    ///
    /// # Errors
    /// If the file, or the temporary one beside it, cannot be opened.
    pub fn create(&self) -> Result<Output, Failure> {
        let opened = match &self.target {
            Target::Stdout => duplicate(libc::STDOUT_FILENO).map(|file| (file, None)),
            Target::Descriptor(descriptor) => duplicate(*descriptor).map(|file| (file, None)),
            Target::Direct(path) => OpenOptions::new()
                .write(true)
                .truncate(true)
                .open(path)
                .map(|file| (file, None)),
            Target::Replaced(place) => {
                beside(place).map(|(file, unfinished)| (file, Some((unfinished, place.clone()))))
            }
        };
        let (file, rename) = opened.map_err(|e| Failure::writing(&self.name(), &e))?;
        Ok(Output {
            name: self.name(),
            file,
            rename,
            bytes: 0,
            is_stdout: self.is_stdout(),
            screen: None,
        })
    }
}

/// What a terminal gets of an output: nothing floods it.
#[derive(Default)]
struct Screen {
    /// Lines and bytes that have been shown.
    lines: u64,
    bytes: usize,
    /// Whether something has been left out.
    is_full: bool,
    /// All lines, and whether the last one has come to its end.
    all: u64,
    is_line_open: bool,
}

/// A terminal gets so many lines at the most,
const SHOWN_LINES: u64 = 200;
/// and so many bytes, as lines may be long.
const SHOWN_BYTES: usize = 1 << 16;

impl Screen {
    /// How many of the next bytes of the output are shown.
    fn show(&mut self, bytes: &[u8]) -> usize {
        let Some(&last) = bytes.last() else {
            return 0;
        };
        let ends = || (1..).zip(bytes).filter(|&(_, &byte)| byte == b'\n');
        self.all += ends().count() as u64;
        self.is_line_open = last != b'\n';
        if self.is_full {
            return 0;
        }
        let end = match (SHOWN_LINES - self.lines).checked_sub(1) {
            None => 0,
            Some(before) => ends().nth(before as usize).map_or(bytes.len(), |end| end.0),
        };
        let mut end = end.min(SHOWN_BYTES - self.bytes);
        self.is_full = end < bytes.len();
        // Not within a character.
        while end > 0 && end < bytes.len() && bytes[end] & 0xc0 == 0x80 {
            end -= 1;
        }
        self.lines += ends().take_while(|&(at, _)| at <= end).count() as u64;
        self.bytes += end;
        end
    }
}

/// Whether both are names of one file, which is there.
pub fn same_file(a: &Path, b: &Path) -> bool {
    is_same_file(&fs::metadata(a), &fs::metadata(b))
}

/// Whether both are of one file, which is there.
fn is_same_file(a: &io::Result<Metadata>, b: &io::Result<Metadata>) -> bool {
    let number = |of: &Metadata| (of.dev(), of.ino());
    matches!((a, b), (Ok(a), Ok(b)) if number(a) == number(b))
}

fn would_replace(output: &str, file: &Path) -> Failure {
    Failure::error(format!("{output} would replace {}", printable_path(file)))
}

/// An output that is being written. Dropped without [`Output::commit`], a
/// regular file does not appear. Not buffered: write large blocks.
pub struct Output {
    name: String,
    file: File,
    /// What is to appear, and where.
    rename: Option<(Unfinished, PathBuf)>,
    bytes: u64,
    is_stdout: bool,
    /// Set for what is shortened.
    screen: Option<Screen>,
}

impl Output {
    /// How messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Refuses to appear in place of a file that is read besides INPUT.
    ///
    /// # Errors
    /// If one of them would be replaced.
    pub(super) fn check_spares(&self, files: &[PathBuf]) -> Result<(), Failure> {
        let Some((_, place)) = &self.rename else {
            return Ok(());
        };
        match files.iter().find(|file| same_file(file, place)) {
            None => Ok(()),
            Some(file) => Err(would_replace(&self.name, file)),
        }
    }

    /// The same, of which only the beginning is written if it is standard output and
    /// that is a terminal: for what may be long.
    pub fn shortened(mut self) -> Self {
        let is_shown = self.is_stdout && self.file.is_terminal();
        self.screen = is_shown.then(Screen::default);
        self
    }

    /// How much of the output has been shown, if that is not all.
    pub fn left_out(&self) -> Option<String> {
        let screen = self.screen.as_ref().filter(|screen| screen.is_full)?;
        let all = screen.all + u64::from(screen.is_line_open);
        Some(match screen.lines {
            SHOWN_LINES => format!("{SHOWN_LINES} of {all} lines"),
            _ => format!("{} of {} bytes", screen.bytes, self.bytes),
        })
    }

    /// How many bytes were written so far, or would have been but for
    /// [`Output::shortened`].
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Everything is written: waits until it is on the disk. Only files that appear
    /// are waited for; what is written as it is, or to standard output, is the
    /// business of who opened it.
    ///
    /// # Errors
    /// If the system says that it does not get there.
    pub fn sync(&self) -> Result<(), Failure> {
        match self.rename {
            Some(_) => sync(&self.file).map_err(|e| Failure::writing(&self.name, &e)),
            None => Ok(()),
        }
    }

    /// Everything is written: gives the file its name. Where that is, if it got one.
    ///
    /// # Errors
    /// If the system only now says that the data did not get through, or
    /// refuses the name. The output does not appear then.
    pub fn commit(self) -> Result<Option<PathBuf>, Failure> {
        let Self {
            name, file, rename, ..
        } = self;
        let failed = |error: io::Error| Failure::writing(&name, &error);
        close(file).map_err(failed)?;
        let Some((unfinished, place)) = rename else {
            return Ok(None);
        };
        unfinished.appear(&place).map_err(failed)?;
        Ok(Some(place))
    }
}

/// Waits until a file is on the disk, as far as its file system knows of disks.
pub(super) fn sync(file: &File) -> io::Result<()> {
    let is_no_disk = |error: &io::Error| {
        let code = error.raw_os_error();
        matches!(code, Some(libc::EINVAL | libc::EROFS | libc::ENOTSUP))
    };
    match file.sync_all() {
        Err(error) if is_no_disk(&error) => Ok(()),
        result => result,
    }
}

/// Waits until the name of a file or folder that has appeared is on the disk.
pub(super) fn sync_name(place: &Path) -> Result<(), Failure> {
    let failed = |error: io::Error| {
        let what = format!("the directory of {}", printable_path(place));
        Failure::writing(&what, &error)
    };
    match File::open(directory(place)) {
        Ok(directory) => sync(&directory).map_err(failed),
        // One may be allowed to write into a directory, but not to read it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(failed(error)),
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.screen {
            None => self.file.write(bytes)?,
            Some(screen) => {
                let was_full = screen.is_full;
                let end = screen.show(bytes);
                self.file.write_all(&bytes[..end])?;
                if screen.is_full && !was_full && screen.lines < SHOWN_LINES {
                    self.file.write_all(b"\n")?;
                }
                bytes.len()
            }
        };
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Closes a file and says if that fails, as it does where a file system over a
/// network reports late that the disk is full.
pub(super) fn close(file: File) -> io::Result<()> {
    // SAFETY: the descriptor is ours alone and is not used again.
    match unsafe { libc::close(file.into_raw_fd()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The directory that a path lies in.
pub(super) fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) => Path::new("."),
        None => path,
    }
}

/// The open file that a name in `/dev` stands for.
fn descriptor(place: &Path) -> Option<RawFd> {
    if place == Path::new("/dev/stderr") {
        return Some(libc::STDERR_FILENO);
    }
    let number = place
        .strip_prefix("/dev/fd")
        .or_else(|_| place.strip_prefix("/proc/self/fd"));
    let digits = number.ok()?.to_str()?;
    digits.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
    digits.parse().ok()
}

/// An open file by another descriptor, so that closing it leaves the one of the
/// user alone. It is not open if it was not when the process was started.
fn duplicate(descriptor: RawFd) -> io::Result<File> {
    if standard::was_closed(descriptor) {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    // SAFETY: a call with numbers only, which fails if the descriptor is not
    // open.
    match unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 3) } {
        -1 => Err(io::Error::last_os_error()),
        // SAFETY: it is new, so that nobody else owns it.
        new => Ok(unsafe { File::from_raw_fd(new) }),
    }
}

/// How messages call an output, with the place that it leads to if it is a symbolic link.
pub(super) fn with_target(path: &Path) -> String {
    let name = printable_path(path);
    match follow_links(path, |_| false) {
        Ok(place) if place != path => {
            format!("{name}, a symbolic link to {}", printable_path(place))
        }
        _ => name,
    }
}

/// Follows symbolic links to the place that is to be written.
fn resolve(path: &Path) -> io::Result<Target> {
    // The links in there name open files, not paths.
    let place = follow_links(path, |place| descriptor(place).is_some())?;
    if let Some(descriptor) = descriptor(&place) {
        return Ok(match descriptor {
            libc::STDOUT_FILENO => Target::Stdout,
            _ => Target::Descriptor(descriptor),
        });
    }
    let kind = match fs::symlink_metadata(&place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A new file; but `no/such/directory/file` or `new/` is none.
            if place.as_os_str().as_bytes().ends_with(b"/") {
                return Err(io::Error::from_raw_os_error(libc::EISDIR));
            }
            return Ok(Target::Replaced(absolute(&place)?));
        }
        Err(error) => return Err(error),
        Ok(metadata) => metadata.file_type(),
    };
    if kind.is_dir() {
        Err(io::Error::from_raw_os_error(libc::EISDIR))
    } else if kind.is_socket() {
        Err(io::Error::from_raw_os_error(libc::ENXIO))
    } else if kind.is_file() {
        Ok(Target::Replaced(absolute(&place)?))
    } else {
        Ok(Target::Direct(place))
    }
}

/// The one path of a file in a directory that exists, so that two names of one
/// place are seen to be the same.
fn absolute(place: &Path) -> io::Result<PathBuf> {
    let directory = fs::canonicalize(directory(place))?;
    if !directory.is_dir() {
        return Err(io::Error::from_raw_os_error(libc::ENOTDIR));
    }
    Ok(directory.join(place.file_name().unwrap_or_default()))
}

/// Opens a new file beside `place`, with the permissions that `place` has or
/// would get.
fn beside(place: &Path) -> io::Result<(File, Unfinished)> {
    let existing = fs::metadata(place).ok();
    // What is to become a private file must not be readable meanwhile.
    let mode = if existing.is_some() { 0o600 } else { 0o666 };
    loop {
        let temporary = directory(place).join(temporary_name(place));
        let (unfinished, file) = match Unfinished::create_file(&temporary, mode) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => made?,
        };
        if let Some(old) = existing {
            let new = file.metadata()?;
            if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
                // Only the superuser may give files away. Others replace the
                // file by one of their own, as editors do.
                let _ = std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()));
            }
            file.set_permissions(Permissions::from_mode(old.mode() & 0o777))?;
        }
        return Ok((file, unfinished));
    }
}

/// Makes a symbolic link to `target`, or puts one in the place of what is there, at
/// once: whoever follows it meanwhile finds the old one or the new one.
///
/// # Errors
/// If it cannot be made.
pub fn replace_link(target: &Path, place: &Path) -> io::Result<()> {
    loop {
        let temporary = directory(place).join(temporary_name(place));
        return match Unfinished::create_link(&temporary, target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => made?.appear(place),
        };
    }
}

/// `.NAME.RANDOM.tmp`, with NAME cut so that it is not too long for a file
/// system.
pub(super) fn temporary_name(place: &Path) -> OsString {
    let random = RandomState::new().hash_one(std::process::id());
    let name = place.file_name().unwrap_or_default().as_bytes();
    let mut text = vec![b'.'];
    text.extend_from_slice(&name[..name.len().min(200)]);
    text.extend_from_slice(format!(".{random:016x}.tmp").as_bytes());
    OsString::from_vec(text)
}

#[cfg(test)]
mod tests;
