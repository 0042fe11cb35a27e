//! ISNULL, ISTYPE and CONVERT.

use super::fault::{Neo3Fault, Neo3Flow, Neo3Stop};
use super::frame::{CONVERSION, Neo3Frame};
use super::heap::CompoundContent;
use super::item::{ItemType, MAX_INTEGER, Neo3Id, Neo3Item};
use super::value::{boolean, bytes, integer, integer_of_bytes};

pub(super) fn isnull(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.test(|item| matches!(item, Neo3Item::Null))
}

pub(super) fn istype(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let [code] = frame.operand()?;
    if let Some(kind) = wanted_type(code) {
        return frame.test(|item| item.kind() == kind);
    }
    frame.pop()?;
    Err(Neo3Fault::IsType(code).into())
}

pub(super) fn convert(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let [code] = frame.operand()?;
    frame.make_room()?;
    frame.work(CONVERSION)?;
    let item = frame.pop()?;
    let converted = match (wanted_type(code), &item) {
        (Some(kind), item) => converted(frame, item, kind)?,
        (None, Neo3Item::Null) => return Err(Neo3Fault::NullTo(code).into()),
        (None, _) => return Err(Neo3Fault::Cast.into()),
    };
    frame.push(converted);
    Ok(())
}

/// The type that the operand of ISTYPE or CONVERT names; `None` for Any and for undefined codes.
fn wanted_type(code: u8) -> Option<ItemType> {
    ItemType::of_code(code).filter(|kind| *kind != ItemType::Any)
}

fn converted(frame: &mut Neo3Frame<'_>, item: &Neo3Item, kind: ItemType) -> Result<Neo3Item, Neo3Stop> {
    Ok(match (item, kind) {
        (Neo3Item::Null, _) => Neo3Item::Null,
        (item, kind) if item.kind() == kind => item.clone(),
        (_, ItemType::Boolean) => Neo3Item::Boolean(boolean(item)?),
        (Neo3Item::Buffer(buffer), ItemType::Integer) if buffer.bytes.borrow().len() > MAX_INTEGER => {
            return Err(Neo3Fault::Cast.into());
        }
        (Neo3Item::Buffer(buffer), ItemType::Integer) => integer_of_bytes(&buffer.bytes.borrow())?,
        (_, ItemType::Integer) => integer(item)?,
        (_, ItemType::ByteString) => Neo3Item::bytes(frame.made(bytes(item)?)?),
        (_, ItemType::Buffer) => {
            let bytes = frame.made(bytes(item)?)?;
            frame.core.new_buffer(bytes)
        }
        (Neo3Item::Array(list), ItemType::Struct) => Neo3Item::Struct(copy(frame, *list)?),
        (Neo3Item::Struct(list), ItemType::Array) => Neo3Item::Array(copy(frame, *list)?),
        _ => return Err(Neo3Fault::Cast.into()),
    })
}

/// Creates a list of the same items.
fn copy(frame: &mut Neo3Frame<'_>, list: Neo3Id) -> Result<Neo3Id, Neo3Stop> {
    let items = frame.core.heap.list(list).to_vec();
    frame.visit(items.len())?;
    Ok(frame.core.heap.add(CompoundContent::List(items)))
}
