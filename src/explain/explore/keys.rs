//! The keys of the explorer: a single list for the program and its help.

/// A key, independent of terminal codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are called what is written on them")]
pub enum Key {
    Char(char),
    Enter,
    Escape,
    Backspace,
    Tab,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
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
    /// Goes to the initial state.
    Start,
    /// Goes to the end.
    Finish,
    /// Goes to a step whose number is typed.
    GoTo,
    /// Goes to an instruction whose text is typed.
    Search,
    /// Goes to the next instruction with that text.
    SearchAgain,
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
    pub keys: &'static [(Key, &'static str)],
    /// What they do.
    pub command: Command,
    /// A description in a few words.
    pub doc: &'static str,
}

macro_rules! rows {
    ($($command:ident, $doc:literal, $($key:expr => $name:literal),+;)*) => {
        &[$(KeyRow { keys: &[$(($key, $name)),+], command: Command::$command, doc: $doc }),*]
    };
}

/// All keys.
pub static KEYS: &[KeyRow] = rows! {
    Forward, "one step", Key::Char('s') => "s", Key::Right => "right";
    Back, "one step back", Key::Char('b') => "b", Key::Left => "left";
    Over, "over a call", Key::Char('o') => "o";
    Out, "out of the frame", Key::Char('u') => "u";
    LastWrite, "to the write before, of the selected datum", Key::Char('p') => "p";
    NextWrite, "to its next write", Key::Char('n') => "n";
    NextExecution, "to the next execution of the selected instruction", Key::Char('x') => "x";
    LastExecution, "to its execution before", Key::Char('X') => "X";
    Failure, "to the assertion that fails", Key::Char('f') => "f";
    Start, "to the start", Key::Char('0') => "0", Key::Home => "home";
    Finish, "to the end", Key::Char('G') => "G", Key::End => "end";
    GoTo, "to a step by number", Key::Char('g') => "g";
    Search, "search an instruction", Key::Char('/') => "/";
    SearchAgain, "search on", Key::Char('N') => "N";
    Up, "select", Key::Up => "up", Key::Char('k') => "k";
    Down, "select", Key::Down => "down", Key::Char('j') => "j";
    PageUp, "a page up", Key::PageUp => "page up";
    PageDown, "a page down", Key::PageDown => "page down";
    OtherPane, "code or state", Key::Tab => "tab";
    Help, "this help", Key::Char('?') => "?";
    Quit, "quit", Key::Char('q') => "q";
};

/// The command of a key.
pub(super) fn command(key: Key) -> Option<Command> {
    let row = KEYS.iter().find(|row| row.keys.iter().any(|(its, _)| *its == key));
    row.map(|row| row.command)
}
