//! Instruction sets as rows.
//!
//! An opcode is one row of an [`isa!`](crate::isa!) table and one handler function. From the
//! rows come the enum of mnemonics, the decoder, the `match` that dispatches with its stack and
//! base-cost checks, the assembler, the disassembler, the reference that `vmconf isa` prints, and
//! coverage. Nothing else lists opcodes.

/// One opcode: what its row says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpInfo {
    /// The code, the first byte of the instruction.
    pub code: u8,
    /// The mnemonic.
    pub name: &'static str,
    /// What follows the code in the program.
    pub operand: Operand,
    /// The part of the price that is always the same, in the machine's unit.
    pub gas: u64,
    /// How many stack items must be there.
    pub pops: u16,
    /// How many stack items take their place.
    pub pushes: u16,
    /// What it does, in one line.
    pub doc: &'static str,
}

/// What follows an opcode in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// Nothing.
    None,
    /// This many bytes of data, most significant first. A program may end before them; what is
    /// missing is zero.
    Data(u8),
}

impl Operand {
    /// How many bytes follow the opcode.
    pub const fn len(self) -> usize {
        match self {
            Operand::None => 0,
            Operand::Data(length) => length as usize,
        }
    }

    /// Whether nothing follows.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// An instruction set.
#[derive(Debug)]
pub struct Isa {
    /// The machine's name.
    pub machine: &'static str,
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
    pub const fn new(machine: &'static str, ops: &'static [OpInfo]) -> Isa {
        let mut index = [UNDEFINED; 256];
        let mut row = 0;
        while row < ops.len() {
            assert!(row == 0 || ops[row - 1].code < ops[row].code, "rows must ascend by code");
            assert!(row < UNDEFINED as usize, "too many rows");
            index[ops[row].code as usize] = row as u8;
            row += 1;
        }
        Isa { machine, ops, index }
    }

    /// The row of a code; none where the code means nothing.
    pub fn by_code(&self, code: u8) -> Option<&'static OpInfo> {
        self.ops.get(usize::from(self.index[usize::from(code)]))
    }

    /// The row of a mnemonic, in any case.
    pub fn by_name(&self, name: &str) -> Option<&'static OpInfo> {
        self.ops.iter().find(|op| op.name.eq_ignore_ascii_case(name))
    }
}

/// Makes an instruction set of its rows.
///
/// ```text
/// isa! {
///     /// The doc comment of the enum.
///     Op, ISA = "evm", dispatch(Frame) -> Flow;
///     //code name   operand  gas  pops -> pushes  handler       doc
///     0x01   ADD    None     3    (2 -> 1)        arith::add,   "a + b";
///     0x60   PUSH1  Data(1)  3    (0 -> 1)        stack::push::<1>, "push 1 byte";
/// }
/// ```
///
/// makes the enum `Op`, the static `ISA` and the function `dispatch(&mut Frame, code) -> Flow`.
/// `Frame` has two methods: `enter::<POPS, PUSHES>(gas)`, which is called in front of each
/// handler, and `undefined()`, which is called for a code without a row.
#[macro_export]
macro_rules! isa {
    (
        $(#[$attribute:meta])*
        $op:ident, $isa:ident = $machine:literal, $dispatch:ident($frame:ident) -> $flow:ty;
        $($code:literal $name:ident $operand:ident $(($size:literal))? $gas:literal
            ($pops:literal -> $pushes:literal) $handler:path, $doc:literal;)*
    ) => {
        $(#[$attribute])*
        #[repr(u8)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(clippy::upper_case_acronyms)]
        pub enum $op {
            $(#[doc = $doc] $name = $code,)*
        }

        /// The instruction set.
        pub static $isa: $crate::isa::Isa = $crate::isa::Isa::new($machine, &[
            $($crate::isa::OpInfo {
                code: $code,
                name: stringify!($name),
                operand: $crate::isa::Operand::$operand $(($size))?,
                gas: $gas,
                pops: $pops,
                pushes: $pushes,
                doc: $doc,
            },)*
        ]);

        /// Executes the instruction whose code was just fetched.
        #[inline(always)]
        pub(super) fn $dispatch(frame: &mut $frame<'_>, code: u8) -> $flow {
            match code {
                $($code => {
                    frame.enter::<$pops, $pushes>($gas)?;
                    $handler(frame)
                })*
                _ => frame.undefined(),
            }
        }
    };
}
