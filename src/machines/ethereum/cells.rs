//! The kinds of cells, as traces and blame write them. Those of memories are in `effects.rs`.

/// A word of an account's storage.
pub(super) const STORAGE: &str = "storage";
/// A word of an account's transient storage.
pub(super) const TRANSIENT_STORAGE: &str = "transient storage";
/// Whether an account exists.
pub(super) const ACCOUNT: &str = "account";
/// The balance of an account.
pub(super) const BALANCE: &str = "balance";
/// The nonce of an account.
pub(super) const NONCE: &str = "nonce";
/// The code of an account.
pub(super) const CODE: &str = "code";
/// The log entries.
pub(super) const LOGS: &str = "logs";
/// What the outermost frame returns.
pub(super) const OUTPUT: &str = "output";
/// What the last frame returned to the running one.
pub(super) const RETURN_DATA: &str = "return data";
/// The input of a frame, by its number.
pub(super) const INPUT: &str = "input of frame";
