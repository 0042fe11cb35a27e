//! The language of `-E`, in which cases are chosen: predicates with `and`, `or`, `not` and
//! parentheses.
//!
//! Predicates are rows of [`PREDICATES`]. What the name of a case and its format tell is asked first;
//! a case is read only where that does not decide, and executed only where the vector does not either.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::formats::Format;
use crate::isa::OpInfo;
use crate::model::case::{Case, CaseId};

mod parse;
mod predicates;

pub use parse::{MOST_NESTED, Misspelled};
pub use predicates::{PREDICATES, Predicate, help};

use predicates::Matcher;

/// An expression that was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A predicate holds.
    Is(Term),
    /// It does not hold.
    Not(Box<Expr>),
    /// All hold; at least two.
    All(Vec<Expr>),
    /// One holds; at least two.
    Any(Vec<Expr>),
}

/// A predicate with its argument.
#[derive(Debug, Clone)]
pub struct Term {
    predicate: &'static Predicate,
    argument: String,
    matcher: Matcher,
}

impl Term {
    /// Which predicate.
    pub fn predicate(&self) -> &'static Predicate {
        self.predicate
    }
}

impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        (self.predicate.name, &self.argument) == (other.predicate.name, &other.argument)
    }
}

/// What came of each case in the last run: [`crate::model::verdict::Verdict::name`] by id.
pub type Outcomes = HashMap<String, String>;

/// An expression, and what it needs to know that is in no vector.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The expression.
    pub expr: Expr,
    /// The last run; empty where the expression does not ask for it.
    pub last: Arc<Outcomes>,
}

/// What can be known of a case, each only when somebody asks.
pub trait Facts {
    /// Its id.
    fn id(&self) -> &CaseId;
    /// Its format.
    fn format(&self) -> &'static Format;
    /// Reads it; none when it is malformed.
    fn read(&self) -> Option<Case>;
    /// Executes it and tells which instructions came.
    fn executed(&self) -> Vec<&'static OpInfo>;
}

/// How much it takes to know whether a predicate holds, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cost {
    /// Nothing: the names and the format of a case tell it.
    Outline,
    /// The case is read.
    Reading,
    /// The case is executed.
    Execution,
}

const COSTS: [Cost; 3] = [Cost::Outline, Cost::Reading, Cost::Execution];

/// The facts of a case that were asked for so far.
struct Known<'f> {
    facts: &'f dyn Facts,
    id: String,
    last: &'f Outcomes,
    case: OnceCell<Option<Case>>,
    executed: OnceCell<Vec<&'static OpInfo>>,
}

impl Known<'_> {
    fn case(&self) -> Option<&Case> {
        self.case.get_or_init(|| self.facts.read()).as_ref()
    }

    fn executed(&self) -> &[&'static OpInfo] {
        self.executed.get_or_init(|| self.facts.executed())
    }
}

impl Selection {
    /// Whether the case is selected. Of one that cannot be read or executed, no predicate holds that
    /// would have needed it.
    pub fn selects(&self, facts: &dyn Facts) -> bool {
        let known = Known {
            facts,
            id: facts.id().to_string(),
            last: &self.last,
            case: OnceCell::new(),
            executed: OnceCell::new(),
        };
        COSTS.iter().find_map(|cost| self.expr.value(*cost, &known)).unwrap_or(false)
    }
}

impl Expr {
    /// Whether it holds, if predicates up to this cost tell that.
    fn value(&self, cost: Cost, known: &Known<'_>) -> Option<bool> {
        match self {
            Expr::Is(term) if term.predicate.cost > cost => None,
            Expr::Is(term) => Some((term.predicate.holds)(&term.matcher, known)),
            Expr::Not(inner) => inner.value(cost, known).map(|value| !value),
            Expr::All(parts) => decided(parts.iter().map(|part| part.value(cost, known)), false),
            Expr::Any(parts) => decided(parts.iter().map(|part| part.value(cost, known)), true),
        }
    }

    /// Its predicates with their arguments, in order.
    pub fn terms(&self) -> Vec<&Term> {
        match self {
            Expr::Is(term) => vec![term],
            Expr::Not(inner) => inner.terms(),
            Expr::All(parts) | Expr::Any(parts) => parts.iter().flat_map(Expr::terms).collect(),
        }
    }

    /// Whether it asks for the last run.
    pub fn asks_for_last_run(&self) -> bool {
        self.terms().iter().any(|term| term.predicate.name == predicates::VERDICT)
    }
}

/// One part that is `deciding` decides, however little is known of the others.
fn decided(parts: impl Iterator<Item = Option<bool>>, deciding: bool) -> Option<bool> {
    let mut all_known = true;
    for part in parts {
        match part {
            Some(value) if value == deciding => return Some(deciding),
            Some(_) => {}
            None => all_known = false,
        }
    }
    all_known.then_some(!deciding)
}

/// As it can be read again, with no more parentheses than that takes.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Is(Term { predicate, argument, .. }) => {
                write!(f, "{}({})", predicate.name, parse::escaped(argument))
            }
            Expr::Not(inner) => {
                f.write_str("not ")?;
                inner.fmt_inside(Binding::Not, f)
            }
            Expr::All(parts) => fmt_list(parts, " and ", Binding::And, f),
            Expr::Any(parts) => fmt_list(parts, " or ", Binding::Or, f),
        }
    }
}

/// How tightly an operator binds, least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
}

impl Expr {
    fn fmt_inside(&self, outer: Binding, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needs_parentheses = match self {
            Expr::Is(_) | Expr::Not(_) => false,
            Expr::All(_) => outer >= Binding::And,
            Expr::Any(_) => true,
        };
        if needs_parentheses { write!(f, "({self})") } else { write!(f, "{self}") }
    }
}

fn fmt_list(parts: &[Expr], between: &str, binding: Binding, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        part.fmt_inside(binding, f)?;
    }
    Ok(())
}
