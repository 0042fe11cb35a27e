//! Families: formats that a declaration in TOML describes, for machines that vmconf does not embed.
//!
//! | file | content |
//! |---|---|
//! | `built_in.rs` | the list of declarations in `families/` |
//! | `declaration.rs` | a declaration, checked |
//! | `type_notation.rs`, `node_path.rs`, `constant.rs` | types, paths and values in declarations |
//! | `reader.rs` | which files fit a declaration, and cases as it says |
//! | `fitting.rs` | which declarations a file fits |
//! | `demands.rs` | an expected value as assertions |
//! | `known_nodes.rs` | which data of a case is known |
//! | `path_use.rs` | paths that lead nowhere in the files that a declaration is checked with |
//! | `uncompared.rs` | why a change of a datum changes no verdict |
//! | `infer.rs` | a declaration from vectors |
//! | `fill.rs` | what a case could demand and does not |
//! | `write_back.rs` | actual values in place of expected ones |
//! | `new_cases.rs` | cases from values |
//! | `installed.rs` | a family as formats and shapes |
//!
//! `docs/src/families.md` is the reference of the language.

mod built_in;
mod constant;
mod declaration;
mod demands;
mod fill;
mod fitting;
mod infer;
mod installed;
mod json_schema;
mod known_nodes;
mod misfit;
mod new_cases;
mod node_path;
mod path_use;
mod reader;
mod type_notation;
mod uncompared;
mod write_back;

pub use self::built_in::{BUILT_IN, BuiltInFamily};
pub use self::declaration::{Declaration, MAX_DECLARATION, is_machine_name};
pub use self::infer::{InferredFamily, infer};
pub use self::installed::{Family, FamilyMisfit, FamilyPaths, FittingFormats, fitting, near_miss};
pub use self::new_cases::{FamilyWriter, NewFamilyCase};
pub use self::uncompared::DeclaredRule;
