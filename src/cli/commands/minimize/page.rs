//! The page of `--html`.

use hyades_draw::report::{Cell, Report, Section, Table};
use hyades_equivalence::{Minimized, Relation, Round};
use hyades_formats::Lts;

use crate::describe::page::{histogram, rounds_of};

/// What the page tells: how the system became smaller.
#[derive(Debug, Default)]
pub struct Page {
    steps: Vec<Step>,
    /// The rounds of each relation, by number and classes.
    rounds: Vec<(Relation, Vec<(u64, u64)>)>,
}

/// What there was at some time.
#[derive(Debug)]
struct Step {
    what: String,
    states: u64,
    transitions: u64,
    hidden: u64,
}

impl Page {
    /// Notes the size of an LTS that is called `what`.
    pub fn add(&mut self, what: String, lts: &Lts) {
        self.steps.push(Step {
            what,
            states: lts.states() as u64,
            transitions: lts.transitions() as u64,
            hidden: hyades_lts::label_counts(lts)[0],
        });
    }

    /// The refinement by a relation begins.
    pub fn begin(&mut self, relation: Relation) {
        self.rounds.push((relation, Vec::new()));
    }

    /// Notes a round of the refinement that has begun.
    pub fn round(&mut self, round: &Round) {
        if let Some((_, rounds)) = self.rounds.last_mut() {
            rounds.push((round.number, round.classes as u64));
        }
    }

    /// The page about an input of this name, and what it became if classes are known.
    pub fn report(&self, input: &str, minimal: Option<&Minimized>) -> Report {
        let first = self.steps.first().map_or(1, |step| step.transitions.max(1));
        let most = self.steps.iter().map(|step| step.transitions).max();
        let most = most.unwrap_or(1).max(1);
        let rows = self.steps.iter().map(|step| {
            vec![
                Cell::Text(step.what.clone()),
                Cell::Number(step.states),
                Cell::Number(step.transitions),
                Cell::Number(step.hidden),
                Cell::Bar(
                    step.transitions as f64 / first as f64,
                    step.transitions as f64 / most as f64,
                ),
            ]
        });
        let head = ["", "states", "transitions", "hidden", "of the transitions"];
        let sizes = Section::new("Sizes").table(Table {
            head: head.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        });
        let mut sections = vec![sizes];
        sections.extend(minimal.and_then(classes));
        for (relation, rounds) in &self.rounds {
            sections.extend(rounds_of(rounds).map(|part| Section {
                heading: format!("Rounds of refinement: {relation}"),
                parts: vec![part],
            }));
        }
        Report {
            title: format!("{input}, minimized"),
            sections,
        }
    }
}

/// How large the classes are, if states of the quotient stand for classes.
fn classes(minimal: &Minimized) -> Option<Section> {
    let mut sizes = vec![0; minimal.lts.states()];
    for &class in minimal
        .class
        .iter()
        .filter(|&&class| class != Minimized::NO_CLASS)
    {
        sizes[class as usize] += 1;
    }
    sizes.retain(|&size| size > 0);
    let points = hyades_lts::histogram(sizes);
    (!points.is_empty()).then(|| Section {
        heading: "Classes".into(),
        parts: vec![histogram(
            ["class", "classes"],
            ["state", "states"],
            &points,
        )],
    })
}
