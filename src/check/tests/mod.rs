//! Verdicts against definitions.

mod binding;
mod contract;
mod core_form;
mod evidence;
mod label_set;
mod mcf;
mod naive;
mod random;
mod within;

use std::cell::Cell;
use std::ops::ControlFlow;

use hyades_equivalence::compare::{Side, Verdict as Comparison, Witness};
use hyades_equivalence::formula::FormulaBuilder;
use hyades_equivalence::{Relation, compare, minimize};
use hyades_explore::{Limit, Limits, Model};
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_testing::{Random, Shape, check, mutated};

use crate::decide::{DecideError, Shown, part_shows, trace_shows};
use crate::evidence::{End, Part, Step, Way};
use crate::game::{Game, Target};
use crate::graph::Graph;
use crate::instances::Instances;
use crate::parity::Player;
use crate::sets::sets;
use crate::states::States;
use crate::syntax::Property;
use crate::{
    CheckOptions, Checked, Dependence, Evidence, Verdict, check_lts, check_model, hml, mcl,
};

/// Whether the formula holds, by the game.
fn by_game(property: &Property, lts: &Lts) -> bool {
    let graph = Graph::new(property).expect("a small formula");
    let mut game = Game::new(&graph, States::of_lts(lts));
    let winner = match game.start().expect("values") {
        Target::Won(player) => player,
        Target::To(root) => {
            let stopped = game.run(root, &mut |_, _| ControlFlow::Continue(()));
            assert_eq!(stopped.expect("values"), None);
            game.winner[root as usize].expect("a verdict")
        }
    };
    winner == Player::Prover
}

/// Random formulas on random systems, so many systems of each shape; how many formulas, and how
/// many with data that are also decided by sets.
fn random_formulas(rounds: u64) -> (usize, usize) {
    let (count, instantiated) = (Cell::new(0), Cell::new(0));
    for has_data in [false, true] {
        check(rounds, 6, |lts, random| {
            for depth in [2, 4, 6] {
                let mut property = random::property(random, depth, has_data);
                if random.chance(25) {
                    evidence::behind_a_step(&mut property, random);
                }
                count.set(count.get() + 1);
                as_defined(&property, lts)?;
                let graph = Graph::new(&property).expect("a small formula");
                let is_so = !graph.is_data_free() && Instances::new(&graph, lts).is_some();
                instantiated.set(instantiated.get() + usize::from(is_so));
            }
            Ok(())
        });
    }
    (count.get(), instantiated.get())
}

/// A formula has the same verdict by the definitions, by sets, by the game, and on the fly,
/// and what is shown shows it.
fn as_defined(property: &Property, lts: &Lts) -> Result<(), String> {
    let expected = naive::holds(property, lts);
    let wrong = |how: &str| format!("{how}: not {expected}: {}", property.text());
    let graph = Graph::new(property).expect("a small formula");
    let instances = Instances::new(&graph, lts);
    let instances = instances.as_ref().map(|instances| &instances.graph);
    let plain = graph.is_data_free().then_some(&graph);
    for solved in plain.into_iter().chain(instances) {
        let sets = sets(solved, lts, false, &mut || ControlFlow::Continue(())).expect("values");
        let set = sets[solved.root.index()]
            .as_ref()
            .expect("the root is kept");
        if set.contains(Lts::initial(lts).index()) != expected {
            return Err(wrong("sets"));
        }
    }
    let options = || CheckOptions {
        evidence: true,
        parts: true,
        residues: true,
        ..CheckOptions::default()
    };
    let on_file = check_lts(property, lts, options()).expect("values");
    let on_the_fly = |looks_ahead| {
        let options = CheckOptions {
            looks_ahead,
            ..options()
        };
        check_model(property, lts.erased(), options).expect("values")
    };
    for (how, checked) in [
        ("a file", on_file),
        ("on the fly", on_the_fly(false)),
        ("beside exploring", on_the_fly(true)),
    ] {
        if (checked.verdict == Verdict::True) != expected {
            return Err(wrong(how));
        }
        if checked.evidence.is_none() {
            return Err(wrong("no evidence"));
        }
        checks_again(property, lts, &checked)?;
    }
    match by_game(property, lts) == expected {
        true => Ok(()),
        false => Err(wrong("the game")),
    }
}

#[test]
fn random_formulas_as_defined() {
    let counts = random_formulas(40);
    assert!(counts.0 > 3000 && counts.1 > 500, "{counts:?}");
}

/// `HYADES_FORMULAS=100000 cargo test --release -p hyades-check -- --ignored many_random`
#[test]
#[ignore = "some minutes"]
fn many_random_formulas_as_defined() {
    let wanted: usize =
        std::env::var("HYADES_FORMULAS").map_or(10_000, |n| n.parse().expect("a number"));
    let each = 2 * 3 * Shape::ALL.len();
    let (count, _) = random_formulas(wanted.div_ceil(each) as u64);
    assert!(count >= wanted, "{count}");
    println!("{count} formulas");
}

/// Traces are replayed, parts and traces with what their ends need have the verdict by
/// themselves, and are parts; that they suffice is asserted where they are made.
fn checks_again(property: &Property, lts: &Lts, checked: &Checked) -> Result<(), String> {
    let wrong = |what: &dyn std::fmt::Debug| format!("{what:?} does not show {}", property.text());
    match &checked.evidence {
        None => Ok(()),
        Some(Evidence::Way(Way { steps, end, .. })) => {
            let text = |step: &Step| match step.label.is_hidden() {
                true => None,
                false => Some(checked.labels.text(step.label)),
            };
            let labels: Vec<Option<&[u8]>> = steps.iter().map(text).collect();
            let is_cycle = matches!(end, End::Cycle(_));
            let (verdict, model) = (checked.verdict, lts.erased());
            let options = CheckOptions::default();
            let shows = match is_cycle {
                true => part_shows(property, verdict, model, &sequence(&labels), options),
                false => trace_shows(property, verdict, model, &labels, options),
            };
            match shows.expect("values") {
                Shown::Yes => {}
                Shown::No(_) | Shown::Open(_) => return Err(wrong(&steps)),
            }
            match (&checked.whole, end) {
                (Some(whole), _) => checks_part(property, lts, checked.verdict, whole),
                (None, End::Cycle(_)) => Ok(()),
                (None, End::Whole | End::Decided { .. }) => {
                    let holds = checked.verdict == Verdict::True;
                    match naive::holds(property, &sequence(&labels)) == holds {
                        true => Ok(()),
                        false => Err(format!("alone, {}", wrong(&labels))),
                    }
                }
            }
        }
        Some(Evidence::Part(part)) => {
            notes_hold(part)?;
            checks_part(property, lts, checked.verdict, &part.lts)
        }
    }
}

/// Whether what is told of the states of a part is so in the part alone, and the ways lead
/// there; of how many formulas that can be asked by themselves.
fn notes_hold(Part { lts, notes, .. }: &Part) -> Result<usize, String> {
    let mut asked = 0;
    for note in notes {
        let mut reached = vec![lts.initial()];
        for &label in &note.way {
            let next = reached.iter().flat_map(|&state| lts.outgoing(state));
            reached = next
                .filter(|step| step.0 == label)
                .map(|step| step.1)
                .collect();
        }
        if !reached.contains(&note.state) {
            return Err(format!("no way leads to {note:?} in {lts:?}"));
        }
        // Within a fixpoint it may speak of that.
        let parsed = mcl::parse(note.formula.as_bytes(), "f", &mut mcl::NoLibraries);
        let Some(parsed) = parsed.ok().filter(|_| note.values.is_empty()) else {
            continue;
        };
        asked += 1;
        let mut builder = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
        for (source, label, target) in lts.iter() {
            builder.add(source, label, target);
        }
        let from_there = builder.build(note.state).expect("a small LTS");
        if naive::holds(&parsed.property, &from_there) != note.holds {
            return Err(format!("{note:?} is wrong in {lts:?}"));
        }
    }
    Ok(asked)
}

fn checks_part(property: &Property, lts: &Lts, verdict: Verdict, part: &Lts) -> Result<(), String> {
    let alone = check_lts(property, part, CheckOptions::default()).expect("values");
    let holds = naive::holds(property, part) == (verdict == Verdict::True);
    let options = CheckOptions::default();
    let shows = part_shows(property, verdict, lts.erased(), part, options).expect("values");
    match alone.verdict == verdict && holds && shows == Shown::Yes && is_part(part, lts) {
        true => Ok(()),
        false => Err(format!("{part:?} does not show {}", property.text())),
    }
}

/// A chain.
fn sequence(labels: &[Option<&[u8]>]) -> Lts {
    let mut builder = LtsBuilder::new(labels.len() as u64 + 1);
    for (k, label) in labels.iter().enumerate() {
        let label = match label {
            None => LabelId::HIDDEN,
            Some(text) => builder.table_mut().intern(text).expect("few labels"),
        };
        builder.add(StateId::from_index(k), label, StateId::from_index(k + 1));
    }
    builder.build(StateId::from_index(0)).expect("a small LTS")
}

/// Whether each step of the first can be simulated by the second.
fn is_part(part: &Lts, whole: &Lts) -> bool {
    let steps = |lts: &Lts, state: usize| -> Vec<(Option<Vec<u8>>, usize)> {
        let text = |label: LabelId| (!label.is_hidden()).then(|| lts.table().text(label).to_vec());
        let steps = lts.outgoing(StateId::from_index(state));
        steps.map(|(l, t)| (text(l), t.get() as usize)).collect()
    };
    let mut simulated = vec![vec![true; whole.states()]; part.states()];
    loop {
        let mut changed = false;
        for s in 0..part.states() {
            for t in 0..whole.states() {
                let matched = steps(part, s).iter().all(|(label, after)| {
                    let mut others = steps(whole, t).into_iter();
                    others.any(|(other, to)| other == *label && simulated[*after][to])
                });
                if simulated[s][t] && !matched {
                    simulated[s][t] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            let initial = |lts: &Lts| Lts::initial(lts).get() as usize;
            return simulated[initial(part)][initial(whole)];
        }
    }
}

/// What a formula is said to depend on decides it: on quotients by all relations.
#[test]
fn what_is_kept_is_the_same_on_quotients() {
    let kept = Cell::new([0usize; Relation::ALL.len()]);
    check(60, 8, |lts, random| {
        for depth in [1, 2, 3, 4] {
            let property = random::weak_property(random, depth);
            let expected = check_lts(&property, lts, CheckOptions::default()).expect("values");
            let dependence = Dependence::of(&property);
            for relation in Relation::ALL {
                if !relation.has_quotient() || !dependence.is_kept_by(relation) {
                    continue;
                }
                let Ok(small) = minimize(lts.clone(), relation) else {
                    continue;
                };
                let found = check_lts(&property, &small.lts, CheckOptions::default());
                if found.expect("values").verdict != expected.verdict {
                    return Err(format!("{relation}: {}", property.text()));
                }
                let mut counts = kept.get();
                counts[relation as usize] += 1;
                kept.set(counts);
            }
        }
        Ok(())
    });
    for relation in [
        Relation::Trace,
        Relation::WeakTrace,
        Relation::Branching,
        Relation::DivBranching,
    ] {
        assert!(
            kept.get()[relation as usize] > 200,
            "{relation}: {:?}",
            kept.get()
        );
    }
}

/// Which formulas are kept by what.
#[test]
fn what_formulas_depend_on() {
    let of = |text: &str| {
        let parsed = mcl::parse(text.as_bytes(), "f", &mut mcl::NoLibraries);
        let own = Dependence::of(&parsed.expect("a formula").property);
        let all = [
            (own.traces, 't'),
            (own.weak_traces, 'w'),
            (own.branching, 'b'),
            (own.divergence, 'd'),
            (own.deadlock, 'x'),
        ];
        let letters = all.into_iter().filter(|(holds, _)| *holds);
        letters.map(|(_, letter)| letter).collect::<String>()
    };
    for (formula, expected) in [
        ("[ true* . \"A\" ] false", "twbd"),
        ("[ \"A\" ] false", "t"),
        ("< tau* . \"A\" . tau* . \"B\" > true", "twbd"),
        ("< tau* . \"A\" . \"B\" > true", "t"),
        ("< tau > true", "t"),
        ("[ true* ] < true > true", "dx"),
        ("[ true* . \"A\" ] < true > true", ""),
        ("[ true* ] < true* . \"A\" > true", "bd"),
        ("[ true* ] < \"A\" > true", ""),
        ("INEVITABLE (\"A\")", "d"),
        ("[ true* . \"A\" ] INEVITABLE (\"B\")", "d"),
        ("INEVITABLE (tau)", ""),
        ("LIVELOCK", "d"),
        ("< visible > @", ""),
        (
            "[ true* ] [ \"A\" ] false and < true* . \"B\" > true",
            "twbd",
        ),
        (
            "nu X. [ true* . \"A\" ] (< true* . \"B\" > true and X)",
            "bd",
        ),
        ("mu X. < \"A\" > X or [ true ] false", ""),
        ("true", "twbd"),
    ] {
        assert_eq!(of(formula), expected, "{formula}");
    }
}

/// What is written of a formula reads as the same formula.
#[test]
fn formulas_of_mcl_are_read_as_they_are_written() {
    let mut count = 0;
    for entry in std::fs::read_dir(format!("{}/testdata/check", hyades_testing::ROOT)).unwrap() {
        let path = entry.unwrap().path();
        let parse = |text: &[u8]| mcl::parse(text, "f.mcl", &mut mcl::NoLibraries);
        if path.extension().is_none_or(|e| e != "mcl") {
            continue;
        }
        let Ok(parsed) = parse(&std::fs::read(&path).unwrap()) else {
            continue;
        };
        count += 1;
        let text = parsed.property.text();
        for written in [&text, &parsed.expanded] {
            let again = parse(written.as_bytes());
            let again = again.unwrap_or_else(|e| panic!("{}: {e}: {written}", path.display()));
            assert_eq!(again.property.text(), text, "{}", path.display());
        }
    }
    assert!(count > 70, "{count}");
}

/// Formulas that comparisons show, and what they are made of: as their own evaluator says.
#[test]
fn hennessy_milner_formulas_as_their_definition() {
    check(60, 8, |lts, random| {
        for _ in 0..5 {
            let mut builder = FormulaBuilder::new();
            let label = |builder: &mut FormulaBuilder, k: usize| match k {
                0 => LabelId::HIDDEN,
                k => builder.label(&[b'`' + k as u8]).expect("few labels"),
            };
            let mut nodes = vec![builder.and([]), builder.or([])];
            for _ in 0..random.between(1, 9) {
                let any = |random: &mut Random| random.between(0, nodes.len() - 1);
                let (x, y) = (nodes[any(random)], nodes[any(random)]);
                let label = label(&mut builder, random.between(0, 3));
                nodes.push(match random.between(0, 8) {
                    0 => builder.and([x, y]),
                    1 => builder.or([x, y]),
                    2 => builder.not(x),
                    3 => builder.diamond(label, x),
                    4 => builder.boxed(label, x),
                    5 => builder.weak_diamond(label, x),
                    6 => builder.weak_box(label, x),
                    7 => builder.until(x, label, y),
                    _ => builder.divergence(x),
                });
            }
            let formula = builder.build(nodes[nodes.len() - 1]);
            for state in (0..lts.states()).map(StateId::from_index) {
                let expected = formula.holds(lts, state);
                let found = hml::holds(&formula, lts, state, usize::MAX);
                if found != Some(expected) {
                    return Err(format!("{found:?} in {state}, not {expected}: {formula}"));
                }
            }
            // And in the language of mCRL2.
            let text = formula.to_mcf().expect("a small formula of actions");
            let parsed = crate::mcf::parse(text.as_bytes(), "f");
            let property = parsed.map_err(|e| format!("{e}: {text}"))?.property;
            if by_game(&property, lts) != formula.holds(lts, Lts::initial(lts)) {
                return Err(format!("{text}: not as {formula}"));
            }
        }
        Ok(())
    });
}

/// What comparisons show holds on the one side only.
#[test]
fn reasons_hold_on_one_side() {
    let seen = std::cell::Cell::new(0);
    check(40, 6, |lts, random| {
        let other = mutated(lts, random);
        let sides = [lts, &other];
        for relation in Relation::ALL {
            let verdict = compare(lts.clone(), other.clone(), relation).expect("small systems");
            let Comparison::Fails(Some(Witness::Formula(claim))) = verdict else {
                continue;
            };
            let holds =
                sides.map(|lts| hml::holds(&claim.formula, lts, Lts::initial(lts), usize::MAX));
            let expected = [Side::First, Side::Second].map(|side| Some(side == claim.holds_in));
            if holds != expected {
                return Err(format!("{relation}: {holds:?}: {}", claim.formula));
            }
            seen.set(seen.get() + 1);
        }
        Ok(())
    });
    assert!(seen.get() > 1000);
}

/// A label for which an action has no value is an error where a transition has it that is met,
/// of a file as on the fly, and is named.
#[test]
fn labels_without_values_matter_where_they_are_met() {
    let property = |text: &str| {
        let parsed = mcl::parse(text.as_bytes(), "f", &mut mcl::NoLibraries);
        parsed.expect("a formula").property
    };
    let divides = "{ G ?x:Nat where 10 / x > 1 }";
    let system = |transitions: &[(u32, &str, u32)]| {
        let mut builder = LtsBuilder::new(1);
        for (source, label, target) in transitions {
            let added = builder.add_text(*source, label.as_bytes(), *target);
            added.expect("few labels");
        }
        builder.build(StateId::new(0)).expect("a small LTS")
    };
    let apart = system(&[(0, "G !1", 1), (2, "G !0", 2)]);
    let behind = system(&[(0, "G !1", 1), (1, "A", 2), (2, "G !0", 2)]);
    let first = system(&[(0, "G !0", 1), (0, "G !1", 1), (1, "G !00", 1)]);
    for (lts, text, expected) in [
        (&apart, format!("< {divides} > true"), Some(true)),
        (&apart, format!("nu X . [ {divides} ] X"), Some(true)),
        (&apart, format!("[ true* . {divides} ] false"), Some(false)),
        (&behind, format!("< {divides} . \"A\" > true"), Some(true)),
        (
            &behind,
            format!("[ true* ] [ {divides} . \"B\" ] false"),
            None,
        ),
        (&first, format!("< true* . {divides} > false"), None),
        (&first, format!("INEVITABLE ({divides})"), None),
    ] {
        let property = property(&text);
        let told = |checked: Result<Checked, DecideError>| match checked {
            Ok(checked) => Some(checked.verdict == Verdict::True),
            Err(error) => {
                let error = error.to_string();
                assert!(error.ends_with("in the label `G !0`"), "{text}: {error}");
                None
            }
        };
        let options = CheckOptions::default;
        assert_eq!(
            told(check_lts(&property, lts, options())),
            expected,
            "{text}"
        );
        let found = check_model(&property, lts.erased(), options());
        assert_eq!(told(found), expected, "{text}, on the fly");
    }
}

/// Whether a reason is wanted does not matter for the verdict, also where a label without a
/// value is met in the search for it.
#[test]
fn searching_reasons_changes_no_verdict() {
    let formulas = [
        "< true* . \"A\" . { G ?x:Nat where 10 / x > 1 } > true",
        "[ true* ] < { G ?x:Nat where 10 / x > 1 } > true",
        "< true* > [ { G ?x:Nat where 10 / x > 1 } ] false",
        "mu X . (< { G ?x:Nat where 10 / x > 1 } > true or [ true ] X)",
        "nu X . (< \"A\" > true and [ { G ?x:Nat where 10 / x > 1 } ] X)",
    ]
    .map(|text| {
        let parsed = mcl::parse(text.as_bytes(), "f", &mut mcl::NoLibraries);
        parsed.expect("a formula").property
    });
    let (mut told, mut unshown) = (0, 0);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let n = random.between(2, 7) as u32;
        let mut builder = LtsBuilder::new(n.into());
        for _ in 0..2 * n {
            let label = ["A", "G !0", "G !1", "G !4"][random.between(0, 3)];
            let [source, target] = [(); 2].map(|()| random.between(0, n as usize - 1) as u32);
            builder
                .add_text(source, label.as_bytes(), target)
                .expect("few labels");
        }
        let lts = builder.build(StateId::new(0)).expect("a small LTS");
        for property in &formulas {
            for (on_the_fly, looks_ahead) in [(false, false), (true, false), (true, true)] {
                let decide = |evidence: bool| {
                    let options = CheckOptions {
                        evidence,
                        parts: evidence,
                        residues: evidence,
                        looks_ahead,
                        ..CheckOptions::default()
                    };
                    match on_the_fly {
                        false => check_lts(property, &lts, options),
                        true => check_model(property, lts.erased(), options),
                    }
                };
                match (decide(false), decide(true)) {
                    (Ok(plain), Ok(shown)) => {
                        assert_eq!(plain.verdict, shown.verdict);
                        assert!(shown.evidence.is_some() != shown.unshown.is_some());
                        told += 1;
                        unshown += usize::from(shown.unshown.is_some());
                    }
                    (Err(plain), Err(shown)) => assert_eq!(plain.to_string(), shown.to_string()),
                    (plain, shown) => panic!("{plain:?} {shown:?}"),
                }
            }
        }
    }
    assert!(told > 1000 && unshown > 0, "{told} {unshown}");
}

/// A search is at as few nodes as tell what is left: repetitions of what is repeated at any
/// rate are none.
#[test]
fn searches_with_nodes_that_go_on_alike() {
    let mut ring = LtsBuilder::new(8);
    for state in 0..8 {
        ring.add_text(state, b"A", (state + 1) % 8)
            .expect("few labels");
    }
    let ring = ring.build(StateId::new(0)).expect("a small LTS");
    let text = "< ((true*){30}){30} . \"X\" > true";
    let parsed = mcl::parse(text.as_bytes(), "f", &mut mcl::NoLibraries);
    let property = parsed.expect("a formula").property;
    let found = check_model(&property, ring.erased(), CheckOptions::default());
    let found = found.expect("values");
    assert_eq!(found.verdict, Verdict::False);
    assert!(found.states <= 16, "{} states", found.states);
}

/// A verdict stands where a limit is reached before there is a reason.
#[test]
fn a_verdict_stands_without_a_reason() {
    let ring = ring(20_000);
    for text in [
        "[ true* ] < true* . \"A !1\" > true",
        "[ true* . {B ?x: nat} ] < true* . {A !x} > true",
    ] {
        let property = evidence::formula(text);
        let decide = |max_memory: Option<u64>| {
            let limits = Limits {
                max_memory,
                ..Limits::default()
            };
            let options = CheckOptions {
                limits,
                evidence: true,
                parts: true,
                ..CheckOptions::default()
            };
            check_lts(&property, &ring, options).expect("values")
        };
        let free = decide(None);
        let tight = decide(Some(1 << 16));
        assert_eq!(free.verdict, tight.verdict, "{text}");
        assert!(
            free.evidence.is_some() && tight.evidence.is_none(),
            "{text}"
        );
        assert!(tight.unshown.is_none(), "{text}");
    }
}

/// A path of `A !1` and then `B !1` round to where it begins.
fn ring(n: u32) -> Lts {
    let mut ring = LtsBuilder::new(n.into());
    for state in 0..n {
        let label: &[u8] = if state == 0 { b"A !1" } else { b"B !1" };
        ring.add_text(state, label, (state + 1) % n)
            .expect("few labels");
    }
    ring.build(StateId::new(0)).expect("a small LTS")
}

/// Sets of states are left when somebody wants an end: between actions, and between parts of
/// the formula.
#[test]
fn sets_of_states_can_be_interrupted() {
    let property = evidence::formula("< \"A !1\" > true and [ 'B.*' ] nu X . < true > X");
    let ring = ring(3);
    let asked = |most: usize| {
        let mut asked = 0;
        let mut progress = |_: usize, _: usize| {
            asked += 1;
            match asked > most {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let options = CheckOptions {
            progress: Some(&mut progress),
            ..CheckOptions::default()
        };
        let checked = check_lts(&property, &ring, options).expect("values");
        (checked.verdict, asked)
    };
    let (verdict, all) = asked(usize::MAX);
    assert_eq!(verdict, Verdict::True);
    assert!(all > 5, "{all} times");
    for most in 0..all {
        assert_eq!(asked(most), (Verdict::Interrupted, most + 1));
    }
}

/// What needs all states is decided when the explorer has them, long before the game has.
#[test]
fn what_needs_all_states_is_explored() {
    let n = 20_000;
    let ring = ring(n);
    let property = evidence::formula("[ true* ] < true* . \"A !1\" > true");
    let positions = |looks_ahead: bool, limits: Limits| {
        let mut most = 0;
        let mut progress = |_: usize, positions: usize| {
            most = most.max(positions);
            ControlFlow::Continue(())
        };
        let options = CheckOptions {
            limits,
            looks_ahead,
            progress: Some(&mut progress),
            ..CheckOptions::default()
        };
        let checked = check_model(&property, ring.erased(), options).expect("values");
        (checked.verdict, most)
    };
    let (verdict, most) = positions(false, Limits::default());
    assert_eq!(verdict, Verdict::True);
    assert!(most > n as usize, "{most} positions");
    let (verdict, most) = positions(true, Limits::default());
    assert_eq!(verdict, Verdict::True);
    assert!(most < n as usize, "{most} positions");
    // Nor does it go beyond a limit.
    let limits = Limits {
        max_states: Some(u64::from(n) - 1),
        ..Limits::default()
    };
    let (verdict, _) = positions(true, limits);
    assert_eq!(verdict, Verdict::Limit(Limit::States));
}
