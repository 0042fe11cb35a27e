//! Steps through a run, forward and back: everything that `vmconf explore` does except reading keys and
//! writing to a terminal.
//!
//! An [`Explorer`] holds a [`Recording`] and the user's selection; [`screen`] draws it.

mod code;
mod keys;
mod open;
pub mod page;
pub mod screen;
mod state;

pub use self::keys::{ExplorerCommand, ExplorerKey, KEYS, KeyRow};
pub use self::open::{Opened, OpenedAssertion, open, open_machine};
pub use self::state::{StateChange, StateLine};

use self::code::ShownCode;
use self::state::{lines, values};
use super::recording::{
    Datum, Direction, FoundMoment, KeepGoing, Moment, Recording, StepWrites, sections_of,
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
    assertion: Option<OpenedAssertion>,
    /// The lines of the program's source; empty if it has none.
    source: Vec<String>,
    mode: ExplorerMode,
    pane: Pane,
    message: String,
    sought: String,
    code: ShownCode,
    state: Vec<StateLine>,
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
        assertion: Option<OpenedAssertion>,
        source: Vec<String>,
    ) -> Explorer {
        let mut explorer = Explorer {
            recording,
            title,
            assertion,
            source,
            mode: ExplorerMode::Commands,
            pane: Pane::State,
            message: String::new(),
            sought: String::new(),
            code: ShownCode::default(),
            state: Vec::new(),
            mark: None,
            selected_code: 0,
            selected_state: 0,
            datum: None,
            page: 10,
        };
        match explorer.assertion {
            Some(_) => explorer.go_to_failure(),
            None => explorer.go_to_step(0),
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
            ExplorerMode::Typing(prompt, text) => self.typed(key, prompt, text, keep_going),
        }
        Goes::On
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
        let case_step = self.assertion.as_ref().map_or(usize::MAX, |assertion| assertion.case_step);
        self.go_to(self.recording.end_of_case_step(case_step));
        let Some(assertion) = &self.assertion else { return };
        let rows = self.state.iter().enumerate().filter_map(|(index, line)| Some((index, line.row()?)));
        let rows: Vec<_> = rows.collect();
        let row = assertion.row(self.recording.machine().inspect(), rows.iter().map(|row| row.1));
        if let Some(row) = row {
            (self.pane, self.selected_state) = (Pane::State, rows[row].0);
            self.select(0);
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
        let Some(datum) = self.datum.clone() else {
            "select a datum of the state first".clone_into(&mut self.message);
            return;
        };
        let found = self.recording.write_of(&datum, direction, keep_going);
        let what = if direction == Direction::Back { "no write before" } else { "no write after" };
        self.found(found, direction == Direction::Forward, &format!("{}: {what}", datum.id));
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
