//! Formulas in the language of mCRL2.

use hyades_formats::{LabelId, LabelTable};

use super::{Formula, Node, NodeId};

/// Formulas of more operators than this, where each is written as often as it is used, are
/// not written: the language has no definitions.
const LARGE: u64 = 1 << 20;

/// Words of the language, which are no names of actions.
const RESERVED: [&str; 46] = [
    "act", "allow", "bes", "block", "comm", "cons", "delay", "delta", "div", "end", "eqn",
    "exists", "false", "forall", "glob", "hide", "in", "init", "lambda", "map", "mod", "mu", "nil",
    "nu", "pbes", "proc", "rename", "sort", "struct", "sum", "tau", "true", "val", "var", "whr",
    "yaled", "Bag", "Bool", "FBag", "FSet", "Int", "List", "Nat", "Pos", "Real", "Set",
];

/// What stands behind each other in the text of a formula.
enum Piece {
    Node(NodeId),
    Text(&'static str),
    Label(LabelId),
    /// The variable of a fixed point.
    Variable(u32),
}

/// A step of a modality: its label, whether hidden steps are around it, and what it leads to.
type Step = (LabelId, bool, NodeId);

impl Formula {
    /// The formula in the modal µ-calculus of mCRL2, without a newline at the end: modalities
    /// over hidden steps become regular formulas (`<tau*.a.tau*>`) and fixed points. `None` if
    /// a label does not read as a multi-action there, or if it is too large without
    /// definitions. O(size of the text).
    pub fn to_mcf(&self) -> Option<String> {
        let mut tree_size = vec![0u64; self.nodes.len()];
        for (k, node) in self.nodes.iter().enumerate() {
            let inner = node.operands().iter().map(|o| tree_size[o.index()]);
            tree_size[k] = inner.fold(1, u64::saturating_add);
        }
        if tree_size[self.root().index()] > LARGE {
            return None;
        }
        let mut text = String::new();
        let mut variables = 0;
        let mut stack = vec![Piece::Node(self.root())];
        while let Some(piece) = stack.pop() {
            let id = match piece {
                Piece::Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                Piece::Label(label) => {
                    text.push_str(action(&self.table, label)?);
                    continue;
                }
                Piece::Variable(variable) => {
                    text.push_str(&format!("X{variable}"));
                    continue;
                }
                Piece::Node(id) => id,
            };
            // What stands behind each other, to be pushed from the last on.
            let mut pieces = Vec::new();
            match &self.nodes[id.index()] {
                Node::And(operands) if operands.is_empty() => text.push_str("true"),
                Node::Or(operands) if operands.is_empty() => text.push_str("false"),
                node @ (Node::And(operands) | Node::Or(operands)) => {
                    let between = match node {
                        Node::And(_) => " && ",
                        _ => " || ",
                    };
                    pieces.push(Piece::Text("("));
                    for (k, &operand) in operands.iter().enumerate() {
                        if k > 0 {
                            pieces.push(Piece::Text(between));
                        }
                        pieces.push(Piece::Node(operand));
                    }
                    pieces.push(Piece::Text(")"));
                }
                Node::Not(operand) => {
                    pieces.extend([Piece::Text("!"), Piece::Node(*operand)]);
                }
                Node::Diamond(..) | Node::WeakDiamond(..) => {
                    self.chain(id, ["<", ">"], Self::after_diamond, &mut pieces);
                }
                Node::Box(..) | Node::WeakBox(..) => {
                    self.chain(id, ["[", "]"], Self::after_box, &mut pieces);
                }
                Node::Until(label, [held, target]) => {
                    variables += 1;
                    pieces.push(Piece::Text("("));
                    if label.is_hidden() {
                        pieces.extend([Piece::Node(*target), Piece::Text(" || ")]);
                    }
                    pieces.extend([
                        Piece::Text("mu "),
                        Piece::Variable(variables),
                        Piece::Text(". ("),
                        Piece::Node(*held),
                        Piece::Text(" && (<tau>"),
                        Piece::Variable(variables),
                        Piece::Text(" || <"),
                        Piece::Label(*label),
                        Piece::Text(">"),
                        Piece::Node(*target),
                        Piece::Text(")))"),
                    ]);
                }
                Node::Divergence(operand) => {
                    variables += 1;
                    pieces.extend([
                        Piece::Text("(nu "),
                        Piece::Variable(variables),
                        Piece::Text(". ("),
                        Piece::Node(*operand),
                        Piece::Text(" && <tau>"),
                        Piece::Variable(variables),
                        Piece::Text("))"),
                    ]);
                }
            }
            stack.extend(pieces.into_iter().rev());
        }
        Some(text)
    }

    fn after_diamond(&self, id: NodeId) -> Option<Step> {
        match self.nodes[id.index()] {
            Node::Diamond(label, operand) => Some((label, false, operand)),
            Node::WeakDiamond(label, operand) => Some((label, true, operand)),
            Node::And(_)
            | Node::Or(_)
            | Node::Not(_)
            | Node::Box(..)
            | Node::WeakBox(..)
            | Node::Until(..)
            | Node::Divergence(_) => None,
        }
    }

    fn after_box(&self, id: NodeId) -> Option<Step> {
        match self.nodes[id.index()] {
            Node::Box(label, operand) => Some((label, false, operand)),
            Node::WeakBox(label, operand) => Some((label, true, operand)),
            Node::And(_)
            | Node::Or(_)
            | Node::Not(_)
            | Node::Diamond(..)
            | Node::WeakDiamond(..)
            | Node::Until(..)
            | Node::Divergence(_) => None,
        }
    }

    /// Modalities that follow each other directly, as one: `<a.b>`, so that long ones are not
    /// nested deeply.
    fn chain(
        &self,
        mut id: NodeId,
        [open, close]: [&'static str; 2],
        next: fn(&Self, NodeId) -> Option<Step>,
        pieces: &mut Vec<Piece>,
    ) {
        let mut before = open;
        while let Some((label, is_weak, operand)) = next(self, id) {
            pieces.push(Piece::Text(before));
            match (is_weak, label.is_hidden()) {
                (true, true) => pieces.push(Piece::Text("tau*")),
                (true, false) => pieces.extend([
                    Piece::Text("tau*."),
                    Piece::Label(label),
                    Piece::Text(".tau*"),
                ]),
                (false, _) => pieces.push(Piece::Label(label)),
            }
            before = ".";
            id = operand;
        }
        pieces.extend([Piece::Text(close), Piece::Node(id)]);
    }
}

/// A label as mCRL2 writes it; `None` if it does not read as a multi-action.
fn action(table: &LabelTable, label: LabelId) -> Option<&str> {
    if label.is_hidden() {
        return Some("tau");
    }
    let text = table.text(label);
    let mut depth = 0usize;
    let mut start = 0;
    for (k, &byte) in text.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            b'|' if depth == 0 => {
                check_action(&text[start..k])?;
                start = k + 1;
            }
            _ => {}
        }
    }
    (depth == 0).then_some(())?;
    check_action(&text[start..])?;
    std::str::from_utf8(text).ok()
}

/// Whether a text is the name of an action, perhaps with arguments.
fn check_action(text: &[u8]) -> Option<()> {
    let end = text.iter().position(|&byte| byte == b'(');
    let (name, arguments) = text.split_at(end.unwrap_or(text.len()));
    let (&first, rest) = name.split_first()?;
    let is_name = (first.is_ascii_alphabetic() || first == b'_')
        && rest
            .iter()
            .all(|&b| b.is_ascii_alphanumeric() || b == b'_' || b == b'\'');
    let is_end = arguments.is_empty()
        || arguments.len() > 2
            && arguments.ends_with(b")")
            && arguments
                .iter()
                .all(|&b| matches!(b, b' '..=b'~') && b != b'"');
    (is_name && is_end && !RESERVED.iter().any(|word| word.as_bytes() == name)).then_some(())
}
