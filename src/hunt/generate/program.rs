//! A program as pieces, one for each instruction.

use std::ops::Range;

use crate::formats::BlockNumbers;
use crate::isa::OpInfo;
use crate::machines::program_parts::OperandKind;

/// How many pieces a program has at most after mutations.
pub(super) const MAX_PIECES: usize = 60;

/// An instruction of a program.
#[derive(Debug, Clone)]
pub(super) struct ProgramPiece {
    pub(super) op: &'static OpInfo,
    /// Its bytes, or its word.
    pub(super) bytes: Vec<u8>,
    /// The piece that it jumps to, or whose offset it pushes.
    pub(super) target: Option<usize>,
    /// The pieces that its operands name, if they are different ones: an operand that names none is zero.
    pub(super) handlers: Option<Box<[Option<usize>; 2]>>,
}

impl ProgramPiece {
    pub(super) fn new(op: &'static OpInfo, bytes: Vec<u8>) -> ProgramPiece {
        ProgramPiece { op, bytes, target: None, handlers: None }
    }

    /// The same with targets that moved.
    pub(super) fn moved(self, to: impl Fn(usize) -> usize) -> ProgramPiece {
        let handlers = self.handlers.map(|handlers| Box::new(handlers.map(|handler| handler.map(&to))));
        ProgramPiece { target: self.target.map(&to), handlers, ..self }
    }

    /// Whether it names other pieces.
    pub(super) fn has_targets(&self) -> bool {
        self.target.is_some() || self.handlers.is_some()
    }
}

/// A program as pieces, which can be mutated.
#[derive(Debug, Clone, Default)]
pub(in crate::hunt) struct GeneratedProgram {
    pub(super) pieces: Vec<ProgramPiece>,
    /// Which instruction got operands of which types, the top one first.
    pub(super) choices: Vec<(u16, Vec<OperandKind>)>,
    /// Which variables of the machine are prepared before the pieces: a bit for each of their rows.
    pub(super) variables: u8,
    /// What surrounds the pieces.
    pub(super) frame: ProgramFrame,
    /// How full the stack is at its largest moment; `None` for a program in which that does not matter.
    pub(in crate::hunt) fill: Option<StackFill>,
    /// The data that the program gets.
    pub(in crate::hunt) input: Vec<u8>,
    pub(in crate::hunt) block: BlockNumbers,
    /// The program that it drives, by its place in [`DriverCommands::driven`]; `None` if it drives none.
    ///
    /// [`DriverCommands::driven`]: crate::machines::program_parts::DriverCommands::driven
    pub(in crate::hunt) driven: Option<usize>,
}

impl GeneratedProgram {
    pub(super) fn remove(&mut self, at: usize) {
        self.pieces.remove(at);
        self.move_targets(|target| if target > at { target - 1 } else { target });
    }

    /// Appends the pieces of another program, beginning with one of them.
    pub(super) fn splice(&mut self, other: &GeneratedProgram, from: usize) {
        let start = self.pieces.len();
        let to = |target: usize| (start + target).saturating_sub(from);
        self.pieces.extend(other.pieces[from..].iter().map(|piece| piece.clone().moved(to)));
        self.choices.extend(other.choices.iter().cloned());
        self.variables |= other.variables;
        self.pieces.truncate(MAX_PIECES);
    }

    fn move_targets(&mut self, to: impl Fn(usize) -> usize) {
        for piece in self.pieces.iter_mut().filter(|piece| piece.has_targets()) {
            *piece = piece.clone().moved(&to);
        }
    }

    /// Puts pieces before the others.
    pub(super) fn prepend(&mut self, mut first: Vec<ProgramPiece>) {
        let count = first.len();
        self.move_targets(|target| target + count);
        first.append(&mut self.pieces);
        self.pieces = first;
    }

    /// Appends some of its pieces once more.
    pub(super) fn repeat(&mut self, pieces: Range<usize>) {
        self.pieces.extend_from_within(pieces);
    }
}

/// How the stack of a program is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hunt) struct StackFill {
    pub(super) to: StackHeight,
    /// Which of the ways that the machine's parts list.
    pub(super) way: usize,
    /// How many pieces at the start fill it.
    pub(super) pieces: usize,
}

/// How full a stack is at its largest moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StackHeight {
    /// As full as the limit allows.
    Full,
    /// One value more than that: the program ends there.
    OneTooMany,
}

/// What surrounds the pieces of a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ProgramFrame {
    /// The instructions before and after them that the machine needs to show results, if it needs some.
    #[default]
    Shown,
    /// Nothing: how a run ends with too few or too many values is shown by its end.
    Bare,
}

/// A program to which instructions are appended.
#[derive(Debug, Default)]
pub(super) struct ProgramDraft {
    pub(super) program: GeneratedProgram,
    /// How many values the pieces so far leave on the stack, as far as the rows say it.
    pub(super) height: usize,
    /// The pieces whose targets are not yet known.
    pub(super) open: Vec<usize>,
    /// The last instruction besides those that push operands or show results.
    pub(super) last: Option<AppendedInstruction>,
}

/// An instruction of a draft.
#[derive(Debug)]
pub(super) struct AppendedInstruction {
    pub(super) op: &'static OpInfo,
    /// The pieces that push its top operand.
    pub(super) top: Option<Range<usize>>,
}

/// Whether an instruction has a target, other than on the stack.
pub(super) fn jumps(op: &OpInfo) -> bool {
    op.operands.iter().any(|operand| operand.counted_from().is_some()) || op.arguments.contains(&"target")
}

impl ProgramDraft {
    /// Appends an instruction whose operands are there. Its jump is open.
    pub(super) fn append_op(&mut self, op: &'static OpInfo, bytes: Vec<u8>) {
        if jumps(op) {
            self.open.push(self.program.pieces.len());
        }
        self.program.pieces.push(ProgramPiece::new(op, bytes));
        self.height = self.height.saturating_sub(op.pops.into()) + usize::from(op.pushes);
    }
}
