//! Arrays, Structs and Maps.

use std::rc::Rc;

use super::count::Change;
use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;
use super::heap::Id;
use super::item::Item;
use super::map::Entry;

/// The most items of a compound.
const MAX_ITEMS: usize = 1024;

#[inline(never)]
pub(super) fn arraysize(f: &mut Frame<'_>) -> Flow {
    let item = f.pop()?;
    let (size, change) = match item {
        Item::Array(id) | Item::Struct(id) => (f.core.heap.list(id).len(), Change::Loose(0)),
        Item::Map(id) => (f.core.heap.map(id).len(), Change::Loose(0)),
        other => (f.bytes_of(&other)?.len(), Change::Strict(0)),
    };
    f.push(size);
    f.note(change)
}

#[inline(never)]
pub(super) fn pack(f: &mut Frame<'_>) -> Flow {
    let count = f.pop_count()?;
    need_room(count)?;
    let depth = f.items().len();
    let below = depth.checked_sub(count).ok_or(Stop::Faulted(Fault::Underflow))?;
    let items = f.core.stack.drain(f.base + below..).rev().collect();
    push_list(f, Item::Array, items)
}

#[inline(never)]
pub(super) fn unpack(f: &mut Frame<'_>) -> Flow {
    let id = pop_list(f)?;
    let core = &mut *f.core;
    let items = core.heap.list(id);
    core.stack.extend(items.iter().rev().cloned());
    let count = items.len();
    f.push(count);
    f.core.work_on_items(count)?;
    f.charge(Change::Loose(count as i32))
}

#[inline(never)]
pub(super) fn pickitem(f: &mut Frame<'_>) -> Flow {
    let key = f.pop_key()?;
    let item = match f.pop()? {
        Item::Array(id) | Item::Struct(id) => {
            let index = index(f, id, &key)?;
            f.core.heap.list(id)[index].clone()
        }
        Item::Map(id) => {
            let key = known_key(f, id, &key)?;
            let value = key.and_then(|key| f.core.heap.map(id).get(&key).cloned());
            value.ok_or(Stop::Faulted(Fault::NoSuchKey))?
        }
        _ => return Err(Fault::WrongType.into()),
    };
    f.push(item);
    f.note(Change::Loose(-1))
}

#[inline(never)]
pub(super) fn setitem(f: &mut Frame<'_>) -> Flow {
    let value = pop_value(f)?;
    let key = f.pop_key()?;
    match f.pop()? {
        Item::Array(id) | Item::Struct(id) => {
            let index = index(f, id, &key)?;
            f.core.heap.list_mut(id)[index] = value;
        }
        Item::Map(id) => set_entry(f, id, Entry { key, value })?,
        _ => return Err(Fault::WrongType.into()),
    }
    f.charge(Change::Unknown)
}

fn set_entry(f: &mut Frame<'_>, id: Id, entry: Entry) -> Flow {
    let key = f.bytes_of(&entry.key)?;
    let heap = &mut f.core.heap;
    if let Some(value) = heap.map_mut(id).get_mut(&key) {
        *value = entry.value;
        return Ok(());
    }
    need_room(heap.map(id).len() + 1)?;
    heap.allocate_entry(key.len())?;
    heap.map_mut(id).insert(key, entry);
    Ok(())
}

#[inline(never)]
pub(super) fn newarray(f: &mut Frame<'_>) -> Flow {
    match f.pop()? {
        array @ Item::Array(_) => {
            f.push(array);
            f.charge(Change::Unknown)
        }
        other => new_list(f, Item::Array, &other),
    }
}

#[inline(never)]
pub(super) fn newstruct(f: &mut Frame<'_>) -> Flow {
    match f.pop()? {
        structure @ Item::Struct(_) => {
            f.push(structure);
            f.charge(Change::Unknown)
        }
        other => new_list(f, Item::Struct, &other),
    }
}

/// Pushes a list with the items of another one, or as long as a number says.
fn new_list(f: &mut Frame<'_>, kind: fn(Id) -> Item, like: &Item) -> Flow {
    if let Item::Array(id) | Item::Struct(id) = like {
        push_list(f, kind, f.core.heap.list(*id).to_vec())?;
        return f.charge(Change::Unknown);
    }
    let count = f.size_of(like)?;
    need_room(count)?;
    push_list(f, kind, vec![Item::Boolean(false); count])?;
    f.charge(Change::Strict(count as i32))
}

#[inline(never)]
pub(super) fn newmap(f: &mut Frame<'_>) -> Flow {
    let map = f.core.heap.add_map()?;
    f.push_new(Item::Map(map))?;
    f.charge(Change::Strict(1))
}

#[inline(never)]
pub(super) fn append(f: &mut Frame<'_>) -> Flow {
    let value = pop_value(f)?;
    let id = pop_list(f)?;
    let heap = &mut f.core.heap;
    need_room(heap.list(id).len() + 1)?;
    heap.allocate_place()?;
    heap.list_mut(id).push(value);
    f.charge(Change::Unknown)
}

#[inline(never)]
pub(super) fn reverse(f: &mut Frame<'_>) -> Flow {
    let item = f.pop()?;
    f.note(Change::Loose(-1))?;
    let list = f.core.heap.list_mut(list_of(&item)?);
    list.reverse();
    let count = list.len();
    f.core.work_on_items(count)
}

#[inline(never)]
pub(super) fn remove(f: &mut Frame<'_>) -> Flow {
    let key = f.pop_key()?;
    let compound = f.pop()?;
    f.note(Change::Loose(-2))?;
    match compound {
        Item::Array(id) | Item::Struct(id) => {
            let index = index(f, id, &key)?;
            let list = f.core.heap.list_mut(id);
            list.remove(index);
            let moved = list.len() - index;
            f.core.work_on_items(moved)
        }
        Item::Map(id) => {
            if let Some(key) = known_key(f, id, &key)? {
                f.core.heap.map_mut(id).remove(&key);
            }
            Ok(())
        }
        _ => Err(Fault::WrongType.into()),
    }
}

#[inline(never)]
pub(super) fn haskey(f: &mut Frame<'_>) -> Flow {
    let key = f.pop_key()?;
    let found = match f.pop()? {
        Item::Array(id) | Item::Struct(id) => f.size_of(&key)? < f.core.heap.list(id).len(),
        Item::Map(id) => {
            let key = known_key(f, id, &key)?;
            key.is_some_and(|key| f.core.heap.map(id).get(&key).is_some())
        }
        _ => return Err(Fault::WrongType.into()),
    };
    f.push(found);
    f.note(Change::Loose(-1))
}

#[inline(never)]
pub(super) fn keys(f: &mut Frame<'_>) -> Flow {
    let Item::Map(id) = f.pop()? else { return Err(Fault::WrongType.into()) };
    let keys: Vec<_> = f.core.heap.map(id).entries().map(|entry| entry.key.clone()).collect();
    let count = keys.len();
    push_list(f, Item::Array, keys)?;
    f.charge(Change::Loose(count as i32))
}

#[inline(never)]
pub(super) fn values(f: &mut Frame<'_>) -> Flow {
    let mut values: Vec<_> = match f.pop()? {
        Item::Array(id) | Item::Struct(id) => f.core.heap.list(id).to_vec(),
        Item::Map(id) => f.core.heap.map(id).entries().map(|entry| entry.value.clone()).collect(),
        _ => return Err(Fault::WrongType.into()),
    };
    clone_structs(f, &mut values)?;
    push_list(f, Item::Array, values)?;
    f.charge(Change::Unknown)
}

/// Pushes a new compound with these items. Garbage may be removed, as in [`Frame::push_new`].
fn push_list(f: &mut Frame<'_>, kind: fn(Id) -> Item, items: Vec<Item>) -> Flow {
    f.core.work_on_items(items.len())?;
    let list = f.core.heap.add_list(items)?;
    f.push_new(kind(list))
}

/// Takes the top item, of which a compound will keep a copy if it is a Struct.
fn pop_value(f: &mut Frame<'_>) -> Result<Item, Stop> {
    let mut value = [f.pop()?];
    clone_structs(f, &mut value)?;
    let [value] = value;
    Ok(value)
}

/// Replaces each Struct by a new one with the same items, of which Structs are cloned likewise.
/// One that is met twice becomes two, so that a few of them can become very many.
fn clone_structs(f: &mut Frame<'_>, items: &mut [Item]) -> Flow {
    let mut unfinished = Vec::new();
    for item in items {
        copy_if_struct(f, item, &mut unfinished)?;
    }
    while let Some(copy) = unfinished.pop() {
        let mut items = std::mem::take(f.core.heap.list_mut(copy));
        for item in &mut items {
            copy_if_struct(f, item, &mut unfinished)?;
        }
        *f.core.heap.list_mut(copy) = items;
    }
    Ok(())
}

/// Replaces a Struct by a copy, of which the Structs are those of the original yet.
fn copy_if_struct(f: &mut Frame<'_>, item: &mut Item, unfinished: &mut Vec<Id>) -> Flow {
    let Item::Struct(id) = item else { return Ok(()) };
    let items = f.core.heap.list(*id).to_vec();
    f.core.work(1 + items.len() as u64)?;
    *id = f.core.heap.add_list(items)?;
    unfinished.push(*id);
    Ok(())
}

/// Takes the top item as an Array or a Struct.
fn pop_list(f: &mut Frame<'_>) -> Result<Id, Stop> {
    list_of(&f.pop()?)
}

fn list_of(item: &Item) -> Result<Id, Stop> {
    match item {
        Item::Array(id) | Item::Struct(id) => Ok(*id),
        _ => Err(Fault::WrongType.into()),
    }
}

fn need_room(count: usize) -> Flow {
    if count <= MAX_ITEMS { Ok(()) } else { Err(Fault::CompoundTooLarge.into()) }
}

/// The index that a key is, of an item that a list has.
fn index(f: &mut Frame<'_>, list: Id, key: &Item) -> Result<usize, Stop> {
    let index = f.size_of(key)?;
    if index < f.core.heap.list(list).len() { Ok(index) } else { Err(Fault::NoSuchIndex.into()) }
}

/// The bytes of a key to look for in a map; none in a map that never had an entry, where nobody
/// looks at them.
fn known_key(f: &mut Frame<'_>, map: Id, key: &Item) -> Result<Option<Rc<Vec<u8>>>, Stop> {
    if f.core.heap.map(map).is_untouched() { Ok(None) } else { f.bytes_of(key).map(Some) }
}
