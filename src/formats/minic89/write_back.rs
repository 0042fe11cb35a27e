//! Writes actual values into MiniC89 vectors, in the notation of snapshots.

use crate::formats::write_back::{NotRepresentable, WrittenBack, WrongAssertion, resize};
use crate::model::{Expected, Path, Value};
use crate::text::plain_json::plain;

pub(super) fn write_back<'d>(failed: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    match (failed.expected, failed.actual) {
        (Expected::Len(_), Some(Value::List(items))) if failed.node.is_array() => {
            resize(failed.node, items.iter().map(|item| Ok(plain(item))))
        }
        // It says which snapshot of a trace is compared.
        _ if *failed.at == Path::field("step") && failed.outer(1)?.is_array() => {
            Err(NotRepresentable::because("the run has no such step"))
        }
        (_, Some(value)) => failed.replace(plain(value)),
        (_, None) => failed.remove(0),
    }
}
