//! Choices among options and among their values.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use hyades_formats::UnknownName;

/// The values of a choice of the library, all named in help texts.
pub fn one_of<T, const N: usize>(names: [&'static str; N]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = UnknownName> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

/// The name of the first option that is given, of some with their names.
pub fn first_given(
    options: impl IntoIterator<Item = (bool, &'static str)>,
) -> Option<&'static str> {
    let mut options = options.into_iter();
    options.find_map(|(given, name)| given.then_some(name))
}
