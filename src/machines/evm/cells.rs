//! The kinds of cells, as traces and blame write them.

/// A word of the executing account's storage, by its key.
pub(super) const STORAGE: &str = "storage";
/// Bytes of memory.
pub(super) const MEMORY: &str = "memory";
/// What the frame returns.
pub(super) const OUTPUT: &str = "output";
/// The list of log entries.
pub(super) const LOGS: &str = "logs";
/// A log entry, by its number.
pub(super) const LOG: &str = "log";
/// The list of recorded calls.
pub(super) const CALLS: &str = "calls";
/// A recorded call, by its number.
pub(super) const CALL: &str = "call";
/// An account without its balance, by its address.
pub(super) const ACCOUNT: &str = "account";
/// The balance of an account, by its address.
pub(super) const BALANCE: &str = "balance";
