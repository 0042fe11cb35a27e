//! How a machine executes its programs, where it has several ways that have the same results.

/// A way to execute programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tiers {
    /// One instruction after the other.
    Plain,
    /// As blocks of instructions where a program is hot.
    #[default]
    Hot,
    /// Both beside each other, compared after each block: a test of the machine. A program is hot after a few turns of
    /// its loops, since those of a test are short.
    Both,
}

impl Tiers {
    /// Every one.
    pub const ALL: [Tiers; 3] = [Tiers::Plain, Tiers::Hot, Tiers::Both];

    /// Its name as a value of `--engine`.
    pub fn name(self) -> &'static str {
        match self {
            Tiers::Plain => "plain",
            Tiers::Hot => "hot",
            Tiers::Both => "both",
        }
    }
}
