//! The abstract machine of MiniC89: 16-bit integers and function references, one operand stack,
//! frames with local slots.
//!
//! | file | content |
//! |---|---|
//! | `opcodes.rs` | the instructions, one row each |
//! | `place.rs` | what they read and write |
//! | `interpret.rs` | the loop |
//! | `cpu.rs` | the state, and what handlers do with it |
//! | `trap.rs` | why a program is stopped, with the details for snapshots |
//! | `word.rs` | a value: an integer, a function, or uninitialised |
//! | `program.rs` | from a metadata document to code |
//! | `lint.rs` | suspicious constructs in a program |
//! | `source.rs` | source lines and names, for display with the state |
//! | `machine.rs` | the machine: loading and running |
//! | `state.rs` | what can be observed, and what can be changed between two instructions |
//! | `inspect.rs` | the view for blame and traces |
//! | `explain.rs` | the state in terms of the source |
//! | `plant.rs` | what planted faults change besides cells |
//! | `parts.rs` | what generated programs are made of |
//! | the others | handlers, one file per instruction family |
//!
//! # Program
//!
//! The record is a metadata document, as in `schemas/minic89-metadata.schema.json`; the `loc` of a source map
//! is `{line}`. [`Action::Set`](crate::model::case::Action) with an `entry` starts a run: `program.rs` lists what else
//! it takes. `limits` is a record of `step_limit` (a number, or Null for no limit), `operand_stack` and `call_depth`;
//! each may be missing. Without an `entry`, it changes the current run: `state.rs` lists what. Values are written as in
//! snapshots: integers or records of `t` and `v`.
//!
//! A trap changes nothing but the status and the number of steps: handlers check everything before
//! they change anything.

#![allow(
    clippy::unnecessary_box_returns,
    reason = "what stops a run is rare, and its place is one word wide"
)]

mod arith;
mod call;
mod compare;
mod cpu;
mod explain;
mod flow;
mod inspect;
mod interpret;
mod lint;
mod local;
mod machine;
mod opcodes;
mod parts;
mod place;
mod plant;
mod playback;
mod program;
mod source;
mod stack;
mod state;
mod trap;
mod view;
mod word;

pub use machine::{INFO, MiniC89};
pub use opcodes::MINIC89;
pub use playback::Playback;
