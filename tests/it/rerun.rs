//! `vmconf run --rerun failed`: what did not pass in the last run, run again.

use std::fs;

use crate::support::{Ran, at_root, command, ran, record_text, recorded_runs};
use serde_json::Value as Json;
use tempfile::TempDir;
use vmconf::wire::line::one_line;
use vmconf::wire::record;

const WRONG: &str = "tests/samples/vmtests/wrong";

/// A folder to work in, with vectors, and a cache of its own.
struct Place {
    folder: TempDir,
    cache: TempDir,
}

impl Place {
    /// With copies of these files of the project, each under a name.
    fn new(files: &[(&str, &str)]) -> Place {
        let place = Place { folder: TempDir::new().unwrap(), cache: TempDir::new().unwrap() };
        for (name, from) in files {
            place.put(name, from);
        }
        place
    }

    fn put(&self, name: &str, from: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(at_root(from), path).unwrap();
    }

    fn edit(&self, name: &str, edit: impl FnOnce(String) -> String) {
        let path = self.folder.path().join(name);
        fs::write(&path, edit(fs::read_to_string(&path).unwrap())).unwrap();
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.folder.path().join(name)).unwrap();
    }

    fn vmconf(&self, args: &[&str]) -> Ran {
        let mut command = command(args);
        command.current_dir(self.folder.path()).env("VMCONF_CACHE", self.cache.path());
        ran(command.output().unwrap())
    }

    /// The ids of the cases that run again, and what is said besides.
    fn rerun(&self, args: &[&str]) -> (Vec<String>, String, i32) {
        let Ran { exit, stdout, stderr } =
            self.vmconf(&[&["run", "--rerun", "failed", "--report", "json"], args].concat());
        let lines = stdout.lines().map(|line| line.replace(":TIME", ":0"));
        let lines = lines.map(|line| serde_json::from_str::<Json>(&line).unwrap());
        let ids = lines.filter_map(|line| Some(line.get("id")?.as_str()?.to_owned())).collect();
        (ids, stderr, exit)
    }

    fn check(&self, args: &[&str], ids: &[&str], exit: i32) {
        let rerun = self.rerun(args);
        assert_eq!(
            (&rerun.0[..], &*rerun.1, rerun.2),
            (&ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()[..], "", exit),
            "{args:?}"
        );
    }

    /// Runs all, so that this is the last run.
    fn run_all(&self) {
        assert_ne!(self.vmconf(&["run", "."]).exit, 2);
    }
}

fn sample(name: &str) -> String {
    format!("{WRONG}/{name}.json")
}

fn three() -> Place {
    Place::new(&[
        ("vectors/a/gas.json", &sample("gas")),
        ("vectors/b/passes.json", "vectors/evm/arithmetic/add.json"),
        ("vectors/c/broken.json", "tests/samples/vmtests/malformed/account-is-null.json"),
        ("vectors/c/one-of-three.json", &sample("one-of-three")),
    ])
}

const ALL: [&str; 3] = [
    "vectors/a/gas.json::gas",
    "vectors/c/broken.json::account-is-null",
    "vectors/c/one-of-three.json::second",
];

#[test]
fn rerun_runs_the_cases_that_did_not_pass() {
    let place = three();
    place.run_all();
    place.check(&[], &ALL, 3);
    // That was a run too.
    place.check(&["--jobs", "1"], &ALL, 3);
    place.put("vectors/a/gas.json", "vectors/evm/arithmetic/add.json");
    place.edit("vectors/a/gas.json", |text| text.replacen("\"small\"", "\"gas\"", 1));
    place.check(&[], &ALL, 3);
    place.check(&[], &ALL[1..], 3);
}

#[test]
fn rerun_runs_a_selection_of_the_failures() {
    let place = three();
    let check = |args: &[&str], ids: &[&str], exit: i32| {
        place.run_all();
        place.check(args, ids, exit);
    };
    check(&["vectors/a"], &ALL[..1], 1);
    check(&["./vectors/a/../c"], &ALL[1..], 3);
    check(&[place.folder.path().join("vectors/a/gas.json").to_str().unwrap()], &ALL[..1], 1);
    check(&["vectors/c/one-of-three.json::second", "vectors/a"], &[ALL[0], ALL[2]], 1);
    check(&["--filter", "one-of"], &ALL[2..], 1);
    check(&["--filter", "*gas*", "-E", "verdict(fail)"], &ALL[..1], 1);
    check(&["-E", "verdict(error)"], &ALL[1..2], 3);
    check(&["--partition", "slice:1/3"], &ALL[..1], 1);
    check(&["--fail-fast"], &ALL, 1);
    place.run_all();
    for nothing in [&["vectors/b"][..], &["vectors/c/one-of-three.json::first"], &["--filter", "nothing"]] {
        let (ids, stderr, exit) = place.rerun(nothing);
        assert_eq!((ids.len(), &*stderr, exit), (0, "note: no case ran\n", 4), "{nothing:?}");
    }
    assert_eq!(place.rerun(&["nowhere"]).2, 2);
}

#[test]
fn rerun_after_a_run_without_failures() {
    let place = Place::new(&[("vectors/passes.json", "vectors/evm/arithmetic/add.json")]);
    place.run_all();
    for _ in 0..2 {
        let (ids, stderr, exit) = place.rerun(&[]);
        assert_eq!((ids.len(), exit), (0, 4));
        assert_eq!(stderr, "note: no failure is outstanding\nnote: no case ran\n");
    }
}

#[test]
fn cases_that_no_longer_exist_are_reported() {
    let place = three();
    place.run_all();
    place.remove("vectors/c/broken.json");
    place.edit("vectors/c/one-of-three.json", |text| text.replace("\"second\"", "\"renamed\""));
    let (ids, stderr, exit) = place.rerun(&[]);
    assert_eq!((ids, exit), (vec![ALL[0].to_owned()], 1));
    assert_eq!(
        stderr,
        "note: vectors/c/broken.json is deleted; 1 case in it did not run again\n\
         note: vectors/c/one-of-three.json::second was deleted: the file no longer has such a case\n"
    );
    // Also where the user says which.
    place.put("vectors/c/broken.json", "tests/samples/vmtests/malformed/account-is-null.json");
    place.run_all();
    place.remove("vectors/c/broken.json");
    let (ids, stderr, _) = place.rerun(&["vectors/c"]);
    assert_eq!(ids, ["vectors/c/one-of-three.json::renamed"]);
    assert_eq!(stderr, "note: vectors/c/broken.json is deleted; 1 case in it did not run again\n");
    // And diff, which is about the same cases.
    place.run_all();
    place.remove("vectors/a/gas.json");
    let diff = place.vmconf(&["diff"]);
    assert_eq!(diff.exit, 1);
    assert_eq!(diff.stderr, "note: vectors/a/gas.json is deleted; 1 case in it did not run again\n");
}

/// Where a folder cannot be searched, or a format does not fit, nothing is known to be deleted.
#[cfg(unix)]
#[test]
fn what_cannot_be_read_stays_outstanding() {
    let place = three();
    place.run_all();
    let path = |name: &str| place.folder.path().join(name);
    fs::rename(path("vectors/c"), path("kept")).unwrap();
    std::os::unix::fs::symlink("c", path("vectors/c")).unwrap();
    let (_, stderr, exit) = place.rerun(&[]);
    assert!(exit == 3 && !stderr.contains("deleted"), "{exit} {stderr}");
    let (_, stderr, _) = place.rerun(&["--format", "neovm-n3"]);
    assert!(!stderr.contains("deleted"), "{stderr}");
    fs::remove_file(path("vectors/c")).unwrap();
    fs::rename(path("kept"), path("vectors/c")).unwrap();
    let (ids, stderr, _) = place.rerun(&[]);
    assert!(ALL.iter().all(|id| ids.iter().any(|it| it == id)) && stderr.is_empty(), "{ids:?} {stderr}");
}

/// The cases of a file that is broken as a whole are unknown: after it is repaired, all of them run.
#[test]
fn rerun_loads_a_broken_file_again() {
    let place = three();
    let text = fs::read_to_string(place.folder.path().join("vectors/b/passes.json")).unwrap();
    place.edit("vectors/b/passes.json", |text| text[..text.len() / 2].to_owned());
    place.run_all();
    place.check(&["vectors/b"], &["vectors/b/passes.json"], 3);
    place.edit("vectors/b/passes.json", |_| text);
    place.check(&["vectors/b/passes.json::small"], &["vectors/b/passes.json::small"], 0);
    place.edit("vectors/b/passes.json", |text| text[..text.len() / 2].to_owned());
    place.run_all();
    place.put("vectors/b/passes.json", "vectors/evm/arithmetic/add.json");
    assert_eq!(place.rerun(&["vectors/b"]).0.len(), 5);
}

#[test]
fn unexpected_passes_run_again() {
    let place = three();
    let known = "[[known]]\nid = \"vectors/b/passes.json::small\"\nreason = \"not yet\"\n\
                 [[known]]\nid = \"vectors/a/gas.json::gas\"\nreason = \"not yet\"\n\
                 [[known]]\nid = \"vectors/nothing\"\nreason = \"not yet\"\n";
    fs::write(place.folder.path().join("known.toml"), known).unwrap();
    let ran = place.vmconf(&["run", "--known", "known.toml"]);
    assert!(ran.exit == 3 && ran.stdout.contains("1 known, 1 fixed, 2 errors"), "{ran:?}");
    // An error in the list is not a case, and a known failure is not a failure.
    place.check(&[], &["vectors/b/passes.json::small", ALL[1], ALL[2]], 3);
}

/// Names that are hard to write down, of cases and of files.
#[cfg(unix)]
#[test]
fn hostile_names_are_escaped() {
    let place = Place::new(&[
        ("vectors/names.json", &sample("names")),
        ("vectors/new\nline \"'`$(x)\u{1b}[31m::\\ 🦀.json", &sample("names")),
    ]);
    let ran = place.vmconf(&["run", "--report", "json"]);
    let failed = ran.stdout.matches("\"verdict\":\"fail\"").count();
    assert!(failed >= 20, "{failed}");
    for _ in 0..2 {
        let (ids, stderr, exit) = place.rerun(&[]);
        assert_eq!((ids.len(), &*stderr, exit), (failed, "", 1));
    }
    assert_eq!(place.vmconf(&["diff", "--no-group"]).stdout.matches("FAIL  ").count(), failed);
    let entries = fs::read_dir(place.folder.path().join("vectors")).unwrap();
    entries.for_each(|entry| fs::remove_file(entry.unwrap().path()).unwrap());
    let (ids, stderr, exit) = place.rerun(&[]);
    assert_eq!((ids.len(), stderr.lines().count(), exit), (0, 3, 4), "{stderr}");
    assert!(stderr.contains(r"vectors/new\nline "), "{stderr}");
}

#[test]
fn an_interrupted_run_leaves_the_rest_outstanding() {
    let place = three();
    place.run_all();
    let run = recorded_runs(place.cache.path()).remove(0);
    let text = record_text(&run);
    let lines = text.replace("\"exit\":3", "\"exit\":130");
    let lines = &lines[..lines.find("{\"type\":\"checksum\"").unwrap()];
    let checksum = one_line(&record::RecordLine::Checksum(record::Checksum::of(
        blake3::Hasher::new().update(lines.as_bytes()),
    )));
    fs::write(&run, format!("{lines}{checksum}\n")).unwrap();
    let (ids, stderr, _) = place.rerun(&[]);
    assert_eq!(ids, ALL);
    assert!(stderr.starts_with("note: the last run was interrupted"), "{stderr}");
}

/// A failure is outstanding until its case passes, whatever else runs in between.
#[test]
fn failures_stay_outstanding_until_they_pass() {
    let place = three();
    place.run_all();
    assert_eq!(place.vmconf(&["run", "vectors/b/passes.json::small"]).exit, 0);
    assert_eq!(place.vmconf(&["diff", "--no-group"]).stdout.matches("FAIL  ").count(), 2);
    // Filters select among the outstanding failures; without one, among the cases of the folder.
    let one = place.vmconf(&["diff", "-E", "name(second)"]);
    assert!(one.exit == 1 && one.stdout.contains("FAIL  vectors/c/one-of-three.json::second"), "{one:?}");
    assert_eq!(place.vmconf(&["diff", "-E", "name(small)"]).exit, 4);
    assert_eq!(place.vmconf(&["list", "-E", "verdict(fail)"]).stdout.lines().count(), 2);
    place.check(&[], &ALL, 3);
    // One of them passes now, and another one is known to fail.
    place.put("vectors/a/gas.json", "vectors/evm/arithmetic/add.json");
    place.edit("vectors/a/gas.json", |text| text.replacen("\"small\"", "\"gas\"", 1));
    assert_eq!(place.vmconf(&["run", "vectors/a"]).exit, 0);
    place.check(&[], &ALL[1..], 3);
    let known = "[[known]]\nid = \"vectors/c/one-of-three.json::second\"\nreason = \"not yet\"\n";
    fs::write(place.folder.path().join("known.toml"), known).unwrap();
    assert_eq!(place.vmconf(&["run", "vectors/c/one-of-three.json", "--known", "known.toml"]).exit, 0);
    place.check(&[], &ALL[1..2], 3);
    // What is gone is reported once.
    place.remove("vectors/c/broken.json");
    assert!(place.rerun(&[]).1.contains("vectors/c/broken.json is deleted"));
    assert_eq!(place.rerun(&[]).1, "note: no failure is outstanding\nnote: no case ran\n");
}

/// Parts of a run in the same folder at the same time do not lose failures of each other.
#[test]
fn failures_of_partitions_stay_outstanding() {
    let names: Vec<String> = (0..8).map(|number| format!("vectors/{number}.json")).collect();
    let gas = sample("gas");
    let place = Place::new(&names.iter().map(|name| (&**name, &*gas)).collect::<Vec<_>>());
    let start = |part: usize| {
        let mut command = command(&["run", "--partition", &format!("slice:{part}/8")]);
        command.current_dir(place.folder.path()).env("VMCONF_CACHE", place.cache.path());
        command.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let children: Vec<_> = (1..=8).map(start).collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }
    assert_eq!(place.rerun(&[]).0.len(), 8);
}

/// A machine that fails is not excused by another one that passes.
#[test]
fn failures_are_of_a_machine() {
    let place = Place::new(&[("vectors/div.json", "vectors/evm/arithmetic/div.json")]);
    let serve = "vmconf serve evm";
    let bad = format!("bad=sh -c '{serve} | sed -u s/0x13872/0x13873/'");
    let failing = place.vmconf(&["run", "-v", "--vm", &bad]);
    assert_eq!(failing.exit, 1, "{failing:?}");
    let failing: Vec<_> = failing.stdout.lines().filter_map(|line| line.strip_prefix("fail  ")).collect();
    let listed = |place: &Place| place.vmconf(&["list", "--rerun", "failed"]).stdout;
    // The embedded machine passes.
    assert_eq!(place.vmconf(&["run"]).exit, 0);
    assert_eq!(listed(&place).lines().collect::<Vec<_>>(), failing);
    let by_verdict = place.vmconf(&["list", "-E", "verdict(fail)"]).stdout;
    assert_eq!(by_verdict.lines().collect::<Vec<_>>(), failing);
    let count = failing.len();
    assert!(count > 1);
    let note = format!(
        "note: {count} outstanding failures are of bad: --vm bad, or --vm bad=COMMAND, runs on it\n\
         note: no other failure is outstanding\n"
    );
    let (ids, stderr, exit) = place.rerun(&[]);
    assert_eq!((ids.len(), stderr, exit), (0, format!("{note}note: no case ran\n"), 4));
    let diff = place.vmconf(&["diff"]);
    assert_eq!((diff.exit, diff.stderr), (4, note));
    // It runs its own.
    place.check(&["--vm", &bad], &failing, 1);
    // Now the embedded machine fails, too, and the run on the other machine notes that.
    place.put("vectors/gas.json", &sample("gas"));
    assert_eq!(place.vmconf(&["run", "vectors/gas.json"]).exit, 1);
    let (ids, stderr, _) = place.rerun(&["--vm", &bad]);
    let other = "note: 1 outstanding failure is of the embedded machines, which run without --vm\n";
    assert_eq!((ids.len(), &*stderr), (count, other));
    // Once it passes, it has no failures.
    assert_eq!(place.vmconf(&["run", "vectors/div.json", "--vm", &format!("bad={serve}")]).exit, 0);
    place.check(&[], &["vectors/gas.json::gas"], 1);
    // What is gone is gone for all.
    place.vmconf(&["run", "vectors/div.json", "--vm", &bad]);
    place.remove("vectors/div.json");
    assert!(place.rerun(&["--vm", &bad]).1.contains("vectors/div.json is deleted"));
    place.check(&[], &["vectors/gas.json::gas"], 1);
}

#[test]
fn the_newest_20_runs_are_kept() {
    let place = Place::new(&[("add.json", "vectors/evm/arithmetic/add.json")]);
    let newest = || recorded_runs(place.cache.path()).pop().unwrap();
    let mut all = Vec::new();
    for _ in 0..23 {
        assert_eq!(place.vmconf(&["run", "-q", "add.json"]).exit, 0);
        all.push(newest());
    }
    assert_eq!(recorded_runs(place.cache.path()), all[3..]);
}

/// A failure that is as before keeps its place: one that ends the run is not followed by the next one.
#[test]
fn the_first_failure_stays_the_first() {
    let wrong = format!("{WRONG}/storage-value.json");
    let place = Place::new(&[("a.json", &wrong), ("b.json", &wrong), ("c.json", &wrong)]);
    assert_eq!(place.vmconf(&["run", "-q", "."]).exit, 1);
    for _ in 0..3 {
        let Ran { exit, stdout, .. } = place.vmconf(&["run", "--rerun", "failed", "--fail-fast"]);
        assert!(exit == 1 && stdout.contains("FAIL  a.json::"), "{stdout}");
    }
}
