//! Test suites: how they are derived, read and written.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use hyades_formats::{Format, Source};

use super::files::{read_failure, shown};
use super::machines::{MachineOptions, list};
use super::options::{DialectOption, ReadOptions};
use super::output::Destination;
use super::run::Session;
use super::status::Failure;
use crate::conformance::{
    Claim, Derivation, DeriveOptions, InputId, Machine, Method, NodeId, Partition, Suite,
    SuiteForm, SuiteSize, SuiteWriter, TestTree, derive, read_suite, symmetric_suite,
};

/// No suite for more extra states than that has ever been told to its end.
const MOST_EXTRA: i64 = 10_000;

/// How a suite is derived.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Derivation")]
pub struct SuiteOptions {
    /// The method: w, wp, hsi; hsi-st, the same with identifiers from a splitting
    /// tree, small and fast; h, spy, spyh, which keep the suite in memory; hads; ds
    /// and ads (preset and adaptive distinguishing sequences); uio and uiov (unique
    /// sequences); tour takes all transitions; bernhard1, 2 and 3 are complete for
    /// less than was claimed; symmetric needs --kernel; random
    #[arg(
        short,
        long,
        value_name = "NAME",
        default_value = "hsi-st",
        hide_possible_values = true,
        value_parser = names()
    )]
    method: MethodName,

    /// Implementations may have K states more than the specification
    #[arg(
        short = 'k',
        long,
        value_name = "K",
        default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(..=MOST_EXTRA)
    )]
    extra: u16,

    /// The kernel of the specification, for -m symmetric: -k counts from its
    /// classes of states that are equivalent in the specification
    #[arg(long, value_name = "FILE")]
    kernel: Option<PathBuf>,

    /// For -m symmetric: words that separate states of the kernel's image step
    /// out of it in their last M inputs at most
    #[arg(
        long,
        value_name = "M",
        default_value_t = 0,
        requires = "kernel",
        value_parser = clap::value_parser!(u16).range(..=MOST_EXTRA)
    )]
    outside: u16,

    /// Search for a smallest characterization set, in N steps at most, instead of
    /// the greedy one (methods w and wp)
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1000000")]
    exact_set: Option<u64>,

    /// Draw so many random tests
    #[arg(long, value_name = "N", default_value_t = DeriveOptions::default().tests)]
    tests: u64,

    /// with so many random inputs in the middle, on average
    #[arg(long, value_name = "N", default_value_t = DeriveOptions::default().middle)]
    middle: u32,

    /// from this seed
    #[arg(long, value_name = "NUMBER", default_value_t = DeriveOptions::default().seed)]
    seed: u64,

    /// Where a sequence may not be there (ds, uio, uiov), give up after N sets of
    /// states
    #[arg(long, value_name = "N", default_value_t = DeriveOptions::default().most_sets)]
    max_sets: usize,

    /// Stop after N tests
    #[arg(long, value_name = "N")]
    max_tests: Option<u64>,

    /// Stop before there are more than N inputs in all tests
    #[arg(long, value_name = "N")]
    max_symbols: Option<u64>,
}

/// A suite from a file.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Derivation")]
pub struct SuiteInput {
    /// Take the tests in FILE instead of deriving a suite; `-` is standard input
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "method", "kernel", "exact_set", "tests", "middle", "seed", "max_tests", "max_symbols"
        ]
    )]
    suite: Option<PathBuf>,
}

impl SuiteInput {
    /// The file.
    pub fn get(&self) -> Option<&Path> {
        self.suite.as_deref()
    }
}

impl Session {
    /// Reads a suite of a machine, in any form, compressed or not: phase `read
    /// suite`.
    ///
    /// # Errors
    /// If it cannot be read, or has errors, which go to standard error.
    pub fn read_suite(&mut self, path: &Path, machine: &Machine) -> Result<TestTree, Failure> {
        let mut tree = TestTree::new(machine);
        let shown = shown(self.verbosity());
        self.phase("read suite", |phase| {
            // A format that is text; what it says is not looked at here.
            let source = Source::open(path, Some(Format::Aut)).map_err(read_failure)?;
            let name: Arc<str> = source.name().into();
            let bytes = source.into_bytes().map_err(read_failure)?;
            let mut tell = |test: &[InputId]| {
                tree.insert(machine, NodeId::ROOT, test);
            };
            let told = &mut |diagnostic| shown(&diagnostic);
            read_suite(&name, &bytes[..], None, machine, told, &mut tell).map_err(read_failure)?;
            phase.summary(|| format!("{} tests", tree.size().tests));
            Ok(())
        })?;
        Ok(tree)
    }
}

/// What `-m` may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MethodName {
    Of(Method),
    Symmetric,
}

const SYMMETRIC: &str = "symmetric";

fn names() -> impl TypedValueParser<Value = MethodName> {
    let names = Method::ALL.iter().map(|method| method.name());
    PossibleValuesParser::new(names.chain([SYMMETRIC])).map(|name| {
        let of_name = Method::ALL.into_iter().find(|method| method.name() == name);
        of_name.map_or(MethodName::Symmetric, MethodName::Of)
    })
}

/// How a suite is written.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct SuiteOutput {
    /// Write tests as text (one a line, symbols separated by blanks), as jsonl
    /// (`{"in":[…]}` a line) or as pairs (`(input/output).(input/output)`)
    #[arg(long, value_name = "FORM", default_value = "text")]
    form: SuiteForm,

    /// Write what the specification answers too
    #[arg(long)]
    expected: bool,

    /// Write the tree of all tests instead, an LTS with labels `input/output`
    #[arg(long, conflicts_with_all = ["form", "expected"])]
    tree: bool,
}

impl SuiteOutput {
    /// Whether an LTS is written.
    pub fn is_tree(&self) -> bool {
        self.tree
    }

    /// The form of a text.
    pub fn form(&self) -> SuiteForm {
        self.form
    }
}

/// A suite that has been derived.
pub struct Derived {
    suite: Suite,
    claim: Claim,
    max_tests: Option<u64>,
    max_symbols: Option<u64>,
}

impl SuiteOptions {
    /// Whether the method needs transitions for all inputs in all states.
    pub fn needs_complete(&self) -> bool {
        match self.method {
            MethodName::Of(method) => method.needs_complete(),
            MethodName::Symmetric => true,
        }
    }

    /// The file of the kernel.
    pub fn kernel(&self) -> Option<&Path> {
        self.kernel.as_deref()
    }

    /// The extra states that were asked for.
    pub fn extra(&self) -> usize {
        self.extra.into()
    }

    /// Derives a suite: phase `derive`. The kernel is read as the specification
    /// was.
    ///
    /// # Errors
    /// If the kernel cannot be read or is none, or a limit of the method is
    /// exceeded.
    pub fn derive(
        &self,
        session: &mut Session,
        machine: &Machine,
        how: (&MachineOptions, &ReadOptions, &DialectOption),
    ) -> Result<Derived, Failure> {
        let kernel = match (&self.kernel, self.method) {
            (Some(path), MethodName::Symmetric) => Some(how.0.read(session, path, how.1, how.2)?),
            (None, MethodName::Symmetric) => {
                return Err(Failure::error(
                    "-m symmetric needs the kernel of the specification: --kernel FILE",
                ));
            }
            (Some(_), MethodName::Of(_)) => {
                return Err(Failure::error("--kernel is for -m symmetric"));
            }
            (None, MethodName::Of(_)) => None,
        };
        let options = DeriveOptions {
            extra: self.extra(),
            exact_steps: self.exact_set,
            tests: self.tests,
            middle: self.middle,
            seed: self.seed,
            most_sets: self.max_sets,
            ..DeriveOptions::default()
        };
        let derivation = session.phase("derive", |_| match (self.method, &kernel) {
            (MethodName::Of(method), _) => derive(machine, method, &options)
                .map_err(|error| Failure::error(format!("-m {}: {error}", method.name()))),
            (MethodName::Symmetric, Some(kernel)) => {
                let partition = Partition::new(machine);
                let (extra, outside) = (self.extra(), self.outside.into());
                let suite = symmetric_suite(machine, &partition, kernel, extra, outside);
                let (suite, claim) = suite.map_err(|error| Failure::error(error.to_string()))?;
                Ok(Derivation {
                    suite: Suite::Layered(suite),
                    claim,
                    without: Vec::new(),
                })
            }
            (MethodName::Symmetric, None) => unreachable!("refused above"),
        })?;
        let Derivation {
            suite,
            claim,
            without,
        } = derivation;
        if !without.is_empty() {
            session.note(format!(
                "{} of {} states have no unique sequence, or none was found in {} sets: {}",
                without.len(),
                machine.states(),
                options.most_sets,
                list(machine, &without)
            ));
        }
        Ok(Derived {
            suite,
            claim,
            max_tests: self.max_tests,
            max_symbols: self.max_symbols,
        })
    }
}

impl Derived {
    /// A suite that was given, of which this is known.
    pub fn given(tree: TestTree, claim: Claim) -> Self {
        Self {
            suite: Suite::Tree(tree),
            claim,
            max_tests: None,
            max_symbols: None,
        }
    }

    /// Tells the tests that the limits allow; gives their size, and whether there
    /// are more.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn each_test<E>(
        &self,
        machine: &Machine,
        mut tell: impl FnMut(&[InputId]) -> Result<(), E>,
    ) -> Result<(SuiteSize, bool), E> {
        let mut size = SuiteSize::default();
        let end = self.suite.each_test(machine, |test| {
            let symbols = size.symbols + test.len() as u64;
            let full = self.max_tests.is_some_and(|most| size.tests >= most)
                || self.max_symbols.is_some_and(|most| symbols > most);
            if full {
                return ControlFlow::Break(None);
            }
            size.tests += 1;
            size.symbols = symbols;
            match tell(test) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => ControlFlow::Break(Some(error)),
            }
        });
        match end {
            ControlFlow::Continue(()) => Ok((size, false)),
            ControlFlow::Break(None) => Ok((size, true)),
            ControlFlow::Break(Some(error)) => Err(error),
        }
    }

    /// The tests that the limits allow, in memory, and whether there are more.
    pub fn tree(&self, machine: &Machine) -> (TestTree, bool) {
        let mut tree = TestTree::new(machine);
        let told = self.each_test(machine, |test| {
            tree.insert(machine, NodeId::ROOT, test);
            Ok::<_, std::convert::Infallible>(())
        });
        let Ok((_, cut)) = told;
        (tree, cut)
    }

    /// Says how large the suite is and what it is good for.
    pub fn report(&self, session: &mut Session, size: SuiteSize, cut: bool) {
        let claim = match cut {
            true => format!("there would be more, so that there is {}", Claim::Nothing),
            false => self.claim.to_string(),
        };
        session.note(format!(
            "{} tests, {} symbols, {} resets; {claim}",
            size.tests, size.symbols, size.tests
        ));
        session.add_figure("tests", size.tests);
        session.add_figure("symbols", size.symbols);
        session.add_figure("resets", size.tests);
        session.add_figure("claim", claim);
    }

    /// Writes the tests that the limits allow, as text: phase `write`.
    ///
    /// # Errors
    /// If a symbol cannot be expressed, or the output refuses.
    pub fn write(
        &self,
        session: &mut Session,
        machine: &Machine,
        destination: &Destination,
        output: &SuiteOutput,
    ) -> Result<(SuiteSize, bool), Failure> {
        let mut writer = SuiteWriter::new(machine, output.form, output.expected)
            .map_err(|error| Failure::error(error.to_string()))?;
        let mut told = (SuiteSize::default(), false);
        session.write_by(destination, &output.form.to_string(), |out| {
            told = self.each_test::<io::Error>(machine, |test| writer.write(out, test))?;
            Ok(())
        })?;
        Ok(told)
    }
}
