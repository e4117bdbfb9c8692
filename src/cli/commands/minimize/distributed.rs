//! Minimization by several processes.

use std::io;

use hyades_cli_core::choices::first_given;
use hyades_cli_core::cluster::{Membership, cluster_failure};
use hyades_cli_core::distributed::{Form, Rounds, kinds};
use hyades_cli_core::{Destination, Failure, Session, Status, Unit, show_lts};
use hyades_cluster::Error;
use hyades_cluster::classes::composed;
use hyades_cluster::column::Column;
use hyades_cluster::meter::Meter;
use hyades_cluster::minimize::{Minimal, Minimized, minimize};
use hyades_cluster::options::Options;
use hyades_cluster::output::{Window, each_class};
use hyades_cluster::ranges::Layout;
use hyades_cluster::worker::Worker;
use hyades_equivalence::{Relation, either};
use hyades_formats::Format;
use hyades_formats::diagnostic::counted;

use super::Minimize;
use super::classes::{end_classes, write_members};

impl Minimize {
    /// Refuses what several processes do not do together.
    fn check_distributed(&self, relations: &[Relation]) -> Result<(), Failure> {
        let refused = [
            (self.determinize, "--determinize"),
            (self.markov.rate, "--rate"),
            (self.markov.prob, "--prob"),
            (self.keep_unreachable, "--keep-unreachable"),
            (self.html.is_given(), "--html"),
            (self.external.external.is_some(), "--external"),
            (self.strong.is_given(), "--strong-labels"),
        ];
        if let Some(option) = first_given(refused) {
            return Err(Failure::error(format!(
                "{option} does not go with several processes: leave it out, or minimize what \
                 they write once more"
            )));
        }
        match relations.iter().find(|r| r.distributed().is_none()) {
            None => Ok(()),
            Some(relation) => Err(Failure::error(format!(
                "several processes minimize by {}, not by {relation}: let them minimize by -e {}, \
                 and minimize what they write by -e {relation}",
                either(Relation::all_distributed()),
                either(relation.next_distributed())
            ))),
        }
    }

    /// As one of the processes of a run.
    pub(super) fn run_distributed(
        self,
        session: &mut Session,
        membership: &'static Membership,
        relations: &[Relation],
    ) -> Result<Status, Failure> {
        self.check_distributed(relations)?;
        let names: Vec<&str> = relations.iter().map(|relation| relation.name()).collect();
        let names = names.join(" ");
        session.add_figure("relation", &*names);
        let filter = &self.filter;
        let path = &filter.input.input;
        let mut process = session.join(membership, &[path])?;
        let (output, classes) = match membership.is_first() {
            true => {
                let classes = self.classes.as_deref().map(Destination::new).transpose()?;
                let others: Vec<_> = classes.iter().collect();
                (Some(filter.output(session, &others)?), classes)
            }
            false => (None, None),
        };
        let options = Options::new(session.memory_distributed(&mut process, membership)?);
        let mut meter = Meter::new(&mut process);
        let form = Form::of_first(&mut meter, output.as_ref())?;
        let reading = (&filter.read, &filter.dialect);
        let (input, _) = session.read_distributed(&mut meter, path, reading, output.as_ref())?;
        let mut options = match form {
            Form::Whole => options,
            Form::Rows | Form::Parts(_) => options.in_parts(),
        };
        options.classes = self.classes.is_some();
        let mut part = input.into_part(&mut meter).map_err(cluster_failure)?;
        let first = part.ranges.of(part.index).start;
        // Those of the first relation: what is left for others is small.
        let (roots, layout) = ([part.initial], Layout::new(vec![part.ranges.clone()]));
        let (mut saved, mut checkpoints) =
            membership.kept(relations[0], &mut meter, &part, &roots, layout)?;
        let name = session.name();
        let told = session.is_verbose().then_some(name);
        let (mut rounds, mut considered, mut class) = (0, None, None);
        let mut relations = relations.iter().copied().peekable();
        let minimal = loop {
            let Some(relation) = relations.next() else {
                unreachable!("there is none with --determinize only");
            };
            let (table, ranges) = (part.table.clone(), part.ranges.clone());
            let saved = saved.take();
            let mut minimal = session.phase("minimize", |phase| {
                let what = format!("minimizing, {relation}");
                let mut shown = phase.progress(&what, Unit::None, None).refined(what);
                let rounds = Rounds::new(&mut shown, told, &meter);
                // Another one has an input that is not known any more.
                let checkpoints = checkpoints.as_mut().filter(|_| considered.is_none());
                let mut rounds = rounds.saving(checkpoints);
                let minimal = minimize(&mut meter, part, relation, &options, saved, &mut rounds);
                let minimal = minimal.map_err(cluster_failure)?;
                phase.summary(|| {
                    let parts = match &minimal.lts {
                        Minimal::Whole(Some(lts)) => show_lts(lts),
                        Minimal::Whole(None) | Minimal::Parts(_) => format!(
                            "{}, {} (in parts)",
                            counted(minimal.states, "state"),
                            counted(minimal.transitions, "transition")
                        ),
                    };
                    format!("{relation}, {parts}")
                });
                Ok(minimal)
            })?;
            rounds += minimal.rounds;
            considered.get_or_insert(minimal.reached);
            let next = minimal.class.take();
            class = match (class, next) {
                (Some(class), Some(next)) => {
                    let composed = composed(&mut meter, class, ranges, &next);
                    Some(composed.map_err(cluster_failure)?)
                }
                (_, next) => next,
            };
            if relations.peek().is_none() {
                break minimal;
            }
            let next = minimal.lts.into_part(&mut meter, table);
            part = next.map_err(cluster_failure)?;
        };
        session.add_figure("states_considered", considered);
        session.add_figure("classes", minimal.states);
        session.add_figure("rounds", rounds);
        let sizes = (minimal.states, minimal.transitions);
        let Minimized { lts, .. } = minimal;
        match lts {
            Minimal::Whole(lts) => {
                if let (Some(output), Some(lts)) = (&output, &lts) {
                    session.write(output, lts)?;
                }
            }
            Minimal::Parts(parts) => {
                if let Some(output) = &output
                    && !matches!(output.format, Format::Plts | Format::Aut)
                {
                    return Err(Failure::error(format!(
                        "the minimal LTS is larger than the memory of one process, and stays in \
                         parts: these are written in aut or plts, not in {}; see -o NAME.plts",
                        output.format
                    )));
                }
                session.write_parts_distributed(
                    &mut meter,
                    output.as_ref(),
                    form,
                    &parts,
                    sizes,
                )?;
            }
        }
        if let Some(class) = class {
            write_classes(
                session,
                &mut meter,
                classes.as_ref(),
                (first, &class),
                sizes.0,
            )?;
        }
        let kinds = kinds(&meter);
        session.finish_checkpoints(checkpoints);
        session.leave(process, kinds)?;
        Ok(Status::Holds)
    }
}

/// Writes classes, of which each process has those of the states from the first of its own on,
/// as the file that one process writes. The first process has the file. Phase `write`.
fn write_classes(
    session: &mut Session,
    worker: &mut dyn Worker,
    destination: Option<&Destination>,
    (first, class): (u64, &Column),
    count: u64,
) -> Result<(), Failure> {
    let window = Window::default();
    let Some(destination) = destination else {
        return each_class(worker, first, class, count, window, |_, _| Ok(()))
            .map_err(cluster_failure);
    };
    let mut lost = None;
    let written = session.write_by(destination, "classes", |out| {
        let mut trouble = None;
        let mut last = None;
        let told = each_class(worker, first, class, count, window, |class, members| {
            let before = last.replace(class);
            write_members(out, before, class, members).map_err(|error| {
                trouble = Some(error);
                Error::Packet
            })
        });
        match (trouble, told) {
            (Some(error), _) => Err(error),
            (None, Ok(())) => end_classes(out, last),
            (None, Err(error)) => {
                lost = Some(error);
                Err(io::ErrorKind::Other.into())
            }
        }
    });
    match lost {
        Some(error) => Err(cluster_failure(error)),
        None => written,
    }
}
