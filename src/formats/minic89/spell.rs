//! How our MiniC89 vectors write what a machine has: as snapshots do.

use crate::case::Want;
use crate::formats::spell::{Differs, Spelled, Unspellable, resize};
use crate::value::json::plain;
use crate::value::{Path, Value};

pub(super) fn spell<'d>(differs: &Differs<'d, '_>) -> Spelled<'d> {
    match (differs.want, differs.got) {
        (Want::Len(_), Some(Value::List(items))) if differs.node.is_array() => {
            resize(differs.node, items.iter().map(|item| Ok(plain(item))))
        }
        // It says which snapshot of a trace is meant.
        _ if *differs.at == Path::field("step") && differs.outer(1)?.is_array() => {
            Err(Unspellable("the run has no such step".to_owned()))
        }
        (_, Some(value)) => differs.replace(plain(value)),
        (_, None) => differs.remove(0),
    }
}
