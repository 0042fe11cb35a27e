//! The names of forks in state tests.

/// A fork, by its name in the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ForkFilter {
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
    ("Istanbul", &["MuirGlacier"]),
    ("Berlin", &[]),
    ("London", &["ArrowGlacier", "GrayGlacier"]),
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

/// Forks of published vectors, drafts and test networks that are not implemented.
const NOT_IMPLEMENTED: &[&str] = &["Verkle", "EOFv1", "CancunEIP7692", "PragueEIP7692", "Bogota"];

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

/// What the name of a fork in a file means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// Cases for it run.
    Supported(ForkFilter),
    /// The fork exists, and why cases for it do not run.
    Unsupported(String),
    /// There is no such fork.
    Unknown,
}

pub(super) fn named(name: &str) -> Named {
    let known = FORKS.iter().position(|(fork, others)| *fork == name || others.contains(&name));
    match known {
        Some(index) => Named::Supported(ForkFilter {
            name: FORKS[index].0,
            keeps_empty_accounts: index < KEEP_EMPTY_ACCOUNTS,
        }),
        None if is_transition(name) => Named::Unsupported(format!(
            "{name} is a transition fork, which only blockchain tests can pass through"
        )),
        None if NOT_IMPLEMENTED.contains(&name) => {
            Named::Unsupported(format!("the fork {name} is not implemented"))
        }
        None => Named::Unknown,
    }
}

/// Whether the name is like `BerlinToLondonAt5` or `CancunToPragueAtTime15k`: a fork and a later one.
fn is_transition(name: &str) -> bool {
    let place = |name: &str| FORKS.iter().position(|(fork, others)| *fork == name || others.contains(&name));
    let split = name.split_once("To").and_then(|(before, after)| Some((before, after.split_once("At")?.0)));
    split.is_some_and(|(before, after)| {
        let before = place(before);
        before.is_some() && (place(after) > before || after == "Dao")
    })
}
