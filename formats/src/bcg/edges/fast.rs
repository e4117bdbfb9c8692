//! The inner loop of reading edges.
//!
//! It reads ordinary edges only, and stops before whatever is not: the end of
//! the first edge, the end of the section, numbers out of range, and forms that
//! no writer uses. Forms are looked up in small tables rather than branched on,
//! as a processor could not guess them.

use super::decoder::Decoder;
use super::parameters::Parameters;
use super::registers::Ages;
use crate::lts::StateId;

/// So many bytes must be left: an edge takes 10 at the most, and 8 are looked
/// at where it ends.
const SLACK: usize = 24;

/// Reads edges as far as they are ordinary.
pub(super) fn run(decoder: &mut Decoder, parameters: Parameters) {
    let bytes = decoder.bits.bytes().len();
    if decoder.bits.at() / 8 + SLACK > bytes {
        return;
    }
    // the first edge makes no register younger
    if decoder.done == 0 {
        return;
    }
    match parameters {
        Parameters::V1_2 => edges::<16, 1, 3>(decoder),
        Parameters::V1_0 => edges::<4, 2, 4>(decoder),
        Parameters::RARE => edges::<8, 1, 3>(decoder),
        _ => {}
    }
}

/// What the first bits of an edge say: control, register and form.
#[derive(Clone, Copy)]
struct Head {
    /// How many they are; 0 if the edge is not an ordinary one.
    len: u8,
    /// The register.
    register: u8,
    /// Which of the facts below hold.
    facts: u8,
    /// The distance, or of a long form the one to go on from.
    distance: i8,
}

/// It is on to the next source.
const NEXT: u8 = 1;
/// The mode is kept.
const KEEP: u8 = 2;
/// The mode becomes explicit.
const EXPLICIT: u8 = 4;
/// The form is a long one.
const LONG: u8 = 8;

/// So many bits tell a head.
const HEAD_BITS: u32 = 12;

struct Heads<const REGISTERS: usize, const SHORT: u8, const MEDIUM: u8>;

impl<const REGISTERS: usize, const SHORT: u8, const MEDIUM: u8> Heads<REGISTERS, SHORT, MEDIUM> {
    /// By the next bits.
    const TABLE: [Head; 1 << HEAD_BITS] = heads(Parameters::new(
        REGISTERS.trailing_zeros() as u8,
        SHORT,
        MEDIUM,
    ));
}

const fn heads(parameters: Parameters) -> [Head; 1 << HEAD_BITS] {
    let mut heads = [Head {
        len: 0,
        register: 0,
        facts: 0,
        distance: 0,
    }; 1 << HEAD_BITS];
    let mut bits = 0;
    while bits < 1 << HEAD_BITS {
        let (control, facts) = match bits >> (HEAD_BITS - 4) {
            0b0000..=0b0111 => (1, KEEP),
            0b1000..=0b1001 => (3, NEXT),
            0b1100 => (4, NEXT | EXPLICIT),
            0b1110 => (4, EXPLICIT),
            _ => (0, 0),
        };
        if control > 0 {
            heads[bits as usize] = head(bits, control, facts, parameters);
        }
        bits += 1;
    }
    heads
}

/// The head that begins with `control` bits.
const fn head(bits: u32, control: u8, facts: u8, parameters: Parameters) -> Head {
    // the next `count` bits from bit number `from` on
    const fn part(bits: u32, from: u8, count: u8) -> i64 {
        (bits >> (HEAD_BITS - from as u32 - count as u32)) as i64 & ((1 << count) - 1)
    }
    let (reach, half) = (parameters.short_reach(), parameters.half());
    let form = control + parameters.register_bits;
    let register = part(bits, control, parameters.register_bits) as u8;
    let short = part(bits, form, parameters.short_bits);
    let medium = part(bits, form + parameters.short_bits, parameters.medium_bits);
    let is_short = short < (1 << parameters.short_bits) - 1;
    let is_long = !is_short && (medium == 0 || medium == 2 * half - 1);
    let distance = if is_short {
        short - reach
    } else if medium == 0 {
        parameters.medium_reach()
    } else if medium == 2 * half - 1 {
        -parameters.medium_reach()
    } else if medium < half {
        reach + medium
    } else {
        -(reach + medium - half + 1)
    };
    Head {
        len: form + parameters.short_bits + if is_short { 0 } else { parameters.medium_bits },
        register,
        facts: facts | if is_long { LONG } else { 0 },
        distance: distance as i8,
    }
}

/// The next 57 bits and more from the bit with number `at`, at the top.
#[inline(always)]
fn window(bytes: &[u8], at: usize) -> u64 {
    let from = at / 8;
    let word = bytes[from..from + 8].try_into().expect("eight bytes");
    u64::from_be_bytes(word) << (at % 8)
}

fn edges<const REGISTERS: usize, const SHORT: u8, const MEDIUM: u8>(decoder: &mut Decoder) {
    #[cfg(target_arch = "x86_64")]
    if super::parameters::has_modern_processor() {
        // SAFETY: the processor has what the function needs.
        return unsafe { edges_modern::<REGISTERS, SHORT, MEDIUM>(decoder) };
    }
    edges_anywhere::<REGISTERS, SHORT, MEDIUM>(decoder);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn edges_modern<const REGISTERS: usize, const SHORT: u8, const MEDIUM: u8>(decoder: &mut Decoder) {
    edges_anywhere::<REGISTERS, SHORT, MEDIUM>(decoder);
}

#[inline(always)]
fn edges_anywhere<const REGISTERS: usize, const SHORT: u8, const MEDIUM: u8>(
    decoder: &mut Decoder,
) {
    let bytes = decoder.bits.bytes();
    let limit = 8 * (bytes.len() - SLACK);
    let registers = &mut decoder.registers;
    let mut contents: [u32; REGISTERS] = registers.contents[..].try_into().expect("the number");
    let mut used: [u32; REGISTERS] = registers.ages[..].try_into().expect("the number");
    let mut ages = Ages::new(&used);
    let (states, ids) = (decoder.states, decoder.ids);
    let offsets = &mut decoder.columns.offsets[..];
    let labels = &mut decoder.columns.labels[..];
    let targets = &mut decoder.columns.targets[..labels.len()];
    let mut at = decoder.bits.at();
    let mut source = decoder.source;
    let mut explicit = u8::from(decoder.explicit);
    let mut edge = decoder.done as usize;
    // numbers of labels take a byte each: where the next edge begins does not
    // depend on them
    let has_few_labels = ids.len() <= 1 << 7;
    while edge < labels.len() && at <= limit {
        let bits = window(bytes, at);
        let head = Heads::<REGISTERS, SHORT, MEDIUM>::TABLE[(bits >> (64 - HEAD_BITS)) as usize];
        if head.len == 0 {
            // a state without edges, or something odd
            let from = source.wrapping_add(1);
            if bits >> 61 != 0b101 || from >= states {
                break;
            }
            source = from;
            explicit = 0;
            offsets[source as usize + 1] = edge as u32;
            at += 2;
            continue;
        }
        let from = source.wrapping_add((head.facts & NEXT).into());
        // also if there is no source yet
        if from >= states {
            break;
        }
        let has_label = explicit & (head.facts / KEEP) | (head.facts / EXPLICIT) & 1;
        let is_long = head.facts & LONG != 0;
        let register = usize::from(head.register) % REGISTERS;
        let mut next = at + usize::from(head.len);
        let mut bits = bits << head.len;
        let mut distance = i64::from(head.distance);
        if is_long {
            let prefix = bits.leading_ones();
            if prefix > 3 {
                break;
            }
            let further = ((bits << (prefix + 1)) >> (57 - 7 * prefix)) as i64;
            if further == 0 {
                break;
            }
            // with the sign of the distance, without a branch
            let sign = distance >> 63;
            distance += (further ^ sign) - sign;
            next += 8 * (prefix as usize + 1);
            bits = window(bytes, next);
        }
        let mask = u64::from(has_label).wrapping_neg();
        let number = if has_few_labels {
            next += 8 & mask as usize;
            // more than there are, if it is of several bytes
            bits >> 56 & mask
        } else {
            let prefix = bits.leading_ones();
            if prefix > 3 && has_label != 0 {
                break;
            }
            let prefix = prefix & 3;
            next += (8 * (prefix as usize + 1)) & mask as usize;
            ((bits << (prefix + 1)) >> (57 - 7 * prefix)) & mask
        };
        let target = i64::from(contents[register]) + 1 + distance;
        let Some(&label) = ids.get(number as usize) else {
            break;
        };
        if target as u64 >= states.into() {
            break;
        }
        let target = target as u32;
        let receiver = if is_long {
            ages.replace()
        } else {
            ages.touch(register);
            register
        };
        contents[receiver] = target;
        labels[edge] = label;
        targets[edge] = StateId::new(target);
        used[receiver] = edge as u32;
        edge += 1;
        source = from;
        explicit = has_label;
        offsets[source as usize + 1] = edge as u32;
        at = next;
    }
    registers.contents.copy_from_slice(&contents);
    registers.ages.copy_from_slice(&used);
    decoder.bits.seek(at);
    decoder.source = source;
    decoder.explicit = explicit != 0;
    decoder.done = edge as u32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_as_they_are_defined() {
        // in the same mode, by register 5
        let head = |form: usize| Heads::<16, 1, 3>::TABLE[0b0010_1000_0000 | form << 3];
        for form in 0b0000..=0b0111 {
            let head = head(form);
            assert_eq!((head.len, head.register, head.distance), (6, 5, 0));
            assert_eq!(head.facts, KEEP);
        }
        let medium: Vec<Head> = (0b1000..=0b1111).map(head).collect();
        assert!(
            medium
                .iter()
                .all(|head| (head.len, head.register) == (9, 5))
        );
        let distances: Vec<_> = medium.iter().map(|head| head.distance).collect();
        assert_eq!(distances, [3, 1, 2, 3, -1, -2, -3, -3]);
        let long: Vec<_> = medium.iter().map(|head| head.facts / LONG).collect();
        assert_eq!(long, [1, 0, 0, 0, 0, 0, 0, 1]);
        // on to the next source, by register 2
        let old = |form: usize| Heads::<4, 2, 4>::TABLE[0b1100_1000_0000 | form].distance;
        let distances: Vec<_> = (0..64).map(old).collect();
        for (k, distance) in [-1, 0, 1].into_iter().enumerate() {
            assert_eq!(distances[16 * k..][..16], [distance; 16]);
        }
        let medium = [8, 2, 3, 4, 5, 6, 7, 8, -2, -3, -4, -5, -6, -7, -8, -8];
        assert_eq!(distances[48..], medium);
    }

    #[test]
    fn controls_as_they_are_defined() {
        let head = |control: usize| {
            let head = Heads::<16, 1, 3>::TABLE[control << 8];
            (head.len, head.facts)
        };
        for control in 0..16 {
            let expected = match control {
                0..8 => (6, KEEP),
                0b1000 | 0b1001 => (8, NEXT),
                0b1100 => (9, NEXT | EXPLICIT),
                0b1110 => (9, EXPLICIT),
                _ => (0, 0),
            };
            assert_eq!(head(control), expected, "{control:b}");
        }
    }
}
