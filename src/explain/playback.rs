//! Runs of machines that are not embedded, to be explored: what a process reports of its steps, or what a file with a
//! trace says. A [`PlayedMachine`] shows them as states of a machine, so that a
//! [`Recording`](super::recording::Recording) can go through them.

mod file;
mod machine;
mod on_vm;
mod state;

use std::cell::RefCell;
use std::rc::Rc;

use crate::wire::eip3155::Eip3155Step;

pub use self::file::TraceFile;
pub use self::machine::PlayedMachine;
pub use self::on_vm::VmRun;
pub use self::state::PlayedState;

/// A run of which only states are known.
pub trait PlayedRun {
    /// How many instructions it has.
    fn steps(&self) -> u64;

    /// The instruction after the first `step` ones, and what is known before it; `None` at the end, or if it is not
    /// known.
    fn instruction(&mut self, step: u64) -> Option<Eip3155Step>;

    /// The state after the first `step` instructions. If it cannot be told, it says why.
    fn state(&mut self, step: u64) -> PlayedState;

    /// How it ends, in a line for people.
    fn ended(&self) -> String;
}

/// A run, and everything that shows it.
pub type SharedRun = Rc<RefCell<dyn PlayedRun>>;
