//! The limits that keep a vector from hanging a run or exhausting the memory.
//!
//! One row per limit: the field, its flag, its default and what it limits. The command line and the error
//! texts are derived from the rows. Reaching a limit of the runner is an error of the case, never a state of
//! the machine; reaching one of a machine is state.

macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $field:ident, $flag:literal, $default:literal $(to $most:literal)?, $owner:expr;)*) => {
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
        pub const ROWS: &[LimitRow] = &[$(LimitRow {
            flag: $flag,
            default: $default,
            most: [$($most,)? u64::MAX][0],
            doc: concat!($($doc),+),
            owner: $owner,
            set: |limits, value| limits.$field = value,
            get: |limits| limits.$field,
        },)*];
    };
}

/// One limit as the command line sees it.
#[derive(Debug, Clone, Copy)]
pub struct LimitRow {
    /// The flag without its dashes.
    pub flag: &'static str,
    /// The value if the flag is not given.
    pub default: u64,
    /// The largest value.
    pub most: u64,
    /// What it limits, and its unit.
    pub doc: &'static str,
    /// Whether it is a limit of the runner or of a machine.
    pub owner: LimitOwner,
    /// Sets it.
    pub set: fn(&mut Limits, u64),
    /// Reads it.
    pub get: fn(&Limits) -> u64,
}

impl LimitRow {
    /// The default and the largest value, for help texts.
    pub fn range(&self) -> String {
        let most = if self.most < u64::MAX { format!(", at most {}", self.most) } else { String::new() };
        format!("default: {}{most}", self.default)
    }
}

/// Whether a limit belongs to the runner or to a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitOwner {
    /// Reaching it is an error of the case.
    Runner,
    /// Reaching it is state.
    Machine {
        /// The name of the machine.
        machine: &'static str,
        /// The member of a vector that lowers it.
        member: &'static str,
    },
}

/// The limits of a machine itself, with the member of a vector that lowers each.
pub fn of_machine(name: &'static str) -> impl Iterator<Item = (&'static str, &'static LimitRow)> {
    ROWS.iter().filter_map(move |row| match row.owner {
        LimitOwner::Machine { machine, member } if machine == name => Some((member, row)),
        LimitOwner::Machine { .. } | LimitOwner::Runner => None,
    })
}

/// A limit of the machine neo3.
const fn neo3(member: &'static str) -> LimitOwner {
    LimitOwner::Machine { machine: "neo3", member }
}

limits! {
    /// instructions a case may execute; one whose cost depends on its operands counts as several
    steps, "max-steps", 2_000_000_000, LimitOwner::Runner;
    /// instructions of a case that may be watched one by one, for traces and explanations
    watched, "max-watched", 10_000_000, LimitOwner::Runner;
    /// bytes a case may use, with the copies of its state that are compared and reported
    memory, "max-memory", 1_073_741_824, LimitOwner::Runner;
    /// bytes of a trace
    output, "max-output", 268_435_456, LimitOwner::Runner;
    /// bytes of a vector file
    file_size, "max-file-size", 268_435_456, LimitOwner::Runner;
    // Values are compared, shown and dropped recursively, one call for each level.
    /// nested arrays and objects in a vector file
    depth, "max-depth", 128 to 1_000, LimitOwner::Runner;
    /// bytes of a ByteString or Buffer
    item_size, "max-item-size", 131_070, neo3("maxItemSize");
    /// references after an instruction, and items of a new compound
    stack_size, "max-stack-size", 2048, neo3("maxStackSize");
    /// frames
    invocation_stack_size, "max-invocation-stack-size", 1024, neo3("maxInvocationStackSize");
    /// try statements of a frame that a script is in
    try_nesting_depth, "max-try-nesting-depth", 16, neo3("maxTryNestingDepth");
    /// bits of a shift, and the exponent of a power
    shift, "max-shift", 256, neo3("maxShift");
}
