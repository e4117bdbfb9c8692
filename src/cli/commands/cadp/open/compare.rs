//! `bisimulator`: a system against another one.

use std::path::Path;

use hyades_equivalence::compare::{Options, Order, Pair, Verdict};
use hyades_equivalence::{Criterion, Relation};
use hyades_formats::diagnostic::printable_path;

use super::super::cmp::{forget_graph, write_graph};
use super::super::{Arguments, Kind, Tool, bcg_input, bcg_output, read, unsupported};
use super::{Spec, diagnostic};
use hyades_cli_core::{Destination, Failure, Session, Unit};

pub const BISIMULATOR: Tool = Tool {
    name: "bisimulator",
    usage: "[-strong|-branching|-observational|-taustar|-safety|-trace|-weaktrace] \
            [-equal|-smaller|-greater] [-bfs|-dfs] [-diag [FILE[.bcg]] [-minimal]] \
            [-tauconfluence] [-stat] LTS2[.bcg]",
    kind: Kind::Explores(bisimulator),
};

/// Which way systems are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Equal,
    Smaller,
    Greater,
}

fn bisimulator(
    mut arguments: Arguments,
    spec: &Spec,
    session: &mut Session,
) -> Result<(), Failure> {
    let mut relation = Relation::Strong;
    let mut direction = Direction::Equal;
    let mut graph = None;
    while let Some(option) = arguments.option() {
        match &option[..] {
            "-strong" => relation = Relation::Strong,
            "-branching" => relation = Relation::Branching,
            "-observational" => relation = Relation::Observational,
            "-taustar" => relation = Relation::TauStarA,
            "-safety" => relation = Relation::Safety,
            "-trace" => relation = Relation::Trace,
            "-weaktrace" => relation = Relation::WeakTrace,
            "-equal" => direction = Direction::Equal,
            "-smaller" => direction = Direction::Smaller,
            "-greater" => direction = Direction::Greater,
            "-diag" => graph = Some(bcg_output(&diagnostic(&mut arguments, "bisimulator.bcg"))?),
            // Ours is a small one, whichever way it is looked for.
            "-bfs" | "-dfs" | "-minimal" | "-tauconfluence" | "-stat" => {
                session.detail(format_args!("{option} has no effect"));
            }
            "-bes" => return Err(unsupported(&option)),
            _ => return Err(arguments.unknown(&option)),
        }
    }
    if arguments.words.is_empty() {
        return Err(arguments.wrong("the name of the LTS to compare with is missing"));
    }
    let files = arguments.operands(1, 1)?;
    let other = bcg_input(&files[0]);
    if !other.exists() && other != Path::new("-") {
        return Err(Failure::error(format!(
            "there is no file {}: expected the LTS to compare {} with, and options before it",
            printable_path(&other),
            spec.name()
        )));
    }
    let verdict = Destination::stdout();
    let outputs: Vec<_> = std::iter::once(&verdict)
        .chain(graph.as_ref().map(|graph| &graph.destination))
        .collect();
    session.check_outputs(&[&spec.path, &other], &outputs)?;
    let first = spec.lts(session)?;
    let second = read(session, &other, None)?;
    if direction != Direction::Equal {
        relation = relation.one_direction().unwrap_or(relation);
    }
    spec.tell_reduced(session, relation, "the verdict");
    let found = session.phase("compare", |phase| {
        let bar = phase.progress("comparing", Unit::None, None);
        let mut bar = bar.refined("comparing".into());
        let pair = Pair::new(first, second)?;
        let criterion = Criterion::from(relation);
        let options = Options::default();
        Ok(match direction {
            Direction::Equal => pair.compare(criterion, &options, &mut bar),
            Direction::Smaller | Direction::Greater => {
                let Order { below, above } = pair.order(criterion, &options, &mut bar);
                match direction {
                    Direction::Smaller => below,
                    _ => above,
                }
            }
        })
    })?;
    let text = match found {
        Verdict::Holds => {
            graph.as_ref().map_or(Ok(()), forget_graph)?;
            b"TRUE\n".to_vec()
        }
        Verdict::Unknown => {
            return Err(Failure::error("no verdict was found within the limits"));
        }
        Verdict::Fails(witness) => {
            let mut text = b"FALSE\n".to_vec();
            if let Some(graph) = &graph {
                text.extend(write_graph(session, graph, witness)?);
            }
            text
        }
    };
    session.write_text(&verdict, "text", &text)
}
