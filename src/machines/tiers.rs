//! How a machine executes its programs, if it has several ways with the same results.

/// A way to execute programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Tiers {
    /// One instruction after another.
    Plain,
    /// The hot parts of a program as blocks of instructions.
    #[default]
    Hot,
    /// Both in parallel, compared after each block, to test the machine. A loop is hot after a few
    /// iterations, since loops in tests are short.
    Both,
}

impl Tiers {
    /// Its name as a value of `--engine`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
