//! `vmconf mutants --cached`: what a second run takes from the first, and what it does not.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use proptest::prelude::*;
use vmconf::explain::observed_run::RecordedDetail;
use vmconf::formats::{self, Strictness};
use vmconf::machines::by_name;
use vmconf::model::Interrupt;
use vmconf::prove::mutants::fault::{PlantedFault, faults_of};
use vmconf::prove::mutants::known::KnownFaults;
use vmconf::prove::mutants::{MutantsOptions, judge};
use vmconf::prove::suite::VectorSuite;
use vmconf::run::cache::ProgramKey;
use vmconf::run::filter::Filter;
use vmconf::run::sources::Sources;
use vmconf::run::suite_key::SuiteKey;
use vmconf::run::{LoadOptions, RunOptions};

use crate::support::place::{ADD, Place, add};
use crate::support::{Ran, at_root, command, config, ran, sources_of};

impl Place {
    fn with_add() -> Place {
        Place::new().with("add.json", &add())
    }

    fn mutants(&self, args: &[&str]) -> Ran {
        self.vmconf("mutants", args)
    }

    /// How many faults of how many a run took from the cache.
    fn taken(&self, args: &[&str]) -> (usize, usize) {
        let ran = self.mutants(&[&["--cached"], args].concat());
        taken(&ran).unwrap_or_else(|| panic!("{ran:?}"))
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cache.path().join("faults")).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

/// What the note of the run says.
fn taken(ran: &Ran) -> Option<(usize, usize)> {
    let note = ran.stderr.lines().last()?.strip_prefix("note: ")?.strip_suffix(" are from the cache")?;
    let (taken, all) = note.split_once(" of ")?;
    Some((taken.parse().ok()?, all.split(' ').next()?.parse().ok()?))
}

#[test]
fn a_cached_run_has_the_verdicts_of_the_first() {
    for form in ["text", "all", "json"] {
        let place = Place::with_add();
        let args = ["add.json", "--only", "evm/ADD/", "--min-score", "90", "--output", form];
        let plain = place.mutants(&args);
        assert_eq!((plain.exit, &*plain.stderr, place.files().len()), (1, "", 0));
        for from_cache in [0, 25, 25] {
            let again = place.mutants(&[&args[..], &["--cached"]].concat());
            assert_eq!(taken(&again), Some((from_cache, 25)));
            assert_eq!((again.exit, &again.stdout), (plain.exit, &plain.stdout), "{form}");
        }
    }
}

/// What was judged for some faults is used for others, and those that are missing are judged.
#[test]
fn faults_are_cached_one_by_one() {
    let place = Place::with_add();
    let some = ["add.json", "--only", "evm/ADD/a-*"];
    assert_eq!([place.taken(&some), place.taken(&some)], [(0, 4), (4, 4)]);
    let more = ["add.json", "--only", "evm/ADD/", "--jobs", "1"];
    assert_eq!([place.taken(&more), place.taken(&more)], [(4, 25), (25, 25)]);
    let plain = place.mutants(&more);
    assert_eq!(place.mutants(&[&more[..], &["--cached"]].concat()).stdout, plain.stdout);
    assert_eq!(place.taken(&["add.json", "--only", "evm/ADD/", "--most", "3"]), (3, 3));
}

#[test]
fn changed_vectors_and_options_are_judged_again() {
    let place = Place::with_add();
    let taken = |more: &[&str]| place.taken(&[&["--only", "evm/ADD/zero"], more].concat());
    assert_eq!([taken(&["."]), taken(&["."])], [(0, 1), (1, 1)]);
    // The same cases, however they are selected.
    assert_eq!(taken(&["add.json"]), (1, 1));
    for more in [&["--max-work", "1000"][..], &["--search", "1"], &["--machine", "evm"], &["--strict"]] {
        assert_eq!(taken(&[more, &["."]].concat()), (0, 1), "{more:?}");
    }
    let text = fs::read_to_string(at_root(ADD)).unwrap();
    place.write("add.json", &(text + "\n"));
    assert_eq!(taken(&["."]), (0, 1));
}

/// The key of a suite differs for other cases and for options that change their results, and is the same however the
/// same cases are selected.
#[test]
fn the_key_of_a_suite_depends_on_cases_and_options_only() {
    let place = Place::with_add();
    let path = place.vectors.path();
    let key = |sources: &Sources, options: &LoadOptions| SuiteKey::new(sources, options, &"").unwrap();
    let plain = LoadOptions::default();
    let all = key(&sources_of(path), &plain);
    assert_eq!(key(&sources_of(path.join("add.json")), &plain), all);
    let filtered = |pattern: &str| {
        let run = RunOptions { filter: Filter::new([pattern]), ..RunOptions::default() };
        LoadOptions { run, ..LoadOptions::default() }
    };
    assert_eq!(key(&sources_of(path), &filtered("add.json")), all);
    let run = RunOptions { jobs: 8, ..RunOptions::default() };
    assert_eq!(key(&sources_of(path), &LoadOptions { run, ..LoadOptions::default() }), all);

    let mut keys = vec![all, SuiteKey::new(&sources_of(path), &plain, &"other").unwrap()];
    keys.push(key(&sources_of(path), &filtered("small")));
    let (mut limited, mut strict, mut of_format) = (plain.clone(), plain.clone(), plain.clone());
    limited.file.limits.steps += 1;
    strict.file.read.strictness = Strictness::Strict;
    of_format.file.format = formats::by_name("minic89");
    for options in [limited, strict, of_format] {
        keys.push(key(&sources_of(path), &options));
    }
    place.write("other.json", &fs::read_to_string(at_root(ADD)).unwrap());
    keys.push(key(&sources_of(path), &plain));
    keys.push(key(&sources_of(path.join("other.json")), &plain));
    for (number, key) in keys.iter().enumerate() {
        assert!(!keys[..number].contains(key), "{number}");
    }
}

/// A case that names another file is as it is, and so is that file.
#[test]
fn a_changed_file_that_a_case_names_is_judged_again() {
    let place = Place::new();
    let named = r#"{"name": "named", "instructions": {"file": "three.asm"}, "registers": {}, "expect": {"stop": "yield", "registers": {"r0": 3}}}"#;
    place.write("sum.json", &format!("{{\"machine\": \"tinyvm\", \"tests\": [{named}]}}"));
    let taken = || place.taken(&["sum.json", "--most", "3"]);
    place.write("three.asm", "lw r0, 3\nyield\n");
    assert_eq!([taken(), taken()], [(0, 3), (3, 3)]);
    place.write("three.asm", "nop\nlw r0, 3\nyield\n");
    assert_eq!([taken(), taken()], [(0, 3), (3, 3)]);
}

#[test]
fn a_damaged_entry_is_not_used() {
    let place = Place::with_add();
    let args = ["add.json", "--only", "evm/ADD/", "--cached"];
    let first = place.mutants(&args);
    let [file] = &place.files()[..] else { panic!("{:?}", place.files()) };
    let whole = fs::read_to_string(file).unwrap();
    let lines: Vec<_> = whole.split_inclusive('\n').collect();
    let lie = whole.replace("\"killed\"", "\"survived\"");
    // Without its last line, it looks like an entry of fewer faults.
    for damaged in ["", &whole[..whole.len() - 1], &lines[..lines.len() - 1].concat(), &lie] {
        assert_ne!(damaged, whole);
        fs::write(file, damaged).unwrap();
        let again = place.mutants(&args);
        assert_eq!((again.exit, &again.stdout, taken(&again)), (first.exit, &first.stdout, Some((0, 25))));
        assert!(again.stderr.contains("it is ignored and will be replaced"), "{}", again.stderr);
        assert_eq!(fs::read_to_string(file).unwrap(), whole);
    }
}

/// A stream can be read only once: its faults are judged, and nothing is kept.
#[cfg(unix)]
#[test]
fn the_faults_of_a_stream_are_judged() {
    let place = Place::new();
    let mut command = command(&["mutants", "/dev/stdin", "--only", "evm/ADD/zero", "--cached"]);
    command.env("VMCONF_CACHE", place.cache.path()).stdin(Stdio::piped());
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    process.stdin.take().unwrap().write_all(&fs::read(at_root(ADD)).unwrap()).unwrap();
    let ran = ran(process.wait_with_output().unwrap());
    assert_eq!((ran.exit, place.files().len()), (0, 0));
    assert_eq!(ran.stderr, "note: --cached: a stream can be read only once; nothing is kept\n");
    assert!(ran.stdout.contains("1 of 1 fault noticed by 5 cases"), "{}", ran.stdout);
}

/// The program that a fault is noticed by is the same, from the cache or not.
#[test]
fn programs_are_written_from_the_cache() {
    let place = Place::with_add();
    let written = |folder: &str| {
        let args = ["add.json", "--only", "evm/ADD/", "--cached", "--write", folder];
        place.mutants(&args);
        let entries = fs::read_dir(place.vectors.path().join(folder)).unwrap();
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.iter().map(|file| fs::read_to_string(file).unwrap()).collect::<Vec<_>>()
    };
    let first = written("one");
    assert!(!first.is_empty());
    assert_eq!(written("two"), first);
}

fn some_faults() -> (Vec<PlantedFault>, KnownFaults, ProgramKey, SuiteKey) {
    let sources = sources_of(ADD);
    let options = LoadOptions::default();
    let suite = VectorSuite::read(&sources, &options, RecordedDetail::Codes, &|_| true);
    let faults = faults_of(by_name("evm").unwrap())[..20].to_vec();
    let how = MutantsOptions { jobs: 1, work: 10_000, programs: 0, interrupt: Interrupt::default() };
    let mut known = KnownFaults::of(&suite);
    known.add(judge(&faults, &suite, &how));
    let program = ProgramKey::of(&b"one"[..]).unwrap();
    (faults, known, program, SuiteKey::new(&sources, &options, &"").unwrap())
}

/// Faults whose judgement was interrupted are missing.
#[test]
fn an_interrupted_run_judges_nothing_more() {
    let (faults, ..) = some_faults();
    let suite =
        VectorSuite::read(&sources_of(ADD), &LoadOptions::default(), RecordedDetail::Codes, &|_| true);
    let how = MutantsOptions { jobs: 2, work: 10_000, programs: 0, interrupt: Interrupt::default() };
    how.interrupt.request();
    assert!(judge(&faults, &suite, &how).is_empty());
}

proptest! {
    #![proptest_config(config(64))]

    /// A text with one byte that is another, or cut off, is not read; nor is that of another program or suite.
    #[test]
    fn a_damaged_text_adds_no_results(at: prop::sample::Index, byte: u8) {
        let (faults, known, program, suite) = some_faults();
        let text = known.text(&program, &suite);
        let read = |text: &str| KnownFaults::read(text, &program, &suite);
        let again = read(&text);
        prop_assert_eq!(again.as_ref(), Ok(&known));
        prop_assert!(again.unwrap().missing(&faults).is_empty());
        let at = at.index(text.len());
        let mut damaged = text.clone().into_bytes();
        damaged[at] = byte;
        let damaged = String::from_utf8_lossy(&damaged);
        prop_assert!(damaged == text || read(&damaged).is_err());
        prop_assert!(read(&text[..at]).is_err());
        let other = ProgramKey::of(&b"two"[..]).unwrap();
        prop_assert!(KnownFaults::read(&text, &other, &suite).is_err());
        let other = SuiteKey::new(&sources_of(ADD), &LoadOptions::default(), &"other").unwrap();
        prop_assert!(KnownFaults::read(&text, &program, &other).is_err());
    }
}
