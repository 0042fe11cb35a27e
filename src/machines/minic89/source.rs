//! Source lines and names, for display with the state: the parts of the metadata document other than the code.

use num_bigint::BigInt;

use crate::machines::view::ViewScope;
use crate::model::Value;

/// The source lines of instructions.
#[derive(Debug, Clone, Default)]
pub(super) struct SourceMap(Vec<(u64, Option<BigInt>)>);

#[derive(Debug, Clone)]
pub(super) struct LocalName {
    slot: u64,
    name: String,
    /// The range of instructions in which it is in scope, without the second one; `None` for all.
    scope: Option<(u64, u64)>,
}

impl SourceMap {
    pub(super) fn new(record: Option<&Value>) -> SourceMap {
        let line = |entry: &Value| entry.get("loc")?.get("line")?.as_int().cloned();
        let mut entries: Vec<_> =
            items(record).iter().map(|entry| (number(entry.get("ip")), line(entry))).collect();
        // A stable sort: of several entries for one instruction, the last one counts.
        entries.sort_by_key(|entry| entry.0);
        SourceMap(entries)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The line of the last entry that is not after the instruction.
    pub(super) fn line(&self, ip: usize) -> Option<&BigInt> {
        let end = self.0.partition_point(|entry| entry.0 <= ip as u64);
        self.0[..end].last()?.1.as_ref()
    }
}

impl LocalName {
    pub(super) fn all(record: Option<&Value>) -> Vec<LocalName> {
        let scope = |scope: &Value| (number(scope.get("ip_start")), number(scope.get("ip_end")));
        let entry = |entry: &Value| LocalName {
            slot: number(entry.get("slot")),
            name: text(entry.get("name")),
            scope: entry.get("scope").filter(|it| **it != Value::Null).map(scope),
        };
        items(record).iter().map(entry).collect()
    }

    /// The name of a slot at an instruction: the one in scope, else the first one.
    pub(super) fn find(names: &[LocalName], slot: usize, ip: usize) -> Option<(&str, ViewScope)> {
        let of_slot = || names.iter().filter(|name| name.slot == slot as u64);
        let is_in_scope =
            |name: &&LocalName| name.scope.is_none_or(|(start, end)| (start..end).contains(&(ip as u64)));
        match of_slot().find(is_in_scope) {
            Some(name) => Some((&name.name, ViewScope::In)),
            None => of_slot().next().map(|name| (name.name.as_str(), ViewScope::Out)),
        }
    }
}

/// The items, if there is a list.
pub(super) fn items(list: Option<&Value>) -> &[Value] {
    list.and_then(Value::items).unwrap_or_default()
}

/// The text, if there is one.
pub(super) fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_text).unwrap_or_default().to_owned()
}

/// A non-negative number; one that is too large stays larger than the number of any instruction.
fn number(value: Option<&Value>) -> u64 {
    value.and_then(Value::number).unwrap_or(u64::MAX)
}
