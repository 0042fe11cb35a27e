//! Lists of known failures: the verdict on a listed case, errors in a list, and updates of a list.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use crate::support::validator::Validator;
use crate::support::{Ran, at_root, command, golden, ran};
use tempfile::TempDir;

const GAS: &str = "tests/samples/vmtests/wrong/gas.json";
const STORAGE: &str = "tests/samples/vmtests/wrong/storage-value.json";
const MALFORMED: &str = "tests/samples/vmtests/malformed/account-is-null.json";
const ADD: &str = "vectors/evm/arithmetic/add.json";
const SIGNATURE: &str = "evm gas: other value";

struct List {
    _folder: TempDir,
    path: PathBuf,
}

impl List {
    fn new(text: &str) -> List {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("known.toml");
        fs::write(&path, text).unwrap();
        List { _folder: folder, path }
    }

    /// The command; the list is `known.toml` in what it prints.
    fn vmconf(&self, before: &[&str], args: &[&str]) -> Ran {
        let path = self.path.to_str().unwrap();
        let done = ran(command(&[before, &[path], args].concat()).output().unwrap());
        let bare = |text: &str| text.replace(path, "known.toml");
        Ran { exit: done.exit, stdout: bare(&done.stdout), stderr: bare(&done.stderr) }
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.vmconf(&["run", "--today", "2026-06-15", "--known"], args)
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }
}

fn entry(id: &str, more: &str) -> String {
    format!("[[known]]\nid = \"{id}\"\nreason = \"not yet\"\n{more}")
}

fn summary(ran: &Ran) -> &str {
    ran.stdout.lines().last().unwrap()
}

#[test]
fn outcomes_of_listed_cases() {
    let gas = format!("{GAS}::*");
    let signed = format!("signature = \"{SIGNATURE}\"\n");
    // A known failure fails no run.
    for more in ["", &signed, "link = \"https://example.com/1\"\n", "expires = 2026-06-15\n"] {
        let ran = List::new(&entry(&gas, more)).run(&[GAS]);
        assert_eq!(
            (ran.exit, summary(&ran)),
            (0, "0 passed, 0 failed, 1 known, 0 errors, 0 skipped in TIME s")
        );
    }
    // Reports add to a signature how the run ended.
    let ended = "tests/samples/vmtests/wrong/out-of-gas.json";
    for cause in ["", "; out of gas at # CALL"] {
        let signature = format!("signature = \"evm outcome: halt instead of success{cause}\"\n");
        assert_eq!(List::new(&entry(&format!("{ended}::*"), &signature)).run(&[ended]).exit, 0, "{cause}");
        let selecting = format!("cause(\"evm outcome: halt instead of success{cause}\")");
        let listed = crate::support::vmconf(&["list", ended, "-E", &selecting]).stdout;
        assert_eq!(listed, format!("{ended}::out-of-gas\n"), "{cause}");
    }
    // An update leaves a cause as it is, and corrects it to another cause.
    let cause = |reason: &str| format!("signature = \"evm outcome: halt instead of success; {reason}\"\n");
    for (listed, told) in [
        ("out of gas at # CALL", "nothing to change\n".to_owned()),
        (
            "a loop",
            format!("updated {ended}::*: evm outcome: halt instead of success; out of gas at # CALL\n"),
        ),
    ] {
        let list = List::new(&entry(&format!("{ended}::*"), &cause(listed)));
        assert_eq!(list.vmconf(&["known", "update"], &[ended]).stdout, told);
        assert_eq!(list.text(), entry(&format!("{ended}::*"), &cause("out of gas at # CALL")));
    }
    // One that is not listed does.
    let ran = List::new(&entry(&gas, "")).run(&[GAS, STORAGE]);
    assert_eq!((ran.exit, summary(&ran)), (1, "0 passed, 1 failed, 1 known, 0 errors, 0 skipped in TIME s"));
    // Broken stays broken.
    let ran = List::new(&entry(&format!("{MALFORMED}::*"), "")).run(&[MALFORMED]);
    assert_eq!(ran.exit, 3);

    let fixed = List::new(&entry(&format!("{ADD}::small"), "")).run(&[ADD]);
    assert_eq!(fixed.exit, 1);
    let changed = List::new(&entry(&gas, "signature = \"evm out: missing\"\n")).run(&[GAS]);
    assert_eq!(changed.exit, 1);
    let expired = List::new(&entry(&gas, "expires = 2026-06-14\n")).run(&[GAS]);
    assert_eq!(expired.exit, 1);
    let unmatched = List::new(&entry(&format!("{ADD}::nothing at all"), "")).run(&[ADD]);
    assert_eq!(unmatched.exit, 3);
    let told = [("fixed", fixed), ("changed", changed), ("expired", expired), ("unmatched", unmatched)];
    let told = told.map(|(name, ran)| format!("== {name}\n{}{}", ran.stderr, ran.stdout));
    golden::file("known-outcomes", &told.concat());
}

/// Of a part of the cases, an entry may be about others.
#[test]
fn a_run_of_some_cases_does_not_report_entries_of_others() {
    let list = List::new(&entry("nothing::at-all", ""));
    for args in [&[ADD, "--filter", "small"][..], &[ADD, "-E", "name(small)"], &[&format!("{ADD}::small")]] {
        assert_eq!(list.run(args).exit, 0, "{args:?}");
    }
}

/// One entry is removed from a list, however many cases it names.
#[test]
fn fixed_cases_of_one_entry_are_one_block() {
    let list = List::new(&(entry("vectors/evm/arithmetic/**", "") + &entry("vectors/tinyvm/**", "")));
    let ran = list.run(&["vectors/evm/arithmetic", "vectors/tinyvm"]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    assert_eq!(ran.stdout.matches("FIXED ").count(), 2, "{ran:?}");
    assert_eq!(ran.stdout.matches(" more of this entry; -v prints each\n").count(), 2, "{ran:?}");
    let each = list.run(&["vectors/tinyvm", "--no-group"]);
    let fixed = each.stdout.matches("FIXED ").count();
    assert!(fixed > 2 && summary(&each).contains(&format!(" {fixed} fixed")), "{each:?}");
    let markdown = list.run(&["vectors/tinyvm", "--report", "markdown"]);
    assert!(
        markdown
            .stdout
            .contains(&format!("\nand {} more of this entry, which a run with -v prints\n", fixed - 1)),
        "{markdown:?}"
    );
}

#[test]
fn known_failures_in_the_json_report() {
    let ids = [format!("{GAS}::*"), format!("{ADD}::small"), format!("{ADD}::smal?")];
    let list = List::new(&ids.map(|id| entry(&id, "")).concat());
    let json = list.run(&[GAS, ADD, "--report", "json"]).stdout;
    let lines: Vec<serde_json::Value> =
        json.replace(":TIME", ":0").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let validator = Validator::named("report");
    for line in &lines {
        validator.assert_accepts(line, "a line");
    }
    let of = |verdict: &str| lines.iter().find(|line| line["verdict"] == verdict).unwrap();
    assert_eq!(of("known")["known"]["reason"], "not yet");
    // Of the entries that match it, the first one.
    assert_eq!(of("fixed")["known"]["place"], "known.toml:5:6");
    let summary = lines.last().unwrap();
    assert_eq!((&summary["known"], &summary["fixed"], &summary["exit"]), (&1.into(), &1.into(), &1.into()));
}

#[test]
fn wrong_lists_are_errors_with_positions() {
    let texts = [
        "[[known]\n",
        "[[known]]\nid = \"a\"\n",
        "[[known]]\nreason = \"a\"\n",
        "[[known]]\nid = \"a\"\nreason = \"\"\n",
        "[[known]]\nid = \"[\"\nreason = \"a\"\n",
        "[[known]]\nid = \"./v/a.json::*\"\nreason = \"a\"\n",
        "[[known]]\nid = \"a\"\nreason = \"a\"\nexpire = 2030-01-01\n",
        "[[known]]\nid = \"a\"\nreason = \"a\"\nexpires = \"2030-01-01\"\n",
        "[[known]]\nid = \"a\"\nreason = \"a\"\nexpires = 2030-01-01T00:00:00\n",
        "[[known]]\nid = \"a\"\nid = \"a\"\n",
        "[[unknown]]\nid = \"a\"\n",
        "known = 1\n",
        "\u{feff}ä = 1\n",
    ];
    let told = texts.map(|text| {
        let ran = List::new(text).run(&[ADD]);
        assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{text}");
        ran.stderr
    });
    golden::file("known-wrong-lists", &told.concat());
    let list = List::new("");
    fs::write(&list.path, b"# a\n# \xff\n").unwrap();
    let no_text = list.run(&[ADD]);
    let expected = "error: known.toml:2: not UTF-8; expected text in UTF-8\n";
    assert_eq!((no_text.exit, &*no_text.stderr), (2, expected));
    assert_eq!(List::new("").vmconf(&["run", "--today", "yesterday", "--known"], &[ADD]).exit, 2);
    assert_eq!(List::new("").run(&[ADD]).exit, 0);
}

#[test]
fn an_update_corrects_and_removes_entries() {
    let list = List::new(&format!(
        "# The list.\n\n# Passes.\n{}\n# Fails otherwise.\n{}\n# Fails so. \n{}# The end.\n",
        entry(&format!("{ADD}::small"), ""),
        entry(&format!("{GAS}::*"), "signature = \"evm out: missing\" # as ever\n"),
        entry(&format!("{STORAGE}::*"), ""),
    ));
    let updated = list.vmconf(&["known", "update"], &[ADD, GAS, STORAGE]);
    assert_eq!((updated.exit, updated.stderr.as_str()), (0, ""));
    golden::file("known-update", &format!("{}==\n{}", updated.stdout, list.text()));
    let before = list.text();
    assert_eq!(list.vmconf(&["known", "update"], &[ADD, GAS, STORAGE]).stdout, "nothing to change\n");
    assert_eq!(list.text(), before);
    assert_eq!(list.run(&[ADD, GAS, STORAGE]).exit, 0);
    // It does not grow.
    let more = "tests/samples/vmtests/wrong/nonce.json";
    list.vmconf(&["known", "update"], &[ADD, GAS, STORAGE, more]);
    assert_eq!(list.text(), before);
    let accepted = list.vmconf(&["known", "update", "--accept", "later"], &[ADD, GAS, STORAGE, more]);
    assert!(accepted.stdout.starts_with("added tests/samples/vmtests/wrong/nonce.json::"), "{accepted:?}");
    assert!(list.text().starts_with(before.trim_end_matches("# The end.\n")), "{}", list.text());
    assert_eq!(list.run(&[ADD, GAS, STORAGE, more]).exit, 0);
}

/// Cases that do not run say nothing about their entries.
#[test]
fn an_update_keeps_entries_of_cases_that_do_not_run() {
    let folder = TempDir::new().unwrap();
    let put = |name: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(at_root(GAS), path).unwrap();
    };
    for name in ["many/a.json", "many/b.json", "other/c.json"] {
        put(name);
    }
    let vmconf = |args: &[&str]| ran(command(args).current_dir(folder.path()).output().unwrap());
    let text = || fs::read_to_string(folder.path().join("known.toml")).unwrap();

    // The list is created.
    let created = vmconf(&["known", "update", "known.toml", "many", "other/c.json", "--accept", "later"]);
    assert_eq!((created.exit, text().matches("[[known]]").count()), (0, 3), "{created:?}");
    assert_eq!(vmconf(&["run", "many", "other", "--known", "known.toml"]).exit, 0);
    // Another folder, and the same one by other paths.
    let before = text();
    let absolute = folder.path().join("many");
    for paths in [&["other"][..], &[absolute.to_str().unwrap()], &["./many/../other"], &["many/a.json::gas"]]
    {
        let updated = vmconf(&[&["known", "update", "known.toml"], paths].concat());
        assert_eq!((updated.exit, &*updated.stdout), (0, "nothing to change\n"), "{paths:?}");
        assert!(updated.stderr.contains("of cases that did not run: kept"), "{updated:?}");
        assert_eq!(text(), before);
    }
    // --prune removes what does not exist, and only that.
    fs::remove_file(folder.path().join("many/b.json")).unwrap();
    assert_eq!(vmconf(&["known", "update", "known.toml", "other"]).stdout, "nothing to change\n");
    let pruned = vmconf(&["known", "update", "known.toml", "other", "--prune"]);
    assert_eq!(pruned.stdout, "removed many/b.json::gas: it matches no case of the list\n");
    assert_eq!(text().matches("[[known]]").count(), 2);

    // The cases of a broken file are not known.
    fs::write(folder.path().join("many/b.json"), "{").unwrap();
    fs::write(folder.path().join("known.toml"), entry("many/b.json::gas", "")).unwrap();
    assert_eq!(vmconf(&["known", "update", "known.toml", "other", "--prune"]).stdout, "nothing to change\n");
    fs::remove_file(folder.path().join("many/b.json")).unwrap();

    // A glob stays as long as it matches a case that did not run.
    fs::write(folder.path().join("known.toml"), entry("*/*.json::*", "")).unwrap();
    fs::copy(at_root(ADD), folder.path().join("other/c.json")).unwrap();
    assert_eq!(vmconf(&["known", "update", "known.toml", "other", "--prune"]).stdout, "nothing to change\n");
    fs::remove_file(folder.path().join("many/a.json")).unwrap();
    let updated = vmconf(&["known", "update", "known.toml", "other"]);
    assert_eq!(updated.stdout, "removed */*.json::*: it no longer fails\n");
}

/// Entries that match no case are one line with a count.
#[test]
fn unmatched_entries_are_counted() {
    let entries: String = (0..300).map(|number| entry(&format!("{ADD}::gone {number}"), "")).collect();
    let ran = List::new(&entries).run(&[ADD]);
    assert_eq!(ran.exit, 3);
    let told = format!("no case matches {ADD}::gone 0, nor 299 other entries");
    assert!(ran.stdout.contains(&told), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("::gone ").count(), 2, "{}", ran.stdout);
}

/// An entry is expected to match a case if the run has all cases that it can match, wherever the list is named.
#[test]
fn entries_of_other_files_are_not_errors() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("suite")).unwrap();
    for name in ["suite/gas.json", "suite/other.json"] {
        fs::copy(at_root(GAS), path(name)).unwrap();
    }
    let ids = ["suite/gas.json::gas", "suite/other.json::gas"];
    let missing = [entry(ids[0], ""), entry(ids[1], ""), entry("suite/other.json::gone", "")].concat();
    let vmconf = |args: &[&str]| ran(command(args).current_dir(folder.path()).output().unwrap());
    fs::write(path("known.toml"), &missing).unwrap();
    for config in ["", "[profile.default]\nknown = \"known.toml\"\n"] {
        fs::write(path("vmconf.toml"), config).unwrap();
        let known = if config.is_empty() { &["--known", "known.toml"][..] } else { &[] };
        for (paths, exit) in [
            (&["suite/gas.json"][..], 0),
            (&["suite/gas.json", "suite/other.json::gas"], 0),
            (&["suite/other.json"], 3),
            (&["suite"], 3),
            (&["."], 3),
        ] {
            let ran = vmconf(&[&["run"], paths, known].concat());
            assert_eq!(ran.exit, exit, "{config:?} {paths:?}: {ran:?}");
        }
    }
}

/// The cases of a file that cannot be read are not known, so that no entry is wrong because of that.
#[test]
fn entries_of_a_broken_file_are_not_errors() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("suite")).unwrap();
    fs::copy(at_root(GAS), path("suite/gas.json")).unwrap();
    fs::write(path("suite/other.json"), "{").unwrap();
    fs::write(path("suite/[x].json"), "{").unwrap();
    let known = ["suite/gas.json::gas", "suite/other.json::gas", "suite/*::gone", r"suite/\\[x\\].json::g*"];
    fs::write(path("known.toml"), known.map(|id| entry(id, "")).concat()).unwrap();
    let args = ["run", "suite", "--known", "known.toml"];
    let ran = ran(command(&args).current_dir(folder.path()).output().unwrap());
    let expected = (3, "0 passed, 0 failed, 1 known, 2 errors, 0 skipped in TIME s");
    assert_eq!((ran.exit, summary(&ran)), expected, "{ran:?}");
}

/// An entry goes only if its cases pass or another one accepts exactly the same; what a run reports as fixed, an
/// update tells too.
#[test]
fn an_update_removes_what_a_run_does_not_need() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("suite")).unwrap();
    fs::copy(at_root(GAS), path("suite/gas.json")).unwrap();
    fs::copy(at_root(ADD), path("suite/add.json")).unwrap();
    let vmconf = |args: &[&str]| ran(command(args).current_dir(folder.path()).output().unwrap());
    let update = |list: &str| {
        fs::write(path("known.toml"), list).unwrap();
        let update = vmconf(&["known", "update", "known.toml", "suite"]);
        assert_eq!(update.exit, 0, "{update:?}");
        (update.stdout, update.stderr, fs::read_to_string(path("known.toml")).unwrap())
    };
    let run = || vmconf(&["run", "suite/gas.json", "--known", "known.toml"]).exit;
    let signed = entry("suite/gas.json::gas", &format!("signature = \"{SIGNATURE}\"\n"));
    let other = entry("suite/gas.json::*", "signature = \"evm out: missing\"\n");

    // The entry before it expects another failure: the second one applies, in a run and in an update.
    let (stdout, stderr, text) = update(&(other.clone() + &signed));
    assert_eq!((stdout.as_str(), text.contains("::gas\"")), ("nothing to change\n", true));
    let useless =
        "kept suite/gas.json::*: none of its cases fails so, and suite/gas.json::gas covers them; remove it";
    assert!(stderr.contains(useless), "{stderr}");
    assert_eq!(run(), 0);
    // One that accepts the same is enough.
    let same = entry("suite/gas.json::*", &format!("signature = \"{SIGNATURE}\"\n"));
    let (stdout, _, text) = update(&(same.clone() + &signed));
    assert_eq!((stdout.as_str(), text), ("removed suite/gas.json::gas: suite/gas.json::* covers it\n", same));
    assert_eq!(run(), 0);
    // A glob that also covers cases that pass.
    let (stdout, stderr, _) = update(&entry("suite/**", ""));
    assert_eq!(stdout, "nothing to change\n");
    let fixed = vmconf(&["run", "suite", "--known", "known.toml"]).stdout;
    let count =
        fixed.lines().last().unwrap().split(", ").find(|part| part.ends_with(" fixed")).unwrap().to_owned();
    let count = count.split(' ').next().unwrap();
    assert!(
        stderr.starts_with(&format!("note: kept suite/**: {count} of its cases are fixed, such as ")),
        "{stderr}"
    );
}

/// `--prune` removes entries of cases that no longer exist, and not of those that cannot be read.
#[cfg(unix)]
#[test]
fn entries_of_cases_that_cannot_be_read_stay() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::copy(at_root(ADD), path("add.json")).unwrap();
    std::os::unix::fs::symlink("loop", path("loop")).unwrap();
    let list =
        ["loop/a.json::one", "loop/a.json::*", "loop/**", "deleted/a.json::one"].map(|id| entry(id, ""));
    fs::write(path("known.toml"), list.concat()).unwrap();
    let update = ["known", "update", "known.toml", "add.json", "--prune"];
    let Ran { exit, stdout, stderr } = ran(command(&update).current_dir(folder.path()).output().unwrap());
    assert_eq!((exit, &*stdout), (0, "removed deleted/a.json::one: it matches no case of the list\n"));
    assert_eq!(stderr, "note: 3 entries of cases that did not run: kept\n");
}

/// Nothing is printed before the list is written, and a list is created even if nothing is in it.
#[test]
fn an_update_is_printed_after_it_is_written() {
    let folder = TempDir::new().unwrap();
    let list = folder.path().join("known.toml");
    let args = ["known", "update", list.to_str().unwrap(), ADD];
    let created = ran(command(&args).output().unwrap());
    assert_eq!((created.exit, created.stdout.as_str()), (0, "created an empty list\n"));
    assert_eq!(fs::read_to_string(&list).unwrap(), "");
    let missing = folder.path().join("no/known.toml");
    let args = ["known", "update", missing.to_str().unwrap(), GAS, "--accept", "new"];
    let ran = ran(command(&args).output().unwrap());
    assert_eq!((ran.exit, ran.stdout.as_str()), (3, ""), "{ran:?}");
    assert!(!ran.stderr.contains(".vmconf-"), "{ran:?}");
}

/// The day is told if it is set, or if it matters soon.
#[test]
fn the_current_day_is_shown_when_an_entry_expires() {
    let told = |expires: &str, today: Option<&str>| {
        let list = List::new(&entry(&format!("{GAS}::*"), &format!("expires = {expires}\n")));
        let args: Vec<_> = today.iter().flat_map(|day| ["--today", day]).collect();
        list.vmconf(&[&["run"], &args[..], &["--known"]].concat(), &[GAS]).stderr
    };
    assert_eq!(told("2999-01-01", None), "");
    assert_eq!(told("2999-01-01", Some("2026-06-15")), "note: known.toml: today is 2026-06-15\n");
    let soon = "note: known.toml: today is 2024-02-25; 1 entry expires soon, the first on 2024-03-03\n";
    assert_eq!(told("2024-03-03", Some("2024-02-25")), soon);
    assert_eq!(told("2024-03-04", Some("2024-02-25")), "note: known.toml: today is 2024-02-25\n");
    for (expires, today, is_soon) in [
        ("2026-01-02", "2025-12-30", true),
        // The last day.
        ("2026-01-02", "2026-01-02", true),
        // This year has no leap day.
        ("2100-03-07", "2100-02-28", true),
        ("2100-03-08", "2100-02-28", false),
    ] {
        assert_eq!(told(expires, Some(today)).contains("expires soon"), is_soon, "{expires} on {today}");
    }
}

/// `--today` applies to lists that `vmconf.toml` names, for all files or for some. Without a list it is an error.
#[test]
fn the_current_day_is_that_of_configured_lists() {
    let folder = TempDir::new().unwrap();
    fs::copy(at_root(GAS), folder.path().join("gas.json")).unwrap();
    let known = entry("gas.json::*", "expires = 2026-06-15\n");
    fs::write(folder.path().join("known.toml"), known).unwrap();
    let run = |config: &str, day: &str| {
        fs::write(folder.path().join("vmconf.toml"), config).unwrap();
        let args = ["run", "gas.json", "--today", day];
        ran(command(&args).current_dir(folder.path()).output().unwrap())
    };
    for config in [
        "[profile.default]\nknown = \"known.toml\"\n",
        "[[override]]\npath = \"*\"\nknown = \"known.toml\"\n",
    ] {
        assert_eq!(run(config, "2026-06-15").exit, 0, "{config}");
        assert_eq!(run(config, "2026-06-16").exit, 1, "{config}");
    }
    let without = run("", "2026-06-15");
    assert!(without.exit == 2 && without.stderr.contains("--known FILE"), "{without:?}");
}

/// A line that answers nothing is no case's. The list is brought up to date all the same.
#[cfg(unix)]
#[test]
fn a_breach_of_the_protocol_outside_of_cases_is_reported() {
    let list = List::new("");
    let script = list.path.with_file_name("twice.sh");
    let serve = env!("CARGO_BIN_EXE_vmconf");
    fs::write(&script, format!("'{serve}' serve evm | sed -u -e '/\"type\":\"done\"/p'\n")).unwrap();
    let vm = format!("twice=sh {}", script.display());
    let done = list.vmconf(&["known", "update"], &[GAS, "--accept", "not yet", "--vm", &vm]);
    assert_eq!(done.exit, 3, "{done:?}");
    assert!(done.stderr.contains("error: --vm twice: the machine wrote "), "{done:?}");
    assert!(list.text().contains(GAS), "{done:?}");
}

/// The script of a machine in `folder` that does what this filter makes of the answers of the embedded one.
#[cfg(unix)]
fn machine(folder: &TempDir, filter: &str) -> String {
    let script = folder.path().join("machine.sh");
    fs::write(&script, format!("'{}' serve neo3 | {filter}\n", env!("CARGO_BIN_EXE_vmconf"))).unwrap();
    format!("[vm.mine]\ncommand = [\"sh\", {:?}]\nknown = \"k.toml\"\n", script.to_str().unwrap())
}

/// The list of a machine that a profile names is judged on this machine, and within its time limit, as a run does; the
/// embedded machine passes all.
#[cfg(unix)]
#[test]
fn an_update_runs_as_the_profile_says() {
    let listed = entry("v.json::a", "");
    let machines = [
        ("vm = \"mine\"\n", "sed -u s/HALT/FAULT/"),
        ("vm = \"mine\"\ntimeout = \"200ms\"\n", "{ head -n 1; sleep 5; }"),
    ];
    for (profile, filter) in machines {
        let folder = sixes(&[("a", 6)]);
        let table = machine(&folder, filter);
        let config = format!("[profile.default]\npaths = [\"v.json\"]\n{profile}{table}");
        fs::write(folder.path().join("vmconf.toml"), config).unwrap();
        fs::write(folder.path().join("k.toml"), &listed).unwrap();
        assert_eq!(in_folder(&folder, &["run"]).exit, 0, "{filter}");
        let updated = in_folder(&folder, &["known", "update", "k.toml"]);
        assert_eq!((updated.exit, &*updated.stdout), (0, "nothing to change\n"), "{filter}: {updated:?}");
        assert_eq!(list_in(&folder), listed, "{filter}");
        // The command that a run prints explains this failure, not that of the embedded machine.
        fs::write(folder.path().join("k.toml"), "").unwrap();
        let failed = in_folder(&folder, &["run"]);
        assert!(failed.stdout.contains("vmconf diff 'v.json::a' --vm mine"), "{filter}: {failed:?}");
    }
}

/// An override gives a file another list: its failures are none of this one, and entries for them match no case.
#[test]
fn an_update_leaves_files_with_other_lists_alone() {
    let folder = sixes(&[("a", 7)]);
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("w.json", &fs::read_to_string(folder.path().join("v.json")).unwrap());
    let config = "[profile.default]\npaths = [\"v.json\", \"w.json\"]\nknown = \"k.toml\"\n";
    write("vmconf.toml", &format!("{config}[[override]]\npath = \"w.json\"\nknown = \"other.toml\"\n"));
    write("other.toml", &entry("w.json::a", ""));
    write("k.toml", "");
    let updated = in_folder(&folder, &["known", "update", "k.toml", "--accept", "new"]);
    assert!(list_in(&folder).contains("v.json::a") && !list_in(&folder).contains("w.json"), "{updated:?}");
    assert_eq!(in_folder(&folder, &["run"]).exit, 0);
    let all = list_in(&folder);
    write("k.toml", &format!("{all}{}", entry("w.json::a", "")));
    assert_eq!(in_folder(&folder, &["run"]).exit, 3);
    let pruned = in_folder(&folder, &["known", "update", "./k.toml", "--prune"]);
    assert_eq!((pruned.exit, &*pruned.stdout), (0, "removed w.json::a: it matches no case of the list\n"));
    assert_eq!(list_in(&folder), all);
    let of_other = in_folder(&folder, &["known", "update", "k.toml", "w.json"]);
    assert!(
        of_other.exit == 4 && of_other.stderr.contains("names other lists for all files"),
        "{of_other:?}"
    );
    // A list that vmconf.toml does not name is for all files.
    write("third.toml", "");
    in_folder(&folder, &["known", "update", "third.toml", "--accept", "new"]);
    assert!(fs::read_to_string(folder.path().join("third.toml")).unwrap().contains("w.json::a"));
}

/// A folder with a vector of cases that leave 6, each of which demands a number.
fn sixes(cases: &[(&str, u8)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    put_sixes(&folder, cases);
    folder
}

fn put_sixes(folder: &TempDir, cases: &[(&str, u8)]) {
    let case = |(name, value): &(&str, u8)| {
        let result = format!(r#"{{"state":"HALT","resultStack":[{{"type":"Integer","value":{value}}}]}}"#);
        let steps = format!(r#"[{{"actions":["Execute"],"result":{result}}}]"#);
        format!(r#"{{"name":"{name}","script":["PUSH6"],"steps":{steps}}}"#)
    };
    let cases = cases.iter().map(case).collect::<Vec<_>>().join(",");
    let vector = format!(r#"{{"machine":"neo3","category":"c","name":"n","tests":[{cases}]}}"#);
    fs::write(folder.path().join("v.json"), vector).unwrap();
}

fn in_folder(folder: &TempDir, args: &[&str]) -> Ran {
    ran(command(args).current_dir(folder.path()).output().unwrap())
}

fn list_in(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join("k.toml")).unwrap()
}

/// An entry that is added is about its case only, whatever characters the id has: the others pass, and are not
/// reported as fixed.
#[test]
fn an_accepted_case_with_characters_of_globs_is_listed_alone() {
    for (failing, passing) in [
        ("mul 2*3", "mul 2*3*3"),
        ("a?", "ab"),
        ("[ab]", "a"),
        ("{a,b}", "b"),
        ("a*{]}[!b]\\\\*", "a*{]}[!b]\\\\**"),
    ] {
        let folder = sixes(&[(failing, 7), (passing, 6)]);
        let updated = in_folder(&folder, &["known", "update", "k.toml", "v.json", "--accept", "later"]);
        assert_eq!(updated.exit, 0, "{updated:?}");
        let done = in_folder(&folder, &["run", "v.json", "--known", "k.toml"]);
        let counts = "1 passed, 0 failed, 1 known, 0 errors, 0 skipped in TIME s";
        assert_eq!((done.exit, summary(&done)), (0, counts), "{done:?}\n{}", list_in(&folder));
        // The entry is that of the case in a later update, too.
        put_sixes(&folder, &[(failing, 6), (passing, 6)]);
        in_folder(&folder, &["known", "update", "k.toml", "v.json"]);
        assert_eq!(list_in(&folder), "", "{failing}");
    }
}

/// An id that is too long for a glob would make a list that no run reads.
#[test]
fn a_case_that_no_entry_can_name_is_not_added() {
    let name = "*".repeat(30_000);
    let folder = sixes(&[(&name, 7), ("a", 7)]);
    let updated = in_folder(&folder, &["known", "update", "k.toml", "v.json", "--accept", "later"]);
    assert_eq!((updated.exit, &*updated.stdout), (0, "added v.json::a\n"));
    assert_eq!(updated.stderr, format!("note: not added v.json::{name}: a glob has at most 65536 bytes\n"));
    let done = in_folder(&folder, &["run", "v.json", "--known", "k.toml"]);
    assert_eq!((done.exit, summary(&done).starts_with("0 passed, 1 failed, 1 known")), (1, true), "{done:?}");
}

/// An entry that ends earlier does not replace one that lasts longer: a later run would fail.
#[test]
fn an_update_keeps_what_lasts_longer() {
    let folder = sixes(&[("a", 7)]);
    let update = |list: &str| {
        fs::write(folder.path().join("k.toml"), list).unwrap();
        let updated = in_folder(&folder, &["known", "update", "k.toml", "v.json"]);
        assert_eq!(updated.exit, 0, "{updated:?}");
        list_in(&folder)
    };
    let until = |year: u16| entry("v.json::*", &format!("expires = {year}-01-01\n"));
    let permanent = entry("v.json::a", "");
    for list in [until(2990) + &permanent, until(2990) + &until(2991)] {
        assert_eq!(update(&list), list);
    }
    // What ends earlier, or at the same time, is not needed.
    assert_eq!(update(&(permanent.clone() + &until(2990))), permanent);
    assert_eq!(update(&(until(2991) + &until(2990))), until(2991));
    assert_eq!(update(&until(2990).repeat(2)), until(2990));
    // Each case must be covered for as long: here one is until 2990 only.
    put_sixes(&folder, &[("a", 7), ("b", 7)]);
    let (b, all) = (entry("v.json::b", "expires = 2990-01-01\n"), entry("v.json::?", ""));
    let list = permanent + &b + &all;
    assert_eq!(update(&list), list);
}

/// A case whose entries all have expired is not listed any more.
#[test]
fn a_case_with_an_expired_entry_is_accepted_anew() {
    let folder = sixes(&[("a", 7)]);
    let expired = entry("v.json::a", "expires = 2020-01-01\n");
    fs::write(folder.path().join("k.toml"), &expired).unwrap();
    let kept = in_folder(&folder, &["known", "update", "k.toml", "v.json"]);
    assert_eq!((&*kept.stdout, list_in(&folder)), ("nothing to change\n", expired));
    let updated = in_folder(&folder, &["known", "update", "k.toml", "v.json", "--accept", "new"]);
    assert_eq!((updated.exit, &*updated.stdout), (0, "added v.json::a\n"));
    assert_eq!(in_folder(&folder, &["run", "v.json", "--known", "k.toml"]).exit, 0, "{}", list_in(&folder));
}

/// Updates of one list at the same time lose no entry.
#[cfg(unix)]
#[test]
fn updates_wait_for_each_other() {
    const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let folder = sixes(&NAMES.map(|name| (name, 7)));
    let update = |name: &&str| {
        let case = format!("v.json::{name}");
        let mut update = command(&["known", "update", "k.toml", &case, "--accept", "new"]);
        update.stdout(Stdio::null()).current_dir(folder.path()).spawn()
    };
    let updates: Vec<_> = NAMES.iter().map(|name| update(name).unwrap()).collect();
    for mut update in updates {
        assert!(update.wait().unwrap().success());
    }
    let list = list_in(&folder);
    for name in NAMES {
        assert!(list.contains(&format!("\"v.json::{name}\"")), "{name}: {list}");
    }
}

/// Failing cases that no entry names are counted, since the next run fails with them.
#[test]
fn an_update_notes_failures_without_entries() {
    let folder = sixes(&[("a", 7), ("b", 7), ("c", 6)]);
    let updated = in_folder(&folder, &["known", "update", "k.toml", "v.json", "v.json::a"]);
    assert_eq!(updated.stderr, "note: without an entry: 2 failing cases; --accept REASON adds entries\n");
    let accepted = in_folder(&folder, &["known", "update", "k.toml", "v.json", "--accept", "new"]);
    assert_eq!((&*accepted.stdout, &*accepted.stderr), ("added v.json::a\nadded v.json::b\n", ""));
}

/// An entry for several cases that now fail in several ways cannot be corrected: the cases are accepted, each by
/// itself.
#[test]
fn cases_that_fail_differently_are_accepted() {
    let folder = sixes(&[("a", 7), ("b", 7)]);
    let other = r#"{"name":"b","script":["PUSH6"]"#;
    let text = fs::read_to_string(folder.path().join("v.json")).unwrap();
    let faults = text.replace(other, r#"{"name":"b","script":["ABORT"]"#);
    fs::write(folder.path().join("v.json"), faults).unwrap();
    let list = entry("v.json::*", "signature = \"neo3 out: missing\"\n");
    fs::write(folder.path().join("k.toml"), list).unwrap();
    let updated = in_folder(&folder, &["known", "update", "k.toml", "v.json", "--accept", "new"]);
    assert_eq!(updated.stdout, "added v.json::a\nadded v.json::b\n");
    assert_eq!(in_folder(&folder, &["run", "v.json", "--known", "k.toml"]).exit, 0, "{}", list_in(&folder));
}

/// Without that, the entry stays as it is, and a note says why.
#[test]
fn an_entry_of_cases_that_fail_differently_is_noted() {
    let folder = sixes(&[("a", 7), ("b", 7)]);
    let text = fs::read_to_string(folder.path().join("v.json")).unwrap();
    fs::write(folder.path().join("v.json"), text.replacen("PUSH6", "ABORT", 1)).unwrap();
    let list = entry("v.json::*", "signature = \"neo3 out: missing\"\n");
    fs::write(folder.path().join("k.toml"), &list).unwrap();
    let updated = in_folder(&folder, &["known", "update", "k.toml", "v.json"]);
    let note = "note: kept v.json::*: not all of its cases fail so, such as by ";
    assert!(updated.stderr.starts_with(note), "{updated:?}");
    assert_eq!((&*updated.stdout, list_in(&folder)), ("nothing to change\n", list));
}

/// What is written to the list while the cases run stays.
#[cfg(unix)]
#[test]
fn an_update_keeps_what_was_written_during_the_run() {
    let folder = sixes(&[("a", 7)]);
    let vm = r##"x=sh -c 'printf "%s\n" "# mine" >> k.toml; exec vmconf serve neo3'"##;
    let update = ["known", "update", "k.toml", "v.json", "--accept", "new", "--vm", vm];
    for before in ["", "# first\n"] {
        fs::write(folder.path().join("k.toml"), before).unwrap();
        assert_eq!(in_folder(&folder, &update).exit, 0);
        let list = list_in(&folder);
        assert!(list.starts_with(&format!("{before}# mine\n")) && list.contains("v.json::a"), "{list}");
    }
    fs::remove_file(folder.path().join("k.toml")).unwrap();
    assert_eq!(in_folder(&folder, &update).exit, 0);
    assert!(list_in(&folder).starts_with("# mine\n"), "{}", list_in(&folder));
}

/// An update leaves each byte that it has no reason to change: the byte order mark, ends of lines, spaces and comments.
#[test]
fn an_update_keeps_every_other_byte() {
    let folder = sixes(&[("a", 6), ("b", 7), ("c", 7)]);
    let update = |list: &str, more: &[&str]| {
        fs::write(folder.path().join("k.toml"), list).unwrap();
        let updated = in_folder(&folder, &[&["known", "update", "k.toml", "v.json"], more].concat());
        assert_eq!(updated.exit, 0, "{updated:?}");
        list_in(&folder)
    };
    let top = "\u{feff}# The list.\r\n\r\n";
    let passes = "# Passes.\r\n[[known]]\r\nid='v.json::a'\r\nreason='x' # y\r\n";
    let fails = "  # Fails.\n[[ known ]]\t\r\n\tid  =  'v.json::b'\r\n# between\r\nreason = '''\r\nx'''\r\nsignature='S' #\r\n";
    let end = "\r\n# The end, ";
    let signature = "neo3 resultStack[*]: other value";
    let corrected = fails.replace("'S'", &format!("{signature:?}"));
    let list = [top, passes, "\r\n", fails, end].concat();
    assert_eq!(update(&list, &[]), [top, &corrected, end].concat());
    let added = format!(
        "\r\n\r\n[[known]]\r\nid = \"v.json::c\"\r\nsignature = {signature:?}\r\nreason = \"new\"\r\n"
    );
    assert_eq!(update(&list, &["--accept", "new"]), [top, &corrected, end, &added].concat());
    // The last entry goes, the comment that is not directly before it stays.
    let list = format!("{corrected}\r\n# Others:\r\n\r\n{passes}");
    assert_eq!(update(&list, &[]), format!("{corrected}\r\n# Others:\r\n"));
    // What begins the list may be on the whole of it.
    assert_eq!(update(passes, &[]), "# Passes.\r\n");
    let list = ["\u{feff}", passes, "\r\n", &corrected].concat();
    assert_eq!(update(&list, &[]), ["\u{feff}# Passes.\r\n\r\n", &corrected].concat());
}

/// A list with an empty reason is none: it is refused before anything runs.
/// A reason can be copied from a report: characters that would reorder its line have escapes.
#[test]
fn a_reason_with_harmful_characters_is_escaped() {
    let folder = sixes(&[("a", 7)]);
    let args = ["known", "update", "k.toml", "v.json", "--accept", "see \u{202e}#1\u{1b}[2J"];
    assert_eq!(in_folder(&folder, &args).exit, 0);
    let list = list_in(&folder);
    assert!(list.contains("reason = \"see \\u202e#1\\u001b[2J\"\n"), "{list}");
    assert_eq!(in_folder(&folder, &["run", "--known", "k.toml", "v.json"]).exit, 0);
}

#[test]
fn an_empty_reason_is_refused() {
    let folder = sixes(&[("a", 7)]);
    let refused = in_folder(&folder, &["known", "update", "k.toml", "v.json", "--accept", ""]);
    assert!(refused.exit == 2 && refused.stderr.contains("--accept <REASON>"), "{refused:?}");
    assert!(!folder.path().join("k.toml").exists());
}

/// A list of known failures is no vector: no report advises to explain it.
#[test]
fn no_report_explains_the_list() {
    let list = List::new(&entry(&format!("{ADD}::gone"), ""));
    for form in ["text", "github", "sarif", "markdown", "tap", "junit", "json"] {
        let ran = list.run(&[ADD, "--report", form]);
        assert!(ran.exit == 3 && ran.stdout.contains("no case matches"), "{form}: {ran:?}");
        assert!(!ran.stdout.contains("vmconf diff"), "{form}: {ran:?}");
    }
}
