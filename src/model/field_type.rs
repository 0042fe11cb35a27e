//! The types of data in a declaration of a family: what a member of a program or a field of the state may be.
//!
//! `docs/src/families.md` is the reference of their notation, in declarations, in vectors and on the wire.

use num_bigint::{BigInt, BigUint};

use super::name::Name;
use super::path::PathKey;
use super::value::Value;

/// The most bits of a number with a fixed width.
pub const MAX_BITS: u32 = 256;

/// The most fields of the state of a machine of a family, and the most members of its input.
pub const MAX_FIELDS: usize = 1_000;

/// The type of a datum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldType {
    /// `u8` to `u256`: a number from 0 up, of this many bits.
    Unsigned(u32),
    /// `i8` to `i256`: a number in two's complement, of this many bits.
    Signed(u32),
    /// `int`: a number of any size.
    Int,
    /// `bool`
    Bool,
    /// `text`
    Text,
    /// `bytes`: hex digits, or a list of numbers below 256.
    Bytes,
    /// `base64`: bytes, which vectors write as base64.
    Base64,
    /// `T?`: null, or a datum of this type.
    Optional(Box<FieldType>),
    /// `[T]`: any number of data.
    List(Box<FieldType>),
    /// `[T; 13]`: exactly this number of data.
    Array(Box<FieldType>, usize),
    /// `(T, U)`: a list with one datum of each type.
    Tuple(Vec<FieldType>),
    /// A table of fields: an object with members of these names.
    Table(Vec<DeclaredField>),
    /// `map<K, V>`: an object with any members. The keys are of the first type.
    Map(Box<FieldType>, Box<FieldType>),
    /// `memory<A, C>`: cells by address.
    Memory(MemoryType),
    /// `json`: anything; numbers are compared by value.
    Json,
}

/// A sparse memory. A cell that is not listed is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryType {
    /// The type of an address, a number of a fixed width.
    pub address: Box<FieldType>,
    /// The type of a cell, a number of a fixed width.
    pub cell: Box<FieldType>,
}

/// A field of the state, a member of a program, or a member of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredField {
    /// Its name.
    pub name: Name,
    /// What it is, in one line; empty if the declaration does not say so.
    pub doc: String,
    /// Its type.
    pub field_type: FieldType,
    /// How it is compared and shown.
    pub options: FieldOptions,
}

/// How a field is compared and shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldOptions {
    /// The bits of a number that are compared; `None` for all.
    pub mask: Option<BigUint>,
    /// The names of the bits of a number, the highest first; empty without names.
    pub flags: Vec<BitName>,
    /// How a number is shown.
    pub display: NumberDisplay,
    /// What an expected memory says about cells that it does not list.
    pub unlisted: UnlistedCells,
    /// Whether the order of a list is compared.
    pub order: ListOrder,
}

/// The name of a bit; `None` for a bit without one.
pub type BitName = Option<char>;

/// How people read a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NumberDisplay {
    /// In hexadecimal, with all digits of the type's width.
    #[default]
    Hexadecimal,
    /// In decimal.
    Decimal,
}

/// What an expected memory says about cells that it does not list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnlistedCells {
    /// They must have what the program gave them, 0 if nothing.
    #[default]
    Unchanged,
    /// They must be 0, whatever the program gave them.
    Zero,
    /// They are not compared.
    Any,
}

/// Whether the order of a list is compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ListOrder {
    /// It is.
    #[default]
    Compared,
    /// It is not: the lists must have the same items.
    Any,
}

impl DeclaredField {
    /// The field at a path inside this one, with its options: this one itself, or a field of a table in it. `None` if a
    /// datum there is no field.
    pub fn declared_at(&self, keys: &[&PathKey]) -> Option<&DeclaredField> {
        fn inside<'f>(field_type: &'f FieldType, keys: &[&PathKey]) -> Option<&'f DeclaredField> {
            match (field_type, keys) {
                // No other types have tables inside.
                (FieldType::List(item), [PathKey::Index(_), rest @ ..]) => inside(item, rest),
                (FieldType::Table(fields), [PathKey::Name(name), rest @ ..]) => {
                    fields.iter().find(|field| field.name == *name)?.declared_at(rest)
                }
                _ => None,
            }
        }
        if keys.is_empty() { Some(self) } else { inside(&self.field_type, keys) }
    }
}

impl FieldType {
    /// The zero or empty value.
    pub fn empty(&self) -> Value {
        match self {
            FieldType::Unsigned(_) | FieldType::Signed(_) | FieldType::Int => Value::int(0),
            FieldType::Bool => Value::Bool(false),
            FieldType::Text => Value::text(""),
            FieldType::Bytes | FieldType::Base64 => Value::Bytes(Vec::new()),
            FieldType::Optional(_) | FieldType::Json => Value::Null,
            FieldType::List(_) => Value::List(Vec::new()),
            FieldType::Array(item, length) => Value::List(vec![item.empty(); *length]),
            FieldType::Tuple(types) => Value::List(types.iter().map(FieldType::empty).collect()),
            FieldType::Table(fields) => {
                Value::record(fields.iter().map(|field| (field.name.clone(), field.field_type.empty())))
            }
            FieldType::Map(..) | FieldType::Memory(_) => Value::record::<Name>([]),
        }
    }

    /// The number of bits of a number with a fixed width.
    pub fn bits(&self) -> Option<u32> {
        match self {
            FieldType::Unsigned(bits) | FieldType::Signed(bits) => Some(*bits),
            FieldType::Optional(inner) => inner.bits(),
            _ => None,
        }
    }

    /// The most bits of a number in a datum of the type, without a limit for numbers of any size; `None` if there is no
    /// number in it.
    pub fn most_bits(&self) -> Option<u64> {
        match self {
            FieldType::Unsigned(bits) | FieldType::Signed(bits) => Some(u64::from(*bits)),
            FieldType::Int | FieldType::Json => Some(u64::MAX),
            FieldType::Optional(inner)
            | FieldType::List(inner)
            | FieldType::Array(inner, _)
            | FieldType::Map(_, inner) => inner.most_bits(),
            FieldType::Tuple(items) => items.iter().filter_map(FieldType::most_bits).max(),
            FieldType::Table(fields) => fields.iter().filter_map(|field| field.field_type.most_bits()).max(),
            FieldType::Memory(memory) => memory.cell.most_bits(),
            FieldType::Bool | FieldType::Text | FieldType::Bytes | FieldType::Base64 => None,
        }
    }

    /// How many values a datum of the type consists of at least, if it is there: lists, tuples and tables count, too.
    pub fn least_values(&self) -> usize {
        let sum = |values: &mut dyn Iterator<Item = usize>| values.fold(1, usize::saturating_add);
        match self {
            FieldType::Array(item, length) => item.least_values().saturating_mul(*length).saturating_add(1),
            FieldType::Optional(inner) => inner.least_values(),
            FieldType::Tuple(items) => sum(&mut items.iter().map(FieldType::least_values)),
            FieldType::Table(fields) => sum(&mut fields.iter().map(|field| field.field_type.least_values())),
            _ => 1,
        }
    }

    /// Whether it is a number, of a width or of any size.
    pub fn is_number(&self) -> bool {
        matches!(self, FieldType::Unsigned(_) | FieldType::Signed(_) | FieldType::Int)
    }

    /// The type of a datum that is there: of an optional one, the type inside.
    pub fn present(&self) -> &FieldType {
        match self {
            FieldType::Optional(inner) => inner.present(),
            other => other,
        }
    }

    /// The type of a part of a datum of this type; `None` if it has no such part.
    pub fn at(&self, keys: &[&PathKey]) -> Option<&FieldType> {
        let Some((first, rest)) = keys.split_first() else { return Some(self) };
        let inner = match (self, first) {
            (FieldType::Optional(inner), _) => return inner.at(keys),
            (FieldType::List(item) | FieldType::Array(item, _), PathKey::Index(_)) => item,
            (FieldType::Tuple(types), PathKey::Index(index)) => types.get(*index)?,
            (FieldType::Table(fields), PathKey::Name(name)) => {
                &fields.iter().find(|field| field.name == **name)?.field_type
            }
            (FieldType::Map(_, value), PathKey::Name(_)) => value,
            (FieldType::Memory(memory), PathKey::Name(_)) => &memory.cell,
            _ => return None,
        };
        inner.at(rest)
    }

    /// Whether it is a memory, or a type with one inside.
    pub fn has_memory(&self) -> bool {
        match self {
            FieldType::Memory(_) => true,
            FieldType::Optional(inner)
            | FieldType::List(inner)
            | FieldType::Array(inner, _)
            | FieldType::Map(_, inner) => inner.has_memory(),
            FieldType::Tuple(items) => items.iter().any(FieldType::has_memory),
            FieldType::Table(fields) => fields.iter().any(|field| field.field_type.has_memory()),
            _ => false,
        }
    }

    /// Whether a datum of the type, if it is there, is one number, text, truth value or byte string.
    pub fn is_scalar(&self) -> bool {
        match self {
            FieldType::Optional(inner) => inner.is_scalar(),
            FieldType::Unsigned(_)
            | FieldType::Signed(_)
            | FieldType::Int
            | FieldType::Bool
            | FieldType::Text
            | FieldType::Bytes
            | FieldType::Base64 => true,
            FieldType::List(_)
            | FieldType::Array(..)
            | FieldType::Tuple(_)
            | FieldType::Table(_)
            | FieldType::Map(..)
            | FieldType::Memory(_)
            | FieldType::Json => false,
        }
    }

    /// Whether a number is in the range of the type; true for types that are no numbers of a fixed width.
    pub fn has(&self, number: &BigInt) -> bool {
        match self {
            FieldType::Unsigned(bits) => {
                number.sign() != num_bigint::Sign::Minus && number.bits() <= u64::from(*bits)
            }
            FieldType::Signed(bits) => {
                let most = u64::from(*bits) - 1;
                let is_lowest = number.sign() == num_bigint::Sign::Minus
                    && number.bits() == most + 1
                    && number.magnitude().trailing_zeros() == Some(most);
                number.bits() <= most || is_lowest
            }
            FieldType::Optional(inner) => inner.has(number),
            _ => true,
        }
    }

    /// A number as people read it: in hexadecimal with all digits of the type's width, up to 64 bits, or in decimal.
    pub fn shown(&self, number: &BigInt, display: NumberDisplay) -> String {
        if display == NumberDisplay::Decimal {
            return number.to_string();
        }
        let sign = if number.sign() == num_bigint::Sign::Minus { "-" } else { "" };
        format!("{sign}0x{}", self.digits(number))
    }

    /// The hexadecimal digits of a number, without a sign; of wider numbers than 64 bits without leading zeros.
    pub fn digits(&self, number: &BigInt) -> String {
        let bits = self.bits().filter(|bits| *bits <= 64);
        let width = bits.map_or(1, |bits| bits.div_ceil(4) as usize);
        format!("{:0width$x}", number.magnitude())
    }

    /// The type in the notation of declarations; a table as `{…}`.
    pub fn notation(&self) -> String {
        match self {
            FieldType::Unsigned(bits) => format!("u{bits}"),
            FieldType::Signed(bits) => format!("i{bits}"),
            FieldType::Int => "int".to_owned(),
            FieldType::Bool => "bool".to_owned(),
            FieldType::Text => "text".to_owned(),
            FieldType::Bytes => "bytes".to_owned(),
            FieldType::Base64 => "base64".to_owned(),
            FieldType::Optional(inner) => format!("{}?", inner.notation()),
            FieldType::List(item) => format!("[{}]", item.notation()),
            FieldType::Array(item, length) => format!("[{}; {length}]", item.notation()),
            FieldType::Tuple(items) => {
                let items: Vec<_> = items.iter().map(FieldType::notation).collect();
                format!("({})", items.join(", "))
            }
            FieldType::Table(fields) => {
                let fields =
                    fields.iter().map(|field| format!("{}: {}", field.name, field.field_type.notation()));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
            }
            FieldType::Map(key, value) => format!("map<{}, {}>", key.notation(), value.notation()),
            FieldType::Memory(MemoryType { address, cell }) => {
                format!("memory<{}, {}>", address.notation(), cell.notation())
            }
            FieldType::Json => "json".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_optional_types_have_a_range() {
        for (number, in_unsigned, in_signed) in [
            (-129, false, false),
            (-128, false, true),
            (127, true, true),
            (255, true, false),
            (256, false, false),
        ] {
            let number = BigInt::from(number);
            let has = |of: FieldType| [of.has(&number), FieldType::Optional(Box::new(of)).has(&number)];
            assert_eq!(has(FieldType::Unsigned(8)), [in_unsigned; 2], "{number}");
            assert_eq!(has(FieldType::Signed(8)), [in_signed; 2], "{number}");
        }
    }
}
