//! A page in a real browser, where one is installed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use super::skip::skip;
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use vmconf::text::file_name::percent_encoded;

/// A page once its script ran.
pub(crate) struct Shown {
    pub(crate) dom: String,
    /// The addresses that the page asked for.
    pub(crate) requests: Vec<String>,
    /// What was refused, thrown or logged.
    console: Vec<Json>,
}

/// Chromium, which all tests share: its start takes longer than most pages. It ends with the tests, as its connection
/// does.
pub(crate) struct Browser {
    connection: Mutex<Connection>,
    /// The session of the only tab: opening a tab for each page takes longer than the page itself.
    session: String,
}

/// The Chromium of the path; `None`, and the test is skipped, if there is none.
pub(crate) fn browser() -> Option<&'static Browser> {
    static SHARED: OnceLock<Option<Browser>> = OnceLock::new();
    let browser = SHARED.get_or_init(|| installed().map(|program| Browser::start(&program)));
    if browser.is_none() {
        skip("no Chromium is installed");
    }
    browser.as_ref()
}

fn installed() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let mut paths = names.iter().flat_map(|name| folders.iter().map(move |it| it.join(name)));
    paths.find(|path| path.is_file())
}

impl Browser {
    /// Starts it without a network. It talks by its descriptors 3 and 4. The shell deletes its profile in the end.
    #[allow(clippy::zombie_processes, reason = "it outlives the test that starts it")]
    fn start(program: &Path) -> Browser {
        const SHELL: &str =
            "profile=$1; shift; \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1; rm -rf \"$profile\"";
        let profile = TempDir::new().unwrap().keep();
        let mut command = Command::new("sh");
        command.args(["-c", SHELL, "sh"]).arg(&profile).arg(program);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]);
        command.args(["--no-first-run", "--disable-background-networking", "--disable-component-update"]);
        command.args(["--disable-extensions", "--disable-sync", "--renderer-process-limit=1"]);
        command.args(["--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe"]);
        command.arg(format!("--user-data-dir={}", profile.display()));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        let (sender, received) = channel();
        thread::spawn(move || {
            let mut message = Vec::new();
            while answers.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                message.pop();
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let requests = child.stdin.take().unwrap();
        let mut connection = Connection { requests, received, last_id: 0, events: Vec::new() };
        let session = connection.open_tab();
        Browser { connection: Mutex::new(connection), session }
    }

    /// What the page is once its script ran. It asked for nothing, and nothing was refused or logged.
    pub(crate) fn dom(&self, page: &Path, fragment: &str) -> String {
        let Shown { dom, requests, console } = self.show(page, fragment);
        assert_eq!((requests, console), (Vec::new(), Vec::new()));
        dom
    }

    /// Opens a page, and lets ten seconds of its virtual clock pass.
    pub(crate) fn show(&self, page: &Path, fragment: &str) -> Shown {
        let url = format!("file://{}{fragment}", percent_encoded(page.as_os_str().as_encoded_bytes()));
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        connection.events.clear();
        let session = &self.session;
        connection.call(session, "Page.navigate", &json!({"url": url}));
        let clock = json!({
            "policy": "pauseIfNetworkFetchesPending", "budget": 10_000, "maxVirtualTimeTaskStarvationCount": 9_999
        });
        connection.call(session, "Emulation.setVirtualTimePolicy", &clock);
        connection.wait_for("Emulation.virtualTimeBudgetExpired");
        let text = json!({"expression": "document.documentElement.outerHTML"});
        let dom = connection.call(session, "Runtime.evaluate", &text);
        Shown {
            dom: dom["result"]["value"].as_str().unwrap().to_owned(),
            requests: connection.requests(),
            console: connection.console(),
        }
    }
}

/// Messages of the DevTools protocol, each JSON with a NUL behind it.
struct Connection {
    requests: ChildStdin,
    received: Receiver<Json>,
    last_id: u64,
    /// Events of the page that is shown.
    events: Vec<Json>,
}

impl Connection {
    /// Opens a tab that reports what its pages do; its session.
    fn open_tab(&mut self) -> String {
        let target = self.call("", "Target.createTarget", &json!({"url": "about:blank"}))["targetId"].take();
        let attached = self.call("", "Target.attachToTarget", &json!({"targetId": target, "flatten": true}));
        let session = attached["sessionId"].as_str().unwrap();
        for domain in ["Page", "Network", "Runtime", "Log"] {
            self.call(session, &format!("{domain}.enable"), &json!({}));
        }
        session.to_owned()
    }

    /// The result of a method, of the browser itself if the session is empty.
    fn call(&mut self, session: &str, method: &str, params: &Json) -> Json {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": params});
        if !session.is_empty() {
            message["sessionId"] = session.into();
        }
        self.requests.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut answer = self.receive();
            if answer["id"] == self.last_id {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    fn wait_for(&mut self, event: &str) {
        while self.of(event).next().is_none() {
            let event = self.receive();
            self.events.push(event);
        }
    }

    fn receive(&self) -> Json {
        const MAX_WAIT: Duration = Duration::from_mins(2);
        self.received.recv_timeout(MAX_WAIT).expect("the browser says nothing")
    }

    /// The parameters of the events of a name.
    fn of(&self, event: &str) -> impl Iterator<Item = &Json> {
        self.events.iter().filter(move |it| it["method"] == event).map(|it| &it["params"])
    }

    /// The addresses that were asked for, but for the page itself and pages of links to files.
    fn requests(&self) -> Vec<String> {
        let sent = self.of("Network.requestWillBeSent");
        let urls = sent.map(|it| (it["request"]["url"].as_str().unwrap(), &it["type"]));
        let others = urls.filter(|(url, kind)| !(url.starts_with("file:") && **kind == "Document"));
        others.map(|(url, _)| url.to_owned()).collect()
    }

    fn console(&self) -> Vec<Json> {
        let names = ["Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"];
        names.iter().flat_map(|name| self.of(name)).cloned().collect()
    }
}
