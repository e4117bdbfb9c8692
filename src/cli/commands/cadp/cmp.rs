//! `bcg_cmp`: compares.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use hyades_equivalence::compare::{Options, Pair, Side, Verdict, Witness};
use hyades_equivalence::{Criterion, Partition, partition};
use hyades_formats::{Lts, StateId, TraceForm, WriteOptions, seq};
use hyades_lts::chain;
use hyades_lts::union::disjoint_union;

use super::{
    Arguments, Chosen, Kind, Tool, bcg_input, bcg_output, is_markovian, read, unsupported,
};
use hyades_cli_core::{
    Destination, Failure, LtsOutput, Session, Unit, trace_in_comments, why_comments,
};

pub const TOOL: Tool = Tool {
    name: "bcg_cmp",
    usage: "[OPTIONS] [-strong|-branching|-divbranching|-observational \
            |-sharp [-total|-partial|-gate] FILE|-divsharp …] [-normal] [-class FILE] \
            [-diag [-bfs|-dfs] FILE[.bcg]] INPUT_1[.bcg] INPUT_2[.bcg]",
    kind: Kind::Files(run),
};

fn run(mut arguments: Arguments, session: &mut Session) -> Result<(), Failure> {
    let mut chosen = Chosen::default();
    let mut classes = None;
    let mut diagnostic: Option<LtsOutput> = None;
    while let Some(option) = arguments.option() {
        if chosen.takes(&mut arguments, session, &option)? {
            continue;
        }
        if is_markovian(&option) {
            return Err(unsupported(&option));
        } else if option == "-class" {
            let file = arguments.value(&option, "a file name")?;
            classes = Some(Destination::new(Path::new(&file))?);
        } else if option == "-diag" {
            // Ours is a shortest one, whichever way it is looked for.
            arguments.accept(&[("-bfs", ()), ("-dfs", ())]);
            let file = arguments.value(&option, "a file name")?;
            if Destination::new(Path::new(&file)).is_ok_and(|place| place.is_stdout()) {
                return Err(arguments.wrong(format!(
                    "{option} needs the name of a file: standard output is for the verdict"
                )));
            }
            diagnostic = Some(bcg_output(&file)?);
        } else if option != "-normal" && !arguments.common(session, &option, true)? {
            return Err(arguments.unknown(&option));
        }
    }
    let inputs = arguments.operands(2, 2)?;
    let [first, second] = [&inputs[0], &inputs[1]].map(|name: &OsString| bcg_input(name));
    if inputs.iter().all(|name| name == "-") {
        return Err(Failure::error("only one input can be standard input"));
    }
    let verdict = Destination::stdout();
    let all: Vec<_> = std::iter::once(&verdict)
        // On standard output they follow the verdict.
        .chain(classes.iter().filter(|classes| !classes.is_stdout()))
        .chain(diagnostic.iter().map(|d| &d.destination))
        .collect();
    session.check_outputs(&[&first, &second], &all)?;

    let first = read(session, &first, None)?;
    let second = read(session, &second, None)?;
    let is_strong = |text: &[u8]| chosen.is_strong(text);
    let criterion = Criterion {
        is_strong: &is_strong,
        ..Criterion::from(chosen.relation)
    };
    let listed = match &classes {
        Some(destination) => {
            let classes = Classes::new(session, first.clone(), second.clone(), criterion)?;
            Some((destination, classes))
        }
        None => None,
    };
    let found = session.phase("compare", |phase| {
        let bar = phase.progress("comparing", Unit::None, None);
        let mut bar = bar.refined("comparing".into());
        let pair = Pair::new(first, second)?;
        Ok(pair.compare(criterion, &Options::default(), &mut bar))
    })?;
    let text = match found {
        Verdict::Holds => {
            diagnostic.as_ref().map_or(Ok(()), forget_graph)?;
            b"TRUE\n".to_vec()
        }
        Verdict::Unknown => {
            return Err(Failure::error("no verdict was found within the limits"));
        }
        Verdict::Fails(witness) => {
            let mut text = b"FALSE\n".to_vec();
            if let Some(diagnostic) = &diagnostic {
                text.extend(write_graph(session, diagnostic, witness)?);
            }
            text
        }
    };
    match listed {
        Some((destination, classes)) if destination.is_stdout() => {
            session.write_by(&verdict, "text", |out| {
                out.write_all(&text)?;
                classes.list(out)
            })
        }
        Some((destination, classes)) => {
            session.write_by(destination, "classes", |out| classes.list(out))?;
            session.write_text(&verdict, "text", &text)
        }
        None => session.write_text(&verdict, "text", &text),
    }
}

/// Removes the counterexample of an earlier run, which would be taken for this one's.
pub(super) fn forget_graph(output: &LtsOutput) -> Result<(), Failure> {
    output.destination.remove()
}

/// Writes a counterexample as a system. Its steps, if they are one sequence that only one of
/// the two systems has.
pub(super) fn write_graph(
    session: &mut Session,
    output: &LtsOutput,
    witness: Option<Witness>,
) -> Result<Vec<u8>, Failure> {
    let Some(witness) = witness else {
        forget_graph(output)?;
        session.note("no counterexample was found that a graph could show");
        return Ok(Vec::new());
    };
    let lts = witness.to_lts()?;
    session.write(output, &lts)?;
    let Some(labels) = chain(&lts).filter(|labels| labels.len() == lts.transitions()) else {
        return Ok(Vec::new());
    };
    if let Some(why) = no_trace(&witness) {
        session.note(format_args!(
            "{} has a sequence that by itself does not tell the two apart: {why}",
            output.destination.name()
        ));
        return Ok(Vec::new());
    }
    let options = WriteOptions::default();
    Ok(
        match seq::steps(&labels, lts.table(), &options, &mut |_| ()) {
            Ok(steps) => steps,
            Err(_) => {
                let mut text = why_comments(TraceForm::Seq);
                text.extend(trace_in_comments(&labels, lts.table()));
                text
            }
        },
    )
}

/// What is to be said of a counterexample that is no trace of one system only.
fn no_trace(witness: &Witness) -> Option<String> {
    let system = match witness.holds_in() {
        Side::First => "first",
        Side::Second => "second",
    };
    match witness {
        Witness::Trace(_) => None,
        Witness::Formula(claim) if claim.formula.is_about_trace() => None,
        Witness::Formula(claim) => {
            let formula = claim.formula.to_string();
            let is_short = !formula.contains('\n');
            let formula = if is_short {
                &formula
            } else {
                "a formula over it"
            };
            Some(format!("{formula} holds in the {system} only"))
        }
        Witness::Observation(seen) => Some(format!("the {system} has a {} there", seen.kind())),
    }
}

/// The classes of both systems.
struct Classes {
    partition: Partition,
    /// How many states the first system has, and both.
    first: usize,
    all: usize,
}

impl Classes {
    fn new(
        session: &mut Session,
        first: Lts,
        second: Lts,
        criterion: Criterion<'_>,
    ) -> Result<Self, Failure> {
        let states = first.states();
        let union = disjoint_union(first, second)?;
        session.phase("classes", |_| {
            Ok(Self {
                partition: partition(&union.lts, criterion)
                    .ok_or_else(|| unsupported(&format!("-class by {}", criterion.relation)))?
                    .normalized(),
                first: states,
                all: union.lts.states(),
            })
        })
    }

    /// Writes them, one a line: `0: 0 4 | 2 7` holds two states of the first
    /// system and two of the second.
    fn list(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut members: Vec<[Vec<usize>; 2]> = vec![Default::default(); self.partition.count()];
        for s in 0..self.all {
            let class = self.partition.class(StateId::from_index(s)) as usize;
            match s.checked_sub(self.first) {
                None => members[class][0].push(s),
                Some(second) => members[class][1].push(second),
            }
        }
        for (class, [left, right]) in members.iter().enumerate() {
            write!(out, "{class}:")?;
            for s in left {
                write!(out, " {s}")?;
            }
            write!(out, " |")?;
            for s in right {
                write!(out, " {s}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
