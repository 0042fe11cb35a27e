//! Programs from which a search goes on: those of the vectors of a folder.

use super::generate::GeneratedProgram;
use crate::machines::MachineInfo;
use crate::model::count::counted;
use crate::run::sources::Sources;
use crate::run::{LoadOptions, LoadedCase, LoadedFile, open};

/// The maximum number of instructions of a program, enough for one that fills a stack.
const MAX_INSTRUCTIONS: usize = 4_096;

/// The maximum number of instructions of all programs: some 50 MB.
const MAX_ALL: usize = 1 << 19;

/// How many messages are kept about what was not read.
const MAX_NOTES: usize = 100;

/// Programs from which a search goes on, in the order of their files.
#[derive(Debug, Default)]
pub struct FuzzCorpus {
    pub(super) programs: Vec<GeneratedProgram>,
    /// The number of their instructions.
    instructions: usize,
    notes: Vec<String>,
    /// How many notes were not kept.
    more: usize,
}

impl FuzzCorpus {
    /// The programs of the vectors of a machine. Their expectations and the other inputs do not matter. What cannot be
    /// read is noted.
    pub fn read(machine: &MachineInfo, sources: &Sources) -> FuzzCorpus {
        let options = LoadOptions::default();
        let mut corpus = FuzzCorpus::default();
        for source in sources {
            if corpus.instructions >= MAX_ALL {
                let what = format!("not read: the corpus before it has {MAX_ALL} instructions");
                corpus.note(format!("{}: {what}", source.shown));
                break;
            }
            let file = open(&source, &options);
            for diagnostic in file.errors() {
                corpus.note(diagnostic.located(&source.shown));
            }
            if file.errors().is_empty() && file.cases() == 0 {
                corpus.note(format!("{}: not read: no vectors", source.shown));
            }
            corpus.add(machine, &file);
        }
        corpus
    }

    /// The number of programs.
    pub fn len(&self) -> usize {
        self.programs.len()
    }

    /// Whether there are no programs.
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// What was not read, and why, one line each.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let more = (self.more > 0)
            .then(|| format!("{} not read for such reasons", counted(self.more, "more vector")));
        self.notes.iter().cloned().chain(more)
    }

    fn add(&mut self, machine: &MachineInfo, file: &LoadedFile<'_>) {
        if let Some(other) = file.case(0).filter(|case| case.format.machine != machine.name) {
            return self.note(format!("{}: not read: vectors of {}", other.id.file, other.format.machine));
        }
        for case in (0..file.cases()).map_while(|index| file.case(index)) {
            if self.instructions >= MAX_ALL {
                break;
            }
            match program(machine, &case) {
                Ok(program) => {
                    self.instructions += program.instructions();
                    self.programs.push(program);
                }
                Err(why) => self.note(format!("{}: not read: {why}", case.id)),
            }
        }
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(note);
        } else {
            self.more += 1;
        }
    }
}

/// The program of a case, or why it is of no use.
fn program(machine: &MachineInfo, case: &LoadedCase<'_>) -> Result<GeneratedProgram, String> {
    let read = case.read().ok().and_then(|read| read.case).ok_or("broken; vmconf check says why")?;
    let program = GeneratedProgram::read(machine, &read.program)
        .ok_or_else(|| format!("its program is no list of {} instructions", machine.name))?;
    if program.instructions() > MAX_INSTRUCTIONS {
        return Err(format!("its program has more than {MAX_INSTRUCTIONS} instructions"));
    }
    Ok(program)
}
