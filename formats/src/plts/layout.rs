//! The widths of numbers, the head and the foot of a part, and checksums.

use crate::error::ReadError;

/// The version of the format.
pub(super) const VERSION: u32 = 1;
/// What a part begins with.
pub(super) const MAGIC: &[u8; 8] = b"HYADPLTS";
/// What a part ends with.
pub(super) const END: &[u8; 4] = b"PEND";
/// Bytes of the head of a part.
pub(super) const HEAD: usize = 32;
/// Bytes of the head of a block.
pub(super) const BLOCK_HEAD: usize = 28;
/// Bytes of an entry of the index.
pub(super) const ENTRY: usize = 24;
/// Bytes of the foot of a part.
pub(super) const FOOT: usize = 24;

/// How much there is in a block: states and transitions, at the most. A single state may
/// have more transitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// States of a block, from 1 to 2^16.
    pub states: u32,
    /// Transitions of a block of more than one state, up to 2^20.
    pub transitions: u64,
}

impl Default for Limits {
    /// Those of the format.
    fn default() -> Self {
        Self {
            states: 1 << 16,
            transitions: 1 << 20,
        }
    }
}

/// The smallest of these widths, in bytes, that has room for this number.
pub(super) fn width(largest: u64, widths: &[u8]) -> u8 {
    let fits = |&&width: &&u8| width >= 8 || largest >> (8 * width) == 0;
    *widths.iter().find(fits).unwrap_or(&8)
}

/// The widths that numbers of states may have.
pub(super) const STATE_WIDTHS: &[u8] = &[1, 2, 4, 5, 8];
/// The widths that numbers of labels may have.
pub(super) const LABEL_WIDTHS: &[u8] = &[1, 2, 4];

/// A little-endian number of these bytes, eight at the most.
#[inline]
pub(super) fn number(bytes: &[u8]) -> u64 {
    let mut whole = [0; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(whole)
}

/// Appends a number in LEB128.
pub(super) fn push_leb128(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number in LEB128 off the front, in its shortest form; none if there is none.
#[inline]
pub(super) fn take_leb128(bytes: &mut &[u8]) -> Option<u64> {
    // Most rows are short.
    if let [byte @ ..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return Some(u64::from(*byte));
    }
    take_long_leb128(bytes)
}

fn take_long_leb128(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for (place, &byte) in bytes.iter().take(10).enumerate() {
        let bits = u64::from(byte & 0x7f);
        let shifted = bits << (7 * place);
        if shifted >> (7 * place) != bits {
            return None;
        }
        number |= shifted;
        if byte < 0x80 {
            if byte == 0 && place > 0 {
                return None;
            }
            *bytes = &bytes[place + 1..];
            return Some(number);
        }
    }
    None
}

/// XXH3 of 128 bits, as 32 hexadecimal digits.
pub(super) fn hex(sum: u128) -> String {
    format!("{sum:032x}")
}

/// An error at a byte of a file.
pub(super) fn wrong_at(file: &str, offset: u64, text: impl std::fmt::Display) -> ReadError {
    ReadError::Format {
        file: file.into(),
        text: format!("byte {offset}: {text}"),
    }
}

/// An error of a file as a whole.
pub(super) fn wrong(file: &str, text: impl std::fmt::Display) -> ReadError {
    ReadError::Format {
        file: file.into(),
        text: text.to_string(),
    }
}
