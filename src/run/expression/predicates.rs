//! The predicates of expressions, one row each.

use std::borrow::Cow;
use std::fmt;

use globset::GlobMatcher;

use super::case_info::{Asked, Cost};
use crate::formats::FORMATS;
use crate::isa::OpInfo;
use crate::machines::{self, MACHINES};
use crate::model::assertion::Expected;
use crate::model::case::Case;
use crate::model::path::Key;
use crate::model::value::Value;
use crate::run::filter::glob;

/// A predicate on cases.
pub struct Predicate {
    /// Its name.
    pub name: &'static str,
    /// The kind of its argument, in one word.
    pub argument: &'static str,
    /// A description in one line.
    pub doc: &'static str,
    /// The cost of evaluating it.
    pub cost: Cost,
    /// How upper and lower case in its argument are treated.
    pub(super) letters: Letters,
    /// The possible arguments; empty if any text is allowed.
    pub(super) known: fn() -> Vec<&'static str>,
    /// Evaluates it.
    pub(super) holds: fn(&Matcher, &Asked<'_>) -> bool,
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, self.argument)
    }
}

pub(super) const VERDICT: &str = "verdict";

/// All predicates, the cheapest first.
pub static PREDICATES: &[Predicate] = &[
    Predicate {
        name: "machine",
        argument: "machine",
        doc: "runs on this machine",
        cost: Cost::Outline,
        letters: Letters::AnyCase,
        known: || MACHINES.iter().map(|machine| machine.name).collect(),
        holds: |matcher, asked| matcher.matches(asked.info.format().machine),
    },
    Predicate {
        name: "format",
        argument: "format",
        doc: "has this vector format",
        cost: Cost::Outline,
        letters: Letters::AnyCase,
        known: || FORMATS.iter().map(|format| format.name).collect(),
        holds: |matcher, asked| matcher.matches(asked.info.format().name),
    },
    Predicate {
        name: "id",
        argument: "id",
        doc: "has this id, as list prints it",
        cost: Cost::Outline,
        letters: Letters::Exact,
        known: Vec::new,
        holds: |matcher, asked| matcher.matches(&asked.id),
    },
    Predicate {
        name: "name",
        argument: "name",
        doc: "has this name within its file",
        cost: Cost::Outline,
        letters: Letters::Exact,
        known: Vec::new,
        holds: |matcher, asked| matcher.matches(asked.info.id().name.as_deref().unwrap_or_default()),
    },
    Predicate {
        name: "path",
        argument: "path",
        doc: "is in the file with this path, as in its id",
        cost: Cost::Outline,
        letters: Letters::Exact,
        known: Vec::new,
        holds: |matcher, asked| matcher.matches(&asked.info.id().file),
    },
    Predicate {
        name: VERDICT,
        argument: "verdict",
        doc: "had this verdict in the last run from this folder: pass, fail, error, skip, known or fixed",
        cost: Cost::Outline,
        letters: Letters::AnyCase,
        known: || vec!["pass", "fail", "error", "skip", "known", "fixed"],
        holds: |matcher, asked| asked.last.get(&asked.id).is_some_and(|verdict| matcher.matches(verdict)),
    },
    Predicate {
        name: "expects",
        argument: "end",
        doc: "expects this outcome: halt, FAULT, yield, ...",
        cost: Cost::Reading,
        letters: Letters::AnyCase,
        known: Vec::new,
        holds: |matcher, asked| {
            let ends = asked.info.format().ends;
            asked.case().is_some_and(|case| expected_ends(case, ends).any(|end| matcher.matches(end)))
        },
    },
    Predicate {
        name: "uses",
        argument: "instruction",
        doc: "contains this instruction, executed or not",
        cost: Cost::Reading,
        letters: Letters::AnyCase,
        known: mnemonics,
        holds: |matcher, asked| {
            let machine = asked.case().and_then(|case| Some((case, machines::by_name(case.machine)?)));
            machine.is_some_and(|(case, machine)| any_op(matcher, &(machine.contains)(&case.program)))
        },
    },
    Predicate {
        name: "op",
        argument: "instruction",
        doc: "executes this instruction",
        cost: Cost::Execution,
        letters: Letters::AnyCase,
        known: mnemonics,
        holds: |matcher, asked| any_op(matcher, asked.executed()),
    },
];

/// Help text on the predicates and the syntax of arguments.
pub fn help() -> String {
    let width = PREDICATES.iter().map(|row| row.name.len() + row.argument.len()).max().unwrap_or(0) + 2;
    let row = |row: &Predicate| {
        let call = format!("{}({})", row.name, row.argument);
        format!("  {call:width$}  {}\n", row.doc)
    };
    let rows: String = PREDICATES.iter().map(row).collect();
    format!(
        "Expressions for -E combine predicates with and, or, not and parentheses:\n{rows}\n\
         An argument matches a whole name; ~TEXT matches a part of it, and an argument with *, ?, [ or {{ is a \
         glob.\nMatching ignores case, except for id, name and path. Write ) and \\ as \\) and \\\\."
    )
}

fn any_op(matcher: &Matcher, ops: &[&'static OpInfo]) -> bool {
    ops.iter().any(|op| names(op).any(|name| matcher.matches(name)))
}

fn names(op: &OpInfo) -> impl Iterator<Item = &'static str> + use<> {
    [Some(op.name), op.alias].into_iter().flatten()
}

fn mnemonics() -> Vec<&'static str> {
    MACHINES.iter().flat_map(|machine| machine.isa.ops).flat_map(names).collect()
}

/// The outcomes that a case demands, among those that are words.
fn expected_ends<'c>(case: &'c Case, ends: &'static [&'static str]) -> impl Iterator<Item = &'c str> {
    let assertions = case.steps.iter().flat_map(|step| step.end.iter().chain(&step.assertions));
    let assertions = assertions.filter(|check| match check.at.last() {
        Key::Name(name) => check.at.parent().is_none() && ends.contains(&&**name),
        Key::Index(_) => false,
    });
    let values = assertions.flat_map(|check| match &check.expected {
        Expected::Is(value) | Expected::IsOrAbsent(value) => std::slice::from_ref(value),
        Expected::OneOf(values) => values,
        _ => &[],
    });
    values.filter_map(|value| if let Value::Text(text) = value { Some(text.as_str()) } else { None })
}

/// Whether upper and lower case differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Letters {
    Exact,
    AnyCase,
}

impl Letters {
    fn of(self, text: &str) -> Cow<'_, str> {
        match self {
            Letters::Exact => Cow::Borrowed(text),
            Letters::AnyCase => Cow::Owned(text.to_lowercase()),
        }
    }
}

/// Matches a text against an argument.
#[derive(Debug, Clone)]
pub(super) struct Matcher {
    letters: Letters,
    pattern: Pattern,
}

#[derive(Debug, Clone)]
enum Pattern {
    Whole(String),
    Part(String),
    Glob(Box<GlobMatcher>),
}

impl Matcher {
    /// # Errors
    ///
    /// A malformed glob, with the reason.
    pub(super) fn new(argument: &str, letters: Letters) -> Result<Matcher, String> {
        let argument = letters.of(argument);
        let pattern = match argument.strip_prefix('~') {
            Some(part) => Pattern::Part(part.to_owned()),
            None => match glob(&argument).map_err(|error| error.to_string())? {
                Some(glob) => Pattern::Glob(Box::new(glob)),
                None => Pattern::Whole(argument.into_owned()),
            },
        };
        Ok(Matcher { letters, pattern })
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        let text = self.letters.of(text);
        match &self.pattern {
            Pattern::Whole(whole) => *whole == text,
            Pattern::Part(part) => text.contains(part.as_str()),
            Pattern::Glob(glob) => glob.is_match(&*text),
        }
    }
}
