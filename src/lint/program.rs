//! What only the machine of a case knows: whether it takes the program, and has what is compared.

use std::sync::Arc;

use crate::formats::{Finding, Severity};
use crate::isa::assembler::{AsmError, Warning};
use crate::machines::machine::LoadError;
use crate::machines::{self, Language, MachineInfo};
use crate::model::assertion::{Assertion, Expected};
use crate::model::case::{Case, Program};
use crate::model::path::{Key, Path};
use crate::model::position::Origin;
use crate::model::rule::Rule;
use crate::model::value::Value;
use crate::run::place_of;
use crate::testees::Testee;
use crate::text::json::{Document, Node, Problem, quoted};

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
        for check in self.case.steps.iter().flat_map(|step| step.end.iter().chain(&step.assertions)) {
            self.check(check, testee);
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
            let lines = Lines::new(*origin, self.node.document());
            match assemble(source) {
                Ok(assembled) => {
                    for Warning { line, column, what } in assembled.warnings {
                        let problem = lines.problem(line, column, &what);
                        self.add(Severity::Warning, problem.under(Rule::AssemblerWarning));
                    }
                }
                Err(error) => {
                    refused = true;
                    self.add(Severity::Error, self.refused_source(&lines, source, error));
                }
            }
        }
        refused
    }

    fn refused_source(&self, lines: &Lines<'_>, source: &str, error: AsmError) -> Problem {
        let AsmError { line, column, what, expected } = error;
        let is_of_word = |it: &char| it.is_ascii_alphanumeric() || *it == '_';
        let text = source.lines().nth(line.saturating_sub(1)).unwrap_or("");
        let word: String = text.chars().skip(column.saturating_sub(1)).take_while(is_of_word).collect();
        let commands = self.commands();
        let known = if commands.contains(&word) { &[] } else { &commands[..] };
        let problem = Problem { expected: Some(expected), ..lines.problem(line, column, &what) };
        problem.under(Rule::Assembly).did_you_mean(&word, known.iter().map(String::as_str))
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

    /// What the machine finds odd about the program.
    pub(super) fn odd(&self) -> Vec<Finding> {
        let odd = self.machine.map_or_else(Vec::new, |machine| (machine.lint)(&self.case.program));
        let note = |reason: &LoadError| {
            let problem = self.about(reason, reason.to_string()).under(Rule::OddProgram);
            Finding { severity: Severity::Note, problem }
        };
        odd.iter().map(note).collect()
    }

    /// A problem with a datum of the program, or with all of it.
    fn about(&self, reason: &LoadError, what: String) -> Problem {
        let at = reason.at.as_ref().and_then(|at| place_of(at, self.case, self.node.document()));
        Problem::bare(at.unwrap_or(self.node.at()), what)
    }

    fn refused(&self, reason: &LoadError, mnemonic: Option<&str>) -> Problem {
        let problem = self.about(reason, format!("the program cannot be loaded: {reason}"));
        match mnemonic {
            Some(word) => problem.under(Rule::UnknownMnemonic).did_you_mean(word, self.mnemonics()),
            None => problem.under(Rule::NotLoadable),
        }
    }

    fn mnemonics(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.machine.into_iter().flat_map(|machine| machine.isa.ops).map(|op| op.name)
    }

    fn check(&mut self, check: &Assertion, testee: &dyn Testee) {
        if let Key::Name(field) = check.at.first()
            && !testee.state().has_field(field)
        {
            let what = format!("{} has no field {field}", self.case.machine);
            self.add(Severity::Error, Problem::bare(check.origin.0, what).under(Rule::Internal));
        }
        if let (Key::Name(last), Expected::Is(Value::Text(name))) = (check.at.last(), &check.expected)
            && **last == *MNEMONIC_FIELD
            && !self.mnemonics().any(|mnemonic| mnemonic == name)
        {
            let what = format!("{} has no instruction {}", self.case.machine, quoted(name));
            let problem = Problem::bare(check.origin.0, what).under(Rule::UnknownMnemonic);
            self.add(Severity::Warning, problem.did_you_mean(name, self.mnemonics()));
        }
    }
}

/// The lines of a source: items of an array in the vector, or in a file that it names.
struct Lines<'d> {
    origin: Origin,
    items: Vec<Node<'d>>,
}

impl<'d> Lines<'d> {
    fn new(origin: Origin, document: &'d Document) -> Lines<'d> {
        let place = document.node_at(origin.0);
        Lines { origin, items: place.into_iter().flat_map(Node::items).collect() }
    }

    /// A problem at a place in a line, both from 1.
    fn problem(&self, line: usize, column: usize, what: &str) -> Problem {
        let Some(item) = line.checked_sub(1).and_then(|line| self.items.get(line)) else {
            return Problem::bare(self.origin.0, format!("line {line}:{column}: {what}"));
        };
        // Behind the quote; but an escape in it makes the text longer than the line.
        let inside = item.raw().char_indices().nth(column).filter(|_| !item.raw().contains('\\'));
        Problem::bare(item.at() + inside.map_or(0, |inside| inside.0 as u32), what)
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
    let Value::Record(members) = Arc::make_mut(&mut program.0) else { return None };
    let list = members.iter_mut().find(|(name, _)| **name == **member)?;
    let Value::List(entries) = &mut list.1 else { return None };
    let entry = entries.get_mut(*index)?;
    match std::mem::replace(entry, Value::Bytes(Vec::new())) {
        Value::Text(mnemonic) => Some(mnemonic),
        _ => None,
    }
}
