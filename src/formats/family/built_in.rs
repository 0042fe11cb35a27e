//! The built-in families: declarations that are part of this program.

/// A declaration that is part of this program.
#[derive(Debug, Clone, Copy)]
pub struct BuiltInFamily {
    /// The name of its machine.
    pub name: &'static str,
    /// The declaration.
    pub text: &'static str,
}

/// Takes the name of each file in `families/`.
macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        &[$(BuiltInFamily { name: $name, text: include_str!(concat!("../../../families/", $name, ".toml")) }),*]
    };
}

/// Every built-in declaration.
pub const BUILT_IN: &[BuiltInFamily] = built_in![
    "z80",
    "spc700",
    "sm83",
    "6502",
    "nes6502",
    "rockwell65c02",
    "synertek65c02",
    "wdc65c02",
    "65816",
    "m68000",
    "8088",
    "pvm",
    "bitcoin-script",
    "bch",
];
