//! Executes the cases of a run again on the embedded machines, to know which instructions explain its failures: what
//! they execute there is what the vectors demand, whichever machine fails.

mod chance;
pub(crate) mod common_state;
mod common_words;
mod conditions;
mod evidence;
mod judged;
mod spectrum_run;
mod stored_spectra;
mod texts;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use self::common_words::{CaseWords, CommonParts, NamedCases, located_by_names};
use self::conditions::{CasesByName, MAX_COMPARED};
use self::evidence::Thoroughness;
pub use self::evidence::made_by;
use self::judged::JudgedCases;
use self::spectrum_run::FollowedExtent;
pub use self::spectrum_run::SpectrumRun;
use self::stored_spectra::ExecutedCase;
pub use self::stored_spectra::SpectrumCache;
use self::texts::{MAX_WORDS, has_texts};
use super::suspects::{
    CountedPasses, FailureEvidence, NumberShift, SpectrumCase, SpectrumOutcome, SpectrumPoints, joined,
    locate,
};
use crate::explain::circumstances;
use crate::model::{CaseOutcome, SuspectAnalysis, VerdictKind, lock};
use crate::run::sources::{Sources, VectorSource};
use crate::run::{self, CaseVerdicts, FileOpener, LoadOptions, LoadedFile, Worker};
use crate::testees::Testee;

/// The most failing cases that are explained, the shortest ones.
const MAX_CASES_WITH_EVIDENCE: usize = 200;

/// The most further failing cases of which only the start and a number that differs are looked at.
const MAX_GLANCED: usize = 2_000;

/// The most instructions that these may have together: to explain a case takes much longer than to run it.
const MAX_INSTRUCTIONS_WITH_EVIDENCE: u64 = 50_000;

/// The cases of a run, by machine.
#[derive(Default)]
struct Spectra {
    /// Those that the embedded machine executes, with what they execute.
    executed: BTreeMap<&'static str, MachineSpectrum>,
    /// Those of machines whose instructions are unknown.
    named: BTreeMap<&'static str, NamedCases>,
}

/// The cases of an embedded machine, with what they execute.
#[derive(Default)]
struct MachineSpectrum {
    points: SpectrumPoints<'static>,
    cases: Vec<SpectrumCase>,
}

/// The cases of a file.
#[derive(Default)]
struct FileSpectrum {
    executed: Vec<(String, SpectrumOutcome, ExecutedCase)>,
    named: BTreeMap<&'static str, NamedCases>,
}

impl Spectra {
    fn add(&mut self, file: FileSpectrum) {
        for (id, outcome, executed) in file.executed {
            let ExecutedCase { machine, length, executes, .. } = executed;
            let spectrum = self.executed.entry(machine).or_default();
            let executes = spectrum.points.numbers(executes);
            let evidence = FailureEvidence::default();
            spectrum.cases.push(SpectrumCase { id, outcome, length, executes, evidence });
        }
        for (machine, cases) in file.named {
            self.named.entry(machine).or_default().append(cases);
        }
    }

    /// Explains the shortest failing cases of a machine in another process.
    fn add_evidence(&mut self, sources: &Sources, options: &LoadOptions, verdicts: &CaseVerdicts) {
        if options.run.testee.vm().is_none() {
            return;
        }
        let cases = self.executed.values_mut().flat_map(|spectrum| &mut spectrum.cases);
        let fails = |case: &&mut SpectrumCase| case.outcome == SpectrumOutcome::FailsOnlyElsewhere;
        let mut cases: Vec<_> = cases.filter(fails).collect();
        cases.sort_by(|one, other| (one.length, &one.id).cmp(&(other.length, &other.id)));
        let mut instructions = 0;
        let is_within = |case: &&&mut SpectrumCase| {
            instructions += case.length;
            instructions <= MAX_INSTRUCTIONS_WITH_EVIDENCE
        };
        let explained = cases.iter().take(MAX_CASES_WITH_EVIDENCE).take_while(is_within).count();
        let (explained, others) = cases.split_at_mut(explained);
        let add = |cases: &mut [&mut SpectrumCase], how| {
            let wanted = cases.iter().map(|case| &*case.id).collect();
            let mut found = evidence::of_cases(sources, options, &wanted, verdicts, how);
            for case in cases {
                case.evidence = found.remove(&case.id).unwrap_or_default();
            }
        };
        add(explained, Thoroughness::Explained);
        // If no instruction explains most of these cases, it may be the same with the others.
        let mut shifts: BTreeMap<&NumberShift, usize> = BTreeMap::new();
        for shift in explained.iter().filter_map(|case| case.evidence.shift.as_ref()) {
            *shifts.entry(shift).or_default() += 1;
        }
        let loaded_wrongly = explained.iter().filter(|case| case.evidence.is_loaded_wrongly).count();
        let alike = shifts.into_values().max().unwrap_or(0).max(loaded_wrongly);
        if 2 * alike > explained.len() {
            let glanced = others.len().min(MAX_GLANCED);
            add(&mut others[..glanced], Thoroughness::Glanced);
        }
    }

    /// Brings the cases, which arrive in the order that threads decide, into one order: sums of fractions depend on it.
    fn sort(&mut self) {
        for MachineSpectrum { cases, .. } in self.executed.values_mut() {
            cases.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        }
        self.named.values_mut().for_each(NamedCases::sort);
    }
}

/// Finds the instructions that explain the failures of a run of these files. Cases that `kept` knows are not executed.
pub fn analyse(
    sources: &Sources,
    options: &LoadOptions,
    kept: Option<&SpectrumCache>,
    verdicts: &CaseVerdicts,
) -> SuspectAnalysis {
    let common = &CommonParts::of_ids(verdicts.failing());
    let mut spectra = Spectrometer { options, kept, verdicts, common }.spectra(sources);
    // Cases of other machines say nothing.
    spectra
        .executed
        .retain(|_, machine| machine.cases.iter().any(|case| case.outcome != SpectrumOutcome::Passes));
    spectra.add_evidence(sources, options, verdicts);
    let executed = spectra.executed.iter();
    let executed = executed.map(|(machine, MachineSpectrum { points, cases })| {
        locate(machine, points, cases, &CountedPasses::default())
    });
    let named = spectra.named.iter().filter_map(|(machine, cases)| {
        let judged = JudgedCases { machine, sources, options, verdicts };
        let Some((common, cases)) = with_texts(judged, cases) else {
            return located(judged, common, cases);
        };
        located(judged, &common, &cases)
    });
    joined(executed.chain(named))
}

/// Explains the failures of a machine whose instructions are unknown.
fn located(judged: JudgedCases<'_>, common: &CommonParts, cases: &NamedCases) -> Option<SuspectAnalysis> {
    let mut analysis = located_by_names(judged.machine, common, cases)?;
    CasesByName { judged, cases, common }.add_conditions(&mut analysis);
    Some(analysis)
}

/// The cases with the words of the texts that they give to the machine, and what failing ones have in common then.
/// `None` if nothing fails, if the machine takes no texts, or if the cases or the words are too many.
fn with_texts(judged: JudgedCases<'_>, cases: &NamedCases) -> Option<(CommonParts, NamedCases)> {
    if cases.failing.is_empty() || cases.count() > MAX_COMPARED || !judged.info().is_some_and(has_texts) {
        return None;
    }
    let (mut failing, mut passing, mut words) = (Vec::new(), Vec::new(), 0);
    judged.for_each(|found| {
        if words <= MAX_WORDS {
            let case = found.words();
            words += case.given.len();
            match found.outcome {
                CaseOutcome::Passes => passing.push(case),
                CaseOutcome::Fails => failing.push(case),
            }
        }
    });
    if words > MAX_WORDS {
        return None;
    }
    let common = CommonParts::of(failing.iter().map(|case| (&*case.id, &*case.given)));
    let mut cases = NamedCases::default();
    for case in failing {
        cases.add(&common, case, CaseOutcome::Fails);
    }
    for case in passing {
        cases.add(&common, case, CaseOutcome::Passes);
    }
    cases.sort();
    Some((common, cases))
}

/// What is needed to find out what the cases of a run execute.
struct Spectrometer<'r> {
    options: &'r LoadOptions,
    kept: Option<&'r SpectrumCache>,
    verdicts: &'r CaseVerdicts,
    common: &'r CommonParts,
}

impl Spectrometer<'_> {
    /// Executes the cases on as many threads as the run.
    fn spectra(&self, sources: &Sources) -> Spectra {
        let files: Vec<VectorSource> = sources.iter().collect();
        let (next, spectra) = (AtomicUsize::new(0), Mutex::new(Spectra::default()));
        let work = || {
            let mut opener = FileOpener::new(self.options);
            while let Some(source) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let of_file = self.of_file(&mut opener, source);
                let mut spectra = lock(&spectra);
                spectra.add(of_file);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.options.run.jobs {
                scope.spawn(work);
            }
            work();
        });
        let mut spectra = spectra.into_inner().unwrap_or_else(PoisonError::into_inner);
        spectra.sort();
        spectra
    }

    fn of_file(&self, opener: &mut FileOpener<'_>, source: &VectorSource) -> FileSpectrum {
        let run = &self.options.run;
        let mut spectra = FileSpectrum::default();
        if run.interrupt.is_requested() {
            return spectra;
        }
        let file = opener.open(source.clone());
        let is_named = run::is_elsewhere(&file);
        let kept = self.kept.filter(|_| !is_named).zip(file.content_key(run));
        for index in 0..file.cases() {
            let Some(loaded) = file.case(index) else { continue };
            let id = loaded.id.to_string();
            let Some(outcome) = self.verdicts.of(&id).and_then(VerdictKind::outcome) else { continue };
            if is_named {
                let cases = spectra.named.entry(loaded.format.machine).or_default();
                cases.add(self.common, CaseWords::of_id(id), outcome);
                continue;
            }
            let extent = match outcome {
                CaseOutcome::Passes => FollowedExtent::Beginning,
                CaseOutcome::Fails => FollowedExtent::Whole,
            };
            let known = kept.as_ref().and_then(|(kept, key)| kept.look_up(key, loaded.node, extent));
            let Some(executed) = known.or_else(|| {
                let (executed, is_self_contained) = executed(&mut opener.worker, &file, index, extent)?;
                if let Some((kept, key)) = kept.as_ref().filter(|_| is_self_contained) {
                    kept.add(key, loaded.node, &executed);
                }
                Some(executed)
            }) else {
                continue;
            };
            let outcome = match (outcome, run.testee.vm().is_some(), executed.passes) {
                (CaseOutcome::Passes, ..) => SpectrumOutcome::Passes,
                (CaseOutcome::Fails, true, true) => SpectrumOutcome::FailsOnlyElsewhere,
                (CaseOutcome::Fails, true, false) => SpectrumOutcome::FailsEverywhere,
                (CaseOutcome::Fails, false, _) => SpectrumOutcome::Fails,
            };
            spectra.executed.push((id, outcome, executed));
        }
        spectra
    }
}

/// Executes a case, and says whether only its file determines what it does.
fn executed(
    worker: &mut Worker<'_>,
    file: &LoadedFile<'_>,
    index: usize,
    extent: FollowedExtent,
) -> Option<(ExecutedCase, bool)> {
    let info = file.options().families.machine(file.case(index)?.format.machine)?;
    let mut spectrum = SpectrumRun::new(info.isa, extent);
    let watched = worker.watch_case(file, index, &mut spectrum);
    let case = watched.case?;
    if worker.options().interrupt.is_requested() {
        return None;
    }
    let counted = worker.watched_machine().and_then(Testee::instructions).unwrap_or(0);
    let mut executes = spectrum.conditions();
    executes.extend(circumstances::of_transaction(&case));
    let executed = ExecutedCase {
        machine: case.machine,
        extent: (!spectrum.is_short()).then_some(extent),
        passes: watched.report.verdict.unlisted_kind() == VerdictKind::Pass,
        length: spectrum.steps().max(counted),
        executes,
    };
    Some((executed, watched.is_self_contained))
}
