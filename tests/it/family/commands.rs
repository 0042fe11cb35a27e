//! Commands on machines of families: by name everywhere, step by step where a testee shows its instructions, and the
//! check of adapters.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::vmconf_in;
use crate::support::skip::skip;
use crate::support::{at_root, vmconf};

/// Whether the testees in Python can run; the test is skipped if not.
fn has_python() -> bool {
    let has = Command::new("python3").arg("--version").output().is_ok();
    if !has {
        skip("python3 is not installed, so that the adapter is not run");
    }
    has
}

/// A folder with the machine of the book, its vectors, and a `vmconf.toml` that names both.
fn own_machine() -> TempDir {
    let folder = TempDir::new().unwrap();
    for file in ["acc8.py", "vectors.json"] {
        fs::copy(at_root(format!("docs/examples/own/{file}")), folder.path().join(file)).unwrap();
    }
    let vectors = folder.path().join("vectors.json");
    let made = vmconf(&["family", "init", vectors.to_str().unwrap(), "--name", "acc8"]);
    fs::write(folder.path().join("acc8.toml"), made.stdout).unwrap();
    let config = "[family]\nacc8 = \"acc8.toml\"\n\n[vm.mine]\ncommand = \"python3 acc8.py\"\n";
    fs::write(folder.path().join("vmconf.toml"), config).unwrap();
    folder
}

/// The name of a family in `vmconf.toml` is known to the commands that name machines, and those that are about
/// instructions say why they do nothing.
#[test]
fn a_family_of_the_configuration_is_known_to_every_command() {
    let folder = own_machine();
    let run = |args: &[&str]| vmconf_in(folder.path(), args);
    for args in
        [&["isa", "acc8"][..], &["asm", "acc8", "-"], &["disasm", "acc8", "0x00"], &["exec", "acc8", "0x00"]]
    {
        let ran = run(args);
        let expected = "error: acc8: a family has no instructions, since vmconf does not embed its machine\n";
        assert_eq!((ran.exit, &*ran.stderr), (2, expected), "{args:?}");
        let ran = run(&[args, &["--no-config"]].concat());
        assert!(ran.exit == 2 && ran.stderr.contains("there is no machine \"acc8\""), "{args:?}: {ran:?}");
    }
    let near = run(&["isa", "acc9"]);
    assert_eq!((near.exit, &*near.stderr), (2, "error: there is no machine \"acc9\"; did you mean acc8?\n"));
    for how in ["--machine", "--family"] {
        let ran = run(&["vm", "init", "python", "new", how, "acc8", "--force"]);
        assert_eq!(ran.exit, 0, "{ran:?}");
        let text = fs::read_to_string(folder.path().join("new.py")).unwrap();
        assert!(text.contains("for the family acc8"), "{text}");
    }
    if has_python() {
        let ran = run(&["fuzz", "acc8", "--vm", "mine", "--cases", "5"]);
        assert!(ran.stderr.contains("states of acc8 are compared on at least two machines"), "{ran:?}");
        let ran = run(&["vm", "check", "python3", "acc8.py"]);
        assert!(ran.exit == 0 && ran.stdout.ends_with(" points, 0 wrong\n"), "{ran:?}");
    }
}

/// The list of differences that `fuzz` knows is not the list of known failures of `vmconf.toml`.
#[test]
fn the_known_failures_of_the_configuration_are_none_of_fuzz() {
    let folder = own_machine();
    let known = folder.path().join("known.toml");
    fs::write(&known, "# none\n").unwrap();
    fs::write(folder.path().join("vmconf.toml"), "[profile.default]\nknown = \"known.toml\"\n").unwrap();
    let itself = format!("x='{}' serve tinyvm", env!("CARGO_BIN_EXE_vmconf"));
    let ran = vmconf_in(folder.path(), &["fuzz", "tinyvm", "--vm", &itself, "--cases", "3"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert_eq!(fs::read_to_string(&known).unwrap(), "# none\n");
}
