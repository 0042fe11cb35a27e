//! What an instruction reads and writes, for blame and traces.

use super::machine::Neo3;
use crate::inspect::Inspect;

impl Inspect for Neo3 {
    fn instruction(&self) -> String {
        String::new()
    }
}
