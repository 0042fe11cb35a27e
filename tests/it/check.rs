//! `vmconf check`: SARIF that its schema accepts, what it repairs, and that our own vectors are without
//! fault. `samples.rs` has what it reports about each sample.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::samples::sample_folders;
use crate::support::validator::Validator;
use crate::support::{
    Ran, VECTORS, at_root, command, files, files_of, ran, relative, shown, sources_of, vmconf,
};
use serde_json::Value as Json;
use tempfile::TempDir;
use vmconf::lint::Checker;
use vmconf::lint::fix::{Fixed, NotFixed, fix};
use vmconf::model::rule::{LintRule, RULES};
use vmconf::model::{Diagnostic, Event};
use vmconf::run::{self, LoadOptions};

const SAMPLES: &str = "tests/samples";
/// A sample of most things that only `check` says.
const MIXED: &str = "tests/samples/check";
const MECHANICAL: &str = "tests/samples/check/mechanical.json";

#[test]
fn lines_are_short() {
    const WIDTH: usize = 100;
    let mut count = 0;
    for folder in sample_folders() {
        for line in vmconf(&["check", "--all", &folder]).stdout.lines() {
            let is_place = line.starts_with(" --> ");
            assert!(is_place || line.chars().count() <= WIDTH, "{folder}: {line}");
            count += usize::from(!is_place);
        }
    }
    assert!(count > 5_000, "{count} lines");
}

/// The results of a check as SARIF.
fn sarif(args: &[&str]) -> (Json, i32) {
    let Ran { exit, stdout, .. } = vmconf(&[&["check", "--output", "sarif"], args].concat());
    (serde_json::from_str(&stdout).unwrap(), exit)
}

fn results(sarif: &Json) -> &[Json] {
    sarif["runs"][0]["results"].as_array().unwrap()
}

#[test]
fn every_rule_is_broken_by_a_sample() {
    let mut broken = BTreeSet::new();
    for args in [&[SAMPLES][..], &[MIXED, "--max-file-size", "10"]] {
        let (sarif, _) = sarif(args);
        broken.extend(results(&sarif).iter().map(|result| result["ruleId"].as_str().unwrap().to_owned()));
    }
    // No file can: only we.
    broken.insert(LintRule::Internal.name().to_owned());
    // It takes a large file: `findings_beyond_the_limit_are_counted`.
    broken.insert(LintRule::NotListed.name().to_owned());
    let all: BTreeSet<_> = RULES.iter().map(|rule| rule.name().to_owned()).collect();
    assert_eq!(broken, all);
}

#[test]
fn rules_are_listed() {
    let Ran { exit, stdout, .. } = vmconf(&["check", "--rules"]);
    assert_eq!(exit, 0);
    let names: Vec<_> = stdout.lines().map(|line| line.split_once("  ").unwrap().0).collect();
    assert_eq!(names, RULES.iter().map(|rule| rule.name()).collect::<Vec<_>>());
    let unique: BTreeSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len());
}

/// The schema that OASIS publishes.
pub(crate) fn sarif_validator() -> Validator {
    let schema = fs::read_to_string(at_root("tests/it/support/sarif-2.1.0.schema.json")).unwrap();
    let mut schema: Json = serde_json::from_str(&schema).unwrap();
    // Their pattern has a bracket too many for a validator that looks at patterns.
    for language in ["run", "toolComponent"] {
        let language = format!("/definitions/{language}/properties/language");
        let language = schema.pointer_mut(&language).unwrap().as_object_mut().unwrap();
        assert!(language.remove("pattern").is_some());
    }
    Validator::new(&schema)
}

#[test]
fn sarif_is_as_its_schema_says() {
    let validator = sarif_validator();
    for (args, exit) in [(&[SAMPLES][..], 3), (&["vectors/evm/arithmetic"], 0), (&["src"], 4)] {
        let (sarif, ended) = sarif(args);
        assert_eq!(ended, exit, "{args:?}");
        validator.assert_accepts(&sarif, &format!("{args:?}"));
        let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
        for result in results(&sarif) {
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(rules[index]["id"], result["ruleId"]);
        }
    }
}

/// In the text of a message, `{0}` would stand for an argument, and brackets before a target in parentheses for a link.
#[test]
fn messages_of_sarif_have_no_arguments_and_no_links() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.json");
    let typo = fs::read_to_string(at_root("docs/examples/suite/typo.json")).unwrap();
    fs::write(&path, typo.replace("0x0186g0", "0x{0}[l](http://x)")).unwrap();
    let (sarif, _) = sarif(&[path.to_str().unwrap()]);
    let texts: Vec<_> = results(&sarif).iter().map(|it| it["message"]["text"].as_str().unwrap()).collect();
    assert!(texts.iter().any(|it| it.contains(r"0x{{0}}\[l\](http://x)")), "{texts:?}");
}

/// Places and fixes in SARIF lead to the same text as `--fix`.
#[test]
fn fixes_in_sarif_are_those_that_are_made() {
    let (sarif, _) = sarif(&[MECHANICAL]);
    let mut lines: Vec<Vec<u16>> = vec![Vec::new()];
    for unit in fs::read_to_string(at_root(MECHANICAL)).unwrap().encode_utf16() {
        lines.last_mut().unwrap().push(unit);
        if unit == u16::from(b'\n') {
            lines.push(Vec::new());
        }
    }
    let offset = |line: &Json, column: &Json| {
        let before = line.as_u64().unwrap() as usize - 1;
        lines[..before].iter().map(Vec::len).sum::<usize>() + column.as_u64().unwrap() as usize - 1
    };
    let mut text = lines.concat();
    for result in results(&sarif).iter().rev() {
        let change = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
        let region = &change["deletedRegion"];
        if region.is_null() {
            continue;
        }
        let start = offset(&region["startLine"], &region["startColumn"]);
        let end = offset(&region["endLine"], &region["endColumn"]);
        text.splice(start..end, change["insertedContent"]["text"].as_str().unwrap().encode_utf16());
    }
    assert_eq!(String::from_utf16(&text).unwrap(), REPAIRED);
}

/// What becomes of [`MECHANICAL`]: every byte that is not wrong stays, as does what is only noted.
const REPAIRED: &str = r#"{
  
  "category": "ä𝄞", "Name": "what can be repaired without a person",  "tests": [
    {"name": "𝄞", "script": ["PUSH1", "RET"], "steps": [
      {"actions": ["Execute", "StepInto"], "result": {"state": "HALT", "resultStack": [{"type": "Integer", "value": 1}]}}
    ]}
  ]
}
"#;

/// A folder with a copy of a sample, and the path of that.
fn copy(sample: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(Path::new(sample).file_name().unwrap());
    fs::copy(at_root(sample), &path).unwrap();
    (folder, path)
}

#[test]
fn repairs_change_nothing_else() {
    let (folder, path) = copy(MECHANICAL);
    let name = path.to_str().unwrap();
    let Ran { exit, stdout, stderr } = vmconf(&["check", "--fix", name]);
    assert_eq!(fs::read_to_string(&path).unwrap(), REPAIRED);
    let fixed = "fixed 2 comment, 4 trailing-comma, 4 must/letter-case";
    assert_eq!(stderr, format!("{}: {fixed}\n", shown(name)));
    assert_eq!(
        (exit, stdout.lines().last()),
        (0, Some("1 file, 1 case: 0 errors, 0 warnings, 1 note; 0 fixable"))
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    // There is nothing left to do.
    assert_eq!(vmconf(&["check", "--fix", name]).stderr, "");
    assert_eq!(fs::read_to_string(&path).unwrap(), REPAIRED);
    // Lines keep their ends.
    let text = fs::read_to_string(at_root(MECHANICAL)).unwrap();
    fs::write(&path, text.replace('\n', "\r\n")).unwrap();
    assert_eq!(vmconf(&["check", "--fix", name]).exit, 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), REPAIRED.replace('\n', "\r\n"));
}

/// Whatever is reported as fixable is: afterwards nothing is, and the cases have the same verdicts.
#[test]
fn every_sample_can_be_repaired() {
    let options = LoadOptions::default();
    let mut checker = Checker::new(&options);
    let mut repaired = 0;
    for sample in files(SAMPLES, "json") {
        let name = relative(&sample);
        let source = files_of(&sample).remove(0);
        let checked = checker.check(&source);
        if checked.edits().next().is_none() {
            continue;
        }
        let Fixed { text, checked } = fix(&mut checker, &source, &checked).unwrap().unwrap();
        assert_eq!(checked.edits().count(), 0, "{name}");
        // Commas and comments are errors in our own formats, and then no longer.
        if !name.contains("tinyvm") {
            let folder = TempDir::new().unwrap();
            let copy = folder.path().join(sample.file_name().unwrap());
            fs::write(&copy, text).unwrap();
            assert_eq!(verdicts(&copy), verdicts(&sample), "{name}");
        }
        repaired += 1;
    }
    assert!(repaired > 50, "{repaired} samples");
}

fn verdicts(path: &Path) -> Vec<&'static str> {
    let mut verdicts = Vec::new();
    run::run(&sources_of(path), &LoadOptions::default(), &mut |event| {
        if let Event::Finished(report) = event {
            verdicts.push(report.verdict.name());
        }
    });
    verdicts
}

/// An edit that would change what a case says is not made, nor one that makes nothing better.
#[test]
fn repairs_never_change_the_meaning() {
    fn check(from: &str, to: &str, expected: NotFixed) {
        let source = files_of(at_root(MECHANICAL)).remove(0);
        let options = LoadOptions::default();
        let mut checker = Checker::new(&options);
        let mut checked = checker.check(&source);
        let start = checked.text.as_ref().unwrap().as_str().find(from).unwrap();
        let edited = Diagnostic::at(start as u32, "edited").replace(from.len(), to).with_place(None);
        for diagnostic in &mut checked.diagnostics {
            *diagnostic = diagnostic.clone().suggest(None);
        }
        checked.diagnostics[0] = edited;
        let left = fix(&mut checker, &source, &checked).unwrap().unwrap_err();
        assert_eq!(left, expected, "{from} to {to}");
    }
    check("\"value\": 1", "\"value\": 2", NotFixed::OtherCases);
    check("\"name\": \"𝄞\"", "\"name\": \"b\"", NotFixed::OtherCases);
    check("\"tests\"", "\"test\"", NotFixed::OtherCases);
    check("\"state\": \"halt\"", "\"state\": \"hAlt\"", NotFixed::NoBetter);
}

#[cfg(unix)]
#[test]
fn repairs_keep_links_and_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) = copy(MECHANICAL);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let link = folder.path().join("link.json");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert_eq!(vmconf(&["check", "--fix", link.to_str().unwrap()]).exit, 0);
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&path).unwrap(), REPAIRED);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    let (_folder, path) = copy(MECHANICAL);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let Ran { exit, stderr, .. } = vmconf(&["check", "--fix", path.to_str().unwrap()]);
    assert_eq!(exit, 3);
    assert!(stderr.contains(": not fixed: the file is read-only"), "{stderr}");
    assert_eq!(fs::read(&path).unwrap(), fs::read(at_root(MECHANICAL)).unwrap());
}

#[test]
fn own_vectors_pass_check() {
    let Ran { exit, stdout, .. } = vmconf(&["check", "--all", VECTORS]);
    let summary = stdout.lines().last().unwrap();
    assert!(summary.contains(" 0 errors, 0 warnings, "), "{stdout}");
    assert_eq!(exit, 0);
}

/// Notations that readers take though the formats' texts forbid them.
#[test]
fn deviating_notations_are_run() {
    let folders: Vec<_> =
        sample_folders().into_iter().filter(|folder| folder.ends_with("/notation")).collect();
    assert!(folders.len() >= 2);
    for folder in folders {
        let Ran { exit, stdout, .. } = vmconf(&["run", &folder]);
        assert!(exit == 0 && stdout.contains(" passed, 0 failed, 0 errors, 0 skipped"), "{folder}: {stdout}");
        assert!(!vmconf(&["check", &folder]).stdout.contains(" 0 warnings"), "{folder}");
    }
}

#[test]
fn each_finding_of_check_has_its_exit_code() {
    fn check(args: &str, exit: i32) {
        let ran = vmconf(&args.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.exit, exit, "vmconf {args}: {ran:?}");
    }
    const WARNED: &str = "tests/samples/vmtests/notes";
    check("check", 0);
    check("check vectors/evm/arithmetic/add.json", 0);
    check("check vectors/evm/arithmetic/add.json::wraps", 0);
    check(&format!("check {WARNED}"), 0);
    check(&format!("check {WARNED} --strict"), 3);
    check("check tests/samples/vmtests/wrong", 0);
    check("check tests/samples/vmtests/broken/empty.json", 3);
    check("check tests/samples/vmtests/malformed", 3);
    check("check nowhere.json", 2);
    check("check --output xml", 2);
    check("check --rules vectors", 2);
    check("check src", 4);
    check("check --filter no-such-case", 4);
}

/// Standard output has colours on request, and never in SARIF.
#[test]
fn findings_are_coloured_on_request() {
    let forced = |args: &[&str]| {
        let mut command = command(args);
        ran(command.env("CLICOLOR_FORCE", "1").output().unwrap()).stdout
    };
    assert!(forced(&["check", MIXED]).contains("\u{1b}["));
    assert!(!vmconf(&["check", MIXED]).stdout.contains('\u{1b}'));
    assert!(!forced(&["check", "--output", "sarif", MIXED]).contains('\u{1b}'));
}

/// Equal findings are printed a few times and then only counted: each finding counts once.
#[test]
fn repeated_findings_are_folded() {
    let folder = "tests/samples/neovm-n3/malformed";
    let (sarif, _) = sarif(&[folder]);
    let mut all = BTreeMap::<_, usize>::new();
    for result in results(&sarif) {
        let kind = format!("{}[{}]", result["level"].as_str().unwrap(), result["ruleId"].as_str().unwrap());
        *all.entry(kind).or_default() += 1;
    }
    let mut told = BTreeMap::<_, usize>::new();
    for line in vmconf(&["check", folder]).stdout.lines() {
        let Some((kind, rest)) = line.split_once("]: ") else { continue };
        let more = rest.strip_prefix("and ").and_then(|rest| rest.split_once(" more like this"));
        *told.entry(format!("{kind}]")).or_default() += more.map_or(1, |more| more.0.parse().unwrap());
    }
    assert_eq!(told, all);
    assert!(vmconf(&["check", folder]).stdout.contains(" more like this in "));
}

/// A test of `line_index` counts the steps of a look-up; this one would not end soon if they grew with the
/// line.
#[test]
fn many_faults_in_one_long_line_are_found_and_fixed() {
    const MANY: usize = 50_000;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("long.json");
    let actions = vec!["\"execute\""; MANY].join(",");
    let steps = format!("[{{\"actions\":[{actions}],\"result\":{{\"state\":\"HALT\"}}}}]");
    fs::write(&path, format!("{{\"tests\":[{{\"script\":[\"RET\"],\"steps\":{steps}}}]}}")).unwrap();
    let path = path.to_str().unwrap();
    for args in
        [&["check", path][..], &["check", "--output", "sarif", path], &["check", "--fix", "--all", path]]
    {
        assert_eq!(vmconf(args).exit, 0, "{args:?}");
    }
    assert!(!fs::read_to_string(path).unwrap().contains("execute"));
}

#[test]
fn findings_beyond_the_limit_are_counted() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("comments.json");
    let step = r#"{"actions": ["Execute"], "result": {"state": "HALT"}}"#;
    let tests = format!(r#"[{{"name": "t", "script": ["RET"], "steps": [{step}]}}]"#);
    let vector = format!(r#"{{"category": "c", "name": "n", "tests": {tests}}}"#);
    let write = |comments: usize| fs::write(&path, "//\n".repeat(comments) + &vector).unwrap();
    let path = path.to_str().unwrap();

    write(250);
    let told = vmconf(&["run", path]).stderr;
    assert!(told.contains(":1:1: comment (and 99 more)"), "{told}");
    assert!(told.contains(":101:1: up to 150 more notes, not listed"), "{told}");
    let strict = vmconf(&["run", "--strict", path]).stdout;
    assert!(strict.contains("up to 150 more errors, not listed"), "{strict}");

    write(100_030);
    let told = vmconf(&["check", path]).stdout;
    assert!(told.contains("warning[not-listed]: up to 30 more warnings, not listed"), "{told}");
    assert_eq!(vmconf(&["check", "--fix", path]).exit, 0);
    let left = fs::read_to_string(path).unwrap();
    assert_eq!(left.matches("//").count(), 30, "a second call removes the rest");
}

/// Wherever a file is truncated or altered, a problem is reported at a position within the file, and what
/// can be fixed is fixed. What another parser does not accept as JSON is never without a finding.
#[test]
fn any_text_is_checked() {
    let (mut malformed, mut fixes) = (0, 0);
    let options = LoadOptions::default();
    let mut checker = Checker::new(&options);
    for sample in files(MIXED, "json") {
        let source = files_of(&sample).remove(0);
        let text = fs::read_to_string(&sample).unwrap();
        for (cut, _) in text.char_indices() {
            let rest = text[cut..].chars().skip(1).collect::<String>();
            for changed in [text[..cut].to_owned(), format!("{}{rest}", &text[..cut])] {
                let is_json = serde_json::from_str::<Json>(&changed).is_ok();
                malformed += usize::from(!is_json);
                let checked = checker.check_text(&source, changed);
                assert!(is_json || !checked.diagnostics.is_empty(), "{}: {cut}", relative(&sample));
                let text = checked.text.as_ref().unwrap();
                for diagnostic in &checked.diagnostics {
                    assert_ne!(diagnostic.rule, LintRule::Internal, "{diagnostic:?}");
                    let at = diagnostic.place.as_ref().unwrap().at as usize;
                    assert!(at <= text.as_str().len(), "{diagnostic:?}");
                }
                if let Some(Ok(fixed)) = fix(&mut checker, &source, &checked) {
                    assert_eq!(fixed.checked.edits().count(), 0, "{}", fixed.text);
                    fixes += 1;
                }
            }
        }
    }
    assert!(malformed > 1000 && fixes > 200, "{malformed} malformed, {fixes} fixed");
}

/// A file with this text, checked.
fn checked(text: &str, args: &[&str]) -> Ran {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("f.json");
    fs::write(&path, text).unwrap();
    vmconf(&[&["check"], args, &[path.to_str().unwrap()]].concat())
}

/// A document of MiniC89 is JSON: comments, trailing commas and members that occur twice are errors, and `--strict`
/// makes errors of warnings.
#[test]
fn documents_of_minic89_are_json() {
    let snapshot = r#"{"schema_version":"MiniC89.VM.Snapshot.v0.2","step":0,"status":"RUNNING","pc":{"fid":1,"ip":0},"operand_stack":[],"call_stack":[{"fid":1,"return_pc":null,"locals":[]}]}"#;
    assert_eq!(checked(snapshot, &[]).exit, 0, "{:?}", checked(snapshot, &[]));
    let twice = snapshot.replace("\"step\":0,", "\"step\":0,\"step\":0,");
    let comma = snapshot.replace("\"operand_stack\":[]", "\"operand_stack\":[],").replace("[]}]}", "[]}],}");
    for text in [&twice, &comma, &format!("{snapshot} // a comment")] {
        let ran = checked(text, &[]);
        assert!(ran.exit == 3 && ran.stdout.contains("error["), "{text}: {ran:?}");
        let stream = checked(&format!("{snapshot}\n{text}\n"), &[]);
        assert!(stream.exit == 3 && stream.stdout.contains("error["), "{text}: {stream:?}");
    }
}

/// Two entries of a state test for the same transaction have one name, although they have no member for it.
#[test]
fn entries_of_one_transaction_have_one_name() {
    let text = fs::read_to_string(at_root("docs/examples/formats/statetest.json")).unwrap();
    let mut vector: Json = serde_json::from_str(&text).unwrap();
    let entries = vector["transfer"]["post"]["London"].as_array_mut().unwrap();
    let entry = entries[0].clone();
    entries.push(entry);
    let ran = checked(&vector.to_string(), &[]);
    assert!(ran.stdout.contains("warning[duplicate-name]"), "{ran:?}");
}

/// In a checkout of GitHub, files have names from its root, whichever folder the command runs in.
#[test]
fn files_are_named_from_the_root_of_a_checkout() {
    let root = TempDir::new().unwrap();
    let folder = root.path().join("sub");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("wrong.json"), "{").unwrap();
    let checked = |from: &Path, file: &str| -> Json {
        let mut command = command(&["check", "--output", "sarif", file]);
        command.current_dir(from).env("GITHUB_WORKSPACE", root.path());
        serde_json::from_str(&ran(command.output().unwrap()).stdout).unwrap()
    };
    let uri = |sarif: Json| {
        sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].clone()
    };
    assert_eq!(uri(checked(&folder, "wrong.json")), "sub/wrong.json");
    assert_eq!(uri(checked(root.path(), "sub/wrong.json")), "sub/wrong.json");
}

/// A generator that writes empty lists loses all its cases: a run says so as well.
#[test]
fn a_file_without_cases_is_reported() {
    let folder = TempDir::new().unwrap();
    for machine in ["tinyvm", "neo2", "neo3"] {
        let path = folder.path().join(format!("{machine}.json"));
        fs::write(&path, format!("{{\"machine\": \"{machine}\", \"tests\": []}}")).unwrap();
        let run = vmconf(&["run", path.to_str().unwrap()]);
        let told = format!("{machine}.json:1:1: there is no case in this file\n");
        assert!(run.exit == 4 && run.stderr.contains(&told), "{run:?}");
        let check = vmconf(&["check", path.to_str().unwrap()]);
        assert!(check.stdout.contains("warning[no-cases]: there is no case in this file"), "{check:?}");
    }
}

/// A sender cannot be compared with a key that is none.
#[test]
fn a_secret_key_of_no_sender_is_reported() {
    let original = fs::read_to_string(at_root("vectors/ethereum/transfer.json")).unwrap();
    let mut file: Json = serde_json::from_str(&original).unwrap();
    let (_, test) = file.as_object_mut().unwrap().iter_mut().next().unwrap();
    for key in ["0x01", "0x", &format!("0x{}", "00".repeat(32)), &format!("0x{}", "ff".repeat(32))] {
        test["transaction"]["secretKey"] = key.into();
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("transfer.json");
        fs::write(&path, test_file(test)).unwrap();
        let check = vmconf(&["check", path.to_str().unwrap()]);
        assert!(check.stdout.replace("\n  ", " ").contains(" is no secret key\n"), "{check:?}");
        assert!(check.stdout.contains(" = expected: 0x and 64 hex digits"), "{check:?}");
    }
}

/// A file with this test alone.
fn test_file(test: &Json) -> String {
    serde_json::json!({ "test": test }).to_string()
}
