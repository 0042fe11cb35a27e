//! When a cached result is stale: what the verdicts on the cases of a file depend on.

use super::cache::FileKey;
use super::file_options::FileOptions;
use super::options::RunOptions;
use crate::formats::Format;

impl RunOptions {
    /// The key of the cached results of a file with these options.
    pub fn file_key(&self, text: &str, format: &'static Format, options: &FileOptions) -> FileKey {
        // No `..`: every new option requires a decision here whether it affects results.
        let FileOptions {
            read,
            limits,
            // The detected format is in the key.
            format: _,
            family: _,
            families: _,
            ignored,
            // Applied to a result after the lookup.
            known_failures: _,
        } = options;
        let RunOptions {
            testee,
            // These only select cases.
            filter: _,
            expression: _,
            sample: _,
            part: _,
            // These only affect what is done with results.
            unmatched_entries: _,
            max_failures: _,
            jobs: _,
            interrupt: _,
            running: _,
            cache: _,
            contents: _,
            // No flaky case is cached.
            flaky: _,
            // These only explain results.
            worlds: _,
            // Memory of documents.
            spare: _,
        } = self;
        FileKey::new(text, &(format.name, format.declaration, read, limits, ignored, testee.name()))
    }
}
