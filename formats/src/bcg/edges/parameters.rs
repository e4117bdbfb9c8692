//! How an edge section is coded.

use std::fmt;

/// Whether the processor has the instructions that the inner loops are built
/// for a second time.
#[cfg(target_arch = "x86_64")]
pub(super) fn has_modern_processor() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
}

/// How an edge section is coded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// There are two to the power of this many registers.
    pub register_bits: u8,
    /// The bits of a short form.
    pub short_bits: u8,
    /// The further bits of a medium form.
    pub medium_bits: u8,
}

impl Parameters {
    pub(super) const fn new(register_bits: u8, short_bits: u8, medium_bits: u8) -> Self {
        Self {
            register_bits,
            short_bits,
            medium_bits,
        }
    }

    /// Those of most files of version 1.0; others have 3 1 3, or those of
    /// version 1.2.
    pub const V1_0: Self = Self::new(2, 2, 4);
    /// Those of files of version 1.2.
    pub const V1_2: Self = Self::new(4, 1, 3);

    /// Those of a few files of version 1.0.
    pub(super) const RARE: Self = Self::new(3, 1, 3);

    /// Whether edges can be read that are coded so.
    pub(super) fn are_possible(self) -> bool {
        (1..=8).contains(&self.register_bits)
            && (1..=8).contains(&self.short_bits)
            && (2..=8).contains(&self.medium_bits)
    }

    /// The number of registers.
    pub(in super::super) fn registers(self) -> usize {
        1 << self.register_bits
    }

    /// The largest distance of a short form.
    pub(super) const fn short_reach(self) -> i64 {
        (1 << (self.short_bits - 1)) - 1
    }

    /// Half the number of codes of a medium form.
    pub(super) const fn half(self) -> i64 {
        1 << (self.medium_bits - 1)
    }

    /// The largest distance of a medium form.
    pub(super) const fn medium_reach(self) -> i64 {
        self.short_reach() + self.half() - 1
    }
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            register_bits,
            short_bits,
            medium_bits,
        } = self;
        write!(f, "{register_bits} {short_bits} {medium_bits}")
    }
}
