//! Why a transaction differs: the leaves of a root, the log entries of a hash, and the frame and
//! instruction that wrote each.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use vmconf::explain::explain;
use vmconf::machines::ethereum::{Ethereum, EthereumFault, WrongPrice};
use vmconf::model::limits::Limits;
use vmconf::model::signature;
use vmconf::model::{Blame, BlameAnswer, ComparedWith, Explanation, InputPart, StateLeaf, Verdict};
use vmconf::report::explanation::{self, ExplanationLength};
use vmconf::report::json;
use vmconf::run::sources::VectorSource;
use vmconf::run::worlds::{KeptRoots, Worlds};
use vmconf::run::{self, LoadOptions, RunOptions, Worker};
use vmconf::testees::MakeTestee;

use crate::support::skip::suites;
use crate::support::validator::Validator;
use crate::support::{at_root, files_of, golden};

const OUTER: &str = "0x00000000000000000000000000000000000000b0";
pub(super) const INNER: &str = "0x00000000000000000000000000000000000000b1";
const FAILING: &str = "0x00000000000000000000000000000000000000b2";

/// Memory 0 = 7; calls INNER with 5 wei and that word, FAILING without; storage 0 = what INNER returns.
const CALLS: &str = "6007600052\
    602060206020600060056 0b162ffffff f150\
    60006000600060006000 60b2 62ffffff f150\
    602051600055 00";

/// Storage 1 = the input, logs it with topic 3, and returns 9.
const STORES: &str = "600035600155 600360206000a1 6009600052 60206000f3";

/// Storage 2 = 1, then reverts.
const REVERTS: &str = "6001600255 60006000fd";

fn code(text: &str) -> String {
    format!("0x{}", text.replace(char::is_whitespace, ""))
}

/// A test whose transaction calls OUTER, and which demands a root and a hash of logs that no run has.
pub(super) fn calling() -> String {
    let account = |code: String, balance: &str| json!({ "balance": balance, "nonce": "0x00", "code": code, "storage": {} });
    let sender = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b";
    let wrong = format!("0x{}", "11".repeat(32));
    json!({ "calls": {
        "env": {
            "currentCoinbase": "0x2adc25665018aa1fe0e6bc666dac8fc2697ff9ba", "currentGasLimit": "0x7fffffff",
            "currentNumber": "0x01", "currentTimestamp": "0x01", "currentBaseFee": "0x00",
            "currentExcessBlobGas": "0x00",
        },
        "pre": {
            sender: account("0x".into(), "0x0de0b6b3a7640000"),
            OUTER: account(code(CALLS), "0x05"),
            INNER: account(code(STORES), "0x00"),
            FAILING: account(code(REVERTS), "0x00"),
        },
        "transaction": {
            "nonce": "0x00", "gasPrice": "0x01", "to": OUTER, "sender": sender,
            "data": ["0x"], "gasLimit": ["0x0f4240"], "value": ["0x00"],
        },
        "post": { "Cancun": [{
            "indexes": { "data": 0, "gas": 0, "value": 0 }, "hash": wrong, "logs": wrong,
        }] },
    } })
    .to_string()
}

pub(super) fn any_source() -> VectorSource {
    files_of(at_root("vectors/ethereum/transfer.json")).remove(0)
}

fn explained(text: String, options: &LoadOptions) -> Explanation {
    let source = any_source();
    explain(&mut Worker::new(&options.run), &run::open_text(&source, text, options), 0, 3)
}

fn text(explained: &Explanation, length: ExplanationLength) -> String {
    let mut text = Vec::new();
    explanation::write(&mut text, explained, length).unwrap();
    anstream::adapter::strip_str(std::str::from_utf8(&text).unwrap()).to_string()
}

fn leaf<'e>(explained: &'e Explanation, at: &str) -> &'e StateLeaf {
    let leaves = &explained.world.as_ref().unwrap().leaves;
    leaves.iter().find(|leaf| leaf.at.to_string() == at).unwrap_or_else(|| panic!("{at}: {leaves:?}"))
}

/// The instruction that wrote a leaf, with its frame.
fn writer(explained: &Explanation, at: &str) -> (String, String) {
    let Some(BlameAnswer::By(blame)) = &leaf(explained, at).answer else { panic!("nothing wrote {at}") };
    (blame.by.text.clone(), blame.by.frame.clone().unwrap())
}

#[test]
fn leaves_are_blamed_on_the_instruction_and_frame_that_wrote_them() {
    let explained = explained(calling(), &LoadOptions::default());
    assert_eq!(explained.world.as_ref().unwrap().against, ComparedWith::Before);
    let inner = format!("frame 2, code of {INNER}");
    let outer = format!("frame 1, code of {OUTER}");
    assert_eq!(writer(&explained, &format!("state/{INNER}/storage/0x01")), ("SSTORE".into(), inner));
    assert_eq!(writer(&explained, &format!("state/{OUTER}/storage/0x00")), ("SSTORE".into(), outer.clone()));
    assert_eq!(writer(&explained, &format!("state/{INNER}/balance")), ("CALL".into(), outer));
    // A leaf whose change was reverted is not listed.
    let leaves = &explained.world.as_ref().unwrap().leaves;
    assert!(leaves.iter().all(|leaf| !leaf.at.to_string().contains(FAILING)), "{leaves:?}");
    golden::file("explanation-of-calls", &text(&explained, ExplanationLength::Full(3)));
    let mut line = Vec::new();
    json::explained(&mut line, &explained).unwrap();
    Validator::named("diff").assert_accepts(&serde_json::from_slice(&line).unwrap(), "calls");
}

/// The values of the instructions that led to one, as text.
fn chain(answer: &BlameAnswer) -> String {
    fn follow(blame: &Blame, found: &mut Vec<String>) {
        found.push(blame.by.text.clone());
        blame.inputs.iter().flatten().filter_map(InputPart::blame).for_each(|input| follow(input, found));
    }
    let mut found = Vec::new();
    follow(answer.blame().unwrap(), &mut found);
    found.join(" ")
}

/// What a frame gets and returns is followed into the other frame.
#[test]
fn blame_crosses_frames() {
    let explained = explained(calling(), &LoadOptions::default());
    let of = |at: String| chain(leaf(&explained, &at).answer.as_ref().unwrap());
    let stored = of(format!("state/{INNER}/storage/0x01"));
    assert!(
        stored.contains("CALLDATALOAD") && stored.contains("CALL ") && stored.contains("MSTORE"),
        "{stored}"
    );
    let returned = of(format!("state/{OUTER}/storage/0x00"));
    assert!(returned.contains("MLOAD") && returned.contains("RETURN"), "{returned}");
    assert!(returned.ends_with("MSTORE"), "{returned}");
}

/// What a call leaves in the memory for its output was written by what ended the called frame, as far as that returned
/// something; the rest by what wrote it before.
#[test]
fn only_returned_bytes_are_written_by_the_end_of_a_call() {
    // Memory 0 = 42; calls the account with output to memory 0 to 32; storage 0 = memory 0.
    let outer =
        |called: &str| code(&format!("602a600052 602060006000600060006{called}61fffff150 600051600055"));
    let stored = |outer: &str, inner: &str| {
        let mut file: Json = serde_json::from_str(&calling()).unwrap();
        file["calls"]["pre"][OUTER]["code"] = outer.into();
        file["calls"]["pre"][INNER]["code"] = code(inner).into();
        let explained = explained(file.to_string(), &LoadOptions::default());
        chain(leaf(&explained, &format!("state/{OUTER}/storage/0x00")).answer.as_ref().unwrap())
    };
    let words = |chain: &str| chain.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let holds = |chain: &str, op: &str| words(chain).iter().any(|word| word == op);
    // STOP, SELFDESTRUCT to the account 0, an invalid instruction, and RETURN of nothing
    for inner in ["00", "6000ff", "fe", "60006000f3"] {
        let chain = stored(&outer("0b1"), inner);
        assert!(holds(&chain, "MSTORE"), "{inner}: {chain}");
        for end in ["STOP", "SELFDESTRUCT", "INVALID", "RETURN", "CALL"] {
            assert!(!holds(&chain, end), "{inner}: {chain}");
        }
    }
    // RETURN and REVERT of one byte
    for (end, inner) in [("RETURN", "60016000f3"), ("REVERT", "60016000fd")] {
        let chain = stored(&outer("0b1"), inner);
        assert!(holds(&chain, end) && holds(&chain, "MSTORE"), "{inner}: {chain}");
    }
    // The precompiled contract that returns its input, which is memory 0 to 32, to memory 0 to 32
    let copying = code("602a600052 60206000602060006000600461fffff150 600051600055");
    let chain = stored(&copying, "00");
    assert!(holds(&chain, "CALL") && holds(&chain, "MSTORE"), "{chain}");
}

/// Among equal values, the instruction is named whose value the instructions of EIP-8024 moved to the top.
#[test]
fn values_moved_by_an_operand_are_followed() {
    let pushed = |count: usize| "6007".repeat(count);
    let codes = [
        // 0x80 says 17: a copy of item 17 from the top, and the top item exchanged with the one 17 below it.
        pushed(17) + "e680 600055",
        pushed(18) + "e780 600055",
        // 0x8e says 1 and 2: the items that far below the top are exchanged.
        pushed(3) + "e88e 50 600055",
    ];
    for moves in codes {
        let mut file: Json = serde_json::from_str(&calling()).unwrap();
        file["calls"]["pre"][OUTER]["code"] = code(&moves).into();
        file["calls"]["post"] = json!({ "Amsterdam": file["calls"]["post"]["Cancun"] });
        let explained = explained(file.to_string(), &LoadOptions::default());
        let answer = leaf(&explained, &format!("state/{OUTER}/storage/0x00")).answer.as_ref().unwrap();
        let stored = answer.blame().unwrap();
        let value = stored.inputs[1].iter().find_map(InputPart::blame).unwrap();
        assert_eq!((value.by.number(), value.moved_by.len()), (1, 1), "{moves}: {value:?}");
    }
}

/// An instruction that fails in a callee makes no item of the caller, and what undoes the log entries of a frame makes
/// those that are left.
#[test]
fn a_failed_frame_leaves_the_stack_of_its_caller_and_undoes_its_logs() {
    let explained = |outer: &str, inner: &str| {
        let mut file: Json = serde_json::from_str(&calling()).unwrap();
        file["calls"]["pre"][OUTER]["code"] = code(outer).into();
        file["calls"]["pre"][INNER]["code"] = code(inner).into();
        explained(file.to_string(), &LoadOptions::default())
    };
    let call = "600060006000600060006 0b161fffff1 50";
    // Storage 0 = the 8 below a 9; in between, the callee fails at SWAP2 without items.
    let stored = explained(&format!("6008 6009 {call} 50 600055 00"), "91");
    let chain = chain(leaf(&stored, &format!("state/{OUTER}/storage/0x00")).answer.as_ref().unwrap());
    assert!(chain.contains("PUSH1 0x08") && !chain.contains("SWAP2"), "{chain}");
    // Both log; the entry of the callee is undone by its REVERT.
    let logged = explained(&format!("60006000a0 {call} 00"), "60006000a0 60006000fd");
    let failure = logged.report.verdict.failure().unwrap();
    let index = failure.differences.iter().position(|it| it.at.to_string() == "logs").unwrap();
    assert_eq!(logged.blames[index].blame().unwrap().by.text, "REVERT");
}

/// The nonce and the balance of an account that a transaction creates are the transaction's.
#[test]
fn a_created_account_is_made_by_the_transaction() {
    let mut file: Json = serde_json::from_str(&calling()).unwrap();
    let transaction = &mut file["calls"]["transaction"];
    (transaction["to"], transaction["value"]) = ("".into(), json!(["0x05"]));
    transaction["data"] = json!(["0x600160005360016000f3"]);
    let explained = explained(file.to_string(), &LoadOptions::default());
    let leaves = &explained.world.as_ref().unwrap().leaves;
    let besides = |name: &str| {
        let leaf = leaves.iter().find(|leaf| {
            let at = leaf.at.to_string();
            at.ends_with(name)
                && ![OUTER, INNER, FAILING, "0xa94f", "0x2adc"].iter().any(|it| at.contains(it))
        });
        match &leaf.unwrap_or_else(|| panic!("{name}: {leaves:?}")).answer {
            Some(BlameAnswer::NotWritten { besides, .. }) => besides.clone().unwrap(),
            answer => panic!("{name}: {answer:?}"),
        }
    };
    assert_eq!(besides("/nonce"), "the transaction creates the account");
    assert_eq!(besides("/balance"), "the transaction sends its value");
}

/// A word that a frame wrote and lost is blamed on the instruction that undid it.
#[test]
fn reverted_writes_are_blamed_on_the_end_of_the_frame() {
    let mut file: Json = serde_json::from_str(&calling()).unwrap();
    let entry = &mut file["calls"]["post"]["Cancun"][0];
    entry["state"] = json!({ FAILING: { "balance": "0x00", "nonce": "0x00", "code": code(REVERTS),
        "storage": { "0x02": "0x01" } } });
    let explained = explained(file.to_string(), &LoadOptions::default());
    let failure = explained.report.verdict.failure().unwrap();
    let lost = format!("state/{FAILING}/storage/0x02");
    let index = failure.differences.iter().position(|it| it.at.to_string() == lost).unwrap();
    let BlameAnswer::By(blame) = &explained.blames[index] else { panic!("{:?}", explained.blames[index]) };
    assert_eq!(blame.by.text, "REVERT");
    assert_eq!(blame.by.frame.as_deref(), Some(format!("frame 2, code of {FAILING}").as_str()));
}

/// A vector that lost its state, and whose transaction sends another value: the demanded state is found by its
/// root, in the index and in one that was kept.
#[test]
fn a_state_is_looked_up_by_its_root() {
    let original = std::fs::read_to_string(at_root("vectors/ethereum/transfer.json")).unwrap();
    let mut file: Json = serde_json::from_str(&original).unwrap();
    let (_, test) = file.as_object_mut().unwrap().iter_mut().next().unwrap();
    for entries in test["post"].as_object_mut().unwrap().values_mut() {
        for entry in entries.as_array_mut().unwrap() {
            entry.as_object_mut().unwrap().remove("state");
        }
    }
    test["transaction"]["value"][0] = "0x03e9".into();
    let sources = files_of(at_root("vectors/ethereum"));
    let worlds = Worlds::new(sources.clone(), KeptRoots::default());
    let kept = worlds.index();
    let again = Worlds::new(sources.clone(), KeptRoots::parse(&kept).unwrap());
    let renamed = kept.replace("0x", "0y");
    let unread = Worlds::new(sources, KeptRoots::parse(&renamed).unwrap());
    assert_eq!(unread.index(), renamed, "files that have not changed are not read");
    assert!(KeptRoots::parse(&kept[..kept.len() / 2]).unwrap_err().starts_with("line "));
    for worlds in [worlds, again] {
        let mut options = LoadOptions::default();
        options.run.worlds = Some(Arc::new(move |root| worlds.find(root)));
        let explained = explained(file.to_string(), &options);
        let world = explained.world.unwrap();
        let ComparedWith::Fixture(id) = &world.against else { panic!("{:?}", world.against) };
        assert!(id.contains("transfer.json"), "{id}");
        let found: Vec<_> = world.leaves.iter().map(|leaf| leaf.at.to_string()).collect();
        assert_eq!(found.len(), 2, "the balances of both accounts: {found:?}");
        assert!(found.iter().all(|at| at.ends_with("/balance")), "{found:?}");
    }
}

/// A machine on which the refund of a cleared word is higher by one in a fork.
fn with_wrong_refund(fork: &'static str) -> RunOptions {
    let fault = EthereumFault::Price(WrongPrice { fork, name: "sstore_clearing_slot_refund", by: 1 });
    let make = move |_: &_, limits: &Limits| Box::new(Ethereum::with_fault(limits, fault)) as Box<_>;
    RunOptions { testee: MakeTestee::new("wrong refund", make), ..RunOptions::default() }
}

/// Cases that fail on a machine: the number, the causes, and the explanation of the first.
fn failures(sources: &[VectorSource], run: &RunOptions) -> (usize, Vec<String>, Option<String>) {
    let options = LoadOptions::default();
    let mut worker = Worker::new(run);
    let (mut count, mut causes, mut first) = (0, Vec::new(), None);
    for source in sources {
        let file = run::open(source, &options);
        for case in 0..file.cases() {
            let report = worker.run_case(&file, case);
            let Verdict::Fail(_) = report.verdict else { continue };
            count += 1;
            causes.extend(signature::cause(report.machine.as_deref(), &report.verdict));
            first.get_or_insert_with(|| {
                text(&explain(&mut Worker::new(run), &file, case, 3), ExplanationLength::Screen)
            });
        }
    }
    causes.sort();
    causes.dedup();
    (count, causes, first)
}

#[test]
fn a_wrong_refund_is_found_and_its_instruction_named() {
    let (count, causes, first) =
        failures(&files_of(at_root("vectors/ethereum")), &with_wrong_refund("London"));
    assert!(count > 0, "no own vector of London clears a word");
    assert_eq!(causes.len(), 1, "{causes:?}");
    let first = first.unwrap();
    assert!(first.contains(" SSTORE ") && first.contains("refund 4801"), "{first}");
}

/// The same over the published tests of one fork.
#[test]
fn a_wrong_refund_is_one_cause_in_published_tests() {
    let Some(suites) = suites() else { return };
    let folder = suites.join("ethereum/legacy-constantinople/stSStoreTest");
    let sources = files_of(folder);
    let (count, causes, first) =
        failures(&sources[..sources.len().min(4)], &with_wrong_refund("ConstantinopleFix"));
    assert!(count > 0);
    assert_eq!(causes.len(), 1, "{causes:?}");
    let first = first.unwrap();
    assert!(first.contains(" SSTORE ") && first.contains(", refund "), "{first}");
}

/// The test of [`calling`], whose OUTER executes other code, and FAILING as well.
fn calling_with(outer: &str, failing: &str) -> String {
    let mut test: Json = serde_json::from_str(&calling()).unwrap();
    test["calls"]["pre"][OUTER]["code"] = code(outer).into();
    test["calls"]["pre"][FAILING]["code"] = code(failing).into();
    test.to_string()
}

/// What ended the code whose call pushed the 0 that OUTER stored, and why that failed.
fn end_of_call(outer: &str, failing: &str) -> Option<(String, Option<String>)> {
    fn end(blame: &Blame) -> Option<(String, Option<String>)> {
        let of_this = blame.ended_by.as_ref().map(|end| (end.text.clone(), end.failure.clone()));
        of_this.or_else(|| blame.inputs.iter().flatten().filter_map(InputPart::blame).find_map(end))
    }
    let explained = explained(calling_with(outer, failing), &LoadOptions::default());
    end(leaf(&explained, &format!("state/{OUTER}/storage/0x00")).answer.as_ref()?.blame()?)
}

/// A call pushes 0 whatever went wrong in the called code: its last instruction says what did.
#[test]
fn a_failed_call_is_followed_to_the_instruction_that_ended_it() {
    // Storage 0 = 1 + the result.
    let calls = |value: &str| format!("6000600060006000 60{value} 60b2 61c350 f1 6001 01 6000 55 00");
    let failed = |text: &str, failure: &str| Some((text.to_owned(), Some(failure.to_owned())));
    let end = |failing| end_of_call(&calls("00"), failing);
    assert_eq!(end(REVERTS), Some(("REVERT".to_owned(), None)));
    assert_eq!(end("60006001 fe"), failed("INVALID", "invalid 0xFE opcode"));
    assert_eq!(end("61 0100 56"), failed("JUMP", "invalid jump destination"));
    assert_eq!(end("6001 01"), failed("ADD", "stack underflow"));
    // Its own call failed before it did.
    let calls_and_fails = calls("01").replace("55 00", "55 fe");
    assert_eq!(end(&calls_and_fails), failed("INVALID", "invalid 0xFE opcode"));
    // CREATE of what reverts.
    let creates = "64 60006000fd 600052 6005 601b 6000 f0 6001 01 6000 55 00";
    assert_eq!(end_of_call(creates, ""), Some(("REVERT".to_owned(), None)));
    // A call that succeeded, one that had nothing to send, one of an account without code.
    assert_eq!(end(STORES), None);
    assert_eq!(end_of_call(&calls("ff"), "fe"), None);
    assert_eq!(end(""), None);
}

#[test]
fn the_end_of_a_failed_call_is_shown_below_the_call() {
    let calls = "60006000600060006000 60b2 61c350 f1 6001 01 6000 55 00";
    let mut test: Json = serde_json::from_str(&calling_with(calls, "6001 01")).unwrap();
    let mut state = test["calls"]["pre"].clone();
    state[OUTER]["storage"] = json!({ "0x00": "0x02" });
    test["calls"]["post"]["Cancun"][0]["state"] = state;
    let explained = explained(test.to_string(), &LoadOptions::default());
    let text = text(&explained, ExplanationLength::Full(3));
    let shown = format!(
        "        0 by step 8, 0x0f CALL of 0xc350 (50000), 0xb2 (178), 0, 0, 0, 0, 0, on to 0x00
          ended by step 10, 0x02 ADD of 1: stack underflow
            in frame 2, code of {FAILING}
"
    );
    assert!(text.contains(&shown), "{text}");
    let mut line = Vec::new();
    json::explained(&mut line, &explained).unwrap();
    let line: Json = serde_json::from_slice(&line).unwrap();
    Validator::named("diff").assert_accepts(&line, "a failed call");
    assert!(line.to_string().contains(r#""failure":"stack underflow""#), "{line}");
}
