//! Tuples of component states as bit fields.

/// Where the state of a component lies in a packed state.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The first bit.
    offset: u32,
    /// How many bits; none for a component with one state.
    bits: u32,
}

impl Field {
    fn mask(self) -> u64 {
        (1 << self.bits) - 1
    }
}

/// The fields of components with so many states each, one behind the other.
pub fn fields(states: impl Iterator<Item = usize>) -> Vec<Field> {
    let mut offset = 0;
    states
        .map(|n| {
            let bits = (n as u64).next_power_of_two().trailing_zeros();
            offset += bits;
            Field {
                offset: offset - bits,
                bits,
            }
        })
        .collect()
}

/// How many bits these fields take.
pub fn bits(fields: &[Field]) -> usize {
    fields
        .last()
        .map_or(0, |last| (last.offset + last.bits) as usize)
}

/// A packed state that components can be moved in.
pub trait Packed {
    /// Makes it the state with these words.
    fn load(&mut self, words: &[u64]);

    /// The words.
    fn words(&self) -> &[u64];

    /// The state of a component.
    fn get(&self, field: Field) -> u32;

    /// Changes the bits of a component that are set in `difference`.
    fn flip(&mut self, field: Field, difference: u32);
}

/// A state of one word.
#[derive(Default, Debug)]
pub struct Narrow(u64);

impl Packed for Narrow {
    #[inline]
    fn load(&mut self, words: &[u64]) {
        self.0 = words[0];
    }

    #[inline]
    fn words(&self) -> &[u64] {
        std::slice::from_ref(&self.0)
    }

    #[inline]
    fn get(&self, field: Field) -> u32 {
        // A field without bits may lie behind the word.
        (self.0.wrapping_shr(field.offset) & field.mask()) as u32
    }

    #[inline]
    fn flip(&mut self, field: Field, difference: u32) {
        self.0 ^= u64::from(difference).wrapping_shl(field.offset);
    }
}

/// A state of any number of words.
#[derive(Default, Debug)]
pub struct Wide(Vec<u64>);

impl Packed for Wide {
    fn load(&mut self, words: &[u64]) {
        self.0.clear();
        self.0.extend_from_slice(words);
    }

    #[inline]
    fn words(&self) -> &[u64] {
        &self.0
    }

    #[inline]
    fn get(&self, field: Field) -> u32 {
        get_in(&self.0, field)
    }

    #[inline]
    fn flip(&mut self, field: Field, difference: u32) {
        flip_in(&mut self.0, field, difference);
    }
}

/// The state of a component in words.
#[inline]
pub fn get_in(words: &[u64], field: Field) -> u32 {
    let (at, shift) = (field.offset as usize / 64, field.offset % 64);
    if field.bits == 0 {
        return 0;
    }
    let mut bits = words[at] >> shift;
    if shift + field.bits > 64 {
        bits |= words[at + 1] << (64 - shift);
    }
    (bits & field.mask()) as u32
}

/// Changes the bits of a component in words.
#[inline]
pub fn flip_in(words: &mut [u64], field: Field, difference: u32) {
    let (at, shift) = (field.offset as usize / 64, field.offset % 64);
    if field.bits == 0 {
        return;
    }
    words[at] ^= u64::from(difference) << shift;
    if shift + field.bits > 64 {
        words[at + 1] ^= u64::from(difference) >> (64 - shift);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fields of all widths at all offsets, in both forms.
    #[test]
    fn fields_are_independent() {
        for first in 0..=32 {
            let sizes = [1usize << first, 1, 3, 1 << 32, 70_000, 2, 1 << 20, 1];
            for count in 1..=sizes.len() {
                let fields = fields(sizes[..count].iter().copied());
                let length = bits(&fields).div_ceil(64).max(1);
                let mut wide = Wide::default();
                let mut narrow = Narrow::default();
                wide.load(&vec![0; length]);
                let mut expected = vec![0u32; count];
                for (k, field) in fields.iter().enumerate() {
                    let value = ((sizes[k] - 1) as u32) & 0xA5A5_A5A5 | u32::from(sizes[k] > 1);
                    expected[k] = value;
                    wide.flip(*field, value);
                    narrow.flip(*field, value);
                    for (other, field) in fields.iter().enumerate() {
                        assert_eq!(wide.get(*field), expected[other]);
                        if length == 1 {
                            assert_eq!(narrow.get(*field), expected[other]);
                        }
                    }
                }
                if length == 1 {
                    assert_eq!(narrow.words(), wide.words());
                }
                for (field, value) in fields.iter().zip(expected) {
                    wide.flip(*field, value);
                }
                assert!(wide.words().iter().all(|&word| word == 0));
            }
        }
    }
}
