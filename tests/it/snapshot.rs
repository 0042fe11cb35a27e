//! `vmconf snapshot`: golden files of what cases do, as insta reads and writes them.

use std::fs;

use crate::support::{Ran, at_root, command, ran};
use tempfile::TempDir;

/// A folder with a copy of a vector.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let folder = TempDir::new().unwrap();
        fs::copy(at_root("docs/examples/sum-of-squares.json"), folder.path().join("sums.json")).unwrap();
        Place(folder)
    }

    fn snapshot(&self, update: Option<&str>, args: &[&str]) -> Ran {
        let mut command = command(&[&["snapshot", "sums.json", "--dir", "golden"], args].concat());
        command.current_dir(self.0.path());
        ran(command.envs(update.map(|update| ("INSTA_UPDATE", update))).output().unwrap())
    }

    /// The names of the files in the folder of the snapshots, without their hashes.
    fn names(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.0.path().join("golden")) else { return Vec::new() };
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn replace(&self, old: &str, new: &str) {
        let path = self.0.path().join("sums.json");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "{text}");
        fs::write(&path, text.replace(old, new)).unwrap();
    }
}

fn last_line(ran: &Ran) -> &str {
    ran.stdout.lines().last().unwrap_or_default()
}

#[test]
fn new_snapshots_are_written_for_review() {
    let place = Place::new();
    let checked = place.snapshot(None, &["--check"]);
    assert_eq!((checked.exit, place.names().len()), (1, 0), "{checked:?}");
    let new = place.snapshot(None, &[]);
    assert_eq!(new.exit, 1);
    assert!(new.stderr.contains("cargo insta review"), "{}", new.stderr);
    assert!(place.names().iter().all(|name| name.ends_with(".snap.new")), "{:?}", place.names());
    assert_eq!(place.snapshot(Some("no"), &[]).exit, 1);
    assert!(place.names().len() == 2 && place.names().iter().all(|name| name.ends_with(".snap.new")));
    let kept = place.snapshot(Some("always"), &[]);
    assert_eq!(
        (kept.exit, last_line(&kept)),
        (0, "0 as before, 0 different, 2 new, 0 unreferenced, 0 errors")
    );
    // What was to be reviewed is replaced.
    assert!(place.names().len() == 2 && !place.names().iter().any(|name| name.contains(".new")));
    // Those for review are removed when nothing differs any more.
    fs::write(place.0.path().join("golden").join(format!("{}.new", place.names()[0])), "old").unwrap();
    let same = place.snapshot(None, &[]);
    assert_eq!(
        (same.exit, last_line(&same)),
        (0, "2 as before, 0 different, 0 new, 0 unreferenced, 0 errors")
    );
    assert!(place.names().len() == 2 && !place.names().iter().any(|name| name.contains(".new")));
}

/// A snapshot has the metadata of insta, and then the state, whatever the vector demands.
#[test]
fn snapshots_have_the_form_of_insta() {
    let place = Place::new();
    place.replace("\"value\": 55", "\"value\": 56");
    assert_eq!(place.snapshot(Some("always"), &[]).exit, 0);
    let name = place.names().into_iter().find(|name| name.contains("of-1-to-5")).unwrap();
    let text = fs::read_to_string(place.0.path().join("golden").join(name)).unwrap();
    let head =
        "---\nsource: \"sums.json\"\nexpression: \"sums.json::of 1 to 5, and whether it is odd\"\n---\nHALT";
    assert!(text.starts_with(head), "{text}");
    assert!(text.contains("resultStack: [Integer 0x37 (55), Integer -1]"), "{text}");
}

#[test]
fn differences_of_snapshots_are_shown() {
    let place = Place::new();
    assert_eq!(place.snapshot(Some("always"), &["--fields", "resultStack"]).exit, 0);
    place.replace("\"PUSH0\", \"RET\"", "\"PUSH3\", \"RET\"");
    let differs = place.snapshot(None, &["--fields", "resultStack", "--check"]);
    assert_eq!(differs.exit, 1);
    assert!(differs.stdout.contains("DIFFERS  sums.json::of 0 to 0"), "{}", differs.stdout);
    assert!(differs.stdout.contains("-  resultStack: [Integer 0]"), "{}", differs.stdout);
    assert!(differs.stdout.contains("+  resultStack: [Integer 3]"), "{}", differs.stdout);
    // The words for how the run ended are those of the machine.
    assert!(!differs.stdout.contains("HALT"), "{}", differs.stdout);
    assert_eq!(place.names().len(), 2);
}

#[test]
fn snapshots_that_no_case_has_are_listed() {
    let place = Place::new();
    assert_eq!(place.snapshot(Some("always"), &[]).exit, 0);
    place.replace("of 0 to 0", "of nothing");
    let renamed = place.snapshot(None, &["--check"]);
    assert_eq!(last_line(&renamed), "1 as before, 0 different, 1 new, 1 unreferenced, 0 errors");
    assert!(renamed.stderr.contains("no case has this snapshot any more"), "{}", renamed.stderr);
    // Not if cases are left out.
    let one = place.snapshot(None, &["--check", "--filter", "nothing"]);
    assert_eq!(last_line(&one), "0 as before, 0 different, 1 new, 0 unreferenced, 0 errors");
}

#[test]
fn fields_that_are_ignored_are_not_in_a_snapshot() {
    let place = Place::new();
    let text = |args: &[&str]| {
        let written = place.snapshot(Some("always"), args);
        assert_eq!(written.exit, 0, "{written:?}");
        let entries = fs::read_dir(place.0.path().join("golden")).unwrap();
        entries.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect::<String>()
    };
    assert!(text(&[]).contains("resultStack"));
    let rest = text(&["--ignore", "resultStack"]);
    assert!(rest.contains("state") && !rest.contains("resultStack"), "{rest}");
}

#[test]
fn a_field_that_no_machine_has_is_refused() {
    let misspelled = Place::new().snapshot(Some("always"), &["--fields", "resultStak"]);
    assert_eq!(misspelled.exit, 2, "{misspelled:?}");
    let told = "--fields: no machine has a field \"resultStak\"; did you mean resultStack?";
    assert!(misspelled.stderr.contains(told), "{misspelled:?}");
}

/// insta writes new snapshots in place if `INSTA_UPDATE` says so, and refuses values that it does not know.
#[test]
fn insta_update_has_the_values_of_insta() {
    let place = Place::new();
    let new = place.snapshot(Some("unseen"), &[]);
    assert_eq!((new.exit, last_line(&new)), (0, "0 as before, 0 different, 2 new, 0 unreferenced, 0 errors"));
    assert!(place.names().len() == 2 && !place.names().iter().any(|name| name.contains(".new")));
    place.replace("\"PUSH0\", \"RET\"", "\"PUSH3\", \"RET\"");
    let differs = place.snapshot(Some("unseen"), &[]);
    assert_eq!(differs.exit, 1, "{differs:?}");
    assert_eq!(place.names().iter().filter(|name| name.ends_with(".snap.new")).count(), 1);
    let unknown = place.snapshot(Some("alway"), &[]);
    assert!(
        unknown.exit == 2 && unknown.stderr.contains("INSTA_UPDATE=alway: expected auto,"),
        "{unknown:?}"
    );
}

/// Git can give files other ends of lines.
#[test]
fn ends_of_lines_do_not_matter() {
    let place = Place::new();
    assert_eq!(place.snapshot(Some("always"), &[]).exit, 0);
    for name in place.names() {
        let path = place.0.path().join("golden").join(name);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, text.replace('\n', "\r\n")).unwrap();
    }
    let same = place.snapshot(None, &["--check"]);
    assert_eq!(
        (same.exit, last_line(&same)),
        (0, "2 as before, 0 different, 0 new, 0 unreferenced, 0 errors")
    );
}

#[test]
fn snapshots_of_a_deleted_file_are_listed() {
    let place = Place::new();
    let path = |name: &str| place.0.path().join(name);
    fs::create_dir(path("v")).unwrap();
    fs::copy(path("sums.json"), path("v/a.json")).unwrap();
    fs::copy(path("sums.json"), path("v/b.json")).unwrap();
    let snapshot = |args: &[&str]| {
        let mut command = command(&[&["snapshot", "v", "--dir", "golden"], args].concat());
        ran(command.current_dir(place.0.path()).env("INSTA_UPDATE", "always").output().unwrap())
    };
    assert_eq!(snapshot(&[]).exit, 0);
    fs::remove_file(path("v/b.json")).unwrap();
    let left = snapshot(&["--check"]);
    assert_eq!(last_line(&left), "2 as before, 0 different, 0 new, 2 unreferenced, 0 errors");
}

/// The cases of a file that cannot be read are not known, so that nothing says that they are gone.
#[test]
fn snapshots_of_a_broken_file_stay() {
    let place = Place::new();
    assert_eq!(place.snapshot(Some("always"), &[]).exit, 0);
    fs::write(place.0.path().join("sums.json"), "{").unwrap();
    let broken = place.snapshot(None, &["--check"]);
    assert_eq!(
        (broken.exit, last_line(&broken)),
        (3, "0 as before, 0 different, 0 new, 0 unreferenced, 1 error")
    );
}

/// A program that demands nothing is run all the same, and stays as it is.
#[test]
fn programs_without_expectations_have_snapshots() {
    let place = Place::new();
    let path = place.0.path().join("sums.json");
    fs::copy(at_root("docs/examples/seven.json"), &path).unwrap();
    let new = place.snapshot(Some("always"), &[]);
    assert_eq!((new.exit, last_line(&new)), (0, "0 as before, 0 different, 1 new, 0 unreferenced, 0 errors"));
    let text = fs::read_to_string(place.0.path().join("golden").join(&place.names()[0])).unwrap();
    assert!(text.contains("resultStack: [Integer 7]"), "{text}");
    assert_eq!(fs::read(path).unwrap(), fs::read(at_root("docs/examples/seven.json")).unwrap());
}

#[test]
fn a_case_that_cannot_be_read_is_an_error_with_its_place() {
    let place = Place::new();
    place.replace("\"Execute\"", "\"Excute\"");
    let broken = place.snapshot(None, &[]);
    assert_eq!(broken.exit, 3);
    assert!(broken.stderr.contains("sums.json:") && broken.stderr.contains("Excute"), "{}", broken.stderr);
}

/// A snapshot of a machine that has none of the fields would compare nothing.
#[test]
fn fields_of_another_machine_are_an_error() {
    let place = Place::new();
    let none = place.snapshot(None, &["--fields", "gas"]);
    assert_eq!((none.exit, place.names().len()), (3, 0));
    assert!(none.stderr.contains("neo3 has none of the fields of --fields: gas"), "{}", none.stderr);
}

/// insta writes the metadata without quotes where YAML allows it.
#[test]
fn snapshots_that_insta_wrote_are_listed() {
    let place = Place::new();
    assert_eq!(place.snapshot(Some("always"), &[]).exit, 0);
    for name in place.names() {
        let path = place.0.path().join("golden").join(name);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("source: \"sums.json\"", "source: sums.json")).unwrap();
    }
    place.replace("of 0 to 0", "of nothing");
    let renamed = place.snapshot(None, &["--check"]);
    assert_eq!(last_line(&renamed), "1 as before, 0 different, 1 new, 1 unreferenced, 0 errors");
}

#[test]
fn unsupported_cases_have_no_snapshots() {
    let place = Place::new();
    fs::copy(at_root("tests/samples/statetest/unsupported/verkle.json"), place.0.path().join("sums.json"))
        .unwrap();
    let none = place.snapshot(None, &[]);
    let last = "0 as before, 0 different, 0 new, 0 unreferenced, 1 unsupported, 0 errors";
    assert_eq!((none.exit, last_line(&none)), (4, last));
}

/// What a job of CI writes is lost, and would hide that a snapshot is missing.
#[test]
fn in_ci_nothing_is_written() {
    for variable in ["CI", "TF_BUILD"] {
        let place = Place::new();
        let mut command = command(&["snapshot", "sums.json", "--dir", "golden"]);
        let ran = ran(command.current_dir(place.0.path()).env(variable, "true").output().unwrap());
        assert_eq!((ran.exit, place.names().len()), (1, 0), "{variable}: {ran:?}");
    }
}
