//! What traces and blame ask a machine between two instructions: what is on its stack, and what the next
//! instruction reads and writes.
//!
//! An unwatched run calls none of these.

use std::fmt;

use crate::model::Cell;

use super::observe::Observe;
use super::view::{CodeLine, Section, ViewDatum};
use crate::model::{Path, PathKey, Value};

/// A machine before an instruction, or at the end of its run.
pub trait Inspect: Observe {
    /// The next instruction, formatted for people: `PUSH1 0x2a`.
    fn instruction(&self) -> String;

    /// How many values are on the operand stack, of all frames that share it; 0 for a machine without one.
    fn height(&self) -> usize {
        0
    }

    /// The maximum height of the operand stack; `None` for a machine that limits something else.
    fn stack_limit(&self) -> Option<usize> {
        None
    }

    /// The references that the machine counts; `None` for a machine without such a count.
    fn references(&self) -> Option<ReferenceCount> {
        None
    }

    /// The value at this distance from the top of the operand stack.
    fn item(&self, _below: usize) -> Option<Value> {
        None
    }

    /// The compound that the value at this distance from the top of the stack refers to.
    fn compound(&self, _below: usize) -> Option<usize> {
        None
    }

    /// The gas, on a machine with gas.
    fn gas(&self) -> Option<GasCount> {
        None
    }

    /// Why the last instruction could not be executed, in a few words: `out of gas`. `None` if it was
    /// executed; otherwise its declared effects did not happen.
    fn failure(&self) -> Option<String> {
        None
    }

    /// How many frames there are: what StepOver and StepOut compare.
    fn depth(&self) -> usize;

    /// What the next instruction reads and writes besides the stack items that its row counts.
    fn effects(&self) -> Effects {
        self.declared(&|_| true)
    }

    /// Like [`Inspect::effects`], but only according to those declarations of its row (see
    /// [`OpInfo::effects`]) whose index `counts`.
    ///
    /// [`OpInfo::effects`]: crate::isa::OpInfo::effects
    fn declared(&self, counts: &dyn Fn(usize) -> bool) -> Effects;

    /// The current value of a cell among [`Effects::writes`], if that is cheap to get; only the beginning of
    /// a long one.
    fn value(&self, _cell: &Cell) -> Option<Value> {
        None
    }

    /// The state, formatted for people.
    fn sections(&self) -> Vec<Section> {
        Vec::new()
    }

    /// The number of the code unit, such as a function, that contains the next instruction. The same number
    /// means the same [`Inspect::listing`].
    fn unit(&self) -> usize {
        0
    }

    /// The name of the function that contains the next instruction; `None` for a machine without functions.
    fn function(&self) -> Option<String> {
        None
    }

    /// All instructions of the code unit that contains the next instruction.
    fn listing(&self) -> Vec<CodeLine> {
        Vec::new()
    }

    /// A program counter in this machine's notation.
    fn label(&self, pc: usize) -> String {
        format!("{pc:04x}")
    }

    /// The machine as one whose programs say which source they were compiled from.
    fn source(&self) -> Option<&dyn InspectSource> {
        None
    }

    /// The machine as one that executes a whole transaction, with a frame for each call.
    fn transaction(&self) -> Option<&dyn InspectTransaction> {
        None
    }

    /// The machine as one that plays a run which another machine made.
    fn playback(&self) -> Option<&dyn InspectPlayback> {
        None
    }

    /// The cells that the changes of an [`Action::Set`](crate::model::case::Action) wrote; empty on a machine for which
    /// no format describes changes between instructions.
    fn set_cells(&self, _changes: &Value) -> Vec<Cell> {
        Vec::new()
    }

    /// The cells that hold a datum of the current state, the most specific one first. Empty for what no cell
    /// holds, such as how the run ended.
    fn cells(&self, _at: &Path) -> Vec<Cell> {
        Vec::new()
    }
}

/// What only a machine shows whose programs say which source they were compiled from. Each function has program
/// counters of its own.
pub trait InspectSource {
    /// The source line of the next instruction, if the program says so.
    fn line(&self) -> Option<u64>;

    /// The position of the next instruction in the source, if the program says so: `main, line 7`.
    fn position(&self) -> Option<String>;

    /// A value in terms of the source: `fun 7 gcd`; `None` if that says no more than the value.
    fn value_name(&self, value: &Value) -> Option<String>;

    /// The name of a cell in the source, such as `i of gcd`; `None` if it has none.
    fn cell_name(&self, cell: &Cell) -> Option<String>;
}

/// What only a machine shows that executes a whole transaction, with a frame for each call.
pub trait InspectTransaction {
    /// The frame that executes the next instruction.
    fn frame(&self) -> Option<CallFrame>;

    /// What the last instruction wrote, as far as only the state after it shows that: what a call
    /// transferred, what a frame that ended returned, and what was undone because it failed. Known only if
    /// instructions are executed one at a time.
    fn wrote(&self) -> Vec<Cell>;

    /// What changes a datum of the state other than instructions: `the fee of the transaction`.
    fn changed_besides(&self, at: &Path) -> Option<String>;
}

/// What only a machine shows that plays a run which another machine made.
pub trait InspectPlayback {
    /// Whether the code is the run itself: each execution of an instruction is a line of its own.
    fn lists_executions(&self) -> bool {
        false
    }

    /// Whether two executions are of the same instruction.
    fn is_same_instruction(&self, one: usize, other: usize) -> bool {
        one == other
    }

    /// The program counter where the run goes on, if no next instruction is known.
    fn stands_at(&self) -> Option<usize> {
        None
    }
}

/// Whether the code is the run itself, which another machine made.
pub fn lists_executions(state: &dyn Inspect) -> bool {
    state.playback().is_some_and(InspectPlayback::lists_executions)
}

/// The program counter where a run goes on that another machine made, if no next instruction is known.
pub fn stands_at(state: &dyn Inspect) -> Option<usize> {
    state.playback()?.stands_at()
}

/// The cells that hold a datum of [`Inspect::sections`].
pub fn cells_of(state: &dyn Inspect, datum: &ViewDatum) -> Vec<Cell> {
    match datum {
        ViewDatum::At(path) => state.cells(path),
        ViewDatum::In(cell) => vec![cell.clone()],
    }
}

/// The name of the function that contains the next instruction, on a machine on which each function has program
/// counters of its own.
pub fn function_of_pc(state: &dyn Inspect) -> Option<String> {
    state.source().and_then(|_| state.function())
}

/// The frame that executes the next instruction, on a machine with a frame for each call.
pub fn frame_of(state: &dyn Inspect) -> Option<CallFrame> {
    state.transaction()?.frame()
}

/// What the last instruction wrote, if `declared` are the [`Effects::writes`] from before it.
pub fn written_cells(declared: Vec<Cell>, state: &dyn Inspect) -> Vec<Cell> {
    // An instruction that could not be executed did not do what it declares, but may undo what others did.
    let mut cells = if state.failure().is_some() { Vec::new() } else { declared };
    let count = cells.len();
    for cell in state.transaction().map_or_else(Vec::new, InspectTransaction::wrote) {
        if !cells[..count].contains(&cell) {
            cells.push(cell);
        }
    }
    cells
}

/// The references to values and compounds that a machine counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferenceCount {
    /// How many there are, including one for each value of the operand stack.
    pub count: usize,
    /// The maximum.
    pub limit: usize,
    /// Whether the next instruction may find that there are fewer than were counted.
    pub is_estimate: bool,
}

/// The gas of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GasCount {
    /// What remains.
    pub left: u64,
    /// What instructions took so far and gave back later. The cost of an instruction is the decrease of
    /// [`GasCount::left`] plus the increase of this.
    pub given_back: u64,
    /// The refund that the transaction gets at its end for what instructions did so far; `None` without a transaction.
    pub refund: Option<i64>,
}

/// The cells of a datum inside an item, the most specific one first: those of the compounds on the path to
/// it, then `cell`, which holds the item.
pub fn cells_inside<I>(
    cell: Cell,
    mut item: Option<I>,
    way: &[&PathKey],
    compound: impl Fn(&I) -> Option<usize>,
    child: impl Fn(&I, &PathKey) -> Option<I>,
) -> Vec<Cell> {
    let mut cells = vec![cell];
    let mut way = way.iter();
    while let Some((outer, id)) = item.and_then(|item| compound(&item).map(|id| (item, id))) {
        cells.push(Cell::Compound(id));
        let Some(key) = way.next() else { break };
        cells.push(Cell::item(id, key));
        item = child(&outer, key);
    }
    cells.reverse();
    cells
}

/// A frame that executes the code of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFrame {
    /// How many frames there are, including this one.
    pub depth: usize,
    /// The address of the account that the code belongs to, as a key of the state.
    pub code: String,
    /// The remaining gas of this frame.
    pub gas: u64,
    /// The number of its lowest stack item in [`Cell::Stack`], so that frames have different cells.
    pub stack: usize,
}

/// Formatted for people: `frame 2, code of 0x…`.
impl fmt::Display for CallFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {}, code of {}", self.depth, self.code)
    }
}

/// What an instruction reads and writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// How many values it pops, if its row does not say.
    pub takes: Option<usize>,
    /// How many values it pushes, if its row does not say.
    pub leaves: Option<usize>,
    /// For each of the topmost stack items after it that it only moves, copies or leaves in place, the lowest one
    /// first, the distance from the top before it.
    pub moves: Vec<usize>,
    /// Whether it pushes a new compound, or the operand on top if that already has the right type.
    pub creates: bool,
    /// The program counter at which execution continues, if that does not depend on a condition.
    pub target: Option<usize>,
    /// The cells that it reads, with their values.
    pub reads: Vec<(Cell, Value)>,
    /// The cells that decide whether it succeeds and what it costs, but not a value that it computes, such as
    /// the balance that must cover a call.
    pub needs: Vec<Cell>,
    /// The cells that it writes.
    pub writes: Vec<Cell>,
    /// The one of them that gets the lowest value that it pops, as it is.
    pub stores: Option<Cell>,
    /// The cells that it writes only in some cases, such as the memory for the output of a call. Those that it has
    /// written are in [`InspectTransaction::wrote`] afterwards.
    pub may_write: Vec<Cell>,
    /// The address of the account whose code it calls.
    pub calls: Option<String>,
}

impl Effects {
    /// Adds a cell that is read, if it has a value.
    pub fn read(&mut self, cell: Cell, value: Option<Value>) {
        self.reads.push((cell, value.unwrap_or(Value::Null)));
    }

    /// Adds a cell that is written.
    pub fn write(&mut self, cell: Cell) {
        self.writes.push(cell);
    }
}
