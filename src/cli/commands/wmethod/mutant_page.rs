//! The page of `wmethod mutants --html`.

use hyades_conformance::{InputId, Machine};
use hyades_draw::report::{Cell, Report, Section, Table, grouped};
use hyades_formats::StateId;
use hyades_formats::diagnostic::printable_string;

use crate::mutants::{Count, LISTED};
use crate::words::{inputs, symbols};

/// A machine with at most so many inputs, and transitions, is shown as a table of states
/// and inputs.
const INPUTS: usize = 40;
const TRANSITIONS: usize = 4_000;

/// The page about the mutants of a machine that is read from a file of this name.
pub fn report(machine: &Machine, file: &str, counts: &[Count]) -> Report {
    let mut sections = vec![kinds(counts), places(machine, counts)];
    sections.extend(counts.iter().filter_map(|count| survivors(machine, count)));
    Report {
        title: format!("{file}: mutants"),
        sections,
    }
}

/// Whether all that are not equivalent were killed, with the numbers.
fn verdict([killed, equivalent, surviving]: [u64; 3]) -> Cell {
    match (killed + surviving, equivalent) {
        (0, 0) => Cell::Empty,
        (0, _) => Cell::Text("equivalent".into()),
        (all, _) => Cell::Verdict(
            surviving == 0,
            format!("{} / {}", grouped(killed), grouped(all)),
        ),
    }
}

fn kinds(counts: &[Count]) -> Section {
    let rows = counts.iter().map(|count| {
        let not_equivalent = count.killed + count.survivors;
        vec![
            Cell::Text(count.kind.name().into()),
            Cell::Number(not_equivalent + count.equivalent),
            Cell::Number(count.killed),
            Cell::Number(count.equivalent),
            match count.survivors {
                0 => Cell::Number(0),
                survivors => Cell::Verdict(false, grouped(survivors)),
            },
            match not_equivalent {
                0 => Cell::Empty,
                all => {
                    let score = count.killed as f64 / all as f64;
                    Cell::Bar(score, score)
                }
            },
        ]
    });
    let head = [
        "fault",
        "mutants",
        "killed",
        "equivalent",
        "surviving",
        "score",
    ];
    Section::new("Faults")
        .table(Table {
            head: head.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        })
        .text("The score is the share of the mutants that are not equivalent which tests kill.")
}

/// What became of the mutants of each transition.
fn places(machine: &Machine, counts: &[Count]) -> Section {
    let of = |state: StateId, input: InputId| {
        let place = state.index() * machine.inputs() + input.index();
        let all = counts
            .iter()
            .filter_map(|count| count.by_transition.as_ref());
        all.fold([0; 3], |sum, fates| {
            let fates = fates[place];
            [0, 1, 2].map(|fate| sum[fate] + fates[fate])
        })
    };
    let state_name = |state| Cell::Text(format!("state {}", machine.shown_name(state)));
    let input_name = |input| printable_string(machine.input_text(input));
    let section = Section::new("Transitions");
    let is_small = machine.inputs() <= INPUTS && machine.states() * machine.inputs() <= TRANSITIONS;
    if is_small {
        let inputs = machine.input_ids().map(input_name);
        let rows = machine.state_ids().map(|state| {
            let cells = machine.input_ids().map(|input| verdict(of(state, input)));
            std::iter::once(state_name(state)).chain(cells).collect()
        });
        return section
            .text("Killed mutants of all that are not equivalent, by state and input.")
            .table(Table {
                head: std::iter::once(String::new()).chain(inputs).collect(),
                rows: rows.collect(),
            });
    }
    let all = machine
        .state_ids()
        .flat_map(|state| machine.input_ids().map(move |input| (state, input)));
    let mut surviving: Vec<_> = all
        .map(|(state, input)| (state, input, of(state, input)))
        .filter(|(_, _, fates)| fates[2] > 0)
        .collect();
    surviving.sort_by_key(|(_, _, fates)| std::cmp::Reverse(fates[2]));
    let count = surviving.len();
    let rows = surviving
        .into_iter()
        .take(LISTED)
        .map(|(state, input, fates)| {
            vec![
                state_name(state),
                Cell::Code(input_name(input)),
                verdict(fates),
            ]
        });
    let rows: Vec<_> = rows.collect();
    match count {
        0 => section.text("No mutant of any transition survives."),
        _ => section
            .text(format!(
                "{} of {} transitions have mutants that survive; those with the most of them, \
                 killed of all that are not equivalent:",
                grouped(count as u64),
                grouped((machine.states() * machine.inputs()) as u64)
            ))
            .table(Table {
                head: ["", "input", "killed"].map(str::to_owned).to_vec(),
                rows,
            }),
    }
}

fn survivors(machine: &Machine, count: &Count) -> Option<Section> {
    let rows = count.shown.iter().map(|survivor| {
        let mut row = vec![
            Cell::Code(survivor.mutant.describe(machine)),
            Cell::Code(symbols(&inputs(machine, &survivor.found_by))),
        ];
        if let Some((_, holds)) = survivor.hypothesis {
            let answer = match holds {
                Some(true) => "yes",
                Some(false) => "no",
                None => "not known",
            };
            row.push(Cell::Text(answer.into()));
        }
        row
    });
    let hypothesis = count.shown.iter().find_map(|one| one.hypothesis);
    let head = ["fault", "test that would kill it"].into_iter();
    let head = head.chain(hypothesis.map(|(name, _)| name));
    let table = Table {
        head: head.map(str::to_owned).collect(),
        rows: rows.collect(),
    };
    let section = Section::new(format!("Surviving: {}", count.kind.name()));
    match count.shown.len() as u64 {
        0 => None,
        shown if shown < count.survivors => Some(section.table(table).text(format!(
            "{} more are not listed.",
            grouped(count.survivors - shown)
        ))),
        _ => Some(section.table(table)),
    }
}
