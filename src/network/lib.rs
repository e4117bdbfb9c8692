//! Networks of communicating automata in the language EXP 2.0, as CADP has it.
//!
//! A network is an expression over LTSs in files: parallel composition of many
//! kinds, hiding, renaming, cutting, priorities. [`read`] makes a [`Network`] of
//! it: components, [rules](Rule) that say which of their labels become which
//! label of the whole, and, where rules would be too many, [events](Event) that
//! are evaluated in each state. A [`NetworkModel`] explores it.
//!
//! ```
//! use hyades_explore::{ExploreOptions, explore};
//! use hyades_network::{Memory, NetworkModel, Options, from_text};
//!
//! let mut files = Memory::default();
//! files.add("sender.aut", "des (0,2,2)\n(0,PUT,1)\n(1,SEND,0)\n");
//! files.add("receiver.aut", "des (0,2,2)\n(0,SEND,1)\n(1,GET,0)\n");
//! let text = "hide SEND in sender.aut |[SEND]| receiver.aut";
//! let network = from_text("pair", text, &Options::default(), &files, &mut |d| panic!("{d}"))?;
//! let model = NetworkModel::new(network);
//! let found = explore(&model, ExploreOptions::default(), &mut ())?;
//! assert_eq!((found.states, found.transitions), (4, 5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choices;
mod compile;
mod components;
pub mod compositional;
mod event;
mod explain;
mod fails;
mod files;
mod flat;
mod language;
mod lex;
mod messages;
mod model;
mod parse;
pub mod por;
pub mod refinement;
mod relabelled;
mod resolve;
mod rules;
mod semi_composition;
mod state_space;
pub mod symmetry;
mod syntax;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyades_formats::{
    self as formats, Format, LabelId, LabelTable, MOST_NAMED, ReadError, Severity, Sink,
};

use compile::Stop;
use messages::Messages;
use rules::Limits;

pub use components::{Component, ComponentFile};
pub use event::{Event, EventId, Events};
pub use explain::ComponentStep;
pub use files::{Disk, Files, Identity, Memory};
pub use flat::Flat;
pub use language::{Customs, Language, Parameters};
pub use lex::{Place, SyntaxError};
pub use messages::Told;
pub use model::NetworkModel;
pub use parse::{Include, Included, Opener, parse};
pub use rules::{Rule, RuleSet};
pub use semi_composition::{FAIL, SemiComposition};
pub use state_space::{limit_error, read_error, read_lts, state_space, state_space_within};
pub use syntax::Syntax;

/// How networks are read.
#[derive(Clone, Debug)]
pub struct Options {
    /// What goes before what the language says.
    pub customs: Customs,
    /// Whether to warn of what is allowed, but hardly meant.
    pub check: bool,
    /// How texts are included.
    pub include: Include,
    /// The directory that file names start from; the current one if empty.
    pub base: PathBuf,
    /// Whether the text is what the user says, as on a command line, and not that of a
    /// file: messages quote the files that it names, as those that the user names.
    pub is_given: bool,
    /// How components are read.
    pub read: formats::ReadOptions,
    /// When to give up what has to be explored while the network is read: operands of
    /// semi-compositions.
    pub limits: hyades_explore::Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            customs: Customs::default(),
            check: true,
            include: Include::Text,
            base: PathBuf::new(),
            is_given: false,
            read: formats::ReadOptions::default(),
            limits: hyades_explore::Limits::default(),
        }
    }
}

/// A network: components and what they do together.
#[derive(Clone, Debug)]
pub struct Network {
    name: Arc<str>,
    parameters: Parameters,
    texts: Vec<Arc<str>>,
    text_hash: u64,
    files: Vec<Arc<ComponentFile>>,
    rule_files: Vec<PathBuf>,
    components: Vec<Component>,
    events: Events,
    labels: LabelTable,
    roots: Vec<(LabelId, EventId)>,
    rules: RuleSet,
    /// The label of what shows that a guessed interface is wrong: whatever explores
    /// ends with an error there.
    wrong: Option<LabelId>,
}

impl Network {
    /// The name of the text.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// What the language and the options say.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The names of the text and of those that it includes.
    pub fn texts(&self) -> &[Arc<str>] {
        &self.texts
    }

    /// A hash of the text and of those that it includes, by which processes tell whether they
    /// have read the same.
    pub fn text_hash(&self) -> u64 {
        self.text_hash
    }

    /// The files with components.
    pub fn files(&self) -> &[Arc<ComponentFile>] {
        &self.files
    }

    /// All files that it consists of.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let components = self.files.iter().flat_map(|file| file.paths());
        let components = components.map(|path| &**path);
        components.chain(self.rule_files.iter().map(|file| &**file))
    }

    /// The files with rules, each once, in the order of the text.
    pub fn rule_files(&self) -> &[PathBuf] {
        &self.rule_files
    }

    /// The components, in the order of the text.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The file of a component.
    ///
    /// # Panics
    /// If there is no such component.
    pub fn file_of(&self, component: usize) -> &ComponentFile {
        &self.files[self.components[component].file]
    }

    /// All events.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// The labels of the whole, sorted by their texts. Not all of them need to be
    /// reachable.
    pub fn labels(&self) -> &LabelTable {
        &self.labels
    }

    /// The events that are transitions of the whole: those of each label, sorted
    /// by label; hidden ones first, as many as there are.
    pub fn roots(&self) -> &[(LabelId, EventId)] {
        &self.roots
    }

    /// The same as rules, as far as possible.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }
}

/// Reads a network. Its components, rule files and included texts come from
/// `files`. Diagnostics go to `sink`.
///
/// # Errors
/// If the text or one of the files cannot be read or has errors, which have been
/// handed over.
pub fn read(
    source: formats::Source,
    options: &Options,
    files: &dyn Files,
    sink: &mut Sink<'_>,
) -> Result<Network, ReadError> {
    let name: Arc<str> = source.name().into();
    let bytes = source.into_bytes()?;
    from_text(name, bytes, options, files, sink)
}

/// Reads a network from a text at hand; see [`read`].
///
/// # Errors
/// As for [`read`].
pub fn from_text(
    name: impl Into<Arc<str>>,
    text: impl Into<Vec<u8>>,
    options: &Options,
    files: &dyn Files,
    sink: &mut Sink<'_>,
) -> Result<Network, ReadError> {
    let name: Arc<str> = name.into();
    let file = Arc::clone(&name);
    let refused = |errors| ReadError::Refused {
        file: Arc::clone(&file),
        errors,
    };
    let text = Included {
        identity: files.identity(PathBuf::from(&*name).as_path()),
        name: Arc::clone(&name),
        bytes: text.into(),
    };
    let mut hasher = DefaultHasher::new();
    text.bytes.hash(&mut hasher);
    let mut open = |name: &[u8]| {
        let included = open_text(name, options, files)?;
        included.bytes.hash(&mut hasher);
        Ok(included)
    };
    let parsed = parse(text, &options.customs, options.include, &mut open);
    let syntax = match parsed {
        Ok(syntax) => syntax,
        Err((error, texts)) => {
            let mut messages = Messages::new(&texts, options);
            messages.error(error);
            return Err(refused(messages.hand_over(sink)));
        }
    };
    let mut messages = Messages::new(&syntax.texts, options);
    warn_of_language(&syntax, options, &mut messages);
    let (read, components) = components::read(&syntax, options, files, &mut messages, sink);
    if messages.errors() > 0 {
        return Err(refused(messages.hand_over(sink)));
    }
    let parts = Parts {
        syntax: &syntax,
        options,
        place: files,
    };
    let network = resolve::resolve(
        &syntax,
        read,
        components,
        options,
        files,
        &mut messages,
        sink,
    )
    .and_then(|resolved| {
        let resolve::Resolved {
            syntax,
            files,
            components,
            rule_files,
        } = resolved;
        let parts = Parts {
            syntax: &syntax,
            ..parts
        };
        parts.network(
            Arc::clone(&name),
            files,
            components,
            rule_files,
            &mut messages,
            sink,
        )
    });
    match network {
        Ok(network) => {
            messages.hand_over(sink);
            Ok(Network {
                text_hash: hasher.finish(),
                ..network
            })
        }
        Err(Stop::Wrong(error)) => {
            messages.error(error);
            Err(refused(messages.hand_over(sink)))
        }
        Err(Stop::Told) => {
            let errors = messages.hand_over(sink);
            Err(refused(errors + 1))
        }
        Err(Stop::TooLarge(error)) => {
            messages.hand_over(sink);
            Err(ReadError::TooLarge { file, error })
        }
        Err(Stop::Limit(text)) => {
            messages.hand_over(sink);
            Err(ReadError::Limit { file, text })
        }
    }
}

/// The text of a network with the texts that it includes, as `options` say how, in the
/// place of their names. Components are not looked at.
///
/// O(length of all texts, as often as they are included).
///
/// # Errors
/// If a text cannot be read, or one has an error of syntax, which has been handed over.
pub fn expanded(
    name: &str,
    text: impl Into<Vec<u8>>,
    options: &Options,
    files: &dyn Files,
    sink: &mut Sink<'_>,
) -> Result<Vec<u8>, ReadError> {
    let text = Included {
        identity: files.identity(Path::new(name)),
        name: name.into(),
        bytes: text.into(),
    };
    let mut open = |name: &[u8]| open_text(name, options, files);
    let expanded = parse::expand(text, &options.customs, options.include, &mut open);
    expanded.map_err(|(error, texts)| {
        let mut messages = Messages::new(&texts, options);
        messages.error(error);
        ReadError::Refused {
            file: name.into(),
            errors: messages.hand_over(sink),
        }
    })
}

/// What a network is made of, beside its components.
#[derive(Clone, Copy)]
struct Parts<'a> {
    syntax: &'a Syntax,
    options: &'a Options,
    place: &'a dyn Files,
}

impl Parts<'_> {
    /// The network with these components.
    fn network(
        &self,
        name: Arc<str>,
        files: Vec<Arc<ComponentFile>>,
        components: Vec<Component>,
        mut rule_files: Vec<PathBuf>,
        messages: &mut Messages,
        sink: &mut Sink<'_>,
    ) -> Result<Network, Stop> {
        let Self {
            syntax,
            options,
            place,
        } = *self;
        let mut compiled =
            compile::compile(syntax, &files, &components, options, place, messages, sink)?;
        let (labels, roots, wrong) = roots(&mut compiled, |k, label| {
            files[components[k as usize].file].fails.contains(&label)
        })?;
        let rules = RuleSet::new(&compiled.events, &roots, &Limits::of(&compiled.events));
        for file in compiled.rule_files {
            if !rule_files.contains(&file) {
                rule_files.push(file);
            }
        }
        Ok(Network {
            name,
            parameters: syntax.parameters.clone(),
            texts: syntax
                .texts
                .iter()
                .map(|text| Arc::clone(&text.name))
                .collect(),
            // Whoever has read the text knows it.
            text_hash: 0,
            files,
            rule_files,
            components,
            events: compiled.events,
            labels,
            roots,
            rules,
            wrong,
        })
    }
}

/// The text of an error without the number that Rust puts behind those of the
/// system.
fn without_number(error: &ReadError) -> String {
    let mut text = error.to_string();
    if let (ReadError::Io { .. }, Some(end)) = (error, text.rfind(" (os error ")) {
        text.truncate(end);
    }
    text
}

/// The text of a name that is to be included.
fn open_text(name: &[u8], options: &Options, files: &dyn Files) -> Result<Included, Told> {
    let path = options.base.join(OsStr::from_bytes(name));
    let failed = |error| {
        Told::of_file(error, |error| {
            format!("cannot include: {}", without_number(error))
        })
    };
    let source = files.open(&path, Some(Format::Exp)).map_err(failed)?;
    Ok(Included {
        name: source.name().into(),
        identity: files.identity(&path),
        bytes: source.into_bytes_up_to(MOST_NAMED).map_err(failed)?,
    })
}

/// Options go before the header, which may not be meant.
fn warn_of_language(syntax: &Syntax, options: &Options, messages: &mut Messages) {
    let (Some(header), Some(chosen)) = (syntax.header, options.customs.language) else {
        return;
    };
    if header != chosen {
        let place = Place {
            text: 0,
            position: formats::Position::new(1, 1),
        };
        messages.add(Severity::Warning, "exp-language", place, || {
            format!("the text is in {header}, but read as {chosen}, as the options say").into()
        });
    }
}

/// A table with the labels of the whole only, sorted, the events of each, and the label
/// of those that show that a guessed interface is wrong, if there are any. `fails` says
/// which labels of components are loops that tell what an interface has cut.
#[allow(clippy::type_complexity)] // three results, each of a plain type
fn roots(
    compiled: &mut compile::Compiled,
    fails: impl Fn(u32, LabelId) -> bool,
) -> Result<(LabelTable, Vec<(LabelId, EventId)>, Option<LabelId>), formats::TooLarge> {
    let whole = &compiled.whole;
    let visible = whole.visible.iter().map(|&(_, event)| event);
    let all: Vec<EventId> = whole.hidden.iter().copied().chain(visible).collect();
    let split = fails::split(&mut compiled.events, &all, fails);
    let mut hidden = Vec::new();
    let mut visible: BTreeMap<Vec<u8>, Vec<EventId>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for event in &whole.hidden {
        let split = split.of(*event);
        hidden.extend(split.real);
        wrong.extend(split.alone.into_iter().chain(split.together));
    }
    for &(label, event) in &whole.visible {
        let split = split.of(event);
        let text = compiled.labels.text(label);
        if let Some(event) = split.real {
            visible.entry(text.to_vec()).or_default().push(event);
        }
        if let Some(event) = split.alone {
            visible
                .entry([FAIL, text].concat())
                .or_default()
                .push(event);
        }
        wrong.extend(split.together);
    }
    let mut wrong_text = fails::WRONG.to_vec();
    while visible.contains_key(&wrong_text) {
        wrong_text.push(b'\'');
    }
    let is_wrong = !wrong.is_empty();
    if is_wrong {
        visible.insert(wrong_text.clone(), wrong);
    }
    let mut labels = LabelTable::new();
    let mut roots: Vec<_> = hidden.into_iter().map(|e| (LabelId::HIDDEN, e)).collect();
    for (text, events) in visible {
        roots.push((labels.intern(&text)?, compiled.events.any(events)));
    }
    let wrong = is_wrong.then(|| labels.find(&wrong_text)).flatten();
    Ok((labels, roots, wrong))
}
