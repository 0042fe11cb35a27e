//! Ethereum as state tests need it: one transaction in a block, under the rules of a fork, with its settlement and
//! the root of the state after it. The engine is revm; what it does not bring along is here.
//!
//! | file | content |
//! |---|---|
//! | `machine.rs` | the machine: a transaction from its validation to its settlement |
//! | `engine.rs` | revm as it is used here |
//! | `fork.rs` | forks, with what differs from revm's rules |
//! | `rules.rs` | instructions that behave otherwise than revm has them |
//! | `precompiles.rs` | precompiled contracts, within the limit of the runner |
//! | `program.rs` | what a program record must contain |
//! | `transaction.rs` | the transaction with its chosen parameters |
//! | `refusal.rs` | why a transaction is refused |
//! | `world.rs` | accounts before and after the transaction, and the root of the state |
//! | `logs.rs` | log entries and their hash |
//! | `fields.rs` | what can be observed |
//! | `inspect.rs` | what traces see |
//! | `table.rs` | the instructions |
//!
//! # Program
//!
//! A record of what the cases of a test have in common:
//!
//! | member | content |
//! |---|---|
//! | `env` | `coinbase` (20 bytes), `gasLimit`, `number`, `timestamp` (numbers), and, each of which may be missing, `difficulty`, `random`, `baseFee`, `excessBlobGas`, `slotNumber` |
//! | `pre` | accounts by `0x` address: `balance`, `nonce`, `code` and `storage`, a record of numbers by `0x` key |
//! | `transaction` | `nonce`; `to` unless it creates a contract; `sender` or `secretKey`; `gasPrice` or `maxFeePerGas` and `maxPriorityFeePerGas`; `maxFeePerBlobGas`, `blobVersionedHashes`, `authorizationList`, `chainId` where it has them |
//! | `chainId` | the number of the chain |
//! | `blobSchedule` | by fork, `max` and `baseFeeUpdateFraction`; may be missing |
//!
//! # What is set
//!
//! [`Action::Set`](crate::model::case::Action) comes first, once: `fork` (its name), `type` (number), `data` (bytes),
//! `gasLimit` and `value` (numbers), `accessList` (a list of `address` and `storageKeys`, if the transaction has
//! one), and `refusal`: `coinbase` if a refused transaction touches the account of that address, else `nothing`.
//!
//! # Limits
//!
//! An instruction is a unit of `--max-steps`, and each unit of gas that it costs is one more. A unit of gas of a
//! precompiled contract is one to four.

mod engine;
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
mod transaction;
mod world;

pub use machine::{Ethereum, INFO};
pub use table::ETHEREUM;
