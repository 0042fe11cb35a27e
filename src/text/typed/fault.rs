//! Errors of data that are not of their types.

use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin};
use crate::text::json::JsonNode;

/// The error in an item, with the name of the outermost list that has one.
pub(super) fn of_item(mut error: Diagnostic<Origin>, name: &str) -> Diagnostic<Origin> {
    let rest = error.what.strip_prefix("an item");
    let rest = rest.map(|rest| rest.strip_prefix(" of an item").unwrap_or(rest));
    if let Some(rest) = rest.filter(|rest| !rest.starts_with(" of ")) {
        error.what = format!("an item of {name}{rest}");
    }
    error
}

/// A datum of the wrong type.
pub(super) fn wrong(node: JsonNode<'_>, name: &str, expected: &str) -> Diagnostic<Origin> {
    let what = format!("{name} is {}", node.type_name());
    Diagnostic::at(node.at(), what).expected(expected).under(LintRule::WrongType)
}
