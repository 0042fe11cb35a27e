//! Makes numbers and byte strings of the input smaller.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::nodes::{document, nodes};
use super::{Minimizer, reading};
use crate::text::edit::{TextChange, apply};
use crate::text::json::{JsonDatum, JsonNode};

/// Tries simpler values for each leaf that is not an expectation.
pub(super) fn simplify(minimizer: &mut Minimizer<'_>) {
    let mut at = 0;
    while let Some(simpler) = simpler_at(minimizer, at) {
        for index in 0..simpler {
            // The text changes as values are accepted, so each is made anew.
            let Some(text) = text_with(minimizer, at, index) else { break };
            if minimizer.attempt(text) {
                break;
            }
        }
        if minimizer.is_cut {
            return;
        }
        at += 1;
    }
}

/// How many simpler values the leaf at this place has; `None` if there is no such leaf.
fn simpler_at(minimizer: &Minimizer<'_>, at: usize) -> Option<usize> {
    Some(simpler(leaf(minimizer, at)?).len())
}

fn text_with(minimizer: &Minimizer<'_>, at: usize, index: usize) -> Option<String> {
    let node = leaf(minimizer, at)?;
    let value = simpler(node).into_iter().nth(index)?;
    let change = match node.datum() {
        JsonDatum::Number(_) => TextChange::Digits { node, digits: value },
        _ => TextChange::Replace { node, value: value.into() },
    };
    Some(apply(node.document(), &[change]))
}

fn leaf<'m>(minimizer: &'m Minimizer<'_>, at: usize) -> Option<JsonNode<'m>> {
    let demanded = demanded(minimizer);
    let is_input =
        |node: &JsonNode<'_>| !node.is_object() && !node.is_array() && !demanded.contains(&node.at());
    nodes(document(minimizer)?).into_iter().filter(is_input).nth(at)
}

/// Where the expectations stand.
fn demanded(minimizer: &Minimizer<'_>) -> BTreeSet<u32> {
    let Some(read) = reading(&minimizer.file) else { return BTreeSet::new() };
    let steps = read.case.steps.iter();
    let assertions = steps.flat_map(|step| step.end.iter().chain(&step.assertions));
    assertions.map(|assertion| assertion.origin.0).collect()
}

/// Simpler values, the simplest first.
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
    let Ok(number) = digits.parse::<BigInt>() else { return Vec::new() };
    let quarter = number.bits() / 4;
    let halves = (1..=3).map(|quarters| &number >> (quarter * quarters));
    let mut simpler: Vec<BigInt> = [BigInt::from(0), BigInt::from(1)].into_iter().chain(halves).collect();
    simpler.push(&number - 1);
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
