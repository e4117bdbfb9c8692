//! Pattern files as text.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use hyades_automorphism::Action;
use hyades_automorphism::Symmetries;

use super::{Component, Copy};
use crate::pattern::PatternError;
use crate::template::EdgeNumbers;

/// What a pattern file is to say.
pub(super) struct Writer<'a> {
    /// The symmetries.
    pub found: &'a Symmetries,
    /// The values that move, as text.
    pub texts: BTreeMap<u32, &'a str>,
    /// The names of the classes' lists.
    pub lists: Vec<String>,
    /// The template's initial state.
    pub initial: u32,
    /// The values of the template that move.
    pub moved: Vec<u32>,
    /// The copies.
    pub copies: Vec<Copy>,
}

impl Writer<'_> {
    /// The text.
    pub fn write(
        mut self,
        component: &Component<'_>,
        numbers: EdgeNumbers,
    ) -> Result<String, PatternError> {
        // Values that no copy changes need not be mentioned.
        let keep: Vec<bool> = (0..self.moved.len())
            .map(|k| {
                self.copies
                    .iter()
                    .any(|copy| copy.image[k] != self.moved[k])
            })
            .collect();
        let only_kept = |list: &mut Vec<u32>| {
            let mut k = 0..;
            list.retain(|_| keep[k.next().expect("endless")]);
        };
        only_kept(&mut self.moved);
        self.copies
            .iter_mut()
            .for_each(|copy| only_kept(&mut copy.image));

        let mut text = String::new();
        let mut line = |line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        line(&match self.copies.len() {
            1 => "# 1 copy of the template.".to_owned(),
            copies => format!("# {copies} copies of the template."),
        });
        line(&format!("template = {}", quoted(component.file)));
        if numbers == EdgeNumbers::None || !component.token_characters.is_empty() {
            line("\n[labels]");
        }
        if numbers == EdgeNumbers::None {
            line("edge-numbers = false");
        }
        if !component.token_characters.is_empty() {
            let characters = quoted(component.token_characters);
            line(&format!("token-characters = {characters}"));
        }
        line("\n[values]");
        for (class, name) in self.found.classes().iter().zip(&self.lists) {
            line(&format!("{name} = [{}]", self.list(&class.members)));
        }
        line("");
        if self.copies.iter().any(|copy| copy.state != self.initial) {
            line(
                "# Where copies start that do not start like the template is what a trace of\n\
                 # the specification says. Change it if the template means something else.",
            );
        }
        let copies = match self.transformations() {
            Some(transformations) => {
                line("[[transformations]]");
                line(&transformations);
                self.states(&mut line);
                None
            }
            None => Some(&self.copies),
        };
        for copy in copies.into_iter().flatten() {
            line("[[transformations]]");
            line(&format!("map = {}", self.map(&copy.image)));
            if copy.state != self.initial {
                line(&format!("initial = {}", copy.state));
            }
        }
        self.order(&mut line);
        Ok(text)
    }

    /// The copies by a name of their own, if they have one.
    fn transformations(&self) -> Option<String> {
        let first = *self.moved.first()?;
        let mut classes = self.found.classes().iter().zip(&self.lists);
        let (class, name) = classes.find(|(class, _)| class.members.contains(&first))?;
        let place = |v: &u32| class.members.iter().position(|w| w == v);
        let places: Option<Vec<usize>> = self.moved.iter().map(place).collect();
        let places = places?;
        let n = class.members.len();
        let distinct = self.copies.len();
        let all: HashSet<&[u32]> = self.copies.iter().map(|copy| &copy.image[..]).collect();
        let rotates = |circle: &[u32]| {
            let n = circle.len();
            let place = |v: &u32| circle.iter().position(|w| w == v);
            let places: Option<Vec<usize>> = self.moved.iter().map(place).collect();
            places.filter(|_| n == distinct).is_some_and(|places| {
                let mut rotated = (0..n).map(|r| {
                    let image = places.iter().map(|k| circle[(k + r) % n]);
                    image.collect::<Vec<u32>>()
                });
                rotated.all(|image| all.contains(&image[..]))
            })
        };
        if class.action == Action::Rotations && rotates(&class.members) {
            return Some(format!("rotations = {}", quoted(name)));
        }
        // Images stay in the class: if there are as many, they are all.
        let k = places.len();
        let count = (n - k + 1..=n).try_fold(1usize, |product, m| product.checked_mul(m));
        if count != Some(distinct) {
            // Some of the copies may rotate values that others turn over.
            let circles = self.copies.iter().filter_map(|copy| self.circle(copy));
            let circle = circles.filter(|circle| rotates(circle)).min()?;
            return Some(format!("rotations = [{}]", self.list(&circle)));
        }
        Some(if k == n {
            format!("permutations = {}", quoted(name))
        } else {
            let from = self.list(&self.moved);
            format!(
                "injections = {{ from = [{from}], into = {} }}",
                quoted(name)
            )
        })
    }

    /// The template's values in the order in which the copy takes each to the
    /// next, if that is one cycle.
    fn circle(&self, copy: &Copy) -> Option<Vec<u32>> {
        let mut circle = vec![self.moved[0]];
        loop {
            let last = circle[circle.len() - 1];
            let place = self.moved.iter().position(|&v| v == last)?;
            let next = copy.image[place];
            if next == circle[0] {
                return (circle.len() == self.moved.len()).then_some(circle);
            }
            circle.push(next);
        }
    }

    /// In which states copies start that have no entry of their own.
    fn states(&self, line: &mut impl FnMut(&str)) {
        for copy in self.copies.iter().filter(|copy| copy.state != self.initial) {
            line("\n[[initial]]");
            line(&format!("map = {}", self.map(&copy.image)));
            line(&format!("state = {}", copy.state));
        }
    }

    /// An order to begin with: labels of one shape by their values.
    fn order(&self, line: &mut impl FnMut(&str)) {
        let of_class: HashMap<&[u8], usize> = self
            .found
            .classes()
            .iter()
            .enumerate()
            .flat_map(|(k, class)| class.members.iter().map(move |&v| (k, v)))
            .map(|(k, v)| (&*self.found.values()[v as usize], k))
            .collect();
        // For each first token and number of tokens the classes by place.
        let mut shapes: BTreeMap<(Vec<u8>, usize), Vec<BTreeSet<usize>>> = BTreeMap::new();
        for text in &self.found.labels()[1..] {
            let mut tokens = self.found.syntax().tokens(text);
            let Some(gate) = tokens.next() else { continue };
            let classes: Vec<_> = tokens.map(|token| of_class.get(token)).collect();
            let shape = shapes
                .entry((gate.to_vec(), classes.len()))
                .or_insert_with(|| vec![BTreeSet::new(); classes.len()]);
            for (place, class) in shape.iter_mut().zip(classes) {
                place.extend(class);
            }
        }
        line("\n# A smallest label stands for those symmetric to it; another order may give a");
        line("# smaller kernel.");
        for ((gate, _), places) in shapes {
            // A name that would read like a variable, or is no text, is left out.
            let gate = match String::from_utf8(gate) {
                Ok(gate) if !gate.contains(['$', '*']) => gate,
                _ => continue,
            };
            let mut label = gate;
            let mut by = Vec::new();
            for place in &places {
                match place.first() {
                    Some(&class) if place.len() == 1 => {
                        let name = format!("v{}", by.len() + 1);
                        write!(label, " ${name}").expect("writing to a string");
                        let list = quoted(&self.lists[class]);
                        by.push(format!("{{ variable = \"{name}\", values = {list} }}"));
                    }
                    _ => label += " $_",
                }
            }
            if !by.is_empty() {
                line("\n[[order]]");
                line(&format!("label = {}", quoted(&label)));
                line(&format!("by = [{}]", by.join(", ")));
            }
        }
    }

    fn value(&self, value: u32) -> String {
        let text = self.texts[&value];
        let number = text.parse::<i64>().ok();
        match number.filter(|number| number.to_string() == text) {
            Some(_) => text.to_owned(),
            None => quoted(text),
        }
    }

    fn list(&self, values: &[u32]) -> String {
        let values: Vec<String> = values.iter().map(|&v| self.value(v)).collect();
        values.join(", ")
    }

    fn map(&self, image: &[u32]) -> String {
        let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let pair = |(&v, &w): (&u32, &u32)| {
            let key = self.texts[&v];
            let key = if key.chars().all(bare) {
                key.to_owned()
            } else {
                quoted(key)
            };
            format!("{key} = {}", self.value(w))
        };
        let pairs: Vec<String> = self.moved.iter().zip(image).map(pair).collect();
        format!("{{ {} }}", pairs.join(", "))
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                write!(quoted, "\\u{:04X}", u32::from(c)).expect("writing to a string");
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
