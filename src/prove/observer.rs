//! What a case does with each instruction: at which heights of the stack, with which operands, whether it jumps, and how
//! it fails.

use std::collections::BTreeMap;

use num_bigint::{BigInt, Sign};

use crate::isa::OpInfo;
use crate::machines::inspect::Inspect;
use crate::machines::machine::At;
use crate::model::value::Value;

/// How often something was done with an instruction, by its name and by what was done: `a: 2^64`.
pub type Points = BTreeMap<(&'static str, String), u64>;

/// The powers of two that are boundaries of numbers, of shifts or of sizes.
const POWERS: [u32; 12] = [7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256];

/// The most operands that are looked at.
const MOST_OPERANDS: usize = 4;

/// Records points while a case runs.
#[derive(Default)]
pub(super) struct Observer {
    pub(super) points: Points,
    last: Option<Last>,
}

/// The instruction that is being executed.
struct Last {
    op: &'static OpInfo,
    next: usize,
    jumps: bool,
}

impl Observer {
    pub(super) fn before(&mut self, at: &At<'_>) {
        self.after(at.state, Some(at.pc));
        let Some(op) = at.op else { return };
        self.add(op, "executed".to_owned());
        let height = at.state.height();
        if op.pops > 0 {
            let height = match height.cmp(&usize::from(op.pops)) {
                std::cmp::Ordering::Less => "height: too few",
                std::cmp::Ordering::Equal => "height: exact",
                std::cmp::Ordering::Greater => "height: more",
            };
            self.add(op, height.to_owned());
        }
        if let Some(limit) = at.state.stack_limit()
            && op.pushes > op.pops
        {
            let after = height + usize::from(op.pushes - op.pops);
            if after == limit {
                self.add(op, "height: limit".to_owned());
            } else if after > limit {
                self.add(op, "height: over the limit".to_owned());
            }
        }
        for (name, value) in operands(op, at.state) {
            self.add(op, format!("{name}: {}", class(&value)));
        }
        let jumps = op.effects.contains(&"Jumps");
        self.last = Some(Last { op, next: at.pc + 1 + at.operand.len(), jumps });
    }

    /// What the last instruction did; `pc` is where the run goes on, if it does.
    pub(super) fn after(&mut self, state: &dyn Inspect, pc: Option<usize>) {
        let Some(Last { op, next, jumps }) = self.last.take() else { return };
        if let Some(reason) = state.failure() {
            self.add(op, format!("fails: {}", without_numbers(&reason)));
        } else if let (Some(pc), true) = (pc, jumps) {
            self.add(op, if pc == next { "not taken" } else { "taken" }.to_owned());
        }
    }

    fn add(&mut self, op: &OpInfo, what: String) {
        *self.points.entry((op.name, what)).or_default() += 1;
    }
}

/// The operands of the next instruction, named from the top of the stack, or what it reads where there is no stack.
fn operands(op: &OpInfo, state: &dyn Inspect) -> Vec<(char, Value)> {
    let values: Vec<_> = if op.pops > 0 {
        (0..usize::from(op.pops).min(MOST_OPERANDS)).map_while(|below| state.item(below)).collect()
    } else if state.height() == 0 {
        state.effects().reads.into_iter().map(|(_, value)| value).take(MOST_OPERANDS).collect()
    } else {
        Vec::new()
    };
    ('a'..).zip(values).collect()
}

/// What kind of operand a value is.
fn class(value: &Value) -> String {
    match value {
        Value::Int(number) => class_of_number(number),
        Value::Bool(truth) => truth.to_string(),
        Value::Bytes(bytes) => class_of_number(&bytes.len().into()) + " bytes",
        Value::Typed(name, inner) => match **inner {
            Value::Int(_) => class(inner),
            _ => name.to_string(),
        },
        Value::Null | Value::Text(_) | Value::List(_) | Value::Record(_) => "other".to_owned(),
    }
}

fn class_of_number(number: &BigInt) -> String {
    let sign = if number.sign() == Sign::Minus { "-" } else { "" };
    let amount = number.magnitude();
    if amount.bits() <= 1 {
        return number.to_string();
    }
    for power in POWERS {
        let boundary = num_bigint::BigUint::from(1u8) << power;
        if *amount == boundary {
            return format!("{sign}2^{power}");
        }
        if *amount == &boundary - 1u8 {
            return format!("{sign}(2^{power} - 1)");
        }
        if *amount < boundary {
            return format!("{sign}below 2^{power}");
        }
    }
    format!("{sign}above 2^256")
}

/// The text with `N` in place of each number: a reason is the same for every number.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut in_number = false;
    for character in text.chars().take(80) {
        let is_digit = character.is_ascii_digit();
        if is_digit && !in_number {
            out.push('N');
        } else if !is_digit {
            out.push(character);
        }
        in_number = is_digit;
    }
    out
}
