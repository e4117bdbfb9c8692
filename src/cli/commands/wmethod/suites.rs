//! Test suites: how they are derived, read and written.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use hyades_conformance::{
    Derivation, DeriveOptions, Guarantee, InputId, Invariance, Machine, Method, NodeId, Pairing,
    Suite, SuiteForm, SuiteSize, SuiteWriter, TestTree, UioSuite, WrittenSymbols, derive_moore,
    read_suite,
};
use hyades_formats::Format;
use hyades_formats::diagnostic::{counted, printable_path};

use crate::machines::{MachineInput, Specification, list};
use crate::suite_symmetry::SuiteSymmetryOptions;
use crate::symmetric_suites::{ClosedUnder, SymmetricOptions};
use hyades_cli_core::options::{LtsOutput, WriteOptions};
use hyades_cli_core::output::Destination;
use hyades_cli_core::session::Session;
use hyades_cli_core::status::Failure;
use hyades_cli_core::status::read_failure;
use hyades_cli_core::texts::read_text;

/// How many states implementations may have.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Derivation")]
pub struct ExtraOption {
    /// Implementations may have K states more than the specification
    #[arg(
        short = 'k',
        long,
        value_name = "K",
        default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(..=i64::from(DeriveOptions::MOST_EXTRA))
    )]
    extra: u16,
}

impl ExtraOption {
    /// The extra states that were asked for.
    pub fn get(&self) -> usize {
        self.extra.into()
    }
}

/// How a suite is derived.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Derivation")]
pub struct SuiteOptions {
    /// The method [default: hsi-st; h if the machine is partial]: w, wp, hsi; hsi-st, the
    /// same with identifiers from a splitting tree, small and fast; h, spy, spyh, which
    /// keep the suite in memory; hads; ds and ads (preset and adaptive distinguishing
    /// sequences); uio and uiov (unique sequences); tour takes all transitions; bernhard1,
    /// 2 and 3 are complete for less than was claimed; symmetric needs --pattern or
    /// --kernel; random
    #[arg(
        short,
        long,
        value_name = "NAME",
        hide_possible_values = true,
        value_parser = names()
    )]
    method: Option<MethodName>,

    /// The pattern: a TOML file that names the template, says which copies of it there
    /// are, and how labels are ordered
    #[arg(long, value_name = "FILE")]
    pattern: Option<PathBuf>,

    /// Another kernel of the specification than that of the pattern, for -m symmetric.
    /// What the suite is complete for is claimed if the specification, the pattern and
    /// the kernel are as the theorem supposes, which is decided; without --pattern nothing
    /// is claimed. -k counts from the kernel's classes of states that are equivalent in
    /// the specification
    #[arg(long, value_name = "FILE")]
    kernel: Option<PathBuf>,

    /// For -m symmetric: words that separate states of the kernel's image step
    /// out of it in their last M inputs at most
    #[arg(
        long,
        value_name = "M",
        default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(..=i64::from(DeriveOptions::MOST_EXTRA))
    )]
    outside: u16,

    /// Search for a smallest characterization set, in N steps at most, instead of
    /// the greedy one (methods w and wp); N is a million if it is not given
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1000000"
    )]
    exact_set: Option<u64>,

    /// For -m random: draw N tests [default: 1000]
    #[arg(long, value_name = "N")]
    tests: Option<u64>,

    /// For -m random: N random inputs in the middle of a test, on average [default: 3]
    #[arg(long, value_name = "N")]
    middle: Option<u32>,

    /// The seed of random choices [default: 0]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// Where a sequence may not be there (ds, uio, uiov), give up after N sets of
    /// states [default: 65536]
    #[arg(long, value_name = "N")]
    max_sets: Option<usize>,

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
        conflicts_with_all = ["SuiteOptions", "ExtraOption", "UpToSymmetryOption"]
    )]
    suite: Option<PathBuf>,
}

/// Where a suite comes from: it is derived, or there is one.
#[derive(clap::Args, Clone, Debug)]
pub struct SuiteSource {
    #[command(flatten)]
    extra: ExtraOption,
    #[command(flatten)]
    derive: SuiteOptions,
    #[command(flatten)]
    symmetry: SuiteSymmetryOptions,
    #[command(flatten)]
    given: SuiteInput,
}

impl SuiteSource {
    /// The files that are read besides the specification.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let (derive, given) = (&self.derive, &self.given);
        let files = [&given.suite, &derive.kernel, &derive.pattern];
        files.into_iter().filter_map(|file| file.as_deref())
    }

    /// Reads the specification, and the suite or what it is derived from.
    ///
    /// # Errors
    /// If one of them cannot be read, or there is no suite by the method.
    pub fn get(
        &self,
        session: &mut Session,
        input: &MachineInput,
        destination: &Destination,
    ) -> Result<(Machine, Derived), Failure> {
        if self.derive.pattern.is_some() || self.symmetry.up_to().pattern().is_some() {
            // the other one is the template
            session.expect_two_inputs();
        }
        let needs_complete = self.given.suite.is_none() && self.derive.needs_complete();
        let else_complete =
            needs_complete.then_some(", or a method that can do without (h, hsi, tour, random)");
        let specification = input.specification(session, else_complete)?;
        let derived = match &self.given.suite {
            Some(suite) => {
                let suite = GivenSuite::read(session, suite, &specification.machine)?;
                Derived::given(suite, Guarantee::Nothing)
            }
            None => {
                let (extra, up_to) = (self.extra.get(), &self.symmetry);
                let derive = &self.derive;
                derive.derive(session, &specification, extra, input, up_to, destination)?
            }
        };
        Ok((specification.machine, derived))
    }
}

/// What a file has.
pub struct GivenSuite {
    /// The tests.
    pub tree: TestTree,
    /// Whether there is none: not even the empty one, which all trees have.
    pub is_empty: bool,
}

impl GivenSuite {
    /// The size of the suite.
    pub fn size(&self) -> SuiteSize {
        match self.is_empty {
            true => SuiteSize::default(),
            false => self.tree.size(),
        }
    }
}

impl GivenSuite {
    /// Reads a suite of a machine, in any form, compressed or not: phase `read
    /// suite`. That it has no tests is noted.
    ///
    /// # Errors
    /// If it cannot be read, or has errors, which go to standard error.
    pub fn read(session: &mut Session, path: &Path, machine: &Machine) -> Result<Self, Failure> {
        let mut tree = TestTree::new(machine);
        let mut is_empty = true;
        let shown = session.shown();
        session.phase("read suite", |phase| {
            let (name, bytes) = read_text(path)?;
            let mut tell = |test: &[InputId]| {
                is_empty = false;
                tree.insert(machine, NodeId::ROOT, test);
            };
            let told = &mut |diagnostic| shown(&diagnostic);
            read_suite(&name, &bytes[..], None, machine, told, &mut tell).map_err(read_failure)?;
            phase.summary(|| counted(tree.size().tests, "test"));
            Ok(())
        })?;
        if is_empty {
            session.note(format!("{}: the suite has no tests", printable_path(path)));
        }
        Ok(Self { tree, is_empty })
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
    PossibleValuesParser::new(names.chain([SYMMETRIC]))
        .map(|name| Method::from_name(&name).map_or(MethodName::Symmetric, MethodName::Of))
}

/// How a suite is written.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct SuiteOutput {
    /// Write tests as text (one a line, symbols separated by blanks), as jsonl
    /// (`{"in":[…]}` a line) or as pairs (`(input/output).(input/output)`) [default: the one
    /// that OUTPUT's ending names, else text]
    #[arg(long, value_name = "FORM")]
    form: Option<SuiteForm>,

    /// Write the outputs that are expected, too
    #[arg(long)]
    expected: bool,

    /// Write the tree of all tests instead, an LTS with labels `input/output`
    #[arg(long, conflicts_with_all = ["form", "expected"])]
    tree: bool,

    #[command(flatten)]
    write: WriteOptions,
}

/// Where and how a suite is written.
pub struct SuiteDestination<'a> {
    options: &'a SuiteOutput,
    /// How it is written if not as a tree.
    form: SuiteForm,
    /// If it is written as a tree.
    tree: Option<LtsOutput>,
    /// Where it goes.
    pub destination: Destination,
}

impl SuiteOutput {
    /// Looks at the output before the work begins.
    ///
    /// # Errors
    /// If nothing can be written there, or options are for what is not written.
    pub fn get(&self, input: &MachineInput) -> Result<SuiteDestination<'_>, Failure> {
        let (tree, destination) = match self.tree {
            true => {
                let output = self.write.get(input.dialect())?;
                (Some(output.clone()), output.destination)
            }
            false => (None, self.write.plain_text()?),
        };
        let form = self.form.unwrap_or_else(|| {
            let path = destination.path();
            if path.and_then(Format::from_path) == Some(Format::Jsonl) {
                return SuiteForm::JsonLines;
            }
            let named = path.and_then(Format::ending);
            let named = named.and_then(|ending| SuiteForm::from_name(&ending));
            named.unwrap_or_default()
        });
        Ok(SuiteDestination {
            options: self,
            form,
            tree,
            destination,
        })
    }
}

/// What a claim supposes of implementations.
#[derive(Clone, Copy)]
pub enum Hypothesis<'a> {
    /// That they are invariant under permutations of values.
    Invariant(&'a Invariance),
    /// That they are closed under the relation of a pattern.
    Closed(&'a ClosedUnder),
}

impl Hypothesis<'_> {
    /// What implementations are, in a word.
    pub fn name(self) -> &'static str {
        match self {
            Hypothesis::Invariant(_) => "invariant",
            Hypothesis::Closed(_) => "closed",
        }
    }

    /// Whether it holds; `None` if that is not known.
    pub fn holds_for(self, implementation: &Machine) -> Option<bool> {
        match self {
            Hypothesis::Invariant(invariance) => Some(invariance.holds_for(implementation)),
            Hypothesis::Closed(relation) => relation.holds_for(implementation),
        }
    }
}

/// A suite that has been derived.
pub struct Derived {
    /// `None` if there are no tests.
    suite: Option<Suite>,
    claim: Guarantee,
    /// The permutations of values that implementations are taken to be invariant
    /// under, if the claim supposes it.
    symmetry: Option<Invariance>,
    /// The relation of a pattern that implementations are taken to be closed under, if the
    /// claim supposes it.
    relation: Option<ClosedUnder>,
    max_tests: Option<u64>,
    max_symbols: Option<u64>,
}

impl SuiteOptions {
    /// Whether the method needs transitions for all inputs in all states.
    fn needs_complete(&self) -> bool {
        match self.method {
            Some(MethodName::Of(method)) => method.needs_complete(),
            Some(MethodName::Symmetric) => true,
            // One is taken that does not, if there are not.
            None => false,
        }
    }

    /// The method that was asked for, or else the one for such a machine; that it is not
    /// the usual one is noted.
    fn method(&self, session: &Session, machine: &Machine) -> MethodName {
        if let Some(method) = self.method {
            return method;
        }
        if machine.is_complete() {
            return MethodName::Of(Method::HsiSt);
        }
        session.note(
            "transitions are missing, so that the suite is derived by -m h; --complete adds them",
        );
        MethodName::Of(Method::H)
    }

    /// That there is no option which the method does not use.
    fn check_method(
        &self,
        method: MethodName,
        extra: usize,
        symmetry: &SuiteSymmetryOptions,
    ) -> Result<(), Failure> {
        use Method::{Ds, Random, Tour, Uio, W, Wp};
        const UIO: [Method; 2] = [Uio(UioSuite::Plain), Uio(UioSuite::Verified)];
        let of = |methods: &[Method]| {
            let is_one = |&one: &Method| MethodName::Of(one) == method;
            methods.iter().any(is_one)
        };
        let is_symmetric = method == MethodName::Symmetric;
        if symmetry.up_to().is_wanted() && (is_symmetric || of(&[Tour, Random])) {
            return Err(Failure::error(
                "--up-to-symmetry is for methods whose suites are complete for all \
                 implementations of a size; symmetric is complete for those that are closed under \
                 its pattern's relation, tour and random claim none",
            ));
        }
        let options = [
            ("--pattern", self.pattern.is_some(), is_symmetric, SYMMETRIC),
            ("--outside", self.outside > 0, is_symmetric, SYMMETRIC),
            ("--kernel", self.kernel.is_some(), is_symmetric, SYMMETRIC),
            (
                "--exact-set",
                self.exact_set.is_some(),
                of(&[W, Wp]),
                "w or wp",
            ),
            ("--tests", self.tests.is_some(), of(&[Random]), "random"),
            ("--middle", self.middle.is_some(), of(&[Random]), "random"),
            (
                "--seed",
                self.seed.is_some(),
                of(&[Random]) || symmetry.draws(),
                "random, and for --challenge",
            ),
            (
                "--max-sets",
                self.max_sets.is_some(),
                of(&[Ds]) || of(&UIO),
                "ds, uio or uiov",
            ),
        ];
        if extra > 0 && of(&[Tour, Random]) {
            let what = "-k is for methods whose suites are complete for so many states more";
            return Err(Failure::error(format!(
                "{what}; tour and random claim none"
            )));
        }
        match options
            .iter()
            .find(|(_, is_given, is_used, _)| *is_given && !is_used)
        {
            None => Ok(()),
            Some((option, _, _, methods)) => {
                Err(Failure::error(format!("{option} is for -m {methods}")))
            }
        }
    }

    /// Derives a suite: phase `derive`; one up to symmetry if that is wanted. A kernel
    /// is read as the specification was. `destination` is where the suite goes.
    ///
    /// # Errors
    /// If a kernel or pattern cannot be read or is none, or a limit of the method is
    /// exceeded.
    fn derive(
        &self,
        session: &mut Session,
        specification: &Specification,
        extra: usize,
        input: &MachineInput,
        up_to: &SuiteSymmetryOptions,
        destination: &Destination,
    ) -> Result<Derived, Failure> {
        let machine = &specification.machine;
        let method = self.method(session, machine);
        self.check_method(method, extra, up_to)?;
        let kernel = match &self.kernel {
            Some(path) => Some(input.read(session, path)?),
            None => None,
        };
        let dialect = input.dialect();
        let symmetry = up_to
            .up_to()
            .invariance(session, machine, dialect, destination)?;
        let usual = DeriveOptions::default();
        let options = DeriveOptions {
            extra,
            exact_steps: self.exact_set,
            tests: self.tests.unwrap_or(usual.tests),
            middle: self.middle.unwrap_or(usual.middle),
            seed: self.seed.unwrap_or(usual.seed),
            most_sets: self.max_sets.unwrap_or(usual.most_sets),
            ..usual
        };
        let (mut derivation, relation) = match method {
            MethodName::Of(method) => (
                session.phase("derive", |_| {
                    derive_moore(machine, method, &options).map_err(|error| {
                        let text = format!("-m {}: {error}", method.name());
                        match error.is_limit() {
                            true => Failure::Limit(text),
                            false => Failure::error(text),
                        }
                    })
                })?,
                None,
            ),
            MethodName::Symmetric => SymmetricOptions {
                pattern: self.pattern.as_deref(),
                dialect,
                kernel,
                extra,
                outside: self.outside.into(),
            }
            .derive(session, specification, destination)?,
        };
        if let (Some(symmetry), MethodName::Of(method)) = (&symmetry, method) {
            let derived = (method, derivation);
            derivation = up_to.reduce(session, machine, derived, symmetry, &options)?;
        }
        let Derivation {
            suite,
            claim,
            without,
        } = derivation;
        if !without.is_empty() {
            session.note(format!(
                "{} of {} {} no unique sequence, or none was found in {}: {}",
                without.len(),
                counted(machine.states() as u64, "state"),
                if without.len() == 1 { "has" } else { "have" },
                counted(options.most_sets as u64, "set"),
                list(machine, &without)
            ));
        }
        Ok(Derived {
            suite: Some(suite),
            claim,
            symmetry: symmetry.filter(|symmetry| !symmetry.order().is_one()),
            relation,
            max_tests: self.max_tests,
            max_symbols: self.max_symbols,
        })
    }
}

impl Derived {
    /// A suite that was given, of which this is known.
    pub fn given(suite: GivenSuite, claim: Guarantee) -> Self {
        Self {
            suite: (!suite.is_empty).then_some(Suite::Tree(suite.tree)),
            claim,
            symmetry: None,
            relation: None,
            max_tests: None,
            max_symbols: None,
        }
    }

    /// What the claim supposes of implementations besides their size, if anything.
    pub fn hypothesis(&self) -> Option<Hypothesis<'_>> {
        let invariant = self.symmetry.as_ref().map(Hypothesis::Invariant);
        invariant.or(self.relation.as_ref().map(Hypothesis::Closed))
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
        let Some(suite) = &self.suite else {
            return Ok((size, false));
        };
        let end = suite.each_test(machine, |test| {
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

    /// The tests that the limits allow, in memory, their size, and whether there are
    /// more.
    pub fn tree(&self, machine: &Machine) -> (TestTree, SuiteSize, bool) {
        let mut tree = TestTree::new(machine);
        let told = self.each_test(machine, |test| {
            tree.insert(machine, NodeId::ROOT, test);
            Ok::<_, std::convert::Infallible>(())
        });
        let Ok((told, cut)) = told;
        let size = if told.tests == 0 { told } else { tree.size() };
        (tree, size, cut)
    }

    /// Says how large the suite is and what it is good for.
    pub fn report(&self, session: &mut Session, size: SuiteSize, cut: bool) {
        let claim = match cut {
            true => format!(
                "there would be more, so that there is {}",
                Guarantee::Nothing
            ),
            false => match &self.symmetry {
                None => self.claim.to_string(),
                Some(symmetry) => format!(
                    "{}, if they are invariant under the same {} permutations of values",
                    self.claim,
                    symmetry.order()
                ),
            },
        };
        session.note(format!(
            "{}, {}, {}; {claim}",
            counted(size.tests, "test"),
            counted(size.symbols, "symbol"),
            counted(size.tests, "reset")
        ));
        session.add_figure("tests", size.tests);
        session.add_figure("symbols", size.symbols);
        session.add_figure("resets", size.tests);
        session.add_figure("claim", claim);
    }

    /// Writes the tests that the limits allow, as text or as their tree, phase `write`,
    /// and tells their size.
    ///
    /// # Errors
    /// If a symbol cannot be expressed, or the output refuses.
    pub fn write(
        &self,
        session: &mut Session,
        machine: &Machine,
        output: &SuiteDestination<'_>,
    ) -> Result<(), Failure> {
        let form = output.form;
        let symbols = match output.options.expected {
            true => WrittenSymbols::InputsAndOutputs,
            false => WrittenSymbols::Inputs,
        };
        let (size, cut) = match &output.tree {
            None => {
                let mut writer = SuiteWriter::new(machine, form, symbols)
                    .map_err(|error| Failure::error(error.to_string()))?;
                let mut told = (SuiteSize::default(), false);
                session.write_by(&output.destination, &form.to_string(), |out| {
                    told = self.each_test::<io::Error>(machine, |test| writer.write(out, test))?;
                    Ok(())
                })?;
                told
            }
            Some(output) => {
                let (tree, size, cut) = self.tree(machine);
                let lts = tree.to_lts(machine, &Pairing::default());
                let lts = lts.map_err(|error| Failure::error(error.to_string()))?;
                session.write(output, &lts)?;
                (size, cut)
            }
        };
        self.report(session, size, cut);
        Ok(())
    }
}
