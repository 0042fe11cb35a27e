//! Restores the order of files and cases for results that threads produce out of order.

use std::collections::VecDeque;
use std::sync::Arc;

use super::judged_case::JudgedCase;
use super::load::LoadedFile;

/// A result of a thread.
pub(super) enum FinishedCases<'s> {
    /// The file at this index is loaded, and the given judged cases are its first ones.
    File(usize, Arc<LoadedFile<'s>>, Vec<JudgedCase>),
    /// Consecutive cases are done: the index of their file, the index of the first case in the file, the judged cases.
    Cases(usize, usize, Vec<JudgedCase>),
}

/// The next result in order.
#[allow(clippy::large_enum_variant, reason = "it is kept only after an interrupt")]
pub(super) enum NextCase<'s> {
    /// A file is loaded.
    File(Arc<LoadedFile<'s>>),
    /// The case at this index of the file is done.
    Case(Arc<LoadedFile<'s>>, usize, JudgedCase),
    /// All cases of the file are done.
    FileDone,
}

/// A file and its judged cases.
#[derive(Default)]
struct OrderSlot<'s> {
    file: Option<Arc<LoadedFile<'s>>>,
    /// How many of its cases were emitted.
    emitted: usize,
    /// The judged cases after the emitted ones; `None` for one that is not done.
    judged: VecDeque<Option<JudgedCase>>,
}

/// Buffers results that arrive too early.
#[derive(Default)]
pub(super) struct ResultOrder<'s> {
    /// The files that are not completely emitted.
    files: VecDeque<OrderSlot<'s>>,
    /// How many files are completely emitted.
    done: usize,
    /// Whether the first file itself was emitted.
    is_begun: bool,
}

impl<'s> ResultOrder<'s> {
    pub(super) fn add(&mut self, finished: FinishedCases<'s>) {
        match finished {
            FinishedCases::File(number, file, judged) => {
                let slot = self.slot(number);
                slot.file = Some(file);
                if !judged.is_empty() {
                    slot.judged = judged.into_iter().map(Some).collect();
                }
            }
            FinishedCases::Cases(number, first, judged) => {
                let slot = self.slot(number);
                let first = first - slot.emitted;
                let end = first + judged.len();
                if slot.judged.len() < end {
                    slot.judged.resize_with(end, || None);
                }
                slot.judged.range_mut(first..end).zip(judged).for_each(|(place, it)| *place = Some(it));
            }
        }
    }

    /// The slot of the file at this index.
    fn slot(&mut self, number: usize) -> &mut OrderSlot<'s> {
        let place = number - self.done;
        if self.files.len() <= place {
            self.files.resize_with(place + 1, OrderSlot::default);
        }
        &mut self.files[place]
    }

    /// After an interrupt, all results that are left, in order. Others are missing between them: cases that are not
    /// finished, and files that are not loaded.
    pub(super) fn rest(mut self) -> Vec<NextCase<'s>> {
        let mut rest = Vec::new();
        for OrderSlot { file, emitted, judged } in self.files {
            let is_begun = std::mem::take(&mut self.is_begun);
            let Some(file) = file else { continue };
            if !is_begun {
                rest.push(NextCase::File(file.clone()));
            }
            let finished = (emitted..).zip(judged);
            let finished = finished.filter_map(|(index, judged)| Some((index, judged?)));
            rest.extend(finished.map(|(index, judged)| NextCase::Case(file.clone(), index, judged)));
            rest.push(NextCase::FileDone);
        }
        rest
    }

    /// The next result that can be emitted, if there is one.
    pub(super) fn next(&mut self) -> Option<NextCase<'s>> {
        let slot = self.files.front_mut()?;
        let file = slot.file.as_ref()?;
        if !self.is_begun {
            self.is_begun = true;
            return Some(NextCase::File(file.clone()));
        }
        if slot.emitted == file.cases() {
            self.files.pop_front();
            self.done += 1;
            self.is_begun = false;
            return Some(NextCase::FileDone);
        }
        let judged = slot.judged.front_mut()?.take()?;
        slot.judged.pop_front();
        slot.emitted += 1;
        Some(NextCase::Case(file.clone(), slot.emitted - 1, judged))
    }
}
