//! What planted faults change besides cells.

use super::machine::TinyVm;
use crate::machines::plant::PlantFaults;

impl PlantFaults for TinyVm {
    fn go_to(&mut self, pc: usize) -> bool {
        let Ok(pc) = u16::try_from(pc) else { return false };
        self.current_mut().pc = pc;
        true
    }
}
