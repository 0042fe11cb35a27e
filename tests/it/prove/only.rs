//! A watch that sees only some instructions sees the same as one that sees all.

use vmconf::isa::OpSet;
use vmconf::machines;
use vmconf::machines::machine::{At, Watch};

use crate::support::{execute, read, written_vectors};

/// The instructions that it saw: program counter, code, height of the stack.
#[derive(Default)]
struct Seen {
    only: Option<OpSet>,
    found: Vec<(usize, Option<&'static str>, usize)>,
}

impl Watch for Seen {
    fn only(&self) -> Option<OpSet> {
        self.only.clone()
    }

    fn before(&mut self, at: &At<'_>) {
        self.found.push((at.pc, at.op.map(|op| op.name), at.state.height()));
    }
}

#[test]
fn a_watch_of_some_instructions_sees_each_of_them() {
    let mut compared = 0;
    // Every seventh file has all machines and takes little time.
    for path in written_vectors().iter().step_by(7) {
        if path.components().any(|part| part.as_os_str() == "ethereum") {
            continue;
        }
        for read in read(path).1 {
            let isa = machines::by_name(read.case.machine).unwrap().isa;
            let mut all = Seen::default();
            let units = execute(&read.case, Some(&mut all)).account().units();
            let Some(name) = all.found.iter().rev().find_map(|seen| seen.1) else { continue };
            let op = isa.by_name(name).unwrap();
            let mut some = Seen { only: Some(OpSet::new(isa, vec![op])), ..Seen::default() };
            let units_of_some = execute(&read.case, Some(&mut some)).account().units();
            all.found.retain(|seen| seen.1 == Some(op.name));
            assert_eq!(some.found, all.found, "{}: {name}", read.name);
            assert_eq!(units_of_some, units, "{}: {name}", read.name);
            compared += some.found.len();
        }
    }
    assert!(compared > 500, "{compared}");
}
