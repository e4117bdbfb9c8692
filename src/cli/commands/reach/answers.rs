//! What `reach` answers.

use clap::ValueEnum;
use hyades_explore::{Answer, Exploration, Outcome};
use hyades_formats::{self as formats, TraceForm};

use crate::core::{Explain, Manner, how_far};

/// What `--fail-on` names.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finding {
    Deadlock,
    Livelock,
    Found,
    /// A channel of a system of machines; for --analysis.
    Overfilled,
}

impl Finding {
    /// The question, as the answers call it.
    fn question(self) -> &'static str {
        match self {
            Finding::Deadlock => "deadlock",
            Finding::Livelock => "livelock",
            Finding::Found => "find",
            Finding::Overfilled => "overfilled",
        }
    }
}

/// What there is to say about a search.
pub struct Summary {
    pub outcome: Outcome,
    pub how_far: Option<String>,
    pub states: u64,
    pub explored: u64,
    pub transitions: u64,
    pub depth: u32,
    /// The questions whose answer is yes.
    pub yes: Vec<Finding>,
    /// Whether some question has no answer.
    pub unknown: bool,
    /// All answers, for the user.
    pub text: Vec<u8>,
    pub notes: Vec<String>,
}

impl Summary {
    pub fn new(
        found: &Exploration<'_>,
        form: TraceForm,
        options: &formats::WriteOptions,
        explain: &Explain<'_>,
    ) -> Self {
        let answered = answered(found);
        let manner = Manner {
            form,
            labels: &found.labels,
            options,
            explain,
        };
        let mut notes = Vec::new();
        let yes = answered.iter().filter(|(_, a)| matches!(a, Answer::Yes(_)));
        Self {
            outcome: found.outcome,
            how_far: how_far(found),
            states: found.states,
            explored: found.explored,
            transitions: found.transitions,
            depth: found.depth,
            yes: yes.map(|&(finding, _)| finding).collect(),
            unknown: answered.iter().any(|(_, a)| matches!(a, Answer::Unknown)),
            text: answers_text(&answered, &manner, &mut notes),
            notes,
        }
    }
}

/// The questions that were asked, with their answers, in the order in which
/// they are shown.
fn answered<'a>(found: &'a Exploration<'_>) -> Vec<(Finding, &'a Answer)> {
    let deadlock = found.deadlock.iter().map(|a| (Finding::Deadlock, a));
    let livelock = found.livelock.iter().map(|a| (Finding::Livelock, a));
    let find = found.find.iter().map(|a| (Finding::Found, a));
    deadlock.chain(livelock).chain(find).collect()
}

/// The line of a question without an answer.
pub fn unknown(finding: Finding) -> Vec<u8> {
    format!("{}: UNKNOWN\n", finding.question()).into_bytes()
}

/// The answers, each with its trace. In the form SEQ they are one file: verdicts
/// are comments, traces are separated by `[]`.
fn answers_text(
    answers: &[(Finding, &Answer)],
    manner: &Manner<'_>,
    notes: &mut Vec<String>,
) -> Vec<u8> {
    let form = manner.form;
    let mut text = Vec::new();
    let mut traces = 0;
    for &(finding, answer) in answers {
        let name = finding.question();
        let trace = match answer {
            Answer::Yes(trace) => trace,
            Answer::No => {
                text.extend_from_slice(format!("{name}: FALSE\n").as_bytes());
                continue;
            }
            Answer::Unknown => {
                text.extend(unknown(finding));
                continue;
            }
        };
        if traces > 0 && form == TraceForm::Seq {
            text.extend_from_slice(b"[]\n");
        }
        traces += 1;
        text.extend_from_slice(format!("{name}: TRUE\n").as_bytes());
        let (told, reason) = manner.trace(trace, finding == Finding::Deadlock);
        text.extend(told);
        if let Some(reason) = reason {
            notes.push(format!(
                "no trace in the form {} for {name}: {reason}",
                form.name()
            ));
        }
    }
    text
}
