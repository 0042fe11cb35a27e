//! What all parts of a conversation share.

use std::time::Duration;

/// How long a process may take to end after its pipes are closed, and its pipes to close after it has ended.
pub(super) const PATIENCE: Duration = Duration::from_millis(300);

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswerReason {
    /// The output of the process ended.
    Closed,
    /// The process broke the protocol.
    Broke(String),
    /// There was no answer within this time.
    Late(Duration),
    /// The run was interrupted.
    Interrupted,
}
