//! Telling the processor what memory will be needed.

/// Fetches the first item of a slice into the cache, if there is one.
#[inline(always)]
pub fn prefetch<T>(slice: &[T]) {
    prefetch_at(slice.as_ptr());
}

/// Fetches what is at this address into the cache.
#[inline(always)]
pub fn prefetch_at<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has SSE; a prefetch has no effect that a
        // program could see, and does nothing where there is no memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
