//! `minimize`: the smallest system equivalent to a given one.

pub(crate) mod classes;
#[cfg(feature = "cluster")]
mod distributed;
mod page;

use std::path::PathBuf;

use clap::Parser;
use hyades_base::parallel;
use hyades_equivalence::inclusion::{HiddenSteps, determinize};
use hyades_equivalence::lump::{Lumping, LumpingRelation, lacks_number, lump};
use hyades_equivalence::{
    Criterion, Kept, MinimizeError, Minimized, Relation, Round, either, minimize_observed,
};
use hyades_external::{Disk, Minimal, OnDisk};
use hyades_formats::diagnostic::counted;
use hyades_formats::{Lts, StateId, TooLarge};

use classes::{write_by_state, write_classes};
use hyades_cli_core::choices::first_given;
use hyades_cli_core::label_options::StrongLabelOptions;
use hyades_cli_core::options::{LimitOptions, classes_help};
use hyades_cli_core::{
    Asks, Command, Destination, Epilogue, ExternalOption, Failure, FilterOptions, HtmlOption,
    LtsOutput, RunOptions, Session, Status, Unit, check_quotient, input_name, minimizing_relation,
    show_lts,
};
use page::Page;

const EPILOGUE: Epilogue = Epilogue {
    example: "transcode big.aut.gz | reach | minimize -e branching --stats m.json -o small.aut",
    asks: Asks::Nothing,
    open: Epilogue::STATES,
};

/// Write the smallest LTS that is equivalent to the input
///
/// States that cannot be reached are left out first. Those that remain are
/// numbered in breadth-first order, and transitions are sorted, so that inputs
/// that differ in the numbering of states only give the same output in most
/// cases. By trace and weaktrace the output is the smallest deterministic LTS,
/// which may be larger than the input; by tau*.a and safety it has no hidden
/// transitions, and may have more others. Several -e are applied one after the other.
#[derive(Parser)]
#[command(name = "minimize", after_help = EPILOGUE.text())]
pub struct Minimize {
    /// The equivalence, by its name in CADP or mCRL2; `hyades help relations` lists all
    /// [default: strong; none in check]
    #[arg(
        short,
        long,
        value_name = "RELATION",
        help_heading = "Equivalence",
        value_parser = minimizing_relation(),
        hide_possible_values = true
    )]
    equivalence: Vec<Relation>,

    #[command(flatten)]
    strong: StrongLabelOptions,

    /// Make the input deterministic first, with hidden transitions as all others;
    /// without -e, this is all that is done
    #[arg(long, help_heading = "Equivalence")]
    determinize: bool,

    #[command(flatten)]
    markov: MarkovOptions,

    /// Minimize the states that cannot be reached as well: by strong, divbranching and
    /// branching only
    #[arg(long, help_heading = "Equivalence")]
    keep_unreachable: bool,

    #[arg(long, value_name = "FILE", help_heading = "Output", help = classes_help())]
    classes: Option<PathBuf>,

    #[command(flatten)]
    html: HtmlOption,

    #[command(flatten)]
    filter: FilterOptions,

    #[command(flatten)]
    limits: LimitOptions,

    #[command(flatten)]
    external: ExternalOption,
}

/// Labels with rates and probabilities.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Markov chains")]
struct MarkovOptions {
    /// Labels `rate R` and `LABEL; rate R` are rates: of states that are merged the sums
    /// of rates to each class are equal, and their transitions become one
    #[arg(long)]
    rate: bool,

    /// The same for probabilities, `prob P` and `LABEL; prob P`
    #[arg(long)]
    prob: bool,

    /// With --rate, keep transitions `rate R` from a state to itself
    #[arg(long = "self", requires = "rate")]
    keep_self: bool,

    /// Compare sums as multiples of E instead of exactly
    #[arg(long, value_name = "E")]
    epsilon: Option<f64>,
}

impl MarkovOptions {
    /// What is lumped, if anything.
    fn get(&self) -> Result<Option<Lumping>, Failure> {
        match (self.rate || self.prob, self.epsilon) {
            (false, None) => Ok(None),
            (false, Some(_)) => Err(Failure::error(
                "--epsilon is for the sums of --rate and --prob",
            )),
            (true, epsilon) => Ok(Some(Lumping {
                rates: self.rate,
                probabilities: self.prob,
                keep_self: self.keep_self,
                epsilon,
            })),
        }
    }
}

/// What a relation is when rates and probabilities are lumped.
pub(crate) fn lumping_relation(relation: Relation) -> Result<LumpingRelation, Failure> {
    let known = [
        LumpingRelation::Strong,
        LumpingRelation::Branching,
        LumpingRelation::DivBranching,
    ];
    let same = |kind: &LumpingRelation| kind.without_weights() == relation;
    known.into_iter().find(same).ok_or_else(|| {
        Failure::error(format!(
            "rates and probabilities are lumped by {}, not by {relation}",
            either(known.map(LumpingRelation::without_weights))
        ))
    })
}

impl Command for Minimize {
    const NAME: &'static str = "minimize";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.filter.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        session.limit_states(self.limits.max_states);
        let relations = match &self.equivalence[..] {
            [] if self.determinize => Vec::new(),
            [] => vec![Relation::Strong],
            named => named.to_vec(),
        };
        relations.iter().copied().try_for_each(check_quotient)?;
        let lumping = self.markov.get()?;
        self.check(session, &relations)?;
        #[cfg(feature = "cluster")]
        if let Some(membership) = session.membership() {
            return self.run_distributed(session, membership, &relations);
        }
        self.check_external(&relations)?;
        let strong = self.strong.get(session, &relations)?;
        let classes = self.classes.as_deref().map(Destination::new).transpose()?;
        let html = self.html.get()?;
        let others: Vec<_> = classes.iter().chain(&html).collect();
        let output = self.filter.output(session, &others)?;

        session.add_figure(
            "relation",
            relations
                .iter()
                .map(|r| r.name())
                .collect::<Vec<_>>()
                .join(" "),
        );
        let folder = self.external.open(session)?;
        let disk = folder.as_ref().map(|folder| Disk::new(folder));
        let (mut input, mut minimal) = match &disk {
            None => (Some(self.filter.read(session)?), None),
            Some(disk) => match self.external(session, disk, &relations, &output)? {
                Minimal::InMemory(minimal) => (None, Some(minimal)),
                Minimal::OnDisk(minimal) => {
                    return write_from_disk(session, &output, classes.as_ref(), &minimal);
                }
            },
        };
        if let Some(lts) = &input
            && lts.state_labels().is_some()
        {
            session.detail("the labels of states are left out: classes have none");
        }
        let mut page = html.is_some().then(Page::default);
        if let (Some(page), Some(lts)) = (&mut page, &input) {
            page.add("input".into(), lts);
        }
        if let (true, Some(lts)) = (self.determinize, &input) {
            let lts = self.deterministic(session, lts)?;
            if let Some(page) = &mut page {
                page.add("deterministic".into(), &lts);
            }
            input = Some(lts);
        }
        if let Some(strong) = &strong {
            let lts = input.iter().chain(minimal.as_ref().map(|m| &m.lts));
            strong.check_used(session, &lts.collect::<Vec<_>>())?;
        }
        let is_strong = |text: &[u8]| strong.as_ref().is_some_and(|strong| strong.contain(text));
        let known = usize::from(minimal.is_some());
        for &relation in &relations[known..] {
            let criterion = Criterion {
                relation,
                is_strong: &is_strong,
                max_states: self.max_states(),
            };
            let mut next = |session: &mut Session, lts| {
                let next = self.minimized(session, lts, criterion, lumping.as_ref(), page.as_mut());
                if let (Some(page), Ok(next)) = (&mut page, &next) {
                    page.add(relation.to_string(), &next.lts);
                }
                next
            };
            minimal = Some(match (input.take(), minimal.take()) {
                (Some(lts), _) => next(session, lts)?,
                (None, Some(before)) => {
                    let after = next(session, before.lts)?;
                    Minimized {
                        lts: after.lts,
                        class: composed(before.class, &after.class),
                        states: before.states,
                    }
                }
                (None, None) => break,
            });
        }
        if let (Some(html), Some(page)) = (&html, &page) {
            let report = page.report(&input_name(&self.filter.input.input), minimal.as_ref());
            session.write_text(html, "html", report.html().as_bytes())?;
        }
        let Some(minimal) = minimal else {
            if let Some(lts) = input {
                session.write(&output, &lts)?;
            }
            return Ok(Status::Holds);
        };
        session.add_figure("states_considered", minimal.states);
        session.add_figure("classes", minimal.lts.states());

        session.write(&output, &minimal.lts)?;
        if let Some(classes) = &classes {
            write_classes(session, classes, &minimal)?;
        }
        Ok(Status::Holds)
    }
}

/// As [`minimize_observed`], by a thread of the pool where the LTS is large.
pub(crate) fn minimize_in_pool(
    lts: Lts,
    criterion: Criterion<'_>,
    kept: Kept,
    observer: &mut (impl FnMut(&Round) + Send),
) -> Result<Minimized, MinimizeError> {
    parallel::within(lts.states() + lts.transitions(), || {
        minimize_observed(lts, criterion, kept, observer)
    })
}

impl Minimize {
    /// Refuses options that do not go with these relations, and tells of those without effect.
    fn check(&self, session: &Session, relations: &[Relation]) -> Result<(), Failure> {
        let is_deterministic = |r: &Relation| r.quotient_is_deterministic();
        let is_explored = self.filter.read.explores(&self.filter.input.input)?;
        let may_grow = self.determinize || relations.iter().any(is_deterministic);
        if self.limits.max_states.is_some() && !is_explored && !may_grow {
            let why = "nothing is explored or made deterministic, and classes are no more than the \
                       states of INPUT";
            session.tell_no_effect("--max-states", why);
        }
        if self.keep_unreachable {
            if self.determinize {
                return Err(Failure::error(
                    "--keep-unreachable does not go with --determinize, whose states are sets of \
                     states that are reached together",
                ));
            }
            if self.markov.rate || self.markov.prob {
                return Err(Failure::error(
                    "--keep-unreachable does not go with --rate and --prob",
                ));
            }
            if let Some(&relation) = relations.iter().find(|r| !r.keeps_unreachable()) {
                return Err(Failure::error(
                    MinimizeError::Unreachable(relation).to_string(),
                ));
            }
        }
        let no_classes = match relations.iter().find(|r| r.quotient_is_deterministic()) {
            _ if self.classes.is_none() => None,
            _ if self.determinize => Some("--determinize".to_owned()),
            relation => relation.map(|relation| format!("-e {relation}")),
        };
        match no_classes {
            Some(option) => Err(Failure::error(format!(
                "there are no classes of states with {option}: states of the output stand for \
                 sets that may overlap"
            ))),
            None => Ok(()),
        }
    }

    /// Refuses options that do not go with `--external`.
    fn check_external(&self, relations: &[Relation]) -> Result<(), Failure> {
        if self.external.external.is_none() {
            return Ok(());
        }
        let refused = [
            (self.determinize, "--determinize"),
            (self.markov.rate, "--rate"),
            (self.markov.prob, "--prob"),
            (self.keep_unreachable, "--keep-unreachable"),
            (self.html.is_given(), "--html"),
        ];
        if let Some(option) = first_given(refused) {
            return Err(Failure::error(format!(
                "{option} does not go with --external, for which not all is in memory"
            )));
        }
        match relations.first() {
            Some(relation) if relation.distributed().is_none() => Err(Failure::error(format!(
                "--external minimizes by {}, not by {relation}: put -e {} before it, which leaves \
                 less for the memory",
                either(Relation::all_distributed()),
                either(relation.next_distributed())
            ))),
            Some(_) | None => Ok(()),
        }
    }

    /// The input, minimized by the first relation with its transitions on disk. What does
    /// not fit memory stays there if it can be written from there.
    fn external<'d>(
        &self,
        session: &mut Session,
        disk: &'d Disk<'d>,
        relations: &[Relation],
        output: &LtsOutput,
    ) -> Result<Minimal<'d>, Failure> {
        let FilterOptions {
            input,
            read,
            dialect,
            ..
        } = &self.filter;
        let (path, reading, relation) = (&input.input, (read, dialect), relations[0]);
        let may_stay = relations.len() == 1 && output.takes_rows();
        let found = match may_stay {
            true => session.minimize_to_disk(path, reading, disk, relation)?,
            false => {
                let found = session.minimize_externally(path, reading, disk, relation)?;
                found.map(Minimal::InMemory)
            }
        };
        session.add_figure("rounds", found.rounds);
        session.add_figure("external_bytes_read", found.bytes_read);
        session.add_figure("external_bytes_written", found.bytes_written);
        Ok(found.minimal)
    }

    fn max_states(&self) -> u64 {
        self.limits.max_states.unwrap_or(StateId::MAX_COUNT)
    }

    /// The failure of a result that is too large.
    fn too_large(&self, error: TooLarge) -> Failure {
        match self.limits.max_states {
            Some(limit) if error.limit == limit => Failure::Limit(format!(
                "there are more than {limit} {} (--max-states)",
                error.what
            )),
            // Limits below those of numbers are about memory.
            _ if error.limit < StateId::MAX_COUNT - 1 => Failure::Limit(error.to_string()),
            _ => error.into(),
        }
    }

    fn deterministic(&self, session: &mut Session, lts: &Lts) -> Result<Lts, Failure> {
        session.phase("determinize", |phase| {
            phase.progress("determinizing", Unit::None, None);
            let accepting = self.filter.dialect.mealy().accepting();
            let accepting = accepting.and_then(|text| lts.table().find(text));
            let found = determinize(lts, HiddenSteps::Counted, accepting, self.max_states());
            let found = found.map_err(|error| self.too_large(error))?;
            phase.summary(|| show_lts(&found));
            Ok(found)
        })
    }

    /// One of the relations.
    fn minimized(
        &self,
        session: &mut Session,
        lts: Lts,
        criterion: Criterion<'_>,
        lumping: Option<&Lumping>,
        mut page: Option<&mut Page>,
    ) -> Result<Minimized, Failure> {
        let relation = criterion.relation;
        if let Some(finer) = relation.minimized_first() {
            session.detail(match relation {
                Relation::RootedBranching | Relation::RootedWeak => {
                    format!("{relation}: classes by {finer} first, the initial state apart")
                }
                _ => format!("{relation}: minimized by {finer} first"),
            });
        }
        let kept = match self.keep_unreachable {
            true => Kept::All,
            false => Kept::Reachable,
        };
        if lumping.is_some() {
            let mut texts = lts.table().visible().map(|(_, text)| text);
            if let Some(text) = texts.find(|text| lacks_number(text)) {
                session.note(format_args!(
                    "`{}` has no decimal number: it is a label as all others",
                    text.escape_ascii()
                ));
            }
        }
        let (mut preempted, mut self_loops) = (0, 0);
        let minimal = session.phase("minimize", |phase| {
            let what = format!("minimizing, {relation}");
            let mut shown = phase.progress(&what, Unit::None, None).refined(what);
            if let Some(page) = page.as_deref_mut() {
                page.begin(relation);
            }
            let mut bar = |round: &Round| {
                if let Some(page) = page.as_deref_mut() {
                    page.round(round);
                }
                shown(round);
            };
            let minimal =
                match lumping {
                    None => minimize_in_pool(lts, criterion, kept, &mut bar).map_err(|error| {
                        match error {
                            MinimizeError::TooLarge(error) => self.too_large(error),
                            MinimizeError::NoQuotient(_) | MinimizeError::Unreachable(_) => {
                                Failure::error(error.to_string())
                            }
                        }
                    })?,
                    Some(lumping) => {
                        let lumped = lump(lts, lumping_relation(relation)?, lumping, &mut bar)
                            .map_err(|error| Failure::error(error.to_string()))?;
                        (preempted, self_loops) = (lumped.preempted, lumped.self_loops);
                        lumped.minimal
                    }
                };
            phase.summary(|| format!("{relation}, {}", show_lts(&minimal.lts)));
            Ok(minimal)
        })?;
        if preempted > 0 {
            session.note(format_args!(
                "{} left out: hidden transitions of the same states go first",
                counted(preempted, "rate")
            ));
        }
        if self_loops > 0 {
            session.note(format_args!(
                "{} `rate R` from a state to itself left out: --self keeps them",
                counted(self_loops, "transition")
            ));
        }
        Ok(minimal)
    }
}

/// Writes a minimal LTS that is on disk, and its classes.
fn write_from_disk(
    session: &mut Session,
    output: &LtsOutput,
    classes: Option<&Destination>,
    minimal: &OnDisk<'_>,
) -> Result<Status, Failure> {
    session.add_figure("states_considered", minimal.considered);
    session.add_figure("classes", minimal.states());
    session.write_from_disk(output, minimal)?;
    if let Some(classes) = classes {
        write_by_state(session, classes, minimal.states() as usize, &minimal.class)?;
    }
    Ok(Status::Holds)
}

/// Classes of classes.
fn composed(mut class: Vec<u32>, next: &[u32]) -> Vec<u32> {
    for class in class.iter_mut().filter(|c| **c != Minimized::NO_CLASS) {
        *class = next[*class as usize];
    }
    class
}
