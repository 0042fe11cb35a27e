//! Where the cases lie in a file, and which data of a case belong together.

use std::collections::{BTreeSet, HashSet};

use crate::formats::family::node_path::{NodePath, PathStep};
use crate::text::json::{JsonMember, JsonNode};

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

/// What may separate such a word from the name of a field.
const SEPARATORS: [char; 4] = ['-', '_', '.', ' '];

/// Members that name a case, the most likely one first.
const NAMES: [&str; 6] = ["name", "title", "id", "test", "description", "desc"];

/// Words for what a machine executes, which lies beside the two states in some corpora.
const INPUTS: [&str; 15] = [
    "input",
    "inputs",
    "addr",
    "addrs",
    "code",
    "bytecode",
    "program",
    "script",
    "instruction",
    "instructions",
    "opcode",
    "opcodes",
    "asm",
    "rom",
    "bytes",
];

/// Words for what a run results in, which lies between the two states in some corpora.
const OUTCOMES: [&str; 7] = ["status", "result", "results", "outcome", "error", "exception", "output"];

/// Words for what is measured of a run.
const MEASURED: [&str; 5] = ["cycles", "ticks", "used", "logs", "trace"];

/// Words for what is known about a case, besides its name.
const ABOUT: [&str; 9] = ["idx", "index", "num", "hash", "info", "comment", "comments", "source", "url"];

/// The number of cases of each file that are looked at to find the layout.
const MAX_LOOKED_AT: usize = 200;

/// Where cases and their data lie.
#[derive(Debug)]
pub(super) struct CaseLayout {
    pub(super) cases: NodePath,
    /// Other places with data that look like cases, which are not read.
    pub(super) other_cases: Vec<NodePath>,
    /// The member that names a case.
    pub(super) name: Option<String>,
    pub(super) pair: Pair,
    /// The members of cases besides the name and the pair.
    pub(super) others: BTreeSet<String>,
    /// Members that are not read, since a datum of the pair has the name of their field.
    pub(super) unread: BTreeSet<String>,
    /// How many items lack one of the two states.
    lacking: LackingItems,
}

/// Items without one half of a pair of objects, or with another datum in its place.
#[derive(Debug, Default)]
struct LackingItems {
    items: u64,
    /// Those without the state before, and those without the state after. Without both, an item is no case.
    without: [u64; 2],
    /// Those in which one of the two is no object.
    no_object: [u64; 2],
}

/// How a case says what is before and what is after.
#[derive(Debug, Clone)]
pub(super) enum Pair {
    /// By two objects with these names.
    Objects(String, String),
    /// By members whose names begin with these.
    Prefixes(String, String),
}

/// A datum of a case.
pub(super) enum PairedData<'d> {
    Before(JsonNode<'d>),
    After(JsonNode<'d>),
}

impl CaseLayout {
    /// The layout of the cases in these files. Fails when no data look like a state before and a state after.
    pub(super) fn find<'d>(roots: impl Iterator<Item = JsonNode<'d>>) -> Result<CaseLayout, String> {
        let roots: Vec<_> = roots.collect();
        let mut layouts = places(&roots).into_iter().filter_map(|cases| {
            let nodes: Vec<_> = roots.iter().flat_map(|root| cases.each(*root)).take(MAX_LOOKED_AT).collect();
            let pair = nodes.iter().find_map(|node| pair_of(*node))?;
            Some((cases, pair))
        });
        let (cases, pair) = layouts.next().ok_or_else(|| {
            let pairs: Vec<_> = PAIRS.iter().map(|(before, after)| format!("{before} and {after}")).collect();
            format!(
                "no case has a state before and a state after: no two objects, and no members that begin, with {}",
                pairs.join(", ")
            )
        })?;
        let other_cases = layouts.map(|(place, _)| place).filter(|place| *place != cases).collect();
        let all = || roots.iter().flat_map(|root| cases.each(*root)).filter(|node| pair.is_in(*node));
        let is_name = |name: &&&str| all().take(MAX_LOOKED_AT).all(|node| is_text(node, name));
        // A case without a name is named by its number.
        let is_often_name = |name: &&&str| {
            let named = all().take(MAX_LOOKED_AT).filter_map(|node| node.member(name));
            let mut texts = named.map(|node| node.text().is_some()).peekable();
            texts.peek().is_some() && texts.all(|is_text| is_text)
        };
        let name = NAMES.iter().find(is_name).or_else(|| NAMES.iter().find(is_often_name));
        let name = name.map(|name| (*name).to_owned());
        let keys: BTreeSet<_> =
            all().flat_map(JsonNode::members).map(|member| member.key.into_owned()).collect();
        let is_other = |key: &String| pair.half(key).is_none() && name.as_ref() != Some(key);
        let mut others: BTreeSet<String> = keys.iter().filter(|key| is_other(key)).cloned().collect();
        let mut unread = BTreeSet::new();
        let mut leave_out = |name: &str| unread.extend(others.take(name));
        match &pair {
            Pair::Prefixes(..) => keys.iter().filter_map(|key| pair.half(key)).for_each(leave_out),
            Pair::Objects(before, after) => {
                let states = all().flat_map(|case| [before, after].map(|name| case.member(name)));
                let data = states.flatten().flat_map(JsonNode::members);
                data.for_each(|member| leave_out(&member.key));
            }
        }
        let lacking = LackingItems::of(&pair, roots.iter().flat_map(|root| cases.each(*root)));
        Ok(CaseLayout { cases, other_cases, name, pair, others, unread, lacking })
    }

    /// What is said of the items that have only one of the two states, or another datum in its place, if there are some.
    pub(super) fn half_cases(&self) -> Vec<String> {
        let Pair::Objects(before, after) = &self.pair else { return Vec::new() };
        let LackingItems { items, without, no_object } = self.lacking;
        let path = |name: &str| NodePath { steps: vec![PathStep::Member(name.to_owned())] };
        let lacking = [before, after].into_iter().zip(without).filter(|(_, count)| *count > 0);
        let lacking = lacking
            .map(|(name, count)| format!("{count} of {items} items have no {} and are not read", path(name)));
        let others = [before, after].into_iter().zip(no_object).filter(|(_, count)| *count > 0);
        let others = others.map(|(name, count)| {
            format!("{} is no object in {count} of {items} items, which are errors", path(name))
        });
        lacking.chain(others).collect()
    }

    pub(super) fn cases_of<'d>(&self, root: JsonNode<'d>) -> impl Iterator<Item = JsonNode<'d>> {
        self.cases.each(root).into_iter().filter(|node| self.pair.is_in(*node))
    }

    /// The data of a case, each with the name of its field.
    pub(super) fn data<'d>(&self, case: JsonNode<'d>) -> Vec<(String, PairedData<'d>)> {
        let mut found = Vec::new();
        let (mut is_between, mut has_after) = (false, false);
        for member in case.members() {
            if let Pair::Objects(before, after) = &self.pair {
                has_after |= member.key == *after;
                is_between = !has_after && (is_between || member.key == *before);
            }
            match (&self.pair, self.pair.half(&member.key)) {
                (Pair::Objects(before, _), Some(_)) => {
                    let half = if member.key == *before { PairedData::Before } else { PairedData::After };
                    let data = member.value.members();
                    found.extend(data.map(|datum| (datum.key.into_owned(), half(datum.value))));
                }
                (Pair::Prefixes(before, _), Some(name)) => {
                    let is_before = member.key.starts_with(before.as_str());
                    let half = if is_before { PairedData::Before } else { PairedData::After };
                    found.push((name.to_owned(), half(member.value)));
                }
                (_, None) if self.others.contains(&*member.key) => {
                    // What stands between the two states is what happens to the first one.
                    let may_be_given = self.pair.gives_others()
                        || is_between && !is_about_case(&member.key) && !may_be_result(&member.key);
                    let is_given = is_input(&member.key) || may_be_given && !is_result(&member.key);
                    let data = if is_given { PairedData::Before } else { PairedData::After };
                    found.push((member.key.into_owned(), data(member.value)));
                }
                (_, None) => {}
            }
        }
        found
    }
}

impl LackingItems {
    fn of<'d>(pair: &Pair, items: impl Iterator<Item = JsonNode<'d>>) -> LackingItems {
        let mut lacking = LackingItems::default();
        let Pair::Objects(before, after) = pair else { return lacking };
        for item in items {
            lacking.items += 1;
            let halves = [before, after].map(|name| item.member(name));
            for (half, other) in [(0, 1), (1, 0)] {
                if halves[other].is_some() {
                    lacking.without[half] += u64::from(halves[half].is_none());
                    lacking.no_object[half] +=
                        u64::from(halves[half].is_some_and(|datum| !datum.is_object()));
                }
            }
        }
        lacking
    }
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

    /// Whether a case has a state before and one after, or parts of them.
    fn is_in(&self, case: JsonNode<'_>) -> bool {
        match self {
            Pair::Objects(before, after) => {
                [before, after].iter().all(|name| case.member(name).is_some_and(JsonNode::is_object))
            }
            Pair::Prefixes(..) => case.members().any(|member| self.half(&member.key).is_some()),
        }
    }

    /// Whether members besides the pair are rather given than demanded: beside two whole states, a case lists what
    /// happened in between.
    pub(super) fn gives_others(&self) -> bool {
        matches!(self, Pair::Prefixes(..))
    }
}

/// Whether the name of a member, or its last word, says that it is what is executed.
fn is_input(key: &str) -> bool {
    key.rsplit(SEPARATORS).next().is_some_and(|word| INPUTS.contains(&word))
}

/// Whether the name of a member says that it is about the case, and not about the machine.
pub(super) fn is_about_case(key: &str) -> bool {
    let word = key.trim_start_matches('_');
    NAMES.contains(&word) || word.rsplit(SEPARATORS).next().is_some_and(|word| ABOUT.contains(&word))
}

/// Whether the last word of the name of a member is one for results.
pub(super) fn may_be_result(key: &str) -> bool {
    is_outcome(key) || key.rsplit(SEPARATORS).next().is_some_and(|word| MEASURED.contains(&word))
}

/// Whether the last word of the name of a member is one for how a run ended, or what it made.
pub(super) fn is_outcome(key: &str) -> bool {
    key.rsplit(SEPARATORS).next().is_some_and(|word| OUTCOMES.contains(&word))
}

/// Whether the name of a member says that it is a result.
fn is_result(key: &str) -> bool {
    let rest = PAIRS.iter().filter_map(|(_, after)| key.strip_prefix(after));
    rest.into_iter().any(|rest| rest.starts_with(SEPARATORS))
}

/// Where cases may lie, the most likely place first.
fn places(roots: &[JsonNode<'_>]) -> Vec<NodePath> {
    let each = || NodePath { steps: vec![PathStep::Each] };
    let is_map = |node: JsonNode<'_>| node.members().next().is_some_and(|first| first.value.is_object());
    let holds = |member: &JsonMember<'_>| member.value.is_array() || is_map(member.value);
    let inside = roots.iter().flat_map(|root| root.members()).filter(holds);
    let names: BTreeSet<_> = inside.map(|member| member.key.into_owned()).collect();
    let lists =
        names.into_iter().map(|name| NodePath { steps: vec![PathStep::Member(name), PathStep::Each] });
    [NodePath::default(), each()].into_iter().chain(lists).collect()
}

fn pair_of(case: JsonNode<'_>) -> Option<Pair> {
    if let Some([before, after]) = states_of(case) {
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
    SEPARATORS.iter().find_map(|separator| separated(&separator.to_string()))
}

/// The names of the two objects of a case that are the states before and after: of several pairs, the one whose objects
/// have most members in common.
fn states_of(case: JsonNode<'_>) -> Option<[String; 2]> {
    let objects: Vec<_> = case.members().filter(|member| member.value.is_object()).collect();
    let of_name = |name: &str| objects.iter().find(|member| member.key == name).map(|member| member.value);
    // `pre` and `post`, or `pre_state` and `post_state`.
    let names = PAIRS.iter().flat_map(|&(before, after)| {
        let suffixes = objects.iter().filter_map(move |member| member.key.strip_prefix(before));
        let suffixes = suffixes.filter(|suffix| suffix.is_empty() || is_state(suffix));
        suffixes.map(move |suffix| [before, after].map(|word| format!("{word}{suffix}")))
    });
    let mut best: Option<(usize, [String; 2])> = None;
    for [before, after] in names {
        let (Some(one), Some(other)) = (of_name(&before), of_name(&after)) else { continue };
        let keys: HashSet<_> = other.members().map(|member| member.key).collect();
        let shared = one.members().filter(|member| keys.contains(&member.key)).count();
        if best.as_ref().is_none_or(|(most, _)| shared > *most) {
            best = Some((shared, [before, after]));
        }
    }
    best.map(|(_, names)| names)
}

/// Whether what follows a word for before or after says that it is a whole state: `_state`.
fn is_state(suffix: &str) -> bool {
    suffix.strip_prefix(SEPARATORS).is_some_and(|word| word.eq_ignore_ascii_case("state"))
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

    /// Searching all members for each of them would take a minute.
    #[test]
    fn a_case_may_have_many_members() {
        assert_eq!(pair_with("\"out\": 0"), None);
        let partner = format!("\"out_{}\": 0", MEMBERS - 1);
        assert_eq!(pair_with(&partner), Some(("in_".to_owned(), "out_".to_owned())));
    }
}
