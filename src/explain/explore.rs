//! Steps through a run, forward and back: everything that `vmconf explore` does except reading keys and
//! writing to a terminal.
//!
//! An [`Explorer`] holds a [`Recording`] and the user's selection; [`screen`] draws it.

pub mod beside;
mod code;
mod keys;
mod list;
mod open;
pub mod page;
pub mod screen;
mod state;

use std::collections::HashSet;
use std::ops::ControlFlow;

pub use self::keys::{ExplorerCommand, ExplorerKey, KEYS, KeyRow};
pub use self::open::{
    Opened, OpenedAssertion, failing_assertions, open, open_machine, open_played, whole_run,
};
pub use self::state::{StateChange, StateLine};

use self::code::ShownCode;
use self::list::{LastWrites, ListPlace, ListReaction, PlaceList};
use self::state::{lines, values};
use super::recording::{
    Datum, Direction, FoundMoment, KeepGoing, Moment, Recording, StepWrites, WriteCondition, sections_of,
};

/// Which part of the screen the selection is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// The instructions.
    Code,
    /// The state.
    State,
}

/// How keys are interpreted.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ExplorerMode {
    /// As commands, listed in [`KEYS`].
    Commands,
    /// The help is shown; any key closes it.
    Help,
    /// In a list over the panes.
    List(PlaceList),
    /// As text, typed into a prompt.
    Typing(Prompt, String),
}

/// What is marked in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeMark {
    /// The next instruction.
    Next,
    /// The one that failed, so that there is no next one.
    Failed,
    /// The last one, if there is no next one.
    Last,
}

impl CodeMark {
    fn sign(self) -> char {
        match self {
            CodeMark::Next => '>',
            CodeMark::Failed => '!',
            CodeMark::Last => ' ',
        }
    }
}

/// The purpose of a typed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prompt {
    Step,
    Search,
    Change,
}

/// Whether the explorer keeps running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goes {
    /// It keeps running.
    On,
    /// The user ended it.
    Away,
}

/// A recorded run, and what is shown of it.
pub struct Explorer {
    recording: Recording,
    title: String,
    /// The assertions that fail, and the index of the one that is shown.
    assertions: Vec<OpenedAssertion>,
    shown_assertion: usize,
    /// The lines of the program's source; empty if it has none.
    source: Vec<String>,
    mode: ExplorerMode,
    pane: Pane,
    message: String,
    sought: String,
    code: ShownCode,
    state: Vec<StateLine>,
    /// The lines of the state that differ from those of a machine beside it.
    differing: HashSet<usize>,
    /// The program counter that is marked, and how.
    mark: Option<(usize, CodeMark)>,
    selected_code: usize,
    /// The selected line of the state, or where it was if the state does not have it.
    selected_state: usize,
    /// The selected datum; `None` for a line that is none.
    datum: Option<Datum>,
    /// The number of lines per page.
    page: usize,
}

impl Explorer {
    /// Opens at the failing assertion with its datum selected, or at the start.
    pub fn new(
        recording: Recording,
        title: String,
        assertions: Vec<OpenedAssertion>,
        source: Vec<String>,
    ) -> Explorer {
        let mut explorer = Explorer {
            recording,
            title,
            assertions,
            shown_assertion: 0,
            source,
            mode: ExplorerMode::Commands,
            pane: Pane::State,
            message: String::new(),
            sought: String::new(),
            code: ShownCode::default(),
            state: Vec::new(),
            differing: HashSet::new(),
            mark: None,
            selected_code: 0,
            selected_state: 0,
            datum: None,
            page: 10,
        };
        if explorer.assertions.is_empty() {
            explorer.go_to_step(0);
        } else {
            explorer.go_to_failure();
        }
        explorer
    }

    /// The recording.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Handles a key. `keep_going` is called during long searches.
    pub fn press(&mut self, key: ExplorerKey, keep_going: KeepGoing<'_>) -> Goes {
        match std::mem::replace(&mut self.mode, ExplorerMode::Commands) {
            ExplorerMode::Commands => match keys::command(key) {
                Some(ExplorerCommand::Quit) => return Goes::Away,
                Some(command) => self.perform(command, keep_going),
                None => "? shows the keys".clone_into(&mut self.message),
            },
            ExplorerMode::Help => {}
            ExplorerMode::List(list) => self.listed(key, list),
            ExplorerMode::Typing(prompt, text) => self.typed(key, prompt, text, keep_going),
        }
        Goes::On
    }

    fn listed(&mut self, key: ExplorerKey, mut list: PlaceList) {
        match list.press(key, self.page) {
            ListReaction::Stay => self.mode = ExplorerMode::List(list),
            ListReaction::Close => {}
            ListReaction::Go(ListPlace::Assertion(index)) => self.show_assertion(index),
            ListReaction::Go(ListPlace::Instruction(step)) => self.go_to_step(step - 1),
        }
    }

    fn typed(&mut self, key: ExplorerKey, prompt: Prompt, mut text: String, keep_going: KeepGoing<'_>) {
        match key {
            ExplorerKey::Char(character) => text.push(character),
            ExplorerKey::Backspace => drop(text.pop()),
            ExplorerKey::Enter => return self.entered(prompt, text, keep_going),
            ExplorerKey::Escape => return,
            _ => {}
        }
        self.mode = ExplorerMode::Typing(prompt, text);
    }

    fn entered(&mut self, prompt: Prompt, text: String, keep_going: KeepGoing<'_>) {
        match prompt {
            Prompt::Step => match text.parse() {
                Ok(step) => self.go_to_step(step),
                Err(_) => self.message = format!("{text:?} is not the number of a step"),
            },
            Prompt::Search => {
                self.sought = text;
                self.search(keep_going);
            }
            Prompt::Change => match WriteCondition::parse(&text) {
                Some(condition) => self.go_to_change(&condition, keep_going),
                None => self.message = format!("{text:?} is no number, and no = with a value after it"),
            },
        }
    }

    /// Performs a command.
    pub fn perform(&mut self, command: ExplorerCommand, keep_going: KeepGoing<'_>) {
        self.message.clear();
        let step = self.recording.now().step();
        match command {
            ExplorerCommand::Forward => self.go_to_step(step.saturating_add(1)),
            ExplorerCommand::Back => self.go_back(),
            ExplorerCommand::Over => self.go_to_depth(self.recording.machine().depth(), keep_going),
            ExplorerCommand::Out => {
                self.go_to_depth(self.recording.machine().depth().saturating_sub(1), keep_going);
            }
            ExplorerCommand::NextWrite => self.go_to_write(Direction::Forward, keep_going),
            ExplorerCommand::LastWrite => self.go_to_write(Direction::Back, keep_going),
            ExplorerCommand::NextExecution => self.go_to_execution(Direction::Forward, keep_going),
            ExplorerCommand::LastExecution => self.go_to_execution(Direction::Back, keep_going),
            ExplorerCommand::Failure => self.go_to_failure(),
            ExplorerCommand::Difference => {
                "no other machine is beside this one".clone_into(&mut self.message);
            }
            ExplorerCommand::NextFailure => self.go_to_other_failure(Direction::Forward),
            ExplorerCommand::LastFailure => self.go_to_other_failure(Direction::Back),
            ExplorerCommand::Failures => self.list_failures(),
            ExplorerCommand::Writes => self.list_writes(keep_going),
            ExplorerCommand::NextChange => self.mode = ExplorerMode::Typing(Prompt::Change, String::new()),
            ExplorerCommand::Start => self.go_to_step(0),
            ExplorerCommand::Finish => self.go_to_step(u64::MAX),
            ExplorerCommand::GoTo => self.mode = ExplorerMode::Typing(Prompt::Step, String::new()),
            ExplorerCommand::Search => self.mode = ExplorerMode::Typing(Prompt::Search, String::new()),
            ExplorerCommand::SearchAgain => self.search(keep_going),
            ExplorerCommand::Up => self.select(-1),
            ExplorerCommand::Down => self.select(1),
            ExplorerCommand::PageUp => self.select(-(self.page as isize)),
            ExplorerCommand::PageDown => self.select(self.page as isize),
            ExplorerCommand::OtherPane => {
                self.pane = if self.pane == Pane::Code { Pane::State } else { Pane::Code };
            }
            ExplorerCommand::Help => self.mode = ExplorerMode::Help,
            ExplorerCommand::Quit => {}
        }
    }

    /// Selects a line of a pane, counted from its first one.
    pub fn click(&mut self, pane: Pane, line: usize) {
        self.pane = pane;
        *self.selected_mut() = line;
        self.select(0);
    }

    /// The selected datum, if the state does not have it.
    pub fn gone(&self) -> Option<&Datum> {
        let datum = self.datum.as_ref()?;
        let line = self.state.get(self.selected_state).and_then(StateLine::row);
        line.is_none_or(|(_, its)| its.id != datum.id).then_some(datum)
    }

    /// Goes to the state with this number.
    pub fn go_to_step(&mut self, step: u64) {
        self.go_to(self.recording.moment(step));
    }

    /// Goes to an earlier state. It may skip the end of a stretch of instructions, if the machine is changed there.
    fn go_back(&mut self) {
        match self.recording.now().step().checked_sub(1) {
            Some(step) => self.go_to_step(step),
            None => "this is the start".clone_into(&mut self.message),
        }
    }

    fn go_to_failure(&mut self) {
        self.go_to(self.failing_state());
        let Some(assertion) = self.assertions.get(self.shown_assertion) else { return };
        let rows = self.state.iter().enumerate().filter_map(|(index, line)| Some((index, line.row()?)));
        let rows: Vec<_> = rows.collect();
        let row = assertion.row(self.recording.machine().inspect(), rows.iter().map(|row| row.1));
        // Without a row, the heading is selected, so that no other datum seems to be meant.
        (self.pane, self.selected_state) = (Pane::State, row.map_or(0, |row| rows[row].0));
        self.select(0);
    }

    /// The state in which the shown assertion fails, or the last one.
    fn failing_state(&self) -> Moment {
        let assertion = self.assertions.get(self.shown_assertion);
        self.recording.end_of_case_step(assertion.map_or(usize::MAX, |assertion| assertion.case_step))
    }

    fn show_assertion(&mut self, index: usize) {
        self.shown_assertion = index;
        self.go_to_failure();
    }

    fn go_to_other_failure(&mut self, direction: Direction) {
        let (shown, count) = (self.shown_assertion, self.assertions.len());
        match direction {
            Direction::Forward if shown + 1 < count => self.show_assertion(shown + 1),
            Direction::Back if shown > 0 => self.show_assertion(shown - 1),
            _ if count == 0 => "no assertion fails".clone_into(&mut self.message),
            Direction::Forward => "this is the last assertion that fails".clone_into(&mut self.message),
            Direction::Back => "this is the first assertion that fails".clone_into(&mut self.message),
        }
    }

    fn list_failures(&mut self) {
        if self.assertions.is_empty() {
            "no assertion fails".clone_into(&mut self.message);
            return;
        }
        let line = |(index, it): (usize, &OpenedAssertion)| (it.line.clone(), ListPlace::Assertion(index));
        let lines = self.assertions.iter().enumerate().map(line).collect();
        let title = format!("{} failing assertions", self.assertions.len());
        self.mode = ExplorerMode::List(PlaceList { title, lines, selected: self.shown_assertion });
    }

    /// The selected datum; if there is none, the message says so.
    fn asked_datum(&mut self) -> Option<Datum> {
        if self.datum.is_none() {
            "select a datum of the state first".clone_into(&mut self.message);
        }
        self.datum.clone()
    }

    fn list_writes(&mut self, keep_going: KeepGoing<'_>) {
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

    fn go_to_change(&mut self, condition: &WriteCondition, keep_going: KeepGoing<'_>) {
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

    fn go_to_depth(&mut self, depth: usize, keep_going: KeepGoing<'_>) {
        let found = self.recording.go_to_depth(depth, keep_going);
        if found == FoundMoment::Cancelled {
            "stopped".clone_into(&mut self.message);
        }
        self.go_to(self.recording.now());
    }

    fn go_to_write(&mut self, direction: Direction, keep_going: KeepGoing<'_>) {
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
        if let (FoundMoment::Nothing, Some((at, Some(step)))) = (found, &asked) {
            return self.go_to_cause(at, *step);
        }
        let what = if direction == Direction::Back { "no write before" } else { "no write after" };
        self.found(found, direction == Direction::Forward, &format!("{}: {what}", datum.id));
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

    fn go_to_execution(&mut self, direction: Direction, keep_going: KeepGoing<'_>) {
        let Some(pc) = self.code.lines.get(self.selected_code).map(|placed| placed.line.pc) else { return };
        let found = self.recording.execution_of(pc, direction, keep_going);
        self.found(found, false, "it is not executed there");
    }

    fn search(&mut self, keep_going: KeepGoing<'_>) {
        let sought = self.sought.to_lowercase();
        let found = self.recording.execution_where(Direction::Forward, keep_going, |at| {
            at.state.instruction().to_lowercase().contains(&sought)
        });
        self.found(found, false, "no such instruction is executed after this one");
    }

    /// Goes to an instruction that was found, to the state before or after it.
    fn found(&mut self, found: FoundMoment, is_after: bool, nothing: &str) {
        match found {
            FoundMoment::At(step) => self.go_to_step(if is_after { step } else { step - 1 }),
            FoundMoment::Nothing => nothing.clone_into(&mut self.message),
            FoundMoment::Cancelled => "stopped".clone_into(&mut self.message),
        }
    }

    fn go_to(&mut self, to: Moment) {
        let (mut last, mut before, mut writes) = (None, None, StepWrites::default());
        if let Some(step) = to.step().checked_sub(1) {
            let machine = self.recording.go_to(self.recording.moment(step).min(to));
            last = machine.next().map(|at| at.pc);
            self.code.show(machine);
            before = Some(values(sections_of(machine.inspect())));
            self.recording.go_to(to);
            writes = self.recording.written_last();
        }
        let machine = self.recording.go_to(to);
        self.state = lines(sections_of(machine.inspect()), before.as_ref(), &writes);
        self.differing.clear();
        let next = machine.next().map(|at| at.pc).or_else(|| machine.stands_at());
        if next.is_some() || last.is_none() {
            // At the end, the code of the last instruction stays.
            self.code.show(machine);
        }
        let failed = if machine.failure().is_some() { CodeMark::Failed } else { CodeMark::Last };
        self.mark = next.map(|pc| (pc, CodeMark::Next)).or(last.map(|pc| (pc, failed)));
        if let Some((pc, _)) = self.mark
            && let Some(line) = self.code.lines.iter().position(|placed| placed.line.pc == pc)
        {
            self.selected_code = line;
        }
        self.find_datum();
    }

    /// Finds the line of the selected datum.
    fn find_datum(&mut self) {
        let Some(datum) = &mut self.datum else { return self.select(0) };
        let rows = self.state.iter().enumerate().filter_map(|(index, line)| Some((index, line.row()?.1)));
        let found = rows.into_iter().find(|(_, its)| its.id == datum.id);
        if let Some((index, its)) = found {
            // A slot may hold another compound.
            (self.selected_state, *datum) = (index, its.clone());
        }
        self.selected_state = self.selected_state.min(self.state.len().saturating_sub(1));
    }

    fn selected_mut(&mut self) -> &mut usize {
        match self.pane {
            Pane::Code => &mut self.selected_code,
            Pane::State => &mut self.selected_state,
        }
    }

    /// Moves the selection by this number of lines, within the first and the last.
    fn select(&mut self, by: isize) {
        let selected = self.selected_mut();
        *selected = selected.saturating_add_signed(by);
        self.selected_code = self.selected_code.min(self.code.lines.len().saturating_sub(1));
        self.selected_state = self.selected_state.min(self.state.len().saturating_sub(1));
        if self.pane == Pane::State {
            let line = self.state.get(self.selected_state).and_then(StateLine::row);
            self.datum = line.map(|(_, datum)| datum.clone());
        }
    }
}
