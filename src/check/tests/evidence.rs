//! Evidence against definitions: of systems in memory, of networks, and of what is none.

use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use hyades_explore::{ExploreOptions, Limits, LtsSink, Model, explore};
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_network::{Memory, NetworkModel, Options, from_text};
use hyades_testing::{Random, aut, check, mutated};

use super::{checks_again, naive, notes_hold, random};
use crate::decide::{Shown, part_shows, trace_shows};
use crate::evidence::{
    End, PartNote, Step, Way, goes_alone, is_endless, own_moves, suffices, way, wins,
};
use crate::game::{Game, Target};
use crate::graph::Graph;
use crate::parity::Player;
use crate::states::{Expansion, States};
use crate::syntax::{ActionFormula, Modality, Property, Regular, StateFormula};
use crate::{CheckOptions, Checked, Evidence, Verdict, check_lts, check_model, mcl};

pub fn formula(text: &str) -> Property {
    let parsed = mcl::parse(text.as_bytes(), "f", &mut mcl::NoLibraries);
    parsed.expect("a formula").property
}

/// An LTS from 0 on.
fn lts(transitions: &[(u32, &str, u32)]) -> Lts {
    let mut builder = LtsBuilder::new(1);
    for (source, text, target) in transitions {
        let label = builder.table_mut().intern(text.as_bytes()).expect("few");
        builder.add(StateId::new(*source), label, StateId::new(*target));
    }
    let states = transitions.iter().map(|(s, _, t)| s.max(t) + 1).max();
    builder.at_least(u64::from(states.unwrap_or(1)));
    builder.build(StateId::new(0)).expect("a small LTS")
}

fn shows(property: &Property, lts: &Lts, part: &Lts) -> bool {
    let verdict = verdict(property, lts);
    let options = CheckOptions::default();
    let shown = part_shows(property, verdict, lts.erased(), part, options);
    match shown.expect("values") {
        Shown::Yes => true,
        Shown::No(_) => false,
        Shown::Open(why) => panic!("{why:?}"),
    }
}

fn verdict(property: &Property, lts: &Lts) -> Verdict {
    let checked = check_lts(property, lts, CheckOptions::default());
    checked.expect("values").verdict
}

fn reasons() -> CheckOptions<'static> {
    CheckOptions {
        evidence: true,
        ..CheckOptions::default()
    }
}

/// What is told of the states of a way: after so many steps, a formula, whether it holds.
fn told(way: &Way) -> Vec<(usize, &str, bool)> {
    let notes = way.notes.iter();
    let mut told: Vec<_> = notes.map(|n| (n.after, &n.formula[..], n.holds)).collect();
    if let End::Decided { formula, holds, .. } = &way.end {
        told.push((way.steps.len(), formula, *holds));
    }
    told
}

/// The LTS with another initial state.
fn from(lts: &Lts, initial: StateId) -> Lts {
    let mut builder = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
    for (source, label, target) in lts.iter() {
        builder.add(source, label, target);
    }
    builder.build(initial).expect("a small LTS")
}

/// Two or three components side by side, with labels together and hidden ones.
fn network(first: &Lts, random: &mut Random) -> NetworkModel {
    let mut files = Memory::default();
    files.add("x0.aut", aut(first));
    let count = random.between(2, 3);
    let mut text = "\"x0.aut\"".to_owned();
    for k in 1..count {
        let mut other = first.clone();
        for _ in 0..random.between(0, 3) {
            other = mutated(&other, random);
        }
        files.add(format!("x{k}.aut"), aut(&other));
        let operator = ["|||", "|[\"a\"]|", "|[\"a\", \"b\"]|", "||"][random.between(0, 3)];
        text = format!("({text}) {operator} \"x{k}.aut\"");
    }
    if random.chance(40) {
        text = format!("hide \"b\" in {text} end hide");
    }
    let network = from_text("net.exp", text, &Options::default(), &files, &mut |_| {});
    NetworkModel::new(network.expect("a network"))
}

fn explored(model: &NetworkModel) -> Lts {
    let mut sink = LtsSink::new();
    let found = explore(model, ExploreOptions::default(), &mut sink).expect("few states");
    sink.finish(found.labels.into_owned()).expect("few states")
}

/// Makes of a formula that something holds after a step, or of a step that it leads to what
/// does not hold: a sequence leads there, and may not show the rest.
pub fn behind_a_step(property: &mut Property, random: &mut Random) {
    let modality = match random.chance(50) {
        true => Modality::Diamond,
        false => Modality::Box,
    };
    let below = std::mem::replace(&mut property.formula, StateFormula::Constant(true));
    let any = Regular::Action(ActionFormula::Constant(true));
    property.formula = StateFormula::Modal(modality, any.into(), below.into());
}

/// How many steps a way has; its states are those that the model has on it, and what it says
/// of its steps is what the model says.
fn goes_through(model: &NetworkModel, checked: &Checked) -> Result<usize, String> {
    let Some(Evidence::Way(Way { steps, .. })) = &checked.evidence else {
        return Ok(0);
    };
    let model = model.erased();
    let mut states = States::of_model(model, Limits::default()).expect("a model");
    let mut state = states.initial();
    let first = checked.packed.first();
    if !steps.is_empty() && first != states.packed(state).as_ref() {
        return Err(format!("{first:?} is not the initial state"));
    }
    for (k, step) in steps.iter().enumerate() {
        let Expansion::Row(start, end) = states.expand(state).expect("a model") else {
            return Err("there is no limit".into());
        };
        let text = checked.labels.text(step.label);
        let next = &checked.packed[k + 1];
        let is_it = |&place: &usize| {
            let (label, target) = states.transition(place);
            states.labels().text(label) == text && states.packed(target).as_ref() == Some(next)
        };
        let place = (start..end).find(is_it);
        let (label, target) = states.transition(place.ok_or("no such transition")?);
        if states.explain(state, label, target) != checked.explanations[k] {
            return Err(format!("{:?} is said elsewhere", checked.explanations[k]));
        }
        state = target;
    }
    Ok(steps.len())
}

/// On networks every verdict has a reason; a part has the verdict by itself, by the
/// definition, and shows it on the network.
#[test]
fn networks_have_reasons_as_defined() {
    // Ways, parts; of parts, those of formulas that ask for a path in vain; of ways, those
    // whose ends need more.
    let seen = Cell::new([0usize; 5]);
    let steps = Cell::new(0);
    check(12, 3, |first, random| {
        let model = network(first, random);
        let whole = explored(&model);
        if whole.states() > 30 {
            return Ok(());
        }
        for has_data in [false, false, true, false, true] {
            let mut property = random::property(random, random.clone().between(1, 4), has_data);
            if random.chance(40) {
                behind_a_step(&mut property, random);
            }
            let expected = naive::holds(&property, &whole);
            let options = CheckOptions {
                evidence: true,
                parts: true,
                residues: true,
                looks_ahead: random.chance(50),
                ..CheckOptions::default()
            };
            let checked = check_model(&property, model.erased(), options).expect("values");
            steps.set(steps.get() + goes_through(&model, &checked)?);
            let text = property.text();
            if (checked.verdict == Verdict::True) != expected {
                return Err(format!("not {expected}: {text}"));
            }
            checks_again(&property, &whole, &checked)?;
            let mut counts = seen.get();
            match &checked.evidence {
                None => return Err(format!("no reason: {text}")),
                Some(Evidence::Way(_)) => {
                    counts[0] += 1;
                    counts[3] += usize::from(checked.whole.is_some());
                }
                Some(Evidence::Part(part)) => {
                    counts[1] += 1;
                    counts[4] += notes_hold(part)?;
                    let options = CheckOptions::default();
                    let plain = check_model(&property, model.erased(), options).expect("values");
                    counts[2] += usize::from(plain.states < whole.states());
                    let options = CheckOptions::default();
                    let verdict = checked.verdict;
                    let shows = part_shows(&property, verdict, model.erased(), &part.lts, options);
                    if shows.expect("values") != Shown::Yes {
                        return Err(format!("{part:?} does not show {text}"));
                    }
                }
            }
            seen.set(counts);
        }
        Ok(())
    });
    let [ways, parts, early, more, notes] = seen.get();
    let seen = (ways, parts, early, more, notes);
    assert!(steps.get() > 100, "{}", steps.get());
    assert!(
        ways > 100 && parts > 100 && early > 20 && more > 5 && notes > 100,
        "{seen:?}"
    );
}

/// What is told of a state on a way is so there.
#[test]
fn what_is_told_on_ways_is_so() {
    let seen = Cell::new(0usize);
    check(60, 6, |lts, random| {
        for _ in 0..4 {
            let property = random::property(random, random.clone().between(1, 4), false);
            let checked = check_lts(&property, lts, reasons()).expect("no values");
            let Some(Evidence::Way(way)) = &checked.evidence else {
                continue;
            };
            for (after, formula, holds) in told(way) {
                // Others are about variables that are bound outside.
                let Ok(inner) = mcl::parse(formula.as_bytes(), "f", &mut mcl::NoLibraries) else {
                    continue;
                };
                let before = after.checked_sub(1);
                let state = before.map_or(lts.initial(), |k| StateId::new(way.steps[k].target));
                let there = from(lts, state);
                if naive::holds(&inner.property, &there) != holds {
                    let text = property.text();
                    return Err(format!("not {holds} after {after}: {formula}, of {text}"));
                }
                seen.set(seen.get() + 1);
            }
        }
        Ok(())
    });
    assert!(seen.get() > 300, "{}", seen.get());
}

/// How many transitions it takes the winner alone to the nearest end, if there is one: by
/// relaxing the distances of all positions until none changes.
fn nearest_end(game: &mut Game<'_, '_>, root: u32, winner: Player) -> Option<usize> {
    let first = game.position(root).node;
    let mut distances = BTreeMap::from([(root, 0)]);
    let mut best = None;
    let mut end_at = |distance: usize| {
        best = Some(best.map_or(distance, |best: usize| best.min(distance)));
    };
    loop {
        let before = distances.clone();
        for (&position, &distance) in &before {
            let node = game.position(position).node;
            let is_end = node != first && is_endless(game.graph, node, winner);
            if is_end && wins(game, position, winner, None).expect("values") {
                end_at(distance);
                continue;
            }
            let moves = game.moves_from(position).expect("values");
            let moves = moves.expect("all transitions");
            if !goes_alone(game, position, winner, &moves) {
                if wins(game, position, winner, None).expect("values") {
                    end_at(distance);
                }
                continue;
            }
            for next in own_moves(game, position, winner, moves) {
                let after = distance + usize::from(next.transition.is_some());
                match next.target {
                    Target::Won(player) if player == winner => end_at(after),
                    Target::Won(_) => {}
                    Target::To(target) => {
                        let known = distances.entry(target).or_insert(after);
                        *known = after.min(*known);
                    }
                }
            }
        }
        if distances == before {
            return best;
        }
    }
}

/// A way leads to the nearest end, and no further.
#[test]
fn ways_are_shortest() {
    let seen = Cell::new([0usize; 4]);
    for has_data in [false, true] {
        check(60, 6, |lts, random| {
            for depth in [2, 3, 4, 6] {
                let property = random::property(random, depth, has_data);
                let graph = Graph::new(&property).expect("a small formula");
                let mut game = Game::new(&graph, States::of_lts(lts));
                let Target::To(root) = game.start().expect("values") else {
                    continue;
                };
                let holds = naive::holds(&property, lts);
                let winner = if holds {
                    Player::Prover
                } else {
                    Player::Refuter
                };
                let way = way(&mut game, Target::To(root), winner, None).expect("values");
                let nearest = nearest_end(&mut game, root, winner);
                let found = way.as_ref().and_then(|(way, _)| match way.notes.first() {
                    Some(note) => Some(note.after),
                    None if matches!(way.end, End::Cycle(_)) => None,
                    None => Some(way.steps.len()),
                });
                if found != nearest {
                    let text = property.text();
                    return Err(format!("{found:?} steps, not {nearest:?}: {text}"));
                }
                let mut counts = seen.get();
                counts[nearest.map_or(3, |steps| steps.min(2))] += 1;
                seen.set(counts);
            }
            Ok(())
        });
    }
    assert!(seen.get().iter().all(|count| *count > 20), "{seen:?}");
}

/// What is first seen behind a step may be reached without one.
#[test]
fn nearer_ends_that_are_seen_later() {
    let here = lts(&[(0, "A", 0), (0, "B", 0)]);
    for (text, steps) in [
        ("< \"A\" | \"A\"* > 1 = 1", 0),
        ("let x:Nat := 1 in [ \"A\" | \"A\"* ] x = 2 end let", 0),
        (
            "let x:Bool := true in < \"A\"+ | \"A\" . \"B\" > < true > x end let",
            2,
        ),
        (
            "let x:Nat := 1 in < (\"A\"+ | \"A\" . \"B\"){4} > < true > x = 1 end let",
            5,
        ),
        ("< (\"A\"+ | \"A\" . \"B\"){4} > < true > true", 5),
        ("< \"A\" | \"A\"* > [ true ] < true > true", 0),
        ("[ \"A\" | \"A\"* ] INEVITABLE (\"C\")", 0),
        (
            "[ true* . \"A\"+ | \"A\" . \"B\" ] [ true ] INEVITABLE (\"C\")",
            2,
        ),
    ] {
        let property = formula(text);
        let graph = Graph::new(&property).expect("a small formula");
        let mut game = Game::new(&graph, States::of_lts(&here));
        let root = game.start().expect("values");
        let winner = match verdict(&property, &here) {
            Verdict::True => Player::Prover,
            _ => Player::Refuter,
        };
        let (way, _) = way(&mut game, root, winner, None)
            .expect("values")
            .expect("a way");
        let first = way.notes.first().map_or(way.steps.len(), |note| note.after);
        assert_eq!(first, steps, "{text}");
    }
}

/// Where a word has come to its end there is nothing more to tell.
#[test]
fn ways_of_whole_words_end_there() {
    let once = lts(&[(0, "A", 1)]);
    let twice = lts(&[(0, "B", 1), (1, "A", 2)]);
    for (system, text) in [
        (&once, "[ true+ ] false"),
        (&once, "[ \"A\" . \"A\"* ] false"),
        (&once, "[ \"A\" { 1 , } ] false"),
        (&once, "nu X . ([ \"A\"+ ] false and [ true ] X)"),
        (&once, "[ true* . \"A\" . true* ] false"),
        (&twice, "not < \"B\"+ > true"),
        (&twice, "[ true* . \"A\"+ ] false"),
    ] {
        let property = formula(text);
        let checked = check_lts(&property, system, reasons()).expect("no values");
        let Some(Evidence::Way(way)) = &checked.evidence else {
            panic!("{text}: {:?}", checked.evidence);
        };
        assert_eq!(way.end, End::Whole, "{text}");
    }
}

/// What is violated nowhere is shown by all that a path could take.
#[test]
fn what_no_path_violates_has_a_part() {
    let system = lts(&[(0, "a", 1), (1, "b", 0), (1, "c", 2), (2, "d", 2)]);
    for (text, size) in [
        ("[ true* ] < true > true", (3, 4)),
        ("[ (\"a\" or \"b\")* . \"d\" ] false", (2, 2)),
        ("< true* . \"a\" . \"a\" > true", (3, 4)),
        ("< true* > [ true ] false", (3, 4)),
    ] {
        let property = formula(text);
        let options = CheckOptions {
            evidence: true,
            parts: true,
            ..CheckOptions::default()
        };
        let checked = check_model(&property, system.erased(), options).expect("values");
        let Some(Evidence::Part(part)) = &checked.evidence else {
            panic!("{text}: {:?}", checked.evidence);
        };
        let part = &part.lts;
        assert_eq!((part.states(), part.transitions()), size, "{text}");
        assert_eq!(verdict(&property, part), checked.verdict, "{text}");
        assert!(shows(&property, &system, part), "{text}");
    }
}

/// A fixpoint with parameters is told with those values to begin with that it has in a state.
#[test]
fn fixpoints_are_told_with_their_values() {
    let system = lts(&[(0, "a", 1), (0, "b", 1), (1, "a", 0), (1, "b", 0)]);
    let text =
        "mu X (n:Nat := 3). if n = 0 then true else < true > true and [ true ] X (n - 1) end if";
    let property = formula(text);
    let options = || CheckOptions {
        evidence: true,
        parts: true,
        ..CheckOptions::default()
    };
    let checked = check_lts(&property, &system, options()).expect("values");
    let Some(Evidence::Part(part)) = &checked.evidence else {
        panic!("{:?}", checked.evidence);
    };
    assert!(notes_hold(part).expect("they hold") > 1);
    let is_fixpoint = |text: &&str| text.starts_with("(mu X");
    let all: Vec<&str> = part.notes.iter().map(|note| &*note.formula).collect();
    let fixpoints: Vec<&str> = all.iter().copied().filter(is_fixpoint).collect();
    for value in ["n:Nat := 2", "n:Nat := 1"] {
        assert!(fixpoints.iter().any(|text| text.contains(value)), "{all:?}");
    }
    let is_told = |note: &PartNote| note.values.is_empty() || !is_fixpoint(&&*note.formula);
    assert!(part.notes.iter().all(is_told));
    // One that is not read has any value, as what it begins with is not known there.
    let text =
        "exists n:Nat among { 1 ... 2 }. < true > nu X (m:Nat := n). [ true ] < true > X (1)";
    let property = formula(text);
    let checked = check_lts(&property, &system, options()).expect("values");
    let Some(Evidence::Way(way)) = &checked.evidence else {
        panic!("{:?}", checked.evidence);
    };
    let text = "(nu X (m:Nat := 0) . [ true ] < true > X (1))";
    assert_eq!(told(way)[0], (1, text, true));
}

/// States of a part are told apart by what they lead to, if not by labels.
#[test]
fn nondeterministic_parts() {
    let system = lts(&[
        (0, "a", 1),
        (0, "a", 2),
        (1, "b", 3),
        (2, "c", 3),
        (3, "d", 0),
    ]);
    let property = formula("[ \"a\" ] (< \"b\" > true or < \"c\" > true)");
    let part = lts(&[(0, "a", 1), (0, "a", 2), (1, "b", 3), (2, "c", 3)]);
    assert!(shows(&property, &system, &part));
    for wrong in [
        lts(&[(0, "a", 1), (0, "a", 2), (1, "b", 3)]),
        lts(&[(0, "a", 1), (1, "b", 3)]),
        lts(&[(0, "a", 1), (0, "a", 2), (1, "d", 3), (2, "c", 3)]),
    ] {
        assert!(!shows(&property, &system, &wrong), "{wrong:?}");
    }
    // What one state can do is not put together of several.
    let both = lts(&[(0, "a", 1), (1, "b", 2), (1, "c", 3)]);
    let property = formula("[ \"a\" ] (< \"b\" > true and < \"c\" > true)");
    let apart = lts(&[(0, "a", 1), (0, "a", 2), (1, "b", 3), (2, "c", 3)]);
    assert!(!shows(&property, &both, &apart));
    assert!(shows(&property, &both, &both));
}

/// A sequence stands for a lasso of the system only: it is not repeated where the system does
/// not.
#[test]
fn steps_are_repeated_where_the_system_repeats_them() {
    let line = lts(&[(0, "a", 1), (1, "a", 2), (2, "a", 3)]);
    let once = lts(&[(0, "a", 1)]);
    let circle = lts(&[(0, "a", 0)]);
    let behind = lts(&[(0, "c", 1), (1, "a", 2), (2, "b", 1)]);
    let twice = lts(&[(0, "c", 1), (1, "a", 2), (2, "b", 3)]);
    let line_of_them = lts(&[
        (0, "c", 1),
        (1, "a", 2),
        (2, "b", 3),
        (3, "a", 4),
        (4, "b", 5),
    ]);
    for (text, system, part, expected) in [
        ("< \"a\" . \"a\" . \"a\" > true", &line, &once, false),
        (
            "[ true* . \"a\" . \"a\" . \"a\" ] false",
            &line,
            &once,
            false,
        ),
        ("INEVITABLE (\"b\")", &line, &once, false),
        ("< \"a\" . \"a\" . \"a\" > true", &line, &line, true),
        ("INEVITABLE (\"b\")", &line, &line, true),
        ("< \"a\" . \"a\" . \"a\" > true", &circle, &once, true),
        ("< \"a\" > @", &circle, &once, true),
        ("< \"a\" > @", &circle, &line, true),
        (
            "< \"c\" . \"a\" . \"b\" . \"a\" > true",
            &line_of_them,
            &twice,
            false,
        ),
        (
            "< \"c\" . \"a\" . \"b\" . \"a\" > true",
            &behind,
            &twice,
            true,
        ),
        ("< true > @", &behind, &twice, true),
    ] {
        let property = formula(text);
        assert_eq!(shows(&property, system, part), expected, "{text} {part:?}");
    }
}

/// A limit leaves it open whether something is shown.
#[test]
fn limits_leave_it_open() {
    let system = lts(&[(0, "a", 1), (1, "b", 2), (2, "c", 0)]);
    let property = formula("[ true* ] < true > true");
    let limited = || CheckOptions {
        limits: hyades_explore::Limits {
            max_states: Some(2),
            max_memory: None,
        },
        ..CheckOptions::default()
    };
    let shown = part_shows(
        &property,
        Verdict::True,
        system.erased(),
        &system,
        limited(),
    );
    let is_open = |shown| matches!(shown, Shown::Open(Verdict::Limit(_)));
    assert!(is_open(shown.expect("values")));
    let property = formula("< true* . \"c\" > true");
    let labels = [Some(&b"a"[..]), Some(b"b"), Some(b"c")];
    let shown = |options| {
        let shown = trace_shows(&property, Verdict::True, system.erased(), &labels, options);
        shown.expect("values")
    };
    assert!(is_open(shown(limited())));
    assert_eq!(shown(CheckOptions::default()), Shown::Yes);
}

/// Some transitions of a system show a verdict if the winner wins with them alone, and none
/// once the other player has taken another one; in deterministic systems only then.
#[test]
fn parts_show_what_their_transitions_do() {
    let seen = Cell::new([0usize; 2]);
    check(30, 6, |lts, random| {
        let states: Range<u32> = 0..lts.states() as u32;
        let is_deterministic = states.clone().all(|state| {
            let row = lts.outgoing(StateId::new(state));
            let mut labels: Vec<LabelId> = row.map(|(label, _)| label).collect();
            let len = labels.len();
            labels.sort_unstable();
            labels.dedup();
            labels.len() == len
        });
        for depth in [1, 2, 3] {
            let property = random::property(random, depth, false);
            let winner = match verdict(&property, lts) {
                Verdict::True => Player::Prover,
                _ => Player::Refuter,
            };
            let mut steps = HashSet::new();
            let mut builder = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
            for state in states.clone().map(StateId::new) {
                for (label, target) in lts.outgoing(state) {
                    if random.chance(60) {
                        steps.insert((state, label, target));
                        builder.add(state, label, target);
                    }
                }
            }
            let part = builder.build(Lts::initial(lts)).expect("a small LTS");
            let is_chain = states.clone().all(|s| part.row(StateId::new(s)).len() <= 1);
            // The system twice: as long as the part has all, and afterwards.
            let count = lts.states() as u32;
            let mut builder = LtsBuilder::with_table(2 * u64::from(count), lts.table().clone());
            let mut allowed = Vec::new();
            for state in states.clone().map(StateId::new) {
                let after = |state: StateId| StateId::new(state.get() + count);
                for (label, target) in lts.outgoing(state) {
                    builder.add(after(state), label, after(target));
                    if steps.contains(&(state, label, target)) {
                        builder.add(state, label, target);
                        allowed.push(Step::new(state.get(), label, target.get()));
                    } else {
                        builder.add(state, label, after(target));
                    }
                }
            }
            let twice = builder.build(Lts::initial(lts)).expect("a small LTS");
            let graph = Graph::new(&property).expect("a small formula");
            let states = States::of_lts(&twice);
            let alone = suffices(&graph, states, winner, &allowed).expect("no values");
            let shown = shows(&property, lts, &part);
            let is_wrong = match alone {
                true => !shown,
                false => is_deterministic && !is_chain && shown,
            };
            if is_wrong {
                let text = property.text();
                return Err(format!("{shown:?}, not {alone}: {part:?}, {text}"));
            }
            let mut counts = seen.get();
            counts[usize::from(alone)] += 1;
            seen.set(counts);
        }
        Ok(())
    });
    assert!(seen.get().iter().all(|&n| n > 50), "{:?}", seen.get());
}
