//! A page in a real browser, where one is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A Chromium of the path.
pub(crate) fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    names.iter().flat_map(|name| folders.iter().map(move |it| it.join(name))).find(|path| path.is_file())
}

/// What the page is once its script ran.
pub(crate) fn dom(browser: &Path, folder: &Path, page: &Path, fragment: &str) -> String {
    const LONGEST: Duration = Duration::from_mins(2);
    let file = |name: &str| fs::File::create(folder.join(name)).unwrap();
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"]);
    command.args(["--enable-logging=stderr", "--no-first-run", "--disable-background-networking"]);
    command.arg("--virtual-time-budget=10000");
    command.arg(format!("--user-data-dir={}", folder.join("profile").display()));
    command.arg(format!("file://{}{fragment}", page.display()));
    command.stdin(Stdio::null()).stdout(file("dom")).stderr(file("log"));
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > LONGEST {
            child.kill().unwrap();
            panic!("the browser does not end");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let log = fs::read_to_string(folder.join("log")).unwrap();
    assert!(!log.contains("CONSOLE"), "{log}");
    fs::read_to_string(folder.join("dom")).unwrap()
}
