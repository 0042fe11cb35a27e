//! What is known of every run of another machine.

use std::cell::RefCell;
use std::rc::Rc;

use super::state::PlayedState;
use crate::wire::eip3155::Eip3155Step;

/// A run of which only states are known.
pub trait PlayedRun {
    /// How many instructions it has.
    fn steps(&self) -> u64;

    /// The instruction after the first `step` ones, and what is known before it; `None` at the end, or if it is not
    /// known.
    fn instruction(&mut self, step: u64) -> Option<Eip3155Step>;

    /// The state after the first `step` instructions. If it is not known, the result says why.
    fn state(&mut self, step: u64) -> PlayedState;

    /// How it ends, in a line for people.
    fn ended(&self) -> String;
}

/// A run, and everything that shows it.
pub type SharedRun = Rc<RefCell<dyn PlayedRun>>;
