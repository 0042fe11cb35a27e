//! Steps through a run, forward and back: everything that `vmconf explore` does except reading keys and
//! writing to a terminal.
//!
//! An [`Explorer`] holds a [`Recording`] and the user's selection; [`screen`] draws it.

pub mod beside;
mod code;
mod demands;
mod details;
mod keys;
mod list;
mod moves;
mod open;
pub mod page;
mod picker;
pub mod screen;
mod state;
mod time_line;
mod whole_line;

use std::collections::HashSet;

pub use self::demands::Demands;
pub use self::keys::{ExplorerCommand, ExplorerKey, KEYS, KeyRow};
pub use self::open::{
    OpenedAssertion, OpenedCase, failing_assertions, open, open_machine, open_played, whole_run,
};
pub use self::picker::{CasePicker, PickReaction};
pub use self::state::{DatumChange, StateLine};

use self::code::ShownCode;
use self::details::ExplorerOverlay;
use self::list::{ListPlace, ListReaction, PlaceList};
use self::state::{StackCounting, lines, rows, values};
use super::recording::{
    Datum, DatumId, Direction, KeepGoing, Moment, Recording, Sought, StepWrites, TimeLine, WriteCondition,
    sections_of,
};
use crate::machines::inspect::stands_at;
use crate::model::{counted, escaped};
use crate::text::shell::ShellWords;

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
    /// In the details of a line, which are shown over the panes.
    Details(ExplorerOverlay),
    /// As text, typed into a prompt.
    Typing(Prompt, String),
}

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
    Search(Direction),
    Change,
}

/// What the explorer does after a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplorerFlow {
    /// It keeps running.
    Continue,
    /// The user ended it.
    Quit,
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
    /// What was searched last.
    sought: Option<Sought>,
    demands: Demands,
    counting: StackCounting,
    time_line: Option<TimeLine>,
    /// The id of the case, and the words that open it again.
    id: String,
    command: ShellWords,
    /// What the user wants in the clipboard.
    copied: Option<String>,
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
            sought: None,
            demands: Demands::default(),
            counting: StackCounting::Own,
            time_line: None,
            id: String::new(),
            command: ShellWords::default(),
            copied: None,
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

    /// The explorer, which also shows what the case demands, and knows its id and the command that opens it.
    #[must_use]
    pub fn with_case(self, id: String, command: ShellWords, demands: Demands) -> Explorer {
        Explorer { demands, id, command, ..self }
    }

    /// Goes to a state, if its number is given, and selects the datum with this name there.
    pub fn open_at(&mut self, step: Option<u64>, datum: Option<&str>) {
        if let Some(step) = step {
            self.go_to_typed_step(step);
        }
        let Some(name) = datum else { return };
        let is_it = |line: &StateLine| line.row().is_some_and(|(_, its)| id_text(&its.id) == name);
        match self.state.iter().position(is_it) {
            Some(line) => self.click(Pane::State, line),
            None => self.message = format!("{name} is not in this state"),
        }
    }

    /// What the user wants in the clipboard since this was asked last.
    pub fn take_copied(&mut self) -> Option<String> {
        self.copied.take()
    }

    /// The recording.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Handles a key. `keep_going` is called during long searches.
    pub fn press(&mut self, key: ExplorerKey, keep_going: KeepGoing<'_>) -> ExplorerFlow {
        match std::mem::replace(&mut self.mode, ExplorerMode::Commands) {
            ExplorerMode::Commands => match keys::command(key) {
                Some(ExplorerCommand::Quit) => return ExplorerFlow::Quit,
                Some(command) => self.perform(command, keep_going),
                None => "? shows the keys".clone_into(&mut self.message),
            },
            ExplorerMode::Help => {}
            ExplorerMode::List(list) => self.listed(key, list),
            ExplorerMode::Details(details) => self.detailed(key, details),
            ExplorerMode::Typing(prompt, text) => self.typed(key, prompt, text, keep_going),
        }
        ExplorerFlow::Continue
    }

    fn listed(&mut self, key: ExplorerKey, mut list: PlaceList) {
        match list.press(key, self.page) {
            ListReaction::Stay => self.mode = ExplorerMode::List(list),
            // Cases are picked before there is an explorer.
            ListReaction::Close | ListReaction::Other | ListReaction::Go(ListPlace::Case(_)) => {}
            ListReaction::Go(ListPlace::Assertion(index)) => self.show_assertion(index),
            ListReaction::Go(ListPlace::Instruction(step)) => self.go_to_step(step - 1),
            ListReaction::Go(ListPlace::State(step)) => self.go_to_step(step),
        }
    }

    fn typed(&mut self, key: ExplorerKey, prompt: Prompt, mut text: String, keep_going: KeepGoing<'_>) {
        match key {
            ExplorerKey::Char(character) => text.push(character),
            ExplorerKey::Backspace => drop(text.pop()),
            ExplorerKey::Enter => return self.entered(prompt, &text, keep_going),
            ExplorerKey::Esc => return,
            _ => {}
        }
        self.mode = ExplorerMode::Typing(prompt, text);
    }

    fn entered(&mut self, prompt: Prompt, text: &str, keep_going: KeepGoing<'_>) {
        match prompt {
            Prompt::Step => match text.parse() {
                Ok(step) => self.go_to_typed_step(step),
                Err(_) => self.message = format!("{text:?} is not the number of a step"),
            },
            Prompt::Search(direction) => {
                self.sought = Some(Sought::parse(text));
                self.search(direction, keep_going);
            }
            Prompt::Change => match WriteCondition::parse(text) {
                Some(condition) => self.go_to_change(&condition, keep_going),
                None => self.message = format!("{text:?} is neither a number nor = with a value"),
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
            ExplorerCommand::NextChange => self.ask(Prompt::Change),
            ExplorerCommand::Start => self.go_to_step(0),
            ExplorerCommand::Finish => self.go_to_step(u64::MAX),
            ExplorerCommand::GoTo => self.ask(Prompt::Step),
            ExplorerCommand::Search => self.ask(Prompt::Search(Direction::Forward)),
            ExplorerCommand::SearchBack => self.ask(Prompt::Search(Direction::Back)),
            ExplorerCommand::NextMatch => self.search(Direction::Forward, keep_going),
            ExplorerCommand::LastMatch => self.search(Direction::Back, keep_going),
            ExplorerCommand::NextMarked => self.select_marked(),
            ExplorerCommand::Details => self.show_details(),
            ExplorerCommand::TimeLine => self.switch_time_line(keep_going),
            ExplorerCommand::Counting => self.switch_counting(),
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

    fn ask(&mut self, prompt: Prompt) {
        self.mode = ExplorerMode::Typing(prompt, String::new());
    }

    /// Selects the next row that the last instruction wrote, or that changed otherwise; after the last one, the first.
    fn select_marked(&mut self) {
        let is_marked = |index: &usize| matches!(&self.state[*index], StateLine::Row { change, .. } if *change != DatumChange::None);
        let after = (self.selected_state + 1).min(self.state.len());
        match (after..self.state.len()).chain(0..after).find(is_marked) {
            Some(line) => self.click(Pane::State, line),
            None => "the last step changed no row".clone_into(&mut self.message),
        }
    }

    fn switch_counting(&mut self) {
        self.counting = self.counting.other();
        self.go_to(self.recording.now());
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

    /// Takes the rows of the state with this number, without what changed in them and without the code.
    fn look_at(&mut self, step: u64) {
        let machine = self.recording.go_to(self.recording.moment(step));
        self.state = lines(sections_of(machine.inspect()), None, &StepWrites::default(), self.counting);
    }

    /// Goes to the state with this number.
    pub fn go_to_step(&mut self, step: u64) {
        self.go_to(self.recording.moment(step));
    }

    /// As [`Explorer::go_to_step`], to a step that the user typed.
    fn go_to_typed_step(&mut self, step: u64) {
        self.go_to_step(step);
        let steps = self.recording.steps();
        if step > steps {
            self.message = format!("the run has {}", counted(steps, "step"));
        }
    }

    /// Whether something is shown over the panes, to which keys go.
    pub fn is_covered(&self) -> bool {
        self.mode != ExplorerMode::Commands
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
        let rows: Vec<_> = rows(&self.state).collect();
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
            _ if count == 0 => self.message = self.no_failure(),
            Direction::Forward => "this is the last assertion that fails".clone_into(&mut self.message),
            Direction::Back => "this is the first assertion that fails".clone_into(&mut self.message),
        }
    }

    fn no_failure(&self) -> String {
        match self.recording.stopped() {
            Some(_) => "a limit ended the run: later states are not compared".to_owned(),
            None => "no assertion fails".to_owned(),
        }
    }

    fn list_failures(&mut self) {
        if self.assertions.is_empty() {
            self.message = self.no_failure();
            return;
        }
        let line = |(index, it): (usize, &OpenedAssertion)| (it.line.clone(), ListPlace::Assertion(index));
        let lines = self.assertions.iter().enumerate().map(line).collect();
        let title = counted(self.assertions.len(), "failing assertion");
        self.mode = ExplorerMode::List(PlaceList { title, lines, selected: self.shown_assertion });
    }

    /// The selected datum; if there is none, the message says so.
    fn asked_datum(&mut self) -> Option<Datum> {
        if self.datum.is_none() {
            "select a datum of the state first".clone_into(&mut self.message);
        }
        self.datum.clone()
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
        self.state = lines(sections_of(machine.inspect()), before.as_ref(), &writes, self.counting);
        self.differing.clear();
        let next = machine.next().map(|at| at.pc).or_else(|| stands_at(machine.inspect()));
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
        let found = rows(&self.state).find(|(_, (_, its))| its.id == datum.id);
        if let Some((index, (_, its))) = found {
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

/// The name of a datum, as it is typed after `--datum` and written in the address of a page.
fn id_text(id: &DatumId) -> String {
    escaped(&id.to_string()).into_owned()
}
