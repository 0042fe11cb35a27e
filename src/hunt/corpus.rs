//! Cases from which a search goes on: the programs or states of the vectors of a folder.

use super::generate::GeneratedProgram;
use crate::formats::Format;
use crate::machines::{Engine, MachineInfo};
use crate::model::{Program, Value, counted};
use crate::run::sources::Sources;
use crate::run::{LoadOptions, LoadedCase, LoadedFile, open};

/// The maximum number of instructions of a program, enough for one that fills a stack.
const MAX_INSTRUCTIONS: usize = 4_096;

/// The maximum number of instructions of all programs: some 50 MB.
const MAX_ALL: usize = 1 << 19;

/// The maximum number of values of a state.
const MAX_VALUES: usize = 1 << 12;

/// How many messages are kept about what was not read.
const MAX_NOTES: usize = 100;

/// Programs or states from which a search goes on, in the order of their files.
#[derive(Debug, Default)]
pub struct FuzzCorpus {
    pub(super) programs: Vec<GeneratedProgram>,
    /// What cases of a family give to a machine.
    pub(super) states: Vec<Program>,
    /// The format of the first state.
    pub(super) format: Option<&'static Format>,
    /// The number of instructions of the programs, or of values of the states.
    size: usize,
    notes: Vec<String>,
    /// How many notes were not kept.
    more: usize,
}

impl FuzzCorpus {
    /// The programs or states of the vectors of a machine. Their expectations and the other inputs do not matter. What
    /// cannot be read is noted.
    pub fn read(machine: &MachineInfo, sources: &Sources, options: &LoadOptions) -> FuzzCorpus {
        let mut corpus = FuzzCorpus::default();
        for source in sources {
            if corpus.size >= MAX_ALL {
                let of = if machine.engine == Engine::Elsewhere { "values" } else { "instructions" };
                let what = format!("not read: the corpus before it has {MAX_ALL} {of}");
                corpus.note(format!("{}: {what}", source.shown));
                break;
            }
            let file = open(&source, options);
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

    /// The number of programs and states.
    pub fn len(&self) -> usize {
        self.programs.len() + self.states.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
            if self.size >= MAX_ALL {
                break;
            }
            let added = match machine.engine {
                Engine::Elsewhere => self.add_state(&case),
                Engine::Own | Engine::Library(_) => self.add_program(machine, &case),
            };
            if let Err(why) = added {
                self.note(format!("{}: not read: {why}", case.id));
            }
        }
    }

    fn add_program(&mut self, machine: &MachineInfo, case: &LoadedCase<'_>) -> Result<(), String> {
        let program = program(machine, case)?;
        self.size += program.instructions();
        self.programs.push(program);
        Ok(())
    }

    fn add_state(&mut self, case: &LoadedCase<'_>) -> Result<(), String> {
        let state = given(case)?;
        if state.0.has_more_values_than(MAX_VALUES) {
            return Err(format!("its state has more than {MAX_VALUES} values"));
        }
        self.size += state.0.weight(usize::MAX).div_ceil(size_of::<Value>());
        self.format = self.format.or(Some(case.format));
        self.states.push(state);
        Ok(())
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(note);
        } else {
            self.more += 1;
        }
    }
}

/// What a case gives to a machine, or why it cannot be read.
fn given(case: &LoadedCase<'_>) -> Result<Program, String> {
    let read = case.read().ok().and_then(|read| read.case).ok_or("broken; vmconf check says why")?;
    Ok(read.program)
}

/// The program of a case, or why it is of no use.
fn program(machine: &MachineInfo, case: &LoadedCase<'_>) -> Result<GeneratedProgram, String> {
    let program = GeneratedProgram::read(machine, &given(case)?)
        .ok_or_else(|| format!("its program is not a list of {} instructions", machine.name))?;
    if program.instructions() > MAX_INSTRUCTIONS {
        return Err(format!("its program has more than {MAX_INSTRUCTIONS} instructions"));
    }
    Ok(program)
}
