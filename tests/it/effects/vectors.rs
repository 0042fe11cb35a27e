//! States in which the own vectors execute an instruction, with random values in some cells.

use std::collections::HashMap;

use vmconf::isa::disassembler::{ListingLine, disassemble};
use vmconf::isa::{Isa, OpInfo};
use vmconf::machines::by_name;
use vmconf::machines::machine::{At, Machine, Watch};
use vmconf::model::{Action, Case, Cell, Path, Program, Value};

use super::prepared::{Prepared, Scene};
use crate::random::Random;
use crate::support::{read, written_in};
use vmconf::prove::mutants::wrong;

/// The most instructions of a case that are looked at.
const STEPS: u64 = 200;
/// The most items on the stack in front of an instruction that is looked at.
const HEIGHT: usize = 64;
/// The most references in such a state: one with more has too many parts to be compared.
const REFERENCES: usize = 200;
/// States with other values for each.
const MUTANTS: usize = 8;
/// The most stack items that are changed.
const ITEMS: usize = 12;

/// A state in a case of this name.
type Place = (String, Prepared);

/// The files in which so many compounds are freed that a machine uses their numbers again: states that differ in one
/// value then differ in the numbers of compounds, too.
const REUSING: [&str; 1] = ["garbage"];

/// Where the vectors of a machine execute each instruction, file by file: a table of a thousand cases counts as much
/// as a file of ten.
pub(crate) struct Vectors {
    places: HashMap<u16, Vec<Vec<Place>>>,
}

impl Vectors {
    pub(crate) fn read(machine: &str) -> Vectors {
        let mut places = HashMap::<_, Vec<_>>::new();
        for path in written_in(format!("vectors/{machine}")) {
            if REUSING.iter().any(|name| path.file_stem().is_some_and(|stem| stem == *name)) {
                continue;
            }
            let mut of_file = HashMap::<_, Vec<_>>::new();
            for case in read(&path).1 {
                let mut seen = Seen::default();
                let start = start(&case.case);
                let Some(mut machine) = start.make() else { continue };
                machine.run(STEPS, Some(&mut seen));
                for (steps, code) in seen.0.into_iter().enumerate() {
                    let Some(code) = code else { continue };
                    let place = Prepared { steps: steps as u64, ..start.clone() };
                    of_file.entry(code).or_default().push((case.name.clone(), place));
                }
            }
            for (code, places_of_file) in of_file {
                places.entry(code).or_default().push(places_of_file);
            }
        }
        Vectors { places }
    }

    /// A random state in front of an instruction; `None` where no vector executes it.
    pub(crate) fn scene(&self, op: &OpInfo, random: &mut Random) -> Option<Scene> {
        self.places.get(&op.code).map(|files| scene(op, &files[random.below(files.len())], random))
    }
}

/// The case after what is set before its program runs.
fn start(case: &Case) -> Prepared {
    let actions = case.steps.iter().flat_map(|step| &step.actions);
    let first =
        actions.map_while(|action| if let Action::Set(changes) = action { Some(changes) } else { None });
    Prepared {
        machine: by_name(case.machine).unwrap(),
        program: case.program.clone(),
        first: first.cloned().collect(),
        steps: 0,
        changes: Vec::new(),
    }
}

/// The codes that are executed, where the state is not too large.
#[derive(Default)]
struct Seen(Vec<Option<u16>>);

impl Watch for Seen {
    fn before(&mut self, at: &At<'_>) {
        let is_small =
            at.state.height() <= HEIGHT && at.state.references().is_none_or(|it| it.count <= REFERENCES);
        self.0.push(at.op.map(|op| op.code).filter(|_| is_small));
    }
}

/// One of the places, as the vector has it or with another value in one or two cells.
fn scene(op: &OpInfo, places: &[Place], random: &mut Random) -> Scene {
    let (name, mut start) = places[random.below(places.len())].clone();
    for _ in 0..random.below(3) {
        start = mutant(op, &start, random).map(|it| it.1).filter(|it| it.make().is_some()).unwrap_or(start);
    }
    let mutants = (0..MUTANTS).filter_map(|_| mutant(op, &start, random)).collect();
    let shown = format!("after {} instructions of {name:?} and {:?}", start.steps, start.changes);
    Scene { shown, start, idle: None, mutants }
}

/// The state with another value in one cell, or after a script with another constant.
fn mutant(op: &OpInfo, start: &Prepared, random: &mut Random) -> Option<(Option<Cell>, Prepared)> {
    let mut machine = start.make()?;
    // What a service of 2.x answers may depend on the script itself.
    let of_script = op.name == "SYSCALL" && start.machine.name == "neo2";
    if random.below(2) == 0
        && !of_script
        && let Some(program) = other_constant(start, machine.next()?.pc, random)
    {
        return Some((None, Prepared { program, ..start.clone() }));
    }
    let cells = cells(&*machine);
    if cells.is_empty() {
        return None;
    }
    let cell = &cells[random.below(cells.len())];
    let value = other(&machine.faults()?.unwritten(&start.program, cell)?, random)?;
    let mut prepared = start.clone();
    prepared.changes.push((cell.clone(), value));
    Some((Some(cell.clone()), prepared))
}

/// The script with another number or other data in one of the instructions that push them, but not in the
/// next instruction.
fn other_constant(start: &Prepared, next: usize, random: &mut Random) -> Option<Program> {
    let Value::Record(mut members) = (*start.program.0).clone() else { return None };
    let script = members.iter_mut().find(|member| member.0 == "script")?;
    let isa = start.machine.isa;
    let mut bytes = bytes_of(isa, &script.1)?;
    let number =
        |op: &OpInfo| op.name.strip_prefix("PUSH")?.parse::<usize>().ok().filter(|_| op.operands.is_empty());
    let pushes = |line: &ListingLine<'_>| {
        line.op
            .is_some_and(|op| op.name.starts_with("PUSH") && (number(op).is_some() || line.bytes.len() > 1))
    };
    let constants: Vec<_> = disassemble(isa, &bytes).filter(pushes).collect();
    let constants: Vec<_> =
        constants.iter().map(|line| (line.offset, line.bytes.len())).filter(|it| it.0 != next).collect();
    let (offset, length) = random.one_of(&constants)?;
    if length > 1 {
        bytes[offset + length - 1] ^= 1 + random.below(3) as u8;
    } else {
        bytes[offset] = isa.by_name(&format!("PUSH{}", 1 + random.below(8)))?.code as u8;
    }
    script.1 = Value::Bytes(bytes);
    Some(Program::from(Value::Record(members)))
}

/// The bytes of a script, which may be written in pieces and mnemonics.
fn bytes_of(isa: &Isa, script: &Value) -> Option<Vec<u8>> {
    match script {
        Value::Bytes(bytes) => Some(bytes.clone()),
        Value::Text(name) => Some(vec![isa.by_name(name)?.code as u8]),
        Value::List(parts) => {
            let parts: Option<Vec<_>> = parts.iter().map(|part| bytes_of(isa, part)).collect();
            Some(parts?.concat())
        }
        _ => None,
    }
}

/// The cells that can be changed.
fn cells(machine: &dyn Machine) -> Vec<Cell> {
    let height = machine.height();
    let mut cells: Vec<_> = (height.saturating_sub(ITEMS)..height).map(Cell::Stack).collect();
    // Callers come first in the one list, last in the other.
    let frames = |field: &str| match machine.observe(field) {
        Some(Value::List(frames)) => frames.len(),
        _ => 0,
    };
    let variables = ["staticFields", "localVariables", "arguments", "altStack"];
    let neo = variables.map(|part| ("invocationStack", 0, part));
    let minic89 = ("call_stack", frames("call_stack").saturating_sub(1), "locals");
    for (field, frame, part) in neo.into_iter().chain([minic89]) {
        let at = Path::field(field).child(frame).child(part);
        // Of an alternative stack only the top can be changed.
        let most = if part == "altStack" { 1 } else { ITEMS };
        for index in 0..most {
            match &machine.cells(&at.child(index))[..] {
                [cell] => cells.push(cell.clone()),
                _ => break,
            }
        }
    }
    cells
}

/// Another value of the same type.
fn other(value: &Value, random: &mut Random) -> Option<Value> {
    match value {
        Value::Int(_) if random.below(2) == 0 => Some(Value::int(random.below(4) as u64)),
        Value::Typed(name, inside) => Some(Value::typed(name.clone(), other(inside, random)?)),
        value => wrong::one_more(value),
    }
}
