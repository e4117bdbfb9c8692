//! Operators between two: `|` of CCS, `||` of mCRL, `[{…}||{…}]` of CSP.

use std::collections::{HashMap, HashSet};

use hyades_formats::LabelId;
use hyades_formats::label::{gate, split_gate};

use super::super::event::EventId;
use super::super::lex::SyntaxError;
use super::super::syntax::{Communication, Label};
use super::{Behaviour, Compiler, Result, gathered};

/// For each gate of mCRL, those it communicates with, and what comes of that.
type Partners<'a> = HashMap<&'a [u8], Vec<(&'a [u8], &'a [u8])>>;

impl Compiler<'_, '_> {
    /// Both go their own ways, or a label meets its co-action, hidden.
    pub(super) fn ccs(&mut self, operands: [Behaviour; 2]) -> Result<Behaviour> {
        let [few, many] = by_size(&operands);
        let prefix = &self.parameters.coaction;
        let mut met = Vec::new();
        for &(label, event) in &few.visible {
            let text = self.labels.text(label);
            let longer = [prefix, text].concat();
            let shorter = text
                .strip_prefix(&prefix[..])
                .filter(|_| !prefix.is_empty());
            for partner in [Some(&longer[..]), shorter].into_iter().flatten() {
                if let Some(partner) = self.labels.find(partner).and_then(|l| many.find(l)) {
                    met.push([event, partner]);
                }
            }
        }
        let mut both = self.alone(operands);
        for events in met {
            both.hidden.push(self.events.all(events.to_vec()));
        }
        Ok(both)
    }

    /// Both go their own ways, or communicate with equal offers.
    pub(super) fn mcrl(
        &mut self,
        communications: &[Communication],
        operands: [Behaviour; 2],
    ) -> Result<Behaviour> {
        let mut seen = HashSet::new();
        let mut partners: Partners<'_> = HashMap::new();
        for communication in communications {
            let Communication { parts, result } = communication;
            let [one, other] = [0, 1].map(|k| &parts[k].text[..]);
            for label in parts {
                self.refuse_special(label)?;
            }
            if !seen.insert((one.min(other), one.max(other))) {
                let error = SyntaxError::quoting(parts[0].place, "exp-comm", |quote| {
                    format!("a second rule for {} and {}", quote(one), quote(other))
                });
                return Err(error.into());
            }
            let result = &result.text[..];
            partners.entry(one).or_default().push((other, result));
            if one != other {
                partners.entry(other).or_default().push((one, result));
            }
        }
        let [few, many] = by_size(&operands);
        let mut met = Vec::new();
        for &(label, event) in &few.visible {
            let (gate, offers) = split_gate(self.labels.text(label));
            for (partner, result) in partners.get(gate).into_iter().flatten() {
                let text = [partner, offers].concat();
                if let Some(partner) = self.labels.find(&text).and_then(|l| many.find(l)) {
                    met.push(([result, offers].concat(), *result, [event, partner]));
                }
            }
        }
        let mut both = self.alone(operands);
        let mut visible = Vec::new();
        for (text, result, events) in met {
            let event = self.events.all(events.to_vec());
            if self.parameters.is_hidden(result) {
                both.hidden.push(event);
            } else {
                visible.push((self.labels.intern(&text)?, event));
            }
        }
        self.add(&mut both.visible, visible);
        Ok(both)
    }

    /// Gates of one alphabet alone, those of both together; others are cut.
    pub(super) fn alphabets(
        &mut self,
        alphabets: &[Vec<Label>; 2],
        operands: [Behaviour; 2],
    ) -> Result<Behaviour> {
        for label in alphabets.iter().flatten() {
            self.refuse_special(label)?;
        }
        let sets = [0, 1].map(|k| {
            let texts = alphabets[k].iter().map(|label| &label.text[..]);
            texts.collect::<HashSet<_>>()
        });
        for k in [0, 1] {
            let own: HashSet<&[u8]> = operands[k]
                .visible
                .iter()
                .map(|&(label, _)| gate(self.labels.text(label)))
                .collect();
            let missing: Vec<&Label> = alphabets[k]
                .iter()
                .filter(|label| !own.contains(&label.text[..]))
                .collect();
            let missing: Vec<Label> = missing.into_iter().cloned().collect();
            for label in missing {
                self.warn("exp-alphabet", label.place, |quote| {
                    format!("{} is no gate of this operand", quote(&label.text))
                });
            }
        }
        let [left, right] = operands;
        let mut visible: Vec<(LabelId, EventId)> = Vec::new();
        for (k, own, other) in [(0, &left, &right), (1, &right, &left)] {
            for &(label, event) in &own.visible {
                let text = self.labels.text(label);
                let in_sets = [0, 1].map(|k: usize| sets[k].contains(gate(text)));
                if self.parameters.is_termination(text) || in_sets == [true, true] {
                    if let (0, Some(partner)) = (k, other.find(label)) {
                        visible.push((label, self.events.all(vec![event, partner])));
                    }
                } else if in_sets[k] {
                    visible.push((label, event));
                }
            }
        }
        Ok(Behaviour {
            visible: gathered(&mut self.events, visible),
            hidden: [left.hidden, right.hidden].concat(),
        })
    }

    /// Whatever one of them does, alone.
    fn alone(&mut self, [left, right]: [Behaviour; 2]) -> Behaviour {
        let (mut visible, few) = by_length(left.visible, right.visible);
        self.add(&mut visible, few);
        let (mut hidden, few) = by_length(left.hidden, right.hidden);
        hidden.extend(few);
        Behaviour { visible, hidden }
    }

    /// Adds events of labels to a map. Where operators are in a chain, this is
    /// done with few of them for each, so that what is there already is hardly
    /// looked at.
    fn add(&mut self, visible: &mut Vec<(LabelId, EventId)>, more: Vec<(LabelId, EventId)>) {
        let known = visible.len();
        for (label, event) in gathered(&mut self.events, more) {
            match visible[..known].binary_search_by_key(&label, |&(l, _)| l) {
                Ok(at) => visible[at].1 = self.events.any(vec![visible[at].1, event]),
                Err(_) => visible.push((label, event)),
            }
        }
        // Two sorted runs: linear.
        visible.sort();
    }
}

/// The operand with the fewer labels first.
fn by_size([left, right]: &[Behaviour; 2]) -> [&Behaviour; 2] {
    match left.visible.len() <= right.visible.len() {
        true => [left, right],
        false => [right, left],
    }
}

/// The longer list first.
fn by_length<T>(one: Vec<T>, other: Vec<T>) -> (Vec<T>, Vec<T>) {
    match one.len() < other.len() {
        true => (other, one),
        false => (one, other),
    }
}
