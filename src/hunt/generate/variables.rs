//! Values that instructions keep besides the stack. A wrong instruction shows only if what is stored is loaded again,
//! if what lies beside it is loaded, and if a load finds a value that others do not have.

use std::collections::HashMap;

use super::{Piece, ProgramDraft, ProgramGenerator};
use crate::isa::{Isa, OpInfo, Unit};
use crate::machines::program_parts::Variables;
use crate::prove::numbers::Numbers;

/// The instructions that store and load values.
pub(super) struct KeptValues {
    rows: Vec<KeptRow>,
    /// The row of an instruction, by its code, and how it uses it.
    of: HashMap<u16, (usize, KeptUse)>,
}

/// What [`Variables`] names, as instructions.
struct KeptRow {
    first: Vec<Piece>,
    stores: Vec<&'static OpInfo>,
    loads: Vec<&'static OpInfo>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptUse {
    Stores,
    Loads,
}

impl KeptValues {
    pub(super) fn new(isa: &'static Isa, variables: &[Variables]) -> KeptValues {
        let named = |names: &[&str]| names.iter().filter_map(|name| isa.by_name(name)).collect::<Vec<_>>();
        let piece = |&(name, operands): &(&str, &[u8])| {
            let op = isa.by_name(name)?;
            Some(Piece::new(op, [&[op.code as u8], operands].concat()))
        };
        let row = |it: &Variables| KeptRow {
            first: it.first.iter().filter_map(piece).collect(),
            stores: named(it.stores),
            loads: named(it.loads),
        };
        let rows: Vec<_> = variables.iter().map(row).collect();
        let mut of = HashMap::new();
        for (index, row) in rows.iter().enumerate() {
            of.extend(row.stores.iter().map(|op| (op.code, (index, KeptUse::Stores))));
            of.extend(row.loads.iter().map(|op| (op.code, (index, KeptUse::Loads))));
        }
        KeptValues { rows, of }
    }

    /// Whether an instruction stores or loads such values.
    pub(super) fn has(&self, op: &OpInfo) -> bool {
        self.of.contains_key(&op.code)
    }

    /// The pieces that prepare the rows whose bits are set.
    pub(super) fn first(&self, variables: u8) -> impl Iterator<Item = &Piece> {
        let rows = self.rows.iter().enumerate().filter(move |(index, _)| variables >> index & 1 == 1);
        rows.flat_map(|(_, row)| &row.first)
    }
}

impl ProgramGenerator {
    /// Before an instruction that loads a value: stores one there, two thirds of the time.
    pub(super) fn before_load(
        &self,
        draft: &mut ProgramDraft,
        op: &OpInfo,
        bytes: &[u8],
        numbers: &mut Numbers,
    ) {
        let Some((index, kept_use)) = self.kept.of.get(&op.code) else { return };
        draft.program.variables |= 1 << index;
        let row = &self.kept.rows[*index];
        let place = row.loads.iter().position(|load| load.code == op.code);
        let Some(store) = place.and_then(|place| row.stores.get(place)) else { return };
        if *kept_use == KeptUse::Stores || numbers.one_in(3) {
            return;
        }
        let kind = numbers.pick(self.parts.operands);
        self.push(kind, draft, numbers);
        // What is loaded is compared with what stays.
        draft.program.pieces.extend(self.copy(0).filter(|_| kind.is_shared()));
        draft.height += 1;
        draft.append_op(store, self.with_operands_of(store, bytes));
    }

    /// After an instruction that stores a value: loads it, and what is beside it.
    pub(super) fn after_store(
        &self,
        draft: &mut ProgramDraft,
        op: &OpInfo,
        bytes: &[u8],
        numbers: &mut Numbers,
    ) {
        let Some((index, KeptUse::Stores)) = self.kept.of.get(&op.code) else { return };
        let row = &self.kept.rows[*index];
        let places: Vec<_> = (0..row.stores.len()).filter(|at| row.stores[*at].code == op.code).collect();
        let Some(load) = row.loads.get(places[numbers.below(places.len())]) else { return };
        if !numbers.one_in(4) {
            draft.append_op(load, self.with_operands_of(load, bytes));
        }
        if !numbers.one_in(3) {
            return;
        }
        // The operand of the next one is its number.
        let number = bytes.get(self.codes_before()).map_or(places[0] as u8, |number| *number) + 1;
        let after =
            if load.operands.is_empty() && load.arguments.is_empty() { places[0] + 1 } else { places[0] };
        let Some(beside) = row.loads.get(after) else { return };
        let mut bytes = self.encoded(beside, numbers);
        if let Some(operand) = bytes.get_mut(self.codes_before()) {
            *operand = number;
        }
        draft.append_op(beside, bytes);
    }

    /// How many bytes come before the operands of an instruction.
    fn codes_before(&self) -> usize {
        usize::from(self.machine.isa.unit == Unit::Bytes)
    }

    /// The bytes of an instruction with the operands of another one.
    fn with_operands_of(&self, op: &OpInfo, bytes: &[u8]) -> Vec<u8> {
        match self.machine.isa.unit {
            Unit::Bytes => [&[op.code as u8], &bytes[1..]].concat(),
            Unit::Words | Unit::Objects => bytes.to_vec(),
        }
    }
}
