//! What traces and blame ask a machine between two instructions: what is on its stack, and what the next
//! instruction reads and writes.
//!
//! An unwatched run calls none of these.

use std::fmt;

use crate::model::cell::Cell;

use super::observe::Observe;
use super::view::{CodeLine, Section, ViewDatum};
use crate::model::path::{Path, PathKey};
use crate::model::value::Value;

/// A machine before an instruction, or at the end of its run.
pub trait Inspect: Observe {
    /// The next instruction, formatted for people: `PUSH1 0x2a`.
    fn instruction(&self) -> String;

    /// The position of the next instruction in the program's source, if the program says so: `main, line 7`.
    fn source(&self) -> Option<String> {
        None
    }

    /// How many values are on the operand stack, of all frames that share it; 0 for a machine without one.
    fn height(&self) -> usize {
        0
    }

    /// The maximum height of the operand stack; `None` for a machine that limits something else.
    fn stack_limit(&self) -> Option<usize> {
        None
    }

    /// The maximum of [`Inspect::references`]; `None` for a machine without such a count.
    fn reference_limit(&self) -> Option<usize> {
        None
    }

    /// How many references the machine counts, including one for each value of the operand stack; `None` for
    /// a machine without such a count.
    fn references(&self) -> Option<usize> {
        None
    }

    /// Whether the next instruction may find that there are fewer [`Inspect::references`] than were counted.
    fn recounts_references(&self) -> bool {
        false
    }

    /// The value at this distance from the top of the operand stack.
    fn item(&self, below: usize) -> Option<Value> {
        let _ = below;
        None
    }

    /// The compound that the value at this distance from the top of the stack refers to.
    fn compound(&self, below: usize) -> Option<usize> {
        let _ = below;
        None
    }

    /// The remaining gas, on a machine with gas.
    fn gas(&self) -> Option<u64> {
        None
    }

    /// Gas that instructions took so far and gave back later. The cost of an instruction is the decrease of
    /// [`Inspect::gas`] plus the increase of this.
    fn given_back(&self) -> u64 {
        0
    }

    /// The gas refund that the transaction gets at its end for what instructions did so far.
    fn refund(&self) -> Option<i64> {
        None
    }

    /// Why the last instruction could not be executed, in a few words: `out of gas`. `None` if it was
    /// executed; otherwise its declared effects did not happen.
    fn failure(&self) -> Option<String> {
        None
    }

    /// How many frames there are: what StepOver and StepOut compare.
    fn depth(&self) -> usize;

    /// The frame that executes the next instruction, on a machine whose frames execute code of different accounts.
    fn frame(&self) -> Option<CallFrame> {
        None
    }

    /// What the last instruction wrote, as far as only the state after it shows that: what a call
    /// transferred, and what was undone because a frame failed. Known only if instructions are executed one
    /// at a time.
    fn wrote(&self) -> Vec<Cell> {
        Vec::new()
    }

    /// What changes a datum of the state other than instructions: `the fee of the transaction`.
    fn changed_besides(&self, at: &Path) -> Option<String> {
        let _ = at;
        None
    }

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
    fn value(&self, cell: &Cell) -> Option<Value> {
        let _ = cell;
        None
    }

    /// The cells that hold a datum of [`Inspect::sections`].
    fn cells_of(&self, datum: &ViewDatum) -> Vec<Cell> {
        match datum {
            ViewDatum::At(path) => self.cells(path),
            ViewDatum::In(cell) => vec![cell.clone()],
        }
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

    /// The name of a cell in the program's source, such as `i of gcd`; `None` if it has none.
    fn cell_name(&self, cell: &Cell) -> Option<String> {
        let _ = cell;
        None
    }

    /// All instructions of the code unit that contains the next instruction.
    fn listing(&self) -> Vec<CodeLine> {
        Vec::new()
    }

    /// The source line of the next instruction, if the program says so.
    fn line(&self) -> Option<u64> {
        None
    }

    /// The cells that hold a datum of the current state, the most specific one first. Empty for what no cell
    /// holds, such as how the run ended.
    fn cells(&self, at: &Path) -> Vec<Cell> {
        let _ = at;
        Vec::new()
    }
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
    /// The program counter at which execution continues, if that does not depend on a condition.
    pub target: Option<usize>,
    /// The cells that it reads, with their values.
    pub reads: Vec<(Cell, Value)>,
    /// The cells that decide whether it succeeds and what it costs, but not a value that it computes, such as
    /// the balance that must cover a call.
    pub needs: Vec<Cell>,
    /// The cells that it writes.
    pub writes: Vec<Cell>,
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
