//! Expressions and their values.

use std::sync::Arc;

use super::case_info::{Asked, COSTS, CaseInfo, Cost, Outcomes};
use super::predicates::{Matcher, Predicate, VERDICT};

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
    pub(super) predicate: &'static Predicate,
    pub(super) argument: String,
    pub(super) matcher: Matcher,
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

/// An expression, and what it needs to know that is in no vector.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The expression.
    pub expr: Expr,
    /// The last run; empty where the expression does not ask for it.
    pub last: Arc<Outcomes>,
}

impl Selection {
    /// Whether the case is selected. Of one that cannot be read or executed, no predicate holds that
    /// would have needed it.
    pub fn selects(&self, info: &dyn CaseInfo) -> bool {
        let asked = Asked::new(info, &self.last);
        COSTS.iter().find_map(|cost| self.expr.value(*cost, &asked)).unwrap_or(false)
    }
}

impl Expr {
    /// Whether it holds, if predicates up to this cost decide that.
    fn value(&self, cost: Cost, asked: &Asked<'_>) -> Option<bool> {
        match self {
            Expr::Is(term) if term.predicate.cost > cost => None,
            Expr::Is(term) => Some((term.predicate.holds)(&term.matcher, asked)),
            Expr::Not(inner) => inner.value(cost, asked).map(|value| !value),
            Expr::All(parts) => decided(parts.iter().map(|part| part.value(cost, asked)), false),
            Expr::Any(parts) => decided(parts.iter().map(|part| part.value(cost, asked)), true),
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
        self.terms().iter().any(|term| term.predicate.name == VERDICT)
    }
}

/// One part that is `deciding` decides, even where the others are unknown.
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
