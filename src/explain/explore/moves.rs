//! Going somewhere else in the run: to writes, executions, the ends of frames, and what is searched.

use std::ops::ControlFlow;

use super::list::{self, LastWrites};
use super::state::StateLine;
use super::{Explorer, ExplorerMode, OpenedAssertion, Pane};
use crate::explain::recording::{
    Direction, FoundMoment, FoundPlace, FoundWrite, KeepGoing, Sought, WriteCondition,
};

impl Explorer {
    pub(super) fn list_writes(&mut self, keep_going: KeepGoing<'_>) {
        let Some(datum) = self.asked_datum() else { return };
        let mut writes = LastWrites::default();
        let found = self.recording.writes_of(&datum, 0, keep_going, &mut |write| {
            writes.add(write);
            ControlFlow::Continue(())
        });
        if found == FoundMoment::Cancelled {
            "stopped".clone_into(&mut self.message);
        } else if writes.count == 0 {
            self.message = format!("{}: no write", datum.id);
        } else {
            self.mode = ExplorerMode::List(writes.list(&datum, self.recording.now().step()));
        }
    }

    pub(super) fn go_to_change(&mut self, condition: &WriteCondition, keep_going: KeepGoing<'_>) {
        let Some(datum) = self.asked_datum() else { return };
        let mut line = String::new();
        let from = self.recording.now().step();
        let found = self.recording.writes_of(&datum, from, keep_going, &mut |write| {
            if !condition.holds(&write) {
                return ControlFlow::Continue(());
            }
            line = list::write_line(&write);
            ControlFlow::Break(())
        });
        self.found(found, true, &format!("{}: no such write after", datum.id));
        if let FoundMoment::At(_) = found {
            self.message = format!("step {line}");
        }
    }

    pub(super) fn go_to_depth(&mut self, depth: usize, keep_going: KeepGoing<'_>) {
        let found = self.recording.go_to_depth(depth, keep_going);
        if found == FoundMoment::Cancelled {
            "stopped".clone_into(&mut self.message);
        }
        self.go_to(self.recording.now());
    }

    pub(super) fn go_to_write(&mut self, direction: Direction, keep_going: KeepGoing<'_>) {
        let asked = if direction == Direction::Back { self.asked_assertion() } else { None };
        let asked = asked.map(|assertion| (assertion.at.to_string(), assertion.cause));
        let Some(datum) = self.datum.clone() else {
            match asked {
                Some((at, Some(step))) => self.go_to_cause(&at, step),
                Some((at, None)) => self.message = format!("{at}: no instruction wrote it"),
                None => drop(self.asked_datum()),
            }
            return;
        };
        let found = self.recording.write_of(&datum, direction, keep_going);
        match (found, asked) {
            (FoundWrite::Nothing, Some((at, Some(step)))) => self.go_to_cause(&at, step),
            (FoundWrite::Instruction(step), _) => {
                self.go_to_step(if direction == Direction::Forward { step } else { step - 1 });
            }
            (FoundWrite::Vector(step), _) => {
                self.go_to_step(step);
                self.message = format!("{}: the vector sets it here, after step {step}", datum.id);
            }
            (FoundWrite::Nothing, _) => {
                let place = if direction == Direction::Back { "before" } else { "after" };
                self.message = format!("{}: no write {place}", datum.id);
            }
            (FoundWrite::Cancelled, _) => "stopped".clone_into(&mut self.message),
        }
    }

    /// The shown assertion, if its datum is selected in the state in which it fails.
    fn asked_assertion(&self) -> Option<&OpenedAssertion> {
        let assertion = self.assertions.get(self.shown_assertion)?;
        let rows = self.state.iter().filter_map(StateLine::row);
        let rows: Vec<_> = rows.collect();
        let row = assertion.row(self.recording.machine().inspect(), rows.iter().copied());
        let is_selected = row.map(|row| &rows[row].1.id) == self.datum.as_ref().map(|datum| &datum.id);
        (is_selected && self.recording.now() == self.failing_state()).then_some(assertion)
    }

    /// Goes to the state before an instruction that decided a datum.
    fn go_to_cause(&mut self, at: &str, step: u64) {
        self.go_to_step(step - 1);
        self.message = format!("{at}: this instruction decided it");
    }

    pub(super) fn go_to_execution(&mut self, direction: Direction, keep_going: KeepGoing<'_>) {
        let Some(pc) = self.code.lines.get(self.selected_code).map(|placed| placed.line.pc) else { return };
        // At the end of a run, the machine may have no code unit; the pane still shows that of the last instruction.
        let unit = self.code.unit.unwrap_or_else(|| self.recording.machine().unit());
        let found = self.recording.execution_of(pc, unit, direction, keep_going);
        self.found(found, false, "it is not executed there");
    }

    /// Goes to the next or previous place that is sought, and selects the row that has it there.
    pub(super) fn search(&mut self, direction: Direction, keep_going: KeepGoing<'_>) {
        let Some(sought) = self.sought.clone() else {
            "/ and \\ say what is sought".clone_into(&mut self.message);
            return;
        };
        match self.recording.search_for(&sought, direction, keep_going) {
            FoundPlace::Instruction(step) => self.go_to_step(step - 1),
            FoundPlace::Row(step, datum) => {
                (self.pane, self.datum) = (Pane::State, Some(datum));
                self.go_to_step(step);
            }
            FoundPlace::Nothing => {
                let what = match sought {
                    Sought::Instruction(_) => "no such instruction is executed",
                    Sought::Value(_) => "no datum gets this value",
                    Sought::Text(_) => "no row gets this text",
                };
                let place = if direction == Direction::Back { "before this; N" } else { "after this; P" };
                let other = if direction == Direction::Back { "forward" } else { "back" };
                self.message = format!("{what} {place} searches {other}");
            }
            FoundPlace::Cancelled => "stopped".clone_into(&mut self.message),
        }
    }

    /// Goes to an instruction that was found, to the state before or after it.
    fn found(&mut self, found: FoundMoment, is_after: bool, nothing: &str) {
        match found {
            FoundMoment::At(step) => self.go_to_step(if is_after { step } else { step - 1 }),
            FoundMoment::Nothing => nothing.clone_into(&mut self.message),
            FoundMoment::Cancelled => "stopped".clone_into(&mut self.message),
        }
    }
}
