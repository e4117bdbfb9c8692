use std::cell::Cell;
use std::collections::BTreeSet;

use hyades_formats::LtsBuilder;
use hyades_testing::{Random, Shape, check, from_aut, naive, random_lts, random_pair, union};

use super::*;

/// The kinds, with the names of their relations in `naive`.
fn kinds<'a>(at_once: &'a [bool]) -> [(&'static str, Kind<'a>); 12] {
    [
        ("observational", Kind::Observational),
        ("dpweak", Kind::DpWeak),
        ("delay", Kind::Delay),
        ("tau*.a", Kind::TauStarA),
        ("eta", Kind::Eta),
        ("branching", Kind::Branching),
        ("sr-branching", Kind::SrBranching),
        ("divbranching", Kind::DivBranching),
        ("sharp", Kind::Sharp(at_once)),
        ("divsharp", Kind::DivSharp(at_once)),
        ("rooted-branching", Kind::RootedBranching),
        ("rooted-weak", Kind::RootedWeak),
    ]
}

/// Which labels of a system count only for the first step: `a`.
fn only_a(lts: &Lts) -> Vec<bool> {
    let a = lts.table().find(b"a");
    let labels = 0..lts.table().len() as u32;
    labels.map(|l| Some(LabelId::new(l)) == a).collect()
}

/// What is observed: the form, a label and a class.
type Seen = (&'static str, u32, usize);

/// The observations of all states, by matrices of the hidden steps.
fn seen(lts: &Lts, kind: Kind<'_>, class: &[usize]) -> Vec<BTreeSet<Seen>> {
    let n = lts.states();
    let hidden_paths = |inside: bool| {
        let mut paths = vec![vec![false; n]; n];
        for (s, l, t) in lts.iter() {
            let inside = !inside || class[s.index()] == class[t.index()];
            paths[s.index()][t.index()] |= l.is_hidden() && inside;
        }
        for middle in 0..n {
            for s in 0..n {
                for t in 0..n {
                    paths[s][t] |= paths[s][middle] && paths[middle][t];
                }
            }
        }
        paths
    };
    let (anywhere, within) = (hidden_paths(false), hidden_paths(true));
    let reaches = |paths: &Vec<Vec<bool>>, s: usize, t: usize| s == t || paths[s][t];
    let (closed, looks_within, hidden, stability, divergence, strong) = match kind {
        Kind::Observational | Kind::RootedWeak => (true, false, true, false, false, None),
        Kind::DpWeak => (true, false, true, false, true, None),
        Kind::Delay => (false, false, true, false, false, None),
        Kind::TauStarA => (false, false, false, false, false, None),
        Kind::Eta => (true, true, true, false, false, None),
        Kind::Branching | Kind::RootedBranching => (false, true, true, false, false, None),
        Kind::SrBranching => (false, true, true, true, false, None),
        Kind::DivBranching => (false, true, true, false, true, None),
        Kind::Sharp(strong) => (false, true, true, false, false, Some(strong)),
        Kind::DivSharp(strong) => (false, true, true, false, true, Some(strong)),
    };
    let of = |s: usize| {
        let mut seen = BTreeSet::new();
        let mut step = |form, label: u32, t: usize, closed: bool| {
            for u in 0..n {
                if t == u || closed && anywhere[t][u] {
                    seen.insert((form, label, class[u]));
                }
            }
        };
        for (u, l, t) in lts.iter() {
            let (u, t) = (u.index(), t.index());
            if strong.is_some_and(|strong| strong[l.index()]) {
                if u == s {
                    step("first", l.get(), t, false);
                }
            } else if !l.is_hidden() {
                if reaches(&anywhere, s, u) {
                    step("any", l.get(), t, closed);
                }
                if looks_within && reaches(&within, s, u) {
                    step("within", l.get(), t, closed);
                }
            } else if looks_within && !closed && reaches(&within, s, u) && class[t] != class[s] {
                step("within", 0, t, false);
            }
        }
        if hidden {
            step("any", 0, s, true);
        }
        let stable = |u: usize| {
            let mut row = lts.outgoing(StateId::from_index(u));
            row.all(|(l, _)| !l.is_hidden())
        };
        for u in 0..n {
            if stability && reaches(&within, s, u) && stable(u) {
                seen.insert(("stable", 0, 0));
            }
            if divergence && reaches(&within, s, u) && within[u][u] {
                seen.insert(("diverges within", 0, 0));
            }
            if divergence && reaches(&anywhere, s, u) && anywhere[u][u] {
                seen.insert(("diverges", 0, 0));
            }
        }
        seen
    };
    (0..n).map(of).collect()
}

/// The round in which each two states part, if what is seen of a state makes
/// them part.
fn levels<T: Eq>(states: usize, seen: impl Fn(&[usize]) -> Vec<T>) -> Vec<Vec<Option<u32>>> {
    let mut class = vec![0; states];
    let mut level = vec![vec![None; states]; states];
    for round in 1.. {
        let signatures: Vec<_> = class.iter().copied().zip(seen(&class)).collect();
        let mut changed = false;
        for s in 0..states {
            for t in 0..states {
                if signatures[s] != signatures[t] && level[s][t].is_none() {
                    level[s][t] = Some(round);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
        let first = |s| signatures.iter().position(|t| *t == signatures[s]).unwrap();
        class = (0..states).map(first).collect();
    }
    level
}

fn ensure(condition: bool, message: impl Fn() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(message()) }
}

/// Checks the reason for a pair of states; gives the depth of its formula, and the one in
/// rounds.
fn examine(
    lts: &Lts,
    (name, kind): (&str, Kind<'_>),
    [p, q]: [StateId; 2],
    related: bool,
) -> Result<Option<(usize, usize)>, String> {
    let found = reason(lts, p, q, kind, usize::MAX);
    let formula = found.as_ref().map(|found| &found.formula);
    ensure(formula.is_none() == related, || {
        format!("{name}: {p:?} and {q:?} are related: {related}, but {formula:?}")
    })?;
    let Some(Found { formula, depth }) = found else {
        return Ok(None);
    };
    // The same where there may be one of that depth, and nothing where there may not.
    for depths in [1, depth, depth + 1] {
        let within = reason(lts, p, q, kind, depths).map(|found| found.formula.to_string());
        let expected = (depth < depths).then(|| formula.to_string());
        ensure(within == expected, || {
            format!("{name}: {within:?} within {depths}, where {formula:?} has {depth}")
        })?;
    }
    let text = formula.to_string();
    let back: Formula = text.parse().map_err(|e| format!("{name}: {text}: {e}"))?;
    let naively = naive::formula::satisfying(&text, lts)?;
    for (state, expected) in [(p, true), (q, false)] {
        ensure(formula.holds(lts, state) == expected, || {
            format!("{name}: {text} in {state:?}: not {expected}")
        })?;
        ensure(back.holds(lts, state) == expected, || {
            format!("{name}: {text} as read in {state:?}: not {expected}")
        })?;
        ensure(naively[state.index()] == expected, || {
            format!("{name}: {text} read naively in {state:?}: not {expected}")
        })?;
    }
    Ok(Some((formula.depth(), depth)))
}

#[test]
fn every_pair_that_is_not_related_has_a_reason() {
    let deep = Cell::new([0usize; 12]);
    check(20, 7, |lts, _| {
        let at_once = only_a(lts);
        let strong = |l: LabelId| at_once[l.index()];
        for (k, (name, kind)) in kinds(&at_once).into_iter().enumerate() {
            let related = naive::spectrum::pairs(name, lts, &strong).unwrap();
            let expected = levels(lts.states(), |class| seen(lts, kind, class));
            let n = lts.states().min(8);
            for (p, q) in (0..n).flat_map(|p| (0..n).map(move |q| (p, q))) {
                let states = [p, q].map(StateId::from_index);
                let depth = examine(lts, (name, kind), states, related[p][q])?;
                let (Some((depth, rounds)), None) = (depth, kind.root()) else {
                    continue;
                };
                let level = expected[p][q].ok_or("not parted by naive rounds")? as usize;
                ensure(rounds == level, || {
                    format!("{name}: {rounds} rounds for {p} and {q}, level {level}")
                })?;
                let bound = match kind {
                    // Two modalities for one step …
                    Kind::Delay | Kind::TauStarA | Kind::Eta => 2 * level,
                    // … and one for stability.
                    Kind::SrBranching => level + 1,
                    _ => level,
                };
                ensure(depth <= bound, || {
                    format!("{name}: depth {depth} for {p} and {q}, level {level}")
                })?;
                if let Kind::Observational = kind {
                    ensure(depth == level, || {
                        format!("depth {depth} for {p} and {q}, not {level}")
                    })?;
                }
                if level > 2 {
                    let mut counts = deep.get();
                    counts[k] += 1;
                    deep.set(counts);
                }
            }
        }
        Ok(())
    });
    let deep = deep.get();
    assert!(deep[..10].iter().all(|&count| count > 20), "{deep:?}");
}

#[test]
fn rounds_part_as_the_naive_ones_do() {
    check(20, 10, |lts, _| {
        let at_once = only_a(lts);
        for (name, kind) in kinds(&at_once) {
            let expected = levels(lts.states(), |class| seen(lts, kind, class));
            let mut work = Work(Work::LIMIT);
            let system = System::new(lts, kind, &mut work).unwrap();
            let mut rounds = rounds::Rounds::new(lts.states());
            while rounds.advance(&system, &mut work).unwrap() {}
            let levels = rounds.levels();
            let n = lts.states();
            for (p, q) in (0..n).flat_map(|p| (0..n).map(move |q| (p, q))) {
                let [x, y] = [p, q].map(|s| levels.position(StateId::from_index(s)));
                let level = Some(levels.level(x, y)).filter(|&level| level < u32::MAX);
                ensure(level == expected[p][q], || {
                    format!("{name}: {p}, {q}: {level:?}, not {:?}", expected[p][q])
                })?;
            }
        }
        Ok(())
    });
}

/// What a state does by hidden steps through some classes and then a step: which
/// classes, as bits, the label and the class after it.
fn through(lts: &Lts, class: &[usize], s: usize) -> BTreeSet<(u32, u32, usize)> {
    let mut seen = BTreeSet::new();
    // Classes have the numbers of states.
    for held in 0u32..1 << lts.states() {
        let inside = |t: usize| held >> class[t] & 1 == 1;
        let mut reached = vec![s];
        let mut next = 0;
        while next < reached.len() && inside(s) {
            for (l, t) in lts.outgoing(StateId::from_index(reached[next])) {
                seen.insert((held, l.get(), class[t.index()]));
                if l.is_hidden() && inside(t.index()) && !reached.contains(&t.index()) {
                    reached.push(t.index());
                }
            }
            next += 1;
        }
        seen.insert((held, 0, class[s]));
    }
    seen
}

/// Not so in general, but a system where it is otherwise is hard to find.
#[test]
fn no_set_of_classes_held_on_the_way_parts_states_earlier() {
    let pairs = Cell::new(0);
    check(30, 6, |lts, _| {
        let n = lts.states();
        if n > 8 {
            return Ok(());
        }
        let found = levels(n, |class| seen(lts, Kind::Branching, class));
        let least = levels(n, |class| (0..n).map(|s| through(lts, class, s)).collect());
        ensure(found == least, || format!("{found:?}, not {least:?}"))?;
        pairs.set(pairs.get() + least.iter().flatten().flatten().count());
        Ok(())
    });
    assert!(pairs.get() > 1000, "{}", pairs.get());
}

#[test]
fn random_pairs_of_systems() {
    let mut random = Random::new(17);
    let mut reasons = [0; 12];
    for _ in 0..100 {
        let (first, second) = random_pair(&mut random);
        let (lts, p, q) = union(&first, &second);
        let at_once = only_a(&lts);
        let strong = |l: LabelId| at_once[l.index()];
        for (k, (name, kind)) in kinds(&at_once).into_iter().enumerate() {
            let related = naive::spectrum::below(name, &lts, p, q, &strong).unwrap();
            let depth = examine(&lts, (name, kind), [p, q], related);
            let depth = depth.unwrap_or_else(|e| panic!("{e}\n{lts:?}"));
            reasons[k] += usize::from(depth.is_some());
        }
    }
    assert!(reasons.iter().all(|&count| count > 20), "{reasons:?}");
}

fn model(name: &str) -> Lts {
    let path = format!("{}/testdata/spectrum/{name}", hyades_testing::ROOT);
    from_aut(&std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}")))
}

#[test]
fn models_have_reasons_of_least_depth() {
    let path = format!("{}/testdata/spectrum/expected.json", hyades_testing::ROOT);
    let expected = std::fs::read_to_string(path).unwrap();
    let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
    let mut reasons = 0;
    for pair in expected["pairs"].as_array().unwrap() {
        let [first, second] = ["a", "b"].map(|side| model(pair[side].as_str().unwrap()));
        let (lts, p, q) = union(&first, &second);
        let at_once = only_a(&lts);
        for (name, kind) in kinds(&at_once) {
            let related = pair["verdicts"][name][0].as_bool().unwrap();
            for states in [[p, q], [q, p]] {
                let depth = examine(&lts, (name, kind), states, related)
                    .unwrap_or_else(|e| panic!("{}: {e}", pair["name"]));
                reasons += usize::from(depth.is_some());
                if name == "observational" {
                    let least = pair["least_reasons"]["weak_modal_depth"].as_u64();
                    assert_eq!(depth.map(|d| d.0 as u64), least, "{}", pair["name"]);
                }
            }
        }
    }
    assert!(reasons > 500, "{reasons}");
}

/// The reason for the initial states of two systems.
fn told(first: &str, second: &str, kind: Kind<'_>) -> String {
    let [first, second] = [first, second].map(from_aut);
    let (lts, p, q) = union(&first, &second);
    reason(&lts, p, q, kind, usize::MAX)
        .expect("a reason")
        .formula
        .to_string()
}

#[test]
fn reasons_read_well() {
    let livelock = "des (0, 1, 1)\n(0, i, 0)\n";
    let nil = "des (0, 0, 1)\n";
    assert_eq!(told(livelock, nil, Kind::DivBranching), "div true");
    assert_eq!(told(nil, livelock, Kind::DpWeak), "!div true");
    assert_eq!(told(livelock, nil, Kind::SrBranching), "!<<i>>!<i>true");
    let choice = "des (0, 3, 4)\n(0, i, 1)\n(0, \"b\", 2)\n(1, \"a\", 3)\n";
    let both = "des (0, 2, 3)\n(0, \"a\", 1)\n(0, \"b\", 2)\n";
    assert_eq!(
        told(choice, both, Kind::Observational),
        "<<i>>!<<\"b\">>true"
    );
    assert_eq!(
        told(choice, both, Kind::Branching),
        "<<i>>!<true U \"b\">true"
    );
    // Milner's third law: after a, b may be gone at once.
    let prefix = "des (0, 3, 5)\n(0, \"a\", 1)\n(1, \"b\", 2)\n(1, i, 3)\n";
    let law = "des (0, 4, 5)\n(0, \"a\", 1)\n(1, \"b\", 2)\n(1, i, 3)\n(0, \"a\", 3)\n";
    assert_eq!(
        told(law, prefix, Kind::Delay),
        "<<i>><\"a\">!<<i>><\"b\">true"
    );
    // A root condition asks for a hidden step where there is one.
    let hidden = "des (0, 2, 3)\n(0, i, 1)\n(1, \"a\", 2)\n";
    let plain = "des (0, 1, 2)\n(0, \"a\", 1)\n";
    assert_eq!(told(hidden, plain, Kind::RootedWeak), "<i><<i>>true");
    assert_eq!(told(plain, hidden, Kind::RootedBranching), "<\"a\">true");
    assert_eq!(told(nil, hidden, Kind::RootedBranching), "!<i>true");
    let strong = [false, true];
    assert_eq!(told(hidden, plain, Kind::Sharp(&strong)), "!<\"a\">true");
    // b must stay possible until a.
    let hold = "des (0, 4, 4)\n(0, i, 1)\n(0, \"b\", 3)\n(1, \"a\", 2)\n(0, \"a\", 2)\n";
    let lose = "des (0, 3, 4)\n(0, i, 1)\n(0, \"b\", 3)\n(1, \"a\", 2)\n";
    assert_eq!(
        told(hold, lose, Kind::Eta),
        "< <<\"b\">>true U \"a\"><<i>>true"
    );
}

#[test]
fn long_hidden_paths_and_deep_formulas_need_no_deep_stack() {
    let n = 5_000;
    let mut b = LtsBuilder::new(0);
    for s in 0..n {
        b.add(StateId::new(s), LabelId::HIDDEN, StateId::new(s + 1));
    }
    b.add_text(n, b"a", n).unwrap();
    b.add(StateId::new(n + 1), LabelId::HIDDEN, StateId::new(n + 1));
    let lts = b.build(StateId::new(0)).unwrap();
    let [p, q] = [0, n + 1].map(StateId::new);
    for (name, kind) in kinds(&[false, true]) {
        let found = reason(&lts, p, q, kind, usize::MAX).unwrap_or_else(|| panic!("{name}"));
        let formula = found.formula;
        assert!(formula.holds(&lts, p) && !formula.holds(&lts, q), "{name}");
    }

    let n = 300;
    let mut b = LtsBuilder::new(0);
    for s in 0..n {
        b.add_text(s, b"a", s + 1).unwrap();
        b.add_text(n + 1 + s, b"a", n + 2 + s).unwrap();
    }
    b.add_text(n, b"b", n).unwrap();
    let lts = b.build(StateId::new(0)).unwrap();
    let [p, q] = [0, n + 1].map(|s| StateId::from_index(s as usize));
    for (name, kind) in kinds(&[false, true, false]) {
        let found = reason(&lts, p, q, kind, usize::MAX).unwrap_or_else(|| panic!("{name}"));
        let formula = found.formula;
        assert!(formula.holds(&lts, p) && !formula.holds(&lts, q), "{name}");
        assert!(formula.depth() > n as usize, "{name}");
    }
}

#[test]
fn without_work_left_there_is_no_reason() {
    let lts = random_lts(Shape::SilentDag, 100, &mut Random::new(5));
    let states = (0..lts.states()).map(StateId::from_index);
    let found = |s, work| {
        let mut work = Work(work);
        reason_within(
            &lts,
            lts.initial(),
            s,
            Kind::Branching,
            usize::MAX,
            &mut work,
            u64::MAX,
        )
    };
    let other = states.clone().find(|&s| found(s, u64::MAX).is_some());
    let other = other.expect("not all states are branching bisimilar");
    assert!(found(other, 10).is_none());
    let enough = (0..)
        .map(|k| 1 << k)
        .find(|&work| found(other, work).is_some());
    assert!(enough.unwrap() > 1000);
}

/// Whatever is left out in the time that there is, the formula tells the states apart.
#[test]
fn formulas_are_right_however_long_they_are_made_shorter() {
    // Behind `a`, states with a label each; in the second system one has another one too.
    const LABELS: [&str; 8] = ["b", "c", "d", "e", "f", "g", "h", "k"];
    let mut steps = Vec::new();
    for (k, label) in (0..).zip(LABELS) {
        for root in [0, 20] {
            steps.extend([(root, "a", root + 1 + k), (root + 1 + k, label, root)]);
        }
    }
    steps.push((21, "c", 20));
    let lts = hyades_testing::lts(&steps);
    let [p, q] = [0, 20].map(StateId::new);
    for (name, kind) in kinds(&only_a(&lts)) {
        for thorough in (0..2000).step_by(3).chain([1 << 20]) {
            let mut work = Work(Work::LIMIT);
            let found = reason_within(&lts, p, q, kind, usize::MAX, &mut work, thorough);
            let formula = found.unwrap_or_else(|| panic!("{name}")).formula;
            let holds = (formula.holds(&lts, p), formula.holds(&lts, q));
            assert_eq!(holds, (true, false), "{name}, {thorough}: {formula}");
        }
    }
}
