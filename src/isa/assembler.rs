//! Mnemonics to bytes, for any instruction set.
//!
//! One instruction per line: a mnemonic in upper or lower case, then its operands. `;` and `//` start a
//! comment. Operands are `0x` hex, decimal, or `@label`; a short number is padded with zeros, and data with a
//! length prefix is written as hex digits without the length. `name:` sets a label to the current offset; as
//! an operand relative to its instruction, a label stands for the distance to it. `.byte 0x…` inserts bytes
//! as they are.
//!
//! A machine may have its own language instead; the type of its result is here, too.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use num_bigint::{BigInt, BigUint, Sign};

use super::{ImmediateOperand, Isa};
use crate::model::{counted, hex_bytes, without_bom};
use crate::text::json::quoted;
use crate::text::number::integer;

/// An invalid line, or a line that names an unknown instruction or label.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {what}; expected {expected}")]
pub struct AsmError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
    /// What was expected instead.
    pub expected: String,
}

/// The maximum number of errors that are kept; the rest of the source is not read.
pub const MAX_ERRORS: usize = 1000;

/// The errors of a source, in the order of its lines: at least one, and at most [`MAX_ERRORS`]. Displayed in a line each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct AsmErrors(Vec<AsmError>);

impl AsmErrors {
    /// The first one.
    pub fn first(&self) -> &AsmError {
        &self.0[0]
    }

    /// All of them.
    pub fn all(&self) -> &[AsmError] {
        &self.0
    }
}

/// The errors found so far.
#[derive(Debug, Default)]
pub(crate) struct ErrorList(Vec<AsmError>);

impl ErrorList {
    /// Adds the error, if the result is one.
    pub(crate) fn add(&mut self, result: Result<(), AsmError>) {
        if !self.is_full() {
            self.0.extend(result.err());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.0.len() == MAX_ERRORS
    }

    /// The value, if there are no errors.
    pub(crate) fn or<T>(mut self, value: T) -> Result<T, AsmErrors> {
        self.0.sort_by_key(|error| (error.line, error.column));
        if self.0.is_empty() { Ok(value) } else { Err(AsmErrors(self.0)) }
    }
}

/// Something in a source that is valid, but probably a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsmWarning {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What happens there.
    pub what: String,
}

impl fmt::Display for AsmWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AsmWarning { line, column, what } = self;
        write!(f, "{line}:{column}: warning: {what}")
    }
}

/// The result of assembling a source for a machine whose memory consists of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    /// The whole memory; what the source does not write is 0.
    pub words: Vec<u16>,
    /// The line, from 1, that wrote the word at an address; no entry for words that no line writes.
    pub lines: BTreeMap<u16, usize>,
    /// In the order in which they were found.
    pub warnings: Vec<AsmWarning>,
}

/// A part of a source line and its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceWord<'s> {
    pub(crate) text: &'s str,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl<'s> SourceWord<'s> {
    /// The word for `text`, which is a slice of its text.
    pub(crate) fn part(self, text: &'s str) -> SourceWord<'s> {
        let offset = text.as_ptr() as usize - self.text.as_ptr() as usize;
        SourceWord { text, line: self.line, column: self.column + self.text[..offset].chars().count() }
    }

    /// An error at this place.
    pub(crate) fn error(self, what: impl Into<String>, expected: impl Into<String>) -> AsmError {
        AsmError { line: self.line, column: self.column, what: what.into(), expected: expected.into() }
    }
}

/// A label that an operand names, to be filled in when all labels are known.
struct LabelUse<'s> {
    word: SourceWord<'s>,
    operand: ImmediateOperand,
    /// The offsets of the operand and of its instruction.
    at: usize,
    start: usize,
}

/// The program that `source` describes, which can start with a byte order mark. An error has the first error of each
/// line. Distances between labels are checked only if every line is valid, since invalid lines have no length.
pub fn assemble(isa: &Isa, source: &str) -> Result<Vec<u8>, AsmErrors> {
    let mut assembler = BytesAssembler { isa, program: Vec::new(), labels: HashMap::new(), uses: Vec::new() };
    let mut errors = ErrorList::default();
    for (index, text) in without_bom(source).lines().enumerate() {
        errors.add(assembler.line(&words(text, index + 1)));
        if errors.is_full() {
            return errors.or(Vec::new());
        }
    }
    let is_complete = errors.is_empty();
    for usage in std::mem::take(&mut assembler.uses) {
        let label = assembler.label_of(&usage);
        errors.add(match label {
            Ok(label) if is_complete => assembler.fill(&usage, label),
            label => label.map(drop),
        });
    }
    errors.or(assembler.program)
}

/// The words of a line without its comment.
fn words(text: &str, line: usize) -> Vec<SourceWord<'_>> {
    let end = [text.find(';'), text.find("//")].into_iter().flatten().min().unwrap_or(text.len());
    // Columns are counted on from the previous word, since a line may be as long as the whole source.
    let mut rest = SourceWord { text: &text[..end], line, column: 1 };
    let place = |word: &'_ str| {
        let offset = word.as_ptr() as usize - rest.text.as_ptr() as usize;
        let column = rest.column + rest.text[..offset].chars().count();
        rest = SourceWord { text: &rest.text[offset..], line, column };
        SourceWord { text: &rest.text[..word.len()], line, column }
    };
    text[..end].split_whitespace().map(place).collect()
}

struct BytesAssembler<'s> {
    isa: &'s Isa,
    program: Vec<u8>,
    labels: HashMap<&'s str, usize>,
    uses: Vec<LabelUse<'s>>,
}

impl<'s> BytesAssembler<'s> {
    fn line(&mut self, mut words: &[SourceWord<'s>]) -> Result<(), AsmError> {
        while let Some((&first, rest)) = words.split_first()
            && let Some(label) = first.text.strip_suffix(':')
        {
            self.label(first, label)?;
            words = rest;
        }
        let Some((&first, rest)) = words.split_first() else { return Ok(()) };
        if first.text == ".byte" {
            return rest.iter().try_for_each(|word| self.raw(*word));
        }
        let op = self.isa.by_name(first.text).ok_or_else(|| self.no_such(first))?;
        match op.operands.len() {
            wanted if rest.len() < wanted => {
                let what = format!(
                    "{} without {}",
                    op.name,
                    if wanted == 1 { "its operand" } else { "its operands" }
                );
                return Err(first.error(what, described(op.operands)));
            }
            wanted if rest.len() > wanted => {
                let number = match wanted {
                    0 => "none".to_owned(),
                    1 => "one".to_owned(),
                    more => more.to_string(),
                };
                return Err(rest[wanted].error("too many operands", format!("{number} after {}", op.name)));
            }
            _ => {}
        }
        let start = self.program.len();
        self.program.push(op.code as u8);
        op.operands.iter().zip(rest).try_for_each(|(operand, word)| self.operand(*operand, *word, start))
    }

    fn label(&mut self, word: SourceWord<'s>, label: &'s str) -> Result<(), AsmError> {
        if label.is_empty() {
            return Err(word.error("a label without a name", "name:"));
        }
        match self.labels.insert(label, self.program.len()) {
            None => Ok(()),
            Some(_) => Err(word.error(format!("label {} is set twice", quoted(label)), "each label once")),
        }
    }

    fn raw(&mut self, word: SourceWord<'s>) -> Result<(), AsmError> {
        let digits = word.text.strip_prefix("0x").unwrap_or(word.text);
        let bytes = hex_bytes(digits).ok_or_else(|| {
            word.error(format!("{} is not bytes", quoted(word.text)), "an even number of hex digits")
        })?;
        self.program.extend(bytes);
        Ok(())
    }

    /// Appends an operand of the instruction that starts at `start`.
    fn operand(
        &mut self,
        operand: ImmediateOperand,
        word: SourceWord<'s>,
        start: usize,
    ) -> Result<(), AsmError> {
        let at = self.program.len();
        if word.text.starts_with('@') && !matches!(operand, ImmediateOperand::Prefixed(_)) {
            self.uses.push(LabelUse { word, operand, at, start });
            self.program.resize(at + operand.fixed_len(), 0);
            return Ok(());
        }
        let bytes = match operand {
            ImmediateOperand::Prefixed(size) => prefixed(word, size)?,
            ImmediateOperand::Data(size) if size > 1 || word.text.starts_with("0x") => {
                data(word, size.into())?
            }
            ImmediateOperand::Data(_)
            | ImmediateOperand::Word(_)
            | ImmediateOperand::Unsigned(_)
            | ImmediateOperand::Signed(_)
            | ImmediateOperand::Offset(_)
            | ImmediateOperand::LaterOffset(_) => encoded(operand, &number(word)?).ok_or_else(|| {
                word.error(format!("{} does not fit", quoted(word.text)), described(&[operand]))
            })?,
        };
        self.program.extend(bytes);
        Ok(())
    }

    fn no_such(&self, word: SourceWord<'_>) -> AsmError {
        word.error(
            format!("no instruction {}", quoted(word.text)),
            format!("a mnemonic of {0} (vmconf isa {0} lists them)", self.isa.machine),
        )
    }

    /// The offset of the label that an operand names.
    fn label_of(&self, usage: &LabelUse<'s>) -> Result<usize, AsmError> {
        let name = &usage.word.text[1..];
        let label = self.labels.get(name).copied();
        label.ok_or_else(|| usage.word.error(format!("no label {}", quoted(name)), "a line that sets it"))
    }

    /// Fills in an operand that names a label at this offset.
    fn fill(&mut self, usage: &LabelUse<'s>, label: usize) -> Result<(), AsmError> {
        let LabelUse { word, operand, at, start } = *usage;
        let value = match operand.counted_from() {
            Some(from) => BigInt::from(label) - BigInt::from(start + from),
            None => BigInt::from(label),
        };
        let bytes = encoded(operand, &value)
            .ok_or_else(|| word.error(format!("offset {value} does not fit"), described(&[operand])))?;
        self.program[at..at + bytes.len()].copy_from_slice(&bytes);
        Ok(())
    }
}

fn number(word: SourceWord<'_>) -> Result<BigInt, AsmError> {
    integer(word.text).ok_or_else(|| {
        word.error(format!("{} is not a number", quoted(word.text)), "0x hex, decimal or @label")
    })
}

/// The hex data of a word, as many bytes as these: which ones are missing is not known.
fn data(word: SourceWord<'_>, size: usize) -> Result<Vec<u8>, AsmError> {
    let data = word.text.strip_prefix("0x").and_then(hex_bytes).filter(|data| data.len() == size);
    data.ok_or_else(|| {
        let what = format!("{} is not {}", quoted(word.text), counted(size as u64, "byte"));
        word.error(what, format!("0x and {} hex digits", 2 * size))
    })
}

/// The hex data of a word, prefixed with its length.
fn prefixed(word: SourceWord<'_>, size: u8) -> Result<Vec<u8>, AsmError> {
    let data = word.text.strip_prefix("0x").and_then(hex_bytes).ok_or_else(|| {
        word.error(format!("{} is not bytes", quoted(word.text)), "0x and an even number of hex digits")
    })?;
    let length = encoded(ImmediateOperand::Unsigned(size), &BigInt::from(data.len())).ok_or_else(|| {
        word.error(format!("{} bytes are too many", data.len()), format!("a length that fits {size} bytes"))
    })?;
    Ok([length, data].concat())
}

/// The bytes of a number as an operand; `None` if it does not fit.
fn encoded(operand: ImmediateOperand, number: &BigInt) -> Option<Vec<u8>> {
    let length = operand.fixed_len();
    match operand {
        ImmediateOperand::Data(_) | ImmediateOperand::Word(_) => {
            let mut bytes = little(&number.to_biguint()?, length)?;
            bytes.reverse();
            Some(bytes)
        }
        ImmediateOperand::Unsigned(_) | ImmediateOperand::Prefixed(_) => {
            little(&number.to_biguint()?, length)
        }
        ImmediateOperand::Signed(_) | ImmediateOperand::Offset(_) | ImmediateOperand::LaterOffset(_) => {
            let mut bytes = number.to_signed_bytes_le();
            let fill = if number.sign() == Sign::Minus { 0xff } else { 0 };
            (bytes.len() <= length).then(|| {
                bytes.resize(length, fill);
                bytes
            })
        }
    }
}

/// The number in `length` bytes, least significant first.
fn little(number: &BigUint, length: usize) -> Option<Vec<u8>> {
    let mut bytes = if *number == BigUint::ZERO { Vec::new() } else { number.to_bytes_le() };
    (bytes.len() <= length).then(|| {
        bytes.resize(length, 0);
        bytes
    })
}

/// What is expected after a mnemonic.
fn described(operands: &[ImmediateOperand]) -> String {
    let one = |operand: &ImmediateOperand| match operand {
        ImmediateOperand::Data(1) | ImmediateOperand::Word(1) => "1 byte".to_owned(),
        ImmediateOperand::Data(size) | ImmediateOperand::Word(size) => format!("{size} bytes"),
        ImmediateOperand::Unsigned(size) => format!("a number of {size} bytes"),
        ImmediateOperand::Signed(size) => format!("a signed number of {size} bytes"),
        ImmediateOperand::Offset(size) | ImmediateOperand::LaterOffset(size) => {
            format!("@label or an offset of {size} bytes")
        }
        ImmediateOperand::Prefixed(_) => "0x and hex digits".to_owned(),
    };
    operands.iter().map(one).collect::<Vec<_>>().join(", then ")
}
