//! Who may use whom, and what only some may do: the rules of the architecture, read from the sources.
//!
//! The rules are functions of a file's name and text, so that the tests below also show that each
//! of them can be broken.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::support::{at_root, files, relative};

/// A row of the map in the documentation of the crate: a group, and which others it may use.
struct Group {
    name: String,
    may_use: BTreeSet<String>,
}

/// The map of `src/lib.rs`, read from its table.
fn groups() -> Vec<Group> {
    let lib = std::fs::read_to_string(at_root("src/lib.rs")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("//! | [`")?.split('|').map(str::trim).collect();
        let [name, _, may_use, _] = cells[..] else { panic!("a row of four cells: {line}") };
        let may_use = may_use.split(", ").filter(|name| *name != "nothing").map(str::to_owned).collect();
        Some(Group { name: name.trim_end_matches("`]").to_owned(), may_use })
    };
    lib.lines().filter_map(row).collect()
}

/// Groups that are lists of like things, with the static that lists them. A member uses no other member,
/// and nothing outside the group uses what is in a member.
const LISTS: &[(&str, &str)] =
    &[("machines", "MACHINES"), ("formats", "FORMATS"), ("report", "REPORTS"), ("explain/trace", "TRACES")];

/// The members of the list in this file.
fn members(list: &Source, name: &str) -> BTreeSet<String> {
    let start = list.code.find(&format!("static {name}:")).unwrap();
    let rows = &list.code[start..][..list.code[start..].find("];").unwrap()];
    let before = rows.match_indices("::").map(|(at, _)| &rows[..at]);
    let word = |before: &str| {
        before.rsplit(|it: char| !it.is_alphanumeric() && it != '_').next().unwrap().to_owned()
    };
    before.map(word).filter(|word| word.starts_with(char::is_lowercase)).collect()
}

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
    let source = |path: PathBuf| {
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

/// The map, and the members of the groups that are lists.
struct Rules {
    groups: Vec<Group>,
    lists: Vec<(&'static str, BTreeSet<String>)>,
}

impl Rules {
    fn read() -> Rules {
        let read = |folder: &str| {
            Source::new(folder, &std::fs::read_to_string(at_root(format!("src/{folder}.rs"))).unwrap())
        };
        let list = |(folder, name): &(&'static str, &str)| (*folder, members(&read(folder), name));
        Rules { groups: groups(), lists: LISTS.iter().map(list).collect() }
    }

    /// The rules that a file breaks, each with what breaks it.
    fn broken(&self, source: &Source) -> Vec<String> {
        let mut broken = Vec::new();
        if source.path.ends_with("mod.rs") {
            broken.push("foo.rs beside foo/, never mod.rs".to_owned());
        }
        if contains_word(&source.code, "unsafe") {
            broken.push("no unsafe".to_owned());
        }
        let foreign = FOREIGN.iter().filter(|name| source.whole.contains(*name));
        broken.extend(foreign.map(|name| format!("names {name}")));
        if source.is_command_line() || source.top() == "lib" {
            return broken;
        }
        let reserved = COMMAND_LINE_ONLY.iter().filter(|it| contains_word(&source.code, it));
        broken.extend(reserved.map(|it| format!("only cli may {it}")));
        match self.groups.iter().find(|group| group.name == source.top()) {
            None => broken.push(format!("{} is in no row of the map in src/lib.rs", source.top())),
            Some(group) => {
                let forbidden = uses(source).into_iter().filter(|used| !self.may_use(source, group, used));
                broken.extend(forbidden.map(|used| format!("uses {used}")));
            }
        }
        broken
    }

    fn may_use(&self, source: &Source, group: &Group, used: &str) -> bool {
        let used_group = used.split("::").next().unwrap();
        (used_group == group.name || group.may_use.contains(used_group))
            && !self.is_inside_another(source, used)
    }

    /// Whether this is in a member of a list that the file does not belong to.
    fn is_inside_another(&self, source: &Source, used: &str) -> bool {
        self.lists.iter().any(|(folder, members)| {
            let Some(inside) = used.strip_prefix(&folder.replace('/', "::")) else { return false };
            let Some(member) = inside.strip_prefix("::").and_then(|it| it.split("::").next()) else {
                return false;
            };
            let own = format!("{folder}/{member}");
            let is_own = source.path == format!("{own}.rs") || source.path.starts_with(&format!("{own}/"));
            let is_list = source.path == format!("{folder}.rs");
            members.contains(member) && !is_own && !is_list
        })
    }
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
    let (rules, sources) = (Rules::read(), sources());
    assert!(sources.len() > 40, "{} sources", sources.len());
    let broken_by = |source: &Source| {
        rules
            .broken(source)
            .into_iter()
            .map(|rule| format!("src/{}: {rule}", source.path))
            .collect::<Vec<_>>()
    };
    let broken: Vec<String> = sources.iter().flat_map(broken_by).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// What is found is what is there: the modules of the library are the rows of the map, no row comes back
/// to itself, and the members of the lists are known.
/// A file that needs more is about two things.
#[test]
fn files_are_short() {
    const LINES: usize = 600;
    let lines = |path: &PathBuf| std::fs::read_to_string(path).unwrap().lines().count();
    let long: Vec<_> =
        files("src", "rs").iter().filter(|path| lines(path) > LINES).map(|path| relative(path)).collect();
    assert!(long.is_empty(), "more than {LINES} lines: {long:?}");
}

#[test]
fn the_map_names_every_group() {
    let lib = std::fs::read_to_string(at_root("src/lib.rs")).unwrap();
    let declared: BTreeSet<_> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let rules = Rules::read();
    assert_eq!(declared, rules.groups.iter().map(|group| &*group.name).collect());
    let mut known = BTreeSet::new();
    for group in &rules.groups {
        let unknown: Vec<_> = group.may_use.difference(&known).collect();
        assert!(unknown.is_empty(), "{} may use {unknown:?}, which no row above it is", group.name);
        known.insert(group.name.clone());
    }
    let members = |folder| rules.lists.iter().find(|list| list.0 == folder).unwrap().1.len();
    assert_eq!(members("machines"), vmconf::machines::MACHINES.len());
    assert_eq!(members("report"), vmconf::report::REPORTS.len());
    assert_eq!(members("explain/trace"), vmconf::explain::trace::TRACES.len());
    let used: BTreeSet<String> = sources().iter().flat_map(uses).collect();
    for path in ["machines::observe::Observe", "text::json::quoted", "machines::evm::frame::Frame"] {
        assert!(used.contains(path), "{path} is not found in {used:?}");
    }
}

/// Folders whose files use each other in one direction only. The file beside the folder uses all in it.
const ACYCLIC: &[&str] = &["cli"];

/// The files of a folder that are part of an import cycle, or use one that is.
fn cyclic(folder: &str, sources: &[Source]) -> BTreeSet<String> {
    let name = |source: &Source| source.module().join("::");
    let inside: Vec<_> = sources.iter().filter(|source| source.top() == folder).collect();
    let names: BTreeSet<String> = inside.iter().map(|source| name(source)).collect();
    // The file that declares what a path names: that of the longest name in front.
    let file = |path: &str| {
        let ends = path.match_indices("::").map(|(at, _)| at).chain([path.len()]);
        ends.filter_map(|end| names.get(&path[..end])).max_by_key(|name| name.len()).cloned()
    };
    let mut open: Vec<(String, BTreeSet<String>)> = Vec::new();
    for source in &inside {
        // A unit test uses what it tests.
        let code = source.code.split("#[cfg(test)]").next().unwrap();
        let used = uses(&Source::new(&source.path, code)).iter().filter_map(|path| file(path)).collect();
        let all = names.iter().filter(|name| *name != folder).cloned().collect();
        open.push((name(source), if source.path == format!("{folder}.rs") { all } else { used }));
    }
    loop {
        let unordered: BTreeSet<String> = open.iter().map(|(name, _)| name.clone()).collect();
        let before = open.len();
        open.retain(|(name, used)| used.iter().any(|used| used != name && unordered.contains(used)));
        if open.len() == before {
            return unordered;
        }
    }
}

#[test]
fn files_of_a_folder_form_an_order() {
    let sources = sources();
    for folder in ACYCLIC {
        let cyclic = cyclic(folder, &sources);
        assert!(cyclic.is_empty(), "import cycles in {folder}: {cyclic:?}");
    }
}

#[test]
fn a_cycle_is_found() {
    let check = |files: &[(&str, &str)], expected: &[&str]| {
        let sources: Vec<_> = files.iter().map(|(path, text)| Source::new(path, text)).collect();
        let found = cyclic("cli", &sources);
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{files:?}");
    };
    let top = ("cli.rs", "mod a; mod b; mod c;");
    let used = ("cli/c.rs", "use vmconf::run; use super::super::cli::c::Own;");
    check(&[top, ("cli/a.rs", "use super::b::B;"), ("cli/b.rs", "use super::c;"), used], &[]);
    check(
        &[top, ("cli/a.rs", "use super::{b::{B}, c};"), ("cli/b.rs", "use super::a;"), used],
        &["cli", "cli::a", "cli::b"],
    );
    check(&[top, ("cli/a.rs", "use super::Cli;"), used], &["cli", "cli::a"]);
    check(
        &[top, ("cli/a.rs", "use super::b;"), ("cli/b.rs", "#[cfg(test)] mod tests { use super::a; }")],
        &[],
    );
    check(
        &[
            ("cli/a.rs", "use super::b::part::X;"),
            ("cli/b.rs", ""),
            ("cli/b/part.rs", "use crate::cli::a::A;"),
        ],
        &["cli::a", "cli::b::part"],
    );
}

#[test]
fn every_rule_can_be_broken() {
    let rules = Rules::read();
    let check = |path: &str, text: &str, rule: Option<&str>| {
        let broken = rules.broken(&Source::new(path, text));
        assert_eq!(
            broken.iter().map(String::as_str).collect::<Vec<_>>(),
            Vec::from_iter(rule),
            "{path}: {text}"
        );
    };
    check("model/value.rs", "use std::fmt;", None);
    check("model/value.rs", "use crate::text::json::Document;", Some("uses text::json::Document"));
    check("model/value.rs", "// use crate::text::json::Document;", None);
    check("model/value.rs", "fn f() { crate::text::json::quoted(\"\") }", Some("uses text::json::quoted"));
    check("model/value/part.rs", "use super::super::super::isa::Isa;", Some("uses isa::Isa"));
    check("model/value.rs", "use super::path::{Key, Path};", None);
    check("text/edit.rs", "use crate::{model::value::Value, run::{Options}};", Some("uses run::Options"));
    check("machines/machine.rs", "use super::inspect::Inspect;", None);
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
        "run/execute.rs",
        "use crate::machines; use crate::formats::{self, FORMATS}; use super::Options;",
        None,
    );
    check("run.rs", "use crate::machines::evm::Evm;", Some("uses machines::evm::Evm"));
    check("run/load.rs", "use crate::formats::vmtests::FORMAT;", Some("uses formats::vmtests::FORMAT"));
    check("run.rs", "use crate::report::Report;", Some("uses report::Report"));
    check("report/text.rs", "use super::truncate::cut; use super::{Report, Verbosity};", None);
    check("report/text.rs", "use crate::machines::MACHINES;", Some("uses machines::MACHINES"));
    check("report/html.rs", "use super::text::Text;", Some("uses report::text::Text"));
    check("testees/embedded.rs", "use crate::run::Options;", Some("uses run::Options"));
    check("explain/trace/text.rs", "use super::jsonl::KIND;", Some("uses explain::trace::jsonl::KIND"));
    check("new.rs", "", Some("new is in no row of the map in src/lib.rs"));
    check("model/mod.rs", "", Some("foo.rs beside foo/, never mod.rs"));
    check("cli/run.rs", "use vmconf::machines::evm::Evm; fn f() { println!(\"\") }", None);
    check("cli/run.rs", "unsafe fn f() {}", Some("no unsafe"));
    check("model/value.rs", "fn f() { unsafe_code() }", None);
    check("model/value.rs", "fn f() { println!(\"\") }", Some("only cli may println!("));
    check("model/value.rs", "fn f() { std::process::exit(1) }", Some("only cli may process::exit"));
    check("run/filter.rs", "fn f() { env::var(\"A\"); }", Some("only cli may env::var"));
    check("formats/vmtests.rs", "// in vmPerformance only", Some("names vmPerformance"));
}
