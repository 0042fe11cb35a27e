//! NeoVM 2.x, as of the last 2.4 of neo-project/neo-vm, with the host services of that project's
//! own test runner.
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
//! | `item.rs`, `convert.rs` | items, and their conversions |
//! | `number.rs` | what instructions on numbers share |
//! | `heap.rs`, `map.rs` | Arrays, Structs and Maps, and the memory in use |
//! | `count.rs` | the machine's limit on items |
//! | `program.rs`, `script.rs` | what a program record must contain; scripts and their hashes |
//! | `show.rs` | items as values |
//! | `plant.rs` | what planted faults change besides cells |
//! | `parts.rs` | what generated programs are made of |
//! | the others | handlers, one file per opcode family |
//!
//! # Program
//!
//! `program.rs` lists the members of the record, all optional. `script` may also be a list of bytes and mnemonics that
//! follow each other; a missing one is empty. Without a `message` there is no script container. Without a
//! `scriptTable` there is no table, which is not the same as an empty one.
//!
//! `state.rs` lists what [`Action::Set`](crate::model::case::Action) takes: records of items, written as the machine
//! shows them. Neither the old nor the new value may be a compound or a host object.

#![allow(clippy::cast_possible_wrap, reason = "no size or place comes near 2^63, and no count of items 2^31")]

mod arith;
mod bitwise;
mod call;
mod compound;
mod context;
mod convert;
mod core;
mod count;
mod crypto;
mod equal;
mod fault;
mod flow;
mod frame;
mod heap;
mod host;
mod inspect;
mod interpret;
mod isolated;
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
mod script;
mod show;
mod splice;
mod stack;
mod state;
mod view;

pub use machine::{INFO, Neo2};
pub use opcodes::{NEO2, Op};
