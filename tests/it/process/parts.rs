//! Parts of a run on a machine that lacks something.

use tempfile::TempDir;

use super::hostile::{SCRIPT, write};
use crate::support::{Ran, at_root, command, ran};

/// A part in which the machine lacks what every case needs is no failure; a whole run is.
#[test]
fn a_part_of_unsupported_cases_only_is_not_a_failure() {
    let folder = TempDir::new().unwrap();
    write(&folder.path().join("a.json"), &[("lacking", 2), ("passes", 0)]);
    write(&folder.path().join("b.json"), &[("lacking", 2), ("also", 2)]);
    let vmconf = |args: &[&str]| ran(command(args).current_dir(&folder).output().unwrap());
    let vm = format!("lacking=sh '{}'", at_root(SCRIPT).display());
    let part = |file: &str, number: u8| -> Ran {
        let (partition, report) = (format!("slice:{number}/2"), format!("json={number}.jsonl"));
        vmconf(&["run", file, "--vm", &vm, "--partition", &partition, "--report", &report])
    };
    let (first, second) = (part("a.json", 1), part("a.json", 2));
    assert_eq!(first.exit, 0, "{first:?}");
    assert!(first.stderr.ends_with("note: no case of this part ran; other parts may have some that do\n"));
    assert_eq!(second.exit, 0, "{second:?}");
    let whole = |file: &str| {
        part(file, 1);
        part(file, 2);
        vmconf(&["merge", "1.jsonl", "2.jsonl"])
    };
    let (one, none) = (whole("a.json"), whole("b.json"));
    assert_eq!((one.exit, none.exit), (0, 4), "{one:?} {none:?}");
}

/// A part with a failure is recorded, also if its other cases are unsupported.
#[test]
fn a_failure_beside_unsupported_cases_of_a_part_is_recorded() {
    let folder = TempDir::new().unwrap();
    write(&folder.path().join("a.json"), &[("lacking", 2), ("differs", 1)]);
    let cache = folder.path().join("cache");
    let vm = format!("lacking=sh '{}'", at_root(SCRIPT).display());
    let run = |more: &[&str]| {
        let args = [&["run", "a.json", "--vm", &vm], more].concat();
        ran(command(&args).current_dir(&folder).env("VMCONF_CACHE", &cache).output().unwrap())
    };
    let part = run(&["--partition", "slice:1/1"]);
    assert!(part.exit == 1 && !part.stderr.contains("no case of this part ran"), "{part:?}");
    let again = run(&["--rerun", "failed"]);
    assert!(
        again.exit == 1 && again.stdout.contains("\n0 passed, 1 failed, 0 errors, 0 skipped in "),
        "{again:?}"
    );
}
