//! What only the machine of a case knows: whether it takes the program, and has what is compared.

use crate::asm::{AsmError, Warning};
use crate::case::{Case, Check, Origin, Program, Want};
use crate::formats::{Finding, Severity};
use crate::json::{Node, Problem, quoted};
use crate::machine::LoadError;
use crate::machines::{self, Language, MachineInfo};
use crate::rules::Rule;
use crate::testee::Testee;
use crate::value::{Key, Path, Value};

/// The last part of the path of every field that is the name of an instruction.
const MNEMONIC_FIELD: &str = "nextInstruction";

/// Looks at a case that could be read.
pub(super) struct Inspection<'c> {
    case: &'c Case,
    node: Node<'c>,
    machine: Option<&'static MachineInfo>,
    found: Vec<Finding>,
}

impl<'c> Inspection<'c> {
    /// The case, and where it stands.
    pub(super) fn new(case: &'c Case, node: Node<'c>) -> Inspection<'c> {
        Inspection { case, node, machine: machines::by_name(case.machine), found: Vec::new() }
    }

    /// All that is wrong, by a machine that then holds no program worth anything.
    pub(super) fn inspect(mut self, testee: &mut dyn Testee) -> Vec<Finding> {
        let refused_sources = self.assemble();
        if !refused_sources {
            self.load(testee);
        }
        let steps = &self.case.steps;
        for check in steps.iter().flat_map(|step| step.end.iter().chain(&step.checks)) {
            self.check(check, testee);
        }
        if steps.last().is_none_or(|step| step.end.is_none() && step.checks.is_empty()) {
            let what = if steps.len() > 1 {
                "after the last step, nothing is compared"
            } else {
                "nothing is compared"
            };
            self.add(Severity::Warning, Problem::bare(self.node.at(), what).under(Rule::NothingCompared));
        }
        self.found
    }

    fn add(&mut self, severity: Severity, problem: Problem) {
        self.found.push(Finding { severity, problem });
    }

    /// Assembles the sources among the program. Whether any of them is refused.
    fn assemble(&mut self) -> bool {
        let Some(Language::Own { assemble, .. }) = self.machine.map(|machine| machine.language) else {
            return false;
        };
        let mut refused = false;
        for (path, origin) in &self.case.places {
            let Some(Value::Text(source)) = datum(&self.case.program, path) else { continue };
            match assemble(source) {
                Ok(assembled) => {
                    for Warning { line, column, what } in assembled.warnings {
                        let (at, place) = self.line_of(*origin, line, column);
                        let problem = Problem::bare(at, format!("{place}{what}"));
                        self.add(Severity::Warning, problem.under(Rule::ProgramWarning));
                    }
                }
                Err(error) => {
                    refused = true;
                    let problem = self.refused_source(*origin, source, error);
                    self.add(Severity::Error, problem);
                }
            }
        }
        refused
    }

    fn refused_source(&self, origin: Origin, source: &str, error: AsmError) -> Problem {
        let AsmError { line, column, what, expected } = error;
        let (at, place) = self.line_of(origin, line, column);
        let word: String = source
            .lines()
            .nth(line - 1)
            .into_iter()
            .flat_map(|text| text.chars().skip(column - 1))
            .take_while(|it| it.is_ascii_alphanumeric() || *it == '_')
            .collect();
        let commands = self.commands();
        let known = if commands.contains(&word) { &[] } else { &commands[..] };
        Problem::new(at, format!("{place}{what}"), expected)
            .under(Rule::Assembly)
            .did_you_mean(&word, known.iter().map(String::as_str))
    }

    /// The commands that the instructions of a machine are in its own language, without repeats.
    fn commands(&self) -> Vec<String> {
        let Some(MachineInfo { isa, language: Language::Own { disassemble, .. }, .. }) = self.machine else {
            return Vec::new();
        };
        let texts = isa.ops.iter().map(|op| disassemble(op.code));
        let mut commands: Vec<_> =
            texts.filter_map(|text| Some(text.split_whitespace().next()?.to_owned())).collect();
        commands.retain(|command| !command.starts_with('.'));
        commands.dedup();
        commands
    }

    /// Where a line of a source stands: in the vector, if it is an item there, or by its number.
    fn line_of(&self, origin: Origin, line: usize, column: usize) -> (u32, String) {
        let place = self.node.document().datum_at(origin.0);
        let Some(item) = place.and_then(|place| place.items().nth(line - 1)) else {
            return (origin.0, format!("line {line}:{column}: "));
        };
        // With an escape in it, the line is not as long as what stands in the vector.
        let inside = item.raw().char_indices().nth(column).filter(|_| !item.raw().contains('\\'));
        (item.at() + inside.map_or(0, |inside| inside.0 as u32), String::new())
    }

    /// Loads the program; a mnemonic that the machine does not have is left out, so that further
    /// ones are found.
    fn load(&mut self, testee: &mut dyn Testee) {
        const MOST: usize = 20;
        let mut program = self.case.program.clone();
        for _ in 0..MOST {
            let Err(reason) = testee.load(&program) else { return };
            let left_out = leave_out(&mut program, &reason);
            let problem = self.refused(&reason, left_out.as_deref());
            self.add(Severity::Error, problem);
            if left_out.is_none() {
                return;
            }
        }
    }

    fn refused(&self, reason: &LoadError, mnemonic: Option<&str>) -> Problem {
        let at = reason
            .at
            .as_ref()
            .and_then(|at| self.case.place_of(at))
            .map_or(self.node.at(), |origin| origin.0);
        let problem = Problem::bare(at, format!("the program cannot be loaded: {reason}"));
        match mnemonic {
            Some(word) => problem.under(Rule::UnknownMnemonic).did_you_mean(word, self.mnemonics()),
            None => problem.under(Rule::NotLoadable),
        }
    }

    fn mnemonics(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.machine.into_iter().flat_map(|machine| machine.isa.ops).map(|op| op.name)
    }

    fn check(&mut self, check: &Check, testee: &dyn Testee) {
        if let Key::Name(field) = check.at.first()
            && !testee.has_field(field)
        {
            let what = format!("{} has no field {field}", self.case.machine);
            self.add(Severity::Error, Problem::bare(check.origin.0, what).under(Rule::Internal));
        }
        if let (Key::Name(last), Want::Is(Value::Text(name))) = (check.at.last(), &check.want)
            && **last == *MNEMONIC_FIELD
            && !self.mnemonics().any(|mnemonic| mnemonic == name)
        {
            let what = format!("{} has no instruction {}", self.case.machine, quoted(name));
            let problem = Problem::bare(check.origin.0, what).under(Rule::UnknownMnemonic);
            self.add(Severity::Warning, problem.did_you_mean(name, self.mnemonics()));
        }
    }
}

/// A datum of the program record.
fn datum<'p>(program: &'p Program, path: &Path) -> Option<&'p Value> {
    match path.parent() {
        Some(parent) => datum(program, parent)?.child(path.last()),
        None => program.0.child(path.last()),
    }
}

/// Leaves the mnemonic out for which a program was refused, if it was for one.
fn leave_out(program: &mut Program, reason: &LoadError) -> Option<String> {
    let at = reason.at.as_ref()?;
    let (Some(Key::Name(member)), Key::Index(index)) = (at.parent().map(Path::last), at.last()) else {
        return None;
    };
    let Value::Record(members) = &mut program.0 else { return None };
    let list = members.iter_mut().find(|(name, _)| **name == **member)?;
    let Value::List(entries) = &mut list.1 else { return None };
    let entry = entries.get_mut(*index)?;
    match std::mem::replace(entry, Value::Bytes(Vec::new())) {
        Value::Text(mnemonic) => Some(mnemonic),
        _ => None,
    }
}
