//! Pattern files; docs/kernel.md describes them.

use std::collections::BTreeMap;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use hyades_base::text::line_and_column;
use hyades_formats::Lts;
use hyades_lts::tokens::TokenSyntax;
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use toml::Spanned;

use super::error::PatternError;
use super::order::{Order, OrderEntry, Significant, ValueList};
use super::transformations::Transformation;
use super::{Pattern, TemplateCopy};
use crate::template::{EdgeNumbers, Template};

/// A pattern file that has been read, but not yet the files it names.
#[derive(Debug)]
pub struct PatternFile {
    text: String,
    syntax: TokenSyntax,
    raw: Raw,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Raw {
    template: String,
    #[serde(default)]
    labels: Labels,
    #[serde(default)]
    values: BTreeMap<String, Vec<Spanned<Value>>>,
    transformations: Spanned<Vec<Spanned<Transformations>>>,
    #[serde(default)]
    initial: Vec<Spanned<Initial>>,
    #[serde(default)]
    order: Vec<Spanned<Entry>>,
    order_file: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(
    rename_all = "kebab-case",
    deny_unknown_fields,
    default,
    expecting = "a table with `edge-numbers` or `token-characters`"
)]
struct Labels {
    edge_numbers: bool,
    token_characters: String,
}

impl Default for Labels {
    fn default() -> Self {
        Self {
            edge_numbers: true,
            token_characters: String::new(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table with one of `rotations`, `injections`, `permutations` and `map`"
)]
struct Transformations {
    rotations: Option<Values>,
    permutations: Option<Values>,
    injections: Option<Injections>,
    map: Option<BTreeMap<String, Value>>,
    initial: Option<Spanned<State>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `from` and `into`")]
struct Injections {
    from: Values,
    into: Values,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `map` and `state`")]
struct Initial {
    map: BTreeMap<String, Value>,
    state: Spanned<State>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `label` and `by`")]
struct Entry {
    label: Spanned<String>,
    #[serde(default)]
    by: Vec<Spanned<By>>,
}

#[derive(Debug, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table with `variable` and `values`"
)]
struct By {
    variable: String,
    values: Values,
    #[serde(default)]
    descending: bool,
}

/// A token: a string, or a whole number for short.
#[derive(Clone, Debug)]
struct Value(Box<[u8]>);

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Token;
        impl Visitor<'_> for Token {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a value: a string, or a whole number")
            }

            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(Value(text.as_bytes().into()))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
                Ok(Value(number.to_string().into_bytes().into()))
            }
        }
        deserializer.deserialize_any(Token)
    }
}

/// What is to be the number of a state of the template.
#[derive(Clone, Copy, Debug)]
struct State(i64);

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = State;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a state of the template: a whole number")
            }

            fn visit_i64<E>(self, number: i64) -> Result<State, E> {
                Ok(State(number))
            }
        }
        deserializer.deserialize_any(Number)
    }
}

/// The name of a list, or a list.
#[derive(Debug)]
enum Values {
    Named(Spanned<String>),
    Listed(Vec<Spanned<Value>>),
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = (Option<String>, Vec<Spanned<Value>>);

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list of values, or the name of one in [values]")
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok((Some(name.to_owned()), Vec::new()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok((None, values))
            }
        }
        struct Either((Option<String>, Vec<Spanned<Value>>));
        impl<'de> Deserialize<'de> for Either {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(List).map(Either)
            }
        }
        let spanned = Spanned::<Either>::deserialize(deserializer).map_err(de::Error::custom)?;
        let span = spanned.span();
        Ok(match spanned.into_inner().0 {
            (Some(name), _) => Values::Named(Spanned::new(span, name)),
            (None, list) => Values::Listed(list),
        })
    }
}

impl PatternFile {
    /// Reads the text of a pattern file.
    ///
    /// # Errors
    /// If it is no TOML, or a key is unknown, missing or of the wrong type.
    pub fn from_text(text: &str) -> Result<Self, PatternError> {
        let raw: Raw = toml::from_str(text).map_err(|error| PatternError {
            place: error.span().map(|span| place(text, span)),
            edge: None,
            // What is expected may stand in a second line.
            text: error.message().trim_end().replace('\n', "; "),
        })?;
        let syntax = TokenSyntax::default().with(raw.labels.token_characters.as_bytes());
        let text = text.to_owned();
        let file = Self { text, syntax, raw };
        let named = file.raw.values.iter();
        named
            .into_iter()
            .try_for_each(|(_, list)| file.check_values(list))?;
        let transformations = &file.raw.transformations;
        if transformations.get_ref().is_empty() {
            return Err(file.error(
                transformations.span(),
                "no transformations; expected at least one",
            ));
        }
        if let (Some(_), Some(by_file)) = (file.raw.order.first(), &file.raw.order_file) {
            return Err(file.error(
                by_file.span(),
                "both `order-file` and [[order]]; expected one of them",
            ));
        }
        Ok(file)
    }

    /// The file that the template is in, relative to the pattern file.
    pub fn template(&self) -> &str {
        &self.raw.template
    }

    /// The file that lists the labels in their order, relative to the pattern
    /// file, if there is one.
    pub fn order_file(&self) -> Option<&str> {
        self.raw
            .order_file
            .as_ref()
            .map(|name| name.get_ref().as_str())
    }

    /// How labels are cut into tokens.
    pub fn syntax(&self) -> &TokenSyntax {
        &self.syntax
    }

    /// The pattern with this template. Its order is that of the entries in the
    /// file.
    ///
    /// # Errors
    /// If the template is none, the file does not fit it, or a transformation
    /// makes two of its labels the same.
    pub fn pattern(&self, template: &Lts) -> Result<Pattern, PatternError> {
        let numbers = match self.raw.labels.edge_numbers {
            true => EdgeNumbers::FirstTokens,
            false => EdgeNumbers::None,
        };
        let template = Template::new(template, &self.syntax, numbers)?;
        let mentioned = self.mentioned(&template);
        let mut fitted = vec![false; self.raw.initial.len()];
        let mut copies = Vec::new();
        let mut known = HashSet::new();
        for entry in self.raw.transformations.get_ref() {
            let state = entry.get_ref().initial.as_ref();
            let made = self.transformations(entry, &mentioned)?;
            // Rotations and permutations keep different labels different.
            let values = entry.get_ref();
            let may_join = values.injections.is_some() || values.map.is_some();
            for transformation in made {
                if may_join {
                    let renamed = template.renamed(&transformation);
                    renamed.map_err(|text| self.error(entry.span(), text))?;
                }
                if !known.insert(transformation.clone()) {
                    let text = format!(
                        "the transformation {transformation} for the second time; expected each \
                         once"
                    );
                    return Err(self.error(entry.span(), text));
                }
                let initial = match state {
                    Some(state) => self.state(state, &template)?,
                    None => self.initial(&transformation, &template, &mut fitted)?,
                };
                copies.push(TemplateCopy {
                    transformation,
                    initial,
                });
            }
            if copies.len() > Transformation::MOST {
                let text = format!("too many copies; expected at most {}", Transformation::MOST);
                return Err(self.error(entry.span(), text));
            }
        }
        if let Some(k) = fitted.iter().position(|&fitted| !fitted) {
            return Err(self.error(
                self.raw.initial[k].span(),
                "no copy maps so that has not been given its initial state before; expected one",
            ));
        }
        Ok(Pattern {
            syntax: self.syntax.clone(),
            template,
            copies,
            order: self.order()?,
        })
    }

    fn transformations(
        &self,
        entry: &Spanned<Transformations>,
        mentioned: &HashSet<Box<[u8]>>,
    ) -> Result<Vec<Transformation>, PatternError> {
        let at = |error: PatternError| self.error(entry.span(), error.text);
        let entry_value = entry.get_ref();
        match entry_value {
            Transformations {
                rotations: Some(values),
                permutations: None,
                injections: None,
                map: None,
                ..
            } => {
                let values = self.values(values)?;
                if !values.iter().any(|value| mentioned.contains(value)) {
                    return Err(at(PatternError::new(
                        "none of these values is in the template; expected one at least",
                    )));
                }
                Transformation::rotations_of(&values, |value| mentioned.contains(value)).map_err(at)
            }
            Transformations {
                rotations: None,
                permutations: Some(values),
                injections: None,
                map: None,
                ..
            } => Transformation::permutations(&self.values(values)?).map_err(at),
            Transformations {
                rotations: None,
                permutations: None,
                injections: Some(Injections { from, into }),
                map: None,
                ..
            } => Transformation::injections(&self.values(from)?, &self.values(into)?).map_err(at),
            Transformations {
                rotations: None,
                permutations: None,
                injections: None,
                map: Some(map),
                ..
            } => Ok(vec![self.map(map, entry.span())?]),
            _ => Err(self.error(
                entry.span(),
                "expected one of `rotations`, `injections`, `permutations` and `map` in each of \
                 [[transformations]]",
            )),
        }
    }

    fn map(
        &self,
        map: &BTreeMap<String, Value>,
        span: Range<usize>,
    ) -> Result<Transformation, PatternError> {
        for token in map
            .keys()
            .map(String::as_bytes)
            .chain(map.values().map(|v| &*v.0))
        {
            self.check_token(token, span.clone())?;
        }
        let pairs = map
            .iter()
            .map(|(old, new)| (old.as_bytes().into(), new.0.clone()));
        Transformation::new(pairs).map_err(|error| self.error(span, error.text))
    }

    /// The state in which a copy starts that does not say so itself.
    fn initial(
        &self,
        transformation: &Transformation,
        template: &Template,
        fitted: &mut [bool],
    ) -> Result<u32, PatternError> {
        let fitting = self.raw.initial.iter().position(|initial| {
            let mut pairs = initial.get_ref().map.iter();
            pairs.all(|(old, new)| *transformation.apply(old.as_bytes()) == *new.0)
        });
        fitting.map_or(Ok(template.initial()), |k| {
            fitted[k] = true;
            self.state(&self.raw.initial[k].get_ref().state, template)
        })
    }

    /// The values that anything in the pattern asks about: what others become
    /// does not matter.
    fn mentioned(&self, template: &Template) -> HashSet<Box<[u8]>> {
        let actions = template.actions().iter();
        let initial = self.raw.initial.iter();
        actions
            .flat_map(|tokens| tokens.0.iter().cloned())
            .chain(initial.flat_map(|i| i.get_ref().map.keys().map(|old| old.as_bytes().into())))
            .collect()
    }

    fn state(&self, state: &Spanned<State>, template: &Template) -> Result<u32, PatternError> {
        let State(number) = *state.get_ref();
        match u32::try_from(number) {
            Ok(number) if number < template.states() => Ok(number),
            _ => {
                let text = format!(
                    "state {number}; expected a state of the template: a number from 0 to {}",
                    template.states() - 1
                );
                Err(self.error(state.span(), text))
            }
        }
    }

    fn order(&self) -> Result<Order, PatternError> {
        let mut lists: Vec<ValueList> = Vec::new();
        let mut entries = Vec::new();
        for entry in &self.raw.order {
            let Entry { label, by } = entry.get_ref();
            let mut significant = Vec::new();
            for by in by {
                let by = by.get_ref();
                let name = match &by.values {
                    Values::Named(name) => Some(name.get_ref().clone()),
                    Values::Listed(_) => None,
                };
                let known = name
                    .is_some()
                    .then(|| lists.iter().position(|l| l.name == name));
                let list = match known.flatten() {
                    Some(list) => list,
                    None => {
                        let values = self.values(&by.values)?;
                        lists.push(ValueList { name, values });
                        lists.len() - 1
                    }
                };
                significant.push(Significant {
                    variable: by.variable.clone(),
                    list,
                    descending: by.descending,
                });
            }
            let entry = OrderEntry::new(label.get_ref(), significant, &self.syntax);
            entries.push(entry.map_err(|error| self.error(label.span(), error.text))?);
        }
        Ok(Order::Entries { lists, entries })
    }

    fn values(&self, values: &Values) -> Result<Vec<Box<[u8]>>, PatternError> {
        let list = match values {
            Values::Listed(list) => list,
            Values::Named(name) => match self.raw.values.get(name.get_ref()) {
                Some(list) => list,
                None => {
                    let known: Vec<_> = self.raw.values.keys().map(String::as_str).collect();
                    let known = if known.is_empty() {
                        "one defined in [values]".to_owned()
                    } else {
                        format!("one of {}", known.join(", "))
                    };
                    let text = format!("no list `{}`; expected {known}", name.get_ref());
                    return Err(self.error(name.span(), text));
                }
            },
        };
        self.check_values(list)?;
        Ok(list.iter().map(|value| value.get_ref().0.clone()).collect())
    }

    fn check_values(&self, list: &[Spanned<Value>]) -> Result<(), PatternError> {
        let mut known = HashSet::new();
        for value in list {
            let token = &*value.get_ref().0;
            self.check_token(token, value.span())?;
            if !known.insert(token) {
                let text = format!(
                    "`{}` for the second time; expected each value once",
                    String::from_utf8_lossy(token)
                );
                return Err(self.error(value.span(), text));
            }
        }
        Ok(())
    }

    fn check_token(&self, token: &[u8], span: Range<usize>) -> Result<(), PatternError> {
        if self.syntax.is_token(token) {
            return Ok(());
        }
        let text = format!(
            "`{}` is no token; expected letters, digits, `_` and what `token-characters` in \
             [labels] adds",
            String::from_utf8_lossy(token)
        );
        Err(self.error(span, text))
    }

    fn error(&self, span: Range<usize>, text: impl Into<String>) -> PatternError {
        PatternError {
            place: Some(place(&self.text, span)),
            edge: None,
            text: text.into(),
        }
    }
}

/// Line and column, both from 1 on.
fn place(text: &str, span: Range<usize>) -> (usize, usize) {
    line_and_column(text, span.start)
}
