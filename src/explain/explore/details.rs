//! The selected line as a whole, and what of it can be copied.

use super::keys::{self, ExplorerCommand, ExplorerKey};

/// What is shown over the panes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExplorerOverlay {
    pub(super) title: String,
    /// The text, in lines that may be longer than the screen is wide.
    pub(super) lines: Vec<String>,
    /// The first line of the screen that is shown.
    pub(super) first: usize,
    pub(super) copies: Vec<DetailsCopy>,
}

/// Something that a key copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DetailsCopy {
    pub(super) key: char,
    pub(super) name: &'static str,
    pub(super) text: String,
}

/// What a key does in it.
pub(super) enum DetailsReaction {
    Stay,
    Close,
    Copy(&'static str, String),
}

impl ExplorerOverlay {
    /// Handles a key; `page` is the number of lines per page.
    pub(super) fn press(&mut self, key: ExplorerKey, page: usize) -> DetailsReaction {
        if let Some(copy) = self.copies.iter().find(|copy| key == ExplorerKey::Char(copy.key)) {
            return DetailsReaction::Copy(copy.name, copy.text.clone());
        }
        self.first = match keys::command(key) {
            Some(ExplorerCommand::Up) => self.first.saturating_sub(1),
            Some(ExplorerCommand::Down) => self.first.saturating_add(1),
            Some(ExplorerCommand::PageUp) => self.first.saturating_sub(page),
            Some(ExplorerCommand::PageDown) => self.first.saturating_add(page),
            _ => return DetailsReaction::Close,
        };
        DetailsReaction::Stay
    }
}
