//! The number of instructions of a run does not depend on what a machine in another process reports.

use std::path::PathBuf;

use vmconf::explain::bisect::OnVm;
use vmconf::explain::playback::VmRun;
use vmconf::machines::by_name;
use vmconf::model::{Action, Case};
use vmconf::run::anchor::Anchor;
use vmconf::run::{self, LoadOptions, sources};
use vmconf::testees::server::Server;

use crate::support::at_root;

/// The number of instructions of each step of a case, on a machine that counts its instructions, or only has states.
fn counted(case: &Case, reports: fn(&mut Server)) -> Vec<Action> {
    let info = by_name(case.machine).unwrap();
    let mut server = Server::new(info);
    reports(&mut server);
    let run = VmRun::new(OnVm::served(server, info, case).unwrap(), info.isa).unwrap();
    run.case(case).steps.into_iter().flat_map(|step| step.actions).collect()
}

#[test]
fn states_give_the_same_numbers_as_digests() {
    let folders: Vec<PathBuf> = ["vectors/neo2/debugger", "vectors/neo3/debugger"].map(at_root).into();
    let anchor = Anchor::at(&at_root(".")).unwrap();
    let options = LoadOptions::default();
    let mut kinds = [0; 3];
    for source in &sources::find(&folders, &anchor).unwrap().sources {
        let file = run::open(&source, &options);
        for index in 0..file.cases() {
            let Some(case) = file.case(index).and_then(|loaded| loaded.read().ok()?.case) else { continue };
            let actions = || case.steps.iter().flat_map(|step| &step.actions);
            if actions().any(|action| matches!(action, Action::Set(_))) {
                continue;
            }
            let expected = counted(&case, |_| {});
            // By its states, a run that ends before its first instruction is one of one instruction.
            if expected.iter().all(|action| *action == Action::Run(0)) {
                continue;
            }
            let by_states = counted(&case, |server| server.offer.requests.clear());
            assert_eq!(by_states, expected, "{}, case {index}", source.shown);
            for action in actions() {
                match action {
                    Action::StepInto => kinds[0] += 1,
                    Action::StepOver => kinds[1] += 1,
                    Action::StepOut => kinds[2] += 1,
                    _ => {}
                }
            }
        }
    }
    assert!(kinds.iter().all(|count| *count > 5), "{kinds:?}");
}
