//! How our MiniC89 vectors write what a machine has: as snapshots do.

use crate::formats::write_back::{Differs, NotRepresentable, WrittenBack, resize};
use crate::model::assertion::Expected;
use crate::model::path::Path;
use crate::model::value::Value;
use crate::text::plain_json::plain;

pub(super) fn spell<'d>(differs: &Differs<'d, '_>) -> WrittenBack<'d> {
    match (differs.expected, differs.actual) {
        (Expected::Len(_), Some(Value::List(items))) if differs.node.is_array() => {
            resize(differs.node, items.iter().map(|item| Ok(plain(item))))
        }
        // It says which snapshot of a trace is meant.
        _ if *differs.at == Path::field("step") && differs.outer(1)?.is_array() => {
            Err(NotRepresentable("the run has no such step".to_owned()))
        }
        (_, Some(value)) => differs.replace(plain(value)),
        (_, None) => differs.remove(0),
    }
}
