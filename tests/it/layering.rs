//! Which modules may use which, and what only some of them may do: the rules of the architecture, read from the
//! sources.
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

/// What only the command line may do. Lints check that only it prints, and that nothing is unsafe.
const COMMAND_LINE_ONLY: &[&str] = &[
    "io::stdout",
    "io::stderr",
    "io::stdin",
    "env::var",
    "env::var_os",
    "env::set_var",
    "env::remove_var",
    "env::set_current_dir",
    "env::{",
    "env::vars",
    "env::vars_os",
    "env::args",
    "env::args_os",
    "env::current_dir",
    "env::current_exe",
    "env::home_dir",
    "env::temp_dir",
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
        let code = |line: &str| without_comment(line).trim_end().to_owned() + "\n";
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

/// A line without its comment. Behind a colon or a quote, as in `"https://"` and `"//"`, none begins.
fn without_comment(line: &str) -> &str {
    let mut starts = line.match_indices("//").map(|(at, _)| &line[..at]);
    starts.find(|before| !before.ends_with([':', '"'])).unwrap_or(line)
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
        // A visibility uses nothing.
        if source.code[..at].ends_with("pub(in ") {
            continue;
        }
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
        let foreign = FOREIGN.iter().filter(|name| source.whole.contains(*name));
        broken.extend(foreign.map(|name| format!("names {name}")));
        if source.is_command_line() || source.top() == "lib" {
            return broken;
        }
        let code = without_tests(&source.code);
        let reserved = COMMAND_LINE_ONLY.iter().filter(|it| contains_word(&code, it));
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

/// A file that needs more is about two things.
#[test]
fn files_are_short() {
    const LINES: usize = 600;
    let lines = |path: &PathBuf| std::fs::read_to_string(path).unwrap().lines().count();
    let long: Vec<_> =
        files("src", "rs").iter().filter(|path| lines(path) > LINES).map(|path| relative(path)).collect();
    assert!(long.is_empty(), "more than {LINES} lines: {long:?}");
}

/// What is found is what is there: the modules of the library are the rows of the map, no row comes back
/// to itself, and the members of the lists are known.
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
    // A file may have several formats.
    let has_format = |source: &Source| {
        source.module().len() == 2 && source.code.replace("BASE: Format = ", "").contains(": Format = ")
    };
    let all = sources();
    let formats = all.iter().filter(|source| source.top() == "formats" && has_format(source));
    assert_eq!(members("formats"), formats.count());
    assert_eq!(members("report"), vmconf::report::REPORTS.len());
    assert_eq!(members("explain/trace"), vmconf::explain::trace::TRACES.len());
    let used: BTreeSet<String> = all.iter().flat_map(uses).collect();
    for path in ["machines::observe::Observe", "text::json::quoted", "machines::evm::frame::EvmFrame"] {
        assert!(used.contains(path), "{path} is not found among {} used paths", used.len());
    }
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
    check("machines/neo3/show.rs", "use crate::machines::neo::show::Items;", None);
    check(
        "machines/neo/show.rs",
        "use crate::machines::neo3::item::Item;",
        Some("uses machines::neo3::item::Item"),
    );
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
    check("report/text.rs", "use super::truncate::truncate; use super::{Report, Verbosity};", None);
    check("report/text.rs", "use crate::machines::MACHINES;", Some("uses machines::MACHINES"));
    check("report/html.rs", "use super::text::Text;", Some("uses report::text::Text"));
    check("testees/embedded.rs", "use crate::run::Options;", Some("uses run::Options"));
    check("explain/trace/text.rs", "use super::json::KIND;", Some("uses explain::trace::json::KIND"));
    check("new.rs", "", Some("new is in no row of the map in src/lib.rs"));
    check("model/mod.rs", "", Some("foo.rs beside foo/, never mod.rs"));
    check("cli/run.rs", "use vmconf::machines::evm::Evm; fn f() { std::process::exit(1) }", None);
    check("model/value.rs", "f(\"https://x\"); io::stdout()", Some("only cli may io::stdout"));
    check("model/value.rs", "fn f() { std::process::exit(1) }", Some("only cli may process::exit"));
    check("run/filter.rs", "fn f() { env::var(\"A\"); }", Some("only cli may env::var"));
    check("run/filter.rs", "fn f() { std::env::var_os(\"A\"); }", Some("only cli may env::var_os"));
    check("run/filter.rs", "use std::env::{var_os};", Some("only cli may env::{"));
    check("run/filter.rs", "fn f() {} #[cfg(test)] mod tests { fn g() { std::env::temp_dir(); } }", None);
    for name in FOREIGN {
        check("formats/vmtests.rs", &format!("// in {name} only"), Some(&format!("names {name}")));
    }
}

/// The code without the items for tests, since a unit test uses what it tests.
fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let (mut kept, mut rest) = (String::new(), code);
    while let Some(at) = rest.find(MARK) {
        let indentation = rest[..at].rsplit('\n').next().unwrap();
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[end_of_item(rest, indentation)..];
    }
    kept + rest
}

/// Where an item ends that begins at this indentation. A block is closed there, or on the line where it is opened.
///
/// # Panics
///
/// If there is no such end: code would be skipped.
fn end_of_item(item: &str, indentation: &str) -> usize {
    let start = item.find([';', '{']).expect("an item");
    let line = item[start..].lines().next().unwrap();
    if line.starts_with(';') {
        return start + 1;
    }
    if line.ends_with('}') {
        return start + line.len();
    }
    let closed = format!("\n{indentation}}}");
    item.find(&closed).expect("a block that is closed where it is opened") + closed.len()
}

/// Which files each file imports, by their places in the list. A path stands for the longest file that it
/// names; a re-export is an import like any other.
fn imports(sources: &[Source]) -> Vec<BTreeSet<usize>> {
    let modules: Vec<String> = sources.iter().map(|source| source.module().join("::")).collect();
    let resolve = |mut path: &str| loop {
        if let Some(file) = modules.iter().position(|module| module == path) {
            return Some(file);
        }
        path = path.rsplit_once("::")?.0;
    };
    let imported = |source: &Source| -> BTreeSet<usize> {
        let source = Source::new(&source.path, &without_tests(&source.code));
        uses(&source).iter().chain(&child_uses(&source)).filter_map(|path| resolve(path)).collect()
    };
    sources.iter().map(imported).collect()
}

/// Every path that the code names from a module that it declares: `pub use child::Thing` in the file above.
fn child_uses(source: &Source) -> BTreeSet<String> {
    let declared = source.code.lines().filter_map(|line| {
        let name = line.trim().strip_suffix(';')?.rsplit_once("mod ")?.1;
        Some(name.to_owned())
    });
    let mut found = BTreeSet::new();
    for name in declared {
        let start = format!("{name}::");
        for (at, _) in source.code.match_indices(&start) {
            let before = source.code[..at].trim_end_matches("self::").chars().next_back().unwrap_or(' ');
            if !before.is_alphanumeric() && !matches!(before, '_' | ':') {
                spread(&source.module().join("::"), &source.code[at..], &mut found);
            }
        }
    }
    found
}

/// The imports that are part of a cycle.
fn cycles(sources: &[Source]) -> Vec<String> {
    let imports = imports(sources);
    let reachable = |from: usize| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(file) = open.pop() {
            open.extend(imports[file].iter().filter(|next| seen.insert(**next)));
        }
        seen
    };
    let reached: Vec<_> = (0..sources.len()).map(reachable).collect();
    let mut found = Vec::new();
    for (from, next) in
        imports.iter().enumerate().flat_map(|(from, all)| all.iter().map(move |it| (from, *it)))
    {
        let (source, other) = (&sources[from], &sources[next]);
        if from != next && reached[next].contains(&from) {
            found.push(format!(
                "{} imports {}, which imports it, perhaps by way of others",
                source.path, other.path
            ));
        }
    }
    found
}

/// The names that `model` has from its files.
fn names_of_the_model(model: &Source) -> BTreeSet<String> {
    let reexports = model.code.split("pub use self::").skip(1).filter_map(|rest| rest.split_once(';'));
    let names = reexports.flat_map(|(path, _)| path.split(|it: char| !it.is_alphanumeric() && it != '_'));
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The imports of a name of `model` by way of its file, though `model` has it.
fn detours(sources: &[Source]) -> Vec<String> {
    let model = sources.iter().find(|source| source.path == "model.rs").expect("the file of the group");
    let names = names_of_the_model(model);
    let imports = |source: &Source| -> Vec<String> {
        let used = uses(source).into_iter().filter(|path| {
            let parts: Vec<_> = path.split("::").collect();
            matches!(parts[..], ["model", file, name, ..] if names.contains(name) && file != name)
        });
        used.map(|path| format!("{}: {path}", source.path)).collect()
    };
    sources.iter().filter(|source| source.top() != "model").flat_map(imports).collect()
}

#[test]
fn names_of_the_model_are_imported_from_one_place() {
    let found = detours(&sources());
    assert!(found.is_empty(), "{}", found.join("\n"));
    let planted = |text: &str| {
        let mut all = sources();
        all.push(Source::new("run/planted.rs", text));
        detours(&all)
    };
    assert_eq!(planted("use crate::model::value::Value;"), ["run/planted.rs: model::value::Value"]);
    assert_eq!(planted("use crate::model::{Value, limits::ROWS};"), [""; 0]);
}

#[test]
fn no_file_imports_what_imports_it() {
    let found = cycles(&sources());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_planted_cycle_is_found() {
    let check = |planted: &[(&str, &str)], expected: &[&str]| {
        let mut all = sources();
        for (path, text) in planted {
            all.retain(|source| source.path != *path);
            all.push(Source::new(path, text));
        }
        let found = cycles(&all);
        assert!(
            expected.iter().all(|it| found.iter().any(|line| line.starts_with(it))),
            "{planted:?}: {found:?}"
        );
        assert_eq!(found.is_empty(), expected.is_empty(), "{planted:?}: {found:?}");
    };
    check(&[("run/one.rs", "use super::two::Two;"), ("run/two.rs", "use super::filter::Filter;")], &[]);
    check(
        &[("run/one.rs", "use super::two::Two;"), ("run/two.rs", "fn f() { super::one::f() }")],
        &["run/one.rs imports run/two.rs", "run/two.rs imports run/one.rs"],
    );
    // By way of a file above that re-exports.
    check(
        &[
            ("run/a.rs", "mod b;\npub use b::B;"),
            ("run/a/b.rs", "use super::super::c::C;"),
            ("run/c.rs", "use super::a::B;"),
        ],
        &["run/a.rs imports run/a/b.rs", "run/a/b.rs imports run/c.rs", "run/c.rs imports run/a.rs"],
    );
    check(
        &[("run/a.rs", "mod b;\nuse self::b::{B};"), ("run/a/b.rs", "use super::A;")],
        &["run/a.rs imports run/a/b.rs"],
    );
    check(&[("cli/a.rs", "use super::b::B;"), ("cli/b.rs", "#[cfg(test)] mod tests { use super::a; }")], &[]);
    // Between groups.
    check(
        &[("model/a.rs", "use crate::text::a::A;"), ("text/a.rs", "use crate::model::a::A;")],
        &["model/a.rs imports text/a.rs"],
    );
    check(
        &[("machines/a.rs", "use super::b::B;"), ("machines/b.rs", "use super::a::A;")],
        &["machines/a.rs imports machines/b.rs"],
    );
}
