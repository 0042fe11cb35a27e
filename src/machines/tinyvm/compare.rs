//! Comparisons (reference, section 1.5).

use super::core::{Core, Flow};

/// The comparisons of the table: F is L, E, G and S as bits.
#[inline(always)]
pub(super) fn compare<const F: u16>(core: &mut Core, word: u32) -> Flow {
    let (left, right) = (*core.register(word, 4), *core.register(word, 0));
    let is_same_register = word >> 4 & 15 == word & 15;
    let right = if is_same_register { 0 } else { right };
    let order = if F & 1 == 0 { left.cmp(&right) } else { (left as i16).cmp(&(right as i16)) };
    let holds = F & 8 != 0 && order.is_lt() || F & 4 != 0 && order.is_eq() || F & 2 != 0 && order.is_gt();
    *core.register(word, 0) = holds.into();
    Flow::Next
}
