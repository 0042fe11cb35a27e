//! The words of a text for a shell, as far as they can be known without running it.

use std::iter::Peekable;
use std::str::Chars;

/// A word without its quotes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ScriptWord {
    pub(super) text: String,
    /// Whether some of it is in quotes, in which characters stand for themselves.
    pub(super) is_quoted: bool,
}

/// The text has an expansion or a substitution, or is too intricate: what it starts is known to a shell alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ComputedWords;

/// The words of a text, whatever they are used for: those before and after an operator or `=` are different ones.
/// Fails when a word is a pattern or has a variable, a home folder or braces, or when the text has a here-document or
/// a quote that does not end.
pub(super) fn script_words(text: &str) -> Result<Vec<ScriptWord>, ComputedWords> {
    let mut reader = WordsReader { rest: text.chars().peekable(), words: Vec::new(), word: None };
    reader.read()?;
    Ok(reader.words)
}

/// What separates words.
const OPERATORS: &str = ";|&()<>=";

struct WordsReader<'t> {
    rest: Peekable<Chars<'t>>,
    words: Vec<ScriptWord>,
    /// The word that is being read.
    word: Option<ScriptWord>,
}

impl WordsReader<'_> {
    fn read(&mut self) -> Result<(), ComputedWords> {
        while let Some(character) = self.rest.next() {
            match character {
                '<' if self.rest.peek() == Some(&'<') => return Err(ComputedWords),
                it if it.is_whitespace() || OPERATORS.contains(it) => self.end_word(),
                '#' if self.word.is_none() => self.skip_comment(),
                '~' if self.word.is_none() => return Err(ComputedWords),
                '\'' => self.single_quoted()?,
                '"' => self.double_quoted()?,
                '\\' => self.escaped(),
                '`' | '*' | '?' => return Err(ComputedWords),
                '$' => self.dollar()?,
                // `[` and `{` are commands where they stand alone.
                '[' | '{' if !self.stands_alone() => return Err(ComputedWords),
                other => self.push(other),
            }
        }
        self.end_word();
        Ok(())
    }

    fn word(&mut self) -> &mut ScriptWord {
        self.word.get_or_insert_default()
    }

    fn push(&mut self, character: char) {
        self.word().text.push(character);
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    /// Whether the character that was read begins and ends a word: also the second one of `[[`.
    fn stands_alone(&mut self) -> bool {
        let is_first = self.word.as_ref().is_none_or(|word| word.text == "[" && !word.is_quoted);
        is_first && self.rest.peek().is_none_or(|next| next.is_whitespace() || *next == '[')
    }

    fn skip_comment(&mut self) {
        while self.rest.next_if(|it| *it != '\n').is_some() {}
    }

    fn single_quoted(&mut self) -> Result<(), ComputedWords> {
        self.word().is_quoted = true;
        loop {
            match self.rest.next().ok_or(ComputedWords)? {
                '\'' => return Ok(()),
                other => self.push(other),
            }
        }
    }

    fn double_quoted(&mut self) -> Result<(), ComputedWords> {
        self.word().is_quoted = true;
        loop {
            match self.rest.next().ok_or(ComputedWords)? {
                '"' => return Ok(()),
                '`' => return Err(ComputedWords),
                '$' => self.dollar()?,
                '\\' if self.rest.peek().is_some_and(|it| "\"\\$`\n".contains(*it)) => self.escaped(),
                other => self.push(other),
            }
        }
    }

    /// Takes the character after a backslash as it is; a line goes on after it.
    fn escaped(&mut self) {
        match self.rest.next() {
            Some('\n') | None => {}
            Some(other) => self.push(other),
        }
    }

    /// Arguments of the script, as in `"$@"` and `$1`, are words of the command that were read already.
    fn dollar(&mut self) -> Result<(), ComputedWords> {
        if self.rest.peek().is_some_and(|it| it.is_ascii_alphabetic() || "_{('\"".contains(*it)) {
            return Err(ComputedWords);
        }
        self.push('$');
        if let Some(parameter) = self.rest.next_if(|it| "@*#?$!-0123456789".contains(*it)) {
            self.push(parameter);
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        script_words(text).unwrap().into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn words_are_those_that_a_shell_reads() {
        for (text, words) in [
            ("# it's a comment\nexec ./vm # again\n", &["exec", "./vm"][..]),
            ("a;b|c&&d>e", &["a", "b", "c", "d", "e"]),
            ("X=1 ./i\"nn\"er.'sh' --config=vm.conf", &["X", "1", "./inner.sh", "--config", "vm.conf"]),
            ("./in\\\nner.sh \\\n  ./\\a", &["./inner.sh", "./a"]),
            ("'./my vm' \"a\\\"b\\c\" \"$@\" $1", &["./my vm", "a\"b\\c", "$@", "$1"]),
            (
                "if [ -x vm ] && [[ a ]]; then { ./vm; }; fi",
                &["if", "[", "-x", "vm", "]", "[[", "a", "]]", "then", "{", "./vm", "}", "fi"],
            ),
            ("sed 's/[a*]/{b,c}/'", &["sed", "s/[a*]/{b,c}/"]),
        ] {
            assert_eq!(texts(text), words, "{text}");
        }
    }

    #[test]
    fn what_a_shell_computes_is_not_a_word() {
        for text in [
            "./vm?",
            "./*",
            "./[v]m",
            "./{vm,}",
            "./v{m,}",
            "~/vm",
            "X=~/vm",
            "$VM",
            "${VM}",
            "\"$(vm)\"",
            "`vm`",
            "\"`vm`\"",
            "cat <<E\nit's\nE",
            "'open",
            "\"open",
            "$'a'",
        ] {
            assert_eq!(script_words(text), Err(ComputedWords), "{text}");
        }
    }
}
