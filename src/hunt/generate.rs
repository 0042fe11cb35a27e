//! Makes programs of a machine from the rows of its instructions.
//!
//! A program is a list of pieces, one for each instruction. The operands of an instruction are mostly pushed right
//! before it: numbers at the boundaries of the machine's words, small ones, bytes, and on NeoVM compounds. Which types of
//! operands an instruction takes is no part of its row; it is learnt from programs that ended normally.

mod read;

use std::collections::{BTreeSet, HashMap};

use num_bigint::BigInt;
use serde_json::{Value as Json, json};

use super::minimize::programs::listed;
use crate::formats::Inputs;
use crate::isa::{DeclaredEffect, ImmediateOperand, OpInfo, PlaceKind, Unit};
use crate::machines::MachineInfo;
use crate::machines::program_parts::{CodeNotation, OperandKind, ProgramParts, PushedNumber};
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
}

/// A program as pieces, which can be mutated.
#[derive(Debug, Clone, Default)]
pub(super) struct GeneratedProgram {
    pieces: Vec<Piece>,
    /// Which instruction got operands of which types, the top one first.
    choices: Vec<(u16, Vec<OperandKind>)>,
    /// What surrounds the pieces.
    frame: ProgramFrame,
    /// The data that the program gets.
    pub(super) input: Vec<u8>,
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

/// Makes programs of one machine.
pub(super) struct ProgramGenerator {
    machine: &'static MachineInfo,
    parts: &'static ProgramParts,
    /// Instructions that differ only in a number, such as `PUSH1` and `PUSH2`, are one group.
    groups: Vec<Vec<&'static OpInfo>>,
    /// The instructions that read what others write, by the kind of place.
    readers: Vec<(PlaceKind, Vec<&'static OpInfo>)>,
    /// How often a type of operand was there, by instruction and place, when a program ended normally.
    learnt: HashMap<(u16, usize, OperandKind), u32>,
    /// Programs that did something for the first time.
    pool: Vec<GeneratedProgram>,
    /// How many values fit on the stack; `None` if that has no limit.
    stack_limit: Option<usize>,
}

impl ProgramGenerator {
    /// For a machine with these parts.
    pub(super) fn new(machine: &'static MachineInfo, parts: &'static ProgramParts) -> ProgramGenerator {
        let mut groups: Vec<Vec<&'static OpInfo>> = Vec::new();
        let stem = |op: &OpInfo| op.name.trim_end_matches(|it: char| it.is_ascii_digit()).to_owned();
        for op in machine.isa.ops {
            match groups.iter_mut().find(|group| stem(group[0]) == stem(op)) {
                Some(group) => group.push(op),
                None => groups.push(vec![op]),
            }
        }
        let mut readers: Vec<(PlaceKind, Vec<&'static OpInfo>)> = Vec::new();
        for op in machine.isa.ops {
            for effect in op.effects {
                let DeclaredEffect::Reads(place) = effect else { continue };
                match readers.iter_mut().find(|(kind, _)| kind == place) {
                    Some((_, ops)) if ops.last().is_some_and(|last| last.code == op.code) => {}
                    Some((_, ops)) => ops.push(op),
                    None => readers.push((*place, vec![op])),
                }
            }
        }
        let fresh = (machine.new)(&Limits::default());
        let stack_limit = fresh.stack_limit().or(fresh.references().map(|references| references.limit));
        ProgramGenerator {
            machine,
            parts,
            groups,
            readers,
            learnt: HashMap::new(),
            pool: Vec::new(),
            stack_limit,
        }
    }

    /// A new program, or one of the pool with a few changes.
    pub(super) fn next(&self, numbers: &mut Numbers) -> GeneratedProgram {
        if numbers.one_in(12) {
            return self.at_a_limit(numbers);
        }
        if self.pool.is_empty() || numbers.one_in(2) {
            return self.fresh(numbers);
        }
        let mut program = self.pool[numbers.below(self.pool.len())].clone();
        for _ in 0..=numbers.below(3) {
            self.mutate(&mut program, numbers);
        }
        program
    }

    /// Keeps a program for mutations.
    pub(super) fn keep(&mut self, program: GeneratedProgram) {
        const MAX_POOL: usize = 4_096;
        // One that fills the stack takes long to change.
        if self.pool.len() < MAX_POOL && program.pieces.len() <= MAX_PIECES {
            self.pool.push(program);
        }
    }

    /// Learns from a program that ended normally.
    pub(super) fn reward(&mut self, program: &GeneratedProgram) {
        for (code, kinds) in &program.choices {
            for (place, kind) in kinds.iter().enumerate() {
                *self.learnt.entry((*code, place, *kind)).or_insert(0) += 1;
            }
        }
    }

    fn fresh(&self, numbers: &mut Numbers) -> GeneratedProgram {
        let mut program = GeneratedProgram { input: self.input(numbers), ..GeneratedProgram::default() };
        let (mut height, mut open) = (0, Vec::new());
        // Few instructions more often: what comes after one that fails is not executed.
        let count = 1 + numbers.below(MAX_INSTRUCTIONS);
        for _ in 0..=numbers.below(count) {
            self.append(&mut program, &mut height, &mut open, numbers);
            if numbers.one_in(2) {
                self.land(&mut program, &mut open);
            }
        }
        self.land(&mut program, &mut open);
        program
    }

    /// Data for a program, if its machine has some: none half of the time.
    fn input(&self, numbers: &mut Numbers) -> Vec<u8> {
        const MAX_INPUT: usize = 64;
        if self.parts.input.is_none() || numbers.one_in(2) {
            return Vec::new();
        }
        let count = 1 + numbers.below(MAX_INPUT);
        numbers.bytes(count)
    }

    /// One instruction with too few values on the stack, or a stack that is full before or after it.
    fn at_a_limit(&self, numbers: &mut Numbers) -> GeneratedProgram {
        let mut program = GeneratedProgram { frame: ProgramFrame::Bare, ..GeneratedProgram::default() };
        let op = self.op(numbers);
        let full = self.stack_limit.filter(|_| numbers.one_in(8));
        let height = match full {
            // It fits, or is one value too many; one that needs no room has none, or one.
            Some(limit) => match op.pushes.checked_sub(op.pops).map(usize::from) {
                Some(more @ 1..) => (limit + 1 + numbers.below(2)).saturating_sub(more) - 1,
                _ => limit.saturating_sub(numbers.below(2)),
            },
            None => usize::from(op.pops).saturating_sub(numbers.below(3)),
        };
        if full.is_some() {
            let value = self.number(&BigInt::from(1));
            program.pieces.extend(value.into_iter().cycle().take(height));
        } else {
            (0..height).for_each(|_| self.push(OperandKind::Small, &mut program, numbers));
        }
        program.pieces.push(Piece { op, bytes: self.encoded(op, numbers), target: None });
        program
    }

    /// Any instruction: half of the time, each row is as likely as the others, otherwise each group.
    fn op(&self, numbers: &mut Numbers) -> &'static OpInfo {
        if numbers.one_in(2) {
            let ops = self.machine.isa.ops;
            return &ops[numbers.below(ops.len())];
        }
        let group = &self.groups[numbers.below(self.groups.len())];
        group[numbers.below(group.len())]
    }

    /// An instruction that reads what the one before it may have written: what that did shows only so.
    fn reader(&self, program: &GeneratedProgram, numbers: &mut Numbers) -> Option<&'static OpInfo> {
        let last = program.pieces.last()?.op;
        let written = |effect: &DeclaredEffect| match effect {
            DeclaredEffect::Writes(place) => self.readers.iter().find(|(kind, _)| kind == place),
            _ => None,
        };
        let (_, readers) = last.effects.iter().find_map(written)?;
        numbers.one_in(3).then(|| readers[numbers.below(readers.len())])
    }

    /// Appends an instruction after pushes of its operands. Its jump is added to `open`.
    fn append(
        &self,
        program: &mut GeneratedProgram,
        height: &mut usize,
        open: &mut Vec<usize>,
        numbers: &mut Numbers,
    ) {
        let op = self.reader(program, numbers).unwrap_or_else(|| self.op(numbers));
        let pops = usize::from(op.pops);
        let mut kinds = Vec::new();
        if pops <= 4 && !(*height >= pops && numbers.one_in(3)) {
            for place in (0..pops).rev() {
                if let Some(targets) = self.parts.jumps.on_stack()
                    && place == 0
                    && targets.jumps.contains(&op.name)
                {
                    open.push(program.pieces.len());
                    program.pieces.extend(self.named(targets.push, &[0, 0]));
                } else {
                    let kind = self.kind(op, place, numbers);
                    kinds.insert(0, kind);
                    self.push(kind, program, numbers);
                }
                *height += 1;
            }
        } else if pops > 4 {
            // DUP9 and the like: as many values as they reach for.
            while *height < pops {
                self.push(OperandKind::Small, program, numbers);
                *height += 1;
            }
        }
        program.choices.push((op.code, kinds));
        if op.operands.iter().any(|operand| matches!(operand, ImmediateOperand::Offset(_)))
            || op.arguments.contains(&"target")
        {
            open.push(program.pieces.len());
        }
        program.pieces.push(Piece { op, bytes: self.encoded(op, numbers), target: None });
        *height = height.saturating_sub(pops) + usize::from(op.pushes);
    }

    /// Lets the open jumps lead to the end of the program so far.
    fn land(&self, program: &mut GeneratedProgram, open: &mut Vec<usize>) {
        if open.is_empty() {
            return;
        }
        let target = program.pieces.len();
        let destination = self.parts.jumps.on_stack().map(|targets| targets.destination);
        program.pieces.extend(destination.and_then(|name| self.named(name, &[])));
        for piece in open.drain(..) {
            program.pieces[piece].target = Some(target);
        }
    }

    /// The type of an operand: one that worked before, or any.
    fn kind(&self, op: &OpInfo, place: usize, numbers: &mut Numbers) -> OperandKind {
        let weight = |kind: &OperandKind| {
            1 + self.learnt.get(&(op.code, place, *kind)).copied().unwrap_or(0).min(8) as usize
        };
        let mut at = numbers.below(self.parts.operands.iter().map(weight).sum());
        for kind in self.parts.operands {
            match at.checked_sub(weight(kind)) {
                Some(rest) => at = rest,
                None => return *kind,
            }
        }
        self.parts.operands[0]
    }

    /// Pushes an operand.
    fn push(&self, kind: OperandKind, program: &mut GeneratedProgram, numbers: &mut Numbers) {
        let pieces = &mut program.pieces;
        match kind {
            OperandKind::Small => pieces.extend(self.number(&BigInt::from(numbers.pick(SMALL)))),
            OperandKind::Boundary => pieces.extend(self.number(&numbers.boundary())),
            OperandKind::Random => {
                let count = 1 + numbers.below(32);
                pieces.extend(
                    self.number(&BigInt::from_bytes_be(num_bigint::Sign::Plus, &numbers.bytes(count))),
                );
            }
            OperandKind::Bytes => {
                let count = numbers.below(6);
                let data = numbers.bytes(count);
                pieces.extend(self.named("PUSHDATA1", &[&[data.len() as u8], &data[..]].concat()));
            }
            OperandKind::Flag
            | OperandKind::Null
            | OperandKind::Array
            | OperandKind::Struct
            | OperandKind::Map
            | OperandKind::Buffer => self.build(kind, pieces, numbers),
        }
    }

    /// The instructions that push an operand that is no number.
    fn build(&self, kind: OperandKind, pieces: &mut Vec<Piece>, numbers: &mut Numbers) {
        let rows: Vec<_> = self.parts.built.iter().filter(|row| row.kind == kind).collect();
        let names = match rows[..] {
            [] => return,
            [row] => row.instructions,
            _ => numbers.pick(&rows).instructions,
        };
        pieces.extend(names.iter().filter_map(|name| self.named(name, &[])));
    }

    /// An instruction without operands other than these bytes; `None` if the machine has none of this name.
    fn named(&self, name: &str, operands: &[u8]) -> Option<Piece> {
        let op = self.machine.isa.by_name(name)?;
        let bytes = match self.machine.isa.unit {
            Unit::Objects => operands.to_vec(),
            Unit::Bytes | Unit::Words => [&[op.code as u8], operands].concat(),
        };
        Some(Piece { op, bytes, target: None })
    }

    /// The instruction that pushes a number.
    fn number(&self, number: &BigInt) -> Option<Piece> {
        let PushedNumber { instruction, operands } = (self.parts.number)(number)?;
        self.named(&instruction, &operands)
    }

    /// The bytes of an instruction: of one without bytes, its arguments as 16-bit numbers.
    fn encoded(&self, op: &'static OpInfo, numbers: &mut Numbers) -> Vec<u8> {
        match self.machine.isa.unit {
            Unit::Bytes => {
                let mut bytes = vec![op.code as u8];
                for operand in op.operands {
                    bytes.extend(numbers.immediate(*operand));
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

    fn mutate(&self, program: &mut GeneratedProgram, numbers: &mut Numbers) {
        let length = program.pieces.len();
        match numbers.below(4) {
            0 if length > 1 => {
                let at = numbers.below(length);
                program.remove(at);
            }
            1 if length > 0 => {
                let at = numbers.below(length);
                let piece = &mut program.pieces[at];
                if piece.target.is_none() {
                    piece.bytes = self.encoded(piece.op, numbers);
                }
            }
            2 if !self.pool.is_empty() => {
                let other = &self.pool[numbers.below(self.pool.len())];
                let from = numbers.below(other.pieces.len().max(1));
                let start = program.pieces.len();
                let moved = other.pieces[from..].iter().map(|piece| Piece {
                    target: piece.target.map(|target| (start + target).saturating_sub(from)),
                    ..piece.clone()
                });
                program.pieces.extend(moved);
                program.choices.extend(other.choices.iter().cloned());
                program.pieces.truncate(MAX_PIECES);
            }
            _ => {
                let (mut height, mut open) = (0, Vec::new());
                if length < MAX_PIECES {
                    self.append(program, &mut height, &mut open, numbers);
                    self.land(program, &mut open);
                }
            }
        }
    }

    /// The program in the notation of the machine's format, as `vmconf exec` reads it.
    pub(super) fn document(&self, program: &GeneratedProgram) -> Json {
        match self.machine.isa.unit {
            Unit::Bytes => match self.parts.notation {
                CodeNotation::Names => listed(self.machine.isa, &self.code(program)),
                CodeNotation::Hex => format!("0x{}", hex::encode(self.code(program))).into(),
            },
            Unit::Words => {
                let words = program.pieces.iter().map(|piece| hex::encode(&piece.bytes));
                // YIELD ends a program.
                words.chain(["102a".to_owned()]).collect::<Vec<_>>().join(" ").into()
            }
            Unit::Objects => functions(program),
        }
    }

    /// What the program gets, as it is typed.
    pub(super) fn inputs(&self, program: &GeneratedProgram) -> Inputs {
        let data = self.parts.input.filter(|_| !program.input.is_empty());
        Inputs { input: data.map(|data| (data.typed)(&program.input)), ..Inputs::default() }
    }

    /// The bytes of the program; `None` if it is something else.
    pub(super) fn bytes(&self, program: &GeneratedProgram) -> Option<Vec<u8>> {
        (self.machine.isa.unit == Unit::Bytes).then(|| self.code(program))
    }

    fn code(&self, program: &GeneratedProgram) -> Vec<u8> {
        let shown = self.parts.shown.filter(|_| program.frame == ProgramFrame::Shown);
        let first = shown.map_or(&[][..], |shown| shown.first);
        let mut offsets = vec![first.len()];
        for piece in &program.pieces {
            offsets.push(offsets[offsets.len() - 1] + piece.bytes.len());
        }
        let mut code = first.to_vec();
        for (index, piece) in program.pieces.iter().enumerate() {
            let mut bytes = piece.bytes.clone();
            if let Some(target) = piece.target {
                let target = offsets[target.min(program.pieces.len())];
                self.aim(&mut bytes, piece.op, target, offsets[index]);
            }
            code.extend(bytes);
        }
        code.extend(shown.map_or(&[][..], |shown| shown.last));
        code
    }

    /// Writes the target of a jump.
    fn aim(&self, bytes: &mut [u8], op: &OpInfo, target: usize, offset: usize) {
        if self.parts.jumps.on_stack().is_some() {
            bytes[1..].copy_from_slice(&(target as u16).to_be_bytes());
            return;
        }
        let mut at = 1;
        for operand in op.operands {
            let size = operand.fixed_len();
            if matches!(operand, ImmediateOperand::Offset(_)) {
                let distance = (target as i64 - offset as i64).to_le_bytes();
                bytes[at..at + size].copy_from_slice(&distance[..size]);
            }
            at += size;
        }
    }
}

impl GeneratedProgram {
    /// The codes of its instructions, each once.
    pub(super) fn codes(&self) -> BTreeSet<u16> {
        self.pieces.iter().map(|piece| piece.op.code).collect()
    }

    fn remove(&mut self, at: usize) {
        self.pieces.remove(at);
        for piece in &mut self.pieces {
            piece.target = piece.target.map(|target| if target > at { target - 1 } else { target });
        }
    }
}

/// Numbers that are lengths, indices, and offsets.
const SMALL: &[i64] = &[0, 1, 2, 3, 4, 7, 8, 31, 32, 33, 64, -1];

/// A program of MiniC89 whose function `main` has these instructions, and a function that can be called.
fn functions(program: &GeneratedProgram) -> Json {
    let end = program.pieces.len();
    let code = program.pieces.iter().map(|piece| {
        let args = piece.op.arguments.iter().zip(piece.bytes.chunks(2)).map(|(name, bytes)| {
            let number = i16::from_le_bytes([bytes[0], bytes[1]]);
            match *name {
                "target" => json!(piece.target.unwrap_or(end).min(end)),
                "fid" => json!(1 + number.rem_euclid(2)),
                "slot" => json!(number.rem_euclid(3)),
                "argc" | "line" => json!(number.rem_euclid(4)),
                _ => json!(number),
            }
        });
        json!({"op": piece.op.name, "args": args.collect::<Vec<_>>()})
    });
    let end = [json!({"op": "PUSH_I16", "args": [1]}), json!({"op": "RET", "args": []})];
    let code: Vec<_> = code.chain(end).collect();
    let callee = [
        json!({"op": "LOAD_LOCAL", "args": [0]}),
        json!({"op": "LOAD_LOCAL", "args": [1]}),
        json!({"op": "SUB", "args": []}),
        json!({"op": "RET", "args": []}),
    ];
    json!({
        "schema_version": "MiniC89.VM.Metadata.v0.2", "isa_version": "MiniC89.ISA.v0.1",
        "functions": [
            {"fid": 1, "name": "main", "param_count": 0, "local_count": 3, "code": code},
            {"fid": 2, "name": "difference", "param_count": 2, "local_count": 2, "code": callee},
        ],
    })
}
