//! One flag for each limit: `--max-steps` and so on.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use vmconf::model::LimitRow;
use vmconf::model::limits::{Limits, ROWS};

use super::number::number;

/// One argument for each row of [`ROWS`].
#[derive(Debug)]
pub(super) struct LimitArgs(pub(super) Limits);

impl Args for LimitArgs {
    fn augment_args(command: Command) -> Command {
        let flag = |row: &'static LimitRow| {
            Arg::new(row.flag)
                .long(row.flag)
                .value_name("N")
                .help(format!("{} [{}]", row.doc.trim(), row.range()))
                .help_heading("Limits; see also vmconf help limits")
                .hide_short_help(true)
                .value_parser(move |text: &str| limit(row, text))
        };
        command.args(ROWS.iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        LimitArgs::augment_args(command)
    }
}

/// The value of a limit. The error says what is wrong.
fn limit(row: &LimitRow, text: &str) -> Result<u64, String> {
    let value = number(text)?;
    if value <= row.most { Ok(value) } else { Err(format!("must be at most {}", row.most)) }
}

impl FromArgMatches for LimitArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<LimitArgs, clap::Error> {
        let mut args = LimitArgs(Limits::default());
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for row in ROWS {
            if let Some(value) = matches.get_one::<u64>(row.flag) {
                (row.set)(&mut self.0, *value);
            }
        }
        Ok(())
    }
}
