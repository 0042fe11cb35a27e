//! `--output` of the commands that print text or JSON.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use vmconf::model::Renderer;

/// One of these output forms.
pub(super) fn forms<New: Send + Sync>(
    rows: &'static [Renderer<New>],
) -> impl TypedValueParser<Value = &'static Renderer<New>> {
    let values = rows.iter().map(|row| PossibleValue::new(row.name).help(row.doc));
    PossibleValuesParser::new(values)
        .try_map(move |name| Renderer::by_name(rows, &name).ok_or("no such output form"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OutputForm {
    /// For people
    Text,
    /// For programs, one object a line
    Json,
}
