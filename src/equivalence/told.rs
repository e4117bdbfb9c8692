//! Reasons of differences in words.

use hyades_formats::{LabelId, LabelTable, TooLarge};

use super::compare::{Observation, Witness};
use super::formula::Action;
use super::inclusion::{End, Menu, Seen};

impl Witness {
    /// The reason in words: the labels of a trace, a formula, or what is seen along and
    /// after a trace. One line, but for a formula of several definitions.
    ///
    /// # Errors
    /// None in practice: only for more labels than a table can hold.
    pub fn summary(&self) -> Result<String, TooLarge> {
        Ok(match self {
            Witness::Trace(trace) => match trace.labels.is_empty() {
                true => "the empty trace".to_owned(),
                false => format!("trace {}", listed(&trace.labels, &trace.table)),
            },
            Witness::Formula(claim) => claim.formula.to_string(),
            Witness::Observation(seen) => {
                let labels: Vec<_> = seen.reason.labels().collect();
                let mut text = match labels.is_empty() {
                    true => format!("{}: at first", seen.kind()),
                    false => format!("{}: after {}", seen.kind(), listed(&labels, &seen.table)),
                };
                for line in seen.at_the_end() {
                    text += &format!(", {line}");
                }
                text
            }
        })
    }
}

impl Observation {
    /// What is seen, in a word or two: `failure`, `ready pair`, …
    pub fn kind(&self) -> &'static str {
        let seen = || self.reason.steps.iter().map(|step| &step.seen);
        if seen().any(|seen| matches!(seen, Seen::Menu(_))) {
            return "ready trace";
        }
        if seen().any(|seen| matches!(seen, Seen::Refusal(_))) {
            return "failure trace";
        }
        match &self.reason.end {
            End::Trace => "trace",
            End::Deadlock(_) => "completed trace",
            End::Refusal(_) => "failure",
            End::Revival { .. } => "revival",
            End::Ready(_) => "ready pair",
            End::Divergence => "divergence",
            End::Futures { .. } => "futures",
        }
    }

    /// What is seen at the end, a line each.
    pub fn at_the_end(&self) -> Vec<String> {
        let Self { reason, table, .. } = self;
        let skips_hidden = reason.skips_hidden;
        let listed = |labels: &[LabelId]| listed(labels, table);
        match &reason.end {
            End::Trace => Vec::new(),
            End::Deadlock(_) => vec!["a deadlock".to_owned()],
            End::Refusal(labels) => vec![match (skips_hidden, labels.is_empty()) {
                (true, true) => "stable".to_owned(),
                (true, false) => format!("stable, refusing {}", listed(labels)),
                (false, _) => format!("refusing {}", listed(labels)),
            }],
            End::Revival { refusal, label } => {
                let accepted = listed(&[*label]);
                vec![match refusal.is_empty() {
                    true => format!("accepting {accepted}"),
                    false => format!("refusing {}, accepting {accepted}", listed(refusal)),
                }]
            }
            End::Ready(menu) => vec![offering(menu, table)],
            End::Divergence => vec!["diverging: hidden steps can go on for ever".to_owned()],
            End::Futures { lacks, has } => {
                let each = |what: &str, traces: &[Vec<LabelId>]| {
                    let line = |trace: &Vec<LabelId>| format!("{what} trace {}", listed(trace));
                    traces.iter().map(line).collect::<Vec<_>>()
                };
                let mut lines = each("without the", lacks);
                lines.extend(each("with the", has));
                lines
            }
        }
    }
}

/// Labels as formulas spell them.
pub fn listed(labels: &[LabelId], table: &LabelTable) -> String {
    let each = labels
        .iter()
        .map(|&label| Action { table, label }.to_string());
    each.collect::<Vec<_>>().join(" ")
}

/// What a menu has, in words.
pub fn offering(menu: &Menu, table: &LabelTable) -> String {
    match menu.offered.is_empty() {
        true => "offering nothing".to_owned(),
        false => format!("offering just {}", listed(&menu.offered, table)),
    }
}
