//! After which instruction a machine in another process first differs from the embedded one, if it reports its steps.

use std::collections::{HashMap, HashSet};

use crate::explain::{divergence, reports_steps};
use crate::isa::{DeclaredEffect, OpInfo};
use crate::machines::by_name;
use crate::model::explanation::FirstDivergence;
use crate::model::verdict::DifferenceKind;
use crate::run::sources::Sources;
use crate::run::{self, LoadOptions, VerdictOf};

/// Asks for the steps of these cases, by their ids. An instruction that depends on more than the steps show is left out:
/// what is wrong there may be the work of an earlier one.
pub(super) fn diverging(
    sources: &Sources,
    options: &LoadOptions,
    wanted: &HashSet<&str>,
    verdict: VerdictOf<'_>,
) -> HashMap<String, &'static str> {
    let mut found = HashMap::new();
    let files: HashSet<&str> = wanted.iter().map(|id| id.split_once("::").map_or(*id, |it| it.0)).collect();
    for source in sources.iter().filter(|source| files.contains(&*source.shown)) {
        let file = run::open(&source, options);
        for loaded in (0..file.cases()).filter_map(|index| file.case(index)) {
            if options.run.interrupt.is_requested() {
                return found;
            }
            let id = loaded.id.to_string();
            // A machine that crashed or did not end would do so again.
            if !wanted.contains(&*id) || verdict(&loaded.id) != Some(DifferenceKind::Fail) {
                continue;
            }
            let case = loaded.read().ok().and_then(|reading| reading.case);
            let case = case.filter(|case| reports_steps(case, &options.run));
            let op = case.and_then(|case| {
                let first = divergence(&case, &options.run).filter(is_shown)?;
                by_name(case.machine)?.isa.by_name(&first.instruction?.1)
            });
            if let Some(op) = op.filter(|op| is_visible(op)) {
                found.insert(id, op.name);
            }
        }
    }
    found
}

/// Whether the instruction before shows what is wrong: a run may end for what steps do not show, and other code at the same
/// place is no instruction's work.
fn is_shown(first: &FirstDivergence) -> bool {
    let differs = |name: &str| first.differs.iter().any(|(other, _)| other == name);
    !first.is_end() && !first.differs.is_empty() && (differs("pc") || !differs("op"))
}

/// Whether steps show all that an instruction depends on: the top of the stack.
fn is_visible(op: &OpInfo) -> bool {
    op.effects.iter().all(|effect| match effect {
        DeclaredEffect::Reads(_) | DeclaredEffect::Needs(_) | DeclaredEffect::JumpsTo => false,
        DeclaredEffect::Writes(_)
        | DeclaredEffect::Jumps
        | DeclaredEffect::Takes
        | DeclaredEffect::Leaves => true,
    })
}
