//! The inner loop of reading edges.
//!
//! It reads ordinary edges only, and stops before whatever is not: the end of
//! the section, numbers out of range, forms that no writer uses, and long forms
//! as long as the age rules may differ. Forms are looked up in small tables
//! rather than branched on, as a processor could not guess them.

use super::Parameters;
use super::decode::Decoder;
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
    let Some(registers) = decoder.machine.agreed() else {
        return;
    };
    match (parameters, registers.is_settled()) {
        (Parameters::V1_2, true) => edges::<16, 1, 3, true>(decoder),
        (Parameters::V1_2, false) => edges::<16, 1, 3, false>(decoder),
        (Parameters::V1_0, true) => edges::<4, 2, 4, true>(decoder),
        (Parameters::V1_0, false) => edges::<4, 2, 4, false>(decoder),
        _ => {}
    }
}

/// What the bits before a register say.
#[derive(Clone, Copy)]
struct Control {
    /// How many they are; 0 if the edge is not an ordinary one.
    len: u8,
    /// 1 if it is on to the next source.
    next: u8,
    /// 1 if the mode is kept.
    keep: u8,
    /// 1 if the mode becomes explicit.
    explicit: u8,
}

const fn control(len: u8, next: u8, keep: u8, explicit: u8) -> Control {
    Control {
        len,
        next,
        keep,
        explicit,
    }
}

/// By the next four bits.
const CONTROLS: [Control; 16] = {
    let mut controls = [control(0, 0, 0, 0); 16];
    let mut bits = 0;
    while bits < 16 {
        match bits {
            0b0000..=0b0111 => controls[bits] = control(1, 0, 1, 0),
            0b1000..=0b1001 => controls[bits] = control(3, 1, 0, 0),
            0b1100 => controls[bits] = control(4, 1, 0, 1),
            0b1110 => controls[bits] = control(4, 0, 0, 1),
            _ => {}
        }
        bits += 1;
    }
    controls
};

/// What the bits after a register say.
#[derive(Clone, Copy)]
struct Form {
    /// How many they are, without the number of a long form.
    len: u8,
    /// 1 for a long form.
    long: u8,
    /// The distance, or of a long form the one to go on from.
    distance: i8,
}

struct Forms<const SHORT: u8, const MEDIUM: u8>;

impl<const SHORT: u8, const MEDIUM: u8> Forms<SHORT, MEDIUM> {
    /// By the next bits of a short and a medium form.
    const TABLE: [Form; 64] = forms(Parameters::new(0, SHORT, MEDIUM));
}

const fn form(len: u8, long: bool, distance: i64) -> Form {
    Form {
        len,
        long: long as u8,
        distance: distance as i8,
    }
}

const fn forms(parameters: Parameters) -> [Form; 64] {
    let mut forms = [form(0, false, 0); 64];
    let (reach, half) = (parameters.short_reach(), parameters.half());
    let len = parameters.short_bits + parameters.medium_bits;
    let mut bits = 0;
    while bits < 1 << len {
        let short = bits >> parameters.medium_bits;
        let medium = bits & (2 * half - 1);
        forms[bits as usize] = if short < (1 << parameters.short_bits) - 1 {
            form(parameters.short_bits, false, short - reach)
        } else if medium == 0 {
            form(len, true, parameters.medium_reach())
        } else if medium == 2 * half - 1 {
            form(len, true, -parameters.medium_reach())
        } else if medium < half {
            form(len, false, reach + medium)
        } else {
            form(len, false, -(reach + medium - half + 1))
        };
        bits += 1;
    }
    forms
}

/// The next 57 bits and more from the bit with number `at`, at the top.
#[inline(always)]
fn window(bytes: &[u8], at: usize) -> u64 {
    let from = at / 8;
    let word = bytes[from..from + 8].try_into().expect("eight bytes");
    u64::from_be_bytes(word) << (at % 8)
}

fn edges<const REGISTERS: usize, const SHORT: u8, const MEDIUM: u8, const SETTLED: bool>(
    decoder: &mut Decoder,
) {
    #[cfg(target_arch = "x86_64")]
    if super::has_modern_processor() {
        // SAFETY: the processor has what the function needs.
        return unsafe { edges_modern::<REGISTERS, SHORT, MEDIUM, SETTLED>(decoder) };
    }
    edges_anywhere::<REGISTERS, SHORT, MEDIUM, SETTLED>(decoder);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn edges_modern<const REGISTERS: usize, const SHORT: u8, const MEDIUM: u8, const SETTLED: bool>(
    decoder: &mut Decoder,
) {
    edges_anywhere::<REGISTERS, SHORT, MEDIUM, SETTLED>(decoder);
}

#[inline(always)]
fn edges_anywhere<
    const REGISTERS: usize,
    const SHORT: u8,
    const MEDIUM: u8,
    const SETTLED: bool,
>(
    decoder: &mut Decoder,
) {
    let register_bits = REGISTERS.trailing_zeros();
    let bytes = decoder.bits.bytes();
    let limit = 8 * (bytes.len() - SLACK);
    let registers = decoder.machine.agreed().expect("the caller has seen them");
    let mut contents: [u32; REGISTERS] = registers.contents[..].try_into().expect("the number");
    let mut used: [u32; REGISTERS] = registers.used[..].try_into().expect("the number");
    let mut ages = Ages::<REGISTERS>::new(registers);
    let (states, ids) = (decoder.states, decoder.ids);
    let offsets = &mut decoder.columns.offsets[..];
    let labels = &mut decoder.columns.labels[..];
    let targets = &mut decoder.columns.targets[..labels.len()];
    let mut at = decoder.bits.at();
    let mut source = decoder.source;
    let mut explicit = u8::from(decoder.explicit);
    let mut edge = decoder.done as usize;
    while edge < labels.len() && at <= limit {
        let bits = window(bytes, at);
        let control = CONTROLS[(bits >> 60) as usize];
        let from = source.wrapping_add(control.next.into());
        if control.len == 0 {
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
        // also if there is no source yet
        if from >= states {
            break;
        }
        let has_label = explicit & control.keep | control.explicit;
        let bits = bits << control.len;
        let register = (bits >> (64 - register_bits)) as usize;
        let bits = bits << register_bits;
        let form = Forms::<SHORT, MEDIUM>::TABLE[(bits >> (64 - SHORT - MEDIUM)) as usize];
        let mut next = at + usize::from(control.len + form.len) + register_bits as usize;
        let mut bits = bits << form.len;
        let mut distance = i64::from(form.distance);
        if form.long != 0 {
            let prefix = bits.leading_ones();
            if !SETTLED || prefix > 3 {
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
        let prefix = bits.leading_ones();
        if prefix > 3 && has_label != 0 {
            break;
        }
        let prefix = prefix & 3;
        let mask = u64::from(has_label).wrapping_neg();
        let number = ((bits << (prefix + 1)) >> (57 - 7 * prefix)) & mask;
        next += (8 * (prefix as usize + 1)) & mask as usize;
        let target = i64::from(contents[register]) + 1 + distance;
        let Some(&label) = ids.get(number as usize) else {
            break;
        };
        if target as u64 >= states.into() {
            break;
        }
        let target = target as u32;
        let receiver = if form.long != 0 {
            ages.replace()
        } else {
            if SETTLED {
                ages.touch(register);
            }
            register
        };
        contents[receiver] = target;
        labels[edge] = label;
        targets[edge] = StateId::new(target);
        edge += 1;
        used[receiver] = edge as u32;
        source = from;
        explicit = has_label;
        offsets[source as usize + 1] = edge as u32;
        at = next;
    }
    registers.contents.copy_from_slice(&contents);
    registers.used.copy_from_slice(&used);
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
        let form = |bits: usize| {
            let form = Forms::<1, 3>::TABLE[bits];
            (form.len, form.long, form.distance)
        };
        for short in 0b0000..=0b0111 {
            assert_eq!(form(short), (1, 0, 0));
        }
        let medium: Vec<_> = (0b1000..=0b1111).map(form).collect();
        let distances: Vec<_> = medium.iter().map(|m| m.2).collect();
        assert_eq!(distances, [3, 1, 2, 3, -1, -2, -3, -3]);
        let long: Vec<_> = medium.iter().map(|m| m.1).collect();
        assert_eq!(long, [1, 0, 0, 0, 0, 0, 0, 1]);
        let distances: Vec<_> = (0..64).map(|k| Forms::<2, 4>::TABLE[k].distance).collect();
        for (k, distance) in [-1, 0, 1].into_iter().enumerate() {
            assert_eq!(distances[16 * k..][..16], [distance; 16]);
        }
        let medium = [8, 2, 3, 4, 5, 6, 7, 8, -2, -3, -4, -5, -6, -7, -8, -8];
        assert_eq!(distances[48..], medium);
    }
}
