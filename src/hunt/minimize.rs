//! Makes a failing case small, so that a person can read it, and keeps why it fails.
//!
//! Parts of the file are removed, instructions of its programs, and values become simpler, as long as what is left is
//! a valid file whose one case fails for the same reason. Each accepted text is shorter than the one before, or of the
//! same length and earlier in the order of texts, so the search ends; it removes large parts first, as delta debugging
//! does (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002).
//!
//! What the vector demanded before does not apply to a changed program. If the case fails on a machine in another
//! process, the embedded machine says what to demand; if it fails on the embedded machine, the first difference must
//! stay as it is, and everything else is demanded as the machine does it.

mod addresses;
mod broken_rules;
mod ends;
mod kept_failure;
mod minimizer;
mod named_instruction;
mod nodes;
pub(super) mod programs;
mod removed_parts;
mod values;

pub use self::ends::{MAX_TIMEOUTS, NotMinimized, SearchEnd};
pub use self::kept_failure::KeptFailure;
pub use self::minimizer::MinimizeOptions;
use self::minimizer::Minimizer;
pub(super) use self::named_instruction::{diverging_instruction, named_instruction};
use crate::model::CaseReport;
use crate::run::sources::VectorSource;
use crate::run::{FileOptions, LoadOptions, LoadedFile, RunOptions};
use crate::testees::MakeTestee;

/// A case that was made small.
#[derive(Debug)]
pub struct MinimizedCase {
    /// The text of a file with this one case.
    pub text: String,
    /// How the case fails.
    pub report: CaseReport,
    /// The size of the file that had the case.
    pub before: CaseSize,
    /// The size of `text`.
    pub after: CaseSize,
    /// How many changes were tried.
    pub tries: usize,
    /// Why the search ended.
    pub end: SearchEnd,
}

/// The size of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaseSize {
    /// Its lines.
    pub lines: usize,
    /// Its bytes.
    pub bytes: usize,
}

impl CaseSize {
    fn of(text: &str) -> CaseSize {
        CaseSize { lines: text.lines().count(), bytes: text.len() }
    }
}

/// The options with which all texts are read and run: those of the file, without selections, caches and lists of
/// known failures.
pub fn options_of(options: &LoadOptions, source: &VectorSource, testee: MakeTestee) -> LoadOptions {
    let file = FileOptions { known_failures: None, ..options.for_file(source).clone() };
    let run = RunOptions {
        testee,
        interrupt: options.run.interrupt.clone(),
        flaky: options.run.flaky,
        ..RunOptions::default()
    };
    LoadOptions { run, file, overrides: Vec::new() }
}

/// Makes a case small. `subject` has the machine on which it fails; `reference` the embedded machine, which says what
/// to demand, or `None` if the case fails on that. Both are made by [`options_of`]. Fails if the case does not fail,
/// or cannot be taken out of its file.
///
/// # Panics
///
/// If the file has no such case.
pub fn minimize(
    (loaded, case): (&LoadedFile<'_>, usize),
    source: &VectorSource,
    subject: &LoadOptions,
    reference: Option<&LoadOptions>,
    options: MinimizeOptions<'_>,
) -> Result<MinimizedCase, NotMinimized> {
    let before = CaseSize::of(loaded.text());
    let mut minimizer = Minimizer::new((loaded, case), source, subject, reference, options)?;
    search(&mut minimizer);
    let report = minimizer.report();
    let text = minimizer.file.text().to_owned();
    let after = CaseSize::of(&text);
    let end = minimizer.cut.unwrap_or(SearchEnd::Minimal);
    Ok(MinimizedCase { text, report, before, after, tries: minimizer.tries, end })
}

fn search(minimizer: &mut Minimizer<'_>) {
    programs::shorten_long(minimizer);
    loop {
        let before = minimizer.file.text().to_owned();
        removed_parts::remove(minimizer);
        programs::shorten(minimizer);
        addresses::lower(minimizer);
        values::simplify(minimizer);
        if minimizer.cut.is_some() || minimizer.file.text() == before {
            return;
        }
    }
}
