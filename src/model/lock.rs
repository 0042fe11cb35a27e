//! Locks a mutex.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits for what a mutex protects, also if a thread panicked with it: the panic is reported as an error of its case,
/// and no change of the data is left half done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
