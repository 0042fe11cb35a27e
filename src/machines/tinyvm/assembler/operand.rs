//! The parts of a line: a command, and its operands.

use crate::isa::assembler::{AsmError, SourceWord};
use crate::text::json::quoted;

/// How operands are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandSpacing {
    /// By commas, with any spaces around them.
    Commas,
    /// By one space, the last one by any number of spaces.
    Spaces,
    /// By one space.
    OneSpace,
    /// By spaces.
    AnySpaces,
}

/// The kinds of operands, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandOperand {
    Register,
    Number,
    Label,
    Hash,
}

/// The syntax of the operands of a command.
pub(super) struct Syntax {
    pub(super) spacing: OperandSpacing,
    pub(super) operands: &'static [&'static [CommandOperand]],
    /// The minimum number of operands: all, or all but one.
    pub(super) least: usize,
}

/// An operand that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct AssemblerOperand<'s> {
    pub(super) word: SourceWord<'s>,
    pub(super) kind: CommandOperand,
    /// The number, or the number of the register.
    pub(super) number: i32,
}

/// A line with a command.
#[derive(Clone, Copy)]
pub(super) struct SourceLine<'s> {
    pub(super) command: SourceWord<'s>,
    /// Everything after the single space that follows the command.
    pub(super) rest: Option<SourceWord<'s>>,
}

impl<'s> SourceLine<'s> {
    /// The command of a line; `None` if it is empty or only a comment.
    pub(super) fn new(text: &'s str, line: usize) -> Option<SourceLine<'s>> {
        let whole = SourceWord { text, line, column: 1 };
        let code = text.split('#').next().unwrap_or_default().trim();
        if code.is_empty() {
            return None;
        }
        let (command, rest) = match code.split_once(' ') {
            Some((command, rest)) => (command, Some(whole.part(rest))),
            None => (code, None),
        };
        Some(SourceLine { command: whole.part(command), rest })
    }

    /// The operands as written. Fails if there are too few, or any for a command without operands, or too many
    /// spaces.
    pub(super) fn words(self, syntax: &Syntax) -> Result<Vec<SourceWord<'s>>, AsmError> {
        let words = match self.rest {
            None => Vec::new(),
            Some(rest) => split(rest, syntax),
        };
        if let (Some(rest), []) = (self.rest, syntax.operands) {
            return Err(rest.error("too many operands", format!("none after {}", self.command.text)));
        }
        if words.len() < syntax.least {
            let count = if words.is_empty() { "without operands" } else { "with too few operands" };
            return Err(self.command.error(format!("{} {count}", self.command.text), self.usage(syntax)));
        }
        match words.iter().find(|word| word.text.is_empty() || word.text.starts_with(' ')) {
            Some(word) if syntax.spacing == OperandSpacing::Commas => {
                Err(word.error("an operand without text", self.usage(syntax)))
            }
            Some(word) => Err(word.error("more than one space", "one space before this operand")),
            None => Ok(words),
        }
    }

    /// The operands. Fails as for [`SourceLine::words`], or if one has no allowed kind.
    pub(super) fn operands(self, syntax: &Syntax) -> Result<Vec<AssemblerOperand<'s>>, AsmError> {
        self.words(syntax)?.into_iter().zip(syntax.operands).map(|(word, kinds)| read(word, kinds)).collect()
    }

    fn usage(self, syntax: &Syntax) -> String {
        let separator = if syntax.spacing == OperandSpacing::Commas { ", " } else { " " };
        let operands: Vec<_> = syntax.operands.iter().map(|kinds| names(kinds, "|")).collect();
        let [required, optional] = [&operands[..syntax.least], &operands[syntax.least..]];
        let optional = optional.first().map_or_else(String::new, |it| format!("[{separator}{it}]"));
        format!("{} {}{optional}", self.command.text, required.join(separator))
    }
}

/// At most as many operands as allowed; excess text is part of the last one.
fn split<'s>(rest: SourceWord<'s>, syntax: &Syntax) -> Vec<SourceWord<'s>> {
    let most = syntax.operands.len();
    let spaces = |text: &'s str| text.trim_matches(' ');
    let mut words: Vec<_> = match syntax.spacing {
        OperandSpacing::Commas => rest.text.splitn(most, ',').map(spaces).collect(),
        OperandSpacing::AnySpaces => spaces(rest.text).splitn(most, ' ').collect(),
        OperandSpacing::Spaces | OperandSpacing::OneSpace => rest.text.splitn(most, ' ').collect(),
    };
    if let (OperandSpacing::AnySpaces | OperandSpacing::Spaces, [_, .., last]) = (syntax.spacing, &mut *words)
    {
        *last = spaces(last);
    }
    words.into_iter().map(|word| rest.part(word)).collect()
}

/// Reads a word as the first kind that fits. Fails if it matches no kind.
pub(super) fn read<'s>(
    word: SourceWord<'s>,
    kinds: &[CommandOperand],
) -> Result<AssemblerOperand<'s>, AsmError> {
    for kind in kinds {
        let number = match kind {
            CommandOperand::Register => register(word.text),
            CommandOperand::Number => number(word.text),
            CommandOperand::Label => is_label(word.text).then_some(0),
            CommandOperand::Hash => is_hash(word.text).then_some(0),
        };
        if let Some(number) = number {
            let number =
                i32::try_from(number).ok().filter(|it| *kind != CommandOperand::Number || is_word(*it));
            let number = number.ok_or_else(|| {
                word.error(format!("{} does not fit", quoted(word.text)), "a number from -0x8000 to 0xFFFF")
            })?;
            return Ok(AssemblerOperand { word, kind: *kind, number });
        }
    }
    Err(word.error(format!("{} is not a {}", quoted(word.text), names(kinds, " or ")), described(kinds)))
}

fn is_word(number: i32) -> bool {
    (-0x8000..=0xffff).contains(&number)
}

fn names(kinds: &[CommandOperand], separator: &str) -> String {
    let name = |kind: &CommandOperand| match kind {
        CommandOperand::Register => "register",
        CommandOperand::Number => "number",
        CommandOperand::Label => "label",
        CommandOperand::Hash => "hash",
    };
    kinds.iter().map(name).collect::<Vec<_>>().join(separator)
}

fn described(kinds: &[CommandOperand]) -> String {
    let one = |kind: &CommandOperand| match kind {
        CommandOperand::Register => "r0 to r15",
        CommandOperand::Number => "decimal, 0x, 0o or 0b",
        CommandOperand::Label => "_name without $ % & ( ) = ' \" [ ]",
        CommandOperand::Hash => "the 64 hex digits of a SHA-256",
    };
    kinds.iter().map(one).collect::<Vec<_>>().join("; or ")
}

fn register(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('r')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let number = match digits.trim_start_matches('0') {
        _ if !is_number => return None,
        "" => 0,
        digits => digits.parse().ok()?,
    };
    (number < 16).then_some(number)
}

/// A number as read by the public assembler, which follows Python; one that is too large saturates.
fn number(text: &str) -> Option<i64> {
    let magnitude = text.strip_prefix(['+', '-']).unwrap_or(text);
    let after_prefix = || magnitude[2..].strip_prefix('_').unwrap_or(&magnitude[2..]);
    let (digits, radix) = match magnitude.as_bytes() {
        [b'0', b'x' | b'X', ..] => (after_prefix(), 16),
        [b'0', b'o' | b'O', ..] => (after_prefix(), 8),
        [b'0', b'b' | b'B', ..] => (after_prefix(), 2),
        // After a leading zero, only zeros are allowed in decimal.
        [b'0', rest @ ..] if rest.iter().any(|digit| !matches!(digit, b'0' | b'_')) => return None,
        _ => (magnitude, 10),
    };
    let groups_are_digits =
        digits.split('_').all(|group| !group.is_empty() && group.chars().all(|it| it.is_digit(radix)));
    let number = i64::from_str_radix(&digits.replace('_', ""), radix).unwrap_or(i64::MAX);
    groups_are_digits.then_some(if text.starts_with('-') { -number } else { number })
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|digit| digit.is_ascii_hexdigit())
}

fn is_label(text: &str) -> bool {
    let name = text.strip_prefix('_').unwrap_or_default();
    let is_allowed = |it: char| !it.is_whitespace() && !"$%&()='\"[]".contains(it);
    !name.is_empty() && name.chars().all(is_allowed)
}
