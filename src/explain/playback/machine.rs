//! A machine whose states are those of a run that another machine made.

use std::cell::OnceCell;

use super::run::SharedRun;
use super::state::PlayedState;
use crate::machines::account::CaseAccount;
use crate::machines::inspect::{Effects, Inspect, InspectPlayback};
use crate::machines::machine::{At, Machine};
use crate::machines::observe::Observe;
use crate::machines::status::{LoadError, Status};
use crate::machines::view::{CodeLine, Section};
use crate::model::limits::Limits;
use crate::model::{Program, Value};

/// How many instructions are listed at once.
const BLOCK: u64 = 256;

/// What is shown in place of an instruction that is not known.
const NOT_REPORTED: &str = "(not reported)";

/// How far the instructions of inner frames are indented at most.
const MAX_INDENT: u64 = 8;

/// A machine whose state after `n` instructions is the one with the number `n` of a run, whatever the instructions
/// do. Its code is what was executed, in order: the program counter of an instruction is its number.
pub struct PlayedMachine {
    run: SharedRun,
    steps: u64,
    at: u64,
    /// The state, once it was asked for.
    state: OnceCell<PlayedState>,
    account: CaseAccount,
}

impl PlayedMachine {
    /// A machine in the first state of a run.
    pub fn new(run: SharedRun) -> PlayedMachine {
        let steps = run.borrow().steps();
        PlayedMachine {
            run,
            steps,
            at: 0,
            state: OnceCell::new(),
            account: CaseAccount::new(&Limits::default()),
        }
    }

    fn state(&self) -> &PlayedState {
        self.state.get_or_init(|| self.run.borrow_mut().state(self.at))
    }

    fn go_to(&mut self, at: u64) {
        self.at = at;
        self.state = OnceCell::new();
    }

    fn line(&self, step: u64) -> CodeLine {
        let Some(next) = self.run.borrow_mut().instruction(step) else {
            return CodeLine::at(index(step), NOT_REPORTED.to_owned());
        };
        let state = PlayedState { next: Some(next), ..PlayedState::default() };
        let indent = state.number("depth").unwrap_or(1).saturating_sub(1).min(MAX_INDENT);
        let label = state.number("pc").map_or_else(|| "?".to_owned(), |pc| format!("{pc:04x}"));
        let op = state.next.map_or_else(String::new, |next| next.op);
        let text = format!("{:width$}{op}", "", width = 2 * index(indent));
        CodeLine { label, ..CodeLine::at(index(step), text) }
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl Machine for PlayedMachine {
    /// Ignores the program and starts again at the first state.
    fn load(&mut self, _: &Program) -> Result<(), LoadError> {
        self.account.reset();
        self.go_to(0);
        Ok(())
    }

    fn advance(&mut self, budget: u64) -> Status {
        let left = self.steps - self.at;
        let count = budget.min(left);
        self.account.executed(count);
        if count > 0 {
            self.go_to(self.at + count);
        }
        if self.at == self.steps && (left == 0 || count < budget) { Status::Ended } else { Status::Running }
    }

    fn account(&mut self) -> &mut CaseAccount {
        &mut self.account
    }

    fn next(&self) -> Option<At<'_>> {
        // The code of the instruction is in what the state reports.
        (self.at < self.steps).then(|| At {
            pc: index(self.at),
            op: None,
            code: 0,
            operand: &[],
            state: self,
        })
    }

    fn inspect(&self) -> &(dyn Inspect + 'static) {
        self
    }

    fn duplicate(&self) -> Option<Box<dyn Machine>> {
        Some(Box::new(PlayedMachine {
            run: self.run.clone(),
            steps: self.steps,
            at: self.at,
            state: self.state.clone(),
            account: self.account.clone(),
        }))
    }

    fn describe(&self) -> String {
        self.run.borrow().ended()
    }
}

impl Observe for PlayedMachine {
    fn has_field(&self, field: &str) -> bool {
        self.state().fields.iter().any(|known| *known.0 == *field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        self.state().fields.iter().find(|known| *known.0 == *field).map(|known| known.1.clone())
    }
}

impl Inspect for PlayedMachine {
    fn instruction(&self) -> String {
        self.run.borrow_mut().instruction(self.at).map_or_else(|| NOT_REPORTED.to_owned(), |next| next.op)
    }

    fn depth(&self) -> usize {
        self.state().number("depth").map_or(1, index)
    }

    /// What instructions of another machine read and write is not known.
    fn declared(&self, _: &dyn Fn(usize) -> bool) -> Effects {
        Effects::default()
    }

    fn sections(&self) -> Vec<Section> {
        self.state().sections()
    }

    fn unit(&self) -> usize {
        index(self.at / BLOCK)
    }

    fn function(&self) -> Option<String> {
        Some("executed, in order".to_owned())
    }

    fn listing(&self) -> Vec<CodeLine> {
        let first = self.at - self.at % BLOCK;
        (first..self.steps.min(first + BLOCK)).map(|step| self.line(step)).collect()
    }

    fn playback(&self) -> Option<&dyn InspectPlayback> {
        Some(self)
    }
}

impl InspectPlayback for PlayedMachine {
    fn lists_executions(&self) -> bool {
        true
    }

    /// They are the same if program counter and instruction are.
    fn is_same_instruction(&self, one: usize, other: usize) -> bool {
        let mut run = self.run.borrow_mut();
        let mut place = |step: usize| {
            let step = run.instruction(step as u64)?;
            let pc = step.state.iter().find(|member| member.0 == "pc").map(|member| member.1.clone());
            Some((step.op, pc))
        };
        place(one) == place(other)
    }
}
