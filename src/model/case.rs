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

/// Names a case everywhere: `path/to/file.json::name`, with `#2`, `#3` for further cases of the
/// same name in a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaseId {
    /// The file as the user named it or as it was found, with `/` between folders.
    pub file: Arc<str>,
    /// The name that the file gives the case; `None` when the id names the file as a whole.
    pub name: Option<Arc<str>>,
    /// 1 for the first case of this name in the file.
    pub nth: u32,
}

impl CaseId {
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

/// Control characters and backslashes are escaped, and a first case whose own name ends like a
/// number of a further one is written with `#1`: different cases of a file have different ids.
impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escaped(&self.file))?;
        self.shown_name().map_or(Ok(()), |name| write!(f, "::{name}"))
    }
}

/// Whether the name ends with `#` and digits.
fn ends_like_number(name: &str) -> bool {
    let stem = name.trim_end_matches(|character: char| character.is_ascii_digit());
    stem.len() < name.len() && stem.ends_with('#')
}

/// One conformance case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The machine it is written for, a name of [`crate::machines`].
    pub machine: &'static str,
    /// What the machine loads.
    pub program: Program,
    /// Positions of the program data that only the machine can validate; those of data inside are found in the document.
    pub places: Vec<(Path, Origin)>,
    /// Actions and the assertions that follow them, in order. All steps run on one machine.
    pub steps: Vec<Step>,
    /// What the file says about what the case chooses, in a few words.
    pub label: Option<String>,
}

/// What a machine loads: a record of code, environment, state before and limits. Its members
/// are documented at each machine. Cases of one file may share it.
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
    /// How the actions must have ended. When this differs, `checks` are not compared: they
    /// describe a state that the machine is not in.
    pub end: Option<Assertion>,
    /// What must hold.
    pub assertions: Vec<Assertion>,
}

/// The actions on a loaded machine: the debugger's four, and those that only some formats need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Run to the end.
    Execute,
    /// At most this number of instructions.
    Run(u64),
    /// Change the state: a record of what the machine's documentation says can be changed.
    Set(Value),
    /// One instruction.
    StepInto,
    /// One instruction, and all that it calls.
    StepOver,
    /// To the return of the current frame.
    StepOut,
}
