//! How far threads get ahead of the files that are reported.

use std::collections::VecDeque;

use crate::run::load::LoadedFile;

/// How many files per thread may be started before the first of them is reported: they and their results stay in
/// memory until then.
const MAX_FILES_AHEAD: usize = 16;

/// The same while the texts of these files take at most [`MAX_BYTES_AHEAD`] bytes per thread, so that a slow case does
/// not leave the other threads without work.
pub(super) const MAX_SMALL_FILES_AHEAD: usize = 256;
const MAX_BYTES_AHEAD: usize = 2 << 20;

/// No other file is started while those that are not reported yet have this many cases per thread.
const MAX_CASES_AHEAD: usize = 2048;

/// The files that are begun and not reported yet.
#[derive(Default)]
pub(super) struct UnreportedFiles {
    /// How many files are reported.
    reported: usize,
    /// The size of each file, 0 until it is loaded.
    sizes: VecDeque<FileSize>,
    /// Their sum.
    sum: FileSize,
}

#[derive(Clone, Copy, Default)]
pub(super) struct FileSize {
    bytes: usize,
    cases: usize,
}

impl FileSize {
    pub(super) fn of(file: &LoadedFile<'_>) -> FileSize {
        FileSize { bytes: file.bytes(), cases: file.cases() }
    }
}

impl UnreportedFiles {
    /// Whether this number of threads may begin another one.
    pub(super) fn has_room(&self, threads: usize) -> bool {
        self.is_within(1, threads)
    }

    /// Whether threads that wait for room go on: waking them for each file costs more than running small ones.
    pub(super) fn is_half_empty(&self, threads: usize) -> bool {
        self.is_within(2, threads)
    }

    /// Whether the files are within the limits of this number of threads, each divided by `parts`.
    fn is_within(&self, parts: usize, threads: usize) -> bool {
        let (files, FileSize { bytes, cases }) = (self.sizes.len(), self.sum);
        let limit = |of_thread: usize| of_thread * threads / parts;
        let are_small = files < limit(MAX_SMALL_FILES_AHEAD) && bytes < limit(MAX_BYTES_AHEAD);
        (files < limit(MAX_FILES_AHEAD) || are_small) && cases < limit(MAX_CASES_AHEAD)
    }

    /// Begins another one, and returns its number.
    pub(super) fn add(&mut self) -> usize {
        self.sizes.push_back(FileSize::default());
        self.reported + self.sizes.len() - 1
    }

    pub(super) fn load(&mut self, number: usize, size: FileSize) {
        self.sizes[number - self.reported] = size;
        self.sum.bytes += size.bytes;
        self.sum.cases += size.cases;
    }

    /// The first one is reported.
    pub(super) fn report(&mut self) {
        let size = self.sizes.pop_front().unwrap_or_default();
        self.sum.bytes -= size.bytes;
        self.sum.cases -= size.cases;
        self.reported += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many files of a size as there is room for, with two threads.
    fn filled(size: FileSize) -> UnreportedFiles {
        let mut files = UnreportedFiles::default();
        while files.has_room(2) {
            let number = files.add();
            files.load(number, size);
        }
        files
    }

    #[test]
    fn files_wait_for_those_before_them_by_number_size_and_cases() {
        let count = |bytes, cases| filled(FileSize { bytes, cases }).sizes.len();
        assert_eq!(count(1000, 1), 2 * MAX_SMALL_FILES_AHEAD);
        assert_eq!(count(100_000, 1), (2 * MAX_BYTES_AHEAD).div_ceil(100_000));
        assert_eq!(count(MAX_BYTES_AHEAD, 1), 2 * MAX_FILES_AHEAD);
        assert_eq!(count(1000, 100), (2 * MAX_CASES_AHEAD).div_ceil(100));
        assert_eq!(count(MAX_BYTES_AHEAD, 1_000_000), 1);
    }

    /// Otherwise threads that wait for room would wait forever.
    #[test]
    fn there_is_room_again_once_files_are_reported() {
        for (bytes, cases) in [(1000, 1), (MAX_BYTES_AHEAD, 1), (1000, 100), (1000, 1_000_000)] {
            let mut files = filled(FileSize { bytes, cases });
            assert!(!files.is_half_empty(2), "{bytes} bytes, {cases} cases");
            while !files.is_half_empty(2) {
                files.report();
            }
            assert!(files.has_room(2), "{bytes} bytes, {cases} cases");
        }
    }
}
