//! A whole run beside the least that any runner must do with the same files: find them, read them
//! and parse them to JSON values. vmPerformance is left out: it would measure the interpreter.

use std::hint::black_box;
use std::path::Path;

use anyhow::ensure;
use vmconf::model::limits::Limits;
use vmconf::run::anchor::Anchor;
use vmconf::run::sources::{self, Sources, VectorSource};
use vmconf::run::{self, LoadOptions};
use vmconf::text::json::Document;

use crate::Selection;
use crate::results::Results;
use crate::timing::{Compared, compare};

/// Measures both and prints their ratio, and that of the two readers of JSON.
pub(crate) fn measure(selection: &Selection) -> anyhow::Result<()> {
    let sources = files(selection)?;
    ensure!(!sources.is_empty(), "no files");
    let summary = run(&sources, 1);
    ensure!(summary.failed + summary.errors == 0, "{} failed, {} errors", summary.failed, summary.errors);

    let rounds = selection.rounds.rounds;
    let mut results = Results::of("files")?;
    let mut ratio = |name: &str, compared: &Compared| {
        let ratio = 1.0 / compared.ratio();
        let last = results.add(name, &[("ratio", Some(ratio))]);
        println!("{name:<44} {ratio:>9.2}  {:>13}  {last}", compared.inverse_spread());
    };
    println!("{} files, {} cases", sources.len(), summary.passed);
    let floor = compare(rounds, || run_again(&sources, 1), || parse_all(&sources));
    row("a run with --jobs 1", floor.ours);
    row("reading, and parsing to serde_json::Value", floor.peers);
    ratio("times the reading and parsing", &floor);

    let threads = compare(rounds, || run_again(&sources, 2), || run_again(&sources, 1));
    row("a run with --jobs 2, CPU time of all threads", threads.ours);
    ratio("times that of --jobs 1", &threads);

    let texts: Vec<_> = sources.iter().map(|source| read(&source)).collect();
    let parsing = compare(
        rounds,
        || texts.iter().for_each(|text| parse(text)),
        || texts.iter().for_each(|text| parse_value(text)),
    );
    row("parsing with positions", parsing.ours);
    row("parsing to serde_json::Value", parsing.peers);
    ratio("times the parsing", &parsing);
    results.save(&selection.rounds)
}

fn row(what: &str, seconds: f64) {
    println!("{what:<44} {:>9.2} ms", seconds * 1e3);
}

fn files(selection: &Selection) -> anyhow::Result<Sources> {
    let found = sources::find(std::slice::from_ref(&selection.suites), &Anchor::at(Path::new("."))?)?;
    let is_selected = |source: &VectorSource| {
        !source.shown.contains("vmPerformance") && selection.rounds.selects(&source.shown)
    };
    Ok(found.sources.iter().filter(is_selected).collect())
}

fn run(sources: &Sources, jobs: usize) -> vmconf::model::event::RunSummary {
    let mut options = LoadOptions::default();
    options.run.jobs = jobs;
    run::run(sources, &options, &mut |event| {
        black_box(event);
    })
}

fn read(source: &VectorSource) -> String {
    std::fs::read_to_string(&source.path).expect("a file that was just read")
}

fn run_again(sources: &Sources, jobs: usize) {
    black_box(run(sources, jobs));
}

fn parse_all(sources: &Sources) {
    sources.iter().for_each(|source| parse_value(&read(&source)));
}

fn parse_value(text: &str) {
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    black_box(value);
}

fn parse(text: &str) {
    let depth = Limits::default().depth as usize;
    black_box(Document::parse(text.to_owned(), depth)).expect("JSON");
}
