//! Writes a declaration from vectors: where the cases lie, what is given and demanded, and of which types.
//!
//! | file | content |
//! |---|---|
//! | `layout.rs` | where the cases lie in a file, and which data of a case belong together |
//! | `members.rs` | the values of each field, before and after |
//! | `listed_cells.rs` | what the cases say about cells that they do not list after |
//! | `observed.rs` | what the values of a datum have in common |
//! | `observed_memory.rs` | the same of memories |
//! | `observed_numbers.rs` | the same of whole numbers |
//! | `guess.rs` | from that to a type, with doubts |
//! | `written.rs` | the declaration as text |

mod guess;
mod layout;
mod listed_cells;
mod members;
mod observed;
mod observed_memory;
mod observed_numbers;
mod written;

use self::guess::NumberWidths;
use self::layout::CaseLayout;
use self::members::Members;
use super::declaration::Declaration;
use crate::text::json::Document;

/// The maximum number of cases that are looked at.
const MAX_CASES: usize = 100_000;

/// A declaration that was written from vectors.
#[derive(Debug)]
pub struct InferredFamily {
    /// Its text, with a comment at each doubt.
    pub text: String,
    /// Which parts of the vectors it ignores, as sentences.
    pub notes: Vec<String>,
}

/// A declaration that reads these files. Flags are numbers. An error says why the files are no vectors with a state
/// before and a state after.
pub fn infer(machine: &str, documents: &[Document]) -> Result<InferredFamily, String> {
    let layout = CaseLayout::find(documents.iter().map(Document::root))?;
    let mut members = Members::default();
    let mut found = 0;
    for node in documents.iter().flat_map(|document| layout.cases_of(document.root())) {
        found += 1;
        if found <= MAX_CASES {
            members.add(&layout, node);
        }
    }
    if members.fields.values().all(|member| member.demanded == 0) {
        return Err("no case demands anything: the states after are empty".to_owned());
    }
    let widths = NumberWidths::of(members.fields.values().map(|member| &member.values));
    let text = written::declaration(machine, &layout, &members, widths);
    let only =
        (found > MAX_CASES).then(|| format!("only the first {MAX_CASES} of {found} cases are looked at"));
    let notes = layout.half_cases().into_iter().chain(only).collect();
    match Declaration::parse(&text) {
        Ok(_) => Ok(InferredFamily { text, notes }),
        Err(faults) => {
            let faults: Vec<_> = faults.iter().map(|fault| fault.located("the declaration")).collect();
            Err(format!("the cases have data that a declaration cannot name: {}", faults.join("; ")))
        }
    }
}
