//! The labels of all components and of the whole, by one numbering.

use std::collections::{HashMap, HashSet};

use super::error::SymmetryError;
use super::label_action::{Form, LabelAction};

/// What a label is made of.
enum Kind {
    /// Nothing that a permutation changes.
    Fixed,
    Label(Form),
    /// A set of labels by their numbers, sorted.
    Set(Vec<u32>),
}

/// Labels as permutations see them; 0 is the hidden one.
pub(super) struct Labels {
    lift: LabelAction,
    kinds: Vec<Kind>,
    /// A letter for the kind and the text with sets sorted; each has its own number.
    texts: Vec<Box<[u8]>>,
    /// The texts as they were found, if they were.
    found: Vec<Option<Box<[u8]>>>,
    numbers: HashMap<Box<[u8]>, u32>,
    /// The identity.
    same: Vec<u16>,
}

impl Labels {
    pub fn new(lift: LabelAction, values: usize) -> Self {
        Self {
            lift,
            kinds: vec![Kind::Fixed],
            texts: vec![Box::default()],
            found: vec![None],
            numbers: HashMap::new(),
            same: (0..values as u16).collect(),
        }
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// How many values there are.
    pub fn values(&self) -> usize {
        self.same.len()
    }

    /// Which values are in the labels below this number.
    pub fn values_below(&self, end: usize) -> Vec<bool> {
        let mut is_there = vec![false; self.values()];
        for kind in &self.kinds[..end] {
            if let Kind::Label(form) = kind {
                form.each_value(&mut |v| is_there[usize::from(v)] = true);
            }
        }
        is_there
    }

    /// For each value the labels below this number that it is in, ascending, each once;
    /// a set of labels has the values of these.
    pub fn by_value(&self, end: usize) -> Vec<Vec<u32>> {
        let mut by_value: Vec<Vec<u32>> = vec![Vec::new(); self.values()];
        let mut values = Vec::new();
        for label in 0..end as u32 {
            values.clear();
            self.each_value(label, &mut |v| values.push(v));
            values.sort_unstable();
            values.dedup();
            for &v in &values {
                by_value[usize::from(v)].push(label);
            }
        }
        by_value
    }

    fn each_value(&self, label: u32, take: &mut impl FnMut(u16)) {
        match &self.kinds[label as usize] {
            Kind::Fixed => {}
            Kind::Label(form) => form.each_value(take),
            // Its members are labels, and no sets.
            Kind::Set(labels) => {
                for &member in labels {
                    if let Kind::Label(form) = &self.kinds[member as usize] {
                        form.each_value(take);
                    }
                }
            }
        }
    }

    /// The gates of the labels below this number.
    pub fn gates_below(&self, end: usize) -> HashSet<&[u8]> {
        let found = self.found[..end].iter().flatten();
        found.flat_map(|label| self.lift.gates(label)).collect()
    }

    /// The text of a label as it was found.
    pub fn found(&self, label: u32) -> Option<&[u8]> {
        self.found[label as usize].as_deref()
    }

    /// Whether this is a label, and no set of labels or mark.
    pub fn is_text(&self, label: u32) -> bool {
        matches!(self.kinds[label as usize], Kind::Label(_))
    }

    /// A text that no other label has.
    pub fn text(&self, label: u32) -> &[u8] {
        &self.texts[label as usize]
    }

    /// The text of a label for messages.
    pub fn shown(&self, label: u32) -> String {
        if label == 0 {
            return "i".into();
        }
        let found = self.found[label as usize].as_ref();
        let text = found.map_or(&self.texts[label as usize][1..], |text| text);
        String::from_utf8_lossy(text).into()
    }

    /// The number of a visible label.
    ///
    /// # Errors
    /// If it is ambiguous, or the same as another one for permutations.
    pub fn add(&mut self, text: &[u8]) -> Result<u32, SymmetryError> {
        let form = self.lift.form(text)?;
        let sorted = self.printed(&form, &self.same);
        let number = self.number(sorted, Kind::Label(form));
        let found = &mut self.found[number as usize];
        match found {
            Some(other) if **other != *text => {
                let both = [&**other, text].map(|text| String::from_utf8_lossy(text).into());
                return Err(SymmetryError::SameLabels(both));
            }
            _ => *found = Some(text.into()),
        }
        Ok(number)
    }

    /// The number of a set of labels that stands for itself.
    pub fn add_set(&mut self, mut labels: Vec<u32>) -> u32 {
        labels.sort_unstable();
        labels.dedup();
        let mut text = b"S".to_vec();
        for label in &labels {
            text.extend_from_slice(&label.to_le_bytes());
        }
        self.number(text, Kind::Set(labels))
    }

    /// The number of a mark that no permutation changes.
    pub fn add_mark(&mut self) -> u32 {
        self.number(b"M".to_vec(), Kind::Fixed)
    }

    fn printed(&self, form: &Form, image: &[u16]) -> Vec<u8> {
        let mut text = b"L".to_vec();
        text.extend(self.lift.print(form, image));
        text
    }

    fn number(&mut self, text: Vec<u8>, kind: Kind) -> u32 {
        if let Some(&number) = self.numbers.get(&text[..]) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.numbers.insert(text[..].into(), number);
        self.texts.push(text.into());
        self.kinds.push(kind);
        self.found.push(None);
        number
    }

    /// What a label becomes by the permutation that maps each value to its image;
    /// it is added if there is no such label.
    pub fn permuted(&mut self, label: u32, image: &[u16]) -> Result<u32, SymmetryError> {
        let text = match &self.kinds[label as usize] {
            Kind::Fixed => return Ok(label),
            Kind::Label(form) if !form.has_values() => return Ok(label),
            Kind::Label(form) => self.printed(form, image),
            Kind::Set(labels) => {
                let mut images = Vec::with_capacity(labels.len());
                for label in labels.clone() {
                    images.push(self.permuted(label, image)?);
                }
                return Ok(self.add_set(images));
            }
        };
        if let Some(&number) = self.numbers.get(&text[..]) {
            return Ok(number);
        }
        let form = self.lift.form(&text[1..])?;
        Ok(self.number(text, Kind::Label(form)))
    }

    /// Whether the exchange of two values maps all labels to labels that are there.
    pub fn are_closed(&self, [v, w]: [u16; 2]) -> bool {
        let mut image = self.same.clone();
        image.swap(usize::from(v), usize::from(w));
        let mut kinds = self.kinds.iter();
        kinds.all(|kind| match kind {
            Kind::Label(form) if form.has_values() => {
                self.numbers.contains_key(&self.printed(form, &image)[..])
            }
            Kind::Fixed | Kind::Label(_) | Kind::Set(_) => true,
        })
    }

    /// As [`Labels::permuted`], for a label of which the image is there.
    pub fn image(&self, label: u32, image: &[u16]) -> Option<u32> {
        match &self.kinds[label as usize] {
            Kind::Label(form) if form.has_values() => {
                self.numbers.get(&self.printed(form, image)[..]).copied()
            }
            Kind::Set(_) => None,
            Kind::Fixed | Kind::Label(_) => Some(label),
        }
    }
}
