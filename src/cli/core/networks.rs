//! Reading networks on behalf of a command.

use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hyades_formats::diagnostic::{counted, printable_path, printable_text};
use hyades_formats::{self as formats, LabelId, LabelTable, ReadError, Sink};
use hyades_network::{Disk, Language, Network, NetworkModel, Options};
use serde_json::{Value, json};

use super::answer::{LABELS_HELP, json_text, label_json};
use super::any_model::Given;
use super::excerpt::{know_file, know_text};
use super::input::open_input;
use super::label_options::Relabelling;
use super::network_options::EXPRESSION;
use super::output::Destination;
use super::session::Session;
use super::size::show_size;
use super::stats::FileStats;
use super::status::{Failure, read_failure};

impl Session {
    /// Reads a network, but explores nothing: phase `read`. Warnings and errors
    /// go to standard error.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_network(&mut self, path: &Path, options: &Options) -> Result<Network, Failure> {
        self.tell_of_standard_input(path, "a network");
        know_file(path);
        self.network(&printable_path(path), |sink| {
            let source = open_input(path, Some(formats::Format::Exp))?;
            let end = source.progress();
            let network = hyades_network::read(source, options, &Disk, sink)?;
            Ok((network, end.total().unwrap_or_else(|| end.consumed())))
        })
    }

    /// As [`Session::read_network`], for one on the command line.
    ///
    /// # Errors
    /// If it has errors.
    pub fn read_expression(&mut self, text: &str, options: &Options) -> Result<Network, Failure> {
        know_text(EXPRESSION, text.as_bytes());
        self.network(EXPRESSION, |sink| {
            let options = given(options);
            let network = hyades_network::from_text(EXPRESSION, text, &options, &Disk, sink)?;
            Ok((network, text.len() as u64))
        })
    }

    /// The text of a network, or of one on the command line, with the texts that it
    /// includes.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn expand_network(
        &mut self,
        path: &Path,
        expression: Option<&str>,
        options: &Options,
    ) -> Result<Vec<u8>, Failure> {
        let mut options = Cow::Borrowed(options);
        let (name, text) = match expression {
            Some(text) => {
                know_text(EXPRESSION, text.as_bytes());
                options = Cow::Owned(given(&options));
                (EXPRESSION.to_owned(), text.as_bytes().to_vec())
            }
            None => {
                self.tell_of_standard_input(path, "a network");
                know_file(path);
                let source = open_input(path, Some(formats::Format::Exp));
                let source = source.map_err(read_failure)?;
                let name = source.name().to_owned();
                (name, source.into_bytes().map_err(read_failure)?)
            }
        };
        let shown = self.shown();
        hyades_network::expanded(&name, text, &options, &Disk, &mut |d| shown(&d))
            .map_err(read_failure)
    }

    /// `read` tells the size of the text too.
    fn network(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Sink<'_>) -> Result<(Network, u64), ReadError>,
    ) -> Result<Network, Failure> {
        let shown = self.shown();
        let (network, bytes) = self.phase("read", |phase| {
            let (network, bytes) = read(&mut |d| shown(&d)).map_err(read_failure)?;
            phase.summary(|| {
                let memory = network
                    .files()
                    .iter()
                    .map(|file| file.lts.heap_bytes() as u64);
                format!(
                    "{name}, {} in {}, {} in memory, {}",
                    counted(network.components().len(), "component"),
                    counted(network.files().len(), "file"),
                    show_size(memory.sum()),
                    counted(network.rules().rules.len(), "rule"),
                )
            });
            Ok((network, bytes))
        })?;
        self.spare(network.paths().map(Path::to_owned));
        self.add_input(|| FileStats {
            path: name.to_owned(),
            format: formats::Format::Exp.name().into(),
            bytes,
            labels: Some(network.labels().len() as u64 - 1),
            ..FileStats::default()
        });
        Ok(network)
    }
}

/// The same for a text on the command line: what it names is the user's own.
fn given(options: &Options) -> Options {
    Options {
        is_given: true,
        ..options.clone()
    }
}

/// What makes no sense where nothing is explored.
const EXPLORING: [&str; 8] = [
    "deadlock",
    "livelock",
    "find",
    "fail_on",
    "tau_star",
    "compositional",
    "por",
    "symmetry",
];

/// What there is to know about a network without exploring it, for a command
/// that has `ReductionOptions` of `reach` and asks questions.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Networks")]
pub struct AboutNetwork {
    #[arg(long, group = "about", conflicts_with_all = EXPLORING, help = LABELS_HELP)]
    labels: bool,

    /// Print the components of the network, its rules and the size of a state,
    /// and explore nothing
    #[arg(long, group = "about", conflicts_with_all = EXPLORING)]
    info: bool,

    /// Print the names of all files that the network consists of, or that the formulas
    /// include, one a line, and explore nothing
    #[arg(long, group = "about", conflicts_with_all = EXPLORING)]
    depend: bool,

    /// Print the network as one list of synchronisation vectors, and explore
    /// nothing
    #[arg(long, group = "about", conflicts_with_all = EXPLORING)]
    flat: bool,

    /// Print the network with the networks that it includes in the place of their names,
    /// as --include says how, and explore nothing
    #[arg(long, group = "about", conflicts_with_all = EXPLORING)]
    self_contained: bool,
}

impl AboutNetwork {
    /// Whether anything is asked; otherwise the input is to be explored.
    pub fn is_asked(&self) -> bool {
        self.labels || self.info || self.depend || self.flat || self.self_contained
    }

    /// Whether the text is wanted, for which nothing but that is read.
    pub fn is_expanded(&self) -> bool {
        self.self_contained
    }

    /// Writes what is asked of an input with other labels.
    ///
    /// # Errors
    /// If it is no network, or has no answer; if the output cannot be written.
    pub fn write_answer(
        &self,
        session: &mut Session,
        given: Given,
        name: &str,
        relabelling: &Relabelling,
        destination: &Destination,
        is_json: bool,
    ) -> Result<(), Failure> {
        let Given::Network(network) = given else {
            return Err(Failure::error(format!(
                "--labels, --info, --depend and --flat are for networks (.exp), and {name} is \
                 none{}",
                match self.labels {
                    true => ": describe --labels tells the labels of an LTS",
                    false => "",
                }
            )));
        };
        if is_json && self.flat {
            return Err(Failure::error(
                "--flat writes a network, which is no answer in JSON",
            ));
        }
        if self.depend && !relabelling.is_none() {
            return Err(Failure::error(
                "--depend names files, whatever becomes of labels: options that hide, rename \
                 or cut labels change nothing of that",
            ));
        }
        let network = &relabelling.network(*network)?;
        let text = if self.labels && is_json {
            let labels = labels(network).map(|label| label_json(label, network.labels()));
            json_text(&json!({ "labels": labels.collect::<Value>() })).into()
        } else if self.labels {
            let table = network.labels();
            lines(labels(network).map(|label| label_line(label, table)))
        } else if self.info && is_json {
            json_text(&info_json(network)).into()
        } else if self.info {
            info(network).into_bytes()
        } else if self.depend {
            files_text(files_of(network).map(Cow::Borrowed), is_json)
        } else {
            let flat = network.flat();
            let flat = flat.map_err(|why| Failure::error(format!("no --flat: {why}")))?;
            return session.write_by(destination, "text", |out| flat.write(out));
        };
        let format = if is_json { "json" } else { "text" };
        session.write_text(destination, format, &text)
    }
}

/// The names of all files that a network consists of.
pub fn files_of(network: &Network) -> impl Iterator<Item = &[u8]> {
    let texts = network.texts().iter().map(|text| text.as_bytes());
    let own = texts.filter(|text| *text != EXPRESSION.as_bytes());
    let components = network.files().iter().flat_map(|file| file.paths());
    let files = components.chain(network.rule_files());
    own.chain(files.map(|path| path.as_os_str().as_bytes()))
}

/// A label as it stands in lines of text, the hidden one as `i`.
pub fn label_line(label: LabelId, table: &LabelTable) -> Cow<'_, [u8]> {
    match label.is_hidden() {
        true => Cow::Borrowed(b"i"),
        false => printable_text(table.text(label)),
    }
}

/// Names of files, one a line or as JSON.
pub fn files_text<'a>(files: impl Iterator<Item = Cow<'a, [u8]>>, is_json: bool) -> Vec<u8> {
    match is_json {
        true => {
            let files: Value = files
                .map(|file| String::from_utf8_lossy(&file).into_owned())
                .collect();
            json_text(&json!({ "files": files })).into()
        }
        false => lines(files),
    }
}

fn lines<'a>(texts: impl Iterator<Item = Cow<'a, [u8]>>) -> Vec<u8> {
    texts.flat_map(|text| [&text[..], b"\n"].concat()).collect()
}

/// All labels, the hidden one first, if there is one.
fn labels(network: &Network) -> impl Iterator<Item = LabelId> {
    let hidden = network.roots().iter().any(|(label, _)| label.is_hidden());
    let hidden = hidden.then_some(LabelId::HIDDEN);
    let visible = network.labels().visible().map(|(label, _)| label);
    hidden.into_iter().chain(visible)
}

/// What [`info`] tells, as JSON.
fn info_json(network: &Network) -> Value {
    let parameters = network.parameters();
    let components = network.components().iter().map(|component| {
        let file = &network.files()[component.file];
        json!({
            "name": component.name.to_string(),
            "file": file.shown(),
            "states": file.lts.states(),
            "transitions": file.lts.transitions(),
            "labels": file.alphabet().len(),
        })
    });
    let hidden = parameters.hidden.iter();
    json!({
        "components": components.collect::<Value>(),
        "files": network.files().len(),
        "language": parameters.language.map(Language::name),
        "hidden": hidden.map(|text| String::from_utf8_lossy(text)).collect::<Value>(),
        "labels": network.labels().len() - 1,
        "rules": network.rules().rules.len(),
        "evaluated_choices": network.rules().rest.len(),
        "bits_of_a_state": NetworkModel::bits_for(network),
    })
}

/// One `name: value` a line, then one line for each component.
fn info(network: &Network) -> String {
    let parameters = network.parameters();
    let mut text = format!(
        "components: {}\nfiles: {}\nlanguage: {}\nhidden: {}\nlabels: {}\nrules: {}\n\
         evaluated choices: {}\nbits of a state: {}\n",
        network.components().len(),
        network.files().len(),
        parameters.language.map_or("none", Language::name),
        parameters.hidden.join(&b' ').escape_ascii(),
        network.labels().len() - 1,
        network.rules().rules.len(),
        network.rules().rest.len(),
        NetworkModel::bits_for(network)
    );
    for component in network.components() {
        let file = &network.files()[component.file];
        text.push_str(&format!(
            "component {}: {}, {}, {}, {}\n",
            component.name,
            file.shown(),
            counted(file.lts.states(), "state"),
            counted(file.lts.transitions(), "transition"),
            counted(file.alphabet().len(), "label")
        ));
    }
    text
}
