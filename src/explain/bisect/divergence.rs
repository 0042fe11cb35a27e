//! Where two runs of one program diverge.

use crate::model::Value;
use crate::model::explanation::{END, OP};
use crate::wire::eip3155::{Eip3155Step, TraceMembers};

/// The number of steps if two traces do not differ, otherwise where they diverge.
pub type Compared = Result<u64, Box<Divergence>>;

/// Where two runs diverge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// The number, from 1, of the last step that begins with the same state in both; 0 if the first states differ.
    pub step: u64,
    /// That step, whose instruction causes the difference; `None` if the first states differ.
    pub last: Option<Eip3155Step>,
    /// The names of the data that differ after it; only the instruction if that is what differs in it.
    pub differs: Vec<&'static str>,
    /// What follows in each run, or that step in each if only its instruction differs.
    pub next: [NextInstruction; 2],
}

impl Divergence {
    /// Where two runs diverge whose last common step has this number: after it, or in the next step if that is another
    /// instruction in the same state.
    pub(super) fn after(
        step: u64,
        last: Option<Eip3155Step>,
        differs: Vec<&'static str>,
        next: [NextInstruction; 2],
    ) -> Divergence {
        let decoded = decoded(&differs, &next).map(|steps| steps[0].clone());
        match decoded {
            // The same state, in which the runs execute different instructions: the step before it did nothing wrong.
            Some(common) => Divergence { step: step + 1, last: Some(common), differs, next },
            None => Divergence { step, last, differs, next },
        }
    }
}

/// The step in each run if only its instruction differs.
pub(super) fn decoded<'n>(differs: &[&str], next: &'n [NextInstruction; 2]) -> Option<[&'n Eip3155Step; 2]> {
    match next {
        [NextInstruction::Step(one), NextInstruction::Step(other)] if *differs == [OP] => Some([one, other]),
        _ => None,
    }
}

/// What follows the last common step of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextInstruction {
    /// Another step.
    Step(Eip3155Step),
    /// The end, with what the trace says about it; empty if it says nothing.
    End(TraceMembers),
}

impl NextInstruction {
    /// A datum of the state or of the end.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members().iter().find(|member| member.0 == name).map(|member| &member.1)
    }

    /// The names of the data that only one of the runs reports, with the index of the one that does not: 0 for `self`.
    pub(super) fn lacking(&self, other: &NextInstruction) -> impl Iterator<Item = (&'static str, usize)> {
        let of = |one: &NextInstruction, other: &NextInstruction, lack| -> Vec<_> {
            let only = one.names().filter(|name| other.get(name).is_none());
            only.map(|name| (name, lack)).collect()
        };
        let is_alike = self.names().eq(other.names());
        let only = if is_alike { Vec::new() } else { [of(self, other, 1), of(other, self, 0)].concat() };
        only.into_iter()
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.members().iter().map(|member| member.0)
    }

    /// The data of the state or of the end.
    fn members(&self) -> &TraceMembers {
        let (NextInstruction::Step(Eip3155Step { state: members, .. }) | NextInstruction::End(members)) =
            self;
        members
    }

    /// The names of the data that differ, among those that both runs report.
    pub(super) fn differences(&self, other: &NextInstruction) -> Vec<&'static str> {
        match (self, other) {
            (NextInstruction::Step(Eip3155Step { state: members, .. }), NextInstruction::Step(_))
            | (NextInstruction::End(members), NextInstruction::End(_)) => {
                let differs = |(name, value): &(&'static str, Value)| {
                    other.get(name).is_some_and(|other| other != value).then_some(*name)
                };
                members.iter().filter_map(differs).collect()
            }
            (NextInstruction::Step(_), NextInstruction::End(_))
            | (NextInstruction::End(_), NextInstruction::Step(_)) => vec![END],
        }
    }
}
