//! Options that say what becomes of labels, in their order.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgAction, ArgMatches, Args, FromArgMatches, ValueEnum};
use hyades_equivalence::Relation;
use hyades_explore::{Model, Relabelled};
use hyades_formats::diagnostic::{Log, Severity, excerpt, printable_path};
use hyades_formats::{Format, Lts, TooLarge};
use hyades_lts::relabel::{Action, Matching, RelabelStep, Rules, Scope, relabel};
use hyades_network::Network;

use super::any_model::Given;
use super::files::uses;
use super::hiding::{Alphabet, SPELLINGS, tell_visible};
use super::options::FilterOptions;
use super::progress::Unit;
use super::run::is_stand_in;
use super::session::Session;
use super::stats::show_lts;
use super::status::Failure;
use super::texts::read_file;

/// The options as clap sees them: without the order among different ones.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Labels")]
struct StepOptions {
    /// Hide the labels that the rules in FILE match: a first line `hide` or
    /// `hide all but`, then a pattern a line
    #[arg(long, value_name = "FILE")]
    hide: Vec<PathBuf>,

    /// Rename labels by the rules in FILE: a first line `rename`, then a line
    /// `PATTERN -> TEXT` for each; `\1` to `\9` in TEXT are what the groups
    /// `\(…\)` of PATTERN hold; only the first rule that matches counts
    #[arg(long, value_name = "FILE")]
    rename: Vec<PathBuf>,

    /// Remove the transitions whose labels the rules in FILE match: a first
    /// line `cut` or `cut all but`, then a pattern a line
    #[arg(long, value_name = "FILE")]
    cut: Vec<PathBuf>,

    /// Hide the labels that PATTERN matches; several in a row are one list, as
    /// in a file
    #[arg(long, value_name = "PATTERN")]
    hide_label: Vec<OsString>,

    /// Rename the labels that PATTERN matches; several in a row are one list,
    /// as in a file, so that two labels can be exchanged
    #[arg(long, value_name = "PATTERN -> TEXT")]
    rename_label: Vec<OsString>,

    /// Remove the transitions with labels that PATTERN matches; several in a
    /// row are one list, as in a file
    #[arg(long, value_name = "PATTERN")]
    cut_label: Vec<OsString>,

    /// In the list that begins next, name what is not to be hidden or cut
    #[arg(long, num_args = 0, default_missing_value = "true", action = ArgAction::Append)]
    all_but: Vec<bool>,

    /// What patterns match from here on: all of a label (total, the default),
    /// all of its gate (gate), or any part (partial, to hide and cut); what
    /// renaming replaces then: the label, the gate, or the first part that
    /// matches (single), or all such parts (multiple)
    #[arg(long = "match", value_name = "MODE")]
    matching: Vec<Mode>,
}

/// Values of `--match`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Mode {
    Total,
    Gate,
    Partial,
    Single,
    Multiple,
}

impl From<Mode> for Matching {
    fn from(mode: Mode) -> Matching {
        match mode {
            Mode::Total => Matching::Total,
            Mode::Gate => Matching::Gate,
            Mode::Partial => Matching::Partial,
            Mode::Single => Matching::Single,
            Mode::Multiple => Matching::Multiple,
        }
    }
}

/// The options in their order, with their places on the command line.
#[derive(Clone, Debug)]
pub struct LabelOptions(Vec<(usize, Told)>);

/// Rules that options give.
pub struct ToldRules {
    /// Where on the command line they begin.
    pub place: usize,
    /// The rules.
    pub rules: Rules,
    /// The file that they are from.
    pub file: Option<Arc<str>>,
}

/// One option.
#[derive(Clone, Debug)]
enum Told {
    File(Action, PathBuf),
    Line(Action, OsString),
    AllBut,
    Match(Matching),
}

impl Args for LabelOptions {
    fn augment_args(command: clap::Command) -> clap::Command {
        StepOptions::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        StepOptions::augment_args_for_update(command)
    }
}

impl FromArgMatches for LabelOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        let places = |id| places(matches, id);
        let hide = places("hide");
        let rename = places("rename");
        let cut = places("cut");
        let hide_label = places("hide_label");
        let rename_label = places("rename_label");
        let cut_label = places("cut_label");
        let all_but = places("all_but");
        let matching = places("matching");
        let options = StepOptions::from_arg_matches_mut(matches)?;
        let mut told: Vec<(usize, Told)> = Vec::new();
        let file = |action| move |path| Told::File(action, path);
        let line = |action| move |text| Told::Line(action, text);
        put(&mut told, hide, options.hide, file(Action::Hide));
        put(&mut told, rename, options.rename, file(Action::Rename));
        put(&mut told, cut, options.cut, file(Action::Cut));
        put(
            &mut told,
            hide_label,
            options.hide_label,
            line(Action::Hide),
        );
        put(
            &mut told,
            rename_label,
            options.rename_label,
            line(Action::Rename),
        );
        put(&mut told, cut_label, options.cut_label, line(Action::Cut));
        put(&mut told, all_but, options.all_but, |_| Told::AllBut);
        let mode = |mode: Mode| Told::Match(mode.into());
        put(&mut told, matching, options.matching, mode);
        told.sort_by_key(|(place, _)| *place);
        Ok(Self(told))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Where on the command line the values of an option stand.
pub fn places(matches: &ArgMatches, id: &str) -> Vec<usize> {
    let indices = matches.indices_of(id);
    indices.map(Iterator::collect).unwrap_or_default()
}

/// Adds the values of an option with their places.
fn put<T>(
    told: &mut Vec<(usize, Told)>,
    places: Vec<usize>,
    values: Vec<T>,
    option: impl Fn(T) -> Told,
) {
    told.extend(places.into_iter().zip(values.into_iter().map(option)));
}

impl LabelOptions {
    /// The files that rules are read from.
    pub fn files(&self) -> impl Iterator<Item = &Path> + Clone {
        self.0.iter().filter_map(|(_, told)| match told {
            Told::File(_, path) => Some(path.as_path()),
            Told::Line(..) | Told::AllBut | Told::Match(_) => None,
        })
    }

    /// Whether there are rules.
    pub fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether there are rules that remove transitions.
    pub fn cuts(&self) -> bool {
        let mut told = self.0.iter().map(|(_, told)| told);
        told.any(|told| {
            matches!(
                told,
                Told::File(Action::Cut, _) | Told::Line(Action::Cut, _)
            )
        })
    }

    /// Reads all rules. At `others`, options of the command's own stand among
    /// these, where lists end.
    ///
    /// # Errors
    /// If a file cannot be read, rules are wrong, or options do not go together.
    pub fn get(&self, session: &Session, others: &[usize]) -> Result<Vec<ToldRules>, Failure> {
        let mut all = Vec::new();
        let mut matching = Matching::Total;
        let mut scope = Scope::Matching;
        let mut told = self.0.iter().peekable();
        while let Some((place, next)) = told.next() {
            let goes_on = |to: usize| !others.iter().any(|other| (*place..to).contains(other));
            let (rules, file) = match next {
                Told::Match(mode) => {
                    matching = *mode;
                    continue;
                }
                Told::AllBut => match told.peek() {
                    Some((to, Told::Line(Action::Hide | Action::Cut, _))) if goes_on(*to) => {
                        scope = Scope::AllBut;
                        continue;
                    }
                    _ => {
                        return Err(Failure::error(
                            "--all-but needs a --hide-label or --cut-label right behind it",
                        ));
                    }
                },
                Told::File(action, path) => {
                    check_mode(*action, matching)?;
                    let rules = rules_of_file(session, path, *action, matching);
                    rules.map_err(|failure| perhaps_a_label(failure, *action, path))?
                }
                Told::Line(action, first) => {
                    check_mode(*action, matching)?;
                    let mut lines = vec![first.as_bytes()];
                    while let Some((to, Told::Line(same, line))) = told.peek()
                        && same == action
                        && goes_on(*to)
                    {
                        lines.push(line.as_bytes());
                        told.next();
                    }
                    let mut sink = |d| session.report(&d);
                    let rules = Rules::from_lines(*action, matching, scope, lines, &mut sink);
                    (rules.map_err(|_| Failure::Reported)?, None)
                }
            };
            let place = *place;
            all.push(ToldRules { place, rules, file });
            scope = Scope::Matching;
        }
        if let Some((_, Told::Match(_))) = self.0.last() {
            session.tell_no_effect("--match", "it is for the patterns that follow it");
        }
        Ok(all)
    }
}

/// What becomes of the labels of a model.
pub struct Relabelling {
    rules: Arc<[Rules]>,
    /// What is hidden if labels are renamed to it.
    hidden: Vec<Vec<u8>>,
}

impl Relabelling {
    /// They stay as they are.
    pub fn none() -> Self {
        Self {
            rules: Arc::new([]),
            hidden: Vec::new(),
        }
    }

    /// Whether they stay as they are.
    pub fn is_none(&self) -> bool {
        self.rules.is_empty()
    }

    /// The network with other labels, before it is explored.
    ///
    /// # Errors
    /// If there are too many.
    pub fn network(&self, network: Network) -> Result<Network, Failure> {
        if self.is_none() {
            return Ok(network);
        }
        let relabelled = network.relabelled(&self.rules, &self.hidden);
        relabelled.map_err(|error| Failure::error(error.to_string()))
    }

    /// The model with other labels, as it is explored.
    ///
    /// # Errors
    /// If there are too many.
    pub fn model<M: Model>(&self, model: M) -> Result<Relabelled<M>, TooLarge> {
        Relabelled::new(model, Arc::clone(&self.rules), &self.hidden)
    }
}

impl LabelOptions {
    /// What becomes of the labels of a model that a filter reads: those that `--tau` names are
    /// hidden, if the model [keeps them](super::any_model::Given::keeps_gates), before what
    /// these options say. None of an LTS that is yet to be read.
    ///
    /// # Errors
    /// If there is something wrong with the rules.
    pub fn of_model(
        &self,
        session: &mut Session,
        filter: &FilterOptions,
        given: Option<&Given>,
    ) -> Result<Relabelling, Failure> {
        let gates = match given.is_some_and(Given::keeps_gates) {
            true => filter.read.gate_rules()?,
            false => None,
        };
        let told = self.get(session, &[])?;
        let rules = gates
            .into_iter()
            .chain(told.into_iter().map(|told| told.rules));
        let rules: Arc<[Rules]> = rules.collect();
        let format = given.and_then(|given| session.format_of(given));
        let hidden = filter.hidden_texts(format);
        let alphabet = given.and_then(|given| Alphabet::of(&filter.input.input, given, format));
        if let Some(alphabet) = alphabet.filter(|_| !rules.is_empty()) {
            tell_visible(session, &hidden, |text| {
                alphabet.gets(text.as_bytes(), &rules, &hidden)
            });
        }
        Ok(Relabelling { rules, hidden })
    }
}

impl Session {
    /// Changes the labels of the LTS that a filter has read in this format: phase
    /// `relabel`. Rules that match nothing are told.
    ///
    /// # Errors
    /// None in practice: only for more labels than a table can hold.
    pub fn relabel(
        &mut self,
        filter: &FilterOptions,
        (lts, format): (Lts, Format),
        steps: &[RelabelStep],
    ) -> Result<Lts, Failure> {
        let is_hidden = |text: &[u8]| filter.read.is_hidden(&filter.dialect, format, text);
        let had = SPELLINGS.map(|text| (text, uses(&lts, text.as_bytes())));
        let mut warnings = Vec::new();
        let relabelled = self.phase("relabel", |phase| {
            phase.progress("relabelling", Unit::None, None);
            let mut sink = |warning| warnings.push(warning);
            let relabelled = relabel(lts, steps, &is_hidden, Some(&mut sink))?;
            phase.summary(|| show_lts(&relabelled.lts));
            Ok(relabelled)
        })?;
        warnings.iter().for_each(|warning| self.report(warning));
        tell_visible(self, &filter.hidden_texts(Some(format)), |text| {
            !had.contains(&(text, true)) && uses(&relabelled.lts, text.as_bytes())
        });
        self.add_figure("transitions_hidden", relabelled.hidden);
        self.add_figure("transitions_cut", relabelled.cut);
        Ok(relabelled.lts)
    }
}

fn check_mode(action: Action, matching: Matching) -> Result<(), Failure> {
    let modes = action.modes();
    if modes.contains(&matching) {
        return Ok(());
    }
    let names: Vec<_> = modes.iter().map(|mode| mode.name()).collect();
    Err(Failure::error(format!(
        "--{action} cannot match by --match {matching}, only by {}",
        names.join(", ")
    )))
}

/// Which visible labels are strong.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Equivalence")]
pub struct StrongLabelOptions {
    /// For the relations sharp and divsharp: the labels that the rules in FILE match are
    /// strong; a first line `hide` or `hide all but`, then a pattern a line, as to hide
    /// them
    #[arg(long, value_name = "FILE")]
    strong_labels: Option<PathBuf>,

    /// What the patterns of --strong-labels match: all of a label (total, the default),
    /// all of its gate (gate), or any part (partial)
    #[arg(long, value_name = "MODE", requires = "strong_labels")]
    strong_match: Option<StrongMode>,
}

/// Values of `--strong-match`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum StrongMode {
    Total,
    Gate,
    Partial,
}

impl StrongLabelOptions {
    /// Whether the user named some.
    pub fn is_given(&self) -> bool {
        self.strong_labels.is_some()
    }

    /// The rules that match strong labels, if there are some.
    ///
    /// # Errors
    /// If one of the relations asks for strong labels and there are none, if there are some
    /// and no relation asks, or if the rules cannot be read.
    pub fn get(
        &self,
        session: &Session,
        relations: &[Relation],
    ) -> Result<Option<StrongLabels>, Failure> {
        let asking = relations
            .iter()
            .find(|relation| relation.has_strong_labels());
        let (path, mode) = match (&self.strong_labels, asking) {
            (Some(path), Some(_)) => (path, self.strong_match.unwrap_or(StrongMode::Total)),
            (None, None) => return Ok(None),
            (None, Some(relation)) => {
                return Err(Failure::error(format!(
                    "{relation} depends on which labels are strong: name them by \
                     --strong-labels FILE (without any it is {})",
                    match relation.without_divergence() {
                        Some(_) => Relation::DivBranching,
                        None => Relation::Branching,
                    }
                )));
            }
            (Some(_), None) => {
                return Err(Failure::error(
                    "--strong-labels is for the relations sharp and divsharp",
                ));
            }
        };
        let matching = match mode {
            StrongMode::Total => Matching::Total,
            StrongMode::Gate => Matching::Gate,
            StrongMode::Partial => Matching::Partial,
        };
        let (rules, file) = rules_of_file(session, path, Action::Hide, matching)?;
        Ok(Some(StrongLabels { rules, file }))
    }
}

/// Rules that say which visible labels are strong.
#[derive(Debug)]
pub struct StrongLabels {
    rules: Rules,
    file: Option<Arc<str>>,
}

impl StrongLabels {
    /// Whether a visible label is strong.
    pub fn contain(&self, text: &[u8]) -> bool {
        self.rules.concern(text)
    }

    /// Tells which rules match no label of the inputs. O(labels · rules).
    ///
    /// # Errors
    /// If a rule names the hidden action, which is never strong, and no visible label is
    /// called so.
    pub fn check_used(&self, session: &Session, inputs: &[&Lts]) -> Result<(), Failure> {
        let tables = inputs.iter().map(|lts| lts.table());
        let labels: Vec<&[u8]> = tables
            .flat_map(|table| table.visible().map(|(_, text)| text))
            .collect();
        for text in &labels {
            // Rules know what they have matched.
            self.rules.concern(text);
        }
        let mut log = Log::new();
        let hidden = [&b"i"[..], b"tau"].map(|text| self.rules.unmatched(text));
        if hidden.iter().all(Option::is_none) {
            self.rules.report_unused(labels.into_iter(), &[], &mut log);
        }
        let hidden = hidden.into_iter().flatten();
        let is_refused = hidden.fold(false, |_, (position, text)| {
            log.add(Severity::Error, "rule-hidden", position, || {
                format!(
                    "{} is the hidden action, which is never strong: no visible label is called \
                     so; remove the line",
                    excerpt(text)
                )
            });
            true
        });
        log.drain_into(self.file.as_ref(), &mut |d| session.report(&d));
        match is_refused {
            true => Err(Failure::Reported),
            false => Ok(()),
        }
    }
}

/// The rules in a file.
fn rules_of_file(
    session: &Session,
    path: &Path,
    action: Action,
    matching: Matching,
) -> Result<(Rules, Option<Arc<str>>), Failure> {
    let (name, text) = read_file("rules for labels", path)?;
    let mut sink = |d| session.report(&d);
    let rules = Rules::read(&name, &text, action, matching, &mut sink);
    let rules = rules.map_err(|_| Failure::Reported)?;
    Ok((rules, Some(name)))
}

/// The same failure to read a file of rules, with what was probably meant where there is
/// no such file.
fn perhaps_a_label(failure: Failure, action: Action, path: &Path) -> Failure {
    match failure {
        Failure::Error(text) if !path.exists() => {
            let option = match action {
                Action::Hide => "--hide-label",
                Action::Rename => "--rename-label",
                Action::Cut => "--cut-label",
            };
            let name = printable_path(path);
            let instead = match is_stand_in() {
                // CADP's options for labels take files only.
                true => format!("write a file with two lines, `{action}` and `{name}`"),
                false => format!("{option} {name}"),
            };
            Failure::Error(format!("{text} (for a label instead of a file: {instead})"))
        }
        failure => failure,
    }
}
