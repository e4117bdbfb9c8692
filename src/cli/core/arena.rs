//! Memory for columns: blocks side by side in one range of addresses, on large pages,
//! which later columns take over from earlier ones.
//!
//! The system's allocator takes each column from the kernel and gives it back at once. The
//! kernel then clears its pages, 4 KiB at a time, for each of them anew: up to a third of
//! the time of a command. Here pages of 2 MiB are cleared once.
//!
//! First fit (Knuth, The Art of Computer Programming 1, 2.5): the free blocks are a list
//! by address, which lies in the free blocks themselves. There are few of them, as there
//! are few columns.

use std::alloc::Layout;
use std::ptr;
use std::sync::Mutex;

/// Blocks of these sizes are taken from the arena: smaller ones are the system's matter,
/// and the kernel moves larger ones without copying.
const SIZES: std::ops::Range<usize> = 16 << 10..256 << 20;

/// Blocks begin and end at multiples of this.
const PAGE: usize = 4 << 10;

/// How much the system is asked for at a time, at least.
const STEP: usize = 4 << 20;

/// The system gets the memory of free blocks back when so much has become free, and an
/// eighth of what is in use besides: what comes next may want larger blocks, or none.
const IDLE: usize = if cfg!(test) { 100 << 10 } else { 4 << 20 };

/// The size of a large page.
const LARGE_PAGE: usize = if cfg!(test) { 16 << 10 } else { 2 << 20 };

/// Addresses that are set aside; nothing is behind them until it is needed.
const ROOM: usize = 64 << 30;

/// The arena of the process.
pub(super) struct Arena(Mutex<State>);

/// Where the blocks are.
enum State {
    /// Nobody has asked for one.
    New,
    /// There is no room for any.
    None,
    Some(Blocks),
}

// SAFETY: the blocks are looked at by who holds the lock only.
unsafe impl Send for State {}

impl Arena {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(State::New))
    }

    /// Whether memory of this layout may come from here.
    #[inline]
    pub(super) fn takes(layout: Layout) -> bool {
        SIZES.contains(&layout.size()) && layout.align() <= PAGE
    }

    /// Memory for a layout that the arena [takes](Arena::takes), and how much of it, at its
    /// front, has been in use before; the rest is zero. Nothing if there is no room.
    pub(super) fn alloc(&self, size: usize) -> Option<(*mut u8, usize)> {
        self.with(|blocks| blocks.alloc(size)).flatten()
    }

    /// Makes a block larger or smaller where it stands, if it is of the arena and that is
    /// possible.
    pub(super) fn resize(&self, block: *mut u8, old: usize, new: usize) -> bool {
        self.is_within(block)
            && self
                .with(|blocks| blocks.resize(block, old, new))
                .unwrap_or(false)
    }

    /// Takes a block back, if it is of the arena.
    #[inline]
    pub(super) fn free(&self, block: *mut u8, size: usize) -> bool {
        let is_ours = self.is_within(block);
        if is_ours {
            self.with(|blocks| blocks.free(block, size));
        }
        is_ours
    }

    /// Whether a block is of the arena.
    #[inline]
    pub(super) fn is_within(&self, block: *mut u8) -> bool {
        range::contains(block.addr())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Blocks) -> T) -> Option<T> {
        // A thread that panics inside would have allocated: none does.
        let mut state = self.0.lock().ok()?;
        if let State::New = *state {
            *state = match range::reserve() {
                None => State::None,
                Some(start) => State::Some(Blocks::new(start, ROOM, range::MEMORY)),
            };
        }
        match &mut *state {
            State::Some(blocks) => Some(work(blocks)),
            State::New | State::None => None,
        }
    }
}

/// The range of addresses.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod range {
    use std::ptr;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{LARGE_PAGE, Memory, ROOM};

    pub(super) const MEMORY: Memory = Memory { commit, release };

    /// Where the range begins; 0 if there is none.
    static START: AtomicUsize = AtomicUsize::new(0);

    #[inline]
    pub(super) fn contains(address: usize) -> bool {
        let start = START.load(Ordering::Relaxed);
        start != 0 && address.wrapping_sub(start) < ROOM
    }

    /// Sets the addresses aside.
    pub(super) fn reserve() -> Option<*mut u8> {
        // SAFETY: a new mapping, of which nothing can be read or written yet.
        let start = unsafe {
            libc::mmap(
                ptr::null_mut(),
                ROOM + LARGE_PAGE,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        let start: *mut u8 = start.cast();
        // SAFETY: within the mapping, which is so much larger.
        let start = unsafe { start.add(start.align_offset(LARGE_PAGE)) };
        // SAFETY: advice about our own mapping.
        unsafe { libc::madvise(start.cast(), ROOM, libc::MADV_HUGEPAGE) };
        START.store(start.addr(), Ordering::Relaxed);
        Some(start)
    }

    /// Takes the memory from behind these pages, which nobody uses.
    fn release(start: *mut u8, size: usize) -> bool {
        // SAFETY: pages of our own mapping.
        unsafe { libc::madvise(start.cast(), size, libc::MADV_DONTNEED) == 0 }
    }

    /// Puts memory behind some of the addresses, which are ours.
    fn commit(start: *mut u8, size: usize) -> bool {
        // SAFETY: whole pages of our own mapping, that nobody uses yet.
        unsafe { libc::mprotect(start.cast(), size, libc::PROT_READ | libc::PROT_WRITE) == 0 }
    }
}

/// Elsewhere there is none.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
mod range {
    use super::Memory;

    pub(super) const MEMORY: Memory = Memory {
        commit: |_, _| false,
        release: |_, _| false,
    };

    pub(super) fn contains(_: usize) -> bool {
        false
    }

    pub(super) fn reserve() -> Option<*mut u8> {
        None
    }
}

/// How memory gets behind addresses.
#[derive(Clone, Copy)]
struct Memory {
    /// Puts memory behind some, if it can be had.
    commit: fn(*mut u8, usize) -> bool,
    /// Takes it away from behind large pages, which are zero when they are looked at again;
    /// false if they stay as they are.
    release: fn(*mut u8, usize) -> bool,
}

/// Blocks in a range of memory: those in use, those that are free, and the rest behind
/// them all.
struct Blocks {
    start: *mut u8,
    /// Sizes from `start` on: of all blocks in use, and the free ones between them; of what
    /// may not be zero; of what there is memory for; of all.
    used: usize,
    touched: usize,
    committed: usize,
    room: usize,
    /// How many bytes are in use.
    live: usize,
    /// How many bytes of the free blocks are [idle](Free::idle).
    idle: usize,
    memory: Memory,
    /// The first free block by address, or null.
    free: *mut Free,
}

/// What stands at the beginning of a free block.
struct Free {
    size: usize,
    /// How many of its bytes have been in use since memory was last taken from behind it.
    idle: usize,
    /// The next one by address, or null.
    next: *mut Free,
}

/// The size of a block that holds so many bytes.
const fn rounded(size: usize) -> usize {
    size.next_multiple_of(PAGE)
}

/// Takes so many bytes from the front of a free block; what is left takes its place in the
/// list. How many of those were idle.
///
/// # Safety
/// The link leads to a free block of at least this size, and both are nobody else's.
unsafe fn take_front(link: *mut *mut Free, size: usize) -> usize {
    // SAFETY: as promised; what is written lies within the block.
    unsafe {
        let block = *link;
        let mut rest = block.read();
        let idle = rest.idle.min(size);
        rest.idle -= idle;
        rest.size -= size;
        *link = match rest.size {
            0 => rest.next,
            _ => {
                let place = block.byte_add(size);
                place.write(rest);
                place
            }
        };
        idle
    }
}

impl Blocks {
    /// No blocks. From `start` on there are `room` bytes, which may be read and written, and
    /// are zero, once they are committed.
    fn new(start: *mut u8, room: usize, memory: Memory) -> Self {
        Self {
            start,
            used: 0,
            touched: 0,
            committed: 0,
            room,
            live: 0,
            idle: 0,
            memory,
            free: ptr::null_mut(),
        }
    }

    /// A block, and how many of its bytes may not be zero.
    fn alloc(&mut self, size: usize) -> Option<(*mut u8, usize)> {
        let size = rounded(size);
        let mut link: *mut *mut Free = &mut self.free;
        // SAFETY: `link` points to `self.free` or to the `next` of a free block, which is
        // null or a free block; what is written lies within it.
        unsafe {
            while let Some(block) = (*link).as_mut() {
                if block.size >= size {
                    let start: *mut u8 = (*link).cast();
                    self.idle -= take_front(link, size);
                    self.live += size;
                    return Some((start, size));
                }
                link = &mut block.next;
            }
        }
        self.extend(size)
    }

    /// A block behind all others.
    fn extend(&mut self, size: usize) -> Option<(*mut u8, usize)> {
        let begin = self.used;
        let end = begin.checked_add(size).filter(|&end| end <= self.room)?;
        if end > self.committed {
            let more = (end - self.committed).next_multiple_of(STEP);
            let more = more.min(self.room - self.committed);
            // SAFETY: within the room.
            if !(self.memory.commit)(unsafe { self.start.add(self.committed) }, more) {
                return None;
            }
            self.committed += more;
        }
        let dirty = self.touched.clamp(begin, end) - begin;
        self.used = end;
        self.touched = self.touched.max(end);
        self.live += size;
        // SAFETY: within the room.
        Some((unsafe { self.start.add(begin) }, dirty))
    }

    /// Whether a block could be given another size.
    fn resize(&mut self, block: *mut u8, old: usize, new: usize) -> bool {
        let (old, new) = (rounded(old), rounded(new));
        if new <= old {
            if new < old {
                // SAFETY: within the block.
                self.free(unsafe { block.add(new) }, old - new);
            }
            return true;
        }
        // SAFETY: one past the block at most.
        let behind = unsafe { block.add(old) };
        if behind.addr() - self.start.addr() == self.used {
            return self.extend(new - old).is_some();
        }
        let mut link: *mut *mut Free = &mut self.free;
        // SAFETY: as in `alloc`.
        unsafe {
            while let Some(free) = (*link).as_mut() {
                if (*link).addr() < behind.addr() {
                    link = &mut free.next;
                    continue;
                }
                if (*link).addr() > behind.addr() || free.size < new - old {
                    return false;
                }
                self.idle -= take_front(link, new - old);
                self.live += new - old;
                return true;
            }
        }
        false
    }

    /// Takes a block back.
    fn free(&mut self, block: *mut u8, size: usize) {
        let size = rounded(size);
        self.live -= size;
        self.idle += size;
        let mut this = Free {
            size,
            idle: size,
            next: ptr::null_mut(),
        };
        let mut link: *mut *mut Free = &mut self.free;
        // The link to the free block before, and where that ends.
        let mut before: Option<(*mut *mut Free, usize)> = None;
        // SAFETY: as in `alloc`; the block belongs to nobody any more.
        unsafe {
            while let Some(free) = (*link).as_mut()
                && (*link).addr() < block.addr()
            {
                before = Some((link, (*link).addr() + free.size));
                link = &mut free.next;
            }
            this.next = *link;
            if let Some(free) = this.next.as_mut()
                && block.addr() + size == this.next.addr()
            {
                this.size += free.size;
                this.idle += free.idle;
                this.next = free.next;
            }
            let mut start = block;
            if let Some((of, end)) = before
                && end == block.addr()
            {
                start = (*of).cast();
                this.size += (**of).size;
                this.idle += (**of).idle;
                link = of;
            }
            if start.addr() + this.size == self.start.addr() + self.used {
                self.used -= this.size;
                self.idle -= this.idle;
                *link = ptr::null_mut();
            } else {
                let free: *mut Free = start.cast();
                free.write(this);
                *link = free;
            }
        }
        if self.idle + (self.touched - self.used) > IDLE + self.live / 8 {
            self.release();
        }
    }

    /// Takes the memory from behind all that is free, but for parts of large pages.
    #[cold]
    fn release(&mut self) {
        // SAFETY: as in `alloc`; nobody uses the pages, and what stands at the front of a
        // free block is left.
        unsafe {
            let mut next = self.free;
            while let Some(free) = next.as_mut() {
                if free.idle > 0 {
                    self.release_within(next.byte_add(PAGE).cast(), free.size - PAGE);
                    free.idle = 0;
                }
                next = free.next;
            }
            self.idle = 0;
            let begin = self.used.next_multiple_of(LARGE_PAGE);
            let end = self.touched.next_multiple_of(LARGE_PAGE).min(self.room);
            if begin < end && (self.memory.release)(self.start.add(begin), end - begin) {
                self.touched = begin;
            }
        }
    }

    /// Takes the memory from behind the whole large pages in a range.
    fn release_within(&self, start: *mut u8, size: usize) {
        let before = start.align_offset(LARGE_PAGE);
        let length = size.saturating_sub(before) / LARGE_PAGE * LARGE_PAGE;
        if length > 0 {
            // SAFETY: within the range.
            (self.memory.release)(unsafe { start.add(before) }, length);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::alloc::{alloc_zeroed, dealloc};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Draws numbers below a bound.
    struct Draws(u64);

    impl Draws {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 33) as usize % bound
        }
    }

    /// Blocks keep what is written to them whatever happens to others, and in the end all
    /// is free.
    #[test]
    fn blocks_are_apart() {
        const ROOM: usize = 1 << 20;
        let layout = Layout::from_size_align(ROOM, LARGE_PAGE).unwrap();
        static RELEASED: AtomicUsize = AtomicUsize::new(0);
        let zeroed = Memory {
            commit: |_, _| true,
            release: |start, size| {
                assert!(start.addr() % LARGE_PAGE == 0 && size % LARGE_PAGE == 0);
                RELEASED.fetch_add(size, Ordering::Relaxed);
                // SAFETY: pages of the memory below, which are free.
                unsafe { start.write_bytes(0, size) }
                true
            },
        };
        for seed in 0..if cfg!(miri) { 2 } else { 60 } {
            // SAFETY: the layout is not empty.
            let memory = unsafe { alloc_zeroed(layout) };
            let mut blocks = Blocks::new(memory, ROOM, zeroed);
            let mut draws = Draws(seed);
            let mut live: Vec<(*mut u8, usize, u8)> = Vec::new();
            let mut refused = 0;
            for step in 0..if cfg!(miri) { 60 } else { 400 } {
                let size = 1 + draws.below(60_000);
                let value = 1 + (step % 250) as u8;
                match draws.below(3) {
                    0 if !live.is_empty() => {
                        let (block, size, _) = live.swap_remove(draws.below(live.len()));
                        blocks.free(block, size);
                    }
                    1 if !live.is_empty() => {
                        let k = draws.below(live.len());
                        let (block, old, _) = live[k];
                        if blocks.resize(block, old, size) {
                            // SAFETY: the block has this size now.
                            unsafe { block.write_bytes(value, size) };
                            live[k] = (block, size, value);
                        }
                    }
                    _ => match blocks.alloc(size) {
                        None => refused += 1,
                        Some((block, dirty)) => {
                            // SAFETY: the block has this size; its memory was zero at first.
                            unsafe {
                                let whole = std::slice::from_raw_parts_mut(block, size);
                                assert!(whole.iter().skip(dirty).all(|&byte| byte == 0));
                                whole.fill(value);
                            }
                            live.push((block, size, value));
                        }
                    },
                }
                for &(block, size, value) in &live {
                    // SAFETY: the block is live and has this size.
                    let whole = unsafe { std::slice::from_raw_parts(block, size) };
                    assert!(
                        whole[0] == value && whole[size - 1] == value && whole[size / 2] == value
                    );
                }
            }
            assert!(refused < 200);
            for (block, size, _) in live {
                blocks.free(block, size);
            }
            assert!(blocks.free.is_null() && blocks.used == 0);
            assert_eq!((blocks.live, blocks.idle), (0, 0));
            // SAFETY: allocated above.
            unsafe { dealloc(memory, layout) };
        }
        assert!(RELEASED.load(Ordering::Relaxed) > 0);
    }
}
