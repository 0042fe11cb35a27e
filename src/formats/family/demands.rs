//! Turns an expected value into assertions, each with its place.

use crate::model::assertion::{Assertion, Expected};
use crate::model::diagnostic::Diagnostic;
use crate::model::field_type::{DeclaredField, FieldOptions, FieldType, ListOrder, UnlistedCells};
use crate::model::path::{Path, PathKey};
use crate::model::position::Origin;
use crate::model::value::Value;
use crate::text::json::JsonNode;
use crate::text::typed::{self, MemoryCell, address_key};

/// Where a demand is shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum DemandPlace {
    /// Where each datum lies.
    Node,
    /// Here, since the declaration says the value.
    At(u32),
}

impl DemandPlace {
    fn of(self, node: JsonNode<'_>) -> Origin {
        match self {
            DemandPlace::Node => Origin(node.at()),
            DemandPlace::At(at) => Origin(at),
        }
    }
}

/// A field of the state that must have the value of a datum.
pub(super) struct FieldDemand<'f, 'd> {
    pub(super) field: &'f DeclaredField,
    pub(super) node: JsonNode<'d>,
    pub(super) place: DemandPlace,
    /// What the program gave to the field.
    pub(super) given: Option<&'f Value>,
}

/// Adds the assertions that the field has the value.
///
/// # Errors
///
/// A datum that is not of the type of the field.
pub(super) fn demand(
    demanded: &FieldDemand<'_, '_>,
    assertions: &mut Vec<Assertion>,
) -> Result<(), Diagnostic<Origin>> {
    let FieldDemand { field, node, place, given } = demanded;
    let at = Path::field(field.name.clone());
    if let FieldType::Memory(memory) = &field.field_type {
        let cells = typed::cells(*node, memory, &field.name)?;
        let before = MemoryBefore { given: *given, unlisted: field.options.unlisted };
        before.demand(&at, &cells, *place, *node, assertions);
        return Ok(());
    }
    let value = typed::read(*node, &field.field_type, &field.name)?;
    let value = typed::compared(value, &field.field_type, &field.options);
    let mut writer = DemandWriter { place: *place, assertions };
    writer.value(at, value, &field.field_type, &field.options, *node);
    Ok(())
}

struct DemandWriter<'a> {
    place: DemandPlace,
    assertions: &'a mut Vec<Assertion>,
}

impl DemandWriter<'_> {
    fn push(&mut self, at: Path, expected: Expected, node: JsonNode<'_>) {
        self.assertions.push(Assertion { at, expected, origin: self.place.of(node), rule: None });
    }

    /// Demands a value that is of its type: its parts one by one, so that each difference has a place.
    fn value(
        &mut self,
        at: Path,
        value: Value,
        field_type: &FieldType,
        options: &FieldOptions,
        node: JsonNode<'_>,
    ) {
        match (value, field_type) {
            (Value::List(items), FieldType::List(_) | FieldType::Array(..))
                if options.order == ListOrder::Compared =>
            {
                self.push(at.clone(), Expected::Len(items.len()), node);
                for ((value, item), at) in items.into_iter().zip(node.items()).zip(at.items()) {
                    self.push(at, Expected::Is(value), item);
                }
            }
            (Value::Record(members), FieldType::Table(fields)) => {
                let parent = at.as_parent();
                for (name, value) in members {
                    let Some(field) = fields.iter().find(|field| field.name == name) else { continue };
                    let inner = node.member(&name).unwrap_or(node);
                    self.value(parent.child(name), value, &field.field_type, &field.options, inner);
                }
            }
            (value, FieldType::Optional(inner)) if value != Value::Null => {
                self.value(at, value, inner, options, node);
            }
            (value, _) => self.push(at, Expected::Is(value), node),
        }
    }
}

/// What a memory was before.
struct MemoryBefore<'m> {
    given: Option<&'m Value>,
    unlisted: UnlistedCells,
}

impl MemoryBefore<'_> {
    fn demand(
        &self,
        at: &Path,
        cells: &[MemoryCell],
        place: DemandPlace,
        node: JsonNode<'_>,
        assertions: &mut Vec<Assertion>,
    ) {
        let parent = at.as_parent();
        let mut keys: Vec<PathKey> = Vec::with_capacity(cells.len());
        for cell in cells {
            let key = PathKey::Name(address_key(cell.address));
            let origin = match place {
                DemandPlace::Node => cell.origin,
                DemandPlace::At(at) => Origin(at),
            };
            let expected = Expected::Is(Value::Int(cell.value.clone()));
            assertions.push(Assertion { at: parent.child(key.clone()), expected, origin, rule: None });
            keys.push(key);
        }
        if self.unlisted == UnlistedCells::Any {
            return;
        }
        let origin = place.of(node);
        let given = self.given.filter(|_| self.unlisted == UnlistedCells::Unchanged);
        for (name, value) in given.and_then(Value::members).unwrap_or_default() {
            let is_listed = address_of(name)
                .is_some_and(|address| cells.binary_search_by_key(&address, |cell| cell.address).is_ok());
            if !is_listed {
                let key = PathKey::Name(name.clone());
                let (at, expected) = (parent.child(key.clone()), Expected::Is(value.clone()));
                assertions.push(Assertion { at, expected, origin, rule: Some(UNLISTED) });
                keys.push(key);
            }
        }
        assertions.push(Assertion { at: at.clone(), expected: Expected::Only(keys), origin, rule: None });
    }
}

/// The address that a key of a memory's record names.
fn address_of(key: &str) -> Option<u64> {
    u64::from_str_radix(key.strip_prefix("0x")?, 16).ok()
}

/// Why a cell is demanded that the expectation does not list.
pub(super) const UNLISTED: &str = "a cell that is not listed stays as it was";
