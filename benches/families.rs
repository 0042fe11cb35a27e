//! Vectors of a family on an adapter beside a program that reads the same files with serde_json and runs the same
//! crate in its own process; and listing and sampling them beside the least that any reader must do.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};
use vmconf::model::limits::Limits;
use vmconf::model::{Interrupt, RunSummary};
use vmconf::run::anchor::Anchor;
use vmconf::run::sources::{self, Sources};
use vmconf::run::{self, CaseSample, FileOpener, LoadOptions, RunOptions, SelectPurpose};
use vmconf::testees::MakeTestee;
use vmconf::testees::process::{DEFAULT_START_TIMEOUT, ProcessGroups, ProcessVm, TesteeCommand};
use vmconf::text::json::Document;

use crate::Rounds;
use crate::results::Results;
use crate::timing::{Compared, compare};
use crate::z80_peer::{PeerCounts, run_files};

/// How many cases a file has, as in SingleStepTests/z80.
const CASES: usize = 1_000;

/// Which cases of a file `--sample` of the whole keeps, as few as a person waits for.
const SAMPLE: CaseSample = CaseSample { count: 10, seed: 0 };

/// What is measured.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The adapter: what `cargo build --release` makes of adapters/zilog-z80
    adapter: PathBuf,
    /// How many files of 1,000 cases are made of the vectors in VMCONF_SUITES, or of our own without it
    #[arg(long, default_value = "40")]
    files: usize,
    #[command(flatten)]
    rounds: Rounds,
}

/// Measures both sides and prints their ratios.
pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    let corpus = corpus(arguments.files)?;
    let paths = paths(corpus.path())?;
    let sources = sources::find(&[corpus.path().to_owned()], &Anchor::at(corpus.path())?)?.sources;
    let adapter = arguments.adapter.to_str().context("the path of the adapter is not UTF-8")?;
    same_verdicts(&on_adapter(&sources, adapter)?, run_files(&paths)?)?;

    let rounds = arguments.rounds.rounds;
    let mut results = Results::of("families")?;
    let mut row = |name: &str, compared: &Compared, [ours, peers]: [&str; 2]| {
        let ratio = 1.0 / compared.ratio();
        let last = results.add(name, &[("ratio", Some(ratio))]);
        println!("{ours:<44} {:>9.2} ms", compared.ours * 1e3);
        println!("{peers:<44} {:>9.2} ms", compared.peers * 1e3);
        println!("{name:<44} {ratio:>9.2}  {:>13}  {last}", compared.inverse_spread());
    };
    println!("{} files, {} cases", paths.len(), paths.len() * CASES);
    let ran = compare(
        rounds,
        || drop(black_box(on_adapter(&sources, adapter))),
        || drop(black_box(run_files(&paths))),
    );
    row(
        "times the program",
        &ran,
        ["a run on the adapter, both processes", "serde_json and the crate in one program"],
    );
    let listed = compare(rounds, || list(&sources, None), || texts(&paths).for_each(parse));
    row("times the parsing", &listed, ["listing the cases", "reading and parsing with positions"]);
    let sampled = compare(rounds, || list(&sources, Some(SAMPLE)), || texts(&paths).for_each(parse));
    row(
        "times the parsing, with a sample",
        &sampled,
        ["choosing a sample", "reading and parsing with positions"],
    );
    results.save(&arguments.rounds)
}

/// A folder of files of [`CASES`] cases each.
fn corpus(files: usize) -> anyhow::Result<tempfile::TempDir> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../families/vectors/z80");
    let vectors = std::env::var_os("VMCONF_SUITES").map_or(own, |it| Path::new(&it).join("families/z80"));
    let vectors = paths(&vectors)?;
    ensure!(!vectors.is_empty(), "no vectors");
    let folder = tempfile::tempdir()?;
    for number in 0..files {
        let text = fs::read_to_string(&vectors[number % vectors.len()])?;
        fs::write(folder.path().join(format!("{number}.json")), copied(&text)?)?;
    }
    Ok(folder)
}

/// A text with copies of all cases of another one, under other names.
fn copied(text: &str) -> anyhow::Result<String> {
    let document = parsed(text.to_owned())?;
    let cases: Vec<_> = document.root().items().collect();
    ensure!(!cases.is_empty(), "a file without cases");
    let copy = |number: usize| {
        let case = cases[number % cases.len()];
        let name = case.member("name").map_or(case.range().end, |name| name.range().end - 1);
        let (before, after) = (&text[case.range().start..name], &text[name..case.range().end]);
        format!("{before} copy {}{after}", number / cases.len())
    };
    Ok(format!("[{}]", (0..CASES).map(copy).collect::<Vec<_>>().join(",")))
}

fn paths(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let files = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<_> = files.map(|file| file.map(|file| file.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|it| it == "json"));
    paths.sort();
    Ok(paths)
}

fn texts(paths: &[PathBuf]) -> impl Iterator<Item = String> {
    paths.iter().map(|path| fs::read_to_string(path).expect("a file that was just written"))
}

fn parse(text: String) {
    black_box(parsed(text)).expect("JSON");
}

fn parsed(text: String) -> anyhow::Result<Document> {
    let depth = Limits::default().depth as usize;
    Document::parse(text, depth).map_err(|(_, error)| anyhow!("{}", error.what))
}

/// Runs all cases with the adapter. All its processes have ended then, so that their time is known.
fn on_adapter(sources: &Sources, adapter: &str) -> anyhow::Result<RunSummary> {
    let command = TesteeCommand {
        name: "zilog".to_owned(),
        words: vec![adapter.to_owned()],
        env: Vec::new(),
        folder: None,
        timeout: Duration::from_secs(10),
        start: DEFAULT_START_TIMEOUT,
        memory: None,
    };
    let vm = ProcessVm::start(command, ProcessGroups::default(), &Interrupt::default());
    let testee = MakeTestee::in_processes(Arc::new(vm.map_err(|error| anyhow!(error))?));
    let run = RunOptions { testee, jobs: 2, ..RunOptions::default() };
    let options = LoadOptions { run, ..LoadOptions::default() };
    Ok(run::run(sources, &options, &mut |event| {
        black_box(event);
    }))
}

fn same_verdicts(ours: &RunSummary, peers: PeerCounts) -> anyhow::Result<()> {
    let PeerCounts { passed, failed } = peers;
    ensure!(
        (ours.passed, ours.failed, ours.errors) == (passed, failed, 0),
        "{} passed, {} failed, {} errors, and {passed} passed, {failed} failed in one program",
        ours.passed,
        ours.failed,
        ours.errors
    );
    Ok(())
}

/// Lists the cases of all files, or a sample of them.
fn list(sources: &Sources, sample: Option<CaseSample>) {
    let options =
        LoadOptions { run: RunOptions { sample, ..RunOptions::default() }, ..LoadOptions::default() };
    let mut opener = FileOpener::new(&options);
    for (number, source) in sources.iter().enumerate() {
        black_box(opener.open_in_turn(number, source, SelectPurpose::Look).cases());
    }
}
