//! State tests: every leaf of a `state` is compared, cases of a test share what they have in common, and hostile
//! transactions end at the limits of the runner.

mod commands;
mod explain;
mod legal;
mod memory;
mod rules;

use std::path::Path;
use std::sync::Arc;

use num_bigint::BigUint;
use vmconf::formats::statetest::FORMAT;
use vmconf::formats::{FormatOptions as Reading, ReadContext, SharedFile};
use vmconf::machines::machine::Machine;
use vmconf::model::limits::Limits;
use vmconf::model::{Value, Verdict, number_key};
use vmconf::run::sources::VectorSource;
use vmconf::run::{self, FileOptions, LoadOptions, VectorFiles, Worker};
use vmconf::text::json::{Document, JsonNode};

use crate::support::skip::suites;
use crate::support::{at_root, execute, files_of};

/// A leaf of the `state` of a case.
struct Leaf {
    case: usize,
    /// Its path in reports.
    at: String,
    /// The file with another value there.
    changed: String,
}

/// The leaves of the first cases of a file that have a `state`.
fn leaves(text: &str, most: usize) -> Vec<Leaf> {
    let document = Document::parse(text.to_owned(), 128).unwrap();
    let entries = (FORMAT.outline)(document.root()).unwrap();
    let mut leaves = Vec::new();
    for (case, entry) in entries.iter().enumerate().take(most) {
        let Some(state) = JsonNode::at_index(&document, entry.node).member("state") else { continue };
        for account in state.members() {
            for member in account.value.members() {
                let at = format!("state/{}/{}", account.key, member.key);
                if member.key != "storage" {
                    leaves.push(Leaf { case, at, changed: changed(text, member.value, &member.key) });
                    continue;
                }
                for word in member.value.members() {
                    let key = BigUint::parse_bytes(word.key.trim_start_matches("0x").as_bytes(), 16).unwrap();
                    let at = format!("{at}/{}", number_key(&key.to_bytes_be()));
                    leaves.push(Leaf { case, at, changed: changed(text, word.value, "storage") });
                }
            }
        }
    }
    leaves
}

/// The text with another value in place of this one: one more byte of code, a number with its lowest bit flipped.
fn changed(text: &str, leaf: JsonNode<'_>, member: &str) -> String {
    let old = leaf.text().unwrap();
    let new = match (member, old.strip_prefix("0x").unwrap()) {
        ("code", digits) => format!("{digits}00"),
        (_, digits) => {
            let number = BigUint::parse_bytes(digits.as_bytes(), 16).unwrap();
            let flipped = if number.bit(0) { &number - 1_u8 } else { &number + 1_u8 };
            format!("{flipped:x}")
        }
    };
    let range = leaf.range();
    format!("{}\"0x{new}\"{}", &text[..range.start], &text[range.end..])
}

/// The tests of a file, as files with one test each: a file is read anew for each leaf.
fn single_tests(source: &VectorSource) -> Vec<String> {
    let text = std::fs::read_to_string(&source.path).unwrap();
    let document = Document::parse(text.clone(), 128).unwrap();
    let tests = document.root().members();
    tests.map(|test| format!("{{{}: {}}}", serde_json::json!(test.key), &text[test.value.range()])).collect()
}

/// Exactly the perturbed leaf is reported, at its place. Returns the number of leaves.
fn assert_each_leaf_is_compared(source: &VectorSource, text: &str, most: usize) -> usize {
    let options = LoadOptions::default();
    let mut worker = Worker::new(&options.run);
    let leaves = leaves(text, most);
    for Leaf { case, at, changed } in &leaves {
        let file = run::open_text(source, changed.clone(), &options);
        let report = worker.run_case(&file, *case);
        let failure = report.verdict.failure().unwrap_or_else(|| panic!("{}: {at}", report.id));
        let [difference] = &failure.differences[..] else { panic!("{}: {at}: {failure:?}", report.id) };
        assert_eq!(difference.at.to_string(), *at, "{}", report.id);
    }
    leaves.len()
}

#[test]
fn every_leaf_of_own_states_is_compared() {
    let sources = files_of(at_root("vectors/ethereum"));
    let leaves = |source| {
        let tests = single_tests(source);
        tests.iter().map(|test| assert_each_leaf_is_compared(source, test, 2)).sum::<usize>()
    };
    let leaves: usize = sources.iter().map(leaves).sum();
    assert!(leaves > 200, "{leaves}");
}

#[test]
fn every_leaf_of_published_states_is_compared() {
    let Some(suites) = suites() else { return };
    let sources = files_of(suites.join("ethereum/eest-5.4.0"));
    let small = |source: &&VectorSource| source.path.metadata().unwrap().len() < 20_000;
    let counts = sources.iter().filter(small).map(|source| {
        assert_each_leaf_is_compared(source, &std::fs::read_to_string(&source.path).unwrap(), 1)
    });
    assert_eq!(counts.filter(|count| *count > 0).take(200).count(), 200);
}

#[test]
fn cases_of_a_test_share_its_program() {
    let path = at_root("vectors/ethereum/parameters.json");
    let document = Document::parse(std::fs::read_to_string(&path).unwrap(), 128).unwrap();
    let (shared, files) = (SharedFile::default(), VectorFiles::new(&path, &[]));
    let context = ReadContext { options: Reading::default(), files: &files, shared: Some(&shared) };
    let programs = (FORMAT.outline)(document.root()).unwrap().into_iter().map(|entry| {
        FORMAT.read_case(JsonNode::at_index(&document, entry.node), context).case.unwrap().program.0
    });
    let programs: Vec<_> = programs.collect();
    assert_eq!(programs.len(), 3);
    assert!(programs.windows(2).all(|pair| Arc::ptr_eq(&pair[0], &pair[1])));
}

/// Transactions that try to take all time or memory, and the limit that ends each. All have 2^62 gas.
const HOSTILE: &[(&str, &str, &str, &str)] = &[
    ("jumps", "Cancun", "5b600056", "--max-steps"),
    // 2^32-1 rounds of BLAKE2.
    (
        "blake2f",
        "Cancun",
        "60ff60005360ff60015360ff60025360ff6003536040600060d56000600060095af100",
        "--max-steps",
    ),
    ("keccak", "Cancun", "5b620fffff60002050600056", "--max-steps"),
    ("creations of long code", "Frontier", "5b620fffff60006000f050600056", "--max-steps"),
    ("memory", "Cancun", "600063100000005200", "--max-memory"),
    ("accounts", "Frontier", "60005b80315060010160025600", "--max-memory"),
    ("words of storage", "Frontier", "60005b808055600101600256", "--max-memory"),
    // 16 KB of code each, whose deposit is charged.
    ("created code", "Frontier", "656140006000f36000525b6006601a6000f050600a56", "--max-steps"),
    ("words of transient storage", "Cancun", "60005b80805d600101600256", "--max-memory"),
    ("hashes of blocks", "Cancun", "5b60014050600056", "--max-steps"),
    ("log entries", "Cancun", "5b620fffff6000a0600056", "--max-memory"),
];

#[test]
fn limits_end_hostile_transactions() {
    let limits = Limits { steps: 20_000_000, memory: 4 << 20, ..Limits::default() };
    let file = FileOptions { limits, ..FileOptions::default() };
    let options = LoadOptions { file, ..LoadOptions::default() };
    let source = &files_of(at_root("vectors/ethereum/transfer.json"))[0];
    for (name, fork, code, flag) in HOSTILE {
        let file = run::open_text(source, with_code(fork, code, "0x4000000000000000"), &options);
        let Verdict::Error(why) = Worker::new(&options.run).run_case(&file, 0).verdict else {
            panic!("{name} ends")
        };
        assert!(why[0].what.starts_with(&format!("limit of the runner reached: {flag} ")), "{name}: {why:?}");
    }
}

/// Without gas for it, memory above the limit of the runner is what it is without that limit: out of gas.
#[test]
fn gas_decides_before_the_limit_on_memory() {
    let limits = Limits { memory: 1 << 20, ..Limits::default() };
    let file = FileOptions { limits, ..FileOptions::default() };
    let options = LoadOptions { file, ..LoadOptions::default() };
    let source = &files_of(at_root("vectors/ethereum/transfer.json"))[0];
    let file = run::open_text(source, with_code("Cancun", "600063100000005200", "0x0f4240"), &options);
    let report = Worker::new(&options.run).run_case(&file, 0);
    let ended = &report.verdict.failure().unwrap().ended;
    assert!(
        ended.contains("halted: ") && ended.contains("out of gas") && ended.ends_with("1000000 gas used"),
        "{ended}"
    );
}

/// A test whose transaction executes this code. Its results are not those of any run.
fn with_code(fork: &str, code: &str, gas: &str) -> String {
    let (zero, target) = ("00".repeat(32), "0x00000000000000000000000000000000000000b0");
    let account = |code: &str, balance: &str| {
        format!(r#"{{"balance": "{balance}", "nonce": "0x00", "code": "{code}", "storage": {{}}}}"#)
    };
    let sender = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b";
    format!(
        r#"{{"hostile": {{
            "env": {{"currentCoinbase": "{target}", "currentGasLimit": "0x7fffffffffffffff", "currentNumber": "0x01",
                "currentTimestamp": "0x01", "currentBaseFee": "0x00", "currentExcessBlobGas": "0x00"}},
            "pre": {{"{sender}": {}, "{target}": {}}},
            "transaction": {{"nonce": "0x00", "gasPrice": "0x00", "to": "{target}", "sender": "{sender}",
                "data": ["0x"], "gasLimit": ["{gas}"], "value": ["0x00"]}},
            "post": {{"{fork}": [{{"indexes": {{"data": 0, "gas": 0, "value": 0}},
                "hash": "0x{zero}", "logs": "0x{zero}"}}]}}
        }}}}"#,
        account("0x", "0x0de0b6b3a7640000"),
        account(&format!("0x{code}"), "0x00"),
    )
}

/// The machine after the first case of a text.
fn executed(text: String) -> Box<dyn Machine> {
    let document = Document::parse(text, 128).unwrap();
    let entry = &(FORMAT.outline)(document.root()).unwrap()[0];
    let files = VectorFiles::new(Path::new("a.json"), &[]);
    let context = ReadContext { options: Reading::default(), files: &files, shared: None };
    let reading = FORMAT.read_case(JsonNode::at_index(&document, entry.node), context);
    execute(&reading.case.unwrap(), None)
}

/// What a transaction that executes this code is charged, in units.
fn units(code: &str) -> u64 {
    executed(with_code("Cancun", code, "0x4000000000000000")).account().units()
}

/// Instructions whose gas does not cover their time are charged by their operands, besides a unit for 12 gas.
#[test]
fn work_is_charged_by_operands() {
    // Memory has 0x10000 bytes before; then all of them are hashed: 6 gas a word and 64 units a block of 136 bytes,
    // of which the last one has 64.
    let hashing = |length: &str| units(&format!("600061ffe05262{length}600020"));
    assert_eq!(hashing("00c800") - hashing("000000"), 1600 * 6 / 12 + 64 * (376 + 1));
    // 2 to the power of 1 or 13 bytes: 50 gas and 20 units a byte.
    let raising = |exponent: &str| units(&format!("{exponent}60020a"));
    assert_eq!(raising("6c010000000000000000000000ff") - raising("60ff"), 12 * 50 / 12 + 12 * 20);
    // A division of words is charged 4 units, a product modulo another word 10; both sides cost 5 or 8 gas.
    let of = |op: &str| units(&format!("600360026001{op}"));
    assert_eq!(["04", "05", "06", "07", "08", "09"].map(|op| of(op) - of("02")), [4, 4, 4, 4, 4, 10]);
}

/// The first four pairs are those of `TestCalcBlobFee` of geth. The others are so large that the sum takes long, or
/// does not end, where products lose bits; nothing can cost more than 2^128-1.
#[test]
fn blob_gas_has_a_price_for_each_excess() {
    // BLOBBASEFEE, which is returned.
    let text = with_code("Cancun", "4a60005260206000f3", "0x0f4240");
    for (excess, price) in [
        (0, 1),
        (2_314_057, 1),
        (2_314_058, 2),
        (10 * 1024 * 1024, 23),
        (89 * 3_338_477, u128::MAX),
        (u64::MAX, u128::MAX),
    ] {
        let old = r#""currentExcessBlobGas": "0x00""#;
        let new = format!(r#""currentExcessBlobGas": "{excess:#x}""#);
        let machine = executed(text.replace(old, &new));
        let output = machine.observe("output");
        let expected = [[0; 16], price.to_be_bytes()].concat();
        assert_eq!(output, Some(Value::Bytes(expected)), "{excess}");
    }
}

/// A transaction of a later type may state one price, which is then both of its own, as in geth; a tip of its own
/// counts.
#[test]
fn one_price_is_both_prices_of_a_later_type() {
    // GASPRICE, which is returned.
    let text = with_code("London", "3a60005260206000f3", "0x0f4240")
        .replace(r#""currentBaseFee": "0x00""#, r#""currentBaseFee": "0x07""#);
    for (members, paid) in [
        (r#""gasPrice": "0x0a""#, 10),
        (r#""gasPrice": "0x0a", "type": "0x02""#, 10),
        (r#""gasPrice": "0x0a", "type": "0x02", "maxPriorityFeePerGas": "0x01""#, 8),
        (r#""maxFeePerGas": "0x0a""#, 7),
        (r#""maxFeePerGas": "0x0a", "maxPriorityFeePerGas": "0x01""#, 8),
    ] {
        let machine = executed(text.replace(r#""gasPrice": "0x00""#, members));
        let mut expected = vec![0; 32];
        expected[31] = paid;
        assert_eq!(machine.observe("output"), Some(Value::Bytes(expected)), "{members}");
    }
}
