//! A family as formats and shapes, as those of this program are: for the rest of the process.

use std::collections::HashMap;

use indexmap::IndexSet;

use super::declaration::{Declaration, MAX_DECLARATION, StepActions, action_name};
use super::fill::fill;
use super::fitting::first_cases;
use super::json_schema::json_schema;
use super::misfit::FormatMisfit;
use super::new_cases::FamilyWriter;
use super::path_use::PathUse;
use super::reader::FamilyReader;
use super::uncompared::DeclaredRule;
use super::write_back::write_back;
use crate::formats::fields::Diagnostics;
use crate::formats::fill::Fill;
use crate::formats::format::{Evidence, FileEntry, FillCase, Format, ReadContext, WriteBack};
use crate::formats::write_back::{WrittenBack, WrongAssertion};
use crate::model::{DeclaredField, Diagnostic, MemberShape, Origin, Severity, Shape};
use crate::text::json::{Document, JsonNode};

/// Why a file fits no format of a family.
#[derive(Debug)]
pub struct FamilyMisfit {
    /// The reason, where it is seen.
    pub why: Box<Diagnostic<Origin>>,
    /// Whether something in the file is like a case.
    pub is_near: bool,
}

/// A family, ready to read files.
///
/// Its parts stay in memory as long as the process, as the tables of this program do: a process loads each
/// declaration once.
#[derive(Debug)]
pub struct Family {
    /// The name of its machine.
    pub machine: &'static str,
    /// The byte of the declaration where that is written.
    pub machine_at: u32,
    /// What the machine is, in one line.
    pub title: &'static str,
    /// The fields of the state.
    pub fields: &'static [MemberShape],
    /// The members of a program.
    pub program: &'static [MemberShape],
    /// The fields that a machine may not report.
    pub optional: &'static [&'static str],
    readers: Vec<(&'static FamilyReader, &'static Format)>,
    declaration: &'static Declaration,
}

impl Family {
    /// The family that a declaration describes. Its memory is never freed. An error has all faults of the declaration.
    pub fn install(text: &str) -> Result<&'static Family, Vec<Diagnostic>> {
        Family::install_from(text, None)
    }

    /// As [`Family::install`], of a declaration that lies in the folder with this absolute path, with `/` between names.
    pub fn install_from(text: &str, folder: Option<String>) -> Result<&'static Family, Vec<Diagnostic>> {
        if text.len() as u64 > MAX_DECLARATION {
            let what = format!("a declaration of more than {MAX_DECLARATION} bytes");
            return Err(vec![Diagnostic::new(what)]);
        }
        let declaration = Box::leak(Box::new(Declaration::parse(text)?));
        let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        let folder = folder.map(|folder| &*folder.leak());
        Ok(Box::leak(Box::new(Family::new(declaration, hash.leak(), folder))))
    }

    fn new(declaration: &'static Declaration, hash: &'static str, folder: Option<&'static str>) -> Family {
        let reader = |number| {
            let reader: &'static FamilyReader =
                Box::leak(Box::new(FamilyReader::new(declaration, number, folder)));
            let format: &'static Format = Box::leak(Box::new(format(reader, declaration, hash)));
            (reader, format)
        };
        let optional = declaration.optional.iter().map(String::as_str);
        Family {
            machine: &declaration.machine,
            machine_at: declaration.machine_at,
            title: &declaration.title,
            fields: shapes(declaration.state.iter()),
            program: shapes(declaration.members()),
            optional: optional.collect::<Vec<_>>().leak(),
            readers: (0..declaration.formats.len()).map(reader).collect(),
            declaration,
        }
    }

    /// The JSON Schema of its files.
    pub fn json_schema(&self) -> serde_json::Value {
        json_schema(self.declaration)
    }

    /// The names of the actions that its cases need, each once; empty if only the vectors say them.
    pub fn actions(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for format in &self.declaration.formats {
            if let StepActions::Fixed(actions) = &format.step.actions {
                for name in actions.iter().filter_map(action_name) {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
        }
        names
    }

    /// The format of this family that fits a document, with the evidence. `file` is the path of its file from the
    /// anchor, with `/` between names. An error says why none fits.
    pub fn fitting(
        &self,
        root: JsonNode<'_>,
        file: &str,
    ) -> Result<(&'static Format, Evidence), FamilyMisfit> {
        let mut misfits = Vec::new();
        for (reader, format) in self.readers.iter().filter(|(reader, _)| reader.reads(file)) {
            match reader.fits(root) {
                Ok(at) => return Ok((format, first_case_at(at))),
                Err(misfit) => misfits.push(misfit),
            }
        }
        let nearest = FormatMisfit::nearest(misfits);
        let expected: Vec<_> = match nearest {
            Some(_) => self.readers.iter().map(|(_, format)| format.looks_like.to_owned()).collect(),
            None => self.globs().map(|glob| format!("a file with a path like {glob}")).collect(),
        };
        let is_like_a_case = || self.readers.iter().any(|(reader, _)| reader.fits(root).is_ok());
        let FormatMisfit { matched, at, what } = nearest.unwrap_or_else(|| FormatMisfit {
            matched: usize::from(is_like_a_case()),
            at: root.at(),
            what: "no format of the declaration reads a file of this name".to_owned(),
        });
        let what = format!("not a file of {}: {what}", self.machine);
        let why = Box::new(Diagnostic::at(at, what).expected(expected.join(", or ")));
        Err(FamilyMisfit { why, is_near: matched > 0 })
    }

    /// Which paths of its formats lead somewhere.
    pub fn paths(&self) -> FamilyPaths<'_> {
        let of = |(reader, _): &'_ (&FamilyReader, _)| PathUse::of(reader.format());
        FamilyPaths { family: self, formats: self.readers.iter().map(of).collect() }
    }

    /// The rule that explains why a change of a datum is not detected, as for
    /// [`rule_of`](crate::formats::uncompared::rule_of); `None` if there is none. `cases` is the case before and after the
    /// change.
    pub fn uncompared(
        &self,
        format: &Format,
        change: &str,
        at: &str,
        cases: [JsonNode<'_>; 2],
    ) -> Option<DeclaredRule> {
        let (reader, _) = self.readers.iter().find(|(_, own)| std::ptr::eq(*own, format))?;
        reader.uncompared(change, at, cases)
    }

    /// Checks that cases which are written to a file of this name can be read again. The name is as for
    /// [`Family::fitting`]. If not, the error has the globs of the files that are read.
    pub fn reads_written(&self, file: &str) -> Result<(), String> {
        match self.readers.first() {
            Some((reader, _)) if !reader.reads(file) => {
                let globs = reader.format().files.iter().map(|pattern| &*pattern.text);
                Err(globs.collect::<Vec<_>>().join(", "))
            }
            _ => Ok(()),
        }
    }

    /// What writes cases in one of its formats; of several, in the first one if `format` is none of them.
    pub fn writer(&self, format: Option<&Format>) -> FamilyWriter<'_> {
        let number = self.formats().position(|own| format.is_some_and(|it| std::ptr::eq(own, it)));
        FamilyWriter::new(self.declaration, &self.declaration.formats[number.unwrap_or_default()])
    }

    /// The globs of all formats, each once.
    fn globs(&self) -> impl Iterator<Item = &str> {
        let patterns = self.declaration.formats.iter().flat_map(|format| &format.files);
        patterns.map(|pattern| &*pattern.text).collect::<IndexSet<_>>().into_iter()
    }

    /// Its formats.
    pub fn formats(&self) -> impl Iterator<Item = &'static Format> {
        self.readers.iter().map(|(_, format)| *format)
    }
}

/// Which paths of a declaration lead somewhere in the files that it is checked with.
#[derive(Debug)]
pub struct FamilyPaths<'f> {
    family: &'f Family,
    formats: Vec<PathUse>,
}

impl FamilyPaths<'_> {
    /// Looks at a file; its name is as for [`Family::fitting`].
    pub fn look_at(&mut self, root: JsonNode<'_>, file: &str) {
        let readers = &self.family.readers;
        for (number, ((reader, _), paths)) in readers.iter().zip(&mut self.formats).enumerate() {
            if reader.reads(file) {
                // Items that an earlier format reads say nothing about this one.
                let format = reader.format();
                let earlier: Vec<_> = readers[..number]
                    .iter()
                    .filter(|(earlier, _)| earlier.format().reads_with(format))
                    .collect();
                let mut items = format.cases.each(root);
                items.retain(|item| !earlier.iter().any(|(earlier, _)| earlier.has_all(*item)));
                paths.fits |= items.iter().any(|item| reader.rejection(*item).is_none());
                paths.look_at(root, &items);
            }
        }
    }

    /// The paths that lead nowhere, each with its place in the declaration: those of formats that fit a file; if none
    /// does, those of all.
    pub fn faults(&self) -> Vec<Diagnostic> {
        let fits = self.formats.iter().any(|format| format.fits);
        self.formats.iter().filter(|format| format.fits == fits).flat_map(PathUse::faults).collect()
    }
}

fn shapes(fields: impl Iterator<Item = &'static DeclaredField>) -> &'static [MemberShape] {
    let shape = |field: &'static DeclaredField| MemberShape {
        name: &field.name,
        doc: &field.doc,
        shape: Shape::Declared(field),
    };
    fields.map(shape).collect::<Vec<_>>().leak()
}

fn format(reader: &'static FamilyReader, declaration: &'static Declaration, hash: &'static str) -> Format {
    let machine = &*declaration.machine;
    Format {
        name: machine,
        machine,
        looks_like: reader.looks_like().leak(),
        distinguished_by: format!("--family {machine}").leak(),
        evidence: Box::leak(Box::new(move |root: JsonNode<'_>| {
            let at = reader.fits(root).ok()?;
            Some(first_case_at(at))
        })),
        outline: Box::leak(Box::new(move |root: JsonNode<'_>| reader.outline(root))),
        read: Box::leak(Box::new(
            move |case: JsonNode<'_>, _: ReadContext<'_>, diagnostics: &mut Diagnostics| {
                reader.read(machine, case, diagnostics)
            },
        )),
        rest: Box::leak(Box::new(
            move |root: JsonNode<'_>,
                  cases: &[FileEntry],
                  _: ReadContext<'_>,
                  diagnostics: &mut Diagnostics| {
                reader.rest(root, cases, diagnostics);
            },
        )),
        write_back: write_back_of(reader),
        fill: Some(fill_of(reader)),
        info: reader.info(),
        outcomes: Vec::new,
        unknown: Severity::Note,
        declaration: Some(hash),
        ..Format::BASE
    }
}

fn write_back_of(reader: &'static FamilyReader) -> &'static WriteBack {
    fn typed<F: for<'d> Fn(&WrongAssertion<'d, '_>) -> WrittenBack<'d>>(write: F) -> F {
        write
    }
    Box::leak(Box::new(typed(move |wrong| write_back(reader.writer_for(wrong), wrong))))
}

fn fill_of(reader: &'static FamilyReader) -> &'static FillCase {
    fn typed<F: for<'d> Fn(JsonNode<'d>) -> Fill<'d>>(fill: F) -> F {
        fill
    }
    Box::leak(Box::new(typed(move |case| fill(reader.writer_of(case), case))))
}

/// The formats of families that fit a document.
#[derive(Debug, Default)]
pub struct FittingFormats {
    /// Each with the evidence.
    pub formats: Vec<(&'static Format, Evidence)>,
    /// Whether globs of theirs match the path of the file.
    pub match_by_glob: bool,
}

/// The first formats of families that fit a document, of those whose globs match nearest to the file. `file` is as for
/// [`Family::fitting`].
pub fn fitting(
    families: impl IntoIterator<Item = &'static Family>,
    document: &Document,
    file: &str,
) -> FittingFormats {
    let formats = families.into_iter().flat_map(|family| family.readers.iter().map(move |it| (family, it)));
    let formats: Vec<_> = formats.filter(|(_, (reader, _))| reader.reads(file)).collect();
    let readers: Vec<_> = formats.iter().map(|(_, (reader, _))| *reader).collect();
    let found = first_cases(&readers, document.root()).into_iter();
    let mut fitting: Vec<_> = formats.into_iter().zip(found).filter_map(|(it, at)| Some((it, at?))).collect();
    let mut nearness: HashMap<&str, usize> = HashMap::new();
    for ((family, (reader, _)), _) in &fitting {
        let nearest = nearness.entry(family.machine).or_default();
        *nearest = reader.nearness(file).max(*nearest);
    }
    let nearest = nearness.values().copied().max();
    fitting.retain(|((family, _), _)| nearness.get(family.machine).copied() == nearest);
    fitting.dedup_by_key(|((family, _), _)| family.machine);
    let evidence = |((_, (_, format)), at): ((_, &(_, &'static Format)), u32)| (*format, first_case_at(at));
    let match_by_glob = nearest.is_some_and(|nearest| nearest > 0);
    FittingFormats { formats: fitting.into_iter().map(evidence).collect(), match_by_glob }
}

/// Why a file that no family fits is not a file of the family that it is nearest to; `None` if nothing in it is like a
/// case. `files` are its paths, each as for [`Family::fitting`].
pub fn near_miss(
    families: impl IntoIterator<Item = &'static Family>,
    document: &Document,
    files: &[String],
) -> Option<Diagnostic<Origin>> {
    let root = document.root();
    let mut nearest: Option<(&FamilyReader, FormatMisfit)> = None;
    let mut elsewhere: Vec<&FamilyReader> = Vec::new();
    for (reader, _) in families.into_iter().flat_map(|family| &family.readers) {
        if !files.iter().any(|file| reader.reads(file)) {
            elsewhere.extend(reader.has_case_by_names(root).then_some(reader));
        } else if let Some(misfit) = reader.near_miss(root)
            && nearest.as_ref().is_none_or(|(_, known)| known.matched < misfit.matched)
        {
            nearest = Some((reader, misfit));
        }
    }
    if let Some((reader, misfit)) = nearest {
        let what = format!("nearly a file of {}: {}", reader.machine(), misfit.what);
        return Some(Diagnostic::at(misfit.at, what).expected(reader.looks_like()));
    }
    let names: IndexSet<_> = elsewhere.iter().map(|reader| reader.machine()).collect();
    let globs = elsewhere.iter().flat_map(|reader| &reader.format().files).map(|glob| &*glob.text);
    let globs: IndexSet<_> = globs.map(|glob| format!("a path like {glob}")).collect();
    let (names, globs) = (Vec::from_iter(names).join(", "), Vec::from_iter(globs).join(", or "));
    let what = format!("like a file of {names}, except for its path");
    (!elsewhere.is_empty()).then(|| Diagnostic::at(root.at(), what).expected(globs))
}

fn first_case_at(at: u32) -> Evidence {
    Evidence { at, what: "the first case" }
}
