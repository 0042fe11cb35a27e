//! Words of a command line, as typed into a shell.

use std::fmt;

use crate::model::escaped;

/// Unquoted words of a command line. Each is displayed after a space, in quotes if a shell needs them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellWords(Vec<String>);

impl ShellWords {
    /// These words, followed by the others.
    #[must_use]
    pub fn and(mut self, others: ShellWords) -> ShellWords {
        self.0.extend(others.0);
        self
    }

    /// These words with `expr` as an additional condition for the cases that they select.
    #[must_use]
    pub fn narrowed(mut self, expr: &str) -> ShellWords {
        let mut narrowed = Vec::new();
        let mut words = std::mem::take(&mut self.0).into_iter();
        while let Some(word) = words.next() {
            match (word.as_str(), words.len()) {
                ("-E", 1..) => narrowed.extend(words.next().map(|other| format!("({other})"))),
                _ => self.0.push(word),
            }
        }
        // Cases are selected that match one of several expressions.
        let any = narrowed.join(" or ");
        let all = match narrowed.len() {
            0 => expr.to_owned(),
            1 => format!("{any} and {expr}"),
            _ => format!("({any}) and {expr}"),
        };
        self.0.extend(["-E".to_owned(), all]);
        self
    }

    /// These words without those flags and the value after each.
    #[must_use]
    pub fn without(&self, flags: &[&str]) -> ShellWords {
        let mut kept = Vec::new();
        let mut words = self.iter();
        while let Some(word) = words.next() {
            if flags.contains(&word) {
                words.next();
            } else {
                kept.push(word.to_owned());
            }
        }
        ShellWords(kept)
    }

    /// The words.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl<W: Into<String>> FromIterator<W> for ShellWords {
    fn from_iter<I: IntoIterator<Item = W>>(words: I) -> ShellWords {
        ShellWords(words.into_iter().map(Into::into).collect())
    }
}

impl fmt::Display for ShellWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|word| write!(f, " {}", escaped(&in_quotes_if_needed(word))))
    }
}

fn in_quotes_if_needed(word: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "/._-".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { quoted(word) }
}

/// Splits a command line into words like a POSIX shell, but without expansions; `None` if a quote is not closed.
pub fn split(text: &str) -> Option<Vec<String>> {
    shlex::split(text)
}

/// The text as one shell word, in quotes.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests;
