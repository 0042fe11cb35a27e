//! What is written as JSON is read back as it was, and is what its schema says, member by member.

mod plain;
mod samples;
mod schemas;

use std::fs;
use std::io::Read;

use crate::reports::{mixed, render};
use crate::support::{at_root, config, files, golden};
use indexmap::IndexMap;
use proptest::prelude::*;
use samples::{any_event, any_expected, any_path, any_record_case, any_value};
use serde::Serialize;
use serde::de::DeserializeOwned;
use vmconf::model::explanation;
use vmconf::model::{Event, Expected, NotPassed, Path, RunSummary, Value, Verdict};
use vmconf::report::ReportOptions;
use vmconf::report::json::{Invocation, RecordWriter};
use vmconf::wire::line::one_line;
use vmconf::wire::protocol::{Hello, Offer, ProtocolAnswer};
use vmconf::wire::record;
use vmconf::wire::report::{
    Note, ReportLine, ReportStart, ReportedExplanation, ReportedNotCompared, ReportedSummary,
};
use vmconf::wire::value::Truncated;

fn there_and_back<T: Serialize + DeserializeOwned>(it: &T) -> T {
    let line = one_line(it);
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// The line of an event that has one.
fn line(event: &Event) -> Option<ReportLine> {
    Some(match event {
        Event::Note { file, diagnostic } => ReportLine::Note(Note::new(file, diagnostic)),
        Event::Finished(report) => ReportLine::Case(Box::new(report.into())),
        Event::NotCompared(fields) => ReportLine::NotCompared(ReportedNotCompared { fields: fields.clone() }),
        Event::Ended(summary) => ReportLine::Summary(summary.into()),
        Event::Explained(explanation::ExplainedCase::Text { id, text }) => {
            ReportLine::Explained(ReportedExplanation::new(id, text))
        }
        Event::Started { files, vm } => {
            ReportLine::Run(ReportStart { vm: vm.clone(), ..ReportStart::new(*files, None) })
        }
        Event::Suspects(analysis) => ReportLine::Suspects(Box::new((&**analysis).into())),
        Event::FileDone | Event::Broken { .. } | Event::Explained(explanation::ExplainedCase::Facts(_)) => {
            return None;
        }
    })
}

/// An event without what a report leaves out: the text of the vector file.
fn without_excerpts(mut event: Event) -> Event {
    let places = match &mut event {
        Event::Note { diagnostic, .. } => diagnostic.place.iter_mut().collect(),
        Event::Finished(report) => match &mut report.verdict {
            Verdict::Fail(failure) | Verdict::Known(NotPassed::Fail(failure), _) => {
                failure.differences.iter_mut().map(|it| &mut it.place).collect()
            }
            Verdict::Error(diagnostics) => {
                diagnostics.iter_mut().filter_map(|it| it.place.as_mut()).collect()
            }
            Verdict::Pass
            | Verdict::Known(..)
            | Verdict::Fixed(_)
            | Verdict::Skip(_)
            | Verdict::Unsupported(_)
            | Verdict::Crash(_)
            | Verdict::Timeout(_)
            | Verdict::Flaky(_) => Vec::new(),
        },
        Event::Started { .. }
        | Event::FileDone
        | Event::Broken { .. }
        | Event::Explained(_)
        | Event::Suspects(_)
        | Event::NotCompared(_)
        | Event::Ended(_) => Vec::new(),
    };
    for place in places {
        (place.at, place.before) = (0, 0);
        place.excerpt.clear();
    }
    event
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn values_are_read_back(value in any_value()) {
        prop_assert_eq!(there_and_back(&value), value);
    }

    #[test]
    fn expectations_are_read_back(expected in any_expected()) {
        let read = match expected.clone() {
            Expected::IsOrAbsent(value) => Expected::Is(value),
            other => other,
        };
        prop_assert_eq!(there_and_back(&expected), read);
    }

    #[test]
    fn paths_are_read_back(path in any_path()) {
        prop_assert_eq!(there_and_back(&path), path);
    }

    /// Whatever a text is, the path that it is read as is shown like it.
    #[test]
    fn texts_of_paths_are_read_back(text in "[a-z0-9/\\[\\]. ]{0,20}") {
        let path: Path = serde_json::from_value(text.clone().into()).unwrap();
        prop_assert_eq!(path.to_string(), text);
    }

    #[test]
    fn events_are_read_back(event in any_event(), position in prop::option::of(any::<u64>())) {
        let mut line = line(&event).unwrap();
        if let Some(of_line) = line.position() {
            *of_line = position;
        }
        let text = one_line(&line);
        let read = ReportLine::read(text.as_bytes()).unwrap();
        prop_assert_eq!(&read, &line);
        prop_assert_eq!(Event::try_from(read).unwrap(), event);
    }

    #[test]
    fn recorded_cases_are_read_back(case in any_record_case()) {
        prop_assert_eq!(there_and_back(&case), case);
    }

    /// A record reads as what was written; one that is cut, longer or changed reads as the same or not at all.
    #[test]
    fn records_are_read_back(
        cases in prop::collection::vec(any_record_case(), 0..20),
        cut: prop::sample::Index,
        changed: prop::sample::Index,
        byte: u8,
        // Only a long record is compressed.
        length in prop_oneof![Just(1), Just(100_000)],
    ) {
        let command = "c".repeat(length);
        let invocation = Invocation { when: "w", command: &command, selected: vec!["s".into()], files: 1, vm: None, part: None };
        let (mut record, mut expected) = (RecordWriter::new(invocation), IndexMap::new());
        for (number, case) in cases.into_iter().enumerate() {
            let case = record::RecordedCase { id: format!("{number} {}", case.id), ..case };
            record.case(case.clone());
            expected.extend([case.into_outcome()]);
        }
        let mut bytes = Vec::new();
        record.end(&RunSummary::default()).unwrap().reader().unwrap().read_to_end(&mut bytes).unwrap();
        let read = |bytes: &[u8]| record::read("record", &mut &*bytes).map_err(|error| error.to_string());
        let whole = read(&bytes).unwrap();
        prop_assert_eq!(&whole.cases, &expected);
        prop_assert_eq!(whole.selected.as_deref(), Some(&["s".to_owned()][..]));
        prop_assert_eq!(bytes[0] == b'{', length == 1);
        // Of a record that is not compressed, the last byte ends the last line.
        let needed = bytes.len() - usize::from(bytes[0] == b'{');
        prop_assert!(read(&bytes[..cut.index(needed)]).is_err());
        prop_assert!(read(&[&bytes[..], &[byte]].concat()).is_err());
        let changed = changed.index(bytes.len());
        bytes[changed] = byte;
        // Bytes of the head of a gzip file say when and where it was written; a line may end with other white space.
        prop_assert!(read(&bytes).map_or(true, |run| run == whole));
    }

    /// A truncated value has its full length beside it, and cannot be read back.
    #[test]
    fn cut_values(value in any_value(), room in 0..10_usize) {
        let (cut, all) = (one_line(&Truncated(&value, room)), one_line(&value));
        prop_assert_eq!(cut.contains("\"length\":"), cut != all);
        prop_assert_eq!(serde_json::from_str::<Value>(&cut).is_ok(), cut == all);
    }
}

/// The report of a run with every verdict and every hostile name is read back to the events of the run.
#[test]
fn the_mixed_report_is_read_back() {
    let text = render("json", &ReportOptions::default(), &mixed());
    let read = |line: &str| Event::try_from(ReportLine::read(line.as_bytes()).unwrap()).unwrap();
    let events: Vec<Event> = text.lines().map(read).collect();
    let told = mixed().into_iter().filter(|event| !matches!(event, Event::FileDone));
    let told: Vec<Event> = told.map(without_excerpts).collect();
    assert_eq!(events.len(), told.len());
    for (read, told) in events.iter().zip(&told) {
        // A path is shown: what is escaped in it stays so.
        assert_eq!(format!("{read:?}"), format!("{told:?}"));
    }
}

/// Each line of a golden report is read, and written as the same line; and so is the event that it is read to.
#[test]
fn golden_reports_are_read_back() {
    let mut lines = 0;
    let reports = files("tests/it/snapshots/json", "snap");
    for path in reports.into_iter().chain([at_root("tests/it/snapshots/reports/json.snap")]) {
        let golden = fs::read_to_string(&path).unwrap();
        // The first line of a sample stands after its name, and long lines are shortened.
        let texts = golden.lines().filter_map(|it| it.get(it.find("{\"type\":\"")?..));
        let texts = texts.filter(|it| !it.contains(" characters] "));
        for text in texts.map(|it| it.replace("\"seconds\":TIME", "\"seconds\":1.5")) {
            let read = ReportLine::read(text.as_bytes())
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(one_line(&read), text, "{}", path.display());
            let mut again = line(&Event::try_from(read.clone()).unwrap()).unwrap();
            if let (ReportLine::Case(read), ReportLine::Case(again)) = (&read, &mut again) {
                // It says how many keys a path has, which the text of a path does not.
                again.signature.clone_from(&read.signature);
            }
            assert!(again == read || matches!(read, ReportLine::Run(_)), "{}: {text}", path.display());
            lines += 1;
        }
    }
    assert!(lines > 100, "{lines}");
}

/// What is not a value is refused with its place in the line.
#[test]
fn wrong_values_are_refused() {
    let texts = [
        "1",
        "\"text\"",
        "[]",
        "{}",
        r#"{"int": 1}"#,
        r#"{"int": "0x1"}"#,
        r#"{"int": ""}"#,
        r#"{"bytes": "0x0"}"#,
        r#"{"bytes": "00"}"#,
        r#"{"bytes": "0x00", "length": 2}"#,
        r#"{"text": null}"#,
        r#"{"list": {}}"#,
        r#"{"list": [1]}"#,
        r#"{"record": {"a": null, "a": null}}"#,
        r#"{"type": "Integer"}"#,
        r#"{"value": {"int": "1"}}"#,
        r#"{"type": "Integer", "int": "1"}"#,
        r#"{"type": "Integer", "value": null, "int": "1"}"#,
        r#"{"absent": true}"#,
        r#"{"absent": false}"#,
        r#"{"number": "1"}"#,
    ];
    let refused = |text: &&str| format!("{text}: {}", serde_json::from_str::<Value>(text).unwrap_err());
    golden::file("wire-wrong-values", &texts.iter().map(refused).collect::<Vec<_>>().join("\n"));
    let deep = "{\"list\":[".repeat(100_000);
    assert!(serde_json::from_str::<Value>(&deep).unwrap_err().to_string().contains("recursion limit"));
    let long = format!("\"{}\"", "a/".repeat(100_000));
    assert!(serde_json::from_str::<Path>(&long).unwrap_err().to_string().contains("at most 5000 keys"));
}

/// Only what a path writes as an index is one: names may end in brackets, too.
#[test]
fn indices_of_paths_have_one_spelling() {
    let read = |text: &str| serde_json::from_value::<Path>(text.into()).unwrap();
    let a = || Path::field("a");
    assert_eq!(read("a[1][0]/b"), a().child(1).child(0).child("b"));
    assert_eq!(read("a/b[10]"), a().child("b").child(10));
    for name in ["a[01]", "a[+1]", "a[-1]", "a[]", "a[x]", "a]", "[1"] {
        assert_eq!(read(name), Path::field(name), "{name}");
    }
}

/// A run without cases passes only if it is a part, which may be empty.
#[test]
fn the_summary_of_an_empty_part_is_read_back() {
    for is_empty_part in [true, false] {
        let summary = RunSummary { is_empty_part, ..RunSummary::default() };
        let read = RunSummary::try_from(there_and_back(&ReportedSummary::from(&summary))).unwrap();
        assert_eq!((read, read.exit()), (summary, summary.exit()));
    }
}

/// What an answer may have is limited, since each value takes more memory than its text.
#[test]
fn answers_with_very_many_values_are_refused() {
    let told = |commas: usize| {
        let line = format!("{{\"type\":\"done\",\"id\":1,\"steps\":[{}1]}}", "1,".repeat(commas - 2));
        ProtocolAnswer::read(line.as_bytes()).unwrap_err().what
    };
    assert_eq!(told(2_000_001), "has more than 2000000 values");
    assert_ne!(told(2_000_000), "has more than 2000000 values");
}

#[test]
fn a_machine_in_another_process_offers_at_most_200_machines() {
    let hello = |count: usize| Hello {
        version: 1,
        name: "m".to_owned(),
        release: "1".to_owned(),
        language: None,
        homepage: None,
        machines: vec![Offer::default(); count],
        in_flight: 1,
    };
    assert!(hello(200).limited().is_ok());
    assert_eq!(hello(201).limited(), Err("says hello with 201 machines; at most 200".to_owned()));
}
