//! What several test files share: where things are, running the command, running cases of vectors.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod browser;
pub(crate) mod golden;
pub(crate) mod place;
pub(crate) mod schema;
pub(crate) mod skip;
pub(crate) mod validator;

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;
use vmconf::formats::{self, FormatOptions, ReadContext};
use vmconf::machines;
use vmconf::machines::machine::{Machine, Watch, perform};
use vmconf::machines::status::Status;
use vmconf::model::limits::Limits;
use vmconf::model::{Assertion, Case, Step};
use vmconf::run::anchor::Anchor;
use vmconf::run::{VectorFiles, sources};
use vmconf::text::json::{Document, JsonNode};
use vmconf::wire::gzip::decompressed;

/// The project's own vectors, as the command line names them.
pub(crate) const VECTORS: &str = "vectors";
/// A few vectors of each format.
pub(crate) const A_FOLDER_OF_EACH_FORMAT: [&str; 7] = [
    "vectors/evm/arithmetic",
    "vectors/neo3/compound",
    "vectors/neo2/containers",
    "vectors/tinyvm/machine",
    "vectors/tinyvm/drivers",
    "vectors/minic89/programs",
    "vectors/ethereum/transfer.json",
];
/// Samples in which exactly what their name says is wrong.
pub(crate) const WRONG: &str = "tests/samples/vmtests/wrong";
/// How long a test waits for something before it fails.
pub(crate) const PATIENCE: Duration = Duration::from_mins(5);
/// Samples that are no vectors.
pub(crate) const MALFORMED: &str = "tests/samples/vmtests/malformed";

/// The number of random cases unless the environment says otherwise; nothing is written beside the tests. The seed is
/// drawn here, so that a test that fails has printed it.
#[allow(clippy::print_stdout, reason = "the seed repeats a run")]
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    let seed = match config.rng_seed {
        RngSeed::Fixed(seed) => seed,
        RngSeed::Random => RandomState::new().hash_one(0),
    };
    println!("PROPTEST_RNG_SEED={seed}");
    ProptestConfig { rng_seed: RngSeed::Fixed(seed), ..config }
}

/// A path of the project.
pub(crate) fn at_root(path: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The name of a file in the output of a command that runs in the folder of the project: it may lead from there to a
/// temporary folder beside it.
pub(crate) fn shown(path: impl AsRef<Path>) -> String {
    Anchor::at(&at_root("")).unwrap().name(path.as_ref()).to_string()
}

/// The files in and below a folder of the project that end in `extension`, by name; at least one.
pub(crate) fn files(folder: impl AsRef<Path>, extension: &str) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(at_root(folder.as_ref())).sort_by_file_name();
    let paths = entries.into_iter().map(|entry| entry.unwrap().into_path());
    let found: Vec<_> = paths.filter(|path| path.extension().is_some_and(|it| it == extension)).collect();
    assert!(!found.is_empty(), "no .{extension} files in {}", folder.as_ref().display());
    found
}

/// The runs that are recorded in a cache folder, the oldest first. Other files there have hashes as names, which may
/// begin as a date does.
pub(crate) fn recorded_runs(cache: &Path) -> Vec<PathBuf> {
    let starts = |path: &Path, start: &str| path.file_name().unwrap().to_str().unwrap().starts_with(start);
    let entries = walkdir::WalkDir::new(cache).sort_by_file_name().into_iter();
    let files = entries.map(|entry| entry.unwrap().into_path()).filter(|path| path.is_file());
    files.filter(|path| starts(path.parent().unwrap(), "runs-") && starts(path, "20")).collect()
}

/// The project's own vector files, but for the generated tables: their many cases are alike, and the golden files and
/// planted faults have them all.
pub(crate) fn written_vectors() -> Vec<PathBuf> {
    written_in(VECTORS)
}

/// Those in and below a folder of the project.
pub(crate) fn written_in(folder: impl AsRef<Path>) -> Vec<PathBuf> {
    let mut found = files(folder, "json");
    found.retain(|path| !is_table(path));
    found
}

/// Whether a file or folder is one of the generated tables.
pub(crate) fn is_table(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tables")
}

/// A path without the part that is the project's.
pub(crate) fn relative(path: &Path) -> String {
    path.strip_prefix(at_root("")).unwrap().to_str().unwrap().replace('\\', "/")
}

/// What a command line did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The variables that change what vmconf prints: colours, widths, and the CI server that it runs on.
const NOT_INHERITED: [&str; 10] = [
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_WORKSPACE",
    "INSTA_UPDATE",
    "NO_COLOR",
    "TF_BUILD",
    "VMCONF_PROFILE",
];

/// `vmconf` with these arguments in the project's folder, without variables that change its output. A machine that it
/// starts may be `vmconf serve`, wherever the project is.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vmconf"));
    command.args(args).current_dir(at_root("")).stdin(Stdio::null());
    command.env("VMCONF_CACHE", cache_of_test()).env("PATH", path_with_vmconf());
    for name in NOT_INHERITED {
        command.env_remove(name);
    }
    command
}

/// The path on which programs are found, with `vmconf` as the first.
pub(crate) fn path_with_vmconf() -> OsString {
    let vmconf = Path::new(env!("CARGO_BIN_EXE_vmconf")).parent().unwrap().to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([vmconf].into_iter().chain(std::env::split_paths(&others))).unwrap()
}

/// The cache of the test that runs, so that a run does not read what failed in others, nor what an earlier build left
/// there. Threads that a test starts have no name and share one.
pub(crate) fn cache_of_test() -> PathBuf {
    static BEGUN: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let test = thread::current().name().unwrap_or("another thread").replace("::", ".");
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache").join(test);
    let mut begun = BEGUN.lock().unwrap();
    if begun.get_or_insert_default().insert(cache.clone()) && cache.exists() {
        fs::remove_dir_all(&cache).unwrap();
    }
    cache
}

/// A process that is killed when the test ends, even if it fails.
#[derive(Debug)]
pub(crate) struct Killed(Option<Child>);

impl Killed {
    pub(crate) fn new(child: Child) -> Killed {
        Killed(Some(child))
    }

    /// The process; the caller has to wait for it.
    pub(crate) fn released(mut self) -> Child {
        self.0.take().unwrap()
    }
}

impl Deref for Killed {
    type Target = Child;

    fn deref(&self) -> &Child {
        self.0.as_ref().unwrap()
    }
}

impl DerefMut for Killed {
    fn deref_mut(&mut self) -> &mut Child {
        self.0.as_mut().unwrap()
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A pipe that takes no byte before somebody reads.
pub(crate) fn full_pipe() -> (PipeReader, PipeWriter) {
    const CAPACITY: usize = 1 << 16;
    let (unread, mut full) = io::pipe().unwrap();
    full.write_all(&vec![0; CAPACITY]).unwrap();
    (unread, full)
}

/// Runs `vmconf` with these arguments; the time in the output is made always the same.
pub(crate) fn vmconf(args: &[&str]) -> Ran {
    ran(command(args).output().unwrap())
}

/// The output as text. A panic shows in no output.
pub(crate) fn ran(output: Output) -> Ran {
    let Output { status, stdout, stderr } = output;
    let (stdout, stderr) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert!(!stderr.contains("panicked"), "{stderr}");
    Ran { exit: status.code().expect("an exit code"), stdout: timeless(&stdout), stderr }
}

/// Waits for a process to end. If it does not within [`PATIENCE`], it is killed and the test fails.
pub(crate) fn ended(child: Child) -> Ran {
    let pid = child.id();
    ran(in_time("the process has not ended", pid, move || child.wait_with_output()).unwrap())
}

/// The next line that a process writes to standard error. If there is none within [`PATIENCE`], it is killed and the
/// test fails.
pub(crate) fn error_line(child: &mut Child) -> String {
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    in_time("the process has written no line", child.id(), move || stderr.read_line(&mut line).map(|_| line))
        .unwrap()
}

/// What the function returns that waits for a process. If it does not within [`PATIENCE`], the process is killed and
/// the test fails.
fn in_time<T: Send + 'static>(what: &str, pid: u32, wait: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(wait()));
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
        panic!("{what} after {PATIENCE:?}");
    })
}

/// Waits until a condition holds; the test fails if it does not within [`PATIENCE`].
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "not after {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Where reports write the time of a case or of the run: the text before and after it.
const TIMES: [(&str, &str); 6] = [
    (" skipped in ", " s"),
    ("\"seconds\":", ",}"),
    (" time=\"", "\""),
    ("duration_ms: ", "\n"),
    ("class=\"time\">", "<"),
    ("<time>", "<"),
];

/// The report with `TIME` in place of every time.
pub(crate) fn timeless(text: &str) -> String {
    let system = format!("\"{} {}\"", std::env::consts::OS, std::env::consts::ARCH);
    let mut text = text.replace(&system, "\"SYSTEM\"");
    // Most reports are long and have few of the forms.
    for (before, after) in TIMES.into_iter().filter(|(before, _)| text.contains(before)).collect::<Vec<_>>() {
        let mut parts = text.split(before);
        let first = parts.next().unwrap_or_default().to_owned();
        text = parts.fold(first, |text, part| {
            let end = part.find(|it| after.contains(it));
            text + before + &end.map_or(part.to_owned(), |end| format!("TIME{}", &part[end..]))
        });
    }
    text
}

/// A case of a vector file.
pub(crate) struct Read {
    pub(crate) name: String,
    /// Its datum in the document.
    pub(crate) node: u32,
    pub(crate) case: Case,
}

/// The counts in the summary of a report with these lines.
pub(crate) fn counts(lines: &[serde_json::Value]) -> serde_json::Map<String, serde_json::Value> {
    const REQUIRED: [&str; 4] = ["passed", "failed", "errors", "skipped"];
    let mut counts: serde_json::Map<_, _> =
        REQUIRED.map(|name| (name.to_owned(), 0.into())).into_iter().collect();
    for line in lines.iter().filter(|line| line["type"] == "case") {
        let name = match line["verdict"].as_str().unwrap() {
            "pass" => "passed",
            "fail" => "failed",
            "error" => "errors",
            "skip" => "skipped",
            "crash" => "crashed",
            "timeout" => "timed_out",
            other => other,
        };
        let count = counts.get(name).and_then(serde_json::Value::as_u64).unwrap_or(0);
        counts.insert(name.to_owned(), (count + 1).into());
    }
    counts
}

/// Every check of a step, the one on the end first.
pub(crate) fn checks_of(step: &Step) -> Vec<Assertion> {
    step.demands().cloned().collect()
}

/// The document of a vector file and its cases, which are all well-formed.
pub(crate) fn read(path: &Path) -> (Document, Vec<Read>) {
    let document = Document::parse(fs::read_to_string(path).unwrap(), 128).unwrap();
    let cases = read_cases(&document, path);
    assert!(!cases.is_empty(), "{} has no case", path.display());
    (document, cases)
}

fn read_cases(document: &Document, path: &Path) -> Vec<Read> {
    let name = path.file_name().unwrap().to_str().unwrap();
    let (format, _) = formats::detection::detect(document, name).unwrap();
    let files = VectorFiles::new(path, format.folders);
    let context = ReadContext { options: FormatOptions::default(), files: &files, shared: None };
    let entries = (format.outline)(document.root()).unwrap();
    let read = |entry: formats::FileEntry| {
        let reading = format.read_case(JsonNode::at_index(document, entry.node), context);
        let case = reading.case.unwrap_or_else(|| panic!("{}: {:?}", entry.name, reading.diagnostics));
        Read { name: entry.name.to_string(), node: entry.node, case }
    };
    entries.into_iter().map(read).collect()
}

/// The files that a path of the command line means.
pub(crate) fn sources_of(path: impl AsRef<Path>) -> sources::Sources {
    sources::find(&[path.as_ref().to_owned()], &Anchor::at(&at_root("")).unwrap()).unwrap().sources
}

/// The lines of a recorded run.
pub(crate) fn record_text(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    io::read_to_string(decompressed(&mut &bytes[..]).unwrap()).unwrap()
}

/// The files that a path of the command line means, in a list.
pub(crate) fn files_of(path: impl AsRef<Path>) -> Vec<sources::VectorSource> {
    sources_of(path).iter().collect()
}

/// The machine of a case after all its steps, with `watch` looking on.
pub(crate) fn execute(case: &Case, watch: Option<&mut dyn Watch>) -> Box<dyn Machine> {
    replay(case, watch, &mut |_, _| {})
}

/// Performs a case; `after` sees each step with the machine as it then is.
pub(crate) fn replay(
    case: &Case,
    mut watch: Option<&mut dyn Watch>,
    after: &mut dyn FnMut(&Step, &dyn Machine),
) -> Box<dyn Machine> {
    let limits = Limits::default();
    let mut machine = (machines::by_name(case.machine).unwrap().new)(&limits);
    machine.load(&case.program).unwrap();
    for step in &case.steps {
        for action in &step.actions {
            let watch = watch.as_mut().map(|watch| &mut **watch as &mut dyn Watch);
            let status = perform(&mut *machine, action, watch);
            assert!(!matches!(status, Status::Limit(_) | Status::Refused(_)), "{status:?}");
        }
        after(step, &*machine);
    }
    machine
}
