//! Integers as defined by JSON Schema: numbers without a fractional part, including `1.0` and `1e2`.

use num_bigint::BigInt;

use crate::formats::fields::wrong_type;
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin, Value};
use crate::text::json::{JsonDatum, JsonNode};

/// More digits than any sensible number has; the value is not computed.
const MAX_DIGITS: usize = 1000;

/// A signed 16-bit integer.
pub(super) fn int16(node: JsonNode<'_>, name: &str) -> Result<BigInt, Diagnostic<Origin>> {
    const EXPECTED: &str = "an integer from -32768 to 32767";
    let number = integer(node, name, EXPECTED)?;
    if i16::try_from(&number).is_ok() { Ok(number) } else { Err(wrong(node, name, EXPECTED)) }
}

/// An integer of at least `least`.
pub(super) fn from(node: JsonNode<'_>, name: &str, least: u8) -> Result<BigInt, Diagnostic<Origin>> {
    let expected = format!("an integer from {least}");
    let number = integer(node, name, &expected)?;
    if number >= BigInt::from(least) { Ok(number) } else { Err(wrong(node, name, &expected)) }
}

/// An integer of at least `least`, or null.
pub(super) fn nullable(node: JsonNode<'_>, name: &str, least: u8) -> Result<Value, Diagnostic<Origin>> {
    if node.is_null() { Ok(Value::Null) } else { from(node, name, least).map(Value::Int) }
}

/// Any integer.
pub(super) fn integer(node: JsonNode<'_>, name: &str, expected: &str) -> Result<BigInt, Diagnostic<Origin>> {
    let JsonDatum::Number(text) = node.datum() else { return Err(wrong_type(node, name, expected)) };
    match value(text) {
        Number::Integer(number) => Ok(number),
        Number::Fraction => Err(wrong(node, name, expected)),
        Number::TooLong => {
            let expected = format!("a number of at most {MAX_DIGITS} digits");
            let what = format!("{name} has too many digits");
            Err(Diagnostic::at(node.at(), what).expected(expected).under(LintRule::Number))
        }
    }
}

fn wrong(node: JsonNode<'_>, name: &str, expected: &str) -> Diagnostic<Origin> {
    Diagnostic::at(node.at(), format!("{name} is {}", node.shown()))
        .expected(expected)
        .under(LintRule::Number)
}

/// What a JSON number is.
pub(super) enum Number {
    Integer(BigInt),
    Fraction,
    TooLong,
}

/// The value of a JSON number.
pub(super) fn value(text: &str) -> Number {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let (sign, whole) = match whole.strip_prefix('-') {
        Some(whole) => ("-", whole),
        None => ("", whole),
    };
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Number::Integer(BigInt::ZERO);
    }
    // With an exponent that does not fit, a number is too long, or closer to 0 than any other integer.
    let exponent = exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX });
    let zeros = exponent.saturating_sub(i64::try_from(fraction.len()).unwrap_or(i64::MAX));
    let significant = digits.trim_end_matches('0');
    let cut = digits.len() - significant.len();
    match usize::try_from(zeros) {
        Ok(zeros) if digits.len().saturating_add(zeros) <= MAX_DIGITS => {
            parsed(&format!("{sign}{digits}{}", "0".repeat(zeros)))
        }
        Ok(_) => Number::TooLong,
        // Only trailing zeros can be removed.
        Err(_) if zeros.unsigned_abs() > cut as u64 => Number::Fraction,
        Err(_) => {
            let left = digits.len() - zeros.unsigned_abs() as usize;
            if left > MAX_DIGITS { Number::TooLong } else { parsed(&format!("{sign}{}", &digits[..left])) }
        }
    }
}

fn parsed(digits: &str) -> Number {
    digits.parse().map_or(Number::Fraction, Number::Integer)
}

#[cfg(test)]
mod tests {
    use super::{Number, value};

    #[test]
    fn a_number_with_zero_fraction_is_an_integer() {
        fn check(text: &str, expected: &str) {
            let found = match value(text) {
                Number::Integer(number) => number.to_string(),
                Number::Fraction => "fraction".to_owned(),
                Number::TooLong => "too long".to_owned(),
            };
            assert_eq!(found, expected, "{text}");
        }
        check("0", "0");
        check("-0.0e99999999999999999999", "0");
        check("1.0", "1");
        check("-1.50e1", "-15");
        check("1e2", "100");
        check("100e-2", "1");
        check("1200e-2", "12");
        check("0.00100E3", "1");
        check("0.5", "fraction");
        check("1e-1", "fraction");
        check("1e-99999999999999999999", "fraction");
        check("1e999", &format!("1{}", "0".repeat(999)));
        check("1e1000", "too long");
        check("1e99999999999999999999", "too long");
        check(&format!("1{}e-1000", "0".repeat(1000)), "1");
        check(&"9".repeat(1001), "too long");
    }
}
