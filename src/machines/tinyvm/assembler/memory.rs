//! The memory that a source fills word by word.

use std::collections::BTreeMap;

use crate::isa::assembler::{AsmError, AsmWarning, Assembled, SourceWord};
use crate::machines::tinyvm::core::ADDRESSES;

/// The memory so far.
pub(super) struct SegmentMemory {
    words: Vec<u16>,
    lines: BTreeMap<u16, usize>,
    warnings: Vec<AsmWarning>,
    /// The address of the next word.
    pub(super) position: u16,
}

impl SegmentMemory {
    pub(super) fn new() -> SegmentMemory {
        SegmentMemory { words: vec![0; ADDRESSES], lines: BTreeMap::new(), warnings: Vec::new(), position: 0 }
    }

    /// Writes the next word for `command`, and returns its address. Fails if that address was already written.
    pub(super) fn write(&mut self, command: SourceWord<'_>, word: u16) -> Result<u16, AsmError> {
        let address = self.position;
        if let Some(line) = self.lines.get(&address) {
            return Err(command.error(
                format!("the word at 0x{address:04X} is written twice"),
                format!("a place that line {line} did not write"),
            ));
        }
        self.lines.insert(address, command.line);
        self.replace(address, word);
        self.position = address.wrapping_add(1);
        if self.position == 0 {
            self.warn(command, "the memory ends here; the next word is the one at 0x0000");
        }
        Ok(address)
    }

    /// Replaces a word that was written.
    pub(super) fn replace(&mut self, address: u16, word: u16) {
        self.words[usize::from(address)] = word;
    }

    pub(super) fn warn(&mut self, word: SourceWord<'_>, what: impl Into<String>) {
        self.warnings.push(AsmWarning { line: word.line, column: word.column, what: what.into() });
    }

    /// The bytes of a segment file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.words.iter().copied().flat_map(u16::to_be_bytes).collect()
    }

    pub(super) fn assembled(self) -> Assembled {
        Assembled { words: self.words, lines: self.lines, warnings: self.warnings }
    }
}
