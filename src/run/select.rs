//! Selects the cases of a loaded file to run, by id, by the part of the run, or by an expression. If
//! an expression depends on the instructions that a case executes, the case is executed to evaluate it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::execute::Worker;
use super::expression::CaseInfo;
use super::judged_case::JudgedCase;
use super::last_file::LastFile;
use super::load::{LoadedCase, LoadedCases, LoadedFile, load};
use super::options::{LoadOptions, RunOptions};
use super::source::VectorSource;
use crate::formats::Format;
use crate::isa::{OpInfo, OpSet};
use crate::machines::inspect::Inspect;
use crate::machines::machine::{At, Watch};
use crate::model::{Case, CaseId, PartitionedFile, Verdict};

/// What cases are selected for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectPurpose {
    /// To look at them: a case is executed no further than the expression needs.
    Look,
    /// To run them: a case that has to be executed for the expression is executed to its end, once for both.
    Run,
}

/// Loads a file and selects its cases. Errors in the file are part of the result. If only a part of the cases runs
/// ([`RunOptions::part`]), those of the file are known once [`FileOpener::open_in_turn`] has opened it.
pub fn open<'s>(source: &VectorSource, options: &'s LoadOptions) -> LoadedFile<'s> {
    FileOpener::new(options).open(source.clone())
}

/// Opens files one after another. A file of which cases are named one after another is read once.
pub struct FileOpener<'s> {
    options: &'s LoadOptions,
    last: LastFile<'s>,
    /// Executes the cases whose instructions or causes select them, and may run those that are selected.
    pub(crate) worker: Worker<'s>,
}

impl<'s> FileOpener<'s> {
    /// An opener of files with these options.
    pub fn new(options: &'s LoadOptions) -> FileOpener<'s> {
        FileOpener { options, last: LastFile::default(), worker: Worker::new(&options.run) }
    }

    /// As [`open`].
    pub fn open(&mut self, source: VectorSource) -> LoadedFile<'s> {
        own(self.select(source, SelectPurpose::Look), self.options)
    }

    /// Like [`open`], for the file at this index of a selection. All its files must be opened, since the number of
    /// cases in one decides which part the cases of the next are in; a file that is opened too early waits.
    pub fn open_in_turn(
        &mut self,
        number: usize,
        source: VectorSource,
        purpose: SelectPurpose,
    ) -> LoadedFile<'s> {
        let turn = self.options.run.part.as_ref().map(|part| part.turn(number));
        let file = self.select(source, purpose);
        if let Some(turn) = turn {
            let partitioned = PartitionedFile { name: &file.source().shown, content: file.content() };
            turn.take(partitioned, file.ids());
        }
        own(file, self.options)
    }

    fn select(&mut self, source: VectorSource, purpose: SelectPurpose) -> LoadedFile<'s> {
        let mut file = self.last.load(Arc::new(source), self.options);
        if let Some(cases) = &mut file.cases {
            select(cases, purpose, &mut self.worker);
        }
        file
    }
}

/// A file with the cases of the part that runs.
fn own<'s>(mut file: LoadedFile<'s>, options: &LoadOptions) -> LoadedFile<'s> {
    let Some(part) = &options.run.part else { return file };
    if !part.has(&CaseId::of_file(file.source().shown.clone())) {
        file.forget_whole();
    }
    if let Some(cases) = &mut file.cases {
        cases.retain_ids(|_, id| part.has(id));
    }
    file
}

/// Like [`open`], as if the file had this text.
pub fn open_text<'s>(source: &VectorSource, text: String, options: &'s LoadOptions) -> LoadedFile<'s> {
    let mut file = load(Arc::new(source.clone()), Some(text), options);
    if let Some(cases) = &mut file.cases {
        select(cases, SelectPurpose::Look, &mut Worker::new(&options.run));
    }
    file
}

/// Keeps the cases that the run of the worker selects.
pub(crate) fn select(cases: &mut LoadedCases<'_>, purpose: SelectPurpose, worker: &mut Worker<'_>) {
    let run = worker.options();
    cases.retain_ids(|source, id| source.selects(id) && run.filter.matches(id));
    if let Some(expression) = &run.expression {
        // An expression selects among the cases of all parts.
        let purpose = if run.part.is_some() { SelectPurpose::Look } else { purpose };
        let worker = RefCell::new(worker);
        cases.retain(|case| expression.selects(&Executable { case, run, purpose, worker: &worker }));
    }
    if let Some(sample) = run.sample {
        let mut is_in = sample.of(cases.ids()).into_iter();
        cases.retain_ids(|_, _| is_in.next().unwrap_or(false));
    }
}

/// A case, with what is needed to execute it for an expression.
struct Executable<'c, 'w, 'o> {
    case: &'c LoadedCase<'c>,
    run: &'o RunOptions,
    purpose: SelectPurpose,
    worker: &'c RefCell<&'w mut Worker<'o>>,
}

impl Executable<'_, '_, '_> {
    /// What the embedded machine executes the case for: its results are not those of another machine. Another part of
    /// the expression may have executed it to its end.
    fn purpose_here(&self) -> SelectPurpose {
        let is_here = self.run.testee.vm().is_none();
        if is_here && !self.case.has_judged() { self.purpose } else { SelectPurpose::Look }
    }

    /// Executes the case to its end on the embedded machine, and keeps the result if the case runs. False if a limit or
    /// an interrupt ended it: a run that is not watched may go on.
    fn watch(&self, watch: &mut dyn Watch) -> bool {
        let purpose = self.purpose_here();
        let judged = JudgedCase::timed(|| self.worker.borrow_mut().watch(self.case, watch));
        let ended = !matches!(judged.report.verdict, Verdict::Error(_));
        if purpose == SelectPurpose::Run && ended {
            self.keep(judged);
        }
        ended
    }

    fn keep(&self, judged: JudgedCase) {
        self.case.keep_judged(self.worker.borrow().with_not_compared(self.case, judged));
    }

    /// Executes the case until the search is done. False if a limit or an interrupt ended it before.
    fn search(&self, case: &Case, search: &mut OpSearch<'_>) -> bool {
        match search.purpose {
            SelectPurpose::Look => self.worker.borrow_mut().observe(self.case, case, search),
            SelectPurpose::Run => self.watch(search),
        }
    }
}

impl CaseInfo for Executable<'_, '_, '_> {
    fn id(&self) -> &CaseId {
        &self.case.id
    }

    fn format(&self) -> &'static Format {
        self.case.format
    }

    fn vm(&self) -> Option<&str> {
        self.run.testee.vm().map(|vm| &*vm.command().name)
    }

    fn read(&self) -> Option<Case> {
        self.case.read().ok()?.case
    }

    fn executes(&self, case: &Case, sought: &OpSet) -> bool {
        let (LoadedCase { id, node, key, .. }, cache) = (self.case, &self.run.cache);
        let cache = cache.as_ref().zip(*key);
        let ops = cache.map(|_| sought.names().collect::<Vec<_>>().join(" ")).unwrap_or_default();
        if let Some(executes) = cache.and_then(|(cache, key)| cache.executes(key, *node, id, &ops)) {
            return executes;
        }
        let mut search = OpSearch { sought, is_found: false, purpose: self.purpose_here() };
        let ended = self.search(case, &mut search);
        // Where a limit or an interrupt ended the search, nothing is known of the rest of the case.
        let is_known = search.is_found || ended;
        if let Some((cache, key)) = cache.filter(|_| is_known && !self.case.files.are_requested()) {
            cache.add_executes(key, *node, &ops, search.is_found);
        }
        search.is_found
    }

    fn calls(&self, is_sought: &dyn Fn(&str) -> bool) -> bool {
        let mut called = CallWatch { is_sought, is_found: false };
        self.worker.borrow_mut().watch(self.case, &mut called);
        called.is_found
    }

    fn failures(&self) -> Vec<String> {
        let mut failing = FailureWatch::default();
        let mut worker = self.worker.borrow_mut();
        worker.watch(self.case, &mut failing);
        if failing.is_end_unseen {
            let from = failing.steps.saturating_sub(FailureWatch::LAST);
            failing = FailureWatch { from, found: failing.found, ..FailureWatch::default() };
            worker.watch(self.case, &mut failing);
        }
        failing.found.into_iter().collect()
    }

    fn causes(&self) -> Vec<String> {
        let execute = || JudgedCase::timed(|| self.worker.borrow_mut().execute(self.case));
        let judged = self.case.take_judged().unwrap_or_else(execute);
        let causes = judged.report.cause().into_iter().chain(judged.report.signature()).collect();
        if self.purpose == SelectPurpose::Run {
            self.keep(judged);
        }
        causes
    }
}

/// A watch that ends the run at the first call of an account whose address `is_sought`.
struct CallWatch<'f> {
    is_sought: &'f dyn Fn(&str) -> bool,
    is_found: bool,
}

impl Watch for CallWatch<'_> {
    fn before(&mut self, at: &At<'_>) {
        self.is_found =
            self.is_found || at.state.effects().calls.is_some_and(|address| (self.is_sought)(&address));
    }

    fn is_done(&self) -> bool {
        self.is_found
    }
}

/// A watch that records which instructions fail, and why: the last one of the run, or of a frame that its caller
/// survives. Of a long run, it sees the beginning, and in a second one the end.
#[derive(Default)]
struct FailureWatch {
    /// How many instructions run unseen; 0 in the first run.
    from: u64,
    steps: u64,
    last: Option<&'static OpInfo>,
    is_end_unseen: bool,
    found: BTreeSet<String>,
}

impl FailureWatch {
    /// How many instructions it sees in the first run.
    const FIRST: u64 = 100_000;

    /// How many instructions it sees in the second run, at least.
    const LAST: u64 = 4;

    /// Notes the last instruction if it has failed.
    fn note_failure(&mut self, state: &dyn Inspect) {
        if let Some((op, reason)) = self.last.take().zip(state.failure()) {
            self.found.insert(format!("{}, {reason}", op.name));
        }
    }
}

impl Watch for FailureWatch {
    fn before(&mut self, at: &At<'_>) {
        self.note_failure(at.state);
        self.steps += 1;
        self.last = at.op;
    }

    fn passes_over(&self) -> u64 {
        match self.from {
            0 if self.steps < FailureWatch::FIRST => 0,
            0 => u64::MAX,
            from => from.saturating_sub(self.steps),
        }
    }

    fn passed_over(&mut self, count: u64) {
        self.last = None;
        self.steps += count;
        self.is_end_unseen = self.from == 0;
    }

    fn sees(&self) -> u64 {
        if self.from == 0 { FailureWatch::FIRST.saturating_sub(self.steps) } else { u64::MAX }
    }

    fn pause(&mut self, state: &dyn Inspect) {
        self.note_failure(state);
    }
}

/// A watch that looks for the first of some instructions of the machine.
struct OpSearch<'s> {
    sought: &'s OpSet,
    is_found: bool,
    /// [`SelectPurpose::Look`] if the run ends there.
    purpose: SelectPurpose,
}

impl Watch for OpSearch<'_> {
    fn only(&self) -> Option<OpSet> {
        Some(self.sought.clone())
    }

    fn before(&mut self, at: &At<'_>) {
        self.is_found = self.is_found || at.op.is_some_and(|op| self.sought.contains(op));
    }

    fn is_done(&self) -> bool {
        self.is_found && self.purpose == SelectPurpose::Look
    }

    fn is_satisfied(&self) -> bool {
        self.is_found
    }
}
