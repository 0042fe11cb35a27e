//! What the processes of a machine do wrong outside of requests: lines that answer nothing, and ends that no request
//! causes.

use std::sync::Mutex;

use super::conversation::Conversation;
use crate::model::{Breakdown, Diagnostic, lock};

/// What the processes of a machine did wrong.
#[derive(Default)]
pub(super) struct Misconduct(Mutex<SeenMisconduct>);

#[derive(Default)]
struct SeenMisconduct {
    /// The first of each kind.
    wrote: Option<String>,
    ended: Option<String>,
    /// How many there are.
    count: u64,
}

impl Misconduct {
    /// Adds what a process wrote that answers nothing.
    pub(super) fn add_stray(&self, conversation: &Conversation) {
        let Some(stray) = conversation.take_stray() else { return };
        let mut seen = lock(&self.0);
        seen.count += 1 + stray.more;
        seen.wrote.get_or_insert(format!("wrote {}", stray.first));
    }

    /// Adds the end of a process that broke down without a request.
    pub(super) fn add_end(&self, breakdown: &Breakdown) {
        let mut seen = lock(&self.0);
        seen.count += 1;
        seen.ended.get_or_insert_with(|| breakdown.clause());
    }

    /// All that was added since the last call.
    pub(super) fn take(&self) -> Option<Diagnostic> {
        let SeenMisconduct { wrote, ended, count } = std::mem::take(&mut *lock(&self.0));
        let what: Vec<_> = wrote.into_iter().chain(ended).collect();
        let more = count - what.len() as u64;
        let more = if more > 0 { format!(" ({more} more like this)") } else { String::new() };
        (!what.is_empty()).then(|| {
            let what = format!("the machine {}{more}", what.join(", and "));
            Diagnostic::new(what)
                .expected("one line for each request, and an end with exit code 0 after the last")
        })
    }
}
