//! What a trace or a blame asks of a machine between two instructions: what stands on its stack, and
//! what the next instruction reads and writes.
//!
//! An unwatched run calls none of these.

use std::fmt;

use crate::model::cell::Cell;

use super::observe::Observe;
use super::view::{CodeLine, Datum, Section};
use crate::model::path::{Key, Path};
use crate::model::value::Value;

/// A machine in front of an instruction, or at its end.
pub trait Inspect: Observe {
    /// The next instruction as a person writes it: `PUSH1 0x2a`.
    fn instruction(&self) -> String;

    /// Where in the source of the program the next instruction is, where the program says so: `main,
    /// line 7`.
    fn source(&self) -> Option<String> {
        None
    }

    /// How many values are on the operand stack, those of all frames that share it; 0 for a machine
    /// without one.
    fn height(&self) -> usize {
        0
    }

    /// The most values of the operand stack; `None` for a machine that limits something else.
    fn stack_limit(&self) -> Option<usize> {
        None
    }

    /// How many references the machine counts, one for each value of the operand stack among them; `None` for a
    /// machine without such a count.
    fn references(&self) -> Option<usize> {
        None
    }

    /// Whether the next instruction may find out that there are fewer [`Inspect::references`] than were counted.
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

    /// Gas left, of a machine that has it.
    fn gas(&self) -> Option<u64> {
        None
    }

    /// Gas that instructions took so far and gave back later. The price of an instruction is by how
    /// much [`Inspect::gas`] falls and this rises.
    fn given_back(&self) -> u64 {
        0
    }

    /// Gas that the transaction gets back at its end for what instructions did so far.
    fn refund(&self) -> Option<i64> {
        None
    }

    /// Why the last instruction could not be executed, in a few words: `out of gas`. `None` if it was executed;
    /// otherwise what is said of its effects did not happen.
    fn failure(&self) -> Option<String> {
        None
    }

    /// How many frames there are: what StepOver and StepOut compare.
    fn depth(&self) -> usize;

    /// The frame that executes the next instruction, of a machine whose frames execute code of different accounts.
    fn frame(&self) -> Option<Frame> {
        None
    }

    /// What the last instruction wrote, where only the state after it shows that: what a call transferred, and
    /// what was undone because a frame failed. Known only where instructions are executed one at a time.
    fn wrote(&self) -> Vec<Cell> {
        Vec::new()
    }

    /// What else than an instruction changes a datum of the state: `the fee of the transaction`.
    fn changed_besides(&self, at: &Path) -> Option<String> {
        let _ = at;
        None
    }

    /// What the next instruction reads and writes besides the stack items that its row counts.
    fn effects(&self) -> Effects {
        self.declared(&|_| true)
    }

    /// As [`Inspect::effects`], by the declarations of its row (see [`OpInfo::effects`]) alone whose
    /// index, from 0, `counts`.
    ///
    /// [`OpInfo::effects`]: crate::isa::OpInfo::effects
    fn declared(&self, counts: &dyn Fn(usize) -> bool) -> Effects;

    /// What a cell among [`Effects::writes`] holds now, where that takes little work; of a long one the
    /// beginning.
    fn value(&self, cell: &Cell) -> Option<Value> {
        let _ = cell;
        None
    }

    /// The cells that hold a datum of [`Inspect::sections`].
    fn cells_of(&self, datum: &Datum) -> Vec<Cell> {
        match datum {
            Datum::At(path) => self.cells(path),
            Datum::In(cell) => vec![cell.clone()],
        }
    }

    /// The state as a person looks at it.
    fn sections(&self) -> Vec<Section> {
        Vec::new()
    }

    /// The number of the code that the next instruction is in, such as a function: the same number means the
    /// same [`Inspect::listing`].
    fn unit(&self) -> usize {
        0
    }

    /// The function that the next instruction is in, by its name; `None` for a machine without functions.
    fn function(&self) -> Option<String> {
        None
    }

    /// What the program's source calls a cell: `i of gcd`; `None` where it has no name for it.
    fn cell_name(&self, cell: &Cell) -> Option<String> {
        let _ = cell;
        None
    }

    /// All instructions of the code that the next instruction is in.
    fn listing(&self) -> Vec<CodeLine> {
        Vec::new()
    }

    /// The line of the source that the next instruction was made of, where the program says so.
    fn line(&self) -> Option<u64> {
        None
    }

    /// The cells that hold a datum of the state as it is now, the most particular one first. None for
    /// what no cell holds, such as how the run ended.
    fn cells(&self, at: &Path) -> Vec<Cell> {
        let _ = at;
        Vec::new()
    }
}

/// The cells of a datum in an item, the most particular one first: those of the compounds on the way
/// to it, then `cell`, which holds the item.
pub fn cells_inside<I>(
    cell: Cell,
    mut item: Option<I>,
    way: &[&Key],
    compound: impl Fn(&I) -> Option<usize>,
    child: impl Fn(&I, &Key) -> Option<I>,
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
pub struct Frame {
    /// How many frames there are, this one included.
    pub depth: usize,
    /// The address of the account that the code belongs to, as a key of the state.
    pub code: String,
    /// The gas that this frame has left.
    pub gas: u64,
    /// The number of the lowest item of its stack among [`Cell::Stack`], so that frames have different cells.
    pub stack: usize,
}

/// As a person reads it: `frame 2, code of 0x…`.
impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {}, code of {}", self.depth, self.code)
    }
}

/// What an instruction reads and writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// How many values it takes from the stack, where its row does not say.
    pub takes: Option<usize>,
    /// How many values it leaves in their place, where its row does not say.
    pub leaves: Option<usize>,
    /// The program counter at which it goes on, where that depends on no condition.
    pub target: Option<usize>,
    /// What it reads, each with the value that it has.
    pub reads: Vec<(Cell, Value)>,
    /// What decides whether it succeeds and what it costs, but no value that it computes: the balance
    /// that a call must be covered by.
    pub needs: Vec<Cell>,
    /// What it writes.
    pub writes: Vec<Cell>,
    /// The address of the account whose code it calls.
    pub calls: Option<String>,
}

impl Effects {
    /// Adds something that is read, where it is there.
    pub fn read(&mut self, cell: Cell, value: Option<Value>) {
        self.reads.push((cell, value.unwrap_or(Value::Null)));
    }

    /// Adds something that is written.
    pub fn write(&mut self, cell: Cell) {
        self.writes.push(cell);
    }
}
