//! Parses expressions and reports syntax errors.
//!
//! ```text
//! any  = all ("or" all)*
//! all  = not ("and" not)*
//! not  = "not" not | "(" any ")" | name "(" argument ")"
//! ```
//!
//! An argument ends at the next `)`, or is in double quotes; a backslash escapes the character after it.

use std::fmt;

use super::expr::{Expr, PredicateTerm, one_or};
use super::predicates::{Accepts, Argument, Matcher, PREDICATES, Predicate, RefusedArgument};
use crate::run::families::Families;
use crate::text::columns::columns;
use crate::text::suggest::{did_you_mean, nearest};

/// How deep parentheses and `not` may be nested.
pub const MAX_NESTED: usize = 100;

/// Names that other programs use for a predicate.
const OTHER_NAMES: [(&str, &str); 7] = [
    ("opcode", "op"),
    ("instruction", "op"),
    ("executes", "op"),
    ("test", "name"),
    ("file", "path"),
    ("vm", "machine"),
    ("signature", "cause"),
];

/// The most names that an error lists.
const MAX_LISTED: usize = 10;

/// A syntax error in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The whole expression.
    pub text: String,
    /// The byte offset of the error.
    pub at: usize,
    /// What is wrong.
    pub what: String,
}

/// Three lines: what is wrong, the text, and a caret under the place.
impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = self.text.get(..self.at).unwrap_or(&self.text);
        let shown = |text: &str| text.replace(char::is_control, " ");
        let (column, room) = (before.chars().count() + 1, columns(&shown(before)));
        write!(f, "column {column}: {}\n  {}\n  {:room$}^", self.what, shown(&self.text), "")
    }
}

impl std::error::Error for SyntaxError {}

impl std::str::FromStr for Expr {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Expr, SyntaxError> {
        Expr::parse(text, &Families::default())
    }
}

impl Expr {
    /// Parses an expression, which can name what `families` have. The error is the first one in it.
    pub fn parse(text: &str, families: &Families) -> Result<Expr, SyntaxError> {
        let mut parser = ExpressionParser { text, at: 0, families };
        let expr = parser.any(0)?;
        match parser.word() {
            "" if parser.at == text.len() => Ok(expr),
            "" => Err(parser.wrong(parser.at, format!("expected and, or, or the end{}", parser.instead()))),
            word => Err(parser.near("expected and, or, or the end", word, ["and", "or"])),
        }
    }
}

struct ExpressionParser<'t> {
    text: &'t str,
    at: usize,
    families: &'t Families,
}

impl<'t> ExpressionParser<'t> {
    fn wrong(&self, at: usize, what: impl Into<String>) -> SyntaxError {
        SyntaxError { text: self.text.to_owned(), at, what: what.into() }
    }

    /// Like [`ExpressionParser::wrong`], at the next word; suggests one of `known` if the word may be a misspelling of
    /// it.
    fn near<'k>(&self, what: &str, word: &str, known: impl IntoIterator<Item = &'k str>) -> SyntaxError {
        self.wrong(self.at, format!("{what}{}", did_you_mean(word, known)))
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// What to write in place of an operator of other languages that comes next; empty if none does.
    fn instead(&self) -> String {
        let operators = [("&&", "and"), ("&", "and"), ("||", "or"), ("|", "or"), ("!", "not"), (",", "or")];
        let found = operators.iter().find(|(operator, _)| self.rest().starts_with(operator));
        found.map_or(String::new(), |(operator, word)| format!("; use {word} instead of {operator}"))
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// The next word, after leading space, without consuming it.
    fn word(&mut self) -> &'t str {
        self.skip_space();
        let rest = self.rest();
        let end = rest.find(|it: char| !it.is_alphanumeric() && !matches!(it, '_' | '-'));
        &rest[..end.unwrap_or(rest.len())]
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_it = self.word() == word;
        if is_it {
            self.at += word.len();
        }
        is_it
    }

    fn take(&mut self, character: char) -> bool {
        self.skip_space();
        let is_it = self.rest().starts_with(character);
        if is_it {
            self.at += character.len_utf8();
        }
        is_it
    }

    fn any(&mut self, depth: usize) -> Result<Expr, SyntaxError> {
        let mut parts = vec![self.all(depth)?];
        while self.take_word("or") {
            parts.push(self.all(depth)?);
        }
        Ok(one_or(parts, Expr::Any))
    }

    fn all(&mut self, depth: usize) -> Result<Expr, SyntaxError> {
        let mut parts = vec![self.not(depth)?];
        while self.take_word("and") {
            parts.push(self.not(depth)?);
        }
        Ok(one_or(parts, Expr::All))
    }

    fn not(&mut self, depth: usize) -> Result<Expr, SyntaxError> {
        self.skip_space();
        if depth > MAX_NESTED {
            return Err(self.wrong(self.at, format!("nested more than {MAX_NESTED} levels deep")));
        }
        if self.take_word("not") {
            return Ok(Expr::Not(Box::new(self.not(depth + 1)?)));
        }
        let open = self.at;
        if !self.take('(') {
            return self.term().map(Expr::Is);
        }
        let inner = self.any(depth + 1)?;
        if self.take(')') {
            return Ok(inner);
        }
        match self.word() {
            "" if self.at == self.text.len() => Err(self.wrong(open, "missing )")),
            "" => Err(self.wrong(self.at, format!("expected and, or, or ){}", self.instead()))),
            word => Err(self.near("expected and, or, or )", word, ["and", "or"])),
        }
    }

    fn term(&mut self) -> Result<PredicateTerm, SyntaxError> {
        let word = self.word();
        let Some(predicate) = PREDICATES.iter().find(|predicate| predicate.name == word) else {
            let names = PREDICATES.iter().map(|predicate| predicate.name);
            let all =
                || format!("expected not, ( or one of {}", names.clone().collect::<Vec<_>>().join(", "));
            return Err(match word {
                "" => self.wrong(self.at, all() + &self.instead()),
                _ => self.no_predicate(word, &all()),
            });
        };
        self.at += word.len();
        if !self.take('(') {
            let what = format!("expected {predicate:?}");
            return Err(self.wrong(self.at, what));
        }
        self.skip_space();
        let start = self.at;
        let argument = self.argument()?;
        let matcher = self.matcher(predicate, &argument, start)?;
        Ok(PredicateTerm { predicate, argument, matcher })
    }

    fn argument(&mut self) -> Result<Argument, SyntaxError> {
        if self.rest().starts_with('"') { self.quoted_argument() } else { self.plain_argument() }
    }

    /// Reads an argument in quotes, and the `)` after it.
    fn quoted_argument(&mut self) -> Result<Argument, SyntaxError> {
        let open = self.at;
        let mut argument = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at = open + at + 1;
                    let is_closed = self.take(')');
                    let end = || self.wrong(self.at, "expected ) after the quotes");
                    return is_closed.then_some(Argument::Quoted(argument)).ok_or_else(end);
                }
                '\\' => argument.extend(characters.next().map(|escaped| escaped.1)),
                _ => argument.push(character),
            }
        }
        Err(self.wrong(open, "missing closing quote"))
    }

    fn no_predicate(&self, word: &str, expected: &str) -> SyntaxError {
        let other_name = OTHER_NAMES.iter().find(|(other, _)| word.eq_ignore_ascii_case(other));
        let names = PREDICATES.iter().map(|predicate| predicate.name);
        let near = other_name.map(|(_, name)| *name).or_else(|| nearest(word, names.chain(["not"])));
        match near {
            Some(near) => self.wrong(self.at, format!("unknown predicate {word}; did you mean {near}?")),
            None => self.wrong(self.at, format!("unknown predicate {word}: {expected}")),
        }
    }

    /// Reads an argument up to the next `)`, without surrounding space.
    fn plain_argument(&mut self) -> Result<Argument, SyntaxError> {
        let start = self.at;
        let mut argument = String::new();
        // The length up to the last character that is not unescaped space: trailing space is removed.
        let mut kept = 0;
        let mut characters = self.rest().char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                ')' => {
                    self.at = start + at + 1;
                    argument.truncate(kept);
                    return Ok(Argument::Plain(argument));
                }
                '\\' => argument.extend(characters.next().map(|escaped| escaped.1)),
                _ => argument.push(character),
            }
            if character == '\\' || !character.is_whitespace() {
                kept = argument.len();
            }
        }
        Err(self.wrong(start.saturating_sub(1), "missing )"))
    }

    fn matcher(&self, predicate: &Predicate, argument: &Argument, at: usize) -> Result<Matcher, SyntaxError> {
        let matcher = Matcher::new(argument, predicate.letters).map_err(|error| self.wrong(at, error))?;
        match predicate.accepts {
            Accepts::AnyText => Ok(matcher),
            Accepts::Names(known) => {
                let known = known(self.families);
                if known.iter().any(|name| matcher.matches(name)) {
                    return Ok(matcher);
                }
                Err(self.wrong(at, unknown(predicate.argument, argument.text(), &known)))
            }
            Accepts::Checked(check) => match check(&matcher, self.families) {
                Ok(()) => Ok(matcher),
                Err(RefusedArgument::Form(expected)) => Err(self.wrong(at, expected)),
                Err(RefusedArgument::Unknown(part, known)) => {
                    Err(self.wrong(at, unknown(predicate.argument, &part, &known)))
                }
            },
        }
    }
}

/// The error for a text that is none of the names, with the nearest name, or all if there are few.
fn unknown(kind: &str, text: &str, known: &[&str]) -> String {
    let mut hint = did_you_mean(text.trim_start_matches('~'), known.iter().copied());
    if hint.is_empty() && known.len() <= MAX_LISTED {
        hint = format!("; there are {}", known.join(", "));
    }
    format!("unknown {kind} {text:?}{hint}")
}
