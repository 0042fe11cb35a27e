//! x
pub mod asm;
pub mod case;
pub mod diff;
pub mod disasm;
pub mod event;
pub mod filter;
pub mod formats;
pub mod isa;
pub mod json;
pub mod limits;
pub mod machine;
pub mod machines;

pub mod report;
pub mod runner;
pub mod sources;
pub mod testee;
pub mod value;
pub mod verdict;
