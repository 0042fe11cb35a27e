//! Faults that make no difference that an expectation could name, with the reason.
//!
//! The list is strict both ways: [`wrong`] returns entries that name no fault, and those that name a fault which a
//! case notices.

use std::collections::BTreeSet;

use globset::GlobBuilder;

/// Globs of fault names, each with the reason.
const ROWS: &[(&str, &str)] = &[];

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
    let of_machines = ROWS.iter().filter(|(pattern, _)| machines.iter().any(|it| pattern.starts_with(it)));
    let mut wrong = Vec::new();
    for (pattern, _) in of_machines {
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
