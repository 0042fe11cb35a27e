//! The Ethereum Virtual Machine as the "VMTests" vectors need it: one code fragment in one call
//! frame, outside any transaction, under Homestead rules.
//!
//! CALL, CALLCODE, DELEGATECALL and CREATE run nothing: they are charged, recorded and answered.
//! There is no intrinsic gas, and refunds are counted but never paid out.
//!
//! | file | content |
//! |---|---|
//! | `table.rs` | the opcodes, one row each |
//! | `machine.rs` | the machine: loading, the one loop, what can be observed |
//! | `frame.rs` | the running frame that handlers work on: stack, gas, memory |
//! | `world.rs` | accounts |
//! | `program.rs` | what a program record must contain |
//! | `log.rs` | log entries, their bloom filters and their hash; LOG0 to LOG4 |
//! | the others | handlers, one file an opcode family |
//!
//! # Program
//!
//! A record of `code`, `data` (bytes), `gas`, `gasPrice`, `value` (numbers), `address`,
//! `caller`, `origin` (20 bytes each), `coinbase` (20 bytes), `difficulty`, `gasLimit`, `number`,
//! `timestamp` (numbers), `debit` (whether a recorded call takes its value off the balance) and
//! `pre`, a record of accounts by `0x` address: `balance`, `nonce`, `code` and `storage`, a
//! record of numbers by `0x` key in its shortest form of whole bytes.

mod arith;
mod bitwise;
mod call;
mod environment;
mod flow;
mod frame;
mod hash;
mod inspect;
mod log;
mod machine;
mod memory;
mod program;
mod stack;
mod storage;
mod table;
mod world;

pub use machine::{Evm, INFO};
pub use table::{EVM, Op};
