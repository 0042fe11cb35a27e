//! The state formatted for people: stack, storage of the executing account, memory.

use super::cells;
use super::machine::Evm;
use crate::machines::inspect::Inspect;
use crate::machines::record::word_value;
use crate::machines::view::{Section, ViewDatum, ViewRow};
use crate::model::{Cell, Path, number_key};

impl Evm {
    pub(super) fn view(&self) -> Vec<Section> {
        let path = |below| Path::field("stack").child(self.height - 1 - below);
        let number = |name: &str, number: u64| ViewRow::new(name, number.to_string(), None);
        let counts = [
            number("gas", self.gas),
            number("refund", self.context.refund),
            number("logs", self.context.logs.len() as u64),
            number("calls", self.context.calls.len() as u64),
        ];
        let words = self.context.storage.iter().map(|(key, word)| {
            let key = number_key(&key.to_be_bytes_vec());
            let cell = Cell::named(cells::STORAGE, key.clone());
            ViewRow::new(key, word_value(*word).to_string(), Some(ViewDatum::In(cell)))
        });
        vec![
            Section::of("status", counts),
            Section::stack(self.height, |below| self.item(below), path),
            Section::of("storage", words),
            Section::memory("memory", Some(cells::MEMORY), self.context.memory.bytes()),
        ]
    }
}
