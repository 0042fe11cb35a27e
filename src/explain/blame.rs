//! Finds the instruction that produced a datum: records what instructions read and write, and follows the
//! data flow backwards.
//!
//! A [`Recorder`] watches a run. After a step of the case, it answers questions about data of the state: from
//! the cell that holds a datum it goes back to the instruction that last wrote the cell, then to those that
//! wrote the inputs of that one, and so on. It works for every machine: [`Inspect`] reports what each
//! instruction reads and writes.
//!
//! Only a limited number of instructions is kept. An instruction that is too old is found by a [`WriterSearch`],
//! which keeps only instruction numbers; then another recorder keeps the instructions before it.

mod chain;
mod question;
mod ranges;
mod row_deviation;
mod search;
mod stack;
mod variables;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use num_bigint::{BigInt, Sign};

use self::chain::{CellOrigin, CellWriter, Chains, VectorChange};
pub use self::question::{AskedDatum, Question, WrongPart};
use self::row_deviation::Declared;
pub use self::search::{Counter, SoughtDatum, WriterSearch};
use self::stack::{Creation, written_by_failure};
pub(super) use self::stack::{moved, taken, top, written};
use self::variables::KnownVariables;

use crate::isa::OpInfo;
use crate::machines::inspect::{Effects, GasCount, Inspect, frame_of, function_of_pc, written_cells};
use crate::machines::machine::{At, Watch};
use crate::model::{
    Blame, BlameAnswer, BlameInput, Cell, CodePlace, ExecutedInstruction, Path, PathKey, RowDeviation,
    SpentGas, Undeclared, Value,
};

/// How many instructions are kept. Finding an older one takes a [`WriterSearch`].
pub const WINDOW: usize = 200_000;

/// The maximum size, in bytes, of the values of the kept instructions, not counting a fixed size per
/// instruction. If values are large, fewer instructions are kept.
const MAX_BYTES: usize = 1 << 27;

/// The maximum number of [`Recorder::earlier`] instructions.
const MAX_EARLIER: usize = 8;

/// How many stack values are kept for each instruction.
const SHOWN: usize = 6;

/// Which instructions a [`Recorder`] sees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WatchedInstructions {
    /// All instructions, which is needed to sum up gas and to recognise new compounds.
    #[default]
    All,
    /// Only those that it keeps and all later ones; earlier instructions run at full speed.
    Kept,
}

/// Watches a run and answers questions about the state after steps of its case.
#[derive(Default)]
pub struct Recorder {
    questions: Vec<Question>,
    /// The numbers of the instructions to keep.
    keep: Range<u64>,
    seen: WatchedInstructions,
    step: u64,
    records: VecDeque<ExecutedInstruction>,
    /// What the vector changed between instructions.
    changes: Vec<VectorChange>,
    /// How many steps of the vector are done.
    vector_steps: usize,
    /// The size of the values in `records`, in bytes.
    bytes: usize,
    /// The gas before the last instruction.
    gas: Option<GasCount>,
    last_op: Option<&'static OpInfo>,
    /// Whether the effects of the last instruction are yet to be recorded.
    pending: bool,
    /// What the row of the last instruction declares, if it is kept.
    declared: Option<Declared>,
    /// What the row of the last instruction declares about where execution continues, until that is known.
    awaited_jump: Option<Declared>,
    /// Which stack items the last instruction moves, and where it stores one: its [`Effects::moves`] and
    /// [`Effects::stores`].
    moves: Vec<usize>,
    stores: Option<Cell>,
    /// The program counter after the last instruction if it does not jump.
    after: usize,
    variables: KnownVariables,
    /// The first kept instruction before the first question that did not do what its row declares.
    pub row_deviation: Option<RowDeviation>,
    /// What the last instruction creates, if it is kept.
    creates: Option<Creation>,
    /// The answers, in the order of the questions and their paths.
    pub answers: Vec<BlameAnswer>,
    /// The data that no kept instruction wrote, if some instructions were dropped.
    pub sought: Vec<SoughtDatum>,
    /// The gas spent on each kind of instruction up to the last question, on a machine with gas.
    pub spent: BTreeMap<&'static str, SpentGas>,
    /// The instructions up to where the run is wrong, the latest one last.
    pub before_end: Vec<ExecutedInstruction>,
    /// How many instructions were executed up to there.
    pub asked_after: u64,
    /// The last execution of each instruction up to there but the last one, those executed least often first.
    pub earlier: Vec<ExecutedInstruction>,
    /// After how many instructions the run is wrong; `None` if the first question says when.
    wrong_after: Option<u64>,
    /// The innermost list that contains the first datum of the questions, with its path.
    pub list: Option<(Path, Value)>,
    most_before_end: usize,
}

impl Recorder {
    /// A recorder that keeps the instructions with these numbers. [`Recorder::before_end`] has at most the
    /// last `most_before_end` of them.
    pub fn new(
        questions: Vec<Question>,
        keep: Range<u64>,
        seen: WatchedInstructions,
        most_before_end: usize,
    ) -> Recorder {
        Recorder { questions, keep, seen, most_before_end, ..Recorder::default() }
    }

    /// Sets after how many instructions the run is known to be wrong; without it, the first question decides.
    #[must_use]
    pub fn wrong_after(self, step: Option<u64>) -> Recorder {
        Recorder { wrong_after: step, ..self }
    }

    /// Records what led to the point where the run is wrong, once.
    fn record_end(&mut self) {
        if !self.before_end.is_empty() {
            return;
        }
        self.asked_after = self.step;
        let skipped = self.records.len().saturating_sub(self.most_before_end);
        self.before_end = self.records.iter().skip(skipped).cloned().collect();
        self.earlier = earlier(&self.records);
    }

    /// Keeps an instruction, and drops the oldest ones that exceed the limits.
    fn keep(&mut self, executed: ExecutedInstruction) {
        self.bytes += executed.bytes();
        self.records.push_back(executed);
        while self.records.len() > WINDOW || self.bytes > MAX_BYTES && self.records.len() > 1 {
            let oldest = self.records.pop_front();
            self.bytes -= oldest.map_or(0, |oldest| oldest.bytes());
        }
    }

    /// Compares where execution continued after the last instruction with what its row declares.
    fn check_jump(&mut self, state: &dyn Inspect, pc: usize) {
        let what = self.awaited_jump.take().and_then(|declared| declared.jump(state, pc));
        if self.row_deviation.is_none() && self.before_end.is_empty() {
            let last = self.records.back().cloned();
            self.row_deviation = what.zip(last).map(|(what, by)| RowDeviation { by, what });
        }
    }

    /// Completes the record of the last instruction with what only the state after it shows. `pc` is where
    /// execution continues, if the machine is about to execute the next instruction.
    fn complete(&mut self, state: &dyn Inspect, pc: Option<usize>) {
        if !std::mem::take(&mut self.pending) {
            return;
        }
        let pushes = self.last_op.map_or(0, |op| op.pushes.into());
        let created = self.creates.take().and_then(|creation| creation.created(state));
        self.count_gas(state);
        let declared = self.declared.take();
        let Some(last) = self.records.back_mut().filter(|last| last.step + 1 == self.step) else { return };
        last.cost = self.gas.zip(state.gas()).map(|(before, after)| before.left.saturating_sub(after.left));
        last.writes = written_cells(std::mem::take(&mut last.writes), state);
        let (moves, stores) = (std::mem::take(&mut self.moves), self.stores.take());
        let left = last.top.saturating_sub(last.taken);
        last.failure = state.failure();
        if last.failure.is_some() {
            last.written = written_by_failure(left, last.top, top(state));
            last.moved = stayed(last, state);
        } else {
            last.written = written(left, pushes, top(state));
            last.moved = moved_cells(last, &moves, stores, state);
        }
        let went = pc.map(|pc| CodePlace { pc, function: function_of_pc(state) });
        last.went = went.filter(|went| went.pc != self.after || went.function != last.at.function);
        last.writes.extend(created);
        if self.row_deviation.is_none() && self.before_end.is_empty() {
            let besides = self.variables.changed_besides(&last.writes, state);
            let what = declared.as_ref().and_then(|declared| declared.row_deviation(state));
            let what = what.or(besides.map(|cell| Undeclared::Write { cell }));
            self.row_deviation = what.map(|what| RowDeviation { by: last.clone(), what });
            self.awaited_jump = declared;
            self.variables.keep(&last.writes, state);
        }
    }

    fn count_gas(&mut self, state: &dyn Inspect) {
        if self.seen != WatchedInstructions::All {
            return;
        }
        let (Some(op), Some(before), Some(after)) = (self.last_op.take(), self.gas, state.gas()) else {
            return;
        };
        let spent = self.spent.entry(op.name).or_default();
        let cost = before.left.saturating_sub(after.left);
        spent.count += 1;
        spent.gas += cost;
        spent.unlike_row += u64::from(cost != op.gas);
        spent.by_row += op.gas;
        spent.refund += before.refund.zip(after.refund).map_or(0, |(before, after)| after - before);
    }

    fn answer(&mut self, number: usize, state: &dyn Inspect) {
        let questions = std::mem::take(&mut self.questions);
        for (_, data) in questions.iter().filter(|question| question.0 == number) {
            self.record_end();
            if self.list.is_none() {
                self.list = data.first().and_then(|datum| list_of(&datum.at, state));
            }
            let chains = Chains::new(&self.records, &self.changes);
            let answers: Vec<_> = data.iter().map(|datum| self.made(&chains, datum, state)).collect();
            for (datum, answer) in data.iter().zip(answers) {
                if let BlameAnswer::NotWritten { of_last: Some(_), .. } = answer {
                    let (answer, cells) = (self.answers.len(), datum.cells(state));
                    let question = (number, vec![datum.clone()]);
                    self.sought.push(SoughtDatum { answer, question, cells, end: self.step });
                }
                self.answers.push(answer);
            }
        }
        self.questions = questions;
    }

    fn made(&self, chains: &Chains<'_>, datum: &AskedDatum, state: &dyn Inspect) -> BlameAnswer {
        let cells = datum.cells(state);
        let blame = |writer: CellWriter<'_>| {
            let left_by =
                (datum.wrong == WrongPart::Surplus).then(|| self.left_by(&writer, cells.first())).flatten();
            Box::new(Blame { left_by, ..chains.blame(writer, datum.wrong.byte()) })
        };
        let Some(first) = cells.first() else {
            // An instruction that reads nothing decides nothing, unless it failed.
            let decides =
                |record: &&ExecutedInstruction| state.failure().is_some() || !record.inputs.is_empty();
            let last = self.records.iter().rev().find(decides);
            return BlameAnswer::NoCell(last.or(self.records.back()).map(CellWriter::only).map(blame));
        };
        let end = self.step;
        match cells.iter().find_map(|cell| chains.origin(cell, end)) {
            Some(CellOrigin::Instruction(writer)) => return BlameAnswer::By(blame(writer)),
            Some(CellOrigin::Vector(step)) => {
                let besides = Some(format!("the vector sets it before vector step {step}"));
                return BlameAnswer::NotWritten { near: None, of_last: None, besides };
            }
            None => {}
        }
        let is_near = |record: &&ExecutedInstruction| record.writes.iter().any(|cell| cell.is_like(first));
        let near = self.records.iter().rev().find(is_near);
        let kept = self.records.len() as u64;
        BlameAnswer::NotWritten {
            near: near.map(CellWriter::only).map(blame),
            of_last: (kept < self.step).then_some(kept),
            besides: state.transaction().and_then(|it| it.changed_besides(&datum.at)),
        }
    }

    /// The last instruction that popped all values above a stack cell, but not the one in it.
    fn left_by(&self, writer: &CellWriter<'_>, cell: Option<&Cell>) -> Option<ExecutedInstruction> {
        let Some(Cell::Stack(at)) = cell else { return None };
        let since = self.records.iter().rev().take_while(|record| record.step > writer.by.step);
        let is_above = |record: &&ExecutedInstruction| {
            // DUP and SWAP leave what they pop.
            let kept = record.moved.iter().filter(|(to, _)| matches!(to, Cell::Stack(_))).count();
            kept < record.taken && record.top == at + 1 + record.taken
        };
        since.into_iter().find(is_above).cloned()
    }
}

/// See [`Recorder::earlier`].
fn earlier(records: &VecDeque<ExecutedInstruction>) -> Vec<ExecutedInstruction> {
    let Some(last) = records.back() else { return Vec::new() };
    let mut executions: BTreeMap<_, (usize, &ExecutedInstruction)> = BTreeMap::new();
    for record in records.iter().filter(|record| record.op.is_some() && record.op != last.op) {
        let executed = executions.entry(record.op).or_insert((0, record));
        *executed = (executed.0 + 1, record);
    }
    let mut executions: Vec<_> = executions.into_values().collect();
    executions.sort_by_key(|(count, latest)| (*count, std::cmp::Reverse(latest.step)));
    executions.into_iter().take(MAX_EARLIER).map(|(_, latest)| latest.clone()).collect()
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

/// The innermost list on the path to a datum of the state.
fn list_of(path: &Path, state: &dyn Inspect) -> Option<(Path, Value)> {
    let keys = path.keys();
    let PathKey::Name(field) = keys[0] else { return None };
    let found = keys[1..].iter().try_fold(state.observe(field)?, |value, key| value.child(key).cloned());
    let list = found
        .map(|found| if let Value::Typed(_, inner) = found { Arc::unwrap_or_clone(inner) } else { found });
    match list {
        Some(list @ Value::List(_)) => Some((path.clone(), list)),
        _ => list_of(path.parent()?, state),
    }
}

impl ExecutedInstruction {
    fn new(step: u64, at: &At<'_>, effects: Effects) -> ExecutedInstruction {
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

    /// The size of its values and its text, in bytes.
    fn bytes(&self) -> usize {
        let inputs = self.inputs.iter().map(|input| bytes(&input.value));
        let stack = self.stack.iter().map(bytes);
        self.text.len() + inputs.chain(stack).sum::<usize>()
    }

    fn writes_to(&self, cell: &Cell) -> bool {
        match cell {
            Cell::Stack(at) if self.written.contains(at) => true,
            other => self.writes.iter().any(|written| written.touches(other)),
        }
    }

    fn moved_from(&self, cell: &Cell) -> Option<usize> {
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

impl Watch for Recorder {
    fn passes_over(&self) -> u64 {
        match self.seen {
            WatchedInstructions::All => 0,
            WatchedInstructions::Kept => self.keep.start.saturating_sub(self.step),
        }
    }

    fn passed_over(&mut self, count: u64) {
        self.step += count;
    }

    fn before(&mut self, at: &At<'_>) {
        self.complete(at.state, Some(at.pc));
        self.check_jump(at.state, at.pc);
        if self.wrong_after == Some(self.step) {
            self.record_end();
        }
        self.gas = at.state.gas();
        self.last_op = at.op;
        self.pending = true;
        if self.keep.contains(&self.step) {
            let mut effects = at.state.effects();
            self.creates = Creation::before(&effects, at.state);
            (self.moves, self.stores) = (std::mem::take(&mut effects.moves), effects.stores.take());
            self.declared = Declared::of(at, &effects);
            self.variables.keep(effects.reads.iter().map(|read| &read.0), at.state);
            self.after = at.pc + 1 + at.operand.len();
            self.keep(ExecutedInstruction::new(self.step, at, effects));
        }
        self.step += 1;
    }

    fn set(&mut self, changes: &Value, state: &dyn Inspect) {
        let cells = state.set_cells(changes);
        let (after, step) = (self.step, self.vector_steps + 1);
        self.changes.extend((!cells.is_empty()).then_some(VectorChange { after, step, cells }));
    }

    /// Changes between two actions are not attributed to an instruction.
    fn pause(&mut self, state: &dyn Inspect) {
        if !self.pending {
            // Something other than an instruction may have changed the program counter.
            self.awaited_jump = None;
            self.variables.forget();
        }
        self.complete(state, None);
    }

    fn after_step(&mut self, number: usize, state: &dyn Inspect) {
        self.complete(state, None);
        self.vector_steps = number;
        self.answer(number, state);
    }
}

#[cfg(test)]
mod tests;
