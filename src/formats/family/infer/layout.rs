//! Where the cases lie in a file, and which data of a case belong together.

use std::collections::{BTreeSet, HashSet};

use crate::formats::family::node_path::{NodePath, PathStep};
use crate::text::json::JsonNode;

/// Words for the state before and for the state after.
const PAIRS: [(&str, &str); 12] = [
    ("initial", "final"),
    ("initial", "expected"),
    ("pre", "post"),
    ("before", "after"),
    ("input", "output"),
    ("in", "out"),
    ("start", "end"),
    ("given", "expected"),
    ("given", "expect"),
    ("input", "expected"),
    ("setup", "expect"),
    ("from", "to"),
];

/// Members that name a case, the most likely one first.
const NAMES: [&str; 6] = ["name", "title", "id", "test", "description", "desc"];

/// The number of cases of each file that are looked at to find the layout.
const MAX_LOOKED_AT: usize = 200;

/// Where cases and their data lie.
#[derive(Debug)]
pub(super) struct CaseLayout {
    pub(super) cases: NodePath,
    /// The member that names a case.
    pub(super) name: Option<String>,
    pub(super) pair: Pair,
    /// The members of cases besides the name and the pair.
    pub(super) others: BTreeSet<String>,
}

/// How a case says what is before and what is after.
#[derive(Debug, Clone)]
pub(super) enum Pair {
    /// By two objects with these names.
    Objects(&'static str, &'static str),
    /// By members whose names begin with these.
    Prefixes(String, String),
}

/// A datum of a case.
pub(super) enum PairedData<'d> {
    Before(JsonNode<'d>),
    After(JsonNode<'d>),
}

impl CaseLayout {
    /// The layout of the cases in these files.
    ///
    /// # Errors
    ///
    /// When no data look like a state before and a state after.
    pub(super) fn find<'d>(roots: impl Iterator<Item = JsonNode<'d>>) -> Result<CaseLayout, String> {
        let roots: Vec<_> = roots.collect();
        let layouts = places(&roots).into_iter().filter_map(|cases| {
            let nodes: Vec<_> = roots.iter().flat_map(|root| cases.each(*root)).take(MAX_LOOKED_AT).collect();
            let pair = nodes.iter().find_map(|node| pair_of(*node))?;
            Some((cases, pair))
        });
        let (cases, pair) = layouts.into_iter().next().ok_or_else(|| {
            let pairs: Vec<_> = PAIRS.iter().map(|(before, after)| format!("{before} and {after}")).collect();
            format!(
                "no case has a state before and a state after: no two objects, and no members that begin, with {}",
                pairs.join(", ")
            )
        })?;
        let all = || roots.iter().flat_map(|root| cases.each(*root));
        let is_name = |name: &&&str| all().take(MAX_LOOKED_AT).all(|node| is_text(node, name));
        let name = NAMES.iter().find(is_name).map(|name| (*name).to_owned());
        let keys = all().flat_map(JsonNode::members).map(|member| member.key.into_owned());
        let is_other = |key: &String| pair.half(key).is_none() && name.as_ref() != Some(key);
        let others = keys.filter(is_other).collect();
        Ok(CaseLayout { cases, name, pair, others })
    }

    /// The data of a case, each with the name of its field.
    pub(super) fn data<'d>(&self, case: JsonNode<'d>) -> Vec<(String, PairedData<'d>)> {
        let mut found = Vec::new();
        for member in case.members() {
            match (&self.pair, self.pair.half(&member.key)) {
                (Pair::Objects(before, _), Some(_)) => {
                    let is_before = member.key == *before;
                    let data = member.value.members();
                    found.extend(data.map(|datum| (datum.key.into_owned(), half(is_before, datum.value))));
                }
                (Pair::Prefixes(before, _), Some(name)) => {
                    let is_before = member.key.starts_with(before.as_str());
                    found.push((name.to_owned(), half(is_before, member.value)));
                }
                (_, None) if self.others.contains(&*member.key) => {
                    let data = if self.pair.gives_others() { PairedData::Before } else { PairedData::After };
                    found.push((member.key.into_owned(), data(member.value)));
                }
                (_, None) => {}
            }
        }
        found
    }
}

fn half(is_before: bool, node: JsonNode<'_>) -> PairedData<'_> {
    if is_before { PairedData::Before(node) } else { PairedData::After(node) }
}

impl Pair {
    /// The name of the field that a member of a case is before or after; empty for a whole state. `None` if it is
    /// neither.
    fn half<'k>(&self, key: &'k str) -> Option<&'k str> {
        match self {
            Pair::Objects(before, after) => (key == *before || key == *after).then_some(""),
            Pair::Prefixes(before, after) => {
                key.strip_prefix(before.as_str()).or_else(|| key.strip_prefix(after.as_str()))
            }
        }
    }

    /// Whether members besides the pair are rather given than demanded: beside two whole states, a case lists what
    /// happened in between.
    pub(super) fn gives_others(&self) -> bool {
        matches!(self, Pair::Prefixes(..))
    }
}

/// Where cases may lie, the most likely place first.
fn places(roots: &[JsonNode<'_>]) -> Vec<NodePath> {
    let each = || NodePath { steps: vec![PathStep::Each] };
    let inside = roots.iter().flat_map(|root| root.members()).filter(|member| member.value.is_array());
    let names: BTreeSet<_> = inside.map(|member| member.key.into_owned()).collect();
    let lists =
        names.into_iter().map(|name| NodePath { steps: vec![PathStep::Member(name), PathStep::Each] });
    [NodePath::default(), each()].into_iter().chain(lists).collect()
}

fn pair_of(case: JsonNode<'_>) -> Option<Pair> {
    let has_object = |name: &str| case.member(name).is_some_and(JsonNode::is_object);
    if let Some((before, after)) =
        PAIRS.iter().find(|(before, after)| has_object(before) && has_object(after))
    {
        return Some(Pair::Objects(before, after));
    }
    let keys: HashSet<_> = case.members().map(|member| member.key.into_owned()).collect();
    let separated = |separator: &str| {
        PAIRS.iter().find_map(|(before, after)| {
            let [before, after] = [before, after].map(|word| format!("{word}{separator}"));
            let is_paired = keys.iter().any(|key| {
                let name = key.strip_prefix(&before);
                name.is_some_and(|name| !name.is_empty() && keys.contains(&format!("{after}{name}")))
            });
            is_paired.then_some(Pair::Prefixes(before, after))
        })
    };
    ["-", "_", ".", " "].into_iter().find_map(separated)
}

fn is_text(case: JsonNode<'_>, name: &str) -> bool {
    case.member(name).is_some_and(|node| node.text().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json::Document;

    const MEMBERS: usize = 60_000;

    /// The names of the pair in a case with many members that begin with a word, and some others.
    fn pair_with(others: &str) -> Option<(String, String)> {
        let members: Vec<_> = (0..MEMBERS).map(|number| format!("\"in_{number}\": 0")).collect();
        let text = format!("{{{}, {others}}}", members.join(", "));
        let document = Document::parse(text, 2).expect("an object");
        match pair_of(document.root())? {
            Pair::Prefixes(before, after) => Some((before, after)),
            Pair::Objects(..) => None,
        }
    }

    /// A search of all members for each of them takes a minute.
    #[test]
    fn a_case_may_have_many_members() {
        assert_eq!(pair_with("\"out\": 0"), None);
        let partner = format!("\"out_{}\": 0", MEMBERS - 1);
        assert_eq!(pair_with(&partner), Some(("in_".to_owned(), "out_".to_owned())));
    }
}
