//! The ring of appendix C.

use std::collections::HashMap;

use hyades_formats::Lts;

use super::{assert_same, search};
use crate::Ring;

/// What a process of appendix C can do: the action, and the term after it.
type Step = (String, String);

/// A station as a term: the name of a process with its parameters, or what is
/// left of a body.
fn station_steps(n: usize, me: usize, term: &str) -> Vec<Step> {
    let succ = (me + 1) % n;
    let parts: Vec<&str> = term.split([' ', '(', ',', ')']).collect();
    let step = |action: String, next: &str| (action, next.to_owned());
    let not = |round: &str| if round == "T" { "F" } else { "T" };
    let crash = || step(format!("CRASH({me})"), "Fail");
    let token = |round: &str| {
        let next = format!("Election({})", not(round));
        step(format!("STAT_SND_TOKEN({succ})"), &next)
    };
    let claims = || (0..n).flat_map(|cand| ["T", "F"].map(|round| (cand.to_string(), round)));
    match parts[0] {
        "Election" => {
            let my_round = parts[1];
            let mut steps = vec![
                crash(),
                step(format!("STAT_SND_CLAIM({succ},{me},{my_round})"), term),
                step(
                    format!("STAT_REC_TOKEN({me})"),
                    &format!("Privilege({my_round})"),
                ),
            ];
            for (cand, round) in claims() {
                let next = format!("election_after({my_round},{cand},{round})");
                steps.push(step(format!("STAT_REC_CLAIM({me},{cand},{round})"), &next));
            }
            steps
        }
        "election_after" => {
            let (my_round, cand, round) = (parts[1], parts[2], parts[3]);
            let mut steps = Vec::new();
            if cand != me.to_string() {
                let next = format!("Election({my_round})");
                steps.push(crash());
                steps.push(step(
                    format!("STAT_SND_CLAIM({succ},{cand},{round})"),
                    &next,
                ));
            }
            if cand == me.to_string() && round != my_round {
                steps.extend(station_steps(n, me, &format!("Election({my_round})")));
            }
            if cand == me.to_string() && round == my_round {
                steps.extend(station_steps(n, me, &format!("Privilege({my_round})")));
            }
            steps
        }
        "Fail" => {
            let mut steps = vec![step(format!("STAT_REC_TOKEN({me})"), "fail_token")];
            for (cand, round) in claims() {
                let next = format!("fail_after({cand},{round})");
                steps.push(step(format!("STAT_REC_CLAIM({me},{cand},{round})"), &next));
            }
            steps
        }
        "fail_token" => vec![step(format!("STAT_SND_TOKEN({succ})"), "Fail")],
        "fail_after" if parts[1] == me.to_string() => station_steps(n, me, "Fail"),
        "fail_after" => {
            let (cand, round) = (parts[1], parts[2]);
            vec![step(
                format!("STAT_SND_CLAIM({succ},{cand},{round})"),
                "Fail",
            )]
        }
        "Privilege" => {
            let opened = format!("opened({})", parts[1]);
            vec![
                crash(),
                step(format!("OPEN({me})"), &opened),
                token(parts[1]),
            ]
        }
        "opened" => {
            let closed = format!("closed({})", parts[1]);
            vec![crash(), step(format!("CLOSE({me})"), &closed)]
        }
        "closed" => vec![crash(), token(parts[1])],
        other => panic!("no process {other}"),
    }
}

fn link_steps(n: usize, me: usize, term: &str) -> Vec<Step> {
    let step = |action: String, next: String| (action, next);
    if term != "Link" {
        // One action is left.
        return vec![step(term.to_owned(), "Link".to_owned())];
    }
    let succ = (me + 1) % n;
    let mut steps = Vec::new();
    let mut take = |action: String, next: String| {
        steps.push(step(action.clone(), next));
        steps.push(step(action, "Link".to_owned()));
    };
    take(
        format!("LINK_REC_TOKEN({me})"),
        format!("LINK_SND_TOKEN({me})"),
    );
    for cand in 0..n {
        for round in ["T", "F"] {
            take(
                format!("LINK_REC_CLAIM({me},{cand},{round})"),
                format!("LINK_SND_CLAIM({succ},{cand},{round})"),
            );
        }
    }
    steps
}

/// All links and stations in parallel: an action of a link together with the
/// same of a station is one without their prefixes, and neither happens alone.
fn ring(n: usize) -> Lts {
    let initial: Vec<String> = (0..n)
        .flat_map(|_| ["Link".to_owned(), "Election(T)".to_owned()])
        .collect();
    // Terms have the same steps wherever they occur.
    let mut known: HashMap<(usize, String), Vec<Step>> = HashMap::new();
    search(initial, |state| {
        let mut all = Vec::new();
        for (k, term) in state.iter().enumerate() {
            let steps = known
                .entry((k, term.clone()))
                .or_insert_with(|| match k % 2 {
                    0 => link_steps(n, k / 2, term),
                    _ => station_steps(n, k / 2, term),
                });
            all.push(steps.clone());
        }
        let mut steps = Vec::new();
        for (k, mine) in all.iter().enumerate() {
            for (action, next) in mine {
                let mut moved = state.clone();
                moved[k].clone_from(next);
                if action.starts_with("STAT_") {
                    continue;
                }
                let Some(action) = action.strip_prefix("LINK_") else {
                    steps.push((action.clone(), moved));
                    continue;
                };
                for (other, theirs) in all.iter().enumerate() {
                    for (partner, then) in theirs {
                        if partner.strip_prefix("STAT_") == Some(action) {
                            let mut both = moved.clone();
                            both[other].clone_from(then);
                            steps.push((action.to_owned(), both));
                        }
                    }
                }
            }
        }
        steps
    })
}

#[test]
fn small_rings_are_what_the_text_says() {
    assert_same(&Ring::new(2), ring(2));
}
