//! JSON numbers by value: `1`, `1.0` and `10e-1` are the same.

use num_bigint::BigInt;

use crate::model::{DECIMAL, Value};

/// The most digits of a number that is written out.
const MAX_DIGITS: i128 = 1_000;

/// The most zeros after the point before the first other digit, for a number that is written out.
const MAX_ZEROS: i128 = 20;

/// The value of a JSON number. One that is not whole, or has more digits than [`MAX_DIGITS`], is the same text for equal
/// numbers: its digits, or its shortest notation with an exponent.
pub(super) fn value(text: &str) -> Value {
    let (magnitude, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (sign, magnitude) = magnitude.strip_prefix('-').map_or(("", magnitude), |rest| ("-", rest));
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    if significant.is_empty() {
        return Value::int(0);
    }
    // A longer exponent stays as it is written: nothing computes with such numbers.
    let Ok(exponent) = exponent.parse::<i64>() else { return decimal(text.to_owned()) };
    let exponent = i128::from(exponent) - fraction.len() as i128 + zeros as i128;
    let before_point = significant.len() as i128 + exponent;
    if exponent >= 0 && before_point > MAX_DIGITS || before_point < -MAX_ZEROS {
        return decimal(format!("{sign}{significant}e{exponent}"));
    }
    if exponent < 0 {
        let zeros = "0".repeat(usize::try_from(1 - before_point).unwrap_or(0));
        let digits = format!("{zeros}{significant}");
        let (whole, fraction) = digits.split_at(digits.len() - exponent.unsigned_abs() as usize);
        return decimal(format!("{sign}{whole}.{fraction}"));
    }
    let digits = format!("{sign}{significant}{}", "0".repeat(exponent as usize));
    BigInt::parse_bytes(digits.as_bytes(), 10).map_or_else(|| decimal(digits), Value::Int)
}

fn decimal(text: String) -> Value {
    Value::typed(DECIMAL, Value::text(text))
}

/// The text of a number that is not a whole one.
pub(super) fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::Typed(name, inner) if *name == DECIMAL => match &**inner {
            Value::Text(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_have_one_text() {
        let shown = |text: &str| value(text).to_string();
        for (text, expected) in [
            ("1.5", "1.5"),
            ("15e-1", "1.5"),
            ("-1.50", "-1.5"),
            ("1e-1", "0.1"),
            ("0.001", "0.001"),
            ("123.456", "123.456"),
            ("1.0", "1"),
            ("1e1", "0xa (10)"),
            ("-0.0", "0"),
            ("1e-400", "1e-400"),
            ("10e-401", "1e-400"),
            ("1e2000", "1e2000"),
            ("1e3000000000", "1e3000000000"),
            ("10e2999999999", "1e3000000000"),
            ("0e99999999999999999999", "0"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
