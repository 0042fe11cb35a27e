//! The question about a case, and its answers.

use std::io::{self, BufRead, Write};

use vmconf::model::escaped;

/// What to do with the change of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PromptAnswer {
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
const ANSWERS: &[(&str, &str, PromptAnswer, &str)] = &[
    ("y", "yes", PromptAnswer::Yes, "write this case"),
    ("n", "no", PromptAnswer::No, "leave this case as it is"),
    ("a", "all", PromptAnswer::All, "write this case and all later ones"),
    ("s", "skip", PromptAnswer::SkipFile, "leave this case and the later ones of this file as they are"),
    ("d", "diff", PromptAnswer::Explain, "explain what differs in this case, as vmconf diff does"),
    ("q", "quit", PromptAnswer::Quit, "leave this case and all later ones as they are, and end"),
];

/// Asks whether to write the change of a case. The end of the input quits. Any other input explains the answers.
pub(super) fn ask(case: &str, input: &mut dyn BufRead) -> io::Result<PromptAnswer> {
    let keys: Vec<_> = ANSWERS.iter().map(|answer| answer.0).collect();
    loop {
        write!(io::stderr(), "Write {}? [{},?] ", escaped(case), keys.join(","))?;
        let mut line = String::new();
        let length = input.read_line(&mut line)?;
        let typed = line.trim();
        let answer = ANSWERS.iter().find(|(key, word, ..)| typed == *key || typed == *word);
        match answer {
            _ if length == 0 => return Ok(PromptAnswer::Quit),
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
        check("y\n", PromptAnswer::Yes);
        check("?\nwhat?\n\nno\n", PromptAnswer::No);
        check("a", PromptAnswer::All);
        check("s\n", PromptAnswer::SkipFile);
        check("diff\n", PromptAnswer::Explain);
        check(" quit \n", PromptAnswer::Quit);
        check("", PromptAnswer::Quit);
    }
}
