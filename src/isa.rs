//! Instruction sets as rows.
//!
//! An opcode is one row of an `isa!` table and one handler function. From the
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
///     Op, ISA = "evm", interpret(Frame) -> Stop;
///     //code name   operand  gas  pops -> pushes  handler       doc
///     0x01   ADD    None     3    (2 -> 1)        arith::add,   "a + b";
///     0x60   PUSH1  Data(1)  3    (0 -> 1)        stack::push::<1>, "push 1 byte";
///     undefined 0x00 0x02 0x03 …;
/// }
/// ```
///
/// makes the enum `Op`, the static `ISA` and the loop `interpret(&mut Frame, &mut impl Meter) ->
/// Option<Stop>`, which ends when a handler or the meter says so. `Frame` has these methods, called
/// in this order for each instruction:
///
/// | method | what it does |
/// |---|---|
/// | `fetch()` | the code at the program counter, which moves behind it |
/// | `enter::<POPS, PUSHES>(gas)` | checks stack and base cost; false when the instruction cannot be |
/// | `refuse::<POPS>(gas)` | why it cannot |
/// | `lend()` | a copy of the frame for the handler |
/// | `hot()`, `take_back(hot)` | what the handler changed, from the copy to the frame |
/// | `stop(stop)` | the last thing, when the handler ends the run |
/// | `advance(length)` | moves the program counter over the operand |
/// | `undefined()` | what a code without a row does |
///
/// The codes without a row are listed too: the compiler sees to it that every code is in the
/// table once, and needs no test for the rest.
macro_rules! isa {
    (
        $(#[$attribute:meta])*
        $op:ident, $isa:ident = $machine:literal, $interpret:ident($frame:ident) -> $stop:ty;
        $($code:literal $name:ident $operand:ident $(($size:literal))? $gas:literal
            ($pops:literal -> $pushes:literal) $handler:path, $doc:literal;)*
        undefined $($undefined:literal)*;
    ) => {
        $(#[$attribute])*
        #[repr(u8)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(clippy::upper_case_acronyms)]
        pub enum $op {
            $(#[doc = concat!("`", $doc, "`")] $name = $code,)*
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

        /// The loop: fetches and executes until a handler or the meter ends it.
        // Each arm goes back to the top by itself: a result that all arms share would have to be
        // looked at after each instruction.
        // Inlined, so that the frame is a local there and its fields can be in registers.
        #[inline(always)]
        pub(super) fn $interpret(
            frame: &mut $frame<'_>,
            meter: &mut impl $crate::machine::Meter,
        ) -> Option<$stop> {
            loop {
                if meter.tick().is_break() {
                    return None;
                }
                match frame.fetch() {
                    $($code => {
                        if !frame.enter::<$pops, $pushes>($gas) {
                            return Some(frame.refuse::<$pops>($gas));
                        }
                        let mut lent = frame.lend();
                        let flow = $handler(&mut lent);
                        let hot = lent.hot();
                        frame.take_back(hot);
                        if let Err(stop) = flow {
                            return Some(frame.stop(stop));
                        }
                        $(frame.advance($size);)?
                    })*
                    $($undefined)|* => return Some(frame.undefined()),
                }
            }
        }
    };
}

pub(crate) use isa;
