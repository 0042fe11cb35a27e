//! A machine between two instructions, formatted for people: its state as rows, and its code as lines.
//!
//! Each machine defines its sections; displaying them is written once for all machines.

use crate::isa::Isa;
use crate::isa::disassembler::disassemble;
use crate::model::{Cell, Path, PathKey, Value, brief, brief_bytes, bytes_key};

/// The maximum number of rows in a section.
const MAX_ROWS: usize = 2_000;

/// The maximum number of characters of a value.
const MAX_LENGTH: usize = 200;

/// The maximum number of characters of a value that is shown whole on request.
const MAX_WHOLE: usize = 1 << 16;

/// How many bytes of a program are listed at once.
const BYTES_IN_LISTING: usize = 1 << 16;

/// How many bytes of a memory are in a row.
const BYTES_IN_ROW: usize = 32;

/// What is written in place of a compound that is inside itself.
pub const CONTAINS_ITSELF: &str = "contains itself";

/// The maximum nesting depth of rows.
const MAX_DEPTH: usize = 8;

/// A part of the state, such as a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// Its rows, up to a maximum.
    pub rows: Vec<ViewRow>,
    /// How many rows are omitted at the end.
    pub left_out: usize,
    /// Whether other sections have the same data.
    pub shows: SectionRows,
    /// How the machine's instructions and states number the values of a stack; `None` for what is no stack.
    pub counts: Option<StackCount>,
}

/// From which end the values of a stack are numbered. The first number is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackCount {
    /// The top value is 0.
    FromTop,
    /// The bottom value is 0.
    FromBottom,
}

impl StackCount {
    /// The other one.
    #[must_use]
    pub fn other(self) -> StackCount {
        match self {
            StackCount::FromTop => StackCount::FromBottom,
            StackCount::FromBottom => StackCount::FromTop,
        }
    }
}

/// Whether the rows of a section are data of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionRows {
    /// They are.
    Own,
    /// They show data again that another section has.
    Again,
}

/// A datum of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewRow {
    /// How many of the rows before it contain it.
    pub depth: usize,
    /// Its name: a slot, an index, or a name from the source.
    pub name: String,
    /// Its value, truncated to a few hundred characters; not escaped.
    pub value: String,
    /// The value with more characters, if it is truncated and more of it is known.
    pub whole: Option<String>,
    /// Its location; `None` for a heading.
    pub datum: Option<ViewDatum>,
    /// Whether it has a meaning at the current instruction.
    pub scope: ViewScope,
}

/// Whether a datum has a meaning at the current instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewScope {
    /// It has a meaning.
    In,
    /// It is a variable outside its scope.
    Out,
}

/// The location of a datum.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ViewDatum {
    /// At a path of the state.
    At(Path),
    /// In a cell.
    In(Cell),
}

/// An instruction of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeLine {
    /// Its program counter.
    pub pc: usize,
    /// How far the next line's program counter is.
    pub length: usize,
    /// The program counter in this machine's notation.
    pub label: String,
    /// The instruction, formatted for people.
    pub text: String,
    /// Its source line, if the program says so.
    pub line: Option<u64>,
}

impl CodeLine {
    /// An instruction of one unit at an address, with the address in hex as its label.
    pub fn at(pc: usize, text: String) -> CodeLine {
        CodeLine { pc, length: 1, label: format!("{pc:04x}"), text, line: None }
    }
}

/// The number of the part of the program of bytes `program` that contains `pc`; see [`code_lines`].
pub(super) fn part_of_code(program: usize, pc: usize) -> usize {
    // The first part of a program has the number of the program.
    program ^ (pc / BYTES_IN_LISTING).reverse_bits()
}

/// The instructions of the part of a program of bytes that contains `pc`.
pub(super) fn code_lines(isa: &Isa, program: &[u8], pc: usize) -> Vec<CodeLine> {
    let first = pc - pc % BYTES_IN_LISTING;
    let lines = disassemble(isa, program).skip_while(|line| line.offset < first);
    let lines = lines.take_while(|line| line.offset - first < BYTES_IN_LISTING);
    let lines =
        lines.map(|line| CodeLine { length: line.bytes.len(), ..CodeLine::at(line.offset, line.source()) });
    lines.collect()
}

impl ViewRow {
    /// A row at the top level.
    pub fn new(name: impl Into<String>, value: impl Into<String>, datum: Option<ViewDatum>) -> ViewRow {
        let (name, value) = (name.into(), value.into());
        ViewRow { depth: 0, name, value, whole: None, datum, scope: ViewScope::In }
    }

    /// A row with a value, at the top level.
    pub fn of(name: impl Into<String>, value: &Value, datum: Option<ViewDatum>) -> ViewRow {
        ViewRow { whole: whole(value), ..ViewRow::new(name, shown(value), datum) }
    }

    /// The row at this depth.
    #[must_use]
    pub fn inside(self, depth: usize) -> ViewRow {
        ViewRow { depth, ..self }
    }
}

impl Section {
    /// A section without rows.
    pub fn new(title: impl Into<String>) -> Section {
        Section { title: title.into(), rows: Vec::new(), left_out: 0, shows: SectionRows::Own, counts: None }
    }

    /// The section, whose rows that nothing contains are the values of a stack, the top one first, with names that
    /// count from the bottom.
    #[must_use]
    pub fn stacked(self, counts: StackCount) -> Section {
        Section { counts: Some(counts), ..self }
    }

    /// The section, whose rows show data again that another one has.
    #[must_use]
    pub fn again(self) -> Section {
        Section { shows: SectionRows::Again, ..self }
    }

    /// A section with these rows.
    pub fn of(title: impl Into<String>, rows: impl IntoIterator<Item = ViewRow>) -> Section {
        let mut section = Section::new(title);
        let mut rows = rows.into_iter();
        section.rows.extend(rows.by_ref().take(MAX_ROWS));
        // The rows that are omitted need not be made if their number is known.
        section.left_out = match rows.size_hint() {
            (least, Some(most)) if least == most => most,
            _ => rows.count(),
        };
        section
    }

    /// The operand stack, the top value first; `item` returns the value at a distance below the top one, `at`
    /// its path.
    pub fn stack(
        height: usize,
        item: impl Fn(usize) -> Option<Value>,
        at: impl Fn(usize) -> Path,
    ) -> Section {
        let mut section = Section::new("stack, top first").stacked(StackCount::FromBottom);
        for below in 0..height {
            if section.rows.len() == MAX_ROWS {
                section.left_out += height - below;
                break;
            }
            let value = item(below).unwrap_or(Value::Null);
            section.value(&format!("[{}]", height - 1 - below), &value, &at(below), 0);
        }
        section
    }

    /// Adds a value with everything in it.
    #[must_use]
    pub fn with(mut self, name: &str, value: &Value, at: &Path) -> Section {
        self.value(name, value, at, 0);
        self
    }

    /// The members of a record, or the items of a list, with everything in them.
    pub fn of_value(title: impl Into<String>, value: &Value, at: &Path) -> Section {
        let mut section = Section::new(title);
        section.children(value, at, 0);
        section
    }

    /// A memory of bytes in a space of cells; without one its rows have no cells.
    pub fn memory(title: impl Into<String>, space: Option<&'static str>, bytes: &[u8]) -> Section {
        let mut section = Section::new(title);
        for (index, chunk) in bytes.chunks(BYTES_IN_ROW).take(MAX_ROWS).enumerate() {
            let from = index * BYTES_IN_ROW;
            let datum = space.map(|space| ViewDatum::In(Cell::Range(space, from..from + chunk.len())));
            section.push(ViewRow::new(format!("0x{from:04x}"), hex::encode(chunk), datum));
        }
        section.left_out = bytes.len().div_ceil(BYTES_IN_ROW).saturating_sub(MAX_ROWS);
        section
    }

    /// Adds a row at the end, or counts it as omitted.
    pub fn push(&mut self, row: ViewRow) {
        if self.rows.len() < MAX_ROWS {
            self.rows.push(row);
        } else {
            self.left_out += 1;
        }
    }

    fn value(&mut self, name: &str, value: &Value, at: &Path, depth: usize) {
        // What is in a value that is omitted is not counted.
        if self.rows.len() == MAX_ROWS {
            self.left_out += 1;
            return;
        }
        self.push(ViewRow::of(name, value, Some(ViewDatum::At(at.clone()))).inside(depth));
        if depth < MAX_DEPTH {
            self.children(value, at, depth + 1);
        }
    }

    fn children(&mut self, value: &Value, at: &Path, depth: usize) {
        match value {
            Value::Typed(_, inner) => self.children(inner, at, depth),
            Value::List(items) => {
                for (index, item) in items.iter().enumerate().take(MAX_ROWS) {
                    self.value(&format!("[{index}]"), item, &at.child(index), depth);
                }
                self.left_out += items.len().saturating_sub(MAX_ROWS);
            }
            Value::Record(members) => {
                for (name, member) in members.iter().take(MAX_ROWS) {
                    self.value(name, member, &at.child(PathKey::from(name.clone())), depth);
                }
                self.left_out += members.len().saturating_sub(MAX_ROWS);
            }
            _ => {}
        }
    }
}

/// A value with more characters than its row has; `None` if the row has all of it.
fn whole(value: &Value) -> Option<String> {
    match value {
        Value::Typed(name, inner) => whole(inner).map(|inner| format!("{name} {inner}")),
        Value::Bytes(bytes) if bytes.len() > MAX_LENGTH / 2 => {
            Some(brief(bytes_key(&bytes[..bytes.len().min(MAX_WHOLE)]), MAX_WHOLE))
        }
        Value::List(_) | Value::Record(_) | Value::Bytes(_) | Value::Null | Value::Bool(_) => None,
        Value::Int(number) if number.bits() < 256 => None,
        Value::Text(text) if text.len() <= MAX_LENGTH => None,
        other => Some(brief(other, MAX_WHOLE)).filter(|text| text.chars().count() > MAX_LENGTH),
    }
}

/// A value in one row; for a compound, its type and the number of values in it.
fn shown(value: &Value) -> String {
    match value {
        Value::Typed(name, inner) => match &**inner {
            Value::Null => (**name).to_owned(),
            inner => format!("{name} {}", shown(inner)),
        },
        Value::List(items) => format!("({})", items.len()),
        Value::Record(members) => format!("({})", members.len()),
        Value::Bytes(bytes) if bytes.len() > MAX_LENGTH / 2 => brief_bytes(bytes, MAX_LENGTH / 2),
        other => brief(other, MAX_LENGTH),
    }
}
