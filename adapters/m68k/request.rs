//! Requests for the family m68000.

use std::collections::BTreeMap;

use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer};

/// A number in hex digits after 0x.
#[derive(Clone, Copy, Default)]
pub struct Hex(pub u32);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hex, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let number = text.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
        number.map(Hex).ok_or_else(|| D::Error::custom("no number of 32 bits in hex"))
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

#[derive(Deserialize)]
pub struct Program<'l> {
    #[serde(default)]
    pub ram: Vec<(Hex, Hex)>,
    #[serde(default)]
    pub prefetch: Vec<Hex>,
    /// The registers, by name, and what else a case gives.
    #[serde(borrow, flatten)]
    pub members: BTreeMap<&'l str, Member>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum Member {
    Register(Hex),
    Other(IgnoredAny),
}

impl Program<'_> {
    pub fn register(&self, name: &str) -> u32 {
        match self.members.get(name) {
            Some(Member::Register(value)) => value.0,
            Some(Member::Other(_)) | None => 0,
        }
    }
}
