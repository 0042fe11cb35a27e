//! What is reported about every sample, without the layout of any report: a paragraph a sample, and a
//! golden file a folder of samples, or a range of letters of a large one.
//!
//! ```text
//! state-in-capitals: 1 pass; with --strict: 1 error
//!   12:22 strict warning[must/letter-case] "BREAK" has the wrong letter case; expected "Break"; at "BREAK"}
//! ```
//!
//! The second word of a line is the least thorough command that reports it: `run`, `run --strict`, or
//! only `check`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::golden::{differs, short};
use crate::support::{at_root, files, files_of, golden, relative};
use vmconf::explain::explain;
use vmconf::formats::{self, Strictness};
use vmconf::lint::Checker;
use vmconf::model::limits::Limits;
use vmconf::model::{Blame, BlameAnswer, Diagnostic, Event, InputOrigin, InputPart, Verdict, escaped};
use vmconf::run::sources::VectorSource;
use vmconf::run::{self, FileOptions, LoadOptions, Worker};
use vmconf::text::source_text::SourceText;

/// Every folder of samples of one kind, relative to the project.
pub(crate) fn sample_folders() -> BTreeSet<String> {
    let kind = |path: PathBuf| {
        let folder = relative(path.parent().unwrap());
        folder.split('/').take("tests/samples/format/kind".split('/').count()).collect::<Vec<_>>().join("/")
    };
    let folders: BTreeSet<_> = files("tests/samples", "json").into_iter().map(kind).collect();
    let is_outer = |outer: &str| folders.iter().any(|folder| folder.starts_with(&format!("{outer}/")));
    folders.iter().filter(|folder| !is_outer(folder)).cloned().collect()
}

#[test]
fn samples_are_reported_as_their_golden_files_say() {
    let folders = sample_folders();
    let names = folders.iter().map(|folder| folder.strip_prefix("tests/samples/").unwrap());
    golden::folder("samples", names.flat_map(|folder| pieces(folder, paragraph)));
}

/// A text about each sample of a folder below `tests/samples`, in pieces that a person can review.
pub(crate) fn pieces(folder: &str, of: impl Fn(&Path) -> String) -> Vec<(String, String)> {
    const LARGE: usize = 40;
    const MAX_LENGTH: usize = 20_000;
    const LETTERS: [RangeInclusive<char>; 6] =
        ['a'..='b', 'c'..='f', 'g'..='l', 'm'..='n', 'o'..='r', 's'..='z'];
    let root = at_root("tests/samples").join(folder);
    let samples = files(&root, "json");
    let name =
        |path: &Path| path.strip_prefix(&root).unwrap().with_extension("").to_str().unwrap().to_owned();
    let piece_of = |path: &Path| {
        let letters = LETTERS.iter().find(|it| name(path).starts_with(|first| it.contains(&first))).unwrap();
        format!("{folder}@{}-{}", letters.start(), letters.end())
    };
    let mut pieces = BTreeMap::<String, String>::new();
    for path in &samples {
        let piece = if samples.len() <= LARGE { folder.to_owned() } else { piece_of(path) };
        writeln!(pieces.entry(piece).or_default(), "{}: {}", name(path), of(path)).unwrap();
    }
    for (piece, text) in &pieces {
        assert!(text.len() <= MAX_LENGTH, "{piece} has {} bytes, too many to review: split it", text.len());
    }
    pieces.into_iter().collect()
}

/// All that is reported about a sample.
fn paragraph(path: &Path) -> String {
    let [source] = &files_of(path)[..] else { panic!("{} is one file", path.display()) };
    let tolerant = Reported::by_run(source, Strictness::Tolerant);
    let strict = Reported::by_run(source, Strictness::Strict);
    let mut text = tolerant.verdicts();
    if strict.verdicts() != tolerant.verdicts() {
        write!(text, "; with --strict: {}", strict.verdicts()).unwrap();
    }
    text.push('\n');
    text.extend(found(source, &tolerant, &strict).into_iter().map(|line| format!("  {line}\n")));
    if tolerant.counts.contains_key("fail") {
        text.extend(failures(source).into_iter().map(|line| format!("  {line}\n")));
    }
    text
}

/// What `run` reports about a file.
#[derive(Default)]
struct Reported {
    counts: BTreeMap<&'static str, usize>,
    /// Notes, and why cases are broken.
    problems: Vec<String>,
}

fn options(strictness: Strictness) -> LoadOptions {
    let limits = Limits { steps: 1_000_000, ..Limits::default() };
    let read = formats::FormatOptions { strictness, ..formats::FormatOptions::default() };
    LoadOptions { file: FileOptions { limits, read, ..FileOptions::default() }, ..LoadOptions::default() }
}

impl Reported {
    fn by_run(source: &VectorSource, strictness: Strictness) -> Reported {
        let options = options(strictness);
        let mut reported = Reported::default();
        run::run(&[source.clone()].into_iter().collect(), &options, &mut |event| reported.add(event));
        reported
    }

    fn add(&mut self, event: Event) {
        match event {
            Event::Note { diagnostic, .. } => self.problems.push(located(&diagnostic)),
            Event::Finished(report) => {
                *self.counts.entry(report.verdict.name()).or_default() += 1;
                if let Verdict::Error(diagnostics) = &report.verdict {
                    self.problems.extend(diagnostics.iter().map(located));
                }
            }
            _ => {}
        }
    }

    /// `3 pass, 1 error`.
    fn verdicts(&self) -> String {
        let counts = self.counts.iter().map(|(verdict, count)| format!("{count} {verdict}"));
        counts.collect::<Vec<_>>().join(", ")
    }
}

fn located(diagnostic: &Diagnostic) -> String {
    let place = diagnostic.place.as_ref().map_or("-".to_owned(), |place| place.position.to_string());
    problem(&place, &diagnostic.what, diagnostic.expected.as_deref())
}

/// A problem in words that do not depend on which command reports it.
fn problem(place: &str, what: &str, expected: Option<&str>) -> String {
    let expected = expected.map_or(String::new(), |it| format!("; expected {it}"));
    // Messages name ids, which here begin with the folder of the project.
    let text = format!("{place} {what}{expected}")
        .replace(&format!("{}/", at_root("").display()).replace("//", "/"), "");
    escaped(&text).into_owned()
}

/// A line for each finding of `check`, and for each problem that only `run` reports.
fn found(source: &VectorSource, tolerant: &Reported, strict: &Reported) -> Vec<String> {
    let options = options(Strictness::Tolerant);
    let checked = Checker::new(&options).check(source);
    let text = checked.text.as_ref().map_or("", SourceText::as_str);
    let mut lines = Vec::new();
    let mut found = Vec::new();
    for it in &checked.diagnostics {
        let same = located(it);
        let by = match &same {
            same if tolerant.problems.contains(same) => "run",
            same if strict.problems.contains(same) => "strict",
            _ => "check",
        };
        let (place, words) = same.split_once(' ').unwrap();
        let mut line = format!("{place} {by} {}[{}] {words}", it.severity.name(), it.rule.name());
        if let Some(edit) = it.edit() {
            write!(line, "; fix: {:?} to {:?}", &text[edit.range.clone()], edit.with).unwrap();
        } else {
            let at = it.place.as_ref().map_or(0, |place| place.at as usize);
            let there: String = text[at..].chars().take_while(|it| *it != '\n').take(20).collect();
            write!(line, "; at {}", escaped(&there)).unwrap();
        }
        if let Some(suggestion) = it.suggestion() {
            write!(line, "; perhaps {suggestion:?}").unwrap();
        }
        lines.push(line);
        found.push(same);
    }
    for (by, reported) in [("run", tolerant), ("strict", strict)] {
        for same in &reported.problems {
            if !found.contains(same) {
                let (place, words) = same.split_once(' ').unwrap();
                lines.push(format!("{place} {by} alone {words}"));
                found.push(same.clone());
            }
        }
    }
    lines
}

/// How the machine differs in each case, and which instructions made it so.
fn failures(source: &VectorSource) -> Vec<String> {
    /// Mismatches of one case; there can be any number of them.
    const MAX_COUNT: usize = 10;
    let options = options(Strictness::Tolerant);
    let loaded = run::open(source, &options);
    let mut lines = Vec::new();
    for case in 0..loaded.cases() {
        let explained = explain(&mut Worker::new(&options.run), &loaded, case, 0);
        let Some(failure) = explained.report.verdict.failure() else { continue };
        for (index, difference) in failure.differences.iter().take(MAX_COUNT).enumerate() {
            lines.push(format!("{} {}", difference.place.position, differs(difference)));
            let blame = explained.blames.get(index).and_then(blamed);
            lines.extend(blame.map(|blame| format!("  {blame}")));
        }
        let more = failure.differences.len().saturating_sub(MAX_COUNT);
        lines.extend((more > 0).then(|| format!("and {more} more")));
        lines.push(format!("ended {}", escaped(&failure.ended)));
    }
    lines
}

/// The instructions to which a mismatch is traced back.
fn blamed(answer: &BlameAnswer) -> Option<String> {
    let (how, blame) = match answer {
        BlameAnswer::By(blame) => ("by", Some(&**blame)),
        BlameAnswer::NotWritten { near, .. } => ("not written, near", near.as_deref()),
        BlameAnswer::NoCell(last) => ("after", last.as_deref()),
    };
    Some(format!("{how} {}", short(&escaped(&instruction(blame?)))))
}

/// `step 2 ADD of 3 (step 0 PUSH1 0x03), 4 (step 1 PUSH1 0x04)`.
fn instruction(blame: &Blame) -> String {
    let inputs = blame.by.inputs.iter().zip(&blame.inputs).map(|(input, parts)| match &parts[..] {
        [] => input.value.to_string(),
        parts => {
            let parts: Vec<_> = parts.iter().map(part).collect();
            format!("{} ({})", input.value, parts.join("; "))
        }
    });
    let inputs: Vec<_> = inputs.collect();
    let of = if inputs.is_empty() { "" } else { " of " };
    format!("step {} {}{of}{}", blame.by.number(), blame.by.text, inputs.join(", "))
}

/// What wrote an input: `step 0 PUSH1 0x03`, or `memory 0x0000: step 4 MSTORE8` for a part of it.
fn part(InputPart { cell, origin }: &InputPart) -> String {
    let cell = cell.as_ref().map_or(String::new(), |cell| format!("{cell}: "));
    match origin {
        InputOrigin::Instruction(by) => cell + &instruction(by),
        InputOrigin::Vector(step) => format!("{cell}vector step {step}"),
    }
}
