//! The built-in families: declarations that are part of this program.

/// A declaration that is part of this program.
#[derive(Debug, Clone, Copy)]
pub struct BuiltInFamily {
    /// The name of its machine.
    pub name: &'static str,
    /// The declaration.
    pub text: &'static str,
    /// A vector file of the machine: its name and its text.
    pub example: (&'static str, &'static str),
}

/// Takes the name of each file in `families/`, and the name of a file in its folder of vectors.
macro_rules! built_in {
    ($($name:literal: $example:literal),* $(,)?) => {
        &[$(BuiltInFamily {
            name: $name,
            text: include_str!(concat!("../../../families/", $name, ".toml")),
            example: (
                $example,
                include_str!(concat!("../../../families/vectors/", $name, "/", $example)),
            ),
        }),*]
    };
}

/// Every built-in declaration.
pub const BUILT_IN: &[BuiltInFamily] = built_in![
    "z80": "one-instruction.json",
    "spc700": "one-instruction.json",
    "sm83": "one-instruction.json",
    "6502": "one-instruction.json",
    "nes6502": "one-instruction.json",
    "rockwell65c02": "one-instruction.json",
    "synertek65c02": "one-instruction.json",
    "wdc65c02": "one-instruction.json",
    "65816": "one-instruction.json",
    "m68000": "one-instruction.json",
    "8088": "one-instruction.json",
    "pvm": "add_32-wraps.json",
    "bitcoin-script": "script_valid.json",
    "bch": "bch_vmb_tests_2022_standard.json",
];
