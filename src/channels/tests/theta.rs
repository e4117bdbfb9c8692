//! The generic transformation: what it proves against exploring systems before and
//! after a change.

use std::collections::BTreeSet;

use hyades_explore::Limits;
use hyades_formats::StateId;
use hyades_testing::Random;

use super::super::theta::{Applicability, Options, PartialRegion, Theorem, prove};
use super::super::*;
use super::random::{Recipe, applications, mutated};

const UNKNOWN: PartialRegion = PartialRegion {
    states: None,
    transitions: None,
    entries: None,
    exits: None,
};

/// Enough for small machines.
const QUICK: Options = Options {
    transitions: 5,
    lag: 4,
    effort: 3000,
};

fn one_of<T: Clone>(list: &[T], random: &mut Random) -> Option<T> {
    let last = list.len().checked_sub(1)?;
    Some(list[random.between(0, last)].clone())
}

/// A change of a machine that may or may not be error-preserving: the rules, the rules
/// without what they assume, and any other.
fn changed(machine: &Machine, random: &mut Random) -> Option<Machine> {
    let mut new = machine.clone();
    let transitions: Vec<Transition> = machine.transitions().collect();
    let states = (0..machine.states()).map(StateId::from_index);
    let states: Vec<StateId> = states.collect();
    match random.between(0, 13) {
        0 => new = mutated(machine, random),
        // A shortcut for a walk.
        1 => {
            let mut walk = one_of(&transitions, random)?;
            for _ in 0..random.between(1, 2) {
                let next: Vec<Transition> = machine.outgoing(walk.target).collect();
                walk = walk.then(&one_of(&next, random)?);
            }
            if random.chance(50) {
                new.remove(&one_of(&transitions, random)?);
            }
            new.insert(walk);
        }
        // Two events change places.
        2 => {
            let victim = one_of(&transitions, random)?;
            let mut label = victim.label.to_vec();
            let place = random.between(0, label.len() - 1);
            label.swap(place, random.between(0, victim.label.len() - 1));
            new.remove(&victim);
            new.insert(Transition::new(victim.source, label, victim.target));
        }
        // A state between two events.
        3 => {
            let victim = one_of(&transitions, random)?;
            let (one, other) = victim.label.split_at(random.between(0, victim.label.len()));
            if one.is_empty() || other.is_empty() {
                return None;
            }
            new = Machine::new(
                machine.id(),
                machine.channels().clone(),
                machine.initial(),
                machine.states() + 1,
            );
            let middle = StateId::from_index(machine.states());
            new.insert(Transition::new(victim.source, one, middle));
            new.insert(Transition::new(middle, other, victim.target));
            for transition in transitions.into_iter().filter(|t| *t != victim) {
                new.insert(transition);
            }
        }
        // A state is left out.
        4 => {
            let state = one_of(&states, random)?;
            let entering: Vec<Transition> = machine.incoming(state).collect();
            let leaving: Vec<Transition> = machine.outgoing(state).collect();
            if state == machine.initial() {
                return None;
            }
            for transition in entering.iter().chain(&leaving) {
                new.remove(transition);
            }
            for (t, u) in entering
                .iter()
                .flat_map(|t| leaving.iter().map(move |u| (t, u)))
            {
                new.insert(t.then(u));
            }
        }
        // Some transitions into a state go on beyond it.
        5 => {
            let state = one_of(&states, random)?;
            let leaving: Vec<Transition> = machine.outgoing(state).collect();
            for t in machine.incoming(state).filter(|t| !t.is_loop()) {
                if random.chance(70) {
                    new.remove(&t);
                    for u in &leaving {
                        new.insert(t.then(u));
                    }
                }
            }
        }
        6 => {
            new.remove(&one_of(&transitions, random)?);
        }
        // Two events of a private channel are left out.
        7 => {
            let private: Vec<ChannelId> = machine.private_channels().collect();
            let is_private = |e: &&Event| private.contains(&e.channel);
            let rich = |t: &&Transition| t.label.iter().filter(is_private).count() > 1;
            let rich: Vec<Transition> = transitions.iter().filter(rich).cloned().collect();
            let victim = one_of(&rich, random)?;
            let mut label = victim.label.to_vec();
            for direction in [Direction::Transmission, Direction::Reception] {
                let place = label
                    .iter()
                    .position(|e| is_private(&e) && e.direction == direction);
                label.remove(place?);
            }
            if label.is_empty() {
                return None;
            }
            new.remove(&victim);
            new.insert(Transition::new(victim.source, label, victim.target));
        }
        // A transition goes elsewhere.
        8 => {
            let victim = one_of(&transitions, random)?;
            new.remove(&victim);
            let target = one_of(&states, random)?;
            new.insert(Transition::new(victim.source, victim.label, target));
        }
        _ => {
            let contents = Contents::new(machine).ok()?;
            let all = applications(machine, random);
            let changes = all.iter().filter_map(|a| a.change(machine, &contents).ok());
            new.apply(&one_of(&changes.collect::<Vec<_>>(), random)?);
        }
    }
    let contents = [Contents::new(machine).ok()?, Contents::new(&new).ok()?];
    let mut both = states
        .iter()
        .filter_map(|&s| contents[0].of(s).zip(contents[1].of(s)));
    (both.all(|(old, new)| old == new) && *machine != new).then_some(new)
}

/// What might be known of a region.
fn any_part(old: &Machine, new: &Machine, random: &mut Random) -> PartialRegion {
    let states = old.states().max(new.states());
    let any_states = |random: &mut Random| {
        let states = (0..states).map(StateId::from_index);
        random
            .chance(40)
            .then(|| states.filter(|_| random.chance(80)).collect())
    };
    let is_common = |t: &Transition| new.contains(t);
    PartialRegion {
        states: any_states(random),
        entries: any_states(random),
        exits: any_states(random),
        transitions: random.chance(50).then(|| {
            let transitions = old.transitions();
            transitions
                .filter(|t| !is_common(t) || random.chance(50))
                .collect()
        }),
    }
}

/// Transitions, each with its component.
type Executed = BTreeSet<(ComponentId, Transition)>;

/// What is found of a system by exploring all of it, beyond overfilled channels too.
struct Seen {
    dead: BTreeSet<SystemState>,
    overflowing: BTreeSet<ChannelId>,
    executed: Executed,
}

impl Seen {
    /// `None` if there is no end of it.
    fn of(system: &System) -> Option<Self> {
        let semantics = Semantics {
            beyond: Beyond::Expand,
            channel_bound: Some(5),
            ..Semantics::default()
        };
        let model = SystemModel::new(system, semantics).unwrap();
        let limits = Limits {
            max_states: Some(600),
            ..Limits::default()
        };
        let found = analyse(&model, limits, None, None).unwrap();
        let dead = found.dead.iter().map(|&state| found.state(&model, state));
        let executed = model.transitions().iter().zip(&found.executed);
        found.is_complete().then(|| Self {
            dead: dead.collect(),
            overflowing: found
                .overflowing
                .iter()
                .map(|(channel, _)| *channel)
                .collect(),
            executed: executed
                .filter(|(_, executed)| **executed)
                .map(|(t, _)| t.clone())
                .collect(),
        })
    }

    fn overflowing(&self, machine: &Machine, private: bool) -> BTreeSet<ChannelId> {
        let own: Vec<ChannelId> = machine.private_channels().collect();
        let channels = self.overflowing.iter().copied();
        channels
            .filter(|channel| own.contains(channel) == private)
            .collect()
    }
}

/// Whether what a theorem says is so in a system.
fn is_so(
    theorem: Theorem,
    seen: [&Seen; 2],
    machines: [&Machine; 2],
    verdict: &Applicability,
) -> bool {
    let [old, new] = seen;
    let id = machines[0].id();
    let same = |of: &dyn Fn(&Seen, usize) -> Executed| of(old, 0) == of(new, 1);
    match theorem {
        Theorem::DeadStates => old.dead == new.dead,
        Theorem::OtherChannels | Theorem::PrivateChannels => {
            let private = theorem == Theorem::PrivateChannels;
            old.overflowing(machines[0], private) == new.overflowing(machines[0], private)
        }
        Theorem::OtherTransitions => same(&|seen, _| {
            let executed = seen.executed.iter();
            executed
                .filter(|(other, _)| *other != id)
                .cloned()
                .collect()
        }),
        Theorem::OuterTransitions => same(&|seen, version| {
            let own = seen.executed.iter().filter(|(other, _)| *other == id);
            let inner = &verdict.regions[version].transitions;
            own.filter(|(_, t)| !inner.contains(t)).cloned().collect()
        }),
        // Of walks, those of one transition with the same label.
        Theorem::TracingWalks => [0, 1].into_iter().all(|version| {
            let region = &verdict.regions[version];
            let begins = |t: &&Transition| {
                region.entries.contains(&t.source)
                    && region.exits.contains(&t.source)
                    && t.source.index() < machines[1 - version].states()
            };
            let entered = region.transitions.iter().filter(begins);
            entered
                .filter(|&t| seen[version].executed.contains(&(id, t.clone())))
                .all(|t| {
                    let mut others = machines[1 - version].outgoing(t.source);
                    let traces = |u: &Transition| u.label == t.label;
                    others.all(|u| !traces(&u) || seen[1 - version].executed.contains(&(id, u)))
                })
        }),
    }
}

/// Whether a channel is overfilled, if the search does not go on beyond. `None` if
/// there are many states.
fn overfills(system: &System) -> Option<bool> {
    let model = SystemModel::new(system, Semantics::default()).unwrap();
    let limits = Limits {
        max_states: Some(600),
        ..Limits::default()
    };
    let found = analyse(&model, limits, None, None).unwrap();
    found.is_complete().then_some(!found.overflowing.is_empty())
}

/// Section 4.5: the six rules are special cases.
#[test]
fn the_rules_are_proven() {
    let mut counts = [0; 6];
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let system = Recipe::closed(2).system(&mut random);
        let mut old = system.machine(ComponentId::new(0)).clone();
        old.trim();
        let contents = Contents::new(&old).unwrap();
        for application in applications(&old, &mut random) {
            let Ok(change) = application.change(&old, &contents) else {
                continue;
            };
            let mut new = old.clone();
            new.apply(&change);
            let verdict = prove(&old, &new, [&UNKNOWN; 2], Options::default()).unwrap();
            assert!(
                verdict.is_proof(),
                "seed {seed}, {application:?}\n{:?}\n{}",
                verdict,
                system.to_text()
            );
            counts[application.rule() as usize] += 1;
        }
    }
    assert!(counts.into_iter().all(|count| count > 30), "{counts:?}");
}

#[test]
fn what_is_proven_is_so() {
    let mut proven = [0; 6];
    let mut refused = [0; 6];
    let mut refuted = [0; 6];
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let recipe = match seed % 3 {
            0 => Recipe::closed(3),
            1 => Recipe::closed(2),
            _ => Recipe {
                states: 5,
                private: 25,
                ..Recipe::closed(2)
            },
        };
        let mut system = recipe.system(&mut random);
        let id = ComponentId::new(random.between(0, recipe.parties - 1));
        let mut old = system.machine(id).clone();
        if random.chance(70) {
            old.trim();
        }
        let Some(new) = (0..10).find_map(|_| changed(&old, &mut random)) else {
            continue;
        };
        // What preserves errors does so in the other direction.
        let [old, new] = match random.chance(50) {
            true => [old, new],
            false => [new, old],
        };
        let known = [(); 2].map(|()| match random.chance(80) {
            true => UNKNOWN,
            false => any_part(&old, &new, &mut random),
        });
        *system.machine_mut(id) = old.clone();
        let before = Seen::of(&system);
        let before_stop = overfills(&system);
        let verdict = prove(&old, &new, [&known[0], &known[1]], QUICK).unwrap();
        let text = system.to_text();
        *system.machine_mut(id) = new.clone();
        if let (Some(before), Some(after)) = (before_stop, overfills(&system)) {
            assert!(
                before == after || !verdict.is_proof(),
                "seed {seed}, {id:?}\n{text}"
            );
        }
        let (Some(before), Some(after)) = (before, Seen::of(&system)) else {
            continue;
        };
        for (k, theorem) in Theorem::ALL.into_iter().enumerate() {
            let is_so = is_so(theorem, [&before, &after], [&old, &new], &verdict);
            if verdict.proves(theorem) {
                proven[k] += 1;
                assert!(
                    is_so,
                    "seed {seed}, {theorem:?} {id:?}\n{text}\n{}",
                    system.aut(id)
                );
            } else {
                refused[k] += 1;
                refuted[k] += usize::from(!is_so);
            }
        }
    }
    assert!(proven.into_iter().all(|count| count > 60), "{proven:?}");
    // The systems have the power to notice.
    assert!(
        refuted[..5].iter().all(|&count| count > 0),
        "{refuted:?} of {refused:?}"
    );
}

/// Of the changes that are not proven to preserve dead states, many do not in some
/// system of a few.
#[test]
fn what_is_not_proven_often_matters() {
    let (mut refused, mut refuted) = (0, 0);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let recipe = Recipe {
            messages: 1,
            ..Recipe::PAIR
        };
        let mut system = recipe.system(&mut random);
        let [id, other] = [0, 1].map(ComponentId::new);
        let mut old = system.machine(id).clone();
        old.trim();
        let Some(new) = changed(&old, &mut random) else {
            continue;
        };
        let verdict = prove(&old, &new, [&UNKNOWN; 2], QUICK).unwrap();
        if verdict.proves(Theorem::DeadStates) {
            continue;
        }
        refused += 1;
        let channels = system.channels().clone();
        refuted += usize::from((0..60).any(|_| {
            *system.machine_mut(other) = recipe.machine(other, &channels, &mut random);
            let [before, after] = [&old, &new].map(|machine| {
                *system.machine_mut(id) = machine.clone();
                Seen::of(&system).map(|seen| seen.dead)
            });
            before.is_some() && after.is_some() && before != after
        }));
    }
    assert!(5 * refuted > refused, "{refuted} of {refused}");
}
