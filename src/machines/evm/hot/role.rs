//! The role of each instruction in a hot block, derived from the rows of the table.

use crate::isa::rows::with_number;
use crate::machines::evm::opcodes::{Op, rows};
use crate::machines::evm::operands::Operands;
use crate::machines::evm::stop::EvmFlow;
use crate::machines::evm::{arith, bitwise, wide};

/// What the translation needs to know about an instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct RolePart {
    pub(super) role: Role,
    /// Its fixed cost.
    pub(super) gas: u64,
    /// How many items it pops.
    pub(super) pops: u8,
}

/// The role of an instruction in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A step that computes one item from its operands, and can neither fail nor do anything else.
    Computes,
    /// Only moves items. The block knows where each is, and moves it at the end if at all.
    Pushes(usize),
    Drops,
    Copies(usize),
    Swaps(usize),
    /// The offset of the instruction.
    Locates,
    /// No step.
    Marks,
    /// Continues at a, always or if b is not 0.
    Jumps,
    Branches,
    /// Anything else, including undefined codes: the block ends before it.
    Ends,
}

/// The role of the instructions of a handler: the families `arith`, `bitwise` and `wide` only compute.
macro_rules! role {
    ((arith::$handler:ident)) => {
        Role::Computes
    };
    ((bitwise::$handler:ident)) => {
        Role::Computes
    };
    ((wide::$handler:ident)) => {
        Role::Computes
    };
    ((stack::push::<$size:tt>)) => {
        Role::Pushes($size)
    };
    ((stack::pop)) => {
        Role::Drops
    };
    ((stack::dup::<$nth:tt>)) => {
        Role::Copies($nth)
    };
    ((stack::swap::<$below:tt>)) => {
        Role::Swaps($below)
    };
    ((flow::pc)) => {
        Role::Locates
    };
    ((flow::jumpdest)) => {
        Role::Marks
    };
    ((flow::jump)) => {
        Role::Jumps
    };
    ((flow::jumpi)) => {
        Role::Branches
    };
    ($other:tt) => {
        Role::Ends
    };
}

/// Calls the handler if it only computes.
macro_rules! handle {
    ($operands:ident (arith::$handler:ident)) => {
        arith::$handler($operands)
    };
    ($operands:ident (bitwise::$handler:ident)) => {
        bitwise::$handler($operands)
    };
    ($operands:ident (wide::$handler:ident)) => {
        wide::$handler($operands)
    };
    ($operands:ident $other:tt) => {
        Ok(())
    };
}

/// Generates from the rows the table of roles by code, and the function that computes.
macro_rules! roles {
    (
        { $parts:ident, $compute:ident }
        $({
            $code:literal [$($name:ident)+] $operands:tt $gas:tt $pops:tt $pushes:tt $handler:tt
            $doc:literal $effects:tt
        })*
    ) => {
        static $parts: [RolePart; 256] = {
            let mut parts = [RolePart { role: Role::Ends, gas: 0, pops: 0 }; 256];
            $($(
                parts[Op::$name as usize] =
                    with_number!($name: RolePart { role: role!($handler), gas: $gas, pops: $pops as u8 });
            )+)*
            parts
        };

        /// Executes the instruction of this code, whose role is [`Role::Computes`].
        #[inline(always)]
        pub(super) fn $compute(code: u8, operands: &mut impl Operands) -> EvmFlow {
            $($(const $name: u8 = Op::$name as u8;)+)*
            match code {
                $($($name => handle!(operands $handler),)+)*
                _ => Ok(()),
            }
        }
    };
}

rows!(roles { PARTS, compute });

/// The role of a code in a block.
pub(super) fn part(code: u8) -> &'static RolePart {
    &PARTS[usize::from(code)]
}
