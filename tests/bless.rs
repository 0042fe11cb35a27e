//! `vmconf bless`: what it writes is what makes the case pass, and nothing else of a file changes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Ran, VECTORS, at_root, command, ran, vmconf};
use tempfile::TempDir;
use vmconf::bless::{Blessed, OutcomeChange, Wishes, bless};
use vmconf::case::{Case, Want};
use vmconf::formats::{self, Context, Format, Options};
use vmconf::json::{Datum, Document, Node};
use vmconf::runner::{self, VectorFiles};
use vmconf::sources::{Named, Source};

// ---- Every own vector

/// Numbers that look random and are the same for the same seed.
struct Random(u64);

impl Random {
    /// `BLESS_SEED` sets another seed.
    fn new() -> Random {
        let seed = std::env::var("BLESS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
        println!("BLESS_SEED={seed}");
        Random(seed)
    }

    fn below(&mut self, end: usize) -> usize {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        if all.is_empty() { None } else { Some(all[self.below(all.len())]) }
    }
}

/// A copy of all own vectors, with what stands beside them.
fn copy_of_vectors() -> TempDir {
    let folder = TempDir::new().unwrap();
    for entry in walkdir::WalkDir::new(at_root(VECTORS)) {
        let entry = entry.unwrap();
        let to = folder.path().join(entry.path().strip_prefix(at_root(VECTORS)).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(to).unwrap();
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
    folder
}

fn vectors_in(folder: &Path) -> Vec<PathBuf> {
    let files =
        walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(|it| it.unwrap().into_path());
    files.filter(|path| path.extension().is_some_and(|it| it == "json")).collect()
}

/// A vector file that is changed in memory and read like the file.
struct Vector<'p> {
    path: &'p Path,
    format: &'static Format,
    text: String,
}

impl<'p> Vector<'p> {
    fn read(path: &'p Path) -> Vector<'p> {
        let text = fs::read_to_string(path).unwrap();
        let document = Document::parse(text.clone(), 128).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let (format, _) = formats::recognise(&document, name).unwrap();
        Vector { path, format, text }
    }

    fn source(&self) -> Source {
        let shown = self.path.to_str().unwrap().into();
        Source { path: self.path.to_owned(), shown, named: Named::ByUser, only: None }
    }

    /// The text with one change of each case that makes it fail, where `change` finds one, and how
    /// many there are.
    fn corrupted(&self, mut change: impl FnMut(Node<'_>, &Case) -> Option<String>) -> (String, usize) {
        const TRIES: usize = 4;
        let mut text = self.text.clone();
        let mut failing = 0;
        let mut bench_options = runner::Options::default();
        bench_options.format = Some(self.format);
        let mut bench = runner::Bench::new(&bench_options);
        let source = self.source();
        let count = runner::open_text(&source, text.clone(), &bench_options).cases();
        for index in 0..count {
            for _ in 0..TRIES {
                let opened = runner::open_text(&source, text.clone(), &bench_options);
                let there = opened.case(index).unwrap();
                let node = Node::at_index(there.document, there.node);
                let Some(changed) = change(node, &self.case(node)) else { continue };
                if Document::parse(changed.clone(), 128).is_err() {
                    continue;
                }
                let opened = runner::open_text(&source, changed.clone(), &bench_options);
                let report = bench.run_case(&opened, index);
                if matches!(report.verdict, vmconf::verdict::Verdict::Fail(_)) {
                    text = changed;
                    failing += 1;
                    break;
                }
            }
        }
        (text, failing)
    }

    fn case(&self, node: Node<'_>) -> Case {
        let files = VectorFiles::new(self.path, self.format.folders);
        let context = Context { options: Options::default(), files: &files };
        self.format.read_case(node, context).case.unwrap()
    }

    /// What comes of blessing the file when it has this text.
    fn blessed(&self, text: &str) -> Blessed {
        fs::write(self.path, text).unwrap();
        let options = runner::Options { format: Some(self.format), ..runner::Options::default() };
        let wishes = Wishes { leaf: None, outcome_change: OutcomeChange::Allow };
        bless(&self.source(), &options, &wishes)
    }
}

/// The data that checks of the case stand at.
fn demanded<'d>(test: Node<'d>, case: &Case, of: fn(&Want) -> bool) -> Vec<Node<'d>> {
    let checks = case.steps.iter().flat_map(|step| step.end.iter().chain(&step.checks));
    let mut origins: Vec<u32> = checks.filter(|check| of(&check.want)).map(|check| check.origin.0).collect();
    origins.dedup();
    let data = origins.into_iter().filter_map(|at| test.document().around(at).pop());
    data.filter(|node| node.at() > test.at()).collect()
}

/// States in place of which another one can stand.
const STATES: [[&str; 2]; 2] = [["\"HALT\"", "\"FAULT\""], ["\"Halt\"", "\"Fault\""]];

/// One character of a leaf is another of the same kind; a truth value, the other; a state, another.
fn other_leaf(test: Node<'_>, case: &Case, random: &mut Random) -> Option<String> {
    // Not what is one of several: it says less than what the machine did.
    let leaves = demanded(test, case, |want| matches!(want, Want::Is(_) | Want::IsOrAbsent(_)));
    let other_name = |node: &Node<'_>| matches!(&*node.raw().to_lowercase(), "\"pushf\"" | "\"pusht\"");
    let of_many = |node: &Node<'_>| node.is_array() || node.is_object();
    let leaves: Vec<_> = leaves.into_iter().filter(|node| !of_many(node) && !other_name(node)).collect();
    let leaf = random.one_of(&leaves)?;
    let raw = leaf.raw();
    let other = match leaf.datum() {
        Datum::Bool(value) => (!value).to_string(),
        _ if STATES.iter().any(|states| states.contains(&raw)) => {
            let states = STATES.iter().find(|states| states.contains(&raw)).unwrap();
            states[1 - states.iter().position(|state| *state == raw).unwrap()].to_owned()
        }
        _ => {
            let start = if raw.starts_with("\"0x") { 3 } else { 0 };
            let places = raw.char_indices().skip(start).filter(|it| it.1.is_ascii_alphanumeric());
            let places: Vec<_> = places.collect();
            let (at, old) = random.one_of(&places)?;
            // The lowest bit keeps a digit a digit, and the case of a letter.
            let new = char::from(old as u8 ^ 1);
            format!("{}{new}{}", &raw[..at], &raw[at + 1..])
        }
    };
    Some(with(leaf, &other))
}

/// The document with another text for a datum.
fn with(node: Node<'_>, other: &str) -> String {
    let mut text = node.document().text().to_owned();
    let at = node.at() as usize;
    text.replace_range(at..at + node.raw().len(), other);
    text
}

#[test]
fn a_changed_leaf_of_any_vector_comes_back() {
    let mut random = Random::new();
    let folder = copy_of_vectors();
    let mut changed = 0;
    for path in vectors_in(folder.path()) {
        let vector = Vector::read(&path);
        let (text, failing) = vector.corrupted(|test, case| other_leaf(test, case, &mut random));
        if failing == 0 {
            continue;
        }
        let blessed = vector.blessed(&text);
        assert_eq!(blessed.refused, [], "{}", path.display());
        assert_eq!(blessed.cases.len(), failing);
        let texts = blessed.texts.unwrap();
        assert!(texts.old == text);
        for (new, old) in texts.new.lines().zip(vector.text.lines()) {
            assert_eq!(new, old, "{}", path.display());
        }
        assert!(texts.new == vector.text, "{}", path.display());
        changed += failing;
    }
    println!("{changed} leaves");
    assert!(changed > 4000, "{changed} leaves");
}

/// A list or record that is demanded as a whole has an element twice or less.
fn other_size(test: Node<'_>, case: &Case, random: &mut Random) -> Option<String> {
    let sized = demanded(test, case, |want| matches!(want, Want::Len(_) | Want::Only(_)));
    let sized: Vec<_> =
        sized.into_iter().filter(|node| node.items().chain(values(*node)).next().is_some()).collect();
    let container = random.one_of(&sized)?;
    let elements: Vec<_> = container.items().chain(values(container)).collect();
    let element = random.one_of(&elements)?;
    let key = container.members().find(|member| member.value == element);
    let from = key.as_ref().map_or(element.at(), |member| member.key_at) as usize;
    let text = test.document().text();
    let raw = &text[from..element.at() as usize + element.raw().len()];
    let rest = text[from + raw.len()..].trim_start();
    let mut other = text.to_owned();
    match (random.below(2), rest.starts_with(',')) {
        (0, true) => {
            let comma = text[from..].len() - rest.len() + from;
            other.replace_range(from..=comma, "");
        }
        _ => {
            // A key of as many bytes that is there no more than once.
            let twin = raw.replacen(['0', '1'], "7", 9).replacen('2', "8", 1);
            let twin = if key.is_some() { &twin } else { raw };
            other.insert_str(from, &format!("{twin},\n\t"));
        }
    }
    Some(other)
}

fn values(object: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    object.members().map(|member| member.value)
}

#[test]
fn a_list_of_another_size_of_any_vector_passes_again() {
    let mut random = Random::new();
    let folder = copy_of_vectors();
    let mut changed = 0;
    for path in vectors_in(folder.path()) {
        let vector = Vector::read(&path);
        let (text, failing) = vector.corrupted(|test, case| other_size(test, case, &mut random));
        if failing == 0 {
            continue;
        }
        let blessed = vector.blessed(&text);
        assert_eq!(blessed.refused, [], "{}", path.display());
        assert_eq!(blessed.cases.len(), failing);
        let new = blessed.texts.unwrap().new;
        let again = vector.blessed(&new);
        assert!(again.texts.is_none() && again.refused.is_empty() && again.broken.is_empty());
        changed += failing;
    }
    println!("{changed} lists");
    assert!(changed > 1000, "{changed} lists");
}
