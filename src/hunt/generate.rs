//! Makes programs of a machine from the rows of its instructions.
//!
//! A program is a list of pieces, one for each instruction. What makes a wrong instruction visible decides what is in
//! it:
//!
//! | file | content |
//! |---|---|
//! | `program.rs` | the pieces of a program |
//! | `generator.rs` | what the other files share: the instructions of the machine, and what is known about its programs |
//! | `operands.rs` | the operands of an instruction, mostly pushed right before it, of types that worked before |
//! | `kept_values.rs` | the instructions that keep values besides the stack |
//! | `variables.rs` | what is stored is loaded again, and what lies beside it |
//! | `limits.rs` | too few values on the stack, and stacks that are full at the largest moment of a program |
//! | `handlers.rs` | exceptions, and what handles them |
//! | `drivers.rs` | programs that drive another one |
//! | `notation.rs` | programs as vectors have them |
//! | `read.rs` | programs of vectors as pieces |

mod drivers;
mod generator;
mod handlers;
mod kept_values;
mod limits;
mod notation;
mod operands;
mod program;
mod read;
mod variables;

use std::collections::BTreeSet;

pub(super) use self::generator::ProgramGenerator;
use self::generator::of_groups;
pub(super) use self::limits::StackPeak;
pub(super) use self::program::GeneratedProgram;
use self::program::{AppendedInstruction, MAX_PIECES, ProgramDraft, StackHeight};
use crate::formats::BlockNumbers;
use crate::isa::{DeclaredEffect, ImmediateOperand, OpInfo, Unit};
use crate::prove::numbers::Numbers;

/// How many instructions a new program gets, without the pushes of their operands.
const MAX_INSTRUCTIONS: usize = 10;

impl ProgramGenerator {
    /// A new program, or one of the pool with a few changes.
    pub(super) fn next(&self, numbers: &mut Numbers) -> GeneratedProgram {
        if numbers.one_in(14) {
            return self.with_too_few(numbers);
        }
        if self.parts.filler.is_some() && numbers.one_in(16) {
            return self.to_be_filled(numbers);
        }
        if let Some(commands) = self.parts.driver.filter(|_| numbers.one_in(16)) {
            return self.driving(&commands, numbers);
        }
        if self.pool.is_empty() || numbers.one_in(2) {
            return self.fresh(numbers);
        }
        let program = self.pool[numbers.below(self.pool.len())].clone();
        let mut draft = ProgramDraft { program, ..ProgramDraft::default() };
        for _ in 0..=numbers.below(3) {
            self.mutate(&mut draft, numbers);
        }
        draft.program
    }

    /// Keeps a program for mutations.
    pub(super) fn keep(&mut self, program: GeneratedProgram) {
        const MAX_POOL: usize = 4_096;
        // One that fills the stack takes long to change.
        if self.pool.len() < MAX_POOL && program.pieces.len() <= MAX_PIECES && program.fill.is_none() {
            self.pool.push(program);
        }
    }

    /// Learns from a program that ended normally.
    pub(super) fn reward(&mut self, program: &GeneratedProgram) {
        const MAX_LEARNT: usize = 32;
        for (code, kinds) in &program.choices {
            let learnt = self.learnt.entry(*code).or_default();
            if learnt.len() < MAX_LEARNT && !learnt.contains(kinds) {
                learnt.push(kinds.clone());
            }
        }
        let isa = self.machine.isa;
        let (filling, is_full) =
            program.fill.map_or((0, false), |fill| (fill.pieces, fill.to == StackHeight::Full));
        for row in program.pieces[filling..].iter().filter_map(|piece| isa.row(piece.op.code)) {
            self.executed[row] = self.executed[row].saturating_add(1);
            if is_full {
                self.full[row] = self.full[row].saturating_add(1);
            }
        }
    }

    /// The codes of the instructions of a program, each once.
    pub(super) fn codes(&self, program: &GeneratedProgram) -> BTreeSet<u16> {
        let prepared = self.kept.first(program.variables);
        prepared.chain(&program.pieces).map(|piece| piece.op.code).collect()
    }

    fn fresh(&self, numbers: &mut Numbers) -> GeneratedProgram {
        let (input, block) = (self.input(numbers), self.block(numbers));
        let program = GeneratedProgram { input, block, ..GeneratedProgram::default() };
        let mut draft = ProgramDraft { program, ..ProgramDraft::default() };
        // Small numbers of instructions are more frequent: those after one that fails are not executed.
        let count = 1 + numbers.below(MAX_INSTRUCTIONS);
        self.append_some(&mut draft, 1 + numbers.below(count), numbers);
        draft.program
    }

    fn append_some(&self, draft: &mut ProgramDraft, count: usize, numbers: &mut Numbers) {
        for _ in 0..count {
            self.append(draft, numbers);
            if numbers.one_in(2) {
                self.land(draft);
            }
        }
        self.land(draft);
    }

    /// Data for a program, if its machine has some: none half of the time.
    fn input(&self, numbers: &mut Numbers) -> Vec<u8> {
        if numbers.one_in(2) { Vec::new() } else { self.some_input(numbers) }
    }

    /// Data for a program, if its machine has some.
    fn some_input(&self, numbers: &mut Numbers) -> Vec<u8> {
        const MAX_INPUT: usize = 64;
        if self.parts.input.is_none() {
            return Vec::new();
        }
        let count = 1 + numbers.below(MAX_INPUT);
        numbers.bytes(count)
    }

    /// The numbers of the block of a program, mostly small: some implementations cannot do without.
    fn block(&self, numbers: &mut Numbers) -> BlockNumbers {
        if self.parts.reads_block && numbers.one_in(8) { BlockNumbers::Large } else { BlockNumbers::Small }
    }

    /// Any instruction: half of the time, each row is as likely as the others, otherwise each group. Of two, mostly the
    /// one that was executed in fewer programs.
    fn op(&self, numbers: &mut Numbers) -> &'static OpInfo {
        let mut any = || {
            if numbers.one_in(2) {
                let ops = self.machine.isa.ops;
                &ops[numbers.below(ops.len())]
            } else {
                of_groups(&self.groups, numbers)
            }
        };
        let (one, other) = (any(), any());
        let executed = |op: &OpInfo| self.machine.isa.row(op.code).map(|row| self.executed[row]);
        if executed(other) < executed(one) && !numbers.one_in(4) { other } else { one }
    }

    /// An instruction that reads what the one before it may have written: what that did shows only so.
    fn reader(&self, draft: &ProgramDraft, numbers: &mut Numbers) -> Option<&'static OpInfo> {
        let last = draft.last.as_ref()?.op;
        let written = |effect: &DeclaredEffect| match effect {
            DeclaredEffect::Writes(place) => self.readers.iter().find(|(kind, _)| kind == place),
            _ => None,
        };
        let (_, readers) = last.effects.iter().filter(|_| !self.kept.has(last)).find_map(written)?;
        numbers.one_in(3).then(|| readers[numbers.below(readers.len())])
    }

    /// Appends an instruction after pushes of its operands, and what shows its results.
    fn append(&self, draft: &mut ProgramDraft, numbers: &mut Numbers) {
        let reader = self.reader(draft, numbers);
        let top = reader.and_then(|_| draft.last.take()).and_then(|last| last.top);
        let op = reader.unwrap_or_else(|| self.op(numbers));
        if self.append_handled(draft, op, numbers) {
            return;
        }
        let bytes = self.encoded(op, numbers);
        self.before_load(draft, op, &bytes, numbers);
        let pops = usize::from(op.pops);
        let pushed = if draft.height >= pops && numbers.one_in(4) {
            None
        } else {
            Some(self.push_operands(draft, op, top.as_ref(), numbers))
        };
        self.load_registers(draft, op, &bytes, numbers);
        draft.append_op(op, bytes.clone());
        let on_top = pushed.as_ref().and_then(|pushed| match op.pushes {
            0 => pushed.below,
            _ => pushed.kinds.iter().copied().find(|kind| kind.is_shared()),
        });
        if let Some(kind) = on_top.filter(|_| numbers.one_in(3)) {
            self.change_shared(draft, kind);
        }
        self.after_store(draft, op, &bytes, numbers);
        self.uncover(draft, op, numbers);
        draft.last = Some(AppendedInstruction { op, top: pushed.and_then(|pushed| pushed.top) });
    }

    /// Removes the upper values after an instruction that reaches deeper than the end of a program shows.
    fn uncover(&self, draft: &mut ProgramDraft, op: &OpInfo, numbers: &mut Numbers) {
        let Some(shown) = self.parts.shown else { return };
        let left = usize::from(op.pushes);
        if left > shown.values && numbers.one_in(2) {
            let count = 1 + numbers.below(left);
            let removed = self.named(shown.removes, &[]).into_iter().cycle().take(count);
            draft.program.pieces.extend(removed);
            draft.height = draft.height.saturating_sub(count);
        }
    }

    /// Lets the open jumps lead to the end of the program so far.
    fn land(&self, draft: &mut ProgramDraft) {
        if draft.open.is_empty() {
            return;
        }
        let pieces = &mut draft.program.pieces;
        let target = pieces.len();
        let destination = self.parts.jumps.on_stack().map(|targets| targets.destination);
        pieces.extend(destination.and_then(|name| self.named(name, &[])));
        for piece in draft.open.drain(..) {
            pieces[piece].target = Some(target);
        }
    }

    /// The bytes of an instruction: of one without bytes, its arguments as 16-bit numbers.
    fn encoded(&self, op: &'static OpInfo, numbers: &mut Numbers) -> Vec<u8> {
        match self.machine.isa.unit {
            Unit::Bytes => {
                let mut bytes = vec![op.code as u8];
                let known = self.parts.known.iter().find(|row| row.instructions.contains(&op.name));
                if let Some(known) = known.filter(|_| !numbers.one_in(8)) {
                    bytes.extend(numbers.pick(known.operands));
                    return bytes;
                }
                for operand in op.operands {
                    match *operand {
                        ImmediateOperand::Prefixed(size) => {
                            let data = operands::data(numbers);
                            bytes.extend(&data.len().to_le_bytes()[..size.into()]);
                            bytes.extend(data);
                        }
                        operand => bytes.extend(numbers.immediate(operand)),
                    }
                }
                bytes
            }
            Unit::Words => {
                let word = op.code | numbers.bits() as u16 & !op.mask;
                word.to_be_bytes().to_vec()
            }
            Unit::Objects => {
                op.arguments.iter().flat_map(|_| (numbers.below(4) as i16).to_le_bytes()).collect()
            }
        }
    }

    fn mutate(&self, draft: &mut ProgramDraft, numbers: &mut Numbers) {
        let length = draft.program.pieces.len();
        match numbers.below(4) {
            0 if length > 1 => {
                let at = numbers.below(length);
                draft.program.remove(at);
            }
            1 if length > 0 => {
                let at = numbers.below(length);
                let piece = &mut draft.program.pieces[at];
                if !piece.has_targets() {
                    piece.bytes = self.encoded(piece.op, numbers);
                }
            }
            2 if !self.pool.is_empty() => {
                let other = &self.pool[numbers.below(self.pool.len())];
                let from = numbers.below(other.pieces.len().max(1));
                draft.program.splice(other, from);
            }
            _ => {
                if length < MAX_PIECES {
                    self.append(draft, numbers);
                    self.land(draft);
                }
            }
        }
    }
}
