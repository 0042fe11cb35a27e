//! Names of members as keys of a JSON Pointer (RFC 6901), which `/` separates.

use std::borrow::Cow;

/// The name as a key: `~1` stands for `/`, and `~0` for `~`.
pub fn pointer_key(name: &str) -> Cow<'_, str> {
    if name.contains(['/', '~']) { name.replace('~', "~0").replace('/', "~1").into() } else { name.into() }
}

/// The name of a key that [`pointer_key`] has made.
pub fn name_in_pointer(key: &str) -> Cow<'_, str> {
    if key.contains('~') { key.replace("~1", "/").replace("~0", "~").into() } else { key.into() }
}
