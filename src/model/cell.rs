//! The locations that programs write.

use std::fmt;
use std::ops::Range;

use super::escape::escaped;
use super::name::Name;
use super::path::PathKey;

/// A location that programs write.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Cell {
    /// A value of the operand stack, counted from its bottom.
    Stack(usize),
    /// Bytes or words of a memory.
    Range(&'static str, Range<usize>),
    /// Something with a name: a word of storage, a register, a slot of a frame.
    Named(&'static str, Name),
    /// An item of a compound: of an array by its index, of a map by its key.
    Item(usize, String),
    /// A compound as a whole.
    Compound(usize),
    /// Bytes of a compound that is a Buffer.
    Bytes(usize, Range<usize>),
}

/// Cells of which a single write can touch several; no write touches cells of two groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellGroup<'c> {
    /// The operand stack.
    Stack,
    /// A memory.
    Space(&'static str),
    /// One cell with a name.
    Named(&'static str, &'c str),
    /// A compound with its items or bytes.
    Compound(usize),
}

impl Cell {
    /// Its group.
    pub fn group(&self) -> CellGroup<'_> {
        match self {
            Cell::Stack(_) => CellGroup::Stack,
            Cell::Range(space, _) => CellGroup::Space(space),
            Cell::Named(kind, name) => CellGroup::Named(kind, name),
            Cell::Item(compound, _) | Cell::Compound(compound) | Cell::Bytes(compound, _) => {
                CellGroup::Compound(*compound)
            }
        }
    }

    /// A cell with a name.
    pub fn named(kind: &'static str, name: impl Into<Name>) -> Cell {
        Cell::Named(kind, name.into())
    }

    /// An item of a compound, as the next key in a path. Map keys that differ only in type, which a path
    /// numbers, share one cell.
    pub fn item(compound: usize, key: &PathKey) -> Cell {
        let name = match key {
            PathKey::Index(index) => index.to_string(),
            PathKey::Name(name) => name.split('#').next().unwrap_or_default().to_owned(),
        };
        Cell::Item(compound, name)
    }

    /// The program counter, written by instructions that may not continue at the next instruction.
    pub fn jump() -> Cell {
        Cell::named("jump", "")
    }

    /// The exception that is on its way, or waits for the end of a finally block.
    pub fn exception() -> Cell {
        Cell::named("exception", "")
    }

    /// The single byte at this offset from the start of the range, if `byte` is given and less than its length; otherwise
    /// the whole cell.
    #[must_use]
    pub fn part(&self, byte: Option<usize>) -> Cell {
        match (self, byte) {
            (Cell::Range(name, range), Some(byte)) if byte < range.len() => {
                Cell::Range(name, range.start + byte..range.start + byte + 1)
            }
            _ => self.clone(),
        }
    }

    /// The compound that it is, or is a part of.
    fn compound(&self) -> Option<usize> {
        match self {
            Cell::Item(compound, _) | Cell::Compound(compound) | Cell::Bytes(compound, _) => Some(*compound),
            Cell::Stack(_) | Cell::Range(..) | Cell::Named(..) => None,
        }
    }

    /// Whether it is another cell of the same kind.
    pub fn is_like(&self, other: &Cell) -> bool {
        match (self, other) {
            (Cell::Range(one, _), Cell::Range(other, _)) | (Cell::Named(one, _), Cell::Named(other, _)) => {
                one == other
            }
            (one, other) => one.compound().is_some() && other.compound().is_some(),
        }
    }

    /// Whether `other` is all of it or a part of it.
    pub fn contains(&self, other: &Cell) -> bool {
        match (self, other) {
            (Cell::Range(one, a), Cell::Range(other, b)) => {
                one == other && a.start <= b.start && b.end <= a.end
            }
            (one, other) => one == other,
        }
    }

    /// Whether writing one changes the other.
    pub fn touches(&self, other: &Cell) -> bool {
        match (self, other) {
            (Cell::Range(one, a), Cell::Range(other, b)) => {
                one == other && a.start < b.end && b.start < a.end
            }
            (Cell::Compound(one), other) | (other, Cell::Compound(one)) => other.compound() == Some(*one),
            (Cell::Item(one, key), Cell::Bytes(other, bytes))
            | (Cell::Bytes(other, bytes), Cell::Item(one, key)) => {
                one == other && key.parse().is_ok_and(|index| bytes.contains(&index))
            }
            (Cell::Bytes(one, a), Cell::Bytes(other, b)) => {
                one == other && a.start < b.end && b.start < a.end
            }
            (one, other) => one == other,
        }
    }
}

/// The name of a compound: `#3`. Machines number what is no compound, but is shared like one, downwards from
/// `usize::MAX`; its name is `#b0`, `#b1` and so on.
pub fn compound_name(compound: usize) -> String {
    if compound > usize::MAX / 2 { format!("#b{}", !compound) } else { format!("#{compound}") }
}

/// Formatted for people: `storage 0x01`, `memory 0x0020..0x0040`.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Stack(index) => write!(f, "stack [{index}]"),
            Cell::Range(space, range) if range.len() == 1 => write!(f, "{space} 0x{:04x}", range.start),
            Cell::Range(space, range) => write!(f, "{space} 0x{:04x}..0x{:04x}", range.start, range.end),
            Cell::Named(kind, name) if name.is_empty() => f.write_str(kind),
            Cell::Named(kind, name) => write!(f, "{kind} {}", escaped(name)),
            Cell::Item(compound, key) => write!(f, "item {} of {}", escaped(key), compound_name(*compound)),
            Cell::Compound(compound) => f.write_str(&compound_name(*compound)),
            Cell::Bytes(compound, range) => {
                write!(f, "bytes {}..{} of {}", range.start, range.end, compound_name(*compound))
            }
        }
    }
}
