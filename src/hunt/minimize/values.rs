//! Makes numbers and byte strings of the input smaller.

use num_bigint::{BigInt, Sign};

use super::minimizer::Minimizer;
use crate::text::edit::{TextChange, apply};
use crate::text::json::{JsonDatum, JsonNode};
use crate::text::number::integer;

/// How many powers of two are subtracted from a number at most.
const MAX_POWERS: u64 = 8;

/// Tries simpler values for each leaf that is not an expectation, as long as there are some.
pub(super) fn simplify(minimizer: &mut Minimizer<'_>) {
    let mut at = 0;
    while let Some(node) = minimizer.input(at) {
        let is_simpler = simpler(node)
            .into_iter()
            .any(|value| text_with(minimizer, at, value).is_some_and(|text| minimizer.attempt(text)));
        if minimizer.is_stopped() {
            return;
        }
        at += usize::from(!is_simpler);
    }
}

fn text_with(minimizer: &Minimizer<'_>, at: usize, value: String) -> Option<String> {
    let node = minimizer.input(at)?;
    let change = match node.datum() {
        JsonDatum::Number(_) => TextChange::Digits { node, digits: value },
        _ => TextChange::Replace { node, value: value.into() },
    };
    Some(apply(node.document(), &[change]))
}

/// Simpler values of a leaf, the simplest first.
fn simpler(node: JsonNode<'_>) -> Vec<String> {
    match node.datum() {
        JsonDatum::Number(digits) => simpler_number(digits),
        JsonDatum::Text(text) => match text.strip_prefix("0x") {
            Some(digits) => simpler_digits(digits),
            None => simpler_number(&text),
        },
        JsonDatum::Null | JsonDatum::Bool(_) | JsonDatum::Array | JsonDatum::Object => Vec::new(),
    }
}

fn simpler_number(digits: &str) -> Vec<String> {
    let Some(number) = integer(digits) else { return Vec::new() };
    let bits = number.bits();
    let halves = (1..=3).map(|quarters| &number >> (bits / 4 * quarters));
    // Powers of two, the largest first: one by one, a number whose size matters would take as many tries as it is
    // large.
    let step = bits.div_ceil(MAX_POWERS).max(1);
    let powers = (0..bits).step_by(step as usize).map(|power| BigInt::from(1) << power);
    let signed = |power: BigInt| if number.sign() == Sign::Minus { -power } else { power };
    let less: Vec<_> = powers.map(|power| &number - signed(power)).collect();
    let mut simpler: Vec<BigInt> = [BigInt::from(0), BigInt::from(1)].into_iter().chain(halves).collect();
    simpler.extend(less.into_iter().rev());
    simpler.retain(|it| it.magnitude() < number.magnitude());
    simpler.into_iter().map(|it| it.to_string()).collect()
}

fn simpler_digits(digits: &str) -> Vec<String> {
    let half = digits.len() / 4 * 2;
    let zeros = "0".repeat(digits.len());
    // A number of one digit stays one: where "0x" is a number as well, it is harder to read.
    let mut simpler: Vec<_> = ["0", "1", "00", "01"].map(|digits| format!("0x{digits}")).into();
    simpler.extend((digits.len() > 2).then(|| "0x".to_owned()));
    if half > 0 && digits.is_char_boundary(half) {
        simpler.extend([format!("0x{}", &digits[..half]), format!("0x{}", &digits[half..])]);
    }
    simpler.push(format!("0x{zeros}"));
    simpler.retain(|it| (it.len(), &it[2..]) < (digits.len() + 2, digits));
    simpler
}

#[cfg(test)]
mod tests {
    use super::*;

    /// To compute a number of ten million digits takes minutes.
    #[test]
    fn a_number_with_too_many_digits_has_no_simpler_ones() {
        assert_eq!(simpler_number(&"9".repeat(10_000_000)), Vec::<String>::new());
        assert_eq!(simpler_number("2")[..2], ["0", "1"]);
    }

    #[test]
    fn a_number_whose_size_matters_becomes_the_least_one_in_few_tries() {
        const LEAST: i64 = 12_345;
        let (mut number, mut tries) = (i64::MAX, 0);
        let mut is_less = |number: &mut i64| {
            let simpler = simpler_number(&number.to_string());
            let found = simpler.iter().find(|it| {
                tries += 1;
                it.parse().is_ok_and(|it: i64| it >= LEAST)
            });
            found.and_then(|it| it.parse().ok()).map(|it| *number = it).is_some()
        };
        while is_less(&mut number) {}
        assert!(number == LEAST && tries < 300, "{number} after {tries}");
    }
}
