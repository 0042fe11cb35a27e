//! `vmconf disasm`

mod segment;

use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;
use vmconf::formats::nef::{self, ContractManifest, MANIFEST_SIZE, Method, Nef, is_nef};
use vmconf::isa::disassembler::{ListingLine, disassemble};
use vmconf::machines::{MachineInfo, ProgramLanguage};
use vmconf::model::{Exit, escaped};
use vmconf::run::open_file::{Links, open_regular};

use self::segment::Segment;
use super::errors::BrokenInput;
use super::input::read;
use super::program::{assembled_machine, hex_text, is_document};
use super::settings::{ConfigArgs, Settings};
use super::{families, output};

/// Disassemble hex or a NEF3 file to mnemonics with their offsets
///
/// A NEF3 file is shown with its header, and with the methods of its manifest if that is in the same
/// folder: contract.manifest.json for contract.nef. Deviations in the manifest are reported.
///
/// The program of a machine whose memory is words is a segment file: all words of the memory, the
/// most significant byte first.
///
/// Example: vmconf disasm evm 0x602a00
#[derive(Debug, Args)]
pub(super) struct Disasm {
    /// The machine
    #[arg(value_parser = assembled_machine())]
    machine: String,

    /// The program: 0x and hex digits, a file of hex digits, a NEF3 file or a segment file, or - for
    /// standard input
    program: String,

    /// Print what the assembler reads, without offsets
    #[arg(long)]
    source: bool,

    #[command(flatten)]
    config: ConfigArgs,
}

/// A program and the text that is printed with it.
#[derive(Default)]
struct DisassemblyListing {
    script: Vec<u8>,
    /// Lines before the instructions, escaped.
    header: Vec<String>,
    /// By offset.
    methods: Vec<Method>,
}

impl Disasm {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let machine = families::embedded(&self.machine, settings)?;
        match machine.language {
            ProgramLanguage::Bytes => self.print(machine, &self.listing()?)?,
            ProgramLanguage::Own { disassemble, .. } => {
                let segment = Segment::read(&self.program)?;
                let mut out = output::stdout();
                if self.source {
                    segment.print_source(&mut out, disassemble)?;
                } else {
                    segment.print(&mut out, disassemble)?;
                }
                out.flush()?;
            }
            ProgramLanguage::Document { schema } => return Err(is_document(machine.name, schema)),
        }
        Ok(Exit::Passed)
    }

    fn listing(&self) -> anyhow::Result<DisassemblyListing> {
        if self.program.starts_with("0x") {
            let script =
                hex_text(self.program.as_bytes()).map_err(|why| anyhow::anyhow!("the program: {why}"))?;
            return Ok(DisassemblyListing { script, ..DisassemblyListing::default() });
        }
        let path = Path::new(&self.program);
        let is_hex = !self.program.is_empty() && self.program.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hint = || format!("hex digits begin with 0x: 0x{}", self.program);
        let file = read(path);
        let file = if is_hex { file.with_context(hint) } else { file }?;
        if is_nef(&file) {
            return self.contract(path, &file);
        }
        let script = hex_text(&file).map_err(|why| {
            BrokenInput(format!("{}: neither hex digits ({why}) nor a NEF3 file", path.display()))
        })?;
        Ok(DisassemblyListing { script, ..DisassemblyListing::default() })
    }

    fn contract(&self, path: &Path, file: &[u8]) -> anyhow::Result<DisassemblyListing> {
        let name = path.display();
        if self.machine != nef::MACHINE {
            bail!("{name}: a NEF3 file, which is a program of {}, not of {}", nef::MACHINE, self.machine);
        }
        let nef = Nef::read(file).map_err(|error| BrokenInput(format!("{name}: {error}")))?;
        let manifest = manifest(path, nef.script.len())?;
        let header = header(&nef, manifest.as_ref());
        let mut methods = manifest.map_or_else(Vec::new, |manifest| manifest.methods);
        methods.sort_by_key(|method| method.offset);
        Ok(DisassemblyListing { script: nef.script, header, methods })
    }

    fn print(&self, machine: &MachineInfo, listing: &DisassemblyListing) -> io::Result<()> {
        let mut out = output::stdout();
        for line in &listing.header {
            writeln!(out, "; {line}")?;
        }
        let mut methods = listing.methods.iter().peekable();
        for line in disassemble(machine.isa, &listing.script) {
            let end = line.offset + line.bytes.len();
            while let Some(method) = methods.next_if(|method| method.offset < end) {
                writeln!(out, "; method {method}{}", place(method, &line))?;
            }
            if !self.source {
                write!(out, "{:04x}  ", line.offset)?;
            }
            writeln!(out, "{}", line.source())?;
        }
        out.flush()
    }
}

/// Says where a method starts if that is inside an instruction; empty if it is at the start of one.
fn place(method: &Method, line: &ListingLine<'_>) -> String {
    if method.offset == line.offset {
        String::new()
    } else {
        format!("; starts inside the next instruction, at {:04x}", method.offset)
    }
}

/// How many deviations of a manifest are reported.
const MAX_DEVIATIONS: usize = 10;

/// The manifest in the folder of a NEF3 file; `None` if there is no such file, and for standard input.
/// Deviations in it are reported.
fn manifest(nef: &Path, script_size: usize) -> anyhow::Result<Option<ContractManifest>> {
    if nef == Path::new("-") {
        return Ok(None);
    }
    let path = nef.with_extension("manifest.json");
    let file = read_manifest(&path).with_context(|| path.display().to_string())?;
    let Some(file) = file else { return Ok(None) };
    let manifest = ContractManifest::read(&file, script_size);
    for deviation in manifest.deviations.iter().take(MAX_DEVIATIONS) {
        note!("note: {}:{deviation}", path.display());
    }
    if let Some(more @ 1..) = manifest.deviations.len().checked_sub(MAX_DEVIATIONS) {
        note!("note: {}: and {more} more", path.display());
    }
    Ok(Some(manifest))
}

/// The bytes of the file; `None` if it does not exist. Only a regular file is opened, since the user did not
/// name it.
fn read_manifest(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match open_regular(path, Links::Follow) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    // One byte more than the limit, so that the reader refuses the file.
    file.take(MANIFEST_SIZE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

fn header(nef: &Nef, manifest: Option<&ContractManifest>) -> Vec<String> {
    let mut lines = Vec::new();
    let contract = manifest.map_or("", |manifest| &manifest.name);
    for (label, text) in [("contract", contract), ("compiler", &nef.compiler), ("source", &nef.source)] {
        if !text.is_empty() {
            lines.push(format!("{label} {}", escaped(text)));
        }
    }
    lines.extend(nef.tokens.iter().enumerate().map(|(index, token)| format!("token {index}: {token}")));
    lines.push(format!("checksum 0x{}", hex::encode(nef.checksum)));
    lines
}
