//! The library: reads a system, makes it smaller, compares both, checks a formula, writes.

use hyades::check::{CheckOptions, check_lts, mcl};
use hyades::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lts = Lts::read("testdata/vending.aut")?;
    let small = minimize(&lts, Relation::Branching)?;
    println!("{} states, then {}", lts.states(), small.states());

    for relation in [Relation::Branching, Relation::DivBranching] {
        match compare(&lts, &small, relation)? {
            Verdict::Holds => println!("{relation}: the same"),
            Verdict::Fails(Some(Witness::Formula(claim))) => {
                println!("{relation}: {:?} only: {}", claim.holds_in, claim.formula);
            }
            other => println!("{relation}: {other:?}"),
        }
    }

    let formula = r#"[ true* . "TEA" . "COFFEE" ] false"#;
    let parsed = mcl::parse(formula.as_bytes(), "formula", &mut mcl::NoLibraries)?;
    let checked = check_lts(&parsed.property, &small, CheckOptions::default())?;
    println!("{formula}: {:?}", checked.verdict);

    small.save("small.bcg")?;
    Ok(())
}
