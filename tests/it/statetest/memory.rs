//! The limit on memory: growth that the gas does not pay for is the contract's end of gas, however large; any other
//! growth beyond the limit is an error of the case, and nothing that the contract sees.

use crate::support::vmconf;

const GROWTH: &str = "vectors/ethereum/memory-growth.json";

/// The names of the tests that pass, and of those that end at the limit, under this limit.
fn outcomes(limit: u64) -> [Vec<String>; 2] {
    let limit = limit.to_string();
    let ran = vmconf(&[
        "run",
        GROWTH,
        "--max-memory",
        &limit,
        "--fork",
        "Cancun",
        "--report",
        "json",
        "--no-group",
    ]);
    let mut outcomes = [Vec::new(), Vec::new()];
    for line in ran.stdout.lines() {
        let line: serde_json::Value = serde_json::from_str(&line.replace(":TIME", ":0")).unwrap();
        if line["type"] != "case" {
            continue;
        }
        let name = line["name"].as_str().unwrap().replace("/Cancun/", " ");
        let is_limited =
            line.to_string().contains(&format!("limit of the runner reached: --max-memory {limit}"));
        match line["verdict"].as_str().unwrap() {
            "pass" => outcomes[0].push(name),
            "error" if is_limited => outcomes[1].push(name),
            _ => panic!("{line}"),
        }
    }
    outcomes
}

#[test]
fn gas_is_compared_before_the_limit() {
    let never_paid = [
        "growth that gas pays just not and just d0g0v0",
        "growth that no gas pays d0g0v0",
        "growth that no gas pays d1g0v0",
        "growth that no gas pays d2g0v0",
        "growth that no gas pays d3g0v0",
        "growth that no gas pays d4g0v0",
        "growth that no gas pays d5g0v0",
        "two ranges, of which gas pays only one d0g0v0",
    ];
    let one_frame = "frames that each grow memory d0g0v0";
    let frames = "frames that each grow memory d1g0v0";
    let paid =
        ["growth that gas pays just not and just d1g0v0", "two ranges, of which gas pays only one d1g0v0"];
    let sorted = |parts: &[&[&str]]| {
        let mut all: Vec<_> = parts.concat().into_iter().map(str::to_owned).collect();
        all.sort();
        all
    };
    for (limit, passing, limited) in [
        (1 << 16, sorted(&[&never_paid]), sorted(&[&paid, &[one_frame, frames]])),
        (1 << 20, sorted(&[&never_paid, &paid, &[one_frame]]), sorted(&[&[frames]])),
        // One byte less than the growth, and 40 frames of 512 KiB.
        ((1 << 20) - 1, sorted(&[&never_paid, &[one_frame]]), sorted(&[&paid, &[frames]])),
        (40 << 19, sorted(&[&never_paid, &paid, &[one_frame, frames]]), Vec::new()),
        ((40 << 19) - 1, sorted(&[&never_paid, &paid, &[one_frame]]), sorted(&[&[frames]])),
    ] {
        let [mut passed, mut ended] = outcomes(limit);
        passed.sort();
        ended.sort();
        assert_eq!((passed, ended), (passing, limited), "--max-memory {limit}");
    }
}
