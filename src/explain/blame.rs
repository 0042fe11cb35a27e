//! Finds the instruction that produced a datum: records what instructions read and write, and follows the
//! data flow backwards.
//!
//! A [`Recorder`] watches a run. After a step of the case it is asked about data of the state: from the cell
//! that holds a datum it goes back to the instruction that last wrote the cell, from there to those that
//! wrote what that one read, and so on. It does not depend on a machine: [`Inspect`] reports what each
//! instruction reads and writes.
//!
//! Only a limited number of instructions is kept. If an instruction is too old to be among them, a
//! [`Search`], which keeps only instruction numbers, finds it, and another recorder keeps the instructions up
//! to it.

use crate::model::explanation::{Answer, Blame, Executed, Input, Spent};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ops::Range;

use crate::isa::OpInfo;
use crate::machines::inspect::{Effects, Inspect};
use crate::machines::machine::{At, Watch};
use crate::model::cell::Cell;
use crate::model::path::{Key, Path};
use crate::model::value::Value;

/// How many instructions are kept. Finding an older one takes a [`Search`].
pub const WINDOW: usize = 200_000;

/// The most memory, in bytes, that the values of the kept instructions take, besides a fixed size for each
/// instruction. If values are large, fewer instructions are kept.
const MOST_BYTES: usize = 1 << 27;

/// The most instructions in one answer, not counting those that only moved a value.
const MOST: usize = 7;

/// How many stack values are kept for each instruction.
const SHOWN: usize = 6;

/// A question about the state: the number of the step after which it is asked, from 1, and the data.
pub type Question = (usize, Vec<Datum>);

/// A datum to trace.
#[derive(Debug, Clone)]
pub struct Datum {
    /// Its path.
    pub at: Path,
    /// Which of its bytes; `None` for the whole datum.
    pub byte: Option<usize>,
}

/// Which instructions a [`Recorder`] sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// All of them, which is needed to sum up the gas and to recognise new compounds.
    All,
    /// Those that it keeps and all later ones; the instructions before run at full speed.
    Kept,
}

/// Watches a run and answers questions about the state after steps of its case.
pub struct Recorder {
    questions: Vec<Question>,
    /// The numbers of the instructions to keep.
    keep: Range<u64>,
    seen: Seen,
    step: u64,
    records: VecDeque<Executed>,
    /// The size of the values in `records`, in bytes.
    bytes: usize,
    /// The gas before the last instruction.
    gas: Option<u64>,
    /// The refund before the last instruction.
    refund: Option<i64>,
    last_op: Option<&'static OpInfo>,
    /// Whether the effects of the last instruction are not recorded yet.
    pending: bool,
    compounds: HashSet<usize>,
    /// The answers, in the order of the questions and their paths.
    pub cache: Vec<Answer>,
    /// The data that no kept instruction wrote, if some instructions were dropped.
    pub sought: Vec<Sought>,
    /// The gas spent on each kind of instruction up to the last question, on a machine with gas.
    pub spent: BTreeMap<&'static str, Spent>,
    /// The instructions before the first question, the latest one last.
    pub before_end: Vec<Executed>,
    /// How many instructions were executed before the first question.
    pub asked_after: u64,
    /// The innermost list that contains the first datum of the questions, with its path.
    pub list: Option<(Path, Value)>,
    most_before_end: usize,
}

impl Recorder {
    /// A recorder that keeps the instructions with these numbers. [`Recorder::before_end`] has at most the
    /// last `most_before_end` of them.
    pub fn new(questions: Vec<Question>, keep: Range<u64>, seen: Seen, most_before_end: usize) -> Recorder {
        Recorder {
            questions,
            keep,
            seen,
            step: 0,
            records: VecDeque::new(),
            bytes: 0,
            gas: None,
            refund: None,
            last_op: None,
            pending: false,
            compounds: HashSet::new(),
            cache: Vec::new(),
            sought: Vec::new(),
            spent: BTreeMap::new(),
            before_end: Vec::new(),
            asked_after: 0,
            list: None,
            most_before_end,
        }
    }

    /// Keeps an instruction, and drops the oldest ones that exceed the limits.
    fn keep(&mut self, executed: Executed) {
        self.bytes += executed.bytes();
        self.records.push_back(executed);
        while self.records.len() > WINDOW || self.bytes > MOST_BYTES && self.records.len() > 1 {
            let oldest = self.records.pop_front();
            self.bytes -= oldest.map_or(0, |oldest| oldest.bytes());
        }
    }

    /// Completes the last instruction with what only the state after it shows.
    fn complete(&mut self, state: &dyn Inspect) {
        if !std::mem::take(&mut self.pending) {
            return;
        }
        let pushes = self.last_op.map_or(0, |op| op.pushes.into());
        // If some instructions were not seen, a compound that seems new may be old.
        let created = created(pushes, state, &mut self.compounds).filter(|_| self.seen == Seen::All);
        self.count_gas(state);
        let Some(last) = self.records.back_mut().filter(|last| last.step + 1 == self.step) else { return };
        last.cost = self.gas.zip(state.gas()).map(|(before, after)| before.saturating_sub(after));
        last.written = written(last.top.saturating_sub(last.taken()), pushes, top(state));
        last.moved = moved(last, pushes, state);
        last.writes.extend(created);
        last.writes.extend(state.wrote());
    }

    fn count_gas(&mut self, state: &dyn Inspect) {
        if self.seen != Seen::All {
            return;
        }
        let (Some(op), Some(before), Some(after)) = (self.last_op.take(), self.gas, state.gas()) else {
            return;
        };
        let spent = self.spent.entry(op.name).or_default();
        let cost = before.saturating_sub(after);
        spent.count += 1;
        spent.gas += cost;
        spent.unlike_row += u64::from(cost != op.gas);
        spent.by_row += op.gas;
        spent.refund += self.refund.zip(state.refund()).map_or(0, |(before, after)| after - before);
    }

    fn answer(&mut self, number: usize, state: &dyn Inspect) {
        let questions = std::mem::take(&mut self.questions);
        for (_, data) in questions.iter().filter(|question| question.0 == number) {
            if self.before_end.is_empty() {
                self.asked_after = self.step;
                let skipped = self.records.len().saturating_sub(self.most_before_end);
                self.before_end = self.records.iter().skip(skipped).cloned().collect();
            }
            if self.list.is_none() {
                self.list = data.first().and_then(|datum| list_of(&datum.at, state));
            }
            for datum in data {
                let answer = self.made(datum, state);
                if let Answer::NotWritten { of_last: Some(_), .. } = answer {
                    let (answer, cells) = (self.cache.len(), state.cells(&datum.at));
                    let question = (number, vec![datum.clone()]);
                    self.sought.push(Sought { answer, question, cells, end: self.step });
                }
                self.cache.push(answer);
            }
        }
        self.questions = questions;
    }

    fn made(&self, datum: &Datum, state: &dyn Inspect) -> Answer {
        let cells = state.cells(&datum.at);
        let blame = |writer| Box::new(self.blame(writer, datum.byte));
        let Some(first) = cells.first() else {
            // An instruction that reads nothing decides nothing.
            let last = self.records.iter().rev().find(|record| !record.inputs.is_empty());
            return Answer::NoCell(last.or(self.records.back()).map(Writer::only).map(blame));
        };
        let end = self.step;
        if let Some(writer) = cells.iter().find_map(|cell| self.writer(cell, end)) {
            return Answer::By(blame(writer));
        }
        let is_near = |record: &&Executed| record.writes.iter().any(|cell| cell.is_like(first));
        let near = self.records.iter().rev().find(is_near);
        let kept = self.records.len() as u64;
        Answer::NotWritten {
            near: near.map(Writer::only).map(blame),
            of_last: (kept < self.step).then_some(kept),
            besides: state.changed_besides(&datum.at),
        }
    }

    /// An instruction, with those that wrote its inputs. With `byte`, only that byte of the datum is followed
    /// if the instruction copied the datum.
    fn blame(&self, root: Writer<'_>, byte: Option<usize>) -> Blame {
        let before = self.jump_before(root.by.step);
        let mut blame = self.follow(root, byte);
        blame.reached_by = before.map(|by| Box::new(self.follow(Writer::only(by), None)));
        blame
    }

    /// Breadth first: all operands of an instruction are followed before the operands of those.
    fn follow(&self, root: Writer<'_>, byte: Option<usize>) -> Blame {
        let mut found = vec![Followed::new(root)];
        let mut next = 0;
        while next < found.len() {
            let by = found[next].writer.by;
            // Other cells come before the stack, which is also shown elsewhere.
            let (on_stack, elsewhere): (Vec<_>, Vec<_>) =
                (0..by.inputs.len()).partition(|index| matches!(by.inputs[*index].cell, Cell::Stack(_)));
            for index in elsewhere.into_iter().chain(on_stack) {
                let part = by.inputs[index].cell.part(byte.filter(|_| next == 0));
                if found.len() < MOST
                    && let Some(writer) = self.writer(&part, by.step)
                    && found.iter().all(|known| known.writer.by.step != writer.by.step)
                {
                    let place = found.len();
                    found[next].inputs[index] = Some(place);
                    found.push(Followed::new(writer));
                }
            }
            next += 1;
        }
        assemble(&found, 0)
    }

    /// The last instruction before `step` that wrote the cell, with the later ones that moved the value.
    fn writer(&self, cell: &Cell, mut step: u64) -> Option<Writer<'_>> {
        let mut cell = cell.clone();
        let mut moved_by = Vec::new();
        loop {
            let found = self.preceding(step).find(|record| record.writes_to(&cell))?;
            match found.moved_from(&cell) {
                Some(from) => {
                    (cell, step) = (Cell::Stack(from), found.step);
                    moved_by.push(found);
                }
                None => return Some(Writer { by: found, moved_by }),
            }
        }
    }

    /// The last instruction before `step` that decided where execution continues.
    fn jump_before(&self, step: u64) -> Option<&Executed> {
        let decides = |record: &&Executed| !record.inputs.is_empty() && record.writes_to(&Cell::jump());
        self.preceding(step).find(decides)
    }

    /// The instructions before `step`, the latest one first.
    fn preceding(&self, step: u64) -> impl Iterator<Item = &Executed> {
        let count = self.records.partition_point(|record| record.step < step);
        self.records.iter().take(count).rev()
    }
}

/// An instruction that wrote a cell, with the later ones that moved the value.
struct Writer<'r> {
    by: &'r Executed,
    moved_by: Vec<&'r Executed>,
}

impl<'r> Writer<'r> {
    fn only(by: &'r Executed) -> Writer<'r> {
        Writer { by, moved_by: Vec::new() }
    }
}

/// An instruction of an answer, with the indices of those that wrote its inputs.
struct Followed<'r> {
    writer: Writer<'r>,
    inputs: Vec<Option<usize>>,
}

impl<'r> Followed<'r> {
    fn new(writer: Writer<'r>) -> Followed<'r> {
        let inputs = vec![None; writer.by.inputs.len()];
        Followed { writer, inputs }
    }
}

fn assemble(found: &[Followed<'_>], place: usize) -> Blame {
    let Followed { writer, inputs } = &found[place];
    Blame {
        by: writer.by.clone(),
        moved_by: writer.moved_by.iter().map(|it| (*it).clone()).collect(),
        inputs: inputs.iter().map(|input| input.map(|place| assemble(found, place))).collect(),
        reached_by: None,
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

/// The innermost list on the path to a datum of the state.
fn list_of(path: &Path, state: &dyn Inspect) -> Option<(Path, Value)> {
    let keys = path.keys();
    let Key::Name(field) = keys[0] else { return None };
    let found = keys[1..].iter().try_fold(state.observe(field)?, |value, key| value.child(key).cloned());
    let list = found.map(|found| if let Value::Typed(_, inner) = found { *inner } else { found });
    match list {
        Some(list @ Value::List(_)) => Some((path.clone(), list)),
        _ => list_of(path.parent()?, state),
    }
}

impl Executed {
    fn new(step: u64, at: &At<'_>) -> Executed {
        let state = at.state;
        let Effects { takes, reads, writes, .. } = state.effects();
        let height = state.height();
        let takes = taken(takes, at.op, height);
        let stack: Vec<_> = (0..takes.max(SHOWN).min(height)).filter_map(|below| state.item(below)).collect();
        let top = top(state);
        let operand = |(below, value): (usize, &Value)| Input {
            cell: Cell::Stack(top - 1 - below),
            value: value.clone(),
        };
        let operands = stack.iter().take(takes).enumerate().map(operand);
        let reads = reads.into_iter().map(|(cell, value)| Input { cell, value });
        Executed {
            step,
            pc: at.pc,
            op: at.op.map(|op| op.name),
            pushes: at.op.map_or(0, |op| op.pushes),
            text: state.instruction(),
            frame: state.frame().map(|frame| frame.to_string()),
            inputs: operands.chain(reads).collect(),
            height,
            top,
            stack: stack.iter().take(SHOWN).cloned().collect(),
            cost: None,
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

    /// How many values it popped from the stack.
    fn taken(&self) -> usize {
        let lowest = self.top.saturating_sub(self.inputs.len());
        let is_operand = |input: &&Input| matches!(input.cell, Cell::Stack(at) if at >= lowest);
        self.inputs.iter().take_while(is_operand).count()
    }

    fn writes_to(&self, cell: &Cell) -> bool {
        match cell {
            Cell::Stack(at) => self.written.contains(at),
            other => self.writes.iter().any(|written| written.touches(other)),
        }
    }

    fn moved_from(&self, cell: &Cell) -> Option<usize> {
        let Cell::Stack(at) = cell else { return None };
        self.moved.iter().find(|(to, _)| to == at).map(|(_, from)| *from)
    }
}

/// The number of the stack slot above the top one.
pub(super) fn top(state: &dyn Inspect) -> usize {
    state.frame().map_or(0, |frame| frame.stack) + state.height()
}

/// How many values an instruction pops from a stack of this height.
pub(super) fn taken(takes: Option<usize>, op: Option<&OpInfo>, height: usize) -> usize {
    takes.unwrap_or_else(|| op.map_or(0, |op| op.pops.into())).min(height)
}

/// The stack slots that an instruction wrote: it left those below `left` in place and pushed `pushes` values;
/// `top` is the slot above the top one afterwards.
pub(super) fn written(left: usize, pushes: usize, top: usize) -> Range<usize> {
    left.min(top.saturating_sub(pushes))..top
}

/// The compound on top of the stack, if the last instruction pushed it and no earlier one did.
fn created(pushes: usize, state: &dyn Inspect, known: &mut HashSet<usize>) -> Option<Cell> {
    let compound = state.compound(0).filter(|_| pushes > 0)?;
    known.insert(compound).then_some(Cell::Compound(compound))
}

/// The slots to which an instruction that pushes several values only moved one that it popped, with the slots
/// the values came from: DUP and SWAP are not blamed for the values they move.
fn moved(last: &Executed, pushes: usize, state: &dyn Inspect) -> Vec<(usize, usize)> {
    if pushes < 2 {
        return Vec::new();
    }
    let top = top(state);
    let from = |at: usize| {
        let value = state.item(top - 1 - at)?;
        let equal = |input: &&Input| input.value == value;
        // A value that stayed in place takes precedence over an equal one from another slot.
        let stayed = last.inputs.iter().filter(equal).find(|input| input.cell == Cell::Stack(at));
        match stayed.or_else(|| last.inputs.iter().find(equal))?.cell {
            Cell::Stack(from) => Some((at, from)),
            _ => None,
        }
    };
    last.written.clone().filter_map(from).collect()
}

impl Watch for Recorder {
    fn passes_over(&self) -> u64 {
        match self.seen {
            Seen::All => 0,
            Seen::Kept => self.keep.start.saturating_sub(self.step),
        }
    }

    fn passed_over(&mut self, count: u64) {
        self.step += count;
    }

    fn before(&mut self, at: &At<'_>) {
        self.complete(at.state);
        self.gas = at.state.gas();
        self.refund = at.state.refund();
        self.last_op = at.op;
        self.pending = true;
        if self.keep.contains(&self.step) {
            self.keep(Executed::new(self.step, at));
        }
        self.step += 1;
    }

    /// No instruction wrote what changes between two actions.
    fn pause(&mut self, state: &dyn Inspect) {
        self.complete(state);
    }

    fn after_step(&mut self, number: usize, state: &dyn Inspect) {
        self.complete(state);
        self.answer(number, state);
    }
}

/// A datum that no kept instruction wrote, if some instructions were dropped.
#[derive(Debug, Clone)]
pub struct Sought {
    /// The index of its answer.
    pub answer: usize,
    /// The question, about this datum alone.
    pub question: Question,
    /// The cells that hold it.
    cells: Vec<Cell>,
    /// How many instructions were executed before the question.
    end: u64,
}

/// Watches a run and finds the last instructions that wrote some data, at any distance.
pub struct Search {
    sought: Vec<Sought>,
    /// For each sought datum and each of its cells, the number of the last instruction that wrote the cell.
    writers: Vec<Vec<Option<u64>>>,
    step: u64,
    /// How many stack values the last instruction left in place, and how many it pushed.
    last: Option<(usize, usize)>,
    compounds: HashSet<usize>,
}

impl Search {
    /// A search for the writers of these data.
    pub fn new(sought: Vec<Sought>) -> Search {
        let writers = sought.iter().map(|sought| vec![None; sought.cells.len()]).collect();
        Search { sought, writers, step: 0, last: None, compounds: HashSet::new() }
    }

    /// The data whose writer was found, each with the number of the instruction.
    pub fn found(self) -> impl Iterator<Item = (Sought, u64)> {
        let found = self.sought.into_iter().zip(self.writers);
        found.filter_map(|(sought, writers)| Some((sought, writers.into_iter().flatten().next()?)))
    }

    /// Notes that the previous instruction wrote the cells that `is_written` selects.
    fn wrote(&mut self, is_written: impl Fn(&Cell) -> bool) {
        let last = self.step - 1;
        for (sought, writers) in self.sought.iter().zip(&mut self.writers) {
            for (cell, writer) in sought.cells.iter().zip(writers) {
                if last < sought.end && is_written(cell) {
                    *writer = Some(last);
                }
            }
        }
    }

    /// Completes the last instruction with what only the state after it shows.
    fn complete(&mut self, state: &dyn Inspect) {
        let Some((left, pushes)) = self.last.take() else { return };
        let places = written(left, pushes, top(state));
        let mut wrote = state.wrote();
        wrote.extend(created(pushes, state, &mut self.compounds));
        self.wrote(|cell| match cell {
            Cell::Stack(at) => places.contains(at),
            other => wrote.iter().any(|written| written.touches(other)),
        });
    }
}

impl Watch for Search {
    fn before(&mut self, at: &At<'_>) {
        self.complete(at.state);
        self.step += 1;
        let Effects { takes, writes, .. } = at.state.effects();
        let left = top(at.state) - taken(takes, at.op, at.state.height());
        self.last = Some((left, at.op.map_or(0, |op| op.pushes.into())));
        if !writes.is_empty() {
            self.wrote(|cell| writes.iter().any(|written| written.touches(cell)));
        }
    }

    fn pause(&mut self, state: &dyn Inspect) {
        self.complete(state);
    }

    fn after_step(&mut self, _: usize, state: &dyn Inspect) {
        self.complete(state);
    }
}

/// Counts the instructions up to the end of each step of a case without inspecting them. If the machine
/// ended, the count may be too low by up to [`Counter::INEXACT`].
#[derive(Debug, Default)]
pub struct Counter {
    count: u64,
    /// The count at the end of each step.
    pub ends: Vec<u64>,
}

impl Counter {
    /// How many instructions are executed at once.
    pub const INEXACT: u64 = 10_000;
}

impl Watch for Counter {
    fn before(&mut self, _: &At<'_>) {}

    fn passes_over(&self) -> u64 {
        Counter::INEXACT
    }

    fn passed_over(&mut self, count: u64) {
        self.count += count;
    }

    fn after_step(&mut self, _: usize, _: &dyn Inspect) {
        self.ends.push(self.count);
    }
}

#[cfg(test)]
mod tests;
