//! The instructions. The second name of a row is an alias.

use super::place::MiniPlace;
use crate::isa::effect::declared_effects;
use crate::isa::{Isa, OpInfo, OperandOrder, Unit};

/// Generates the enum of the opcodes and the instruction set.
macro_rules! instruction_set {
    ($($name:ident $(= $alias:ident)? [$($operand:literal)?] ($pops:literal -> $pushes:literal)
        $handler:path, $doc:literal, $effects:tt;)*) => {
        /// An opcode. The numbers mean nothing outside this program.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(clippy::upper_case_acronyms, non_camel_case_types)]
        pub(super) enum MiniOp {
            $($name,)*
            /// Something that is not an instruction.
            Undecodable,
            /// The end, after the last instruction.
            End,
        }

        impl MiniOp {
            /// The opcode with this name, spelled as in the table.
            pub(super) fn named(name: &str) -> Option<MiniOp> {
                match name {
                    $(stringify!($name) $(| stringify!($alias))? => Some(MiniOp::$name),)*
                    _ => None,
                }
            }

            /// Its row.
            pub(super) fn info(self) -> Option<&'static OpInfo> {
                MINIC89.ops.get(self as usize)
            }
        }

        const ROWS: &[OpInfo] = &[$(OpInfo {
            code: MiniOp::$name as u16,
            name: stringify!($name),
            alias: [$(Some(stringify!($alias)),)? None][0],
            arguments: &[$($operand)?],
            pops: $pops,
            pushes: $pushes,
            order: OperandOrder::TopLast,
            doc: $doc,
            effects: declared_effects!(MiniPlace: $effects),
            ..OpInfo::BASE
        },)*];

        /// The instruction set.
        pub static MINIC89: Isa = Isa::new("minic89", Unit::Objects, ROWS);
    };
}

/// Passes the rows to a macro.
// One row per line, so that the table can be read by column.
#[rustfmt::skip]
macro_rules! rows {
    ($make:ident) => { $make! {
    NOP                        []          (0 -> 0) flow::nop,           "nothing", [];
    DBG_LINE                   ["line"]    (0 -> 0) flow::dbg_line,      "the following instructions belong to this source line", [];
    PUSH_I16                   ["value"]   (0 -> 1) stack::push_i16,     "push an integer", [];
    PUSH_FUN                   ["fid"]     (0 -> 1) stack::push_fun,     "push a reference to a function", [];
    PUSH_NULLFUN = PUSH_NULL   []          (0 -> 1) stack::push_nullfun, "push the reference to no function", [];
    POP                        []          (1 -> 0) stack::pop,          "drop the top value", [];
    DUP                        []          (1 -> 2) stack::dup,          "push the top value again", [Moves(|_| vec![0, 0])];
    LOAD_LOCAL = LOAD          ["slot"]    (0 -> 1) local::load,         "push the value of a local slot", [Reads(Slot)];
    STORE_LOCAL = STORE        ["slot"]    (1 -> 1) local::store,        "the top value to a local slot; it stays on the stack", [Stores(Slot), Moves(|_| vec![0])];
    ADD                        []          (2 -> 1) arith::add,          "a + b", [];
    SUB                        []          (2 -> 1) arith::sub,          "a - b", [];
    MUL                        []          (2 -> 1) arith::mul,          "a * b", [];
    DIV                        []          (2 -> 1) arith::div,          "a / b, toward zero", [];
    MOD                        []          (2 -> 1) arith::mod_,         "a % b, with the sign of a", [];
    NEG                        []          (1 -> 1) arith::neg,          "a with the other sign", [];
    EQ                         []          (2 -> 1) compare::eq,         "whether a is b, for two values of one kind", [];
    NE                         []          (2 -> 1) compare::ne,         "whether a is not b, for two values of one kind", [];
    LT                         []          (2 -> 1) compare::lt,         "whether a < b", [];
    LE                         []          (2 -> 1) compare::le,         "whether a <= b", [];
    GT                         []          (2 -> 1) compare::gt,         "whether a > b", [];
    GE                         []          (2 -> 1) compare::ge,         "whether a >= b", [];
    LNOT                       []          (1 -> 1) compare::lnot,       "whether a is 0", [];
    JMP                        ["target"]  (0 -> 0) flow::jmp,           "go on at an instruction of this function", [JumpsTo(MiniC89::jumped)];
    JZ                         ["target"]  (1 -> 0) flow::jz,            "go on there if a is 0", [Jumps];
    JNZ                        ["target"]  (1 -> 0) flow::jnz,           "go on there if a is not 0", [Jumps];
    CALL_DIRECT = CALL         ["fid"]     (0 -> 0) call::direct,        "call a function with as many arguments as it has", [Takes(MiniC89::arguments), Stores(CalleeSlots)];
    CALL_IND                   ["argc"]    (1 -> 0) call::indirect,      "call the function on top with argc arguments below it", [Takes(MiniC89::arguments_and_callee), Stores(CalleeSlots)];
    RET                        []          (1 -> 0) call::ret,           "return the top value", [Stores(Result)];
    }};
}

pub(super) use rows;

rows!(instruction_set);
