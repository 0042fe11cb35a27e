//! JSON numbers by value: `1`, `1.0` and `10e-1` are the same.

use num_bigint::BigInt;

use crate::model::Value;

/// The most digits of a number that is written out.
const MAX_DIGITS: i64 = 1_000;

/// The name of the type of a number that is not a whole one, or has more digits than [`MAX_DIGITS`].
const DECIMAL: &str = "number";

/// The value of a JSON number. A number that is not whole is its shortest notation with an exponent.
pub(super) fn value(text: &str) -> Value {
    let (magnitude, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let Ok(exponent) = exponent.parse::<i32>() else { return decimal(text.to_owned()) };
    let (sign, magnitude) = magnitude.strip_prefix('-').map_or(("", magnitude), |rest| ("-", rest));
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    if significant.is_empty() {
        return Value::int(0);
    }
    let exponent = i64::from(exponent) - fraction.len() as i64 + zeros as i64;
    if exponent < 0 || significant.len() as i64 + exponent > MAX_DIGITS {
        return decimal(format!("{sign}{significant}e{exponent}"));
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
