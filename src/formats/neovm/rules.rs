//! The differences between the two generations of the format that lists can express.

use crate::formats::fields::Names;

/// Which generation: for differences that no list expresses.
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
    /// How names of members may be written.
    pub(super) names: Names,
    /// The states, as the machine spells them.
    pub(super) states: [&'static str; 4],
    /// The meaning of a result without a state; `None` if it must have one.
    pub(super) state_left_out: Option<&'static str>,
    /// The one of them that a fault leads to.
    pub(super) fault: &'static str,
    /// The types of items.
    pub(super) types: &'static [Type],
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
pub(super) struct Type {
    /// How the vector names it.
    pub(super) name: &'static str,
    /// What a machine's value of it is called.
    pub(super) value: &'static str,
    /// How its values are written.
    pub(super) notation: Notation,
}

/// How the value of an item is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// Not at all.
    Nothing,
    /// `true` or `false`.
    Bool,
    /// A number, or decimal digits.
    Number,
    /// A number that is a position in a script.
    Position,
    /// Bytes.
    Bytes,
    /// The text that the bytes are in UTF-8.
    TextAsBytes,
    /// What the host calls the object.
    Host,
    /// An array of items.
    Items,
    /// Items by key.
    Map,
}

const fn named(name: &'static str, notation: Notation) -> Type {
    Type { name, value: name, notation }
}

/// The reference of N3, sections 9.3 and 9.4.
pub(super) const N3: Rules = Rules {
    generation: Generation::N3,
    machine: "neo3",
    names: Names::AnyCase,
    states: ["NONE", "HALT", "FAULT", "BREAK"],
    state_left_out: Some("NONE"),
    fault: "FAULT",
    types: &[
        named("Integer", Notation::Number),
        named("ByteString", Notation::Bytes),
        named("Boolean", Notation::Bool),
        named("Null", Notation::Nothing),
        named("Array", Notation::Items),
        named("Struct", Notation::Items),
        named("Map", Notation::Map),
        named("Buffer", Notation::Bytes),
        named("Pointer", Notation::Position),
        named("Interop", Notation::Host),
        Type { name: "String", value: "ByteString", notation: Notation::TextAsBytes },
    ],
    result_stack: Absence::NotCompared,
    frame_lists: &[
        ("evaluationStack", Absence::NotCompared),
        ("staticFields", Absence::None),
        ("localVariables", Absence::None),
        ("arguments", Absence::None),
    ],
};

/// The reference of 2.x, sections 1.2 and 1.3.
pub(super) const V2: Rules = Rules {
    generation: Generation::V2,
    machine: "neo2",
    names: Names::AnyCaseByBreach,
    states: ["None", "Halt", "Fault", "Break"],
    state_left_out: None,
    fault: "Fault",
    types: &[
        named("ByteArray", Notation::Bytes),
        named("Integer", Notation::Number),
        named("Boolean", Notation::Bool),
        named("Array", Notation::Items),
        named("Struct", Notation::Items),
        named("Map", Notation::Map),
        named("Interop", Notation::Host),
        Type { name: "String", value: "ByteArray", notation: Notation::TextAsBytes },
    ],
    result_stack: Absence::Empty,
    frame_lists: &[("evaluationStack", Absence::Empty), ("altStack", Absence::Empty)],
};
