//! The grammar of DOT, without recursion: subgraphs may nest as deep as a file
//! is long.

use std::borrow::Cow;

use super::graph::{Attributes, Edge, EdgePlaces, Graph, Node};
use super::lex::{Lexer, Text, Token, fault};
use super::simple::Limits;
use crate::fault::{Fault, Stop};
use crate::lines::Recent;
use crate::lts::TooLarge;
use crate::options::ReadOptions;

/// Edges between subgraphs, of which a short file can have very many: not more
/// than so many of them, members of these subgraphs counted too.
const MOST_CROSSED: u64 = 1 << 24;

/// What stands at an end of an edge.
pub(super) enum End {
    Node(u32),
    /// Several nodes between commas.
    List(Vec<u32>),
    Subgraph(Vec<u32>),
}

impl End {
    fn nodes(&self) -> &[u32] {
        match self {
            End::Node(node) => std::slice::from_ref(node),
            End::List(nodes) | End::Subgraph(nodes) => nodes,
        }
    }
}

/// The graph, or a subgraph that has not been closed yet.
pub(super) struct Frame {
    pub node_defaults: Attributes,
    pub edge_defaults: Attributes,
    /// The outermost named subgraph around, or 0.
    subgraph: u32,
    /// Whether the subgraph that was asked for is this one or around it.
    chosen: bool,
    /// Where the nodes that appear in it begin among those that do in all.
    nodes: usize,
    /// Where the ends of its current statement begin among those of all.
    ends: usize,
    /// Where its current statement begins in the file.
    at: usize,
}

/// The state of reading a graph.
pub(super) struct Parser<'a> {
    pub(super) file: &'a [u8],
    pub(super) limits: Limits,
    /// Where it makes sense again to read parts in parallel.
    pub(super) apart: usize,
    pub(super) lexer: Lexer<'a>,
    pub(super) peeked: Option<(usize, Token<'a>)>,
    /// The subgraph that is asked for.
    automaton: Option<&'a [u8]>,
    pub(super) graph: Graph,
    /// Labels of simple lines.
    pub(super) recent: Recent,
    pub(super) frames: Vec<Frame>,
    pub(super) ends: Vec<End>,
    /// The nodes that appear in the subgraphs which are open.
    nodes: Vec<u32>,
    sets: u32,
    crossed: u64,
}

/// Reads a graph, in which the nodes of the subgraph are marked that the options
/// name. O(bytes + edges).
///
/// # Errors
/// If the file does not follow the grammar, or is an undirected graph, or there
/// are too many edges between subgraphs.
pub(super) fn parse(file: &[u8], options: &ReadOptions) -> Result<Graph, Stop> {
    parse_with(file, options, Limits::new(options.dot.entities))
}

/// As [`parse`], within limits.
pub(super) fn parse_with(
    file: &[u8],
    options: &ReadOptions,
    limits: Limits,
) -> Result<Graph, Stop> {
    let mut parser = Parser {
        file,
        limits,
        apart: 0,
        lexer: Lexer::new(file),
        peeked: None,
        automaton: options.dot.automaton.as_deref(),
        graph: Graph {
            // the hidden action stands for no text
            first: vec![0],
            // what is wrong with a machine is told of its transitions
            places: EdgePlaces::new(options.mealy.is_some()),
            ..Graph::default()
        },
        recent: Recent::new(file.len(), 0),
        frames: Vec::new(),
        ends: Vec::new(),
        nodes: Vec::new(),
        sets: 0,
        crossed: 0,
    };
    parser.header()?;
    parser.body()?;
    let (at, token) = parser.next()?;
    match token {
        Token::End => Ok(parser.graph),
        token => Err(unexpected(at, &token, "the end of the file after the graph").into()),
    }
}

/// Whether a text is a keyword, which has no quotes.
fn is_keyword(text: &Text<'_>, keyword: &str) -> bool {
    matches!(text, Text::Word(word) if word.eq_ignore_ascii_case(keyword.as_bytes()))
}

impl<'a> Parser<'a> {
    pub(super) fn next(&mut self) -> Result<(usize, Token<'a>), Fault> {
        match self.peeked.take() {
            Some(token) => Ok(token),
            None => self.lexer.next(),
        }
    }

    pub(super) fn peek(&mut self) -> Result<&Token<'a>, Fault> {
        if self.peeked.is_none() {
            self.peeked = Some(self.lexer.next()?);
        }
        Ok(self.peeked.as_ref().map_or(&Token::End, |(_, token)| token))
    }

    /// Takes the next token if it is this mark.
    pub(super) fn take(&mut self, mark: u8) -> Result<bool, Fault> {
        let is_there = *self.peek()? == Token::Mark(mark);
        if is_there {
            self.peeked = None;
        }
        Ok(is_there)
    }

    pub(super) fn text(&mut self, what: &str) -> Result<(usize, Text<'a>), Fault> {
        match self.next()? {
            (at, Token::Text(text)) => Ok((at, text)),
            (at, token) => Err(unexpected(at, &token, what)),
        }
    }

    /// `[strict] digraph [ID] {`
    fn header(&mut self) -> Result<(), Fault> {
        let expected = "`digraph`";
        let (mut at, mut text) = self.text(expected)?;
        if is_keyword(&text, "strict") {
            self.graph.strict = true;
            (at, text) = self.text(expected)?;
        }
        if is_keyword(&text, "graph") {
            return Err(fault(
                at,
                "an undirected graph: transitions have a direction, as edges of a `digraph`",
            ));
        }
        if !is_keyword(&text, "digraph") {
            return Err(unexpected(at, &Token::Text(text), expected));
        }
        if let Token::Text(_) = self.peek()? {
            self.peeked = None;
        }
        match self.next()? {
            (at, Token::Mark(b'{')) => {
                self.open(at, None, Attributes::default(), Attributes::default());
                Ok(())
            }
            (at, token) => Err(unexpected(at, &token, "`{`")),
        }
    }

    /// Statements up to the end of the graph.
    fn body(&mut self) -> Result<(), Stop> {
        while !self.frames.is_empty() {
            self.simple_lines()?;
            let Some(frame) = self.frames.last_mut() else {
                break;
            };
            let (at, token) = match self.peeked.take() {
                Some(token) => token,
                None => self.lexer.next()?,
            };
            // what comes next, after an arrow, can only be an end of an edge
            let after_arrow = self.ends.len() > frame.ends;
            if !after_arrow {
                frame.at = at;
            }
            let (nodes, edges) = (frame.node_defaults, frame.edge_defaults);
            match token {
                Token::Mark(b'{') => {
                    self.open(at, None, nodes, edges);
                    continue;
                }
                Token::Text(text) if is_keyword(&text, "subgraph") => {
                    let name = match self.peek()? {
                        Token::Text(_) => Some(self.text("a name")?.1.name()),
                        _ => None,
                    };
                    match self.next()? {
                        (at, Token::Mark(b'{')) => self.open_named(at, name, nodes, edges)?,
                        (at, token) => return Err(unexpected(at, &token, "`{`").into()),
                    }
                    continue;
                }
                Token::Mark(b'}') if !after_arrow => {
                    if self.close()? {
                        return Ok(());
                    }
                }
                Token::Mark(b';') if !after_arrow => continue,
                Token::Text(text) => match keyword(&text) {
                    Some(keyword @ ("node" | "edge" | "graph")) if !after_arrow => {
                        self.defaults(keyword)?;
                        continue;
                    }
                    keyword => {
                        let is_attribute = keyword.is_none() && !after_arrow && self.take(b'=')?;
                        if is_attribute {
                            self.text("a value")?;
                            self.graph.centred |= &*text.name() == b"center";
                            continue;
                        }
                        let end = self.nodes_between_commas(at, text)?;
                        self.ends.push(end);
                    }
                },
                token => {
                    let expected = match (after_arrow, self.frames.len()) {
                        (true, _) => "a node or a subgraph",
                        (false, 1) => "a statement, or `}` at the end of the graph",
                        (false, _) => "a statement, or `}` at the end of the subgraph",
                    };
                    return Err(unexpected(at, &token, expected).into());
                }
            }
            self.after_end()?;
        }
        Ok(())
    }

    /// `NODE, NODE, …`, of which there is one as a rule. The first name has been read.
    fn nodes_between_commas(&mut self, at: usize, text: Text<'a>) -> Result<End, Stop> {
        let first = self.node_and_port(at, text)?;
        if !self.take(b',')? {
            return Ok(End::Node(first));
        }
        let mut nodes = vec![first];
        loop {
            let (at, text) = self.text("a node")?;
            nodes.push(self.node_and_port(at, text)?);
            if !self.take(b',')? {
                return Ok(End::List(nodes));
            }
        }
    }

    /// A node, whose name has been read.
    fn node_and_port(&mut self, at: usize, text: Text<'a>) -> Result<u32, Stop> {
        let subgraph = is_keyword(&text, "subgraph").then_some("subgraph");
        if let Some(keyword) = keyword(&text).or(subgraph) {
            let text = format!("`{keyword}` is a keyword: a node of this name needs quotes");
            return Err(fault(at, text).into());
        }
        let node = self.node(&text.name())?;
        // ports say where an edge touches its node
        while self.take(b':')? {
            self.text("a port")?;
        }
        Ok(node)
    }

    /// After an end of an edge, or a node or a subgraph on its own.
    fn after_end(&mut self) -> Result<(), Stop> {
        match self.peek()? {
            Token::Arrow => self.peeked = None,
            Token::Line => {
                let (at, _) = self.next()?;
                let text = "`--` is an undirected edge: transitions are written `->`";
                return Err(fault(at, text).into());
            }
            _ => self.end_statement()?,
        }
        Ok(())
    }

    /// Attributes, and what they belong to.
    fn end_statement(&mut self) -> Result<(), Stop> {
        let Some(frame) = self.frames.last() else {
            return Ok(());
        };
        let (start, at, mut attributes) = (frame.ends, frame.at, frame.edge_defaults);
        if let [End::Subgraph(_)] = &self.ends[start..] {
            self.ends.truncate(start);
            return Ok(());
        }
        let said = self.attributes()?;
        if let [alone] = &self.ends[start..] {
            for &node in alone.nodes() {
                self.graph.nodes[node as usize].attributes.merge(&said);
            }
            self.ends.truncate(start);
            return Ok(());
        }
        attributes.merge(&said);
        let label = attributes.shown();
        for k in start + 1..self.ends.len() {
            let (sources, targets) = (&self.ends[k - 1], &self.ends[k]);
            if let (End::Node(source), End::Node(target)) = (sources, targets) {
                let edge = Edge {
                    source: *source,
                    target: *target,
                    label,
                };
                self.graph.add(edge, at);
                continue;
            }
            let (sources, targets) = (sources.nodes(), targets.nodes());
            self.crossed = self
                .crossed
                .saturating_add((sources.len() as u64).saturating_mul(targets.len() as u64));
            if self.crossed > MOST_CROSSED {
                return Err(too_many(at).into());
            }
            for &source in sources {
                for &target in targets {
                    let edge = Edge {
                        source,
                        target,
                        label,
                    };
                    self.graph.add(edge, at);
                }
            }
        }
        self.ends.truncate(start);
        Ok(())
    }

    fn open_named(
        &mut self,
        at: usize,
        name: Option<Cow<'a, [u8]>>,
        nodes: Attributes,
        edges: Attributes,
    ) -> Result<(), TooLarge> {
        let number = match &name {
            Some(name) => Some(self.graph.subgraphs.intern(name)?.get()),
            None => None,
        };
        self.open(at, number, nodes, edges);
        if let (Some(frame), Some(name)) = (self.frames.last_mut(), name) {
            frame.chosen |= self.automaton == Some(&*name);
        }
        Ok(())
    }

    fn open(&mut self, at: usize, name: Option<u32>, nodes: Attributes, edges: Attributes) {
        let (outer, chosen) = match self.frames.last() {
            Some(around) => (around.subgraph, around.chosen),
            None => (0, false),
        };
        self.frames.push(Frame {
            node_defaults: nodes,
            edge_defaults: edges,
            subgraph: match outer {
                0 => name.unwrap_or(0),
                _ => outer,
            },
            chosen,
            nodes: self.nodes.len(),
            ends: self.ends.len(),
            at,
        });
    }

    /// Closes a subgraph, which then may be an end of edges, or the graph: tells
    /// whether that is it.
    fn close(&mut self) -> Result<bool, Fault> {
        let Some(closed) = self.frames.pop() else {
            return Ok(true);
        };
        let Some(around) = self.frames.last() else {
            return Ok(true);
        };
        let (at, after_arrow) = (around.at, self.ends.len() > around.ends);
        let is_end = after_arrow || *self.peek()? == Token::Arrow;
        let mut nodes = Vec::new();
        if is_end {
            self.crossed += (self.nodes.len() - closed.nodes) as u64;
            if self.crossed > MOST_CROSSED {
                return Err(too_many(at));
            }
            self.sets += 1;
            let (all, sets) = (&mut self.graph.nodes, self.sets);
            let is_new =
                |&node: &u32| std::mem::replace(&mut all[node as usize].mark, sets) != sets;
            nodes.extend(self.nodes.drain(closed.nodes..).filter(is_new));
            self.nodes.extend_from_slice(&nodes);
        }
        if self.frames.len() == 1 {
            // which nodes appear in the graph is no question
            self.nodes.clear();
        }
        self.ends.push(End::Subgraph(nodes));
        Ok(false)
    }

    /// The node of this name, which appears here.
    pub(super) fn node(&mut self, name: &[u8]) -> Result<u32, TooLarge> {
        let node = self.graph.names.intern(name)?;
        if let Some(frame) = self.frames.last() {
            if node as usize == self.graph.nodes.len() {
                self.graph.nodes.push(Node {
                    attributes: frame.node_defaults,
                    subgraph: frame.subgraph,
                    ..Node::default()
                });
            }
            self.graph.nodes[node as usize].chosen |= frame.chosen;
        }
        if self.frames.len() > 1 {
            self.nodes.push(node);
        }
        Ok(node)
    }
}

/// All keywords but `subgraph`.
const KEYWORDS: [&str; 5] = ["node", "edge", "graph", "digraph", "strict"];

/// The keyword that a text is, apart from `subgraph`.
fn keyword(text: &Text<'_>) -> Option<&'static str> {
    KEYWORDS
        .into_iter()
        .find(|keyword| is_keyword(text, keyword))
}

/// Whether a word is a keyword.
pub(super) fn is_any_keyword(word: &[u8]) -> bool {
    let text = Text::Word(word);
    is_keyword(&text, "subgraph") || keyword(&text).is_some()
}

pub(super) fn unexpected(at: usize, token: &Token<'_>, expected: &str) -> Fault {
    let found = match token {
        Token::Text(Text::Word(word)) => crate::diagnostic::excerpt(word),
        Token::Text(_) => "a text".into(),
        Token::Mark(mark) => format!("`{}`", *mark as char),
        Token::Arrow => "`->`".into(),
        Token::Line => "`--`, an undirected edge".into(),
        Token::End => "the end of the file".into(),
    };
    fault(at, format!("expected {expected}, found {found}"))
}

fn too_many(at: usize) -> Fault {
    fault(
        at,
        format!("more than {MOST_CROSSED} edges between lists or subgraphs: write single edges"),
    )
}
