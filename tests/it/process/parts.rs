//! Parts of a run on a machine that lacks something.

use tempfile::TempDir;

use super::hostile::{SCRIPT, write};
use crate::support::{Ran, at_root, command, ran};

/// A part in which the machine lacks what every case needs is no failure; a whole run is.
#[test]
fn a_part_of_unsupported_cases_only_is_no_failure() {
    let folder = TempDir::new().unwrap();
    write(&folder.path().join("a.json"), &[("lacking", 2), ("passes", 0)]);
    write(&folder.path().join("b.json"), &[("lacking", 2), ("also", 2)]);
    let vmconf = |args: &[&str]| ran(command(args).current_dir(&folder).output().unwrap());
    let vm = format!("lacking=sh {}", at_root(SCRIPT).display());
    let part = |file: &str, part: &str| -> Ran {
        vmconf(&[
            "run",
            file,
            "--vm",
            &vm,
            "--partition",
            part,
            "--report",
            &format!("json={}.jsonl", &part[6..7]),
        ])
    };
    let (first, second) = (part("a.json", "slice:1/2"), part("a.json", "slice:2/2"));
    assert_eq!(first.exit, 0, "{first:?}");
    assert!(first.stderr.ends_with("note: no case of this part ran; other parts may have some that do\n"));
    assert_eq!(second.exit, 0, "{second:?}");
    let whole = |file: &str| {
        part(file, "slice:1/2");
        part(file, "slice:2/2");
        vmconf(&["merge", "1.jsonl", "2.jsonl"])
    };
    let (one, none) = (whole("a.json"), whole("b.json"));
    assert_eq!((one.exit, none.exit), (0, 4), "{one:?} {none:?}");
}
