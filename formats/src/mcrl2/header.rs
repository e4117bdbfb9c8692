//! What every file begins with.

/// The first bytes of a file.
pub(super) const MAGIC: [u8; 3] = [0x00, 0x8b, 0xaf];
/// The version after them, of August 2024 (numbers by machine words).
pub(super) const VERSION: u16 = 0x8308;
/// The one of January 2023 (numbers by bits).
pub(super) const PREVIOUS_VERSION: u16 = 0x8307;
/// The sort of a parameter of which the sort is not known.
pub(super) const UNKNOWN_SORT: &[u8] = b"UntypedSortUnknown";
