//! The versions of the folders that vectors come from: what a file `VERSION` says, and the commit of a git checkout,
//! which is read from its files. Both are for people: digests of content say whether vectors are the same.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::anchor::Anchor;
use super::open_file::{Links, open_regular};
use super::source::SourceOrigin;
use super::sources::Sources;
use crate::model::VectorsVersion;
use crate::text::file_name::common_folder;

/// The longest version.
const MAX_LENGTH: usize = 100;

/// The largest file of a git checkout that is read: all its tags and branches.
const MAX_GIT_FILE: u64 = 16 << 20;

/// Where the version of a folder is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct VersionPlace {
    /// A folder with a file `VERSION`.
    numbered: Option<PathBuf>,
    /// The top of a git checkout.
    checkout: Option<PathBuf>,
}

/// The versions of the folders of these files, ordered by folder. Those that have none are left out.
pub fn vectors_versions(sources: &Sources, anchor: &Anchor) -> Vec<VectorsVersion> {
    let mut places: HashMap<PathBuf, VersionPlace> = HashMap::new();
    let mut files: BTreeMap<VersionPlace, Arc<str>> = BTreeMap::new();
    for source in sources {
        let path = anchor.path(&source.shown);
        let Some(folder) = path.parent().filter(|_| source.origin != SourceOrigin::Stream) else { continue };
        let place = match places.get(folder) {
            Some(place) => place.clone(),
            None => {
                places.entry(folder.to_owned()).or_insert_with(|| VersionPlace::of(folder, anchor)).clone()
            }
        };
        let common = files.entry(place).or_insert_with(|| source.shown.clone());
        let length = common_folder([&**common, &*source.shown].into_iter());
        if length < common.len() {
            *common = common[..length].into();
        }
    }
    let version = |(place, common): (VersionPlace, Arc<str>)| {
        let folder = common.trim_end_matches('/');
        let folder = if folder.is_empty() { "." } else { folder }.to_owned();
        let (version, commit) = (place.version(), place.commit());
        (version.is_some() || commit.is_some()).then_some(VectorsVersion { folder, version, commit })
    };
    let mut versions: Vec<_> = files.into_iter().filter_map(version).collect();
    versions.sort_by(|one, other| one.folder.cmp(&other.folder));
    versions
}

impl VersionPlace {
    /// Looks in the folder and those above it: up to the top of its checkout, or the folder that names are relative to.
    fn of(folder: &Path, anchor: &Anchor) -> VersionPlace {
        let mut place = VersionPlace::default();
        let is_below = folder.starts_with(anchor.folder());
        let mut searched = None;
        for above in folder.ancestors() {
            // Without a checkout, a file outside of the project is that of something else.
            let is_own = if is_below { above.starts_with(anchor.folder()) } else { above == folder };
            if searched.is_none() && above.join("VERSION").is_file() {
                searched = Some((above.to_owned(), is_own));
            }
            if above.join(".git").exists() {
                place.checkout = Some(above.to_owned());
                break;
            }
        }
        let is_kept = |(_, is_own): &(PathBuf, bool)| *is_own || place.checkout.is_some();
        place.numbered = searched.filter(is_kept).map(|(above, _)| above);
        place
    }

    fn version(&self) -> Option<String> {
        // A link could lead to a private file.
        let text = small_text(&self.numbered.as_ref()?.join("VERSION"), Links::Refuse, 4096)?;
        let line = text.lines().next()?.trim();
        let is_version =
            !line.is_empty() && line.chars().count() <= MAX_LENGTH && !line.contains(char::is_control);
        is_version.then(|| line.to_owned())
    }

    fn commit(&self) -> Option<String> {
        commit_of(self.checkout.as_ref()?)
    }
}

/// The commit that is checked out; `None` if that cannot be read.
fn commit_of(checkout: &Path) -> Option<String> {
    let git = checkout.join(".git");
    // That of a submodule or a worktree is a file that names the folder.
    let git = if git.is_file() {
        let text = git_text(&git)?;
        checkout.join(text.strip_prefix("gitdir:")?.trim())
    } else {
        git
    };
    let head = git_text(&git.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref:").map(str::trim) else { return commit(head.trim()) };
    if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let shared = git_text(&git.join("commondir")).map(|text| git.join(text.trim()));
    let folders = [Some(git), shared];
    let mut folders = folders.iter().flatten();
    folders.find_map(|folder| {
        let loose = git_text(&folder.join(name)).and_then(|text| commit(text.trim()));
        loose.or_else(|| packed(&git_text(&folder.join("packed-refs"))?, name))
    })
}

/// The commit of a reference in the file of all packed ones.
fn packed(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| commit(line.strip_suffix(name)?.strip_suffix(' ')?))
}

fn commit(text: &str) -> Option<String> {
    let is_digit = |it: u8| matches!(it, b'0'..=b'9' | b'a'..=b'f');
    let is_hash = matches!(text.len(), 40 | 64) && text.bytes().all(is_digit);
    is_hash.then(|| text.to_owned())
}

/// A file of git. Nothing of it but a hash is shown, wherever links lead.
fn git_text(path: &Path) -> Option<String> {
    small_text(path, Links::Follow, MAX_GIT_FILE)
}

fn small_text(path: &Path, links: Links, limit: u64) -> Option<String> {
    let bytes = open_regular(path, links).ok()?.read_at_most(limit).ok()??;
    String::from_utf8(bytes).ok()
}
