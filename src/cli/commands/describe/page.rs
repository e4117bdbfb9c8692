//! The page of `--html`.

use hyades_cli_core::{Failure, Session, Unit};
use hyades_draw::report::{Cell, Chart, Part, Report, Section, Shape, Table, grouped};
use hyades_equivalence::{Criterion, Kept, Relation, minimize_observed};
use hyades_formats::diagnostic::{counted, printable_string};
use hyades_formats::{Lts, StateId};
use hyades_lts::{Distributions, distributions};
use serde_json::Value;

use super::{Description, UsedLabel, compared_facts, used_labels};

/// So many labels are listed; the text lists all.
const LABELS: usize = 500;

/// At most so many sizes stand in a table, if they are spread over so many numbers.
const FEW: usize = 8;
const WIDE: u64 = 60;

/// What the page shows beside the facts.
pub struct Plots {
    /// The most frequent first.
    labels: Vec<UsedLabel>,
    distributions: Distributions,
    /// How many classes of strong bisimilarity there were after each round.
    rounds: Vec<(u64, u64)>,
    classes: u64,
}

impl Plots {
    /// Looks at an LTS.
    ///
    /// # Errors
    /// If memory is limited, and is not enough for the classes.
    pub fn of(session: &mut Session, lts: Lts) -> Result<Self, Failure> {
        let (labels, distributions) = session.phase("distributions", |_| {
            let mut labels = used_labels(&lts);
            labels.sort_by_key(|label| std::cmp::Reverse(label.transitions));
            Ok((labels, distributions(&lts)))
        })?;
        session.phase("refine", |phase| {
            let what = "refining by strong bisimilarity".to_owned();
            let mut shown = phase.progress(&what, Unit::None, None).refined(what);
            let mut rounds = Vec::new();
            let criterion = Criterion {
                relation: Relation::Strong,
                is_strong: &|_| false,
                max_states: StateId::MAX_COUNT,
            };
            let minimal = minimize_observed(lts, criterion, Kept::Reachable, &mut |round| {
                rounds.push((round.number, round.classes as u64));
                shown(round);
            })
            .map_err(|error| Failure::error(error.to_string()))?;
            Ok(Self {
                labels,
                distributions,
                rounds,
                classes: minimal.lts.states() as u64,
            })
        })
    }
}

/// The page about these inputs.
pub(super) fn report(described: &[Description]) -> Report {
    let names: Vec<&str> = described.iter().map(|one| one.name.as_str()).collect();
    let mut sections = vec![sizes(described)];
    for one in described {
        let Some(plots) = &one.page else { continue };
        let heading = |text: &str| match described {
            [_] => text.to_owned(),
            _ => format!("{}: {}", one.name, text.to_lowercase()),
        };
        sections.push(labels(heading("Labels"), &plots.labels));
        sections.push(degrees(heading("Degrees"), &plots.distributions));
        sections.push(levels(heading("Levels"), &plots.distributions.levels));
        sections.push(components(heading("Components"), &plots.distributions));
        sections.push(rounds(heading("Rounds of refinement"), plots));
    }
    Report {
        title: names.join(", "),
        sections,
    }
}

/// A fact as people read it.
fn cell(value: &Value) -> Cell {
    match (value, value.as_u64(), value.as_f64()) {
        (_, Some(number), _) => Cell::Number(number),
        (_, None, Some(number)) => Cell::Decimal(number),
        (Value::Bool(truth), ..) => Cell::Value(if *truth { "yes" } else { "no" }.into()),
        (Value::String(text), ..) => Cell::Code(text.clone()),
        (other, ..) => Cell::Code(other.to_string()),
    }
}

fn sizes(described: &[Description]) -> Section {
    let mut table = Table::default();
    if described.len() > 1 {
        let names = described.iter().map(|one| one.name.clone());
        table.head = std::iter::once(String::new()).chain(names).collect();
    }
    for name in compared_facts(described) {
        let values = described.iter().map(|one| one.facts.get(name));
        let values = values.map(|value| value.map_or(Cell::Text(String::new()), cell));
        let name = Cell::Text(name.replace('_', " "));
        table
            .rows
            .push(std::iter::once(name).chain(values).collect());
    }
    Section::new("Sizes").table(table)
}

fn labels(heading: String, labels: &[UsedLabel]) -> Section {
    let all: u64 = labels.iter().map(|label| label.transitions).sum();
    let most = labels.first().map_or(1, |label| label.transitions);
    let rows = labels.iter().take(LABELS).map(|label| {
        vec![
            match label.is_hidden {
                true => Cell::Text("hidden".into()),
                false => Cell::Code(printable_string(&label.text)),
            },
            Cell::Number(label.transitions),
            Cell::Bar(
                label.transitions as f64 / all as f64,
                label.transitions as f64 / most as f64,
            ),
        ]
    });
    let section = Section::new(heading);
    if labels.is_empty() {
        return section.text("There are no transitions.");
    }
    let section = section.table(Table {
        head: vec!["label".into(), "transitions".into(), "share".into()],
        rows: rows.collect(),
    });
    match labels.len().checked_sub(LABELS) {
        None | Some(0) => section,
        Some(rest) => section.text(format!(
            "{} more, each with no more transitions than the last one here: describe --labels \
             lists them all.",
            counted(rest, "label")
        )),
    }
}

/// How many there are of each size: a plot, or a sentence if all are of one size. Things
/// are called by what one and several of them are, as are their sizes.
pub fn histogram(things: [&str; 2], sizes: [&str; 2], points: &[(u64, u64)]) -> Part {
    let number = |count: u64, [one, several]: [&str; 2]| match count {
        1 => format!("1 {one}"),
        count => format!("{} {several}", grouped(count)),
    };
    match points {
        [(size, count)] => Part::Text(format!(
            "{}, each with {}.",
            number(*count, things),
            number(*size, sizes)
        )),
        // A few sizes that lie far apart.
        [(first, _), .., (last, _)] if points.len() <= FEW && last - first >= WIDE => {
            Part::Table(Table {
                head: vec![sizes[1].to_owned(), things[1].to_owned()],
                rows: points
                    .iter()
                    .map(|&(size, count)| vec![Cell::Number(size), Cell::Number(count)])
                    .collect(),
            })
        }
        _ => Part::Chart(Chart {
            caption: format!("How many {} have how many {}.", things[1], sizes[1]),
            axes: [sizes[1].to_owned(), things[1].to_owned()],
            points: points.to_vec(),
            shape: Shape::Columns,
        }),
    }
}

fn degrees(heading: String, found: &Distributions) -> Section {
    let states = ["state", "states"];
    let out = ["outgoing transition", "outgoing transitions"];
    let into = ["incoming transition", "incoming transitions"];
    Section {
        heading,
        parts: vec![
            histogram(states, out, &found.out_degrees),
            histogram(states, into, &found.in_degrees),
        ],
    }
}

fn levels(heading: String, levels: &[u64]) -> Section {
    let points: Vec<(u64, u64)> = (0..).zip(levels.iter().copied()).collect();
    let section = Section::new(heading);
    match points.len() {
        1 => section.text("The initial state leads to no other state."),
        _ => section.chart(Chart {
            caption: "How many states there are at each distance from the initial state.".into(),
            axes: ["distance".into(), "states".into()],
            points,
            shape: Shape::Columns,
        }),
    }
}

fn components(heading: String, found: &Distributions) -> Section {
    let things = [
        "strongly connected component",
        "strongly connected components",
    ];
    Section {
        heading,
        parts: vec![histogram(things, ["state", "states"], &found.components)],
    }
}

fn rounds(heading: String, plots: &Plots) -> Section {
    let text = format!(
        "Strong bisimilarity has {} of reachable states: minimize would write that many states.",
        match plots.classes {
            1 => "1 class".into(),
            classes => format!("{} classes", grouped(classes)),
        }
    );
    let mut section = Section::new(heading).text(text);
    section.parts.extend(rounds_of(&plots.rounds));
    section
}

/// How many classes there were after each round of a refinement, by the numbers of rounds;
/// nothing if there were no two rounds.
pub fn rounds_of(rounds: &[(u64, u64)]) -> Option<Part> {
    if rounds.len() < 2 {
        return None;
    }
    let mut caption = "How many classes were told apart after each round.".to_owned();
    if rounds.windows(2).any(|pair| pair[1].1 < pair[0].1) {
        caption += " Where their number falls, a second refinement begins, by a coarser relation.";
    }
    Some(Part::Chart(Chart {
        caption,
        axes: ["round".into(), "classes".into()],
        points: rounds.to_vec(),
        shape: Shape::Line,
    }))
}
