//! The page of `--html`.

use hyades_cli_core::{Failure, Session, Unit};
use hyades_draw::report::{Cell, Chart, Report, Section, Shape, Table, grouped};
use hyades_equivalence::{Criterion, Kept, Relation, minimize_observed};
use hyades_formats::diagnostic::{counted, printable_string};
use hyades_formats::{Lts, StateId};
use hyades_lts::{Distributions, distributions};
use serde_json::Value;

use super::{Description, UsedLabel, common_facts, used_labels};

/// So many labels are listed; the text lists all.
const LABELS: usize = 500;

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
pub fn report(described: &[Description]) -> Report {
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
        (Value::Bool(truth), ..) => Cell::Text(if *truth { "yes" } else { "no" }.into()),
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
    for name in common_facts(described) {
        let values = described.iter().map(|one| cell(&one.facts[name]));
        let name = Cell::Text(name.replace('_', " "));
        table.rows.push(std::iter::once(name).chain(values).collect());
    }
    Section::new("Sizes").table(table)
}

fn labels(heading: String, labels: &[UsedLabel]) -> Section {
    let all: u64 = labels.iter().map(|label| label.transitions).sum();
    let rows = labels.iter().take(LABELS).map(|label| {
        vec![
            match label.is_hidden {
                true => Cell::Text("hidden".into()),
                false => Cell::Code(printable_string(&label.text)),
            },
            Cell::Number(label.transitions),
            Cell::Bar(label.transitions as f64 / all.max(1) as f64),
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
             lists all.",
            counted(rest, "label")
        )),
    }
}

/// A plot of how many there are of each size.
pub fn columns(caption: String, axes: [&str; 2], points: &[(u64, u64)]) -> Chart {
    Chart {
        caption,
        axes: axes.map(str::to_owned),
        points: points.to_vec(),
        shape: Shape::Columns,
    }
}

fn degrees(heading: String, found: &Distributions) -> Section {
    let caption = |kind: &str| format!("How many states have how many {kind} transitions.");
    Section::new(heading)
        .chart(columns(
            caption("outgoing"),
            ["outgoing transitions", "states"],
            &found.out_degrees,
        ))
        .chart(columns(
            caption("incoming"),
            ["incoming transitions", "states"],
            &found.in_degrees,
        ))
}

fn levels(heading: String, levels: &[u64]) -> Section {
    let points: Vec<(u64, u64)> = (0..).zip(levels.iter().copied()).collect();
    let caption = "How many states there are at each distance from the initial state.";
    Section::new(heading).chart(columns(caption.into(), ["distance", "states"], &points))
}

fn components(heading: String, found: &Distributions) -> Section {
    let all: u64 = found.components.iter().map(|(_, count)| count).sum();
    let section = Section::new(heading);
    match &found.components[..] {
        [(size, count)] => section.text(format!(
            "{} of {}.",
            counted(*count as usize, "strongly connected component"),
            counted(*size as usize, "state")
        )),
        sizes => section.chart(columns(
            format!(
                "How many of the {} strongly connected components have how many states.",
                grouped(all)
            ),
            ["states", "components"],
            sizes,
        )),
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
    let section = Section::new(heading).text(text);
    match plots.rounds.len() {
        0 | 1 => section,
        _ => section.chart(Chart {
            caption: "How many classes were told apart after each round.".into(),
            axes: ["round".into(), "classes".into()],
            points: plots.rounds.clone(),
            shape: Shape::Line,
        }),
    }
}
