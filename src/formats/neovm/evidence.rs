//! Distinguishes N3 from 2.x, which share their envelope, by what only one of them has.

use super::lexical::member;
use crate::formats::format::Evidence;
use crate::text::json::{JsonMember, JsonNode};

/// What only one of the two has.
struct GenerationSigns {
    /// The value of `machine`, a member that vmconf adds, and its name in messages.
    machine: (&'static str, &'static str),
    /// The name, in messages, of a member that is evidence; `None` for any other member.
    strong: fn(&JsonMember<'_>) -> Option<&'static str>,
    /// Evidence in a test as a whole.
    test: fn(JsonNode<'_>) -> Option<Evidence>,
    /// How states are spelled, and the name of that in messages. Counts only if there is no other evidence.
    states: &'static [(&'static str, &'static str)],
}

/// Rows of a word and its name in messages.
macro_rules! words {
    ($before:literal; $($word:literal),+) => { &[$(($word, concat!($before, "\"", $word, "\""))),+] };
}

const N3: GenerationSigns = GenerationSigns {
    machine: ("neo3", "\"machine\": \"neo3\""),
    strong: n3_member,
    test: |_| None,
    states: words!("state "; "HALT", "BREAK", "FAULT", "NONE"),
};

const V2: GenerationSigns = GenerationSigns {
    machine: ("neo2", "\"machine\": \"neo2\""),
    strong: v2_member,
    test: message_without_host,
    states: words!("state "; "Halt", "Break", "Fault", "None"),
};

pub(super) fn n3(file: JsonNode<'_>) -> Option<Evidence> {
    evidence(file, &N3, &V2)
}

pub(super) fn v2(file: JsonNode<'_>) -> Option<Evidence> {
    evidence(file, &V2, &N3)
}

/// Evidence for one of the two. Without evidence for either, the envelope counts for both, so that the user
/// has to choose the format.
fn evidence(file: JsonNode<'_>, one: &GenerationSigns, other: &GenerationSigns) -> Option<Evidence> {
    if let Some(machine) = file.members().find(|member| member.key == "machine")
        && let Some(name) = machine.value.text()
    {
        return (name == one.machine.0).then_some(Evidence { at: machine.key_at, what: one.machine.1 });
    }
    let tests = member(file, "tests")?.value;
    let steps = tests.items().find_map(|test| member(test, "steps"));
    if steps.is_none() && !tests.items().any(|test| member(test, "script").is_some()) {
        return None;
    }
    if let Some(sign) = strong(tests, one) {
        return Some(sign);
    }
    if strong(tests, other).is_some() {
        return None;
    }
    if let Some(sign) = weak(tests, one) {
        return Some(sign);
    }
    match weak(tests, other) {
        Some(_) => None,
        // A script alone is too little: other files have one, too.
        None => steps.map(|steps| Evidence { at: steps.key_at, what: "\"tests\" with \"steps\"" }),
    }
}

fn strong(tests: JsonNode<'_>, signs: &GenerationSigns) -> Option<Evidence> {
    let sign = |member: JsonMember<'_>| {
        let what = (signs.strong)(&member)?;
        Some(Evidence { at: member.key_at, what })
    };
    let of_member = tests.objects().find_map(|object| object.members().find_map(sign));
    of_member.or_else(|| tests.items().find_map(signs.test))
}

fn weak(tests: JsonNode<'_>, signs: &GenerationSigns) -> Option<Evidence> {
    tests.objects().find_map(|object| {
        let state = member(object, "state")?;
        let what = word(&state.value.text()?, signs.states)?;
        Some(Evidence { at: state.key_at, what })
    })
}

fn word(text: &str, words: &[(&str, &'static str)]) -> Option<&'static str> {
    words.iter().find(|word| text == word.0).map(|word| word.1)
}

fn word_any_case(text: &str, words: &[(&str, &'static str)]) -> Option<&'static str> {
    words.iter().find(|word| text.eq_ignore_ascii_case(word.0)).map(|word| word.1)
}

/// The name, in messages, of a `type` member with one of these types.
fn type_of(member: &JsonMember<'_>, types: &[(&str, &'static str)]) -> Option<&'static str> {
    if !member.key.eq_ignore_ascii_case("type") {
        return None;
    }
    word_any_case(&member.value.text()?, types)
}

fn n3_member(member: &JsonMember<'_>) -> Option<&'static str> {
    if member.key.eq_ignore_ascii_case("script") && member.value.is_array() {
        return Some("a script in an array");
    }
    if member.key.eq_ignore_ascii_case("script") && member.value.is_object() {
        return Some("a script in a file");
    }
    let names = words!(""; "refs", "exceptionMessage", "staticFields", "localVariables", "arguments", "host", "strict", "curve", "limits");
    let types = words!("type "; "ByteString", "Buffer", "Pointer", "Null");
    word_any_case(&member.key, names).or_else(|| type_of(member, types))
}

fn v2_member(member: &JsonMember<'_>) -> Option<&'static str> {
    let names = words!(""; "scriptHash", "altStack", "scriptTable");
    word_any_case(&member.key, names).or_else(|| type_of(member, words!("type "; "ByteArray")))
}

/// In N3, `message`, which vmconf adds, only occurs together with `host`.
fn message_without_host(test: JsonNode<'_>) -> Option<Evidence> {
    let message = member(test, "message").filter(|_| member(test, "host").is_none())?;
    Some(Evidence { at: message.key_at, what: "\"message\"" })
}
