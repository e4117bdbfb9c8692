//! Random networks that are symmetric by construction, and nearly so.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use hyades_testing::Random;

use super::super::{Types, ValueType};
use super::of_files;
use crate::{Memory, Network};

/// A value: its type and its number.
pub type Value = (usize, usize);

/// A permutation: the image of each value of each type.
pub type Permutation = Vec<Vec<usize>>;

/// A label: a gate and values.
type Label = (String, Vec<Value>);

/// A state of a component: a control state and values; those of sets are sorted,
/// those of rings start with the least.
type State = (usize, Vec<Value>);

/// A component: its states and transitions.
#[derive(Clone)]
pub struct Component {
    transitions: BTreeSet<(State, Option<Label>, State)>,
}

/// What components hold.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    Tuple,
    Set,
    Ring,
}

/// Components that permutations map to one another: by the value that each is
/// indexed with, or each to itself.
struct Family {
    index: Option<usize>,
    first: usize,
}

type Rule = (BTreeMap<usize, Label>, Option<Label>);

/// A network with its types, before it is text.
#[derive(Clone)]
pub struct Sample {
    pub sizes: Vec<usize>,
    pub components: Vec<Component>,
    rules: BTreeSet<Rule>,
}

/// All permutations of values, type by type.
pub fn permutations(sizes: &[usize]) -> Vec<Permutation> {
    fn orders(n: usize) -> Vec<Vec<usize>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let shorter = orders(n - 1);
        let longer = shorter.iter().flat_map(|order| {
            (0..n).map(|at| {
                let mut order = order.clone();
                order.insert(at, n - 1);
                order
            })
        });
        longer.collect()
    }
    let mut all = vec![Vec::new()];
    for &size in sizes {
        let own = orders(size);
        let longer = all.iter().flat_map(|p: &Permutation| {
            own.iter().map(|order| {
                let mut p = p.clone();
                p.push(order.clone());
                p
            })
        });
        all = longer.collect();
    }
    all
}

fn map_values(values: &[Value], p: &Permutation) -> Vec<Value> {
    values.iter().map(|&(t, v)| (t, p[t][v])).collect()
}

fn map_label(label: &Label, p: &Permutation) -> Label {
    (label.0.clone(), map_values(&label.1, p))
}

fn normal(mut values: Vec<Value>, held: Held) -> Vec<Value> {
    match held {
        Held::Tuple => {}
        Held::Set => {
            values.sort_unstable();
            values.dedup();
        }
        Held::Ring => {
            let least = (0..values.len()).min_by_key(|&k| values[k]).unwrap_or(0);
            values.rotate_left(least);
        }
    }
    values
}

impl Component {
    /// The component that it becomes.
    fn mapped(&self, p: &Permutation, held: Held) -> Self {
        let state = |(control, values): &State| (*control, normal(map_values(values, p), held));
        let transitions = self.transitions.iter().map(|(source, label, target)| {
            let label = label.as_ref().map(|label| map_label(label, p));
            (state(source), label, state(target))
        });
        Self {
            transitions: transitions.collect(),
        }
    }

    fn labels(&self) -> Vec<Label> {
        let labels = self.transitions.iter().filter_map(|t| t.1.clone());
        labels.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn aut(&self) -> String {
        let mut numbers: BTreeMap<&State, usize> = BTreeMap::new();
        let initial = (0, Vec::new());
        numbers.insert(&initial, 0);
        for (source, _, target) in &self.transitions {
            for state in [source, target] {
                let next = numbers.len();
                numbers.entry(state).or_insert(next);
            }
        }
        let mut text = format!("des (0, {}, {})\n", self.transitions.len(), numbers.len());
        for (source, label, target) in &self.transitions {
            let label = label
                .as_ref()
                .map_or("i".into(), |label| format!("\"{}\"", show(label)));
            writeln!(text, "({}, {label}, {})", numbers[source], numbers[target]).unwrap();
        }
        text
    }
}

fn name((t, v): Value) -> String {
    format!("{}{v}", ["A", "B", "C"][t])
}

fn show((gate, values): &Label) -> String {
    let values = values.iter().map(|&v| format!(" !{}", name(v)));
    format!("{gate}{}", values.collect::<String>())
}

/// Makes samples.
struct Maker<'r> {
    random: &'r mut Random,
    sizes: Vec<usize>,
    group: Vec<Permutation>,
}

impl Maker<'_> {
    fn value(&mut self) -> Value {
        let t = self.random.between(0, self.sizes.len() - 1);
        (t, self.random.between(0, self.sizes[t] - 1))
    }

    /// A component that the permutations that keep `index` leave as it is.
    fn component(&mut self, index: Option<Value>, held: Held, with_values: bool) -> Component {
        let keeps = |p: &&Permutation| index.is_none_or(|(t, v)| p[t][v] == v);
        let own: Vec<Permutation> = self.group.iter().filter(keeps).cloned().collect();
        let mut states: BTreeSet<State> = [(0, Vec::new())].into();
        let mut component = Component {
            transitions: BTreeSet::new(),
        };
        for _ in 0..self.random.between(1, 5) {
            let nth = self.random.between(0, states.len() - 1);
            let source = states.iter().nth(nth).unwrap().clone();
            let mut values: Vec<Value> = Vec::new();
            if with_values {
                for _ in 0..self.random.between(0, 2) {
                    values.push(match (index, self.random.between(0, 2)) {
                        (Some(own), 0) => own,
                        _ => self.value(),
                    });
                }
            }
            let gate = format!("G{}", self.random.between(0, 2));
            let label = (!self.random.chance(10)).then(|| (gate, values.clone()));
            let target = if self.random.chance(40) {
                let nth = self.random.between(0, states.len() - 1);
                states.iter().nth(nth).unwrap().clone()
            } else {
                let mut kept = source.1.clone();
                kept.extend(values);
                kept.truncate(2);
                if held == Held::Ring && with_values {
                    // All values of a type in a ring.
                    kept = (0..self.sizes[0]).map(|v| (0, v)).collect();
                }
                let control = self.random.between(0, 2);
                (control, normal(kept, held))
            };
            let seed = Component {
                transitions: [(source, label, target)].into(),
            };
            for p in &own {
                component
                    .transitions
                    .extend(seed.mapped(p, held).transitions);
            }
            for (source, _, target) in &component.transitions {
                states.insert(source.clone());
                states.insert(target.clone());
            }
        }
        component
    }
}

/// A random symmetric network.
pub fn sample(random: &mut Random) -> Sample {
    let sizes = [vec![2], vec![3], vec![4], vec![2, 2], vec![3, 2]];
    let sizes = sizes[random.between(0, 4)].clone();
    let group = permutations(&sizes);
    let mut maker = Maker {
        random,
        sizes,
        group,
    };
    let mut families: Vec<Family> = Vec::new();
    let mut components: Vec<Component> = Vec::new();
    for _ in 0..maker.random.between(1, 3) {
        let kind = maker.random.between(0, 7);
        let held = [Held::Tuple, Held::Set, Held::Ring][maker.random.between(0, 2)];
        let first = components.len();
        let index = (kind < 5).then(|| maker.random.between(0, maker.sizes.len() - 1));
        match (index, kind) {
            (Some(t), _) => {
                // Stopped ones, those that only rules tell apart, and others.
                let own = match kind {
                    0 => Component {
                        transitions: BTreeSet::new(),
                    },
                    1 => maker.component(None, Held::Tuple, false),
                    _ => maker.component(Some((t, 0)), held, true),
                };
                for v in 0..maker.sizes[t] {
                    let to = maker.group.iter().find(|p| p[t][0] == v).unwrap();
                    components.push(own.mapped(to, held));
                }
            }
            (None, 5) => {
                // Two of the same.
                let own = maker.component(None, held, true);
                components.extend([own.clone(), own]);
            }
            _ => components.push(maker.component(None, held, true)),
        }
        families.push(Family { index, first });
    }
    let mut sample = Sample {
        sizes: maker.sizes.clone(),
        components,
        rules: BTreeSet::new(),
    };
    for _ in 0..maker.random.between(2, 5) {
        sample.add_rules(&mut maker, &families);
    }
    sample
}

impl Sample {
    /// A random rule with all its images.
    fn add_rules(&mut self, maker: &mut Maker<'_>, families: &[Family]) {
        let mut parts: BTreeMap<usize, Label> = BTreeMap::new();
        for _ in 0..maker.random.between(1, 3) {
            let c = maker.random.between(0, self.components.len() - 1);
            let labels = self.components[c].labels();
            if !labels.is_empty() {
                let label = labels[maker.random.between(0, labels.len() - 1)].clone();
                parts.insert(c, label);
            }
        }
        if parts.is_empty() {
            return;
        }
        let gate = format!("O{}", maker.random.between(0, 1));
        let mut values: Vec<Value> = parts.values().flat_map(|label| label.1.clone()).collect();
        values.truncate(maker.random.between(0, 2));
        let output = (!maker.random.chance(30)).then_some((gate, values));
        for p in &maker.group {
            let component = |c: usize| {
                let family = families.iter().rfind(|family| family.first <= c).unwrap();
                match family.index {
                    Some(t) => family.first + p[t][c - family.first],
                    None => c,
                }
            };
            let parts = parts
                .iter()
                .map(|(&c, label)| (component(c), map_label(label, p)));
            let output = output.as_ref().map(|label| map_label(label, p));
            self.rules.insert((parts.collect(), output));
        }
    }

    /// The same but for a rule or a transition, which is left out or changed.
    pub fn mutated(&self, random: &mut Random) -> Self {
        let mut other = self.clone();
        let c = random.between(0, self.components.len() - 1);
        let transitions = &mut other.components[c].transitions;
        if random.chance(50) || transitions.is_empty() {
            let nth = random.between(0, self.rules.len().max(1) - 1);
            let rule = self.rules.iter().nth(nth).cloned();
            rule.map(|rule| other.rules.remove(&rule));
        } else {
            let nth = random.between(0, transitions.len() - 1);
            let taken = transitions.iter().nth(nth).unwrap().clone();
            transitions.remove(&taken);
            if random.chance(50) {
                transitions.insert((taken.0, taken.1, (0, Vec::new())));
            }
        }
        other
    }

    /// The types.
    pub fn types(&self) -> Types {
        let types = self.sizes.iter().enumerate().map(|(t, &size)| ValueType {
            name: format!("T{t}"),
            values: (0..size).map(|v| name((t, v))).collect(),
        });
        Types::new(types.collect()).unwrap()
    }

    /// The network, if it has a rule.
    pub fn network(&self) -> Option<Network> {
        if self.rules.is_empty() {
            return None;
        }
        let mut files = Memory::default();
        let mut names = Vec::new();
        for (k, component) in self.components.iter().enumerate() {
            files.add(format!("c{k}.aut"), component.aut());
            names.push(format!("\"c{k}.aut\""));
        }
        let vectors = self.rules.iter().map(|(parts, output)| {
            let entries = (0..self.components.len()).map(|c| match parts.get(&c) {
                Some(label) => format!("\"{}\"", show(label)),
                None => "_".into(),
            });
            let output = output.as_ref().map_or("i".into(), show);
            format!(
                "{} -> \"{output}\"",
                entries.collect::<Vec<_>>().join(" * ")
            )
        });
        let text = format!(
            "label par using {} in {} end par",
            vectors.collect::<Vec<_>>().join(",\n"),
            names.join(" || ")
        );
        Some(of_files(&text, &files))
    }
}
