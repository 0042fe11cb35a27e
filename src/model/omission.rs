//! Which members JSON may leave out.

/// Whether this is the value of a member that is left out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
