//! What there is to say of formulas.

use std::cell::LazyCell;
use std::time::Duration;

use hyades_check::Verdict;
use hyades_explore::{Limit, Model};
use hyades_formats::diagnostic::counted;
use hyades_network::NetworkModel;
use hyades_network::symmetry::SymmetricModel;
use serde_json::{Value, json};

use super::formulas::Formula;
use super::reasons::Reason;
use crate::refine::LEFT_OUT;
use hyades_cli_core::answer::json_text;
use hyades_cli_core::{Failure, Status, memory};

/// What there is to say of a formula.
pub(super) struct Answer {
    pub verdict: Verdict,
    /// Why there is no verdict.
    pub why: Option<String>,
    /// Why there cannot be one.
    pub error: Option<String>,
    pub reason: Option<Reason>,
    /// The error that the search for a reason ended with.
    pub unshown: Option<String>,
    pub states: usize,
    pub transitions: usize,
    pub elapsed: Duration,
}

impl Answer {
    /// A verdict after so many states, without a reason.
    pub fn open(verdict: Verdict, states: usize) -> Self {
        let is_known = matches!(verdict, Verdict::True | Verdict::False);
        Self {
            verdict,
            why: (!is_known).then(|| why(verdict, states)),
            error: None,
            reason: None,
            unshown: None,
            states,
            transitions: 0,
            elapsed: Duration::ZERO,
        }
    }

    /// That there cannot be a verdict.
    pub fn failed(error: String) -> Self {
        Self {
            error: Some(error),
            why: None,
            ..Self::open(Verdict::Interrupted, 0)
        }
    }

    pub fn word(&self) -> &'static str {
        if self.error.is_some() {
            return "ERROR";
        }
        match self.verdict {
            Verdict::True => "TRUE",
            Verdict::False => "FALSE",
            Verdict::Limit(_) | Verdict::Instances | Verdict::Truncated | Verdict::Interrupted => {
                "UNKNOWN"
            }
        }
    }

    pub fn verdict_json(&self) -> Value {
        match self.verdict {
            Verdict::True => true.into(),
            Verdict::False => false.into(),
            Verdict::Limit(_) | Verdict::Instances | Verdict::Truncated | Verdict::Interrupted => {
                Value::Null
            }
        }
    }

    /// The answer to a formula as an object.
    pub fn json(&self, formula: &Formula) -> Value {
        let mut object = json!({
            "name": formula.name,
            "formula": formula.property.text(),
            "verdict": self.verdict_json(),
            "states": self.states,
            "transitions": self.transitions,
            "witness": self.reason.as_ref().map(Reason::json),
            "reason": self.why.as_ref().or(self.unshown.as_ref()),
        });
        if let Some(error) = &self.error {
            object["error"] = error.clone().into();
        }
        if !formula.comment.is_empty() {
            object["comment"] = formula.comment.join("\n").into();
        }
        object
    }

    pub fn is_known(&self) -> bool {
        matches!(self.verdict, Verdict::True | Verdict::False)
    }

    pub fn status(&self) -> Status {
        if self.error.is_some() {
            return Status::Trouble;
        }
        match self.verdict {
            Verdict::True => Status::Holds,
            Verdict::False => Status::Fails,
            Verdict::Limit(_) | Verdict::Instances | Verdict::Truncated | Verdict::Interrupted => {
                Status::NoVerdict
            }
        }
    }

    /// Makes a trace of the network of one up to symmetry.
    pub fn replay(&mut self, model: &SymmetricModel<'_>) -> Result<(), Failure> {
        let Some(reason) = &mut self.reason else {
            return Ok(());
        };
        let network = LazyCell::new(|| NetworkModel::new(model.symmetry().network().clone()));
        let explain = |source: &[u64], label: Option<&[u8]>, target: &[u64]| {
            network.explain(source, label, target)
        };
        let replayed = reason.replay(|trace| model.replay(trace), &explain);
        replayed.map_err(|e| Failure::error(e.to_string()))
    }
}

/// Why there is no verdict.
pub(super) fn why(verdict: Verdict, states: usize) -> String {
    let after = match states {
        0 => String::new(),
        states => format!(" after {}", counted(states, "state")),
    };
    match verdict {
        Verdict::True | Verdict::False => String::new(),
        Verdict::Limit(Limit::States | Limit::Hidden) => format!("gave up{after} (--max-states)"),
        Verdict::Limit(Limit::Memory) => format!("gave up{after} (--max-memory)"),
        Verdict::Limit(Limit::Model) => format!("gave up{after} (a limit of the model)"),
        Verdict::Limit(Limit::Channels) => {
            format!("gave up{after} (--channel-bound: a channel holds more messages)")
        }
        Verdict::Instances => "gave up: fixpoints have more values of parameters than `check \
                               --max-instances` allows; a condition should bound them"
            .into(),
        Verdict::Truncated => LEFT_OUT.into(),
        Verdict::Interrupted => "stopped".into(),
    }
}

/// A formula that is not decided weighs more than one that does not hold, and one that
/// cannot be decided more than both.
pub(super) fn rank(status: Status) -> u8 {
    match status {
        Status::Holds => 0,
        Status::Fails => 1,
        Status::NoVerdict => 2,
        Status::Trouble => 3,
    }
}

/// What is said of formulas if the memory comes to its end.
pub(super) fn unknown(formulas: &[Formula], is_json: bool) -> Vec<u8> {
    if is_json {
        let mut answer = Answer::open(Verdict::Limit(Limit::Memory), 0);
        answer.why = Some(memory::AT_ITS_END.into());
        let objects = formulas.iter().map(|formula| answer.json(formula));
        return json_text(&json!({ "formulas": objects.collect::<Value>() })).into();
    }
    let line = |formula: &Formula| match formulas.len() {
        1 => "UNKNOWN\n".to_owned(),
        _ => format!("{}: UNKNOWN\n", formula.name),
    };
    formulas.iter().map(line).collect::<String>().into()
}
