//! PUSH instructions.

use num_bigint::BigInt;

use super::fault::{Neo3Fault, Neo3Flow};
use super::flow::target;
use super::frame::{ALLOCATION, Neo3Frame};
use super::item::Neo3Item;
use crate::isa::unsigned;
use crate::machines::neo::number::small_of_bytes;

/// PUSHINT8 to PUSHINT64
#[inline(always)]
pub(super) fn pushint<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let bytes: [u8; N] = frame.operand()?;
    frame.push(Neo3Item::Integer(small_of_bytes(&bytes).unwrap_or_default()));
    Ok(())
}

/// PUSHINT128 and PUSHINT256
pub(super) fn pushint_big<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let bytes: [u8; N] = frame.operand()?;
    frame.work(2 * ALLOCATION)?;
    let item = Neo3Item::integer(BigInt::from_signed_bytes_le(&bytes))?;
    frame.push(item);
    Ok(())
}

#[inline(always)]
pub(super) fn pusht(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.push(Neo3Item::Boolean(true));
    Ok(())
}

#[inline(always)]
pub(super) fn pushf(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.push(Neo3Item::Boolean(false));
    Ok(())
}

pub(super) fn pusha(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let offset = frame.operand().map(i32::from_le_bytes)?;
    let position = target(frame, offset)?;
    let inside = usize::try_from(position).ok().filter(|position| *position <= frame.length());
    let position = inside.ok_or(Neo3Fault::Position(position.into()))?;
    frame.push(Neo3Item::Pointer(position as u32));
    Ok(())
}

#[inline(always)]
pub(super) fn pushnull(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.push(Neo3Item::Null);
    Ok(())
}

/// PUSHDATA1, PUSHDATA2 and PUSHDATA4
pub(super) fn data<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let prefix: [u8; N] = frame.operand()?;
    let length = unsigned(&prefix).unwrap_or(u64::MAX) as usize;
    let data = frame.data(length)?;
    frame.item_size(length as i64)?;
    let data = frame.made(data.to_vec())?;
    frame.push(Neo3Item::bytes(data));
    Ok(())
}

/// PUSHM1 and PUSH0 to PUSH16
#[inline(always)]
pub(super) fn number<const N: i64>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.push(Neo3Item::Integer(N));
    Ok(())
}
