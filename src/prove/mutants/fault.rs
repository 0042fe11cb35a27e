//! The faults of a machine, derived from its rows.

use std::fmt;

use crate::isa::{DeclaredEffect, OpInfo, Operand, PlaceKind};
use crate::machines::MachineInfo;
use crate::model::limits::Limits;

/// The maximum number of operands per instruction that faults change.
const MOST_OPERANDS: usize = 3;

/// How a value is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
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

impl Wrong {
    const OF_RESULTS: [Wrong; 7] = [
        Wrong::OneMore,
        Wrong::OneLess,
        Wrong::LowByte,
        Wrong::LowLimb,
        Wrong::LowHalf,
        Wrong::SignLost,
        Wrong::Zero,
    ];
    const OF_OPERANDS: [Wrong; 5] =
        [Wrong::OneMore, Wrong::LowByte, Wrong::LowLimb, Wrong::SignLost, Wrong::ZeroAsOne];

    /// Whether a value of this sort can be wrong in this way.
    fn applies_to(self, sort: Sort) -> bool {
        match (self, sort) {
            (Wrong::OneLess | Wrong::ZeroAsOne, _) => sort.is_number(),
            (Wrong::LowByte, _) => sort == Sort::Word { bits: 16 },
            (Wrong::LowLimb, Sort::Bytes { most }) => most > 8,
            (Wrong::LowLimb, _) => sort.bits() > 64,
            (Wrong::LowHalf, _) => sort.bits() > 128,
            (Wrong::SignLost, Sort::Amount { .. } | Sort::Bytes { .. }) => false,
            (Wrong::OneMore | Wrong::Zero, _) | (Wrong::SignLost, Sort::Word { .. }) => true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Wrong::OneMore => "one-more",
            Wrong::OneLess => "one-less",
            Wrong::LowByte => "low-byte",
            Wrong::LowLimb => "low-limb",
            Wrong::LowHalf => "low-half",
            Wrong::SignLost => "sign-lost",
            Wrong::Zero => "zero",
            Wrong::ZeroAsOne => "zero-as-one",
        }
    }
}

/// What a value can be, according to the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// A number of at most this number of bits, including the sign.
    Word { bits: u32 },
    /// A number that is not negative, of at most this number of bits.
    Amount { bits: u32 },
    /// Bytes, at most this number of them.
    Bytes { most: usize },
}

impl Sort {
    fn is_number(self) -> bool {
        self.bits() > 0
    }

    /// The bits of a number; 0 for bytes.
    fn bits(self) -> u32 {
        match self {
            Sort::Word { bits } | Sort::Amount { bits } => bits,
            Sort::Bytes { .. } => 0,
        }
    }
}

/// What is wrong with an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The value that it leaves on top of the stack or, failing that, writes.
    Result(Wrong),
    /// An operand, the top one first.
    Operand(usize, Wrong),
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

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Kind::Result(wrong) => wrong.name(),
            Kind::Operand(operand, wrong) => {
                return write!(f, "{}-{}", ["a", "b", "c"][*operand], wrong.name());
            }
            Kind::Swapped => "swapped",
            Kind::Boundary => "boundary",
            Kind::Forgotten => "forgotten",
            Kind::Neighbour => "neighbour",
            Kind::PriceMore => "price-more",
            Kind::PriceLess => "price-less",
            Kind::TooFew => "too-few",
            Kind::OneMoreNeeded => "one-more-needed",
            Kind::LimitLess => "limit-less",
            Kind::LimitMore => "limit-more",
            Kind::PushOmitted => "push-omitted",
            Kind::PopOmitted => "pop-omitted",
            Kind::NotTaken => "not-taken",
            Kind::Copied => "copied",
            Kind::OperandCopied => "a-copied",
            Kind::Shared => "shared",
            Kind::Counted => "counted",
            Kind::NotReleased => "not-released",
            Kind::NotRaised => "not-raised",
            Kind::OtherFailure => "other-failure",
        };
        f.write_str(name)
    }
}

/// An instruction and what is wrong with it, written as `evm/ADD/low-limb`.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// The machine.
    pub machine: &'static MachineInfo,
    /// The instruction.
    pub op: &'static OpInfo,
    /// What is wrong.
    pub kind: Kind,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.machine.name, self.op.name, self.kind)
    }
}

/// The properties of a machine that determine its faults.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Has {
    gas: bool,
    stack: bool,
    stack_limit: bool,
    /// Of the stack, or of the items.
    limit: bool,
    compounds: bool,
    traps: bool,
    /// Any of its numbers.
    number: Sort,
}

impl Has {
    fn of(machine: &MachineInfo) -> Has {
        let ops = machine.isa.ops;
        let new = (machine.new)(&Limits::default());
        Has {
            gas: ops.iter().any(|op| op.gas > 0),
            stack: ops.iter().any(|op| op.pushes > 0),
            stack_limit: new.stack_limit().is_some(),
            limit: new.stack_limit().or(new.reference_limit()).is_some(),
            traps: machine.trap.is_some(),
            number: Sort::Word { bits: machine.word_bits },
            compounds: ops.iter().any(|op| op.effects.iter().copied().any(has_compound)),
        }
    }
}

/// Whether an effect is on a compound.
fn has_compound(effect: DeclaredEffect) -> bool {
    use DeclaredEffect::{Needs, Reads, Writes};
    matches!(effect, Reads(place) | Needs(place) | Writes(place) if place == PlaceKind::Compound)
}

/// All faults of a machine, in the order of its rows.
pub fn faults_of(machine: &'static MachineInfo) -> Vec<Fault> {
    let has = Has::of(machine);
    let of_row = |op: &'static OpInfo| {
        let kinds = kinds_of(op, &has);
        kinds.into_iter().map(move |kind| Fault { machine, op, kind })
    };
    machine.isa.ops.iter().flat_map(of_row).collect()
}

/// The sort of value that the instruction leaves on the stack or, failing that, writes. If it pops and reads
/// nothing, that is at most what its operand can hold.
fn result_of(op: &OpInfo, has: &Has) -> Sort {
    let writes = |place| op.pushes == 0 && op.effects.contains(&DeclaredEffect::Writes(place));
    if writes(PlaceKind::Byte) {
        return Sort::Bytes { most: 1 };
    }
    if writes(PlaceKind::Bytes) {
        return Sort::Bytes { most: usize::MAX };
    }
    match op.operands {
        [operand] if op.pops == 0 && op.effects.is_empty() => match *operand {
            Operand::Data(size) if has.compounds => Sort::Bytes { most: size.into() },
            Operand::Prefixed(_) => Sort::Bytes { most: usize::MAX },
            Operand::Data(size) if size < 32 => Sort::Amount { bits: 8 * u32::from(size) },
            Operand::Data(size) | Operand::Unsigned(size) | Operand::Signed(size) | Operand::Offset(size) => {
                Sort::Word { bits: 8 * u32::from(size) }
            }
        },
        _ => has.number,
    }
}

fn kinds_of(op: &OpInfo, has: &Has) -> Vec<Kind> {
    let count =
        |is_it: fn(DeclaredEffect) -> bool| op.effects.iter().filter(|effect| is_it(**effect)).count();
    let reads = count(|effect| matches!(effect, DeclaredEffect::Reads(_)));
    let writes = count(|effect| matches!(effect, DeclaredEffect::Writes(place) if place.is_changeable()));
    let registers = reads - count(|effect| effect == DeclaredEffect::Reads(PlaceKind::CopySource));
    let operands = if has.stack { usize::from(op.pops) } else { registers }.min(MOST_OPERANDS);
    let mut kinds = Vec::new();
    let mut add = |applies: bool, some: &[Kind]| {
        if applies {
            kinds.extend_from_slice(some);
        }
    };
    for wrong in Wrong::OF_RESULTS {
        add(wrong.applies_to(result_of(op, has)) && (op.pushes > 0 || writes > 0), &[Kind::Result(wrong)]);
    }
    for operand in 0..operands {
        for wrong in Wrong::OF_OPERANDS {
            add(wrong.applies_to(has.number), &[Kind::Operand(operand, wrong)]);
        }
    }
    add(operands > 1, &[Kind::Swapped]);
    add(operands > 1 && op.pushes == 1, &[Kind::Boundary]);
    add(op.pops > 0 && op.pushes > 0 || writes > 0, &[Kind::Forgotten]);
    add(writes > 0, &[Kind::Neighbour]);
    add(has.gas, &[Kind::PriceMore]);
    add(op.gas > 0, &[Kind::PriceLess]);
    add(op.pops > 0, &[Kind::TooFew, Kind::OneMoreNeeded, Kind::PopOmitted]);
    add(has.limit, &[Kind::LimitLess]);
    add(has.stack_limit && op.pushes > op.pops, &[Kind::LimitMore]);
    add(op.pushes > 0, &[Kind::PushOmitted]);
    let jumps = count(|effect| matches!(effect, DeclaredEffect::Jumps | DeclaredEffect::JumpsTo));
    add(jumps > 0, &[Kind::NotTaken]);
    // An instruction that pushes one value and reads nothing pushes a new one.
    add(has.compounds && (op.pushes > 1 || op.pushes == 1 && reads > 0), &[Kind::Copied]);
    let throws = count(|effect| matches!(effect, DeclaredEffect::Writes(place) if place.is_exception()));
    let stores = count(|effect| matches!(effect, DeclaredEffect::Writes(_))) > throws;
    add(has.compounds && op.pops > 0 && (stores || op.pushes > 0 && reads > 0), &[Kind::OperandCopied]);
    add(op.effects.contains(&DeclaredEffect::Reads(PlaceKind::Struct)), &[Kind::Shared]);
    add(has.compounds, &[Kind::Counted]);
    add(has.compounds && op.pops > op.pushes, &[Kind::NotReleased]);
    let changes = op.pops > 0 || op.pushes > 0 || !op.operands.is_empty() || !op.effects.is_empty();
    let can_fail = has.stack && changes;
    add(can_fail, &[Kind::NotRaised]);
    add(throws > 0 || has.traps && can_fail, &[Kind::OtherFailure]);
    kinds
}
