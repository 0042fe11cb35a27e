//! Mnemonics to bytes, for any instruction set.
//!
//! One instruction a line: a mnemonic in any case, then its operand. `;` and `//` start a
//! comment. Operands are `0x` hex, decimal, or `@label`; a shorter number is filled up with zeros
//! in front. `name:` sets a label to the offset where it stands. `.byte 0x…` puts bytes in as
//! they are.

use std::collections::HashMap;
use std::fmt;

use num_bigint::BigUint;

use crate::isa::{Isa, OpInfo, Operand};
use crate::json::quoted;
use crate::value::hex_bytes;

/// A line that is no source text, or names what does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsmError {
    /// Line from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
    /// What would have been right.
    pub expected: String,
}

impl fmt::Display for AsmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AsmError { line, column, what, expected } = self;
        write!(f, "{line}:{column}: {what}; expected {expected}")
    }
}

impl std::error::Error for AsmError {}

/// A word of a source line and where it stands.
#[derive(Clone, Copy)]
struct Word<'s> {
    text: &'s str,
    line: usize,
    column: usize,
}

impl Word<'_> {
    fn error(self, what: impl Into<String>, expected: impl Into<String>) -> AsmError {
        AsmError { line: self.line, column: self.column, what: what.into(), expected: expected.into() }
    }
}

/// A label that an operand names, to be filled in when all labels are known.
struct Use<'s> {
    word: Word<'s>,
    at: usize,
    length: usize,
}

/// The program that `source` describes.
///
/// # Errors
///
/// The first line that is wrong.
pub fn assemble(isa: &Isa, source: &str) -> Result<Vec<u8>, AsmError> {
    let mut assembler = Assembler { isa, program: Vec::new(), labels: HashMap::new(), uses: Vec::new() };
    for (index, text) in source.lines().enumerate() {
        assembler.line(&words(text, index + 1))?;
    }
    assembler.finish()
}

/// The words of a line without its comment.
fn words(text: &str, line: usize) -> Vec<Word<'_>> {
    let end = [text.find(';'), text.find("//")].into_iter().flatten().min().unwrap_or(text.len());
    let code = &text[..end];
    code.split_whitespace()
        .map(|word| {
            let offset = word.as_ptr() as usize - text.as_ptr() as usize;
            Word { text: word, line, column: 1 + text[..offset].chars().count() }
        })
        .collect()
}

struct Assembler<'s> {
    isa: &'s Isa,
    program: Vec<u8>,
    labels: HashMap<&'s str, usize>,
    uses: Vec<Use<'s>>,
}

impl<'s> Assembler<'s> {
    fn line(&mut self, words: &[Word<'s>]) -> Result<(), AsmError> {
        let Some((&first, rest)) = words.split_first() else { return Ok(()) };
        if let Some(label) = first.text.strip_suffix(':') {
            return self.label(first, label).and_then(|()| self.line(rest));
        }
        if first.text == ".byte" {
            return rest.iter().try_for_each(|word| self.raw(*word));
        }
        let op = self.isa.by_name(first.text).ok_or_else(|| self.no_such(first))?;
        self.program.push(op.code);
        match (op.operand, rest) {
            (Operand::None, []) => Ok(()),
            (Operand::None, [extra, ..]) => {
                Err(extra.error("too many operands", format!("none after {}", op.name)))
            }
            (Operand::Data(_), []) => Err(first
                .error(format!("{} without its operand", op.name), format!("{} bytes", op.operand.len()))),
            (Operand::Data(_), [operand]) => self.operand(op, *operand),
            (Operand::Data(_), [_, extra, ..]) => {
                Err(extra.error("too many operands", format!("one after {}", op.name)))
            }
        }
    }

    fn label(&mut self, word: Word<'s>, label: &'s str) -> Result<(), AsmError> {
        if label.is_empty() {
            return Err(word.error("a label without a name", "name:"));
        }
        match self.labels.insert(label, self.program.len()) {
            None => Ok(()),
            Some(_) => Err(word.error(format!("label {} is set twice", quoted(label)), "each label once")),
        }
    }

    fn raw(&mut self, word: Word<'s>) -> Result<(), AsmError> {
        let digits = word.text.strip_prefix("0x").unwrap_or(word.text);
        let bytes = hex_bytes(digits).ok_or_else(|| {
            word.error(format!("{} is not bytes", quoted(word.text)), "an even number of hex digits")
        })?;
        self.program.extend(bytes);
        Ok(())
    }

    fn operand(&mut self, op: &OpInfo, word: Word<'s>) -> Result<(), AsmError> {
        let length = op.operand.len();
        let at = self.program.len();
        if word.text.starts_with('@') {
            self.uses.push(Use { word, at, length });
            self.program.resize(at + length, 0);
            return Ok(());
        }
        let (digits, radix) = match word.text.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None => (word.text, 10),
        };
        // A sign or an underscore would be read too.
        let number = digits.chars().all(|digit| digit.is_digit(radix)).then_some(digits);
        let number = number.and_then(|digits| BigUint::parse_bytes(digits.as_bytes(), radix));
        let number = number.ok_or_else(|| {
            word.error(format!("{} is not a number", quoted(word.text)), "0x hex, decimal or @label")
        })?;
        let bytes = padded(&number, length).ok_or_else(|| {
            word.error(format!("{} is too large", quoted(word.text)), format!("at most {length} bytes"))
        })?;
        self.program.extend(bytes);
        Ok(())
    }

    fn no_such(&self, word: Word<'_>) -> AsmError {
        word.error(
            format!("no instruction {}", quoted(word.text)),
            format!("a mnemonic of {0} (vmconf isa {0} lists them)", self.isa.machine),
        )
    }

    fn finish(mut self) -> Result<Vec<u8>, AsmError> {
        for Use { word, at, length } in self.uses {
            let offset = self.labels.get(&word.text[1..]).ok_or_else(|| {
                word.error(format!("no label {}", quoted(&word.text[1..])), "a line that sets it")
            })?;
            let bytes = padded(&BigUint::from(*offset), length).ok_or_else(|| {
                word.error(format!("offset {offset} does not fit"), format!("at most {length} bytes"))
            })?;
            self.program[at..at + length].copy_from_slice(&bytes);
        }
        Ok(self.program)
    }
}

/// The number in `length` bytes, most significant first.
fn padded(number: &BigUint, length: usize) -> Option<Vec<u8>> {
    let bytes = if *number == BigUint::ZERO { Vec::new() } else { number.to_bytes_be() };
    let zeros = length.checked_sub(bytes.len())?;
    Some([vec![0; zeros], bytes].concat())
}
