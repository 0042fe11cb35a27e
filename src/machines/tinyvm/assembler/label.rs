//! Labels: their addresses, pending uses, and how their targets are encoded.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::isa::assembler::{AsmError, ErrorList, SourceWord};
use crate::isa::{OpInfo, WordField};
use crate::machines::tinyvm::language::{fits, instruction, range};
use crate::text::json::quoted;

/// How a target is encoded in the program.
#[derive(Clone, Copy)]
pub(super) enum TargetEncoding {
    /// As the distance from the word, in the last field of the instruction.
    Distance {
        op: &'static OpInfo,
        register: Option<i32>,
        /// A constant that is added to the address of a label.
        plus: i32,
        /// Whether there is a short form, which must be used if it always reaches.
        has_short: bool,
    },
    /// As a number in one word.
    Low { low: &'static OpInfo, register: i32 },
    /// As a number in two words.
    Both { low: &'static OpInfo, high: &'static OpInfo, register: i32 },
}

/// The distances that the short form of a long jump reaches wherever its comparison is.
const SHORT: RangeInclusive<i32> = -117..=118;

/// Addresses, as signed numbers, that will still fit one word after small changes of the program.
const NEAR_ZERO: RangeInclusive<i32> = -118..=117;

impl TargetEncoding {
    /// The encoding of a jump that tests a register.
    pub(super) fn branch(op: &'static OpInfo, register: i32) -> TargetEncoding {
        TargetEncoding::Distance { op, register: Some(register), plus: 0, has_short: false }
    }

    /// How many words it takes.
    pub(super) fn length(self) -> usize {
        match self {
            TargetEncoding::Distance { .. } | TargetEncoding::Low { .. } => 1,
            TargetEncoding::Both { .. } => 2,
        }
    }

    /// The words at `from` that refer to `address`, the address of `label`. Fails if the address is out of reach.
    pub(super) fn to(self, label: SourceWord<'_>, from: u16, address: u16) -> Result<Vec<u16>, AsmError> {
        let signed = i32::from(address as i16);
        match self {
            TargetEncoding::Distance { plus, .. } => {
                let distance = address.wrapping_add(plus as u16).wrapping_sub(from) as i16;
                self.by(label, distance.into())
            }
            TargetEncoding::Low { low, register } if fits(WordField::Signed, signed) => {
                Ok(vec![instruction(low, &[register, signed])])
            }
            TargetEncoding::Low { .. } => Err(label.error(
                format!("{} is at 0x{address:04X}, too far for one word", quoted(label.text)),
                "an address up to 0x007F or from 0xFF80, or lla",
            )),
            TargetEncoding::Both { low, high, register } => Ok(both(low, high, register, address).to_vec()),
        }
    }

    /// The words that jump this distance; empty for a target that is not a distance. Fails if it is too far or too
    /// near.
    pub(super) fn by(self, target: SourceWord<'_>, distance: i32) -> Result<Vec<u16>, AsmError> {
        let TargetEncoding::Distance { op, register, has_short, .. } = self else { return Ok(Vec::new()) };
        let Some(field) = op.fields.last().copied() else { return Ok(Vec::new()) };
        if has_short && SHORT.contains(&distance) {
            let (least, greatest) = (SHORT.start(), SHORT.end());
            let expected = format!("the command without the prefix l for {least} to {greatest}");
            return Err(target.error(format!("a distance of {distance} is needlessly long"), expected));
        }
        if !fits(field, distance) {
            let expected = format!("{} to -1, or 2 to {}", range(field).start(), range(field).end());
            return Err(target.error(format!("a distance of {distance} is not possible"), expected));
        }
        let numbers: Vec<_> = register.into_iter().chain([distance]).collect();
        Ok(vec![instruction(op, &numbers)])
    }

    /// A warning if this is probably a mistake for a target at `address`.
    pub(super) fn warning(self, address: u16) -> Option<&'static str> {
        let is_near = NEAR_ZERO.contains(&i32::from(address as i16));
        match self {
            TargetEncoding::Both { .. } if is_near => Some("the address fits one word: la would do"),
            TargetEncoding::Distance { .. } | TargetEncoding::Low { .. } | TargetEncoding::Both { .. } => {
                None
            }
        }
    }
}

/// The two words that load a number: the first one sign-extends the low byte, the second one sets the high byte.
pub(super) fn both(low: &OpInfo, high: &OpInfo, register: i32, number: u16) -> [u16; 2] {
    [
        instruction(low, &[register, i32::from(number as i8)]),
        instruction(high, &[register, i32::from(number & 0xff00)]),
    ]
}

/// A place in the program that refers to a label.
#[derive(Clone, Copy)]
pub(super) struct SymbolUse<'s> {
    pub(super) encoding: TargetEncoding,
    pub(super) command: SourceWord<'s>,
    /// The occurrence of the label.
    pub(super) label: SourceWord<'s>,
    /// The addresses of its words.
    pub(super) places: [u16; 2],
}

/// A label that was set or used.
#[derive(Default)]
struct Label<'s> {
    /// Where it is set, and its address.
    set: Option<(SourceWord<'s>, u16)>,
    is_used: bool,
    waiting: Vec<SymbolUse<'s>>,
}

/// All labels so far.
#[derive(Default)]
pub(super) struct Labels<'s> {
    by_name: BTreeMap<&'s str, Label<'s>>,
}

impl<'s> Labels<'s> {
    /// Sets the address of a label, and returns the uses that waited for it. Fails if it already has one.
    pub(super) fn set(&mut self, word: SourceWord<'s>, address: u16) -> Result<Vec<SymbolUse<'s>>, AsmError> {
        let label = self.by_name.entry(word.text).or_default();
        if let Some((first, _)) = label.set {
            let expected = format!("another name than that of line {}", first.line);
            return Err(word.error(format!("label {} is set twice", quoted(word.text)), expected));
        }
        label.set = Some((word, address));
        Ok(std::mem::take(&mut label.waiting))
    }

    /// Marks a label as used and returns its address; `None` if it is not set yet.
    pub(super) fn address(&mut self, word: SourceWord<'s>) -> Option<u16> {
        let label = self.by_name.entry(word.text).or_default();
        label.is_used = true;
        label.set.map(|set| set.1)
    }

    /// Records a use of a label that is not set yet.
    pub(super) fn wait(&mut self, usage: SymbolUse<'s>) {
        self.by_name.entry(usage.label.text).or_default().waiting.push(usage);
    }

    /// Adds an error for each use of an undefined label and, if there are no other errors, for each unused label.
    pub(super) fn finish(&self, errors: &mut ErrorList) {
        let is_complete = errors.is_empty();
        for word in self.by_name.values().flat_map(|label| &label.waiting).map(|usage| usage.label) {
            errors.add(Err(word.error(format!("no label {}", quoted(word.text)), ".label with this name")));
        }
        // An invalid line might use the label.
        let unused = self.by_name.values().filter(|label| is_complete && !label.is_used);
        for (word, _) in unused.filter_map(|label| label.set) {
            let what = format!("label {} is never used", quoted(word.text));
            errors.add(Err(word.error(what, "a command that names it")));
        }
    }
}
