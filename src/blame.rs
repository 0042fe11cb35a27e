//! Which instruction made a datum what it is: a recorder of what instructions read and wrote, and the
//! way back through it.
//!
//! A [`Recorder`] watches a run. At the end of a step of the case it is asked for data of the state:
//! from the cell that holds one it goes back to the instruction that last wrote the cell, from there
//! to those that wrote what that one read, and so on. It knows no machine; what each instruction
//! reads and writes it asks through [`Inspect`].

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ops::Range;

use crate::inspect::{Cell, Effects, Inspect};
use crate::isa::OpInfo;
use crate::machine::{At, Watch};
use crate::value::{Key, Path, Value};

/// So many instructions are kept. What was written before is not found.
pub const WINDOW: usize = 200_000;

/// How far back an answer goes: instructions, and instructions whose results those take.
const DEEPEST: usize = 4;

/// The most instructions of one answer.
const MOST: usize = 8;

/// How many values of the stack are kept of each instruction.
const SHOWN: usize = 6;

/// An instruction that was executed.
#[derive(Debug, Clone)]
pub struct Executed {
    /// How many were executed before it.
    pub step: u64,
    /// Program counter.
    pub pc: usize,
    /// Its row; none for something that is no instruction.
    pub op: Option<&'static OpInfo>,
    /// As a person writes it.
    pub text: String,
    /// What it took from the stack, the top value first, and what else it read.
    pub inputs: Vec<Input>,
    /// How many values were on the stack before it.
    pub height: usize,
    /// The top values of them, the top one first.
    pub stack: Vec<Value>,
    /// What it cost, on a machine with gas.
    pub cost: Option<u64>,
    /// What it wrote, the stack left out.
    pub writes: Vec<Cell>,
    /// The places of the stack that it wrote.
    written: Range<usize>,
    /// Places of the stack to which it only moved a value, and from where.
    moved: Vec<(usize, usize)>,
}

/// Something that an instruction read.
#[derive(Debug, Clone)]
pub struct Input {
    /// Where it was.
    pub cell: Cell,
    /// What it was.
    pub value: Value,
}

/// What made a datum what it is.
#[derive(Debug, Clone)]
pub struct Blame {
    /// The instruction that wrote it.
    pub by: Executed,
    /// What wrote each of [`Executed::inputs`], as far as that was followed.
    pub inputs: Vec<Option<Blame>>,
}

impl Blame {
    /// How many instructions it names.
    pub fn len(&self) -> usize {
        1 + self.inputs.iter().flatten().map(Blame::len).sum::<usize>()
    }

    /// Never: it names one at least.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// What all instructions of one kind cost together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// How many there were.
    pub count: u64,
    /// What they cost.
    pub gas: u64,
    /// How many of them cost less or more than their row says.
    pub unlike_row: u64,
}

/// A step of a case after which data are asked for: its number, from 1, and their paths.
pub type Question = (usize, Vec<Path>);

/// What is known of a datum.
#[derive(Debug, Clone)]
pub enum Answer {
    /// No cell holds it, such as how the run ended.
    NoCell,
    /// No instruction that was kept wrote it.
    NotWritten,
    /// An instruction wrote it.
    By(Box<Blame>),
}

/// Watches a run and answers questions about the state after steps of its case.
pub struct Recorder {
    questions: Vec<Question>,
    /// From this instruction on they are kept.
    from: u64,
    step: u64,
    records: VecDeque<Executed>,
    /// Gas before the last instruction.
    gas: Option<u64>,
    last_op: Option<&'static OpInfo>,
    /// Whether the last instruction is not complete.
    pending: bool,
    compounds: HashSet<usize>,
    /// The answers, in the order of the questions and their paths.
    pub answers: Vec<Answer>,
    /// What was spent on each kind of instruction up to the last question, on a machine with gas.
    pub spent: BTreeMap<&'static str, Spent>,
    /// The instructions before the first question, the last one at the end.
    pub before_end: Vec<Executed>,
    /// The last list on the way to the first datum that was asked for, with its path.
    pub list: Option<(Path, Value)>,
    most_before_end: usize,
}

impl Recorder {
    /// A recorder that keeps instructions from number `from` on, and gives the last `most_before_end`
    /// ones before the first question.
    pub fn new(questions: Vec<Question>, from: u64, most_before_end: usize) -> Recorder {
        Recorder {
            questions,
            from,
            step: 0,
            records: VecDeque::new(),
            gas: None,
            last_op: None,
            pending: false,
            compounds: HashSet::new(),
            answers: Vec::new(),
            spent: BTreeMap::new(),
            before_end: Vec::new(),
            list: None,
            most_before_end,
        }
    }

    /// How many instructions there were.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// Completes the last instruction with what only the state behind it tells.
    fn complete(&mut self, state: &dyn Inspect) {
        if !std::mem::take(&mut self.pending) {
            return;
        }
        self.count_gas(state);
        let Some(last) = self.records.back_mut().filter(|last| last.step + 1 == self.step) else { return };
        if last.cost.is_none() {
            last.cost = self.gas.zip(state.gas()).map(|(before, after)| before.saturating_sub(after));
        }
        let pushes = last.op.map_or(0, |op| op.pushes.into());
        let height = state.height();
        let taken = last.height.saturating_sub(last.taken());
        last.written = taken.min(height.saturating_sub(pushes))..height;
        last.moved = moved(last, pushes, state);
        if pushes > 0
            && let Some(compound) = state.compound(0)
            && self.compounds.insert(compound)
        {
            last.writes.push(Cell::Compound(compound));
        }
    }

    fn count_gas(&mut self, state: &dyn Inspect) {
        let (Some(op), Some(before), Some(after)) = (self.last_op.take(), self.gas, state.gas()) else {
            return;
        };
        let spent = self.spent.entry(op.name).or_default();
        let cost = before.saturating_sub(after);
        spent.count += 1;
        spent.gas += cost;
        spent.unlike_row += u64::from(cost != op.gas);
    }

    fn answer(&mut self, number: usize, state: &dyn Inspect) {
        let questions = std::mem::take(&mut self.questions);
        for (_, paths) in questions.iter().filter(|question| question.0 == number) {
            if self.before_end.is_empty() {
                let skipped = self.records.len().saturating_sub(self.most_before_end);
                self.before_end = self.records.iter().skip(skipped).cloned().collect();
            }
            if self.list.is_none() {
                self.list = paths.first().and_then(|path| list_of(path, state));
            }
            for path in paths {
                let cells = state.cells(path);
                let mut left = MOST;
                let found = cells.iter().find_map(|cell| self.blame(cell, u64::MAX, 0, &mut left));
                let nothing = if cells.is_empty() { Answer::NoCell } else { Answer::NotWritten };
                self.answers.push(found.map_or(nothing, |blame| Answer::By(Box::new(blame))));
            }
        }
        self.questions = questions;
    }

    /// The last instruction before `step` that wrote the cell, with what wrote its inputs.
    fn blame(&self, cell: &Cell, step: u64, depth: usize, left: &mut usize) -> Option<Blame> {
        if depth == DEEPEST || *left == 0 {
            return None;
        }
        let by = self.writer(cell, step)?;
        *left -= 1;
        // Level by level would be fairer, but what the first operand is made of is asked first.
        let inputs =
            by.inputs.iter().map(|input| self.blame(&input.cell, by.step, depth + 1, left)).collect();
        Some(Blame { by: by.clone(), inputs })
    }

    fn writer(&self, cell: &Cell, mut step: u64) -> Option<&Executed> {
        let mut cell = cell.clone();
        loop {
            let last = self.records.partition_point(|record| record.step < step);
            let found = self.records.iter().take(last).rev().find(|record| record.writes_to(&cell))?;
            match found.moved_from(&cell) {
                Some(from) => (cell, step) = (Cell::Stack(from), found.step),
                None => return Some(found),
            }
        }
    }
}

/// The last list on the way to a datum of the state.
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
        let Effects { takes, reads, writes } = state.effects();
        let height = state.height();
        let takes = takes.unwrap_or_else(|| at.op.map_or(0, |op| op.pops.into())).min(height);
        let stack: Vec<_> = (0..takes.max(SHOWN).min(height)).filter_map(|below| state.item(below)).collect();
        let operand = |(below, value): (usize, &Value)| Input {
            cell: Cell::Stack(height - 1 - below),
            value: value.clone(),
        };
        let operands = stack.iter().take(takes).enumerate().map(operand);
        let reads = reads.into_iter().map(|(cell, value)| Input { cell, value });
        Executed {
            step,
            pc: at.pc,
            op: at.op,
            text: state.instruction(),
            inputs: operands.chain(reads).collect(),
            height,
            stack: stack.iter().take(SHOWN).cloned().collect(),
            cost: None,
            writes,
            written: 0..0,
            moved: Vec::new(),
        }
    }

    /// How many values it took from the stack.
    fn taken(&self) -> usize {
        let lowest = self.height.saturating_sub(self.inputs.len());
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

/// The places to which an instruction that leaves several values only moved one that it took: what
/// DUP and SWAP do is nothing to blame them for, unless they do something else.
fn moved(last: &Executed, pushes: usize, state: &dyn Inspect) -> Vec<(usize, usize)> {
    if pushes < 2 {
        return Vec::new();
    }
    let height = state.height();
    let from = |at: usize| {
        let value = state.item(height - 1 - at)?;
        let equal = |input: &&Input| input.value == value;
        // One that stayed where it was, before one from elsewhere.
        let stayed = last.inputs.iter().filter(equal).find(|input| input.cell == Cell::Stack(at));
        match stayed.or_else(|| last.inputs.iter().find(equal))?.cell {
            Cell::Stack(from) => Some((at, from)),
            _ => None,
        }
    };
    last.written.clone().filter_map(from).collect()
}

impl Watch for Recorder {
    fn before(&mut self, at: &At<'_>) {
        self.complete(at.state);
        self.gas = at.state.gas();
        self.last_op = at.op;
        self.pending = true;
        if self.step >= self.from {
            if self.records.len() == WINDOW {
                self.records.pop_front();
            }
            self.records.push_back(Executed::new(self.step, at));
        }
        self.step += 1;
    }

    /// What is changed between two actions was written by no instruction.
    fn pause(&mut self, state: &dyn Inspect) {
        self.complete(state);
    }

    fn after_step(&mut self, number: usize, state: &dyn Inspect) {
        self.complete(state);
        self.answer(number, state);
    }
}

/// Counts the instructions up to the end of each step of a case.
#[derive(Debug, Default)]
pub struct Counter {
    count: u64,
    /// The count at the end of each step.
    pub ends: Vec<u64>,
}

impl Watch for Counter {
    fn before(&mut self, _: &At<'_>) {
        self.count += 1;
    }

    fn after_step(&mut self, _: usize, _: &dyn Inspect) {
        self.ends.push(self.count);
    }
}
