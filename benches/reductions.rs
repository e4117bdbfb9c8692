//! Measures what partial order and compositional reduction make of networks
//! that are known from the literature. `--help` tells how to run it.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use hyades::equivalence::Relation;
use hyades::explore::{ExploreOptions, Limits, Model, Outcome, explore};
use hyades::network::compositional::{self, ReductionStep};
use hyades::network::por::{ReducedModel, Reduction};
use hyades::network::{Memory, Network, NetworkModel, Options, from_text};

const HELP: &str = "\
Measures what reductions make of networks.

Usage: cargo bench --bench reductions -- [--limit STATES] [FAMILY…]

For each family and size: the states of the full state space, of those with
--por deadlock, weaktrace and branching, and, for --compositional divbranching,
of the largest product on the way and of the result; with seconds. State spaces
of more than STATES states (10^7 if not said) are given up, and larger members
of a family not tried. The report, in Markdown, goes to standard output.
";

/// A network of so many parts.
type Family = (
    &'static str,
    &'static [usize],
    fn(usize) -> (String, Memory),
);

const FAMILIES: &[Family] = &[
    ("independent", &[4, 8, 16, 64, 256], independent),
    ("phils", &[4, 8, 12, 16, 32, 64, 128], philosophers),
    ("scheduler", &[4, 8, 12, 16, 64, 256], scheduler),
    ("pipeline", &[4, 8, 16, 24, 64, 256], pipeline),
    ("clients", &[4, 8, 12, 16, 64], clients),
];

/// An LTS as AUT.
fn aut(states: usize, transitions: &[(usize, String, usize)]) -> String {
    let mut text = format!("des (0, {}, {states})\n", transitions.len());
    for (source, label, target) in transitions {
        writeln!(text, "({source}, \"{label}\", {target})").expect("a string");
    }
    text
}

/// Adds a component that synchronises on all its labels but those given; the
/// operand that it is.
fn operand(
    files: &mut Memory,
    name: &str,
    transitions: &[(usize, &str, usize)],
    alone: &[&str],
) -> String {
    let states = transitions.iter().map(|t| t.0.max(t.2)).max();
    let own = transitions.iter();
    let own: Vec<_> = own.map(|&(s, l, t)| (s, l.to_owned(), t)).collect();
    files.add(format!("{name}.aut"), aut(states.unwrap_or(0) + 1, &own));
    let mut labels: Vec<&str> = transitions.iter().map(|t| t.1).collect();
    labels.sort_unstable();
    labels.dedup();
    labels.retain(|label| *label != "i" && !alone.contains(label));
    let labels: Vec<String> = labels.iter().map(|label| format!("\"{label}\"")).collect();
    let arrow = if labels.is_empty() { "" } else { " -> " };
    format!("{}{arrow}{name}.aut", labels.join(", "))
}

fn hidden(what: &str, operands: &[String]) -> String {
    let all = operands.join("\n|| ");
    format!("gate hide {what} in label par {all} end par end hide")
}

/// Components that have nothing to do with each other: three hidden steps and a
/// visible one, again and again.
fn independent(n: usize) -> (String, Memory) {
    let mut files = Memory::default();
    let steps = [(0, "i", 1), (1, "i", 2), (2, "i", 3), (3, "DONE", 0)];
    let operands: Vec<_> = (0..n)
        .map(|k| operand(&mut files, &format!("c{k}"), &steps, &["DONE"]))
        .collect();
    (hidden("NOTHING", &operands), files)
}

/// Dijkstra's dining philosophers, who all take the left fork first.
fn philosophers(n: usize) -> (String, Memory) {
    let mut files = Memory::default();
    let mut operands = Vec::new();
    for k in 0..n {
        let (left, right) = (k, (k + 1) % n);
        let [take, other, put, back] = [
            format!("TAKE !{k} !{left}"),
            format!("TAKE !{k} !{right}"),
            format!("PUT !{k} !{left}"),
            format!("PUT !{k} !{right}"),
        ];
        let eat = format!("EAT !{k}");
        let steps = [
            (0, &take[..], 1),
            (1, &other[..], 2),
            (2, &eat[..], 3),
            (3, &put[..], 4),
            (4, &back[..], 0),
        ];
        operands.push(operand(&mut files, &format!("phil{k}"), &steps, &[&eat]));
    }
    for fork in 0..n {
        let users = [fork, (fork + n - 1) % n];
        let labels: Vec<String> = users
            .iter()
            .flat_map(|k| [format!("TAKE !{k} !{fork}"), format!("PUT !{k} !{fork}")])
            .collect();
        let steps = [
            (0, &labels[0][..], 1),
            (1, &labels[1][..], 0),
            (0, &labels[2][..], 2),
            (2, &labels[3][..], 0),
        ];
        operands.push(operand(&mut files, &format!("fork{fork}"), &steps, &[]));
    }
    (hidden("TAKE, PUT", &operands), files)
}

/// Milner's scheduler: cells in a ring start tasks in turn, which end in any
/// order.
fn scheduler(n: usize) -> (String, Memory) {
    let mut files = Memory::default();
    let mut operands = Vec::new();
    for k in 0..n {
        let [from, to] = [format!("C !{k}"), format!("C !{}", (k + 1) % n)];
        let [start, end] = [format!("START !{k}"), format!("END !{k}")];
        let mut steps = vec![
            (0, &from[..], 1),
            (1, &start[..], 2),
            (2, &to[..], 3),
            (2, &end[..], 4),
            (3, &end[..], 0),
            (4, &to[..], 0),
        ];
        if k == 0 {
            // The first begins with its task.
            let first = |s: usize| (s + 4) % 5;
            steps
                .iter_mut()
                .for_each(|t| *t = (first(t.0), t.1, first(t.2)));
        }
        let alone = [&start[..], &end[..]];
        operands.push(operand(&mut files, &format!("cell{k}"), &steps, &alone));
    }
    (hidden("C, END", &operands), files)
}

/// Buffers of one place in a row.
fn pipeline(n: usize) -> (String, Memory) {
    let mut files = Memory::default();
    let name = |k: usize| match k {
        0 => "IN".to_owned(),
        k if k == n => "OUT".to_owned(),
        k => format!("MOVE !{k}"),
    };
    let operands: Vec<_> = (0..n)
        .map(|k| {
            let [from, to] = [name(k), name(k + 1)];
            let steps = [(0, &from[..], 1), (1, &to[..], 0)];
            operand(&mut files, &format!("place{k}"), &steps, &["IN", "OUT"])
        })
        .collect();
    (hidden("MOVE", &operands), files)
}

/// Clients that prepare a request by themselves, and a server that has one
/// request at a time.
fn clients(n: usize) -> (String, Memory) {
    let mut files = Memory::default();
    let mut operands = Vec::new();
    let mut server = Vec::new();
    for k in 0..n {
        let [ask, answer] = [format!("ASK !{k}"), format!("ANSWER !{k}")];
        let steps = [
            (0, "i", 1),
            (0, "i", 2),
            (1, "i", 3),
            (2, "i", 3),
            (3, &ask[..], 4),
            (4, &answer[..], 5),
            (5, "i", 0),
        ];
        operands.push(operand(&mut files, &format!("client{k}"), &steps, &[]));
        server.push((ask, answer, k));
    }
    let steps: Vec<(usize, &str, usize)> = server
        .iter()
        .flat_map(|(ask, answer, k)| [(0, &ask[..], k + 1), (k + 1, &answer[..], 0)])
        .collect();
    operands.push(operand(&mut files, "server", &steps, &[]));
    (hidden("ASK", &operands), files)
}

/// States and seconds; `None` if there are too many states.
type Figures = Option<(u64, f64)>;

fn counted(model: &impl Model, limit: u64) -> Figures {
    let start = Instant::now();
    let search = ExploreOptions {
        limits: Limits {
            max_states: Some(limit),
            ..Limits::default()
        },
        ..ExploreOptions::default()
    };
    let found = explore(model, search, &mut ()).expect("a network has successors");
    let complete = found.outcome == Outcome::Complete;
    complete.then(|| (found.states, start.elapsed().as_secs_f64()))
}

/// The largest product, the states in the end, and seconds.
fn composed(network: Network, limit: u64) -> Option<(u64, u64, f64)> {
    let start = Instant::now();
    let mut largest = 0;
    let mut options = compositional::Options::new(Relation::DivBranching);
    options.max_states = options.max_states.min(limit);
    let network = compositional::reduce(network, options, &mut |step| {
        if let ReductionStep::Reduced { product, .. } = step {
            largest = largest.max(product.states);
        }
    });
    let model = NetworkModel::new(network.expect("a network has successors"));
    let (states, _) = counted(&model, limit)?;
    Some((largest, states, start.elapsed().as_secs_f64()))
}

fn shown(figures: Figures) -> String {
    match figures {
        None => "– | –".into(),
        Some((states, seconds)) => format!("{states} | {seconds:.3}"),
    }
}

fn main() -> ExitCode {
    let mut limit = 10_000_000;
    let mut names = Vec::new();
    let mut arguments = std::env::args().skip(1).filter(|a| a != "--bench");
    while let Some(argument) = arguments.next() {
        match &argument[..] {
            "--help" | "-h" => {
                print!("{HELP}");
                return ExitCode::SUCCESS;
            }
            "--limit" => match arguments.next().and_then(|text| text.parse().ok()) {
                Some(states) => limit = states,
                None => {
                    eprintln!("--limit needs a number");
                    return ExitCode::from(2);
                }
            },
            name if FAMILIES.iter().any(|family| family.0 == name) => names.push(argument),
            _ => {
                eprint!("unknown argument {argument}\n\n{HELP}");
                return ExitCode::from(2);
            }
        }
    }
    println!(
        "| network | full | s | deadlock | s | weaktrace | s | branching | s | largest product | result | s |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for &(name, sizes, make) in FAMILIES {
        if !names.is_empty() && !names.iter().any(|chosen| chosen == name) {
            continue;
        }
        // What was given up once is not tried again.
        let mut fits = [true; 5];
        for &n in sizes {
            let (text, files) = make(n);
            let options = Options {
                check: false,
                ..Options::default()
            };
            let said = &mut |d| eprintln!("{d}");
            let network = from_text(name, text, &options, &files, said).expect("a network");
            let mut row = format!("| {name} {n} ");
            for (kind, fits) in fits[..4].iter_mut().enumerate() {
                if *fits {
                    let network = network.clone();
                    let figures = match kind.checked_sub(1) {
                        None => counted(&NetworkModel::new(network), limit),
                        Some(kind) => {
                            let model =
                                ReducedModel::new(NetworkModel::new(network), Reduction::ALL[kind]);
                            counted(&model, limit)
                        }
                    };
                    *fits = figures.is_some();
                    write!(row, "| {} ", shown(figures)).expect("a string");
                } else {
                    row.push_str("| – | – ");
                }
            }
            let figures = fits[4].then(|| composed(network, limit)).flatten();
            fits[4] = figures.is_some();
            match figures {
                None => row.push_str("| – | – | – |"),
                Some((largest, states, seconds)) => {
                    write!(row, "| {largest} | {states} | {seconds:.3} |").expect("a string");
                }
            }
            println!("{row}");
        }
    }
    ExitCode::SUCCESS
}
