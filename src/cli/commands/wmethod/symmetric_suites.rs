//! `-m symmetric` of `wmethod`: suites by kernels, and whether what they rest on holds.

use std::ops::ControlFlow;
use std::path::Path;

use hyades_conformance::{
    Derivation, Guarantee, Labelled, Machine, StatePartition, Suite, symmetric_suite,
};
use hyades_explore::Limits;
use hyades_formats::Lts;
use hyades_symmetry::check::{CheckLimits, ConditionVerdict, Subject, check, closed};
use hyades_symmetry::pattern::Pattern;
use hyades_symmetry::{Instances, KernelNumbers};

use crate::machines::Specification;
use hyades_cli_core::options::DialectOption;
use hyades_cli_core::output::Destination;
use hyades_cli_core::patterns::no_kernel;
use hyades_cli_core::progress::Unit;
use hyades_cli_core::session::Session;
use hyades_cli_core::status::Failure;
use hyades_cli_core::{checks, memory};

/// A kernel of a specification.
struct Kernel {
    machine: Machine,
    /// What is missing for a claim.
    missing: Option<String>,
    /// What implementations are to be closed under, if the pattern is known.
    relation: Option<ClosedUnder>,
}

/// The relation of a pattern, among the labels of a specification.
pub struct ClosedUnder {
    pattern: Pattern,
    specification: Lts,
}

/// So many nodes, and pairs of nodes, are looked at for each implementation.
const MOST: u64 = 1 << 16;

impl ClosedUnder {
    /// Whether an implementation is closed under the relation: what is symmetric to one of its
    /// traces is one too, where actions are the labels of the specification and its own.
    /// Traces of which no copy takes a label are symmetric to none. `None` if that takes more
    /// than 65536 nodes or pairs of them.
    pub fn holds_for(&self, implementation: &Machine) -> Option<bool> {
        let labelled = Labelled::new(implementation, &self.pattern.syntax).ok()?;
        let lts = labelled.with_labels_of(&self.specification).ok()?;
        let copies = Instances::new(&self.pattern, &lts).ok()?;
        let limits = CheckLimits {
            nodes: Limits {
                max_states: Some(MOST),
                ..Limits::default()
            },
            pairs: MOST,
        };
        match closed(&lts, &copies, &limits, &mut |_| ControlFlow::Continue(())).ok()? {
            ConditionVerdict::Holds => Some(true),
            ConditionVerdict::Violated(_) => Some(false),
            ConditionVerdict::Unknown(_) => None,
        }
    }
}

/// Which kernel, and how far implementations may differ.
pub(super) struct SymmetricOptions<'a> {
    /// The pattern's file.
    pub pattern: Option<&'a Path>,
    /// How its template is read.
    pub dialect: &'a DialectOption,
    /// The kernel that was read from elsewhere.
    pub kernel: Option<Machine>,
    /// The classes that the kernel's image may have more: m1 - n.
    pub extra: usize,
    /// The inputs after which words that separate leave the image: m2.
    pub outside: usize,
}

impl SymmetricOptions<'_> {
    /// Derives a suite: phases `kernel`, `check` and `derive`. There is a claim only if
    /// the pattern is known and the premises of Theorem 5.8 hold; what is missing is
    /// noted. With a claim comes what it supposes implementations to be closed under.
    ///
    /// # Errors
    /// If there is neither pattern nor kernel, one is none, or a kernel from elsewhere
    /// lacks what was added to complete the specification.
    pub fn derive(
        self,
        session: &mut Session,
        specification: &Specification,
        destination: &Destination,
    ) -> Result<(Derivation, Option<ClosedUnder>), Failure> {
        let machine = &specification.machine;
        let kernel = match (self.pattern, self.kernel) {
            (None, None) => {
                return Err(Failure::error(
                    "-m symmetric needs the pattern that tells what is symmetric in the \
                     specification: --pattern FILE; or its kernel, --kernel FILE, for a suite \
                     without a claim",
                ));
            }
            (_, Some(_)) if specification.is_completed => {
                return Err(Failure::error(
                    "--kernel: the file is a part of the specification as it was before \
                     --complete added transitions, which the tests would leave out; expected \
                     --pattern alone, for the kernel of the completed specification",
                ));
            }
            (None, Some(machine)) => Kernel {
                machine,
                missing: Some(
                    "whether the specification is closed under the relation that the kernel is \
                     of is not known without the pattern (--pattern FILE)"
                        .into(),
                ),
                relation: None,
            },
            (Some(pattern), kernel) => of_pattern(
                session,
                specification,
                (pattern, self.dialect, destination),
                kernel,
            )?,
        };
        let partition = StatePartition::new(machine);
        let (suite, claim) = session.phase("derive", |_| {
            let (extra, outside) = (self.extra, self.outside);
            symmetric_suite(machine, &partition, &kernel.machine, extra, outside)
                .map_err(|error| Failure::error(error.to_string()))
        })?;
        if let Some(why) = &kernel.missing {
            session.note(format!("nothing is claimed: {why}"));
        }
        let (claim, relation) = match kernel.missing {
            None => (claim, kernel.relation),
            Some(_) => (Guarantee::Nothing, None),
        };
        let derivation = Derivation {
            suite: Suite::Layered(suite),
            claim,
            without: Vec::new(),
        };
        Ok((derivation, relation))
    }
}

/// The kernel by a pattern, or the one from elsewhere, and whether the premises hold.
fn of_pattern(
    session: &mut Session,
    specification: &Specification,
    (pattern, dialect, destination): (&Path, &DialectOption, &Destination),
    other: Option<Machine>,
) -> Result<Kernel, Failure> {
    let machine = specification
        .whole
        .as_ref()
        .unwrap_or(&specification.machine);
    let pattern = session.read_pattern(pattern, None, dialect, destination)?;
    let labelled = |machine| {
        Labelled::new(machine, &pattern.syntax).map_err(|error| Failure::error(error.to_string()))
    };
    let labels = labelled(machine)?;
    let lts = &labels.lts;
    let copies = Instances::new(&pattern, lts)?;
    let ranks = pattern.order.ranks(lts, &pattern.syntax);
    let kernel = session.phase("kernel", |phase| {
        let bar = phase.progress("searching", Unit::States, None);
        hyades_symmetry::kernel(
            lts,
            &copies,
            &ranks,
            KernelNumbers::Found,
            &mut bar.explored(),
        )
        .map_err(|error| no_kernel(lts, error))
    })?;
    let part = other.as_ref().map(labelled).transpose()?;
    let subject = Subject {
        specification: lts,
        copies: &copies,
        kernel: Some(&kernel),
        other: part.as_ref().map(|part| &part.lts),
    };
    let limits = CheckLimits {
        nodes: Limits {
            max_memory: memory::rest(),
            ..Limits::default()
        },
        ..CheckLimits::default()
    };
    let report = session.phase("check", |phase| {
        let bar = phase.progress("checking", Unit::States, None);
        check(&subject, &limits, &mut bar.explored(), &mut |_| {})
            .map_err(|error| Failure::error(error.to_string()))
    })?;
    let missing = report
        .missing_premise()
        .map(|(condition, verdict)| checks::in_one_line(condition, verdict, &pattern, lts.table()));
    Ok(Kernel {
        machine: other.unwrap_or_else(|| labels.part(machine, &kernel.lts)),
        missing,
        relation: Some(ClosedUnder {
            pattern,
            specification: labels.lts,
        }),
    })
}
