//! What is the same in every BCG file of version 1.2: its types and functions.
//!
//! The sections that hold them are made from the small tables here.

use super::bits::{BitWriter, push_vint};
pub(super) use crate::options::Kind;

/// What the type section says of a type, beyond its size.
struct TypeRow {
    kind: Kind,
    name: &'static str,
    identifier: u8,
    /// The letter that stands for it in [`FUNCTIONS`].
    letter: u8,
    /// Whether its values can be enumerated.
    enumerable: bool,
}

const fn type_row(
    kind: Kind,
    name: &'static str,
    identifier: u8,
    letter: u8,
    enumerable: bool,
) -> TypeRow {
    TypeRow {
        kind,
        name,
        identifier,
        letter,
        enumerable,
    }
}

/// The types by their numbers.
const TYPES: [TypeRow; 8] = [
    type_row(Kind::Boolean, "boolean", 1, b'b', true),
    type_row(Kind::Natural, "natural", 6, b'n', true),
    type_row(Kind::Integer, "integer", 2, b'i', true),
    type_row(Kind::Real, "real", 3, b'r', false),
    type_row(Kind::Character, "character", 4, b'c', true),
    type_row(Kind::String, "string", 5, b's', false),
    type_row(Kind::Raw, "raw", 7, b'x', false),
    type_row(Kind::Gate, "gate", 0, b'g', true),
];

impl Kind {
    /// The name of the type.
    pub fn name(self) -> &'static str {
        TYPES[self as usize].name
    }

    /// The number of the type in version 1.2.
    pub(super) fn number(self) -> u64 {
        self as u64
    }

    /// The predefined type of this first name, such as `bcg_type_natural`.
    pub(super) fn from_c_name(name: &[u8]) -> Option<Kind> {
        let name = name.strip_prefix(b"bcg_type_")?;
        let found = TYPES.iter().find(|row| row.name.as_bytes() == name)?;
        Some(found.kind)
    }

    /// The number of bits of a value, if it is the same everywhere.
    pub(super) fn bits(self) -> Option<u64> {
        match self {
            Kind::Boolean => Some(1),
            Kind::Natural | Kind::Integer => Some(32),
            Kind::Real => Some(64),
            Kind::Character => Some(8),
            Kind::String | Kind::Raw | Kind::Gate => None,
        }
    }
}

/// The predefined functions by their numbers: identifier, name, and letters of
/// the types of arguments and result.
const FUNCTIONS: [(u8, &str, &str); 91] = [
    // booleans
    (1, "0", ":b"),
    (2, "1", ":b"),
    (3, "!", "b:b"),
    (4, "&&", "bb:b"),
    (5, "&&", "bb:b"),
    (6, "||", "bb:b"),
    (7, "||", "bb:b"),
    (8, "<=", "bb:b"),
    (9, "==", "bb:b"),
    (10, "!=", "bb:b"),
    // naturals
    (65, "+", "nn:n"),
    (66, "-", "nn:n"),
    (67, "*", "nn:n"),
    (68, "/", "nn:n"),
    (69, "%", "nn:n"),
    (70, "bcg_pow_nn_n", "nn:n"),
    (71, "~", "n:n"),
    (72, "&", "nn:n"),
    (73, "|", "nn:n"),
    (74, "^", "nn:n"),
    (75, "<<", "nn:n"),
    (76, ">>", "nn:n"),
    (77, "==", "nn:b"),
    (78, "!=", "nn:b"),
    (79, "<", "nn:b"),
    (80, "<=", "nn:b"),
    (81, ">", "nn:b"),
    (82, ">=", "nn:b"),
    // integers
    (11, "-", "i:i"),
    (12, "+", "ii:i"),
    (13, "-", "ii:i"),
    (14, "*", "ii:i"),
    (15, "/", "ii:i"),
    (16, "%", "ii:i"),
    (17, "bcg_pow_ii_i", "ii:i"),
    (18, "~", "i:i"),
    (19, "&", "ii:i"),
    (20, "|", "ii:i"),
    (21, "^", "ii:i"),
    (22, "<<", "ii:i"),
    (23, ">>", "ii:i"),
    (83, "(bcg_type_natural)", "i:n"),
    (84, "(bcg_type_integer)", "n:i"),
    (24, "==", "ii:b"),
    (25, "!=", "ii:b"),
    (26, "<", "ii:b"),
    (27, "<=", "ii:b"),
    (28, ">", "ii:b"),
    (29, ">=", "ii:b"),
    // reals
    (30, "-", "r:r"),
    (31, "+", "rr:r"),
    (32, "-", "rr:r"),
    (33, "*", "rr:r"),
    (34, "/", "rr:r"),
    (35, "pow", "rr:r"),
    (85, "(bcg_type_natural)", "r:n"),
    (86, "(bcg_type_real)", "n:r"),
    (36, "(bcg_type_integer)", "r:i"),
    (37, "(bcg_type_real)", "i:r"),
    (38, "==", "rr:b"),
    (39, "!=", "rr:b"),
    (40, "<", "rr:b"),
    (41, "<=", "rr:b"),
    (42, ">", "rr:b"),
    (43, ">=", "rr:b"),
    // characters
    (44, "+", "ci:c"),
    (45, "-", "ci:c"),
    (46, "~", "c:c"),
    (47, "&", "cc:c"),
    (48, "|", "cc:c"),
    (49, "^", "cc:c"),
    (50, "<<", "ci:c"),
    (51, ">>", "ci:c"),
    (52, "(bcg_type_integer)", "c:i"),
    (53, "(bcg_type_character)", "i:c"),
    (54, "==", "cc:b"),
    (55, "!=", "cc:b"),
    (56, "<", "cc:b"),
    (57, "<=", "cc:b"),
    (58, ">", "cc:b"),
    (59, ">=", "cc:b"),
    // strings
    (60, "\"\"", ":s"),
    (61, "strlen", "s:i"),
    (62, "bcg_extract_si_c", "si:c"),
    (63, "bcg_equal_ss_b", "ss:b"),
    (64, "bcg_not_equal_ss_b", "ss:b"),
    // raw texts
    (87, "\"\"", ":x"),
    (88, "strlen", "x:n"),
    (89, "bcg_extract_xn_c", "xn:c"),
    (90, "bcg_equal_ss_b", "xx:b"),
    (91, "bcg_not_equal_ss_b", "xx:b"),
];

/// How many functions come before the constants of the gates.
pub(super) const PREDEFINED: u64 = FUNCTIONS.len() as u64;

/// What the tables depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sizes {
    /// Eight times the length of the longest string and its end; 0 without
    /// strings.
    pub string: u64,
    /// The same of raw texts.
    pub raw: u64,
    /// The number of gates.
    pub gates: u64,
    /// Bits of the number of a gate.
    pub gate_bits: u32,
}

/// The section of C texts.
pub(super) fn declarations(sizes: &Sizes) -> Vec<u8> {
    let Sizes {
        string,
        raw,
        gates,
        gate_bits,
    } = sizes;
    let declarations = format!(
        "#define BCG_VERSION_PREDEFINED_DEFINITIONS 3\n\
         #define bcg_string_length {string}\n\
         #define bcg_raw_length {raw}\n\
         #define bcg_nb_gates {gates}\n\
         #define bcg_gate_size {gate_bits}\n\
         #include \"bcg_predefined_declarations.h\"\n"
    );
    let initialisations = "#include \"bcg_predefined_initialisations.h\"\n";
    [
        b"\x01",
        declarations.as_bytes(),
        b"\0",
        initialisations.as_bytes(),
        b"\0",
    ]
    .concat()
}

/// The section of types.
pub(super) fn types(sizes: &Sizes) -> Vec<u8> {
    let mut section = vec![1];
    push_vint(&mut section, TYPES.len() as u64);
    for row in &TYPES {
        let bits = match row.kind {
            Kind::String => 8 * sizes.string,
            Kind::Raw => 8 * sizes.raw,
            Kind::Gate => sizes.gate_bits.into(),
            kind @ (Kind::Boolean
            | Kind::Natural
            | Kind::Integer
            | Kind::Real
            | Kind::Character) => kind.bits().expect("the others have a fixed size"),
        };
        // the symbol of the gates is the first but the root
        push_vint(&mut section, (row.kind == Kind::Gate).into());
        push_vint(&mut section, row.identifier.into());
        push_vint(&mut section, bits);
        section.push(0xff);
        let mut name = |text: String| {
            section.extend_from_slice(text.as_bytes());
            section.push(0);
        };
        name(format!("bcg_type_{}", row.name));
        for (operation, there) in [
            ("assign", true),
            ("cmp", true),
            ("enum", row.enumerable),
            ("print", true),
            ("write", bits > 0),
            ("read", bits > 0),
        ] {
            name(match there {
                true => format!("bcg_{}_{operation}", row.name),
                false => String::new(),
            });
        }
    }
    section
}

/// The section of functions: the predefined ones and a constant for each gate.
pub(super) fn functions(sizes: &Sizes) -> Vec<u8> {
    let mut section = vec![1];
    push_vint(&mut section, PREDEFINED + sizes.gates);
    let (mut infix, mut operators) = (Vec::new(), Vec::new());
    let mut function = |symbol: u64, identifier: u8, name: &str, signature: &str| {
        let (arguments, result) = signature.split_once(':').expect("a result after a colon");
        push_vint(&mut section, symbol);
        push_vint(&mut section, identifier.into());
        section.extend_from_slice(name.as_bytes());
        section.push(0);
        push_vint(&mut section, arguments.len() as u64);
        for letter in arguments.bytes().chain(result.bytes()) {
            let kind = TYPES.iter().find(|row| row.letter == letter);
            push_vint(&mut section, kind.expect("a known letter").kind.number());
        }
        infix.push(arguments.len() == 2 && !name.starts_with("bcg_extract_"));
        operators.push(!name.starts_with(|c: char| c.is_ascii_alphabetic()));
    };
    for (identifier, name, signature) in FUNCTIONS {
        function(0, identifier, name, signature);
    }
    for gate in 0..sizes.gates {
        function(2 + gate, 0, &gate.to_string(), ":g");
    }
    let mut bits = BitWriter::after(section);
    for bit in infix.into_iter().chain(operators) {
        bits.push(bit.into(), 1);
    }
    bits.finish()
}
