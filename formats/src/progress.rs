//! How far reading has come.

use std::sync::atomic::{AtomicU64, Ordering};

/// How far reading has come. It can be watched from other threads.
#[derive(Debug, Default)]
pub struct Progress {
    consumed: AtomicU64,
    total: AtomicU64,
    text: AtomicU64,
    lines: AtomicU64,
}

impl Progress {
    /// Bytes of the file, as it is stored, that have been consumed.
    pub fn consumed(&self) -> u64 {
        self.consumed.load(Ordering::Relaxed)
    }

    /// Bytes of the file, as it is stored; none for a stream.
    pub fn total(&self) -> Option<u64> {
        match self.total.load(Ordering::Relaxed) {
            0 => None,
            n => Some(n),
        }
    }

    /// Bytes of decompressed content that have been parsed.
    pub fn text_bytes(&self) -> u64 {
        self.text.load(Ordering::Relaxed)
    }

    /// Lines that have been parsed, in formats that have lines.
    pub fn lines(&self) -> u64 {
        self.lines.load(Ordering::Relaxed)
    }

    /// Tells how many bytes the file has, as it is stored.
    pub(crate) fn announce(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Counts parsed content.
    pub(crate) fn parsed(&self, bytes: u64, lines: u64) {
        self.text.fetch_add(bytes, Ordering::Relaxed);
        self.lines.fetch_add(lines, Ordering::Relaxed);
    }

    /// Counts stored bytes.
    pub(crate) fn consume(&self, bytes: u64) {
        self.consumed.fetch_add(bytes, Ordering::Relaxed);
    }
}
