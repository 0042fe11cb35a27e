//! `vmconf.toml`: what applies, in which order, and what is reported about a wrong one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{Ran, at_root, command, files, golden, ran};
use tempfile::TempDir;

const ADD: &str = "vectors/evm/arithmetic/add.json";

/// A folder with this configuration, and a vector in it and in `old/below/`.
fn folder(config: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("old/below")).unwrap();
    for path in ["add.json", "old/add.json", "old/below/add.json"] {
        fs::copy(at_root(ADD), folder.path().join(path)).unwrap();
    }
    fs::write(folder.path().join("vmconf.toml"), config).unwrap();
    folder
}

fn sample() -> TempDir {
    folder(&fs::read_to_string(at_root("tests/samples/config/vmconf.toml")).unwrap())
}

fn vmconf(folder: &Path, profile: Option<&str>, args: &[&str]) -> Ran {
    let mut command = command(args);
    command.current_dir(folder).envs(profile.map(|profile| ("VMCONF_PROFILE", profile)));
    ran(command.output().unwrap())
}

/// What is set, without what is as it is by default.
fn set(folder: &Path, profile: Option<&str>, args: &str) -> String {
    let args: Vec<_> = args.split(' ').collect();
    let Ran { exit, stdout, stderr } = vmconf(folder, profile, &args);
    assert_eq!((exit, &*stderr), (0, ""), "{args:?}");
    stdout.split_inclusive('\n').filter(|line| !line.ends_with("# default\n")).collect()
}

/// `paths` replaces the default path, from any folder below, and is replaced by typed paths.
#[test]
fn paths_of_the_configuration_replace_the_default() {
    let folder = folder("[profile.default]\npaths = [\"old/add.json\"]\n");
    let below = folder.path().join("old/below");
    let files = |folder: &Path, args: &[&str]| {
        let listed = vmconf(folder, None, args).stdout;
        let files: BTreeSet<_> = listed.lines().map(|id| id.split("::").next().unwrap().to_owned()).collect();
        files.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(files(folder.path(), &["list"]), ["old/add.json"]);
    assert_eq!(files(folder.path(), &["list", "add.json"]), ["add.json"]);
    assert_eq!(files(&below, &["list"]).len(), 1);
    // So it does for the other commands that read vectors.
    let coverage = vmconf(folder.path(), None, &["coverage", "-o", "json"]);
    assert_eq!((coverage.exit, coverage.stderr.as_str()), (0, ""));
    assert_eq!(
        coverage.stdout,
        vmconf(folder.path(), None, &["coverage", "-o", "json", "old/add.json"]).stdout
    );
    assert_eq!(vmconf(folder.path(), None, &["list", "--no-config"]).exit, 2);
}

#[test]
fn flags_take_precedence_over_the_environment_and_the_file() {
    let folder = sample();
    let root = folder.path();
    let below = root.join("old/below");
    let check = |folder: &Path, profile: Option<&str>, args: &str| {
        let variable = profile.map_or(String::new(), |profile| format!("VMCONF_PROFILE={profile} "));
        format!("$ {variable}vmconf {args}\n{}\n", set(folder, profile, args))
    };
    let told = [
        check(root, None, "config"),
        check(root, None, "config --profile ci"),
        check(root, Some("ci"), "config"),
        check(root, Some("ci"), "config --profile default"),
        check(root, Some("ci"), "config --no-config"),
        check(root, None, "config --profile ci --strict --max-steps 7 -f mul"),
        check(root, None, "config old/add.json"),
        check(root, None, "config old/below/add.json"),
        check(root, None, "config --max-steps 7 old/add.json"),
        check(root, None, "config add.json"),
        check(&below, None, "config"),
    ];
    golden::file("config-precedence", &told.concat());
}

/// A flag that excludes a setting takes precedence over it, whichever of them declares that, and so does a profile over
/// the default one. Two settings of one table that exclude each other are an error.
#[test]
fn flags_and_profiles_replace_settings_that_they_exclude() {
    let check = |config: &str, args: &str, expected: &[&str]| {
        let folder = folder(config);
        let told = set(folder.path(), None, args);
        let names: Vec<_> = told.lines().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
        assert_eq!(names, expected, "{config:?} {args}: {told}");
    };
    check("[profile.default]\nfail-fast = true\n", "config --max-fail 2", &["max-fail"]);
    check("[profile.default]\nmax-fail = 2\n", "config --fail-fast", &["fail-fast"]);
    check(
        "[profile.default]\nfail-fast = true\n[profile.ci]\nmax-fail = 2\n",
        "config --profile ci",
        &["max-fail"],
    );
    check(
        "[profile.default]\nmax-fail = 2\n[profile.ci]\nfail-fast = true\n",
        "config --profile ci",
        &["fail-fast"],
    );
    let both = folder("[profile.default]\nmax-fail = 2\nfail-fast = true\n");
    let wrong = vmconf(both.path(), None, &["list"]);
    let expected = "error: vmconf.toml:3:1: fail-fast cannot be set beside max-fail\n";
    assert_eq!((wrong.exit, &*wrong.stderr), (2, expected));
}

/// What is printed is what happens: 4 instructions are more than 3, and not more than 16.
#[test]
fn settings_have_the_effect_that_config_prints() {
    let folder = sample();
    let check = |args: &str, exit: i32, says: &str| {
        let args: Vec<_> = args.split(' ').collect();
        let ran = vmconf(folder.path(), None, &args);
        assert_eq!(ran.exit, exit, "{args:?}: {ran:?}");
        assert!(ran.stdout.contains(says), "{args:?}: {ran:?}");
    };
    check("run add.json", 0, "5 passed");
    check("run old/add.json", 3, "--max-steps 3");
    check("run ./old/../old/add.json", 3, "--max-steps 3");
    check("run --jobs 4 .", 3, "--max-steps 3");
    check("run --max-steps 100 old/add.json", 0, "5 passed");
    check("run --no-config old/add.json", 0, "5 passed");
    check("run --profile ci old", 3, "skipped");
    check("diff old/add.json::small", 3, "--max-steps 3");
    check("trace old/add.json::small", 3, "--max-steps 3");
    check("trace add.json::small", 0, "steps:");
    // A whole suite is filtered, and what is named alone is not.
    check("list --filter small add.json", 0, "small");
    check("list --formats add.json", 0, "vmtests");
    check("check --rules", 0, "unreadable");
    // What explains a case needs no flag for what the configuration sets.
    check("run old/add.json::small", 3, "vmconf diff 'old/add.json::small'\n");
    check("run --profile ci old/add.json::small", 3, "vmconf diff 'old/add.json::small' --profile ci\n");
}

#[test]
fn the_filter_is_for_whole_suites() {
    let folder = folder("[profile.default]\nfilter = \"wraps\"\n");
    let lines = |args: &[&str]| vmconf(folder.path(), None, args).stdout.lines().count();
    assert_eq!(lines(&["list", "add.json"]), 2);
    assert_eq!(lines(&["list", "--no-config", "add.json"]), 5);
    assert_eq!(vmconf(folder.path(), None, &["trace", "add.json::small"]).exit, 0);
}

/// How a file is read is not which part its cases are in: each runs once.
#[test]
fn overrides_leave_each_case_in_exactly_one_part() {
    let folder = sample();
    let run = |part: &str| {
        let file = part.replace([':', '/'], "-") + ".jsonl";
        let report = format!("--report=json={file}");
        let ran = vmconf(folder.path(), None, &["run", "-q", "--partition", part, &report, "."]);
        assert_eq!(ran.stderr, "", "{part}");
        file
    };
    let parts = [run("slice:1/3"), run("slice:2/3"), run("slice:3/3")];
    let merged = vmconf(folder.path(), None, &["merge", "-q", &parts[0], &parts[1], &parts[2]]);
    let whole = vmconf(folder.path(), None, &["run", "-q", "."]);
    assert_eq!((merged.exit, merged.stdout, merged.stderr), (whole.exit, whole.stdout, String::new()));
    assert_eq!(whole.exit, 3);
}

/// A renamed folder leaves an override without files; a run of some files says nothing about those of others.
#[test]
fn overrides_that_apply_to_no_file_are_reported() {
    let folder = folder(
        "[profile.default]\npaths = [\"add.json\", \"old\"]\n[[override]]\npath = \"old\"\nstrict = true\n\
         [[override]]\npath = \"gone\"\nstrict = true\n[[override]]\n  path = \"old/*.json\"\nstrict = true\n",
    );
    let notes = |args: &[&str]| {
        let stderr = vmconf(folder.path(), None, args).stderr;
        stderr.lines().filter(|line| line.contains("override")).map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = [
        "note: vmconf.toml:7:8: no vector file matches the path \"gone\" of this override",
        "note: vmconf.toml:10:10: an override before it applies to each file of the path \"old/*.json\" of this override",
    ];
    assert_eq!(notes(&["run", "-q"]), expected);
    assert_eq!(notes(&["check"]), expected);
    assert_eq!(notes(&["run", "-q", "add.json"]), [""; 0]);
}

/// Its path is from the folder of the configuration, and it is for the files of the override alone.
#[test]
fn the_list_of_an_override_applies_to_its_files_only() {
    let folder = folder("[[override]]\npath = \"old/*\"\nknown = \"known.toml\"\n");
    let root = folder.path();
    let wrong = at_root("tests/samples/vmtests/wrong/storage-value.json");
    for path in ["old/wrong.json", "wrong.json"] {
        fs::copy(&wrong, root.join(path)).unwrap();
    }
    fs::write(root.join("known.toml"), "[[known]]\nid = \"*wrong.json::*\"\nreason = \"a sample\"\n")
        .unwrap();
    let check = |folder: &Path, args: &[&str], exit: i32, says: &str| {
        let ran = vmconf(folder, None, args);
        assert_eq!(ran.exit, exit, "{args:?}: {ran:?}");
        assert!(ran.stdout.contains(says), "{args:?}: {ran:?}");
    };
    check(root, &["run", "old"], 0, " 0 failed, 1 known");
    check(&root.join("old/below"), &["run", ".."], 0, " 0 failed, 1 known");
    check(root, &["run", "wrong.json"], 1, " 1 failed, ");
    check(root, &["run", "--no-config", "old"], 1, " 1 failed, ");
    // A folder is for all files below it, and a glob of one level for no deeper ones.
    for (path, exit) in [("old", 0), ("./old/", 0), ("old/wrong.json", 0), ("*", 1), ("ol", 1)] {
        let config = format!("[[override]]\npath = \"{path}\"\nknown = \"known.toml\"\n");
        fs::write(root.join("vmconf.toml"), config).unwrap();
        assert_eq!(vmconf(root, None, &["run", "old/wrong.json"]).exit, exit, "{path}");
    }
    // Of a list that always applies, entries may name cases elsewhere, and may not when all run.
    check(root, &["run", "old/add.json"], 0, "5 passed");
    fs::create_dir(root.join("vectors")).unwrap();
    fs::rename(root.join("add.json"), root.join("vectors/add.json")).unwrap();
    fs::rename(root.join("old"), root.join("vectors/old")).unwrap();
    fs::remove_file(root.join("vectors/old/wrong.json")).unwrap();
    fs::write(root.join("vmconf.toml"), "[profile.default]\nknown = \"known.toml\"\n").unwrap();
    check(root, &["run"], 3, "no case matches *wrong.json::*");
    // Paths of the configuration are as typed ones.
    fs::write(root.join("known.toml"), "[[known]]\nid = \"vectors/add.json::gone\"\nreason = \"a sample\"\n")
        .unwrap();
    check(root, &["run"], 3, "no case matches vectors/add.json::gone");
    // A case with another list is none of this one, although vmconf list prints it.
    let id = vmconf(root, None, &["list", "vectors/add.json"]).stdout.lines().next().unwrap().to_owned();
    fs::write(root.join("known.toml"), format!("[[known]]\nid = {id:?}\nreason = \"a sample\"\n")).unwrap();
    fs::write(root.join("other.toml"), "").unwrap();
    let config = "[profile.default]\nknown = \"known.toml\"\n[[override]]\npath = \"vectors/add.json\"\nknown = \"other.toml\"\n";
    fs::write(root.join("vmconf.toml"), config).unwrap();
    check(
        root,
        &["run"],
        3,
        "expected an id that vmconf list prints, or a glob, of files that the list is for",
    );
    let config = "[profile.default]\npaths = [\"vectors/old\"]\nknown = \"known.toml\"\n";
    fs::write(root.join("vmconf.toml"), config).unwrap();
    check(root, &["run"], 0, "10 passed");
}

#[test]
fn an_unknown_profile_is_an_error() {
    let folder = sample();
    let check = |folder: &Path, args: &[&str], says: &str| {
        let ran = vmconf(folder, None, args);
        assert_eq!((ran.exit, &*ran.stderr), (2, says), "{args:?}");
    };
    let run = ["run", "--profile", "cii"];
    check(folder.path(), &run, "error: vmconf.toml: there is no profile \"cii\": did you mean \"ci\"?\n");
    let none = TempDir::new().unwrap();
    check(none.path(), &run, "error: there is no vmconf.toml with a profile \"cii\"\n");
}

#[test]
fn errors_of_the_configuration_have_positions() {
    let mut told = String::new();
    for path in files("tests/samples/config/errors", "toml") {
        let text = fs::read_to_string(&path).unwrap();
        let folder = folder(&text);
        let Ran { exit, stdout, stderr } = vmconf(folder.path(), None, &["run", "add.json"]);
        assert_eq!((exit, &*stdout), (2, ""), "{}", path.display());
        let name = path.file_name().unwrap().to_str().unwrap();
        told.extend(["# ", name, "\n", &text, "\n", &stderr, "\n"]);
    }
    golden::file("config-errors", &told);
}

/// A list that does not exist is reported with the line that names it.
#[test]
fn a_missing_list_of_known_failures_is_found_in_the_configuration() {
    for (config, line) in [
        ("[profile.default]\nstrict = true\nknown = \"no.toml\"\n", 3),
        ("[[override]]\npath = \"*\"\nknown = \"no.toml\"\n", 3),
    ] {
        let folder = folder(config);
        let ran = vmconf(folder.path(), None, &["run"]);
        let expected = format!("error: vmconf.toml:{line}: known: no.toml: ");
        assert!(ran.exit == 2 && ran.stderr.starts_with(&expected), "{ran:?}");
    }
}

/// A path that does not exist is reported with the line that names it.
#[test]
fn a_missing_path_is_found_in_the_configuration() {
    let folder = folder("[profile.default]\n\npaths = [\"nope\"]\n");
    let ran = vmconf(folder.path(), None, &["run"]);
    let expected = "error: vmconf.toml:3: nope: no such file or folder";
    assert!(ran.exit == 2 && ran.stderr.starts_with(expected), "{ran:?}");
}

/// What the table of a machine sets precedes the profile, which is for all machines, and is preceded by what was
/// typed. A run without a machine in another process has no use for its limits.
#[test]
fn the_table_of_a_machine_precedes_the_profile() {
    let folder = folder(
        "[profile.default]\ntimeout = \"7s\"\nvm-memory = 5\nknown = \"ours.toml\"\n\n\
         [vm.mine]\ncommand = \"true\"\ntimeout = \"33s\"\nknown = \"mine.toml\"\n",
    );
    fs::write(folder.path().join("ours.toml"), "").unwrap();
    let shown = |args: &str| {
        let lines = set(folder.path(), None, args);
        let is_shown = |line: &&str| !line.starts_with("# ") && !line.starts_with("vm =");
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        lines.lines().filter(is_shown).map(words).collect::<Vec<_>>()
    };
    assert_eq!(
        shown("config --vm mine"),
        [
            "known = \"mine.toml\" # [vm.mine]",
            "timeout = \"33s\" # [vm.mine]",
            "vm-memory = 5 # vmconf.toml:3"
        ]
    );
    assert_eq!(
        shown("config --vm mine --timeout 2s")[1..],
        ["timeout = \"2s\" # --timeout", "vm-memory = 5 # vmconf.toml:3"]
    );
    assert_eq!(
        shown("config"),
        [
            "known = \"ours.toml\" # vmconf.toml:4",
            "timeout = \"7s\" # vmconf.toml:2",
            "vm-memory = 5 # vmconf.toml:3"
        ]
    );
    assert_eq!(vmconf(folder.path(), None, &["run", "add.json"]).exit, 0);
    let typed = vmconf(folder.path(), None, &["run", "add.json", "--flaky", "pass"]);
    assert_eq!((typed.exit, &*typed.stderr), (2, "error: --flaky is for the machine of --vm\n"));
}

/// What applies to a file is printed for one file that exists.
#[test]
fn settings_are_printed_for_one_file() {
    let folder = sample();
    for (args, expected) in [
        (&["config", "nope.json"][..], "error: nope.json: there is no such file"),
        (&["config", "old"], "error: old: there is no such file"),
        (
            &["config", "add.json", "old/add.json"],
            "error: vmconf config prints the settings of one file; name one",
        ),
    ] {
        let ran = vmconf(folder.path(), None, args);
        assert!(ran.exit == 2 && ran.stdout.is_empty() && ran.stderr.starts_with(expected), "{ran:?}");
    }
}
