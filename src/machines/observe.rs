//! The state of a machine as others see it.

use crate::model::value::Value;

/// The observable state of a machine, asked for one field at a time.
pub trait Observe {
    /// Whether the machine declares this field.
    fn has_field(&self, field: &str) -> bool;

    /// The field's value now; none when it has none in this state.
    fn observe(&self, field: &str) -> Option<Value>;
}
