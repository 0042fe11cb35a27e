//! PUSH, POP, DUP and SWAP.

use super::frame::{Flow, Frame, Word};

pub(super) fn push<const SIZE: usize>(f: &mut Frame<'_>) -> Flow {
    let end = f.pc + SIZE;
    let word = match f.code.get(f.pc..end) {
        Some(bytes) => word_of(bytes),
        None => cut_off(f.code, f.pc, SIZE),
    };
    f.pc = end;
    f.push(word);
    Ok(())
}

/// At most 32 bytes as a number.
#[inline(always)]
fn word_of(bytes: &[u8]) -> Word {
    let mut padded = [0; 32];
    padded[32 - bytes.len()..].copy_from_slice(bytes);
    Word::from_be_bytes(padded)
}

/// The operand of a PUSH that the end of the code cuts off: what is missing is zeros on the right.
#[cold]
fn cut_off(code: &[u8], from: usize, size: usize) -> Word {
    let mut bytes = code[from..].to_vec();
    bytes.resize(size, 0);
    word_of(&bytes)
}

pub(super) fn pop(f: &mut Frame<'_>) -> Flow {
    f.pop();
    Ok(())
}

pub(super) fn dup<const NTH: usize>(f: &mut Frame<'_>) -> Flow {
    let word = *f.peek(NTH - 1);
    f.push(word);
    Ok(())
}

pub(super) fn swap<const BELOW: usize>(f: &mut Frame<'_>) -> Flow {
    let (top, other) = (*f.peek(0), *f.peek(BELOW));
    *f.peek(0) = other;
    *f.peek(BELOW) = top;
    Ok(())
}
