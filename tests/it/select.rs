//! The language of `-E`: its meaning, its syntax errors, and that a printed expression is parsed to the
//! same expression.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;
use std::sync::Arc;

use crate::support::{WRONG, at_root, command, ended, files_of, golden, ran, vmconf};
use proptest::prelude::*;
use tempfile::TempDir;
use vmconf::formats::{self, Format};
use vmconf::isa::OpSet;
use vmconf::model::{Case, CaseId, CaseReport, Event, Verdict, VerdictKind};
use vmconf::run::expression::{CaseInfo, Expr, ExprSelection, MAX_NESTED, PREDICATES};
use vmconf::run::{self, LoadOptions, RunOptions};
use vmconf::text::shell::ShellWords;

const STORAGE: &str = "vectors/evm/storage/sload-sstore.json";

fn listed(args: &[&str]) -> Vec<String> {
    let ran = vmconf(&[&["list"], args].concat());
    assert!(matches!(ran.exit, 0 | 4), "{args:?}: {ran:?}");
    ran.stdout.lines().map(str::to_owned).collect()
}

/// The files and folders of own vectors of these machines, without the tables of instructions, which are most cases.
fn vectors(machines: &[&str]) -> Vec<String> {
    let paths = machines.iter().flat_map(|machine| fs::read_dir(at_root("vectors").join(machine)).unwrap());
    let paths = paths.map(|entry| entry.unwrap().path());
    let read = paths.filter(|path| path.is_dir() || path.extension().is_some_and(|it| it == "json"));
    let others = read.filter(|path| !path.ends_with("tables"));
    others.map(|path| path.strip_prefix(at_root("")).unwrap().display().to_string()).collect()
}

fn all_vectors() -> Vec<String> {
    vectors(&["ethereum", "evm", "minic89", "neo2", "neo3", "tinyvm"])
}

fn selected(expr: &str) -> BTreeSet<String> {
    selected_in(&all_vectors(), expr)
}

fn selected_in(paths: &[String], expr: &str) -> BTreeSet<String> {
    listed_in(paths, &["-E", expr]).into_iter().collect()
}

fn listed_in(paths: &[String], args: &[&str]) -> Vec<String> {
    let paths: Vec<_> = paths.iter().map(String::as_str).collect();
    listed(&[&paths[..], args].concat())
}

#[test]
fn predicates_select_cases() {
    let all = selected("not name(no-such-name)");
    assert_eq!(all.len(), listed_in(&all_vectors(), &[]).len());
    let evm = selected("machine(evm)");
    assert_eq!(evm, listed_in(&vectors(&["evm"]), &[]).into_iter().collect());
    assert_eq!(evm, selected("path(vectors/evm/*)"));
    assert_eq!(evm, selected("format(VMTests)"));
    assert_eq!(selected("machine(neo*)"), selected("machine(neo2) or machine(neo3)"));
    assert_eq!(
        selected("id(~store-3)"),
        listed_in(&all_vectors(), &["--filter", "store-3"]).into_iter().collect()
    );
    assert_eq!(selected(&format!("id({STORAGE}::store-3)")).len(), 1);
    assert!(selected("name(store-3)").contains(&format!("{STORAGE}::store-3")));
    assert!(selected("name(STORE-3)").is_empty());
    // A reason as `vmconf coverage` shows it: for any number, of which one vector has another one
    let deep = selected("fails(CALL, MaxInvocationStackSize exceed: 1024)");
    let any = selected("fails(CALL, MaxInvocationStackSize exceed: N)");
    assert!(!deep.is_empty() && deep.is_subset(&any));
    assert_eq!(any.len(), deep.len() + 1);

    let (uses, executes) = (selected("uses(SSTORE)"), selected("op(sstore)"));
    assert!(executes.is_subset(&uses) && executes.len() < uses.len());
    assert!(uses.is_subset(&selected("machine(evm) or machine(ethereum)")));
    assert_eq!(selected("uses(SSTORE) and not op(SSTORE)"), &uses - &executes);

    // A script of no byte returns all the same; nothing else is executed that is not there.
    let returns_at_once = selected("machine(neo*) and op(RET) and not op([!R]*) and not uses(*)");
    assert!(!returns_at_once.is_empty());
    for machine in ["evm", "neo2", "neo3", "tinyvm", "minic89"] {
        let paths = vectors(&[machine]);
        let selected = |expr: &str| selected_in(&paths, expr);
        let some = selected("op(*)");
        assert!(!some.is_empty(), "{machine}");
        let nowhere = &some - &selected("uses(*)");
        assert_eq!(&nowhere - &returns_at_once, BTreeSet::new(), "{machine}");
        assert!(!selected("expects(*)").is_empty(), "{machine}");
    }
    assert_eq!(selected("expects(halt) and machine(evm)"), selected("machine(evm) and not expects(success)"));
}

#[test]
fn predicates_about_the_last_run() {
    let cache = TempDir::new().unwrap();
    let cached = |args: &[&str]| ran(command(args).env("VMCONF_CACHE", cache.path()).output().unwrap());
    let before = cached(&["list", "-E", "verdict(fail)"]);
    assert_eq!((before.exit, before.stdout.as_str()), (4, ""));
    assert!(before.stderr.contains("no run from this folder is recorded"), "{}", before.stderr);
    assert_eq!(cached(&["run", WRONG, STORAGE]).exit, 1);
    let failed = cached(&["list", WRONG, STORAGE, "-E", "verdict(fail)"]).stdout;
    assert!(failed.lines().count() > 10 && failed.lines().all(|id| id.starts_with(WRONG)), "{failed}");
    let passed = cached(&["list", WRONG, STORAGE, "-E", "verdict(pass) and path(vectors/*)"]).stdout;
    assert_eq!(passed.lines().count(), listed(&[STORAGE]).len());
}

#[test]
fn every_command_with_cases_accepts_expressions() {
    assert_eq!(
        vmconf(&["run", STORAGE, "-E", "name(store-3)"]).stdout,
        "1 passed, 0 failed, 0 errors, 0 skipped in TIME s\n"
    );
    assert!(vmconf(&["check", STORAGE, "-E", "name(store-3)"]).stdout.contains("1 case"));
    assert_eq!(vmconf(&["diff", STORAGE, "-E", "name(store-3)"]).stdout, "1 passed, nothing differs\n");
    assert_eq!(vmconf(&["run", STORAGE, "-E", "name(nonsense)"]).exit, 4);
    assert_eq!(vmconf(&["run", STORAGE, "-E", "name("]).exit, 2);
}

/// Whatever the help offers for `verdict` is accepted, and every verdict is offered.
#[test]
fn every_verdict_is_offered() {
    let doc = PREDICATES.iter().find(|predicate| predicate.name == "verdict").unwrap().doc;
    for &kind in VerdictKind::ALL {
        assert!(doc.contains(kind.name()), "{} is not in {doc}", kind.name());
        format!("verdict({})", kind.name()).parse::<Expr>().unwrap();
    }
}

/// Several expressions select what one of them selects, several forks likewise, and a case has both.
#[test]
fn repeated_expressions_are_joined() {
    let both = listed(&["vectors", "-E", "machine(evm)", "-E", "fork(Paris)"]);
    assert_eq!(both, listed(&["vectors", "-E", "machine(evm) or fork(Paris)"]));
    let forks = listed(&["vectors", "--fork", "Paris", "--fork", "london"]);
    assert_eq!(forks, listed(&["vectors", "-E", "fork(Paris) or fork(London)"]));
    assert!(!forks.is_empty());
    let narrow = listed(&["vectors", "--fork", "Paris", "-E", "name(~prevrandao)", "-E", "name(~push0)"]);
    let joined = "fork(Paris) and (name(~prevrandao) or name(~push0))";
    assert_eq!(narrow, listed(&["vectors", "-E", joined]));
    assert!(!both.is_empty() && !narrow.is_empty() && narrow.len() < forks.len());
    let unknown = vmconf(&["list", "--fork", "Lodnon"]);
    let expected = "error: --fork: unknown fork \"Lodnon\"; did you mean London?\n";
    assert_eq!((unknown.exit, unknown.stderr.as_str()), (2, expected));
    let words: ShellWords = ["-E", "a(1)", "x.json", "-E", "b(2)"].into_iter().collect();
    assert_eq!(words.narrowed("c(3)").to_string(), " x.json -E '((a(1)) or (b(2))) and c(3)'");
}

/// Every outcome that a vector demands is accepted by `expects`, every fork by `fork`, under all its names.
#[test]
fn every_outcome_and_fork_is_accepted_under_all_names() {
    for expr in ["expects(refusal)", "expects(HALTED)", "expects(illegalYield)", "expects(BREAK)"] {
        assert!(!selected(expr).is_empty(), "{expr}");
    }
    let of_ethereum = |expr: &str| listed(&["vectors/ethereum", "-E", expr]);
    let paris = of_ethereum("fork(Paris)");
    assert!(!paris.is_empty());
    assert_eq!(paris, of_ethereum("fork(merge)"));
    let called = of_ethereum(&format!("calls(0x{:0>40})", 1));
    assert!(!called.is_empty());
    assert_eq!(called, of_ethereum(&format!("calls(0x{:0>39}[1])", "")));
}

/// A broken file is an error of a run that might select its cases, and of no other.
#[test]
fn broken_files_are_reported_where_they_might_be_selected() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("broken.json"), "{").unwrap();
    fs::copy(at_root(STORAGE), folder.path().join("whole.json")).unwrap();
    let errors = |expr: &str| {
        let mut command = command(&["run", ".", "-q", "-E", expr]);
        let ran = ran(command.current_dir(folder.path()).output().unwrap());
        (ran.stdout.contains(" 1 error, "), ran.exit)
    };
    for expr in
        ["op(SSTORE)", "machine(evm)", "not path(whole.json)", "path(broken.json)", "cause(~file ends)"]
    {
        assert_eq!(errors(expr), (true, 3), "{expr}");
    }
    for expr in
        ["path(whole.json)", "machine(evm) and not path(broken.json)", "path(whole.json) or cause(~gas)"]
    {
        assert_eq!(errors(expr), (false, 0), "{expr}");
    }
}

/// The help lists every predicate.
#[test]
fn help_lists_every_predicate() {
    let help = vmconf(&["help", "expressions"]).stdout;
    for predicate in PREDICATES {
        assert!(help.contains(&format!("{predicate:?}")), "{predicate:?} is not in {help}");
    }
}

#[test]
fn misspelled_expressions_are_explained() {
    let texts = [
        "",
        "  ",
        "nam(~x) and op(ADD)",
        "name",
        "name ~x",
        "name(~x",
        "name(a) nd name(b)",
        "name(a) and",
        "name(a) name(b)",
        "name(a) or or name(b)",
        "(name(a) or name(b)",
        "((name(a)) nor name(b))",
        "name(a))",
        "machine(emv)",
        "op(SSTROE)",
        "uses(~SSTRE)",
        "format(vmtest)",
        "verdict(failed)",
        "path([)",
        "name(ä) and nöt name(b)",
        "nott name(a)",
        "verdict(crashed)",
        "expects(hlt)",
        "expects(\"HALT*\")",
        "fork(Lodnon)",
        "fork(~lond0n)",
        "calls(0x05)",
        "calls(5)",
        "calls(sender)",
        "calls(0x00000000000000000000000000000000000000055)",
        "fails(SSTROE, out of gas)",
        "fails(out of gas)",
        "name(a)\tand\u{7}",
    ];
    let told: Vec<_> = texts.map(|text| text.parse::<Expr>().unwrap_err().to_string()).into();
    golden::file("select-misspelled", &told.join("\n"));
    let ran = vmconf(&["list", "-E", "machine(emv)"]);
    assert_eq!(ran.exit, 2);
    golden::file("select-on-the-command-line", &ran.stderr);
}

#[test]
fn hostile_expressions_are_refused() {
    for text in ["(".repeat(100_000), "not ".repeat(100_000), "name(".repeat(100_000)] {
        assert!(text.parse::<Expr>().is_err());
    }
    let nested = format!("{}name(a){}", "(".repeat(MAX_NESTED), ")".repeat(MAX_NESTED));
    nested.parse::<Expr>().unwrap();
    let long = vec!["name(a)"; 50_000].join(" and ");
    assert_eq!(long.parse::<Expr>().unwrap().to_string(), long);
}

/// A case that only its name distinguishes.
struct Named(CaseId);

impl CaseInfo for Named {
    fn id(&self) -> &CaseId {
        &self.0
    }

    fn format(&self) -> &'static Format {
        formats::by_name("vmtests").unwrap()
    }

    fn vm(&self) -> Option<&str> {
        None
    }

    fn read(&self) -> Option<Case> {
        None
    }

    fn calls(&self, _: &dyn Fn(&str) -> bool) -> bool {
        false
    }

    fn executes(&self, _: &Case, _: &OpSet) -> bool {
        false
    }

    fn failures(&self) -> Vec<String> {
        Vec::new()
    }

    fn causes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// An expression as a person would write it with all parentheses, and what it means.
#[derive(Debug, Clone)]
enum Plain {
    Name(String),
    Op,
    Not(Box<Plain>),
    And(Box<Plain>, Box<Plain>),
    Or(Box<Plain>, Box<Plain>),
}

impl Plain {
    fn text(&self) -> String {
        match self {
            Plain::Name(name) => format!("name( {name} )"),
            Plain::Op => "op(ADD)".to_owned(),
            Plain::Not(inner) => format!("not ({})", inner.text()),
            Plain::And(left, right) => format!("({}) and ({})", left.text(), right.text()),
            Plain::Or(left, right) => format!("({})or({})", left.text(), right.text()),
        }
    }

    fn holds(&self, name: &str) -> bool {
        match self {
            Plain::Name(wanted) => wanted == name,
            Plain::Op => false,
            Plain::Not(inner) => !inner.holds(name),
            Plain::And(left, right) => left.holds(name) && right.holds(name),
            Plain::Or(left, right) => left.holds(name) || right.holds(name),
        }
    }
}

fn plain() -> impl Strategy<Value = Plain> {
    let leaf = prop_oneof!["[ab]".prop_map(Plain::Name), Just(Plain::Op)];
    leaf.prop_recursive(6, 40, 2, |inner| {
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(|it| Plain::Not(Box::new(it))),
            two().prop_map(|(left, right)| Plain::And(Box::new(left), Box::new(right))),
            two().prop_map(|(left, right)| Plain::Or(Box::new(left), Box::new(right))),
        ]
    })
}

/// The predicate `name`, its argument written with every character escaped.
fn name_of(argument: &str) -> Result<Expr, String> {
    let spelled: String = argument.chars().flat_map(|it| ['\\', it]).collect();
    format!("name({spelled})").parse::<Expr>().map_err(|error| error.to_string())
}

proptest! {
    #![proptest_config(crate::support::config(500))]

    #[test]
    fn printed_expressions_are_read_back(plain in plain()) {
        let expr: Expr = plain.text().parse().unwrap();
        let printed = expr.to_string();
        prop_assert_eq!(printed.parse::<Expr>().unwrap(), expr, "{}", printed);
    }

    #[test]
    fn printed_arguments_are_read_back(argument in "[ ~a()\\\\\\t\u{3000}]{0,8}") {
        let expr = name_of(&argument).unwrap();
        let printed = expr.to_string();
        prop_assert_eq!(printed.parse::<Expr>().unwrap(), expr, "{}", printed);
    }

    #[test]
    fn operators_have_their_boolean_meaning(plain in plain(), name in "[abc]") {
        let select = ExprSelection { expr: plain.text().parse().unwrap(), last: Arc::default() };
        let case = Named(CaseId { file: "file.json".into(), name: Some(name.clone().into()), nth: 1 });
        prop_assert_eq!(select.selects(&case), plain.holds(&name), "{}", plain.text());
    }

    #[test]
    fn no_text_causes_a_panic(text in "(name\\(|not |and |or |\\(|\\)|[a-z~\\\\ \u{e4}])*") {
        match text.parse::<Expr>() {
            Ok(expr) => prop_assert_eq!(expr.to_string().parse::<Expr>().unwrap(), expr),
            Err(wrong) => prop_assert!(wrong.at <= text.len() && text.is_char_boundary(wrong.at)),
        }
    }
}

/// A cause selects the cases of a group, and a text in quotes is taken as it is.
#[test]
fn causes_select_their_cases() {
    let all = listed(&[WRONG, "-E", "cause(*)"]);
    assert!(all.len() > 50, "{}", all.len());
    let storage = listed(&[WRONG, "-E", r#"cause("evm post/*/storage/*: other value")"#]);
    assert!(!storage.is_empty() && storage.len() < all.len());
    // In quotes, * is not a wildcard.
    assert_eq!(listed(&[WRONG, "-E", r#"cause("*")"#]), Vec::<String>::new());
    assert_eq!(listed(&[STORAGE, "-E", "cause(*)"]), Vec::<String>::new());
    for text in [r#"cause("a (b) \" \\")"#, r#"name("x")"#, r#"name(\"x)"#, r#"name(x"y)"#] {
        let expr: Expr = text.parse().unwrap_or_else(|wrong| panic!("{text}: {wrong}"));
        assert_eq!(expr.to_string(), text);
    }
    assert_eq!(r#"name( "x" )"#.parse::<Expr>().unwrap().to_string(), r#"name("x")"#);
}

/// `op` of an instruction that is executed early does not run a case to its end.
#[test]
fn op_stops_at_the_first_hit() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("endless.json");
    // JUMPDEST PUSH1 0 JUMP, without end: a run of it reaches the limit on instructions.
    let text = fs::read_to_string(at_root(STORAGE)).unwrap();
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let tests = file.as_object_mut().unwrap();
    let name = tests.keys().next().unwrap().clone();
    tests.retain(|key, _| *key == name);
    tests[&name]["exec"]["code"] = "0x5b600056".into();
    tests[&name]["exec"]["gas"] = "0x7fffffffffffffff".into();
    fs::write(&path, file.to_string()).unwrap();
    let path = path.to_str().unwrap();
    // To the limit it would take days.
    for (op, selected) in [("op(JUMPDEST)", 1), ("op(SSTORE)", 0)] {
        let args = ["list", path, "-E", op, "--max-steps", "1000000000000000"];
        let mut listing = command(&args);
        let child = listing.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        assert_eq!(ended(child).stdout.lines().count(), selected, "{op}");
    }
}

#[test]
fn operators_and_names_of_other_languages() {
    let wrong = |text: &str| text.parse::<Expr>().unwrap_err().what;
    for (text, hint) in [
        ("name(a) && op(ADD)", "; use and instead of &&"),
        ("name(a) || op(ADD)", "; use or instead of ||"),
        ("name(a) and !op(ADD)", "; use not instead of !"),
        ("(name(a) && op(ADD))", "; use and instead of &&"),
        ("opcode(ADD)", "; did you mean op?"),
        ("instruction(ADD)", "; did you mean op?"),
        ("file(a.json)", "; did you mean path?"),
    ] {
        assert!(wrong(text).ends_with(hint), "{text}: {}", wrong(text));
    }
}

/// The reports of a run of the cases that an expression selects, without times.
fn reports(expression: Option<&str>) -> Vec<CaseReport> {
    let expression =
        expression.map(|text| ExprSelection { expr: text.parse().unwrap(), last: Arc::default() });
    let options =
        LoadOptions { run: RunOptions { expression, ..RunOptions::default() }, ..LoadOptions::default() };
    let mut reports = Vec::new();
    let paths = ["vectors/evm/arithmetic", "vectors/neo3/notation", WRONG];
    let sources = paths.iter().flat_map(|path| files_of(at_root(path))).collect();
    run::run(&sources, &options, &mut |event| {
        if let Event::Finished(report) = event {
            assert!(report.time.is_some() || matches!(report.verdict, Verdict::Error(_)), "{}", report.id);
            reports.push(CaseReport { time: None, ..report });
        }
    });
    reports
}

/// A case that is executed to evaluate an expression is not executed again: its result is that of a run.
#[test]
fn results_of_selected_cases_are_those_of_a_run_of_all() {
    let all = reports(None);
    for text in [
        "op(ADD)",
        "not op(ADD)",
        "op(MUL) or op(ADD)",
        "op(SSTORE) and not op(PUSH2)",
        "op(~PUSH)",
        "cause(*)",
        "not cause(*)",
        "op(ADD) and not cause(*)",
    ] {
        let selected = reports(Some(text));
        let ids: Vec<_> = selected.iter().map(|report| &report.id).collect();
        let expected: Vec<_> = all.iter().filter(|report| ids.contains(&&report.id)).cloned().collect();
        assert!(!selected.is_empty() && selected.len() < all.len(), "{text}");
        assert_eq!(selected, expected, "{text}");
    }
    assert!(all.iter().any(|report| matches!(report.verdict, Verdict::Fail(_))));
}

/// A case that is executed for an expression compares as much as any other.
#[test]
fn what_is_not_compared_does_not_depend_on_an_expression() {
    let run = |more: &[&str]| {
        let args = [&["run", "vectors/evm/arithmetic", "--ignore", "gas"], more].concat();
        vmconf(&args).stdout.lines().next().unwrap().to_owned()
    };
    let all = run(&[]);
    assert!(all.starts_with("not compared: gas, "), "{all}");
    for text in ["op(ADD) or not op(ADD)", "not cause(*)"] {
        assert_eq!(run(&["-E", text]), all, "{text}");
    }
}

/// An instruction also fails in a call that its caller survives: `vmconf coverage` counts the same cases.
#[test]
fn an_instruction_fails_as_coverage_counts_it() {
    const FILES: [&str; 3] = [
        "vectors/ethereum/instructions-calls.json",
        "vectors/ethereum/instructions-endings.json",
        "vectors/ethereum/memory-growth.json",
    ];
    let coverage = vmconf(&[&["coverage", "--output", "json"], &FILES[..]].concat()).stdout;
    let coverage: serde_json::Value = serde_json::from_str(&coverage).unwrap();
    let mut compared = 0;
    for op in coverage["machines"][0]["instructions"].as_array().unwrap() {
        for aspect in op["aspects"].as_array().unwrap() {
            let Some(reason) = aspect["what"].as_str().unwrap().strip_prefix("fails: ") else { continue };
            let expression = format!("fails({}, {reason})", op["name"].as_str().unwrap());
            let found = listed(&[&FILES[..], &["-E", &expression]].concat()).len() as u64;
            assert_eq!(Some(found), aspect["cases"].as_u64(), "{expression}");
            compared += 1;
        }
    }
    assert!(compared > 3, "{compared}");
}

/// The instruction that fails is found also at the end of a long run.
#[test]
fn a_failure_after_a_long_run_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.json");
    let file = file.to_str().unwrap();
    // Counts to 0x6000 in eight instructions each, and pops twice what is there once.
    let code = "0x60005b60010180616000116002575050";
    vmconf(&["exec", "evm", code, "--vector", file]);
    for (expression, exit) in [
        ("fails(POP, *)", 0),
        ("fails(pop,too few items on the stack)", 0),
        ("fails(*,*)", 0),
        ("fails(POP, out of gas)", 4),
        ("fails(ADD, *)", 4),
    ] {
        let ran = vmconf(&["list", file, "-E", expression]);
        assert_eq!(ran.exit, exit, "{expression}: {}{}", ran.stdout, ran.stderr);
    }
}
