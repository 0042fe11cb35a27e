//! The question about a case, and its answers.

use std::io::{self, BufRead, Write};

use vmconf::model::escape::escaped;

/// What to do with the change of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Write it.
    Yes,
    /// Leave the case as it is.
    No,
    /// Write it and all later ones.
    All,
    /// Leave this case and the later ones of the file as they are.
    SkipFile,
    /// Explain the differences, then ask again.
    Explain,
    /// Leave this case and all later ones as they are, and end.
    Quit,
}

/// Every answer, with its key, its word and its meaning.
const ANSWERS: &[(&str, &str, Answer, &str)] = &[
    ("y", "yes", Answer::Yes, "write this case"),
    ("n", "no", Answer::No, "leave this case as it is"),
    ("a", "all", Answer::All, "write this case and all later ones"),
    ("s", "skip", Answer::SkipFile, "leave this case and the later ones of this file as they are"),
    ("d", "diff", Answer::Explain, "explain what differs in this case, as vmconf diff does"),
    ("q", "quit", Answer::Quit, "leave this case and all later ones as they are, and end"),
];

/// Asks whether to write the change of a case. The end of the input quits. Any other input explains the answers.
pub(super) fn ask(case: &str, input: &mut dyn BufRead) -> io::Result<Answer> {
    let keys: Vec<_> = ANSWERS.iter().map(|answer| answer.0).collect();
    loop {
        write!(io::stderr(), "Write {}? [{},?] ", escaped(case), keys.join(","))?;
        let mut line = String::new();
        let length = input.read_line(&mut line)?;
        let typed = line.trim();
        let answer = ANSWERS.iter().find(|(key, word, ..)| typed == *key || typed == *word);
        match answer {
            _ if length == 0 => return Ok(Answer::Quit),
            Some((_, _, answer, _)) => return Ok(*answer),
            None => help()?,
        }
    }
}

fn help() -> io::Result<()> {
    ANSWERS.iter().try_for_each(|(key, _, _, meaning)| writeln!(io::stderr(), "  {key}  {meaning}"))?;
    writeln!(io::stderr(), "  ?  show this help")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_asks_until_there_is_an_answer() {
        let check = |input: &str, answer| assert_eq!(ask("a", &mut input.as_bytes()).ok(), Some(answer));
        check("y\n", Answer::Yes);
        check("?\nwhat?\n\nno\n", Answer::No);
        check("a", Answer::All);
        check("s\n", Answer::SkipFile);
        check("diff\n", Answer::Explain);
        check(" quit \n", Answer::Quit);
        check("", Answer::Quit);
    }
}
