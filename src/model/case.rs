//! What a vector file says, in one model for all formats: load this program, do these actions,
//! the machine must then look like this.

use crate::model::assertion::Assertion;
use crate::model::position::Origin;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::escape::escaped;
use super::path::Path;
use super::value::Value;

/// The name of a case, used everywhere: `path/to/file.json::name`, with `#2`, `#3` for further cases of the
/// same name in a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaseId {
    /// The file as the user named it or as it was found, with `/` between folders.
    pub file: Arc<str>,
    /// The name that the file gives the case; `None` if the id names the file as a whole.
    pub name: Option<Arc<str>>,
    /// 1 for the first case of this name in the file.
    pub nth: u32,
}

/// What the id begins with under which reports show what a machine in another process did wrong outside of cases. The
/// rest is the name of the machine.
const MACHINE: &str = "--vm ";

impl CaseId {
    /// The id of a machine in another process, for what it did wrong outside of cases.
    pub fn of_machine(name: &str) -> CaseId {
        CaseId::of_file(format!("{MACHINE}{name}").into())
    }

    /// Whether this is the id of a machine rather than of a case or file.
    pub fn is_machine(&self) -> bool {
        self.name.is_none() && self.file.starts_with(MACHINE)
    }

    /// The id of a file as a whole, for errors found before its cases can be distinguished.
    pub fn of_file(file: Arc<str>) -> CaseId {
        CaseId { file, name: None, nth: 1 }
    }

    /// The part of the id after the file; `(file)` for the file as a whole.
    pub fn in_file(&self) -> String {
        self.shown_name().unwrap_or("(file)".into()).into_owned()
    }

    fn shown_name(&self) -> Option<Cow<'_, str>> {
        let name = self.name.as_deref()?;
        let shown = if name.contains('\\') {
            escaped(&name.replace('\\', "\\\\")).into_owned().into()
        } else {
            escaped(name)
        };
        let is_numbered = self.nth > 1 || ends_like_number(name);
        Some(if is_numbered { format!("{shown}#{}", self.nth).into() } else { shown })
    }
}

/// Control characters and backslashes are escaped. A first case whose own name ends with `#` and digits is
/// written with `#1`, so that different cases of a file have different ids.
impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escaped(&self.file))?;
        self.shown_name().map_or(Ok(()), |name| write!(f, "::{name}"))
    }
}

/// The file in the id of a case, and the name of the case in it; `None` in the id of a whole file.
pub fn split_id(id: &str) -> (&str, Option<&str>) {
    id.split_once("::").map_or((id, None), |(file, name)| (file, Some(name)))
}

/// The name of the case in its file, from the name in its id: without the number that tells it from others of the name.
pub fn unnumbered(shown: &str) -> &str {
    let stem = shown.trim_end_matches(|character: char| character.is_ascii_digit());
    stem.strip_suffix('#').filter(|_| ends_like_number(shown)).unwrap_or(shown)
}

/// Whether the name ends with `#` and digits.
fn ends_like_number(name: &str) -> bool {
    let stem = name.trim_end_matches(|character: char| character.is_ascii_digit());
    stem.len() < name.len() && stem.ends_with('#')
}

/// One conformance case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The machine that it is written for, by its name in [`crate::machines`].
    pub machine: &'static str,
    /// What the machine loads.
    pub program: Program,
    /// Positions of the program data that only the machine can validate; positions of nested data are looked
    /// up in the document.
    pub places: Vec<(Path, Origin)>,
    /// Actions and the assertions that follow them, in order. All steps run on one machine.
    pub steps: Vec<Step>,
    /// The file's own label for the data that the case selects, such as `d0 is valid`, if it has one.
    pub label: Option<String>,
}

impl Case {
    /// All that its steps demand.
    pub fn demands(&self) -> impl Iterator<Item = &Assertion> {
        self.steps.iter().flat_map(Step::demands)
    }
}

/// What a machine loads: a record of code, environment, initial state and limits. Each machine documents its
/// members. Cases of one file may share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program(pub Arc<Value>);

impl From<Value> for Program {
    fn from(record: Value) -> Program {
        Program(Arc::new(record))
    }
}

/// Actions, and what must hold after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The actions, in order; empty to check the state as it is.
    pub actions: Vec<Action>,
    /// How the actions must have ended. If this differs, `assertions` are not compared: they describe a state
    /// that the machine is not in.
    pub end: Option<Assertion>,
    /// What must hold afterwards.
    pub assertions: Vec<Assertion>,
}

impl Step {
    /// All that it demands: how its actions end, and the other assertions.
    pub fn demands(&self) -> impl Iterator<Item = &Assertion> {
        self.end.iter().chain(&self.assertions)
    }
}

/// The actions on a loaded machine: the debugger's four, and those that only some formats need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Runs to the end.
    Execute,
    /// Executes at most this number of instructions.
    Run(u64),
    /// Changes the state: a record of members that the machine's documentation allows to change.
    Set(Value),
    /// Executes one instruction.
    StepInto,
    /// Executes one instruction and everything that it calls.
    StepOver,
    /// Runs until the current frame returns.
    StepOut,
}
