//! What the rows of a machine declare: the places besides the operand stack that an instruction reads and writes.

/// One declaration of a row, such as `Reads(Memory(0, 1))`. `Place` is what it reads or writes, `Count` a function that
/// counts stack items or finds the target of a jump, `Moved` a function that lists moved items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect<Place, Count, Moved> {
    /// The result depends on the value there.
    Reads(Place),
    /// Only whether it succeeds or what it costs depends on the value there, not a value that it computes.
    /// Blame does not follow it.
    Needs(Place),
    /// It may change the value there.
    Writes(Place),
    /// The same for what it writes only in some cases, which the state after it shows. As data it is
    /// [`Effect::Writes`].
    MayWrite(Place),
    /// The same for an instruction that puts the lowest item that it pops there, as it is. As data it is
    /// [`Effect::Writes`].
    Stores(Place),
    /// Execution may continue elsewhere than at the next instruction, in the same frame or in another script
    /// that replaces it.
    Jumps,
    /// Execution always continues in the same frame, at the program counter that a function of the machine returns;
    /// `None` if that is not known.
    JumpsTo(Count),
    /// It pops as many stack items as a function of the machine returns; `None` for the number in its row.
    Takes(Count),
    /// It pushes as many stack items as a function of the machine returns, instead of the number in its row.
    Leaves(Count),
    /// It computes none of the topmost stack items that it leaves, but moves or copies them, or leaves them in place.
    /// Blame goes on with what produced them. The function returns for each of the topmost items after the instruction,
    /// the lowest one first, its distance from the top before it.
    Moves(Moved),
    /// It pushes a new compound, or returns the operand on top if that already has the right type. Machines reuse the
    /// numbers of compounds, so a number does not show whether a compound is new.
    Creates,
}

/// What a row declares, without the types of its machine.
pub type DeclaredEffect = Effect<PlaceKind, (), ()>;

/// What a row declares, in terms of the places of machine `M`.
pub(crate) type MachineEffect<M, P> = Effect<P, fn(&M) -> Option<usize>, fn(&M) -> Vec<usize>>;

/// What an instruction reads or writes. It determines which faults can be planted there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    /// A register, a variable, or a word of data or storage. A fault can change it.
    Variable,
    /// A byte of memory. A fault can change it.
    Byte,
    /// Bytes of memory. A fault can change them.
    Bytes,
    /// A compound, by reference.
    Compound,
    /// A Struct that is copied when it is stored.
    Struct,
    /// An exception that is on its way, or waits for the end of a finally block. No field of a state shows it.
    Exception,
    /// An exception that is thrown because of the operands.
    FailedOperands,
    /// What an instruction copies elsewhere although it is none of its operands.
    CopySource,
    /// Something that no fault changes directly, such as a log entry or a part of a compound.
    Other,
}

impl PlaceKind {
    /// Whether writing it throws an exception.
    pub const fn is_exception(self) -> bool {
        matches!(self, PlaceKind::Exception | PlaceKind::FailedOperands)
    }

    /// Whether a fault can change the value.
    pub const fn is_changeable(self) -> bool {
        match self {
            PlaceKind::Variable | PlaceKind::Byte | PlaceKind::Bytes => true,
            PlaceKind::Compound
            | PlaceKind::Struct
            | PlaceKind::Exception
            | PlaceKind::FailedOperands
            | PlaceKind::CopySource
            | PlaceKind::Other => false,
        }
    }
}

/// The effects of a row as data, from a list as rows write it. Only the kinds of its places matter, so that the
/// functions of a machine that a row names need not be known.
macro_rules! declared_effects {
    ($place:ident: [$($effect:ident $(($($argument:tt)*))?),*]) => {{
        #[allow(unused_imports, clippy::enum_glob_use, reason = "rows name places without their type")]
        use $place::*;
        const LIST: &[$crate::isa::effect::DeclaredEffect] =
            &[$($crate::isa::effect::declared_effect!($effect $(($($argument)*))?)),*];
        LIST
    }};
}

/// One effect as data; see [`declared_effects`].
macro_rules! declared_effect {
    (Reads($($place:tt)*)) => { $crate::isa::effect::DeclaredEffect::Reads(($($place)*).kind()) };
    (Needs($($place:tt)*)) => { $crate::isa::effect::DeclaredEffect::Needs(($($place)*).kind()) };
    (MayWrite($($place:tt)*)) => { $crate::isa::effect::declared_effect!(Writes($($place)*)) };
    (Stores($($place:tt)*)) => { $crate::isa::effect::declared_effect!(Writes($($place)*)) };
    (Writes($($place:tt)*)) => { $crate::isa::effect::DeclaredEffect::Writes(($($place)*).kind()) };
    ($effect:ident($($function:tt)*)) => { $crate::isa::effect::DeclaredEffect::$effect(()) };
    ($effect:ident) => { $crate::isa::effect::DeclaredEffect::$effect };
}

pub(crate) use {declared_effect, declared_effects};
