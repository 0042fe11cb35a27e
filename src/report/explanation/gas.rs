//! What the gas of a case was spent on.

use std::io::{self, Write};

use num_bigint::{BigInt, Sign};

use crate::model::{CaseDifference, Expected, Explanation, SpentGas, Value};
use crate::report::style::{DIM, WIDTH};

/// How much more gas was spent than a difference in gas demands; `None` for another difference.
pub(super) fn overspent(CaseDifference { at, expected, actual, .. }: &CaseDifference) -> Option<BigInt> {
    let (Expected::Is(Value::Int(expected)), Some(Value::Int(actual))) = (expected, actual) else {
        return None;
    };
    match &*at.to_string() {
        "gas" => Some(expected - actual),
        "gasUsed" => Some(actual - expected),
        _ => None,
    }
}

/// Writes what the gas was spent on: first the instructions whose dynamic price, or a base price that is
/// wrong by 1, explains the difference, then those with another dynamic price, then the largest sums.
pub(super) fn spent(
    text: &mut Vec<u8>,
    explained: &Explanation,
    overspent: Option<&BigInt>,
) -> io::Result<()> {
    if let Some(more) = overspent {
        let word = if more.sign() == Sign::Minus { "less" } else { "more" };
        writeln!(text, "    {DIM}spent   {DIM:#} {} {word} than expected", more.magnitude())?;
    }
    let dynamic = |spent: &SpentGas| BigInt::from(spent.gas) - BigInt::from(spent.by_row);
    let mut all: Vec<_> = explained.spent.iter().filter(|spent| spent.1.gas > 0).collect();
    all.sort_by_key(|(_, spent)| {
        let explains = overspent.is_some_and(|more| dynamic(spent) == *more);
        // A base price that is wrong by 1 adds up once for each execution.
        let is_price = overspent.is_some_and(|more| *more.magnitude() == spent.count.into());
        (!explains, !is_price, spent.refund == 0, spent.unlike_row == 0, std::cmp::Reverse(spent.gas))
    });
    let one = |(name, spent): &(&&str, &SpentGas)| {
        let dynamic = dynamic(spent);
        let sign = if dynamic.sign() == Sign::Minus { "-" } else { "+" };
        let apart =
            if spent.unlike_row == 0 { String::new() } else { format!(" {sign} {}", dynamic.magnitude()) };
        let refund = if spent.refund == 0 { String::new() } else { format!(", refund {}", spent.refund) };
        format!("{name} {} × {}{apart}{refund}", spent.count, spent.by_row / spent.count.max(1))
    };
    let parts: Vec<_> = all.iter().map(one).collect();
    let mut line = String::new();
    let mut lines = 0;
    for (index, part) in parts.iter().enumerate() {
        if line.len() + part.len() > WIDTH - 15 && !line.is_empty() {
            writeln!(text, "    {DIM}spent on{DIM:#} {}", std::mem::take(&mut line))?;
            lines += 1;
            if lines == 3 {
                return writeln!(text, "             and {} more", parts.len() - index);
            }
        }
        let comma = if line.is_empty() { "" } else { ", " };
        line.push_str(comma);
        line.push_str(part);
    }
    if line.is_empty() { Ok(()) } else { writeln!(text, "    {DIM}spent on{DIM:#} {line}") }
}
