//! The instructions that are kept: as many of the last ones as there is room for.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use num_bigint::{BigInt, Sign};

use super::stack::{moved, taken, top, written, written_by_failure};
use crate::machines::inspect::{Effects, Inspect, frame_of, function_of_pc};
use crate::machines::machine::At;
use crate::model::{BlameInput, Cell, CodePlace, ExecutedInstruction, Value};

/// How many instructions are kept. Finding an older one takes a [`WriterSearch`](super::WriterSearch).
pub const WINDOW: usize = 200_000;

/// The maximum size, in bytes, of the values of the kept instructions, not counting a fixed size per
/// instruction. If values are large, fewer instructions are kept.
pub(super) const MAX_BYTES: usize = 1 << 27;

/// The maximum number of [`KeptInstructions::rare`] ones.
const MAX_RARE: usize = 8;

/// How many stack values are kept for each instruction.
const SHOWN: usize = 6;

/// The last instructions with certain numbers.
#[derive(Default)]
pub(super) struct KeptInstructions {
    /// The numbers of those to keep.
    pub(super) numbers: Range<u64>,
    pub(super) records: VecDeque<ExecutedInstruction>,
    /// The size of their values, in bytes.
    pub(super) bytes: usize,
}

impl KeptInstructions {
    /// Adds an instruction, and drops the oldest ones that exceed the limits.
    pub(super) fn add(&mut self, executed: ExecutedInstruction) {
        self.bytes += executed.bytes();
        self.records.push_back(executed);
        while self.records.len() > WINDOW || self.bytes > MAX_BYTES && self.records.len() > 1 {
            let oldest = self.records.pop_front();
            self.bytes -= oldest.map_or(0, |oldest| oldest.bytes());
        }
    }

    /// The last `most` of them, the latest one last.
    pub(super) fn last(&self, most: usize) -> Vec<ExecutedInstruction> {
        self.records.iter().skip(self.records.len().saturating_sub(most)).cloned().collect()
    }

    /// The last execution of each instruction but the last one, those executed least often first.
    pub(super) fn rare(&self) -> Vec<ExecutedInstruction> {
        let Some(last) = self.records.back() else { return Vec::new() };
        let mut executions: BTreeMap<_, (usize, &ExecutedInstruction)> = BTreeMap::new();
        for record in self.records.iter().filter(|record| record.op.is_some() && record.op != last.op) {
            let executed = executions.entry(record.op).or_insert((0, record));
            *executed = (executed.0 + 1, record);
        }
        let mut executions: Vec<_> = executions.into_values().collect();
        executions.sort_by_key(|(count, latest)| (*count, std::cmp::Reverse(latest.step)));
        executions.into_iter().take(MAX_RARE).map(|(_, latest)| latest.clone()).collect()
    }
}

impl ExecutedInstruction {
    /// The instruction that is about to be executed, with what only the state before it shows.
    pub(super) fn new(step: u64, at: &At<'_>, effects: Effects) -> ExecutedInstruction {
        let state = at.state;
        let Effects { takes, reads, writes, .. } = effects;
        let height = state.height();
        let takes = taken(takes, at.op, height);
        let stack: Vec<_> = (0..takes.max(SHOWN).min(height)).filter_map(|below| state.item(below)).collect();
        let top = top(state);
        let operand = |(below, value): (usize, &Value)| BlameInput {
            cell: Cell::Stack(top - 1 - below),
            name: None,
            value: value.clone(),
        };
        let operands = stack.iter().take(takes).enumerate().map(operand);
        let source = state.source();
        let reads = reads.into_iter().map(|(cell, value)| {
            let name = source.and_then(|source| source.cell_name(&cell));
            BlameInput { cell, name, value }
        });
        ExecutedInstruction {
            step,
            at: CodePlace { pc: at.pc, function: function_of_pc(state) },
            op: at.op.map(|op| op.name),
            pushes: at.op.map_or(0, |op| op.pushes),
            text: state.instruction(),
            frame: frame_of(state).map(|frame| frame.to_string()),
            inputs: operands.chain(reads).collect(),
            height,
            top,
            taken: takes,
            stack: stack.iter().take(SHOWN).cloned().collect(),
            cost: None,
            went: None,
            failure: None,
            writes,
            written: 0..0,
            moved: Vec::new(),
        }
    }

    /// Adds which stack slots it wrote and which values it only moved, as the state after it shows. `pushes`, `moves`
    /// and `stores` are what its row declares.
    pub(super) fn add_stack(
        &mut self,
        pushes: usize,
        moves: &[usize],
        stores: Option<Cell>,
        state: &dyn Inspect,
    ) {
        let left = self.top.saturating_sub(self.taken);
        self.failure = state.failure();
        if self.failure.is_some() {
            self.written = written_by_failure(left, self.top, top(state));
            self.moved = stayed(self, state);
        } else {
            self.written = written(left, pushes, top(state));
            self.moved = moved_cells(self, moves, stores, state);
        }
    }

    /// The size of its values and its text, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let inputs = self.inputs.iter().map(|input| bytes(&input.value));
        let stack = self.stack.iter().map(bytes);
        self.text.len() + inputs.chain(stack).sum::<usize>()
    }

    pub(super) fn writes_to(&self, cell: &Cell) -> bool {
        match cell {
            Cell::Stack(at) if self.written.contains(at) => true,
            other => self.writes.iter().any(|written| written.touches(other)),
        }
    }

    pub(super) fn moved_from(&self, cell: &Cell) -> Option<usize> {
        self.moved.iter().find(|(to, _)| to.contains(cell)).map(|(_, from)| *from)
    }
}

/// The slots of operands that an instruction left as they were, each with itself.
fn stayed(last: &ExecutedInstruction, state: &dyn Inspect) -> Vec<(Cell, usize)> {
    let top = top(state);
    let operands = last.inputs[..last.taken].iter();
    let stayed = operands.filter_map(|operand| match operand.cell {
        Cell::Stack(at) => {
            (state.item(top.checked_sub(at + 1)?)? == operand.value).then_some((Cell::Stack(at), at))
        }
        _ => None,
    });
    stayed.collect()
}

/// The cells to which an instruction only moved a value, with the slots that the values came from. DUP, SWAP and
/// instructions that store a value are not blamed for the values that they move.
fn moved_cells(
    last: &ExecutedInstruction,
    moves: &[usize],
    stores: Option<Cell>,
    state: &dyn Inspect,
) -> Vec<(Cell, usize)> {
    let top = top(state);
    // A faulty instruction may not do what its row says.
    let is_done = |(to, from): &(usize, usize)| {
        let before = last.inputs.iter().find(|input| input.cell == Cell::Stack(*from));
        before.is_some_and(|before| state.item(top - 1 - to).as_ref() == Some(&before.value))
    };
    let on_stack = moved(moves, last.top, top).filter(is_done).map(|(to, from)| (Cell::Stack(to), from));
    // Which frame stored a value matters as much as what produced it.
    let stores = stores.filter(|_| last.frame.is_none());
    let stored = stores.and_then(|written| stored(last, &written, state));
    on_stack.chain(stored).collect()
}

/// The cell in which an instruction stored the lowest value that it popped, if it did, and the slot of that value.
fn stored(last: &ExecutedInstruction, written: &Cell, state: &dyn Inspect) -> Option<(Cell, usize)> {
    let operand = last.inputs[..last.taken].last()?;
    let value = state.value(written)?;
    let number = unsigned(&value);
    let is_it = operand.value == value || number.is_some() && unsigned(&operand.value) == number;
    match operand.cell {
        Cell::Stack(from) if is_it => Some((written.clone(), from)),
        _ => None,
    }
}

/// A number, or the number that these bytes represent.
fn unsigned(value: &Value) -> Option<BigInt> {
    match value {
        Value::Int(number) => Some(number.clone()),
        Value::Bytes(bytes) => Some(BigInt::from_bytes_be(Sign::Plus, bytes)),
        _ => None,
    }
}

/// The approximate size of a value, in bytes.
fn bytes(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::Null | Value::Bool(_) => 0,
            Value::Int(number) => number.bits() as usize / 8,
            Value::Bytes(bytes) => bytes.len(),
            Value::Text(text) => text.len(),
            Value::List(items) => items.iter().map(bytes).sum(),
            Value::Record(members) => members.iter().map(|(name, value)| name.len() + bytes(value)).sum(),
            Value::Typed(_, value) => bytes(value),
        }
}
