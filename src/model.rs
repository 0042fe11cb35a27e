//! The shared vocabulary: values, cases, verdicts, events. Plain data and how it is displayed, and in [`partition`] the
//! turns in which threads number the cases of a run; nothing here reads a file or runs a program.
//!
//! What is defined here has names that are unique in the crate. Other groups import it as `model::Value`; the files of
//! this group import each other. Constants with general names, such as [`limits::ROWS`], keep the name of their file.

pub mod assertion;
pub mod brief;
pub mod case;
pub mod case_report;
pub mod cell;
pub mod content;
pub mod count;
pub mod diagnostic;
pub mod diagnostic_list;
pub mod escape;
pub mod event;
pub mod exit_code;
pub mod explanation;
pub mod field_type;
pub mod hex;
pub mod interrupt;
pub mod limits;
pub mod lock;
pub mod mismatch;
pub mod name;
pub mod name_index;
pub mod near_search;
pub(crate) mod omission;
pub mod partition;
pub mod path;
pub mod position;
pub mod renderer;
pub mod rule;
pub mod shape;
pub mod signature;
pub mod state_table;
pub mod suspects;
pub mod value;
pub mod verdict;

pub use self::assertion::{Assertion, Expected, ExpectedBits};
pub use self::brief::{brief, brief_bytes, brief_pair};
pub use self::case::{Action, Case, CaseId, Program, Step, split_id, unnumbered};
pub use self::case_report::CaseReport;
pub use self::cell::{Cell, CellGroup, compound_name};
pub use self::content::{ContentDigest, VectorsVersion};
pub use self::count::counted;
pub use self::diagnostic::{Diagnostic, DiagnosticPlace, Edit, Severity};
pub use self::diagnostic_list::DiagnosticList;
pub use self::escape::{escaped, escaped_with, is_harmful};
pub use self::event::{Event, FieldNotCompared, NotComparedReason, RunSummary, UsedVm};
pub use self::exit_code::Exit;
pub use self::explanation::{
    Blame, BlameAnswer, BlameInput, CodePlace, ComparedWith, DivergedDatum, ExecutedInstruction,
    ExplainedCase, Explanation, ExplorerPage, FirstDivergence, FurtherCauses, InputOrigin, InputPart,
    LogComparison, RowDeviation, SpentGas, StackComparison, StateLeaf, Undeclared, WorldComparison,
};
pub use self::field_type::{
    BitName, DeclaredField, FieldOptions, FieldType, ListOrder, MemoryType, NumberDisplay, UnlistedCells,
};
pub use self::hex::{bytes_key, hex_bytes, hex_to_slice, number_key, push_number};
pub use self::interrupt::{INTERRUPTED, Interrupt};
pub use self::limits::{LimitOwner, LimitRow, of_machine};
pub use self::lock::lock;
pub use self::mismatch::Mismatch;
pub use self::name::Name;
pub use self::name_index::{NameIndex, NameMarks};
pub use self::near_search::NearSearch;
pub use self::partition::{
    NO_CASE_MATCHES, Partition, PartitionKind, PartitionPart, PartitionTurn, PartitionedFile, UnmatchedEntry,
};
pub use self::path::{MAX_PATH_KEYS, Path, PathKey, PathParent};
pub use self::position::{Origin, Position, without_bom};
pub use self::renderer::Renderer;
pub use self::shape::{MapKeys, MemberShape, NumberNotation, Shape};
pub use self::signature::{MAX_SIGNATURE, Signature, cause, signature};
pub use self::state_table::{MemoryWindow, StateRow, StateTable};
pub use self::suspects::{
    DoubtfulCase, SeparatingCondition, Suspect, SuspectAnalysis, SuspectName, UnexplainedCases,
};
pub use self::value::{DECIMAL, Value};
pub use self::verdict::{
    Breakdown, CaseDifference, CaseOutcome, Failure, FirstTry, KnownListing, NotPassed, Verdict, VerdictKind,
    vector_step,
};
