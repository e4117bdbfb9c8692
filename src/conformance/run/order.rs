//! In which order tests are executed.

use hyades_base::draw;

/// The order of the tests of a suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// As the suite has them; the suite is not kept in memory.
    #[default]
    AsGiven,
    /// Short ones first; those of the same length as the suite has them.
    ShortestFirst,
    /// As drawn from this seed.
    Random(u64),
}

/// What is drawn for: numbers for other purposes have other streams.
const STREAM: u64 = 0x6f72_6465;

impl Order {
    /// The numbers of tests of these lengths, in the order in which they are to be
    /// executed. O(tests · log tests).
    pub fn arranged(self, lengths: &[usize]) -> Vec<usize> {
        let mut tests: Vec<usize> = (0..lengths.len()).collect();
        match self {
            Order::AsGiven => {}
            Order::ShortestFirst => tests.sort_by_key(|&test| lengths[test]),
            // D. Knuth, The Art of Computer Programming 2, algorithm 3.4.2 P.
            Order::Random(seed) => {
                for k in (1..tests.len()).rev() {
                    let other = draw(seed, STREAM, k as u64, k as u64 + 1);
                    tests.swap(k, other as usize);
                }
            }
        }
        tests
    }
}
