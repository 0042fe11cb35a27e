//! `vmconf matrix --results`: machines whose cases ran before, maybe on other computers.

use std::ffi::OsStr;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::str::FromStr;

use anyhow::Context;
use indexmap::IndexMap;
use vmconf::machines::has_instruction;
use vmconf::model::{CaseReport, Event};
use vmconf::report::conformance::{ConformanceMachine, ConformanceRun};
use vmconf::run::matrix::{MatrixCollector, MatrixMachine};
use vmconf::testees::EMBEDDED;
use vmconf::text::shell::ShellWords;
use vmconf::wire::report_events::read_events;

/// A report, and the name of its machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResultsArgument {
    /// `None` for the name in the report.
    name: Option<String>,
    path: String,
}

/// `NAME=FILE`, or `FILE`. A name has no slash, so that a path with `=` can be written as `./a=b`.
impl FromStr for ResultsArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<ResultsArgument, String> {
        let (name, path) = match text.split_once('=') {
            Some((name, path)) if !name.contains('/') => (Some(name.to_owned()), path),
            _ => (None, text),
        };
        if path.is_empty() || name.as_ref().is_some_and(String::is_empty) {
            return Err("expected FILE or NAME=FILE".to_owned());
        }
        Ok(ResultsArgument { name, path: path.to_owned() })
    }
}

/// What the reports of a machine hold.
#[derive(Default)]
struct MachineResults {
    runs: Vec<ConformanceRun>,
    /// Whether the last run was on a machine in another process.
    is_elsewhere: bool,
    /// The cases of the last run.
    cases: Vec<CaseReport>,
    /// What the machine did wrong outside of the cases of the last run.
    errors: Vec<String>,
}

/// Reads reports. Those of one machine are its history, the last one is the newest. Fails when one cannot be read or
/// is no report.
pub(super) fn read(
    arguments: &[ResultsArgument],
) -> anyhow::Result<(MatrixCollector, Vec<ConformanceMachine>)> {
    let mut machines: IndexMap<String, MachineResults> = IndexMap::new();
    for argument in arguments {
        let (run, cases, errors) = read_one(&argument.path)?;
        let reported = run.vm.as_ref().map_or(EMBEDDED, |vm| &vm.name);
        let name = argument.name.clone().unwrap_or_else(|| reported.to_owned());
        let machine = machines.entry(name).or_default();
        machine.is_elsewhere = run.vm.is_some();
        machine.runs.push(run);
        (machine.cases, machine.errors) = (cases, errors);
    }
    let column = |(name, results): (&String, &MachineResults)| MatrixMachine {
        name: name.clone(),
        // The command of a machine in another process is not in its report.
        flags: (!results.is_elsewhere).then(ShellWords::default),
        hides_steps: false,
    };
    // A report does not say in which folder it was made.
    let mut collector = MatrixCollector::new(machines.iter().map(column).collect(), ".".to_owned());
    let mut found = Vec::new();
    for (index, (name, results)) in machines.into_iter().enumerate() {
        results.cases.iter().for_each(|case| collector.add(index, case));
        results.errors.into_iter().for_each(|error| collector.add_broken(index, error));
        if let Some(newest) = results.runs.last() {
            collector.add_not_compared(index, &newest.not_compared);
        }
        found.push(ConformanceMachine { name, runs: results.runs });
    }
    Ok((collector, found))
}

/// What a report holds: the run, its cases, and what its machine did wrong outside of these.
fn read_one(path: &str) -> anyhow::Result<(ConformanceRun, Vec<CaseReport>, Vec<String>)> {
    let file = File::open(path).with_context(|| path.to_owned())?;
    // Pages are published: they do not say where on this computer the report is.
    let label = Path::new(path).file_name().map_or_else(|| path.into(), OsStr::to_string_lossy);
    let mut run = ConformanceRun::new(&label, has_instruction);
    let mut cases = Vec::new();
    let mut wrong = Vec::new();
    let start = read_events(path, &mut BufReader::with_capacity(1 << 16, file), &mut |event| {
        run.add(&event);
        match event {
            Event::Finished(report) => cases.push(report),
            Event::Broken { source, errors } => wrong.extend(
                errors
                    .into_iter()
                    .map(|error| if source.is_machine() { error.what } else { error.located(&source.file) }),
            ),
            _ => {}
        }
    })?;
    run.started(&start);
    Ok((run, cases, wrong))
}
