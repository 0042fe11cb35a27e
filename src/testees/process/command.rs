//! How a machine in another process is started.

use std::path::PathBuf;
use std::time::Duration;

/// How many bytes of data a process may have without a limit of its own. It does not limit its address space, of which
/// many runtimes reserve more than they use.
pub const DEFAULT_MEMORY: u64 = 4 << 30;

/// How to start a machine in another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TesteeCommand {
    /// The name that the user gave it.
    pub name: String,
    /// The program and its arguments; at least one.
    pub words: Vec<String>,
    /// Variables added to the environment.
    pub env: Vec<(String, String)>,
    /// The folder that it is started in; `None` for the working folder.
    pub folder: Option<PathBuf>,
    /// How long it may take per case.
    pub timeout: Duration,
    /// How long its first answer may take.
    pub start: Duration,
    /// The limit of its address space, in bytes; `None` to limit only its data, to [`DEFAULT_MEMORY`], where the system
    /// can do that.
    pub memory: Option<u64>,
}
