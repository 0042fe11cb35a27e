//! Changes of files, as the file system reports them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use notify::EventKind;

/// Changes are complete after this time without another change, since editors write in several steps.
const QUIET: Duration = Duration::from_millis(100);

/// Changes that continue are treated as complete after this time.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// A message from another thread.
#[derive(Debug)]
pub(super) enum Message {
    /// A file changed, or a folder with everything in it.
    Changed(PathBuf),
    /// Events were lost: anything may have changed.
    Lost,
    /// Ctrl-C.
    Interrupted,
}

/// Forwards the events of the file system. Read events are ignored, since vmconf itself reads the files.
pub(super) fn forward(event: notify::Result<notify::Event>, sender: &Sender<Message>) {
    let messages: Vec<_> = match event {
        Ok(event) if event.need_rescan() => vec![Message::Lost],
        Ok(notify::Event { kind: EventKind::Access(_), .. }) => Vec::new(),
        Ok(event) => event.paths.into_iter().map(Message::Changed).collect(),
        Err(error) => {
            note!("note: --watch: {error}");
            vec![Message::Lost]
        }
    };
    for message in messages {
        // Sending fails only if the process is about to end.
        let _ = sender.send(message);
    }
}

/// The changes since the last run.
#[derive(Debug, Default)]
pub(super) struct FolderChanges {
    paths: BTreeSet<PathBuf>,
    is_lost: bool,
}

impl FolderChanges {
    /// Waits for changes of relevant files until they are complete. Returns false after Ctrl-C.
    pub(super) fn wait(&mut self, receiver: &Receiver<Message>, is_relevant: impl Fn(&Path) -> bool) -> bool {
        let mut message = loop {
            match receiver.recv() {
                Ok(Message::Changed(path)) if !is_relevant(&path) => {}
                Ok(message) => break message,
                Err(_) => return false,
            }
        };
        let start = Instant::now();
        loop {
            match message {
                Message::Changed(path) if !is_relevant(&path) => {}
                Message::Changed(path) => drop(self.paths.insert(path)),
                Message::Lost => self.is_lost = true,
                Message::Interrupted => return false,
            }
            if start.elapsed() >= MAX_WAIT {
                return true;
            }
            match receiver.recv_timeout(QUIET) {
                Ok(next) => message = next,
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Whether the file may have changed, appeared or disappeared. It counts as unchanged from then on.
    pub(super) fn take(&mut self, file: &Path) -> bool {
        self.paths.remove(file)
    }

    /// Whether the file, or a folder that contains it, may have changed.
    pub(super) fn has(&self, file: &Path) -> bool {
        self.is_lost || file.ancestors().any(|path| self.paths.contains(path))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::sync::mpsc;

    use super::{FolderChanges, Message};

    /// All events of one save by an editor, from a temporary file to the last attribute, are one change.
    #[test]
    fn several_writes_are_one_change() {
        let (sender, receiver) = mpsc::channel();
        for path in ["/a/4913", "/a/x.json~", "/a/x.json", "/a/x.json", "/a/.x.swp"] {
            sender.send(Message::Changed(path.into())).unwrap();
        }
        let mut changes = FolderChanges::default();
        assert!(changes.wait(&receiver, |_| true));
        assert_eq!(changes.paths.len(), 4);
        assert!(changes.has("/a/x.json".as_ref()) && !changes.has("/a/y.json".as_ref()));
        assert!(receiver.try_recv().is_err());
        // A changed folder covers everything in it.
        sender.send(Message::Changed("/b".into())).unwrap();
        assert!(changes.wait(&receiver, |_| true));
        assert!(changes.has("/b/c/d.json".as_ref()) && !changes.has("/bc.json".as_ref()));
        sender.send(Message::Lost).unwrap();
        assert!(changes.wait(&receiver, |_| true) && changes.has("/elsewhere".as_ref()));
        // An irrelevant change is no change, and does not delay the others.
        sender.send(Message::Changed("/elsewhere/noise".into())).unwrap();
        sender.send(Message::Changed("/b/c".into())).unwrap();
        let mut changes = FolderChanges::default();
        assert!(changes.wait(&receiver, |path| path.starts_with("/b")));
        assert!(changes.has("/b/c".as_ref()) && !changes.has("/elsewhere/noise".as_ref()));
        sender.send(Message::Interrupted).unwrap();
        assert!(!changes.wait(&receiver, |_| true));
    }
}
