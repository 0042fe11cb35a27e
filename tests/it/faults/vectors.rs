//! The cases of the own vectors, and which of them execute an opcode.

use std::collections::{BTreeSet, HashMap};

use vmconf::isa::OpInfo;
use vmconf::machines::MachineInfo;
use vmconf::machines::machine::{At, Watch};
use vmconf::model::Name;
use vmconf::run::sources::VectorSource;
use vmconf::run::{self, LoadOptions, LoadedFile, RunOptions, Worker};

/// A case of an opened file.
#[derive(Clone, Copy)]
pub(crate) struct CaseRef<'v> {
    pub(crate) file: &'v LoadedFile<'v>,
    pub(crate) index: usize,
}

/// Cases with what they execute, those with the fewest instructions first.
pub(crate) struct Vectors<'s> {
    files: Vec<LoadedFile<'s>>,
    /// By the machine and the code of the opcode: the file and the index of each case that executes it.
    executing: HashMap<(Name, u16), Vec<(usize, usize)>>,
}

struct Executes {
    machine: Name,
    file: usize,
    index: usize,
    steps: u64,
    codes: BTreeSet<u16>,
}

impl<'s> Vectors<'s> {
    pub(crate) fn read(sources: &'s [VectorSource], options: &'s LoadOptions) -> Vectors<'s> {
        let files: Vec<_> = sources.iter().map(|source| run::open(source, options)).collect();
        let mut cases: Vec<_> =
            files.iter().enumerate().flat_map(|file| executed(file, &options.run)).collect();
        // A sort that keeps the order of files and cases.
        cases.sort_by_key(|case| case.steps);
        let mut executing = HashMap::<_, Vec<_>>::new();
        for case in cases {
            for code in case.codes {
                executing.entry((case.machine.clone(), code)).or_default().push((case.file, case.index));
            }
        }
        Vectors { files, executing }
    }

    /// The cases that execute an opcode.
    pub(crate) fn that_execute(
        &self,
        machine: &'static MachineInfo,
        op: &'static OpInfo,
    ) -> impl Iterator<Item = CaseRef<'_>> {
        let cases = self.executing.get(&(machine.name.into(), op.code)).into_iter().flatten();
        cases.map(|(file, index)| CaseRef { file: &self.files[*file], index: *index })
    }
}

fn executed(file: (usize, &LoadedFile<'_>), options: &RunOptions) -> Vec<Executes> {
    let (number, loaded) = file;
    let case = |index| {
        let mut seen = Seen::default();
        let machine = Worker::new(options).watch_case(loaded, index, &mut seen).report.machine?;
        Some(Executes { machine, file: number, index, steps: seen.steps, codes: seen.codes })
    };
    (0..loaded.cases()).filter_map(case).collect()
}

/// Which opcodes are executed.
#[derive(Default)]
struct Seen {
    steps: u64,
    codes: BTreeSet<u16>,
}

impl Watch for Seen {
    fn before(&mut self, at: &At<'_>) {
        self.steps += 1;
        self.codes.extend(at.op.map(|op| op.code));
    }
}
