//! Shows the selected line as a whole, and copies what of it the user wants.

use super::details::{DetailsCopy, DetailsReaction, ExplorerOverlay};
use super::keys::ExplorerKey;
use super::state::StateLine;
use super::{Explorer, ExplorerMode, Pane, id_text};
use crate::model::escaped;
use crate::text::shell::ShellWords;

/// The most bytes that terminals take into the clipboard.
const MAX_COPIED: usize = 74_994;

impl Explorer {
    pub(super) fn detailed(&mut self, key: ExplorerKey, mut details: ExplorerOverlay) {
        match details.press(key, self.page) {
            DetailsReaction::Stay => self.mode = ExplorerMode::Details(details),
            DetailsReaction::Close => {}
            DetailsReaction::Copy(name, text) if text.len() > MAX_COPIED => {
                self.message = format!("the {name} is too long to be copied: {} bytes", text.len());
            }
            DetailsReaction::Copy(name, text) => {
                self.message = format!("copied, if the terminal allows it: the {name}");
                self.copied = Some(text);
            }
        }
    }

    pub(super) fn show_details(&mut self) {
        let step = self.recording.now().step();
        let copy = |key, name, text| DetailsCopy { key, name, text };
        let mut copies = vec![copy('y', "command", self.command_to_here())];
        if !self.id.is_empty() {
            copies.push(copy('i', "id of the case", self.id.clone()));
        }
        let mut lines = Vec::new();
        let mut title = "this line".to_owned();
        match (self.pane, self.state.get(self.selected_state)) {
            (Pane::Code, _) => {
                let line = self.code.lines.get(self.selected_code);
                let text =
                    line.map_or(String::new(), |it| format!("{}  {}", it.line.label, escaped(&it.line.text)));
                copies.push(copy('v', "instruction", text.clone()));
                lines.push(text);
            }
            (Pane::State, Some(StateLine::Row { row, datum, .. })) => {
                title = id_text(&datum.id);
                let value = escaped(row.whole.as_ref().unwrap_or(&row.value)).into_owned();
                lines.push(format!("{}: {value}", escaped(&row.name)));
                if let Some(demanded) = self.demands.of(step, &datum.id) {
                    lines.push(format!("demanded: {}", escaped(demanded)));
                }
                copies.extend([copy('v', "value", value), copy('d', "name of the datum", title.clone())]);
            }
            (Pane::State, Some(StateLine::Heading(heading))) => lines.push(escaped(heading).into_owned()),
            (Pane::State, Some(StateLine::LeftOut(_)) | None) => {}
        }
        lines.push(String::new());
        lines.extend(copies.iter().map(|it| match it.key {
            'y' => format!("y copies the command that opens this: {}", it.text),
            key => format!("{key} copies the {}", it.name),
        }));
        self.mode = ExplorerMode::Details(ExplorerOverlay { title, lines, first: 0, copies });
    }

    /// The command that opens the run where it is shown, with the datum that is selected.
    fn command_to_here(&self) -> String {
        let step = self.recording.now().step().to_string();
        let mut words = vec!["--at".to_owned(), step];
        words.extend(self.datum.iter().flat_map(|datum| ["--datum".to_owned(), id_text(&datum.id)]));
        format!("vmconf explore{}", self.command.clone().and(ShellWords::from_iter(words)))
    }
}
