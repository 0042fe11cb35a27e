//! What instructions are charged, beside what they were measured to take: `tests/costs`.

mod rows;

use std::collections::BTreeSet;

use self::rows::{Row, UNIT};
use crate::support::at_root;
use vmconf::machines::{MACHINES, MachineInfo, of_this_crate};
use vmconf::model::limits::Limits;

/// How far a charge may be from the measured cost. Charges are then within a factor of four of each other.
const BAND: u64 = 2;

/// Instructions that a program cannot repeat: they end it or its script, or must be the first of it.
const NOT_MEASURED: [&str; 12] = [
    "ethereum SELFDESTRUCT",
    "evm RETURN",
    "evm STOP",
    "evm SUICIDE",
    "neo2 CALL_EDT",
    "neo2 CALL_ET",
    "neo2 THROW",
    "neo3 ABORT",
    "neo3 ABORTMSG",
    "neo3 CALLT",
    "neo3 INITSSLOT",
    "tinyvm YIELD",
];

/// How often a body is executed at most: units are counted, so that they need no repetition to be exact.
const MAX_TIMES: usize = 4;

/// No instruction is charged less than half of its measured time, and none whose charge depends on its operands
/// more than twice of it, but for those of other engines, which are charged by their gas.
#[test]
fn instructions_are_charged_what_they_take() {
    let (mut wrong, mut not_measured) = (Vec::new(), Vec::new());
    for info in MACHINES {
        let text = std::fs::read_to_string(at_root(format!("tests/costs/{}.txt", info.name))).unwrap();
        let rows = Row::all(&text);
        let named: BTreeSet<_> = rows.iter().map(mnemonic).collect();
        // The unit tests of a machine with another engine demand its rows.
        let is_own = of_this_crate().any(|own| own.name == info.name);
        if is_own {
            assert_eq!(named, info.isa.ops.iter().map(|op| op.name).collect(), "{}", info.name);
        }
        for row in rows {
            let Some(cost) = row.cost else {
                not_measured.push(format!("{} {}", info.name, row.name));
                continue;
            };
            let (units, instructions) = units(&row, info);
            let is_plain = units <= instructions;
            if cost > BAND * units || units > BAND * cost && !is_plain && is_own {
                wrong.push(format!("{} {}: {units} units, measured {cost}", info.name, row.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    not_measured.sort_unstable();
    assert_eq!(not_measured, NOT_MEASURED);
}

/// The default limit on units is at most 15 seconds for the worst instruction.
#[test]
fn the_default_limit_is_seconds() {
    // Both are exact.
    let [steps, band] =
        [Limits::default().steps, BAND].map(|number| f64::from(u32::try_from(number).unwrap()));
    let seconds = steps * UNIT * band / 1e9;
    assert!(seconds <= 15.0, "{seconds}");
}

/// The instruction that a row is about.
fn mnemonic<'t>(row: &Row<'t>) -> &'t str {
    row.name.split(' ').next().unwrap_or_default()
}

/// The units of a body and how many instructions it executes at least.
fn units(row: &Row<'_>, info: &MachineInfo) -> (u64, u64) {
    let times = row.times.min(MAX_TIMES);
    let [once, often] = [1, times + 1].map(|times| row.loaded(info, times).run());
    let times = times as u64;
    ((often - once).div_ceil(times), row.instructions() as u64)
}
