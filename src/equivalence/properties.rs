//! Properties of the equivalences on thousands of random systems, against the
//! definitions in `naive`.

use std::cell::{Cell, RefCell};

use hyades_formats::{LabelId, Lts, StateId};
use hyades_lts::union::disjoint_union;
use hyades_testing::{Random, Shape, check, mutated, shuffled, unfolded};

use super::compare::{Side, Verdict, Witness, compare};
use super::formula::Formula;
use super::k_bisimilarity;
use super::traces::{Hidden, has_trace, one_sided};
use super::witness::distinguish;
use super::{Partition, Relation, naive};

/// Both systems side by side and the two initial states.
fn side_by_side(first: &Lts, second: &Lts) -> (Lts, StateId, StateId) {
    let union = disjoint_union(first.clone(), second.clone()).unwrap();
    let initial = union.lts.initial();
    (union.lts, initial, union.second)
}

/// A system that is often, but not always, equivalent to the given one.
fn partner(lts: &Lts, random: &mut Random) -> Lts {
    let shape = [Shape::Copies, Shape::Stutter, Shape::DivergentStutter][random.between(0, 2)];
    let mut other = match random.between(0, 3) {
        0 => shuffled(lts, random),
        _ => unfolded(lts, shape, 4, random).0,
    };
    if random.chance(60) {
        other = mutated(&other, random);
    }
    other
}

fn ensure(condition: bool, message: impl Fn() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(message()) }
}

/// The same system with rows sorted and without duplicates.
pub(super) fn tidy(lts: &Lts) -> Lts {
    let mut b = hyades_formats::LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
    let mut steps: Vec<_> = lts.iter().collect();
    steps.sort_unstable();
    steps.dedup();
    for (s, l, t) in steps {
        b.add(s, l, t);
    }
    b.build(lts.initial()).unwrap()
}

/// Whether a formula holds, from the outside in, by the text alone: an oracle
/// for printing, parsing and checking together. Splits at the operator that
/// binds weakest.
fn holds_naively(lts: &Lts, state: StateId, text: &str) -> bool {
    let text = text.trim();
    for between in [" || ", " && "] {
        let mut depth = 0;
        let mut quoted = false;
        let mut last = 0;
        let mut parts = Vec::new();
        for (k, c) in text.char_indices() {
            match c {
                '"' => quoted = !quoted,
                '(' if !quoted => depth += 1,
                ')' if !quoted => depth -= 1,
                _ if depth == 0 && !quoted && text[k..].starts_with(between) => {
                    parts.push(&text[last..k]);
                    last = k + between.len();
                }
                _ => {}
            }
        }
        if !parts.is_empty() {
            parts.push(&text[last..]);
            let mut parts = parts.iter();
            return if between == " || " {
                parts.any(|part| holds_naively(lts, state, part))
            } else {
                parts.all(|part| holds_naively(lts, state, part))
            };
        }
    }
    let step = |close: char| {
        let (label, inner) = text[1..].split_once(close).unwrap();
        let label = match label {
            "i" => Some(LabelId::HIDDEN),
            _ => lts.table().find(label.trim_matches('"').as_bytes()),
        };
        let targets = lts.outgoing(state).filter(move |s| Some(s.0) == label);
        (targets.map(|s| s.1), inner)
    };
    match text.as_bytes()[0] {
        b't' => true,
        b'f' => false,
        b'(' => holds_naively(lts, state, text[1..].strip_suffix(')').unwrap()),
        b'!' => !holds_naively(lts, state, &text[1..]),
        b'<' => {
            let (mut targets, inner) = step('>');
            targets.any(|t| holds_naively(lts, t, inner))
        }
        b'[' => {
            let (mut targets, inner) = step(']');
            targets.all(|t| holds_naively(lts, t, inner))
        }
        _ => panic!("no formula: {text}"),
    }
}

#[test]
fn relations_are_ordered_from_fine_to_coarse() {
    check(40, 14, |lts, _| {
        let of = naive::REFINED.map(|relation| naive::partition(lts, relation));
        for finer in of.windows(2) {
            for s in 0..lts.states() {
                for t in 0..s {
                    let same = |p: &Partition| p.classes()[s] == p.classes()[t];
                    ensure(!same(&finer[0]) || same(&finer[1]), || {
                        format!("{s} and {t} are related by the finer relation only")
                    })?;
                }
            }
        }
        Ok(())
    });
}

#[test]
fn unfolded_systems_are_equivalent_in_the_sense_of_their_shape() {
    for (shape, finest) in [
        (Shape::Copies, Relation::Strong),
        (Shape::Stutter, Relation::DivBranching),
        (Shape::DivergentStutter, Relation::Branching),
    ] {
        check(15, 7, |lts, random| {
            let (other, _) = unfolded(lts, shape, 4, random);
            for relation in naive::REFINED {
                let verdict = compare(lts.clone(), other.clone(), relation).unwrap();
                let coarse_enough = naive::REFINED.iter().position(|&r| r == relation)
                    >= naive::REFINED.iter().position(|&r| r == finest);
                ensure(!coarse_enough || verdict.holds(), || {
                    format!("{relation}: {verdict:?}")
                })?;
            }
            Ok(())
        });
    }
}

#[test]
fn levels_are_those_of_the_definition() {
    check(60, 20, |lts, random| {
        let lts = tidy(lts);
        let expected = naive::strong_levels(&lts);
        let a = random.between(0, lts.states() - 1);
        let b = random.between(0, lts.states() - 1);
        let [first, second] = [a, b].map(StateId::from_index);
        let Some(levels) = k_bisimilarity::until_parted(&lts, first, second) else {
            return ensure(expected[a][b].is_none(), || format!("{a} and {b} part"));
        };
        let until = expected[a][b].ok_or("they do not part")?;
        for s in 0..lts.states() {
            let x = levels.position(StateId::from_index(s));
            ensure(levels.order()[x as usize].index() == s, || "order".into())?;
            for (t, &expected) in expected[s].iter().enumerate() {
                let y = levels.position(StateId::from_index(t));
                // The refinement stops in the round in which the two part.
                let expected = expected.filter(|&level| level <= until);
                let found = levels.level(x, y);
                ensure(found == expected.unwrap_or(u32::MAX), || {
                    format!("{s} and {t} part in {expected:?}, not {found}")
                })?;
                for k in 0..=until {
                    let (start, end) = levels.class(x, k);
                    let within = (start..end).contains(&y);
                    ensure(within == expected.is_none_or(|level| level > k), || {
                        format!("class {start} .. {end} of {s} in round {k}")
                    })?;
                }
            }
        }
        Ok(())
    });
}

#[test]
fn formulas_tell_states_apart_and_have_the_least_depth() {
    // How many formulas had each depth.
    let depths = RefCell::new(vec![0; 64]);
    check(150, 16, |lts, random| {
        let lts = tidy(lts);
        let expected = naive::strong_levels(&lts);
        let n = lts.states();
        let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
        // Any pair, or one that is hard to tell apart.
        let (a, b) = match random.chance(50) {
            true => (random.between(0, n - 1), random.between(0, n - 1)),
            false => pairs.max_by_key(|&(a, b)| expected[a][b]).unwrap_or((0, 0)),
        };
        let [first, second] = [a, b].map(StateId::from_index);
        let formula = distinguish(&lts, first, second, usize::MAX, usize::MAX);
        let Some(formula) = formula else {
            return ensure(expected[a][b].is_none(), || "no formula".into());
        };
        depths.borrow_mut()[formula.depth()] += 1;
        let shorter = distinguish(&lts, first, second, usize::MAX, formula.depth());
        ensure(shorter.is_none(), || "a formula of less depth".into())?;
        let text = formula.to_string();
        ensure(expected[a][b] == Some(formula.depth() as u32), || {
            format!(
                "depth {}, not {:?}: {text}",
                formula.depth(),
                expected[a][b]
            )
        })?;
        ensure(formula.holds(&lts, first), || {
            format!("fails in {a}: {text}")
        })?;
        ensure(!formula.holds(&lts, second), || {
            format!("holds in {b}: {text}")
        })?;
        let back: Formula = text.parse().map_err(|e| format!("{text}: {e}"))?;
        ensure(back.to_string() == text, || format!("{text} became {back}"))?;
        for s in (0..lts.states()).map(StateId::from_index) {
            let holds = formula.holds(&lts, s);
            ensure(back.holds(&lts, s) == holds, || {
                format!("{text} as read in {s}")
            })?;
            if !text.contains('=') {
                ensure(holds_naively(&lts, s, &text) == holds, || {
                    format!("{text} in {s}")
                })?;
            }
        }
        Ok(())
    });
    let depths = depths.into_inner();
    assert!(depths[1..=6].iter().all(|&count| count >= 20), "{depths:?}");
}

#[test]
fn traces_are_one_sided_and_shortest() {
    check(100, 9, |lts, random| {
        let other = partner(lts, random);
        let (lts, first, second) = side_by_side(lts, &other);
        let lts = tidy(&lts);
        for hidden in [Hidden::Counted, Hidden::Skipped] {
            // All traces of up to five steps, shortest first.
            let mut traces: Vec<Vec<LabelId>> = vec![vec![]];
            let mut shortest = None;
            let mut next = 0;
            while next < traces.len() && shortest.is_none() {
                let trace = traces[next].clone();
                next += 1;
                let has = [first, second].map(|s| has_trace(&lts, s, &trace, hidden));
                if has[0] != has[1] {
                    shortest = Some(trace.len());
                } else if has[0] && trace.len() < 5 {
                    let labels = (0..lts.table().len() as u32).map(LabelId::new);
                    for label in labels.filter(|l| hidden == Hidden::Counted || !l.is_hidden()) {
                        traces.push([trace.clone(), vec![label]].concat());
                    }
                }
            }
            let found = one_sided(&lts, first, second, hidden, usize::MAX);
            let length = found.as_ref().map(|found| found.labels.len());
            ensure(length.filter(|&l| l <= 5) == shortest, || {
                format!("{found:?}, but the shortest has {shortest:?} steps")
            })?;
            if let Some(found) = found {
                let has = [first, second].map(|s| has_trace(&lts, s, &found.labels, hidden));
                ensure(has == [found.first, !found.first], || format!("{found:?}"))?;
            }
        }
        Ok(())
    });
}

#[test]
fn verdicts_are_those_of_the_definitions_and_witnesses_are_true() {
    // How often each kind of verdict came up.
    let counts = [const { Cell::new(0) }; 3];
    check(150, 8, |lts, random| {
        let other = partner(lts, random);
        let (union, first, second) = side_by_side(lts, &other);
        for relation in naive::REFINED {
            let same = |relation| {
                let partition = naive::partition(&union, relation);
                partition.class(first) == partition.class(second)
            };
            let verdict = compare(lts.clone(), other.clone(), relation).unwrap();
            ensure(verdict.holds() == same(relation), || format!("{relation}"))?;
            let kind = match &verdict {
                Verdict::Unknown => panic!("there is no limit"),
                Verdict::Holds => 0,
                Verdict::Fails(Some(Witness::Trace(_))) => 1,
                Verdict::Fails(Some(Witness::Formula(_))) => 2,
                Verdict::Fails(None | Some(Witness::Observation(_))) => {
                    return Err(format!("{verdict:?}"));
                }
            };
            counts[kind].set(counts[kind].get() + 1);
            match verdict {
                Verdict::Holds | Verdict::Unknown | Verdict::Fails(None) => {}
                Verdict::Fails(Some(witness @ (Witness::Formula(_) | Witness::Observation(_)))) => {
                    let (side, formula) = witness.formula().unwrap();
                    let of = [lts, &other].map(|lts| formula.holds(lts, lts.initial()));
                    ensure(side == Side::First && of == [true, false], || {
                        format!("{formula}: {of:?}")
                    })?;
                }
                Verdict::Fails(Some(Witness::Trace(trace))) => {
                    let hidden = match relation {
                        Relation::Strong => Hidden::Counted,
                        _ => Hidden::Skipped,
                    };
                    let has = |lts: &Lts| {
                        let same_text = |&l: &LabelId| match l {
                            LabelId::HIDDEN => Some(l),
                            _ => lts.table().find(trace.table.text(l)),
                        };
                        let labels: Option<Vec<_>> = trace.labels.iter().map(same_text).collect();
                        labels.is_some_and(|l| has_trace(lts, lts.initial(), &l, hidden))
                    };
                    let found = [has(lts), has(&other)];
                    let is_first = trace.present_in == Side::First;
                    ensure(found == [is_first, !is_first], || format!("{trace:?}"))?;
                }
            }
        }
        Ok(())
    });
    let counts = counts.map(Cell::into_inner);
    assert!(counts.iter().all(|&count| count >= 20), "{counts:?}");
}
