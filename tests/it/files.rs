//! Files that are not what they seem: special files, links, names that are not UTF-8, files that change while
//! they are read, and what runs leave on disk.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, SystemTime};

use crate::support::skip::skip;
use crate::support::{
    PATIENCE, Ran, at_root, command, config, golden, ran, record_text, recorded_runs, timeless,
};
use proptest::prelude::*;
use serde_json::Value as Json;
use tempfile::TempDir;
use vmconf::model::Interrupt;
use vmconf::run::anchor::Anchor;
use vmconf::run::sources::{self, VectorSource};
use vmconf::text::file_name::{path_of, shown};

const GAS: &str = "tests/samples/vmtests/wrong/gas.json";
const ADD: &str = "vectors/evm/arithmetic/add.json";

/// A folder to work in, with a cache of its own.
struct Place {
    folder: TempDir,
    cache: TempDir,
}

impl Place {
    fn new() -> Place {
        Place { folder: TempDir::new().unwrap(), cache: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Copies a file of the project.
    fn copy(&self, from: &str, name: impl AsRef<OsStr>) -> PathBuf {
        let path = self.folder.path().join(name.as_ref());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(at_root(from), &path).unwrap();
        path
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = command(args);
        command.current_dir(self.folder.path()).env("VMCONF_CACHE", self.cache.path());
        command
    }

    fn vmconf(&self, args: &[&str]) -> Ran {
        ran(self.command(args).output().unwrap())
    }

    fn read(&self, name: &str) -> String {
        timeless(&fs::read_to_string(self.path(name)).unwrap())
    }
}

fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Reads a pipe to its end.
fn reader(pipe: &Path) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    let pipe = pipe.to_owned();
    std::thread::spawn(move || sender.send(fs::read(pipe).unwrap()));
    receiver
}

#[test]
fn a_report_to_a_pipe_is_written_to_it() {
    let place = Place::new();
    place.copy(GAS, "gas.json");
    let expected = place.vmconf(&["run", "gas.json", "--report", "json"]).stdout;
    let pipe = place.path("pipe");
    make_fifo(&pipe);
    let reader = reader(&pipe);
    assert_eq!(place.vmconf(&["run", "gas.json", "--report", "json=pipe"]).exit, 1);
    assert!(pipe.symlink_metadata().unwrap().file_type().is_fifo(), "the pipe was replaced");
    let written = reader.recv_timeout(PATIENCE).unwrap();
    assert_eq!(timeless(&String::from_utf8(written).unwrap()), expected);
    // And so is the result of another command.
    let program = at_root("vectors/tinyvm/machine/triple.asm");
    let asm = |output: &str| place.vmconf(&["asm", "tinyvm", program.to_str().unwrap(), "--write", output]);
    assert_eq!(asm("segment").exit, 0);
    let reader = self::reader(&pipe);
    assert_eq!(asm("pipe").exit, 0);
    assert!(pipe.symlink_metadata().unwrap().file_type().is_fifo(), "the pipe was replaced");
    assert_eq!(reader.recv_timeout(PATIENCE).unwrap(), fs::read(place.path("segment")).unwrap());
}

#[test]
fn a_report_to_an_open_file_is_written_to_it() {
    let place = Place::new();
    place.copy(GAS, "gas.json");
    let expected = place.vmconf(&["run", "gas.json", "--report", "json"]).stdout;
    for standard_error in ["/proc/self/fd/2", "/dev/fd/2"] {
        if !Path::new(standard_error).exists() {
            continue;
        }
        // Through a link, so that what is replaced by mistake is only the link.
        let link = place.path("link");
        symlink(standard_error, &link).unwrap();
        let Ran { exit, stderr, .. } = place.vmconf(&["run", "gas.json", "--report", "json=link"]);
        assert_eq!((exit, timeless(&stderr)), (1, expected.clone()), "{standard_error}");
        assert!(link.is_symlink(), "{standard_error}");
        // The same if it is a regular file, which already has content.
        fs::write(place.path("log"), "before\n").unwrap();
        let log = File::options().append(true).open(place.path("log")).unwrap();
        place.command(&["run", "gas.json", "--report", "json=link"]).stderr(log).output().unwrap();
        assert_eq!(place.read("log"), format!("before\n{expected}"), "{standard_error}");
        fs::remove_file(link).unwrap();
    }
}

/// The file that a link leads to is replaced, and the link stays.
#[test]
fn a_report_to_a_link_is_written_to_its_target() {
    let place = Place::new();
    place.copy(GAS, "gas.json");
    fs::create_dir(place.path("elsewhere")).unwrap();
    fs::write(place.path("elsewhere/report"), "{\"type\":\"run\"}").unwrap();
    symlink("elsewhere/report", place.path("second")).unwrap();
    symlink("second", place.path("first")).unwrap();
    symlink("elsewhere/new", place.path("dangling")).unwrap();
    place.vmconf(&["run", "gas.json", "--report", "json=first", "--report", "tap=dangling"]);
    for link in ["first", "second", "dangling"] {
        assert!(place.path(link).is_symlink(), "{link}");
    }
    assert!(place.read("elsewhere/report").contains("\"exit\":1,"));
    assert!(place.read("elsewhere/new").starts_with("TAP version 14\n"));
    // A link to itself is an error, and stays.
    symlink("loop", place.path("loop")).unwrap();
    let Ran { exit, stderr, .. } = place.vmconf(&["run", "gas.json", "--report", "json=loop"]);
    assert!(exit == 3 && stderr.contains("loop: the report cannot be written"), "{stderr}");
    assert!(place.path("loop").is_symlink());
}

/// A device of its own, if the system allows the test to make one.
#[test]
fn a_device_is_not_replaced() {
    let place = Place::new();
    place.copy(GAS, "gas.json");
    let null = place.path("null");
    if !Command::new("mknod").arg(&null).args(["c", "1", "3"]).status().is_ok_and(|status| status.success()) {
        skip("mknod may not make a device");
        return;
    }
    assert_eq!(place.vmconf(&["run", "gas.json", "--report", "json=null"]).exit, 1);
    assert!(null.symlink_metadata().unwrap().file_type().is_char_device());
}

/// Names that differ in bytes that are no text, or that look like the escapes of such.
const NAMES: &[&[u8]] = &[
    b"a\xe8.json",
    b"a\xe9.json",
    b"a\\xE9.json",
    b"a\\\\xE9.json",
    "a\u{e9}.json".as_bytes(),
    b"a\n\x1b\\n.json",
    b"a\xf0\x9f.json",
    b"-dash.json",
    b"::error::x.json",
    b" ::x\\.json",
    b"##[group]",
    b"a::b.json",
    "\u{202e}a\u{ad}.json".as_bytes(),
];

#[test]
fn files_of_any_name_have_ids_that_can_be_typed() {
    let place = Place::new();
    for name in NAMES {
        place.copy(GAS, OsStr::from_bytes(name));
    }
    let named: Vec<_> =
        NAMES.iter().map(|name| OsStr::from_bytes(&[b"./", *name].concat()).to_owned()).collect();
    let listed = ran(place.command(&["list"]).args(&named).output().unwrap());
    let ids: Vec<&str> = listed.stdout.lines().collect();
    assert_eq!((ids.len(), listed.exit), (NAMES.len(), 0), "{listed:?}");
    for (id, path) in ids.iter().zip(&named) {
        // As it was printed, and with the bytes of the file, unless these look like another id.
        let typed = [path.as_bytes(), b"::gas"].concat();
        let typed = Some(OsStr::from_bytes(&typed)).filter(|_| !path.as_bytes().contains(&b'\\'));
        for argument in typed.into_iter().chain([OsStr::new(id)]) {
            let again = ran(place.command(&["list"]).arg(argument).output().unwrap());
            assert_eq!((again.stdout, again.stderr), (format!("{id}\n"), String::new()), "{argument:?}");
        }
    }
    // The files in the folder are the same files.
    let searched = place.vmconf(&["list", "."]).stdout;
    assert!(searched.lines().all(|id| ids.contains(&id)), "{searched}");
    assert_eq!(searched.lines().count(), NAMES.len() - 1);
    // A run fails, runs again and is explained under the same ids.
    let run = ran(place.command(&["run", "--report", "json"]).args(&named).output().unwrap());
    let lines = run.stdout.lines().map(|line| line.replace(":TIME", ":0"));
    let lines: Vec<Json> = lines.map(|line| serde_json::from_str(&line).unwrap()).collect();
    assert_eq!(lines.iter().filter_map(|line| line["id"].as_str()).collect::<Vec<_>>(), ids);
    let rerun = place.vmconf(&["run", "--rerun", "failed", "--no-group"]).stdout;
    let diff = place.vmconf(&["diff", "--no-group"]).stdout;
    for id in ids {
        assert!(rerun.contains(&format!("FAIL  {id}\n")), "{id} in {rerun}");
        assert!(diff.contains(&format!("FAIL  {id}\n")), "{id} in {diff}");
    }
}

#[test]
fn a_file_like_a_flag_can_be_typed() {
    let place = Place::new();
    place.copy(ADD, "-dash.json");
    let listed = place.vmconf(&["list", "."]).stdout;
    assert!(listed.starts_with("./-dash.json::small\n"), "{listed}");
    for args in [&["list", "./-dash.json::small"][..], &["list", "--", "-dash.json::small"]] {
        assert_eq!(place.vmconf(args).stdout, "./-dash.json::small\n");
    }
}

/// The same entry of a list of known failures names the case, whatever the bytes of its file.
#[test]
fn known_failures_of_files_of_any_name() {
    let place = Place::new();
    for name in [b"v/a\xe8.json", b"v/a\xe9.json"] {
        place.copy(GAS, OsStr::from_bytes(name));
    }
    fs::write(place.path("known.toml"), "[[known]]\nid = 'v/a\\xE8.json::gas'\nreason = \"x\"\n").unwrap();
    let ran = place.vmconf(&["run", "v", "--known", "known.toml"]);
    assert!(ran.exit == 1 && ran.stdout.contains(r"FAIL  v/a\xE9.json::gas"), "{ran:?}");
    assert!(ran.stdout.ends_with("0 passed, 1 failed, 1 known, 0 errors, 0 skipped in TIME s\n"), "{ran:?}");
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn an_escaped_file_name_is_read_back(bytes in proptest::collection::vec(
        prop_oneof![Just(b'\\'), Just(b'x'), Just(b'/'), Just(b':'), Just(b'-'), Just(b'.'), Just(b'#'), 1u8..],
        1..12,
    )) {
        let path = PathBuf::from(OsStr::from_bytes(&bytes));
        let shown = shown(&path);
        prop_assert!(!shown.chars().any(vmconf::model::escape::is_harmful));
        let back = path_of(&shown);
        let back = back.as_os_str().as_bytes();
        prop_assert!(back == bytes || [b"./", back].concat() == bytes || back == [b"./", &*bytes].concat());
    }
}

/// A report that cannot be written leaves the others, and nothing of an earlier run in its place.
#[test]
fn a_failing_report_affects_no_other() {
    let place = Place::new();
    place.copy(GAS, "gas.json");
    fs::create_dir(place.path("folder")).unwrap();
    let reports = ["json=nowhere/report", "tap=report.tap", "html=folder", "junit=report.xml"];
    let args = reports.iter().flat_map(|report| ["--report", report]);
    let whole = place.vmconf(&["run", "gas.json"].into_iter().chain(args).collect::<Vec<_>>());
    assert_eq!(whole.exit, 3, "{whole:?}");
    let error = |name: &str| format!("error: {name}: the report cannot be written: ");
    let errors: Vec<_> = whole.stderr.lines().collect();
    assert!(errors.len() == 2 && errors[0].starts_with(&error("nowhere/report")), "{errors:?}");
    assert!(errors[1].starts_with(&error("folder")), "{errors:?}");
    assert!(whole.stdout.starts_with("FAIL  gas.json::gas\n"), "{whole:?}");
    assert!(place.read("report.tap").ends_with("# 0 passed, 1 failed, 0 errors, 0 skipped\n"));
    assert!(place.read("report.xml").ends_with("</testsuites>\n"));
    // No file may be larger than 8 kB, which one of the reports is.
    fs::write(place.path("report.html"), "<title>vmconf: of an earlier run</title>").unwrap();
    let script = "ulimit -f 8; exec \"$0\" \"$@\"";
    let mut limited = Command::new("bash");
    limited.args(["-c", script]).arg(env!("CARGO_BIN_EXE_vmconf"));
    limited.args(["run", "gas.json", "--report", "html=report.html", "--report", "json=report.json"]);
    limited.current_dir(place.folder.path()).env("VMCONF_CACHE", place.cache.path());
    let ran = ran(limited.output().unwrap());
    assert_eq!(ran.exit, 3, "{ran:?}");
    assert!(ran.stderr.starts_with(&error("report.html")), "{ran:?}");
    assert!(!place.path("report.html").exists(), "the report of an earlier run is there");
    assert!(place.read("report.json").contains("\"exit\":1,"));
}

/// A part of a run names files; only those below the folder of `--sources` are opened.
#[test]
fn merge_opens_no_file_outside_its_folder() {
    let place = Place::new();
    place.copy(GAS, "sources/gas.json");
    let secret = place.copy(GAS, "secret.json");
    symlink("../secret.json", place.path("sources/link.json")).unwrap();
    symlink("..", place.path("sources/up")).unwrap();
    make_fifo(&place.path("sources/pipe.json"));
    let part = ["run", "gas.json", "--partition", "hash:1/1", "--report", "json=../part.jsonl"];
    ran(place.command(&part).current_dir(place.path("sources")).output().unwrap());
    let text = fs::read_to_string(place.path("part.jsonl")).unwrap();
    let excerpt = |file: &str, args: &[&str]| {
        fs::write(place.path("other.jsonl"), text.replace("gas.json", file)).unwrap();
        let merged = place.vmconf(&[&["merge", "other.jsonl"], args].concat());
        assert_eq!(merged.exit, 1, "{merged:?}");
        assert!(merged.stdout.contains(&format!("FAIL  {file}::gas\n")), "{merged:?}");
        merged.stdout.contains("\"gas\": \"0x")
    };
    let sources = ["--sources", "sources"];
    let inside = place.path("sources/gas.json").canonicalize().unwrap();
    assert!(excerpt("gas.json", &sources));
    assert!(excerpt(inside.to_str().unwrap(), &sources));
    assert!(excerpt("sources/gas.json", &[]), "the default is the working folder");
    for outside in ["../secret.json", "up/secret.json", "link.json", "pipe.json", "../sources/gas.json"] {
        assert!(!excerpt(outside, &sources), "{outside}");
    }
    assert!(!excerpt(secret.canonicalize().unwrap().to_str().unwrap(), &sources));
    assert_eq!(place.vmconf(&["merge", "part.jsonl", "--sources", "nowhere"]).exit, 2);
}

#[test]
fn a_pipe_in_a_folder_is_noted() {
    let place = Place::new();
    place.copy(ADD, "v/add.json");
    make_fifo(&place.path("v/pipe.json"));
    let Ran { exit, stdout, stderr } = place.vmconf(&["run", "v"]);
    assert_eq!((exit, &*stderr), (0, "note: v/pipe.json: not a regular file\n"));
    assert!(stdout.starts_with("5 passed"), "{stdout}");
}

fn sources_of(paths: &[PathBuf]) -> Vec<VectorSource> {
    let found = sources::find(paths, &Anchor::at(&at_root("")).unwrap()).unwrap();
    let sources: Vec<_> = found.sources.iter().collect();
    assert_eq!(sources.len(), found.sources.len(), "{paths:?}");
    sources
}

fn only_source(path: &Path) -> VectorSource {
    let [source] = &sources_of(&[path.to_owned()])[..] else { panic!("one file") };
    source.clone()
}

/// The search makes the names of files in folders from that of the folder, if it can.
#[test]
fn names_of_files_in_folders() {
    let place = Place::new();
    for name in [
        "a.json",
        "-a.json",
        "a/b.json",
        "-a/b.json",
        "a/##b[.json",
        "##a/b.json",
        "a##/b.json",
        ":: a/:.json",
    ] {
        place.copy(ADD, name);
    }
    place.copy(ADD, OsStr::from_bytes(b"a/\xE9.json"));
    let folder = place.folder.path();
    let anchors = [folder.to_owned(), folder.join("a"), folder.join("##a"), at_root("")];
    for anchor in anchors.map(|folder| Anchor::at(&folder).unwrap()) {
        for path in [folder.to_owned(), folder.join("a"), folder.join("##a"), folder.join("-a")] {
            let sources = sources::find(std::slice::from_ref(&path), &anchor).unwrap().sources;
            assert!(!sources.is_empty());
            for source in &sources {
                assert_eq!(source.shown, anchor.name(&source.path), "{}", path.display());
            }
        }
    }
}

/// Paths that overlap in every way and order select what each selects alone, without what an earlier one selects.
#[test]
fn a_file_is_read_once() {
    let place = Place::new();
    for name in ["a/b/y.json", "a/b/z.JSON", "a/t.txt", "a/x.json", "ab.json"] {
        place.copy(ADD, name);
    }
    symlink("a", place.path("l")).unwrap();
    symlink("a/x.json", place.path("x.txt")).unwrap();
    let words = ["", "a", "a/b", "a/x.json", "a/t.txt", "a/x.json::add", "l", "l/b/y.json", "x.txt"];
    let paths = words.map(|word| place.path(word));
    let key = |source: &VectorSource| (source.shown.clone(), source.only.clone());
    for first in &paths {
        for second in &paths {
            for third in &paths {
                let typed = [first, second, third].map(Clone::clone);
                let mut expected = Vec::new();
                for source in typed.iter().flat_map(|path| sources_of(std::slice::from_ref(path))) {
                    if !expected.contains(&key(&source)) {
                        expected.push(key(&source));
                    }
                }
                // A case of a file that is selected as a whole, by its name or in a folder, is none besides.
                let real = |path: &Path| path.canonicalize().unwrap_or_default();
                let in_folder =
                    |file: &Path| typed.iter().any(|it| it.is_dir() && file.starts_with(real(it)));
                let is_whole = |name: &Arc<str>| {
                    expected.contains(&(name.clone(), None)) || in_folder(&real(Path::new(&**name)))
                };
                let wholes: Vec<_> = expected.iter().map(|it| it.1.is_some() && is_whole(&it.0)).collect();
                let mut wholes = wholes.into_iter();
                expected.retain(|_| !wholes.next().unwrap());
                assert_eq!(sources_of(&typed).iter().map(key).collect::<Vec<_>>(), expected, "{typed:?}");
            }
        }
    }
}

/// A file that is replaced after the search is judged as it is when it is opened.
#[test]
fn a_file_replaced_by_a_pipe_is_not_read() {
    let place = Place::new();
    let vector = place.copy(ADD, "v/add.json");
    let other = place.copy(ADD, "other.json");
    for found in [only_source(&place.path("v")), only_source(&vector)] {
        fs::remove_file(&vector).unwrap();
        make_fifo(&vector);
        assert_eq!(
            found.read(1 << 20, &Interrupt::default(), Vec::new()).unwrap_err().to_string(),
            "not a regular file"
        );
        fs::remove_file(&vector).unwrap();
        fs::copy(&other, &vector).unwrap();
        assert!(found.read(1 << 20, &Interrupt::default(), Vec::new()).is_ok());
    }
    let found = only_source(&place.path("v"));
    fs::remove_file(&vector).unwrap();
    symlink(&other, &vector).unwrap();
    assert!(
        found.read(1 << 20, &Interrupt::default(), Vec::new()).is_err(),
        "a link that replaced a file is followed"
    );
}

/// A folder whose path is too long for the system: nobody can search it, not even root.
#[test]
fn a_folder_that_cannot_be_searched() {
    let place = Place::new();
    place.copy(ADD, "v/z/add.json");
    place.copy(GAS, "v/a.json");
    let top = place.path("v").join("n".repeat(200));
    fs::create_dir(&top).unwrap();
    let deep = vec!["d".repeat(254); 16].join("/");
    assert!(Command::new("mkdir").args(["-p", &deep]).current_dir(&top).status().unwrap().success());
    let Ran { exit, stdout, stderr } = place.vmconf(&["run", place.path("v").to_str().unwrap()]);
    assert_eq!((exit, &*stderr), (3, ""), "{stdout}");
    assert!(stdout.contains("the folder cannot be searched: "), "{stdout}");
    assert!(stdout.ends_with("5 passed, 1 failed, 1 error, 0 skipped in TIME s\n"), "{stdout}");
}

#[test]
fn files_of_killed_runs_are_removed() {
    let place = Place::new();
    place.copy(GAS, "gas.json");
    let day = Duration::from_hours(24);
    let now = SystemTime::now();
    for (name, age) in [
        (".vmconf-aB3xyz", 2 * day),
        (".vmconf-aB3xy2", Duration::from_secs(2)),
        // Another process may be about to lock it.
        (".vmconf-aB3xy1", Duration::ZERO),
        (".vmconf-notes-of-mine", 2 * day),
        ("vmconf-aB3xyz", 2 * day),
    ] {
        let file = File::create(place.path(name)).unwrap();
        file.set_modified(now - age).unwrap();
    }
    fs::create_dir(place.path(".vmconf-folder")).unwrap();
    let locked = File::create(place.path(".vmconf-aB3xy3")).unwrap();
    locked.set_modified(now - 2 * day).unwrap();
    locked.try_lock().unwrap();
    place.vmconf(&["run", "gas.json", "--report", "json=report.json"]);
    let entries = fs::read_dir(place.folder.path()).unwrap();
    let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let left = [
        ".vmconf-aB3xy1",
        ".vmconf-aB3xy3",
        ".vmconf-folder",
        ".vmconf-notes-of-mine",
        "gas.json",
        "report.json",
        "vmconf-aB3xyz",
    ];
    assert_eq!(names, left);
}

/// A record in which a byte changed, so that it is still well-formed.
#[test]
fn a_changed_record_is_damaged() {
    let place = Place::new();
    place.copy(GAS, "gas.json");
    place.vmconf(&["run", "gas.json"]);
    let run = recorded_runs(place.cache.path()).remove(0);
    let text = record_text(&run);
    let without_checksum = text.trim_end().rsplit_once('\n').unwrap().0.to_owned() + "\n";
    for damaged in [text.replace("\"id\":\"gas.json::gas\"", "\"id\":\"gas.json::gaz\""), without_checksum] {
        assert_ne!(damaged, text);
        fs::write(&run, damaged).unwrap();
        let ran = place.vmconf(&["run", "--rerun", "failed"]);
        assert!(ran.exit == 2 && ran.stderr.contains("the record is damaged"), "{ran:?}");
        assert!(place.vmconf(&["compare", "--list"]).stdout.contains("damaged"));
    }
    // A record need not be compressed.
    fs::write(&run, text).unwrap();
    assert_eq!(place.vmconf(&["run", "--rerun", "failed"]).exit, 1);
}

/// If `vmconf.toml` excludes everything that is named, a note says what it selects; durations are seconds or have a
/// unit; a misspelled default profile is an error.
#[test]
fn errors_of_settings_have_a_line() {
    let place = Place::new();
    place.copy(GAS, "gas.json");
    let run = |config: &str, args: &[&str]| {
        fs::write(place.path("vmconf.toml"), format!("[profile.default]\n{config}\n")).unwrap();
        place.vmconf(args)
    };
    let first = |ran: &Ran| ran.stdout.lines().next().unwrap_or_default().to_owned();
    let id = first(&run("", &["list", "gas.json"]));
    for command in ["run", "list"] {
        let ran = run("filter = \"nothing\"", &[command, &id]);
        let told = format!("note: {id} is not selected: it does not match the filter of vmconf.toml:2\n");
        assert!(ran.exit == 4 && ran.stderr.starts_with(&told), "{ran:?}");
        assert!(ran.stderr.ends_with("; vmconf.toml:2 sets filter\n"), "{ran:?}");
    }
    for slow in ["5", "0.5", "\"500ms\"", "\"1h\""] {
        let ran = run(&format!("slow = {slow}"), &["list", "gas.json", "--counts"]);
        assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""), "{slow}");
    }
    let slow = run("slow = \"soon\"", &["run"]);
    assert!(
        slow.exit == 2 && slow.stderr.contains("vmconf.toml:2:1: ") && slow.stderr.contains("10s"),
        "{slow:?}"
    );
    let profile = run("[profile.defualt]", &["run"]);
    let expected = "error: vmconf.toml:2:10: unknown profile \"defualt\"; did you mean \"default\"?\n";
    assert_eq!((profile.exit, profile.stderr.as_str()), (2, expected));
}

/// The suggestion for a path that does not exist: a similar one, the notation of case ids, or how to filter.
#[test]
fn a_path_that_does_not_exist_gets_a_suggestion() {
    let place = Place::new();
    place.copy(GAS, "vectors/evm/gas.json");
    let mut told = String::new();
    for argument in [
        "vectros",
        "vectors/evn",
        "vectros/evm/gas.json",
        "vectors/evm/gaz.json",
        "vectors/evm/gas.jsn::of one",
        "vectors/evm/gas.json:of one",
        "evm/*.json",
        "store-3",
        "--filter",
        "/nowhere/at/all.json",
    ] {
        let ran = place.vmconf(&["run", "--", argument]);
        assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{argument}");
        told += &ran.stderr;
    }
    place.copy("README.md", "README.md");
    fs::rename(place.path("vectors"), place.path("suite")).unwrap();
    for args in [&["run"][..], &["list", "--filter", "x"], &["diff"]] {
        let ran = place.vmconf(args);
        assert_eq!((ran.exit == 2, ran.stdout.as_str()), (args[0] != "diff", ""), "{args:?}");
        told += &ran.stderr;
    }
    golden::file("paths-that-do-not-exist", &told);
}

/// A file or folder that was named and may not be read is a mistake of the command line, also if a case in it was
/// named; one that was found in a folder is an error of its own.
#[test]
fn named_files_without_read_permission_are_usage_errors() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65534;
    let place = Place::new();
    place.copy(ADD, "v/add.json");
    place.copy(ADD, "v/secret.json");
    place.copy(ADD, "closed/add.json");
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(place.folder.path(), 0o755);
    mode(&place.path("v/secret.json"), 0);
    mode(&place.path("closed"), 0);
    let is_root = File::open(place.path("v/secret.json")).is_ok();
    for (argument, exit) in
        [("v/secret.json", 2), ("v/secret.json::add", 2), ("closed", 2), ("v", 3), ("v/add.json", 0)]
    {
        let mut command = place.command(&["run", argument]);
        if is_root {
            // Others may enter the folder, and perhaps not that of the project.
            let copy = place.path("vmconf");
            if !copy.exists() {
                fs::copy(env!("CARGO_BIN_EXE_vmconf"), &copy).unwrap();
            }
            command = Command::new(copy);
            command.args(["run", argument]).current_dir(place.folder.path());
            command.uid(NOBODY).env("VMCONF_CACHE", "/nowhere");
        }
        let ran = ran(command.output().unwrap());
        assert_eq!(ran.exit, exit, "{argument}: {ran:?}");
        let is_named = ran.stderr.starts_with(&format!("error: {argument}: Permission denied"));
        assert_eq!(is_named, exit == 2, "{argument}: {ran:?}");
    }
    mode(&place.path("closed"), 0o755);
}
