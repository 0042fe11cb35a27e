//! The default number of threads and processes.

/// The number of processors, as far as it is known.
pub(super) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
