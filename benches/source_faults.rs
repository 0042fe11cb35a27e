//! How well `vmconf diff` names an instruction whose handler is wrong: faults are planted in the sources of a clone,
//! and the vectors of the machine are run with one fault at a time.
//!
//! All faults are compiled into one program, each as another body of its handler behind a switch, since a build takes
//! much longer than what is measured.
//!
//! Unlike the faults of `vmconf mutants`, these know nothing of the rows: an operator, a constant or a statement of a
//! handler is replaced.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};

/// What is replaced by what.
const REPLACEMENTS: &[(&str, &str)] = &[
    (" + ", " - "),
    (" - ", " + "),
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    (" == ", " != "),
    (" != ", " == "),
    (" * ", " + "),
    (" / ", " * "),
    (" & ", " | "),
    (" | ", " & "),
    (" << ", " >> "),
    (" >> ", " << "),
    (" && ", " || "),
    (" || ", " && "),
    ("wrapping_add", "wrapping_sub"),
    ("wrapping_sub", "wrapping_add"),
    ("wrapping_mul", "wrapping_add"),
    ("(0)", "(1)"),
    ("(1)", "(2)"),
    (", 0)", ", 1)"),
    (", 1)", ", 2)"),
    ("31", "30"),
    ("32", "31"),
    ("true", "false"),
    ("false", "true"),
];

/// What is replaced in [`REPLACEMENTS`] that can be the length of an array.
const LENGTHS: &[&str] = &["31", "32"];
/// Faults of one handler that a vector may notice.
const MAX_OF_HANDLER: u32 = 2;
/// Faults of one handler that are planted; most of the others would be noticed no better.
const MAX_PLANTED_OF_HANDLER: usize = 8;
/// How long a run with a fault may take.
const MAX_SECONDS: &str = "20";
/// How often faults that do not compile are taken out; errors of later passes of the compiler show only then.
const MAX_CHECKS: u32 = 12;
/// The environment variable that says which fault is on.
const SWITCH: &str = "VMCONF_PLANTED_FAULT";
/// What the library gets to ask which fault is on.
const SWITCH_SOURCE: &str = r#"
pub(crate) fn planted_fault() -> u32 {
    static FAULT: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {
        std::env::var("VMCONF_PLANTED_FAULT").ok().and_then(|number| number.parse().ok()).unwrap_or(0)
    });
    *FAULT
}
"#;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The machines
    #[arg(required = true)]
    machines: Vec<String>,
    /// How many faults of a machine that a vector notices
    #[arg(long, default_value_t = 15)]
    faults: u32,
    /// The order of the faults
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A fault in a source.
struct SourceFault {
    /// The value of [`SWITCH`] that turns it on.
    number: u32,
    machine: String,
    file: PathBuf,
    /// The body of the handler.
    body: Range<usize>,
    /// The text to replace, in the file.
    range: Range<usize>,
    replaced: &'static str,
    with: &'static str,
    handler: String,
    line: usize,
    /// The words for the instructions of the handler, in lower case.
    words: Vec<String>,
}

/// How often an instruction of the handler is named, by whoever runs the machine.
#[derive(Default)]
struct Figures {
    noticed: u32,
    first: u32,
    named: u32,
    shown: u32,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let copy = std::env::temp_dir().join("vmconf-source-faults");
    update_copy(&checkout, &copy)?;
    let mut faults = Vec::new();
    for machine in &arguments.machines {
        faults.extend(faults_of(&copy, machine)?);
    }
    shuffle(&mut faults, arguments.seed);
    keep_some_of_each_handler(&mut faults);
    for (fault, number) in faults.iter_mut().zip(1..) {
        fault.number = number;
    }
    plant_what_compiles(&copy, &mut faults)?;
    let (mut itself, mut served) = (Figures::default(), Figures::default());
    for machine in &arguments.machines {
        let faults: Vec<_> = faults.iter().filter(|fault| fault.machine == *machine).collect();
        let figures = measure(&copy, &faults, arguments.faults)?;
        figures[0].print(machine, "in process");
        figures[1].print(machine, "behind serve");
        itself.include(&figures[0]);
        served.include(&figures[1]);
    }
    itself.print("all machines", "in process");
    served.print("all machines", "behind serve");
    Ok(())
}

/// Tries the faults of a machine until so many are noticed.
fn measure(copy: &Path, faults: &[&SourceFault], enough: u32) -> anyhow::Result<[Figures; 2]> {
    let (mut of_handler, mut itself, mut served) = (BTreeMap::new(), Figures::default(), Figures::default());
    for fault in faults {
        if itself.noticed == enough {
            break;
        }
        if of_handler.get(&fault.handler).is_some_and(|count| *count == MAX_OF_HANDLER) {
            continue;
        }
        let Some([own, other]) = explanations(copy, fault)? else { continue };
        *of_handler.entry(&fault.handler).or_insert(0) += 1;
        let places = [itself.add(&own, fault), served.add(&other, fault)];
        let SourceFault { number, machine, handler, line, replaced, with, .. } = fault;
        println!("{places:?} {machine} {number} {handler}:{line} {replaced:?} to {with:?}");
    }
    Ok([itself, served])
}

/// Clones the checkout, or brings the clone of an earlier measurement up to date.
fn update_copy(checkout: &Path, copy: &Path) -> anyhow::Result<()> {
    let git = |args: &[&OsStr]| -> anyhow::Result<()> {
        let status = Command::new("git").args(args).status()?;
        ensure!(status.success(), "git {args:?} fails");
        Ok(())
    };
    if !copy.exists() {
        return git(&["clone".as_ref(), "--quiet".as_ref(), checkout.as_ref(), copy.as_ref()]);
    }
    let inside = |words: &[&str]| {
        let folder = [OsStr::new("-C"), copy.as_ref()];
        git(&folder.into_iter().chain(words.iter().map(OsStr::new)).collect::<Vec<_>>())
    };
    inside(&["fetch", "--quiet", "origin", "HEAD"])?;
    inside(&["reset", "--quiet", "--hard", "FETCH_HEAD"])
}

/// Drops faults of handlers that have many.
fn keep_some_of_each_handler(faults: &mut Vec<SourceFault>) {
    let mut counts = BTreeMap::new();
    faults.retain(|fault| {
        let count = counts.entry((fault.machine.clone(), fault.handler.clone())).or_insert(0);
        *count += 1;
        *count <= MAX_PLANTED_OF_HANDLER
    });
}

/// Builds one program with all faults that compile, each behind the switch; drops the others.
fn plant_what_compiles(copy: &Path, faults: &mut Vec<SourceFault>) -> anyhow::Result<()> {
    let library = copy.join("src/lib.rs");
    let source = fs::read_to_string(&library)?;
    fs::write(&library, source + SWITCH_SOURCE)?;
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    for fault in faults.iter() {
        files.insert(fault.file.clone(), fs::read_to_string(&fault.file)?);
    }
    for _ in 0..MAX_CHECKS {
        let arms = plant(&files, faults)?;
        let mut errors = errors(copy, &["check", "--lib"])?;
        if errors.is_empty() {
            errors = self::errors(copy, &["build", "--bin", "vmconf"])?;
        }
        if errors.is_empty() {
            return Ok(());
        }
        let is_wrong = |(file, lines, _): &&(PathBuf, Range<usize>, u32)| {
            errors.iter().any(|(wrong, line)| wrong == file && lines.contains(line))
        };
        let wrong: BTreeSet<_> = arms.iter().filter(is_wrong).map(|(_, _, number)| *number).collect();
        ensure!(!wrong.is_empty(), "the checkout does not build: {errors:?}");
        faults.retain(|fault| !wrong.contains(&fault.number));
    }
    bail!("faults that do not compile are left after {MAX_CHECKS} checks")
}

/// Writes the files with the faults; returns the lines of each fault.
fn plant(
    files: &BTreeMap<PathBuf, String>,
    faults: &[SourceFault],
) -> anyhow::Result<Vec<(PathBuf, Range<usize>, u32)>> {
    let mut arms = Vec::new();
    for (file, source) in files {
        let mut bodies: BTreeMap<usize, Vec<&SourceFault>> = BTreeMap::new();
        for fault in faults.iter().filter(|fault| fault.file == *file) {
            bodies.entry(fault.body.start).or_default().push(fault);
        }
        let (mut text, mut copied) = (String::new(), 0);
        for (start, of_body) in bodies {
            text += &source[copied..start];
            text += "match crate::planted_fault() {";
            // In a constant function, the switch itself is the error.
            let switch = text.matches('\n').count() + 1;
            arms.extend(of_body.iter().map(|fault| (file.clone(), switch..switch + 1, fault.number)));
            for fault in of_body {
                let SourceFault { number, body, range, with, .. } = fault;
                let first = text.matches('\n').count() + 2;
                let (before, after) = (&source[body.start..range.start], &source[range.end..body.end]);
                text += &format!("\n{number} => {{{before}{with}{after}}}");
                arms.push((file.clone(), first..text.matches('\n').count() + 2, *number));
                copied = body.end;
            }
            text += &format!("\n_ => {{{}}}}}", &source[start..copied]);
        }
        text += &source[copied..];
        fs::write(file, text)?;
    }
    Ok(arms)
}

/// The files and lines of the compiler's errors.
fn errors(copy: &Path, command: &[&str]) -> anyhow::Result<Vec<(PathBuf, usize)>> {
    let mut cargo = Command::new("cargo");
    cargo.args(command).args(["--message-format", "json"]).current_dir(copy).env("CARGO_INCREMENTAL", "1");
    let output = cargo.stderr(Stdio::null()).output()?;
    let mut errors = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let message: serde_json::Value = serde_json::from_str(line)?;
        let message = &message["message"];
        if message["level"] != "error" {
            continue;
        }
        for span in message["spans"].as_array().into_iter().flatten() {
            let file = span["file_name"].as_str().context("a span has a file")?;
            let line = span["line_start"].as_u64().context("a span has a line")?;
            errors.push((copy.join(file), usize::try_from(line)?));
        }
    }
    ensure!(output.status.success() || !errors.is_empty(), "cargo {command:?} fails");
    Ok(errors)
}

/// Why the case fails that the run shows first: explained by the faulty program, and by a healthy one that runs the
/// faulty one as a testee. `None` if no case fails.
fn explanations(copy: &Path, fault: &SourceFault) -> anyhow::Result<Option<[String; 2]>> {
    let SourceFault { number, machine, .. } = fault;
    let program = copy.join("target/debug/vmconf");
    let vmconf = |number: u32, args: &[&str]| -> anyhow::Result<String> {
        // A handler may loop for ever.
        let mut command = Command::new("timeout");
        command
            .arg(MAX_SECONDS)
            .arg(&program)
            .args(args)
            .env("NO_COLOR", "1")
            .env(SWITCH, number.to_string())
            .current_dir(copy);
        Ok(String::from_utf8_lossy(&command.output()?.stdout).into_owned())
    };
    let report = vmconf(*number, &["run", &format!("vectors/{machine}")])?;
    let Some(id) = report.lines().find_map(|line| line.strip_prefix("FAIL  ")) else { return Ok(None) };
    let vm = format!("faulty=env {SWITCH}={number} {} serve {machine}", program.display());
    Ok(Some([vmconf(*number, &["diff", id])?, vmconf(0, &["diff", id, "--vm", &vm])?]))
}

impl Figures {
    fn include(&mut self, other: &Self) {
        self.noticed += other.noticed;
        self.first += other.first;
        self.named += other.named;
        self.shown += other.shown;
    }

    fn print(&self, machine: &str, who: &str) {
        let Self { noticed, first, named, shown } = self;
        println!(
            "{machine} {who}: {noticed} faults, named first {first}, named {named}, on the screen {shown}"
        );
    }

    /// Counts an explanation; returns the best place at which it names an instruction of the handler.
    fn add(&mut self, text: &str, fault: &SourceFault) -> &'static str {
        let named: Vec<_> = text.lines().flat_map(named).collect();
        let is_it = |word: &String| fault.words.contains(word);
        let words = |text: &str| {
            text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .map(str::to_lowercase)
                .collect::<Vec<_>>()
        };
        self.noticed += 1;
        let is_shown = words(text).iter().any(is_it);
        self.shown += u32::from(is_shown);
        if named.first().is_some_and(is_it) {
            (self.first, self.named) = (self.first + 1, self.named + 1);
            return "first";
        }
        if named.iter().any(is_it) {
            self.named += 1;
            return "named";
        }
        if is_shown { "shown" } else { "nowhere" }
    }
}

/// The instructions that a line of an explanation names, in lower case: `step 3, 0x04 EQ of 2, 5`.
fn named(line: &str) -> impl Iterator<Item = String> {
    let steps = line.split("step ").skip(1);
    steps.filter_map(|part| {
        let mut words = part.split_whitespace();
        words.next().filter(|number| number.starts_with(|c: char| c.is_ascii_digit()))?;
        let mut words = words.skip(1).filter(|word| !matches!(*word, "driver:" | "testee:" | "line"));
        let name = words.find(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))?;
        Some(name.trim_end_matches(';').to_lowercase())
    })
}

/// All faults of the handlers of a machine, without their numbers.
fn faults_of(copy: &Path, machine: &str) -> anyhow::Result<Vec<SourceFault>> {
    let folder = copy.join("src/machines").join(machine);
    let mut found = Vec::new();
    for (handler, words) in handlers(&folder)? {
        let (module, function) = handler.rsplit_once("::").context("a handler has a module")?;
        let file = folder.join(module.replace("::", "/")).with_extension("rs");
        let Ok(source) = fs::read_to_string(&file) else { continue };
        let Some(body) = body_of(&source, function) else { continue };
        // Another length of bytes is an error within the library of numbers, which names no line of ours.
        let has_lengths = source[body.clone()].contains("_bytes");
        for (replaced, with) in REPLACEMENTS {
            if has_lengths && LENGTHS.contains(replaced) {
                continue;
            }
            for (at, _) in source[body.clone()].match_indices(replaced) {
                let start = body.start + at;
                found.push(SourceFault {
                    number: 0,
                    machine: machine.to_owned(),
                    file: file.clone(),
                    body: body.clone(),
                    range: start..start + replaced.len(),
                    replaced,
                    with,
                    handler: handler.clone(),
                    line: source[..start].lines().count(),
                    words: words.clone(),
                });
            }
        }
    }
    Ok(found)
}

/// The handlers of a table, each with the words for its instructions.
fn handlers(folder: &Path) -> anyhow::Result<BTreeMap<String, Vec<String>>> {
    let table = fs::read_to_string(folder.join("opcodes.rs"))?;
    let mut handlers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in table.lines() {
        let Some((row, _)) = line.split_once(',') else { continue };
        let is_name = |word: &&str| {
            word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        };
        let name = row.split_whitespace().find(is_name);
        let handler = row.split_whitespace().next_back().filter(|word| word.contains("::"));
        let (Some(name), Some(handler)) = (name, handler) else { continue };
        let handler = handler.split("::<").next().unwrap_or(handler).to_owned();
        let keyword = row.split('"').nth(1).map(str::to_lowercase);
        // TinyVM's comparisons with 0 have their own spelling.
        let with_zero = keyword.iter().map(|keyword| format!("{keyword}z")).collect::<Vec<_>>();
        let words = [name.to_lowercase()].into_iter().chain(keyword).chain(with_zero);
        handlers.entry(handler).or_default().extend(words);
    }
    ensure!(!handlers.is_empty(), "no rows in {}", folder.display());
    Ok(handlers)
}

/// The body of a function.
fn body_of(source: &str, function: &str) -> Option<Range<usize>> {
    let head = ["(", "<"].iter().find_map(|next| source.find(&format!("fn {function}{next}")))?;
    let start = head + source[head..].find('{')? + 1;
    let mut depth = 1;
    let end = source[start..].find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    })?;
    Some(start..start + end)
}

/// Orders by a seed, as SplitMix64 has it.
fn shuffle<T>(items: &mut [T], mut seed: u64) {
    for index in (1..items.len()).rev() {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (seed ^ seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        items.swap(index, ((mixed ^ mixed >> 31) % (index as u64 + 1)) as usize);
    }
}
