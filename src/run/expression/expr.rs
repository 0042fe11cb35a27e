//! Expressions and their evaluation.

use std::sync::Arc;

use super::case_info::{COSTS, CaseInfo, ExpressionCase, Outcomes, PredicateCost};
use super::predicates::{Argument, CAUSE, Matcher, PATH, Predicate, VERDICT};
use crate::model::CaseId;

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// The predicate holds.
    Is(PredicateTerm),
    /// The inner expression does not hold.
    Not(Box<Expr>),
    /// All of these hold; there are at least two.
    All(Vec<Expr>),
    /// At least one of these holds; there are at least two.
    Any(Vec<Expr>),
}

/// A predicate with its argument.
#[derive(Debug, Clone)]
pub struct PredicateTerm {
    pub(super) predicate: &'static Predicate,
    pub(super) argument: Argument,
    pub(super) matcher: Matcher,
}

impl PartialEq for PredicateTerm {
    fn eq(&self, other: &PredicateTerm) -> bool {
        (self.predicate.name, &self.argument) == (other.predicate.name, &other.argument)
    }
}

/// An expression, with the data it needs that are in no vector.
#[derive(Debug, Clone)]
pub struct ExprSelection {
    /// The expression.
    pub expr: Expr,
    /// What is known from the last run; empty if the expression does not use it.
    pub last: Arc<Outcomes>,
}

impl ExprSelection {
    /// Whether the case is selected. For a case that cannot be read or executed, predicates that need this
    /// are false.
    pub fn selects(&self, info: &dyn CaseInfo) -> bool {
        let asked = ExpressionCase::new(info, &self.last);
        let value = |cost: &PredicateCost| {
            let is_known = |term: &PredicateTerm| term.predicate.cost <= *cost;
            self.expr.value(&|term| is_known(term).then(|| (term.predicate.holds)(&term.matcher, &asked)))
        };
        COSTS.iter().find_map(value).unwrap_or(false)
    }

    /// Whether a file that is broken for this cause might have selected cases. Only its path, the cause and its
    /// verdict in the last run are known.
    pub fn may_select(&self, file: &CaseId, cause: &str) -> bool {
        let verdicts = self.last.verdicts.get(&file.to_string());
        let known = |term: &PredicateTerm| match term.predicate.name {
            PATH => Some(term.matcher.matches(&file.file)),
            CAUSE => Some(term.matcher.matches(cause)),
            VERDICT => verdicts.map(|all| all.iter().any(|verdict| term.matcher.matches(verdict))),
            _ => None,
        };
        self.expr.value(&known) != Some(false)
    }
}

impl Expr {
    /// Whether the expression holds; `None` if that depends on predicates for which `known` returns `None`.
    fn value(&self, known: &dyn Fn(&PredicateTerm) -> Option<bool>) -> Option<bool> {
        match self {
            Expr::Is(term) => known(term),
            Expr::Not(inner) => inner.value(known).map(|value| !value),
            Expr::All(parts) => decided(parts.iter().map(|part| part.value(known)), false),
            Expr::Any(parts) => decided(parts.iter().map(|part| part.value(known)), true),
        }
    }

    /// An expression that holds if one of these does; `None` if there are none.
    pub fn any(parts: Vec<Expr>) -> Option<Expr> {
        (!parts.is_empty()).then(|| one_or(parts, Expr::Any))
    }

    /// An expression that holds if all of these do; `None` if there are none.
    pub fn all(parts: Vec<Expr>) -> Option<Expr> {
        (!parts.is_empty()).then(|| one_or(parts, Expr::All))
    }

    /// All predicates with their arguments, in order.
    pub fn terms(&self) -> Vec<&PredicateTerm> {
        match self {
            Expr::Is(term) => vec![term],
            Expr::Not(inner) => inner.terms(),
            Expr::All(parts) | Expr::Any(parts) => parts.iter().flat_map(Expr::terms).collect(),
        }
    }

    /// Whether it uses the verdicts of the last run.
    pub fn asks_for_last_run(&self) -> bool {
        self.asks_for(VERDICT)
    }

    /// Whether it uses the last run if one is recorded: its suspects have causes of their own.
    pub fn may_ask_for_last_run(&self) -> bool {
        self.asks_for(CAUSE)
    }

    fn asks_for(&self, predicate: &str) -> bool {
        self.terms().iter().any(|term| term.predicate.name == predicate)
    }
}

/// Combines parts, of which one that is `deciding` suffices; `None` if an unknown part could change the
/// result.
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

/// The only part of a list of one, or the whole list as an expression.
pub(super) fn one_or(mut parts: Vec<Expr>, list: fn(Vec<Expr>) -> Expr) -> Expr {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            list(parts)
        }
        None => list(parts),
    }
}
