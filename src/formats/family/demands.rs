//! Turns an expected value into assertions, each with its place.

use std::collections::HashMap;

use crate::model::{
    Assertion, DeclaredField, Diagnostic, Expected, ExpectedBits, FieldOptions, FieldType, ListOrder, Name,
    Origin, Path, PathKey, UnlistedCells, Value,
};
use crate::text::json::JsonNode;
use crate::text::typed::{self, MemoryCell, address_key, address_of_key};

/// Where a demand is shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum DemandPlace {
    /// Where each datum lies.
    Node,
    /// Here, since the declaration says the value.
    At(u32),
}

impl DemandPlace {
    pub(super) fn of(self, node: JsonNode<'_>) -> Origin {
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

/// Adds the assertions that the field has the value. The error is a datum that is not of the type of the field.
pub(super) fn demand(
    demanded: &FieldDemand<'_, '_>,
    assertions: &mut Vec<Assertion>,
) -> Result<(), Diagnostic<Origin>> {
    let FieldDemand { field, node, place, given } = demanded;
    let mut writer = DemandWriter { place: *place, assertions };
    let at = Path::field(field.name.clone());
    if let FieldType::Memory(memory) = &field.field_type {
        let cells = typed::cells(*node, memory, &field.name)?;
        if cells.is_empty() && field.options.unlisted == UnlistedCells::Any {
            // No cell is demanded, but a memory.
            writer.push(at, Expected::Record, *node);
            return Ok(());
        }
        writer.memory(&at, &cells, *given, field.options.unlisted, *node);
        return Ok(());
    }
    let value = typed::read(*node, &field.field_type, &field.name)?;
    let part =
        DemandedPart { field_type: &field.field_type, options: &field.options, node: *node, given: *given };
    writer.value(at, value, part)
}

/// A part of a demanded datum.
#[derive(Clone, Copy)]
struct DemandedPart<'p, 'd> {
    field_type: &'p FieldType,
    options: &'p FieldOptions,
    node: JsonNode<'d>,
    /// What the program gave at the same place.
    given: Option<&'p Value>,
}

struct DemandWriter<'a> {
    place: DemandPlace,
    assertions: &'a mut Vec<Assertion>,
}

impl DemandWriter<'_> {
    fn push(&mut self, at: Path, expected: Expected, node: JsonNode<'_>) {
        self.assertions.push(Assertion::new(at, expected, self.place.of(node)));
    }

    /// Demands a value that is of its type: its parts one by one, so that each difference has a place, and so that the
    /// cells of each memory in it are compared as its options say.
    fn value(
        &mut self,
        at: Path,
        value: Value,
        part: DemandedPart<'_, '_>,
    ) -> Result<(), Diagnostic<Origin>> {
        let DemandedPart { field_type, options, node, given } = part;
        match (value, field_type) {
            (value, FieldType::Optional(inner)) if value != Value::Null => {
                self.value(at, value, DemandedPart { field_type: inner, ..part })
            }
            (Value::Record(_), FieldType::Memory(memory)) => {
                let cells = typed::cells(node, memory, &at.to_string())?;
                // Even if no cell is demanded, there must be a memory.
                self.push(at.clone(), Expected::Record, node);
                self.memory(&at, &cells, given, options.unlisted, node);
                Ok(())
            }
            (Value::List(items), FieldType::List(item) | FieldType::Array(item, _))
                if options.order == ListOrder::Compared =>
            {
                self.push(at.clone(), Expected::Len(items.len()), node);
                self.items(&at, items, |_| Some(&**item), part)
            }
            (Value::List(items), FieldType::Tuple(types)) if field_type.has_memory() => {
                self.push(at.clone(), Expected::Len(items.len()), node);
                self.items(&at, items, |index| types.get(index), part)
            }
            (Value::Record(members), FieldType::Table(fields)) => self.fields(&at, members, fields, part),
            (Value::Record(members), FieldType::Map(_, inner)) => self.entries(&at, members, inner, part),
            (value @ Value::Int(_), _) if options.mask.is_some() => {
                let mask = options.mask.clone().unwrap_or_default();
                self.push(at, Expected::Bits(Box::new(ExpectedBits { value, mask })), node);
                Ok(())
            }
            (value, _) => {
                let value = typed::compared(value, field_type, options);
                self.push(at, Expected::Is(value), node);
                Ok(())
            }
        }
    }

    /// Demands the members of a table.
    fn fields(
        &mut self,
        at: &Path,
        members: Vec<(Name, Value)>,
        fields: &[DeclaredField],
        table: DemandedPart<'_, '_>,
    ) -> Result<(), Diagnostic<Origin>> {
        let parent = at.as_parent();
        for (name, value) in members {
            let Some(field) = fields.iter().find(|field| field.name == name) else { continue };
            let inner = DemandedPart {
                field_type: &field.field_type,
                options: &field.options,
                node: table.node.member(&name).unwrap_or(table.node),
                given: table.given.and_then(|given| given.get(&name)),
            };
            self.value(parent.child(name), value, inner)?;
        }
        Ok(())
    }

    /// Demands the entries of a map, each by itself, and no others.
    fn entries(
        &mut self,
        at: &Path,
        entries: Vec<(Name, Value)>,
        field_type: &FieldType,
        map: DemandedPart<'_, '_>,
    ) -> Result<(), Diagnostic<Origin>> {
        // Even if no entry is demanded, there must be a map.
        self.push(at.clone(), Expected::Record, map.node);
        let keys = entries.iter().map(|(name, _)| PathKey::Name(name.clone()));
        self.push(at.clone(), Expected::Only(keys.collect()), map.node);
        let (parent, options) = (at.as_parent(), &FieldOptions::default());
        let given = map.given.and_then(Value::members).unwrap_or_default();
        let given: HashMap<_, _> = given.iter().map(|(name, value)| (name, value)).collect();
        for ((name, value), member) in entries.into_iter().zip(map.node.members()) {
            let given = given.get(&name).copied();
            let inner = DemandedPart { field_type, options, node: member.value, given };
            self.value(parent.child(name), value, inner)?;
        }
        Ok(())
    }

    /// Demands the items of a list.
    fn items<'t>(
        &mut self,
        at: &Path,
        items: Vec<Value>,
        type_of: impl Fn(usize) -> Option<&'t FieldType>,
        list: DemandedPart<'_, '_>,
    ) -> Result<(), Diagnostic<Origin>> {
        for (index, ((value, node), at)) in
            items.into_iter().zip(list.node.items()).zip(at.items()).enumerate()
        {
            let Some(field_type) = type_of(index) else { continue };
            let given = list.given.and_then(|given| given.child(&PathKey::Index(index)));
            self.value(at, value, DemandedPart { field_type, options: list.options, node, given })?;
        }
        Ok(())
    }

    /// Demands the listed cells of a memory, and what the others must have.
    fn memory(
        &mut self,
        at: &Path,
        cells: &[MemoryCell],
        given: Option<&Value>,
        unlisted: UnlistedCells,
        node: JsonNode<'_>,
    ) {
        let parent = at.as_parent();
        let mut keys: Vec<PathKey> = Vec::with_capacity(cells.len());
        for cell in cells {
            let key = PathKey::Name(address_key(cell.address));
            let origin = match self.place {
                DemandPlace::Node => cell.origin,
                DemandPlace::At(at) => Origin(at),
            };
            let expected = Expected::Is(Value::Int(cell.value.clone()));
            self.assertions.push(Assertion::new(parent.child(key.clone()), expected, origin));
            keys.push(key);
        }
        if unlisted == UnlistedCells::Any {
            return;
        }
        let origin = self.place.of(node);
        let given = given.filter(|_| unlisted == UnlistedCells::Unchanged);
        for (name, value) in given.and_then(Value::members).unwrap_or_default() {
            let is_listed = address_of_key(name)
                .is_some_and(|address| cells.binary_search_by_key(&address, |cell| cell.address).is_ok());
            if !is_listed {
                let key = PathKey::Name(name.clone());
                let (at, expected) = (parent.child(key.clone()), Expected::Is(value.clone()));
                self.assertions.push(Assertion { at, expected, origin, rule: Some(UNLISTED) });
                keys.push(key);
            }
        }
        self.assertions.push(Assertion::new(at.clone(), Expected::Only(keys), origin));
    }
}

/// Why a cell is demanded that the expectation does not list.
pub(super) const UNLISTED: &str = "a cell that is not listed is as the program gives it";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MemoryType;
    use crate::text::json::Document;

    /// Searching all given entries for each demanded one would take minutes.
    #[test]
    fn the_entries_of_a_large_map_are_found_by_their_keys() {
        const ENTRIES: usize = 50_000;
        let byte = || Box::new(FieldType::Unsigned(8));
        let memory = FieldType::Memory(MemoryType { address: byte(), cell: byte() });
        let field = DeclaredField {
            name: "banks".into(),
            doc: String::new(),
            field_type: FieldType::Map(Box::new(FieldType::Text), Box::new(memory)),
            options: FieldOptions::default(),
        };
        let bank = |number: usize| (number.to_string(), Value::record([("0x1", Value::int(7))]));
        let given = Value::record((0..ENTRIES).map(bank));
        let demanded: Vec<_> = (0..ENTRIES).map(|number| format!("\"{number}\": []")).collect();
        let document = Document::parse(format!("{{{}}}", demanded.join(", ")), 3).expect("an object");
        let mut assertions = Vec::new();
        let node = document.root();
        demand(
            &FieldDemand { field: &field, node, place: DemandPlace::Node, given: Some(&given) },
            &mut assertions,
        )
        .expect("a map of memories");
        let stays = |assertion: &&Assertion| {
            assertion.rule == Some(UNLISTED) && assertion.expected == Expected::Is(Value::int(7))
        };
        assert_eq!(assertions.iter().filter(stays).count(), ENTRIES);
    }
}
