//! Comparison by several processes.

use hyades_cli_core::choices::first_given;
use hyades_cli_core::cluster::{Membership, cluster_failure};
use hyades_cli_core::distributed::{Rounds, kinds};
use hyades_cli_core::hiding::{self, Alphabet};
use hyades_cli_core::{Failure, Session, Status, Unit, memory};
use hyades_cluster::equiv::{Both, equivalent, side_by_side};
use hyades_cluster::meter::Meter;
use hyades_cluster::options::Options;
use hyades_cluster::read::Input;
use hyades_equivalence::compare::{Pair, Verdict};
use hyades_equivalence::{Criterion, Relation, either};

use super::{Equiv, Found, Output, Question, known};

impl Equiv {
    /// Refuses what several processes do not do together.
    fn check_distributed(&self) -> Result<Relation, Failure> {
        let refused = [
            (self.evaluate.is_some(), "--evaluate"),
            (self.spectrum, "--spectrum"),
            (self.preorder.is_some(), "--preorder"),
            (self.external.external.is_some(), "--external"),
            (self.strong.is_given(), "--strong-labels"),
        ];
        if let Some(option) = first_given(refused) {
            return Err(Failure::error(format!(
                "{option} does not go with several processes, which tell by -e whether two are \
                 equivalent"
            )));
        }
        let relation = self.relation.get();
        if relation.distributed().is_some() {
            return Ok(relation);
        }
        let before = match &relation.next_distributed()[..] {
            [] => String::new(),
            finer => format!(
                ": minimize both by -e {} together, and compare what is left",
                either(finer.iter().copied())
            ),
        };
        Err(Failure::error(format!(
            "several processes compare by {}, not by {relation}{before}",
            either(Relation::all_distributed())
        )))
    }

    /// As one of the processes of a run.
    pub(super) fn run_distributed(
        &self,
        session: &mut Session,
        membership: &'static Membership,
    ) -> Result<Status, Failure> {
        let relation = self.check_distributed()?;
        let asked = Question::Equivalent(relation);
        session.add_figure("relation", relation.name());
        let mut process = session.join(membership, &self.inputs())?;
        let output = match membership.is_first() {
            true => self.output(session)?,
            false => None,
        };
        if membership.is_first() {
            memory::set_last_words(match self.comparison.answer.is_json() {
                true => self.object(asked, None)?.into(),
                false => b"UNKNOWN\n".to_vec(),
            });
        }
        let memory = session.memory_distributed(&mut process, membership)?;
        let options = Options::new(memory).in_parts();
        let mut meter = Meter::new(&mut process);
        let reading = (&self.comparison.read, &self.comparison.dialect);
        let inputs = self.inputs();
        let (first, first_format) =
            session.read_distributed(&mut meter, inputs[0], reading, None)?;
        let (second, second_format) =
            session.read_distributed(&mut meter, inputs[1], reading, None)?;
        let occurring = |input: &Input, meter: &mut Meter<'_>| {
            let used = input.rows.used_labels(meter, input.table.len());
            used.map_err(cluster_failure)
        };
        let of_first = occurring(&first, &mut meter)?;
        let of_second = occurring(&second, &mut meter)?;
        let a = Alphabet::of_table(inputs[0], &first.table, of_first, first_format);
        let b = Alphabet::of_table(inputs[1], &second.table, of_second, second_format);
        let hint = hiding::hint(&a, &b).or_else(|| hiding::separator_hint(&a, &b));
        let told = session.is_verbose().then_some(session.name());
        let both = side_by_side(&mut meter, first, second).map_err(cluster_failure)?;
        let Both {
            part,
            roots,
            layout,
        } = &both;
        let layout = layout.clone();
        let (saved, mut checkpoints) =
            membership.kept(relation, &mut meter, part, roots, layout)?;
        let found = session.phase("compare", |phase| {
            let mut shown = phase
                .progress("comparing", Unit::None, None)
                .refined("comparing".into());
            let rounds = Rounds::new(&mut shown, told, &meter);
            let mut rounds = rounds.saving(checkpoints.as_mut());
            let found = equivalent(&mut meter, both, relation, &options, saved, &mut rounds);
            found.map_err(cluster_failure)
        })?;
        session.add_figure("rounds", found.rounds);
        let kinds = kinds(&meter);
        let verdict =
            match (found.holds, found.minimal) {
                (true, _) => Verdict::Holds,
                (false, None) => {
                    if membership.is_first() {
                        session.note(
                            "what they differ by is not looked for: what is left of them is too \
                             large for the memory of one process, see --max-memory",
                        );
                    }
                    Verdict::Fails(None)
                }
                // Smaller ones that differ for the same reasons.
                (false, Some((first, second))) => session.phase("explain", |phase| {
                    let bar = phase.progress("comparing", Unit::None, None);
                    let mut bar = bar.refined("comparing".into());
                    let options = Output::options(output.as_ref());
                    Ok(Pair::new(first, second)?.compare(
                        Criterion::from(relation),
                        &options,
                        &mut bar,
                    ))
                })?,
            };
        let status = match membership.is_first() {
            true => self.tell(session, asked, &Found::Equivalence(verdict), output, hint)?,
            false => {
                session.add_figure("verdict", known(&verdict));
                match verdict {
                    Verdict::Holds => Status::Holds,
                    Verdict::Fails(_) => Status::Fails,
                    Verdict::Unknown => Status::NoVerdict,
                }
            }
        };
        session.finish_checkpoints(checkpoints);
        session.leave(process, kinds)?;
        Ok(status)
    }
}
