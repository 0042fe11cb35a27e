//! What commands write: nothing that exists is replaced unasked, and what cannot be written ends every command with
//! the same exit code.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;

use tempfile::TempDir;

use crate::completions::commands;
use crate::support::{Ran, at_root, command, golden, ran};

const GAS: &str = "tests/samples/vmtests/wrong/gas.json";
const ADD: &str = "vectors/evm/arithmetic/add.json";
const ASM: &str = "vectors/tinyvm/machine/triple.asm";
const BROKEN: i32 = 3;

/// A folder to work in, which has the cache too.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(TempDir::new().unwrap());
        fs::copy(at_root(GAS), place.path("gas.json")).unwrap();
        fs::copy(at_root(ASM), place.path("triple.asm")).unwrap();
        fs::copy(at_root(ADD), place.path("add.json")).unwrap();
        place
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = command(args);
        command.current_dir(self.0.path()).env("VMCONF_CACHE", self.path("cache"));
        command
    }

    fn vmconf(&self, args: &[&str]) -> Ran {
        ran(self.command(args).output().unwrap())
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

/// Each command that writes a file that the user names, with that file.
const WRITING: &[(&[&str], &str)] = &[
    (&["exec", "evm", "0x00", "--vector", "new.json"], "new.json"),
    (&["explore", "gas.json", "--html", "new.html"], "new.html"),
    (&["asm", "tinyvm", "triple.asm", "--write", "new.segment"], "new.segment"),
    (&["asm", "tinyvm", "triple.asm", "--map", "new.map"], "new.map"),
    (&["vm", "init", "python", "new"], "new.py"),
];

#[test]
fn a_file_that_exists_is_replaced_only_with_force() {
    for (args, file) in WRITING {
        let place = Place::new();
        assert_eq!(place.vmconf(args).exit, 0, "{args:?}");
        let written = place.read(file);
        assert!(!written.is_empty());
        fs::write(place.path(file), "of somebody").unwrap();
        let refused = place.vmconf(args);
        let expected = format!("error: {file}: this file exists; --force replaces it\n");
        assert_eq!((refused.exit, refused.stderr, place.read(file).as_str()), (2, expected, "of somebody"));
        assert_eq!(place.vmconf(&[args, &["--force"][..]].concat()).exit, 0, "{args:?}");
        assert_eq!(place.read(file), written, "{args:?}");
    }
}

/// A report replaces an earlier one of its kind, and an empty file, and nothing else.
#[test]
fn a_report_replaces_only_reports() {
    for kind in ["text", "json", "junit", "tap", "github", "markdown", "html", "sarif"] {
        let place = Place::new();
        let report = format!("{kind}=report");
        let args = ["run", "gas.json", "--report", &report];
        File::create(place.path("report")).unwrap();
        for args in [&args[..], &args[..], &[&args[..], &["-q", "--no-group"]].concat()[..]] {
            let ran = place.vmconf(args);
            assert_eq!(ran.exit, 1, "{kind}: {ran:?}");
        }
        for other in ["of somebody\n", "{\"type\": \"run\"}", "# A page\n\n## vmconf: here"] {
            fs::write(place.path("report"), other).unwrap();
            let ran = place.vmconf(&args);
            let expected = format!(
                "error: report: this file exists and is no {kind} report of vmconf: remove it or name another one\n"
            );
            assert_eq!((ran.exit, ran.stdout.as_str(), ran.stderr), (2, "", expected));
            assert_eq!(place.read("report"), other);
        }
    }
}

/// The summary of a run with cached cases is one.
#[test]
fn a_report_with_cached_cases_is_replaced() {
    let place = Place::new();
    for expected in
        ["passed, 0 failed", "of them from the cache), 0 failed", "of them from the cache), 0 failed"]
    {
        let ran = place.vmconf(&["run", "add.json", "--cached", "--report", "text=report"]);
        assert_eq!(ran.exit, 0, "{ran:?}");
        assert!(place.read("report").contains(expected), "{}", place.read("report"));
    }
}

/// What each command prints to standard output.
const PRINTING: &[(&str, &[&str])] = &[
    ("run", &["gas.json"]),
    ("list", &["gas.json"]),
    ("check", &["gas.json"]),
    ("diff", &["gas.json"]),
    ("suspects", &["gas.json"]),
    ("trace", &["gas.json"]),
    ("explore", &["gas.json", "--html", "-"]),
    ("bless", &["gas.json"]),
    ("fill", &["gas.json", "--check", "--vm", "x=true", "--vm", "y=true"]),
    ("snapshot", &["gas.json", "--dir", "golden", "--check"]),
    ("known update", &["known.toml", "gas.json"]),
    ("family list", &[]),
    ("family show", &["z80"]),
    ("audit", &["add.json"]),
    ("mutants", &["add.json", "--most", "2"]),
    ("coverage", &["add.json"]),
    ("minset", &["add.json"]),
    ("minimize", &["gas.json"]),
    ("fuzz", &["neo3", "--cases", "20", "--vm", "x=true"]),
    ("matrix", &["gas.json", "--vm", "x=true"]),
    ("bisect", &["gas.json", "--vm", "x=true"]),
    ("merge", &["report.json"]),
    ("compare", &["report.json", "report.json"]),
    ("exec", &["evm", "0x00"]),
    ("asm", &["tinyvm", "triple.asm"]),
    ("disasm", &["evm", "gas.hex"]),
    ("isa", &["evm"]),
    ("serve", &["evm"]),
    ("vm check", &["x=true"]),
    ("vm init", &["python", "mine"]),
    ("init", &["neo3"]),
    ("config", &[]),
    ("schema", &["report"]),
    ("completions", &["bash"]),
    ("man", &[]),
];

/// Commands whose output is a conversation or made by the argument parser.
const NOT_PRINTING: &[&str] = &["help"];

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_every_command_alike() {
    let mut wrong = Vec::new();
    for name in commands() {
        if NOT_PRINTING.contains(&name.as_str()) {
            continue;
        }
        let is_it = |known: &str| known == name || known.starts_with(&format!("{name} "));
        let known: Vec<_> = PRINTING.iter().filter(|(known, _)| is_it(known)).collect();
        assert!(!known.is_empty(), "no arguments are known for {name}");
        for (name, args) in known {
            let place = Place::new();
            fs::write(place.path("gas.hex"), "6001").unwrap();
            place.vmconf(&["run", "gas.json", "--partition", "hash:1/1", "--report", "json=report.json"]);
            // With machines that start: without, most commands print nothing.
            let machine = if *name == "fuzz" { "neo3" } else { "evm" };
            let served = format!("=vmconf serve {machine}");
            let args: Vec<_> = args.iter().map(|arg| arg.replace("=true", &served)).collect();
            let words: Vec<_> = name.split(' ').chain(args.iter().map(String::as_str)).collect();
            let plain = place.vmconf(&words);
            // Without a request, a server answers nothing.
            assert!(!plain.stdout.is_empty() || *name == "serve", "{name}: {plain:?}");
            fs::remove_file(place.path("mine.py")).ok();
            fs::remove_file(place.path("vmconf.toml")).ok();
            fs::remove_dir_all(place.path("vectors")).ok();
            fs::remove_dir_all(place.path(".github")).ok();
            fs::remove_file(place.path("known.toml")).ok();
            let full = File::options().write(true).open("/dev/full").unwrap();
            let ran = ran(place.command(&words).stdout(full).output().unwrap());
            let names_it_twice = |line: &str| line.matches("standard output").count() > 1;
            let is_clear = ran.exit == BROKEN && !ran.stderr.lines().any(names_it_twice);
            if !plain.stdout.is_empty() && !is_clear {
                wrong.push(format!("{name}: {ran:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Help and the version are printed by the argument parser.
#[cfg(target_os = "linux")]
#[test]
fn help_to_a_full_disk_is_an_error() {
    for words in
        [&["--version"][..], &["-V"], &["--help"], &["-h"], &["run", "--help"], &["help"], &["help", "run"]]
    {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let ran = ran(Place::new().command(words).stdout(full).output().unwrap());
        let is_reported = ran.stderr.starts_with("error: standard output: ");
        assert!(ran.exit == BROKEN && is_reported, "{words:?}: {ran:?}");
    }
}

/// What each command that reads files does when there is nothing to do; `None` if there is always something.
const NOTHING: &[(&str, Option<&[&str]>)] = &[
    ("run", Some(&["gas.json", "--filter", "none"])),
    ("list", Some(&["gas.json", "--filter", "none"])),
    ("check", Some(&["gas.json", "--filter", "none"])),
    ("diff", Some(&["gas.json", "--filter", "none"])),
    ("suspects", Some(&["gas.json", "--filter", "none"])),
    ("trace", Some(&["gas.json", "--filter", "none"])),
    ("explore", Some(&["gas.json", "--filter", "none"])),
    ("bless", Some(&["gas.json", "--filter", "none"])),
    ("fill", Some(&["gas.json", "--filter", "none", "--vm", SERVE, "--vm", "y=true"])),
    ("snapshot", Some(&["gas.json", "--dir", "golden", "--filter", "none"])),
    ("known update", Some(&["empty.toml", "gas.json", "--filter", "none"])),
    ("audit", Some(&["gas.json", "--filter", "none"])),
    ("mutants", Some(&["gas.json", "--filter", "none"])),
    ("coverage", Some(&["gas.json", "--filter", "none"])),
    ("minset", Some(&["gas.json", "--filter", "none"])),
    ("minimize", Some(&["gas.json", "--filter", "none"])),
    ("matrix", Some(&["gas.json", "--filter", "none", "--vm", SERVE])),
    ("bisect", Some(&["gas.json", "--filter", "none", "--vm", SERVE])),
    ("merge", None),
    ("compare", Some(&[])),
    ("exec", None),
    ("asm", None),
    ("disasm", None),
];

/// Stands for a machine in another process.
const SERVE: &str = "SERVE";

/// The exit code of each command when a file cannot be read or written: a golden file, which is also a table of the
/// book. A named file that cannot be read is an error of the command line; one in a folder is an error of its cases.
#[cfg(target_os = "linux")]
#[test]
fn every_command_ends_alike_after_an_error() {
    let mut table =
        "| command | a named file is unreadable | nothing to do | full disk | closed pipe |\n|---|---|---|---|---|\n"
            .to_owned();
    let serve = |name: &str| format!("{name}=vmconf serve evm");
    for (name, nothing) in NOTHING {
        let place = Place::new();
        fs::write(place.path("gas.hex"), "6001").unwrap();
        fs::write(place.path("empty.toml"), "").unwrap();
        place.vmconf(&["run", "gas.json", "--partition", "hash:1/1", "--report", "json=report.json"]);
        // A link that leads to itself cannot be read by anybody, not even by root.
        for link in ["loop.json", "loop.asm", "loop.hex"] {
            std::os::unix::fs::symlink(link, place.path(link)).unwrap();
        }
        let args = PRINTING.iter().find(|(known, _)| known == name).unwrap().1;
        let words = |args: &[&str]| -> Vec<String> {
            let words = name.split(' ').chain(args.iter().copied());
            words
                .map(|word| match word.strip_suffix("=true") {
                    Some(name) => serve(name),
                    None if word == SERVE => serve("x"),
                    None => word.to_owned(),
                })
                .collect()
        };
        let unreadable = args.iter().map(|arg| match *arg {
            "gas.json" | "add.json" | "report.json" => "loop.json",
            "triple.asm" => "loop.asm",
            "gas.hex" | "0x00" => "loop.hex",
            other => other,
        });
        let code = |args: &[&str], stdout: std::process::Stdio| {
            let words = words(args);
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            ran(place.command(&words).stdout(stdout).output().unwrap()).exit
        };
        let piped = std::process::Stdio::piped;
        let unreadable = code(&unreadable.collect::<Vec<_>>(), piped());
        let nothing = nothing.map_or(String::new(), |args| code(args, piped()).to_string());
        let full = code(args, File::options().write(true).open("/dev/full").unwrap().into());
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let closed = code(args, writer.into());
        writeln!(table, "| `{name}` | {unreadable} | {nothing} | {full} | {closed} |").unwrap();
    }
    golden::file("exit-codes-of-commands", &table);
    let page = fs::read_to_string(at_root("docs/src/exit-codes.md")).unwrap();
    assert!(page.contains(&table), "docs/src/exit-codes.md lacks this table:\n{table}");
}

/// Files and folders that cannot be written.
#[test]
fn a_file_that_cannot_be_written_ends_commands_alike() {
    let mut told = String::new();
    for args in [
        &["exec", "evm", "0x00", "--vector", "no/new.json"][..],
        &["explore", "gas.json", "--html", "no/new.html"],
        &["asm", "tinyvm", "triple.asm", "--write", "no/new.segment"],
        &["known", "update", "no/known.toml", "gas.json", "--accept", "new"],
        &["run", "gas.json", "--report", "json=no/report.json"],
        &["man", "--all", "gas.json/man"],
    ] {
        let place = Place::new();
        let ran = place.vmconf(args);
        assert_eq!(ran.exit, BROKEN, "{args:?}: {ran:?}");
        let error = ran.stderr.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
        told.push_str(error);
        told.push('\n');
        assert!(!Path::new(&place.path("no")).exists());
    }
    golden::file("files-that-cannot-be-written", &told);
}

/// Every file that a command reads as a whole has a limit, so that one that never ends is an error.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_never_ends_is_an_error() {
    for args in [
        &["merge", "/dev/zero"][..],
        &["run", "gas.json", "--known", "/dev/zero"],
        &["known", "update", "/dev/zero", "gas.json"],
        &["explore", "--metadata", "/dev/zero", "--snapshots", "/dev/zero"],
        &["explore", "gas.json", "--source", "/dev/zero"],
        &["explore", "--trace", "/dev/zero", "--html", "-"],
        &["asm", "evm", "/dev/zero"],
        &["disasm", "evm", "/dev/zero"],
        &["compare", "/dev/zero", "/dev/zero"],
        &["bisect", "--trace", "/dev/zero", "--trace", "/dev/zero"],
    ] {
        let place = Place::new();
        let command = place.command(args);
        let mut limited = std::process::Command::new("sh");
        limited.args(["-c", "ulimit -v 2000000 && exec \"$0\" \"$@\""]);
        limited.arg(command.get_program()).args(command.get_args()).current_dir(place.0.path());
        let ended = ran(limited.output().unwrap());
        assert!([2, 3].contains(&ended.exit), "{args:?}: {ended:?}");
        let says = ["larger than ", "more than ", "too long", "longer than", "line 1", ":1:"];
        assert!(says.iter().any(|text| ended.stderr.contains(text)), "{args:?}: {}", ended.stderr);
    }
}
