//! The crate spc700 as a testee of vmconf for the family of the same name.

use std::fmt::Write as _;
use std::io::{BufRead, Write, stdin, stdout};

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use spc700::{HasAddressBus, Processor, ProgramStatusWord};

const HELLO: &str = r#"{"type":"hello","version":1,"name":"spc700","release":"RELEASE","language":"Rust","homepage":"https://crates.io/crates/spc700","inFlight":16,"machines":[{"machine":"spc700","actions":["step-into"],"fields":["pc","a","x","y","sp","psw","ram"]}]}"#;

/// The version of spc700 that this is built with: cargo writes the list of all packages before it compiles one.
fn release() -> &'static str {
    let after = include_str!("Cargo.lock").split_once("name = \"spc700\"\nversion = \"").expect("a dependency").1;
    after.split_once('"').expect("a version ends").0
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
    a: Hex,
    x: Hex,
    y: Hex,
    sp: Hex,
    psw: Hex,
    ram: Vec<(Hex, Hex)>,
}

struct Memory {
    cells: Vec<u8>,
    /// The addresses that were given or written.
    touched: Vec<u16>,
}

impl HasAddressBus for Memory {
    fn io(&mut self) {}

    fn read(&mut self, address: usize) -> u8 {
        self.cells[address & 0xffff]
    }

    fn write(&mut self, address: usize, value: u8) {
        self.cells[address & 0xffff] = value;
        self.touched.push(address as u16);
    }
}

impl Memory {
    fn load(&mut self, program: &Program) {
        for address in self.touched.drain(..) {
            self.cells[address as usize] = 0;
        }
        program.ram.iter().for_each(|(address, value)| self.write(address.0 as usize, value.0 as u8));
    }

    fn json(&mut self) -> String {
        self.touched.sort_unstable();
        self.touched.dedup();
        let cells = self.touched.iter().map(|address| format!("[{address},{}]", self.cells[*address as usize]));
        format!("[{}]", cells.collect::<Vec<_>>().join(","))
    }
}

fn write_field(out: &mut String, name: &str, processor: &Processor, memory: &mut Memory) {
    let number: u16 = match name {
        "pc" => processor.pc,
        "a" => processor.a.into(),
        "x" => processor.x.into(),
        "y" => processor.y.into(),
        "sp" => processor.sp.into(),
        "psw" => processor.psw.to_byte().into(),
        "ram" => {
            let _ = write!(out, "\"ram\":{}", memory.json());
            return;
        }
        other => panic!("no field {other}"),
    };
    let _ = write!(out, "\"{name}\":{number}");
}

fn main() {
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    let mut memory = Memory { cells: vec![0; 1 << 16], touched: vec![] };
    let (mut line, mut out) = (String::new(), String::new());
    while input.read_line(&mut line).expect("the input can be read") > 0 {
        out.clear();
        if line.contains("\"type\":\"hello\"") {
            out += &HELLO.replace("RELEASE", release());
        } else {
            let Request { id, machine, program, steps } = serde_json::from_str(&line).expect("a request");
            if machine == "spc700" {
                memory.load(&program);
                let [a, x, y, sp] = [program.a, program.x, program.y, program.sp].map(|value| value.0 as u8);
                let psw = ProgramStatusWord::from_byte(program.psw.0 as u8);
                let mut processor = Processor { a, x, y, sp, pc: program.pc.0, psw };
                let _ = write!(out, "{{\"type\":\"done\",\"id\":{id},\"steps\":[");
                for (index, Step { r#do, observe }) in steps.into_iter().enumerate() {
                    r#do.iter().for_each(|_| processor.step(&mut memory));
                    out += if index == 0 { "{\"fields\":{" } else { ",{\"fields\":{" };
                    for (index, name) in observe.iter().enumerate() {
                        out += if index == 0 { "" } else { "," };
                        write_field(&mut out, name, &processor, &mut memory);
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
