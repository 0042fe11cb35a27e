//! Machines with a fault. If it is one of an instruction, all others are executed at full speed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::fault::{FaultKind, PlantedFault, RowFault};
use super::wrong::{is_movable, neighbour, opposite, wrong_value};
use crate::isa::OpSet;
use crate::machines::account::CaseAccount;
use crate::machines::inspect::{Effects, Inspect, ReferenceCount, frame_of};
use crate::machines::machine::{AdvanceEnd, At, Machine};
use crate::machines::plant::{Excuse, PlantFaults, PlantInCompounds};
use crate::machines::status::{LoadError, Status};
use crate::model::limits::Limits;
use crate::model::{Cell, Path, Program, Value};

/// The maximum number of bytes of memory that form one value.
const MAX_BYTES: usize = 1 << 16;

/// A machine with this fault, which sets `switched_on` when a fault of an instruction changes anything.
pub fn machine(fault: PlantedFault, limits: &Limits, switched_on: &Arc<AtomicBool>) -> Box<dyn Machine> {
    match fault {
        PlantedFault::OfRow(fault) => Box::new(Faulty::new(fault, limits, switched_on.clone())),
        PlantedFault::OfRule(fault) => (fault.broken.plant)(limits),
    }
}

/// A machine with a fault in an instruction.
pub struct Faulty {
    inner: Box<dyn Machine>,
    program: Program,
    fault: RowFault,
    ops: OpSet,
    /// The bits of a number of the machine.
    word: u32,
    /// The frame that executes the faulty instruction, on a machine whose frames have stacks of their own.
    frame: Option<usize>,
    /// Whether the fault has changed anything.
    switched_on: Arc<AtomicBool>,
}

/// The cells of the faulty instruction, before it is executed.
struct TouchedCells {
    /// How many values it takes from the stack.
    takes: usize,
    /// What it takes and reads.
    operands: Vec<Cell>,
    /// What it writes, besides the stack.
    writes: Vec<Cell>,
}

impl Faulty {
    /// A machine with this fault, which sets `switched_on` when the fault changes anything.
    pub fn new(fault: RowFault, limits: &Limits, switched_on: Arc<AtomicBool>) -> Faulty {
        let RowFault { machine, op, .. } = fault;
        let ops = OpSet::new(machine.isa, vec![op]);
        let program = Program(Value::Null.into());
        let (inner, word) = ((machine.new)(limits), machine.word_bits);
        Faulty { inner, program, fault, ops, word, frame: None, switched_on }
    }

    fn switch_on(&self) {
        self.switched_on.store(true, Ordering::Relaxed);
    }

    /// Executes the faulty instruction.
    fn fail(&mut self) -> Status {
        self.frame = self.frame_now();
        let word = self.word;
        let height = self.inner.height();
        let TouchedCells { takes, operands, writes } = self.touched(height);
        match self.fault.kind {
            FaultKind::Result(wrong) => self.with_results(writes, |value| wrong_value(value, wrong, word)),
            FaultKind::Operand(which, wrong) => self.with_operands(&operands, &writes, |values| {
                let other = wrong_value(values.get(which)?.as_ref()?, wrong, word)?;
                Some(vec![(which, other)])
            }),
            FaultKind::Swapped => self.with_operands(&operands, &writes, |values| match values {
                [Some(a), Some(b), ..] if a != b && is_movable(a) && is_movable(b) => {
                    Some(vec![(0, b.clone()), (1, a.clone())])
                }
                _ => None,
            }),
            FaultKind::Boundary => {
                let values: Vec<_> = operands.iter().take(2).map(|cell| self.read(cell)).collect();
                let is_equal = matches!(&values[..], [Some(a), Some(b)] if a == b);
                if is_equal { self.with_results(writes, opposite) } else { self.execute() }
            }
            FaultKind::Forgotten => {
                self.forgotten((height - takes..height).map(Cell::Stack).chain(writes).collect())
            }
            FaultKind::Neighbour => self.beside(&writes),
            FaultKind::PriceMore => self.with_gas(1),
            FaultKind::PriceLess => self.with_gas(-1),
            FaultKind::TooFew | FaultKind::OneMoreNeeded | FaultKind::LimitMore => self.at_height(height),
            FaultKind::LimitLess => self.limit_less(height),
            FaultKind::PushOmitted => self.after(|machine| machine.pop()),
            FaultKind::PopOmitted => self.after(|machine| machine.push()),
            FaultKind::Copied => self.after(|machine| in_compounds(machine, |it| it.copy_top())),
            FaultKind::OperandCopied => {
                self.plant(|machine| in_compounds(machine, |it| it.copy_top()));
                self.execute()
            }
            FaultKind::Shared => self.shared(),
            FaultKind::Counted => self.after(|machine| in_compounds(machine, |it| it.count_more(1))),
            FaultKind::NotReleased => self.not_released(),
            FaultKind::NotTaken => self.not_taken(),
            FaultKind::NotRaised => self.not_raised(takes),
            FaultKind::OtherFailure => self.other_failure(&writes),
        }
    }

    /// What the instruction takes, reads and writes.
    fn touched(&mut self, height: usize) -> TouchedCells {
        let Effects { takes, reads, mut writes, may_write, .. } = self.inner.effects();
        // What the environment writes, whatever the row declares, is no result of the instruction.
        let besides = self.inner.declared(&|_| false).writes;
        writes.retain(|cell| !besides.contains(cell));
        writes.extend(may_write);
        let takes = takes.unwrap_or_else(|| self.fault.op.pops.into()).min(height);
        let on_stack = (0..takes).map(|below| Cell::Stack(height - 1 - below));
        let operands = on_stack.chain(reads.into_iter().map(|it| it.0)).collect();
        TouchedCells { takes, operands, writes }
    }

    /// Executes the instruction, then changes its results.
    fn with_results(&mut self, writes: Vec<Cell>, other: impl Fn(&Value) -> Option<Value>) -> Status {
        let status = self.execute();
        for cell in self.results(writes) {
            self.replace(&cell, &other);
        }
        status
    }

    /// Executes the instruction, then gives these cells the values that they had before.
    fn forgotten(&mut self, cells: Vec<Cell>) -> Status {
        let before: Vec<_> = cells.into_iter().map(|cell| (self.read(&cell), cell)).collect();
        let status = self.execute();
        for (value, cell) in before {
            self.write(&cell, value);
        }
        status
    }

    /// Executes the instruction, then writes what it wrote to the cells beside, too.
    fn beside(&mut self, writes: &[Cell]) -> Status {
        let status = self.execute();
        for cell in writes {
            if let Some(next) = neighbour(cell) {
                let value = self.read(cell);
                self.write(&next, value);
            }
        }
        status
    }

    /// Executes the instruction. If it fails, the kind of its failure is another one.
    fn other_failure(&mut self, writes: &[Cell]) -> Status {
        let throws = writes.contains(&Cell::exception());
        let status = self.execute();
        if throws == (status == Status::Running) {
            self.plant(|machine| machine.fail_otherwise());
        }
        self.inner.advance(0)
    }

    /// Executes the instruction. What it calls is executed, too, on a machine whose frames have stacks of their own.
    fn execute(&mut self) -> Status {
        let frame = self.frame;
        let mut status = self.inner.advance(1);
        while status == Status::Running && frame.is_some() && self.frame_now() > frame {
            status = self.step();
        }
        self.frame = frame;
        status
    }

    /// Executes an instruction, which may be the faulty one.
    fn step(&mut self) -> Status {
        let is_faulty = self.inner.next().is_some_and(|at| at.op == Some(self.fault.op));
        if is_faulty { self.fail() } else { self.inner.advance(1) }
    }

    fn frame_now(&self) -> Option<usize> {
        frame_of(self.inner.inspect()).map(|frame| frame.depth)
    }

    /// Whether the frame of the faulty instruction is there.
    fn is_in_frame(&self) -> bool {
        self.frame_now() == self.frame
    }

    /// Whether the instruction failed, so that it has no results.
    fn has_failed(&self) -> bool {
        match self.frame {
            Some(_) => !self.is_in_frame(),
            None => self.inner.failure().is_some(),
        }
    }

    /// The cell that the instruction pushed last or, failing that, those it wrote; none if it failed.
    fn results(&self, writes: Vec<Cell>) -> Vec<Cell> {
        if self.has_failed() {
            return Vec::new();
        }
        if self.fault.op.pushes == 0 {
            return writes;
        }
        self.inner.height().checked_sub(1).map(Cell::Stack).into_iter().collect()
    }

    /// Executes the instruction, then changes the machine if it is still running.
    fn after(&mut self, change: impl FnOnce(&mut dyn PlantFaults) -> bool) -> Status {
        let status = self.execute();
        if status == Status::Running {
            self.plant(change);
        }
        status
    }

    /// Changes the machine if the frame of the faulty instruction is there.
    fn plant(&mut self, change: impl FnOnce(&mut dyn PlantFaults) -> bool) {
        if self.is_in_frame() {
            self.plant_anywhere(change);
        }
    }

    /// Changes the machine; false if that is impossible.
    fn plant_anywhere(&mut self, change: impl FnOnce(&mut dyn PlantFaults) -> bool) -> bool {
        let is_changed = self.inner.faults().is_some_and(change);
        if is_changed {
            self.switch_on();
        }
        is_changed
    }

    /// Executes the instruction with a different stack height if the height is next to a limit.
    fn at_height(&mut self, height: usize) -> Status {
        let (pops, pushes) = (usize::from(self.fault.op.pops), usize::from(self.fault.op.pushes));
        let limit = self.inner.stack_limit();
        match self.fault.kind {
            FaultKind::TooFew => (height..pops).for_each(|_| self.plant(|machine| machine.push())),
            FaultKind::OneMoreNeeded if height == pops => self.plant(|machine| machine.pop()),
            FaultKind::LimitMore if limit.is_some_and(|limit| height + pushes == limit + 1 + pops) => {
                self.plant(|machine| machine.pop());
            }
            _ => {}
        }
        self.execute()
    }

    /// Fails if the stack is full before the instruction, or would be after it.
    fn limit_less(&mut self, height: usize) -> Status {
        let (pops, pushes) = (usize::from(self.fault.op.pops), usize::from(self.fault.op.pushes));
        if self.is_full() && pushes <= pops {
            self.plant(|machine| machine.overflow());
            return self.inner.advance(0);
        }
        if self.inner.stack_limit().is_some_and(|limit| height + pushes == limit + pops) {
            self.plant(|machine| machine.push());
            return self.execute();
        }
        let status = self.execute();
        if status == Status::Running && self.inner.references().is_some() && self.is_full() {
            self.plant(|machine| machine.overflow());
        }
        self.inner.advance(0)
    }

    /// Whether the stack, or the number of items, is as large as the limit allows.
    fn is_full(&self) -> bool {
        let machine = &self.inner;
        let is_at_limit = |it: ReferenceCount| it.count == it.limit && !it.is_estimate;
        machine.stack_limit() == Some(machine.height()) || machine.references().is_some_and(is_at_limit)
    }

    /// Executes the instruction after this much gas has been taken.
    fn with_gas(&mut self, taken: i64) -> Status {
        self.plant_anywhere(|machine| machine.spend(taken));
        self.execute()
    }

    /// Executes the instruction with the Struct on top turned into an Array, which is not copied.
    fn shared(&mut self) -> Status {
        let as_array = |machine: &mut dyn PlantFaults| in_compounds(machine, |it| it.top_as_array());
        let Some(stored) = self.inner.compound(0) else { return self.execute() };
        if !self.inner.faults().is_some_and(as_array) {
            return self.execute();
        }
        let status = self.execute();
        self.plant(|machine| in_compounds(machine, |it| it.stored_as_struct(stored)));
        status
    }

    /// Executes the instruction, then counts again the references that it released.
    fn not_released(&mut self) -> Status {
        let before = self.inner.references();
        let status = self.execute();
        if status == Status::Running
            && let Some((before, after)) = before.zip(self.inner.references())
            && before.count > after.count
        {
            let more = before.count - after.count;
            self.plant(|machine| in_compounds(machine, |it| it.count_more(more)));
        }
        status
    }

    /// The program counter after the next instruction.
    fn after_next(&self) -> usize {
        self.inner.next().map_or(0, |at| at.pc + length(&at))
    }

    /// Executes the instruction, then continues at the instruction after it even if it jumped.
    fn not_taken(&mut self) -> Status {
        let depth = self.inner.depth();
        let next = self.after_next();
        let status = self.execute();
        let went = self.inner.next().map(|at| at.pc);
        if status == Status::Running && self.inner.depth() == depth && went != Some(next) {
            self.plant(|machine| machine.go_to(next));
        }
        status
    }

    /// Executes the instruction. If it fails, restores the machine, pops the operands, pushes as many zeros
    /// as the instruction pushes values, and continues after it.
    fn not_raised(&mut self, takes: usize) -> Status {
        let next = self.after_next();
        let pushes = self.fault.op.pushes.into();
        let excuse = Excuse { pops: takes, pushes, next };
        if self.inner.faults().is_some_and(|machine| machine.excuse(&excuse)) {
            let status = self.inner.advance(1);
            if self.inner.failure().is_some() {
                self.switch_on();
            }
            return status;
        }
        let before = self.inner.duplicate();
        let status = self.inner.advance(1);
        if self.inner.failure().is_none() {
            return status;
        }
        let Some(before) = before else { return status };
        self.inner = before;
        if let Some(machine) = self.inner.faults() {
            for _ in 0..takes {
                machine.pop();
            }
            for _ in 0..pushes {
                machine.push();
            }
        }
        self.plant(|machine| machine.go_to(next));
        self.inner.advance(0)
    }

    /// Executes an instruction with different operand values. Changed operands that are not on the stack are restored
    /// afterwards, unless the instruction wrote them.
    fn with_operands(
        &mut self,
        operands: &[Cell],
        writes: &[Cell],
        other: impl FnOnce(&[Option<Value>]) -> Option<Vec<(usize, Value)>>,
    ) -> Status {
        let values: Vec<_> = operands.iter().map(|cell| self.read(cell)).collect();
        let changed = other(&values).unwrap_or_default();
        for (which, value) in &changed {
            self.write(&operands[*which], Some(value.clone()));
        }
        let status = self.execute();
        let stays = |cell: &Cell| !matches!(cell, Cell::Stack(_)) && !writes.contains(cell);
        for (which, _) in changed.iter().filter(|(which, _)| stays(&operands[*which])) {
            self.write(&operands[*which], values[*which].clone());
        }
        status
    }

    fn replace(&mut self, cell: &Cell, other: impl Fn(&Value) -> Option<Value>) {
        let other = self.now(cell).as_ref().and_then(other);
        self.write(cell, other);
    }

    /// Writes a value to a cell, if there is one and the cell can hold it.
    fn write(&mut self, cell: &Cell, value: Option<Value>) {
        let Some(value) = value.filter(|_| self.is_in_frame()) else { return };
        if self.now(cell).as_ref() == Some(&value) {
            return;
        }
        self.plant_anywhere(|machine| machine.write(cell, &value));
    }

    fn now(&mut self, cell: &Cell) -> Option<Value> {
        self.inner.faults().filter(|_| is_readable(cell))?.content(cell)
    }

    /// The value that the cell keeps if writes to it are forgotten.
    fn read(&mut self, cell: &Cell) -> Option<Value> {
        self.inner.faults().filter(|_| is_readable(cell))?.unwritten(&self.program, cell)
    }
}

/// Whether a cell is small enough to be read as one value.
fn is_readable(cell: &Cell) -> bool {
    !matches!(cell, Cell::Range(_, range) if range.len() > MAX_BYTES)
}

/// Changes a machine with compounds; false for any other, or if that is impossible.
fn in_compounds(
    machine: &mut dyn PlantFaults,
    change: impl FnOnce(&mut dyn PlantInCompounds) -> bool,
) -> bool {
    machine.compounds().is_some_and(change)
}

/// The length of the instruction, in units of the program counter.
fn length(at: &At<'_>) -> usize {
    1 + at.operand.len()
}

impl Machine for Faulty {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        self.program = program.clone();
        self.inner.load(program)
    }

    fn advance(&mut self, budget: u64) -> Status {
        let mut left = budget;
        while left > 0 {
            let AdvanceEnd { status, executed } = self.inner.advance_to(left, &self.ops);
            left -= executed;
            if status != Status::Running || left == 0 {
                return status;
            }
            let status = self.step();
            if status != Status::Running {
                return status;
            }
            left -= 1;
        }
        self.inner.advance(0)
    }

    fn account(&mut self) -> &mut CaseAccount {
        self.inner.account()
    }

    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        self.inner.set(changes)
    }

    fn next(&self) -> Option<At<'_>> {
        self.inner.next()
    }

    fn inspect(&self) -> &(dyn Inspect + 'static) {
        self.inner.inspect()
    }

    fn describe(&self) -> String {
        self.inner.describe()
    }

    fn explain(&self, at: &Path) -> Option<String> {
        self.inner.explain(at)
    }
}
