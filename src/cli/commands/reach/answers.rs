//! What `reach` answers.

use clap::ValueEnum;
use hyades_explore::{Answer, Exploration, Outcome, Trace, traces_to_lts};
use hyades_formats::diagnostic::printable_string;
use hyades_formats::{self as formats, Format, LabelTable, Lts, TooLarge, TraceForm};
use hyades_lts::pattern::why_unmatched;
use serde_json::{Map, Value, json};

use hyades_cli_core::answer::json_text;
use hyades_cli_core::traces::cycle;
use hyades_cli_core::{Explain, Failure, Manner, how_far, memory};

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

/// A question, as it is shown.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// What it is about.
    pub finding: Finding,
    /// The expression of a `--find`.
    pub find: Option<&'a [u8]>,
    /// Of `--find-sequence`: whether a path has to end in a deadlock.
    pub sequence: Option<bool>,
}

/// All questions in the order in which they are shown, and how they are answered.
pub struct Asked<'a> {
    /// The questions.
    pub questions: Vec<Question<'a>>,
    /// Whether the answers are a JSON object.
    pub is_json: bool,
    /// The form of traces otherwise.
    pub form: TraceForm,
    /// What the writer goes by.
    pub options: formats::WriteOptions,
    /// The format in which the traces are written as well.
    pub witness: Option<Format>,
}

/// Whether the state space is there as it is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpaceState {
    /// It is, or is not wanted.
    Fine,
    /// The search of a system did not go on from states in which a channel is overfilled:
    /// without transitions, they look dead.
    Cut,
    /// It is not there.
    Missing,
}

impl SpaceState {
    /// Of a state space that is wanted or not, and was found as a whole or not, by a search
    /// that did not go on from some states or went on from all.
    pub fn new(is_wanted: bool, is_found: bool, is_cut: bool) -> Self {
        match (is_wanted, is_found) {
            (true, false) => SpaceState::Missing,
            (true, true) if is_cut => SpaceState::Cut,
            (true, true) | (false, _) => SpaceState::Fine,
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
    /// The traces as an LTS, if it is wanted and there are some.
    pub witness: Result<Option<Lts>, TooLarge>,
    pub notes: Vec<String>,
}

impl Summary {
    pub fn new(found: &Exploration<'_>, asked: &Asked<'_>, explain: &Explain<'_>) -> Self {
        let answers: Vec<&Answer> = found
            .deadlock
            .iter()
            .chain(&found.livelock)
            .chain(&found.find)
            .collect();
        let manner = Manner {
            form: asked.form,
            labels: &found.labels,
            options: &asked.options,
            explain,
        };
        let how_far = how_far(found);
        let mut notes = Vec::new();
        let text = match asked.is_json {
            true => asked.json(&answers, how_far.as_deref(), &manner).into(),
            false => asked.text(&answers, &manner, &mut notes),
        };
        let pairs = asked.questions.iter().zip(&answers);
        for (question, answer) in pairs.clone() {
            if let (Some(expression), Answer::No | Answer::Unknown) = (question.find, answer) {
                let texts = found.labels.visible().map(|(_, text)| text);
                let why = why_unmatched(expression, "label", texts);
                let expression = printable_string(expression);
                let told = |why| format!("--find '{expression}' matches no label: {why}");
                notes.extend(why.map(told));
            }
        }
        let yes = pairs.filter(|(_, a)| matches!(a, Answer::Yes(_)));
        Self {
            outcome: found.outcome,
            how_far,
            states: found.states,
            explored: found.explored,
            transitions: found.transitions,
            depth: found.depth,
            yes: yes.map(|(question, _)| question.finding).collect(),
            unknown: answers.iter().any(|a| matches!(a, Answer::Unknown)),
            text,
            witness: asked.lts(&answers, &found.labels),
            notes,
        }
    }
}

impl Asked<'_> {
    /// Before the search: what is to be said if the memory ends. Nothing without questions.
    ///
    /// # Errors
    /// If the format of the witness cannot take all traces that there may be.
    pub fn begin(&self) -> Result<(), Failure> {
        match self.questions.len() {
            0 => return Ok(()),
            many @ 2.. if self.witness == Some(Format::Trc) => {
                return Err(Failure::error(format!(
                    "a .trc file takes one trace, and {many} questions are asked: name a .seq \
                     file or an LTS (.aut, .bcg, …)"
                )));
            }
            _ => {}
        }
        memory::set_last_words(self.unknown());
        Ok(())
    }

    /// The text if nothing is known.
    fn unknown(&self) -> Vec<u8> {
        if self.is_json {
            let answers = self.questions.iter().map(|q| q.json(None, None));
            return object(answers.collect(), Some(memory::AT_ITS_END)).into();
        }
        let lines = self.questions.iter().map(|q| q.line("UNKNOWN"));
        lines.collect::<String>().into()
    }

    /// The answers, each with its trace. In the form SEQ they are one file: verdicts
    /// are comments, traces are separated by `[]`.
    fn text(&self, answers: &[&Answer], manner: &Manner<'_>, notes: &mut Vec<String>) -> Vec<u8> {
        let mut text = Vec::new();
        let mut traces = 0;
        for (question, answer) in self.questions.iter().zip(answers) {
            let trace = match answer {
                Answer::Yes(trace) => trace,
                Answer::No => {
                    text.extend(question.line("FALSE").into_bytes());
                    continue;
                }
                Answer::Unknown => {
                    text.extend(question.line("UNKNOWN").into_bytes());
                    continue;
                }
            };
            if traces > 0 && self.form == TraceForm::Seq {
                text.extend_from_slice(b"[]\n");
            }
            traces += 1;
            text.extend(question.line("TRUE").into_bytes());
            let (told, reason) = manner.trace(trace, question.ends_in_deadlock());
            text.extend(told);
            if let Some(reason) = reason {
                notes.push(format!(
                    "no trace in the form {} for {}: {reason}",
                    self.form.name(),
                    question.name()
                ));
            }
        }
        text
    }

    /// The answers as JSON; `reason` says why some are not known.
    fn json(&self, answers: &[&Answer], reason: Option<&str>, manner: &Manner<'_>) -> String {
        let answers = self.questions.iter().zip(answers);
        let answers = answers.map(|(question, answer)| match answer {
            Answer::Yes(trace) => question.json(Some(true), Some(manner.json(trace))),
            Answer::No => question.json(Some(false), None),
            Answer::Unknown => question.json(None, None),
        });
        object(answers.collect(), reason)
    }

    /// All traces as an LTS, if it is wanted and there are some.
    fn lts(&self, answers: &[&Answer], labels: &LabelTable) -> Result<Option<Lts>, TooLarge> {
        let traces: Vec<&Trace> = answers
            .iter()
            .filter_map(|answer| match answer {
                Answer::Yes(trace) => Some(trace),
                Answer::No | Answer::Unknown => None,
            })
            .collect();
        let wanted = self.witness.filter(|_| !traces.is_empty());
        wanted
            .map(|format| traces_to_lts(traces, labels, cycle(format)))
            .transpose()
    }
}

impl Question<'_> {
    /// What the answers call it.
    fn name(&self) -> &'static str {
        match self.sequence {
            Some(_) => "sequence",
            None => self.finding.question(),
        }
    }

    /// Whether its traces end in a state without transitions.
    fn ends_in_deadlock(&self) -> bool {
        self.sequence.unwrap_or(self.finding == Finding::Deadlock)
    }

    fn line(&self, verdict: &str) -> String {
        format!("{}: {verdict}\n", self.name())
    }

    fn json(&self, verdict: Option<bool>, witness: Option<Map<String, Value>>) -> Value {
        let mut object = Map::new();
        object.insert("question".into(), self.name().into());
        if let Some(expression) = self.find {
            let expression = String::from_utf8_lossy(expression);
            object.insert("expression".into(), expression.into());
        }
        object.insert("verdict".into(), verdict.into());
        object.insert("witness".into(), witness.map_or(Value::Null, Value::from));
        object.into()
    }
}

fn object(answers: Vec<Value>, reason: Option<&str>) -> String {
    json_text(&json!({ "answers": answers, "reason": reason }))
}
