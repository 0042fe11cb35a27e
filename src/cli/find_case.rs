//! Finds the single case that a command operates on.

use anyhow::{Context, bail};
use vmconf::formats::FileReading;
use vmconf::machines::MachineInfo;
use vmconf::model::{Case, Severity};
use vmconf::run::sources::Sources;
use vmconf::run::{self, LoadOptions, LoadedFile};

use super::errors::{BrokenInput, NothingToDo};
use super::output;

/// Loads the sources until the case is found, and calls `use_case` with its file and its index. Fails when no case or
/// several are selected, or the file of the case is broken.
pub(super) fn with_case<T>(
    sources: &Sources,
    options: &LoadOptions,
    use_case: impl FnOnce(&LoadedFile<'_>, usize) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    const MAX_SHOWN_CASES: usize = 5;
    let (mut only, mut ids, mut broken) = (None, Vec::new(), Vec::new());
    for source in sources {
        let loaded = run::open(&source, options);
        broken.extend(loaded.errors().iter().map(|diagnostic| diagnostic.located(&source.shown)));
        ids.extend(loaded.ids().take(MAX_SHOWN_CASES + 1).map(ToString::to_string));
        if loaded.cases() > 0 {
            only = Some(loaded);
        }
        if ids.len() > MAX_SHOWN_CASES {
            break;
        }
    }
    match (&ids[..], only) {
        ([_], Some(loaded)) => use_case(&loaded, 0),
        ([], _) if !broken.is_empty() => Err(BrokenInput::of_lines(broken).into()),
        ([], _) => Err(NothingToDo("no case is selected; vmconf list prints all".to_owned()).into()),
        (several, _) => {
            for id in several.iter().take(MAX_SHOWN_CASES) {
                output::note(id);
            }
            if several.len() > MAX_SHOWN_CASES {
                bail!("several cases match, more than the {MAX_SHOWN_CASES} listed; name one of them");
            }
            bail!("several cases match; name one of them")
        }
    }
}

/// The ids of the cases that are selected, in order, at most `most`; and whether there are more.
pub(super) fn selected_ids(
    sources: &Sources,
    options: &LoadOptions,
    most: usize,
) -> (Vec<String>, UnlistedCases) {
    let mut ids = Vec::new();
    for source in sources {
        let room = most - ids.len();
        let loaded = run::open(&source, options);
        ids.extend(loaded.ids().take(room).map(ToString::to_string));
        if loaded.cases() > room {
            return (ids, UnlistedCases::Some);
        }
    }
    (ids, UnlistedCases::None)
}

/// Whether there are cases besides those that were listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnlistedCases {
    None,
    Some,
}

/// Calls `use_case` with the selected case that has this number, counted from 0 in the order of [`selected_ids`].
/// Fails when it is not there any longer.
pub(super) fn with_nth_case<T>(
    sources: &Sources,
    options: &LoadOptions,
    mut nth: usize,
    use_case: impl FnOnce(&LoadedFile<'_>, usize) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    for source in sources {
        let loaded = run::open(&source, options);
        if nth < loaded.cases() {
            return use_case(&loaded, nth);
        }
        nth -= loaded.cases();
    }
    bail!("the case no longer exists: its file has changed")
}

/// A case that no machine here can run, and why.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NotSupported(pub(super) String);

/// A case of a loaded file, and its machine. The error is [`BrokenInput`] when it cannot be read, [`NotSupported`]
/// when no machine here can run it.
pub(super) fn read_case(
    loaded: &LoadedFile<'_>,
    index: usize,
) -> anyhow::Result<(&'static MachineInfo, Case)> {
    let case = loaded.case(index).context("the case no longer exists: its file has changed")?;
    let FileReading { case: read, unsupported, diagnostics, .. } = case.read().map_err(anyhow::Error::msg)?;
    let Some(read) = read else {
        if let Some(why) = unsupported {
            return Err(NotSupported(why).into());
        }
        let errors = diagnostics.into_iter().filter(|found| found.severity == Severity::Error);
        let lines = errors.map(|error| case.document.locate(error).located(&case.id.file));
        return Err(BrokenInput::of_lines(lines.collect()).into());
    };
    let machine = loaded.options().families.machine(read.machine).context("no such machine")?;
    Ok((machine, read))
}
