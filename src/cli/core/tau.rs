//! `--tau`: what is hidden of an input beside what the input says.

use std::sync::Arc;

use hyades_formats::{Diagnostic, Format, Lts, ReadError, Severity};
use hyades_lts::relabel::{RelabelStep, Rules, relabel};
use hyades_network::Network;

use super::options::{DialectOption, ReadOptions};
use super::session::Session;
use super::status::Failure;

/// What `--tau` makes of LTSs.
pub(super) struct Gates<'a> {
    read: &'a ReadOptions,
    dialect: &'a DialectOption,
    /// One step if there is a `--tau`.
    steps: Vec<RelabelStep>,
}

impl<'a> Gates<'a> {
    /// # Errors
    /// If a name is too long.
    pub fn new(read: &'a ReadOptions, dialect: &'a DialectOption) -> Result<Self, Failure> {
        let rules = read.gate_rules()?;
        Ok(Self {
            read,
            dialect,
            steps: rules
                .map(|rules| RelabelStep::Rules(rules, None))
                .into_iter()
                .collect(),
        })
    }

    /// Hides labels of what was read from a file in this format.
    ///
    /// # Errors
    /// None in practice: only for more labels than a table can hold.
    pub fn hide(&self, lts: Lts, format: Format, file: &str) -> Result<Lts, ReadError> {
        if self.steps.is_empty() {
            return Ok(lts);
        }
        // As if what is left of a multi-action had been read.
        let is_hidden = |text: &[u8]| self.read.is_hidden(self.dialect, format, text);
        match relabel(lts, &self.steps, &is_hidden, None) {
            Ok(relabelled) => Ok(relabelled.lts),
            Err(error) => Err(ReadError::TooLarge {
                file: Arc::from(file),
                error,
            }),
        }
    }

    /// The rules, which know which names have matched.
    pub fn rules(&self) -> Option<&Rules> {
        match self.steps.first() {
            Some(RelabelStep::Rules(rules, _)) => Some(rules),
            Some(RelabelStep::Scramble(_)) | None => None,
        }
    }
}

impl Session {
    /// Hides the labels of a network that `--tau` names.
    ///
    /// # Errors
    /// If there are too many labels, or a name is too long.
    pub(super) fn hide_gates(
        &mut self,
        network: Network,
        read: &ReadOptions,
    ) -> Result<Network, Failure> {
        let Some(rules) = read.gate_rules()? else {
            return Ok(network);
        };
        let rules = [rules];
        // What is left of a multi-action may be the hidden action.
        let network = network
            .relabelled(&rules, &[b"i".to_vec()])
            .map_err(|error| Failure::error(error.to_string()))?;
        self.tell_unused_gates(Some(&rules[0]));
        Ok(network)
    }

    /// Warns of names that match nothing in any input, as soon as all inputs have been
    /// looked at; `None` if what is in an input is not known beforehand.
    pub(super) fn tell_unused_gates(&mut self, rules: Option<&Rules>) {
        let known = &mut self.unused_gates;
        known.inputs += 1;
        if let Some(rules) = rules {
            let unused: Vec<Vec<u8>> = rules.unused_texts().map(<[u8]>::to_vec).collect();
            known.names = Some(match known.names.take() {
                None => unused,
                Some(before) => before.into_iter().filter(|n| unused.contains(n)).collect(),
            });
        }
        if known.inputs <= self.given.more_inputs() {
            return;
        }
        for name in std::mem::take(&mut known.names).into_iter().flatten() {
            self.report(&Diagnostic {
                severity: Severity::Warning,
                code: "tau-unused",
                file: None,
                position: None,
                text: format!(
                    "--tau {}: no visible label has this gate (action name)",
                    name.escape_ascii()
                ),
            });
        }
    }

    /// Warns of a `--tau` that has no effect on an input of this kind.
    pub fn tell_no_gates(&self, given: bool, what: &str) {
        if given {
            self.note(format_args!("--tau has no effect on {what}"));
        }
    }
}
