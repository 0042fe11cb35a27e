//! Interrupts a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why there is no result, in errors.
pub const INTERRUPTED: &str = "the run was interrupted";

/// A request to end a run, which any thread can make. Cases that are running at that time end without a verdict.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Makes the request and returns whether it was made before.
    pub fn request(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether the request was made.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
