//! Random expressions, components and languages.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hyades_testing::Random;

use super::super::super::Memory;
use super::super::expression::{Action, Element, Mode, Net, Pattern, Set};
use super::super::naive::{Customs, Explicit, Name};

const GATES: [&str; 4] = ["A", "B", "C", "'A"];
const LABELS: [&str; 9] = ["A", "B", "C", "A !1", "A !2", "A !X", "B !1", "'A", "'A !1"];

/// Makes them; components by numbers.
pub struct Maker {
    pub random: Random,
    pub customs: Customs,
    /// Components that have been used, in the order of the text.
    used: Vec<usize>,
    files: usize,
}

impl Maker {
    pub fn new(mut random: Random) -> Self {
        Self {
            customs: languages(&mut random),
            random,
            used: Vec::new(),
            files: 0,
        }
    }

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

    /// A label as the text spells it, with some letters in lower case. That is
    /// the same label or, where case matters, another.
    fn written(&mut self, label: &str) -> String {
        let chance = if self.customs.upper_case { 40 } else { 4 };
        let letters = label.chars().map(|c| match self.random.chance(chance) {
            true => c.to_ascii_lowercase(),
            false => c,
        });
        letters.collect()
    }

    fn gate(&mut self) -> String {
        let gate = self.pick(&GATES);
        self.written(gate)
    }

    fn plain_gate(&mut self) -> String {
        let gate = self.pick(&GATES[..3]);
        self.written(gate)
    }

    fn label(&mut self) -> String {
        let label = self.pick(&LABELS);
        self.written(label)
    }

    /// Where the gate of termination may stand as well.
    fn any_gate(&mut self) -> String {
        match self.customs.termination {
            Some(gate) if self.random.chance(8) => gate.into(),
            _ => self.gate(),
        }
    }

    fn any_label(&mut self) -> String {
        match self.customs.termination {
            Some(gate) if self.random.chance(8) => gate.to_owned() + &self.written(" !X"),
            _ => self.label(),
        }
    }

    fn key(&mut self, label_mode: bool) -> String {
        if label_mode {
            self.label()
        } else {
            self.gate()
        }
    }

    /// A part of a synchronisation vector, or what it makes.
    fn part(&mut self, label_mode: bool) -> String {
        if label_mode {
            self.any_label()
        } else {
            self.any_gate()
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
                text: self.any_gate(),
                begins: true,
            },
            1 => {
                let hidden = self.customs.hidden;
                let text = self.pick(&["1", "!1", " !2", "A", "X", hidden]);
                Pattern {
                    text: match text == hidden {
                        true => text.into(),
                        false => self.written(text),
                    },
                    begins: false,
                }
            }
            2 => Pattern {
                text: self.any_label(),
                begins: false,
            },
            _ => Pattern {
                text: self.any_gate(),
                begins: false,
            },
        }
    }

    /// A component, as a file and as a value.
    pub fn leaf(&mut self, files: &mut Memory) -> Explicit {
        let states = self.random.between(1, 3) as u32;
        let count = self.random.between(0, 5);
        let mut lines = String::new();
        let mut transitions = BTreeSet::new();
        for _ in 0..count {
            let source = self.random.between(0, states as usize - 1) as u32;
            let target = self.random.between(0, states as usize - 1) as u32;
            let label = match self.random.between(0, 9) {
                0 | 1 => self.customs.hidden.to_owned(),
                2 => format!("{} !X", self.customs.termination.unwrap_or("exit")),
                3 => self.customs.termination.unwrap_or("exit").to_owned(),
                // Spelt as the text has it, but meant as it is here.
                _ if self.random.chance(8) => self.label(),
                _ => self.pick(&LABELS).into(),
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

    /// An expression of so many components.
    pub fn net(&mut self, leaves: usize) -> Net {
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
                .map(|_| m.random.chance(60).then(|| m.part(label_mode)))
                .collect();
            if parts.iter().all(Option::is_none) {
                parts[0] = Some(m.part(label_mode));
            }
            let result = match m.random.chance(20) {
                true => m.customs.hidden.to_owned(),
                false => m.part(label_mode),
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
                        false => m.any_gate(),
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

fn languages(random: &mut Random) -> Customs {
    let language = |name, hidden, termination| Customs {
        name,
        hidden,
        termination,
        upper_case: [
            "lotos behaviour",
            "behaviour",
            "ccs behaviour",
            "csp behaviour",
        ]
        .contains(&name),
        csp: name == "csp behaviour",
        mcrl: name == "mcrl behaviour",
        communications: Vec::new(),
    };
    match random.between(0, 6) {
        0 => language("lotos behaviour", "i", Some("exit")),
        4 => language("behaviour", "i", Some("exit")),
        5 => language("elotos behaviour", "i", Some("exit")),
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
