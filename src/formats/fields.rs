//! Reading an object member by member so that none is forgotten: what is required and missing,
//! what is there and unknown, and what is there twice becomes a finding.

use super::{Finding, Severity, Strictness};
use crate::json::{Node, Problem, quoted};

/// Collects all that is wrong with a case, so that its author sees everything in one run.
#[derive(Debug, Default)]
pub struct Findings(pub Vec<Finding>);

impl Findings {
    /// Keeps the value, or records why there is none.
    pub fn keep<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.error(problem)).ok()
    }

    /// Something that stops the case.
    pub fn error(&mut self, problem: Problem) {
        self.0.push(Finding { severity: Severity::Error, problem });
    }

    /// Something that is ignored.
    pub fn note(&mut self, problem: Problem) {
        self.0.push(Finding { severity: Severity::Note, problem });
    }

    /// The findings in document order, with notes made errors where that is asked for.
    pub fn finish(mut self, strictness: Strictness) -> Vec<Finding> {
        self.0.sort_by_key(|finding| finding.problem.at);
        if strictness == Strictness::Strict {
            self.0.iter_mut().for_each(|finding| finding.severity = Severity::Error);
        }
        self.0
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
