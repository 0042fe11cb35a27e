//! Integers: how they are written, and every instruction on them against plain big numbers.

use std::cmp::Ordering;

use num_bigint::BigInt;
use proptest::prelude::*;
use vmconf::machines::neo3::Op;

use super::{End, Script, boolean, buffer, byte_string, config, encoded, end_of, integer};

/// The instructions that push an Integer, by the bytes of their operand.
const PUSHES: [(usize, Op); 6] = [
    (1, Op::PUSHINT8),
    (2, Op::PUSHINT16),
    (4, Op::PUSHINT32),
    (8, Op::PUSHINT64),
    (16, Op::PUSHINT128),
    (32, Op::PUSHINT256),
];

/// 2 to a power.
fn power_of_2(exponent: usize) -> BigInt {
    BigInt::from(1) << exponent
}

/// Whether this number of bytes of two's complement hold a number.
fn fits(number: &BigInt, bytes: usize) -> bool {
    match bytes {
        0 => *number == BigInt::ZERO,
        _ => *number >= -power_of_2(8 * bytes - 1) && *number < power_of_2(8 * bytes - 1),
    }
}

/// The fewest bytes that hold a number.
fn length(number: &BigInt) -> usize {
    (0..=32).find(|bytes| fits(number, *bytes)).unwrap()
}

/// Numbers of 32 bytes: around powers of 2, of random bytes, and small ones.
fn number() -> impl Strategy<Value = BigInt> {
    let edge = (0..256usize, -2..=2, prop::sample::select(vec![-1, 1]));
    let edge = edge.prop_map(|(exponent, offset, sign)| power_of_2(exponent) * sign + offset);
    let bytes = prop::collection::vec(any::<u8>(), 0..=32);
    let bytes = bytes.prop_map(|bytes| {
        let unsigned = BigInt::from_bytes_le(num_bigint::Sign::Plus, &bytes);
        let half = power_of_2((8 * bytes.len()).max(1) - 1);
        if unsigned >= half { unsigned - half * 2 } else { unsigned }
    });
    let small = (-3..=260).prop_map(BigInt::from);
    let smallest = (-2..=2).prop_map(BigInt::from);
    let any = prop_oneof![3 => edge, 3 => bytes, 3 => small, 1 => smallest];
    any.prop_map(|number| if fits(&number, 32) { number } else { power_of_2(255) - 1 })
}

/// How an operand comes on the stack.
#[derive(Debug, Clone, Copy)]
enum Writing {
    Shortest,
    Longest,
    /// As a ByteString with this number of bytes more than needed.
    Bytes(usize),
    /// As a Boolean, if it is one.
    Truth,
}

fn writing() -> impl Strategy<Value = Writing> {
    prop_oneof![
        3 => Just(Writing::Shortest),
        1 => Just(Writing::Longest),
        1 => (0..4usize).prop_map(Writing::Bytes),
        1 => Just(Writing::Truth),
    ]
}

fn pushed(script: Script, number: &BigInt, writing: Writing) -> Script {
    match writing {
        Writing::Truth if *number == BigInt::ZERO => script.ops(&[Op::PUSHF]),
        Writing::Truth if *number == BigInt::from(1) => script.ops(&[Op::PUSHT]),
        Writing::Bytes(more) => script.bytes(&encoded(number, (length(number) + more).min(32))),
        Writing::Shortest => {
            let (bytes, op) = PUSHES.into_iter().find(|row| fits(number, row.0)).unwrap();
            script.op(op, &encoded(number, bytes))
        }
        Writing::Truth | Writing::Longest => script.int(number.clone()),
    }
}

// ---- Encoding

const INTEGER: u8 = 0x21;
const BYTE_STRING: u8 = 0x28;
const BUFFER: u8 = 0x30;

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn an_integer_is_the_same_however_it_is_pushed(number in number()) {
        let size = length(&number);
        let bytes = encoded(&number, size);
        let expected = vec![
            integer(number.clone()),
            integer(size),
            byte_string(&bytes),
            buffer(&bytes),
            integer(number.clone()),
            integer(number.clone()),
        ];
        for (width, push) in PUSHES.into_iter().filter(|row| fits(&number, row.0)) {
            let push = |script: Script| script.op(push, &encoded(&number, width));
            let script = push(push(Script::new()).ops(&[Op::DUP, Op::SIZE]));
            let script = push(script.op(Op::CONVERT, &[BYTE_STRING])).op(Op::CONVERT, &[BUFFER]);
            let script = script.ops(&[Op::OVER]).op(Op::CONVERT, &[INTEGER]);
            let script = script.ops(&[Op::OVER]).op(Op::CONVERT, &[INTEGER]);
            prop_assert_eq!(end_of(&script), End::Halt(expected.clone()), "{} bytes", width);
        }
    }

    #[test]
    fn bytes_may_repeat_the_sign(number in number()) {
        for length in length(&number)..=33 {
            let expected = if length <= 32 { End::one(integer(number.clone())) } else { End::Fault };
            let bytes = Script::new().bytes(&encoded(&number, length));
            let script = bytes.clone().op(Op::CONVERT, &[INTEGER]);
            prop_assert_eq!(&end_of(&script), &expected, "ByteString of {} bytes", length);
            let script = bytes.clone().op(Op::CONVERT, &[BUFFER]).op(Op::CONVERT, &[INTEGER]);
            prop_assert_eq!(&end_of(&script), &expected, "Buffer of {} bytes", length);
            let script = bytes.ops(&[Op::PUSH0, Op::ADD]);
            prop_assert_eq!(&end_of(&script), &expected, "operand of {} bytes", length);
        }
    }
}

// ---- Instructions

/// What an instruction makes of numbers.
#[derive(Debug, Clone, PartialEq)]
enum Expected {
    Int(BigInt),
    Bool(bool),
    Fault,
}

impl Expected {
    fn end(self) -> End {
        match self {
            Expected::Int(number) if fits(&number, 32) => End::one(integer(number)),
            Expected::Bool(value) => End::one(boolean(value)),
            Expected::Int(_) | Expected::Fault => End::Fault,
        }
    }
}

/// An instruction, how many operands it takes, and what it makes of them, the deepest one first.
type Row = (Op, usize, fn(&[BigInt]) -> Expected);

/// Section 3.6 of the reference.
const ROWS: &[Row] = &[
    (Op::INVERT, 1, |n| Expected::Int(-&n[0] - 1)),
    (Op::AND, 2, |n| bitwise(n, |a, b| a & b)),
    (Op::OR, 2, |n| bitwise(n, |a, b| a | b)),
    (Op::XOR, 2, |n| bitwise(n, |a, b| a ^ b)),
    (Op::SIGN, 1, |n| Expected::Int(BigInt::from(n[0].cmp(&BigInt::ZERO) as i8))),
    (Op::ABS, 1, |n| Expected::Int(BigInt::from(n[0].magnitude().clone()))),
    (Op::NEGATE, 1, |n| Expected::Int(BigInt::ZERO - &n[0])),
    (Op::INC, 1, |n| Expected::Int(&n[0] + 1)),
    (Op::DEC, 1, |n| Expected::Int(&n[0] - 1)),
    (Op::ADD, 2, |n| Expected::Int(&n[0] + &n[1])),
    (Op::SUB, 2, |n| Expected::Int(&n[0] - &n[1])),
    (Op::MUL, 2, |n| Expected::Int(&n[0] * &n[1])),
    (Op::DIV, 2, |n| divided(&n[0], &n[1], |(quotient, _)| quotient)),
    (Op::MOD, 2, |n| divided(&n[0], &n[1], |(_, rest)| rest)),
    (Op::POW, 2, |n| shifted(&n[1], |exponent| (0..exponent).fold(BigInt::from(1), |a, _| a * &n[0]))),
    (Op::SQRT, 1, |n| square_root(&n[0])),
    (Op::MODMUL, 3, |n| divided(&(&n[0] * &n[1]), &n[2], |(_, rest)| rest)),
    (Op::MODPOW, 3, |n| power_modulo(&n[0], &n[1], &n[2])),
    (Op::SHL, 2, |n| shifted(&n[1], |shift| &n[0] * power_of_2(shift))),
    (Op::SHR, 2, |n| shifted(&n[1], |shift| floor(&n[0], &power_of_2(shift)))),
    (Op::NZ, 1, |n| Expected::Bool(n[0] != BigInt::ZERO)),
    (Op::NUMEQUAL, 2, |n| Expected::Bool(n[0] == n[1])),
    (Op::NUMNOTEQUAL, 2, |n| Expected::Bool(n[0] != n[1])),
    (Op::LT, 2, |n| Expected::Bool(n[0] < n[1])),
    (Op::LE, 2, |n| Expected::Bool(n[0] <= n[1])),
    (Op::GT, 2, |n| Expected::Bool(n[0] > n[1])),
    (Op::GE, 2, |n| Expected::Bool(n[0] >= n[1])),
    (Op::MIN, 2, |n| Expected::Int(if n[0] < n[1] { n[0].clone() } else { n[1].clone() })),
    (Op::MAX, 2, |n| Expected::Int(if n[0] > n[1] { n[0].clone() } else { n[1].clone() })),
    (Op::WITHIN, 3, |n| Expected::Bool(n[1] <= n[0] && n[0] < n[2])),
];

/// A conditional jump of two numbers with one byte, the same with four, and when it is taken.
type Jump = (Op, Op, fn(Ordering) -> bool);

const JUMPS: [Jump; 6] = [
    (Op::JMPEQ, Op::JMPEQ_L, |order| order == Ordering::Equal),
    (Op::JMPNE, Op::JMPNE_L, |order| order != Ordering::Equal),
    (Op::JMPGT, Op::JMPGT_L, |order| order == Ordering::Greater),
    (Op::JMPGE, Op::JMPGE_L, |order| order != Ordering::Less),
    (Op::JMPLT, Op::JMPLT_L, |order| order == Ordering::Less),
    (Op::JMPLE, Op::JMPLE_L, |order| order != Ordering::Greater),
];

/// Bit by bit of 32 bytes, the first of them the sign, which extends without end.
fn bitwise(operands: &[BigInt], bits: fn(u8, u8) -> u8) -> Expected {
    let [a, b] = [0, 1].map(|index: usize| encoded(&operands[index], 32));
    let bytes: Vec<u8> = a.iter().zip(&b).map(|(a, b)| bits(*a, *b)).collect();
    let unsigned = BigInt::from_bytes_le(num_bigint::Sign::Plus, &bytes);
    Expected::Int(if bytes[31] >= 0x80 { unsigned - power_of_2(256) } else { unsigned })
}

/// Quotient rounded to zero and the rest with the sign of `a`, made of magnitudes.
fn divided(a: &BigInt, b: &BigInt, part: fn((BigInt, BigInt)) -> BigInt) -> Expected {
    if *b == BigInt::ZERO {
        return Expected::Fault;
    }
    let quotient = BigInt::from(a.magnitude() / b.magnitude());
    let rest = BigInt::from(a.magnitude() % b.magnitude());
    let is_negative = |number: &BigInt| *number < BigInt::ZERO;
    let signed = |number: BigInt, is_negative| if is_negative { -number } else { number };
    Expected::Int(part((signed(quotient, is_negative(a) != is_negative(b)), signed(rest, is_negative(a)))))
}

/// The quotient rounded down; `b` is greater than 0.
fn floor(a: &BigInt, b: &BigInt) -> BigInt {
    if *a < BigInt::ZERO { -((-a + b - BigInt::from(1)) / b) } else { a / b }
}

/// What comes of a shift or exponent from 0 to 256.
fn shifted(shift: &BigInt, work: impl FnOnce(usize) -> BigInt) -> Expected {
    usize::try_from(shift)
        .ok()
        .filter(|it| *it <= 256)
        .map_or(Expected::Fault, |shift| Expected::Int(work(shift)))
}

/// By halving the interval that it is in.
fn square_root(number: &BigInt) -> Expected {
    if *number < BigInt::ZERO {
        return Expected::Fault;
    }
    let (mut low, mut high) = (BigInt::ZERO, power_of_2(128));
    while &high - &low > BigInt::from(1) {
        let middle: BigInt = (&low + &high) / 2;
        if &middle * &middle <= *number { low = middle } else { high = middle }
    }
    Expected::Int(low)
}

fn power_modulo(base: &BigInt, exponent: &BigInt, modulus: &BigInt) -> Expected {
    if *exponent == BigInt::from(-1) {
        return inverse(base, modulus);
    }
    if *exponent < BigInt::ZERO || *modulus == BigInt::ZERO {
        return Expected::Fault;
    }
    // The sign is that of the power, which squares alone do not have.
    let modulus = BigInt::from(modulus.magnitude().clone());
    let (mut result, mut square) = (BigInt::from(1) % &modulus, base % &modulus);
    for bit in 0..exponent.bits() {
        if exponent.bit(bit) {
            result = result * &square % &modulus;
        }
        square = &square * &square % &modulus;
    }
    Expected::Int(result)
}

/// By the extended algorithm of Euclid.
fn inverse(number: &BigInt, modulus: &BigInt) -> Expected {
    if *number <= BigInt::ZERO || *modulus < BigInt::from(2) {
        return Expected::Fault;
    }
    let (mut rest, mut next_rest) = (modulus.clone(), number.clone());
    let (mut factor, mut next_factor) = (BigInt::ZERO, BigInt::from(1));
    while next_rest != BigInt::ZERO {
        let quotient = &rest / &next_rest;
        (rest, next_rest) = (next_rest.clone(), rest - &quotient * next_rest);
        (factor, next_factor) = (next_factor.clone(), factor - quotient * next_factor);
    }
    if rest != BigInt::from(1) {
        return Expected::Fault;
    }
    Expected::Int(((factor % modulus) + modulus) % modulus)
}

/// A script that leaves whether the jump was taken.
fn jump(a: &BigInt, b: &BigInt, op: Op, width: i8) -> Script {
    let script = pushed(pushed(Script::new(), a, Writing::Shortest), b, Writing::Shortest);
    // Over itself and two instructions.
    let mut operand = vec![0; width as usize];
    operand[0] = (1 + width + 2) as u8;
    script.op(op, &operand).ops(&[Op::PUSHF, Op::RET, Op::PUSHT])
}

proptest! {
    #![proptest_config(config(8000))]

    #[test]
    fn numbers_are_worked_on_as_the_reference_says(
        operands in prop::array::uniform3(number()),
        writings in prop::array::uniform3(writing()),
    ) {
        for (op, count, expected) in ROWS {
            let both = operands[..*count].iter().zip(writings);
            let script = both.fold(Script::new(), |script, (number, how)| pushed(script, number, how));
            let expected = expected(&operands[..*count]).end();
            prop_assert_eq!(end_of(&script.ops(&[*op])), expected, "{:?}", op);
        }
        let (a, b) = (&operands[0], &operands[1]);
        for (short, long, taken) in JUMPS {
            let expected = End::one(boolean(taken(a.cmp(b))));
            prop_assert_eq!(&end_of(&jump(a, b, short, 1)), &expected, "{:?}", short);
            prop_assert_eq!(&end_of(&jump(a, b, long, 4)), &expected, "{:?}", long);
        }
    }
}

/// Null, a Buffer, compounds and so on are no numbers: only LT, LE, GT and GE take Null, whatever
/// the other operand is.
#[test]
fn items_that_are_not_numbers_fault() {
    let not_numbers = [
        Script::new().ops(&[Op::PUSHNULL]),
        Script::new().ops(&[Op::PUSH1, Op::NEWBUFFER]),
        Script::new().ops(&[Op::NEWARRAY0]),
        Script::new().ops(&[Op::NEWSTRUCT0]),
        Script::new().ops(&[Op::NEWMAP]),
        Script::new().op(Op::PUSHA, &[0; 4]),
        Script::new().op(Op::SYSCALL, &[0x77; 4]),
        Script::new().bytes(&[0; 33]),
    ];
    let ordered = [Op::LT, Op::LE, Op::GT, Op::GE];
    for (op, count, _) in ROWS {
        for (index, no_number) in not_numbers.iter().enumerate() {
            for place in 0..*count {
                let push =
                    |script: Script, at| if at == place { script.raw(&no_number.0) } else { script.int(1) };
                let script = (0..*count).fold(Script::new(), push).ops(&[*op]);
                let takes_null = index == 0 && ordered.contains(op);
                let expected = if takes_null { End::one(boolean(false)) } else { End::Fault };
                assert_eq!(end_of(&script), expected, "{op:?} of {no_number:?} as operand {place}");
            }
            if ordered.contains(op) {
                for script in [
                    Script::new().ops(&[Op::PUSHNULL]).raw(&no_number.0),
                    Script::new().raw(&no_number.0).ops(&[Op::PUSHNULL]),
                ] {
                    assert_eq!(end_of(&script.ops(&[*op])), End::one(boolean(false)), "{op:?}");
                }
            }
        }
    }
    for (op, _, _) in JUMPS {
        for no_number in &not_numbers {
            let first = Script::new().raw(&no_number.0).int(1);
            let second = Script::new().int(1).raw(&no_number.0);
            for script in [first, second] {
                assert_eq!(end_of(&script.op(op, &[2])), End::Fault, "{op:?} of {no_number:?}");
            }
        }
    }
}
