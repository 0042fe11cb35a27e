//! What a case has besides its instructions that may explain its failure: bytes that are no instruction, and what is
//! special about a transaction. It stands beside the instructions of a spectrum, under a name with a space, which no
//! mnemonic has.

use std::collections::BTreeSet;

use crate::explain::observer::{CoveragePoints, EXECUTED};
use crate::model::{Action, Case, Value};

/// Executed bytes that are no instruction.
const UNDEFINED: &str = "undefined opcode";

const WITH_DATA: &str = "transaction with data";
const WITH_ACCESS_LIST: &str = "transaction with an access list";
const CREATION: &str = "transaction that creates";

/// The types of transactions, by their numbers.
const TYPES: [&str; 5] = [
    "transaction of type 0",
    "transaction of type 1",
    "transaction of type 2",
    "transaction of type 3",
    "transaction of type 4",
];

/// The name of a circumstance, if there is one of this name.
pub(super) fn known(name: &str) -> Option<&'static str> {
    [UNDEFINED, WITH_DATA, WITH_ACCESS_LIST, CREATION].into_iter().chain(TYPES).find(|it| *it == name)
}

/// Whether this is the name of a circumstance and not of an instruction.
pub(super) fn is_circumstance(name: &str) -> bool {
    known(name).is_some()
}

/// The points of a case that executes these codes, which are no instructions. Each byte is a condition; longer codes have
/// data in them, so that few cases have the same.
pub(super) fn of_undefined(codes: &BTreeSet<u16>) -> CoveragePoints {
    let executed = (!codes.is_empty()).then(|| EXECUTED.to_owned());
    let bytes = codes.iter().filter(|code| u8::try_from(**code).is_ok());
    let each = bytes.map(|code| format!("opcode {code:#04x}"));
    executed.into_iter().chain(each).map(|what| (UNDEFINED, what)).collect()
}

/// The points of the transaction of a case, if it has one.
pub(super) fn of_transaction(case: &Case) -> CoveragePoints {
    let Some(common) = case.program.0.get("transaction") else { return CoveragePoints::new() };
    let actions = case.steps.iter().flat_map(|step| &step.actions);
    let chosen: Vec<&Value> = actions
        .filter_map(|action| if let Action::Set(chosen) = action { Some(chosen) } else { None })
        .collect();
    let chosen = |name: &str| chosen.iter().rev().find_map(|it| it.get(name));
    let kind = chosen("type").and_then(Value::number::<usize>);
    let special = [
        chosen("data").filter(|data| !data.is_empty()).map(|_| WITH_DATA),
        chosen("accessList").map(|_| WITH_ACCESS_LIST),
        common.get("to").is_none().then_some(CREATION),
        TYPES.get(kind.unwrap_or(0)).copied(),
    ];
    special.into_iter().flatten().map(|name| (name, EXECUTED.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Program, Step};

    fn names(points: &CoveragePoints) -> Vec<&str> {
        points.iter().filter(|(_, what)| what == EXECUTED).map(|(name, _)| *name).collect()
    }

    fn case(common: Value, chosen: Value) -> Case {
        let step =
            Step { actions: vec![Action::Set(chosen), Action::Execute], end: None, assertions: Vec::new() };
        let program = Program::from(Value::record([("transaction", common)]));
        Case { machine: "ethereum", program, places: Vec::new(), steps: vec![step], label: None }
    }

    #[test]
    fn what_is_special_about_a_transaction_is_named() {
        let to = || Value::record([("to", Value::Bytes(vec![0; 20]))]);
        let data = |bytes: &[u8]| ("data", Value::Bytes(bytes.to_vec()));
        let of = |common, chosen: Vec<(&'static str, Value)>| {
            let points = of_transaction(&case(common, Value::record(chosen)));
            names(&points).join(", ")
        };
        assert_eq!(of(to(), vec![data(&[])]), "transaction of type 0");
        assert_eq!(of(to(), vec![data(&[1])]), "transaction of type 0, transaction with data");
        let creation =
            of(Value::record(Vec::<(&str, Value)>::new()), vec![data(&[]), ("type", Value::int(2))]);
        assert_eq!(creation, "transaction of type 2, transaction that creates");
        let listed =
            of(to(), vec![data(&[]), ("accessList", Value::List(Vec::new())), ("type", Value::int(1))]);
        assert_eq!(listed, "transaction of type 1, transaction with an access list");
    }

    #[test]
    fn each_undefined_byte_is_a_condition() {
        let points = of_undefined(&BTreeSet::from([0x50, 0xff, 0x1234]));
        let expected = [(UNDEFINED, "executed"), (UNDEFINED, "opcode 0x50"), (UNDEFINED, "opcode 0xff")];
        assert_eq!(points, expected.map(|(name, what)| (name, what.to_owned())).into());
        assert!(of_undefined(&BTreeSet::new()).is_empty());
    }

    #[test]
    fn names_are_known_and_no_mnemonics() {
        for name in [UNDEFINED, WITH_DATA, WITH_ACCESS_LIST, CREATION].into_iter().chain(TYPES) {
            assert!(name.contains(' ') && known(name) == Some(name), "{name}");
        }
        assert_eq!(known("ADD"), None);
    }
}
