//! The result cache: which cases it saves from running, which run again, and how wrong entries are handled.

mod text;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::support::place::{Place, add};
use crate::support::validator::Validator;
use crate::support::{MALFORMED, Ran, WRONG, command, files_of, ran, timeless};
use serde_json::Value as Json;
use vmconf::formats::{self, Strictness, ValueDebit};
use vmconf::model::CaseId;
use vmconf::model::limits;
use vmconf::run::cache::{CacheLookup, CacheUpdate, FileKey, MAX_CACHE_BYTES, ProgramKey, ResultCache};
use vmconf::run::{self, FileOptions, LoadOptions, RunOptions};
use vmconf::testees::MakeTestee;

impl Place {
    /// A run from the project's folder.
    fn at_root(&self, args: &[&str]) -> Ran {
        let mut command = command(&[&["run"], args].concat());
        ran(command.env("VMCONF_CACHE", self.cache.path()).output().unwrap())
    }

    /// A run from the folder.
    fn run(&self, args: &[&str]) -> Ran {
        self.vmconf("run", args)
    }

    /// How such a run ends: passed, answered, exit code.
    fn counts(&self, args: &[&str]) -> (u64, u64, i32) {
        let ran = self.run(&[args, &["--report", "json"]].concat());
        let summary = summary(&ran);
        (summary["passed"].as_u64().unwrap(), summary["cached"].as_u64().unwrap_or(0), ran.exit)
    }

    /// Where the answers of the program under test are.
    fn file(&self) -> PathBuf {
        self.cache.path().join("answers").join(&program().to_string()[..16])
    }

    fn cache(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    /// Writes that all cases of a file pass, whatever comes of them.
    fn lie(&self, name: &str) {
        let path = self.vectors.path().join(name);
        let options = LoadOptions::default();
        let sources = files_of(&path);
        let loaded = run::open(&sources[0], &options);
        let format = formats::by_name(loaded.format_name().unwrap()).unwrap();
        let key = options.run.file_key(loaded.text(), format, &options.file);
        let cache = ResultCache::new(program(), None);
        cache.use_file(&key);
        for index in 0..loaded.cases() {
            cache.update(&key, CacheUpdate::Passes(loaded.case(index).unwrap().node));
        }
        fs::create_dir_all(self.file().parent().unwrap()).unwrap();
        fs::write(self.file(), cache.text().unwrap()).unwrap();
    }
}

fn program() -> ProgramKey {
    static KEY: LazyLock<ProgramKey> =
        LazyLock::new(|| ProgramKey::of(File::open(env!("CARGO_BIN_EXE_vmconf")).unwrap()).unwrap());
    KEY.clone()
}

fn json(line: &str) -> Json {
    serde_json::from_str(&line.replace(":TIME", ":0")).unwrap()
}

fn summary(ran: &Ran) -> Json {
    json(ran.stdout.lines().last().unwrap())
}

/// The first case of [`ADD`] demands something else.
fn wrong_add() -> String {
    add().replacen("\"storage\": {\"0x00\": \"0x03\"}", "\"storage\": {\"0x00\": \"0x04\"}", 1)
}

/// A report without what says that cases were answered.
fn without_marks(report: &str) -> String {
    let line = |line: &str| {
        let mut line = json(line);
        for member in ["cached", "seconds"] {
            line.as_object_mut().unwrap().shift_remove(member);
        }
        format!("{line}\n")
    };
    report.lines().map(line).collect()
}

/// Enough cases for what does not depend on the format.
const A_PART: &str = "vectors/evm";

/// Files with notes and with all kinds of verdict.
const EVERYTHING: [&str; 7] = [
    "vectors/minic89/instructions",
    WRONG,
    MALFORMED,
    "tests/samples/vmtests/broken",
    "tests/samples/minic89",
    "tests/samples/tinyvm",
    "--report=json",
];

#[test]
fn a_cached_run_has_the_verdicts_of_the_first() {
    let validator = Validator::named("report");
    for flags in [&[][..], &["--strict"]] {
        let place = Place::new();
        let run = |more: &[&str]| place.at_root(&[&EVERYTHING, flags, more].concat());
        let plain = run(&[]);
        let first = run(&["--cached", "--jobs", "8"]);
        assert!(first == plain, "{flags:?}");
        let cache = place.cache();
        for jobs in ["1", "8"] {
            let again = run(&["--cached", "--jobs", jobs]);
            assert_eq!((again.exit, &again.stderr), (plain.exit, &plain.stderr), "{flags:?}");
            assert!(without_marks(&again.stdout) == without_marks(&plain.stdout), "{flags:?}");
            let (answered, passed) = (&summary(&again)["cached"], &summary(&again)["passed"]);
            // With --strict there is much to note.
            assert!(answered.as_u64() > passed.as_u64().map(|passed| passed / 2), "{answered} of {passed}");
            let marked = again.stdout.lines().filter(|line| line.contains("\"cached\":true")).count();
            assert_eq!(answered.as_u64(), Some(marked as u64));
            for line in again.stdout.lines() {
                validator.assert_accepts(&json(line), "a line");
            }
        }
        assert_eq!(place.cache(), cache);
        // Nor is anything taken from the cache without the flag.
        assert!(run(&[]) == plain);
    }
}

/// What a first run caches does not depend on the threads, even if a case after the first failure has run.
#[test]
fn cached_verdicts_are_the_same_for_any_number_of_threads() {
    for flags in [&[][..], &["--fail-fast"]] {
        let learnt = |jobs: &str| {
            let place = Place::new();
            place.at_root(
                &[&["--cached", "--jobs", jobs, "vectors/neo3/found", WRONG, "vectors/neo3/types"], flags]
                    .concat(),
            );
            place.file().exists().then(|| place.cache())
        };
        let one = learnt("1");
        // Cases of the first files pass before one fails.
        assert!(one.is_some(), "{flags:?}");
        for _ in 0..3 {
            assert!(learnt("8") == one, "{flags:?}");
        }
    }
}

#[test]
fn a_run_without_a_cache_writes_none() {
    let place = Place::new().with("add.json", &add());
    assert_eq!(place.counts(&["."]), (5, 0, 0));
    assert!(!place.cache.path().join("answers").exists());
}

#[test]
fn every_report_counts_cached_cases() {
    let place = Place::new().with("add.json", &add());
    place.run(&["--cached", "."]);
    for (report, says) in [
        ("text", "5 passed (5 of them from the cache), 0 failed, 0 errors"),
        ("json", "\"passed\":5,\"cached\":5,\"failed\":0"),
        ("junit", "<property name=\"cached\" value=\"true\"/>"),
        ("tap", "# 5 passed (5 of them from the cache), 0 failed"),
        ("github", "::notice title=vmconf::5 passed (5 of them from the cache), 0 failed"),
        ("markdown", "## vmconf: 5 passed (5 of them from the cache), 0 failed"),
        ("html", "<p>5 passed (5 of them from the cache), 0 failed"),
        ("html", "<code>add.json::small</code> <span class=\"headline\">from the cache</span>"),
    ] {
        let ran = place.run(&["--cached", ".", "--report", report]);
        assert!(ran.stdout.contains(says), "{report}: {}", ran.stdout);
    }
}

#[test]
fn cases_of_a_changed_file_run_again() {
    let place = Place::new().with("add.json", &add());
    assert_eq!(place.counts(&["--cached", "."]), (5, 0, 0));
    assert_eq!(place.counts(&["--cached", "."]), (5, 5, 0));
    assert_ne!(wrong_add(), add());
    place.write("add.json", &wrong_add());
    assert_eq!(place.counts(&["--cached", "."]), (4, 0, 1));
    // A failure is reported by every run.
    assert_eq!(place.counts(&["--cached", "."]), (4, 4, 1));
    assert!(place.run(&["--cached", "."]).stdout.starts_with("FAIL  add.json::small\n"));
    place.write("add.json", &add());
    assert_eq!(place.counts(&["--cached", "."]), (5, 5, 0));
    place.write("add.json", &(add() + "\n"));
    assert_eq!(place.counts(&["--cached", "."]), (5, 0, 0));
    // The name of a file says nothing.
    place.write("other.json", &add());
    assert_eq!(place.counts(&["--cached", "other.json"]), (5, 5, 0));
}

#[test]
fn cases_run_again_under_other_options() {
    let place = Place::new().with("add.json", &add()).with("old/add.json", &add());
    place.run(&["--cached", "."]);
    for flags in [&["--max-steps", "1000"][..], &["--strict"], &["--value-debit", "on"]] {
        let run = || place.counts(&[&["--cached", "add.json"], flags].concat());
        assert_eq!((run(), run()), ((5, 0, 0), (5, 5, 0)), "{flags:?}");
    }
    assert_eq!(place.counts(&["--cached", "--max-steps", "3", "add.json"]), (0, 0, 3));
    assert_eq!(place.counts(&["--cached", "--format", "vmtests", "."]), (10, 10, 0));
    place.write("vmconf.toml", "[[override]]\npath = \"old/*\"\nmax-steps = 999\n");
    assert_eq!(place.counts(&["--cached", "."]), (10, 5, 0));
    assert_eq!(place.counts(&["--cached", "."]), (10, 10, 0));
}

#[test]
fn the_configuration_can_switch_the_cache_on() {
    let place = Place::new().with("add.json", &add());
    place.write("vmconf.toml", "[profile.default]\nverify = \"100%\"\n");
    assert_eq!(place.counts(&["."]), (5, 0, 0));
    assert_eq!(place.counts(&["--cached", "."]), (5, 0, 0));
    assert_eq!(place.counts(&["--cached", "."]), (5, 0, 0));
    assert_eq!(place.counts(&["--cached", "--verify", "0%", "."]), (5, 5, 0));
    place.write("vmconf.toml", "[profile.default]\ncached = true\n");
    assert_eq!(place.counts(&["."]), (5, 5, 0));
    place.write("vmconf.toml", "[profile.default]\nseed = 1\n");
    assert_eq!(place.run(&["."]).exit, 2);
}

#[test]
fn wrong_flags_of_the_cache_are_refused() {
    let place = Place::new().with("add.json", &add());
    let check = |args: &[&str], says: &str| {
        let ran = place.run(&[args, &["add.json"]].concat());
        assert!(ran.exit == 2 && ran.stdout.is_empty() && ran.stderr.contains(says), "{args:?}: {ran:?}");
    };
    check(&["--verify", "5%"], "requires --cached");
    check(&["--cached", "--seed", "5"], "--seed requires --verify");
    for share in ["5", "%", "101%", "-1%", "nan%", "inf%", "5 %", "5%%"] {
        check(&["--cached", &format!("--verify={share}")], "a share is written as 5% or 0.1%");
    }
}

/// The cache is believed, unless it is tested.
#[test]
fn verification_finds_a_wrong_cached_result() {
    let tested = ["--cached", "--verify", "100%", "--seed", "1", "."];
    let check = |text: &str, now: i32, says: &[&str]| {
        let place = Place::new().with("file.json", text);
        place.lie("file.json");
        assert_eq!(place.counts(&["--cached", "."]), (5, 5, 0));
        assert_eq!(place.counts(&["--cached", "--verify", "0%", "."]), (5, 5, 0));
        for jobs in ["1", "8"] {
            place.lie("file.json");
            let Ran { exit, stdout, stderr } = place.run(&[&tested[..], &["--jobs", jobs]].concat());
            assert_eq!(exit, 3, "{stdout}{stderr}");
            for says in [&["this case passes according to the cache, but does not"], says].concat() {
                assert!(stdout.contains(says), "{says}: {stdout}");
            }
            let removal = format!("rm {}", place.file().display());
            assert!(stderr.contains(&removal) && !stderr.contains("--seed"), "{stderr}");
        }
        // Nothing of it is believed any more.
        let (_, answered, exit) = place.counts(&["--cached", "."]);
        assert_eq!((answered, exit), (0, now));
    };
    check(&wrong_add(), 1, &["file.json::small", "it fails: post/0xaaaaaaaa", "expected 4"]);
    check(&add().replacen("\"0x6001600201600055\"", "\"0x60016002016000zz\"", 1), 3, &["file.json:9:"]);
    let noted = add().replacen("\"exec\": {", "\"unheard\": 1, \"exec\": {", 1);
    check(&noted, 0, &["unknown member \"unheard\""]);
}

/// A cached pass that is verified and passes again is not reported.
#[test]
fn verification_keeps_right_cached_results() {
    let place = Place::new().with("add.json", &add());
    place.run(&["--cached", "."]);
    let before = place.cache();
    assert_eq!(place.counts(&["--cached", "--verify", "100%", "."]), (5, 0, 0));
    assert_eq!(place.cache(), before);
    let ran = place.run(&["--cached", "--verify", "12.5%", "."]);
    let seed = ran.stderr.strip_prefix("note: --verify 12.5% chooses with --seed ").unwrap().trim();
    assert!(seed.parse::<u64>().is_ok(), "{seed}");
    let other = place.run(&["--cached", "--verify", "12.5%", "."]).stderr;
    assert_ne!(other, ran.stderr);
}

#[test]
fn a_seed_selects_the_same_sample() {
    let place = Place::new();
    place.at_root(&["--cached", A_PART]);
    let run = |seed: &str, jobs: &str| {
        let args =
            ["--cached", "--verify", "10%", "--seed", seed, "--jobs", jobs, "--report", "json", A_PART];
        place.at_root(&args)
    };
    let one = run("1", "1");
    assert!(run("1", "8") == one && run("2", "8") != one);
}

#[test]
fn a_damaged_cache_is_ignored_with_a_note() {
    let place = Place::new().with("add.json", &add()).with("wrong.json", &wrong_add());
    let first = place.run(&["--cached", "."]);
    let whole = place.cache();
    let check = |text: &[u8]| {
        fs::write(place.file(), text).unwrap();
        let Ran { exit, stdout, stderr } = place.run(&["--cached", "."]);
        assert_eq!((exit, &stdout), (first.exit, &first.stdout), "{stderr}");
        let said = format!("note: {}: ", place.file().display());
        assert!(
            stderr.starts_with(&said) && stderr.ends_with("; it is ignored and will be replaced\n"),
            "{stderr}"
        );
        assert_eq!(place.cache(), whole);
    };
    check(b"");
    check(b"\xff\xfe\x00");
    check(&whole.as_bytes()[..whole.len() - 1]);
    check(&whole.as_bytes()[1..]);
    check(whole.replacen('1', "2", 1).as_bytes());
    check(whole.repeat(2).as_bytes());
    check(&vec![b'\n'; MAX_CACHE_BYTES + 1]);
    // The path is not a regular file: it stays, and the run is as without a cache.
    fs::remove_file(place.file()).unwrap();
    fs::create_dir(place.file()).unwrap();
    let ran = place.run(&["--cached", "."]);
    assert_eq!((ran.exit, &ran.stdout), (first.exit, &first.stdout));
    assert!(ran.stderr.contains("not a regular file") && ran.stderr.contains("cannot be written"), "{ran:?}");
}

/// A case that names another file always runs, also where only that one changes.
#[test]
fn cases_that_open_other_files_are_not_cached() {
    let own = r#"{"name": "own", "instructions": ["yield"], "expect": {"stop": "yield"}}"#;
    let named = r#"{"name": "named", "instructions": {"file": "three.asm"}, "registers": {}, "expect": {"stop": "yield", "registers": {"r0": 3}}}"#;
    let place = Place::new()
        .with("sum.json", &format!("{{\"machine\": \"tinyvm\", \"tests\": [{own}, {named}]}}"))
        .with("three.asm", "lw r0, 3\nyield\n");
    assert_eq!(place.counts(&["--cached", "."]), (2, 0, 0), "{:?}", place.run(&["."]));
    assert_eq!(place.counts(&["--cached", "."]), (2, 1, 0));
    place.write("three.asm", "lw r0, 4\nyield\n");
    assert_eq!(place.counts(&["--cached", "."]), (1, 1, 1));
    // A list of pairs is nothing but names.
    let place = Place::new();
    let lists = ["vectors/tinyvm/drivers/tests/testcases.json", "--cached", "--report", "json"];
    place.at_root(&lists);
    let again = summary(&place.at_root(&lists));
    assert!(again["passed"].as_u64() > Some(0) && again.get("cached").is_none(), "{again}");
}

/// Which cases run is decided as ever, and each answer is for all later choices.
#[test]
fn cached_results_are_used_for_selected_cases() {
    let place = Place::new();
    let report = |args: &[&str]| place.at_root(&[&["--report", "json", A_PART], args].concat());
    let expr = ["-E", "op(SSTORE) or name(~wrap)"];
    let plain = report(&expr);
    report(&[&["--cached"], &expr[..]].concat());
    let again = report(&[&["--cached"], &expr[..]].concat());
    assert!(without_marks(&again.stdout) == without_marks(&plain.stdout));
    let answered = summary(&again)["cached"].clone();
    assert!(answered.as_u64() > Some(300), "{answered}");
    // All cases, those of the list included.
    assert_eq!(summary(&report(&["--cached"]))["cached"], answered);
}

#[test]
fn each_partition_uses_the_cache() {
    let place = Place::new();
    let whole = place.at_root(&["--report", "json", A_PART]);
    let part = |part: u32| {
        let path = place.vectors.path().join(format!("{part}.jsonl"));
        let partition = format!("hash:{part}/2");
        place.at_root(&[
            "--cached",
            "-q",
            "--partition",
            &partition,
            "--report",
            &format!("json={}", path.display()),
            A_PART,
        ]);
        path
    };
    let merge = |files: &[PathBuf]| {
        let files: Vec<_> = files.iter().map(|file| file.to_str().unwrap()).collect();
        ran(command(&[&["merge", "--report", "json"], &files[..]].concat()).output().unwrap())
    };
    assert!(merge(&[part(1), part(2)]) == whole);
    let again = merge(&[part(1), part(2)]);
    assert!(again == place.at_root(&["--cached", "--report", "json", A_PART]));
    assert!(without_marks(&again.stdout) == without_marks(&whole.stdout) && again.stdout != whole.stdout);
}

#[test]
fn known_failures_are_judged_the_same_with_a_cache() {
    let list = "[[known]]\nid = \"add.json::small\"\nreason = \"a sample\"\n";
    let place = Place::new().with("add.json", &add()).with("known.toml", list);
    let run =
        |args: &[&str]| place.run(&[args, &["--known", "known.toml", "--report", "json", "."]].concat());
    let plain = run(&[]);
    assert!(plain.exit == 1 && plain.stdout.contains("\"verdict\":\"fixed\""));
    // An answer is learnt of it though it is not what the list says.
    assert!(run(&["--cached"]) == plain);
    let again = run(&["--cached"]);
    assert!(without_marks(&again.stdout) == without_marks(&plain.stdout) && again.exit == 1);
    assert_eq!(again.stdout.matches("\"cached\":true").count(), 5);
    assert_eq!((&summary(&again)["cached"], &summary(&again)["fixed"]), (&4.into(), &1.into()));
    // A known failure is not cached.
    place.write("add.json", &wrong_add());
    for answered in [0, 4] {
        let ran = run(&["--cached"]);
        assert!(ran.exit == 0 && ran.stdout.contains("\"verdict\":\"known\""), "{ran:?}");
        assert_eq!(summary(&ran).get("cached").and_then(Json::as_u64).unwrap_or(0), answered);
    }
    // A wrong cache entry is not a known failure.
    place.lie("add.json");
    assert_eq!(run(&["--cached", "--verify", "100%"]).exit, 3);
}

/// With the cache, `op` executes a case once: the answer is as remembered, even a wrong one, until the file or the
/// sample demands another look.
#[test]
fn executed_instructions_are_remembered() {
    let place = Place::new().with("add.json", &add());
    let selected = |expr: &str, more: &[&str]| {
        let ran = place.run(&[&["--cached", "-v", "-E", expr, "."], more].concat());
        ran.stdout.lines().filter(|line| line.starts_with("pass ")).count()
    };
    let all = [selected("op(ADD)", &[]), selected("op(SSTORE)", &[]), selected("op(~AD)", &[])];
    assert!(all[0] > 0, "{all:?}");
    assert_eq!([selected("op(ADD)", &[]), selected("op(SSTORE)", &[]), selected("op(~AD)", &[])], all);

    let text = place.cache();
    assert!(text.contains("\"executes\":{\"ADD\":{"), "{text}");
    let (_, lines) = text.split_once('\n').unwrap();
    let (before, after) = lines.split_once("\"ADD\":{").unwrap();
    let (answers, after) = after.split_once('}').unwrap();
    let lines = format!("{before}\"ADD\":{{{}}}{after}", answers.replace("true", "false"));
    let head = text.split(' ').take(4).collect::<Vec<_>>().join(" ");
    fs::write(place.file(), format!("{head} {}\n{lines}", blake3::hash(lines.as_bytes()))).unwrap();
    assert_eq!(selected("op(ADD)", &[]), 0);
    assert_eq!(selected("op(ADD)", &["--verify", "100%"]), all[0]);
    assert_eq!(selected("op(ADD)", &["--max-steps", "100000"]), all[0]);
}

/// The key of a file differs for each option that changes the results of its cases, and is the same for all others.
#[test]
fn the_key_of_a_file_depends_on_its_text_and_options() {
    let vmtests = formats::by_name("vmtests").unwrap();
    let key = |options: &LoadOptions| options.run.file_key("{}", vmtests, &options.file);
    let plain = LoadOptions::default();
    let text_key = |text, format| plain.run.file_key(text, format, &plain.file);
    let mut keys = vec![
        key(&plain),
        text_key("{} ", vmtests),
        text_key("", vmtests),
        text_key("{}", formats::by_name("minic89").unwrap()),
    ];
    for row in limits::ROWS {
        let mut options = plain.clone();
        (row.set)(&mut options.file.limits, row.default + 1);
        keys.push(key(&options));
    }
    for strictness in [Strictness::Thorough, Strictness::Strict] {
        let mut options = plain.clone();
        options.file.read.strictness = strictness;
        keys.push(key(&options));
    }
    for value_debit in [ValueDebit::On, ValueDebit::Off] {
        let mut options = plain.clone();
        options.file.read.value_debit = value_debit;
        keys.push(key(&options));
    }
    let testee = MakeTestee::new("another", |info, limits| (info.new)(limits));
    let run = RunOptions { testee, ..RunOptions::default() };
    keys.push(key(&LoadOptions { run, ..plain.clone() }));
    for (number, key) in keys.iter().enumerate() {
        assert!(!keys[..number].contains(key), "{number}");
    }
    let run = RunOptions { jobs: 8, ..RunOptions::default() };
    let file = FileOptions { format: Some(vmtests), ..FileOptions::default() };
    assert_eq!(key(&LoadOptions { run, file, ..plain }), keys[0]);
}

#[test]
fn the_key_of_a_program_depends_on_its_executable() {
    let key = |executable: &[u8]| ProgramKey::of(executable).unwrap();
    assert_eq!(key(b"one"), key(b"one"));
    assert_ne!(key(b"one"), key(b"two"));
    assert_ne!(key(b""), key(b"\0"));
    // ResultCache of another executable are in another file, and one that was put in its place is not read.
    let place = Place::new().with("add.json", &add());
    place.run(&["--cached", "."]);
    let other = ResultCache::new(key(b"one"), None);
    assert!(other.text().is_none());
    other.update(&FileKey::new("", &""), CacheUpdate::Passes(1));
    fs::write(place.file(), other.text().unwrap()).unwrap();
    assert!(place.run(&["--cached", "."]).stderr.contains("belongs to another program; it is ignored"));
}

/// What was not used for longest goes: files of one program, and programs.
#[test]
fn the_cache_is_bounded() {
    let key = |number: usize| FileKey::new("", &number);
    let program = || ProgramKey::of(&b""[..]).unwrap();
    let many = MAX_CACHE_BYTES / 50;
    let first = ResultCache::new(program(), None);
    (0..many).for_each(|number| first.update(&key(number), CacheUpdate::Passes(1)));
    let text = first.text().unwrap();
    assert!(text.len() <= MAX_CACHE_BYTES && text.len() > MAX_CACHE_BYTES - 1000, "{}", text.len());
    let id = CaseId::of_file("a.json".into());
    let mut second = ResultCache::new(program(), None);
    second.read(&text).unwrap();
    let last =
        (0..many).rev().find(|number| second.look_up(&key(*number), 1, &id) == CacheLookup::Hit).unwrap();
    assert!(last < many - 1);
    second.use_file(&key(last));
    second.update(&key(many), CacheUpdate::Passes(1));
    let mut third = ResultCache::new(program(), None);
    third.read(&second.text().unwrap()).unwrap();
    let known = |number: usize| third.look_up(&key(number), 1, &id) == CacheLookup::Hit;
    assert_eq!([last, many, 0, last - 1].map(known), [true, true, true, false]);

    let place = Place::new().with("add.json", &add());
    let folder = place.cache.path().join("answers");
    fs::create_dir_all(&folder).unwrap();
    (0..20).for_each(|number| fs::write(folder.join(format!("{number:016x}")), "").unwrap());
    place.run(&["--cached", "."]);
    assert_eq!((folder_size(&folder), place.file().exists()), (8, true));
}

fn folder_size(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

/// Files of this run are in front; those of others stay.
#[test]
fn results_of_files_that_are_not_in_a_run_are_kept() {
    let place = Place::new().with("one.json", &add()).with("two.json", &wrong_add());
    place.run(&["--cached", "one.json"]);
    place.run(&["--cached", "two.json"]);
    assert_eq!(place.cache().lines().count(), 3);
    assert_eq!(place.counts(&["--cached", "."]), (9, 9, 1));
    let text = timeless(&place.run(&["--cached", "."]).stdout);
    assert!(text.ends_with("9 passed (9 of them from the cache), 1 failed, 0 errors, 0 skipped in TIME s\n"));
}
