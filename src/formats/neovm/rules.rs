//! Those differences between the two generations of the format that tables can express.

use crate::formats::fields::MemberNames;

/// The generation, for differences that tables cannot express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generation {
    /// Neo 3.
    N3,
    /// Neo 2.
    V2,
}

/// The rules of a generation.
pub(super) struct Rules {
    pub(super) generation: Generation,
    /// The machine that the vectors are for.
    pub(super) machine: &'static str,
    /// How names of members may be spelled.
    pub(super) names: MemberNames,
    /// The states, in the machine's spelling.
    pub(super) states: [&'static str; 4],
    /// The meaning of a result without a state; `None` if it must have one.
    pub(super) state_left_out: Option<&'static str>,
    /// The state after a fault.
    pub(super) fault: &'static str,
    /// The types of items.
    pub(super) types: &'static [VectorType],
    /// The meaning of a result without `resultStack`.
    pub(super) result_stack: Absence,
    /// The lists of items of a frame, and the meaning of a missing one.
    pub(super) frame_lists: &'static [(&'static str, Absence)],
}

/// The meaning of a missing or null list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absence {
    /// It is not compared.
    NotCompared,
    /// It must be empty.
    Empty,
    /// The machine must have no items; an empty list is equivalent.
    None,
}

/// A type of items.
pub(super) struct VectorType {
    /// Its name in vectors.
    pub(super) name: &'static str,
    /// The type name of the machine's values.
    pub(super) value: &'static str,
    /// How its values are written in vectors.
    pub(super) notation: ItemNotation,
}

/// How the value of an item is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemNotation {
    /// There is no value.
    Nothing,
    /// `true` or `false`.
    Bool,
    /// A number, or a string of decimal digits.
    Number,
    /// A number that is a position in a script.
    Position,
    /// Bytes.
    Bytes,
    /// Bytes, written as the UTF-8 text that they encode.
    TextAsBytes,
    /// The host's name for the object.
    Host,
    /// An array of items.
    Items,
    /// Items by key.
    Map,
}

const fn named(name: &'static str, notation: ItemNotation) -> VectorType {
    VectorType { name, value: name, notation }
}

/// The rules of N3, described in `docs/src/formats/neovm-n3.md`.
pub(super) const N3: Rules = Rules {
    generation: Generation::N3,
    machine: "neo3",
    names: MemberNames::AnyCase,
    states: ["NONE", "HALT", "FAULT", "BREAK"],
    state_left_out: Some("NONE"),
    fault: "FAULT",
    types: &[
        named("Integer", ItemNotation::Number),
        named("ByteString", ItemNotation::Bytes),
        named("Boolean", ItemNotation::Bool),
        named("Null", ItemNotation::Nothing),
        named("Array", ItemNotation::Items),
        named("Struct", ItemNotation::Items),
        named("Map", ItemNotation::Map),
        named("Buffer", ItemNotation::Bytes),
        named("Pointer", ItemNotation::Position),
        named("Interop", ItemNotation::Host),
        VectorType { name: "String", value: "ByteString", notation: ItemNotation::TextAsBytes },
    ],
    result_stack: Absence::NotCompared,
    frame_lists: &[
        ("evaluationStack", Absence::NotCompared),
        ("staticFields", Absence::None),
        ("localVariables", Absence::None),
        ("arguments", Absence::None),
    ],
};

/// The rules of 2.x, described in `docs/src/formats/neovm-2x.md`.
pub(super) const V2: Rules = Rules {
    generation: Generation::V2,
    machine: "neo2",
    names: MemberNames::AnyCaseByBreach,
    states: ["None", "Halt", "Fault", "Break"],
    state_left_out: None,
    fault: "Fault",
    types: &[
        named("ByteArray", ItemNotation::Bytes),
        named("Integer", ItemNotation::Number),
        named("Boolean", ItemNotation::Bool),
        named("Array", ItemNotation::Items),
        named("Struct", ItemNotation::Items),
        named("Map", ItemNotation::Map),
        named("Interop", ItemNotation::Host),
        VectorType { name: "String", value: "ByteArray", notation: ItemNotation::TextAsBytes },
    ],
    result_stack: Absence::Empty,
    frame_lists: &[("evaluationStack", Absence::Empty), ("altStack", Absence::Empty)],
};
