//! A whole run beside the least that any runner must do with the same files: find them, read them
//! and parse them to JSON values. vmPerformance is left out: it would measure the interpreter.

use std::hint::black_box;
use std::path::Path;

use anyhow::ensure;
use vmconf::model::limits::Limits;
use vmconf::run::anchor::Anchor;
use vmconf::run::sources::{self, Source};
use vmconf::run::{self, Options};
use vmconf::text::json::Document;

use crate::Selection;
use crate::timing::medians;

/// Measures both and prints their ratio, and that of the two readers of JSON.
pub(crate) fn measure(selection: &Selection) -> anyhow::Result<()> {
    let sources = files(selection)?;
    ensure!(!sources.is_empty(), "no files");
    let summary = run(&sources);
    ensure!(summary.failed + summary.errors == 0, "{} failed, {} errors", summary.failed, summary.errors);

    let rounds = selection.rounds.rounds;
    let (ours, floor) = medians(rounds, || run_again(&sources), || parse_all(&sources));
    println!("{} files, {} cases", sources.len(), summary.passed);
    row("a run with --jobs 1", ours);
    row("reading, and parsing to serde_json::Value", floor);
    println!("{:<44} {:>9.2}", "times the reading and parsing", ours / floor);

    let texts: Vec<_> = sources.iter().map(read).collect();
    let (ours, peer) = medians(
        rounds,
        || texts.iter().for_each(|text| parse(text)),
        || texts.iter().for_each(|text| parse_value(text)),
    );
    row("parsing with positions", ours);
    row("parsing to serde_json::Value", peer);
    println!("{:<44} {:>9.2}", "times the parsing", ours / peer);
    Ok(())
}

fn row(what: &str, seconds: f64) {
    println!("{what:<44} {:>9.2} ms", seconds * 1e3);
}

fn files(selection: &Selection) -> anyhow::Result<Vec<Source>> {
    let mut sources =
        sources::find(std::slice::from_ref(&selection.suites), &Anchor::at(Path::new("."))?)?.sources;
    sources.retain(|source| {
        !source.shown.contains("vmPerformance") && source.shown.contains(&selection.rounds.only)
    });
    Ok(sources)
}

fn run(sources: &[Source]) -> vmconf::model::event::Summary {
    run::run(sources, &Options::default(), &mut |event| {
        black_box(event);
    })
}

fn read(source: &Source) -> String {
    std::fs::read_to_string(&source.path).expect("a file that was just read")
}

fn run_again(sources: &[Source]) {
    black_box(run(sources));
}

fn parse_all(sources: &[Source]) {
    sources.iter().for_each(|source| parse_value(&read(source)));
}

fn parse_value(text: &str) {
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    black_box(value);
}

fn parse(text: &str) {
    let depth = Limits::default().depth as usize;
    black_box(Document::parse(text.to_owned(), depth)).expect("JSON");
}
