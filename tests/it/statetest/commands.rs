//! State tests on the command line: their traces, how cases are selected and listed, and a machine in another
//! process whose state is wrong.

use std::fs;

use serde_json::Value as Json;
use tempfile::TempDir;

use super::explain::{INNER, calling};
use crate::support::{Ran, at_root, command, ran, vmconf};

const OWN: &str = "vectors/ethereum";
const LOGS: &str = "vectors/ethereum/accounts-by-fork.json::logs/London/d0g0v0";

/// What the command prints, which must not fail.
fn printed(args: &[&str]) -> String {
    let Ran { exit, stdout, stderr } = vmconf(args);
    assert_eq!((exit, &*stderr), (0, ""), "{args:?}");
    stdout
}

fn listed(expr: &str) -> Vec<String> {
    printed(&["list", OWN, "-E", expr]).lines().map(str::to_owned).collect()
}

/// All entries of the own vectors: the id of the case, its fork, and the entry.
fn entries() -> Vec<(String, String, Json)> {
    let mut entries = Vec::new();
    for path in crate::support::files(OWN, "json") {
        let file: Json = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for (name, test) in file.as_object().unwrap() {
            for (fork, posts) in test["post"].as_object().unwrap() {
                for entry in posts.as_array().unwrap() {
                    let index = |name: &str| entry["indexes"][name].as_u64().unwrap();
                    let chosen = format!("d{}g{}v{}", index("data"), index("gas"), index("value"));
                    let id = format!("{}::{name}/{fork}/{chosen}", crate::support::relative(&path));
                    entries.push((id, fork.clone(), entry.clone()));
                }
            }
        }
    }
    entries
}

#[test]
fn forks_and_refusals_select_cases() {
    let of_files = |holds: &dyn Fn(&str, &Json) -> bool| -> Vec<_> {
        let entries = entries().into_iter();
        entries.filter(|(_, fork, entry)| holds(fork, entry)).map(|(id, ..)| id).collect()
    };
    let is_refusal = |entry: &Json| entry.get("expectException").is_some();
    assert_eq!(listed("fork(london)"), of_files(&|fork, _| fork == "London"));
    let refusals = listed("expects(refusal)");
    assert_eq!(refusals, of_files(&|_, entry| is_refusal(entry)));
    assert_eq!(refusals, listed("expects(refused)"));
    assert_eq!(
        listed("fork(Osaka) and not expects(refusal)"),
        of_files(&|fork, entry| fork == "Osaka" && !is_refusal(entry))
    );
}

#[test]
fn cases_are_counted_by_fork() {
    let text = printed(&["list", OWN, "--counts"]);
    let mut found: Vec<_> = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    assert_eq!(found.pop().unwrap(), [entries().len().to_string().as_str(), "cases"]);
    found.sort();
    let mut counts = std::collections::BTreeMap::<_, usize>::new();
    for (_, fork, _) in entries() {
        *counts.entry(fork).or_default() += 1;
    }
    let counted: Vec<_> = counts.iter().map(|(fork, count)| (count.to_string(), fork)).collect();
    let mut expected: Vec<_> = counted
        .iter()
        .map(|(count, fork)| vec![count.as_str(), "statetest", "ethereum", fork.as_str()])
        .collect();
    expected.sort();
    assert_eq!(found, expected);
}

/// `calls` selects a case whose code reaches the call, not one that merely has the account.
#[test]
fn called_accounts_select_cases() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("calls.json");
    fs::write(&path, calling()).unwrap();
    let selected = |address: &str| {
        let expr = format!("calls({address})");
        vmconf(&["list", path.to_str().unwrap(), "-E", &expr]).stdout.lines().count()
    };
    assert_eq!(selected(INNER), 1);
    assert_eq!(selected("0x00000000000000000000000000000000000000b0"), 0, "the transaction calls it");
    assert_eq!(selected("0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b"), 0, "nothing calls the sender");
}

/// The steps of a frame are those at its depth.
#[test]
fn frame_selects_the_steps_at_its_depth() {
    let all = printed(&["trace", LOGS, "--output", "json"]);
    let number = |line: &str| serde_json::from_str::<Json>(line).unwrap()["step"].as_u64();
    let steps = |text: &str| text.lines().filter_map(number).collect::<Vec<_>>();
    let of = |frame| steps(&printed(&["trace", LOGS, "--output", "json", "--frame", frame]));
    // 19 instructions, 6 of the called account, the last one.
    assert_eq!(of("1"), (1..=19).chain([26]).collect::<Vec<_>>());
    assert_eq!(of("2"), (20..=25).collect::<Vec<_>>());
    assert_eq!(of("3"), Vec::<u64>::new());
    assert_eq!(steps(&all), (1..=26).collect::<Vec<_>>());
}

/// The input of a call without input is empty, wherever its caller says that it is.
#[test]
fn a_call_without_input_is_traced() {
    const CASE: &str = "vectors/ethereum/instructions-calls.json::staticcall/Osaka/d0g0v0";
    let sizes = printed(&["trace", CASE, "--op", "CALLDATASIZE"]);
    assert!(sizes.lines().filter(|line| line.contains("CALLDATASIZE")).count() > 10, "{sizes}");
}

/// `revme statetest --json` 43.0.3 wrote the other lines for the same case. It writes sizes in hex, and counts the
/// gas that a call gives away as a cost of the call.
#[test]
fn a_trace_in_the_form_of_eip_3155_equals_that_of_revme() {
    let parse =
        |text: &str| -> Vec<Json> { text.lines().map(|line| serde_json::from_str(line).unwrap()).collect() };
    let ours = parse(&printed(&["trace", LOGS, "--output", "eip3155"]));
    let theirs = parse(include_str!("revme-trace.jsonl"));
    assert_eq!(ours.len(), theirs.len());
    let (end, of_revme) = (ours.last().unwrap(), theirs.last().unwrap());
    for member in ["stateRoot", "output", "pass"] {
        assert_eq!(end[member], of_revme[member], "{member}");
    }
    assert_eq!(end["gasUsed"], format!("{:#x}", of_revme["gasUsed"].as_u64().unwrap()));
    for (our, their) in ours.iter().zip(&theirs).take(ours.len() - 1) {
        for member in ["pc", "op", "opName", "gas", "stack", "depth", "refund"] {
            assert_eq!(our[member], their[member], "{member}: {our}");
        }
        assert_eq!(format!("{:#x}", our["memSize"].as_u64().unwrap()), their["memSize"], "{our}");
        assert!(our["gasCost"] == their["gasCost"] || our["opName"] == "CALL", "{our}");
    }
}

#[test]
fn data_with_a_label_is_named() {
    let folder = TempDir::new().unwrap();
    let mut file: Json =
        serde_json::from_slice(&fs::read(at_root("vectors/ethereum/parameters.json")).unwrap()).unwrap();
    let mut named = Vec::new();
    for entry in file["stores its input"]["post"]["Byzantium"].as_array_mut().unwrap() {
        entry["logs"] = format!("0x{}", "11".repeat(32)).into();
        named.push(["; d0 is five", "; d1 is seven"][entry["indexes"]["data"].as_u64().unwrap() as usize]);
    }
    let path = folder.path().join("parameters.json");
    fs::write(&path, file.to_string()).unwrap();
    let Ran { stdout, exit, .. } = vmconf(&["diff", path.to_str().unwrap(), "--no-group"]);
    assert_eq!(exit, 1);
    let ends = stdout.lines().filter(|line| line.starts_with("  ended: "));
    let shown: Vec<_> = ends.map(|line| &line[line.find(';').unwrap()..]).collect();
    assert_eq!(shown, named);
}

/// A machine that reports another balance, and the root of another state. The embedded machine has the demanded
/// root, so its state is what is demanded.
#[test]
fn the_state_of_another_machine_is_compared_with_the_embedded_one() {
    let folder = TempDir::new().unwrap();
    let text = fs::read_to_string(at_root("vectors/ethereum/transfer.json")).unwrap();
    let mut file: Json = serde_json::from_str(&text).unwrap();
    let entry = &mut file["transfer"]["post"]["London"][0];
    let root = entry["hash"].as_str().unwrap().to_owned();
    let state = entry.as_object_mut().unwrap().remove("state").unwrap();
    let to = file["transfer"]["transaction"]["to"].as_str().unwrap().to_owned();
    let balance = state[&to]["balance"].as_str().unwrap();
    let value: u64 = u64::from_str_radix(balance.trim_start_matches("0x"), 16).unwrap();
    let path = folder.path().join("transfer.json");
    fs::write(&path, file.to_string()).unwrap();

    let wrong = format!("0x{}", "22".repeat(32));
    let vmconf = env!("CARGO_BIN_EXE_vmconf");
    let script = format!(
        "'{vmconf}' serve ethereum | sed -u -e 's/{root}/{wrong}/' -e 's/\"balance\":\"{value:#x}\"/\"balance\":\"0x7\"/'"
    );
    let config = format!("[vm.wrong]\ncommand = ['sh', '-c', {}]\n", Json::from(script));
    fs::write(folder.path().join("vmconf.toml"), config).unwrap();
    let mut diff = command(&["diff", "--vm", "wrong", "transfer.json::transfer/London/d0g0v0"]);
    let Ran { stdout, exit, stderr } = ran(diff.current_dir(folder.path()).output().unwrap());
    assert_eq!(exit, 1, "{stderr}");
    crate::support::golden::file("state-of-another-machine", &stdout);
    let leaf = format!("state/{to}/balance");
    assert!(stdout.contains(&leaf) && stdout.contains(&format!("{value}")), "{stdout}");
    assert_eq!(stdout.matches("state/0x").count(), 1, "one leaf differs: {stdout}");
}

/// The roots are those of the executable specification: the price of blobs of a fork that only changes them, the
/// price of a transaction whose type has no other, and a refusal for more than any account has.
#[test]
fn roots_of_the_executable_specification() {
    let ran = vmconf(&["run", "tests/it/statetest/roots-of-the-specification.json"]);
    assert!(ran.exit == 0 && ran.stdout.contains("3 passed, 0 failed"), "{ran:?}");
}
