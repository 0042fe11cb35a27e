//! Properties: every wrong leaf is reported as itself with both values on the right side; JSON is
//! read as serde_json reads it; a machine ends the same however it is driven.
//!
//! `PROPTEST_CASES` sets how many random cases each property sees.

mod evm;
mod json;

use std::sync::Arc;

use crate::support::{checks_of, execute, files, read, relative, replay, written_vectors};
use num_bigint::BigInt;
use vmconf::formats::{self, FormatOptions};
use vmconf::machines::observe::Observe;
use vmconf::model::{Assertion, Expected, Mismatch, Name, Path, PathKey, Value};
use vmconf::run::compare::diff;
use vmconf::text::json::{Document, JsonDatum, JsonNode};

/// For every assertion of every own vector, other expectations in its place: exactly that assertion is reported.
#[test]
fn a_changed_check_is_reported_as_itself() {
    let (mut checks_seen, mut changes, mut unchanged) = (0, 0, 0);
    for path in written_vectors() {
        for case in read(&path).1 {
            replay(&case.case, None, &mut |step, machine| {
                let assertions = checks_of(step);
                let state = State::of(&assertions, machine.inspect());
                assert_eq!(diff(&assertions, &state), Ok(Vec::new()), "{} {}", relative(&path), case.name);
                for index in sample(assertions.len()) {
                    checks_seen += 1;
                    let others = others(&assertions[index], &state);
                    unchanged += usize::from(others.is_empty());
                    for (expected, reported) in others {
                        changes += 1;
                        let mut changed = assertions.clone();
                        changed[index].expected = expected;
                        let found = diff(&changed, &state).unwrap();
                        assert_eq!(found, [reported], "{} {}", relative(&path), case.name);
                    }
                }
            });
        }
    }
    // Only a demand that nothing else is in an empty record cannot be turned into a wrong one.
    assert!(checks_seen > 5000 && changes > 2 * checks_seen, "{changes} changes of {checks_seen} checks");
    assert!(unchanged * 5 < checks_seen, "{unchanged} of {checks_seen} checks cannot be changed");
}

/// All of a few; of very many, such as the thousand frames of a limit, a few at even distances: each change is found
/// among all of them, which takes time in proportion to both.
fn sample(count: usize) -> impl Iterator<Item = usize> {
    const MAX_COUNT: usize = 60;
    (0..count).step_by(count.div_ceil(MAX_COUNT).max(1))
}

/// A machine's fields after a run, so that comparing many times observes once.
struct State(Vec<(String, Option<Value>)>);

impl State {
    fn of(assertions: &[Assertion], machine: &dyn Observe) -> State {
        let mut fields: Vec<String> = assertions.iter().map(|check| check.at.first().to_string()).collect();
        fields.sort();
        fields.dedup();
        State(fields.into_iter().map(|field| (field.clone(), machine.observe(&field))).collect())
    }

    /// The datum at a path, found without the code under test.
    fn at(&self, path: &Path) -> Option<Value> {
        let Some(parent) = path.parent() else { return self.observe(&path.last().to_string()) };
        let inside = match self.at(parent)? {
            Value::Typed(_, inside) => Arc::unwrap_or_clone(inside),
            other => other,
        };
        match (inside, path.last()) {
            (Value::Record(members), PathKey::Name(name)) => {
                members.into_iter().find(|member| *name == *member.0).map(|member| member.1)
            }
            (Value::List(items), PathKey::Index(index)) => items.into_iter().nth(*index),
            _ => None,
        }
    }
}

impl Observe for State {
    fn has_field(&self, field: &str) -> bool {
        self.0.iter().any(|known| known.0 == field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        self.0.iter().find(|known| known.0 == field).and_then(|known| known.1.clone())
    }
}

/// Expectations that the state does not meet, each with the one mismatch that it must produce.
fn others(check: &Assertion, state: &State) -> Vec<(Expected, Mismatch)> {
    let Assertion { at, expected, origin, rule: _ } = check;
    let actual = state.at(at);
    let wants = match expected {
        // A format makes a word that is not zero a plain `Is`.
        Expected::Is(value) | Expected::IsOrAbsent(value) => {
            let mut wants: Vec<_> = other_values(value).into_iter().map(Expected::Is).collect();
            wants.extend(actual.is_some().then_some(Expected::Absent));
            wants
        }
        Expected::OneOf(values) => vec![Expected::OneOf(values.iter().flat_map(other_values).collect())],
        Expected::Len(length) => {
            [Some(length + 1), length.checked_sub(1)].into_iter().flatten().map(Expected::Len).collect()
        }
        Expected::Absent => vec![Expected::Is(Value::int(1))],
        Expected::Record => vec![Expected::Absent],
        Expected::Type(_) => vec![Expected::Type("Another".into())],
        Expected::Only(keys) => return fewer_keys(check, keys, actual.as_ref()),
        Expected::Order(keys) if keys.len() > 1 => {
            vec![Expected::Order(keys.iter().rev().cloned().collect())]
        }
        // Only families demand some bits of a number.
        Expected::Order(_) | Expected::Bits(_) => Vec::new(),
    };
    let reported =
        |expected: Expected| Mismatch { at: at.clone(), expected, actual: actual.clone(), origin: *origin };
    wants.into_iter().map(|expected| (expected.clone(), reported(expected))).collect()
}

/// Each list of keys that lacks one that is there: then that member should not be.
fn fewer_keys(check: &Assertion, keys: &[PathKey], actual: Option<&Value>) -> Vec<(Expected, Mismatch)> {
    let Some(members) = actual.and_then(Value::members) else { return Vec::new() };
    let without = |(name, value): &(Name, Value)| {
        let fewer = keys.iter().filter(|key| *key.to_string() != **name).cloned().collect();
        let at = check.at.child(name.clone());
        (
            Expected::Only(fewer),
            Mismatch { at, expected: Expected::Absent, actual: Some(value.clone()), origin: check.origin },
        )
    };
    members.iter().map(without).collect()
}

/// Values that are nearly this one.
fn other_values(value: &Value) -> Vec<Value> {
    match value {
        Value::Int(number) => {
            vec![Value::Int(number + 1), Value::Int(number - 1), Value::Int(number + (BigInt::from(1) << 64))]
        }
        Value::Bytes(bytes) => {
            let changed = |change: fn(&mut Vec<u8>)| {
                let mut bytes = bytes.clone();
                change(&mut bytes);
                Value::Bytes(bytes)
            };
            let mut values = vec![changed(|bytes| bytes.push(0)), changed(|bytes| bytes.insert(0, 0))];
            if !bytes.is_empty() {
                values.push(changed(|bytes| bytes[0] ^= 0x80));
                values.push(changed(|bytes| *bytes.last_mut().unwrap() ^= 1));
                values.push(changed(|bytes| bytes.truncate(bytes.len() - 1)));
            }
            values
        }
        Value::Text(text) => vec![Value::text(format!("not {text}")), Value::text("")],
        Value::Null => vec![Value::int(1)],
        Value::Bool(bool) => vec![Value::Bool(!bool)],
        Value::Typed(name, inside) => {
            let mut values = vec![Value::Typed("Another".into(), inside.clone())];
            if **inside != Value::Null {
                let others = other_values(inside).into_iter();
                values.extend(others.map(|other| Value::typed(name.clone(), other)));
            }
            values
        }
        other => panic!("no check of a vector wants {other}"),
    }
}

/// The same from the text of the file on: one digit of one leaf of an expectation is changed, and
/// the reader and the comparison together report that leaf, at its place, with both values.
#[test]
fn a_changed_digit_is_reported_as_itself() {
    let mut leaves = 0;
    for path in files("vectors/evm", "json") {
        let (document, cases) = read(&path);
        for case in cases {
            // A file of its own: one of many cases takes long to read for each leaf.
            let raw = JsonNode::at_index(&document, case.node).raw();
            let alone = format!("{{\"alone\": {raw}}}");
            let document = Document::parse(alone, 128).unwrap();
            let node = document.root().members().next().unwrap().value;
            if node.member("post").is_none() {
                continue;
            }
            let mut state = None;
            for leaf in expected_leaves(node) {
                let state = state.get_or_insert_with(|| execute(&case.case, None));
                let Some((text, expected, actual)) = leaf.changed(document.text()) else { continue };
                let found = mismatches_of(text, node.index(), state.inspect());
                let [found] = &found[..] else {
                    panic!("{} {}: {} is reported as {found:?}", relative(&path), case.name, leaf.at);
                };
                let demanded = match &found.expected {
                    Expected::Is(value) | Expected::IsOrAbsent(value) => value,
                    Expected::OneOf(values) => &values[0],
                    other => panic!("{other}"),
                };
                let reported = (found.at.to_string(), demanded, found.actual.as_ref(), found.origin.0);
                // Nothing need not be there, and forty zeros may be a creation.
                let (zero, zeros, creation) =
                    (Value::int(0), Value::Bytes(vec![0; 20]), Value::Bytes(Vec::new()));
                let actual = match found.actual.as_ref() {
                    None if actual == zero => None,
                    Some(found) if actual == zeros && *found == creation => Some(&creation),
                    _ => Some(&actual),
                };
                assert_eq!(reported, (leaf.at.clone(), &expected, actual, leaf.origin), "{}", case.name);
                leaves += 1;
            }
        }
    }
    assert!(leaves > 2000, "{leaves} leaves");
}

/// What the case at `node` of the text demands and the machine does not do.
fn mismatches_of(text: String, node: u32, machine: &dyn Observe) -> Vec<Mismatch> {
    let document = Document::parse(text, 128).unwrap();
    let format = formats::by_name("vmtests").unwrap();
    let reading = format.read_case(JsonNode::at_index(&document, node), FormatOptions::default());
    let case = reading.case.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    diff(&case.steps[0].assertions, machine).unwrap()
}

/// A string of an expectation with the path that it is reported by.
struct Leaf {
    at: String,
    /// Where it stands, with its quotes.
    origin: u32,
    length: usize,
    is_number: bool,
}

impl Leaf {
    fn new(at: String, node: JsonNode<'_>, is_number: bool) -> Leaf {
        Leaf { at, origin: node.at(), length: node.raw().len(), is_number }
    }

    /// The document with the last digit changed, the value that it then says and the one it said.
    /// `None` if one changed digit is not enough: there is no digit, or the datum is not a string of digits.
    fn changed(&self, text: &str) -> Option<(String, Value, Value)> {
        let raw = &text[self.origin as usize..][..self.length];
        let old = raw.strip_prefix('"')?.strip_suffix('"')?;
        let digit = old.chars().next_back()?.to_digit(16)?;
        if old.starts_with('#') {
            return None;
        }
        let last = self.origin as usize + self.length - 2;
        // 8 and 9 are exchanged too, so that a decimal number stays one.
        let mut changed = text.to_owned();
        changed.replace_range(last..=last, &char::from_digit(digit ^ 1, 16)?.to_string());
        let (new, old) = (self.value(&changed[self.origin as usize + 1..=last]), self.value(old));
        Some((changed, new, old))
    }

    /// What the text says, by the reference: hex with 0x, decimal without; bytes are hex anyway.
    fn value(&self, text: &str) -> Value {
        let digits = text.strip_prefix("0x");
        if self.is_number {
            let number =
                digits.map_or_else(|| text.parse().ok(), |hex| BigInt::parse_bytes(hex.as_bytes(), 16));
            return Value::Int(number.unwrap());
        }
        let digits = digits.unwrap_or(text);
        let even = if digits.len().is_multiple_of(2) { digits.to_owned() } else { format!("0{digits}") };
        Value::Bytes(hex::decode(even).unwrap())
    }
}

/// The strings below `gas`, `out`, `logs`, `callcreates` and `post`, keys left out.
fn expected_leaves(test: JsonNode<'_>) -> Vec<Leaf> {
    let member = |name: &str| test.member(name).unwrap();
    let mut leaves = vec![
        Leaf::new("gas".to_owned(), member("gas"), true),
        Leaf::new("out".to_owned(), member("out"), false),
    ];
    if member("logs").text().is_some() {
        leaves.push(Leaf::new("logsHash".to_owned(), member("logs"), false));
    }
    for (index, entry) in member("logs").items().enumerate() {
        for name in ["address", "data", "bloom"] {
            leaves.push(Leaf::new(format!("logs[{index}]/{name}"), entry.member(name).unwrap(), false));
        }
        for (nth, topic) in entry.member("topics").unwrap().items().enumerate() {
            leaves.push(Leaf::new(format!("logs[{index}]/topics[{nth}]"), topic, false));
        }
    }
    for (index, call) in member("callcreates").items().enumerate() {
        for (name, is_number) in
            [("data", false), ("destination", false), ("gasLimit", true), ("value", true)]
        {
            leaves.push(Leaf::new(
                format!("callcreates[{index}]/{name}"),
                call.member(name).unwrap(),
                is_number,
            ));
        }
    }
    for account in member("post").members() {
        let at = format!("post/0x{}", account.key.trim_start_matches("0x").to_lowercase());
        for (name, is_number) in [("balance", true), ("nonce", true), ("code", false)] {
            leaves.push(Leaf::new(format!("{at}/{name}"), account.value.member(name).unwrap(), is_number));
        }
        for word in account.value.member("storage").unwrap().members() {
            let key = match word.key.strip_prefix("0x") {
                Some(hex) => BigInt::parse_bytes(format!("0{hex}").as_bytes(), 16).unwrap(),
                None => format!("0{}", word.key).parse().unwrap(),
            };
            let digits = format!("{key:x}");
            let zero = if digits.len() % 2 == 0 { "" } else { "0" };
            leaves.push(Leaf::new(format!("{at}/storage/0x{zero}{digits}"), word.value, true));
        }
    }
    leaves
}

/// The same for the NeoVM formats: one leaf of a result is changed in the text, and exactly this
/// leaf is reported, by its path and at its place.
#[test]
fn a_changed_leaf_of_a_result_is_reported_as_itself() {
    let mut leaves = 0;
    let is_neo = |path: &std::path::PathBuf| relative(path).starts_with("vectors/neo");
    for path in written_vectors().into_iter().filter(is_neo) {
        let (document, cases) = read(&path);
        for case in cases {
            let mut states = Vec::new();
            replay(&case.case, None, &mut |step, machine| {
                states.push(State::of(&checks_of(step), machine.inspect()));
            });
            let test = JsonNode::at_index(&document, case.node);
            let steps =
                test.member("steps").map(|steps| steps.items().collect::<Vec<_>>()).unwrap_or_default();
            for (index, step) in steps.into_iter().enumerate() {
                let all = result_leaves(step, case.case.machine);
                for leaf in sample(all.len()).map(|index| &all[index]) {
                    let text = leaf.changed(document.text());
                    let changed = Document::parse(text, 128).unwrap();
                    let (format, _) = formats::detection::detect(&changed, "").unwrap();
                    let reading =
                        format.read_case(JsonNode::at_index(&changed, case.node), FormatOptions::default());
                    let assertions =
                        reading.case.unwrap_or_else(|| panic!("{:?}", reading.diagnostics)).steps;
                    let found = diff(&checks_of(&assertions[index]), &states[index]).unwrap();
                    let found: Vec<_> = found.iter().map(|it| (it.at.to_string(), it.origin.0)).collect();
                    assert_eq!(found, [(leaf.at.clone(), leaf.origin)], "{} {}", relative(&path), case.name);
                    leaves += 1;
                }
            }
        }
    }
    assert!(leaves > 5_000, "{leaves} leaves");
}

/// A number, bytes or truth value of a result, and the path that it is reported by.
struct ResultLeaf {
    at: String,
    origin: u32,
    length: usize,
}

impl ResultLeaf {
    /// The text with another value there: the last digit changed, or the other truth value.
    fn changed(&self, text: &str) -> String {
        let place = self.origin as usize..self.origin as usize + self.length;
        let raw = &text[place.clone()];
        let other = match raw {
            "true" => "false".to_owned(),
            "false" => "true".to_owned(),
            _ => {
                let (at, digit) = raw.char_indices().rfind(|it| it.1.is_ascii_hexdigit()).unwrap();
                let digit = char::from_digit(digit.to_digit(16).unwrap() ^ 1, 16).unwrap();
                format!("{}{digit}{}", &raw[..at], &raw[at + 1..])
            }
        };
        let mut changed = text.to_owned();
        changed.replace_range(place, &other);
        changed
    }
}

/// The leaves of a step's result that are compared: all of them, but for a FAULT of N3.
fn result_leaves(step: JsonNode<'_>, machine: &str) -> Vec<ResultLeaf> {
    let mut leaves = Vec::new();
    let Some(result) = step.member("result") else { return leaves };
    let is_fault =
        result.member("state").and_then(JsonNode::text).is_some_and(|it| it.eq_ignore_ascii_case("fault"));
    if is_fault && machine == "neo3" {
        return leaves;
    }
    let frames = result.member("invocationStack").into_iter().flat_map(JsonNode::items);
    for (index, frame) in frames.enumerate() {
        let at = format!("invocationStack[{index}]");
        for name in ["instructionPointer", "scriptHash"] {
            leaf(frame.member(name), format!("{at}/{name}"), &mut leaves);
        }
        for name in ["evaluationStack", "altStack", "staticFields", "localVariables", "arguments"] {
            item_leaves(frame.member(name), &format!("{at}/{name}"), &mut leaves);
        }
    }
    item_leaves(result.member("resultStack"), "resultStack", &mut leaves);
    leaf(result.member("refs"), "refs".to_owned(), &mut leaves);
    leaves
}

/// The leaves of a list of items.
fn item_leaves(items: Option<JsonNode<'_>>, at: &str, leaves: &mut Vec<ResultLeaf>) {
    for (index, item) in items.into_iter().flat_map(JsonNode::items).enumerate() {
        item_leaf(item, format!("{at}[{index}]"), leaves);
    }
}

fn item_leaf(item: JsonNode<'_>, at: String, leaves: &mut Vec<ResultLeaf>) {
    let (Some(kind), Some(value)) = (item.member("type").and_then(JsonNode::text), item.member("value"))
    else {
        return;
    };
    match kind.to_lowercase().as_str() {
        // Texts have no digits to change, and a list is one way to write a map.
        "interop" | "string" => {}
        "array" | "struct" => item_leaves(Some(value), &at, leaves),
        "map" => value.members().for_each(|it| {
            let key = it.key.to_lowercase();
            item_leaf(it.value, format!("{at}/{}", if key == "0x" { "" } else { &key }), leaves);
        }),
        _ => leaf(Some(value), at, leaves),
    }
}

/// Keeps a leaf that can be changed: one with a digit, and no base64.
fn leaf(node: Option<JsonNode<'_>>, at: String, leaves: &mut Vec<ResultLeaf>) {
    let Some(node) = node else { return };
    let is_plain = match node.datum() {
        JsonDatum::Bool(_) | JsonDatum::Number(_) => true,
        JsonDatum::Text(text) => {
            let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            digits.is_some_and(|digits| !digits.is_empty()) || text.parse::<BigInt>().is_ok()
        }
        JsonDatum::Null | JsonDatum::Array | JsonDatum::Object => false,
    };
    if is_plain {
        leaves.push(ResultLeaf { at, origin: node.at(), length: node.raw().len() });
    }
}
