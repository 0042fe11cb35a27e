//! The single `match` over the instructions.

use super::core::{TinyCore, TinyFlow};
use super::instruction::TinyInstruction;
use super::opcodes::{TinyOp, rows};
use super::{arith, compare, jump, memory, stop};

/// Generates the single `match` that executes instructions.
macro_rules! dispatch {
    (
        $($word:literal $exact:ident $exact_text:literal [] $exact_handler:path, $exact_doc:literal,
            $exact_effects:tt;)*
        fields
        $($first:tt $(..= $last:tt)? $name:ident $text:literal
            [$($field:ident $(($size:literal))?)*] $handler:path, $doc:literal, $effects:tt;)*
    ) => {
        /// Executes an instruction.
        #[inline(always)]
        pub(super) fn execute(core: &mut TinyCore, instruction: &TinyInstruction) -> TinyFlow {
            match instruction.op {
                $(TinyOp::$exact => $exact_handler(core, instruction),)*
                $(TinyOp::$name => $handler(core, instruction),)*
                TinyOp::Undefined => TinyFlow::Illegal,
            }
        }
    };
}

rows!(dispatch);
