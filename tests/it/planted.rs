//! What somebody else put where vmconf reads and writes: links, pipes and folders under the names that it chooses.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::support::place::{Place, add};
use crate::support::{Ran, at_root, command, ended, recorded_runs, wait_until};

const PRECIOUS: &str = "precious\n";
const SERVE: &str = "vmconf serve evm";

impl Place {
    /// Executes the program in the folder; the test fails if it waits for something.
    fn ended(&self, args: &[&str]) -> Ran {
        ended(self.begun(args))
    }

    fn begun(&self, args: &[&str]) -> Child {
        let mut command = command(args);
        command.env("VMCONF_CACHE", self.cache.path()).current_dir(self.vectors.path());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The folder of the runs, of which there is one.
    fn runs(&self) -> PathBuf {
        recorded_runs(self.cache.path()).first().unwrap().parent().unwrap().to_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.vectors.path().join(name)
    }
}

/// A folder with a vector that fails.
fn failing() -> Place {
    let text = fs::read_to_string(at_root("tests/samples/vmtests/wrong/gas.json")).unwrap();
    Place::new().with("gas.json", &text)
}

fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Puts a link to a file of somebody in the place of a file. Returns that file.
fn link_in_place_of(folder: &TempDir, path: &Path) -> PathBuf {
    let precious = folder.path().join("precious");
    fs::write(&precious, PRECIOUS).unwrap();
    if path.symlink_metadata().is_ok() {
        fs::remove_file(path).unwrap();
    }
    symlink(&precious, path).unwrap();
    precious
}

/// The only file of a folder.
fn only_file(folder: &Path) -> PathBuf {
    let mut entries = fs::read_dir(folder).unwrap();
    let path = entries.next().unwrap().unwrap().path();
    assert!(entries.next().is_none(), "{}", folder.display());
    path
}

#[test]
fn the_cache_deletes_only_its_own_files() {
    let place = Place::new().with("add.json", &add());
    let elsewhere = TempDir::new().unwrap();
    let answers = place.cache.path().join("answers");
    fs::create_dir(&answers).unwrap();
    (0..20).for_each(|number| fs::write(answers.join(format!("thesis-{number}.txt")), PRECIOUS).unwrap());
    fs::create_dir(answers.join("0".repeat(16))).unwrap();
    let precious = link_in_place_of(&elsewhere, &answers.join("1".repeat(16)));
    assert_eq!(place.ended(&["run", "--cached", "add.json"]).exit, 0);
    // Everything is there, and the cache file.
    assert_eq!(fs::read_dir(&answers).unwrap().count(), 20 + 2 + 1);
    assert_eq!(fs::read_to_string(precious).unwrap(), PRECIOUS);
}

#[test]
fn links_in_the_cache_folder_are_replaced_and_not_followed() {
    let place = failing().with("add.json", &add());
    let elsewhere = TempDir::new().unwrap();
    let run = || place.ended(&["run", "--cached", "add.json", "gas.json"]);
    assert_eq!(run().exit, 1);
    let answers = only_file(&place.cache.path().join("answers"));
    for path in [answers, place.runs().join("outstanding")] {
        let precious = link_in_place_of(&elsewhere, &path);
        let Ran { exit, stderr, .. } = run();
        assert_eq!((exit, fs::read_to_string(&precious).unwrap()), (1, PRECIOUS.to_owned()), "{stderr}");
        assert!(path.symlink_metadata().unwrap().is_file(), "{}", path.display());
    }
}

#[test]
fn links_among_written_pages_are_replaced_and_not_followed() {
    let place = failing();
    let elsewhere = TempDir::new().unwrap();
    let run = || place.ended(&["run", "gas.json", "--report", "html=r.html", "--explore", "1"]);
    assert_eq!(run().exit, 1);
    let page = only_file(&place.path("r-explore"));
    let precious = link_in_place_of(&elsewhere, &page);
    assert_eq!(run().exit, 1);
    assert_eq!(fs::read_to_string(&precious).unwrap(), PRECIOUS);
    assert!(page.symlink_metadata().unwrap().is_file());

    // The file of a site that a link leads to is empty, so that it is not somebody else's page.
    let site = place.path("site");
    fs::create_dir(&site).unwrap();
    fs::write(place.path("empty"), "").unwrap();
    symlink("../empty", site.join("index.html")).unwrap();
    let serve = format!("ours={SERVE}");
    assert_eq!(place.ended(&["matrix", "gas.json", "--vm", &serve, "--site", "site"]).exit, 1);
    assert_eq!(fs::read_to_string(place.path("empty")).unwrap(), "");
    assert!(site.join("index.html").symlink_metadata().unwrap().is_file());
}

/// Nothing in the cache folder keeps a run from its end, or its reports from being written.
#[test]
fn pipes_in_the_cache_folder_are_not_waited_for() {
    let place = failing().with("add.json", &add());
    let run = || {
        let ran = place.ended(&["run", "--cached", "add.json", "gas.json", "--report", "json=report"]);
        (ran.exit, ran.stderr)
    };
    assert_eq!(run(), (1, String::new()));
    let answers = only_file(&place.cache.path().join("answers"));
    let [outstanding, folder] = ["outstanding", "folder.txt"].map(|name| place.runs().join(name));
    for (path, said) in [
        (answers, "not a regular file; it is ignored and will be replaced"),
        (outstanding, "outstanding failures are lost: "),
        (folder, "the run cannot be recorded for diff, compare and --rerun: not a regular file"),
    ] {
        fs::remove_file(&path).unwrap();
        make_fifo(&path);
        fs::remove_file(place.path("report")).unwrap();
        let (exit, stderr) = run();
        assert!(exit == 1 && stderr.contains(said), "{exit}, {}: {stderr}", path.display());
        assert!(place.path("report").exists(), "{}", path.display());
    }
    let outstanding = place.runs().join("outstanding");
    assert!(outstanding.is_file(), "it was not replaced");
    fs::remove_file(&outstanding).unwrap();
    make_fifo(&outstanding);
    let Ran { exit, stderr, .. } = place.ended(&["run", "--rerun", "failed"]);
    assert!(exit == 2 && stderr.ends_with("outstanding: not a regular file\n"), "{exit}: {stderr}");
    // A link that leads nowhere is no empty list of failures.
    fs::remove_file(&outstanding).unwrap();
    symlink("nowhere", &outstanding).unwrap();
    assert_eq!(place.ended(&["run", "--rerun", "failed"]).exit, 2);
}

/// While another process holds the lock of the cache folder, the reports are there already.
#[test]
fn reports_are_written_before_a_locked_cache_is_waited_for() {
    let place = failing();
    assert_eq!(place.ended(&["run", "gas.json"]).exit, 1);
    let lock = File::open(place.runs().join("folder.txt")).unwrap();
    lock.lock().unwrap();
    let run = place.begun(&["run", "gas.json", "--report", "json=report"]);
    wait_until("the report is complete", || place.path("report").exists());
    drop(lock);
    assert_eq!(ended(run).exit, 1);
}

#[test]
fn a_configuration_that_is_not_a_file_is_an_error() {
    let place = failing();
    let path = place.path("vmconf.toml");
    let check = |said: &str| {
        let Ran { exit, stderr, .. } = place.ended(&["run", "gas.json"]);
        assert!(exit == 2 && stderr.starts_with("error: vmconf.toml: ") && stderr.contains(said), "{stderr}");
        // One that is not asked for is no error.
        assert_eq!(place.ended(&["run", "gas.json", "--no-config"]).exit, 1);
    };
    symlink("nowhere", &path).unwrap();
    check("No such file");
    fs::remove_file(&path).unwrap();
    make_fifo(&path);
    check("not a regular file");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    check("not a regular file");
    // It is the nearest one also from a folder below.
    fs::create_dir(place.path("below")).unwrap();
    let mut run = command(&["run", "../gas.json"]);
    let run = run.current_dir(place.path("below")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ran { exit, stderr, .. } = ended(run.spawn().unwrap());
    assert_eq!((exit, &*stderr), (2, "error: ../vmconf.toml: not a regular file\n"));
}

/// What is wrong with one file of the folder of snapshots is said, and every other case is compared.
#[test]
fn a_broken_snapshot_is_an_error_of_its_case() {
    let place = Place::new().with("add.json", &add());
    let elsewhere = TempDir::new().unwrap();
    let mut command = command(&["snapshot", "add.json", "--dir", "golden"]);
    command.current_dir(place.vectors.path()).env("INSTA_UPDATE", "always");
    assert!(command.status().unwrap().success());
    let golden = place.path("golden");
    let mut snapshots: Vec<_> = fs::read_dir(&golden).unwrap().map(|entry| entry.unwrap().path()).collect();
    snapshots.sort();
    let [first, second, third, fourth, rest @ ..] = &snapshots[..] else { panic!("{snapshots:?}") };
    fs::remove_file(first).unwrap();
    make_fifo(first);
    fs::write(second, b"---\n\xff").unwrap();
    let secret = link_in_place_of(&elsewhere, third);
    fs::write(fourth, "---\n---\nother\n").unwrap();
    let written = format!("{}.new", fourth.display());
    let written = Path::new(&written);
    let untouched = elsewhere.path().join("untouched");
    fs::write(&untouched, PRECIOUS).unwrap();
    symlink(&untouched, written).unwrap();
    // No snapshot of a case.
    make_fifo(&golden.join("other.snap"));
    let Ran { exit, stdout, stderr } = place.ended(&["snapshot", "add.json", "--dir", "golden"]);
    let summary = format!("{} as before, 1 different, 0 new, 0 unreferenced, 3 errors", rest.len());
    assert_eq!((exit, stdout.lines().last()), (3, Some(&*summary)), "{stderr}");
    assert!(!stdout.contains(PRECIOUS.trim()), "{stdout}");
    for (path, said) in [
        (first, "not a regular file"),
        (second, "not UTF-8, at byte 4"),
        (third, "a symbolic link; expected a regular file"),
    ] {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(stderr.contains(&format!("error: golden/{name}: {said}\n")), "{said}: {stderr}");
    }
    assert!(stderr.contains("note: golden/other.snap: not a regular file; no case has this snapshot\n"));
    assert_eq!(fs::read_to_string(secret).unwrap(), PRECIOUS);
    assert_eq!(fs::read_to_string(untouched).unwrap(), PRECIOUS);
    assert!(written.symlink_metadata().unwrap().is_file());
    assert!(first.symlink_metadata().unwrap().file_type().is_fifo());
}

/// Nothing can be written there: as for every command, the output is broken.
#[test]
fn snapshots_in_the_place_of_a_file_are_an_error() {
    let place = Place::new().with("add.json", &add()).with("golden", "");
    let Ran { exit, stderr, .. } = place.ended(&["snapshot", "add.json", "--dir", "golden/below"]);
    assert_eq!(exit, 3, "{stderr}");
    assert!(stderr.lines().all(|line| line.starts_with("error: golden/below")), "{stderr}");
}

#[test]
fn a_list_without_end_is_refused() {
    let place = Place::new();
    let serve = format!("ours={SERVE}");
    let Ran { exit, stderr, .. } =
        place.ended(&["fuzz", "evm", "--vm", &serve, "--cases", "1", "--known", "/dev/zero"]);
    assert_eq!((exit, &*stderr), (2, "error: /dev/zero: larger than 268435456 bytes\n"));
}

#[test]
fn states_are_looked_up_in_folders_only() {
    let place = failing();
    make_fifo(&place.path("pipe"));
    let Ran { exit, stderr, .. } = place.ended(&["diff", "gas.json", "--worlds", "pipe"]);
    assert_eq!((exit, &*stderr), (2, "error: --worlds pipe: expected a folder of vectors\n"));
    fs::create_dir(place.path("empty")).unwrap();
    let Ran { exit, stderr, .. } = place.ended(&["diff", "gas.json", "--worlds", "empty"]);
    assert_eq!((exit, &*stderr), (1, "note: --worlds: there is no vector file in these folders\n"));
}

/// The index of each set of folders is kept, up to a number of sets; one that is damaged is replaced, with a note.
#[test]
fn indexes_of_states_do_not_accumulate() {
    let place = failing();
    let worlds = place.cache.path().join("worlds");
    let note = "it is ignored and will be replaced";
    for number in 0..10 {
        let folder = format!("states{number}");
        place.write(&format!("{folder}/add.json"), &add());
        let ran = place.ended(&["diff", "gas.json", "--worlds", &folder]);
        assert_eq!((ran.exit, &*ran.stderr), (1, ""));
    }
    let indexes: Vec<_> = fs::read_dir(&worlds).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(indexes.len(), 8, "{indexes:?}");
    // No index is as large as that.
    for index in &indexes {
        File::options().write(true).open(index).unwrap().set_len(1 << 30).unwrap();
    }
    let ran = place.ended(&["diff", "gas.json", "--worlds", "states9"]);
    assert!(ran.exit == 1 && ran.stderr.contains(note), "{ran:?}");
    let again = place.ended(&["diff", "gas.json", "--worlds", "states9"]);
    assert_eq!((again.exit, &*again.stderr), (1, ""));
}
