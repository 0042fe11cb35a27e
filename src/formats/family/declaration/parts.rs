//! What a `[format]` of a declaration says.

use globset::GlobMatcher;

use crate::text::file_name::uncompressed_name;

use crate::formats::family::node_path::NodePath;
use crate::model::{Action, DeclaredField, DiagnosticPlace};
use crate::text::glob::GLOB_SPECIAL;
use crate::text::json::Document;

/// The longest name of a machine or of a member, in bytes.
pub(super) const MAX_NAME: usize = 100;

#[derive(Debug)]
pub(in crate::formats::family) struct FormatDeclaration {
    /// The files that it reads; any if there are none.
    pub(in crate::formats::family) files: Vec<DeclaredFiles>,
    /// Where the cases lie.
    pub(in crate::formats::family) cases: NodePath,
    /// The name of a case; without it, the name or the index of the case in what contains it.
    pub(in crate::formats::family) name: Option<NodePath>,
    /// What each case has.
    pub(in crate::formats::family) has: Vec<NodePath>,
    /// What a machine is given.
    pub(in crate::formats::family) program: Vec<GivenMember>,
    /// What is done and must be true afterwards; for a case of several steps, in each of them.
    pub(in crate::formats::family) step: StepDeclaration,
    /// Where the steps of a case lie; `None` for a case of one step.
    pub(in crate::formats::family) steps: Option<NodePath>,
    /// The member of a case with what is known about the case and not compared.
    pub(in crate::formats::family) info: Option<String>,
    /// What of a case is neither given nor demanded, with the reason.
    pub(in crate::formats::family) ignore: Vec<IgnoredPath>,
    /// What of a file, outside of its cases, is not read, with the reason.
    pub(in crate::formats::family) ignore_in_file: Vec<IgnoredPath>,
    /// The paths from a case to what some case must have.
    pub(in crate::formats::family) paths: Vec<WrittenPath>,
    /// The paths from a step to what some step must have.
    pub(in crate::formats::family) step_paths: Vec<WrittenPath>,
}

/// What is neither given nor demanded.
#[derive(Debug)]
pub(in crate::formats::family) struct IgnoredPath {
    pub(in crate::formats::family) written: WrittenPath,
    pub(in crate::formats::family) reason: String,
}

/// A path where it is written.
#[derive(Debug, Clone)]
pub(in crate::formats::family) struct WrittenPath {
    pub(in crate::formats::family) path: NodePath,
    pub(in crate::formats::family) place: Option<DiagnosticPlace>,
}

impl FormatDeclaration {
    /// Whether both read the same files, with cases at the same places.
    pub(in crate::formats::family) fn reads_with(&self, other: &FormatDeclaration) -> bool {
        let texts = |format: &'_ FormatDeclaration| {
            format.files.iter().map(|file| file.text.clone()).collect::<Vec<_>>()
        };
        texts(self) == texts(other) && self.cases == other.cases
    }

    /// The objects whose members have their own names: a format fits no file in which one of them is not declared.
    pub(super) fn whole_objects(&self) -> impl Iterator<Item = &NodePath> {
        self.given_whole().into_iter().chain(self.demanded_whole())
    }

    /// The object of which each member is given under its own name.
    pub(in crate::formats::family) fn given_whole(&self) -> Option<&NodePath> {
        self.program.iter().find_map(|given| match given {
            GivenMember::All(path) => Some(path),
            GivenMember::One(..) | GivenMember::Constant(..) => None,
        })
    }

    /// The object of which each member is demanded under its own name.
    pub(in crate::formats::family) fn demanded_whole(&self) -> Option<&NodePath> {
        self.step.expect.iter().find_map(|demanded| match demanded {
            DemandedField::All(path) => Some(path),
            DemandedField::At { .. } | DemandedField::Constant { .. } => None,
        })
    }

    /// What is demanded of a field under a path of its own.
    pub(in crate::formats::family) fn own_demand(&self, index: usize) -> Option<&DemandedField> {
        self.step.expect.iter().find(|demanded| match demanded {
            DemandedField::At { field, .. } | DemandedField::Constant { field, .. } => *field == index,
            DemandedField::All(_) => false,
        })
    }
}

/// A glob for files.
#[derive(Debug)]
pub(in crate::formats::family) struct DeclaredFiles {
    /// The glob as it is written.
    pub(in crate::formats::family) text: String,
    pub(in crate::formats::family) glob: GlobMatcher,
}

impl DeclaredFiles {
    /// Up to where in a path that it matches its first literal folders reach at last; 0 if it begins with none, or does
    /// not match. `**/6502/**/*.json` reaches behind the last folder `6502`.
    pub(in crate::formats::family) fn reach(&self, file: &str) -> usize {
        let folders = self.text.strip_prefix("**/").unwrap_or(&self.text).split('/');
        let literal: usize =
            folders.take_while(|it| !it.contains(GLOB_SPECIAL)).map(|it| it.len() + "/".len()).sum();
        let starts = file.match_indices('/').map(|(slash, _)| slash + 1).rev().chain([0]);
        let last = starts.into_iter().find(|start| self.matches(&file[*start..]));
        last.filter(|_| literal > 0).map_or(0, |last| last + literal)
    }

    /// Whether it matches the path of a file, or, of a compressed file, the path without that ending; a glob without a
    /// slash, its name.
    pub(in crate::formats::family) fn matches(&self, file: &str) -> bool {
        let is_match = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            self.glob.is_match(if self.text.contains('/') { path } else { name })
        };
        is_match(file) || uncompressed_name(file).is_some_and(is_match)
    }
}

/// What is done in a step, and what must be true afterwards.
#[derive(Debug, Default)]
pub(in crate::formats::family) struct StepDeclaration {
    pub(in crate::formats::family) actions: StepActions,
    pub(in crate::formats::family) expect: Vec<DemandedField>,
    pub(in crate::formats::family) unlisted: UnlistedFields,
}

/// What must be true of given fields that `"*"` of `expect` does not list, and that have no place of their own there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::formats::family) enum UnlistedFields {
    /// They are not compared.
    #[default]
    Any,
    /// They must be as they were given.
    Unchanged,
}

#[derive(Debug)]
pub(in crate::formats::family) enum StepActions {
    /// These.
    Fixed(Vec<Action>),
    /// Those that the step lists.
    At(NodePath),
}

impl Default for StepActions {
    fn default() -> StepActions {
        StepActions::Fixed(vec![Action::Execute])
    }
}

/// A member of the program, and where its value lies.
#[derive(Debug)]
pub(in crate::formats::family) enum GivenMember {
    /// Each member of an object, under its own name.
    All(NodePath),
    /// A member: its index among the fields of the state and the members of the input.
    One(usize, NodePath),
    /// A member with a value that no case says.
    Constant(usize, Document),
}

/// A field of the state, and what it must be.
#[derive(Debug)]
pub(in crate::formats::family) enum DemandedField {
    /// Each member of an object, under its own name.
    All(NodePath),
    /// The value that lies there; the document is what is demanded if nothing lies there.
    At { field: usize, path: NodePath, absent: Option<Document> },
    /// A value that no case says.
    Constant { field: usize, value: Document },
}

/// The index of a member that a machine may be given: fields of the state first, then the input.
pub(super) fn member(state: &[DeclaredField], input: &[DeclaredField], name: &str) -> Option<usize> {
    state.iter().chain(input).position(|field| field.name == *name)
}
