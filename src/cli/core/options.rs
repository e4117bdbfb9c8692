//! Options about reading and writing, each of them once, and their conversion
//! into what the formats need.

use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum;
use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser};
use hyades_equivalence::{MinimizeError, Relation};
use hyades_formats as formats;
use hyades_formats::diagnostic::printable_path;
use hyades_formats::options::Codec;
use hyades_formats::{Compression, Dialect, Format, Lts, TraceForm, UnknownName};
use hyades_lts::relabel::Rules;

use super::choices::{first_given, one_of};
use super::folders::Folder;
use super::format_options::{
    MealyOptions, ReadDotOptions, ReadFsmOptions, ReadSeqOptions, WriteBcgOptions,
    WriteColumnsOptions, WriteFsmOptions, WritePltsOptions, WriteSeqOptions,
};
use super::network_options::NetworkOptions;
use super::output::Destination;
use super::session::{RunOptions, Session};
use super::status::Failure;

/// Whose habits files follow, and whether they hold Mealy machines; commands
/// that read or write have it.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Input and output")]
pub struct DialectOption {
    /// The hidden action is the label `tau` (mcrl2) or `i` (cadp) in what is
    /// read and in what is written, but for SEQ, .trc and .lts, which have it in one
    /// way [default: as the format has it; `i` in AUT]
    #[arg(long, value_name = "NAME", value_parser = one_of::<Dialect, _>(Dialect::ALL.map(Dialect::name)))]
    dialect: Option<Dialect>,

    #[command(flatten)]
    mealy: MealyOptions,
}

impl DialectOption {
    /// How labels of Mealy machines are split.
    pub fn mealy(&self) -> &MealyOptions {
        &self.mealy
    }

    fn get(&self) -> Option<formats::Dialect> {
        self.dialect
    }

    /// How the hidden action reads in what is no file format, such as a picture.
    pub fn shown_hidden(&self) -> &'static str {
        self.dialect.unwrap_or(Dialect::Cadp).hidden()
    }

    /// How the hidden action reads in what is written in this format; none where it has no
    /// text.
    pub(super) fn written_hidden(&self, format: Format) -> Option<&'static str> {
        match format {
            // Labels are pairs of input and output, none of which is hidden.
            Format::Plts | Format::Kiss2 => None,
            // Without dialects.
            Format::Bcg | Format::Lts | Format::Seq | Format::Trc => Some(format.hidden()),
            Format::Aut
            | Format::Dot
            | Format::Fsm
            | Format::Exp
            | Format::Toml
            | Format::Tsv
            | Format::Jsonl
            | Format::Parquet
            | Format::Arrow
            | Format::GraphMl => Some(self.hidden_of(format)),
        }
    }

    /// How the hidden action reads in this format, or as the dialect says.
    fn hidden_of(&self, format: Format) -> &'static str {
        self.dialect.map_or(format.hidden(), Dialect::hidden)
    }
}

/// Whether files with the ending of this format may also be something else.
const fn may_be_a_text(format: Format) -> bool {
    match format {
        // Networks and systems are texts that commands print.
        Format::Exp | Format::Toml | Format::Seq | Format::Trc | Format::Tsv | Format::Jsonl => {
            true
        }
        Format::Aut
        | Format::Bcg
        | Format::Lts
        | Format::Dot
        | Format::Fsm
        | Format::Kiss2
        | Format::Parquet
        | Format::Arrow
        | Format::GraphMl
        | Format::Plts => false,
    }
}

fn from_help() -> String {
    format!(
        "Read this format: {} [default: told by the content, then by the name's ending; \
         networks (exp) and systems of machines (toml) by the ending only, so that on standard \
         input they have to be named]; compression is recognised by itself; `model` for a \
         shared object whose name does not end in .so, the code of which is run",
        Format::list(Format::is_input)
    )
}

/// What `--to` says.
fn to_help() -> String {
    format!(
        "Write this format: {} [default: the one of OUTPUT's ending; aut if it has none]",
        Format::list(Format::is_writable)
    )
}

/// What `--classes` says.
pub const fn classes_help() -> &'static str {
    "The classes of states, which `minimize` writes to FILE and `draw` reads from it, one a \
     line: the state of the output, a colon, and the states of the input that it stands for, \
     ascending (`0: 0 4 7`)"
}

/// How inputs are read.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Input")]
pub struct ReadOptions {
    #[arg(long, value_name = "FORMAT", help = from_help())]
    from: Option<NamedFormat>,

    /// Hide more of what is read, as in mCRL2: all labels with one of these gates
    /// (action names), whatever their offers, beside what is hidden already; NAMES
    /// are separated by commas; repeatable. Of a multi-action a|b, the actions with
    /// these names go; without any left, it is hidden
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = gate_parser())]
    tau: Vec<OsString>,

    /// The label TEXT is the hidden action in what is read; repeatable,
    /// replaces `i` and what --dialect and the language of a network say
    #[arg(long, value_name = "TEXT")]
    hidden: Vec<OsString>,

    /// Accept only what the definition of the format allows
    #[arg(long, conflicts_with_all = ["lenient", "grow"])]
    strict: bool,

    /// Go on, with a warning, where counts are missing or wrong, and where far more
    /// states are announced than there are transitions for
    #[arg(long)]
    lenient: bool,

    /// Add states that the header did not announce, with a warning
    #[arg(long)]
    grow: bool,

    /// Decode labels: `ltsmin` for `\"`, `\\` and `#HEX#`
    #[arg(long, value_name = "KIND", default_value = "none")]
    escapes: Escapes,

    #[command(flatten)]
    seq: ReadSeqOptions,

    #[command(flatten)]
    dot: ReadDotOptions,

    #[command(flatten)]
    fsm: ReadFsmOptions,

    #[command(flatten)]
    network: NetworkOptions,
}

/// Values of `--from`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NamedFormat {
    /// A format of files.
    Format(Format),
    /// A shared object that computes a state space.
    Model,
}

impl FromStr for NamedFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name == "model" {
            return Ok(NamedFormat::Model);
        }
        let named = name.parse().map(NamedFormat::Format);
        named.map_err(|error: UnknownName| {
            let error = UnknownName {
                known: format!("{}, model", Format::list(Format::is_input)),
                ..error
            };
            format!("{error}{}", dialect_hint(name))
        })
    }
}

/// The values of an option that chooses by names which its help lists in words of its own, or
/// of which there are too many for it: for who completes command lines.
pub fn choices(arg: &clap::Arg) -> Option<Vec<&'static str>> {
    let parser = arg.get_value_parser();
    let formats = |fits: fn(Format) -> bool| {
        let all = Format::ALL.into_iter().filter(move |format| fits(*format));
        all.map(Format::name)
    };
    if parser.type_id() == TypeId::of::<NamedFormat>() {
        return Some(formats(Format::is_input).chain(["model"]).collect());
    }
    if parser.type_id() == TypeId::of::<Format>() {
        return Some(formats(Format::is_writable).collect());
    }
    macro_rules! names_of {
        ($($type:ty),+ $(,)?) => {
            $(if parser.type_id() == TypeId::of::<$type>() {
                return Some(<$type>::ALL.map(<$type>::name).to_vec());
            })+
        };
    }
    names_of!(
        Relation,
        hyades_equivalence::reduction::Reduction,
        hyades_network::por::Reduction,
        hyades_network::Language,
        hyades_network::symmetry::Strategy,
        hyades_refinement::Semantics,
        hyades_channels::Rule,
        hyades_channels::Strategy,
        formats::options::LabelColumns,
        formats::options::MooreForm,
    );
    None
}

/// Names that labels have before their offers.
fn gate_parser() -> impl TypedValueParser<Value = OsString> {
    OsStringValueParser::new().try_map(|name| {
        let name = name.as_bytes().trim_ascii();
        let expected = match formats::label::split_gate(name) {
            (gate, b"") if !gate.is_empty() => {
                return Ok(OsString::from_vec(gate.to_vec()));
            }
            ([], b"") => "a name is missing: expected NAME or NAME,NAME,…",
            _ => {
                "expected names of gates (actions), which end before the first blank, `!`, `?` \
                 or `(`: whatever the offers, labels with them are hidden; a whole label that \
                 reads like the hidden action is for --hidden, others for relabel --hide-label"
            }
        };
        Err(expected)
    })
}

/// Values of `--escapes`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Escapes {
    /// Every byte stands for itself.
    None,
    /// As LTSmin writes labels.
    Ltsmin,
}

impl ReadOptions {
    /// The format that the user named.
    ///
    /// # Errors
    /// If it is [a model](Self::is_model), which is no file to be read.
    pub fn from(&self) -> Result<Option<Format>, Failure> {
        match self.from {
            None => Ok(None),
            Some(NamedFormat::Format(format)) => Ok(Some(format)),
            Some(NamedFormat::Model) => Err(Failure::error(
                "--from model: only `check`, `reach` and `refine` load models",
            )),
        }
    }

    /// Whether this input is a network, whose states are explored.
    ///
    /// # Errors
    /// As of [`from`](Self::from).
    pub fn explores(&self, input: &Path) -> Result<bool, Failure> {
        let format = self.from()?.or_else(|| Format::from_path(input));
        Ok(format == Some(Format::Exp))
    }

    /// Whether the user said that the input is a shared object to be loaded.
    pub fn is_model(&self) -> bool {
        self.from == Some(NamedFormat::Model)
    }

    /// Whether labels are to be hidden that the file does not say are.
    pub fn hides(&self) -> bool {
        !self.hidden.is_empty() || !self.tau.is_empty()
    }

    /// The first option that was given and is about what is written in files.
    pub fn about_files(&self) -> Option<&'static str> {
        first_given([
            (!self.hidden.is_empty(), "--hidden"),
            (self.lenient, "--lenient"),
        ])
    }

    /// What the readers go by.
    pub fn get(&self, dialect: &DialectOption) -> formats::ReadOptions {
        formats::ReadOptions {
            mode: match (self.strict, self.lenient) {
                (true, _) => formats::Mode::Strict,
                (false, true) => formats::Mode::Lenient,
                (false, false) => formats::Mode::Default,
            },
            grow: self.grow,
            hidden: texts(&self.hidden),
            tau: texts(&self.tau),
            dialect: dialect.get(),
            escapes: match self.escapes {
                Escapes::None => formats::Escapes::None,
                Escapes::Ltsmin => formats::Escapes::Ltsmin,
            },
            seq: self.seq.get(),
            mealy: dialect.mealy.read(),
            dot: self
                .dot
                .get(dialect.mealy.outputs(formats::dot::StateOutputs::Refused)),
            fsm: self.fsm.get(),
            ..formats::ReadOptions::default()
        }
    }
}

impl ReadOptions {
    /// What a witness is read by that a command with the same options has written: its
    /// labels are those of the system, and none of them is to be changed again.
    pub(super) fn of_witness(&self, dialect: &DialectOption) -> formats::ReadOptions {
        formats::ReadOptions {
            hidden: Vec::new(),
            tau: Vec::new(),
            dialect: None,
            escapes: formats::Escapes::None,
            seq: formats::seq::ReadSeq::default(),
            ..self.get(dialect)
        }
    }

    /// What a network is read by that is in a file, or on the command line.
    pub fn network(&self, dialect: &DialectOption, path: Option<&Path>) -> hyades_network::Options {
        let read = self.get(dialect);
        let hidden = match (dialect.get(), self.hidden.is_empty()) {
            (Some(dialect), true) => vec![dialect.hidden().into()],
            _ => read.hidden.clone(),
        };
        self.network.get(path, hidden, read)
    }

    /// What `--tau` says, as rules.
    ///
    /// # Errors
    /// If a name is too long.
    pub fn gate_rules(&self) -> Result<Option<Rules>, Failure> {
        if self.tau.is_empty() {
            return Ok(None);
        }
        let rules = Rules::of_gates(self.tau.iter().map(|name| name.as_bytes()));
        rules
            .map(Some)
            .map_err(|error| Failure::error(format!("--tau: {error}")))
    }

    /// Whether a label with this text counts as hidden in what is read.
    pub fn is_hidden(&self, dialect: &DialectOption, format: Format, text: &[u8]) -> bool {
        match self.hidden.is_empty() {
            true => text == dialect.hidden_of(format).as_bytes(),
            false => self.hidden.iter().any(|hidden| hidden.as_bytes() == text),
        }
    }
}

fn texts(given: &[OsString]) -> Vec<Vec<u8>> {
    given.iter().map(|text| text.clone().into_vec()).collect()
}

/// The one input of a filter.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Input")]
pub struct InputOption {
    /// The file to read; `-` is standard input
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    pub input: PathBuf,
}

/// Where an output goes that is no LTS.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct TextOption {
    /// Write to OUTPUT, which appears whole or not at all; `-` is standard output,
    /// unless an answer to a question goes there
    #[arg(short, long, value_name = "OUTPUT")]
    output: Option<PathBuf>,
}

impl TextOption {
    /// The name of the output, if there is one that is not standard output.
    pub fn path(&self) -> Option<&Path> {
        self.output
            .as_deref()
            .filter(|path| *path != Path::new("-"))
    }

    /// Looks at the output before the work begins.
    ///
    /// # Errors
    /// If nothing can be written there, or its name is that of a compressed file.
    pub fn get(&self) -> Result<Destination, Failure> {
        match &self.output {
            Some(path) => {
                check_uncompressed(path, "a text")?;
                Destination::new(path)
            }
            None => Ok(Destination::stdout()),
        }
    }
}

/// A page for people beside the answer.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct HtmlOption {
    /// Write a page with tables and plots, which needs no other file, to FILE, whose
    /// name ends in .html; `-` is standard output, which then has nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl HtmlOption {
    /// Whether there is to be a page.
    pub fn is_given(&self) -> bool {
        self.html.is_some()
    }

    /// Where the page goes, if anywhere, looked at before the work begins.
    ///
    /// # Errors
    /// If nothing can be written there, or the name is not that of a page: a file to be
    /// read stands there by a slip.
    pub fn get(&self) -> Result<Option<Destination>, Failure> {
        let Some(path) = &self.html else {
            return Ok(None);
        };
        let is_page = |ending: &OsStr| {
            ending.eq_ignore_ascii_case("html") || ending.eq_ignore_ascii_case("htm")
        };
        if path.as_path() != Path::new("-") && !path.extension().is_some_and(is_page) {
            return Err(Failure::error(format!(
                "--html {}: expected the page to be written, a name that ends in .html, or -",
                printable_path(path)
            )));
        }
        Destination::new(path).map(Some)
    }

    /// Whether a page takes the place of a text: both would go to standard output.
    pub fn replaces(page: Option<&Destination>, text: &Destination) -> bool {
        text.is_stdout() && page.is_some_and(Destination::is_stdout)
    }
}

/// Where an output goes and how an LTS is written.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct WriteOptions {
    /// Write to OUTPUT, which appears whole or not at all; `-` is standard output,
    /// unless an answer to a question goes there
    #[arg(short, long, value_name = "OUTPUT")]
    output: Option<PathBuf>,

    #[arg(long, value_name = "FORMAT", help = to_help(), value_parser = format_to_write)]
    to: Option<Format>,

    /// Compress [default: as OUTPUT's ending (.gz, .zst, .xz, .bz2) says]
    #[arg(long, value_name = "KIND", value_parser = one_of::<Compression, _>(Compression::ALL.map(Compression::name)))]
    compress: Option<Compression>,

    /// Compress this much: gzip and xz 0 to 9, bzip2 1 to 9, zstd 1 to 19
    /// [default: as the tool of that name]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=19))]
    level: Option<u8>,

    /// Sort transitions by source, label and target, drop duplicates, and
    /// exchange the initial state with state 0
    #[arg(long)]
    canonical: bool,

    /// With --canonical: leave the initial state's number alone
    #[arg(long, requires = "canonical")]
    keep_initial: bool,

    /// In AUT, put labels between quotes
    #[arg(long, value_name = "WHEN", default_value = "needed")]
    quote: Quote,

    /// In AUT, refuse labels with bytes beyond ASCII instead of warning
    #[arg(long)]
    ascii: bool,

    /// In AUT, write unprintable bytes as `\xHH`, with a warning, instead of
    /// refusing them
    #[arg(long)]
    lossy: bool,

    #[command(flatten)]
    visible_i: VisibleIOption,

    #[command(flatten)]
    bcg: WriteBcgOptions,

    #[command(flatten)]
    seq: WriteSeqOptions,

    #[command(flatten)]
    fsm: WriteFsmOptions,

    #[command(flatten)]
    columns: WriteColumnsOptions,

    #[command(flatten)]
    plts: WritePltsOptions,
}

/// What becomes of a visible label that reads like the hidden action.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct VisibleIOption {
    /// Write a visible label that reads like the hidden action as NAME instead
    /// of refusing it
    #[arg(long, value_name = "NAME")]
    visible_i: Option<OsString>,
}

impl VisibleIOption {
    /// The bytes to write.
    pub fn get(&self) -> Option<Vec<u8>> {
        self.visible_i.clone().map(OsStringExt::into_vec)
    }
}

/// In which form traces are shown.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct TracesOption {
    /// Show traces as CADP does (seq) or as mCRL2 does (trc) [default: seq]
    #[arg(long, value_name = "FORM")]
    traces: Option<Traces>,
}

/// Values of `--traces`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Traces {
    /// One label a line, between quotes; `i` is the hidden action.
    Seq,
    /// One label a line; `tau` is the hidden action.
    Trc,
}

impl TracesOption {
    /// The form.
    pub fn get(&self) -> TraceForm {
        match self.traces {
            None | Some(Traces::Seq) => TraceForm::Seq,
            Some(Traces::Trc) => TraceForm::Trc,
        }
    }

    /// Whether the user named one.
    pub fn is_given(&self) -> bool {
        self.traces.is_some()
    }
}

/// Values of `--quote`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Quote {
    /// All labels but identifiers.
    Needed,
    /// All labels, as mCRL2 does.
    Always,
}

/// An LTS output as the program needs it: where to, and how.
#[derive(Clone, Debug)]
pub struct LtsOutput {
    /// Where it goes.
    pub destination: Destination,
    /// The directory, if it is a format of several files.
    pub folder: Option<Folder>,
    /// The format.
    pub format: Format,
    /// The compression.
    pub compression: Compression,
    /// The level of compression; `None` for the usual one.
    pub level: Option<u8>,
    /// What the writer goes by.
    pub options: formats::WriteOptions,
}

impl LtsOutput {
    /// Refuses data that is not for a terminal.
    ///
    /// # Errors
    /// If a terminal would get such.
    pub fn check_terminal(&self) -> Result<(), Failure> {
        let data = match self.compression {
            Compression::None if self.format.is_text() => return Ok(()),
            Compression::None => self.format.name(),
            compression => compression.name(),
        };
        match self.destination.is_terminal() {
            false => Ok(()),
            true => Err(Failure::error(format!(
                "{data} data is not for a terminal: give -o a file, or send it through a pipe"
            ))),
        }
    }

    /// Whether it may be written in the dialect of mCRL2 without being asked for: a
    /// file in AUT, when nothing is said of dialects and of how a visible label reads.
    pub(super) fn may_be_mcrl2(&self) -> bool {
        self.format == Format::Aut
            && self.destination.path().is_some()
            && self.options.dialect.is_none()
            && self.options.visible_i.is_none()
    }

    /// Refuses how a partitioned LTS is not written by several processes, each of which writes
    /// its part as it is.
    ///
    /// # Errors
    /// If that is asked for.
    #[cfg(feature = "cluster")]
    pub(super) fn check_parts_distributed(&self) -> Result<(), Failure> {
        let refused = [
            (self.options.canonical, "--canonical"),
            (self.options.parts.is_some(), "--parts"),
            (self.options.visible_i.is_some(), "--visible-i"),
        ];
        match first_given(refused) {
            None => Ok(()),
            Some(option) => Err(Failure::error(format!(
                "several processes write a partitioned LTS as it is, each its part: leave out \
                 {option}, or give it to transcode, of what they write"
            ))),
        }
    }

    /// Whether transitions can be written in the order in which they are found.
    pub fn is_sequential(&self) -> bool {
        self.format == Format::Aut && !self.options.canonical
    }

    /// Whether an LTS can be written that is told by its rows several times.
    pub fn takes_rows(&self) -> bool {
        self.is_sequential() || self.folder.is_some() && !self.options.canonical
    }
}

impl WriteOptions {
    /// Whether the user named an output.
    pub fn is_named(&self) -> bool {
        self.output.is_some()
    }

    /// The first option that says how an LTS is written, if there is one.
    pub fn how(&self) -> Option<&'static str> {
        let to = (self.to.is_some(), "--to");
        first_given(std::iter::once(to).chain(self.about_lts()))
    }

    /// Which options that say how an LTS is written are given, but for its format.
    fn about_lts(&self) -> impl Iterator<Item = (bool, &'static str)> {
        let general = [
            (self.compress.is_some(), "--compress"),
            (self.level.is_some(), "--level"),
            (self.canonical, "--canonical"),
            (matches!(self.quote, Quote::Always), "--quote"),
            (self.ascii, "--ascii"),
            (self.lossy, "--lossy"),
            (self.visible_i.get().is_some(), "--visible-i"),
        ];
        let of_formats = self.bcg.given().into_iter().chain(self.seq.given());
        let of_formats = of_formats
            .chain(self.fsm.given())
            .chain(self.columns.given())
            .chain(self.plts.given());
        general.into_iter().chain(of_formats)
    }

    /// The same for an LTS that goes elsewhere. If there is an OUTPUT too, or nowhere to
    /// go, what says its format and compression is not for this one.
    pub fn at(&self, output: Option<&Path>) -> Self {
        let all = self.clone();
        let kept = output.is_some() && !self.is_named();
        Self {
            output: output.map(Path::to_owned),
            to: all.to.filter(|_| kept),
            compress: all.compress.filter(|_| kept),
            level: all.level.filter(|_| kept),
            ..all
        }
    }

    /// Where the witness of an answer goes, if the user named an output. Without one,
    /// options that say how an LTS is written are told to have no effect.
    ///
    /// # Errors
    /// As [`WriteOptions::get`]; or if it is standard output, which has the answer.
    pub fn witness(
        &self,
        session: &Session,
        dialect: &DialectOption,
    ) -> Result<Option<LtsOutput>, Failure> {
        if !self.is_named() {
            self.tell_unused(
                session,
                "of an answer, -o FILE takes the witness, as an LTS",
            );
            return Ok(None);
        }
        let output = self.get(dialect)?;
        match output.destination.is_stdout() {
            true => Err(Failure::error(
                "standard output carries the answer: the witness needs another OUTPUT",
            )),
            false => Ok(Some(output)),
        }
    }

    /// Tells which options say how an LTS is written, where none is, and `why` they
    /// have no effect.
    pub fn tell_unused(&self, session: &Session, why: &str) {
        for (given, name) in [
            (self.to.is_some(), "--to"),
            (self.compress.is_some(), "--compress"),
            (self.level.is_some(), "--level"),
            (self.canonical, "--canonical"),
        ] {
            if given {
                session.tell_no_effect(name, why);
            }
        }
        session.tell_no_writing(why);
    }

    /// What a visible label is written as that reads like the hidden action.
    pub fn visible_i(&self) -> Option<Vec<u8>> {
        self.visible_i.get()
    }

    /// The format that the user named.
    pub(super) fn format(&self) -> Option<Format> {
        self.to
    }

    /// Whether the user named a format.
    pub fn names_format(&self) -> bool {
        self.to.is_some()
    }

    /// The ending of the output's name.
    pub fn ending(&self) -> Option<String> {
        Format::ending(self.output.as_deref()?)
    }

    /// Whether, of something in the format `own` that has an LTS as its state space,
    /// the LTS is wanted: if `--to` or OUTPUT's ending names another format.
    pub fn wants_lts(&self, own: Format) -> bool {
        let ending = || Format::from_path(self.output.as_deref()?);
        self.to.or_else(ending).is_some_and(|format| format != own)
    }

    /// Where a text goes that a command writes instead of an LTS.
    ///
    /// # Errors
    /// If nothing can be written there, or options say how to write an LTS.
    pub fn text(&self) -> Result<Destination, Failure> {
        self.check_plain(None, "a text")?;
        self.destination()
    }

    /// As [`WriteOptions::text`], where OUTPUT's ending might be taken for a choice of format.
    ///
    /// # Errors
    /// As there; or if it is that of a format of LTSs.
    pub fn plain_text(&self) -> Result<Destination, Failure> {
        let ending = self.output.as_deref().and_then(Format::from_path);
        match (&self.output, ending) {
            (Some(path), Some(format)) if !may_be_a_text(format) => Err(Failure::error(format!(
                "{}: what is written is a text, and this is a name for {format}: choose another \
                 one, such as .txt",
                printable_path(path)
            ))),
            _ => self.text(),
        }
    }

    /// Where a system of machines goes, whose format `--to` may name.
    ///
    /// # Errors
    /// As for [`WriteOptions::text`]; or if OUTPUT's ending names another format, or,
    /// without `--to`, none.
    pub fn system(&self) -> Result<Destination, Failure> {
        self.check_plain(Some(Format::Toml), "a system of machines")?;
        let destination = self.destination()?;
        let Some(path) = destination.path() else {
            return Ok(destination);
        };
        match (Format::from_path(path), Format::ending(path)) {
            (Some(Format::Toml), _) | (None, None) => Ok(destination),
            (None, Some(_)) if self.to.is_some() => Ok(destination),
            (Some(_), _) => Err(Failure::error(format!(
                "{}: what is written is a system of machines: name a .toml file",
                printable_path(path)
            ))),
            (None, Some(ending)) => Err(Failure::error(format!(
                "{}: the ending .{ending} tells no format: name a .toml file, or the format with \
                 --to toml",
                printable_path(path)
            ))),
        }
    }

    /// Where the files of a network go, for which OUTPUT has to be named.
    ///
    /// # Errors
    /// If no folder can be made there, or options say how to write an LTS.
    pub fn folder(&self) -> Result<Folder, Failure> {
        self.check_plain(Some(Format::Exp), "a folder")?;
        let named = self
            .output
            .as_deref()
            .filter(|path| *path != Path::new("-"));
        let path = named.ok_or_else(|| {
            Failure::error(
                "a network is several files: name a folder for them by -o, or the format of its \
                 state space by --to (aut, for example)",
            )
        })?;
        match Format::from_path(path) {
            None => Folder::new(path),
            Some(_) => Err(Failure::error(format!(
                "{}: a network is several files: name a folder for them",
                printable_path(path)
            ))),
        }
    }

    /// Where a format of several files goes, that is, a partitioned LTS.
    fn folder_of(&self, format: Format, named: Option<&Path>) -> Result<Folder, Failure> {
        let path = named.ok_or_else(|| Failure::error(formats::NO_STREAM))?;
        if self.columns.get(true).codec == Some(Codec::Lz4) {
            return Err(Failure::error(format!(
                "--codec lz4: {format} has zstd and none"
            )));
        }
        Folder::of_parts(path, self.compress)
    }

    fn destination(&self) -> Result<Destination, Failure> {
        match &self.output {
            Some(path) => Destination::new(path),
            None => Ok(Destination::stdout()),
        }
    }

    /// Refuses options about LTSs and compression where something else is written.
    fn check_plain(&self, own: Option<Format>, what: &str) -> Result<(), Failure> {
        let to = (self.to.is_some() && self.to != own, "--to");
        if let Some(option) = first_given(std::iter::once(to).chain(self.about_lts())) {
            return Err(Failure::error(format!(
                "what is written is {what}: {option} is for an LTS"
            )));
        }
        match &self.output {
            Some(path) => check_uncompressed(path, what),
            None => Ok(()),
        }
    }

    /// Looks at the output before the work begins.
    ///
    /// # Errors
    /// If nothing can be written there, if the format cannot be written, or if
    /// a terminal would get bytes that are no text.
    pub fn get(&self, dialect: &DialectOption) -> Result<LtsOutput, Failure> {
        let named = self.output.as_deref();
        let named = named.filter(|path| *path != Path::new("-"));
        let (destination, folder, format) = match (self.to, named.and_then(Format::from_path)) {
            (Some(format), _) | (None, Some(format)) if format.is_folder() => {
                let folder = self.folder_of(format, named)?;
                let path = named.unwrap_or(Path::new(""));
                let destination = Destination::of_folder(path, folder.place());
                (destination, Some(folder), format)
            }
            (to, _) => {
                let destination = self.destination()?;
                let format = match (to, destination.path()) {
                    (Some(format), _) => format,
                    (None, Some(path)) => format_of_output(path)?,
                    (None, None) => Format::Aut,
                };
                (destination, None, format)
            }
        };
        let path = destination.path();
        if !format.is_writable() {
            return Err(Failure::error(format.unwritable()));
        }
        let compression = match self.compress {
            Some(compression) => compression,
            None => path.and_then(Compression::from_path).unwrap_or_default(),
        };
        if let Some(level) = self.level {
            let levels = match compression {
                Compression::None => {
                    return Err(Failure::error("--level needs a compressed output"));
                }
                Compression::Gzip | Compression::Xz => 0..=9,
                Compression::Bzip2 => 1..=9,
                Compression::Zstd => 1..=19,
            };
            if !levels.contains(&level) {
                return Err(Failure::error(format!(
                    "{compression} has the levels {} to {}",
                    levels.start(),
                    levels.end()
                )));
            }
        }
        let columns = self.columns.get(path.is_some());
        let output = LtsOutput {
            destination,
            folder,
            format,
            compression,
            level: self.level,
            options: formats::WriteOptions {
                canonical: self.canonical,
                keep_initial: self.keep_initial,
                quote: match self.quote {
                    Quote::Needed => formats::Quote::Needed,
                    Quote::Always => formats::Quote::Always,
                },
                ascii: self.ascii,
                lossy: self.lossy,
                visible_i: self.visible_i.get(),
                printable: false,
                dialect: dialect.get(),
                bcg: self.bcg.get(),
                seq: self.seq.get(),
                mealy: dialect.mealy.write(),
                dot: dialect.mealy.write_dot(),
                fsm: self.fsm.get(),
                columns,
                parts: self.plts.get(),
            },
        };
        output.check_terminal()?;
        Ok(output)
    }
}

/// Refuses the name of a compressed file for what is not compressed.
fn check_uncompressed(path: &Path, what: &str) -> Result<(), Failure> {
    match Compression::from_path(path) {
        None => Ok(()),
        Some(_) => Err(Failure::error(format!(
            "{}: what is written is {what}, which is not compressed: name {}, and compress that",
            printable_path(path),
            printable_path(path.with_extension(""))
        ))),
    }
}

/// The format that the name of an output tells; AUT if it has no ending.
fn format_of_output(path: &Path) -> Result<Format, Failure> {
    let Some(ending) = Format::ending(path) else {
        return Ok(Format::Aut);
    };
    Format::from_path(path).ok_or_else(|| {
        Failure::error(format!(
            "{}: the ending .{ending} tells no format{}: name one with --to, or use one of the \
             endings {}{}",
            printable_path(path),
            Compression::hint_of_ending(&ending),
            Format::list(Format::is_writable),
            picture_hint(&ending)
        ))
    })
}

/// The format that `--to` names.
fn format_to_write(name: &str) -> Result<Format, String> {
    let format = name.parse::<Format>();
    format.map_err(|error| {
        let error = UnknownName {
            known: Format::list(Format::is_writable),
            ..error
        };
        format!("{error}{}{}", picture_hint(name), dialect_hint(name))
    })
}

/// What there is to say to who names a set of tools where a format is expected.
fn dialect_hint(name: &str) -> &'static str {
    match Dialect::from_name(name) {
        Some(Dialect::Mcrl2) => {
            "; mCRL2's own format is lts, and how it writes the hidden action in others is told by \
             --dialect mcrl2"
        }
        Some(Dialect::Cadp) => "; CADP's own format is bcg",
        None => "",
    }
}

/// What there is to say to who wants a picture of a command that writes LTSs.
fn picture_hint(name: &str) -> &'static str {
    match name.to_ascii_lowercase().as_str() {
        "svg" | "html" | "htm" => "; pictures are written by draw",
        _ => "",
    }
}

/// What every filter from an LTS to an LTS has.
#[derive(clap::Args, Clone, Debug)]
pub struct FilterOptions {
    /// The output.
    #[command(flatten)]
    pub write: WriteOptions,
    /// The input.
    #[command(flatten)]
    pub input: InputOption,
    /// How it is read.
    #[command(flatten)]
    pub read: ReadOptions,
    /// Whose habits both follow.
    #[command(flatten)]
    pub dialect: DialectOption,
    /// How the command runs.
    #[command(flatten)]
    pub run: RunOptions,
}

impl FilterOptions {
    /// Looks at the output before the work begins, and at `others` that the
    /// command has beside it.
    ///
    /// # Errors
    /// As [`WriteOptions::get`] and [`Session::check_outputs`].
    pub fn output(&self, session: &Session, others: &[&Destination]) -> Result<LtsOutput, Failure> {
        let output = self.write.get(&self.dialect)?;
        let all: Vec<_> = std::iter::once(&output.destination)
            .chain(others.iter().copied())
            .collect();
        session.check_outputs(&[&self.input.input], &all)?;
        Ok(output)
    }

    /// Reads the input.
    ///
    /// # Errors
    /// As [`Session::read`].
    pub fn read(&self, session: &mut Session) -> Result<Lts, Failure> {
        session.read(&self.input.input, &self.read, &self.dialect)
    }

    /// How the hidden action reads in the input: as the dialect says or else its format, which
    /// is the one in which it was read, if it has been read, or what `--from` or the ending of
    /// its name tells; `i` otherwise.
    pub fn hidden_in(&self, format: Option<Format>) -> &'static str {
        let told = || self.read.from().ok().flatten();
        let format = format.or_else(told);
        match format.or_else(|| Format::from_path(&self.input.input)) {
            Some(format) => self.dialect.hidden_of(format),
            None => self.dialect.shown_hidden(),
        }
    }

    /// The texts that are the hidden action in the input, which has been read in this format,
    /// if it has been read.
    pub(super) fn hidden_texts(&self, format: Option<Format>) -> Vec<Vec<u8>> {
        match self.read.hidden.is_empty() {
            true => vec![self.hidden_in(format).into()],
            false => texts(&self.read.hidden),
        }
    }
}

/// Which systems count as equal.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Equivalence")]
pub struct RelationOption {
    /// The equivalence, by its name in CADP or mCRL2; `hyades help relations` lists all
    /// [default: strong; none in check]
    #[arg(short, long, value_name = "RELATION")]
    equivalence: Option<Relation>,
}

/// Reads a relation of any kind; only those with a smallest LTS are offered where shells complete
/// it. For options that [`check_quotient`] looks at.
pub fn minimizing_relation() -> impl TypedValueParser<Value = Relation> {
    Offering(Relation::has_quotient)
}

/// Reads a relation of any kind, and offers those of one.
pub fn preorder() -> impl TypedValueParser<Value = Relation> {
    Offering(Relation::is_preorder)
}

/// Reads a relation of any kind, as others are refused with a reason, and offers some.
#[derive(Clone)]
struct Offering(fn(Relation) -> bool);

impl TypedValueParser for Offering {
    type Value = Relation;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Relation, clap::Error> {
        let by_name = |name: &str| name.parse::<Relation>();
        TypedValueParser::parse_ref(&by_name, command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let offered = Relation::ALL
            .into_iter()
            .filter(|&relation| self.0(relation));
        Some(Box::new(
            offered.map(|relation| PossibleValue::new(relation.name())),
        ))
    }
}

impl RelationOption {
    /// The equivalence.
    pub fn get(&self) -> Relation {
        self.equivalence.unwrap_or(Relation::Strong)
    }

    /// Whether the user named one.
    pub fn is_given(&self) -> bool {
        self.equivalence.is_some()
    }
}

/// Refuses a relation by which nothing is the smallest LTS.
///
/// # Errors
/// If it is one.
pub fn check_quotient(relation: Relation) -> Result<(), Failure> {
    match relation.has_quotient() {
        true => Ok(()),
        false => Err(Failure::error(
            MinimizeError::NoQuotient(relation).to_string(),
        )),
    }
}

/// Limits on the work; commands that explore or build state spaces have it.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Running")]
pub struct LimitOptions {
    /// Give up with status 3 when there are more than N states [default: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_states: Option<u64>,
}

impl LimitOptions {
    /// Refuses the options where there are no states to be counted.
    ///
    /// # Errors
    /// If there is one; `what` is written.
    pub fn refuse(&self, what: &str) -> Result<(), Failure> {
        match self.max_states {
            None => Ok(()),
            Some(_) => Err(Failure::error(format!(
                "--max-states is for state spaces, and what is written is {what}"
            ))),
        }
    }
}
