//! Networks up to symmetry: how many states are explored, and how fast.
//!
//! `cargo bench --bench symmetry [-- [--large] [--threads N] [NAME …]]`
//!
//! NAMEs choose rows, such as `liststack` or `liststack-12-4-2`. `--large` adds rows of
//! tens of millions of states.

use std::time::Instant;

use hyades::explore::{ExploreOptions, Model, Outcome, explore};
use hyades::formats::{Format, Source, read_lts};
use hyades::generate::{NetworkFiles, family};
use hyades::network::refinement::SymmetricRefinement;
use hyades::network::symmetry::{Strategy, SymmetricModel, Symmetry, Types};
use hyades::network::{Memory, Network, Options, from_text};
use hyades::refinement::{RefineOptions, RefinementVerdict, Semantics, Specification};

/// A member of a family.
type Row = (&'static str, &'static [u64], bool);

/// The rows of Tables 1 and 2 of Gibson-Robinson & Lowe 2019 whose models are known,
/// and whether they are large.
const ROWS: &[Row] = &[
    ("liststack", &[6, 4, 3], false),
    ("liststack", &[7, 4, 2], false),
    ("liststack", &[8, 4, 2], false),
    ("liststack", &[12, 4, 2], false),
    ("liststack", &[8, 4, 4], false),
    ("liststack", &[19, 4, 2], true),
    ("peterson", &[6], false),
    ("peterson", &[7], false),
    ("philosophers", &[7], false),
    ("philosophers", &[12], true),
    ("database", &[16], false),
];

/// Rows whose whole state spaces are explored too.
const UNREDUCED: &[(&str, &[u64])] = &[
    ("liststack", &[4, 3, 2]),
    ("peterson", &[5]),
    ("philosophers", &[6]),
    ("database", &[12]),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let large = arguments.iter().any(|a| a == "--large");
    let value = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1)?.parse::<usize>().ok()
    };
    let threads = value("--threads").unwrap_or(1);
    let mut names = arguments.clone();
    names.retain(|a| !a.starts_with('-') && a.parse::<usize>().is_err());
    let wanted =
        |name: &str| names.is_empty() || names.iter().any(|n| name.starts_with(n.as_str()));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("threads").install(|| {
        println!("{threads} thread(s); states and transitions as explored");
        for &(family, values, is_large) in ROWS {
            if wanted(&name(family, values)) && (large || !is_large) {
                let kinds = match is_large {
                    true => &[Strategy::Refine][..],
                    false => &Strategy::ALL,
                };
                reduced(family, values, kinds);
            }
        }
        for &(family, values) in UNREDUCED {
            if wanted(&name(family, values)) {
                whole(family, values);
            }
        }
        for values in [[6, 4, 3], [7, 4, 2]] {
            if wanted(&name("liststack", &values)) {
                refined("liststack", &values);
            }
        }
    });
}

fn name(family: &str, values: &[u64]) -> String {
    let values: Vec<String> = values.iter().map(u64::to_string).collect();
    format!("{family}-{}", values.join("-"))
}

fn files(name: &str, values: &[u64]) -> NetworkFiles {
    let family = family(name).expect("there is such a family");
    let values = family.values(values, &[]).expect("values in their ranges");
    let files = family.network(&values).expect("values in their ranges");
    files.expect("a family of networks")
}

fn text<'f>(files: &'f NetworkFiles, name: &str) -> &'f str {
    let mut named = files.files.iter().filter(|(own, _)| own == name);
    &named.next().expect("there is such a file").1
}

fn network(files: &NetworkFiles) -> Network {
    let mut memory = Memory::default();
    for (name, text) in &files.files {
        memory.add(name, text.as_bytes());
    }
    let text = text(files, "net.exp");
    from_text("net.exp", text, &Options::default(), &memory, &mut |_| ()).expect("a network")
}

/// Explores, and prints what that gave.
fn run(what: &str, model: &impl Model) {
    let start = Instant::now();
    let found = explore(model, ExploreOptions::default(), &mut ()).expect("a model without errors");
    let time = start.elapsed().as_secs_f64();
    assert_eq!(found.outcome, Outcome::Complete);
    println!(
        "  {what:<10} {:>12} {:>13} {time:>9.2} s {:>10.0}/s {:>8.1} MB",
        found.states,
        found.transitions,
        found.states as f64 / time,
        found.memory as f64 / 1e6
    );
}

fn reduced(family: &str, values: &[u64], strategies: &[Strategy]) {
    let files = files(family, values);
    let network = network(&files);
    let start = Instant::now();
    let types = Types::parse(text(&files, "net.sym")).expect("types");
    let symmetry = Symmetry::new(&network, &types).expect("a symmetry");
    println!(
        "{}: {} permutations, derived in {:.2} s",
        name(family, values),
        symmetry.order().map_or("many".into(), |n| n.to_string()),
        start.elapsed().as_secs_f64()
    );
    for &strategy in strategies {
        // All orders of ties are too many where values are not all told apart.
        if strategy == Strategy::Segmented && (family == "database" || values[0] > 8) {
            continue;
        }
        run(strategy.name(), &SymmetricModel::new(&symmetry, strategy));
    }
    if strategies.contains(&Strategy::Exact) {
        let model = SymmetricModel::new(&symmetry, Strategy::Exact);
        let (_, counts) = model
            .count(ExploreOptions::default())
            .expect("a model without errors");
        let counts = counts.expect("few enough to be counted");
        println!(
            "  without symmetry {} states, {} transitions",
            counts.states, counts.applications
        );
    }
}

fn whole(family: &str, values: &[u64]) {
    println!("{}, without symmetry", name(family, values));
    let network = network(&files(family, values));
    run("whole", &hyades::network::NetworkModel::new(network));
}

/// The traces of a network beside its specification.
fn refined(family: &str, values: &[u64]) {
    let files = files(family, values);
    let network = network(&files);
    let specification = text(&files, "spec.aut").as_bytes().to_vec();
    let source = Source::from_bytes("spec.aut", specification, Some(Format::Aut)).expect("AUT");
    let lts = read_lts(source, &Default::default(), &mut |_| ()).expect("an LTS");
    let normal = Specification::new(&lts, Semantics::Traces, None).expect("few nodes");
    let types = Types::parse(text(&files, "net.sym")).expect("types");
    let refinement = SymmetricRefinement::new(&normal, &network, &types, Strategy::Refine);
    let refinement = refinement.expect("a symmetry");
    let start = Instant::now();
    let found = refinement
        .refine(RefineOptions::default())
        .expect("no errors");
    let time = start.elapsed().as_secs_f64();
    assert_eq!(found.found.verdict, RefinementVerdict::Holds);
    println!(
        "{}: refines its specification (T, refine): {} pairs, {time:.2} s, {:.0}/s",
        name(family, values),
        found.found.pairs,
        found.found.pairs as f64 / time
    );
}
