//! Requests for the family z80.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// A number in hex digits after 0x.
#[derive(Clone, Copy, Default)]
pub struct Hex(pub u16);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hex, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let number = text.strip_prefix("0x").and_then(|digits| u16::from_str_radix(digits, 16).ok());
        number.map(Hex).ok_or_else(|| D::Error::custom("no number of 16 bits in hex"))
    }
}

#[derive(Deserialize)]
pub struct Request<'l> {
    pub id: u64,
    pub machine: &'l str,
    #[serde(borrow)]
    pub program: Program<'l>,
    #[serde(borrow)]
    pub steps: Vec<Step<'l>>,
}

#[derive(Deserialize)]
pub struct Step<'l> {
    #[serde(borrow)]
    pub r#do: Vec<&'l str>,
    #[serde(borrow)]
    pub observe: Vec<&'l str>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Program<'l> {
    pub pc: Hex,
    pub sp: Hex,
    pub a: Hex,
    pub f: Hex,
    pub b: Hex,
    pub c: Hex,
    pub d: Hex,
    pub e: Hex,
    pub h: Hex,
    pub l: Hex,
    pub i: Hex,
    pub r: Hex,
    pub ix: Hex,
    pub iy: Hex,
    pub af_: Hex,
    pub bc_: Hex,
    pub de_: Hex,
    pub hl_: Hex,
    pub wz: Hex,
    pub im: Hex,
    pub iff1: bool,
    pub iff2: bool,
    pub ram: Vec<(Hex, Hex)>,
    #[serde(borrow)]
    pub ports: Vec<(Hex, Hex, &'l str)>,
}
