//! The instruction that an explanation says to be wrong.

use std::mem;

use crate::machines;
use crate::model::{BlameAnswer, Explanation};

/// The instruction that is said to be wrong: the one after which the machines first differ, if both report their steps;
/// else the first one that did what its row does not declare, or the one that made the first wrong value.
pub(in crate::hunt) fn named_instruction(explained: &Explanation) -> Option<NamedInstruction> {
    let deviating = || explained.row_deviation.as_ref()?.by.op;
    let executed = diverging_instruction(explained).or_else(deviating);
    let blamed = || {
        explained.blames.iter().find_map(|answer| {
            Some(NamedInstruction { op: answer.blame()?.by.op?, answer: Some(mem::discriminant(answer)) })
        })
    };
    executed.map(|op| NamedInstruction { op, answer: None }).or_else(blamed)
}

/// Why the instruction that is said to be wrong could not be executed, without numbers and other details, which change
/// with the program: `The index of VMArray is out of range`. `None` if it was executed, or none is said to be wrong.
pub(super) fn failure_of_named(explained: &Explanation) -> Option<&str> {
    let deviating = explained.row_deviation.as_ref().map(|deviation| &deviation.by);
    let blamed = || explained.blames.iter().find_map(|answer| Some(&answer.blame()?.by));
    let failure = deviating.or_else(blamed)?.failure.as_deref()?;
    let is_detail = |text: &str| {
        text.starts_with([',', ':', '"', '(']) || text.starts_with(|it: char| it.is_ascii_digit())
    };
    let end = failure.char_indices().map(|(at, _)| at).find(|at| is_detail(&failure[*at..]));
    Some(&failure[..end.unwrap_or(failure.len())])
}

/// The instruction that is said to be wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::hunt) struct NamedInstruction {
    pub(in crate::hunt) op: &'static str,
    /// How it is known: one that wrote the value is another cause than one that could have. `None` if the instruction
    /// itself went wrong.
    answer: Option<mem::Discriminant<BlameAnswer>>,
}

/// The instruction after which the machines first differ, if both report their steps, or that one of them executes as
/// another one. Where more differs before another instruction at the same place, the machines do not execute the same
/// program, and none is to blame before.
pub(in crate::hunt) fn diverging_instruction(explained: &Explanation) -> Option<&'static str> {
    let divergence = explained.divergence.as_ref()?;
    let differs = |name: &str| divergence.differs.iter().any(|it| it.datum == name);
    if divergence.decoded().is_none() && differs("op") && !differs("pc") {
        return None;
    }
    let machine = machines::by_name(explained.report.machine.as_deref()?)?;
    machine.isa.by_name(divergence.op.as_ref()?).map(|op| op.name)
}
