//! Parts of a run: they cover every case once, and joined they are the one run.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Ran, at_root, command, ran, vmconf};
use tempfile::TempDir;

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
        let report = format!("json={}", path.display());
        vmconf(&[&["run", "--quiet", "--partition", &partition, "--report", &report], args].concat());
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

fn check(args: &[&str], of: impl Iterator<Item = u64>) {
    let folder = TempDir::new().unwrap();
    let json = vmconf(&[&["run", "--report", "json"], args].concat());
    let text = vmconf(&[&["run"], args].concat());
    for of in of {
        for kind in ["hash", "slice"] {
            let files = parts(folder.path(), kind, of, args);
            // Backwards: their order says nothing.
            let files: Vec<_> = files.into_iter().rev().collect();
            let merged = merge(&files, &["--report", "json"]);
            assert!(merged.stdout == json.stdout && merged.exit == json.exit, "{kind} {of}: {merged:?}");
            // The commands in the text name the flags of a run, which its JSON report does not have.
            if args.contains(&"--strict") {
                continue;
            }
            let merged = merge(&files, &[]);
            // Nor does it have the paths, which the command for the rest of a group names.
            let told = |ran: &Ran| {
                let lines = ran.stdout.lines().filter(|line| !line.contains(" more like it: "));
                lines.map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!((told(&merged), merged.exit), (told(&text), text.exit), "{kind} {of}");
        }
    }
}

#[test]
fn parts_are_the_whole() {
    check(&["vectors"], 1..=16);
}

#[test]
fn parts_of_what_fails_are_the_whole() {
    let samples = ["tests/samples", "vectors/evm/arithmetic", "--strict"];
    check(&samples, [2, 5].into_iter());
    let known = ["tests/samples/vmtests/wrong", "--known", "tests/samples/known.toml"];
    check(&known, [3].into_iter());
    check(&["vectors", "-E", "op(SSTORE) or name(~wrap)"], [3].into_iter());
}

#[test]
fn parts_have_every_case_once() {
    let folder = TempDir::new().unwrap();
    for kind in ["hash", "slice"] {
        let files = parts(folder.path(), kind, 4, &["vectors"]);
        let counts: Vec<_> = files.iter().map(|file| lines_of(file, "\"type\":\"case\"").len()).collect();
        let listed = vmconf(&["list"]).stdout.lines().count();
        assert_eq!(counts.iter().sum::<usize>(), listed, "{kind}");
        let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        assert!(most - least <= if kind == "slice" { 1 } else { listed / 10 }, "{kind} {counts:?}");
    }
    let schema: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(at_root("schemas/report.schema.json")).unwrap()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let file = parts(folder.path(), "hash", 2, &["tests/samples/vmtests", "--strict"]).remove(0);
    for line in fs::read_to_string(file).unwrap().lines() {
        assert!(validator.is_valid(&serde_json::from_str(line).unwrap()), "{line}");
    }
}

/// Which part a case is in does not hang on the others, nor on the version of vmconf.
#[test]
fn hashes_stay() {
    let folder = TempDir::new().unwrap();
    let files = parts(folder.path(), "hash", 3, &["vectors/evm/arithmetic/add.json"]);
    let names = |file: &PathBuf| {
        let lines = lines_of(file, "\"type\":\"case\"");
        let json = lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        json.map(|json| json["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    insta::assert_snapshot!(files.iter().map(names).collect::<Vec<_>>().join("\n"));
}

#[test]
fn what_cannot_be_joined() {
    let folder = TempDir::new().unwrap();
    let [first, second] = &parts(folder.path(), "hash", 2, &["vectors/evm/arithmetic"])[..] else { panic!() };
    let [other, _] = &parts(folder.path(), "slice", 2, &["vectors/evm/flow"])[..] else { panic!() };
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
    let deep = write("deep.jsonl", &"[".repeat(100_000));
    let check = |files: &[&PathBuf], what: &str| {
        let files: Vec<PathBuf> = files.iter().map(|file| (*file).clone()).collect();
        let ran = merge(&files, &[]);
        assert!(ran.exit == 2 && ran.stdout.is_empty() && ran.stderr.contains(what), "{what}: {ran:?}");
    };
    check(&[first], "of 2 parts, these are missing: 2");
    check(&[first, second, second], "is part 2 of 2, and so is");
    check(&[first, other], "is a part of another run than");
    check(&[first, &strict], "is a part of another run than");
    check(&[first, &cut], "cut.jsonl: line");
    check(&[first, &short], "ends before the run does");
    check(&[first, &empty], "is empty");
    check(&[first, &whole], "is no report of a part of a run");
    check(&[first, &odd], "is none of a report");
    check(&[first, &deep], "deep.jsonl: line 1");
}

#[test]
fn schedulers() {
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
