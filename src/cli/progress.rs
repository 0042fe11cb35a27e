//! Notes and the progress bar of a run, on standard error.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indexmap::IndexMap;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use vmconf::model::diagnostic::Diagnostic;
use vmconf::model::event::Event;
use vmconf::report::Verbosity;

use super::output;

/// Prints notes, and on a terminal a bar of the files that are done.
pub(super) struct Progress {
    verbosity: Verbosity,
    bar: Option<ProgressBar>,
    notes: Notes,
}

impl Progress {
    pub(super) fn new(verbosity: Verbosity) -> Progress {
        Progress { verbosity, bar: None, notes: Notes::default() }
    }

    pub(super) fn event(&mut self, event: &Event) {
        match event {
            // A bar and the lines of `--verbose` would overwrite each other.
            Event::Started { files, .. }
                if io::stderr().is_terminal() && self.verbosity == Verbosity::Normal =>
            {
                self.bar = Some(bar(*files as u64));
            }
            Event::Note { file, diagnostic } if self.verbosity == Verbosity::Notes => {
                output::note(&format!("note: {}", diagnostic.located(file)));
            }
            Event::Note { file, diagnostic } => self.notes.add(file, diagnostic),
            Event::FileDone => {
                if let Some(bar) = &self.bar {
                    bar.inc(1);
                }
            }
            Event::Ended(_) => {
                if let Some(bar) = self.bar.take() {
                    bar.finish_and_clear();
                }
                if self.verbosity != Verbosity::Quiet {
                    self.notes.print();
                }
            }
            Event::Started { .. }
            | Event::Finished(_)
            | Event::UnmatchedEntries { .. }
            | Event::Explained(_) => {}
        }
    }
}

fn bar(files: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(files), ProgressDrawTarget::stderr_with_hz(10));
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} files {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Notes by their text, without repetitions.
#[derive(Default)]
struct Notes(IndexMap<String, RepeatedNote>);

/// Where a note is, and how often it was repeated.
struct RepeatedNote {
    /// File and position of the first one.
    first: String,
    /// How many more there are.
    more: usize,
}

impl Notes {
    fn add(&mut self, file: &str, diagnostic: &Diagnostic) {
        if let Some(note) = self.0.get_mut(&diagnostic.what) {
            note.more += 1;
            return;
        }
        let place = diagnostic.place.as_ref().map_or(String::new(), |place| format!(":{}", place.position));
        self.0.insert(diagnostic.what.clone(), RepeatedNote { first: format!("{file}{place}"), more: 0 });
    }

    fn print(&self) {
        for (what, RepeatedNote { first, more }) in &self.0 {
            let more = if *more > 0 { format!(" (and {more} more)") } else { String::new() };
            output::note(&format!("note: {first}: {what}{more}"));
        }
    }
}
