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
mod nodes;
mod parts;
pub(super) mod programs;
mod values;

use std::mem;
use std::time::Instant;

use crate::explain::explain;
use crate::formats::{FormatOptions, Strictness};
use crate::machines::{self, MachineInfo};
use crate::model::assertion::Expected;
use crate::model::case::Case;
use crate::model::case_report::CaseReport;
use crate::model::explanation::{BlameAnswer, Explanation};
use crate::model::name::Name;
use crate::model::path::Path;
use crate::model::value::Value;
use crate::model::verdict::{CaseDifference, Verdict, VerdictKind};
use crate::run::bless::{BlessOptions, OutcomeChange, bless_loaded};
use crate::run::sources::VectorSource;
use crate::run::{FileOptions, LoadOptions, LoadedFile, RunOptions, Worker, open_text};
use crate::testees::MakeTestee;
use crate::text::edit::{TextChange, apply};
use crate::text::json::JsonNode;

/// What a smaller case keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeptFailure {
    /// The signature of the failure, and the instruction that made the first wrong value, if one is known.
    #[default]
    Cause,
    /// The instruction that made the first wrong value, and what kind of difference that is, wherever it is: on the
    /// stack of a program that fails in the end, or in the result of one that does not. Where no instruction is known,
    /// the signature.
    Instruction,
    /// The kind of verdict.
    Verdict,
}

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
    /// Whether the search ended by itself: no single change makes the case smaller.
    pub is_minimal: bool,
}

/// How often the machine may take too long while a case is made small: each time takes as long as `--timeout` says.
const MAX_TIMEOUTS: usize = 20;

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

/// Why a case cannot be made small.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotMinimized {
    /// It does not fail.
    #[error("the case does not fail, so there is nothing to keep")]
    Passes,
    /// It is broken, or the machine does not support it.
    #[error("the case did not run to a verdict; vmconf run says why")]
    NotRun,
    /// The other cases of its file cannot be removed.
    #[error("the case cannot be separated from the other cases of its file")]
    NotSeparable,
    /// With expectations of the embedded machine, it passes.
    #[error(
        "the case passes once it expects what the embedded machine does, so the vector is probably wrong"
    )]
    WrongVector,
    /// The machine does something else when it runs the case again.
    #[error("the case does not fail in the same way when it runs again")]
    NotRepeated,
}

/// The options with which all texts are read and run: those of the file, without selections, caches and lists of
/// expected failures.
pub fn options_of(options: &LoadOptions, source: &VectorSource, testee: MakeTestee) -> LoadOptions {
    let file = FileOptions { expected_failures: None, ..options.for_file(source).clone() };
    let run = RunOptions {
        testee,
        interrupt: options.run.interrupt.clone(),
        flaky: options.run.flaky,
        ..RunOptions::default()
    };
    LoadOptions { run, file, overrides: Vec::new() }
}

/// Makes a case small. `subject` has the machine on which it fails; `reference` the embedded machine, which says what
/// to demand, or `None` if the case fails on that. Both are made by [`options_of`].
///
/// # Errors
///
/// When the case does not fail, or cannot be taken out of its file.
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
    minimizer.search();
    let report = minimizer.subject.worker.run_case(&minimizer.file, 0);
    let text = minimizer.file.text().to_owned();
    let after = CaseSize::of(&text);
    let is_minimal = !minimizer.is_cut;
    Ok(MinimizedCase { text, report, before, after, tries: minimizer.tries, is_minimal })
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

struct Minimizer<'o> {
    source: VectorSource,
    subject: Judge<'o>,
    reference: Option<Judge<'o>>,
    options: MinimizeOptions<'o>,
    /// What every accepted text keeps.
    kept: FailureToKeep,
    /// The machine of the case.
    machine: Option<&'static MachineInfo>,
    /// The smallest text so far.
    file: LoadedFile<'o>,
    /// The data in it that may become simpler, by their indices. Reading it anew for each change takes as long as
    /// running it.
    inputs: Vec<u32>,
    /// How many notes a text may have, and how many rules of its format it may break.
    notes: usize,
    breaches: usize,
    tries: usize,
    /// The bytes of all texts that were tried.
    bytes: usize,
    /// In how many of them the machine took too long.
    timeouts: usize,
    /// Whether a limit ended the search.
    is_cut: bool,
    /// Whether all demands, and all differences from them, stay as they are: the file has no place for what the only
    /// machine does, or that machine names no instruction, so that another state may be demanded wrongly.
    keeps_demands: bool,
}

impl<'o> Minimizer<'o> {
    fn new(
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
        let notes = reading(&alone).map_or(0, |reading| reading.notes);
        let breaches = breaches(&alone);
        let mut minimizer = Minimizer {
            source,
            subject,
            reference,
            options,
            kept,
            machine: crate::run::machine_of(&alone, 0),
            file: alone,
            inputs: Vec::new(),
            notes,
            breaches,
            tries: 0,
            bytes: 0,
            timeouts: 0,
            is_cut: false,
            keeps_demands: false,
        };
        let is_alone = minimizer.reference.is_none() && !minimizer.kept.ends_early();
        minimizer.keeps_demands = is_alone && !minimizer.kept.given.is_empty();
        let text = minimizer.file.text().to_owned();
        let mut file = minimizer.failing_alike(text.clone());
        if file.is_none() && is_alone {
            minimizer.keeps_demands = true;
            file = minimizer.failing_alike(text.clone());
        }
        let Some(file) = file else { return Err(minimizer.why_not(text)) };
        minimizer.accept(file);
        Ok(minimizer)
    }

    /// The file with this text, with expectations that fit its program; `None` if it does not fail as the first one
    /// did.
    fn failing_alike(&mut self, text: String) -> Option<LoadedFile<'o>> {
        let file = self.demanding(text)?;
        self.fails_alike(&file).then_some(file)
    }

    /// Why the case with this text, which has not changed, does not fail again as the first time.
    fn why_not(&mut self, text: String) -> NotMinimized {
        let unchanged = open_text(&self.source, text, self.subject.options);
        if self.fails_alike(&unchanged) { NotMinimized::WrongVector } else { NotMinimized::NotRepeated }
    }

    fn search(&mut self) {
        programs::shorten_long(self);
        loop {
            let before = self.file.text().to_owned();
            parts::remove(self);
            programs::shorten(self);
            addresses::lower(self);
            values::simplify(self);
            if self.is_cut || self.file.text() == before {
                return;
            }
        }
    }

    fn accept(&mut self, file: LoadedFile<'o>) {
        self.inputs = nodes::inputs(&file);
        self.file = file;
    }

    /// The datum at this place among those that may become simpler.
    fn input(&self, at: usize) -> Option<JsonNode<'_>> {
        let document = nodes::document(&self.file)?;
        Some(JsonNode::at_index(document, *self.inputs.get(at)?))
    }

    /// Whether the search is to end early: it was interrupted, the time is up, or the machine took too long too often.
    /// Loops ask between attempts, too: there may be many data of which nothing is tried.
    fn is_stopped(&mut self) -> bool {
        let is_late = self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.is_cut |=
            is_late || self.timeouts >= MAX_TIMEOUTS || self.subject.options.run.interrupt.is_requested();
        self.is_cut
    }

    /// Accepts a text if it is smaller and fails for the same reason.
    fn attempt(&mut self, text: String) -> bool {
        if self.is_stopped() || self.tries >= self.options.max_tries || self.bytes >= self.options.max_bytes {
            self.is_cut = true;
            return false;
        }
        self.tries += 1;
        self.bytes += text.len();
        let Some(file) = self.demanding(text) else { return false };
        let (old, new) = (self.file.text(), file.text());
        let accepted = (new.len(), new) < (old.len(), old)
            && breaches(&file) <= self.breaches
            && self.fails_alike(&file);
        if accepted {
            self.accept(file);
        }
        accepted
    }

    /// The file with this text, with expectations that fit its program; `None` if it is not valid.
    fn demanding(&mut self, text: String) -> Option<LoadedFile<'o>> {
        let file = open_text(&self.source, text, self.subject.options);
        if !self.is_valid(&file) {
            return None;
        }
        let except = self.kept.differences.first().filter(|_| self.reference.is_none());
        let except = except.map(KeptDifference::datum);
        // If the only machine that can run the case does not run it to its end, nothing is demanded.
        let demands_nothing = self.reference.is_none() && self.kept.ends_early();
        let judge = self.reference.as_mut().unwrap_or(&mut self.subject);
        let report = judge.worker.run_case(&file, 0);
        if report.verdict == Verdict::Pass || demands_nothing || self.keeps_demands {
            return Some(file);
        }
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
            && reading(file).is_some_and(|read| read.notes <= self.notes && self.keeps(&read.case))
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
            if !KeptDifference::all(&report).take(most).eq(kept.cloned()) {
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
                || named_instruction(&explain(worker, file, 0, 0)) == self.kept.named)
    }
}

/// The kind of difference of a signature.
fn kind_of(signature: &str) -> Option<&str> {
    signature.rsplit_once(": ").map(|it| it.1)
}

/// What a case keeps while it becomes smaller.
struct FailureToKeep {
    kind: VerdictKind,
    signature: String,
    /// The instruction that made the first wrong value.
    named: Option<NamedInstruction>,
    /// The differences.
    differences: Vec<KeptDifference>,
    /// The members that a case of a family gives; none for others.
    given: Vec<Name>,
    /// What a case of a family demands of whole fields; none for others.
    demands: Vec<(Path, Expected)>,
}

impl FailureToKeep {
    fn of(worker: &mut Worker<'_>, file: &LoadedFile<'_>) -> Result<FailureToKeep, NotMinimized> {
        let report = worker.run_case(file, 0);
        let kind = report.verdict.kind();
        match kind {
            VerdictKind::Fail | VerdictKind::Crash | VerdictKind::Timeout => {}
            VerdictKind::Error | VerdictKind::Unsupported | VerdictKind::Skip => {
                return Err(NotMinimized::NotRun);
            }
            VerdictKind::Pass
            | VerdictKind::ExpectedFail
            | VerdictKind::UnexpectedPass
            | VerdictKind::Flaky => return Err(NotMinimized::Passes),
        }
        let differences = KeptDifference::all(&report).collect();
        let named = named_instruction(&explain(worker, file, 0, 0));
        let signature = report.signature().unwrap_or_default();
        let given = given(file);
        let case = reading(file).filter(|_| !given.is_empty()).map(|read| read.case);
        let owned = |(at, expected): (&Path, &Expected)| (at.clone(), expected.clone());
        let demands = case.iter().flat_map(demands_of_fields).map(owned).collect();
        Ok(FailureToKeep { kind, signature, named, differences, given, demands })
    }

    /// Whether a failure with this signature is the one that is kept.
    fn is_alike(&self, signature: &str, keep: KeptFailure) -> bool {
        let is_kind_enough = keep == KeptFailure::Instruction && self.named.is_some();
        self.signature == signature || is_kind_enough && kind_of(signature) == kind_of(&self.signature)
    }

    /// Whether the machine does not end the case.
    fn ends_early(&self) -> bool {
        matches!(self.kind, VerdictKind::Crash | VerdictKind::Timeout)
    }
}

/// A difference without its place in the text.
#[derive(Debug, Clone, PartialEq)]
struct KeptDifference {
    step: Option<usize>,
    at: Path,
    expected: Expected,
    actual: Option<Value>,
}

impl KeptDifference {
    /// The differences of a case that fails.
    fn all(report: &CaseReport) -> impl Iterator<Item = KeptDifference> {
        let differences = report.verdict.failure().into_iter().flat_map(|failure| &failure.differences);
        differences.map(|CaseDifference { step, at, expected, actual, .. }| KeptDifference {
            step: *step,
            at: at.clone(),
            expected: expected.clone(),
            actual: actual.clone(),
        })
    }

    fn datum(&self) -> (Option<usize>, Path) {
        (self.step, self.at.clone())
    }
}

/// The instruction that is said to be wrong: the one after which the machines first differ, if both report their steps;
/// else the first one that did what its row does not declare, or the one that made the first wrong value.
pub(super) fn named_instruction(explained: &Explanation) -> Option<NamedInstruction> {
    let deviating = || explained.row_deviation.as_ref()?.by.op;
    let executed = diverging_instruction(explained).or_else(deviating);
    let blamed = || {
        explained.blames.iter().find_map(|answer| {
            Some(NamedInstruction { op: answer.blame()?.by.op?, answer: Some(mem::discriminant(answer)) })
        })
    };
    executed.map(|op| NamedInstruction { op, answer: None }).or_else(blamed)
}

/// The instruction that is said to be wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NamedInstruction {
    pub(super) op: &'static str,
    /// How it is known: one that wrote the value is another cause than one that could have. `None` if the instruction
    /// itself went wrong.
    answer: Option<mem::Discriminant<BlameAnswer>>,
}

/// The instruction after which the machines first differ, if both report their steps. Where what follows is another
/// instruction at the same place, the machines do not execute the same program, and none is to blame before.
pub(super) fn diverging_instruction(explained: &Explanation) -> Option<&'static str> {
    let divergence = explained.divergence.as_ref()?;
    let differs = |name: &str| divergence.differs.iter().any(|it| it.datum == name);
    if differs("op") && !differs("pc") {
        return None;
    }
    let machine = machines::by_name(explained.report.machine.as_deref()?)?;
    machine.isa.by_name(divergence.op.as_ref()?).map(|op| op.name)
}

/// The fields of which a case demands a value as a whole, each with that.
fn demands_of_fields(case: &Case) -> impl Iterator<Item = (&Path, &Expected)> {
    let assertions = case.steps.iter().flat_map(|step| &step.assertions);
    let fields = assertions.filter(|assertion| assertion.at.parent().is_none());
    fields.filter(|it| matches!(it.expected, Expected::Is(_))).map(|it| (&it.at, &it.expected))
}

/// The names of the members that the only case of a file of a family gives.
fn given(file: &LoadedFile<'_>) -> Vec<Name> {
    let is_family = file.case(0).is_some_and(|case| case.family().is_some());
    let read = reading(file).filter(|_| is_family);
    let members =
        read.map_or_else(Vec::new, |read| read.case.program.0.members().unwrap_or_default().to_vec());
    members.into_iter().map(|member| member.0).collect()
}

/// A case that was read.
struct NotedCase {
    case: Case,
    /// How many notes there are about it.
    notes: usize,
}

/// How many rules of its format a file breaks: those that `vmconf check` reports, and that its case demands something.
fn breaches(file: &LoadedFile<'_>) -> usize {
    let Some(case) = file.case(0) else { return 0 };
    let thorough = FormatOptions { strictness: Strictness::Thorough, ..FormatOptions::default() };
    let node = case.root();
    let in_case = case.format.read_case(node, thorough).diagnostics.len();
    let demands_nothing = reading(file).is_some_and(|read| read.case.demands().next().is_none());
    in_case + case.format.read_rest(case.document, &[], thorough).len() + usize::from(demands_nothing)
}

/// The only case of a file; `None` if it is broken.
fn reading(file: &LoadedFile<'_>) -> Option<NotedCase> {
    let reading = file.case(0)?.read().ok()?;
    Some(NotedCase { case: reading.case?, notes: reading.diagnostics.len() })
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
