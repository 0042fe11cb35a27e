//! What a file may contain although few files do.

use serde_json::{Value as Json, json};
use vmconf::model::Verdict;
use vmconf::run::{self, LoadOptions, Worker};

use super::explain::any_source;
use crate::support::validator::Validator;

const SENDER: &str = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b";
const COINBASE: &str = "0x2adc25665018aa1fe0e6bc666dac8fc2697ff9ba";

/// The roots of the accounts below, alone and beside an empty account at the coinbase, as py-trie computes them.
const BEFORE: &str = "0x6c59244cf77d88aba5991e1ea64e6cc34682bc51c222c2e714e15f4ece0f56d2";
const WITH_COINBASE: &str = "0xaf216d86f40de1e523dda60d12c3ee25e2c1a489b1225bf55eef00e78545ed87";

/// As BEFORE, of an account with code, a nonce and a word of storage.
const WITH_STORAGE: &str = "0x1ab6aeac07b1ea8f5c25f05ef57d853e84aad0a20b5321a6636a52131ffc153e";

fn account(balance: &str) -> Json {
    json!({ "balance": balance, "nonce": "0x00", "code": "0x", "storage": {} })
}

/// A transaction that costs 200000, and what an entry demands of it besides its indexes and the hash of no logs.
fn test(fork: &str, sender: &Json, demanded: Json) -> Json {
    let mut entry = json!({
        "indexes": { "data": 0, "gas": 0, "value": 0 },
        "logs": "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
    });
    let Json::Object(demanded) = demanded else { panic!("not an object") };
    entry.as_object_mut().unwrap().extend(demanded);
    json!({ "test": {
        "env": {
            "currentCoinbase": COINBASE, "currentGasLimit": "0x07270e00", "currentNumber": "0x01",
            "currentTimestamp": "0x03e8", "currentDifficulty": "0x020000", "currentBaseFee": "0x00",
            "currentExcessBlobGas": "0x00",
        },
        "pre": { SENDER: sender },
        "transaction": {
            "nonce": sender["nonce"], "gasPrice": "0x02", "to": "0x00000000000000000000000000000000000000b0",
            "sender": SENDER, "data": ["0x"], "gasLimit": ["0x0186a0"], "value": ["0x00"],
        },
        "post": { fork: [entry] },
    } })
}

fn verdict(test: &Json) -> Verdict {
    let options = LoadOptions::default();
    let file = run::open_text(&any_source(), test.to_string(), &options);
    Worker::new(&options.run).run_case(&file, 0).verdict
}

fn passes(test: &Json) -> bool {
    verdict(test) == Verdict::Pass
}

/// The reference, section 4: the accounts before the transaction, or those and an empty one at the coinbase.
#[test]
fn a_refused_transaction_leaves_one_of_two_states() {
    let poor = account("0x01");
    let refused = |fork: &str, root: &str, state: Option<Json>| {
        let mut demanded = json!({ "expectException": "TR_NoFunds", "hash": root });
        if let Some(state) = state {
            demanded["state"] = state;
        }
        passes(&test(fork, &poor, demanded))
    };
    let before = || Some(json!({ SENDER: poor }));
    let with_coinbase = || Some(json!({ SENDER: poor, COINBASE: account("0x00") }));
    for fork in ["Frontier", "Homestead", "EIP150"] {
        assert!(refused(fork, BEFORE, None) && refused(fork, WITH_COINBASE, None), "{fork}");
        assert!(refused(fork, BEFORE, before()) && refused(fork, WITH_COINBASE, with_coinbase()), "{fork}");
        assert!(!refused(fork, BEFORE, with_coinbase()) && !refused(fork, WITH_COINBASE, before()), "{fork}");
        assert!(!refused(fork, WITH_STORAGE, None), "{fork}");
    }
    for fork in ["EIP158", "London", "Cancun"] {
        assert!(refused(fork, BEFORE, None) && refused(fork, BEFORE, before()), "{fork}");
        assert!(!refused(fork, WITH_COINBASE, None), "{fork}");
        assert!(!refused(fork, WITH_COINBASE, with_coinbase()), "{fork}");
    }
}

/// A coinbase that had an account before has it afterwards, so that there is only one state.
#[test]
fn a_refused_transaction_changes_no_account_of_its_coinbase() {
    let refused = |root: &str| {
        let demanded = json!({ "expectException": "TR_NoFunds", "hash": root });
        let mut own = test("Homestead", &account("0x01"), demanded);
        own["test"]["env"]["currentCoinbase"] = json!(SENDER);
        verdict(&own)
    };
    assert_eq!(refused(BEFORE), Verdict::Pass);
    assert!(matches!(refused(WITH_COINBASE), Verdict::Fail(_)));
}

#[test]
fn the_root_before_a_refused_transaction_has_storage_and_code() {
    let mut sender = account("0x01");
    sender["nonce"] = json!("0x02");
    sender["code"] = json!("0x00");
    sender["storage"] = json!({ "0x05": "0x07", "0x06": "0x00" });
    // Since London an account with code sends nothing, so that the class of the refusal is left open.
    let demanded =
        json!({ "expectException": "TransactionException.EC_RECOVERY_FAIL", "hash": WITH_STORAGE });
    assert!(passes(&test("Homestead", &sender, demanded)));
}

/// The reference, section 4: zero slots are absent from the trie.
#[test]
fn zero_words_of_a_state_are_absent_ones() {
    let refused = |storage: Json| {
        let mut poor = account("0x01");
        poor["storage"] = storage;
        let demanded = json!({ "expectException": "TR_NoFunds", "hash": BEFORE, "state": { SENDER: poor } });
        passes(&test("London", &account("0x01"), demanded))
    };
    assert!(refused(json!({})) && refused(json!({ "0x05": "0x00" })));
    assert!(!refused(json!({ "0x05": "0x01" })));
    let mut poor = account("0x01");
    poor["storage"] = json!({ "0x05": "0x00" });
    for root in [BEFORE, WITH_COINBASE] {
        assert!(passes(&test("Homestead", &poor, json!({ "expectException": "TR_NoFunds", "hash": root }))));
    }
}

/// A fee for blobs makes a transaction one of blobs, of which it must have some.
#[test]
fn a_transaction_with_a_fee_for_blobs_has_their_type() {
    let demanded = json!({ "expectException": "TransactionException.TYPE_3_TX_ZERO_BLOBS", "hash": BEFORE });
    let mut test = test("Cancun", &account("0x0de0b6b3a7640000"), demanded);
    let transaction = test["test"]["transaction"].as_object_mut().unwrap();
    transaction.remove("gasPrice");
    for fee in ["maxFeePerGas", "maxPriorityFeePerGas", "maxFeePerBlobGas"] {
        transaction.insert(fee.to_owned(), json!("0x02"));
    }
    let Verdict::Fail(failure) = verdict(&test) else { panic!("the root is that of another account") };
    let wrong: Vec<_> = failure.differences.iter().map(|difference| difference.at.to_string()).collect();
    assert_eq!(wrong, ["root"]);
}

/// The reference, section 2.3: `type` wins over what the other members say.
#[test]
fn a_type_that_no_fork_has_is_refused() {
    let mut refused = test(
        "Osaka",
        &account("0x0de0b6b3a7640000"),
        json!({ "expectException": "TR_TypeNotSupported", "hash": BEFORE }),
    );
    refused["test"]["transaction"]["type"] = json!("0x09");
    let Verdict::Fail(failure) = verdict(&refused) else { panic!("the root is that of another account") };
    let wrong: Vec<_> = failure.differences.iter().map(|difference| difference.at.to_string()).collect();
    assert_eq!(wrong, ["root"]);
}

/// No fork refuses a fee for its size; the machine says that it cannot execute what the sender can pay.
#[test]
fn a_fee_of_more_than_128_bits_is_refused_only_if_the_sender_cannot_pay() {
    let mut rich = test("London", &account(&format!("0x{:0<51}", 1)), json!({ "hash": BEFORE }));
    let price = json!(format!("0x{:0<31}", 1));
    rich["test"]["transaction"]["gasPrice"] = price.clone();
    let Verdict::Error(errors) = verdict(&rich) else { panic!("the machine cannot execute it") };
    assert!(errors[0].what.contains("fees of at most 128 bits"), "{errors:?}");
    let demanded =
        json!({ "expectException": "TransactionException.GASLIMIT_PRICE_PRODUCT_OVERFLOW", "hash": BEFORE });
    let mut poor = test("London", &account("0x01"), demanded);
    poor["test"]["transaction"]["gasPrice"] = price;
    assert!(passes(&poor), "{:?}", verdict(&poor));
}

/// Its results by fork show what the test is.
#[test]
fn a_test_without_a_transaction_lacks_only_that() {
    let mut test = test("London", &account("0x01"), json!({ "hash": BEFORE }));
    test["test"].as_object_mut().unwrap().remove("transaction");
    let Verdict::Error(errors) = verdict(&test) else { panic!("there is nothing to execute") };
    let what: Vec<_> = errors.iter().map(|error| &*error.what).collect();
    assert_eq!(what, ["test without \"transaction\""]);
}

/// The numbers of chains are compared whole, although the machine keeps 64 bits of them.
#[test]
fn large_numbers_of_chains_are_compared_whole() {
    for (transaction, is_refused) in [("0x010000000000000005", true), ("0x010000000000000001", false)] {
        let demanded = json!({ "expectException": "TransactionException.INVALID_CHAINID", "hash": BEFORE });
        let mut test = test("London", &account("0x0de0b6b3a7640000"), demanded);
        test["test"]["config"] = json!({ "chainid": "0x010000000000000001" });
        test["test"]["transaction"]["chainId"] = json!(transaction);
        let Verdict::Fail(failure) = verdict(&test) else { panic!("the root is that of another account") };
        let is_executed = failure.differences.iter().any(|difference| difference.at.to_string() == "outcome");
        assert_eq!(is_executed, !is_refused, "{transaction}: {failure:?}");
    }
}

/// The reference, section 6: any refusal satisfies a name that is not known.
#[test]
fn any_refusal_satisfies_an_unknown_name() {
    let poor = account("0x01");
    let demanded = |name: &str| json!({ "expectException": name, "hash": BEFORE });
    assert!(passes(&test("London", &poor, demanded("TransactionException.NEW_IN_2031"))));
    assert!(passes(&test("London", &poor, demanded("TR_NonceTooHigh|NEW_IN_2031"))));
    assert!(!passes(&test("London", &account("0x0de0b6b3a7640000"), demanded("NEW_IN_2031"))));
}

/// The reference, section 3: an unknown fork is skipped with its name.
#[test]
fn cases_of_an_unknown_fork_are_unsupported() {
    let verdict = verdict(&test("Cancum", &account("0x01"), json!({ "hash": BEFORE })));
    assert_eq!(verdict, Verdict::Unsupported("unknown fork \"Cancum\"; did you mean Cancun?".to_owned()));
}

/// The reference, section 2.3: an authorization that cannot be parsed is skipped. The schema accepts it, too.
#[test]
fn an_authorization_out_of_range_is_skipped() {
    let schema = Validator::named("statetest");
    let signed = |name: &str, number: &str| {
        let mut test = test("Prague", &account("0x0de0b6b3a7640000"), json!({ "hash": BEFORE }));
        let one = "0x01";
        // 1 is the x coordinate of a point of the curve, so that there is a key whose signature this is; its account
        // has sent nothing.
        let mut authorization = json!({
            "chainId": one, "address": COINBASE, "nonce": "0x00", "v": one, "r": one, "s": one,
        });
        authorization[name] = json!(number);
        let transaction = &mut test["test"]["transaction"];
        transaction["authorizationList"] = json!([authorization]);
        for fee in ["maxFeePerGas", "maxPriorityFeePerGas"] {
            transaction[fee] = json!("0x02");
        }
        transaction.as_object_mut().unwrap().remove("gasPrice");
        schema.assert_accepts(&test, name);
        match verdict(&test) {
            Verdict::Fail(failure) => failure.differences[0].actual.clone(),
            other => panic!("{name} {number}: {other:?}"),
        }
    };
    let skipped = signed("chainId", "0x02");
    assert_ne!(signed("chainId", "0x01"), skipped);
    assert_ne!(signed("chainId", "0x00"), skipped);
    let large = format!("0x1{}", "0".repeat(64));
    for name in ["chainId", "nonce", "v", "r", "s"] {
        assert_eq!(signed(name, &large), skipped, "{name}");
    }
}

/// No account has such a nonce, and the error is where it stands.
#[test]
fn a_nonce_beyond_64_bits_is_located() {
    let mut sender = account("0x01");
    sender["nonce"] = json!("0x010000000000000000");
    let test = test("London", &sender, json!({ "hash": BEFORE }));
    let Verdict::Error(errors) = verdict(&test) else { panic!("an account has this nonce") };
    let text = test.to_string();
    let pre = text.find("\"pre\"").unwrap();
    let at = pre + text[pre..].find("\"0x010000000000000000\"").unwrap();
    let place = errors[0].place.as_ref().unwrap();
    assert_eq!(place.at, u32::try_from(at).unwrap(), "{errors:?}");
}

/// The reference, section 2.3: the lists of accounts are parallel to the data.
#[test]
fn a_list_of_accounts_that_the_index_does_not_reach_is_an_error() {
    let with_lists = |lists: Json| {
        let mut test = test("Berlin", &account("0x0f4240"), json!({ "hash": BEFORE }));
        test["test"]["transaction"]["accessLists"] = lists;
        match verdict(&test) {
            Verdict::Error(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
            other => format!("{:?}", other.kind()),
        }
    };
    assert_eq!(with_lists(json!([null])), "Fail");
    let none = with_lists(json!([]));
    assert!(none.contains("\"accessLists\" is 0, and the transaction has 0"), "{none}");
}
