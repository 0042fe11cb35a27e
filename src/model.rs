//! The shared vocabulary: values, cases, verdicts, events. Plain data and how it is displayed, and in [`partition`] the
//! turns in which threads number the cases of a run; nothing here reads a file or runs a program.

pub mod assertion;
pub mod brief;
pub mod case;
pub mod case_report;
pub mod cell;
pub mod content;
pub mod count;
pub mod diagnostic;
pub mod escape;
pub mod event;
pub mod exit_code;
pub mod explanation;
pub mod field_type;
pub mod hex;
pub mod interrupt;
pub mod limits;
pub mod mismatch;
pub mod name;
pub mod name_index;
pub mod near_search;
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

/// Whether JSON may leave out a member with this value.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
