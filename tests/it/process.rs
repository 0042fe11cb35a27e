//! Machines in other processes: `run --vm` and `vmconf serve`.
//!
//! | file | content |
//! |---|---|
//! | `breaches.rs` | what a machine does wrong outside of cases, and what an interrupted run has finished |
//! | `command_line.rs` | `--vm` in commands, `[vm.NAME]` in `vmconf.toml` |
//! | `misbehaviours.rs` | what a run reports of each misbehaviour, and its exit code: a table; nothing is left |
//! | `hostile.rs` | a process that misbehaves: each case gets the verdict that it deserves, and nothing is left |
//! | `limits.rs` | limits of lists and of requests in flight |
//! | `page.rs` | the examples of the page on the protocol are answered as it says |
//! | `parts.rs` | partitions of a run on a machine that lacks something |
//! | `serve.rs` | own vectors and samples through `vmconf serve`: the verdicts of the embedded machines |
//! | `signals.rs` | whatever ends vmconf ends the processes |

mod breaches;
mod command_line;
mod hostile;
#[cfg(unix)]
mod limits;
mod misbehaviours;
mod page;
mod parts;
mod serve;
mod signals;

use std::sync::Arc;
use std::time::Duration;

use vmconf::model::Interrupt;
use vmconf::testees::process::{DEFAULT_START_TIMEOUT, ProcessGroups, ProcessVm, TesteeCommand};

/// A command that is started by these words.
fn command<const N: usize>(words: [&str; N]) -> TesteeCommand {
    TesteeCommand {
        name: "mine".to_owned(),
        words: words.map(str::to_owned).into(),
        env: Vec::new(),
        folder: None,
        timeout: Duration::from_mins(1),
        start: DEFAULT_START_TIMEOUT,
        memory: None,
    }
}

fn start(command: TesteeCommand) -> Result<Arc<ProcessVm>, String> {
    ProcessVm::start(command, ProcessGroups::default(), &Interrupt::default()).map(Arc::new)
}

/// The processes that have this variable in their environment, by their command lines.
fn processes_with(variable: &str) -> Vec<String> {
    let mut found = Vec::new();
    for process in std::fs::read_dir("/proc").unwrap() {
        let process = process.unwrap().path();
        let environment = std::fs::read(process.join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|it| it == variable.as_bytes()) {
            let command = std::fs::read(process.join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&command).replace('\0', " "));
        }
    }
    found
}
