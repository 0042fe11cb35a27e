//! A whole run beside the least that any runner must do with the same files: read them and parse
//! them to JSON values.

use anyhow::bail;

use crate::Selection;

/// Measures both and prints their ratio.
pub(crate) fn measure(_selection: &Selection) -> anyhow::Result<()> {
    bail!("the files section is not written yet")
}
