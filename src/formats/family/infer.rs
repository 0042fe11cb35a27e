//! Writes a declaration from vectors: where the cases lie, what is given and demanded, and of which types.
//!
//! | file | content |
//! |---|---|
//! | `layout.rs` | where the cases lie in a file, and which data of a case belong together |
//! | `observed.rs` | what the values of a datum have in common |
//! | `guess.rs` | from that to a type, with doubts |
//! | `written.rs` | the declaration as text |

mod guess;
mod layout;
mod observed;
mod written;

use indexmap::IndexMap;

use self::guess::Widths;
use self::layout::{CaseLayout, PairedData};
use self::observed::ObservedValues;
use super::declaration::Declaration;
use crate::text::json::{Document, JsonNode};

/// The maximum number of cases that are looked at.
const MAX_CASES: usize = 100_000;

/// The text of a declaration that reads these files, with a comment at each doubt. Flags are numbers.
///
/// # Errors
///
/// Why the files are no vectors with a state before and a state after.
pub fn infer(machine: &str, documents: &[Document]) -> Result<String, String> {
    let layout = CaseLayout::find(documents.iter().map(Document::root))?;
    let mut members = Members::default();
    for node in documents.iter().flat_map(|document| layout.cases.each(document.root())).take(MAX_CASES) {
        members.add(&layout, node);
    }
    let widths = Widths::of(members.fields.values().map(|member| &member.values));
    let text = written::declaration(machine, &layout, &members, widths);
    match Declaration::parse(&text) {
        Ok(_) => Ok(text),
        Err(faults) => {
            let faults: Vec<_> = faults.iter().map(|fault| fault.located("the declaration")).collect();
            Err(format!("the cases have data that a declaration cannot name: {}", faults.join("; ")))
        }
    }
}

/// What the cases have.
#[derive(Debug, Default)]
struct Members {
    /// The number of cases.
    cases: u64,
    fields: IndexMap<String, Member>,
}

/// A member of the program or a field of the state.
#[derive(Debug, Default)]
struct Member {
    /// Its values before and after.
    values: ObservedValues,
    /// The number of cases that give it.
    given: u64,
    /// The number of cases that demand it.
    demanded: u64,
}

impl Members {
    fn add(&mut self, layout: &CaseLayout, case: JsonNode<'_>) {
        self.cases += 1;
        for (name, data) in layout.data(case) {
            let member = self.fields.entry(name).or_default();
            match data {
                PairedData::Before(node) => {
                    member.given += 1;
                    member.values.add(node);
                }
                PairedData::After(node) => {
                    member.demanded += 1;
                    member.values.add(node);
                }
            }
        }
    }
}
