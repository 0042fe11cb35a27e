//! Putting what threads finish back in the order of files and cases.

use std::collections::VecDeque;
use std::sync::Arc;

use super::CaseOutcome;
use super::load::LoadedFile;
use super::pool::Message;

/// What is known of a file.
#[derive(Default)]
struct Slot<'s> {
    loaded: Option<Arc<LoadedFile<'s>>>,
    judged: Vec<Option<Box<CaseOutcome>>>,
}

/// What comes next in order.
pub(super) enum Done<'s> {
    /// A file was opened.
    LoadedFile(Arc<LoadedFile<'s>>),
    /// A case of it is done.
    Case(Box<CaseOutcome>),
    /// All of its cases are done.
    File,
}

/// Holds what came too early.
pub(super) struct Order<'s> {
    /// The files that are not told to their end.
    files: VecDeque<Slot<'s>>,
    /// How many files are.
    done: usize,
    /// How far the first file is told: not at all, or so many cases.
    told: Option<usize>,
}

impl<'s> Order<'s> {
    pub(super) fn new(files: usize) -> Order<'s> {
        Order { files: (0..files).map(|_| Slot::default()).collect(), done: 0, told: None }
    }

    pub(super) fn add(&mut self, message: Message<'s>) {
        match message {
            Message::LoadedFile(file, loaded) => self.files[file - self.done].loaded = Some(loaded),
            Message::CaseOutcome(file, case, judged) => {
                let slot = &mut self.files[file - self.done];
                if slot.judged.len() <= case {
                    slot.judged.resize_with(case + 1, || None);
                }
                slot.judged[case] = Some(judged);
            }
        }
    }

    /// What can be told now.
    pub(super) fn next(&mut self) -> Option<Done<'s>> {
        let slot = self.files.front_mut()?;
        let loaded = slot.loaded.as_ref()?;
        match self.told {
            None => {
                self.told = Some(0);
                Some(Done::LoadedFile(loaded.clone()))
            }
            Some(told) if told == loaded.cases() => {
                self.files.pop_front();
                self.done += 1;
                self.told = None;
                Some(Done::File)
            }
            Some(told) => {
                let judged = slot.judged.get_mut(told)?.take()?;
                self.told = Some(told + 1);
                Some(Done::Case(judged))
            }
        }
    }
}
