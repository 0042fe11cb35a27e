//! The faults of a machine: those derived from its rows, and those of its other rules.

use std::fmt;

use crate::isa::{DeclaredEffect, Effect, ImmediateOperand, OpInfo, PlaceKind};
use crate::machines::{BrokenRule, MachineInfo};
use crate::model::limits::Limits;
use crate::prove::suite::SuiteCase;

/// The maximum number of operands per instruction that faults change.
const MAX_OPERANDS: usize = 3;

/// How a value is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum WrongValue {
    /// One more; a truth value is negated, bytes get a different last byte.
    OneMore,
    /// One less.
    OneLess,
    /// The lowest 8 bits, on a machine of 16 bits.
    LowByte,
    /// The lowest 64 bits; of bytes, the first 8 and zeros.
    LowLimb,
    /// The lowest 128 bits.
    LowHalf,
    /// The absolute value of a negative number.
    SignLost,
    /// Zero, false, or nothing.
    Zero,
    /// One in place of zero, so that zero is not treated specially.
    ZeroAsOne,
}

impl WrongValue {
    const OF_RESULTS: [WrongValue; 7] = [
        WrongValue::OneMore,
        WrongValue::OneLess,
        WrongValue::LowByte,
        WrongValue::LowLimb,
        WrongValue::LowHalf,
        WrongValue::SignLost,
        WrongValue::Zero,
    ];
    const OF_OPERANDS: [WrongValue; 5] = [
        WrongValue::OneMore,
        WrongValue::LowByte,
        WrongValue::LowLimb,
        WrongValue::SignLost,
        WrongValue::ZeroAsOne,
    ];

    /// Whether a value with these bounds can be wrong in this way.
    fn applies_to(self, bounds: ValueBounds) -> bool {
        match (self, bounds) {
            (WrongValue::OneLess | WrongValue::ZeroAsOne, _) => bounds.is_number(),
            (WrongValue::LowByte, _) => bounds == ValueBounds::Word { bits: 16 },
            (WrongValue::LowLimb, ValueBounds::Bytes { most }) => most > 8,
            (WrongValue::LowLimb, _) => bounds.bits() > 64,
            (WrongValue::LowHalf, _) => bounds.bits() > 128,
            (WrongValue::SignLost, ValueBounds::Amount { .. } | ValueBounds::Bytes { .. }) => false,
            (WrongValue::OneMore | WrongValue::Zero, _)
            | (WrongValue::SignLost, ValueBounds::Word { .. }) => true,
        }
    }

    fn name(self) -> &'static str {
        self.into()
    }
}

/// What a value can be, according to the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueBounds {
    /// A number of at most this number of bits, including the sign.
    Word { bits: u32 },
    /// A number that is not negative, of at most this number of bits.
    Amount { bits: u32 },
    /// Bytes, at most this number of them.
    Bytes { most: usize },
}

impl ValueBounds {
    fn is_number(self) -> bool {
        self.bits() > 0
    }

    /// The bits of a number; 0 for bytes.
    fn bits(self) -> u32 {
        match self {
            ValueBounds::Word { bits } | ValueBounds::Amount { bits } => bits,
            ValueBounds::Bytes { .. } => 0,
        }
    }
}

/// What is wrong with an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum FaultKind {
    /// The value that it leaves on top of the stack or, failing that, writes.
    Result(WrongValue),
    /// An operand, the top one first.
    Operand(usize, WrongValue),
    /// It swaps its first two operands.
    Swapped,
    /// If its first two operands are equal, the result is negated.
    Boundary,
    /// What it should write stays unchanged.
    Forgotten,
    /// It also writes to the place after the right one.
    Neighbour,
    /// It costs one more gas.
    PriceMore,
    /// It costs one gas less.
    PriceLess,
    /// It treats missing operands as zeros.
    TooFew,
    /// It requires one more operand than it pops.
    OneMoreNeeded,
    /// It fails one value below the limit of the stack, or of the items, or demands room though it needs none.
    LimitLess,
    /// It succeeds at the stack limit.
    LimitMore,
    /// It pushes one value too few.
    PushOmitted,
    /// It pops one value too few.
    PopOmitted,
    /// It never jumps: execution continues at the next instruction.
    NotTaken,
    /// It pushes a copy of a compound in place of the compound.
    Copied,
    /// It operates on a copy of the compound on top in place of the compound.
    #[strum(serialize = "a-copied")]
    OperandCopied,
    /// It stores a Struct itself in place of a copy.
    Shared,
    /// It counts one reference too many.
    Counted,
    /// References that it drops stay counted.
    NotReleased,
    /// When it should fail, it pops its operands, pushes zeros and continues.
    NotRaised,
    /// When it should fail, it fails differently: an exception cannot be caught, a trap has a different code.
    OtherFailure,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Result(wrong) => f.write_str(wrong.name()),
            FaultKind::Operand(operand, wrong) => {
                write!(f, "{}-{}", ["a", "b", "c"][*operand], wrong.name())
            }
            other => f.write_str(other.into()),
        }
    }
}

/// What is wrong with a machine.
#[derive(Debug, Clone, Copy)]
pub enum PlantedFault {
    /// An instruction is wrong.
    OfRow(RowFault),
    /// A rule besides the instructions is wrong.
    OfRule(RuleFault),
}

/// An instruction and what is wrong with it, written as `evm/ADD/low-limb`.
#[derive(Debug, Clone, Copy)]
pub struct RowFault {
    /// The machine.
    pub machine: &'static MachineInfo,
    /// The instruction.
    pub op: &'static OpInfo,
    /// What is wrong.
    pub kind: FaultKind,
}

/// A rule of a machine and what is wrong with it, written as `ethereum/nonce-too-low/accepted`.
#[derive(Debug, Clone, Copy)]
pub struct RuleFault {
    /// The machine.
    pub machine: &'static MachineInfo,
    /// The rule.
    pub broken: &'static BrokenRule,
}

impl PlantedFault {
    /// The machine.
    pub fn machine(&self) -> &'static MachineInfo {
        match self {
            PlantedFault::OfRow(fault) => fault.machine,
            PlantedFault::OfRule(fault) => fault.machine,
        }
    }

    /// The name of the instruction or of the rule.
    pub fn subject(&self) -> String {
        match self {
            PlantedFault::OfRow(fault) => fault.op.name.to_owned(),
            PlantedFault::OfRule(fault) => fault.broken.rule.replace([' ', '_'], "-"),
        }
    }

    /// How it is wrong.
    pub fn kind(&self) -> String {
        match self {
            PlantedFault::OfRow(fault) => fault.kind.to_string(),
            PlantedFault::OfRule(fault) => fault.broken.wrong.to_owned(),
        }
    }

    /// Whether a case executes what is wrong.
    pub(super) fn is_executed_by(&self, case: &SuiteCase) -> bool {
        let code = match self {
            PlantedFault::OfRow(fault) => Some(fault.op.code),
            PlantedFault::OfRule(fault) => fault.broken.code,
        };
        case.machine.name == self.machine().name && code.is_none_or(|code| case.codes.contains(&code))
    }

    /// Whether a case that executes what is wrong may notice it.
    pub(super) fn concerns(&self, case: &SuiteCase) -> bool {
        match self {
            PlantedFault::OfRow(RowFault { op, kind: FaultKind::NotRaised, .. }) => {
                case.failing.contains(&op.code)
            }
            PlantedFault::OfRow(_) | PlantedFault::OfRule(_) => true,
        }
    }
}

impl fmt::Display for RowFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        PlantedFault::OfRow(*self).fmt(f)
    }
}

impl fmt::Display for PlantedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.machine().name, self.subject(), self.kind())
    }
}

/// The properties of a machine that determine its faults.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct MachineTraits {
    gas: bool,
    stack: bool,
    stack_limit: bool,
    /// Of the stack, or of the items.
    limit: bool,
    compounds: bool,
    traps: bool,
    /// Any of its numbers.
    number: ValueBounds,
}

impl MachineTraits {
    fn of(machine: &MachineInfo) -> MachineTraits {
        let ops = machine.isa.ops;
        let new = (machine.new)(&Limits::default());
        MachineTraits {
            gas: ops.iter().any(|op| op.gas > 0),
            stack: ops.iter().any(|op| op.pushes > 0),
            stack_limit: new.stack_limit().is_some(),
            limit: new.stack_limit().is_some() || new.references().is_some(),
            traps: machine.trap.is_some(),
            number: ValueBounds::Word { bits: machine.word_bits },
            compounds: ops.iter().any(|op| op.effects.iter().copied().any(has_compound)),
        }
    }
}

fn has_compound(effect: DeclaredEffect) -> bool {
    use Effect::{Needs, Reads, Writes};
    matches!(effect, Reads(place) | Needs(place) | Writes(place) if place == PlaceKind::Compound)
}

/// All faults of a machine: those of its rows, then those of its other rules.
pub fn faults_of(machine: &'static MachineInfo) -> Vec<PlantedFault> {
    let of_rule = |broken: &'static BrokenRule| PlantedFault::OfRule(RuleFault { machine, broken });
    let of_rows = row_faults_of(machine).into_iter().map(PlantedFault::OfRow);
    of_rows.chain(machine.broken_rules.iter().map(of_rule)).collect()
}

/// The faults of the instructions of a machine, in the order of its rows.
pub fn row_faults_of(machine: &'static MachineInfo) -> Vec<RowFault> {
    let has = MachineTraits::of(machine);
    let of_row = |op: &'static OpInfo| {
        let kinds = kinds_of(op, &has);
        kinds.into_iter().map(move |kind| RowFault { machine, op, kind })
    };
    machine.isa.ops.iter().flat_map(of_row).collect()
}

/// The bounds of the value that the instruction leaves on the stack or, failing that, writes. If it pops and reads
/// nothing, that is at most what its operand can hold.
fn result_of(op: &OpInfo, has: &MachineTraits) -> ValueBounds {
    let writes = |place| op.pushes == 0 && op.effects.contains(&DeclaredEffect::Writes(place));
    if writes(PlaceKind::Byte) {
        return ValueBounds::Bytes { most: 1 };
    }
    if writes(PlaceKind::Bytes) {
        return ValueBounds::Bytes { most: usize::MAX };
    }
    match op.operands {
        [operand] if op.pops == 0 && op.effects.is_empty() => match *operand {
            ImmediateOperand::Data(size) => ValueBounds::Bytes { most: size.into() },
            ImmediateOperand::Prefixed(_) => ValueBounds::Bytes { most: usize::MAX },
            ImmediateOperand::Word(size) if size < 32 => ValueBounds::Amount { bits: 8 * u32::from(size) },
            ImmediateOperand::Word(size)
            | ImmediateOperand::Unsigned(size)
            | ImmediateOperand::Signed(size)
            | ImmediateOperand::Offset(size)
            | ImmediateOperand::LaterOffset(size) => ValueBounds::Word { bits: 8 * u32::from(size) },
        },
        _ => has.number,
    }
}

fn kinds_of(op: &OpInfo, has: &MachineTraits) -> Vec<FaultKind> {
    let count =
        |is_it: fn(DeclaredEffect) -> bool| op.effects.iter().filter(|effect| is_it(**effect)).count();
    let reads = count(|effect| matches!(effect, DeclaredEffect::Reads(_)));
    let writes = count(|effect| matches!(effect, DeclaredEffect::Writes(place) if place.is_changeable()));
    let registers = reads - count(|effect| effect == DeclaredEffect::Reads(PlaceKind::CopySource));
    let operands = if has.stack { usize::from(op.pops) } else { registers }.min(MAX_OPERANDS);
    let mut kinds = Vec::new();
    let mut add = |applies: bool, some: &[FaultKind]| {
        if applies {
            kinds.extend_from_slice(some);
        }
    };
    for wrong in WrongValue::OF_RESULTS {
        add(
            wrong.applies_to(result_of(op, has)) && (op.pushes > 0 || writes > 0),
            &[FaultKind::Result(wrong)],
        );
    }
    for operand in 0..operands {
        for wrong in WrongValue::OF_OPERANDS {
            add(wrong.applies_to(has.number), &[FaultKind::Operand(operand, wrong)]);
        }
    }
    add(operands > 1, &[FaultKind::Swapped]);
    add(operands > 1 && op.pushes == 1, &[FaultKind::Boundary]);
    add(op.pops > 0 && op.pushes > 0 || writes > 0, &[FaultKind::Forgotten]);
    add(writes > 0, &[FaultKind::Neighbour]);
    add(has.gas, &[FaultKind::PriceMore]);
    add(op.gas > 0, &[FaultKind::PriceLess]);
    add(op.pops > 0, &[FaultKind::TooFew, FaultKind::OneMoreNeeded, FaultKind::PopOmitted]);
    add(has.limit, &[FaultKind::LimitLess]);
    add(has.stack_limit && op.pushes > op.pops, &[FaultKind::LimitMore]);
    add(op.pushes > 0, &[FaultKind::PushOmitted]);
    let jumps = count(|effect| matches!(effect, Effect::Jumps | Effect::JumpsTo(())));
    add(jumps > 0, &[FaultKind::NotTaken]);
    // An instruction that pushes one value and reads nothing pushes a new one.
    add(has.compounds && (op.pushes > 1 || op.pushes == 1 && reads > 0), &[FaultKind::Copied]);
    let throws = count(|effect| matches!(effect, DeclaredEffect::Writes(place) if place.is_exception()));
    let stores = count(|effect| matches!(effect, DeclaredEffect::Writes(_))) > throws;
    add(has.compounds && op.pops > 0 && (stores || op.pushes > 0 && reads > 0), &[FaultKind::OperandCopied]);
    add(op.effects.contains(&DeclaredEffect::Reads(PlaceKind::Struct)), &[FaultKind::Shared]);
    add(has.compounds, &[FaultKind::Counted]);
    add(has.compounds && op.pops > op.pushes, &[FaultKind::NotReleased]);
    let changes = op.pops > 0 || op.pushes > 0 || !op.operands.is_empty() || !op.effects.is_empty();
    let can_fail = has.stack && changes;
    add(can_fail, &[FaultKind::NotRaised]);
    add(throws > 0 || has.traps && can_fail, &[FaultKind::OtherFailure]);
    kinds
}
