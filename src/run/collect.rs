//! Turns judged cases into events, in the order of files and cases, and counts them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use indexmap::IndexMap;

use super::case_verdicts::CaseVerdicts;
use super::content_order::ContentOrder;
use super::judged_case::JudgedCase;
use super::known_failures::no_match;
use super::load::LoadedFile;
use super::not_compared::{self, add};
use super::options::{LoadOptions, RunOptions, UnmatchedEntries};
use super::order::NextCase;
use super::select::FileOpener;
use super::source::VectorSource;
use super::sources::Sources;
use crate::model::explanation::MAX_EXPLAINED;
use crate::model::suspects::MAX_FAILURES;
use crate::model::{
    CaseId, CaseReport, Event, Exit, ExplainedCase, Explanation, FieldNotCompared, RunSummary,
    SuspectAnalysis, VerdictKind,
};

/// Explains the case at this index of a file.
pub type Explain<'e> = &'e mut dyn FnMut(&LoadedFile<'_>, usize, &RunOptions) -> Explanation;

/// Finds the instructions that explain the failures of a run of these files.
pub type Analyse<'e> = &'e dyn Fn(&Sources, &LoadOptions, &CaseVerdicts) -> SuspectAnalysis;

/// What explains failures after all cases.
#[derive(Default)]
pub struct Explainers<'e> {
    /// Explains the first cases that fail or are broken; `None` if no report needs it.
    pub explain: Option<Explain<'e>>,
    /// Finds the instructions behind all failures; `None` if no report needs it.
    pub analyse: Option<Analyse<'e>>,
}

/// How many cases that do not pass a run may have for its failures to be analysed: the ids of all of them are kept, and
/// of one more.
const MAX_NOT_PASSED: usize = 4 * MAX_FAILURES;

/// Collects the events and counts of a run.
pub(super) struct RunCollector<'s> {
    options: &'s LoadOptions,
    explainers: Explainers<'s>,
    sink: &'s mut dyn FnMut(Event),
    summary: RunSummary,
    /// The entries of each list of known failures that match a case, by the file of the list.
    matched: BTreeMap<Arc<str>, BTreeSet<usize>>,
    /// The first cases that did not pass, if failures are analysed.
    not_passed: HashMap<String, VerdictKind>,
    /// How many cases and files failed or were broken.
    failures: usize,
    /// Assertions that were not compared.
    not_compared: Vec<FieldNotCompared>,
    contents: ContentOrder,
    /// The first cases of each of the first causes, which may be explained after all cases: the number of the
    /// case in the run, its file, its index in the file.
    explainable: IndexMap<String, Vec<(usize, Arc<VectorSource>, usize)>>,
}

impl<'s> RunCollector<'s> {
    /// A collector that has seen no case.
    pub(super) fn new(
        options: &'s LoadOptions,
        explainers: Explainers<'s>,
        sink: &'s mut dyn FnMut(Event),
    ) -> RunCollector<'s> {
        RunCollector {
            options,
            explainers,
            sink,
            summary: RunSummary::default(),
            matched: BTreeMap::new(),
            not_passed: HashMap::new(),
            failures: 0,
            not_compared: Vec::new(),
            contents: ContentOrder::default(),
            explainable: IndexMap::new(),
        }
    }

    /// Reports the start of a run with this number of files.
    pub(super) fn start(&mut self, files: usize) {
        let vm = self.options.run.testee.vm().map(|vm| vm.about());
        (self.sink)(Event::Started { files, vm });
    }

    /// The number of failures after which the remaining cases are skipped, if it is reached.
    pub(super) fn stopped_after(&self) -> Option<NonZeroUsize> {
        self.options.run.max_failures.filter(|most| self.failures >= most.get())
    }

    /// Reports what is next in the order of files and cases.
    pub(super) fn take(&mut self, next: NextCase<'_>) {
        match next {
            NextCase::File(file) => self.file(&file),
            NextCase::Case(file, index, judged) => self.case(&file, index, judged),
            NextCase::FileDone => self.file_done(),
        }
    }

    /// Reports the start of a file, with its notes and errors.
    pub(super) fn file(&mut self, file: &LoadedFile<'_>) {
        if let (Some(cache), Some(key)) = (&self.options.run.cache, file.key()) {
            cache.use_file(key);
        }
        for (diagnostic, file) in file.notes() {
            (self.sink)(Event::Note { file, diagnostic });
        }
        let Some(report) = file.broken() else { return };
        if let Some(list) = file.options().known_failures.as_ref().filter(|_| file.has_unknown_cases()) {
            self.matched.entry(list.file.clone()).or_default().extend(list.of_broken_file(&report.id.file));
        }
        if self.may_select(&report) {
            self.emit(file, JudgedCase::new(report));
        }
    }

    /// Whether the expression of the run might select cases of a broken file.
    fn may_select(&self, report: &CaseReport) -> bool {
        let cause = report.cause().unwrap_or_default();
        self.options
            .run
            .expression
            .as_ref()
            .is_none_or(|expression| expression.may_select(&report.id, &cause))
    }

    /// Reports the judged case at this index of the file.
    pub(super) fn case(&mut self, file: &LoadedFile<'_>, index: usize, judged: JudgedCase) {
        let before = self.failures;
        let cause = judged.report.cause();
        self.emit(file, judged);
        if let Some(cause) = cause.filter(|_| self.failures > before && self.explainers.explain.is_some()) {
            self.add_explainable(cause, file, index);
        }
    }

    fn add_explainable(&mut self, cause: String, file: &LoadedFile<'_>, index: usize) {
        if self.explainable.len() == MAX_EXPLAINED && !self.explainable.contains_key(&cause) {
            return;
        }
        let number = self.failures;
        let cases = self.explainable.entry(cause).or_default();
        if cases.len() < MAX_EXPLAINED {
            cases.push((number, file.source().clone(), index));
        }
    }

    fn emit(&mut self, file: &LoadedFile<'_>, judged: JudgedCase) {
        if let Some(list) = &file.options().known_failures {
            self.matched.entry(list.file.clone()).or_default().extend(list.matching(&judged.report.id));
        }
        let judged = match self.stopped_after() {
            Some(failures) => judged.skip(failures),
            None => judged,
        };
        let JudgedCase { mut report, notes, cache_update, not_compared, .. } = judged;
        add(&mut self.not_compared, not_compared);
        if let (Some(cache), Some(key), Some(update)) = (&self.options.run.cache, file.key(), cache_update) {
            cache.update(key, update);
        }
        for diagnostic in notes {
            (self.sink)(Event::Note { file: report.id.file.clone(), diagnostic });
        }
        self.contents.leave_out(&mut report);
        self.failures += usize::from(report.verdict.kind().fails_run());
        self.summary.count(&report);
        let kind = report.verdict.kind();
        if self.explainers.analyse.is_some()
            && kind != VerdictKind::Pass
            && self.not_passed.len() <= MAX_NOT_PASSED
        {
            self.not_passed.insert(report.id.to_string(), kind);
        }
        (self.sink)(Event::Finished(report));
    }

    /// Reports the end of a file.
    pub(super) fn file_done(&mut self) {
        (self.sink)(Event::FileDone);
    }

    /// Reports the end of a run that began at `start`, complete or interrupted.
    pub(super) fn end(mut self, start: Instant, sources: &Sources) -> RunSummary {
        self.report_unmatched_entries(sources);
        self.report_misconduct();
        if let Some(analyse) = self.explainers.analyse.take() {
            self.analyse(analyse, sources);
        }
        if let Some(explain) = self.explainers.explain.take() {
            self.explain_some(explain);
        }
        if let Some(event) = not_compared::event(std::mem::take(&mut self.not_compared)) {
            (self.sink)(event);
        }
        let interrupted = self.options.run.interrupt.is_requested();
        let seconds = start.elapsed().as_secs_f64();
        let mut summary = RunSummary { seconds, interrupted, ..self.summary };
        if let Some(part) = &self.options.run.part {
            let others_may_have_cases = part.is_empty() || summary.unsupported > 0;
            summary.is_empty_part = others_may_have_cases && summary.exit() == Exit::NothingRan;
        }
        (self.sink)(Event::Ended(summary));
        summary
    }

    /// Finds the instructions that explain the failures, if there are several and not too many.
    fn analyse(&mut self, analyse: Analyse<'_>, sources: &Sources) {
        let summary = &self.summary;
        let failures = summary.failing();
        let is_known =
            (2..=MAX_FAILURES as u64).contains(&failures) && self.not_passed.len() <= MAX_NOT_PASSED;
        if !is_known || self.is_interrupted() {
            return;
        }
        let verdicts = CaseVerdicts::new(std::mem::take(&mut self.not_passed), Some(VerdictKind::Pass));
        let analysis = analyse(sources, self.options, &verdicts);
        // A suspect of a single case says nothing that the case does not.
        if analysis.suspects.iter().any(|suspect| suspect.cases.len() > 1) {
            (self.sink)(Event::Suspects(Box::new(analysis)));
        }
    }

    /// Explains cases, in the order of the run.
    fn explain_some(&mut self, explain: Explain<'_>) {
        let explained = shared_out(std::mem::take(&mut self.explainable), |(number, ..)| *number);
        let mut opener = FileOpener::new(self.options);
        let mut last: Option<LoadedFile<'_>> = None;
        for (_, source, index) in &explained {
            // A user who interrupts a run does not wait for explanations, which run cases again.
            if self.is_interrupted() {
                return;
            }
            // Cases of one file follow each other.
            let file = match last.take().filter(|file| file.source() == source) {
                Some(same) => last.insert(same),
                None => last.insert(opener.open((**source).clone())),
            };
            // The file may have changed in between.
            if *index < file.cases() {
                let explanation = explain(file, *index, &self.options.run);
                (self.sink)(Event::Explained(ExplainedCase::Facts(Box::new(explanation))));
            }
        }
    }

    /// Ends the processes of the testee, and reports what they did wrong outside of cases.
    fn report_misconduct(&mut self) {
        let Some(vm) = self.options.run.testee.vm() else { return };
        // A user who interrupts a run does not wait for the processes to end by themselves.
        let misconduct = if self.is_interrupted() { vm.abandon() } else { vm.finish() };
        if let Some(error) = misconduct {
            self.summary.errors += 1;
            let source = CaseId::of_machine(&vm.command().name);
            (self.sink)(Event::Broken { source, errors: vec![error] });
        }
    }

    fn is_interrupted(&self) -> bool {
        self.options.run.interrupt.is_requested()
    }

    /// Reports entries that match no case. Those of a part may match a case of another one.
    fn report_unmatched_entries(&mut self, sources: &Sources) {
        let policy = self.options.run.unmatched_entries;
        if policy == UnmatchedEntries::Ignore || self.is_interrupted() {
            return;
        }
        let scope = (policy == UnmatchedEntries::ReportSelected).then_some(sources);
        let mut of_part = Vec::new();
        for list in self.options.known_failure_lists() {
            let matched = self.matched.remove(&list.file).unwrap_or_default();
            let unmatched = list.unmatched(&matched, scope);
            if self.options.run.part.is_some() {
                of_part.extend(unmatched);
            } else if let Some(error) = no_match(&unmatched) {
                self.summary.errors += 1;
                let source = CaseId::of_file(list.file.clone());
                (self.sink)(Event::Broken { source, errors: vec![error] });
            }
        }
        if let Some(part) = &self.options.run.part {
            part.set_unmatched(of_part);
        }
    }
}

/// The cases to explain: the first of each cause, then the second, up to the limit. `number` is the number of a
/// case in the run.
pub(super) fn shared_out<T>(causes: IndexMap<String, Vec<T>>, number: impl Fn(&T) -> usize) -> Vec<T> {
    let mut ranked: Vec<_> = causes.into_values().flat_map(|cases| cases.into_iter().enumerate()).collect();
    ranked.sort_by_key(|(rank, case)| (*rank, number(case)));
    let mut chosen: Vec<_> = ranked.into_iter().take(MAX_EXPLAINED).map(|(_, case)| case).collect();
    chosen.sort_by_key(number);
    chosen
}
