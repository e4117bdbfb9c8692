//! Parts of an LTS that another one shows: a trace, evidence, a difference.

use std::collections::{HashMap, HashSet};

use hyades_formats::seq::Sequence;
use hyades_formats::{LabelId, Lts, StateId};
use hyades_lts::chain;

use crate::lts::label_text;
use crate::scene::{Step, Trace};

/// A part of an LTS that is marked.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Whether each state is in it.
    pub states: Vec<bool>,
    /// Whether each transition is in it, in the order of the columns of the LTS.
    pub transitions: Vec<bool>,
    /// Whether it is a difference; otherwise it is something found.
    pub differs: bool,
    /// The traces that it consists of, if it does.
    pub traces: Vec<Trace>,
}

/// What a file shows of an LTS.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// A trace or another part.
    pub lts: &'a Lts,
    /// Its name.
    pub name: &'a str,
    /// Whether it is a difference.
    pub differs: bool,
    /// The sequences that it was made of, if it was read from SEQ.
    pub sequences: &'a [Sequence],
}

impl Part {
    /// What of `lts` simulates `shown` from both initial states on: states and transitions with
    /// labels of the same text; where nothing does, what can follow it step by step. If `shown` is
    /// a trace that cannot be
    /// followed to its end, `lts` may make hidden steps in between, for traces tell often
    /// only what is visible; and of a trace only that is marked which leads as far as
    /// possible; to states without transitions, if it asks for them and there are some. Each of
    /// several sequences is a trace.
    /// O(pairs of states that are reached and their transitions).
    pub fn of(lts: &Lts, shown: Shown<'_>) -> Self {
        let same = same_labels(lts, shown.lts);
        let mut part = Self::none(lts, shown.differs);
        match (shown.sequences, chain(shown.lts)) {
            ([], None) => part.add_graph(lts, &same, shown.lts),
            ([], Some(labels)) => {
                let sequence = Sequence {
                    labels,
                    deadlock: false,
                };
                part.add_trace(lts, &same, &sequence, shown, shown.name.to_owned());
            }
            ([sequence], _) => part.add_trace(lts, &same, sequence, shown, shown.name.to_owned()),
            (several, _) => {
                for (k, sequence) in several.iter().enumerate() {
                    let name = format!("{}: sequence {}", shown.name, k + 1);
                    part.add_trace(lts, &same, sequence, shown, name);
                }
            }
        }
        part
    }

    fn none(lts: &Lts, differs: bool) -> Self {
        Self {
            states: vec![false; lts.states()],
            transitions: vec![false; lts.transitions()],
            differs,
            traces: Vec::new(),
        }
    }

    /// Adds what can do all that `shown` does, state by state; where nothing in `lts` does all
    /// of it, what can follow it as far as each step goes.
    fn add_graph(&mut self, lts: &Lts, same: &[Option<LabelId>], shown: &Lts) {
        let pairs = Pairs::of(lts, same, shown);
        let mut lives = pairs.living();
        if !lives[0] {
            lives.fill(true);
        }
        let mut seen = vec![false; lives.len()];
        let mut open = vec![0];
        while let Some(pair) = open.pop() {
            if std::mem::replace(&mut seen[pair], true) {
                continue;
            }
            self.states[pairs.pairs[pair].0.index()] = true;
            for &(_, place, next) in &pairs.steps[pair] {
                if lives[next] {
                    self.transitions[place] = true;
                    open.push(next);
                }
            }
        }
    }

    /// Adds what leads along a trace as far as possible, and the trace.
    fn add_trace(
        &mut self,
        lts: &Lts,
        same: &[Option<LabelId>],
        sequence: &Sequence,
        shown: Shown<'_>,
        name: String,
    ) {
        let &Sequence {
            ref labels,
            deadlock,
        } = sequence;
        let own: Vec<Option<LabelId>> = labels.iter().map(|l| same[l.index()]).collect();
        let is_end = |state: &StateId| !deadlock || lts.row(*state).is_empty();
        // How far it goes: the steps, and then whether it ends as it asks.
        let reach = |levels: &[Vec<StateId>]| {
            let is_whole = levels.len() > own.len();
            let has_end = levels.last().is_some_and(|level| level.iter().any(is_end));
            (levels.len(), is_whole && has_end)
        };
        let mut levels = levels(lts, &own, false);
        let mut is_weak = false;
        if !reach(&levels).1 {
            let weak = self::levels(lts, &own, true);
            if reach(&weak) > reach(&levels) {
                (levels, is_weak) = (weak, true);
            }
        }
        let (reached, possible) = reach(&levels);
        let last = levels.last().into_iter().flatten().copied();
        let goal = last.filter(|state| !possible || is_end(state)).collect();
        let ways = self.mark(lts, &own, &levels, goal, is_weak);
        // One step that is not possible is told of.
        let steps = (0..own.len().min(reached)).map(|k| Step {
            text: match labels[k].is_hidden() {
                true => "i".to_owned(),
                false => label_text(shown.lts.table().text(labels[k])),
            },
            label: own[k].map(|label| label.get()),
            states: ways.get(k + 1).cloned().unwrap_or_default(),
        });
        self.traces.push(Trace {
            name,
            steps: steps.collect(),
            deadlock,
            possible,
        });
    }

    /// Marks what leads to `goal`, which is the last level or a part of it, and tells which
    /// states of each level do.
    fn mark(
        &mut self,
        lts: &Lts,
        own: &[Option<LabelId>],
        levels: &[Vec<StateId>],
        mut goal: HashSet<StateId>,
        is_weak: bool,
    ) -> Vec<Vec<u32>> {
        let mut ways = vec![Vec::new(); levels.len()];
        for k in (0..levels.len()).rev() {
            // Hidden steps within the level, backwards, until nothing is added.
            let is_last = k + 1 == levels.len();
            let mut here: HashSet<StateId> = if is_last {
                goal.clone()
            } else {
                HashSet::new()
            };
            if !is_last {
                for &state in &levels[k] {
                    for place in lts.row(state) {
                        if Some(lts.labels()[place]) == own[k]
                            && goal.contains(&lts.targets()[place])
                        {
                            self.transitions[place] = true;
                            here.insert(state);
                        }
                    }
                }
            }
            let mut grows = is_weak && (!is_last || here.len() < levels[k].len());
            while grows {
                grows = false;
                for &state in levels[k].iter().rev() {
                    if here.contains(&state) {
                        continue;
                    }
                    for place in lts.row(state) {
                        if lts.labels()[place].is_hidden() && here.contains(&lts.targets()[place]) {
                            self.transitions[place] = true;
                            grows |= here.insert(state);
                        }
                    }
                }
            }
            let mut states: Vec<u32> = here.iter().map(|state| state.get()).collect();
            states.sort_unstable();
            for &state in &states {
                self.states[state as usize] = true;
            }
            states.truncate(Step::MOST_STATES);
            ways[k] = states;
            goal = here;
        }
        ways
    }
}

/// States of an LTS, each with a state of a part that leads there by the same labels.
struct Pairs {
    pairs: Vec<(StateId, StateId)>,
    /// From each pair, for each transition of the part and one of the LTS with the same label:
    /// the number of the first among those of its state, the place of the second, and the pair
    /// that they lead to.
    steps: Vec<Vec<(usize, usize, usize)>>,
    /// How many transitions the state of the part has, for each pair.
    degrees: Vec<usize>,
}

impl Pairs {
    /// From both initial states on. O(pairs and their transitions).
    fn of(lts: &Lts, same: &[Option<LabelId>], shown: &Lts) -> Self {
        let start = (lts.initial(), shown.initial());
        let mut found = Self {
            pairs: vec![start],
            steps: Vec::new(),
            degrees: Vec::new(),
        };
        let mut numbers = HashMap::from([(start, 0)]);
        while let Some(&(state, at)) = found.pairs.get(found.steps.len()) {
            let mut steps = Vec::new();
            for (k, (label, next)) in shown.outgoing(at).enumerate() {
                for place in lts.row(state) {
                    if Some(lts.labels()[place]) == same[label.index()] {
                        let pair = (lts.targets()[place], next);
                        let number = *numbers.entry(pair).or_insert(found.pairs.len());
                        if number == found.pairs.len() {
                            found.pairs.push(pair);
                        }
                        steps.push((k, place, number));
                    }
                }
            }
            found.steps.push(steps);
            found.degrees.push(shown.outgoing(at).count());
        }
        found
    }

    /// Whether the state of each pair simulates that of the part: for each transition of this
    /// it has one to a pair of which that is true again. O(pairs and their transitions).
    fn living(&self) -> Vec<bool> {
        let mut lives = vec![true; self.pairs.len()];
        // How many ways there are yet for each transition of the part, and who looks at whom.
        let mut ways: Vec<Vec<usize>> = self.degrees.iter().map(|&of| vec![0; of]).collect();
        let mut before: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.pairs.len()];
        for (pair, steps) in self.steps.iter().enumerate() {
            for &(k, _, next) in steps {
                ways[pair][k] += 1;
                before[next].push((pair, k));
            }
        }
        let mut open = Vec::new();
        for (pair, ways) in ways.iter().enumerate() {
            if ways.contains(&0) {
                lives[pair] = false;
                open.push(pair);
            }
        }
        while let Some(dead) = open.pop() {
            for &(pair, k) in &before[dead] {
                ways[pair][k] -= 1;
                if ways[pair][k] == 0 && std::mem::replace(&mut lives[pair], false) {
                    open.push(pair);
                }
            }
        }
        lives
    }
}

/// The states after each step, from the initial one on, as far as there are some; with
/// hidden steps in between, if that is wanted, in the order in which they are found.
fn levels(lts: &Lts, own: &[Option<LabelId>], is_weak: bool) -> Vec<Vec<StateId>> {
    let close = |mut level: Vec<StateId>| {
        let mut seen: HashSet<StateId> = level.iter().copied().collect();
        let mut next = 0;
        while is_weak && next < level.len() {
            for (label, target) in lts.outgoing(level[next]) {
                if label.is_hidden() && seen.insert(target) {
                    level.push(target);
                }
            }
            next += 1;
        }
        level
    };
    let mut levels = vec![close(vec![lts.initial()])];
    for label in own {
        let before = levels.last().expect("there is one");
        let mut seen = HashSet::new();
        let mut after = Vec::new();
        for &state in before {
            for (of, target) in lts.outgoing(state) {
                if Some(of) == *label && seen.insert(target) {
                    after.push(target);
                }
            }
        }
        if after.is_empty() {
            break;
        }
        levels.push(close(after));
    }
    levels
}

/// The label of `lts` with the text of each label of `shown`.
fn same_labels(lts: &Lts, shown: &Lts) -> Vec<Option<LabelId>> {
    let visible = shown
        .table()
        .visible()
        .map(|(_, text)| lts.table().find(text));
    std::iter::once(Some(LabelId::HIDDEN))
        .chain(visible)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyades_formats::LtsBuilder;

    fn lts(states: u64, transitions: &[(u32, &str, u32)]) -> Lts {
        let mut builder = LtsBuilder::new(states);
        for &(source, label, target) in transitions {
            let target = StateId::new(target);
            let label = match label {
                "i" => LabelId::HIDDEN,
                text => builder.table_mut().intern(text.as_bytes()).unwrap(),
            };
            builder.add(StateId::new(source), label, target);
        }
        builder.build(StateId::new(0)).unwrap()
    }

    fn of(lts: &Lts, shown: &Lts, differs: bool) -> Part {
        let shown = Shown {
            lts: shown,
            name: "t",
            differs,
            sequences: &[],
        };
        Part::of(lts, shown)
    }

    #[test]
    fn a_trace_may_ask_for_a_deadlock() {
        let system = lts(
            5,
            &[
                (0, "a", 1),
                (0, "a", 2),
                (1, "b", 0),
                (0, "c", 3),
                (3, "i", 4),
            ],
        );
        let ends = |label: &str| {
            let trace = lts(2, &[(0, label, 1)]);
            let shown = Shown {
                lts: &trace,
                name: "t",
                differs: false,
                sequences: &[asking(&trace)],
            };
            Part::of(&system, shown)
        };
        let part = ends("a");
        assert_eq!(states(&part), [0, 2]);
        assert!(part.traces[0].possible);
        // After a hidden step.
        let part = ends("c");
        assert_eq!(states(&part), [0, 3, 4]);
        assert!(part.traces[0].possible);
        let system = lts(2, &[(0, "a", 1), (1, "b", 0)]);
        let trace = lts(2, &[(0, "a", 1)]);
        let shown = Shown {
            lts: &trace,
            name: "t",
            differs: false,
            sequences: &[asking(&trace)],
        };
        let part = Part::of(&system, shown);
        assert_eq!(states(&part), [0, 1]);
        let trace = &part.traces[0];
        assert!(!trace.possible);
        assert_eq!(trace.steps.len(), 1);
    }

    /// All of a trace, and then a deadlock.
    fn asking(trace: &Lts) -> Sequence {
        Sequence {
            labels: chain(trace).unwrap(),
            deadlock: true,
        }
    }

    /// Each by itself: what follows one and not the other is part of it.
    #[test]
    fn sequences_are_traces_of_their_own() {
        let system = lts(5, &[(0, "a", 1), (0, "i", 2), (2, "b", 3), (0, "c", 4)]);
        let tree = lts(4, &[(0, "a", 1), (0, "b", 2), (2, "d", 3)]);
        let label = |text: &str| tree.table().find(text.as_bytes()).unwrap();
        let sequence = |texts: &[&str], deadlock| Sequence {
            labels: texts.iter().map(|text| label(text)).collect(),
            deadlock,
        };
        let shown = Shown {
            lts: &tree,
            name: "t",
            differs: true,
            sequences: &[
                sequence(&["a"], true),
                sequence(&["b", "d"], false),
                sequence(&[], true),
            ],
        };
        let part = Part::of(&system, shown);
        assert!(part.differs);
        // b after a hidden step; and where it begins there is no deadlock.
        assert_eq!(states(&part), [0, 1, 2, 3]);
        let told = part.traces.iter().map(|trace| {
            let steps = trace.steps.len();
            (&*trace.name, steps, trace.deadlock, trace.possible)
        });
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                ("t: sequence 1", 1, true, true),
                ("t: sequence 2", 2, false, false),
                ("t: sequence 3", 0, true, false),
            ]
        );
    }

    fn states(part: &Part) -> Vec<usize> {
        (0..part.states.len()).filter(|&s| part.states[s]).collect()
    }

    #[test]
    fn of_a_trace_what_leads_to_its_end() {
        // After a, only 2 can go on.
        let system = lts(4, &[(0, "a", 1), (0, "a", 2), (2, "b", 3)]);
        let trace = lts(3, &[(0, "a", 1), (1, "b", 2)]);
        let part = of(&system, &trace, false);
        assert_eq!(states(&part), [0, 2, 3]);
        assert_eq!(part.transitions, [false, true, true]);
        let trace = &part.traces[0];
        assert!(trace.possible);
        assert_eq!(trace.steps[0].states, [2]);
        assert_eq!(trace.steps[1].states, [3]);
    }

    #[test]
    fn a_trace_that_is_not_possible_is_told_as_far_as_it_is() {
        let system = lts(2, &[(0, "a", 1)]);
        let trace = lts(4, &[(0, "a", 1), (1, "b", 2), (2, "c", 3)]);
        let trace = of(&system, &trace, true).traces.remove(0);
        assert!(!trace.possible);
        let texts: Vec<_> = trace.steps.iter().map(|step| &*step.text).collect();
        assert_eq!(texts, ["a", "b"]);
        assert!(trace.steps[1].states.is_empty());
    }

    #[test]
    fn hidden_steps_are_made_where_a_trace_needs_them() {
        let system = lts(4, &[(0, "i", 1), (1, "a", 2), (0, "i", 3)]);
        let trace = lts(2, &[(0, "a", 1)]);
        let part = of(&system, &trace, false);
        assert_eq!(states(&part), [0, 1, 2]);
        assert!(part.traces[0].possible);
    }

    #[test]
    fn evidence_is_followed_in_lockstep() {
        let system = lts(4, &[(0, "a", 1), (1, "b", 0), (1, "c", 2), (0, "d", 3)]);
        let shown = lts(2, &[(0, "a", 1), (1, "b", 0)]);
        let part = of(&system, &shown, false);
        assert_eq!(states(&part), [0, 1]);
        assert_eq!(part.transitions.iter().filter(|&&t| t).count(), 2);
        assert!(part.traces.is_empty());
    }

    /// What follows for a while and cannot do all of it is no part of it.
    #[test]
    fn evidence_is_what_simulates_it() {
        let steps = [
            (0, "a", 1),
            (0, "a", 2),
            (1, "b", 3),
            (2, "b", 4),
            (2, "c", 5),
            (3, "i", 3),
        ];
        let system = lts(6, &steps);
        let shown = lts(4, &[(0, "a", 1), (1, "b", 2), (1, "c", 3)]);
        let part = of(&system, &shown, false);
        assert_eq!(states(&part), [0, 2, 4, 5]);
        assert_eq!(part.transitions, [false, true, false, true, true, false]);
        // Cycles, of which there is one.
        let shown = lts(3, &[(0, "a", 1), (1, "b", 2), (2, "i", 2)]);
        let part = of(&system, &shown, false);
        assert_eq!(states(&part), [0, 1, 3]);
        // Where nothing does all of it, as far as it goes.
        let shown = lts(4, &[(0, "a", 1), (1, "b", 2), (1, "d", 3)]);
        let part = of(&system, &shown, true);
        assert_eq!(states(&part), [0, 1, 2, 3, 4]);
    }

    /// By the definition: the largest set of pairs that is a simulation, by going over all again.
    #[test]
    fn random_parts_are_those_of_the_definition() {
        hyades_testing::check(400, 8, |system, random| {
            let steps: Vec<_> = system.iter().collect();
            let mut builder = LtsBuilder::new(system.states() as u64);
            for (_, text) in system.table().visible() {
                builder.table_mut().intern(text).unwrap();
            }
            for &(source, label, target) in &steps {
                if random.chance(60) {
                    builder.add(source, label, target);
                }
            }
            // Mostly a part of it, sometimes of something else.
            let initial = match random.chance(20) {
                true => StateId::new(0),
                false => system.initial(),
            };
            let shown = builder.build(initial).unwrap();
            let same = same_labels(system, &shown);
            let pairs = Pairs::of(system, &same, &shown);
            let lives = pairs.living();
            let mut holds: HashSet<_> = pairs.pairs.iter().copied().collect();
            loop {
                let can = |state: StateId, at: StateId| {
                    shown.outgoing(at).all(|(label, next)| {
                        let mut row = system.outgoing(state);
                        row.any(|(own, to)| {
                            Some(own) == same[label.index()] && holds.contains(&(to, next))
                        })
                    })
                };
                let less: HashSet<_> = holds
                    .iter()
                    .copied()
                    .filter(|&(s, at)| can(s, at))
                    .collect();
                if less.len() == holds.len() {
                    break;
                }
                holds = less;
            }
            for (pair, &lives) in pairs.pairs.iter().zip(&lives) {
                if holds.contains(pair) != lives {
                    return Err(format!("{pair:?}"));
                }
            }
            Ok(())
        });
    }
}
