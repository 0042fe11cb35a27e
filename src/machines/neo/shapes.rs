//! The notation of items of both NeoVMs in the process protocol: the same as in NeoVM vectors.

use crate::model::{MapKeys, NumberNotation, Shape};

pub(in crate::machines) const NUMBER: Shape = Shape::Int(NumberNotation::Number);

/// A stack or a slot.
pub(in crate::machines) const ITEMS: Shape = Shape::List(&ITEM);

/// What an action `set` changes of a stack or a slot.
pub(in crate::machines) const BY_NUMBER: Shape = Shape::Map(MapKeys::Text, &ITEM);

/// An item. The keys of a Map are the bytes of the key, such as `"0x2a"`; an empty text for no bytes.
pub(in crate::machines) static ITEM: Shape = Shape::Typed(&[
    ("Integer", Shape::Int(NumberNotation::Decimal)),
    ("Boolean", Shape::Bool),
    ("ByteString", Shape::Bytes),
    ("ByteArray", Shape::Bytes),
    ("Buffer", Shape::Bytes),
    ("Pointer", NUMBER),
    ("Interop", Shape::Text),
    ("Array", Shape::List(&ITEM)),
    ("Struct", Shape::List(&ITEM)),
    ("Map", Shape::Map(MapKeys::Bytes, &ITEM)),
]);
