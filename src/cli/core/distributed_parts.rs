//! A partitioned LTS that the processes of a run write together: each a part of it, in the
//! folder of the first one.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use hyades_cluster::Error;
use hyades_cluster::wire::{Cursor, put_bytes, put_u64};
use hyades_cluster::worker::{Worker, gather};
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_formats::options::Codec;
use hyades_formats::plts::{self, Announced, Files, Writer, Written, part_name};
use hyades_formats::{Format, LabelId};

use super::cleanup::Unfinished;
use super::cluster::cluster_failure;
use super::distributed::Announcement;
use super::folders::{Folder, UnfinishedFolder};
use super::output::sync;
use super::session::Session;
use super::size::show_size;
use super::stats::{FileStats, Size};
use super::status::Failure;

/// A label and a target.
type Row<'r> = &'r [(u32, u64)];

/// The files that a process adds to the directory of another one.
pub(super) struct Share {
    directory: PathBuf,
    paths: Vec<PathBuf>,
    /// Dropped before the folder.
    files: Vec<Unfinished>,
    _folder: Unfinished,
}

impl Share {
    /// Files in a directory that the first process has made.
    fn of(directory: &Path) -> Result<Self, Failure> {
        let folder = Unfinished::of_others(directory, true);
        let folder = folder.map_err(|e| Failure::writing(&printable_path(directory), &e))?;
        Ok(Self {
            directory: directory.to_owned(),
            paths: Vec::new(),
            files: Vec::new(),
            _folder: folder,
        })
    }

    /// Waits until the files are on the disk.
    fn sync(&self) -> io::Result<()> {
        let mut paths = self.paths.iter();
        paths.try_for_each(|path| sync(&File::open(path)?))
    }
}

impl Files for Share {
    fn create(&mut self, name: &str) -> io::Result<File> {
        let path = self.directory.join(name);
        let (watched, file) = Unfinished::create_file(&path, 0o666)?;
        self.files.push(watched);
        self.paths.push(path);
        Ok(file)
    }

    fn reopen(&mut self, name: &str) -> io::Result<File> {
        File::open(self.directory.join(name))
    }
}

/// Where the files of a process go.
enum Place {
    /// A directory of its own.
    Own(UnfinishedFolder),
    /// That of the first process.
    Share(Share),
}

impl Place {
    fn files(&mut self) -> &mut dyn Files {
        match self {
            Place::Own(folder) => folder,
            Place::Share(share) => share,
        }
    }
}

/// A partitioned LTS in the making, as one of the processes sees it.
struct Making<'a> {
    place: Place,
    /// How the folder is called.
    name: String,
    /// The number of this process' part.
    number: usize,
    what: &'a Announcement<'a>,
    /// The visible labels that occur.
    visible: Vec<LabelId>,
    codec: Codec,
}

impl<'a> Making<'a> {
    /// The first process, which has a folder, makes it and tells the others where it is; all
    /// tell whether they have states, of which they write a part.
    fn begin(
        worker: &mut dyn Worker,
        folder: Option<&Folder>,
        what: &'a Announcement<'_>,
        codec: Codec,
        has_states: bool,
    ) -> Result<Self, Failure> {
        let made = folder.map(Folder::create).transpose()?;
        let path = made.as_ref().map(UnfinishedFolder::path);
        let path = path.map_or(&[][..], |path| path.as_os_str().as_bytes());
        let mut told = Vec::new();
        put_u64(&mut told, u64::from(has_states));
        put_bytes(&mut told, path);
        let told = gather(worker, &told).map_err(cluster_failure)?;
        let (directory, has_states) = read_told(&told).map_err(cluster_failure)?;
        let count = |all: &[bool]| all.iter().filter(|&&has| has).count();
        let place = match made {
            Some(mut folder) => {
                let own = count(&has_states[..=worker.index()]);
                folder.expect_files((own..count(&has_states)).map(part_name))?;
                Place::Own(folder)
            }
            None => Place::Share(Share::of(&directory)?),
        };
        let mut visible = what.labels();
        visible.retain(|label| !label.is_hidden());
        Ok(Self {
            place,
            name: folder.map_or_else(|| printable_path(&directory), |f| f.name().to_owned()),
            number: count(&has_states[..worker.index()]),
            what,
            visible,
            codec,
        })
    }

    fn announced(&self) -> Announced {
        Announced {
            states: self.what.states,
            labels: self.visible.len() as u64 + 1,
        }
    }

    fn failed(&self, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::NotFound => Failure::error(format!(
                "cannot write a part of {}: it is in no file system that all processes share",
                self.name
            )),
            _ => Failure::writing(&self.name, error),
        }
    }

    /// Writes the rows of the own states, which `each` passes on, if there are any.
    fn write_part(
        &mut self,
        worker: &mut dyn Worker,
        own: Range<u64>,
        each: impl FnOnce(
            &mut dyn Worker,
            &mut dyn FnMut(Row<'_>) -> Result<(), Error>,
        ) -> Result<(), Error>,
    ) -> Result<Written, Failure> {
        // The hidden label has the number 0.
        let mut numbers = vec![0; self.what.table.len()];
        for (label, number) in self.visible.iter().zip(1..) {
            numbers[label.index()] = number;
        }
        let (announced, limits) = (self.announced(), plts::Limits::default());
        let writer = Writer::new(self.place.files(), announced, self.codec, limits);
        let mut writer = writer.beginning_at(self.number, own.start);
        let begun = match own.is_empty() {
            true => Ok(()),
            false => writer.begin_part(own.end - own.start),
        };
        if let Err(error) = begun {
            return Err(self.failed(&error));
        }
        let mut trouble = None;
        let passed = each(worker, &mut |row| {
            let row = row.iter();
            let row = row.map(|&(label, target)| (numbers[label as usize], target));
            writer.state(row).map_err(|error| {
                trouble = Some(error);
                Error::Packet
            })
        });
        let written = match trouble {
            Some(error) => Err(error),
            None => {
                passed.map_err(cluster_failure)?;
                writer.finish_parts()
            }
        };
        written.map_err(|error| self.failed(&error))
    }

    /// Writes what ties the parts together, of which all have told, if the folder is this
    /// process' own.
    fn combine(&mut self, parts: &[Vec<u8>]) -> Result<Option<FileStats>, Failure> {
        let announced = self.announced();
        let Place::Own(folder) = &mut self.place else {
            return Ok(None);
        };
        let parts = parts.iter().map(|one| Written::from_bytes(one));
        let parts: io::Result<Vec<Written>> = parts.collect();
        let parts = parts.map_err(|_| cluster_failure(Error::Packet))?;
        let texts = self
            .visible
            .iter()
            .map(|&label| self.what.table.text(label));
        let combined = Writer::combine(folder, announced, parts, texts, self.what.initial);
        let bytes = match combined {
            Ok((_, bytes)) => bytes,
            Err(error) => return Err(self.failed(&error)),
        };
        folder.bytes = bytes;
        let file = FileStats {
            path: self.name.clone(),
            format: Format::Plts.name().into(),
            bytes,
            ..FileStats::default()
        };
        Ok(Some(file.with(Size {
            states: self.what.states,
            transitions: self.what.transitions,
            labels: self.visible.len() as u64,
        })))
    }

    /// Waits until the own files are on the disk.
    fn sync(&self) -> Result<(), Failure> {
        match &self.place {
            Place::Own(folder) => folder.sync(),
            Place::Share(share) => share.sync().map_err(|error| self.failed(&error)),
        }
    }
}

/// What processes have told when they began: the directory of the first one, and whether each
/// has states.
fn read_told(told: &[Vec<u8>]) -> Result<(PathBuf, Vec<bool>), Error> {
    let mut has_states = Vec::new();
    let mut directory = None;
    for one in told {
        let mut one = Cursor::new(one);
        has_states.push(one.u64()? != 0);
        directory.get_or_insert(one.bytes()?.to_vec());
    }
    let directory = OsString::from_vec(directory.unwrap_or_default());
    Ok((directory.into(), has_states))
}

impl Session {
    /// Writes a partitioned LTS, of which this process has the rows of some states: phase
    /// `write`. Blocks are compressed by `codec`; `each` passes the rows on, state by state, with
    /// the labels of the table. The first process has a folder, in a file system
    /// that all share. It appears at the end of its session.
    ///
    /// # Errors
    /// If it cannot be written, or another process is lost.
    pub fn write_distributed(
        &mut self,
        worker: &mut dyn Worker,
        folder: Option<&Folder>,
        what: &Announcement<'_>,
        codec: Codec,
        own: Range<u64>,
        each: impl FnOnce(
            &mut dyn Worker,
            &mut dyn FnMut(Row<'_>) -> Result<(), Error>,
        ) -> Result<(), Error>,
    ) -> Result<(), Failure> {
        if let Some(folder) = folder {
            self.check_folder(folder)?;
        }
        let is_synced = self.is_synced();
        let (place, figures) = self.phase("write", |phase| {
            let mut making = Making::begin(worker, folder, what, codec, !own.is_empty())?;
            let part = making.write_part(worker, own, each)?;
            let all = gather(worker, &part.to_bytes()).map_err(cluster_failure)?;
            let figures = making.combine(&all)?;
            if let Some(figures) = &figures {
                phase.summary(|| {
                    format!(
                        "{}, {}, {}, {}",
                        making.name,
                        show_size(figures.bytes),
                        counted(what.states, "state"),
                        counted(what.transitions, "transition")
                    )
                });
            }
            if is_synced {
                making.sync()?;
            }
            Ok((making.place, figures))
        })?;
        match (place, figures) {
            (Place::Own(folder), Some(figures)) => self.add_folder(folder, figures),
            (Place::Share(share), _) => self.share = Some(share),
            (Place::Own(_), None) => unreachable!("whoever has the folder has the figures"),
        }
        // The first one knows by this that all parts are on the disk.
        gather(worker, &[]).map_err(cluster_failure)?;
        Ok(())
    }
}
