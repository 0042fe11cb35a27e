//! The passing cases of vector files, each with what it executes.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::explain::observed_run::{ObservedRun, RecordedDetail};
use crate::explain::observer::CoveragePoints;
use crate::machines::{self, MACHINES, MachineInfo};
use crate::model::limits::Limits;
use crate::model::{Case, Exit, Verdict};
use crate::run::compare::{compare_rest, diff};
use crate::run::sources::Sources;
use crate::run::{self, FileOptions, IgnoredField, IgnoredFields, LoadOptions, LoadedFile, Worker};
use crate::testees::Stopped;
use crate::testees::embedded::Embedded;

/// A passing case and what it executes.
pub struct SuiteCase {
    /// Its id.
    pub id: String,
    /// Its machine.
    pub machine: &'static MachineInfo,
    /// The case.
    pub case: Case,
    /// The limits of its file.
    pub limits: Limits,
    /// The fields that the user ignores.
    pub ignored: Vec<IgnoredField>,
    /// How many instructions it executes; for a long run, up to 100,000 too low.
    pub steps: u64,
    /// How many units it uses; an instruction whose cost depends on its operands counts as several.
    pub units: u64,
    /// The codes of the instructions that it executes.
    pub codes: BTreeSet<u16>,
    /// The codes of the instructions that fail.
    pub failing: BTreeSet<u16>,
    /// What it does with each instruction, if that was requested.
    pub points: CoveragePoints,
}

/// Passing cases, those with the fewest instructions first.
pub struct VectorSuite {
    /// The cases.
    pub cases: Vec<SuiteCase>,
    /// The number of cases that do not pass or cannot be read.
    pub left_out: u64,
    /// How many of those are left out since they are of families.
    pub of_families: u64,
    /// The number of broken files and cases.
    pub broken: u64,
    /// The machines of the cases that are left out since they have no instructions: those of families.
    pub families: BTreeSet<&'static str>,
}

impl VectorSuite {
    /// Reads and runs the selected cases of these files for the machines that `takes` accepts.
    pub fn read(
        sources: &Sources,
        options: &LoadOptions,
        detail: RecordedDetail,
        takes: &dyn Fn(&MachineInfo) -> bool,
    ) -> VectorSuite {
        let mut suite = VectorSuite {
            cases: Vec::new(),
            left_out: 0,
            of_families: 0,
            broken: 0,
            families: BTreeSet::new(),
        };
        let mut worker = Worker::new(&options.run);
        for source in sources {
            let file = run::open(&source, options);
            suite.broken += u64::from(file.broken().is_some());
            if run::is_elsewhere(&file) {
                suite.left_out += file.cases() as u64;
                suite.of_families += file.cases() as u64;
                suite.families.extend(file.format_name());
                continue;
            }
            for index in 0..file.cases() {
                suite.add(&file, index, &mut worker, detail, takes);
            }
        }
        // A stable sort: cases of the same length stay in the order of files and cases.
        suite.cases.sort_by_key(|case| case.steps);
        suite
    }

    /// Runs a case and adds it if it passes, for a machine that `takes` accepts.
    fn add(
        &mut self,
        file: &LoadedFile<'_>,
        index: usize,
        worker: &mut Worker<'_>,
        detail: RecordedDetail,
        takes: &dyn Fn(&MachineInfo) -> bool,
    ) {
        let (watched, observed) = ObservedRun::of(worker, file, index, detail);
        let passed = watched.case.filter(|_| watched.report.verdict == Verdict::Pass);
        let known = passed.and_then(|case| Some((machines::by_name(case.machine)?, case)));
        let Some(((machine, case), loaded)) = known.zip(file.case(index)) else {
            self.left_out += 1;
            self.broken += u64::from(matches!(watched.report.verdict, Verdict::Error(_)));
            return;
        };
        if !takes(machine) {
            return;
        }
        let FileOptions { limits, ignored, .. } = file.options().clone();
        let (id, points) = (loaded.id.to_string(), observed.points());
        let ObservedRun { steps, codes, failing, .. } = observed;
        let units = worker.watched_machine().map_or(steps, Embedded::units);
        let case = SuiteCase { id, machine, case, limits, ignored, steps, units, codes, failing, points };
        self.cases.push(case);
    }

    /// The exit code of a command that only examines the suite.
    pub fn exit(&self) -> Exit {
        match (self.broken, self.cases.len()) {
            (1.., _) => Exit::Broken,
            (0, 0) => Exit::NothingRan,
            (0, _) => Exit::Passed,
        }
    }

    /// The machines of the cases.
    pub fn machines(&self) -> impl Iterator<Item = &'static MachineInfo> {
        let has = |machine: &MachineInfo| self.cases.iter().any(|case| case.machine.name == machine.name);
        MACHINES.iter().filter(move |machine| has(machine))
    }
}

impl SuiteCase {
    /// Whether the case also passes on another machine. An error says why the run ended early.
    pub fn passes_on(&self, testee: &mut Embedded) -> Result<bool, Stopped> {
        let passes = RefCell::new(true);
        testee.watch(&self.case.program, &self.case.steps, None, &mut |index, state| {
            let step = &self.case.steps[index];
            let assertions = [step.end.as_slice(), &step.assertions];
            let ignored = IgnoredFields::new(&self.ignored, self.machine.fields);
            let holds = assertions.iter().all(|assertions| {
                compare_rest(ignored, assertions, |rest| diff(rest, state)).is_ok_and(|it| it.is_empty())
            });
            *passes.borrow_mut() &= holds;
        })?;
        Ok(passes.into_inner())
    }
}
