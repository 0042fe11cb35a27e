//! The keys of the explorer: a single list for the program and its help.

/// A key, independent of terminal codes.
pub use ratatui::crossterm::event::KeyCode as ExplorerKey;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplorerCommand {
    /// Goes one instruction forward.
    Forward,
    /// Goes one instruction back.
    Back,
    /// Goes over one instruction and everything that it calls.
    Over,
    /// Goes to the end of the current frame.
    Out,
    /// Goes to the state after the next instruction that writes the selected datum.
    NextWrite,
    /// Goes to the state before the last instruction that wrote the selected datum.
    LastWrite,
    /// Goes to the next execution of the selected instruction.
    NextExecution,
    /// Goes to the previous execution of the selected instruction.
    LastExecution,
    /// Goes to the state in which the assertion fails, or to the end.
    Failure,
    /// Goes to the first difference between two machines.
    Difference,
    /// Goes to the next failing assertion.
    NextFailure,
    /// Goes to the failing assertion before.
    LastFailure,
    /// Lists the failing assertions.
    Failures,
    /// Lists the writes of the selected datum.
    Writes,
    /// Goes to the next write of the selected datum for which a typed condition holds.
    NextChange,
    /// Goes to the initial state.
    Start,
    /// Goes to the end.
    Finish,
    /// Goes to a step whose number is typed.
    GoTo,
    /// Goes to the next place with what is typed: an instruction, a value, or the text of a row.
    Search,
    /// Goes to the previous place with what is typed.
    SearchBack,
    /// Goes to the next place with what was typed.
    NextMatch,
    /// Goes to the previous place with what was typed.
    LastMatch,
    /// Selects the next row that the last step changed.
    NextMarked,
    /// Shows the selected line whole, with what can be copied.
    Details,
    /// Shows the time line with the writes of the selected datum, or hides it.
    TimeLine,
    /// Numbers the values of the stack from the other end.
    Counting,
    /// Selects the line above.
    Up,
    /// Selects the line below.
    Down,
    /// Selects the line one page up.
    PageUp,
    /// Selects the line one page down.
    PageDown,
    /// Switches the selection between the code and the state.
    OtherPane,
    /// Shows or hides the help.
    Help,
    /// Ends the program.
    Quit,
}

/// A row of the help.
pub struct KeyRow {
    /// The keys, with their names in the help.
    pub keys: &'static [(ExplorerKey, &'static str)],
    /// What they do.
    pub command: ExplorerCommand,
    /// A description in a few words.
    pub doc: &'static str,
}

macro_rules! rows {
    ($($command:ident, $doc:literal, $($key:expr => $name:literal),+;)*) => {
        &[$(KeyRow { keys: &[$(($key, $name)),+], command: ExplorerCommand::$command, doc: $doc }),*]
    };
}

/// All keys. The first ones are those that a small screen has to show.
pub static KEYS: &[KeyRow] = rows! {
    Help, "this help", ExplorerKey::Char('?') => "?";
    Quit, "quit", ExplorerKey::Char('q') => "q";
    Forward, "one step", ExplorerKey::Char('s') => "s", ExplorerKey::Right => "right";
    Back, "one step back", ExplorerKey::Char('b') => "b", ExplorerKey::Left => "left";
    Over, "over a call", ExplorerKey::Char('o') => "o";
    Out, "out of the frame", ExplorerKey::Char('u') => "u";
    LastWrite, "write before, of the datum", ExplorerKey::Char('p') => "p";
    NextWrite, "its next write", ExplorerKey::Char('n') => "n";
    NextExecution, "next execution of the line", ExplorerKey::Char('x') => "x";
    LastExecution, "its execution before", ExplorerKey::Char('X') => "X";
    Failure, "to the assertion that fails", ExplorerKey::Char('f') => "f";
    Difference, "the first difference", ExplorerKey::Char('d') => "d";
    NextFailure, "the next failing assertion", ExplorerKey::Char('a') => "a";
    LastFailure, "the failing one before", ExplorerKey::Char('A') => "A";
    Failures, "all failing assertions", ExplorerKey::Char('l') => "l";
    Writes, "all writes of the datum", ExplorerKey::Char('w') => "w";
    NextChange, "its next change not by N, or write of =N", ExplorerKey::Char('c') => "c";
    Start, "to the start", ExplorerKey::Char('0') => "0", ExplorerKey::Home => "home";
    Finish, "to the end", ExplorerKey::Char('G') => "G", ExplorerKey::End => "end";
    GoTo, "to a step by number", ExplorerKey::Char('g') => "g";
    Search, "search an instruction, =value, or \"text of a row", ExplorerKey::Char('/') => "/";
    SearchBack, "search it backward", ExplorerKey::Char('\\') => "\\";
    NextMatch, "the next match", ExplorerKey::Char('N') => "N";
    LastMatch, "the match before", ExplorerKey::Char('P') => "P";
    NextMarked, "select what changed", ExplorerKey::Char('m') => "m";
    Details, "the line whole; copy it, or the command", ExplorerKey::Enter => "enter", ExplorerKey::Char('y') => "y";
    TimeLine, "time line of the datum", ExplorerKey::Char('t') => "t";
    Counting, "number the stack from the other end", ExplorerKey::Char('i') => "i";
    Up, "select", ExplorerKey::Up => "up", ExplorerKey::Char('k') => "k";
    Down, "select", ExplorerKey::Down => "down", ExplorerKey::Char('j') => "j";
    PageUp, "a page up", ExplorerKey::PageUp => "page up";
    PageDown, "a page down", ExplorerKey::PageDown => "page down";
    OtherPane, "code or state", ExplorerKey::Tab => "tab";
};

pub(super) fn command(key: ExplorerKey) -> Option<ExplorerCommand> {
    let row = KEYS.iter().find(|row| row.keys.iter().any(|(its, _)| *its == key));
    row.map(|row| row.command)
}
