//! Excerpts of vector files, which JSON reports do not contain and other reports show.

use std::collections::HashMap;

use crate::model::{DiagnosticPlace, Event, NotPassed, Verdict};
use crate::text::source_text::SourceText;

/// Adds excerpts to places.
pub(super) struct Excerpts<'r> {
    text_of: &'r mut dyn FnMut(&str) -> Option<String>,
    texts: HashMap<String, Option<SourceText>>,
}

impl<'r> Excerpts<'r> {
    pub(super) fn new(text_of: &'r mut dyn FnMut(&str) -> Option<String>) -> Excerpts<'r> {
        Excerpts { text_of, texts: HashMap::new() }
    }

    /// Adds the excerpts to all places of an event.
    pub(super) fn add_to(&mut self, event: &mut Event) {
        match event {
            Event::Note { file, diagnostic } => self.add_to_each(file, diagnostic.place.iter_mut()),
            Event::Finished(report) => {
                let file = &*report.id.file;
                match &mut report.verdict {
                    Verdict::Fail(failure) | Verdict::Known(NotPassed::Fail(failure), _) => {
                        self.add_to_each(file, failure.differences.iter_mut().map(|it| &mut it.place));
                    }
                    Verdict::Error(diagnostics) => {
                        self.add_to_each(file, diagnostics.iter_mut().filter_map(|it| it.place.as_mut()));
                    }
                    Verdict::Pass
                    | Verdict::Known(..)
                    | Verdict::Fixed(_)
                    | Verdict::Skip(_)
                    | Verdict::Unsupported(_)
                    | Verdict::Crash(_)
                    | Verdict::Timeout(_)
                    | Verdict::Flaky(_) => {}
                }
            }
            Event::Started { .. }
            | Event::FileDone
            | Event::Broken { .. }
            | Event::Explained(_)
            | Event::Suspects(_)
            | Event::NotCompared(_)
            | Event::Ended(_) => {}
        }
    }

    /// Adds the excerpts to what is broken besides cases.
    pub(super) fn add_to_broken(&mut self, event: &mut Event) {
        if let Event::Broken { source, errors } = event {
            self.add_to_each(&source.file, errors.iter_mut().filter_map(|it| it.place.as_mut()));
        }
    }

    fn add_to_each<'p>(&mut self, file: &str, places: impl Iterator<Item = &'p mut DiagnosticPlace>) {
        for place in places {
            if !self.texts.contains_key(file) {
                let text = (self.text_of)(file).map(SourceText::new);
                self.texts.insert(file.to_owned(), text);
            }
            if let Some(text) = self.texts.get(file).and_then(Option::as_ref)
                && let Some(at) = text.byte(place.position)
            {
                *place = text.place(at);
            }
        }
    }
}
