//! Arithmetic modulo 2^256.

use ruint::aliases::U256;

use super::frame::{Flow, Frame, Word};

pub(super) fn add(f: &mut Frame<'_>) -> Flow {
    f.binary(Word::wrapping_add)
}

pub(super) fn mul(f: &mut Frame<'_>) -> Flow {
    f.binary(Word::wrapping_mul)
}

pub(super) fn sub(f: &mut Frame<'_>) -> Flow {
    f.binary(Word::wrapping_sub)
}

pub(super) fn div(f: &mut Frame<'_>) -> Flow {
    f.binary(|a, b| a.checked_div(b).unwrap_or_default())
}

pub(super) fn rem(f: &mut Frame<'_>) -> Flow {
    f.binary(|a, b| a.checked_rem(b).unwrap_or_default())
}

pub(super) fn sdiv(f: &mut Frame<'_>) -> Flow {
    f.binary(|a, b| {
        let quotient = magnitude(a).checked_div(magnitude(b)).unwrap_or_default();
        with_sign(quotient, is_negative(a) != is_negative(b))
    })
}

pub(super) fn smod(f: &mut Frame<'_>) -> Flow {
    f.binary(|a, b| {
        let rest = magnitude(a).checked_rem(magnitude(b)).unwrap_or_default();
        with_sign(rest, is_negative(a))
    })
}

pub(super) fn addmod(f: &mut Frame<'_>) -> Flow {
    let (a, b) = (f.pop(), f.pop());
    let c = f.peek(0);
    *c = a.add_mod(b, *c);
    Ok(())
}

pub(super) fn mulmod(f: &mut Frame<'_>) -> Flow {
    let (a, b) = (f.pop(), f.pop());
    let c = f.peek(0);
    *c = a.mul_mod(b, *c);
    Ok(())
}

pub(super) fn exp(f: &mut Frame<'_>) -> Flow {
    let a = f.pop();
    let b = *f.peek(0);
    f.charge(10 * b.byte_len() as u64)?;
    *f.peek(0) = a.wrapping_pow(b);
    Ok(())
}

pub(super) fn signextend(f: &mut Frame<'_>) -> Flow {
    f.binary(|a, b| {
        if a >= U256::from(31) {
            return b;
        }
        let sign = 8 * a.to::<usize>() + 7;
        let above = U256::MAX << sign;
        if b.bit(sign) { b | above } else { b & !above }
    })
}

/// Whether the word is below zero in two's complement.
pub(super) fn is_negative(word: Word) -> bool {
    word.bit(255)
}

fn magnitude(word: Word) -> Word {
    with_sign(word, is_negative(word))
}

fn with_sign(magnitude: Word, negative: bool) -> Word {
    if negative { magnitude.wrapping_neg() } else { magnitude }
}
