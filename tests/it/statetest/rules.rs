//! Each rule that revm does not have is needed: without it, own vectors fail.

use vmconf::machines::ethereum::{Ethereum, EthereumFault, FaultyRule};
use vmconf::model::limits::Limits;
use vmconf::model::verdict::Verdict;
use vmconf::run::{self, LoadOptions, RunOptions, Worker};
use vmconf::testees::MakeTestee;

use crate::support::{at_root, files_of};

/// The rules, and the tests that fail without each.
const NEEDED: &[(FaultyRule, &[&str])] = &[
    (FaultyRule::CreationCollision, &["creation-collides-with-storage.json::creation"]),
    (FaultyRule::HashOfNoCode, &["creation-collides-with-storage.json::extcodehash"]),
    (FaultyRule::RecipientOfType, &["creation-by-type.json::blobs", "creation-by-type.json::authorizations"]),
    (
        FaultyRule::NetStorageGas,
        &[
            "net-storage-gas-by-values.json::original 0, three stores",
            "net-storage-gas-by-values.json::original 1, three stores",
            "net-storage-gas-by-values.json::reset to its original, and another word",
            "net-storage-gas-by-values.json::set in a called frame, cleared in the caller",
            "net-storage-gas-by-values.json::cleared in a called frame, set again in the caller",
            "net-storage-gas.json::set and cleared",
        ],
    ),
    (
        FaultyRule::BlobParameters,
        &[
            "blob-fees.json::type 0 pays nothing for blobs",
            "blob-fees.json::type 1 pays nothing for blobs",
            "blob-fees.json::type 2 pays nothing for blobs",
            "blob-fees.json::type 4 pays nothing for blobs",
            "blob-fees.json::type 3 with 1 blobs",
            "blob-fees.json::type 3 with 2 blobs",
            "blob-fees.json::type 3 with 6 blobs",
            "blob-fees.json::7 offered for blobs in Prague",
            "blob-fees.json::8 offered for blobs in Prague",
            "blob-fees.json::7 offered for blobs in Osaka",
            "blob-fees.json::8 offered for blobs in Osaka",
            "blob-parameters.json::six blobs",
            "blob-parameters.json::seven blobs",
            "blob-parameters.json::nine blobs",
            "blob-parameters.json::seven blobs, which config allows",
        ],
    ),
    (
        FaultyRule::NumberRange,
        &[
            "out-of-range.json::gas limit",
            "out-of-range.json::gas price",
            "out-of-range.json::nonce",
            "out-of-range.json::value",
        ],
    ),
    (FaultyRule::BaseFeeOfLondon, &["base-fee-before-london.json::base fee 1000"]),
];

/// The own tests that fail without a rule, each once.
fn failing(rule: FaultyRule) -> Vec<String> {
    let make = move |_: &_, limits: &Limits| {
        Box::new(Ethereum::with_fault(limits, EthereumFault::Without(rule))) as Box<_>
    };
    let run = RunOptions { testee: MakeTestee::new("without a rule", make), ..RunOptions::default() };
    let (options, mut worker) = (LoadOptions::default(), Worker::new(&run));
    let mut failing = Vec::new();
    for source in files_of(at_root("vectors/ethereum")) {
        let file = run::open(&source, &options);
        let reports = (0..file.cases()).map(|case| worker.run_case(&file, case));
        for report in reports.filter(|report| report.verdict != Verdict::Pass) {
            assert!(matches!(report.verdict, Verdict::Fail(_)), "{}: {:?}", report.id, report.verdict);
            let id = report.id.to_string();
            let test = id.split('/').find(|part| part.contains("::")).unwrap();
            failing.push(test.to_owned());
        }
    }
    failing.dedup();
    failing
}

#[test]
fn own_vectors_fail_without_a_rule_that_revm_does_not_have() {
    for (rule, tests) in NEEDED {
        assert_eq!(failing(*rule), *tests, "{rule:?}");
    }
}
