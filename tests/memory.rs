//! What hostile vectors take from the allocator in a run with a report. A binary of its own, since an allocator
//! counts for a whole process.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io;
use std::path::Path;

use peak_alloc::PeakAlloc;
use vmconf::model::limits::Limits;
use vmconf::report;
use vmconf::report::REPORTS;
use vmconf::run::anchor::Anchor;
use vmconf::run::{self, FileOptions, Options, sources};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The bytes that a run may have allocated at any moment.
const MOST: usize = 512 << 20;

/// Each vector of `tests/hostile` at the default limit on memory.
#[test]
fn hostile_vectors_stay_within_their_memory() {
    let limits = Limits { steps: 50_000_000, ..Limits::default() };
    let options = Options { file: FileOptions { limits, ..FileOptions::default() }, ..Options::default() };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let anchor = Anchor::at(root).unwrap();
    let sources = sources::find(&[root.join("tests/hostile")], &anchor).unwrap().sources;
    assert!(sources.len() > 10);
    for source in &sources {
        ALLOCATOR.reset_peak_usage();
        let mut reports: Vec<_> = REPORTS
            .iter()
            .map(|kind| (kind.new)(Box::new(io::sink()), &report::Options::default()))
            .collect();
        run::run(std::slice::from_ref(source), &options, &mut |event| {
            for report in &mut reports {
                report.event(&event).unwrap();
            }
        });
        let peak = ALLOCATOR.peak_usage();
        assert!(peak < MOST, "{}: {peak} bytes", source.shown);
    }
}
