//! Runs and records a case for the explorer.

use super::demands::{CaseDemands, Demands};
use crate::explain::playback::{PlayedMachine, SharedRun};
use crate::explain::recording::{Datum, Recording};
use crate::machines::account;
use crate::machines::inspect::Inspect;
use crate::machines::machine::Machine;
use crate::machines::status::LoadError;
use crate::machines::view::{ViewDatum, ViewRow};
use crate::model::{
    Action, Case, CaseDifference, CaseId, CaseReport, Cell, INTERRUPTED, Path, Program, Step, Verdict, brief,
    vector_step,
};
use crate::run::{self, LoadedFile, RunOptions};
use crate::testees::Stopped;

/// The maximum number of characters shown of a value in an assertion.
const MAX_LENGTH: usize = 300;

/// How many bytes a page takes while it is made, and copies of the machine.
const BYTES_OF_PAGE: u64 = 3 << 27;

/// The most failing assertions whose cause is sought, other than writes.
const MAX_CAUSES: usize = 100;

/// A failing assertion of a case.
#[derive(Debug, Clone)]
pub struct OpenedAssertion {
    /// What differs, as lines of text.
    pub text: Vec<String>,
    /// The same in a line, for a list.
    pub line: String,
    /// The path of the datum.
    pub at: Path,
    /// The number, from 1, of the case's step after which it was compared.
    pub case_step: usize,
    /// The number of the instruction that decided the datum, if there is one: see [`Recording::causes`].
    pub cause: Option<u64>,
}

impl OpenedAssertion {
    /// The index of the row that the assertion is about: the innermost one that contains its datum, or one that shows
    /// the field.
    pub fn row<'r>(
        &self,
        state: &dyn Inspect,
        rows: impl Iterator<Item = (&'r ViewRow, &'r Datum)>,
    ) -> Option<usize> {
        row_of(&self.at, &state.cells(&self.at), rows)
    }
}

/// The index of the row for a datum that these cells hold: the innermost one that contains it, or one that shows its
/// field.
pub(super) fn row_of<'r>(
    at: &Path,
    cells: &[Cell],
    rows: impl Iterator<Item = (&'r ViewRow, &'r Datum)>,
) -> Option<usize> {
    let names: Vec<_> = at.keys().iter().map(ToString::to_string).collect();
    let mut found = [None; 2];
    for (index, (row, datum)) in rows.enumerate() {
        let is_it = match &row.datum {
            Some(ViewDatum::At(path)) => at.starts_with(path),
            Some(ViewDatum::In(cell)) => cells.iter().any(|its| its.touches(cell)),
            None => false,
        };
        if is_it {
            found[0] = Some(index);
        } else if datum.cells.is_empty() && names.contains(&row.name) {
            found[1] = Some(index);
        }
    }
    found[0].or(found[1])
}

/// A case that ran, and its recording.
pub struct OpenedCase {
    /// Its id.
    pub id: CaseId,
    /// Its machine.
    pub machine: &'static str,
    /// Its run.
    pub recording: Recording,
    /// The assertions that fail, in the order of the vector.
    pub assertions: Vec<OpenedAssertion>,
    /// What the case demands.
    pub demands: Demands,
}

/// Runs a case of a loaded file, and records it. An error says why there is no run.
pub fn open(loaded: &LoadedFile<'_>, case: usize, options: &RunOptions) -> Result<OpenedCase, String> {
    let mut recorded = None;
    let report = run::run_by(loaded, case, options, |machine, case, see| {
        let recording = Recording::seen(machine, case, see).map_err(Stopped::Error)?;
        let limit = recording.stopped().map(LoadError::new);
        recorded = Some((case.machine, recording, CaseDemands::of(&case.steps)));
        limit.map_or(Ok(()), |limit| Err(Stopped::Error(limit)))
    });
    if options.interrupt.is_requested() {
        return Err(INTERRUPTED.to_owned());
    }
    let Some((machine, mut recording, demands)) = recorded else { return Err(reasons(&report)) };
    if !account::is_available(BYTES_OF_PAGE) {
        return Err(format!("{}: the system refuses the memory that showing the run takes", report.id));
    }
    let mut assertions = failing_assertions(&report);
    find_causes(&mut assertions, &mut recording);
    let demands = Demands::find(&demands, &mut recording);
    Ok(OpenedCase { id: report.id, machine, recording, assertions, demands })
}

/// The assertions of a case that fail, in the order of the vector, without their causes.
pub fn failing_assertions(report: &CaseReport) -> Vec<OpenedAssertion> {
    let differences = report.verdict.failure().map_or(&[][..], |failure| &failure.differences);
    let count = differences.len();
    let failed =
        differences.iter().enumerate().map(|(index, it)| failed(it, &report.id.file, [index + 1, count]));
    failed.collect()
}

/// Opens the run of a case that another machine made; `case` has its steps. Fails if the recording is interrupted.
pub fn open_played(
    id: CaseId,
    case: &Case,
    run: SharedRun,
    assertions: Vec<OpenedAssertion>,
) -> Result<OpenedCase, String> {
    let machine = Box::new(PlayedMachine::new(run));
    let recording = Recording::new(machine, case).map_err(|error| error.to_string())?;
    Ok(OpenedCase { id, machine: case.machine, recording, assertions, demands: Demands::default() })
}

/// A case that executes a program to its end.
pub fn whole_run(machine: &'static str, program: Program) -> Case {
    let step = Step { actions: vec![Action::Execute], end: None, assertions: Vec::new() };
    Case { machine, program, places: Vec::new(), steps: vec![step], label: None }
}

/// Records a run to the end on this machine, with the name of a file as its id. Fails if the machine rejects the
/// program.
pub fn open_machine(
    file: &str,
    name: &'static str,
    machine: Box<dyn Machine>,
    program: Program,
) -> Result<OpenedCase, String> {
    let recording = Recording::new(machine, &whole_run(name, program)).map_err(|error| error.to_string())?;
    Ok(OpenedCase {
        id: CaseId::of_file(file.into()),
        machine: name,
        recording,
        assertions: Vec::new(),
        demands: Demands::default(),
    })
}

fn reasons(report: &CaseReport) -> String {
    let reasons = match &report.verdict {
        Verdict::Error(diagnostics) => diagnostics.iter().map(|it| it.located(&report.id.file)).collect(),
        other => vec![format!("{}: {}", report.id, other.name())],
    };
    reasons.join("; ")
}

fn find_causes(assertions: &mut [OpenedAssertion], recording: &mut Recording) {
    let asked = assertions
        .iter()
        .take(MAX_CAUSES)
        .map(|assertion| (recording.end_of_case_step(assertion.case_step), assertion.at.clone()));
    let asked: Vec<_> = asked.collect();
    for (assertion, cause) in assertions.iter_mut().zip(recording.causes(&asked)) {
        assertion.cause = cause;
    }
}

/// An assertion, with its number and how many there are.
fn failed(difference: &CaseDifference, file: &str, [number, count]: [usize; 2]) -> OpenedAssertion {
    let CaseDifference { step, at, expected, actual, place, note } = difference;
    let expected = brief(expected, MAX_LENGTH);
    let actual = actual.as_ref().map_or("nothing".to_owned(), |actual| brief(actual, MAX_LENGTH));
    let note = note.as_ref().map_or(String::new(), |note| format!(" ({note})"));
    let step_and_path = format!("{}{at}", vector_step(*step));
    let of = if count > 1 { format!(" ({number} of {count})") } else { String::new() };
    let line = format!("{number}  {step_and_path}: expected {expected}, actual {actual}");
    let text = vec![
        format!("fails at {file}:{}{of}", place.position),
        format!("  {step_and_path}{note}"),
        format!("  expected {expected}"),
        format!("  actual   {actual}"),
    ];
    OpenedAssertion { text, line, at: at.clone(), case_step: step.unwrap_or(1), cause: None }
}
