//! How the table of an instruction set is written, and the macros that generate code from it.
//!
//! A table is a macro that passes its rows to another macro, a maker, in the form that [`named_rows`] gives them:
//!
//! ```text
//! macro_rules! rows {
//!     ($make:ident $head:tt) => { $crate::isa::rows::named_rows! { $make $head
//!         //code name   operands    gas  pops -> pushes  handler           doc             effects
//!         0x01   ADD    []          3    (2 -> 1)        arith::add,       "a + b",        [];
//!         0x51   MLOAD  []          3    (1 -> 1)        memory::mload,    "word at a",    [Reads(Word(0))];
//!         0x60   PUSH1 PUSH2 PUSH3 PUSH4
//!                       [Word(N)]   3    (0 -> 1)        stack::push::<N>, "push {N} bytes", [];
//!     }};
//! }
//!
//! rows!(opcodes { /// The opcodes.
//!     Op, EVM = "evm", Place, TopFirst });
//! rows!(interpreter { interpret(Frame: Op) -> Stop });
//! rows!(effect_lists { EFFECTS: Evm, Place });
//! ```
//!
//! A row is one instruction or a range: instructions with consecutive codes, from that of the row on, whose names
//! differ in the number at their end. That number is `N` in the other columns and `{N}` in the doc. A machine without
//! gas omits that column. The last column lists what an instruction reads and writes in addition to the stack items
//! that the row counts; it is never omitted, but empty in most rows.
//!
//! | maker | what it generates |
//! |---|---|
//! | `opcodes` (here) | the enum of the mnemonics, the decoder and the [`Isa`](crate::isa::Isa) |
//! | `interpreter` (`machines/interpreter.rs`) | the loop |
//! | `effect_lists` (`machines/effects.rs`) | what each instruction reads and writes, for blame and traces |
//! | `roles` (`machines/evm/hot/role.rs`) | the role of each instruction in a block of the hot tier |

/// Passes rows to a maker in one form, `{ code [names] [operands] (gas) pops pushes (handler) doc effects }`, so that
/// only this macro knows how a row is written.
macro_rules! named_rows {
    (
        $make:ident $head:tt
        $($code:literal $($name:ident)+ [$($operand:tt)*] $($gas:literal $(* $times:tt)?)? ($pops:tt -> $pushes:tt)
            $family:ident::$handler:ident$(::<$($generic:tt),+>)?, $doc:literal, $effects:tt;)*
    ) => {
        $make! { $head
            $({
                $code [$($name)+] [$($operand)*] ((0 $(+ $gas $(* $times)?)?) as u64) $pops $pushes
                ($family::$handler$(::<$($generic),+>)?) $doc $effects
            })*
        }
    };
}

/// The number at the end of a mnemonic: 12 of PUSH12; 0 without one.
pub(crate) const fn number_in(name: &str) -> usize {
    let name = name.as_bytes();
    let mut start = name.len();
    while start > 0 && name[start - 1].is_ascii_digit() {
        start -= 1;
    }
    let mut number = 0;
    while start < name.len() {
        number = number * 10 + (name[start] - b'0') as usize;
        start += 1;
    }
    number
}

/// An expression of a row for one of its instructions, with `N` as the number at the end of its name.
macro_rules! with_number {
    ($name:ident: $($expression:tt)*) => {{
        #[allow(dead_code, reason = "most rows do not need it")]
        const N: usize = $crate::isa::rows::number_in(stringify!($name));
        $($expression)*
    }};
}

/// The operands of a row as data.
macro_rules! operands {
    ([$($operand:ident($size:expr))*]) => {
        &[$($crate::isa::ImmediateOperand::$operand($size as u8)),*]
    };
}

/// Generates from the rows of a machine the enum of its mnemonics with the decoder `of_code`, and the static
/// [`Isa`](crate::isa::Isa).
macro_rules! opcodes {
    (
        { $(#[$attribute:meta])* $op:ident, $isa:ident = $machine:literal, $place:ident, $order:ident }
        $({
            $code:literal [$first:ident $($next:ident)*] $operands:tt $gas:tt $pops:tt $pushes:tt $handler:tt
            $doc:literal $effects:tt
        })*
    ) => {
        $(#[$attribute])*
        #[repr(u8)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(clippy::upper_case_acronyms, non_camel_case_types)]
        pub enum $op {
            $(#[doc = concat!("`", $doc, "`")] $first = $code, $(#[doc = concat!("`", $doc, "`")] $next,)*)*
        }

        impl $op {
            const ALL: &[$op] = &[$($op::$first, $($op::$next,)*)*];

            const BY_CODE: [Option<$op>; 256] = {
                let mut by_code = [None; 256];
                let mut index = 0;
                while index < Self::ALL.len() {
                    by_code[Self::ALL[index] as usize] = Some(Self::ALL[index]);
                    index += 1;
                }
                by_code
            };

            /// The instruction with this code; `None` if undefined.
            pub fn of_code(code: u8) -> Option<$op> {
                Self::BY_CODE[usize::from(code)]
            }
        }

        /// The instruction set.
        pub static $isa: $crate::isa::Isa = $crate::isa::Isa::new(
            $machine,
            $crate::isa::Unit::Bytes,
            &[$(
                $crate::isa::rows::op_info!($op $first $operands $gas $pops $pushes $doc $place $order $effects),
                $($crate::isa::rows::op_info!($op $next $operands $gas $pops $pushes $doc $place $order $effects),)*
            )*],
        );
    };
}

/// The description of one instruction.
macro_rules! op_info {
    ($op:ident $name:ident $operands:tt $gas:tt $pops:tt $pushes:tt $doc:literal $place:ident $order:ident
        $effects:tt) => {
        $crate::isa::rows::with_number!($name: $crate::isa::OpInfo {
            code: $op::$name as u16,
            name: stringify!($name),
            operands: $crate::isa::rows::operands!($operands),
            gas: $gas,
            pops: $pops as u16,
            pushes: $pushes as u16,
            order: $crate::isa::OperandOrder::$order,
            doc: $doc,
            effects: $crate::isa::effect::declared_effects!($place: $effects),
            ..$crate::isa::OpInfo::BASE
        })
    };
}

/// All codes as a pattern, for the last arm of the `match` in a loop. With `_` instead, the compiler would
/// compare each code with the highest one in the table before it jumps.
#[rustfmt::skip]
macro_rules! every_code {
    () => {
        0x00 | 0x01 | 0x02 | 0x03 | 0x04 | 0x05 | 0x06 | 0x07 | 0x08 | 0x09 | 0x0a | 0x0b | 0x0c | 0x0d | 0x0e | 0x0f
        | 0x10 | 0x11 | 0x12 | 0x13 | 0x14 | 0x15 | 0x16 | 0x17 | 0x18 | 0x19 | 0x1a | 0x1b | 0x1c | 0x1d | 0x1e | 0x1f
        | 0x20 | 0x21 | 0x22 | 0x23 | 0x24 | 0x25 | 0x26 | 0x27 | 0x28 | 0x29 | 0x2a | 0x2b | 0x2c | 0x2d | 0x2e | 0x2f
        | 0x30 | 0x31 | 0x32 | 0x33 | 0x34 | 0x35 | 0x36 | 0x37 | 0x38 | 0x39 | 0x3a | 0x3b | 0x3c | 0x3d | 0x3e | 0x3f
        | 0x40 | 0x41 | 0x42 | 0x43 | 0x44 | 0x45 | 0x46 | 0x47 | 0x48 | 0x49 | 0x4a | 0x4b | 0x4c | 0x4d | 0x4e | 0x4f
        | 0x50 | 0x51 | 0x52 | 0x53 | 0x54 | 0x55 | 0x56 | 0x57 | 0x58 | 0x59 | 0x5a | 0x5b | 0x5c | 0x5d | 0x5e | 0x5f
        | 0x60 | 0x61 | 0x62 | 0x63 | 0x64 | 0x65 | 0x66 | 0x67 | 0x68 | 0x69 | 0x6a | 0x6b | 0x6c | 0x6d | 0x6e | 0x6f
        | 0x70 | 0x71 | 0x72 | 0x73 | 0x74 | 0x75 | 0x76 | 0x77 | 0x78 | 0x79 | 0x7a | 0x7b | 0x7c | 0x7d | 0x7e | 0x7f
        | 0x80 | 0x81 | 0x82 | 0x83 | 0x84 | 0x85 | 0x86 | 0x87 | 0x88 | 0x89 | 0x8a | 0x8b | 0x8c | 0x8d | 0x8e | 0x8f
        | 0x90 | 0x91 | 0x92 | 0x93 | 0x94 | 0x95 | 0x96 | 0x97 | 0x98 | 0x99 | 0x9a | 0x9b | 0x9c | 0x9d | 0x9e | 0x9f
        | 0xa0 | 0xa1 | 0xa2 | 0xa3 | 0xa4 | 0xa5 | 0xa6 | 0xa7 | 0xa8 | 0xa9 | 0xaa | 0xab | 0xac | 0xad | 0xae | 0xaf
        | 0xb0 | 0xb1 | 0xb2 | 0xb3 | 0xb4 | 0xb5 | 0xb6 | 0xb7 | 0xb8 | 0xb9 | 0xba | 0xbb | 0xbc | 0xbd | 0xbe | 0xbf
        | 0xc0 | 0xc1 | 0xc2 | 0xc3 | 0xc4 | 0xc5 | 0xc6 | 0xc7 | 0xc8 | 0xc9 | 0xca | 0xcb | 0xcc | 0xcd | 0xce | 0xcf
        | 0xd0 | 0xd1 | 0xd2 | 0xd3 | 0xd4 | 0xd5 | 0xd6 | 0xd7 | 0xd8 | 0xd9 | 0xda | 0xdb | 0xdc | 0xdd | 0xde | 0xdf
        | 0xe0 | 0xe1 | 0xe2 | 0xe3 | 0xe4 | 0xe5 | 0xe6 | 0xe7 | 0xe8 | 0xe9 | 0xea | 0xeb | 0xec | 0xed | 0xee | 0xef
        | 0xf0 | 0xf1 | 0xf2 | 0xf3 | 0xf4 | 0xf5 | 0xf6 | 0xf7 | 0xf8 | 0xf9 | 0xfa | 0xfb | 0xfc | 0xfd | 0xfe | 0xff
    };
}

pub(crate) use {every_code, named_rows, op_info, opcodes, operands, with_number};
