//! The crate m68k as a testee of vmconf for the family m68000.

mod request;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, Write, stdin, stdout};

use m68k::{AddressBus, CpuCore, CpuType, NoOpHleHandler};

use request::{Program, Request, Step};

const HELLO: &str = r#"{"type":"hello","version":1,"name":"m68k","release":"RELEASE","language":"Rust","homepage":"https://crates.io/crates/m68k","inFlight":64,"machines":[{"machine":"m68000","actions":["step-into"],"fields":["d0","d1","d2","d3","d4","d5","d6","d7","a0","a1","a2","a3","a4","a5","a6","usp","ssp","sr","pc","prefetch","ram"]}]}"#;

/// The bit of the status register that says that the machine is in the supervisor mode.
const SUPERVISOR: u16 = 0x2000;

/// How far the program counter of the family is beyond that of the crate, which points to the first word of the queue.
const QUEUE: u32 = 4;

/// The version of m68k that this is built with: cargo writes the list of all packages before it compiles one.
fn release() -> &'static str {
    let after = include_str!("Cargo.lock").split_once("name = \"m68k\"\nversion = \"").expect("a dependency").1;
    after.split_once('"').expect("a version ends").0
}

/// 24 bits of addresses, of which few have a cell.
#[derive(Default)]
struct Memory(BTreeMap<u32, u8>);

impl AddressBus for Memory {
    fn read_byte(&mut self, address: u32) -> u8 {
        self.0.get(&(address & 0xff_ffff)).copied().unwrap_or(0)
    }

    fn read_word(&mut self, address: u32) -> u16 {
        u16::from_be_bytes([0, 1].map(|offset| self.read_byte(address.wrapping_add(offset))))
    }

    fn read_long(&mut self, address: u32) -> u32 {
        u32::from_be_bytes([0, 1, 2, 3].map(|offset| self.read_byte(address.wrapping_add(offset))))
    }

    fn write_byte(&mut self, address: u32, value: u8) {
        self.0.insert(address & 0xff_ffff, value);
    }

    fn write_word(&mut self, address: u32, value: u16) {
        (0..).zip(value.to_be_bytes()).for_each(|(offset, byte)| self.write_byte(address.wrapping_add(offset), byte));
    }

    fn write_long(&mut self, address: u32, value: u32) {
        (0..).zip(value.to_be_bytes()).for_each(|(offset, byte)| self.write_byte(address.wrapping_add(offset), byte));
    }
}

/// The names of data and address registers, without the stack pointer.
fn numbered() -> impl Iterator<Item = (String, usize)> {
    (0..8).map(|number| (format!("d{number}"), number)).chain((0..7).map(|number| (format!("a{number}"), number)))
}

fn loaded(program: &Program) -> CpuCore {
    let mut cpu = CpuCore::new();
    cpu.set_cpu_type(CpuType::M68000);
    cpu.set_sst_m68000_compat(true);
    cpu.set_sr(SUPERVISOR);
    cpu.set_sp(program.register("ssp"));
    cpu.set_usp(program.register("usp"));
    cpu.set_sr(program.register("sr") as u16);
    for (name, number) in numbered() {
        let value = program.register(&name);
        if name.starts_with('d') { cpu.set_d(number, value) } else { cpu.set_a(number, value) }
    }
    cpu.pc = program.register("pc").wrapping_sub(QUEUE);
    if let [first, second] = program.prefetch[..] {
        (cpu.prefetch_queue, cpu.prefetch_count) = ([first.0 as u16, second.0 as u16], 2);
    }
    cpu
}

/// The stack pointer of a mode, whichever the machine is in.
fn stack_pointer(cpu: &mut CpuCore, supervisor: bool) -> u32 {
    let status = cpu.get_sr();
    cpu.set_sr(if supervisor { status | SUPERVISOR } else { status & !SUPERVISOR });
    let pointer = cpu.sp();
    cpu.set_sr(status);
    pointer
}

fn write_field(out: &mut String, name: &str, cpu: &mut CpuCore, memory: &Memory) {
    let number = match name {
        "usp" => stack_pointer(cpu, false),
        "ssp" => stack_pointer(cpu, true),
        "sr" => cpu.get_sr().into(),
        "pc" => cpu.pc.wrapping_add(QUEUE),
        "prefetch" => {
            let [first, second] = cpu.prefetch_queue;
            let _ = write!(out, "\"prefetch\":[{first},{second}]");
            return;
        }
        "ram" => {
            let cells = memory.0.iter().map(|(address, value)| format!("[{address},{value}]"));
            let _ = write!(out, "\"ram\":[{}]", cells.collect::<Vec<_>>().join(","));
            return;
        }
        register => match numbered().find(|it| it.0 == register) {
            Some((name, number)) if name.starts_with('d') => cpu.d(number),
            Some((_, number)) => cpu.a(number),
            None => panic!("no field {register}"),
        },
    };
    let _ = write!(out, "\"{name}\":{number}");
}

fn main() {
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    let (mut line, mut out) = (String::new(), String::new());
    while input.read_line(&mut line).expect("the input can be read") > 0 {
        out.clear();
        if line.contains("\"type\":\"hello\"") {
            out += &HELLO.replace("RELEASE", release());
        } else {
            let Request { id, machine, program, steps } = serde_json::from_str(&line).expect("a request");
            if machine == "m68000" {
                let mut memory = Memory(program.ram.iter().map(|(address, value)| (address.0, value.0 as u8)).collect());
                let mut cpu = loaded(&program);
                let _ = write!(out, "{{\"type\":\"done\",\"id\":{id},\"steps\":[");
                for (index, Step { r#do, observe }) in steps.into_iter().enumerate() {
                    for _ in r#do {
                        cpu.step_with_hle_handler(&mut memory, &mut NoOpHleHandler);
                    }
                    out += if index == 0 { "{\"fields\":{" } else { ",{\"fields\":{" };
                    for (index, name) in observe.iter().enumerate() {
                        out += if index == 0 { "" } else { "," };
                        write_field(&mut out, name, &mut cpu, &memory);
                    }
                    out += "}}";
                }
                out += "]}";
            } else {
                let _ = write!(out, "{{\"type\":\"skip\",\"id\":{id},\"reason\":\"no such machine\"}}");
            }
        }
        out.push('\n');
        output.write_all(out.as_bytes()).and_then(|()| output.flush()).expect("the output can be written");
        line.clear();
    }
}
