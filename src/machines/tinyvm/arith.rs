//! Arithmetic. All operations wrap around.

use super::core::{TinyCore, TinyFlow};
use super::instruction::TinyInstruction;

/// Stores `operation` of b in a.
#[inline(always)]
fn unary(core: &mut TinyCore, i: &TinyInstruction, operation: impl FnOnce(u16) -> u16) -> TinyFlow {
    let source = *core.register(i.b);
    *core.register(i.a) = operation(source);
    TinyFlow::Next
}

/// Stores `operation` of a and b in b.
#[inline(always)]
fn binary(core: &mut TinyCore, i: &TinyInstruction, operation: impl FnOnce(u16, u16) -> u16) -> TinyFlow {
    let left = *core.register(i.a);
    let right = core.register(i.b);
    *right = operation(left, *right);
    TinyFlow::Next
}

#[inline(always)]
pub(super) fn decr(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    unary(core, i, |x| x.wrapping_sub(1))
}

#[inline(always)]
pub(super) fn incr(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    unary(core, i, |x| x.wrapping_add(1))
}

#[inline(always)]
pub(super) fn not_(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    unary(core, i, |x| !x)
}

#[inline(always)]
pub(super) fn popcnt(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    unary(core, i, |x| x.count_ones() as u16)
}

#[inline(always)]
pub(super) fn clz(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    unary(core, i, |x| x.leading_zeros() as u16)
}

#[inline(always)]
pub(super) fn ctz(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    unary(core, i, |x| x.trailing_zeros() as u16)
}

pub(super) fn rnd(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    let most = *core.register(i.b);
    let Some(number) = core.random.next(most) else { return TinyFlow::NoRandom };
    *core.register(i.a) = number;
    TinyFlow::Next
}

#[inline(always)]
pub(super) fn mov(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    unary(core, i, |x| x)
}

#[inline(always)]
pub(super) fn add(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, u16::wrapping_add)
}

#[inline(always)]
pub(super) fn sub(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, u16::wrapping_sub)
}

#[inline(always)]
pub(super) fn mul(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, u16::wrapping_mul)
}

#[inline(always)]
pub(super) fn mulh(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, |l, r| ((u32::from(l) * u32::from(r)) >> 16) as u16)
}

#[inline(always)]
pub(super) fn divu(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, |l, r| l.checked_div(r).unwrap_or(0xffff))
}

#[inline(always)]
pub(super) fn divs(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, |l, r| if r == 0 { 0x7fff } else { (l as i16).wrapping_div(r as i16) as u16 })
}

#[inline(always)]
pub(super) fn modu(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, |l, r| l.checked_rem(r).unwrap_or(0))
}

#[inline(always)]
pub(super) fn mods(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, |l, r| if r == 0 { 0 } else { (l as i16).wrapping_rem(r as i16) as u16 })
}

/// `and`
#[inline(always)]
pub(super) fn and(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, |l, r| l & r)
}

/// `or`
#[inline(always)]
pub(super) fn or(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, |l, r| l | r)
}

#[inline(always)]
pub(super) fn xor(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, |l, r| l ^ r)
}

#[inline(always)]
pub(super) fn sl(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, |l, r| l.checked_shl(r.into()).unwrap_or(0))
}

#[inline(always)]
pub(super) fn srl(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, |l, r| l.checked_shr(r.into()).unwrap_or(0))
}

#[inline(always)]
pub(super) fn sra(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    binary(core, i, |l, r| ((l as i16) >> r.min(15)) as u16)
}

pub(super) fn exp(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    costly(core, i, 1, |l, r| power(l as i16, r as i16))
}

pub(super) fn root(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    costly(core, i, 20, |l, r| root_of(l as i16, r as i16))
}

/// Like [`binary`], for this number of units, on machines with powers.
fn costly(
    core: &mut TinyCore,
    i: &TinyInstruction,
    units: u16,
    operation: impl FnOnce(u16, u16) -> u16,
) -> TinyFlow {
    if !core.has_powers {
        return TinyFlow::Illegal;
    }
    binary(core, i, operation);
    TinyFlow::Costly(units)
}

/// a to the power n, rounded and clamped to a signed word.
fn power(a: i16, n: i16) -> u16 {
    let odd = n & 1 != 0;
    let result = match (a, n) {
        (0, ..0) => i16::MAX,
        (1 | -1, _) if a == 1 || !odd => 1,
        (-1, _) => -1,
        (2, -1) => 1,
        (-2, -1) => -1,
        (_, ..0) => 0,
        _ => i16::try_from(i32::from(a).saturating_pow(n as u32)).unwrap_or(if a < 0 && odd {
            i16::MIN
        } else {
            i16::MAX
        }),
    };
    result as u16
}

/// The n-th root of a, rounded; for a negative n, its inverse.
fn root_of(a: i16, n: i16) -> u16 {
    let magnitude = a.unsigned_abs();
    let degree = u32::from(n.unsigned_abs());
    let result = match (a, n) {
        (_, 0) => 1,
        (..0, _) if degree % 2 == 0 => return 0,
        (0, ..0) => return 0x7fff,
        (0, _) => 0,
        (_, ..0) => u16::from(degree >= 16 || u32::from(magnitude) <= 1 << degree),
        _ => rounded_root(magnitude, degree),
    };
    if a < 0 && n != 0 { result.wrapping_neg() } else { result }
}

/// The largest k with (2k-1)^n <= a * 2^n, but at least 1.
fn rounded_root(a: u16, n: u32) -> u16 {
    if n >= 26 {
        return 1;
    }
    let most = u128::from(a) << n;
    let fits = |k: u16| (2 * u128::from(k) - 1).checked_pow(n).is_some_and(|power| power <= most);
    let (mut least, mut above) = (1, a.saturating_add(1).max(2));
    while above - least > 1 {
        let middle = least + (above - least) / 2;
        if fits(middle) { least = middle } else { above = middle }
    }
    least
}
