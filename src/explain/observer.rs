//! What a case does with each instruction: at which stack heights, with which operands, whether it jumps, and
//! how it fails.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use foldhash::fast::RandomState;
use num_bigint::{BigInt, Sign};

use crate::isa::{DeclaredEffect, OpInfo};
use crate::machines::inspect::Inspect;
use crate::machines::machine::At;
use crate::model::{Name, Value};
use crate::text::number::without_numbers;

/// What was done with instructions: pairs of a name and what was done, such as `a: 2^64`.
pub type CoveragePoints = BTreeSet<(&'static str, String)>;

/// The powers of two that are boundaries of numbers, shifts or sizes.
const POWERS: [u16; 12] = [7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256];

/// The maximum number of operands that are examined.
const MAX_OPERANDS: usize = 4;

/// The powers of two from which on an operand is large, for conditions.
const LARGE: [u16; 6] = [7, 15, 31, 63, 127, 255];

/// The number of bytes up to which an operand is as long as the largest numbers of the machines. Machines that take
/// longer ones for numbers are wrong in many instructions.
const MAX_NUMBER_BYTES: usize = 32;

/// The point of an instruction that is executed, whatever it does.
pub(super) const EXECUTED: &str = "executed";

/// How the conditions begin that hold for any operand of an instruction.
pub(super) const ANY_OPERAND: &str = "any operand: ";

/// Records points while a case runs.
#[derive(Default)]
pub(super) struct Observer<'s> {
    done: HashSet<(&'static str, StepOutcome), RandomState>,
    /// What is not recorded again.
    seen: Option<&'s SeenOutcomes>,
    last: Option<LastInstruction>,
}

/// What cases did with instructions, to decide whether another case does something new.
#[derive(Default)]
pub struct SeenOutcomes(HashSet<(&'static str, StepOutcome), RandomState>);

impl SeenOutcomes {
    /// Whether a case did something that none before did. Contents of values are too many to search for each.
    pub(super) fn lack_some_of(&self, observer: &Observer<'_>) -> bool {
        observer.done.iter().any(|done| !done.1.is_content() && !self.0.contains(done))
    }

    /// Adds what a case did.
    pub(super) fn add(&mut self, observer: Observer<'_>) {
        self.0.extend(observer.done);
    }
}

/// The instruction that is being executed.
struct LastInstruction {
    op: &'static OpInfo,
    next: usize,
    jumps: bool,
}

impl<'s> Observer<'s> {
    /// Records only what was not seen before.
    pub(super) fn beyond(seen: &'s SeenOutcomes) -> Observer<'s> {
        Observer { seen: Some(seen), ..Observer::default() }
    }

    pub(super) fn before(&mut self, at: &At<'_>) {
        self.after(at.state, Some(at.pc));
        let Some(op) = at.op else { return };
        self.add(op, StepOutcome::Executed);
        let height = at.state.height();
        if op.pops > 0 {
            let height = match height.cmp(&usize::from(op.pops)) {
                std::cmp::Ordering::Less => "too few",
                std::cmp::Ordering::Equal => "exact",
                std::cmp::Ordering::Greater => "more",
            };
            self.add(op, StepOutcome::Height(height));
        }
        if let Some(limit) = at.state.stack_limit()
            && op.pushes > op.pops
        {
            let after = height + usize::from(op.pushes - op.pops);
            if after == limit {
                self.add(op, StepOutcome::Height("limit"));
            } else if after > limit {
                self.add(op, StepOutcome::Height("over the limit"));
            }
        }
        if at.state.stack_limit() == Some(height) {
            self.add(op, StepOutcome::Full);
        }
        let operands = operands(op, at.state);
        if let [(_, first), (_, second), ..] = &*operands
            && first == second
        {
            self.add(op, StepOutcome::EqualOperands);
        }
        if operands.iter().any(|(_, value)| is_long(value)) {
            self.add(op, StepOutcome::LongOperand);
        }
        for (name, value) in operands {
            self.add(op, StepOutcome::Operand(name, Class::of(&value)));
            if let Some(content) = Class::of_content(&value) {
                self.add(op, StepOutcome::OperandContent(name, content));
            }
        }
        let jumps = op.effects.contains(&DeclaredEffect::Jumps);
        self.last = Some(LastInstruction { op, next: at.pc + 1 + at.operand.len(), jumps });
    }

    /// Records what the last instruction did; `pc` is where the run continues, `None` if it pauses or ends.
    pub(super) fn after(&mut self, state: &dyn Inspect, pc: Option<usize>) {
        let Some(last) = self.last.take() else { return };
        let LastInstruction { op, next, jumps } = last;
        if state.failure().is_none() {
            self.add_results(op, state);
        }
        match (state.failure(), pc) {
            (Some(reason), _) => self.add(op, StepOutcome::Fails(without_numbers(&reason))),
            (None, Some(pc)) if jumps => {
                self.add(op, if pc == next { StepOutcome::NotTaken } else { StepOutcome::Taken });
            }
            (None, Some(_)) => {}
            // The next step shows where the run continues.
            (None, None) => self.last = Some(last),
        }
    }

    /// Records what an instruction left.
    fn add_results(&mut self, op: &OpInfo, state: &dyn Inspect) {
        if op.pushes > 0
            && let Some(top) = state.item(0)
        {
            self.add(op, StepOutcome::Pushed(Class::of(&top)));
            if let Some(content) = Class::of_content(&top) {
                self.add(op, StepOutcome::PushedContent(content));
            }
        }
        if state.references().is_some_and(|references| references.count == references.limit) {
            self.add(op, StepOutcome::MostItems);
        }
    }

    /// Forgets the last instruction, since the next ones are not observed.
    pub(super) fn interrupt(&mut self) {
        self.last = None;
    }

    pub(super) fn points(&self) -> CoveragePoints {
        let counted = self.done.iter().filter(|(_, done)| done.is_covered());
        counted.map(|(op, done)| (*op, done.to_string())).collect()
    }

    /// The points, and what operands of different classes have in common, such as `a: 2^63 or more` or
    /// `any operand: negative`.
    pub(super) fn conditions(&self) -> CoveragePoints {
        let mut conditions = CoveragePoints::new();
        for (op, done) in &self.done {
            conditions.insert((op, done.to_string()));
            match done {
                StepOutcome::Operand(operand, class) | StepOutcome::OperandContent(operand, class) => {
                    for common in class.common() {
                        conditions.insert((op, format!("{operand}: {common}")));
                        conditions.insert((op, format!("{ANY_OPERAND}{common}")));
                    }
                }
                StepOutcome::Pushed(class) | StepOutcome::PushedContent(class) => {
                    conditions.extend(class.common().map(|common| (*op, format!("result: {common}"))));
                }
                _ => {}
            }
        }
        conditions
    }

    fn add(&mut self, op: &OpInfo, done: StepOutcome) {
        let done = (op.name, done);
        if self.seen.is_none_or(|seen| !seen.0.contains(&done)) {
            self.done.insert(done);
        }
    }
}

/// What was done with an instruction.
#[derive(Debug, PartialEq, Eq, Hash)]
enum StepOutcome {
    Executed,
    /// It was executed at this stack height.
    Height(&'static str),
    /// It was executed with such an operand.
    Operand(char, Class),
    /// It was executed with an operand whose type has such values.
    OperandContent(char, Class),
    /// It was executed with two equal operands at the top of the stack.
    EqualOperands,
    /// It was executed with an operand of more bytes than a number has.
    LongOperand,
    /// It was executed although the stack was full.
    Full,
    /// It left such a value on top of the stack.
    Pushed(Class),
    /// It left a value on top of the stack whose type has such values.
    PushedContent(Class),
    /// It left as many items as the machine allows.
    MostItems,
    Taken,
    NotTaken,
    Fails(String),
}

impl StepOutcome {
    /// Whether a suite should do this with each instruction: coverage counts it.
    fn is_covered(&self) -> bool {
        match self {
            StepOutcome::EqualOperands
            | StepOutcome::LongOperand
            | StepOutcome::Full
            | StepOutcome::Pushed(_)
            | StepOutcome::OperandContent(..)
            | StepOutcome::PushedContent(_)
            | StepOutcome::MostItems => false,
            StepOutcome::Executed
            | StepOutcome::Height(_)
            | StepOutcome::Operand(..)
            | StepOutcome::Taken
            | StepOutcome::NotTaken
            | StepOutcome::Fails(_) => true,
        }
    }

    /// Whether it says something about a value besides its type.
    fn is_content(&self) -> bool {
        matches!(self, StepOutcome::OperandContent(..) | StepOutcome::PushedContent(_))
    }
}

impl fmt::Display for StepOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepOutcome::Executed => f.write_str(EXECUTED),
            StepOutcome::Height(height) => write!(f, "height: {height}"),
            StepOutcome::Operand(name, class) | StepOutcome::OperandContent(name, class) => {
                write!(f, "{name}: {class}")
            }
            StepOutcome::EqualOperands => f.write_str("equal operands"),
            StepOutcome::LongOperand => write!(f, "{ANY_OPERAND}more than {MAX_NUMBER_BYTES} bytes"),
            StepOutcome::Full => f.write_str("height: full"),
            StepOutcome::Pushed(class) | StepOutcome::PushedContent(class) => write!(f, "result: {class}"),
            StepOutcome::MostItems => f.write_str("items: limit"),
            StepOutcome::Taken => f.write_str("taken"),
            StepOutcome::NotTaken => f.write_str("not taken"),
            StepOutcome::Fails(reason) => write!(f, "fails: {reason}"),
        }
    }
}

/// The operands of the next instruction, with the letters of its row; on a machine without a stack, what it reads.
fn operands(op: &OpInfo, state: &dyn Inspect) -> Vec<(char, Value)> {
    if op.pops > 0 {
        let letters = op.letters().take(MAX_OPERANDS).enumerate();
        letters.map_while(|(below, letter)| Some((letter, state.item(below)?))).collect()
    } else if state.height() == 0 {
        let values = state.effects().reads.into_iter().map(|(_, value)| value);
        ('a'..).zip(values).take(MAX_OPERANDS).collect()
    } else {
        Vec::new()
    }
}

fn is_long(value: &Value) -> bool {
    match value {
        Value::Bytes(bytes) => bytes.len() > MAX_NUMBER_BYTES,
        Value::Typed(_, inner) => is_long(inner),
        _ => false,
    }
}

/// The class of an operand.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Class {
    Number(NumberClass),
    Truth(bool),
    /// Bytes, classified by their number.
    Bytes(NumberClass),
    Typed(Name),
    /// Other values: the items of an Array, or the pairs of a Map.
    Compound,
    Other,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct NumberClass {
    is_negative: bool,
    size: SizeClass,
}

/// The magnitude of a number, by powers of two.
#[derive(Debug, PartialEq, Eq, Hash)]
enum SizeClass {
    Zero,
    One,
    Power(u16),
    PowerLessOne(u16),
    /// Less than this power minus one, and more than the power before it: each number is in one class.
    Below(u16),
    /// More than the highest power.
    Above,
}

impl Class {
    fn of(value: &Value) -> Class {
        match value {
            Value::Int(number) => Class::Number(NumberClass::of(number)),
            Value::Bool(truth) => Class::Truth(*truth),
            Value::Bytes(bytes) => Class::Bytes(NumberClass::of(&bytes.len().into())),
            Value::Typed(name, inner) => match **inner {
                Value::Int(_) => Class::of(inner),
                _ => Class::Typed(name.clone()),
            },
            Value::Null | Value::Text(_) | Value::List(_) | Value::Record(_) => Class::Other,
        }
    }

    /// The class of what a value holds whose own class is its type: the bytes of a ByteString. A type without values,
    /// such as Null, holds nothing.
    fn of_content(value: &Value) -> Option<Class> {
        let Value::Typed(_, inner) = value else { return None };
        match &**inner {
            Value::Bool(_) | Value::Bytes(_) => Some(Class::of(inner)),
            Value::List(_) | Value::Record(_) => Some(Class::Compound),
            // The class of a number is that of the typed value.
            Value::Int(_) | Value::Null | Value::Text(_) | Value::Typed(..) => None,
        }
    }
}

impl Class {
    /// What it has in common with other classes.
    fn common(&self) -> impl Iterator<Item = String> + use<> {
        let sort = match self {
            Class::Number(_) => "a number".to_owned(),
            Class::Truth(_) => "a truth value".to_owned(),
            Class::Bytes(_) => "bytes".to_owned(),
            Class::Compound => "a compound".to_owned(),
            Class::Typed(name) => name.to_string(),
            Class::Other => "no number".to_owned(),
        };
        let number = if let Class::Number(number) = self { Some(number) } else { None };
        let negative = number.filter(|it| it.is_negative).map(|_| "negative".to_owned());
        let zero = number.filter(|it| it.size == SizeClass::Zero).map(|_| "0".to_owned());
        let bits = number.map_or(0, |it| it.size.least_bits());
        let is_negative = negative.is_some();
        let large = LARGE.into_iter().filter(move |power| bits > *power).flat_map(move |power| {
            let signed =
                if is_negative { format!("-2^{power} or less") } else { format!("2^{power} or more") };
            [format!("magnitude 2^{power} or more"), signed]
        });
        [sort].into_iter().chain(negative).chain(zero).chain(large)
    }
}

impl SizeClass {
    /// The number of bits of the smallest number of this size.
    fn least_bits(&self) -> u16 {
        match self {
            SizeClass::Zero => 0,
            SizeClass::One => 1,
            SizeClass::Power(power) => power + 1,
            SizeClass::PowerLessOne(power) => *power,
            SizeClass::Below(power) => power_below(*power).map_or(0, |lower| lower + 1),
            SizeClass::Above => 257,
        }
    }
}

/// The largest of [`POWERS`] below this one.
fn power_below(power: u16) -> Option<u16> {
    POWERS.into_iter().take_while(|lower| *lower < power).last()
}

impl NumberClass {
    fn of(number: &BigInt) -> NumberClass {
        let amount = number.magnitude();
        let bits = u16::try_from(amount.bits()).unwrap_or(u16::MAX);
        let is_power = amount.trailing_zeros() == Some(u64::from(bits).saturating_sub(1));
        let is_power_less_one = amount.count_ones() == u64::from(bits);
        let size = match bits {
            0 => SizeClass::Zero,
            1 => SizeClass::One,
            _ if is_power && POWERS.contains(&(bits - 1)) => SizeClass::Power(bits - 1),
            _ if is_power_less_one && POWERS.contains(&bits) => SizeClass::PowerLessOne(bits),
            _ => POWERS.into_iter().find(|power| bits <= *power).map_or(SizeClass::Above, SizeClass::Below),
        };
        NumberClass { is_negative: number.sign() == Sign::Minus, size }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Class::Number(class) => class.fmt(f),
            Class::Truth(truth) => truth.fmt(f),
            Class::Bytes(class) => write!(f, "{class} bytes"),
            Class::Typed(name) => name.fmt(f),
            Class::Compound => f.write_str("a compound"),
            Class::Other => f.write_str("other"),
        }
    }
}

impl fmt::Display for NumberClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negative { "-" } else { "" };
        match self.size {
            SizeClass::Zero => f.write_str("0"),
            SizeClass::One => write!(f, "{sign}1"),
            SizeClass::Power(power) => write!(f, "{sign}2^{power}"),
            SizeClass::PowerLessOne(power) => write!(f, "{sign}(2^{power} - 1)"),
            // The bounds are of other classes.
            SizeClass::Below(power) => {
                write!(f, "between {sign}")?;
                match power_below(power) {
                    Some(lower) => write!(f, "2^{lower}")?,
                    None => f.write_str("1")?,
                }
                write!(f, " and {sign}(2^{power} - 1)")
            }
            SizeClass::Above if self.is_negative => f.write_str("below -2^256"),
            SizeClass::Above => f.write_str("above 2^256"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Conditions are read as sentences about numbers, so that they must be true of each number that is counted.
    #[test]
    fn words_of_numbers_are_true_of_them() {
        for (number, words, large) in [
            (0, "0", None),
            (-1, "-1", None),
            (5, "between 1 and (2^7 - 1)", None),
            (-5, "between -1 and -(2^7 - 1)", None),
            (127, "(2^7 - 1)", None),
            (128, "2^7", Some("2^7 or more")),
            (-128, "-2^7", Some("-2^7 or less")),
            (40_000, "between 2^15 and (2^16 - 1)", Some("2^15 or more")),
            (-40_000, "between -2^15 and -(2^16 - 1)", Some("-2^15 or less")),
        ] {
            let class = Class::Number(NumberClass::of(&BigInt::from(number)));
            assert_eq!(class.to_string(), words, "{number}");
            let common: Vec<_> = class.common().filter(|words| words.contains("2^")).collect();
            assert_eq!(common.last().map(String::as_str), large, "{number}: {common:?}");
        }
    }
}
