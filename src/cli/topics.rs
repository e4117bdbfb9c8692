//! `hyades help TOPIC`: what commands share, and what formats are like.

use clap::CommandFactory;

use hyades_cli_commands::reach::Reach;
use hyades_cli_commands::relabel::Relabel;
use hyades_cli_commands::transcode::Transcode;
use hyades_equivalence::Relation;

/// A page on what commands share.
pub(super) struct Topic {
    pub name: &'static str,
    pub about: &'static str,
    /// Whether the lines of the text are to stay as they are.
    pub is_table: bool,
    /// What it says, but for options.
    pub text: fn() -> String,
    /// A command that has the options it is about, if there are some.
    pub options: Option<fn() -> clap::Command>,
}

impl Topic {
    /// The page as `hyades help` prints it.
    fn page(&self) -> String {
        let text = (self.text)();
        match self.options {
            None => text,
            Some(options) => {
                let help = options().render_long_help().to_string();
                format!("{text}\n{}\n", help.trim_end())
            }
        }
    }
}

/// All of them.
pub(super) const TOPICS: [Topic; 6] = [
    Topic {
        name: "input",
        about: "how inputs are read: formats, hidden actions, machines, networks",
        is_table: false,
        text: || INPUT.into(),
        options: Some(|| {
            let is_there = |heading: &str| heading.starts_with("Input") || heading == MACHINES;
            options(Transcode::command(), is_there)
        }),
    },
    Topic {
        name: "output",
        about: "how outputs are written",
        is_table: false,
        text: || OUTPUT.into(),
        options: Some(|| {
            options(Transcode::command(), |heading| {
                heading.starts_with("Output")
            })
        }),
    },
    Topic {
        name: "labels",
        about: "hiding, renaming and cutting labels; patterns",
        is_table: false,
        text: || LABELS.into(),
        options: Some(|| options(Relabel::command(), |heading| heading == "Labels")),
    },
    Topic {
        name: "relations",
        about: "equivalences and preorders: what each means, and its names",
        is_table: true,
        text: relations,
        options: None,
    },
    Topic {
        name: "limits",
        about: "threads, memory, states, messages, exit status",
        is_table: false,
        text: || LIMITS.into(),
        options: Some(|| options(Reach::command(), |heading| heading == "Running")),
    },
    Topic {
        name: "formats",
        about: "the formats that are read and written; a page for each",
        is_table: true,
        text: || FORMATS.into(),
        options: None,
    },
];

/// How wide the pages are that have tables, and where meanings begin in that on relations.
const WIDTH: usize = 80;
const MEANINGS: usize = 30;

/// The page on relations: one line for each, or two.
fn relations() -> String {
    let mut text = RELATIONS.to_owned();
    for relation in Relation::ALL {
        let mark = match (relation.has_quotient(), relation.is_preorder()) {
            (true, true) => "mp",
            (true, false) => "m ",
            (false, true) => " p",
            (false, false) => "  ",
        };
        let aliases = relation.aliases().iter().copied();
        let aliases: Vec<_> = aliases.filter(|alias| !names_an_algorithm(alias)).collect();
        let colon = if aliases.is_empty() { "" } else { ": " };
        let (names, about) = (aliases.join(", "), about(relation));
        let mut rest = &*format!("{names}{colon}{about}");
        let mut begin = format!("{mark} {relation:<26} ");
        // What is too long for a line goes on below.
        while let Some((most, _)) = rest.char_indices().nth(WIDTH - MEANINGS) {
            let end = rest[..=most].rfind(' ').unwrap_or(most);
            text += &format!("{begin}{}\n", &rest[..end]);
            begin = " ".repeat(MEANINGS);
            rest = rest[end..].trim_start();
        }
        text += &format!("{begin}{rest}\n");
    }
    text + RELATIONS_END
}

/// Whether an alias is mCRL2's name of one of several algorithms for a relation.
fn names_an_algorithm(alias: &str) -> bool {
    const ALGORITHMS: [&str; 6] = ["-gv", "-gj", "-gj-lazy-BLC", "-gjkw", "-jgkw", "-sig"];
    ALGORITHMS.iter().any(|name| alias.ends_with(name))
}

/// What a relation is, in a few words.
const fn about(relation: Relation) -> &'static str {
    match relation {
        Relation::Isomorphism => "the same but for the numbers of states",
        Relation::Strong => "hidden steps count",
        Relation::DivSharp => "as sharp, divergence-preserving",
        Relation::Sharp => "as branching, but --strong-labels are answered at once",
        Relation::RootedBranching => "branching with a root condition",
        Relation::DivBranching => "branching, divergence-preserving",
        Relation::SrBranching => "branching that respects stability",
        Relation::Branching => "inert hidden steps are not seen",
        Relation::Eta => "as branching, with any hidden steps behind",
        Relation::Delay => "as weak, but no hidden steps after the visible one",
        Relation::RootedWeak => "weak with a root condition",
        Relation::DpWeak => "weak, divergence-preserving",
        Relation::Observational => "a => around each step",
        Relation::TauStarA => "bisimilar by steps => a",
        Relation::TwoNestedSim => "a simulation within the inverse of sim",
        Relation::ReadySim => "of states with the same labels",
        Relation::Sim => "CADP's strong -smaller",
        Relation::PossibleFutures => "traces, and the traces possible then",
        Relation::ImpossibleFuturesStrong => "traces, and traces impossible then",
        Relation::ReadyTrace => "traces with the labels offered on the way",
        Relation::FailureTrace => "traces with the labels refused on the way",
        Relation::Readiness => "traces with the labels offered at the end",
        Relation::Revivals => "failures with a label that is accepted",
        Relation::Failures => "mCRL2's: hidden steps count, every state may refuse",
        Relation::CompletedTrace => "traces, and which end in deadlocks",
        Relation::Trace => "hidden steps count (CADP, mCRL2)",
        Relation::CoupledSim => "weak simulation both ways, coupled",
        Relation::Contrasim => "after each word roles are exchanged",
        Relation::BranchingSim => "one direction of branching (CADP: -smaller)",
        Relation::Safety => "simulation by steps => a (CADP: -smaller)",
        Relation::ImpossibleFutures => "mCRL2's: visible traces impossible then",
        Relation::WeakFailures => "stable failures of CSP",
        Relation::FailuresDivergence => "failures and divergences of CSP",
        Relation::WeakTrace => "visible traces",
    }
}

const RELATIONS: &str = "\
equiv -e compares by all of these; equiv -p tells whether A is below B, that is,
shows no more than B: CADP's `-smaller`, mCRL2's `ltscompare -pNAME A B`; in
FDR, that A refines B (`B [T= A`). minimize -e takes those with m. A p marks
preorders; all others are symmetric. From fine to coarse; other names are before
the colon:

";

const RELATIONS_END: &str = "
Names of algorithms (bisim-gv, branching-bisim-gjkw, …) mean the relation.
equiv --spectrum A B draws which imply which, and tells which hold.
";

/// The page of this name.
pub(super) fn page(name: &str) -> Option<String> {
    let topic = TOPICS.iter().find(|topic| topic.name == name)?;
    Some(topic.page())
}

const MACHINES: &str = "Mealy machines";

const INPUT: &str = "\
An input is a file or `-`, standard input, which is the default. Its format is told by
its content, then by the ending of its name; compression (gzip, zstd, xz, bzip2) is
recognised by itself. These options are the same for all commands that read.
";

const OUTPUT: &str = "\
An output appears whole or not at all: it is written beside its place, then renamed. Its
format and compression are those of its ending (.aut, .bcg.gz, …), else AUT. A terminal
gets the first 200 lines of standard output; a pipe (| less, | cat) or -o FILE has all.
These options are the same for all commands that write LTSs. Commands that answer write
lines, or one JSON object with --json, whose keys `hyades help json` tells; -o takes the
witness.
";

const LABELS: &str = "\
A label begins with its gate (the name of the action): SEND in `SEND !1 !TRUE`,
`SEND(1, true)`. Patterns are POSIX basic regular expressions: `.*` is anything, `\\(…\\)`
a group, `[0-9]` a digit. These options act from left to right; relabel, reach, reduce
and check have them, but --scramble, which only relabel has.
";

const LIMITS: &str = "\
Exit status: 0 done, or what was asked holds; 1 it does not hold; 2 wrong usage or bad
input; 3 no verdict: a limit or the memory's end was reached. These options are the same
for all commands, but for --max-states, which check, equiv, generate, minimize, reach,
reduce, refine and svl have.
";

const FORMATS: &str = "\
name     endings       read  write  what
aut      .aut          yes   yes    Aldebaran: one transition a line
bcg      .bcg          yes   yes    CADP's binary format
lts      .lts          yes   yes    mCRL2's binary format
dot      .dot .gv      yes   yes    GraphViz; Mealy, Moore machines, automata
fsm      .fsm          yes   yes    mCRL2's finite state machines
kiss2    .kiss2 .kiss  yes   yes    Mealy machines of logic synthesis
seq      .seq          yes   yes    CADP's sequences
trc      .trc          yes   yes    mCRL2's plain traces
exp      .exp          yes   some   networks of LTSs: reach --flat, generate
toml     .toml         some  some   systems of machines: reach, reduce, check, …
tsv      .tsv          yes   yes    source, label, target, separated by tabs
jsonl    .jsonl .json  yes   yes    one JSON object a line (also .ndjson)
graphml  .graphml      no    yes    for yEd, Gephi, NetworkX
plts     .plts         yes   yes    a directory of parts with checksums
parquet, arrow         yes   yes    columns, if built with --features columns

Behind an ending may stand .gz, .zst, .xz or .bz2. --from and --to name a
format. hyades help NAME is the page of a format.
";

/// A command with the options under some headings of another one.
fn options(command: clap::Command, is_there: impl Fn(&str) -> bool) -> clap::Command {
    let of_topic =
        |arg: &&clap::Arg| !arg.is_positional() && arg.get_help_heading().is_some_and(&is_there);
    clap::Command::new("hyades")
        .disable_help_flag(true)
        .help_template("{all-args}")
        .args(command.get_arguments().filter(of_topic).cloned())
}
