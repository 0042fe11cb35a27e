//! Golden tests: how every own vector runs, what is reported about every sample, and how reports are
//! laid out. `tests/README.md` says how to review a change.
//!
//! What is specific to a vector or sample is kept apart from the layout of the reports, so that a change
//! of one word that all failures have in common changes the files of `layout` alone.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::path::Path;

use crate::samples::pieces;
use crate::support::{Ran, at_root, execute, files, golden, read, relative, sources_of, vmconf};
use vmconf::isa::Unit;
use vmconf::machines::by_name;
use vmconf::machines::machine::{At, Watch};
use vmconf::machines::observe::Observe;
use vmconf::model::{CaseDifference, Event, Value, Verdict};
use vmconf::run::{self, LoadOptions};

/// One line a case: its verdict, how the machine ended, and what it executed.
#[test]
fn own_vectors_end_as_their_golden_files_say() {
    let name = |path: &Path| {
        let path = path.strip_prefix(at_root("vectors")).unwrap().with_extension("");
        path.to_str().unwrap().to_owned()
    };
    let texts = files("vectors", "json").into_iter().map(|path| (name(&path), account(&path)));
    golden::folder("vectors", texts);
}

/// Samples whose reports have something to lay out: long lines and values, odd names, many differences,
/// places in lines of all kinds, and a few of each format.
const LAID_OUT: &[&str] = &[
    "vmtests/wrong/gas",
    "vmtests/wrong/many-differences",
    "vmtests/wrong/names",
    "vmtests/wrong/out-long",
    "vmtests/wrong/place-byte-order-mark",
    "vmtests/wrong/place-carriage-returns",
    "vmtests/wrong/place-one-line",
    "vmtests/wrong/place-tabs",
    "vmtests/wrong/storage-swapped",
    "vmtests/broken/several",
    "vmtests/broken/text-hostile",
    "vmtests/broken/utf8",
    "vmtests/broken/utf8-long-line",
    "vmtests/malformed/account-is-null",
    "vmtests/notes/unknown-members",
    "minic89/wrong/details",
    "minic89/wrong/step",
    "minic89/malformed/arg-array",
    "neovm-n3/wrong/slots",
    "neovm-n3/strict/state-in-lower-case",
    "neovm-2x/wrong/map-value",
    "tinyvm/wrong/driver-outcome",
];

/// What the commands print about samples, to the last space.
#[test]
fn commands_lay_out_failures_of_samples() {
    // Each failure in full, whatever they have in common.
    let commands: [(&str, &[&str]); 3] =
        [("run", &["run", "--no-group"]), ("diff", &["diff"]), ("check", &["check", "--all"])];
    let texts = commands.map(|(name, command)| {
        let outputs = LAID_OUT.iter().map(|sample| output(command, &format!("tests/samples/{sample}.json")));
        (name.to_owned(), outputs.collect::<Vec<_>>().join("\n"))
    });
    golden::folder("layout", texts);
}

/// The lines for programs about every sample in which the machine differs.
#[test]
fn the_json_report_of_differing_samples() {
    let of = |path: &Path| {
        let json = vmconf(&["run", "--report", "json", &relative(path)]).stdout;
        shortened(&without_versions(&json))
    };
    golden::folder("json", pieces("vmtests/wrong", of));
}

/// Without the versions of the vectors: the commit is soon another one.
fn without_versions(report: &str) -> String {
    let Some((before, rest)) = report.split_once(",\"versions\":[") else { return report.to_owned() };
    let (_, after) = rest.split_once(']').unwrap();
    format!("{before}{after}")
}

fn output(command: &[&str], path: &str) -> String {
    let Ran { exit, stdout, stderr } = vmconf(&[command, &[path]].concat());
    let mut text = format!("$ vmconf {} {path}\nexit: {exit}\n{}", command[0], shortened(&stdout));
    if !stderr.is_empty() {
        write!(text, "---- stderr\n{stderr}").unwrap();
    }
    text
}

/// Lines of more than 4000 characters without their middle.
fn shortened(text: &str) -> String {
    const MAX_LENGTH: usize = 4000;
    const ENDS: usize = 600;
    let shorten = |line: &str| {
        let characters: Vec<char> = line.chars().collect();
        if characters.len() <= MAX_LENGTH {
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
        let isa = by_name(case.case.machine).expect("a machine").isa;
        let mut executed = Executed::new(isa.unit);
        let machine = execute(&case.case, Some(&mut executed));
        let ended = machine.describe();
        let state = match case.case.machine {
            "evm" => state(machine.inspect(), &ended),
            "neo2" | "neo3" => left(machine.inspect(), ended),
            _ => ended,
        };
        writeln!(text, "{}: {verdict}, {state}; {executed}", case.name).unwrap();
    }
    text
}

/// The verdicts of the runner, which runs without a watch, in words.
fn verdicts(path: &Path) -> Vec<String> {
    let mut verdicts = Vec::new();
    run::run(&sources_of(path), &LoadOptions::default(), &mut |event| {
        if let Event::Finished(report) = event {
            verdicts.push(in_words(&report.verdict));
        }
    });
    verdicts
}

fn in_words(verdict: &Verdict) -> String {
    let reasons: Vec<String> = match verdict {
        Verdict::Pass => return verdict.name().to_owned(),
        Verdict::Fail(failure) => failure.differences.iter().map(differs).collect(),
        Verdict::Error(diagnostics) => diagnostics.iter().map(|it| it.what.clone()).collect(),
        other => vec![format!("{other:?}")],
    };
    format!("{}: {}", verdict.name(), reasons.join("; "))
}

/// A mismatch in one line: `step 2, gas: expected 79988, actual 79987`.
pub(crate) fn differs(difference: &CaseDifference) -> String {
    let CaseDifference { step, at, expected, actual, .. } = difference;
    let step = step.map_or(String::new(), |step| format!("step {step}, "));
    let actual = actual.as_ref().map_or("(absent)".to_owned(), Value::to_string);
    format!("{step}{at}: expected {}, actual {}", short(&expected.to_string()), short(&actual))
}

/// How a NeoVM looks after its run: how it ended, and what is on its result stack.
fn left(machine: &dyn Observe, ended: String) -> String {
    let results = machine.observe("resultStack").unwrap();
    if results.is_empty() { ended } else { format!("{ended}: {}", short(&results.to_string())) }
}

/// The text, or what a long one begins with and how long it is.
pub(crate) fn short(text: &str) -> String {
    const MAX_LENGTH: usize = 160;
    match text.char_indices().nth(MAX_LENGTH) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
    }
}

/// The state of an EVM after its run: the kind and place of a halt, after which nothing else can be
/// compared, or the results of a success.
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

/// An instruction by its name, or the code of an unknown one.
type Kind = Result<&'static str, u16>;

/// The instructions that were executed. Millions are, and this file is compiled without optimisation in `.ci/run`: what
/// is done for each of them calls as little as can be.
struct Executed {
    /// How often each kind was executed, in the order of their first executions.
    kinds: Vec<(Kind, u64)>,
    /// One more than where in `kinds` the kind of each code is; 0 before its first execution.
    by_code: Vec<u16>,
    unit: Unit,
    /// Where each instruction stood, what it was and what was left: two runs whose counts are the same and
    /// whose order is not differ in this.
    hash: Fnv,
}

impl Executed {
    fn new(unit: Unit) -> Executed {
        Executed { kinds: Vec::new(), by_code: vec![0; 1 << 16], unit, hash: Fnv::default() }
    }

    /// Where the kind of a code is that was not executed before. Several codes may have one name.
    fn first(&mut self, at: &At<'_>) -> usize {
        let kind = at.op.map(|op| op.name).ok_or(at.code);
        let index = self.kinds.iter().position(|it| it.0 == kind).unwrap_or(self.kinds.len());
        if index == self.kinds.len() {
            self.kinds.push((kind, 0));
        }
        self.by_code[at.code as usize] = index as u16 + 1;
        index
    }
}

impl Watch for Executed {
    fn before(&mut self, at: &At<'_>) {
        let index = match self.by_code[at.code as usize] {
            0 => self.first(at),
            after => after as usize - 1,
        };
        let (kind, count) = &mut self.kinds[index];
        *count += 1;
        self.hash.add(&(at.pc as u64).to_le_bytes());
        // In a document, the code of an instruction is the number of its row, which means nothing.
        match self.unit {
            Unit::Objects => self.hash.add(name_of(*kind).as_bytes()),
            _ => self.hash.add(&at.code.to_le_bytes()),
        }
        self.hash.add(at.operand);
        self.hash.add(&(at.state.height() as u64).to_le_bytes());
        self.hash.add(&at.state.gas().map_or(0, |gas| gas.left).to_le_bytes());
    }
}

fn name_of(kind: Kind) -> Cow<'static, str> {
    kind.map_or_else(|code| format!("0x{code:02x}").into(), Cow::from)
}

/// `PUSH1 4, ADD 2, STOP 1; trace 8d2f11a3`.
impl fmt::Display for Executed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 12;
        let text = |(kind, count): &(Kind, u64)| format!("{} {count}", name_of(*kind));
        let shown: Vec<_> = self.kinds.iter().take(SHOWN).map(text).collect();
        f.write_str(&shown.join(", "))?;
        let more = self.kinds.len() - shown.len();
        if more > 0 {
            let count: u64 = self.kinds.iter().skip(shown.len()).map(|it| it.1).sum();
            write!(f, ", {count} of {more} more kinds")?;
        }
        write!(f, "; trace {:08x}", self.hash.0 >> 32)
    }
}

/// FNV-1a of 64 bits, which is the same everywhere and always.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, mut bytes: &[u8]) {
        while let [byte, rest @ ..] = bytes {
            self.0 = (self.0 ^ *byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
            bytes = rest;
        }
    }
}
