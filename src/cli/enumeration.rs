//! Arguments whose values are those of an enumeration of the library.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::VariantArray;

/// The values of an enumeration by their names.
pub(super) fn by_name<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantArray + Into<&'static str> + Copy + Default + Send + Sync,
{
    let name = |value: &T| -> &'static str { (*value).into() };
    let of = move |text: String| T::VARIANTS.iter().copied().find(|it| name(it) == text).unwrap_or_default();
    PossibleValuesParser::new(T::VARIANTS.iter().map(name)).map(of)
}
