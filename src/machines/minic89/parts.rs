//! What programs of MiniC89 are made of.

use crate::machines::program_parts::OperandKind::{Boundary, Found, Small};
use crate::machines::program_parts::{
    ProgramParts, PushedNumber, RepeatedInstruction, StackFiller, Variables,
};

pub(super) const PARTS: ProgramParts = ProgramParts {
    operands: &[Small, Small, Boundary, Boundary, Found],
    number: |number| Some(with("PUSH_I16", i16::try_from(number).unwrap_or(i16::MIN))),
    copied: |below| (below == 0).then(|| vec![PushedNumber::plain("DUP")]),
    variables: &[Variables { first: &[], stores: &["STORE_LOCAL"], loads: &["LOAD_LOCAL"] }],
    filler: Some(StackFiller { first: &[filler], removes: "POP", last: &[] }),
    ..ProgramParts::EMPTY
};

fn with(instruction: &'static str, argument: i16) -> PushedNumber {
    PushedNumber { instruction, operands: argument.to_le_bytes().to_vec() }
}

/// A loop that pushes several values each time, and pushes of the others.
fn filler(values: usize) -> Vec<RepeatedInstruction> {
    const AT_ONCE: usize = 16;
    /// What the loop needs above the values that it leaves.
    const NEEDED: usize = 2;
    let pushes = |times: usize| RepeatedInstruction { instruction: with("PUSH_I16", 1), times };
    let times = values.saturating_sub(NEEDED) / AT_ONCE;
    let mut filler: Vec<RepeatedInstruction> = Vec::new();
    if let Some(count) = i16::try_from(times).ok().filter(|count| *count > 0) {
        let counts = [with("PUSH_I16", count), with("STORE_LOCAL", 0), PushedNumber::plain("POP")];
        let start = counts.len() as i16;
        filler.extend(counts.map(RepeatedInstruction::from));
        filler.push(pushes(AT_ONCE));
        let down = [with("LOAD_LOCAL", 0), with("PUSH_I16", 1), PushedNumber::plain("SUB")];
        filler.extend(down.map(RepeatedInstruction::from));
        filler.extend([with("STORE_LOCAL", 0), with("JNZ", start)].map(RepeatedInstruction::from));
    }
    filler.push(pushes(values - times * AT_ONCE));
    filler
}
