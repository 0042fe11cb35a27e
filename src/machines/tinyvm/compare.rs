//! Comparisons.

use super::core::{TinyCore, TinyFlow};
use super::instruction::TinyInstruction;

/// The comparisons of the table: F holds L, E, G and S as bits.
#[inline(always)]
pub(super) fn compare<const F: u16>(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    let (left, right) = (*core.register(i.a), *core.register(i.b));
    let right = if i.a == i.b { 0 } else { right };
    let order = if F & 1 == 0 { left.cmp(&right) } else { (left as i16).cmp(&(right as i16)) };
    let holds = F & 8 != 0 && order.is_lt() || F & 4 != 0 && order.is_eq() || F & 2 != 0 && order.is_gt();
    *core.register(i.b) = holds.into();
    TinyFlow::Next
}
