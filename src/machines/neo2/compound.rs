//! Arrays, Structs and Maps.

use std::rc::Rc;

use super::count::CountChange;
use super::fault::{Neo2Fault, Neo2Flow, Neo2Stop};
use super::frame::Neo2Frame;
use super::heap::{ENTRY, PLACE};
use super::item::Neo2Id;
use super::item::Neo2Item;
use super::map::MapEntry;

/// The charge for looking up a key of a Map, in units.
const LOOK_UP: u64 = 8;

/// How many bytes of a key are hashed per unit.
const BYTES_HASHED_IN_UNIT: usize = 8;

/// The maximum number of items of a compound.
const MAX_ITEMS: usize = 1024;

#[inline(never)]
pub(super) fn arraysize(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let item = frame.pop()?;
    let (size, change) = match item {
        Neo2Item::Array(id) | Neo2Item::Struct(id) => (frame.core.heap.list(id).len(), CountChange::Loose(0)),
        Neo2Item::Map(id) => (frame.core.heap.map(id).len(), CountChange::Loose(0)),
        other => (frame.bytes_of(&other)?.len(), CountChange::Strict(0)),
    };
    frame.push(size);
    frame.note(change)
}

#[inline(never)]
pub(super) fn pack(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let count = frame.pop_count()?;
    need_room(count)?;
    let depth = frame.items().len();
    let below = depth.checked_sub(count).ok_or(Neo2Stop::Faulted(Neo2Fault::Underflow))?;
    frame.core.work(count as u64 / 2)?;
    let items = frame.core.stack.drain(frame.base + below..).rev().collect();
    push_list(frame, Neo2Item::Array, items)
}

#[inline(never)]
pub(super) fn unpack(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let id = pop_list(frame)?;
    let core = &mut *frame.core;
    let items = core.heap.list(id);
    core.stack.extend(items.iter().rev().cloned());
    let count = items.len();
    frame.push(count);
    frame.core.work_on_items(count)?;
    frame.charge(CountChange::Loose(count as i32))
}

#[inline(never)]
pub(super) fn pickitem(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let key = frame.pop_key()?;
    let item = match frame.pop()? {
        Neo2Item::Array(id) | Neo2Item::Struct(id) => {
            let index = index(frame, id, &key)?;
            frame.core.heap.list(id)[index].clone()
        }
        Neo2Item::Map(id) => {
            let key = known_key(frame, id, &key)?;
            let value = key.and_then(|key| frame.core.heap.map(id).get(&key).cloned());
            value.ok_or(Neo2Stop::Faulted(Neo2Fault::NoSuchKey))?
        }
        _ => return Err(Neo2Fault::WrongType.into()),
    };
    frame.push(item);
    frame.note(CountChange::Loose(-1))
}

#[inline(never)]
pub(super) fn setitem(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.core.work(LOOK_UP / 2)?;
    let value = pop_value(frame)?;
    let key = frame.pop_key()?;
    match frame.pop()? {
        Neo2Item::Array(id) | Neo2Item::Struct(id) => {
            let index = index(frame, id, &key)?;
            frame.core.heap.list_mut(id)[index] = value;
        }
        Neo2Item::Map(id) => set_entry(frame, id, MapEntry { key, value })?,
        _ => return Err(Neo2Fault::WrongType.into()),
    }
    frame.charge(CountChange::Unknown)
}

fn set_entry(frame: &mut Neo2Frame<'_>, id: Neo2Id, entry: MapEntry) -> Neo2Flow {
    let key = key_bytes(frame, &entry.key)?;
    let core = &mut *frame.core;
    if let Some(value) = core.heap.map_mut(id).get_mut(&key) {
        *value = entry.value;
        return Ok(());
    }
    need_room(core.heap.map(id).len() + 1)?;
    core.hold(ENTRY + key.len() as u64)?;
    core.heap.map_mut(id).insert(key, entry);
    Ok(())
}

#[inline(never)]
pub(super) fn newarray(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    match frame.pop()? {
        array @ Neo2Item::Array(_) => {
            frame.push(array);
            frame.charge(CountChange::Unknown)
        }
        other => new_list(frame, Neo2Item::Array, &other),
    }
}

#[inline(never)]
pub(super) fn newstruct(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    match frame.pop()? {
        structure @ Neo2Item::Struct(_) => {
            frame.push(structure);
            frame.charge(CountChange::Unknown)
        }
        other => new_list(frame, Neo2Item::Struct, &other),
    }
}

/// Pushes a list with the items of another one, or with the length given by a number.
fn new_list(frame: &mut Neo2Frame<'_>, kind: fn(Neo2Id) -> Neo2Item, like: &Neo2Item) -> Neo2Flow {
    if let Neo2Item::Array(id) | Neo2Item::Struct(id) = like {
        push_list(frame, kind, frame.core.heap.list(*id).to_vec())?;
        return frame.charge(CountChange::Unknown);
    }
    let count = frame.size_of(like)?;
    need_room(count)?;
    push_list(frame, kind, vec![Neo2Item::Boolean(false); count])?;
    frame.charge(CountChange::Strict(count as i32))
}

#[inline(never)]
pub(super) fn newmap(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let map = frame.core.add_map()?;
    frame.push_new(Neo2Item::Map(map))?;
    frame.charge(CountChange::Strict(1))
}

#[inline(never)]
pub(super) fn append(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let value = pop_value(frame)?;
    let id = pop_list(frame)?;
    let core = &mut *frame.core;
    need_room(core.heap.list(id).len() + 1)?;
    core.hold(PLACE)?;
    core.heap.list_mut(id).push(value);
    frame.charge(CountChange::Unknown)
}

#[inline(never)]
pub(super) fn reverse(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let item = frame.pop()?;
    frame.note(CountChange::Loose(-1))?;
    let list = frame.core.heap.list_mut(list_of(&item)?);
    list.reverse();
    let count = list.len();
    frame.core.work_on_items(count)
}

#[inline(never)]
pub(super) fn remove(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let key = frame.pop_key()?;
    let compound = frame.pop()?;
    frame.note(CountChange::Loose(-2))?;
    match compound {
        Neo2Item::Array(id) | Neo2Item::Struct(id) => {
            let index = index(frame, id, &key)?;
            let list = frame.core.heap.list_mut(id);
            list.remove(index);
            let moved = list.len() - index;
            frame.core.work_on_items(moved)
        }
        Neo2Item::Map(id) => {
            if let Some(key) = known_key(frame, id, &key)? {
                frame.core.heap.map_mut(id).remove(&key);
            }
            Ok(())
        }
        _ => Err(Neo2Fault::WrongType.into()),
    }
}

#[inline(never)]
pub(super) fn haskey(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let key = frame.pop_key()?;
    let found = match frame.pop()? {
        Neo2Item::Array(id) | Neo2Item::Struct(id) => frame.size_of(&key)? < frame.core.heap.list(id).len(),
        Neo2Item::Map(id) => {
            let key = known_key(frame, id, &key)?;
            key.is_some_and(|key| frame.core.heap.map(id).get(&key).is_some())
        }
        _ => return Err(Neo2Fault::WrongType.into()),
    };
    frame.push(found);
    frame.note(CountChange::Loose(-1))
}

#[inline(never)]
pub(super) fn keys(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let Neo2Item::Map(id) = frame.pop()? else { return Err(Neo2Fault::WrongType.into()) };
    let keys: Vec<_> = frame.core.heap.map(id).entries().map(|entry| entry.key.clone()).collect();
    let count = keys.len();
    push_list(frame, Neo2Item::Array, keys)?;
    frame.charge(CountChange::Loose(count as i32))
}

#[inline(never)]
pub(super) fn values(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let mut values: Vec<_> = match frame.pop()? {
        Neo2Item::Array(id) | Neo2Item::Struct(id) => frame.core.heap.list(id).to_vec(),
        Neo2Item::Map(id) => frame.core.heap.map(id).entries().map(|entry| entry.value.clone()).collect(),
        _ => return Err(Neo2Fault::WrongType.into()),
    };
    clone_structs(frame, &mut values)?;
    push_list(frame, Neo2Item::Array, values)?;
    frame.charge(CountChange::Unknown)
}

/// Pushes a new compound with these items. Garbage may be removed, as in [`Neo2Frame::push_new`].
fn push_list(frame: &mut Neo2Frame<'_>, kind: fn(Neo2Id) -> Neo2Item, items: Vec<Neo2Item>) -> Neo2Flow {
    frame.core.work_on_items(items.len())?;
    let list = frame.core.add_list(items)?;
    frame.push_new(kind(list))
}

/// Pops an item to store in a compound; a Struct is copied.
fn pop_value(frame: &mut Neo2Frame<'_>) -> Result<Neo2Item, Neo2Stop> {
    let mut value = [frame.pop()?];
    clone_structs(frame, &mut value)?;
    let [value] = value;
    Ok(value)
}

/// Replaces each Struct with a deep copy. A Struct that occurs twice is copied twice, so a few Structs can
/// become very many.
fn clone_structs(frame: &mut Neo2Frame<'_>, items: &mut [Neo2Item]) -> Neo2Flow {
    let mut unfinished = Vec::new();
    for item in items {
        copy_if_struct(frame, item, &mut unfinished)?;
    }
    while let Some(copy) = unfinished.pop() {
        let mut items = std::mem::take(frame.core.heap.list_mut(copy));
        for item in &mut items {
            copy_if_struct(frame, item, &mut unfinished)?;
        }
        *frame.core.heap.list_mut(copy) = items;
    }
    Ok(())
}

/// Replaces a Struct with a shallow copy: nested Structs are still those of the original.
fn copy_if_struct(frame: &mut Neo2Frame<'_>, item: &mut Neo2Item, unfinished: &mut Vec<Neo2Id>) -> Neo2Flow {
    let Neo2Item::Struct(id) = item else { return Ok(()) };
    let items = frame.core.heap.list(*id).to_vec();
    *id = frame.core.add_list(items)?;
    unfinished.push(*id);
    Ok(())
}

/// Pops an Array or a Struct.
fn pop_list(frame: &mut Neo2Frame<'_>) -> Result<Neo2Id, Neo2Stop> {
    list_of(&frame.pop()?)
}

fn list_of(item: &Neo2Item) -> Result<Neo2Id, Neo2Stop> {
    match item {
        Neo2Item::Array(id) | Neo2Item::Struct(id) => Ok(*id),
        _ => Err(Neo2Fault::WrongType.into()),
    }
}

fn need_room(count: usize) -> Neo2Flow {
    if count <= MAX_ITEMS { Ok(()) } else { Err(Neo2Fault::CompoundTooLarge.into()) }
}

/// The key as the index of an existing item of a list.
fn index(frame: &mut Neo2Frame<'_>, list: Neo2Id, key: &Neo2Item) -> Result<usize, Neo2Stop> {
    let index = frame.size_of(key)?;
    if index < frame.core.heap.list(list).len() { Ok(index) } else { Err(Neo2Fault::NoSuchIndex.into()) }
}

/// The bytes of a key to look up in a map; `None` for a map that never had an entry, since the key is then
/// not examined.
fn known_key(
    frame: &mut Neo2Frame<'_>,
    map: Neo2Id,
    key: &Neo2Item,
) -> Result<Option<Rc<Vec<u8>>>, Neo2Stop> {
    if frame.core.heap.map(map).is_untouched() {
        return Ok(None);
    }
    key_bytes(frame, key).map(Some)
}

/// The bytes of a key that is about to be looked up in a map.
fn key_bytes(frame: &mut Neo2Frame<'_>, key: &Neo2Item) -> Result<Rc<Vec<u8>>, Neo2Stop> {
    let bytes = frame.bytes_of(key)?;
    frame.core.work(LOOK_UP + (bytes.len() / BYTES_HASHED_IN_UNIT) as u64)?;
    Ok(bytes)
}
