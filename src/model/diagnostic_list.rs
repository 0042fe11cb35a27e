//! The diagnostics of a case or of a file: a bounded number of each severity, and how many more there are.

use strum::VariantArray;

use super::count::counted;
use super::diagnostic::{Diagnostic, Severity};
use super::position::Origin;
use super::rule::LintRule;

/// Collects diagnostics. A diagnostic takes a hundred times the bytes of what it complains about, so a hostile
/// file would fill the memory if all were kept. Each severity has its own limit: notes never hide an error.
#[derive(Debug)]
pub struct DiagnosticList {
    limit: usize,
    found: Vec<Diagnostic<Origin>>,
    /// The number of diagnostics of each severity that were added.
    counts: [usize; Severity::VARIANTS.len()],
    /// Where the first one of each severity is that is not kept.
    first_unlisted: [Option<Origin>; Severity::VARIANTS.len()],
}

impl DiagnosticList {
    /// An empty list that keeps at most `limit` diagnostics of each severity.
    pub fn new(limit: usize) -> DiagnosticList {
        DiagnosticList {
            limit,
            found: Vec::new(),
            counts: Default::default(),
            first_unlisted: Default::default(),
        }
    }

    /// Adds a diagnostic. How many another list did not keep is always kept.
    pub fn add(&mut self, diagnostic: Diagnostic<Origin>) {
        if diagnostic.rule == LintRule::NotListed {
            self.found.push(diagnostic);
            return;
        }
        let of_severity = diagnostic.severity as usize;
        self.counts[of_severity] += 1;
        if self.counts[of_severity] <= self.limit {
            self.found.push(diagnostic);
        } else {
            self.first_unlisted[of_severity].get_or_insert(diagnostic.place);
        }
    }

    /// How many there are, also those that are not kept. One that is added twice counts twice.
    pub fn count(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Whether one of them is an error, also if it is not kept.
    pub fn has_errors(&self) -> bool {
        self.counts[Severity::Error as usize] > 0
    }

    /// Whether one of those that are kept violates this rule.
    pub fn has_rule(&self, rule: LintRule) -> bool {
        self.found.iter().any(|diagnostic| diagnostic.rule == rule)
    }

    /// The diagnostics in document order, each once, with one for those of a severity that are not kept.
    pub fn finish(mut self) -> Vec<Diagnostic<Origin>> {
        for &severity in Severity::VARIANTS {
            let Some(Origin(at)) = self.first_unlisted[severity as usize] else { continue };
            let unlisted = self.counts[severity as usize] - self.limit;
            let what =
                format!("up to {}, not listed", counted(unlisted, &format!("more {}", severity.name())));
            self.found.push(Diagnostic::at(at, what).under(LintRule::NotListed).severity(severity));
        }
        self.found.sort_by_key(|diagnostic| diagnostic.place);
        // A datum that is read for two purposes is wrong once.
        self.found.dedup();
        self.found
    }
}

impl Extend<Diagnostic<Origin>> for DiagnosticList {
    fn extend<I: IntoIterator<Item = Diagnostic<Origin>>>(&mut self, found: I) {
        found.into_iter().for_each(|diagnostic| self.add(diagnostic));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_severity_is_listed_up_to_the_limit_and_the_rest_is_counted() {
        let mut list = DiagnosticList::new(2);
        let note = |at| Diagnostic::at(at, "a comment").severity(Severity::Note);
        list.extend((10..15).map(note));
        assert!(!list.has_errors());
        list.add(Diagnostic::at(3, "a wrong number"));
        assert!(list.has_errors());
        let found: Vec<_> =
            list.finish().iter().map(|it| (it.place.0, it.severity, it.what.clone())).collect();
        let expected = [
            (3, Severity::Error, "a wrong number"),
            (10, Severity::Note, "a comment"),
            (11, Severity::Note, "a comment"),
            (12, Severity::Note, "up to 3 more notes, not listed"),
        ];
        assert_eq!(found, expected.map(|(at, severity, what)| (at, severity, what.to_owned())));
    }

    #[test]
    fn the_count_of_another_list_is_kept() {
        let mut of_case = DiagnosticList::new(1);
        of_case.extend([1, 2, 3].map(|at| Diagnostic::at(at, "a wrong number")));
        let mut of_file = DiagnosticList::new(1);
        of_file.extend(of_case.finish());
        let found: Vec<_> = of_file.finish().into_iter().map(|it| it.what).collect();
        assert_eq!(found, ["a wrong number", "up to 2 more errors, not listed"]);
    }

    #[test]
    fn an_error_that_is_not_listed_is_an_error() {
        let mut list = DiagnosticList::new(0);
        list.add(Diagnostic::at(7, "a wrong number"));
        assert!(list.has_errors());
        let found = list.finish();
        assert_eq!(
            (found.len(), found[0].severity, found[0].rule),
            (1, Severity::Error, LintRule::NotListed)
        );
    }
}
