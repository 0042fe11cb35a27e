//! The names of forks in state tests.

/// A fork, by its name in the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fork {
    pub(super) name: &'static str,
    /// Whether accounts without balance, nonce and code are kept, as before EIP-158.
    pub(super) keeps_empty_accounts: bool,
}

/// The forks, the oldest first, each with its other names in files.
const FORKS: &[(&str, &[&str])] = &[
    ("Frontier", &[]),
    ("Homestead", &[]),
    ("EIP150", &["TangerineWhistle"]),
    ("EIP158", &["SpuriousDragon"]),
    ("Byzantium", &[]),
    ("Constantinople", &[]),
    ("ConstantinopleFix", &["Petersburg"]),
    ("Istanbul", &[]),
    ("Berlin", &[]),
    ("London", &[]),
    ("Paris", &["Merge"]),
    ("Shanghai", &[]),
    ("Cancun", &[]),
    ("Prague", &[]),
    ("Osaka", &[]),
    ("BPO1", &[]),
    ("BPO2", &[]),
    ("BPO3", &[]),
    ("BPO4", &[]),
    ("BPO5", &[]),
    ("Amsterdam", &[]),
];

/// How many of the first forks keep empty accounts.
const KEEP_EMPTY_ACCOUNTS: usize = 3;

/// The names of the fork: the one in the machine, which is this, and others in files.
pub fn names(fork: &str) -> impl Iterator<Item = &'static str> {
    let row = FORKS.iter().find(|(name, _)| *name == fork);
    row.into_iter().flat_map(|(name, others)| std::iter::once(*name).chain(others.iter().copied()))
}

/// The names of all forks that vmconf knows, the oldest first.
pub fn all() -> impl Iterator<Item = &'static str> {
    FORKS.iter().flat_map(|(name, _)| names(name))
}

/// The fork with this name.
///
/// # Errors
///
/// Why a case for it is skipped.
pub(super) fn named(name: &str) -> Result<Fork, String> {
    let known = FORKS.iter().position(|(fork, others)| *fork == name || others.contains(&name));
    match known {
        Some(index) => Ok(Fork { name: FORKS[index].0, keeps_empty_accounts: index < KEEP_EMPTY_ACCOUNTS }),
        None if is_transition(name) => {
            Err(format!("{name} is a transition fork, which only blockchain tests can pass through"))
        }
        None => Err(format!("the fork {name} is not known")),
    }
}

/// Whether the name is like `BerlinToLondonAt5` or `CancunToPragueAtTime15k`.
fn is_transition(name: &str) -> bool {
    name.split_once("To").is_some_and(|(before, after)| !before.is_empty() && after.contains("At"))
}
