//! The NeoVM of Neo N3 as of 3.10, with its light reference counter, run without a blockchain.
//!
//! | file | content |
//! |---|---|
//! | `opcodes.rs` | the opcodes, one row each |
//! | `place.rs` | what opcodes read and write besides the stack |
//! | `interpret.rs` | the loop |
//! | `machine.rs` | the machine: loading and the single loop |
//! | `state.rs` | what can be observed, and what can be changed between two instructions |
//! | `inspect.rs` | the view for blame and traces; the places that rows name |
//! | `frame.rs` | the running frame that handlers work on |
//! | `core.rs`, `context.rs` | what the frames share; a frame of the invocation stack |
//! | `fault.rs` | why the loop ends, and why a script faults |
//! | `item.rs`, `value.rs` | items, and what they are as truth values, numbers and bytes |
//! | `number.rs` | what instructions on numbers share |
//! | `heap.rs`, `map.rs` | Arrays, Structs and Maps, and the reference counter |
//! | `host.rs` | SYSCALL and the available services |
//! | `program.rs` | what a program record must contain; strict validation |
//! | `show.rs` | items as values |
//! | `plant.rs` | what planted faults change besides cells |
//! | `parts.rs` | what generated programs are made of |
//! | the others | handlers, one file per opcode family |
//!
//! # Program
//!
//! `program.rs` lists the members of the record, all optional. `script` may also be a list of bytes and mnemonics; a
//! missing one means no script. A script that strict validation rejects leaves the machine in FAULT without a frame.
//! The `host` is `test` and the `curve` `secp256r1` if they are missing. `limits` has the names in
//! [`crate::model::limits`].
//!
//! `state.rs` lists what [`Action::Set`](crate::model::case::Action) takes: records of items, written as the machine
//! shows them. Neither the old nor the new value may be a compound.
//!
//! # Speed
//!
//! Items take 16 bytes, 64-bit numbers are handled in place, and the references of stack entries equal the
//! height of the stack, so most instructions count nothing.

mod arith;
mod bitwise;
mod call;
mod compound;
mod context;
mod convert;
mod core;
mod equal;
mod fault;
mod flow;
mod frame;
mod heap;
mod host;
mod inspect;
mod interpret;
mod item;
mod machine;
mod map;
mod number;
mod opcodes;
mod parts;
mod place;
mod plant;
mod program;
mod push;
mod show;
mod slot;
mod splice;
mod stack;
mod state;
mod try_catch;
mod value;
mod view;

pub use host::{HOSTS, Service};
pub use machine::{INFO, Neo3};
pub use opcodes::{NEO3, Op};
