//! Values that instructions keep besides the stack. A wrong instruction shows only if what is stored is loaded again,
//! if what lies beside it is loaded, and if a load finds a value that others do not have.

use super::generator::ProgramGenerator;
use super::kept_values::KeptUse;
use super::program::ProgramDraft;
use crate::isa::{OpInfo, Unit};
use crate::prove::numbers::Numbers;

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
