//! Reads an object member by member such that none is overlooked: missing and unknown ones become diagnostics.

use std::borrow::Cow;
use std::collections::HashSet;

use smallvec::SmallVec;

use crate::model::rule::LintRule;
use crate::model::{Diagnostic, DiagnosticList, Name, Origin, Severity, Value};
use crate::text::json::{Document, JsonDatum, JsonMember, JsonNode, quoted};
use crate::text::suggest::nearest;

/// The severity of two things: input that a format does not know, and input that breaks the format's
/// specification but can be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Strictness {
    /// Unknown input gives notes, broken rules are ignored.
    #[default]
    Tolerant,
    /// Both give warnings, as do probable mistakes: `vmconf check` reports them, a run does not.
    Thorough,
    /// Both give errors.
    Strict,
}

impl Strictness {
    /// The most diagnostics of a case that are listed, of each severity. `vmconf check`, whose purpose they are and
    /// which holds those of one file at a time, lists more than a run, where thousands of cases wait for their turn.
    pub fn max_listed(self) -> usize {
        match self {
            Strictness::Thorough => 100_000,
            Strictness::Tolerant | Strictness::Strict => 100,
        }
    }
}

/// The severity of what was found, for a tolerant, a thorough and a strict reader; `None` if it is ignored.
type SeverityByStrictness = [Option<Severity>; 3];

/// Collects all diagnostics of a case, so that its author sees everything in one run.
#[derive(Debug)]
pub struct Diagnostics {
    strictness: Strictness,
    /// The severity of an unknown member.
    unknown: Severity,
    found: DiagnosticList,
    unsupported: Option<String>,
}

impl Diagnostics {
    /// Creates an empty collection. `unknown` is the severity of an unknown member for a tolerant reader.
    pub fn new(strictness: Strictness, unknown: Severity) -> Diagnostics {
        let found = DiagnosticList::new(strictness.max_listed());
        Diagnostics { strictness, unknown, found, unsupported: None }
    }

    /// Keeps the value, or records why it is missing.
    pub fn keep<T>(&mut self, result: Result<T, Diagnostic<Origin>>) -> Option<T> {
        result.map_err(|diagnostic| self.error(diagnostic)).ok()
    }

    /// Makes the case, which is well-formed but cannot be run here, unsupported; `why` is the reason in its verdict.
    pub fn unsupported(&mut self, why: String) {
        self.unsupported = Some(why);
    }

    /// Why the case is unsupported, if it is.
    pub(super) fn take_unsupported(&mut self) -> Option<String> {
        self.unsupported.take()
    }

    /// Adds diagnostics that another reader with the same strictness found.
    pub fn extend(&mut self, found: impl IntoIterator<Item = Diagnostic<Origin>>) {
        self.found.extend(found);
    }

    /// Adds an error, which stops the case.
    pub fn error(&mut self, diagnostic: Diagnostic<Origin>) {
        self.add(Severity::Error, diagnostic);
    }

    /// How many there are, also those that are not listed.
    pub(super) fn count(&self) -> usize {
        self.found.count()
    }

    pub(super) fn has_errors(&self) -> bool {
        self.found.has_errors()
    }

    fn add(&mut self, severity: Severity, diagnostic: Diagnostic<Origin>) {
        self.found.add(diagnostic.severity(severity));
    }

    /// Adds what was found with the severity that it has for this reader.
    fn report(&mut self, severity: SeverityByStrictness, found: impl FnOnce() -> Diagnostic<Origin>) {
        if let Some(severity) = severity[self.strictness as usize] {
            self.add(severity, found());
        }
    }

    /// Reports ignored input: a note, or an error if the reader is strict.
    pub fn note(&mut self, diagnostic: Diagnostic<Origin>) {
        self.report([Some(Severity::Note), Some(Severity::Warning), Some(Severity::Error)], || diagnostic);
    }

    /// Reports a violation of the format's specification that real files contain: an error if the reader is
    /// strict, ignored if it is tolerant.
    pub fn breach(&mut self, diagnostic: impl FnOnce() -> Diagnostic<Origin>) {
        self.report([None, Some(Severity::Warning), Some(Severity::Error)], diagnostic);
    }

    /// Reports something on which the format's specification and all real files disagree: a note, ignored if
    /// the reader is tolerant.
    pub fn remark(&mut self, diagnostic: impl FnOnce() -> Diagnostic<Origin>) {
        self.report([None, Some(Severity::Note), Some(Severity::Note)], diagnostic);
    }

    /// Reports ambiguous input: never an error, however strict the reader is.
    pub fn caution(&mut self, diagnostic: Diagnostic<Origin>) {
        self.report([Some(Severity::Note), Some(Severity::Warning), Some(Severity::Note)], || diagnostic);
    }

    /// Adds a note, however strict the reader is.
    pub(super) fn mention(&mut self, diagnostic: Diagnostic<Origin>) {
        self.add(Severity::Note, diagnostic);
    }

    /// Reports valid input that is probably a mistake: a warning in `vmconf check`, ignored when cases run.
    pub fn suspect(&mut self, diagnostic: impl FnOnce() -> Diagnostic<Origin>) {
        self.report([None, Some(Severity::Warning), None], diagnostic);
    }

    /// A list for the keys that a reader knows; `None` if no suggestions are reported.
    fn known_keys(&self) -> Option<Vec<&'static str>> {
        (self.strictness == Strictness::Thorough).then(Vec::new)
    }

    /// The diagnostics in document order.
    pub fn finish(self) -> Vec<Diagnostic<Origin>> {
        self.found.finish()
    }
}

/// How the names of an object's members may be spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberNames {
    /// Exactly as in the format.
    Exact,
    /// In any case; a spelling that differs from the format's is a remark.
    AnyCase,
    /// In any case; a spelling that differs from the format's is a breach.
    AnyCaseByBreach,
}

impl MemberNames {
    fn matches(self, written: &str, key: &str) -> bool {
        match self {
            MemberNames::Exact => written == key,
            // Most members have a different length, and most others are spelled like the key.
            MemberNames::AnyCase | MemberNames::AnyCaseByBreach => {
                written.len() == key.len() && (written == key || written.eq_ignore_ascii_case(key))
            }
        }
    }
}

/// No fewer members than most objects have. Up to this number, the list of members takes no allocation.
const MEMBERS: usize = 8;

/// An object that is being read.
pub struct FieldReader<'d> {
    /// The object.
    pub(super) node: JsonNode<'d>,
    /// The name of the object in messages: "test", "account".
    name: &'static str,
    names: MemberNames,
    members: SmallVec<[JsonMember<'d>; MEMBERS]>,
    /// Members that were read although they are spelled differently from the key, with the key.
    respelled: Vec<(JsonMember<'d>, &'static str)>,
    /// Keys that the reader requested; `None` if no suggestions are reported.
    known: Option<Vec<&'static str>>,
}

impl<'d> FieldReader<'d> {
    /// Starts reading `node` as an object; `name` is its name in messages.
    pub fn open(
        node: JsonNode<'d>,
        name: &'static str,
        diagnostics: &mut Diagnostics,
    ) -> Option<FieldReader<'d>> {
        FieldReader::open_with(node, name, MemberNames::Exact, diagnostics)
    }

    /// Like [`FieldReader::open`], with a rule for how names may be spelled.
    pub fn open_with(
        node: JsonNode<'d>,
        name: &'static str,
        names: MemberNames,
        diagnostics: &mut Diagnostics,
    ) -> Option<FieldReader<'d>> {
        let node = diagnostics.keep(object(node, name, "an object"))?;
        let known = diagnostics.known_keys();
        let members = node.members().collect();
        Some(FieldReader { node, name, names, members, respelled: Vec::new(), known })
    }

    /// Where the object starts.
    pub fn at(&self) -> u32 {
        self.node.at()
    }

    /// Takes a member, if present; the last one if there are several.
    pub fn optional(&mut self, key: &'static str) -> Option<JsonNode<'d>> {
        let member = self.take(key)?;
        let value = member.value;
        if self.names != MemberNames::Exact && member.key != key {
            self.respelled.push((member, key));
        }
        Some(value)
    }

    /// Takes a member, if present and not null.
    pub fn present(&mut self, key: &'static str) -> Option<JsonNode<'d>> {
        self.optional(key).filter(|node| !node.is_null())
    }

    /// Takes a member with its key, if present. The caller reports a different spelling.
    pub fn member(&mut self, key: &'static str) -> Option<JsonMember<'d>> {
        self.take(key)
    }

    /// Takes the last member with the key in any accepted spelling. Members with yet another spelling stay
    /// and are reported as unknown.
    fn take(&mut self, key: &'static str) -> Option<JsonMember<'d>> {
        if let Some(known) = &mut self.known {
            known.push(key);
        }
        let found = self.members.iter().rposition(|member| self.names.matches(&member.key, key))?;
        let found = self.members.remove(found);
        // A duplicate key is a deviation; most documents have none.
        if !self.node.document().deviations().is_empty() {
            self.members.retain(|member| member.key != found.key);
        }
        Some(found)
    }

    /// Takes a required member.
    pub fn required(&mut self, key: &'static str, diagnostics: &mut Diagnostics) -> Option<JsonNode<'d>> {
        let found = self.optional(key);
        if found.is_none() {
            diagnostics.error(self.without(key));
        }
        found
    }

    /// The diagnostic that a member is missing.
    pub fn without(&self, key: &str) -> Diagnostic<Origin> {
        let what = format!("{} without {}", self.name, quoted(key));
        Diagnostic::at(self.at(), what)
            .expected(format!("a member {}", quoted(key)))
            .under(LintRule::MissingMember)
    }

    /// Takes members that have no meaning.
    pub fn ignore(&mut self, keys: &[&'static str]) {
        if let Some(known) = &mut self.known {
            known.extend(keys);
        }
        self.members.retain(|member| !keys.contains(&&*member.key));
    }

    /// The names that were taken, in lower case; empty if a name has only one accepted spelling.
    fn taken(&self) -> HashSet<String> {
        if self.names == MemberNames::Exact || self.members.is_empty() {
            return HashSet::new();
        }
        let left: HashSet<u32> = self.members.iter().map(|member| member.key_at).collect();
        let taken = self.node.members().filter(|member| !left.contains(&member.key_at));
        taken.map(|member| member.key.to_ascii_lowercase()).collect()
    }

    /// Reports each member that was not taken.
    pub fn finish(self, diagnostics: &mut Diagnostics) {
        for (member, key) in &self.respelled {
            let diagnostic = || misspelled(member.key_node(), key);
            match self.names {
                MemberNames::Exact | MemberNames::AnyCase => {
                    diagnostics.remark(|| diagnostic().under(LintRule::LetterCase));
                }
                MemberNames::AnyCaseByBreach => diagnostics.breach(diagnostic),
            }
        }
        let taken = self.taken();
        for JsonMember { key, key_at, .. } in &self.members {
            // The last one was taken.
            if taken.contains(&key.to_ascii_lowercase()) {
                let what = format!("member {} occurs again with other capitals; it is ignored", quoted(key));
                let expected = format!("one member {} of {}", quoted(key), self.name);
                let repeated = Diagnostic::at(*key_at, what).expected(expected);
                diagnostics.note(repeated.under(LintRule::DuplicateKey));
                continue;
            }
            let what = format!("unknown member {} of {}", quoted(key), self.name);
            let known = self.known.iter().flatten().copied();
            let unknown = |what| {
                Diagnostic::at(*key_at, what).under(LintRule::UnknownMember).suggest(nearest(key, known))
            };
            match diagnostics.unknown {
                Severity::Note | Severity::Warning => diagnostics.note(unknown(format!("{what} is ignored"))),
                Severity::Error => diagnostics.error(unknown(what)),
            }
        }
    }
}

/// The members of a record that is being read, without those that are missing or invalid.
#[derive(Default)]
pub(super) struct RecordMembers(pub(super) Vec<(Name, Value)>);

impl RecordMembers {
    pub(super) fn push(&mut self, name: &'static str, value: Value) {
        self.0.push((name.into(), value));
    }

    pub(super) fn keep(&mut self, name: &'static str, value: Option<Value>) {
        self.0.extend(value.map(|value| (name.into(), value)));
    }

    /// Reads a member from a datum, if there is one.
    pub(super) fn read(
        &mut self,
        name: &'static str,
        node: Option<JsonNode<'_>>,
        read: impl FnOnce(JsonNode<'_>) -> Result<Value, Diagnostic<Origin>>,
        diagnostics: &mut Diagnostics,
    ) {
        self.keep(name, node.and_then(|node| diagnostics.keep(read(node))));
    }

    pub(super) fn record(self) -> Value {
        Value::Record(self.0)
    }
}

/// A string that differs from a word of the format only in case.
pub fn misspelled(string: JsonNode<'_>, word: &str) -> Diagnostic<Origin> {
    Diagnostic::at(string.at(), format!("{} has the wrong letter case", string.shown()))
        .expected(quoted(word))
        .under(LintRule::MustLetterCase)
        .replace(string.range().len(), format!("\"{word}\""))
}

/// A datum that is not one of the words allowed here.
pub fn no_such_word<'w>(
    node: JsonNode<'_>,
    what: String,
    expected: String,
    words: impl IntoIterator<Item = &'w str>,
) -> Diagnostic<Origin> {
    let diagnostic = Diagnostic::at(node.at(), what).expected(expected).under(LintRule::UnknownName);
    diagnostic.suggest(nearest(&node.text().unwrap_or_default(), words))
}

/// The string, if it is one of these words; `name` is what the datum is.
pub fn one_of<'d>(
    node: JsonNode<'d>,
    name: &str,
    words: &[&str],
) -> Result<Cow<'d, str>, Diagnostic<Origin>> {
    let text = node.text().filter(|text| words.contains(&&**text));
    text.ok_or_else(|| {
        let each: Vec<_> = words.iter().map(|word| quoted(word)).collect();
        let what = format!("{name} is {}", node.shown());
        no_such_word(node, what, each.join(" or "), words.iter().copied())
    })
}

/// The datum, if it is an array; `name` is what it is.
pub fn array<'d>(node: JsonNode<'d>, name: &str, expected: &str) -> Result<JsonNode<'d>, Diagnostic<Origin>> {
    if node.is_array() { Ok(node) } else { Err(wrong_type(node, name, expected)) }
}

/// The datum, if it is an object; `name` is what it is.
pub fn object<'d>(
    node: JsonNode<'d>,
    name: &str,
    expected: &str,
) -> Result<JsonNode<'d>, Diagnostic<Origin>> {
    if node.is_object() { Ok(node) } else { Err(wrong_type(node, name, expected)) }
}

/// The string; `name` is what the datum is.
pub fn text<'d>(node: JsonNode<'d>, name: &str, expected: &str) -> Result<Cow<'d, str>, Diagnostic<Origin>> {
    node.text().ok_or_else(|| wrong_type(node, name, expected))
}

/// The truth value; `name` is what the datum is.
pub fn boolean(node: JsonNode<'_>, name: &str) -> Result<bool, Diagnostic<Origin>> {
    match node.datum() {
        JsonDatum::Bool(truth) => Ok(truth),
        _ => Err(wrong_type(node, name, "true or false")),
    }
}

/// A datum of the wrong type.
pub fn wrong_type(node: JsonNode<'_>, name: &str, expected: &str) -> Diagnostic<Origin> {
    Diagnostic::at(node.at(), format!("{name} is {}", node.type_name()))
        .expected(expected)
        .under(LintRule::WrongType)
}

/// Whether the keys at two places are spelled the same, by their text up to the closing quote.
pub fn same_key(document: &Document, first: u32, second: u32) -> bool {
    let key = |at: u32| document.text()[at as usize + 1..].split('"').next();
    key(first) == key(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Diagnostic<Origin>> {
        let document = Document::parse(text.to_owned(), 2).expect("an object");
        let mut diagnostics = Diagnostics::new(Strictness::Thorough, Severity::Note);
        let reader = FieldReader::open_with(document.root(), "test", MemberNames::AnyCase, &mut diagnostics);
        let mut reader = reader.expect("an object");
        reader.optional("name");
        reader.finish(&mut diagnostics);
        diagnostics.finish()
    }

    #[test]
    fn an_earlier_member_in_another_letter_case_is_a_repeated_one() {
        let [repeated, unknown] = &found(r#"{"NAME": 1, "size": 2, "name": 3}"#)[..] else {
            panic!("two notes")
        };
        assert!(repeated.what.contains("NAME") && unknown.what.contains("size"), "{repeated:?} {unknown:?}");
    }

    /// Searching all members that were taken for each unknown one would take minutes.
    #[test]
    fn many_repeated_and_many_unknown_members_are_reported() {
        const MEMBERS: usize = 100_000;
        let unknown = (0..MEMBERS).map(|number| format!("\"{number}\": 0"));
        let repeated = std::iter::repeat_n("\"name\": 0".to_owned(), MEMBERS);
        let members: Vec<_> = unknown.chain(repeated).collect();
        assert_eq!(found(&format!("{{{}}}", members.join(", "))).len(), MEMBERS);
    }
}
