//! The crate mos6502 as a testee of vmconf for the family 6502 and its variants.

use std::fmt::Write as _;
use std::io::{BufRead, Write, stdin, stdout};

use mos6502::Variant;
use mos6502::cpu::CPU;
use mos6502::instruction::{Mos65C02, Nmos6502, Ricoh2a03};
use mos6502::memory::Bus;
use mos6502::registers::{StackPointer, Status};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

const HELLO: &str = r#"{"type":"hello","version":1,"name":"mos6502","release":"RELEASE","language":"Rust","homepage":"https://crates.io/crates/mos6502","inFlight":64,"machines":[MACHINES]}"#;
const MACHINE: &str = r#"{"machine":"NAME","actions":["step-into"],"fields":["pc","s","a","x","y","p","ram"]}"#;

/// The machines, and what runs a request on each.
const MACHINES: [(&str, RunRequest); 5] = [
    ("6502", run::<Nmos6502>),
    ("nes6502", run::<Ricoh2a03>),
    ("synertek65c02", run::<Mos65C02<false, false>>),
    ("rockwell65c02", run::<Mos65C02<true, false>>),
    ("wdc65c02", run::<Mos65C02<true, true>>),
];

type RunRequest = fn(&Request<'_>, &mut String);

/// The version of mos6502 that this is built with: cargo writes the list of all packages before it compiles one.
fn release() -> &'static str {
    let after = include_str!("Cargo.lock").split_once("name = \"mos6502\"\nversion = \"").expect("a dependency").1;
    after.split_once('"').expect("a version ends").0
}

fn hello() -> String {
    let machines = MACHINES.map(|(name, _)| MACHINE.replace("NAME", name)).join(",");
    HELLO.replace("RELEASE", release()).replace("MACHINES", &machines)
}

/// A number in hex digits after 0x.
#[derive(Clone, Copy, Default)]
struct Hex(u16);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hex, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let number = text.strip_prefix("0x").and_then(|digits| u16::from_str_radix(digits, 16).ok());
        number.map(Hex).ok_or_else(|| D::Error::custom("no number of 16 bits in hex"))
    }
}

#[derive(Deserialize)]
struct Request<'l> {
    id: u64,
    machine: &'l str,
    program: Program,
    #[serde(borrow)]
    steps: Vec<Step<'l>>,
}

#[derive(Deserialize)]
struct Step<'l> {
    #[serde(borrow)]
    r#do: Vec<&'l str>,
    #[serde(borrow)]
    observe: Vec<&'l str>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Program {
    pc: Hex,
    s: Hex,
    a: Hex,
    x: Hex,
    y: Hex,
    p: Hex,
    ram: Vec<(Hex, Hex)>,
}

struct Memory {
    cells: Vec<u8>,
    /// The addresses that were given or written.
    touched: Vec<u16>,
}

impl Bus for Memory {
    fn get_byte(&mut self, address: u16) -> u8 {
        self.cells[address as usize]
    }

    fn set_byte(&mut self, address: u16, value: u8) {
        self.cells[address as usize] = value;
        self.touched.push(address);
    }
}

impl Memory {
    fn json(&mut self) -> String {
        self.touched.sort_unstable();
        self.touched.dedup();
        let cells = self.touched.iter().map(|address| format!("[{address},{}]", self.cells[*address as usize]));
        format!("[{}]", cells.collect::<Vec<_>>().join(","))
    }
}

fn loaded<V: Variant + Default>(program: &Program) -> CPU<Memory, V> {
    let mut cpu = CPU::new(Memory { cells: vec![0; 1 << 16], touched: vec![] }, V::default());
    program.ram.iter().for_each(|(address, value)| cpu.memory.set_byte(address.0, value.0 as u8));
    let [s, a, x, y, p] = [program.s, program.a, program.x, program.y, program.p].map(|value| value.0 as u8);
    let registers = &mut cpu.registers;
    (registers.program_counter, registers.stack_pointer) = (program.pc.0, StackPointer(s));
    (registers.accumulator, registers.index_x, registers.index_y) = (a, x, y);
    registers.status = Status::from_bits_truncate(p);
    cpu
}

fn write_field<V: Variant>(out: &mut String, name: &str, cpu: &mut CPU<Memory, V>) {
    let registers = &cpu.registers;
    let number = match name {
        "pc" => registers.program_counter,
        "s" => registers.stack_pointer.0.into(),
        "a" => registers.accumulator.into(),
        "x" => registers.index_x.into(),
        "y" => registers.index_y.into(),
        "p" => registers.status.bits().into(),
        "ram" => {
            let _ = write!(out, "\"ram\":{}", cpu.memory.json());
            return;
        }
        other => panic!("no field {other}"),
    };
    let _ = write!(out, "\"{name}\":{number}");
}

fn run<V: Variant + Default>(request: &Request<'_>, out: &mut String) {
    let mut cpu = loaded::<V>(&request.program);
    let _ = write!(out, "{{\"type\":\"done\",\"id\":{},\"steps\":[", request.id);
    for (index, Step { r#do, observe }) in request.steps.iter().enumerate() {
        for _ in r#do {
            cpu.single_step();
        }
        *out += if index == 0 { "{\"fields\":{" } else { ",{\"fields\":{" };
        for (index, name) in observe.iter().enumerate() {
            *out += if index == 0 { "" } else { "," };
            write_field(out, name, &mut cpu);
        }
        *out += "}}";
    }
    *out += "]}";
}

fn main() {
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    let (mut line, mut out) = (String::new(), String::new());
    while input.read_line(&mut line).expect("the input can be read") > 0 {
        out.clear();
        if line.contains("\"type\":\"hello\"") {
            out += &hello();
        } else {
            let request: Request<'_> = serde_json::from_str(&line).expect("a request");
            let skip: RunRequest = |request, out| {
                let _ = write!(out, "{{\"type\":\"skip\",\"id\":{},\"reason\":\"no such machine\"}}", request.id);
            };
            MACHINES.iter().find(|it| it.0 == request.machine).map_or(skip, |it| it.1)(&request, &mut out);
        }
        out.push('\n');
        output.write_all(out.as_bytes()).and_then(|()| output.flush()).expect("the output can be written");
        line.clear();
    }
}
