//! What operators mean, read off the definition: explicit products, operator by
//! operator, on all tuples of states.

use std::collections::{BTreeMap, BTreeSet};

use hyades_formats::label::{gate, split_gate};

use super::expression::{Action, Element, Mode, Net, Pattern, Set};

/// A state: those of the components in the order of the text.
pub type Tuple = Vec<u32>;
/// A label; `None` is hidden.
pub type Name = Option<String>;

/// An LTS on all tuples, reachable or not.
#[derive(Clone)]
pub struct Explicit {
    pub states: Vec<Tuple>,
    pub transitions: BTreeSet<(Tuple, Name, Tuple)>,
}

/// What the language says.
pub struct Customs {
    pub name: &'static str,
    pub hidden: &'static str,
    pub termination: Option<&'static str>,
    /// Whether labels of the text mean those in upper case.
    pub upper_case: bool,
    pub csp: bool,
    pub mcrl: bool,
    /// Communications of mCRL.
    pub communications: Vec<[String; 3]>,
}

fn gate_of(label: &str) -> String {
    String::from_utf8(gate(label.as_bytes()).to_vec()).unwrap()
}

fn offers_of(label: &str) -> String {
    String::from_utf8(split_gate(label.as_bytes()).1.to_vec()).unwrap()
}

/// Whether a label matches.
fn matches(pattern: &Pattern, mode: Mode, label: &str) -> bool {
    let subject = match mode {
        Mode::Gate => gate_of(label),
        _ => label.to_owned(),
    };
    match (mode, pattern.begins) {
        (Mode::Partial | Mode::Single | Mode::Multiple, _) => subject.contains(&pattern.text),
        (_, true) => subject.starts_with(&pattern.text),
        (_, false) => subject == pattern.text,
    }
}

impl Customs {
    fn is_termination(&self, label: &str) -> bool {
        self.termination.is_some_and(|t| gate_of(label) == t)
    }

    /// What the text means by a label, gate or pattern.
    pub fn meant(&self, written: &str) -> String {
        if !self.upper_case || written == self.hidden {
            return written.to_owned();
        }
        match self.is_termination(written) {
            true => gate_of(written) + &offers_of(written).to_uppercase(),
            false => written.to_uppercase(),
        }
    }

    fn name(&self, label: String) -> Name {
        (label != self.hidden).then_some(label)
    }
}

impl Explicit {
    /// What leaves each state.
    fn rows(&self) -> BTreeMap<&Tuple, Vec<(&Name, &Tuple)>> {
        let mut rows: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (source, label, target) in &self.transitions {
            rows.entry(source).or_default().push((label, target));
        }
        rows
    }

    fn labels(&self) -> BTreeSet<String> {
        self.transitions
            .iter()
            .filter_map(|t| t.1.clone())
            .collect()
    }

    /// The same states, other labels: what `new` says, or none.
    fn relabelled(&self, new: impl Fn(&str) -> Option<Name>) -> Self {
        let transitions = self.transitions.iter().filter_map(|(s, label, t)| {
            let label = match label {
                None => None,
                Some(label) => new(label)?,
            };
            Some((s.clone(), label, t.clone()))
        });
        Self {
            states: self.states.clone(),
            transitions: transitions.collect(),
        }
    }
}

/// All ways to choose one of each.
fn product<T: Clone>(choices: &[Vec<T>]) -> Vec<Vec<T>> {
    choices.iter().fold(vec![Vec::new()], |so_far, choice| {
        let extended = so_far.iter().flat_map(|row| {
            choice
                .iter()
                .map(move |one| [&row[..], std::slice::from_ref(one)].concat())
        });
        extended.collect()
    })
}

/// Moves together: which operand does what, and the label of the whole.
type Joint = (BTreeMap<usize, String>, Name);

/// The product of operands: each hidden transition alone, and for each state
/// those of `joint` that all who take part can do.
fn composed(operands: &[Explicit], joint: &BTreeSet<Joint>) -> Explicit {
    let states: Vec<Vec<Tuple>> = product(
        &operands
            .iter()
            .map(|o| o.states.clone())
            .collect::<Vec<_>>(),
    );
    let rows: Vec<_> = operands.iter().map(Explicit::rows).collect();
    let mut transitions = BTreeSet::new();
    for state in &states {
        let moves = |k: usize, label: Option<&str>| -> Vec<Tuple> {
            let row = rows[k].get(&state[k]).into_iter().flatten();
            row.filter(|(l, _)| l.as_deref() == label)
                .map(|(_, t)| (*t).clone())
                .collect()
        };
        for k in 0..operands.len() {
            for target in moves(k, None) {
                let mut new = state.clone();
                new[k] = target;
                transitions.insert((state.concat(), None, new.concat()));
            }
        }
        for (parts, result) in joint {
            let parts: Vec<_> = parts.iter().collect();
            let choices: Vec<_> = parts.iter().map(|(k, l)| moves(**k, Some(l))).collect();
            for targets in product(&choices) {
                let mut new = state.clone();
                for ((k, _), target) in parts.iter().zip(targets) {
                    new[**k] = target;
                }
                transitions.insert((state.concat(), result.clone(), new.concat()));
            }
        }
    }
    Explicit {
        states: states.iter().map(|s| s.concat()).collect(),
        transitions,
    }
}

/// Subsets of this size.
fn subsets(of: &[usize], size: u64) -> Vec<Vec<usize>> {
    let masks = (0u32..1 << of.len()).filter(|mask| u64::from(mask.count_ones()) == size);
    let chosen = |mask: u32| (0..of.len()).filter(move |k| mask >> k & 1 == 1);
    masks
        .map(|mask| chosen(mask).map(|k| of[k]).collect())
        .collect()
}

/// Section 6.1: the sets of operands that take part in a label.
fn families(
    label: &str,
    label_mode: bool,
    global: &Option<Vec<Element>>,
    locals: &[Vec<Element>],
    customs: &Customs,
) -> Vec<Vec<usize>> {
    let everybody: Vec<usize> = (0..locals.len()).collect();
    if customs.is_termination(label) {
        return vec![everybody];
    }
    let key = if label_mode {
        label.to_owned()
    } else {
        gate_of(label)
    };
    let all = vec![(key.clone(), None)];
    let global = global.as_ref().unwrap_or(&all);
    let mut families = Vec::new();
    let about = |element: &&Element| element.0 == key;
    for (_, degree) in global.iter().filter(about) {
        match degree {
            None => families.push(everybody.clone()),
            Some(0) => {}
            Some(d) => families.extend(subsets(&everybody, *d)),
        }
    }
    let elements: BTreeSet<&Element> = locals.iter().flatten().filter(about).collect();
    for element in elements {
        let members: Vec<usize> = (0..locals.len())
            .filter(|&k| locals[k].contains(element))
            .collect();
        match element.1 {
            None => families.push(members),
            Some(0) => {}
            Some(d) => families.extend(subsets(&members, d)),
        }
    }
    for (k, local) in locals.iter().enumerate() {
        if !global.iter().any(|e| e.0 == key) && !local.iter().any(|e| e.0 == key) {
            families.push(vec![k]);
        }
    }
    families
}

pub fn par(
    label_mode: bool,
    global: &Option<Vec<Element>>,
    locals: &[Vec<Element>],
    operands: &[Explicit],
    customs: &Customs,
) -> Explicit {
    let labels: BTreeSet<String> = operands.iter().flat_map(Explicit::labels).collect();
    let mut joint = BTreeSet::new();
    for label in labels {
        for set in families(&label, label_mode, global, locals, customs) {
            let parts = set.into_iter().map(|k| (k, label.clone())).collect();
            joint.insert((parts, Some(label.clone())));
        }
    }
    composed(operands, &joint)
}

/// The value of an expression.
pub fn value(net: &Net, leaves: &[Explicit], customs: &Customs) -> Explicit {
    let pair = |nets: &[Net; 2]| [0, 1].map(|k| value(&nets[k], leaves, customs));
    match net {
        Net::Leaf(k) => leaves[*k].clone(),
        Net::Par {
            label_mode,
            global,
            operands,
        } => {
            let locals: Vec<_> = operands.iter().map(|o| o.0.clone()).collect();
            let values: Vec<_> = operands
                .iter()
                .map(|o| value(&o.1, leaves, customs))
                .collect();
            par(*label_mode, global, &locals, &values, customs)
        }
        Net::Infix("|", _, nets) => ccs(&pair(nets)),
        Net::Infix("||", _, nets) if customs.mcrl => mcrl(&pair(nets), customs),
        Net::Infix(operator, gates, nets) => {
            let global = match *operator {
                "||" => None,
                "|||" => Some(Vec::new()),
                _ => Some(gates.iter().map(|g| (g.clone(), None)).collect()),
            };
            par(
                false,
                &global,
                &[Vec::new(), Vec::new()],
                &pair(nets),
                customs,
            )
        }
        Net::Alphabets(alphabets, nets) => {
            let values = pair(nets);
            let mut joint: BTreeSet<Joint> = BTreeSet::new();
            for label in values.iter().flat_map(Explicit::labels) {
                let has = [0, 1].map(|k: usize| alphabets[k].contains(&gate_of(&label)));
                let who = match has {
                    _ if customs.is_termination(&label) => vec![0, 1],
                    [true, true] => vec![0, 1],
                    [true, false] => vec![0],
                    [false, true] => vec![1],
                    [false, false] => continue,
                };
                let parts = who.into_iter().map(|k| (k, label.clone())).collect();
                joint.insert((parts, Some(label)));
            }
            composed(&values, &joint)
        }
        Net::Vectors {
            label_mode,
            vectors,
            operands,
        } => {
            let values: Vec<_> = operands.iter().map(|o| value(o, leaves, customs)).collect();
            let offers: BTreeSet<String> = match label_mode {
                true => [String::new()].into(),
                false => values
                    .iter()
                    .flat_map(Explicit::labels)
                    .map(|l| offers_of(&l))
                    .collect(),
            };
            let mut joint: BTreeSet<Joint> = BTreeSet::new();
            for (parts, result) in vectors {
                for offers in &offers {
                    let taking = parts.iter().enumerate();
                    let parts = taking.filter_map(|(k, part)| {
                        part.as_ref().map(|part| (k, format!("{part}{offers}")))
                    });
                    let result = match result == customs.hidden {
                        true => None,
                        false => Some(format!("{result}{offers}")),
                    };
                    joint.insert((parts.collect(), result));
                }
            }
            composed(&values, &joint)
        }
        Net::Relabel {
            action,
            mode,
            all_but,
            rules,
            operand,
        } => value(operand, leaves, customs).relabelled(|label| {
            let first = rules
                .iter()
                .find(|(pattern, _)| matches(pattern, *mode, label));
            match action {
                Action::Hide if first.is_some() != *all_but => Some(None),
                Action::Cut if first.is_some() != *all_but => None,
                Action::Hide | Action::Cut => Some(Some(label.to_owned())),
                Action::Rename => Some(customs.name(match first {
                    None => label.to_owned(),
                    Some((pattern, right)) => match mode {
                        Mode::Gate => format!("{right}{}", offers_of(label)),
                        Mode::Single => label.replacen(&pattern.text, right, 1),
                        Mode::Multiple => label.replace(&pattern.text, right),
                        Mode::Total | Mode::Partial => right.clone(),
                    },
                })),
            }
        }),
        Net::Restrict(gates, operand) => value(operand, leaves, customs).relabelled(|label| {
            let bare = match customs.csp {
                true => label,
                false => label.strip_prefix('\'').unwrap_or(label),
            };
            match (gates.contains(&gate_of(bare)), customs.csp) {
                (false, _) => Some(Some(label.to_owned())),
                (true, true) => Some(None),
                (true, false) => None,
            }
        }),
        Net::NewForOld(pairs, operand) => value(operand, leaves, customs).relabelled(|label| {
            let bare = label.strip_prefix('\'').unwrap_or(label);
            let prefix = &label[..label.len() - bare.len()];
            let first = pairs.iter().find(|(_, old)| *old == gate_of(bare));
            Some(customs.name(match first {
                None => label.to_owned(),
                Some((new, _)) => format!("{prefix}{new}{}", offers_of(bare)),
            }))
        }),
        Net::Prio {
            mode,
            chains,
            operand,
        } => prio(*mode, chains, &value(operand, leaves, customs)),
    }
}

fn ccs(operands: &[Explicit; 2]) -> Explicit {
    let mut joint: BTreeSet<Joint> = alone(operands);
    for label in operands.iter().flat_map(Explicit::labels) {
        let other = format!("'{label}");
        for [one, two] in [[&label, &other], [&other, &label]] {
            joint.insert(([(0, one.clone()), (1, two.clone())].into(), None));
        }
    }
    composed(operands, &joint)
}

fn alone(operands: &[Explicit; 2]) -> BTreeSet<Joint> {
    let single = |k: usize| {
        let labels = operands[k].labels().into_iter();
        labels.map(move |l| ([(k, l.clone())].into(), Some(l)))
    };
    single(0).chain(single(1)).collect()
}

fn mcrl(operands: &[Explicit; 2], customs: &Customs) -> Explicit {
    let mut joint: BTreeSet<Joint> = alone(operands);
    let labels = operands.iter().flat_map(Explicit::labels);
    for offers in labels.map(|l| offers_of(&l)) {
        for [one, two, result] in &customs.communications {
            for [one, two] in [[one, two], [two, one]] {
                let parts = [(0, format!("{one}{offers}")), (1, format!("{two}{offers}"))];
                let name = match result == customs.hidden {
                    true => None,
                    false => Some(format!("{result}{offers}")),
                };
                joint.insert((parts.into(), name));
            }
        }
    }
    composed(operands, &joint)
}

/// The pairs of a higher and a lower label, transitively closed; `None` if a
/// label is above itself.
pub fn above(
    mode: Mode,
    chains: &[Vec<Set>],
    labels: &BTreeSet<Name>,
) -> Option<BTreeSet<(Name, Name)>> {
    let is_in = |set: &Set, label: &Name| match label {
        None => set.all_but,
        Some(label) => set.patterns.iter().any(|p| matches(p, mode, label)) != set.all_but,
    };
    let mut above = BTreeSet::new();
    for chain in chains {
        for pair in chain.windows(2) {
            for high in labels.iter().filter(|l| is_in(&pair[0], l)) {
                for low in labels.iter().filter(|l| is_in(&pair[1], l)) {
                    above.insert((high.clone(), low.clone()));
                }
            }
        }
    }
    loop {
        let pairs: Vec<_> = above.iter().cloned().collect();
        for (a, b) in &pairs {
            for (_, d) in pairs.iter().filter(|(c, _)| c == b) {
                above.insert((a.clone(), d.clone()));
            }
        }
        if above.len() == pairs.len() {
            break;
        }
    }
    let cyclic = above.iter().any(|(a, b)| a == b);
    (!cyclic).then_some(above)
}

fn prio(mode: Mode, chains: &[Vec<Set>], operand: &Explicit) -> Explicit {
    let labels: BTreeSet<Name> = operand.transitions.iter().map(|t| t.1.clone()).collect();
    let above = above(mode, chains, &labels).expect("the caller has made sure");
    let rows = operand.rows();
    let transitions = operand.transitions.iter().filter(|(source, label, _)| {
        let mut row = rows[source].iter();
        !row.any(|(other, _)| above.contains(&((*other).clone(), label.clone())))
    });
    Explicit {
        states: operand.states.clone(),
        transitions: transitions.cloned().collect(),
    }
}
