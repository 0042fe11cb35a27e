//! A list of cases, one of which is to be opened.

use super::keys::ExplorerKey;
use super::list::{ListPlace, ListReaction, PlaceList};
use crate::model::counted;

/// The keys of the list, and what they do.
pub(super) const PICKER_KEYS: &[(&str, &str)] = &[
    ("up, down, page up, page down, home, end", "select a case"),
    ("enter", "open it"),
    ("/", "go to the next case whose id has the text that follows"),
    ("q, escape", "quit"),
];

/// The list, and its selected case.
pub struct CasePicker {
    pub(super) list: PlaceList,
    /// The number of lines per page.
    pub(super) page: usize,
    pub(super) mode: PickerMode,
    /// What is in the list.
    title: String,
}

/// What the next key is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PickerMode {
    /// The list.
    List,
    /// The help, which any key closes.
    Help,
    /// A text that is searched, so far.
    Search(String),
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
        let list = PlaceList { title: String::new(), lines: lines.collect(), selected: 0 };
        let title = format!("{}{omitted}", counted(ids.len(), "case"));
        let mut picker = CasePicker { list, page: 10, mode: PickerMode::List, title };
        picker.enter(PickerMode::List);
        picker
    }

    /// Handles a key. Only q and escape leave the list.
    pub fn press(&mut self, key: ExplorerKey) -> PickReaction {
        match std::mem::replace(&mut self.mode, PickerMode::List) {
            PickerMode::List => return self.listed(key),
            PickerMode::Help => self.enter(PickerMode::List),
            PickerMode::Search(text) => self.typed(key, text),
        }
        PickReaction::Stay
    }

    fn listed(&mut self, key: ExplorerKey) -> PickReaction {
        match self.list.press(key, self.page) {
            ListReaction::Close => return PickReaction::Leave,
            ListReaction::Go(ListPlace::Case(index)) => return PickReaction::Open(index),
            ListReaction::Other if key == ExplorerKey::Char('?') => self.enter(PickerMode::Help),
            ListReaction::Other if key == ExplorerKey::Char('/') => {
                self.enter(PickerMode::Search(String::new()));
            }
            ListReaction::Stay
            | ListReaction::Other
            | ListReaction::Go(ListPlace::Assertion(_) | ListPlace::Instruction(_) | ListPlace::State(_)) => {
            }
        }
        PickReaction::Stay
    }

    fn typed(&mut self, key: ExplorerKey, mut text: String) {
        match key {
            ExplorerKey::Char(character) => text.push(character),
            ExplorerKey::Backspace => drop(text.pop()),
            ExplorerKey::Enter | ExplorerKey::Esc => return self.enter(PickerMode::List),
            _ => {}
        }
        self.select(&text);
        self.enter(PickerMode::Search(text));
    }

    /// Selects the next case with this text in its id, from the selected one on; after the last one, the first.
    fn select(&mut self, text: &str) {
        let (lines, from) = (&self.list.lines, self.list.selected);
        let found = (from..lines.len()).chain(0..from).find(|index| lines[*index].0.contains(text));
        self.list.selected = found.unwrap_or(from);
    }

    fn enter(&mut self, mode: PickerMode) {
        let hint = match &mode {
            PickerMode::List | PickerMode::Help => "? shows the keys".to_owned(),
            PickerMode::Search(text) => format!("/{text}"),
        };
        self.list.title = format!("{}; {hint}", self.title);
        self.mode = mode;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picker() -> CasePicker {
        let ids = ["a.json::add", "a.json::sub", "b.json::subtract"];
        CasePicker::new(&ids.map(str::to_owned), "")
    }

    #[test]
    fn only_two_keys_leave_the_list() {
        for character in ('!'..='~').filter(|it| *it != 'q') {
            let mut picker = picker();
            assert_eq!(picker.press(ExplorerKey::Char(character)), PickReaction::Stay, "{character}");
        }
        let mut picker = picker();
        for key in [ExplorerKey::Tab, ExplorerKey::Left, ExplorerKey::Right, ExplorerKey::Backspace] {
            assert_eq!(picker.press(key), PickReaction::Stay, "{key:?}");
        }
        assert_eq!(picker.press(ExplorerKey::Enter), PickReaction::Open(0));
        for key in [ExplorerKey::Char('q'), ExplorerKey::Esc] {
            assert_eq!(picker.press(key), PickReaction::Leave, "{key:?}");
        }
    }

    #[test]
    fn a_text_selects_the_next_id_that_has_it() {
        let mut picker = picker();
        let mut press = |key| {
            assert_eq!(picker.press(key), PickReaction::Stay);
            (picker.list.selected, picker.list.title.clone())
        };
        // What is typed is no command.
        for (character, selected) in [('/', 0), ('q', 0)] {
            assert_eq!(press(ExplorerKey::Char(character)).0, selected);
        }
        press(ExplorerKey::Esc);
        for (character, selected) in [('/', 0), ('s', 0), ('u', 1), ('b', 1), ('t', 2)] {
            assert_eq!(press(ExplorerKey::Char(character)).0, selected, "{character}");
        }
        press(ExplorerKey::Enter);
        press(ExplorerKey::Char('/'));
        assert_eq!(press(ExplorerKey::Char('d')), (0, "3 cases; /d".to_owned()));
        press(ExplorerKey::Enter);
        assert_eq!(picker.press(ExplorerKey::Enter), PickReaction::Open(0));
    }

    #[test]
    fn any_key_closes_the_help() {
        let mut picker = picker();
        picker.press(ExplorerKey::Char('?'));
        assert_eq!(picker.mode, PickerMode::Help);
        assert_eq!(picker.press(ExplorerKey::Char('q')), PickReaction::Stay);
        assert_eq!(picker.mode, PickerMode::List);
    }
}
