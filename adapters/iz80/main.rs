//! The crate iz80 as a testee of vmconf for the family z80.

#[path = "../zilog-z80/program.rs"]
mod program;

use std::io::{BufRead, Write, stdin, stdout};

use iz80::{Cpu, Machine};
use serde_json::{Map, Value, json};

use program::{Hex, Program, Request, Step};

/// The version of iz80 that this is built with: cargo writes the list of all packages before it compiles one.
fn release() -> &'static str {
    let after = include_str!("Cargo.lock").split_once("name = \"iz80\"\nversion = \"").expect("a dependency").1;
    after.split_once('"').expect("a version ends").0
}

const FIELDS: [&str; 23] =
    ["pc", "sp", "a", "f", "b", "c", "d", "e", "h", "l", "i", "r", "ix", "iy", "af_", "bc_", "de_", "hl_", "im", "iff1", "iff2", "ram", "ports"];

fn hello() -> Value {
    json!({
        "type": "hello", "version": 1, "name": "iz80", "release": release(), "language": "Rust", "inFlight": 64,
        "homepage": "https://crates.io/crates/iz80",
        "machines": [{ "machine": "z80", "actions": ["step-into"], "fields": FIELDS }],
    })
}

/// Memory and ports. A read of a port gives the next value that the case lists.
struct Board {
    memory: Vec<u8>,
    /// The addresses that were given or written.
    touched: Vec<u16>,
    inputs: Vec<u8>,
    ports: Vec<(u16, u8, char)>,
}

impl Machine for Board {
    fn peek(&mut self, address: u16) -> u8 {
        self.memory[address as usize]
    }

    fn poke(&mut self, address: u16, value: u8) {
        self.memory[address as usize] = value;
        self.touched.push(address);
    }

    fn port_in(&mut self, address: u16) -> u8 {
        let reads = self.ports.iter().filter(|port| port.2 == 'r').count();
        let value = self.inputs.get(reads).copied().unwrap_or(0xff);
        self.ports.push((address, value, 'r'));
        value
    }

    fn port_out(&mut self, address: u16, value: u8) {
        self.ports.push((address, value, 'w'));
    }
}

impl Board {
    fn load(&mut self, program: &Program<'_>) {
        for address in self.touched.drain(..) {
            self.memory[address as usize] = 0;
        }
        for (address, value) in &program.ram {
            self.poke(address.0, value.0 as u8);
        }
        self.inputs = program.ports.iter().filter(|port| port.2 == "r").map(|port| port.1.0 as u8).collect();
        self.ports.clear();
    }
}

/// Where the parts of a serialized processor lie: the registers, those of the other set, the program counter, and the
/// rest.
const OTHER: usize = 16;
const PC: usize = 32;
const IFF1: usize = 34;
const IFF2: usize = 35;
const IM: usize = 36;
const SIZE: usize = 53;

/// Registers of 8 bits, and pairs by their first one, by their place in a serialized processor.
const BYTES: [(&str, usize); 10] = [("a", 0), ("f", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 5), ("h", 6), ("l", 7), ("i", 8), ("r", 9)];
const PAIRS: [(&str, usize); 7] = [("ix", 10), ("iy", 12), ("sp", 14), ("af_", OTHER), ("bc_", OTHER + 2), ("de_", OTHER + 4), ("hl_", OTHER + 6)];

fn loaded(program: &Program<'_>) -> Cpu {
    let Program { a, f, b, c, d, e, h, l, i, r, ix, iy, sp, af_, bc_, de_, hl_, .. } = program;
    let mut bytes = [0; SIZE];
    for (value, place) in [a, f, b, c, d, e, h, l, i, r].into_iter().zip(0..) {
        let Hex(value) = *value;
        bytes[place] = value as u8;
    }
    for (value, (_, place)) in [ix, iy, sp, af_, bc_, de_, hl_].into_iter().zip(PAIRS) {
        bytes[place..place + 2].copy_from_slice(&value.0.to_be_bytes());
    }
    bytes[PC..PC + 2].copy_from_slice(&program.pc.0.to_le_bytes());
    (bytes[IFF1], bytes[IFF2], bytes[IM]) = (program.iff1.into(), program.iff2.into(), program.im.0 as u8);
    let mut cpu = Cpu::new_z80();
    cpu.deserialize(&bytes).expect("a processor");
    cpu
}

fn field(name: &str, cpu: &Cpu, board: &Board) -> Value {
    let bytes = cpu.serialize();
    if let Some((_, place)) = BYTES.into_iter().find(|known| known.0 == name) {
        return json!(bytes[place]);
    }
    if let Some((_, place)) = PAIRS.into_iter().find(|known| known.0 == name) {
        return json!(u16::from_be_bytes([bytes[place], bytes[place + 1]]));
    }
    match name {
        "pc" => json!(u16::from_le_bytes([bytes[PC], bytes[PC + 1]])),
        "im" => json!(bytes[IM]),
        "iff1" => json!(bytes[IFF1]),
        "iff2" => json!(bytes[IFF2]),
        "ram" => {
            let mut touched = board.touched.clone();
            touched.sort_unstable();
            touched.dedup();
            json!(touched.into_iter().map(|address| (address, board.memory[address as usize])).collect::<Vec<_>>())
        }
        "ports" => json!(board.ports),
        other => panic!("no field {other}"),
    }
}

fn answer(line: &str, board: &mut Board) -> Value {
    if line.contains("\"type\":\"hello\"") {
        return hello();
    }
    let Request { id, machine, program, steps } = serde_json::from_str(line).expect("a request");
    if machine != "z80" {
        return json!({ "type": "skip", "id": id, "reason": "no such machine" });
    }
    board.load(&program);
    let mut cpu = loaded(&program);
    let step = |Step { r#do, observe }: Step<'_>| {
        r#do.iter().for_each(|_| cpu.execute_instruction(board));
        let fields = observe.into_iter().map(|name| (name.to_owned(), field(name, &cpu, board)));
        json!({ "fields": fields.collect::<Map<_, _>>() })
    };
    json!({ "type": "done", "id": id, "steps": steps.into_iter().map(step).collect::<Vec<_>>() })
}

fn main() {
    let mut board = Board { memory: vec![0; 1 << 16], touched: vec![], inputs: vec![], ports: vec![] };
    let mut output = stdout().lock();
    for line in stdin().lock().lines() {
        let answer = answer(&line.expect("the input can be read"), &mut board);
        writeln!(output, "{answer}").and_then(|()| output.flush()).expect("the output can be written");
    }
}
