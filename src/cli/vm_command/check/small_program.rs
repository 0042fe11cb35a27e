//! A small program for a machine, and what the one of this crate makes of it.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use vmconf::formats::{Inputs, NewVector, made_for};
use vmconf::machines::MachineInfo;
use vmconf::model::Value;
use vmconf::run::LoadOptions;
use vmconf::run::file_options::FileOptions;
use vmconf::testees::process::written;
use vmconf::testees::server::Server;
use vmconf::wire::plain;
use vmconf::wire::protocol::{ObservedState, Offer, ProtocolAnswer, Request, RunRequest, WireStep};

use crate::cli::program::case_of;

/// A small program for a machine, with steps that observe the offered fields.
#[derive(Clone)]
pub(super) struct SmallProgram {
    pub(super) info: &'static MachineInfo,
    pub(super) program: Json,
    pub(super) steps: Vec<WireStep>,
}

impl SmallProgram {
    /// One for a machine of this crate.
    pub(super) fn of(info: &'static MachineInfo, offer: &Offer) -> Option<SmallProgram> {
        let (format, make) = made_for(info.name)?;
        let program = serde_json::from_str(info.sample).ok()?;
        // Other machines lack the forks after it; a machine without forks ignores it.
        let inputs = Inputs { fork: Some("Cancun".to_owned()), ..Inputs::default() };
        let new = NewVector { name: "program", program: &program, inputs: &inputs, state: None };
        let text = (make.make)(&new).ok()?.to_string();
        let file = FileOptions { format: Some(format), ..FileOptions::default() };
        let case = case_of(text, &LoadOptions { file, ..LoadOptions::default() }).ok()?;
        let (program, mut steps) = written(info, &case.program, &case.steps).ok()?;
        for step in &mut steps {
            step.observe.clone_from(&offer.fields);
        }
        Some(SmallProgram { info, program, steps })
    }

    /// Another program with the same steps.
    pub(super) fn with(&self, program: Json) -> SmallProgram {
        SmallProgram { program, ..self.clone() }
    }

    /// The request to run it in these steps.
    pub(super) fn request(&self, id: u64, steps: &[WireStep]) -> Request {
        Request::Run(RunRequest {
            id,
            machine: self.info.name.to_owned(),
            program: self.program.clone(),
            steps: steps.to_vec(),
            limits: BTreeMap::default(),
        })
    }

    /// The states after these steps on the machine of this crate; `None` if it does not run them.
    pub(super) fn ours(&self, steps: &[WireStep]) -> Option<Vec<ObservedState>> {
        match Server::new(self.info).answer_to(self.request(1, steps)) {
            ProtocolAnswer::Done(done) => Some(done.steps),
            _ => None,
        }
    }
}

/// How the value of a field is another one than this crate reports.
pub(super) fn other_value(name: &str, theirs: &Value, ours: &Value) -> Option<String> {
    let differs = theirs.clone().in_order() != ours.clone().in_order();
    differs.then(|| format!("{name} is {theirs}, and the machine of vmconf has {ours}"))
}

/// The first field that is not what this crate reports.
pub(super) fn difference(info: &MachineInfo, theirs: &ObservedState, ours: &ObservedState) -> Option<String> {
    info.fields.iter().find_map(|field| {
        let name = field.name;
        let [theirs, ours] = [theirs, ours].map(|state| state.fields.get(name).cloned());
        match (theirs.map(|it| plain::read(it, &field.shape)), ours.map(|it| plain::read(it, &field.shape))) {
            (Some(Ok(theirs)), Some(Ok(ours))) => other_value(name, &theirs, &ours),
            (Some(Err(wrong)), _) => Some(wrong.inside(name).to_string()),
            (None, Some(_)) => Some(format!("{name} is missing")),
            (Some(_), None) => Some(format!("{name} has a value, and the machine of vmconf has none")),
            (None, None) | (_, Some(Err(_))) => None,
        }
    })
}
