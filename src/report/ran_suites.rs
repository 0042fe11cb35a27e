//! The vectors that a run executed, by suite: versions, digests, and in what two runs of a suite differ.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::model::{CaseReport, ContentDigest, VectorsVersion, counted, escaped};
use crate::text::file_name::common_folder;

/// How many files are named that differ.
const NAMED: usize = 3;

/// The deepest folder of which the version is looked up.
const MAX_DEPTH: usize = 100;

/// The files that a run executed cases of.
#[derive(Default)]
pub(super) struct RanFiles {
    files: BTreeMap<String, RanFile>,
    /// The versions of folders, as [`VectorsVersion`] says them, by folder.
    versions: HashMap<String, String>,
}

/// A file that a run executed cases of.
#[derive(Default)]
struct RanFile {
    cases: u64,
    /// The digests of its cases: one, unless they open further files; empty if the report does not say them.
    contents: BTreeSet<ContentDigest>,
    /// The sum of the hashes of the names of its cases: which of them ran.
    names: u128,
}

impl RanFile {
    /// Whether the file had another text than in another run, or the files that the same cases opened had.
    fn has_other_content(&self, other: &RanFile) -> bool {
        let texts = |file: &RanFile| file.contents.iter().map(|it| it.of_file()).collect::<BTreeSet<_>>();
        texts(self) != texts(other) || self.names == other.names && self.contents != other.contents
    }
}

/// A suite that a run executed.
pub(super) struct RanSuite<'r> {
    pub(super) name: String,
    files: BTreeMap<&'r str, &'r RanFile>,
    /// The versions of its folders: `1.0.0`, `commit 0123456789ab`.
    pub(super) versions: Vec<&'r str>,
}

impl RanFiles {
    pub(super) fn set_versions(&mut self, versions: impl IntoIterator<Item = VectorsVersion>) {
        let described = |version: VectorsVersion| (version.folder.clone(), described(&version));
        self.versions = versions.into_iter().map(described).collect();
    }

    pub(super) fn add(&mut self, report: &CaseReport) {
        let file = self.files.entry(report.id.file.to_string()).or_default();
        file.cases += 1;
        let name = format!("{:?} {}", report.id.name, report.id.nth);
        file.names = file.names.wrapping_add(hash_of(&name));
        file.contents.extend(report.content);
    }

    /// The suites; `suite` names that of a file.
    pub(super) fn suites(&self, suite: &dyn Fn(&str) -> String) -> Vec<RanSuite<'_>> {
        let mut suites: BTreeMap<String, BTreeMap<&str, &RanFile>> = BTreeMap::new();
        for (name, file) in &self.files {
            suites.entry(suite(name)).or_default().insert(name, file);
        }
        suites.into_iter().map(|(name, files)| self.suite(name, files)).collect()
    }

    fn suite<'r>(&'r self, name: String, files: BTreeMap<&'r str, &'r RanFile>) -> RanSuite<'r> {
        let versions: BTreeSet<_> = files.keys().filter_map(|file| self.version(file)).collect();
        RanSuite { name, files, versions: versions.into_iter().collect() }
    }

    /// The first file of which another run has the content only in other suites, with its name there, if the runs have
    /// no name in common: one of them began in another folder.
    fn renamed_in<'r>(&'r self, other: &'r RanFiles, suite: &dyn Fn(&str) -> String) -> Option<[&'r str; 2]> {
        if self.files.keys().any(|name| other.files.contains_key(name)) {
            return None;
        }
        let mut names: BTreeMap<_, Vec<&str>> = BTreeMap::new();
        for (name, file) in other.files.iter().filter(|(_, file)| !file.contents.is_empty()) {
            names.entry(&file.contents).or_default().push(name);
        }
        self.files.iter().find_map(|(name, file)| {
            let same = names.get(&file.contents)?;
            let is_of_suite = |other: &&str| suite(name) == suite(other);
            let renamed = same.first().filter(|_| !same.iter().any(is_of_suite))?;
            Some([name.as_str(), *renamed])
        })
    }

    pub(super) fn folders(&self) -> BTreeSet<&str> {
        self.files.keys().map(|file| file.rsplit_once('/').map_or(".", |(folder, _)| folder)).collect()
    }

    pub(super) fn digest(&self) -> Option<String> {
        digest(self.files.iter().map(|(name, file)| (&**name, file)))
    }

    /// The version of the nearest folder that the file is in.
    fn version(&self, file: &str) -> Option<&str> {
        let folders = file.rmatch_indices('/').take(MAX_DEPTH).map(|(slash, _)| &file[..slash]);
        let is_below = !file.starts_with("../") && !file.starts_with('/');
        let mut folders = folders.chain(is_below.then_some("."));
        folders.find_map(|folder| self.versions.get(folder)).map(String::as_str)
    }
}

impl RanSuite<'_> {
    pub(super) fn files(&self) -> usize {
        self.files.len()
    }

    pub(super) fn cases(&self) -> u64 {
        self.files.values().map(|file| file.cases).sum()
    }

    /// The BLAKE3 hash of the names and contents of its files, in hex digits; `None` if the report does not say these.
    pub(super) fn digest(&self) -> Option<String> {
        digest(self.files.iter().map(|(name, file)| (*name, *file)))
    }

    /// In what the files differ from those of another run of the suite, for people; `None` if they do not, or if it is
    /// not known.
    fn differs(&self, other: &RanSuite<'_>) -> Option<String> {
        let (own, its) = (self.digest()?, other.digest()?);
        if own == its {
            return self.differs_in_cases(other);
        }
        let changed = self
            .files
            .iter()
            .filter(|(name, file)| other.files.get(*name).is_some_and(|other| other.has_other_content(file)));
        let changed: Vec<_> = changed.map(|(name, _)| escaped(name).to_string()).collect();
        let only = |one: &BTreeMap<&str, &RanFile>, other: &BTreeMap<&str, &RanFile>| {
            one.keys().filter(|name| !other.contains_key(*name)).count()
        };
        let (first, second) = (only(&self.files, &other.files), only(&other.files, &self.files));
        let mut parts = Vec::new();
        if !changed.is_empty() {
            let named = changed[..changed.len().min(NAMED)].join(", ");
            let more = if changed.len() > NAMED { ", …" } else { "" };
            parts.push(format!("{} with other content: {named}{more}", counted(changed.len(), "file")));
        }
        if first > 0 {
            parts.push(format!("{} only in the first", counted(first, "file")));
        }
        if second > 0 {
            parts.push(format!("{} only in the second", counted(second, "file")));
        }
        if parts.is_empty() { self.differs_in_cases(other) } else { Some(parts.join("; ")) }
    }

    /// In which cases of the same files the runs differ, for people; `None` if they do not.
    fn differs_in_cases(&self, other: &RanSuite<'_>) -> Option<String> {
        let is_same =
            self.files.values().map(|file| file.names).eq(other.files.values().map(|file| file.names));
        let (first, second) = (counted(self.cases(), "case"), other.cases());
        (!is_same).then(|| format!("the first ran {first}, the second {second}, not the same ones"))
    }
}

/// A suite of which two machines ran different files.
#[derive(Debug, PartialEq, Eq)]
pub struct UnlikeSuites {
    /// The suite.
    pub suite: String,
    /// The machines.
    pub machines: [String; 2],
    /// In what the files differ.
    pub how: String,
}

/// The suites of which a machine ran other files than the first machine that ran the suite, by suite; also if it ran
/// files of the first machine in another suite, so that their cases are compared with nothing. `machines` has the name
/// and the files of each.
pub(super) fn unlike_suites<'r>(
    machines: impl Iterator<Item = (&'r str, &'r RanFiles)>,
    suite: &dyn Fn(&str) -> String,
) -> Vec<UnlikeSuites> {
    let mut first: BTreeMap<String, (&str, RanSuite<'_>)> = BTreeMap::new();
    let mut first_machine = None;
    let mut unlike = Vec::new();
    for (name, files) in machines {
        let (other, its) = *first_machine.get_or_insert((name, files));
        if let Some([here, there]) = its.renamed_in(files, suite) {
            let how = format!(
                "{} of the first is {} of the second: run both from the same folder",
                escaped(here),
                escaped(there)
            );
            unlike.push(UnlikeSuites { suite: suite(here), machines: [other, name].map(str::to_owned), how });
        }
        for suite in files.suites(suite) {
            match first.get(&suite.name) {
                Some((other, its)) => unlike.extend(its.differs(&suite).map(|how| UnlikeSuites {
                    suite: suite.name.clone(),
                    machines: [*other, name].map(str::to_owned),
                    how,
                })),
                // What a report does not say is compared with nothing.
                None if suite.digest().is_some() => drop(first.insert(suite.name.clone(), (name, suite))),
                None => {}
            }
        }
    }
    unlike.sort_by(|one, other| one.suite.cmp(&other.suite));
    unlike
}

/// `1.0.0, commit 0123456789ab`.
fn described(VectorsVersion { version, commit, .. }: &VectorsVersion) -> String {
    let commit = commit.as_ref().map(|commit| format!("commit {}", short(commit)));
    version.iter().cloned().chain(commit).collect::<Vec<_>>().join(", ")
}

/// The digest of the names of files, below the folder that all are in, and of their contents; `None` if that of one is
/// not known, or without files. It is the same wherever the folder is.
fn digest<'r>(files: impl Iterator<Item = (&'r str, &'r RanFile)> + Clone) -> Option<String> {
    files.clone().next()?;
    let common = common_folder(files.clone().map(|(name, _)| name));
    let mut hasher = blake3::Hasher::new();
    for (name, file) in files {
        if file.contents.is_empty() {
            return None;
        }
        hasher.update(format!("{:?} {}\n", &name[common..], file.contents.len()).as_bytes());
        for content in &file.contents {
            hasher.update(content.to_string().as_bytes());
        }
    }
    Some(hasher.finalize().to_hex().to_string())
}

fn hash_of(text: &str) -> u128 {
    let mut start = [0; 16];
    start.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    u128::from_le_bytes(start)
}

/// The start of a hash that is shown.
pub(super) fn short(hash: &str) -> &str {
    const SHOWN: usize = 12;
    hash.char_indices().nth(SHOWN).map_or(hash, |(end, _)| &hash[..end])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{RanFiles, unlike_suites};
    use crate::model::{CaseId, CaseReport, ContentDigest, VectorsVersion, Verdict};

    fn ran(files: &[(&str, &str)]) -> RanFiles {
        let files: Vec<_> = files.iter().map(|(file, text)| (*file, *text, "case")).collect();
        ran_cases(&files)
    }

    fn ran_cases(cases: &[(&str, &str, &str)]) -> RanFiles {
        let mut ran = RanFiles::default();
        for (file, text, name) in cases {
            let id = CaseId { file: Arc::from(*file), name: Some((*name).into()), nth: 1 };
            let content = (!text.is_empty()).then(|| ContentDigest::of(text));
            ran.add(&CaseReport { content, ..CaseReport::new(id, Verdict::Pass) });
        }
        ran
    }

    fn suite(file: &str) -> String {
        file.split('/').rev().nth(1).unwrap_or_default().to_owned()
    }

    #[test]
    fn digests_are_of_relative_names_and_contents() {
        let here = ran(&[("a/x.json", "1"), ("a/y.json", "2")]).digest();
        assert!(here.is_some());
        assert_eq!(here, ran(&[("../other/a/y.json", "2"), ("../other/a/x.json", "1")]).digest());
        assert_ne!(here, ran(&[("a/x.json", "2"), ("a/y.json", "1")]).digest());
        assert_ne!(here, ran(&[("a/x.json", "1"), ("a/z.json", "2")]).digest());
        assert_ne!(here, ran(&[("a/x.json", "1")]).digest());
        assert_eq!(ran(&[("a/x.json", "1"), ("a/y.json", "")]).digest(), None);
    }

    #[test]
    fn suites_of_other_files_are_unlike() {
        let one = ran(&[("a/x.json", "1"), ("a/y.json", "2"), ("b/z.json", "3"), ("c/w.json", "4")]);
        let other = ran(&[("a/x.json", "9"), ("b/z.json", "3"), ("c/w.json", "4"), ("c/v.json", "5")]);
        let silent = ran(&[("a/x.json", "")]);
        let machines = [("silent", &silent), ("one", &one), ("other", &other), ("same", &one)];
        let found = unlike_suites(machines.into_iter(), &suite);
        let found: Vec<_> = found.iter().map(|it| (&*it.suite, &*it.machines[1], &*it.how)).collect();
        let a = "1 file with other content: a/x.json; 1 file only in the first";
        assert_eq!(found, [("a", "other", a), ("c", "other", "1 file only in the second")]);
    }

    /// The digest is of files: those of which only some cases ran have it, too.
    #[test]
    fn suites_of_other_cases_are_unlike() {
        let all = ran_cases(&[("a/x.json", "1", "p"), ("a/x.json", "1", "q")]);
        let how = |other: &RanFiles| {
            let found = unlike_suites([("all", &all), ("other", other)].into_iter(), &suite);
            found.into_iter().map(|it| it.how).collect::<Vec<_>>()
        };
        let some = ran_cases(&[("a/x.json", "1", "q")]);
        assert_eq!(all.digest(), some.digest());
        assert_eq!(how(&some), ["the first ran 2 cases, the second 1, not the same ones"]);
        let others = ran_cases(&[("a/x.json", "1", "r"), ("a/x.json", "1", "q")]);
        assert_eq!(how(&others), ["the first ran 2 cases, the second 2, not the same ones"]);
        assert!(how(&ran_cases(&[("a/x.json", "1", "q"), ("a/x.json", "1", "p")])).is_empty());
        assert!(how(&ran_cases(&[("../a/x.json", "1", "p"), ("../a/x.json", "1", "q")])).is_empty());
    }

    /// A case that opens a file has its digest, too, so that each case of a file may have another one.
    #[test]
    fn opened_files_are_compared_only_between_the_same_cases() {
        let ran = |cases: &[(&str, &str)]| {
            let mut ran = RanFiles::default();
            for (name, opened) in cases {
                let id = CaseId { file: Arc::from("a/x.json"), name: Some((*name).into()), nth: 1 };
                let content = Some(ContentDigest::of("text").with(&blake3::hash(opened.as_bytes())));
                ran.add(&CaseReport { content, ..CaseReport::new(id, Verdict::Pass) });
            }
            ran
        };
        let all = ran(&[("p", "one"), ("q", "other")]);
        let how = |other: &RanFiles| {
            let found = unlike_suites([("all", &all), ("other", other)].into_iter(), &suite);
            found.into_iter().map(|it| it.how).collect::<Vec<_>>()
        };
        let cases = "the first ran 2 cases, the second 1, not the same ones";
        assert_eq!(how(&ran(&[("q", "other")])), [cases]);
        assert_eq!(how(&ran(&[("p", "one"), ("q", "changed")])), ["1 file with other content: a/x.json"]);
        assert!(how(&all).is_empty());
    }

    #[test]
    fn the_nearest_folder_says_the_version() {
        let mut ran = ran(&[("a/b/x.json", "1"), ("a/y.json", "1"), ("z.json", "1"), ("../q/w.json", "1")]);
        let version = |folder: &str, version: &str| VectorsVersion {
            folder: folder.to_owned(),
            version: Some(version.to_owned()),
            commit: (folder == "a").then(|| "0123456789abcdef0123".to_owned()),
        };
        ran.set_versions([version("a/b", "1"), version("a", "2"), version(".", "3")]);
        let versions = |file| ran.version(file);
        assert_eq!(versions("a/b/x.json"), Some("1"));
        assert_eq!(versions("a/y.json"), Some("2, commit 0123456789ab"));
        assert_eq!(versions("ab/y.json"), Some("3"));
        assert_eq!(versions("z.json"), Some("3"));
        assert_eq!(versions("../q/w.json"), None);
        let suites = ran.suites(&|_| "all".to_owned());
        assert_eq!(suites[0].versions, ["1", "2, commit 0123456789ab", "3"]);
    }
}
