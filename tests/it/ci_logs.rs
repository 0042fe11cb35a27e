//! Text from vectors in the log of a CI job: it starts no command of GitHub Actions, Azure Pipelines or
//! TeamCity, and hides and reorders nothing.

use std::fs;

use crate::reports::{ended, named, render};
use crate::support::{at_root, command, config, ran};
use proptest::prelude::*;
use serde_json::Value as Json;
use tempfile::TempDir;
use vmconf::model::{CaseId, Diagnostic, Event, ExplainedCase, VectorsVersion, escaped, is_harmful};
use vmconf::report::{Grouping, REPORTS, ReportOptions, Verbosity};
use vmconf::text::shell::ShellWords;
use vmconf::wire::line::one_line;

/// Whether a CI system executes a command that it finds in this line.
fn has_command(line: &str) -> bool {
    let line = line.to_lowercase();
    ["##[", "##vso[", "##teamcity["].iter().any(|start| line.contains(start))
        || line.trim_start().starts_with("::")
}

/// The annotations of the report for GitHub, which are commands.
fn is_annotation(line: &str) -> bool {
    line.starts_with("::error file=") || line.starts_with("::notice title=vmconf::")
}

fn assert_harmless(what: &str, text: &str) {
    for line in text.lines() {
        let command = line.strip_prefix("::").filter(|_| is_annotation(line)).unwrap_or(line);
        assert!(!has_command(command), "{what}: {line}");
        assert!(!line.contains(is_harmful), "{what}: {line:?}");
    }
}

/// Text of what commands are made of.
fn hostile_text() -> impl Strategy<Value = String> {
    let pieces = [
        "##",
        "#",
        "[",
        "]",
        "vso[",
        "teamcity[",
        "TeamCity[",
        "group]",
        "::",
        ":",
        "error",
        " ",
        "\t",
        "\n",
        "\r",
        "\u{a0}",
        "\u{2003}",
        "/",
        "\\",
        "\"",
        "'",
        "x",
        "0",
        "\u{1b}[1m",
        "\u{ad}",
        "\u{200b}",
        "\u{202e}",
        "\u{e0041}",
        "\u{fe0f}",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..9).prop_map(|it| it.concat())
}

/// Every event with this text wherever a vector, a list of known failures or the user says it.
fn events(text: &str) -> Vec<Event> {
    let mut events = vec![Event::Started { files: 1, vm: None }];
    let diagnostic = Diagnostic::new(text).expected(text);
    events.push(Event::Note { file: text.into(), diagnostic: diagnostic.clone() });
    events.extend(named(text));
    events.push(Event::Broken { source: CaseId::of_file(text.into()), errors: vec![diagnostic] });
    let mut events = ended(events);
    let explained = events.iter().find_map(|event| match event {
        Event::Finished(report) => {
            Some(ExplainedCase::Text { id: report.id.clone(), text: escaped(text).into() })
        }
        _ => None,
    });
    events.insert(events.len() - 1, Event::Explained(explained.unwrap()));
    events
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn no_report_contains_a_workflow_command(text in hostile_text()) {
        let events = events(&text);
        for kind in REPORTS {
            for grouping in [Grouping::ByCause, Grouping::None] {
                let options = ReportOptions {
                    hides_steps: false,
                    below_checkout: String::new(),
                    grouping,
                    verbosity: Verbosity::Notes,
                    flags: ShellWords::from_iter([&*text]),
                    selection: ShellWords::from_iter([&*text]),
                    only: vec![text.clone()],
                    part: None,
                    when: None,
                    system: Some(text.clone()),
                    versions: vec![VectorsVersion {
                        folder: text.clone(),
                        version: Some(text.clone()),
                        commit: Some(text.clone()),
                    }],
                    slow: Some(std::time::Duration::ZERO),
                };
                let rendered = render(kind.name, &options, &events);
                // The script and style of the page are its own.
                let page = rendered.split("<main>").last().unwrap_or_default();
                assert_harmless(kind.name, page.split("<script>").next().unwrap_or_default());
            }
        }
    }

    /// What is escaped in JSON is read as it was.
    #[test]
    fn json_escapes_keep_the_text(text in hostile_text(), any in any::<String>()) {
        for text in [text, any] {
            let line = one_line(&text);
            assert_harmless("json", &line);
            prop_assert_eq!(serde_json::from_str::<Json>(&line).unwrap(), Json::String(text));
        }
    }

    /// A text is harmless wherever it stands in a line of our own words.
    #[test]
    fn escaped_text_is_harmless(text in hostile_text()) {
        for line in [format!("  {}", escaped(&text)), format!("{}[0]", escaped(&text)), format!("{}:1:1", escaped(&text))] {
            assert_harmless("escaped", &line);
        }
        let twice = escaped(&escaped(&text)).into_owned();
        prop_assert_eq!(escaped(&text), twice);
    }
}

/// Characters of the Unicode Character Database that show nothing or reorder what is shown, each with the
/// property that says so, and some that are seen.
#[test]
fn characters_that_mislead_readers_are_escaped() {
    for (character, property) in [
        ('\u{ad}', "Cf: soft hyphen"),
        ('\u{34f}', "Default_Ignorable_Code_Point: combining grapheme joiner"),
        ('\u{61c}', "Bidi_Control: Arabic letter mark"),
        ('\u{600}', "Cf: Arabic number sign"),
        ('\u{115f}', "Default_Ignorable_Code_Point: Hangul choseong filler"),
        ('\u{17b4}', "Default_Ignorable_Code_Point: Khmer vowel inherent Aq"),
        ('\u{180e}', "Cf: Mongolian vowel separator"),
        ('\u{200d}', "Cf: zero width joiner"),
        ('\u{2028}', "Zl: line separator"),
        ('\u{2065}', "Default_Ignorable_Code_Point: unassigned"),
        ('\u{2069}', "Bidi_Control: pop directional isolate"),
        ('\u{3164}', "Default_Ignorable_Code_Point: Hangul filler"),
        ('\u{fe0f}', "Default_Ignorable_Code_Point: variation selector"),
        ('\u{fff9}', "Cf: interlinear annotation anchor"),
        ('\u{13430}', "Cf: Egyptian hieroglyph vertical joiner"),
        ('\u{1d173}', "Cf: musical symbol begin beam"),
        ('\u{e0041}', "Cf: tag letter A"),
        ('\u{e0fff}', "Default_Ignorable_Code_Point: unassigned"),
        ('\u{9b}', "Cc: control sequence introducer"),
    ] {
        assert!(is_harmful(character), "{character:?} {property}");
    }
    for character in
        ['a', '~', '\u{e4}', '\u{5d0}', '\u{4e00}', '\u{1f980}', '\u{a0}', '\u{301}', '\u{10ffff}']
    {
        assert!(!is_harmful(character), "{character:?}");
    }
}

/// Starts of commands as names of cases, members, folders and files.
const COMMANDS: [&str; 4] = ["##[error]x", "##vso[task.complete]x", "##teamcity[x]", "::error::x"];

#[test]
fn output_of_no_command_contains_a_workflow_command() {
    let folder = TempDir::new().unwrap();
    let vector = fs::read_to_string(at_root("tests/samples/vmtests/wrong/gas.json")).unwrap();
    for name in COMMANDS {
        let below = folder.path().join(name);
        fs::create_dir(&below).unwrap();
        // A case that fails, one with an unknown member, and one that is broken.
        let case = vector.trim().strip_prefix('{').unwrap().strip_suffix('}').unwrap();
        let failing = case.replace("\"gas\":", &format!("\"{name}\":"));
        let noted = case.replace("\"gas\":", "\"noted\":").replacen(
            "\"exec\"",
            &format!("\"{name}\": 1, \"exec\""),
            1,
        );
        let broken = case.replace("\"gas\":", "\"broken\":").replacen("0x", name, 1);
        for (number, case) in [failing, noted, broken].iter().enumerate() {
            fs::write(below.join(format!("{name} {number}.json")), format!("{{{case}}}")).unwrap();
        }
        fs::write(folder.path().join(format!("{name}.json")), format!("[\n {name}]")).unwrap();
    }
    let reports = REPORTS.iter().map(|kind| vec!["run", ".", "-vv", "--no-group", "--report", kind.name]);
    let others = [
        vec!["list", "."],
        vec!["list", ".", "--formats"],
        vec!["check", "."],
        vec!["check", ".", "--output", "sarif"],
        vec!["check", ".", "--fix"],
        vec!["diff", "."],
        vec!["diff", ".", "--output", "json"],
        vec!["bless", "."],
        vec!["trace", "##[error]x/##[error]x 0.json::##[error]x"],
        vec!["run", "nowhere ##[error]"],
        vec!["compare"],
        vec!["compare", "--list"],
    ];
    for args in reports.chain(others) {
        let mut command = command(&args);
        command.current_dir(folder.path()).env("VMCONF_CACHE", folder.path().join("cache"));
        let ran = ran(command.output().unwrap());
        assert!(!ran.stdout.is_empty() || !ran.stderr.is_empty(), "{args:?}");
        if !ran.stdout.contains("<html") {
            assert_harmless(&format!("{args:?}"), &ran.stdout);
        }
        assert_harmless(&format!("{args:?}"), &ran.stderr);
    }
}

/// `family check` prints names and values of the vector.
#[test]
fn the_check_of_a_family_contains_no_workflow_command() {
    let folder = TempDir::new().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("v.json", r#"[{"name": "x", "initial": {"a": 1}, "final": {"a": 2}}]"#);
    let vmconf = |args: &[&str]| ran(command(args).current_dir(folder.path()).output().unwrap());
    put("m.toml", &vmconf(&["family", "init", "v.json", "--name", "toy"]).stdout);
    for name in COMMANDS {
        let case = format!(
            r#"{{"name": "{name}", "initial": {{"a": "{name}"}}, "final": {{"a": 2}}, "{name}": "{name}"}}"#
        );
        put("v.json", &format!("[{case}]"));
        let ran = vmconf(&["family", "check", "m.toml", "v.json"]);
        assert!(ran.stdout.contains("  error: "), "{ran:?}");
        assert_harmless(name, &ran.stdout);
        assert_harmless(name, &ran.stderr);
    }
}

/// A small case has the names of the vector; as a JSON text, it is the same with escapes.
#[test]
fn a_minimized_case_contains_no_workflow_command() {
    let folder = TempDir::new().unwrap();
    let vector = fs::read_to_string(at_root("tests/samples/vmtests/wrong/gas.json")).unwrap();
    for name in COMMANDS {
        // A quote in the name, too.
        let hostile = vector.replacen("\"gas\":", &format!("\"\\\"{name}\":"), 1);
        fs::write(folder.path().join("v.json"), hostile).unwrap();
        let ran = ran(command(&["minimize", "v.json"]).current_dir(folder.path()).output().unwrap());
        let small: Json = serde_json::from_str(&ran.stdout).unwrap();
        assert!(small.as_object().unwrap().contains_key(&format!("\"{name}")), "{ran:?}");
        assert_harmless(name, &ran.stdout);
    }
}
