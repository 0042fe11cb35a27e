//! Ethereum as state tests need it: one transaction in a block, under the rules of a fork, with its
//! settlement and the state root after it. The engine is revm; this folder contains what revm does not
//! provide.
//!
//! | file | content |
//! |---|---|
//! | `description.rs` | the machine's entry in the list of machines |
//! | `machine.rs` | the machine |
//! | `machine/phases.rs` | a transaction from its validation to its settlement |
//! | `machine/slices.rs` | the loop over instructions, within the limits of the runner |
//! | `machine/stops.rs` | before which instructions a run stops |
//! | `machine/plant.rs`, `machine/excused.rs` | changes of the running frame for planted faults |
//! | `engine.rs` | the configuration of revm |
//! | `context.rs` | what instructions and contracts of revm work on |
//! | `handler.rs` | the phases of revm, with what planted faults change |
//! | `fault.rs`, `broken_rules.rs` | faults that `vmconf mutants` and tests plant |
//! | `pardon.rs` | how a fault executes a transaction that is refused |
//! | `authorizations.rs` | what faults change in authorizations |
//! | `fork.rs` | forks, with what differs from revm's rules |
//! | `instructions.rs` | the instructions of a fork |
//! | `rules.rs` | instructions that behave differently from revm's |
//! | `memory.rs` | instructions that can grow memory |
//! | `precompiles.rs` | precompiled contracts, within the limit of the runner |
//! | `program.rs` | what a program record must contain |
//! | `transaction_record.rs` | the members of a transaction: shared by the cases, and chosen by one |
//! | `transaction.rs` | the transaction with its chosen parameters |
//! | `refusal.rs` | why a transaction is refused |
//! | `world.rs` | accounts before and after the transaction, and the root of the state |
//! | `logs.rs` | log entries and their hash |
//! | `state.rs` | what can be observed |
//! | `inspect.rs` | the view for traces and blame |
//! | `place.rs`, `effects.rs` | what instructions read and write besides the stack |
//! | `cells.rs` | the kinds of cells, as traces and blame write them |
//! | `trail.rs` | what the last instruction did to the accounts |
//! | `table.rs` | the instructions |
//! | `tests.rs` | what must have a measured cost |
//!
//! # Program
//!
//! The program contains what all cases of a test have in common; `program.rs` lists its members. The cases
//! share it, so that its accounts are read and hashed once.
//!
//! # What is set
//!
//! [`Action::Set`](crate::model::case::Action) comes first, once, with the fork and the parameters of the
//! transaction that the case chooses; `transaction_record.rs` lists the members.
//!
//! # Limits
//!
//! An instruction is one unit of `--max-steps`, which covers 5 gas; the rest of the gas is charged one unit
//! per 12. Instructions and precompiled contracts whose gas does not cover their time are charged more: `rules.rs` and
//! `precompiles.rs` say how much. A call or a creation is charged in addition, according to the length of the
//! created code.

mod accounts;
mod authorizations;
mod broken_rules;
mod calls;
mod cells;
mod context;
mod description;
mod effects;
mod engine;
mod fault;
mod fork;
mod handler;
mod inspect;
mod instructions;
mod logs;
mod machine;
mod memory;
mod pardon;
mod place;
mod precompiles;
mod program;
mod refusal;
mod rules;
mod state;
mod table;
#[cfg(test)]
mod tests;
mod trail;
mod transaction;
mod transaction_record;
mod world;

pub use description::INFO;
pub use fault::{Accepted, EthereumFault, FaultyRule, WrongBlobs, WrongPrice};
pub use machine::Ethereum;
pub use table::ETHEREUM;
