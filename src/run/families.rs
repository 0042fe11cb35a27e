//! The families that files are read by, each with the description of its machine.

use std::sync::{Arc, LazyLock};

use crate::formats::family::{self, BUILT_IN, Family};
use crate::machines::elsewhere::UNKNOWN_MACHINE;
use crate::machines::{self, MachineInfo};
use crate::model::{Diagnostic, Origin};
use crate::text::json::Document;

/// Families, at most one of each machine. The default are the built-in ones.
#[derive(Clone, Default)]
pub struct Families(Arc<[FamilyMachine]>);

/// A family, and the description of its machine.
#[derive(Debug, Clone, Copy)]
pub struct FamilyMachine {
    /// The family.
    pub family: &'static Family,
    /// Its machine.
    pub machine: &'static MachineInfo,
}

/// The built-in families. They are compiled when the first file has none of the formats of this program.
static COMPILED: LazyLock<Vec<FamilyMachine>> = LazyLock::new(|| {
    let installed = BUILT_IN.iter().filter_map(|built_in| Family::install(built_in.text).ok());
    installed.map(FamilyMachine::new).collect()
});

impl FamilyMachine {
    /// The family with the description of its machine, whose memory is never freed.
    pub fn new(family: &'static Family) -> FamilyMachine {
        let Family { machine: name, title: doc, program, fields, optional, .. } = *family;
        let machine = MachineInfo { name, doc, program, fields, optional, ..UNKNOWN_MACHINE };
        FamilyMachine { family, machine: Box::leak(Box::new(machine)) }
    }
}

/// Whether a family can have this name; an error if vmconf embeds a machine of this name.
pub fn not_embedded(name: &str) -> Result<(), String> {
    match machines::by_name(name) {
        Some(_) => Err(format!("vmconf embeds a machine {name}: a family needs another name")),
        None => Ok(()),
    }
}

impl Families {
    /// These families and another one, which takes the place of one of the same machine. An error if vmconf embeds a
    /// machine of this name.
    pub fn with(&self, family: &'static Family) -> Result<Families, String> {
        let name = family.machine;
        not_embedded(name)?;
        let others = self.0.iter().filter(|known| known.family.machine != name);
        Ok(Families(others.copied().chain([FamilyMachine::new(family)]).collect()))
    }

    /// The families that are not built in, or take the place of a built-in one.
    pub fn added(&self) -> impl Iterator<Item = FamilyMachine> {
        self.0.iter().copied()
    }

    /// All families: the added ones, then the built-in ones.
    pub fn iter(&self) -> impl Iterator<Item = FamilyMachine> {
        let is_hidden = |built_in: &&FamilyMachine| {
            self.0.iter().any(|own| own.family.machine == built_in.family.machine)
        };
        self.0.iter().copied().chain(COMPILED.iter().filter(move |built_in| !is_hidden(built_in)).copied())
    }

    /// The family of a machine.
    pub fn by_name(&self, name: &str) -> Option<FamilyMachine> {
        self.iter().find(|known| known.family.machine == name)
    }

    /// The machine with this name, embedded or of a family.
    pub fn machine(&self, name: &str) -> Option<&'static MachineInfo> {
        machines::by_name(name).or_else(|| Some(self.by_name(name)?.machine))
    }

    /// Whether only other processes execute the machine of this name.
    pub fn is_elsewhere(&self, name: &str) -> bool {
        machines::by_name(name).is_none() && self.machine(name).is_some()
    }

    /// The formats of families that fit a document. `file` is the path of its file, with `/` between names.
    pub fn fitting(&self, document: &Document, file: &str) -> family::FittingFormats {
        family::fitting(self.iter().map(|known| known.family), document, file)
    }

    /// As [`family::near_miss`], of these families.
    pub fn near_miss(&self, document: &Document, files: &[String]) -> Option<Diagnostic<Origin>> {
        family::near_miss(self.iter().map(|known| known.family), document, files)
    }
}
