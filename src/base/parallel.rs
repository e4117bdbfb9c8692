//! Loops by several threads, and slices that threads write disjoint parts of.
//!
//! The loops call the work of a task by a pointer: what shares tasks between threads is
//! compiled once, and not for each loop, for which the compiler would take longer than
//! for the work.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::slice;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};

use crate::offsets::OffsetsRef;

/// A loop is cut into at most so many tasks for each thread, so that threads whose tasks
/// take longer get fewer.
const TASKS: usize = 16;

/// How many threads the global pool is to have, with the first one of the process; 0 if that takes
/// no part.
static WITH_FIRST: AtomicUsize = AtomicUsize::new(0);

/// Done once the global pool has been started by [`start`].
static START: Once = Once::new();

/// Lets this thread be one of so many of the global pool once that starts, if it is the first one
/// of the process. For programs, before they ask for threads: this thread must not wait for work
/// that it has given to others of the pool but by a function of the pool, and it must not end
/// before them.
///
/// By itself, it would wait for the others as one more. A system that has as many processors as
/// the pool has threads then may let two of these share one while another one is idle.
pub fn take_part(threads: usize) {
    if is_first() {
        WITH_FIRST.store(threads, Relaxed);
    }
}

/// Whether this is the first thread of the process.
fn is_first() -> bool {
    thread::current().name() == Some("main")
}

/// Whether this thread is to be one of the global pool's.
fn takes_part() -> bool {
    // Alone it would let threads that are of no pool wait for ever.
    WITH_FIRST.load(Relaxed) > 1 && is_first()
}

/// Starts the global pool with so many threads, unless it has been started.
///
/// # Errors
/// If they do not start.
pub fn start(threads: usize) -> Result<(), ThreadPoolBuildError> {
    let mut started = Ok(());
    START.call_once(|| {
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let pool = match threads > 1 && takes_part() {
            true => pool.use_current_thread(),
            false => pool,
        };
        // This waits until all of them run: the system finds a processor for each, and not that
        // of this thread.
        started = pool.build_global();
    });
    started
}

/// How many threads the current pool has, which start if they have not.
pub fn threads() -> usize {
    if !START.is_completed() && takes_part() {
        // If they do not start, this one works.
        let _ = start(WITH_FIRST.load(Relaxed));
    }
    rayon::current_num_threads()
}

/// How many threads there are for work of this size, of which a thread is to have at least
/// so much: one if that is all of it. To ask for more is what starts them.
pub fn threads_for(size: usize, least: usize) -> usize {
    match size < least.saturating_mul(2) {
        true => 1,
        false => threads(),
    }
}

/// Both, side by side where they are work of this size or more: states and transitions that
/// are looked at.
pub fn join<A: Send, B: Send>(
    size: usize,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    /// Starting a thread takes as long.
    const LEAST: usize = 1 << 12;
    match threads_for(size, LEAST) {
        1 => (first(), second()),
        _ => rayon::join(first, second),
    }
}

/// Runs work of this size by a thread of the current pool, if it is worth while: each loop
/// that begins in another thread has to wake two of the pool and then this one, which takes
/// up to a tenth of a millisecond.
///
/// For commands. Who calls a library may want its callbacks in its own thread, and its work
/// not within that of a loop that waits.
pub fn within<R: Send>(size: usize, work: impl FnOnce() -> R + Send) -> R {
    /// Below, threads would start for work that is done sooner.
    const LEAST: usize = 1 << 14;
    match threads_for(size, LEAST) {
        1 => work(),
        _ => rayon::scope(|_| work()),
    }
}

/// Runs `work` for tasks that are all numbers below `count` together, by the threads of
/// the current rayon pool. A task has at least `least` numbers.
pub fn tasks(count: usize, least: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    let least = least.max(1);
    let threads = threads_for(count, least);
    let tasks = (count / least).clamp(1, TASKS * threads);
    if tasks == 1 || threads == 1 {
        work(0..count);
        return;
    }
    let (each, rest) = (count / tasks, count % tasks);
    let start = |task: usize| task * each + task.min(rest);
    (0..tasks)
        .into_par_iter()
        .for_each(|task| work(start(task)..start(task + 1)));
}

/// What `work` makes of each number below `count`, in their order; see [`tasks`].
pub fn map<R: Send>(count: usize, least: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let mut results = Vec::new();
    map_into(&mut results, count, least, work);
    results
}

/// As [`map`], into a vector whose memory is used again.
pub fn map_into<R: Send>(
    results: &mut Vec<R>,
    count: usize,
    least: usize,
    work: impl Fn(usize) -> R + Sync,
) {
    map_with_into(results, count, least, |(), k| work(k));
}

/// As [`map`], with memory for each task to compute in.
pub fn map_with<S: Default, R: Send>(
    count: usize,
    least: usize,
    work: impl Fn(&mut S, usize) -> R + Sync + Copy,
) -> Vec<R> {
    let mut results = Vec::new();
    map_with_into(&mut results, count, least, work);
    results
}

/// As [`map_into`] and [`map_with`]. What `work` captures by value is at hand in the loop of each
/// task; what it captures by reference is looked up again for each number.
pub fn map_with_into<S: Default, R: Send>(
    results: &mut Vec<R>,
    count: usize,
    least: usize,
    work: impl Fn(&mut S, usize) -> R + Sync + Copy,
) {
    let places = room(results, count);
    tasks(count, least, &|task| {
        // SAFETY: tasks are disjoint.
        unsafe { fill(&places, task, work) }
    });
    // SAFETY: the tasks have written all places. (If one panics, this is not reached, and
    // what was written is not dropped.)
    unsafe { results.set_len(count) }
}

/// As [`map_with_into`], where these ranges are the tasks: all numbers below some one, in
/// their order.
///
/// # Panics
/// If a range does not begin where the one before it ends.
pub fn map_ranges_into<S: Default, R: Send>(
    results: &mut Vec<R>,
    ranges: &[Range<usize>],
    work: impl Fn(&mut S, usize) -> R + Sync + Copy,
) {
    let count = ranges.iter().fold(0, |end, range| {
        assert!(
            range.start == end && end <= range.end,
            "a gap in the ranges"
        );
        range.end
    });
    let places = room(results, count);
    tasks(ranges.len(), 1, &|task| {
        for range in &ranges[task] {
            // SAFETY: the ranges are disjoint.
            unsafe { fill(&places, range.clone(), work) }
        }
    });
    // SAFETY: as above.
    unsafe { results.set_len(count) }
}

/// Writes what `work` makes of each number of a task into its place.
///
/// # Safety
/// Nobody else has these places at the same time.
#[inline(always)] // The loop of whoever makes a column.
unsafe fn fill<S: Default, R>(
    places: &Scatter<'_, MaybeUninit<R>>,
    task: Range<usize>,
    work: impl Fn(&mut S, usize) -> R,
) {
    let mut state = S::default();
    // SAFETY: as the caller promises.
    let part = unsafe { places.part(task.clone()) };
    for (k, place) in task.zip(part) {
        place.write(work(&mut state, k));
    }
}

/// Places for so many elements in the memory of a vector, which is empty then: when all have
/// been written, its length may be set. Memory is used again, and touched first by the
/// threads that write it.
pub fn room<T>(vector: &mut Vec<T>, count: usize) -> Scatter<'_, MaybeUninit<T>> {
    vector.clear();
    if vector.capacity() < count {
        // Nothing need be moved, nor both be there.
        *vector = Vec::new();
        vector.reserve_exact(count);
    }
    Scatter::new(&mut vector.spare_capacity_mut()[..count])
}

/// What `work` makes of each of these, in their order: of parts that are large.
pub fn map_each<T: Sync, R: Send>(parts: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map(parts.len(), 1, |k| work(&parts[k]))
}

/// What `work` makes of each so many elements in a row, in their order; the last may be
/// fewer.
pub fn map_chunks<T: Sync, R: Send>(
    slice: &[T],
    len: usize,
    work: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    map(slice.len().div_ceil(len), 1, |k| work(chunk(slice, len, k)))
}

/// The k-th of the parts of so many elements in a row; the last may have fewer.
///
/// # Panics
/// If there is no such part.
pub fn chunk<T>(slice: &[T], len: usize, k: usize) -> &[T] {
    &slice[k * len..slice.len().min((k + 1) * len)]
}

/// Whether all numbers below `count` have a property; see [`tasks`]. Once one does not,
/// tasks that have not begun do not begin.
pub fn all(count: usize, least: usize, holds: impl Fn(usize) -> bool + Sync) -> bool {
    let fails = AtomicBool::new(false);
    tasks(count, least, &|mut task| {
        if !fails.load(Relaxed) && !task.all(&holds) {
            fails.store(true, Relaxed);
        }
    });
    !fails.into_inner()
}

/// Runs `work` for each element, with its place; see [`tasks`].
pub fn for_each_mut<T: Send>(slice: &mut [T], least: usize, work: impl Fn(usize, &mut T) + Sync) {
    let count = slice.len();
    let elements = Scatter::new(slice);
    tasks(count, least, &|task| {
        // SAFETY: tasks are disjoint.
        let part = unsafe { elements.part(task.clone()) };
        for (k, element) in task.zip(part) {
            work(k, element);
        }
    });
}

/// What `select` makes of the numbers below `count` for which it makes something, in
/// their order; see [`tasks`].
pub fn filter_map<R: Send + Copy>(
    count: usize,
    least: usize,
    select: impl Fn(usize) -> Option<R> + Sync,
) -> Vec<R> {
    let least = least.max(1);
    let parts = count.div_ceil(least);
    let range = |part: usize| part * least..((part + 1) * least).min(count);
    map(parts, 1, |part| {
        range(part).filter_map(&select).collect::<Vec<R>>()
    })
    .concat()
}

/// A slice whose elements several threads may write, each its own, in an order known
/// only at run time (counting sorts, columns by state).
#[derive(Debug)]
pub struct Scatter<'a, T> {
    cells: &'a [UnsafeCell<T>],
}

// SAFETY: `Scatter` hands out no references, and its `write` and `read` demand
// of the caller that no two threads touch one element at the same time, so
// sharing it is sharing disjoint `&mut T`s, for which `T: Send` is enough.
unsafe impl<T: Send> Sync for Scatter<'_, T> {}

impl<'a, T> Scatter<'a, T> {
    /// A slice that several threads write to, each place by one of them.
    pub fn new(slice: &'a mut [T]) -> Self {
        let cells = std::ptr::from_mut(slice) as *const [UnsafeCell<T>];
        // SAFETY: `UnsafeCell<T>` has the layout of `T`, and the exclusive
        // borrow lasts for `'a`, so nobody else sees the slice meanwhile.
        let cells = unsafe { &*cells };
        Self { cells }
    }

    /// Writes element `index`.
    ///
    /// # Safety
    /// No other thread reads or writes this element at the same time.
    ///
    /// # Panics
    /// If `index` is out of range.
    #[inline]
    pub unsafe fn write(&self, index: usize, value: T) {
        // SAFETY: the caller rules out a simultaneous access.
        unsafe { *self.cells[index].get() = value }
    }

    /// These elements, to write.
    ///
    /// # Safety
    /// As long as what is returned, nobody else reads, writes or has these elements.
    ///
    /// # Panics
    /// If the range ends behind the slice.
    #[expect(clippy::mut_from_ref, reason = "the caller rules out a second one")]
    pub unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        let cells = &self.cells[range];
        // SAFETY: these are the cells of the range, and `UnsafeCell` has the layout of its
        // content; the caller rules out simultaneous accesses.
        unsafe { slice::from_raw_parts_mut(UnsafeCell::raw_get(cells.as_ptr()), cells.len()) }
    }
}

impl<T: Copy> Scatter<'_, T> {
    /// Reads element `index`.
    ///
    /// # Safety
    /// No other thread writes this element at the same time.
    ///
    /// # Panics
    /// If `index` is out of range.
    #[inline]
    pub unsafe fn read(&self, index: usize) -> T {
        // SAFETY: the caller rules out a simultaneous write.
        unsafe { *self.cells[index].get() }
    }
}

/// Cuts `0 .. offsets.len() − 1` (rows) into contiguous ranges of about `work`
/// row entries each, so that threads get even shares whatever the degrees are.
/// A row is never cut; every row counts as one entry more than it has.
pub fn even_ranges<'a>(offsets: impl Into<OffsetsRef<'a>>, work: usize) -> Vec<Range<usize>> {
    let offsets = offsets.into();
    let rows = offsets.rows();
    let load = |row: usize| offsets.get(row) + row;
    let mut ranges = Vec::with_capacity(load(rows) / work.max(1) + 1);
    let mut start = 0;
    while start < rows {
        let goal = load(start) + work;
        let mut end = start + 1;
        let mut high = rows;
        // The first row end at or past the goal; `load` ascends strictly.
        while end < high {
            let middle = end.midpoint(high);
            if load(middle) < goal {
                end = middle + 1;
            } else {
                high = middle;
            }
        }
        ranges.push(start..end);
        start = end;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_scatter_to_disjoint_places() {
        let mut slice = vec![0u32; 1000];
        let scatter = Scatter::new(&mut slice);
        rayon::scope(|scope| {
            for part in 0..4 {
                let scatter = &scatter;
                scope.spawn(move |_| {
                    for i in (part..1000).step_by(4) {
                        // SAFETY: the parts are disjoint modulo 4.
                        unsafe { scatter.write(i, i as u32) }
                    }
                });
            }
        });
        assert!(slice.iter().enumerate().all(|(i, &v)| v == i as u32));
    }

    #[test]
    fn loops_do_all_in_order() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| {
                for (count, least) in [(0, 1), (1, 0), (1, 5), (7, 2), (500, 1), (1000, 300)] {
                    let all: Vec<usize> = (0..count).collect();
                    assert_eq!(map(count, least, |k| k), all);
                    let texts = map_with(count, least, |n: &mut usize, k| {
                        *n += 1;
                        (*n > 0).then(|| k.to_string()).unwrap()
                    });
                    assert_eq!(texts, all.iter().map(usize::to_string).collect::<Vec<_>>());
                    let cuts = [0, count / 3, count / 3, count];
                    let ranges: Vec<_> = cuts.windows(2).map(|w| w[0]..w[1]).collect();
                    let mut squares = vec![7];
                    map_ranges_into(&mut squares, &ranges, |(), k| k * k);
                    assert_eq!(squares, all.iter().map(|k| k * k).collect::<Vec<_>>());
                    let even = filter_map(count, least, |k| (k % 2 == 0).then_some(k));
                    assert_eq!(even, (0..count).step_by(2).collect::<Vec<_>>());
                    assert!(super::all(count, least, |k| k < count));
                    assert!(count == 0 || !super::all(count, least, |k| k + 1 < count));
                    let mut twice = all.clone();
                    for_each_mut(&mut twice, least, |k, element| *element += k);
                    assert!(twice.iter().enumerate().all(|(k, &n)| n == 2 * k));
                }
            });
        }
    }

    #[test]
    fn ranges_cover_all_rows_once() {
        for offsets in [
            vec![0],
            vec![0, 0],
            vec![0, 5, 5, 5, 100, 101],
            (0..500).collect(),
        ] {
            for work in [0, 1, 7, 50, 10_000] {
                let ranges = even_ranges(&offsets, work);
                let all: Vec<usize> = ranges.into_iter().flatten().collect();
                assert_eq!(all, (0..offsets.len() - 1).collect::<Vec<_>>());
            }
        }
    }
}
