//! Executes the cases of a run again on the embedded machines, to know which instructions explain its failures: what
//! they execute there is what the vectors demand, whichever machine fails.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::observed_run::{Detail, ObservedRun};
use super::suspects::{SpectrumCase, SpectrumOutcome, joined, locate};
use crate::model::suspects::SuspectAnalysis;
use crate::model::verdict::DifferenceKind;
use crate::run::sources::{Sources, VectorSource};
use crate::run::{self, LoadOptions, LoadedFile, VerdictOf, Worker};

/// Cases with what they execute, by machine.
type Spectra = BTreeMap<&'static str, Vec<SpectrumCase>>;

/// Finds the instructions that explain the failures of a run of these files.
pub fn analyse(sources: &Sources, options: &LoadOptions, verdict: VerdictOf<'_>) -> SuspectAnalysis {
    let mut spectra = spectra(sources, options, verdict);
    // Cases of other machines say nothing.
    spectra.retain(|_, cases| cases.iter().any(|case| case.outcome != SpectrumOutcome::Passes));
    joined(spectra.iter().map(|(machine, cases)| locate(machine, cases)))
}

/// Executes the cases on as many threads as the run.
fn spectra(sources: &Sources, options: &LoadOptions, verdict: VerdictOf<'_>) -> Spectra {
    let files: Vec<VectorSource> = sources.iter().collect();
    let (next, spectra) = (AtomicUsize::new(0), Mutex::new(Spectra::new()));
    let work = || {
        let mut worker = Worker::new(&options.run);
        while let Some(source) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let file = run::open(source, options);
            for index in 0..file.cases() {
                if options.run.interrupt.is_requested() {
                    return;
                }
                let Some((machine, case)) = observed(&mut worker, &file, index, verdict) else { continue };
                let mut spectra = spectra.lock().unwrap_or_else(PoisonError::into_inner);
                spectra.entry(machine).or_default().push(case);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..options.run.jobs {
            scope.spawn(work);
        }
        work();
    });
    let mut spectra = spectra.into_inner().unwrap_or_else(PoisonError::into_inner);
    // The threads decide in which order cases arrive, and sums of fractions depend on it.
    for cases in spectra.values_mut() {
        cases.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    }
    spectra
}

/// Executes a case that passed or failed in the run.
fn observed(
    worker: &mut Worker<'_>,
    file: &LoadedFile<'_>,
    index: usize,
    verdict: VerdictOf<'_>,
) -> Option<(&'static str, SpectrumCase)> {
    let id = file.case(index)?.id.clone();
    let passes = match verdict(&id)? {
        DifferenceKind::Pass => true,
        DifferenceKind::Fail | DifferenceKind::Crash | DifferenceKind::Timeout => false,
        DifferenceKind::ExpectedFail
        | DifferenceKind::UnexpectedPass
        | DifferenceKind::Error
        | DifferenceKind::Skip
        | DifferenceKind::Unsupported
        | DifferenceKind::Flaky => return None,
    };
    let is_elsewhere = worker.options().testee.vm().is_some();
    let (watched, observed) = ObservedRun::of(worker, file, index, Detail::QuickPoints);
    let outcome = match (passes, is_elsewhere, watched.report.verdict.unlisted_kind()) {
        (true, ..) => SpectrumOutcome::Passes,
        (false, true, DifferenceKind::Pass) => SpectrumOutcome::FailsOnlyElsewhere,
        (false, true, DifferenceKind::Fail) => SpectrumOutcome::FailsEverywhere,
        (false, ..) => SpectrumOutcome::Fails,
    };
    let executes = observed.conditions();
    let case = SpectrumCase { id: id.to_string(), outcome, length: observed.steps, executes };
    Some((watched.case?.machine, case))
}
