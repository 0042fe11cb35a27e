//! What an instruction reads and writes, for blame and traces.

use super::machine::Neo2;
use crate::inspect::Inspect;

impl Inspect for Neo2 {
    fn instruction(&self) -> String {
        String::new()
    }
}
