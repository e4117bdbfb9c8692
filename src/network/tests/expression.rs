//! Expressions, and how they are written.

/// A gate or label with a degree.
pub type Element = (String, Option<u64>);

/// A pattern: a text, or one that texts begin with.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub text: String,
    pub begins: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Total,
    Gate,
    Partial,
    Single,
    Multiple,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Hide,
    Cut,
    Rename,
}

/// A set of labels.
#[derive(Clone, Debug)]
pub struct Set {
    pub all_but: bool,
    pub patterns: Vec<Pattern>,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Net {
    Leaf(usize),
    Par {
        label_mode: bool,
        /// `None` is `all`.
        global: Option<Vec<Element>>,
        operands: Vec<(Vec<Element>, Net)>,
    },
    Infix(&'static str, Vec<String>, Box<[Net; 2]>),
    Alphabets([Vec<String>; 2], Box<[Net; 2]>),
    Vectors {
        label_mode: bool,
        vectors: Vec<(Vec<Option<String>>, String)>,
        operands: Vec<Net>,
    },
    Relabel {
        action: Action,
        mode: Mode,
        all_but: bool,
        rules: Vec<(Pattern, String)>,
        operand: Box<Net>,
    },
    Restrict(Vec<String>, Box<Net>),
    NewForOld(Vec<(String, String)>, Box<Net>),
    Prio {
        mode: Mode,
        chains: Vec<Vec<Set>>,
        operand: Box<Net>,
    },
}

impl Pattern {
    /// As the expression has it; partial ones are texts in any case.
    fn written(&self, mode: Mode) -> String {
        match (self.begins, mode) {
            (true, Mode::Total | Mode::Gate) => format!("{}.*", self.text),
            _ => self.text.clone(),
        }
    }
}

impl Net {
    /// The expression with other texts for all that its text names: labels,
    /// gates and patterns.
    pub fn rewritten(&self, new: &dyn Fn(&str) -> String) -> Net {
        let one = |net: &Net| net.rewritten(new);
        let boxed = |net: &Net| Box::new(net.rewritten(new));
        let pair = |nets: &[Net; 2]| Box::new([one(&nets[0]), one(&nets[1])]);
        let texts = |texts: &[String]| texts.iter().map(|t| new(t)).collect::<Vec<_>>();
        let elements = |elements: &[Element]| {
            let rewritten = elements.iter().map(|(text, degree)| (new(text), *degree));
            rewritten.collect::<Vec<_>>()
        };
        let pattern = |pattern: &Pattern, mode| {
            let text = new(&pattern.written(mode));
            Pattern {
                text: text.trim_end_matches(".*").to_owned(),
                begins: pattern.begins,
            }
        };
        match self {
            Net::Leaf(file) => Net::Leaf(*file),
            Net::Par {
                label_mode,
                global,
                operands,
            } => Net::Par {
                label_mode: *label_mode,
                global: global.as_deref().map(elements),
                operands: operands
                    .iter()
                    .map(|(local, net)| (elements(local), one(net)))
                    .collect(),
            },
            Net::Infix(operator, gates, nets) => Net::Infix(operator, texts(gates), pair(nets)),
            Net::Alphabets([left, right], nets) => {
                Net::Alphabets([texts(left), texts(right)], pair(nets))
            }
            Net::Vectors {
                label_mode,
                vectors,
                operands,
            } => {
                let vectors = vectors.iter().map(|(parts, result)| {
                    let parts = parts.iter().map(|part| part.as_deref().map(new));
                    (parts.collect(), new(result))
                });
                Net::Vectors {
                    label_mode: *label_mode,
                    vectors: vectors.collect(),
                    operands: operands.iter().map(one).collect(),
                }
            }
            Net::Relabel {
                action,
                mode,
                all_but,
                rules,
                operand,
            } => {
                let rules = rules.iter();
                let rules = rules.map(|(left, right)| (pattern(left, *mode), new(right)));
                Net::Relabel {
                    action: *action,
                    mode: *mode,
                    all_but: *all_but,
                    rules: rules.collect(),
                    operand: boxed(operand),
                }
            }
            Net::Restrict(gates, operand) => Net::Restrict(texts(gates), boxed(operand)),
            Net::NewForOld(pairs, operand) => {
                let pairs = pairs.iter().map(|(a, b)| (new(a), new(b)));
                Net::NewForOld(pairs.collect(), boxed(operand))
            }
            Net::Prio {
                mode,
                chains,
                operand,
            } => {
                let set = |set: &Set| Set {
                    all_but: set.all_but,
                    patterns: set.patterns.iter().map(|p| pattern(p, *mode)).collect(),
                };
                let chains = chains.iter().map(|chain| chain.iter().map(set).collect());
                Net::Prio {
                    mode: *mode,
                    chains: chains.collect(),
                    operand: boxed(operand),
                }
            }
        }
    }
}

fn quoted<'a>(texts: impl IntoIterator<Item = &'a String>) -> String {
    let quoted = texts.into_iter().map(|text| format!("\"{text}\""));
    quoted.collect::<Vec<_>>().join(", ")
}

fn elements(elements: &[Element]) -> String {
    let shown = elements.iter().map(|(text, degree)| match degree {
        None => format!("\"{text}\""),
        Some(d) => format!("\"{text}\"#{d}"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn shown(pattern: &Pattern, mode: Mode) -> String {
    format!("\"{}\"", pattern.written(mode))
}

fn word(mode: Mode) -> &'static str {
    match mode {
        Mode::Total => "total",
        Mode::Gate => "gate",
        Mode::Partial => "partial",
        Mode::Single => "single",
        Mode::Multiple => "multiple",
    }
}

/// The expression as a text.
pub fn text(net: &Net) -> String {
    match net {
        Net::Leaf(file) => format!("f{file}.aut"),
        Net::Par {
            label_mode,
            global,
            operands,
        } => {
            let mode = if *label_mode { "label" } else { "gate" };
            let global = global.as_ref().map_or("all".into(), |g| elements(g));
            let operands = operands.iter().map(|(local, net)| {
                let arrow = if local.is_empty() { "" } else { " -> " };
                format!("{}{arrow}({})", elements(local), text(net))
            });
            let operands = operands.collect::<Vec<_>>().join(" || ");
            format!("{mode} par {global} in {operands} end par")
        }
        Net::Infix(operator, gates, nets) => {
            let operator = match *operator {
                "|[" => format!("|[{}]|", quoted(gates)),
                "[|" => format!("[|{{{}}}|]", quoted(gates)),
                other => other.into(),
            };
            format!("({}) {operator} ({})", text(&nets[0]), text(&nets[1]))
        }
        Net::Alphabets(alphabets, nets) => {
            let [left, right] = [0, 1].map(|k| quoted(&alphabets[k]));
            let operator = format!("[{{{left}}} || {{{right}}}]");
            format!("({}) {operator} ({})", text(&nets[0]), text(&nets[1]))
        }
        Net::Vectors {
            label_mode,
            vectors,
            operands,
        } => {
            let mode = if *label_mode { "label " } else { "" };
            let vectors = vectors.iter().map(|(parts, result)| {
                let parts = parts.iter().map(|part| match part {
                    None => "_".to_owned(),
                    Some(part) => format!("\"{part}\""),
                });
                format!("{} -> \"{result}\"", parts.collect::<Vec<_>>().join(" * "))
            });
            let operands = operands.iter().map(|net| format!("({})", text(net)));
            format!(
                "{mode}par using {} in {} end par",
                vectors.collect::<Vec<_>>().join(", "),
                operands.collect::<Vec<_>>().join(" || ")
            )
        }
        Net::Relabel {
            action,
            mode,
            all_but,
            rules,
            operand,
        } => {
            let name = match action {
                Action::Hide => "hide",
                Action::Cut => "cut",
                Action::Rename => "rename",
            };
            let all_but = if *all_but { "all but " } else { "" };
            let rules = rules.iter().map(|(pattern, right)| match action {
                Action::Rename => format!("{} -> \"{right}\"", shown(pattern, *mode)),
                _ => shown(pattern, *mode),
            });
            let rules = rules.collect::<Vec<_>>().join(", ");
            let mode = word(*mode);
            format!(
                "{mode} {name} {all_but}{rules} in {} end {name}",
                text(operand)
            )
        }
        Net::Restrict(gates, operand) => format!("({}) \\ {{{}}}", text(operand), quoted(gates)),
        Net::NewForOld(pairs, operand) => {
            let pairs = pairs.iter().map(|(new, old)| format!("{new} / \"{old}\""));
            format!(
                "({}) [{}]",
                text(operand),
                pairs.collect::<Vec<_>>().join(", ")
            )
        }
        Net::Prio {
            mode,
            chains,
            operand,
        } => {
            let set = |set: &Set| {
                let patterns = set.patterns.iter().map(|p| shown(p, *mode));
                let patterns = patterns.collect::<Vec<_>>().join(", ");
                format!("{}{patterns}", if set.all_but { "all but " } else { "" })
            };
            let chain = |chain: &Vec<Set>| chain.iter().map(set).collect::<Vec<_>>().join(" > ");
            let chains = chains.iter().map(chain).collect::<Vec<_>>().join("\n  ");
            format!(
                "{} prio {chains} in {} end prio",
                word(*mode),
                text(operand)
            )
        }
    }
}
