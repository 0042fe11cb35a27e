//! How the data of a machine is written as plain JSON, which has neither big numbers nor bytes.

use super::field_type::DeclaredField;

/// How a value is written. For each shape, `null` is [`Value::Null`](super::value::Value::Null), and a string
/// that does not fit the shape is text.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// `true` or `false`.
    Bool,
    /// A number of any size, written in this notation. All notations are accepted when reading.
    Int(NumberNotation),
    /// `"0x"` and an even number of hex digits; an empty text for no bytes is accepted when reading.
    Bytes,
    /// A string.
    Text,
    /// A name. Some names have another spelling, which is accepted when reading: pairs of the other
    /// spelling and the one that is written.
    Name(&'static [(&'static str, &'static str)]),
    /// A list of values of one shape.
    List(&'static Shape),
    /// Named values; [`Shape::Plain`] is the shape of members that are not listed.
    Record(&'static [MemberShape]),
    /// Any number of values of one shape, by key.
    Map(MapKeys, &'static Shape),
    /// `{"type": "Integer", "value": "5"}`: a value with the name of its type, which has one of these shapes. A
    /// type without a value has no member `value`.
    Typed(&'static [(&'static str, Shape)]),
    /// Plain JSON: a number is a number, a string is text, an object is a record. A number that does not fit
    /// 64 bits is `{"int": "42…"}`.
    Plain,
    /// As the declaration of a family says.
    Declared(&'static DeclaredField),
}

/// A member of a record.
#[derive(Debug, Clone, Copy)]
pub struct MemberShape {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// How it is written.
    pub shape: Shape,
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberNotation {
    /// `42`; a number that does not fit 64 bits is `"42…"`.
    Number,
    /// `"42"`.
    Decimal,
    /// `"0x2a"`.
    Hex,
}

/// What the keys of a map are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapKeys {
    /// Any text.
    Text,
    /// `"0x"` and hex digits, in either case; no bytes are an empty text, or `"0x"`.
    Bytes,
    /// A number in hex after `0x`, with or without leading zeros, or in decimal.
    Number,
}

/// A list of the members of a record, each with a literal or a block as its name.
#[macro_export]
macro_rules! members {
    ($($name:tt: $shape:expr, $doc:literal;)*) => {
        &[$($crate::model::shape::MemberShape { name: $name, doc: $doc, shape: $shape },)*]
    };
}

pub use members;
