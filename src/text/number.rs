//! Whole numbers as text: decimal digits, or `0x` and hex digits. Nothing else is a number: no `+`, no second sign and
//! no underscore, which the parsers of the libraries accept.

use num_bigint::{BigInt, BigUint};

/// The most digits of a number: the time to read decimal digits is quadratic in their number.
pub const MAX_DIGITS: usize = 1_000;

/// The number that a text with an optional minus denotes.
pub fn integer(text: &str) -> Option<BigInt> {
    match text.strip_prefix('-') {
        Some(magnitude) => natural(magnitude).map(|number| -BigInt::from(number)),
        None => natural(text).map(BigInt::from),
    }
}

/// The number that a text without a sign denotes.
pub fn natural(text: &str) -> Option<BigUint> {
    if let Some(number) = short(text) {
        return Some(number.into());
    }
    let (digits, radix) = digits(text)?;
    BigUint::parse_bytes(digits.as_bytes(), radix)
}

/// As [`natural`], for texts of few digits, as most are: `None` for others.
fn short(text: &str) -> Option<u64> {
    let (digits, radix, most) = match text.as_bytes() {
        [b'0', b'x', digits @ ..] => (digits, 16, 16),
        digits => (digits, 10, 19),
    };
    if digits.is_empty() || digits.len() > most {
        return None;
    }
    digits.iter().try_fold(0, |number, digit| {
        Some(number * u64::from(radix) + u64::from(char::from(*digit).to_digit(radix)?))
    })
}

/// As [`integer`], for numbers that are known to be small: `None` for others.
pub fn small(text: &str) -> Option<i128> {
    let (sign, magnitude) = text.strip_prefix('-').map_or((1, text), |magnitude| (-1, magnitude));
    let (digits, radix) = digits(magnitude)?;
    i128::from_str_radix(digits, radix).ok().map(|number| sign * number)
}

/// The number that hex digits without `0x` denote.
pub fn hex(digits: &str) -> Option<u64> {
    is_number(digits, 16).then(|| u64::from_str_radix(digits, 16).ok())?
}

/// The digits of a text without a sign, and their radix.
fn digits(text: &str) -> Option<(&str, u32)> {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
    is_number(digits, radix).then_some((digits, radix))
}

fn is_number(digits: &str, radix: u32) -> bool {
    let is_digit = |digit: u8| char::from(digit).is_digit(radix);
    (1..=MAX_DIGITS).contains(&digits.len()) && digits.bytes().all(is_digit)
}

/// The text with `N` in place of each number, so that reasons that differ only in numbers are equal; of a long one, the
/// beginning. Digits of a name, as in `Int32`, stay.
pub fn without_numbers(text: &str) -> String {
    const MAX_LENGTH: usize = 80;
    let mut out = String::new();
    let (mut in_number, mut before) = (false, ' ');
    for character in text.chars().take(MAX_LENGTH) {
        let is_number = character.is_ascii_digit() && (in_number || !before.is_alphanumeric());
        if is_number && !in_number {
            out.push('N');
        } else if !is_number {
            out.push(character);
        }
        (in_number, before) = (is_number, character);
    }
    if text.chars().nth(MAX_LENGTH).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is no number, though a parser of a library takes it or takes long for it.
    const OTHERS: [&str; 19] = [
        "", "-", "0x", "-0x", "+5", "-+5", "--5", "0x+5", "0x-5", "+0x5", "0x0x5", "1_000", "0x1_0", "_1",
        " 1", "1 ", "0X5", "5a", "٣",
    ];

    #[test]
    fn a_number_is_digits_after_a_minus() {
        let check = |text: &str, expected: i128| {
            assert_eq!(integer(text), Some(expected.into()), "{text}");
            assert!(short(text).is_none_or(|number| i128::from(number) == expected), "{text}");
            assert_eq!(small(text), Some(expected), "{text}");
            assert_eq!(
                natural(text),
                BigUint::try_from(expected).ok().filter(|_| !text.starts_with('-')),
                "{text}"
            );
        };
        check("0", 0);
        check("-0", 0);
        check("007", 7);
        check("-0x2a", -42);
        check("0xFf", 255);
        check("18446744073709551616", 1 << 64);
        check("0x10000000000000000", 1 << 64);
        assert_eq!(
            ["0", "007", "0xFf", "9999999999999999999", "0xffffffffffffffff"].map(short),
            [0, 7, 255, 9_999_999_999_999_999_999, u64::MAX].map(Some)
        );
        assert_eq!(["-1", "18446744073709551616", "0x10000000000000000"].map(short), [None; 3]);
        for text in OTHERS {
            assert_eq!(short(text), None, "{text:?}");
            assert_eq!((integer(text), natural(text), small(text)), (None, None, None), "{text:?}");
        }
        assert_eq!((hex("1F"), hex("ffffffffffffffff")), (Some(31), Some(u64::MAX)));
        assert_eq!(["", "+1", "-1", "1_0", "0x1", "10000000000000000"].map(hex), [None; 6]);
    }

    #[test]
    fn a_number_has_a_thousand_digits() {
        let digits = "9".repeat(MAX_DIGITS);
        assert_eq!(
            integer(&format!("-{digits}")).map(|number| number.to_string()),
            Some(format!("-{digits}"))
        );
        assert_eq!(
            integer(&format!("0x{}", "f".repeat(MAX_DIGITS))).map(|number| number.bits()),
            Some(4_000)
        );
        assert_eq!((integer(&format!("{digits}9")), small(&digits)), (None, None));
        // Its value would take minutes.
        assert_eq!(integer(&"9".repeat(10_000_000)), None);
    }
}
