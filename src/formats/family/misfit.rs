//! Which data of a file are cases of a format of a family; of a file without cases, why, and whether it nearly has one.

use std::borrow::Cow;
use std::sync::Arc;

use super::declaration::FormatDeclaration;
use super::node_path::NodePath;
use super::reader::{CaseCandidate, FamilyReader, missing};
use crate::formats::format::FileEntry;
use crate::model::{Diagnostic, Origin};
use crate::text::json::{JsonNode, quoted};

/// How many data of a file are looked at to find out whether it is nearly one of a format.
const MAX_NEARLY: usize = 1000;

/// Why a file does not fit a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FormatMisfit {
    /// How much of what a case has was there, for a comparison with others: 0 if nothing was.
    pub(super) matched: usize,
    /// Where this is seen.
    pub(super) at: u32,
    pub(super) what: String,
}

/// Why a datum is no case of a family.
#[derive(PartialEq)]
pub(super) enum Rejection<'r, 'd> {
    /// There is nothing at this path.
    Missing(&'r NodePath),
    /// The datum at this path is not an object.
    NotAnObject(&'r NodePath),
    /// The object at a path has a member that the family does not declare.
    Undeclared { path: &'r NodePath, position: usize, key: Cow<'d, str> },
}

impl FormatMisfit {
    /// The misfit of what comes nearest to a case; of several, the first one.
    pub(super) fn nearest(misfits: impl IntoIterator<Item = FormatMisfit>) -> Option<FormatMisfit> {
        misfits.into_iter().reduce(|best, other| if other.matched > best.matched { other } else { best })
    }
}

impl Rejection<'_, '_> {
    /// Whether another datum is no case for the same reason.
    pub(super) fn applies(&self, node: JsonNode<'_>) -> bool {
        match self {
            Rejection::Missing(path) => path.find(node).is_none(),
            Rejection::NotAnObject(path) => path.find(node).is_some_and(|other| !other.is_object()),
            Rejection::Undeclared { path, position, key } => {
                path.find(node).is_some_and(|object| object.has_key_at(*position, key))
            }
        }
    }

    /// The reason, with the position in the rejected datum; `matched` is as in [`FormatMisfit`].
    fn misfit(&self, node: JsonNode<'_>, matched: usize) -> FormatMisfit {
        match self {
            Rejection::Missing(path) => {
                FormatMisfit { matched, at: node.at(), what: format!("a case without {path}") }
            }
            Rejection::NotAnObject(path) => {
                let at = path.find(node).map_or(node.at(), JsonNode::at);
                FormatMisfit { matched, at, what: format!("{path} is not an object") }
            }
            Rejection::Undeclared { path, position, key } => {
                let unknown = path.find(node).and_then(|object| object.members().nth(*position));
                let at = unknown.map_or(node.at(), |unknown| unknown.key_at);
                let what = format!("the member {} of {path} is not declared", quoted(key));
                FormatMisfit { matched, at, what }
            }
        }
    }
}

impl FamilyReader {
    /// The cases of a document. Fails when there is none.
    pub(super) fn outline(&self, root: JsonNode<'_>) -> Result<Vec<FileEntry>, Diagnostic<Origin>> {
        let entry = |CaseCandidate { key, node }: CaseCandidate<'_>| {
            let format = self.format_of(node)?.declared;
            let name = format.name.as_ref().and_then(|path| path.find(node));
            let name = name.map(|name| name.text().unwrap_or(Cow::Borrowed(name.raw())));
            Some(FileEntry { name: name.map_or_else(|| key.name(), Arc::from), node: node.index() })
        };
        let entries: Vec<_> = self.candidates(root).filter_map(entry).collect();
        if !entries.is_empty() {
            return Ok(entries);
        }
        let none = FormatMisfit { matched: 0, at: root.at(), what: "no case".into() };
        let FormatMisfit { at, what, .. } = self.fits(root).err().unwrap_or(none);
        let expected = self.looks_like();
        Err(Diagnostic::at(at, format!("no case of {}: {what}", self.family.machine)).expected(expected))
    }

    /// Where the first case is that has all that each case has, and only declared members. The error says why there
    /// is none.
    pub(super) fn fits(&self, root: JsonNode<'_>) -> Result<u32, FormatMisfit> {
        let mut nearest: Option<FormatMisfit> = None;
        let mut last = None;
        for node in self.places(root) {
            let matched = self.matched(node);
            // The items of a file of another family mostly look alike, and there may be a million.
            let is_farther = nearest.as_ref().is_some_and(|nearest| nearest.matched >= matched);
            if is_farther && last.as_ref().is_some_and(|last: &Rejection<'_, '_>| last.applies(node)) {
                continue;
            }
            let Some(rejection) = self.rejection(node) else { return Ok(node.at()) };
            nearest = FormatMisfit::nearest(nearest.into_iter().chain([rejection.misfit(node, matched)]));
            last = Some(rejection);
        }
        Err(nearest.unwrap_or_else(|| FormatMisfit {
            matched: 0,
            at: root.at(),
            what: format!("nothing found at {}", self.format().cases),
        }))
    }

    /// How many of the data that a case has are there, except for the name, which other files have, too; and how many
    /// of the objects of which each member is taken have a declared member.
    fn matched(&self, node: JsonNode<'_>) -> usize {
        let FormatDeclaration { has, name, .. } = self.format();
        let has = has.iter().filter(|path| name.as_ref() != Some(*path) && path.find(node).is_some()).count();
        let is_alike = |(path, known): &(&NodePath, usize)| {
            let mut members = path.find(node).into_iter().flat_map(JsonNode::members);
            members.any(|member| self.is_known(&member.key, *known))
        };
        has + self.taken().filter(is_alike).count()
    }

    /// Why an item is no case of this family. Families of the same shape differ by the names of members.
    pub(super) fn rejection<'d>(&self, node: JsonNode<'d>) -> Option<Rejection<'_, 'd>> {
        if let Some(path) = missing(self.format(), node) {
            return Some(Rejection::Missing(path));
        }
        self.taken().find_map(|(path, known)| {
            let Some(object) = path.find(node) else { return Some(Rejection::Missing(path)) };
            if !object.is_object() {
                return Some(Rejection::NotAnObject(path));
            }
            let mut members = object.members().enumerate();
            let (position, unknown) = members.find(|(_, member)| !self.is_known(&member.key, known))?;
            Some(Rejection::Undeclared { path, position, key: unknown.key })
        })
    }

    /// The objects of a case of which each member is taken, and how many of the members of the family may be there.
    fn taken(&self) -> impl Iterator<Item = (&NodePath, usize)> {
        let (members, fields) = (self.family.members().count(), self.family.state.len());
        let given = self.format().given_whole().map(|path| (path, members));
        let demanded = self.format().demanded_whole().filter(|_| self.format().steps.is_none());
        given.into_iter().chain(demanded.map(|path| (path, fields)))
    }

    /// Whether one of the first members of the family has this name.
    fn is_known(&self, key: &str, known: usize) -> bool {
        self.family.member(key).is_some_and(|index| index < known)
    }

    /// Whether names of members tell its files from others, whatever their paths are.
    fn tells_by_names(&self) -> bool {
        self.taken().next().is_some()
    }

    /// Whether a file has a case by the names of its members, whatever its path is.
    pub(super) fn has_case_by_names(&self, root: JsonNode<'_>) -> bool {
        let mut first = self.places(root).take(MAX_NEARLY);
        self.tells_by_names() && first.any(|node| self.rejection(node).is_none())
    }

    /// Why the first datum that is nearly a case is not one, in a file that does not fit; `None` if no datum is nearly a
    /// case. Only the names of members make one: any list of lists looks like the cases of a family whose cases are lists.
    pub(super) fn near_miss(&self, root: JsonNode<'_>) -> Option<FormatMisfit> {
        let node = self.places(root).take(MAX_NEARLY).find(|node| self.is_nearly_case(*node))?;
        Some(self.rejection(node)?.misfit(node, self.matched(node)))
    }

    /// Whether a datum lacks at most one of those that make a case, and has members most of which are declared; in a
    /// format without objects of which each member is taken, whether most of all that is read is there.
    fn is_nearly_case(&self, node: JsonNode<'_>) -> bool {
        let is_there = |path: &NodePath| path.find(node).is_some();
        if !self.tells_by_names() {
            let read = &self.format().paths;
            let found = read.iter().filter(|read| is_there(&read.path)).count();
            return node.is_object() && found > 2 && found * 4 >= read.len() * 3;
        }
        let mut objects = self.taken().filter(|(path, _)| is_there(path)).peekable();
        let has_objects = objects.peek().is_some();
        let mut lacking: Vec<_> = self.format().has.iter().filter(|path| !is_there(path)).collect();
        lacking.extend(self.taken().map(|(path, _)| path).filter(|path| !is_there(path)));
        lacking.dedup();
        lacking.len() <= 1 && has_objects && objects.all(|(path, known)| self.knows_most(path, known, node))
    }

    /// Whether at least five members of an object, and four fifths of them, are among the first `known` ones of the
    /// family: a few names such as `pc` and `ram` are those of many machines.
    fn knows_most(&self, path: &NodePath, known: usize, node: JsonNode<'_>) -> bool {
        let members = path.find(node).into_iter().flat_map(JsonNode::members);
        let (mut count, mut declared) = (0, 0);
        for member in members {
            count += 1;
            declared += usize::from(self.is_known(&member.key, known));
        }
        declared >= 5 && declared * 5 >= count * 4
    }
}
