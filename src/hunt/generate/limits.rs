//! Programs with too few values on the stack, and with as many as fit, or one more.

use super::generator::ProgramGenerator;
use super::program::{GeneratedProgram, ProgramDraft, ProgramFrame, ProgramPiece, StackFill, StackHeight};
use crate::isa::{OpInfo, Unit};
use crate::machines::program_parts::{OperandKind, RepeatedInstruction};
use crate::prove::numbers::Numbers;

/// How many instructions a program has whose stack becomes full, without those that push or fill.
const MAX_INSTRUCTIONS: usize = 12;

/// How many values a program pushes at its end to fill the stack: more than the instructions before it push.
const RISE: usize = 12;

/// The largest moment of a program on a stack with room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::hunt) struct StackPeak {
    /// How many values there are.
    pub(in crate::hunt) values: usize,
    /// The program counter of the instruction that made it first.
    pub(in crate::hunt) after: usize,
}

impl ProgramGenerator {
    /// One instruction with too few values on the stack, or just enough.
    pub(super) fn with_too_few(&self, numbers: &mut Numbers) -> GeneratedProgram {
        let program = GeneratedProgram {
            frame: ProgramFrame::Bare,
            input: self.input(numbers),
            block: self.block(numbers),
            ..GeneratedProgram::default()
        };
        let mut draft = ProgramDraft { program, ..ProgramDraft::default() };
        let op = self.op(numbers);
        let bytes = self.encoded(op, numbers);
        self.before_load(&mut draft, op, &bytes, numbers);
        let kinds = self.kinds(op, numbers);
        let missing = numbers.below(3);
        for kind in kinds.iter().rev().skip(missing) {
            self.push(*kind, &mut draft, numbers);
        }
        draft.append_op(op, bytes);
        draft.program
    }

    /// Instructions whose values fill the stack once [`ProgramGenerator::filled`] put as many below them. Either all
    /// reach the same height, so that each of them does it when it is full; or the stack is full after them, which
    /// shows whether what they left and took was counted.
    pub(super) fn to_be_filled(&self, numbers: &mut Numbers) -> GeneratedProgram {
        let (to, count) = match numbers.below(6) {
            0 => (StackHeight::OneTooMany, 1),
            _ => (StackHeight::Full, 1 + numbers.below(MAX_INSTRUCTIONS)),
        };
        let way = numbers.below(self.parts.filler.map_or(1, |filler| filler.first.len()));
        let program = GeneratedProgram {
            frame: ProgramFrame::Bare,
            fill: Some(StackFill { to, way, pieces: 0 }),
            input: self.some_input(numbers),
            ..GeneratedProgram::default()
        };
        let mut draft = ProgramDraft { program, ..ProgramDraft::default() };
        let height = |op: &OpInfo| op.pops.max(op.pushes);
        let first = match to {
            StackHeight::OneTooMany => self.rarest(&self.pushing, &self.overfilled, numbers),
            StackHeight::Full => self.rarest(&self.all, &self.full, numbers),
        };
        let is_executable = |op: &OpInfo| op.pops == 0 || self.learnt.contains_key(&op.code);
        let rises = to == StackHeight::Full && numbers.one_in(3);
        for number in 0..count {
            let op = self.rarest(&self.all, &self.full, numbers);
            let op = if number > 0 && (rises || height(op) == height(first)) && is_executable(op) {
                op
            } else {
                first
            };
            let bytes = self.encoded(op, numbers);
            self.before_load(&mut draft, op, &bytes, numbers);
            self.push_plainly(&mut draft, op, numbers);
            draft.append_op(op, bytes);
            self.land(&mut draft);
            let removes = self.parts.filler.and_then(|filler| self.named(filler.removes, &[]));
            draft.program.pieces.extend(removes.into_iter().cycle().take(op.pushes.into()));
        }
        if rises {
            (0..RISE).for_each(|_| self.push(OperandKind::Small, &mut draft, numbers));
        }
        draft.program
    }

    /// Of a few of these instructions, the one with the lowest number in this list of all.
    fn rarest(&self, ops: &[&'static OpInfo], counts: &[u32], numbers: &mut Numbers) -> &'static OpInfo {
        const TRIED: usize = 4;
        let mut best = ops[numbers.below(ops.len())];
        for _ in 1..TRIED {
            let other = ops[numbers.below(ops.len())];
            if self.count_of(other, counts) < self.count_of(best, counts) {
                best = other;
            }
        }
        best
    }

    fn count_of(&self, op: &OpInfo, counts: &[u32]) -> u32 {
        self.machine.isa.row(op.code).map_or(0, |row| counts[row])
    }

    /// Pushes the operands of an instruction, and nothing besides.
    fn push_plainly(&self, draft: &mut ProgramDraft, op: &OpInfo, numbers: &mut Numbers) {
        let kinds = match self.learnt.get(&op.code) {
            Some(learnt) => learnt[numbers.below(learnt.len())].clone(),
            None => self.kinds(op, numbers),
        };
        for (place, kind) in kinds.iter().enumerate().rev() {
            match self.parts.jumps.on_stack().filter(|it| place == 0 && it.jumps.contains(&op.name)) {
                Some(targets) => {
                    draft.open.push(draft.program.pieces.len());
                    draft.program.pieces.extend(self.named(targets.push, &[0, 0]));
                }
                None => self.push(*kind, draft, numbers),
            }
        }
        draft.height += kinds.len();
        if !kinds.is_empty() {
            draft.program.choices.push((op.code, kinds));
        }
    }

    /// The program with as many values below its own as it wants, given its largest moment without them.
    pub(in crate::hunt) fn filled(
        &mut self,
        mut program: GeneratedProgram,
        peak: StackPeak,
    ) -> GeneratedProgram {
        let (Some(filler), Some(limit), Some(fill)) = (self.parts.filler, self.stack_limit, program.fill)
        else {
            return program;
        };
        let more = match fill.to {
            StackHeight::Full => 0,
            StackHeight::OneTooMany => {
                self.cut_after(&mut program, peak.after);
                if let Some(row) = program.pieces.last().and_then(|it| self.machine.isa.row(it.op.code)) {
                    self.overfilled[row] += 1;
                }
                1
            }
        };
        let Some(values) = (limit + more).checked_sub(peak.values) else { return program };
        let Some(fills) = filler.first.get(fill.way) else { return program };
        let first: Vec<_> = fills(values).iter().flat_map(|it| self.repeated(it)).collect();
        program.fill = Some(StackFill { pieces: first.len(), ..fill });
        program.prepend(first);
        program.pieces.extend(filler.last.iter().filter_map(|name| self.named(name, &[])));
        program
    }

    /// The pieces of a filler: several instructions that are bytes are one of them.
    fn repeated(&self, repeated: &RepeatedInstruction) -> Vec<ProgramPiece> {
        let Some(piece) = self.named(repeated.instruction.instruction, &repeated.instruction.operands) else {
            return Vec::new();
        };
        match self.machine.isa.unit {
            Unit::Bytes => vec![ProgramPiece { bytes: piece.bytes.repeat(repeated.times), ..piece }],
            Unit::Words | Unit::Objects => vec![with_own_target(piece); repeated.times],
        }
    }

    /// Removes the pieces after the one with this program counter.
    fn cut_after(&self, program: &mut GeneratedProgram, pc: usize) {
        let mut at: usize = match self.machine.isa.unit {
            Unit::Bytes => self.kept.first(program.variables).map(|piece| piece.bytes.len()).sum(),
            Unit::Words | Unit::Objects => 0,
        };
        let position = program.pieces.iter().position(|piece| {
            let here = at;
            at += if self.machine.isa.unit == Unit::Bytes { piece.bytes.len() } else { 1 };
            here == pc
        });
        if let Some(position) = position {
            program.pieces.truncate(position + 1);
        }
    }
}

/// A jump of a filler names its target by its argument: nothing is before it.
fn with_own_target(piece: ProgramPiece) -> ProgramPiece {
    let target = match piece.bytes[..] {
        [low, high] if piece.op.arguments.contains(&"target") => Some(u16::from_le_bytes([low, high]).into()),
        _ => piece.target,
    };
    ProgramPiece { target, ..piece }
}
