//! What a process writes to standard error.

use std::collections::VecDeque;
use std::io::Read;
use std::process::ChildStderr;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread;

use super::trouble::PATIENCE;
use crate::model::{Breakdown, lock};

/// How much of the start is kept, in bytes.
const MAX_HEAD: usize = 8 << 10;

/// How much of the end is kept, in bytes.
const MAX_TAIL: usize = 56 << 10;

/// The start and the end of what a process writes to standard error.
pub(super) struct Stderr {
    kept: Arc<Mutex<KeptBytes>>,
    /// Closes at the end of the stream.
    end: Mutex<Receiver<()>>,
}

#[derive(Default)]
struct KeptBytes {
    head: Vec<u8>,
    /// What follows the head, without the bytes that are left out.
    tail: VecDeque<u8>,
    /// How many bytes between them are left out.
    left_out: usize,
}

impl KeptBytes {
    fn add(&mut self, bytes: &[u8]) {
        let (head, tail) = bytes.split_at(bytes.len().min(MAX_HEAD - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(tail);
        let more = self.tail.len().saturating_sub(MAX_TAIL);
        self.tail.drain(..more);
        self.left_out += more;
    }

    fn text(&self) -> String {
        let head = String::from_utf8_lossy(&self.head);
        let tail: Vec<_> = self.tail.iter().copied().collect();
        let tail = String::from_utf8_lossy(&tail);
        match self.left_out {
            0 => format!("{head}{tail}"),
            bytes => format!("{head}\n{}\n{tail}", Breakdown::bytes_left_out(bytes)),
        }
    }
}

impl Stderr {
    pub(super) fn collect(mut pipe: ChildStderr) -> Stderr {
        let kept = Arc::new(Mutex::new(KeptBytes::default()));
        let (sender, end) = mpsc::channel();
        let collected = kept.clone();
        thread::spawn(move || {
            let mut bytes = vec![0; 1 << 13];
            while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                lock(&collected).add(&bytes[..count]);
            }
            drop(sender);
        });
        Stderr { kept, end: Mutex::new(end) }
    }

    pub(super) fn clear(&self) {
        *lock(&self.kept) = KeptBytes::default();
    }

    /// What the process, which has ended, wrote since the last request.
    pub(super) fn text(&self) -> String {
        let _ = lock(&self.end).recv_timeout(PATIENCE);
        lock(&self.kept).text()
    }
}
