//! `vmconf explore --vm`: a machine with a planted fault beside the embedded one opens at the step that goes wrong.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::{caught, faulty, only_states, visible_faults};
use crate::support::golden;
use vmconf::explain::bisect::{self, OnVm};
use vmconf::explain::explore::beside::{ComparedSide, PairedExplorer};
use vmconf::explain::explore::{self, Explorer, ExplorerKey, screen};
use vmconf::explain::playback::VmRun;
use vmconf::machines::of_this_crate;
use vmconf::model::limits::Limits;
use vmconf::prove::mutants::evenly;
use vmconf::prove::mutants::fault::RowFault;
use vmconf::prove::mutants::faulty::Faulty;
use vmconf::run::RunOptions;
use vmconf::testees::server::Server;

/// The number of faults of each machine.
const PLANTED: usize = 6;

/// The machine of this crate beside one with the fault, on a case that notices it; `None` if there is none.
fn beside(fault: RowFault, reports: fn(&mut Server)) -> Option<PairedExplorer> {
    let case = caught(fault, &faulty(fault))?;
    let (info, limits) = (fault.machine, case.file.options().limits.clone());
    let opened = explore::open(case.file, case.index, &RunOptions::default()).ok()?;
    let id = opened.id.clone();
    let case = case.file.case(case.index)?.read().ok()?.case?;
    let served = || {
        let make = move |limits: &Limits| Box::new(Faulty::new(fault, limits, Arc::default())) as Box<_>;
        let mut server = Server::with(info, make);
        reports(&mut server);
        OnVm::served(server, info, &case).unwrap().limited(&limits)
    };
    let run = VmRun::new(served(), info.isa).unwrap();
    let mut one = OnVm::embedded(info, &case).unwrap().limited(&limits);
    let found = bisect::compare_runs(&mut one, &mut served(), info.isa).unwrap().difference?;
    let (first, of_steps) = (run.step_of(found.at), run.case(&case));
    let run = Rc::new(RefCell::new(run));
    let played = explore::open_played(id.clone(), &of_steps, run.clone(), Vec::new()).unwrap();
    let explorer = |recording, assertions| {
        Explorer::new(recording, format!("{} {id}", info.name), assertions, Vec::new())
    };
    let own = explorer(opened.recording, opened.assertions);
    let own = ComparedSide { explorer: own, name: "embedded".to_owned(), run: None, isa: info.isa };
    let other = explorer(played.recording, played.assertions);
    let other = ComparedSide { explorer: other, name: "faulty".to_owned(), run: Some(run), isa: info.isa };
    Some(PairedExplorer::new([own, other], Some(first)))
}

fn screen_of(pair: &mut PairedExplorer) -> String {
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    terminal.draw(|frame| screen::paint_pair(pair, frame)).unwrap();
    terminal.backend().to_string()
}

/// Whatever the machine reports: its instructions and states, or states alone.
#[test]
fn it_opens_at_the_step_that_goes_wrong() {
    let mut screens = Vec::new();
    for machine in of_this_crate() {
        let mut planted = 0;
        for fault in evenly(&visible_faults(machine), 4 * PLANTED) {
            let reports: fn(&mut Server) = if planted % 2 == 0 { |_| {} } else { only_states };
            let Some(mut pair) = beside(fault, reports) else { continue };
            planted += 1;
            assert!(!pair.differs().is_empty(), "{fault}: {}", screen_of(&mut pair));
            if planted == 1 {
                screens.push(format!("{}: {fault}\n{}\n", machine.name, screen_of(&mut pair)));
            }
            let step = pair.step();
            press(&mut pair, 'b');
            assert_eq!(pair.step(), step - 1, "{fault}");
            for side in pair.sides() {
                assert_eq!(side.explorer.recording().now().step(), step - 1, "{fault}");
            }
            let next = pair.sides()[0].explorer.recording().machine().next().unwrap();
            assert_eq!(next.op.map(|op| op.name), Some(fault.op.name), "{fault}");
            assert!(pair.differs().is_empty(), "{fault}: {}", screen_of(&mut pair));
            press(&mut pair, 'd');
            assert_eq!(pair.step(), step, "{fault}");
            if planted == PLANTED {
                break;
            }
        }
        assert_eq!(planted, PLANTED, "{}", machine.name);
    }
    golden::file("explore-beside-faults", &screens.concat());
}

fn press(pair: &mut PairedExplorer, key: char) {
    pair.press(ExplorerKey::Char(key), &mut |_| true);
}
