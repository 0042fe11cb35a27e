//! The readers of the TinyVM formats: what becomes of each member, and which files a vector may name.

use std::fs;
use std::path::{Path, PathBuf};

use vmconf::formats::VectorFolder::Above;
use vmconf::formats::{self, Files, Format, FormatOptions, ReadContext, Unreadable, tinyvm};
use vmconf::model::{Action, Assertion, Case, Diagnostic, Origin, Value};
use vmconf::run::VectorFiles;
use vmconf::text::json::{Document, JsonNode};

/// The case of a file's first entry, and what is said about the whole file.
fn read(format: &Format, path: &Path, text: &str) -> (Document, Option<Case>, Vec<Diagnostic<Origin>>) {
    let document = Document::parse(text.to_owned(), 128).unwrap();
    let options = FormatOptions::default();
    let context = ReadContext { options, files: &VectorFiles::new(path, format.folders), shared: None };
    let entries = (format.outline)(document.root()).unwrap();
    let mut diagnostics = format.read_rest(&document, &entries, options);
    let reading = format.read_case(JsonNode::at_index(&document, entries[0].node), context);
    diagnostics.extend(reading.diagnostics);
    (document, reading.case, diagnostics)
}

/// The case of a file of one test with these members, which has nothing wrong with it.
fn case(members: &str) -> Case {
    let file = with_test(members);
    let (_, case, diagnostics) = read(&tinyvm::FORMAT, Path::new("none.json"), &file);
    assert_eq!(diagnostics, [], "{file}");
    case.unwrap()
}

fn with_test(members: &str) -> String {
    format!(r#"{{"machine": "tinyvm", "tests": [{{"name": "t", {members}}}]}}"#)
}

/// What is said, each with its place.
fn said(document: &Document, diagnostics: &[Diagnostic<Origin>]) -> Vec<String> {
    let line = |diagnostic: &Diagnostic<Origin>| {
        let severity = diagnostic.severity.name();
        format!("{} {severity}: {diagnostic}", document.position(diagnostic.place.0))
    };
    diagnostics.iter().map(line).collect()
}

#[test]
fn segments_become_bytes_text_or_records() {
    fn check(segment: &str, program: &str) {
        let case = case(&format!(r#""instructions": {segment}"#));
        assert_eq!(case.program.0.to_string(), format!("{{instructions: {program}}}"), "{segment}");
        assert_eq!(case.places.len(), 1);
        assert_eq!(case.places[0].0.to_string(), "instructions");
        assert_eq!(case.places[0].1.0 as usize, with_test("").len() - 3 + r#""instructions": "#.len());
    }
    check(r#""""#, "0x");
    check(r#""102A""#, "0x102a");
    check(r#"" 10 2a\n5F\t00 ""#, "0x102a5f00");
    check("[]", "0x");
    check("[1, -1, 65535, -32768]", "0x0001ffffffff8000");
    check(r#"["nop", "", "yield # end"]"#, r#""nop\n\nyield # end""#);
    check("{}", "{}");
    check(
        r#"{"0xABCD": "0x1F", "-1": [1, "-0x1"], "007": []}"#,
        "{0xabcd: 0x001f, 0xffff: 0x0001ffff, 0x0007: 0x}",
    );
}

#[test]
fn single_cases_become_programs_and_phases() {
    let case = case(
        r#""registers": {"r1": 5, "r15": -1}, "pc": "0x10", "rnd": "0xFFFFFFFFFFFFFFFF", "features": ["expRoot"],
           "steps": 7, "then": [{}, {"registers": [1, 2], "data": {"1": [3, 4]}, "pc": -1, "steps": "0"}]"#,
    );
    let zeros = "0, ".repeat(13);
    let program = format!(
        "{{registers: [0, 5, {zeros}0xffff (65535)], pc: 0x10 (16), \
         rnd: 0xffffffffffffffff (18446744073709551615), features: [\"expRoot\"]}}"
    );
    assert_eq!(case.program.0.to_string(), program);
    assert_eq!(case.machine, "tinyvm");
    assert_eq!(case.places, []);
    let actions: Vec<_> = case.steps.iter().map(|step| actions(&step.actions)).collect();
    let changes = "set {registers: {r0: 1, r1: 2}, data: {0x0001: 0x00030004}, pc: 0xffff (65535)}, run 0";
    assert_eq!(actions, ["run 7", "set {}, run 30000", changes]);
    assert!(case.steps.iter().all(|step| step.end.is_none() && step.assertions.is_empty()));
}

#[test]
fn random_numbers_are_a_seed_or_a_list() {
    assert_eq!(case(r#""rnd": 3"#).program.0.to_string(), "{rnd: 3}");
    assert_eq!(case(r#""rnd": [3, "0x4"]"#).program.0.to_string(), "{rnd: [3, 4]}");
}

fn actions(actions: &[Action]) -> String {
    let one = |action: &Action| match action {
        Action::Run(steps) => format!("run {steps}"),
        Action::Set(changes) => format!("set {changes}"),
        Action::Execute => "execute".to_owned(),
        other => format!("{other:?}"),
    };
    actions.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn assertions(assertions: &[Assertion]) -> Vec<String> {
    assertions.iter().map(|check| format!("{} {:?}", check.at, check.expected)).collect()
}

/// The checks as debug text, numbers made short.
fn expectation(members: &str) -> Vec<String> {
    let case = case(members);
    let step = &case.steps[0];
    let mut all = assertions(step.end.as_slice());
    all.extend(assertions(&step.assertions));
    all
}

/// How a check on a number reads.
fn int(at: &str, kind: &str, number: u64) -> String {
    format!("{at} {kind}({:?})", Value::int(number))
}

#[test]
fn expectations_of_a_single_machine_become_checks() {
    let text = |at: &str, text: &str| format!("{at} Is(Text({text:?}))");
    assert_eq!(expectation(r#""expect": {}"#), [""; 0]);
    assert_eq!(expectation(r#""expect": {"exact": false}"#), [""; 0]);
    assert_eq!(
        expectation(
            r#""expect": {"time": "0x10", "pc": -1, "usedRnd": true, "data": {"0xABCD": [0, 7]},
               "registers": {"r3": 0, "r10": "10"}, "value": "-0x1", "stop": "limit"}"#
        ),
        [
            text("stop", "limit"),
            int("value", "Is", 65535),
            int("registers/r3", "Is", 0),
            int("registers/r10", "Is", 10),
            int("data/0xabcd", "IsOrAbsent", 0),
            int("data/0xabce", "Is", 7),
            int("pc", "Is", 65535),
            int("time", "Is", 16),
            "usedRnd Is(Bool(true))".to_owned(),
        ]
    );
    assert_eq!(
        expectation(r#""expect": {"exact": true, "registers": [1], "data": {"65535": [1, 2]}}"#)[3..],
        [r#"changedRegisters Only([Name("r0")])"#, r#"changedData Only([Name("0xffff"), Name("0x0000")])"#,]
    );
}

#[test]
fn checks_point_at_what_demands_them() {
    let file = with_test(r#""expect": {"registers": {"r1": 5}, "data": {"0": [6, 7]}, "exact": true}"#);
    let (document, case, _) = read(&tinyvm::FORMAT, Path::new("none.json"), &file);
    let at =
        |check: &Assertion| document.text()[check.origin.0 as usize..].split([',', '}', ']']).next().unwrap();
    assert_eq!(
        case.unwrap().steps[0].assertions.iter().map(at).collect::<Vec<_>>(),
        ["5", "6", "7", "true", "true"]
    );

    let defaults = |members: &str| {
        let file = with_test(members);
        let (document, case, _) = read(&tinyvm::FORMAT, Path::new("none.json"), &file);
        let step = case.unwrap().steps.remove(0);
        let at = |check: &Assertion| {
            document.text()[check.origin.0 as usize..].chars().take(3).collect::<String>()
        };
        step.demands().map(at).collect::<Vec<_>>()
    };
    assert_eq!(defaults(r#""driver": """#), [r#""t""#; 3]);
    assert_eq!(defaults(r#""driver": "", "expect": {}"#), ["{}}"; 3]);
    assert_eq!(defaults(r#""driver": "", "expect": {"rating": "pass"}"#), [r#"{"r"#, r#""pa"#, r#""pa"#]);
}

#[test]
fn driver_cases_become_programs_of_two_machines() {
    let program = |members: &str| {
        let case = case(members);
        let places: Vec<_> = case.places.iter().map(|place| place.0.to_string()).collect();
        assert_eq!(actions(&case.steps[0].actions), "execute");
        assert_eq!(case.steps.len(), 1);
        (case.program.0.to_string(), places.join(" "))
    };
    assert_eq!(
        program(r#""driver": "102A""#),
        (
            "{driver: {instructions: 0x102a}, testee: {}, budget: 0x7530 (30000), zeroLimit: \"fatal\"}"
                .to_owned(),
            "driver/instructions".to_owned()
        )
    );
    assert_eq!(
        program(
            r#""driver": {"instructions": ["yield"], "rnd": [9]}, "testee": {"5": 1}, "budget": 5,
               "zeroLimit": "timeout", "rnd": 7, "features": ["expRoot"]"#
        ),
        (
            "{driver: {instructions: \"yield\", rnd: [9]}, testee: {instructions: {0x0005: 0x0001}, rnd: 7}, \
             budget: 5, zeroLimit: \"timeout\", features: [\"expRoot\"]}"
                .to_owned(),
            "driver/instructions rnd testee/instructions".to_owned()
        )
    );
}

#[test]
fn expectations_of_a_driver_become_checks() {
    fn check(expect: &str, wanted: &[&str]) {
        let found = expectation(&format!(r#""driver": "", "expect": {expect}"#));
        let short = |check: &String| check.replace("Is(Text(", "").replace("))", "").replace('"', "");
        assert_eq!(found.iter().map(short).collect::<Vec<_>>(), wanted, "{expect}");
    }
    let passed = ["outcome completed", "rating pass", "notPassed Only([])"];
    check("{}", &passed);
    check(r#"{"rating": "pass"}"#, &passed);
    check(r#"{"outcome": "completed"}"#, &passed);
    check(r#"{"rating": "driverError"}"#, &["outcome completed", "rating driverError"]);
    check(r#"{"outcome": "timeout"}"#, &["outcome timeout"]);
    let results = |names: &[&str], rating: &str| {
        let list: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
        let mut wanted = vec!["outcome completed".to_owned(), format!("results Len({})", names.len())];
        wanted.extend(names.iter().enumerate().map(|(index, name)| format!("results[{index}] {name}")));
        wanted.push(format!("rating {rating}"));
        let wanted: Vec<_> = wanted.iter().map(String::as_str).collect();
        check(&format!(r#"{{"results": [{}]}}"#, list.join(", ")), &wanted);
    };
    results(&[], "skip");
    results(&["skip"], "skip");
    results(&["skip", "pass"], "pass");
    results(&["pass", "fail"], "fail");
    results(&["fail", "fatal"], "fatal");
    results(&["fatal", "invalid"], "driverError");
    check(
        r#"{"results": ["pass"], "rating": "driverError"}"#,
        &["outcome completed", "rating driverError", "results Len(1)", "results[0] pass"],
    );
    let case = expectation(
        r#""driver": "", "expect": {"outcome": "illegalYield", "value": 10, "driverInstructions": 3,
           "testeeInstructions": 4, "driver": {"pc": 1, "time": 2, "registers": {"r0": 10}},
           "testee": {"data": {"7": [0, 1]}}}"#,
    );
    assert_eq!(
        case[1..],
        [
            int("value", "Is", 10),
            int("driverInstructions", "Is", 3),
            int("testeeInstructions", "Is", 4),
            int("driver/registers/r0", "Is", 10),
            int("driver/pc", "Is", 1),
            int("driver/time", "Is", 2),
            int("testee/data/0x0007", "IsOrAbsent", 0),
            int("testee/data/0x0008", "Is", 1),
        ]
    );
}

#[test]
fn errors_name_what_is_wrong_and_where() {
    fn check(members: &str, wanted: &[&str]) {
        let (document, case, diagnostics) =
            read(&tinyvm::FORMAT, Path::new("none.json"), &with_test(&format!("\n{members}")));
        assert!(case.is_none(), "{members}");
        assert_eq!(said(&document, &diagnostics), wanted, "{members}");
    }
    check(r#""step": 1"#, &[r#"2:1 error: unknown member "step" of test"#]);
    check(
        r#""pc": 1, "pc": 2"#,
        &[
            r#"2:10 error: key "pc" is duplicated in this object; expected each key once; the first is in line 2"#,
        ],
    );
    check(
        r#""testee": """#,
        &[r#"2:11 error: "testee" in a test without "driver"; expected members of one kind of test only"#],
    );
    check(
        r#""driver": "", "steps": 1, "pc": 1"#,
        &[
            r#"2:24 error: "steps" in a test with "driver"; expected members of one kind of test only"#,
            r#"2:33 error: "pc" in a test with "driver"; expected members of one kind of test only"#,
        ],
    );
    check(
        r#""pc": 65536"#,
        &[
            "2:7 error: pc 65536 is not a word; expected an integer from -32768 to 65535, or one in quotes, also as 0x and hex digits",
        ],
    );
    check(
        r#""data": {"0": [1, 2], "0x1": 3}"#,
        &["2:30 error: address 0x0001 is duplicated; expected each address once"],
    );
}

/// Our own format is JSON and nothing else.
#[test]
fn surplus_commas_and_comments_are_errors() {
    for members in [r#""pc": 1,"#, r#""pc": /* one */ 1"#] {
        let (_, case, diagnostics) = read(&tinyvm::FORMAT, Path::new("none.json"), &with_test(members));
        assert!(case.is_none(), "{members}");
        assert_eq!(diagnostics.len(), 1, "{members}: {diagnostics:?}");
    }
}

/// A folder with `tests/vector.json` and files around it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        fs::create_dir(folder.path("tests")).unwrap();
        folder.write("tests/vector.json", b"{}");
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// What is said about a vector that names this file, without its place.
    fn named(&self, vector: &str, name: &str) -> Result<Value, String> {
        let file = with_test(&format!(r#""instructions": {{"file": {name:?}}}"#));
        let (_, case, diagnostics) = read(&tinyvm::FORMAT, &self.path(vector), &file);
        let Some(case) = case else {
            return Err(diagnostics[0].what.replacen(&format!("file {name:?}: "), "", 1));
        };
        Ok(case.program.0.get("instructions").unwrap().clone())
    }

    /// What is said about a pair of `tests/testcases.json`, and its program.
    fn pair(&self, text: &str) -> (Option<Case>, Vec<String>) {
        self.write("tests/testcases.json", text.as_bytes());
        let path = self.path("tests/testcases.json");
        let (document, case, diagnostics) = read(&tinyvm::TESTCASES, &path, text);
        (case, said(&document, &diagnostics))
    }
}

const SEGMENT: usize = 131_072;

/// A source as the program record has it, by the name of its file.
fn source(file: &str, text: &str) -> Value {
    Value::record([(file.to_owned(), Value::text(text))])
}

#[test]
fn files_beside_a_vector_are_read() {
    let folder = Folder::new();
    fs::create_dir(folder.path("tests/sub")).unwrap();
    folder.write("tests/full.segment", &vec![7; SEGMENT]);
    folder.write("tests/sub/yield.asm", b"nop\nyield\n");
    let yields = |name: &str| Ok(source(name, "nop\nyield\n"));
    assert_eq!(folder.named("tests/vector.json", "full.segment"), Ok(Value::Bytes(vec![7; SEGMENT])));
    assert_eq!(folder.named("tests/vector.json", "sub/yield.asm"), yields("sub/yield.asm"));
    assert_eq!(folder.named("tests/vector.json", "./sub/yield.asm"), yields("./sub/yield.asm"));
}

#[test]
fn other_files_are_refused() {
    let folder = Folder::new();
    let refused = |name: &str| folder.named("tests/vector.json", name).unwrap_err();
    folder.write("secret.asm", b"yield");
    let outside = "a file is named by its path below the folder, without .. and backslash";
    assert_eq!(refused("../secret.asm"), outside);
    assert_eq!(refused("sub/../../secret.asm"), outside);
    assert_eq!(refused("..\\secret.asm"), outside);
    assert_eq!(refused(folder.path("secret.asm").to_str().unwrap()), outside);
    assert_eq!(refused("missing.asm"), "there is no such file");
    assert_eq!(refused("vector.json"), "its name ends neither in .segment nor in .asm");

    fs::create_dir(folder.path("tests/folder.asm")).unwrap();
    assert_eq!(refused("folder.asm"), "not a regular file");
    folder.write("tests/short.segment", &vec![0; SEGMENT - 1]);
    assert_eq!(refused("short.segment"), "a segment of 131071 bytes, and not of 131072");
    folder.write("tests/long.segment", &vec![0; SEGMENT + 1]);
    assert_eq!(refused("long.segment"), "larger than 131072 bytes");
    folder.write("tests/most.asm", &vec![b'#'; 1 << 20]);
    assert!(folder.named("tests/vector.json", "most.asm").is_ok());
    folder.write("tests/large.asm", &vec![b'#'; (1 << 20) + 1]);
    assert_eq!(refused("large.asm"), "larger than 1048576 bytes");
    folder.write("tests/latin.asm", b"\xe4");
    assert_eq!(refused("latin.asm"), "a source that is not UTF-8");
}

#[test]
#[cfg(unix)]
fn links_and_pipes_are_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    let named = |name: &str| folder.named("tests/vector.json", name);
    folder.write("secret.asm", b"yield");
    folder.write("tests/inside.asm", b"nop");
    let out = Err("a symbolic link leads out of the folder".to_owned());

    symlink("inside.asm", folder.path("tests/link.asm")).unwrap();
    assert_eq!(named("link.asm"), Ok(source("link.asm", "nop")));
    symlink("../secret.asm", folder.path("tests/out.asm")).unwrap();
    assert_eq!(named("out.asm"), out);
    symlink(folder.path("secret.asm"), folder.path("tests/absolute.asm")).unwrap();
    assert_eq!(named("absolute.asm"), out);
    symlink("..", folder.path("tests/up")).unwrap();
    assert_eq!(named("up/secret.asm"), out);
    symlink("circle.asm", folder.path("tests/circle.asm")).unwrap();
    assert!(named("circle.asm").is_err());
    symlink("missing", folder.path("tests/dangling.asm")).unwrap();
    assert_eq!(named("dangling.asm"), Err("there is no such file".to_owned()));
    symlink("/dev/zero", folder.path("tests/zero.segment")).unwrap();
    assert_eq!(named("zero.segment"), out);

    // A vector that is a link itself has the files beside what it leads to.
    fs::create_dir(folder.path("other")).unwrap();
    symlink("../tests/vector.json", folder.path("other/vector.json")).unwrap();
    folder.write("other/here.asm", b"nop");
    assert_eq!(folder.named("other/vector.json", "inside.asm"), Ok(source("inside.asm", "nop")));
    assert_eq!(folder.named("other/vector.json", "here.asm"), Err("there is no such file".to_owned()));

    let made = std::process::Command::new("mkfifo").arg(folder.path("tests/pipe.asm")).status();
    assert!(made.unwrap().success());
    assert_eq!(named("pipe.asm"), Err("not a regular file".to_owned()));
    // A vector that is read through a pipe has no folder of its own.
    let vector = folder.named("tests/pipe.asm", "inside.asm");
    assert_eq!(vector, Err("a vector that is in no regular file can name none".to_owned()));
}

/// Only the layout of drivers and testees reaches the folder above, and not what is above that.
#[test]
fn one_format_reads_the_folder_above() {
    let folder = Folder::new();
    folder.write("sum.asm", b"yield");
    let path = folder.path("tests/vector.json");
    let read = |format: &Format| VectorFiles::new(&path, format.folders).read(Above, "sum.asm", 100);
    assert_eq!(read(&tinyvm::TESTCASES), Ok(b"yield".to_vec()));
    for format in formats::FORMATS.iter().filter(|format| format.name != "testcases") {
        let none = Unreadable::Refused("a vector of this format can name no file there".to_owned());
        assert_eq!(read(format), Err(none), "{}", format.name);
    }
    fs::create_dir(folder.path("other")).unwrap();
    folder.write("other/vector.json", b"{}");
    let path = folder.path("other/vector.json");
    let read = VectorFiles::new(&path, tinyvm::TESTCASES.folders).read(Above, "sum.asm", 100);
    let none = Unreadable::Refused("the folder of the vector is not called tests".to_owned());
    assert_eq!(read, Err(none));
    #[cfg(unix)]
    {
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("other.asm"), "yield").unwrap();
        std::os::unix::fs::symlink(elsewhere.path().join("other.asm"), folder.path("other.asm")).unwrap();
        folder.write("tests/check.asm", b"yield");
        let (case, said) = folder.pair(r#"[["other", "check"]]"#);
        assert!(case.is_none());
        assert_eq!(said, [r#"1:3 error: file "other.asm": a symbolic link leads out of the folder"#]);
    }
}

/// A vector that is in no file can name no files.
#[test]
fn vectors_in_memory_name_no_files() {
    let text = with_test(r#""instructions": {"file": "a.asm"}"#);
    let document = Document::parse(text, 128).unwrap();
    let entries = (tinyvm::FORMAT.outline)(document.root()).unwrap();
    let reading =
        tinyvm::FORMAT.read_case(JsonNode::at_index(&document, entries[0].node), FormatOptions::default());
    assert_eq!(
        said(&document, &reading.diagnostics),
        [r#"1:72 error: file "a.asm": a vector that is in no file can name none"#]
    );
}

#[test]
fn folders_of_drivers_and_testees_are_read() {
    let folder = Folder::new();
    folder.write("sum.asm", b"add r0 r1");
    folder.write("tests/check.segment", &vec![1; SEGMENT]);
    let (case, said) = folder.pair(r#"[["sum", "check"]]"#);
    assert_eq!(said, [""; 0]);
    let case = case.unwrap();
    let part = |machine: &str| case.program.0.get(machine).unwrap().get("instructions").unwrap().clone();
    assert_eq!(part("driver"), Value::Bytes(vec![1; SEGMENT]));
    assert_eq!(part("testee"), source("sum.asm", "add r0 r1"));
    assert_eq!(case.program.0.get("budget"), Some(&Value::int(30_000)));
    assert_eq!(case.program.0.get("zeroLimit"), Some(&Value::text("fatal")));
    let places: Vec<_> = case.places.iter().map(|place| format!("{} {}", place.0, place.1.0)).collect();
    assert_eq!(places, ["driver/instructions 9", "testee/instructions 2"]);
    assert_eq!(actions(&case.steps[0].actions), "execute");
    assert_eq!(assertions(&case.steps[0].assertions).len(), 2);

    folder.write("sum.segment", &vec![2; SEGMENT]);
    let (case, said) = folder.pair(r#"[["sum", "check"]]"#);
    assert_eq!(said, [r#"1:3 note: there is a source too, and file "sum.segment" is used"#]);
    assert!(case.is_some());
}

#[test]
fn pairs_whose_files_are_not_right_are_errors() {
    let folder = Folder::new();
    let check = |pair: &str, wanted: &[&str]| {
        let (case, said) = folder.pair(&format!("[{pair}]"));
        assert!(case.is_none(), "{pair}");
        assert_eq!(said, wanted, "{pair}");
    };
    folder.write("sum.asm", b"add r0 r1");
    folder.write("tests/check.asm", b"yield");
    folder.write("tests/inside.asm", b"yield");
    folder.write("short.segment", b"12");
    check(
        r#"["sum"]"#,
        &["1:2 error: this is not a pair of names; expected an array of two names, a testee and a driver"],
    );
    check(
        r#"["check", "sum"]"#,
        &[
            r#"1:3 error: there is neither a .segment nor an .asm file named "check""#,
            r#"1:12 error: there is neither a .segment nor an .asm file named "sum""#,
        ],
    );
    check(
        r#"["short", "check"]"#,
        &[r#"1:3 error: file "short.segment": a segment of 2 bytes, and not of 131072"#],
    );
    let outside = "a file is named by its path below the folder, without .. and backslash";
    check(r#"["../sum", "check"]"#, &[&format!(r#"1:3 error: file "../sum.segment": {outside}"#)]);
    check(r#"["sum", "../sum"]"#, &[&format!(r#"1:10 error: file "../sum.segment": {outside}"#)]);
}

#[test]
fn names_of_cases_are_those_of_the_vector() {
    fn check(format: &Format, text: &str, names: &[&str]) {
        let document = Document::parse(text.to_owned(), 128).unwrap();
        let entries = (format.outline)(document.root()).unwrap();
        assert_eq!(entries.iter().map(|entry| &*entry.name).collect::<Vec<_>>(), names, "{text}");
    }
    check(
        &tinyvm::FORMAT,
        r#"{"tests": [{"name": "a"}, {"name": ""}, {}, 1]}"#,
        &["a", "test 2", "test 3", "test 4"],
    );
    check(&tinyvm::TESTCASES, r#"[["a", "b"], ["a"], ["b", "c"]]"#, &["a b", "pair 2", "b c"]);
}

#[test]
fn formats_are_recognised() {
    fn check(file_name: &str, text: &str, wanted: Result<&str, &str>) {
        let document = Document::parse(text.to_owned(), 128).unwrap();
        let found = formats::detection::detect(&document, file_name);
        let found = found.map(|(format, _)| format.name).map_err(|not| not.to_string());
        assert_eq!(found, wanted.map_err(str::to_owned), "{file_name}: {text}");
    }
    check("a.json", r#"{"tests": [], "machine": "tinyvm"}"#, Ok("tinyvm"));
    check("a.json", r#"{"tests": [{"steps": []}], "machine": "tinyvm"}"#, Ok("tinyvm"));
    check("testcases.json", r#"{"machine": "tinyvm"}"#, Ok("tinyvm"));
    check("testcases.json", r#"[["a", "b"]]"#, Ok("testcases"));
    check("testcases.json", "[]", Ok("testcases"));
    check("a.json", r#"[["a", "b"]]"#, Err("not a vector file: an array"));
    check("testcases.json", "{}", Ok("testcases"));
    check("a.json", "{}", Err("not a vector file: an empty object"));
}

/// The example of the book says what it should, without a note.
#[test]
fn example_of_the_book_is_read() {
    let path = crate::support::at_root("docs/examples/formats/tinyvm.json");
    let document = Document::parse(fs::read_to_string(&path).unwrap(), 128).unwrap();
    let files = VectorFiles::new(&path, tinyvm::FORMAT.folders);
    let entries = (tinyvm::FORMAT.outline)(document.root()).unwrap();
    assert!(!entries.is_empty());
    for entry in entries {
        let context = ReadContext { options: FormatOptions::default(), files: &files, shared: None };
        let reading = tinyvm::FORMAT.read_case(JsonNode::at_index(&document, entry.node), context);
        assert_eq!(reading.diagnostics, [], "{}", entry.name);
        assert!(reading.case.is_some(), "{}", entry.name);
    }
}

/// A run reports each wrong line of a source, and of very many the number.
#[test]
fn a_run_reports_all_wrong_lines() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("t.json");
    fs::write(&path, with_test(r#""instructions": {"file": "a.asm"}, "expect": {"stop": "yield"}"#)).unwrap();
    let errors = |lines: usize| {
        fs::write(folder.path().join("a.asm"), "nonsense\n".repeat(lines)).unwrap();
        let ran = crate::support::vmconf(&["run", path.to_str().unwrap()]);
        assert_eq!(ran.exit, 3);
        let shown =
            ran.stdout.lines().filter(|line| line.contains("t.json:") || line.contains(" more errors"));
        shown.map(str::to_owned).collect::<Vec<_>>()
    };
    for count in [1, 2, 20] {
        let shown = errors(count);
        // After the line with the name of the case.
        assert_eq!(shown.len(), 1 + count, "{shown:?}");
        assert!(shown[count].contains(&format!("a.asm:{count}:1: no command \"nonsense\"")), "{shown:?}");
    }
    let shown = errors(30);
    assert!(shown.len() == 21 && shown[20].ends_with("t.json: and 11 more errors"), "{shown:?}");
}
