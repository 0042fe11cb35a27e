//! x
pub mod asm;
pub mod case;
pub mod diff;
pub mod disasm;
pub mod formats;
pub mod isa;
pub mod json;
pub mod limits;
pub mod machine;
pub mod machines;
pub mod value;
