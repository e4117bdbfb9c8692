//! `bcg_cmp`: compares.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use hyades::cli::{self, Destination, Failure, LtsOutput, Session, Unit};
use hyades::equivalence::compare::{Verdict, Witness, compare};
use hyades::equivalence::{Partition, Relation, partition};
use hyades::formats::{Format, Lts, StateId, TraceForm, WriteOptions, seq};
use hyades::lts::union::disjoint_union;

use super::{
    Arguments, Tool, bcg_input, bcg_output, is_markovian, output, read, relation, unsupported,
};

pub const TOOL: Tool = Tool {
    name: "bcg_cmp",
    usage: "[OPTIONS] [-strong|-branching|-divbranching] [-normal] [-class FILE] \
            [-diag [-bfs|-dfs] FILE[.bcg]] INPUT_1[.bcg] INPUT_2[.bcg]",
    about: "Compare two systems in BCG",
    run,
};

fn run(mut arguments: Arguments, session: &mut Session) -> Result<(), Failure> {
    let mut chosen = Relation::Strong;
    let mut classes = None;
    let mut diagnostic: Option<LtsOutput> = None;
    while let Some(option) = arguments.option() {
        if let Some(relation) = relation(&option) {
            chosen = relation?;
        } else if is_markovian(&option) {
            return Err(unsupported(&option));
        } else if option == "-class" {
            let file = arguments.value(&option, "a file name")?;
            classes = Some(Destination::new(Path::new(&file))?);
        } else if option == "-diag" {
            // Ours is a shortest one, whichever way it is looked for.
            arguments.accept(&[("-bfs", ()), ("-dfs", ())]);
            let file = bcg_output(&arguments.value(&option, "a file name")?);
            let format = Format::from_path(&file).unwrap_or(Format::Bcg);
            diagnostic = Some(output(&file, format)?);
        } else if option != "-normal" && !arguments.common(session, &option, true)? {
            return Err(arguments.unknown(&option));
        }
    }
    let inputs = arguments.operands(2, 2)?;
    let [first, second] = [&inputs[0], &inputs[1]].map(|name: &OsString| bcg_input(name));
    let verdict = Destination::stdout();
    let all: Vec<_> = std::iter::once(&verdict)
        .chain(&classes)
        .chain(diagnostic.iter().map(|d| &d.destination))
        .collect();
    session.check_outputs(&[&first, &second], &all)?;

    let first = read(session, &first, None)?;
    let second = read(session, &second, None)?;
    if let Some(classes) = &classes {
        let (first, second) = (first.clone(), second.clone());
        write_classes(session, classes, first, second, chosen)?;
    }
    let found = session.phase("compare", |phase| {
        phase.progress("comparing", Unit::None, None);
        Ok(compare(first, second, chosen)?)
    })?;
    let witness = match found {
        Verdict::Equivalent => return session.write_text(&verdict, "text", b"TRUE\n"),
        Verdict::Different(witness) => witness,
    };
    let mut text = b"FALSE\n".to_vec();
    if let Some(diagnostic) = &diagnostic {
        text.extend(sequence(witness.as_ref()));
        match witness
            .map(|witness| witness.to_lts())
            .transpose()?
            .flatten()
        {
            Some(lts) => session.write(diagnostic, &lts)?,
            None => session.note("no counterexample was found that a graph could show"),
        }
    }
    session.write_text(&verdict, "text", &text)
}

/// A counterexample that is one sequence.
fn sequence(witness: Option<&Witness>) -> Vec<u8> {
    let Some(Witness::Trace(trace)) = witness else {
        return Vec::new();
    };
    let options = WriteOptions::default();
    match seq::steps(&trace.labels, &trace.table, &options, &mut |_| ()) {
        Ok(steps) => steps,
        Err(_) => {
            let mut text = cli::why_comments(TraceForm::Seq);
            text.extend(cli::trace_in_comments(&trace.labels, &trace.table));
            text
        }
    }
}

/// Writes the classes of both systems, one a line: `0: 0 4 | 2 7` holds two
/// states of the first and two of the second.
fn write_classes(
    session: &mut Session,
    destination: &Destination,
    first: Lts,
    second: Lts,
    relation: Relation,
) -> Result<(), Failure> {
    let states = first.states();
    let union = disjoint_union(first, second)?;
    let partition = session.phase("classes", |_| {
        Ok(partition(&union.lts, relation).normalized())
    })?;
    session.write_by(destination, "classes", |out| {
        list(&partition, states, union.lts.states(), out)
    })
}

fn list(partition: &Partition, first: usize, all: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut members: Vec<[Vec<usize>; 2]> = vec![Default::default(); partition.count()];
    for s in 0..all {
        let class = partition.class(StateId::from_index(s)) as usize;
        let second = s >= first;
        members[class][usize::from(second)].push(if second { s - first } else { s });
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
