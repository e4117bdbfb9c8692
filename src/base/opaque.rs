//! `Debug` for what has more inside than anybody wants to see, or what cannot be shown.

/// Implements `Debug` for a type by its name, `opaque!(Reader<'_>);`, and some fields,
/// `opaque!(Options<'_>: limits, relation);`. Parameters that are types stand in front, with their
/// bounds: `opaque!([W: Write] Writer<W>);`.
#[macro_export]
macro_rules! opaque {
    ($([$($bounds:tt)*])? $name:ident $(<$($parameter:tt),*>)? $(: $($field:ident),*)?) => {
        impl $(<$($bounds)*>)? ::std::fmt::Debug for $name $(<$($parameter),*>)? {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let mut shown = f.debug_struct(stringify!($name));
                $($(shown.field(stringify!($field), &self.$field);)*)?
                shown.finish_non_exhaustive()
            }
        }
    };
}

#[cfg(test)]
mod tests {
    struct Several<'a, T: Copy> {
        first: u8,
        rest: &'a T,
    }

    crate::opaque!([T: Copy] Several<'_, T>: first);

    struct Nothing;

    crate::opaque!(Nothing);

    #[test]
    fn the_name_and_fields_are_shown() {
        let several = Several { first: 1, rest: &2 };
        let shown = format!("{several:?} {} {Nothing:?}", several.rest);
        assert_eq!(shown, "Several { first: 1, .. } 2 Nothing { .. }");
    }
}
