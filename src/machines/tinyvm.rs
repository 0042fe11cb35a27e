//! The 16-bit register machine "TinyVM", alone or as the two machines of the test driver.
//!
//! | file | content |
//! |---|---|
//! | `opcodes.rs` | the instructions, one row each |
//! | `place.rs` | what they read and write |
//! | `interpret.rs` | the loop over the instructions |
//! | `core.rs` | one machine: registers, memories, program counter, time, random numbers |
//! | `instruction.rs` | decoded instructions |
//! | `driver.rs` | the test driver: its commands, budget, results and outcomes |
//! | `mode.rs` | one machine, or a driver and its testee |
//! | `machine.rs` | the machine: loading and running |
//! | `state.rs` | what can be observed, and what can be changed between two instructions |
//! | `plant.rs` | what planted faults change besides cells |
//! | `parts.rs` | what generated programs are made of |
//! | `inspect.rs` | the view for blame and traces |
//! | `program.rs` | what a program record must contain |
//! | `random.rs` | reproducible random numbers |
//! | `assembler.rs`, `disassembler.rs` | the assembly language |
//! | the others | handlers, one file per instruction family |
//!
//! # Program
//!
//! A segment is bytes (words from address 0, most significant byte first), text (assembly source), a record
//! of one such text by the name of its file, or a record of bytes by `0x` address. Omitted words are zero.
//!
//! `program.rs` lists the members of the record, all optional: for one machine, or for a `driver` and a `testee`.
//! `state.rs` lists what [`Action::Set`](crate::model::case::Action) takes. It begins a new phase: from then on,
//! "changed" means different from the start of that phase. With `phase`, whose only value is `same`, the current
//! phase continues.

mod arith;
pub mod assembler;
mod compare;
mod core;
pub mod disassembler;
mod driver;
mod inspect;
mod instruction;
mod interpret;
mod jump;
mod language;
mod machine;
mod memory;
mod mode;
mod opcodes;
mod parts;
mod place;
mod plant;
mod program;
mod random;
mod state;
mod stop;
mod view;

pub use self::core::SEGMENT_BYTES;
pub use machine::{INFO, TinyVm};
pub use opcodes::TINYVM;
