//! What a program does that runs the vectors of SingleStepTests/z80 on the crate zilog_z80 and has nothing of vmconf:
//! it parses each file with serde_json, loads each case, executes one instruction and compares. The fields that the
//! crate does not show, and those that a case does not name, are not compared.

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use serde_json::Value;
use zilog_z80::bus::Bus;
use zilog_z80::cpu::CPU;

/// How many cases passed and failed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PeerCounts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

/// Runs all cases of these files.
pub(crate) fn run_files(paths: &[PathBuf]) -> anyhow::Result<PeerCounts> {
    let mut counts = PeerCounts::default();
    let mut board = Board { memory: vec![0; 1 << 16], ..Board::default() };
    for path in paths {
        let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(path)?)?;
        for case in &cases {
            let passes = passes(case, &mut board).with_context(|| path.display().to_string())?;
            *(if passes { &mut counts.passed } else { &mut counts.failed }) += 1;
        }
    }
    Ok(counts)
}

/// Memory and ports. A read of a port gives the next value that the case lists. The adapter has the same board: it is a
/// package of its own that people copy, and a peer shares nothing with what it is compared with.
#[derive(Default)]
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

fn number(value: &Value) -> Option<u16> {
    value.as_u64()?.try_into().ok()
}

/// The cells of a memory.
fn cells(state: &Value) -> Option<Vec<(u16, u8)>> {
    let cell = |pair: &Value| Some((number(&pair[0])?, number(&pair[1])? as u8));
    state["ram"].as_array()?.iter().map(cell).collect()
}

fn ports(case: &Value) -> Option<Vec<(u16, u8, char)>> {
    let Some(ports) = case.get("ports") else { return Some(Vec::new()) };
    let port =
        |port: &Value| Some((number(&port[0])?, number(&port[1])? as u8, port[2].as_str()?.chars().next()?));
    ports.as_array()?.iter().map(port).collect()
}

fn passes(case: &Value, board: &mut Board) -> anyhow::Result<bool> {
    let ports = ports(case).context("no ports")?;
    for address in std::mem::take(&mut board.touched) {
        board.memory[address as usize] = 0;
    }
    for (address, value) in cells(&case["initial"]).context("no memory")? {
        board.write_byte(address, value);
    }
    board.inputs = ports.iter().filter(|port| port.2 == 'r').map(|port| port.1).collect();
    board.next.set(0);
    board.ports.borrow_mut().clear();
    let mut cpu = loaded(&case["initial"]).context("a register is missing")?;
    cpu.execute(board);
    let demanded = &case["final"];
    let ram = cells(demanded).context("no memory")?;
    let has_cells = ram.iter().all(|(address, value)| board.memory[*address as usize] == *value);
    let is_listed = |address: &u16| ram.iter().any(|cell| cell.0 == *address);
    Ok(has_cells
        && board.touched.iter().all(is_listed)
        && *board.ports.borrow() == ports
        && registers(&cpu)
            .iter()
            .all(|(name, value)| demanded.get(*name).is_none_or(|it| number(it) == Some(*value))))
}

fn loaded(initial: &Value) -> Option<CPU> {
    let word = |name: &str| number(&initial[name]);
    let byte = |name: &str| word(name).map(|value| value as u8);
    let mut cpu = CPU::new();
    (cpu.reg.b, cpu.reg.c, cpu.reg.d, cpu.reg.e) = (byte("b")?, byte("c")?, byte("d")?, byte("e")?);
    (cpu.reg.h, cpu.reg.l, cpu.reg.i, cpu.reg.r) = (byte("h")?, byte("l")?, byte("i")?, byte("r")?);
    (cpu.reg.pc, cpu.reg.sp, cpu.reg.wz) = (word("pc")?, word("sp")?, word("wz")?);
    cpu.reg.set_af(word("a")? << 8 | word("f")?);
    cpu.reg.set_ix(word("ix")?);
    cpu.reg.set_iy(word("iy")?);
    cpu.alt.set_af(word("af_")?);
    cpu.alt.set_bc(word("bc_")?);
    cpu.alt.set_de(word("de_")?);
    cpu.alt.set_hl(word("hl_")?);
    cpu.set_interrupt_state(byte("im")?, word("iff1")? != 0, word("iff2")? != 0);
    Some(cpu)
}

fn registers(cpu: &CPU) -> [(&'static str, u16); 22] {
    let reg = &cpu.reg;
    [
        ("pc", reg.pc),
        ("sp", reg.sp),
        ("a", reg.a.into()),
        ("f", reg.get_af() & 0xff),
        ("b", reg.b.into()),
        ("c", reg.c.into()),
        ("d", reg.d.into()),
        ("e", reg.e.into()),
        ("h", reg.h.into()),
        ("l", reg.l.into()),
        ("i", reg.i.into()),
        ("r", reg.r.into()),
        ("ix", reg.get_ix()),
        ("iy", reg.get_iy()),
        ("af_", cpu.alt.get_af()),
        ("bc_", cpu.alt.get_bc()),
        ("de_", cpu.alt.get_de()),
        ("hl_", cpu.alt.get_hl()),
        ("wz", reg.wz),
        ("im", cpu.im().into()),
        ("iff1", cpu.iff1().into()),
        ("iff2", cpu.iff2().into()),
    ]
}
