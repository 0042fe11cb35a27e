//! Sparse memories, in their three notations.

use num_bigint::BigInt;

use super::fault::{of_item, wrong};
use super::scalar;
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, FieldType, MemoryType, Name, Origin, Value, push_number};
use crate::text::json::{JsonNode, quoted};
use crate::text::number;

/// The most cells of a memory. A cell takes up to 150 bytes, and two bytes of a file can give one.
pub const MAX_CELLS: usize = 1 << 20;

const EXPECTED: &str = "[[address, cell], ...], [{\"address\": address, \"contents\": [byte, ...]}, ...] or \
                        {\"address\": cell, ...}";

/// A cell of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryCell {
    /// Its address.
    pub address: u64,
    /// Its value.
    pub value: BigInt,
    /// Where the document says so.
    pub origin: Origin,
}

/// The name of a cell in a memory's record.
pub fn address_key(address: u64) -> Name {
    let mut key = String::with_capacity("0x0000".len());
    push_number(address, &mut key);
    key.into()
}

/// The address that the name of a cell in a memory's record says.
pub fn address_of_key(key: &str) -> Option<u64> {
    number::hex(key.strip_prefix("0x")?)
}

/// The cells that a datum lists, in ascending order. A datum that is not of its type, an address that occurs twice, or
/// more than [`MAX_CELLS`] is an error.
pub fn cells(
    node: JsonNode<'_>,
    memory: &MemoryType,
    name: &str,
) -> Result<Vec<MemoryCell>, Diagnostic<Origin>> {
    let mut reader = CellReader { memory, name, cells: Vec::new() };
    if node.is_array() {
        node.items().try_for_each(|item| reader.item(item))?;
    } else if node.is_object() {
        for member in node.members() {
            let key = number::integer(&member.key).filter(|key| memory.address.has(key));
            let address = key.and_then(|key| u64::try_from(&key).ok()).ok_or_else(|| {
                let what = format!("{} as an address of {name}", quoted(&member.key));
                let expected = scalar::expected(&memory.address);
                Diagnostic::at(member.key_at, what).expected(expected).under(LintRule::Number)
            })?;
            reader.cell(address, member.value)?;
        }
    } else {
        return Err(wrong(node, name, EXPECTED));
    }
    reader.finish()
}

pub(super) fn record(cells: &[MemoryCell]) -> Value {
    Value::Record(
        cells.iter().map(|cell| (address_key(cell.address), Value::Int(cell.value.clone()))).collect(),
    )
}

struct CellReader<'t> {
    memory: &'t MemoryType,
    name: &'t str,
    cells: Vec<MemoryCell>,
}

impl CellReader<'_> {
    /// A pair of an address and a cell, or an object of an address and bytes.
    fn item(&mut self, item: JsonNode<'_>) -> Result<(), Diagnostic<Origin>> {
        if item.is_object() {
            return self.chunk(item);
        }
        let mut parts = item.items();
        match (parts.next(), parts.next(), parts.next()) {
            (Some(address), Some(cell), None) => self.cell(self.address(address)?, cell),
            _ => Err(self.no_cells(item)),
        }
    }

    fn no_cells(&self, item: JsonNode<'_>) -> Diagnostic<Origin> {
        let what = format!("an item of {} is {}", self.name, item.shown());
        Diagnostic::at(item.at(), what).expected(EXPECTED).under(LintRule::Malformed)
    }

    fn address(&self, node: JsonNode<'_>) -> Result<u64, Diagnostic<Origin>> {
        let number = scalar::number(node, &self.memory.address, "an item");
        let number = number.map_err(|error| of_item(error, self.name))?;
        Ok(u64::try_from(&number).unwrap_or_default())
    }

    fn cell(&mut self, address: u64, node: JsonNode<'_>) -> Result<(), Diagnostic<Origin>> {
        let value = scalar::number(node, &self.memory.cell, "an item");
        let value = value.map_err(|error| of_item(error, self.name))?;
        self.add(address, value, node)
    }

    /// An object of an address and the bytes from there on.
    fn chunk(&mut self, item: JsonNode<'_>) -> Result<(), Diagnostic<Origin>> {
        let address = item.member("address").ok_or_else(|| self.no_cells(item))?;
        let mut others = item.members().filter(|member| member.key != "address");
        let (Some(contents), None) = (others.next(), others.next()) else { return Err(self.no_cells(item)) };
        if *self.memory.cell != FieldType::Unsigned(8) {
            let what =
                format!("bytes as an item of {}, whose cells are {}", self.name, self.memory.cell.notation());
            return Err(Diagnostic::at(item.at(), what)
                .expected("[address, cell]")
                .under(LintRule::Malformed));
        }
        let start = self.address(address)?;
        if contents.value.is_array() {
            return contents.value.items().enumerate().try_for_each(|(index, byte)| {
                let value = scalar::byte(byte, self.name)?;
                self.add(self.offset(start, index, byte)?, value.into(), byte)
            });
        }
        let bytes = scalar::bytes(contents.value, self.name)?;
        bytes.into_iter().enumerate().try_for_each(|(index, byte)| {
            self.add(self.offset(start, index, contents.value)?, byte.into(), contents.value)
        })
    }

    /// The address of a byte of a chunk.
    fn offset(&self, start: u64, index: usize, byte: JsonNode<'_>) -> Result<u64, Diagnostic<Origin>> {
        let address = start.checked_add(index as u64).filter(|it| self.memory.address.has(&(*it).into()));
        address.ok_or_else(|| {
            let what = format!("a byte of {} is beyond the last address", self.name);
            Diagnostic::at(byte.at(), what)
                .expected(scalar::expected(&self.memory.address))
                .under(LintRule::Number)
        })
    }

    fn add(&mut self, address: u64, value: BigInt, node: JsonNode<'_>) -> Result<(), Diagnostic<Origin>> {
        if self.cells.len() == MAX_CELLS {
            let what = format!("{} has more than {MAX_CELLS} cells", self.name);
            return Err(Diagnostic::at(node.at(), what).expected("fewer").under(LintRule::Malformed));
        }
        self.cells.push(MemoryCell { address, value, origin: Origin(node.at()) });
        Ok(())
    }

    fn finish(self) -> Result<Vec<MemoryCell>, Diagnostic<Origin>> {
        let CellReader { name, mut cells, .. } = self;
        cells.sort_by_key(|cell| cell.address);
        let twice = cells.windows(2).find(|pair| pair[0].address == pair[1].address);
        match twice {
            None => Ok(cells),
            Some(pair) => {
                let what = format!("the address {:#x} of {name} is there a second time", pair[1].address);
                let later = pair[0].origin.max(pair[1].origin);
                Err(Diagnostic::at(later.0, what).expected("each address once").under(LintRule::DuplicateKey))
            }
        }
    }
}
