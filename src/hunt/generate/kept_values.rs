//! The instructions that keep values besides the stack.

use std::collections::HashMap;

use super::program::ProgramPiece;
use crate::isa::{Isa, OpInfo};
use crate::machines::program_parts::Variables;

/// The instructions that store and load values.
pub(super) struct KeptValues {
    pub(super) rows: Vec<KeptRow>,
    /// The row of an instruction, by its code, and how it uses it.
    pub(super) of: HashMap<u16, (usize, KeptUse)>,
}

/// What [`Variables`] names, as instructions.
pub(super) struct KeptRow {
    pub(super) first: Vec<ProgramPiece>,
    pub(super) stores: Vec<&'static OpInfo>,
    pub(super) loads: Vec<&'static OpInfo>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptUse {
    Stores,
    Loads,
}

impl KeptValues {
    pub(super) fn new(isa: &'static Isa, variables: &[Variables]) -> KeptValues {
        let named = |names: &[&str]| names.iter().filter_map(|name| isa.by_name(name)).collect::<Vec<_>>();
        let piece = |&(name, operands): &(&str, &[u8])| {
            let op = isa.by_name(name)?;
            Some(ProgramPiece::new(op, [&[op.code as u8], operands].concat()))
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
    pub(super) fn first(&self, variables: u8) -> impl Iterator<Item = &ProgramPiece> {
        let rows = self.rows.iter().enumerate().filter(move |(index, _)| variables >> index & 1 == 1);
        rows.flat_map(|(_, row)| &row.first)
    }
}
