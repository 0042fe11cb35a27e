//! Messages to a thread.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::model::lock;

/// Messages to a thread, which takes all of them together.
///
/// A thread is woken after the lock is released, and only if it waits: one that waits at a channel of the standard
/// library falls asleep once more at a lock that its waker holds.
pub(super) struct Mailbox<T> {
    mail: Mutex<Mail<T>>,
    arrived: Condvar,
}

struct Mail<T> {
    messages: Vec<T>,
    is_closed: bool,
    is_awaited: bool,
}

/// Why there is no message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoMail {
    /// There will be no more.
    Closed,
    /// None came in time.
    Late,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Mailbox<T> {
        let mail = Mail { messages: Vec::new(), is_closed: false, is_awaited: false };
        Mailbox { mail: Mutex::new(mail), arrived: Condvar::new() }
    }
}

impl<T> Mailbox<T> {
    /// Adds a message, which the thread finds when it wakes; drops it if the mailbox is closed.
    pub(super) fn add(&self, message: T) {
        let mut mail = lock(&self.mail);
        if !mail.is_closed {
            mail.messages.push(message);
        }
    }

    /// Wakes the thread.
    pub(super) fn wake(&self) {
        // The lock is released here.
        let is_awaited = std::mem::take(&mut lock(&self.mail).is_awaited);
        if is_awaited {
            self.arrived.notify_one();
        }
    }

    /// Takes no more messages.
    pub(super) fn close(&self) {
        lock(&self.mail).is_closed = true;
        self.wake();
    }

    /// The messages that are there. If there are none, waits for at most this time. The error says why there are
    /// none.
    pub(super) fn take(&self, patience: Duration) -> Result<Vec<T>, NoMail> {
        let waited = self.arrived.wait_timeout_while(lock(&self.mail), patience, |mail| {
            mail.is_awaited = mail.messages.is_empty() && !mail.is_closed;
            mail.is_awaited
        });
        let (mut mail, _) = waited.unwrap_or_else(PoisonError::into_inner);
        mail.is_awaited = false;
        match std::mem::take(&mut mail.messages) {
            messages if !messages.is_empty() => Ok(messages),
            _ if mail.is_closed => Err(NoMail::Closed),
            _ => Err(NoMail::Late),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn messages_are_taken_together_and_those_before_the_end_are_not_lost() {
        let mailbox = Mailbox::default();
        assert_eq!(mailbox.take(Duration::ZERO), Err(NoMail::Late));
        mailbox.add(1);
        mailbox.add(2);
        mailbox.close();
        mailbox.add(3);
        assert_eq!(mailbox.take(Duration::MAX), Ok(vec![1, 2]));
        assert_eq!(mailbox.take(Duration::MAX), Err(NoMail::Closed));
    }

    #[test]
    fn a_thread_that_waits_is_woken() {
        let mailbox = Mailbox::default();
        thread::scope(|scope| {
            let taken = scope.spawn(|| [mailbox.take(Duration::MAX), mailbox.take(Duration::MAX)]);
            mailbox.add(1);
            mailbox.wake();
            while lock(&mailbox.mail).messages == [1] {
                thread::yield_now();
            }
            mailbox.close();
            assert_eq!(taken.join().expect("no panic"), [Ok(vec![1]), Err(NoMail::Closed)]);
        });
    }
}
