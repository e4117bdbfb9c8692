//! `hide`, `cut`, `rename`, restriction and relabelling.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use hyades_formats::diagnostic::{Log, excerpt, printable_path};
use hyades_formats::{Diagnostic, LabelId, MOST_NAMED, Position, ReadError};
use hyades_lts::relabel::{Action, Matching, Outcome, RuleError, Rules, Scope};

use super::super::event::EventId;
use super::super::language::Parameters;
use super::super::lex::{Place, SyntaxError};
use super::super::messages::{Told, discreet_rule};
use super::super::syntax::{Label, Patterns, Relabelling};
use super::super::without_number;
use super::par::CASE_HINT;
use super::{Behaviour, Compiler, Result, Stop, gathered};

impl Compiler<'_, '_> {
    pub(super) fn relabel(
        &mut self,
        relabelling: &Relabelling,
        place: Place,
        operand: Behaviour,
    ) -> Result<Behaviour> {
        let (rules, file) = self.rules(relabelling)?;
        let Behaviour {
            visible,
            mut hidden,
        } = operand;
        let mut kept: Vec<(LabelId, EventId)> = Vec::with_capacity(visible.len());
        for &(label, event) in &visible {
            let text = self.labels.text(label);
            let (prefix, text) = without_prefix(self.parameters, relabelling, text);
            match rules.apply(text) {
                Outcome::Hidden => hidden.push(event),
                Outcome::Cut => {}
                Outcome::Label(Cow::Borrowed(_)) => kept.push((label, event)),
                Outcome::Label(Cow::Owned(new)) => {
                    let new = [prefix, &new].concat();
                    if self.parameters.is_hidden(&new) {
                        hidden.push(event);
                    } else {
                        kept.push((self.labels.intern(&new)?, event));
                    }
                }
            }
        }
        if self.options.check {
            self.check_rules(relabelling, &rules, file, &visible, place);
        }
        let visible = match relabelling.action {
            Action::Rename => gathered(&mut self.events, kept),
            Action::Hide | Action::Cut => kept,
        };
        Ok(Behaviour { visible, hidden })
    }

    /// The rules, and the file that they are from.
    fn rules(&mut self, relabelling: &Relabelling) -> Result<(Rules, Option<Arc<str>>)> {
        let Relabelling {
            action, matching, ..
        } = *relabelling;
        match &relabelling.patterns {
            Patterns::File(name, place) => self.rule_file(name, *place, action, matching),
            Patterns::Here { all_but, rules } => {
                let mut compiled = Rules::new(action, matching, scope(*all_but));
                for (pattern, right) in rules {
                    self.check_plain(relabelling, pattern)?;
                    push(&mut compiled, pattern, right.as_ref())?;
                }
                Ok((compiled, None))
            }
        }
    }

    /// The gates that CCS and CSP name have neither offers nor a prefix.
    fn check_plain(
        &self,
        relabelling: &Relabelling,
        pattern: &Label,
    ) -> std::result::Result<(), SyntaxError> {
        let prefix = &self.parameters.coaction[..];
        let offers = pattern.text.iter().any(|b| b"!?( \t".contains(b));
        let text = if !relabelling.plain {
            return Ok(());
        } else if relabelling.coactions && !prefix.is_empty() && pattern.text.starts_with(prefix) {
            "the prefix of co-actions stands for itself here: name the gate without it"
        } else if offers && !pattern.text.contains(&b'\\') {
            "only gates can be named here, without offers"
        } else {
            return Ok(());
        };
        Err(SyntaxError::quoting(
            pattern.place,
            "exp-pattern",
            |quote| format!("{}: {text}", quote(&pattern.text)),
        ))
    }

    fn rule_file(
        &mut self,
        name: &[u8],
        place: Place,
        action: Action,
        matching: Matching,
    ) -> Result<(Rules, Option<Arc<str>>)> {
        let endings: &[&str] = match action {
            Action::Hide => &["hid", "hide"],
            Action::Cut => &["cut"],
            Action::Rename => &["ren", "rename"],
        };
        let mut path = self.options.base.join(OsStr::from_bytes(name));
        if path.extension().is_none() && !self.files.exists(&path) {
            let with = endings.iter().map(|ending| path.with_extension(ending));
            if let Some(found) = with.into_iter().find(|path| self.files.exists(path)) {
                path = found;
            }
        }
        // The format is of no importance: what is wanted are the bytes.
        let text = self
            .files
            .open(&path, Some(hyades_formats::Format::Exp))
            .and_then(|source| source.into_bytes_up_to(MOST_NAMED));
        let text = text.map_err(|error| {
            let told = Told::of_file(error, |error| match error {
                ReadError::Io { .. } => {
                    format!("cannot read the rules {}", without_number(error))
                }
                error => error.to_string(),
            });
            SyntaxError::new(place, "exp-rules", told)
        })?;
        let file: Arc<str> = printable_path(&path).into();
        if !self.rule_files.contains(&path) {
            self.rule_files.push(path);
        }
        let expected = format!("a file of rules to {action}");
        let is_shown = self.is_shown(place);
        let mut sink = |d: Diagnostic| match is_shown {
            true => (self.sink)(d),
            // The rules are well-formed; what is told of them quotes none.
            false if d.code == "rule-offers" => (self.sink)(discreet_rule(d)),
            false => (self.sink)(d.discreet(&expected)),
        };
        let rules = Rules::read(&file, &text, action, matching, &mut sink);
        rules
            .map(|rules| (rules, Some(file)))
            .map_err(|_| Stop::Told)
    }

    /// Warns of patterns that match nothing.
    fn check_rules(
        &mut self,
        relabelling: &Relabelling,
        rules: &Rules,
        file: Option<Arc<str>>,
        visible: &[(LabelId, EventId)],
        place: Place,
    ) {
        let (parameters, labels) = (self.parameters, &self.labels);
        let texts = visible
            .iter()
            .map(|&(label, _)| without_prefix(parameters, relabelling, labels.text(label)).1);
        if let Some(file) = file {
            let mut log = Log::new();
            rules.report_unused(texts, &[], &mut log);
            let is_shown = match &relabelling.patterns {
                Patterns::File(_, place) => self.is_shown(*place),
                Patterns::Here { .. } => true,
            };
            log.drain_into(Some(&file), &mut |d| match is_shown {
                true => (self.sink)(d),
                false => (self.sink)(discreet_rule(d)),
            });
            return;
        }
        let Patterns::Here { rules: pairs, .. } = &relabelling.patterns else {
            return;
        };
        let mut written = Vec::new();
        for (pattern, _) in pairs {
            let matching = relabelling.matching;
            if let Some(text) = &pattern.written
                && !concerns(&pattern.text, matching, texts.clone())
                && concerns(text, matching, texts.clone())
            {
                written.push(pattern.clone());
            }
        }
        // What is told of these is told once.
        let told: Vec<Position> = written.iter().map(|p| p.place.position).collect();
        let log = self.messages.rules(place);
        rules.report_offers(log);
        rules.report_unused(texts, &told, log);
        for pattern in written {
            self.warn("exp-case", pattern.place, |quote| {
                format!("{} matches no label{CASE_HINT}", quote(&pattern.text))
            });
        }
    }

    /// Whether messages may quote a file that is named here: the user named it.
    fn is_shown(&self, place: Place) -> bool {
        self.options.is_given && place.text == 0
    }
}

/// A label taken apart into the prefix of co-actions, if it does not count, and
/// the rest.
fn without_prefix<'l>(
    parameters: &Parameters,
    relabelling: &Relabelling,
    label: &'l [u8],
) -> (&'l [u8], &'l [u8]) {
    let prefix = &parameters.coaction;
    match relabelling.coactions && label.starts_with(prefix) {
        true => label.split_at(prefix.len()),
        false => (&[], label),
    }
}

/// Whether a pattern matches some of the labels.
pub(super) fn concerns<'a>(
    pattern: &[u8],
    matching: Matching,
    mut labels: impl Iterator<Item = &'a [u8]>,
) -> bool {
    let action = Action::Hide;
    let matching = match matching {
        Matching::Single | Matching::Multiple => Matching::Partial,
        matching @ (Matching::Total | Matching::Gate | Matching::Partial) => matching,
    };
    let mut rules = Rules::new(action, matching, Scope::Matching);
    rules.push(pattern, b"", None).is_ok() && labels.any(|label| rules.concern(label))
}

/// Adds a rule.
pub(super) fn push(
    rules: &mut Rules,
    pattern: &Label,
    right: Option<&Label>,
) -> std::result::Result<(), SyntaxError> {
    let text = right.map_or(&b""[..], |right| &right.text);
    let position: Position = pattern.place.position;
    rules
        .push(&pattern.text, text, Some(position))
        .map_err(|error| {
            // What is wrong may be told with a part of what is there.
            let (label, discreet) = match error {
                RuleError::Pattern(_) => (pattern, "no regular expression"),
                RuleError::Right(..) => (
                    right.unwrap_or(pattern),
                    "no right side for what is on the left",
                ),
            };
            let text = format!("{}: {error}", excerpt(&label.text));
            SyntaxError::new(label.place, "exp-pattern", Told::hiding(text, discreet))
        })
}

/// What rules are about, with and without `all but`.
pub(super) fn scope(all_but: bool) -> Scope {
    match all_but {
        true => Scope::AllBut,
        false => Scope::Matching,
    }
}
