//! `par` with interfaces, and what is a case of it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use hyades_formats::diagnostic::counted;
use hyades_formats::label::gate;
use hyades_formats::{LabelId, LabelTable};

use super::super::event::EventId;
use super::super::lex::Place;
use super::super::syntax::{Element, Global, Label, Mode};
use super::{Behaviour, Compiler, Result};

/// Elements of local interfaces that are equal, by their degrees: the operands
/// that have them, in ascending order.
type Shared = BTreeMap<Option<u64>, Vec<usize>>;

/// What the interfaces say about each gate or label.
struct Interfaces<'a> {
    mode: Mode,
    /// Everything is in the global interface.
    all: bool,
    global: HashMap<&'a [u8], BTreeSet<Option<u64>>>,
    local: HashMap<&'a [u8], Shared>,
}

impl<'a> Interfaces<'a> {
    fn new(mode: Mode, global: &'a Global, locals: &[&'a [Element]]) -> Self {
        let mut interfaces = Self {
            mode,
            all: matches!(global, Global::All(_)),
            global: HashMap::new(),
            local: HashMap::new(),
        };
        if let Global::These(elements) = global {
            for Element { label, degree } in elements {
                interfaces
                    .global
                    .entry(&label.text)
                    .or_default()
                    .insert(*degree);
            }
        }
        for (operand, elements) in locals.iter().enumerate() {
            for Element { label, degree } in *elements {
                let shared = interfaces.local.entry(&label.text).or_default();
                let members = shared.entry(*degree).or_default();
                if members.last() != Some(&operand) {
                    members.push(operand);
                }
            }
        }
        interfaces
    }

    /// Whether no interface speaks of a label.
    fn leave_alone(&self, label: &[u8]) -> bool {
        let key = self.key(label);
        !self.all && !self.global.contains_key(key) && !self.local.contains_key(key)
    }

    fn key<'l>(&self, label: &'l [u8]) -> &'l [u8] {
        match self.mode {
            Mode::Gate => gate(label),
            Mode::Label => label,
        }
    }
}

impl Compiler<'_, '_> {
    pub(super) fn par(
        &mut self,
        mode: Mode,
        global: &Global,
        locals: &[&[Element]],
        operands: Vec<Behaviour>,
    ) -> Result<Behaviour> {
        let listed: &[Element] = match global {
            Global::All(_) => &[],
            Global::These(elements) => elements,
        };
        for element in listed.iter().chain(locals.iter().copied().flatten()) {
            self.refuse_special(&element.label)?;
        }
        let interfaces = Interfaces::new(mode, global, locals);
        if self.options.check {
            self.check_interfaces(listed, locals, &interfaces, &operands);
            if let Global::All(place) = global {
                self.check_all(*place, &interfaces, &operands);
            }
        }
        let n = operands.len();
        let mut all = Vec::new();
        let mut hidden = Vec::new();
        for (operand, behaviour) in operands.into_iter().enumerate() {
            let Behaviour {
                visible,
                hidden: own,
            } = behaviour;
            all.extend(visible.into_iter().map(|(l, event)| (l, operand, event)));
            hidden.extend(own);
        }
        all.sort_unstable();
        let mut visible = Vec::new();
        for group in all.chunk_by(|a, b| a.0 == b.0) {
            let text = self.labels.text(group[0].0);
            if let &[(label, _, event)] = group
                && !self.parameters.is_termination(text)
                && interfaces.leave_alone(text)
            {
                visible.push((label, event));
                continue;
            }
            let offers: Vec<_> = group.iter().map(|&(_, o, event)| (o, event)).collect();
            let label = group[0].0;
            let alternatives = self.alternatives(label, &offers, n, &interfaces);
            if !alternatives.is_empty() {
                visible.push((label, self.events.any(alternatives)));
            }
        }
        Ok(Behaviour { visible, hidden })
    }

    /// In which ways operands take part in a label together. `offers` are the
    /// operands that can, with what they do.
    fn alternatives(
        &mut self,
        label: LabelId,
        offers: &[(usize, EventId)],
        n: usize,
        interfaces: &Interfaces<'_>,
    ) -> Vec<EventId> {
        let text = self.labels.text(label);
        let every = offers.iter().map(|&(_, event)| event);
        let mut found = Vec::new();
        if self.parameters.is_termination(text) {
            if offers.len() == n {
                found.push(self.events.all(every.collect()));
            }
            return found;
        }
        let key = interfaces.key(text);
        let global = interfaces.global.get(key);
        let whole = BTreeSet::from([None]);
        let none = BTreeSet::new();
        let degrees = match global {
            Some(degrees) => degrees,
            None if interfaces.all => &whole,
            None => &none,
        };
        for degree in degrees {
            match degree {
                None if offers.len() == n => found.push(self.events.all(every.clone().collect())),
                None | Some(0) => {}
                Some(d) => found.extend(self.events.choose(*d, every.clone().collect())),
            }
        }
        let nowhere = Shared::new();
        let local = interfaces.local.get(key).unwrap_or(&nowhere);
        for (degree, members) in local {
            let able: Vec<_> = offers
                .iter()
                .filter(|(operand, _)| members.binary_search(operand).is_ok())
                .map(|&(_, event)| event)
                .collect();
            match degree {
                None if able.len() == members.len() => found.push(self.events.all(able)),
                None | Some(0) => {}
                Some(d) => found.extend(self.events.choose(*d, able)),
            }
        }
        if degrees.is_empty() {
            let lists = |operand| local.values().any(|m| m.binary_search(operand).is_ok());
            let alone = offers.iter().filter(|(operand, _)| !lists(operand));
            found.extend(alone.map(|&(_, event)| event));
        }
        found
    }

    /// Warns of interfaces that do not do what they seem to.
    fn check_interfaces(
        &mut self,
        global: &[Element],
        locals: &[&[Element]],
        interfaces: &Interfaces<'_>,
        operands: &[Behaviour],
    ) {
        let n = operands.len();
        let elements = global.iter().chain(locals.iter().copied().flatten());
        let texts = elements.flat_map(|Element { label, .. }| {
            let written = label.written.as_deref();
            written.into_iter().chain([&label.text[..]])
        });
        let asked: HashSet<&[u8]> = texts.collect();
        if asked.is_empty() {
            return;
        }
        let alphabets: Vec<HashSet<Vec<u8>>> = operands
            .iter()
            .map(|operand| keys(operand, &asked, interfaces, &self.labels))
            .collect();
        for element in global {
            let Element { label, degree } = element;
            let offered = alphabets.iter().filter(|a| a.contains(&label.text)).count();
            let d = degree.map_or(n as u64, |d| d);
            if d > n as u64 {
                self.warn("exp-degree", label.place, |quote| {
                    format!(
                        "{}#{d} for {} only: nobody can take part",
                        quote(&label.text),
                        counted(n, "operand")
                    )
                });
            } else if (offered as u64) < d {
                let hint = self.case_hint(element, &alphabets);
                self.warn("exp-alphabet", label.place, |quote| {
                    let need = match degree {
                        None => format!("all {n} operands have to take part"),
                        Some(1) => "1 operand has to take part".into(),
                        Some(d) => format!("{d} operands have to take part"),
                    };
                    format!(
                        "{} is blocked: {need}, {offered} can{hint}",
                        quote(&label.text)
                    )
                });
            }
            let degrees = &interfaces.global[&label.text[..]];
            let clashes = interfaces
                .local
                .get(&label.text[..])
                .is_some_and(|shared| shared.keys().any(|degree| *degree != Some(0)));
            if *degree == Some(0) && (degrees.len() > 1 || clashes) {
                self.warn_of_none(label);
            }
        }
        for (operand, elements) in locals.iter().enumerate() {
            for element in *elements {
                self.check_local(operand, element, elements, interfaces, &alphabets);
            }
        }
    }

    /// Warns of what cannot happen where all operands have to take part in all that does.
    fn check_all(&mut self, place: Place, interfaces: &Interfaces<'_>, operands: &[Behaviour]) {
        let n = operands.len();
        let mut offered: BTreeMap<&[u8], usize> = BTreeMap::new();
        for operand in operands {
            let texts = operand.visible.iter().map(|&(l, _)| self.labels.text(l));
            let texts = texts.filter(|text| !self.parameters.is_termination(text));
            let keys: BTreeSet<&[u8]> = texts.map(|text| interfaces.key(text)).collect();
            keys.into_iter()
                .for_each(|key| *offered.entry(key).or_default() += 1);
        }
        let blocked =
            |&(key, &count): &(&&[u8], &usize)| count < n && !interfaces.local.contains_key(*key);
        let mut blocked = offered.iter().filter(blocked);
        let Some((first, _)) = blocked.next() else {
            return;
        };
        let (first, others) = (first.to_vec(), blocked.count());
        self.warn("exp-alphabet", place, |quote| {
            let are = match others {
                0 => "is".into(),
                _ => format!("and {} are", counted(others, "other")),
            };
            format!(
                "{} {are} blocked: all {n} operands have to take part in everything; `|||` lets \
                 each go alone, and |[A, B]| synchronises what is listed",
                quote(&first)
            )
        });
    }

    /// Degree 0 stands beside others.
    fn warn_of_none(&mut self, label: &Label) {
        self.warn("exp-degree", label.place, |quote| {
            format!(
                "{0}#0 forbids what other elements allow: {0}",
                quote(&label.text)
            )
        });
    }

    fn check_local(
        &mut self,
        operand: usize,
        element: &Element,
        elements: &[Element],
        interfaces: &Interfaces<'_>,
        alphabets: &[HashSet<Vec<u8>>],
    ) {
        let Element { label, degree } = element;
        let n = alphabets.len();
        let shared = &interfaces.local[&label.text[..]];
        let members = &shared[degree][..];
        if !alphabets[operand].contains(&label.text) {
            let hint = self.case_hint(element, &alphabets[operand..=operand]);
            self.warn("exp-alphabet", label.place, |quote| {
                format!("{} is no label of this operand{hint}", quote(&label.text))
            });
        }
        match *degree {
            None if members.len() == 1 => self.warn("exp-local", label.place, |quote| {
                format!(
                    "{0} is in the interface of one operand only, which takes part alone: \
                     write {0}#1 if that is meant",
                    quote(&label.text)
                )
            }),
            Some(0) => {
                let other = |e: &Element| e.label.text == label.text && e.degree != Some(0);
                let global = interfaces.global.get(&label.text[..]);
                let clashes = global.is_some_and(|all| all.iter().any(|d| *d != Some(0)));
                if clashes || elements.iter().any(other) {
                    self.warn_of_none(label);
                }
            }
            Some(d) if d > n as u64 => self.warn("exp-degree", label.place, |quote| {
                format!(
                    "{}#{d} for {} only: nobody can take part",
                    quote(&label.text),
                    counted(n, "operand")
                )
            }),
            // Told where the element stands first.
            Some(d) if (members.len() as u64) < d && members.first() == Some(&operand) => {
                self.warn("exp-local", label.place, |quote| {
                    format!(
                        "{}#{d} is in the interfaces of {} only: nobody can take part",
                        quote(&label.text),
                        counted(members.len(), "operand")
                    )
                });
            }
            _ => {}
        }
    }

    /// That the spelling of the text would have done, if so.
    fn case_hint(&self, element: &Element, alphabets: &[HashSet<Vec<u8>>]) -> &'static str {
        match &element.label.written {
            Some(written) if alphabets.iter().any(|a| a.contains(written)) => CASE_HINT,
            _ => "",
        }
    }
}

/// What to do if labels are not those that are written.
pub(super) const CASE_HINT: &str = "; labels of this language are put in upper case, while those \
                                    of components are not: --case leaves them as they are written";

/// Which of some gates or labels an operand can do.
fn keys(
    operand: &Behaviour,
    asked: &HashSet<&[u8]>,
    interfaces: &Interfaces<'_>,
    labels: &LabelTable,
) -> HashSet<Vec<u8>> {
    let mut found = HashSet::new();
    for &(label, _) in &operand.visible {
        let key = interfaces.key(labels.text(label));
        if asked.contains(key) && !found.contains(key) {
            found.insert(key.to_vec());
        }
    }
    found
}
