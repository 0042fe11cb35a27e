//! What the parts of a generator share: the instructions of its machine, and what is known about its programs.

use std::collections::HashMap;

use super::kept_values::KeptValues;
use super::program::{GeneratedProgram, ProgramPiece};
use crate::isa::{DeclaredEffect, OpInfo, PlaceKind, Unit};
use crate::machines::MachineInfo;
use crate::machines::program_parts::{OperandKind, ProgramParts, PushedNumber};
use crate::model::limits::Limits;
use crate::prove::numbers::Numbers;

/// Makes programs of one machine.
pub(in crate::hunt) struct ProgramGenerator {
    pub(super) machine: &'static MachineInfo,
    pub(super) parts: &'static ProgramParts,
    /// Instructions that differ only in a number, such as `PUSH1` and `PUSH2`, are one group.
    pub(super) groups: Vec<Vec<&'static OpInfo>>,
    /// Those that take nothing and leave a value.
    pub(super) found: Vec<Vec<&'static OpInfo>>,
    /// All instructions.
    pub(super) all: Vec<&'static OpInfo>,
    /// Those that leave more values than they take.
    pub(super) pushing: Vec<&'static OpInfo>,
    /// The instructions that read what others write, by the kind of place.
    pub(super) readers: Vec<(PlaceKind, Vec<&'static OpInfo>)>,
    /// What keeps values besides the stack.
    pub(super) kept: KeptValues,
    /// The types of operands with which an instruction, by its code, was executed.
    pub(super) learnt: HashMap<u16, Vec<Vec<OperandKind>>>,
    /// How many programs ended normally that have an instruction, by its row.
    pub(super) executed: Vec<u32>,
    /// How many of these filled the stack.
    pub(super) full: Vec<u32>,
    /// How many programs tried to push one value too many with an instruction, by its row.
    pub(super) overfilled: Vec<u32>,
    /// Programs that did something for the first time.
    pub(super) pool: Vec<GeneratedProgram>,
    /// How many values fit on the stack; `None` if that has no limit.
    pub(super) stack_limit: Option<usize>,
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
pub(super) fn of_groups(groups: &[Vec<&'static OpInfo>], numbers: &mut Numbers) -> &'static OpInfo {
    let group = &groups[numbers.below(groups.len())];
    group[numbers.below(group.len())]
}

impl ProgramGenerator {
    /// For a machine with these parts.
    pub(in crate::hunt) fn new(
        machine: &'static MachineInfo,
        parts: &'static ProgramParts,
    ) -> ProgramGenerator {
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

    /// An instruction without operands other than these bytes; `None` if the machine has none of this name.
    pub(super) fn named(&self, name: &str, operands: &[u8]) -> Option<ProgramPiece> {
        let op = self.machine.isa.by_name(name)?;
        let bytes = match self.machine.isa.unit {
            Unit::Objects => operands.to_vec(),
            Unit::Bytes | Unit::Words => [&[op.code as u8], operands].concat(),
        };
        Some(ProgramPiece::new(op, bytes))
    }

    /// The instructions of a list of the machine's parts.
    pub(super) fn listed(&self, instructions: &[PushedNumber]) -> impl Iterator<Item = ProgramPiece> {
        instructions.iter().filter_map(|it| self.named(it.instruction, &it.operands))
    }
}
