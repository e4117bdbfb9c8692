//! Printing formulas and labels.

use std::fmt;

use hyades_formats::diagnostic::is_unprintable;
use hyades_formats::{LabelId, LabelTable};

use super::{Formula, Node, NodeId};

/// Formulas of up to this many operators are printed without definitions.
const SMALL: u64 = 40;
/// The operators that a definition has at the most, if it can be helped.
const LINE: u64 = 16;

impl fmt::Display for Formula {
    /// Writes the formula, or its definitions one a line, without a newline at
    /// the end; with `{:#}` the hidden action is `tau`, as in mCRL2. O(size).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.named();
        let mut names = vec![0u32; self.nodes.len()];
        let mut next = 0;
        // Operators come after their operands: backwards, each use of a name
        // comes before its definition.
        for k in (0..self.nodes.len()).rev() {
            if named[k] {
                next += 1;
                names[k] = next;
            }
        }
        if next == 0 {
            return self.fmt_node(f, self.root(), &names);
        }
        for k in (0..self.nodes.len()).rev() {
            if named[k] {
                if k != self.root().index() {
                    f.write_str("\n")?;
                }
                write!(f, "X{} = ", names[k])?;
                self.fmt_node(f, NodeId(k as u32), &names)?;
            }
        }
        Ok(())
    }
}

impl Formula {
    /// Which nodes get a name of their own, so that no definition has more
    /// operators than about [`LINE`] (or than one operator with many operands
    /// needs) and no subformula of note is written twice.
    fn named(&self) -> Vec<bool> {
        let n = self.nodes.len();
        let mut tree_size = vec![0u64; n];
        for (k, node) in self.nodes.iter().enumerate() {
            let inner = node.operands().iter().map(|o| tree_size[o.index()]);
            tree_size[k] = inner.fold(1, u64::saturating_add);
        }
        let mut named = vec![false; n];
        if tree_size[n - 1] <= SMALL {
            return named;
        }
        named[n - 1] = true;
        let mut uses = vec![0u32; n];
        for node in &self.nodes {
            for o in node.operands() {
                uses[o.index()] = uses[o.index()].saturating_add(1);
            }
        }
        // The size of what is written where a node is used.
        let mut written = vec![1u64; n];
        for (k, node) in self.nodes.iter().enumerate() {
            let mut size = 1;
            for o in node.operands() {
                let o = o.index();
                if !named[o] && written[o] > 2 && size + written[o] > LINE {
                    named[o] = true;
                }
                size += if named[o] { 1 } else { written[o] };
            }
            written[k] = size;
            named[k] |= uses[k] > 1 && size > 2;
        }
        named
    }

    /// Whether the text of a node, in a place without parentheses, begins with `<`.
    fn begins_with_angle(&self, mut id: NodeId, names: &[u32]) -> bool {
        loop {
            if names[id.index()] > 0 {
                return false;
            }
            id = match &self.nodes[id.index()] {
                Node::Diamond(..) | Node::WeakDiamond(..) | Node::Until(..) => return true,
                Node::Box(..) | Node::WeakBox(..) | Node::Not(_) | Node::Divergence(_) => {
                    return false;
                }
                // An operand of these that has several itself is in parentheses.
                Node::And(operands) | Node::Or(operands) => match operands.first() {
                    Some(first) if !self.has_several(*first) => *first,
                    Some(_) | None => return false,
                },
            };
        }
    }

    fn has_several(&self, id: NodeId) -> bool {
        match &self.nodes[id.index()] {
            Node::And(operands) | Node::Or(operands) => !operands.is_empty(),
            Node::Not(_)
            | Node::Diamond(..)
            | Node::Box(..)
            | Node::WeakDiamond(..)
            | Node::WeakBox(..)
            | Node::Until(..)
            | Node::Divergence(_) => false,
        }
    }

    /// Writes one node, with the names of those that have one.
    fn fmt_node(&self, f: &mut fmt::Formatter<'_>, top: NodeId, names: &[u32]) -> fmt::Result {
        enum Piece {
            Node(NodeId, Place),
            Text(&'static str),
            Label(LabelId),
        }
        /// What binds a subformula from outside.
        #[derive(Clone, Copy, PartialEq)]
        enum Place {
            Top,
            Operand,
            Prefixed,
        }
        let mut stack = vec![Piece::Node(top, Place::Top)];
        while let Some(piece) = stack.pop() {
            let (id, place) = match piece {
                Piece::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Piece::Label(label) => {
                    fmt_label(f, &self.table, label)?;
                    continue;
                }
                Piece::Node(id, place) => (id, place),
            };
            if id != top && names[id.index()] > 0 {
                write!(f, "X{}", names[id.index()])?;
                continue;
            }
            match &self.nodes[id.index()] {
                Node::And(operands) if operands.is_empty() => f.write_str("true")?,
                Node::Or(operands) if operands.is_empty() => f.write_str("false")?,
                node @ (Node::And(operands) | Node::Or(operands)) => {
                    // Conjunctions in disjunctions need no parentheses, but are
                    // read more easily with them.
                    if place != Place::Top {
                        f.write_str("(")?;
                        stack.push(Piece::Text(")"));
                    }
                    let between = match node {
                        Node::And(_) => " && ",
                        _ => " || ",
                    };
                    for (k, &operand) in operands.iter().enumerate().rev() {
                        stack.push(Piece::Node(operand, Place::Operand));
                        if k > 0 {
                            stack.push(Piece::Text(between));
                        }
                    }
                }
                Node::Not(operand) => {
                    f.write_str("!")?;
                    stack.push(Piece::Node(*operand, Place::Prefixed));
                }
                Node::Diamond(label, operand) => {
                    f.write_str("<")?;
                    fmt_label(f, &self.table, *label)?;
                    f.write_str(">")?;
                    stack.push(Piece::Node(*operand, Place::Prefixed));
                }
                Node::Box(label, operand) => {
                    f.write_str("[")?;
                    fmt_label(f, &self.table, *label)?;
                    f.write_str("]")?;
                    stack.push(Piece::Node(*operand, Place::Prefixed));
                }
                Node::WeakDiamond(label, operand) => {
                    f.write_str("<<")?;
                    fmt_label(f, &self.table, *label)?;
                    f.write_str(">>")?;
                    stack.push(Piece::Node(*operand, Place::Prefixed));
                }
                Node::WeakBox(label, operand) => {
                    f.write_str("[[")?;
                    fmt_label(f, &self.table, *label)?;
                    f.write_str("]]")?;
                    stack.push(Piece::Node(*operand, Place::Prefixed));
                }
                Node::Until(label, [held, target]) => {
                    // `<<<` would be hard to read.
                    f.write_str(if self.begins_with_angle(*held, names) {
                        "< "
                    } else {
                        "<"
                    })?;
                    stack.push(Piece::Node(*target, Place::Prefixed));
                    stack.push(Piece::Text(">"));
                    stack.push(Piece::Label(*label));
                    stack.push(Piece::Text(" U "));
                    stack.push(Piece::Node(*held, Place::Top));
                }
                Node::Divergence(operand) => {
                    f.write_str("div ")?;
                    stack.push(Piece::Node(*operand, Place::Prefixed));
                }
            }
        }
        Ok(())
    }
}

/// A label as formulas spell it: in quotes and with escapes, or `i` for the
/// hidden action. Different labels are written differently, in one line.
#[derive(Clone, Copy, Debug)]
pub struct Action<'a> {
    /// The texts of labels.
    pub table: &'a LabelTable,
    /// The label.
    pub label: LabelId,
}

impl fmt::Display for Action<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_label(f, self.table, self.label)
    }
}

fn fmt_label(f: &mut fmt::Formatter<'_>, table: &LabelTable, label: LabelId) -> fmt::Result {
    if label.is_hidden() {
        return f.write_str(if f.alternate() { "tau" } else { "i" });
    }
    f.write_str("\"")?;
    for chunk in table.text(label).utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                c if is_unprintable(c) => {
                    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                        write!(f, "\\x{byte:02X}")?;
                    }
                }
                c => fmt::Write::write_char(f, c)?,
            }
        }
        for byte in chunk.invalid() {
            write!(f, "\\x{byte:02X}")?;
        }
    }
    f.write_str("\"")
}
