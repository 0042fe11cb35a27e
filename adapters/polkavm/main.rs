//! The crate polkavm as a testee of vmconf for the family pvm, on its interpreter.

mod blob;

use std::io::{BufRead, Write, stdin, stdout};

use polkavm::program::InstructionSetKind;
use polkavm::{
    BackendKind, Config, Engine, GasMeteringKind, InterruptKind, MemoryProtection, Module, ModuleConfig, ProgramBlob, ProgramCounter, ProgramParts,
    RawInstance, Reg,
};
use serde_json::{Value, json};

use blob::with_trap;

/// The version of polkavm that this is built with: cargo writes the list of all packages before it compiles one.
fn release() -> &'static str {
    let after = include_str!("Cargo.lock").split_once("name = \"polkavm\"\nversion = \"").expect("a dependency").1;
    after.split_once('"').expect("a version ends").0
}

fn hello() -> Value {
    let fields = ["status", "regs", "pc", "memory", "gas", "page-fault-address"];
    json!({
        "type": "hello", "version": 1, "name": "polkavm", "release": release(), "language": "Rust", "inFlight": 16,
        "homepage": "https://crates.io/crates/polkavm",
        "machines": [{ "machine": "pvm", "actions": ["execute"], "fields": fields }],
    })
}

fn number(value: &Value) -> u64 {
    let text = value.as_str().unwrap_or("0x0");
    let digits = text.trim_start_matches('-').trim_start_matches("0x");
    let number = u64::from_str_radix(digits, 16).unwrap_or(0);
    if text.starts_with('-') { number.wrapping_neg() } else { number }
}

fn bytes(value: &Value) -> Vec<u8> {
    let digits = value.as_str().unwrap_or("").trim_start_matches("0x").as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap_or("0"), 16).unwrap_or(0);
    digits.chunks(2).map(byte).collect()
}

/// A page of the memory: its address, its length, and whether it can be written.
struct Page(u32, u32, bool);

fn pages(program: &Value) -> Vec<Page> {
    let list = program["page-map"].as_array().map_or(&[][..], Vec::as_slice);
    let page = |page: &Value| Page(number(&page["address"]) as u32, number(&page["length"]) as u32, page["is-writable"] == true);
    list.iter().map(page).collect()
}

fn loaded(engine: &Engine, program: &Value) -> Result<RawInstance, String> {
    let mut parts = ProgramParts::empty(InstructionSetKind::JamV1);
    parts.code_and_jump_table = with_trap(bytes(&program["program"])).into();
    let blob = ProgramBlob::from_parts(parts).map_err(|error| error.to_string())?;
    let mut config = ModuleConfig::new();
    config.set_strict(false).set_gas_metering(Some(GasMeteringKind::Sync)).set_step_tracing(true).set_dynamic_paging(true);
    let module = Module::from_blob(engine, &config, blob).map_err(|error| error.to_string())?;
    let mut instance = module.instantiate().map_err(|error| error.to_string())?;
    let failed = |error: polkavm::MemoryAccessError| error.to_string();
    for Page(address, length, _) in pages(program) {
        instance.zero_memory_with_memory_protection(address, length, MemoryProtection::ReadWrite).map_err(failed)?;
    }
    for cell in program["memory"].as_array().into_iter().flatten() {
        instance.write_u8(number(&cell[0]) as u32, number(&cell[1]) as u8).map_err(failed)?;
    }
    for Page(address, length, _) in pages(program).into_iter().filter(|page| !page.2) {
        instance.protect_memory(address, length).map_err(failed)?;
    }
    for (index, reg) in Reg::ALL.into_iter().enumerate() {
        instance.set_reg(reg, number(&program["regs"][index]));
    }
    instance.set_gas(number(&program["gas"]) as i64);
    instance.set_next_program_counter(ProgramCounter(number(&program["pc"]) as u32));
    Ok(instance)
}

/// Runs a program to its end: the fields of the state.
fn run(engine: &Engine, program: &Value) -> Result<Value, String> {
    let mut instance = loaded(engine, program)?;
    let (mut pc, mut fault) = (number(&program["pc"]) as u32, None);
    let status = loop {
        match instance.run().map_err(|error| error.to_string())? {
            InterruptKind::Step => pc = instance.program_counter().map_or(pc, |pc| pc.0),
            InterruptKind::Finished => break "halt",
            InterruptKind::Trap => break "panic",
            InterruptKind::NotEnoughGas => break "out-of-gas",
            InterruptKind::Ecalli(_) => break "host-call",
            InterruptKind::Segfault(segfault) => {
                fault = Some(segfault.page_address);
                break "page-fault";
            }
        }
    };
    if status != "halt" {
        pc = instance.program_counter().map_or(pc, |pc| pc.0);
    }
    let mut memory = Vec::new();
    for Page(address, length, _) in pages(program) {
        let bytes = instance.read_memory(address, length).map_err(|error| error.to_string())?;
        let cells = bytes.into_iter().enumerate().filter(|(_, byte)| *byte != 0);
        memory.extend(cells.map(|(offset, byte)| json!([address + offset as u32, byte])));
    }
    let regs: Vec<_> = Reg::ALL.into_iter().map(|reg| instance.reg(reg)).collect();
    let mut state = json!({ "status": status, "regs": regs, "pc": pc, "memory": memory, "gas": instance.gas() });
    if let Some(address) = fault {
        state["page-fault-address"] = json!(address);
    }
    Ok(state)
}

fn answer(engine: &Engine, request: &Value) -> Value {
    if request["type"] == "hello" {
        return hello();
    }
    let id = &request["id"];
    if request["machine"] != "pvm" {
        return json!({ "type": "skip", "id": id, "reason": "no such machine" });
    }
    let is_executed = |step: &Value| step["do"] == json!(["execute"]);
    if !request["steps"].as_array().is_some_and(|steps| steps.len() == 1 && steps.iter().all(is_executed)) {
        return json!({ "type": "skip", "id": id, "reason": "only one step that executes the program" });
    }
    let state = match run(engine, &request["program"]) {
        Ok(state) => state,
        Err(message) => return json!({ "type": "error", "id": id, "message": message }),
    };
    let observed = |step: &Value| {
        let names = step["observe"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let fields = names.filter_map(|name| Some((name.to_owned(), state.get(name)?.clone())));
        json!({ "fields": fields.collect::<serde_json::Map<_, _>>() })
    };
    let steps: Vec<_> = request["steps"].as_array().into_iter().flatten().map(observed).collect();
    json!({ "type": "done", "id": id, "steps": steps })
}

fn main() {
    let mut config = Config::new();
    config.set_backend(Some(BackendKind::Interpreter)).set_allow_dynamic_paging(true);
    let engine = Engine::new(&config).expect("an interpreter");
    let mut output = stdout().lock();
    for line in stdin().lock().lines() {
        let request = serde_json::from_str(&line.expect("the input can be read")).expect("a request");
        writeln!(output, "{}", answer(&engine, &request)).and_then(|()| output.flush()).expect("the output can be written");
    }
}
