//! Golden tests. What every own vector does, and the exact words about what is wrong with a vector
//! or a machine, are files under `tests/snapshots`; `INSTA_UPDATE=always cargo test --test it golden`
//! writes them anew, and the difference is then to be reviewed.

use std::fmt::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::support::{Ran, at_root, execute, files, read, relative, sources_of, vmconf};
use vmconf::machines::machine::{At, Watch};
use vmconf::machines::observe::Observe;
use vmconf::model::event::Event;
use vmconf::model::value::Value;
use vmconf::model::verdict::Verdict;
use vmconf::run::{self, Options};

/// Snapshots hold nothing but the text and the name of the input. One test at a time: insta counts
/// the failures of all `glob!`s on one stack.
fn with_settings(test: impl FnOnce()) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(test);
}

/// One line a case: what came of it, how many instructions it took, what the machine shows, a hash of
/// its trace.
#[test]
fn vectors() {
    with_settings(|| {
        insta::glob!("../../vectors", "**/*.json", |path| insta::assert_snapshot!("vectors", account(path)));
    });
}

/// Every sample of a wrong vector of the 16-bit machine.
#[test]
fn wrong_tinyvm() {
    with_settings(|| {
        insta::glob!("../samples/tinyvm/wrong", "*.json", |path| {
            insta::assert_snapshot!("wrong-tinyvm", explained(path));
        });
    });
}

/// Every sample of a wrong vector of MiniC89, and of one whose program is odd.
#[test]
fn wrong_minic89() {
    with_settings(|| {
        insta::glob!("../samples/minic89/wrong", "*.json", |path| {
            insta::assert_snapshot!("wrong-minic89", explained(path));
        });
        insta::glob!("../samples/minic89/warned", "*.json", |path| {
            let notes = vmconf(&["run", "--strict", &relative(path)]).stderr;
            insta::assert_snapshot!("odd-minic89", notes);
        });
    });
}

/// Every sample of a wrong NeoVM vector.
#[test]
fn wrong_neovm() {
    with_settings(|| {
        insta::glob!("../samples/neovm-n3/wrong", "*.json", |path| {
            insta::assert_snapshot!("wrong-n3", explained(path));
        });
        insta::glob!("../samples/neovm-2x/wrong", "*.json", |path| {
            insta::assert_snapshot!("wrong-2x", explained(path));
        });
    });
}

/// Every sample of a wrong vector: the text for people and the lines for programs.
#[test]
fn wrong() {
    with_settings(|| {
        insta::glob!("../samples/vmtests/wrong", "*.json", |path| {
            let json = vmconf(&["run", "--report", "json", &relative(path)]);
            insta::assert_snapshot!(
                "wrong",
                format!("{}---- json\n{}", explained(path), shortened(&json.stdout))
            );
        });
    });
}

/// Files that are no JSON, no vector, or have a member twice.
#[test]
fn broken() {
    with_settings(|| {
        insta::glob!("../samples/vmtests/broken", "*.json", |path| insta::assert_snapshot!(
            "broken",
            text_report(path)
        ));
    });
}

/// One malformed vector of each kind.
#[test]
fn malformed() {
    const KINDS: &[&str] = &[
        "malformed/account-is-null",
        "malformed/account-key-of-39-digits",
        "malformed/account-without-storage",
        "malformed/address-is-number",
        "malformed/call-destination-of-39-digits",
        "malformed/callcreates-is-object",
        "malformed/code-is-source",
        "malformed/data-array-with-number-of-2-64",
        "malformed/data-with-other-letter",
        "malformed/env-is-array",
        "malformed/exec-without-gas",
        "malformed/file-is-array",
        "malformed/gas-of-2-63-in-hex",
        "malformed/gas-without-post",
        "malformed/log-bloom-of-511-digits",
        "malformed/log-topics-is-text",
        "malformed/log-without-data",
        "malformed/logs-is-number",
        "malformed/out-length-with-letter",
        "malformed/post-without-logs",
        "malformed/pre-is-array",
        "malformed/quantity-is-fraction",
        "malformed/quantity-of-120-decimal-digits",
        "malformed/quantity-with-letter",
        "malformed/storage-is-text",
        "malformed/storage-value-of-2-256-in-hex",
        "malformed/test-is-null",
        "malformed/test-without-pre",
        "malformed-beyond-schema/account-twice",
        "malformed-beyond-schema/account-twice-with-and-without-prefix",
        "malformed-beyond-schema/storage-key-twice-in-decimal-and-hex",
        "malformed-beyond-schema/storage-value-of-33-bytes",
        "malformed-beyond-schema/test-twice",
    ];
    for kind in KINDS {
        let input = format!("tests/samples/vmtests/{kind}.json");
        let name = format!("malformed@{}", kind.rsplit_once('/').unwrap().1);
        let text = text_report(&at_root(&input));
        with_settings(|| {
            let mut settings = insta::Settings::clone_current();
            settings.set_input_file(at_root(&input));
            settings.bind(|| insta::assert_snapshot!(name, text));
        });
    }
}

/// Every malformed sample, a folder at a time: what `run` and `diff` say, which is the same.
#[test]
fn malformed_folders() {
    with_settings(|| {
        insta::glob!("../samples", "*/malformed*", |folder| {
            insta::assert_snapshot!("malformed-all", explained(folder));
        });
    });
}

/// No snapshot is left of a vector or sample that is gone.
#[test]
fn every_snapshot_has_its_input() {
    for snapshot in files("tests/it/snapshots", "snap") {
        let text = std::fs::read_to_string(&snapshot).unwrap();
        // Those of other test files are of no input.
        let Some(input) = text.lines().find_map(|line| line.strip_prefix("input_file: ")) else { continue };
        assert!(at_root(input).exists(), "{} is of {input}", relative(&snapshot));
    }
}

/// What `run` says of a file, and what `diff` says of its failures.
fn explained(path: &Path) -> String {
    format!("{}\n{}", text_report(path), output(&["diff"], path))
}

/// Each failure in full, whatever they have in common.
fn text_report(path: &Path) -> String {
    output(&["run", "--no-group"], path)
}

fn output(command: &[&str], path: &Path) -> String {
    let path = relative(path);
    let Ran { exit, stdout, stderr } = vmconf(&[command, &[&path]].concat());
    let mut text = format!("$ vmconf {} {path}\nexit: {exit}\n{}", command[0], shortened(&stdout));
    if !stderr.is_empty() {
        write!(text, "---- stderr\n{stderr}").unwrap();
    }
    text
}

/// Lines of more than 4000 characters without their middle.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 4000;
    const ENDS: usize = 600;
    let shorten = |line: &str| {
        let characters: Vec<char> = line.chars().collect();
        if characters.len() <= LONGEST {
            return line.to_owned();
        }
        let (start, end) = (&characters[..ENDS], &characters[characters.len() - ENDS..]);
        let left_out = characters.len() - 2 * ENDS;
        format!("{} [{left_out} characters] {}", String::from_iter(start), String::from_iter(end))
    };
    text.split_inclusive('\n').map(shorten).collect()
}

fn account(path: &Path) -> String {
    let verdicts = verdicts(path);
    let (_, cases) = read(path);
    assert_eq!(verdicts.len(), cases.len());
    let mut text = String::new();
    for (case, verdict) in cases.iter().zip(verdicts) {
        let mut count = Count { steps: 0, hash: Fnv(0xcbf2_9ce4_8422_2325) };
        let machine = execute(&case.case, Some(&mut count));
        let (instructions, ended) = (count.steps, machine.describe());
        let trace = count.hash.0 >> 32;
        let state = match case.case.machine {
            "evm" => state(&*machine, &ended),
            "neo2" | "neo3" => left(&*machine, ended),
            _ => ended,
        };
        writeln!(text, "{}: {verdict}, {instructions} ops, {state}, trace {trace:08x}", case.name).unwrap();
    }
    text
}

/// What the runner says, which runs without a watch.
fn verdicts(path: &Path) -> Vec<String> {
    let mut verdicts = Vec::new();
    run::run(&sources_of(path), &Options::default(), &mut |event| {
        if let Event::Finished(report) = event {
            verdicts.push(match report.verdict {
                Verdict::Pass => "pass".to_owned(),
                other => format!("{other:?}"),
            });
        }
    });
    verdicts
}

/// How a NeoVM looks after its run: how it ended, and what is on its result stack.
fn left(machine: &dyn Observe, ended: String) -> String {
    let results = machine.observe("resultStack").unwrap();
    if results.is_empty() { ended } else { format!("{ended}: {}", short(&results.to_string())) }
}

/// The text, or what a long one begins with and how long it is.
fn short(text: &str) -> String {
    const LONGEST: usize = 160;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
    }
}

/// How an EVM looks after its run: the kind and place of a halt, after which nothing else means
/// anything, or what came of it.
fn state(machine: &dyn Observe, ended: &str) -> String {
    let length = |field: &str| machine.observe(field).and_then(|value| value.len()).unwrap();
    if machine.observe("outcome") != Some(Value::text("success")) {
        return ended.split(',').next().unwrap().to_owned();
    }
    let Some(Value::Int(gas)) = machine.observe("gas") else { panic!("success without gas") };
    let out = machine.observe("out").unwrap().to_string();
    let out = if out.len() > 70 { format!("{}… ({} bytes)", &out[..40], length("out")) } else { out };
    let mut text = format!("gas {gas}, out {out}");
    for field in ["logs", "callcreates"] {
        if length(field) > 0 {
            write!(text, ", {field} {}", length(field)).unwrap();
        }
    }
    let Some(Value::Record(accounts)) = machine.observe("post") else { panic!("success without accounts") };
    for (address, account) in accounts {
        let (balance, storage) = (account.get("balance").unwrap(), account.get("storage").unwrap());
        let Value::Int(balance) = balance else { panic!("a balance that is no number") };
        write!(text, ", {}:{balance}{}", &address[..6], words(storage)).unwrap();
    }
    text
}

/// The first words of storage, in short.
fn words(storage: &Value) -> String {
    const SHOWN: usize = 4;
    let Value::Record(words) = storage else { panic!("storage that is no record") };
    let mut text = String::new();
    for (key, value) in words.iter().take(SHOWN) {
        let Value::Int(value) = value else { panic!("a word that is no number") };
        let digits = format!("{value:x}");
        let digits = if digits.len() > 16 {
            format!("{}…{}", &digits[..8], &digits[digits.len() - 8..])
        } else {
            digits
        };
        write!(text, " {}={digits}", key.trim_start_matches("0x")).unwrap();
    }
    match words.len() {
        0..=SHOWN => text,
        more => format!("{text} +{} words", more - SHOWN),
    }
}

/// Counts instructions, and makes one number of where each stood, what it was and what was left.
struct Count {
    steps: u64,
    hash: Fnv,
}

impl Watch for Count {
    fn before(&mut self, at: &At<'_>) {
        self.steps += 1;
        self.hash.add(&(at.pc as u64).to_le_bytes());
        self.hash.add(&at.code.to_le_bytes());
        self.hash.add(at.operand);
        self.hash.add(&(at.state.height() as u64).to_le_bytes());
        self.hash.add(&at.state.gas().unwrap_or_default().to_le_bytes());
    }
}

/// FNV-1a of 64 bits, which is the same everywhere and always.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
