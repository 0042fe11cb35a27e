//! Runs of machines that are not embedded, to be explored: what a process reports of its steps, or what a file with a
//! trace says. A [`PlayedMachine`] shows them as states of a machine, so that a
//! [`Recording`](super::recording::Recording) can go through them.

mod file;
mod machine;
mod on_vm;
mod run;
mod state;

pub use self::file::TraceFile;
pub use self::machine::PlayedMachine;
pub use self::on_vm::{VmRun, hides_steps};
pub use self::run::{PlayedRun, SharedRun};
pub use self::state::PlayedState;
