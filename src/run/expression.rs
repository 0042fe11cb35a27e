//! The language of `-E`, which selects cases: predicates with `and`, `or`, `not` and
//! parentheses.
//!
//! Predicates are rows of [`PREDICATES`]. What the name of a case and its format say is asked first;
//! a case is read only where that does not decide, and executed only where the vector does not either.

mod case_info;
mod display;
mod expr;
mod parse;
mod predicates;

pub use case_info::{CaseInfo, Cost, Outcomes};
pub use expr::{Expr, Selection, Term};
pub use parse::{MOST_NESTED, SyntaxError};
pub use predicates::{PREDICATES, Predicate, help};
