//! Formatting by several threads while one of them writes.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard};

use hyades_base::parallel;

/// Text in the making, whose memory serves many blocks.
pub(crate) trait Text: Default + Send {
    /// Takes everything back, and keeps the memory.
    fn clear(&mut self);

    /// What has been made.
    fn bytes(&self) -> &[u8];
}

impl Text for Vec<u8> {
    fn clear(&mut self) {
        Vec::clear(self);
    }

    fn bytes(&self) -> &[u8] {
        self
    }
}

/// Formats blocks in parallel and writes them in their order.
///
/// The calling thread writes, since the output need not be of a kind that can
/// move between threads. While there is nothing to write it formats as the
/// others do: with one thread it does everything, and whether the others ever
/// get to run makes no difference but in time. What gives and formats the blocks
/// must not ask for the pool: the calling thread might then do what others are to
/// do here, and wait for itself.
///
/// # Errors
/// If the output refuses.
pub(crate) fn pipeline<B, T, I>(
    output: &mut dyn Write,
    blocks: I,
    format: &(dyn Fn(&B, &mut T) + Sync),
) -> io::Result<()>
where
    B: Send,
    T: Text,
    I: Iterator<Item = B> + Send,
{
    let (mut blocks, mut text) = (blocks, T::default());
    let Some(first) = blocks.next() else {
        return Ok(());
    };
    let Some(second) = blocks.next() else {
        format(&first, &mut text);
        return output.write_all(text.bytes());
    };
    let blocks = [first, second].into_iter().chain(blocks);
    let threads = parallel::threads();
    let shared = Shared {
        state: Mutex::new(State {
            blocks,
            ended: false,
            failed: false,
            taken: 0,
            written: 0,
            made: VecDeque::new(),
            free: (0..2 * threads + 1).map(|_| T::default()).collect(),
        }),
        changed: Condvar::new(),
    };
    if threads == 1 {
        return shared.write(output, format);
    }
    rayon::in_place_scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| shared.help(format));
        }
        shared.write(output, format)
    })
}

struct Shared<I, T> {
    state: Mutex<State<I, T>>,
    /// Told whenever there is more to do: a block to be written, or room for
    /// one more.
    changed: Condvar,
}

struct State<I, T> {
    blocks: I,
    /// Whether no more blocks are to be begun.
    ended: bool,
    /// Whether a block will never be finished.
    failed: bool,
    /// How many blocks have been begun.
    taken: usize,
    /// How many blocks have been given out to be written.
    written: usize,
    /// The blocks from `written` to `taken`, as far as they are finished.
    made: VecDeque<Option<T>>,
    /// Memory for further blocks.
    free: Vec<T>,
}

impl<B, T: Text, I: Iterator<Item = B>> State<I, T> {
    /// Begins a block, if there is one and memory for it. Blocks are begun in
    /// their order, so that the one which is to be written next never waits for
    /// memory.
    fn begin(&mut self) -> Option<(usize, B, T)> {
        if self.ended {
            return None;
        }
        let text = self.free.pop()?;
        let Some(block) = self.blocks.next() else {
            self.ended = true;
            return None;
        };
        self.made.push_back(None);
        self.taken += 1;
        Some((self.taken - 1, block, text))
    }
}

impl<B, T: Text, I: Iterator<Item = B>> Shared<I, T> {
    fn lock(&self) -> MutexGuard<'_, State<I, T>> {
        // After a panic elsewhere the state still tells that it failed.
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<I, T>>) -> MutexGuard<'a, State<I, T>> {
        self.changed.wait(state).unwrap_or_else(|e| e.into_inner())
    }

    /// Formats a block that was begun.
    fn make(&self, (k, block, mut text): (usize, B, T), format: &(dyn Fn(&B, &mut T) + Sync)) {
        text.clear();
        format(&block, &mut text);
        let mut state = self.lock();
        let place = k - state.written;
        state.made[place] = Some(text);
        if place == 0 {
            self.changed.notify_all();
        }
    }

    /// Formats blocks until there are none left.
    fn help(&self, format: &(dyn Fn(&B, &mut T) + Sync)) {
        let _guard = Unfinished(self);
        let mut state = self.lock();
        loop {
            if let Some(begun) = state.begin() {
                drop(state);
                self.make(begun, format);
                state = self.lock();
            } else if state.ended {
                self.changed.notify_all();
                return;
            } else {
                state = self.wait(state);
            }
        }
    }

    /// Writes all blocks, and formats them too if the others are not quick
    /// enough.
    fn write(
        &self,
        output: &mut dyn Write,
        format: &(dyn Fn(&B, &mut T) + Sync),
    ) -> io::Result<()> {
        let _guard = Unfinished(self);
        let mut state = self.lock();
        loop {
            if let Some(Some(_)) = state.made.front() {
                let text = state.made.pop_front().flatten().expect("it is there");
                state.written += 1;
                drop(state);
                let written = output.write_all(text.bytes());
                state = self.lock();
                if written.is_err() {
                    state.ended = true;
                    self.changed.notify_all();
                    return written;
                }
                state.free.push(text);
                self.changed.notify_all();
            } else if let Some(begun) = state.begin() {
                drop(state);
                self.make(begun, format);
                state = self.lock();
            } else if state.failed || state.ended && state.made.is_empty() {
                // If it failed, the scope passes the panic on.
                self.changed.notify_all();
                return Ok(());
            } else {
                state = self.wait(state);
            }
        }
    }
}

/// Held by a thread at work: if it panics, nobody is to wait for its block.
struct Unfinished<'a, I, T>(&'a Shared<I, T>);

impl<I, T> Drop for Unfinished<'_, I, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = self.0.state.lock().unwrap_or_else(|e| e.into_inner());
            state.ended = true;
            state.failed = true;
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes only so many bytes.
    struct Narrow(Vec<u8>, usize);

    impl Write for Narrow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let n = bytes.len().min(self.1 - self.0.len());
            self.0.extend_from_slice(&bytes[..n]);
            Ok(n)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn run(threads: usize, room: usize, panic_at: u32) -> (io::Result<()>, Vec<u8>) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let mut output = Narrow(Vec::new(), room);
        let written = pool.unwrap().install(|| {
            pipeline(&mut output, 0..500u32, &|&block, text: &mut Vec<u8>| {
                assert_ne!(block, panic_at, "as wanted");
                for k in 0..block % 7 {
                    text.extend_from_slice(format!("({block}, a, {k})\n").as_bytes());
                }
            })
        });
        (written, output.0)
    }

    #[test]
    fn blocks_are_written_in_order() {
        let lines = (0..500).flat_map(|s| (0..s % 7).map(move |t| format!("({s}, a, {t})\n")));
        let expected: String = lines.collect();
        for threads in [1, 2, 3, 8] {
            let (written, bytes) = run(threads, usize::MAX, 500);
            written.unwrap();
            assert!(bytes == expected.as_bytes());
        }
    }

    #[test]
    fn an_output_that_refuses_ends_it() {
        for threads in [1, 2, 3] {
            let (written, bytes) = run(threads, 1000, 500);
            assert_eq!(written.unwrap_err().kind(), io::ErrorKind::WriteZero);
            assert_eq!(bytes.len(), 1000);
        }
    }

    #[test]
    fn a_panic_is_passed_on() {
        for threads in [1, 2, 3] {
            let result = std::panic::catch_unwind(|| run(threads, usize::MAX, 321));
            assert!(result.is_err());
        }
    }
}
