//! Makes states of a machine that is described by data, from the types of the members that its vectors give.
//!
//! A number is at an edge of its width, has a single bit set, is small, near another member, or random. Of a memory,
//! the cells are listed where members point, and where those cells point. The generator knows no instructions: the
//! program counter points to a valid one only by chance, or because the state comes from vectors, whose states are
//! mutated and spliced.

mod values;

use std::collections::BTreeMap;

use num_bigint::BigInt;

use self::values::{is_small, number, value};
use crate::explain::spectrum::common_state::wrapped;
use crate::model::{DeclaredField, FieldType, MemoryType, Name, PathKey, Program, Value};
use crate::prove::numbers::Numbers;
use crate::text::typed::{address_key, address_of_key};

/// The maximum number of cells of a memory that a state without a vector lists.
const MAX_CELLS: usize = 48;

/// How many cells are moved to where a member points.
const MOVED: u64 = 4;

/// How many states are kept for mutations.
const MAX_POOL: usize = 4_096;

/// How many members and cells the kept states have together.
const MAX_POOL_SIZE: usize = 1 << 19;

/// The most numbers in tables, tuples and lists that are looked at as addresses.
const MAX_INNER: usize = 64;

/// A state that a machine can be given.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GeneratedState {
    /// The value of each member of the generator; `None` for one that is not given.
    members: Vec<Option<GeneratedMember>>,
}

impl GeneratedState {
    /// The number of its members and cells.
    fn size(&self) -> usize {
        let cells = |member: &Option<GeneratedMember>| match member {
            Some(GeneratedMember::Cells(cells)) => 1 + cells.len(),
            Some(GeneratedMember::Value(value)) => value.weight(usize::MAX).div_ceil(size_of::<Value>()),
            None => 1,
        };
        self.members.iter().map(cells).sum()
    }

    /// Where a member points.
    fn pointer(&self, index: usize) -> Option<u64> {
        let GeneratedMember::Value(value) = self.members[index].as_ref()? else { return None };
        value.number()
    }
}

/// The value of a member.
#[derive(Debug, Clone, PartialEq)]
enum GeneratedMember {
    Value(Value),
    Cells(BTreeMap<u64, BigInt>),
}

/// Makes states of one machine.
pub(super) struct StateGenerator {
    fields: Vec<&'static DeclaredField>,
    constants: Vec<(Name, Value)>,
    /// The members that can be addresses: numbers without a sign of at most 64 bits.
    pointers: Vec<usize>,
    /// Such numbers in tables, tuples and lists of a fixed length.
    inner_pointers: Vec<InnerPointer>,
    memories: Vec<StateMemory>,
    /// States that did something for the first time.
    pool: Vec<GeneratedState>,
    /// How many members and cells they have.
    pool_size: usize,
    /// The members that a state without a vector gives.
    is_given: Vec<bool>,
}

/// A number in a member that can be an address.
struct InnerPointer {
    member: usize,
    /// Where it is in the member.
    keys: Vec<PathKey>,
}

impl InnerPointer {
    /// Where it points in a state.
    fn place(&self, state: &GeneratedState) -> Option<u64> {
        let Some(GeneratedMember::Value(member)) = &state.members[self.member] else { return None };
        member.at(&self.keys)?.number()
    }
}

/// Whether a number of this type can be an address.
fn is_pointer(field_type: &FieldType) -> bool {
    matches!(field_type, FieldType::Unsigned(4..=64))
}

/// Adds the numbers in a datum of this type that can be addresses, which lies at these keys of a member.
fn add_pointers(field_type: &FieldType, (member, keys): (usize, &[PathKey]), found: &mut Vec<InnerPointer>) {
    let mut add = |key: PathKey, of: &FieldType| {
        let keys = [keys, &[key]].concat();
        if found.len() < MAX_INNER && is_pointer(of) {
            found.push(InnerPointer { member, keys });
        } else if found.len() < MAX_INNER {
            add_pointers(of, (member, &keys), found);
        }
    };
    match field_type {
        FieldType::Table(fields) => {
            for field in fields {
                add(PathKey::Name(field.name.clone()), &field.field_type);
            }
        }
        FieldType::Tuple(types) => {
            for (index, of) in types.iter().enumerate() {
                add(PathKey::Index(index), of);
            }
        }
        FieldType::Array(of, length) => {
            for index in 0..(*length).min(MAX_INNER) {
                add(PathKey::Index(index), of);
            }
        }
        _ => {}
    }
}

/// A memory among the members.
struct StateMemory {
    index: usize,
    /// The number of bits of an address.
    address: u32,
    cell: FieldType,
}

impl StateMemory {
    fn of(index: usize, field: &DeclaredField) -> Option<StateMemory> {
        let FieldType::Memory(MemoryType { address, cell }) = &field.field_type else { return None };
        Some(StateMemory { index, address: address.bits()?, cell: (**cell).clone() })
    }
}

impl StateGenerator {
    /// A generator of states with these members. `constants` are given in each state.
    pub(super) fn new(fields: Vec<&'static DeclaredField>, constants: Vec<(Name, Value)>) -> StateGenerator {
        let pointers = (0..fields.len()).filter(|index| is_pointer(&fields[*index].field_type)).collect();
        let mut inner_pointers = Vec::new();
        for (member, field) in fields.iter().enumerate() {
            add_pointers(&field.field_type, (member, &[]), &mut inner_pointers);
        }
        let memories = fields.iter().enumerate().filter_map(|(index, field)| StateMemory::of(index, field));
        let memories = memories.collect();
        let is_given = fields.iter().map(|field| is_small(&field.field_type)).collect();
        let pool = Vec::new();
        StateGenerator { fields, constants, pointers, inner_pointers, memories, pool, pool_size: 0, is_given }
    }

    /// Where numbers of a state point.
    fn places(&self, state: &GeneratedState) -> Vec<u64> {
        let members = self.pointers.iter().filter_map(|index| state.pointer(*index));
        members.chain(self.inner_pointers.iter().filter_map(|inner| inner.place(state))).collect()
    }

    /// The members.
    pub(super) fn fields(&self) -> &[&'static DeclaredField] {
        &self.fields
    }

    /// Gives only the members that some of these states give, if there are any.
    pub(super) fn give_like(&mut self, states: &[GeneratedState]) {
        if !states.is_empty() {
            for (index, is_given) in self.is_given.iter_mut().enumerate() {
                *is_given &= states.iter().any(|state| state.members[index].is_some());
            }
        }
    }

    pub(super) fn read(&self, program: &Value) -> GeneratedState {
        let member = |field: &&DeclaredField| {
            let value = program.get(&field.name)?.clone();
            Some(match (&field.field_type, &value) {
                (FieldType::Memory(_), Value::Record(cells)) => {
                    let cell = |(name, cell): &(Name, Value)| match cell {
                        Value::Int(number) => Some((address_of_key(name)?, number.clone())),
                        _ => None,
                    };
                    GeneratedMember::Cells(cells.iter().filter_map(cell).collect())
                }
                _ => GeneratedMember::Value(value),
            })
        };
        GeneratedState { members: self.fields.iter().map(member).collect() }
    }

    /// What a machine is given.
    pub(super) fn program(&self, state: &GeneratedState) -> Program {
        let members = self.given(state).into_iter().chain(self.constants.iter().cloned());
        Value::Record(members.collect()).into()
    }

    /// The members that a vector of a state gives.
    pub(super) fn given(&self, state: &GeneratedState) -> Vec<(Name, Value)> {
        let member = |(field, member): (&&DeclaredField, &Option<GeneratedMember>)| {
            let value = match member.as_ref()? {
                GeneratedMember::Value(value) => value.clone(),
                GeneratedMember::Cells(cells) => {
                    let cell =
                        |(address, cell): (&u64, &BigInt)| (address_key(*address), Value::Int(cell.clone()));
                    Value::Record(cells.iter().map(cell).collect())
                }
            };
            Some((field.name.clone(), value))
        };
        self.fields.iter().zip(&state.members).filter_map(member).collect()
    }

    /// A new state, or one of the pool with a few changes.
    pub(super) fn next(&self, numbers: &mut Numbers) -> GeneratedState {
        if self.pool.is_empty() || numbers.one_in(3) {
            return self.fresh(numbers);
        }
        let mut state = self.pool[numbers.below(self.pool.len())].clone();
        for _ in 0..=numbers.below(3) {
            self.mutate(&mut state, numbers);
        }
        self.list_cells(&mut state, numbers);
        state
    }

    /// Keeps a state for mutations.
    pub(super) fn keep(&mut self, state: GeneratedState) {
        let size = self.pool_size + state.size();
        if self.pool.len() < MAX_POOL && size <= MAX_POOL_SIZE {
            self.pool_size = size;
            self.pool.push(state);
        }
    }

    /// A state that has about half of its members, and of the cells where they point, from another one.
    pub(super) fn neighbour(&self, of: &GeneratedState, numbers: &mut Numbers) -> GeneratedState {
        let mut state = of.clone();
        for index in self.pointers.iter().copied().chain(self.others()) {
            if state.members[index].is_none() || !self.is_given[index] || numbers.one_in(2) {
                continue;
            }
            if self.pointers.contains(&index) && numbers.one_in(2) {
                let from = state.pointer(index);
                state.members[index] = Some(self.value(index, &state, numbers));
                self.move_cells(&mut state, of, index, from);
            } else {
                state.members[index] = Some(self.value(index, &state, numbers));
            }
        }
        for memory in &self.memories {
            let places = self.places(&state);
            let Some(GeneratedMember::Cells(cells)) = &mut state.members[memory.index] else { continue };
            for start in places.iter().flat_map(|start| (1..=2).map(|offset| start.wrapping_add(offset))) {
                if numbers.one_in(2) {
                    memory.aim_elsewhere(cells, start, numbers);
                }
            }
            for cell in cells.values_mut() {
                if numbers.one_in(2) {
                    *cell = number(&memory.cell, numbers);
                }
            }
        }
        state
    }

    /// Sets a member that is a number.
    pub(super) fn set_number(&self, state: &mut GeneratedState, index: usize, value: u64) {
        let of = &self.fields[index].field_type;
        let value = if *of == FieldType::Bool { Value::Bool(value == 1) } else { Value::Int(value.into()) };
        state.members[index] = Some(GeneratedMember::Value(value));
    }

    /// Sets a cell of a memory.
    pub(super) fn set_cell(&self, state: &mut GeneratedState, cell: CellAtPointer, value: u64) {
        let Some(memory) = self.memories.iter().find(|memory| memory.index == cell.memory) else { return };
        let start = state.pointer(cell.pointer).unwrap_or_default();
        let address = wrapped(start.wrapping_add(cell.offset), memory.address);
        let member = state.members[memory.index].get_or_insert(GeneratedMember::Cells(BTreeMap::new()));
        if let GeneratedMember::Cells(cells) = member {
            cells.insert(address, value.into());
        }
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        let is_memory = |index: usize| self.memories.iter().any(|memory| memory.index == index);
        (0..self.fields.len()).filter(move |index| !self.pointers.contains(index) && !is_memory(*index))
    }

    fn fresh(&self, numbers: &mut Numbers) -> GeneratedState {
        let mut state = GeneratedState { members: vec![None; self.fields.len()] };
        for index in self.pointers.iter().copied().chain(self.others()) {
            if self.is_given[index] {
                state.members[index] = Some(self.value(index, &state, numbers));
            }
        }
        for memory in self.memories.iter().filter(|memory| self.is_given[memory.index]) {
            state.members[memory.index] = Some(GeneratedMember::Cells(BTreeMap::new()));
        }
        self.list_cells(&mut state, numbers);
        state
    }

    /// A value of a member. A number may be near another one of the state.
    fn value(&self, index: usize, state: &GeneratedState, numbers: &mut Numbers) -> GeneratedMember {
        let field_type = &self.fields[index].field_type;
        if let FieldType::Unsigned(bits @ 0..=64) = *field_type
            && numbers.one_in(8)
        {
            let chosen = numbers.below(self.pointers.len().max(1));
            let other = self.pointers.get(chosen).and_then(|other| state.pointer(*other));
            if let Some(other) = other {
                let near = other.wrapping_add(numbers.below(5) as u64).wrapping_sub(2);
                return GeneratedMember::Value(Value::Int(wrapped(near, bits).into()));
            }
        }
        GeneratedMember::Value(value(field_type, numbers))
    }

    /// Lists cells where members point, and where these cells point.
    pub(super) fn list_cells(&self, state: &mut GeneratedState, numbers: &mut Numbers) {
        for memory in &self.memories {
            let mut places = self.places(state);
            places.extend(numbers.one_in(4).then(|| numbers.bits()));
            let Some(GeneratedMember::Cells(cells)) = &mut state.members[memory.index] else { continue };
            let mut found = Vec::new();
            for start in places {
                if numbers.one_in(8) {
                    continue;
                }
                for offset in 0..=numbers.below(3) as u64 {
                    memory.list(cells, start.wrapping_add(offset), numbers);
                }
                found.push(start);
            }
            for start in found.iter().flat_map(|start| [*start, start.wrapping_add(1)]) {
                if numbers.one_in(3) {
                    continue;
                }
                if let Some(address) = memory.address_at(cells, start, numbers) {
                    memory.list(cells, address, numbers);
                }
            }
        }
    }

    fn mutate(&self, state: &mut GeneratedState, numbers: &mut Numbers) {
        match numbers.below(6) {
            0 | 1 => self.change_member(state, numbers),
            2 => self.change_cell(state, numbers),
            3 => self.aim(state, numbers),
            _ => self.splice(state, numbers),
        }
    }

    /// Gives a member a new value, or one next to it or with one bit changed.
    fn change_member(&self, state: &mut GeneratedState, numbers: &mut Numbers) {
        let index = numbers.below(self.fields.len());
        if !self.is_given[index] {
            return;
        }
        let Some(GeneratedMember::Value(old)) = &state.members[index] else { return };
        let field_type = &self.fields[index].field_type;
        let near = match (old, field_type.bits()) {
            (Value::Int(old), Some(bits)) if numbers.one_in(2) => {
                let new = match numbers.below(3) {
                    0 => old + 1,
                    1 => old - 1,
                    _ => old ^ (BigInt::from(1) << numbers.below(bits as usize)),
                };
                field_type.has(&new).then_some(new)
            }
            _ => None,
        };
        state.members[index] = Some(match near {
            Some(number) => GeneratedMember::Value(Value::Int(number)),
            None => self.value(index, state, numbers),
        });
    }

    fn change_cell(&self, state: &mut GeneratedState, numbers: &mut Numbers) {
        if self.memories.is_empty() {
            return;
        }
        let memory = &self.memories[numbers.below(self.memories.len())];
        let Some(GeneratedMember::Cells(cells)) = &mut state.members[memory.index] else { return };
        if cells.is_empty() {
            return;
        }
        let chosen = numbers.below(cells.len());
        if let Some(cell) = cells.values_mut().nth(chosen) {
            *cell = number(&memory.cell, numbers);
        }
    }

    /// Lets a member point to a cell that is listed.
    fn aim(&self, state: &mut GeneratedState, numbers: &mut Numbers) {
        if self.memories.is_empty() || self.pointers.is_empty() {
            return;
        }
        let memory = &self.memories[numbers.below(self.memories.len())];
        let pointer = self.pointers[numbers.below(self.pointers.len())];
        let Some(GeneratedMember::Cells(cells)) = &state.members[memory.index] else { return };
        let chosen = numbers.below(cells.len().max(1));
        let address = cells.keys().nth(chosen).copied().map(BigInt::from);
        if let Some(address) = address.filter(|it| self.fields[pointer].field_type.has(it)) {
            state.members[pointer] = Some(GeneratedMember::Value(Value::Int(address)));
        }
    }

    /// Takes members of another state of the pool, or the cells where one of them points.
    fn splice(&self, state: &mut GeneratedState, numbers: &mut Numbers) {
        let other = &self.pool[numbers.below(self.pool.len())];
        if numbers.one_in(2) || self.pointers.is_empty() {
            for index in self.pointers.iter().copied().chain(self.others()) {
                if other.members[index].is_some() && numbers.one_in(2) {
                    state.members[index].clone_from(&other.members[index]);
                }
            }
            return;
        }
        let pointer = self.pointers[numbers.below(self.pointers.len())];
        self.move_cells(state, other, pointer, other.pointer(pointer));
    }

    /// Copies the cells of another state from an address to where a member points.
    fn move_cells(
        &self,
        state: &mut GeneratedState,
        other: &GeneratedState,
        pointer: usize,
        from: Option<u64>,
    ) {
        let (Some(from), Some(to)) = (from, state.pointer(pointer)) else { return };
        for memory in &self.memories {
            let (Some(GeneratedMember::Cells(own)), Some(GeneratedMember::Cells(others))) =
                (&mut state.members[memory.index], &other.members[memory.index])
            else {
                continue;
            };
            for offset in 0..MOVED {
                let at = |start: u64| wrapped(start.wrapping_add(offset), memory.address);
                if let Some(cell) = others.get(&at(from)) {
                    own.insert(at(to), cell.clone());
                }
            }
        }
    }
}

/// The cell of a memory that lies `offset` cells after the one where a member points: the indices of both among the
/// members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CellAtPointer {
    pub(super) memory: usize,
    pub(super) pointer: usize,
    pub(super) offset: u64,
}

impl StateMemory {
    /// Lists a cell if it is not listed yet.
    fn list(&self, cells: &mut BTreeMap<u64, BigInt>, address: u64, numbers: &mut Numbers) {
        if cells.len() < MAX_CELLS {
            cells.entry(wrapped(address, self.address)).or_insert_with(|| number(&self.cell, numbers));
        }
    }

    /// The address that lies in the memory at `start`, with the least or the most significant part first.
    fn address_at(&self, cells: &BTreeMap<u64, BigInt>, start: u64, numbers: &mut Numbers) -> Option<u64> {
        self.parts(start, ByteOrder::random(numbers))?
            .into_iter()
            .try_fold(0, |address, (at, shift)| Some(address | u64::try_from(cells.get(&at)?).ok()? << shift))
    }

    /// Lets the address that lies in the memory at `start` be another one, and copies the cell there.
    fn aim_elsewhere(&self, cells: &mut BTreeMap<u64, BigInt>, start: u64, numbers: &mut Numbers) {
        let Some(parts) = self.parts(start, ByteOrder::random(numbers)) else { return };
        let mut old = 0;
        for (at, shift) in &parts {
            let Some(part) = cells.get(at).and_then(|cell| u64::try_from(cell).ok()) else { return };
            old |= part << shift;
        }
        let Some(cell) = cells.get(&wrapped(old, self.address)).cloned() else { return };
        let new = wrapped(numbers.bits(), self.address);
        cells.insert(new, cell);
        for (at, shift) in parts {
            cells.insert(at, wrapped(new >> shift, self.cell.bits().unwrap_or(u64::BITS)).into());
        }
    }

    /// The cells of an address that lies in the memory at `start`, each with the place of its lowest bit. `None` if an
    /// address has no cells.
    fn parts(&self, start: u64, order: ByteOrder) -> Option<Vec<(u64, u32)>> {
        let width = self.cell.bits().filter(|width| *width > 0)?;
        let count = self.address.div_ceil(width);
        let part = |number: u32| {
            let place = match order {
                ByteOrder::LeastFirst => number,
                ByteOrder::MostFirst => count - 1 - number,
            };
            (wrapped(start.wrapping_add(number.into()), self.address), place * width)
        };
        let parts: Vec<_> = (0..count).map(part).collect();
        parts.iter().all(|part| part.1 < u64::BITS).then_some(parts)
    }
}

/// Which cell of an address comes first.
#[derive(Debug, Clone, Copy)]
enum ByteOrder {
    LeastFirst,
    MostFirst,
}

impl ByteOrder {
    fn random(numbers: &mut Numbers) -> ByteOrder {
        if numbers.one_in(2) { ByteOrder::MostFirst } else { ByteOrder::LeastFirst }
    }
}

#[cfg(test)]
mod tests;
