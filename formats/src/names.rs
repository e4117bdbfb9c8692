//! Choices by name: one way to spell, to print and to read them.

use std::fmt;

/// A name that is none of a fixed set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    /// What kind of name was expected.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The names that there are, separated by commas.
    pub known: String,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown {} `{}`: expected one of {}",
            self.kind, self.name, self.known
        )
    }
}

impl std::error::Error for UnknownName {}

/// Gives each variant of an enum a name, and perhaps aliases:
///
/// ```
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// pub enum Colour {
///     Red,
///     Grey,
/// }
///
/// hyades_formats::named!(Colour, "colour": Red = "red", Grey = "grey" | "gray");
///
/// assert_eq!("gray".parse(), Ok(Colour::Grey));
/// assert_eq!(Colour::Grey.aliases(), ["gray"]);
/// assert_eq!(Colour::Grey.to_string(), "grey");
/// let error = "blue".parse::<Colour>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown colour `blue`: expected one of red, grey");
/// ```
///
/// The enum, which has to be `Copy`, gets `ALL`, its variants in the order in which
/// they are named here, `name`, `aliases`, `from_name`, `Display` and, if there is a text for what
/// it is, [`FromStr`](std::str::FromStr) with [`UnknownName`] for its error. A variant
/// without a name does not compile. One that holds a choice itself has a name for each:
/// `Dark(Colour::Red) = "dark-red"`.
#[macro_export]
macro_rules! named {
    (
        $type:ident, $kind:literal:
        $($variant:ident $(($of:path))? = $name:literal $(| $alias:literal)*),+ $(,)?
    ) => {
        $crate::named!($type: $($variant $(($of))? = $name $(| $alias)*),+);

        impl ::std::str::FromStr for $type {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> Result<Self, $crate::UnknownName> {
                Self::from_name(name).ok_or_else(|| $crate::UnknownName {
                    kind: $kind,
                    name: name.into(),
                    known: Self::ALL.map(Self::name).join(", "),
                })
            }
        }
    };
    (
        $type:ident:
        $($variant:ident $(($of:path))? = $name:literal $(| $alias:literal)*),+ $(,)?
    ) => {
        impl $type {
            /// All of them, in the order in which texts name them.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant $(($of))?),+];

            /// The name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant $(($of))? => $name,)+
                }
            }

            /// Other names that mean the same.
            pub const fn aliases(self) -> &'static [&'static str] {
                match self {
                    $(Self::$variant $(($of))? => &[$($alias),*],)+
                }
            }

            /// The one with this name, or alias.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name $(| $alias)* => Some(Self::$variant $(($of))?),)+
                    _ => None,
                }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
