//! The crate zilog_z80 as a testee of vmconf for the family z80.

mod program;

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, BufWriter, Write, stdin, stdout};

use zilog_z80::bus::Bus;
use zilog_z80::cpu::CPU;

use program::{Hex, Program, Request, Step};

const HELLO: &str = r#"{"type":"hello","version":1,"name":"zilog_z80","release":"RELEASE","language":"Rust","homepage":"https://crates.io/crates/zilog_z80","inFlight":64,"machines":[{"machine":"z80","actions":["step-into"],"fields":["pc","sp","a","f","b","c","d","e","h","l","i","r","ix","iy","af_","bc_","de_","hl_","wz","im","iff1","iff2","ram","ports"]}]}"#;

/// The version of zilog_z80 that this is built with: cargo writes the list of all packages before it compiles one.
fn release() -> &'static str {
    let after = include_str!("Cargo.lock").split_once("name = \"zilog_z80\"\nversion = \"").expect("a dependency").1;
    after.split_once('"').expect("a version ends").0
}

/// Memory and ports. A read of a port gives the next value that the case lists.
struct Board {
    memory: Vec<u8>,
    /// The addresses that were given or written.
    touched: Vec<u16>,
    inputs: Vec<u8>,
    next: Cell<usize>,
    ports: RefCell<Vec<(u16, u8, char)>>,
}

impl Bus for Board {
    fn read_byte(&self, address: u16) -> u8 {
        self.memory[address as usize]
    }

    fn write_byte(&mut self, address: u16, data: u8) {
        self.memory[address as usize] = data;
        self.touched.push(address);
    }

    fn read_io(&self, port: u16) -> u8 {
        let value = self.inputs.get(self.next.get()).copied().unwrap_or(0xff);
        self.next.set(self.next.get() + 1);
        self.ports.borrow_mut().push((port, value, 'r'));
        value
    }

    fn write_io(&mut self, port: u16, data: u8) {
        self.ports.borrow_mut().push((port, data, 'w'));
    }
}

impl Board {
    fn load(&mut self, program: &Program<'_>) {
        for address in self.touched.drain(..) {
            self.memory[address as usize] = 0;
        }
        for (address, value) in &program.ram {
            self.write_byte(address.0, value.0 as u8);
        }
        self.inputs = program.ports.iter().filter(|port| port.2 == "r").map(|port| port.1.0 as u8).collect();
        self.next.set(0);
        self.ports.borrow_mut().clear();
    }
}

fn loaded(program: &Program<'_>) -> CPU {
    let mut cpu = CPU::new();
    let byte = |value: Hex| value.0 as u8;
    (cpu.reg.b, cpu.reg.c, cpu.reg.d, cpu.reg.e) = (byte(program.b), byte(program.c), byte(program.d), byte(program.e));
    (cpu.reg.h, cpu.reg.l, cpu.reg.i, cpu.reg.r) = (byte(program.h), byte(program.l), byte(program.i), byte(program.r));
    (cpu.reg.pc, cpu.reg.sp, cpu.reg.wz) = (program.pc.0, program.sp.0, program.wz.0);
    cpu.reg.set_af(program.a.0 << 8 | program.f.0);
    cpu.reg.set_ix(program.ix.0);
    cpu.reg.set_iy(program.iy.0);
    cpu.alt.set_af(program.af_.0);
    cpu.alt.set_bc(program.bc_.0);
    cpu.alt.set_de(program.de_.0);
    cpu.alt.set_hl(program.hl_.0);
    cpu.set_interrupt_state(byte(program.im), program.iff1, program.iff2);
    cpu
}

fn write_field(out: &mut String, name: &str, cpu: &CPU, board: &mut Board) {
    let reg = &cpu.reg;
    let number = match name {
        "pc" => reg.pc,
        "sp" => reg.sp,
        "a" => reg.a.into(),
        "f" => reg.get_af() & 0xff,
        "b" => reg.b.into(),
        "c" => reg.c.into(),
        "d" => reg.d.into(),
        "e" => reg.e.into(),
        "h" => reg.h.into(),
        "l" => reg.l.into(),
        "i" => reg.i.into(),
        "r" => reg.r.into(),
        "ix" => reg.get_ix(),
        "iy" => reg.get_iy(),
        "af_" => cpu.alt.get_af(),
        "bc_" => cpu.alt.get_bc(),
        "de_" => cpu.alt.get_de(),
        "hl_" => cpu.alt.get_hl(),
        "wz" => reg.wz,
        "im" => cpu.im().into(),
        "iff1" => cpu.iff1().into(),
        "iff2" => cpu.iff2().into(),
        "ram" => {
            board.touched.sort_unstable();
            board.touched.dedup();
            out.push_str("\"ram\":[");
            for (index, address) in board.touched.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                let _ = write!(out, "[{address},{}]", board.memory[*address as usize]);
            }
            out.push(']');
            return;
        }
        "ports" => {
            let ports = board.ports.borrow();
            let ports = ports.iter().map(|(port, value, kind)| format!("[{port},{value},\"{kind}\"]"));
            let _ = write!(out, "\"ports\":[{}]", ports.collect::<Vec<_>>().join(","));
            return;
        }
        other => panic!("no field {other}"),
    };
    let _ = write!(out, "\"{name}\":{number}");
}

fn main() {
    let mut input = BufReader::with_capacity(1 << 16, stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 16, stdout().lock());
    let mut board = Board { memory: vec![0; 1 << 16], touched: vec![], inputs: vec![], next: Cell::new(0), ports: RefCell::default() };
    let (mut line, mut out) = (String::new(), String::new());
    while input.read_line(&mut line).expect("the input can be read") > 0 {
        out.clear();
        if line.contains("\"type\":\"hello\"") {
            out += &HELLO.replace("RELEASE", release());
        } else {
            let Request { id, machine, program, steps } = serde_json::from_str(&line).expect("a request");
            if machine == "z80" {
                board.load(&program);
                let mut cpu = loaded(&program);
                let _ = write!(out, "{{\"type\":\"done\",\"id\":{id},\"steps\":[");
                for (index, Step { r#do, observe }) in steps.into_iter().enumerate() {
                    let _cycles: u32 = r#do.iter().map(|_| cpu.execute(&mut board)).sum();
                    out += if index == 0 { "{\"fields\":{" } else { ",{\"fields\":{" };
                    for (index, name) in observe.iter().enumerate() {
                        out += if index == 0 { "" } else { "," };
                        write_field(&mut out, name, &cpu, &mut board);
                    }
                    out += "}}";
                }
                out += "]}";
            } else {
                let _ = write!(out, "{{\"type\":\"skip\",\"id\":{id},\"reason\":\"no such machine\"}}");
            }
        }
        out.push('\n');
        output.write_all(out.as_bytes()).expect("the output can be written");
        // Answers are written together while there are more requests: nobody waits for them one by one.
        if !input.buffer().contains(&b'\n') {
            output.flush().expect("the output can be written");
        }
        line.clear();
    }
}
