//! Makes programs of a machine from the rows of its instructions.
//!
//! A program is a list of pieces, one for each instruction. What makes a wrong instruction visible decides what is in
//! it:
//!
//! | file | content |
//! |---|---|
//! | `operands.rs` | the operands of an instruction, mostly pushed right before it, of types that worked before |
//! | `variables.rs` | what is stored is loaded again, and what lies beside it |
//! | `limits.rs` | too few values on the stack, and stacks that are full at the largest moment of a program |
//! | `handlers.rs` | exceptions, and what handles them |
//! | `drivers.rs` | programs that drive another one |
//! | `notation.rs` | programs as vectors have them |
//! | `read.rs` | programs of vectors as pieces |

mod drivers;
mod handlers;
mod limits;
mod notation;
mod operands;
mod read;
mod variables;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use self::limits::StackHeight;
pub(super) use self::limits::{StackFill, StackPeak};
use self::variables::KeptValues;
use crate::formats::BlockNumbers;
use crate::isa::{DeclaredEffect, ImmediateOperand, OpInfo, PlaceKind, Unit};
use crate::machines::MachineInfo;
use crate::machines::program_parts::{OperandKind, ProgramParts, PushedNumber};
use crate::model::limits::Limits;
use crate::prove::numbers::Numbers;

/// How many instructions a new program gets, without the pushes of their operands.
const MAX_INSTRUCTIONS: usize = 10;

/// How many pieces a program has at most after mutations.
const MAX_PIECES: usize = 60;

/// An instruction of a program.
#[derive(Debug, Clone)]
struct Piece {
    op: &'static OpInfo,
    /// Its bytes, or its word.
    bytes: Vec<u8>,
    /// The piece that it jumps to, or whose offset it pushes.
    target: Option<usize>,
    /// The pieces that its operands name, if they are different ones: an operand that names none is zero.
    handlers: Option<Box<[Option<usize>; 2]>>,
}

impl Piece {
    fn new(op: &'static OpInfo, bytes: Vec<u8>) -> Piece {
        Piece { op, bytes, target: None, handlers: None }
    }

    /// The same with targets that moved.
    fn moved(self, to: impl Fn(usize) -> usize) -> Piece {
        let handlers = self.handlers.map(|handlers| Box::new(handlers.map(|handler| handler.map(&to))));
        Piece { target: self.target.map(&to), handlers, ..self }
    }

    /// Whether it names other pieces.
    fn has_targets(&self) -> bool {
        self.target.is_some() || self.handlers.is_some()
    }
}

/// A program as pieces, which can be mutated.
#[derive(Debug, Clone, Default)]
pub(super) struct GeneratedProgram {
    pieces: Vec<Piece>,
    /// Which instruction got operands of which types, the top one first.
    choices: Vec<(u16, Vec<OperandKind>)>,
    /// Which variables of the machine are prepared before the pieces: a bit for each of their rows.
    variables: u8,
    /// What surrounds the pieces.
    frame: ProgramFrame,
    /// How full the stack is at its largest moment; `None` for a program in which that does not matter.
    pub(super) fill: Option<StackFill>,
    /// The data that the program gets.
    pub(super) input: Vec<u8>,
    /// The numbers of its block.
    pub(super) block: BlockNumbers,
    /// The program that it drives, by its place in [`DriverCommands::driven`]; `None` if it drives none.
    ///
    /// [`DriverCommands::driven`]: crate::machines::program_parts::DriverCommands::driven
    pub(super) driven: Option<usize>,
}

/// What surrounds the pieces of a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ProgramFrame {
    /// The instructions before and after them that the machine needs to show results, if it needs some.
    #[default]
    Shown,
    /// Nothing: how a run ends with too few or too many values is shown by its end.
    Bare,
}

/// A program to which instructions are appended.
#[derive(Debug, Default)]
struct ProgramDraft {
    program: GeneratedProgram,
    /// How many values the pieces so far leave on the stack, as far as the rows say it.
    height: usize,
    /// The pieces whose targets are not yet known.
    open: Vec<usize>,
    /// The last instruction besides those that push operands or show results.
    last: Option<AppendedInstruction>,
}

/// An instruction of a draft.
#[derive(Debug)]
struct AppendedInstruction {
    op: &'static OpInfo,
    /// The pieces that push its top operand.
    top: Option<Range<usize>>,
}

/// Makes programs of one machine.
pub(super) struct ProgramGenerator {
    machine: &'static MachineInfo,
    parts: &'static ProgramParts,
    /// Instructions that differ only in a number, such as `PUSH1` and `PUSH2`, are one group.
    groups: Vec<Vec<&'static OpInfo>>,
    /// Those that take nothing and leave a value.
    found: Vec<Vec<&'static OpInfo>>,
    /// All instructions.
    all: Vec<&'static OpInfo>,
    /// Those that leave more values than they take.
    pushing: Vec<&'static OpInfo>,
    /// The instructions that read what others write, by the kind of place.
    readers: Vec<(PlaceKind, Vec<&'static OpInfo>)>,
    /// What keeps values besides the stack.
    kept: KeptValues,
    /// The types of operands with which an instruction, by its code, was executed.
    learnt: HashMap<u16, Vec<Vec<OperandKind>>>,
    /// How many programs ended normally that have an instruction, by its row.
    executed: Vec<u32>,
    /// How many of these filled the stack.
    full: Vec<u32>,
    /// How many programs tried to push one value too many with an instruction, by its row.
    overfilled: Vec<u32>,
    /// Programs that did something for the first time.
    pool: Vec<GeneratedProgram>,
    /// How many values fit on the stack; `None` if that has no limit.
    stack_limit: Option<usize>,
}

/// The instructions in groups, the ones whose names differ only in a number.
fn grouped(ops: impl Iterator<Item = &'static OpInfo>) -> Vec<Vec<&'static OpInfo>> {
    let stem = |op: &OpInfo| op.name.trim_end_matches(|it: char| it.is_ascii_digit()).to_owned();
    let mut groups: Vec<Vec<&'static OpInfo>> = Vec::new();
    for op in ops {
        match groups.iter_mut().find(|group| stem(group[0]) == stem(op)) {
            Some(group) => group.push(op),
            None => groups.push(vec![op]),
        }
    }
    groups
}

/// One of the instructions, each group as likely as the others.
fn of_groups(groups: &[Vec<&'static OpInfo>], numbers: &mut Numbers) -> &'static OpInfo {
    let group = &groups[numbers.below(groups.len())];
    group[numbers.below(group.len())]
}

impl ProgramGenerator {
    /// For a machine with these parts.
    pub(super) fn new(machine: &'static MachineInfo, parts: &'static ProgramParts) -> ProgramGenerator {
        let ops = machine.isa.ops;
        let kept = KeptValues::new(machine.isa, parts.variables);
        let mut readers: Vec<(PlaceKind, Vec<&'static OpInfo>)> = Vec::new();
        for op in ops.iter().filter(|op| !kept.has(op)) {
            for effect in op.effects {
                let DeclaredEffect::Reads(place) = effect else { continue };
                match readers.iter_mut().find(|(kind, _)| kind == place) {
                    Some((_, ops)) if ops.last().is_some_and(|last| last.code == op.code) => {}
                    Some((_, ops)) => ops.push(op),
                    None => readers.push((*place, vec![op])),
                }
            }
        }
        let is_plain = |op: &OpInfo| op.effects.iter().all(|effect| *effect == DeclaredEffect::Creates);
        let is_found = |op: &&OpInfo| (op.pops, op.pushes) == (0, 1) && is_plain(op);
        let fresh = (machine.new)(&Limits::default());
        let stack_limit = fresh.stack_limit().or(fresh.references().map(|references| references.limit));
        ProgramGenerator {
            machine,
            parts,
            groups: grouped(ops.iter()),
            found: grouped(ops.iter().filter(is_found)),
            all: ops.iter().collect(),
            pushing: ops.iter().filter(|op| op.pushes > op.pops).collect(),
            readers,
            kept,
            learnt: HashMap::new(),
            executed: vec![0; ops.len()],
            full: vec![0; ops.len()],
            overfilled: vec![0; ops.len()],
            pool: Vec::new(),
            stack_limit,
        }
    }

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

    /// An instruction without operands other than these bytes; `None` if the machine has none of this name.
    fn named(&self, name: &str, operands: &[u8]) -> Option<Piece> {
        let op = self.machine.isa.by_name(name)?;
        let bytes = match self.machine.isa.unit {
            Unit::Objects => operands.to_vec(),
            Unit::Bytes | Unit::Words => [&[op.code as u8], operands].concat(),
        };
        Some(Piece::new(op, bytes))
    }

    /// The instructions of a list of the machine's parts.
    fn listed(&self, instructions: &[PushedNumber]) -> impl Iterator<Item = Piece> {
        instructions.iter().filter_map(|it| self.named(it.instruction, &it.operands))
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

/// Whether an instruction has a target, other than on the stack.
fn jumps(op: &OpInfo) -> bool {
    op.operands.iter().any(|operand| operand.counted_from().is_some()) || op.arguments.contains(&"target")
}

impl ProgramDraft {
    /// Appends an instruction whose operands are there. Its jump is open.
    fn append_op(&mut self, op: &'static OpInfo, bytes: Vec<u8>) {
        if jumps(op) {
            self.open.push(self.program.pieces.len());
        }
        self.program.pieces.push(Piece::new(op, bytes));
        self.height = self.height.saturating_sub(op.pops.into()) + usize::from(op.pushes);
    }
}

impl GeneratedProgram {
    fn remove(&mut self, at: usize) {
        self.pieces.remove(at);
        self.move_targets(|target| if target > at { target - 1 } else { target });
    }

    /// Appends the pieces of another program, beginning with one of them.
    fn splice(&mut self, other: &GeneratedProgram, from: usize) {
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
    fn prepend(&mut self, mut first: Vec<Piece>) {
        let count = first.len();
        self.move_targets(|target| target + count);
        first.append(&mut self.pieces);
        self.pieces = first;
    }
}
