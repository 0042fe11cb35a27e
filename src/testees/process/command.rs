//! How a machine in another process is started.

use std::path::PathBuf;
use std::time::Duration;

/// How to start a machine in another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
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
    /// The limit of its address space, in bytes; `None` to set no limit.
    pub memory: Option<u64>,
}
