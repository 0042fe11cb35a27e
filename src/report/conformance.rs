//! What the runs of a machine show about it: the content of the pages and statements of `vmconf matrix`.

use std::collections::BTreeSet;

use indexmap::IndexMap;

pub use super::ran_suites::UnlikeSuites;
use super::ran_suites::{self, RanFiles};
use crate::model::{
    CaseReport, Event, FieldNotCompared, KnownListing, NotPassed, UsedVm, VectorsVersion, Verdict, counted,
};
use crate::wire::matrix::MatrixCell;
use crate::wire::report::ReportStart;

/// How many cases of a deviation are named.
const NAMED: usize = 5;

/// The most deviations, and reasons for missing support, that are kept.
const MAX_KEPT: usize = 1000;

/// The categories of results: their names, and the words in the id of a case that put it there. The first that has
/// one applies. They are those of a conformance statement on N3 (appendix B.2).
pub(super) const CATEGORIES: &[(&str, &str)] = &[
    ("reference counting", "refs refcount reference references"),
    ("limits", "limit limits"),
    (
        "exceptions",
        "exception exceptions try catch finally endtry endfinally throw abort abortmsg assert assertmsg traps",
    ),
    ("interoperability", "interop interoperability syscall syscalls callt host interface"),
    ("types", "type types convert istype isnull"),
    (
        "instructions",
        "opcode opcodes instruction instructions arithmetic bitwise logic push stack slot slots splice control \
         flow compound arrays memory storage hash crypto",
    ),
];

/// The index of the category of instructions.
const INSTRUCTIONS_CATEGORY: usize = CATEGORIES.len() - 1;

/// The name of the category of cases that no other one has.
const OTHER: &str = "other";

/// A machine and its runs.
pub struct ConformanceMachine {
    /// Its name.
    pub name: String,
    /// Its runs, the last one is the newest.
    pub runs: Vec<ConformanceRun>,
}

/// Whether the machine with the first name has an instruction with the second one, as its table spells it.
pub type HasInstruction = fn(&str, &str) -> bool;

/// A run on a machine, reduced to what statements need.
pub struct ConformanceRun {
    /// The name of the report.
    pub label: String,
    /// The version of vmconf.
    pub vmconf: String,
    /// The system that the cases ran on, as `linux x86_64`; `None` if the report does not say so.
    pub system: Option<String>,
    /// What selects among the cases of the files; none if all of them ran.
    pub only: Vec<String>,
    /// The machine in another process; `None` for embedded machines.
    pub vm: Option<UsedVm>,
    /// The machines and formats that the cases are for.
    pub(super) machines: BTreeSet<String>,
    pub(super) formats: BTreeSet<String>,
    /// The counts of all cases.
    pub(super) total: MatrixCell,
    /// The counts of each category, in the order of [`CATEGORIES`], the last for other cases.
    categories: Vec<MatrixCell>,
    has_instruction: HasInstruction,
    /// The vectors.
    pub(super) files: RanFiles,
    /// In which ways cases do not pass, with the reasons that lists of known failures give.
    pub(super) deviations: IndexMap<ConformanceDeviation, DeviatingCases>,
    /// Why cases are unsupported, and how many.
    pub(super) unsupported: IndexMap<String, u64>,
    /// The assertions that were left out of the comparison.
    pub not_compared: Vec<FieldNotCompared>,
    /// What the machine did wrong outside of cases.
    pub(super) misconduct: Vec<String>,
    /// Whether the run ended early.
    pub(super) is_interrupted: bool,
    /// Whether the machine did not start, so that no case ran.
    pub(super) is_not_started: bool,
    /// The number of cases whose deviations are not kept, since there are too many.
    pub(super) deviating_further: u64,
    /// The number of unsupported cases whose reasons are not kept, since there are too many.
    pub(super) unsupported_further: u64,
}

/// A way in which cases do not pass.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct ConformanceDeviation {
    /// What is wrong: `evm gas: other value`.
    pub(super) cause: String,
    /// The reason and the link of the list of known failures; `None` if the failure is not expected.
    pub(super) known: Option<(String, Option<String>)>,
}

#[derive(Default)]
pub(super) struct DeviatingCases {
    pub(super) count: u64,
    /// The ids of the first ones.
    pub(super) first: Vec<String>,
}

impl ConformanceMachine {
    /// The newest run.
    pub(super) fn last(&self) -> Option<&ConformanceRun> {
        self.runs.last()
    }

    /// What selects among the cases of the files of the newest run, for people; `None` if all of them ran.
    pub fn only(&self) -> Option<String> {
        let only = &self.last()?.only;
        (!only.is_empty()).then(|| format!("only the cases of {}", only.join(" ")))
    }

    /// Whether the newest run ended early.
    pub fn is_interrupted(&self) -> bool {
        self.last().is_some_and(|run| run.is_interrupted)
    }

    /// How many cases the newest run skipped.
    pub fn skipped(&self) -> u64 {
        self.last().map_or(0, |run| run.total.skipped)
    }

    /// The folders of which earlier runs have cases, and the newest one has none.
    pub fn left_out(&self) -> BTreeSet<&str> {
        let Some((last, earlier)) = self.runs.split_last() else { return BTreeSet::new() };
        let newest = last.files.folders();
        earlier.iter().flat_map(|run| run.files.folders()).filter(|it| !newest.contains(it)).collect()
    }

    /// The name and release of the implementation.
    pub(super) fn release(&self) -> String {
        self.last().map_or_else(String::new, ConformanceRun::release)
    }
}

/// The suites of which machines ran different vectors in their newest runs; `suite` names the suite of a file.
pub fn unlike_suites(machines: &[ConformanceMachine], suite: &dyn Fn(&str) -> String) -> Vec<UnlikeSuites> {
    let last = machines.iter().filter_map(|machine| Some((&*machine.name, &machine.last()?.files)));
    ran_suites::unlike_suites(last, suite)
}

impl ConformanceRun {
    /// An empty run of this program; `label` names it for people.
    pub fn new(label: &str, has_instruction: HasInstruction) -> ConformanceRun {
        ConformanceRun {
            label: label.to_owned(),
            vmconf: env!("CARGO_PKG_VERSION").to_owned(),
            system: None,
            only: Vec::new(),
            vm: None,
            machines: BTreeSet::new(),
            formats: BTreeSet::new(),
            total: MatrixCell::default(),
            categories: vec![MatrixCell::default(); CATEGORIES.len() + 1],
            has_instruction,
            files: RanFiles::default(),
            deviations: IndexMap::new(),
            unsupported: IndexMap::new(),
            not_compared: Vec::new(),
            misconduct: Vec::new(),
            is_interrupted: false,
            is_not_started: false,
            deviating_further: 0,
            unsupported_further: 0,
        }
    }

    /// The machine does not start.
    pub fn does_not_start(&mut self, why: &str) {
        self.is_not_started = true;
        self.misconduct.push(why.to_owned());
    }

    /// Sets what only the first line of its report says.
    pub fn started(&mut self, start: &ReportStart) {
        self.vmconf.clone_from(&start.vmconf);
        self.system.clone_from(&start.system);
        self.only.clone_from(&start.only);
        self.set_versions(start.versions.iter().cloned());
        if let Some(when) = &start.when {
            self.label = format!("{} ({when})", self.label);
        }
    }

    /// Sets the versions of the vectors.
    pub fn set_versions(&mut self, versions: impl IntoIterator<Item = VectorsVersion>) {
        self.files.set_versions(versions);
    }

    /// Adds an event of the run.
    pub fn add(&mut self, event: &Event) {
        match event {
            Event::Finished(report) => self.case(report),
            Event::NotCompared(fields) => self.not_compared.clone_from(fields),
            Event::Ended(summary) => self.is_interrupted = summary.interrupted,
            Event::Started { vm, .. } => self.vm.clone_from(vm),
            Event::Broken { source, errors } if source.is_machine() => {
                self.misconduct.extend(errors.iter().map(|error| error.what.clone()));
            }
            // What is broken otherwise is a list of known failures.
            Event::Broken { .. }
            | Event::Note { .. }
            | Event::FileDone
            | Event::Explained(_)
            | Event::Suspects(_) => {}
        }
    }

    fn case(&mut self, report: &CaseReport) {
        let CaseReport { id, format, machine, verdict, .. } = report;
        self.machines.extend(machine.as_ref().map(ToString::to_string));
        self.formats.extend(format.as_ref().map(ToString::to_string));
        let shown = id.to_string();
        let kind = verdict.kind();
        self.total.count(kind);
        let machine = machine.as_deref().unwrap_or_default();
        self.categories[category(&shown, |word| (self.has_instruction)(machine, word))].count(kind);
        self.files.add(report);
        match verdict {
            Verdict::Pass | Verdict::Fixed(_) | Verdict::Skip(_) => {}
            Verdict::Unsupported(reason) => self.not_supported(reason),
            Verdict::Known(not_passed, listing) => {
                // A case in the list is still unsupported.
                if let NotPassed::Unsupported(reason) = not_passed {
                    self.not_supported(reason);
                }
                self.deviation(report, shown, Some(listing));
            }
            Verdict::Fail(_)
            | Verdict::Error(_)
            | Verdict::Crash(_)
            | Verdict::Timeout(_)
            | Verdict::Flaky(_) => self.deviation(report, shown, None),
        }
    }

    fn not_supported(&mut self, reason: &str) {
        if self.unsupported.len() < MAX_KEPT || self.unsupported.contains_key(reason) {
            *self.unsupported.entry(reason.to_owned()).or_default() += 1;
        } else {
            self.unsupported_further += 1;
        }
    }

    fn deviation(&mut self, report: &CaseReport, id: String, listing: Option<&KnownListing>) {
        let cause = report.unlisted_cause();
        let cause = cause.unwrap_or_else(|| report.verdict.name().to_owned());
        let known = listing.map(|listing| (listing.reason.clone(), listing.link.clone()));
        let deviation = ConformanceDeviation { cause, known };
        if self.deviations.len() < MAX_KEPT || self.deviations.contains_key(&deviation) {
            let cases = self.deviations.entry(deviation).or_default();
            cases.count += 1;
            if cases.first.len() < NAMED {
                cases.first.push(id);
            }
        } else {
            self.deviating_further += 1;
        }
    }

    /// The name and release of the implementation.
    pub(super) fn release(&self) -> String {
        match &self.vm {
            _ if self.is_not_started => "not known: the machine does not start".to_owned(),
            Some(vm) => format!("{} {}", vm.implementation, vm.release),
            None => format!("vmconf {}", self.vmconf),
        }
    }

    /// The language that the implementation is written in.
    pub(super) fn language(&self) -> &str {
        match &self.vm {
            Some(vm) => vm.language.as_deref().unwrap_or("not said by the machine"),
            None => "Rust",
        }
    }

    /// What the machine says that it does beyond the specification.
    pub(super) fn extensions(&self) -> &[String] {
        self.vm.as_ref().map_or(&[], |vm| &vm.extensions)
    }

    /// The categories that have cases, and their counts.
    pub(super) fn categories(&self) -> impl Iterator<Item = (&'static str, &MatrixCell)> {
        let names = CATEGORIES.iter().map(|(name, _)| *name).chain([OTHER]);
        names.zip(&self.categories).filter(|(_, cell)| cell.cases() > 0)
    }

    /// The categories without a case, as `types, limits`; empty if each has some.
    pub(super) fn untested(&self) -> String {
        let empty = CATEGORIES.iter().zip(&self.categories).filter(|(_, cell)| cell.cases() == 0);
        empty.map(|((name, _), _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// Deviations that are expected first, then those of most cases.
    pub(super) fn ordered_deviations(&self) -> Vec<(&ConformanceDeviation, &DeviatingCases)> {
        let mut all: Vec<_> = self.deviations.iter().collect();
        all.sort_by_key(|(deviation, cases)| (deviation.known.is_none(), std::cmp::Reverse(cases.count)));
        all
    }
}

/// The index of the category of a case: the first that has a word of its id, or else that of instructions if the id
/// names an instruction.
fn category(id: &str, is_instruction: impl Fn(&str) -> bool) -> usize {
    let lower = id.to_ascii_lowercase();
    let words: Vec<_> = lower.split(|character: char| !character.is_ascii_alphanumeric()).collect();
    let fits = |(_, of): &(&str, &str)| of.split(' ').any(|word| words.contains(&word));
    let by_word = CATEGORIES.iter().position(fits);
    let mnemonics = || id.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    let by_mnemonic = || mnemonics().any(is_instruction).then_some(INSTRUCTIONS_CATEGORY);
    by_word.or_else(by_mnemonic).unwrap_or(CATEGORIES.len())
}

/// How many of the cases pass: `1561 of 3249`. Skipped cases do not count.
pub(super) fn share(cell: &MatrixCell) -> String {
    format!("{} of {}", cell.passed, cell.cases() - cell.skipped)
}

/// The counts besides those that pass: `3 failed, 1685 unsupported`; empty if there are none.
pub(super) fn rest(cell: &MatrixCell) -> String {
    let rest = cell.counts().into_iter().skip(1).filter(|(count, _)| *count > 0);
    rest.map(|(count, name)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

/// `1 case`, `5 cases`.
pub(super) fn cases(count: u64) -> String {
    counted(count, "case")
}

#[cfg(test)]
mod tests {
    use super::{CATEGORIES, category};

    #[test]
    fn categories_by_the_words_of_an_id() {
        for (id, expected) in [
            ("opcodes/Arithmetic/ADD.json::add", "instructions"),
            ("opcodes/Arithmetic/MAX.json::max", "instructions"),
            ("opcodes/Control/TRY_CATCH.json::x", "exceptions"),
            ("opcodes/Types/CONVERT.json::x", "types"),
            ("vectors/neo3/refs/array.json::a", "reference counting"),
            ("vectors/neo3/limits/stack.json::a", "limits"),
            ("vectors/neo3/syscalls/a.json::a", "interoperability"),
        ] {
            assert_eq!(CATEGORIES[category(id, |_| false)].0, expected, "{id}");
        }
        assert_eq!(category("Others/Debugger.json::retry", |_| false), CATEGORIES.len());
        let of_table = |id| category(id, |word| matches!(word, "JMP_L" | "THROW"));
        assert_eq!(CATEGORIES[of_table("tables/distances.json::JMP_L by 126")].0, "instructions");
        assert_eq!(CATEGORIES[of_table("tables/distances.json::THROW with 3")].0, "exceptions");
        assert_eq!(of_table("tables/distances.json::jmp_l by 126"), CATEGORIES.len());
    }
}
