//! vmconf runs conformance vectors for virtual machines.
//!
//! A *vector file* (JSON) says: load this program, do these actions, the machine must then look
//! like this. vmconf reads published formats into one model, runs each case on an embedded
//! machine, compares, and tells exactly what differs and where in the vector file that was
//! demanded.
//!
//! # One picture
//!
//! ```text
//! vector file --format--> Case --+
//!                                +--> Testee --> state --diff--> Verdict --> Event --> reports
//! isa rows ----------> Machine --+    an embedded machine
//!                                +--> Watch
//! ```
//!
//! Data goes from left to right, and nothing flows back.
//!
//! # Map
//!
//! The tree has few rooms. Lower rooms know nothing of higher ones; `tests/it/layering.rs` reads this
//! table and holds every `use` against it.
//!
//! | group | what is in it | may use |
//! |---|---|---|
//! | [`model`] | what everyone speaks: value, path, case, assertion, mismatch, verdict, failure signature, explanation, diagnostic, limits | nothing |
//! | [`text`] | text with positions: the JSON reader, edits that keep bytes, excerpts, quoting, suggestions | model |
//! | [`wire`] | what is written as JSON and read back: reports, records, explanations, values | model, text |
//! | [`isa`] | instruction sets as rows, assembler, disassembler | model, text |
//! | [`machines`] | the trait `Machine`, the shell all machines share, one folder a machine; none uses another | isa, model, text |
//! | [`formats`] | one folder a format: what a file means, in cases and back; knows machines by name only | model, text |
//! | [`testees`] | what a case is run on | machines, isa, model, wire |
//! | [`run`] | load, select, execute, compare, collect; cache, history, partitions, expected failures | testees, formats, machines, isa, wire, text, model |
//! | [`explain`] | why a case fails: traces, recording, blame | run, testees, formats, machines, isa, wire, text, model |
//! | [`lint`] | faults of vector files without running them | run, testees, formats, machines, isa, wire, text, model |
//! | [`report`] | events and explanations to text, JSON, JUnit, TAP, GitHub, Markdown, HTML | wire, text, model |
//! | `cli` (the binary) | the command line: arguments, output, exit codes | anything |
//!
//! # Invariants
//!
//! - A format executes nothing; a machine reads no vector; a report changes no verdict.
//! - A machine keeps plain fields and is fast; it becomes a [`value::Value`] at its border, field
//!   by field, and only for fields that a check names.
//! - An expectation is a flat list of [`case::Check`]s. What a format means by leaving something
//!   out is said by checks; [`diff`] has no options.
//! - Every datum of a vector knows its byte offset. Line and column are computed when it is
//!   reported, from one index of the text's lines.
//! - No instruction pays for being watched: a machine's loop is made once without a watch and is
//!   driven from outside with one.
//! - A machine that differs (*fail*) and a vector that is broken (*error*) are never mixed up,
//!   and neither is ever a skip.
//! - A vector is untrusted: nothing in it can make the run panic, hang, fill the memory or read
//!   a file outside the folders that its format names. Formats read files through
//!   [`formats::Files`] only. Every loop that it controls has a row in [`limits`]. Reaching a
//!   machine's own limit is state; reaching one of ours is an error of the case.
//! - Only [`bless`] changes a vector: what it offers was read and judged as it would be written,
//!   and the command line asks before it writes.
//! - No clock, no randomness and no order of threads reaches an outcome. Randomness only chooses which
//!   answers of earlier runs are tested.
//! - A case that passed is not run again only where that is asked, and only where nothing has changed that
//!   could change what comes of it: [`run::RunOptions::file_key`]. All else runs, and explains itself.
//!
//! # Adding things
//!
//! An opcode is one row of the machine's table and one function. A machine is a module below
//! [`machines`] with a row in [`machines::MACHINES`]; a format a module below [`formats`] with a
//! row in [`formats::FORMATS`]; a report a module below [`report`] with a row in
//! [`report::REPORTS`]; a way to write traces a module below [`trace`] with a row in
//! [`trace::TRACES`]; a limit a row in [`limits::ROWS`]; a rule of `vmconf check` a row of
//! [`rules`], which whoever finds it broken names; a JSON Schema a file in `schemas/` with a row in
//! [`schemas::SCHEMAS`]; something to ask of cases a row in [`select::PREDICATES`]. The command
//! line, the help texts and the tests over all of them find it there.

pub mod explain;
pub mod formats;
pub mod isa;
pub mod lint;
pub mod machines;
pub mod model;
pub mod report;
pub mod run;
pub mod testees;
pub mod text;
pub mod wire;
