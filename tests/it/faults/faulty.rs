//! A machine that gets one opcode wrong.

use std::fmt;

use vmconf::isa::OpInfo;
use vmconf::machines::MachineInfo;
use vmconf::machines::account::Account;
use vmconf::machines::inspect::{Effects, Inspect};
use vmconf::machines::machine::{At, LoadError, Machine, Status};
use vmconf::machines::observe::Observe;
use vmconf::model::case::Program;
use vmconf::model::cell::Cell;
use vmconf::model::limits::Limits;
use vmconf::model::path::Path;
use vmconf::model::value::Value;

use vmconf::prove::mutants::place::{change, one_more, read};

/// What is wrong with an opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// What it leaves on the stack, or else writes, is one more.
    ResultOneMore,
    /// It takes the first of its operands for one more.
    OperandOneMore,
    /// It takes each of its first two operands for the other.
    Swapped,
    /// What it writes stays as it was.
    Forgotten,
    /// It costs one gas more.
    OneGasMore,
}

impl Kind {
    pub(crate) const ALL: [Kind; 5] =
        [Kind::ResultOneMore, Kind::OperandOneMore, Kind::Swapped, Kind::Forgotten, Kind::OneGasMore];

    fn name(self) -> &'static str {
        match self {
            Kind::ResultOneMore => "result-one-more",
            Kind::OperandOneMore => "operand-one-more",
            Kind::Swapped => "swapped",
            Kind::Forgotten => "forgotten",
            Kind::OneGasMore => "one-gas-more",
        }
    }
}

/// An opcode and what is wrong with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    pub(crate) machine: &'static MachineInfo,
    pub(crate) op: &'static OpInfo,
    pub(crate) kind: Kind,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.machine.name, self.op.name, self.kind.name())
    }
}

/// A machine with a fault.
pub(crate) struct Faulty {
    inner: Box<dyn Machine>,
    program: Program,
    fault: Fault,
}

impl Faulty {
    pub(crate) fn new(fault: Fault, limits: &Limits) -> Faulty {
        Faulty { inner: (fault.machine.new)(limits), program: Program(Value::Null.into()), fault }
    }

    /// Executes the faulty instruction.
    fn fail(&mut self) -> Status {
        let height = self.inner.height();
        let Effects { takes, reads, writes, .. } = self.inner.effects();
        let takes = takes.unwrap_or_else(|| self.fault.op.pops.into()).min(height);
        let operands: Vec<_> = (0..takes)
            .map(|below| Cell::Stack(height - 1 - below))
            .chain(reads.into_iter().map(|it| it.0))
            .collect();
        match self.fault.kind {
            Kind::ResultOneMore => {
                let status = self.inner.advance(1);
                let results = if self.fault.op.pushes > 0 { self.top() } else { writes };
                for cell in &results {
                    self.make_one_more(cell);
                }
                status
            }
            Kind::OperandOneMore => self.with_operands(&operands, &writes, |values| {
                values.first().and_then(|value| one_more(value.as_ref()?)).into_iter().collect()
            }),
            Kind::Swapped => self.with_operands(&operands, &writes, |values| match values {
                [Some(a), Some(b), ..] => vec![b.clone(), a.clone()],
                _ => Vec::new(),
            }),
            Kind::Forgotten => {
                let written = (height - takes..height).map(Cell::Stack).chain(writes);
                let before: Vec<_> = written.map(|cell| (self.read(&cell), cell)).collect();
                let status = self.inner.advance(1);
                for (value, cell) in before {
                    self.write(&cell, value);
                }
                status
            }
            Kind::OneGasMore => {
                let status = self.inner.advance(1);
                if let Some(left) = self.inner.gas().and_then(|gas| gas.checked_sub(1)) {
                    self.inner.set(&Value::Record(vec![("gas".to_owned(), Value::int(left))])).unwrap();
                }
                status
            }
        }
    }

    /// Executes an instruction with other values of its operands; those that do not go with it are
    /// afterwards as they were, unless it wrote them.
    fn with_operands(
        &mut self,
        operands: &[Cell],
        writes: &[Cell],
        other: impl FnOnce(&[Option<Value>]) -> Vec<Value>,
    ) -> Status {
        let values: Vec<_> = operands.iter().map(|cell| self.read(cell)).collect();
        for (cell, value) in operands.iter().zip(other(&values)) {
            self.write(cell, Some(value));
        }
        let status = self.inner.advance(1);
        let stay = |cell: &Cell| !matches!(cell, Cell::Stack(_)) && !writes.contains(cell);
        for (cell, value) in operands.iter().zip(values).filter(|it| stay(it.0)) {
            self.write(cell, value);
        }
        status
    }

    fn top(&self) -> Vec<Cell> {
        self.inner.height().checked_sub(1).map(Cell::Stack).into_iter().collect()
    }

    fn make_one_more(&mut self, cell: &Cell) {
        self.write(cell, self.read(cell).as_ref().and_then(one_more));
    }

    /// Makes it the value of the cell, where there is one and the cell can have it.
    fn write(&mut self, cell: &Cell, value: Option<Value>) {
        if let Some(change) = value.and_then(|value| change(&*self.inner, cell, value)) {
            // Refused is what no cell of this machine can be: the fault has no effect here.
            let _ = self.inner.set(&change);
        }
    }

    fn read(&self, cell: &Cell) -> Option<Value> {
        read(&*self.inner, &self.program, cell)
    }
}

impl Machine for Faulty {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        self.program = program.clone();
        self.inner.load(program)
    }

    fn advance(&mut self, budget: u64) -> Status {
        if budget == 0 {
            return self.inner.advance(0);
        }
        for _ in 0..budget {
            let is_faulty = self.inner.next().is_some_and(|at| at.op == Some(self.fault.op));
            let status = if is_faulty { self.fail() } else { self.inner.advance(1) };
            if status != Status::Running {
                return status;
            }
        }
        Status::Running
    }

    fn account(&mut self) -> &mut Account {
        self.inner.account()
    }

    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        self.inner.set(changes)
    }

    fn next(&self) -> Option<At<'_>> {
        self.inner.next()
    }

    fn depth(&self) -> usize {
        self.inner.depth()
    }

    fn describe(&self) -> String {
        self.inner.describe()
    }

    fn explain(&self, at: &Path) -> Option<String> {
        self.inner.explain(at)
    }
}

impl Observe for Faulty {
    fn has_field(&self, field: &str) -> bool {
        self.inner.has_field(field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        self.inner.observe(field)
    }
}

impl Inspect for Faulty {
    fn instruction(&self) -> String {
        self.inner.instruction()
    }

    fn height(&self) -> usize {
        self.inner.height()
    }

    fn item(&self, below: usize) -> Option<Value> {
        self.inner.item(below)
    }

    fn compound(&self, below: usize) -> Option<usize> {
        self.inner.compound(below)
    }

    fn gas(&self) -> Option<u64> {
        self.inner.gas()
    }

    fn declared(&self, counts: &dyn Fn(usize) -> bool) -> Effects {
        self.inner.declared(counts)
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        self.inner.cells(at)
    }
}
