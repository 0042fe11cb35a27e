//! What a trace or a blame asks of a machine between two instructions: what stands on its stack, and
//! what the next instruction reads and writes.
//!
//! Nothing of this is asked while a program runs unwatched.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::diff::Observe;
use crate::value::{Key, Path, Value, escaped};

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

    /// A value of the operand stack, so many below the top one.
    fn item(&self, below: usize) -> Option<Value> {
        let _ = below;
        None
    }

    /// The compound that a value of the stack refers to, so many below the top one.
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

    /// Why the last instruction could not be executed, in a few words: `out of gas`. None where it was;
    /// otherwise what is said of its effects did not happen.
    fn failure(&self) -> Option<String> {
        None
    }

    /// What the next instruction reads and writes besides what its row says of the stack.
    fn effects(&self) -> Effects {
        Effects::default()
    }

    /// What a cell among [`Effects::writes`] holds now, where a little work finds it out; of a long
    /// one the beginning.
    fn value(&self, cell: &Cell) -> Option<Value> {
        let _ = cell;
        None
    }

    /// The cells that hold a datum of the state as it is now, the most particular one first. None for
    /// what no cell holds, such as how the run ended.
    fn cells(&self, at: &Path) -> Vec<Cell> {
        let _ = at;
        Vec::new()
    }
}

/// A place that programs write.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Cell {
    /// A value of the operand stack, counted from its bottom.
    Stack(usize),
    /// Bytes or words of a memory.
    Range(&'static str, Range<usize>),
    /// Something with a name: a word of storage, a register, a slot of a frame.
    Named(&'static str, Cow<'static, str>),
    /// An item of a compound: of an array by its index, of a map by its key.
    Item(usize, String),
    /// A compound as a whole.
    Compound(usize),
}

impl Cell {
    /// A cell with a name.
    pub fn named(kind: &'static str, name: impl Into<Cow<'static, str>>) -> Cell {
        Cell::Named(kind, name.into())
    }

    /// An item of a compound, as a path goes on to it. Keys of a map that differ in their types only,
    /// which a path numbers, are one.
    pub fn item(compound: usize, key: &Key) -> Cell {
        let name = match key {
            Key::Index(index) => index.to_string(),
            Key::Name(name) => name.split('#').next().unwrap_or_default().to_owned(),
        };
        Cell::Item(compound, name)
    }

    /// Where the program goes on, written by what may go on elsewhere than behind itself.
    pub fn jump() -> Cell {
        Cell::named("jump", "")
    }

    /// A byte of it where one is asked for and it is a range that has it, else all of it.
    #[must_use]
    pub fn part(&self, byte: Option<usize>) -> Cell {
        match (self, byte) {
            (Cell::Range(name, range), Some(byte)) if byte < range.len() => {
                Cell::Range(name, range.start + byte..range.start + byte + 1)
            }
            _ => self.clone(),
        }
    }

    /// Whether it is another cell of the same kind.
    pub fn is_like(&self, other: &Cell) -> bool {
        match (self, other) {
            (Cell::Range(one, _), Cell::Range(other, _)) | (Cell::Named(one, _), Cell::Named(other, _)) => {
                one == other
            }
            (Cell::Item(..) | Cell::Compound(_), Cell::Item(..) | Cell::Compound(_)) => true,
            _ => false,
        }
    }

    /// Whether writing one changes the other.
    pub fn touches(&self, other: &Cell) -> bool {
        match (self, other) {
            (Cell::Range(one, a), Cell::Range(other, b)) => {
                one == other && a.start < b.end && b.start < a.end
            }
            (Cell::Item(one, _), Cell::Compound(other)) | (Cell::Compound(one), Cell::Item(other, _)) => {
                one == other
            }
            (one, other) => one == other,
        }
    }
}

/// As a person reads it: `storage 0x01`, `memory 0x0020..0x0040`.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Stack(index) => write!(f, "stack [{index}]"),
            Cell::Range(space, range) if range.len() == 1 => write!(f, "{space} 0x{:04x}", range.start),
            Cell::Range(space, range) => write!(f, "{space} 0x{:04x}..0x{:04x}", range.start, range.end),
            Cell::Named(kind, name) if name.is_empty() => f.write_str(kind),
            Cell::Named(kind, name) => write!(f, "{kind} {}", escaped(name)),
            Cell::Item(compound, key) => write!(f, "item {} of compound {compound}", escaped(key)),
            Cell::Compound(compound) => write!(f, "compound {compound}"),
        }
    }
}

/// The cells of a datum in an item, the most particular one first: behind those of the compounds on
/// the way to it is `cell`, which holds the item.
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

/// What an instruction reads and writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// How many values it takes from the stack, where its row does not say.
    pub takes: Option<usize>,
    /// What it reads, each with the value that it has.
    pub reads: Vec<(Cell, Value)>,
    /// What it writes.
    pub writes: Vec<Cell>,
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

    /// Adds that all of the compound is read that a value of the stack refers to, so many below the top one.
    pub fn read_compound(&mut self, state: &impl Inspect, below: usize) {
        if let Some(id) = state.compound(below) {
            self.read(Cell::Compound(id), state.item(below));
        }
    }

    /// Adds that it is changed; how it was before counts.
    pub fn change_compound(&mut self, state: &impl Inspect, below: usize) {
        self.read_compound(state, below);
        self.writes.extend(state.compound(below).map(Cell::Compound));
    }
}
