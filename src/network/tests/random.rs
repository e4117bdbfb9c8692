//! Random expressions, compiled and explored, against their naive value.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hyades_formats::{LabelId, StateId};

use super::super::rules::{Limits, RuleSet};
use super::super::{Memory, Network, NetworkModel, Options};
use super::expression::{Action, Element, Mode, Net, Pattern, Set, text};
use super::naive::{Customs, Explicit, Name, Tuple, above, value};
use super::{network, read, tuples};
use crate::testing::Random;

const GATES: [&str; 4] = ["A", "B", "C", "'A"];
const LABELS: [&str; 8] = ["A", "B", "C", "A !1", "A !2", "B !1", "'A", "'A !1"];

struct Maker {
    random: Random,
    customs: Customs,
    /// Components that have been used, in the order of the text.
    used: Vec<usize>,
    files: usize,
}

impl Maker {
    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.random.between(0, all.len() - 1)].clone()
    }

    fn some<T>(
        &mut self,
        least: usize,
        most: usize,
        mut make: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        let count = self.random.between(least, most);
        (0..count).map(|_| make(self)).collect()
    }

    fn gate(&mut self) -> String {
        self.pick(&GATES).into()
    }

    fn plain_gate(&mut self) -> String {
        self.pick(&GATES[..3]).into()
    }

    fn label(&mut self) -> String {
        self.pick(&LABELS).into()
    }

    fn key(&mut self, label_mode: bool) -> String {
        if label_mode {
            self.label()
        } else {
            self.gate()
        }
    }

    fn element(&mut self, label_mode: bool) -> Element {
        let degree = match self.random.between(0, 5) {
            0 => Some(self.random.between(0, 3) as u64),
            1 => Some(1),
            2 => Some(2),
            _ => None,
        };
        (self.key(label_mode), degree)
    }

    fn pattern(&mut self) -> Pattern {
        match self.random.between(0, 4) {
            0 => Pattern {
                text: self.gate(),
                begins: true,
            },
            1 => Pattern {
                text: self.pick(&["1", "!1", " !2", "A"]).into(),
                begins: false,
            },
            2 => Pattern {
                text: self.label(),
                begins: false,
            },
            _ => Pattern {
                text: self.gate(),
                begins: false,
            },
        }
    }

    /// A component, as a text and as a value.
    fn leaf(&mut self, files: &mut Memory) -> Explicit {
        let states = self.random.between(1, 3) as u32;
        let count = self.random.between(0, 5);
        let mut lines = String::new();
        let mut transitions = BTreeSet::new();
        for _ in 0..count {
            let source = self.random.between(0, states as usize - 1) as u32;
            let target = self.random.between(0, states as usize - 1) as u32;
            let label = match self.random.between(0, 9) {
                0 | 1 => self.customs.hidden.to_owned(),
                2 => format!("{} !1", self.customs.termination.unwrap_or("exit")),
                3 => self.customs.termination.unwrap_or("exit").to_owned(),
                _ => self.label(),
            };
            writeln!(lines, "({source}, \"{label}\", {target})").unwrap();
            let name: Name = (label != self.customs.hidden).then_some(label);
            transitions.insert((vec![source], name, vec![target]));
        }
        let initial = self.random.between(0, states as usize - 1);
        let text = format!("des ({initial}, {count}, {states})\n{lines}");
        files.add(format!("f{}.aut", self.files), text);
        self.files += 1;
        Explicit {
            states: (0..states).map(|s| vec![s]).collect(),
            transitions,
        }
    }

    fn net(&mut self, leaves: usize) -> Net {
        if leaves == 1 && (self.used.len() > 6 || self.random.chance(50)) {
            let file = self.random.between(0, self.files - 1);
            self.used.push(file);
            return Net::Leaf(file);
        }
        if leaves == 1 || self.random.chance(45) {
            return self.unary(leaves);
        }
        let left = self.random.between(1, leaves - 1);
        match self.random.between(0, 9) {
            0 => Net::Infix("|", Vec::new(), self.pair(left, leaves)),
            1 => Net::Infix("||", Vec::new(), self.pair(left, leaves)),
            2 => Net::Infix("|||", Vec::new(), self.pair(left, leaves)),
            3 => Net::Infix("|[", self.some(0, 2, Self::gate), self.pair(left, leaves)),
            4 => Net::Infix("[|", self.some(0, 2, Self::gate), self.pair(left, leaves)),
            5 => {
                let alphabets = [(); 2].map(|()| self.some(0, 4, Self::gate));
                Net::Alphabets(alphabets, self.pair(left, leaves))
            }
            6 => self.vectors(leaves),
            _ => self.par(leaves),
        }
    }

    fn pair(&mut self, left: usize, leaves: usize) -> Box<[Net; 2]> {
        Box::new([self.net(left), self.net(leaves - left)])
    }

    /// So many operands with so many leaves together.
    fn operands(&mut self, mut leaves: usize, least: usize) -> Vec<Net> {
        let mut count = self.random.between(least, leaves);
        let mut operands = Vec::new();
        while count > 0 {
            let own = match count {
                1 => leaves,
                _ => self.random.between(1, leaves - count + 1),
            };
            operands.push(self.net(own));
            leaves -= own;
            count -= 1;
        }
        operands
    }

    fn par(&mut self, leaves: usize) -> Net {
        let label_mode = self.random.chance(30);
        let operands = self.operands(leaves, 2);
        let global = match self.random.chance(15) {
            true => None,
            false => Some(self.some(0, 2, |m| m.element(label_mode))),
        };
        let operands = operands.into_iter();
        let operands = operands.map(|net| (self.some(0, 2, |m| m.element(label_mode)), net));
        Net::Par {
            label_mode,
            global,
            operands: operands.collect(),
        }
    }

    fn vectors(&mut self, leaves: usize) -> Net {
        let label_mode = self.random.chance(40);
        let operands = self.operands(leaves, 1);
        let n = operands.len();
        let vectors = self.some(1, 4, |m| {
            let mut parts: Vec<Option<String>> = (0..n)
                .map(|_| m.random.chance(60).then(|| m.key(label_mode)))
                .collect();
            if parts.iter().all(Option::is_none) {
                parts[0] = Some(m.key(label_mode));
            }
            let result = match m.random.chance(20) {
                true => m.customs.hidden.to_owned(),
                false => m.key(label_mode),
            };
            (parts, result)
        });
        Net::Vectors {
            label_mode,
            vectors,
            operands,
        }
    }

    fn unary(&mut self, leaves: usize) -> Net {
        let operand = Box::new(self.net(leaves));
        match self.random.between(0, 7) {
            0 => Net::Restrict(self.some(1, 2, Self::plain_gate), operand),
            1 => {
                let pairs = self.some(1, 2, |m| (m.plain_gate(), m.plain_gate()));
                Net::NewForOld(pairs, operand)
            }
            2 | 3 => {
                let mode = self.pick(&[Mode::Total, Mode::Gate, Mode::Partial]);
                let chains = self.some(1, 2, |m| {
                    m.some(2, 3, |m| Set {
                        all_but: m.random.chance(15),
                        patterns: m.some(1, 2, Self::pattern),
                    })
                });
                Net::Prio {
                    mode,
                    chains,
                    operand,
                }
            }
            4 | 5 => {
                let mode = self.pick(&[Mode::Total, Mode::Gate, Mode::Single, Mode::Multiple]);
                let hidden = self.customs.hidden;
                let rules = self.some(1, 2, |m| {
                    let right = match m.random.chance(10) {
                        true => hidden.to_owned(),
                        false => m.gate(),
                    };
                    (m.pattern(), right)
                });
                Net::Relabel {
                    action: Action::Rename,
                    mode,
                    all_but: false,
                    rules,
                    operand,
                }
            }
            which => Net::Relabel {
                action: if which == 6 {
                    Action::Hide
                } else {
                    Action::Cut
                },
                mode: self.pick(&[Mode::Total, Mode::Gate, Mode::Partial]),
                all_but: self.random.chance(30),
                rules: self.some(1, 2, |m| (m.pattern(), String::new())),
                operand,
            },
        }
    }
}

/// Whether all orders of priority in it make sense.
fn sensible(net: &Net, leaves: &[Explicit], customs: &Customs) -> bool {
    let one = |net: &Net| sensible(net, leaves, customs);
    match net {
        Net::Leaf(_) => true,
        Net::Par { operands, .. } => operands.iter().all(|o| one(&o.1)),
        Net::Vectors { operands, .. } => operands.iter().all(one),
        Net::Infix(_, _, nets) | Net::Alphabets(_, nets) => nets.iter().all(one),
        Net::Relabel { operand, .. } | Net::Restrict(_, operand) | Net::NewForOld(_, operand) => {
            sensible(operand, leaves, customs)
        }
        Net::Prio {
            mode,
            chains,
            operand,
        } => {
            if !sensible(operand, leaves, customs) {
                return false;
            }
            // More labels than the operand has, so that those which only rules
            // know of are among them.
            let mut labels: BTreeSet<Name> = [None].into();
            let own = value(operand, leaves, customs).transitions;
            labels.extend(own.into_iter().map(|t| t.1));
            above(*mode, chains, &labels).is_some()
        }
    }
}

fn languages(random: &mut Random) -> Customs {
    let language = |name, hidden, termination| Customs {
        name,
        hidden,
        termination,
        csp: name == "csp behaviour",
        mcrl: name == "mcrl behaviour",
        communications: Vec::new(),
    };
    match random.between(0, 6) {
        0 => language("lotos behaviour", "i", Some("exit")),
        1 => language("ccs behaviour", "t", None),
        2 => language("csp behaviour", "t", Some("delta")),
        3 => {
            let mut mcrl = language("mcrl behaviour", "tau", None);
            let all = [["A", "B", "C"], ["B", "B", "tau"], ["C", "A", "B"]];
            let count = random.between(0, 3);
            mcrl.communications = all[..count].iter().map(|c| c.map(String::from)).collect();
            mcrl
        }
        _ => language("", "i", Some("exit")),
    }
}

/// The reachable part.
fn reachable(all: &Explicit, initial: Tuple) -> super::Tuples {
    let mut seen: BTreeSet<Tuple> = [initial.clone()].into();
    let mut open = vec![initial.clone()];
    let mut transitions = BTreeSet::new();
    while let Some(state) = open.pop() {
        for transition in all.transitions.iter().filter(|t| t.0 == state) {
            transitions.insert(transition.clone());
            if seen.insert(transition.2.clone()) {
                open.push(transition.2.clone());
            }
        }
    }
    (initial, transitions)
}

/// The steps that explain a transition are transitions of components, and lead
/// from one state to the other.
fn check_steps(network: &Network, source: &Tuple, label: &Name, target: &Tuple) {
    let label = label.as_ref().map_or(LabelId::HIDDEN, |text| {
        let label = network.labels().find(text.as_bytes());
        label.expect("a label of the whole")
    });
    let steps = network.explain(source, label, target);
    assert!(!steps.is_empty());
    let mut state = source.clone();
    for step in steps {
        let k = step.component as usize;
        assert_eq!(state[k], step.source, "each component once");
        assert_eq!(target[k], step.target);
        let row = network.file_of(k).lts.outgoing(StateId::new(step.source));
        let mut found = row.filter(|&(l, t)| (l, t.get()) == (step.label, step.target));
        assert!(found.next().is_some(), "a transition of the component");
        state[k] = step.target;
    }
    assert_eq!(&state, target);
}

/// A random expression and its components.
pub struct Sample {
    customs: Customs,
    leaves: Vec<Explicit>,
    net: Net,
    /// What goes before the expression.
    pub head: String,
    /// The expression.
    pub body: String,
    pub files: Memory,
    pub options: Options,
}

/// The sample of a seed; `None` if there is none that makes sense.
pub fn sample(seed: u64) -> Option<Sample> {
    let mut random = Random::new(seed);
    let customs = languages(&mut random);
    let mut maker = Maker {
        random,
        customs,
        used: Vec::new(),
        files: 0,
    };
    let mut files = Memory::default();
    let leaves: Vec<Explicit> = (0..3).map(|_| maker.leaf(&mut files)).collect();
    let count = maker.random.between(1, 5);
    let net = maker.net(count);
    let customs = maker.customs;
    if !sensible(&net, &leaves, &customs) {
        return None;
    }
    let comm = customs
        .communications
        .iter()
        .map(|[a, b, c]| format!("{a} | {b} = {c}"));
    let comm = match customs.communications.is_empty() {
        true => String::new(),
        false => format!("comm {} end comm", comm.collect::<Vec<_>>().join(", ")),
    };
    let head = format!("{} {comm}", customs.name);
    let body = text(&net);
    let mut options = Options::default();
    options.customs.keep_case = true;
    let (_, said) = read(&format!("{head} {body}"), &options, &files);
    if said.iter().any(|s| s.contains("[exp-prio]")) {
        // A label that only prevented transitions have is above itself.
        return None;
    }
    Some(Sample {
        customs,
        leaves,
        net,
        head,
        body,
        files,
        options,
    })
}

fn check(seed: u64) -> bool {
    let Some(sample) = sample(seed) else {
        return false;
    };
    let Sample {
        customs,
        leaves,
        net,
        head,
        body,
        files,
        options,
    } = sample;
    let text = format!("{head} {body}");
    let network = network(&text, &options, &files);
    let initial: Tuple = (0..network.components().len())
        .map(|k| network.file_of(k).lts.initial().get())
        .collect();
    let expected = reachable(&value(&net, &leaves, &customs), initial);
    for (source, label, target) in &expected.1 {
        check_steps(&network, source, label, target);
    }
    // Evaluated in each state rather than made rules of, and in wide states.
    let mut evaluated = network.clone();
    let limits = Limits {
        of_event: 0,
        ..Limits::default()
    };
    evaluated.rules = RuleSet::new(&network.events, &network.roots, &limits);
    let models = [
        NetworkModel::new(network.clone()),
        NetworkModel::with_bits(network, 70),
        NetworkModel::new(evaluated.clone()),
        NetworkModel::with_bits(evaluated, 130),
    ];
    for (k, model) in models.iter().enumerate() {
        assert_eq!(
            tuples(model),
            expected,
            "seed {seed}, model {k}: {text}\n{files:?}"
        );
    }
    true
}

#[test]
fn random_expressions_have_their_naive_value() {
    let done = (0..1500).filter(|&seed| check(seed)).count();
    assert!(done > 1000, "{done}");
}
