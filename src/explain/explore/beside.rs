//! Two runs of a program beside each other: they go to the same steps, and what differs is marked.

use std::collections::HashSet;
use std::io;

use super::open::row_of;
use super::state::rows;
use super::{Explorer, ExplorerCommand, ExplorerFlow, ExplorerKey, ExplorerMode, Pane, keys};
use crate::explain::bisect::{
    NextInstruction, StateDifference, StepSource, differences, step_by_step, step_of,
};
use crate::explain::blame::top;
use crate::explain::playback::{PlayedState, SharedRun};
use crate::explain::recording::{DatumId, KeepGoing, Recording};
use crate::isa::Isa;
use crate::machines::inspect::frame_of;
use crate::machines::machine::{At, Machine};
use crate::model::explanation::END;
use crate::model::{Cell, Path, PathKey, Value, brief, brief_pair, escaped};
use crate::testees::server;
use crate::wire::eip3155::{Eip3155Step, TraceMembers};

/// The maximum number of data that are compared in a state.
const MAX_DIFFERENCES: usize = 100;

/// How many of them are listed below the panes, and the maximum number of characters of a value.
const MAX_LISTED: usize = 4;
const MAX_LENGTH: usize = 28;

/// How many characters of a value are compared, to show those that differ.
const MAX_COMPARED: usize = 4_096;

/// One of two runs.
pub struct ComparedSide {
    /// What shows it.
    pub explorer: Explorer,
    /// The name of the machine, or of the file with the trace.
    pub name: String,
    /// The run, if another machine made it; `None` for the embedded machine.
    pub run: Option<SharedRun>,
    /// The instructions of the machine.
    pub isa: &'static Isa,
}

/// Two runs of a program.
pub struct PairedExplorer {
    pub(super) sides: [ComparedSide; 2],
    /// The index of the side that has the keys.
    pub(super) active: usize,
    /// The number of the first state in which they differ, if there is one.
    first: Option<u64>,
    differs: Vec<StateDifference>,
}

impl PairedExplorer {
    /// Opens at the first state that differs, or else where the sides are.
    pub fn new(sides: [ComparedSide; 2], first: Option<u64>) -> PairedExplorer {
        let mut pair = PairedExplorer { sides, active: 1, first, differs: Vec::new() };
        match first {
            Some(_) => pair.go_to_difference(),
            None => pair.follow(),
        }
        pair
    }

    /// The two runs.
    pub fn sides(&self) -> &[ComparedSide; 2] {
        &self.sides
    }

    pub(super) fn side_mut(&mut self, index: usize) -> &mut ComparedSide {
        &mut self.sides[index]
    }

    pub(super) fn active_side(&self) -> &ComparedSide {
        &self.sides[self.active]
    }

    /// The number of the shown state.
    pub fn step(&self) -> u64 {
        self.sides.iter().map(|side| side.explorer.recording.now().step()).max().unwrap_or(0)
    }

    /// What differs in the shown states.
    pub fn differs(&self) -> &[StateDifference] {
        &self.differs
    }

    /// Handles a key: a command moves both runs, and what is selected is that of one.
    pub fn press(&mut self, key: ExplorerKey, keep_going: KeepGoing<'_>) -> ExplorerFlow {
        let explorer = &mut self.sides[self.active].explorer;
        let command = if explorer.mode == ExplorerMode::Commands { keys::command(key) } else { None };
        match command {
            Some(ExplorerCommand::OtherPane) => self.next_pane(),
            Some(ExplorerCommand::Difference) => self.go_to_difference(),
            _ => {
                let goes = explorer.press(key, keep_going);
                self.follow();
                return goes;
            }
        }
        ExplorerFlow::Continue
    }

    /// Goes to a state, if its number is given, and selects the datum with this name in the run that has the keys.
    pub fn open_at(&mut self, step: Option<u64>, datum: Option<&str>) {
        self.sides[self.active].explorer.open_at(step, datum);
        self.follow();
    }

    /// What the user wants in the clipboard since this was asked last.
    pub fn take_copied(&mut self) -> Option<String> {
        self.sides[self.active].explorer.take_copied()
    }

    /// Whether something is shown over the panes of a run, to which keys go.
    pub fn is_covered(&self) -> bool {
        self.sides[self.active].explorer.is_covered()
    }

    /// Selects a line of a pane of a run, counted from its first one.
    pub fn click(&mut self, side: usize, pane: Pane, line: usize) {
        self.active = side;
        self.sides[side].explorer.click(pane, line);
    }

    /// From the code to the state, and on to the other run.
    fn next_pane(&mut self) {
        let explorer = &mut self.sides[self.active].explorer;
        if explorer.pane == Pane::Code {
            explorer.pane = Pane::State;
        } else {
            self.active = 1 - self.active;
            self.sides[self.active].explorer.pane = Pane::Code;
        }
    }

    fn go_to_difference(&mut self) {
        let Some(first) = self.first else {
            "no difference was found".clone_into(&mut self.sides[self.active].explorer.message);
            return;
        };
        self.sides[self.active].explorer.go_to_step(first);
        self.follow();
        let message = match first {
            0 => "the first difference: the initial states".to_owned(),
            step => {
                let run = &mut self.sides[self.active].explorer;
                format!(
                    "the first difference: after {} in step {step}; b goes before it",
                    run.instruction_of(step)
                )
            }
        };
        for side in &mut self.sides {
            let explorer = &mut side.explorer;
            if let Some(line) = explorer.differing.iter().min() {
                (explorer.pane, explorer.selected_state) = (Pane::State, *line);
                explorer.select(0);
            }
        }
        self.sides[self.active].explorer.message = message;
    }

    /// Goes to the state with this number.
    pub fn go_to_step(&mut self, step: u64) {
        self.sides[self.active].explorer.go_to_step(step);
        self.follow();
    }

    /// Compares the states with this number, without what changed in them: much faster than going there.
    pub(super) fn compare_at(&mut self, step: u64) {
        self.sides.iter_mut().for_each(|side| side.explorer.look_at(step));
        self.compare();
    }

    /// The number of the first state in which they differ.
    pub fn first(&self) -> Option<u64> {
        self.first
    }

    /// The data of both runs whose rows differ in the shown states.
    pub(super) fn differing(&self) -> [Vec<DatumId>; 2] {
        self.sides.each_ref().map(|side| {
            let explorer = &side.explorer;
            let rows = explorer.differing.iter().filter_map(|line| explorer.state.get(*line)?.row());
            rows.map(|(_, datum)| datum.id.clone()).collect()
        })
    }

    /// Takes the other run to the same step, and compares the states.
    fn follow(&mut self) {
        let to = self.active_side().explorer.recording.now().step();
        let other = &mut self.sides[1 - self.active].explorer;
        if other.recording.now().step() != to {
            other.go_to_step(to);
        }
        self.compare();
    }

    fn compare(&mut self) {
        let shown = self.sides.each_ref().map(ShownState::of);
        self.differs = shown[0].differences(&shown[1], &self.sides);
        for side in &mut self.sides {
            let rows: HashSet<_> = self.differs.iter().filter_map(|it| side.line_of(&it.at)).collect();
            side.explorer.differing = rows;
        }
    }

    /// The lines below the panes: the time line of the run that has the keys, what differs, and the failing assertion
    /// of the run that has the keys.
    pub(super) fn below(&self, width: usize) -> Vec<String> {
        let explorer = &self.active_side().explorer;
        let time_line = explorer.time_lines(width);
        let assertion = explorer.assertions.get(explorer.shown_assertion);
        let assertion = assertion.map(|assertion| escaped(&assertion.line).into_owned());
        time_line.into_iter().chain(self.difference_lines()).chain(assertion).collect()
    }

    /// What differs in the shown states, in lines.
    pub(super) fn difference_lines(&self) -> Vec<String> {
        let names = self.sides.each_ref().map(|side| escaped(&side.name).into_owned());
        let value = |value: &Option<Value>| match value {
            Some(Value::Text(text)) => text.to_string(),
            Some(value) => brief(value, MAX_COMPARED),
            None => "-".to_owned(),
        };
        let line = |StateDifference { at, values }: &StateDifference| {
            let [one, other] = values.each_ref().map(value);
            let [one, other] = brief_pair(&one, &other, MAX_LENGTH).map(|text| escaped(&text).into_owned());
            format!("≠ {at}: {} {one}, {} {other}", names[0], names[1])
        };
        let mut lines: Vec<_> = self.differs.iter().take(MAX_LISTED).map(line).collect();
        let more = self.differs.len().saturating_sub(MAX_LISTED);
        if more > 0 {
            lines.push(format!("≠ and {more} more"));
        }
        if lines.is_empty() {
            lines.push("no difference in what both report here".to_owned());
        }
        lines
    }

    /// The first state in which two runs differ; `None` if there is none. For runs that can only be compared step by
    /// step, such as traces in files. Fails if a run has no step.
    pub fn first_difference(sides: &mut [ComparedSide; 2]) -> io::Result<Option<u64>> {
        let form = TraceForm::Eip3155;
        let shown = sides.each_ref().map(|side| side.explorer.recording.now());
        let [one, other] = &mut *sides;
        let (mut one, mut other) =
            (SideSteps { side: one, step: 0, form }, SideSteps { side: other, step: 0, form });
        let compared = step_by_step([&mut one, &mut other]).map_err(|(_, error)| error)?.compared;
        sides.iter_mut().zip(shown).for_each(|(side, at)| side.explorer.go_to(at));
        Ok(compared.err().map(|divergence| divergence.step))
    }
}

impl Explorer {
    /// The instruction with this number, of the code that is shown or as the state before it has it.
    fn instruction_of(&mut self, step: u64) -> String {
        let now = self.recording.now();
        let before = self.recording.moment(step.saturating_sub(1));
        let instruction = self.recording.go_to(before).instruction();
        self.recording.go_to(now);
        instruction
    }
}

impl ComparedSide {
    /// The line of the state that shows a datum.
    fn line_of(&self, at: &Path) -> Option<usize> {
        let explorer = &self.explorer;
        let state = explorer.recording.machine().inspect();
        let rows: Vec<_> = rows(&explorer.state).collect();
        let cells = match (at.first(), at.keys().get(1)) {
            (PathKey::Name(name), Some(PathKey::Index(below))) if **name == *"top" => {
                let slot = top(state).checked_sub(below + 1);
                let cell = slot.map(Cell::Stack);
                let held = |its: &Cell| rows.iter().position(|(_, (_, datum))| datum.cells.contains(its));
                if let Some(row) = cell.as_ref().and_then(held) {
                    return Some(rows[row].0);
                }
                Vec::new()
            }
            _ => state.cells(at),
        };
        row_of(at, &cells, rows.iter().map(|row| row.1)).map(|row| rows[row].0)
    }
}

/// What is known of the state of a run.
enum ShownState {
    /// Everything: the machine is here.
    Embedded,
    /// What its machine or its trace reports.
    Played(PlayedState),
}

impl ShownState {
    fn of(side: &ComparedSide) -> ShownState {
        let step = side.explorer.recording.now().step();
        side.run.as_ref().map_or(ShownState::Embedded, |run| ShownState::Played(run.borrow_mut().state(step)))
    }

    /// What differs in what both have.
    fn differences(&self, other: &ShownState, sides: &[ComparedSide; 2]) -> Vec<StateDifference> {
        let [one, two] = sides.each_ref().map(|side| side.explorer.recording.machine());
        let (left, right) = match (self, other) {
            (ShownState::Played(left), ShownState::Played(right)) => (left.clone(), right.clone()),
            (ShownState::Embedded, ShownState::Played(right)) => {
                (embedded_like(right, one, sides[0].isa), right.clone())
            }
            (ShownState::Played(left), ShownState::Embedded) => {
                (left.clone(), embedded_like(left, two, sides[1].isa))
            }
            // Two copies of the embedded machine do not differ.
            (ShownState::Embedded, ShownState::Embedded) => return Vec::new(),
        };
        if left.trouble.is_some() || right.trouble.is_some() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let ends = [one, two].map(|machine| machine.next().is_none());
        if ends[0] != ends[1] {
            let text = |machine: &dyn Machine| match machine.next() {
                Some(at) => Value::text(format!("{} follows", at.state.instruction())),
                None => Value::text("the run ends"),
            };
            found.push(StateDifference { at: Path::field(END), values: [Some(text(one)), Some(text(two))] });
        }
        let members = |state: &PlayedState| {
            let members = state.next.iter().flat_map(|next| next.state.clone());
            members.filter(|member| !state.is_in_fields(member.0)).collect::<TraceMembers>()
        };
        let (own, its) = (members(&left), members(&right));
        let common = |members: &TraceMembers, others: &TraceMembers| {
            let members = members.iter().filter(|member| others.iter().any(|other| other.0 == member.0));
            Value::record(members.cloned())
        };
        found.extend(differences([&common(&own, &its), &common(&its, &own)], MAX_DIFFERENCES));
        let [own, its] = [&left.fields, &right.fields].map(|fields| Value::record(fields.clone()));
        found.extend(differences([&own, &its], MAX_DIFFERENCES));
        found
    }
}

/// What the embedded machine would report where another one reports this.
fn embedded_like(other: &PlayedState, machine: &dyn Machine, isa: &'static Isa) -> PlayedState {
    let form = if other.member("height").is_some() { TraceForm::Protocol } else { TraceForm::Eip3155 };
    let fields = other.fields.iter();
    let fields = fields.map(|(name, _)| (name.clone(), machine.observe(name).unwrap_or(Value::Null)));
    PlayedState {
        next: machine.next().map(|at| form.step(&at, isa)),
        fields: fields.collect(),
        ..PlayedState::default()
    }
}

/// Which data of a machine are compared.
#[derive(Clone, Copy)]
enum TraceForm {
    /// Those of an answer to `trace`.
    Protocol,
    /// Those of EIP-3155.
    Eip3155,
}

impl TraceForm {
    fn step(self, at: &At<'_>, isa: &Isa) -> Eip3155Step {
        match self {
            TraceForm::Protocol => step_of(server::instruction(at), isa),
            TraceForm::Eip3155 => eip3155_step(at),
        }
    }
}

fn eip3155_step(at: &At<'_>) -> Eip3155Step {
    let state = at.state;
    let frame = frame_of(state);
    let gas = frame.as_ref().map(|frame| frame.gas).or(state.gas().map(|gas| gas.left));
    let stack = (0..state.height()).rev().filter_map(|below| state.item(below));
    let mut members = vec![("pc", Value::int(at.pc)), ("op", Value::int(at.code))];
    members.push(("depth", Value::int(frame.map_or(1, |frame| frame.depth))));
    members.extend(gas.map(|gas| ("gas", Value::int(gas))));
    members.push(("stack", Value::List(stack.collect())));
    members.extend(state.observe("memorySize").map(|size| ("memSize", size)));
    members.extend(state.observe("returnData").map(|data| ("returnData", data)));
    let op = at.op.map_or_else(|| format!("{:#04x}", at.code), |op| op.name.to_owned());
    Eip3155Step { op, state: members }
}

/// The steps of a run, for the search for the first difference.
struct SideSteps<'s> {
    side: &'s mut ComparedSide,
    step: u64,
    form: TraceForm,
}

impl StepSource for SideSteps<'_> {
    fn next(&mut self) -> io::Result<NextInstruction> {
        let step = self.step;
        self.step += 1;
        let found = if let Some(run) = &self.side.run {
            run.borrow_mut().instruction(step)
        } else {
            let recording: &mut Recording = &mut self.side.explorer.recording;
            let is_over = step > recording.steps();
            let machine = recording.go_to(recording.moment(step));
            machine.next().filter(|_| !is_over).map(|at| self.form.step(&at, self.side.isa))
        };
        Ok(found.map_or_else(|| NextInstruction::End(Vec::new()), NextInstruction::Step))
    }
}
