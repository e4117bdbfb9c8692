//! How much memory is allocated within a limit: more of it never makes it fail.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use hyades_equivalence::Relation;
use hyades_external::{Disk, Error, Input, Options, TemporaryFolder, minimize, passed};
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};

/// The system's allocator, which counts bytes.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn add(bytes: usize) {
    PEAK.fetch_max(IN_USE.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: every call is passed on to the system's allocator, whose results are returned as
// they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promises are those that `System` asks for; so below.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: see above.
        unsafe { System.alloc_zeroed(layout) }
    }

    /// The kernel moves large blocks without copying.
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        add(size);
        // SAFETY: see above.
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: see above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Two states that lead to all states, and hidden transitions to smaller numbers: most of the
/// transitions are of states that stay live for long.
fn hubs(states: u32) -> Lts {
    let mut builder = LtsBuilder::new(states.into());
    let labels: Vec<LabelId> = (0..8)
        .map(|k| {
            builder
                .table_mut()
                .intern(format!("a{k}").as_bytes())
                .unwrap()
        })
        .collect();
    let mut draw = 1u64;
    let mut add = |source: u32, label: LabelId, target: u32| {
        builder.add(StateId::new(source), label, StateId::new(target));
    };
    for state in 0..states {
        add(0, labels[state as usize % 7], state);
        add(states - 1, labels[state as usize % 7], state);
        add(state, LabelId::HIDDEN, state / 2);
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let target = if draw >> 60 & 1 == 0 { 0 } else { states - 1 };
        add(state, labels[7], target);
    }
    builder.build(StateId::new(0)).unwrap()
}

/// One test, as others would allocate at the same time.
#[test]
fn no_larger_limit_fails_where_a_smaller_one_serves() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.unwrap().install(|| {
        let (lts, largest) = (hubs(30_000), 20 << 20);
        for relation in [Relation::Strong, Relation::Branching] {
            let mut expected: Option<Vec<u32>> = None;
            let mut memory = largest / 16;
            while memory < largest {
                memory += memory / 8;
                let folder = TemporaryFolder::new(&std::env::temp_dir()).unwrap();
                let (disk, options) = (Disk::new(&folder), Options::new(memory as u64));
                let before = IN_USE.load(Relaxed);
                PEAK.store(before, Relaxed);
                let input = Input::new(&disk, passed(&lts), None, &options);
                let found =
                    input.and_then(|input| minimize(input, relation, &options, &mut |_| ()));
                let taken = PEAK.load(Relaxed) - before;
                let told = format!("{relation}, {memory}: {taken}");
                // What a process takes beside tables. The rows of single states have to fit as well.
                let fits = taken <= memory + (1 << 19);
                match (found, &expected) {
                    (Ok(found), None) if fits => expected = Some(found.class),
                    (Ok(_) | Err(Error::Memory { .. }), None) => {}
                    (Ok(found), Some(expected)) => {
                        assert!(found.class == *expected, "{told}");
                        assert!(fits, "{told}");
                    }
                    (Err(error), _) => panic!("{told}: {error}"),
                }
            }
            assert!(expected.is_some(), "{relation}: no limit serves");
        }
    });
}
