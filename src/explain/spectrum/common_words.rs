//! What failing cases have in common on a machine whose instructions are unknown: the file, and words of the name and of
//! texts. Nothing is executed for it. Of passing cases, nothing is kept but their numbers: corpora have millions of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use indexmap::IndexSet;

use super::chance::SharedBy;
use crate::explain::suspects::{
    CountedPasses, FailureEvidence, SpectrumCase, SpectrumOutcome, SpectrumPoints, locate, ochiai,
};
use crate::model::{CaseOutcome, SuspectAnalysis, SuspectName, split_id, unnumbered};

/// The most failing cases of a machine that are compared.
const MAX_FAILING: usize = 200_000;

/// How many times higher the odds of failing must be with a suspect than without it.
const MIN_ODDS: u64 = 2;

/// The most words of a name that are compared.
const MAX_WORDS: usize = 8;

/// What stands before a file that cases have in common, and before a word of their names.
const FILE: &str = "file ";
const NAME: &str = "name ";

/// A case that may have something in common with others.
#[derive(Debug, Clone)]
pub(super) struct CaseWords {
    pub(super) id: String,
    /// The words of texts that it gives to the machine, each after the name of its field; none in a corpus that is too
    /// large to read them.
    pub(super) given: Vec<String>,
}

impl CaseWords {
    /// A case of which only the id is known.
    pub(super) fn of_id(id: String) -> CaseWords {
        CaseWords { id, given: Vec::new() }
    }
}

/// What several failing cases of a run have in common, each with a number.
#[derive(Default)]
pub(super) struct CommonParts {
    files: HashMap<String, u32>,
    words: HashMap<String, u32>,
    given: HashMap<String, u32>,
    /// What each is called, by its number.
    names: IndexSet<String>,
}

impl CommonParts {
    /// What several cases with these ids have in common.
    pub(super) fn of_ids<'i>(ids: impl Iterator<Item = &'i str>) -> CommonParts {
        CommonParts::of(ids.map(|id| (id, &[][..])))
    }

    /// What several cases with these ids and words of texts have in common.
    pub(super) fn of<'i>(cases: impl Iterator<Item = (&'i str, &'i [String])>) -> CommonParts {
        let (mut files, mut words, mut given) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (id, texts) in cases {
            *files.entry(file_name(id)).or_insert(0) += 1;
            for word in words_of(id).collect::<BTreeSet<_>>() {
                *words.entry(word).or_insert(0) += 1;
            }
            for word in texts {
                *given.entry(&**word).or_insert(0) += 1;
            }
        }
        let mut common = CommonParts::default();
        for (prefix, counts, numbers) in [
            (FILE, files, &mut common.files),
            (NAME, words, &mut common.words),
            ("", given, &mut common.given),
        ] {
            for (part, _) in counts.into_iter().filter(|(_, count)| *count > 1) {
                let (number, is_new) = common.names.insert_full(format!("{prefix}{part}"));
                // A text may be in a field with the name `name` or `file`.
                if is_new {
                    numbers.insert(part.to_owned(), u32::try_from(number).unwrap_or(u32::MAX));
                }
            }
        }
        common
    }

    /// The numbers of what a case has in common with failing ones, in ascending order.
    pub(super) fn of_case(&self, case: &CaseWords) -> Vec<u32> {
        let words = words_of(&case.id).filter_map(|word| self.words.get(word));
        let given = case.given.iter().filter_map(|word| self.given.get(word));
        let mut numbers: Vec<u32> =
            words.chain(given).chain(self.files.get(file_name(&case.id))).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Whether any common part is a word of a text that cases give to the machine.
    pub(super) fn has_given(&self) -> bool {
        !self.given.is_empty()
    }

    /// Whether this is a word that is a number, decimal or hexadecimal.
    fn is_number(&self, part: u32) -> bool {
        let name = &self.names[part as usize];
        let word = name.rsplit_once(' ').filter(|_| !name.starts_with(FILE));
        word.is_some_and(|(_, word)| {
            let word = word.strip_prefix("0x").unwrap_or(word);
            word.contains(|it: char| it.is_ascii_digit()) && word.chars().all(|it| it.is_ascii_hexdigit())
        })
    }

    /// The number of common parts.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of a common part, as reports show it: `file add.json`, `name carry`.
    pub(super) fn name(&self, part: u32) -> &str {
        &self.names[part as usize]
    }

    /// The number of the common part with this name.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        u32::try_from(self.names.get_index_of(name)?).ok()
    }
}

/// The file in the id of a case, without its folder.
fn file_name(id: &str) -> &str {
    let file = file_of(id);
    file.rsplit('/').next().unwrap_or(file)
}

/// The file in the id of a case.
pub(super) fn file_of(id: &str) -> &str {
    split_id(id).0
}

/// The words of the name in the id of a case.
fn words_of(id: &str) -> impl Iterator<Item = &str> {
    let name = split_id(id).1.map_or("", unnumbered);
    let words = name.split(|it: char| !it.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(MAX_WORDS)
}

/// A failing case of a machine whose instructions are unknown.
pub(super) struct NamedFailure {
    id: String,
    /// What it has in common with others.
    parts: Vec<u32>,
}

impl NamedFailure {
    /// Whether it has this in common with others.
    pub(super) fn has(&self, part: u32) -> bool {
        self.parts.binary_search(&part).is_ok()
    }

    pub(super) fn file(&self) -> &str {
        file_of(&self.id)
    }
}

/// The cases of a machine whose instructions are unknown.
#[derive(Default)]
pub(super) struct NamedCases {
    pub(super) failing: Vec<NamedFailure>,
    pub(super) passing: u64,
    /// How many passing cases have what failing ones have in common.
    passing_with: BTreeMap<u32, u64>,
    /// The same for each file with failing cases.
    passing_in: BTreeMap<String, BTreeMap<u32, u64>>,
}

impl NamedCases {
    pub(super) fn add(&mut self, common: &CommonParts, case: CaseWords, outcome: CaseOutcome) {
        let parts = common.of_case(&case);
        let id = case.id;
        if outcome == CaseOutcome::Fails {
            self.failing.push(NamedFailure { id, parts });
            return;
        }
        self.passing += 1;
        if parts.is_empty() {
            return;
        }
        let file = file_of(&id);
        if !self.passing_in.contains_key(file) {
            self.passing_in.insert(file.to_owned(), BTreeMap::new());
        }
        let in_file = self.passing_in.get_mut(file);
        for counts in in_file.into_iter().chain([&mut self.passing_with]) {
            for part in &parts {
                *counts.entry(*part).or_default() += 1;
            }
        }
    }

    pub(super) fn append(&mut self, file: NamedCases) {
        self.passing += file.passing;
        for (part, count) in file.passing_with {
            *self.passing_with.entry(part).or_default() += count;
        }
        if !file.failing.is_empty() {
            self.passing_in.extend(file.passing_in);
        }
        self.failing.extend(file.failing);
    }

    /// What a failing case has in common with others, once the cases are sorted.
    pub(super) fn common_parts(&self, id: &str) -> &[u32] {
        let index = self.failing.binary_search_by(|case| (*case.id).cmp(id));
        index.map_or(&[], |index| &self.failing[index].parts)
    }

    /// What these failing cases have in common, first what separates them best from the passing ones.
    #[expect(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^53")]
    pub(super) fn best_parts(&self, common: &CommonParts, ids: &[String]) -> Vec<u32> {
        let failing_with = self.failing_with_each(common);
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for part in ids.iter().flat_map(|id| self.common_parts(id)) {
            *counts.entry(*part).or_default() += 1;
        }
        let score = |part: u32, count: u64| ochiai(count as f64, self.passing_with(part), ids.len() as f64);
        let several = counts.into_iter().filter(|(part, count)| {
            let passing = self.passing_with(*part);
            let others = [ids.len() as u64 - count, self.passing.saturating_sub(passing)];
            *count > 1
                && !common.is_number(*part)
                && failing_with[*part as usize] + passing < self.count()
                && !is_average([*count, passing], others)
        });
        let mut scored: Vec<(f64, u32)> = several.map(|(part, count)| (score(part, count), part)).collect();
        scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        scored.into_iter().map(|(_, part)| part).collect()
    }

    /// How many cases there are.
    pub(super) fn count(&self) -> u64 {
        self.failing.len() as u64 + self.passing
    }

    /// Brings the cases, which arrive in the order that threads decide, into one order.
    pub(super) fn sort(&mut self) {
        self.failing.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    }

    /// What several cases of one file have in common. A number that no file has twice is that of a case in its file,
    /// as in `88 000D`, and the cases with it have nothing to do with each other.
    fn repeated_in_a_file(&self) -> HashSet<u32> {
        let mut seen = HashSet::new();
        let parts = self.failing.iter().flat_map(|case| case.parts.iter().map(|part| (*part, case.file())));
        parts
            .filter(|(part, file)| !seen.insert((*part, *file)) || self.passing_in(file, *part) > 0)
            .map(|(part, _)| part)
            .collect()
    }

    /// How many passing cases of a file with failing ones have this in common with them.
    pub(super) fn passing_in(&self, file: &str, part: u32) -> u64 {
        self.passing_in.get(file).and_then(|counts| counts.get(&part)).copied().unwrap_or(0)
    }

    /// How many failing cases have each thing in common, by its number.
    fn failing_with_each(&self, common: &CommonParts) -> Vec<u64> {
        let mut failing = vec![0; common.len()];
        for part in self.failing.iter().flat_map(|case| &case.parts) {
            failing[*part as usize] += 1;
        }
        failing
    }

    /// How many failing cases have this in common.
    pub(super) fn failing_with(&self, part: u32) -> u64 {
        self.failing.iter().filter(|case| case.has(part)).count() as u64
    }

    /// How many passing cases have this in common with failing ones.
    pub(super) fn passing_with(&self, part: u32) -> u64 {
        self.passing_with.get(&part).copied().unwrap_or(0)
    }

    /// The failing cases, which "execute" what they have in common that has a number.
    fn spectrum(&self, numbers: &BTreeMap<u32, u32>) -> Vec<SpectrumCase> {
        let case = |case: &NamedFailure| SpectrumCase {
            id: case.id.clone(),
            // No other machine has said whether the vector is right.
            outcome: SpectrumOutcome::FailsOnlyElsewhere,
            length: 0,
            evidence: FailureEvidence::default(),
            executes: case.parts.iter().filter_map(|part| numbers.get(part)).copied().collect(),
        };
        self.failing.iter().map(case).collect()
    }

    /// How many passing cases have each thing in common that has a number, by that number.
    fn passing_with_each(&self, numbers: &BTreeMap<u32, u32>) -> Vec<u64> {
        let mut passing = vec![0; numbers.len()];
        for (part, count) in &self.passing_with {
            if let Some(number) = numbers.get(part) {
                passing[*number as usize] = *count;
            }
        }
        passing
    }
}

/// What explains the failures of a machine: only what several failing cases have in common does, and not all cases.
/// `None` if nothing fails, or too much.
pub(super) fn located_by_names(
    machine: &str,
    common: &CommonParts,
    cases: &NamedCases,
) -> Option<SuspectAnalysis> {
    if cases.failing.is_empty() || cases.failing.len() > MAX_FAILING {
        return None;
    }
    let failing = cases.failing_with_each(common);
    let mut points = SpectrumPoints::default();
    let all = cases.count();
    let repeated = cases.repeated_in_a_file();
    let tells_apart = |part: u32| {
        let (failing, passing): (u64, _) = (failing[part as usize], cases.passing_with(part));
        let numbers_cases = || common.is_number(part) && !repeated.contains(&part);
        let others = [cases.failing.len() as u64 - failing, cases.passing.saturating_sub(passing)];
        failing > 1
            && failing + passing < all
            && (passing == 0 || !numbers_cases())
            && !is_average([failing, passing], others)
    };
    let named = (0..).zip(&common.names).filter(|(part, _)| tells_apart(*part));
    let numbers: BTreeMap<u32, u32> = named
        .filter_map(|(part, name)| {
            points.numbers([(name.as_str(), "executed".to_owned())]).first().map(|number| (part, *number))
        })
        .collect();
    let passes = CountedPasses { count: cases.passing, doing: cases.passing_with_each(&numbers) };
    let mut analysis = locate(machine, &points, &cases.spectrum(&numbers), &passes);
    let candidates = NamedCandidates { common, cases, failing, tried: numbers.len() };
    candidates.drop_chance(&mut analysis);
    Some(analysis)
}

/// What failing cases have in common, as suspects.
struct NamedCandidates<'c> {
    common: &'c CommonParts,
    cases: &'c NamedCases,
    /// How many failing cases have each.
    failing: Vec<u64>,
    /// How many things were compared.
    tried: usize,
}

impl NamedCandidates<'_> {
    /// Removes the suspects that explain no more of what those before them leave than chance does.
    fn drop_chance(&self, analysis: &mut SuspectAnalysis) {
        let mut left = analysis.failures;
        let passing = analysis.passing;
        let mut kept = Vec::new();
        for suspect in analysis.suspects.drain(..) {
            let (failing_with, passing_with) = (suspect.cases.len() as u64, suspect.passing);
            let shared = SharedBy { failing: left, passing, failing_with, passing_with };
            if shared.may_be_chance(self.tried) {
                analysis.unexplained.extend(suspect.cases);
            } else {
                left -= failing_with;
                kept.push(suspect);
            }
        }
        analysis.suspects = kept;
        analysis.unexplained.sort();
        count_alone(self.common, self.cases, analysis);
        let is_likely = |name: &SuspectName| {
            let Some(part) = self.common.number(&name.op) else { return false };
            let (failing_with, passing_with) = (self.failing[part as usize], self.cases.passing_with(part));
            let shared = SharedBy { failing: analysis.failures, passing, failing_with, passing_with };
            !shared.may_be_chance(self.tried)
        };
        analysis.uncleared.retain(is_likely);
        analysis.others.retain(is_likely);
    }
}

/// Counts for each suspect the cases that have no other suspect, and chooses one of them as its example.
pub(super) fn count_alone(common: &CommonParts, cases: &NamedCases, analysis: &mut SuspectAnalysis) {
    let parts: Vec<_> = analysis.suspects.iter().filter_map(|it| common.number(&it.name.op)).collect();
    let is_alone =
        |id: &&String| cases.common_parts(id).iter().filter(|part| parts.contains(part)).count() <= 1;
    for suspect in &mut analysis.suspects {
        let mut alone = suspect.cases.iter().filter(is_alone);
        suspect.example = alone.next().cloned();
        suspect.alone = alone.count() as u64 + u64::from(suspect.example.is_some());
    }
}

/// Whether the odds that a case with something in common fails are less than [`MIN_ODDS`] times those of the others, given
/// how many of each fail and pass. A fault that shows in all files would make each file a suspect; such failures are
/// grouped by what differs instead.
fn is_average([failing, passing]: [u64; 2], [others_failing, others_passing]: [u64; 2]) -> bool {
    failing.saturating_mul(others_passing) < MIN_ODDS.saturating_mul(passing.saturating_mul(others_failing))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The analysis of cases with these ids, of which those with `true` pass.
    fn located(cases: &[(String, bool)]) -> Option<SuspectAnalysis> {
        let failing = cases.iter().filter(|(_, is_passing)| !is_passing).map(|(id, _)| &**id);
        let common = CommonParts::of_ids(failing);
        let mut named = NamedCases::default();
        for (id, is_passing) in cases {
            let outcome = if *is_passing { CaseOutcome::Passes } else { CaseOutcome::Fails };
            named.add(&common, CaseWords::of_id(id.clone()), outcome);
        }
        located_by_names("z80", &common, &named)
    }

    /// A field of a family may have the name of what else cases have in common.
    #[test]
    fn a_text_with_the_name_of_a_word_is_one_thing() {
        let case = |number: usize| CaseWords {
            id: format!("a.json::shl {number}"),
            given: vec!["name shl".to_owned(), "op shl".to_owned()],
        };
        let all: Vec<_> = (0..9).map(case).collect();
        let common = CommonParts::of(all[..5].iter().map(|case| (&*case.id, &*case.given)));
        let mut named = NamedCases::default();
        for (number, case) in all.into_iter().enumerate() {
            let outcome = if number < 5 { CaseOutcome::Fails } else { CaseOutcome::Passes };
            named.add(&common, case, outcome);
        }
        assert_eq!(common.names.iter().collect::<Vec<_>>(), ["file a.json", "name shl", "op shl"]);
        // All cases have all of them.
        let analysis = located_by_names("m", &common, &named).expect("failures");
        assert!(analysis.suspects.is_empty() && analysis.unexplained.len() == 5, "{analysis:?}");
    }

    /// Failures without a pattern: words that few cases have say nothing, though all of these fail.
    #[test]
    fn words_that_fail_by_chance_are_not_named() {
        let mixed = |seed: u32| (u64::from(seed) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        let cases: Vec<_> = (0..300)
            .map(|number| {
                (format!("a.json::{} {number}", mixed(number) % 97 + 1_000), mixed(number ^ 0x5a5a) % 3 > 0)
            })
            .collect();
        let analysis = located(&cases).expect("failures");
        assert!(analysis.suspects.is_empty() && analysis.uncleared.is_empty(), "{analysis:?}");
        // One kind of case fails besides.
        let cases: Vec<_> = cases
            .into_iter()
            .enumerate()
            .flat_map(|(number, case)| {
                [
                    case,
                    (format!("a.json::mul x{number}"), number % 10 > 0),
                    (format!("a.json::div x{number}"), false),
                ]
            })
            .collect();
        let analysis = located(&cases).expect("failures");
        let names: Vec<_> = analysis.suspects.iter().map(|it| &*it.name.op).collect();
        assert_eq!(names, ["name div"], "{analysis:?}");
    }

    /// Two faults: all cases of a file, and all cases of one kind in all files.
    #[test]
    fn a_file_and_a_word_are_named() {
        let mut cases = Vec::new();
        for file in 0..10 {
            for number in 0..10 {
                let kind = if number % 2 == 0 { "carry" } else { "plain" };
                let fails = file == 3 || kind == "carry" && number > 6;
                cases.push((format!("z80/{file}.json::{kind} {number}"), !fails));
            }
        }
        let analysis = located(&cases).expect("failures");
        let names: Vec<_> = analysis.suspects.iter().map(|it| &*it.name.op).collect();
        assert_eq!(names, ["file 3.json", "name 8"], "{analysis:?}");
        let counts: Vec<_> = analysis.suspects.iter().map(|it| (it.failing, it.passing)).collect();
        assert_eq!((analysis.failures, analysis.passing, counts), (19, 81, vec![(10, 0), (10, 0)]));
    }

    /// Equal names get numbers in ids, and a run of one file has nothing but this file.
    #[test]
    fn numbers_of_equal_names_and_the_only_file_are_not_named() {
        let id = |name: &str| format!("a.json::{name}");
        let cases: Vec<_> = ["add", "sub"]
            .iter()
            .flat_map(|op| [(id(op), *op == "add"), (id(&format!("{op}#2")), *op == "add")])
            .chain([(id("x#2#1"), true), (id("y#2#1"), true)])
            .collect();
        let analysis = located(&cases).expect("failures");
        let names: Vec<_> = analysis.suspects.iter().map(|it| &*it.name.op).collect();
        assert_eq!(names, ["name sub"], "{analysis:?}");
        let all: Vec<_> = (0..9).map(|number| (id(&format!("n{number}")), number > 5)).collect();
        let analysis = located(&all).expect("failures");
        assert!(analysis.suspects.is_empty() && analysis.unexplained.len() == 6, "{analysis:?}");
    }

    /// Cases of different files that have one number are no group.
    #[test]
    fn the_number_of_a_case_in_its_file_is_not_named() {
        let fails = |file: u32, number: u32| file == 1 && number != 4 || number == 13;
        let case =
            |file: u32, number: u32| (format!("{file}.json::{file:02X} {number:04X}"), !fails(file, number));
        let cases =
            |numbers: u32| (0..3).flat_map(move |file| (0..numbers).map(move |number| (file, number)));
        let some_pass = |(file, number)| (case(file, number).0, !fails(file, number) || file == 2);
        let analysis = located(&cases(50).map(some_pass).collect::<Vec<_>>()).expect("failures");
        let names: Vec<_> = analysis.suspects.iter().map(|it| &*it.name.op).collect();
        assert_eq!((names, analysis.unexplained.len()), (vec!["file 1.json"], 1), "{analysis:?}");
        // All cases with this number fail.
        let all: Vec<_> = cases(50).map(|(file, number)| case(file, number)).collect();
        let analysis = located(&all).expect("failures");
        let names: Vec<_> = analysis.suspects.iter().map(|it| &*it.name.op).collect();
        assert_eq!(names, ["file 1.json", "name 000D"], "{analysis:?}");
    }

    /// Two faults in all files: each file has about as many failures as the others.
    #[test]
    fn files_that_fail_as_often_as_others_are_not_named() {
        let fails = |file: u32, number: u32| (7 * file + 11 * number) % 19 < 9 + file % 2;
        let cases = (0..5).flat_map(|file| (0..60).map(move |number| (file, number)));
        let cases: Vec<_> =
            cases.map(|(file, number)| (format!("{file}.json::{number}"), !fails(file, number))).collect();
        let analysis = located(&cases).expect("failures");
        assert!(analysis.suspects.is_empty(), "{analysis:?}");
        assert_eq!(analysis.unexplained.len() as u64, analysis.failures);
        // All failures are in one file, of which half of the cases pass.
        let cases = (0..2).flat_map(|file| (0..50).map(move |number| (file, number)));
        let cases: Vec<_> = cases
            .map(|(file, number)| (format!("{file}.json::{number}"), file == 1 || number % 2 == 0))
            .collect();
        let analysis = located(&cases).expect("failures");
        let names: Vec<_> = analysis.suspects.iter().map(|it| &*it.name.op).collect();
        assert_eq!(names, ["file 0.json"], "{analysis:?}");
    }

    #[test]
    fn without_failures_nothing_is_named() {
        assert!(located(&[("a.json::one".to_owned(), true)]).is_none());
    }
}
