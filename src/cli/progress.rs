//! Notes, slow cases and the progress bar of a run, on standard error.

use std::io::{self, IsTerminal};
use std::time::Duration;

use console::Term;
use indexmap::IndexMap;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use vmconf::model::{Diagnostic, Event};
use vmconf::report::Verbosity;
use vmconf::run::running::RunningCases;

use super::output;
use super::slow::SlowCaseMonitor;
use super::verbosity::VerbosityArgs;

/// Prints notes and the names of slow cases, and on a terminal a bar of the files that are done.
pub(super) struct Progress {
    verbosity: Verbosity,
    slow: Duration,
    running: RunningCases,
    bar: Option<ProgressBar>,
    monitor: Option<SlowCaseMonitor>,
    notes: Notes,
}

impl Progress {
    /// The progress of a run that keeps the cases that it executes in `running`.
    pub(super) fn new(verbosity: &VerbosityArgs, running: RunningCases) -> Progress {
        let (slow, verbosity) = (verbosity.slow, verbosity.level());
        Progress { verbosity, slow, running, bar: None, monitor: None, notes: Notes::default() }
    }

    pub(super) fn event(&mut self, event: &Event) {
        match event {
            Event::Started { files, .. } => self.start(*files),
            Event::Note { file, diagnostic } if self.verbosity == Verbosity::Notes => {
                note!("note: {}", diagnostic.located(file));
            }
            Event::Note { file, diagnostic } => self.notes.add(file, diagnostic),
            Event::FileDone => {
                if let Some(bar) = &self.bar {
                    bar.inc(1);
                }
            }
            Event::Ended(_) => {
                self.monitor = None;
                if let Some(bar) = self.bar.take() {
                    bar.finish_and_clear();
                }
                if self.verbosity != Verbosity::Quiet {
                    self.notes.print();
                }
            }
            Event::Finished(_)
            | Event::Broken { .. }
            | Event::Explained(_)
            | Event::Suspects(_)
            | Event::NotCompared(_) => {}
        }
    }

    fn start(&mut self, files: usize) {
        // A bar and the lines of `--verbose` would overwrite each other.
        if io::stderr().is_terminal() && self.verbosity == Verbosity::Normal {
            self.bar = Some(bar(files as u64));
        }
        if self.verbosity != Verbosity::Quiet {
            let bar = self.bar.clone();
            let print = move |line: &str| match &bar {
                Some(bar) => bar.suspend(|| output::note(line)),
                None => output::note(line),
            };
            self.monitor = Some(SlowCaseMonitor::start(self.running.clone(), self.slow, print));
        }
    }
}

/// The bar is 40 columns wide if the terminal has this number of columns, and otherwise fills what the numbers leave of a
/// line: a longer line would not be erased as a whole.
const WIDE: u16 = 80;

fn bar(files: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(files), ProgressDrawTarget::stderr_with_hz(10));
    let (_, columns) = Term::stderr().size();
    let width = if columns < WIDE { "{wide_bar}" } else { "{bar:40}" };
    if let Ok(style) = ProgressStyle::with_template(&format!("{width} {{pos}}/{{len}} files {{elapsed}}")) {
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
            note!("note: {first}: {what}{more}");
        }
    }
}
