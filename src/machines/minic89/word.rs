//! A value of the machine.

use num_bigint::BigInt;

use crate::model::Value;

/// A 16-bit integer, a reference to a function, or the content of a slot before the first store.
///
/// Stored as one number: the lowest 16 bits are the integer or the id, the bits above are the kind. So both
/// of two values are integers if all their upper bits are zero.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct MiniWord(u32);

const FUN: u32 = 1 << 16;

impl MiniWord {
    /// The content of an uninitialised slot.
    pub(super) const UNINIT: MiniWord = MiniWord(2 << 16);

    pub(super) fn int(number: i16) -> MiniWord {
        MiniWord(u32::from(number as u16))
    }

    pub(super) fn fun(fid: u16) -> MiniWord {
        MiniWord(FUN | u32::from(fid))
    }

    pub(super) fn is_int(self) -> bool {
        self.0 < FUN
    }

    pub(super) fn as_int(self) -> Option<i16> {
        self.is_int().then_some(self.0 as u16 as i16)
    }

    /// The id of the function; 0 for no function.
    pub(super) fn as_fun(self) -> Option<u16> {
        (self.0 & !0xffff == FUN).then_some(self.0 as u16)
    }

    pub(super) fn is_uninit(self) -> bool {
        self == MiniWord::UNINIT
    }

    /// Both values as integers.
    pub(super) fn ints(a: MiniWord, b: MiniWord) -> Option<(i16, i16)> {
        ((a.0 | b.0) < FUN).then_some((a.0 as u16 as i16, b.0 as u16 as i16))
    }

    pub(super) fn is_of_kind(self, other: MiniWord) -> bool {
        self.0 >> 16 == other.0 >> 16
    }

    /// The word for which [`MiniWord::to_value`] returns this value.
    pub(super) fn of_value(value: &Value) -> Option<MiniWord> {
        let Some(kind) = value.get("t") else { return value.number().map(MiniWord::int) };
        match kind.as_text()? {
            "fun" => value.get("v")?.number().map(MiniWord::fun),
            "uninit" => Some(MiniWord::UNINIT),
            _ => None,
        }
    }

    /// The value in a snapshot: an integer, or a record of `t` and `v`.
    pub(super) fn to_value(self) -> Value {
        let tagged = |t: &str, v: Option<u16>| {
            let v = v.map(|fid| ("v", Value::Int(BigInt::from(fid))));
            Value::record([("t", Value::text(t))].into_iter().chain(v))
        };
        match (self.as_int(), self.as_fun()) {
            (Some(number), _) => Value::int(number),
            (None, Some(fid)) => tagged("fun", Some(fid)),
            (None, None) => tagged("uninit", None),
        }
    }
}
