//! Parts of a run: they cover every case once, and merging them gives the whole run.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::support::validator::Validator;
use crate::support::{Ran, at_root, command, golden, ran, relative, shown, timeless, vmconf};
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use vmconf::report::{self, REPORTS, ReportKind};
use vmconf::run::merge::{self, MergeError, MergedRun};

const WRONG: &str = "tests/samples/vmtests/wrong";

/// The variables of all schedulers.
const VARIABLES: &[&str] = &[
    "TEST_SHARD_INDEX",
    "TEST_TOTAL_SHARDS",
    "TEST_SHARD_STATUS_FILE",
    "SLURM_ARRAY_TASK_ID",
    "SLURM_ARRAY_TASK_COUNT",
    "SLURM_ARRAY_TASK_MIN",
    "SLURM_ARRAY_TASK_STEP",
    "JOB_COMPLETION_INDEX",
    "JOB_COMPLETIONS",
    "CI_NODE_INDEX",
    "CI_NODE_TOTAL",
    "CIRCLE_NODE_INDEX",
    "CIRCLE_NODE_TOTAL",
    "BUILDKITE_PARALLEL_JOB",
    "BUILDKITE_PARALLEL_JOB_COUNT",
];

/// The JSON reports of all parts, as files.
fn parts(folder: &Path, kind: &str, of: u64, args: &[&str]) -> Vec<PathBuf> {
    let part = |part: u64| {
        let path = folder.join(format!("{kind}-{part}-{of}.jsonl"));
        let partition = format!("{kind}:{part}/{of}");
        let json = format!("json={}", path.display());
        // With an HTML report, which explains failures, the JSON report has the explanations too.
        let page = format!("html={}", path.with_extension("html").display());
        let reports = ["--report", &json, "--report", &page];
        vmconf(&[&["run", "--quiet", "--partition", &partition], &reports[..], args].concat());
        path
    };
    (1..=of).map(part).collect()
}

fn merge(files: &[PathBuf], args: &[&str]) -> Ran {
    let files: Vec<_> = files.iter().map(|file| file.to_str().unwrap()).collect();
    vmconf(&[&["merge"], &files[..], args].concat())
}

fn lines_of(file: &Path, what: &str) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().filter(|line| line.contains(what)).map(str::to_owned).collect()
}

/// The time in the summary of a JSON report, as it is written.
fn seconds(report: &str) -> &str {
    let (_, after) = report.rsplit_once("\"seconds\":").unwrap();
    &after[..after.find([',', '}']).unwrap()]
}

/// Makes every report with a command, each in its file of the folder, and the text on standard output.
fn all_reports(folder: &Path, args: &[&str]) -> Ran {
    let reports = REPORTS.iter().map(|kind| format!("{}={}", kind.name, folder.join(kind.name).display()));
    let reports: Vec<String> = reports.flat_map(|report| ["--report".to_owned(), report]).collect();
    vmconf(&[args, &reports.iter().map(String::as_str).collect::<Vec<_>>()].concat())
}

/// That the parts, joined, are the one run, to the last byte of every report. Only the time differs by
/// nature: what is joined has that of the slowest part. So each part is given that of the one run.
fn check(args: &[&str], of: impl Iterator<Item = u64>) {
    let folder = TempDir::new().unwrap();
    let one = TempDir::new().unwrap();
    let (grouping, run): (Vec<_>, Vec<_>) = args.iter().partition(|arg| **arg == "--no-group");
    // Merged reports are grouped by symptom.
    let grouped: &[&str] = if grouping.is_empty() { &["--group", "symptom"] } else { &[] };
    let ran = all_reports(one.path(), &[&["run"], args, grouped].concat());
    let read = |folder: &Path, name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let json = read(one.path(), "json");
    let time = format!("\"seconds\":{}", seconds(&json));
    for of in of {
        for kind in ["hash", "slice"] {
            // Backwards: their order says nothing.
            let files: Vec<_> = parts(folder.path(), kind, of, &run).into_iter().rev().collect();
            for file in &files {
                let text = fs::read_to_string(file).unwrap();
                let own = format!("\"seconds\":{}", seconds(&text));
                fs::write(file, text.replace(&own, &time)).unwrap();
            }
            let files: Vec<_> = files.iter().map(|file| file.to_str().unwrap()).collect();
            let joined = TempDir::new().unwrap();
            let sources = args.iter().find(|arg| Path::new(arg).is_absolute()).unwrap_or(&".");
            let args = [&["merge"], &files[..], &grouping, &["--sources", sources]].concat();
            let merged = all_reports(joined.path(), &args);
            assert_eq!(
                (&merged.stdout, merged.exit),
                (&ran.stdout, ran.exit),
                "{kind} {of}: {}",
                merged.stderr
            );
            for ReportKind { name, .. } in REPORTS {
                assert!(
                    timeless(&read(one.path(), name)) == timeless(&read(joined.path(), name)),
                    "{args:?} as {name}, {kind} {of}"
                );
            }
        }
    }
}

#[test]
fn merged_partitions_are_the_whole_run() {
    // Which part a case is in depends on its id alone: several numbers of parts on a few files, and one on many.
    check(&["vectors/evm/arithmetic", "vectors/neo3/types"], [1, 2, 5, 16].into_iter());
    check(&["vectors/neo2/tables"], [3].into_iter());
}

#[test]
fn merged_partitions_of_failing_cases_are_the_whole_run() {
    let samples = ["tests/samples", "vectors/evm/arithmetic", "--strict", "--max-steps", "100000"];
    check(&samples, [3].into_iter());
    let known = ["tests/samples/vmtests/wrong", "--known", "tests/samples/known.toml"];
    check(&known, [3].into_iter());
    check(
        &["vectors/evm/arithmetic", "vectors/evm/storage", "-E", "op(SSTORE) or name(~wrap)"],
        [3].into_iter(),
    );
    check(
        &["tests/samples/vmtests/wrong", "--filter", "it's", "--filter", "a", "--no-group"],
        [2].into_iter(),
    );
}

/// The order of the fields that are not compared is not that in which the parts report them.
#[test]
fn merged_partitions_list_fields_that_are_not_compared_as_the_whole_run() {
    let folder = TempDir::new().unwrap();
    let neo3 = r#"{"category": "c", "name": "n", "tests": [{"name": "t", "script": ["PUSH6"], "steps": [{
        "actions": ["Execute"], "result": {"state": "HALT", "resultStack": [{"type": "Integer", "value": 6}]}}]}]}"#;
    fs::write(folder.path().join("a.json"), neo3).unwrap();
    fs::copy(at_root("tests/samples/vmtests/wrong/gas.json"), folder.path().join("b.json")).unwrap();
    let ignored = ["gas", "logs", "resultStack", "state"].map(|field| ["--ignore", field]).concat();
    check(&[&[folder.path().to_str().unwrap()], &ignored[..]].concat(), [2].into_iter());
}

/// An entry of the list of known failures that matches a case of one part matches no case of the others, and one that
/// matches no case of any part is wrong. The list is below the folder of the sources, so that its lines are shown.
#[test]
fn entries_that_match_no_case_of_any_part_are_reported() {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let list = folder.path().join("known.toml");
    let entry = |id: &str| format!("[[known]]\nid = \"{WRONG}/{id}\"\nreason = \"not yet\"\n");
    let entries = ["gas.json::*", "gone.json::*", "balance.json::*", "nonce.json::no such case"];
    fs::write(&list, entries.map(entry).concat()).unwrap();
    let list = relative(&list);
    let args = [WRONG, "--known", &list];
    check(&args, [1, 2, 5].into_iter());
    let merged = merge(&parts(folder.path(), "slice", 3, &args), &[]);
    let what = format!("{list}:5:6: no case matches {WRONG}/gone.json::*, nor 1 other entry");
    assert!(merged.exit == 3 && merged.stdout.contains(&what), "{merged:?}");
}

/// A part may be empty because the others have all cases.
#[test]
fn an_empty_part_is_not_a_failure() {
    check(&["vectors/evm/arithmetic/add.json::small"], [2, 3].into_iter());
    let part = |number: &str, more: &[&str]| {
        let args =
            ["run", "vectors/evm/arithmetic/add.json::small", "--report", "json", "--partition", number];
        vmconf(&[&args[..], more].concat())
    };
    let empty = part("slice:2/2", &[]);
    assert_eq!((empty.exit, &*empty.stderr), (0, "note: other parts have all cases\n"));
    assert!(empty.stdout.contains("\"exit\":0"), "{}", empty.stdout);
    assert_eq!(part("slice:1/2", &[]).exit, 0);
    // No part has a case.
    for number in ["slice:1/2", "slice:2/2"] {
        assert_eq!(part(number, &["--filter", "nothing"]).exit, 4, "{number}");
    }
}

/// There are more of them than are explained: those of the one run are, whichever part they are in.
#[test]
fn merged_partitions_have_the_explanations_of_the_whole_run() {
    // Not beside the project: what a report names above the folder of its sources is not read.
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let vectors = shown(folder.path());
    let gas = fs::read_to_string(at_root("tests/samples/vmtests/wrong/gas.json")).unwrap();
    for number in 0..230 {
        fs::write(folder.path().join(format!("{number}.json")), &gas).unwrap();
    }
    check(&[&vectors], [2].into_iter());
    let page = vmconf(&["run", &vectors, "--report", "html"]).stdout;
    assert_eq!(page.matches("and the stack before each").count(), 200);
}

#[test]
fn partitions_have_every_case_once() {
    let folder = TempDir::new().unwrap();
    for kind in ["hash", "slice"] {
        let files = parts(folder.path(), kind, 4, &["vectors/neo3"]);
        let counts: Vec<_> = files.iter().map(|file| lines_of(file, "\"type\":\"case\"").len()).collect();
        let listed = vmconf(&["list", "vectors/neo3"]).stdout.lines().count();
        assert_eq!(counts.iter().sum::<usize>(), listed, "{kind}");
        let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        assert!(most - least <= if kind == "slice" { 1 } else { listed / 10 }, "{kind} {counts:?}");
    }
    let validator = Validator::named("report");
    let file =
        parts(folder.path(), "hash", 2, &["tests/samples/vmtests", "--strict", "--max-steps", "100000"])
            .remove(0);
    for line in fs::read_to_string(file).unwrap().lines() {
        validator.assert_accepts(&serde_json::from_str(line).unwrap(), "part 1 of 2");
    }
}

/// Which part a case is in does not hang on the others, nor on the version of vmconf.
#[test]
fn the_partition_of_a_case_never_changes() {
    let folder = TempDir::new().unwrap();
    let files = parts(folder.path(), "hash", 3, &["vectors/evm/arithmetic/add.json"]);
    let names = |file: &PathBuf| {
        let lines = lines_of(file, "\"type\":\"case\"");
        let json = lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        json.map(|json| json["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    golden::file("partition-hashes", &files.iter().map(names).collect::<Vec<_>>().join("\n"));
}

#[test]
fn reports_that_cannot_be_merged_are_refused() {
    let folder = TempDir::new().unwrap();
    let [first, second] = &parts(folder.path(), "hash", 2, &["vectors/evm/arithmetic"])[..] else { panic!() };
    let [other, _] = &parts(folder.path(), "slice", 2, &["vectors/evm/flow"])[..] else { panic!() };
    let three = folder.path().join("three");
    fs::create_dir(&three).unwrap();
    let [first_of_three, ..] = &parts(&three, "hash", 3, &["vectors/evm/arithmetic"])[..] else { panic!() };
    let strict = folder.path().join("strict");
    fs::create_dir(&strict).unwrap();
    let strict = parts(&strict, "hash", 2, &["vectors/evm/arithmetic", "--strict"]).remove(1);
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let text = fs::read_to_string(second).unwrap();
    let cut = write("cut.jsonl", &text[..text.len() / 2]);
    let whole_lines: String = text.split_inclusive('\n').take(3).collect();
    let short = write("short.jsonl", &whole_lines);
    let empty = write("empty.jsonl", "");
    let whole = write("whole.jsonl", &vmconf(&["run", "vectors/evm/flow", "--report", "json"]).stdout);
    let odd = write("odd.jsonl", &text.replace("\"verdict\":\"pass\"", "\"verdict\":\"maybe\""));
    let lists = "{\"list\":[".repeat(100_000) + &"]}".repeat(100_000);
    let failed = format!(
        r#""verdict":"fail","differences":[{{"path":"out","actual":null,"expected":{lists}}}],"ended":"""#
    );
    let deep = write("deep.jsonl", &text.replacen("\"verdict\":\"pass\"", &failed, 1));
    let ended = write("ended.jsonl", &text.replace("\"exit\":0", "\"exit\":130"));
    let fewer: String =
        text.split_inclusive('\n').enumerate().filter(|it| it.0 != 3).map(|it| it.1).collect();
    let fewer = write("fewer.jsonl", &fewer);
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let repeated = write("repeated.jsonl", &[&lines[..2], &lines[1..2], &lines[3..]].concat().concat());
    let longer = write("longer.jsonl", &format!("{text}{}\n", text.lines().nth(1).unwrap()));
    let typed = write("typed.jsonl", &text.replace("\"flags\":[]", "\"flags\":{}"));
    let check = |files: &[&PathBuf], what: &str| {
        let files: Vec<PathBuf> = files.iter().map(|file| (*file).clone()).collect();
        let ran = merge(&files, &[]);
        assert!(ran.exit == 2 && ran.stdout.is_empty() && ran.stderr.contains(what), "{what}: {ran:?}");
    };
    check(&[first], "of 2 parts, these are missing: 2");
    check(&[first, second, second], "is part 2 of 2, and so is");
    let text = fs::read_to_string(second).unwrap();
    let report = format!("json={}", second.display());
    let ran = merge(&[first.clone(), second.clone()], &["--report", &report]);
    assert!(ran.exit == 2 && ran.stderr.contains("this file is an input"), "{ran:?}");
    assert_eq!(fs::read_to_string(second).unwrap(), text);
    check(&[first, other], "is part of another run than");
    check(&[first, &strict], "its flags are --strict, not none");
    let vm = |release: &str| {
        let about = format!(r#"{{"name":"mine","implementation":"m","release":"{release}"}}"#);
        let on_vm = |part: &PathBuf| {
            fs::read_to_string(part).unwrap().replacen(
                "\"system\":",
                &format!("\"vm\":{about},\"system\":"),
                1,
            )
        };
        (on_vm(first), on_vm(second))
    };
    let [of_one, of_two] =
        [("of-1.jsonl", vm("1").0), ("of-2.jsonl", vm("2").1)].map(|(name, text)| write(name, &text));
    check(&[&of_one, &of_two], "it ran on mine (m 2), not on mine (m 1)");
    check(&[first, &of_two], "it ran on mine (m 2), not on embedded machines");
    check(&[first, first_of_three], "it is of 3 parts, not of 2");
    let [_, sliced] = &parts(&three, "slice", 2, &["vectors/evm/arithmetic"])[..] else { panic!() };
    check(&[first, sliced], "its cases were assigned to parts in another way (hash, slice)");
    // The file has the same cases, and other content.
    let vectors = folder.path().join("v.json");
    let add = fs::read_to_string(at_root("vectors/evm/arithmetic/add.json")).unwrap();
    fs::write(&vectors, &add).unwrap();
    let old = parts(folder.path(), "slice", 2, &[vectors.to_str().unwrap()]).remove(0);
    let old = write("old.jsonl", &fs::read_to_string(old).unwrap());
    fs::write(&vectors, format!("{add}\n")).unwrap();
    let [_, new] = &parts(folder.path(), "slice", 2, &[vectors.to_str().unwrap()])[..] else { panic!() };
    check(&[&old, new], "v.json has changed in between");
    check(&[first, &cut], "cut.jsonl: line ");
    check(&[first, &short], "ends before the run does");
    check(&[first, &empty], "is empty");
    check(&[first, &whole], "is not a report of a part of a run");
    check(&[first, &odd], "odd.jsonl: line 2, column ");
    check(&[first, &odd], "\"maybe\" is not a verdict");
    check(&[first, &deep], "deep.jsonl: line 2, column ");
    check(&[first, &deep], "recursion limit exceeded");
    check(&[first, &ended], "ended.jsonl: is of a run that was interrupted");
    check(&[first, &fewer], "fewer.jsonl: has other cases than its summary counts");
    check(&[first, &repeated], "repeated.jsonl: vectors/evm/arithmetic/");
    check(&[first, &repeated], " is reported twice");
    check(&[first, &longer], "comes after the summary");
    check(&[first, &typed], "typed.jsonl: line 1, column ");
    check(&[&folder.path().join("none.jsonl")], "none.jsonl: No such file");
}

/// What `vmconf.toml` sets is part of a run as well as typed flags are.
#[test]
fn parts_with_other_settings_are_of_another_run() {
    let folder = TempDir::new().unwrap();
    fs::copy(at_root("vectors/evm/arithmetic/add.json"), folder.path().join("add.json")).unwrap();
    let vmconf = |args: &[&str]| ran(command(args).current_dir(folder.path()).output().unwrap());
    let settings = "[profile.default]\nignore = [\"gas\"]\n";
    let of_some = "[[override]]\npath = \"*.json\"\nstrict = true\n";
    for (first, second, exit) in [
        (settings, settings, 0),
        (settings, "", 2),
        (of_some, "", 2),
        ("", settings, 2),
        (of_some, of_some, 0),
    ] {
        for (part, settings) in [("1", first), ("2", second)] {
            fs::write(folder.path().join("vmconf.toml"), settings).unwrap();
            let (partition, report) = (format!("slice:{part}/2"), format!("json={part}.jsonl"));
            assert_eq!(
                vmconf(&["run", "-q", "add.json", "--partition", &partition, "--report", &report]).exit,
                0
            );
        }
        let merged = vmconf(&["merge", "1.jsonl", "2.jsonl"]);
        assert_eq!(merged.exit, exit, "{first:?}, {second:?}: {merged:?}");
    }
}

/// Another version may judge cases otherwise.
#[test]
fn parts_of_another_version_are_of_another_run() {
    let folder = TempDir::new().unwrap();
    let files = parts(folder.path(), "slice", 2, &["vectors/evm/arithmetic/add.json"]);
    let text = fs::read_to_string(&files[0]).unwrap();
    let other =
        text.replacen(concat!("\"vmconf\":\"", env!("CARGO_PKG_VERSION"), "\""), "\"vmconf\":\"0.0.7\"", 1);
    fs::write(&files[0], other).unwrap();
    let merged = merge(&files, &[]);
    let why = concat!(": it was written by vmconf ", env!("CARGO_PKG_VERSION"), ", not 0.0.7\n");
    assert!(merged.exit == 2 && merged.stderr.ends_with(why), "{merged:?}");
}

/// A list of known failures decides verdicts as well: its text is part of a run.
#[test]
fn parts_with_another_list_of_known_failures_are_of_another_run() {
    let folder = TempDir::new().unwrap();
    fs::copy(at_root("tests/samples/vmtests/wrong/gas.json"), folder.path().join("gas.json")).unwrap();
    let vmconf = |args: &[&str]| ran(command(args).current_dir(folder.path()).output().unwrap());
    let list = "[[known]]\nid = \"gas.json::*\"\nreason = \"later\"\n";
    for (second, exit) in [(list, 0), ("", 2)] {
        for (part, list) in [("1", list), ("2", second)] {
            fs::write(folder.path().join("k.toml"), list).unwrap();
            let (partition, report) = (format!("slice:{part}/2"), format!("json={part}.jsonl"));
            vmconf(&["run", "gas.json", "--known", "k.toml", "--partition", &partition, "--report", &report]);
        }
        let merged = vmconf(&["merge", "1.jsonl", "2.jsonl"]);
        assert_eq!(merged.exit, exit, "{second:?}: {merged:?}");
    }
}

/// Each datum of a JSON report is replaced by others in turn: it is refused, or every report can be made of it.
#[test]
fn hostile_reports_are_refused() {
    let folder = TempDir::new().unwrap();
    let samples = [
        "tests/samples/vmtests/wrong/gas.json",
        "tests/samples/neovm-n3/wrong/deep-element.json",
        "tests/samples/vmtests/malformed/account-is-null.json",
        "tests/samples/vmtests/notes/unknown-members.json",
    ];
    let file = parts(folder.path(), "hash", 1, &samples).remove(0);
    let text = fs::read_to_string(file).unwrap();
    let lines: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let nested = (0..100).fold(json!(null), |inner, _| json!({ "list": [inner] }));
    let others = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(1_u64 << 30),
        json!(u64::MAX),
        json!(""),
        json!("\u{0}\u{1b}]\u{202e}[99999999999999999999]/::#99999999999"),
        json!("9".repeat(10_000)),
        json!("/dev/zero"),
        json!([]),
        json!({}),
        nested,
        json!({ "type": "int", "value": { "int": "x" } }),
        json!({ "length": u64::MAX }),
    ];
    let (mut refused, mut told) = (0, 0);
    for number in 0..lines.len() {
        for pointer in pointers(&lines[number]) {
            for other in &others {
                let mut lines = lines.clone();
                *lines[number].pointer_mut(&pointer).unwrap() = other.clone();
                match &mut tell(&lines) {
                    Ok(()) => told += 1,
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(refused > 1000 && told > 100, "{refused} {told}");
}

/// Where each datum stands.
fn pointers(json: &Json) -> Vec<String> {
    let members: Vec<(String, &Json)> = match json {
        Json::Object(members) => members.iter().map(|(name, it)| (name.replace('/', "~1"), it)).collect(),
        Json::Array(items) => items.iter().enumerate().map(|(at, it)| (at.to_string(), it)).collect(),
        _ => Vec::new(),
    };
    let below =
        |(name, it): (String, &Json)| pointers(it).into_iter().map(move |below| format!("/{name}{below}"));
    [String::new()].into_iter().chain(members.into_iter().flat_map(below)).collect()
}

/// Joins a report of one part and makes every report of it.
fn tell(lines: &[Json]) -> Result<(), MergeError> {
    let text: String = lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect();
    let source = merge::PartSource { name: "report", text: &text };
    let mut line_of = |_: &str| Some("a line\nanother".to_owned());
    let MergedRun { events, selection, flags, .. } = merge::merge(&[source], &mut line_of)?;
    let options = report::ReportOptions { selection, flags, ..report::ReportOptions::default() };
    for ReportKind { new, .. } in REPORTS {
        let mut report = (new.make)(Box::new(io::sink()), &options);
        for event in &events {
            report.event(event).unwrap();
        }
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_report_cannot_make_merge_wait() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe.json");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let file = parts(folder.path(), "hash", 1, &["tests/samples/vmtests/wrong/gas.json"]).remove(0);
    let text = fs::read_to_string(&file).unwrap();
    for other in [pipe.to_str().unwrap(), "/", "/dev/zero"] {
        fs::write(&file, text.replace("tests/samples/vmtests/wrong/gas.json", other)).unwrap();
        let merged = merge(std::slice::from_ref(&file), &[]);
        assert!(merged.exit == 1 && merged.stdout.contains(&format!("{other}:")), "{merged:?}");
    }
}

/// What stands in a command is one word of it, whatever a report says.
#[test]
fn text_of_a_report_is_escaped() {
    let folder = TempDir::new().unwrap();
    let file = parts(folder.path(), "hash", 1, &["tests/samples/vmtests/wrong/gas.json"]).remove(0);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"flags\":[]", r#""flags":["; rm x","\u001b[2J"]"#)).unwrap();
    let merged = merge(&[file], &[]).stdout;
    assert!(merged.contains(r"gas.json::gas' '; rm x' '\u{1b}[2J'"), "{merged}");
}

/// However the file is written.
#[cfg(unix)]
#[test]
fn two_reports_do_not_share_a_file() {
    let folder = TempDir::new().unwrap();
    let [file, link] = ["report", "link"].map(|name| folder.path().join(name));
    std::os::unix::fs::symlink("report", &link).unwrap();
    let around = folder.path().join("../").join(folder.path().file_name().unwrap()).join("report");
    for other in [&file, &link, &around] {
        let reports =
            [format!("--report=json={}", file.display()), format!("--report=junit={}", other.display())];
        let ran = vmconf(&["run", "vectors/evm/arithmetic/add.json", &reports[0], &reports[1]]);
        assert!(ran.exit == 2 && ran.stderr.contains("cannot both go to the file"), "{ran:?}");
        assert!(!file.exists());
    }
    let reports = ["--report=json=/dev/null", "--report=junit=/dev/null"];
    assert_eq!(vmconf(&[&["run", "vectors/evm/arithmetic/add.json"], &reports[..]].concat()).exit, 0);
}

#[test]
fn two_reports_do_not_share_standard_output() {
    let folder = TempDir::new().unwrap();
    let file = parts(folder.path(), "hash", 1, &["tests/samples/vmtests/wrong/gas.json"]).remove(0);
    for command in [["run", "tests/samples/vmtests/wrong/gas.json"], ["merge", file.to_str().unwrap()]] {
        let with = |reports: [&str; 2]| {
            vmconf(&[&command[..], &["--report", reports[0], "--report", reports[1]]].concat())
        };
        for reports in [["json", "text"], ["text", "json"], ["github", "json"], ["text", "text"]] {
            let Ran { exit, stdout, stderr } = with(reports);
            assert_eq!((exit, &*stdout), (2, ""), "{command:?} {reports:?}");
            assert!(stderr.contains("cannot both go to standard output"), "{stderr}");
        }
        // Annotations are for what reads the text of a job.
        assert_eq!(with(["text", "github"]).exit, 1);
    }
}

#[test]
fn partitions_of_each_scheduler_are_recognised() {
    fn with(partition: &str, variables: &[(&str, &str)]) -> Ran {
        let mut command = command(&[
            "run",
            "vectors/evm/arithmetic/add.json",
            "--partition",
            partition,
            "--report",
            "json",
        ]);
        for name in VARIABLES {
            command.env_remove(name);
        }
        ran(command.envs(variables.iter().copied()).output().unwrap())
    }
    fn check(partition: &str, variables: &[(&str, &str)], part: &str) {
        let ran = with(partition, variables);
        assert!(ran.stdout.contains(part), "{variables:?}: {ran:?}");
    }
    let second = "\"part\":2,\"of\":8";
    check("auto", &[("TEST_SHARD_INDEX", "1"), ("TEST_TOTAL_SHARDS", "8")], second);
    let slurm = |id, min, step| {
        [
            ("SLURM_ARRAY_TASK_ID", id),
            ("SLURM_ARRAY_TASK_MIN", min),
            ("SLURM_ARRAY_TASK_STEP", step),
            ("SLURM_ARRAY_TASK_COUNT", "8"),
        ]
    };
    check("auto", &slurm("2", "1", "1"), second);
    check("auto", &slurm("1", "0", "1"), second);
    check("auto", &slurm("13", "10", "3"), second);
    check("auto/8", &[("JOB_COMPLETION_INDEX", "1")], second);
    check("auto", &[("JOB_COMPLETION_INDEX", "1"), ("JOB_COMPLETIONS", "8")], second);
    check("auto", &[("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "8")], second);
    check("auto", &[("CIRCLE_NODE_INDEX", "1"), ("CIRCLE_NODE_TOTAL", "8")], second);
    check("auto", &[("BUILDKITE_PARALLEL_JOB", "1"), ("BUILDKITE_PARALLEL_JOB_COUNT", "8")], second);

    let folder = TempDir::new().unwrap();
    let status = folder.path().join("status");
    let status_file = ("TEST_SHARD_STATUS_FILE", status.to_str().unwrap());
    check("auto", &[("TEST_SHARD_INDEX", "0"), ("TEST_TOTAL_SHARDS", "1"), status_file], "\"of\":1");
    assert!(status.exists());

    for (partition, variables) in [
        ("auto", &[][..]),
        ("auto", &[("JOB_COMPLETION_INDEX", "1")]),
        ("auto", &[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "8")]),
        ("auto", &[("CI_NODE_INDEX", "9"), ("CI_NODE_TOTAL", "8")]),
        ("auto", &[("CI_NODE_INDEX", "x"), ("CI_NODE_TOTAL", "8")]),
        ("auto", &slurm("12", "10", "3")),
        ("auto", &slurm("12", "10", "0")),
        ("auto", &[("CIRCLE_NODE_INDEX", "18446744073709551615"), ("CIRCLE_NODE_TOTAL", "8")]),
        ("auto/0", &[]),
        ("hash:0/8", &[]),
        ("hash:9/8", &[]),
        ("hash:1/0", &[]),
        ("rash:1/2", &[]),
    ] {
        let ran = with(partition, variables);
        assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{partition} {variables:?}: {ran:?}");
    }
}
