//! Compares what the row of an instruction says about the stack and the next instruction with what the machine did.

use super::stack::taken;
use super::variables::KnownVariables;
use crate::machines::inspect::{Effects, Inspect, ReferenceCount};
use crate::machines::machine::At;
use crate::model::{Cell, Undeclared};

/// Compares each instruction with its row.
#[derive(Default)]
pub(super) struct RowChecks {
    variables: KnownVariables,
    /// What the row of the last instruction declares about where execution continues, until that is known.
    awaited_jump: Option<DeclaredRow>,
}

impl RowChecks {
    /// Notes what an instruction reads before it is executed.
    pub(super) fn before(&mut self, effects: &Effects, state: &dyn Inspect) {
        self.variables.keep(effects.reads.iter().map(|read| &read.0), state);
    }

    /// How an instruction that has written these cells differs from what its row declares.
    pub(super) fn completed(
        &mut self,
        declared: Option<DeclaredRow>,
        writes: &[Cell],
        state: &dyn Inspect,
    ) -> Option<Undeclared> {
        let what = declared.as_ref().and_then(|declared| declared.row_deviation(state));
        let besides = || self.variables.changed_besides(writes, state);
        let what = what.or_else(|| besides().map(|cell| Undeclared::Write { cell }));
        self.awaited_jump = declared;
        self.variables.keep(writes, state);
        what
    }

    /// How the place where execution continues differs from what the row of the last instruction declares.
    pub(super) fn jump(&mut self, state: &dyn Inspect, pc: usize) -> Option<Undeclared> {
        self.awaited_jump.take()?.jump(state, pc)
    }

    /// Forgets what the last instruction declares and the values of variables: something other than an instruction
    /// may have changed the state.
    pub(super) fn forget(&mut self) {
        self.awaited_jump = None;
        self.variables.forget();
    }
}

/// What a row says about an instruction that is about to be executed.
#[derive(Debug)]
pub(super) struct DeclaredRow {
    depth: usize,
    height: usize,
    /// How many values must be on the stack.
    needs: usize,
    takes: usize,
    leaves: usize,
    /// The program counter at which execution continues; `None` if it may be any.
    next: Option<usize>,
    /// Whether it may throw an exception, which is caught elsewhere, where the stack has a different height.
    throws: bool,
    /// How many references there are after it, if it can only change those of the stack.
    references: Option<ReferenceCount>,
}

impl DeclaredRow {
    /// `None` for an undefined code.
    pub(super) fn of(at: &At<'_>, effects: &Effects) -> Option<DeclaredRow> {
        let op = at.op?;
        let height = at.state.height();
        let jumps = effects.writes.contains(&Cell::jump());
        let after = at.pc + 1 + at.operand.len();
        let takes = taken(effects.takes, at.op, height);
        let leaves = effects.leaves.unwrap_or(op.pushes.into());
        let mut cells = effects.reads.iter().map(|read| &read.0).chain(&effects.writes);
        let is_plain = |cell: &Cell| *cell == Cell::jump() || at.state.value(cell).is_some();
        // If the number of values depends on the state, it is not compared: a call passes on values that stay
        // counted.
        let is_fixed = effects.takes.is_none() && effects.leaves.is_none();
        let is_simple = is_fixed && cells.all(is_plain) && has_no_compound(at.state, takes);
        let references = at.state.references().filter(|_| is_simple);
        let exception = Cell::exception();
        Some(DeclaredRow {
            depth: at.state.depth(),
            height,
            needs: op.pops.into(),
            takes,
            leaves,
            next: if jumps { effects.target } else { Some(after) },
            throws: effects.writes.contains(&exception)
                || effects.reads.iter().any(|read| read.0 == exception),
            references: references.map(|before| ReferenceCount {
                count: (before.count + leaves).saturating_sub(takes),
                ..before
            }),
        })
    }

    /// How the machine's stack differs from what is declared.
    fn row_deviation(&self, state: &dyn Inspect) -> Option<Undeclared> {
        // An instruction that ends the run may leave any stack, unless it pushes.
        let is_over = state.depth() == 0 && self.leaves > 0;
        if self.throws || state.failure().is_some() || state.depth() != self.depth && !is_over {
            return None;
        }
        let actual = state.height();
        let declared = self.height - self.takes + self.leaves;
        if self.height < self.needs {
            return Some(Undeclared::Missing { needs: self.needs, height: self.height });
        }
        if actual != declared {
            return Some(Undeclared::Height { before: self.height, declared, actual });
        }
        if let Some(limit) = state.stack_limit().filter(|limit| actual > *limit && actual > self.height) {
            return Some(Undeclared::Limit { limit, actual });
        }
        let (expected, after) = self.references.zip(state.references())?;
        let (declared, actual) = (expected.count, after.count);
        let is_other = actual > declared || actual < declared && !expected.is_estimate;
        (is_other && has_no_compound(state, self.leaves))
            .then_some(Undeclared::References { declared, actual })
    }

    /// Where the machine continued instead.
    fn jump(&self, state: &dyn Inspect, pc: usize) -> Option<Undeclared> {
        let declared = self.next.filter(|_| !self.throws && state.depth() == self.depth)?;
        // A memory of words wraps around at its end.
        (declared != pc && declared as u16 as usize != pc)
            .then_some(Undeclared::Jump { declared, actual: pc })
    }
}

/// Whether no value among the top `count` of the stack is a compound.
fn has_no_compound(state: &dyn Inspect, count: usize) -> bool {
    (0..count).all(|below| state.compound(below).is_none())
}
