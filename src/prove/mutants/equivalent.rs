//! Faults that make no difference that an expectation could name, with the reason.
//!
//! The list is strict both ways: `wrong` returns entries that name no fault, and those that name a fault which a
//! case notices.

use std::collections::BTreeSet;

use globset::GlobBuilder;

/// Globs of fault names, each with the reason.
const ROWS: &[(&str, &str)] = &[
    ("evm/{ADD,MUL,ADDMOD,MULMOD,EQ,AND,OR,XOR}/swapped", COMMUTATIVE),
    ("tinyvm/{ADD,MUL,MULH,AND,OR,XOR,EQ,EQS,NE,NES}/swapped", COMMUTATIVE),
    ("{evm,minic89}/POP/a-*", DROPPED),
    ("neo3/DROP/a-*", DROPPED),
    ("neo3/NIP/b-*", DROPPED),
    ("evm/MSTORE8/b-{low-limb,sign-lost}", "only the lowest byte is stored"),
    ("evm/{BALANCE,EXTCODESIZE,EXTCODECOPY}/a-sign-lost", ADDRESS),
    ("evm/{CALL,CALLCODE,DELEGATECALL}/b-sign-lost", ADDRESS),
];

const COMMUTATIVE: &str = "the result does not depend on the order of these operands";
const DROPPED: &str = "the value is dropped";
const ADDRESS: &str = "an address is the lowest 160 bits";

fn matches(pattern: &str, name: &str) -> bool {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.is_ok_and(|glob| glob.compile_matcher().is_match(name))
}

/// Why a fault makes no difference; `None` if it may make one.
pub fn reason(fault: &str) -> Option<&'static str> {
    ROWS.iter().find(|(pattern, _)| matches(pattern, fault)).map(|(_, reason)| *reason)
}

/// What is wrong with the list, given all faults of these machines and those that were killed.
pub(super) fn wrong(all: &[String], killed: &BTreeSet<String>, machines: &BTreeSet<&str>) -> Vec<String> {
    let mut wrong = Vec::new();
    let of_machines = |pattern: &str| {
        let machine = pattern.split('/').next().unwrap_or(pattern);
        machines.iter().any(|known| matches(machine, known))
    };
    for (pattern, _) in ROWS.iter().filter(|(pattern, _)| of_machines(pattern)) {
        let named: Vec<_> = all.iter().filter(|name| matches(pattern, name)).collect();
        if named.is_empty() {
            wrong.push(format!("{pattern} names no fault"));
        }
        for name in named.into_iter().filter(|name| killed.contains(*name)) {
            wrong.push(format!("{pattern} names {name}, which a case notices"));
        }
    }
    wrong
}
