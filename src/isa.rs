//! Instruction sets as rows.
//!
//! An opcode is one row of an `isa!` table and one handler function. From the
//! rows come the enum of mnemonics, the decoder, the `match` that dispatches with its stack and
//! base-cost checks, the assembler, the disassembler, the reference that `vmconf isa` prints, and
//! coverage. Nothing else lists opcodes.

pub mod assembler;
pub mod disassembler;

/// One opcode: what its row says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpInfo {
    /// The code: the first byte of the instruction, or the word that it is with its fields empty.
    pub code: u16,
    /// Which bits of the byte or word are the code.
    pub mask: u16,
    /// The mnemonic.
    pub name: &'static str,
    /// Another mnemonic that means the same.
    pub alias: Option<&'static str>,
    /// What follows the code in the program, one after the other.
    pub operands: &'static [Operand],
    /// What stands in the word beside the code, in the order in which it is written.
    pub fields: &'static [Field],
    /// What stands in the list of arguments, where an instruction is an object: what each is.
    pub arguments: &'static [&'static str],
    /// The part of the price that is always the same, in the machine's unit.
    pub gas: u64,
    /// How many stack items must be there.
    pub pops: u16,
    /// How many stack items take their place.
    pub pushes: u16,
    /// What it does, in one line.
    pub doc: &'static str,
}

impl OpInfo {
    /// How many bytes of `rest`, which stands behind the code, are this instruction's operands;
    /// none where it ends before they do.
    pub fn operand_len(&self, rest: &[u8]) -> Option<usize> {
        let left = self.operands.iter().try_fold(rest, |rest, operand| Some(operand.split(rest)?.1))?;
        Some(rest.len() - left.len())
    }
}

/// An immediate operand: something that follows an opcode in the program. Sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// This many bytes of data as they are; as a number, the most significant first.
    Data(u8),
    /// A number from 0, least significant byte first.
    Unsigned(u8),
    /// A number in two's complement, least significant byte first.
    Signed(u8),
    /// A place in the program: how far from the opcode, as a [`Operand::Signed`].
    Offset(u8),
    /// A length, as an [`Operand::Unsigned`], and that many bytes of data.
    Prefixed(u8),
}

impl Operand {
    /// The operand's bytes, with its length if it has one in front, and what stands behind it;
    /// none where `rest` is too short.
    pub fn split(self, rest: &[u8]) -> Option<(&[u8], &[u8])> {
        let data = match self {
            Operand::Prefixed(size) => usize::try_from(unsigned(rest.get(..size.into())?)?).ok()?,
            Operand::Data(_) | Operand::Unsigned(_) | Operand::Signed(_) | Operand::Offset(_) => 0,
        };
        rest.split_at_checked(self.fixed_len().checked_add(data)?)
    }

    /// How many bytes it has whatever they are: those of a length in front, but not the data.
    pub const fn fixed_len(self) -> usize {
        match self {
            Operand::Data(size)
            | Operand::Unsigned(size)
            | Operand::Signed(size)
            | Operand::Offset(size)
            | Operand::Prefixed(size) => size as usize,
        }
    }
}

/// The sum of [`Operand::fixed_len`].
pub(crate) const fn fixed_len(operands: &[Operand]) -> usize {
    match operands {
        [] => 0,
        [first, rest @ ..] => first.fixed_len() + fixed_len(rest),
    }
}

/// The number that bytes are, least significant first; none for more than eight.
pub(crate) fn unsigned(bytes: &[u8]) -> Option<u64> {
    let mut number = [0; 8];
    number.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(number))
}

/// An immediate operand inside the word that an instruction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// A register: four bits, this far from the lowest bit.
    Register(u8),
    /// The low byte, a number with a sign.
    Signed,
    /// The low byte, which becomes the high byte of a word.
    High,
    /// So many low bits: how far to go, without the useless distances 0 and 1.
    Skip(u8),
}

/// What the instructions of a program are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes: a code and its operands behind it.
    Bytes,
    /// Words of 16 bits, each one instruction.
    Words,
    /// Objects of a document, with the mnemonic and a list of arguments. Codes are only numbers of
    /// rows and mean nothing to anyone else.
    Objects,
}

/// An instruction set.
#[derive(Debug)]
pub struct Isa {
    /// The machine's name.
    pub machine: &'static str,
    /// What instructions are made of.
    pub unit: Unit,
    /// The opcodes, ascending by code.
    pub ops: &'static [OpInfo],
    index: [u8; 256],
}

const UNDEFINED: u8 = u8::MAX;

impl Isa {
    /// The instruction set with these rows.
    ///
    /// # Panics
    ///
    /// At compile time, when the rows do not ascend by code: then one code has two rows.
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
        Isa { machine, unit, ops, index }
    }

    /// The row of a code byte or an instruction word; none where it means nothing.
    pub fn by_code(&self, code: u16) -> Option<&'static OpInfo> {
        let place = match self.unit {
            Unit::Bytes | Unit::Objects => usize::from(code),
            Unit::Words => usize::from(code >> 8),
        };
        // In words, a few rows may share the high byte.
        let rows = self.ops.get(usize::from(*self.index.get(place)?)..)?;
        rows.iter()
            .take_while(|op| op.code & 0xff00 & op.mask == code & 0xff00 & op.mask)
            .find(|op| code & op.mask == op.code)
    }

    /// The row of a mnemonic, in any case.
    pub fn by_name(&self, name: &str) -> Option<&'static OpInfo> {
        let is_it = |known: &str| known.eq_ignore_ascii_case(name);
        self.ops.iter().find(|op| is_it(op.name) || op.alias.is_some_and(is_it))
    }
}

/// Makes an instruction set of its rows.
///
/// ```text
/// isa! {
///     /// The doc comment of the enum.
///     Op, ISA = "evm", interpret(Frame) -> Stop;
///     //code name   operands    gas  pops -> pushes  handler       doc
///     0x01   ADD    []          3    (2 -> 1)        arith::add,   "a + b";
///     0x60   PUSH1  [Data(1)]   3    (0 -> 1)        stack::push::<1>, "push 1 byte";
///     undefined 0x00 0x02 0x03 …;
/// }
/// ```
///
/// makes the enum `Op`, the static `ISA` and the loop `interpret(&mut Frame, &mut impl Meter) ->
/// Option<Stop>`, which ends when a handler or the meter says so. A machine without gas leaves that
/// column out. `Frame` has these methods, called in this order for each instruction:
///
/// | method | what it does |
/// |---|---|
/// | `fetch()` | the code at the program counter, which moves behind it |
/// | `enter::<POPS, PUSHES>(gas)` | checks stack and base cost; false when the instruction cannot be |
/// | `refuse::<POPS>(gas)` | why it cannot |
/// | `lend()` | a copy of the frame for the handler |
/// | `hot()`, `settle(hot, flow)` | what the handler changed, from the copy to the frame; what it answered, or why the run ends all the same |
/// | `stop(stop)` | the last thing, when the run ends |
/// | `advance(length)` | moves the program counter over the operands, where handlers do not |
/// | `undefined()` | what a code without a row does |
///
/// The codes without a row are listed too: the compiler sees to it that every code is in the
/// table once, and needs no test for the rest.
macro_rules! isa {
    (
        $(#[$attribute:meta])*
        $op:ident, $isa:ident = $machine:literal, $interpret:ident($frame:ident) -> $stop:ty;
        $($code:literal $name:ident [$($operand:ident($size:literal))*] $($gas:literal)?
            ($pops:literal -> $pushes:literal) $handler:path, $doc:literal;)*
        undefined $($undefined:literal)*;
    ) => {
        $(#[$attribute])*
        #[repr(u8)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(clippy::upper_case_acronyms, non_camel_case_types)]
        pub enum $op {
            $(#[doc = concat!("`", $doc, "`")] $name = $code,)*
        }

        impl $op {
            /// The instruction of a code; none where it means nothing.
            pub fn of_code(code: u8) -> Option<$op> {
                match code {
                    $($code => Some($op::$name),)*
                    $($undefined)|* => None,
                }
            }
        }

        /// The instruction set.
        pub static $isa: $crate::isa::Isa = $crate::isa::Isa::new($machine, $crate::isa::Unit::Bytes, &[
            $($crate::isa::OpInfo {
                code: $code,
                mask: 0xff,
                name: stringify!($name),
                alias: None,
                operands: &[$($crate::isa::Operand::$operand($size)),*],
                fields: &[],
                arguments: &[],
                gas: 0 $(+ $gas)?,
                pops: $pops,
                pushes: $pushes,
                doc: $doc,
            },)*
        ]);

        /// The loop: fetches and executes until a handler or the meter ends it.
        // Each arm goes back to the top by itself: a result that all arms share would have to be
        // looked at after each instruction.
        // Inlined, so that the frame is a local there and its fields can be in registers.
        #[inline(always)]
        pub(super) fn $interpret(
            frame: &mut $frame<'_>,
            meter: &mut impl $crate::machines::machine::Meter,
        ) -> Option<$stop> {
            loop {
                if meter.tick().is_break() {
                    return None;
                }
                match frame.fetch() {
                    $($code => {
                        if !frame.enter::<$pops, $pushes>(0 $(+ $gas)?) {
                            return Some(frame.refuse::<$pops>(0 $(+ $gas)?));
                        }
                        let mut lent = frame.lend();
                        let flow = $handler(&mut lent);
                        let hot = lent.hot();
                        if let Err(stop) = frame.settle(hot, flow) {
                            return Some(frame.stop(stop));
                        }
                        frame.advance(const {
                            $crate::isa::fixed_len(&[$($crate::isa::Operand::$operand($size)),*])
                        });
                    })*
                    $($undefined)|* => return Some(frame.undefined()),
                }
            }
        }
    };
}

pub(crate) use isa;
