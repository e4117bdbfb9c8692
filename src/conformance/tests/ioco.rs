//! Tests by purposes and the relation ioco against their definitions, on random systems.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_testing::Random;

use crate::ioco::{
    Event, Interface, NoTest, Observation, Priority, PurposeError, Spelling, TestGraph,
    TestOptions, TestPurpose, Verdict, counterexample, generate,
};

const VISIBLE: [&str; 4] = ["?a", "?b", "!x", "!y"];
const GUARDS: [&str; 9] = ["?a", "?b", "!x", "!y", "i", "*", "?.", "!.", ".."];
/// The last one is quiescence.
const EVENTS: [&str; 5] = ["?a", "?b", "!x", "!y", "δ"];

/// An LTS as its definition says it: the rows of its states, of which 0 is initial.
#[derive(Clone, Debug)]
struct Plain(Vec<Vec<(&'static str, usize)>>);

impl Plain {
    fn lts(&self) -> Lts {
        let mut builder = LtsBuilder::new(self.0.len() as u64);
        // The same numbers of labels in all of them.
        for label in VISIBLE {
            builder.table_mut().intern(label.as_bytes()).unwrap();
        }
        for (source, row) in self.0.iter().enumerate() {
            for &(label, target) in row {
                let label = match label {
                    "i" => LabelId::HIDDEN,
                    text => builder.table_mut().intern(text.as_bytes()).unwrap(),
                };
                builder.add(
                    StateId::from_index(source),
                    label,
                    StateId::from_index(target),
                );
            }
        }
        builder.build(StateId::new(0)).unwrap()
    }

    fn random(random: &mut Random, states: usize) -> Self {
        let mut rows = vec![Vec::new(); states];
        for _ in 0..random.between(states, 3 * states) {
            let label = match random.chance(25) {
                true => "i",
                false => VISIBLE[random.between(0, 3)],
            };
            rows[random.between(0, states - 1)].push((label, random.between(0, states - 1)));
        }
        Self(rows)
    }

    /// It takes each input in each state.
    fn input_complete(mut self) -> Self {
        for (state, row) in self.0.iter_mut().enumerate() {
            for input in &VISIBLE[..2] {
                if !row.iter().any(|(label, _)| label == input) {
                    row.push((input, state));
                }
            }
        }
        self
    }

    fn is_quiescent(&self, state: usize) -> bool {
        let row = &self.0[state];
        let hidden = |state: usize| self.0[state].iter().filter(|(label, _)| *label == "i");
        let mut seen = BTreeSet::new();
        let mut open: Vec<usize> = hidden(state).map(|&(_, target)| target).collect();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                open.extend(hidden(next).map(|&(_, target)| target));
            }
        }
        row.iter().all(|(label, _)| label.starts_with('?')) || seen.contains(&state)
    }
}

fn interface(lts: &Lts) -> Interface {
    Interface::new(lts.table(), |text| text[0] == b'?').unwrap()
}

/// A purpose: the guards of its transitions, and its accepting and refusing states.
#[derive(Clone, Debug)]
struct Purpose {
    rows: Plain,
    accepting: BTreeSet<usize>,
    refusing: BTreeSet<usize>,
}

impl Purpose {
    fn random(random: &mut Random) -> Self {
        let states = random.between(2, 4);
        let mut rows = vec![Vec::new(); states];
        for _ in 0..random.between(states, 2 * states) {
            let guard = GUARDS[random.between(0, GUARDS.len() - 1)];
            rows[random.between(0, states - 2)].push((guard, random.between(0, states - 1)));
        }
        let refusing = match states > 2 && random.chance(60) {
            true => BTreeSet::from([states - 2]),
            false => BTreeSet::new(),
        };
        Self {
            rows: Plain(rows),
            accepting: BTreeSet::from([states - 1]),
            refusing,
        }
    }

    fn lts(&self) -> Lts {
        let mut all = self.rows.clone();
        for &state in &self.accepting {
            all.0[state].push(("ACCEPT", state));
        }
        for &state in &self.refusing {
            all.0[state].push(("refuse", state));
        }
        all.lts()
    }

    fn step(&self, state: usize, label: &str) -> BTreeSet<usize> {
        if self.accepting.contains(&state) || self.refusing.contains(&state) {
            return BTreeSet::from([state]);
        }
        let row = &self.rows.0[state];
        let is_for = |guard: &str| match (guard, label) {
            ("*", _) => false,
            ("i", _) | (_, "i") => guard == label,
            _ => guard
                .chars()
                .zip(label.chars())
                .all(|(g, l)| g == '.' || g == l),
        };
        let taken = row.iter().filter(|(guard, _)| is_for(guard));
        let mut targets: BTreeSet<usize> = taken.map(|&(_, target)| target).collect();
        if targets.is_empty() {
            let others = row.iter().filter(|(guard, _)| *guard == "*");
            targets = others.map(|&(_, target)| target).collect();
        }
        match targets.is_empty() {
            true => BTreeSet::from([state]),
            false => targets,
        }
    }
}

type Set = BTreeSet<(usize, usize)>;

/// A system and a purpose, by their definitions.
struct Product<'a> {
    system: &'a Plain,
    purpose: Option<&'a Purpose>,
    quiescence: bool,
}

impl Product<'_> {
    fn purpose_step(&self, state: usize, label: &str) -> BTreeSet<usize> {
        self.purpose
            .map_or(BTreeSet::from([0]), |p| p.step(state, label))
    }

    fn closed(&self, mut set: Set) -> Set {
        loop {
            let mut larger = set.clone();
            for &(q, p) in &set {
                for &(label, target) in &self.system.0[q] {
                    if label == "i" {
                        larger.extend(self.purpose_step(p, "i").into_iter().map(|p| (target, p)));
                    }
                }
            }
            if larger.len() == set.len() {
                return set;
            }
            set = larger;
        }
    }

    fn initial(&self) -> Set {
        self.closed(Set::from([(0, 0)]))
    }

    fn after(&self, set: &Set, event: &str) -> Set {
        let mut next = Set::new();
        for &(q, p) in set {
            if event == "δ" {
                if self.quiescence && self.system.is_quiescent(q) {
                    next.insert((q, p));
                }
                continue;
            }
            for &(label, target) in &self.system.0[q] {
                if label == event {
                    next.extend(self.purpose_step(p, label).into_iter().map(|p| (target, p)));
                }
            }
        }
        self.closed(next)
    }

    fn accepts(&self, set: &Set) -> bool {
        let purpose = self.purpose.unwrap();
        set.iter().any(|(_, p)| purpose.accepting.contains(p))
    }

    /// Whether something accepted can follow.
    fn leads(&self, set: &Set, known: &mut BTreeMap<Set, bool>) -> bool {
        if let Some(&leads) = known.get(set) {
            return leads;
        }
        let mut seen = BTreeSet::from([set.clone()]);
        let mut open = vec![set.clone()];
        let mut leads = false;
        while let Some(set) = open.pop() {
            leads |= self.accepts(&set);
            for event in EVENTS {
                let next = self.after(&set, event);
                if !next.is_empty() && seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        known.insert(set.clone(), leads);
        leads
    }
}

fn name(event: Event, graph: &TestGraph) -> String {
    match event {
        Event::Input(action) | Event::Output(action) => {
            String::from_utf8(graph.actions().text(action).to_vec()).unwrap()
        }
        Event::Quiescence => "δ".into(),
    }
}

/// What a test should have for an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    Nothing,
    Accepted,
    Further,
    Inconclusive,
}

/// Walks a test and the definition side by side.
fn check_test(graph: &TestGraph, product: &Product<'_>, options: &TestOptions) {
    let mut known = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![(0u32, product.initial(), Vec::<String>::new())];
    while let Some((node, set, trace)) = open.pop() {
        if !seen.insert((node, set.clone())) || trace.len() > 5 {
            continue;
        }
        let row: BTreeMap<String, _> = graph
            .row(node)
            .iter()
            .map(|step| (name(step.event, graph), step))
            .collect();
        assert_eq!(row.len(), graph.row(node).len(), "{trace:?}: deterministic");
        let stimuli = row.keys().filter(|event| event.starts_with('?')).count();
        if !options.complete {
            assert!(stimuli == 0 || row.len() == 1, "{trace:?}: controllable");
        }
        for event in EVENTS {
            let next = product.after(&set, event);
            let observed = !event.starts_with('?');
            let expected = match () {
                () if next.is_empty() => Expected::Nothing,
                () if product.accepts(&next) => Expected::Accepted,
                () if product.leads(&next, &mut known) => Expected::Further,
                () if observed => Expected::Inconclusive,
                () => Expected::Nothing,
            };
            let found = match row.get(event).map(|step| step.verdict) {
                None => Expected::Nothing,
                Some(Some(Verdict::Pass | Verdict::Reached)) => Expected::Accepted,
                Some(None) => Expected::Further,
                Some(Some(Verdict::Inconclusive)) => Expected::Inconclusive,
            };
            // A test case does not do all that could be done, nor wait where it does
            // something; without cycles less is followed.
            let is_left_out = match observed {
                true => !options.complete && stimuli > 0,
                false => !options.complete || options.acyclic,
            };
            let may_be = match (expected, options.acyclic) {
                (Expected::Further, true) if observed => Expected::Inconclusive,
                _ => expected,
            };
            let allowed = [expected, may_be];
            assert!(
                allowed.contains(&found) || is_left_out && found == Expected::Nothing,
                "{trace:?} {event}: {found:?} instead of {expected:?}"
            );
            if found == Expected::Further {
                let mut trace = trace.clone();
                trace.push(event.into());
                open.push((row[event].target, next.clone(), trace));
            }
            if found == Expected::Accepted {
                let states: BTreeSet<usize> = next.iter().map(|&(q, _)| q).collect();
                let home: BTreeSet<usize> = product.initial().iter().map(|&(q, _)| q).collect();
                let is_home = row[event].verdict == Some(Verdict::Pass);
                assert_eq!(is_home, states == home, "{trace:?} {event}");
                check_postamble(graph, product, row[event].target, states);
            }
        }
    }
    check_reachability(graph, options);
}

/// What is behind acceptance follows the specification until it is home.
fn check_postamble(graph: &TestGraph, product: &Product<'_>, node: u32, states: BTreeSet<usize>) {
    let plain = Product {
        purpose: None,
        ..*product
    };
    let home = plain.initial();
    let start: Set = states.into_iter().map(|q| (q, 0)).collect();
    let mut seen = BTreeSet::new();
    let mut open = vec![(node, start)];
    while let Some((node, set)) = open.pop() {
        if graph.row(node).is_empty() || !seen.insert((node, set.clone())) {
            continue;
        }
        let waits = graph.row(node).iter().any(|step| step.event.is_observed());
        for event in EVENTS {
            let next = plain.after(&set, event);
            let mut row = graph.row(node).iter();
            let step = row.find(|step| name(step.event, graph) == event);
            let observed = !event.starts_with('?');
            match step {
                None => assert!(next.is_empty() || !observed || !waits, "{event} is allowed"),
                Some(step) => {
                    assert!(!next.is_empty(), "{event} is not allowed");
                    let is_home = step.verdict == Some(Verdict::Pass);
                    assert_eq!(is_home, next == home, "{event}");
                    open.push((step.target, next));
                }
            }
        }
    }
}

/// From each state that has not ended, success can be reached; without cycles if asked.
fn check_reachability(graph: &TestGraph, options: &TestOptions) {
    let states = graph.states();
    let is_success = |verdict| matches!(verdict, Some(Verdict::Pass | Verdict::Reached));
    let mut good = vec![false; states];
    for _ in 0..states {
        for node in 0..states {
            let mut row = graph.row(node as u32).iter();
            good[node] |= row.any(|s| is_success(s.verdict) || good[s.target as usize]);
        }
    }
    // The longest path to each state, if there are no cycles.
    let mut depth = vec![0; states];
    for round in 0..=states {
        let mut changed = false;
        for node in 0..states {
            assert!(good[node] || graph.row(node as u32).is_empty());
            for step in graph.row(node as u32) {
                let longer = depth[node] + 1;
                changed |= longer > depth[step.target as usize];
                depth[step.target as usize] = longer.max(depth[step.target as usize]).min(states);
            }
        }
        if options.acyclic && round == states {
            assert!(!changed, "a cycle");
        }
    }
}

fn random_options(random: &mut Random) -> TestOptions {
    let mut priorities = Vec::new();
    if random.chance(30) {
        priorities.push(Priority::Stimuli);
    }
    if random.chance(30) {
        priorities.push(Priority::Purpose);
    }
    TestOptions {
        complete: random.chance(50),
        quiescence: random.chance(80),
        acyclic: random.chance(30),
        depth: None,
        postamble: random.chance(40),
        priorities,
        seed: random.chance(20).then(|| random.bits()),
    }
}

/// Each test that is generated has exactly what its definition says: all traces that the
/// purpose accepts in a complete test graph, none but these in a test case, and what is
/// allowed is never a fault.
#[test]
fn tests_are_what_the_definitions_say() {
    let (mut tests, mut none) = (0, 0);
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let states = random.between(1, 5);
        let system = Plain::random(&mut random, states);
        let purpose = Purpose::random(&mut random);
        let options = random_options(&mut random);
        let product = Product {
            system: &system,
            purpose: Some(&purpose),
            quiescence: options.quiescence,
        };
        let lts = system.lts();
        let automaton = TestPurpose::new(&purpose.lts(), lts.table()).unwrap();
        match generate(&lts, &interface(&lts), &automaton, &options) {
            Ok(graph) => {
                tests += 1;
                assert!(!product.accepts(&product.initial()), "seed {seed}");
                check_test(&graph, &product, &options);
            }
            Err(NoTest::AcceptedAtOnce) => {
                assert!(product.accepts(&product.initial()), "seed {seed}");
            }
            Err(NoTest::NothingAccepted) => {
                none += 1;
                let leads = product.leads(&product.initial(), &mut BTreeMap::new());
                assert!(!leads, "seed {seed}");
            }
        }
    }
    assert!(tests > 1000 && none > 100, "{tests} {none}");
}

/// Whether a run of a test on an implementation may end in Fail.
fn may_fail(graph: &TestGraph, implementation: &Product<'_>) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![(0, implementation.initial())];
    while let Some((node, set)) = open.pop() {
        if !seen.insert((node, set.clone())) {
            continue;
        }
        let row = graph.row(node);
        let waits = row.iter().any(|step| step.event.is_observed());
        for event in EVENTS {
            let next = implementation.after(&set, event);
            if next.is_empty() {
                continue;
            }
            match row.iter().find(|step| name(step.event, graph) == event) {
                Some(step) => open.push((step.target, next)),
                None if waits && !event.starts_with('?') => return true,
                None => {}
            }
        }
    }
    false
}

/// The shortest trace that shows that ioco does not hold, by enumeration of all traces
/// of the specification up to a length.
fn naive_ioco(
    implementation: &Product<'_>,
    specification: &Product<'_>,
    most: usize,
) -> Option<Vec<&'static str>> {
    let initial = (
        implementation.initial(),
        specification.initial(),
        Vec::new(),
    );
    let mut open = VecDeque::from([initial]);
    while let Some((own, allowed, trace)) = open.pop_front() {
        for event in EVENTS {
            let next = implementation.after(&own, event);
            let beside = specification.after(&allowed, event);
            let mut longer = trace.clone();
            longer.push(event);
            if beside.is_empty() && !next.is_empty() && !event.starts_with('?') {
                return Some(longer);
            }
            if !next.is_empty() && !beside.is_empty() && longer.len() < most {
                open.push_back((next, beside, longer));
            }
        }
    }
    None
}

fn spelt(observation: &Observation) -> String {
    match observation {
        Observation::Input(text) | Observation::Output(text) => {
            String::from_utf8(text.clone()).unwrap()
        }
        Observation::Quiescence => "δ".into(),
    }
}

/// A test never fails an implementation that conforms, and the complete test graph fails
/// each one that does something wrong on the way to the purpose.
#[test]
fn tests_are_sound_and_complete_test_graphs_exhaustive() {
    let (mut conforming, mut failing, mut wrong) = (0, 0, 0);
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let states = random.between(1, 4);
        let system = Plain::random(&mut random, states);
        // Often one that is made of the specification.
        let mut own = system.clone();
        match random.between(0, 2) {
            0 => own = Plain::random(&mut random, 3),
            1 => {
                let row = random.between(0, own.0.len() - 1);
                own.0[row].pop();
            }
            _ => {}
        }
        let own = own.input_complete();
        let purpose = Purpose::random(&mut random);
        let (lts, own_lts) = (system.lts(), own.lts());
        let (seen, own_seen) = (interface(&lts), interface(&own_lts));
        let plain = |system| Product {
            system,
            purpose: None,
            quiescence: true,
        };
        let (specification, implementation) = (plain(&system), plain(&own));
        let found = counterexample((&own_lts, &own_seen), (&lts, &seen));
        let found: Option<Vec<String>> = found.map(|trace| trace.iter().map(spelt).collect());
        match naive_ioco(&implementation, &specification, 4) {
            Some(trace) => assert_eq!(found.as_ref().map(Vec::len), Some(trace.len()), "{seed}"),
            None => assert!(found.as_ref().is_none_or(|t| t.len() > 4), "{seed}"),
        }
        if let Some(trace) = &found {
            wrong += 1;
            let (mut own, mut allowed) = (implementation.initial(), specification.initial());
            for (k, event) in trace.iter().enumerate() {
                own = implementation.after(&own, event);
                allowed = specification.after(&allowed, event);
                assert!(!own.is_empty(), "{seed}");
                assert_eq!(allowed.is_empty(), k + 1 == trace.len(), "{seed}");
            }
        }
        let automaton = TestPurpose::new(&purpose.lts(), lts.table()).unwrap();
        let options = random_options(&mut random);
        let Ok(test) = generate(&lts, &seen, &automaton, &options) else {
            continue;
        };
        let observed = Product {
            quiescence: options.quiescence,
            ..plain(&own)
        };
        let fails = may_fail(&test, &observed);
        conforming += usize::from(found.is_none());
        failing += usize::from(fails);
        assert!(found.is_some() || !fails, "seed {seed}: unsound");
        // A fault after a trace that can still be accepted.
        let complete = TestOptions {
            complete: true,
            ..TestOptions::default()
        };
        let Ok(graph) = generate(&lts, &seen, &automaton, &complete) else {
            continue;
        };
        let product = Product {
            purpose: Some(&purpose),
            ..plain(&system)
        };
        let is_wrong = fault_on_the_way(&implementation, &product);
        assert_eq!(is_wrong, may_fail(&graph, &implementation), "seed {seed}");
    }
    assert!(
        conforming > 200 && failing > 100 && wrong > 300,
        "{conforming} {failing} {wrong}"
    );
}

/// Whether an implementation does something wrong after a trace that is not accepted, and
/// that can become so.
fn fault_on_the_way(implementation: &Product<'_>, product: &Product<'_>) -> bool {
    let mut known = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![(implementation.initial(), product.initial())];
    while let Some((own, allowed)) = open.pop() {
        let is_over = product.accepts(&allowed) || !product.leads(&allowed, &mut known);
        if is_over || !seen.insert((own.clone(), allowed.clone())) {
            continue;
        }
        for event in EVENTS {
            let next = implementation.after(&own, event);
            let beside = product.after(&allowed, event);
            if !next.is_empty() && beside.is_empty() && !event.starts_with('?') {
                return true;
            }
            if !next.is_empty() && !beside.is_empty() {
                open.push((next, beside));
            }
        }
    }
    false
}

fn lts(transitions: &[(u32, &str, u32)]) -> Lts {
    let mut builder = LtsBuilder::new(1);
    for &(source, label, target) in transitions {
        builder.add_text(source, label.as_bytes(), target).unwrap();
    }
    builder.build(StateId::new(0)).unwrap()
}

#[test]
fn what_is_no_purpose_is_told() {
    let system = lts(&[(0, "?a", 0)]);
    let purpose = |transitions: &[_]| TestPurpose::new(&lts(transitions), system.table());
    let error = |transitions: &[_]| purpose(transitions).unwrap_err();
    assert_eq!(error(&[(0, "?a", 1)]), PurposeError::NoAccepting);
    assert_eq!(
        error(&[(0, "ACCEPT", 0), (0, "REFUSE", 0)]),
        PurposeError::Both(StateId::new(0))
    );
    assert_eq!(
        error(&[(0, "accept", 1)]),
        PurposeError::NoLoop(StateId::new(0), "accept".into())
    );
    let PurposeError::Pattern(text, _) = error(&[(0, "[a", 1), (1, "ACCEPT", 1)]) else {
        panic!("it is no regular expression");
    };
    assert_eq!(text, b"[a");
    let odd = purpose(&[(0, "?a", 1), (0, "?c", 1), (1, "ACCEPT", 1)]).unwrap();
    assert!(odd.unmatched().eq([b"?c"]));
}

/// Reasons for quiescence are told apart, though a tester cannot.
#[test]
fn locks_have_names() {
    let mut builder = LtsBuilder::new(1);
    for (source, label, target) in [(0, "?a", 1), (0, "?a", 2), (0, "?a", 3), (3, "?b", 3)] {
        builder.add_text(source, label.as_bytes(), target).unwrap();
    }
    builder.add(StateId::new(2), LabelId::HIDDEN, StateId::new(2));
    let system = builder.build(StateId::new(0)).unwrap();
    let purpose = lts(&[(0, "?b", 1), (1, "ACCEPT", 1)]);
    let purpose = TestPurpose::new(&purpose, system.table()).unwrap();
    let options = TestOptions {
        complete: true,
        ..TestOptions::default()
    };
    let test = generate(&system, &interface(&system), &purpose, &options).unwrap();
    let texts = |spelling| {
        let lts = test.to_lts(&spelling).unwrap();
        let row = lts.outgoing(StateId::new(1));
        row.map(|(label, _)| String::from_utf8(lts.table().text(label).to_vec()).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        texts(Spelling::default()),
        ["?b; OUTPUT (PASS)", "LOCK; INPUT"]
    );
    assert_eq!(
        texts(Spelling { tells_locks: true }),
        [
            "?b; OUTPUT (PASS)",
            "DEADLOCK; INPUT",
            "OUTPUTLOCK; INPUT",
            "LIVELOCK; INPUT"
        ]
    );
}

/// What is deeper than asked for is not looked at, and no fault.
#[test]
fn depth_bounds_the_search() {
    let system = lts(&[(0, "?a", 1), (1, "!x", 0), (1, "!y", 2), (2, "?b", 2)]);
    let purpose = lts(&[(0, "?b", 1), (1, "ACCEPT", 1)]);
    let purpose = TestPurpose::new(&purpose, system.table()).unwrap();
    let within = |depth| {
        let options = TestOptions {
            depth: Some(depth),
            ..TestOptions::default()
        };
        generate(&system, &interface(&system), &purpose, &options)
    };
    assert_eq!(within(2).unwrap_err(), NoTest::NothingAccepted);
    assert_eq!(within(3).unwrap().states(), 4);
}
