//! Instruction sets as rows.
//!
//! An opcode is one row of a table and one handler function. The rows give the enum of mnemonics, the
//! decoder, the `match` that dispatches, with its checks of stack and base cost, what instructions read and
//! write (for blame and traces), the assembler, the disassembler, the reference that `vmconf isa` prints, and
//! coverage. `rows.rs` describes how a table is written. Opcodes are named elsewhere only where faults are
//! planted: `prove::mutants::equivalent` lists those that make no difference.

pub mod assembler;
pub mod disassembler;
pub(crate) mod effect;
pub(crate) mod rows;

pub use self::effect::{DeclaredEffect, Effect, PlaceKind};

/// One opcode, as its row describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpInfo {
    /// The code: the first byte of the instruction, or its word with empty fields.
    pub code: u16,
    /// Which bits of the byte or word are the code.
    pub mask: u16,
    /// The mnemonic.
    pub name: &'static str,
    /// Another mnemonic for the same instruction.
    pub alias: Option<&'static str>,
    /// The operands that follow the code in the program, in order.
    pub operands: &'static [ImmediateOperand],
    /// The fields of the word besides the code, in the order in which they are written.
    pub fields: &'static [WordField],
    /// If instructions are objects, what each of the arguments is.
    pub arguments: &'static [&'static str],
    /// The constant part of the price, in the machine's unit.
    pub gas: u64,
    /// The number of stack items that it pops; the stack must have at least as many.
    pub pops: u16,
    /// The number of stack items that it pushes.
    pub pushes: u16,
    /// Which of the items that it pops its line calls a.
    pub order: OperandOrder,
    /// What it does, in one line, with `{N}` for the number at the end of its name and `{N+1}` for the next one; see
    /// [`OpInfo::meaning`].
    pub doc: &'static str,
    /// What it reads and writes besides the stack.
    pub effects: &'static [DeclaredEffect],
}

/// The order in which the line of a row names the stack items that it pops: a, b, c and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandOrder {
    /// The item on top is a.
    TopFirst,
    /// The lowest item is a: items are named in the order in which they are pushed.
    TopLast,
}

impl OpInfo {
    /// An instruction of a byte, for rows, which say only what is different.
    pub(crate) const BASE: OpInfo = OpInfo {
        code: 0,
        mask: 0xff,
        name: "",
        alias: None,
        operands: &[],
        fields: &[],
        arguments: &[],
        gas: 0,
        pops: 0,
        pushes: 0,
        order: OperandOrder::TopFirst,
        doc: "",
        effects: &[],
    };

    /// The letters of the stack items that it pops, as its line names them, from the top of the stack on.
    pub fn letters(&self) -> impl Iterator<Item = char> + use<> {
        let (order, pops) = (self.order, self.pops);
        (0..pops).zip('a'..='z').map(move |(below, letter)| match order {
            OperandOrder::TopFirst => letter,
            OperandOrder::TopLast => ('a'..='z').nth(usize::from(pops - 1 - below)).unwrap_or(letter),
        })
    }

    /// What it does, in one line.
    pub fn meaning(&self) -> String {
        let number = rows::number_in(self.name);
        self.doc.replace("{N}", &number.to_string()).replace("{N+1}", &(number + 1).to_string())
    }

    /// The number of bytes of this instruction's operands in `rest`, which follows the code; `None` if `rest`
    /// is too short.
    pub fn operand_len(&self, rest: &[u8]) -> Option<usize> {
        let left = self.operands.iter().try_fold(rest, |rest, operand| Some(operand.split(rest)?.1))?;
        Some(rest.len() - left.len())
    }
}

/// An immediate operand, which follows an opcode in the program. Sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImmediateOperand {
    /// This many bytes of data.
    Data(u8),
    /// An unsigned number, most significant byte first.
    Word(u8),
    /// An unsigned number, least significant byte first.
    Unsigned(u8),
    /// A number in two's complement, least significant byte first.
    Signed(u8),
    /// A position in the program: its distance from the opcode, as an [`ImmediateOperand::Signed`].
    Offset(u8),
    /// The same, from two bytes after the opcode: CALL_I of NeoVM 2.x.
    LaterOffset(u8),
    /// A length, as an [`ImmediateOperand::Unsigned`], and that many bytes of data.
    Prefixed(u8),
}

impl ImmediateOperand {
    /// The operand's bytes, with the length in front of them if it has one, and what follows them; `None` if
    /// `rest` is too short.
    pub fn split(self, rest: &[u8]) -> Option<(&[u8], &[u8])> {
        let data = match self {
            ImmediateOperand::Prefixed(size) => usize::try_from(unsigned(rest.get(..size.into())?)?).ok()?,
            ImmediateOperand::Data(_)
            | ImmediateOperand::Word(_)
            | ImmediateOperand::Unsigned(_)
            | ImmediateOperand::Signed(_)
            | ImmediateOperand::Offset(_)
            | ImmediateOperand::LaterOffset(_) => 0,
        };
        rest.split_at_checked(self.fixed_len().checked_add(data)?)
    }

    /// From how many bytes after the opcode it counts, if it is a distance.
    pub const fn counted_from(self) -> Option<usize> {
        match self {
            ImmediateOperand::Offset(_) => Some(0),
            ImmediateOperand::LaterOffset(_) => Some(2),
            ImmediateOperand::Data(_)
            | ImmediateOperand::Word(_)
            | ImmediateOperand::Unsigned(_)
            | ImmediateOperand::Signed(_)
            | ImmediateOperand::Prefixed(_) => None,
        }
    }

    /// The number of bytes that it always has: a length prefix counts, the data after it does not.
    pub const fn fixed_len(self) -> usize {
        match self {
            ImmediateOperand::Data(size)
            | ImmediateOperand::Word(size)
            | ImmediateOperand::Unsigned(size)
            | ImmediateOperand::Signed(size)
            | ImmediateOperand::Offset(size)
            | ImmediateOperand::LaterOffset(size)
            | ImmediateOperand::Prefixed(size) => size as usize,
        }
    }
}

/// The sum of [`ImmediateOperand::fixed_len`].
pub(crate) const fn fixed_len(operands: &[ImmediateOperand]) -> usize {
    match operands {
        [] => 0,
        [first, rest @ ..] => first.fixed_len() + fixed_len(rest),
    }
}

/// The number in little-endian bytes; `None` for more than eight.
pub(crate) fn unsigned(bytes: &[u8]) -> Option<u64> {
    let mut number = [0; 8];
    number.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(number))
}

/// An immediate operand inside the word of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordField {
    /// A register: four bits, this far from the lowest bit.
    Register(u8),
    /// The low byte, a signed number.
    Signed,
    /// The low byte, which becomes the high byte of a word.
    High,
    /// This many low bits: the distance to go, except the useless distances 0 and 1.
    Skip(u8),
}

/// The form of the instructions of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes: a code followed by its operands.
    Bytes,
    /// Words of 16 bits, each one instruction.
    Words,
    /// Objects of a document, with the mnemonic and a list of arguments. Codes are row numbers and have
    /// no meaning outside this program.
    Objects,
}

/// An instruction set.
#[derive(Debug)]
pub struct Isa {
    /// The machine's name.
    pub machine: &'static str,
    /// The form of its instructions.
    pub unit: Unit,
    /// The opcodes, ascending by code.
    pub ops: &'static [OpInfo],
    index: [u8; 256],
    /// The first row of each [`bucket`] of names.
    named: [u8; BUCKETS],
    /// For each row, the next one in the same bucket.
    next_named: [u8; 256],
}

const UNDEFINED: u8 = u8::MAX;

const BUCKETS: usize = 64;

/// The bucket of a name, whatever the case of its letters.
const fn bucket(name: &str) -> usize {
    match name.as_bytes() {
        [] => 0,
        [only] => (*only | 0x20) as usize % BUCKETS,
        [first, .., last] => {
            ((*first | 0x20) as usize + 3 * (*last | 0x20) as usize + 5 * name.len()) % BUCKETS
        }
    }
}

/// A subset of an instruction set, in a form that a machine's loop can query at each instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpSet {
    ops: Vec<&'static OpInfo>,
    leads: [bool; 256],
}

impl OpSet {
    /// The set of these instructions.
    pub fn new(isa: &Isa, ops: Vec<&'static OpInfo>) -> OpSet {
        let mut leads = [false; 256];
        for (lead, has) in leads.iter_mut().enumerate() {
            *has = ops.iter().any(|op| isa.is_led_by(op, lead));
        }
        OpSet { ops, leads }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// The names of its instructions.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.ops.iter().map(|op| op.name)
    }

    /// Whether it has this instruction.
    pub fn contains(&self, op: &OpInfo) -> bool {
        self.ops.iter().any(|known| known.code == op.code)
    }

    /// Whether it may contain the instruction that begins with this byte: the code, or the high byte of a word.
    #[inline(always)]
    pub fn may_have(&self, lead: u8) -> bool {
        self.leads[usize::from(lead)]
    }
}

impl Isa {
    /// The instruction set with these rows.
    ///
    /// # Panics
    ///
    /// At compile time, if the rows do not ascend strictly by code: a code must not have two rows.
    pub const fn new(machine: &'static str, unit: Unit, ops: &'static [OpInfo]) -> Isa {
        let mut index = [UNDEFINED; 256];
        let mut row = 0;
        while row < ops.len() {
            assert!(row == 0 || ops[row - 1].code < ops[row].code, "rows must ascend by code");
            assert!(row < UNDEFINED as usize, "too many rows");
            let OpInfo { code, mask, .. } = ops[row];
            let mut place = 0;
            while place < index.len() {
                let leads = match unit {
                    Unit::Bytes | Unit::Objects => place as u16 == code,
                    Unit::Words => (place as u16) << 8 & mask == code & 0xff00,
                };
                if leads && index[place] == UNDEFINED {
                    index[place] = row as u8;
                }
                place += 1;
            }
            row += 1;
        }
        let (mut named, mut next_named) = ([UNDEFINED; BUCKETS], [UNDEFINED; 256]);
        while row > 0 {
            row -= 1;
            let bucket = bucket(ops[row].name);
            next_named[row] = named[bucket];
            named[bucket] = row as u8;
        }
        Isa { machine, unit, ops, index, named, next_named }
    }

    /// Whether an instruction of this row can begin with the byte `lead`: its code, or the high byte of its word.
    fn is_led_by(&self, op: &OpInfo, lead: usize) -> bool {
        match self.unit {
            Unit::Bytes | Unit::Objects => lead == usize::from(op.code),
            Unit::Words => (lead as u16) << 8 & op.mask == op.code & 0xff00 & op.mask,
        }
    }

    /// Whether instructions cost gas.
    pub fn has_gas(&self) -> bool {
        self.ops.iter().any(|op| op.gas > 0)
    }

    /// Whether instructions work on an evaluation stack.
    pub fn has_stack(&self) -> bool {
        self.ops.iter().any(|op| op.pops + op.pushes > 0)
    }

    /// The row of a code byte or an instruction word; `None` if undefined.
    pub fn by_code(&self, code: u16) -> Option<&'static OpInfo> {
        self.ops.get(self.row(code)?)
    }

    /// The index of the row of a code byte or an instruction word; `None` if undefined.
    pub fn row(&self, code: u16) -> Option<usize> {
        let place = match self.unit {
            Unit::Bytes | Unit::Objects => usize::from(code),
            Unit::Words => usize::from(code >> 8),
        };
        // With words, a few rows may share the high byte.
        let first = usize::from(*self.index.get(place)?);
        let rows = self.ops.get(first..)?;
        let found = rows
            .iter()
            .take_while(|op| op.code & 0xff00 & op.mask == code & 0xff00 & op.mask)
            .position(|op| code & op.mask == op.code)?;
        Some(first + found)
    }

    /// The row of a mnemonic, in upper or lower case.
    pub fn by_name(&self, name: &str) -> Option<&'static OpInfo> {
        let is_it = |known: &str| known.eq_ignore_ascii_case(name);
        let mut row = usize::from(self.named[bucket(name)]);
        while let Some(op) = self.ops.get(row) {
            if is_it(op.name) {
                return Some(op);
            }
            row = usize::from(self.next_named[row]);
        }
        self.ops.iter().find(|op| op.alias.is_some_and(is_it))
    }
}
