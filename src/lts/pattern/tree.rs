//! Expressions as trees, and the walks through them that tell how far a match
//! goes and what its groups hold.
//!
//! A walk deals with sets of positions in the text (ascending, without
//! duplicates): from all positions of a set at once, where can a match of this
//! node end, or where can one that ends there have started? A position enters a
//! repetition once, so that a walk takes time linear in the text for
//! expressions without repetitions within repetitions.

use std::fmt;
use std::ops::Range;
use std::rc::Rc;

/// A part of an expression. Trees are at most [`parse::DEPTH`] deep, so that
/// walking by recursion is safe.
///
/// [`parse::DEPTH`]: super::parse::DEPTH
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// One byte out of a set.
    Byte(ByteSet),
    /// These bytes, of which there are two at least, one after the other.
    Text(Box<[u8]>),
    /// Nothing, at such a place.
    At(Place),
    Sequence(Vec<Node>),
    Group(usize, Box<Node>),
    Repeat {
        inner: Box<Node>,
        least: u8,
        most: Option<u8>,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Start,
    End,
    WordStart,
    WordEnd,
}

impl Place {
    fn holds(self, text: &[u8], at: usize) -> bool {
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let before = text[..at].last().is_some_and(is_word);
        let after = text[at..].first().is_some_and(is_word);
        match self {
            Place::Start => at == 0,
            Place::End => at == text.len(),
            Place::WordStart => !before && after,
            Place::WordEnd => before && !after,
        }
    }
}

/// A set of bytes, a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(super) const ALL: ByteSet = ByteSet([u64::MAX; 4]);

    pub(super) fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte / 64)] |= 1 << (byte % 64);
    }

    pub(super) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte / 64)] >> (byte % 64) & 1 != 0
    }

    pub(super) fn complement(self) -> Self {
        Self(self.0.map(|word| !word))
    }

    fn bytes(&self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(|&b| self.contains(b))
    }

    /// How many ranges of bytes in a row it consists of.
    fn runs(&self) -> usize {
        let starts = (0..=u8::MAX).filter(|&b| {
            let before = b.checked_sub(1).is_some_and(|before| self.contains(before));
            self.contains(b) && !before
        });
        starts.count()
    }

    /// The byte, if there is only one.
    fn only(&self) -> Option<u8> {
        let mut bytes = self.bytes();
        bytes.next().filter(|_| bytes.next().is_none())
    }
}

/// Which way a walk goes through the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    Forward,
    Backward,
}

impl Node {
    /// The same with bytes in a row as texts, which take a fraction of the memory.
    pub(super) fn compact(self) -> Self {
        let compact = |inner: Box<Node>| Box::new(inner.compact());
        match self {
            Node::Byte(_) | Node::Text(_) | Node::At(_) => self,
            Node::Group(number, inner) => Node::Group(number, compact(inner)),
            Node::Repeat { inner, least, most } => Node::Repeat {
                inner: compact(inner),
                least,
                most,
            },
            Node::Sequence(nodes) => {
                let only = |node: &Node| match node {
                    Node::Byte(set) => set.only(),
                    Node::Text(_)
                    | Node::At(_)
                    | Node::Sequence(_)
                    | Node::Group(..)
                    | Node::Repeat { .. } => None,
                };
                let both = |a: &Node, b: &Node| only(a).is_some() && only(b).is_some();
                let mut compacted = Vec::with_capacity(nodes.chunk_by(both).count());
                let mut nodes = nodes.into_iter().peekable();
                while let Some(node) = nodes.next() {
                    let mut text: Vec<u8> = only(&node).into_iter().collect();
                    while let (false, Some(byte)) = (text.is_empty(), nodes.peek().and_then(only)) {
                        text.push(byte);
                        nodes.next();
                    }
                    compacted.push(match text.len() {
                        0 | 1 => node.compact(),
                        _ => Node::Text(text.into()),
                    });
                }
                Node::Sequence(compacted)
            }
        }
    }

    /// More bytes than an automaton for this takes, with what building it takes.
    pub(super) fn weight(&self) -> u64 {
        const STATE: u64 = 100;
        match self {
            Node::Byte(set) => STATE + 16 * set.runs() as u64,
            Node::Text(text) => STATE * text.len() as u64,
            Node::At(_) => STATE,
            Node::Sequence(nodes) => nodes
                .iter()
                .fold(STATE, |sum, node| sum.saturating_add(node.weight())),
            Node::Group(_, inner) => inner.weight().saturating_add(STATE),
            Node::Repeat { inner, least, most } => {
                let copies = most.unwrap_or(least.saturating_add(1)).max(1);
                let each = inner.weight().saturating_add(2 * STATE);
                each.saturating_mul(u64::from(copies))
            }
        }
    }

    /// The one text that matches, for a sequence of bytes.
    pub(super) fn literal(&self) -> Option<Vec<u8>> {
        match self {
            Node::Byte(set) => set.only().map(|b| vec![b]),
            Node::Text(text) => Some(text.to_vec()),
            Node::Sequence(nodes) => {
                let texts: Option<Vec<_>> = nodes.iter().map(Node::literal).collect();
                texts.map(|texts| texts.concat())
            }
            Node::At(_) | Node::Group(..) | Node::Repeat { .. } => None,
        }
    }

    /// Whether every match has one of these bytes in it.
    pub(super) fn always_has(&self, bytes: &[u8]) -> bool {
        match self {
            Node::Byte(set) => set.bytes().all(|b| bytes.contains(&b)),
            Node::Text(text) => text.iter().any(|b| bytes.contains(b)),
            Node::At(_) => false,
            Node::Sequence(nodes) => nodes.iter().any(|node| node.always_has(bytes)),
            Node::Group(_, inner) => inner.always_has(bytes),
            Node::Repeat { inner, least, .. } => *least > 0 && inner.always_has(bytes),
        }
    }

    /// Forward: where matches end that start at one of the positions `from`.
    /// Backward: where matches start that end there.
    pub(super) fn step(&self, text: &[u8], from: &[usize], way: Way) -> Vec<usize> {
        match self {
            Node::Byte(set) => from
                .iter()
                .filter_map(|&p| one(set, text, p, way))
                .collect(),
            Node::Text(own) => {
                let whole = |p: &usize| match way {
                    Way::Forward => {
                        let end = *p + own.len();
                        text[*p..].starts_with(own).then_some(end)
                    }
                    Way::Backward => {
                        let start = p.checked_sub(own.len());
                        start.filter(|_| text[..*p].ends_with(own))
                    }
                };
                from.iter().filter_map(whole).collect()
            }
            Node::At(place) => {
                let holds = |p: &usize| place.holds(text, *p);
                from.iter().copied().filter(holds).collect()
            }
            Node::Group(_, inner) => inner.step(text, from, way),
            Node::Sequence(nodes) => {
                let step = |from: Vec<usize>, node: &Node| match from.is_empty() {
                    true => from,
                    false => node.step(text, &from, way),
                };
                match way {
                    Way::Forward => nodes.iter().fold(from.to_vec(), step),
                    Way::Backward => nodes.iter().rfold(from.to_vec(), step),
                }
            }
            Node::Repeat { inner, least, most } => {
                let mut from = from.to_vec();
                for _ in 0..*least {
                    from = inner.step(text, &from, way);
                    if from.is_empty() {
                        return from;
                    }
                }
                let more = most.map(|most| most - least);
                inner.some_steps(text, from, more, way)
            }
        }
    }

    /// Where `more` steps at most lead, or any number.
    fn some_steps(&self, text: &[u8], from: Vec<usize>, more: Option<u8>, way: Way) -> Vec<usize> {
        let mut seen = vec![false; text.len() + 1];
        from.iter().for_each(|&p| seen[p] = true);
        let mut all = from.clone();
        let mut front = from;
        let mut round = 0;
        while !front.is_empty() && more.is_none_or(|more| round < u32::from(more)) {
            front = match (self, &front[..]) {
                // The common case of one position and one byte needs no memory.
                (Node::Byte(set), &[p]) => {
                    let mut at = p;
                    while more.is_none_or(|more| round < u32::from(more))
                        && let Some(next) = one(set, text, at, way)
                        && !std::mem::replace(&mut seen[next], true)
                    {
                        all.push(next);
                        at = next;
                        round += 1;
                    }
                    break;
                }
                _ => self.step(text, &front, way),
            };
            front.retain(|&p| !std::mem::replace(&mut seen[p], true));
            all.extend(&front);
            round += 1;
        }
        all.sort_unstable();
        all
    }

    /// Whether a group is among the nodes.
    fn has_groups(&self) -> bool {
        match self {
            Node::Byte(_) | Node::Text(_) | Node::At(_) => false,
            Node::Group(..) => true,
            Node::Sequence(nodes) => nodes.iter().any(Node::has_groups),
            Node::Repeat { inner, .. } => inner.has_groups(),
        }
    }

    /// Forgets what the groups among the nodes hold.
    fn clear(&self, groups: &mut [Option<Range<usize>>]) {
        match self {
            Node::Byte(_) | Node::Text(_) | Node::At(_) => {}
            Node::Group(number, inner) => {
                groups[*number] = None;
                inner.clear(groups);
            }
            Node::Sequence(nodes) => nodes.iter().for_each(|node| node.clear(groups)),
            Node::Repeat { inner, .. } => inner.clear(groups),
        }
    }

    /// Tells what the groups hold, given that this node matches `span`: each
    /// part takes as much as the parts to its right can do without.
    pub(super) fn assign(
        &self,
        text: &[u8],
        span: Range<usize>,
        groups: &mut [Option<Range<usize>>],
    ) {
        if !self.has_groups() {
            return;
        }
        match self {
            Node::Byte(_) | Node::Text(_) | Node::At(_) => {}
            Node::Group(number, inner) => {
                inner.assign(text, span.clone(), groups);
                groups[*number] = Some(span);
            }
            Node::Sequence(nodes) => {
                // Where each part may start so that the rest ends in time.
                let mut starts = vec![vec![span.end]];
                for node in nodes.iter().rev() {
                    let last = &starts[starts.len() - 1];
                    starts.push(node.step(text, last, Way::Backward));
                }
                starts.pop();
                let mut at = span.start;
                for (node, ends) in nodes.iter().zip(starts.iter().rev()) {
                    at = node.take(text, at, ends, groups);
                }
            }
            Node::Repeat { inner, least, most } => {
                inner.assign_rounds(text, span, (*least, *most), groups);
            }
        }
    }

    /// Matches this node from `at` to the last possible one of `ends`, and
    /// gives that.
    fn take(
        &self,
        text: &[u8],
        at: usize,
        ends: &[usize],
        groups: &mut [Option<Range<usize>>],
    ) -> usize {
        let reached = self.step(text, &[at], Way::Forward);
        let possible = |end: &&usize| ends.binary_search(end).is_ok();
        let end = *reached
            .iter()
            .rfind(possible)
            .expect("the span is known to match");
        self.assign(text, at..end, groups);
        end
    }

    /// As [`Node::assign`] for repetitions of this node.
    fn assign_rounds(
        &self,
        text: &[u8],
        span: Range<usize>,
        (least, most): (u8, Option<u8>),
        groups: &mut [Option<Range<usize>>],
    ) {
        // `ends[k]`: where a round may end if up to k rounds may follow (or, if
        // there is no limit, any number, of which at least k), so that the last
        // of them ends in time.
        let mut ends = vec![Rc::new(match most {
            Some(_) => vec![span.end],
            None => self.some_steps(text, vec![span.end], None, Way::Backward),
        })];
        let total = most.unwrap_or(least);
        // So many rounds from the last one on may be left out.
        let optional = usize::from(total - least);
        while ends.len() <= usize::from(total) {
            let last = &ends[ends.len() - 1];
            let mut starts = self.step(text, last, Way::Backward);
            // Of the rounds that may be left out, fewer are as good; where
            // another one changes nothing, more of them do not either.
            let mut rounds = 1;
            if ends.len() <= optional {
                starts.extend(&**last);
                starts.sort_unstable();
                starts.dedup();
                if starts == **last {
                    rounds = optional + 1 - ends.len();
                }
            }
            ends.extend(std::iter::repeat_n(Rc::new(starts), rounds));
        }
        let mut at = span.start;
        for round in 1usize.. {
            // A round of nothing is made only where it is needed, or alone.
            if at == span.end && round > usize::from(least) {
                let nothing = || self.step(text, &[at], Way::Forward)[..] == [at];
                if round == 1 && most != Some(0) && nothing() {
                    self.assign(text, at..at, groups);
                }
                return;
            }
            self.clear(groups);
            let left = usize::from(total).saturating_sub(round);
            at = self.take(text, at, &ends[left], groups);
        }
    }
}

/// Where a step over one byte leads from a position.
#[inline]
fn one(set: &ByteSet, text: &[u8], at: usize, way: Way) -> Option<usize> {
    match way {
        Way::Forward => {
            let byte = *text.get(at)?;
            set.contains(byte).then_some(at + 1)
        }
        Way::Backward => {
            let before = at.checked_sub(1)?;
            set.contains(text[before]).then_some(before)
        }
    }
}

/// Prints the expression in the syntax of the `regex` crate, to be read with the
/// flags `s-u`; groups do not capture.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Byte(set) => set.fmt(f),
            Node::Text(text) => text.iter().try_for_each(|byte| write!(f, r"\x{byte:02x}")),
            Node::At(Place::Start) => f.write_str(r"\A"),
            Node::At(Place::End) => f.write_str(r"\z"),
            Node::At(Place::WordStart) => f.write_str(r"\b{start}"),
            Node::At(Place::WordEnd) => f.write_str(r"\b{end}"),
            Node::Sequence(nodes) => nodes.iter().try_for_each(|node| node.fmt(f)),
            Node::Group(_, inner) => write!(f, "(?:{inner})"),
            Node::Repeat { inner, least, most } => {
                write!(f, "(?:{inner})")?;
                match (least, most) {
                    (0, None) => f.write_str("*"),
                    (least, None) => write!(f, "{{{least},}}"),
                    (least, Some(most)) => write!(f, "{{{least},{most}}}"),
                }
            }
        }
    }
}

impl fmt::Display for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == ByteSet::ALL {
            return f.write_str(".");
        }
        // Hexadecimal escapes need no thought about what is special where.
        if let Some(byte) = self.only() {
            return write!(f, r"\x{byte:02x}");
        }
        if *self == ByteSet::default() {
            return f.write_str(r"[^\x00-\xff]");
        }
        f.write_str("[")?;
        let bytes: Vec<u8> = self.bytes().collect();
        for run in bytes.chunk_by(|a, b| *a + 1 == *b) {
            write!(f, r"\x{:02x}-\x{:02x}", run[0], run[run.len() - 1])?;
        }
        f.write_str("]")
    }
}
