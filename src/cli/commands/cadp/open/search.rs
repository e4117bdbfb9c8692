//! `exhibitor`, `terminator` and `executor`: paths of a system.

use std::ffi::OsString;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use hyades_base::draw;
use hyades_equivalence::Relation;
use hyades_explore::{
    Answer, Cycle, Enabled, Erased, ExploreError, ExploreOptions, Goal, Model, Questions, Searched,
    Trace, reach, traces_to_lts,
};
use hyades_formats::seq::{LabelTerm, Pattern, steps};
use hyades_formats::{Format, LabelId, LabelTable, Lts, Source, TraceForm, WriteOptions};

use super::super::{Arguments, Kind, Tool, bcg_output};
use super::sequences::{NoList, all_to_ends};
use super::{Spec, limits, number, parsed};
use hyades_cli_core::traces::cycle;
use hyades_cli_core::{
    Destination, Failure, Manner, Session, read_text, trace_in_comments, why_comments,
};

pub const EXHIBITOR: Tool = Tool {
    name: "exhibitor",
    usage: "[-seqno N] [-bfs|-dfs] [-depth N] [-all|-first|-decr|-none] [-case] [-conflict] \
            < PATTERN.seq",
    kind: Kind::Explores(exhibitor),
};

pub const TERMINATOR: Tool = Tool {
    name: "terminator",
    usage: "[OPTIONS OF HASHING] [RESULT]",
    kind: Kind::Explores(terminator),
};

pub const EXECUTOR: Tool = Tool {
    name: "executor",
    usage: "N STRATEGY [SEED]   (STRATEGY 1: no choices, 2: by the clock, 3: by SEED)",
    kind: Kind::Explores(executor),
};

/// A text simulator; CADP's other two are graphical.
pub const SIMULATOR: Tool = Tool {
    name: "simulator",
    usage: "",
    kind: Kind::Becomes("reach", arguments_of_reach),
};

/// A path that was found.
struct Found {
    /// As SEQ prints it.
    text: Vec<u8>,
    steps: usize,
    /// As an LTS, in which a cycle counts as told.
    lts: Lts,
}

/// The shortest path to a state without transitions.
fn to_deadlock(
    model: Erased<'_>,
    ends_in_deadlock: bool,
    form: Cycle,
    spec: &Spec,
) -> Result<Option<Found>, Failure> {
    let search = ExploreOptions {
        limits: limits(),
        questions: Questions {
            deadlock: true,
            ..Questions::default()
        },
        stop_when_answered: true,
        progress: None,
    };
    let (_, found) = reach(model, search, Goal::Answers, |found| {
        Ok(match &found.deadlock {
            Some(Answer::Yes(trace)) => {
                let options = WriteOptions {
                    printable: true,
                    ..WriteOptions::default()
                };
                let manner = Manner {
                    form: TraceForm::Seq,
                    labels: &found.labels,
                    options: &options,
                    explain: &|_, _, _| Vec::new(),
                };
                Some(Found {
                    text: manner.trace(trace, ends_in_deadlock).0,
                    steps: trace.labels.len(),
                    lts: traces_to_lts([trace], &found.labels, form)?,
                })
            }
            Some(Answer::No) => None,
            Some(Answer::Unknown) | None => {
                return Err(Failure::Memory(format!(
                    "exploring {} takes more memory than there may be",
                    spec.name()
                )));
            }
        })
    })
    .map_err(|e| spec.failed(&e))?;
    // Without an exploration there is no system.
    found.unwrap_or(Ok(None))
}

/// The arguments of `reach` for a command line of `simulator`.
fn arguments_of_reach(mut arguments: Arguments, spec: &Spec) -> Result<Vec<OsString>, Failure> {
    if let Some(option) = arguments.option() {
        return Err(arguments.unknown(&option));
    }
    arguments.operands(0, 0)?;
    let mut words = spec.arguments();
    words.push("--simulate".into());
    Ok(words)
}

fn exhibitor(mut arguments: Arguments, spec: &Spec, session: &mut Session) -> Result<(), Failure> {
    let (mut seqno, mut depth, mut case, mut all) = (1, None, false, false);
    while let Some(option) = arguments.option() {
        match &option[..] {
            "-seqno" => seqno = number(&mut arguments, &option)?,
            "-depth" => depth = Some(number(&mut arguments, &option)?),
            "-case" => case = true,
            "-all" => all = true,
            // The first one that is found is a shortest one.
            "-bfs" | "-dfs" | "-first" | "-decr" | "-none" | "-conflict" => {
                all &= !matches!(&option[..], "-first" | "-decr" | "-none");
                session.detail(format_args!(
                    "{option} has no effect: a shortest path is shown"
                ));
            }
            _ => return Err(arguments.unknown(&option)),
        }
    }
    arguments.operands(0, 0)?;
    if spec.path == Path::new("-") {
        return Err(Failure::error(
            "standard input is for the pattern: the system needs the name of a file",
        ));
    }
    let (name, text) = read_text(Path::new("-"))?;
    let source = Source::from_bytes(&*name, text, Some(Format::Seq));
    let source = source.map_err(|e| Failure::error(e.to_string()))?;
    let pattern = session.sequence_of(source, seqno, |pattern| {
        if !case {
            upper_cased(pattern);
        }
    })?;
    // Patterns speak of hidden transitions as of others.
    spec.tell_reduced(session, Relation::Trace, "what is shown");
    let model = spec.model(session)?;
    let found = session.phase("search", |_| {
        let deadlock = pattern.ends_in_deadlock();
        if all {
            let searched = Searched::all(model.erased(), &pattern);
            let found = all_found(&searched, deadlock, depth, spec)?;
            model.finish().map_err(|e| spec.failed(&e))?;
            return Ok(found);
        }
        let searched = Searched::new(model.erased(), &pattern);
        let found = to_deadlock(searched.erased(), deadlock, Cycle::Closed, spec)?;
        model.finish().map_err(|e| spec.failed(&e))?;
        let shown = found.filter(|found| depth.is_none_or(|most| found.steps as u64 <= most));
        Ok(match shown {
            Some(found) => (found.text, found.steps == 0 && !deadlock),
            None => (Vec::new(), false),
        })
    })?;
    let (text, has_empty) = found;
    if has_empty {
        let why = match text.is_empty() {
            true => ", which is the shortest one: there is nothing to show",
            false => " as well, of which there is nothing to show",
        };
        session.note(format!(
            "the pattern matches the path without transitions{why}"
        ));
    }
    session.write_text(&Destination::stdout(), "seq", &text)
}

/// All sequences that a pattern matches, as SEQ, and whether there is the empty one, of which
/// nothing is written but that it ends in a deadlock.
fn all_found(
    searched: &Searched<'_, Erased<'_>>,
    ends_in_deadlock: bool,
    depth: Option<u64>,
    spec: &Spec,
) -> Result<(Vec<u8>, bool), Failure> {
    let found = all_to_ends(searched, depth).map_err(|error| match error {
        NoList::Endless => Failure::error(
            "there are infinitely many paths that the pattern matches: -all needs -depth N, and \
             shows those of at most N transitions",
        ),
        NoList::Failed(error) => spec.failed(&error),
    })?;
    let (sequences, labels) = found;
    let options = WriteOptions {
        printable: true,
        ..WriteOptions::default()
    };
    let manner = Manner {
        form: TraceForm::Seq,
        labels: &labels,
        options: &options,
        explain: &|_, _, _| Vec::new(),
    };
    let mut text = Vec::new();
    let is_written = |sequence: &&Vec<LabelId>| ends_in_deadlock || !sequence.is_empty();
    for (k, sequence) in sequences.iter().filter(is_written).enumerate() {
        if k > 0 {
            text.extend_from_slice(b"[]\n");
        }
        let trace = Trace {
            labels: sequence.clone(),
            states: Vec::new(),
            packed: vec![Box::from([0]); sequence.len() + 1],
            cycle: None,
        };
        text.extend(manner.trace(&trace, ends_in_deadlock).0);
    }
    let has_empty = sequences.iter().any(Vec::is_empty);
    Ok((text, has_empty && !ends_in_deadlock))
}

/// Puts a regular expression in upper case, but for names of classes, such as `[:alpha:]`.
fn upper_case_expression(text: &mut [u8]) {
    let mut rest = text;
    while !rest.is_empty() {
        let is_open = |pair: &[u8]| pair == b"[:";
        let class = rest.windows(2).position(is_open).unwrap_or(rest.len());
        rest[..class].make_ascii_uppercase();
        rest = &mut rest[class..];
        let end = rest.windows(2).position(|pair| pair == b":]");
        let class = end.map_or(rest.len().min(2), |end| end + 2);
        rest = &mut rest[class..];
    }
}

/// Puts labels of a pattern in upper case, but for the hidden one and termination.
fn upper_cased(pattern: &mut Pattern) {
    for set in pattern.sets_mut() {
        for term in &mut set.terms {
            match term {
                LabelTerm::Text(text) if text != b"i" && text != b"exit" => {
                    text.make_ascii_uppercase();
                }
                LabelTerm::Regex(text, _) if text != b"i" && text != b"exit" => {
                    upper_case_expression(text);
                }
                LabelTerm::Text(_)
                | LabelTerm::Regex(..)
                | LabelTerm::Any
                | LabelTerm::Not
                | LabelTerm::And
                | LabelTerm::Or
                | LabelTerm::Xor => {}
            }
        }
    }
}

fn terminator(mut arguments: Arguments, spec: &Spec, session: &mut Session) -> Result<(), Failure> {
    while let Some(option) = arguments.option() {
        // Sizes of tables and orders of search: nothing is left out here.
        let is_value = |word: &OsString| parsed(word).is_some();
        if option == "-order" || arguments.words.front().is_some_and(is_value) {
            arguments.words.pop_front();
        }
        session.detail(format_args!(
            "{option} has no effect: all states are looked at"
        ));
    }
    let files = arguments.operands(0, 1)?;
    let output = files.first().map(|name| bcg_output(name)).transpose()?;
    let verdict = Destination::stdout();
    let outputs: Vec<_> = std::iter::once(&verdict)
        .chain(output.as_ref().map(|output| &output.destination))
        .collect();
    session.check_outputs(&[&spec.path], &outputs)?;
    let model = spec.model(session)?;
    let form = output.as_ref().map_or(Cycle::Closed, |o| cycle(o.format));
    let found = session.phase("search", |_| {
        let found = to_deadlock(model.erased(), true, form, spec)?;
        model.finish().map_err(|e| spec.failed(&e))?;
        Ok(found)
    })?;
    let text = match &found {
        None => b"FALSE\n".to_vec(),
        Some(found) => [b"TRUE\n", &found.text[..]].concat(),
    };
    if let Some(output) = &output {
        if found.is_none() {
            // Whoever looks whether it is there asks about this system.
            output.destination.remove()?;
        }
        session.write_witness(output, found.as_ref().map(|found| &found.lts))?;
    }
    session.write_text(&verdict, "seq", &text)
}

fn executor(arguments: Arguments, spec: &Spec, session: &mut Session) -> Result<(), Failure> {
    let wrong = arguments.wrong("N, STRATEGY and SEED are numbers, and STRATEGY is 1, 2 or 3");
    let missing = arguments.wrong("STRATEGY 3 needs a SEED, and the others have none");
    let words = arguments.operands(2, 3)?;
    let numbers: Option<Vec<u64>> = words.iter().map(parsed).collect();
    let (count, seed) = match numbers.as_deref() {
        Some(&[count, 1]) => (count, None),
        Some(&[count, 2]) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            (count, Some(now.map_or(0, |time| time.as_nanos() as u64)))
        }
        Some(&[count, 3, seed]) => (count, Some(seed)),
        Some(&[_, 1..=3] | &[_, 1 | 2, _]) => return Err(missing),
        _ => return Err(wrong),
    };
    let model = spec.model(session)?;
    let (labels, table) = session.phase("walk", |_| {
        walk(model.erased(), count, seed).map_err(|e| spec.failed(&e))
    })?;
    let visible: Vec<LabelId> = labels.into_iter().filter(|l| !l.is_hidden()).collect();
    let options = WriteOptions::default();
    let text = steps(&visible, &table, &options, &mut |_| ()).unwrap_or_else(|_| {
        let mut text = why_comments(TraceForm::Seq);
        text.extend(trace_in_comments(&visible, &table));
        text
    });
    session.write_text(&Destination::stdout(), "seq", &text)
}

/// The labels of a walk of so many steps at most, each drawn from those that are
/// possible; without a seed it ends where there is more than one.
fn walk(
    model: Erased<'_>,
    count: u64,
    seed: Option<u64>,
) -> Result<(Vec<LabelId>, LabelTable), ExploreError> {
    let mut row = Enabled::new(model);
    let mut state: Box<[u64]> = model.initial_state()?.into();
    let mut scratch = model.scratch();
    let mut labels = Vec::new();
    for step in 0..count {
        row.fill(model, &mut scratch, &state)?;
        let chosen = match (row.transitions.len(), seed) {
            (0, _) => break,
            (1, _) => 0,
            (_, None) => break,
            (many, Some(seed)) => draw(seed, 0, step, many as u64) as usize,
        };
        let (label, target) = row.transitions.swap_remove(chosen);
        labels.push(label);
        state = target;
    }
    Ok((labels, row.table))
}
