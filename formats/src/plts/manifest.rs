//! The manifest of a partitioned LTS.

use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use twox_hash::XxHash3_128;

use super::layout::{LABEL_WIDTHS, STATE_WIDTHS, VERSION, hex, width, wrong};
use crate::diagnostic::there_are;
use crate::error::ReadError;
pub use crate::source::MANIFEST;

/// What `format` says.
const FORMAT: &str = "hyades-partitioned-lts";
/// Counts above this are written as decimal texts: programs that take numbers for floating
/// ones would change them.
const EXACT: u64 = 1 << 53;
/// No more parts than this are believed in.
const MOST_PARTS: usize = 1 << 20;

/// What a partitioned LTS is made of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    format: String,
    version: u32,
    complete: bool,
    /// How many states there are, at least 1.
    #[serde(with = "count")]
    pub states: u64,
    /// How many transitions there are.
    #[serde(with = "count")]
    pub transitions: u64,
    /// The initial state.
    #[serde(with = "count")]
    pub initial: u64,
    /// Bytes of the number of a state: 1, 2, 4, 5 or 8.
    pub state_bytes: u8,
    /// Bytes of the number of a label: 1, 2 or 4.
    pub label_bytes: u8,
    /// How transitions are sorted.
    pub sorted: Order,
    /// The file of the labels.
    #[serde(deserialize_with = "object")]
    pub labels: FileSum,
    /// The parts, in the order of their states.
    #[serde(deserialize_with = "objects")]
    pub parts: Vec<PartEntry>,
    /// The program that wrote it.
    pub made_by: String,
    /// 16 hexadecimal digits: the upper half of XXH3 of the manifest in which they are zeros.
    pub run: String,
}

/// How the transitions of a partitioned LTS are sorted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Order {
    /// By their sources.
    #[serde(rename = "source")]
    Source,
    /// By source, number of the label and target.
    #[serde(rename = "source-label-target")]
    SourceLabelTarget,
}

impl Order {
    /// As the manifest has it.
    pub const fn name(self) -> &'static str {
        match self {
            Order::Source => "source",
            Order::SourceLabelTarget => "source-label-target",
        }
    }
}

// What serde derives takes the object `{"source": null}`, too.
impl<'de> Deserialize<'de> for Order {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        const NAMES: &[&str] = &[Order::Source.name(), Order::SourceLabelTarget.name()];
        let text = String::deserialize(from)?;
        let mut all = [Order::Source, Order::SourceLabelTarget].into_iter();
        all.find(|order| order.name() == text)
            .ok_or_else(|| de::Error::unknown_variant(&text, NAMES))
    }
}

/// What is an object in JSON: what serde derives takes an array of the values, too.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Visitor<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(de::value::MapAccessDeserializer::new(map)).map(Object)
            }
        }
        from.deserialize_map(Visitor(PhantomData))
    }
}

fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    Object::deserialize(from).map(|Object(found)| found)
}

fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    let all = Vec::<Object<T>>::deserialize(from)?;
    Ok(all.into_iter().map(|Object(found)| found).collect())
}

/// A file of labels: how many, its size and its checksum.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSum {
    /// The name of the file.
    pub file: String,
    /// How many labels are in it, the hidden one included, which has number 0.
    #[serde(with = "count")]
    pub count: u64,
    /// The size of the file.
    #[serde(with = "count")]
    pub bytes: u64,
    /// XXH3 of 128 bits of the file, as 32 hexadecimal digits.
    pub xxh3_128: String,
}

/// A part: its states, its size and its checksum.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartEntry {
    /// The name of the file.
    pub file: String,
    /// The first state.
    #[serde(with = "count")]
    pub first: u64,
    /// How many states there are.
    #[serde(with = "count")]
    pub states: u64,
    /// How many transitions they have.
    #[serde(with = "count")]
    pub transitions: u64,
    /// The size of the file.
    #[serde(with = "count")]
    pub bytes: u64,
    /// XXH3 of 128 bits of the file, as 32 hexadecimal digits.
    pub xxh3_128: String,
}

/// A count: a number, or a decimal text from 2^53 on.
mod count {
    use super::*;

    pub fn serialize<S: Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
        match *number <= EXACT {
            true => to.serialize_u64(*number),
            false => to.serialize_str(&number.to_string()),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = u64;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a count, as a decimal text if it is above 2^53")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<u64, E> {
                match number <= EXACT {
                    true => Ok(number),
                    false => Err(E::invalid_value(de::Unexpected::Unsigned(number), &self)),
                }
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<u64, E> {
                let number = text.parse::<u64>().ok();
                number
                    .filter(|number| *number > EXACT && number.to_string() == text)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        from.deserialize_any(Visitor)
    }
}

/// What stands before the digits of `run`, which is the last value.
const BEFORE_RUN: &[u8] = b"\"run\": \"";
/// How many digits it has.
const DIGITS: usize = 16;

/// Where the digits of `run` are in a manifest.
fn place_of_run(bytes: &[u8]) -> Option<usize> {
    let at = memchr::memmem::rfind(bytes, BEFORE_RUN)? + BEFORE_RUN.len();
    bytes.get(at..at + DIGITS).map(|_| at)
}

/// The `run` of a manifest whose digits are there.
fn run_of(bytes: &[u8], at: usize) -> String {
    let mut bytes = bytes.to_vec();
    bytes[at..at + DIGITS].fill(b'0');
    hex(XxHash3_128::oneshot(&bytes))[..DIGITS].to_owned()
}

impl Manifest {
    /// A manifest of these parts, of which `states` and `transitions` are the sums.
    pub(super) fn new(
        initial: u64,
        widths: (u8, u8),
        sorted: Order,
        labels: FileSum,
        parts: Vec<PartEntry>,
    ) -> Self {
        Self {
            format: FORMAT.into(),
            version: VERSION,
            complete: true,
            states: parts.iter().map(|part| part.states).sum(),
            transitions: parts.iter().map(|part| part.transitions).sum(),
            initial,
            state_bytes: widths.0,
            label_bytes: widths.1,
            sorted,
            labels,
            parts,
            made_by: concat!("hyades ", env!("CARGO_PKG_VERSION")).into(),
            run: "0".repeat(DIGITS),
        }
    }

    /// The bytes of the file, with the `run` that belongs to them, which this one gets.
    pub(super) fn sealed(&mut self) -> Vec<u8> {
        self.run = "0".repeat(DIGITS);
        let mut bytes = serde_json::to_vec_pretty(self).expect("texts and numbers only");
        bytes.push(b'\n');
        let at = place_of_run(&bytes).expect("it was written here");
        self.run = run_of(&bytes, at);
        bytes[at..at + DIGITS].copy_from_slice(self.run.as_bytes());
        bytes
    }

    /// Reads a manifest, which messages call `file`.
    ///
    /// # Errors
    /// If it is none, is damaged, or contradicts itself.
    pub(super) fn parse(bytes: &[u8], file: &str) -> Result<Manifest, ReadError> {
        let parsed = serde_json::from_slice(bytes);
        let Object(manifest): Object<Manifest> = parsed.map_err(|error| {
            let text = error.to_string();
            let text = text.split(" at line ").next().unwrap_or(&text);
            ReadError::Format {
                file: format!("{file}:{}:{}", error.line(), error.column()).into(),
                text: format!("no manifest of a partitioned LTS: {text}"),
            }
        })?;
        let expected = place_of_run(bytes).map(|at| run_of(bytes, at));
        match expected {
            Some(run) if run == manifest.run => {}
            Some(run) => {
                return Err(wrong(
                    file,
                    format_args!(
                        "`run` is {}, but that of this text is {run}: it is damaged, or has been \
                         changed by hand",
                        manifest.run
                    ),
                ));
            }
            None => {
                return Err(wrong(
                    file,
                    "`\"run\": \"…\"`, with 16 hexadecimal digits, is not where it is expected",
                ));
            }
        }
        manifest.check().map_err(|text| wrong(file, text))?;
        Ok(manifest)
    }

    /// What is wrong with it, apart from its sum.
    fn check(&self) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!(
                "the format is `{}`: expected `{FORMAT}`",
                self.format
            ));
        }
        if self.version != VERSION {
            return Err(format!("version {}: known is {VERSION}", self.version));
        }
        if !self.complete {
            return Err("`complete` is false: its writing has not come to its end".into());
        }
        self.check_widths()?;
        self.check_files()?;
        let mut first = 0u64;
        let mut transitions = 0u64;
        for part in &self.parts {
            if part.first != first {
                return Err(format!(
                    "{} begins with state {}: expected {first}, where the part before it ends",
                    part.file, part.first
                ));
            }
            let end = first.checked_add(part.states);
            let sum = transitions.checked_add(part.transitions);
            let (Some(end), Some(sum)) = (end, sum) else {
                return Err("more than 2^64 - 1 states or transitions".into());
            };
            (first, transitions) = (end, sum);
        }
        if (first, transitions) != (self.states, self.transitions) {
            return Err(format!(
                "{} states and {} transitions are told, but the parts have {first} and \
                 {transitions}",
                self.states, self.transitions
            ));
        }
        if self.initial >= self.states {
            return Err(format!(
                "the initial state is {}, but {}",
                self.initial,
                there_are(self.states, "state")
            ));
        }
        Ok(())
    }

    fn check_widths(&self) -> Result<(), String> {
        let (states, labels) = (self.states, self.labels.count);
        if labels == 0 || labels > u64::from(u32::MAX) {
            return Err(format!("{labels} labels: possible are 1 to 2^32 - 1"));
        }
        let needed = width(states.saturating_sub(1), STATE_WIDTHS);
        if !STATE_WIDTHS.contains(&self.state_bytes) || self.state_bytes < needed {
            return Err(format!(
                "`state_bytes` is {}: for {states} states expected {needed}",
                self.state_bytes
            ));
        }
        let needed = width(labels - 1, LABEL_WIDTHS);
        if !LABEL_WIDTHS.contains(&self.label_bytes) || self.label_bytes < needed {
            return Err(format!(
                "`label_bytes` is {}: for {labels} labels expected {needed}",
                self.label_bytes
            ));
        }
        Ok(())
    }

    /// Names of files are those of files in the directory, each once.
    fn check_files(&self) -> Result<(), String> {
        if self.parts.len() > MOST_PARTS {
            return Err(format!("more than {MOST_PARTS} parts"));
        }
        let mut names: Vec<&str> = self.files().collect();
        for name in &names {
            let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
            if name.is_empty() || name.starts_with('.') || !name.bytes().all(is_plain) {
                return Err(format!(
                    "the file name {name:?}: expected letters, digits, `-`, `_` and `.`"
                ));
            }
        }
        names.push(MANIFEST);
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("the file {} is named twice", pair[0])),
            None => Ok(()),
        }
    }

    /// The names of all files but that of the manifest: of the labels, then of the parts.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let parts = self.parts.iter().map(|part| &part.file[..]);
        std::iter::once(&self.labels.file[..]).chain(parts)
    }

    /// The bytes of all files but the manifest.
    pub fn bytes(&self) -> u64 {
        let parts = self.parts.iter().map(|part| part.bytes);
        parts.fold(self.labels.bytes, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn manifest() -> Value {
        let part = |number: u64| PartEntry {
            file: format!("part-0000{number}"),
            first: 10 * number,
            states: 10,
            transitions: 20,
            bytes: 200,
            xxh3_128: "0".repeat(32),
        };
        let labels = FileSum {
            file: "labels".into(),
            count: 3,
            bytes: 7,
            xxh3_128: "0".repeat(32),
        };
        let parts = vec![part(0), part(1)];
        let mut manifest = Manifest::new(4, (1, 1), Order::Source, labels, parts);
        serde_json::from_slice(&manifest.sealed()).unwrap()
    }

    /// Reads a manifest with the sum that belongs to it.
    fn parsed(manifest: &Value) -> Result<Manifest, String> {
        let mut bytes = serde_json::to_vec_pretty(manifest).unwrap();
        if let Some(at) = place_of_run(&bytes) {
            let run = run_of(&bytes, at);
            bytes[at..at + DIGITS].copy_from_slice(run.as_bytes());
        }
        Manifest::parse(&bytes, "it").map_err(|error| error.to_string())
    }

    #[test]
    fn objects_are_objects_and_names_are_texts() {
        let values = |value: &Value| -> Value {
            let object = value.as_object().unwrap();
            object.values().cloned().collect()
        };
        assert!(parsed(&manifest()).is_ok());
        let whole = manifest();
        let error = parsed(&values(&whole)).unwrap_err();
        assert!(
            error.contains("invalid type: sequence, expected an object"),
            "{error}"
        );
        let mut labels = manifest();
        labels["labels"] = values(&labels["labels"]);
        let mut part = manifest();
        part["parts"][1] = values(&part["parts"][1]);
        for manifest in [labels, part] {
            let error = parsed(&manifest).unwrap_err();
            assert!(
                error.contains("invalid type: sequence, expected an object"),
                "{error}"
            );
        }
        for (order, says) in [
            (
                json!({ "source": null }),
                "invalid type: map, expected a string",
            ),
            (
                json!("target"),
                "unknown variant `target`, expected `source` or",
            ),
        ] {
            let mut manifest = manifest();
            manifest["sorted"] = order;
            let error = parsed(&manifest).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
        // What is unknown or missing is told as before.
        let mut more = manifest();
        more["labels"]["more"] = json!(1);
        let error = parsed(&more).unwrap_err();
        assert!(error.contains("unknown field `more`"), "{error}");
        assert!(error.starts_with("it:"), "{error}");
    }
}
