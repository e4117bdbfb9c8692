//! The columns of a table, above all that of the labels.

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, StringArray,
    StringViewArray,
};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::lts::{LabelId, LabelTable, TooLarge};

/// The names of the columns.
pub(super) const COLUMNS: [&str; 3] = ["src", "label", "dst"];

/// What all parts of a table are read by.
pub(super) struct Rules {
    pub hidden: Vec<Vec<u8>>,
    /// The announced number of states, if known.
    pub states: Option<u64>,
    /// Whether further states are tolerated.
    pub grow: bool,
}

/// Whether a column of this type can hold labels.
pub(super) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(key, value) => {
            key.is_integer() && !value.is_nested() && is_text(value)
        }
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView => true,
        _ => false,
    }
}

/// The labels of a table, and their numbers.
#[derive(Default)]
pub(super) struct Names {
    pub table: LabelTable,
    /// Whether a hidden label has been met.
    pub hidden: bool,
    /// Whether there are more labels than numbers.
    pub too_many: bool,
    /// The texts of the last dictionary, and their numbers as far as they have
    /// been asked for.
    dictionary: Option<ArrayData>,
    numbers: Vec<u32>,
}

/// A text of a dictionary that has no number yet.
const UNKNOWN: u32 = u32::MAX;

impl Names {
    fn number(&mut self, text: &[u8], rules: &Rules) -> u32 {
        if rules.hidden.iter().any(|name| name == text) {
            self.hidden = true;
            return LabelId::HIDDEN.get();
        }
        match self.table.intern(text) {
            Ok(label) => label.get(),
            Err(TooLarge { .. }) => {
                self.too_many = true;
                LabelId::HIDDEN.get()
            }
        }
    }

    /// The numbers of the labels of a column without nulls, which
    /// [`is_text`].
    pub fn numbers(&mut self, array: &dyn Array, rules: &Rules) -> Vec<u32> {
        let Some(dictionary) = array.as_any_dictionary_opt() else {
            let texts = Texts::of(array);
            return (0..array.len())
                .map(|k| self.number(texts.get(k), rules))
                .collect();
        };
        if array.is_empty() {
            return Vec::new();
        }
        let values = dictionary.values();
        let data = values.to_data();
        if self
            .dictionary
            .as_ref()
            .is_none_or(|old| !old.ptr_eq(&data))
        {
            self.numbers.clear();
            self.numbers.resize(values.len(), UNKNOWN);
            self.dictionary = Some(data);
        }
        let texts = Texts::of(values);
        let mut number = |key: usize| {
            if self.numbers[key] == UNKNOWN {
                self.numbers[key] = self.number(texts.get(key), rules);
            }
            self.numbers[key]
        };
        match array.as_dictionary_opt::<Int32Type>() {
            Some(array) => {
                let keys = array.keys().values().iter();
                keys.map(|&key| number(key as usize)).collect()
            }
            None => {
                let keys = dictionary.normalized_keys();
                keys.into_iter().map(number).collect()
            }
        }
    }
}

/// An array of texts or bytes.
enum Texts<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
}

impl<'a> Texts<'a> {
    /// # Panics
    /// If the array is of another type.
    fn of(array: &'a dyn Array) -> Self {
        match array.data_type() {
            DataType::Utf8 => Texts::Utf8(array.as_string()),
            DataType::LargeUtf8 => Texts::LargeUtf8(array.as_string()),
            DataType::Utf8View => Texts::Utf8View(array.as_string_view()),
            DataType::Binary => Texts::Binary(array.as_binary()),
            DataType::LargeBinary => Texts::LargeBinary(array.as_binary()),
            DataType::BinaryView => Texts::BinaryView(array.as_binary_view()),
            other => unreachable!("the layout has no column of {other} for labels"),
        }
    }

    #[inline]
    fn get(&self, k: usize) -> &'a [u8] {
        match self {
            Texts::Utf8(a) => a.value(k).as_bytes(),
            Texts::LargeUtf8(a) => a.value(k).as_bytes(),
            Texts::Utf8View(a) => a.value(k).as_bytes(),
            Texts::Binary(a) => a.value(k),
            Texts::LargeBinary(a) => a.value(k),
            Texts::BinaryView(a) => a.value(k),
        }
    }
}
