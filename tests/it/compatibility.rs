//! What earlier versions wrote is still read: reports, recorded runs, conversations with machines, lists of known
//! failures. The files of a version in `tests/compatibility` are as that version wrote them, and never change.

use std::fs;
use std::path::PathBuf;

use serde_json::Value as Json;
use tempfile::TempDir;
use vmconf::machines;
use vmconf::testees::server::Server;
use vmconf::wire::protocol::{ProtocolAnswer, Request};
use vmconf::wire::report::ReportLine;

use crate::support::validator::Validator;
use crate::support::{Ran, at_root, command, ran, vmconf};

/// The folders of all versions.
fn versions() -> Vec<PathBuf> {
    let entries = fs::read_dir(at_root("tests/compatibility")).unwrap();
    let folders: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(!folders.is_empty());
    folders
}

/// The file of each version.
fn each(name: &str) -> Vec<(String, String)> {
    let file = |folder: PathBuf| {
        let path = folder.join(name);
        (path.display().to_string(), fs::read_to_string(path).unwrap())
    };
    versions().into_iter().map(file).collect()
}

fn json(line: &str) -> Json {
    serde_json::from_str(line).unwrap()
}

/// The line with one more member, which a later version may write.
fn with_later_member(line: &str) -> String {
    let mut json = json(line);
    json.as_object_mut().unwrap().insert("later".to_owned(), Json::from(vec![1]));
    json.to_string()
}

const REPORTS: [&str; 5] =
    ["embedded.jsonl", "elsewhere.jsonl", "suspects.jsonl", "part-1.jsonl", "part-2.jsonl"];

/// Reading a line loses none of its members, and members of later versions are passed over. Schemas accept the lines.
#[test]
fn lines_of_reports_are_read_whole() {
    let schema = Validator::named("report");
    let mut types = std::collections::BTreeSet::new();
    for (path, text) in REPORTS.iter().flat_map(|name| each(name)) {
        for line in text.lines() {
            let read =
                ReportLine::read(line.as_bytes()).unwrap_or_else(|error| panic!("{path}: {line}: {error}"));
            assert_eq!(serde_json::to_value(&read).unwrap(), json(line), "{path}");
            schema.assert_accepts(&json(line), &path);
            assert_eq!(ReportLine::read(with_later_member(line).as_bytes()).unwrap(), read, "{path}");
            let of = json(line);
            types.insert(of.get("verdict").unwrap_or(&of["type"]).as_str().unwrap().to_owned());
        }
    }
    let expected = [
        "crash",
        "error",
        "explained",
        "fail",
        "fixed",
        "flaky",
        "known",
        "not-compared",
        "note",
        "pass",
        "run",
        "summary",
        "suspects",
        "timeout",
        "unsupported",
    ];
    assert_eq!(types.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

#[test]
fn commands_read_reports() {
    for folder in versions() {
        let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        let [embedded, elsewhere, first, second, record] =
            ["embedded.jsonl", "elsewhere.jsonl", "part-1.jsonl", "part-2.jsonl", "record.jsonl"].map(path);
        let Ran { exit, stdout, stderr } = vmconf(&["merge", &first, &second]);
        assert!(
            stdout.contains("1 passed, 2 failed, 1 known, 1 fixed, 1 error, 0 skipped"),
            "{stdout}{stderr}"
        );
        assert_eq!(exit, 3, "{stderr}");
        // A record of a run says what its report says.
        let Ran { exit, stdout, stderr } = vmconf(&["compare", &record, &embedded]);
        assert_eq!((exit, &*stderr), (0, ""), "{stdout}");
        let Ran { exit, stdout, .. } = vmconf(&["compare", &embedded, &elsewhere]);
        assert!(exit == 1 && stdout.contains("elsewhere.json::crashes"), "{stdout}");
        let Ran { exit, stdout, .. } = vmconf(&["matrix", "--results", &embedded, "--results", &elsewhere]);
        assert!(
            exit == 0 && stdout.contains("1 passed, 1 failed, 1 crashed, 1 timed out, 1 flaky"),
            "{stdout}"
        );
    }
}

/// Requests get the answers that they got, and a machine may ask and answer as it did.
#[test]
fn conversations_are_the_same() {
    let schema = Validator::named("protocol");
    for (path, text) in each("conversation.jsonl") {
        let lines: Vec<_> = text.lines().collect();
        let mut server = Server::new(machines::by_name("evm").unwrap());
        for pair in lines.chunks(2) {
            let [request, answer] = pair else { panic!("{path}: a request without an answer") };
            // A request that is too long was not kept.
            if request.is_empty() {
                continue;
            }
            let read = Request::read(request.as_bytes()).unwrap();
            // One request has a member of a later version.
            if json(request).get("later").is_none() {
                schema.assert_accepts(&json(request), &path);
                assert_eq!(json(&read.line()), json(request), "{path}");
            }
            schema.assert_accepts(&json(answer), &path);
            assert_eq!(Request::read(with_later_member(request).as_bytes()).unwrap(), read, "{path}");
            ProtocolAnswer::read(answer.as_bytes()).unwrap();
            ProtocolAnswer::read(with_later_member(answer).as_bytes()).unwrap();
            let Ok(now) = server.answer(request.as_bytes()) else { panic!("{path}: no answer to {request}") };
            let [mut now, mut then] = [json(&now.line()), json(answer)];
            // The release of the machine is that of the program.
            for answer in [&mut now, &mut then] {
                answer.as_object_mut().unwrap().remove("release");
            }
            assert_eq!(now, then, "{path}: {request}");
        }
    }
}

/// A list applies as it did: signatures are the same, and all members are known.
#[test]
fn lists_of_known_failures_apply() {
    for folder in versions() {
        let cache = TempDir::new().unwrap();
        let mut run = command(&["run", "suite", "--known", "known.toml", "--today", "2030-01-01"]);
        let Ran { exit, stdout, .. } =
            ran(run.current_dir(&folder).env("VMCONF_CACHE", cache.path()).output().unwrap());
        assert!(stdout.contains("0 passed, 0 failed, 1 known, 1 fixed, 0 errors, 0 skipped"), "{stdout}");
        assert_eq!(exit, 1);
    }
}
