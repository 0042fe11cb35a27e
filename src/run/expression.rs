//! The language of `-E`, which selects cases: predicates with `and`, `or`, `not` and
//! parentheses.
//!
//! Predicates are rows of [`PREDICATES`]. The name and the format of a case are evaluated first; a case is
//! read only if they do not decide, and executed only if the vector does not decide either.

mod case_info;
mod display;
mod expr;
mod given;
mod parse;
mod predicates;

pub use case_info::{CaseInfo, Outcomes, PredicateCost};
pub use expr::{Expr, ExprSelection, PredicateTerm};
pub use parse::{MAX_NESTED, SyntaxError};
pub use predicates::{PREDICATES, Predicate, help};
