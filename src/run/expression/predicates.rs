//! The predicates of expressions, one row each.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use globset::GlobMatcher;

use super::case_info::{ExpressionCase, PredicateCost};
use super::given::{demanded, has, parts};
use crate::formats::family::BUILT_IN;
use crate::formats::{FORMATS, forks};
use crate::isa::{OpInfo, OpSet};
use crate::machines::{self, Executes, MACHINES, MachineInfo};
use crate::model::{Action, Case, Expected, PathKey, Value, VerdictKind};
use crate::run::families::Families;
use crate::run::filter::glob;
use crate::text::number::without_numbers;

/// A predicate on cases.
pub struct Predicate {
    /// Its name.
    pub name: &'static str,
    /// The kind of its argument, in one word.
    pub argument: &'static str,
    /// What stands for the argument in help texts.
    pub placeholder: &'static str,
    /// A description in one line.
    pub doc: &'static str,
    /// The cost of evaluating it.
    pub cost: PredicateCost,
    /// How upper and lower case in its argument are treated.
    pub(super) letters: LetterCase,
    /// The possible arguments.
    pub(super) accepts: Accepts,
    /// Evaluates it.
    pub(super) holds: fn(&Matcher, &ExpressionCase<'_>) -> bool,
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, self.placeholder)
    }
}

pub(super) const VERDICT: &str = "verdict";
pub(super) const CAUSE: &str = "cause";
pub(super) const PATH: &str = "path";

/// Nouns for outcomes that vectors and machines name otherwise.
const OTHER_ENDS: [(&str, &str); 1] = [("refused", "refusal")];

/// Which arguments a predicate accepts.
pub(super) enum Accepts {
    /// Any text: what matches depends on the vectors.
    AnyText,
    /// One of these names, or a pattern that matches at least one of them.
    Names(fn(&Families) -> Vec<&'static str>),
    /// An argument for which this returns no error.
    Checked(fn(&Matcher, &Families) -> Result<(), RefusedArgument>),
}

/// Why a predicate does not accept an argument.
pub(super) enum RefusedArgument {
    /// The argument has another form than this one.
    Form(String),
    /// This part is none of these names.
    Unknown(String, Vec<&'static str>),
}

/// All predicates, the cheapest first.
pub static PREDICATES: &[Predicate] = &[
    Predicate {
        name: "machine",
        argument: "machine",
        placeholder: "NAME",
        doc: "runs on this machine",
        cost: PredicateCost::Outline,
        letters: LetterCase::AnyCase,
        accepts: Accepts::Names(|families| {
            with_families(MACHINES.iter().map(|machine| machine.name), families)
        }),
        holds: |matcher, asked| matcher.matches(asked.info.format().machine),
    },
    Predicate {
        name: "format",
        argument: "format",
        placeholder: "NAME",
        doc: "has this vector format",
        cost: PredicateCost::Outline,
        letters: LetterCase::AnyCase,
        accepts: Accepts::Names(|families| with_families(FORMATS.iter().map(|format| format.name), families)),
        holds: |matcher, asked| matcher.matches(asked.info.format().name),
    },
    Predicate {
        name: "id",
        argument: "id",
        placeholder: "ID",
        doc: "has this id, as list prints it",
        cost: PredicateCost::Outline,
        letters: LetterCase::Exact,
        accepts: Accepts::AnyText,
        holds: |matcher, asked| matcher.matches(&asked.id),
    },
    Predicate {
        name: "name",
        argument: "name",
        placeholder: "NAME",
        doc: "has this name within its file",
        cost: PredicateCost::Outline,
        letters: LetterCase::Exact,
        accepts: Accepts::AnyText,
        holds: |matcher, asked| matcher.matches(asked.info.id().name.as_deref().unwrap_or_default()),
    },
    Predicate {
        name: PATH,
        argument: "path",
        placeholder: "FILE",
        doc: "is in the file with this path, as in its id",
        cost: PredicateCost::Outline,
        letters: LetterCase::Exact,
        accepts: Accepts::AnyText,
        holds: |matcher, asked| matcher.matches(&asked.info.id().file),
    },
    Predicate {
        name: VERDICT,
        argument: "verdict",
        placeholder: "WORD",
        doc: "had this verdict in the last run from this folder: pass, fail, error, skip, known, fixed, unsupported, crash, timeout or flaky",
        cost: PredicateCost::Outline,
        letters: LetterCase::AnyCase,
        accepts: Accepts::Names(|_| VerdictKind::ALL.iter().map(|kind| kind.name()).collect()),
        holds: |matcher, asked| {
            let verdicts = asked.last.verdicts.get(&asked.id);
            verdicts.is_some_and(|verdicts| verdicts.iter().any(|verdict| matcher.matches(verdict)))
        },
    },
    Predicate {
        name: "expects",
        argument: "outcome",
        placeholder: "OUTCOME",
        doc: "expects this outcome: halt, FAULT, yield, refusal, ...",
        cost: PredicateCost::Reading,
        letters: LetterCase::AnyCase,
        accepts: Accepts::Names(|_| ends()),
        holds: |matcher, asked| {
            let ends = machines::ends_of(asked.info.format().machine).fields;
            let matches = |end| names_of_end(end).any(|name| matcher.matches(name));
            asked.case().is_some_and(|case| expected_ends(case, ends).any(matches))
        },
    },
    Predicate {
        name: "fork",
        argument: "fork",
        placeholder: "NAME",
        doc: "runs under the rules of this fork: London, Cancun, ... (ethereum)",
        cost: PredicateCost::Reading,
        letters: LetterCase::AnyCase,
        accepts: Accepts::Names(|_| forks::all().collect()),
        holds: |matcher, asked| {
            asked
                .case()
                .and_then(fork)
                .is_some_and(|fork| forks::names(fork).any(|name| matcher.matches(name)))
        },
    },
    Predicate {
        name: "field",
        argument: "field",
        placeholder: "NAME",
        doc: "demands something of this field of the state",
        cost: PredicateCost::Reading,
        letters: LetterCase::Exact,
        accepts: Accepts::Names(fields),
        holds: |matcher, asked| {
            asked.case().is_some_and(|case| demanded(case).any(|field| matcher.matches(field)))
        },
    },
    Predicate {
        name: "has",
        argument: "member",
        placeholder: "PATH=VALUE",
        doc: "gives this value to the machine: has(a=0xff), has(regs/2=7)",
        cost: PredicateCost::Reading,
        letters: LetterCase::Exact,
        accepts: Accepts::Checked(member_and_value),
        holds: |matcher, asked| match parts(&matcher.text) {
            Ok((path, value)) => asked.case().is_some_and(|case| has(case, path, value)),
            Err(()) => false,
        },
    },
    Predicate {
        name: "uses",
        argument: "instruction",
        placeholder: "OP",
        doc: "contains this instruction, executed or not",
        cost: PredicateCost::Reading,
        letters: LetterCase::AnyCase,
        accepts: Accepts::Names(|_| mnemonics()),
        holds: |matcher, asked| {
            let sought = matcher.instructions(asked);
            !sought.is_empty() && asked.case().is_some_and(|case| contains(case, sought))
        },
    },
    Predicate {
        name: "op",
        argument: "instruction",
        placeholder: "OP",
        doc: "executes this instruction",
        cost: PredicateCost::Execution,
        letters: LetterCase::AnyCase,
        accepts: Accepts::Names(|_| mnemonics()),
        holds: |matcher, asked| {
            let sought = matcher.instructions(asked);
            !sought.is_empty()
                && asked
                    .case()
                    .is_some_and(|case| may_execute(case, sought) && asked.info.executes(case, sought))
        },
    },
    Predicate {
        name: "calls",
        argument: "address",
        placeholder: "ADDRESS",
        doc: "executes an instruction that calls this account: 0x, 40 hex digits (ethereum)",
        cost: PredicateCost::Execution,
        letters: LetterCase::AnyCase,
        accepts: Accepts::Checked(address),
        holds: |matcher, asked| asked.info.calls(&|address| matcher.matches(address)),
    },
    Predicate {
        name: "fails",
        argument: "instruction",
        placeholder: "OP, REASON",
        doc: "has an instruction that fails for this reason: fails(SSTORE, out of gas), fails(POP, *)",
        cost: PredicateCost::Execution,
        letters: LetterCase::AnyCase,
        accepts: Accepts::Checked(instruction_and_reason),
        holds: |matcher, asked| asked.info.failures().iter().any(|failure| fails(matcher, failure)),
    },
    Predicate {
        name: CAUSE,
        argument: "cause",
        placeholder: "CAUSE",
        doc: "fails or is broken for this cause, by which run groups failures, or with this signature, or was explained by this suspect in the last run",
        cost: PredicateCost::Execution,
        letters: LetterCase::Exact,
        accepts: Accepts::AnyText,
        holds: |matcher, asked| {
            let mut suspects = asked.last.suspects_on(&asked.id, asked.info.vm());
            suspects.any(|suspect| matcher.matches(suspect))
                || asked.causes().iter().any(|cause| matcher.matches(cause))
        },
    },
];

/// Help text on the predicates and the syntax of arguments.
pub fn help() -> String {
    let width = PREDICATES.iter().map(|row| row.name.len() + row.placeholder.len()).max().unwrap_or(0) + 2;
    let row = |row: &Predicate| {
        let call = format!("{row:?}");
        format!("  {call:width$}  {}\n", row.doc)
    };
    let rows: String = PREDICATES.iter().map(row).collect();
    let is_exact = |row: &&Predicate| row.letters == LetterCase::Exact;
    let exact: Vec<_> = PREDICATES.iter().filter(is_exact).map(|row| row.name).collect();
    let exact = exact.join(", ");
    format!(
        "Expressions for -E combine predicates with and, or, not and parentheses:\n{rows}\n\
         An argument matches a whole name; ~TEXT matches a part of it, and an argument with *, ?, [ or {{ is a \
         glob.\nIn double quotes, it matches only itself.\nMatching ignores case, except for {exact}. \
         Write ) and \\ as \\) and \\\\, and \" in quotes as \\\"."
    )
}

/// Whether the program of the case contains one of these instructions.
fn contains(case: &Case, sought: &OpSet) -> bool {
    let machine = machines::by_name(case.machine);
    machine.is_some_and(|machine| (machine.contains)(&case.program).into_iter().any(|op| sought.contains(op)))
}

/// Whether the case may execute one of these instructions: most cases that do not execute an instruction do not
/// contain it, which takes no run to find out.
fn may_execute(case: &Case, sought: &OpSet) -> bool {
    // A family has no instructions.
    let Some(machine) = machines::by_name(case.machine) else { return false };
    machine.executes != Executes::Contained || contains(case, sought)
}

fn names(op: &OpInfo) -> impl Iterator<Item = &'static str> + use<> {
    [Some(op.name), op.alias].into_iter().flatten()
}

/// The names, and those of all families. The built-in ones need not be compiled for that.
fn with_families(names: impl Iterator<Item = &'static str>, families: &Families) -> Vec<&'static str> {
    let added = families.added().map(|added| added.family.machine);
    names.chain(BUILT_IN.iter().map(|boxed| boxed.name)).chain(added).collect()
}

/// Checks `PATH=VALUE`: the path begins with a member of a machine's program.
fn member_and_value(matcher: &Matcher, families: &Families) -> Result<(), RefusedArgument> {
    if !matches!(matcher.pattern, Pattern::Whole(_)) {
        let expected = "expected a whole value, such as has(a=0xff) or has(list/0=1); in double quotes, * and ~ stand for themselves";
        return Err(RefusedArgument::Form(expected.to_owned()));
    }
    let form = |()| RefusedArgument::Form("expected PATH=VALUE, such as has(a=0xff)".to_owned());
    let (path, _) = parts(&matcher.text).map_err(form)?;
    let member = path.split('/').next().unwrap_or_default();
    let embedded = MACHINES.iter().map(|machine| machine.program);
    let others = families.iter().map(|known| known.machine.program);
    let names: Vec<_> = embedded.chain(others).flatten().map(|member| member.name).collect();
    if names.contains(&member) { Ok(()) } else { Err(RefusedArgument::Unknown(member.to_owned(), names)) }
}

/// The fields of the states of all machines.
fn fields(families: &Families) -> Vec<&'static str> {
    let embedded = MACHINES.iter().map(|machine| machine.fields);
    let others = families.iter().map(|known| known.machine.fields);
    embedded.chain(others).flatten().map(|field| field.name).collect()
}

fn mnemonics() -> Vec<&'static str> {
    MACHINES.iter().flat_map(|machine| machine.isa.ops).flat_map(names).collect()
}

/// All outcomes that a vector can demand.
fn ends() -> Vec<&'static str> {
    let ends = FORMATS.iter().flat_map(|format| (format.outcomes)());
    ends.flat_map(names_of_end).collect()
}

/// Checks that a whole address has its form: `0x` and 40 hex digits.
fn address(argument: &Matcher, _: &Families) -> Result<(), RefusedArgument> {
    const DIGITS: usize = 40;
    let Pattern::Whole(text) = &argument.pattern else { return Ok(()) };
    let digits = text.strip_prefix("0x");
    let is_hex = |digits: &str| !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_hexdigit());
    if digits.is_some_and(|digits| digits.len() == DIGITS && is_hex(digits)) {
        return Ok(());
    }
    let near = digits.unwrap_or(text);
    let near = if is_hex(near) && near.len() <= DIGITS {
        format!("; did you mean 0x{near:0>DIGITS$}?")
    } else {
        String::new()
    };
    Err(RefusedArgument::Form(format!("an address is 0x and {DIGITS} hex digits{near}")))
}

/// Checks that an instruction and a reason are given, and that the instruction exists.
fn instruction_and_reason(argument: &Matcher, _: &Families) -> Result<(), RefusedArgument> {
    if let Pattern::Part(_) = argument.pattern {
        return Ok(());
    }
    let Some((instruction, reason)) = argument.text.split_once(',') else {
        let expected = "expected an instruction and a reason, such as fails(POP, *)";
        return Err(RefusedArgument::Form(expected.to_owned()));
    };
    if reason.trim_start().starts_with('~') {
        let expected = "expected a part of a reason as a glob, such as fails(SSTORE, *gas*)";
        return Err(RefusedArgument::Form(expected.to_owned()));
    }
    if reason.trim_start().starts_with('"') {
        return Err(RefusedArgument::Form(
            "expected the reason without quotes, such as fails(POP, *)".to_owned(),
        ));
    }
    let part = Argument::Plain(instruction.to_owned());
    let known = mnemonics();
    match Matcher::new(&part, argument.letters) {
        Ok(part) if known.iter().any(|name| part.matches(name)) => Ok(()),
        _ => Err(RefusedArgument::Unknown(instruction.to_owned(), known)),
    }
}

/// Whether an instruction and the reason why it fails match; the space after the comma may be left out.
fn fails(matcher: &Matcher, failure: &str) -> bool {
    let is_it = |failure: &str| matcher.matches(failure) || matcher.matches(&failure.replacen(", ", ",", 1));
    // As `vmconf coverage` shows it.
    let shown = || {
        let (instruction, reason) = failure.split_once(", ")?;
        Some(format!("{instruction}, {}", without_numbers(reason)))
    };
    is_it(failure) || shown().is_some_and(|shown| is_it(&shown))
}

fn fork(case: &Case) -> Option<&str> {
    let actions = case.steps.iter().flat_map(|step| &step.actions);
    let mut forks =
        actions.filter_map(|action| if let Action::Set(set) = action { set.get("fork") } else { None });
    forks.find_map(|fork| if let Value::Text(fork) = fork { Some(fork.as_str()) } else { None })
}

fn names_of_end(end: &str) -> impl Iterator<Item = &str> {
    let others = OTHER_ENDS.iter().filter(move |(word, _)| *word == end);
    std::iter::once(end).chain(others.map(|(_, other)| *other))
}

/// The outcomes that a case demands, among those that are words.
fn expected_ends<'c>(case: &'c Case, ends: &'static [&'static str]) -> impl Iterator<Item = &'c str> {
    let assertions = case.demands();
    let assertions = assertions.filter(|check| match check.at.last() {
        PathKey::Name(name) => check.at.parent().is_none() && ends.contains(&&**name),
        PathKey::Index(_) => false,
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
pub(super) enum LetterCase {
    Exact,
    AnyCase,
}

impl LetterCase {
    fn of(self, text: &str) -> Cow<'_, str> {
        match self {
            LetterCase::Exact => Cow::Borrowed(text),
            LetterCase::AnyCase => Cow::Owned(text.to_lowercase()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Argument {
    /// A whole name, a part of one after `~`, or a glob.
    Plain(String),
    /// A whole name, which was in quotes.
    Quoted(String),
}

impl Argument {
    pub(super) fn text(&self) -> &str {
        match self {
            Argument::Plain(text) | Argument::Quoted(text) => text,
        }
    }
}

/// Matches a text against an argument.
#[derive(Debug, Clone)]
pub(super) struct Matcher {
    letters: LetterCase,
    /// The argument as written.
    text: String,
    pattern: Pattern,
    /// The matching instructions of each of [`MACHINES`], and none for a family, once they are needed.
    instructions: OnceLock<Vec<OpSet>>,
}

#[derive(Debug, Clone)]
enum Pattern {
    Whole(String),
    Part(String),
    Glob(Box<GlobMatcher>),
}

impl Matcher {
    /// The matcher of an argument. The error is a malformed glob, with the reason.
    pub(super) fn new(argument: &Argument, letters: LetterCase) -> Result<Matcher, String> {
        let is_quoted = matches!(argument, Argument::Quoted(_));
        let text = argument.text().to_owned();
        let argument = letters.of(&text);
        let pattern = match argument.strip_prefix('~') {
            _ if is_quoted => Pattern::Whole(argument.into_owned()),
            Some(part) => Pattern::Part(part.to_owned()),
            None => match glob(&argument).map_err(|error| error.to_string())? {
                Some(glob) => Pattern::Glob(Box::new(glob)),
                None => Pattern::Whole(argument.into_owned()),
            },
        };
        Ok(Matcher { letters, pattern, text, instructions: OnceLock::new() })
    }

    /// The matching instructions of the machine that the case is for.
    fn instructions(&self, asked: &ExpressionCase<'_>) -> &OpSet {
        let matching = |machine: &MachineInfo| {
            let matches = |op: &&OpInfo| names(op).any(|name| self.matches(name));
            OpSet::new(machine.isa, machine.isa.ops.iter().filter(matches).collect())
        };
        let none = || OpSet::new(MACHINES[0].isa, Vec::new());
        let all = || MACHINES.iter().map(matching).chain([none()]).collect();
        let all: &Vec<OpSet> = self.instructions.get_or_init(all);
        let name = asked.info.format().machine;
        &all[MACHINES.iter().position(|machine| machine.name == name).unwrap_or(MACHINES.len())]
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
