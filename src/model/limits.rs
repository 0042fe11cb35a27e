//! The limits that keep a vector from hanging a run or filling the memory.
//!
//! One row a limit: the field, its flag, its default and what it is a limit of. The command line
//! and the error texts are made from the rows. Reaching one is an error of the case, never a
//! state of the machine.

macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $field:ident, $flag:literal, $default:literal;)*) => {
        /// The limits of a run.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Limits {
            $($(#[doc = $doc])+ pub $field: u64,)*
        }

        impl Default for Limits {
            fn default() -> Limits {
                Limits { $($field: $default,)* }
            }
        }

        /// The rows, in the order in which help shows them.
        pub const ROWS: &[Row] = &[$(Row {
            flag: $flag,
            default: $default,
            doc: concat!($($doc),+),
            set: |limits, value| limits.$field = value,
            get: |limits| limits.$field,
        },)*];
    };
}

/// One limit as the command line sees it.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The flag without its dashes.
    pub flag: &'static str,
    /// The value without the flag.
    pub default: u64,
    /// What it is a limit of, and its unit.
    pub doc: &'static str,
    /// Sets it.
    pub set: fn(&mut Limits, u64),
    /// Reads it.
    pub get: fn(&Limits) -> u64,
}

limits! {
    /// instructions a case may execute; one whose cost depends on its operands counts as several
    steps, "max-steps", 1_000_000_000;
    /// bytes a case may use, with the copies of its state that are compared and reported
    memory, "max-memory", 268_435_456;
    /// bytes of a vector file
    file_size, "max-file-size", 1_073_741_824;
    /// nested arrays and objects in a vector file
    depth, "max-depth", 128;
}
