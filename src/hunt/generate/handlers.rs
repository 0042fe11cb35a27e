//! Exceptions, and what handles them.

use super::generator::ProgramGenerator;
use super::program::{ProgramDraft, ProgramPiece};
use crate::isa::{ImmediateOperand, OpInfo};
use crate::machines::program_parts::OperandKind;
use crate::prove::numbers::Numbers;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockHandlers {
    Catch,
    Finally,
    Both,
}

/// Blocks, the ones with both handlers as often as the others together.
const BLOCKS: [BlockHandlers; 4] =
    [BlockHandlers::Catch, BlockHandlers::Finally, BlockHandlers::Both, BlockHandlers::Both];

impl ProgramGenerator {
    /// Appends a block with handlers, if the instruction begins one: instructions that may throw, then what catches the
    /// exception, then what is executed in any case. Returns whether it did.
    ///
    /// Handlers at random places rarely end as they must. Without any, nothing is left of a block, and one in four
    /// begins without the rest.
    pub(super) fn append_handled(
        &self,
        draft: &mut ProgramDraft,
        op: &'static OpInfo,
        numbers: &mut Numbers,
    ) -> bool {
        let Some(names) = self.parts.exceptions.filter(|_| has_two_targets(op) && !numbers.one_in(4)) else {
            return false;
        };
        let has = numbers.pick(&BLOCKS);
        let size: usize = op.operands.iter().map(|operand| operand.fixed_len()).sum();
        let begin = draft.program.pieces.len();
        draft.program.pieces.push(ProgramPiece::new(op, [vec![op.code as u8], vec![0; size]].concat()));
        let mut leaves = Vec::new();
        let throws = !numbers.one_in(4);
        self.append_body(draft, throws.then_some(names.throws), numbers);
        leaves.extend(self.leave(draft, names.leaves, numbers));
        let mut handlers = [None; 2];
        if has != BlockHandlers::Finally {
            handlers[0] = Some(draft.program.pieces.len());
            let throws = numbers.one_in(4);
            self.append_body(draft, throws.then_some(names.throws), numbers);
            leaves.extend(self.leave(draft, names.leaves, numbers));
        }
        if has != BlockHandlers::Catch {
            handlers[1] = Some(draft.program.pieces.len());
            self.push(OperandKind::Small, draft, numbers);
            draft.program.pieces.extend(self.named(names.resumes, &[]));
        }
        let end = draft.program.pieces.len();
        draft.program.pieces[begin].handlers = Some(Box::new(handlers));
        for leave in leaves {
            draft.program.pieces[leave].target = Some(end);
        }
        true
    }

    /// Pushes a number, which shows that this was executed, and throws another one with this instruction.
    fn append_body(&self, draft: &mut ProgramDraft, throws: Option<&str>, numbers: &mut Numbers) {
        self.push(OperandKind::Small, draft, numbers);
        if let Some(throws) = throws {
            self.push(OperandKind::Small, draft, numbers);
            draft.program.pieces.extend(self.named(throws, &[]));
        }
    }

    /// Appends what leaves a block: where it stands.
    fn leave(&self, draft: &mut ProgramDraft, leaves: &[&str], numbers: &mut Numbers) -> Option<usize> {
        let op = self.machine.isa.by_name(leaves[numbers.below(leaves.len())])?;
        draft.program.pieces.push(ProgramPiece::new(op, self.encoded(op, numbers)));
        Some(draft.program.pieces.len() - 1)
    }
}

/// Whether operands of the instruction are two places in the program.
pub(super) fn has_two_targets(op: &OpInfo) -> bool {
    matches!(op.operands, [ImmediateOperand::Offset(_), ImmediateOperand::Offset(_)])
}
