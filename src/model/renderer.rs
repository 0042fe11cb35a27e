//! Output formats that the user chooses by name: reports, traces, diagnostics, comparisons.

/// An output format, as a row of a list.
#[derive(Debug)]
pub struct Renderer<New> {
    /// Its name, as `--report` or `--output` takes it.
    pub name: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
    /// The function that creates a writer, or that writes everything at once.
    pub new: New,
}

impl<New> Renderer<New> {
    /// The row of this name.
    pub fn by_name<'r>(rows: &'r [Renderer<New>], name: &str) -> Option<&'r Renderer<New>> {
        rows.iter().find(|row| row.name == name)
    }

    /// The names of the rows, in their order.
    pub fn names(rows: &[Renderer<New>]) -> Vec<&'static str> {
        rows.iter().map(|row| row.name).collect()
    }
}
