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
mod kept;
mod question;
mod ranges;
mod row_deviation;
mod search;
mod stack;
mod variables;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use self::chain::{CellOrigin, CellWriter, Chains, VectorChange};
use self::kept::KeptInstructions;
pub use self::kept::WINDOW;
pub use self::question::{AskedDatum, BlameQuestion, WrongPart};
use self::row_deviation::{DeclaredRow, RowChecks};
pub use self::search::{Counter, SoughtDatum, WriterSearch};
use self::stack::CompoundCreation;
pub(super) use self::stack::{moved, taken, top, written};

use crate::isa::OpInfo;
use crate::machines::inspect::{GasCount, Inspect, function_of_pc, written_cells};
use crate::machines::machine::{At, Watch};
use crate::model::{
    Blame, BlameAnswer, Cell, CodePlace, ExecutedInstruction, Path, PathKey, RowDeviation, SpentGas,
    Undeclared, Value,
};

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
    questions: Vec<BlameQuestion>,
    seen: WatchedInstructions,
    most_before_end: usize,
    /// After how many instructions the run is wrong; `None` if the first question says when.
    wrong_after: Option<u64>,
    step: u64,
    /// How many steps of the vector are done.
    vector_steps: usize,
    kept: KeptInstructions,
    /// What the vector changed between instructions.
    changes: Vec<VectorChange>,
    /// The last instruction, until its effects are recorded.
    last: Option<LastInstruction>,
    rows: RowChecks,
    /// What it found so far.
    pub found: BlameFindings,
}

/// What a [`Recorder`] finds.
#[derive(Default)]
pub struct BlameFindings {
    /// The answers, in the order of the questions and their paths.
    pub answers: Vec<BlameAnswer>,
    /// The data that no kept instruction wrote, if some instructions were dropped.
    pub sought: Vec<SoughtDatum>,
    /// The first kept instruction before the first question that did not do what its row declares.
    pub row_deviation: Option<RowDeviation>,
    /// The gas spent on each kind of instruction up to the last question, on a machine with gas.
    pub spent: BTreeMap<&'static str, SpentGas>,
    /// The instructions up to where the run is wrong, the latest one last.
    pub before_end: Vec<ExecutedInstruction>,
    /// How many instructions were executed up to there.
    pub asked_after: u64,
    /// The last execution of each instruction up to there but the last one, those executed least often first.
    pub earlier: Vec<ExecutedInstruction>,
    /// The innermost list that contains the first datum of the questions, with its path.
    pub list: Option<(Path, Value)>,
}

/// What is known of an instruction before it is executed.
struct LastInstruction {
    op: Option<&'static OpInfo>,
    gas: Option<GasCount>,
    /// `None` if it is not kept.
    kept: Option<KeptEffects>,
}

/// What an instruction that is kept does, besides what is in [`ExecutedInstruction`].
struct KeptEffects {
    declared: Option<DeclaredRow>,
    /// Which stack items it moves, and where it stores one: the `moves` and `stores` of its effects.
    moves: Vec<usize>,
    stores: Option<Cell>,
    creates: Option<CompoundCreation>,
    /// The program counter after it if it does not jump.
    after: usize,
}

impl Recorder {
    /// A recorder that keeps the instructions with these numbers. [`BlameFindings::before_end`] has at most the
    /// last `most_before_end` of them.
    pub fn new(
        questions: Vec<BlameQuestion>,
        keep: Range<u64>,
        seen: WatchedInstructions,
        most_before_end: usize,
    ) -> Recorder {
        let kept = KeptInstructions { numbers: keep, ..KeptInstructions::default() };
        Recorder { questions, seen, most_before_end, kept, ..Recorder::default() }
    }

    /// Sets after how many instructions the run is known to be wrong; without it, the first question decides.
    #[must_use]
    pub fn wrong_after(self, step: Option<u64>) -> Recorder {
        Recorder { wrong_after: step, ..self }
    }

    /// Records what led to the point where the run is wrong, once.
    fn record_end(&mut self) {
        if self.found.before_end.is_empty() {
            self.found.asked_after = self.step;
            self.found.before_end = self.kept.last(self.most_before_end);
            self.found.earlier = self.kept.rare();
        }
    }

    /// Records that the last kept instruction differs from its row, if the run was right before it.
    fn add_deviation(&mut self, what: Option<Undeclared>) {
        if self.found.is_right_so_far() {
            let by = self.kept.records.back().cloned();
            self.found.row_deviation = what.zip(by).map(|(what, by)| RowDeviation { by, what });
        }
    }

    /// Completes the record of the last instruction with what only the state after it shows. `pc` is where
    /// execution continues, if the machine is about to execute the next instruction.
    fn complete(&mut self, state: &dyn Inspect, pc: Option<usize>) {
        let Some(last) = self.last.take() else { return };
        let LastInstruction { op, gas, kept } = last;
        if self.seen == WatchedInstructions::All {
            self.found.count_gas(op, gas.zip(state.gas()));
        }
        let Some((effects, record)) = kept.zip(self.kept.records.back_mut()) else { return };
        record.cost = gas.zip(state.gas()).map(|(before, after)| before.left.saturating_sub(after.left));
        record.writes = written_cells(std::mem::take(&mut record.writes), state);
        record.add_stack(op.map_or(0, |op| op.pushes.into()), &effects.moves, effects.stores, state);
        let went = pc.map(|pc| CodePlace { pc, function: function_of_pc(state) });
        record.went = went.filter(|went| went.pc != effects.after || went.function != record.at.function);
        record.writes.extend(effects.creates.and_then(|creation| creation.created(state)));
        if self.found.is_right_so_far() {
            let what = self.rows.completed(effects.declared, &record.writes, state);
            self.add_deviation(what);
        }
    }

    fn answer(&mut self, number: usize, state: &dyn Inspect) {
        let questions = std::mem::take(&mut self.questions);
        for (_, data) in questions.iter().filter(|question| question.0 == number) {
            self.record_end();
            if self.found.list.is_none() {
                self.found.list = data.first().and_then(|datum| list_of(&datum.at, state));
            }
            let chains = Chains::new(&self.kept.records, &self.changes);
            let answers: Vec<_> = data.iter().map(|datum| self.made(&chains, datum, state)).collect();
            for (datum, answer) in data.iter().zip(answers) {
                if let BlameAnswer::NotWritten { of_last: Some(_), .. } = answer {
                    let (answer, cells) = (self.found.answers.len(), datum.cells(state));
                    let question = (number, vec![datum.clone()]);
                    self.found.sought.push(SoughtDatum { answer, question, cells, end: self.step });
                }
                self.found.answers.push(answer);
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
            let last = self.kept.records.iter().rev().find(decides);
            return BlameAnswer::NoCell(last.or(self.kept.records.back()).map(CellWriter::only).map(blame));
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
        let near = self.kept.records.iter().rev().find(is_near);
        let kept = self.kept.records.len() as u64;
        BlameAnswer::NotWritten {
            near: near.map(CellWriter::only).map(blame),
            of_last: (kept < self.step).then_some(kept),
            besides: state.transaction().and_then(|it| it.changed_besides(&datum.at)),
        }
    }

    /// The last instruction that popped all values above a stack cell, but not the one in it.
    fn left_by(&self, writer: &CellWriter<'_>, cell: Option<&Cell>) -> Option<ExecutedInstruction> {
        let Some(Cell::Stack(at)) = cell else { return None };
        let since = self.kept.records.iter().rev().take_while(|record| record.step > writer.by.step);
        let is_above = |record: &&ExecutedInstruction| {
            // DUP and SWAP leave what they pop.
            let kept = record.moved.iter().filter(|(to, _)| matches!(to, Cell::Stack(_))).count();
            kept < record.taken && record.top == at + 1 + record.taken
        };
        since.into_iter().find(is_above).cloned()
    }
}

impl BlameFindings {
    /// Whether no kept instruction differs from its row so far, and the run is not known to be wrong.
    fn is_right_so_far(&self) -> bool {
        self.row_deviation.is_none() && self.before_end.is_empty()
    }

    /// Adds what an instruction spent, given the gas before and after it.
    fn count_gas(&mut self, op: Option<&'static OpInfo>, gas: Option<(GasCount, GasCount)>) {
        let Some((op, (before, after))) = op.zip(gas) else { return };
        let spent = self.spent.entry(op.name).or_default();
        let cost = before.left.saturating_sub(after.left);
        spent.count += 1;
        spent.gas += cost;
        spent.unlike_row += u64::from(cost != op.gas);
        spent.by_row += op.gas;
        spent.refund += before.refund.zip(after.refund).map_or(0, |(before, after)| after - before);
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

impl Watch for Recorder {
    fn passes_over(&self) -> u64 {
        match self.seen {
            WatchedInstructions::All => 0,
            WatchedInstructions::Kept => self.kept.numbers.start.saturating_sub(self.step),
        }
    }

    fn passed_over(&mut self, count: u64) {
        self.step += count;
    }

    fn before(&mut self, at: &At<'_>) {
        self.complete(at.state, Some(at.pc));
        let jump = self.rows.jump(at.state, at.pc);
        self.add_deviation(jump);
        if self.wrong_after == Some(self.step) {
            self.record_end();
        }
        let kept = self.kept.numbers.contains(&self.step).then(|| {
            let mut effects = at.state.effects();
            let (moves, stores) = (std::mem::take(&mut effects.moves), effects.stores.take());
            let declared = DeclaredRow::of(at, &effects);
            let creates = CompoundCreation::before(&effects, at.state);
            self.rows.before(&effects, at.state);
            self.kept.add(ExecutedInstruction::new(self.step, at, effects));
            KeptEffects { declared, moves, stores, creates, after: at.pc + 1 + at.operand.len() }
        });
        self.last = Some(LastInstruction { op: at.op, gas: at.state.gas(), kept });
        self.step += 1;
    }

    fn set(&mut self, changes: &Value, state: &dyn Inspect) {
        let cells = state.set_cells(changes);
        let (after, step) = (self.step, self.vector_steps + 1);
        self.changes.extend((!cells.is_empty()).then_some(VectorChange { after, step, cells }));
    }

    /// Changes between two actions are not attributed to an instruction.
    fn pause(&mut self, state: &dyn Inspect) {
        if self.last.is_none() {
            self.rows.forget();
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
