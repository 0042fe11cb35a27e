//! The smallest text so far, and what is tried to make it smaller.

use std::time::Instant;

use super::broken_rules::BrokenRules;
use super::ends::{MAX_TIMEOUTS, NotMinimized, SearchEnd};
use super::kept_failure::{FailureToKeep, KeptDifference, KeptFailure, demands_of_fields};
use super::nodes::{self, reading};
use crate::explain::explain;
use crate::machines::MachineInfo;
use crate::model::{Case, CaseReport, Verdict, VerdictKind};
use crate::run::bless::{BlessOptions, OutcomeChange, bless_loaded};
use crate::run::sources::VectorSource;
use crate::run::{LoadOptions, LoadedFile, Worker, machine_of, open_text};
use crate::text::edit::{TextChange, apply};
use crate::text::json::JsonNode;

/// How to make a case small.
#[derive(Clone, Copy)]
pub struct MinimizeOptions<'k> {
    /// What the case keeps.
    pub keep: KeptFailure,
    /// How many changes are tried at most.
    pub max_tries: usize,
    /// How many bytes the changed texts have together at most: trying a long one takes as long as trying many short
    /// ones.
    pub max_bytes: usize,
    /// When to end earlier; `None` for never.
    pub deadline: Option<Instant>,
    /// What must be true of the smaller case besides; `None` for nothing.
    pub keeps: Option<&'k dyn Fn(&Case) -> bool>,
}

/// A machine and the options with which it runs.
struct Judge<'o> {
    options: &'o LoadOptions,
    worker: Worker<'o>,
}

impl<'o> Judge<'o> {
    fn new(options: &'o LoadOptions) -> Judge<'o> {
        Judge { options, worker: Worker::new(&options.run) }
    }
}

/// A search for a smaller case.
pub(super) struct Minimizer<'o> {
    source: VectorSource,
    subject: Judge<'o>,
    reference: Option<Judge<'o>>,
    options: MinimizeOptions<'o>,
    /// What every accepted text keeps.
    kept: FailureToKeep,
    pub(super) machine: Option<&'static MachineInfo>,
    /// The smallest text so far.
    pub(super) file: LoadedFile<'o>,
    /// The data in it that may become simpler, by their indices. Reading it anew for each change takes as long as
    /// running it.
    pub(super) inputs: Vec<u32>,
    /// The rules that the first text breaks.
    broken: BrokenRules,
    pub(super) tries: usize,
    /// The bytes of all texts that were tried.
    bytes: usize,
    /// In how many of them the machine took too long.
    timeouts: usize,
    /// What ended the search early; `None` if nothing did so far.
    pub(super) cut: Option<SearchEnd>,
    /// Whether all demands, and all differences from them, stay as they are: the file has no place for what the only
    /// machine does, or that machine names no instruction, so that another state may be demanded wrongly.
    keeps_demands: bool,
}

impl<'o> Minimizer<'o> {
    pub(super) fn new(
        (loaded, case): (&LoadedFile<'_>, usize),
        source: &VectorSource,
        subject: &'o LoadOptions,
        reference: Option<&'o LoadOptions>,
        options: MinimizeOptions<'o>,
    ) -> Result<Minimizer<'o>, NotMinimized> {
        let source = VectorSource { only: None, ..source.clone() };
        let node = loaded.case(case).expect("a case that was counted").node;
        let whole = open_text(&source, loaded.text().to_owned(), subject);
        let alone = open_text(&source, without_others(&whole, node), subject);
        if alone.cases() != 1 {
            return Err(NotMinimized::NotSeparable);
        }
        let (mut subject, reference) = (Judge::new(subject), reference.map(Judge::new));
        let kept = FailureToKeep::of(&mut subject.worker, &alone)?;
        let broken = BrokenRules::of(&alone);
        let mut minimizer = Minimizer {
            source,
            subject,
            reference,
            options,
            kept,
            machine: machine_of(&alone, 0),
            file: alone,
            inputs: Vec::new(),
            broken,
            tries: 0,
            bytes: 0,
            timeouts: 0,
            cut: None,
            keeps_demands: false,
        };
        minimizer.begin()?;
        Ok(minimizer)
    }

    /// Accepts the first file, with expectations that fit its program. Without a reference, its demands stay if it
    /// fails alike only with them. Fails if it does not fail alike.
    fn begin(&mut self) -> Result<(), NotMinimized> {
        let is_alone = self.reference.is_none() && !self.kept.ends_early();
        self.keeps_demands = is_alone && !self.kept.given.is_empty();
        let text = self.file.text().to_owned();
        let mut file = self.failing_alike(text.clone());
        if file.is_none() && is_alone {
            self.keeps_demands = true;
            file = self.failing_alike(text.clone());
        }
        let Some(file) = file else { return Err(self.why_not(text)) };
        self.accept(file);
        Ok(())
    }

    /// The file with this text, with expectations that fit its program; `None` if it does not fail as the first one
    /// did.
    fn failing_alike(&mut self, text: String) -> Option<LoadedFile<'o>> {
        let file = self.demanding(text)?;
        let file = self.checked(file).file;
        self.fails_alike(&file).then_some(file)
    }

    /// Why the case with this text, which has not changed, does not fail again as the first time.
    fn why_not(&mut self, text: String) -> NotMinimized {
        let unchanged = open_text(&self.source, text.clone(), self.subject.options);
        if !self.fails_alike(&unchanged) {
            return NotMinimized::NotRepeated;
        }
        let judged = self.reference.as_mut().map(|judge| judge.worker.run_case(&unchanged, 0).verdict);
        match judged.as_ref().and_then(why_not_ended) {
            Some(why) => NotMinimized::NoReference(why),
            None if self.demanding(text).is_some() => NotMinimized::WrongVector,
            None => NotMinimized::NotWritten,
        }
    }

    fn accept(&mut self, file: LoadedFile<'o>) {
        self.inputs = nodes::inputs(&file);
        self.file = file;
    }

    /// The datum at this place among those that may become simpler.
    pub(super) fn input(&self, at: usize) -> Option<JsonNode<'_>> {
        let document = nodes::document(&self.file)?;
        Some(JsonNode::at_index(document, *self.inputs.get(at)?))
    }

    /// Whether the search is to end early: it was interrupted, the time is up, or the machine took too long too often.
    /// Loops ask between attempts, too: there may be many data of which nothing is tried.
    pub(super) fn is_stopped(&mut self) -> bool {
        if self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.cut = Some(SearchEnd::Deadline);
        } else if self.timeouts >= MAX_TIMEOUTS {
            self.cut = Some(SearchEnd::Timeouts);
        } else if self.subject.options.run.interrupt.is_requested() {
            self.cut = Some(SearchEnd::Interrupt);
        }
        self.cut.is_some()
    }

    /// How the case of the smallest text fails.
    pub(super) fn report(&mut self) -> CaseReport {
        self.subject.worker.run_case(&self.file, 0)
    }

    /// Accepts a text if it is smaller and fails for the same reason.
    pub(super) fn attempt(&mut self, text: String) -> bool {
        if self.is_stopped() {
            return false;
        }
        if self.tries >= self.options.max_tries || self.bytes >= self.options.max_bytes {
            let is_many = self.tries >= self.options.max_tries;
            self.cut = Some(if is_many { SearchEnd::Tries } else { SearchEnd::Bytes });
            return false;
        }
        self.tries += 1;
        self.bytes += text.len();
        let Some(file) = self.demanding(text) else { return false };
        let (old, new) = (self.file.text(), file.text());
        if (new.len(), new) >= (old.len(), old) {
            return false;
        }
        let CheckedFile { file, is_allowed } = self.checked(file);
        let accepted = is_allowed && self.fails_alike(&file);
        if accepted {
            self.accept(file);
        }
        accepted
    }

    /// The file, if need be without empty lists: a run that ends in another way leaves some empty that its vector may
    /// not have.
    fn checked(&mut self, file: LoadedFile<'o>) -> CheckedFile<'o> {
        if BrokenRules::of(&file).are_all_in(&self.broken) {
            return CheckedFile { file, is_allowed: true };
        }
        let shorter = nodes::without_empty_lists(&file).and_then(|text| self.demanding(text));
        match shorter.filter(|shorter| BrokenRules::of(shorter).are_all_in(&self.broken)) {
            Some(file) => CheckedFile { file, is_allowed: true },
            None => CheckedFile { file, is_allowed: false },
        }
    }

    /// The file with this text, with expectations that fit its program; `None` if it is not valid.
    fn demanding(&mut self, text: String) -> Option<LoadedFile<'o>> {
        let file = open_text(&self.source, text, self.subject.options);
        if !self.is_valid(&file) {
            return None;
        }
        // If the only machine that can run the case does not run it to its end, nothing is demanded.
        let is_alone = self.reference.is_none();
        let demands_nothing = is_alone && self.kept.ends_early();
        let judge = self.reference.as_mut().unwrap_or(&mut self.subject);
        let report = judge.worker.run_case(&file, 0);
        if report.verdict == Verdict::Pass || demands_nothing || self.keeps_demands {
            return Some(file);
        }
        let kept = self.kept.differences.first().filter(|_| is_alone);
        let except = kept.map(|kept| {
            let is_kept = |difference: &KeptDifference| difference.is_alike(kept);
            KeptDifference::all(&report).find(is_kept).map_or_else(|| kept.datum(), |found| found.datum())
        });
        let wanted = BlessOptions { outcome_change: OutcomeChange::Allow, except, ..BlessOptions::default() };
        let blessed = bless_loaded(&mut judge.worker, &self.source, file, judge.options, &wanted);
        if !blessed.refused.is_empty() || !blessed.broken.is_empty() {
            return None;
        }
        let file = open_text(&self.source, blessed.with(&blessed.changes), self.subject.options);
        self.is_valid(&file).then_some(file)
    }

    fn is_valid(&self, file: &LoadedFile<'_>) -> bool {
        file.format_name() == self.file.format_name()
            && file.cases() == 1
            && file.errors().is_empty()
            && file.ids().eq(self.file.ids())
            && reading(file).is_some_and(|case| self.keeps(&case))
    }

    /// Whether a case has what the options keep. One of a family gives the members that it gave: a machine may not be
    /// able to do without one.
    fn keeps(&self, case: &Case) -> bool {
        let has_members = || {
            let given = case.program.0.members().unwrap_or_default();
            self.kept.given.iter().all(|name| given.iter().any(|member| member.0 == *name))
        };
        let has_demands = || {
            let fields: Vec<_> = demands_of_fields(case).collect();
            self.kept.demands.iter().all(|(at, expected)| fields.contains(&(at, expected)))
        };
        has_members()
            && (!self.keeps_demands || has_demands())
            && self.options.keeps.is_none_or(|keeps| keeps(case))
    }

    /// Whether the case of this file fails as the first one did.
    fn fails_alike(&mut self, file: &LoadedFile<'_>) -> bool {
        let worker = &mut self.subject.worker;
        let report = worker.run_case(file, 0);
        self.timeouts += usize::from(report.verdict.kind() == VerdictKind::Timeout);
        if report.verdict.kind() != self.kept.kind {
            return false;
        }
        if self.reference.is_none() {
            let most = if self.keeps_demands { usize::MAX } else { 1 };
            let kept = self.kept.differences.iter().take(most);
            let found: Vec<_> = KeptDifference::all(&report).take(most).collect();
            let is_kept = |(found, kept): (&KeptDifference, &KeptDifference)| found.is_alike(kept);
            if found.len() != kept.len() || !found.iter().zip(kept).all(is_kept) {
                return false;
            }
        }
        if self.options.keep == KeptFailure::Verdict {
            return true;
        }
        // The same instruction can be blamed for another failure, such as what it leaves when it cannot be executed.
        let signature = report.signature().unwrap_or_default();
        self.kept.is_alike(&signature, self.options.keep)
            && (self.kept.named.is_none()
                || self.kept.is_named(&explain(worker, file, 0, 0), self.options.keep))
    }
}

/// A file, and whether it breaks no other rules than the first one.
struct CheckedFile<'o> {
    file: LoadedFile<'o>,
    is_allowed: bool,
}

/// Why the embedded machine does not say what to demand, as far as its verdict tells.
fn why_not_ended(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Error(diagnostics) => diagnostics.first().map(|diagnostic| diagnostic.what.clone()),
        Verdict::Skip(why) | Verdict::Unsupported(why) => Some(why.clone()),
        Verdict::Crash(breakdown) | Verdict::Timeout(breakdown) => Some(breakdown.clause()),
        Verdict::Pass | Verdict::Fail(_) | Verdict::Known(..) | Verdict::Fixed(_) | Verdict::Flaky(_) => None,
    }
}

/// The text of a file without all cases but the one at a node.
fn without_others(file: &LoadedFile<'_>, node: u32) -> String {
    let Some(first) = file.case(0) else { return file.text().to_owned() };
    let document = first.document;
    let path_of = |node: u32| document.around(JsonNode::at_index(document, node).at());
    let own = path_of(node);
    let others = (0..file.cases()).filter_map(|index| file.case(index)).filter(|case| case.node != node);
    let removed = others.filter_map(|other| {
        let path = path_of(other.node);
        let shared = path.iter().zip(&own).take_while(|(other, own)| other == own).count();
        TextChange::remove(*path.get(shared.checked_sub(1)?)?, *path.get(shared)?)
    });
    apply(document, &removed.collect::<Vec<_>>())
}
