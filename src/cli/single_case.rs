//! Finding the one case that a command is about.

use anyhow::bail;
use vmconf::run::sources::Source;
use vmconf::run::{self, LoadedFile, Options};

use super::output;
use super::program::Broken;

/// Opens the sources up to the one that has the case; `see` is given it with its number.
///
/// # Errors
///
/// When no case or several are meant, or the file of the case is broken.
pub(super) fn with_case<T>(
    sources: &[Source],
    options: &Options,
    see: impl FnOnce(&LoadedFile<'_>, usize) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    const SHOWN: usize = 5;
    let (mut only, mut ids, mut broken) = (None, Vec::new(), Vec::new());
    for source in sources {
        let loaded = run::open(source, options);
        broken.extend(loaded.errors().iter().map(|diagnostic| diagnostic.located(&source.shown)));
        ids.extend(loaded.ids().take(SHOWN + 1).map(|id| id.to_string()));
        if loaded.cases() > 0 {
            only = Some(loaded);
        }
        if ids.len() > SHOWN {
            break;
        }
    }
    match (&ids[..], only) {
        ([_], Some(loaded)) => see(&loaded, 0),
        ([], _) if !broken.is_empty() => {
            let last = broken.pop().unwrap_or_default();
            for line in &broken {
                output::note(line);
            }
            Err(Broken(last).into())
        }
        ([], _) => bail!("there is no such case; vmconf list shows all"),
        (several, _) => {
            for id in several.iter().take(SHOWN) {
                output::note(id);
            }
            let more = if several.len() > SHOWN { " and more" } else { "" };
            bail!("several cases are meant, these{more}: name one")
        }
    }
}
