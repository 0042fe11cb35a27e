//! A page in a real browser, where one is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::skip::skip;
use serde_json::Value as Json;
use vmconf::text::file_name::percent_encoded;

/// A Chromium of the path; `None`, and the test is skipped, if there is none.
pub(crate) fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let mut paths = names.iter().flat_map(|name| folders.iter().map(move |it| it.join(name)));
    let found = paths.find(|path| path.is_file());
    if found.is_none() {
        skip("no Chromium is installed");
    }
    found
}

/// A page once its script ran.
pub(crate) struct Shown {
    pub(crate) dom: String,
    /// The addresses that the page, not the browser itself, asked for.
    pub(crate) requests: Vec<String>,
    /// What was refused or logged.
    console: Vec<String>,
}

/// What the page is once its script ran. It asked for nothing, and nothing was refused or logged.
pub(crate) fn dom(browser: &Path, folder: &Path, page: &Path, fragment: &str) -> String {
    let Shown { dom, requests, console } = show(browser, folder, page, fragment);
    assert_eq!((requests, console), (Vec::new(), Vec::new()));
    dom
}

/// Opens a page without a network.
pub(crate) fn show(browser: &Path, folder: &Path, page: &Path, fragment: &str) -> Shown {
    const MAX_WAIT: Duration = Duration::from_mins(2);
    let file = |name: &str| fs::File::create(folder.join(name)).unwrap();
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"]);
    command.args(["--enable-logging=stderr", "--no-first-run", "--disable-background-networking"]);
    command.args(["--virtual-time-budget=10000", "--host-resolver-rules=MAP * ~NOTFOUND"]);
    command.arg(format!("--log-net-log={}", folder.join("requests").display()));
    command.arg(format!("--user-data-dir={}", folder.join("profile").display()));
    command.arg(format!("file://{}{fragment}", percent_encoded(page.as_os_str().as_encoded_bytes())));
    command.stdin(Stdio::null()).stdout(file("dom")).stderr(file("log"));
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > MAX_WAIT {
            child.kill().unwrap();
            panic!("the browser does not end");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let log = fs::read_to_string(folder.join("log")).unwrap();
    let console = log.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
    let dom = fs::read_to_string(folder.join("dom")).unwrap();
    Shown { dom, requests: requests(&fs::read_to_string(folder.join("requests")).unwrap()), console }
}

/// The addresses that pages asked for, from the browser's log of its network. Those that the browser asks for by
/// itself have no origin.
fn requests(log: &str) -> Vec<String> {
    let log: Json = serde_json::from_str(log).unwrap();
    let start = &log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"];
    assert!(start.is_u64(), "the log names its events");
    let started = log["events"].as_array().unwrap().iter().filter(|event| event["type"] == *start);
    // The end of a request has no address.
    let asked =
        started.map(|event| &event["params"]).filter_map(|it| Some((it["url"].as_str()?, &it["initiator"])));
    asked.filter(|(_, by)| **by != "not an origin").map(|(url, _)| url.to_owned()).collect()
}
