//! Ethereum as state tests need it: one transaction in a block, under the rules of a fork, with its settlement and
//! the root of the state after it. The engine is revm; what it does not bring along is here.
//!
//! | file | content |
//! |---|---|
//! | `machine.rs` | the machine |
//! | `machine/phases.rs` | a transaction from its validation to its settlement |
//! | `machine/slices.rs` | the loop over instructions, within the limits of the runner |
//! | `engine.rs` | revm as it is used here |
//! | `fault.rs` | faults that tests plant |
//! | `fork.rs` | forks, with what differs from revm's rules |
//! | `rules.rs` | instructions that behave otherwise than revm has them |
//! | `precompiles.rs` | precompiled contracts, within the limit of the runner |
//! | `program.rs` | what a program record must contain |
//! | `transaction.rs` | the transaction with its chosen parameters |
//! | `refusal.rs` | why a transaction is refused |
//! | `world.rs` | accounts before and after the transaction, and the root of the state |
//! | `logs.rs` | log entries and their hash |
//! | `fields.rs` | what can be observed |
//! | `inspect.rs` | what traces and blame see |
//! | `effects.rs` | what instructions read and write besides the stack |
//! | `trail.rs` | what the last instruction did to the accounts |
//! | `shapes.rs` | how programs and states are written for a machine in another process |
//! | `table.rs` | the instructions |
//!
//! # Program
//!
//! What the cases of a test have in common; `shapes.rs` lists its members. All cases of a test share one, so that its
//! accounts are read and hashed once.
//!
//! # What is set
//!
//! [`Action::Set`](crate::model::case::Action) comes first, once, with the fork and what the case chooses of the
//! transaction; `shapes.rs` lists the members.
//!
//! # Limits
//!
//! An instruction is a unit of `--max-steps`, and 16 gas are one more. A word that KECCAK256 hashes is charged 6, and a
//! byte of an exponent 20, since their gas does not cover their time. A gas of a precompiled contract is one unit,
//! or four where it works on curves. A call or a creation is charged besides, by the length of the code created.

mod effects;
mod engine;
mod fault;
mod fields;
mod fork;
mod inspect;
mod logs;
mod machine;
mod precompiles;
mod program;
mod refusal;
mod rules;
mod shapes;
mod table;
mod trail;
mod transaction;
mod world;

pub use fault::{Fault, Rule, WrongPrice};
pub use machine::{Ethereum, INFO};
pub use table::ETHEREUM;
