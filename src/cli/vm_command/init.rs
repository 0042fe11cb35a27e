//! `vmconf vm init`

use std::io::Write;

use anyhow::bail;
use clap::Args;
use vmconf::machines::MachineInfo;
use vmconf::model::Exit;
use vmconf::text::shell::quoted;

use super::family_template::{TemplateLanguage, family_template};
use super::machine_template::machine_template;
use crate::cli::families::{self, NamedMachine};
use crate::cli::new_file::ForceArgs;
use crate::cli::output;
use crate::cli::program::machine_argument;
use crate::cli::settings::{ConfigArgs, Settings};

/// Write a template of an adapter
///
/// The template speaks the process protocol, and answers that it supports no program yet; in C, Go and Rust, the one for
/// evm is a toy EVM. Replace that with calls of your machine. It writes NAME with the extension of the language.
///
/// Example: vmconf vm init python mine
#[derive(Debug, Args)]
pub(super) struct Init {
    /// The language
    #[arg(value_enum)]
    language: TemplateLanguage,

    /// The name of your machine
    name: String,

    /// The machine that the adapter implements: an embedded one (in C, Go and Rust only evm), or that of a family
    #[arg(long, value_name = "MACHINE", default_value = "evm", value_parser = machine_argument())]
    machine: String,

    /// The family of vmconf, or a declaration, that it implements
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "machine")]
    family: Option<String>,

    #[command(flatten)]
    force: ForceArgs,

    #[command(flatten)]
    config: ConfigArgs,
}

/// A template: the extension of its file, its text, and the commands that build and run it.
struct Template {
    extension: &'static str,
    text: &'static str,
    build: Option<&'static str>,
    run: &'static str,
}

impl TemplateLanguage {
    fn template(self, machine: &NamedMachine) -> Template {
        let template = |extension, text, build, run| Template { extension, text, build, run };
        match self {
            TemplateLanguage::Python => {
                template("py", include_str!("../templates/adapter.py"), None, "python3 {{name}}.py")
            }
            TemplateLanguage::Rust => {
                // A package cannot have every name that a folder can.
                let build = Some(
                    "cargo new --name adapter {{name}} && mv {{name}}.rs {{name}}/src/main.rs && cd {{name}} && cargo add serde_json \
                     && cargo build --release && cd ..",
                );
                let run = "./{{name}}/target/release/adapter";
                template("rs", include_str!("../templates/adapter.rs.txt"), build, run)
            }
            TemplateLanguage::C => {
                let build = Some(match machine {
                    NamedMachine::Embedded(_) => "cc -O2 -o {{name}} {{name}}.c -lcjson",
                    NamedMachine::Family(_) => "cc -O2 -o {{name}} {{name}}.c",
                });
                template("c", include_str!("../templates/adapter.c"), build, "./{{name}}")
            }
            TemplateLanguage::Go => {
                let build = Some("go build {{name}}.go");
                template("go", include_str!("../templates/adapter.go"), build, "./{{name}}")
            }
            TemplateLanguage::Js => {
                template("mjs", include_str!("../templates/adapter.mjs"), None, "node {{name}}.mjs")
            }
        }
    }
}

impl Init {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
        if self.name.is_empty() || self.name.starts_with('-') || !self.name.chars().all(is_plain) {
            bail!("the name {:?} must be letters, digits, - and _", self.name);
        }
        let machine = self.machine(settings)?;
        let Template { extension, text, build, run } = self.language.template(&machine);
        let fill = |text: &str| text.replace("{{name}}", &self.name);
        let file = format!("{}.{extension}", self.name);
        let text = match machine {
            NamedMachine::Embedded(machine) => self.of_machine(text, machine)?,
            NamedMachine::Family(known) => family_template(known, &self.name, self.language),
        };
        self.force.write(file.as_ref(), text.as_bytes())?;
        let mut out = output::stdout();
        writeln!(out, "{file}")?;
        let family = self.family.as_ref().map(|family| format!("--family {} ", quoted(family)));
        let check = format!("vmconf vm check {}{}", family.unwrap_or_default(), fill(run));
        for command in build.iter().map(|build| fill(build)).chain([check]) {
            writeln!(out, "  {command}")?;
        }
        out.flush()?;
        Ok(Exit::Passed)
    }

    /// The machine that the adapter implements.
    fn machine(&self, settings: &Settings) -> anyhow::Result<NamedMachine> {
        let families = families::configured(settings)?;
        let Some(family) = &self.family else { return families::machine(&self.machine, &families) };
        let (family, families) = families::named(family, &families)?;
        families::machine(family.machine, &families)
    }

    /// The template for a machine that vmconf embeds.
    fn of_machine(&self, text: &str, machine: &MachineInfo) -> anyhow::Result<String> {
        match self.language {
            TemplateLanguage::Python | TemplateLanguage::Js => {}
            // Each is a toy of this machine.
            TemplateLanguage::C | TemplateLanguage::Go | TemplateLanguage::Rust => {
                if machine.name != "evm" {
                    bail!("{}: there are templates in Python and JavaScript only", machine.name);
                }
            }
        }
        Ok(machine_template(text, &self.name, machine))
    }
}
