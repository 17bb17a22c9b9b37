//! An allocator that counts.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// Counting allocations is possible only in place of the global allocator, whose trait is unsafe; everything is passed
// on to the system's.
#[allow(unsafe_code, reason = "an allocator that counts must implement an unsafe trait")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of the program so far.
pub(crate) fn count() -> usize {
    COUNT.load(Ordering::Relaxed)
}
