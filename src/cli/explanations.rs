//! Explanations of cases that did not pass, for the reports that show them.

use std::collections::HashSet;

use vmconf::explain::explain;
use vmconf::model::case::CaseId;
use vmconf::model::event::Event;
use vmconf::report::explanation::{self, Length};
use vmconf::run::sources::Source;
use vmconf::run::{self, Options};

/// The number of last instructions that fit a screen.
pub(super) const LAST: usize = 10;

/// The largest number of cases that are explained: each runs again for it.
const MOST: usize = 200;

/// Keeps the explanations of the first cases only, as one run has them: each part of a run explains its own
/// first cases.
pub(super) fn keep_first(events: &mut Vec<Event>) {
    let not_passed = events.iter().filter_map(|event| match event {
        Event::Finished(report) if report.verdict.is_failed_or_broken() => Some(report.id.clone()),
        _ => None,
    });
    let first: HashSet<CaseId> = not_passed.take(MOST).collect();
    events.retain(|event| !matches!(event, Event::Explanation { id, .. } if !first.contains(id)));
}

/// Sends what `vmconf diff` prints of the first of these cases to `sink`. A case that is broken before its
/// machine starts is left out, since its report says the same.
pub(super) fn send(cases: &[CaseId], sources: &[Source], options: &Options, sink: &mut dyn FnMut(Event)) {
    let cases: HashSet<&CaseId> = cases.iter().take(MOST).collect();
    let files: HashSet<&str> = cases.iter().map(|id| &*id.file).collect();
    for source in sources.iter().filter(|source| files.contains(&*source.shown)) {
        let loaded = run::open(source, options);
        for (index, id) in loaded.ids().enumerate().filter(|(_, id)| cases.contains(id)) {
            // Explaining may take as long as the run that was interrupted.
            if options.run.interrupt.is_requested() {
                return;
            }
            let explained = explain(&loaded, index, &options.run, LAST);
            let mut text = Vec::new();
            if explanation::write(&mut text, &explained, Length::Screen).is_ok() {
                let text = String::from_utf8_lossy(&text);
                sink(Event::Explanation { id, text: anstream::adapter::strip_str(&text).to_string() });
            }
        }
    }
}
