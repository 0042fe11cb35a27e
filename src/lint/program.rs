//! Checks that need the machine of a case: whether it can load the program and has the fields that are
//! compared.

use crate::isa::assembler::{AsmError, AsmWarning};
use crate::machines::status::LoadError;
use crate::machines::{MachineInfo, ProgramLanguage};
use crate::model::rule::LintRule;
use crate::model::{
    Assertion, Case, Diagnostic, Expected, MemberShape, Origin, Path, PathKey, Program, Severity, Value,
    without_bom,
};
use crate::run::{Families, place_of_error};
use crate::testees::{Stopped, Testee};
use crate::text::json::{Document, JsonNode, quoted};
use crate::text::suggest::nearest;

/// Checks a case that could be read.
pub(super) struct Inspection<'c> {
    case: &'c Case,
    node: JsonNode<'c>,
    machine: Option<&'static MachineInfo>,
    found: Vec<Diagnostic<Origin>>,
}

impl<'c> Inspection<'c> {
    /// An inspection of this case, which is at `node` in the document.
    pub(super) fn new(case: &'c Case, node: JsonNode<'c>, families: &Families) -> Inspection<'c> {
        Inspection { case, node, machine: families.machine(case.machine), found: Vec::new() }
    }

    /// All problems of the case. Leaves `testee` with a program that may differ from that of the case.
    pub(super) fn inspect(mut self, testee: &mut dyn Testee) -> Vec<Diagnostic<Origin>> {
        let refused_sources = self.assemble();
        if !refused_sources {
            self.load(testee);
        }
        let fields = self.machine.map_or(&[][..], |machine| machine.fields);
        for assertion in self.case.demands() {
            self.check(assertion, fields);
        }
        self.found
    }

    fn add(&mut self, severity: Severity, diagnostic: Diagnostic<Origin>) {
        self.found.push(diagnostic.severity(severity));
    }

    /// Assembles the sources in the program and returns whether any of them was rejected.
    fn assemble(&mut self) -> bool {
        let Some(ProgramLanguage::Own { assemble, .. }) = self.machine.map(|machine| machine.language) else {
            return false;
        };
        let mut refused = false;
        for (path, origin) in &self.case.places {
            let (file, source) = match datum(&self.case.program, path) {
                Some(Value::Text(source)) => ("", source),
                Some(Value::Record(parts)) => match &parts[..] {
                    [(file, Value::Text(source))] => (&**file, source),
                    _ => continue,
                },
                _ => continue,
            };
            let lines = ProgramLines::new(*origin, file, self.node.document());
            match assemble(source) {
                Ok(assembled) => {
                    for AsmWarning { line, column, what } in assembled.warnings {
                        let diagnostic = lines.diagnostic(line, column, &what);
                        self.add(Severity::Warning, diagnostic.under(LintRule::AssemblerWarning));
                    }
                }
                Err(errors) => {
                    refused = true;
                    for error in errors.all() {
                        self.add(Severity::Error, self.refused_source(&lines, source, error));
                    }
                }
            }
        }
        refused
    }

    fn refused_source(&self, lines: &ProgramLines<'_>, source: &str, error: &AsmError) -> Diagnostic<Origin> {
        let AsmError { line, column, what, expected } = error.clone();
        let is_of_word = |it: &char| it.is_ascii_alphanumeric() || *it == '_';
        let text = without_bom(source).lines().nth(line.saturating_sub(1)).unwrap_or("");
        let word: String = text.chars().skip(column.saturating_sub(1)).take_while(is_of_word).collect();
        let commands = self.commands();
        let known = if commands.contains(&word) { &[] } else { &commands[..] };
        let suggestion = nearest(&word, known.iter().map(String::as_str));
        lines.diagnostic(line, column, &what).expected(expected).under(LintRule::Assembly).suggest(suggestion)
    }

    /// The commands in the machine's own assembly language, without duplicates.
    fn commands(&self) -> Vec<String> {
        let Some(MachineInfo { isa, language: ProgramLanguage::Own { disassemble, .. }, .. }) = self.machine
        else {
            return Vec::new();
        };
        let texts = isa.ops.iter().map(|op| disassemble(op.code));
        let mut commands: Vec<_> =
            texts.filter_map(|text| Some(text.split_whitespace().next()?.to_owned())).collect();
        commands.retain(|command| !command.starts_with('.'));
        commands.dedup();
        commands
    }

    fn load(&mut self, testee: &mut dyn Testee) {
        let Err(Stopped::Error(reason)) = testee.run(&self.case.program, &[], &mut |_, _| {}) else { return };
        for error in reason.each() {
            let diagnostic = self.refused(error);
            self.add(Severity::Error, diagnostic);
        }
    }

    /// Notes on parts of the program that trap or do nothing when they are reached.
    pub(super) fn remarks(&self) -> Vec<Diagnostic<Origin>> {
        let remarks = self.machine.map_or_else(Vec::new, |machine| (machine.lint)(&self.case.program));
        let note = |remark: &LoadError| {
            self.about(remark, remark.what.clone()).under(LintRule::OddProgram).severity(Severity::Note)
        };
        remarks.iter().map(note).collect()
    }

    /// A diagnostic about a datum of the program, or about the whole program.
    fn about(&self, reason: &LoadError, what: String) -> Diagnostic<Origin> {
        let at = place_of_error(reason, self.case, self.node.document());
        Diagnostic::at(at.unwrap_or(self.node.at()), what)
    }

    fn refused(&self, reason: &LoadError) -> Diagnostic<Origin> {
        let diagnostic = self.about(reason, reason.what.clone());
        match reason.at.as_ref().and_then(|at| self.mnemonic(at)) {
            Some(word) => {
                diagnostic.under(LintRule::UnknownMnemonic).suggest(nearest(word, self.mnemonics()))
            }
            None => diagnostic.under(LintRule::NotLoadable),
        }
    }

    /// The text of a datum of the program that is an item of a list: the machines that have such items take them for
    /// mnemonics.
    fn mnemonic(&self, at: &Path) -> Option<&'c str> {
        match (at.last(), datum(&self.case.program, at)?) {
            (PathKey::Index(_), Value::Text(word)) => Some(word),
            _ => None,
        }
    }

    fn mnemonics(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.machine.into_iter().flat_map(|machine| machine.isa.ops).map(|op| op.name)
    }

    fn check(&mut self, assertion: &Assertion, fields: &[MemberShape]) {
        if let PathKey::Name(field) = assertion.at.first()
            && fields.iter().all(|known| known.name != &**field)
        {
            let what = format!("{} has no field {field}", self.case.machine);
            self.add(Severity::Error, Diagnostic::at(assertion.origin.0, what).under(LintRule::Internal));
        }
        if let (PathKey::Name(last), Expected::Is(Value::Text(name))) =
            (assertion.at.last(), &assertion.expected)
            && self.machine.and_then(|machine| machine.upcoming).is_some_and(|it| *it.name == **last)
            && !self.mnemonics().any(|mnemonic| mnemonic == name)
        {
            let what = format!("{} has no instruction {}", self.case.machine, quoted(name));
            let diagnostic = Diagnostic::at(assertion.origin.0, what).under(LintRule::UnknownMnemonic);
            self.add(Severity::Warning, diagnostic.suggest(nearest(name, self.mnemonics())));
        }
    }
}

/// The lines of a source: items of an array in the vector, or lines of a file that the vector names.
struct ProgramLines<'d> {
    origin: Origin,
    /// The name of the file; empty for items of an array.
    file: &'d str,
    items: Vec<JsonNode<'d>>,
}

impl<'d> ProgramLines<'d> {
    fn new(origin: Origin, file: &'d str, document: &'d Document) -> ProgramLines<'d> {
        let place = document.node_at(origin.0);
        ProgramLines { origin, file, items: place.into_iter().flat_map(JsonNode::items).collect() }
    }

    /// A diagnostic at a place in a line, both from 1.
    fn diagnostic(&self, line: usize, column: usize, what: &str) -> Diagnostic<Origin> {
        let Some(item) = line.checked_sub(1).and_then(|line| self.items.get(line)) else {
            return Diagnostic::at(self.origin.0, format!("{}:{line}:{column}: {what}", self.file));
        };
        Diagnostic::at(item.at_column(column), what)
    }
}

fn datum<'p>(program: &'p Program, path: &Path) -> Option<&'p Value> {
    match path.parent() {
        Some(parent) => datum(program, parent)?.child(path.last()),
        None => program.0.child(path.last()),
    }
}
