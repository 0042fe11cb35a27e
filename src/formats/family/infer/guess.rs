//! From what values have in common to a type.

use super::observed::{ObservedLists, ObservedObjects, ObservedTexts, ObservedValues};
use super::observed_memory::ObservedMemory;
use super::observed_numbers::ObservedNumbers;
use crate::formats::family::declaration::is_field_name;
use crate::formats::family::type_notation::MAX_FIXED_LENGTH;
use crate::model::field_type::MAX_BITS;
use crate::model::{DeclaredField, FieldOptions, FieldType, MemoryType, counted};

/// The widths of numbers and of cells.
const WIDTHS: [u32; 6] = [8, 16, 32, 64, 128, 256];

/// The widths of addresses.
const ADDRESSES: [u32; 5] = [8, 16, 24, 32, 64];

/// If at least this percentage of the numbers have all bits of a width, they are numbers of this width.
const FULL_PERCENT: u64 = 10;

/// Numbers below this are rather modes than numbers of a width.
const MODES: u32 = 4;

/// At least this many different numbers, the largest of which lacks at most one bit of a width, are numbers of this
/// width.
const MANY: usize = 64;

/// A type, and what makes it uncertain.
#[derive(Debug)]
pub(super) struct TypeGuess {
    pub(super) field_type: FieldType,
    pub(super) doubt: Option<String>,
}

impl TypeGuess {
    fn sure(field_type: FieldType) -> TypeGuess {
        TypeGuess { field_type, doubt: None }
    }

    fn doubtful(field_type: FieldType, doubt: impl Into<String>) -> TypeGuess {
        TypeGuess { field_type, doubt: Some(doubt.into()) }
    }

    /// With this doubt before another one.
    pub(super) fn doubted(self, doubt: impl Into<String>) -> TypeGuess {
        let others = self.doubt.into_iter();
        let doubts: Vec<_> = [doubt.into()].into_iter().chain(others).collect();
        TypeGuess { doubt: Some(doubts.join("; ")), ..self }
    }

    fn map(self, wrap: impl FnOnce(FieldType) -> FieldType) -> TypeGuess {
        TypeGuess { field_type: wrap(self.field_type), ..self }
    }
}

/// The widest numbers of a family, for those whose values do not say how wide they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberWidths(u32);

impl NumberWidths {
    /// The widths of the numbers in these fields.
    pub(super) fn of<'o>(fields: impl Iterator<Item = &'o ObservedValues>) -> NumberWidths {
        let items = |values: &'o ObservedValues| values.lists.iter().map(|lists| &lists.items.numbers);
        let numbers = fields.flat_map(|values| items(values).chain([&values.numbers]));
        NumberWidths(numbers.filter_map(sure_width).max().unwrap_or(64))
    }

    /// The type of these values of a field of a state: pairs of numbers in it are rather a memory.
    pub(super) fn guess_in_state(self, values: &ObservedValues) -> TypeGuess {
        let is_list = values.are_lists();
        let memory = values.lists.as_ref().filter(|_| is_list).and_then(|lists| memory(&lists.memory));
        memory.map_or_else(|| self.guess(values), |memory| memory.guess)
    }

    pub(super) fn guess(self, values: &ObservedValues) -> TypeGuess {
        if values.kinds() == 0 {
            return TypeGuess::doubtful(FieldType::Json, "only null was seen");
        }
        let guess = match values.mixed_numbers() {
            Some(numbers) => self.number(&numbers),
            None => self.guess_of_kind(values),
        };
        if values.nulls == 0 { guess } else { guess.map(|inner| FieldType::Optional(Box::new(inner))) }
    }

    /// The type of values that are rather of one kind.
    fn guess_of_kind(self, values: &ObservedValues) -> TypeGuess {
        match values {
            _ if values.too_deep > 0 => {
                TypeGuess::doubtful(FieldType::Json, "is nested too deeply to be examined")
            }
            _ if values.fractions > 0 => TypeGuess::doubtful(FieldType::Json, "numbers with fractions"),
            _ if values.kinds() > 1 => TypeGuess::doubtful(FieldType::Json, "values of several kinds"),
            ObservedValues { bools: 1.., .. } => TypeGuess::sure(FieldType::Bool),
            ObservedValues { numbers: numbers @ ObservedNumbers { count: 1.., .. }, .. } => {
                self.number(numbers)
            }
            ObservedValues { texts: texts @ ObservedTexts { count: 1.., .. }, .. } => text(texts),
            ObservedValues { lists: Some(lists), .. } => self.list(lists),
            ObservedValues { objects: Some(objects), .. } => self.object(objects),
            _ => TypeGuess::sure(FieldType::Json),
        }
    }

    fn number(self, numbers: &ObservedNumbers) -> TypeGuess {
        if numbers.signed_bits() > MAX_BITS {
            return TypeGuess::sure(FieldType::Int);
        }
        if numbers.are_signed() {
            let width = next(&WIDTHS, numbers.signed_bits()).max(self.0);
            let doubt = format!("numbers from {} to {}", numbers.least, numbers.greatest);
            return TypeGuess::doubtful(FieldType::Signed(width), doubt);
        }
        if let Some(width) = sure_width(numbers) {
            return TypeGuess::sure(FieldType::Unsigned(width));
        }
        if numbers.bits() <= MODES {
            let doubt = match numbers.bits() {
                0 | 1 => "0 or 1: perhaps bool".to_owned(),
                _ => format!("the largest is {}", numbers.greatest),
            };
            return TypeGuess::doubtful(FieldType::Unsigned(WIDTHS[0]), doubt);
        }
        let width = next(&WIDTHS, numbers.bits()).max(self.0);
        TypeGuess::doubtful(FieldType::Unsigned(width), format!("the largest is {}", numbers.greatest))
    }

    fn list(self, lists: &ObservedLists) -> TypeGuess {
        let memory = memory(&lists.memory);
        if let Some(MemoryGuess { guess, has_wide_cells: false }) = memory {
            return guess;
        }
        let pairs = self.items(lists);
        match memory {
            Some(memory) => pairs.doubted(format!("perhaps {}", memory.guess.field_type.notation())),
            None => pairs,
        }
    }

    /// The type of lists that are no memories.
    fn items(self, lists: &ObservedLists) -> TypeGuess {
        let items = &lists.items;
        if items.kinds() == 0 {
            return TypeGuess::doubtful(
                FieldType::List(Box::new(FieldType::Json)),
                "only empty lists were seen",
            );
        }
        let are_numbers = items.kinds() == 1 && items.numbers.count > 0 && items.nulls == 0;
        match lists.length() {
            Some(length @ 1..=MAX_FIXED_LENGTH) if lists.count > 1 && are_numbers => self
                .guess(items)
                .map(|item| FieldType::Array(Box::new(item), length))
                .doubted(format!("all lists have {}", counted(length, "item"))),
            // Objects of one kind, and lists, are the rows of a table, however many there were by chance.
            Some(length)
                if (2..=lists.places.len()).contains(&length)
                    && lists.count > 1
                    && !items.are_objects_alike()
                    && !items.are_lists() =>
            {
                self.tuple(lists).doubted(format!("all lists have {}", counted(length, "item")))
            }
            _ if are_numbers && !items.numbers.are_signed() && items.numbers.bits() <= 8 => {
                TypeGuess::sure(FieldType::Bytes)
            }
            _ => self.item(items).map(|item| FieldType::List(Box::new(item))),
        }
    }

    /// The type of the items of a list of any length.
    fn item(self, items: &ObservedValues) -> TypeGuess {
        match &items.lists {
            // Lists of different lengths have no type of their own.
            Some(lists) if items.kinds() == 1 && lists.length().is_none() => TypeGuess::sure(FieldType::Json),
            Some(lists)
                if items.kinds() == 1 && (1..=lists.places.len()).contains(&lists.length().unwrap_or(0)) =>
            {
                let tuple = self.tuple(lists);
                if items.nulls == 0 { tuple } else { tuple.map(|it| FieldType::Optional(Box::new(it))) }
            }
            _ => self.guess(items),
        }
    }

    fn tuple(self, lists: &ObservedLists) -> TypeGuess {
        let guesses: Vec<_> = lists.places.iter().map(|values| self.guess(values)).collect();
        let doubt = guesses.iter().find_map(|guess| guess.doubt.clone());
        TypeGuess {
            field_type: FieldType::Tuple(guesses.into_iter().map(|it| it.field_type).collect()),
            doubt,
        }
    }

    fn object(self, objects: &ObservedObjects) -> TypeGuess {
        if objects.members.is_empty() {
            return TypeGuess::doubtful(FieldType::Json, "only empty objects were seen");
        }
        if let Some(MemoryGuess { guess, .. }) = memory(&objects.memory) {
            return if objects.are_alike() { guess.doubted("perhaps a table") } else { guess };
        }
        if !objects.are_alike() {
            return TypeGuess::doubtful(FieldType::Json, "objects with different members");
        }
        if !objects.members.keys().all(|name| is_field_name(name)) {
            return TypeGuess::doubtful(FieldType::Json, "a member whose name no field can have");
        }
        let mut doubts = Vec::new();
        let field = |(name, (_, values)): (&String, &(u64, ObservedValues))| {
            let guess = match self.guess(values) {
                memory @ TypeGuess { field_type: FieldType::Memory(_), .. } => {
                    memory.doubted("cells that are not listed may keep their values or be zero")
                }
                guess => guess,
            };
            doubts.extend(guess.doubt.map(|doubt| format!("{name}: {doubt}")));
            DeclaredField {
                name: name.clone().into(),
                doc: String::new(),
                field_type: guess.field_type,
                options: FieldOptions::default(),
            }
        };
        let fields = objects.members.iter().map(field).collect();
        let doubt = (!doubts.is_empty()).then(|| doubts.join("; "));
        TypeGuess { field_type: FieldType::Table(fields), doubt }
    }
}

/// A memory, if the values are one.
struct MemoryGuess {
    guess: TypeGuess,
    /// Whether a cell is as wide as its address, as in a list of pairs of numbers.
    has_wide_cells: bool,
}

/// The type of memories with these cells.
fn memory(memory: &ObservedMemory) -> Option<MemoryGuess> {
    let (addresses, cells) = memory.numbers()?;
    let full = |width: &&u32| addresses.percent_of(**width) >= FULL_PERCENT;
    let sure = ADDRESSES.iter().find(full).copied().filter(|width| *width >= addresses.bits());
    let needed = next(&ADDRESSES, addresses.bits());
    let address = sure.unwrap_or(if needed == 24 { 32 } else { needed });
    let has_wide_cells = cells.bits() > 8 && cells.bits() >= addresses.bits();
    let doubts = [
        has_wide_cells.then(|| "perhaps a list of pairs".to_owned()),
        sure.is_none().then(|| format!("the largest address is {}", addresses.greatest)),
        sure_width(cells).is_none().then(|| format!("the largest cell is {}", cells.greatest)),
    ];
    let doubts: Vec<_> = doubts.into_iter().flatten().collect();
    let field_type = FieldType::Memory(MemoryType {
        address: Box::new(FieldType::Unsigned(address)),
        cell: Box::new(FieldType::Unsigned(next(&WIDTHS, cells.bits()))),
    });
    let doubt = (!doubts.is_empty()).then(|| doubts.join("; "));
    Some(MemoryGuess { guess: TypeGuess { field_type, doubt }, has_wide_cells })
}

/// The width of numbers that use it, if their values say so.
fn sure_width(numbers: &ObservedNumbers) -> Option<u32> {
    if numbers.count == 0 || numbers.are_signed() || numbers.bits() > MAX_BITS {
        return None;
    }
    let width = next(&WIDTHS, numbers.bits());
    let is_full = numbers.percent_of(width) >= FULL_PERCENT;
    let are_many = numbers.distinct.len() >= MANY && numbers.bits() + 1 >= width;
    (is_full || are_many).then_some(width)
}

/// The first of these widths that has so many bits.
fn next(widths: &[u32], bits: u32) -> u32 {
    let last = widths.last().copied().unwrap_or(bits);
    widths.iter().copied().find(|width| *width >= bits).unwrap_or(last)
}

fn text(texts: &ObservedTexts) -> TypeGuess {
    let ObservedTexts { count, hex, odd, no_number, .. } = texts;
    if texts.decimal == *count {
        TypeGuess::doubtful(FieldType::Text, "decimal digits: perhaps a number")
    } else if texts.bare_hex == *count && texts.bare_digits {
        TypeGuess::doubtful(FieldType::Text, "hex digits without 0x: perhaps bytes")
    } else if count != hex || *odd > 0 && *no_number > 0 {
        TypeGuess::sure(FieldType::Text)
    } else if *odd > 0 {
        TypeGuess::doubtful(FieldType::Unsigned(256), "numbers in hex: the width is not known")
    } else if let (Some(digits @ (4 | 8 | 16)), 2..) = (texts.one_length(), *count) {
        let doubt = format!("always {digits} hex digits: perhaps bytes");
        TypeGuess::doubtful(FieldType::Unsigned(4 * digits as u32), doubt)
    } else {
        TypeGuess::doubtful(FieldType::Bytes, "hex digits: perhaps a number")
    }
}
