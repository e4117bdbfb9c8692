//! Reading the edge section.
//!
//! [`Decoder::step`] reads one edge as the definition has it and finds all that
//! can be wrong; the loop in [`fast`](super::fast) does nearly all of the work
//! and leaves to it whatever is out of the ordinary.

use super::super::bits::Bits;
use super::super::layout::{Section, read};
use super::super::report::{Refused, Report};
use super::registers::{Machine, RULES};
use super::{Parameters, Rule, fast};
use crate::lts::{LabelId, Lts, StateId};

/// Transitions in rows by source, as an [`Lts`] has them.
#[derive(Clone)]
pub(in super::super) struct Columns {
    pub offsets: Vec<u32>,
    pub labels: Vec<LabelId>,
    pub targets: Vec<StateId>,
}

/// An edge section of which the beginning is read.
pub(in super::super) struct Edges<'a> {
    section: Section<'a>,
    pub parameters: Parameters,
    count: u32,
}

impl<'a> Edges<'a> {
    /// Reads the beginning of the section.
    pub fn parse(
        mut section: Section<'a>,
        usual: Parameters,
        count_bits: u32,
        report: &mut Report,
    ) -> Result<Self, Refused> {
        // the number has a form of fixed width, whatever its size
        let start = section.bits.at();
        let number = read(&mut section, report, Bits::vint)?;
        if section.bits.at() - start != count_bits as usize {
            let width = section.bits.at() - start;
            report.doubt("bcg-unknown", || {
                format!("the number of edges takes {width} bits; known are {count_bits}")
            })?;
        }
        let mut byte = || read(&mut section, report, |bits| bits.take(8));
        let parameters = Parameters::new(byte()? as u8, byte()? as u8, byte()? as u8);
        if parameters != usual {
            let known = parameters.register_bits <= 8
                && (1..=8).contains(&parameters.short_bits)
                && (2..=16).contains(&parameters.medium_bits);
            let text = || format!("edges with the parameters {parameters}; known are {usual}");
            if !known {
                return Err(report.refuse("bcg-parameters", text));
            }
            report.doubt("bcg-parameters", text)?;
        }
        if number > Lts::MAX_TRANSITIONS {
            return Err(report.refuse("bcg-edges", || {
                format!(
                    "{number} edges: at most {} transitions fit in memory",
                    Lts::MAX_TRANSITIONS
                )
            }));
        }
        // control, register and the shortest form of a target
        let least = 2 + u64::from(parameters.register_bits);
        if number * least > section.bits.left() as u64 {
            return Err(report.refuse("bcg-edges", || {
                format!(
                    "{number} edges do not fit in the {} bytes of {}",
                    section.bits.left() / 8,
                    section.name()
                )
            }));
        }
        Ok(Self {
            section,
            parameters,
            count: number as u32,
        })
    }

    /// Complains if more states are announced than the section has room for.
    pub fn check_states(&self, states: u64, report: &mut Report) -> Result<(), Refused> {
        // each state is passed by two bits at least
        if 2 * states > self.section.bits.left() as u64 {
            return Err(report.refuse("bcg-states", || {
                format!(
                    "{states} states do not fit in the {} bytes of {}",
                    self.section.bits.left() / 8,
                    self.section.name()
                )
            }));
        }
        Ok(())
    }
}

/// Why a decoder stops.
enum Stop {
    /// The log tells.
    Refused,
    /// An edge has different targets under different rules.
    Ambiguous { edge: u32, source: u32 },
    /// The target of an edge is none of the states.
    OutOfRange { edge: u32, source: u32, target: i64 },
}

impl From<Refused> for Stop {
    fn from(_: Refused) -> Self {
        Stop::Refused
    }
}

/// Reads the edges between `states` states; `ids` are the labels by their
/// numbers.
///
/// O(edges + states); 8 bytes an edge and 4 a state, and three times as much
/// where the rules differ.
pub(in super::super) fn decode(
    edges: &Edges,
    states: u32,
    ids: &[LabelId],
    report: &mut Report,
) -> Result<Columns, Refused> {
    let (edge, source) = match Decoder::new(edges, states, ids, &RULES).run(report) {
        Ok(columns) => return Ok(columns),
        Err(Stop::Refused) => return Err(Refused),
        Err(Stop::OutOfRange {
            edge,
            source,
            target,
        }) => return Err(out_of_range(edge, source, target, states, report)),
        Err(Stop::Ambiguous { edge, source }) => (edge, source),
    };
    // What it comes to under each rule, and how possible that is: only graphs
    // of which all states can be reached are what tools write.
    let mut graphs: Vec<(bool, Rule, Columns)> = Vec::new();
    let mut failure = None;
    for rules in [&[Rule::A], &[Rule::B], &[Rule::C]] {
        let decoder = Decoder::new(edges, states, ids, rules);
        match decoder.run(report) {
            Ok(columns) if graphs.iter().all(|g| g.2.targets != columns.targets) => {
                graphs.push((all_reached(&columns), rules[0], columns));
            }
            Ok(_) => {}
            Err(Stop::OutOfRange {
                edge,
                source,
                target,
            }) => failure = failure.or(Some((edge, source, target))),
            Err(Stop::Refused | Stop::Ambiguous { .. }) => return Err(Refused),
        }
    }
    let best = graphs.iter().any(|g| g.0);
    graphs.retain(|g| g.0 == best);
    match (graphs.as_slice(), failure) {
        ([], Some((edge, source, target))) => {
            return Err(out_of_range(edge, source, target, states, report));
        }
        ([], None) => unreachable!("each rule gives a graph or fails"),
        ([(_, Rule::A, _)], _) => report.note("bcg-ambiguous", || {
            format!(
                "the age of registers matters from edge {edge} on; only rule A gives a graph \
                 that is possible"
            )
        }),
        ([(_, rule, _)], _) => report.warn("bcg-ambiguous", || {
            format!(
                "the age of registers matters from edge {edge} on; it is read by rule {rule:?}, \
                 as rule A gives a graph that is impossible"
            )
        }),
        (several, _) => {
            let target = |g: &(bool, Rule, Columns)| {
                format!("{} (rule {:?})", g.2.targets[edge as usize], g.1)
            };
            let targets: Vec<String> = several.iter().map(target).collect();
            let rule = several[0].1;
            report.doubt("bcg-ambiguous", || {
                format!(
                    "edge {edge}, from state {source}, goes to {}: which one depends on how the \
                     writer counts the age of registers, which is not known, and the graph is \
                     possible either way; rule {rule:?} is the most likely",
                    targets.join(" or ")
                )
            })?;
        }
    }
    Ok(graphs.swap_remove(0).2)
}

fn out_of_range(edge: u32, source: u32, target: i64, states: u32, report: &mut Report) -> Refused {
    report.refuse("bcg-state", || {
        format!(
            "edge {edge}, from state {source}, goes to state {target}, but there are {states} states"
        )
    })
}

/// Whether all states can be reached from state 0.
fn all_reached(columns: &Columns) -> bool {
    let states = columns.offsets.len() - 1;
    let mut seen = vec![false; states];
    let mut open = vec![0];
    seen[0] = true;
    let mut reached = 1;
    while let Some(state) = open.pop() {
        let row = columns.offsets[state] as usize..columns.offsets[state + 1] as usize;
        for target in &columns.targets[row] {
            if !std::mem::replace(&mut seen[target.index()], true) {
                reached += 1;
                open.push(target.index());
            }
        }
    }
    reached == states
}

/// Reads edges one after the other.
pub(super) struct Decoder<'a> {
    edges: &'a Edges<'a>,
    pub(super) bits: Bits<'a>,
    pub(super) states: u32,
    pub(super) ids: &'a [LabelId],
    pub(super) machine: Machine,
    /// The current source; the number before 0 at first.
    pub(super) source: u32,
    /// Whether edges of the current source have label numbers.
    pub(super) explicit: bool,
    /// Edges read so far.
    pub(super) done: u32,
    /// The offsets up to the one after the current source are set.
    pub(super) columns: Columns,
}

/// The source before the first.
const NO_SOURCE: u32 = u32::MAX;

impl<'a> Decoder<'a> {
    fn new(edges: &'a Edges<'a>, states: u32, ids: &'a [LabelId], rules: &'static [Rule]) -> Self {
        let count = edges.count as usize;
        Self {
            edges,
            bits: edges.section.bits.clone(),
            states,
            ids,
            machine: Machine::new(edges.parameters, rules),
            source: NO_SOURCE,
            explicit: false,
            done: 0,
            columns: Columns {
                offsets: vec![0; states as usize + 1],
                labels: vec![LabelId::HIDDEN; count],
                targets: vec![StateId::default(); count],
            },
        }
    }

    fn run(mut self, report: &mut Report) -> Result<Columns, Stop> {
        while self.done < self.edges.count {
            let parameters = self.edges.parameters;
            fast::run(&mut self, parameters);
            if self.done < self.edges.count {
                self.step(report)?;
            }
        }
        self.trailer(report)?;
        Ok(self.columns)
    }

    /// Takes bits that must be there.
    fn take(&mut self, count: u8, report: &mut Report) -> Result<u64, Refused> {
        let bits = self.bits.take(count.into());
        report.within(&self.edges.section, bits)
    }

    fn vint(&mut self, report: &mut Report) -> Result<u64, Refused> {
        let number = self.bits.vint();
        report.within(&self.edges.section, number)
    }

    /// The place of the next bit.
    fn place(&self) -> String {
        let first = self.edges.section.end() - self.bits.left().div_ceil(8);
        format!("edge {} at byte {first}", self.done)
    }

    fn next_source(&mut self, report: &mut Report) -> Result<(), Refused> {
        self.source = self.source.wrapping_add(1);
        if self.source >= self.states {
            let place = self.place();
            return Err(report.refuse("bcg-edges", || {
                format!(
                    "{place} is said to leave state {}, but there are {} states",
                    self.source, self.states
                )
            }));
        }
        self.columns.offsets[self.source as usize + 1] = self.done;
        Ok(())
    }

    /// Reads one edge.
    fn step(&mut self, report: &mut Report) -> Result<(), Stop> {
        while self.take(1, report)? == 1 {
            if self.take(1, report)? == 0 {
                self.next_source(report)?;
                self.explicit = false;
            } else {
                if self.take(1, report)? == 0 {
                    self.next_source(report)?;
                }
                self.explicit = true;
            }
        }
        if self.source == NO_SOURCE {
            let place = self.place();
            return Err(report
                .refuse("bcg-edges", || format!("{place} comes before any state"))
                .into());
        }
        let register = self.take(self.edges.parameters.register_bits, report)? as usize;
        let (distance, is_long) = self.distance(report)?;
        let number = match self.explicit {
            true => self.vint(report)?,
            false => 0,
        };
        let Some(&label) = self.ids.get(number as usize) else {
            let place = self.place();
            return Err(report
                .refuse("bcg-edges", || {
                    format!(
                        "{place} has label {number}, but there are {} labels",
                        self.ids.len()
                    )
                })
                .into());
        };
        let (edge, source) = (self.done, self.source);
        let Some(content) = self.machine.content(register) else {
            return Err(Stop::Ambiguous { edge, source });
        };
        let target = i64::from(content) + 1 + distance;
        if !(0..i64::from(self.states)).contains(&target) {
            return Err(Stop::OutOfRange {
                edge,
                source,
                target,
            });
        }
        let target = target as u32;
        match is_long {
            true => self.machine.far(target, edge),
            false => self.machine.near(register, target, edge),
        }
        self.columns.labels[edge as usize] = label;
        self.columns.targets[edge as usize] = StateId::new(target);
        self.done += 1;
        self.columns.offsets[source as usize + 1] = self.done;
        Ok(())
    }

    /// Reads the form of a target: how far it is from the predicted one, and
    /// whether the form is a long one.
    fn distance(&mut self, report: &mut Report) -> Result<(i64, bool), Refused> {
        let parameters = self.edges.parameters;
        let code = self.take(parameters.short_bits, report)? as i64;
        if code + 1 < 1 << parameters.short_bits {
            return Ok((code - parameters.short_reach(), false));
        }
        let code = self.take(parameters.medium_bits, report)? as i64;
        let half = parameters.half();
        let forward = code < half;
        if code != 0 && code != 2 * half - 1 {
            let distance = parameters.short_reach() + if forward { code } else { code - half + 1 };
            return Ok((if forward { distance } else { -distance }, false));
        }
        let further = self.vint(report)?;
        if further == 0 {
            let place = self.place();
            report.doubt("bcg-edges", || {
                format!("{place} has a long form where a medium one would do")
            })?;
        }
        let distance = parameters.medium_reach() + further as i64;
        Ok((if forward { distance } else { -distance }, true))
    }

    /// Reads what comes after the last edge.
    fn trailer(&mut self, report: &mut Report) -> Result<(), Refused> {
        let mut known = true;
        while self.source.wrapping_add(1) < self.states {
            known &= self.take(2, report)? == 0b10;
            self.next_source(report)?;
        }
        known &= self.take(2, report)? == 0b10;
        known &= self.bits.align() && self.bits.left() == 0;
        if !known {
            report.doubt("bcg-edges", || {
                "after the last edge something else comes than the end of the states".into()
            })?;
        }
        Ok(())
    }
}

/// The edges of a section of usual parameters, by some rules, in the fast or in
/// the slow way only.
#[cfg(test)]
pub(in super::super) fn decode_by(
    section: &[u8],
    usual: Parameters,
    states: u32,
    ids: &[LabelId],
    rules: &'static [Rule],
    is_fast: bool,
) -> Columns {
    let mut log = crate::diagnostic::Log::new();
    let mut report = Report::new(&mut log, crate::options::Mode::Default);
    let count_bits = if usual == Parameters::V1_0 { 32 } else { 48 };
    let section = Section::of(section);
    let edges = Edges::parse(section, usual, count_bits, &mut report).unwrap();
    let mut decoder = Decoder::new(&edges, states, ids, rules);
    if is_fast {
        let columns = decoder.run(&mut report);
        return columns.unwrap_or_else(|_| panic!("{log:?}"));
    }
    while decoder.done < edges.count {
        let step = decoder.step(&mut report);
        assert!(step.is_ok());
    }
    decoder.trailer(&mut report).unwrap();
    decoder.columns
}
