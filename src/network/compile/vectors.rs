//! `par using`: synchronisation vectors.

use std::collections::HashMap;

use hyades_formats::LabelId;
use hyades_formats::label::split_gate;

use super::super::event::EventId;
use super::super::lex::SyntaxError;
use super::super::syntax::{Mode, Vector};
use super::{Behaviour, Compiler, Result, gathered};

/// For each gate of an operand, the offers that its labels have.
type Gates = HashMap<Vec<u8>, Vec<Vec<u8>>>;

impl Compiler<'_, '_> {
    pub(super) fn vectors(
        &mut self,
        mode: Mode,
        vectors: &[Vector],
        operands: Vec<Behaviour>,
    ) -> Result<Behaviour> {
        let gates: Vec<Gates> = match mode {
            Mode::Gate => operands.iter().map(|o| self.gates(o)).collect(),
            Mode::Label => vec![Gates::new(); operands.len()],
        };
        let mut hidden: Vec<EventId> = Vec::new();
        let mut visible: Vec<(LabelId, EventId)> = Vec::new();
        for vector in vectors {
            for (_, label) in &vector.parts {
                if self.parameters.is_hidden(&label.text) {
                    let text = "hidden transitions need no vector: they pass in any case";
                    return Err(SyntaxError::new(label.place, "exp-vector", text).into());
                }
            }
            let offers: Vec<Vec<u8>> = match mode {
                Mode::Label => vec![Vec::new()],
                Mode::Gate => self.common_offers(vector, &gates),
            };
            let mut used = false;
            for offers in offers {
                let Some(parts) = self.parts(vector, &offers, &operands) else {
                    continue;
                };
                used = true;
                let event = self.events.all(parts);
                if self.parameters.is_hidden(&vector.result.text) {
                    hidden.push(event);
                } else {
                    let text = [&vector.result.text[..], &offers].concat();
                    visible.push((self.labels.intern(&text)?, event));
                }
            }
            if !used {
                self.warn("exp-vector-unused", vector.place, |quote| {
                    let mut shown = vec!["_".to_owned(); vector.width];
                    for (operand, label) in &vector.parts {
                        shown[*operand] = quote(&label.text);
                    }
                    format!(
                        "vector {} -> {}: its labels are not all there with the same offers",
                        shown.join(" * "),
                        quote(&vector.result.text)
                    )
                });
            }
        }
        let visible = gathered(&mut self.events, visible);
        let passing = operands.into_iter().flat_map(|operand| operand.hidden);
        let hidden = passing.chain(hidden).collect();
        Ok(Behaviour { visible, hidden })
    }

    fn gates(&self, operand: &Behaviour) -> Gates {
        let mut gates = Gates::new();
        for &(label, _) in &operand.visible {
            let (gate, offers) = split_gate(self.labels.text(label));
            gates
                .entry(gate.to_vec())
                .or_default()
                .push(offers.to_vec());
        }
        gates
    }

    /// The offers that may be common to all elements: those of the one that has
    /// the fewest.
    fn common_offers(&self, vector: &Vector, gates: &[Gates]) -> Vec<Vec<u8>> {
        let none = Vec::new();
        let parts = vector.parts.iter();
        let all = parts.map(|(operand, label)| gates[*operand].get(&label.text).unwrap_or(&none));
        all.min_by_key(|offers| offers.len())
            .cloned()
            .unwrap_or_default()
    }

    /// What the operands do that take part with these offers, if all can.
    fn parts(
        &self,
        vector: &Vector,
        offers: &[u8],
        operands: &[Behaviour],
    ) -> Option<Vec<EventId>> {
        let parts = vector.parts.iter();
        parts
            .map(|(operand, label)| {
                let text = [&label.text[..], offers].concat();
                operands[*operand].find(self.labels.find(&text)?)
            })
            .collect()
    }
}
