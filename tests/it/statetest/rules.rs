//! Each rule that revm does not have is needed: without it, own vectors fail.

use vmconf::machines::ethereum::INFO;
use vmconf::model::Verdict;
use vmconf::model::limits::Limits;
use vmconf::run::{self, LoadOptions, RunOptions, Worker};
use vmconf::testees::MakeTestee;

use crate::support::{at_root, files_of};

/// The rules, and the tests that fail without each.
const NEEDED: &[(&str, &[&str])] = &[
    ("creation collision", &["creation-collides-with-storage.json::creation"]),
    ("hash of no code", &["creation-collides-with-storage.json::extcodehash"]),
    ("creation by type 3", &["creation-by-type.json::blobs"]),
    ("creation by type 4", &["creation-by-type.json::authorizations"]),
    (
        "net storage gas",
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
        "blob parameters",
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
            "instructions-environment.json::block and call",
        ],
    ),
    (
        "number range",
        &[
            "out-of-range.json::gas limit",
            "out-of-range.json::gas price",
            "out-of-range.json::nonce",
            "out-of-range.json::value",
        ],
    ),
    ("base fee of London", &["base-fee-before-london.json::base fee 1000"]),
];

/// The own tests that fail without a rule, each once.
fn failing(rule: &str) -> Vec<String> {
    let broken = INFO.broken_rules.iter().find(|broken| broken.rule == rule).unwrap();
    let make = |_: &_, limits: &Limits| (broken.plant)(limits);
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
        assert_eq!(failing(rule), *tests, "{rule:?}");
    }
}
