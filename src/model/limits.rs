//! The limits that keep a vector from hanging a run or filling the memory.
//!
//! One row a limit: the field, its flag, its default and what it is a limit of. The command line
//! and the error texts are made from the rows. Reaching a limit of the runner is an error of the case,
//! never a state of the machine; reaching one of a machine is state.

macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $field:ident, $flag:literal, $default:literal, $owner:expr;)*) => {
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
            owner: $owner,
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
    /// Whose limit it is.
    pub owner: Owner,
    /// Sets it.
    pub set: fn(&mut Limits, u64),
    /// Reads it.
    pub get: fn(&Limits) -> u64,
}

/// Whose limit it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Reaching it is an error of the case.
    Runner,
    /// The one of the machine of this name, whose vectors may lower it. Reaching it is state.
    Machine(&'static str),
}

impl Row {
    /// The name by which a vector may lower the limit of a machine: `maxItemSize` for `--max-item-size`.
    pub fn member(&self) -> String {
        let mut words = self.flag.split('-');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |member, word| {
            let (initial, rest) = word.split_at(1);
            member + &initial.to_ascii_uppercase() + rest
        })
    }
}

/// The limits that a machine itself has.
pub fn of_machine(name: &'static str) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| row.owner == Owner::Machine(name))
}

limits! {
    /// instructions a case may execute, and words of 32 bytes it may copy and hash in bulk
    steps, "max-steps", 2_000_000_000, Owner::Runner;
    /// bytes of memory a machine may use
    memory, "max-memory", 268_435_456, Owner::Runner;
    /// bytes a machine may put out: logs, recorded calls, results
    output, "max-output", 268_435_456, Owner::Runner;
    /// entries a machine may keep: logs, recorded calls, storage words
    items, "max-items", 10_000_000, Owner::Runner;
    /// bytes of a vector file
    file_size, "max-file-size", 1_073_741_824, Owner::Runner;
    /// nested arrays and objects in a vector file
    depth, "max-depth", 128, Owner::Runner;
    /// bytes of a ByteString or Buffer
    item_size, "max-item-size", 131_070, Owner::Machine("neo3");
    /// references after an instruction, and items of a new compound
    stack_size, "max-stack-size", 2048, Owner::Machine("neo3");
    /// frames
    invocation_stack_size, "max-invocation-stack-size", 1024, Owner::Machine("neo3");
    /// try statements of a frame that a script is in
    try_nesting_depth, "max-try-nesting-depth", 16, Owner::Machine("neo3");
    /// bits of a shift, and the exponent of a power
    shift, "max-shift", 256, Owner::Machine("neo3");
}
