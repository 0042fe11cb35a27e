//! Formats expressions as text.

use std::fmt;

use super::expr::{Expr, PredicateTerm};
use super::predicates::Argument;

/// Writes text that parses to the same expression, with as few parentheses as possible.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Is(PredicateTerm { predicate, argument, .. }) => {
                write!(f, "{}({})", predicate.name, escaped(argument))
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

/// The precedence of operators, lowest first.
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

/// An argument with the quotes and escapes that the parser needs.
fn escaped(argument: &Argument) -> String {
    let argument = match argument {
        Argument::Plain(text) => text,
        Argument::Quoted(text) => return quoted(text),
    };
    let first = argument.len() - argument.trim_start().len();
    let last = argument.trim_end().len();
    let mut escaped = String::with_capacity(argument.len());
    for (at, character) in argument.char_indices() {
        if matches!(character, ')' | '\\') || (character, at) == ('"', 0) || at < first || at >= last {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// A text as an argument in quotes, which matches only this text.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
