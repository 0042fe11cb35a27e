//! A request and the line that answers it.

use super::trouble::NoAnswerReason;
use crate::wire::line::quoted_around;
use crate::wire::protocol::{Hello, ProtocolAnswer};

/// A request and how its answer is read.
pub(super) trait Exchange {
    /// What an answer says.
    type Answer;

    /// Appends the request with this number, in one line with its terminator.
    fn write(&self, id: u64, lines: &mut String);

    /// Reads the line that answers the request with this number. Fails if it does not.
    fn read(&self, line: Vec<u8>, id: u64) -> Result<Self::Answer, NoAnswerReason>;
}

/// What happens to a request.
pub(super) enum Exchanged<A> {
    /// A process works on it: it has answered the requests that it got before.
    Started,
    /// It is answered.
    Answered(A),
}

impl<A> Exchanged<A> {
    pub(super) fn answer(self) -> Option<A> {
        match self {
            Exchanged::Started => None,
            Exchanged::Answered(answer) => Some(answer),
        }
    }
}

/// Reads the answer to the request with this number; `None` is the number of `hello`. Fails if the line is no answer,
/// or one to another request.
pub fn read_answer(line: &[u8], asked: Option<u64>) -> Result<ProtocolAnswer, NoAnswerReason> {
    let Some(asked) = asked else { return read_hello(line).map(ProtocolAnswer::Hello) };
    let answer = parsed(line)?;
    match answer.id() {
        Some(answered) if answered == asked => Ok(answer),
        Some(answered) => {
            Err(NoAnswerReason::Broke(format!("answered request {answered} instead of {asked}")))
        }
        None => Err(NoAnswerReason::Broke("answered hello to another request".to_owned())),
    }
}

/// Reads the answer to `hello`. Fails if the line is no answer, or one to another request.
pub(super) fn read_hello(line: &[u8]) -> Result<Hello, NoAnswerReason> {
    match parsed(line)? {
        ProtocolAnswer::Hello(hello) => Ok(hello),
        other => Err(NoAnswerReason::Broke(format!("answered {} to hello", other.name()))),
    }
}

fn parsed(line: &[u8]) -> Result<ProtocolAnswer, NoAnswerReason> {
    ProtocolAnswer::read(line).map_err(|error| {
        let quoted = quoted_around(line, error.column.map_or(0, |column| column.saturating_sub(1)));
        NoAnswerReason::Broke(format!("wrote a line that is not an answer: it {error}: {quoted}"))
    })
}
