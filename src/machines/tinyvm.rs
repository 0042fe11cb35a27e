//! The 16-bit register machine "TinyVM", alone or as the two machines of the test driver.
//!
//! | file | content |
//! |---|---|
//! | `table.rs` | the instructions, one row each |
//! | `core.rs` | one machine and the loop over its instructions |
//! | `instruction.rs` | instructions as the loop executes them |
//! | `driver.rs` | the test driver: its commands, budget, results and outcomes |
//! | `machine.rs` | what the runner sees: loading and running |
//! | `fields.rs` | what can be observed |
//! | `inspect.rs` | what blame and traces see |
//! | `program.rs` | what a program record must contain |
//! | `random.rs` | random numbers that are always the same |
//! | `assembler.rs`, `disassembler.rs` | the assembly language |
//! | the others | handlers, one file an instruction family |
//!
//! # Program
//!
//! A segment is bytes (words from address 0, most significant byte first), text (assembly source), a record
//! of one such text by the name of its file, or a record of bytes by `0x` address. What it leaves out is zero.
//!
//! One machine: `instructions` and `data` (segments), `registers` (16 numbers), `pc`, `rnd` (a seed, or a
//! list of the numbers to give), `features` (a list that may have `expRoot`). All may be missing.
//! [`Action::Set`](crate::model::case::Action) takes `registers` (a record), `data` (a record of bytes) and
//! `pc`, and a new phase begins: from there on, changed means different from its start. With `phase`, which
//! can be `same`, the current phase continues.
//!
//! The test driver: `driver` and `testee` (records of `instructions` and `rnd`), `budget`, `zeroLimit`
//! (`fatal` or `timeout`), `features`.

mod arith;
pub mod assembler;
mod compare;
mod core;
pub mod disassembler;
mod driver;
mod fields;
mod inspect;
mod instruction;
mod jump;
mod language;
mod machine;
mod memory;
mod program;
mod random;
mod shapes;
mod stop;
mod table;
mod view;

pub use machine::{INFO, TinyVm};
pub use table::TINYVM;
