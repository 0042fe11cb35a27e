//! Paths of a declaration that lead nowhere in the files that it is checked with, or have no effect.

use super::declaration::{DemandedField, FormatDeclaration, GivenMember, IgnoredPath, WrittenPath};
use super::node_path::{NodePath, PathStep};
use crate::model::Diagnostic;
use crate::text::json::JsonNode;
use crate::text::suggest::nearest;

/// The paths of a format that led nowhere so far.
#[derive(Debug)]
pub(super) struct PathUse {
    of_files: UnmetPaths,
    of_cases: UnmetPaths,
    of_steps: UnmetPaths,
    /// Where the steps of a case lie.
    steps: Option<NodePath>,
    /// What is ignored without effect.
    ineffective: Vec<Diagnostic>,
    /// Whether the format fits a file.
    pub(super) fits: bool,
}

/// Paths from data of one kind.
#[derive(Debug)]
struct UnmetPaths {
    /// How a message begins that says what the data lack: `no case of these files`.
    subject: &'static str,
    has_data: bool,
    paths: Vec<UnmetPath>,
}

#[derive(Debug)]
struct UnmetPath {
    written: WrittenPath,
    /// The path with a similar name that is there.
    near: Option<NodePath>,
}

impl PathUse {
    pub(super) fn of(format: &FormatDeclaration) -> PathUse {
        let in_file: Vec<_> = format.ignore_in_file.iter().map(|ignored| ignored.written.clone()).collect();
        PathUse {
            of_files: UnmetPaths::new("none of these files", &in_file),
            of_cases: UnmetPaths::new("no case of these files", &format.paths),
            of_steps: UnmetPaths::new("no step of these files", &format.step_paths),
            steps: format.steps.clone(),
            ineffective: format.ignore.iter().filter_map(|ignored| ineffective(format, ignored)).collect(),
            fits: false,
        }
    }

    /// Looks at a file, and at its items that may be cases.
    pub(super) fn look_at(&mut self, file: JsonNode<'_>, cases: &[JsonNode<'_>]) {
        self.of_files.look_at(&[file]);
        self.of_cases.look_at(cases);
        if let Some(path) = &self.steps {
            let steps: Vec<_> = cases.iter().flat_map(|case| path.each(*case)).collect();
            self.of_steps.look_at(&steps);
        }
    }

    /// What led nowhere, if there were data from which it leads, and what has no effect; each with its place in the
    /// declaration.
    pub(super) fn faults(&self) -> impl Iterator<Item = Diagnostic> {
        let unmet = [&self.of_files, &self.of_cases, &self.of_steps].into_iter().flat_map(UnmetPaths::faults);
        unmet.chain(self.ineffective.iter().cloned())
    }
}

impl UnmetPaths {
    fn new(subject: &'static str, paths: &[WrittenPath]) -> UnmetPaths {
        let unmet = paths.iter().map(|written| UnmetPath { written: written.clone(), near: None });
        UnmetPaths { subject, has_data: false, paths: unmet.collect() }
    }

    fn look_at(&mut self, starts: &[JsonNode<'_>]) {
        self.has_data |= !starts.is_empty();
        self.paths.retain_mut(|unmet| {
            let path = &unmet.written.path;
            if starts.iter().any(|start| !path.each(*start).is_empty()) {
                return false;
            }
            unmet.near = unmet.near.take().or_else(|| starts.iter().find_map(|start| near(path, *start)));
            true
        });
    }

    fn faults(&self) -> impl Iterator<Item = Diagnostic> {
        self.paths.iter().filter(|_| self.has_data).map(|UnmetPath { written, near }| {
            let mut fault = Diagnostic::new(format!("{} has {}", self.subject, written.path));
            fault.expected = near.as_ref().map(NodePath::to_string);
            fault.place.clone_from(&written.place);
            fault
        })
    }
}

/// What is wrong if all that is ignored is given or demanded.
fn ineffective(format: &FormatDeclaration, IgnoredPath { written, .. }: &IgnoredPath) -> Option<Diagnostic> {
    let leads_to = |path: &NodePath| path.contains(&written.path);
    let is_demanded = format.step.expect.iter().any(|demanded| match demanded {
        DemandedField::All(path) | DemandedField::At { path, .. } => match &format.steps {
            Some(steps) => leads_to(&NodePath { steps: [&*steps.steps, &path.steps].concat() }),
            None => leads_to(path),
        },
        DemandedField::Constant { .. } => false,
    });
    let is_given = || {
        format.program.iter().any(|given| match given {
            GivenMember::All(path) | GivenMember::One(_, path) => leads_to(path),
            GivenMember::Constant(..) => false,
        })
    };
    let (used, instead) = if is_demanded {
        ("demanded", "--ignore FIELD, or ignore in vmconf.toml, so that it is not compared")
    } else if is_given() {
        ("given to the machine", "no ignore for it")
    } else {
        return None;
    };
    let mut fault =
        Diagnostic::new(format!("{} is {used}, so that ignore has no effect on it", written.path));
    fault.expected = Some(instead.to_owned());
    fault.place.clone_from(&written.place);
    Some(fault)
}

/// The path with the nearest name in the place of the first one that is not there.
fn near(path: &NodePath, case: JsonNode<'_>) -> Option<NodePath> {
    let mut node = case;
    for (index, step) in path.steps.iter().enumerate() {
        if let Some(inner) = step.find(node) {
            node = inner;
            continue;
        }
        let PathStep::Member(name) = step else { return None };
        let names: Vec<_> = node.members().map(|member| member.key).collect();
        let near = nearest(name, names.iter().map(|name| &**name))?;
        let mut steps = path.steps.clone();
        steps[index] = PathStep::Member(near.to_owned());
        return Some(NodePath { steps });
    }
    None
}
