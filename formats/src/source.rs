//! Opening inputs: files or streams, compressed or not, of whatever format.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::compression::{self, SIGNATURE};
use crate::decompress::{Counted, decompress};
use crate::detect::{Expected, Role, detect, is_undecided};
use crate::diagnostic::printable_path;
use crate::error::ReadError;
use crate::format::{Compression, Format};
use crate::mapped::Mapped;
pub use crate::progress::Progress;

/// Files below this size are read rather than mapped.
const MAP_FROM: u64 = 256 << 10;
/// So many bytes are looked at to tell the format.
const HEAD: usize = 4096;
/// So many at the most if there are but blanks and comments before.
const MOST_HEAD: usize = 1 << 20;

/// The file that makes a directory a partitioned LTS.
pub const MANIFEST: &str = "manifest.json";

/// The (decompressed) bytes of an input.
pub(crate) enum Content {
    /// All at once, from a mapped file.
    Mapped(Mapped),
    /// All at once.
    Bytes(Vec<u8>),
    /// Bit by bit.
    Stream(Box<dyn Read + Send>),
    /// None: the input is a directory with files in it.
    Folder(PathBuf),
}

/// The content of an input, all at hand.
pub(crate) enum Whole {
    /// A mapped file.
    Mapped(Mapped),
    /// What was read or decompressed.
    Bytes(Vec<u8>),
}

impl std::ops::Deref for Whole {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Whole::Mapped(map) => map,
            Whole::Bytes(bytes) => bytes,
        }
    }
}

/// An opened input whose format and compression are known.
///
/// # Files that change while they are read
/// Large plain files are mapped into memory. If another program overwrites
/// such a file meanwhile, the result is that of some mixture of old and new
/// bytes, or an error; if the file is shortened, the system sends `SIGBUS`, which
/// ends the process unless a handler asks [`mapped::file_at`](crate::mapped::file_at)
/// what happened. Nothing in this crate relies on a byte having the same value when
/// it is looked at twice, other than for the result. Where that is not good enough,
/// use a pipe (`cat FILE |`), which is never mapped.
pub struct Source {
    pub(crate) name: Arc<str>,
    pub(crate) content: Content,
    format: Format,
    compression: Compression,
    progress: Arc<Progress>,
    /// Why a plain file is read bit by bit.
    unmapped: Option<io::Error>,
}

hyades_base::opaque!(Source: name, format, compression);

impl Source {
    /// Opens a file.
    ///
    /// The compression is told by the content. The format is `format` if one
    /// is given, else told by the content, else by the ending of the name.
    ///
    /// # Errors
    /// If the file cannot be opened, its beginning cannot be read or
    /// decompressed, or its format cannot be told.
    pub fn open(path: &Path, format: Option<Format>) -> Result<Source, ReadError> {
        Self::open_as(path, Role::Input, format)
    }

    /// As [`Source::open`], for an LTS or a trace beside what a command works on, the format of
    /// which only its content and its name tell.
    ///
    /// # Errors
    /// As for [`Source::open`].
    pub fn open_beside(path: &Path) -> Result<Source, ReadError> {
        Self::open_as(path, Role::Beside, None)
    }

    /// As [`Source::open`], for a text that is no LTS and in no format: rules, tests,
    /// an order.
    ///
    /// # Errors
    /// As for [`Source::open`].
    pub fn open_text(path: &Path) -> Result<Source, ReadError> {
        // A format that is text; what it says is not looked at here.
        Self::open_as(path, Role::Text, Some(Format::Aut))
    }

    fn open_as(path: &Path, role: Role, format: Option<Format>) -> Result<Source, ReadError> {
        let expected = Expected {
            path: Some(path),
            role,
            format,
        };
        let name: Arc<str> = printable_path(path).into();
        let failed = |error| ReadError::Io {
            file: Arc::clone(&name),
            error,
        };
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Self::folder(path, name, expected);
        }
        Self::opened(Arc::clone(&name), file, expected)
    }

    /// As [`Source::open`], for a file that another file names, which may come from
    /// anybody: a regular file only, so that no name makes a process wait for a
    /// pipe or read a device without end. `-` is a file like others. What claims to be
    /// empty is: files of the system (`/proc`) are not read.
    ///
    /// # Errors
    /// As for [`Source::open`], and if it is no regular file.
    pub fn open_named(path: &Path, format: Option<Format>) -> Result<Source, ReadError> {
        let expected = Expected {
            path: Some(path),
            role: Role::Named,
            format,
        };
        let name: Arc<str> = printable_path(path).into();
        let failed = |error| ReadError::Io {
            file: Arc::clone(&name),
            error,
        };
        let check = |meta: std::fs::Metadata| match (meta.is_file(), meta.is_dir()) {
            (true, _) => Ok(()),
            (false, true) => Err(io::ErrorKind::IsADirectory.into()),
            (false, false) => Err(io::Error::other(
                "no regular file, which a file has to be that another one names",
            )),
        };
        // Before it is opened, as opening a pipe may wait, and once more
        // afterwards, as it may have been another one.
        let metadata = path.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Self::folder(path, name, expected);
        }
        check(metadata).map_err(failed)?;
        let file = File::open(path).map_err(failed)?;
        file.metadata().and_then(check).map_err(failed)?;
        Self::opened(Arc::clone(&name), file, expected)
    }

    /// An input that is open already, such as the standard input of a process; mapped
    /// if it is a regular file, from where it stands. Without a format it is taken for
    /// AUT if its content tells no other.
    ///
    /// # Errors
    /// As for [`Source::open`].
    pub fn from_file(
        name: impl Into<Arc<str>>,
        file: File,
        format: Option<Format>,
    ) -> Result<Source, ReadError> {
        Self::opened(name.into(), file, Expected::input(format))
    }

    /// As [`Source::from_file`], for a text as of [`Source::open_text`].
    ///
    /// # Errors
    /// As for [`Source::open`].
    pub fn from_text_file(name: impl Into<Arc<str>>, file: File) -> Result<Source, ReadError> {
        let expected = Expected {
            role: Role::Text,
            ..Expected::input(Some(Format::Aut))
        };
        Self::opened(name.into(), file, expected)
    }

    /// An input whose bytes are at hand; without a format they are taken for
    /// AUT if their content tells no other.
    ///
    /// # Errors
    /// As for [`Source::open`].
    pub fn from_bytes(
        name: impl Into<Arc<str>>,
        bytes: Vec<u8>,
        format: Option<Format>,
    ) -> Result<Source, ReadError> {
        Self::at_hand(name.into(), bytes, Expected::input(format))
    }

    /// As [`Source::from_bytes`], for the bytes of a file with this name, whose ending tells the
    /// format if the content does not, and if it is that of a format.
    ///
    /// # Errors
    /// As for [`Source::open`].
    pub fn from_bytes_of(
        path: &Path,
        bytes: Vec<u8>,
        format: Option<Format>,
    ) -> Result<Source, ReadError> {
        let expected = Expected {
            path: Format::from_path(path).map(|_| path),
            ..Expected::input(format)
        };
        Self::at_hand(printable_path(path).into(), bytes, expected)
    }

    fn at_hand(
        name: Arc<str>,
        bytes: Vec<u8>,
        expected: Expected<'_>,
    ) -> Result<Source, ReadError> {
        let progress = Arc::new(Progress::default());
        let total = bytes.len() as u64;
        progress.announce(total);
        match Compression::from_content(&bytes) {
            Compression::None => Self::plain(name, Content::Bytes(bytes), expected, progress),
            compression => {
                let inner = Box::new(io::Cursor::new(bytes));
                Self::decompressed(name, inner, compression, expected, progress)
            }
        }
    }

    /// An input that arrives bit by bit; without a format it is taken for AUT
    /// if its content tells no other.
    ///
    /// # Errors
    /// As for [`Source::open`].
    pub fn from_reader(
        name: impl Into<Arc<str>>,
        reader: Box<dyn Read + Send>,
        format: Option<Format>,
    ) -> Result<Source, ReadError> {
        let progress = Arc::new(Progress::default());
        Self::from_stream(name.into(), reader, Expected::input(format), progress)
    }

    /// A directory, which has to be a partitioned LTS.
    fn folder(path: &Path, name: Arc<str>, expected: Expected<'_>) -> Result<Source, ReadError> {
        let text = match (expected.role, expected.format) {
            (Role::Text, _) => {
                let error = io::ErrorKind::IsADirectory.into();
                return Err(ReadError::Io { file: name, error });
            }
            _ if !path.join(MANIFEST).exists() => format!(
                "a directory without {MANIFEST}, so no partitioned LTS, or one whose writing has \
                 not come to its end"
            ),
            (_, None | Some(Format::Plts)) => {
                return Ok(Source {
                    name,
                    content: Content::Folder(path.to_owned()),
                    format: Format::Plts,
                    compression: Compression::None,
                    progress: Arc::default(),
                    unmapped: None,
                });
            }
            (_, Some(format)) => {
                format!("a partitioned LTS, which is a directory, and not in format {format}")
            }
        };
        Err(ReadError::Format { file: name, text })
    }

    fn opened(name: Arc<str>, mut file: File, expected: Expected<'_>) -> Result<Source, ReadError> {
        let failed = |error| ReadError::Io {
            file: Arc::clone(&name),
            error,
        };
        let progress = Arc::new(Progress::default());
        let meta = file.metadata().map_err(failed)?;
        if meta.is_dir() {
            return Err(ReadError::Format {
                file: name,
                text: "a directory, which is read by its name only".into(),
            });
        }
        if !meta.is_file() {
            return Self::from_stream(name, Box::new(file), expected, progress);
        }
        let start = file.stream_position().map_err(failed)?;
        // Files of the system (/proc) claim to be empty, and may have no end, or make
        // who reads them wait: not for who names a file in a file.
        let size = meta.len().saturating_sub(start);
        progress.announce(size);
        if size == 0 && matches!(expected.role, Role::Named) {
            return Self::plain(name, Content::Bytes(Vec::new()), expected, progress);
        }
        if size < MAP_FROM {
            let mut bytes = Vec::with_capacity(size as usize + 1);
            let most = MAP_FROM + 1;
            let mut head = (&mut file).take(most);
            head.read_to_end(&mut bytes).map_err(failed)?;
            if bytes.len() as u64 == most {
                let whole = Box::new(io::Cursor::new(bytes).chain(file));
                return Self::from_stream(name, whole, expected, progress);
            }
            return match Compression::from_content(&bytes) {
                Compression::None => Self::plain(name, Content::Bytes(bytes), expected, progress),
                compression => {
                    let inner = Box::new(io::Cursor::new(bytes));
                    Self::decompressed(name, inner, compression, expected, progress)
                }
            };
        }
        let map = match Mapped::new(&file, start, &name) {
            Ok(map) => map,
            // Some file systems cannot map, or there is no room for it.
            Err(error) => {
                let read = Self::from_stream(name, Box::new(file), expected, progress)?;
                return Ok(Source {
                    unmapped: Some(error),
                    ..read
                });
            }
        };
        match Compression::from_content(&map) {
            Compression::None => Self::plain(name, Content::Mapped(map), expected, progress),
            compression => {
                drop(map);
                Self::decompressed(name, Box::new(file), compression, expected, progress)
            }
        }
    }

    /// An input whose bytes are all at hand, decompressed.
    fn plain(
        name: Arc<str>,
        content: Content,
        expected: Expected<'_>,
        progress: Arc<Progress>,
    ) -> Result<Source, ReadError> {
        let head: &[u8] = match &content {
            Content::Mapped(map) => map,
            Content::Bytes(bytes) => bytes,
            Content::Stream(_) | Content::Folder(_) => unreachable!("these are not at hand"),
        };
        let head = &head[..head.len().min(MOST_HEAD)];
        let format = detect(&name, head, Compression::None, expected)?;
        Ok(Source {
            name,
            content,
            format,
            compression: Compression::None,
            progress,
            unmapped: None,
        })
    }

    fn from_stream(
        name: Arc<str>,
        reader: Box<dyn Read + Send>,
        expected: Expected<'_>,
        progress: Arc<Progress>,
    ) -> Result<Source, ReadError> {
        let mut reader = UpToTheEnd(Some(reader));
        let mut head = read_head(&name, &mut reader, SIGNATURE)?;
        // Behind what decompressors skip comes what tells the compression.
        let mut asked = HEAD;
        while asked < MOST_HEAD && compression::is_undecided(&head) {
            let more = read_head(&name, &mut reader, asked)?;
            if more.is_empty() {
                break;
            }
            head.extend(more);
            asked *= 2;
        }
        let compression = Compression::from_content(&head);
        let whole = Box::new(io::Cursor::new(head).chain(reader));
        Self::decompressed(name, whole, compression, expected, progress)
    }

    /// A stream of which the compression is known, if only that there is none.
    fn decompressed(
        name: Arc<str>,
        inner: Box<dyn Read + Send>,
        compression: Compression,
        expected: Expected<'_>,
        progress: Arc<Progress>,
    ) -> Result<Source, ReadError> {
        let counted = Counted {
            inner,
            progress: Arc::clone(&progress),
        };
        let mut reader = decompress(counted, compression).map_err(|error| ReadError::Io {
            file: Arc::clone(&name),
            error,
        })?;
        let mut head = read_head(&name, &mut reader, HEAD)?;
        let mut asked = HEAD;
        while head.len() == asked && asked < MOST_HEAD && is_undecided(&head) {
            head.extend(read_head(&name, &mut reader, asked)?);
            asked *= 2;
        }
        let inner = Compression::from_content(&head);
        if compression != Compression::None && inner != Compression::None {
            return Err(ReadError::Format {
                text: if inner == compression {
                    format!("its content is {inner} data twice over: unpack it once")
                } else {
                    format!("its content is {inner} data within {compression} data: unpack it once")
                },
                file: name,
            });
        }
        let format = detect(&name, &head, compression, expected)?;
        Ok(Source {
            name,
            content: Content::Stream(Box::new(io::Cursor::new(head).chain(reader))),
            format,
            compression,
            progress,
            unmapped: None,
        })
    }

    /// All of the (decompressed) content at once, for formats that cannot be
    /// read as they arrive: a stream is read to its end.
    ///
    /// # Errors
    /// If a stream cannot be read or decompressed.
    pub(crate) fn into_whole(self) -> Result<Whole, ReadError> {
        match self.content {
            Content::Mapped(map) => Ok(Whole::Mapped(map)),
            Content::Bytes(bytes) => Ok(Whole::Bytes(bytes)),
            Content::Folder(_) => Err(ReadError::Io {
                file: self.name,
                error: io::ErrorKind::IsADirectory.into(),
            }),
            Content::Stream(mut stream) => {
                let mut bytes = Vec::new();
                match stream.read_to_end(&mut bytes) {
                    Ok(_) => Ok(Whole::Bytes(bytes)),
                    Err(error) => Err(ReadError::Io {
                        file: self.name,
                        error,
                    }),
                }
            }
        }
    }

    /// The content, if it is a plain file, in which reading can begin anywhere.
    ///
    /// # Errors
    /// If it is not; `found` tells what it is then. If it is, but cannot be mapped.
    pub(crate) fn into_at_hand(self, found: &str) -> Result<Whole, ReadError> {
        if let (Compression::None, Some(error)) = (self.compression, self.unmapped) {
            return Err(ReadError::Io {
                file: self.name,
                error,
            });
        }
        match self.content {
            Content::Mapped(map) => Ok(Whole::Mapped(map)),
            Content::Bytes(bytes) => Ok(Whole::Bytes(bytes)),
            Content::Stream(_) | Content::Folder(_) => Err(ReadError::Format {
                file: self.name,
                text: format!(
                    "{found}: give a plain file, or a partitioned LTS, as by \
                     `transcode INPUT -o NAME.plts`"
                ),
            }),
        }
    }

    /// All of the (decompressed) content, for who reads a format that this crate
    /// does not read.
    ///
    /// # Errors
    /// If it cannot be read or decompressed.
    pub fn into_bytes(self) -> Result<Vec<u8>, ReadError> {
        Ok(match self.into_whole()? {
            Whole::Mapped(map) => map.to_vec(),
            Whole::Bytes(bytes) => bytes,
        })
    }

    /// The (decompressed) content as it comes, for who wants to see a part of it.
    pub fn into_reader(self) -> Box<dyn Read + Send> {
        match self.content {
            Content::Mapped(map) => Box::new(io::Cursor::new(map)),
            Content::Bytes(bytes) => Box::new(io::Cursor::new(bytes)),
            Content::Stream(stream) => stream,
            Content::Folder(_) => Box::new(NoStream),
        }
    }

    /// As [`Source::into_bytes`], of a text that is to have at most so many bytes,
    /// decompressed.
    ///
    /// # Errors
    /// If it has more, and as there; no more than that is read.
    pub fn into_bytes_up_to(self, most: usize) -> Result<Vec<u8>, ReadError> {
        let name = Arc::clone(&self.name);
        let (bytes, is_longer) = match self.content {
            Content::Mapped(map) => (map[..map.len().min(most)].to_vec(), map.len() > most),
            Content::Bytes(bytes) => {
                let is_longer = bytes.len() > most;
                (bytes, is_longer)
            }
            Content::Folder(_) => {
                return Err(ReadError::Io {
                    file: name,
                    error: io::ErrorKind::IsADirectory.into(),
                });
            }
            Content::Stream(mut stream) => {
                let bytes = read_head(&name, &mut stream, most.saturating_add(1))?;
                let is_longer = bytes.len() > most;
                (bytes, is_longer)
            }
        };
        match is_longer {
            false => Ok(bytes),
            true => Err(ReadError::Format {
                file: name,
                text: format!("more than {most} bytes, which is too long for such a file"),
            }),
        }
    }

    /// The name of the input, as messages show it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The compression.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// How far reading has come; the handle outlives the source.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }
}

/// What reading a directory as a stream gives.
struct NoStream;

impl Read for NoStream {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::IsADirectory.into())
    }
}

/// A stream that is not asked again once it has ended: a terminal would go on.
struct UpToTheEnd(Option<Box<dyn Read + Send>>);

impl Read for UpToTheEnd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(inner) = &mut self.0 else {
            return Ok(0);
        };
        let count = inner.read(buffer)?;
        if count == 0 && !buffer.is_empty() {
            self.0 = None;
        }
        Ok(count)
    }
}

/// The first `len` bytes of a stream, or all of a shorter one.
fn read_head(
    name: &Arc<str>,
    reader: &mut (dyn Read + Send),
    len: usize,
) -> Result<Vec<u8>, ReadError> {
    let mut head = Vec::new();
    reader
        .take(len as u64)
        .read_to_end(&mut head)
        .map_err(|error| ReadError::Io {
            file: Arc::clone(name),
            error,
        })?;
    Ok(head)
}

/// A text, other than an LTS, that a file names has at most so many bytes: rules,
/// lists, parts of a network.
pub const MOST_NAMED: usize = 64 << 20;
