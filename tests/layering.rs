//! Who may use whom, and what only some may do: the rules of the architecture, read from the sources.
//!
//! The rules are functions of a file's name and text, so that the tests below also show that each
//! of them can be broken.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::collections::BTreeSet;

use support::{at_root, files, relative};

/// What each module of the library may use: modules, or items of them.
const MAY_USE: &[(&str, &[&str])] = &[
    ("value", &[]),
    ("rules", &[]),
    ("suggest", &[]),
    ("schemas", &[]),
    ("json", &["rules", "suggest"]),
    ("shell", &["value::escaped"]),
    ("limits", &[]),
    ("ecdsa", &[]),
    ("isa", &["value"]),
    ("case", &["value"]),
    ("diff", &["case", "value"]),
    ("asm", &["isa", "json::quoted", "value::hex_bytes"]),
    ("disasm", &["isa", "value::bytes_key"]),
    ("nef", &["json", "limits", "value::escaped"]),
    ("machine", &["case", "inspect", "isa", "value"]),
    ("inspect", &["diff::Observe", "value"]),
    ("coverage", &["isa", "machine"]),
    ("blame", &["diff::Observe", "inspect", "isa::OpInfo", "machine", "value"]),
    ("explain", &["blame", "case", "event", "runner", "value", "verdict"]),
    ("trace", &["inspect", "isa", "machine", "value"]),
    // A file of a machine uses its own machine's besides; see `own`.
    (
        "machines",
        &[
            "asm::AsmError",
            "asm::Assembled",
            "asm::Warning",
            "asm::Word",
            "case",
            "diff::Observe",
            "disasm::disassemble",
            "disasm::line_at",
            "ecdsa",
            "inspect",
            "isa",
            "json::quoted",
            "limits",
            "machine",
            "value",
        ],
    ),
    ("edit", &["json"]),
    ("formats", &["case", "edit", "json", "rules", "value"]),
    ("testee", &["asm", "case", "diff::Observe", "inspect", "limits", "machine", "machines", "value"]),
    ("verdict", &["case", "json", "value"]),
    ("event", &["case", "verdict"]),
    ("filter", &["case"]),
    ("config", &["json", "suggest", "verdict"]),
    ("sources", &["case", "value"]),
    ("select", &["case", "filter::glob", "formats", "isa", "machines", "suggest", "value"]),
    ("partition", &["case"]),
    ("compare", &["event", "verdict"]),
    ("answers", &["case"]),
    ("merge", &["case", "event", "formats", "json::Position", "machines", "shell", "value", "verdict"]),
    ("signature", &["case", "value", "verdict"]),
    ("known", &["case", "event", "filter::glob", "json::position", "signature", "suggest", "verdict"]),
    // No insides of machines and formats: only what their lists say.
    (
        "runner",
        &[
            "answers",
            "case",
            "coverage",
            "diff",
            "event",
            "filter",
            "formats",
            "isa",
            "json",
            "known",
            "limits",
            "machine",
            "machines",
            "partition",
            "rules",
            "select",
            "sources",
            "testee",
            "value",
            "verdict",
        ],
    ),
    ("excerpt", &["value", "verdict"]),
    (
        "report",
        &[
            "blame",
            "case",
            "compare",
            "diff::Mismatch",
            "event",
            "excerpt",
            "explain",
            "inspect::Cell",
            "partition",
            "shell",
            "signature",
            "value",
            "verdict",
        ],
    ),
    (
        "check",
        &[
            "asm", "case", "excerpt", "formats", "json", "machine", "machines", "rules", "runner", "sources",
            "testee", "value", "verdict",
        ],
    ),
    ("bless", &["case", "edit", "event", "formats", "runner", "sources", "value", "verdict"]),
];

/// Modules whose members are a list of like things: one may not use another, and outside them only
/// what the list itself says may be used.
const LISTS: &[&str] = &["machines", "formats", "report", "trace"];

/// What stands beside the members of a list for all of them.
const SHARED: &[(&str, &str)] = &[
    ("formats", "envelope"),
    ("formats", "fields"),
    ("formats", "spell"),
    ("report", "block"),
    ("report", "cut"),
    ("report", "groups"),
    ("report", "marked"),
];

/// What only the command line may do.
const COMMAND_LINE_ONLY: &[&str] = &[
    "print!(",
    "println!(",
    "eprint!(",
    "eprintln!(",
    "dbg!(",
    "io::stdout",
    "io::stderr",
    "io::stdin",
    "env::var",
    "env::args",
    "std::env::",
    "process::exit",
    "ExitCode",
];

/// What no source names: folders and files of published suites. A rule for one file is no rule.
const FOREIGN: &[&str] = &[
    "vmtests-20",
    "vmArithmetic",
    "vmBitwise",
    "vmBlockInfo",
    "vmEnvironmental",
    "vmIOandFlow",
    "vmInputLimits",
    "vmLogTest",
    "vmPerformance",
    "vmPushDupSwap",
    "vmRandom",
    "RandomTests",
    "vmSha3",
    "vmSystemOperations",
    "randomVMtest",
    "OpCodes",
    "/suites",
];

/// A source file: its path below `src`, and its text without comments.
struct Source {
    path: String,
    whole: String,
    code: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Source {
        let code = |line: &str| line.split("//").next().unwrap().trim_end().to_owned() + "\n";
        Source { path: path.to_owned(), whole: text.to_owned(), code: text.lines().map(code).collect() }
    }

    /// The names of the module that the file is: `formats::vmtests::lexical`.
    fn module(&self) -> Vec<&str> {
        self.path.trim_end_matches(".rs").split('/').collect()
    }

    fn top(&self) -> &str {
        self.module()[0]
    }

    fn is_command_line(&self) -> bool {
        matches!(self.top(), "main" | "cli")
    }
}

fn sources() -> Vec<Source> {
    let source = |path: std::path::PathBuf| {
        let name = relative(&path);
        Source::new(name.strip_prefix("src/").unwrap(), &std::fs::read_to_string(path).unwrap())
    };
    files("src", "rs").into_iter().map(source).collect()
}

/// Every path that the code names from the top of the crate, `super` resolved, groups spread.
fn uses(source: &Source) -> BTreeSet<String> {
    let module = source.module();
    let mut found = BTreeSet::new();
    // In a macro, `$crate` is written for the crate that expands it.
    for (at, start) in starts(&source.code) {
        let mut above = 0;
        let mut rest = &source.code[at + start.len()..];
        while let Some(further) = rest.strip_prefix("super::") {
            above += 1;
            rest = further;
        }
        let base = match start {
            "super::" if above + 1 > module.len() => continue,
            "super::" => module[..module.len() - 1 - above].join("::"),
            _ => String::new(),
        };
        spread(&base, rest, &mut found);
    }
    found
}

/// Where `crate::`, `vmconf::` and `super::` start a path.
fn starts(code: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for start in ["crate::", "vmconf::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back().unwrap_or(' ');
            if !before.is_alphanumeric() && !matches!(before, '_' | '$' | ':') {
                found.push((at, start));
            }
        }
    }
    found
}

/// Adds the paths at the start of `rest`, which follow `base`.
fn spread(base: &str, rest: &str, found: &mut BTreeSet<String>) {
    let join = |name: &str| if base.is_empty() { name.to_owned() } else { format!("{base}::{name}") };
    if let Some(group) = rest.strip_prefix('{') {
        let mut depth = 0;
        let mut from = 0;
        for (at, character) in group.char_indices() {
            match character {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    spread(base, group[from..at].trim(), found);
                    from = at + 1;
                    if character == '}' {
                        return;
                    }
                }
                _ => {}
            }
        }
        return;
    }
    let end = rest.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(rest.len());
    match &rest[..end] {
        "" => {}
        "self" => drop(found.insert(base.to_owned())),
        name => match rest[end..].strip_prefix("::") {
            Some(further) => spread(&join(name), further, found),
            None => drop(found.insert(join(name))),
        },
    }
}

/// The rules that a file breaks, each with what breaks it.
fn broken_rules(source: &Source) -> Vec<String> {
    let mut broken = Vec::new();
    if source.path.ends_with("mod.rs") {
        broken.push("foo.rs beside foo/, never mod.rs".to_owned());
    }
    if contains_word(&source.code, "unsafe") {
        broken.push("no unsafe".to_owned());
    }
    broken.extend(
        FOREIGN.iter().filter(|name| source.whole.contains(*name)).map(|name| format!("names {name}")),
    );
    if source.is_command_line() || source.top() == "lib" {
        return broken;
    }
    broken.extend(
        COMMAND_LINE_ONLY
            .iter()
            .filter(|it| contains_word(&source.code, it))
            .map(|it| format!("only cli may {it}")),
    );
    match MAY_USE.iter().find(|row| row.0 == source.top()) {
        None => broken.push(format!("{} is in no row of MAY_USE", source.top())),
        Some((_, allowed)) => {
            let forbidden = uses(source).into_iter().filter(|used| !may_use(source, used, allowed));
            broken.extend(forbidden.map(|used| format!("uses {used}")));
        }
    }
    broken
}

fn may_use(source: &Source, used: &str, allowed: &[&str]) -> bool {
    let (names, module): (Vec<&str>, _) = (used.split("::").collect(), source.module());
    // A member of a list, and not what the list's own file says.
    let of_member = LISTS.contains(&names[0]) && names.len() > 2 && names[1].starts_with(char::is_lowercase);
    if names[0] == module[0] {
        let own = module.get(1).is_none_or(|member| *member == names[1]);
        return !of_member || own || SHARED.contains(&(names[0], names[1]));
    }
    // The macro of the rows stands at the top of the crate under the name of its module.
    let listed = |row: &&str| used == *row || used.starts_with(&format!("{row}::"));
    !of_member && allowed.iter().any(listed)
}

/// Whether the code has this with no letter in front.
fn contains_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let letter = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
        let ends = word.ends_with(|it: char| !it.is_alphanumeric())
            || !letter(code[at + word.len()..].chars().next());
        !letter(code[..at].chars().next_back()) && ends
    })
}

#[test]
fn sources_keep_the_rules() {
    let sources = sources();
    assert!(sources.len() > 40, "{} sources", sources.len());
    let broken: Vec<String> = sources
        .iter()
        .flat_map(|source| {
            broken_rules(source).into_iter().map(|rule| format!("src/{}: {rule}", source.path))
        })
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// What is found is what is there: the modules of the library are those of the table.
#[test]
fn every_module_has_a_row() {
    let lib = std::fs::read_to_string(at_root("src/lib.rs")).unwrap();
    let declared: BTreeSet<_> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert_eq!(declared, MAY_USE.iter().map(|row| row.0).collect());
    let used: BTreeSet<String> = sources().iter().flat_map(uses).collect();
    for path in [
        "diff::Observe",
        "json::quoted",
        "machines::evm::frame::Frame",
        "formats::fields::Findings",
        "report::cut::cut",
    ] {
        assert!(used.contains(path), "{path} is not found in {used:?}");
    }
}

#[test]
fn every_rule_can_be_broken() {
    fn check(path: &str, text: &str, rule: Option<&str>) {
        let broken = broken_rules(&Source::new(path, text));
        assert_eq!(
            broken.iter().map(String::as_str).collect::<Vec<_>>(),
            Vec::from_iter(rule),
            "{path}: {text}"
        );
    }
    check("value.rs", "use std::fmt;", None);
    check("value.rs", "use crate::json::Document;", Some("uses json::Document"));
    check("value.rs", "// use crate::json::Document;", None);
    check("value.rs", "fn f() { crate::json::quoted(\"\") }", Some("uses json::quoted"));
    check("value/part.rs", "use super::super::json::quoted;", Some("uses json::quoted"));
    check("value/part.rs", "use super::Value;", None);
    check("case.rs", "use crate::value::{Key, Path};", None);
    check("case.rs", "use crate::{value::Key, diff::{Mismatch}};", Some("uses diff::Mismatch"));
    check("diff.rs", "use crate::json::Document;", Some("uses json::Document"));
    check("machine.rs", "use crate::inspect::Inspect;", None);
    check("inspect.rs", "use crate::diff::{Observe, diff};", Some("uses diff::diff"));
    check("machines.rs", "pub mod evm; static A: I = evm::INFO;", None);
    check(
        "machines/evm/arith.rs",
        "use super::frame::Frame; use crate::isa; use crate::machines::MachineInfo;",
        None,
    );
    check("machines/evm/arith.rs", "use crate::formats::FORMATS;", Some("uses formats::FORMATS"));
    check("machines/neo3/stack.rs", "use super::super::evm::Evm;", Some("uses machines::evm::Evm"));
    check(
        "machines/neo3.rs",
        "use crate::machines::evm::arith::add;",
        Some("uses machines::evm::arith::add"),
    );
    check(
        "formats/vmtests.rs",
        "use super::fields::Fields; use super::{Entry, Format}; use self::lexical::hash;",
        None,
    );
    check("formats/vmtests/lexical.rs", "use crate::formats::fields::wrong_type;", None);
    check("formats/vmtests.rs", "use crate::machines::by_name;", Some("uses machines::by_name"));
    check("formats/neovm.rs", "use super::vmtests::FORMAT;", Some("uses formats::vmtests::FORMAT"));
    check(
        "runner/judge.rs",
        "use crate::machines; use crate::formats::{self, FORMATS}; use super::Options;",
        None,
    );
    check("runner.rs", "use crate::machines::evm::Evm;", Some("uses machines::evm::Evm"));
    check("runner.rs", "use crate::formats::vmtests::FORMAT;", Some("uses formats::vmtests::FORMAT"));
    check("runner.rs", "use crate::report::Report;", Some("uses report::Report"));
    check("report/text.rs", "use super::cut::cut; use super::{Report, Verbosity};", None);
    check("report/text.rs", "use crate::machines::MACHINES;", Some("uses machines::MACHINES"));
    check("report/text.rs", "use crate::diff::diff;", Some("uses diff::diff"));
    check("report/html.rs", "use super::text::Text;", Some("uses report::text::Text"));
    check("testee/embedded.rs", "use crate::event::Event;", Some("uses event::Event"));
    check("new.rs", "", Some("new is in no row of MAY_USE"));
    check("value/mod.rs", "", Some("foo.rs beside foo/, never mod.rs"));
    check("cli/run.rs", "use vmconf::machines::evm::Evm; fn f() { println!(\"\") }", None);
    check("cli/run.rs", "unsafe fn f() {}", Some("no unsafe"));
    check("value.rs", "fn f() { unsafe_code() }", None);
    check("value.rs", "fn f() { println!(\"\") }", Some("only cli may println!("));
    check("value.rs", "fn f() { std::process::exit(1) }", Some("only cli may process::exit"));
    check("filter.rs", "fn f() { env::var(\"A\"); }", Some("only cli may env::var"));
    check("formats/vmtests.rs", "// in vmPerformance only", Some("names vmPerformance"));
}
