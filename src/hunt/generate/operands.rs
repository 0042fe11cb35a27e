//! The operands of instructions: values on the stack of all types that the machine has, equal ones, several
//! references to one compound, and numbers in registers.
//!
//! The row of an instruction does not say which types it takes; that is learnt from programs that ended normally.

use std::ops::Range;

use num_bigint::{BigInt, Sign};

use super::generator::{ProgramGenerator, of_groups};
use super::program::{ProgramDraft, ProgramPiece, jumps};
use crate::isa::{OpInfo, WordField};
use crate::machines::program_parts::{BuiltOperand, OperandKind, PushedNumber};
use crate::prove::numbers::Numbers;

/// Numbers that are lengths, indices, and offsets.
const SMALL: &[i64] = &[0, 1, 2, 3, 4, 7, 8, 31, 32, 33, 64, -1];

/// Those that most compounds and data have room for.
const SMALLEST: &[i64] = &[0, 1, 2];

/// Lengths of bytes: those of numbers, hashes and keys, and next to them.
const LENGTHS: &[usize] = &[7, 8, 9, 16, 20, 31, 32, 33, 34, 64, 65];

/// The operands that were pushed for an instruction.
pub(super) struct PushedOperands {
    /// Their types, the top one first.
    pub(super) kinds: Vec<OperandKind>,
    /// The type of the compound right below them that some are references to.
    pub(super) below: Option<OperandKind>,
    /// The pieces that push the top one.
    pub(super) top: Option<Range<usize>>,
}

/// A few bytes, or as many as hashes and long numbers have.
pub(super) fn data(numbers: &mut Numbers) -> Vec<u8> {
    let count = if numbers.one_in(3) { numbers.pick(LENGTHS) } else { numbers.below(6) };
    numbers.bytes(count)
}

impl ProgramGenerator {
    /// Pushes the operands of an instruction; `top` are pieces that may push the top one.
    pub(super) fn push_operands(
        &self,
        draft: &mut ProgramDraft,
        op: &OpInfo,
        top: Option<&Range<usize>>,
        numbers: &mut Numbers,
    ) -> PushedOperands {
        let mut kinds = self.kinds(op, numbers);
        let shared = self.push_shared(draft, &kinds, numbers);
        let mut pushed: Vec<(usize, Range<usize>)> = Vec::new();
        for place in (0..kinds.len()).rev() {
            let start = draft.program.pieces.len();
            if let Some(targets) = self.parts.jumps.on_stack()
                && place == 0
                && targets.jumps.contains(&op.name)
            {
                draft.open.push(start);
                draft.program.pieces.extend(self.named(targets.push, &[0, 0]));
            } else if let Some(index) = shared.iter().position(|it| *it == place) {
                let below = shared.len() - 1 - index + pushed.len();
                draft.program.pieces.extend(self.copy(below));
            } else if let Some(top) = top.filter(|_| place == 0 && numbers.one_in(2)) {
                draft.program.repeat(top.clone());
            } else if !pushed.is_empty() && numbers.one_in(6) {
                let (other, pieces) = pushed[numbers.below(pushed.len())].clone();
                kinds[place] = kinds[other];
                draft.program.repeat(pieces);
            } else {
                self.push(kinds[place], draft, numbers);
            }
            pushed.push((place, start..draft.program.pieces.len()));
        }
        draft.height += kinds.len();
        if !kinds.is_empty() {
            draft.program.choices.push((op.code, kinds.clone()));
        }
        // The last one that was pushed as a reference is below the operands.
        let below = shared.last().map(|place| kinds[*place]);
        PushedOperands { kinds, below, top: pushed.pop().map(|it| it.1).filter(|it| !it.is_empty()) }
    }

    /// The types of the operands of an instruction, the top one first: types that worked before, or any.
    pub(super) fn kinds(&self, op: &OpInfo, numbers: &mut Numbers) -> Vec<OperandKind> {
        let typed = self.parts.typed.iter().find(|row| row.instruction == op.name);
        if let Some(typed) = typed.filter(|_| !numbers.one_in(4)) {
            return typed.kinds.to_vec();
        }
        match self.learnt.get(&op.code) {
            Some(learnt) if !numbers.one_in(4) => {
                let mut kinds = learnt[numbers.below(learnt.len())].clone();
                if numbers.one_in(4) {
                    let place = numbers.below(kinds.len());
                    kinds[place] = numbers.pick(self.parts.operands);
                }
                kinds
            }
            _ if numbers.one_in(4) => vec![numbers.pick(self.parts.operands); op.pops.into()],
            _ => (0..op.pops).map(|_| numbers.pick(self.parts.operands)).collect(),
        }
    }

    /// Pushes what operands become further references to: what is done to them shows in the first ones. Returns the
    /// places of these operands.
    fn push_shared(
        &self,
        draft: &mut ProgramDraft,
        kinds: &[OperandKind],
        numbers: &mut Numbers,
    ) -> Vec<usize> {
        let mut places = Vec::new();
        if self.copy(0).next().is_none() {
            return places;
        }
        for place in (0..kinds.len()).rev().filter(|place| kinds[*place].is_shared()) {
            if !numbers.one_in(3) {
                self.push(kinds[place], draft, numbers);
                draft.height += 1;
                places.push(place);
            }
        }
        places
    }

    pub(super) fn push(&self, kind: OperandKind, draft: &mut ProgramDraft, numbers: &mut Numbers) {
        let pieces = &mut draft.program.pieces;
        match kind {
            OperandKind::Small => {
                let list = if numbers.one_in(2) { SMALL } else { SMALLEST };
                pieces.extend(self.number(&BigInt::from(numbers.pick(list))));
            }
            OperandKind::Boundary => pieces.extend(self.number(&self.boundary(numbers))),
            OperandKind::Random => {
                let count = 1 + numbers.below(32);
                pieces.extend(self.number(&BigInt::from_bytes_be(Sign::Plus, &numbers.bytes(count))));
            }
            OperandKind::Bytes => {
                let data = data(numbers);
                pieces.extend(self.named("PUSHDATA1", &[&[data.len() as u8], &data[..]].concat()));
            }
            OperandKind::Found if self.found.is_empty() => {}
            OperandKind::Found
                if !self.parts.built.iter().any(|row| row.kind == kind) || numbers.one_in(2) =>
            {
                let op = of_groups(&self.found, numbers);
                if jumps(op) {
                    draft.open.push(pieces.len());
                }
                pieces.push(ProgramPiece::new(op, self.encoded(op, numbers)));
            }
            OperandKind::Found
            | OperandKind::Flag
            | OperandKind::Null
            | OperandKind::Array
            | OperandKind::Struct
            | OperandKind::Map
            | OperandKind::Buffer => self.build(kind, draft, numbers),
        }
    }

    /// A number at or next to a power of two that a number of the machine can hold, with either sign.
    pub(super) fn boundary(&self, numbers: &mut Numbers) -> BigInt {
        const BITS: [u32; 14] = [0, 1, 2, 5, 7, 8, 14, 15, 31, 63, 64, 127, 128, 255];
        let held = BITS.iter().take_while(|bits| **bits < self.machine.word_bits).count();
        let power = BigInt::from(1) << numbers.pick(&BITS[..held]);
        let near = power + (numbers.below(3) as i64 - 1);
        if numbers.one_in(3) { -near } else { near }
    }

    /// The instructions that push an operand that is no number.
    fn build(&self, kind: OperandKind, draft: &mut ProgramDraft, numbers: &mut Numbers) {
        const MAX_PACKED: usize = 3;
        let rows_of = |rows: &'static [BuiltOperand]| {
            rows.iter().filter(|row| row.kind == kind).map(|row| row.instructions).collect::<Vec<_>>()
        };
        let (mut rows, packed) = (rows_of(self.parts.built), rows_of(self.parts.packed));
        if !packed.is_empty() && numbers.one_in(2) {
            let count = numbers.below(1 + MAX_PACKED);
            for _ in 0..count {
                // A compound in a compound is not packed: it could have any depth.
                let value = Some(numbers.pick(self.parts.operands)).filter(|kind| !kind.is_shared());
                self.push(value.unwrap_or(OperandKind::Boundary), draft, numbers);
            }
            draft.program.pieces.extend(self.number(&BigInt::from(count)));
            rows = packed;
        }
        if !rows.is_empty() {
            let names = numbers.pick(&rows);
            draft.program.pieces.extend(names.iter().filter_map(|name| self.named(name, &[])));
        }
    }

    /// Changes the compound on top without taking it.
    pub(super) fn change_shared(&self, draft: &mut ProgramDraft, kind: OperandKind) {
        let row = self.parts.changed.iter().find(|row| row.kind == kind);
        let names = row.map_or(&[][..], |row| row.instructions);
        draft.program.pieces.extend(names.iter().filter_map(|name| self.named(name, &[])));
    }

    /// Copies the value at this distance from the top.
    pub(super) fn copy(&self, below: usize) -> impl Iterator<Item = ProgramPiece> {
        let copied = (self.parts.copied)(below).unwrap_or_default();
        self.listed(&copied).collect::<Vec<_>>().into_iter()
    }

    /// The instruction that pushes a number.
    pub(super) fn number(&self, number: &BigInt) -> Option<ProgramPiece> {
        let PushedNumber { instruction, operands } = (self.parts.number)(number)?;
        self.named(instruction, &operands)
    }

    /// Gives numbers to the registers that an instruction names, two thirds of the time.
    pub(super) fn load_registers(
        &self,
        draft: &mut ProgramDraft,
        op: &OpInfo,
        bytes: &[u8],
        numbers: &mut Numbers,
    ) {
        let &[high, low] = bytes else { return };
        if self.parts.register.is_none() || numbers.one_in(3) {
            return;
        }
        let word = u16::from_be_bytes([high, low]);
        let mut number = self.register_number(numbers);
        for field in op.fields {
            let WordField::Register(shift) = *field else { continue };
            self.load(draft, (word >> shift & 0xf) as u8, number);
            if !numbers.one_in(5) {
                number = self.register_number(numbers);
            }
        }
    }

    /// Appends what gives a number to a register, if operands are in registers.
    pub(super) fn load(&self, draft: &mut ProgramDraft, register: u8, number: u16) {
        let words = self.parts.register.map_or_else(Vec::new, |load| load(register, number));
        draft.program.pieces.extend(words.into_iter().filter_map(|word| {
            let op = self.machine.isa.by_code(word)?;
            Some(ProgramPiece::new(op, word.to_be_bytes().to_vec()))
        }));
    }

    pub(super) fn register_number(&self, numbers: &mut Numbers) -> u16 {
        match numbers.pick(self.parts.operands) {
            OperandKind::Small => numbers.pick(SMALL) as u16,
            OperandKind::Boundary => {
                (self.boundary(numbers) & BigInt::from(u16::MAX)).try_into().unwrap_or(0)
            }
            _ => numbers.bits() as u16,
        }
    }
}
