//! Reading an object member by member so that none is forgotten: what is required and missing,
//! what is there and unknown, and what is there twice becomes a finding.

use std::borrow::Cow;

use super::{Finding, Severity, Strictness};
use crate::model::rule::Rule;
use crate::text::json::{Document, Member, Node, Problem, Remedy, quoted};

/// Collects all that is wrong with a case, so that its author sees everything in one run.
#[derive(Debug)]
pub struct Findings {
    strictness: Strictness,
    /// What an unknown member is.
    unknown: Severity,
    found: Vec<Finding>,
}

impl Findings {
    /// No findings yet. `unknown` is what an unknown member is to a tolerant reader of the format.
    pub fn new(strictness: Strictness, unknown: Severity) -> Findings {
        Findings { strictness, unknown, found: Vec::new() }
    }

    /// Keeps the value, or records why there is none.
    pub fn keep<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.error(problem)).ok()
    }

    /// Something that stops the case.
    pub fn error(&mut self, problem: Problem) {
        self.found.push(Finding { severity: Severity::Error, problem });
    }

    fn add(&mut self, severity: Severity, problem: Problem) {
        self.found.push(Finding { severity, problem });
    }

    /// Something that is ignored: a note, or an error where the reader is to be strict.
    pub fn note(&mut self, problem: Problem) {
        let severity = match self.strictness {
            Strictness::Tolerant => Severity::Note,
            Strictness::Thorough => Severity::Warning,
            Strictness::Strict => Severity::Error,
        };
        self.add(severity, problem);
    }

    /// A rule of the format's text that is broken, as real files do: an error where the reader is
    /// to be strict, and nothing where it is to be tolerant.
    pub fn breach(&mut self, problem: impl FnOnce() -> Problem) {
        match self.strictness {
            Strictness::Tolerant => {}
            Strictness::Thorough => self.add(Severity::Warning, problem()),
            Strictness::Strict => self.error(problem()),
        }
    }

    /// Something that the format's text and real files do not agree on: a note, and nothing where
    /// the reader is to be tolerant.
    pub fn remark(&mut self, problem: impl FnOnce() -> Problem) {
        match self.strictness {
            Strictness::Tolerant => {}
            Strictness::Thorough | Strictness::Strict => self.add(Severity::Note, problem()),
        }
    }

    /// Something that can be read in two ways: a note, however strict the reader is to be.
    pub fn caution(&mut self, problem: Problem) {
        let severity = match self.strictness {
            Strictness::Tolerant | Strictness::Strict => Severity::Note,
            Strictness::Thorough => Severity::Warning,
        };
        self.add(severity, problem);
    }

    /// Something that is right and hardly meant, and nothing to somebody who wants the cases alone.
    pub fn suspect(&mut self, problem: impl FnOnce() -> Problem) {
        match self.strictness {
            Strictness::Tolerant | Strictness::Strict => {}
            Strictness::Thorough => self.add(Severity::Warning, problem()),
        }
    }

    /// A place for the keys that a reader knows, where somebody is told what a misspelled one may
    /// mean.
    fn known_keys(&self) -> Option<Vec<&'static str>> {
        match self.strictness {
            Strictness::Tolerant | Strictness::Strict => None,
            Strictness::Thorough => Some(Vec::new()),
        }
    }

    /// The findings in document order.
    pub fn finish(mut self) -> Vec<Finding> {
        self.found.sort_by_key(|finding| finding.problem.at);
        self.found
    }
}

/// How the names of an object's members may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Only as the format spells them.
    Exact,
    /// With letters of any case; another spelling than the format's is a remark.
    AnyCase,
    /// With letters of any case; another spelling than the format's is a breach.
    AnyCaseByBreach,
}

impl Names {
    fn mean(self, spelled: &str, key: &str) -> bool {
        match self {
            Names::Exact => spelled == key,
            Names::AnyCase | Names::AnyCaseByBreach => spelled.eq_ignore_ascii_case(key),
        }
    }
}

/// A member of an object.
type Found<'d> = (Cow<'d, str>, u32, Node<'d>);

/// An object that is being read.
pub struct Fields<'d> {
    node: Node<'d>,
    /// What the object is, for messages: "test", "account".
    name: &'static str,
    names: Names,
    members: Vec<Found<'d>>,
    /// Members that were taken and are spelled otherwise than their key, with the key.
    respelled: Vec<(Cow<'d, str>, u32, &'static str)>,
    /// Keys that were asked for, if that is kept.
    known: Option<Vec<&'static str>>,
}

impl<'d> Fields<'d> {
    /// Starts reading `node` as an object; `name` is what it is, for messages.
    pub fn open(node: Node<'d>, name: &'static str, findings: &mut Findings) -> Option<Fields<'d>> {
        Fields::open_with(node, name, Names::Exact, findings)
    }

    /// As [`Fields::open`], where the format has a rule for how names may be written.
    pub fn open_with(
        node: Node<'d>,
        name: &'static str,
        names: Names,
        findings: &mut Findings,
    ) -> Option<Fields<'d>> {
        if !node.is_object() {
            findings.error(wrong_type(node, name, "an object"));
            return None;
        }
        let members = node.members().map(|member| (member.key, member.key_at, member.value)).collect();
        let known = findings.known_keys();
        Some(Fields { node, name, names, members, respelled: Vec::new(), known })
    }

    /// Where the object starts.
    pub fn at(&self) -> u32 {
        self.node.at()
    }

    /// Takes a member, if it is there; the last one where it is there twice.
    pub fn optional(&mut self, key: &'static str) -> Option<Node<'d>> {
        let (spelled, at, found) = self.take(key)?;
        if spelled != key {
            self.respelled.push((spelled, at, key));
        }
        Some(found)
    }

    /// Takes a member, if it is there and not null.
    pub fn present(&mut self, key: &'static str) -> Option<Node<'d>> {
        self.optional(key).filter(|node| !node.is_null())
    }

    /// Takes a member, if it is there, and leaves it to the caller what its spelling means.
    pub fn spelled(&mut self, key: &'static str) -> Option<Member<'d>> {
        let (key, key_at, value) = self.take(key)?;
        Some(Member { key, key_at, value })
    }

    /// One that is spelled otherwise stays behind, to be noted.
    fn take(&mut self, key: &'static str) -> Option<Found<'d>> {
        if let Some(known) = &mut self.known {
            known.push(key);
        }
        let found = self.members.iter().rposition(|member| self.names.mean(&member.0, key))?;
        let found = self.members.remove(found);
        self.members.retain(|member| member.0 != found.0);
        Some(found)
    }

    /// Takes a member that must be there.
    pub fn required(&mut self, key: &'static str, findings: &mut Findings) -> Option<Node<'d>> {
        let found = self.optional(key);
        if found.is_none() {
            findings.error(self.without(key));
        }
        found
    }

    /// That a member is not there.
    pub fn without(&self, key: &str) -> Problem {
        let what = format!("{} without {}", self.name, quoted(key));
        Problem::new(self.at(), what, format!("a member {}", quoted(key))).under(Rule::MissingMember)
    }

    /// Takes members that are known to mean nothing.
    pub fn ignore(&mut self, keys: &[&'static str]) {
        if let Some(known) = &mut self.known {
            known.extend(keys);
        }
        self.members.retain(|member| !keys.contains(&&*member.0));
    }

    /// Reports each member that nobody took.
    pub fn finish(self, findings: &mut Findings) {
        for (spelled, at, key) in self.respelled {
            let problem = || misspelled(at, &spelled, key);
            match self.names {
                Names::Exact | Names::AnyCase => findings.remark(|| problem().under(Rule::LetterCase)),
                Names::AnyCaseByBreach => findings.breach(problem),
            }
        }
        for (key, at, _) in self.members {
            let what = format!("unknown member {} of {}", quoted(&key), self.name);
            let known = self.known.iter().flatten().copied();
            let unknown = |what| Problem::bare(at, what).under(Rule::UnknownMember).did_you_mean(&key, known);
            match findings.unknown {
                Severity::Note | Severity::Warning => findings.note(unknown(format!("{what} is ignored"))),
                Severity::Error => findings.error(unknown(what)),
            }
        }
    }
}

/// A string at `at` that is a word of the format in letters of another case.
pub fn misspelled(at: u32, spelled: &str, word: &str) -> Problem {
    Problem::new(at, format!("{} is spelled otherwise", quoted(spelled)), quoted(word))
        .under(Rule::MustLetterCase)
        .mended_by(Remedy::Respell(word.to_owned()))
}

/// A datum that is none of the words that can stand here.
pub fn no_such_word<'w>(
    node: Node<'_>,
    what: String,
    expected: String,
    words: impl IntoIterator<Item = &'w str>,
) -> Problem {
    let problem = Problem::new(node.at(), what, expected).under(Rule::UnknownName);
    problem.did_you_mean(&node.text().unwrap_or_default(), words)
}

/// A datum of the wrong type.
pub fn wrong_type(node: Node<'_>, name: &str, expected: &str) -> Problem {
    Problem::new(node.at(), format!("{name} is {}", node.type_name()), expected).under(Rule::WrongType)
}

/// Whether the keys at two places are spelled the same, by their text up to the closing quote.
pub fn same_key(document: &Document, first: u32, second: u32) -> bool {
    let key = |at: u32| document.text()[at as usize + 1..].split('"').next();
    key(first) == key(second)
}
