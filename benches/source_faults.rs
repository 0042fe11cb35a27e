//! How well `vmconf diff` names an instruction whose handler is wrong: faults are planted in the sources, one at a
//! time, and the vectors of the machine are run by the program that results.
//!
//! Unlike the faults of `vmconf mutants`, these know nothing of the rows: an operator, a constant or a statement of a
//! handler is replaced.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

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

/// Faults of one handler that are tried.
const MAX_OF_HANDLER: u32 = 2;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The machine
    machine: String,
    /// How many faults that a vector notices
    #[arg(long, default_value_t = 15)]
    faults: u32,
    /// The order of the faults
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A fault in a source.
struct SourceFault {
    file: PathBuf,
    /// The text to replace.
    range: std::ops::Range<usize>,
    with: &'static str,
    handler: String,
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
    let machine = &arguments.machine;
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let copy = std::env::temp_dir().join(format!("vmconf-source-faults-{machine}"));
    let status = Command::new("git").args(["clone", "--quiet"]).args([&checkout, &copy]).status()?;
    ensure!(status.success(), "the checkout cannot be cloned to {}", copy.display());
    ensure!(build(&copy)?, "the checkout does not build");
    let healthy = copy.join("healthy");
    fs::copy(copy.join("target/debug/vmconf"), &healthy)?;
    let mut faults = faults(&copy, machine)?;
    shuffle(&mut faults, arguments.seed);
    let (mut of_handler, mut itself, mut served) = (BTreeMap::new(), Figures::default(), Figures::default());
    for fault in &faults {
        if itself.noticed == arguments.faults {
            break;
        }
        if of_handler.get(&fault.handler).is_some_and(|count| *count == MAX_OF_HANDLER) {
            continue;
        }
        let source = fs::read_to_string(&fault.file)?;
        let mut wrong = source.clone();
        wrong.replace_range(fault.range.clone(), fault.with);
        fs::write(&fault.file, wrong)?;
        let texts = if build(&copy)? { explanations(&copy, &healthy, machine)? } else { None };
        fs::write(&fault.file, &source)?;
        let Some([own, other]) = texts else { continue };
        *of_handler.entry(fault.handler.clone()).or_insert(0) += 1;
        let line = source[..fault.range.start].lines().count();
        let places =
            [(&own, &mut itself), (&other, &mut served)].map(|(text, figures)| figures.add(text, fault));
        println!(
            "{:?} {}:{line} {:?} to {:?}",
            places,
            fault.handler,
            &source[fault.range.clone()],
            fault.with
        );
    }
    for (who, Figures { noticed, first, named, shown }) in [("in process", itself), ("behind serve", served)]
    {
        println!(
            "{machine} {who}: {noticed} faults, named first {first}, named {named}, on the screen {shown}"
        );
    }
    Ok(())
}

/// Whether it compiles.
fn build(checkout: &Path) -> anyhow::Result<bool> {
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--quiet", "--bin", "vmconf"]).current_dir(checkout).env("CARGO_INCREMENTAL", "1");
    Ok(cargo.stderr(std::process::Stdio::null()).status()?.success())
}

/// Why the case fails that the run shows first: explained by the faulty program, and by a healthy one that runs the
/// faulty one as a testee. `None` if no case fails.
fn explanations(checkout: &Path, healthy: &Path, machine: &str) -> anyhow::Result<Option<[String; 2]>> {
    let faulty = checkout.join("target/debug/vmconf");
    let vmconf = |program: &Path, args: &[&str]| -> anyhow::Result<String> {
        let output = Command::new(program).args(args).env("NO_COLOR", "1").current_dir(checkout).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let report = vmconf(&faulty, &["run", &format!("vectors/{machine}")])?;
    let Some(id) = report.lines().find_map(|line| line.strip_prefix("FAIL  ")) else { return Ok(None) };
    let vm = format!("faulty={} serve {machine}", faulty.display());
    Ok(Some([vmconf(&faulty, &["diff", id])?, vmconf(healthy, &["diff", id, "--vm", &vm])?]))
}

impl Figures {
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
        words.find(|word| word.starts_with(|c: char| c.is_ascii_alphabetic())).map(str::to_lowercase)
    })
}

/// All faults of the handlers of a machine.
fn faults(checkout: &Path, machine: &str) -> anyhow::Result<Vec<SourceFault>> {
    let folder = checkout.join("src/machines").join(machine);
    let mut found = Vec::new();
    for (handler, words) in handlers(&folder)? {
        let (module, function) = handler.rsplit_once("::").context("a handler has a module")?;
        let file = folder.join(module.replace("::", "/")).with_extension("rs");
        let Ok(source) = fs::read_to_string(&file) else { continue };
        let Some(body) = body_of(&source, function) else { continue };
        for (replaced, with) in REPLACEMENTS {
            for (at, _) in source[body.clone()].match_indices(replaced) {
                let start = body.start + at;
                let range = start..start + replaced.len();
                found.push(SourceFault {
                    file: file.clone(),
                    range,
                    with,
                    handler: handler.clone(),
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
        handlers.entry(handler).or_default().extend([name.to_lowercase()].into_iter().chain(keyword));
    }
    ensure!(!handlers.is_empty(), "no rows in {}", folder.display());
    Ok(handlers)
}

/// The body of a function.
fn body_of(source: &str, function: &str) -> Option<std::ops::Range<usize>> {
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
