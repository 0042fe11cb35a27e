//! Assembles source text to a memory of words.
//!
//! One command per line; `#` starts a comment. The rows of the table define the syntax of instructions;
//! commands that expand to several instructions are in `command.rs`.
//!
//! | file | content |
//! |---|---|
//! | `operand.rs` | the parts of a line: spacing, registers, numbers, names |
//! | `command.rs` | the commands and their operands |
//! | `label.rs` | labels, and how a distance or an address is encoded |
//! | `memory.rs` | the words written so far, and the line that wrote each |

mod command;
mod label;
mod memory;
mod operand;

use sha2::{Digest, Sha256};

use self::command::{AssemblerCommand, Branch, hint};
use self::label::{Labels, SymbolUse, TargetEncoding, both};
use self::memory::SegmentMemory;
use self::operand::{AssemblerOperand, CommandOperand, OperandSpacing, SourceLine, Syntax};
use super::language::{OperandShape, fits, instruction, range, shape};
use crate::isa::assembler::{AsmError, AsmErrors, Assembled, ErrorList, SourceWord};
use crate::isa::{OpInfo, WordField};
use crate::model::without_bom;
use crate::text::json::quoted;

/// The memory of 65,536 words that `source` describes, which can start with a byte order mark. An error has the first
/// error of each line, and undefined labels. If every line is valid, also the errors that depend on all lines: a label
/// that is too far away or never used, or a hash that differs from the one in the source.
pub fn assemble(source: &str) -> Result<Assembled, AsmErrors> {
    let mut assembler = TinyAssembler {
        memory: SegmentMemory::new(),
        labels: Labels::default(),
        hash: None,
        errors: ErrorList::default(),
    };
    let lines = without_bom(source).lines().enumerate();
    for line in lines.filter_map(|(index, text)| SourceLine::new(text, index + 1)) {
        let result = assembler.line(line);
        assembler.errors.add(result);
        if assembler.errors.is_full() {
            break;
        }
    }
    assembler.finish()
}

struct TinyAssembler<'s> {
    memory: SegmentMemory,
    labels: Labels<'s>,
    /// The hash that the memory must have.
    hash: Option<SourceWord<'s>>,
    errors: ErrorList,
}

impl<'s> TinyAssembler<'s> {
    fn line(&mut self, line: SourceLine<'s>) -> Result<(), AsmError> {
        match line.command.text {
            ".label" => self.label(line),
            ".offset" => self.offset(line),
            ".word" => self.word(line),
            ".assert_hash" => self.assert_hash(line),
            name => match AssemblerCommand::named(name) {
                Some(command) => self.command(line, &command),
                None => Err(line.command.error(format!("no command {}", quoted(name)), hint(name))),
            },
        }
    }

    fn label(&mut self, line: SourceLine<'s>) -> Result<(), AsmError> {
        let label = directive(line, &[&[CommandOperand::Label]])?;
        let address = self.memory.position;
        let waiting = self.labels.set(label.word, address)?;
        for usage in waiting {
            let result = self.fill(usage, address);
            self.errors.add(result);
        }
        Ok(())
    }

    fn offset(&mut self, line: SourceLine<'s>) -> Result<(), AsmError> {
        let AssemblerOperand { word, kind, number } =
            directive(line, &[&[CommandOperand::Number, CommandOperand::Label]])?;
        let address = match kind {
            CommandOperand::Label => self.labels.address(word),
            CommandOperand::Register | CommandOperand::Number | CommandOperand::Hash => {
                u16::try_from(number).ok()
            }
        };
        self.memory.position = address.ok_or_else(|| match kind {
            CommandOperand::Label => {
                word.error(format!("no label {}", quoted(word.text)), "a label that is set above")
            }
            CommandOperand::Register | CommandOperand::Number | CommandOperand::Hash => {
                word.error(format!("{} is not an address", quoted(word.text)), "0 to 0xFFFF")
            }
        })?;
        Ok(())
    }

    fn word(&mut self, line: SourceLine<'s>) -> Result<(), AsmError> {
        let word = directive(line, &[&[CommandOperand::Number]])?;
        self.write(line, &[word.number as u16])
    }

    fn assert_hash(&mut self, line: SourceLine<'s>) -> Result<(), AsmError> {
        let hash = directive(line, &[&[CommandOperand::Hash]])?.word;
        match self.hash.replace(hash) {
            Some(first) => {
                Err(line.command.error("a second hash", format!("only that of line {}", first.line)))
            }
            None => Ok(()),
        }
    }

    fn command(&mut self, line: SourceLine<'s>, command: &AssemblerCommand) -> Result<(), AsmError> {
        let operands = line.operands(&command.syntax())?;
        match (command, &*operands) {
            (AssemblerCommand::Word(word), _) => self.write(line, &[*word]),
            (AssemblerCommand::Row(op), [register, target]) if has_target(op) => {
                self.place(line, TargetEncoding::branch(op, register.number), target)
            }
            (AssemblerCommand::Row(op), _) => self.row(line, op, &operands),
            (AssemblerCommand::Zero(op), [register, ..]) => {
                self.write(line, &[instruction(op, &[register.number, register.number])])
            }
            (
                AssemblerCommand::Load { cell, .. },
                [_, AssemblerOperand { kind: CommandOperand::Register, .. }],
            ) => self.row(line, cell, &operands),
            (AssemblerCommand::Load { low, high, .. }, [register, number]) => {
                self.load(line, [low, high], register.number, number.number as u16)
            }
            (AssemblerCommand::Jump { by, to }, [first, rest @ ..]) => self.jump(line, by, to, first, rest),
            (AssemblerCommand::Branch(branch), [registers @ .., target]) => {
                self.branch(line, branch, registers, target)
            }
            (AssemblerCommand::Address { low, high }, [register, label]) => {
                let register = register.number;
                let encoding = match high {
                    None => TargetEncoding::Low { low, register },
                    Some(high) => TargetEncoding::Both { low, high, register },
                };
                self.place(line, encoding, label)
            }
            // The syntax ensures that each command has the operands matched above.
            _ => Ok(()),
        }
    }

    /// Writes an instruction whose operands are its fields.
    fn row(
        &mut self,
        line: SourceLine<'s>,
        op: &OpInfo,
        operands: &[AssemblerOperand<'s>],
    ) -> Result<(), AsmError> {
        let mut numbers: Vec<_> = operands.iter().map(|operand| operand.number).collect();
        match (shape(op), &mut *numbers) {
            (OperandShape::Unary, [register]) => {
                let register = *register;
                numbers.push(register);
            }
            (OperandShape::Move | OperandShape::Compare, [a, b]) if a == b => {
                return Err(operands[1].word.error("the same register twice", "two registers"));
            }
            (OperandShape::LoadHigh, [_, high @ 0..=0xff]) => *high <<= 8,
            _ => {}
        }
        for ((field, operand), number) in op.fields.iter().zip(operands).zip(&numbers) {
            check(op, *field, operand, *number)?;
        }
        self.write(line, &[instruction(op, &numbers)])
    }

    fn load(
        &mut self,
        line: SourceLine<'s>,
        [low, high]: [&OpInfo; 2],
        register: i32,
        number: u16,
    ) -> Result<(), AsmError> {
        let signed = i32::from(number as i16);
        if fits(WordField::Signed, signed) {
            self.write(line, &[instruction(low, &[register, signed])])
        } else {
            self.write(line, &both(low, high, register, number))
        }
    }

    fn jump(
        &mut self,
        line: SourceLine<'s>,
        by: &'static OpInfo,
        to: &OpInfo,
        first: &AssemblerOperand<'s>,
        rest: &[AssemblerOperand<'s>],
    ) -> Result<(), AsmError> {
        match (first.kind, rest) {
            (CommandOperand::Register, _) => {
                let operands: Vec<_> = [first].into_iter().chain(rest).copied().collect();
                self.row(line, to, &operands)
            }
            (CommandOperand::Number, [more, ..]) => {
                Err(more.word.error("too many operands", "a number only after a register or a label"))
            }
            (CommandOperand::Number | CommandOperand::Label | CommandOperand::Hash, _) => {
                let plus = rest.first().map_or(0, |plus| plus.number);
                self.place(
                    line,
                    TargetEncoding::Distance { op: by, register: None, plus, has_short: false },
                    first,
                )
            }
        }
    }

    fn branch(
        &mut self,
        line: SourceLine<'s>,
        branch: &Branch,
        registers: &[AssemblerOperand<'s>],
        target: &AssemblerOperand<'s>,
    ) -> Result<(), AsmError> {
        const BEHIND_JUMP: i32 = 2;
        let [AssemblerOperand { number: first, .. }, ..] = *registers else { return Ok(()) };
        let last = registers.last().map_or(first, |register| register.number);
        if branch.is_vague {
            self.memory.warn(line.command, "lb leaves the register inverted; lbnez says what it does");
        }
        if !branch.is_known() {
            self.write(line, &[instruction(branch.compare, &[first, last])])?;
        }
        let Some(long) = branch.long else {
            return self.place(line, TargetEncoding::branch(branch.short, last), target);
        };
        self.write(line, &[instruction(branch.short, &[last, BEHIND_JUMP])])?;
        self.place(
            line,
            TargetEncoding::Distance { op: long, register: None, plus: 0, has_short: true },
            target,
        )
    }

    /// Writes the words that refer to a target, now or when its label is set.
    fn place(
        &mut self,
        line: SourceLine<'s>,
        encoding: TargetEncoding,
        target: &AssemblerOperand<'s>,
    ) -> Result<(), AsmError> {
        let label = target.word;
        if target.kind == CommandOperand::Number {
            let words = encoding.by(label, target.number)?;
            return self.write(line, &words);
        }
        let mut places = [0; 2];
        for place in places.iter_mut().take(encoding.length()) {
            *place = self.memory.write(line.command, 0)?;
        }
        let usage = SymbolUse { encoding, command: line.command, label, places };
        if let Some(address) = self.labels.address(label) {
            return self.fill(usage, address);
        }
        self.labels.wait(usage);
        Ok(())
    }

    /// Fills in the words that refer to a label, now that its address is known.
    fn fill(&mut self, usage: SymbolUse<'s>, address: u16) -> Result<(), AsmError> {
        // An invalid line writes nothing, so addresses after it are wrong.
        if !self.errors.is_empty() {
            return Ok(());
        }
        let SymbolUse { encoding, command, label, places } = usage;
        if let Some(warning) = encoding.warning(address) {
            self.memory.warn(command, warning);
        }
        for (place, word) in places.into_iter().zip(encoding.to(label, places[0], address)?) {
            self.memory.replace(place, word);
        }
        Ok(())
    }

    fn write(&mut self, line: SourceLine<'s>, words: &[u16]) -> Result<(), AsmError> {
        words.iter().try_for_each(|word| self.memory.write(line.command, *word).map(drop))
    }

    fn finish(mut self) -> Result<Assembled, AsmErrors> {
        if !self.errors.is_full() {
            self.labels.finish(&mut self.errors);
        }
        if let Some(stated) = self.hash.filter(|_| self.errors.is_empty()) {
            self.errors.add(self.check_hash(stated));
        }
        self.errors.or(self.memory.assembled())
    }

    fn check_hash(&self, stated: SourceWord<'s>) -> Result<(), AsmError> {
        let hash = hex::encode_upper(Sha256::digest(self.memory.bytes()));
        if hash.eq_ignore_ascii_case(stated.text) {
            return Ok(());
        }
        Err(stated.error(format!("the hash of the memory is {hash}"), stated.text))
    }
}

/// The operand of a directive.
fn directive<'s>(
    line: SourceLine<'s>,
    operands: &'static [&'static [CommandOperand]],
) -> Result<AssemblerOperand<'s>, AsmError> {
    let read = line.operands(&Syntax { spacing: OperandSpacing::AnySpaces, operands, least: 1 })?;
    read.first().copied().ok_or_else(|| line.command.error("no operand", "one"))
}

fn has_target(op: &OpInfo) -> bool {
    matches!(op.fields, [.., WordField::Skip(_)])
}

/// Whether the operand's number fits its field.
fn check(op: &OpInfo, field: WordField, operand: &AssemblerOperand<'_>, number: i32) -> Result<(), AsmError> {
    if fits(field, number) {
        return Ok(());
    }
    let expected = match (field, shape(op)) {
        (WordField::High, OperandShape::LoadHigh) => {
            "0 to 0xFF, or a multiple of 0x100 up to 0xFF00".to_owned()
        }
        (WordField::High, _) => "a multiple of 0x100 from 0 to 0xFF00".to_owned(),
        _ => format!("{} to {}", range(field).start(), range(field).end()),
    };
    Err(operand.word.error(format!("{} does not fit", quoted(operand.word.text)), expected))
}
