//! Arrays, Structs, Maps, and access to single bytes of a Buffer or a primitive item.

use num_bigint::BigInt;

use super::fault::{Neo3End, Neo3Fault, Neo3Flow, Neo3Stop};
use super::frame::{ALLOCATION, BYTES_OF_UNIT, Neo3Frame};
use super::heap::{CompoundContent, Neo3Heap};
use super::item::{ItemType, Neo3Id, Neo3Item};
use super::map::{MapKey, Neo3Map};
use super::stack::MOVED_IN_UNIT;
use super::value::{int32, integer, number, with_bytes};
use crate::machines::interpreter::Interpreted;

/// The charge for looking up a key of a Map or a byte, in units.
const UNITS_OF_KEY: usize = 12;
/// The charge for copying an item out of a compound, in units.
const UNITS_OF_COPY: usize = 2;
/// The charge for cloning an item of a Struct, in units.
const UNITS_OF_CLONE: usize = 15;

const NOT_TAKEN: Neo3Fault = Neo3Fault::Wrong("The instruction does not take an item of this type.");
const NO_KEY: Neo3Fault = Neo3Fault::Wrong("A key or an index must be a Boolean, Integer or ByteString.");
/// The reference implementation's names of compounds in faults about their size.
const ARRAY: &str = "array";
const STRUCT: &str = "struct";
const MAP: &str = "map";

/// The fault for an item of a type that the instruction does not take.
#[cold]
fn not_taken(op: &'static str, item: &Neo3Item) -> Neo3Stop {
    Neo3Fault::ItemType { op, found: item.kind() }.into()
}

pub(super) fn packmap(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.make_room()?;
    let size = 2 * i64::from(frame.pop_int32()?);
    let count = compound_size(MAP, size, frame.height() as u64)? / 2;
    frame.work(ALLOCATION + count * UNITS_OF_KEY)?;
    let mut pairs = Neo3Map::with_capacity(count);
    for _ in 0..count {
        let (key, value) = (MapKey::of(&frame.pop()?)?, frame.pop()?);
        pairs.insert(key, value);
    }
    let map = frame.core.heap.add(CompoundContent::Map(pairs));
    frame.push(Neo3Item::Map(map));
    Ok(())
}

pub(super) fn packstruct(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    pack_as(frame, STRUCT, Neo3Item::Struct)
}

pub(super) fn pack(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    pack_as(frame, ARRAY, Neo3Item::Array)
}

fn pack_as(frame: &mut Neo3Frame<'_>, what: &'static str, item: fn(Neo3Id) -> Neo3Item) -> Neo3Flow {
    frame.make_room()?;
    let size = frame.pop_int32()?;
    let count = compound_size(what, size.into(), frame.height() as u64)?;
    frame.visit(count)?;
    let items = frame.pop_all(count);
    push_list(frame, items, item)
}

/// Pushes a new list.
fn push_list(frame: &mut Neo3Frame<'_>, items: Vec<Neo3Item>, item: fn(Neo3Id) -> Neo3Item) -> Neo3Flow {
    frame.work(ALLOCATION)?;
    frame.visit(items.len())?;
    let list = frame.core.heap.add_list(items);
    frame.push(item(list));
    Ok(())
}

pub(super) fn unpack(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let compound = frame.pop()?;
    let (count, items) = match compound {
        Neo3Item::Array(list) | Neo3Item::Struct(list) => {
            let items = frame.core.heap.list(list).to_vec();
            (items.len(), items)
        }
        Neo3Item::Map(map) => {
            let pairs = frame.core.heap.map(map);
            (pairs.len(), pairs.iter().flat_map(|(key, value)| [key.item(), value.clone()]).collect())
        }
        other => return Err(not_taken("UNPACK", &other)),
    };
    frame.work(ALLOCATION / 2 + UNITS_OF_COPY * items.len())?;
    items.into_iter().rev().for_each(|item| frame.push(item));
    frame.push(Neo3Item::count(count));
    Ok(())
}

pub(super) fn newarray0(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.make_room()?;
    push_list(frame, Vec::new(), Neo3Item::Array)
}

pub(super) fn newstruct0(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.make_room()?;
    push_list(frame, Vec::new(), Neo3Item::Struct)
}

pub(super) fn newmap(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.make_room()?;
    frame.work(ALLOCATION)?;
    let map = frame.core.heap.add(CompoundContent::Map(Neo3Map::new()));
    frame.push(Neo3Item::Map(map));
    Ok(())
}

pub(super) fn newarray(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let count = pop_count(frame, ARRAY)?;
    push_list(frame, vec![Neo3Item::Null; count], Neo3Item::Array)
}

pub(super) fn newarray_t(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let [code] = frame.operand()?;
    let count = pop_count(frame, ARRAY)?;
    let filling = match ItemType::of_code(code).ok_or(Neo3Fault::NewArrayType(code))? {
        ItemType::Boolean => Neo3Item::Boolean(false),
        ItemType::Integer => Neo3Item::Integer(0),
        ItemType::ByteString => Neo3Item::bytes([]),
        ItemType::Any
        | ItemType::Pointer
        | ItemType::Buffer
        | ItemType::Array
        | ItemType::Struct
        | ItemType::Map
        | ItemType::InteropInterface => Neo3Item::Null,
    };
    push_list(frame, vec![filling; count], Neo3Item::Array)
}

pub(super) fn newstruct(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let count = pop_count(frame, STRUCT)?;
    push_list(frame, vec![Neo3Item::Null; count], Neo3Item::Struct)
}

/// Pops the size of a new list.
fn pop_count(frame: &mut Neo3Frame<'_>, what: &'static str) -> Result<usize, Neo3Stop> {
    frame.make_room()?;
    let size = frame.pop_int32()?;
    Ok(compound_size(what, size.into(), frame.core.limits.stack_size)?)
}

/// The size of a new compound, if that size is allowed.
fn compound_size(what: &'static str, size: i64, most: u64) -> Result<usize, Neo3Fault> {
    let fits = u64::try_from(size).ok().filter(|size| *size <= most);
    fits.map(|size| size as usize).ok_or(Neo3Fault::CompoundSize { what, size, most })
}

pub(super) fn size(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let item = frame.pop()?;
    let size = if let Some(id) = item.compound() {
        frame.core.heap.size(id)
    } else {
        frame.work(ALLOCATION)?;
        with_bytes(&item, <[u8]>::len).map_err(|_| not_taken("SIZE", &item))?
    };
    frame.push(Neo3Item::count(size));
    Ok(())
}

pub(super) fn haskey(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.work(UNITS_OF_KEY)?;
    let (key, container) = (pop_key(frame)?, frame.pop()?);
    let primitive = MapKey::of(&key);
    let size = match &container {
        Neo3Item::Map(map) => {
            let has = frame.core.heap.map(*map).contains_key(&primitive?);
            frame.push(Neo3Item::Boolean(has));
            return Ok(());
        }
        Neo3Item::Array(list) | Neo3Item::Struct(list) => frame.core.heap.size(*list),
        Neo3Item::ByteString(_) | Neo3Item::Buffer(_) => with_bytes(&container, <[u8]>::len)?,
        other => return Err(not_taken("HASKEY", other)),
    };
    let index = int32(&integer(&key)?).ok().and_then(|index| usize::try_from(index).ok());
    let index = index
        .filter(|index| (*index as u64) < frame.core.limits.item_size)
        .ok_or(Neo3Fault::OutOfRange("The index"))?;
    frame.push(Neo3Item::Boolean(index < size));
    Ok(())
}

/// Pops a key or an index, before the container is popped.
fn pop_key(frame: &mut Neo3Frame<'_>) -> Result<Neo3Item, Neo3Stop> {
    let key = frame.pop()?;
    if key.is_primitive() { Ok(key) } else { Err(NO_KEY.into()) }
}

pub(super) fn keys(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.make_room()?;
    let Neo3Item::Map(map) = frame.pop()? else { return Err(NOT_TAKEN.into()) };
    frame.work(frame.core.heap.size(map))?;
    let keys = frame.core.heap.map(map).keys().map(MapKey::item).collect();
    push_list(frame, keys, Neo3Item::Array)
}

pub(super) fn values(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.make_room()?;
    let items: Vec<Neo3Item> = match frame.pop()? {
        Neo3Item::Array(list) | Neo3Item::Struct(list) => frame.core.heap.list(list).to_vec(),
        Neo3Item::Map(map) => frame.core.heap.map(map).values().cloned().collect(),
        other => return Err(not_taken("VALUES", &other)),
    };
    frame.work(UNITS_OF_COPY * items.len())?;
    let mut cloned = Vec::with_capacity(items.len());
    for item in items {
        cloned.push(clone_struct(frame, item)?);
    }
    push_list(frame, cloned, Neo3Item::Array)
}

#[inline(always)]
pub(super) fn pickitem(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    if let [.., Neo3Item::Array(list) | Neo3Item::Struct(list), Neo3Item::Integer(index)] =
        &frame.core.stack[..]
        && let Some(item) = frame.core.heap.list(*list).get(*index as usize)
        && item.compound().is_none()
    {
        let (list, item, core) = (*list, item.copy(), &mut *frame.core);
        core.forget_small();
        core.forget_small();
        core.heap.let_go_compound(list);
        core.stack.push(item);
        return Ok(());
    }
    pick_any(&mut frame.lend())
}

#[inline(never)]
fn pick_any(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.work(UNITS_OF_KEY)?;
    let (key, container) = (pop_key(frame)?, frame.pop()?);
    let picked = match &container {
        Neo3Item::Array(list) | Neo3Item::Struct(list) => {
            let items = frame.core.heap.list(*list);
            match index(&key, items.len())? {
                Ok(index) => items[index].clone(),
                Err(index) => return Err(out_of_range("VMArray", &index, items.len())),
            }
        }
        Neo3Item::Map(map) => {
            let key = MapKey::of(&key)?;
            let found = frame.core.heap.map(*map).get(&key).cloned();
            found.ok_or_else(|| thrown(&format!("Key {} not found in Map.", key.shown())))?
        }
        Neo3Item::Buffer(_) => pick_byte("Buffer", &container, &key)?,
        other if other.is_primitive() => pick_byte("PrimitiveType", other, &key)?,
        other => return Err(not_taken("PICKITEM", other)),
    };
    frame.push(picked);
    Ok(())
}

fn pick_byte(name: &str, container: &Neo3Item, key: &Neo3Item) -> Result<Neo3Item, Neo3Stop> {
    with_bytes(container, |bytes| match index(key, bytes.len())? {
        Ok(index) => Ok(Neo3Item::Integer(bytes[index].into())),
        Err(index) => Err(out_of_range(name, &index, bytes.len())),
    })?
}

/// The key as an index below `count`, or the number that is out of range.
#[inline(always)]
fn index(key: &Neo3Item, count: usize) -> Result<Result<usize, BigInt>, Neo3Fault> {
    if let Neo3Item::Integer(index) = key
        && (*index as u64) < count as u64
    {
        return Ok(Ok(*index as usize));
    }
    other_index(key, count)
}

#[cold]
fn other_index(key: &Neo3Item, count: usize) -> Result<Result<usize, BigInt>, Neo3Fault> {
    let index = number(&integer(key)?)?;
    Ok(usize::try_from(&index).ok().filter(|index| *index < count).ok_or(index))
}

/// An exception that a script may catch.
fn thrown(text: &str) -> Neo3Stop {
    Neo3End::Thrown(Neo3Item::bytes(text)).into()
}

fn out_of_range(what: &str, index: &BigInt, count: usize) -> Neo3Stop {
    thrown(&format!("The index of {what} is out of range, {index}/[0, {count})."))
}

// The handlers below have a fast path for the common case in loops: non-compound items, and a list that is
// also held by something other than the stack entry. No contents then need to be counted.

#[inline(always)]
pub(super) fn append(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let core = &mut *frame.core;
    if let [.., Neo3Item::Array(list) | Neo3Item::Struct(list), item] = &core.stack[..]
        && item.compound().is_none()
        && let Some(items) = core.heap.let_go_shared(*list)
    {
        items.push(core.stack.pop().unwrap_or_default());
        core.forget_small();
        core.heap.counted += 1;
        return Ok(());
    }
    append_any(&mut frame.lend())
}

#[inline(never)]
fn append_any(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.make_room()?;
    frame.work(ALLOCATION / 2)?;
    let (item, list) = (frame.pop()?, frame.pop()?);
    let list = list.list().ok_or(NOT_TAKEN)?;
    let item = clone_struct(frame, item)?;
    let heap = &mut frame.core.heap;
    if heap.is_held(list) {
        heap.list_mut(list).push(item.clone());
        heap.acquire(&item);
    } else {
        heap.list_mut(list).push(item);
    }
    Ok(())
}

/// SETITEM. The order in which references are acquired and released decides the count.
#[inline(always)]
pub(super) fn setitem(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let core = &mut *frame.core;
    if let [.., Neo3Item::Array(list) | Neo3Item::Struct(list), Neo3Item::Integer(index), value] =
        &core.stack[..]
        && value.compound().is_none()
        && core.heap.list(*list).get(*index as usize).is_some_and(|old| old.compound().is_none())
        && let (index, Some(items)) = (*index as usize, core.heap.let_go_shared(*list))
    {
        items[index] = core.stack.pop().unwrap_or_default();
        core.forget_small();
        core.forget_small();
        return Ok(());
    }
    set_any(&mut frame.lend())
}

#[inline(never)]
fn set_any(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.make_room()?;
    frame.work(UNITS_OF_KEY)?;
    let Some(mut value) = frame.core.stack.pop() else { return Err(Neo3Fault::Underflow.into()) };
    // The value is off the stack but still counted.
    frame.core.heap.counted += 1;
    if let Neo3Item::Struct(_) = value {
        frame.core.heap.release(&value);
        value = clone_struct(frame, value)?;
        frame.core.heap.acquire(&value);
    }
    let (key, container) = (pop_key(frame)?, frame.pop()?);
    let heap = &mut frame.core.heap;
    match container {
        Neo3Item::Array(list) | Neo3Item::Struct(list) => set_in_list(heap, list, &key, value),
        Neo3Item::Map(map) => set_in_map(heap, map, &key, value),
        Neo3Item::Buffer(buffer) => set_byte(heap, &mut buffer.bytes.borrow_mut(), &key, &value),
        other => Err(not_taken("SETITEM", &other)),
    }
}

fn set_in_list(heap: &mut Neo3Heap, list: Neo3Id, key: &Neo3Item, value: Neo3Item) -> Neo3Flow {
    let count = heap.size(list);
    let index = match index(key, count)? {
        Ok(index) => index,
        Err(index) => {
            heap.release(&value);
            return Err(out_of_range("VMArray", &index, count));
        }
    };
    if heap.is_held(list) {
        let old = heap.list(list)[index].clone();
        heap.release(&old);
    } else {
        heap.release(&value);
    }
    heap.list_mut(list)[index] = value;
    Ok(())
}

fn set_in_map(heap: &mut Neo3Heap, map: Neo3Id, key: &Neo3Item, value: Neo3Item) -> Neo3Flow {
    let key = MapKey::of(key)?;
    if !heap.is_held(map) {
        heap.release(&value);
    } else if let Some(old) = heap.map(map).get(&key).cloned() {
        heap.release(&old);
    } else {
        heap.acquire(&key.item());
    }
    heap.map_mut(map).insert(key, value);
    Ok(())
}

fn set_byte(heap: &mut Neo3Heap, bytes: &mut [u8], key: &Neo3Item, value: &Neo3Item) -> Neo3Flow {
    heap.release(value);
    let place = match index(key, bytes.len())? {
        Ok(index) => &mut bytes[index],
        Err(index) => return Err(out_of_range("Buffer", &index, bytes.len())),
    };
    if !value.is_primitive() {
        return Err(NOT_TAKEN.into());
    }
    let byte = int32(value)?;
    *place = u8::try_from(byte).or_else(|_| i8::try_from(byte).map(|byte| byte as u8)).map_err(|_| BYTE)?;
    Ok(())
}

const BYTE: Neo3Fault = Neo3Fault::OutOfRange("The byte");

pub(super) fn reverseitems(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    match frame.pop()? {
        Neo3Item::Array(list) | Neo3Item::Struct(list) => {
            frame.work(frame.core.heap.size(list) / MOVED_IN_UNIT)?;
            frame.core.heap.list_mut(list).reverse();
        }
        Neo3Item::Buffer(buffer) => {
            frame.work(buffer.bytes.borrow().len() / BYTES_OF_UNIT)?;
            buffer.bytes.borrow_mut().reverse();
        }
        other => return Err(not_taken("REVERSEITEMS", &other)),
    }
    Ok(())
}

/// REMOVE. The item is taken out of the container before it is released.
pub(super) fn remove(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let (key, container) = (pop_key(frame)?, frame.pop()?);
    let heap = &mut frame.core.heap;
    match container {
        Neo3Item::Array(list) | Neo3Item::Struct(list) => {
            let size = heap.size(list);
            let index = index(&key, size)?.map_err(|_| Neo3Fault::OutOfRange("The index"))?;
            let item = heap.list_mut(list).remove(index);
            if heap.is_held(list) {
                heap.release(&item);
            }
            frame.work(UNITS_OF_KEY + size / MOVED_IN_UNIT)
        }
        Neo3Item::Map(map) => {
            let size = heap.size(map);
            let removed = heap.map_mut(map).shift_remove_entry(&MapKey::of(&key)?);
            if let Some((key, value)) = removed
                && heap.is_held(map)
            {
                heap.release(&key.item());
                heap.release(&value);
            }
            frame.work(UNITS_OF_KEY + size / (2 * MOVED_IN_UNIT))
        }
        other => Err(not_taken("REMOVE", &other)),
    }
}

/// CLEARITEMS. The items are taken out of the container before they are released.
pub(super) fn clearitems(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let id = frame.pop()?.compound().ok_or(NOT_TAKEN)?;
    let heap = &mut frame.core.heap;
    let items = heap.take_all(id);
    // Checked only once, since the compound may contain itself.
    if heap.is_held(id) {
        for item in &items {
            heap.release(item);
        }
    }
    Ok(())
}

#[inline(always)]
pub(super) fn popitem(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let core = &mut *frame.core;
    if let Some(Neo3Item::Array(list) | Neo3Item::Struct(list)) = core.stack.last()
        && core.heap.list(*list).last().is_some_and(|item| item.compound().is_none())
        && let Some(items) = core.heap.let_go_shared(*list)
        && let (Some(item), Some(top)) = (items.pop(), core.stack.last_mut())
    {
        *top = item;
        core.heap.counted -= 1;
        return Ok(());
    }
    pop_any(&mut frame.lend())
}

#[inline(never)]
fn pop_any(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.work(ALLOCATION / 2)?;
    let list = frame.pop()?.list().ok_or(NOT_TAKEN)?;
    let item = frame.core.heap.list(list).last().cloned().ok_or(Neo3Fault::OutOfRange("The index"))?;
    frame.push(item.clone());
    let heap = &mut frame.core.heap;
    heap.list_mut(list).pop();
    if heap.is_held(list) {
        heap.release(&item);
    }
    Ok(())
}

/// The item or, if it is a Struct, a clone. Nested Structs are cloned as well; all other items are shared.
fn clone_struct(frame: &mut Neo3Frame<'_>, item: Neo3Item) -> Result<Neo3Item, Neo3Stop> {
    let Neo3Item::Struct(original) = item else { return Ok(item) };
    let heap = &mut frame.core.heap;
    let clone = heap.add_list(Vec::new());
    let most = frame.core.limits.stack_size.saturating_sub(1) as usize;
    let mut left = most;
    let mut work = vec![(original, clone)];
    while let Some((from, to)) = work.pop() {
        left = left.checked_sub(heap.size(from)).ok_or(Neo3Fault::Clone)?;
        let items = heap.list(from).to_vec();
        let mut copies = Vec::with_capacity(items.len());
        for item in items {
            copies.push(match item {
                Neo3Item::Struct(inner) => {
                    let copy = heap.add_list(Vec::new());
                    work.push((inner, copy));
                    Neo3Item::Struct(copy)
                }
                other => other,
            });
        }
        *heap.list_mut(to) = copies;
    }
    frame.work((1 + most - left) * UNITS_OF_CLONE)?;
    Ok(Neo3Item::Struct(clone))
}
