//! The published suites. When `VMCONF_SUITES` names a folder that has them, one sub-folder per
//! machine, every case of each machine that it has passes.

#![allow(clippy::print_stderr, reason = "a test that does nothing says so")]

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::skip::{skip, suites};
use crate::support::sources_of;
use vmconf::machines::MACHINES;
use vmconf::model::{Event, RunSummary, Verdict};
use vmconf::run::sources::VectorSource;
use vmconf::run::{self, LoadOptions, RunOptions};

/// The suites of each machine and how many cases they have.
const SUITES: &[(&str, &[(&str, u64)])] = &[
    ("evm", &[("vmtests-2017", 432), ("vmtests-2018", 426), ("vmtests-2019", 388)]),
    ("neo3", &[("OpCodes", 494), ("Others", 25)]),
    ("neo2", &[("OpCodes", 176), ("Others", 5)]),
    (
        "ethereum",
        &[
            ("eest-5.4.0", 2885),
            ("legacy-cancun", 3754),
            ("legacy-constantinople", 7066),
            ("tests-2024", 5664),
        ],
    ),
    // Nobody publishes any.
    ("tinyvm", &[]),
    ("minic89", &[]),
];

/// Files that take as long as all others together, and reach the default limit on steps.
const LONG: &[&str] = &["loopMul.json"];

/// What these suites have and no machine compares.
const NOTES: &[&str] = &[
    "unknown member \"arguments\" of result is ignored",
    "unknown member \"evaluationStack\" of result is ignored",
];

#[test]
fn published_suites_pass() {
    let Some(folder) = suites() else { return };
    for machine in MACHINES {
        let of_machine = SUITES.iter().find(|suites| suites.0 == machine.name);
        let (_, suites) = of_machine.unwrap_or_else(|| panic!("no suites of {} are counted", machine.name));
        if suites.is_empty() {
            continue;
        }
        let entries = std::fs::read_dir(folder.join(machine.name)).unwrap();
        let there: BTreeSet<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(
            there,
            suites.iter().map(|suite| suite.0.to_owned()).collect(),
            "suites of {}",
            machine.name
        );
        for (suite, cases) in *suites {
            assert_eq!(passed(&folder.join(machine.name).join(suite)), *cases, "cases of {suite}");
        }
    }
}

/// How many cases of a folder pass; all do.
fn passed(folder: &Path) -> u64 {
    let options =
        LoadOptions { run: RunOptions { jobs: 2, ..RunOptions::default() }, ..LoadOptions::default() };
    let is_short = |source: &VectorSource| {
        let long = LONG.iter().find(|long| source.shown.ends_with(**long));
        long.inspect(|long| skip(&format!("{long} takes as long as all others"))).is_none()
    };
    let sources = sources_of(folder).iter().filter(is_short).collect();
    let RunSummary { passed, failed, errors, skipped, .. } =
        run::run(&sources, &options, &mut |event| match event {
            Event::Finished(report) if report.verdict != Verdict::Pass => {
                eprintln!("{}: {:?}", report.id, report.verdict);
            }
            Event::Note { file, diagnostic } => {
                assert!(NOTES.contains(&&*diagnostic.what), "{file}: {}", diagnostic.what);
            }
            _ => {}
        });
    assert_eq!((failed, errors, skipped), (0, 0, 0), "{}", folder.display());
    passed
}
