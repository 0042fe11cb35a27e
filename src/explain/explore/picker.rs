//! A list of cases, one of which is to be opened.

use super::keys::ExplorerKey;
use super::list::{ListPlace, ListReaction, PlaceList};

/// The list, and its selected case.
pub struct CasePicker {
    pub(super) list: PlaceList,
    /// The number of lines per page.
    pub(super) page: usize,
}

/// What a key does in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PickReaction {
    /// It stays.
    Stay,
    /// The user wants none of them.
    Leave,
    /// The user wants the case with this index.
    Open(usize),
}

impl CasePicker {
    /// A list of these ids; `omitted` says what it does not have.
    pub fn new(ids: &[String], omitted: &str) -> CasePicker {
        let lines = ids.iter().enumerate().map(|(index, id)| (id.clone(), ListPlace::Case(index)));
        let title = format!("{} cases{omitted}", ids.len());
        CasePicker { list: PlaceList { title, lines: lines.collect(), selected: 0 }, page: 10 }
    }

    /// Handles a key.
    pub fn press(&mut self, key: ExplorerKey) -> PickReaction {
        match self.list.press(key, self.page) {
            ListReaction::Stay => PickReaction::Stay,
            ListReaction::Go(ListPlace::Case(index)) => PickReaction::Open(index),
            ListReaction::Close
            | ListReaction::Go(ListPlace::Assertion(_) | ListPlace::Instruction(_) | ListPlace::State(_)) => {
                PickReaction::Leave
            }
        }
    }
}
