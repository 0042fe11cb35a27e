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
//! | module | what is in it | may use |
//! |---|---|---|
//! | [`value`] | [`value::Value`] and [`value::Path`]: the tree of expected and actual state | nothing |
//! | [`rules`] | the rules that a file is held against, one row each | nothing |
//! | [`suggest`] | "did you mean" | nothing |
//! | [`json`] | JSON with a position for every datum | rules, suggest |
//! | [`shell`] | words of a command line, as they are typed | value |
//! | [`limits`] | the limits of a run, one row each | nothing |
//! | [`ecdsa`] | signatures as machines check them | nothing |
//! | [`case`] | [`case::Case`]: what a vector says, whatever its format | value |
//! | [`diff`] | checks and state to mismatches | value, case |
//! | [`isa`], [`asm`], [`disasm`] | opcodes as rows, and what is derived from them | value, json |
//! | [`machine`], [`machines`] | what a machine can do, and the machines; none uses another | isa, value, case, diff, limits, ecdsa; for a language of its own what a source gives (asm), json::quoted |
//! | [`nef`] | NEF3, the file of a Neo N3 contract, and its manifest | value, json, limits |
//! | [`inspect`] | what traces and blame ask of a machine between two instructions | diff, value |
//! | [`coverage`] | which opcodes a program executes | isa, machine |
//! | [`trace`] | every instruction of a case, in several ways to write it | machine, inspect, isa, value |
//! | [`edit`] | changes to a JSON text that keep all other bytes | json |
//! | [`formats`] | files to cases, and what a machine has back to text; knows machines by name only | json, value, case, edit, rules |
//! | [`testee`] | what a case is run on | machine, machines, case, value, limits |
//! | [`verdict`], [`event`] | what came of a case, of a run | value, case, json |
//! | [`excerpt`] | a line of a file with a caret, for people | value, verdict |
//! | [`sources`], [`filter`] | which files and cases are meant | case |
//! | [`select`] | the language of `-E`: which cases are meant, by what they are and do | case, filter, formats, isa, machines, suggest, value |
//! | [`signature`] | in what way a case fails | case, value, verdict |
//! | [`known`] | the list of known failures, and how it holds | case, event, filter, json::position, signature, suggest, verdict |
//! | [`partition`] | one part of a selection of cases | case |
//! | [`answers`] | cases that passed in an earlier run and need not run again | case |
//! | [`runner`] | files to events, on many threads | all of the above, no insides of machines or formats |
//! | [`blame`] | which instruction made a datum what it is | inspect, isa, machine, value |
//! | [`explain`] | a failing case run again to see why | blame, runner, event, verdict |
//! | [`bless`] | what a machine did, written as the expectation | runner, formats, edit, verdict, event, sources, value, case |
//! | [`report`] | events to text, JSON lines, JUnit, TAP, annotations, Markdown and HTML; why a case fails; what changed between runs | event, compare, explain, blame, signature, verdict, value, case, excerpt, shell |
//! | [`merge`] | JSON reports of parts back to the events of one run | event, verdict, case, value, shell, json::Position, names of formats and machines |
//! | [`compare`] | reports and recorded runs read back, and what changed from one to the other | event, verdict |
//! | [`check`] | files to what is wrong with them, as text and SARIF; executes nothing | the runner and what it may use, asm, excerpt, rules |
//! | [`config`] | `vmconf.toml` to settings, each with its place; has no list of them | json, suggest, verdict |
//! | [`schemas`] | the JSON Schemas of all that is read and written | nothing |
//! | `cli` (the binary) | the command line | anything; only it prints, reads the environment or picks an exit code |
//!
//! # Invariants
//!
//! - A format executes nothing; a machine reads no vector; a report changes no verdict.
//! - A machine keeps plain fields and is fast; it becomes a [`value::Value`] at its border, field
//!   by field, and only for fields that a check names.
//! - An expectation is a flat list of [`case::Check`]s. What a format means by leaving something
//!   out is said by checks; [`diff`] has no options.
//! - Every datum of a vector knows its byte offset. Line and column are computed when somebody is
//!   told.
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
//!   could change what comes of it: [`runner::Options::file_key`]. All else runs, and explains itself.
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

pub mod answers;
pub mod asm;
pub mod blame;
pub mod bless;
pub mod case;
pub mod check;
pub mod compare;
pub mod config;
pub mod coverage;
pub mod diff;
pub mod disasm;
pub mod ecdsa;
pub mod edit;
pub mod event;
pub mod excerpt;
pub mod explain;
pub mod filter;
pub mod formats;
pub mod inspect;
pub mod isa;
pub mod json;
pub mod known;
pub mod limits;
pub mod machine;
pub mod machines;
pub mod merge;
pub mod nef;
pub mod partition;
pub mod report;
pub mod rules;
pub mod runner;
pub mod schemas;
pub mod select;
pub mod shell;
pub mod signature;
pub mod sources;
pub mod suggest;
pub mod testee;
pub mod trace;
pub mod value;
pub mod verdict;
