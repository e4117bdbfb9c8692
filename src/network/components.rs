//! Finding and reading the LTSs that a network consists of.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyades_formats::diagnostic::{printable_path, printable_text};
use hyades_formats::mealy::InitialOutput;
use hyades_formats::{
    self as formats, Diagnostic, Format, JointSize, LabelId, LabelTable, Lts, LtsParts, Offsets,
    ReadError, Severity, Sink, Source,
};

use super::Options;
use super::files::{Files, Identity};
use super::language::Parameters;
use super::messages::{Messages, Told};
use super::semi_composition::cut_label;
use super::syntax::{NodeKind, Syntax};
use super::without_number;

/// An LTS that takes part in a network.
#[derive(Clone, Debug)]
pub struct Component {
    /// Which of the files it is.
    pub file: usize,
    /// What it is called in messages and traces: the name of its file without
    /// ending, and a number behind if that name occurs more than once.
    pub name: String,
}

/// A file with an LTS, which may be several components.
#[derive(Clone, Debug)]
pub struct ComponentFile {
    /// The name as it is written, which is what other networks can call it.
    pub written: Vec<u8>,
    /// Where it is.
    pub path: PathBuf,
    /// Where else, by the other names that it has in the text.
    pub other_paths: Vec<PathBuf>,
    /// The LTS, each transition once and rows sorted.
    pub lts: Lts,
    /// The visible labels that occur.
    pub(super) alphabet: Vec<LabelId>,
    /// Whether hidden transitions occur.
    pub(super) has_hidden: bool,
    /// Whether the format told what is hidden, so that no options and no
    /// language change that.
    pub(super) tells_hidden: bool,
    /// Whether options changed what the format would have told.
    pub(super) hides_otherwise: bool,
    /// The labels `fail: LABEL` of loops that tell what a guessed interface has cut.
    pub(super) fails: Vec<LabelId>,
    /// Whether the LTS was computed from those in the files.
    pub(super) is_computed: bool,
}

impl ComponentFile {
    /// All its places, in the order of the text.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.path).chain(&self.other_paths)
    }

    /// The file as messages show it; what is computed is shown as it is written.
    pub fn shown(&self) -> String {
        match self.is_computed {
            true => String::from_utf8_lossy(&printable_text(&self.written)).into(),
            false => printable_path(&self.path),
        }
    }

    /// The visible labels that occur, in the order of their numbers.
    pub fn alphabet(&self) -> &[LabelId] {
        &self.alphabet
    }

    pub(super) fn new(written: &[u8], path: PathBuf, lts: Lts) -> Self {
        let lts = distinct(lts);
        let mut used = vec![false; lts.table().len()];
        for label in lts.labels() {
            used[label.index()] = true;
        }
        let numbers = (1..used.len() as u32).filter(|&k| used[k as usize]);
        let fails = failing(&lts);
        Self {
            written: written.to_owned(),
            path,
            other_paths: Vec::new(),
            alphabet: numbers.map(LabelId::new).collect(),
            has_hidden: used[0],
            tells_hidden: false,
            hides_otherwise: false,
            fails,
            is_computed: false,
            lts,
        }
    }
}

/// Reads all components of a network, each file once, whatever names it has. What is
/// wrong with them is in `messages` or has been given to `sink`.
pub(super) fn read(
    syntax: &Syntax,
    options: &Options,
    files: &dyn Files,
    messages: &mut Messages,
    sink: &mut Sink<'_>,
) -> (Vec<Arc<ComponentFile>>, Vec<Component>) {
    let mut read: Vec<ComponentFile> = Vec::new();
    // What the text calls a file, and what it is; the ending may tell the format.
    let mut names: HashMap<&[u8], Option<usize>> = HashMap::new();
    let mut known: HashMap<(Identity, Option<Format>), Option<usize>> = HashMap::new();
    let mut components: Vec<(usize, &[u8])> = Vec::new();
    let mut size = JointSize::default();
    for node in &syntax.nodes {
        let NodeKind::Component(name) = &node.kind else {
            continue;
        };
        let number = *names.entry(name).or_insert_with(|| {
            let found = find(name, options, files).and_then(|path| {
                let identity = (files.identity(&path), Format::from_path(&path));
                if let Some(&number) = known.get(&identity) {
                    if let Some(number) = number {
                        read[number].other_paths.push(path);
                    }
                    return Ok(number);
                }
                // What is wrong is told once.
                known.insert(identity.clone(), None);
                let is_shown = options.is_given && node.place.text == 0;
                let file = open(
                    name,
                    path,
                    &syntax.parameters,
                    options,
                    files,
                    is_shown,
                    sink,
                )?;
                read.push(file);
                known.insert(identity, Some(read.len() - 1));
                Ok(Some(read.len() - 1))
            });
            found.unwrap_or_else(|told| {
                messages.add(Severity::Error, "exp-component", node.place, || told);
                None
            })
        });
        let Some(file) = number else {
            // Where one is no machine, the others are likely to be none either.
            if machine(options).is_some() {
                break;
            }
            continue;
        };
        components.push((file, name));
        if let Some((severity, text)) = size.add(&read[file].lts, options.read.mode) {
            messages.add(severity, "exp-states", node.place, || text.into());
            if severity == Severity::Error {
                break;
            }
        }
    }
    let files = read.into_iter().map(Arc::new).collect();
    (files, named(&components))
}

/// Where a component is that has this name in the text.
fn find(name: &[u8], options: &Options, files: &dyn Files) -> Result<PathBuf, Told> {
    let path = options.base.join(OsStr::from_bytes(name));
    if name.ends_with(b".fc2") {
        return Err("files in FC2 cannot be read: convert it first, to BCG or AUT".into());
    }
    if Format::from_path(&path).is_some() {
        return Ok(path);
    }
    let first = [Format::Bcg, Format::Aut];
    let others = Format::ALL.into_iter().filter(|f| f.is_readable());
    for format in first.into_iter().chain(others) {
        let mut name = path.clone().into_os_string();
        name.push(".");
        name.push(format.name());
        if files.exists(Path::new(&name)) {
            return Ok(name.into());
        }
    }
    if files.exists(&path) {
        return Ok(path);
    }
    let told = |name: &str| {
        format!(
            "there is no component {name}: neither {name}.bcg nor {name}.aut exists, nor that with \
             another ending"
        )
    };
    Err(Told::hiding(told(&printable_path(path)), &told("`…`")))
}

/// Reads a component; `is_shown` says whether messages may quote it.
fn open(
    name: &[u8],
    path: PathBuf,
    parameters: &Parameters,
    options: &Options,
    files: &dyn Files,
    is_shown: bool,
    sink: &mut Sink<'_>,
) -> Result<ComponentFile, Told> {
    let failed = |error: &ReadError| match error {
        ReadError::Io { .. } => format!("cannot read the component {}", without_number(error)),
        error => format!("the component cannot be used: {error}"),
    };
    let opened = files.open(&path, None);
    let source: Source = opened.map_err(|error| Told::of_file(error, failed))?;
    let format = source.format();
    let mut read = options.read.clone();
    // Formats that know better what is hidden are asked only what the user says.
    let (tells_itself, by_name) = match format {
        Format::Fsm | Format::Trc => (true, true),
        Format::Lts | Format::Jsonl | Format::Parquet | Format::Arrow | Format::Plts => {
            (true, false)
        }
        Format::Aut
        | Format::Bcg
        | Format::Dot
        | Format::Kiss2
        | Format::Seq
        | Format::Exp
        | Format::Toml
        | Format::Tsv
        | Format::GraphMl => (false, false),
    };
    let told = tells_itself && options.customs.hidden.is_empty();
    if !told {
        read.hidden = parameters.hidden.clone();
    }
    let machine = machine(options);
    let expected = match machine {
        Some(kind) => format!(
            "a {kind} machine in the format {format}, as options about machines hold for each \
             component"
        ),
        None => format!("an LTS in the format {format}"),
    };
    // That it is no machine is told where the network names it, if no place in it is known.
    let is_told =
        |d: &Diagnostic| machine.is_none() || d.severity != Severity::Error || d.position.is_some();
    let lts = formats::read_lts(source, &read, &mut |d| match is_shown {
        true => sink(d),
        false if is_told(&d) => sink(d.discreet(&expected)),
        false => {}
    });
    let lts = lts.map_err(|error| {
        Told::of_file(error, |error| match error {
            // It may say what is there.
            ReadError::Format { file, .. } if !is_shown => unshown(file, &expected),
            ReadError::Refused { file, .. } if !is_shown && machine.is_some() => {
                unshown(file, &expected)
            }
            error => failed(error),
        })
    })?;
    let mut file = ComponentFile::new(name, path, lts);
    file.tells_hidden = told;
    file.hides_otherwise = tells_itself && !told;
    if file.hides_otherwise && by_name && read.hidden == [format.hidden().as_bytes()] {
        // Just what it would have told.
        (file.tells_hidden, file.hides_otherwise) = (true, false);
    }
    Ok(file)
}

/// What of a file is told that another one names.
fn unshown(file: &str, expected: &str) -> String {
    format!(
        "the component cannot be used: {file}: expected {expected}; what is there is not shown, \
         as another file names this one"
    )
}

/// What kind of machine each component is read as, if it is.
fn machine(options: &Options) -> Option<&'static str> {
    let mealy = options.read.mealy.as_ref()?;
    Some(match mealy.initial {
        InitialOutput::Needed => "Moore",
        InitialOutput::None | InitialOutput::Possible => "Mealy",
    })
}

/// The same LTS with sorted rows, in which each transition is once.
fn distinct(lts: Lts) -> Lts {
    let LtsParts {
        initial,
        offsets,
        mut labels,
        mut targets,
        table,
    } = lts.into_parts();
    let mut row = Vec::new();
    let mut written = 0;
    let mut moved = Offsets::with_capacity(offsets.rows());
    for state in 0..offsets.rows() {
        row.clear();
        row.extend(offsets.row(state).map(|k| (labels[k], targets[k])));
        row.sort_unstable();
        row.dedup();
        for &(label, target) in &row {
            labels[written] = label;
            targets[written] = target;
            written += 1;
        }
        moved.push(written);
    }
    labels.truncate(written);
    targets.truncate(written);
    Lts::from_parts(LtsParts {
        initial,
        offsets: moved,
        labels,
        targets,
        table,
    })
}

/// Components of these files, which the text calls like this, by names that tell them
/// apart.
fn named(components: &[(usize, &[u8])]) -> Vec<Component> {
    let stem = |written: &[u8]| {
        let path = Path::new(OsStr::from_bytes(written));
        let name = path.file_name().unwrap_or(path.as_os_str());
        let name = name.to_string_lossy();
        match Format::from_path(path) {
            Some(_) => name.split('.').next().unwrap_or_default().to_owned(),
            None => name.into_owned(),
        }
    };
    let mut count: HashMap<String, usize> = HashMap::new();
    for (_, written) in components {
        *count.entry(stem(written)).or_default() += 1;
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    let named = components.iter().map(|&(file, written)| {
        let name = stem(written);
        let number = seen.entry(name.clone()).or_default();
        *number += 1;
        let name = match count[&name] {
            1 => name,
            _ => format!("{name}#{number}"),
        };
        Component { file, name }
    });
    named.collect()
}

/// The labels `fail: LABEL` all of whose transitions are loops.
fn failing(lts: &Lts) -> Vec<LabelId> {
    let is_candidate = |l: LabelId| cut_label(lts.table().text(l)).is_some();
    let mut fails: Vec<bool> = (0..lts.table().len() as u32)
        .map(|k| k > 0 && is_candidate(LabelId::new(k)))
        .collect();
    if !fails.contains(&true) {
        return Vec::new();
    }
    for (source, label, target) in lts.iter() {
        fails[label.index()] &= source == target;
    }
    let numbers = (0..fails.len() as u32).filter(|&k| fails[k as usize]);
    numbers.map(LabelId::new).collect()
}

/// Labels of a common table with those of a file, sorted. Loops that say what an
/// interface has cut stand at the label that they are about.
pub(super) type Alphabet = Vec<(LabelId, LabelId)>;

/// The labels of all components in one table, and the alphabet of each file.
pub(super) fn common_labels(
    files: &[Arc<ComponentFile>],
) -> Result<(LabelTable, Vec<Alphabet>), formats::TooLarge> {
    let mut table = LabelTable::new();
    let mut alphabets = Vec::new();
    for file in files {
        let mut alphabet = Vec::with_capacity(file.alphabet.len());
        for &label in &file.alphabet {
            let text = file.lts.table().text(label);
            let meant = match file.fails.contains(&label) {
                true => cut_label(text).unwrap_or(text),
                false => text,
            };
            alphabet.push((table.intern(meant)?, label));
        }
        alphabet.sort_unstable();
        alphabets.push(alphabet);
    }
    Ok((table, alphabets))
}
