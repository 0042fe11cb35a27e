//! The embedded machines through `vmconf serve`.

use std::time::Duration;

use vmconf::machines::MACHINES;
use vmconf::model::event::Event;
use vmconf::model::limits::Limits;
use vmconf::model::verdict::Verdict;
use vmconf::run::{self, FileOptions, LoadOptions, RunOptions};
use vmconf::testees::MakeTestee;
use vmconf::testees::process::TesteeCommand;

use super::{command, start};
use crate::support::{at_root, sources_of};

/// The verdicts on all cases of a machine, without what only the embedded machine knows: the names that the source
/// of a program gives its data.
fn verdicts(machine: &str, folder: &str, testee: MakeTestee) -> Vec<(String, Verdict)> {
    let run = RunOptions { testee, jobs: 2, ..RunOptions::default() };
    // Endless samples reach a limit before a time-out.
    let limits = Limits { steps: 1_000_000, ..Limits::default() };
    let file = FileOptions { limits, ..FileOptions::default() };
    let mut verdicts = Vec::new();
    run::run(&sources_of(folder), &LoadOptions { run, file, ..LoadOptions::default() }, &mut |event| {
        let Event::Finished(mut report) = event else { return };
        if let Verdict::Fail(failure) = &mut report.verdict {
            failure.differences.iter_mut().for_each(|difference| difference.note = None);
            failure.instructions = None;
        }
        if report.machine.as_deref() == Some(machine) {
            verdicts.push((report.id.to_string(), report.verdict));
        }
    });
    verdicts
}

#[test]
fn machines_behind_the_protocol_get_the_same_verdicts() {
    for info in MACHINES {
        let words = [env!("CARGO_BIN_EXE_vmconf"), "serve", info.name];
        let vm = start(TesteeCommand { timeout: Duration::from_mins(2), ..command(words) }).unwrap();
        let folders = [&*format!("vectors/{}", info.name), "tests/samples"];
        for folder in folders.into_iter().filter(|folder| at_root(folder).exists()) {
            let embedded = verdicts(info.name, folder, MakeTestee::default());
            let served = verdicts(info.name, folder, MakeTestee::in_processes(vm.clone()));
            assert!(embedded.len() > 20 || info.name == "ethereum", "{} of {folder}", info.name);
            assert_eq!(embedded.len(), served.len(), "{folder}");
            for ((id, embedded), (_, served)) in embedded.iter().zip(&served) {
                assert_eq!(embedded, served, "{id}");
            }
        }
    }
}
