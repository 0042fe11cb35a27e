//! Reading an object member by member so that none is forgotten: what is required and missing,
//! what is there and unknown, and what is there twice becomes a finding.

use super::{Finding, Severity, Strictness};
use crate::json::{Node, Problem, quoted};

/// Collects all that is wrong with a case, so that its author sees everything in one run.
#[derive(Debug)]
pub struct Findings {
    strictness: Strictness,
    found: Vec<Finding>,
}

impl Findings {
    /// No findings yet.
    pub fn new(strictness: Strictness) -> Findings {
        Findings { strictness, found: Vec::new() }
    }

    /// Keeps the value, or records why there is none.
    pub fn keep<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.error(problem)).ok()
    }

    /// Something that stops the case.
    pub fn error(&mut self, problem: Problem) {
        self.found.push(Finding { severity: Severity::Error, problem });
    }

    /// Something that is ignored: a note, or an error where the reader is to be strict.
    pub fn note(&mut self, problem: Problem) {
        let severity = match self.strictness {
            Strictness::Tolerant => Severity::Note,
            Strictness::Strict => Severity::Error,
        };
        self.found.push(Finding { severity, problem });
    }

    /// A rule of the format's text that is broken, as real files do: an error where the reader is
    /// to be strict, and else nothing.
    pub fn breach(&mut self, problem: impl FnOnce() -> Problem) {
        if self.strictness == Strictness::Strict {
            self.error(problem());
        }
    }

    /// Something that the format's text and real files do not agree on: a note where the reader is
    /// to be strict, and else nothing.
    pub fn remark(&mut self, problem: impl FnOnce() -> Problem) {
        if self.strictness == Strictness::Strict {
            self.found.push(Finding { severity: Severity::Note, problem: problem() });
        }
    }

    /// The findings in document order.
    pub fn finish(mut self) -> Vec<Finding> {
        self.found.sort_by_key(|finding| finding.problem.at);
        self.found
    }
}

/// An object that is being read.
pub struct Fields<'d> {
    node: Node<'d>,
    /// What the object is, for messages: "test", "account".
    name: &'static str,
    members: Vec<(std::borrow::Cow<'d, str>, u32, Node<'d>)>,
}

impl<'d> Fields<'d> {
    /// Starts reading `node` as an object; `name` is what it is, for messages.
    pub fn open(node: Node<'d>, name: &'static str, findings: &mut Findings) -> Option<Fields<'d>> {
        if !node.is_object() {
            findings.error(wrong_type(node, name, "an object"));
            return None;
        }
        let members = node.members().map(|member| (member.key, member.key_at, member.value)).collect();
        Some(Fields { node, name, members })
    }

    /// Where the object starts.
    pub fn at(&self) -> u32 {
        self.node.at()
    }

    /// Takes a member, if it is there; the last one where it is there twice.
    pub fn optional(&mut self, key: &str) -> Option<Node<'d>> {
        let found = self.members.iter().rev().find(|member| member.0 == key)?.2;
        self.ignore(&[key]);
        Some(found)
    }

    /// Takes a member that must be there.
    pub fn required(&mut self, key: &str, findings: &mut Findings) -> Option<Node<'d>> {
        let found = self.optional(key);
        if found.is_none() {
            let what = format!("{} without {}", self.name, quoted(key));
            findings.error(Problem::new(self.at(), what, format!("a member {}", quoted(key))));
        }
        found
    }

    /// Takes members that are known to mean nothing.
    pub fn ignore(&mut self, keys: &[&str]) {
        self.members.retain(|member| !keys.contains(&&*member.0));
    }

    /// Notes each member that nobody took.
    pub fn finish(self, findings: &mut Findings) {
        for (key, at, _) in self.members {
            findings.note(Problem::bare(
                at,
                format!("unknown member {} of {} is ignored", quoted(&key), self.name),
            ));
        }
    }
}

/// A datum of the wrong type.
pub fn wrong_type(node: Node<'_>, name: &str, expected: &str) -> Problem {
    Problem::new(node.at(), format!("{name} is {}", node.type_name()), expected)
}
