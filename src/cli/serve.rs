//! `vmconf serve`

use std::io::{self, BufRead, Read, Write};

use clap::Args;
use vmconf::model::Exit;
use vmconf::testees::server::Server;
use vmconf::wire::protocol::MAX_MESSAGE_LINE;

use super::errors::BrokenInput;
use super::program::machine_argument;
use super::settings::Settings;
use super::{families, output};

/// Run an embedded machine for another program, by the process protocol
///
/// Example: vmconf run --vm 'mine=vmconf serve evm' vectors/evm
///
/// Reads requests from standard input and writes answers to standard output, one JSON object a line, until the
/// input ends. The page "The process protocol" of the manual describes them.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// The machine
    #[arg(value_parser = machine_argument())]
    machine: String,
}

impl Serve {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let mut server = Server::new(families::embedded(&self.machine, settings)?);
        let mut input = io::stdin().lock();
        let mut out = output::stdout_to_the_end();
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            if (&mut input).take(MAX_MESSAGE_LINE as u64).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let wrong = |error| BrokenInput(format!("line {number} of standard input: {error}"));
            let answer = server.answer(&line).map_err(wrong)?;
            out.write_all(answer.line().as_bytes())?;
            out.flush()?;
        }
        Ok(Exit::Passed)
    }
}
