//! The Ethereum Virtual Machine as the "VMTests" vectors need it: one code fragment in one call
//! frame, outside any transaction, under Homestead rules.
//!
//! CALL, CALLCODE, DELEGATECALL and CREATE execute no code: they are charged, recorded and given a result.
//! There is no intrinsic gas, and refunds are counted but never paid out.
//!
//! | file | content |
//! |---|---|
//! | `opcodes.rs` | the opcodes, one row each |
//! | `word.rs` | 256-bit words |
//! | `stop.rs` | why a run ends |
//! | `context.rs` | the state besides the stack: environment, memory, logs, recorded calls, count of instructions |
//! | `destinations.rs` | which offsets a jump can go to |
//! | `place.rs` | what opcodes read and write besides the stack |
//! | `cells.rs` | the kinds of cells, as traces and blame write them |
//! | `interpret.rs` | the loop |
//! | `machine.rs` | the machine: loading and the single loop |
//! | `state.rs` | what can be observed, and what can be changed between two instructions |
//! | `inspect.rs` | the view for blame and traces |
//! | `hot.rs` | the hot tier: translated blocks of frequently executed code |
//! | `reference.rs` | a second machine, for `--engine both` |
//! | `operands.rs` | the operands of instructions that only compute |
//! | `frame.rs` | the running frame that handlers work on: stack, gas, memory |
//! | `wide.rs` | EXP and quotients |
//! | `world.rs` | accounts |
//! | `program.rs` | what a program record must contain |
//! | `plant.rs` | what planted faults change besides cells |
//! | `parts.rs` | what generated programs are made of |
//! | `log.rs` | LOG0 to LOG4; bloom filters and the hash of log entries |
//! | the others | handlers, one file per opcode family |
//!
//! # Program
//!
//! `program.rs` lists the members of the record, `state.rs` what [`Action::Set`](crate::model::case::Action) takes.
//! Addresses of accounts and keys of storage are hex in their shortest form of whole bytes after `0x`; an offset of
//! memory is hex, too.

mod arith;
mod bitwise;
mod call;
mod cells;
mod context;
mod destinations;
mod environment;
mod flow;
mod frame;
mod hash;
mod hot;
mod inspect;
mod interpret;
mod log;
mod machine;
mod memory;
mod opcodes;
mod operands;
mod parts;
mod place;
mod plant;
mod program;
mod reference;
mod stack;
mod state;
mod stop;
mod storage;
mod view;
mod wide;
mod word;
mod world;

pub use machine::{Evm, INFO};
pub use opcodes::{EVM, Op};
